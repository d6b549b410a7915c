//! Drawings of plans.

use crate::error::Error;
use frit_plan::memory::{Graph, Solution};

/// TODO
pub fn print(_: &Graph, _: &Solution) -> Result<String, Error> {
    Err(Error::usage("not yet"))
}
