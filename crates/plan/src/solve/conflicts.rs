//! Cuts from conflicts: of merges, removals of arrays and folds of which no two are legal together, at most one is made.

use super::cuts::urgency;
use super::problem::Problem;
use super::relaxation::{Cut, Fractional, Relaxation, TOLERANCE, is_violated};
use crate::relation::{Relation, members};
use std::collections::BTreeSet;

/// Something that puts nodes into one cluster, or keeps one out of all.
#[derive(Clone, Copy)]
enum Item {
    /// A pair is merged.
    Pair(usize, usize),
    /// The array with this number in the graph is not stored, because all that make and read it are merged.
    Removal(usize),
    /// A node is folded.
    Fold(usize),
}

/// An item that a solution chooses to some part, the nodes that it puts together, and those that have to go along with them.
struct Chosen {
    item: Item,
    value: f64,
    nodes: Vec<u64>,
    closure: Vec<u64>,
}

/// What is needed to tell whether nodes may be in one cluster.
struct Legality<'a> {
    problem: &'a Problem,
    below: Relation,
    above: Relation,
}

/// Cuts for cliques of conflicts that the solution violates.
pub(super) fn cliques(
    problem: &Problem,
    relaxation: &Relaxation,
    solution: &Fractional,
    names: &[usize],
    cuts: &mut BTreeSet<(i64, Cut)>,
) {
    let below = problem.reach().expect("dependences have no cycles");
    let above = below.reversed(problem.nodes);
    let legality = Legality { problem, below, above };
    let mut chosen: Vec<Chosen> = Vec::new();
    let undecided = |value: f64| value > 0.05 && value < 1.0 - TOLERANCE;
    for (one, other) in relaxation.pairs() {
        let value = relaxation.merged(solution, one, other);
        if undecided(value) {
            chosen.push(legality.chosen(Item::Pair(one, other), value, &[one, other]));
        }
    }
    for array in &problem.arrays {
        let value = relaxation.removed(solution, array.id);
        if undecided(value) && array.readers.len() > 1 {
            let nodes: Vec<usize> = array.producer.iter().chain(&array.readers).copied().collect();
            chosen.push(legality.chosen(Item::Removal(array.id), value, &nodes));
        }
    }
    for node in relaxation.foldable() {
        let value = relaxation.folded(solution, node);
        if undecided(value) {
            chosen.push(legality.chosen(Item::Fold(node), value, &[node]));
        }
    }
    chosen.sort_by(|one, other| other.value.total_cmp(&one.value));
    let mut conflict = Relation::new(chosen.len());
    for (one, first) in chosen.iter().enumerate() {
        for (other, second) in chosen.iter().enumerate().skip(one + 1) {
            if legality.conflict(first, second) {
                conflict.insert(one, other);
                conflict.insert(other, one);
            }
        }
    }
    for start in 0..chosen.len() {
        let mut clique = vec![start];
        for next in conflict.related(start) {
            if clique.iter().all(|&member| conflict.contains(member, next)) {
                clique.push(next);
            }
        }
        let excess = clique.iter().map(|&member| chosen[member].value).sum::<f64>() - 1.0;
        if is_violated(excess) {
            let mut cut = Cut { merged: Vec::new(), folded: Vec::new(), removed: Vec::new(), bound: -1 };
            for &member in &clique {
                match chosen[member].item {
                    Item::Pair(one, other) => cut.merged.push((names[one], names[other], -1)),
                    Item::Removal(id) => cut.removed.push(id),
                    Item::Fold(node) => cut.folded.push((names[node], -1)),
                }
            }
            cut.folded.sort_unstable();
            cut.merged.sort_unstable();
            cut.removed.sort_unstable();
            cuts.insert((urgency(excess), cut));
        }
    }
}

impl Legality<'_> {
    fn chosen(&self, item: Item, value: f64, together: &[usize]) -> Chosen {
        let mut nodes = vec![0; self.problem.nodes.div_ceil(64)];
        together.iter().for_each(|node| nodes[node / 64] |= 1 << (node % 64));
        let mut closure = nodes.clone();
        while self.grow(&mut closure) {}
        Chosen { item, value, nodes, closure }
    }

    /// True if the two are not legal together.
    fn conflict(&self, one: &Chosen, other: &Chosen) -> bool {
        match (one.item, other.item) {
            (Item::Fold(one), Item::Fold(other)) => {
                self.problem.consumers[one].contains(&other) || self.problem.consumers[other].contains(&one)
            }
            (Item::Fold(_), Item::Pair(..) | Item::Removal(_)) => overlap(&one.nodes, &other.closure),
            (Item::Pair(..) | Item::Removal(_), Item::Fold(_)) => overlap(&one.closure, &other.nodes),
            (Item::Pair(..) | Item::Removal(_), Item::Pair(..) | Item::Removal(_)) => {
                let tied = overlap(&one.nodes, &other.nodes)
                    || self.leads(&one.nodes, &other.nodes) && self.leads(&other.nodes, &one.nodes);
                tied && !self.fit(&one.closure, &other.closure)
            }
        }
    }

    /// A dependence leads from the one set to the other.
    fn leads(&self, from: &[u64], to: &[u64]) -> bool {
        members(from).any(|node| overlap(self.below.row(node), to))
    }

    /// True if all nodes of both sets may be in one cluster.
    fn fit(&self, one: &[u64], other: &[u64]) -> bool {
        let mut union: Vec<u64> = one.iter().zip(other).map(|(one, other)| one | other).collect();
        loop {
            for node in members(&union) {
                let compatible = self.problem.compatible.row(node).iter().zip(&union).enumerate();
                for (word, (compatible, member)) in compatible {
                    let own = if word == node / 64 { 1 << (node % 64) } else { 0 };
                    if member & !compatible & !own != 0 {
                        return false;
                    }
                }
            }
            if !self.grow(&mut union) {
                return true;
            }
        }
    }

    /// Adds the nodes between those of the set; true if there are any.
    fn grow(&self, set: &mut [u64]) -> bool {
        let (mut below, mut above) = (vec![0; set.len()], vec![0; set.len()]);
        for node in members(set) {
            below.iter_mut().zip(self.below.row(node)).for_each(|(all, row)| *all |= row);
            above.iter_mut().zip(self.above.row(node)).for_each(|(all, row)| *all |= row);
        }
        let mut grown = false;
        for (word, member) in set.iter_mut().enumerate() {
            let between = below[word] & above[word] & !*member;
            *member |= between;
            grown |= between != 0;
        }
        grown
    }
}

fn overlap(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}
