//! The greedy planner: what saves most is merged first, until nothing is left that saves.
//!
//! A step merges two clusters that share an array, or all clusters that make and read one array, so that it need not be stored.
//! When no merge saves anything, folds are tried one by one; when no fold saves anything either, loops are merged for the sake of
//! fewer loops. The result is legal, and no single step improves it; it need not be the best.

use super::problem::{Partition, Problem, Score, in_order};
use crate::deadline::Deadline;
use crate::relation::Relation;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// How many partners each reader of an array is tried with. Arrays that hundreds of loops read would otherwise give as many
/// candidates as pairs.
const PARTNERS: usize = 8;

/// A good legal partition.
pub(super) fn greedy(problem: &Problem, deadline: &Deadline) -> Partition {
    // Folding first finds what merging first makes impossible, and the other way round.
    let merged_first = improve(problem, Partition::identity(problem.nodes), deadline);
    if problem.folds.iter().all(Option::is_none) {
        return merged_first;
    }
    let mut folded = Partition::identity(problem.nodes);
    fold(problem, &mut folded);
    let folded_first = improve(problem, folded, deadline);
    if problem.score(&folded_first) < problem.score(&merged_first) { folded_first } else { merged_first }
}

/// Merges and folds until neither improves the legal `partition`, or time is over.
pub(super) fn improve(problem: &Problem, mut partition: Partition, deadline: &Deadline) -> Partition {
    loop {
        let mut merging = Merging::new(problem, partition);
        merging.merge_what_saves(deadline);
        partition = merging.partition;
        if deadline.is_over() || !fold(problem, &mut partition) {
            break;
        }
    }
    if deadline.is_over() {
        return partition;
    }
    let mut merging = Merging::new(problem, partition);
    merging.merge_the_rest(deadline);
    merging.partition
}

/// Folds nodes wherever that improves the partition; true if it did. A node that is folded leaves its cluster.
fn fold(problem: &Problem, partition: &mut Partition) -> bool {
    let mut score = problem.score(partition);
    let mut changed = false;
    let inherits: BTreeSet<usize> = problem.inherited.iter().map(|&(folded, ..)| folded).collect();
    let mut producers = vec![Vec::new(); problem.nodes];
    for (producer, consumers) in problem.consumers.iter().enumerate().filter(|(node, _)| problem.folds[*node].is_some())
    {
        consumers.iter().for_each(|&consumer| producers[consumer].push(producer));
    }
    for (node, producers) in producers.iter().enumerate() {
        let is_next_to_folded = || problem.consumers[node].iter().chain(producers).any(|&at| partition.folded[at]);
        if problem.folds[node].is_none() || partition.folded[node] || is_next_to_folded() {
            continue;
        }
        let mut folded = partition.clone();
        folded.isolate(node);
        folded.folded[node] = true;
        let better = problem.score(&folded);
        // A loop of its own that hands on no order can be folded whatever the others do; only else the order has to be found.
        let own = partition.cluster[node];
        let is_alone =
            !inherits.contains(&node) && partition.cluster.iter().filter(|&&cluster| cluster == own).count() == 1;
        if better < score && (is_alone || problem.order(&folded).is_some()) {
            (*partition, score) = (folded, better);
            changed = true;
        }
    }
    changed
}

/// Tries for every foldable node what becomes of the partition if the opposite is done with it; takes quadratic time.
pub(super) fn reconsider_folds(problem: &Problem, mut partition: Partition, deadline: &Deadline) -> Partition {
    let mut score = problem.score(&partition);
    loop {
        let before = score.clone();
        for node in (0..problem.nodes).filter(|&node| problem.folds[node].is_some()) {
            let mut other = Partition { folded: partition.folded.clone(), ..Partition::identity(problem.nodes) };
            other.folded[node] = !other.folded[node];
            if problem.order(&other).is_none() {
                continue;
            }
            let other = improve(problem, other, deadline);
            let better = problem.score(&other);
            if better < score {
                (partition, score) = (other, better);
            }
        }
        if score == before || deadline.is_over() {
            return partition;
        }
    }
}

/// A partition while clusters are merged, with what is needed to judge the next merge fast.
pub(super) struct Merging<'a> {
    problem: &'a Problem,
    pub(super) partition: Partition,
    /// By cluster: its nodes.
    members: Relation,
    /// By cluster: the nodes that all its nodes may be merged with.
    fits: Relation,
    generators: Vec<u128>,
    /// By cluster: the nodes of all clusters that depend on it, and of those that it depends on.
    below: Relation,
    above: Relation,
    /// By array: the clusters that read it and do not make it.
    reading: Vec<BTreeSet<usize>>,
    /// By cluster: the arrays that it reads or makes.
    touched: Vec<BTreeSet<usize>>,
    /// The arrays of each group.
    groups: Vec<Vec<usize>>,
}

impl<'a> Merging<'a> {
    /// From a legal partition.
    pub(super) fn new(problem: &'a Problem, partition: Partition) -> Self {
        let nodes = problem.nodes;
        let (mut members, mut fits) = (Relation::new(nodes), Relation::new(nodes));
        let mut generators = vec![1u128; nodes];
        for (node, &cluster) in partition.cluster.iter().enumerate() {
            members.insert(cluster, node);
            generators[cluster] = generators[cluster].saturating_mul(problem.generators[node]);
        }
        for (cluster, inside) in partition.members().iter().enumerate() {
            for other in (0..nodes).filter(|&other| !partition.folded[other]) {
                if inside.iter().all(|&node| problem.compatible.contains(node, other) && !partition.folded[node]) {
                    fits.insert(cluster, other);
                }
            }
        }
        for &(_, from, to) in problem.inherited.iter().filter(|(folded, ..)| partition.folded[*folded]) {
            fits.remove(partition.cluster[from], to);
            fits.remove(partition.cluster[to], from);
        }
        let successors = problem.quotient_edges(&partition).expect("the partition is legal");
        let order = in_order(&successors, (0..nodes).filter(|&node| partition.cluster[node] == node));
        let (mut below, mut above) = (Relation::new(nodes), Relation::new(nodes));
        for &from in order.iter().rev() {
            for &to in &successors[from] {
                below.unite(from, to);
                below.unite_row(from, &members, to);
            }
        }
        for &from in &order {
            for &to in &successors[from] {
                above.unite(to, from);
                above.unite_row(to, &members, from);
            }
        }
        let mut touched = vec![BTreeSet::new(); nodes];
        let mut reading = vec![BTreeSet::new(); problem.arrays.len()];
        for (at, array) in problem.arrays.iter().enumerate() {
            let home = array.producer.map(|node| partition.cluster[node]);
            if array.producer.is_some_and(|node| partition.folded[node]) {
                continue;
            }
            for &reader in &array.readers {
                let into = if partition.folded[reader] { &problem.consumers[reader][..] } else { &[reader][..] };
                reading[at].extend(into.iter().map(|&node| partition.cluster[node]).filter(|&c| Some(c) != home));
            }
            reading[at].iter().chain(&home).for_each(|&cluster| {
                touched[cluster].insert(at);
            });
        }
        let mut groups = Vec::new();
        for (at, array) in problem.arrays.iter().enumerate() {
            groups.resize(groups.len().max(array.group + 1), Vec::new());
            groups[array.group].push(at);
        }
        Self { problem, partition, members, fits, generators, below, above, reading, touched, groups }
    }

    /// Which of the clusters, if any, must not be merged; the nodes between them are added first, for they have to go along.
    fn close(&self, clusters: &mut Vec<usize>) -> bool {
        loop {
            clusters.sort_unstable();
            clusters.dedup();
            let product = clusters.iter().fold(1, |product: u128, &c| product.saturating_mul(self.generators[c]));
            // Fitting is mutual, so that each cluster is compared with all others at once.
            let mut all = vec![0; self.members.row(0).len()];
            for &cluster in clusters.iter() {
                all.iter_mut().zip(self.members.row(cluster)).for_each(|(all, members)| *all |= members);
            }
            let fit = clusters.iter().all(|&cluster| {
                let (members, fits) = (self.members.row(cluster), self.fits.row(cluster));
                all.iter().zip(members).zip(fits).all(|((all, members), fits)| all & !members & !fits == 0)
            });
            if product > self.problem.limit || !fit {
                return false;
            }
            let between = self.between(clusters);
            if between.is_empty() {
                return true;
            }
            clusters.extend(between);
        }
    }

    /// The clusters on paths from one of the clusters to another, or back to itself, through others.
    fn between(&self, clusters: &[usize]) -> Vec<usize> {
        let words = self.members.row(0).len();
        let mut found = Vec::new();
        for word in 0..words {
            let union = |relation: &Relation| clusters.iter().fold(0, |bits, &c| bits | relation.row(c)[word]);
            let mut bits = union(&self.below) & union(&self.above) & !union(&self.members);
            while bits != 0 {
                found.push(self.partition.cluster[word * 64 + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What merging the clusters saves, in bytes moved and bytes held.
    fn saving(&self, clusters: &[usize]) -> Score {
        let degrees = self.problem.degrees;
        let mut saving = vec![0; 2 * degrees];
        let first = self.problem.first;
        let (at_moved, at_held) = (first.moved(degrees), first.held(degrees));
        let mut groups = BTreeSet::new();
        let arrays: BTreeSet<usize> = clusters.iter().flat_map(|&c| self.touched[c].iter().copied()).collect();
        for at in arrays {
            let array = &self.problem.arrays[at];
            let ([before, after], [stored, stored_after]) = self.reads(at, clusters);
            let no_longer = i128::from(stored) - i128::from(stored_after);
            let passes = (before - after) as i128 + no_longer;
            let held = match &self.groups[array.group][..] {
                [_] => no_longer,
                _ if no_longer == 0 || !groups.insert(array.group) => 0,
                group => {
                    let stored = |when: usize| group.iter().any(|&other| self.reads(other, clusters).1[when]);
                    i128::from(stored(0)) - i128::from(stored(1))
                }
            };
            for (degree, weight) in array.weight.iter().enumerate() {
                saving[at_moved + degree] += weight * passes;
                if let Some(at_held) = at_held {
                    saving[at_held + degree] += weight * held;
                }
            }
        }
        saving
    }

    /// How many clusters read an array, and whether it is stored: now, and when the clusters are merged.
    fn reads(&self, at: usize, clusters: &[usize]) -> ([usize; 2], [bool; 2]) {
        let array = &self.problem.arrays[at];
        let home = array.producer.map(|node| self.partition.cluster[node]);
        let inside = clusters.iter().filter(|&c| self.reading[at].contains(c)).count();
        let before = self.reading[at].len();
        let after = match home {
            Some(home) if clusters.contains(&home) => before - inside,
            Some(_) | None => before - inside + usize::from(inside > 0),
        };
        let reads = [before, after];
        (reads, reads.map(|reads| home.is_some() && (array.kept || reads > 0)))
    }

    /// Makes one cluster of several that may be merged; returns it.
    fn merge(&mut self, clusters: &[usize]) -> usize {
        let (&head, rest) = clusters.split_first().expect("a merge has clusters");
        for &gone in rest {
            for node in self.members.related(gone).collect::<Vec<_>>() {
                self.partition.cluster[node] = head;
            }
            self.members.unite(head, gone);
            self.fits.intersect(head, gone);
            self.below.unite(head, gone);
            self.above.unite(head, gone);
            self.generators[head] = self.generators[head].saturating_mul(self.generators[gone]);
            for at in std::mem::take(&mut self.touched[gone]) {
                if self.reading[at].remove(&gone) {
                    self.reading[at].insert(head);
                }
                self.touched[head].insert(at);
            }
        }
        for &at in &self.touched[head] {
            let home = self.problem.arrays[at].producer.map(|node| self.partition.cluster[node]);
            if home == Some(head) {
                self.reading[at].remove(&head);
            }
        }
        for node in self.members.related(head).collect::<Vec<_>>() {
            self.below.remove(head, node);
            self.above.remove(head, node);
        }
        let heads = |relation: &Relation| -> Vec<usize> {
            let clusters = relation.related(head).map(|node| self.partition.cluster[node]);
            clusters.collect::<BTreeSet<_>>().into_iter().collect()
        };
        let (earlier, later) = (heads(&self.above), heads(&self.below));
        for cluster in earlier {
            self.below.unite(cluster, head);
            self.below.unite_row(cluster, &self.members, head);
        }
        for cluster in later {
            self.above.unite(cluster, head);
            self.above.unite_row(cluster, &self.members, head);
        }
        head
    }

    /// Merges clusters that share arrays, those first that save most.
    pub(super) fn merge_what_saves(&mut self, deadline: &Deadline) {
        let mut heap = BinaryHeap::new();
        for at in 0..self.reading.len() {
            for candidate in self.candidates(at, None) {
                if deadline.is_over() {
                    break;
                }
                self.offer(&mut heap, candidate);
            }
        }
        while let Some((saving, Reverse(mut clusters))) = heap.pop() {
            if deadline.is_over() {
                return;
            }
            if clusters.iter().any(|&cluster| self.partition.cluster[cluster] != cluster) {
                continue;
            }
            let now = self.saving(&clusters);
            if now != saving {
                // Merges since then changed what it saves.
                self.offer(&mut heap, clusters);
                continue;
            }
            if !self.close(&mut clusters) {
                continue;
            }
            let head = self.merge(&clusters);
            for at in self.touched[head].clone() {
                for candidate in self.candidates(at, Some(head)) {
                    self.offer(&mut heap, candidate);
                }
            }
        }
    }

    /// Merges the clusters of two nodes, and what lies between them, if that is legal.
    pub(super) fn try_merge(&mut self, one: usize, other: usize) {
        let mut clusters = vec![self.partition.cluster[one], self.partition.cluster[other]];
        if clusters[0] != clusters[1] && self.close(&mut clusters) {
            self.merge(&clusters);
        }
    }

    fn offer(&self, heap: &mut BinaryHeap<(Score, Reverse<Vec<usize>>)>, mut clusters: Vec<usize>) {
        clusters.sort_unstable();
        let saving = self.saving(&clusters);
        if saving.iter().find(|&&value| value != 0).is_some_and(|&value| value > 0) && self.close(&mut clusters.clone())
        {
            heap.push((saving, Reverse(clusters)));
        }
    }

    /// Merges that could save something of an array, only those with the cluster `with`, if there is one.
    fn candidates(&self, at: usize, with: Option<usize>) -> Vec<Vec<usize>> {
        let home = self.problem.arrays[at].producer.map(|node| self.partition.cluster[node]);
        let all: Vec<usize> = home.into_iter().chain(self.reading[at].iter().copied()).collect();
        let fit = |one: usize, other: usize| self.fits.contains(one, other);
        let mut candidates = Vec::new();
        for (position, &one) in all.iter().enumerate() {
            let everything = Some(one) == home || Some(one) == with;
            let others = all[position + 1..].iter().filter(|&&other| fit(one, other));
            let others = others.filter(|&&other| with.is_none_or(|with| one == with || other == with));
            let most = if everything { usize::MAX } else { PARTNERS };
            candidates.extend(others.take(most).map(|&other| vec![one, other]));
        }
        if all.len() > 2 && home.is_some() && all.iter().all(|&one| one == all[0] || fit(all[0], one)) {
            candidates.push(all);
        }
        candidates
    }

    /// Merges whatever may be merged, in the order of the program: the fewer loops, the better.
    fn merge_the_rest(&mut self, deadline: &Deadline) {
        for node in 0..self.problem.nodes {
            if deadline.is_over() {
                return;
            }
            if self.partition.cluster[node] != node {
                continue;
            }
            for other in node + 1..self.problem.nodes {
                let mut clusters = vec![node, other];
                if self.partition.cluster[other] == other
                    && self.fits.contains(node, other)
                    && self.close(&mut clusters)
                {
                    self.merge(&clusters);
                }
            }
        }
    }
}
