//! All integration tests of the crate in one binary: linking one is faster than linking 7.

mod array_print;
mod array_text;
mod array_verify;
mod docs;
mod format;
mod nest_text;
mod nest_verify;
