//! Precomputation for histograms: vectors compute, for a block of iterations, the conditions of
//! checks and the costly places and operands of updates.
//!
//! A value that is defined only where a check holds, such as an array element, must wait for the
//! check. So conditions come in stages. A stage runs if the conditions of all earlier stages hold
//! for the whole block.
//!
//! This module knows nothing of the array IR. Its user is [`crate::shape::privatisation`].

use crate::shape::facts::arithmetic::{is_total_but_for, real_type};
use crate::shape::facts::straight_line::live;
use crate::shape::loop_fission::ordered::Known;
use crate::shape::privatisation::histogram::{Histogram, Item, has_fixed_extents};
use frit_ir::nest::{Array, ArrayData, Expr, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Values of fewer operations are computed where they are used.
const LEAST_KEPT: usize = 2;

/// The values that are computed ahead.
pub(crate) struct Ahead<'h> {
    histogram: &'h Histogram,
    known: &'h Known,
    /// Iterations of a block.
    block: i64,
    /// The expressions that checks and updates need; later those that are kept.
    definitions: Vec<Stmt>,
    /// Variables that are defined whether or not checks hold.
    unchecked: BTreeSet<Var>,
    /// The arrays that keep variables for the updates.
    kept: BTreeMap<Var, Array>,
}

/// Conditions that can be computed for all iterations of a block if the earlier stages hold.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) conditions: Vec<Expr>,
    /// The statements that they need. In the last stage, also those of kept values.
    pub(crate) needed: Vec<Stmt>,
}

impl<'h> Ahead<'h> {
    /// The conditions of a histogram.
    pub(crate) fn of(histogram: &'h Histogram, known: &'h Known, block: i64) -> Self {
        let plain = histogram.items.iter().filter_map(Item::plain);
        let before = histogram.items.iter().take_while(|item| item.condition().is_none()).filter_map(Item::plain);
        let definitions = plain.cloned().collect();
        Self { histogram, known, block, definitions, unchecked: assigned_in(before), kept: BTreeMap::new() }
    }

    /// The place of an update. A costly place is a variable that is kept.
    pub(crate) fn place(&mut self, proc: &mut Proc, place: Expr) -> Expr {
        if self.is_costly(&place) { self.keep(proc, place, Scalar::I64) } else { place }
    }

    /// The same for an operand. An operand that may be defined only where checks hold stays as it
    /// is.
    pub(crate) fn operand(&mut self, proc: &mut Proc, operand: Expr, scalar: Scalar) -> Expr {
        let is_early = || {
            if self.histogram.items.iter().all(|item| item.condition().is_none()) {
                return true;
            }
            let mut needed = self.needed_by([&operand]);
            needed.retain(|stmt| assigned_in([stmt]).is_disjoint(&self.unchecked));
            self.is_defined(proc, &operand) && needed.iter().all(|stmt| self.is_defined_stmt(proc, stmt))
        };
        if self.is_costly(&operand) && is_early() { self.keep(proc, operand, scalar) } else { operand }
    }

    fn is_costly(&self, expr: &Expr) -> bool {
        let needed: usize = self.needed_by([expr]).iter().map(operations_of).sum();
        needed + operations_in(expr) >= LEAST_KEPT
    }

    fn keep(&mut self, proc: &mut Proc, expr: Expr, scalar: Scalar) -> Expr {
        let var = proc.var(scalar, None);
        let array = proc.arrays.push(ArrayData {
            elem: scalar,
            extents: vec![Expr::i64(self.block)],
            storage: Storage::Stack,
            name: None,
            span: self.histogram.data.span,
        });
        self.definitions.push(Stmt::Assign { var, value: expr });
        self.kept.insert(var, array);
        Expr::Var(var)
    }

    /// The statements of an iteration that these expressions need, without those of kept values.
    pub(crate) fn needed_by<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Stmt> {
        let is_kept = |stmt: &Stmt| assigned_in([stmt]).iter().any(|var| self.kept.contains_key(var));
        live(self.definitions.iter().filter(|stmt| !is_kept(stmt)).cloned().collect(), vars_of(exprs))
    }

    /// All stages, and the values that the last one keeps.
    pub(crate) fn into_stages(self, proc: &Proc) -> (Vec<Stage>, BTreeMap<Var, Array>) {
        let items = &self.histogram.items;
        let kept: BTreeSet<Var> = self.kept.keys().copied().collect();
        let mut wanted = vars_of(items.iter().filter_map(Item::condition));
        wanted.extend(&kept);
        let ahead = live(self.definitions.clone(), wanted);
        let ahead = assigned_in(&ahead);

        let mut stages = vec![Stage::default()];
        let begin_unless = |is_defined: bool, stages: &mut Vec<Stage>| {
            if !is_defined && stages.last().is_some_and(|stage| !stage.conditions.is_empty()) {
                stages.push(Stage::default());
            }
        };
        for item in items {
            if let Some(stmt) = item.plain().filter(|stmt| !assigned_in([*stmt]).is_disjoint(&ahead)) {
                begin_unless(self.is_defined_stmt(proc, stmt), &mut stages);
            }
            if let Some(condition) = item.condition() {
                begin_unless(self.is_defined(proc, condition), &mut stages);
                stages.last_mut().expect("there is a first stage").conditions.push(condition.clone());
            }
        }
        let mut keeping = self.definitions.iter().filter(|stmt| !assigned_in([*stmt]).is_disjoint(&kept));
        begin_unless(keeping.all(|stmt| self.is_defined_stmt(proc, stmt)), &mut stages);

        let last = stages.len() - 1;
        for (at, stage) in stages.iter_mut().enumerate() {
            let mut wanted = vars_of(&stage.conditions);
            if at == last {
                wanted.extend(&kept);
            }
            stage.needed = live(self.definitions.clone(), wanted);
            stage.truncate_small(proc);
        }
        (stages, self.kept)
    }

    fn is_defined_stmt(&self, proc: &Proc, stmt: &Stmt) -> bool {
        let mut defined = true;
        stmt.for_each_inner_expr(&mut |expr| defined &= self.is_defined(proc, expr));
        defined
    }

    /// True if the expression is defined whether or not checks hold. It may only read elements at
    /// the iteration's own number, of arrays as long as the loop.
    fn is_defined(&self, proc: &Proc, expr: &Expr) -> bool {
        let Histogram { data, var, .. } = self.histogram;
        let is_in_step = |array: Array, index: &[Expr]| {
            let extents = &proc.arrays[array].extents;
            data.lower.as_i64().is_some_and(|lower| lower >= 0)
                && index.iter().all(|e| *e == Expr::Var(*var))
                && extents.iter().all(|extent| *extent == data.upper)
                && has_fixed_extents(proc, self.known, array)
        };
        is_total_but_for(proc, expr, &is_in_step)
    }
}

impl Stage {
    /// Replaces the conversion of reals to indices by one that vectors do in one step. Its result
    /// for large reals is not an index. The check of the index, which is among the conditions, then
    /// fails, and the block runs in order.
    fn truncate_small(&mut self, proc: &Proc) {
        let own = assigned_in(&self.needed);
        let mut loads_elsewhere = false;
        let mut note = |expr: &Expr| {
            expr.for_each_part(&mut |node| {
                if let Expr::Load { index, .. } = node {
                    loads_elsewhere |= index.iter().any(|e| e.reads_any(&own));
                }
            });
        };
        self.conditions.iter().for_each(&mut note);
        self.needed.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut note));
        if loads_elsewhere {
            return;
        }
        let Self { conditions, needed } = self;
        for stmt in needed {
            let Stmt::Assign { var, value } = stmt else { continue };
            let Some((real, bits)) = truncated(value) else { continue };
            let is_checked = conditions
                .iter()
                .any(|c| matches!(c, Expr::Binary { op: BinOp::IN_BOUNDS, x, .. } if **x == Expr::Var(*var)));
            if let Some(scalar) = real_type(proc, real).filter(|_| is_checked) {
                let limit =
                    if scalar == Scalar::F32 { Const::f32(2f32.powi(bits)) } else { Const::f64(2f64.powi(bits)) };
                let magnitude = Expr::unary(UnOp::Abs, real.clone());
                let cond = Box::new(Expr::binary(BinOp::LT, magnitude, Expr::Const(limit)));
                let on_true = Box::new(Expr::unary(UnOp::Convert(Scalar::I64), real.clone()));
                *value = Expr::Select { cond, on_true, on_false: Box::new(Expr::i64(-1)) };
            }
        }
    }
}

/// The value that is converted to an index, perhaps by way of a narrower integer. Also the bound, a
/// power of two, below which the conversion does not saturate and the result may be an index. No
/// array has 2^51 elements, and vectors convert smaller numbers with fewer instructions.
fn truncated(index: &Expr) -> Option<(&Expr, i32)> {
    let Expr::Unary { op: UnOp::Convert(Scalar::I64), x } = index else { return None };
    match &**x {
        Expr::Unary { op: UnOp::Convert(Scalar::I32), x: real } => Some((real, 31)),
        real => Some((real, 51)),
    }
}

/// The variables that the expressions read.
fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    for expr in exprs {
        expr.for_each_var(&mut |var| _ = found.insert(var));
    }
    found
}

/// The variables that the statements assign.
pub(crate) fn assigned_in<'s>(stmts: impl IntoIterator<Item = &'s Stmt>) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each_inner(&mut |stmt| stmt.for_each_assigned(&mut |var| _ = found.insert(var)));
    }
    found
}

fn operations_of(stmt: &Stmt) -> usize {
    let mut operations = 0;
    stmt.for_each_inner_expr(&mut |expr| operations += operations_in(expr));
    operations
}

/// The number of arithmetic operations in an expression.
fn operations_in(expr: &Expr) -> usize {
    let mut operations = 0;
    expr.for_each_part(&mut |node| match node {
        Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } => operations += 1,
        Expr::Const(_) | Expr::Var(_) | Expr::Load { .. } | Expr::Threads => {}
    });
    operations
}
