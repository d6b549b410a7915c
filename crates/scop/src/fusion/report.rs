//! Decisions of the planner as the log has them.

use super::Options;
use super::clusters::Plan;
use super::distribution::Unit;
use super::level::Level;
use super::tie::Tie;
use crate::model::{Array, Loop};
use crate::tree::Member;
use frit_plan::{Cost, Decision, Log, LoopRef, Outcome, Size};
use std::collections::BTreeSet;

/// Loops of the source that run as one.
pub(super) const FUSION: &str = "loop-fusion";
/// A loop of the source that became several.
pub(super) const DISTRIBUTION: &str = "loop-distribution";
/// A loop that was not the outermost one of its nest is run outside.
pub(super) const INTERCHANGE: &str = "loop-interchange";
/// A loop that runs the other way.
pub(super) const REVERSAL: &str = "loop-reversal";
/// A loop of which a statement runs earlier or later than the others.
pub(super) const ALIGNMENT: &str = "loop-alignment";

/// Logs what became of a level.
pub(super) fn level(level: &Level, plan: &Plan, log: &mut Log) {
    let merged = |rule, first, second, into: Loop, saved: Cost| Decision {
        rule,
        function: level.options.function.clone(),
        first,
        second,
        outcome: Outcome::Merged { into: into.to_string(), saved, passes: usize::from(rule == FUSION) },
    };
    for source in plan.split() {
        let units = plan.units.iter().filter(|unit| unit.source() == Some(source));
        let names: BTreeSet<Array> = units.flat_map(|unit| written(level, unit)).collect();
        let loop_ref = reference(level, source, names);
        log.decisions.push(merged(DISTRIBUTION, loop_ref.clone(), loop_ref, source, Cost::default()));
    }
    for cluster in &plan.clusters {
        let first = &plan.units[cluster[0]];
        let mut sources = BTreeSet::from([first.source()]);
        for (at, &unit) in cluster.iter().enumerate().skip(1) {
            if sources.insert(plan.units[unit].source())
                && let Some(into) = first.source()
            {
                let saved =
                    Cost { held: Size::constant(removed(level, plan, &cluster[..at], unit)), ..Cost::default() };
                let (one, other) = (self::unit(level, first), self::unit(level, &plan.units[unit]));
                log.decisions.push(merged(FUSION, one, other, into, saved));
            }
        }
        for &unit in cluster {
            let (Some(orientation), Some(source)) = (&plan.orientations[unit], plan.units[unit].source()) else {
                continue;
            };
            let natural = level.natural(orientation.source);
            let loop_ref = reference(level, orientation.source, written(level, &plan.units[unit]));
            for (rule, is_done) in [
                (INTERCHANGE, orientation.source != source),
                (REVERSAL, (orientation.pace.num < 0) != (natural.pace.num < 0)),
            ] {
                if is_done {
                    let into = first.source().unwrap_or(source);
                    log.decisions.push(merged(rule, loop_ref.clone(), loop_ref.clone(), into, Cost::default()));
                }
            }
        }
    }
    kept_apart(level, plan, log);
}

/// Logs loops of which statements run earlier or later than others.
pub(super) fn alignments(level: &Level, members: &[Member], log: &mut Log) {
    let into = members[0].source;
    let mut known = BTreeSet::new();
    for member in members.iter().filter(|member| member.shift != 0 || !member.offset.is_empty()) {
        if known.insert((member.source, member.shift, &member.offset)) {
            let loop_ref = reference(level, member.source, level.writes(member.statement));
            log.decisions.push(Decision {
                rule: ALIGNMENT,
                function: level.options.function.clone(),
                first: loop_ref.clone(),
                second: loop_ref,
                outcome: Outcome::Merged { into: into.to_string(), saved: Cost::default(), passes: 0 },
            });
        }
    }
}

/// Logs that the region stays as it is.
pub(super) fn refused(options: &Options, reason: String, log: &mut Log) {
    let nothing = LoopRef { label: String::new(), kind: "loop", names: Vec::new(), span: frit_support::Span::NONE };
    log.decisions.push(Decision {
        rule: FUSION,
        function: options.function.clone(),
        first: nothing.clone(),
        second: nothing,
        outcome: Outcome::Refused { code: super::Refusal::TooHard.code(), reason, place: None },
    });
}

/// Pairs between which values go, and that are not fused.
fn kept_apart(level: &Level, plan: &Plan, log: &mut Log) {
    let place = plan.places();
    for (pair, tie) in plan.ties.pairs() {
        let are_statements = plan.units[pair.0].loops.is_empty() && plan.units[pair.1].loops.is_empty();
        if place[pair.0] == place[pair.1] || tie.flows.is_empty() || are_statements {
            continue;
        }
        let saving = tie.temporaries.iter().map(|&array| level.facts.bytes[array]).sum::<u64>();
        let saving = Cost { held: Size::constant(i64::try_from(saving).unwrap_or(i64::MAX)), ..Cost::default() };
        let reason = why_apart(level, plan, pair, tie);
        let outcome = match &plan.verdicts[&pair].refusal {
            Some(refusal) if !refusal.is_choice() => {
                Outcome::Refused { code: refusal.code(), reason, place: refusal.place() }
            }
            Some(_) | None => Outcome::NotChosen { reason, saving },
        };
        log.decisions.push(Decision {
            rule: FUSION,
            function: level.options.function.clone(),
            first: unit(level, &plan.units[pair.0]),
            second: unit(level, &plan.units[pair.1]),
            outcome,
        });
    }
}

/// Why two units with a dependence between them are in different loops.
pub(super) fn why_apart(level: &Level, plan: &Plan, pair: (usize, usize), tie: &Tie) -> String {
    let gained_nothing = || {
        let reason = tie.flows.iter().find_map(|array| plan.kept.get(array).cloned());
        reason.unwrap_or_else(|| "no array shrinks by it".into())
    };
    plan.verdicts[&pair].refusal.as_ref().map_or_else(gained_nothing, |refusal| refusal.reason(level.scop))
}

/// The bytes of temporary arrays that are between a unit and others that it joins.
fn removed(level: &Level, plan: &Plan, others: &[usize], unit: usize) -> i64 {
    let ties = others.iter().filter_map(|&other| plan.ties.between(other, unit));
    let arrays: BTreeSet<Array> = ties.flat_map(|tie| tie.temporaries.iter().copied()).collect();
    i64::try_from(arrays.into_iter().map(|array| level.facts.bytes[array]).sum::<u64>()).unwrap_or(i64::MAX)
}

/// The arrays that a unit writes.
pub(super) fn written(level: &Level, unit: &Unit) -> BTreeSet<Array> {
    unit.statements.iter().flat_map(|&statement| level.writes(statement)).collect()
}

fn unit(level: &Level, unit: &Unit) -> LoopRef {
    match unit.source() {
        Some(source) => reference(level, source, written(level, unit)),
        None => {
            let span = level.scop.statements[unit.statements[0]].span;
            LoopRef { label: String::new(), kind: "statement", names: names(level, written(level, unit)), span }
        }
    }
}

fn reference(level: &Level, source: Loop, written: impl IntoIterator<Item = Array>) -> LoopRef {
    let span = level.scop.loops[source].span;
    LoopRef { label: source.to_string(), kind: "loop", names: names(level, written), span }
}

/// As the source has them: parts of one array have one name.
fn names(level: &Level, arrays: impl IntoIterator<Item = Array>) -> Vec<String> {
    let name = |array| level.scop.arrays[level.scop.arrays[array].origin].name.clone();
    arrays.into_iter().map(name).collect::<BTreeSet<String>>().into_iter().collect()
}
