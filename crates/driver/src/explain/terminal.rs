//! Explanations for the terminal: what was merged, then what was not, each with its source lines, how
//! loops run, then what each loop moves, and the totals.

use super::html::capital;
use super::{Decision, Explanation, Outcome, Stage, moved};
use crate::source::Unit;
use frit_support::{Diagnostic, Span, diagnostic};
use std::fmt::Write;

/// The explanation as text, with terminal colours if `color`.
pub fn print(explanation: &Explanation, unit: &Unit, color: bool) -> String {
    let mut text = String::new();
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
        row("intermediate arrays", &|stage| stage.intermediates.to_string()),
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
        let is = match (size.is == size.name, size.name.starts_with('%')) {
            (_, true) => " is a size that the program computes, so named in dumps".to_string(),
            (true, false) => String::new(),
            (false, false) => format!(" is {}", size.is),
        };
        let value = size.value.map(|value| format!(" = {value}")).unwrap_or_default();
        if !is.is_empty() || !value.is_empty() {
            lines.push(format!("{}{is}{value}", size.name));
        }
    }
    let greedy = explanation.plans.iter().filter(|plan| !plan.is_exact).count();
    if greedy > 0 {
        lines.push(format!("found greedily, as the block is large: {greedy} of {} plans", explanation.plans.len()));
    }
    lines
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

/// A line that says it all.
pub(super) fn headline(explanation: &Explanation) -> String {
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let (before, after) = (&explanation.before, &explanation.after);
    let mut text = format!(
        "{} became {}; {} became {}",
        count(before.with_loops, "with-loop"),
        after.with_loops,
        count(before.intermediates, "intermediate array"),
        after.intermediates,
    );
    // Long polynomials are for the table.
    if before.moved.len().max(after.moved.len()) <= 3 {
        text += &format!("; {} moved became {}", explanation.bytes(&before.moved), explanation.bytes(&after.moved));
    }
    text
}
