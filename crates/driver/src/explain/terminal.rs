//! Explanations for the terminal: in short, what people ask first; or all: what was merged, then what was not, each with its source lines,
//! how loops run, then what each loop moves, and the totals.

use super::html::capital;
use super::sizes::Size;
use super::summary::{self, Running, Summary, summary};
use super::{Decision, Explanation, Outcome, Stage, moved};
use crate::numpy;
use crate::source::Unit;
use frit_support::{Diagnostic, Span, diagnostic};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The most lines of a short explanation.
const LINES: usize = 40;
/// Of these, the most for arrays that are stored and for loops that stay apart.
const STORED: usize = 4;
const APART: usize = 4;

/// The explanation in short: at most [`LINES`] lines.
pub fn print_short(explanation: &Explanation, unit: &Unit) -> String {
    let Summary { verdict, loops, others, stored, apart, in_other_spaces } = &summary(explanation, unit);
    let mut lines = verdict.clone();
    let rest = |all: usize, shown: usize, what: &str| {
        let more = all.saturating_sub(shown);
        (more > 0).then(|| format!("  and {more} more {what}{}", if more == 1 { "" } else { "s" }))
    };

    let mut ends: Vec<String> = Vec::new();
    if !stored.is_empty() {
        ends.extend(["".into(), "Stored between loops:".into(), "".into()]);
        ends.extend(stored.iter().take(STORED).map(|array| format!("  {}", array.what)));
        ends.extend(rest(stored.len(), STORED, "array"));
    }
    if !apart.is_empty() {
        ends.extend(["".into(), "Apart, what costs most first:".into(), "".into()]);
        for pair in apart.iter().take(APART) {
            ends.extend([format!("  {}", pair.reason), format!("    {}", pair.advice)]);
        }
        ends.extend(rest(apart.len(), APART, "pair"));
    }
    if *in_other_spaces > 0 {
        let pairs = if *in_other_spaces == 1 {
            "1 pair of loops runs".into()
        } else {
            format!("{in_other_spaces} pairs of loops run")
        };
        ends.extend(["".into(), format!("{pairs} over different index spaces, which cannot be merged.")]);
    }
    let calls = calls(unit);
    if !calls.is_empty() {
        ends.extend(["".into(), format!("Not compiled: {}", calls.join("; "))]);
    }
    let sizes = mentioned(explanation, unit, lines.iter().chain(&ends), loops);
    ends.push("".into());
    ends.extend(sizes);
    ends.push("Every decision: --all. A page with drawings: --html FILE.".into());

    if !loops.is_empty() {
        lines.extend(["".into(), "Loops that run, in order:".into(), "".into()]);
        // A loop takes three lines; two lines tell of what is left out.
        let room = LINES.saturating_sub(lines.len() + ends.len() + 2) / 3;
        let shown = loops.len().min(room.max(1));
        for one in summary::largest(loops, shown) {
            let parts = if one.merged > 1 { format!("   ({} loops in one)", one.merged) } else { String::new() };
            let source = if one.source.is_empty() { String::new() } else { format!("  {}", one.source) };
            lines.push(format!("  {}{source}{parts}", one.place));
            lines.extend(
                [&one.moves, &one.runs].into_iter().filter(|said| !said.is_empty()).map(|said| format!("    {said}")),
            );
        }
        lines.extend(rest(loops.len(), shown, "loop").map(|more| more + ", where less is moved"));
        lines.extend(others.iter().map(|others| format!("  {others}")));
    }
    lines.extend(ends);
    lines.join("\n") + "\n"
}

/// More sizes that the program computes are not listed.
const MOST_COMPUTED: usize = 6;

/// What the sizes are that these texts mention.
fn mentioned<'a>(
    explanation: &Explanation,
    unit: &Unit,
    texts: impl Iterator<Item = &'a String>,
    loops: &'a [Running],
) -> Vec<String> {
    let moves = loops.iter().map(|one| &one.moves);
    let words: BTreeSet<&str> =
        texts.chain(moves).flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let mut told: Vec<String> = Vec::new();
    let mut computed: Vec<&str> = Vec::new();
    for size in explanation.naming.all().iter().filter(|size| words.contains(size.name.as_str())) {
        match explanation.naming.computed_at(size) {
            Some(_) => computed.push(&size.name),
            None => told.extend(size_text(explanation, unit, size)),
        }
    }
    match computed[..] {
        [] => {}
        [one] => told.push(format!("{one} is a size that the program computes")),
        _ if computed.len() > MOST_COMPUTED => told.push("other letters are sizes that the program computes".into()),
        _ => told.push(format!("{} are sizes that the program computes", computed.join(", "))),
    }
    if told.is_empty() { told } else { vec![format!("{}.", told.join("; "))] }
}

/// The whole explanation as text, with terminal colours if `color`.
pub fn print(explanation: &Explanation, unit: &Unit, color: bool) -> String {
    let mut text = summary(explanation, unit).verdict.join("\n") + "\n\n";
    let (merged, others): (Vec<&Decision>, Vec<&Decision>) =
        explanation.decisions.iter().partition(|decision| matches!(decision.outcome, Outcome::Merged { .. }));
    for (heading, none, decisions) in
        [("Merged", "No loops were merged.", merged), ("Not merged", "Nothing else could be merged.", others)]
    {
        if decisions.is_empty() {
            let _ = writeln!(text, "{none}\n");
            continue;
        }
        let _ = writeln!(text, "{heading}:\n");
        for decision in decisions {
            text += &diagnostic::render(&unit.sources, &[message(explanation, decision)], color);
        }
    }
    if !explanation.how_loops_run.is_empty() {
        text += "How loops run:\n\n";
        for decision in &explanation.how_loops_run {
            let _ = writeln!(text, "  {}", loop_line(explanation, decision));
        }
        text.push('\n');
    }
    if !explanation.intermediates.is_empty() {
        text += "Arrays between loops:\n\n";
        for array in &explanation.intermediates {
            let _ = writeln!(text, "  {}", array.sentence(explanation));
        }
        text.push('\n');
    }
    let calls = calls(unit);
    if !calls.is_empty() {
        text += "Calls that are not compiled:\n\n";
        calls.iter().for_each(|call| text += &format!("  {call}\n"));
        text.push('\n');
    }
    for (when, stage) in [("before", &explanation.before), ("after", &explanation.after)] {
        let _ = writeln!(text, "Moved by each loop {when} merging:\n");
        let rows = moved::rows(explanation, stage);
        let width = rows.iter().map(|[what, _]| what.chars().count()).max().unwrap_or(0);
        for [what, amount] in rows {
            let _ = writeln!(text, "  {what:<width$}  {amount}");
        }
        text.push('\n');
    }
    text + &totals(explanation, unit)
}

/// The calls that are not compiled, with their places.
pub(super) fn calls(unit: &Unit) -> Vec<String> {
    let line = |(name, span): (String, Span)| match unit.sources.position(span) {
        Some(place) => format!("`{name}`, at {place}"),
        None => format!("`{name}`"),
    };
    unit.callbacks().into_iter().map(line).collect()
}

/// A decision about how a loop runs, with the code of a refusal or the name of the step.
fn loop_line(explanation: &Explanation, decision: &Decision) -> String {
    let name = match decision.outcome {
        Outcome::Refused { code, .. } => code,
        _ => decision.rule,
    };
    let often = if decision.count > 1 { format!(", {} loops", decision.count) } else { String::new() };
    format!("{} [{name}{often}]", capital(&decision.sentence(explanation)))
}

/// A decision as a message with places.
fn message(explanation: &Explanation, decision: &Decision) -> Diagnostic {
    let code = match decision.outcome {
        Outcome::Merged { .. } | Outcome::Done { .. } | Outcome::NotChosen { .. } => decision.rule,
        Outcome::Refused { code, .. } => code,
    };
    let mut message = Diagnostic::remark(code, decision.sentence(explanation));
    let whats = |what: &str, label: &str| if label.is_empty() { what.to_string() } else { format!("{what}, {label}") };
    let first_span = decision.first.span;
    match &decision.second {
        Some(second) if second.span == first_span => {
            message = message.label(first_span, format!("both are here: {}, {}", decision.first.label, second.label));
        }
        Some(second) => {
            message = message
                .secondary(first_span, whats("the first", &decision.first.label))
                .label(second.span, whats("the second", &second.label));
        }
        None => message = message.label(first_span, decision.first.label.clone()),
    }
    match &decision.outcome {
        Outcome::Merged { into, .. } if into.is_empty() => message.note(format!("by {}", decision.rule)),
        Outcome::Merged { into, .. } => message.note(format!("by {}; it is {into} in dumps", decision.rule)),
        Outcome::Done { .. } | Outcome::NotChosen { .. } => message,
        Outcome::Refused { place: Some(place), .. } if !place.is_none() && !shown(decision, *place) => {
            message.secondary(*place, "because of this").note(format!("by {}", decision.rule))
        }
        Outcome::Refused { .. } => message.note(format!("by {}", decision.rule)),
    }
}

/// True if the place is that of one of the loops.
fn shown(decision: &Decision, place: Span) -> bool {
    decision.first.span == place || decision.second.as_ref().is_some_and(|second| second.span == place)
}

/// The rows of the table of totals: what is counted, before and after.
pub(super) fn rows(explanation: &Explanation) -> Vec<[String; 3]> {
    let (before, after) = (&explanation.before, &explanation.after);
    let row = |what: &str, count: &dyn Fn(&Stage) -> String| [what.to_string(), count(before), count(after)];
    vec![
        row("with-loops", &|stage| stage.with_loops.to_string()),
        row("passes over memory", &|stage| stage.nests.to_string()),
        row("intermediate arrays", &|stage| stage.intermediates.len().to_string()),
        row("stored in them", &|stage| explanation.bytes(&stage.held)),
        row("moved", &|stage| explanation.bytes(&stage.moved)),
    ]
}

/// What is moved in loops of unknown length, and what sizes are, in lines.
pub(super) fn notes(explanation: &Explanation, unit: &Unit) -> Vec<String> {
    let mut lines = Vec::new();
    for (when, stage) in [("before", &explanation.before), ("after", &explanation.after)] {
        for (span, bytes) in &stage.per_iteration {
            let place =
                unit.sources.position(*span).map_or_else(String::new, |place| format!(" at line {}", place.line));
            lines.push(format!("{when}: and {} in every iteration of the loop{place}", explanation.bytes(bytes)));
        }
    }
    for size in &explanation.sizes {
        lines.extend(size_text(explanation, unit, size));
    }
    let greedy = explanation.plans.iter().filter(|plan| !plan.is_exact).count();
    if greedy > 0 {
        lines.push(format!("found greedily, as the block is large: {greedy} of {} plans", explanation.plans.len()));
    }
    lines
}

/// `n is size(0, a) = 1000`; nothing if all is said by the name.
fn size_text(explanation: &Explanation, unit: &Unit, size: &Size) -> Option<String> {
    let computed = explanation.naming.computed_at(size);
    let is = match computed {
        Some(span) => {
            let place = span.and_then(|span| unit.sources.position(span));
            let line = place.map(|place| format!(" at line {}", place.line)).unwrap_or_default();
            format!(" is a size that the program computes{line}, {} in dumps", size.is)
        }
        None if size.is == size.name => String::new(),
        None => format!(" is {}", spelled(&size.is, unit)),
    };
    let value = size.value.map(|value| format!(" = {value}")).unwrap_or_default();
    (!is.is_empty() || !value.is_empty()).then(|| format!("{}{is}{value}", size.name))
}

/// An extent as the language of the program has it: `size(0, a)` is `a.shape[0]` in Python and `shape(a)[0]` in SAC.
fn spelled(extent: &str, unit: &Unit) -> String {
    let parts =
        extent.strip_prefix("size(").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(", "));
    match parts {
        Some((axis, array)) if numpy::is_python(Path::new(&unit.name)) => format!("{array}.shape[{axis}]"),
        Some((axis, array)) if unit.sac.is_some() => format!("shape({array})[{axis}]"),
        _ => extent.to_string(),
    }
}

/// A wider table does not fit on most terminals; its columns go below each other.
const WIDEST: usize = 110;

fn totals(explanation: &Explanation, unit: &Unit) -> String {
    let mut table = vec![["".to_string(), "before".into(), "after".into()]];
    table.extend(rows(explanation));
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [a, b, c] = [width(0), width(1), width(2)];
    let mut text = String::from("Totals:\n\n");
    for [what, before, after] in &table {
        let _ = if a + b + c <= WIDEST {
            writeln!(text, "  {what:<a$}  {before:>b$}  {after:>c$}")
        } else if what.is_empty() {
            Ok(())
        } else {
            writeln!(text, "  {what:<a$}  before  {before}\n  {:<a$}  after   {after}", "")
        };
    }
    let notes = notes(explanation, unit);
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}
