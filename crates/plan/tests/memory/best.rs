//! Plans against all plans there are.

use crate::memory::support::{check, clusterings, orders, random_graph};
use frit_plan::memory::{Fate, Objective, SearchLimits, peak, removed, solve, traffic};
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
        assert!(!solution.fates.iter().any(|(_, fate)| *fate == Fate::NotWorthwhile));
    }
    assert!(
        given_up > cases / 20 && apart > cases * 3 / 20,
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
    assert!(other > cases / 90, "only {other} plans of the least size do not have the least peak");
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
        other += usize::from(
            Some(traffic(&graph, &solve(&graph, Objective::Size, &SearchLimits::default()).clusters)) > best,
        );
    }
    assert!(other > cases / 10, "only {other} plans of the least size do not move least");
}
