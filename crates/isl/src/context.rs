//! Contexts and errors: who owns the memory, how much work operations may do, and what went wrong.
//!
//! A context knows nothing of the objects made from it; they hold it alive. Read `object` next.

use std::cell::Cell;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_int, c_ulong};
use std::ptr::NonNull;
use std::rc::Rc;

use crate::object::{HasContext, Output};
use crate::sys;

/// What an operation yields.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The operation was stopped by `isl_ctx_abort`.
    Abort,
    /// No memory is left.
    Alloc,
    /// isl did not say.
    Unknown,
    /// An invariant of isl does not hold.
    Internal,
    /// The operands do not fit the operation or each other, or a text has no meaning.
    Invalid,
    /// The context's number of operations is used up: see [`Context::set_max_operations`].
    Quota,
    /// isl cannot do that.
    Unsupported,
}

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Invalid, message: message.into() }
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the context's number of operations was used up.
    pub fn is_quota(&self) -> bool {
        self.kind == ErrorKind::Quota
    }

    /// What isl says about it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Quota => f.write_str("exact analysis takes too many steps"),
            _ => write!(f, "isl: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The number of calls of isl that this thread has made. It is the same on every machine, for tests of how work grows.
pub fn calls() -> u64 {
    CALLS.get()
}

/// What all objects of one computation belong to.
///
/// A clone is the same context. It lives as long as any of its objects, and stays on one thread.
#[derive(Clone)]
pub struct Context(Rc<Owner>);

struct Owner(NonNull<sys::Ctx>);

/// `ISL_ON_ERROR_WARN`: errors are printed.
const ON_ERROR_WARN: c_int = 0;
/// `ISL_ON_ERROR_CONTINUE`: errors are results, and print nothing.
const ON_ERROR_CONTINUE: c_int = 1;

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: every object holds an `Rc` of this owner, so none is left. Where one is after all (isl itself loses some
        // that do not fit where they are used), isl keeps the context and says so on standard error.
        unsafe {
            sys::isl_options_set_on_error(self.0.as_ptr(), ON_ERROR_WARN);
            sys::isl_ctx_free(self.0.as_ptr());
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context")
    }
}

impl HasContext for Context {
    fn context(&self) -> &Context {
        self
    }
}

impl Context {
    /// A context without a bound on operations.
    pub fn new() -> Context {
        // SAFETY: the pointer is checked before use, and owned from here on.
        unsafe {
            let raw = NonNull::new(sys::isl_ctx_alloc()).expect("memory for an isl context");
            sys::isl_options_set_on_error(raw.as_ptr(), ON_ERROR_CONTINUE);
            Context(Rc::new(Owner(raw)))
        }
    }

    pub(crate) fn raw(&self) -> *mut sys::Ctx {
        self.0.0.as_ptr()
    }

    /// Whether both are one context.
    pub fn is_same(&self, other: &Context) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Operations fail with an error of kind [`ErrorKind::Quota`] once `max` elementary steps were made since the last
    /// [`Context::reset_operations`]; 0 for no bound.
    pub fn set_max_operations(&self, max: u64) {
        // A bound that C's type cannot hold is as good as none.
        unsafe { sys::isl_ctx_set_max_operations(self.raw(), c_ulong::try_from(max).unwrap_or(0)) }
    }

    /// The bound on elementary steps; 0 for none.
    pub fn max_operations(&self) -> u64 {
        unsafe { sys::isl_ctx_get_max_operations(self.raw()) as u64 }
    }

    /// Counts elementary steps from 0 again.
    pub fn reset_operations(&self) {
        unsafe { sys::isl_ctx_reset_operations(self.raw()) }
    }

    /// What `work` yields when it may make `max` elementary steps; afterwards the bound is as it was, and counting begins
    /// anew.
    pub fn bounded<T>(&self, max: u64, work: impl FnOnce() -> T) -> T {
        struct Restore<'a>(&'a Context, u64);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.set_max_operations(self.1);
                self.0.reset_operations();
            }
        }
        let _restore = Restore(self, self.max_operations());
        self.set_max_operations(max);
        self.reset_operations();
        work()
    }

    /// The result of one call of isl: every method of every object goes through here.
    pub(crate) fn call<C, T: Output<C>>(&self, call: impl FnOnce() -> C) -> Result<T> {
        CALLS.set(CALLS.get() + 1);
        // An error that isl met and overcame in an earlier call must not be taken for this one's.
        unsafe { sys::isl_ctx_reset_error(self.raw()) };
        T::output(call(), self)
    }

    /// The error of the last call, if there was one.
    pub(crate) fn last_error(&self) -> Option<Error> {
        // SAFETY: isl's messages are constants.
        let (kind, message) = unsafe {
            let message = sys::isl_ctx_last_error_msg(self.raw()).0;
            let message = (!message.is_null()).then(|| CStr::from_ptr(message).to_string_lossy().into_owned());
            (sys::isl_ctx_last_error(self.raw()), message)
        };
        let kind = match kind {
            0 => return None,
            1 => ErrorKind::Abort,
            2 => ErrorKind::Alloc,
            4 => ErrorKind::Internal,
            5 => ErrorKind::Invalid,
            6 => ErrorKind::Quota,
            7 => ErrorKind::Unsupported,
            _ => ErrorKind::Unknown,
        };
        unsafe { sys::isl_ctx_reset_error(self.raw()) };
        Some(Error { kind, message: message.unwrap_or_else(|| "failed without a message".to_string()) })
    }

    /// The error of the last call, which is known to have failed.
    pub(crate) fn failure(&self) -> Error {
        self.last_error()
            .unwrap_or_else(|| Error { kind: ErrorKind::Unknown, message: "failed without a message".to_string() })
    }
}

methods! { Context;
    /// Whether the upper bound of a loop is one expression, not a conjunction of several.
    pub fn set_ast_build_atomic_upper_bound(on: bool) -> () = isl_options_set_ast_build_atomic_upper_bound;
    /// Whether minima and maxima are looked for in conditional expressions.
    pub fn set_ast_build_detect_min_max(on: bool) -> () = isl_options_set_ast_build_detect_min_max;
}
