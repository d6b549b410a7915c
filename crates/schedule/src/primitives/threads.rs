//! The iterations of an axis are divided among threads. Each stores cells of its own, so none needs another.

use super::{Primitive, Refusal, free_axis};
use crate::{Options, Subject};
use frit_ir::array::schedule::{Nest, Run};

/// The axis at this place runs on threads.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// The place of the axis, from outside.
    pub place: usize,
}

impl Primitive for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn prove(&self, subject: &Subject<'_>, nest: &Nest, _: &Options) -> Result<(), Refusal> {
        free_axis(subject, nest, self.place)?;
        if subject.only_stores() { Ok(()) } else { Err(Refusal::NeedsOrder) }
    }

    fn apply(&self, nest: &mut Nest) {
        nest.axes[self.place].run = Run::Threads;
    }
}
