//! The loops that a region's nests became, and what keeps others apart, in lines of the source.

use super::drawing::Flow;
use frit_scop::fusion::{NestGraph, NestTie, Refusal};
use frit_scop::tree::{Fused, FusedLoop, FusedTree, Member};
use frit_scop::{Array, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What became of the loop nests of a region.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The outermost loops that it runs as, in order.
    pub loops: Vec<FinalLoop>,
    /// Nests of different loops between which values go.
    pub apart: Vec<Apart>,
}

/// An outermost loop of the result, or a statement outside of loops.
#[derive(Clone, Debug)]
pub struct FinalLoop {
    /// The lines of the nests that it was made from.
    pub lines: BTreeSet<usize>,
    /// The nests that do not run in step with the first of them, and how they run: `1 iteration later`.
    pub moved: Vec<(usize, String)>,
}

/// Two nests that stay apart.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Their lines, in the order in which they run.
    pub lines: (usize, usize),
    /// What goes from one to the other.
    pub arrays: BTreeSet<Array>,
    /// The loops that they belong to, by their places in the list.
    pub loops: (usize, usize),
    /// The code of the reason for which one loop would be wrong or unwanted; `None` if it only would gain nothing.
    pub code: Option<&'static str>,
    /// The reason, in words about the first and the second loop.
    pub why: String,
    /// Which of both is no loop nest that is taken apart, if that is the reason, and what it is instead.
    pub alone: Option<(usize, &'static str)>,
}

impl Outline {
    pub(super) fn new(flow: &Flow, nests: &NestGraph, tree: &FusedTree) -> Outline {
        let line = |nest: usize| flow.line(&nests.nests[nest]).unwrap_or(1);
        let place = |nest: usize| nests.clusters.iter().position(|cluster| cluster.contains(&nest)).unwrap_or(0);
        let loops = nests.clusters.iter().map(|cluster| FinalLoop {
            lines: cluster.iter().map(|&nest| line(nest)).collect(),
            moved: moved(flow, nests, cluster, tree, &line),
        });
        let apart = nests.ties.iter().filter(|tie| !tie.flows.is_empty()).filter_map(|tie: &NestTie| {
            // Arrays that may overlap one by one.
            let why = tie.why_apart.as_ref()?.replace('|', "`, `");
            let is_loop = |nest: usize| nests.nests[nest].source.is_some();
            let is_alone = matches!(tie.refusal, Some(Refusal::IsolatedStatement { .. }));
            let alone = [tie.to, tie.from].into_iter().find(|nest| is_alone && !is_loop(*nest));
            let alone = alone.map(|nest| (line(nest), flow.kind(&nests.nests[nest])));
            (is_loop(tie.from) || is_loop(tie.to)).then(|| Apart {
                lines: (line(tie.from), line(tie.to)),
                arrays: tie.flows.clone(),
                loops: (place(tie.from), place(tie.to)),
                code: tie.refusal.as_ref().map(|refusal| refusal.code()),
                why: alone.map_or(why, |(line, what)| format!("line {line} is {what}")),
                alone,
            })
        });
        Outline { loops: loops.collect(), apart: apart.collect() }
    }

    /// Why an array that goes from one loop to another is whole between them.
    pub(super) fn why_whole(&self, array: Array) -> Option<String> {
        let mut readers = self.apart.iter().filter(|apart| apart.arrays.contains(&array));
        // A statement outside of loops needs single elements, unless nothing else reads it.
        let mut refused = readers.clone().filter(|apart| apart.code.is_some());
        let of_loops = refused.clone().find(|apart| apart.alone.is_none());
        let apart = of_loops.or_else(|| refused.next()).or_else(|| readers.next())?;
        let reader = apart.lines.1;
        // Loops that could be one may be apart for the sake of others between them.
        let is_between = |other: &&Apart| other.loops == apart.loops && other.code.is_some();
        let cause = if apart.code.is_some() { Some(apart) } else { self.apart.iter().find(is_between) };
        Some(match cause {
            Some(cause) if cause.lines.1 == reader => {
                format!("line {reader} needs all of it, as it stays apart from line {}: {}", cause.lines.0, cause.why)
            }
            Some(cause) => format!(
                "line {reader} needs all of it, as line {} stays apart from line {}: {}",
                cause.lines.1, cause.lines.0, cause.why
            ),
            None => format!("line {reader} reads it in another loop: {}", apart.why),
        })
    }

    /// What runs as one loop, and what must not, in a line each; at most so many that stay apart.
    pub(super) fn sentences(&self, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for merged in self.loops.iter().filter(|merged| merged.lines.len() > 1) {
            let mut line = format!("{} run as one loop", list(&merged.lines));
            let mut alike: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
            for (nest, how) in &merged.moved {
                alike.entry(how).or_default().insert(*nest);
            }
            let mut alike: Vec<(&str, BTreeSet<usize>)> = alike.into_iter().collect();
            alike.sort_by(|one, other| one.1.cmp(&other.1));
            for (at, (how, nests)) in alike.iter().enumerate() {
                let (start, verb) = (if at == 0 { ":" } else { "," }, if nests.len() == 1 { "runs" } else { "run" });
                let _ = write!(line, "{start} {} {verb} {how}", list(nests));
            }
            lines.push(line);
        }
        let (alone, apart): (Vec<_>, Vec<_>) =
            self.apart.iter().filter(|apart| apart.code.is_some()).partition(|apart| apart.alone.is_some());
        let mut refused: BTreeSet<String> = apart
            .into_iter()
            .map(|apart| format!("lines {} and {} stay apart: {}", apart.lines.0, apart.lines.1, apart.why))
            .collect();
        // What is no loop keeps its place between the loops that it depends on.
        let mut places: BTreeMap<(usize, &str), [BTreeSet<usize>; 2]> = BTreeMap::new();
        for (apart, alone) in alone.iter().filter_map(|apart| Some((apart, apart.alone?))) {
            let [after, before] = places.entry(alone).or_default();
            match apart.lines.0 == alone.0 {
                true => before.insert(apart.lines.1),
                false => after.insert(apart.lines.0),
            };
        }
        for ((line, what), [after, before]) in places {
            let parts = [("after", after), ("before", before)].into_iter().filter(|(_, lines)| !lines.is_empty());
            let parts: Vec<String> = parts.map(|(word, lines)| format!("{word} {}", list(&lines))).collect();
            refused.insert(format!("line {line}, {what}, runs {}", parts.join(" and ")));
        }
        let left = refused.len().saturating_sub(most);
        lines.extend(refused.into_iter().take(most));
        if left > 0 {
            lines.push(format!("{left} more pairs stay apart; -v tells all decisions"));
        }
        lines
    }
}

/// `lines 6, 9 and 12`.
fn list(lines: &BTreeSet<usize>) -> String {
    let texts: Vec<String> = lines.iter().map(usize::to_string).collect();
    match &texts[..] {
        [init @ .., last] if !init.is_empty() => format!("lines {} and {last}", init.join(", ")),
        _ => format!("line {}", texts.concat()),
    }
}

/// The nests of a loop that run later than the earliest, backwards or at another pace.
fn moved(
    flow: &Flow,
    nests: &NestGraph,
    cluster: &[usize],
    tree: &FusedTree,
    line: &dyn Fn(usize) -> usize,
) -> Vec<(usize, String)> {
    let statement = |nest: usize| nests.nests[nest].statements[0];
    let Some(fused) = tree.body.iter().find_map(|part| holder(part, statement(cluster[0]))) else { return Vec::new() };
    let members: Vec<(usize, &Member)> =
        cluster.iter().filter_map(|&nest| Some((line(nest), fused.member(statement(nest))?))).collect();
    // A statement that became an iteration of a loop has no pace of its own.
    let of_loops = members.iter().filter(|(_, member)| member.offset.is_empty());
    let Some(earliest) = of_loops.map(|(_, member)| member.shift).min() else { return Vec::new() };
    let how = |&(line, member): &(usize, &Member)| {
        let natural = if flow.scop.loops[member.source].is_reversed { -1 } else { 1 };
        let mut ways: Vec<String> = Vec::new();
        if member.scale.signum() != natural {
            ways.push("backwards".into());
        }
        if member.scale.abs() > 1 {
            ways.push(format!("once in {} iterations", member.scale.abs()));
        }
        let later = member.shift.saturating_sub(earliest);
        if member.offset.is_empty() && later > 0 {
            ways.push(format!("{later} iteration{} later", if later == 1 { "" } else { "s" }));
        } else if !member.offset.is_empty() && ways.is_empty() {
            ways.push("later".into());
        }
        (!ways.is_empty()).then(|| (line, ways.join(" and ")))
    };
    let mut found: Vec<(usize, String)> = members.iter().filter_map(how).collect();
    found.sort();
    found.dedup();
    found
}

/// The outermost loop, if this is the one with the statement.
fn holder(part: &Fused, statement: Statement) -> Option<&FusedLoop> {
    match part {
        Fused::Loop(fused) => fused.member(statement).is_some().then_some(fused),
        Fused::Statement(_) => None,
    }
}
