//! Effects, kept in order by certificates: output, and questions to the machine; and the command line.

use super::value::{Data, Env, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Basic, Elem, Expr};
use frit_ir::array::{self, Op, Operand, Type, View};
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
        self.effect(effect, operands, span);
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
        let answer = self.effect(Effect::Ask(request), operands, span).expect("a request has an answer");
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

    /// An effect, after all those before it; its answer.
    fn effect(&mut self, effect: Effect, args: Vec<Operand>, span: Span) -> Option<array::Value> {
        let mut certs = self.certs();
        certs.extend(self.token.value());
        let outer = self.place(span);
        let mut types = vec![Type::scalar(frit_ir::Scalar::Cert)];
        if effect.has_answer() {
            types.push(Type::scalar(frit_ir::Scalar::I64));
        }
        self.count_statement();
        let results = self.builder.emit(Op::Effect { effect, args }, types, certs);
        self.builder.set_span(outer);
        self.token = Operand::Value(results[0]);
        results.get(1).copied()
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
