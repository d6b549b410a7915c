//! Numbers, names and points: [`Val`], [`Id`], [`Point`].

use std::ptr;

use crate::object::{Argument, Pass};
use crate::sys;
use crate::{Context, Dim, Error, Result};

objects! {
    /// A rational number of any size, or infinity, minus infinity, or not a number.
    pub struct Val = isl_val_copy, isl_val_free, isl_val_to_str;
    /// A name of a tuple or a dimension.
    pub struct Id = isl_id_copy, isl_id_free, isl_id_to_str;
    /// A point with integer coordinates, or the void point, which is nowhere.
    pub struct Point = isl_point_copy, isl_point_free, isl_point_to_str;
}

impl Id {
    /// The identifier with a name: the same for the same name.
    pub fn new(context: &Context, name: &str) -> Result<Id> {
        let name = name.hold(context)?;
        context.call(|| unsafe { sys::isl_id_alloc(context.raw(), Pass::pass(&name), ptr::null_mut()) })
    }
}

impl Val {
    /// The number, if it is an integer that fits.
    pub fn to_i64(&self) -> Result<i64> {
        if self.is_int()? { self.get_num_si() } else { Err(Error::invalid(format!("{self} is not an integer"))) }
    }
}

constructors! { Val;
    /// 1.
    pub fn one(context: &Context) -> Val = isl_val_one;
    /// An integer.
    pub fn int_from_si(context: &Context, value: i64) -> Val = isl_val_int_from_si;
}

methods! { Val;
    /// The numerator, if it fits.
    pub fn get_num_si() -> i64 = isl_val_get_num_si;
    /// The sum.
    pub fn add(other: &Val) -> Val = isl_val_add;
    /// The product.
    pub fn mul(other: &Val) -> Val = isl_val_mul;
    /// The sign: -1, 0 or 1.
    pub fn sgn() -> i32 = isl_val_sgn;
    /// Whether it is 0.
    pub fn is_zero() -> bool = isl_val_is_zero;
    /// Whether it is 1.
    pub fn is_one() -> bool = isl_val_is_one;
    /// Whether it is less than 0.
    pub fn is_neg() -> bool = isl_val_is_neg;
    /// Whether it is an integer.
    pub fn is_int() -> bool = isl_val_is_int;
    /// Whether it is not a number.
    pub fn is_nan() -> bool = isl_val_is_nan;
    /// Whether both are equal.
    pub fn eq(other: &Val) -> bool = isl_val_eq;
}

methods! { Id;
    /// Its name.
    pub fn get_name() -> Option<String> = isl_id_get_name;
}

methods! { Point;
    /// A coordinate.
    pub fn get_coordinate_val(kind: Dim, pos: usize) -> Val = isl_point_get_coordinate_val;
}
