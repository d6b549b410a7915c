//! The objective of \[MEM\]: the arrays that stay are as small as can be, in sum. Source: \[MEM\] section 2.3.
//!
//! The paper lists all conflicts and then solves one integer program. There may be exponentially many, so here they are found when they
//! matter: the program is solved with those known, and where its solution is not legal, the conflicts in it are added. A
//! solution that is legal is the best, as it is the best even of all that meet fewer conditions.

use super::conflict::Walks;
use super::hitting;
use crate::deadline::Deadline;
use std::collections::BTreeSet;

/// What is removed.
pub(super) struct Choice {
    /// By position among the starred arrays.
    pub(super) removed: Vec<bool>,
    /// The conflicts that were needed for the proof, as positions among the starred arrays.
    pub(super) conflicts: Vec<Vec<usize>>,
    /// At least so much of the starred arrays stays, whatever is chosen.
    pub(super) bound: u128,
}

/// Starred arrays with the greatest sum of sizes of those that can be removed together, where `sizes` are those of all starred arrays.
/// The search ends at `deadline`; what can be removed besides is looked for until `end`.
pub(super) fn choose(walks: &Walks, sizes: &[u128], deadline: &Deadline, end: &Deadline) -> Choice {
    let weight = |stays: &[bool]| -> u128 { (0..sizes.len()).filter(|&at| stays[at]).map(|at| sizes[at]).sum() };
    let mut known: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut clauses: Vec<Vec<usize>> = Vec::new();
    let mut stays = vec![false; sizes.len()];
    let mut best: Option<(u128, Vec<bool>)> = None;
    let mut bound = 0;
    loop {
        // Makes the choice legal, and remembers all conflicts on the way.
        loop {
            if deadline.is_over() {
                stays = vec![true; sizes.len()];
                break;
            }
            let removed = inverse(&stays);
            let mut is_legal = true;
            for conflict in walks.violated(&removed, deadline).take_while(|_| !deadline.is_over()) {
                is_legal = false;
                if !conflict.iter().any(|&array| stays[array]) {
                    let cheapest = conflict.iter().min_by_key(|&&array| sizes[array]).expect("conflicts have arrays");
                    stays[*cheapest] = true;
                }
                if known.insert(conflict.clone()) {
                    clauses.push(conflict);
                }
            }
            if is_legal && !deadline.is_over() {
                break;
            }
        }
        remove_more(walks, sizes, &mut stays, end);
        let found = weight(&stays);
        if best.as_ref().is_none_or(|(least, _)| found < *least) {
            best = Some((found, stays));
        }
        let (least, _) = best.as_ref().expect("a legal choice is known");
        let hit = hitting::minimum(sizes, &clauses, *least, deadline);
        bound = bound.max(hit.bound.min(*least));
        match hit.chosen {
            Some(chosen) if !deadline.is_over() => {
                stays = vec![false; sizes.len()];
                chosen.into_iter().for_each(|array| stays[array] = true);
            }
            _ => break,
        }
    }
    let (_, stays) = best.expect("a legal choice is known");
    Choice { removed: inverse(&stays), conflicts: clauses, bound }
}

fn inverse(choice: &[bool]) -> Vec<bool> {
    choice.iter().map(|chosen| !chosen).collect()
}

/// Removes what can be removed besides, the largest first.
fn remove_more(walks: &Walks, sizes: &[u128], stays: &mut [bool], end: &Deadline) {
    let mut staying: Vec<usize> = (0..sizes.len()).filter(|&array| stays[array]).collect();
    staying.sort_by_key(|&array| (std::cmp::Reverse(sizes[array]), array));
    let mut removed = inverse(stays);
    // Many at once: if all of them can go, each of them can. Halves of those that cannot are tried one after the other.
    let mut open = vec![&staying[..]];
    while let Some(some) = open.pop() {
        if some.is_empty() {
            continue;
        }
        if end.is_over() {
            break;
        }
        some.iter().for_each(|&array| removed[array] = true);
        if walks.is_legal(&removed) {
            continue;
        }
        some.iter().for_each(|&array| removed[array] = false);
        if some.len() > 1 {
            let (first, second) = some.split_at(some.len() / 2);
            open.extend([second, first]);
        }
    }
    stays.iter_mut().zip(&removed).for_each(|(stays, removed)| *stays = !removed);
}
