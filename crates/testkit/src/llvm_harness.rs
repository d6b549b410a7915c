//! Fuses functions of LLVM IR and runs them before and after, in a child process, on memory at random.
//!
//! A file of `tests/llvm` is LLVM IR (`.ll`) or C (`.c`). Its first comments, `;` or `//`, say what is to become of its functions and how to call
//! them; lines that begin with none of these words and a colon are prose:
//!
//! - `fuse: f 2, g 0`: the number of fusions. A function without any is to come out as it went in. Under the default options there may be fewer, if the log says that
//!   something does not pay;
//! - `always: f 3`: the number under `-frit-fuse=always`, where it is another than under the default options;
//! - `cooked: f 1`: the number after clang's own optimisations (C only), where it is another, whatever the options;
//! - `forwarded: f 2`, `removed: g 1`: the number of loads that take what was stored from a register, and of allocations that are gone, where the function has as
//!   many fusions as it is to have;
//! - `refuse: f backward-dependence`: the code of a decision about `f` in the log, under the default options; one of several, as in `f code-between|preheader-code`;
//! - `run: f a=f64[n+1] b=i32[n]:0..9 n=0..20 m=n..n+2 alias=any`: how to call `f`. Without this line there is no call.
//!
//! A call's arguments are told by the names that parameters have in the signature:
//!
//! - `a=f64[COUNT]`: a pointer to so many elements of `i8` to `i64`, `f32` or `f64`. Integers come from `-100..100`, or from what a `:LOW..HIGH` says. The
//!   page behind the last element, or before the first, cannot be accessed;
//! - `n=LOW..HIGH`: an integer, both included. Other integers come from `-100..100`, floating-point numbers from everywhere. Bounds and counts are C expressions
//!   in integers to the left. In a third of the runs, parameters of equal ranges have equal values;
//! - `buffers=f64[64]`: pointers that are not named;
//! - `alias=any` or `alias=a,b`: these pointers may overlap in every way, the others do not;
//! - `runs=200`: how many calls, where the usual number does not suit.
//!
//! Arrays of numbers that are global variables are filled and compared as well, if they can be seen from outside. Functions may call
//! what the driver program offers (see `driver.c`): `observe(i64)`, `observe_memory()`, `pure(double)`, `pure_integer(i64)`, `peek(ptr)`, `poke(ptr, double)`,
//! `leave_if(i64)`; the events that these record are part of what is compared.

mod driver;
mod header;
mod module;
mod tools;

pub use driver::driver;
pub use header::{Call, Elem, Header, Pointer};
pub use module::{Function, Global, Module};
pub use tools::{Cooking, Fused, build_shared, compile, frit_llvm, fuse, plugin, run, verify};

use crate::place::project;
use std::path::{Path, PathBuf};

/// The files of `tests/llvm`, in order; those whose path contains the value of `LLVM_ONLY`, if that is set.
pub fn files() -> Vec<PathBuf> {
    let root = project().join("tests/llvm");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.retain(|path| !path.starts_with(root.join("robust")));
    paths.sort();
    let Some(only) = only() else { return paths };
    let only = only.trim_start_matches("./").to_string();
    paths.retain(|path| path.to_string_lossy().contains(&only));
    assert!(!paths.is_empty(), "no file has `{only}` in its path");
    paths
}

/// The files of `tests/llvm/robust`, which have no headers: what is to be seen there is that nothing breaks.
pub fn robust_files() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect(&project().join("tests/llvm/robust"), &mut paths);
    paths.sort();
    paths
}

/// What `LLVM_ONLY` says: tests of the whole corpus make no claims of numbers then.
pub fn only() -> Option<String> {
    std::env::var("LLVM_ONLY").ok().filter(|only| !only.is_empty())
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "ll" || extension == "c") {
            paths.push(path);
        }
    }
}
