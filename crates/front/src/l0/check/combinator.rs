//! Second-order array combinators, and their functions brought into one form.
//!
//! Whatever the author wrote for a function (an anonymous one, a name, a partial application, an operator section)
//! becomes a [`Lambda`] with one parameter for each value that the combinator passes. Curried expressions are bound to
//! variables in front of the combinator, so they are evaluated once. A tuple that is to be spread over parameters is
//! taken apart at the head of the lambda.

use super::Checker;
use super::expression::unary_op;
use crate::l0::ast::{self, FunctionArgument, FunctionArgumentKind, Name, SoacKind};
use crate::l0::error::L0Error;
use crate::l0::typed::{Expr, ExprKind, Lambda, Pattern, PatternKind, Soac, Statement, UnaryOp, Var};
use crate::l0::types::Type;
use frit_support::Span;

/// How the values that a combinator passes meet the parameters of its function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// One by one.
    Direct,
    /// The one value is a tuple, whose components meet the parameters.
    Spread,
}

/// A combinator's view of its function.
struct Wanted<'t> {
    /// The combinator as written.
    soac: &'static str,
    /// The types of the values it passes.
    passed: &'t [Type],
    /// Whether a tuple may be spread: only where one value is passed.
    may_spread: bool,
}

impl<'p> Checker<'_, 'p> {
    pub(super) fn soac(&mut self, soac: &'p ast::Soac, span: Span) -> Expr {
        let text = soac.kind.text(soac.is_tupleless);
        let mut curried = Vec::new();
        // Curried expressions come first in the text, so they are checked first; what they are given to, later.
        let combine_curried = soac.combine.as_ref().map(|combine| self.curried(combine, &mut curried));
        let function_curried = self.curried(&soac.function, &mut curried);
        let starts = self.exprs(&soac.starts);
        let arrays = self.exprs(&soac.arrays);

        let rows: Vec<Type> = arrays
            .iter()
            .map(|array| self.array(array, || format!("the array given to `{text}`")).map_or(Type::Error, |a| a.row()))
            .collect();
        let accumulators = self.accumulators(soac, text, &starts, &rows, &arrays, span);

        let wants_tuple = soac.is_tupleless;
        let fits_form = !wants_tuple
            || [Some(&soac.function), soac.combine.as_ref()]
                .into_iter()
                .flatten()
                .all(|f| self.is_tuple_function(f, text));

        let combine = match (&soac.combine, combine_curried) {
            (Some(combine), Some(values)) => {
                let passed = [accumulators.clone(), accumulators.clone()].concat();
                let wanted = Wanted { soac: text, passed: &passed, may_spread: false };
                Some(self.lambda(combine, values, &wanted))
            }
            (_, _) => None,
        };
        let passed = [accumulators.clone(), rows.clone()].concat();
        let may_spread = !wants_tuple && passed.len() == 1;
        let function =
            self.lambda(&soac.function, function_curried, &Wanted { soac: text, passed: &passed, may_spread });

        let combine = match combine {
            Some(None) => Err(()),
            Some(Some(lambda)) => Ok(Some(lambda)),
            None => Ok(None),
        };
        let expr = match (function, combine) {
            (Some(function), Ok(combine)) if fits_form => {
                let is_sound = self.check_results(soac, text, &function, combine.as_ref(), &accumulators);
                let ty = if is_sound { self.soac_type(soac, &function, &arrays, span) } else { Type::Error };
                let soac = Soac { kind: soac.kind, is_tupleless: soac.is_tupleless, function, combine, starts, arrays };
                if ty == Type::Error {
                    let parts = soac.starts.into_iter().chain(soac.arrays).collect();
                    self.mistaken(span, parts)
                } else {
                    Expr { kind: ExprKind::Soac(Box::new(soac)), ty, span }
                }
            }
            (_, _) => self.mistaken(span, starts.into_iter().chain(arrays).collect()),
        };
        if curried.is_empty() {
            return expr;
        }
        let ty = expr.ty.clone();
        Expr { kind: ExprKind::Block { statements: curried, result: Box::new(expr) }, ty, span }
    }

    /// The types of the accumulators, after the start values. Those of `reduce` and `scan` are of the rows' types.
    fn accumulators(
        &mut self,
        soac: &ast::Soac,
        text: &'static str,
        starts: &[Expr],
        rows: &[Type],
        arrays: &[Expr],
        span: Span,
    ) -> Vec<Type> {
        let types: Vec<_> = starts.iter().map(|start| start.ty.clone()).collect();
        match soac.kind {
            SoacKind::Map | SoacKind::Filter | SoacKind::Redomap => types,
            SoacKind::Reduce | SoacKind::Scan => {
                if starts.len() != arrays.len() {
                    let (starts, arrays) = (starts.len(), arrays.len());
                    self.errors.push(L0Error::StartValueCount { span, soac: text, starts, arrays });
                    return vec![Type::Error; arrays];
                }
                let mut accumulators = Vec::new();
                for ((start, row), array) in starts.iter().zip(rows).zip(arrays) {
                    let because = Some((array.span, "the rows of this array set the type"));
                    let what = || format!("the start value of `{text}`");
                    let fits = self.expect_type(start, row, what, because);
                    accumulators.push(if fits { start.ty.clone() } else { row.with_uniqueness(false) });
                }
                accumulators
            }
        }
    }

    /// True if a T variant may be given the function: `fn {...} (...) => ...`.
    fn is_tuple_function(&mut self, function: &FunctionArgument, soac: &'static str) -> bool {
        match &function.kind {
            FunctionArgumentKind::Anonymous { result, .. } => {
                let is_tuple = matches!(result.kind, ast::TypeExprKind::Tuple(_));
                if !is_tuple {
                    self.errors.push(L0Error::TupleResultNeeded { span: result.span, soac });
                }
                is_tuple
            }
            FunctionArgumentKind::Named { .. }
            | FunctionArgumentKind::Binary { .. }
            | FunctionArgumentKind::Unary { .. } => {
                self.errors.push(L0Error::AnonymousFunctionNeeded { span: function.span, soac });
                false
            }
            FunctionArgumentKind::Error => false,
        }
    }

    /// Checks that the functions give what the combinator needs.
    fn check_results(
        &mut self,
        soac: &ast::Soac,
        text: &'static str,
        function: &Lambda,
        combine: Option<&Lambda>,
        accumulators: &[Type],
    ) -> bool {
        let wrap = |types: &[Type]| match soac.is_tupleless {
            true => Some(Type::tuple(types.to_vec())),
            false => types.first().cloned(),
        };
        let needed = match soac.kind {
            SoacKind::Map => None,
            SoacKind::Filter => wrap(&[Type::BOOL]),
            SoacKind::Reduce | SoacKind::Scan | SoacKind::Redomap => wrap(accumulators),
        };
        let Some(needed) = needed else { return true };
        let mut fits = true;
        for lambda in [Some(function), combine].into_iter().flatten() {
            if !lambda.result.matches(&needed) {
                self.errors.push(L0Error::FunctionResult {
                    span: lambda.span,
                    soac: text,
                    expected: needed.with_uniqueness(false),
                    found: lambda.result.clone(),
                });
                fits = false;
            }
        }
        fits
    }

    /// The type of the combinator's value.
    fn soac_type(&mut self, soac: &ast::Soac, function: &Lambda, arrays: &[Expr], span: Span) -> Type {
        let array_types = || arrays.iter().map(|array| array.ty.clone());
        let result_types = match (&function.result, soac.is_tupleless) {
            (Type::Tuple(types), true) => types.to_vec(),
            (ty, _) => vec![ty.clone()],
        };
        let types = match soac.kind {
            SoacKind::Map => result_types.iter().map(|ty| Type::array_of(ty, ty.is_unique())).collect(),
            SoacKind::Filter => array_types().collect(),
            SoacKind::Reduce | SoacKind::Redomap => result_types,
            SoacKind::Scan => array_types().map(|ty| ty.with_uniqueness(true)).collect(),
        };
        match types.as_slice() {
            [ty] if !soac.is_tupleless => ty.clone(),
            _ => self.tuple_type(types, span),
        }
    }

    // ---- functions

    /// Binds the curried expressions of a function to variables.
    fn curried(&mut self, function: &'p FunctionArgument, statements: &mut Vec<Statement>) -> Vec<Expr> {
        let values = match &function.kind {
            FunctionArgumentKind::Named { curried, .. }
            | FunctionArgumentKind::Binary { curried, .. }
            | FunctionArgumentKind::Unary { curried, .. } => curried,
            FunctionArgumentKind::Anonymous { .. } | FunctionArgumentKind::Error => return Vec::new(),
        };
        let mut variables = Vec::new();
        for value in values {
            let value = self.expr(value);
            let (ty, span) = (value.ty.clone(), value.span);
            let variable = self.fresh("curried", ty.clone(), span);
            variables.push(Expr { kind: ExprKind::Var(variable), ty: ty.with_uniqueness(false), span });
            let pattern = Pattern { kind: PatternKind::Var(variable), ty, span };
            statements.push(Statement::Let { pattern, value, span });
        }
        variables
    }

    /// Brings a function into the form of a lambda. `None` if it does not fit, which is reported.
    fn lambda(&mut self, function: &'p FunctionArgument, curried: Vec<Expr>, wanted: &Wanted) -> Option<Lambda> {
        let span = function.span;
        match &function.kind {
            FunctionArgumentKind::Error => None,
            FunctionArgumentKind::Anonymous { result, params, body } => {
                let mark = self.bound.len();
                self.barriers += 1;
                let variables = self.params(params);
                let body = self.expr(body);
                let result_type = Type::of(result);
                let because = Some((result.span, "declared here"));
                self.expect_type(&body, &result_type, || "the body of the function".to_string(), because);
                self.barriers -= 1;
                self.leave(mark);
                let types: Vec<_> = variables.iter().map(|variable| self.variables[*variable].ty.clone()).collect();
                let passing = self.passing(&types, wanted, span, None)?;
                Some(self.spread(Lambda { params: variables, result: result_type, body, span }, passing, &types))
            }
            FunctionArgumentKind::Named { function, curried: _ } => match self.operation(&function.text) {
                Some(op) => self.unary_lambda(op, curried, wanted, span),
                None => self.named_lambda(function, curried, wanted, span),
            },
            FunctionArgumentKind::Unary { op, curried: _ } => self.unary_lambda(unary_op(*op), curried, wanted, span),
            FunctionArgumentKind::Binary { op, curried: _ } => {
                let Some(remaining) = 2usize.checked_sub(curried.len()) else {
                    self.errors.push(L0Error::TooManyCurried { span, takes: 2, given: curried.len() });
                    return None;
                };
                let (types, passing) = self.operands(remaining, wanted, span)?;
                // Operands are basic, or refused below.
                let variables: Vec<_> = types.iter().map(|ty| self.fresh("operand", ty.clone(), span)).collect();
                let mut operands = curried;
                for (variable, ty) in variables.iter().zip(&types) {
                    operands.push(Expr { kind: ExprKind::Var(*variable), ty: ty.clone(), span });
                }
                let [left, right]: [Expr; 2] = operands.try_into().ok()?;
                let errors = self.errors.len();
                let body = self.binary(*op, span, left, right, span);
                if self.errors.len() > errors {
                    return None;
                }
                let result = body.ty.clone();
                Some(self.spread(Lambda { params: variables, result, body, span }, passing, &types))
            }
        }
    }

    /// A predefined function or unary operator as a lambda.
    fn unary_lambda(&mut self, op: UnaryOp, curried: Vec<Expr>, wanted: &Wanted, span: Span) -> Option<Lambda> {
        if !curried.is_empty() {
            self.errors.push(L0Error::TooManyCurried { span, takes: 1, given: curried.len() });
            return None;
        }
        // `trace` takes a tuple as it is.
        let (types, passing) = match (op, wanted.passed) {
            (UnaryOp::Trace, [passed]) => (vec![passed.with_uniqueness(false)], Passing::Direct),
            // What an operator takes is said where it is applied; a function has a signature.
            (UnaryOp::Not | UnaryOp::Negate | UnaryOp::Abs, _) => self.operands(1, wanted, span)?,
            (UnaryOp::ToReal, _) => (vec![Type::INT], self.passing(&[Type::INT], wanted, span, None)?),
            (UnaryOp::Trunc | UnaryOp::Real(_), _) => {
                (vec![Type::REAL], self.passing(&[Type::REAL], wanted, span, None)?)
            }
            (UnaryOp::Trace, _) => self.operands(1, wanted, span)?,
        };
        let ty = types.first()?.clone();
        let variable = self.fresh("operand", ty.clone(), span);
        let errors = self.errors.len();
        let body = self.unary(op, Expr { kind: ExprKind::Var(variable), ty, span }, span);
        if self.errors.len() > errors {
            return None;
        }
        let result = body.ty.clone();
        Some(self.spread(Lambda { params: vec![variable], result, body, span }, passing, &types))
    }

    /// A function of the program, perhaps partly applied, as a lambda.
    fn named_lambda(&mut self, function: &'p Name, curried: Vec<Expr>, wanted: &Wanted, span: Span) -> Option<Lambda> {
        let given: Vec<Type> = curried.iter().map(|value| &value.ty).chain(wanted.passed).cloned().collect();
        let spread = spreadable(wanted);
        let fits = |params: &[Type]| {
            let Some((first, rest)) = params.split_at_checked(curried.len()) else { return false };
            let all_match = |passed: &[Type]| {
                passed.len() == rest.len() && passed.iter().zip(rest).all(|(passed, param)| passed.matches(param))
            };
            curried.iter().zip(first).all(|(value, param)| value.ty.matches(param))
                && (all_match(wanted.passed) || spread.is_some_and(all_match))
        };
        let signature = self.signature(function, &given, fits)?;
        if curried.len() > signature.params.len() {
            let takes = signature.params.len();
            self.errors.push(L0Error::TooManyCurried { span, takes, given: curried.len() });
            return None;
        }
        let (given, types) = signature.params.split_at(curried.len());
        let mut fits = true;
        for (at, (value, param)) in curried.iter().zip(given).enumerate() {
            let what = || format!("argument {} of `{}`", at + 1, function.text);
            fits &= self.expect_type(value, param, what, Some((signature.name_span, "defined here")));
            if param.has_unique_part() {
                self.errors.push(L0Error::CurriedUnique {
                    span: value.span,
                    function: function.text.clone(),
                    declared: signature.name_span,
                });
                fits = false;
            }
        }
        let passing = self.passing(types, wanted, span, Some((&function.text, signature.name_span)))?;
        if !fits {
            return None;
        }
        let variables: Vec<_> = types.iter().map(|ty| self.fresh("operand", ty.clone(), span)).collect();
        let operands = variables.iter().zip(types).map(|(variable, ty)| Expr {
            kind: ExprKind::Var(*variable),
            ty: ty.clone(),
            span,
        });
        let arguments = curried.into_iter().chain(operands).collect();
        let result = signature.result.clone();
        let kind = ExprKind::Call { function: signature.id, arguments };
        let body = Expr { kind, ty: result.clone(), span };
        Some(self.spread(Lambda { params: variables, result, body, span }, passing, types))
    }

    /// How the passed values meet parameters of the types `params`; `None` if they do not fit, which is reported.
    fn passing(
        &mut self,
        params: &[Type],
        wanted: &Wanted,
        span: Span,
        declared: Option<(&str, Span)>,
    ) -> Option<Passing> {
        let all_match = |passed: &[Type]| {
            passed.len() == params.len() && passed.iter().zip(params).all(|(passed, param)| passed.matches(param))
        };
        if all_match(wanted.passed) {
            return Some(Passing::Direct);
        }
        let components = spreadable(wanted);
        if components.is_some_and(all_match) {
            return Some(Passing::Spread);
        }
        // With a mistake among the passed values nothing is known of their number.
        if wanted.passed.contains(&Type::Error) && wanted.may_spread {
            return None;
        }
        let met = match components {
            Some(components) if params.len() != wanted.passed.len() && params.len() == components.len() => components,
            _ => wanted.passed,
        };
        let declared_span = declared.map(|(_, span)| span);
        if met.len() != params.len() {
            self.errors.push(L0Error::FunctionArity {
                span,
                soac: wanted.soac,
                takes: params.len(),
                passed: wanted.passed.to_vec(),
                declared: declared_span,
            });
            return None;
        }
        for (at, (passed, param)) in met.iter().zip(params).enumerate() {
            if !passed.matches(param) {
                self.errors.push(L0Error::FunctionParameter {
                    span,
                    soac: wanted.soac,
                    number: at + 1,
                    passed: passed.with_uniqueness(false),
                    found: param.clone(),
                    declared: declared_span,
                });
                return None;
            }
        }
        None
    }

    /// The types of the `count` operands that an operator is passed; `None` if it is another number, which is reported.
    fn operands(&mut self, count: usize, wanted: &Wanted, span: Span) -> Option<(Vec<Type>, Passing)> {
        let (types, passing) = match spreadable(wanted) {
            Some(components) if components.len() == count => (components, Passing::Spread),
            _ => (wanted.passed, Passing::Direct),
        };
        if types.contains(&Type::Error) {
            return None;
        }
        if types.len() != count {
            self.errors.push(L0Error::FunctionArity {
                span,
                soac: wanted.soac,
                takes: count,
                passed: wanted.passed.to_vec(),
                declared: None,
            });
            return None;
        }
        Some((types.iter().map(|ty| ty.with_uniqueness(false)).collect(), passing))
    }

    /// Gives a lambda one parameter that is a tuple, in place of one for each component.
    fn spread(&mut self, lambda: Lambda, passing: Passing, types: &[Type]) -> Lambda {
        if passing == Passing::Direct {
            return lambda;
        }
        let Lambda { params, result, body, span } = lambda;
        let ty = Type::tuple(types.to_vec());
        self.barriers += 1;
        let tuple: Var = self.fresh("row", ty.clone(), span);
        self.barriers -= 1;
        let parts = params
            .into_iter()
            .zip(types)
            .map(|(variable, ty)| Pattern {
                kind: PatternKind::Var(variable),
                ty: ty.clone(),
                span: self.variables[variable].span,
            })
            .collect();
        let pattern = Pattern { kind: PatternKind::Tuple(parts), ty: ty.clone(), span };
        let value = Expr { kind: ExprKind::Var(tuple), ty, span };
        let body = Expr {
            ty: body.ty.clone(),
            span: body.span,
            kind: ExprKind::Block { statements: vec![Statement::Let { pattern, value, span }], result: Box::new(body) },
        };
        Lambda { params: vec![tuple], result, body, span }
    }
}

/// The components that the one passed value may be spread into.
fn spreadable<'t>(wanted: &Wanted<'t>) -> Option<&'t [Type]> {
    match wanted.passed {
        [Type::Tuple(components)] if wanted.may_spread => Some(components),
        _ => None,
    }
}
