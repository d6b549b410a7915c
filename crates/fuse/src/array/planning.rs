//! Plans a block: builds its fusion graph, asks the planner for the best legal merges, and makes them by the rules.
//!
//! Blocks are planned inside out. One call makes one plan per block; whoever calls cleans up afterwards and calls again,
//! until nothing is left to merge: a merge may make others possible. A rule that refuses a merge of the plan (the graph
//! knows less than the rule) is logged, and the block is planned again without that merge.

use super::access::{Views, uses};
use super::assemble::{as_assembly, as_with_loop};
use super::block_graph::BlockGraph;
use super::generators::{Bounds, facts_at};
use super::operator_splitting::operator_splitting;
use super::refusal::Refusal;
use super::traffic::{SizeNames, Sizes};
use super::with_loop_folding::{self, Folding};
use super::with_loop_fusion::{correspondence, with_loop_fusion};
use super::{Options, each_block, iswim, reduce_interchange, with_loop_scalarisation};
use frit_ir::array::{Block, Func, Op, Operand, Operator, Stmt, Value, WithLoop};
use frit_plan::graph::{ArrayData, Graph, Node, NodeData, Pair, Size};
use frit_plan::log::{Decision, Log, LoopRef, Outcome, PlanRecord};
use frit_plan::solve::{Cost, Limits};
use frit_plan::{Symbol, solve};
use frit_simplify::sharing::Sharing;
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Plans and merges all blocks of a function; the number of merges.
pub(super) fn plan_function(func: &mut Func, options: &Options, log: &mut Log) -> usize {
    if func.with_loops.is_empty() {
        return 0;
    }
    let names = SizeNames::of(func);
    let mut planner = |func: &mut Func, pass: fn(&mut Planner) -> usize| {
        each_block(func, &mut |func, sharing, block| {
            if !block.stmts.iter().any(|stmt| matches!(stmt.op, Op::With(_))) {
                return 0;
            }
            pass(&mut Planner { func, sharing, block, options, log, names: &names, forbidden: Forbidden::default() })
        })
    };
    // Nests are looked at first, and what shares memory is found anew afterwards.
    planner(func, |planner| planner.nests()) + planner(func, |planner| planner.run())
}

/// A rule about one nest.
struct NestStep {
    name: &'static str,
    is_candidate: fn(&Func, &Stmt) -> bool,
    rewrite: fn(&mut Func, &Stmt) -> Result<Vec<Stmt>, Refusal>,
}

/// The rules about nests, in the order in which they are tried. They repeat no work worth mentioning and save memory, or
/// make merges possible that do, so they are made wherever they are legal.
const NEST_STEPS: &[NestStep] = &[
    // Interchanges make nests that can be flattened.
    NestStep { name: "iswim", is_candidate: iswim::is_candidate, rewrite: iswim::iswim },
    NestStep {
        name: "reduce-interchange",
        is_candidate: reduce_interchange::is_candidate,
        rewrite: reduce_interchange::reduce_interchange,
    },
    NestStep {
        name: "with-loop-scalarisation",
        is_candidate: with_loop_scalarisation::is_candidate,
        rewrite: with_loop_scalarisation::with_loop_scalarisation,
    },
];

/// Merges that a rule has refused, by the first results of the statements.
#[derive(Default)]
struct Forbidden {
    folds: BTreeSet<Value>,
    pairs: BTreeSet<(Value, Value)>,
}

struct Planner<'a> {
    func: &'a mut Func,
    sharing: &'a mut Sharing,
    block: &'a mut Block,
    options: &'a Options,
    log: &'a mut Log,
    names: &'a SizeNames,
    forbidden: Forbidden,
}

/// The graph of a block, and what its nodes are.
struct Candidates {
    graph: Graph,
    /// The statement of each node.
    positions: Table<Node, usize>,
    /// What may be folded.
    foldings: BTreeMap<Node, Folding>,
    /// What may not, and why.
    refusals: Vec<(usize, usize, &'static str, Refusal)>,
}

impl Planner<'_> {
    /// Applies the rules about nests.
    fn nests(&mut self) -> usize {
        let mut count = 0;
        for step in NEST_STEPS {
            let mut at = 0;
            while at < self.block.stmts.len() {
                if self.is_at_limit() {
                    return count;
                }
                if !(step.is_candidate)(self.func, &self.block.stmts[at]) {
                    at += 1;
                    continue;
                }
                let nest = self.loop_ref(at);
                match (step.rewrite)(self.func, &self.block.stmts[at]) {
                    Ok(stmts) => {
                        let made = stmts.len();
                        self.block.stmts.splice(at..=at, stmts);
                        let saved = Cost { bytes: Size::zero(), held: Size::zero(), work: Size::zero() };
                        let outcome = Outcome::Merged { into: nest.label.clone(), saved, passes: 0 };
                        self.decide(step.name, nest.clone(), nest, outcome);
                        count += 1;
                        at += made;
                    }
                    Err(refusal) => {
                        self.decide(step.name, nest.clone(), nest, refused(&refusal));
                        at += 1;
                    }
                }
            }
        }
        count
    }

    /// Plans the block and makes the plan.
    fn run(&mut self) -> usize {
        let assembled = self.assembled();
        if assembled.is_empty() {
            return self.plan();
        }
        let (func, block) = (self.func.clone(), self.block.clone());
        let converted: Vec<Value> = assembled.into_iter().filter(|&result| self.disassemble(result)).collect();
        let merged = self.plan();
        if merged == 0 {
            *self.func = func;
            *self.block = block;
        } else {
            converted.into_iter().for_each(|result| self.assemble(result));
        }
        merged
    }

    /// The results of statements that put an array together from what loops make, or for loops: as loops they may be merged.
    fn assembled(&self) -> Vec<Value> {
        let is_loop = |stmt: &Stmt| matches!(stmt.op, Op::With(_));
        let made: BTreeSet<Value> = self
            .block
            .stmts
            .iter()
            .filter(|stmt| is_loop(stmt))
            .flat_map(|stmt| stmt.results.iter().copied())
            .collect();
        let is_read = |value: Value| {
            self.block.stmts.iter().any(|stmt| {
                is_loop(stmt)
                    && !uses(self.func, stmt, &BTreeSet::from([value]), &Views::new(), usize::MAX).sites.is_empty()
            })
        };
        let mut found = Vec::new();
        for stmt in &self.block.stmts {
            let sources: &[Value] = match &stmt.op {
                Op::Concat { arrays } => arrays,
                Op::Copy { array } if made.contains(array) => std::slice::from_ref(array),
                _ => continue,
            };
            if sources.iter().any(|source| made.contains(source)) || is_read(stmt.results[0]) {
                found.push(stmt.results[0]);
            }
        }
        found
    }

    /// Makes a with-loop of a statement that puts an array together; false if that is impossible.
    fn disassemble(&mut self, result: Value) -> bool {
        let at = self.position(result);
        let mut facts = facts_at(self.func, self.block, at);
        let stmt = self.block.stmts[at].clone();
        let mut bounds = Bounds::new(self.func, &mut facts, stmt.span);
        let Some(data) = as_with_loop(&mut bounds, &stmt) else { return false };
        let (before, certs) = bounds.finish();
        let label = self.func.with_loops.push(data);
        self.block.stmts[at].op = Op::With(label);
        self.block.stmts[at].certs.extend(certs);
        self.block.stmts.splice(at..at, before);
        true
    }

    /// Makes the cheap primitive again of a with-loop that nothing was merged with.
    fn assemble(&mut self, result: Value) {
        let Some(at) = self.block.stmts.iter().position(|stmt| stmt.results == [result]) else { return };
        let Op::With(label) = self.block.stmts[at].op else { return };
        let mut facts = facts_at(self.func, self.block, at);
        let data = self.func.with_loops[label].clone();
        let mut bounds = Bounds::new(self.func, &mut facts, data.span);
        let Some((op, certs)) = as_assembly(&mut bounds, &data) else { return };
        let (before, more) = bounds.finish();
        let stmt = &mut self.block.stmts[at];
        stmt.op = op;
        stmt.certs.extend(certs.into_iter().chain(more));
        self.block.stmts.splice(at..at, before);
    }

    fn plan(&mut self) -> usize {
        let mut merged = 0;
        self.split();
        loop {
            let candidates = self.candidates();
            if candidates.foldings.is_empty() && candidates.graph.pairs.is_empty() {
                self.refuse(&candidates.refusals);
                return merged;
            }
            let plan = solve(&candidates.graph, &Limits::default());
            let is_idle = plan.folded.is_empty() && plan.clusters.iter().all(|cluster| cluster.len() == 1);
            let span = self.block.stmts.first().map_or(self.func.span, |stmt| stmt.span);
            if !is_idle {
                self.log.plans.push(PlanRecord {
                    function: self.func.name.clone(),
                    span,
                    nodes: candidates.graph.nodes.len(),
                    method: plan.method,
                    before: plan.before.clone(),
                    after: plan.after.clone(),
                });
            }
            match self.make(&candidates, &plan) {
                Ok(count) => {
                    self.refuse(&candidates.refusals);
                    return merged + count;
                }
                // What was made before the refusal stays made; the rest is planned anew.
                Err(count) => merged += count,
            }
        }
    }

    /// Splits loops of which some results can be folded and others not, where the planner would fold them then.
    fn split(&mut self) {
        let partial: Vec<(Value, BTreeSet<Value>)> = (0..self.block.stmts.len())
            .filter(|&at| matches!(self.block.stmts[at].op, Op::With(_)))
            .filter_map(|at| with_loop_folding::prove(self.func, self.block, self.sharing, at).ok().flatten())
            .filter(|folding| !folding.is_whole)
            .map(|folding| (*folding.arrays.first().expect("an array is folded"), folding.arrays))
            .collect();
        if partial.is_empty() || self.is_at_limit() {
            return;
        }
        let (func, block) = (self.func.clone(), self.block.clone());
        let split: Vec<(Value, BTreeSet<Value>)> =
            partial.into_iter().filter(|(first, results)| self.split_off(*first, results).is_some()).collect();
        let candidates = self.candidates();
        let plan = solve(&candidates.graph, &Limits::default());
        let folded: BTreeSet<Value> =
            plan.folded.iter().map(|&node| self.block.stmts[candidates.positions[node]].results[0]).collect();
        *self.func = func;
        *self.block = block;
        for (first, results) in split.iter().filter(|(first, _)| folded.contains(first)) {
            let at = self.position(*first);
            let whole = self.loop_ref(at);
            let label = self.split_off(*first, results).expect("it could be split before");
            let saved = Cost { bytes: Size::zero(), held: Size::zero(), work: Size::zero() };
            let outcome = Outcome::Merged { into: label.to_string(), saved, passes: 0 };
            self.decide("operator-splitting", whole.clone(), whole, outcome);
        }
    }

    /// Splits off some results of a loop, unless that is wrong.
    fn split_off(&mut self, first: Value, results: &BTreeSet<Value>) -> Option<WithLoop> {
        let at = self.position(first);
        operator_splitting(self.func, self.block, self.sharing, at, results).ok()
    }

    fn candidates(&mut self) -> Candidates {
        let mut builder = GraphBuilder::new(self.func, self.block, self.sharing, self.log, self.names);
        builder.build(&self.forbidden);
        builder.finish()
    }

    /// Makes the merges of a plan; how many. `Err` if a rule refused one, after so many.
    fn make(&mut self, candidates: &Candidates, plan: &frit_plan::Plan) -> Result<usize, usize> {
        // Positions shift while merges are made; the first result of a statement names it.
        let key = |block: &Block, node: Node| block.stmts[candidates.positions[node]].results[0];
        let folded: Vec<Value> = plan.folded.iter().map(|&node| key(self.block, node)).collect();
        let clusters: Vec<Vec<Value>> = plan
            .clusters
            .iter()
            .filter(|c| c.len() > 1)
            .map(|c| c.iter().map(|&n| key(self.block, n)).collect())
            .collect();
        let mut count = 0;
        for producer in folded {
            if self.is_at_limit() {
                return Ok(count);
            }
            let at = self.position(producer);
            let first = self.loop_ref(at);
            match with_loop_folding::prove(self.func, self.block, self.sharing, at) {
                Ok(None) => {}
                Ok(Some(folding)) => {
                    let second = self.loop_ref(folding.consumers[0]);
                    let saved = self.saved(&folding.arrays, folding.consumers.len(), folding.repeated, at);
                    with_loop_folding::apply(self.func, self.block, self.sharing, &folding);
                    let into = second.label.clone();
                    self.decide("with-loop-folding", first, second, Outcome::Merged { into, saved, passes: 1 });
                    count += 1;
                }
                Err(refusal) => {
                    self.forbidden.folds.insert(producer);
                    self.decide("with-loop-folding", first.clone(), first, refused(&refusal));
                    return Err(count);
                }
            }
        }
        for cluster in clusters {
            let mut first = cluster[0];
            for &second in &cluster[1..] {
                if self.is_at_limit() {
                    return Ok(count);
                }
                let (mut at, mut to) = (self.position(first), self.position(second));
                if at > to {
                    std::mem::swap(&mut at, &mut to);
                }
                let refs = (self.loop_ref(at), self.loop_ref(to));
                let vanishing = self.vanishing(at, to);
                let saved = self.saved(&vanishing, 1, 0, at);
                match with_loop_fusion(self.func, self.block, self.sharing, at, to) {
                    Ok(label) => {
                        let outcome = Outcome::Merged { into: label.to_string(), saved, passes: 1 };
                        self.decide("with-loop-fusion", refs.0, refs.1, outcome);
                        count += 1;
                        first = self.result_of(label);
                    }
                    Err(refusal) => {
                        self.forbidden.pairs.insert((first, second));
                        self.forbidden.pairs.insert((second, first));
                        self.decide("with-loop-fusion", refs.0, refs.1, refused(&refusal));
                        return Err(count);
                    }
                }
            }
        }
        Ok(count)
    }

    fn is_at_limit(&self) -> bool {
        self.options.limit.is_some_and(|limit| self.log.merged >= limit)
    }

    fn position(&self, result: Value) -> usize {
        let found = self.block.stmts.iter().position(|stmt| stmt.results.contains(&result));
        found.expect("a merge keeps the results of the loops that it merges")
    }

    fn result_of(&self, label: WithLoop) -> Value {
        let is_it = |stmt: &&Stmt| matches!(stmt.op, Op::With(w) if w == label);
        self.block.stmts.iter().find(is_it).expect("the fused loop is in the block").results[0]
    }

    /// The arrays of the first loop that only the second reads, which are not stored when the two are one.
    fn vanishing(&self, first: usize, second: usize) -> BTreeSet<Value> {
        let results = self.block.stmts[first].results.iter().copied();
        let arrays = results.filter(|&result| !self.func.ty(result).is_scalar());
        let is_read = |array: Value, at: usize| {
            super::block_graph::used_values(self.func, &self.block.stmts[at]).contains(&array)
        };
        arrays
            .filter(|&array| {
                is_read(array, second)
                    && !self.block.results.contains(&array.into())
                    && (first + 1..self.block.stmts.len()).all(|at| at == second || !is_read(array, at))
            })
            .collect()
    }

    fn saved(&mut self, arrays: &BTreeSet<Value>, readers: usize, repeated: u64, at: usize) -> Cost {
        let sizes = Sizes::of(self.func);
        let mut cost = Cost { bytes: Size::zero(), held: Size::zero(), work: Size::zero() };
        let mut symbols = SymbolTable { names: self.names, log: self.log, known: BTreeMap::new() };
        for &array in arrays {
            let bytes = symbols.size(&sizes.bytes(self.func.ty(array)));
            cost.bytes += &bytes.scale(1 + readers as i64);
            cost.held += &bytes;
        }
        if repeated > 0
            && let Op::With(label) = &self.block.stmts[at].op
        {
            let elements = symbols.size(&sizes.elements(&self.func.with_loops[*label].space));
            cost.work = elements.scale(-(repeated as i64));
        }
        cost
    }

    fn loop_ref(&self, at: usize) -> LoopRef {
        loop_ref(self.func, &self.block.stmts[at])
    }

    fn refuse(&mut self, refusals: &[(usize, usize, &'static str, Refusal)]) {
        for (first, second, rule, refusal) in refusals {
            if *first < self.block.stmts.len() && *second < self.block.stmts.len() {
                let (first, second) = (self.loop_ref(*first), self.loop_ref(*second));
                self.decide(rule, first, second, refused(refusal));
            }
        }
    }

    fn decide(&mut self, rule: &'static str, first: LoopRef, second: LoopRef, outcome: Outcome) {
        if matches!(outcome, Outcome::Merged { .. }) {
            self.log.merged += 1;
        }
        self.log.decisions.push(Decision { rule, function: self.func.name.clone(), first, second, outcome });
    }
}

fn refused(refusal: &Refusal) -> Outcome {
    let place = Some(refusal.span()).filter(|span| !span.is_none());
    Outcome::Refused { code: refusal.code(), reason: refusal.reason(), place }
}

/// A statement as a report names it.
fn loop_ref(func: &Func, stmt: &Stmt) -> LoopRef {
    let names =
        stmt.results.iter().filter_map(|&result| func.values[result].name.as_ref().map(|name| name.to_string()));
    let mut names: Vec<String> = names.collect();
    names.dedup();
    let (label, kind) = match &stmt.op {
        Op::With(w) => (w.to_string(), loop_kind(func, *w)),
        Op::Loop(_) => (String::new(), "loop"),
        Op::If { .. } => (String::new(), "if"),
        Op::Call { .. } => (String::new(), "call"),
        Op::Index { .. } => (String::new(), "index"),
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Select { .. }
        | Op::View { .. }
        | Op::Table { .. }
        | Op::ArrayLit { .. }
        | Op::Iota { .. }
        | Op::Replicate { .. }
        | Op::Concat { .. }
        | Op::Copy { .. }
        | Op::Update { .. }
        | Op::Assert { .. }
        | Op::Conjoin { .. } => (String::new(), "statement"),
    };
    LoopRef { label, kind, names, span: stmt.span }
}

/// The kind of a with-loop in the words of array languages.
fn loop_kind(func: &Func, label: WithLoop) -> &'static str {
    let data = &func.with_loops[label];
    let (mut folds, mut maps, mut others) = (0, 0, None);
    for operator in &data.operators {
        match operator.op {
            Operator::Fold { .. } => folds += 1,
            Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => maps += 1,
            Operator::Scan { .. } => others = Some("scan"),
            Operator::Filter { .. } => others = Some("filter"),
        }
    }
    match (others, folds, maps) {
        (Some(kind), _, _) => kind,
        (None, 0, _) => "map",
        (None, _, 0) if data.generators.iter().all(|generator| generator.body.stmts.len() <= 1) => "reduce",
        (None, _, _) => "redomap",
    }
}

/// Sizes of the function as symbols of the log.
struct SymbolTable<'a> {
    names: &'a SizeNames,
    log: &'a mut Log,
    known: BTreeMap<Value, Symbol>,
}

impl SymbolTable<'_> {
    fn size(&mut self, poly: &frit_support::Poly<Value>) -> Size {
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

/// Builds the graph of a block.
struct GraphBuilder<'a> {
    func: &'a Func,
    block: &'a Block,
    sharing: &'a mut Sharing,
    symbols: SymbolTable<'a>,
    candidates: Candidates,
}

impl<'a> GraphBuilder<'a> {
    fn new(func: &'a Func, block: &'a Block, sharing: &'a mut Sharing, log: &'a mut Log, names: &'a SizeNames) -> Self {
        let candidates = Candidates {
            graph: Graph::default(),
            positions: Table::new(),
            foldings: BTreeMap::new(),
            refusals: Vec::new(),
        };
        let symbols = SymbolTable { names, log, known: BTreeMap::new() };
        Self { func, block, sharing, symbols, candidates }
    }

    fn build(&mut self, forbidden: &Forbidden) {
        let dependences = BlockGraph::of(self.func, self.block, self.sharing);
        let relevant = self.relevant(&dependences);
        let mut nodes: BTreeMap<usize, Node> = BTreeMap::new();
        for &at in &relevant {
            let stmt = &self.block.stmts[at];
            let (name, generators) = match &stmt.op {
                Op::With(w) => (w.to_string(), self.func.with_loops[*w].generators.len().max(1) as u32),
                _ => (stmt.results.first().map_or_else(String::new, ToString::to_string), 1),
            };
            let node = self.candidates.graph.nodes.push(NodeData { name, generators, fold: None });
            self.candidates.positions.push(at);
            nodes.insert(at, node);
        }
        self.arrays(&nodes);
        self.orders(&dependences, &nodes);
        self.folds(&nodes, forbidden);
        self.pairs(&dependences, &nodes, forbidden);
    }

    fn finish(mut self) -> Candidates {
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
        (0..count).filter(|&at| is_loop(at) || behind[at] && ahead[at] || reads(at)).collect()
    }

    fn arrays(&mut self, nodes: &BTreeMap<usize, Node>) {
        let sizes = Sizes::of(self.func);
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
            for value in super::block_graph::used_values(self.func, stmt) {
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
            if !made_by_loop && !by.iter().any(|at| is_with(at)) {
                continue;
            }
            let bytes = self.symbols.size(&sizes.bytes(self.func.ty(value)));
            let kept = escaping.contains(&value)
                || !made_by_loop
                || by.iter().any(|at| !nodes.contains_key(at))
                || by.iter().any(|at| {
                    let found =
                        uses(self.func, &self.block.stmts[*at], &BTreeSet::from([value]), &Views::new(), usize::MAX);
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
            for before in &dependences.before[at] {
                if let Some(&earlier) = nodes.get(before)
                    && !through_array.contains(&(earlier, node))
                {
                    graph.orders.push((earlier, node));
                }
            }
        }
    }

    fn folds(&mut self, nodes: &BTreeMap<usize, Node>, forbidden: &Forbidden) {
        let sizes = Sizes::of(self.func);
        for (&at, &node) in nodes {
            let stmt = &self.block.stmts[at];
            let Op::With(label) = &stmt.op else { continue };
            if forbidden.folds.contains(&stmt.results[0]) {
                continue;
            }
            match with_loop_folding::prove(self.func, self.block, self.sharing, at) {
                Ok(None) => {}
                Ok(Some(folding)) => {
                    if folding.is_whole {
                        let elements = sizes.elements(&self.func.with_loops[*label].space);
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
            for &(second, other) in &loops[i + 1..] {
                let (a, b) = (&self.block.stmts[first], &self.block.stmts[second]);
                if forbidden.pairs.contains(&(a.results[0], b.results[0])) {
                    continue;
                }
                match correspondence(self.func, a, b) {
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
}
