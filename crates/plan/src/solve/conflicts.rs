//! Cuts from conflicts: of merges and removals of arrays of which no two are legal together, at most one is made.

use super::cuts::urgency;
use super::problem::Problem;
use super::relation::{Relation, members};
use super::relaxation::{Cut, Fractional, Relaxation, TOLERANCE, is_violated};
use std::collections::BTreeSet;

/// Something that puts nodes into one cluster.
enum Item {
    /// A pair is merged.
    Pair(usize, usize),
    /// The array with this number in the graph is not stored.
    Removal(usize),
}

/// An item that a solution chooses to some part, and the nodes that it puts together.
struct Chosen {
    item: Item,
    value: f64,
    nodes: Vec<u64>,
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
            chosen.push(Chosen { item: Item::Pair(one, other), value, nodes: legality.set([one, other]) });
        }
    }
    for array in &problem.arrays {
        let value = relaxation.removed(solution, array.id);
        if undecided(value) && array.readers.len() > 1 {
            let nodes = legality.set(array.producer.iter().chain(&array.readers).copied());
            chosen.push(Chosen { item: Item::Removal(array.id), value, nodes });
        }
    }
    chosen.sort_by(|one, other| other.value.total_cmp(&one.value));
    let mut conflict = Relation::new(chosen.len());
    for (one, first) in chosen.iter().enumerate() {
        for (other, second) in chosen.iter().enumerate().skip(one + 1) {
            if legality.conflict(&first.nodes, &second.nodes) {
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
                }
            }
            cut.merged.sort_unstable();
            cut.removed.sort_unstable();
            cuts.insert((urgency(excess), cut));
        }
    }
}

impl Legality<'_> {
    fn set(&self, nodes: impl IntoIterator<Item = usize>) -> Vec<u64> {
        let mut set = vec![0; self.problem.nodes.div_ceil(64)];
        nodes.into_iter().for_each(|node| set[node / 64] |= 1 << (node % 64));
        set
    }

    /// True if the nodes of the two sets cannot be merged, each set in one cluster.
    fn conflict(&self, one: &[u64], other: &[u64]) -> bool {
        let overlap = one.iter().zip(other).any(|(one, other)| one & other != 0);
        let leads = |from: &[u64], to: &[u64]| {
            members(from).any(|node| self.below.row(node).iter().zip(to).any(|(below, to)| below & to != 0))
        };
        (overlap || leads(one, other) && leads(other, one)) && !self.fit(one, other)
    }

    /// True if all nodes of both sets may be in one cluster.
    fn fit(&self, one: &[u64], other: &[u64]) -> bool {
        let mut union: Vec<u64> = one.iter().zip(other).map(|(one, other)| one | other).collect();
        loop {
            let (mut below, mut above) = (vec![0; union.len()], vec![0; union.len()]);
            for node in members(&union) {
                let apart = self.problem.compatible.row(node).iter().zip(&union).enumerate();
                for (word, (compatible, member)) in apart {
                    let own = if word == node / 64 { 1 << (node % 64) } else { 0 };
                    if member & !compatible & !own != 0 {
                        return false;
                    }
                }
                below.iter_mut().zip(self.below.row(node)).for_each(|(all, row)| *all |= row);
                above.iter_mut().zip(self.above.row(node)).for_each(|(all, row)| *all |= row);
            }
            let mut grown = false;
            for (word, member) in union.iter_mut().enumerate() {
                let between = below[word] & above[word] & !*member;
                *member |= between;
                grown |= between != 0;
            }
            if !grown {
                return true;
            }
        }
    }
}
