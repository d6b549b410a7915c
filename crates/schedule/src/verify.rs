//! Checks a schedule that somebody else made: each with-loop is built again from the order of the program by primitives, which
//! prove what they do.

use crate::primitives::{Accumulators, Blocks, Chunks, Order, Primitive, Refusal, Threads};
use crate::{Options, Subject, for_each_with_loop};
use frit_ir::array::schedule::{Nest, Run, Schedule};
use frit_ir::array::{Program, WithLoop};
use std::fmt;

/// What is wrong with a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The function.
    pub function: String,
    /// The with-loop.
    pub with_loop: WithLoop,
    /// What it asks for, by the name of the primitive.
    pub asks: &'static str,
    /// Why not.
    pub refusal: Refusal,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Illegal { function, with_loop, asks, refusal } = self;
        write!(f, "{with_loop} of `{function}`: `{asks}` is refused ({}): {}", refusal.code(), refusal.explanation())
    }
}

/// That the program computes under the schedule what it computes without it.
///
/// # Errors
///
/// The first with-loop of which this is not so, or not known.
pub fn verify(program: &Program, schedule: &Schedule, options: &Options) -> Result<(), Illegal> {
    let mut found: Option<Illegal> = None;
    for_each_with_loop(program, &mut |func, with_loop, subject| {
        let Some(nest) = schedule.nest(func, with_loop) else { return false };
        if let (Err((asks, refusal)), None) = (rebuild(subject, nest, options), &found) {
            found = Some(Illegal { function: subject.func.name.clone(), with_loop, asks, refusal });
        }
        nest.has_threads()
    });
    match found {
        Some(illegal) => Err(illegal),
        None => Ok(()),
    }
}

fn rebuild(subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), (&'static str, Refusal)> {
    let mut built = Nest::in_order(subject.data);
    let mut apply = |primitive: &dyn Primitive| {
        primitive.try_apply(subject, &mut built, options).map_err(|refusal| (primitive.name(), refusal))
    };
    if !nest.is_in_program_order() {
        apply(&Order { axes: nest.order() })?;
    }
    for (place, axis) in nest.axes.iter().enumerate() {
        match axis.run {
            Run::Order => {}
            Run::Threads => apply(&Threads { place })?,
            Run::Chunks { .. } | Run::Blocks if place > 0 => return Err(("chunks", Refusal::NotOutermost)),
            Run::Chunks { each } => apply(&Chunks { each })?,
            Run::Blocks => apply(&Blocks)?,
        }
        if axis.accumulators != 1 {
            if place > 0 {
                return Err(("accumulators", Refusal::NoPieces));
            }
            apply(&Accumulators { count: axis.accumulators })?;
        }
    }
    Ok(())
}
