//! Frit as a library: from a source file to results, objects, dumps and timings. The only crate that sees all others.
//!
//! [`load`] checks a file; [`compile`](compile()) makes it ready to run; [`recall()`] finds it if both were
//! done before; [`run`] compiles and runs it; [`dump`] shows it at a
//! [step](steps) of the pipeline; [`build`](build()) makes files; [`mod@bench`] measures. What can go wrong is an [`Error`]: messages
//! with places and the exit code that goes with them. Read [`pipeline`] next.
//!
//! ```
//! use frit_driver::{Options, load_l0, run};
//!
//! let unit = load_l0("sum.l0", "fun int main([int] a) = reduce(op +, 0, a)")?;
//! let arguments = frit_driver::arguments::from_text(&unit, "input", "[1, 2, 3]")?;
//! let outcome = run(&unit, arguments, &Options::default())?;
//! assert_eq!(unit.text(&outcome.results), "6\n");
//! # Ok::<(), frit_driver::Error>(())
//! ```

pub mod arguments;
pub mod bench;
mod build;
pub mod c_loops;
mod compile;
mod csv;
pub mod error;
mod executable;
pub mod explain;
pub mod files;
pub mod graph;
mod interface;
pub mod llvm;
pub mod machine;
mod memory;
pub mod native;
pub mod npy;
pub mod numpy;
mod options;
mod output;
pub mod pipeline;
pub mod plan;
mod python_module;
mod recall;
pub mod sac;
mod source;
mod together;

pub use build::{Built, build, build_all};
pub use compile::{Compiled, Computed, Outcome, compile, interpret_within, recall, recall_call, run};
pub use error::Error;
pub use frit_front::l0::text::Digits;
pub use frit_ir::{Const, Scalar, Tensor, TensorData};
pub use frit_support::with_deep_stack;
pub use interface::Interface;
pub use options::{Engine, Fusion, Level, Options, Scalarise, ScheduleFile};
pub use output::{write_text, write_texts};
pub use pipeline::{Notation, StepInfo, Timing, dump, steps};
pub use source::{Unit, is_l0, load, load_call, load_entry, load_l0, load_l0_inferring, load_sac, load_usual};
pub use together::compile_all;
