//! Expressions.

use super::value::{Binding, Data, Env, MANY, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Basic, Elem, Expr, ExprKind, Local, StructId};
use frit_ir::array::{Extent, Op, Operand, Type, View};
use frit_ir::{FailureKind, Tensor, TensorData};
use frit_support::Span;
use std::sync::Arc;

/// Texts up to this length are kept as components.
const SHORT_TEXT: usize = 8;

impl<'p> Specialiser<'p> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, env: &mut Env, e: &'p Expr) -> Result<Value> {
        let outer = self.place(e.span);
        let value = self.one_value(env, e);
        self.builder.set_span(outer);
        value
    }

    /// The values of an expression that has `n`.
    pub(super) fn values(&mut self, env: &mut Env, e: &'p Expr, n: usize) -> Result<Vec<Value>> {
        let outer = self.place(e.span);
        let values = match &e.kind {
            ExprKind::Call { overload, args } => self.call_expr(env, *overload, args, e.span),
            ExprKind::Foreign(call) => self.foreign_call(env, call, e.span),
            ExprKind::With(with) => self.with_expr(env, with, e.span),
            _ => self.one_value(env, e).map(|value| vec![value]),
        };
        self.builder.set_span(outer);
        debug_assert!(values.as_ref().is_ok_and(|v| v.len() == n) || values.is_err());
        values
    }

    fn with_expr(&mut self, env: &mut Env, with: &'p crate::sac::core::With, span: Span) -> Result<Vec<Value>> {
        self.with_loop(env, with, span)
    }

    fn one_value(&mut self, env: &mut Env, e: &'p Expr) -> Result<Value> {
        let span = e.span;
        match &e.kind {
            ExprKind::Const(c) => {
                let basic = Basic::representing(c.scalar());
                Ok(Value::scalar(Scalar::constant(basic, *c)))
            }
            ExprKind::Text(text) => Ok(self.text(text)),
            ExprKind::Local(local) => self.local(env, *local, span),
            ExprKind::Object(object) => self.object(*object, span),
            ExprKind::Array { elem, cells } => {
                let mut values = Vec::with_capacity(cells.len());
                for cell in cells {
                    values.push((self.expr(env, cell)?, cell.span));
                }
                self.stack(*elem, values)
            }
            ExprKind::Select { array, index } => {
                let array = self.expr(env, array)?;
                let index = self.expr(env, index)?;
                self.select(&array, &index, span)
            }
            ExprKind::Modarray { array, index, value } => {
                let array = self.expr(env, array)?;
                let index = self.expr(env, index)?;
                let value = self.expr(env, value)?;
                self.modarray(array, &index, value, span)
            }
            ExprKind::Prim { prim, args } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.expr(env, arg)?);
                }
                self.primitive(*prim, values, span)
            }
            ExprKind::Call { overload, args } => Ok(self.call_expr(env, *overload, args, span)?.remove(0)),
            ExprKind::Foreign(call) => Ok(self.foreign_call(env, call, span)?.remove(0)),
            ExprKind::With(with) => Ok(self.with_expr(env, with, span)?.remove(0)),
            ExprKind::Cond { cond, then, otherwise } => {
                let cond = self.expr(env, cond)?;
                let cond = self.truth(&cond, span)?;
                self.branch_expr(env, cond, then, otherwise, span)
            }
            ExprKind::Recast { to, from: _, array } => {
                let value = self.expr(env, array)?;
                self.recast(value, *to, span)
            }
            ExprKind::Ascribe { pattern, value } => {
                let given = self.expr(env, value)?;
                self.match_pattern(env, pattern, given, super::pattern::flexible(value), false, value.span)
            }
            ExprKind::Struct { of, fields } => {
                let mut values = Vec::with_capacity(fields.len());
                for (field, (_, _, shape)) in fields.iter().zip(&self.program.structs[*of].fields) {
                    let value = self.expr(env, field)?;
                    let needed: Vec<Extent> = shape.iter().map(|&n| Extent::Const(n)).collect();
                    let found = self.shape(&value);
                    let certs = self.check_shape(FailureKind::ShapeMismatch, &needed, &found, field.span)?;
                    values.push(self.certify(value, &certs));
                }
                Ok(Value { elem: Elem::Struct(*of), data: Data::Struct { frame: Vec::new(), fields: values } })
            }
            ExprKind::Field { value, field } => {
                let value = self.expr(env, value)?;
                Ok(self.field(&value, *field))
            }
            ExprKind::WithField { value, field, new } => {
                let value = self.expr(env, value)?;
                let new_value = self.expr(env, new)?;
                self.with_field(value, *field, new_value, new.span)
            }
        }
    }

    /// The value of a variable.
    pub(super) fn local(&mut self, env: &mut Env, local: Local, span: Span) -> Result<Value> {
        match &env.bindings[local] {
            Binding::Set(value) => Ok(value.clone()),
            Binding::Unset => self.fail(FailureKind::UnassignedVariable, span),
            Binding::Maybe(value, cond) => {
                let (value, cond) = (value.clone(), *cond);
                let certs = self.check(cond, FailureKind::UnassignedVariable, Vec::new(), span)?;
                let value = self.certify(value, &certs);
                // It is known to be there from now on, in this block.
                Ok(value)
            }
            Binding::RankUnknown(place) => {
                let place = *place;
                self.unsupported(Reason::RankDependsOnData, if place.is_none() { span } else { place })
            }
        }
    }

    /// Nothing after this is reached.
    pub(super) fn fail<T>(&mut self, kind: FailureKind, span: Span) -> Result<T> {
        let args = vec![Operand::i64(0); kind.arity()];
        self.fail_with(kind, args, span)
    }

    /// The same with the numbers of the message.
    pub(super) fn fail_with<T>(&mut self, kind: FailureKind, args: Vec<Operand>, span: Span) -> Result<T> {
        match self.check(frit_ir::Const::Bool(false).into(), kind, args, span) {
            Err(stop) => Err(stop),
            Ok(_) => unreachable!("an assertion of constant false ends the block"),
        }
    }

    fn text(&mut self, text: &[char]) -> Value {
        let elem = Elem::Basic(Basic::Char);
        let constant = |&c: &char| frit_ir::Const::Char(c as u32);
        if text.len() <= SHORT_TEXT {
            let scalars = text.iter().map(|c| Scalar::constant(Basic::Char, constant(c))).collect();
            return Value::components(elem, vec![text.len()], scalars);
        }
        let mut data = TensorData::empty(frit_ir::Scalar::Char);
        text.iter().for_each(|c| data.push(constant(c)));
        let tensor = Tensor::new(vec![text.len()], data).expect("one element per character");
        let ty = Type::array(frit_ir::Scalar::Char, vec![Extent::Const(text.len() as i64)]);
        Value::array(elem, self.emit_one(Op::Table { tensor: Arc::new(tensor) }, ty))
    }

    /// A scalar `bool`, or a vector of one.
    pub(super) fn truth(&mut self, value: &Value, span: Span) -> Result<Scalar> {
        if let Some(scalar) = value.as_scalar() {
            return Ok(scalar);
        }
        let shape = self.shape(value);
        let certs = self.check_shape(FailureKind::ShapeMismatch, &[Extent::Const(1)], &shape, span)?;
        match &value.data {
            Data::Components { scalars, .. } => Ok(scalars[0]),
            Data::Array(array) => {
                let op = Op::Index { array: *array, indices: vec![Operand::i64(0)] };
                let element = self.emit_one_under(op, Type::scalar(frit_ir::Scalar::Bool), &certs);
                Ok(Scalar::operand(Basic::Bool, element.into()))
            }
            Data::Struct { .. } => panic!("the checker lets no struct be a condition"),
        }
    }

    /// Checks that two shapes are equal: the certificates, if any are needed.
    pub(super) fn check_shape(
        &mut self,
        kind: FailureKind,
        needed: &[Extent],
        found: &[Extent],
        span: Span,
    ) -> Result<Vec<frit_ir::array::Value>> {
        if needed.len() != found.len() {
            let args = vec![Operand::i64(needed.len() as i64), Operand::i64(found.len() as i64)];
            return self.fail_with(FailureKind::RankMismatch, args, span);
        }
        let mut certs = Vec::new();
        for (&needed, &found) in needed.iter().zip(found) {
            let cond = self.equal(needed.into(), found.into());
            certs.extend(self.check(cond, kind, vec![needed.into(), found.into()], span)?);
        }
        Ok(certs)
    }

    /// The value under certificates that it needs to be what it is. Where it has parts that no statement makes, all that follows is under
    /// them.
    pub(super) fn certify(&mut self, value: Value, certs: &[frit_ir::array::Value]) -> Value {
        if !is_made_by_statements(&value) {
            self.hold(certs);
        }
        self.certify_parts(value, certs)
    }

    /// The value with those of its parts that statements make under certificates.
    pub(super) fn certify_parts(&mut self, value: Value, certs: &[frit_ir::array::Value]) -> Value {
        if certs.is_empty() {
            return value;
        }
        let data = match value.data {
            Data::Components { shape, scalars } => {
                let certify = |s: Scalar| match s.known {
                    super::value::Known::Operand(operand) => {
                        Scalar::operand(s.basic, self.certified(operand, certs.to_vec()))
                    }
                    super::value::Known::Const(_) | super::value::Known::Wide { .. } => s,
                };
                Data::Components { shape, scalars: scalars.into_iter().map(certify).collect() }
            }
            Data::Array(array) => {
                let certified = self.certified(array.into(), certs.to_vec());
                Data::Array(certified.value().expect("an array is no constant"))
            }
            Data::Struct { frame, fields } => Data::Struct {
                frame,
                fields: fields.into_iter().map(|field| self.certify_parts(field, certs)).collect(),
            },
        };
        Value { elem: value.elem, data }
    }

    /// The same array data in another shape, of as many elements.
    pub(super) fn reshaped(
        &mut self,
        array: frit_ir::array::Value,
        shape: Vec<Extent>,
        certs: &[frit_ir::array::Value],
    ) -> frit_ir::array::Value {
        let ty = Type::array(self.builder.func.ty(array).elem, shape);
        if *self.builder.func.ty(array) == ty && certs.is_empty() {
            return array;
        }
        if certs.is_empty() {
            return self.emit_one(Op::View { array, view: View::Reshape }, ty);
        }
        self.emit_one_under(Op::View { array, view: View::Reshape }, ty, certs)
    }

    /// Cells of one shape along a new first axis.
    fn stack(&mut self, elem: Elem, cells: Vec<(Value, Span)>) -> Result<Value> {
        let Some((first, _)) = cells.first() else {
            return Ok(self.empty(elem));
        };
        let shape = self.data_shape(first);
        let mut certs = Vec::new();
        for (cell, span) in &cells[1..] {
            let found = self.data_shape(cell);
            certs.extend(self.check_shape(FailureKind::IrregularArray, &shape, &found, *span)?);
        }
        let cells = cells.into_iter().map(|(cell, _)| cell).collect();
        Ok(self.stack_data(elem, cells, &certs))
    }

    /// A vector of no element.
    fn empty(&mut self, elem: Elem) -> Value {
        match self.program.cell_of(elem).1 {
            Elem::Struct(id) => self.zeros(Elem::Struct(id), &[Extent::Const(0)]).with_elem(elem),
            Elem::Basic(_) | Elem::Nominal(_) => {
                let mut shape = vec![0];
                shape.extend(self.program.cell_of(elem).0.iter().map(|&n| n as usize));
                Value::components(elem, shape, Vec::new())
            }
        }
    }

    /// Cells that are known to have one shape, along a new first axis.
    pub(super) fn stack_data(&mut self, elem: Elem, cells: Vec<Value>, certs: &[frit_ir::array::Value]) -> Value {
        let first = &cells[0];
        if let Data::Struct { frame, fields } = &first.data {
            let (frame, count) = (frame.clone(), fields.len());
            let mut stacked = Vec::with_capacity(count);
            for at in 0..count {
                let parts: Vec<Value> = cells
                    .iter()
                    .map(|cell| match &cell.data {
                        Data::Struct { fields, .. } => fields[at].clone(),
                        Data::Components { .. } | Data::Array(_) => panic!("a struct stays one"),
                    })
                    .collect();
                let elem = parts[0].elem;
                stacked.push(self.stack_data(elem, parts, certs));
            }
            let mut outer = vec![Extent::Const(cells.len() as i64)];
            outer.extend(frame);
            return Value { elem, data: Data::Struct { frame: outer, fields: stacked } };
        }
        let known: Option<Vec<(&Vec<usize>, &Vec<Scalar>)>> = cells
            .iter()
            .map(|cell| match &cell.data {
                Data::Components { shape, scalars } => Some((shape, scalars)),
                Data::Array(_) | Data::Struct { .. } => None,
            })
            .collect();
        if let Some(known) = known
            && known.iter().all(|(shape, _)| *shape == known[0].0)
        {
            let mut shape = vec![cells.len()];
            shape.extend(known[0].0);
            let scalars: Vec<Scalar> = known.iter().flat_map(|(_, scalars)| scalars.iter().copied()).collect();
            let is_large = scalars.len() > MANY;
            let value = Value::components(elem, shape, scalars);
            if !is_large {
                return value;
            }
            let array = self.array(&value).value().expect("an array is no constant");
            return Value::array(elem, array);
        }
        let elems: Vec<Operand> = cells.iter().map(|cell| self.array(cell)).collect();
        let mut ty = self.builder.func.operand_type(elems[0]);
        ty.shape.insert(0, Extent::Const(elems.len() as i64));
        let op = Op::ArrayLit { elems };
        let array = if certs.is_empty() { self.emit_one(op, ty) } else { self.emit_one_under(op, ty, certs) };
        Value::array(elem, array)
    }

    /// The same data as elements of another type: the shape changes by their cells.
    pub(super) fn recast(&mut self, value: Value, to: Elem, span: Span) -> Result<Value> {
        let full = self.data_shape(&value);
        let cell = self.program.cell_of(to).0;
        let Some(rank) = full.len().checked_sub(cell.len()) else {
            let args = vec![Operand::i64(cell.len() as i64), Operand::i64(full.len() as i64)];
            return self.fail_with(FailureKind::RankMismatch, args, span);
        };
        let needed: Vec<Extent> = cell.iter().map(|&n| Extent::Const(n)).collect();
        let certs = self.check_shape(FailureKind::ExtentMismatch, &needed, &full[rank..], span)?;
        let mut shape = full[..rank].to_vec();
        shape.extend(needed);
        let data = match value.data {
            Data::Array(array) => Data::Array(self.reshaped(array, shape, &certs)),
            data @ (Data::Components { .. } | Data::Struct { .. }) => data,
        };
        Ok(Value { elem: to, data })
    }

    /// A field, of a struct or of all structs of an array.
    fn field(&mut self, value: &Value, field: usize) -> Value {
        match &value.data {
            Data::Struct { fields, .. } => fields[field].clone(),
            Data::Components { .. } | Data::Array(_) => panic!("the checker lets nothing but structs have fields"),
        }
    }

    fn with_field(&mut self, value: Value, field: usize, new: Value, span: Span) -> Result<Value> {
        let Data::Struct { frame, mut fields } = value.data else {
            panic!("the checker lets nothing but structs have fields");
        };
        let needed = self.shape(&fields[field]);
        let found = self.shape(&new);
        let certs = self.check_shape(FailureKind::ShapeMismatch, &needed, &found, span)?;
        fields[field] = self.certify(new, &certs);
        Ok(Value { elem: value.elem, data: Data::Struct { frame, fields } })
    }

    /// Zeros of this data shape.
    pub(super) fn zeros(&mut self, elem: Elem, shape: &[Extent]) -> Value {
        match self.program.cell_of(elem).1 {
            Elem::Struct(id) => {
                let fields = self.zero_fields(id, shape);
                Value { elem, data: Data::Struct { frame: shape.to_vec(), fields } }
            }
            Elem::Basic(basic) => {
                let zero = Scalar::zero(basic);
                let constants: Option<Vec<usize>> = shape.iter().map(|&e| small(e)).collect();
                if let Some(constants) = constants {
                    let count = constants.iter().try_fold(1usize, |n, &m| n.checked_mul(m));
                    if let Some(count) = count
                        && count <= super::value::FEW
                    {
                        return Value::components(elem, constants, vec![zero; count]);
                    }
                }
                let zero = self.as_operand(zero);
                Value::array(elem, self.filled(zero, shape))
            }
            Elem::Nominal(_) => unreachable!("names are followed to what they stand for"),
        }
    }

    fn zero_fields(&mut self, id: StructId, frame: &[Extent]) -> Vec<Value> {
        let program = self.program;
        let mut fields = Vec::new();
        for (_, elem, shape) in &program.structs[id].fields {
            let mut full = frame.to_vec();
            full.extend(shape.iter().map(|&n| Extent::Const(n)));
            full.extend(program.cell_of(*elem).0.iter().map(|&n| Extent::Const(n)));
            fields.push(self.zeros(*elem, &full));
        }
        fields
    }

    /// An array full of one scalar, of rank 1 or more.
    pub(super) fn filled(&mut self, scalar: Operand, shape: &[Extent]) -> frit_ir::array::Value {
        let mut filled = scalar;
        let mut ty = self.builder.func.operand_type(scalar);
        for &extent in shape.iter().rev() {
            ty.shape.insert(0, extent);
            filled = self.emit_one(Op::Replicate { n: extent.into(), x: filled }, ty.clone()).into();
        }
        filled.value().expect("an array of rank 1 or more was made")
    }
}

fn small(extent: Extent) -> Option<usize> {
    match extent {
        Extent::Const(n) => usize::try_from(n.max(0)).ok(),
        Extent::Value(_) => None,
    }
}

/// True if no part of a value is a constant or a size.
fn is_made_by_statements(value: &Value) -> bool {
    match &value.data {
        Data::Components { scalars, .. } => {
            !scalars.is_empty() && scalars.iter().all(|s| matches!(s.known, super::value::Known::Operand(_)))
        }
        Data::Array(_) => true,
        Data::Struct { fields, .. } => fields.iter().all(is_made_by_statements),
    }
}
