//! The steps from a checked program to C, as data: run all of them, run them up to one, or say what they are.
//!
//! Every step is guarded: if it panics, or the verifier finds its result wrong, that is a bug of Frit's, and the user gets
//! a file with the IR that the step was given.

use crate::error::{self, Error, panic_message};
use crate::options::{Level, Options};
use crate::source::Unit;
use frit_ir::{array, nest};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A step of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepInfo {
    /// Its name, as in `frit dump --after NAME`.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
}

/// The steps before those of the optimiser, and after.
const FRONT: StepInfo = StepInfo { name: "front", summary: "the array IR as the front end made it" };
const SIMPLIFY: StepInfo = StepInfo { name: "simplify", summary: "the steps above, repeated until nothing changes" };
const LOWER: StepInfo = StepInfo { name: "lower", summary: "loops over explicit storage" };
const C: StepInfo = StepInfo { name: "c", summary: "the C source" };

/// All steps in order.
pub fn steps() -> Vec<StepInfo> {
    let optimiser = frit_simplify::STEPS.iter().map(|step| StepInfo { name: step.name, summary: step.summary });
    std::iter::once(FRONT).chain(optimiser).chain([SIMPLIFY, LOWER, C]).collect()
}

/// How long a step took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The step's name.
    pub step: String,
    /// All its runs together.
    pub time: Duration,
}

/// Adds a duration to a step's.
pub(crate) fn record(timings: &mut Vec<Timing>, step: &str, time: Duration) {
    match timings.iter_mut().find(|timing| timing.step == step) {
        Some(timing) => timing.time += time,
        None => timings.push(Timing { step: step.to_string(), time }),
    }
}

/// A program on its way through the pipeline.
pub(crate) struct Pipeline<'u> {
    unit: &'u Unit,
    options: &'u Options,
    /// What names exported by generated code begin with.
    pub(crate) name: String,
    /// How long each step took so far.
    pub(crate) timings: Vec<Timing>,
    /// Copies that the program did not ask for, found in lowering.
    pub(crate) copies: Vec<frit_lower::CopyMade>,
}

impl<'u> Pipeline<'u> {
    pub(crate) fn new(unit: &'u Unit, options: &'u Options) -> Self {
        Self { unit, options, name: "program".into(), timings: Vec::new(), copies: Vec::new() }
    }

    /// The array IR after the optimiser, or after its step `until` ran for the first time.
    pub(crate) fn optimise(&mut self, until: Option<&str>) -> Result<array::Program, Error> {
        let mut program = self.unit.array.clone();
        if self.options.level == Level::O0 && until.is_none() {
            return Ok(program);
        }
        let options = frit_simplify::Options { strict_fp: self.options.strict_fp };
        for _ in 0..frit_simplify::MAX_ROUNDS {
            let mut changed = false;
            for step in frit_simplify::STEPS {
                let before = program.clone();
                let text = || before.to_string();
                changed |= self.guard(step.name, &text, || (step.run)(&mut program, &options))?.any();
                if self.options.verify {
                    let verified = array::verify::verify(&program);
                    verified.map_err(|error| bug(step.name, &error.to_string(), &text()))?;
                }
                if until == Some(step.name) {
                    return Ok(program);
                }
            }
            if !changed {
                break;
            }
        }
        Ok(program)
    }

    /// The loop IR.
    pub(crate) fn lower(&mut self, program: &array::Program) -> Result<nest::Program, Error> {
        let options = frit_lower::Options { strict_fp: self.options.strict_fp, ..frit_lower::Options::default() };
        let text = || program.to_string();
        let (nest, report) = self.guard(LOWER.name, &text, || frit_lower::lower_with_report(program, &options))?;
        if self.options.verify {
            nest::verify::verify(&nest).map_err(|error| bug(LOWER.name, &error.to_string(), &text()))?;
        }
        self.copies = report.copies;
        Ok(nest)
    }

    /// The C source.
    pub(crate) fn print_c(&mut self, nest: &nest::Program) -> Result<frit_back::c::CSource, Error> {
        let options = frit_back::c::Options { name: self.name.clone(), strict_fp: self.options.strict_fp };
        let (text, sources) = (|| nest.to_string(), &self.unit.sources);
        self.guard(C.name, &text, || frit_back::c::print(nest, sources, &options))
    }

    /// Runs a step, records its time, and turns a panic into a report.
    fn guard<T: Send>(
        &mut self,
        step: &str,
        given: &dyn Fn() -> String,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, Error> {
        let start = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| frit_support::with_deep_stack(work)));
        record(&mut self.timings, step, start.elapsed());
        done.map_err(|panic| bug(step, &panic_message(&*panic), &given()))
    }
}

/// A bug in a step that was given this program.
fn bug(step: &str, message: &str, given: &str) -> Error {
    error::bug(&format!("the step `{step}`"), message, given, "ir")
}

/// The program after a step, as text. With `l0`, in the notation for L0 users as far as it has one.
///
/// # Errors
///
/// There is no such step; a bug in one before it.
pub fn dump(unit: &Unit, after: &str, l0: bool, options: &Options) -> Result<String, Error> {
    let steps = steps();
    if !steps.iter().any(|step| step.name == after) {
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        return Err(Error::usage(format!("there is no step `{after}`; the steps are {}", names.join(", "))));
    }
    if l0 && [LOWER.name, C.name].contains(&after) {
        return Err(Error::usage(format!("--l0 shows the array IR, which is gone after `{after}`")));
    }
    let mut pipeline = Pipeline::new(unit, options);
    let show = |program: &array::Program| if l0 { array::print::l0_program(program) } else { program.to_string() };
    frit_support::with_deep_stack(|| {
        if after == FRONT.name {
            return Ok(show(&unit.array));
        }
        if ![SIMPLIFY.name, LOWER.name, C.name].contains(&after) {
            return Ok(show(&pipeline.optimise(Some(after))?));
        }
        let program = pipeline.optimise(None)?;
        if after == SIMPLIFY.name {
            return Ok(show(&program));
        }
        let nest = pipeline.lower(&program)?;
        if after == LOWER.name {
            return Ok(nest.to_string());
        }
        Ok(pipeline.print_c(&nest)?.source)
    })
}
