//! The planner against all plans there are, on small graphs.

use crate::support;

use frit_plan::{Limits, Method, solve};
use frit_support::{Random, random};
use support::{PLAIN, Shape, best, check, random_graph};

fn exact_plans_are_the_best(seed: u64, graphs: usize, shape: Shape, limits: Limits) {
    let (graphs, mut random) = (random::cases(graphs), Random::new(random::seed() + seed));
    let (mut merges, mut searched) = (0, 0);
    let greedily = Limits { exact_nodes: 0, ..limits };
    for at in 0..graphs {
        let nodes = 2 + random.below(shape.nodes - 1);
        let graph = random_graph(&mut random, Shape { nodes, ..shape });
        let plan = solve(&graph, &limits);
        let found = check(&graph, &plan, &limits);
        assert_eq!(plan.method, Method::Exact);
        // The number of loops, the last criterion, is made small, not proven to be the least.
        assert_eq!(found[..3], best(&graph, &limits)[..3], "graph {at}: {graph:#?}\n{plan:#?}");
        merges += usize::from(plan.after != plan.before);
        searched += usize::from(check(&graph, &solve(&graph, &greedily), &greedily)[..3] != found[..3]);
    }
    assert!(!random::is_usual() || searched > 0, "all greedy plans are the best");
    assert!(!random::is_usual() || merges > graphs / 4, "only {merges} of {graphs} graphs have anything to merge");
}

#[test]
fn plans_of_graphs_with_one_size_are_the_best() {
    exact_plans_are_the_best(1, 700, Shape { nodes: 7, ..PLAIN }, Limits::default());
}

#[test]
fn plans_of_graphs_with_many_sizes_are_the_best() {
    exact_plans_are_the_best(2, 700, Shape { nodes: 7, mixed: true, ..PLAIN }, Limits::default());
}

#[test]
fn plans_of_graphs_with_several_index_spaces_are_the_best() {
    exact_plans_are_the_best(3, 400, Shape { nodes: 7, spaces: 2, inputs: 3, apart: 15, ..PLAIN }, Limits::default());
}

#[test]
fn plans_of_nine_loops_are_the_best() {
    let shape = Shape { nodes: 9, inputs: 3, apart: 40, kept: 5, ..PLAIN };
    exact_plans_are_the_best(8, 150, shape, Limits::default());
}

#[test]
fn plans_with_folds_are_the_best() {
    exact_plans_are_the_best(4, 1000, Shape { nodes: 6, foldable: 50, apart: 50, ..PLAIN }, Limits::default());
}

#[test]
fn plans_with_folds_of_many_sizes_are_the_best() {
    let shape = Shape { nodes: 6, foldable: 60, spaces: 2, mixed: true, inputs: 3, ..PLAIN };
    exact_plans_are_the_best(5, 800, shape, Limits::default());
}

#[test]
fn plans_with_few_generators_are_the_best() {
    let limits = Limits { generators: 8, ..Limits::default() };
    exact_plans_are_the_best(6, 500, Shape { generators: true, foldable: 20, ..PLAIN }, limits);
}

#[test]
fn greedy_plans_are_legal_and_mostly_the_best() {
    let (cases, mut random) = (random::cases(400), Random::new(random::seed()));
    let limits = Limits { exact_nodes: 0, ..Limits::default() };
    let mut optimal = 0;
    for _ in 0..cases {
        let shape = Shape { foldable: 20, mixed: random.chance(50), ..PLAIN };
        let graph = random_graph(&mut random, shape);
        let found = check(&graph, &solve(&graph, &limits), &limits);
        optimal += usize::from(found == best(&graph, &limits));
    }
    assert!(!random::is_usual() || optimal > cases * 9 / 10, "{optimal} of {cases} greedy plans are the best");
}
