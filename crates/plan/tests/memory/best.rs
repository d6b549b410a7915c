//! Plans against all plans there are.

use crate::memory::support::{check, clusterings, orders, random_graph};
use frit_plan::Deadline;
use frit_plan::memory::{Fate, Objective, SearchLimits, peak, rank, removed, solve, solve_until, traffic};
use frit_support::{Random, random};

#[test]
fn plans_remove_the_greatest_size_there_is() {
    let (cases, mut random) = (random::cases(2000), Random::new(random::seed() + 1));
    let (mut given_up, mut apart) = (0, 0);
    for at in 0..cases {
        let graph = random_graph(&mut random, 8);
        let solution = solve(&graph, Objective::Size, &SearchLimits::default());
        check(&graph, &solution);
        assert!(solution.is_proved());
        let all = clusterings(&graph);
        let best = all.iter().map(|clusters| graph.size_of(&removed(&graph, clusters))).max();
        assert_eq!(best, Some(graph.size_of(&solution.removed)), "graph {at}: {graph:#?}\n{solution:#?}");
        assert_eq!(solution.cost, graph.total_size() - graph.size_of(&solution.removed));
        given_up += usize::from(solution.fates.iter().any(|(_, fate)| matches!(fate, Fate::Conflict { .. })));
        apart += usize::from(solution.fates.iter().any(|(_, fate)| matches!(fate, Fate::PreventingPath { .. })));
        let worth = |(array, fate): (_, &Fate)| *fate != Fate::NotWorthwhile || graph.arrays()[array].size == 0;
        assert!(solution.fates.iter().all(worth));
    }
    assert!(
        !random::is_usual() || (given_up > cases / 20 && apart > cases * 3 / 20),
        "{given_up} graphs have conflicts, {apart} have preventing paths"
    );
}

#[test]
fn plans_have_the_least_peak_there_is() {
    let (cases, mut random) = (random::cases(700), Random::new(random::seed() + 2));
    let mut other = 0;
    for at in 0..cases {
        let graph = random_graph(&mut random, 6);
        let solution = solve(&graph, Objective::Peak, &SearchLimits::default());
        check(&graph, &solution);
        assert!(solution.is_proved() && solution.cost == peak(&graph, &solution.clusters));
        let mut best = u128::MAX;
        for clusters in clusterings(&graph) {
            orders(&graph, &mut Vec::new(), &clusters, &mut |order| best = best.min(peak(&graph, order)), false);
        }
        assert_eq!(best, solution.cost, "graph {at}: {graph:#?}\n{solution:#?}");
        other += usize::from(peak(&graph, &solve(&graph, Objective::Size, &SearchLimits::default()).clusters) > best);
    }
    assert!(
        !random::is_usual() || other > cases / 90,
        "only {other} plans of the least size do not have the least peak"
    );
}

#[test]
fn plans_move_the_least_there_is() {
    let (cases, mut random) = (random::cases(1000), Random::new(random::seed() + 3));
    let mut other = 0;
    for at in 0..cases {
        let graph = random_graph(&mut random, 7);
        let solution = solve(&graph, Objective::Traffic, &SearchLimits::default());
        check(&graph, &solution);
        assert!(solution.is_proved());
        let best = clusterings(&graph).iter().map(|clusters| traffic(&graph, clusters)).min();
        assert_eq!(best, Some(solution.cost), "graph {at}: {graph:#?}\n{solution:#?}");
        // A search that time ends has a bound that no plan is below.
        let hurried = solve_until(&graph, Objective::Traffic, 0, &Deadline::after_looks(at as u64 % 40));
        check(&graph, &hurried);
        assert!(hurried.bound <= solution.cost, "graph {at}: {graph:#?}\n{hurried:#?}");
        other += usize::from(
            Some(traffic(&graph, &solve(&graph, Objective::Size, &SearchLimits::default()).clusters)) > best,
        );
    }
    assert!(!random::is_usual() || other > cases / 200, "only {other} plans of the least size do not move least");
}

#[test]
fn of_plans_as_good_the_one_that_moves_least_and_then_has_the_fewest_loops_is_taken() {
    for (objective, usual, most, seed) in
        [(Objective::Size, 400, 7, 4), (Objective::Traffic, 300, 7, 5), (Objective::Peak, 150, 6, 6)]
    {
        let (cases, mut random) = (random::cases(usual), Random::new(random::seed() + seed));
        let (mut moves_decide, mut loops_decide) = (0, 0);
        for at in 0..cases {
            let graph = random_graph(&mut random, most);
            let solution = solve(&graph, objective, &SearchLimits::default());
            check(&graph, &solution);
            let mut ranks = Vec::new();
            for clusters in clusterings(&graph) {
                orders(
                    &graph,
                    &mut Vec::new(),
                    &clusters,
                    &mut |order| ranks.push(rank(&graph, objective, order)),
                    objective != Objective::Peak,
                );
            }
            let best = *ranks.iter().min().expect("there is a plan");
            let found = rank(&graph, objective, &solution.clusters);
            assert_eq!(best, found, "{objective:?}, graph {at}: {graph:#?}\n{solution:#?}");
            moves_decide += usize::from(ranks.iter().any(|rank| rank.0 == best.0 && rank.1 > best.1));
            loops_decide +=
                usize::from(ranks.iter().any(|rank| (rank.0, rank.1) == (best.0, best.1) && rank.2 > best.2));
        }
        let is_counted = random::is_usual() && objective != Objective::Traffic;
        assert!(!is_counted || moves_decide > cases / 8, "{objective:?}: {moves_decide}");
        assert!(!random::is_usual() || loops_decide > cases / 8, "{objective:?}: {loops_decide}");
    }
}
