//! Makes a problem smaller without losing all of its best partitions: pairs that no legal partition merges go, folds that
//! are never better than a merge go, and nodes that some best partition merges become one.

use super::problem::{Problem, Score, Traffic};
use crate::relation::Relation;

/// A smaller problem with the same best score, and the nodes that each of its nodes stands for, given those that each node of
/// `problem` stands for. `None` if a dependence leads back to where it starts.
pub(super) fn reduce(mut problem: Problem, mut members: Vec<Vec<usize>>) -> Option<(Problem, Vec<Vec<usize>>)> {
    loop {
        let reach = problem.reach()?;
        drop_pairs(&mut problem, &reach);
        drop_folds(&mut problem, &reach);
        let Some((one, other)) = sure_merge(&problem, &reach) else {
            return Some((problem, members));
        };
        let (kept, gone) = (one.min(other), one.max(other));
        (problem, members) = merge(&problem, &members, &[kept, gone]);
    }
}

/// The problem in which the given nodes, ascending, are one, in the place of the first.
fn merge(problem: &Problem, members: &[Vec<usize>], cluster: &[usize]) -> (Problem, Vec<Vec<usize>>) {
    let (&head, rest) = cluster.split_first().expect("a cluster has nodes");
    let mut merged: Vec<Vec<usize>> = Vec::new();
    let mut to = vec![0; problem.nodes];
    for node in 0..problem.nodes {
        if rest.contains(&node) {
            to[node] = to[head];
            merged[to[head]].extend(&members[node]);
        } else {
            to[node] = merged.len();
            merged.push(members[node].clone());
        }
    }
    merged[to[head]].sort_unstable();
    (problem.contract(&to, merged.len()), merged)
}

/// The problem in which two nodes, and what lies between them, are one; `None` if that is not legal.
pub(super) fn force(
    problem: &Problem,
    members: &[Vec<usize>],
    one: usize,
    other: usize,
) -> Option<(Problem, Vec<Vec<usize>>)> {
    let reach = problem.reach()?;
    let mut cluster = vec![one.min(other), one.max(other)];
    loop {
        let outside = (0..problem.nodes).filter(|node| !cluster.contains(node));
        let between = outside.filter(|&node| {
            cluster.iter().any(|&from| reach.contains(from, node)) && cluster.iter().any(|&to| reach.contains(node, to))
        });
        let between: Vec<usize> = between.collect();
        let apart = |one: usize, other: usize| one != other && !problem.compatible.contains(one, other);
        cluster.extend(&between);
        if cluster.iter().any(|&one| cluster.iter().any(|&other| apart(one, other))) {
            return None;
        }
        if between.is_empty() {
            break;
        }
    }
    cluster.sort_unstable();
    let product = cluster.iter().fold(1, |product: u128, &node| product.saturating_mul(problem.generators[node]));
    (product <= problem.limit).then(|| merge(problem, members, &cluster))
}

/// Removes pairs that no legal partition merges: what lies on a path between two nodes has to be merged with them, also if it is
/// folded, since a dependence through a folded node keeps its ends apart.
pub(super) fn drop_pairs(problem: &mut Problem, reach: &Relation) {
    let above = reach.reversed(problem.nodes);
    loop {
        let mut changed = false;
        for one in 0..problem.nodes {
            for other in problem.compatible.related(one).filter(|&other| other > one).collect::<Vec<_>>() {
                let (first, second) = if reach.contains(other, one) { (other, one) } else { (one, other) };
                let between = reach.row(first).iter().zip(above.row(second)).map(|(below, above)| below & above);
                let both = problem.compatible.row(one).iter().zip(problem.compatible.row(other));
                let torn = between.zip(both).any(|(between, (one, other))| between & !(one & other) != 0);
                let product = problem.generators[one].saturating_mul(problem.generators[other]);
                if torn || product > problem.limit {
                    problem.compatible.remove(one, other);
                    problem.compatible.remove(other, one);
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Removes folds into a single reader that could be merged wherever the reader is: the merge saves as much and repeats nothing.
fn drop_folds(problem: &mut Problem, reach: &Relation) {
    let mut changed = false;
    for node in 0..problem.nodes {
        let &[reader] = &problem.consumers[node][..] else { continue };
        let only = problem.edges.iter().filter(|(from, _)| *from == node);
        if problem.folds[node].is_some()
            && joins_any_cluster_of(problem, node, reader)
            && only.clone().all(|&(_, to)| to == reader || reach.contains(reader, to))
        {
            problem.folds[node] = None;
            changed = true;
        }
    }
    if changed {
        problem.find_inherited();
    }
}

/// Whatever `other` is merged with, `node` may be too.
fn joins_any_cluster_of(problem: &Problem, node: usize, other: usize) -> bool {
    let unlimited =
        || problem.generators.iter().fold(1, |product: u128, &g| product.saturating_mul(g)) <= problem.limit;
    problem.compatible.contains(node, other)
        && problem.compatible.related(other).all(|third| third == node || problem.compatible.contains(node, third))
        && (problem.generators[node] == 1 || unlimited())
}

/// Two nodes that some best partition merges, if there are such for sure. See `Note [Sure merges]`.
fn sure_merge(problem: &Problem, reach: &Relation) -> Option<(usize, usize)> {
    let mut touched_by_folds = vec![false; problem.nodes];
    for node in (0..problem.nodes).filter(|&node| problem.folds[node].is_some()) {
        touched_by_folds[node] = true;
        problem.consumers[node].iter().for_each(|&reader| touched_by_folds[reader] = true);
    }
    problem.inherited.iter().for_each(|&(_, _, to)| touched_by_folds[to] = true);
    let mut edges = vec![(Vec::new(), Vec::new()); problem.nodes];
    for &(from, to) in &problem.edges {
        edges[from].1.push(to);
        edges[to].0.push(from);
    }
    for node in (0..problem.nodes).filter(|&node| !touched_by_folds[node]) {
        let (before, after) = &edges[node];
        for other in problem.compatible.related(node) {
            if problem.folds[other].is_none()
                && before.iter().all(|&from| from == other || reach.contains(from, other))
                && after.iter().all(|&to| to == other || reach.contains(other, to))
                && joins_any_cluster_of(problem, node, other)
                && most_lost(problem, node, other) <= vec![0; 2 * problem.degrees]
            {
                return Some((node, other));
            }
        }
    }
    None
}

/// The most that can be lost when `node` leaves a cluster without `other` for the cluster of `other`.
fn most_lost(problem: &Problem, node: usize, other: usize) -> Score {
    let degrees = problem.degrees;
    let (moved, at_held) = (problem.first.moved(degrees), problem.first.held(degrees));
    let mut lost = vec![0; 2 * degrees];
    for array in &problem.arrays {
        let (passes, stored) = change(problem, array, node, other);
        let is_alone = || problem.arrays.iter().filter(|other| other.group == array.group).count() == 1;
        // Others of its group may be stored all the same.
        let held = if stored < 0 && !is_alone() { 0 } else { stored };
        for (degree, weight) in array.weight.iter().enumerate() {
            lost[moved + degree] += weight * i128::from(passes + stored);
            if let Some(at_held) = at_held {
                lost[at_held + degree] += weight * i128::from(held);
            }
        }
    }
    lost
}

/// How many more passes over an array are read, and whether it is stored, where it was not, after that move, at most.
fn change(problem: &Problem, array: &Traffic, node: usize, other: usize) -> (i32, i32) {
    let fits = |third: usize| third != other && problem.compatible.contains(node, third);
    let reads = |third: usize| array.readers.contains(&third);
    // Who reads the array if nodes are folded.
    let through_folds =
        || array.readers.iter().filter(|&&reader| problem.folds[reader].is_some()).flat_map(|&r| &problem.consumers[r]);
    let shared_with_readers = || array.readers.iter().chain(through_folds()).any(|&third| fits(third));
    let made_by = |third: usize| array.producer == Some(third);
    if made_by(node) {
        let alone = !array.kept && array.readers == [other];
        let removable = !array.kept && array.readers.iter().all(|&reader| fits(reader));
        if reads(other) {
            (i32::from(shared_with_readers()) - 1, -i32::from(alone))
        } else {
            (i32::from(shared_with_readers()), i32::from(removable && !array.readers.is_empty()))
        }
    } else if reads(node) {
        let may_vanish = array.producer.is_some_and(|producer| problem.folds[producer].is_some());
        let with_producer = array.producer.is_some_and(fits);
        if reads(other) || made_by(other) {
            let gained = !may_vanish && !with_producer && !shared_with_readers();
            let alone = made_by(other) && !array.kept && array.readers == [node];
            (-i32::from(gained), -i32::from(gained && alone))
        } else {
            (i32::from(with_producer || shared_with_readers()), i32::from(with_producer && !array.kept))
        }
    } else {
        (0, 0)
    }
}

// Note [Sure merges]
// ~~~~~~~~~~~~~~~~~~
// Let a best partition have `node` in a cluster A and `other` in another, B. Moving `node` from A to B gives a partition that is as good
// if
// - `node` may be merged with whatever `other` may be merged with, and has one generator (or there are few altogether);
// - what `node` needs is needed by `other` too, at whatever distance, and what needs `node` needs `other` too. Then the new B needs, and
//   is needed by, nothing that it was not before. A without `node` is still legal: a path between members of A through `node`
//   would have gone through A, B and A, and the partition was legal;
// - the arrays that A and `node` share cost at most as much as those that B and `node` share are sure to save.
// Hence there is a best partition in which both are merged, and they can be taken for one node from the beginning. The last
// condition is that of the edge contractions in correlation clustering (Lange, Karrer, Andres: Partial optimality and fast lower bounds
// for weighted correlation clustering, ICML 2018).
//
// Where nodes may be folded, other nodes become readers and new dependences arise. Those nodes are left alone.

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Array, ArrayData, FusionGraph, Node, NodeData, Pair, Size};
    use frit_support::Index;

    /// Loops of which all are pairs, with one array of 8 bytes for each producer and its readers.
    fn graph(nodes: usize, arrays: &[(Option<usize>, &[usize])]) -> FusionGraph {
        let mut graph = FusionGraph::default();
        for at in 0..nodes {
            let node = graph.nodes.push(NodeData { generators: 1, ..NodeData::default() });
            graph.pairs.extend((0..at).map(|first| Pair { first: Node::new(first), second: node }));
        }
        for (producer, readers) in arrays {
            let _: Array = graph.arrays.push(ArrayData {
                bytes: Size::constant(8),
                producer: producer.map(Node::new),
                readers: readers.iter().map(|&reader| Node::new(reader)).collect(),
                ..ArrayData::default()
            });
        }
        graph
    }

    fn reduced(graph: &FusionGraph) -> (Problem, Vec<Vec<usize>>) {
        let members = (0..graph.nodes.len()).map(|node| vec![node]).collect();
        reduce(Problem::new(graph, 64), members).expect("there is no cycle")
    }

    #[test]
    fn a_diamond_without_obstacles_is_one_node() {
        let graph = graph(4, &[(Some(0), &[1, 2]), (Some(1), &[3]), (Some(2), &[3])]);
        assert_eq!(reduced(&graph).1, [[0, 1, 2, 3]]);
    }

    #[test]
    fn a_tempting_merge_that_spoils_two_others_is_not_sure() {
        let mut graph = graph(4, &[(Some(0), &[1]), (Some(1), &[2]), (Some(2), &[3])]);
        graph.pairs.retain(|pair| pair.second.at() == pair.first.at() + 1);
        graph.arrays[Array::new(1)].bytes = Size::constant(12);
        assert_eq!(reduced(&graph).1.len(), 4);
    }

    #[test]
    fn pairs_with_an_obstacle_between_are_dropped() {
        let mut graph = graph(3, &[(Some(0), &[1, 2]), (Some(1), &[2])]);
        graph.pairs.retain(|pair| (pair.first.at(), pair.second.at()) != (0, 1));
        let mut problem = Problem::new(&graph, 64);
        let reach = problem.reach().expect("there is no cycle");
        drop_pairs(&mut problem, &reach);
        assert!(!problem.compatible.contains(0, 2) && problem.compatible.contains(1, 2));
    }

    #[test]
    fn a_fold_into_a_single_reader_that_can_be_fused_is_dropped() {
        let mut graph = graph(2, &[(Some(0), &[1])]);
        graph.nodes[Node::new(0)].fold = Some(Size::zero());
        assert_eq!(reduced(&graph).0.folds, [None]);
        graph.pairs.clear();
        assert!(reduced(&graph).0.folds[0].is_some());
    }
}
