//! What is owned, and what is dead, where something could happen in place.
//!
//! Two walks. The first goes forward, as the verifier does, and notes which memory each block owns. The second goes backward
//! with the memory that is used afterwards, along every path, and decides.

use super::chains::{Chains, replaces_what_it_reads};
use frit_ir::array::alias::Aliases;
use frit_ir::array::replaced::Sums;
use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Operator, Stmt, Value, WithLoopData};
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet};

/// What happens in place.
#[derive(Default)]
pub(super) struct Decisions {
    /// Results of updates and `modarray`s that consume their sources.
    pub(super) consuming: BTreeSet<Value>,
    /// Arrays made anew that take the memory of others.
    pub(super) taken_over: BTreeMap<Value, Value>,
    /// Copies whose sources may be given away instead.
    pub(super) needless: BTreeSet<Value>,
    /// Parameters that share memory with another next value of their loop.
    shared: BTreeSet<Value>,
}

impl Decisions {
    /// True if a parameter that was given its memory keeps its place in every iteration. `copies` are those made of initial
    /// values, by parameter.
    pub(super) fn stays(&self, chains: &Chains, copies: &BTreeMap<Value, Value>, param: Value) -> bool {
        let in_place = |value: Value| {
            self.consuming.contains(&value)
                || self.taken_over.contains_key(&value)
                || self.needless.contains(&value)
                || copies.get(&value).map_or(chains.is_consumed(value), |copy| self.needless.contains(copy))
        };
        !self.shared.contains(&param) && chains.stays(param, &in_place)
    }
}

/// Decides for all updates and copies of a function.
pub(super) fn decide(func: &Func, aliases: &Aliases, sums: &Sums, chains: &Chains) -> Decisions {
    let count = func.values.len();
    let mut ownership = Ownership {
        func,
        aliases,
        region: vec![0; count],
        regions: 0,
        borrowed: vec![false; count],
        owned: BTreeSet::new(),
        homes: vec![0; count],
    };
    for param in &func.params {
        ownership.borrowed[param.value.at()] = !param.consumed;
        ownership.homes[param.value.at()] = address(&func.body);
    }
    ownership.block(&func.body);
    let Ownership { owned, homes, .. } = ownership;
    let mut walk = Walk {
        func,
        aliases,
        sums,
        chains,
        owned,
        homes,
        live: vec![false; count],
        users: vec![0; count],
        log: Vec::new(),
        decisions: Decisions::default(),
    };
    walk.block(&func.body, true);
    walk.decisions
}

/// The forward walk.
struct Ownership<'a> {
    func: &'a Func,
    aliases: &'a Aliases,
    /// How many bodies that run more than once surround where each memory was made, as seen from the place at hand.
    region: Vec<u32>,
    /// How many surround the place at hand.
    regions: u32,
    /// Memory that is someone else's.
    borrowed: Vec<bool>,
    /// Results of statements with an array whose memory the block owns there.
    owned: BTreeSet<(Value, Value)>,
    /// The block that makes each value, by its address. Parameters are there when the body begins.
    homes: Vec<usize>,
}

impl Ownership<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            for &result in &stmt.results {
                self.region[result.at()] = self.regions;
                self.homes[result.at()] = address(block);
                for origin in self.aliases.origins(result) {
                    let region = &mut self.region[origin.at()];
                    *region = (*region).min(self.regions);
                }
            }
        }
    }

    fn note(&mut self, result: Value, array: Value) {
        let mut origins = self.aliases.origins(array).iter();
        if origins.all(|origin| !self.borrowed[origin.at()] && self.region[origin.at()] >= self.regions) {
            self.owned.insert((result, array));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let func = self.func;
        match &stmt.op {
            Op::Update { array, .. } | Op::Copy { array } => self.note(stmt.results[0], *array),
            Op::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
            }
            Op::Loop(data) => {
                if let LoopKind::While { condition } = &data.kind {
                    data.params.iter().for_each(|param| self.region[param.at()] = self.regions);
                    self.regions += 1;
                    self.block(condition);
                    self.regions -= 1;
                }
                self.regions += 1;
                for (&param, &consumed) in data.params.iter().zip(&data.consumed) {
                    self.region[param.at()] = self.regions - u32::from(!consumed);
                }
                self.block(&data.body);
                self.regions -= 1;
            }
            Op::With(label) => {
                let data = &func.with_loops[*label];
                let mut result = 0;
                for operator in &data.operators {
                    let made = stmt.results[result];
                    result += operator.op.results();
                    match &operator.op {
                        Operator::ModArray { source, .. } => self.note(made, *source),
                        Operator::GenArray => {
                            for array in read_arrays(func, data) {
                                self.note(made, array);
                            }
                        }
                        Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {
                        }
                    }
                }
                self.regions += 1;
                data.generators.iter().for_each(|generator| self.block(&generator.body));
                for lambda in data.lambdas() {
                    // To own its arguments, it would have to be given them.
                    lambda.params.iter().for_each(|param| self.borrowed[param.at()] = true);
                    self.block(&lambda.body);
                }
                self.regions -= 1;
            }
            _ => {}
        }
    }
}

fn address(block: &Block) -> usize {
    std::ptr::from_ref(block).addr()
}

/// The arrays that the blocks of a with-loop read and that are there before it.
fn read_arrays(func: &Func, data: &WithLoopData) -> BTreeSet<Value> {
    let (mut read, mut made) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<&Block> = data.generators.iter().map(|generator| &generator.body).collect();
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            if let Op::Index { array, .. } = &stmt.op {
                read.insert(*array);
            }
            made.extend(&stmt.results);
            stmt.op.for_each_binder(func, &mut |binder| {
                made.insert(binder);
            });
            stmt.op.for_each_block(func, &mut |inner| open.push(inner));
        }
    }
    &read - &made
}

/// The backward walk.
struct Walk<'a> {
    func: &'a Func,
    aliases: &'a Aliases,
    sums: &'a Sums,
    chains: &'a Chains,
    owned: BTreeSet<(Value, Value)>,
    homes: Vec<usize>,
    /// Values that are there and used after the place at hand. What is defined later does not count: it is made of what
    /// counts itself, or of the statement's result.
    live: Vec<bool>,
    /// How many of them may have each memory.
    users: Vec<u32>,
    /// What became live, in order, to go back to a fork of paths.
    log: Vec<Value>,
    decisions: Decisions,
}

impl Walk<'_> {
    /// Decides for the statements of a block. `returns` for the body of the function and its branches: what they yield goes nowhere yet.
    fn block(&mut self, block: &Block, returns: bool) {
        block.results.iter().for_each(|&result| self.used(result));
        for stmt in block.stmts.iter().rev() {
            stmt.results.iter().for_each(|&result| self.undefined(result));
            self.decide(stmt, block, returns);
            self.inside(stmt, returns);
            let func = self.func;
            stmt.op.for_each_binder(func, &mut |binder| self.undefined(binder));
            stmt.op.for_each_operand(func, &mut |operand| self.used(operand));
        }
    }

    fn used(&mut self, operand: Operand) {
        if let Operand::Value(value) = operand
            && !std::mem::replace(&mut self.live[value.at()], true)
        {
            self.aliases.origins(value).iter().for_each(|origin| self.users[origin.at()] += 1);
            self.log.push(value);
        }
    }

    /// The value is not there yet.
    fn undefined(&mut self, value: Value) {
        if std::mem::replace(&mut self.live[value.at()], false) {
            self.aliases.origins(value).iter().for_each(|origin| self.users[origin.at()] -= 1);
        }
    }

    /// The array's memory is ours, and nothing uses it after the statement at hand.
    fn is_free(&self, result: Value, array: Value) -> bool {
        self.owned.contains(&(result, array))
            && self.aliases.origins(array).iter().all(|origin| self.users[origin.at()] == 0)
    }

    fn decide(&mut self, stmt: &Stmt, block: &Block, returns: bool) {
        match &stmt.op {
            Op::Update { array, value, consumes, .. } => {
                let made = stmt.results[0];
                let shares = value.value().is_some_and(|value| self.shares(value, *array));
                if *consumes || (!shares && self.is_free(made, *array)) {
                    self.decisions.consuming.insert(made);
                }
            }
            Op::Copy { array } => {
                let made = stmt.results[0];
                if self.is_free(made, *array) {
                    self.decisions.needless.insert(made);
                }
            }
            Op::With(label) => self.with_loop(stmt, &self.func.with_loops[*label], block, returns),
            Op::Loop(data) => {
                for (at, &param) in data.params.iter().enumerate() {
                    if !self.chains.owned.contains(&param) {
                        continue;
                    }
                    let Some(next) = self.chains.next(param).and_then(Operand::value) else { continue };
                    let others = data.body.results.iter().enumerate().filter(|(other, _)| *other != at);
                    let mut others = others.filter_map(|(_, operand)| operand.value());
                    if others.any(|other| self.shares(other, next)) {
                        self.decisions.shared.insert(param);
                    }
                }
            }
            _ => {}
        }
    }

    fn shares(&self, one: Value, other: Value) -> bool {
        !self.aliases.origins(one).is_disjoint(self.aliases.origins(other))
    }

    fn with_loop(&mut self, stmt: &Stmt, data: &WithLoopData, block: &Block, returns: bool) {
        // Memory that some result takes over is no other's.
        let mut taken: BTreeSet<Value> = BTreeSet::new();
        let mut result = 0;
        for operator in &data.operators {
            let made = stmt.results[result];
            result += operator.op.results();
            match &operator.op {
                Operator::ModArray { source, consumes } => {
                    let is_free = self.is_free(made, *source) && taken.is_disjoint(self.aliases.origins(*source));
                    if *consumes
                        || (is_free && replaces_what_it_reads(self.func, self.aliases, self.sums, data, *source, 1))
                    {
                        self.decisions.consuming.insert(made);
                        taken.extend(self.aliases.origins(*source));
                    }
                }
                Operator::GenArray => {
                    let source = self.takes(made, data, block, returns, &taken);
                    if let Some(source) = source {
                        self.decisions.taken_over.insert(made, source);
                        taken.extend(self.aliases.origins(source));
                    }
                }
                Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
    }

    /// The array whose memory a new one should take.
    fn takes(
        &self,
        made: Value,
        data: &WithLoopData,
        block: &Block,
        returns: bool,
        taken: &BTreeSet<Value>,
    ) -> Option<Value> {
        let ty = self.func.ty(made);
        let fits = |source: &Value| {
            self.func.ty(*source) == ty
                && ty.rank() == data.space.len()
                && self.is_free(made, *source)
                && taken.is_disjoint(self.aliases.origins(*source))
                && replaces_what_it_reads(self.func, self.aliases, self.sums, data, *source, 0)
        };
        if let Some(&source) = self.chains.preferred.get(&made) {
            return Some(source).filter(fits);
        }
        // What a block yields is made where it goes, unless that is nowhere yet.
        if !returns && block.results.contains(&made.into()) {
            return None;
        }
        let is_here = |source: &Value| self.homes[source.at()] == address(block);
        read_arrays(self.func, data).into_iter().filter(is_here).find(fits)
    }

    fn inside(&mut self, stmt: &Stmt, returns: bool) {
        let func = self.func;
        match &stmt.op {
            Op::If { then, otherwise, .. } => {
                let fork = self.log.len();
                self.block(then, returns);
                let mut used: Vec<Value> = self.log.drain(fork..).collect();
                used.retain(|value| self.live[value.at()]);
                used.iter().for_each(|&value| self.undefined(value));
                self.block(otherwise, returns);
                used.into_iter().for_each(|value| self.used(value.into()));
            }
            op => op.for_each_block(func, &mut |inner| self.block(inner, false)),
        }
    }
}
