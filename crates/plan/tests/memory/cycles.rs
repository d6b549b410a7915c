//! Proposition 1 and the exploration of figure 7, as printed and put right, against all plans there are.

use crate::memory::support::{clusterings, graph, names, random_graph};
use frit_plan::memory::{Array, DataFlowGraph, Node, Objective, SearchLimits, removable, removed, solve};
use frit_support::{Random, random};
use std::collections::BTreeSet;

/// A cycle of proposition 1: the pairs of loops of its mu+, that is, of its starred edges walked against their direction.
type Cycle = BTreeSet<(Node, Node)>;

/// The starred arrays between two loops.
fn starred(graph: &DataFlowGraph, pair: (Node, Node)) -> Vec<Array> {
    let starred = removable(graph);
    let between = graph.edges().iter().filter(|(_, edge)| (edge.from, edge.to) == pair);
    between.filter_map(|(_, edge)| edge.array).filter(|array| starred.contains(array)).collect()
}

/// The exploration put right: from the head of every preventing edge back to its tail, over any edge forwards and over starred ones
/// backwards; what is recorded is mu+.
fn cycles(graph: &DataFlowGraph) -> BTreeSet<Cycle> {
    let mut found = BTreeSet::new();
    for (_, edge) in graph.edges().iter().filter(|(_, edge)| edge.preventing) {
        explore(graph, edge.to, edge.from, &mut BTreeSet::from([edge.to]), &mut Cycle::new(), &mut found);
    }
    found
}

fn explore(
    graph: &DataFlowGraph,
    at: Node,
    target: Node,
    mark: &mut BTreeSet<Node>,
    plus: &mut Cycle,
    found: &mut BTreeSet<Cycle>,
) {
    if at == target {
        found.insert(plus.clone());
        return;
    }
    let forwards = graph.edges().iter().filter(|(_, edge)| edge.from == at).map(|(_, edge)| (edge.to, None));
    let backwards =
        graph.edges().iter().filter(|(_, edge)| edge.to == at && !starred(graph, (edge.from, at)).is_empty());
    let backwards = backwards.map(|(_, edge)| (edge.from, Some((edge.from, at))));
    for (next, pair) in forwards.chain(backwards).collect::<BTreeSet<_>>() {
        if mark.insert(next) {
            let added = pair.filter(|pair| plus.insert(*pair));
            explore(graph, next, target, mark, plus, found);
            added.map(|pair| plus.remove(&pair));
            mark.remove(&next);
        }
    }
}

/// Figure 7 as printed: sets of loops.
fn printed(graph: &DataFlowGraph) -> BTreeSet<BTreeSet<Node>> {
    fn explore(
        graph: &DataFlowGraph,
        k: Node,
        u: Node,
        v: Node,
        mark: &mut BTreeSet<Node>,
        c: &mut BTreeSet<BTreeSet<Node>>,
    ) {
        mark.insert(k);
        for t in graph.nodes().indices() {
            let edge = |from, to| graph.edges().iter().any(|(_, edge)| (edge.from, edge.to) == (from, to));
            if t == v && t != u {
                c.insert(mark.clone());
            } else if !mark.contains(&t) && (!starred(graph, (k, t)).is_empty() || edge(t, k)) {
                explore(graph, t, u, v, mark, c);
            }
        }
        mark.remove(&k);
    }
    let mut c = BTreeSet::new();
    for (_, edge) in graph.edges().iter() {
        explore(graph, edge.from, edge.from, edge.to, &mut BTreeSet::new(), &mut c);
    }
    c
}

#[test]
fn proposition_1_arrays_can_be_removed_together_if_and_only_if_every_cycle_is_cut() {
    let mut random = Random::new(random::seed() + 5);
    let (mut legal, mut illegal) = (0, 0);
    for _ in 0..random::cases(1500) {
        let graph = random_graph(&mut random, 6);
        let cycles = cycles(&graph);
        let removable = removable(&graph);
        let reached: Vec<Vec<Array>> = clusterings(&graph).iter().map(|clusters| removed(&graph, clusters)).collect();
        for choice in 0..1usize << removable.len().min(8) {
            let chosen: Vec<Array> =
                (0..removable.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| removable[bit]).collect();
            let is_walked = |pair: &(Node, Node)| starred(&graph, *pair).iter().any(|array| chosen.contains(array));
            let all_cut = cycles.iter().all(|plus| !plus.iter().all(is_walked));
            let possible = reached.iter().any(|removed| chosen.iter().all(|array| removed.contains(array)));
            assert_eq!(all_cut, possible, "{chosen:?} of {graph:#?}");
            if possible { legal += 1 } else { illegal += 1 }
        }
    }
    assert!(legal > 1000 && illegal > 100, "{legal} legal choices, {illegal} others");
}

#[test]
fn figure_7_as_printed_reports_cycles_where_there_are_none() {
    // Nothing leads from L2 to L3 but the edge itself, and no two loops but L1 and L2 can be fused.
    let graph = graph(3, &[], &["1 a 2", "2 b/ 3"]);
    assert!(cycles(&graph).is_empty());
    assert!(!printed(&graph).is_empty());
    let plan = solve(&graph, Objective::Size, &SearchLimits::default());
    assert_eq!(names(&graph, &plan.removed), ["a"]);
}

#[test]
fn figure_7_as_printed_cannot_tell_cycles_apart_that_visit_the_same_loops() {
    // L4, L2, L3, L1 and L4, L3, L2, L1: the first needs b and c removed, the second a, d and e.
    let graph = graph(4, &[], &["1 a 2", "2 b 4", "1 c 3", "3 d 4", "2 e 3", "1 -/ 4"]);
    let [l1, l2, l3, l4] = graph.nodes().indices().collect::<Vec<_>>()[..] else { panic!("there are four loops") };
    let cycles = cycles(&graph);
    assert!(cycles.contains(&Cycle::from([(l2, l4), (l1, l3)])));
    assert!(cycles.contains(&Cycle::from([(l3, l4), (l2, l3), (l1, l2)])));
}
