//! C loop nests, source to source: `frit fuse`. Source: \[MEM\], with alignment and windows as its section 4 has them in mind.
//!
//! [`fuse`] reads a file, transforms its regions one by one, and prints it; a region that cannot be transformed, or would gain nothing, stays as it is.
//! - [`report`]: what became of each region's loops and arrays, for people and programs;
//! - [`verify`]: whether the result computes the same.
//!
//! The passes are `frit-scop`'s, the text is `frit-c`'s; here they are only put in order. Read [`report`] next.

pub mod report;
pub mod verify;

use crate::error::{self, Error, Kind, panic_message};
pub use frit_c::ReadOptions;
use frit_c::{File, Region, Transformed};
use frit_plan::Log;
use frit_scop::contraction::{self, Contraction};
use frit_scop::dependence::{self, Dependences};
use frit_scop::fusion;
pub use frit_scop::fusion::Objective;
use frit_scop::program::Fate;
use frit_scop::{Array, Param, Scop, embed, expand, generate, memory, sharing, tree::FusedTree};
use frit_support::{Diagnostic, SourceMap};
use report::RegionReport;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use verify::{Verified, VerifyOptions};

/// How regions are transformed.
#[derive(Clone, Debug)]
pub struct FuseOptions {
    /// Where to look for regions, and what pointers may do.
    pub read: frit_c::ReadOptions,
    /// Floating-point reductions may be reordered.
    pub reassociate: bool,
    /// What a plan is to be the best in.
    pub objective: Objective,
    /// The least memory, even if loops are vectorised worse.
    pub minimal: bool,
    /// Parallel loops stay parallel, and are marked for OpenMP.
    pub parallel: bool,
    /// Inner loops that may run in vectors are marked so.
    pub simd: bool,
    /// At most so many merges in the file.
    pub at_most: Option<usize>,
    /// Values of parameters by their names, for the plan and the report.
    pub sizes: BTreeMap<String, i64>,
    /// Compare the result with the original.
    pub verify: Option<VerifyOptions>,
}

impl Default for FuseOptions {
    fn default() -> Self {
        Self {
            read: frit_c::ReadOptions::default(),
            reassociate: false,
            objective: Objective::Size,
            minimal: false,
            parallel: false,
            simd: false,
            at_most: None,
            sizes: BTreeMap::new(),
            verify: None,
        }
    }
}

/// What a parameter without a value is taken to be when sizes are compared and reported.
pub const NOMINAL: i64 = 1000;

/// A file after [`fuse`].
#[derive(Clone, Debug)]
pub struct FusedFile {
    /// The source, for messages.
    pub sources: SourceMap,
    /// The text; the original one if nothing was transformed.
    pub text: String,
    /// What became of each region.
    pub regions: Vec<RegionReport>,
    /// What a user should know of places that were not understood.
    pub remarks: Vec<Diagnostic>,
    /// What comparing with the original came to, if that was asked for.
    pub verified: Vec<Verified>,
}

/// Reads a C file.
///
/// # Errors
///
/// The file cannot be read, or is no text.
pub fn load(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    if bytes.len() > 64 << 20 {
        return Err(Error::file(path, "C files over 64 MiB are not read"));
    }
    String::from_utf8(bytes).map_err(|_| Error::file(path, "the file is not UTF-8 text"))
}

/// Transforms the regions of a C file. `path` is its name in messages, and where its headers are looked for.
///
/// # Errors
///
/// Syntax errors in functions with regions; if the result is to be compared with the original, what the C compiler refuses.
pub fn fuse(path: &Path, text: &str, options: &FuseOptions) -> Result<FusedFile, Error> {
    // Sets of isl stay on the thread that made them, so everything happens on one.
    let work = || {
        frit_support::with_deep_stack(|| {
            let mut sources = SourceMap::new();
            let id = sources.add(path.display().to_string(), text.to_string());
            match frit_c::read(id, text, &options.read) {
                Ok(file) => fuse_file(path, sources, &file, options),
                Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources }),
            }
        })
    };
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|panic| Err(error::bug("fusing loops of C", &panic_message(&*panic), text, "c")))
}

fn fuse_file(path: &Path, sources: SourceMap, file: &File, options: &FuseOptions) -> Result<FusedFile, Error> {
    let mut left = options.at_most;
    let (mut regions, mut transformed) = (Vec::new(), Vec::new());
    for region in &file.regions {
        let (result, report) = fuse_region(region, options, left, &sources);
        left = left.map(|left| left.saturating_sub(report.log.merged_count()));
        regions.push(report);
        transformed.push(result);
    }
    let written = frit_c::write(file, &transformed, &frit_c::WriteOptions::default());
    for (report, _) in regions.iter_mut().zip(&written.is_transformed).filter(|(_, is_transformed)| !**is_transformed) {
        report.unchanged.get_or_insert_with(|| "it could not be printed".to_string());
    }
    let remarks = file.remarks.iter().chain(&written.remarks).map(remark).collect();
    let verified = match &options.verify {
        Some(verify) if written.is_transformed.contains(&true) => {
            let directory = path.parent().map(PathBuf::from).unwrap_or_default();
            verify::verify(file, &written.text, &written.is_transformed, &directory, verify)?
        }
        _ => Vec::new(),
    };
    Ok(FusedFile { sources, text: written.text, regions, remarks, verified })
}

fn remark(remark: &frit_c::Remark) -> Diagnostic {
    Diagnostic::remark(remark.code, remark.message.clone()).label(remark.span, "here")
}

/// Everything that is decided about a region.
struct Decided {
    scop: Scop,
    tree: FusedTree,
    contraction: Contraction,
    shares: Vec<(Array, Array)>,
    sizes: memory::Values,
    memory: (memory::Cost, memory::Cost),
    program: frit_scop::program::Program,
}

/// Transforms a region; `None` if it stays as it is.
fn fuse_region(
    region: &Region,
    options: &FuseOptions,
    at_most: Option<usize>,
    sources: &SourceMap,
) -> (Option<Transformed>, RegionReport) {
    let mut log = Log::default();
    let values = report::values(region, options);
    let decided = decide(region, options, &values, at_most, &mut log);
    match decided {
        Ok(Some(decided)) => {
            let report = report::transformed(region, &decided, log, &values, sources);
            let notes = report.notes();
            let Decided { scop, program, shares, .. } = decided;
            (Some(Transformed { scop, program, shares, notes }), report)
        }
        Ok(None) => (None, report::unchanged(region, None, log, sources)),
        Err(why) => (None, report::unchanged(region, Some(why), log, sources)),
    }
}

/// How much work isl may do for one region before it stays as it is.
const MAX_OPERATIONS: u64 = 200_000_000;

fn decide(
    region: &Region,
    options: &FuseOptions,
    values: &BTreeMap<Param, i64>,
    at_most: Option<usize>,
    log: &mut Log,
) -> Result<Option<Decided>, String> {
    let request = Request { region, options, values, at_most };
    region.scop.isl.bounded(MAX_OPERATIONS, || {
        let expanded = expand::expand(&region.scop).map_err(|error| error.to_string())?;
        let decided = request.decide(expanded, log).or_else(|failure| match failure {
            // Scalars that would need an element for each iteration stay what they are; loops then keep more of their order.
            Failure::ExpansionStays => request.decide(region.scop.clone(), log),
            Failure::Other(_) => Err(failure),
        });
        decided.map_err(|failure| match failure {
            Failure::ExpansionStays => "a scalar would need an element for each iteration".to_string(),
            Failure::Other(why) => why,
        })
    })
}

/// Why there is no decision.
enum Failure {
    ExpansionStays,
    Other(String),
}

impl From<frit_isl::Error> for Failure {
    fn from(error: frit_isl::Error) -> Self {
        Failure::Other(error.to_string())
    }
}

/// What is to be decided, and how.
struct Request<'a> {
    region: &'a Region,
    options: &'a FuseOptions,
    values: &'a BTreeMap<Param, i64>,
    at_most: Option<usize>,
}

impl Request<'_> {
    /// Takes the region, expanded or not, through the passes; `None` if nothing is to be gained.
    fn decide(&self, scop: Scop, log: &mut Log) -> Result<Option<Decided>, Failure> {
        let Request { region, options, values, at_most } = self;
        log.decisions.clear();
        let of_dependences = dependence::Options { reassociate: options.reassociate };
        let mut dependences = Dependences::new(&scop, &of_dependences)?;
        let scop = match embed::embed(&scop, &dependences)? {
            Some(embedded) => {
                dependences = Dependences::new(&embedded, &of_dependences)?;
                embedded
            }
            None => scop,
        };
        let of_fusion = fusion::Options {
            objective: options.objective,
            minimal: options.minimal,
            at_most: *at_most,
            values: (*values).clone(),
            nominal: NOMINAL,
            function: region.function.clone(),
            ..fusion::Options::default()
        };
        let tree = fusion::plan(&scop, &dependences, &of_fusion, log);
        let contraction = contraction::contract(&scop, &dependences, &tree, &contraction::Options::default());
        let contraction = contraction.map_err(|failure| match failure {
            contraction::Failure::ExpansionStays { .. } => Failure::ExpansionStays,
            contraction::Failure::Isl(error) => error.into(),
        })?;
        let sizes = memory::Values::new(&scop, values, NOMINAL.unsigned_abs())?;
        let are_alike = |one: Array, other: Array| {
            let c = |array: Array| &region.arrays[scop.arrays[array].origin];
            c(one).element == c(other).element
        };
        let shares = sharing::share(&scop, &dependences, &tree, &contraction.fates, &are_alike, &sizes)?;
        let shrinks = |(array, fate): (Array, &Fate)| {
            *fate != Fate::Kept && !region.arrays[scop.arrays[array].origin].extents.is_empty()
        };
        if tree == FusedTree::original(&scop) && !contraction.fates.iter().any(shrinks) && shares.is_empty() {
            return Ok(None);
        }
        let before = memory::cost_before(&region.scop, &sizes)?;
        let after = memory::cost(&scop, &tree, &contraction.fates, &shares, &sizes)?;
        let of_loops =
            generate::Options { parallel: options.parallel, simd: options.simd, ..generate::Options::default() };
        let program = generate::generate(&scop, &tree, &contraction.fates, &of_loops)
            .map_err(|error| Failure::Other(error.to_string()))?;
        let shares = shares.into_iter().map(|(user, owner)| (owner, user)).collect();
        Ok(Some(Decided { scop, tree, contraction, shares, sizes, memory: (before, after), program }))
    }
}
