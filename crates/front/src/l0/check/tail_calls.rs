//! Functions that call themselves, and always last of all, as loops: they need no stack for each call.
//!
//! ```text
//! fun t f(params) = statements; decision
//! ```
//!
//! where the decision is a tree of `if`s whose leaves are calls of `f` or values, becomes
//!
//! ```text
//! statements;
//! loop (state = state) = while going(decision) do
//!   let params = arguments(decision) in statements; state
//! in value(decision)
//! ```
//!
//! The state is what the decision reads: parameters, and variables of the statements. The three copies of the decision keep the
//! conditions that they need: the first one tells whether a leaf is a call, the second one has only calls, the third one only
//! values. Statements in the branches of the decision may so run twice; those before it run as often as they did.
//!
//! Whether arrays are consumed as they may be in a loop is left to [`uniqueness`](super::uniqueness), which checks the function again.

use crate::l0::typed::{
    Expr, ExprKind, Function, FunctionId, Lambda, Pattern, PatternKind, Repeat, Soac, Statement, UnaryOp, Var, Variable,
};
use crate::l0::types::Type;
use frit_support::{Span, Table};
use std::collections::BTreeMap;

/// The function as a loop; `None` if it does not call itself, or not last of all, or never ends.
pub(super) fn as_loop(id: FunctionId, function: &Function) -> Option<Function> {
    let (statements, decision) = match &function.body.kind {
        ExprKind::Block { statements, result } => (statements.as_slice(), &**result),
        _ => (&[][..], &function.body),
    };
    let leaves = Leaves::of(id, decision);
    let mut calls = 0;
    any_expr(&function.body, &mut |expr| calls += usize::from(call_of(id, expr).is_some()));
    if leaves.calls == 0 || leaves.values == 0 || calls != leaves.calls {
        return None;
    }
    let mut state: Vec<Var> = Vec::new();
    let mut bound = Vec::new();
    each_variable(decision, &mut |var, is_bound| match is_bound {
        true => bound.push(var),
        false if !state.contains(&var) => state.push(var),
        false => {}
    });
    state.retain(|var| !bound.contains(var));
    state.sort();
    if state.is_empty() {
        return None;
    }
    let mut loops = Loops { id, variables: function.variables.clone(), span: function.body.span };
    let body = loops.body(&function.params, statements, decision, &state);
    Some(Function { body, variables: loops.variables, ..function.clone() })
}

/// The arguments, if an expression is a call of the function.
fn call_of(id: FunctionId, expr: &Expr) -> Option<&[Expr]> {
    match &expr.kind {
        ExprKind::Call { function, arguments } if *function == id => Some(arguments),
        _ => None,
    }
}

/// What a tree of decisions ends in.
#[derive(Clone, Copy)]
struct Leaves {
    calls: usize,
    values: usize,
}

impl Leaves {
    fn of(id: FunctionId, expr: &Expr) -> Self {
        match &expr.kind {
            ExprKind::If { on_true, on_false, .. } => {
                let (x, y) = (Leaves::of(id, on_true), Leaves::of(id, on_false));
                Leaves { calls: x.calls + y.calls, values: x.values + y.values }
            }
            ExprKind::Block { result, .. } => Leaves::of(id, result),
            _ if call_of(id, expr).is_some() => Leaves { calls: 1, values: 0 },
            _ => Leaves { calls: 0, values: 1 },
        }
    }
}

/// Which leaves of a decision are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Calls, as tuples of their arguments.
    Calls,
    Values,
}

struct Loops {
    id: FunctionId,
    variables: Table<Var, Variable>,
    span: Span,
}

impl Loops {
    fn body(&mut self, params: &[Var], statements: &[Statement], decision: &Expr, state: &[Var]) -> Expr {
        let span = self.span;
        let init = self.tuple(state);

        // In the loop.
        let inside = self.renamed(state);
        let going = self.going(decision).expect_err("there are leaves of both sorts");
        let condition = Copy::new(self, &inside).expr(&going);
        let arguments = self.leaves(decision, Keep::Calls).expect("there is a call");
        let arguments = Copy::new(self, &inside).expr(&arguments);
        let mut names = BTreeMap::new();
        let pattern = self.pattern(params, &arguments.ty, &mut names);
        let mut next = vec![Statement::Let { pattern, value: arguments, span }];
        let mut copy = Copy { names, ..Copy::new(self, &BTreeMap::new()) };
        next.extend(statements.iter().map(|statement| copy.statement(statement)));
        let names = copy.names;
        let next_state: Vec<Var> = state.iter().map(|var| names.get(var).copied().unwrap_or(*var)).collect();
        let result = self.tuple(&next_state);
        let body_type = result.ty.clone();
        let body =
            Expr { ty: body_type.clone(), kind: ExprKind::Block { statements: next, result: Box::new(result) }, span };

        // After it.
        let after_type = init.ty.meet(&body_type);
        let mut names = BTreeMap::new();
        let results = self.pattern(state, &after_type, &mut names);
        let value = self.leaves(decision, Keep::Values).expect("there is a value");
        let value = Copy { names, ..Copy::new(self, &BTreeMap::new()) }.expr(&value);

        let params = self.bound_pattern(state, &init.ty, &inside);
        let owner = Variable { name: "_".into(), is_written: false, ty: Type::BOOL, span };
        let repeat = Repeat::While { condition, state: self.variables.push(owner) };
        let mut all = statements.to_vec();
        all.push(Statement::Loop { params, init, repeat, body, results, span });
        Expr { ty: value.ty.clone(), kind: ExprKind::Block { statements: all, result: Box::new(value) }, span }
    }

    /// Whether the decision ends in a call: known, or as an expression.
    fn going(&self, expr: &Expr) -> Result<bool, Expr> {
        let truth = |kind| Expr { kind, ty: Type::BOOL, span: expr.span };
        match &expr.kind {
            ExprKind::If { condition, on_true, on_false } => match (self.going(on_true), self.going(on_false)) {
                (Ok(x), Ok(y)) if x == y => Ok(x),
                (Ok(true), Ok(false)) => Err((**condition).clone()),
                (Ok(false), Ok(true)) => Err(truth(ExprKind::Unary { op: UnaryOp::Not, operand: condition.clone() })),
                (x, y) => {
                    let [on_true, on_false] = [(x, on_true), (y, on_false)].map(|(going, branch)| {
                        let known = |going| Expr { kind: ExprKind::Bool(going), ty: Type::BOOL, span: branch.span };
                        Box::new(going.map_or_else(|expr| expr, known))
                    });
                    Err(truth(ExprKind::If { condition: condition.clone(), on_true, on_false }))
                }
            },
            ExprKind::Block { statements, result } => self
                .going(result)
                .map_err(|result| truth(ExprKind::Block { statements: statements.clone(), result: Box::new(result) })),
            _ => Ok(call_of(self.id, expr).is_some()),
        }
    }

    /// The decision where it is known to end in such a leaf; `None` if it never does.
    fn leaves(&self, expr: &Expr, keep: Keep) -> Option<Expr> {
        match &expr.kind {
            ExprKind::If { condition, on_true, on_false } => {
                match (self.leaves(on_true, keep), self.leaves(on_false, keep)) {
                    (Some(x), Some(y)) => {
                        let ty = x.ty.meet(&y.ty);
                        let (condition, on_true, on_false) = (condition.clone(), x.into(), y.into());
                        Some(Expr { kind: ExprKind::If { condition, on_true, on_false }, ty, span: expr.span })
                    }
                    (one, other) => one.or(other),
                }
            }
            ExprKind::Block { statements, result } => self.leaves(result, keep).map(|result| {
                let (ty, statements) = (result.ty.clone(), statements.clone());
                Expr { kind: ExprKind::Block { statements, result: result.into() }, ty, span: expr.span }
            }),
            _ => match (call_of(self.id, expr), keep) {
                (Some(arguments), Keep::Calls) => {
                    let ty = Type::tuple(arguments.iter().map(|argument| argument.ty.clone()).collect());
                    Some(Expr { kind: ExprKind::Tuple(arguments.to_vec()), ty, span: expr.span })
                }
                (None, Keep::Values) => Some(expr.clone()),
                (Some(_), Keep::Values) | (None, Keep::Calls) => None,
            },
        }
    }

    /// A tuple of variables.
    fn tuple(&self, variables: &[Var]) -> Expr {
        let read = |&var: &Var| Expr { kind: ExprKind::Var(var), ty: self.variables[var].ty.clone(), span: self.span };
        let ty = Type::tuple(variables.iter().map(|&var| self.variables[var].ty.clone()).collect());
        Expr { kind: ExprKind::Tuple(variables.iter().map(read).collect()), ty, span: self.span }
    }

    /// New variables of the same names and types.
    fn renamed(&mut self, variables: &[Var]) -> BTreeMap<Var, Var> {
        variables.iter().map(|&var| (var, self.variables.push(self.variables[var].clone()))).collect()
    }

    fn bound_pattern(&self, variables: &[Var], ty: &Type, names: &BTreeMap<Var, Var>) -> Pattern {
        let part = |var: &Var| {
            let ty = self.variables[names[var]].ty.clone();
            Pattern { kind: PatternKind::Var(names[var]), ty, span: self.variables[*var].span }
        };
        Pattern { kind: PatternKind::Tuple(variables.iter().map(part).collect()), ty: ty.clone(), span: self.span }
    }

    /// A pattern that binds new variables of the same names to the components of a value of this type.
    fn pattern(&mut self, variables: &[Var], ty: &Type, names: &mut BTreeMap<Var, Var>) -> Pattern {
        let Type::Tuple(types) = ty else { unreachable!("the value is a tuple") };
        for (var, ty) in variables.iter().zip(types.iter()) {
            let variable = Variable { ty: ty.clone(), ..self.variables[*var].clone() };
            names.insert(*var, self.variables.push(variable));
        }
        self.bound_pattern(variables, ty, names)
    }
}

/// Copies trees, with new variables for those that they bind.
struct Copy<'v> {
    names: BTreeMap<Var, Var>,
    variables: &'v mut Table<Var, Variable>,
}

impl<'v> Copy<'v> {
    fn new(loops: &'v mut Loops, names: &BTreeMap<Var, Var>) -> Self {
        Self { names: names.clone(), variables: &mut loops.variables }
    }

    fn var(&self, var: Var) -> Var {
        self.names.get(&var).copied().unwrap_or(var)
    }

    fn vars(&self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|&var| self.var(var)).collect()
    }

    fn bind(&mut self, var: Var) -> Var {
        let copy = self.variables.push(self.variables[var].clone());
        self.names.insert(var, copy);
        copy
    }

    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        let kind = match &pattern.kind {
            PatternKind::Wildcard => PatternKind::Wildcard,
            PatternKind::Var(var) => PatternKind::Var(self.bind(*var)),
            PatternKind::Tuple(parts) => PatternKind::Tuple(parts.iter().map(|part| self.pattern(part)).collect()),
        };
        Pattern { kind, ty: pattern.ty.clone(), span: pattern.span }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            kind @ (ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Checked
            | ExprKind::String(_)
            | ExprKind::Empty) => kind.clone(),
            ExprKind::Var(var) => ExprKind::Var(self.var(*var)),
            ExprKind::Array(elements) => ExprKind::Array(self.exprs(elements)),
            ExprKind::Tuple(components) => ExprKind::Tuple(self.exprs(components)),
            ExprKind::Binary { op, left, right } => {
                ExprKind::Binary { op: *op, left: self.boxed(left), right: self.boxed(right) }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: self.boxed(operand) },
            ExprKind::If { condition, on_true, on_false } => ExprKind::If {
                condition: self.boxed(condition),
                on_true: self.boxed(on_true),
                on_false: self.boxed(on_false),
            },
            ExprKind::Call { function, arguments } => {
                ExprKind::Call { function: *function, arguments: self.exprs(arguments) }
            }
            ExprKind::Index { array, index } => ExprKind::Index { array: self.var(*array), index: self.exprs(index) },
            ExprKind::Block { statements, result } => {
                let statements = statements.iter().map(|statement| self.statement(statement)).collect();
                ExprKind::Block { statements, result: self.boxed(result) }
            }
            ExprKind::Builtin { builtin, operands } => {
                ExprKind::Builtin { builtin: builtin.clone(), operands: self.exprs(operands) }
            }
            ExprKind::Soac(soac) => ExprKind::Soac(Box::new(self.soac(soac))),
            ExprKind::Certified { certificates, expr } => {
                ExprKind::Certified { certificates: self.vars(certificates), expr: self.boxed(expr) }
            }
        };
        Expr { kind, ty: expr.ty.clone(), span: expr.span }
    }

    fn soac(&mut self, soac: &Soac) -> Soac {
        Soac {
            kind: soac.kind,
            is_tupleless: soac.is_tupleless,
            function: self.lambda(&soac.function),
            combine: soac.combine.as_ref().map(|combine| self.lambda(combine)),
            starts: self.exprs(&soac.starts),
            arrays: self.exprs(&soac.arrays),
        }
    }

    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let params = lambda.params.iter().map(|&param| self.bind(param)).collect();
        Lambda { params, result: lambda.result.clone(), body: self.expr(&lambda.body), span: lambda.span }
    }

    fn statement(&mut self, statement: &Statement) -> Statement {
        match statement {
            Statement::Let { pattern, value, span } => {
                let value = self.expr(value);
                Statement::Let { pattern: self.pattern(pattern), value, span: *span }
            }
            Statement::Update { certificates, target, source, index, value, span } => {
                let (certificates, source) = (self.vars(certificates), self.var(*source));
                let (index, value) = (self.exprs(index), self.expr(value));
                Statement::Update { certificates, target: self.bind(*target), source, index, value, span: *span }
            }
            Statement::Loop { params, init, repeat, body, results, span } => {
                let init = self.expr(init);
                let bound = match repeat {
                    Repeat::For { bound, .. } => Some(self.expr(bound)),
                    Repeat::While { .. } => None,
                };
                let params = self.pattern(params);
                let repeat = match (repeat, bound) {
                    (Repeat::For { counter, .. }, Some(bound)) => Repeat::For { counter: self.bind(*counter), bound },
                    (Repeat::While { condition, state }, _) => {
                        Repeat::While { condition: self.expr(condition), state: self.bind(*state) }
                    }
                    (Repeat::For { .. }, None) => unreachable!("the bound was copied above"),
                };
                let body = self.expr(body);
                Statement::Loop { params, init, repeat, body, results: self.pattern(results), span: *span }
            }
        }
    }
}

/// Calls `visit` for the expression and all in it.
fn any_expr<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    visit(expr);
    each_part(expr, &mut |part| any_expr(part, visit), &mut |_, _| {});
}

/// Calls `visit` for all variables that the expression reads, and those that it binds, which are marked.
fn each_variable(expr: &Expr, visit: &mut impl FnMut(Var, bool)) {
    let mut exprs = vec![expr];
    while let Some(expr) = exprs.pop() {
        each_part(expr, &mut |part| exprs.push(part), visit);
    }
}

/// Calls `part` for the expressions directly in this one, and `variable` for the variables that it reads or binds itself.
fn each_part<'e>(expr: &'e Expr, part: &mut dyn FnMut(&'e Expr), variable: &mut dyn FnMut(Var, bool)) {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Checked
        | ExprKind::String(_)
        | ExprKind::Empty => {}
        ExprKind::Var(var) => variable(*var, false),
        ExprKind::Array(parts) | ExprKind::Tuple(parts) => parts.iter().for_each(part),
        ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|operand| part(operand)),
        ExprKind::Unary { operand, .. } => part(operand),
        ExprKind::If { condition, on_true, on_false } => {
            [condition, on_true, on_false].into_iter().for_each(|branch| part(branch));
        }
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(part),
        ExprKind::Index { array, index } => {
            variable(*array, false);
            index.iter().for_each(part);
        }
        ExprKind::Block { statements, result } => {
            statements.iter().for_each(|statement| each_part_of_statement(statement, part, variable));
            part(result);
        }
        ExprKind::Builtin { operands, .. } => operands.iter().for_each(part),
        ExprKind::Soac(soac) => {
            for lambda in [Some(&soac.function), soac.combine.as_ref()].into_iter().flatten() {
                lambda.params.iter().for_each(|&param| variable(param, true));
                part(&lambda.body);
            }
            soac.starts.iter().chain(&soac.arrays).for_each(part);
        }
        ExprKind::Certified { certificates, expr } => {
            certificates.iter().for_each(|&certificate| variable(certificate, false));
            part(expr);
        }
    }
}

fn each_part_of_statement<'e>(
    statement: &'e Statement,
    part: &mut dyn FnMut(&'e Expr),
    variable: &mut dyn FnMut(Var, bool),
) {
    fn bound(pattern: &Pattern, variable: &mut dyn FnMut(Var, bool)) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Var(var) => variable(*var, true),
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| bound(part, variable)),
        }
    }
    match statement {
        Statement::Let { pattern, value, .. } => {
            bound(pattern, variable);
            part(value);
        }
        Statement::Update { certificates, target, source, index, value, .. } => {
            certificates.iter().chain([source]).for_each(|&var| variable(var, false));
            variable(*target, true);
            index.iter().for_each(&mut *part);
            part(value);
        }
        Statement::Loop { params, init, repeat, body, results, .. } => {
            bound(params, variable);
            bound(results, variable);
            part(init);
            match repeat {
                Repeat::For { counter, bound } => {
                    variable(*counter, true);
                    part(bound);
                }
                Repeat::While { condition, state } => {
                    variable(*state, true);
                    part(condition);
                }
            }
            part(body);
        }
    }
}
