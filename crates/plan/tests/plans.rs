//! Plans of graphs that are known from publications, and of those that show one property each.

use crate::support;

use frit_plan::{FusionGraph, Limits, Method, Node, Plan, solve};
use support::{all_pairs, array, check, empty, node, pair, size};

/// Plans and checks.
fn planned(graph: &FusionGraph) -> Plan {
    let limits = Limits::default();
    let plan = solve(graph, &limits);
    check(graph, &plan, &limits);
    assert_eq!(plan.method, Method::Exact);
    plan
}

fn names(graph: &FusionGraph, plan: &Plan) -> Vec<String> {
    let name = |node: &Node| graph.nodes[*node].name.clone();
    plan.clusters.iter().map(|members| members.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_chain_becomes_one_loop_and_stores_its_result_only() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..6).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    array(&mut graph, size(8, 1), None, &nodes[..1], true);
    for at in 0..5 {
        array(&mut graph, size(8, 1), Some(nodes[at]), &nodes[at + 1..at + 2], false);
    }
    array(&mut graph, size(8, 1), Some(nodes[5]), &[], true);
    all_pairs(&mut graph, &nodes);
    let plan = planned(&graph);
    assert_eq!(names(&graph, &plan), ["w0 w1 w2 w3 w4 w5"]);
    assert_eq!((plan.before.bytes, plan.after.bytes), (size(96, 1), size(16, 1)));
    assert_eq!((plan.before.held, plan.after.held), (size(48, 1), size(8, 1)));
}

#[test]
fn a_tempting_merge_that_spoils_two_others_is_not_made() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..4).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    for (at, bytes) in [8, 12, 8].into_iter().enumerate() {
        array(&mut graph, size(bytes, 1), Some(nodes[at]), &nodes[at + 1..at + 2], false);
    }
    for at in 0..3 {
        pair(&mut graph, nodes[at], nodes[at + 1]);
    }
    assert_eq!(names(&graph, &planned(&graph)), ["w0 w1", "w2 w3"]);
}

/// `y` is needed by `z` and by `q`, and both by the root. `x`, over another space, is needed by `z` and the root.
#[test]
fn l0_figure_24_reduces_to_the_root_and_the_loop_with_two_incoming_edges() {
    let mut graph = empty();
    let [x, y, z, q, root] = ["x", "y", "z", "q", "root"].map(|name| node(&mut graph, name));
    array(&mut graph, size(8, 1), None, &[x, y], true);
    array(&mut graph, size(8, 1), Some(x), &[z, root], false);
    for readers in [&[z, q][..], &[q][..]] {
        array(&mut graph, size(8, 1), Some(y), readers, false);
    }
    for producer in [z, z, q, q] {
        array(&mut graph, size(8, 1), Some(producer), &[root], false);
    }
    array(&mut graph, size(8, 1), Some(root), &[], true);
    all_pairs(&mut graph, &[y, z, q, root]);
    assert_eq!(names(&graph, &planned(&graph)), ["x", "y z q root"]);
}

/// Removing `a` takes L1, L2 and L4 in one loop, and L3 stands between them.
#[test]
fn mem_section_2_2_a_path_with_a_fusion_preventing_edge_prevents_fusion() {
    let mut graph = empty();
    let [one, two, three, four] = ["L1", "L2", "L3", "L4"].map(|name| node(&mut graph, name));
    array(&mut graph, size(8, 1), Some(one), &[two, four], false);
    array(&mut graph, size(8, 1), Some(two), &[three], false);
    array(&mut graph, size(8, 1), Some(three), &[four], false);
    array(&mut graph, size(8, 1), Some(four), &[], true);
    // All but L2 and L3.
    for (first, second) in [(one, two), (one, three), (one, four), (two, four), (three, four)] {
        pair(&mut graph, first, second);
    }
    let plan = planned(&graph);
    assert_eq!(names(&graph, &plan), ["L1 L2", "L3 L4"]);
}

/// Either of two arrays can be removed, but not both: each loop would need the other. The larger one goes.
#[test]
fn mem_proposition_1_of_two_removals_in_conflict_the_larger_is_made() {
    let mut graph = empty();
    let [a1, b1, b2, a2] = ["a1", "b1", "b2", "a2"].map(|name| node(&mut graph, name));
    array(&mut graph, size(8, 1), Some(a1), &[a2], false);
    array(&mut graph, size(80, 1), Some(b1), &[b2], false);
    // a1 before b2, and b1 before a2: the clusters of both would wait for each other.
    graph.orders.extend([(a1, b2), (b1, a2)]);
    pair(&mut graph, a1, a2);
    pair(&mut graph, b1, b2);
    let plan = planned(&graph);
    assert!(names(&graph, &plan).contains(&"b1 b2".to_string()));
    assert_eq!(plan.clusters.len(), 3);
}

#[test]
fn a_larger_degree_weighs_more_than_any_coefficient() {
    let mut graph = empty();
    let [a1, b1, b2, a2] = ["a1", "b1", "b2", "a2"].map(|name| node(&mut graph, name));
    array(&mut graph, size(8, 2), Some(a1), &[a2], false);
    array(&mut graph, size(8000, 1), Some(b1), &[b2], false);
    graph.orders.extend([(a1, b2), (b1, a2)]);
    pair(&mut graph, a1, a2);
    pair(&mut graph, b1, b2);
    assert!(names(&graph, &planned(&graph)).contains(&"a1 a2".to_string()));
}

/// A cheap producer and two consumers, over different spaces or over one.
fn shared_producer(can_fuse: bool) -> FusionGraph {
    let mut graph = empty();
    let [p, c, d] = ["p", "c", "d"].map(|name| node(&mut graph, name));
    graph.nodes[p].fold = Some(size(3, 1));
    array(&mut graph, size(8, 1), None, &[p], true);
    array(&mut graph, size(8, 1), Some(p), &[c, d], false);
    array(&mut graph, size(8, 1), Some(c), &[], true);
    array(&mut graph, size(8, 1), Some(d), &[], true);
    if can_fuse {
        all_pairs(&mut graph, &[p, c, d]);
    }
    graph
}

#[test]
fn a_cheap_producer_is_repeated_in_consumers_that_cannot_be_fused() {
    let graph = shared_producer(false);
    let plan = planned(&graph);
    assert_eq!(names(&graph, &plan), ["c", "d"]);
    assert_eq!(plan.after.work, size(3, 1));
}

#[test]
fn a_cheap_producer_is_not_repeated_where_its_consumers_can_be_fused() {
    let graph = shared_producer(true);
    let plan = planned(&graph);
    assert_eq!(names(&graph, &plan), ["p c d"]);
    assert_eq!((plan.folded.len(), plan.after.work), (0, size(0, 0)));
}

#[test]
fn what_is_kept_is_not_folded() {
    let mut graph = shared_producer(false);
    let made = graph.arrays.indices().nth(1).unwrap();
    graph.arrays[made].kept = true;
    assert_eq!(planned(&graph).folded, []);
}

#[test]
fn a_dependence_through_a_folded_loop_keeps_its_ends_apart() {
    let mut graph = empty();
    let [q, p, c] = ["q", "p", "c"].map(|name| node(&mut graph, name));
    graph.nodes[p].fold = Some(size(0, 0));
    array(&mut graph, size(1, 1), None, &[q], true);
    array(&mut graph, size(1, 1), Some(q), &[p], false);
    array(&mut graph, size(8, 1), Some(p), &[c], false);
    pair(&mut graph, q, c);
    let plan = planned(&graph);
    assert_eq!(names(&graph, &plan), ["q", "c"]);
    assert_eq!(plan.folded, [p]);
}

#[test]
fn siblings_that_read_one_array_are_fused() {
    let mut graph = empty();
    let nodes: Vec<Node> = ["mean", "variance", "min", "max"].map(|name| node(&mut graph, name)).to_vec();
    array(&mut graph, size(8, 1), None, &nodes, true);
    all_pairs(&mut graph, &nodes);
    let plan = planned(&graph);
    assert_eq!((plan.clusters.len(), plan.after.bytes), (1, size(8, 1)));
}

#[test]
fn loops_that_share_nothing_are_fused_for_fewer_loops() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..4).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    all_pairs(&mut graph, &nodes);
    assert_eq!(planned(&graph).clusters.len(), 1);
}

#[test]
fn clusters_have_no_more_generators_than_allowed() {
    let mut graph = empty();
    let nodes: Vec<Node> = (0..3).map(|at| node(&mut graph, &format!("w{at}"))).collect();
    nodes.iter().for_each(|&node| graph.nodes[node].generators = 4);
    array(&mut graph, size(8, 1), None, &nodes, true);
    all_pairs(&mut graph, &nodes);
    let limits = Limits { generators: 16, ..Limits::default() };
    let plan = solve(&graph, &limits);
    check(&graph, &plan, &limits);
    assert_eq!(plan.clusters.len(), 2);
}

#[test]
fn an_empty_graph_has_an_empty_plan() {
    let plan = planned(&FusionGraph::default());
    assert!(plan.clusters.is_empty() && plan.folded.is_empty());
}
