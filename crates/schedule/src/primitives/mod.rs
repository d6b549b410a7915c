//! The ways to change how a with-loop runs. Each proves that results stay, or says why not, and changes the nest.

mod accumulators;
mod chunks;
mod order;
mod threads;

pub use accumulators::{Accumulators, PIECES};
pub use chunks::{Blocks, Chunks};
pub use order::Order;
pub use threads::Threads;

use crate::{Options, Subject};
use frit_ir::array::schedule::{Axis, Nest, Run};

/// One way to change how a with-loop runs.
pub trait Primitive {
    /// The name, as in the text of a schedule.
    fn name(&self) -> &'static str;

    /// That the nest with the change computes what the nest computes.
    ///
    /// # Errors
    ///
    /// It may not, or this is not known.
    fn prove(&self, subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), Refusal>;

    /// Changes the nest. It has been proved before.
    fn apply(&self, nest: &mut Nest);

    /// Changes the nest if that is right.
    ///
    /// # Errors
    ///
    /// As [`prove`](Self::prove); the nest is as before.
    fn try_apply(&self, subject: &Subject<'_>, nest: &mut Nest, options: &Options) -> Result<(), Refusal> {
        self.prove(subject, nest, options)?;
        self.apply(nest);
        Ok(())
    }
}

/// Why a with-loop cannot be run in a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no axis at this place.
    NoSuchAxis,
    /// A with-loop around it, or another axis, runs on threads.
    InsideThreads,
    /// An operator needs the indices in order.
    NeedsOrder,
    /// An operator's results depend on how its operands are grouped.
    Regroups,
    /// Operators only store, so there is nothing that chunks could have for themselves.
    NothingToCombine,
    /// Only the outermost axis is cut into chunks.
    NotOutermost,
    /// Besides scans there is an operator that does not store.
    NotOnlyScans,
    /// Folds of this kind are not folded in pieces: another operator, several generators, too long a body, or vectors that do it.
    NoPieces,
}

impl Refusal {
    /// The stable code.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::NoSuchAxis => "no-such-axis",
            Refusal::InsideThreads => "inside-threads",
            Refusal::NeedsOrder => "needs-order",
            Refusal::Regroups => "regroups",
            Refusal::NothingToCombine => "nothing-to-combine",
            Refusal::NotOutermost => "not-outermost",
            Refusal::NotOnlyScans => "not-only-scans",
            Refusal::NoPieces => "no-pieces",
        }
    }

    /// A clause for reports.
    pub fn explanation(self) -> &'static str {
        match self {
            Refusal::NoSuchAxis => "it has no axis at this place",
            Refusal::InsideThreads => "a loop around it, or another of its axes, runs on threads",
            Refusal::NeedsOrder => "an operator needs its indices in order",
            Refusal::Regroups => "results would depend on how operands are grouped",
            Refusal::NothingToCombine => "it only stores cells, so chunks have nothing to combine",
            Refusal::NotOutermost => "only the outermost axis is cut into chunks",
            Refusal::NotOnlyScans => "it has an operator that neither stores nor scans, or no scan",
            Refusal::NoPieces => "several accumulators need one short fold, of scalars, that vectors cannot run",
        }
    }
}

/// The axis at a place of the nest, if no axis runs on threads and nothing around it.
fn free_axis<'n>(subject: &Subject<'_>, nest: &'n Nest, place: usize) -> Result<&'n Axis, Refusal> {
    let axis = nest.axes.get(place).ok_or(Refusal::NoSuchAxis)?;
    if subject.is_inside_threads || nest.axes.iter().any(|axis| axis.run != Run::Order) {
        return Err(Refusal::InsideThreads);
    }
    Ok(axis)
}
