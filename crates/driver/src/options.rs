//! What a user may choose about compiling and running.

use crate::machine::Target;
use crate::pipeline::{FUSE, WINDOWS};
use std::path::PathBuf;

/// How much work the compiler puts into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The program as written, compiled without optimisation: fastest to compile.
    O0,
    /// All optimisations on the array IR; the C compiler at `-O1`.
    O1,
    /// As `O1`, with the C compiler at `-O2`.
    O2,
    /// As `O1`, with the C compiler at `-O3` for this machine's processor.
    O3,
}

/// Which with-loops are merged. Nothing is merged at [`Level::O0`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// All whose merging is right and pays.
    #[default]
    All,
    /// As many of these, and then of the changes that the steps on loops make, in the order of deciding: to find the decision
    /// that makes a difference.
    AtMost(usize),
    /// None.
    Off,
}

pub use frit_fuse::array::Scalarise;

/// A schedule that a user gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleFile {
    /// The file that it was read from.
    pub path: PathBuf,
    /// Its text, as `frit dump --after schedule` writes it, or the blocks of schedules alone.
    pub text: String,
}

/// What executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Native code if there is a C compiler, else the interpreter.
    Auto,
    /// Native code, or an error.
    Native,
    /// The interpreter of the array IR.
    Interpreter,
    /// The interpreter of the source language itself, which SAC has.
    Evaluator,
}

/// What a user may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How much work the compiler puts into the program.
    pub level: Level,
    /// Which with-loops are merged.
    pub fusion: Fusion,
    /// Steps that are left out, by name.
    pub without: Vec<String>,
    /// How with-loops run, if the user says so.
    pub schedule: Option<ScheduleFile>,
    /// Loop nests are fused through windows of the arrays between them, unless nothing is merged at all.
    pub windows: bool,
    /// What making one loop of a nest may repeat.
    pub scalarise: Scalarise,
    /// Every engine agrees bit for bit with the interpreter on the program as written: folds in order, no contraction.
    pub strict_fp: bool,
    /// Native code asks its caller some times a second whether to go on.
    pub interruptible: bool,
    /// Threads to run on, at least 1.
    pub threads: usize,
    /// The machine that the program is compiled for.
    pub target: Target,
    /// What executes the program.
    pub engine: Engine,
    /// Check the invariants of the IR after every step.
    pub verify: bool,
    /// What the program reads; `None` for the standard input of the process.
    pub input: Option<Vec<u8>>,
    /// Files with the functions in C that the program calls: C, objects and libraries.
    pub c_files: Vec<PathBuf>,
}

impl Options {
    /// The same without merges.
    pub(crate) fn unfused(&self) -> Self {
        let of_merges = |step: &String| [FUSE.name, WINDOWS.name].contains(&step.as_str());
        let without = self.without.iter().filter(|step| !of_merges(step)).cloned().collect();
        Self { fusion: Fusion::Off, without, ..self.clone() }
    }

    /// The threads that a program runs on: as it is written, that is one.
    pub(crate) fn used_threads(&self) -> usize {
        if self.level == Level::O0 { 1 } else { self.threads }
    }

    /// The step is left out.
    pub(crate) fn leaves_out(&self, step: &str) -> bool {
        self.without.iter().any(|other| other == step)
    }
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Self {
            level: Level::O3,
            fusion: Fusion::All,
            without: Vec::new(),
            schedule: None,
            windows: true,
            scalarise: Scalarise::default(),
            strict_fp: false,
            interruptible: false,
            threads,
            target: Target::default(),
            engine: Engine::Auto,
            verify: cfg!(debug_assertions),
            input: None,
            c_files: Vec::new(),
        }
    }
}
