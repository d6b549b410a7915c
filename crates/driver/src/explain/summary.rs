//! What people ask first: how many passes over memory are left, what is stored between loops, which loops run and how, what stays apart and
//! whether anything can be done about it. It is made of the same facts as the rest of an explanation, and names them as the source does.

use super::intermediates::{Intermediate, Storage};
use super::moved::{Moved, Mover};
use super::sizes::Amount;
use super::{Decision, Explanation, Loop, Outcome, Stage, loop_rule};
use crate::source::Unit;
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The rule that merges loop nests.
const WINDOWS: &str = "windows";

/// The answers, in sentences.
#[derive(Clone, Debug)]
pub struct Summary {
    /// In a few sentences.
    pub verdict: Vec<String>,
    /// The loops that run, in the order of the program.
    pub loops: Vec<Running>,
    /// What statements move that are no loops, if they move anything.
    pub others: Option<String>,
    /// The arrays that are stored between them, the largest first.
    pub stored: Vec<Kept>,
    /// Loops that stay apart, what costs most first.
    pub apart: Vec<Apart>,
    /// How many more pairs there are, of loops that run over different index spaces.
    pub in_other_spaces: usize,
}

/// A loop that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// Its lines in the source: `lines 3-5`; what it is, where there is no source.
    pub place: String,
    /// These lines, from 1.
    pub lines: BTreeSet<usize>,
    /// The text of its last line, or of a part of it.
    pub source: String,
    /// How many loops were merged into it.
    pub merged: usize,
    /// What it reads and writes.
    pub moves: String,
    /// How it runs.
    pub runs: String,
    /// The function that it is in.
    pub(super) function: String,
    /// The loops before merging that it is made of, by their labels.
    pub(super) parts: BTreeSet<String>,
    /// The bytes of the sentence above, to compare.
    bytes: Amount,
}

/// An array that is stored between loops.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its name, how much of it is stored, and why.
    pub what: String,
    /// Only a window of it.
    pub is_window: bool,
    /// Its line in the source, from 1, if it has one.
    pub line: Option<usize>,
    bytes: Amount,
}

/// Two loops that stay apart.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Which, and why.
    pub reason: String,
    /// What could be changed.
    pub advice: &'static str,
    /// The function that they are in.
    pub(super) function: String,
    /// The loops before merging that each of the two is made of, by their labels.
    pub(super) parts: [BTreeSet<String>; 2],
    bytes: Amount,
}

/// The answers for a program.
pub fn summary(explanation: &Explanation, unit: &Unit) -> Summary {
    let parts = Parts::of(explanation);
    let passes = passes(explanation, &parts);
    let loops = running(explanation, unit, &passes);
    let others = others(explanation);
    let stored = stored(explanation, unit);
    let (apart, in_other_spaces) = apart(explanation, unit, &parts, &passes);
    let verdict = verdict(explanation, unit, passes.len(), &stored, apart.len() + in_other_spaces);
    Summary { verdict, loops, others, stored, apart, in_other_spaces }
}

/// Which loops of the program before merging each loop is made of.
struct Parts {
    /// By function and label.
    of: BTreeMap<(String, String), BTreeSet<String>>,
    /// The lines of loops, by function and label.
    lines: BTreeMap<(String, String), BTreeSet<usize>>,
}

impl Parts {
    fn of(explanation: &Explanation) -> Self {
        let mut parts = Self { of: BTreeMap::new(), lines: BTreeMap::new() };
        for stage in [&explanation.before, &explanation.after] {
            stage.movers.iter().for_each(|mover| parts.place(&mover.function, &mover.at));
        }
        for decision in &explanation.decisions {
            let Outcome::Merged { into, .. } = &decision.outcome else { continue };
            let mut all = BTreeSet::new();
            for one in [Some(&decision.first), decision.second.as_ref()].into_iter().flatten() {
                parts.place(&decision.function, one);
                all.extend(parts.get(&decision.function, &one.label));
            }
            if !into.is_empty() {
                parts.of.insert((decision.function.clone(), into.clone()), all);
            }
        }
        // A loop inside another one is a part of it.
        for ((function, label), outer) in &explanation.after.inner {
            let inner = parts.get(function, label);
            let mut all = parts.get(function, outer);
            all.extend(inner);
            parts.of.insert((function.clone(), outer.clone()), all);
        }
        parts
    }

    fn place(&mut self, function: &str, one: &Loop) {
        self.lines.entry((function.to_string(), one.label.clone())).or_default().extend(one.line);
    }

    fn get(&self, function: &str, label: &str) -> BTreeSet<String> {
        let own = || BTreeSet::from([label.to_string()]);
        self.of.get(&(function.to_string(), label.to_string())).cloned().unwrap_or_else(own)
    }

    fn lines(&self, function: &str, one: &Loop) -> BTreeSet<usize> {
        let parts = self.get(function, &one.label).into_iter();
        let lines = parts.filter_map(|part| self.lines.get(&(function.to_string(), part)));
        lines.flatten().copied().chain(one.line).collect()
    }

    /// True if one loop that runs has both.
    fn are_together(&self, stage: &Stage, function: &str, [one, other]: [&Loop; 2]) -> bool {
        let both: BTreeSet<String> =
            self.get(function, &one.label).union(&self.get(function, &other.label)).cloned().collect();
        let here = stage.movers.iter().filter(|mover| mover.function == function);
        here.into_iter().any(|mover| both.is_subset(&self.get(function, &mover.at.label)))
    }
}

/// With-loops that run as one: a single one, or several between which only windows of arrays are stored.
struct Pass<'e> {
    function: &'e str,
    lines: BTreeSet<usize>,
    /// The last of them.
    last: &'e Loop,
    /// The loops around it.
    around: &'e [Span],
    parts: BTreeSet<String>,
    /// What it moves, but for what counts for one iteration of a loop of unknown length.
    moved: Moved,
    per_iteration: Moved,
    has_windows: bool,
}

/// The passes over memory, in the order of the program.
fn passes<'e>(explanation: &'e Explanation, parts: &Parts) -> Vec<Pass<'e>> {
    let mut passes: Vec<Pass<'e>> = Vec::new();
    for mover in explanation.after.movers.iter().filter(|mover| mover.is_loop()) {
        passes.push(Pass {
            function: &mover.function,
            lines: parts.lines(&mover.function, &mover.at),
            last: &mover.at,
            around: &mover.around,
            parts: parts.get(&mover.function, &mover.at.label),
            moved: mover.total.clone(),
            per_iteration: mover.per_iteration.clone(),
            has_windows: false,
        });
    }
    // Loop nests are merged later, and are known by their lines.
    for decision in explanation.decisions.iter().filter(|decision| decision.rule == WINDOWS) {
        let (Outcome::Merged { .. }, Some(second)) = (&decision.outcome, &decision.second) else { continue };
        let is_at = |pass: &Pass<'e>, one: &Loop| {
            pass.function == decision.function && one.line.is_some_and(|line| pass.lines.contains(&line))
        };
        let Some(first) = passes.iter().position(|pass| is_at(pass, &decision.first)) else { continue };
        let Some(second) = passes.iter().skip(first + 1).position(|pass| is_at(pass, second)) else { continue };
        let earlier = passes.remove(first);
        let later = &mut passes[first + second];
        later.lines.extend(earlier.lines);
        later.parts.extend(earlier.parts);
        later.moved.add(&earlier.moved);
        later.per_iteration.add(&earlier.per_iteration);
        later.has_windows = true;
    }
    for pass in passes.iter_mut().filter(|pass| pass.has_windows) {
        for whole in between_nests(explanation).filter_map(|(array, whole)| {
            let is_here = array.function == pass.function && array.line.is_some_and(|line| pass.lines.contains(&line));
            is_here.then_some(whole)
        }) {
            let moved = if pass.per_iteration.is_zero() { &mut pass.moved } else { &mut pass.per_iteration };
            moved.read = moved.read.clone() - whole.clone();
            moved.written = moved.written.clone() - whole.clone();
        }
    }
    passes
}

/// The arrays between loop nests of which at most a window is stored, with the bytes of all of them.
fn between_nests(explanation: &Explanation) -> impl Iterator<Item = (&Intermediate, &Amount)> {
    let is_gone = |array: &&Intermediate| array.is_of_nests && !matches!(array.fate, Storage::Root(..));
    explanation.intermediates.iter().filter(is_gone).filter_map(|array| Some((array, array.whole.as_ref()?)))
}

fn running(explanation: &Explanation, unit: &Unit, passes: &[Pass<'_>]) -> Vec<Running> {
    let run = |pass: &Pass<'_>| {
        let each = || format!("{} in every iteration of the loop around it", pass.per_iteration.roughly(explanation));
        let moves = match (pass.moved.is_zero(), pass.per_iteration.is_zero()) {
            (_, true) => pass.moved.roughly(explanation),
            (true, false) => each(),
            (false, false) => format!("{}, and {}", pass.moved.roughly(explanation), each()),
        };
        Running {
            place: if pass.lines.is_empty() { pass.last.describe() } else { lines_text(&pass.lines) },
            lines: pass.lines.clone(),
            source: line_of(unit, pass.last.span),
            merged: pass.parts.len(),
            function: pass.function.to_string(),
            parts: pass.parts.clone(),
            moves,
            runs: how_it_runs(explanation, pass),
            bytes: explanation.naming.roughly(&(pass.moved.all() + pass.per_iteration.all())),
        }
    };
    passes.iter().map(run).collect()
}

/// Statements beside loops that copy or update.
fn others(explanation: &Explanation) -> Option<String> {
    let copies: Vec<&Mover> = explanation.after.movers.iter().filter(|mover| !mover.is_loop()).collect();
    let all = copies.iter().fold(Amount::zero(), |sum, mover| sum + mover.total.all() + mover.per_iteration.all());
    let what = if copies.len() == 1 {
        "1 statement that moves".into()
    } else {
        format!("{} statements that move", copies.len())
    };
    // Single elements are no news.
    (!all.is_constant()).then(|| format!("and {what} {} beside these loops", explanation.roughly(&all)))
}

/// How the loops of a pass run, in words; empty if nothing is known. Loops are known by their places: what loops of the same line do
/// counts for all of them, unless it cannot be meant.
fn how_it_runs(explanation: &Explanation, pass: &Pass<'_>) -> String {
    let is_here = |decision: &&Decision| {
        decision.function == pass.function
            && (decision.first.line.is_some_and(|line| pass.lines.contains(&line))
                || meet(decision.first.span, pass.last.span))
    };
    let writes = !pass.moved.written.is_zero() || !pass.per_iteration.written.is_zero();
    let reduces = ["reduce", "redomap", "fold", "scan"].iter().any(|kind| pass.last.kind.starts_with(kind));
    let is_meant = |rule: &str| match rule {
        "nontemporal-stores" => writes,
        "multi-accumulator" | "array-reductions" => reduces || pass.parts.len() > 1,
        "vectorised-scan" => pass.last.kind == "scan" || pass.parts.len() > 1,
        _ => true,
    };
    let (mut runs, mut without, mut in_order) = (Vec::new(), None, false);
    // Of loops in order around them, what is about several of their iterations.
    let is_of_steps = |decision: &&Decision| {
        decision.function == pass.function
            && ["temporal-blocking", "fixed-point-exit", "blocked-floyd-warshall"].contains(&decision.rule)
            && matches!(decision.outcome, Outcome::Done { .. })
            && pass.around.contains(&decision.first.span)
    };
    for decision in explanation.how_loops_run.iter().filter(|decision| is_here(decision) || is_of_steps(decision)) {
        match &decision.outcome {
            Outcome::Done { what } => {
                let phrase = frit_lower::phrase(decision.rule);
                let is_said = phrase.is_empty() || what.starts_with("does not") || runs.contains(&phrase);
                if !is_said && is_meant(decision.rule) {
                    runs.push(phrase);
                }
            }
            Outcome::Refused { reason, code, .. } if decision.rule == "vectorisation" => {
                in_order |= *code == "runs-in-order";
                without.get_or_insert(reason);
            }
            Outcome::NotChosen { reason, .. } if decision.rule == "vectorisation" => _ = without.get_or_insert(reason),
            Outcome::Refused { .. } | Outcome::NotChosen { .. } | Outcome::Merged { .. } => {}
        }
    }
    if runs.iter().any(|what| what.starts_with("in vectors,")) {
        runs.retain(|what| *what != "in vectors");
    }
    let has_vectors = runs.iter().any(|what| what.contains("vector"));
    if runs.is_empty() && in_order {
        runs.push("in order");
    }
    let mut said = Vec::new();
    if !runs.is_empty() {
        said.push(format!("runs {}", runs.join(", ")));
    }
    if let (false, Some(reason)) = (has_vectors, without) {
        said.push(format!("has no vectors: {reason}"));
    }
    said.join("; ")
}

/// True if one of the places is in the other.
fn meet(one: Span, other: Span) -> bool {
    let is_in = |inner: Span, outer: Span| outer.start <= inner.start && inner.end <= outer.end;
    !one.is_none() && !other.is_none() && one.file == other.file && (is_in(one, other) || is_in(other, one))
}

/// Arrays that are stored, with why, the largest first.
fn stored(explanation: &Explanation, unit: &Unit) -> Vec<Kept> {
    let mut all: Vec<Kept> = Vec::new();
    let mut of_nests: Vec<&Intermediate> = explanation.intermediates.iter().filter(|known| known.is_of_nests).collect();
    for array in &explanation.after.intermediates {
        let is_it = |known: &&Intermediate| {
            known.function == array.function
                && known.line == array.line
                && known
                    .whole
                    .as_ref()
                    .is_some_and(|whole| explanation.roughly(whole) == explanation.roughly(&array.bytes))
        };
        let planned = of_nests.iter().position(is_it).map(|at| of_nests.remove(at));
        let is_placed = |decision: &Decision| {
            let is_here = decision.function == array.function && decision.first.line == array.line;
            let is_done = matches!(decision.outcome, Outcome::Done { .. });
            is_here && is_done && ["array-short-circuiting", "layout", "recomputation"].contains(&decision.rule)
        };
        if explanation.how_loops_run.iter().any(is_placed) {
            continue;
        }
        // The place of a loop that makes several arrays is that of its last one.
        let text = if array.is_alone { text_of(unit, array.span) } else { String::new() };
        let name = match &array.name {
            Some(name) => format!("`{name}`"),
            None if text.is_empty() => "an array".into(),
            None => text,
        };
        let line = array.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let whole = explanation.roughly(&array.bytes);
        let (bytes, is_window, what) = match planned.map(|known| (&known.fate, &known.stored)) {
            Some((Storage::Inline, _)) => continue,
            Some((Storage::Window(_), stored)) => {
                (stored, true, format!("a window of {} of {whole}", explanation.roughly(stored)))
            }
            // That other statements stand between loops is no reason that people could do something about.
            Some((Storage::Root(code, reason), _)) if *code != "other-statement" => {
                (&array.bytes, false, format!("{whole}: {reason}"))
            }
            Some((Storage::Root(..), _)) => (&array.bytes, false, whole),
            None => (&array.bytes, false, whole),
        };
        all.push(Kept {
            what: format!("{name}{line}: {what}"),
            is_window,
            line: array.line,
            bytes: explanation.naming.roughly(bytes),
        });
    }
    all.sort_by(|one, other| larger_first(&one.bytes, &other.bytes));
    all
}

/// Pairs of loops that stay apart, what costs most first. Each pair has one reason.
fn apart(explanation: &Explanation, unit: &Unit, parts: &Parts, passes: &[Pass<'_>]) -> (Vec<Apart>, usize) {
    let written = |function: &str, one: &Loop| {
        let of = parts.get(function, &one.label);
        let is_it = |label: &str| !of.is_disjoint(&parts.get(function, label));
        let mover = explanation.after.movers.iter().find(|mover| mover.function == function && is_it(&mover.at.label));
        mover.map_or_else(Amount::zero, |mover| mover.total.written.clone() + mover.per_iteration.written.clone())
    };
    // A pair that several rules refuse has the reason that says most.
    let mut found: BTreeMap<[Option<usize>; 2], (u32, Apart)> = BTreeMap::new();
    for decision in &explanation.decisions {
        let (Some(second), false) = (&decision.second, loop_rule(decision.rule).is_some()) else { continue };
        let (reason, code, bytes) = match &decision.outcome {
            Outcome::NotChosen { reason, saving } => (reason, "", saving.bytes.clone()),
            Outcome::Refused { reason, code, .. } => (reason, *code, written(&decision.function, &decision.first)),
            Outcome::Merged { .. } | Outcome::Done { .. } => continue,
        };
        if parts.are_together(&explanation.after, &decision.function, [&decision.first, second]) {
            continue;
        }
        let bytes = explanation.naming.roughly(&bytes);
        let pair = [decision.first.line, second.line];
        let has_both = |pass: &Pass<'_>| {
            let is_in = |line: &Option<usize>| line.is_some_and(|line| pass.lines.contains(&line));
            pass.has_windows && pass.function == decision.function && pair.iter().all(is_in)
        };
        if passes.iter().any(has_both) {
            continue;
        }
        let subject = match pair {
            [Some(first), Some(second)] if first == second => format!("two loops of line {first}"),
            [Some(first), Some(second)] => format!("lines {first} and {second}"),
            _ => decision.subject(),
        };
        let what = match (decision.first.names.first(), text_of(unit, decision.first.span)) {
            (Some(name), _) => format!(", `{name}`"),
            (None, text) if text.is_empty() => String::new(),
            (None, text) => format!(", {text}"),
        };
        let costs = if bytes.is_zero() { String::new() } else { format!(" ({})", explanation.roughly(&bytes)) };
        let sides = [&decision.first, second].map(|one| parts.get(&decision.function, &one.label));
        let reason = format!("{subject}{what}{costs}: {reason}");
        let (function, advice) = (decision.function.clone(), advice(code));
        let apart = Apart { reason, advice, function, parts: sides, bytes };
        let weight = if code == SPACES_DIFFER { 0 } else { 1 + u32::from(!code.is_empty()) };
        let known = found.entry(pair).or_insert_with(|| (weight, apart.clone()));
        if weight > known.0 {
            *known = (weight, apart);
        }
    }
    let in_other_spaces = found.values().filter(|(weight, _)| *weight == 0).count();
    let mut all: Vec<Apart> = found.into_values().filter(|(weight, _)| *weight > 0).map(|(_, apart)| apart).collect();
    all.sort_by(|one, other| larger_first(&one.bytes, &other.bytes));
    (all, in_other_spaces)
}

/// The code of the reason that two loops run over different index spaces. It says least.
const SPACES_DIFFER: &str = "spaces-differ";

/// What the reader could change, by the code of a refusal.
fn advice(code: &str) -> &'static str {
    frit_fuse::array::advice(code).unwrap_or("nothing to do")
}

fn verdict(explanation: &Explanation, unit: &Unit, passes: usize, stored: &[Kept], apart: usize) -> Vec<String> {
    let (before, after) = (&explanation.before, &explanation.after);
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let left = if passes == 1 { "1 pass over memory".into() } else { format!("{passes} passes over memory") };
    let mut first = match before.nests {
        _ if passes == 0 => "All loops run in order".to_string(),
        // Loops in order became loops over arrays.
        nests if nests <= passes => left,
        nests => format!("{left} instead of {nests}"),
    };
    let gone = between_nests(explanation).fold(Amount::zero(), |sum, (_, whole)| sum + whole.scale(2));
    let amounts = |one: &Amount, other: &Amount| {
        let [one, other] = [one, other].map(|amount| explanation.roughly(amount));
        if one == other { format!("{one}, as before") } else { format!("{other} instead of {one}") }
    };
    let mut moved = Vec::new();
    if !before.moved.is_zero() || !after.moved.is_zero() {
        moved.push(amounts(&before.moved, &(after.moved.clone() - gone)));
    }
    // Of loops of unknown length, the one that moves most.
    let left = |span: &Span| after.per_iteration.iter().find(|(at, _)| at == span).map(|(_, bytes)| bytes.clone());
    let rough = |amount: &Amount| explanation.naming.roughly(amount);
    let each = before.per_iteration.iter().max_by(|one, other| larger_first(&rough(&other.1), &rough(&one.1)));
    if let Some((span, bytes)) = each {
        let line = unit.sources.position(*span).map(|place| format!(" at line {}", place.line)).unwrap_or_default();
        let bytes = amounts(bytes, &left(span).unwrap_or_else(Amount::zero));
        moved.push(format!("in every iteration of the loop{line} {bytes}"));
    }
    if !moved.is_empty() {
        first += &format!("; moved: {}", moved.join(", and "));
    }
    let were = before.intermediates.len();
    let windows = stored.iter().filter(|array| array.is_window).count();
    let whole = stored.len() - windows;
    let mut second = match (whole, windows) {
        (0, 0) => "Nothing is stored between loops".to_string(),
        (0, _) => format!("Of {} only a window is stored between loops", count(windows, "array")),
        (_, 0) => format!("{} stored between loops", are(whole, "array")),
        _ => format!("{} stored between loops, and only a window of {windows} more", are(whole, "array")),
    };
    if stored.len() < were {
        second += &format!("; before, {were} {}", if were == 1 { "was" } else { "were" });
    }
    let third = match apart {
        0 if passes <= 1 => "Nothing is left to merge.".to_string(),
        0 => "No other merge is possible.".to_string(),
        pairs => format!("{} of loops {} apart.", count(pairs, "pair"), if pairs == 1 { "stays" } else { "stay" }),
    };
    vec![format!("{first}."), format!("{second}."), third]
}

fn are(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what} is") } else { format!("{n} {what}s are") }
}

/// `line 4`, `lines 3-5, 9`.
fn lines_text(lines: &BTreeSet<usize>) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == line => *last = line,
            _ => runs.push([line, line]),
        }
    }
    let text = |[first, last]: &[usize; 2]| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let texts: Vec<String> = runs.iter().map(text).collect();
    format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, texts.join(", "))
}

/// The longest text of the source in a line of a summary.
const LONGEST: usize = 64;

/// The line of the source where a span begins.
fn line_of(unit: &Unit, span: Span) -> String {
    let file = unit.sources.position(span).and_then(|place| {
        let (_, file) = unit.sources.iter().find(|(_, file)| file.name == place.file)?;
        file.text.lines().nth(place.line - 1)
    });
    shortened(file.unwrap_or_default())
}

/// The text of an expression, in quotes; empty without a source.
fn text_of(unit: &Unit, span: Span) -> String {
    let text = shortened(unit.sources.text(span));
    if text.is_empty() { text } else { format!("`{text}`") }
}

/// A text in one line that is not too long.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text,
    }
}

/// By degree, then by the sum of coefficients.
fn larger_first(one: &Amount, other: &Amount) -> std::cmp::Ordering {
    let key = |amount: &Amount| (amount.degree(), amount.terms().map(|(_, coefficient)| coefficient).sum::<i64>());
    key(other).cmp(&key(one))
}

/// The loops that a short report has room for: those that move most, in the order of the program.
pub fn largest(loops: &[Running], room: usize) -> Vec<&Running> {
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by(|&one, &other| larger_first(&loops[one].bytes, &loops[other].bytes));
    order.truncate(room);
    order.sort_unstable();
    order.into_iter().map(|at| &loops[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_lines_are_a_range() {
        assert_eq!(lines_text(&[4].into()), "line 4");
        assert_eq!(lines_text(&[3, 4, 5, 9].into()), "lines 3-5, 9");
    }

    #[test]
    fn long_texts_are_cut_at_characters() {
        assert_eq!(shortened("a  +\n b"), "a + b");
        let long = "é".repeat(LONGEST + 1);
        assert_eq!(shortened(&long), format!("{}...", "é".repeat(LONGEST)));
    }
}
