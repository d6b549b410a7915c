//! The fusion graph of a block: its with-loops, the statements between them, the arrays, and what may be merged, as the planner
//! sees them.
//!
//! What the graph says of a merge is what the rules' proofs say of the block as it stands. Part of
//! [`planning`](super::planning).

use super::access::{Views, uses};
use super::block_graph::{BlockGraph, Touches};
use super::refusal::Refusal;
use super::traffic::{SizeNames, Sizes};
use super::with_loop_folding::Folding;
use super::with_loop_fusion::{Iterations, correspondence};
use frit_ir::array::{Block, Func, Op, Operand, Value};
use frit_plan::graph::{ArrayData, FusionGraph, Node, NodeData, Pair, Size};
use frit_plan::{Log, Symbol};
use frit_simplify::sharing::Sharing;
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Merges that a rule has refused, by the first results of the statements.
#[derive(Default)]
pub(super) struct Forbidden {
    pub(super) folds: BTreeSet<Value>,
    pub(super) pairs: BTreeSet<(Value, Value)>,
}

/// The graph of a block, and what its nodes are.
pub(super) struct Candidates {
    pub(super) graph: FusionGraph,
    /// The statement of each node.
    pub(super) positions: Table<Node, usize>,
    /// What may be folded.
    pub(super) foldings: BTreeMap<Node, Folding>,
    /// What may not, and why.
    pub(super) refusals: Vec<(usize, usize, &'static str, Refusal)>,
}

/// Sizes of the function as symbols of the log.
pub(super) struct SymbolTable<'a> {
    pub(super) names: &'a SizeNames,
    pub(super) log: &'a mut Log,
    pub(super) known: BTreeMap<Value, Symbol>,
}

impl SymbolTable<'_> {
    pub(super) fn size(&mut self, poly: &frit_support::Poly<Value>) -> Size {
        poly.rename(|&value| self.symbol(value))
    }

    fn symbol(&mut self, value: Value) -> Symbol {
        if let Some(&symbol) = self.known.get(&value) {
            return symbol;
        }
        let name = self.names.name(value);
        let found = self.log.symbols.iter().find(|(_, known)| **known == name).map(|(symbol, _)| symbol);
        let symbol = found.unwrap_or_else(|| self.log.symbols.push(name));
        self.known.insert(value, symbol);
        symbol
    }
}

/// In a block of more loops than this, only pairs of loops that are near each other are considered. What is merged leaves
/// fewer loops, so that the next plan of the block sees the others.
const MAX_PAIRED: usize = 128;
/// How near.
const NEAR: usize = 24;

/// What folding each loop would come to, by its first result.
pub(super) type Foldings = BTreeMap<Value, Result<Option<Folding>, Refusal>>;

/// Builds the graph of a block. What folding comes to is known of all loops that may be folded.
pub(super) struct GraphBuilder<'a> {
    func: &'a mut Func,
    block: &'a mut Block,
    sharing: &'a mut Sharing,
    touches: &'a mut Touches,
    symbols: SymbolTable<'a>,
    sizes: &'a Sizes,
    foldings: &'a Foldings,
    candidates: Candidates,
}

impl<'a> GraphBuilder<'a> {
    pub(super) fn new(
        func: &'a mut Func,
        block: &'a mut Block,
        sharing: &'a mut Sharing,
        touches: &'a mut Touches,
        symbols: SymbolTable<'a>,
        sizes: &'a Sizes,
        foldings: &'a Foldings,
    ) -> Self {
        let candidates = Candidates {
            graph: FusionGraph::default(),
            positions: Table::new(),
            foldings: BTreeMap::new(),
            refusals: Vec::new(),
        };
        Self { func, block, sharing, touches, symbols, sizes, foldings, candidates }
    }

    pub(super) fn build(&mut self, forbidden: &Forbidden) {
        let dependences = BlockGraph::of(self.func, self.block, self.sharing, self.touches);
        let relevant = self.relevant(&dependences);
        let mut nodes: BTreeMap<usize, Node> = BTreeMap::new();
        for &at in &relevant {
            let stmt = &self.block.stmts[at];
            let name = match &stmt.op {
                Op::With(w) => w.to_string(),
                _ => stmt.results.first().map_or_else(String::new, ToString::to_string),
            };
            // Loops that may be fused have the same generators, so fusing them makes no more.
            let node = self.candidates.graph.nodes.push(NodeData { name, generators: 1, fold: None });
            self.candidates.positions.push(at);
            nodes.insert(at, node);
        }
        self.arrays(&nodes);
        self.orders(&dependences, &nodes);
        self.folds(&nodes, forbidden);
        self.pairs(&dependences, &nodes, forbidden);
    }

    pub(super) fn finish(mut self) -> Candidates {
        self.candidates.graph.symbols = self.symbols.log.symbols.clone();
        self.candidates
    }

    /// The with-loops, the statements that read what they make, and those that lie between two of them.
    fn relevant(&self, dependences: &BlockGraph) -> BTreeSet<usize> {
        let count = self.block.stmts.len();
        let is_loop = |at: usize| matches!(self.block.stmts[at].op, Op::With(_));
        let mut behind = vec![false; count];
        let mut ahead = vec![false; count];
        for at in 0..count {
            behind[at] = dependences.before[at].iter().any(|&b| behind[b] || is_loop(b));
        }
        for at in (0..count).rev() {
            if ahead[at] || is_loop(at) {
                dependences.before[at].iter().for_each(|&b| ahead[b] = true);
            }
        }
        let is_view = |at: usize| matches!(self.block.stmts[at].op, Op::View { .. });
        let reads =
            |at: usize| !is_view(at) && dependences.before[at].iter().any(|&b| is_loop(b) || is_view(b) && behind[b]);
        (0..count).filter(|&at| is_loop(at) || !is_view(at) && (behind[at] && ahead[at] || reads(at))).collect()
    }

    fn arrays(&mut self, nodes: &BTreeMap<usize, Node>) {
        let mut definer: BTreeMap<Value, usize> = BTreeMap::new();
        let mut readers: BTreeMap<Value, Vec<usize>> = BTreeMap::new();
        let mut source: BTreeMap<Value, Value> = BTreeMap::new();
        for (at, stmt) in self.block.stmts.iter().enumerate() {
            stmt.results.iter().for_each(|&result| {
                definer.insert(result, at);
            });
            if let Op::View { array, .. } = &stmt.op {
                source.insert(stmt.results[0], *array);
            }
            for &value in &self.touches.of(self.func, stmt).used {
                let mut value = value;
                if matches!(stmt.op, Op::View { .. }) {
                    continue;
                }
                while let Some(&whole) = source.get(&value) {
                    value = whole;
                }
                if !self.func.ty(value).is_scalar() {
                    let of_value = readers.entry(value).or_default();
                    if of_value.last() != Some(&at) {
                        of_value.push(at);
                    }
                }
            }
        }
        let mut escaping: BTreeSet<Value> = BTreeSet::new();
        for result in &self.block.results {
            if let Operand::Value(mut value) = *result {
                while let Some(&whole) = source.get(&value) {
                    value = whole;
                }
                escaping.insert(value);
            }
        }
        let is_with = |at: &usize| matches!(self.block.stmts[*at].op, Op::With(_));
        let mut values: BTreeSet<Value> = readers.keys().copied().collect();
        values.extend(escaping.iter().copied().filter(|&v| !self.func.ty(v).is_scalar()));
        for value in values {
            let by = readers.get(&value).cloned().unwrap_or_default();
            let producer = definer.get(&value).copied();
            let made_by_loop = producer.as_ref().is_some_and(is_with);
            if !made_by_loop && !by.iter().any(is_with) {
                continue;
            }
            let bytes = self.symbols.size(&self.sizes.bytes(self.func.ty(value)));
            let kept = escaping.contains(&value)
                || !made_by_loop
                || by.iter().any(|at| !nodes.contains_key(at))
                || by.iter().any(|at| {
                    let found = uses(
                        self.func,
                        self.block,
                        &self.block.stmts[*at],
                        &BTreeSet::from([value]),
                        &Views::new(),
                        usize::MAX,
                    );
                    found.whole.is_some()
                });
            self.candidates.graph.arrays.push(ArrayData {
                name: self.func.values[value].name.as_ref().map_or_else(|| value.to_string(), |name| name.to_string()),
                bytes,
                producer: producer.and_then(|at| nodes.get(&at).copied()),
                readers: by.iter().filter_map(|at| nodes.get(at).copied()).collect(),
                kept,
            });
        }
    }

    /// The dependences that no array stands for.
    fn orders(&mut self, dependences: &BlockGraph, nodes: &BTreeMap<usize, Node>) {
        let graph = &mut self.candidates.graph;
        let through_array: BTreeSet<(Node, Node)> = graph
            .arrays
            .iter()
            .filter_map(|(_, array)| Some((array.producer?, &array.readers)))
            .flat_map(|(producer, readers)| readers.iter().map(move |&reader| (producer, reader)))
            .collect();
        for (&at, &node) in nodes {
            // A view is no node: who depends on it depends on what it is a view of.
            let mut open: Vec<usize> = dependences.before[at].iter().copied().collect();
            let mut seen = BTreeSet::new();
            while let Some(before) = open.pop() {
                match nodes.get(&before) {
                    Some(&earlier) if through_array.contains(&(earlier, node)) => {}
                    Some(&earlier) if seen.insert(earlier) => graph.orders.push((earlier, node)),
                    Some(_) => {}
                    None if matches!(self.block.stmts[before].op, Op::View { .. }) => {
                        open.extend(&dependences.before[before]);
                    }
                    None => {}
                }
            }
        }
    }

    fn folds(&mut self, nodes: &BTreeMap<usize, Node>, forbidden: &Forbidden) {
        for (&at, &node) in nodes {
            let Op::With(label) = self.block.stmts[at].op else { continue };
            let result = self.block.stmts[at].results[0];
            if forbidden.folds.contains(&result) {
                continue;
            }
            match self.foldings[&result].clone() {
                Ok(None) => {}
                Ok(Some(folding)) => {
                    if folding.is_whole {
                        let elements = self.sizes.elements(&self.func.with_loops[label].space);
                        let work = self.symbols.size(&elements).scale(folding.repeated as i64);
                        self.candidates.graph.nodes[node].fold = Some(work);
                        self.candidates.foldings.insert(node, folding);
                    }
                }
                Err(refusal) => self.candidates.refusals.push((at, at, "with-loop-folding", refusal)),
            }
        }
    }

    fn pairs(&mut self, dependences: &BlockGraph, nodes: &BTreeMap<usize, Node>, forbidden: &Forbidden) {
        let loops: Vec<(usize, Node)> = nodes
            .iter()
            .filter(|(at, _)| matches!(self.block.stmts[**at].op, Op::With(_)))
            .map(|(&at, &node)| (at, node))
            .collect();
        for (i, &(first, one)) in loops.iter().enumerate() {
            for (distance, &(second, other)) in loops[i + 1..].iter().enumerate() {
                if loops.len() > MAX_PAIRED && distance >= NEAR {
                    break;
                }
                let (a, b) = (&self.block.stmts[first], &self.block.stmts[second]);
                if forbidden.pairs.contains(&(a.results[0], b.results[0])) {
                    continue;
                }
                match correspondence(self.func, a, b) {
                    // A nest is split for the sake of an array that both touch, and for nothing less.
                    Ok(Iterations::Outer { .. }) if !self.shares_array(one, other) => {}
                    Ok(_) => self.candidates.graph.pairs.push(Pair { first: one, second: other }),
                    Err(refusal) => {
                        if dependences.before[second].contains(&first) {
                            self.candidates.refusals.push((first, second, "with-loop-fusion", refusal));
                        }
                    }
                }
            }
        }
    }

    /// True if both nodes read an array, or one reads what the other makes.
    fn shares_array(&self, one: Node, other: Node) -> bool {
        let touches = |array: &ArrayData, node| array.producer == Some(node) || array.readers.contains(&node);
        self.candidates.graph.arrays.iter().any(|(_, array)| touches(array, one) && touches(array, other))
    }
}
