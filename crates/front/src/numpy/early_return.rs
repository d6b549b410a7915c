//! `return` inside loops, said without it: the loop is left, and the function returns after it.
//!
//! `return e` in a loop becomes assignments to two variables and a `break`. After each loop around it follows a test that leaves
//! the next loop, or returns. The names have blanks, so that no variable of a program has them.

use rustpython_parser::ast::{self, Constant, Expr, ExprContext, Ranged, Stmt};
use rustpython_parser::text_size::TextRange;

/// The variable that holds what is returned.
const VALUE: &str = "return value";
/// The variable that says that something is.
const RETURNED: &str = "is returned";

/// The statements of a function without `return` in loops.
pub(super) fn without_returns_in_loops(body: Vec<Stmt>) -> Vec<Stmt> {
    rewrite(body, false)
}

fn rewrite(stmts: Vec<Stmt>, in_loop: bool) -> Vec<Stmt> {
    let mut made = Vec::new();
    for stmt in stmts {
        let range = stmt.range();
        match stmt {
            Stmt::Return(stmt) if in_loop => {
                if let Some(value) = stmt.value {
                    made.push(assign(VALUE, *value, range));
                }
                made.push(assign(RETURNED, truth(true, range), range));
                made.push(Stmt::Break(ast::StmtBreak { range }));
            }
            Stmt::If(mut stmt) => {
                stmt.body = rewrite(stmt.body, in_loop);
                stmt.orelse = rewrite(stmt.orelse, in_loop);
                made.push(Stmt::If(stmt));
            }
            Stmt::With(mut stmt) => {
                stmt.body = rewrite(stmt.body, in_loop);
                made.push(Stmt::With(stmt));
            }
            Stmt::For(mut stmt) => {
                let returned = returns(&stmt.body);
                stmt.body = rewrite(stmt.body, true);
                around(Stmt::For(stmt), returned, in_loop, range, &mut made);
            }
            Stmt::While(mut stmt) => {
                let returned = returns(&stmt.body);
                let is_endless = matches!(&*stmt.test, Expr::Constant(test) if test.value == Constant::Bool(true));
                let only_returns = is_endless && !breaks(&stmt.body);
                stmt.body = rewrite(stmt.body, true);
                around(Stmt::While(stmt), returned, in_loop, range, &mut made);
                if only_returns && returned != Returned::Nothing {
                    // What is left is left by `return`.
                    if let Some(Stmt::If(test)) = made.pop() {
                        made.extend(test.body);
                    }
                }
            }
            Stmt::FunctionDef(mut stmt) => {
                stmt.body = rewrite(stmt.body, false);
                made.push(Stmt::FunctionDef(stmt));
            }
            stmt => made.push(stmt),
        }
    }
    made
}

/// True if a loop with these statements is left by `break`.
fn breaks(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Break(_) => true,
        Stmt::If(stmt) => breaks(&stmt.body) || breaks(&stmt.orelse),
        Stmt::With(stmt) => breaks(&stmt.body),
        _ => false,
    })
}

/// What a loop returns, if it returns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Returned {
    Nothing,
    None,
    Value,
}

fn around(stmt: Stmt, returned: Returned, in_loop: bool, range: TextRange, made: &mut Vec<Stmt>) {
    if let Returned::Nothing = returned {
        made.push(stmt);
        return;
    }
    made.push(assign(RETURNED, truth(false, range), range));
    made.push(stmt);
    let leave = if in_loop {
        Stmt::Break(ast::StmtBreak { range })
    } else {
        let value = matches!(returned, Returned::Value).then(|| Box::new(name(VALUE, ExprContext::Load, range)));
        Stmt::Return(ast::StmtReturn { range, value })
    };
    let test = Box::new(name(RETURNED, ExprContext::Load, range));
    made.push(Stmt::If(ast::StmtIf { range, test, body: vec![leave], orelse: Vec::new() }));
}

fn returns(stmts: &[Stmt]) -> Returned {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Return(stmt) if stmt.value.is_some() => Returned::Value,
        Stmt::Return(_) => Returned::None,
        Stmt::If(stmt) => returns(&stmt.body).max(returns(&stmt.orelse)),
        Stmt::For(stmt) => returns(&stmt.body),
        Stmt::While(stmt) => returns(&stmt.body),
        Stmt::With(stmt) => returns(&stmt.body),
        _ => Returned::Nothing,
    };
    stmts.iter().map(of).max().unwrap_or(Returned::Nothing)
}

fn name(id: &str, ctx: ExprContext, range: TextRange) -> Expr {
    Expr::Name(ast::ExprName { range, id: id.into(), ctx })
}

fn truth(value: bool, range: TextRange) -> Expr {
    Expr::Constant(ast::ExprConstant { range, value: Constant::Bool(value), kind: None })
}

fn assign(target: &str, value: Expr, range: TextRange) -> Stmt {
    let targets = vec![name(target, ExprContext::Store, range)];
    Stmt::Assign(ast::StmtAssign { range, targets, value: Box::new(value), type_comment: None })
}
