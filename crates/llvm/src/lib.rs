//! Loop fusion on LLVM IR: the third level of Frit, for loops that another compiler has lowered.
//!
//! The pass implements what the documentation of LLVM's LoopFuse describes (\[LLVM\] in `docs/references.bib`), without the
//! limitations listed there. From a function to fused loops:
//!
//! - `facts`: LLVM's analyses, through the C++ shim; `ir`: functions, blocks, instructions;
//! - `canonical`: loops in the form that fusion needs, where a fusion comes of it;
//! - `region`, `candidate`, `access`: what may be fused, and what lies between;
//! - `forms`, `dependence`: addresses as polynomials, and the exact test on integer sets;
//! - `planning`, `profit`, `refusal`: which loops become one;
//! - `prepare`, `weave`, `strand`, `tidy`: the rewriting;
//! - `unfold`: loops behind a branch between loops;
//! - `contraction`: what need not go through memory any more;
//! - `pass`: all of it in order; `report`: what was decided.
//!
//! The library is the plugin for `opt` and `clang`; the command `frit-llvm` runs the same pass on a file. Read `pass` next.

mod access;
mod candidate;
mod canonical;
mod contraction;
mod dependence;
mod facts;
mod forms;
mod ir;
mod options;
mod pass;
mod planning;
mod plugin;
mod prepare;
mod profit;
mod refusal;
mod region;
mod report;
mod strand;
mod sys;
mod tidy;
mod unfold;
mod weave;

pub mod command;

pub use options::{Analysis, Fuse, Options};
