//! Which array values may share memory, and which memory is updated in place somewhere.
//!
//! A partition of the arrays into classes: values of different classes never share memory. Coarse, and linear in the size of
//! the function; a rewriting that would keep a source alive longer, or make one memory of two, asks here whether any
//! of it is ever consumed. It knows nothing of order: a class is consumed if it is so anywhere.
//! A call is taken to consume its arguments and to return any of them.

use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Operator, Stmt, Value, ops};
use frit_support::Index;

/// Classes of arrays that may share memory.
pub struct Sharing {
    parent: Vec<u32>,
    consumed: Vec<bool>,
    /// The caller holds memory of the class, before or after the function runs.
    held: Vec<bool>,
    /// The caller gets memory of the class as a result that shares it with nothing else.
    unique: Vec<bool>,
    members: Vec<u32>,
}

impl Sharing {
    /// The classes of a function's values.
    pub fn of(func: &Func) -> Self {
        let count = func.values.len();
        let mut sharing = Sharing {
            parent: (0..count as u32).collect(),
            consumed: vec![false; count],
            held: vec![false; count],
            unique: vec![false; count],
            members: vec![1; count],
        };
        for param in func.params.iter().filter(|param| !param.consumed) {
            sharing.held[param.value.at()] = true;
        }
        sharing.block(func, &func.body);
        for (result, ty) in func.body.results.iter().zip(&func.results) {
            if let Operand::Value(result) = *result {
                let root = sharing.root(result);
                sharing.held[root] = true;
                sharing.unique[root] |= ty.unique;
            }
        }
        sharing
    }

    /// True if the memory of the value is updated in place somewhere.
    pub fn is_consumed(&mut self, value: Value) -> bool {
        let root = self.root(value);
        self.consumed[root]
    }

    /// True if the caller may get the value as a result that shares memory with nothing else.
    pub fn is_unique_result(&mut self, value: Value) -> bool {
        let root = self.root(value);
        self.unique[root]
    }

    /// True if the two may be one array as far as the caller can tell.
    pub(crate) fn may_be_one_outside(&mut self, a: Value, b: Value) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        !(self.unique[a] && self.held[b] || self.unique[b] && self.held[a])
    }

    /// True if no other value shares its memory.
    pub(crate) fn is_alone(&mut self, value: Value) -> bool {
        let root = self.root(value);
        self.members[root] == 1
    }

    /// What the class of a value is called until the next merge.
    pub fn class(&mut self, value: Value) -> usize {
        self.root(value)
    }

    /// Makes one class of two. A pass that copies code merges the values it made with those they stand for.
    pub fn merge(&mut self, a: Value, b: Value) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        if self.members[a] < self.members[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a as u32;
        self.members[a] += self.members[b];
        self.consumed[a] |= self.consumed[b];
        self.held[a] |= self.held[b];
        self.unique[a] |= self.unique[b];
    }

    fn root(&mut self, value: Value) -> usize {
        self.grow(value);
        let mut at = value.at();
        while self.parent[at] as usize != at {
            let above = self.parent[self.parent[at] as usize];
            self.parent[at] = above;
            at = above as usize;
        }
        at
    }

    /// Values made since the classes were computed are alone.
    fn grow(&mut self, value: Value) {
        while self.parent.len() <= value.at() {
            self.parent.push(self.parent.len() as u32);
            self.consumed.push(false);
            self.held.push(false);
            self.unique.push(false);
            self.members.push(1);
        }
    }

    fn consume(&mut self, value: Value) {
        let root = self.root(value);
        self.consumed[root] = true;
    }

    /// Merges the classes of two operands that are arrays.
    fn link(&mut self, func: &Func, a: Value, b: Operand) {
        if let Operand::Value(b) = b
            && !func.ty(a).is_scalar()
        {
            self.merge(a, b);
        }
    }

    fn block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(func, stmt);
        }
    }

    fn stmt(&mut self, func: &Func, stmt: &Stmt) {
        let first = stmt.results.first().copied();
        match &stmt.op {
            ops!(scalar | effect)
            | Op::Table { .. }
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Concat { .. }
            | Op::Copy { .. } => {}
            Op::Index { array, .. } | Op::View { array, .. } => {
                self.link(func, first.expect("one result"), (*array).into());
            }
            Op::Update { array, consumes, .. } => {
                if *consumes {
                    self.link(func, first.expect("one result"), (*array).into());
                    self.consume(*array);
                }
            }
            Op::If { then, otherwise, .. } => {
                for (at, &result) in stmt.results.iter().enumerate() {
                    self.link(func, result, then.results[at]);
                    self.link(func, result, otherwise.results[at]);
                }
                self.block(func, then);
                self.block(func, otherwise);
            }
            Op::Loop(data) => {
                match &data.kind {
                    LoopKind::For { .. } => {}
                    LoopKind::While { condition } => self.block(func, condition),
                }
                for (at, &param) in data.params.iter().enumerate() {
                    self.link(func, param, data.init[at]);
                    self.link(func, param, data.body.results[at]);
                    self.link(func, param, stmt.results[at].into());
                    if data.consumed[at] && !func.ty(param).is_scalar() {
                        self.consume(param);
                    }
                }
                self.block(func, &data.body);
            }
            Op::With(w) => self.with_loop(func, stmt, *w),
            Op::Call { args, .. } => {
                let arrays = || args.iter().filter_map(|o| o.value()).chain(stmt.results.iter().copied());
                let arrays: Vec<Value> = arrays().filter(|&v| !func.ty(v).is_scalar()).collect();
                for &array in &arrays {
                    self.merge(arrays[0], array);
                    self.consume(array);
                }
            }
        }
    }

    fn with_loop(&mut self, func: &Func, stmt: &Stmt, w: frit_ir::array::WithLoop) {
        let data = &func.with_loops[w];
        let (mut result, mut cell) = (0, 0);
        for operator in &data.operators {
            let first_cell = cell + usize::from(operator.guarded);
            match &operator.op {
                Operator::ModArray { source, consumes } => {
                    if *consumes {
                        self.link(func, stmt.results[result], (*source).into());
                        self.consume(*source);
                    }
                }
                Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => {
                    let is_fold = matches!(operator.op, Operator::Fold { .. });
                    for (at, &start) in neutral.iter().enumerate() {
                        let accumulator = combine.params[at];
                        self.link(func, accumulator, start);
                        self.link(func, accumulator, combine.body.results[at]);
                        self.link(func, accumulator, combine.params[at + neutral.len()].into());
                        for generator in &data.generators {
                            self.link(func, accumulator, generator.body.results[first_cell + at]);
                        }
                        if is_fold {
                            self.link(func, accumulator, stmt.results[result + at].into());
                        }
                    }
                }
                Operator::GenArray | Operator::Filter { .. } | Operator::Uniform => {}
            }
            result += operator.op.results();
            cell += operator.cells();
        }
        data.for_each_block(&mut |block| self.block(func, block));
    }
}
