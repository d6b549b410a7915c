//! The fewest loops for merges that are wanted. Source: Kennedy, McKinley, Typed fusion with applications to parallel and sequential
//! code generation (Rice University, 1993), for loops of one type.
//!
//! It holds where only dependences keep two nodes apart, their own or those of nodes on a way from one to the other. Each cluster
//! runs as early as it can: a cluster that may not be merged with one that it needs comes one loop later. That gives the fewest
//! loops that the merges allow.

use super::problem::{Partition, Problem, in_order};
use crate::strong::components;
use std::collections::BTreeMap;

/// A partition with the same merges of nodes that touch the same arrays, and the fewest clusters, if that is found to be legal and as good.
pub(super) fn fewest(problem: &Problem, partition: Partition) -> Partition {
    if partition.folded.contains(&true) {
        return partition;
    }
    let Some(levels) = levels(problem, &wanted(problem, &partition)) else { return partition };
    let mut heads = BTreeMap::new();
    let cluster = levels.iter().enumerate().map(|(node, level)| *heads.entry(*level).or_insert(node)).collect();
    let found = Partition { cluster, folded: partition.folded.clone() };
    let is_better = problem.score(&found) < problem.score(&partition) && problem.order(&found).is_some();
    if is_better { found } else { partition }
}

/// The number of clusters that these merges demand at least; `None` if they are not legal.
pub(super) fn of_merges(problem: &Problem, partition: &Partition) -> Option<usize> {
    let levels = levels(problem, &partition.cluster)?;
    Some(levels.into_iter().max().map_or(0, |level| level + 1))
}

/// The merges of a partition that save something, and those that have to go along.
fn wanted(problem: &Problem, partition: &Partition) -> Vec<usize> {
    // What is merged can be walked both ways, other dependences forwards.
    let mut steps: Vec<Vec<usize>> = vec![Vec::new(); problem.nodes];
    problem.edges.iter().for_each(|&(from, to)| steps[from].push(to));
    for array in &problem.arrays {
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for &node in array.producer.iter().chain(&array.readers) {
            if let Some(other) = last.insert(partition.cluster[node], node) {
                steps[node].push(other);
                steps[other].push(node);
            }
        }
    }
    components(problem.nodes, |node, at| steps[node].get(at).map(|&to| (at, to)))
}

/// How many clusters have to run before the cluster of each node; `None` if clusters need each other. A dependence that keeps its ends
/// apart costs one: what is apart for another reason has such a dependence on the way.
fn levels(problem: &Problem, cluster: &[usize]) -> Option<Vec<usize>> {
    let nodes = problem.nodes;
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut waits: Vec<Vec<(usize, bool)>> = vec![Vec::new(); nodes];
    for &(from, to) in problem.edges.iter().filter(|(from, to)| cluster[*from] != cluster[*to]) {
        successors[cluster[from]].push(cluster[to]);
        waits[cluster[from]].push((cluster[to], !problem.compatible.contains(from, to)));
    }
    let heads = (0..nodes).filter(|&node| cluster[node] == node);
    let order = in_order(&successors, heads.clone());
    if order.len() < heads.count() {
        return None;
    }
    let mut level = vec![0; nodes];
    for &from in &order {
        for &(to, is_apart) in &waits[from] {
            level[to] = level[to].max(level[from] + usize::from(is_apart));
        }
    }
    Some(cluster.iter().map(|&cluster| level[cluster]).collect())
}
