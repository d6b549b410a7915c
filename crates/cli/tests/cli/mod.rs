//! The `frit` command from outside: what it prints, what it writes, and the code it exits with.
//!
//! Every test works in a folder of its own; object caches are shared where a test is not about them. [`place`] starts commands and looks at what
//! they did; [`npy`] writes and reads arrays without Frit's own code. What programs mean is tested elsewhere, in
//! `crates/testkit`.

mod arguments;
mod bench;
mod build;
mod compilers;
mod dump;
mod exit_codes;
mod explain;
mod failures;
mod first_hour;
mod fmt;
mod fuse;
mod include;
mod large;
mod llvm;
mod lsp;
mod machine;
mod npy;
mod pages;
mod place;
mod plan;
mod repl;
mod sac;
mod strict;
mod workloads;
