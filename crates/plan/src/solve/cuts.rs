//! Inequalities that all partitions obey and a solution of the relaxation may violate: merging is transitive, clusters do not depend
//! on themselves, and they have few generators. There are too many to write all of them down; those that are violated are
//! found here.

use super::problem::Problem;
use super::relaxation::{Cut, Fractional, Relaxation, TOLERANCE, is_violated};
use std::collections::BTreeSet;

/// Cuts that are added at a time, at most.
const BATCH: usize = 150;

/// Cuts that the solution violates, the most violated first. `names` are those of the problem's nodes in cuts.
pub(super) fn violated(problem: &Problem, relaxation: &Relaxation, solution: &Fractional, names: &[usize]) -> Vec<Cut> {
    let merged = Matrix::new(problem.nodes, relaxation, solution);
    let mut cuts = BTreeSet::new();
    for node in 0..problem.nodes {
        stars(problem, &merged, node, names, &mut cuts);
    }
    cycles(problem, relaxation, solution, &merged, names, &mut cuts);
    if cuts.is_empty() {
        products(problem, &merged, names, &mut cuts);
    }
    let mut cuts: Vec<(i64, Cut)> = cuts.into_iter().collect();
    cuts.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    cuts.truncate(BATCH);
    cuts.into_iter().map(|(_, cut)| cut).collect()
}

/// How much of each pair is merged, symmetric.
struct Matrix {
    nodes: usize,
    values: Vec<f64>,
    /// By node: the others that are merged with it to some part.
    partners: Vec<Vec<usize>>,
}

impl Matrix {
    fn new(nodes: usize, relaxation: &Relaxation, solution: &Fractional) -> Self {
        let mut matrix = Self { nodes, values: vec![0.0; nodes * nodes], partners: vec![Vec::new(); nodes] };
        for (one, other) in relaxation.pairs() {
            let value = relaxation.merged(solution, one, other);
            if value > TOLERANCE {
                matrix.values[one * nodes + other] = value;
                matrix.values[other * nodes + one] = value;
                matrix.partners[one].push(other);
                matrix.partners[other].push(one);
            }
        }
        matrix
    }

    fn get(&self, one: usize, other: usize) -> f64 {
        self.values[one * self.nodes + other]
    }
}

/// A violation as a number that sorts.
fn urgency(excess: f64) -> i64 {
    (excess * 1e6) as i64
}

/// A node that is merged with several others makes those others merged: of others, as many as are merged with the node, less 1, are
/// at most the pairs of them that are merged.
fn stars(problem: &Problem, merged: &Matrix, node: usize, names: &[usize], cuts: &mut BTreeSet<(i64, Cut)>) {
    let mut partners = merged.partners[node].clone();
    partners.sort_by(|&one, &other| merged.get(node, other).total_cmp(&merged.get(node, one)).then(one.cmp(&other)));
    for &first in &partners {
        let mut star = vec![first];
        let mut excess = merged.get(node, first) - 1.0;
        for &next in partners.iter().filter(|&&next| next != first) {
            let gain = merged.get(node, next) - star.iter().map(|&other| merged.get(next, other)).sum::<f64>();
            if gain > TOLERANCE {
                excess += gain;
                star.push(next);
            }
        }
        if is_violated(excess) {
            star.sort_unstable();
            let mut pairs: Vec<(usize, usize, i32)> =
                star.iter().map(|&other| (names[node], names[other], -1)).collect();
            for (at, &one) in star.iter().enumerate() {
                let others = star[at + 1..].iter().filter(|&&other| problem.compatible.contains(one, other));
                pairs.extend(others.map(|&other| (names[one], names[other], 1)));
            }
            cuts.insert((urgency(excess), Cut { merged: pairs, folded: Vec::new(), bound: -1 }));
        }
    }
    for (at, &one) in partners.iter().enumerate() {
        for &other in &partners[at + 1..] {
            let excess = merged.get(node, one) + merged.get(node, other) - merged.get(one, other) - 1.0;
            if is_violated(excess) {
                let (one, other) = (one.min(other), one.max(other));
                let mut pairs = vec![(names[node], names[one], -1), (names[node], names[other], -1)];
                if problem.compatible.contains(one, other) {
                    pairs.push((names[one], names[other], 1));
                }
                cuts.insert((urgency(excess), Cut { merged: pairs, folded: Vec::new(), bound: -1 }));
            }
        }
    }
}

/// How one gets from a node to another on a way that leads forward in time.
#[derive(Clone, Copy)]
enum Step {
    /// A dependence.
    Edge,
    /// A dependence if a node is folded.
    Inherited(usize),
    /// The other node is in the same cluster.
    Jump,
}

/// A walk along dependences and within clusters that comes back to where it began stays in one cluster.
fn cycles(
    problem: &Problem,
    relaxation: &Relaxation,
    solution: &Fractional,
    merged: &Matrix,
    names: &[usize],
    cuts: &mut BTreeSet<(i64, Cut)>,
) {
    let mut arcs: Vec<Vec<(usize, f64, Step)>> = vec![Vec::new(); problem.nodes];
    let mut closing = vec![Vec::new(); problem.nodes];
    for &(from, to) in &problem.edges {
        arcs[from].push((to, 0.0, Step::Edge));
        closing[to].push((from, merged.get(from, to), Step::Edge));
    }
    for &(fold, from, to) in &problem.inherited {
        let folded = relaxation.folded(solution, fold);
        if folded > TOLERANCE {
            arcs[from].push((to, 1.0 - folded, Step::Inherited(fold)));
            closing[to].push((from, 1.0 - folded, Step::Inherited(fold)));
        }
    }
    for node in 0..problem.nodes {
        arcs[node].extend(merged.partners[node].iter().map(|&to| (to, 1.0 - merged.get(node, to), Step::Jump)));
    }
    for start in (0..problem.nodes).filter(|&start| !closing[start].is_empty()) {
        let (distance, came) = shortest(&arcs, start);
        let best = closing[start].iter().map(|&(end, length, step)| (distance[end] + length, end, step));
        let Some((length, end, step)) = best.min_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        let excess = 1.0 - length;
        if !is_violated(excess) {
            continue;
        }
        let (mut pairs, mut folds, mut bound) = (Vec::new(), Vec::new(), 1);
        match step {
            Step::Edge if problem.compatible.contains(end, start) => pairs.push((names[end], names[start], 1)),
            Step::Edge | Step::Jump => {}
            Step::Inherited(fold) => {
                folds.push((names[fold], -1));
                bound -= 1;
            }
        }
        let mut at = end;
        while at != start {
            let (from, step) = came[at].expect("the end has been reached");
            match step {
                Step::Edge => {}
                Step::Inherited(fold) => {
                    folds.push((names[fold], -1));
                    bound -= 1;
                }
                Step::Jump => {
                    pairs.push((names[from], names[at], -1));
                    bound -= 1;
                }
            }
            at = from;
        }
        cuts.insert((urgency(excess), Cut { merged: pairs, folded: folds, bound }));
    }
}

/// Distances below 1 from a node, and the last step of a shortest way.
#[allow(clippy::type_complexity)] // distances and predecessors
fn shortest(arcs: &[Vec<(usize, f64, Step)>], start: usize) -> (Vec<f64>, Vec<Option<(usize, Step)>>) {
    let mut distance = vec![f64::INFINITY; arcs.len()];
    let mut came = vec![None; arcs.len()];
    let mut done = vec![false; arcs.len()];
    distance[start] = 0.0;
    loop {
        let open = (0..arcs.len()).filter(|&node| !done[node] && distance[node] < 1.0);
        let Some(node) = open.min_by(|&one, &other| distance[one].total_cmp(&distance[other])) else {
            return (distance, came);
        };
        done[node] = true;
        for &(to, length, step) in &arcs[node] {
            let through = distance[node] + length.max(0.0);
            if !done[to] && through < distance[to] {
                distance[to] = through;
                came[to] = Some((node, step));
            }
        }
    }
}

/// Nodes with too many generators together are not all in one cluster.
fn products(problem: &Problem, merged: &Matrix, names: &[usize], cuts: &mut BTreeSet<(i64, Cut)>) {
    for node in 0..problem.nodes {
        let mut cluster: Vec<usize> =
            merged.partners[node].iter().copied().filter(|&p| merged.get(node, p) > 0.5).collect();
        cluster.retain(|&other| problem.generators[other] > 1);
        cluster.sort_by_key(|&other| (std::cmp::Reverse(problem.generators[other]), other));
        let mut product = problem.generators[node];
        let mut too_many = Vec::new();
        for other in cluster {
            product = product.saturating_mul(problem.generators[other]);
            too_many.push(other);
            if product > problem.limit {
                let excess =
                    too_many.iter().map(|&other| merged.get(node, other)).sum::<f64>() - (too_many.len() - 1) as f64;
                if is_violated(excess) {
                    let pairs = too_many.iter().map(|&other| (names[node], names[other], -1)).collect();
                    let bound = 1 - i32::try_from(too_many.len()).expect("clusters are small");
                    cuts.insert((urgency(excess), Cut { merged: pairs, folded: Vec::new(), bound }));
                }
                break;
            }
        }
    }
}
