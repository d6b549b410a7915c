//! Which arrays are only folded: maps of arrays among them need not be stored, and so may have rows of different shapes
//! (section 7 of the language).
//!
//! Such a map is made where it is folded. So nothing that it reads may be consumed between where it is written and the
//! fold, and what fails in it fails at the fold.

use super::function::Functions;
use crate::l0::typed::{Expr, ExprKind, Function, PatternKind, Repeat, Soac, SoacKind, Statement, Var};
use crate::l0::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// What a fold of one array goes over.
pub(super) fn folded(soac: &Soac) -> Option<&Expr> {
    match (soac.kind, &soac.arrays[..]) {
        (SoacKind::Reduce | SoacKind::Redomap, [array]) if !soac.is_tupleless => Some(array),
        _ => None,
    }
}

/// The map whose rows are arrays that an expression is.
pub(super) fn map_of_arrays(expr: &Expr) -> Option<&Soac> {
    let ExprKind::Soac(soac) = &expr.kind else { return None };
    let is_one = soac.kind == SoacKind::Map && !soac.is_tupleless && matches!(soac.function.result, Type::Array(_));
    is_one.then_some(soac)
}

/// A parameter of the function is given away.
pub(super) fn consumes(function: &Function, params: &[Var]) -> bool {
    params.iter().any(|&param| function.variables[param].ty.has_unique_part())
}

/// The variables that are used in one place, and there folded, in the sequence of statements in which they are bound, with
/// nothing between that may consume what they read.
pub(super) fn folded_once(functions: &Functions, function: &Function) -> BTreeSet<Var> {
    let mut uses = Uses {
        functions,
        function,
        counts: BTreeMap::new(),
        folded: BTreeSet::new(),
        bound_at: BTreeMap::new(),
        place: Place::default(),
        bodies: 0,
    };
    uses.expr(&function.body);
    uses.folded.retain(|var| uses.counts.get(var) == Some(&1));
    uses.folded
}

struct Uses<'a, 'p> {
    functions: &'a Functions<'p>,
    function: &'a Function,
    counts: BTreeMap<Var, usize>,
    folded: BTreeSet<Var>,
    bound_at: BTreeMap<Var, Place>,
    place: Place,
    bodies: usize,
}

/// Where something is evaluated.
#[derive(Clone, Copy, Default, PartialEq)]
struct Place {
    /// The body, of those that may run never or many times.
    body: usize,
    /// What may have consumed arrays before, counted over all bodies.
    consumptions: usize,
}

impl Uses<'_, '_> {
    fn note(&mut self, var: Var) {
        *self.counts.entry(var).or_default() += 1;
    }

    fn all(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    /// An expression that may be evaluated never or many times.
    fn inner(&mut self, expr: &Expr) {
        self.bodies += 1;
        let outer = std::mem::replace(&mut self.place.body, self.bodies);
        self.expr(expr);
        self.place.body = outer;
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
            ExprKind::Call { function, arguments } => {
                self.all(arguments);
                let callee = self.functions.function(*function);
                self.place.consumptions += usize::from(consumes(callee, &callee.params));
            }
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
        self.all(&soac.starts);
        self.all(&soac.arrays);
        if let Some(ExprKind::Var(var)) = folded(soac).map(|array| &array.kind)
            && self.bound_at.get(var) == Some(&self.place)
        {
            self.folded.insert(*var);
        }
        for lambda in [Some(&soac.function), soac.combine.as_ref()].into_iter().flatten() {
            self.inner(&lambda.body);
            self.place.consumptions += usize::from(consumes(self.function, &lambda.params));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { pattern, value, span: _ } => {
                self.expr(value);
                if let PatternKind::Var(var) = pattern.kind {
                    self.bound_at.insert(var, self.place);
                }
            }
            Statement::Update { certificates, target: _, source, index, value, span: _ } => {
                certificates.iter().chain([source]).for_each(|var| self.note(*var));
                self.all(index);
                self.expr(value);
                self.place.consumptions += 1;
            }
            Statement::Loop { params: _, init, repeat, body, results: _, span: _ } => {
                self.expr(init);
                match repeat {
                    Repeat::For { bound, .. } => self.expr(bound),
                    Repeat::While { condition, .. } => self.inner(condition),
                }
                self.inner(body);
                self.place.consumptions += 1;
            }
        }
    }
}
