//! Large graphs: planned exactly up to 64 loops, greedily beyond, in work that is proportional to the number of pairs; equal
//! graphs get equal plans.

use crate::support;

use frit_plan::{FusionGraph, Limits, Method, Node, Plan, solve};
use frit_support::allocated::{allocated, assert_growth};
use frit_support::{Random, random};
use support::{PLAIN, Shape, all_pairs, array, check, empty, node, random_graph, size};

/// Loops as programs have them: most read what was made shortly before.
const LOCAL: Shape = Shape { nodes: 60, distance: 5, opaque: 3, apart: 10, spaces: 2, ..PLAIN };

/// What the exact solver may take for one graph, in pivots times rows.
const MOST_WORK: u64 = 4_000_000;

/// Plans a graph of a short and of a long length, in which the number of pairs is the square of the length. `check` looks at
/// the plans.
#[track_caller]
fn work_grows_with_pairs(what: &str, graph: impl Fn(usize) -> FusionGraph, check: impl Fn(&FusionGraph, &Plan)) {
    // Pairs grow by the factor 16.
    assert_growth(what, [250, 1_000], 24.0, |length| {
        let graph = graph(length);
        let (plan, work) = allocated(|| solve(&graph, &Limits::default()));
        check(&graph, &plan);
        work
    });
}

fn sixty_loops_are_planned_exactly(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    for _ in 0..4 {
        let graph = random_graph(&mut random, shape);
        let plan = solve(&graph, &Limits::default());
        assert_eq!(plan.method, Method::Exact);
        assert!(plan.work < MOST_WORK, "{}", plan.work);
        let exact = check(&graph, &plan, &Limits::default());
        let greedily = Limits { exact_nodes: 0, ..Limits::default() };
        assert!(exact[..3] <= check(&graph, &solve(&graph, &greedily), &greedily)[..3]);
    }
}

#[test]
fn sixty_loops_over_two_spaces_are_planned_exactly() {
    sixty_loops_are_planned_exactly(21, LOCAL);
}

#[test]
fn sixty_loops_of_which_some_are_foldable_are_planned_exactly() {
    sixty_loops_are_planned_exactly(22, Shape { foldable: 30, spaces: 3, distance: 8, ..LOCAL });
}

#[test]
fn sixty_loops_that_read_from_anywhere_are_planned_exactly() {
    sixty_loops_are_planned_exactly(23, Shape { spaces: 4, apart: 0, inputs: 3, distance: usize::MAX, ..LOCAL });
}

#[test]
fn sixty_loops_over_one_space_with_fusion_preventing_edges_are_planned_exactly() {
    sixty_loops_are_planned_exactly(30, Shape { spaces: 1, apart: 30, ..LOCAL });
}

/// A graph of many loops over one space, each with all others a pair unless `spaces` says otherwise.
fn many(nodes: usize, spaces: usize, inputs: usize) -> FusionGraph {
    random_graph(&mut Random::new(25), Shape { nodes, spaces, inputs, apart: 5, distance: 20, ..PLAIN })
}

#[test]
fn a_thousand_loops_take_work_proportional_to_their_pairs() {
    for (spaces, inputs) in [(1, 3), (4, 3), (50, 2)] {
        work_grows_with_pairs(
            &format!("{spaces} spaces"),
            |nodes| many(nodes, spaces, inputs),
            |graph, plan| {
                check(graph, plan, &Limits::default());
                assert_ne!(plan.after, plan.before);
            },
        );
    }
}

/// A graph of this many loops, each with all others a pair, and the loops.
fn loops(length: usize) -> (FusionGraph, Vec<Node>) {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..length).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    all_pairs(&mut graph, &nodes);
    (graph, nodes)
}

#[test]
fn a_chain_of_a_thousand_loops_becomes_one_loop() {
    let chain = |length| {
        let (mut graph, nodes) = loops(length);
        for at in 0..length - 1 {
            array(&mut graph, size(8, 1), Some(nodes[at]), &nodes[at + 1..at + 2], false);
        }
        graph
    };
    work_grows_with_pairs("chain", chain, |graph, plan| {
        let method = Method::Greedy { nodes: graph.nodes.len() };
        assert_eq!((plan.method, plan.clusters.len()), (method, 1));
    });
}

#[test]
fn a_thousand_readers_of_one_array_become_one_loop() {
    let readers = |length| {
        let (mut graph, nodes) = loops(length);
        array(&mut graph, size(8, 1), None, &nodes, true);
        graph
    };
    work_grows_with_pairs("readers", readers, |_, plan| assert_eq!(plan.clusters.len(), 1));
}

#[test]
fn many_small_groups_of_loops_are_planned_exactly() {
    let mut graph = empty();
    for group in 0..100 {
        let nodes: Vec<Node> = (0..4).map(|at| node(&mut graph, &format!("w{group}_{at}"))).collect();
        for at in 0..3 {
            array(&mut graph, size(8, 1), Some(nodes[at]), &nodes[at + 1..], false);
        }
        all_pairs(&mut graph, &nodes);
    }
    let plan = solve(&graph, &Limits::default());
    assert_eq!((plan.method, plan.clusters.len()), (Method::Exact, 100));
}

#[test]
fn equal_graphs_have_equal_plans() {
    for seed in random::seeds(random::cases(20)) {
        let graph = || random_graph(&mut Random::new(seed), Shape { nodes: 30, foldable: 60, ..LOCAL });
        assert_eq!(solve(&graph(), &Limits::default()), solve(&graph(), &Limits::default()));
    }
}
