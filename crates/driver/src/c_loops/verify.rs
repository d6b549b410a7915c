//! Whether a transformed file computes what the original does: both are compiled, and their functions run on equal random data of
//! random sizes, 0 among them. How large arrays must be is read off the accesses of the regions.
//!
//! The functions run in a process of their own ([`verify.c`](HARNESS)), one call each, so that one that crashes is no more than an outcome.

use super::arguments::{Arguments, CALLERS, Named, Slot};
use super::commands::{self, Contracted};
use crate::error::Error;
use crate::native::compiler::Optimisation;
use crate::native::{Cache, Compiler, NativeError};
use frit_c::signature;
use frit_c::{File, Region};
use frit_support::Random;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// The program that calls both versions of a function and compares.
const HARNESS: &str = include_str!("verify.c");

/// More elements than this in all arrays of a call are too many.
const MAX_ELEMENTS: i64 = 1 << 22;

/// So many more calls of each function have sizes of 0, which many a program is not written for: they count only where the original does nothing that C
/// leaves undefined, as an array of no elements on the stack is.
const EMPTY_CALLS: usize = 4;

/// Elements of an array that the region does not say the size of, and the largest sizes with which functions that have one are called:
/// enough for rows of rows of rows of colours.
const PLENTY: i64 = 1 << 16;
const MAX_SIZE_IN_PLENTY: usize = 12;

/// Seconds that one call may take.
const MAX_SECONDS: u32 = 10;

/// How to compare.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// How many calls of each function.
    pub calls: usize,
    /// Where random sizes and data start from.
    pub seed: u64,
    /// How much results may differ, relatively; 0 for not at all.
    pub tolerance: f64,
    /// Further flags for the C compiler, as `-I include`.
    pub flags: Vec<String>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self { calls: 16, seed: 1, tolerance: 0.0, flags: Vec::new() }
    }
}

/// What became of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its name.
    pub function: String,
    /// What was found.
    pub outcome: Outcome,
}

/// What running both versions came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Outcome {
    /// All calls that the original survived left the same behind; `calls` of `of` did. If that is so only where no product and sum become one operation,
    /// what the flags make of it.
    Same { calls: usize, of: usize, contracted: Option<String> },
    /// A call that did not: its sizes, and what differed.
    Differs { call: String, what: String },
    /// It could not be run: why.
    NotRun { why: String },
}

impl Outcome {
    /// Both did the same.
    pub fn is_same(&self) -> bool {
        matches!(self, Outcome::Same { .. })
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Same { contracted: Some(what), .. } => write!(
                f,
                "the same results with `-ffp-contract=off`; with the given flags {what}, as the compiler makes one operation of products and sums \
                 that fusion brought together: `--keep-rounding` keeps them apart"
            ),
            Outcome::Same { calls: 1, of: 1, .. } => write!(f, "the same results"),
            Outcome::Same { calls, of, .. } if calls == of => write!(f, "the same results in {calls} calls"),
            Outcome::Same { calls, of, .. } => {
                write!(f, "the same results in {calls} calls of {of}; the original fails in the others")
            }
            Outcome::Differs { call, what } => write!(f, "OTHER RESULTS: with {call}, {what}"),
            Outcome::NotRun { why } => write!(f, "not compared: {why}"),
        }
    }
}

/// Compares the functions of a file whose regions are marked in `changed` with their transformed versions.
///
/// # Errors
///
/// There is no C compiler; it refuses the original (with what it says), or the transformed file, which is a bug of Frit's.
pub fn verify(
    file: &File,
    transformed: &str,
    changed: &[bool],
    directory: &Path,
    options: &VerifyOptions,
) -> Result<Vec<Verified>, Error> {
    let mut regions: BTreeMap<&str, Vec<&Region>> = BTreeMap::new();
    for (region, _) in file.regions.iter().zip(changed).filter(|(_, changed)| **changed) {
        regions.entry(region.function.as_str()).or_default().push(region);
    }
    let failure = |error: NativeError| Error::input(error.to_string());
    let (compiler, scratch) = (Compiler::find().map_err(failure)?, Cache::temporary().map_err(failure)?);
    let own = Cache::of_user().map_err(failure)?;
    let has = |word: &str| file.source.text.contains(word) || transformed.contains(word);
    let is_parallel = has("pragma omp");
    let has_reductions = is_parallel && has("reduction(");
    let contracts = Cell::new(true);
    let bench =
        Bench { compiler, scratch, own, directory, flags: &options.flags, is_parallel, has_reductions, contracts };
    let mut verified = Vec::new();
    let mut callable: Vec<(Arguments, Vec<&Region>)> = Vec::new();
    for (function, regions) in regions {
        if function == "main" {
            let outcome = match bench.compare_programs(&file.source.text, transformed)? {
                Outcome::Differs { what, .. } if bench.contracts() => {
                    bench.contracts.set(false);
                    match bench.compare_programs(&file.source.text, transformed)? {
                        Outcome::Same { calls, of, .. } => Outcome::Same { calls, of, contracted: Some(what) },
                        differs => differs,
                    }
                }
                other => other,
            };
            verified.push(Verified { function: function.to_string(), outcome });
            continue;
        }
        let signature = file.signatures.of(function).map_err(|why| why.to_string());
        match signature.and_then(|signature| Arguments::of(&signature, &regions)) {
            Ok(arguments) => callable.push((arguments, regions)),
            Err(why) => verified.push(Verified { function: function.to_string(), outcome: Outcome::NotRun { why } }),
        }
    }
    if callable.is_empty() {
        return Ok(verified);
    }
    let mut calls = Vec::new();
    let mut random = Random::new(options.seed);
    for (at, (signature, regions)) in callable.iter().enumerate() {
        calls.extend((0..options.calls).filter_map(|_| Call::random(at, signature, regions, false, &mut random)));
    }
    let is_watched = bench.has_sanitisers();
    for (at, (signature, regions)) in callable.iter().enumerate().filter(|_| is_watched) {
        calls.extend((0..EMPTY_CALLS).filter_map(|_| Call::random(at, signature, regions, true, &mut random)));
    }
    let signatures: Vec<&Arguments> = callable.iter().map(|(arguments, _)| arguments).collect();
    let mut lines = bench.run_calls(&file.source.text, transformed, &signatures, &calls, options, Checks::Results)?;
    let mut with_flags = lines.clone();
    if lines.iter().any(|line| line.starts_with("differs")) && bench.contracts() {
        bench.contracts.set(false);
        lines = bench.run_calls(&file.source.text, transformed, &signatures, &calls, options, Checks::Results)?;
    }
    if is_watched {
        let watched =
            bench.run_calls(&file.source.text, transformed, &signatures, &calls, options, Checks::Accesses)?;
        // Where the original does what C leaves undefined, as it overruns memory of its own, results mean nothing.
        let is_suspect = |at: &usize| {
            let is_other =
                |line: &String| ["differs", "crashed 2", "late 2"].iter().any(|start| line.starts_with(start));
            (is_other(&lines[*at]) || is_other(&with_flags[*at])) && watched[*at].starts_with("crashed 1")
        };
        let suspects: Vec<usize> = (0..calls.len()).filter(is_suspect).collect();
        if !suspects.is_empty() {
            let suspected: Vec<Call> = suspects.iter().map(|at| calls[*at].clone()).collect();
            let text = &file.source.text;
            let again = bench.run_calls(text, transformed, &signatures, &suspected, options, Checks::Original)?;
            for (at, line) in suspects.into_iter().zip(again).filter(|(_, line)| line.starts_with("crashed 1")) {
                lines[at] = line.replace("crashed 1", "undefined");
                with_flags[at].clone_from(&lines[at]);
            }
        }
        for ((call, line), watched) in calls.iter().zip(&mut lines).zip(&watched) {
            if call.is_empty && watched.starts_with("crashed 1") {
                *line = "undefined".to_string();
            } else if line == "same" && watched.starts_with("crashed 2") {
                *line = "invalid".to_string();
            }
        }
    }
    for (at, signature) in signatures.iter().enumerate() {
        let outcomes = calls.iter().zip(&lines).filter(|(call, _)| call.function == at);
        let mut outcome = summary(signature, outcomes, options.calls);
        let before = calls.iter().zip(&with_flags).filter(|(call, _)| call.function == at);
        if let (Outcome::Same { contracted, .. }, Outcome::Differs { what, .. }) =
            (&mut outcome, summary(signature, before, options.calls))
        {
            *contracted = Some(what);
        }
        verified.push(Verified { function: signature.function.clone(), outcome });
    }
    verified.sort_by(|one, other| one.function.cmp(&other.function));
    Ok(verified)
}

/// One call of a function: a value for each parameter, for arrays the number of their elements.
#[derive(Clone, Debug)]
struct Call {
    function: usize,
    seed: u64,
    values: Vec<i64>,
    /// Some of its sizes are 0.
    is_empty: bool,
}

impl Call {
    /// A call with random sizes; `None` if none were found for which the arrays are not too large.
    fn random(
        function: usize,
        signature: &Arguments,
        regions: &[&Region],
        is_empty: bool,
        random: &mut Random,
    ) -> Option<Self> {
        (0..20).find_map(|attempt| {
            // Small sizes are where prologues and epilogues meet.
            let most = if random.below(3) == 0 { 4 } else { 40 - attempt };
            let values = values(signature, regions, most, is_empty, random);
            let values = match values.iter().all(Option::is_some) {
                true => values,
                false => self::values(signature, regions, most.min(MAX_SIZE_IN_PLENTY), is_empty, random),
            };
            let plenty = |slot: &Slot| PLENTY.saturating_mul(slot.of_each);
            let values: Vec<i64> =
                values.into_iter().zip(&signature.slots).map(|(value, slot)| value.unwrap_or(plenty(slot))).collect();
            let arrays = signature.slots.iter().zip(&values).filter(|(slot, _)| slot.is_array);
            let total = arrays.fold(0, |sum: i64, (_, &elements)| sum.saturating_add(elements));
            (total <= MAX_ELEMENTS).then(|| Call { function, seed: random.bits(), values, is_empty })
        })
    }

    fn describe(&self, signature: &Arguments) -> String {
        let scalars = signature.slots.iter().zip(&self.values).filter(|(slot, _)| !slot.is_array && !slot.is_hidden);
        let named: Vec<String> = scalars.map(|(slot, value)| format!("{} = {value}", slot.name)).collect();
        if named.is_empty() { "a call".to_string() } else { named.join(", ") }
    }
}

/// Random values of parameters, the largest `most`, and half of them 0 if the call is to be empty; for arrays how many elements they need, `None` where that is not known.
fn values(
    signature: &Arguments,
    regions: &[&Region],
    most: usize,
    is_empty: bool,
    random: &mut Random,
) -> Vec<Option<i64>> {
    let mut scalars: BTreeMap<&str, i64> = BTreeMap::new();
    for slot in signature.slots.iter().filter(|slot| !slot.is_array) {
        let value = i64::try_from(1 + random.below(most)).expect("sizes are small");
        let value = if is_empty && random.below(2) == 0 { 0 } else { value };
        scalars.insert(&slot.name, value);
    }
    let value = |slot: &Slot| {
        if !slot.is_array {
            return Some(scalars[slot.name.as_str()]);
        }
        let needs = regions.iter().map(|region| elements(region, &slot.array, &scalars));
        let needed = needs.collect::<Option<Vec<i64>>>()?.into_iter().max().unwrap_or(0);
        needed.max(slot.least).checked_mul(slot.of_each)
    };
    signature.slots.iter().map(value).collect()
}

/// How many elements of an array the region may touch, where scalars have these values; `None` where that is not known.
fn elements(region: &Region, array: &Named, scalars: &BTreeMap<&str, i64>) -> Option<i64> {
    let scop = &region.scop;
    // Of arrays that may overlap nothing is known.
    let is_one_of = |name: &str| name.contains('|') && name.split('|').any(|part| array.is(part));
    if region.arrays.iter().any(|(_, data)| is_one_of(&data.name)) {
        return None;
    }
    let known: Vec<(frit_scop::Param, i64)> = region
        .params
        .iter()
        .filter_map(|(param, data)| {
            signature::evaluate(&data.text, &|name| scalars.get(name).copied()).map(|value| (param, value))
        })
        .collect();
    let names: Vec<String> = known.iter().map(|(param, _)| param.to_string()).collect();
    let facts: Vec<String> = known.iter().map(|(param, value)| format!("{param} = {value}")).collect();
    let facts = if facts.is_empty() { "true".to_string() } else { facts.join(" and ") };
    let facts =
        frit_isl::Set::parse(&scop.isl, &format!("[{}] -> {{ : {facts} }}", names.join(", "))).ok()?.params().ok()?;
    let mut most = 0;
    for (_, statement) in scop.statements.iter() {
        for access in statement.accesses.iter().filter(|access| array.is(&region.arrays[access.array].name)) {
            let extents = &scop.arrays[access.array].extents;
            let touched = access.relation.intersect_domain(&statement.domain).ok()?.range().ok()?;
            let touched = touched.intersect_params(&facts).ok()?;
            if touched.is_empty().ok()? {
                continue;
            }
            // Row-major: inner extents are the array's, the outermost is what the region needs.
            let mut size = 1;
            for dimension in 0..touched.dim(frit_isl::Dim::Set).ok()? {
                let extent = match extents.get(dimension).and_then(Option::as_ref) {
                    Some(extent) => value_of(extent, &facts),
                    None => None,
                };
                let needed = touched.dim_max_val(dimension).ok()?.to_i64().ok().map(|last| last + 1);
                let length = if dimension == 0 { extent.or(needed) } else { extent };
                size = i64::checked_mul(size, length?.max(0))?;
            }
            most = most.max(size);
        }
    }
    Some(most)
}

/// What an expression in parameters is under these facts.
fn value_of(extent: &frit_isl::PwAff, facts: &frit_isl::Set) -> Option<i64> {
    extent.intersect_params(facts).ok()?.max_val().ok()?.to_i64().ok()
}

fn summary<'a>(signature: &Arguments, outcomes: impl Iterator<Item = (&'a Call, &'a String)>, calls: usize) -> Outcome {
    let (mut same, mut others) = (0, BTreeMap::new());
    for (call, line) in outcomes {
        let words: Vec<&str> = line.split_whitespace().collect();
        let differs = |what: String| Outcome::Differs { call: call.describe(signature), what };
        match words.as_slice() {
            ["same"] if !call.is_empty => same += 1,
            ["same"] => {}
            ["differs", parameter, index, old, new] => {
                let at: usize = parameter.parse().unwrap_or(usize::MAX);
                let place = match signature.slots.get(at) {
                    Some(slot) if slot.is_array => format!("element {index} of `{}`", slot.name),
                    Some(slot) if slot.is_hidden => {
                        return differs(format!("`{}` points to other memory", slot.name));
                    }
                    Some(slot) => format!("`{}`", slot.name),
                    _ => "the result".to_string(),
                };
                return differs(format!("{place} is {new} instead of {old}"));
            }
            ["crashed", "2", signal] => return differs(format!("it ends with signal {signal}")),
            ["invalid"] => {
                let what = "it touches memory outside of its arrays, or does something else that C does not define";
                return differs(what.to_string());
            }
            ["late", "2"] => return differs(format!("it does not end within {MAX_SECONDS} seconds")),
            ["unsupported", parameter] => {
                let at: usize = parameter.parse().unwrap_or(usize::MAX);
                let name = signature.slots.get(at).map_or("its result", |slot| slot.name.as_str());
                return Outcome::NotRun { why: format!("`{name}` is neither a number nor an array of numbers") };
            }
            _ if call.is_empty => {}
            _ => *others.entry(line.as_str()).or_insert(0usize) += 1,
        }
    }
    if same > 0 {
        return Outcome::Same { calls: same, of: calls, contracted: None };
    }
    let why = match others.into_iter().max_by_key(|&(_, count)| count) {
        Some(("late 1", _)) => format!("the original does not end within {MAX_SECONDS} seconds on random data"),
        Some((line, _)) => format!("the original fails on random data (`{line}`)"),
        None => "its arrays are too large".to_string(),
    };
    Outcome::NotRun { why }
}

/// What calls are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    /// To compare what is left in arrays that have room to spare.
    Results,
    /// To find accesses outside of arrays that are as small as the region permits, and undefined behaviour. What the original does of
    /// that kind is no fault of the result.
    Accesses,
    /// To find undefined behaviour of the original, with arrays that have room to spare.
    Original,
}

impl Checks {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Checks::Results => &[],
            // Higher levels take three times as long to compile, and remove accesses of one version that the other keeps.
            Checks::Accesses | Checks::Original => {
                &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
            }
        }
    }

    /// Elements before and after each array that belong to it as well.
    fn slack(self) -> usize {
        match self {
            Checks::Results | Checks::Original => 1024,
            Checks::Accesses => 0,
        }
    }
}

/// Where files are compiled and run.
struct Bench<'a> {
    compiler: Compiler,
    scratch: Cache,
    /// Where the harness is kept.
    own: Cache,
    directory: &'a Path,
    flags: &'a [String],
    /// Directives of OpenMP stand in one of the files.
    is_parallel: bool,
    /// Threads add up what the order of matters for.
    has_reductions: bool,
    /// The compiler may make one operation of a product and a sum, as it does for its user.
    contracts: Cell<bool>,
}

/// As many threads run a function with directives of OpenMP.
const THREADS: &str = "4";

impl Bench<'_> {
    /// The compiler contracts for the flags that it is given.
    fn contracts(&self) -> bool {
        commands::contracted(self.flags) != Contracted::Nothing
    }

    /// Runs the calls; a line for each.
    fn run_calls(
        &self,
        original: &str,
        transformed: &str,
        signatures: &[&Arguments],
        calls: &[Call],
        options: &VerifyOptions,
        checks: Checks,
    ) -> Result<Vec<String>, Error> {
        let callers: String = signatures.iter().map(|signature| signature.caller()).collect();
        let shared = [checks.flags(), &["-shared", "-fPIC"]].concat();
        let original = self.compile(&format!("{original}\n{CALLERS}{callers}"), "so", &shared, "the original")?;
        let transformed =
            self.compile(&format!("{transformed}\n{CALLERS}{callers}"), "so", &shared, "the transformed file")?;
        let harness = self.harness(checks).map_err(|error| Error::input(error.to_string()))?;
        let plan: String = calls
            .iter()
            .map(|call| {
                let values: Vec<String> = call.values.iter().map(i64::to_string).collect();
                let name = &signatures[call.function].function;
                format!("{name} {} {} {}\n", call.seed, options.tolerance, values.join(" "))
            })
            .collect();
        let place = self.write("plan", &plan)?;
        let mut run = Command::new(&harness);
        run.args([original.as_os_str(), transformed.as_os_str(), place.as_os_str()]);
        run.arg(MAX_SECONDS.to_string()).arg(checks.slack().to_string());
        // Both files have functions and variables of the same names.
        run.env("ASAN_OPTIONS", "detect_leaks=0:detect_odr_violation=0").stdin(Stdio::null());
        run.env("OMP_NUM_THREADS", if self.has_reductions { "1" } else { THREADS });
        let run = started(&mut run).map_err(|error| Error::file(&harness, error))?;
        if !run.status.success() {
            let said = String::from_utf8_lossy(&run.stderr);
            return Err(Error::input(format!("the functions cannot be run: {}", said.trim())));
        }
        Ok(String::from_utf8_lossy(&run.stdout).lines().map(str::to_string).collect())
    }

    /// Runs both files as programs without input.
    fn compare_programs(&self, original: &str, transformed: &str) -> Result<Outcome, Error> {
        let run = |text: &str, what: &str| -> Result<_, Error> {
            let program = self.compile(text, "run", &["-lm"], what)?;
            let seconds = MAX_SECONDS.to_string();
            Command::new("timeout")
                .args([OsString::from(seconds), program.clone().into_os_string()])
                .stdin(Stdio::null())
                .env("OMP_NUM_THREADS", if self.has_reductions { "1" } else { THREADS })
                .current_dir(self.directory)
                .output()
                .map_err(|error| Error::file(&program, error))
        };
        let (before, after) = (run(original, "the original")?, run(transformed, "the transformed file")?);
        if before.status.code() == Some(124) || before.status.code().is_none() {
            return Ok(Outcome::NotRun { why: format!("the original program ends with {}", before.status) });
        }
        let call = "the program without arguments".to_string();
        if before.status != after.status {
            let what = format!("it ends with {} instead of {}", after.status, before.status);
            return Ok(Outcome::Differs { call, what });
        }
        if before.stdout != after.stdout {
            let lines = String::from_utf8_lossy(&before.stdout).into_owned();
            let others = String::from_utf8_lossy(&after.stdout).into_owned();
            let at = lines.lines().zip(others.lines()).take_while(|(one, other)| one == other).count();
            return Ok(Outcome::Differs { call, what: format!("line {} of its output is another one", at + 1) });
        }
        Ok(Outcome::Same { calls: 1, of: 1, contracted: None })
    }

    /// The compiler has what [`Checks::Accesses`] needs, and programs made so run.
    fn has_sanitisers(&self) -> bool {
        let Ok(harness) = self.harness(Checks::Accesses) else { return false };
        // Without arguments it says that they are missing.
        started(Command::new(harness).stdin(Stdio::null())).is_ok_and(|output| output.status.code() == Some(2))
    }

    /// The program that calls the functions.
    fn harness(&self, checks: Checks) -> Result<PathBuf, NativeError> {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).chain(checks.flags().iter().copied()).collect();
        self.compiler.own(HARNESS, Optimisation::More, &flags, &["-ldl"], &self.own)
    }

    fn write(&self, extension: &str, text: &str) -> Result<PathBuf, Error> {
        let place = self.scratch.scratch(extension);
        fs::write(&place, super::encoding::encode(text)).map_err(|error| Error::file(&place, error))?;
        Ok(place)
    }

    /// Compiles a text; headers beside the original are found.
    fn compile(&self, text: &str, extension: &str, extra: &[&str], what: &str) -> Result<PathBuf, Error> {
        let source = self.write("c", text)?;
        let made = self.scratch.scratch(extension);
        let mut beside = OsString::from("-I");
        beside.push(if self.directory.as_os_str().is_empty() { Path::new(".") } else { self.directory });
        let done = Command::new(self.compiler.path())
            .args(["-O2", "-w"])
            .arg(beside)
            .args(self.flags)
            .args((!self.contracts.get()).then_some("-ffp-contract=off"))
            .args(self.is_parallel.then_some("-fopenmp"))
            .arg("-o")
            .args([&made, &source])
            .args(extra)
            .arg("-lm")
            .output()
            .map_err(|error| Error::file(self.compiler.path(), error))?;
        if done.status.success() {
            return Ok(made);
        }
        let said = String::from_utf8_lossy(&done.stderr).replace(&*source.to_string_lossy(), what);
        let first: Vec<&str> = said.lines().take(12).collect();
        Err(Error::input(format!("the C compiler refuses {what}:\n{}", first.join("\n"))))
    }
}

/// Runs a program. One that was made a moment ago may still be open in a process that another thread is starting.
fn started(command: &mut Command) -> std::io::Result<Output> {
    for _ in 0..100 {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(10)),
            done => return done,
        }
    }
    command.output()
}
