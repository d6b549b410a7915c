//! `return` inside loops, `else` of loops and `:=` in the tests of loops, said without them.
//!
//! `return e` in a loop becomes assignments to two variables and a `break`. After each loop around it follows a test that leaves
//! the next loop, or returns. Before each `break` of a loop with an `else` a variable is set, which is tested after the loop.
//! `while` with an assignment in its test becomes a loop that is left by `break`. The names have blanks, so that no variable of a
//! program has them.

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
                let otherwise = without_else(&mut stmt.body, &mut stmt.orelse, in_loop, range, &mut made);
                let returned = returns(&stmt.body);
                stmt.body = rewrite(stmt.body, true);
                around(Stmt::For(stmt), returned, in_loop, range, &mut made);
                made.extend(otherwise);
            }
            Stmt::While(mut stmt) => {
                let otherwise = without_else(&mut stmt.body, &mut stmt.orelse, in_loop, range, &mut made);
                if has_walrus(&stmt.test) {
                    let test = std::mem::replace(&mut *stmt.test, truth(true, range));
                    let leave = vec![Stmt::Break(ast::StmtBreak { range })];
                    stmt.body.insert(0, unless(test, leave, range));
                }
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
                made.extend(otherwise);
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

/// Takes the `else` of a loop: a variable is set before each `break`, and what follows the loop tests it.
fn without_else(
    body: &mut Vec<Stmt>,
    orelse: &mut Vec<Stmt>,
    in_loop: bool,
    range: TextRange,
    made: &mut Vec<Stmt>,
) -> Option<Stmt> {
    if orelse.is_empty() {
        return None;
    }
    let flag = format!("is left {}", u32::from(range.start()));
    made.push(assign(&flag, truth(false, range), range));
    *body = marked(std::mem::take(body), &flag);
    let orelse = rewrite(std::mem::take(orelse), in_loop);
    Some(unless(name(&flag, ExprContext::Load, range), orelse, range))
}

/// The statements of a loop, with a variable set before each `break` that leaves it.
fn marked(stmts: Vec<Stmt>, flag: &str) -> Vec<Stmt> {
    let mut made = Vec::new();
    for mut stmt in stmts {
        match &mut stmt {
            Stmt::Break(leave) => made.push(assign(flag, truth(true, leave.range), leave.range)),
            Stmt::If(stmt) => {
                stmt.body = marked(std::mem::take(&mut stmt.body), flag);
                stmt.orelse = marked(std::mem::take(&mut stmt.orelse), flag);
            }
            Stmt::With(stmt) => stmt.body = marked(std::mem::take(&mut stmt.body), flag),
            _ => {}
        }
        made.push(stmt);
    }
    made
}

/// `if not test: body`
fn unless(test: Expr, body: Vec<Stmt>, range: TextRange) -> Stmt {
    let not = ast::ExprUnaryOp { range: test.range(), op: ast::UnaryOp::Not, operand: Box::new(test) };
    Stmt::If(ast::StmtIf { range, test: Box::new(Expr::UnaryOp(not)), body, orelse: Vec::new() })
}

/// True if a test assigns a variable.
fn has_walrus(test: &Expr) -> bool {
    match test {
        Expr::NamedExpr(_) => true,
        Expr::BoolOp(op) => op.values.iter().any(has_walrus),
        Expr::UnaryOp(op) => has_walrus(&op.operand),
        Expr::BinOp(op) => has_walrus(&op.left) || has_walrus(&op.right),
        Expr::Compare(compare) => has_walrus(&compare.left) || compare.comparators.iter().any(has_walrus),
        Expr::Call(call) => call.args.iter().any(has_walrus),
        _ => false,
    }
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
