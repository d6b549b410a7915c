//! Data-flow graphs from files, planned on their own: `frit plan`. The planner is [`frit_plan::memory`]; [`load`] reads graphs and
//! [`result::print`] writes plans, in the formats `dfg/1` and `dfg-result/1`; [`svg::print`] draws them, [`terminal::print`] tells what
//! they come to.

mod read;
pub mod result;
pub mod svg;
pub mod terminal;

use crate::error::Error;
use crate::output::Outputs;
use std::path::Path;

pub use frit_plan::memory::{Array, Edge, Fate, Graph, Limits, Node, Objective, Solution, experiment, solve};
pub use read::{load, parse};

/// Writes text files: all of them whole, or none.
///
/// # Errors
///
/// A file cannot be written, or two are the same.
pub fn write(files: &[(&Path, String)]) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    for (path, text) in files {
        let partial = outputs.begin(path)?;
        std::fs::write(partial, text).map_err(|error| Error::file(path, error))?;
    }
    outputs.appear().map(drop)
}
