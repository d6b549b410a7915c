//! Rewritings that make merges possible: tried before a block is planned, and taken back where they lead to none.

use super::Planner;
use crate::array::access::{Views, uses};
use crate::array::assemble::as_with_loop;
use crate::array::block_graph::used_values;
use crate::array::full_partition::{self, full_partition};
use crate::array::generators::{Bounds, Grid, facts_at};
use crate::array::hull::with_loop_hull;
use crate::array::refusal::Refusal;
use crate::array::with_loop_fusion::{reads_only_own_index, result_operators};
use crate::array::{Scalarise, alignment, with_loop_scalarisation};
use frit_ir::array::{Op, Operator, Stmt, Value, WithLoopData};
use std::collections::{BTreeMap, BTreeSet};

/// A rewriting that changes no cost, and may make merges possible. Loops are named by a result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Enabling {
    /// A statement that puts an array together becomes a with-loop.
    Disassemble(Value),
    /// A `modarray` becomes a `genarray` of full generators.
    Partition(Value),
    /// A nest becomes one loop, though its outer body does more than the inner loops; for folding it.
    Flatten(Value),
    /// The second loop runs over the space of the first, and its results are viewed in their own shape.
    Align(Value, Value),
    /// Both loops run over a space that contains both of theirs, with the same generators.
    Hull(Value, Value),
}

/// In blocks of more loops, pairs of loops over different spaces are left as they are.
const MAX_ALIGNED: usize = 64;

impl Planner<'_> {
    /// Rewritings that may enable merges.
    pub(super) fn enabling(&mut self) -> Vec<Enabling> {
        let mut found: Vec<Enabling> = self.assembled().into_iter().map(Enabling::Disassemble).collect();
        found.extend(self.modified().into_iter().map(Enabling::Partition));
        let loops: Vec<usize> =
            (0..self.block.stmts.len()).filter(|&at| matches!(self.block.stmts[at].op, Op::With(_))).collect();
        if loops.len() > MAX_ALIGNED {
            return found;
        }
        for &at in &loops {
            // A nest that is folded has no outer loop any more, so what that does is done for every element.
            if self.options.scalarise == Scalarise::Aggressive
                && with_loop_scalarisation::is_candidate(self.func, &self.block.stmts[at])
                && self.folding(at).is_err_and(|refusal| {
                    matches!(refusal, Refusal::RepeatsWork { .. } | Refusal::RepeatsOperations { .. })
                })
            {
                found.push(Enabling::Flatten(self.block.stmts[at].results[0]));
            }
        }
        let mut disappears: BTreeMap<usize, bool> = BTreeMap::new();
        for (i, &first) in loops.iter().enumerate() {
            for &second in &loops[i + 1..] {
                let may_align = alignment::is_candidate(self.func, self.block, self.sharing, first, second);
                let may_share_hull = self.may_share_hull(first, second);
                if !may_align && !may_share_hull {
                    continue;
                }
                let [first_goes, second_goes] =
                    [first, second].map(|at| *disappears.entry(at).or_insert_with(|| self.is_folded_whole(at)));
                let pair = (self.block.stmts[first].results[0], self.block.stmts[second].results[0]);
                if may_align && !first_goes && !second_goes {
                    found.push(Enabling::Align(pair.0, pair.1));
                } else if may_share_hull && !(first_goes && self.is_read_by(first, second)) {
                    found.push(Enabling::Hull(pair.0, pair.1));
                }
            }
        }
        found
    }

    /// True if the loop at this position can be folded and disappears.
    fn is_folded_whole(&mut self, at: usize) -> bool {
        self.folding(at).ok().flatten().is_some_and(|folding| folding.is_whole)
    }

    /// True if the second statement uses what the first makes.
    fn is_read_by(&mut self, first: usize, second: usize) -> bool {
        let used = self.touches.of(self.func, &self.block.stmts[second]);
        self.block.stmts[first].results.iter().any(|result| used.used.contains(result))
    }

    /// True if the loops run over different spaces of one rank or have different generators, read an array in common, and do not depend
    /// on each other but by elements at the same index.
    fn may_share_hull(&mut self, first: usize, second: usize) -> bool {
        let (a, b) = (&self.block.stmts[first], &self.block.stmts[second]);
        let (Op::With(one), Op::With(other)) = (&a.op, &b.op) else { return false };
        let (one, other) = (&self.func.with_loops[*one], &self.func.with_loops[*other]);
        if one.space.len() != other.space.len() || one.space == other.space && has_generators_of(one, other) {
            return false;
        }
        let (used, again) = (self.touches.of(self.func, a), self.touches.of(self.func, b));
        let is_array = |value: &Value| !self.func.ty(*value).is_scalar();
        let is_read = a.results.iter().any(|result| again.used.contains(result));
        match is_read {
            true => reads_only_own_index(self.func, a, b),
            false => used.used.intersection(&again.used).any(is_array),
        }
    }

    /// Makes a rewriting; the results of the loops that have to be merged for it to be worth it. `None` if it is impossible.
    pub(super) fn rewrite(&mut self, rewriting: Enabling) -> Option<BTreeSet<Value>> {
        match rewriting {
            Enabling::Disassemble(result) => self.disassemble(result).then(|| BTreeSet::from([result])),
            Enabling::Partition(result) => {
                let at = self.position(result);
                let partition = full_partition(self.func, self.block, at).map(|_| ());
                self.unless_too_many((result, result), "full-partition", partition)?;
                Some(BTreeSet::from([result]))
            }
            Enabling::Flatten(result) => {
                let at = self.position(result);
                let stmts =
                    with_loop_scalarisation::scalarisation_for_folding(self.func, &self.block.stmts[at]).ok()?;
                self.block.stmts.splice(at..=at, stmts);
                Some(BTreeSet::from([result]))
            }
            Enabling::Align(first, second) => {
                let (at, to) = (self.position(first), self.position(second));
                alignment::alignment(self.func, self.block, self.sharing, at, to).ok()?;
                Some(BTreeSet::from([first, self.block.stmts[to].results[0]]))
            }
            Enabling::Hull(first, second) => {
                let (at, to) = (self.position(first), self.position(second));
                // A rewriting before this one may have made another statement of a loop, or moved it.
                let is_loop = |at: usize| matches!(self.block.stmts[at].op, Op::With(_));
                if at >= to || !is_loop(at) || !is_loop(to) {
                    return None;
                }
                let hull = with_loop_hull(self.func, self.block, self.sharing, at, to);
                let (at, to) = self.unless_too_many((first, second), "with-loop-hull", hull)?;
                Some(BTreeSet::from([self.block.stmts[at].results[0], self.block.stmts[to].results[0]]))
            }
        }
    }

    /// The result of a rewriting; where it would make too many generators, that is noted.
    fn unless_too_many<T>(
        &mut self,
        loops: (Value, Value),
        rule: &'static str,
        result: Result<T, Refusal>,
    ) -> Option<T> {
        if let Err(refusal @ Refusal::TooManyGenerators { .. }) = &result {
            self.skipped.insert(loops, (rule, refusal.clone()));
        }
        result.ok()
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
                    && !uses(self.func, self.block, stmt, &BTreeSet::from([value]), &Views::new(), usize::MAX)
                        .sites
                        .is_empty()
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

    /// The results of loops that modify an array and make another one: if they may be merged with what makes the array, or with what reads
    /// the result. Not where the array is one that a sequential loop carries around: that is better modified in place.
    fn modified(&self) -> Vec<Value> {
        let mut origin: BTreeMap<Value, Value> = BTreeMap::new();
        let mut made: BTreeSet<Value> = BTreeSet::new();
        let mut found = Vec::new();
        for (at, stmt) in self.block.stmts.iter().enumerate() {
            if let Op::Update { array, .. } = stmt.op {
                origin.insert(stmt.results[0], origin.get(&array).copied().unwrap_or(array));
            }
            let Op::With(label) = stmt.op else { continue };
            made.extend(&stmt.results);
            if !full_partition::is_candidate(self.func, stmt) {
                continue;
            }
            let owners = result_operators(&self.func.with_loops[label]);
            let sources = stmt.results.iter().zip(owners).filter_map(|(&result, (owner, _))| {
                match self.func.with_loops[label].operators[owner].op {
                    Operator::ModArray { source, .. } => Some((result, source)),
                    Operator::GenArray
                    | Operator::Fold { .. }
                    | Operator::Scan { .. }
                    | Operator::Filter { .. }
                    | Operator::Uniform => None,
                }
            });
            let sources: Vec<(Value, Value)> = sources.collect();
            for &(result, source) in &sources {
                origin.insert(result, origin.get(&source).copied().unwrap_or(source));
            }
            let is_carried = sources.iter().any(|(result, _)| self.carried.contains(&origin[result]));
            let is_touched = sources.iter().any(|(_, source)| made.contains(source))
                || stmt.results.iter().any(|&result| {
                    let is_loop = |later: &&Stmt| matches!(later.op, Op::With(_));
                    self.block.stmts[at + 1..]
                        .iter()
                        .filter(is_loop)
                        .any(|later| used_values(self.func, later).contains(&result))
                });
            if is_touched && !is_carried {
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
}

/// True if each generator of the first loop has the bounds of one of the second, and there are as many.
fn has_generators_of(one: &WithLoopData, other: &WithLoopData) -> bool {
    let grids: Vec<Grid> = other.generators.iter().map(Grid::of).collect();
    one.generators.len() == grids.len() && one.generators.iter().all(|generator| grids.contains(&Grid::of(generator)))
}
