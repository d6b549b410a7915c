//! What arithmetic of the loop IR costs, and where it is defined. Knows nothing of the array IR.

use frit_ir::nest::{Array, Expr, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_schedule::estimate::binary_cost;
use std::collections::BTreeSet;

/// The cost of real arithmetic. Integer operations are free: vectorising them gains too little.
pub(crate) fn cost(proc: &Proc, body: &[Stmt]) -> i64 {
    let mut cost = 0;
    body.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| cost += expr_cost(proc, expr)));
    cost
}

/// The cost of an expression's real arithmetic, in additions.
pub(crate) fn expr_cost(proc: &Proc, expr: &Expr) -> i64 {
    let mut cost = 0;
    expr.for_each_part(&mut |node| {
        cost += match node {
            Expr::Unary { op, x } if is_real(proc, x) => match op {
                UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Floor | UnOp::Ceil | UnOp::Convert(_) => 1,
                UnOp::Sqrt => 5,
                UnOp::Math(_) => 10,
            },
            Expr::Binary { op, x, y: _ } if is_real(proc, x) => binary_cost(*op),
            Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Select { .. }
            | Expr::Threads => 0,
        }
    });
    cost
}

/// True if the expression applies an operation without vector instructions to one of these
/// variables: an integer division, or a conversion between reals and 8-byte integers. Other
/// conversions between integers and reals are rare and count as well.
pub(crate) fn lacks_vectors(proc: &Proc, expr: &Expr, vars: &BTreeSet<Var>) -> bool {
    let mut found = false;
    expr.for_each_part(&mut |part| {
        found |= match part {
            Expr::Binary { op: BinOp::Divide(_) | BinOp::POW, x, y: _ } => !is_real(proc, x) && part.reads_any(vars),
            Expr::Unary { op: UnOp::Convert(to), x } => is_real(proc, x) != to.is_float() && x.reads_any(vars),
            _ => false,
        }
    });
    found
}

/// True if the expression is a real number.
pub(crate) fn is_real(proc: &Proc, expr: &Expr) -> bool {
    real_type(proc, expr).is_some()
}

/// The type of the expression, if it is a real number.
pub(crate) fn real_type(proc: &Proc, expr: &Expr) -> Option<Scalar> {
    let scalar = match expr {
        Expr::Const(value) => value.scalar(),
        Expr::Var(var) => proc.vars[*var].scalar,
        Expr::Load { array, .. } => proc.arrays[*array].elem,
        Expr::Unary { op: UnOp::Convert(to), .. } => *to,
        Expr::Unary { x, .. } => return real_type(proc, x),
        Expr::Binary { op, x, .. } if !op.is_comparison() => return real_type(proc, x),
        Expr::Select { on_true, .. } => return real_type(proc, on_true),
        Expr::Binary { .. } | Expr::Threads => return None,
    };
    scalar.is_float().then_some(scalar)
}

/// True if the operation is defined wherever its operands are.
pub(crate) fn is_total(proc: &Proc, expr: &Expr) -> bool {
    is_total_but_for(proc, expr, &|_, _| false)
}

/// True if the expression is defined wherever its operands and these array elements are.
pub(crate) fn is_total_but_for(proc: &Proc, expr: &Expr, is_element: &dyn Fn(Array, &[Expr]) -> bool) -> bool {
    let mut total = true;
    expr.for_each_part(&mut |node| match node {
        Expr::Load { array, index } => total &= is_element(*array, index),
        Expr::Binary { op: BinOp::Divide(_), x, y } => {
            total &= is_real(proc, x) || integer(y).is_some_and(|divisor| divisor > 0);
        }
        Expr::Binary { op: BinOp::POW, x, .. } => total &= is_real(proc, x),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Select { .. }
        | Expr::Threads => {}
    });
    total
}

/// The value of a constant integer of any width.
pub(crate) fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Const(Const::Int(_, value)) => Some(*value),
        _ => None,
    }
}

/// True if the expression reads no memory and common processors have vector instructions, or a
/// vector library has a function, for every operation in it.
pub(crate) fn has_vectors(proc: &Proc, expr: &Expr) -> bool {
    !expr.has_load() && has_vectors_once_loaded(proc, expr)
}

/// As above, for expressions that may also load from memory.
pub(crate) fn has_vectors_once_loaded(proc: &Proc, expr: &Expr) -> bool {
    let mut found = true;
    expr.for_each_part(&mut |node| {
        found &= match node {
            Expr::Const(_) | Expr::Var(_) | Expr::Select { .. } | Expr::Load { .. } => true,
            Expr::Threads => false,
            // Conversions between reals and integers depend on the processor and may take several
            // instructions.
            Expr::Unary { op: UnOp::Convert(to), x } => is_real(proc, x) == to.is_float(),
            Expr::Unary { .. } => true,
            Expr::Binary { op: BinOp::DIV, x, .. } if is_real(proc, x) => true,
            Expr::Binary { op: BinOp::Divide(_), x, y } => {
                !is_real(proc, x) && integer(y).is_some_and(|divisor| divisor > 0 && divisor.count_ones() == 1)
            }
            Expr::Binary { op: BinOp::POW, x, .. } => is_real(proc, x),
            Expr::Binary { .. } => true,
        }
    });
    found
}
