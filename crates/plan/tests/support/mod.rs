//! Random fusion graphs, and what plans cost, computed in the plainest way.
#![allow(dead_code, unreachable_pub)] // each test file uses a part

use frit_plan::{Array, ArrayData, FusionGraph, Limits, Node, NodeData, Pair, Plan, Size, Symbol};
use frit_support::{Index, Monomial, Poly, Random};
use std::collections::{BTreeMap, BTreeSet};

/// `coefficient * s0^degree`.
pub fn size(coefficient: i64, degree: usize) -> Size {
    let symbol = Monomial::symbol(Symbol::new(0));
    Poly::term((0..degree).fold(Monomial::one(), |product, _| product.times(&symbol)), coefficient)
}

/// A graph without nodes; sizes are in `n`.
pub fn empty() -> FusionGraph {
    let mut graph = FusionGraph::default();
    graph.symbols.push("n".into());
    graph
}

pub fn node(graph: &mut FusionGraph, name: &str) -> Node {
    graph.nodes.push(NodeData { name: name.into(), generators: 1, fold: None })
}

pub fn array(graph: &mut FusionGraph, bytes: Size, producer: Option<Node>, readers: &[Node], kept: bool) -> Array {
    let name = format!("a{}", graph.arrays.len());
    graph.arrays.push(ArrayData { name, bytes, producer, readers: readers.to_vec(), kept })
}

pub fn pair(graph: &mut FusionGraph, first: Node, second: Node) {
    graph.pairs.push(Pair { first, second });
}

/// All pairs of these nodes may be fused.
pub fn all_pairs(graph: &mut FusionGraph, nodes: &[Node]) {
    for (at, &first) in nodes.iter().enumerate() {
        nodes[at + 1..].iter().for_each(|&second| pair(graph, first, second));
    }
}

/// How random graphs are made; chances in percent.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub nodes: usize,
    /// Arrays that a node reads, at most.
    pub inputs: usize,
    /// How many index spaces there are.
    pub spaces: usize,
    /// Loops over one space that are no pair.
    pub apart: usize,
    /// Arrays that are kept.
    pub kept: usize,
    pub foldable: usize,
    pub opaque: usize,
    /// Sizes differ in coefficient and degree.
    pub mixed: bool,
    /// Loops have more than one generator.
    pub generators: bool,
    /// How far back a node reads, in nodes.
    pub distance: usize,
}

pub const PLAIN: Shape = Shape {
    nodes: 6,
    inputs: 2,
    spaces: 1,
    apart: 30,
    kept: 15,
    foldable: 0,
    opaque: 10,
    mixed: false,
    generators: false,
    distance: usize::MAX,
};

pub fn random_graph(random: &mut Random, shape: Shape) -> FusionGraph {
    let mut graph = empty();
    let mut spaces = Vec::new();
    let outside = (0..2).map(|_| array(&mut graph, size(8, 1), None, &[], true)).collect::<Vec<_>>();
    let mut made: Vec<(Array, usize)> = Vec::new();
    let mut unpaired: BTreeSet<(usize, usize)> = BTreeSet::new();
    for at in 0..shape.nodes {
        let opaque = random.chance(shape.opaque);
        let space = random.below(shape.spaces);
        spaces.push(if opaque { None } else { Some(space) });
        let node = node(&mut graph, &format!("w{at}"));
        if shape.generators && random.chance(40) {
            graph.nodes[node].generators = 2 + random.below(3) as u32;
        }
        if !opaque && random.chance(shape.foldable) {
            let repeated = random.below(3) as i64;
            graph.nodes[node].fold = Some(size(repeated, 1));
        }
        let near: Vec<(Array, usize)> = made.iter().copied().filter(|(_, by)| at - by <= shape.distance).collect();
        for _ in 0..1 + random.below(shape.inputs) {
            let input = if near.is_empty() || random.chance(15) {
                outside[random.below(2)]
            } else {
                let (input, by) = near[random.below(near.len())];
                if random.chance(shape.apart) {
                    unpaired.insert((by, at));
                }
                input
            };
            let readers = &mut graph.arrays[input].readers;
            if !readers.contains(&node) {
                readers.push(node);
            }
        }
        if at > 0 && random.chance(5) {
            graph.orders.push((Node::new(random.below(at)), node));
        }
        for _ in 0..1 + random.below(2).min(random.below(2)) {
            let bytes = match shape.mixed {
                true => size([1, 4, 8][random.below(3)], random.below(3)),
                false => size(8, 1),
            };
            let kept = random.chance(shape.kept);
            made.push((array(&mut graph, bytes, Some(node), &[], kept), at));
        }
    }
    for first in 0..shape.nodes {
        for second in first + 1..shape.nodes {
            let apart = unpaired.contains(&(first, second)) || random.chance(shape.apart / 4);
            if spaces[first].is_some() && spaces[first] == spaces[second] && !apart {
                pair(&mut graph, Node::new(first), Node::new(second));
            }
        }
    }
    graph
}

/// The criteria of the objective as numbers; sizes at `n` = 10^6, far above all coefficients of test graphs.
pub type Criteria = [i128; 4];

fn value(size: &Size) -> i128 {
    size.terms().map(|(monomial, c)| i128::from(c) * 1_000_000i128.pow(monomial.degree() as u32)).sum()
}

/// What a plan costs: the definition, word for word. `cluster` names the cluster of every node; folded nodes' names are their own.
/// `None` if the plan is not legal.
pub fn criteria(graph: &FusionGraph, cluster: &[usize], folded: &[bool], limits: &Limits) -> Option<Criteria> {
    let nodes = graph.nodes.len();
    let pairs: BTreeSet<(usize, usize)> = graph.pairs.iter().map(|p| (p.first.at(), p.second.at())).collect();
    for one in 0..nodes {
        let mut product = u64::from(graph.nodes[Node::new(one)].generators);
        for other in (0..nodes).filter(|&other| other != one && cluster[other] == cluster[one]) {
            if folded[one] || !pairs.contains(&(one.min(other), one.max(other))) {
                return None;
            }
            product = product.saturating_mul(u64::from(graph.nodes[Node::new(other)].generators));
        }
        let alone = (0..nodes).filter(|&other| cluster[other] == cluster[one]).count() == 1;
        if !alone && product > u64::from(limits.generators) {
            return None;
        }
    }
    let consumers = |node: usize| -> BTreeSet<usize> {
        let made = graph.arrays.iter().filter(|(_, array)| array.producer == Some(Node::new(node)));
        made.flat_map(|(_, array)| array.readers.iter().map(|reader| reader.at())).collect()
    };
    for node in (0..nodes).filter(|&node| folded[node]) {
        let mut made = graph.arrays.iter().filter(|(_, array)| array.producer == Some(Node::new(node)));
        let legal = graph.nodes[Node::new(node)].fold.is_some()
            && made.all(|(_, array)| !array.kept)
            && !consumers(node).is_empty()
            && consumers(node).iter().all(|&reader| !folded[reader]);
        if !legal {
            return None;
        }
    }
    // Dependences between clusters, and a depth-first search for cycles among them.
    let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut all: Vec<(usize, usize)> = graph.orders.iter().map(|(from, to)| (from.at(), to.at())).collect();
    for (_, array) in graph.arrays.iter() {
        let producer = array.producer.iter();
        all.extend(producer.flat_map(|from| array.readers.iter().map(move |to| (from.at(), to.at()))));
    }
    for (from, to) in all {
        if cluster[from] != cluster[to] {
            edges.entry(cluster[from]).or_default().insert(cluster[to]);
        }
    }
    for (from, to) in &graph.orders {
        for into in consumers(from.at()) {
            if folded[from.at()] && into != to.at() {
                edges.entry(cluster[into]).or_default().insert(cluster[to.at()]);
            }
        }
    }
    fn reaches(edges: &BTreeMap<usize, BTreeSet<usize>>, from: usize, to: usize, seen: &mut BTreeSet<usize>) -> bool {
        edges.get(&from).is_some_and(|next| {
            next.iter().any(|&next| next == to || seen.insert(next) && reaches(edges, next, to, seen))
        })
    }
    if cluster.iter().any(|&head| reaches(&edges, head, head, &mut BTreeSet::new())) {
        return None;
    }
    let mut criteria = [0; 4];
    for (_, array) in graph.arrays.iter() {
        let home = array.producer.map(|node| node.at());
        if home.is_some_and(|node| folded[node]) {
            continue;
        }
        let mut reading = BTreeSet::new();
        for reader in array.readers.iter().map(|node| node.at()) {
            if folded[reader] {
                reading.extend(consumers(reader).into_iter().map(|node| cluster[node]));
            } else {
                reading.insert(cluster[reader]);
            }
        }
        if let Some(home) = home {
            reading.remove(&cluster[home]);
        }
        let stored = home.is_some() && (array.kept || !reading.is_empty());
        criteria[0] += value(&array.bytes) * (reading.len() as i128 + i128::from(stored));
        criteria[1] += value(&array.bytes) * i128::from(stored);
    }
    for (node, data) in graph.nodes.iter().filter(|(node, _)| folded[node.at()]) {
        criteria[2] += value(data.fold.as_ref().unwrap_or_else(|| panic!("{node} is folded")));
    }
    let loops: BTreeSet<usize> = (0..nodes).filter(|&node| !folded[node]).map(|node| cluster[node]).collect();
    criteria[3] = loops.len() as i128;
    Some(criteria)
}

/// The criteria of a plan. Panics if it is not legal, or out of order, or says the wrong cost.
pub fn check(graph: &FusionGraph, plan: &Plan, limits: &Limits) -> Criteria {
    let mut cluster = vec![usize::MAX; graph.nodes.len()];
    let mut folded = vec![false; graph.nodes.len()];
    for node in &plan.folded {
        cluster[node.at()] = node.at();
        folded[node.at()] = true;
    }
    for members in &plan.clusters {
        assert!(members.is_sorted());
        for node in members {
            assert_eq!(cluster[node.at()], usize::MAX, "{node} is in one place");
            cluster[node.at()] = members[0].at();
        }
    }
    assert!(cluster.iter().all(|&cluster| cluster != usize::MAX), "every node is somewhere");
    let criteria = criteria(graph, &cluster, &folded, limits).expect("the plan is legal");
    let cost = &plan.after;
    assert_eq!(criteria[..3], [value(&cost.bytes), value(&cost.held), value(&cost.work)], "the cost is right");

    let mut time = vec![usize::MAX; graph.nodes.len()];
    for (at, members) in plan.clusters.iter().enumerate() {
        members.iter().for_each(|node| time[node.at()] = at);
    }
    for (_, array) in graph.arrays.iter() {
        for (producer, reader) in
            array.producer.iter().flat_map(|p| array.readers.iter().map(move |r| (p.at(), r.at())))
        {
            assert!(folded[producer] || folded[reader] || time[producer] <= time[reader], "clusters are in order");
        }
    }
    criteria
}

/// The criteria of the best plan, found by trying all.
pub fn best(graph: &FusionGraph, limits: &Limits) -> Criteria {
    let nodes = graph.nodes.len();
    let foldable: Vec<usize> = (0..nodes).filter(|&node| graph.nodes[Node::new(node)].fold.is_some()).collect();
    let mut best = None;
    for choice in 0..1usize << foldable.len() {
        let mut folded = vec![false; nodes];
        foldable.iter().enumerate().for_each(|(bit, &node)| folded[node] = choice >> bit & 1 == 1);
        partitions(graph, limits, &mut Vec::new(), &folded, &mut best);
    }
    best.expect("no merge at all is legal")
}

fn partitions(
    graph: &FusionGraph,
    limits: &Limits,
    cluster: &mut Vec<usize>,
    folded: &[bool],
    best: &mut Option<Criteria>,
) {
    let node = cluster.len();
    if node == graph.nodes.len() {
        let Some(found) = criteria(graph, cluster, folded, limits) else { return };
        if best.is_none_or(|best| found < best) {
            *best = Some(found);
        }
        return;
    }
    let heads = (0..node).filter(|&head| cluster[head] == head && !folded[head] && !folded[node]);
    for head in heads.chain([node]).collect::<Vec<_>>() {
        // Partitions with a cluster that is not all pairs are not tried.
        let fits = |&other: &usize| {
            cluster[other] != head || graph.pairs.iter().any(|p| (p.first.at(), p.second.at()) == (other, node))
        };
        if (0..node).all(|other| fits(&other)) {
            cluster.push(head);
            partitions(graph, limits, cluster, folded, best);
            cluster.pop();
        }
    }
}
