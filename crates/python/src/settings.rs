//! What the user may choose, for all functions of the process.

use frit_driver::Options;
use frit_driver::machine::{self, Target};
use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// How many threads a call may use; 0 for as many as there are processors.
static THREADS: AtomicUsize = AtomicUsize::new(0);
static STRICT_FP: AtomicBool = AtomicBool::new(false);
/// This process is a fork of one that had loaded the module.
static IS_FORK: AtomicBool = AtomicBool::new(false);

/// Sets the number of threads, 0 for all, and whether results are those of the program as written, bit for bit.
#[pyfunction]
pub(crate) fn configure(threads: usize, strict_fp: bool) {
    THREADS.store(threads, Relaxed);
    STRICT_FP.store(strict_fp, Relaxed);
}

/// Notes that this process is a fork: the threads of the library for them stayed behind, and it would wait for them for ever.
#[pyfunction]
pub(crate) fn after_fork() {
    IS_FORK.store(true, Relaxed);
}

/// The options that programs are compiled with.
pub(crate) fn options() -> Options {
    static DEFAULT: OnceLock<Options> = OnceLock::new();
    let default = DEFAULT.get_or_init(|| {
        let machine = machine::known().map(|known| known.machine).unwrap_or_default();
        Options { target: Target::of(&machine), interruptible: true, ..Options::default() }
    });
    Options { strict_fp: is_strict(), ..default.clone() }
}

/// Programs are compiled to give the results of the program as written.
pub(crate) fn is_strict() -> bool {
    STRICT_FP.load(Relaxed)
}

/// How many threads a call runs on.
pub(crate) fn threads() -> usize {
    static ALL: OnceLock<usize> = OnceLock::new();
    match THREADS.load(Relaxed) {
        _ if IS_FORK.load(Relaxed) => 1,
        0 => *ALL.get_or_init(|| Options::default().threads),
        threads => threads,
    }
}
