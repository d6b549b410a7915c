//! A walk over the expressions in an expression that knows which names with-loops and comprehensions bind on the way.

use crate::sac::ast::{
    Accessor, Expr, ExprKind, Generator, IndexComponent, IndexPattern, OperationKind, SelectArg, Stmt, StmtKind,
};

/// What a name that is bound inside of an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// A component of an index.
    Component,
    /// An index vector, of this length if that is written.
    Vector(Option<usize>),
    /// A variable of a block.
    Variable,
}

/// The names that are bound between an expression and one in it, the innermost last.
pub(super) type Scope<'a> = Vec<(&'a str, Inner)>;

/// Adds the names that an index binds.
pub(super) fn bind<'a>(index: &'a IndexPattern, scope: &mut Scope<'a>) {
    let names = index.components.iter().flatten().filter_map(|component| match component {
        IndexComponent::Name(name) => Some((name.text.as_str(), Inner::Component)),
        IndexComponent::Dot(_) | IndexComponent::Dots(_) => None,
    });
    let length = index.components.as_ref().map(|_| names.clone().count());
    scope.extend(index.vector.iter().map(|name| (name.text.as_str(), Inner::Vector(length))));
    scope.extend(names);
}

/// Calls `found` with all variables that an expression mentions and does not bind itself.
pub(super) fn free_names<'a>(expr: &'a Expr, found: &mut dyn FnMut(&'a str)) {
    each_expr(expr, &mut Vec::new(), &mut |expr, scope| {
        if let ExprKind::Name(name) = &expr.kind
            && !scope.iter().any(|(bound, _)| *bound == name.name.text)
        {
            found(&name.name.text);
        }
    });
}

/// Calls `found` with an expression and all expressions in it, those of blocks included, and the names bound around each.
pub(super) fn each_expr<'a>(expr: &'a Expr, scope: &mut Scope<'a>, found: &mut dyn FnMut(&'a Expr, &Scope<'a>)) {
    found(expr, scope);
    match &expr.kind {
        ExprKind::Literal(..) | ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::EmptyArray(_) | ExprKind::Error => {}
        ExprKind::Call { args, .. } | ExprKind::Array(args) => all(args, scope, found),
        ExprKind::And(x, y) | ExprKind::Or(x, y) => all([&**x, y], scope, found),
        ExprKind::Cond(cond, x, y) => all([&**cond, x, y], scope, found),
        ExprKind::Cast(_, value) | ExprKind::Field(value, _) => each_expr(value, scope, found),
        ExprKind::Select(array, args) => {
            each_expr(array, scope, found);
            for arg in args {
                if let SelectArg::Expr(arg) = arg {
                    each_expr(arg, scope, found);
                }
            }
        }
        ExprKind::Struct(_, fields) => all(fields.iter().map(|(_, value)| value), scope, found),
        ExprKind::With(with) => {
            for part in &with.parts {
                each_in_generator(&part.generator, scope, found);
                let outside = scope.len();
                bind(&part.generator.index, scope);
                assigned(&part.body, scope);
                each_in_block(&part.body, scope, found);
                all(&part.cells, scope, found);
                scope.truncate(outside);
            }
            for operation in &with.operations {
                match &operation.kind {
                    OperationKind::Genarray(shape, default) => all(std::iter::once(shape).chain(default), scope, found),
                    OperationKind::Modarray(source) => each_expr(source, scope, found),
                    OperationKind::Fold(function, neutral) => {
                        all(function.args.iter().chain([neutral]), scope, found);
                    }
                    OperationKind::FoldFix(function, neutral, stop) => {
                        all(function.args.iter().chain([neutral, stop]), scope, found);
                    }
                    OperationKind::Propagate(_) => {}
                }
            }
        }
        ExprKind::Tensor(parts) => {
            for part in parts {
                part.generator.iter().for_each(|generator| each_in_generator(generator, scope, found));
                let outside = scope.len();
                bind(&part.index, scope);
                each_expr(&part.cell, scope, found);
                scope.truncate(outside);
            }
        }
    }
}

fn all<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    scope: &mut Scope<'a>,
    found: &mut dyn FnMut(&'a Expr, &Scope<'a>),
) {
    exprs.into_iter().for_each(|expr| each_expr(expr, scope, found));
}

fn each_in_generator<'a>(generator: &'a Generator, scope: &mut Scope<'a>, found: &mut dyn FnMut(&'a Expr, &Scope<'a>)) {
    let bounds = generator.lower.iter().chain(&generator.upper).filter_map(|bound| bound.value.as_ref());
    all(bounds.chain(&generator.step).chain(&generator.width), scope, found);
}

fn each_in_block<'a>(statements: &'a [Stmt], scope: &mut Scope<'a>, found: &mut dyn FnMut(&'a Expr, &Scope<'a>)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { value, .. } | StmtKind::Expr(value) => each_expr(value, scope, found),
            StmtKind::Update { target, value, .. } => {
                for accessor in &target.accessors {
                    if let Accessor::Index(indices, _) = accessor {
                        all(indices, scope, found);
                    }
                }
                each_expr(value, scope, found);
            }
            StmtKind::If { cond, then, otherwise } => {
                each_expr(cond, scope, found);
                each_in_block(then, scope, found);
                each_in_block(otherwise, scope, found);
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                each_expr(cond, scope, found);
                each_in_block(body, scope, found);
            }
            StmtKind::For { init, cond, step, body } => {
                each_in_block(init, scope, found);
                each_expr(cond, scope, found);
                each_in_block(step, scope, found);
                each_in_block(body, scope, found);
            }
        }
    }
}

/// Adds the variables that statements assign.
fn assigned<'a>(statements: &'a [Stmt], scope: &mut Scope<'a>) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { targets, .. } => {
                scope.extend(targets.iter().map(|name| (name.text.as_str(), Inner::Variable)));
            }
            StmtKind::Update { target, .. } => scope.push((&target.name.text, Inner::Variable)),
            StmtKind::Expr(_) => {}
            StmtKind::If { then, otherwise, .. } => {
                assigned(then, scope);
                assigned(otherwise, scope);
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => assigned(body, scope),
            StmtKind::For { init, step, body, .. } => {
                assigned(init, scope);
                assigned(step, scope);
                assigned(body, scope);
            }
        }
    }
}
