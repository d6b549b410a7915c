//! The rules of ownership, once for all types: what is given to isl, what comes back, who frees it.
//!
//! `sys` declares each C function with isl's own marks: `Take` for an operand that isl frees, `Keep` for one that stays
//! ours, `Give` for a result that is ours. The traits here say how a Rust value is passed where such a mark stands
//! ([`Pass`]) and how one is made of what comes back ([`Output`]), so a method is no more than its name, its types and the
//! C function: see [`methods!`] and [`constructors!`]. This module knows no operation. Read `sys` next.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::context::{Context, Error, Result};
use crate::space::Dim;
use crate::sys::{self, Bool, DimType, Give, GiveText, Keep, KeepText, Size, Stat, Take};

/// What belongs to a context: the context itself and every object.
pub(crate) trait HasContext {
    fn context(&self) -> &Context;
}

/// A counted reference to an object of isl.
pub(crate) trait Object: HasContext + Sized {
    /// Makes an object of a reference that is ours.
    fn from_raw(raw: NonNull<c_void>, context: Context) -> Self;
    /// The reference; it stays ours.
    fn raw(&self) -> *mut c_void;
    /// A further reference, for whoever takes it.
    fn copy(&self) -> *mut c_void;
}

/// An argument of a method.
pub(crate) trait Argument {
    /// What is held while isl runs.
    type Held;
    /// Checks the argument for a call in `context`.
    fn hold(self, context: &Context) -> Result<Self::Held>;
}

impl<T: Object> Argument for &T {
    type Held = Self;
    fn hold(self, context: &Context) -> Result<Self> {
        // isl does not check that, and would count references in the wrong place.
        if self.context().is_same(context) { Ok(self) } else { Err(Error::invalid("operands of different contexts")) }
    }
}

impl Argument for &str {
    type Held = CString;
    fn hold(self, _: &Context) -> Result<CString> {
        CString::new(self).map_err(|_| Error::invalid("a text with a zero byte"))
    }
}

macro_rules! plain_arguments {
    ($($type:ty)*) => { $(
        impl Argument for $type {
            type Held = Self;
            fn hold(self, _: &Context) -> Result<Self> {
                Ok(self)
            }
        }
    )* };
}
plain_arguments! { i32 i64 bool Dim }

/// A position, or a number of dimensions.
impl Argument for usize {
    type Held = Self;
    fn hold(self, _: &Context) -> Result<usize> {
        /// isl multiplies numbers of dimensions in C's `unsigned` without looking.
        const MAX: usize = 1 << 16;
        if self <= MAX { Ok(self) } else { Err(Error::invalid(format!("{self} is no position of a dimension"))) }
    }
}

/// How a value is passed where C expects a `C`.
pub(crate) trait Pass<C> {
    fn pass(&self) -> C;
}

impl<T: Object> Pass<Take<T>> for &T {
    fn pass(&self) -> Take<T> {
        Take(self.copy(), PhantomData)
    }
}

impl<T: Object> Pass<Keep<T>> for &T {
    fn pass(&self) -> Keep<T> {
        Keep(self.raw(), PhantomData)
    }
}

impl Pass<*mut sys::Ctx> for &Context {
    fn pass(&self) -> *mut sys::Ctx {
        self.raw()
    }
}

impl Pass<*const c_char> for CString {
    fn pass(&self) -> *const c_char {
        self.as_ptr()
    }
}

impl Pass<DimType> for Dim {
    fn pass(&self) -> DimType {
        (*self).into()
    }
}

impl Pass<c_uint> for usize {
    fn pass(&self) -> c_uint {
        c_uint::try_from(*self).expect("a position that was held")
    }
}

impl Pass<c_int> for usize {
    fn pass(&self) -> c_int {
        c_int::try_from(*self).expect("a position that was held")
    }
}

impl Pass<c_int> for i32 {
    fn pass(&self) -> c_int {
        *self
    }
}

impl Pass<c_long> for i64 {
    fn pass(&self) -> c_long {
        *self
    }
}

impl Pass<c_int> for bool {
    fn pass(&self) -> c_int {
        c_int::from(*self)
    }
}

/// How a result is made of a `C` that isl returned.
pub(crate) trait Output<C>: Sized {
    fn output(raw: C, context: &Context) -> Result<Self>;
}

impl<T: Object> Output<Give<T>> for T {
    fn output(raw: Give<T>, context: &Context) -> Result<T> {
        match NonNull::new(raw.0) {
            Some(raw) => Ok(T::from_raw(raw, context.clone())),
            None => Err(context.failure()),
        }
    }
}

impl Output<Bool> for bool {
    fn output(raw: Bool, context: &Context) -> Result<bool> {
        if raw.0 < 0 { Err(context.failure()) } else { Ok(raw.0 != 0) }
    }
}

/// Some questions are answered by a plain `int`, with isl's values of a boolean.
impl Output<c_int> for bool {
    fn output(raw: c_int, context: &Context) -> Result<bool> {
        bool::output(Bool(raw), context)
    }
}

impl Output<Size> for usize {
    fn output(raw: Size, context: &Context) -> Result<usize> {
        usize::try_from(raw.0).map_err(|_| context.failure())
    }
}

/// A position, or -1 if there is none.
impl Output<c_int> for Option<usize> {
    fn output(raw: c_int, context: &Context) -> Result<Option<usize>> {
        context.last_error().map_or(Ok(usize::try_from(raw).ok()), Err)
    }
}

impl Output<c_int> for i32 {
    fn output(raw: c_int, context: &Context) -> Result<i32> {
        context.last_error().map_or(Ok(raw), Err)
    }
}

impl Output<c_long> for i64 {
    fn output(raw: c_long, context: &Context) -> Result<i64> {
        context.last_error().map_or(Ok(raw), Err)
    }
}

impl Output<Stat> for () {
    fn output(raw: Stat, context: &Context) -> Result<()> {
        if raw.0 < 0 { Err(context.failure()) } else { Ok(()) }
    }
}

impl Output<KeepText> for Option<String> {
    fn output(raw: KeepText, context: &Context) -> Result<Option<String>> {
        if raw.0.is_null() {
            return context.last_error().map_or(Ok(None), Err);
        }
        // SAFETY: a text of isl's, valid as long as its object, which the caller holds.
        Ok(Some(unsafe { CStr::from_ptr(raw.0) }.to_string_lossy().into_owned()))
    }
}

impl Output<GiveText> for String {
    fn output(raw: GiveText, context: &Context) -> Result<String> {
        if raw.0.is_null() {
            return Err(context.failure());
        }
        // SAFETY: a text made for us by C's allocator, freed by it after the copy.
        unsafe {
            let text = CStr::from_ptr(raw.0).to_string_lossy().into_owned();
            sys::free(raw.0.cast());
            Ok(text)
        }
    }
}

/// A function of isl's that calls back with each `E` in a `T`.
pub(crate) type ForEach<T, E> =
    unsafe extern "C" fn(Keep<T>, unsafe extern "C" fn(Take<E>, *mut c_void) -> Stat, *mut c_void) -> Stat;

/// Everything that `for_each` calls back with.
pub(crate) fn collect<T: Object, E: Object>(object: &T, for_each: ForEach<T, E>) -> Result<Vec<E>> {
    unsafe extern "C" fn push<E: Object>(element: Take<E>, found: *mut c_void) -> Stat {
        // SAFETY: `found` points to the one below, which nobody else uses while isl runs.
        unsafe { &mut *found.cast::<Found<E>>() }.push(|context| element.object(context))
    }
    Found::fill(object, |object, found| unsafe { for_each(object, push::<E>, found) })
}

/// A function of isl's that calls back with each pair of an `A` and a `B` in a `T`.
pub(crate) type ForEachPair<T, A, B> =
    unsafe extern "C" fn(Keep<T>, unsafe extern "C" fn(Take<A>, Take<B>, *mut c_void) -> Stat, *mut c_void) -> Stat;

/// Every pair that `for_each` calls back with.
pub(crate) fn collect_pairs<T: Object, A: Object, B: Object>(
    object: &T,
    for_each: ForEachPair<T, A, B>,
) -> Result<Vec<(A, B)>> {
    unsafe extern "C" fn push<A: Object, B: Object>(first: Take<A>, second: Take<B>, found: *mut c_void) -> Stat {
        // SAFETY: as in `collect`. Both are ours before either is looked at, so neither is lost.
        unsafe { &mut *found.cast::<Found<(A, B)>>() }.push(|context| {
            let (first, second) = (first.object(context), second.object(context));
            Some((first?, second?))
        })
    }
    Found::fill(object, |object, found| unsafe { for_each(object, push::<A, B>, found) })
}

/// What isl has called back with so far.
struct Found<E> {
    context: Context,
    elements: Vec<E>,
}

impl<E> Found<E> {
    fn fill<T: Object>(object: &T, for_each: impl FnOnce(Keep<T>, *mut c_void) -> Stat) -> Result<Vec<E>> {
        let mut found = Found { context: object.context().clone(), elements: Vec::new() };
        let user: *mut Found<E> = &mut found;
        let () = object.context().call(|| for_each(Pass::pass(&object), user.cast()))?;
        Ok(found.elements)
    }

    /// Adds an element; where isl failed to make one, it knows why.
    fn push(&mut self, element: impl FnOnce(&Context) -> Option<E>) -> Stat {
        match element(&self.context) {
            Some(element) => {
                self.elements.push(element);
                Stat(0)
            }
            None => Stat(-1),
        }
    }
}

impl<T: Object> Take<T> {
    /// In a call back: what we are given, if isl did not fail to make it.
    pub(crate) fn object(self, context: &Context) -> Option<T> {
        NonNull::new(self.0).map(|raw| T::from_raw(raw, context.clone()))
    }
}

/// Declares types of objects: name, C function that copies, C function that frees, and the one that prints, if any.
macro_rules! objects {
    ($($(#[$doc:meta])* $visibility:vis struct $type:ident = $copy:ident, $free:ident $(, $print:ident)?;)*) => { $(
        $(#[$doc])*
        $visibility struct $type {
            raw: std::ptr::NonNull<std::ffi::c_void>,
            context: crate::context::Context,
        }

        impl crate::object::HasContext for $type {
            fn context(&self) -> &crate::context::Context {
                &self.context
            }
        }

        impl crate::object::Object for $type {
            fn from_raw(raw: std::ptr::NonNull<std::ffi::c_void>, context: crate::context::Context) -> Self {
                $type { raw, context }
            }

            fn raw(&self) -> *mut std::ffi::c_void {
                self.raw.as_ptr()
            }

            fn copy(&self) -> *mut std::ffi::c_void {
                unsafe { crate::sys::$copy(crate::sys::Keep(self.raw.as_ptr(), std::marker::PhantomData)) }.0
            }
        }

        impl $type {
            /// The context it belongs to.
            #[allow(dead_code, reason = "types that are not public have it as well")]
            $visibility fn context(&self) -> &crate::context::Context {
                &self.context
            }
        }

        impl Clone for $type {
            fn clone(&self) -> Self {
                let raw = std::ptr::NonNull::new(crate::object::Object::copy(self)).expect("memory for a copy");
                $type { raw, context: self.context.clone() }
            }
        }

        impl Drop for $type {
            fn drop(&mut self) {
                // SAFETY: the reference is ours, and this is its end.
                unsafe { crate::sys::$free(crate::sys::Take(self.raw.as_ptr(), std::marker::PhantomData)) };
            }
        }

        $(objects! { @print $type $print })?
    )* };
    (@print $type:ident $print:ident) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text: crate::context::Result<String> = self.context.call(|| unsafe { crate::sys::$print(crate::object::Pass::pass(&self)) });
                match text {
                    Ok(text) => f.write_str(str::trim_end(&text)),
                    // Printing may use up the operations that are left.
                    Err(error) => write!(f, "<{error}>"),
                }
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Checks that there are `n` parameters or dimensions of a tuple from `first` on.
pub(crate) fn check_range(kind: Dim, dim: usize, first: usize, n: usize) -> Result<()> {
    let is_visible = match kind {
        Dim::Param | Dim::In | Dim::Out | Dim::Set => true,
        Dim::Cst | Dim::Div => false,
    };
    if is_visible && first.checked_add(n).is_some_and(|end| end <= dim) {
        return Ok(());
    }
    Err(Error::invalid(format!("{n} dimensions of kind {kind:?} from {first} on, where there are {dim}")))
}

/// Methods that are one call of isl: `pub fn name(arguments) -> result = c_function;`.
///
/// `where kind[first; n]` checks that there are `n` parameters or dimensions of a tuple from `first` on: isl leaves that
/// to its callers.
/// They are inlined, so that of the many there are only those cost time to compile that are used.
macro_rules! methods {
    ($type:ident; $($(#[$doc:meta])*
        $visibility:vis fn $name:ident($($arg:ident: $kind:ty),*) -> $out:ty
        $(where $($of:ident[$first:ident; $n:expr]),+)? = $c:ident;)*) => {
        impl $type { $(
            $(#[$doc])*
            #[inline]
            $visibility fn $name(&self $(, $arg: $kind)*) -> crate::context::Result<$out> {
                $($(crate::object::check_range($of, self.dim($of)?, $first, $n)?;)+)?
                let context = crate::object::HasContext::context(self);
                $(let $arg = crate::object::Argument::hold($arg, context)?;)*
                // SAFETY: `sys` declares who owns what, and `Pass` keeps to it.
                context.call(|| unsafe {
                    crate::sys::$c(crate::object::Pass::pass(&self) $(, crate::object::Pass::pass(&$arg))*)
                })
            }
        )* }
    };
}

/// As [`methods!`], for functions without a `self`; the first argument says in which context.
macro_rules! constructors {
    ($type:ident; $($(#[$doc:meta])*
        $visibility:vis fn $name:ident($first:ident: $from:ty $(, $arg:ident: $kind:ty)*) -> $out:ty = $c:ident;)*) => {
        impl $type { $(
            $(#[$doc])*
            #[inline]
            $visibility fn $name($first: $from $(, $arg: $kind)*) -> crate::context::Result<$out> {
                let context = crate::object::HasContext::context($first);
                $(let $arg = crate::object::Argument::hold($arg, context)?;)*
                // SAFETY: as for methods.
                context.call(|| unsafe {
                    crate::sys::$c(crate::object::Pass::pass(&$first) $(, crate::object::Pass::pass(&$arg))*)
                })
            }
        )* }
    };
}

/// Methods that return everything isl calls back with: `pub fn name() -> element = c_function;`.
macro_rules! lists {
    ($type:ident; $($(#[$doc:meta])* $visibility:vis fn $name:ident() -> $element:ty = $c:ident;)*) => {
        impl $type { $(
            $(#[$doc])*
            #[inline]
            $visibility fn $name(&self) -> crate::context::Result<Vec<$element>> {
                crate::object::collect(self, crate::sys::$c)
            }
        )* }
    };
}
