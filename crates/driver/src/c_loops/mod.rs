//! C loop nests, source to source: `frit fuse`. Source: \[MEM\], with alignment and windows as its section 4 has them in mind.
//!
//! [`fuse`] reads a file, transforms its regions one by one, and prints it; a region that cannot be transformed, or would gain nothing, stays as it is.
//! - [`recompute`]: which arrays are computed where they are read;
//! - [`outline`]: which nests run as one loop, and why others do not;
//! - [`drawing`]: their data flow before and after, drawn;
//! - [`report`]: what became of each region's loops and arrays, for people and programs;
//! - [`page`]: all of that for a browser;
//! - [`verify`]: whether the result computes the same.
//!
//! The passes are `frit-scop`'s, the text is `frit-c`'s; here they are only put in order. Read [`report`] next.

mod arguments;
pub mod commands;
pub mod drawing;
pub mod encoding;
pub mod outline;
pub mod page;
mod recompute;
pub mod report;
pub mod verify;

use crate::error::{self, Error, Kind, panic_message};
use crate::graph::Graph;
use crate::pipeline::{Timing, record};
use drawing::Flow;
pub use frit_c::{CompileOptions, ReadOptions};
use frit_c::{File, Region, Transformed};
use frit_plan::Log;
use frit_scop::contraction::{self, Contraction};
use frit_scop::dependence::{self, Dependences};
use frit_scop::fusion;
pub use frit_scop::fusion::Objective;
use frit_scop::program::Fate;
use frit_scop::recompute::{Evaluation, Inlined, Recomputed};
use frit_scop::{Array, Param, Scop, Statement, embed, expand, generate, memory, sharing, tree::FusedTree};
use frit_support::{Diagnostic, SourceMap, Table};
use outline::Outline;
pub use recompute::Recompute;
use report::RegionReport;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;
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
    /// Which arrays are computed where they are read.
    pub recompute: Recompute,
    /// Outer loops whose iterations are independent are marked for OpenMP; those that run in order only because of windows are cut into
    /// strips that run on several threads.
    pub parallel: bool,
    /// Inner loops that may run in vectors are marked so.
    pub simd: bool,
    /// Values that loops hand on keep the rounding that memory gave them, also where compilers contract products and sums.
    pub keep_rounding: bool,
    /// Pipelines of single loops run in strips of so many iterations, stage by stage.
    pub tile: Option<u64>,
    /// At most so many merges in the file.
    pub at_most: Option<usize>,
    /// Values of parameters by their names, for the plan and the report.
    pub sizes: BTreeMap<String, i64>,
    /// Compare the result with the original.
    pub verify: Option<VerifyOptions>,
    /// The result is to take the place of the source: it is sealed, and a source that is sealed stays as it is.
    pub in_place: bool,
}

impl Default for FuseOptions {
    fn default() -> Self {
        Self {
            read: frit_c::ReadOptions::default(),
            reassociate: false,
            objective: Objective::Size,
            minimal: false,
            recompute: Recompute::default(),
            parallel: false,
            simd: false,
            keep_rounding: false,
            tile: None,
            at_most: None,
            sizes: BTreeMap::new(),
            verify: None,
            in_place: false,
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
    /// The text; the original one if nothing was transformed. [`encoding::encode`] makes the bytes of it.
    pub text: String,
    /// Regions were looked for without pragmas, too.
    pub auto: bool,
    /// An earlier run wrote the file in its place, and it has not been edited since: it was not looked at.
    pub is_sealed: bool,
    /// What became of each region.
    pub regions: Vec<RegionReport>,
    /// The loops in no region, where they are looked for without pragmas.
    pub left_out: Vec<frit_c::LeftOut>,
    /// What a user should know of places that were not understood.
    pub remarks: Vec<Diagnostic>,
    /// What comparing with the original came to, if that was asked for.
    pub verified: Vec<Verified>,
    /// How long each pass took, for all regions together.
    pub timings: Vec<Timing>,
}

impl FusedFile {
    fn sealed(sources: SourceMap, text: &str) -> FusedFile {
        FusedFile {
            sources,
            text: text.to_string(),
            auto: false,
            is_sealed: true,
            regions: Vec::new(),
            left_out: Vec::new(),
            remarks: Vec::new(),
            verified: Vec::new(),
            timings: Vec::new(),
        }
    }
}

/// Reads a C file; bytes that are no UTF-8 are characters as [`encoding`] has them.
///
/// # Errors
///
/// The file cannot be read, or is too large.
pub fn load(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    if bytes.len() > 64 << 20 {
        return Err(Error::file(path, "C files over 64 MiB are not read"));
    }
    Ok(encoding::decode(&bytes))
}

/// Transforms the regions of a C file. `path` is its name in messages, and where its headers are looked for.
///
/// # Errors
///
/// Syntax errors in functions with regions; arrays that are to be recomputed and are not there; if the result is to be compared with the original, what the C compiler refuses.
pub fn fuse(path: &Path, text: &str, options: &FuseOptions) -> Result<FusedFile, Error> {
    fuse_telling(path, text, options, &|_| {})
}

/// As [`fuse`], telling what is being done while it is.
///
/// # Errors
///
/// As [`fuse`].
pub fn fuse_telling(
    path: &Path,
    text: &str,
    options: &FuseOptions,
    doing: &(dyn Fn(&str) + Sync),
) -> Result<FusedFile, Error> {
    // Sets of isl stay on the thread that made them, so everything happens on one.
    let work = || {
        frit_support::with_deep_stack(|| {
            let mut watch = Watch { doing, region: String::new(), timings: Vec::new() };
            let mut sources = SourceMap::new();
            let id = sources.add(path.display().to_string(), text.to_string());
            if options.in_place && frit_c::is_sealed(text) {
                return Ok(FusedFile::sealed(sources, text));
            }
            let compile = frit_c::CompileOptions { path: path.display().to_string(), ..options.read.compile.clone() };
            let read = frit_c::ReadOptions { compile, ..options.read.clone() };
            let options = &FuseOptions { read, ..options.clone() };
            match watch.pass("read", || frit_c::read(id, text, &options.read)) {
                Ok(file) => fuse_file(path, sources, &file, options, watch),
                Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
            }
        })
    };
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|panic| Err(error::bug("fusing loops of C", &panic_message(&*panic), text, "c")))
}

/// Tells what is being done, and takes its time.
struct Watch<'a> {
    doing: &'a (dyn Fn(&str) + Sync),
    /// Put before the names of passes over a region.
    region: String,
    timings: Vec<Timing>,
}

impl Watch<'_> {
    fn pass<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        (self.doing)(&format!("{}{name}", self.region));
        let start = Instant::now();
        let done = work();
        record(&mut self.timings, name, start.elapsed());
        done
    }
}

fn fuse_file(
    path: &Path,
    sources: SourceMap,
    file: &File,
    options: &FuseOptions,
    mut watch: Watch,
) -> Result<FusedFile, Error> {
    known_sizes(file, options)?;
    let mut left = options.at_most;
    let (mut regions, mut transformed) = (Vec::new(), Vec::new());
    recompute::check_names(file, options)?;
    for (at, region) in file.regions.iter().enumerate() {
        watch.region = format!("{} (region {} of {}): ", region.function, at + 1, file.regions.len());
        let (result, report) = fuse_region(file, region, options, left, &sources, &mut watch);
        left = left.map(|left| left.saturating_sub(report.log.merged_count()));
        regions.push(report);
        transformed.push(result);
    }
    watch.region.clear();
    let (mut written, refused) = watch.pass("write", || accepted(file, &mut transformed, &options.read.compile));
    written.text = written.headed(options.in_place);
    for ((at, report), is_transformed) in regions.iter_mut().enumerate().zip(&written.is_transformed) {
        match refused.get(&at) {
            Some(words) => report.stays(&format!("the compiler would not accept what it became: {words}")),
            None if !is_transformed => report.stays("it could not be printed"),
            None => {}
        }
    }
    let remarks = file.remarks.iter().chain(&written.remarks).map(remark).collect();
    let verified = match &options.verify {
        Some(verify) if written.is_transformed.contains(&true) => {
            let directory = path.parent().map(PathBuf::from).unwrap_or_default();
            let flags = [&options.read.compile.flags[..], &verify.flags[..]].concat();
            let verify = VerifyOptions { flags, ..verify.clone() };
            watch
                .pass("verify", || verify::verify(file, &written.text, &written.is_transformed, &directory, &verify))?
        }
        _ => Vec::new(),
    };
    Ok(FusedFile {
        sources,
        text: written.text,
        auto: options.read.auto,
        is_sealed: false,
        regions,
        left_out: file.left_out.clone(),
        remarks,
        verified,
        timings: watch.timings,
    })
}

/// The file with its regions transformed; those that the compiler would not accept stay as they are, with what it says of them.
fn accepted(
    file: &File,
    transformed: &mut [Option<Transformed>],
    options: &frit_c::CompileOptions,
) -> (frit_c::Written, BTreeMap<usize, String>) {
    let tried = |transformed: &[Option<Transformed>]| {
        let mut written = frit_c::write(file, transformed);
        if written.is_transformed.contains(&true) {
            written.text = file.tidied(&written.text, options)?;
        }
        Ok::<_, String>(written)
    };
    let words = match tried(transformed) {
        Ok(written) => return (written, BTreeMap::new()),
        Err(words) => words,
    };
    let mut refused = BTreeMap::new();
    for at in 0..transformed.len() {
        let alone: Vec<_> =
            (0..transformed.len()).map(|other| transformed[other].clone().filter(|_| other == at)).collect();
        if transformed[at].is_some()
            && let Err(words) = tried(&alone)
        {
            transformed[at] = None;
            refused.insert(at, words);
        }
    }
    let written = tried(transformed).unwrap_or_else(|_| {
        // Each alone would do.
        let all = transformed.iter_mut().enumerate().filter_map(|(at, region)| region.take().map(|_| at));
        refused.extend(all.map(|at| (at, words.clone())));
        frit_c::write(file, transformed)
    });
    (written, refused)
}

/// That all sizes which have values are parameters of some region.
fn known_sizes(file: &File, options: &FuseOptions) -> Result<(), Error> {
    let known = RefCell::new(BTreeSet::new());
    for (_, param) in file.regions.iter().flat_map(|region| region.params.iter()) {
        let note = |name: &str| {
            known.borrow_mut().insert(name.to_string());
            Some(1)
        };
        known.borrow_mut().insert(param.text.clone());
        frit_c::signature::evaluate(&param.text, &note);
    }
    let known = known.into_inner();
    match options.sizes.keys().find(|name| !known.contains(*name)) {
        Some(name) if !file.regions.is_empty() => Err(unknown_name("size", name, &known)),
        Some(_) | None => Ok(()),
    }
}

/// An option names something that no region has.
fn unknown_name(what: &str, name: &str, known: &BTreeSet<String>) -> Error {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let known = if known.is_empty() { "there are none".into() } else { format!("they are {}", known.join(", ")) };
    let article = if what.starts_with('a') { "an" } else { "a" };
    Error::usage(format!("no region has {article} {what} `{name}`; {known}"))
}

fn remark(remark: &frit_c::Remark) -> Diagnostic {
    Diagnostic::remark(remark.code, remark.message.clone()).label(remark.span, "here")
}

/// Everything that is decided about a region.
struct Decided {
    scop: Scop,
    /// What its statements are in the region.
    statements: Table<Statement, Evaluation>,
    /// The arrays that are gone.
    inlined: BTreeMap<Array, Inlined>,
    tree: FusedTree,
    contraction: Contraction,
    shares: Vec<(Array, Array)>,
    sizes: memory::Values,
    memory: (memory::Cost, memory::Cost),
    program: frit_scop::program::Program,
}

/// Transforms a region; `None` if it stays as it is.
fn fuse_region(
    file: &File,
    region: &Region,
    options: &FuseOptions,
    at_most: Option<usize>,
    sources: &SourceMap,
    watch: &mut Watch,
) -> (Option<Transformed>, RegionReport) {
    let mut found = Found::default();
    let values = report::values(region, options);
    let request = Request { file, region, options, values: &values, at_most, sources };
    let outcome = request.run(&mut found, watch);
    report::name(region, &mut found.log);
    match outcome {
        Ok(Some(decided)) => {
            let report = report::transformed(&request, &decided, found);
            let notes = report.notes();
            let Decided { scop, statements, program, shares, .. } = decided;
            let keeps_rounding = options.keep_rounding;
            (Some(Transformed { scop, statements, program, shares, notes, keeps_rounding }), report)
        }
        Ok(None) => (None, report::unchanged(&request, None, found)),
        Err(why) => (None, report::unchanged(&request, Some(why), found)),
    }
}

/// Iterations of an outer loop that a thread runs at a time where windows have to be filled anew: so many that the rows computed twice, a few for
/// each strip, matter little.
const STRIP: u64 = 64;

/// So often a region is planned anew without the expansions that the plan before had no room for; then without any.
const MOST_EXPANSIONS: usize = 3;

/// How much work isl may do for one region before it stays as it is.
const MAX_OPERATIONS: u64 = 200_000_000;

/// Why there is no decision.
enum Failure {
    /// Arrays of the source for which there is no room where expansion put them.
    ExpansionStays(Vec<Array>),
    /// Arrays would take more memory than in the source.
    TakesMore,
    Other(String),
}

impl From<frit_isl::Error> for Failure {
    fn from(error: frit_isl::Error) -> Self {
        Failure::Other(error.to_string())
    }
}

/// What is to be decided, and how.
struct Request<'a> {
    file: &'a File,
    region: &'a Region,
    options: &'a FuseOptions,
    values: &'a BTreeMap<Param, i64>,
    at_most: Option<usize>,
    sources: &'a SourceMap,
}

/// What is known of a region, however it ends.
#[derive(Default)]
struct Found {
    log: Log,
    graphs: Option<[Graph; 2]>,
    outline: Outline,
}

impl Request<'_> {
    /// Takes the region through the passes; `None` if nothing is to be gained.
    fn run(&self, found: &mut Found, watch: &mut Watch) -> Result<Option<Decided>, String> {
        let scop = &self.region.scop;
        scop.isl.bounded(MAX_OPERATIONS, || {
            // Arrays that would need more elements than they can have stay what they are, and so do arrays that serve several purposes where
            // splitting them takes memory; loops then keep more of their order.
            let mut staying = BTreeSet::new();
            for _ in 0..MOST_EXPANSIONS {
                let expanded = watch.pass("expand", || expand::expand_except(scop, &staying));
                let expanded = expanded.map_err(|error| error.to_string())?;
                match self.decide(expanded, found, watch) {
                    Ok(decided) => return Ok(decided),
                    Err(Failure::ExpansionStays(arrays)) => staying.extend(arrays),
                    Err(Failure::TakesMore) => break,
                    Err(Failure::Other(why)) => return Err(why),
                }
            }
            self.decide(scop.clone(), found, watch).map_err(|failure| match failure {
                Failure::ExpansionStays(_) => "an array would need more elements than it can have".to_string(),
                Failure::TakesMore => "its temporary arrays would take more memory than before".to_string(),
                Failure::Other(why) => why,
            })
        })
    }

    /// Takes the region, expanded or not, through the passes; `None` if nothing is to be gained.
    fn decide(&self, scop: Scop, found: &mut Found, watch: &mut Watch) -> Result<Option<Decided>, Failure> {
        *found = Found::default();
        let recomputed = watch.pass("recompute", || self.recomputed(&scop, &mut found.log))?;
        let mut planned = self.plan(recomputed, &mut found.log, watch)?;
        if self.options.recompute == Recompute::Cheaper
            && let Some(recomputed) = watch.pass("recompute", || self.cheaper(&scop, &planned))?
        {
            let mut log = Log { decisions: Vec::new(), ..found.log.clone() };
            recompute::record(self.region, &recomputed, &mut log);
            let other = self.plan(recomputed, &mut log, watch)?;
            if other.is_smaller(&planned)? {
                (planned, found.log) = (other, log);
            }
        }
        if planned.stored > memory::stored_before(&self.region.scop, &planned.sizes)? {
            return Err(Failure::TakesMore);
        }
        found.graphs = planned.graphs.take();
        found.outline = std::mem::take(&mut planned.outline);
        self.generated(planned, watch)
    }

    /// Decides which loops run together, and where arrays are. Borders are part of the loops inside of them where that makes arrays smaller.
    fn plan(&self, recomputed: Recomputed, log: &mut Log, watch: &mut Watch) -> Result<Planned, Failure> {
        let Recomputed { scop, statements, arrays } = recomputed;
        let inlined = arrays.into_iter().filter_map(|(array, outcome)| Some((array, outcome.ok()?))).collect();
        let given = Given { scop, statements, inlined };
        let dependences = self.dependences(&given.scop, watch)?;
        let between = watch.pass("embed", || embed::embed(&given.scop, &dependences, embed::What::Between))?;
        let before = log.clone();
        let planned = match between {
            Some(scop) => self.planned(&given, &self.dependences(&scop, watch)?, scop, log, watch)?,
            None => self.planned(&given, &dependences, given.scop.clone(), log, watch)?,
        };
        if planned.stored == 0 {
            return Ok(planned);
        }
        let borders = watch.pass("embed", || embed::embed(&given.scop, &dependences, embed::What::Borders))?;
        let Some(scop) = borders else { return Ok(planned) };
        let mut log_of_other = before;
        match self.planned(&given, &self.dependences(&scop, watch)?, scop, &mut log_of_other, watch) {
            Ok(other) if other.memory.total < planned.memory.total && other.memory.peak <= planned.memory.peak => {
                *log = log_of_other;
                Ok(other)
            }
            Ok(_) | Err(_) => Ok(planned),
        }
    }

    fn dependences(&self, scop: &Scop, watch: &mut Watch) -> Result<Dependences, Failure> {
        let options = dependence::Options { reassociate: self.options.reassociate };
        Ok(watch.pass("dependences", || Dependences::new(scop, &options))?)
    }

    /// Decides which loops of a region run together where it is clear which statements each of them has.
    fn planned(
        &self,
        given: &Given,
        dependences: &Dependences,
        scop: Scop,
        log: &mut Log,
        watch: &mut Watch,
    ) -> Result<Planned, Failure> {
        let Request { region, options, values, at_most, sources, .. } = self;
        let Given { statements, inlined, .. } = given.clone();
        let of_fusion = fusion::Options {
            objective: options.objective,
            minimal: options.minimal,
            at_most: at_most.map(|most| most.saturating_sub(inlined.len())),
            values: (*values).clone(),
            nominal: NOMINAL,
            function: region.function.clone(),
            ..fusion::Options::default()
        };
        let fusion::Planned { tree, nests } =
            watch.pass("fusion", || fusion::plan(&scop, dependences, &of_fusion, log));
        let contraction = watch
            .pass("contraction", || contraction::contract(&scop, dependences, &tree, &contraction::Options::default()));
        let contraction = contraction.map_err(|failure| match failure {
            contraction::Failure::ExpansionStays { arrays } => {
                Failure::ExpansionStays(arrays.into_iter().map(|array| scop.arrays[array].origin).collect())
            }
            contraction::Failure::Isl(error) => error.into(),
        })?;
        let sizes = memory::Values::new(&scop, values, NOMINAL.unsigned_abs())?;
        let are_alike = |one: Array, other: Array| {
            let c = |array: Array| &region.arrays[scop.arrays[array].origin];
            c(one).element == c(other).element
        };
        let shares = watch
            .pass("sharing", || sharing::share(&scop, dependences, &tree, &contraction.fates, &are_alike, &sizes))?;
        let memory = memory::cost(&scop, &tree, &contraction.fates, &shares, &sizes)?;
        let stored = memory::stored(&scop, &contraction.fates, &shares, &sizes)?;
        let flow = Flow { region, scop: &scop, fates: &contraction.fates, sizes: &sizes, sources };
        let outline = nests.as_ref().map_or_else(Outline::default, |nests| Outline::new(&flow, nests, &tree));
        let graphs = nests.map(|nests| flow.graphs(&nests));
        Ok(Planned { scop, statements, inlined, graphs, outline, tree, contraction, shares, sizes, memory, stored })
    }

    /// Makes loops of a plan; `None` if nothing is to be gained.
    fn generated(&self, planned: Planned, watch: &mut Watch) -> Result<Option<Decided>, Failure> {
        let Planned { scop, statements, inlined, tree, contraction, shares, sizes, memory, .. } = planned;
        let options = self.options;
        let shrinks = |(array, fate): (Array, &Fate)| {
            *fate != Fate::Kept && !self.region.arrays[scop.arrays[array].origin].extents.is_empty()
        };
        let is_marked = options.parallel || options.simd || options.tile.is_some();
        let is_changed = !tree.is_original(&scop)
            || contraction.fates.iter().any(shrinks)
            || !shares.is_empty()
            || !inlined.is_empty();
        if !is_changed && !is_marked {
            return Ok(None);
        }
        let before = memory::cost_before(&self.region.scop, &sizes)?;
        let of_loops = generate::Options {
            parallel: self.options.parallel,
            simd: self.options.simd,
            strips: self.options.parallel.then_some(STRIP),
            tiles: self.options.tile,
            ..generate::Options::default()
        };
        let program = watch
            .pass("generate", || generate::generate(&scop, &tree, &contraction.fates, &of_loops))
            .map_err(|error| Failure::Other(error.to_string()))?;
        // Strips need other windows than those whose sizes were compared.
        let is_same = |array: Array| program.fates[array] == contraction.fates[array];
        let shares = shares.into_iter().filter(|&(user, owner)| is_same(user) && is_same(owner)).collect();
        let memory = (before, memory);
        Ok(Some(Decided { scop, statements, inlined, tree, contraction, shares, sizes, memory, program }))
    }
}

/// A region that is planned.
#[derive(Clone)]
struct Given {
    scop: Scop,
    statements: Table<Statement, Evaluation>,
    inlined: BTreeMap<Array, Inlined>,
}

/// A plan of a region, not yet made into loops.
struct Planned {
    scop: Scop,
    statements: Table<Statement, Evaluation>,
    inlined: BTreeMap<Array, Inlined>,
    /// Its nests before and after.
    graphs: Option<[Graph; 2]>,
    outline: Outline,
    tree: FusedTree,
    contraction: Contraction,
    /// Pairs of which the first uses the storage of the second.
    shares: Vec<(Array, Array)>,
    sizes: memory::Values,
    memory: memory::Cost,
    /// Of what is no scalar.
    stored: u128,
}

impl Planned {
    /// It takes less memory in all, no more at its peak, and no more for any array.
    fn is_smaller(&self, other: &Planned) -> Result<bool, frit_isl::Error> {
        for array in self.scop.arrays.indices().filter(|array| !self.inlined.contains_key(array)) {
            let bytes = |of: &Planned| memory::bytes(&of.scop, array, &of.contraction.fates[array], &of.sizes);
            if bytes(self)? > bytes(other)? {
                return Ok(false);
            }
        }
        Ok(self.memory.total < other.memory.total && self.memory.peak <= other.memory.peak)
    }
}
