//! Loop distribution: the smallest parts of the loops of a level that can run one after the other, and the loops of the source as they are
//! put together again from these parts.
//! Source: \[MEM\] section 1; the parts are the strongly connected components of the dependences, as in every distribution.
//!
//! Whether to distribute is decided by `clusters`, which plans with both.

use super::graph;
use super::level::Level;
use crate::model::{Loop, Statement};
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Statements that are in one loop, whatever is planned; or a statement outside of loops.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Ascending.
    pub(super) statements: Vec<Statement>,
    /// The loops that they have in common and left, in the order of the source. Any of them may be run at this level.
    pub(super) loops: Vec<Loop>,
    /// The place of a statement that is not understood.
    pub(super) opaque: Option<Span>,
}

impl Unit {
    fn new(level: &Level, mut statements: Vec<Statement>) -> Unit {
        statements.sort_unstable();
        let first = statements[0];
        let has = |statement: &Statement, of: Loop| {
            let loops = &level.scop.statements[*statement].loops;
            level.left[*statement].iter().any(|&dimension| loops[dimension] == of)
        };
        let loops = level.left[first].iter().map(|&dimension| level.scop.statements[first].loops[dimension]);
        let loops = loops.filter(|&of| statements.iter().all(|statement| has(statement, of))).collect();
        let opaque = statements.iter().find(|statement| level.scop.statements[**statement].opaque.is_some());
        let opaque = opaque.map(|&statement| level.scop.statements[statement].span);
        Unit { statements, loops, opaque }
    }

    /// Several units as one.
    pub(super) fn joined(level: &Level, units: &[Unit], of: &[usize]) -> Unit {
        Unit::new(level, of.iter().flat_map(|&unit| units[unit].statements.iter().copied()).collect())
    }

    /// The loop of the source, if it is one.
    pub(super) fn source(&self) -> Option<Loop> {
        self.loops.first().copied()
    }

    /// No loop that may be fused with others.
    pub(super) fn is_isolated(&self) -> bool {
        self.loops.is_empty() || self.opaque.is_some()
    }
}

/// The smallest units, in an order in which they can run; as in the source where dependences leave that open. A loop with a statement that is
/// not understood stays whole.
pub(super) fn smallest(level: &Level) -> Vec<Unit> {
    let count = level.statements.len();
    let number = |statement: Statement| level.number(statement);
    let mut ties: Vec<(usize, usize)> =
        level.edges.iter().map(|edge| (number(edge.source), number(edge.sink))).collect();
    let is_opaque = |statement: &&Statement| level.scop.statements[**statement].opaque.is_some();
    let opaque: BTreeSet<Loop> = level.statements.iter().filter(is_opaque).filter_map(|s| level.source(*s)).collect();
    let mut first: BTreeMap<Loop, usize> = BTreeMap::new();
    for (at, &statement) in level.statements.iter().enumerate() {
        if let Some(source) = level.source(statement).filter(|source| opaque.contains(source)) {
            let first = *first.entry(source).or_insert(at);
            ties.extend([(first, at), (at, first)]);
        }
    }
    let component = graph::components(count, ties.iter().copied());
    let mut members: BTreeMap<usize, Vec<Statement>> = BTreeMap::new();
    for (at, &statement) in level.statements.iter().enumerate() {
        members.entry(component[at]).or_default().push(statement);
    }
    let units: Vec<Unit> = members.values().map(|members| Unit::new(level, members.clone())).collect();
    ordered(level, &units).expect("components have no cycles").into_iter().map(|at| units[at].clone()).collect()
}

/// The positions of units in an order in which they can run; `None` if they depend on each other.
pub(super) fn ordered(level: &Level, units: &[Unit]) -> Option<Vec<usize>> {
    let of = owners(level, units);
    let edges = level.edges.iter().map(|edge| (of[level.number(edge.source)], of[level.number(edge.sink)]));
    graph::order(units.len(), edges, |unit| units[unit].statements[0])
}

/// By number of statement, the unit that it is in.
pub(super) fn owners(level: &Level, units: &[Unit]) -> Vec<usize> {
    let mut of = vec![0; level.statements.len()];
    for (at, unit) in units.iter().enumerate() {
        unit.statements.iter().for_each(|&statement| of[level.number(statement)] = at);
    }
    of
}

/// The smallest units by the loops of the source that they are parts of, for those loops that are `whole`; each list of units is to be one.
/// Where loops outside have moved parts of a loop so far apart that it cannot be whole any more, the parts stay by themselves.
pub(super) fn whole(level: &Level, units: &[Unit], whole: &BTreeSet<Loop>) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<(Option<Loop>, usize), Vec<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let source = unit.source().filter(|source| whole.contains(source));
        parts.entry((source, if source.is_some() { 0 } else { at })).or_default().push(at);
    }
    let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
    let owner = owners(level, units);
    loop {
        let mut part = vec![0; units.len()];
        parts.iter().enumerate().for_each(|(at, of)| of.iter().for_each(|&unit| part[unit] = at));
        let edges = level.edges.iter();
        let edges = edges.map(|edge| (part[owner[level.number(edge.source)]], part[owner[level.number(edge.sink)]]));
        let component = graph::components(parts.len(), edges);
        let mut sizes = vec![0; parts.len()];
        component.iter().for_each(|&component| sizes[component] += 1);
        if sizes.iter().all(|&size| size <= 1) {
            return parts;
        }
        let split = |(at, of): (usize, Vec<usize>)| match sizes[component[at]] {
            1 => vec![of],
            _ => of.into_iter().map(|unit| vec![unit]).collect(),
        };
        parts = parts.into_iter().enumerate().flat_map(split).collect();
    }
}
