//! The figures of the paper, as far as its text tells what is in them, and the places where it is not right as printed.

use crate::memory::support::{array, graph, names, numbers};
use frit_plan::memory::{
    DataFlowGraph, Fate, Objective, SearchLimits, Solution, is_legal, peak, removable, removed, solve,
};
use frit_support::Index;

fn plan(graph: &DataFlowGraph) -> Solution {
    solve(graph, Objective::Size, &SearchLimits::default())
}

/// The program of figure 3: L2 and L3 cannot be fused because of a2, and all four arrays are live in L4.
fn figure_3() -> DataFlowGraph {
    let sizes = [("a1", 10), ("a2", 20), ("a3", 30), ("a4", 40)];
    graph(5, &sizes, &["1 a1 2", "1 a1 4", "2 a2/ 3", "2 a2 4", "3 a3 4", "3 a3 5", "4 a4 5"])
}

#[test]
fn figure_3_the_memory_cost_is_reached_in_l4_and_is_the_sum_of_all_four_arrays() {
    let graph = figure_3();
    let alone: Vec<Vec<_>> = graph.nodes().indices().map(|node| vec![node]).collect();
    assert_eq!(peak(&graph, &alone), 100);
    // Without a4, which begins in L4, the most is live in L3 and L4.
    let without =
        self::graph(4, &[("a1", 10), ("a2", 20), ("a3", 30)], &["1 a1 2", "1 a1 4", "2 a2/ 3", "2 a2 4", "3 a3 4"]);
    let alone: Vec<Vec<_>> = without.nodes().indices().map(|node| vec![node]).collect();
    assert_eq!(peak(&without, &alone), 60);
}

#[test]
fn figure_4_l2_and_l3_are_kept_apart_by_a2() {
    let graph = figure_3();
    let [l1, l2, l3, l4, l5] = graph.nodes().indices().collect::<Vec<_>>()[..] else { panic!("there are five loops") };
    assert!(!is_legal(&graph, &[vec![l1], vec![l2, l3], vec![l4], vec![l5]]));
    assert!(is_legal(&graph, &[vec![l1, l2], vec![l3], vec![l4], vec![l5]]));
}

#[test]
fn figure_5_a3_and_a4_are_removable_and_a1_and_a2_are_not() {
    let graph = figure_3();
    assert_eq!(names(&graph, &removable(&graph)), ["a3", "a4"]);
    let solution = plan(&graph);
    let Fate::PreventingEdge(edge) = &solution.fates[array(&graph, "a2")] else { panic!("{solution:#?}") };
    assert_eq!((graph.edges()[*edge].from.at(), graph.edges()[*edge].to.at()), (1, 2));
    let Fate::PreventingPath { edge, path } = &solution.fates[array(&graph, "a1")] else { panic!("{solution:#?}") };
    assert_eq!((graph.edges()[*edge].from.at(), graph.edges()[*edge].to.at()), (0, 3));
    assert!(path.iter().any(|&edge| graph.edges()[edge].preventing));
}

#[test]
fn figure_6_a_either_of_a_and_b_is_removed_but_not_both() {
    let edges = ["1 a 3", "2 b 4", "1 c/ 4", "2 d 3"];
    for (a, b, stays) in [(5, 7, "a"), (7, 5, "b")] {
        let graph = graph(4, &[("a", a), ("b", b)], &edges);
        let solution = plan(&graph);
        assert_eq!(names(&graph, &solution.removable), ["a", "b", "d"]);
        let Fate::Conflict { conflict, others } = &solution.fates[array(&graph, stays)] else {
            panic!("{solution:#?}")
        };
        let conflict = &solution.conflicts[*conflict];
        assert_eq!(names(&graph, &conflict.arrays), ["a", "b"]);
        assert!(graph.edges()[conflict.preventing].preventing);
        assert_eq!(names(&graph, others), [if stays == "a" { "b" } else { "a" }]);
        assert_eq!(solution.cost, 5 + 1 + u128::from(solution.fates[array(&graph, "d")] != Fate::Removed));
    }
}

#[test]
fn figure_6_a_in_a_chain_either_of_a_and_b_is_removed_but_not_both() {
    let graph = graph(3, &[("a", 5), ("b", 7)], &["1 a 2", "2 b 3", "1 c/ 3"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removable), ["a", "b"]);
    assert_eq!(names(&graph, &solution.removed), ["b"]);
    assert_eq!(numbers(&solution.clusters), [vec![1], vec![2, 3]]);
}

#[test]
fn figure_6_b_the_loops_1_3_6_and_2_4_5_cannot_both_be_fused() {
    let sizes = [("a", 9), ("b", 8), ("c", 7), ("d", 6)];
    let graph = graph(6, &sizes, &["1 a 3", "3 b 6", "2 c 4", "4 d 5", "1 -/ 5", "2 - 6"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removable), ["a", "b", "c", "d"]);
    assert_eq!(names(&graph, &solution.removed), ["a", "b", "c"]);
    let Fate::Conflict { conflict, others } = &solution.fates[array(&graph, "d")] else { panic!("{solution:#?}") };
    assert_eq!(names(&graph, others), ["a", "b", "c"]);
    let walk: Vec<(usize, usize, bool)> = solution.conflicts[*conflict]
        .walk
        .iter()
        .map(|hop| (graph.edges()[hop.edge].from.at() + 1, graph.edges()[hop.edge].to.at() + 1, hop.backwards))
        .collect();
    assert_eq!(walk, [(4, 5, true), (2, 4, true), (2, 6, false), (3, 6, true), (1, 3, true)]);
    assert!(is_legal(&graph, &solution.clusters));
}

/// Arrays, by name, that are all the cycles of proposition 1.
fn conflicts(graph: &DataFlowGraph) -> Vec<Vec<String>> {
    plan(graph).conflicts.iter().map(|conflict| names(graph, &conflict.arrays)).collect()
}

#[test]
fn figure_7_a_path_that_does_not_come_back_is_no_cycle() {
    // The printed exploration asks whether it is at `v`, not whether an edge leads there: from L1 it would report what it has
    // marked though nothing leads from L3 back.
    let graph = graph(4, &[], &["1 a/ 3", "1 b 2", "2 c 4"]);
    assert!(conflicts(&graph).is_empty());
    assert_eq!(names(&graph, &plan(&graph).removed), ["b", "c"]);
}

#[test]
fn figure_7_the_nodes_of_a_cycle_do_not_tell_which_arrays_are_in_conflict() {
    // Between L1 and L2 run a and b. They are on the same nodes, but only arrays of mu+ can be given up: one array for each way round.
    let graph = graph(3, &[("a", 3), ("b", 3), ("c", 5)], &["1 a 2", "1 b 2", "2 c 3", "1 -/ 3"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removed), ["a", "b"]);
    let Fate::Conflict { others, .. } = &solution.fates[array(&graph, "c")] else { panic!("{solution:#?}") };
    assert_eq!(others.len(), 1);
}

#[test]
fn figure_7_every_preventing_edge_starts_an_exploration() {
    // Two preventing edges leave L1. Each is in a conflict of its own.
    let graph = graph(5, &[], &["1 a 2", "2 b 3", "1 -/ 3", "1 c 4", "4 d 5", "1 -/ 5"]);
    let mut found = conflicts(&graph);
    found.sort();
    assert_eq!(found, [["a", "b"], ["c", "d"]]);
}

#[test]
fn figure_8_a3_and_a4_are_removed_in_the_third_loop() {
    let graph = figure_3();
    let solution = plan(&graph);
    // The paper draws L1 and L2 apart, which is one loop more.
    assert_eq!(numbers(&solution.clusters), [vec![1, 2], vec![3, 4, 5]]);
    assert_eq!(names(&graph, &solution.removed), ["a3", "a4"]);
    assert!(solution.is_proved() && solution.cost == 30);
}

#[test]
fn section_2_3_2_a_cycle_is_cut_only_if_all_arrays_between_two_loops_stay() {
    // Giving up a alone cuts nothing: b fuses L1 and L2 all the same.
    let light = graph(3, &[("a", 1), ("b", 4), ("c", 6)], &["1 a 2", "1 b 2", "2 c 3", "1 -/ 3"]);
    assert_eq!(names(&light, &plan(&light).removed), ["c"]);
    let heavy = graph(3, &[("a", 3), ("b", 4), ("c", 6)], &["1 a 2", "1 b 2", "2 c 3", "1 -/ 3"]);
    assert_eq!(names(&heavy, &plan(&heavy).removed), ["a", "b"]);
}

#[test]
fn section_2_3_1_an_array_that_stays_is_not_walked_backwards() {
    // b has a preventing edge of its own, so L2 and L3 are not fused, and the cycle through it is no conflict.
    let graph = graph(4, &[], &["1 a 2", "2 b 3", "1 -/ 3", "3 b/ 4"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removed), ["a"]);
    assert!(solution.conflicts.is_empty());
}

#[test]
fn section_2_3_1_arrays_in_their_own_way_are_given_up() {
    // Each edge of a can be fused, but all of them cannot.
    let graph = graph(3, &[], &["1 a 2", "2 a 3", "1 -/ 3"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removable), ["a"]);
    assert!(solution.removed.is_empty());
    assert_eq!(solution.fates[array(&graph, "a")], Fate::Conflict { conflict: 0, others: Vec::new() });
}

#[test]
fn section_2_4_two_clusters_that_depend_on_each_other_become_one() {
    // No loop lies on a path between the loops of a, nor between those of b. Closing each of the two clusters on the
    // original graph would leave both, and neither could run first.
    let graph = graph(4, &[], &["1 a 4", "2 b 3", "1 - 3", "2 - 4"]);
    let solution = plan(&graph);
    assert_eq!(names(&graph, &solution.removed), ["a", "b"]);
    assert_eq!(numbers(&solution.clusters), [[1, 2, 3, 4]]);
}

#[test]
fn section_2_4_loops_are_written_by_height() {
    let graph = graph(5, &[], &["1 a/ 2", "2 b/ 3", "4 c/ 5"]);
    assert_eq!(numbers(&plan(&graph).clusters), [vec![1, 4], vec![2, 5], vec![3]]);
}

#[test]
fn section_2_1_the_least_size_is_not_the_least_memory_cost() {
    // To remove a, all four loops of a become one, and b, c and d, which it makes and others use, are live together. Kept, a costs less.
    let sizes = [("a", 3), ("b", 2), ("c", 2), ("d", 2)];
    let graph = graph(7, &sizes, &["1 a 2", "2 b/ 3", "1 a 4", "4 c/ 5", "1 a 6", "6 d/ 7"]);
    let least_size = plan(&graph);
    let least_peak = solve(&graph, Objective::Peak, &SearchLimits::default());
    assert_eq!(names(&graph, &least_size.removed), ["a"]);
    assert_eq!(peak(&graph, &least_size.clusters), 6);
    assert!(least_peak.removed.is_empty() && least_peak.is_proved());
    assert_eq!((least_peak.cost, removed(&graph, &least_peak.clusters)), (5, Vec::new()));
    assert_eq!(least_peak.fates[array(&graph, "a")], Fate::NotWorthwhile);
}
