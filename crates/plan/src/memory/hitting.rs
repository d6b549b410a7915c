//! The integer program that is left of \[MEM\] equations 1 to 5: of every conflict at least one array stays, and what stays is as small as
//! can be. A minimum weight hitting set, solved by branch and bound in whole numbers, so that a proof is one for sizes of any magnitude.

use super::dual::{self, Bound};
use crate::deadline::Deadline;

/// Rounds for the bound of a branch, and for that of the whole problem.
const ROUNDS: usize = 40;
const ROOT_ROUNDS: usize = 300;

/// What is known about the best hitting set.
pub(super) struct Hit {
    /// A best one of those below the limit, or the best one found in time; `None` if there is none.
    pub(super) chosen: Option<Vec<usize>>,
    /// No hitting set weighs less, unless it is the limit.
    pub(super) bound: u128,
}

/// The lightest set that meets every clause, if it weighs less than `limit`.
pub(super) fn minimum(weights: &[u128], clauses: &[Vec<usize>], limit: u128, deadline: &Deadline) -> Hit {
    let mut search = Search { weights, deadline, gave_up: false };
    let mut root = clauses.to_vec();
    let mut chosen = Vec::new();
    search.reduce(&mut root, &mut chosen);
    let given = search.weight(&chosen);
    let bound = given + dual::ascend(weights, &root, limit.saturating_sub(given), ROOT_ROUNDS, deadline).value;
    if bound >= limit {
        return Hit { chosen: None, bound: limit };
    }
    let found = search.best(clauses.to_vec(), limit);
    let bound = if search.gave_up { bound } else { found.as_ref().map_or(limit, |(weight, _)| *weight) };
    Hit { chosen: found.map(|(_, chosen)| chosen), bound }
}

struct Search<'a> {
    weights: &'a [u128],
    deadline: &'a Deadline,
    gave_up: bool,
}

impl Search<'_> {
    fn weight(&self, chosen: &[usize]) -> u128 {
        chosen.iter().map(|&element| self.weights[element]).sum()
    }

    /// The lightest hitting set below the limit.
    fn best(&mut self, mut clauses: Vec<Vec<usize>>, limit: u128) -> Option<(u128, Vec<usize>)> {
        let mut chosen = Vec::new();
        let rest = loop {
            self.gave_up |= self.deadline.is_over();
            if self.gave_up {
                return None;
            }
            self.reduce(&mut clauses, &mut chosen);
            let weight = self.weight(&chosen);
            if weight >= limit || clauses.first().is_some_and(Vec::is_empty) {
                return None;
            }
            if clauses.is_empty() {
                return Some((weight, chosen));
            }
            let rest = limit - weight;
            let Bound { value: bound, spare } = dual::ascend(self.weights, &clauses, rest, ROUNDS, self.deadline);
            if bound >= rest {
                return None;
            }
            // What costs too much cannot be chosen.
            let mut changed = false;
            for clause in &mut clauses {
                let before = clause.len();
                clause.retain(|&element| bound + spare[element] < rest);
                changed |= clause.len() < before;
            }
            if !changed {
                break rest;
            }
        };
        self.gave_up |= self.deadline.is_over();
        if self.gave_up {
            return None;
        }
        let weight = limit - rest;
        let parts = self.parts(&clauses);
        if parts.len() > 1 {
            let bounds: Vec<u128> = parts.iter().map(|part| dual::greedy(self.weights, part).value).collect();
            let mut open: u128 = bounds.iter().sum();
            let mut total = weight;
            for (part, bound) in parts.into_iter().zip(bounds) {
                open -= bound;
                let (part_weight, part_chosen) = self.best(part, limit.checked_sub(total + open)?)?;
                total += part_weight;
                chosen.extend(part_chosen);
            }
            return Some((total, chosen));
        }
        let branch = self.choice(&clauses);
        let mut best: Option<(u128, Vec<usize>)> = None;
        let mut limit = rest;
        let with = clauses.iter().filter(|clause| !clause.contains(&branch)).cloned().collect();
        if let Some(part) = limit.checked_sub(self.weights[branch])
            && let Some((weight, mut inside)) = self.best(with, part)
        {
            inside.push(branch);
            limit = weight + self.weights[branch];
            best = Some((limit, inside));
        }
        clauses.iter_mut().for_each(|clause| clause.retain(|&element| element != branch));
        best = self.best(clauses, limit).or(best);
        best.map(|(inner, inside)| (weight + inner, chosen.into_iter().chain(inside).collect()))
    }

    /// Chooses what has to be chosen, drops clauses that others imply, and elements that others can always stand for. An empty
    /// clause, if there is one, comes first.
    fn reduce(&self, clauses: &mut Vec<Vec<usize>>, chosen: &mut Vec<usize>) {
        loop {
            clauses.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
            clauses.dedup();
            if clauses.first().is_none_or(Vec::is_empty) {
                return;
            }
            if let [element] = clauses[0][..] {
                chosen.push(element);
                clauses.retain(|clause| !clause.contains(&element));
                continue;
            }
            drop_implied(clauses, self.deadline);
            if self.deadline.is_over() || !self.drop_dominated(clauses) {
                return;
            }
        }
    }

    /// Drops an element if a lighter one is in all of its clauses; true if anything changes.
    fn drop_dominated(&self, clauses: &mut [Vec<usize>]) -> bool {
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); self.weights.len()];
        for (number, clause) in clauses.iter().enumerate() {
            clause.iter().for_each(|&element| at[element].push(number));
        }
        let mut dropped = vec![false; self.weights.len()];
        for element in 0..at.len() {
            let Some(&first) = at[element].first() else { continue };
            let stands_for = |other: usize| {
                let (light, heavy) = (self.weights[other], self.weights[element]);
                other != element
                    && !dropped[other]
                    && light <= heavy
                    && (light < heavy || at[other].len() > at[element].len() || other < element)
                    && at[element].iter().all(|number| at[other].binary_search(number).is_ok())
            };
            dropped[element] = !self.deadline.is_over() && clauses[first].iter().any(|&other| stands_for(other));
        }
        let any = dropped.contains(&true);
        if any {
            clauses.iter_mut().for_each(|clause| clause.retain(|&element| !dropped[element]));
        }
        any
    }

    /// Clauses that share no elements with each other's parts.
    fn parts(&self, clauses: &[Vec<usize>]) -> Vec<Vec<Vec<usize>>> {
        let mut head: Vec<usize> = (0..self.weights.len()).collect();
        fn find(head: &mut [usize], mut element: usize) -> usize {
            while head[element] != element {
                head[element] = head[head[element]];
                element = head[element];
            }
            element
        }
        for clause in clauses {
            let first = find(&mut head, clause[0]);
            for &element in &clause[1..] {
                let other = find(&mut head, element);
                head[other] = first;
            }
        }
        let mut parts = std::collections::BTreeMap::<usize, Vec<Vec<usize>>>::new();
        for clause in clauses {
            parts.entry(find(&mut head, clause[0])).or_default().push(clause.clone());
        }
        let mut parts: Vec<_> = parts.into_values().collect();
        parts.sort_by_key(Vec::len);
        parts
    }

    /// The element that meets most clauses for its weight.
    fn choice(&self, clauses: &[Vec<usize>]) -> usize {
        let mut meets = vec![0u128; self.weights.len()];
        clauses.iter().flatten().for_each(|&element| meets[element] += 1);
        let better = |one: usize, other: usize| {
            let (a, b) = (meets[one], meets[other]);
            let (left, right) = (a.saturating_mul(self.weights[other]), b.saturating_mul(self.weights[one]));
            left > right || left == right && a > b
        };
        let all = (0..meets.len()).filter(|&element| meets[element] > 0);
        all.reduce(|best, next| if better(next, best) { next } else { best }).expect("there are clauses")
    }
}

/// Drops clauses that contain another one, as far as time allows; shorter clauses come first.
fn drop_implied(clauses: &mut Vec<Vec<usize>>, deadline: &Deadline) {
    let mut kept: Vec<(u64, Vec<usize>)> = Vec::new();
    for clause in clauses.drain(..) {
        let mark = clause.iter().fold(0u64, |mark, element| mark | 1 << (element % 64));
        let implies = |(other_mark, other): &(u64, Vec<usize>)| {
            other_mark & !mark == 0 && other.iter().all(|element| clause.binary_search(element).is_ok())
        };
        if deadline.is_over() || !kept.iter().any(implies) {
            kept.push((mark, clause));
        }
    }
    clauses.extend(kept.into_iter().map(|(_, clause)| clause));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of the best hitting set, by trying all.
    fn by_force(weights: &[u128], clauses: &[Vec<usize>]) -> u128 {
        let all = 0..1usize << weights.len();
        let hits = |set: usize| clauses.iter().all(|clause| clause.iter().any(|&element| set >> element & 1 == 1));
        let weight = |set: usize| (0..weights.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| weights[bit]).sum();
        all.filter(|&set| hits(set)).map(weight).min().expect("all elements meet all clauses")
    }

    #[test]
    fn hitting_sets_are_the_lightest() {
        let mut random = frit_support::Random::new(3);
        for _ in 0..3000 {
            let elements = 1 + random.below(10);
            let weights: Vec<u128> = (0..elements).map(|_| random.below(9) as u128).collect();
            let clauses: Vec<Vec<usize>> = (0..random.below(14))
                .map(|_| {
                    let wanted = 1 + random.below(elements.min(4));
                    let mut clause: Vec<usize> = (0..wanted).map(|_| random.below(elements)).collect();
                    clause.sort_unstable();
                    clause.dedup();
                    clause
                })
                .collect();
            let best = by_force(&weights, &clauses);
            let hit = minimum(&weights, &clauses, u128::MAX, &Deadline::never());
            let chosen = hit.chosen.expect("there is no limit");
            assert_eq!(chosen.iter().map(|&element| weights[element]).sum::<u128>(), best);
            assert!(clauses.iter().all(|clause| clause.iter().any(|element| chosen.contains(element))));
            assert_eq!(hit.bound, best);
            assert!(minimum(&weights, &clauses, best, &Deadline::never()).chosen.is_none());
        }
    }
}
