//! What each loop moves to and from memory: the bytes that it reads and writes, as `fuse` counts them.

use super::sizes::{Amount, FuncSizes, Naming};
use super::{Explanation, Loop, Stage};
use frit_fuse::array::traffic;
use frit_support::Span;

/// What a loop, or another statement, moves.
#[derive(Clone, Debug)]
pub struct Mover {
    /// The function that it is in.
    pub function: String,
    /// An outermost with-loop, or a statement outside of all.
    pub at: Loop,
    /// The places of the loops around it.
    pub around: Vec<Span>,
    /// What it moves, but for what counts for one iteration of a loop.
    pub total: Moved,
    /// What it moves in one iteration of a loop whose number of iterations is unknown.
    pub per_iteration: Moved,
}

impl Mover {
    /// True for a with-loop.
    pub(super) fn is_loop(&self) -> bool {
        !self.at.label.is_empty()
    }
}

/// Bytes from and to memory.
#[derive(Clone, Debug)]
pub struct Moved {
    /// From memory.
    pub read: Amount,
    /// To memory.
    pub written: Amount,
}

impl Moved {
    /// Nothing.
    pub(super) fn nothing() -> Self {
        Self { read: Amount::zero(), written: Amount::zero() }
    }

    /// What a function moves, under the report's names.
    pub(super) fn of(moved: &traffic::Moved, sizes: &FuncSizes, naming: &mut Naming) -> Self {
        Self { read: naming.amount(sizes, &moved.read), written: naming.amount(sizes, &moved.written) }
    }

    pub(super) fn add(&mut self, other: &Moved) {
        self.read += &other.read;
        self.written += &other.written;
    }

    /// All bytes.
    pub(super) fn all(&self) -> Amount {
        self.read.clone() + self.written.clone()
    }

    /// As [`text`](Self::text), with amounts in short.
    pub(super) fn roughly(&self, explanation: &Explanation) -> String {
        self.text_with(&|amount| explanation.roughly(amount))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.read.is_zero() && self.written.is_zero()
    }

    /// `reads 8*n bytes, writes 8*n bytes`; `moves nothing`.
    fn text(&self, explanation: &Explanation) -> String {
        self.text_with(&|amount| explanation.bytes(amount))
    }

    fn text_with(&self, bytes: &dyn Fn(&Amount) -> String) -> String {
        let part = |verb: &str, amount: &Amount| format!("{verb} {}", bytes(amount));
        match (self.read.is_zero(), self.written.is_zero()) {
            (true, true) => "moves nothing".into(),
            (false, true) => part("reads", &self.read),
            (true, false) => part("writes", &self.written),
            (false, false) => format!("{}, {}", part("reads", &self.read), part("writes", &self.written)),
        }
    }
}

impl Stage {
    /// What all loops read and write together, but for what counts for one iteration of a loop.
    pub fn all_moved(&self) -> Moved {
        let mut all = Moved::nothing();
        for mover in &self.movers {
            all.read += &mover.total.read;
            all.written += &mover.total.written;
        }
        all
    }
}

/// What each loop of a stage moves, and all of them, in rows of two: what moves, and how much.
pub(super) fn rows(explanation: &Explanation, stage: &Stage) -> Vec<[String; 2]> {
    let mut rows: Vec<[String; 2]> = Vec::new();
    for mover in &stage.movers {
        let amount = match (mover.total.is_zero(), mover.per_iteration.is_zero()) {
            (_, true) => mover.total.text(explanation),
            (true, false) => format!("{} in every iteration", mover.per_iteration.text(explanation)),
            (false, false) => format!(
                "{}, and {} in every iteration",
                mover.total.text(explanation),
                mover.per_iteration.text(explanation)
            ),
        };
        rows.push([mover.at.describe(), amount]);
    }
    let is_all = stage.movers.iter().all(|mover| mover.per_iteration.is_zero());
    let besides = if is_all { "" } else { ", and what is said of every iteration" };
    rows.push(["in all".into(), stage.all_moved().text(explanation) + besides]);
    rows
}
