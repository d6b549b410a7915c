//! Lower bounds on the weight of hitting sets: solutions of the dual of the linear program. Every clause takes a part of the weights of its
//! elements, no element gives more than its weight, and what the clauses take together is a bound.

use crate::deadline::Deadline;

/// Rounds of [`ascend`] without a better bound after which steps become half as long.
const PATIENCE: usize = 8;

/// A bound, and how much dearer than it every hitting set with an element is at least.
pub(super) struct Bound {
    pub(super) value: u128,
    pub(super) spare: Vec<u128>,
}

/// The bound of clauses that each take, one after the other, as much as is left of their lightest element.
pub(super) fn greedy(weights: &[u128], clauses: &[Vec<usize>]) -> Bound {
    let mut bound = Bound { value: 0, spare: weights.to_vec() };
    clauses.iter().for_each(|clause| bound.take(clause, u128::MAX));
    bound
}

impl Bound {
    /// Lets a clause take at most so much.
    fn take(&mut self, clause: &[usize], most: u128) {
        let least = clause.iter().map(|&element| self.spare[element]).min().unwrap_or(0).min(most);
        clause.iter().for_each(|&element| self.spare[element] -= least);
        self.value += least;
    }
}

/// A better bound, by so many rounds of the subgradient method (Held, Wolfe, Crowder: Validation of subgradient optimization, Mathematical
/// Programming 6, 1974). Its numbers are inexact, but they only say how much each clause should take; what it takes is computed in whole numbers.
/// `goal` is what the bound is to come near to.
pub(super) fn ascend(
    weights: &[u128],
    clauses: &[Vec<usize>],
    goal: u128,
    rounds: usize,
    deadline: &Deadline,
) -> Bound {
    let start = greedy(weights, clauses);
    if start.value >= goal || clauses.len() < 2 {
        return start;
    }
    let weight: Vec<f64> = weights.iter().map(|&weight| weight as f64).collect();
    let mut taken = vec![0.0; clauses.len()];
    // Where the greedy clauses are.
    let mut spare = weights.to_vec();
    for (clause, taken) in clauses.iter().zip(&mut taken) {
        let least = clause.iter().map(|&element| spare[element]).min().unwrap_or(0);
        clause.iter().for_each(|&element| spare[element] -= least);
        *taken = least as f64;
    }
    let (mut best, mut best_taken) = (start.value as f64, taken.clone());
    let (mut length, mut waited) = (1.0, 0);
    for _ in 0..rounds {
        if deadline.is_over() {
            break;
        }
        let mut left = weight.clone();
        for (clause, taken) in clauses.iter().zip(&taken) {
            clause.iter().for_each(|&element| left[element] -= taken);
        }
        // The Lagrangian: elements that give more than they have are chosen.
        let value = taken.iter().sum::<f64>() + left.iter().map(|left| left.min(0.0)).sum::<f64>();
        if value > best {
            (best, waited) = (value, 0);
            best_taken.clone_from(&taken);
        } else {
            waited += 1;
            if waited == PATIENCE {
                (length, waited) = (length / 2.0, 0);
            }
        }
        let chosen = |clause: &Vec<usize>| clause.iter().filter(|&&element| left[element] < 0.0).count() as f64;
        let slopes: Vec<f64> = clauses.iter().map(|clause| 1.0 - chosen(clause)).collect();
        let steepness: f64 = slopes.iter().map(|slope| slope * slope).sum();
        if steepness == 0.0 {
            break;
        }
        let step = length * (goal as f64 * 1.02 - value).max(1e-6) / steepness;
        taken.iter_mut().zip(&slopes).for_each(|(taken, slope)| *taken = (*taken + step * slope).max(0.0));
    }
    // Elements that would give too much give each clause its share.
    let mut asked = vec![0.0; weights.len()];
    for (clause, taken) in clauses.iter().zip(&best_taken) {
        clause.iter().for_each(|&element| asked[element] += taken);
    }
    let mut bound = Bound { value: 0, spare: weights.to_vec() };
    for (clause, taken) in clauses.iter().zip(&best_taken) {
        let share =
            |&element: &usize| if asked[element] > weight[element] { weight[element] / asked[element] } else { 1.0 };
        // Conversion to whole numbers rounds down.
        bound.take(clause, (taken * clause.iter().map(share).fold(1.0, f64::min)) as u128);
    }
    clauses.iter().for_each(|clause| bound.take(clause, u128::MAX));
    if bound.value > start.value { bound } else { start }
}
