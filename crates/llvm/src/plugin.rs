//! The doors for `opt` and `clang`: what a pass plugin exports, and the one function that the C++ side calls.

use crate::dependence::Answers;
use crate::ir::Func;
use crate::options::Options;
use crate::pass;
use crate::report::{self, Report};
use crate::sys::{self, Emitter, PassBuilder};
use llvm_sys::prelude::LLVMValueRef;
use std::ffi::{CStr, c_char};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What LLVM reads of a pass plugin: `llvm::PassPluginLibraryInfo`.
#[repr(C)]
#[allow(missing_docs)]
pub(crate) struct PassPluginLibraryInfo {
    pub(crate) api_version: u32,
    pub(crate) name: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) register_callbacks: unsafe extern "C" fn(*mut PassBuilderOfLlvm),
}

/// LLVM's pass builder, seen from outside.
#[repr(C)]
pub(crate) struct PassBuilderOfLlvm([u8; 0]);

/// The version of the interface of LLVM 19.
const API_VERSION: u32 = 1;

/// The plugin's entry: LLVM finds it by name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    unsafe extern "C" fn register(builder: *mut PassBuilderOfLlvm) {
        // SAFETY: LLVM gives its pass builder.
        unsafe { sys::frit_register_callbacks(builder.cast::<PassBuilder>()) }
    }
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"frit-loop-fusion".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register_callbacks: register,
    }
}

/// Options of the process, and what was decided so far for the log.
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) reports: Vec<Report>,
    pub(crate) time: Duration,
    /// What the dependence test was asked before, in other functions too.
    pub(crate) answers: Answers,
}

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// The session, for as long as `use_it` runs.
pub(crate) fn with_session<T>(use_it: impl FnOnce(&mut Session) -> T) -> T {
    let mut session = SESSION.lock().unwrap_or_else(|broken| broken.into_inner());
    let new = || Session {
        options: Options::default(),
        reports: Vec::new(),
        time: Duration::ZERO,
        answers: Answers::default(),
    };
    use_it(session.get_or_insert_with(new))
}

/// Sets an option of the plugin. A wrong one ends the compiler with a message, as LLVM's own do.
///
/// # Safety
///
/// Both are strings of C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn frit_set_option(name: *const c_char, value: *const c_char) {
    let text = |pointer: *const c_char| unsafe { CStr::from_ptr(pointer).to_string_lossy().into_owned() };
    if let Err(message) = with_session(|session| session.options.set(&text(name), &text(value))) {
        eprintln!("frit-loop-fusion: {message}");
        std::process::exit(1);
    }
}

/// Runs the pass on a function. True if it was changed.
///
/// # Safety
///
/// `function` is a function with a body; `emitter` is null or that of the function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn frit_fuse_function(function: LLVMValueRef, emitter: *mut EmitterOfLlvm) -> bool {
    let func = Func(function);
    let fused = std::panic::catch_unwind(|| with_session(|session| fuse_function(session, func, emitter.cast())));
    fused.unwrap_or_else(|_| {
        // The function may be half rewritten: there is nothing to go on with.
        eprintln!(
            "frit-loop-fusion: this is a bug of Frit's, in the function `{}`; `-mllvm -frit-fuse-limit=N` with a small N goes \
             round it and shows which fusion it is",
            func.name()
        );
        std::process::exit(1)
    })
}

/// LLVM's remark emitter, seen from outside.
#[repr(C)]
pub(crate) struct EmitterOfLlvm([u8; 0]);

/// Runs the pass on a function, and keeps what it decided.
pub(crate) fn fuse_function(session: &mut Session, func: Func, emitter: *mut Emitter) -> bool {
    let start = Instant::now();
    let mut report = Report::new(func);
    let changed = pass::run(func, &session.options, emitter, &mut report, &mut session.answers);
    let time = start.elapsed();
    session.time += time;
    if session.options.verbose {
        eprintln!("FUSED {} {}", report.function, report.fusions);
        eprintln!("frit-loop-fusion: {} took {:.3} ms", report.function, time.as_secs_f64() * 1e3);
    }
    if let Some(limit) = &mut session.options.limit {
        *limit -= report.fusions.min(*limit);
    }
    session.reports.push(report);
    if let Some(path) = &session.options.log
        && let Err(error) = std::fs::write(path, format!("{}\n", report::log(&session.reports)))
    {
        eprintln!("frit-loop-fusion: {path}: {error}");
    }
    changed
}
