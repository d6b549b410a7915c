//! Data-flow graphs from files, planned on their own: `frit plan`. The planner is [`frit_plan::memory`]; [`load`] reads graphs and
//! [`result::print`] writes plans, in the formats `dfg/1` and `dfg-result/1`; [`svg::print`] draws them, [`terminal::print`] tells what
//! they come to.

mod read;
pub mod result;
pub mod svg;
pub mod terminal;

pub use frit_plan::memory::{Array, Edge, Fate, Graph, Limits, Node, Objective, Solution, experiment, solve};
pub use read::{load, parse};
