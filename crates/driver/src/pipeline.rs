//! The steps from a checked program to C, as data: run all of them, run them up to one, or say what they are.
//!
//! Every step is guarded: if it panics, or the verifier finds its result wrong, that is a bug of Frit's, and the user gets
//! a file with the IR that the step was given.

use crate::error::{self, Error, panic_message};
use crate::options::{Fusion, Level, Options};
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
pub(crate) const SIMPLIFY: StepInfo =
    StepInfo { name: "simplify", summary: "the steps above, repeated until nothing changes" };
pub(crate) const FUSE: StepInfo =
    StepInfo { name: "fuse", summary: "with-loops merged, and the steps above, repeated until nothing changes" };
const INDEX_SETS: StepInfo = StepInfo {
    name: "index-sets",
    summary: "generators cut where branches on their indices change, and at periodic borders",
};
const IN_PLACE: StepInfo = StepInfo { name: "in-place", summary: "memory overwritten that nothing uses any more" };
const LOWER: StepInfo = StepInfo { name: "lower", summary: "loops over explicit storage" };
const WINDOWS: StepInfo =
    StepInfo { name: "windows", summary: "loop nests fused through windows of the arrays between them" };
const CACHES: StepInfo = StepInfo {
    name: "caches",
    summary: "two steps of a stencil at once, transposed accesses in tiles, bytes widened ahead, rows of stencils side by side, large arrays past the caches, the next rows prefetched",
};
const C: StepInfo = StepInfo { name: "c", summary: "the C source" };

/// The steps on the loop IR, and the last one.
const ON_LOOPS: [&str; 4] = [LOWER.name, WINDOWS.name, CACHES.name, C.name];

/// All steps in order.
pub fn steps() -> Vec<StepInfo> {
    let optimiser = frit_simplify::STEPS.iter().map(|step| StepInfo { name: step.name, summary: step.summary });
    std::iter::once(FRONT)
        .chain(optimiser)
        .chain([SIMPLIFY, FUSE, INDEX_SETS, IN_PLACE, LOWER, WINDOWS, CACHES, C])
        .collect()
}

/// How often [`FUSE`] merges at most. Merges uncover few others, as one call of it already goes on until it finds none.
const MAX_FUSE_ROUNDS: usize = 12;

/// How often [`INDEX_SETS`] looks for branches: one in a branch is seen when the outer one is gone.
const MAX_BRANCHES: usize = 4;

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
    /// What every candidate for a merge came to.
    pub(crate) log: frit_plan::Log,
    /// What became of the arrays between loop nests.
    pub(crate) intermediates: frit_fuse::nest::Report,
}

impl<'u> Pipeline<'u> {
    pub(crate) fn new(unit: &'u Unit, options: &'u Options) -> Self {
        let (timings, copies, log) = (Vec::new(), Vec::new(), frit_plan::Log::default());
        let intermediates = frit_fuse::nest::Report::default();
        Self { unit, options, name: "program".into(), timings, copies, log, intermediates }
    }

    /// The array IR after the optimiser, or after its step `until`: the end of [`SIMPLIFY`] and [`FUSE`], the first run of
    /// others.
    pub(crate) fn optimise(&mut self, until: Option<&str>) -> Result<array::Program, Error> {
        let mut program = self.unit.array_ir()?.clone();
        if self.options.level == Level::O0 && until.is_none() {
            return Ok(program);
        }
        let limit = match self.options.fusion {
            Fusion::All => None,
            Fusion::AtMost(merges) => Some(merges),
            Fusion::Off => Some(0),
        };
        let options = frit_fuse::array::Options {
            strict_fp: self.options.strict_fp,
            limit,
            scalarise: self.options.scalarise,
            most_repeated: self.options.target.most_repeated,
        };
        let mut log = frit_plan::Log::default();
        for _ in 0..MAX_FUSE_ROUNDS {
            let is_there = self.simplify(&mut program, until)?;
            if is_there || until == Some(SIMPLIFY.name) {
                return Ok(program);
            }
            if self.options.fusion == Fusion::Off {
                break;
            }
            let fuse = |program: &mut array::Program| frit_fuse::array::fuse(program, &options, &mut log);
            if !self.step(FUSE.name, &mut program, fuse)?.any() {
                break;
            }
        }
        self.log = log;
        if until == Some(FUSE.name) {
            return Ok(program);
        }
        for _ in 0..MAX_BRANCHES {
            let split = |program: &mut array::Program| frit_fuse::array::split_index_sets(program, &options);
            if !self.step(INDEX_SETS.name, &mut program, split)?.any() {
                break;
            }
            self.simplify(&mut program, None)?;
        }
        if until == Some(INDEX_SETS.name) {
            return Ok(program);
        }
        // What is updated in place merges with little else, so it comes last.
        let of_marks = frit_simplify::Options { strict_fp: self.options.strict_fp };
        self.step(IN_PLACE.name, &mut program, |program| {
            let mut changes = frit_simplify::in_place::run(program, &of_marks);
            changes += frit_fuse::array::make_partitions_full(program, &options);
            changes
        })?;
        Ok(program)
    }

    /// Runs the steps of the optimiser until nothing changes, or until `until` has run; true for the latter.
    fn simplify(&mut self, program: &mut array::Program, until: Option<&str>) -> Result<bool, Error> {
        let options = frit_simplify::Options { strict_fp: self.options.strict_fp };
        for _ in 0..frit_simplify::MAX_ROUNDS {
            let mut changed = false;
            for step in frit_simplify::STEPS {
                changed |= self.step(step.name, program, |program| (step.run)(program, &options))?.any();
                if until == Some(step.name) {
                    return Ok(true);
                }
            }
            if !changed {
                break;
            }
        }
        Ok(false)
    }

    /// Runs a step of the optimiser, and checks what it made.
    fn step(
        &mut self,
        name: &str,
        program: &mut array::Program,
        run: impl FnOnce(&mut array::Program) -> frit_simplify::Changes + Send,
    ) -> Result<frit_simplify::Changes, Error> {
        let before = program.clone();
        let text = || before.to_string();
        let changes = self.guard(name, &text, || run(program))?;
        if self.options.verify {
            array::verify::verify(program).map_err(|error| bug(name, &error.to_string(), &text()))?;
        }
        Ok(changes)
    }

    /// The loop IR.
    pub(crate) fn lower(&mut self, program: &array::Program) -> Result<nest::Program, Error> {
        let options = frit_lower::Options {
            strict_fp: self.options.strict_fp,
            chunk_threshold: self.options.target.region_work,
            caches: self.options.target.caches,
            vector_bytes: self.options.target.vector_bytes,
            ..frit_lower::Options::default()
        };
        let text = || program.to_string();
        let (nest, report) = self.guard(LOWER.name, &text, || frit_lower::lower_with_report(program, &options))?;
        if self.options.verify {
            nest::verify::verify(&nest).map_err(|error| bug(LOWER.name, &error.to_string(), &text()))?;
        }
        self.copies = report.copies;
        Ok(nest)
    }

    /// The loop IR after the last step on it.
    pub(crate) fn loops(&mut self, program: &array::Program) -> Result<nest::Program, Error> {
        let mut nest = self.windows(program)?;
        if self.options.level != Level::O0 {
            let (before, caches) = (nest.clone(), self.options.target.caches);
            let text = || before.to_string();
            self.guard(CACHES.name, &text, || frit_lower::shape_for_caches(&mut nest, caches))?;
            if self.options.verify {
                nest::verify::verify(&nest).map_err(|error| bug(CACHES.name, &error.to_string(), &text()))?;
            }
        }
        Ok(nest)
    }

    /// The loop IR after nests have been fused.
    fn windows(&mut self, program: &array::Program) -> Result<nest::Program, Error> {
        let mut nest = self.lower(program)?;
        if self.options.level == Level::O0 || self.options.fusion == Fusion::Off || !self.options.windows {
            return Ok(nest);
        }
        let limit = match self.options.fusion {
            Fusion::AtMost(merges) => Some(merges.saturating_sub(self.log.merged_count())),
            Fusion::All | Fusion::Off => None,
        };
        let options = frit_fuse::nest::Options { limit, ..frit_fuse::nest::Options::default() };
        let before = nest.clone();
        let text = || before.to_string();
        let mut log = std::mem::take(&mut self.log);
        let fuse = || frit_fuse::nest::fuse(&mut nest, &options, &mut log);
        self.intermediates = self.guard(WINDOWS.name, &text, fuse)?;
        self.log = log;
        if self.options.verify {
            nest::verify::verify(&nest).map_err(|error| bug(WINDOWS.name, &error.to_string(), &text()))?;
        }
        Ok(nest)
    }

    /// The C source.
    pub(crate) fn print_c(&mut self, nest: &nest::Program) -> Result<frit_back::c::CSource, Error> {
        let options = frit_back::c::Options {
            name: self.name.clone(),
            strict_fp: self.options.strict_fp,
            region_work: self.options.target.region_work,
        };
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

/// How the array IR is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Its text form, which Frit reads back.
    #[default]
    Ir,
    /// The same with L0's combinators where a with-loop is exactly one.
    L0,
    /// With-loops and expressions as SAC writes them.
    Sac,
}

/// The program after a step, as text, in this notation.
///
/// # Errors
///
/// There is no such step; an option has no effect on it; a bug in one before it.
pub fn dump(unit: &Unit, after: &str, notation: Notation, options: &Options) -> Result<String, Error> {
    let steps = steps();
    if !steps.iter().any(|step| step.name == after) {
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        return Err(Error::usage(format!("there is no step `{after}`; the steps are {}", names.join(", "))));
    }
    if notation != Notation::Ir && ON_LOOPS.contains(&after) {
        return Err(Error::usage(format!("--l0 and --sac show the array IR, which is gone after `{after}`")));
    }
    let is_merged = [FUSE.name, INDEX_SETS.name, IN_PLACE.name].contains(&after) || ON_LOOPS.contains(&after);
    if options.fusion != Fusion::All && !is_merged {
        return Err(Error::usage(format!("which loops are merged has no effect on the program after `{after}`")));
    }
    let mut pipeline = Pipeline::new(unit, options);
    let show = |program: &array::Program| match notation {
        Notation::Ir => program.to_string(),
        Notation::L0 => array::print::l0_program(program),
        Notation::Sac => array::sac_notation::sac_program(program),
    };
    frit_support::with_deep_stack(|| {
        if after == FRONT.name {
            return Ok(show(&unit.array));
        }
        if !ON_LOOPS.contains(&after) {
            return Ok(show(&pipeline.optimise(Some(after))?));
        }
        let program = pipeline.optimise(None)?;
        if after == LOWER.name {
            return Ok(pipeline.lower(&program)?.to_string());
        }
        if after == WINDOWS.name {
            return Ok(pipeline.windows(&program)?.to_string());
        }
        let nest = pipeline.loops(&program)?;
        if after == CACHES.name {
            return Ok(nest.to_string());
        }
        Ok(pipeline.print_c(&nest)?.source)
    })
}
