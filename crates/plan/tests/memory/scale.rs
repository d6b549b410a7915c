//! Graphs with very many cycles, and graphs too large to be sure about.

use crate::memory::support::{check, graph};
use frit_plan::Deadline;
use frit_plan::memory::{DataFlowGraph, Node, Objective, SearchLimits, experiment, rank, solve, solve_until};
use frit_support::Random;
use std::time::Duration;

/// Steps of a ladder, each with two ways from one node to the next, under one preventing edge: 2^steps cycles.
fn ladder(steps: usize) -> DataFlowGraph {
    let mut graph = DataFlowGraph::default();
    let nodes: Vec<Node> = (0..=3 * steps).map(|at| graph.add_node(format!("L{at}"))).collect();
    let mut random = Random::new(7);
    for step in 0..steps {
        for (from, to) in [(0, 1), (1, 3), (0, 2), (2, 3)] {
            let array = graph.add_array(format!("a{}", graph.arrays().len()), 1 + random.below(100) as u64, false);
            graph.add_edge(nodes[3 * step + from], nodes[3 * step + to], Some(array), false).unwrap();
        }
    }
    graph.add_edge(nodes[0], nodes[3 * steps], None, true).unwrap();
    graph
}

#[test]
fn a_graph_with_a_billion_billion_cycles_is_planned_at_once() {
    let graph = ladder(60);
    let solution = solve(&graph, Objective::Size, &SearchLimits::default());
    check(&graph, &solution);
    assert!(solution.is_proved());
    assert!(solution.conflicts.len() < 1000, "{} conflicts were looked at", solution.conflicts.len());
    // The cheapest cut of one step: one array of each of its ways.
    let size = |at: usize| u128::from(graph.arrays()[frit_support::Index::new(at)].size);
    let cut = |step: usize| size(4 * step).min(size(4 * step + 1)) + size(4 * step + 2).min(size(4 * step + 3));
    assert_eq!(Some(solution.cost), (0..60).map(cut).min());
}

#[test]
fn plans_of_the_experiment_have_a_peak_and_a_bound() {
    let mut proved = 0;
    for number in 0..21 {
        let graph = experiment::graph(1, number);
        let limits = SearchLimits { steps: 1 << 14, ..SearchLimits::default() };
        let solution = solve(&graph, Objective::Peak, &limits);
        check(&graph, &solution);
        proved += usize::from(solution.is_proved());
        if graph.nodes().len() <= 16 {
            assert!(solution.is_proved(), "{} nodes", graph.nodes().len());
        }
    }
    assert!(proved >= 12, "{proved} of 21 are proved");
}

#[test]
fn a_search_without_time_gives_a_legal_plan_and_a_bound() {
    let graph = experiment::graph(1, 20);
    for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
        let limits = SearchLimits { time: Some(Duration::ZERO), ..SearchLimits::default() };
        let hurried = solve(&graph, objective, &limits);
        check(&graph, &hurried);
        let best = solve(&graph, objective, &SearchLimits::default());
        assert!(hurried.bound <= best.cost && best.cost <= hurried.cost);
    }
}

#[test]
fn bounds_know_what_no_plan_can_do_without() {
    // While loop 2 runs both arrays are live, though it touches only one of them.
    let spanned = graph(4, &[("a", 5), ("b", 7)], &["1 a 3", "1 -/ 2", "2 - 3", "2 b/ 4"]);
    let limits = SearchLimits { steps: 0, ..SearchLimits::default() };
    assert_eq!(solve(&spanned, Objective::Peak, &limits).bound, 12);
}

#[test]
fn equal_graphs_have_equal_plans() {
    for number in 0..5 {
        let graph = experiment::graph(9, number);
        for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
            let limits = SearchLimits { steps: 2000, ..SearchLimits::default() };
            assert_eq!(solve(&graph, objective, &limits), solve(&graph.clone(), objective, &limits));
        }
    }
}

#[test]
fn sizes_as_large_as_numbers_get_are_added_up() {
    let mut graph = DataFlowGraph::default();
    let nodes: Vec<Node> = (0..3).map(|at| graph.add_node(format!("L{at}"))).collect();
    let arrays: Vec<_> = (0..3).map(|at| graph.add_array(format!("a{at}"), u64::MAX, at == 2)).collect();
    graph.add_edge(nodes[0], nodes[1], Some(arrays[0]), false).unwrap();
    graph.add_edge(nodes[1], nodes[2], Some(arrays[1]), false).unwrap();
    graph.add_edge(nodes[0], nodes[2], Some(arrays[2]), true).unwrap();
    for (objective, cost) in [(Objective::Size, 2), (Objective::Peak, 2), (Objective::Traffic, 4)] {
        let solution = solve(&graph, objective, &SearchLimits::default());
        check(&graph, &solution);
        assert_eq!(solution.cost, cost * u128::from(u64::MAX));
    }
}

#[test]
fn an_empty_graph_has_an_empty_plan() {
    for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
        let solution = solve(&DataFlowGraph::default(), objective, &SearchLimits::default());
        assert!(solution.clusters.is_empty() && solution.is_proved() && solution.cost == 0);
    }
}

/// A graph of many loops, most of which could be fused in many ways.
fn large(nodes: usize, span: usize, preventing: usize) -> DataFlowGraph {
    let mut graph = DataFlowGraph::default();
    let mut random = Random::new(11);
    let nodes: Vec<Node> = (0..nodes).map(|at| graph.add_node(format!("L{at}"))).collect();
    for at in 0..2 * nodes.len() {
        let from = random.below(nodes.len() - 1);
        let array = graph.add_array(format!("a{at}"), 1 + random.below(100) as u64, false);
        for _ in 0..2 {
            let to = (from + 1 + random.below(span)).min(nodes.len() - 1);
            graph.add_edge(nodes[from], nodes[to], Some(array), random.one_in(preventing)).unwrap();
        }
    }
    graph
}

#[test]
fn searches_end_soon_after_their_time() {
    for (nodes, span, preventing) in [(60, 8, 6), (150, 150, 12), (150, 4, 100)] {
        let graph = large(nodes, span, preventing);
        let alone: Vec<Vec<Node>> = graph.nodes().indices().map(|node| vec![node]).collect();
        for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
            for looks in [0, 30, 1000, 5000] {
                let deadline = Deadline::after_looks(looks);
                let solution = solve_until(&graph, objective, 1 << 14, &deadline);
                check(&graph, &solution);
                assert!(rank(&graph, objective, &solution.clusters) <= rank(&graph, objective, &alone));
                // What is left is to say for each array what became of it, and to leave what was begun.
                let late = deadline.looked().saturating_sub(looks);
                assert!(late < 8 * graph.arrays().len() as u64, "{objective:?}, {nodes} loops: {late} after {looks}");
            }
        }
    }
}
