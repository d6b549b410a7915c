//! The operations of the language.

use super::failure::{Outcome, fail};
use super::value::{Shape, Value, volume};
use super::{COUNT_LIMIT, Cause, EXTENT_LIMIT, Failure, Machine};
use crate::sac::core::{Axis, Basic, Elem, Expr, ForeignCall, Prim};
use frit_ir::effect::Param;
use frit_ir::effect::foreign::PartForm;
use frit_ir::{BinOp, Const, Effect, FailureKind, Request, Scalar, TensorData, UnOp};
use frit_support::Span;

impl<'p> Machine<'p> {
    pub(super) fn primitive(&mut self, prim: Prim, args: &'p [Expr], span: Span) -> Outcome<Value> {
        if let (Prim::Binary(_) | Prim::AplMod, [x, y]) = (prim, args) {
            let (x, y) = (self.value(x)?, self.value(y)?);
            return binary(prim, &x, &y, span);
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.value(arg)?);
        }
        match prim {
            Prim::Ask(request) => self.ask(request, &values, span),
            prim => self.apply_primitive(prim, &values, span),
        }
    }

    /// A question to the machine.
    fn ask(&mut self, request: Request, args: &[Value], span: Span) -> Outcome<Value> {
        if self.supposing.is_some() {
            // Nobody sees this failure.
            return fail(FailureKind::AssertionFailed, &[], span);
        }
        let mut tensors = Vec::with_capacity(args.len());
        for (param, arg) in request.params().iter().zip(args) {
            let rank = usize::from(*param == Param::Text);
            if arg.shape.len() != rank {
                return fail(FailureKind::RankMismatch, &[rank as i64, arg.shape.len() as i64], span);
            }
            tensors.push(arg.to_tensor().expect("the checker lets no struct be asked"));
        }
        let answer = self.host.carry_out(&Effect::Ask(request), &tensors, &[]).remove(0);
        Ok(Value::from_tensor(Basic::Long, answer))
    }

    /// A call in C; its results.
    pub(super) fn foreign_call(&mut self, call: &'p ForeignCall, span: Span) -> Outcome<Vec<Value>> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.value(arg)?.to_tensor().expect("the checker hands no struct to C"));
        }
        if call.foreign.is_ordered && self.supposing.is_some() {
            // Nobody sees this failure.
            return fail(FailureKind::AssertionFailed, &[], span);
        }
        let mut shapes = Vec::new();
        for (part, pattern) in call.foreign.results.iter().zip(&call.results) {
            if part.form == PartForm::Array {
                shapes.push(match call.foreign.origin(part) {
                    Some(at) => args[at].shape().to_vec(),
                    None => self.foreign_shape(&pattern.axes, span)?,
                });
            }
        }
        let mut answers = self.host.carry_out(&Effect::Call(call.foreign.clone()), &args, &shapes).into_iter();
        let mut next = || answers.next().expect("C gives all results");
        let mut results = Vec::with_capacity(call.results.len());
        for (part, pattern) in call.foreign.results.iter().zip(&call.results) {
            // Any other is a pointer of C.
            let basic = if let Elem::Basic(basic) = pattern.elem { basic } else { Basic::LongLong };
            let answer = match (part.form, &call.text) {
                (PartForm::Text, Some(text)) => {
                    let length = next().as_scalar().and_then(Const::as_i64).unwrap_or(0);
                    let shape = vec![usize::try_from(length).unwrap_or(0)];
                    self.host.carry_out(&Effect::Call(text.clone()), &[next()], &[shape]).remove(0)
                }
                (PartForm::Scalar | PartForm::Array | PartForm::Text, _) => next(),
            };
            results.push(Value::from_tensor(basic, answer));
        }
        Ok(results)
    }

    /// The extents that a pattern says, all names in which have values.
    fn foreign_shape(&mut self, axes: &[Axis], span: Span) -> Outcome<Vec<usize>> {
        let mut extents: Vec<i32> = Vec::new();
        for axis in axes {
            match axis {
                Axis::Extent(n) => extents.push(*n as i32),
                Axis::Bind(local) | Axis::Axes { shape: Some(local), .. } => {
                    extents.extend(self.local(*local, span)?.integers().into_iter().map(|extent| extent as i32));
                }
                Axis::Any | Axis::Rest { .. } | Axis::Axes { shape: None, .. } => {
                    panic!("the checker wants the extents of what C makes")
                }
            }
        }
        Ok(self.shape_of(&Value::ints(extents), span)?.to_vec())
    }

    /// An operation on these operands.
    pub(super) fn apply_primitive(&self, prim: Prim, args: &[Value], span: Span) -> Outcome<Value> {
        match (prim, args) {
            (Prim::Binary(_) | Prim::AplMod, [x, y]) => binary(prim, x, y, span),
            (Prim::Unary(op), [x]) => unary(op, x, span),
            (Prim::Dim, [x]) => Ok(Value::int(x.shape.len() as i32)),
            (Prim::Shape, [x]) => Ok(Value::extents(&x.shape)),
            (Prim::Reshape, [shape, x]) => {
                let shape = self.shape_of(shape, span)?;
                let (needed, found) = (volume(&shape), x.count());
                if needed != found {
                    return fail(FailureKind::ElementCount, &[needed as i64, found as i64], span);
                }
                Ok(x.clone().reshaped(shape))
            }
            (Prim::Take, [amount, x]) => {
                let (amount, extent) = self.amount(amount, x, span)?;
                let count = amount.unsigned_abs() as usize;
                let start = if amount < 0 { extent - count } else { 0 };
                Ok(self.rows(x, start, count))
            }
            (Prim::Drop, [amount, x]) => {
                let (amount, extent) = self.amount(amount, x, span)?;
                let dropped = amount.unsigned_abs() as usize;
                let start = if amount < 0 { 0 } else { dropped };
                Ok(self.rows(x, start, extent - dropped))
            }
            (Prim::Cat, [x, y]) => {
                let (n, m) = (vector_length(x, span)?, vector_length(y, span)?);
                // An empty vector leaves the other as it is: the one without elements may be a literal of another type.
                match (n, m) {
                    (0, _) => Ok(y.clone()),
                    (_, 0) => Ok(x.clone()),
                    _ => {
                        let shape = self.checked_shape(vec![(n + m) as i64], span)?;
                        Ok(Value::joined(&self.layouts, x.elem, shape, &[x.clone(), y.clone()]))
                    }
                }
            }
            (Prim::Hide, [_, x]) => Ok(x.clone()),
            (Prim::Argc, []) => Ok(Value::int(self.words.len() as i32)),
            (Prim::Argv, [number]) => {
                let number = self.number(number, span)?;
                match usize::try_from(number).ok().and_then(|at| self.words.get(at)) {
                    Some(word) => Ok(Value::text(word.chars())),
                    None => fail(FailureKind::OutOfBounds, &[number, self.words.len() as i64], span),
                }
            }
            (Prim::Size, [x]) => Ok(Value::int(x.count() as i32)),
            (Prim::All, [x]) => {
                let count = vector_length(x, span)?;
                Ok(Value::constant(Const::Bool((0..count).all(|at| x.get(at) == Const::Bool(true)))))
            }
            (Prim::Exit, [status]) => fail(FailureKind::Ended, &[self.number(status, span)?], span),
            (Prim::Mask, [p, a, b]) => mask([p, a, b], span),
            (Prim::ZerosLike, [shape, x]) => {
                let shape = self.shape_of(shape, span)?;
                Ok(Value::zeros(&self.layouts, x.elem, shape))
            }
            (prim, args) => panic!("{prim:?} has another number of operands than {}", args.len()),
        }
    }

    /// A scalar integer.
    fn number(&self, value: &Value, span: Span) -> Outcome<i64> {
        match value.as_integer() {
            Some(number) => Ok(number),
            None => fail(FailureKind::RankMismatch, &[0, value.shape.len() as i64], span),
        }
    }

    /// What is taken from or dropped from a vector, and its length, which is not less.
    fn amount(&self, amount: &Value, vector: &Value, span: Span) -> Outcome<(i64, usize)> {
        let amount = self.number(amount, span)?;
        let extent = vector_length(vector, span)?;
        if amount.unsigned_abs() > extent as u64 {
            return fail(FailureKind::TakeOutOfRange, &[amount, extent as i64], span);
        }
        Ok((amount, extent))
    }

    /// Elements of a vector.
    fn rows(&self, vector: &Value, start: usize, count: usize) -> Value {
        vector.part(&self.layouts, start, vec![count].into())
    }

    /// The shape that a vector of extents stands for; a scalar stands for a vector of one.
    pub(super) fn shape_of(&self, extents: &Value, span: Span) -> Outcome<Shape> {
        if extents.shape.len() > 1 {
            return fail(FailureKind::RankMismatch, &[1, extents.shape.len() as i64], span);
        }
        self.checked_shape(extents.integers(), span)
    }

    /// These extents, if an array can have them.
    pub(super) fn checked_shape(&self, extents: Vec<i64>, span: Span) -> Outcome<Shape> {
        let mut shape = Vec::with_capacity(extents.len());
        for extent in extents {
            if !(0..EXTENT_LIMIT).contains(&extent) {
                return fail(FailureKind::NegativeSize, &[extent], span);
            }
            shape.push(extent as usize);
        }
        self.check_volume(&shape, span)?;
        Ok(shape.into())
    }

    /// Fails if there are more elements under a shape than there can be.
    pub(super) fn check_volume(&self, shape: &[usize], span: Span) -> Outcome<()> {
        let count = shape.iter().try_fold(1usize, |count, extent| count.checked_mul(*extent));
        if shape.contains(&0) || count.is_some_and(|count| count <= COUNT_LIMIT) {
            return Ok(());
        }
        Err(Box::new(Failure { cause: Cause::OutOfMemory, span, note: None }))
    }
}

/// The length of a vector.
fn vector_length(value: &Value, span: Span) -> Outcome<usize> {
    match *value.shape {
        [length] => Ok(length),
        ref shape => fail(FailureKind::RankMismatch, &[1, shape.len() as i64], span),
    }
}

/// Fails unless a value is a scalar or vector.
fn scalar_or_vector(value: &Value, span: Span) -> Outcome<()> {
    if value.shape.len() > 1 { fail(FailureKind::RankMismatch, &[1, value.shape.len() as i64], span) } else { Ok(()) }
}

fn unary(op: UnOp, x: &Value, span: Span) -> Outcome<Value> {
    if let Some(x) = x.as_const() {
        return Ok(Value::constant(op.eval(x)));
    }
    scalar_or_vector(x, span)?;
    let count = x.count();
    let operand = scalar_type(x);
    let mut data = TensorData::empty(op.result(operand).expect("the checker looked at the types of elements"));
    (0..count).for_each(|at| data.push(op.eval(x.get(at))));
    Ok(Value::dense(basic_of(&data), x.shape.clone(), data))
}

/// The first where `p`, else the second.
fn mask(operands: [&Value; 3], span: Span) -> Outcome<Value> {
    let mut shape = Shape::default();
    for operand in operands {
        scalar_or_vector(operand, span)?;
        match (&*shape, &*operand.shape) {
            ([n], [m]) if n != m => return fail(FailureKind::LengthMismatch, &[*n as i64, *m as i64], span),
            ([], _) => shape = operand.shape.clone(),
            _ => {}
        }
    }
    let [p, a, b] = operands;
    let at = |x: &Value, at: usize| x.as_const().unwrap_or_else(|| x.get(at));
    if shape.is_empty() {
        return Ok(if p.as_const() == Some(Const::Bool(true)) { a.clone() } else { b.clone() });
    }
    let mut data = TensorData::empty(scalar_type(a));
    (0..volume(&shape)).for_each(|k| data.push(at(if at(p, k) == Const::Bool(true) { a } else { b }, k)));
    Ok(Value::dense(a.elem, shape, data))
}

fn binary(prim: Prim, x: &Value, y: &Value, span: Span) -> Outcome<Value> {
    if let (Some(x), Some(y)) = (x.as_const(), y.as_const()) {
        return Ok(Value::constant(binary_scalar(prim, x, y, span)?));
    }
    scalar_or_vector(x, span)?;
    scalar_or_vector(y, span)?;
    let shape = match (&*x.shape, &*y.shape) {
        ([n], [m]) if n != m => return fail(FailureKind::LengthMismatch, &[*n as i64, *m as i64], span),
        ([], _) => y.shape.clone(),
        _ => x.shape.clone(),
    };
    let operand = scalar_type(x);
    let result = match prim {
        Prim::Binary(op) => op.result(operand).expect("the checker looked at the types of elements"),
        _ => operand,
    };
    let mut data = TensorData::empty(result);
    for at in 0..volume(&shape) {
        data.push(binary_scalar(prim, x.get(at), y.get(at), span)?);
    }
    Ok(Value::dense(basic_of(&data), shape, data))
}

fn binary_scalar(prim: Prim, x: Const, y: Const, span: Span) -> Outcome<Const> {
    let op = match prim {
        Prim::Binary(op) => op,
        // The residue of division by zero is the dividend.
        Prim::AplMod if matches!(y, Const::Int(_, 0)) => return Ok(x),
        Prim::AplMod => BinOp::FLOOR_MOD,
        other => panic!("{other:?} is no operation on two scalars"),
    };
    match op.eval(x, y) {
        Some(result) => Ok(result),
        None if op == BinOp::POW => fail(FailureKind::NegativeExponent, &[], span),
        None => fail(FailureKind::DivisionByZero, &[], span),
    }
}

/// The type of the elements of a value of a basic type.
fn scalar_type(value: &Value) -> Scalar {
    match &value.data {
        super::value::Data::Scalar(value) => value.scalar(),
        super::value::Data::Dense(data) => data.scalar(),
        super::value::Data::Fields(_) => panic!("there is no arithmetic on structs"),
    }
}

fn basic_of(data: &TensorData) -> Elem {
    Value::constant(data.scalar().zero()).elem
}
