//! What becomes of every array, and why.

use super::conflict::{Conflict, Walks};
use super::graph::{Array, DataFlowGraph, Edge};
use super::removable::{Closure, Paths};
use crate::deadline::Deadline;
use frit_support::{Index, Table};
use std::collections::BTreeMap;

/// What becomes of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All that write and read it are fused: it needs no memory.
    Removed,
    /// It stays: it is live before or after the region.
    Kept,
    /// It stays: no edge mentions it.
    Unused,
    /// It stays: its own edge prevents fusion.
    PreventingEdge(Edge),
    /// It stays: beside one of its edges there is a path with a preventing edge.
    PreventingPath {
        /// The edge of the array.
        edge: Edge,
        /// The path, from the edge's tail to its head. Empty if there was no time to look for it.
        path: Vec<Edge>,
    },
    /// It was given up: it cannot be removed together with others.
    Conflict {
        /// The place of the conflict in the [list](super::Solution::conflicts).
        conflict: usize,
        /// The other arrays of the conflict, which are removed. Empty if the array is in its own way.
        others: Vec<Array>,
    },
    /// It stays, and there was no time to find out why.
    OutOfTime,
    /// It could be removed besides, but the objective does not gain by it.
    NotWorthwhile,
}

/// The fates of all arrays. Conflicts that are needed to tell them are added to the list.
pub(super) fn fates(
    graph: &DataFlowGraph,
    closure: &Closure,
    walks: &Walks,
    removable: &[Array],
    removed: &[Array],
    conflicts: &mut Vec<Conflict>,
    deadline: &Deadline,
) -> Table<Array, Fate> {
    let edges = graph.edges_by_array();
    let paths = Paths::new(graph);
    let mut places: BTreeMap<Vec<Array>, usize> =
        conflicts.iter().enumerate().map(|(at, conflict)| (conflict.arrays.clone(), at)).collect();
    let mut choice: Vec<bool> = removable.iter().map(|array| removed.binary_search(array).is_ok()).collect();
    let mut fate = |array: Array| {
        let edges = &edges[array.at()];
        if removed.binary_search(&array).is_ok() {
            Fate::Removed
        } else if graph.arrays()[array].kept {
            Fate::Kept
        } else if edges.is_empty() {
            Fate::Unused
        } else if let Some(&edge) = edges.iter().find(|&&edge| graph.edges()[edge].preventing) {
            Fate::PreventingEdge(edge)
        } else if let Some(&edge) = edges.iter().find(|&&edge| closure.is_apart(graph, edge)) {
            let path = if deadline.is_over() { Vec::new() } else { paths.preventing(edge) };
            Fate::PreventingPath { edge, path }
        } else if deadline.is_over() {
            Fate::OutOfTime
        } else {
            let at = removable.binary_search(&array).expect("nothing else keeps it");
            choice[at] = true;
            let found = walks.violated(&choice, deadline).next();
            choice[at] = false;
            let Some(arrays) = found else { return Fate::NotWorthwhile };
            let conflict = walks.conflict(&arrays);
            let others = conflict.arrays.iter().copied().filter(|&other| other != array).collect();
            let place = *places.entry(conflict.arrays.clone()).or_insert(conflicts.len());
            if place == conflicts.len() {
                conflicts.push(conflict);
            }
            Fate::Conflict { conflict: place, others }
        }
    };
    graph.arrays().indices().map(&mut fate).collect()
}
