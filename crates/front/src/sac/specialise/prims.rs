//! The operations of the language.

use super::sizes::MAX_EXTENT;
use super::value::{Data, Scalar, Value};
use super::{Result, Specialiser};
use crate::sac::core::{Basic, Elem, Prim};
use frit_ir::array::{self, Extent, Generator, Op, Operand, Operator, OperatorData, Type, View, WithLoopData};
use frit_ir::{BinOp, Const, FailureKind, UnOp};
use frit_support::Span;

impl<'p> Specialiser<'p> {
    /// An operation on these operands.
    pub(super) fn primitive(&mut self, prim: Prim, args: Vec<Value>, span: Span) -> Result<Value> {
        match (prim, &args[..]) {
            (Prim::Unary(op), [x]) => self.map_unary(op, x, span),
            (Prim::Binary(_) | Prim::AplMod, [x, y]) => self.map_binary(prim, x, y, span),
            (Prim::Dim, [x]) => Ok(Value::scalar(Scalar::int(self.rank(x) as i64))),
            (Prim::Shape, [x]) => Ok(self.shape_vector(x)),
            (Prim::Reshape, [shape, x]) => {
                let (shape, certs) = self.shape_of(shape, span)?;
                self.reshape(x, shape, certs, span)
            }
            (Prim::Take, [amount, x]) => {
                let (amount, size, length, certs) = self.amount(amount, x, span)?;
                let is_negative = self.below(amount, Operand::i64(0));
                let rest = self.difference(length, size);
                let start = self.total_select(is_negative, rest, Operand::i64(0));
                Ok(self.rows(x, start, size, &certs))
            }
            (Prim::Drop, [amount, x]) => {
                let (amount, size, length, certs) = self.amount(amount, x, span)?;
                let is_negative = self.below(amount, Operand::i64(0));
                let rest = self.difference(length, size);
                self.bound(rest, 0, MAX_EXTENT);
                let start = self.total_select(is_negative, Operand::i64(0), size);
                Ok(self.rows(x, start, rest, &certs))
            }
            (Prim::Cat, [x, y]) => {
                let (n, m) = (self.vector_length(x, span)?, self.vector_length(y, span)?);
                self.cat(x, n, y, m, span)
            }
            (Prim::Hide, [_, x]) => Ok(x.clone()),
            (Prim::Argc, []) => self.argc(span),
            (Prim::Argv, [number]) => {
                let number = self.number(number, span)?;
                self.argv(number, span)
            }
            (Prim::Size, [x]) => {
                let shape = self.shape(x);
                let count = self.element_count(&shape);
                Ok(Value::scalar(self.extent_scalar(count.extent())))
            }
            (Prim::All, [x]) => self.all(x, span),
            (Prim::Exit, [status]) => {
                let status = self.number(status, span)?;
                self.exit(status, span)
            }
            (Prim::Mask, [p, a, b]) => self.mask([p, a, b], span),
            (Prim::Ask(request), args) => self.ask(request, args, span),
            (Prim::ZerosLike, [shape, x]) => {
                let (mut shape, certs) = self.shape_of(shape, span)?;
                let cell = self.program.cell_of(x.elem).0;
                shape.extend(cell.into_iter().map(Extent::Const));
                let zeros = self.zeros(x.elem, &shape);
                Ok(self.certify(zeros, &certs))
            }
            (prim, args) => panic!("{prim:?} has another number of operands than {}", args.len()),
        }
    }

    /// The operation on two scalars.
    fn scalar_op(&mut self, prim: Prim, x: Scalar, y: Scalar, span: Span) -> Result<Scalar> {
        match prim {
            Prim::Binary(op) => self.binary(op, x, y, span),
            Prim::AplMod => self.apl_mod(x, y, span),
            other => panic!("{other:?} is no operation on two scalars"),
        }
    }

    /// The residue; that of division by zero is the dividend.
    fn apl_mod(&mut self, x: Scalar, y: Scalar, span: Span) -> Result<Scalar> {
        let zero = Scalar::zero(y.basic);
        let is_zero = self.binary(BinOp::EQ, y, zero, span)?;
        match is_zero.as_const().and_then(frit_ir::Const::as_bool) {
            Some(true) => return Ok(x),
            Some(false) => return self.binary(BinOp::FLOOR_MOD, x, y, span),
            None => {}
        }
        let cond = self.as_operand(is_zero);
        let (dividend, divisor) = (self.as_operand(x), self.as_operand(y));
        let one = Operand::Const(UnOp::Convert(y.basic.scalar()).eval(frit_ir::Const::i64(1)));
        let safe = self.total_select(cond, one, divisor);
        let residue = self.total_binary(BinOp::FLOOR_MOD, dividend, safe);
        let result = self.total_select(cond, dividend, residue);
        Ok(Scalar::operand(x.basic, result))
    }

    fn map_unary(&mut self, op: UnOp, x: &Value, span: Span) -> Result<Value> {
        let rank = self.rank(x);
        if rank > 1 {
            return self.rank_mismatch(1, rank, span);
        }
        match &x.data {
            Data::Components { shape, scalars } => {
                let (shape, scalars) = (shape.clone(), scalars.clone());
                let mut results = Vec::with_capacity(scalars.len());
                for scalar in scalars {
                    results.push(self.unary(op, scalar));
                }
                let basic = self.basic(x.elem).expect("the checker looked at the types of elements");
                let elem = op.result(basic.scalar()).expect("the checker looked at the types of elements");
                let elem = results.first().map_or(Basic::representing(elem), |s| s.basic);
                Ok(Value::components(Elem::Basic(elem), shape, results))
            }
            Data::Array(array) => {
                let array = *array;
                let basic = self.basic(x.elem).expect("an array consists of a basic type");
                let extent = self.data_shape(x)[0];
                self.elementwise(extent, |this, at| {
                    let element = this.element(array, basic, at);
                    Ok(this.unary(op, element))
                })
            }
            Data::Struct { .. } => panic!("there is no arithmetic on structs"),
        }
    }

    fn map_binary(&mut self, prim: Prim, x: &Value, y: &Value, span: Span) -> Result<Value> {
        if let (Some(x), Some(y)) = (x.as_scalar(), y.as_scalar()) {
            return Ok(Value::scalar(self.scalar_op(prim, x, y, span)?));
        }
        for operand in [x, y] {
            let rank = self.rank(operand);
            if rank > 1 {
                return self.rank_mismatch(1, rank, span);
            }
        }
        let mut certs = Vec::new();
        let extent = match (&self.shape(x)[..], &self.shape(y)[..]) {
            ([n], [m]) => {
                certs = self.check_shape(FailureKind::LengthMismatch, &[*n], &[*m], span)?;
                match n {
                    Extent::Const(_) => *n,
                    Extent::Value(_) => *m,
                }
            }
            ([n], _) | (_, [n]) => *n,
            _ => unreachable!("two scalars are no vectors"),
        };
        let (basic_x, basic_y) = (self.basic(x.elem), self.basic(y.elem));
        let (Some(basic_x), Some(basic_y)) = (basic_x, basic_y) else {
            panic!("there is no arithmetic on structs");
        };
        if let Extent::Const(n) = extent
            && n <= 64
        {
            let n = n.max(0) as usize;
            let (xs, ys) = (self.components_under(x, n, &certs)?, self.components_under(y, n, &certs)?);
            let mut results = Vec::with_capacity(n);
            for (x, y) in xs.into_iter().zip(ys) {
                results.push(self.scalar_op(prim, x, y, span)?);
            }
            let basic = match prim {
                Prim::Binary(op) => {
                    let elem = op.result(basic_x.scalar()).expect("the checker looked at the types of elements");
                    if elem == basic_x.scalar() { basic_x } else { Basic::representing(elem) }
                }
                _ => basic_x,
            };
            return Ok(Value::components(Elem::Basic(basic), vec![n], results));
        }
        let outer = self.enter();
        self.hold(&certs);
        let (a, b) = (self.array(x), self.array(y));
        let (is_scalar_x, is_scalar_y) = (x.as_scalar(), y.as_scalar());
        let result = self.elementwise(extent, |this, at| {
            let x = match is_scalar_x {
                Some(scalar) => scalar,
                None => this.element(a.value().expect("an array is no constant"), basic_x, at),
            };
            let y = match is_scalar_y {
                Some(scalar) => scalar,
                None => this.element(b.value().expect("an array is no constant"), basic_y, at),
            };
            this.scalar_op(prim, x, y, span)
        });
        self.leave(outer);
        result
    }

    /// The components of a vector of this length, or the scalar so many times.
    fn components_under(&mut self, value: &Value, n: usize, certs: &[array::Value]) -> Result<Vec<Scalar>> {
        if let Some(scalar) = value.as_scalar() {
            return Ok(vec![scalar; n]);
        }
        match &value.data {
            Data::Components { scalars, .. } => Ok(scalars.clone()),
            Data::Array(array) => {
                let (array, basic) = (*array, self.basic(value.elem).expect("an array consists of a basic type"));
                let mut scalars = Vec::with_capacity(n);
                for at in 0..n as i64 {
                    let op = Op::Index { array, indices: vec![Operand::i64(at)] };
                    let element = self.emit_one_under(op, Type::scalar(basic.scalar()), certs);
                    scalars.push(Scalar::operand(basic, element.into()));
                }
                Ok(scalars)
            }
            Data::Struct { .. } => panic!("there is no arithmetic on structs"),
        }
    }

    fn element(&mut self, array: array::Value, basic: Basic, at: Operand) -> Scalar {
        let op = Op::Index { array, indices: vec![at] };
        let element = self.emit_one_under(op, Type::scalar(basic.scalar()), &[]);
        Scalar::operand(basic, element.into())
    }

    /// A vector of this length, from what its elements are.
    fn elementwise(
        &mut self,
        extent: Extent,
        element: impl FnOnce(&mut Self, Operand) -> Result<Scalar>,
    ) -> Result<Value> {
        let high = self.bounds(extent.into()).1.min(MAX_EXTENT);
        let index = self.new_size(0, high.saturating_sub(1).max(0));
        let mut basic = Basic::Int;
        let (mut body, made) = self.in_block(|this| {
            let scalar = element(this, index.into())?;
            basic = scalar.basic;
            Ok(this.as_operand(scalar))
        })?;
        body.results = vec![made.unwrap_or(basic.scalar().zero().into())];
        let generators = vec![Generator::full(&[extent], body)];
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let span = self.builder.span();
        let data = WithLoopData { space: vec![extent], indices: vec![index], generators, operators, span };
        let with_loop = self.builder.func.with_loops.push(data);
        let ty = Type::array(basic.scalar(), vec![extent]);
        let array = self.emit_one_under(Op::With(with_loop), ty, &[]);
        Ok(Value::array(Elem::Basic(basic), array))
    }

    /// Whether all elements of a vector are true.
    fn all(&mut self, x: &Value, span: Span) -> Result<Value> {
        let extent = self.vector_length(x, span)?;
        if let Data::Components { scalars, .. } = &x.data {
            let mut result = Scalar::constant(Basic::Bool, Const::Bool(true));
            for &scalar in &scalars.clone() {
                result = self.binary(BinOp::AND, result, scalar, span)?;
            }
            return Ok(Value::scalar(result));
        }
        let Operand::Value(array) = self.array(x) else { panic!("a vector is an array") };
        let truth = Type::scalar(Basic::Bool.scalar());
        let high = self.bounds(extent.into()).1.min(MAX_EXTENT);
        let index = self.new_size(0, high.saturating_sub(1).max(0));
        let (mut body, element) = self.in_block(|this| Ok(this.element(array, Basic::Bool, index.into())))?;
        let element = match element {
            Some(element) => self.as_operand(element),
            None => Const::Bool(true).into(),
        };
        body.results = vec![element];
        let params: Vec<array::Value> = (0..2).map(|_| self.builder.value(truth.clone(), None)).collect();
        self.builder.open_block();
        let both = Op::Binary { op: BinOp::AND, x: params[0].into(), y: params[1].into() };
        let both = self.builder.emit_one(both, truth.clone(), Vec::new());
        let combine = array::Lambda { params, body: self.builder.close_block(vec![both.into()]) };
        let operator = Operator::Fold { combine, neutral: vec![Const::Bool(true).into()], commutative: true };
        let generators = vec![Generator::full(&[extent], body)];
        let operators = vec![OperatorData::new(operator)];
        let span = self.builder.span();
        let data = WithLoopData { space: vec![extent], indices: vec![index], generators, operators, span };
        let with_loop = self.builder.func.with_loops.push(data);
        let result = self.emit_one_under(Op::With(with_loop), truth, &[]);
        Ok(Value::scalar(Scalar::operand(Basic::Bool, result.into())))
    }

    /// The second operand where the first is true, else the third; each is a scalar or a vector.
    fn mask(&mut self, operands: [&Value; 3], span: Span) -> Result<Value> {
        let basic = self.basic(operands[1].elem).expect("the checker looked at the types of elements");
        let mut extent: Option<Extent> = None;
        let mut certs = Vec::new();
        for operand in operands {
            match self.shape(operand)[..] {
                [] => {}
                [n] => match extent {
                    Some(m) => {
                        certs.extend(self.check_shape(FailureKind::LengthMismatch, &[m], &[n], span)?);
                        if let Extent::Const(_) = n {
                            extent = Some(n);
                        }
                    }
                    None => extent = Some(n),
                },
                ref shape => {
                    let rank = shape.len();
                    return self.rank_mismatch(1, rank, span);
                }
            }
        }
        let known: Option<Vec<&Vec<Scalar>>> = operands
            .iter()
            .map(|operand| match &operand.data {
                Data::Components { scalars, .. } => Some(scalars),
                _ => None,
            })
            .collect();
        let chosen = |this: &mut Self, [p, a, b]: [Scalar; 3]| {
            let [p, a, b] = [p, a, b].map(|scalar| this.as_operand(scalar));
            Scalar::operand(basic, this.total_select(p, a, b))
        };
        let value = match (known, extent) {
            (Some(known), _) => {
                let shape = operands.iter().map(|operand| self.rank(operand)).max().unwrap_or(0);
                let count = match extent {
                    Some(extent) => constant(extent).expect("components are counted"),
                    None => 1,
                };
                let mut results = Vec::with_capacity(count);
                for at in 0..count {
                    let component = |k: usize| {
                        let is_scalar = matches!(&operands[k].data, Data::Components { shape, .. } if shape.is_empty());
                        known[k][if is_scalar { 0 } else { at }]
                    };
                    results.push(chosen(self, [component(0), component(1), component(2)]));
                }
                Value::components(Elem::Basic(basic), vec![count; shape], results)
            }
            (None, Some(extent)) => {
                let arrays: Vec<Operand> = operands.iter().map(|operand| self.array(operand)).collect();
                let basics = [Basic::Bool, basic, basic];
                self.elementwise(extent, |this, at| {
                    let mut scalars = Vec::with_capacity(3);
                    for (array, basic) in arrays.into_iter().zip(basics) {
                        scalars.push(match array {
                            Operand::Value(array) if !this.builder.func.ty(array).is_scalar() => {
                                this.element(array, basic, at)
                            }
                            scalar => Scalar::operand(basic, scalar),
                        });
                    }
                    Ok(chosen(this, [scalars[0], scalars[1], scalars[2]]))
                })?
            }
            (None, None) => panic!("scalars are components"),
        };
        Ok(self.certify(value, &certs))
    }

    pub(super) fn rank_mismatch<T>(&mut self, needed: usize, found: usize, span: Span) -> Result<T> {
        let args = vec![Operand::i64(needed as i64), Operand::i64(found as i64)];
        self.fail_with(FailureKind::RankMismatch, args, span)
    }

    /// A scalar integer.
    pub(super) fn number(&mut self, value: &Value, span: Span) -> Result<Scalar> {
        match value.as_scalar() {
            Some(scalar) => Ok(scalar),
            None => {
                let rank = self.rank(value);
                self.rank_mismatch(0, rank, span)
            }
        }
    }

    /// The length of a vector.
    fn vector_length(&mut self, value: &Value, span: Span) -> Result<Extent> {
        match self.shape(value)[..] {
            [length] => Ok(length),
            ref shape => {
                let rank = shape.len();
                self.rank_mismatch(1, rank, span)
            }
        }
    }

    /// The shape that a vector of extents stands for, and the certificates that it is one.
    pub(super) fn shape_of(&mut self, extents: &Value, span: Span) -> Result<(Vec<Extent>, Vec<array::Value>)> {
        let rank = self.rank(extents);
        if rank > 1 {
            return self.rank_mismatch(1, rank, span);
        }
        let scalars = self.small_vector(extents, span)?;
        self.checked_shape(scalars, span)
    }

    /// These extents, and the certificates that arrays can have them.
    pub(super) fn checked_shape(
        &mut self,
        scalars: Vec<Scalar>,
        span: Span,
    ) -> Result<(Vec<Extent>, Vec<array::Value>)> {
        let mut shape = Vec::with_capacity(scalars.len());
        let mut certs = Vec::new();
        for scalar in scalars {
            let extent = self.as_index(scalar);
            let fits = self.is_in_bounds(extent, Operand::i64(MAX_EXTENT + 1));
            certs.extend(self.check(fits, FailureKind::NegativeSize, vec![extent], span)?);
            self.bound(extent, 0, MAX_EXTENT);
            shape.push(extent.extent());
        }
        Ok((shape, certs))
    }

    fn reshape(
        &mut self,
        value: &Value,
        shape: Vec<Extent>,
        mut certs: Vec<array::Value>,
        span: Span,
    ) -> Result<Value> {
        let old = self.shape(value);
        let (needed, found) = (self.element_count(&shape), self.element_count(&old));
        let fits = self.equal(needed, found);
        certs.extend(self.check(fits, FailureKind::ElementCount, vec![needed, found], span)?);
        let cell = self.program.cell_of(value.elem).0;
        let mut full = shape;
        full.extend(cell.into_iter().map(Extent::Const));
        Ok(self.reshape_data(value, full, &certs))
    }

    /// The data under another shape.
    fn reshape_data(&mut self, value: &Value, full: Vec<Extent>, certs: &[array::Value]) -> Value {
        let elem = value.elem;
        if let Data::Struct { frame, fields } = &value.data {
            let frame_rank = frame.len();
            let fields = fields.clone();
            let parts = fields
                .iter()
                .map(|field| {
                    let mut inner = full.clone();
                    inner.extend(self.data_shape(field).split_off(frame_rank));
                    self.reshape_data(field, inner, certs)
                })
                .collect();
            return Value { elem, data: Data::Struct { frame: full, fields: parts } };
        }
        let constants: Option<Vec<usize>> = full.iter().map(|&e| constant(e)).collect();
        if let (Data::Components { scalars, .. }, Some(shape)) = (&value.data, &constants) {
            return Value::components(elem, shape.clone(), scalars.clone());
        }
        let array = match self.array(value) {
            Operand::Value(array) if !self.builder.func.ty(array).is_scalar() => array,
            scalar => {
                let ty = Type::array(self.builder.func.operand_type(scalar).elem, vec![Extent::Const(1)]);
                self.emit_one(Op::ArrayLit { elems: vec![scalar] }, ty)
            }
        };
        if full.is_empty() {
            let indices = vec![Operand::i64(0); self.builder.func.ty(array).rank()];
            return self.select_checked(&Value::array(elem, array), &indices, certs);
        }
        Value::array(elem, self.reshaped(array, full, certs))
    }

    /// What is taken from or dropped from a vector: the amount, how much that is, the length of the vector, which is not less.
    fn amount(
        &mut self,
        amount: &Value,
        vector: &Value,
        span: Span,
    ) -> Result<(Operand, Operand, Operand, Vec<array::Value>)> {
        let amount = self.number(amount, span)?;
        let length: Operand = self.vector_length(vector, span)?.into();
        let amount = self.as_exact(amount);
        let negated = self.difference(Operand::i64(0), amount);
        let size = self.larger(amount, negated);
        let fits = self.at_most(size, length);
        let certs = self.check(fits, FailureKind::TakeOutOfRange, vec![amount, length], span)?;
        self.bound(size, 0, MAX_EXTENT);
        Ok((amount, size, length, certs))
    }

    /// So many elements of a vector.
    fn rows(&mut self, vector: &Value, start: Operand, count: Operand, certs: &[array::Value]) -> Value {
        let elem = vector.elem;
        if let Data::Struct { frame, fields } = &vector.data {
            let mut frame = frame.clone();
            frame[0] = count.extent();
            let fields = fields.clone().iter().map(|field| self.rows(field, start, count, certs)).collect();
            return Value { elem, data: Data::Struct { frame, fields } };
        }
        let constants = constant(start.extent()).zip(constant(count.extent()));
        if let (Data::Components { shape, scalars }, Some((start, count))) = (&vector.data, constants) {
            let size: usize = shape[1..].iter().product();
            let mut shape = shape.clone();
            shape[0] = count;
            return Value::components(elem, shape, scalars[start * size..(start + count) * size].to_vec());
        }
        let array = self.array(vector).value().expect("an array is no constant");
        let mut ty = self.builder.func.ty(array).clone();
        let mut starts = vec![Operand::i64(0); ty.rank()];
        starts[0] = start;
        let steps = vec![1; ty.rank()];
        ty.shape[0] = count.extent();
        let op = Op::View { array, view: View::Slice { starts, steps } };
        Value::array(elem, self.emit_one_under(op, ty, certs))
    }

    /// One vector behind another.
    fn cat(&mut self, x: &Value, n: Extent, y: &Value, m: Extent, span: Span) -> Result<Value> {
        if n == Extent::Const(0) {
            return Ok(y.clone());
        }
        if m == Extent::Const(0) {
            return Ok(x.clone());
        }
        let sum = self.sum(n.into(), m.into());
        let mut certs = Vec::new();
        if sum.constant().is_none() {
            let fits = self.at_most(sum, Operand::i64(MAX_EXTENT));
            certs = self.check(fits, FailureKind::NegativeSize, vec![sum], span)?;
            self.bound(sum, 0, MAX_EXTENT);
        }
        Ok(self.cat_data(x, y, sum.extent(), &certs))
    }

    fn cat_data(&mut self, x: &Value, y: &Value, sum: Extent, certs: &[array::Value]) -> Value {
        let elem = x.elem;
        match (&x.data, &y.data) {
            (Data::Struct { frame, fields: first }, Data::Struct { fields: second, .. }) => {
                let mut frame = frame.clone();
                frame[0] = sum;
                let fields = first.iter().zip(second).map(|(x, y)| self.cat_data(x, y, sum, certs)).collect::<Vec<_>>();
                Value { elem, data: Data::Struct { frame, fields } }
            }
            (Data::Components { shape, scalars: first }, Data::Components { scalars: second, .. }) => {
                let size: usize = shape[1..].iter().product();
                let mut scalars = first.clone();
                scalars.extend(second);
                let mut shape = shape.clone();
                shape[0] = scalars.len().checked_div(size).unwrap_or(0);
                Value::components(elem, shape, scalars)
            }
            _ => {
                let arrays: Vec<array::Value> =
                    [x, y].map(|v| self.array(v).value().expect("an array is no constant")).to_vec();
                let mut ty = self.builder.func.ty(arrays[0]).clone();
                ty.shape[0] = sum;
                Value::array(elem, self.emit_one_under(Op::Concat { arrays }, ty, certs))
            }
        }
    }
}

fn constant(extent: Extent) -> Option<usize> {
    match extent {
        Extent::Const(n) => usize::try_from(n.max(0)).ok(),
        Extent::Value(_) => None,
    }
}
