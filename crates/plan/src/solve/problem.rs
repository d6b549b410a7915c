//! A fusion graph as the solvers see it: nodes and arrays by number, sizes as vectors that compare in order, and what a
//! partition of the nodes costs.

use crate::graph::{FusionGraph, Size};
use crate::relation::Relation;
use crate::strong::components;
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet};

/// A polynomial's coefficients by degree, the highest degree first; only degrees that occur in the problem have a place. See
/// `Note [Comparing sizes]`.
pub(super) type Weight = Vec<i128>;

/// What a partition costs, in the order of importance: bytes moved, bytes held and work repeated, each by falling degree, then
/// the number of clusters. The smaller is the better. [`First`] may put bytes held to the front, or leave them out.
pub(super) type Score = Vec<i128>;

/// Which of bytes moved and bytes held is the more important.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum First {
    /// The bytes that are moved, then those that are held.
    #[default]
    Moved,
    /// The bytes that are held, then those that are moved.
    Held,
    /// The bytes that are moved; it does not matter how many are held.
    MovedAlone,
}

impl First {
    /// Where bytes moved stand in scores, for problems with so many degrees.
    pub(super) fn moved(self, degrees: usize) -> usize {
        if self == First::Held { degrees } else { 0 }
    }

    /// Where bytes held stand, if they matter.
    pub(super) fn held(self, degrees: usize) -> Option<usize> {
        match self {
            First::Moved => Some(degrees),
            First::Held => Some(0),
            First::MovedAlone => None,
        }
    }
}

/// An array of a [`Problem`].
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    /// Its number in the graph.
    pub(super) id: usize,
    /// Arrays of one group are held together: what one of them takes is taken if any of them is stored.
    pub(crate) group: usize,
    pub(super) weight: Weight,
    pub(super) producer: Option<usize>,
    /// Ascending, without the producer.
    pub(super) readers: Vec<usize>,
    pub(super) kept: bool,
}

impl Traffic {
    /// The same array between other nodes.
    pub(super) fn between(&self, producer: Option<usize>, readers: Vec<usize>, kept: bool) -> Self {
        Self { id: self.id, group: self.group, weight: self.weight.clone(), producer, readers, kept }
    }
}

/// A fusion graph in numbers. A node may stand for several nodes of the graph that have been merged already.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(super) nodes: usize,
    /// Direct dependences, each once, without loops.
    pub(super) edges: Vec<(usize, usize)>,
    /// Those of them that are no arrays.
    pub(super) orders: Vec<(usize, usize)>,
    /// Which nodes may be in one cluster; symmetric.
    pub(crate) compatible: Relation,
    pub(super) generators: Vec<u128>,
    /// Generators that a cluster may have.
    pub(super) limit: u128,
    pub(crate) first: First,
    /// The work that folding a node repeats, if it may be folded.
    pub(super) folds: Vec<Option<Weight>>,
    pub(crate) arrays: Vec<Traffic>,
    /// The length of a [`Weight`].
    pub(super) degrees: usize,
    /// What all partitions cost, because of folds that have been made.
    pub(super) base: Score,
    /// The nodes that read an array of each node, ascending.
    pub(super) consumers: Vec<Vec<usize>>,
    /// Dependences that exist only if a node is folded, which comes first: what has to follow the folded node has to follow
    /// those that it was folded into.
    pub(super) inherited: Vec<(usize, usize, usize)>,
}

/// A choice of merges of a [`Problem`]'s nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    /// The cluster of every node: the least node in it.
    pub(crate) cluster: Vec<usize>,
    /// Nodes that are folded. They are alone in their clusters.
    pub(crate) folded: Vec<bool>,
}

/// What becomes of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fate {
    /// It is written to memory by a node of the graph.
    pub(super) stored: bool,
    /// How many clusters read it from memory.
    pub(super) reads: usize,
}

impl Partition {
    /// No merge at all.
    pub(crate) fn identity(nodes: usize) -> Self {
        Self { cluster: (0..nodes).collect(), folded: vec![false; nodes] }
    }

    /// The nodes of each cluster, by its least node; empty for others.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.cluster.len()];
        for (node, &cluster) in self.cluster.iter().enumerate() {
            members[cluster].push(node);
        }
        members
    }

    /// The choice for some nodes, ascending, as if there were no others.
    pub(super) fn within(&self, nodes: &[usize]) -> Self {
        let mut heads = BTreeMap::new();
        let cluster = nodes.iter().enumerate().map(|(at, &node)| *heads.entry(self.cluster[node]).or_insert(at));
        Self { cluster: cluster.collect(), folded: nodes.iter().map(|&node| self.folded[node]).collect() }
    }

    /// Takes a node out of its cluster.
    pub(super) fn isolate(&mut self, node: usize) {
        let (old, mut head) = (self.cluster[node], None);
        self.cluster[node] = node;
        for other in (0..self.cluster.len()).filter(|&other| other != node) {
            if self.cluster[other] == old {
                self.cluster[other] = *head.get_or_insert(other);
            }
        }
    }

    /// The same choice for the `nodes` nodes that this one's nodes stand for.
    pub(super) fn expand(&self, members: &[Vec<usize>], nodes: usize) -> Self {
        let mut whole = Self::identity(nodes);
        for (cluster, inside) in self.members().iter().enumerate() {
            let all = inside.iter().flat_map(|&node| &members[node]);
            let least = all.clone().min().copied().unwrap_or(cluster);
            for &node in all {
                whole.cluster[node] = least;
            }
        }
        for (node, &folded) in self.folded.iter().enumerate() {
            if folded {
                members[node].iter().for_each(|&member| whole.folded[member] = true);
            }
        }
        whole
    }
}

impl Problem {
    /// The graph in numbers. Folds that can never be chosen are left out.
    pub(crate) fn new(graph: &FusionGraph, limit: u32) -> Self {
        let nodes = graph.nodes.len();
        let works = graph.nodes.iter().filter_map(|(_, node)| node.fold.as_ref());
        let sizes = graph.arrays.iter().map(|(_, array)| &array.bytes).chain(works);
        let degrees: BTreeSet<u64> =
            sizes.flat_map(|size| size.terms()).map(|(monomial, _)| monomial.degree()).collect();

        let mut compatible = Relation::new(nodes);
        for pair in &graph.pairs {
            let (first, second) = (pair.first.at(), pair.second.at());
            if first != second {
                compatible.insert(first, second);
                compatible.insert(second, first);
            }
        }
        let mut arrays = Vec::new();
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (_, array) in graph.arrays.iter() {
            let producer = array.producer.map(Index::at);
            let mut readers: Vec<usize> = array.readers.iter().map(|node| node.at()).collect();
            readers.sort_unstable();
            readers.dedup();
            readers.retain(|&reader| Some(reader) != producer);
            edges.extend(producer.iter().flat_map(|&from| readers.iter().map(move |&to| (from, to))));
            arrays.push(Traffic {
                id: arrays.len(),
                group: arrays.len(),
                weight: weight(&array.bytes, &degrees),
                producer,
                readers,
                kept: array.kept,
            });
        }
        let mut orders: Vec<(usize, usize)> = graph.orders.iter().map(|(from, to)| (from.at(), to.at())).collect();
        orders.sort_unstable();
        orders.dedup();
        orders.retain(|(from, to)| from != to);
        edges.extend(&orders);
        edges.sort_unstable();
        edges.dedup();

        let mut problem = Self {
            nodes,
            edges,
            orders,
            compatible,
            generators: graph.nodes.iter().map(|(_, node)| u128::from(node.generators.max(1))).collect(),
            limit: u128::from(limit),
            first: First::default(),
            folds: graph.nodes.iter().map(|(_, node)| node.fold.as_ref().map(|work| weight(work, &degrees))).collect(),
            arrays,
            base: vec![0; 3 * degrees.len() + 1],
            degrees: degrees.len(),
            consumers: Vec::new(),
            inherited: Vec::new(),
        };
        problem.find_consumers();
        for array in problem.arrays.iter().filter(|array| array.kept) {
            if let Some(producer) = array.producer {
                problem.folds[producer] = None;
            }
        }
        for node in 0..nodes {
            if problem.consumers[node].is_empty() {
                problem.folds[node] = None;
            }
        }
        problem.find_inherited();
        problem.scale();
        problem
    }

    /// Divides the coefficients of each degree by what they have in common: then 1 is the least difference of scores.
    fn scale(&mut self) {
        for degree in 0..self.degrees {
            let bytes = self.arrays.iter_mut().map(|array| &mut array.weight[degree]);
            divide_by_common_factor(bytes.collect());
            divide_by_common_factor(self.folds.iter_mut().flatten().map(|work| &mut work[degree]).collect());
        }
    }

    /// The number of nodes that something can be done with.
    pub(super) fn mergeable(&self) -> usize {
        let has_pairs = |node: usize| self.compatible.related(node).next().is_some();
        (0..self.nodes).filter(|&node| has_pairs(node) || self.folds[node].is_some()).count()
    }

    pub(super) fn find_consumers(&mut self) {
        self.consumers = vec![Vec::new(); self.nodes];
        for array in &self.arrays {
            if let Some(producer) = array.producer {
                self.consumers[producer].extend(&array.readers);
            }
        }
        for consumers in &mut self.consumers {
            consumers.sort_unstable();
            consumers.dedup();
        }
    }

    /// To be called again when a node is no longer foldable.
    pub(super) fn find_inherited(&mut self) {
        let foldable = self.orders.iter().filter(|(from, _)| self.folds[*from].is_some());
        let inherited =
            foldable.flat_map(|&(folded, to)| self.consumers[folded].iter().map(move |&into| (folded, into, to)));
        self.inherited = inherited.filter(|(_, into, to)| into != to).collect();
    }

    /// Compatible nodes whose merge may change the traffic: they touch one array, perhaps through a fold, or one needs the other.
    /// Merges of others only make fewer loops.
    pub(super) fn related(&self) -> Relation {
        let mut related = Relation::new(self.nodes);
        let mut all = Relation::new(self.nodes);
        let mut touching = Vec::new();
        for array in &self.arrays {
            touching.clear();
            touching.extend(array.producer.iter().chain(&array.readers));
            let foldable = array.readers.iter().filter(|&&reader| self.folds[reader].is_some());
            touching.extend(foldable.flat_map(|&reader| &self.consumers[reader]));
            let Some(&first) = touching.first() else { continue };
            touching.iter().for_each(|&other| all.insert(first, other));
            touching.iter().for_each(|&one| related.unite_row(one, &all, first));
            touching.iter().for_each(|&other| all.remove(first, other));
        }
        for &(from, to) in &self.edges {
            related.insert(from, to);
            related.insert(to, from);
        }
        (0..self.nodes).for_each(|node| related.intersect_row(node, &self.compatible, node));
        related
    }

    /// Which nodes depend on which, at whatever distance; `None` if a node depends on itself.
    pub(super) fn reach(&self) -> Option<Relation> {
        let mut successors = vec![Vec::new(); self.nodes];
        self.edges.iter().for_each(|&(from, to)| successors[from].push(to));
        let order = in_order(&successors, 0..self.nodes);
        if order.len() < self.nodes {
            return None;
        }
        let mut reach = Relation::new(self.nodes);
        for &from in order.iter().rev() {
            for &to in &successors[from] {
                reach.insert(from, to);
                reach.unite(from, to);
            }
        }
        Some(reach)
    }

    /// True if all partitions cost the same in this criterion, which is not the number of clusters.
    pub(crate) fn is_constant(&self, criterion: usize) -> bool {
        let first = self.first;
        let (block, degree) = (criterion / self.degrees * self.degrees, criterion % self.degrees);
        let weighs = |weight: &Weight| weight[degree] != 0;
        if block == 2 * self.degrees {
            return !self.folds.iter().flatten().any(weighs);
        }
        let counts = block == first.moved(self.degrees) || Some(block) == first.held(self.degrees);
        !counts || !self.arrays.iter().any(|array| weighs(&array.weight))
    }

    /// What becomes of each array, in order.
    pub(super) fn fates(&self, partition: &Partition) -> Vec<Fate> {
        let mut outside = Vec::new();
        let fate = |array: &Traffic| {
            if array.producer.is_some_and(|node| partition.folded[node]) {
                return Fate { stored: false, reads: 0 };
            }
            outside.clear();
            for &reader in &array.readers {
                if partition.folded[reader] {
                    outside.extend(self.consumers[reader].iter().map(|&node| partition.cluster[node]));
                } else {
                    outside.push(partition.cluster[reader]);
                }
            }
            outside.sort_unstable();
            outside.dedup();
            let home = array.producer.map(|node| partition.cluster[node]);
            outside.retain(|&cluster| Some(cluster) != home);
            Fate { stored: home.is_some() && (array.kept || !outside.is_empty()), reads: outside.len() }
        };
        self.arrays.iter().map(fate).collect()
    }

    /// What the partition costs.
    pub(super) fn score(&self, partition: &Partition) -> Score {
        let mut score = self.base.clone();
        let (moved, held) = (self.first.moved(self.degrees), self.first.held(self.degrees));
        let mut groups = BTreeSet::new();
        for (array, fate) in self.arrays.iter().zip(self.fates(partition)) {
            let passes = fate.reads as i128 + i128::from(fate.stored);
            let is_first = fate.stored && groups.insert(array.group);
            for (degree, weight) in array.weight.iter().enumerate() {
                score[moved + degree] += weight * passes;
                if let Some(held) = held.filter(|_| is_first) {
                    score[held + degree] += weight;
                }
            }
        }
        for (node, &folded) in partition.folded.iter().enumerate() {
            if folded {
                let work = self.folds[node].as_ref().expect("only foldable nodes are folded");
                work.iter().enumerate().for_each(|(degree, work)| score[2 * self.degrees + degree] += work);
            } else if partition.cluster[node] == node {
                score[3 * self.degrees] += 1;
            }
        }
        score
    }

    /// The clusters in an order that respects all dependences, the earliest nodes first where there is a choice; folded
    /// nodes among them. `None` if the partition is not legal.
    pub(super) fn order(&self, partition: &Partition) -> Option<Vec<usize>> {
        let members = partition.members();
        if !members.iter().all(|members| self.is_cluster(members, partition)) {
            return None;
        }
        let successors = self.quotient_edges(partition)?;
        let mut open = open_edges(&successors);
        let heads = (0..self.nodes).filter(|&node| partition.cluster[node] == node);
        let clusters = heads.clone().count();
        let mut ready: std::collections::BTreeSet<usize> = heads.filter(|&head| open[head] == 0).collect();
        let mut order = Vec::new();
        while let Some(head) = ready.pop_first() {
            order.push(head);
            for &to in &successors[head] {
                open[to] -= 1;
                if open[to] == 0 {
                    ready.insert(to);
                }
            }
        }
        (order.len() == clusters).then_some(order)
    }

    /// Clusters that need each other: the heads of those that are on a cycle of dependences, or lie between such.
    pub(super) fn cycle(&self, partition: &Partition) -> Vec<usize> {
        let Some(successors) = self.quotient_edges(partition) else { return Vec::new() };
        let component = components(self.nodes, |node, at| successors[node].get(at).map(|&to| (at, to)));
        // One cycle suffices. A component is named by its first node.
        let head = (0..self.nodes).find(|&node| component[node] != node).map(|node| component[node]);
        (0..self.nodes).filter(|&node| Some(component[node]) == head).collect()
    }

    /// True if the nodes may be one loop, as far as they are concerned alone.
    fn is_cluster(&self, members: &[usize], partition: &Partition) -> bool {
        let product = members.iter().fold(1, |product: u128, &node| product.saturating_mul(self.generators[node]));
        if members.len() > 1 && product > self.limit {
            return false;
        }
        members.iter().enumerate().all(|(at, &one)| {
            let fold_is_legal = !partition.folded[one]
                || members.len() == 1
                    && self.folds[one].is_some()
                    && self.consumers[one].iter().all(|&reader| !partition.folded[reader]);
            fold_is_legal && members[at + 1..].iter().all(|&other| self.compatible.contains(one, other))
        })
    }

    /// By cluster, those that depend on it, ascending. `None` if a cluster needs itself.
    pub(super) fn quotient_edges(&self, partition: &Partition) -> Option<Vec<Vec<usize>>> {
        let mut successors = vec![Vec::new(); self.nodes];
        let cluster = &partition.cluster;
        for &(from, to) in &self.edges {
            if cluster[from] != cluster[to] {
                successors[cluster[from]].push(cluster[to]);
            }
        }
        for &(folded, from, to) in &self.inherited {
            if partition.folded[folded] {
                if cluster[from] == cluster[to] {
                    return None;
                }
                successors[cluster[from]].push(cluster[to]);
            }
        }
        for successors in &mut successors {
            successors.sort_unstable();
            successors.dedup();
        }
        Some(successors)
    }

    /// The problem in which a foldable node has been folded. The node stays, as a statement without arrays: a dependence through it
    /// keeps its ends apart.
    pub(super) fn fold(&self, node: usize) -> Self {
        let mut problem = self.clone();
        let into = &self.consumers[node];
        let work = self.folds[node].as_ref().expect("the node is foldable");
        work.iter().enumerate().for_each(|(degree, work)| problem.base[2 * self.degrees + degree] += work);
        problem.base[3 * self.degrees] -= 1;
        problem.arrays.retain(|array| array.producer != Some(node));
        for array in problem.arrays.iter_mut().filter(|array| array.readers.contains(&node)) {
            array.readers.retain(|&reader| reader != node);
            array.readers.extend(into);
            array.readers.sort_unstable();
            array.readers.dedup();
        }
        for other in 0..self.nodes {
            problem.compatible.remove(node, other);
            problem.compatible.remove(other, node);
            if other == node || into.contains(&other) || self.consumers[other].contains(&node) {
                problem.folds[other] = None;
            }
        }
        for &(_, from, to) in self.inherited.iter().filter(|(folded, _, _)| *folded == node) {
            problem.compatible.remove(from, to);
            problem.compatible.remove(to, from);
            problem.edges.push((from, to));
        }
        problem.edges.sort_unstable();
        problem.edges.dedup();
        problem.find_consumers();
        problem.find_inherited();
        problem
    }

    /// The problem in which nodes with the same number in `to`, of `nodes` numbers, are one.
    pub(super) fn contract(&self, to: &[usize], nodes: usize) -> Self {
        let mut members = vec![Vec::new(); nodes];
        for (node, &into) in to.iter().enumerate() {
            members[into].push(node);
        }
        let map = |edges: &[(usize, usize)]| {
            let mut mapped: Vec<_> = edges.iter().map(|&(from, into)| (to[from], to[into])).collect();
            mapped.retain(|(from, into)| from != into);
            mapped.sort_unstable();
            mapped.dedup();
            mapped
        };
        let mut compatible = Relation::new(nodes);
        for (one, ones) in members.iter().enumerate() {
            for (other, others) in members.iter().enumerate().filter(|(other, _)| *other != one) {
                if ones.iter().all(|&a| others.iter().all(|&b| self.compatible.contains(a, b))) {
                    compatible.insert(one, other);
                }
            }
        }
        let mut arrays = Vec::new();
        for array in &self.arrays {
            let producer = array.producer.map(|node| to[node]);
            let mut readers: Vec<usize> = array.readers.iter().map(|&node| to[node]).collect();
            readers.sort_unstable();
            readers.dedup();
            readers.retain(|&reader| Some(reader) != producer);
            if array.kept || !readers.is_empty() {
                arrays.push(array.between(producer, readers, array.kept));
            }
        }
        let single = |members: &Vec<usize>| if let [node] = members[..] { self.folds[node].clone() } else { None };
        let product =
            |members: &Vec<usize>| members.iter().map(|&node| self.generators[node]).fold(1, u128::saturating_mul);
        let mut problem = Self {
            nodes,
            edges: map(&self.edges),
            orders: map(&self.orders),
            compatible,
            generators: members.iter().map(product).collect(),
            limit: self.limit,
            first: self.first,
            folds: members.iter().map(single).collect(),
            arrays,
            degrees: self.degrees,
            base: self.base.clone(),
            consumers: Vec::new(),
            inherited: Vec::new(),
        };
        problem.find_consumers();
        problem.find_inherited();
        problem
    }
}

fn divide_by_common_factor(numbers: Vec<&mut i128>) {
    fn common(a: i128, b: i128) -> i128 {
        if b == 0 { a.abs() } else { common(b, a % b) }
    }
    let factor = numbers.iter().fold(0, |factor, number| common(factor, **number));
    if factor > 1 {
        numbers.into_iter().for_each(|number| *number /= factor);
    }
}

/// How many edges lead to each node.
fn open_edges(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut open = vec![0; successors.len()];
    successors.iter().flatten().for_each(|&to| open[to] += 1);
    open
}

/// These nodes, each behind all that lead to it, but for those on cycles and what lies behind them.
pub(super) fn in_order(successors: &[Vec<usize>], nodes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut open = open_edges(successors);
    let mut order: Vec<usize> = nodes.filter(|&node| open[node] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &to in &successors[order[next]] {
            open[to] -= 1;
            if open[to] == 0 {
                order.push(to);
            }
        }
        next += 1;
    }
    order
}

/// The coefficients by degree, the highest first; zero if the polynomial is negative for large sizes.
fn weight(size: &Size, degrees: &BTreeSet<u64>) -> Weight {
    let place: Vec<u64> = degrees.iter().rev().copied().collect();
    let mut weight = vec![0; place.len()];
    for (monomial, coefficient) in size.terms() {
        let at = place.iter().position(|&degree| degree == monomial.degree()).expect("all degrees have a place");
        weight[at] += i128::from(coefficient);
    }
    match weight.iter().find(|&&coefficient| coefficient != 0) {
        Some(&leading) if leading > 0 => weight,
        Some(_) | None => vec![0; place.len()],
    }
}

// Note [Comparing sizes]
// ~~~~~~~~~~~~~~~~~~~~~~
// Polynomials in several unknown sizes have no total order, and a plan needs one. All symbols are taken for the same number,
// larger than any quotient of coefficients: then the degree decides, and among terms of one degree the sum of their coefficients.
// `8*n*m` is more than `100*n`, and as much as `8*n^2`. Sums of such vectors compare term by term, from the highest degree down, so
// every criterion of the objective is a few integers, and the whole objective is one vector that is compared lexicographically.
// A polynomial that is negative for large sizes is no size; it counts as zero, so that no plan is better for storing an array.
