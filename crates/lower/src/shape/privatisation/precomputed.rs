//! What can be computed of a block of a histogram's iterations ahead of its updates, by vectors: the conditions of checks, and places
//! and operands that are costly.
//!
//! What is only defined where a check holds, such as an element of an array, waits for it: conditions come in stages, each of which
//! runs if those of the stages before hold for the whole block. Knows nothing of the array IR.

use crate::shape::facts::arithmetic::{is_total_but_for, real_type};
use crate::shape::facts::straight_line::live;
use crate::shape::loop_fission::ordered::Known;
use crate::shape::privatisation::histogram::{Histogram, Item, has_fixed_extents};
use frit_ir::nest::{Array, ArrayData, Expr, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// What takes fewer operations is computed where it is used.
const LEAST_KEPT: usize = 2;

/// What is computed ahead.
pub(crate) struct Ahead<'h> {
    histogram: &'h Histogram,
    known: &'h Known,
    /// Iterations of a block.
    block: i64,
    /// What checks and updates need, and then what is kept.
    definitions: Vec<Stmt>,
    /// Variables that are defined whether or not checks hold.
    unchecked: BTreeSet<Var>,
    /// Where variables are kept for the updates.
    kept: BTreeMap<Var, Array>,
}

/// Conditions that can be computed for all iterations of a block if those of the stages before hold.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) conditions: Vec<Expr>,
    /// What they need, and in the last stage also what is kept.
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

    /// The place of an update, or a variable that is kept if it is costly.
    pub(crate) fn place(&mut self, proc: &mut Proc, place: Expr) -> Expr {
        if self.is_costly(&place) { self.keep(proc, place, Scalar::I64) } else { place }
    }

    /// The same of an operand; it is left if it may be defined only where checks hold.
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

    /// The statements of an iteration that these expressions need, but for what is kept.
    pub(crate) fn needed_by<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Stmt> {
        let is_kept = |stmt: &Stmt| assigned_in([stmt]).iter().any(|var| self.kept.contains_key(var));
        live(self.definitions.iter().filter(|stmt| !is_kept(stmt)).cloned().collect(), vars_of(exprs))
    }

    /// All stages, and what the last one keeps.
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

    /// The expression is defined whether or not checks hold: all it reads of arrays is the element of the iteration's number, where
    /// the loop goes as far as the array.
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
    /// Replaces the conversion of reals to indices by one that vectors do in one step. What it makes of large reals is no index, so
    /// the check of the index, which is among the conditions, fails, and the block runs in order.
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

/// What is converted to an index, perhaps to a narrow one first; and two to the power of what magnitudes do not saturate then, and may be an
/// index: no array has 2^51 elements, and vectors convert what is below that with less.
fn truncated(index: &Expr) -> Option<(&Expr, i32)> {
    let Expr::Unary { op: UnOp::Convert(Scalar::I64), x } = index else { return None };
    match &**x {
        Expr::Unary { op: UnOp::Convert(Scalar::I32), x: real } => Some((real, 31)),
        real => Some((real, 51)),
    }
}

/// The variables that expressions read.
fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    for expr in exprs {
        expr.for_each_var(&mut |var| _ = found.insert(var));
    }
    found
}

/// The variables that statements assign.
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

/// How much arithmetic there is in an expression.
fn operations_in(expr: &Expr) -> usize {
    let mut operations = 0;
    expr.for_each_part(&mut |node| match node {
        Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } => operations += 1,
        Expr::Const(_) | Expr::Var(_) | Expr::Load { .. } | Expr::Threads => {}
    });
    operations
}
