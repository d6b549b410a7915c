//! Random well-formed array programs over `i64`: views, literals, updates, with-loops with every operator, branches and loops
//! that carry arrays in all the ways there are. Their folds are associative, so any way to run them gives one result.

use frit_ir::array::Generator as Part;
use frit_ir::array::build::Builder;
use frit_ir::array::{
    Block, Extent, Func, FuncId, Lambda, LoopKind, Op, Operand, Operator, OperatorData, Param, Program, ResultExtent,
    ResultType, Type, Value, View, verify,
};
use frit_ir::scalar::{BinOp, Scalar};
use frit_support::{Index, Span};

/// A random program with parameters `n`, `m`, a vector of `n` and a matrix of `n` by `m` elements, the vector given away.
pub(crate) fn generate(seed: u64, statements: usize) -> Program {
    let mut func = Func::new("generated", Span::NONE);
    let scalar = Type::scalar(Scalar::I64);
    let n = func.value(scalar.clone(), Span::NONE);
    let m = func.value(scalar.clone(), Span::NONE);
    func.sizes = vec![n, m];
    let vector = func.value(Type::array(Scalar::I64, vec![Extent::Value(n)]), Span::NONE);
    let matrix = func.value(Type::array(Scalar::I64, vec![Extent::Value(n), Extent::Value(m)]), Span::NONE);
    let number = func.value(scalar, Span::NONE);
    func.params = vec![
        Param { value: vector, consumed: true },
        Param { value: matrix, consumed: false },
        Param { value: number, consumed: false },
    ];
    let mut generator = Generator {
        b: Builder::new(func),
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        sizes: vec![Extent::Value(n), Extent::Value(m), Extent::Const(3), Extent::Const(1), Extent::Const(0)],
        scope: vec![n, m, vector, matrix, number],
    };
    generator.statements(3, statements);
    let results = generator.pick_results();
    let mut func = generator.b.finish(results.iter().map(|&v| v.into()).collect());
    func.results = results.iter().map(|&value| result_type(func.ty(value))).collect();
    let mut program = Program::default();
    program.funcs.push(func);
    program.entry = Some(FuncId::new(0));
    consume_where_possible(&mut program);
    program
}

fn result_type(ty: &Type) -> ResultType {
    let extent = |extent: &Extent| match extent {
        Extent::Const(n) => ResultExtent::Const(*n),
        Extent::Value(_) => ResultExtent::Caller,
    };
    ResultType { elem: ty.elem, shape: ty.shape.iter().map(extent).collect(), unique: false }
}

/// Marks updates as consuming, one by one, as long as the verifier agrees.
fn consume_where_possible(program: &mut Program) {
    let count = count_updates(&mut program.funcs[FuncId::new(0)], None);
    for at in 0..count {
        count_updates(&mut program.funcs[FuncId::new(0)], Some((at, true)));
        if verify::verify(program).is_err() {
            count_updates(&mut program.funcs[FuncId::new(0)], Some((at, false)));
        }
    }
}

/// Counts the updates of a function; sets the mark of one of them.
fn count_updates(func: &mut Func, set: Option<(usize, bool)>) -> usize {
    fn visit(func: &mut Func, block: &mut Block, count: &mut usize, set: Option<(usize, bool)>) {
        for stmt in &mut block.stmts {
            if let Op::Update { consumes, .. } = &mut stmt.op {
                if let Some((at, value)) = set
                    && at == *count
                {
                    *consumes = value;
                }
                *count += 1;
            }
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| visit(func, inner, count, set));
        }
    }
    let mut body = std::mem::take(&mut func.body);
    let mut count = 0;
    visit(func, &mut body, &mut count, set);
    func.body = body;
    count
}

struct Generator {
    b: Builder,
    state: u64,
    sizes: Vec<Extent>,
    scope: Vec<Value>,
}

impl Generator {
    fn random(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % below.max(1)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random(n) == 0
    }

    fn values(&self, accept: impl Fn(&Type) -> bool) -> Vec<Value> {
        let known = |value: &&Value| {
            let ty = self.b.func.ty(**value);
            ty.elem == Scalar::I64 && accept(ty)
        };
        self.scope.iter().filter(known).copied().collect()
    }

    fn number(&mut self) -> Operand {
        let known = self.values(Type::is_scalar);
        if self.one_in(4) {
            return Operand::i64(self.random(7) as i64 - 2);
        }
        // Late values are used more, so that chains come about.
        let at = known.len() - 1 - self.random(known.len()).min(self.random(known.len()));
        known[at].into()
    }

    fn array(&mut self, rank: usize) -> Option<Value> {
        let known = self.values(|ty| ty.rank() == rank);
        if known.is_empty() {
            return None;
        }
        let at = known.len() - 1 - self.random(known.len()).min(self.random(known.len()));
        Some(known[at])
    }

    fn array_of(&mut self, shape: &[Extent]) -> Value {
        let known = self.values(|ty| ty.shape == shape);
        if !known.is_empty() && !self.one_in(4) {
            return known[self.random(known.len())];
        }
        let mut value = self.number();
        for &extent in shape.iter().rev() {
            value = self.b.replicate(extent.into(), value, Vec::new()).into();
        }
        let Operand::Value(value) = value else { panic!("arrays have a rank") };
        self.scope.push(value);
        value
    }

    fn size(&mut self) -> Extent {
        let at = self.random(self.sizes.len());
        self.sizes[at]
    }

    fn shape(&mut self) -> Vec<Extent> {
        (0..1 + self.random(2)).map(|_| self.size()).collect()
    }

    fn statements(&mut self, depth: usize, count: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn arithmetic(&mut self) -> Operand {
        let ops = [BinOp::ADD, BinOp::SUB, BinOp::MUL, BinOp::MIN, BinOp::MAX, BinOp::XOR];
        let op = ops[self.random(ops.len())];
        let (x, y) = (self.number(), self.number());
        let result = self.b.binary(op, x, y);
        self.scope.extend(result.value());
        result
    }

    fn condition(&mut self) -> Operand {
        let (x, y) = (self.number(), self.number());
        self.b.binary(BinOp::LT, x, y)
    }

    fn statement(&mut self, depth: usize) {
        let new = match self.random(if depth > 0 { 19 } else { 10 }) {
            0 | 1 => self.arithmetic().value(),
            2 => self.element(),
            3 => self.view(),
            4 => {
                let shape = self.shape();
                Some(self.array_of(&shape))
            }
            5 => {
                let n = self.size();
                Some(self.b.iota(n.into(), Vec::new()))
            }
            6 => self.array(1).map(|array| self.b.copy(array)),
            7 | 8 => self.update(),
            9 => self.literal(),
            10 | 11 => {
                self.branch(depth);
                None
            }
            12..=14 => {
                self.sequential_loop(depth);
                None
            }
            _ => {
                self.with_loop(depth);
                None
            }
        };
        self.scope.extend(new);
    }

    /// An index in bounds; `None` if there is none for certain.
    fn index_for(&mut self, extent: Extent) -> Option<Operand> {
        match extent {
            Extent::Const(n) if n > 0 => {
                let number = self.number();
                Some(self.b.binary(BinOp::FLOOR_MOD, number, Operand::i64(n)))
            }
            Extent::Const(_) | Extent::Value(_) => None,
        }
    }

    fn element(&mut self) -> Option<Value> {
        let rank = 1 + self.random(2);
        let array = self.array(rank)?;
        let shape = self.b.func.ty(array).shape.clone();
        let count = 1 + self.random(rank);
        let indices = shape[..count].iter().map(|&e| self.index_for(e)).collect::<Option<Vec<_>>>()?;
        Some(self.b.index(array, indices, Vec::new()))
    }

    fn view(&mut self) -> Option<Value> {
        let rank = 1 + self.random(2);
        let array = self.array(rank)?;
        let shape = self.b.func.ty(array).shape.clone();
        match self.random(5) {
            0 if rank == 2 => Some(self.b.permute(array, vec![1, 0])),
            1 => {
                // The array reversed along its first axis.
                let last = self.b.binary(BinOp::SUB, shape[0].into(), Operand::i64(1));
                let mut starts = vec![Operand::i64(0); rank];
                let mut steps = vec![1; rank];
                (starts[0], steps[0]) = (last, -1);
                Some(self.b.view(array, View::Slice { starts, steps }, shape, Vec::new()))
            }
            2 if matches!(shape[0], Extent::Const(n) if n > 1) => {
                let Extent::Const(n) = shape[0] else { return None };
                let mut starts = vec![Operand::i64(0); rank];
                starts[0] = Operand::i64(1);
                let mut part = shape.clone();
                part[0] = Extent::Const(n - 1);
                Some(self.b.view(array, View::Slice { starts, steps: vec![1; rank] }, part, Vec::new()))
            }
            3 if rank == 2 => {
                let swapped = vec![shape[1], shape[0]];
                Some(self.b.view(array, View::Reshape, swapped, Vec::new()))
            }
            3 => {
                let shape =
                    if self.one_in(2) { vec![Extent::Const(1), shape[0]] } else { vec![shape[0], Extent::Const(1)] };
                Some(self.b.view(array, View::Reshape, shape, Vec::new()))
            }
            4 if rank == 1 => {
                let outer = self.size();
                Some(self.b.view(array, View::Broadcast, vec![outer, shape[0]], Vec::new()))
            }
            _ => {
                let n = self.size();
                (rank == 1).then(|| self.b.replicate(n.into(), array.into(), Vec::new()))
            }
        }
    }

    fn update(&mut self) -> Option<Value> {
        let rank = 1 + self.random(2);
        let array = self.array(rank)?;
        let array = if self.one_in(2) { self.b.copy(array) } else { array };
        let shape = self.b.func.ty(array).shape.clone();
        let count = 1 + self.random(rank);
        let indices = shape[..count].iter().map(|&e| self.index_for(e)).collect::<Option<Vec<_>>>()?;
        let value = if count == rank { self.number() } else { self.array_of(&shape[count..]).into() };
        let ty = self.b.func.ty(array).clone();
        Some(self.b.emit_one(Op::Update { array, indices, value, consumes: false }, ty, Vec::new()))
    }

    fn literal(&mut self) -> Option<Value> {
        if self.one_in(2) {
            let elems = (0..3).map(|_| self.number()).collect();
            let ty = Type::array(Scalar::I64, vec![Extent::Const(3)]);
            return Some(self.b.emit_one(Op::ArrayLit { elems }, ty, Vec::new()));
        }
        let extent = self.size();
        let rows: Vec<Value> = (0..2).map(|_| self.array_of(&[extent])).collect();
        if self.one_in(2) {
            let ty = Type::array(Scalar::I64, vec![Extent::Const(2), extent]);
            let elems = rows.iter().map(|&row| row.into()).collect();
            return Some(self.b.emit_one(Op::ArrayLit { elems }, ty, Vec::new()));
        }
        let ty = match extent {
            Extent::Const(n) => Type::array(Scalar::I64, vec![Extent::Const(2 * n)]),
            Extent::Value(v) => {
                let length = self.b.binary(BinOp::ADD, v.into(), v.into());
                Type::array(Scalar::I64, vec![length.extent()])
            }
        };
        Some(self.b.emit_one(Op::Concat { arrays: rows }, ty, Vec::new()))
    }

    /// A block in a scope of its own.
    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> (Vec<Operand>, T)) -> (Block, T) {
        let scope = self.scope.clone();
        self.b.open_block();
        let (results, other) = body(self);
        self.scope = scope;
        (self.b.close_block(results), other)
    }

    fn result_of(&mut self, ty: &Type) -> Operand {
        if ty.is_scalar() { self.number() } else { self.array_of(&ty.shape).into() }
    }

    fn some_type(&mut self) -> Type {
        if self.one_in(3) {
            Type::scalar(Scalar::I64)
        } else {
            let shape = self.shape();
            Type::array(Scalar::I64, shape)
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.condition();
        let types: Vec<Type> = (0..1 + self.random(2)).map(|_| self.some_type()).collect();
        let blocks: Vec<Block> = (0..2)
            .map(|_| {
                self.nested(|g| {
                    let count = g.random(4);
                    g.statements(depth - 1, count);
                    (types.iter().map(|ty| g.result_of(ty)).collect(), ())
                })
                .0
            })
            .collect();
        let [then, otherwise] = <[Block; 2]>::try_from(blocks).expect("there are two branches");
        let results = self.b.emit(Op::If { cond, then, otherwise }, types, Vec::new());
        self.scope.extend(results);
    }

    fn sequential_loop(&mut self, depth: usize) {
        let types: Vec<Type> = (0..1 + self.random(3)).map(|_| self.some_type()).collect();
        let init: Vec<Operand> = types.iter().map(|ty| self.result_of(ty)).collect();
        let mut init = init;
        let mut consumed = vec![false; types.len()];
        for (at, ty) in types.iter().enumerate() {
            if !ty.is_scalar() && self.one_in(3) {
                let Operand::Value(array) = init[at] else { panic!("an array is a value") };
                init[at] = self.b.copy(array).into();
                consumed[at] = true;
            }
        }
        let params: Vec<Value> = types.iter().map(|ty| self.b.value(ty.clone(), None)).collect();
        let index = self.b.value(Type::scalar(Scalar::I64), None);
        let count = self.random(4) as i64;
        let is_while = self.one_in(4);
        let counter = self.b.value(Type::scalar(Scalar::I64), None);
        let (body, ()) = self.nested(|g| {
            g.scope.push(if is_while { counter } else { index });
            // A consumed parameter is only used by the statements that update it, so that the verifier is content.
            g.scope.extend(params.iter().zip(&consumed).filter(|(_, consumed)| !**consumed).map(|(param, _)| *param));
            let count = g.random(4);
            g.statements(depth - 1, count);
            let mut results = Vec::new();
            for (at, ty) in types.iter().enumerate() {
                results.push(if consumed[at] {
                    g.updated(params[at]).into()
                } else if g.one_in(5) {
                    params[at].into()
                } else {
                    g.result_of(ty)
                });
            }
            if is_while {
                results.push(g.b.binary(BinOp::ADD, counter.into(), Operand::i64(1)));
            }
            (results, ())
        });
        let (mut params, mut init, mut consumed) = (params, init, consumed);
        let kind = if is_while {
            params.push(counter);
            init.push(Operand::i64(0));
            consumed.push(false);
            let (condition, ()) =
                self.nested(|g| (vec![g.b.binary(BinOp::LT, counter.into(), Operand::i64(count))], ()));
            LoopKind::While { condition }
        } else {
            LoopKind::For { index, count: Operand::i64(count) }
        };
        let results = self.b.sequential_loop(kind, params, init, body, consumed);
        self.scope.extend(results);
    }

    /// The array updated in place a few times, perhaps in a branch.
    fn updated(&mut self, array: Value) -> Value {
        let mut array = array;
        for _ in 0..1 + self.random(2) {
            let ty = self.b.func.ty(array).clone();
            let Some(indices) = ty.shape.iter().map(|&e| self.index_for(e)).collect::<Option<Vec<_>>>() else {
                return array;
            };
            let value = self.number();
            if self.one_in(3) {
                let cond = self.condition();
                let (then, ()) = self.nested(|g| (vec![g.b.update(array, indices, value, Vec::new()).into()], ()));
                let otherwise = Block { stmts: Vec::new(), results: vec![array.into()] };
                array = self.b.emit(Op::If { cond, then, otherwise }, vec![ty], Vec::new())[0];
            } else {
                array = self.b.update(array, indices, value, Vec::new());
            }
        }
        array
    }

    fn with_loop(&mut self, depth: usize) {
        let extent = self.size();
        let second = self.size();
        let rank = 1 + self.random(4) / 3;
        let space: Vec<Extent> = [extent, second][..rank].to_vec();
        let indices: Vec<Value> = space.iter().map(|_| self.b.value(Type::scalar(Scalar::I64), None)).collect();
        let row = self.size();
        let mut kinds = Vec::new();
        for _ in 0..1 + self.random(2) {
            let kind = self.random(if rank == 1 { 8 } else { 5 });
            kinds.push(kind);
        }
        let lambda_ops = [BinOp::ADD, BinOp::MIN, BinOp::MAX, BinOp::XOR, BinOp::MUL];
        let (body, ()) = self.nested(|g| {
            g.scope.extend(&indices);
            // What has the space's extent can be read at the index.
            for array in g.values(|ty| ty.shape.first() == Some(&extent)) {
                if g.one_in(2) {
                    let element = g.b.index(array, vec![indices[0].into()], Vec::new());
                    g.scope.push(element);
                }
            }
            let count = g.random(4);
            g.statements(depth - 1, count);
            let mut cells: Vec<Operand> = Vec::new();
            for &kind in &kinds {
                match kind {
                    // A guarded fold, or a filter.
                    3 | 6 => {
                        cells.push(g.condition());
                        cells.push(g.number());
                    }
                    // Rows.
                    1 | 4 => cells.push(g.array_of(&[row]).into()),
                    // A filter of rows and numbers.
                    7 => {
                        cells.push(g.condition());
                        cells.push(g.array_of(&[row]).into());
                        cells.push(g.number());
                    }
                    _ => cells.push(g.number()),
                }
            }
            (cells, ())
        });
        let mut operators = Vec::new();
        let scalar = Type::scalar(Scalar::I64);
        let mut results: Vec<Value> = Vec::new();
        for &kind in &kinds {
            let op = lambda_ops[self.random(lambda_ops.len())];
            let mut add = |g: &mut Self, ty: Type| results.push(g.b.value(ty, None));
            match kind {
                0 => {
                    operators.push(OperatorData::new(Operator::GenArray));
                    add(self, Type::array(Scalar::I64, space.clone()));
                }
                1 => {
                    operators.push(OperatorData::new(Operator::GenArray));
                    add(self, Type::array(Scalar::I64, space.iter().copied().chain([row]).collect()));
                }
                2 | 3 => {
                    let neutral = vec![self.number()];
                    let combine = self.combination(op, &scalar);
                    let op = Operator::Fold { combine, neutral, commutative: false };
                    operators.push(OperatorData { op, guarded: kind == 3 });
                    add(self, scalar.clone());
                }
                4 => {
                    let ty = Type::array(Scalar::I64, vec![row]);
                    let neutral = vec![self.array_of(&[row]).into()];
                    let combine = self.combination(op, &ty);
                    operators.push(OperatorData::new(Operator::Fold { combine, neutral, commutative: false }));
                    add(self, ty);
                }
                5 => {
                    let neutral = vec![self.number()];
                    let combine = self.combination(op, &scalar);
                    operators.push(OperatorData::new(Operator::Scan { combine, neutral }));
                    add(self, Type::array(Scalar::I64, vec![extent]));
                }
                _ => {
                    let arrays = if kind == 7 { 2 } else { 1 };
                    operators.push(OperatorData { op: Operator::Filter { arrays }, guarded: true });
                    let count = self.b.value(scalar.clone(), None);
                    results.push(count);
                    if kind == 7 {
                        results.push(self.b.value(Type::array(Scalar::I64, vec![Extent::Value(count), row]), None));
                    }
                    results.push(self.b.value(Type::array(Scalar::I64, vec![Extent::Value(count)]), None));
                }
            }
        }
        let mut generators = vec![Part::full(&space, body)];
        for _ in 0..3 {
            self.split(&space, &mut generators);
        }
        let data = frit_ir::array::WithLoopData { space, indices, generators, operators, span: Span::NONE };
        let w = self.b.func.with_loops.push(data);
        self.b.push(frit_ir::array::Stmt {
            results: results.clone(),
            op: Op::With(w),
            certs: Vec::new(),
            span: Span::NONE,
        });
        self.scope.extend(results);
    }

    /// Divides one of the generators along an axis of known extent, into halves or into every other index.
    fn split(&mut self, space: &[Extent], generators: &mut Vec<Part>) {
        let (at, axis) = (self.random(generators.len()), self.random(space.len()));
        let Extent::Const(extent) = space[axis] else { return };
        let old = &generators[at];
        let bounds = (old.lower[axis], old.upper[axis]);
        let (Operand::Const(lower), Operand::Const(upper)) = bounds else { return };
        let (Some(lower), Some(upper)) = (lower.as_i64(), upper.as_i64()) else { return };
        if extent < 2 || upper - lower < 2 || old.step[axis] != 1 {
            return;
        }
        let mut second = old.clone();
        second.body = self.b.func.copy_block(None, &old.body, &mut frit_ir::array::walk::Renaming::new());
        if self.one_in(2) {
            let cut = lower + 1 + self.random((upper - lower - 1) as usize) as i64;
            generators[at].upper[axis] = Operand::i64(cut);
            second.lower[axis] = Operand::i64(cut);
        } else {
            generators[at].step[axis] = 2;
            second.step[axis] = 2;
            second.lower[axis] = Operand::i64(lower + 1);
        }
        generators.push(second);
    }

    /// `op` on scalars or, element by element, on vectors; or the second of two operands, which is associative too.
    fn combination(&mut self, op: BinOp, ty: &Type) -> Lambda {
        let params: Vec<Value> = (0..2).map(|_| self.b.value(ty.clone(), None)).collect();
        let second = self.one_in(8);
        let (body, ()) = self.nested(|g| {
            if second {
                return (vec![params[1].into()], ());
            }
            if ty.is_scalar() {
                return (vec![g.b.binary(op, params[0].into(), params[1].into())], ());
            }
            let index = g.b.value(Type::scalar(Scalar::I64), None);
            let (cell, ()) = g.nested(|g| {
                let x = g.b.index(params[0], vec![index.into()], Vec::new());
                let y = g.b.index(params[1], vec![index.into()], Vec::new());
                (vec![g.b.binary(op, x.into(), y.into())], ())
            });
            let operators = vec![OperatorData::new(Operator::GenArray)];
            let results = g.b.with_loop(ty.shape.clone(), vec![index], cell, operators, vec![ty.clone()], Vec::new());
            (vec![results[0].into()], ())
        });
        Lambda { params, body }
    }

    fn pick_results(&mut self) -> Vec<Value> {
        let mut results = Vec::new();
        let all = self.values(|_| true);
        for _ in 0..4 {
            results.push(all[all.len() - 1 - self.random(all.len()).min(self.random(all.len()))]);
        }
        results
    }
}
