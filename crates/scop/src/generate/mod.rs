//! Loops again: from a tree of fused loops and the fates of arrays to a [`Program`].
//!
//! Each nest is cut into pieces (`pieces`) and so into copies of its statements (`copies`), which isl turns into loops (`loops`); `storage`
//! says where elements are, `kinds` how iterations may run, `liveness` which scalars move on; `strips` makes pipelines parallel. What was decided before is taken for granted: that the order is legal, and
//! that elements may share storage.

use std::fmt;

use frit_support::Table;

use crate::model::{Array, Scop};
use crate::program::{Fate, Program};
use crate::tree::FusedTree;

mod copies;
mod kinds;
mod liveness;
mod loops;
mod pieces;
mod storage;
mod strips;

use copies::Nest;
use kinds::Kinds;
use loops::Values;
use storage::Storage;
pub(crate) use storage::affine;
use strips::Strips;

/// What is wanted of the loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Outer loops whose iterations are independent run on several threads.
    pub parallel: bool,
    /// Inner loops whose iterations are independent run in vectors.
    pub simd: bool,
    /// A loop on the outside that runs in order only because of windows is cut into strips of so many iterations, and these run on several
    /// threads: what is at the end of a strip is computed again for the next one. Needs `parallel`.
    pub strips: Option<u64>,
    /// A loop without inner loops that runs in order only because of windows is cut into strips of so many iterations, and in each its statements run
    /// one after another, as loops that may run in vectors.
    pub tiles: Option<u64>,
    /// Windows have sizes that are powers of two, so that remainders are cheap.
    pub power_of_two: bool,
    /// How many copies of statements cutting a nest into pieces may make.
    pub max_copies: usize,
    /// How much work isl may do for each nest.
    pub max_operations: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            parallel: false,
            simd: false,
            strips: None,
            tiles: None,
            power_of_two: false,
            max_copies: 40,
            max_operations: 5_000_000,
        }
    }
}

/// Why no loops were generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An operation on sets failed, or was too much work.
    Isl(frit_isl::Error),
    /// isl made loops of a form that is not understood.
    Form(&'static str),
}

impl Error {
    /// A name that does not change.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Isl(error) if error.is_quota() => "too-much-work",
            Error::Isl(_) => "failed-set-operation",
            Error::Form(_) => "unknown-loop-form",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Isl(error) => write!(f, "{error}"),
            Error::Form(form) => write!(f, "the generated loops have {form}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<frit_isl::Error> for Error {
    fn from(error: frit_isl::Error) -> Self {
        Error::Isl(error)
    }
}

/// The program that runs a region in the order of `tree` with arrays where `fates` say.
///
/// The program's own fates tell what really became of arrays: registers that cannot roll become windows.
pub fn generate(
    scop: &Scop,
    tree: &FusedTree,
    fates: &Table<Array, Fate>,
    options: &Options,
) -> Result<Program, Error> {
    let mut program = Program::default();
    let mut storage = Storage::new(scop, fates, options.power_of_two);
    let mut params = scop.assumed.get_space()?;
    for (_, statement) in scop.statements.iter() {
        params = params.align_params(&statement.domain.get_space()?)?;
    }
    scop.isl.set_ast_build_atomic_upper_bound(true)?;
    scop.isl.set_ast_build_detect_min_max(true)?;
    for root in &tree.body {
        scop.isl.bounded(options.max_operations, || {
            let mut nest = Nest::new(scop, root, &params)?;
            storage.roll(&mut nest)?;
            let mut ways = Vec::new();
            if let Some(length) = options.tiles {
                ways.extend(Strips::plan_tiles(scop, &nest, &storage, length)?);
            }
            if let Some(length) = options.strips.filter(|_| options.parallel) {
                ways.extend(Strips::plan(scop, &nest, &storage, length)?);
            }
            for strips in ways {
                if strips.append(scop, &nest, &mut storage, options, &mut program)? {
                    return Ok(());
                }
            }
            let kinds = Kinds::new(scop, &nest, &storage, options)?;
            let copies = nest.copies(options.max_copies)?;
            let steps = loops::steps(&nest, &copies, &mut storage, &kinds, &mut program, &Values::new())?;
            program.body.extend(steps);
            Ok::<(), Error>(())
        })?;
    }
    (program.fates, program.oversized) = (storage.fates, storage.oversized);
    liveness::drop_dead_moves(scop, &mut program);
    Ok(program)
}
