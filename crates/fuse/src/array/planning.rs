//! Plans a block: builds its fusion graph, asks the planner for the best legal merges, and makes them by the rules.
//!
//! Blocks are planned inside out. One call makes one plan per block; whoever calls cleans up afterwards and calls again,
//! until nothing is left to merge: a merge may make others possible. A rule that refuses a merge of the plan (the graph
//! knows less than the rule) is logged, and the block is planned again without that merge.

mod enabling;

use super::block_graph::{Mentions, Touches, used_values};
use super::checkpoint::Checkpoint;
use super::fusion_graph::{Candidates, Foldings, Forbidden, GraphBuilder, SymbolTable};
use super::operator_splitting::operator_splitting;
use super::refusal::Refusal;
use super::stretches::each_stretch;
use super::traffic::{SizeNames, Sizes};
use super::with_loop_folding::{self, Folding};
use super::with_loop_fusion::with_loop_fusion;
use super::{
    Options, Scalarise, iswim, loop_absorption, loop_interchange, loop_parallelisation, reduce_interchange,
    with_loop_scalarisation,
};
use enabling::Enabling;
use frit_ir::array::{Block, Extent, Func, Op, Operand, Operator, Stmt, Value, View, WithLoop, ops};
use frit_plan::graph::Node;
use frit_plan::log::{Decision, Log, LoopRef, Outcome, PlanRecord};
use frit_plan::solve::{self, Cost, Limits, Plan};
use frit_simplify::sharing::Sharing;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Plans and merges all blocks of a function; the number of merges.
pub(super) fn plan_function(func: &mut Func, options: &Options, log: &mut Log) -> usize {
    let names = SizeNames::of(func);
    let carried = carried_values(func);
    let mut planner = |func: &mut Func, is_looked_at: fn(&Op) -> bool, pass: fn(&mut Planner) -> usize| {
        each_stretch(func, &mut |func, sharing, block| {
            if !block.stmts.iter().any(|stmt| is_looked_at(&stmt.op)) {
                return 0;
            }
            let sizes = Sizes::of(func);
            pass(&mut Planner {
                func,
                sharing,
                block,
                options,
                log,
                names: &names,
                sizes: &sizes,
                carried: &carried,
                forbidden: Forbidden::default(),
                folded: BTreeSet::new(),
                touches: Touches::default(),
                skipped: BTreeMap::new(),
                foldings: Foldings::new(),
                mentions: None,
            })
        })
    };
    // Nests are looked at first, and what shares memory is found anew afterwards.
    planner(func, |op| matches!(op, Op::With(_) | Op::Loop(_)), |planner| planner.nests())
        + planner(func, |op| matches!(op, Op::With(_)), |planner| planner.run())
}

/// The parameters of all sequential loops of a function.
fn carried_values(func: &Func) -> BTreeSet<Value> {
    fn collect(func: &Func, block: &Block, found: &mut BTreeSet<Value>) {
        for stmt in &block.stmts {
            if let Op::Loop(data) = &stmt.op {
                found.extend(&data.params);
            }
            stmt.op.for_each_block(func, &mut |inner| collect(func, inner, found));
        }
    }
    let mut found = BTreeSet::new();
    collect(func, &func.body, &mut found);
    found
}

/// A rule about one nest.
struct NestStep {
    name: &'static str,
    is_candidate: fn(&Func, &Stmt) -> bool,
    /// Whether it is worth it when no merge follows.
    pays: fn(&Func, &Stmt) -> bool,
    /// Whether, at this position, it stands in the way of other merges.
    hinders: fn(&Planner, usize) -> bool,
    /// Whether, at this position, it may make merges possible that are worth it.
    enables: fn(&Planner, usize) -> bool,
    rewrite: fn(&mut Planner, usize) -> Result<Vec<Stmt>, Refusal>,
}

/// The rules about nests, in the order in which they are tried. They repeat no work worth mentioning.
const NEST_STEPS: &[NestStep] = &[
    NestStep {
        name: "loop-absorption",
        is_candidate: loop_absorption::is_candidate,
        pays: |_, _| true,
        hinders: |_, _| false,
        enables: |_, _| false,
        rewrite: |planner, at| loop_absorption::loop_absorption(planner.func, planner.block, at),
    },
    NestStep {
        name: "loop-parallelisation",
        is_candidate: loop_parallelisation::is_candidate,
        pays: |_, _| true,
        hinders: |_, _| false,
        enables: |_, _| false,
        rewrite: |planner, at| loop_parallelisation::parallelisation_that_pays(planner.func, planner.block, at),
    },
    // Interchanges make nests that can be flattened.
    NestStep {
        name: "iswim",
        is_candidate: iswim::is_candidate,
        pays: iswim::pays,
        hinders: |_, _| false,
        enables: |planner, at| planner.is_read_by_columns(at),
        rewrite: |planner, at| iswim::iswim(planner.func, &planner.block.stmts[at]),
    },
    NestStep {
        name: "reduce-interchange",
        is_candidate: reduce_interchange::is_candidate,
        pays: reduce_interchange::pays,
        hinders: |_, _| false,
        // Lowering walks such reductions along rows again.
        enables: |planner, at| planner.has_neighbour(at),
        rewrite: |planner, at| reduce_interchange::reduce_interchange(planner.func, &planner.block.stmts[at]),
    },
    NestStep {
        name: "loop-interchange",
        is_candidate: loop_interchange::is_candidate,
        pays: loop_interchange::pays,
        hinders: |_, _| false,
        enables: |_, _| false,
        rewrite: |planner, at| loop_interchange::loop_interchange(planner.func, &planner.block.stmts[at]),
    },
    NestStep {
        name: "with-loop-scalarisation",
        is_candidate: with_loop_scalarisation::is_candidate,
        pays: with_loop_scalarisation::pays,
        hinders: |planner, at| planner.has_literal_sibling(at),
        enables: |_, _| false,
        rewrite: |planner, at| {
            let stmt = &planner.block.stmts[at];
            match planner.options.scalarise {
                Scalarise::Conservative => with_loop_scalarisation::conservative_scalarisation(planner.func, stmt),
                Scalarise::Aggressive => with_loop_scalarisation::with_loop_scalarisation(planner.func, stmt),
            }
        },
    },
];

struct Planner<'a> {
    func: &'a mut Func,
    sharing: &'a mut Sharing,
    block: &'a mut Block,
    options: &'a Options,
    log: &'a mut Log,
    names: &'a SizeNames,
    sizes: &'a Sizes,
    /// The parameters of sequential loops.
    carried: &'a BTreeSet<Value>,
    forbidden: Forbidden,
    /// Results of loops that were folded.
    folded: BTreeSet<Value>,
    /// What the statements of the block use.
    touches: Touches,
    /// Rewritings that would have made too many generators, by the first results of the loops.
    skipped: BTreeMap<(Value, Value), (&'static str, Refusal)>,
    /// What folding each loop would come to, by its first result, as long as nothing changes.
    foldings: Foldings,
    /// Where, as long as nothing changes.
    mentions: Option<Rc<Mentions>>,
}

impl Planner<'_> {
    /// What folding the loop at this position would come to.
    fn folding(&mut self, at: usize) -> Result<Option<Folding>, Refusal> {
        let result = self.block.stmts[at].results[0];
        if let Some(known) = self.foldings.get(&result) {
            return known.clone();
        }
        let found = self.prove_folding(at);
        self.foldings.insert(result, found.clone());
        found
    }

    fn prove_folding(&mut self, at: usize) -> Result<Option<Folding>, Refusal> {
        let mentions = match &self.mentions {
            Some(mentions) => mentions.clone(),
            None => Rc::new(self.touches.mentions(self.func, self.block)),
        };
        self.mentions = Some(mentions.clone());
        let most = self.options.most_repeated;
        with_loop_folding::prove(self.func, self.block, self.sharing, &mut self.touches, &mentions, at, most)
    }

    /// Statements of the block have changed.
    fn changed(&mut self) {
        self.touches.forget_all();
        self.merged();
    }

    /// So have some, and what they touch is forgotten already.
    fn merged(&mut self) {
        self.mentions = None;
        self.foldings.clear();
    }

    /// Applies the rules about nests where they pay by themselves.
    fn nests(&mut self) -> usize {
        let mut count = 0;
        for step in NEST_STEPS {
            let mut at = 0;
            while at < self.block.stmts.len() {
                if self.is_at_limit() {
                    return count;
                }
                let stmt = &self.block.stmts[at];
                let pays = |stmt| (step.pays)(self.func, stmt) && !(step.hinders)(self, at) || (step.enables)(self, at);
                if !(step.is_candidate)(self.func, stmt) || !pays(stmt) {
                    at += 1;
                    continue;
                }
                let nest = self.loop_ref(at);
                match (step.rewrite)(self, at) {
                    Ok(stmts) => {
                        let made = stmts.len();
                        let into = loop_ref(self.func, &stmts[0]).label;
                        self.block.stmts.splice(at..=at, stmts);
                        let saved = Cost::default();
                        let outcome = Outcome::Merged { into, saved, passes: 0 };
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

    /// True if a with-loop of the block makes what the one at this position reads, or reads what that makes, maybe through views.
    fn has_neighbour(&self, at: usize) -> bool {
        let stmts = &self.block.stmts;
        let loops = || stmts.iter().enumerate().filter(|(other, stmt)| *other != at && matches!(stmt.op, Op::With(_)));
        let used = used_values(self.func, &stmts[at]);
        let mut made: BTreeSet<Value> = stmts[at].results.iter().copied().collect();
        for stmt in &stmts[at + 1..] {
            if let Op::View { array, .. } = &stmt.op
                && made.contains(array)
            {
                made.insert(stmt.results[0]);
            }
        }
        let mut of_loops: BTreeSet<Value> = loops().flat_map(|(_, stmt)| stmt.results.iter().copied()).collect();
        for stmt in &stmts[..at] {
            if let Op::View { array, .. } = &stmt.op
                && of_loops.contains(array)
            {
                of_loops.insert(stmt.results[0]);
            }
        }
        let is_array = |value: &&Value| !self.func.ty(**value).is_scalar();
        used.intersection(&of_loops).any(|value| is_array(&value))
            || loops().any(|(_, stmt)| used_values(self.func, stmt).intersection(&made).any(|value| is_array(&value)))
    }

    /// True if a loop of the block makes rows of the same shape that stay literals: flat, this one could not be merged with it.
    fn has_literal_sibling(&self, at: usize) -> bool {
        let rows = |stmt: &Stmt| -> Vec<Vec<Extent>> {
            let Op::With(label) = stmt.op else { return Vec::new() };
            let rank = self.func.with_loops[label].space.len();
            stmt.results.iter().filter_map(|&r| self.func.ty(r).shape.get(rank..).map(<[Extent]>::to_vec)).collect()
        };
        let own = rows(&self.block.stmts[at]);
        let is_alike = |stmt: &Stmt| rows(stmt).iter().any(|row| !row.is_empty() && own.contains(row));
        let others = self.block.stmts.iter().enumerate().filter(|(other, stmt)| *other != at && is_alike(stmt));
        others.map(|(_, other)| other).any(|other| {
            with_loop_scalarisation::is_candidate(self.func, other) && !with_loop_scalarisation::pays(self.func, other)
        })
    }

    /// True if an interchange of the nest at this position could make a merge possible that is worth longer strides: a loop of the
    /// block reads what the nest makes by columns, through a permutation, and would else walk down columns in memory.
    fn is_read_by_columns(&self, at: usize) -> bool {
        let mut columns: BTreeSet<Value> = BTreeSet::new();
        for stmt in &self.block.stmts[at + 1..] {
            match &stmt.op {
                Op::View { array, view: View::Permute { .. } } if self.block.stmts[at].results.contains(array) => {
                    columns.insert(stmt.results[0]);
                }
                Op::With(_) if !columns.is_disjoint(&used_values(self.func, stmt)) => return true,
                Op::With(label) if self.reads_down_columns(*label, &self.block.stmts[at].results) => return true,
                _ => {}
            }
        }
        false
    }

    /// True if the loop reads one of these arrays at its own indices in another order.
    fn reads_down_columns(&self, label: WithLoop, arrays: &[Value]) -> bool {
        fn search(func: &Func, block: &Block, arrays: &[Value], around: &mut Vec<Value>) -> bool {
            block.stmts.iter().any(|stmt| {
                if let Op::Index { array, indices } = &stmt.op
                    && arrays.contains(array)
                {
                    let place = |index: &Operand| around.iter().position(|&own| *index == Operand::Value(own));
                    let places: Vec<usize> = indices.iter().filter_map(place).collect();
                    return places.windows(2).any(|pair| pair[0] > pair[1]);
                }
                let depth = around.len();
                if let Op::With(inner) = stmt.op {
                    around.extend(&func.with_loops[inner].indices);
                }
                let mut found = false;
                stmt.op.for_each_block(func, &mut |inner| found |= search(func, inner, arrays, around));
                around.truncate(depth);
                found
            })
        }
        let data = &self.func.with_loops[label];
        let mut around = data.indices.clone();
        data.generators.iter().any(|generator| search(self.func, &generator.body, arrays, &mut around))
    }

    /// Plans the block and makes the plan. What may enable merges is rewritten first; a rewriting that enables none is
    /// taken back.
    fn run(&mut self) -> usize {
        let count = self.planned();
        for ((first, second), (rule, refusal)) in std::mem::take(&mut self.skipped) {
            let place = |result| self.block.stmts.iter().position(|stmt| stmt.results.contains(&result));
            if let (Some(first), Some(second)) = (place(first), place(second)) {
                self.refuse(&[(first, second, rule, refusal)]);
            }
        }
        count
    }

    fn planned(&mut self) -> usize {
        let mut enabling = self.enabling();
        loop {
            if enabling.is_empty() {
                return self.plan().0;
            }
            let checkpoint = Checkpoint::of_all(self.func, self.block);
            let marks = (self.log.decisions.len(), self.log.plans.len());
            let made: Vec<(Enabling, BTreeSet<Value>)> = std::mem::take(&mut enabling)
                .into_iter()
                .filter_map(|rewriting| Some((rewriting, self.rewrite(rewriting)?)))
                .collect();
            self.changed();
            let (count, merged) = self.plan();
            let was_worth_it = |(rewriting, results): &(Enabling, BTreeSet<Value>)| match rewriting {
                Enabling::Flatten(result) => self.folded.contains(result),
                Enabling::Disassemble(_) | Enabling::Partition(_) | Enabling::Align(..) | Enabling::Hull(..) => {
                    results.iter().all(|result| merged.contains(result))
                }
            };
            if made.iter().all(was_worth_it) {
                return count;
            }
            enabling = made.iter().filter(|made| was_worth_it(made)).map(|(rewriting, _)| *rewriting).collect();
            checkpoint.restore(self.func, self.block);
            self.changed();
            self.folded.clear();
            self.forbidden = Forbidden::default();
            self.log.decisions.truncate(marks.0);
            self.log.plans.truncate(marks.1);
        }
    }

    /// Plans until a plan is made without a refusal: the number of merges, and the results of what was merged.
    fn plan(&mut self) -> (usize, BTreeSet<Value>) {
        let mut merged = BTreeSet::new();
        self.split();
        let mut count = self.fold_chains(&mut merged);
        loop {
            let candidates = self.candidates();
            if candidates.foldings.is_empty() && candidates.graph.pairs.is_empty() {
                self.refuse(&candidates.refusals);
                return (count, merged);
            }
            let plan = self.solve(&candidates);
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
            match self.make(&candidates, &plan, &mut merged) {
                Ok(made) => {
                    if made == 0 {
                        self.leave_out(&candidates);
                    }
                    self.refuse(&candidates.refusals);
                    return (count + made, merged);
                }
                // What was made before the refusal stays made; the rest is planned anew.
                Err(made) => count += made,
            }
        }
    }

    /// Splits loops of which some results can be folded and others not, where the planner would fold them then.
    fn split(&mut self) {
        let loops: Vec<usize> =
            (0..self.block.stmts.len()).filter(|&at| matches!(self.block.stmts[at].op, Op::With(_))).collect();
        let partial: Vec<(Value, BTreeSet<Value>)> = loops
            .into_iter()
            .filter_map(|at| self.folding(at).ok().flatten())
            .filter(|folding| !folding.is_whole)
            .map(|folding| (*folding.arrays.first().expect("an array is folded"), folding.arrays))
            .collect();
        if partial.is_empty() || self.is_at_limit() {
            return;
        }
        let (split, folded) = self.folded_after(|planner| -> Vec<(Value, BTreeSet<Value>)> {
            partial.into_iter().filter(|(first, results)| planner.split_off(*first, results).is_some()).collect()
        });
        for (first, results) in split.iter().filter(|(first, _)| folded.contains(first)) {
            let at = self.position(*first);
            let whole = self.loop_ref(at);
            let label = self.split_off(*first, results).expect("it could be split before");
            let saved = Cost::default();
            let outcome = Outcome::Merged { into: label.to_string(), saved, passes: 0 };
            self.decide("operator-splitting", whole.clone(), whole, outcome);
        }
    }

    /// What a change of the block comes to, and the first results of the loops that a plan would fold after it. The change is taken back.
    fn folded_after<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> (T, BTreeSet<Value>) {
        let checkpoint = Checkpoint::of_all(self.func, self.block);
        let (decisions, folded_before) = (self.log.decisions.len(), self.folded.clone());
        let changed = change(self);
        let candidates = self.candidates();
        let plan = self.solve(&candidates);
        let result = |&node: &Node| self.block.stmts[candidates.positions[node]].results[0];
        let folded = plan.folded.iter().map(result).collect();
        checkpoint.restore(self.func, self.block);
        self.changed();
        self.log.decisions.truncate(decisions);
        self.folded = folded_before;
        (changed, folded)
    }

    /// Folds loops into their only readers where the planner would then fold those: a plan folds no loop into one that it folds, so
    /// that of a chain of loops that is read several times it would keep one array. Only chains of maps of one array: of others,
    /// as of the partial sums of a stencil, one array is worth keeping. How many were folded.
    fn fold_chains(&mut self, merged: &mut BTreeSet<Value>) -> usize {
        let mut chains: Vec<(Value, Value)> = Vec::new();
        for at in 0..self.block.stmts.len() {
            if super::is_with(self.block, at)
                && let Ok(Some(folding)) = self.folding(at)
                && let [reader] = folding.consumers[..]
                && folding.is_whole
                && folding.repeated == 0
                && folding.evaluations.is_once()
                && [at, reader].iter().all(|&at| with_loop_folding::reads_one(self.func, &self.block.stmts[at]))
                && self.folding(reader).is_ok_and(|folding| folding.is_some_and(|folding| folding.is_whole))
            {
                chains.push((self.block.stmts[at].results[0], self.block.stmts[reader].results[0]));
            }
        }
        // Only those count whose last loop is read several times.
        let mut repeated: BTreeSet<Value> = BTreeSet::new();
        for &(producer, reader) in chains.iter().rev() {
            let of_reader = self.folding(self.position(reader));
            if repeated.contains(&reader) || of_reader.is_ok_and(|f| f.is_some_and(|f| !f.evaluations.is_once())) {
                repeated.insert(producer);
            }
        }
        chains.retain(|(producer, _)| repeated.contains(producer));
        if chains.is_empty() || self.is_at_limit() {
            return 0;
        }
        let ((), mut folded) = self.folded_after(|planner| {
            for &(producer, _) in &chains {
                let _ = planner.fold(producer, &mut BTreeSet::new());
            }
        });
        for (producer, reader) in chains.iter().rev() {
            if folded.contains(reader) {
                folded.insert(*producer);
            }
        }
        let mut count = 0;
        for (producer, _) in chains.iter().filter(|(_, reader)| folded.contains(reader)) {
            if self.is_at_limit() {
                break;
            }
            count += usize::from(self.fold(*producer, merged) == Ok(true));
        }
        count
    }

    /// Folds a loop into its readers and logs that; false if there are none.
    fn fold(&mut self, producer: Value, merged: &mut BTreeSet<Value>) -> Result<bool, Refusal> {
        let at = self.position(producer);
        let first = self.loop_ref(at);
        let Some(folding) = self.folding(at)? else { return Ok(false) };
        let second = self.loop_ref(folding.consumers[0]);
        merged.extend(&self.block.stmts[at].results);
        self.folded.extend(&self.block.stmts[at].results);
        for &consumer in &folding.consumers {
            merged.extend(&self.block.stmts[consumer].results);
        }
        let saved = self.saved(&folding.arrays, folding.consumers.len(), folding.repeated, at);
        with_loop_folding::apply(self.func, self.block, self.sharing, &mut self.touches, &folding);
        self.merged();
        let into = second.label.clone();
        self.decide("with-loop-folding", first, second, Outcome::Merged { into, saved, passes: 1 });
        Ok(true)
    }

    /// Splits off some results of a loop, unless that is wrong.
    fn split_off(&mut self, first: Value, results: &BTreeSet<Value>) -> Option<WithLoop> {
        let at = self.position(first);
        let label = operator_splitting(self.func, self.block, self.sharing, at, results).ok()?;
        self.changed();
        Some(label)
    }

    fn candidates(&mut self) -> Candidates {
        for at in 0..self.block.stmts.len() {
            if super::is_with(self.block, at) && !self.forbidden.folds.contains(&self.block.stmts[at].results[0]) {
                let _ = self.folding(at);
            }
        }
        let mut builder = GraphBuilder::new(
            self.func,
            self.block,
            self.sharing,
            &mut self.touches,
            SymbolTable { names: self.names, log: self.log, known: BTreeMap::new() },
            self.sizes,
            &self.foldings,
        );
        builder.build(&self.forbidden);
        builder.finish()
    }

    fn solve(&mut self, candidates: &Candidates) -> Plan {
        let plan = solve::solve(&candidates.graph, &Limits { spent: self.log.work, ..Limits::default() });
        self.log.work += plan.work;
        plan
    }

    /// Makes the merges of a plan; how many. `Err` if a rule refused one, after so many.
    fn make(&mut self, candidates: &Candidates, plan: &Plan, merged: &mut BTreeSet<Value>) -> Result<usize, usize> {
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
            match self.fold(producer, merged) {
                Ok(is_folded) => count += usize::from(is_folded),
                Err(refusal) => {
                    let first = self.loop_ref(self.position(producer));
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
                let results = [&self.block.stmts[at].results[..], &self.block.stmts[to].results].concat();
                match with_loop_fusion(self.func, self.block, self.sharing, &mut self.touches, at, to) {
                    Ok(label) => {
                        self.merged();
                        merged.extend(results);
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
        self.options.limit.is_some_and(|limit| self.log.merged_count() >= limit)
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
    fn vanishing(&mut self, first: usize, second: usize) -> BTreeSet<Value> {
        let read_by_second = self.touches.of(self.func, &self.block.stmts[second]);
        let read = |result: &Value| !self.func.ty(*result).is_scalar() && read_by_second.used.contains(result);
        let arrays: Vec<Value> = self.block.stmts[first].results.iter().copied().filter(read).collect();
        let mut vanishing = BTreeSet::new();
        for array in arrays {
            let stays = self.block.results.contains(&array.into())
                || (first + 1..self.block.stmts.len())
                    .any(|at| at != second && self.touches.of(self.func, &self.block.stmts[at]).used.contains(&array));
            if !stays {
                vanishing.insert(array);
            }
        }
        vanishing
    }

    fn saved(&mut self, arrays: &BTreeSet<Value>, readers: usize, repeated: u64, at: usize) -> Cost {
        let sizes = self.sizes;
        let mut cost = Cost::default();
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

    /// Logs what would be right and does not pay.
    fn leave_out(&mut self, candidates: &Candidates) {
        for (&node, folding) in &candidates.foldings {
            let at = candidates.positions[node];
            let (first, second) = (self.loop_ref(at), self.loop_ref(folding.consumers[0]));
            let saving = self.saved(&folding.arrays, folding.consumers.len(), folding.repeated, at);
            let reason = if folding.repeated > 0 {
                format!(
                    "kept: read at {} places, would repeat {} operations for each element, and the readers would read more than it holds",
                    folding.evaluations.full, folding.repeated
                )
            } else {
                "the readers would read more than the array holds".into()
            };
            let outcome = Outcome::NotChosen { reason, saving };
            self.decide("with-loop-folding", first, second, outcome);
        }
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
        self.log.decisions.push(Decision { rule, function: self.func.name.clone(), first, second, outcome });
    }
}

fn refused(refusal: &Refusal) -> Outcome {
    let place = Some(refusal.span()).filter(|span| !span.is_none());
    Outcome::Refused { code: refusal.code(), reason: refusal.reason(), place }
}

/// A statement as a report names it.
pub(super) fn loop_ref(func: &Func, stmt: &Stmt) -> LoopRef {
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
        ops!(scalar | array | effect) | Op::View { .. } => (String::new(), "statement"),
    };
    let span = match &stmt.op {
        Op::With(w) => func.with_loops[*w].span,
        _ => stmt.span,
    };
    LoopRef { label, kind, names, span }
}

/// The kind of a with-loop in the words of array languages.
fn loop_kind(func: &Func, label: WithLoop) -> &'static str {
    let data = &func.with_loops[label];
    let (mut folds, mut maps, mut others) = (0, 0, None);
    if data.operators.iter().all(|operator| matches!(operator.op, Operator::ModArray { .. })) {
        return "modify";
    }
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
