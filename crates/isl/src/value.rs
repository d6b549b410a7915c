//! Numbers, names and points: [`Val`], [`Id`], [`Point`].

use std::ptr;

use crate::object::{Argument, Pass};
use crate::sys;
use crate::{Context, Dim, Error, MultiVal, Result, Space};

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
    /// The remainder of the division by another, which is not negative; both are integers.
    pub fn modulo(&self, other: &Val) -> Result<Val> {
        // isl does not look.
        if other.is_zero()? {
            return Err(Error::invalid("division by zero"));
        }
        let other = other.hold(self.context())?;
        self.context().call(|| unsafe { sys::isl_val_mod(Pass::pass(&self), Pass::pass(&other)) })
    }

    /// The number, if it is an integer that fits.
    pub fn to_i64(&self) -> Result<i64> {
        if self.is_int()? { self.get_num_si() } else { Err(Error::invalid(format!("{self} is not an integer"))) }
    }
}

constructors! { Val;
    /// 0.
    pub fn zero(context: &Context) -> Val = isl_val_zero;
    /// 1.
    pub fn one(context: &Context) -> Val = isl_val_one;
    /// -1.
    pub fn negone(context: &Context) -> Val = isl_val_negone;
    /// Not a number.
    pub fn nan(context: &Context) -> Val = isl_val_nan;
    /// Infinity.
    pub fn infty(context: &Context) -> Val = isl_val_infty;
    /// Minus infinity.
    pub fn neginfty(context: &Context) -> Val = isl_val_neginfty;
    /// An integer.
    pub fn int_from_si(context: &Context, value: i64) -> Val = isl_val_int_from_si;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> Val = isl_val_read_from_str;
}

methods! { Val;
    /// The numerator, if it fits.
    pub fn get_num_si() -> i64 = isl_val_get_num_si;
    /// The denominator, if it fits.
    pub fn get_den_si() -> i64 = isl_val_get_den_si;
    /// The denominator.
    pub fn get_den_val() -> Val = isl_val_get_den_val;
    /// The absolute value.
    pub fn abs() -> Val = isl_val_abs;
    /// The negation.
    pub fn neg() -> Val = isl_val_neg;
    /// The inverse.
    pub fn inv() -> Val = isl_val_inv;
    /// Rounded down.
    pub fn floor() -> Val = isl_val_floor;
    /// Rounded up.
    pub fn ceil() -> Val = isl_val_ceil;
    /// Rounded towards zero.
    pub fn trunc() -> Val = isl_val_trunc;
    /// 2 to its power.
    pub fn pow2() -> Val = isl_val_pow2;
    /// The lesser.
    pub fn min(other: &Val) -> Val = isl_val_min;
    /// The greater.
    pub fn max(other: &Val) -> Val = isl_val_max;
    /// The sum.
    pub fn add(other: &Val) -> Val = isl_val_add;
    /// The difference.
    pub fn sub(other: &Val) -> Val = isl_val_sub;
    /// The product.
    pub fn mul(other: &Val) -> Val = isl_val_mul;
    /// The quotient.
    pub fn div(other: &Val) -> Val = isl_val_div;
    /// The greatest common divisor.
    pub fn gcd(other: &Val) -> Val = isl_val_gcd;
    /// The sign: -1, 0 or 1.
    pub fn sgn() -> i32 = isl_val_sgn;
    /// Less than, equal to or greater than 0 as it is less than, equal to or greater than a number.
    pub fn cmp_si(value: i64) -> i32 = isl_val_cmp_si;
    /// Whether it is 0.
    pub fn is_zero() -> bool = isl_val_is_zero;
    /// Whether it is 1.
    pub fn is_one() -> bool = isl_val_is_one;
    /// Whether it is -1.
    pub fn is_negone() -> bool = isl_val_is_negone;
    /// Whether it is at least 0.
    pub fn is_nonneg() -> bool = isl_val_is_nonneg;
    /// Whether it is at most 0.
    pub fn is_nonpos() -> bool = isl_val_is_nonpos;
    /// Whether it is greater than 0.
    pub fn is_pos() -> bool = isl_val_is_pos;
    /// Whether it is less than 0.
    pub fn is_neg() -> bool = isl_val_is_neg;
    /// Whether it is an integer.
    pub fn is_int() -> bool = isl_val_is_int;
    /// Whether it is a rational number.
    pub fn is_rat() -> bool = isl_val_is_rat;
    /// Whether it is not a number.
    pub fn is_nan() -> bool = isl_val_is_nan;
    /// Whether it is infinity.
    pub fn is_infty() -> bool = isl_val_is_infty;
    /// Whether it is minus infinity.
    pub fn is_neginfty() -> bool = isl_val_is_neginfty;
    /// Whether this one is less.
    pub fn lt(other: &Val) -> bool = isl_val_lt;
    /// Whether this one is less or equal.
    pub fn le(other: &Val) -> bool = isl_val_le;
    /// Whether this one is greater.
    pub fn gt(other: &Val) -> bool = isl_val_gt;
    /// Whether this one is greater or equal.
    pub fn ge(other: &Val) -> bool = isl_val_ge;
    /// Whether both are equal.
    pub fn eq(other: &Val) -> bool = isl_val_eq;
    /// Whether they differ.
    pub fn ne(other: &Val) -> bool = isl_val_ne;
    /// Whether the other divides it.
    pub fn is_divisible_by(other: &Val) -> bool = isl_val_is_divisible_by;
}

methods! { Id;
    /// Its name.
    pub fn get_name() -> Option<String> = isl_id_get_name;
}

constructors! { Point;
    /// The origin.
    pub fn zero(space: &Space) -> Point = isl_point_zero;
}

methods! { Point;
    /// Its space.
    pub fn get_space() -> Space = isl_point_get_space;
    /// A coordinate.
    pub fn get_coordinate_val(kind: Dim, pos: usize) -> Val = isl_point_get_coordinate_val;
    /// With another coordinate.
    pub fn set_coordinate_val(kind: Dim, pos: usize, value: &Val) -> Point = isl_point_set_coordinate_val;
    /// All coordinates.
    pub fn get_multi_val() -> MultiVal = isl_point_get_multi_val;
    /// Whether it is no point at all.
    pub fn is_void() -> bool = isl_point_is_void;
}
