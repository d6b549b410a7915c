//! The steps from a checked program to C, as data: run all of them, run them up to one, or say what they are.
//!
//! Every step is guarded: if it panics, or the verifier finds its result wrong, that is a bug of Frit's, and the user gets
//! a file with the IR that the step was given.

use crate::compile::constraint_of;
use crate::error::{self, Error, panic_message};
use crate::options::{Engine, Fusion, Level, Options};
use crate::source::Unit;
use frit_ir::array::schedule::Schedule;
use frit_ir::{array, nest};
use frit_lower::{LOOP_STEPS, LoopStep, Shaping, Stage};
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
const SCHEDULE: StepInfo = StepInfo { name: "schedule", summary: "how each with-loop runs, as data" };
const LOWER: StepInfo = StepInfo { name: "lower", summary: "loops over explicit storage" };
pub(crate) const WINDOWS: StepInfo =
    StepInfo { name: "windows", summary: "loop nests fused through windows of the arrays between them" };
const C: StepInfo = StepInfo { name: "c", summary: "the C source" };

/// All steps in order.
pub fn steps() -> Vec<StepInfo> {
    [array_steps(), loop_steps()].concat()
}

/// The steps on the array IR.
fn array_steps() -> Vec<StepInfo> {
    let optimiser = frit_simplify::STEPS.iter().map(|step| StepInfo { name: step.name, summary: step.summary });
    std::iter::once(FRONT).chain(optimiser).chain([SIMPLIFY, FUSE, INDEX_SETS, IN_PLACE]).collect()
}

/// The choice of a schedule, and the steps on the loop IR, from lowering to C.
fn loop_steps() -> Vec<StepInfo> {
    let of_stage = |stage| {
        let steps = frit_lower::LOOP_STEPS.iter().filter(move |step| step.stage == stage);
        steps.map(|step| StepInfo { name: step.name, summary: step.summary })
    };
    [SCHEDULE, LOWER]
        .into_iter()
        .chain(of_stage(Stage::BeforeWindows))
        .chain([WINDOWS])
        .chain(of_stage(Stage::AfterWindows))
        .chain([C])
        .collect()
}

/// That the steps which are switched off are steps, without which there is a program, and which would run otherwise.
/// `after`: the last step that runs, if it is not the last of all.
///
/// # Errors
///
/// There is no such step, it cannot be switched off, or it does not run anyway.
pub(crate) fn check_without(options: &Options, after: Option<&str>) -> Result<(), Error> {
    let steps = steps();
    let place = |name: &str| steps.iter().position(|step| step.name == name);
    // These are what the others work on, or names for several.
    let needed = [FRONT.name, SIMPLIFY.name, LOWER.name, C.name];
    for name in &options.without {
        let Some(at) = place(name) else {
            let names = steps.iter().map(|step| step.name).filter(|name| !needed.contains(name));
            let names: Vec<&str> = names.collect();
            return Err(Error::usage(format!(
                "there is no step `{name}` to leave out; there are {}",
                names.join(", ")
            )));
        };
        if needed.contains(&name.as_str()) {
            return Err(Error::usage(format!("there is no program without the step `{name}`")));
        }
        let why = if options.level == Level::O0 {
            Some("no such step runs at -O0")
        } else if options.fusion == Fusion::Off && [FUSE.name, WINDOWS.name].contains(&name.as_str()) {
            Some("no loops are merged")
        } else if !options.windows && name == WINDOWS.name {
            Some("there are no windows anyway")
        } else if after.and_then(place).is_some_and(|last| last < at) {
            Some("it comes later")
        } else if options.engine == Engine::Evaluator && after.is_none() {
            Some("the evaluator runs the source")
        } else if options.engine == Engine::Interpreter && after.is_none() && at >= array_steps().len() {
            Some("the interpreter runs the array IR")
        } else {
            None
        };
        if let Some(why) = why {
            return Err(Error::usage(format!("`--without {name}` has no effect: {why}")));
        }
    }
    Ok(())
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
    /// The program is printed to stand in a file with others.
    pub(crate) among_others: bool,
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
        Self { unit, options, name: "program".into(), among_others: false, timings, copies, log, intermediates }
    }

    /// The array IR after the optimiser, or after its step `until`: the end of [`SIMPLIFY`] and [`FUSE`], the first run of
    /// others.
    pub(crate) fn optimise(&mut self, until: Option<&str>) -> Result<array::Program, Error> {
        let mut program = self.unit.array_ir()?.clone();
        if self.options.level == Level::O0 && until.is_none() {
            return Ok(program);
        }
        let runs = |step: StepInfo| !self.options.leaves_out(step.name);
        let (is_fused, is_split, is_in_place) = (runs(FUSE), runs(INDEX_SETS), runs(IN_PLACE));
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
            if self.options.fusion == Fusion::Off || !is_fused {
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
        for _ in 0..if is_split { MAX_BRANCHES } else { 0 } {
            let split = |program: &mut array::Program| frit_fuse::array::split_index_sets(program, &options);
            if !self.step(INDEX_SETS.name, &mut program, split)?.any() {
                break;
            }
            self.simplify(&mut program, None)?;
        }
        if until == Some(INDEX_SETS.name) {
            return Ok(program);
        }
        if !is_in_place {
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
            for step in frit_simplify::STEPS.iter().filter(|step| !self.options.leaves_out(step.name)) {
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

    /// The loop IR after the step `until`, or after the last one. `-O0` lowers, and does nothing else.
    pub(crate) fn loops(&mut self, program: &array::Program, until: Option<&str>) -> Result<nest::Program, Error> {
        let is_optimised = self.options.level != Level::O0;
        let options = frit_lower::Options {
            strict_fp: self.options.strict_fp,
            parallel: is_optimised,
            chunk_threshold: self.options.target.region_work,
            caches: self.options.target.caches,
            vector_bytes: self.options.target.vector_bytes,
        };
        let schedule = self.schedule(program)?;
        let text = || format!("{program}\n{}", schedule.print(program));
        let lower = || frit_lower::lower_with_report(program, &schedule, &options);
        let (mut nest, report) = self.guard(LOWER.name, &text, lower)?;
        self.verify_nest(LOWER.name, &nest, &text)?;
        self.copies = report.copies;
        self.log.decisions.extend(report.decisions);
        if !is_optimised || until == Some(LOWER.name) {
            return Ok(nest);
        }
        let limit = match self.options.fusion {
            Fusion::AtMost(decisions) => Some(decisions.saturating_sub(self.log.merged_count())),
            Fusion::All | Fusion::Off => None,
        };
        let mut shaping = Shaping::new(&options, limit);
        let is_there = |steps: &[&LoopStep]| until.is_some_and(|until| steps.iter().any(|step| step.name == until));
        let [before, after] = [Stage::BeforeWindows, Stage::AfterWindows]
            .map(|stage| LOOP_STEPS.iter().filter(|step| step.stage == stage).collect::<Vec<&LoopStep>>());
        self.shape(&mut nest, &before, &mut shaping, until)?;
        if is_there(&before) {
            return Ok(nest);
        }
        self.windows(&mut nest, &mut shaping)?;
        if until != Some(WINDOWS.name) {
            self.shape(&mut nest, &after, &mut shaping, until)?;
        }
        Ok(nest)
    }

    /// How each with-loop runs: as the user says, as the policies choose, or in order.
    pub(crate) fn schedule(&mut self, program: &array::Program) -> Result<Schedule, Error> {
        let options = frit_schedule::Options {
            strict_fp: self.options.strict_fp,
            chunk_threshold: self.options.target.region_work,
        };
        if let Some(file) = &self.options.schedule {
            let at_file = |message: String| Error::usage(format!("{}:{message}", file.path.display()));
            let schedule =
                array::parse::parse_schedule(&file.text, program).map_err(|error| at_file(error.to_string()))?;
            let verify = || frit_schedule::verify(program, &schedule, &options);
            frit_support::with_deep_stack(verify).map_err(|error| at_file(format!(" {error}")))?;
            return Ok(schedule);
        }
        if self.options.level == Level::O0 || self.options.leaves_out(SCHEDULE.name) {
            return Ok(Schedule::default());
        }
        self.guard(SCHEDULE.name, &|| program.to_string(), || frit_schedule::choose(program, &options))
    }

    /// Runs these steps on the loop IR, up to `until` if it is one of them.
    fn shape(
        &mut self,
        nest: &mut nest::Program,
        steps: &[&LoopStep],
        shaping: &mut Shaping,
        until: Option<&str>,
    ) -> Result<(), Error> {
        // A bug report shows what the step was given: the steps before it are run again for that.
        let (first, given) = (nest.clone(), shaping.clone());
        let options = self.options;
        let chosen = || steps.iter().copied().filter(|step| !options.leaves_out(step.name));
        for step in chosen() {
            let again = || {
                let (mut nest, mut shaping) = (first.clone(), given.clone());
                for earlier in chosen().take_while(|earlier| earlier.name != step.name) {
                    earlier.run(&mut nest, &mut shaping, &mut frit_plan::Log::default());
                }
                nest.to_string()
            };
            let text = || frit_support::with_deep_stack(again);
            let mut log = std::mem::take(&mut self.log);
            let count = self.guard(step.name, &text, || step.run(nest, shaping, &mut log))?;
            self.log = log;
            if count > 0 {
                self.verify_nest(step.name, nest, &text)?;
            }
            if until == Some(step.name) {
                break;
            }
        }
        Ok(())
    }

    /// Fuses loop nests through windows.
    fn windows(&mut self, nest: &mut nest::Program, shaping: &mut Shaping) -> Result<(), Error> {
        if self.options.fusion == Fusion::Off || !self.options.windows || self.options.leaves_out(WINDOWS.name) {
            return Ok(());
        }
        let options = frit_fuse::nest::Options { limit: shaping.left, ..frit_fuse::nest::Options::default() };
        let before = nest.clone();
        let text = || before.to_string();
        let mut log = std::mem::take(&mut self.log);
        let merged = log.merged_count();
        self.intermediates = self.guard(WINDOWS.name, &text, || frit_fuse::nest::fuse(nest, &options, &mut log))?;
        shaping.left = shaping.left.map(|left| left.saturating_sub(log.merged_count() - merged));
        self.log = log;
        self.verify_nest(WINDOWS.name, nest, &text)
    }

    /// Checks what a step made, if that is asked for.
    fn verify_nest(&self, step: &str, nest: &nest::Program, given: &dyn Fn() -> String) -> Result<(), Error> {
        if self.options.verify {
            nest::verify::verify(nest).map_err(|error| bug(step, &error.to_string(), &given()))?;
        }
        Ok(())
    }

    /// The C source.
    pub(crate) fn print_c(&mut self, nest: &nest::Program) -> Result<frit_back::c::CSource, Error> {
        let options = frit_back::c::Options {
            name: self.name.clone(),
            strict_fp: self.options.strict_fp,
            region_work: self.options.target.region_work,
            vectors: self.options.level != Level::O0,
            interruptible: self.options.interruptible,
            notes: self.unit.constraints.iter().map(|(&span, names)| (span, constraint_of(names))).collect(),
            among_others: self.among_others,
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

/// The program as loops, after the last step.
///
/// # Errors
///
/// The program has no array IR; a bug.
pub fn loops(unit: &Unit, options: &Options) -> Result<nest::Program, Error> {
    let mut pipeline = Pipeline::new(unit, options);
    let program = pipeline.optimise(None)?;
    pipeline.loops(&program, None)
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
    let is_on_loops = loop_steps().iter().any(|step| step.name == after);
    if notation != Notation::Ir && is_on_loops {
        return Err(Error::usage(format!("--l0 and --sac show the array IR, which is gone after `{after}`")));
    }
    let is_merged = [FUSE.name, INDEX_SETS.name, IN_PLACE.name].contains(&after) || is_on_loops;
    if options.fusion != Fusion::All && !is_merged {
        return Err(Error::usage(format!("which loops are merged has no effect on the program after `{after}`")));
    }
    check_without(options, Some(after))?;
    if options.leaves_out(after) {
        return Err(Error::usage(format!("`{after}` is left out: there is no program after it")));
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
        if !is_on_loops {
            return Ok(show(&pipeline.optimise(Some(after))?));
        }
        let program = pipeline.optimise(None)?;
        if after == SCHEDULE.name {
            let schedule = pipeline.schedule(&program)?;
            return Ok(format!("{program}\n{}", schedule.print(&program)));
        }
        let nest = pipeline.loops(&program, Some(after))?;
        if after != C.name {
            return Ok(nest.to_string());
        }
        Ok(pipeline.print_c(&nest)?.source)
    })
}
