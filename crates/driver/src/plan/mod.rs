//! Data-flow graphs from files, planned on their own: `frit plan`. The planner is
//! [`frit_plan::memory`]; [`load`] reads graphs and [`result::print`] writes plans, in the formats
//! `dfg/1` and `dfg-result/1`; [`svg::print`] draws them. What a plan comes to is told by
//! [`Solution::text`].

mod read;
pub mod result;
pub mod svg;

pub use frit_plan::memory::{
    Array, DataFlowGraph, Edge, Fate, Node, Objective, SearchLimits, Solution, experiment, solve,
};
pub use read::{load, parse};
