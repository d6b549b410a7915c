//! Which legal merges to make: fusion graphs, the objective, an exact and a greedy solver, and the log of decisions.
//!
//! - [`graph`]: loops and opaque statements, the arrays between them, and the pairs that may be merged;
//! - [`solve()`]: the best plan for a graph, exact by integer programming up to a stated size, greedy beyond it;
//! - [`memory`]: the other way to state it, for loop nests with dependences of any kind, and what fusion removes from memory;
//! - [`log`]: what was merged, refused or not chosen, and what it saved; all levels write the same.
//!
//! This crate knows no intermediate representation: whoever builds a graph says what may be merged, whoever gets a plan
//! makes the merges. Read [`graph`] next.

pub mod graph;
pub mod log;
pub mod memory;
mod relation;
pub mod solve;

pub use graph::{Array, ArrayData, Graph, Node, NodeData, Pair, Size, Symbol};
pub use log::{Decision, Log, LoopRef, Outcome};
pub use solve::{Cost, Limits, Method, Plan, solve};
