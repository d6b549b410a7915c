//! Fused loops: what the planner decides, and what contraction and generation start from. The order in which all statement
//! instances run follows from the tree alone: [`schedule`](FusedTree::schedule).

use crate::model::{Loop, Statement};

/// The loops after fusion, in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusedTree {
    /// Loops and statements outside of all loops.
    pub body: Vec<Fused>,
}

/// A fused loop or a statement, in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fused {
    /// A loop.
    Loop(FusedLoop),
    /// A statement: every loop round it in the source is round it here, though not always in the same order.
    Statement(Statement),
}

/// One loop that does what loops of the source did, each moved to a common time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusedLoop {
    /// One entry for each statement in the body, at any depth; ascending.
    pub members: Vec<Member>,
    /// What runs in an iteration.
    pub body: Vec<Fused>,
    /// No dependence is carried by this loop: its iterations may run in any order.
    pub is_parallel: bool,
}

/// How a statement takes part in a fused loop: at time `t` it runs for the value `i` of its loop with `t = scale * i + shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The statement.
    pub statement: Statement,
    /// Its loop that is run here.
    pub source: Loop,
    /// The dimension of its domain that belongs to that loop.
    pub dimension: usize,
    /// Not zero; negative for a loop that runs the other way.
    pub scale: i64,
    /// The alignment.
    pub shift: i64,
}
