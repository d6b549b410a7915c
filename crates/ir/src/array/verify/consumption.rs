//! Nothing is used after its memory was given away.
//!
//! The check walks the function once, along every path. A consumption stamps the origins of the consumed array; a value is
//! dead if one of its origins was stamped after the value was defined. So what takes over the memory of a dead array is
//! alive. See Note [Stamps].

use super::{Checked, Fault, Invariant};
use crate::array::alias::Aliases;
use crate::array::{
    Block, Func, Lambda, LoopData, LoopKind, Op, Operand, Operator, Program, Stmt, Value, WithLoopData, ops,
};
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the consumptions of a function whose scopes and types are right.
pub(super) fn check<'a>(func: &'a Func, program: Option<&'a Program>) -> Checked<'a> {
    let mut walk = Walk {
        func,
        program,
        aliases: Aliases::of(func, program),
        time: 0,
        defined: func.values.iter().map(|_| 0).collect(),
        region: func.values.iter().map(|_| 0).collect(),
        regions: 0,
        stamps: BTreeMap::new(),
        undo: Vec::new(),
        borrowed: func.params.iter().filter(|param| !param.consumed).map(|param| param.value).collect(),
    };
    walk.func()
}

struct Walk<'a> {
    func: &'a Func,
    program: Option<&'a Program>,
    aliases: Aliases,
    time: u32,
    /// When each value is defined.
    defined: Table<Value, u32>,
    /// How many bodies that run more than once surround the definition of each value.
    region: Table<Value, u32>,
    /// How many surround the statement at hand.
    regions: u32,
    /// When each origin was last consumed on this path.
    stamps: BTreeMap<Value, u32>,
    /// The stamps before each change, to go back to a fork of paths.
    undo: Vec<(Value, Option<u32>)>,
    /// Parameters that the caller keeps.
    borrowed: BTreeSet<Value>,
}

impl<'a> Walk<'a> {
    fn func(&mut self) -> Checked<'a> {
        let func = self.func;
        self.block(&func.body)?;
        let origins: Vec<BTreeSet<Value>> = func.body.results.iter().map(|&result| self.all_origins(result)).collect();
        for (at, declared) in func.results.iter().enumerate().filter(|(_, declared)| declared.unique) {
            if let Some(param) = origins[at].intersection(&self.borrowed).next() {
                let message = format!("the unique result {at} may share the memory of {param}, which is not consumed");
                return Err(Fault::new(Invariant::Uniqueness, message));
            }
            if let Some(other) = (0..origins.len()).find(|&o| o != at && !origins[o].is_disjoint(&origins[at])) {
                let message = format!("the unique result {at} may share the memory of result {other} ({declared})");
                return Err(Fault::new(Invariant::Uniqueness, message));
            }
        }
        Ok(())
    }

    fn all_origins(&self, operand: Operand) -> BTreeSet<Value> {
        operand.value().map(|value| self.aliases.all_origins(value)).unwrap_or_default()
    }

    fn define(&mut self, value: Value) {
        self.defined[value] = self.time;
        self.region[value] = self.regions;
    }

    fn block(&mut self, block: &'a Block) -> Checked<'a> {
        for stmt in &block.stmts {
            self.time += 1;
            self.stmt(stmt).map_err(|fault| fault.at(stmt))?;
            self.time += 1;
            for &result in &stmt.results {
                self.define(result);
                // Memory made in an inner body that the statement brings out is made here, as seen from now on.
                for &origin in self.aliases.origins(result) {
                    self.region[origin] = self.region[origin].min(self.regions);
                }
            }
        }
        block.results.iter().try_for_each(|&result| self.observe(result))
    }

    /// A body that runs any number of times.
    fn repeated(&mut self, binders: impl IntoIterator<Item = Value>, block: &'a Block) -> Checked<'a> {
        self.regions += 1;
        self.time += 1;
        binders.into_iter().for_each(|binder| self.define(binder));
        let checked = self.block(block);
        self.regions -= 1;
        checked
    }

    /// The operand's memory is still there.
    fn observe(&self, operand: Operand) -> Checked<'a> {
        let Operand::Value(value) = operand else { return Ok(()) };
        let dead = |origin: &Value| self.stamps.get(origin).is_some_and(|&stamp| stamp > self.defined[value]);
        if self.aliases.origins(value).iter().any(dead) {
            let message = format!("{value} is used after its memory, or memory it may share, was consumed");
            return Err(Fault::new(Invariant::Consumption, message));
        }
        Ok(())
    }

    /// The operand's memory is given away.
    fn consume(&mut self, operand: Operand) -> Checked<'a> {
        self.observe(operand)?;
        let Operand::Value(value) = operand else { return Ok(()) };
        for &origin in self.aliases.origins(value) {
            if self.borrowed.contains(&origin) {
                let message =
                    format!("{value} is consumed, but it may share the memory of {origin}, which the caller keeps");
                return Err(Fault::new(Invariant::Ownership, message));
            }
            if self.region[origin] < self.regions {
                let message = format!(
                    "{value} is consumed in a body that may run again, but its memory may be that of {origin}, made outside"
                );
                return Err(Fault::new(Invariant::Ownership, message));
            }
            let before = self.stamps.insert(origin, self.time);
            self.undo.push((origin, before));
        }
        Ok(())
    }

    /// Those operands are given away while the others are read: none of these may share memory with one of those.
    fn consume_among(&mut self, operands: &[(Operand, bool)]) -> Checked<'a> {
        operands.iter().try_for_each(|&(operand, _)| self.observe(operand))?;
        for &(operand, consumed) in operands {
            if consumed {
                self.consume(operand)?;
            }
        }
        let mut given = BTreeSet::new();
        for (operand, consumed) in operands {
            let Operand::Value(value) = operand else { continue };
            let origins = self.aliases.origins(*value);
            if *consumed && origins.iter().any(|&origin| !given.insert(origin)) {
                return Err(Fault::new(Invariant::Consumption, format!("{value} is consumed twice by one statement")));
            }
        }
        for (operand, consumed) in operands {
            let Operand::Value(value) = operand else { continue };
            if !consumed && !self.aliases.origins(*value).is_disjoint(&given) {
                let message =
                    format!("{value} is used by the statement that consumes its memory, or memory it may share");
                return Err(Fault::new(Invariant::Consumption, message));
            }
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Checked<'a> {
        let func = self.func;
        match &stmt.op {
            Op::Update { array, value, consumes: true, .. } => {
                self.consume_among(&[((*array).into(), true), (*value, false)])
            }
            Op::Call { callee, args } => {
                let callee = self.program.and_then(|program| program.funcs.get(*callee));
                let consumed = |at: usize| callee.is_some_and(|c| c.params.get(at).is_some_and(|param| param.consumed));
                let args: Vec<_> = args.iter().enumerate().map(|(at, &arg)| (arg, consumed(at))).collect();
                self.consume_among(&args)
            }
            Op::If { then, otherwise, .. } => self.branches(then, otherwise),
            Op::Loop(data) => self.sequential_loop(data),
            Op::With(label) => match func.with_loops.get(*label) {
                Some(data) => self.with_loop(data),
                None => Ok(()),
            },
            ops!(scalar | access | array | effect) => {
                let mut checked = Ok(());
                stmt.op.for_each_operand(func, &mut |operand| {
                    if checked.is_ok() {
                        checked = self.observe(operand);
                    }
                });
                checked
            }
        }
    }

    /// Alternatives: each starts from the same state, and afterwards what either consumed is consumed.
    fn branches(&mut self, then: &'a Block, otherwise: &'a Block) -> Checked<'a> {
        let (fork, forked) = (self.undo.len(), self.time);
        self.block(then)?;
        // What a branch made itself is behind it only known through the results, which are defined later.
        let outer = self.undo[fork..].iter().map(|(origin, _)| *origin).filter(|&o| self.defined[o] <= forked);
        let consumed: BTreeSet<Value> = outer.collect();
        let consumed: Vec<(Value, u32)> = consumed.into_iter().map(|origin| (origin, self.stamps[&origin])).collect();
        for (origin, before) in self.undo.drain(fork..).rev() {
            match before {
                Some(stamp) => self.stamps.insert(origin, stamp),
                None => self.stamps.remove(&origin),
            };
        }
        self.block(otherwise)?;
        for (origin, stamp) in consumed {
            let other = self.stamps.get(&origin).copied();
            if other.is_none_or(|other| other < stamp) {
                self.stamps.insert(origin, stamp);
                self.undo.push((origin, other));
            }
        }
        Ok(())
    }

    fn sequential_loop(&mut self, data: &'a LoopData) -> Checked<'a> {
        let init: Vec<_> = data.init.iter().copied().zip(data.consumed.iter().copied()).collect();
        self.consume_among(&init)?;
        let params = || data.params.iter().copied();
        match &data.kind {
            LoopKind::For { index, .. } => self.define(*index),
            LoopKind::While { condition } => {
                // Not its own to consume: the body reads them afterwards.
                self.time += 1;
                params().for_each(|param| self.define(param));
                self.repeated([], condition)?;
            }
        }
        self.regions += 1;
        self.time += 1;
        params().for_each(|param| self.define(param));
        // What came round from the iteration before was not made by this one.
        for (at, &param) in data.params.iter().enumerate() {
            self.region[param] -= u32::from(!data.consumed[at]);
        }
        self.block(&data.body)?;
        // What goes round to a consumed parameter is given away.
        self.time += 1;
        let next: Vec<_> = data.body.results.iter().copied().zip(data.consumed.iter().copied()).collect();
        self.consume_among(&next)?;
        self.regions -= 1;
        Ok(())
    }

    /// A with-loop. A combining function may consume its arguments; then neutral elements, cells and partial results are
    /// given away to it.
    fn with_loop(&mut self, data: &'a WithLoopData) -> Checked<'a> {
        let mut given_cells = BTreeSet::new();
        let mut cell = 0;
        for operator in &data.operators {
            let first_cell = cell + usize::from(operator.guarded);
            cell += operator.cells();
            let (combine, neutral) = match &operator.op {
                Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => (combine, neutral),
                Operator::ModArray { source, .. } => {
                    self.observe((*source).into())?;
                    continue;
                }
                Operator::GenArray | Operator::Filter { .. } | Operator::Uniform => continue,
            };
            let consumed = self.lambda(combine, neutral.len())?;
            let neutral: Vec<_> = neutral.iter().enumerate().map(|(at, &n)| (n, consumed.contains(&at))).collect();
            self.consume_among(&neutral)?;
            let cells = consumed.iter().filter_map(|at| at.checked_sub(neutral.len()));
            given_cells.extend(cells.map(|at| first_cell + at));
        }
        for generator in &data.generators {
            self.repeated(data.indices.iter().copied(), &generator.body)?;
            self.regions += 1;
            self.time += 1;
            let cells: Vec<_> =
                generator.body.results.iter().enumerate().map(|(at, &c)| (c, given_cells.contains(&at))).collect();
            self.consume_among(&cells)?;
            self.regions -= 1;
        }
        // The blocks may read what is replaced; only afterwards it is gone.
        self.time += 1;
        let sources: Vec<_> = data
            .operators
            .iter()
            .filter_map(|operator| match operator.op {
                Operator::ModArray { source, consumes } => Some((Operand::Value(source), consumes)),
                Operator::GenArray
                | Operator::Fold { .. }
                | Operator::Scan { .. }
                | Operator::Filter { .. }
                | Operator::Uniform => None,
            })
            .collect();
        self.consume_among(&sources)
    }

    /// Checks a combining function; the positions of the parameters that it consumes.
    fn lambda(&mut self, combine: &'a Lambda, accumulators: usize) -> Checked<'a, BTreeSet<usize>> {
        self.repeated(combine.params.iter().copied(), &combine.body)?;
        let stamped = |param: &Value| self.stamps.get(param).is_some_and(|&stamp| stamp > self.defined[*param]);
        let consumed: BTreeSet<usize> =
            combine.params.iter().enumerate().filter(|(_, param)| stamped(param)).map(|(at, _)| at).collect();
        self.regions += 1;
        self.time += 1;
        let next = combine.body.results.iter().take(accumulators);
        let next: Vec<_> = next.enumerate().map(|(at, &next)| (next, consumed.contains(&at))).collect();
        self.consume_among(&next)?;
        self.regions -= 1;
        Ok(consumed)
    }
}

// Note [Stamps]
//
// Time goes on with every statement, along the text. A stamp on an origin says: whatever had this memory before is dead. A
// result that takes the memory over is defined later, so it is alive though it may have the same origin. Behind an `if` the
// later stamp of both branches holds. Bodies that run again are walked once: inside, only memory that the body itself
// made in this iteration can be consumed (`region`), or that of a consumed parameter, whose next value is given away at
// the end of the body; so no stamp of one iteration can concern a value of the next.
