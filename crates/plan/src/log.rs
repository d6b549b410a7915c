//! The decision log: what every candidate for a merge came to, at whatever level it was made. Reports of all kinds render
//! this one list.

use crate::graph::Symbol;
use crate::solve::{Cost, Method};
use frit_support::{Span, Table};

/// Decisions in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// What the symbols of sizes are called.
    pub symbols: Table<Symbol, String>,
    /// The decisions. Merges of all rounds; refusals and merges not chosen as they stand at the end.
    pub decisions: Vec<Decision>,
    /// The plans that were made, one for each block that had something to plan, in the order of planning.
    pub plans: Vec<PlanRecord>,
    /// Merges made so far, and the number after which no more are made.
    pub merged: usize,
}

/// What became of one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The rule, in kebab case, as `with-loop-folding`.
    pub rule: &'static str,
    /// The function it is in.
    pub function: String,
    /// The loop that runs first: the producer.
    pub first: LoopRef,
    /// The other one: the consumer; the same as `first` for rules about one loop.
    pub second: LoopRef,
    /// What was decided.
    pub outcome: Outcome,
}

/// A loop as a report names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRef {
    /// Its label in dumps, as `w3`; empty for a statement that is no loop.
    pub label: String,
    /// What kind of loop it is, in the words of the source language where there is one: `map`, `reduce`, `filter`, `loop`.
    pub kind: &'static str,
    /// The names of its results in the source, as far as they have some.
    pub names: Vec<String>,
    /// Where it is.
    pub span: Span,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Outcome {
    /// Merged into the loop with this label. `passes` is the number of sweeps over memory saved.
    Merged { into: String, saved: Cost, passes: usize },
    /// It would be wrong: the stable code of the reason, the reason in words, and the place that it names, if any.
    Refused { code: &'static str, reason: String, place: Option<Span> },
    /// It would be right, and not pay: what it would have saved (negative: cost).
    NotChosen { reason: String, saving: Cost },
}

/// One plan that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRecord {
    /// The function that the block belongs to.
    pub function: String,
    /// Where the block is.
    pub span: Span,
    /// The number of nodes of the graph.
    pub nodes: usize,
    /// How the plan was found.
    pub method: Method,
    /// Cost without merges and with those of the plan, for one execution of the block.
    pub before: Cost,
    /// The cost of the plan.
    pub after: Cost,
}
