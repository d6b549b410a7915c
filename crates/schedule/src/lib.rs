//! Schedules of with-loops: which are legal, and which one is chosen.
//!
//! - [`primitives`] has the ways to change how a with-loop runs, one file each. Each proves that results stay, or refuses;
//! - [`policies`] chooses a schedule for a program: [`choose`];
//! - [`verify`] checks a schedule that somebody else made;
//! - [`estimate`] counts the scalar operations of a with-loop;
//! - [`reduction`] recognises folds that may be regrouped.
//!
//! The form of schedules and their text are in [`frit_ir::array::schedule`]. `lower` emits a schedule as it is. This crate knows
//! neither source languages nor the loop IR.

pub mod estimate;
pub mod policies;
pub mod primitives;
pub mod reduction;
mod subject;
mod verify;

pub use policies::choose;
pub use subject::{Subject, for_each_with_loop};
pub use verify::{Illegal, verify};

/// What the choice of a schedule depends on, beside the program.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Folds and scans keep the order of the program unless regrouping changes no bit.
    pub strict_fp: bool,
    /// The least number of scalar operations for which a fold, scan or filter is cut into chunks, one for each thread.
    pub chunk_threshold: i64,
}
