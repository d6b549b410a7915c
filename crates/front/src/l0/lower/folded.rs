//! Which arrays are only folded: maps of arrays among them need not be stored, and so may have rows of different shapes
//! (section 7 of the language).

use crate::l0::typed::{Expr, ExprKind, Function, PatternKind, Soac, SoacKind, Statement, Var};
use crate::l0::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// What a fold of one array goes over.
pub(super) fn folded(soac: &Soac) -> Option<&Expr> {
    match (soac.kind, &soac.arrays[..]) {
        (SoacKind::Reduce | SoacKind::Redomap, [array]) if !soac.is_tupleless => Some(array),
        _ => None,
    }
}

/// A map whose rows are arrays.
pub(super) fn has_array_rows(soac: &Soac) -> bool {
    soac.kind == SoacKind::Map && !soac.is_tupleless && matches!(soac.function.result, Type::Array(_))
}

/// The variables that are used in one place, and there folded, in the sequence of statements in which they are bound.
pub(super) fn folded_once(function: &Function) -> BTreeSet<Var> {
    let mut uses = Uses::default();
    uses.expr(&function.body);
    uses.folded.retain(|var| uses.counts.get(var) == Some(&1));
    uses.folded
}

#[derive(Default)]
struct Uses {
    counts: BTreeMap<Var, usize>,
    folded: BTreeSet<Var>,
    /// The variables bound in bodies that may run never or many times are told apart by these.
    body: usize,
    bound_in: BTreeMap<Var, usize>,
    bodies: usize,
}

impl Uses {
    fn note(&mut self, var: Var) {
        *self.counts.entry(var).or_default() += 1;
    }

    fn all(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    /// An expression that may be evaluated never or many times.
    fn inner(&mut self, expr: &Expr) {
        self.bodies += 1;
        let outer = std::mem::replace(&mut self.body, self.bodies);
        self.expr(expr);
        self.body = outer;
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Checked
            | ExprKind::String(_)
            | ExprKind::Empty => {}
            ExprKind::Var(var) => self.note(*var),
            ExprKind::Array(parts) | ExprKind::Tuple(parts) => self.all(parts),
            ExprKind::Binary { op: _, left, right } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Unary { op: _, operand } => self.expr(operand),
            ExprKind::If { condition, on_true, on_false } => {
                self.expr(condition);
                self.inner(on_true);
                self.inner(on_false);
            }
            ExprKind::Call { function: _, arguments } => self.all(arguments),
            ExprKind::Index { array, index } => {
                self.note(*array);
                self.all(index);
            }
            ExprKind::Block { statements, result } => {
                statements.iter().for_each(|statement| self.statement(statement));
                self.expr(result);
            }
            ExprKind::Builtin { builtin: _, operands } => self.all(operands),
            ExprKind::Soac(soac) => self.soac(soac),
            ExprKind::Certified { certificates, expr } => {
                certificates.iter().for_each(|certificate| self.note(*certificate));
                self.expr(expr);
            }
        }
    }

    fn soac(&mut self, soac: &Soac) {
        if let Some(ExprKind::Var(var)) = folded(soac).map(|array| &array.kind)
            && self.bound_in.get(var) == Some(&self.body)
        {
            self.folded.insert(*var);
        }
        self.all(&soac.starts);
        self.all(&soac.arrays);
        for lambda in [Some(&soac.function), soac.combine.as_ref()].into_iter().flatten() {
            self.inner(&lambda.body);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { pattern, value, span: _ } => {
                self.expr(value);
                if let PatternKind::Var(var) = pattern.kind {
                    self.bound_in.insert(var, self.body);
                }
            }
            Statement::Update { certificates, target: _, source, index, value, span: _ } => {
                certificates.iter().chain([source]).for_each(|var| self.note(*var));
                self.all(index);
                self.expr(value);
            }
            Statement::Loop { params: _, init, counter: _, bound, body, results: _, span: _ } => {
                self.expr(init);
                self.expr(bound);
                self.inner(body);
            }
        }
    }
}
