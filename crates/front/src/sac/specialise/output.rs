//! Effects, kept in order by certificates: output, and questions to the machine; and the command line.

use super::value::{Data, Env, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Axis, Basic, Elem, Expr, ForeignCall};
use frit_ir::array::{self, Extent, Op, Operand, Type, View};
use frit_ir::effect::foreign::PartForm;
use frit_ir::effect::{Effect, Param, Request};
use frit_ir::{FailureKind, Format};
use frit_support::Span;
use std::sync::Arc;

impl<'p> Specialiser<'p> {
    /// Writes a text.
    pub(super) fn output(
        &mut self,
        env: &mut Env,
        stream: Option<&'p Expr>,
        format: &'p Arc<Format>,
        args: &'p [Expr],
        span: Span,
    ) -> Result<()> {
        let mut operands = Vec::with_capacity(args.len());
        let mut effect = Effect::Print(format.clone());
        if let Some(stream) = stream {
            let stream = self.expr(env, stream)?;
            let number = self.number(&stream, span)?;
            let number = self.as_exact(number);
            // Standard output, where that is known.
            if number != Operand::i64(1) {
                operands.push(number);
                effect = Effect::PrintTo(format.clone());
            }
        }
        for (arg, taken) in args.iter().zip(format.takes()) {
            let value = self.expr(env, arg)?;
            let needed = taken.rank();
            let found = self.rank(&value);
            if needed != found {
                return self.rank_mismatch(needed, found, arg.span);
            }
            if let Data::Struct { .. } = value.data {
                panic!("the checker lets no struct be printed");
            }
            operands.push(self.array(&value));
        }
        self.effect(effect, operands, Vec::new(), span);
        Ok(())
    }

    /// A question to the machine; its answer, a `long`.
    pub(super) fn ask(&mut self, request: Request, args: &[Value], span: Span) -> Result<Value> {
        let mut operands = Vec::with_capacity(args.len());
        for (param, arg) in request.params().iter().zip(args) {
            let (needed, found) = (usize::from(*param == Param::Text), self.rank(arg));
            if needed != found {
                return self.rank_mismatch(needed, found, span);
            }
            operands.push(self.array(arg));
        }
        let answer = self.effect(Effect::Ask(request), operands, vec![Type::scalar(frit_ir::Scalar::I64)], span)[0];
        Ok(Value::scalar(Scalar::operand(Basic::Long, answer.into())))
    }

    /// Ends the program, after all effects before.
    pub(super) fn exit(&mut self, status: Scalar, span: Span) -> Result<Value> {
        let args = vec![self.as_exact(status)];
        let mut certs = self.certs();
        certs.extend(self.token.value());
        let outer = self.place(span);
        self.count_statement();
        let op = Op::Assert { cond: frit_ir::Const::Bool(false).into(), kind: FailureKind::Ended, args };
        let cert = self.builder.emit_one(op, Type::scalar(frit_ir::Scalar::Cert), certs);
        self.builder.set_span(outer);
        self.certs.push(cert);
        Err(super::Stop::Fails)
    }

    /// A call in C; its results.
    pub(super) fn foreign_call(&mut self, env: &mut Env, call: &'p ForeignCall, span: Span) -> Result<Vec<Value>> {
        let mut args = Vec::with_capacity(call.args.len());
        // Scalars where C takes arrays, of which it is given the elements.
        let mut scalars = Vec::new();
        for (at, (arg, part)) in call.args.iter().zip(&call.foreign.args).enumerate() {
            let value = self.expr(env, arg)?;
            let operand = self.array(&value);
            args.push(match part.form {
                PartForm::Array if self.rank(&value) == 0 => {
                    scalars.push(Some(at));
                    let ty = Type::array(part.ty.scalar(), vec![Extent::Const(1)]);
                    self.emit_one(Op::ArrayLit { elems: vec![operand] }, ty).into()
                }
                PartForm::Scalar | PartForm::Array | PartForm::Text => operand,
            });
        }
        let mut types = Vec::new();
        for (part, pattern) in call.foreign.results.iter().zip(&call.results) {
            types.extend(match (part.form, call.foreign.origin(part)) {
                (PartForm::Scalar, _) => vec![Type::scalar(part.ty.scalar())],
                (PartForm::Array, Some(at)) => vec![self.builder.func.operand_type(args[at])],
                (PartForm::Array, None) => {
                    vec![Type::array(part.ty.scalar(), self.foreign_shape(env, &pattern.axes, span)?)]
                }
                (PartForm::Text, _) => vec![Type::scalar(frit_ir::Scalar::I64); 2],
            });
        }
        let mut answers = self.effect(Effect::Call(call.foreign.clone()), args, types, span).into_iter();
        let mut next = || answers.next().expect("an effect has an answer for each of its types");
        let mut results = Vec::with_capacity(call.results.len());
        for (part, pattern) in call.foreign.results.iter().zip(&call.results) {
            let first = next();
            let basic = self.basic(pattern.elem).expect("the checker hands no struct to C");
            results.push(match (part.form, &call.text) {
                (PartForm::Text, Some(text)) => {
                    self.bound(first.into(), 0, super::sizes::MAX_EXTENT);
                    let ty = Type::array(part.ty.scalar(), vec![Extent::Value(first)]);
                    let text = self.effect(Effect::Call(text.clone()), vec![next().into()], vec![ty], span);
                    Value::array(pattern.elem, text[0])
                }
                (PartForm::Array, _) if scalars.contains(&call.foreign.origin(part)) => {
                    let op = Op::Index { array: first, indices: vec![Operand::i64(0)] };
                    let element = self.emit_one(op, Type::scalar(part.ty.scalar()));
                    Value::scalar(Scalar::operand(basic, element.into()))
                }
                (PartForm::Array, _) => Value::array(pattern.elem, first),
                (PartForm::Scalar | PartForm::Text, _) => {
                    Value::scalar(Scalar::operand(basic, first.into())).with_elem(pattern.elem)
                }
            });
        }
        Ok(results)
    }

    /// The extents that a pattern says, all names in which have values.
    fn foreign_shape(&mut self, env: &mut Env, axes: &[Axis], span: Span) -> Result<Vec<Extent>> {
        let mut shape = Vec::new();
        for axis in axes {
            let extents = match axis {
                Axis::Extent(n) => vec![Scalar::constant(Basic::Int, frit_ir::Const::int(frit_ir::Scalar::I32, *n))],
                Axis::Bind(local) | Axis::Axes { shape: Some(local), .. } => {
                    let value = self.local(env, *local, span)?;
                    self.small_vector(&value, span)?
                }
                Axis::Any | Axis::Rest { .. } | Axis::Axes { shape: None, .. } => {
                    panic!("the checker wants the extents of what C makes")
                }
            };
            shape.extend(extents);
        }
        let extents = Value::vector(shape);
        let (shape, certs) = self.shape_of(&extents, span)?;
        self.hold(&certs);
        Ok(shape)
    }

    /// An effect, after all those before it if it is ordered; its answers, of these types.
    pub(super) fn effect(
        &mut self,
        effect: Effect,
        args: Vec<Operand>,
        answers: Vec<Type>,
        span: Span,
    ) -> Vec<array::Value> {
        let mut certs = self.certs();
        let is_ordered = effect.is_ordered();
        if is_ordered {
            certs.extend(self.token.value());
        }
        let outer = self.place(span);
        let types = std::iter::once(Type::scalar(frit_ir::Scalar::Cert)).chain(answers).collect();
        self.count_statement();
        let mut results = self.builder.emit(Op::Effect { effect, args }, types, certs);
        self.builder.set_span(outer);
        let happened = results.remove(0);
        if is_ordered {
            self.token = Operand::Value(happened);
        }
        results
    }
}

impl Specialiser<'_> {
    /// The number of words of the command line.
    pub(super) fn argc(&mut self, span: Span) -> Result<Value> {
        let (_, ends) = self.command_line(span)?;
        let count = self.builder.func.ty(ends).shape[0];
        Ok(Value::scalar(self.extent_scalar(count)))
    }

    /// A word of the command line.
    pub(super) fn argv(&mut self, number: Scalar, span: Span) -> Result<Value> {
        let (words, ends) = self.command_line(span)?;
        let count = self.builder.func.ty(ends).shape[0];
        let number = self.as_index(number);
        let fits = self.is_in_bounds(number, count.into());
        let certs = self.check(fits, FailureKind::OutOfBounds, vec![number, count.into()], span)?;
        let size = Type::scalar(frit_ir::Scalar::I64);
        let end = self.emit_one_under(Op::Index { array: ends, indices: vec![number] }, size.clone(), &certs);
        // The first word begins where no word ends.
        let is_first = self.equal(number, Operand::i64(0));
        let before = self.difference(number, Operand::i64(1));
        let before = self.larger(before, Operand::i64(0));
        let before = self.emit_one_under(Op::Index { array: ends, indices: vec![before] }, size, &certs);
        let start = self.total_select(is_first, Operand::i64(0), before.into());
        let length = self.difference(end.into(), start);
        self.bound(length, 0, super::sizes::MAX_EXTENT);
        let ty = Type::array(frit_ir::Scalar::Char, vec![length.extent()]);
        let view = View::Slice { starts: vec![start], steps: vec![1] };
        let word = self.emit_one_under(Op::View { array: words, view }, ty, &certs);
        Ok(Value::array(Elem::Basic(Basic::Char), word))
    }

    fn command_line(&mut self, span: Span) -> Result<(array::Value, array::Value)> {
        match self.words {
            Some(words) => Ok(words),
            None => self.unsupported(Reason::Construct("the command line here"), span),
        }
    }
}
