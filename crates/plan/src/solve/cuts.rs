//! Inequalities that all partitions obey and a solution of the relaxation may violate: incompatible nodes are kept apart, clusters do
//! not depend on themselves, and they have few generators. There are too many to write all of them down; those that are
//! violated are found here.

use super::conflicts;
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
        stars(problem, &merged, relaxation, solution, node, names, &mut cuts);
        ways(problem, &merged, node, names, &mut cuts);
    }
    cycles(problem, relaxation, solution, &merged, names, &mut cuts);
    conflicts::cliques(problem, relaxation, solution, names, &mut cuts);
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
pub(super) fn urgency(excess: f64) -> i64 {
    (excess * 1e6) as i64
}

/// A node is folded, or merged with one of several others that are all incompatible, at most; where others are not, but their merge has
/// a variable, with one more for every two of them that are merged.
fn stars(
    problem: &Problem,
    merged: &Matrix,
    relaxation: &Relaxation,
    solution: &Fractional,
    node: usize,
    names: &[usize],
    cuts: &mut BTreeSet<(i64, Cut)>,
) {
    let folded: Vec<(usize, i32)> = problem.folds[node].iter().map(|_| (names[node], -1)).collect();
    let mut partners = merged.partners[node].clone();
    partners.sort_by(|&one, &other| merged.get(node, other).total_cmp(&merged.get(node, one)).then(one.cmp(&other)));
    let apart = |one: usize, other: usize| !problem.compatible.contains(one, other);
    for &first in &partners {
        let mut star = vec![first];
        let mut excess = relaxation.folded(solution, node) + merged.get(node, first) - 1.0;
        for &next in partners.iter().filter(|&&next| next != first) {
            let gain = merged.get(node, next) - star.iter().map(|&other| merged.get(next, other)).sum::<f64>();
            let known = star.iter().all(|&other| apart(next, other) || relaxation.has_pair(next, other));
            if known && gain > TOLERANCE {
                excess += gain;
                star.push(next);
            }
        }
        if is_violated(excess) {
            star.sort_unstable();
            let mut pairs: Vec<(usize, usize, i32)> =
                star.iter().map(|&other| (names[node], names[other], -1)).collect();
            for (at, &one) in star.iter().enumerate() {
                let others = star[at + 1..].iter().filter(|&&other| !apart(one, other));
                pairs.extend(others.map(|&other| (names[one], names[other], 1)));
            }
            cuts.insert((
                urgency(excess),
                Cut { merged: pairs, folded: folded.clone(), removed: Vec::new(), bound: -1 },
            ));
        }
    }
}

/// Not all pairs on a way between two incompatible nodes are merged.
fn ways(problem: &Problem, merged: &Matrix, start: usize, names: &[usize], cuts: &mut BTreeSet<(i64, Cut)>) {
    let apart = |node: usize| node != start && !problem.compatible.contains(start, node);
    // A way ends where it meets the first incompatible node: longer ones say less.
    let arcs = |node: usize| {
        let partners = if apart(node) { &[][..] } else { &merged.partners[node][..] };
        partners.iter().map(move |&to| (to, 1.0 - merged.get(node, to), Step::Jump))
    };
    let (distance, came) = shortest(problem.nodes, arcs, start);
    for end in (start + 1..problem.nodes).filter(|&end| apart(end) && is_violated(1.0 - distance[end])) {
        let mut pairs = Vec::new();
        let mut at = end;
        while at != start {
            let (from, _) = came[at].expect("the end has been reached");
            pairs.push((names[from], names[at], -1));
            at = from;
        }
        let bound = 1 - i32::try_from(pairs.len()).expect("ways are short");
        cuts.insert((
            urgency(1.0 - distance[end]),
            Cut { merged: pairs, folded: Vec::new(), removed: Vec::new(), bound },
        ));
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
    for (node, arcs) in arcs.iter_mut().enumerate() {
        arcs.extend(merged.partners[node].iter().map(|&to| (to, 1.0 - merged.get(node, to), Step::Jump)));
    }
    for start in (0..problem.nodes).filter(|&start| !closing[start].is_empty()) {
        let (distance, came) = shortest(problem.nodes, |node| arcs[node].iter().copied(), start);
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
        cuts.insert((urgency(excess), Cut { merged: pairs, folded: folds, removed: Vec::new(), bound }));
    }
}

/// Distances below 1 from a node, and the last step of a shortest way.
#[allow(clippy::type_complexity)] // distances and predecessors
fn shortest<A: Iterator<Item = (usize, f64, Step)>>(
    nodes: usize,
    arcs: impl Fn(usize) -> A,
    start: usize,
) -> (Vec<f64>, Vec<Option<(usize, Step)>>) {
    let mut distance = vec![f64::INFINITY; nodes];
    let mut came = vec![None; nodes];
    let mut done = vec![false; nodes];
    distance[start] = 0.0;
    loop {
        let open = (0..nodes).filter(|&node| !done[node] && distance[node] < 1.0 - TOLERANCE);
        let Some(node) = open.min_by(|&one, &other| distance[one].total_cmp(&distance[other])) else {
            return (distance, came);
        };
        done[node] = true;
        for (to, length, step) in arcs(node) {
            let through = distance[node] + length.max(0.0);
            if !done[to] && through < distance[to] {
                distance[to] = through;
                came[to] = Some((node, step));
            }
        }
    }
}

/// Nodes with too many generators together are not all in one cluster: not all branches of a tree that spans them are merged.
fn products(problem: &Problem, merged: &Matrix, names: &[usize], cuts: &mut BTreeSet<(i64, Cut)>) {
    for start in 0..problem.nodes {
        let mut tree = Vec::new();
        let mut seen = vec![start];
        let mut product = problem.generators[start];
        let mut excess = 1.0;
        let mut next = 0;
        while next < seen.len() && product <= problem.limit {
            let node = seen[next];
            for &to in merged.partners[node].iter().filter(|&&to| merged.get(node, to) > 0.5) {
                if !seen.contains(&to) && product <= problem.limit {
                    seen.push(to);
                    tree.push((names[node], names[to], -1));
                    product = product.saturating_mul(problem.generators[to]);
                    excess -= 1.0 - merged.get(node, to);
                }
            }
            next += 1;
        }
        if product > problem.limit && is_violated(excess) {
            let bound = 1 - i32::try_from(tree.len()).expect("clusters are small");
            cuts.insert((urgency(excess), Cut { merged: tree, folded: Vec::new(), removed: Vec::new(), bound }));
        }
    }
}
