//! The C functions of isl that are used, and the marks of who owns what.
//!
//! Each declaration is that of isl's headers, with isl's marks as types: [`Take`] is `__isl_take`, [`Keep`] is
//! `__isl_keep`, [`Give`] is `__isl_give`. Nothing here is safe, and nothing here is public; `object` makes it so.

macro_rules! declare {
    ($($name:ident($($arg:ty),*) $(-> $out:ty)?;)*) => {
        unsafe extern "C" { $(pub(crate) fn $name($(_: $arg),*) $(-> $out)?;)* }
    };
}

mod functions;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;

pub(crate) use functions::*;

/// A context of isl's.
#[repr(C)]
pub(crate) struct Ctx {
    _opaque: [u8; 0],
    _single_threaded: PhantomData<*mut c_void>,
}

/// An operand that whoever is called frees, also on failure: isl, or we when isl calls back.
#[repr(transparent)]
pub(crate) struct Take<T>(pub(crate) *mut c_void, pub(crate) PhantomData<*const T>);

/// An operand that stays the caller's.
#[repr(transparent)]
pub(crate) struct Keep<T>(pub(crate) *mut c_void, pub(crate) PhantomData<*const T>);

/// A result that belongs to the caller; null on failure.
#[repr(transparent)]
pub(crate) struct Give<T>(pub(crate) *mut c_void, PhantomData<*const T>);

/// `isl_bool`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Bool(pub(crate) c_int);

/// `isl_size`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Size(pub(crate) c_int);

/// `isl_stat`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Stat(pub(crate) c_int);

/// `enum isl_dim_type`.
#[repr(transparent)]
pub(crate) struct DimType(pub(crate) c_uint);

/// A text that stays isl's; null if there is none, or on failure.
#[repr(transparent)]
pub(crate) struct KeepText(pub(crate) *const c_char);

/// A text that is ours, to be given to C's `free`; null on failure.
#[repr(transparent)]
pub(crate) struct GiveText(pub(crate) *mut c_char);
