//! Slices, `a[i:j, k]`. They are what the built-in functions for the first dimension say: `split`s, indexes and `rearrange`s.

use super::Checker;
use super::expression::certified;
use crate::l0::ast::{self, Axis, Name};
use crate::l0::error::L0Error;
use crate::l0::typed::{Builtin, Expr, ExprKind, Pattern, PatternKind, Statement, Var};
use crate::l0::types::Type;
use frit_support::Span;

impl<'p> Checker<'_, 'p> {
    /// `a[from:to, index]` and the like, axis by axis. What shares memory with what, and what is out of bounds, is as for the
    /// built-in functions.
    pub(super) fn slice(&mut self, certificates: &'p [Name], array: &'p Name, axes: &'p [Axis], span: Span) -> Expr {
        let certificates = self.certificates(certificates);
        let variable = self.variable(&array.text, array.span);
        let mut numbers = Vec::new();
        for axis in axes {
            let what = if matches!(axis, Axis::Index(_)) { "an index" } else { "a bound of a slice" };
            numbers.extend(axis.exprs().map(|number| self.number(number, what)));
        }
        let Some((variable, ty)) = variable else { return self.mistaken(span, numbers) };
        let value = self.read(variable, array.span);
        let Type::Array(array_type) = &ty else {
            if ty != Type::Error {
                let what = format!("`{}`, of which a slice is taken,", array.text);
                self.errors.push(L0Error::NotAnArray { span: array.span, what, found: ty });
            }
            return self.mistaken(span, numbers);
        };
        let rank = array_type.rank;
        // A range leaves the dimension, so that this is the array's type again but for the indexed ones.
        if self.indexed(&ty, array, axes.len(), span).is_none() {
            return self.mistaken(span, numbers);
        }
        let mut part =
            Part { checker: self, name: &array.text, certificates, span, statements: Vec::new(), rank, value };
        // All numbers are there before the array is looked at.
        let numbers: Vec<Expr> = numbers.into_iter().map(|number| part.bind("bound", number)).collect();
        let mut numbers = numbers.into_iter();
        let mut next = |number: Option<&ast::Expr>| number.and_then(|_| numbers.next());
        let mut axis = 0;
        for taken in axes {
            match taken {
                Axis::Index(index) => {
                    let index = next(Some(index));
                    part.bring_to_front(axis);
                    part.select(index.into_iter().collect());
                }
                Axis::Range { from, to } => {
                    let (from, to) = (next(from.as_ref()), next(to.as_ref()));
                    if from.is_some() || to.is_some() {
                        part.bring_to_front(axis);
                        // The end comes first, so that what is out of bounds is a number that stands in the program.
                        to.into_iter().for_each(|to| part.halve(to, true));
                        from.into_iter().for_each(|from| part.halve(from, false));
                        part.bring_back(axis);
                    }
                    axis += 1;
                }
            }
        }
        part.done()
    }

    fn number(&mut self, number: &'p ast::Expr, what: &str) -> Expr {
        let number = self.expr(number);
        self.expect_type(&number, &Type::INT, || what.to_string(), None);
        number
    }
}

/// What is taken of an array so far.
struct Part<'c, 'm, 'p> {
    checker: &'c mut Checker<'m, 'p>,
    /// The array's name.
    name: &'c str,
    certificates: Vec<Var>,
    span: Span,
    /// What was computed for it.
    statements: Vec<Statement>,
    /// Its number of dimensions.
    rank: usize,
    value: Expr,
}

impl Part<'_, '_, '_> {
    /// Gives a value a name, under which it can be read.
    fn bind(&mut self, name: &str, value: Expr) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let var = self.checker.fresh(name, ty.clone(), span);
        let pattern = Pattern { kind: PatternKind::Var(var), ty: ty.clone(), span };
        self.statements.push(Statement::Let { pattern, value, span });
        Expr { kind: ExprKind::Var(var), ty, span }
    }

    /// Replaces it by what an operation makes of it.
    fn replace(&mut self, kind: ExprKind, ty: Type) {
        let value = certified(self.certificates.clone(), Expr { kind, ty, span: self.span });
        self.value = self.bind(self.name, value);
    }

    /// Dimension `j` becomes dimension `permutation[j]` of the part as it is.
    fn rearrange(&mut self, permutation: Vec<usize>) {
        if !permutation.is_sorted() {
            let ty = self.value.ty.clone();
            let operands = vec![self.value.clone()];
            self.replace(ExprKind::Builtin { builtin: Builtin::Rearrange(permutation), operands }, ty);
        }
    }

    /// Makes a dimension the first; the others keep their order.
    fn bring_to_front(&mut self, axis: usize) {
        self.rearrange(std::iter::once(axis).chain((0..self.rank).filter(|&at| at != axis)).collect());
    }

    /// Makes the first dimension this one again.
    fn bring_back(&mut self, axis: usize) {
        self.rearrange((1..=axis).chain([0]).chain(axis + 1..self.rank).collect());
    }

    /// The row at an index.
    fn select(&mut self, index: Vec<Expr>) {
        let (ExprKind::Var(array), Type::Array(ty)) = (&self.value.kind, &self.value.ty) else {
            unreachable!("what is sliced is an array with a name");
        };
        let (array, ty) = (*array, ty.indexed(index.len()));
        self.rank -= index.len();
        self.replace(ExprKind::Index { array, index }, ty);
    }

    /// Of the two parts that `split(at, part)` gives, the first or the second.
    fn halve(&mut self, at: Expr, takes_first: bool) {
        let (ty, span) = (self.value.ty.clone(), self.span);
        let half = self.checker.fresh(self.name, ty.clone(), span);
        let kept = Pattern { kind: PatternKind::Var(half), ty: ty.clone(), span };
        let other = Pattern { kind: PatternKind::Wildcard, ty: ty.clone(), span };
        let both = if takes_first { vec![kept, other] } else { vec![other, kept] };
        let halves = Type::tuple(vec![ty.clone(), ty.clone()]);
        let split = ExprKind::Builtin { builtin: Builtin::Split, operands: vec![at, self.value.clone()] };
        let value = certified(self.certificates.clone(), Expr { kind: split, ty: halves.clone(), span });
        let pattern = Pattern { kind: PatternKind::Tuple(both), ty: halves, span };
        self.statements.push(Statement::Let { pattern, value, span });
        self.value = Expr { kind: ExprKind::Var(half), ty, span };
    }

    fn done(self) -> Expr {
        if self.statements.is_empty() {
            return self.value;
        }
        let (ty, span) = (self.value.ty.clone(), self.span);
        Expr { kind: ExprKind::Block { statements: self.statements, result: Box::new(self.value) }, ty, span }
    }
}
