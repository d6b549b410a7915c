//! Large graphs: planned exactly up to 64 loops, greedily beyond, in little time; equal graphs get equal plans.
//!
//! Times are those of the thread on the processor where the system tells them, so other work on the machine does not count; bounds are
//! generous besides.

use crate::support;

use frit_plan::{FusionGraph, Limits, Method, Node, solve};
use frit_support::Random;
use std::time::{Duration, Instant};
use support::{PLAIN, Shape, all_pairs, array, check, empty, node, random_graph, size};

/// Loops as programs have them: most read what was made shortly before.
const LOCAL: Shape = Shape { nodes: 60, distance: 5, opaque: 3, apart: 10, spaces: 2, ..PLAIN };

/// The time that the work takes on the processor.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let on_processor = || {
        let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        statistics.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    let (begin, clock) = (on_processor(), Instant::now());
    let result = work();
    let elapsed = clock.elapsed();
    let time = begin.and_then(|begin| on_processor()?.checked_sub(begin)).unwrap_or(elapsed);
    (result, time)
}

fn sixty_loops_are_planned_exactly(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    for _ in 0..4 {
        let graph = random_graph(&mut random, shape);
        let (plan, time) = timed(|| solve(&graph, &Limits::default()));
        assert_eq!(plan.method, Method::Exact);
        assert!(time < Duration::from_secs(2), "{time:?}");
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
fn thousand(spaces: usize, inputs: usize) -> FusionGraph {
    random_graph(&mut Random::new(25), Shape { nodes: 1000, spaces, inputs, apart: 5, distance: 20, ..PLAIN })
}

#[test]
fn a_thousand_loops_are_planned_in_seconds() {
    for graph in [thousand(1, 3), thousand(4, 3), thousand(50, 2)] {
        let (plan, time) = timed(|| solve(&graph, &Limits::default()));
        assert!(time < Duration::from_secs(5), "{time:?}");
        check(&graph, &plan, &Limits::default());
        assert_ne!(plan.after, plan.before);
    }
}

#[test]
fn a_chain_of_a_thousand_loops_becomes_one_loop() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..1000).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    for at in 0..999 {
        array(&mut graph, size(8, 1), Some(nodes[at]), &nodes[at + 1..at + 2], false);
    }
    all_pairs(&mut graph, &nodes);
    let (plan, time) = timed(|| solve(&graph, &Limits::default()));
    assert!(time < Duration::from_secs(5), "{time:?}");
    assert_eq!((plan.method, plan.clusters.len()), (Method::Greedy { nodes: 1000 }, 1));
}

#[test]
fn a_thousand_readers_of_one_array_become_one_loop() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..1000).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    array(&mut graph, size(8, 1), None, &nodes, true);
    all_pairs(&mut graph, &nodes);
    let (plan, time) = timed(|| solve(&graph, &Limits::default()));
    assert!(time < Duration::from_secs(5), "{time:?}");
    assert_eq!(plan.clusters.len(), 1);
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
    for seed in 0..20 {
        let graph = || random_graph(&mut Random::new(seed), Shape { nodes: 30, foldable: 60, ..LOCAL });
        assert_eq!(solve(&graph(), &Limits::default()), solve(&graph(), &Limits::default()));
    }
}
