//! What became of the regions of a C file: loops, arrays and memory, before and after, and every decision with its reason. For the terminal, as
//! JSON, and as the comment at the head of the transformed file.

use super::commands::{self, Contracted};
use super::outline::Outline;
use super::recompute::RULE;
use super::{Decided, Found, FuseOptions, FusedFile, NOMINAL, Request};
use crate::explain::sizes;
use crate::graph::Graph;
use frit_c::region::Outside;
use frit_c::{Form, Region};
use frit_isl::{Dim, PwAff};
use frit_plan::{Decision, Log, Outcome};
use frit_scop::contraction::Reason;
use frit_scop::model::{AccessKind, Use};
use frit_scop::program::{Fate, Step};
use frit_scop::tree::Fused;
use frit_scop::{Array, Node, Param, memory};
use frit_support::{Diagnostic, Index, SourceMap, Span, diagnostic};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What became of a region.
#[derive(Clone, Debug)]
pub struct RegionReport {
    /// The function that it is in.
    pub function: String,
    /// Its first line.
    pub line: usize,
    /// Why it stays as it is: `None` if it was transformed, an empty text if nothing was to be gained.
    pub unchanged: Option<String>,
    /// Loop nests and statements outside of loops, before and after (prologues and epilogues not counted).
    pub nests: (usize, usize),
    /// Outermost loops of the result, prologues and epilogues included.
    pub pieces: usize,
    /// The temporary arrays.
    pub arrays: Vec<ArrayReport>,
    /// The bytes of all temporaries, scalars included, before and after; storage that arrays share counts once.
    pub total: (u128, u128),
    /// The most bytes of temporary arrays that are in use at a time, before and after.
    pub peak: (u128, u128),
    /// Every candidate and what it came to.
    pub log: Log,
    /// The loop nests and what flows between them, before and after; `None` if nothing could be planned.
    pub graphs: Option<[Graph; 2]>,
    /// Which nests run as one loop, and why others do not.
    pub outline: Outline,
    /// The values that parameters were taken to have.
    pub sizes: BTreeMap<String, i64>,
    /// Temporary arrays that need less than they have, or nothing, and whose memory cannot be given back: their names, and why.
    pub reserved: Vec<(String, String)>,
    /// Arrays whose elements the C compiler may contract with what they are added to, now that both meet.
    pub contracted: Vec<String>,
    /// Arrays that the region fills and reads, and that stay whole because they are used, or may be, after it.
    pub used_after: Vec<String>,
    /// Arrays that stay whole because their names stand where no element is accessed.
    pub named: Vec<String>,
}

/// What became of a temporary array.
#[derive(Clone, Debug)]
pub struct ArrayReport {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub element: String,
    /// What it became: `scalar`, `window 3 x m`, `kept`, ...
    pub fate: String,
    /// Why it was kept, if it was.
    pub reason: Option<String>,
    /// Its bytes before and after, for the sizes of the region.
    pub bytes: (u128, u128),
    /// Where it is declared.
    pub span: Span,
}

impl ArrayReport {
    /// What it became, and why it is no smaller.
    pub fn became(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{}: {reason}", self.fate),
            None => self.fate.clone(),
        }
    }
}

impl RegionReport {
    /// The region is not transformed: for this reason, if none is known yet.
    pub(super) fn stays(&mut self, why: &str) {
        self.unchanged.get_or_insert_with(|| why.to_string());
        self.arrays.clear();
        self.outline.loops.clear();
        (self.nests.1, self.pieces) = (self.nests.0, self.nests.0);
        (self.total.1, self.peak.1) = (self.total.0, self.peak.0);
        if let Some([before, after]) = &mut self.graphs {
            after.clone_from(before);
        }
    }

    /// What was done, in a few lines, without sizes: for the comment in the file.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("loop nests: {} -> {}", self.nests.0, self.nests.1)];
        let mut by_fate: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for array in &self.arrays {
            by_fate.entry(&array.fate).or_default().push(&array.name);
        }
        notes.extend(by_fate.iter().map(|(fate, names)| format!("{}: {fate}", names.join(", "))));
        notes
    }
}

/// The report of a region that was transformed.
pub(super) fn transformed(request: &Request, decided: &Decided, found: Found) -> RegionReport {
    let Request { region, .. } = request;
    let Decided { scop, inlined, tree, contraction, sizes, memory: (before, after), .. } = decided;
    let mut parts: BTreeMap<Array, Vec<Array>> = BTreeMap::new();
    for (array, data) in scop.arrays.iter().filter(|(_, data)| !data.is_live_in && !data.is_live_out) {
        if region.arrays[data.origin].form != Form::Unknown {
            parts.entry(data.origin).or_default().push(array);
        }
    }
    let arrays = parts.into_iter().filter_map(|(origin, parts)| {
        let c = &region.arrays[origin];
        let data = &region.scop.arrays[origin];
        let stays_scalar = parts.iter().all(|&part| matches!(contraction.fates[part], Fate::Kept | Fate::Scalar));
        if data.extents.is_empty() && stays_scalar {
            return None;
        }
        let before = memory::bytes(&region.scop, origin, &Fate::Kept, sizes).unwrap_or(0);
        let mut after = 0;
        let mut fates: Vec<String> = Vec::new();
        for &part in &parts {
            let fate = &contraction.fates[part];
            let text = match inlined.get(&part) {
                Some(inlined) => inlined_text(inlined.times),
                None => {
                    after += memory::bytes(scop, part, fate, sizes).unwrap_or(0);
                    fate_text(fate, scop.arrays[part].expanded, &c.extents)
                }
            };
            if !fates.contains(&text) {
                fates.push(text);
            }
        }
        let of_fusion = || parts.iter().find_map(|&part| found.outline.why_whole(part));
        let reason = match parts.iter().find_map(|&part| contraction.reasons[part]) {
            Some(reason @ (Reason::UnboundedWindow | Reason::InexactAccess { .. })) => {
                of_fusion().or_else(|| Some(reason_text(reason)))
            }
            reason => reason.map(reason_text),
        };
        Some(ArrayReport {
            name: c.name.clone(),
            element: c.element.clone(),
            fate: fates.join(", "),
            reason,
            bytes: (before, after),
            span: data.span,
        })
    });
    let arrays: Vec<ArrayReport> = arrays.collect();
    // What is a temporary only by its parts is none in the source: before, all of it was there.
    let is_live = |array: &&ArrayReport| {
        let mut of_source = region.scop.arrays.iter();
        let data = of_source.find(|(at, _)| region.arrays[*at].name == array.name).map(|(_, data)| data);
        data.is_some_and(|data| data.is_live_in || data.is_live_out)
    };
    let more: u128 = arrays.iter().filter(is_live).map(|array| array.bytes.0).sum();
    let before = memory::Cost { total: before.total + more, peak: before.peak + more };
    let reserved = arrays.iter().filter(|array| array.bytes.1 < array.bytes.0);
    let reserved = reserved.filter_map(|array| Some((array.name.clone(), why_reserved(request, array)?))).collect();
    RegionReport {
        function: region.function.clone(),
        line: line_of(request),
        unchanged: None,
        nests: (nests(&region.scop.body), tree.body.iter().filter(|part| matches!(part, Fused::Loop(_))).count()),
        pieces: pieces(&decided.program.body),
        arrays,
        total: (before.total, after.total),
        peak: (before.peak, after.peak),
        log: found.log,
        graphs: found.graphs,
        outline: found.outline,
        sizes: taken(request),
        reserved,
        contracted: contracted(request, decided),
        used_after: used_after(region, false),
        named: used_after(region, true),
    }
}

/// The arrays whose elements are variables or expressions now, where the compiler may contract them with sums.
fn contracted(request: &Request, decided: &Decided) -> Vec<String> {
    let Request { file, region, options, .. } = request;
    let candidates = decided.scop.arrays.iter().filter(|(array, data)| {
        let is_near = matches!(decided.contraction.fates[*array], Fate::Scalar | Fate::Registers { .. });
        (is_near || decided.inlined.contains_key(array)) && frit_c::may_contract(file, region, data.origin)
    });
    let candidates: Vec<(Array, Array)> = candidates.map(|(array, data)| (array, data.origin)).collect();
    if options.keep_rounding || candidates.is_empty() {
        return Vec::new();
    }
    let of = commands::contracted(&options.read.compile.flags);
    let meets = |array: &Array| match of {
        Contracted::Nothing => false,
        Contracted::Expressions => decided.inlined.contains_key(array),
        Contracted::All => true,
    };
    let names =
        candidates.iter().filter(|(array, _)| meets(array)).map(|(_, origin)| region.arrays[*origin].name.clone());
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Why an array that is declared outside of the region keeps all of its memory, if it does.
fn why_reserved(request: &Request, array: &ArrayReport) -> Option<String> {
    let c = request.region.arrays.iter().map(|(_, c)| c).find(|c| c.name == array.name)?;
    let stays = array.fate.contains("window");
    let pinned = match c.outside.as_ref()? {
        Err(pinned) => pinned,
        Ok(Outside { size: Err(pinned), .. }) if stays => pinned,
        Ok(_) => return None,
    };
    let line = request.sources.position(request.file.span(&pinned.range)).map_or(0, |place| place.line);
    Some(format!("line {line} {}", pinned.why))
}

/// The arrays that the region fills before it reads them, and that may be used after it; or those of which that is only taken for granted, because
/// they are pinned.
fn used_after(region: &Region, is_pinned: bool) -> Vec<String> {
    let scop = &region.scop;
    let is_filled = |uses: &[Use]| {
        let first = uses.first().map(|of| of.statement);
        let is_read = |of: &&Use| scop.access(**of).kind == AccessKind::Read;
        uses.iter().filter(is_read).all(|of| Some(of.statement) != first) && uses.iter().any(|of| is_read(&of))
    };
    let uses = scop.uses();
    let arrays = scop
        .arrays
        .iter()
        .filter(|(array, data)| data.is_live_out && !data.extents.is_empty() && is_filled(&uses[*array]))
        .filter(|(array, _)| region.arrays[*array].is_pinned == is_pinned);
    arrays.map(|(_, data)| data.name.replace('|', ", ")).collect()
}

/// The report of a region that stays as it is.
pub(super) fn unchanged(request: &Request, why: Option<String>, found: Found) -> RegionReport {
    let Request { region, values, .. } = request;
    let nests = nests(&region.scop.body);
    let sizes = memory::Values::new(&region.scop, values, NOMINAL.unsigned_abs());
    let cost = sizes.and_then(|sizes| memory::cost_before(&region.scop, &sizes));
    let cost = cost.unwrap_or(memory::Cost { total: 0, peak: 0 });
    RegionReport {
        function: region.function.clone(),
        line: line_of(request),
        unchanged: Some(why.unwrap_or_default()),
        nests: (nests, nests),
        pieces: nests,
        arrays: Vec::new(),
        total: (cost.total, cost.total),
        peak: (cost.peak, cost.peak),
        log: found.log,
        graphs: found.graphs,
        outline: found.outline,
        sizes: taken(request),
        reserved: Vec::new(),
        contracted: Vec::new(),
        used_after: used_after(region, false),
        named: used_after(region, true),
    }
}

/// Names what loops use as a user knows it: arrays that may overlap one by one, and memory that is not known only where there is nothing else.
pub(super) fn name(region: &Region, log: &mut Log) {
    let unknown: BTreeSet<&str> = (region.arrays.iter())
        .filter(|(_, array)| array.form == Form::Unknown && !array.name.contains('|'))
        .map(|(_, array)| array.name.as_str())
        .collect();
    for names in log.decisions.iter_mut().flat_map(|decision| [&mut decision.first.names, &mut decision.second.names]) {
        let mut known: Vec<String> = Vec::new();
        for name in names.iter().flat_map(|name| name.split('|')).filter(|name| !unknown.contains(name)) {
            if !known.iter().any(|other| other == name) {
                known.push(name.to_string());
            }
        }
        if known.is_empty() && !names.is_empty() {
            known.push("unknown memory".to_string());
        }
        *names = known;
    }
    for decision in &mut log.decisions {
        if let Outcome::Refused { reason, .. } = &mut decision.outcome {
            *reason = reason.replace('|', "`, `");
        }
    }
}

/// The values that parameters are taken to have, by their names.
fn taken(request: &Request) -> BTreeMap<String, i64> {
    // Those that the sizes of temporary arrays depend on.
    let temporary =
        request.region.scop.arrays.iter().map(|(_, data)| data).filter(|data| !data.is_live_in || !data.is_live_out);
    let extents: Vec<&PwAff> = temporary.flat_map(|data| data.extents.iter().flatten()).collect();
    let depends = |extent: &PwAff, param: &str| match extent.find_dim_by_name(Dim::Param, param)? {
        Some(at) => extent.involves_dims(Dim::Param, at, 1),
        None => Ok(false),
    };
    // Where isl cannot tell, the value is told.
    let is_used = |param: &Param| {
        let name = param.to_string();
        extents.iter().any(|extent| depends(extent, &name).unwrap_or(true))
    };
    let known = request.values.iter().filter(|(param, _)| is_used(param));
    known.map(|(&param, &value)| (request.region.params[param].text.clone(), value)).collect()
}

fn nests(body: &[Node]) -> usize {
    body.iter().filter(|node| matches!(node, Node::Loop(..))).count()
}

fn pieces(steps: &[Step]) -> usize {
    steps
        .iter()
        .map(|step| match step {
            Step::For(_) => 1,
            Step::If { then, otherwise, .. } => pieces(then) + pieces(otherwise),
            Step::Instance(_) | Step::Rotate { .. } => 0,
        })
        .sum()
}

fn line_of(request: &Request) -> usize {
    let place = request.file.span(&request.region.range);
    request.sources.position(place).map_or(1, |place| place.line)
}

/// A fate as people read it; `scalar`, `window 3 x m`, `kept`.
pub(super) fn fate_text(fate: &Fate, expanded: usize, extents: &[Option<String>]) -> String {
    match fate {
        Fate::Kept => "kept".to_string(),
        Fate::Scalar => "scalar".to_string(),
        Fate::Registers { count, .. } => format!("window {count}"),
        Fate::Window { moduli } => {
            let sizes = moduli.iter().enumerate().filter_map(|(dimension, modulus)| match modulus {
                Some(1) => None,
                Some(modulus) => Some(modulus.to_string()),
                None if dimension < expanded => Some("one for each iteration".to_string()),
                None => Some(extents[dimension - expanded].clone().unwrap_or_else(|| "?".to_string())),
            });
            let sizes: Vec<String> = sizes.collect();
            if sizes.is_empty() { "scalar".to_string() } else { format!("window {}", sizes.join(" x ")) }
        }
    }
}

/// What became of an array whose elements are computed where they are read; at most so many times each.
fn inlined_text(times: Option<u64>) -> String {
    match times {
        Some(0 | 1) => "inlined".to_string(),
        Some(times) => format!("recomputed {times} times per element"),
        None => "recomputed wherever it is read".to_string(),
    }
}

/// Why an array stays as large as it is.
fn reason_text(reason: Reason) -> String {
    let text = match reason {
        Reason::LiveIn => "it may hold values from before the region",
        Reason::LiveOut => "it is used after the region",
        Reason::InexactAccess { .. } => "a subscript is not affine",
        Reason::UnboundedWindow => "how much of it is in use at a time depends on the sizes",
        Reason::TooHard => "how much of it is in use at a time was not found in bounded time",
    };
    text.to_string()
}

/// The value that each parameter is taken to have. Products of parameters are parameters of their own, so their texts are evaluated.
pub(super) fn values(region: &Region, options: &FuseOptions) -> BTreeMap<Param, i64> {
    let value = |name: &str| Some(options.sizes.get(name).copied().unwrap_or(NOMINAL));
    region
        .params
        .iter()
        .map(|(param, data)| {
            let given = options.sizes.get(&data.text).copied();
            (param, given.or_else(|| frit_c::signature::evaluate(&data.text, &value)).unwrap_or(NOMINAL))
        })
        .collect()
}

/// How many pairs of loops that stay apart are told of a region if not all decisions are.
const MOST_APART: usize = 6;

/// The report for the terminal, with colours if `color`: for each region its memory, array by array, and the loops that it became; then what was
/// not understood. With `all`, every decision stands in the source's lines, too.
pub fn terminal(fused: &FusedFile, color: bool, all: bool) -> String {
    let mut text = String::new();
    for region in &fused.regions {
        let _ = writeln!(text, "{}, line {}: {}", region.function, region.line, headline(region));
        if region.unchanged.is_none() {
            text += &table(region);
        }
        for sentence in region.outline.sentences(if all { usize::MAX } else { MOST_APART }) {
            let _ = writeln!(text, "  {sentence}");
        }
        text.push('\n');
        if all {
            let decisions = region.log.decisions.iter().map(|decision| message(decision, region, &fused.sources));
            text += &diagnostic::render(&fused.sources, &decisions.collect::<Vec<_>>(), color);
        }
    }
    for verified in &fused.verified {
        let _ = writeln!(text, "{}: {}", verified.function, verified.outcome);
    }
    text += &left_out(fused, if all { usize::MAX } else { MOST_LEFT_OUT });
    text += &diagnostic::render(&fused.sources, &fused.remarks, color);
    if fused.is_sealed {
        text += "nothing was done: an earlier run wrote the file in its place; without the comment at its head it is fused anew\n";
    } else if fused.regions.is_empty() && !fused.remarks.is_empty() && !fused.auto {
        text += "nothing was transformed: see above\n";
    } else if fused.regions.is_empty() && fused.auto {
        text += "no region was found: --auto takes two loop nests or more in a row that are understood\n";
    } else if fused.regions.is_empty() {
        text += "no region was found: put `#pragma scop` before the loops and `#pragma endscop` behind them, or use --auto\n";
    }
    text
}

/// How many loops are told that --auto leaves out, if not all are.
const MOST_LEFT_OUT: usize = 10;

/// The loops in no region, with the reason for each, and what would help.
fn left_out(fused: &FusedFile, most: usize) -> String {
    let line = |of: &frit_c::LeftOut| fused.sources.position(of.span).map_or(0, |place| place.line);
    let (others, alone): (Vec<_>, Vec<_>) = fused.left_out.iter().partition(|of| of.why.is_some());
    let mut text = String::new();
    for of in others.iter().take(most) {
        let _ =
            writeln!(text, "{}, line {}: left out: {}", of.function, line(of), of.why.as_deref().unwrap_or_default());
    }
    if others.len() > most {
        let _ = writeln!(text, "{} more are left out; -v tells all", count(others.len() - most, "loop"));
    }
    let alone: BTreeSet<usize> = alone.into_iter().map(line).collect();
    let shown: Vec<String> = alone.iter().take(most).map(usize::to_string).collect();
    if !shown.is_empty() {
        let more = if alone.len() > shown.len() { ", ..." } else { "" };
        let what = if alone.len() == 1 { "line" } else { "lines" };
        let _ =
            writeln!(text, "left out, as no loop stands beside to be fused with: {what} {}{more}", shown.join(", "));
    }
    text
}

/// What became of a file, in a line: `2 of 3 regions changed, temporary arrays 24.0 MB -> 12.0 kB`.
pub fn summary(fused: &FusedFile) -> String {
    let changed: Vec<&RegionReport> = fused.regions.iter().filter(|region| region.unchanged.is_none()).collect();
    match (fused.regions.len(), changed.len()) {
        _ if fused.is_sealed => "as an earlier run wrote it".to_string(),
        (0, _) => "no region".to_string(),
        (all, 0) => format!("none of {} changed", count(all, "region")),
        (all, some) => {
            let total = |of: &dyn Fn(&RegionReport) -> u128| {
                changed.iter().map(|region| of(region)).fold(0, u128::saturating_add)
            };
            let (before, after) = (total(&|region| region.total.0), total(&|region| region.total.1));
            let sizes: BTreeMap<String, i64> = changed.iter().flat_map(|region| region.sizes.clone()).collect();
            let memory = match (before, after) {
                (0, 0) => String::new(),
                _ => format!(
                    ", temporary arrays {} -> {}{}",
                    size(before),
                    size(after),
                    of_sizes(&sizes).map(|sizes| format!(" {sizes}")).unwrap_or_default()
                ),
            };
            format!("{some} of {} changed{memory}", count(all, "region"))
        }
    }
}

/// `1 loop nest`, `2 loop nests`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A number of bytes for people.
pub(super) fn size(bytes: u128) -> String {
    sizes::bytes(i128::try_from(bytes).unwrap_or(i128::MAX))
}

/// What became of a region's nests, in a line.
pub(super) fn headline(region: &RegionReport) -> String {
    let count = |n: usize| count(n, "loop nest");
    let left = if region.nests.0 == 1 {
        "1 loop nest left as it was".to_string()
    } else {
        format!("{} left as they were", count(region.nests.0))
    };
    let is_refused = |decision: &Decision| matches!(decision.outcome, Outcome::Refused { .. });
    match &region.unchanged {
        Some(why) if why.is_empty() && region.nests.0 == 0 => {
            "left as it was: no loop nest in it is understood".to_string()
        }
        None => format!("{} became {}", count(region.nests.0), region.nests.1),
        Some(why) if why.is_empty() && region.log.decisions.iter().any(is_refused) => {
            format!("{left}: nothing is to be gained by what is possible")
        }
        Some(why) if why.is_empty() => format!("{left}: nothing to be gained"),
        Some(why) => format!("{left}: {why}"),
    }
}

/// Memory before and after, array by array.
fn table(region: &RegionReport) -> String {
    let mut rows = vec![["array".to_string(), "before".into(), "after".into(), "what it became".into()]];
    for array in &region.arrays {
        rows.push([array.name.clone(), size(array.bytes.0), size(array.bytes.1), array.became()]);
    }
    let (before, after) = region.total;
    let of_arrays = |bytes: fn(&ArrayReport) -> u128| region.arrays.iter().map(bytes).sum::<u128>();
    let scalars = (
        before.saturating_sub(of_arrays(|array| array.bytes.0)),
        after.saturating_sub(of_arrays(|array| array.bytes.1)),
    );
    // Told where the sum of the arrays would not be the total.
    let is_seen = |scalars: u128, all: u128| scalars > 0 && size(all - scalars) != size(all);
    if !region.arrays.is_empty() && (is_seen(scalars.0, before) || is_seen(scalars.1, after)) {
        rows.push(["scalars".into(), size(scalars.0), size(scalars.1), String::new()]);
    }
    rows.push(["total".into(), size(before), size(after), String::new()]);
    rows.push(["peak".into(), size(region.peak.0), size(region.peak.1), "the most in use at a time".into()]);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [a, b, c] = [width(0), width(1), width(2)];
    let mut text = String::new();
    // Without temporary arrays there is nothing to compare.
    if region.arrays.is_empty() && region.total == (0, 0) {
        rows.clear();
    }
    for [name, before, after, fate] in &rows {
        let _ = writeln!(text, "{}", format!("  {name:<a$}  {before:>b$}  {after:>c$}  {fate}").trim_end());
    }
    for line in sizes_text(region).into_iter().chain(outside_text(region)) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// The sizes for which bytes are told, if they depend on any.
pub(super) fn sizes_text(region: &RegionReport) -> Option<String> {
    of_sizes(&region.sizes)
}

fn of_sizes(sizes: &BTreeMap<String, i64>) -> Option<String> {
    let sizes: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    (!sizes.is_empty()).then(|| format!("for {}", sizes.join(", ")))
}

/// What of the region's arrays is not the region's to change.
pub(super) fn outside_text(region: &RegionReport) -> Vec<String> {
    let reserved = region.reserved.iter().map(|(name, why)| {
        let bytes = region.arrays.iter().find(|array| array.name == *name).map_or(0, |array| array.bytes.0);
        format!("all {} of {name} stay reserved: {why}", size(bytes))
    });
    let contracted = format!(
        "the C compiler may make one operation of products and sums that meet now, with other last bits: {}; --keep-rounding keeps them apart",
        region.contracted.join(", ")
    );
    let used = format!("whole, because they may be used after the region: {}", region.used_after.join(", "));
    let contracted = (!region.contracted.is_empty()).then_some(contracted);
    let used = (!region.used_after.is_empty()).then_some(used);
    let named = region.named.join(", ");
    let named = (!named.is_empty())
        .then(|| format!("whole, because their names stand where no element is accessed, as in `sizeof`: {named}"));
    reserved.chain(contracted).chain(used).chain(named).collect()
}

/// A decision in words, with its code or the name of its rule.
pub(super) fn sentence(decision: &Decision, region: &RegionReport) -> (&'static str, String) {
    let named = |names: &[String]| if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
    let (first, second) = (&decision.first, &decision.second);
    let (one, other) =
        (format!("the {}{}", first.kind, named(&first.names)), format!("the {}{}", second.kind, named(&second.names)));
    let is_one = first == second;
    match &decision.outcome {
        Outcome::Merged { .. } => (
            decision.rule,
            match (decision.rule, is_one) {
                ("loop-fusion", false) => format!("{one} and {other} are one loop now"),
                (RULE, _) => {
                    let of = region.arrays.iter().find(|array| first.names.contains(&array.name));
                    format!("`{}` is not stored: {}", first.names.join(", "), of.map_or("inlined", |array| &array.fate))
                }
                ("loop-distribution", _) => format!("{one} is several loops now"),
                ("loop-interchange", _) => format!("{one} runs outside of the loops that were round it"),
                ("loop-reversal", _) => format!("{one} runs the other way round"),
                ("loop-alignment", _) => format!("{one} runs earlier or later than what shares its loop"),
                (rule, _) => format!("{one}: {}", rule.replace('-', " ")),
            },
        ),
        Outcome::Done { what } => (decision.rule, format!("{one} {what}")),
        Outcome::Refused { code, reason, .. } if decision.rule == RULE => {
            (*code, format!("`{}` is not recomputed: {reason}", first.names.join(", ")))
        }
        Outcome::Refused { code, reason, .. } if is_one => (*code, format!("{one} stays as it is: {reason}")),
        Outcome::Refused { code, reason, .. } => (*code, format!("{one} and {other} stay apart: {reason}")),
        Outcome::NotChosen { reason, .. } => (decision.rule, format!("{one} and {other} are left apart: {reason}")),
    }
}

/// A decision as a message with places.
fn message(decision: &Decision, region: &RegionReport, sources: &SourceMap) -> Diagnostic {
    let line = |span: Span| first_line(span, sources);
    let (first, second) = (&decision.first, &decision.second);
    let (code, sentence) = sentence(decision, region);
    let message = Diagnostic::remark(code, sentence);
    let message = if first == second {
        message.label(line(first.span), "here")
    } else {
        message.secondary(line(first.span), "the first").label(line(second.span), "the second")
    };
    match &decision.outcome {
        Outcome::Refused { place: Some(place), .. } if *place != first.span && *place != second.span => {
            message.secondary(line(*place), "because of this")
        }
        _ => message,
    }
}

/// The part of a span on its first line: a loop is shown by its header.
fn first_line(span: Span, sources: &SourceMap) -> Span {
    let text = sources.iter().find(|(id, _)| id.at() == span.file as usize).map(|(_, file)| file.text.as_str());
    let shown = text.and_then(|text| text.get(span.start as usize..span.end as usize));
    match shown.and_then(|shown| shown.find('\n')) {
        Some(newline) => Span { end: span.start + u32::try_from(newline).unwrap_or(0), ..span },
        None => span,
    }
}

/// The report as one JSON object.
pub fn json(fused: &FusedFile) -> serde_json::Value {
    let position = |span: Span| fused.sources.position(span).map(|place| place.line);
    let of_loop =
        |of: &frit_plan::LoopRef| serde_json::json!({ "kind": of.kind, "names": of.names, "line": position(of.span) });
    let regions: Vec<_> = fused
        .regions
        .iter()
        .map(|region| {
            let arrays: Vec<_> = region.arrays.iter().map(|array| serde_json::json!({
            "name": array.name, "element": array.element, "fate": array.fate, "reason": array.reason,
            "bytes_before": number(array.bytes.0), "bytes_after": number(array.bytes.1), "line": position(array.span),
        })).collect();
            let decisions: Vec<_> = region
                .log
                .decisions
                .iter()
                .map(|decision| {
                    let (outcome, code, reason) = match &decision.outcome {
                        Outcome::Merged { .. } => ("merged", None, None),
                        Outcome::Done { .. } => ("done", None, None),
                        Outcome::Refused { code, reason, .. } => ("refused", Some(*code), Some(reason)),
                        Outcome::NotChosen { reason, .. } => ("not-chosen", None, Some(reason)),
                    };
                    serde_json::json!({
                        "rule": decision.rule, "first": of_loop(&decision.first), "second": of_loop(&decision.second),
                        "outcome": outcome, "code": code, "reason": reason,
                    })
                })
                .collect();
            let (before, after) = region.total;
            let reserved: Vec<_> = region.reserved.iter().map(|(name, why)| serde_json::json!({ "name": name, "why": why })).collect();
            let loops: Vec<_> = (region.outline.loops.iter())
                .map(|of| serde_json::json!({ "lines": of.lines, "moved": of.moved }))
                .collect();
            let apart: Vec<_> = (region.outline.apart.iter())
                .map(|of| serde_json::json!({ "first": of.lines.0, "second": of.lines.1, "code": of.code, "why": of.why }))
                .collect();
            serde_json::json!({
                "function": region.function, "line": region.line, "transformed": region.unchanged.is_none(),
                "why_not": region.unchanged.as_ref().filter(|why| !why.is_empty()),
                "nests_before": region.nests.0, "nests_after": region.nests.1, "sizes": region.sizes, "arrays": arrays,
                "loops": loops, "apart": apart,
                "reserved": reserved, "contracted": region.contracted, "used_after": region.used_after, "named": region.named,
                "total_before": number(before), "total_after": number(after),
                "peak_before": number(region.peak.0), "peak_after": number(region.peak.1), "decisions": decisions,
            })
        })
        .collect();
    let remarks: Vec<_> = fused
        .remarks
        .iter()
        .map(|remark| {
            serde_json::json!({
                "code": remark.code, "message": remark.message, "line": position(remark.span()),
            })
        })
        .collect();
    let verified: Vec<_> = fused.verified.iter().map(|verified| serde_json::json!({
        "function": verified.function, "same": verified.outcome.is_same(), "outcome": verified.outcome.to_string(),
    })).collect();
    let left_out: Vec<_> = (fused.left_out.iter())
        .map(|of| serde_json::json!({ "function": of.function, "line": position(of.span), "why": of.why }))
        .collect();
    serde_json::json!({ "format": "fuse/1", "sealed": fused.is_sealed, "regions": regions, "left_out": left_out, "remarks": remarks, "verified": verified })
}

/// Beyond 2^64 bytes, as many as that.
fn number(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
