//! What the lowering knows of a function before it starts: where values die, which scalars need a
//! variable, whose memory outlives its block, and what is updated in place.
//!
//! Every statement and every end of a block has a position in a pre-order walk of the function. So
//! "dead after this statement" is one comparison at any depth of nesting.
//!
//! This module knows nothing of the loop IR. Read [`crate::lowering::storage`] next.

use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Operator, Stmt, Value, WithLoopData, ops};
use frit_ir::scalar::Scalar;
use frit_support::Index;
use std::collections::{BTreeSet, HashMap};

/// A place in the pre-order walk of a function.
pub(crate) type Position = u32;

/// Where the expression of a scalar may be evaluated, instead of being kept in a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inlining {
    /// Nowhere: it has several uses, a use in another block, or a use that needs a variable.
    Never,
    /// At its only use, unless it reads memory: a statement between may write that memory.
    WithoutLoads,
    /// At its only use.
    Always,
}

/// The facts of one function.
pub(crate) struct Facts<'a> {
    func: &'a Func,
    positions: HashMap<*const Stmt, (Position, Position)>,
    last_uses: Vec<Position>,
    inlining: Vec<Inlining>,
    definitions: Vec<Option<(&'a Stmt, usize)>>,
    escapes: Vec<bool>,
    consumed: Vec<bool>,
    consumptions: Vec<(Position, Scalar)>,
}

#[derive(Clone, Copy, Default)]
struct Use {
    count: u32,
    block: u32,
    epoch: u32,
    in_scalar_code: bool,
}

struct Walk<'a> {
    func: &'a Func,
    facts: Facts<'a>,
    position: Position,
    blocks: u32,
    epochs: u32,
    defined: Vec<(u32, u32)>,
    uses: Vec<Use>,
    escaping: Vec<Value>,
    consumed: Vec<Value>,
}

impl<'a> Facts<'a> {
    /// The facts of this function.
    pub(crate) fn of(func: &'a Func) -> Self {
        let count = func.values.len();
        let mut walk = Walk {
            func,
            facts: Facts {
                func,
                positions: HashMap::new(),
                last_uses: vec![0; count],
                inlining: vec![Inlining::Never; count],
                definitions: vec![None; count],
                escapes: vec![false; count],
                consumed: vec![false; count],
                consumptions: Vec::new(),
            },
            position: 0,
            blocks: 0,
            epochs: 0,
            defined: vec![(0, 0); count],
            uses: vec![Use::default(); count],
            escaping: Vec::new(),
            consumed: Vec::new(),
        };
        walk.block(&func.body, true);
        walk.finish()
    }

    /// The position where the statement uses its operands, and the position after everything inside
    /// it.
    pub(crate) fn positions(&self, stmt: &Stmt) -> (Position, Position) {
        self.positions[&std::ptr::from_ref(stmt)]
    }

    /// The position of a value's last use; 0 if it has none.
    pub(crate) fn last_use(&self, value: Value) -> Position {
        self.last_uses[value.at()]
    }

    /// Where the expression of a scalar may be evaluated.
    pub(crate) fn inlining(&self, value: Value) -> Inlining {
        self.inlining[value.at()]
    }

    /// The statement that defines a value, and the number of the result. `None` for parameters and
    /// indices.
    pub(crate) fn definition(&self, value: Value) -> Option<(&'a Stmt, usize)> {
        self.definitions[value.at()]
    }

    /// True if the memory of the value may leave the block that defines it.
    pub(crate) fn escapes(&self, value: Value) -> bool {
        self.escapes[value.at()]
    }

    /// True if some statement updates the memory of the value in place.
    pub(crate) fn is_consumed(&self, value: Value) -> bool {
        self.consumed[value.at()]
    }

    /// True if an array of this element type is updated in place at this position or later.
    pub(crate) fn consumes_after(&self, position: Position, elem: Scalar) -> bool {
        self.consumptions.iter().rev().take_while(|(at, _)| *at >= position).any(|(_, scalar)| *scalar == elem)
    }
}

impl<'a> Walk<'a> {
    fn finish(mut self) -> Facts<'a> {
        let mut named = vec![false; self.func.values.len()];
        for (_, value) in self.func.values.iter() {
            for extent in &value.ty.shape {
                if let Operand::Value(v) = Operand::from(*extent) {
                    named[v.at()] = true;
                }
            }
        }
        for (at, usage) in self.uses.iter().enumerate() {
            let (block, epoch) = self.defined[at];
            self.facts.inlining[at] = if usage.count != 1 || !usage.in_scalar_code || usage.block != block || named[at]
            {
                Inlining::Never
            } else if usage.epoch == epoch {
                Inlining::Always
            } else {
                Inlining::WithoutLoads
            };
        }
        let mut escapes = std::mem::take(&mut self.facts.escapes);
        self.facts.spread(std::mem::take(&mut self.escaping), &mut escapes);
        self.facts.escapes = escapes;
        let mut consumed = std::mem::take(&mut self.facts.consumed);
        self.facts.spread(std::mem::take(&mut self.consumed), &mut consumed);
        self.facts.consumed = consumed;
        self.facts
    }

    /// `shares` is true if the results of the block are handed on without a copy.
    fn block(&mut self, block: &'a Block, shares: bool) {
        self.blocks += 1;
        self.epochs += 1;
        let this = self.blocks;
        for stmt in &block.stmts {
            self.position += 1;
            let scalar_code = is_scalar_code(self.func, stmt);
            let position = self.position;
            let epoch = self.epochs;
            stmt.op.for_each_operand(self.func, &mut |operand| {
                self.used(operand, Use { count: 1, block: this, epoch, in_scalar_code: scalar_code }, position);
            });
            self.note_consumptions(stmt);
            if !scalar_code {
                self.nested(stmt);
                self.epochs += 1;
            }
            self.position += 1;
            self.facts.positions.insert(std::ptr::from_ref(stmt), (position, self.position));
            for (at, &result) in stmt.results.iter().enumerate() {
                self.facts.definitions[result.at()] = Some((stmt, at));
                self.defined[result.at()] = (this, self.epochs);
            }
        }
        self.position += 1;
        // With several results, the store of one may come between the reads of another and its use.
        let epoch = if block.results.len() == 1 { self.epochs } else { u32::MAX };
        for &result in &block.results {
            let usage = Use { count: 1, block: this, epoch, in_scalar_code: true };
            self.used(result, usage, self.position);
            if shares && let Operand::Value(value) = result {
                self.escaping.push(value);
            }
        }
        self.epochs += 1;
    }

    fn nested(&mut self, stmt: &'a Stmt) {
        match &stmt.op {
            Op::If { then, otherwise, .. } => {
                self.block(then, true);
                self.block(otherwise, true);
            }
            Op::Loop(data) => {
                match &data.kind {
                    LoopKind::For { .. } => {}
                    LoopKind::While { condition } => self.block(condition, false),
                }
                self.block(&data.body, true);
            }
            Op::With(w) => {
                let data = &self.func.with_loops[*w];
                // Cells are copied to their place or made there.
                data.generators.iter().for_each(|g| self.block(&g.body, false));
                data.lambdas().for_each(|lambda| self.block(&lambda.body, true));
                // Neutral elements may become the accumulators. Cells of a chunk's first index may
                // too.
                for operator in &data.operators {
                    match &operator.op {
                        Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                            self.escaping.extend(neutral.iter().filter_map(|o| o.value()));
                            for generator in &data.generators {
                                self.escaping.extend(generator.body.results.iter().filter_map(|o| o.value()));
                            }
                        }
                        Operator::GenArray
                        | Operator::ModArray { .. }
                        | Operator::Filter { .. }
                        | Operator::Uniform => {}
                    }
                }
            }
            Op::Call { args, .. } => self.escaping.extend(args.iter().filter_map(|o| o.value())),
            ops!(scalar | access | array | effect) => {}
        }
    }

    fn note_consumptions(&mut self, stmt: &'a Stmt) {
        let mut consume = |value: Value| {
            self.consumed.push(value);
            self.facts.consumptions.push((self.position, self.func.ty(value).elem));
        };
        match &stmt.op {
            Op::Update { array, consumes: true, .. } => consume(*array),
            Op::Loop(data) => {
                for (at, &consumed) in data.consumed.iter().enumerate() {
                    if let (true, Operand::Value(value)) = (consumed, data.init[at]) {
                        consume(value);
                    }
                }
            }
            Op::With(w) => {
                for operator in &self.func.with_loops[*w].operators {
                    if let Operator::ModArray { source, consumes: true } = operator.op {
                        consume(source);
                    }
                }
            }
            // The parameters of the callee say what it consumes. Without the program every array
            // argument counts.
            Op::Call { args, .. } => {
                for arg in args.iter().filter_map(|o| o.value()) {
                    if !self.func.ty(arg).is_scalar() {
                        consume(arg);
                    }
                }
            }
            ops!(scalar | access | array | effect) | Op::If { .. } => {}
        }
    }

    fn used(&mut self, operand: Operand, usage: Use, position: Position) {
        if let Operand::Value(value) = operand {
            let at = value.at();
            let last = &mut self.facts.last_uses[at];
            *last = (*last).max(position);
            self.uses[at] = Use { count: self.uses[at].count + 1, ..usage };
        }
    }
}

impl Facts<'_> {
    /// The value, and every value whose memory it may share.
    pub(crate) fn origins(&self, value: Value) -> BTreeSet<Value> {
        let mut found = BTreeSet::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            if found.insert(value) {
                pending.extend(self.sources(value, true));
            }
        }
        found
    }

    /// Marks the values, and every value whose memory they may share by their definition.
    fn spread(&self, mut from: Vec<Value>, marked: &mut [bool]) {
        while let Some(value) = from.pop() {
            if !std::mem::replace(&mut marked[value.at()], true) {
                from.extend(self.sources(value, false));
            }
        }
    }

    /// The values whose memory the value may share by its definition; `anywhere` also those that reach it through later iterations,
    /// cells or a call.
    fn sources(&self, value: Value, anywhere: bool) -> Vec<Value> {
        let Some((stmt, result)) = self.definition(value) else { return Vec::new() };
        let values = |operands: &[&[Operand]]| -> Vec<Value> {
            operands.iter().copied().flatten().filter_map(|operand| operand.value()).collect()
        };
        match &stmt.op {
            Op::Index { array, .. }
            | Op::View { array, .. }
            | Op::Copy { array }
            | Op::Update { array, .. }
            | Op::Replicate { x: Operand::Value(array), .. } => vec![*array],
            Op::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().filter_map(|block| block.results[result].value()).collect()
            }
            // A loop may exchange its parameters.
            Op::Loop(data) if anywhere => values(&[&data.init, &data.body.results]),
            Op::Loop(data) => data.init[result].value().into_iter().collect(),
            // A with-loop that modifies an array may return that array's memory.
            Op::With(w) => {
                let with_loop = &self.func.with_loops[*w];
                match operator_of(with_loop, result) {
                    Operator::ModArray { source, .. } => vec![*source],
                    Operator::Fold { neutral, combine, .. } if anywhere => {
                        let mut found = values(&[neutral, &combine.body.results]);
                        found.extend(with_loop.generators.iter().flat_map(|g| values(&[&g.body.results])));
                        found
                    }
                    Operator::Fold { neutral, .. } => values(&[neutral]),
                    Operator::GenArray | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {
                        Vec::new()
                    }
                }
            }
            Op::Call { args, .. } if anywhere => values(&[args]),
            ops!(scalar | effect)
            | Op::Replicate { x: Operand::Const(_), .. }
            | Op::Table { .. }
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Concat { .. }
            | Op::Call { .. } => Vec::new(),
        }
    }
}

/// The operator of a with-loop that makes the result at this position.
pub(crate) fn operator_of(with_loop: &WithLoopData, mut result: usize) -> &Operator {
    for operator in &with_loop.operators {
        match result.checked_sub(operator.op.results()) {
            Some(rest) => result = rest,
            None => return &operator.op,
        }
    }
    panic!("a with-loop has as many results as its operators make")
}

/// Scalar operations neither write memory nor open a block, so reads may move past them.
fn is_scalar_code(func: &Func, stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Assert { .. } | Op::Conjoin { .. } => true,
        Op::Index { .. } => stmt.results.iter().all(|&result| func.ty(result).is_scalar()),
        ops!(array | control) | Op::View { .. } | Op::Effect { .. } => false,
    }
}
