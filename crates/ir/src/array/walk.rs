//! Traversal of the array IR: operands, nested blocks, uses, substitution, and copies with fresh names.
//!
//! Knows the structure of every operation and nothing of its meaning. A pass that needs the operands of "any"
//! statement uses this module, so that a new operation is added here once.

use super::{
    Block, Extent, Func, Generator, Lambda, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Stmt, Type, Value,
    ValueData, View, WithLoop, WithLoopData, ops,
};
use frit_support::Table;
use std::collections::{BTreeSet, HashMap};

/// What to put in the place of values.
pub type Renaming = HashMap<Value, Operand>;

impl Op {
    /// Calls `f` on every operand of the operation itself, not on those inside its blocks.
    pub fn for_each_operand(&self, func: &Func, f: &mut impl FnMut(Operand)) {
        match self {
            Op::Unary { x, .. } => f(*x),
            Op::Binary { x, y, .. } => [*x, *y].into_iter().for_each(f),
            Op::Select { cond, on_true, on_false } => [*cond, *on_true, *on_false].into_iter().for_each(f),
            Op::Index { array, indices } => {
                f((*array).into());
                indices.iter().copied().for_each(f);
            }
            Op::View { array, view } => {
                f((*array).into());
                match view {
                    View::Slice { starts, .. } => starts.iter().copied().for_each(f),
                    View::Permute { .. } | View::Reshape | View::Broadcast => {}
                }
            }
            Op::Table { .. } => {}
            Op::ArrayLit { elems } => elems.iter().copied().for_each(f),
            Op::Iota { n } => f(*n),
            Op::Replicate { n, x } => [*n, *x].into_iter().for_each(f),
            Op::Concat { arrays } => arrays.iter().for_each(|&a| f(a.into())),
            Op::Copy { array } => f((*array).into()),
            Op::Update { array, indices, value, .. } => {
                f((*array).into());
                indices.iter().copied().for_each(&mut *f);
                f(*value);
            }
            Op::Assert { cond, args, .. } => {
                f(*cond);
                args.iter().copied().for_each(f);
            }
            Op::Effect { args, .. } => args.iter().copied().for_each(f),
            Op::Conjoin { certs } => certs.iter().for_each(|&c| f(c.into())),
            Op::If { cond, .. } => f(*cond),
            Op::Loop(data) => {
                data.init.iter().copied().for_each(&mut *f);
                match data.kind {
                    LoopKind::For { count, .. } => f(count),
                    LoopKind::While { .. } => {}
                }
            }
            Op::With(w) => func.with_loops[*w].for_each_operand(f),
            Op::Call { args, .. } => args.iter().copied().for_each(f),
        }
    }

    /// Calls `f` on every block directly inside the operation.
    pub fn for_each_block<'a>(&'a self, func: &'a Func, f: &mut impl FnMut(&'a Block)) {
        match self {
            Op::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(f),
            Op::Loop(data) => {
                match &data.kind {
                    LoopKind::For { .. } => {}
                    LoopKind::While { condition } => f(condition),
                }
                f(&data.body);
            }
            Op::With(w) => func.with_loops[*w].for_each_block(f),
            ops!(scalar | access | array | effect) | Op::Call { .. } => {}
        }
    }

    /// The values that the operation binds for its blocks: loop variables and parameters, with-loop indices, lambda
    /// parameters.
    pub fn for_each_binder(&self, func: &Func, f: &mut impl FnMut(Value)) {
        match self {
            Op::Loop(data) => {
                match data.kind {
                    LoopKind::For { index, .. } => f(index),
                    LoopKind::While { .. } => {}
                }
                data.params.iter().copied().for_each(f);
            }
            Op::With(w) => {
                let data = &func.with_loops[*w];
                data.indices.iter().copied().for_each(&mut *f);
                data.lambdas().flat_map(|lambda| &lambda.params).copied().for_each(f);
            }
            ops!(scalar | access | array | effect) | Op::If { .. } | Op::Call { .. } => {}
        }
    }

    /// Replaces every operand of the operation itself, not those inside its blocks, nor those of a with-loop, whose data
    /// is in the function's table. Arrays must be replaced by values.
    pub fn map_operands(&mut self, f: &mut impl FnMut(Operand) -> Operand) {
        let mut each = |operand: &mut Operand| *operand = f(*operand);
        match self {
            Op::Unary { x, .. } => each(x),
            Op::Binary { x, y, .. } => [x, y].into_iter().for_each(each),
            Op::Select { cond, on_true, on_false } => [cond, on_true, on_false].into_iter().for_each(each),
            Op::Index { array, indices } => {
                indices.iter_mut().for_each(each);
                map_value(array, f);
            }
            Op::View { array, view } => {
                match view {
                    View::Slice { starts, .. } => starts.iter_mut().for_each(each),
                    View::Permute { .. } | View::Reshape | View::Broadcast => {}
                }
                map_value(array, f);
            }
            Op::Table { .. } => {}
            Op::ArrayLit { elems } => elems.iter_mut().for_each(each),
            Op::Iota { n } => each(n),
            Op::Replicate { n, x } => [n, x].into_iter().for_each(each),
            Op::Concat { arrays } => arrays.iter_mut().for_each(|a| map_value(a, f)),
            Op::Copy { array } => map_value(array, f),
            Op::Update { array, indices, value, .. } => {
                indices.iter_mut().for_each(&mut each);
                each(value);
                map_value(array, f);
            }
            Op::Assert { cond, args, .. } => {
                each(cond);
                args.iter_mut().for_each(each);
            }
            Op::Effect { args, .. } => args.iter_mut().for_each(each),
            Op::Conjoin { certs } => certs.iter_mut().for_each(|c| map_value(c, f)),
            Op::If { cond, .. } => each(cond),
            Op::Loop(data) => {
                data.init.iter_mut().for_each(&mut each);
                match &mut data.kind {
                    LoopKind::For { count, .. } => each(count),
                    LoopKind::While { .. } => {}
                }
            }
            Op::With(_) => {}
            Op::Call { args, .. } => args.iter_mut().for_each(each),
        }
    }
}

fn map_value(value: &mut Value, f: &mut impl FnMut(Operand) -> Operand) {
    match f((*value).into()) {
        Operand::Value(new) => *value = new,
        Operand::Const(c) => panic!("the array or certificate {value} cannot be replaced by the constant {c:?}"),
    }
}

impl WithLoopData {
    /// Its operators, each with those of the statement's results that are its own.
    pub fn by_operator<'d, 'r>(
        &'d self,
        results: &'r [Value],
    ) -> impl Iterator<Item = (&'d OperatorData, &'r [Value])> {
        let mut rest = results;
        self.operators.iter().map(move |operator| {
            let (own, others) = rest.split_at(operator.op.results());
            rest = others;
            (operator, own)
        })
    }

    /// The lambdas of its operators.
    pub fn lambdas(&self) -> impl Iterator<Item = &Lambda> {
        self.operators.iter().filter_map(|operator| match &operator.op {
            Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => Some(combine),
            Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => None,
        })
    }

    /// Calls `f` on every operand of the with-loop itself: space, bounds, neutral elements, sources.
    pub fn for_each_operand(&self, f: &mut impl FnMut(Operand)) {
        self.space.iter().for_each(|&e| f(e.into()));
        for generator in &self.generators {
            generator.lower.iter().chain(&generator.upper).copied().for_each(&mut *f);
        }
        for operator in &self.operators {
            match &operator.op {
                Operator::ModArray { source, .. } => f((*source).into()),
                Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                    neutral.iter().copied().for_each(&mut *f);
                }
                Operator::GenArray | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
    }

    /// Replaces every operand of the with-loop itself, not those inside its blocks.
    pub fn map_operands(&mut self, f: &mut impl FnMut(Operand) -> Operand) {
        self.space.iter_mut().for_each(|e| *e = f((*e).into()).extent());
        for generator in &mut self.generators {
            generator.lower.iter_mut().chain(&mut generator.upper).for_each(|o| *o = f(*o));
        }
        for operator in &mut self.operators {
            match &mut operator.op {
                Operator::ModArray { source, .. } => map_value(source, f),
                Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                    neutral.iter_mut().for_each(|o| *o = f(*o))
                }
                Operator::GenArray | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
    }

    /// Calls `f` on every block directly inside: the generators' bodies, then the lambdas'.
    pub fn for_each_block<'a>(&'a self, f: &mut impl FnMut(&'a Block)) {
        self.generators.iter().for_each(|g| f(&g.body));
        self.lambdas().for_each(|lambda| f(&lambda.body));
    }

    /// The blocks directly inside, to change, in the same order.
    pub fn for_each_block_mut(&mut self, f: &mut impl FnMut(&mut Block)) {
        self.generators.iter_mut().for_each(|g| f(&mut g.body));
        for operator in &mut self.operators {
            match &mut operator.op {
                Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => f(&mut combine.body),
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
    }
}

impl Func {
    /// Changes every block directly inside the operation. The with-loop's data is put back afterwards.
    pub fn for_each_block_mut(&mut self, op: &mut Op, f: &mut impl FnMut(&mut Func, &mut Block)) {
        match op {
            Op::If { then, otherwise, .. } => {
                f(self, then);
                f(self, otherwise);
            }
            Op::Loop(data) => {
                match &mut data.kind {
                    LoopKind::For { .. } => {}
                    LoopKind::While { condition } => f(self, condition),
                }
                f(self, &mut data.body);
            }
            Op::With(w) => {
                let mut data = self.take_with_loop(*w);
                data.for_each_block_mut(&mut |block| f(self, block));
                self.with_loops[*w] = data;
            }
            ops!(scalar | access | array | effect) | Op::Call { .. } => {}
        }
    }

    /// Replaces values everywhere in the function: operands, certificates, block results and the extents of types.
    ///
    /// Replacements are not replaced again; close the renaming first if one leads to another.
    pub fn substitute(&mut self, renaming: &Renaming) {
        if renaming.is_empty() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        self.substitute_in_block(&mut body, renaming);
        self.body = body;
        for (_, data) in self.values.iter_mut() {
            rename_type(&mut data.ty, renaming);
        }
    }

    /// Replaces values in a block and all inside it, but not in the types of values.
    pub fn substitute_in_block(&mut self, block: &mut Block, renaming: &Renaming) {
        let mut rename = |operand: Operand| rename_operand(operand, renaming);
        for stmt in &mut block.stmts {
            stmt.op.map_operands(&mut rename);
            rename_certs(&mut stmt.certs, renaming);
            if let Op::With(w) = stmt.op {
                self.with_loops[w].map_operands(&mut rename);
            }
            self.for_each_block_mut(&mut stmt.op, &mut |func, inner| func.substitute_in_block(inner, renaming));
        }
        block.results.iter_mut().for_each(|o| *o = rename(*o));
    }

    /// How often each value is used: as an operand, certificate, block result or extent in a live type. Parameters' types
    /// do not count.
    pub fn use_counts(&self) -> Table<Value, u32> {
        let mut counts: Table<Value, u32> = self.values.iter().map(|_| 0).collect();
        self.count_uses(&self.body, &mut counts);
        counts
    }

    fn count_uses(&self, block: &Block, counts: &mut Table<Value, u32>) {
        let mut count = |operand: Operand| {
            if let Operand::Value(v) = operand {
                counts[v] += 1;
            }
        };
        for stmt in &block.stmts {
            stmt.op.for_each_operand(self, &mut count);
            stmt.certs.iter().for_each(|&c| count(c.into()));
            for &result in &stmt.results {
                self.values[result].ty.shape.iter().for_each(|&e| count(e.into()));
            }
            stmt.op.for_each_binder(self, &mut |binder| {
                self.values[binder].ty.shape.iter().for_each(|&e| count(e.into()));
            });
        }
        block.results.iter().copied().for_each(count);
        for stmt in &block.stmts {
            stmt.op.for_each_block(self, &mut |inner| self.count_uses(inner, counts));
        }
    }

    /// The values a block uses but does not define, in order of their names; extents of types included.
    pub fn free_values(&self, block: &Block) -> BTreeSet<Value> {
        let mut used = BTreeSet::new();
        let mut defined = BTreeSet::new();
        self.collect_names(block, &mut used, &mut defined);
        &used - &defined
    }

    fn collect_names(&self, block: &Block, used: &mut BTreeSet<Value>, defined: &mut BTreeSet<Value>) {
        for stmt in &block.stmts {
            stmt.op.for_each_operand(self, &mut |operand| used.extend(operand.value()));
            used.extend(&stmt.certs);
            let mut define = |value: Value| {
                defined.insert(value);
                used.extend(self.values[value].ty.shape.iter().filter_map(|&e| Operand::from(e).value()));
            };
            stmt.results.iter().copied().for_each(&mut define);
            stmt.op.for_each_binder(self, &mut define);
            stmt.op.for_each_block(self, &mut |inner| self.collect_names(inner, used, defined));
        }
        used.extend(block.results.iter().filter_map(|o| o.value()));
    }

    /// A copy of a block with fresh names for all it defines. `renaming` says what stands for the values that are free
    /// in it, and afterwards also for the values it defined. `from` is the function that owns the block; `None` if it is
    /// this one.
    pub fn copy_block(&mut self, from: Option<&Func>, block: &Block, renaming: &mut Renaming) -> Block {
        let stmts = block.stmts.iter().map(|stmt| self.copy_stmt(from, stmt, renaming)).collect();
        Block { stmts, results: block.results.iter().map(|&o| rename_operand(o, renaming)).collect() }
    }

    /// A copy of a lambda with fresh names; see [`copy_block`](Self::copy_block).
    pub fn copy_lambda(&mut self, from: Option<&Func>, lambda: &Lambda, renaming: &mut Renaming) -> Lambda {
        let params = self.copy_values(from, &lambda.params, renaming);
        Lambda { params, body: self.copy_block(from, &lambda.body, renaming) }
    }

    /// Fresh values with the (renamed) types of these; adds them to the renaming.
    pub fn copy_values(&mut self, from: Option<&Func>, values: &[Value], renaming: &mut Renaming) -> Vec<Value> {
        let copy = |&value: &Value| {
            let ValueData { mut ty, name, span } = from.unwrap_or(self).values[value].clone();
            rename_type(&mut ty, renaming);
            let fresh = self.values.push(ValueData { ty, name, span });
            renaming.insert(value, fresh.into());
            fresh
        };
        values.iter().map(copy).collect()
    }

    fn copy_stmt(&mut self, from: Option<&Func>, stmt: &Stmt, renaming: &mut Renaming) -> Stmt {
        let rename = |operand: Operand, renaming: &Renaming| rename_operand(operand, renaming);
        let op = match &stmt.op {
            Op::If { cond, then, otherwise } => Op::If {
                cond: rename(*cond, renaming),
                then: self.copy_block(from, then, renaming),
                otherwise: self.copy_block(from, otherwise, renaming),
            },
            Op::Loop(data) => {
                let init = data.init.iter().map(|&o| rename(o, renaming)).collect();
                let count = match data.kind {
                    LoopKind::For { count, .. } => Some(rename(count, renaming)),
                    LoopKind::While { .. } => None,
                };
                let params = self.copy_values(from, &data.params, renaming);
                let kind = match (&data.kind, count) {
                    (LoopKind::For { index, .. }, Some(count)) => {
                        LoopKind::For { index: self.copy_values(from, &[*index], renaming)[0], count }
                    }
                    (LoopKind::While { condition }, _) => {
                        LoopKind::While { condition: self.copy_block(from, condition, renaming) }
                    }
                    (LoopKind::For { .. }, None) => unreachable!("a counted loop has a count"),
                };
                let body = self.copy_block(from, &data.body, renaming);
                let (consumed, regroups) = (data.consumed.clone(), data.regroups);
                Op::Loop(Box::new(LoopData { kind, params, init, body, consumed, regroups }))
            }
            Op::With(w) => {
                let data = from.unwrap_or(self).with_loops[*w].clone();
                Op::With(self.copy_with_loop(from, &data, renaming))
            }
            simple => {
                let mut op = simple.clone();
                op.map_operands(&mut |o| rename(o, renaming));
                op
            }
        };
        let mut certs = stmt.certs.clone();
        rename_certs(&mut certs, renaming);
        let results = self.copy_values(from, &stmt.results, renaming);
        Stmt { results, op, certs, span: stmt.span }
    }

    /// A copy of a with-loop with fresh names under a new label; see [`copy_block`](Self::copy_block).
    pub fn copy_with_loop(&mut self, from: Option<&Func>, data: &WithLoopData, renaming: &mut Renaming) -> WithLoop {
        let mut copy = WithLoopData {
            space: data.space.clone(),
            indices: Vec::new(),
            generators: data.generators.iter().map(|g| Generator { body: Block::default(), ..g.clone() }).collect(),
            operators: data.operators.clone(),
            span: data.span,
        };
        copy.map_operands(&mut |o| rename_operand(o, renaming));
        copy.indices = self.copy_values(from, &data.indices, renaming);
        for (generator, original) in copy.generators.iter_mut().zip(&data.generators) {
            generator.body = self.copy_block(from, &original.body, renaming);
        }
        for (operator, original) in copy.operators.iter_mut().zip(&data.operators) {
            match (&mut operator.op, &original.op) {
                (Operator::Fold { combine, .. }, Operator::Fold { combine: lambda, .. })
                | (Operator::Scan { combine, .. }, Operator::Scan { combine: lambda, .. }) => {
                    *combine = self.copy_lambda(from, lambda, renaming);
                }
                (
                    Operator::GenArray
                    | Operator::ModArray { .. }
                    | Operator::Filter { .. }
                    | Operator::Uniform
                    | Operator::Fold { .. }
                    | Operator::Scan { .. },
                    _,
                ) => {}
            }
        }
        self.with_loops.push(copy)
    }
}

/// The operand that stands for this one.
pub fn rename_operand(operand: Operand, renaming: &Renaming) -> Operand {
    match operand {
        Operand::Value(v) => renaming.get(&v).copied().unwrap_or(operand),
        Operand::Const(_) => operand,
    }
}

/// Replaces the extents of a type.
pub fn rename_type(ty: &mut Type, renaming: &Renaming) {
    for extent in &mut ty.shape {
        if let Extent::Value(v) = *extent
            && let Some(&new) = renaming.get(&v)
        {
            *extent = new.extent();
        }
    }
}

/// Replaces certificates; one replaced by the constant certificate is dropped.
fn rename_certs(certs: &mut Vec<Value>, renaming: &Renaming) {
    if certs.iter().any(|c| renaming.contains_key(c)) {
        *certs = certs.iter().filter_map(|&c| rename_operand(c.into(), renaming).value()).collect();
        certs.sort_unstable();
        certs.dedup();
    }
}
