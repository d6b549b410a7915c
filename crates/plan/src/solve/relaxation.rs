//! The 0/1 program of a problem without the demand that its variables be whole: its rows, the cuts that are added where
//! a solution violates what partitions obey, and its solution by the simplex method.
//!
//! Variables: two nodes are in one cluster, for nodes that share an array or need one another; a node is folded; an array is stored; a
//! reader opens a new pass over an array, since no earlier reader is in its cluster. As in \[MEM\] section 2.3.2, what may not be
//! in one cluster is kept apart by cutting every way from one to the other; this leaves out variables for all other pairs. The number
//! of loops, the last criterion of the objective, is not part of the program.

use super::problem::Problem;
use crate::deadline::Deadline;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, SolverModel, Variable, WithTimeLimit,
    microlp, variable,
};
use std::collections::BTreeMap;

/// What is this close to zero is zero.
pub(super) const TOLERANCE: f64 = 1e-6;

/// What is this close to a whole number is meant to be one.
pub(super) const WHOLE: f64 = 1e-3;

/// Cuts are added only if they are violated by this much.
const VIOLATION: f64 = 1e-3;

/// Cuts that a solution obeys with more than this to spare are not needed for it.
const SPARE: f64 = 0.05;

/// `sum of factor * variable >= bound`.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    terms: Vec<(usize, f64)>,
    bound: f64,
}

/// `merged pairs and folds >= bound`, each with its factor, less the `removed` arrays, in names of nodes that survive contraction: holds
/// for all partitions of a problem and of those derived from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cut {
    pub(super) merged: Vec<(usize, usize, i32)>,
    pub(super) folded: Vec<(usize, i32)>,
    /// Arrays that are not stored because of merges, by their number in the graph.
    pub(super) removed: Vec<usize>,
    pub(super) bound: i32,
}

/// A sum of variables and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    terms: Vec<(usize, f64)>,
    constant: f64,
}

/// The linear program of a problem.
pub(super) struct Relaxation<'a> {
    problem: &'a Problem,
    merged: BTreeMap<(usize, usize), usize>,
    folded: BTreeMap<usize, usize>,
    /// By an array's number in the graph: whether it is stored, where that is open, and whether its producer is folded.
    stored: BTreeMap<usize, (usize, Option<usize>)>,
    /// By group: its arrays, and whether each is stored.
    held: BTreeMap<usize, Vec<(usize, Sum)>>,
    variables: usize,
    rows: Vec<Row>,
    /// By criterion of the objective.
    criteria: Vec<Sum>,
}

/// A solution of a relaxation.
pub(super) struct Fractional {
    pub(super) value: f64,
    values: Vec<f64>,
}

/// What is known of a relaxation after solving it.
pub(super) enum Solved {
    Optimal(Fractional),
    Infeasible,
    /// The simplex method failed for numerical reasons.
    Failed,
}

impl Sum {
    fn constant(constant: f64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn minus(mut self, variable: Option<usize>) -> Self {
        self.terms.extend(variable.map(|variable| (variable, -1.0)));
        self
    }

    /// The variable is at least this sum.
    fn below(self, variable: usize) -> Row {
        let mut terms = vec![(variable, 1.0)];
        terms.extend(self.terms.into_iter().map(|(other, factor)| (other, -factor)));
        Row { terms, bound: self.constant }
    }
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let mut relaxation = Self {
            problem,
            merged: BTreeMap::new(),
            folded: BTreeMap::new(),
            stored: BTreeMap::new(),
            held: BTreeMap::new(),
            variables: 0,
            rows: Vec::new(),
            criteria: problem.base[..3 * problem.degrees].iter().map(|&base| Sum::constant(base as f64)).collect(),
        };
        let related = problem.related();
        for one in 0..problem.nodes {
            for other in related.related(one).filter(|&other| other > one) {
                let variable = relaxation.variable();
                relaxation.merged.insert((one, other), variable);
            }
            if problem.folds[one].is_some() {
                let variable = relaxation.variable();
                relaxation.folded.insert(one, variable);
            }
        }
        relaxation.add_folds();
        relaxation.add_generators();
        for at in 0..problem.arrays.len() {
            if problem.arrays[at].weight.iter().any(|&weight| weight != 0) {
                relaxation.add_array(at);
            }
        }
        relaxation.add_groups();
        relaxation
    }

    fn variable(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    fn merge_variable(&self, one: usize, other: usize) -> Option<usize> {
        self.merged.get(&(one.min(other), one.max(other))).copied()
    }

    /// A new variable that is at least each of the sums, or their constant if they have no variables.
    fn at_least(&mut self, sums: Vec<Sum>) -> Sum {
        if let Some(largest) = sums.iter().find(|sum| sum.terms.is_empty() && sum.constant >= 1.0) {
            return largest.clone();
        }
        if let [only] = &sums[..]
            && only.terms.iter().all(|(variable, _)| self.folded.values().any(|fold| fold == variable))
            && only.terms.len() <= 1
        {
            return only.clone();
        }
        let variable = self.variable();
        self.rows.extend(sums.into_iter().map(|sum| sum.below(variable)));
        Sum { terms: vec![(variable, 1.0)], constant: 0.0 }
    }

    fn charge(&mut self, criterion: usize, weight: i128, sum: &Sum) {
        if weight != 0 {
            let criterion = &mut self.criteria[criterion];
            criterion.constant += weight as f64 * sum.constant;
            criterion.terms.extend(sum.terms.iter().map(|(variable, factor)| (*variable, weight as f64 * factor)));
        }
    }

    /// Folded nodes are alone, are not folded into folded ones, and repeat work.
    fn add_folds(&mut self) {
        let problem = self.problem;
        for (node, fold) in self.folded.clone() {
            for merged in problem
                .compatible
                .related(node)
                .filter_map(|other| self.merge_variable(node, other))
                .collect::<Vec<_>>()
            {
                self.rows.push(Row { terms: vec![(fold, -1.0), (merged, -1.0)], bound: -1.0 });
            }
            for reader in &problem.consumers[node] {
                if let Some(&other) = self.folded.get(reader) {
                    self.rows.push(Row { terms: vec![(fold, -1.0), (other, -1.0)], bound: -1.0 });
                }
            }
            let work = problem.folds[node].as_ref().expect("it may be folded");
            for (degree, &work) in work.iter().enumerate() {
                self.charge(2 * problem.degrees + degree, work, &Sum { terms: vec![(fold, 1.0)], constant: 0.0 });
            }
        }
    }

    /// The product of the generators of a cluster is limited: the sum of their logarithms is.
    fn add_generators(&mut self) {
        let problem = self.problem;
        for node in 0..problem.nodes {
            let partners = problem.compatible.related(node);
            let partners: Vec<usize> =
                partners.filter(|&partner| self.merge_variable(node, partner).is_some()).collect();
            let all =
                partners.iter().fold(problem.generators[node], |all, &p| all.saturating_mul(problem.generators[p]));
            if all > problem.limit && !partners.is_empty() {
                let log = |number: u128| (number as f64).log2();
                let terms = partners.iter().map(|&partner| {
                    let merged = self.merge_variable(node, partner).expect("a pair has a variable");
                    (merged, -log(problem.generators[partner]))
                });
                let terms: Vec<_> = terms.filter(|(_, factor)| *factor != 0.0).collect();
                // The slack keeps rounding from excluding a product that is just the limit; cuts exclude what it lets in.
                let bound = log(problem.generators[node]) - log(problem.limit) - TOLERANCE;
                self.rows.push(Row { terms, bound });
            }
        }
    }

    fn add_array(&mut self, at: usize) {
        let problem = self.problem;
        let array = &problem.arrays[at];
        let vanishes = array.producer.and_then(|node| self.folded.get(&node)).copied();
        let with_producer =
            |this: &Self, node: usize| array.producer.and_then(|producer| this.merge_variable(producer, node));

        if array.producer.is_some() && (array.kept || !array.readers.is_empty()) {
            let stored = if array.kept || !self.is_removable(at) {
                Sum::constant(1.0).minus(vanishes)
            } else {
                let variable = self.variable();
                self.stored.insert(array.id, (variable, vanishes));
                for &reader in &array.readers {
                    let apart = Sum::constant(1.0).minus(vanishes).minus(with_producer(self, reader));
                    self.rows.push(apart.below(variable));
                }
                Sum { terms: vec![(variable, 1.0)], constant: 0.0 }
            };
            for (degree, &weight) in array.weight.iter().enumerate() {
                self.charge(problem.first.moved(problem.degrees) + degree, weight, &stored);
            }
            self.held.entry(array.group).or_default().push((at, stored));
        }

        let mut passes = Vec::new();
        for (position, &reader) in array.readers.iter().enumerate() {
            let mut opens = Sum::constant(1.0).minus(vanishes).minus(self.folded.get(&reader).copied());
            opens = opens.minus(with_producer(self, reader));
            for &earlier in &array.readers[..position] {
                opens = opens.minus(self.merge_variable(earlier, reader));
            }
            passes.push(self.at_least(vec![opens]));
        }
        passes.extend(self.passes_through_folds(at));
        for pass in passes {
            for (degree, &weight) in array.weight.iter().enumerate() {
                self.charge(problem.first.moved(problem.degrees) + degree, weight, &pass);
            }
        }
    }

    /// What is held: arrays of one group together.
    fn add_groups(&mut self) {
        let problem = self.problem;
        let Some(first) = problem.first.held(problem.degrees) else { return };
        for stored in std::mem::take(&mut self.held).into_values() {
            let weight = &problem.arrays[stored[0].0].weight;
            let whole = match &stored[..] {
                [(_, stored)] => stored.clone(),
                parts if parts.iter().any(|(_, part)| part.terms.is_empty() && part.constant > 0.5) => {
                    Sum::constant(1.0)
                }
                _ => self.at_least(stored.into_iter().map(|(_, stored)| stored).collect()),
            };
            for (degree, &weight) in weight.iter().enumerate() {
                self.charge(first + degree, weight, &whole);
            }
        }
    }

    /// All that make or read the array may be in one cluster, as far as pairs of them tell.
    fn is_removable(&self, at: usize) -> bool {
        let array = &self.problem.arrays[at];
        let touching: Vec<usize> = array.producer.iter().chain(&array.readers).copied().collect();
        let fit = |one: usize, other: usize| self.problem.compatible.contains(one, other);
        touching.iter().enumerate().all(|(at, &one)| touching[at + 1..].iter().all(|&other| fit(one, other)))
    }

    /// Passes of those that read the array only if a node that reads it is folded into them.
    fn passes_through_folds(&mut self, at: usize) -> Vec<Sum> {
        let problem = self.problem;
        let array = &problem.arrays[at];
        let mut through: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &reader in array.readers.iter().filter(|reader| problem.folds[**reader].is_some()) {
            for &into in problem.consumers[reader].iter().filter(|into| !array.readers.contains(into)) {
                through.entry(into).or_default().push(self.folded[&reader]);
            }
        }
        let mut passes = Vec::new();
        for (&node, folds) in &through {
            let mut shared = BTreeMap::new();
            let mut opens = Vec::new();
            for &fold in folds {
                let mut sum = Sum { terms: vec![(fold, 1.0)], constant: 0.0 };
                for &reader in &array.readers {
                    sum = sum.minus(self.merge_variable(reader, node));
                }
                for (&earlier, others) in through.range(..node) {
                    let Some(merged) = self.merge_variable(earlier, node) else { continue };
                    if others.contains(&fold) {
                        sum = sum.minus(Some(merged));
                    } else {
                        // The earlier one reads the array only if one of its own producers is folded too.
                        let both = *shared.entry(earlier).or_insert_with(|| {
                            let both = self.variable();
                            self.rows.push(Row { terms: vec![(merged, 1.0), (both, -1.0)], bound: 0.0 });
                            let mut terms: Vec<_> = others.iter().map(|&other| (other, 1.0)).collect();
                            terms.push((both, -1.0));
                            self.rows.push(Row { terms, bound: 0.0 });
                            both
                        });
                        sum = sum.minus(Some(both));
                    }
                }
                opens.push(sum);
            }
            passes.push(self.at_least(opens));
        }
        passes
    }

    /// How much of the pair is merged.
    pub(super) fn merged(&self, solution: &Fractional, one: usize, other: usize) -> f64 {
        self.merge_variable(one, other).map_or(0.0, |variable| solution.values[variable])
    }

    /// How much of the node is folded.
    pub(super) fn folded(&self, solution: &Fractional, node: usize) -> f64 {
        self.folded.get(&node).map_or(0.0, |&variable| solution.values[variable])
    }

    /// How much of the array is not stored because of merges.
    pub(super) fn removed(&self, solution: &Fractional, id: usize) -> f64 {
        self.stored.get(&id).map_or(0.0, |&(stored, fold)| {
            1.0 - solution.values[stored] - fold.map_or(0.0, |fold| solution.values[fold])
        })
    }

    /// True if there is a variable for the pair.
    pub(super) fn has_pair(&self, one: usize, other: usize) -> bool {
        self.merge_variable(one, other).is_some()
    }

    /// True if the solution obeys the cut with nothing to spare.
    pub(super) fn is_tight(&self, solution: &Fractional, cut: &Cut, nodes: &[usize]) -> bool {
        self.row(cut, nodes).is_some_and(|row| {
            row.terms.iter().map(|(variable, factor)| factor * solution.values[*variable]).sum::<f64>()
                < row.bound + SPARE
        })
    }

    /// All pairs with a variable.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.merged.keys().copied()
    }

    /// All nodes that may be folded.
    pub(super) fn foldable(&self) -> impl Iterator<Item = usize> + '_ {
        self.folded.keys().copied()
    }

    /// True if the criterion is the same for all solutions; then its value.
    pub(super) fn constant(&self, criterion: usize) -> Option<f64> {
        let criterion = &self.criteria[criterion];
        criterion.terms.is_empty().then_some(criterion.constant)
    }

    /// Minimises one criterion where those before it have the values of `reached`.
    pub(super) fn minimise(
        &self,
        criterion: usize,
        reached: &[i128],
        cuts: &[Cut],
        name: &[usize],
        work: &mut u64,
        deadline: &Deadline,
    ) -> Solved {
        let mut factors = vec![0.0; self.variables];
        self.criteria[criterion].terms.iter().for_each(|(variable, factor)| factors[*variable] += factor);
        let mut columns = ProblemVariables::new();
        let variables: Vec<Variable> = factors.iter().map(|_| columns.add(variable().min(0).max(1))).collect();
        let sum = |terms: &[(usize, f64)]| {
            let mut sum = Expression::with_capacity(terms.len());
            terms.iter().for_each(|&(variable, factor)| sum.add_mul(factor, variables[variable]));
            sum
        };
        let objective: Vec<_> = factors.into_iter().enumerate().filter(|(_, factor)| *factor != 0.0).collect();
        let mut program = columns.minimise(sum(&objective)).using(microlp);
        let mut rows = 0;
        let mut add = |terms: &[(usize, f64)], bound: f64| {
            program.add_constraint(sum(terms).geq(bound));
            rows += 1;
        };
        for row in &self.rows {
            add(&row.terms, row.bound);
        }
        for cut in cuts {
            if let Some(row) = self.row(cut, name) {
                add(&row.terms, row.bound);
            }
        }
        for (earlier, &value) in self.criteria[..criterion].iter().zip(reached) {
            let mut sum = vec![0.0; self.variables];
            earlier.terms.iter().for_each(|(variable, factor)| sum[*variable] -= factor);
            let terms: Vec<_> = sum.into_iter().enumerate().filter(|(_, factor)| *factor != 0.0).collect();
            let bound = value as f64 - earlier.constant;
            if !terms.is_empty() {
                add(&terms, -bound - rounding_error(value));
            } else if bound.abs() > 0.5 {
                return Solved::Infeasible;
            }
        }
        if let Some(left) = deadline.left() {
            program = program.with_time_limit(left.as_secs_f64());
        }
        // The library checks itself by assertions. One that fails must not end the compiler: there is another way to a plan.
        let solved = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| program.solve()));
        match solved.unwrap_or(Err(ResolutionError::Other("the solver failed"))) {
            Ok(solution) if !matches!(solution.status(), SolutionStatus::Optimal) => Solved::Failed,
            Ok(solution) => {
                let values: Vec<f64> = variables.iter().map(|&variable| solution.value(variable)).collect();
                let value = self.criteria[criterion].constant
                    + objective.iter().map(|&(variable, factor)| factor * values[variable]).sum::<f64>();
                *work += (solution.into_inner().stats().lp_iterations + 1) * (rows + 1);
                Solved::Optimal(Fractional { value, values })
            }
            Err(ResolutionError::Infeasible) => {
                // How long that took is not told; a pivot per row is usual.
                *work += (rows + 1) * (rows + 1);
                Solved::Infeasible
            }
            Err(_) => Solved::Failed,
        }
    }

    /// The cut in variables of this relaxation, where `name` names its nodes as cuts do; `None` if it holds anyway.
    fn row(&self, cut: &Cut, name: &[usize]) -> Option<Row> {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        let mut bound = f64::from(cut.bound);
        for &(one, other, factor) in &cut.merged {
            let (one, other) = (name[one], name[other]);
            if one == other {
                bound -= f64::from(factor);
            } else if let Some(variable) = self.merge_variable(one, other) {
                *sums.entry(variable).or_default() += f64::from(factor);
            } else if factor > 0 && self.problem.compatible.contains(one, other) {
                // A fold has removed the array that the two shared: they may be merged, and nothing here would say so.
                return None;
            }
        }
        for &(node, factor) in &cut.folded {
            if let Some(&variable) = self.folded.get(&name[node]) {
                *sums.entry(variable).or_default() += f64::from(factor);
            }
        }
        for &(stored, fold) in cut.removed.iter().filter_map(|id| self.stored.get(id)) {
            [Some(stored), fold].into_iter().flatten().for_each(|variable| *sums.entry(variable).or_default() += 1.0);
            bound += 1.0;
        }
        let least: f64 = sums.values().filter(|factor| **factor < 0.0).sum();
        (least < bound).then(|| Row { terms: sums.into_iter().filter(|(_, factor)| *factor != 0.0).collect(), bound })
    }
}

/// How far a bound of this size may be off, at most. See `Note [Rounding]`.
pub(super) fn rounding_error(value: i128) -> f64 {
    (value.abs() as f64 * 1e-9 + WHOLE).min(0.5)
}

/// True if a solution is clearly beyond what a cut allows.
pub(super) fn is_violated(excess: f64) -> bool {
    excess > VIOLATION
}

// Note [Rounding]
// ~~~~~~~~~~~~~~~
// The simplex method works with floating-point numbers, and its bounds are off by a little: about one part in 10^9. Scores are whole
// numbers, and coefficients are divided by what they have in common, so for real programs they are small, and bounds are far more exact
// than the distance of whole numbers. Only where the coefficients of one criterion differ by nine orders of magnitude, a partition that
// is worse by one part in 10^9 may pass for the best. Scores of partitions themselves are always computed exactly.
