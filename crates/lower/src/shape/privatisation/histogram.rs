//! Recognises histograms: sequential loops whose iterations depend on each other only by updates of
//! arrays at computed places. The operation must allow any order of updates. Counts, sums and
//! maxima for each group are histograms, also in tables of several axes.
//!
//! ```text
//! for i { check c(i); A[f(i)] = A[f(i)] op e(i) }
//! ```
//!
//! Nothing else may read a target `A`, and no other value may pass between iterations.
//!
//! [`crate::shape::privatisation`] transforms histograms. This module knows nothing of the array
//! IR.

use crate::shape::facts::straight_line::is_straight;
use crate::shape::loop_fission::ordered::Known;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A loop that only updates arrays, and checks.
pub(crate) struct Histogram {
    /// The loop as it is.
    pub(crate) data: LoopData,
    pub(crate) var: Var,
    pub(crate) items: Vec<Item>,
    /// The arrays that are updated, and the operation of each.
    pub(crate) targets: BTreeMap<Array, BinOp>,
}

/// A statement of the body.
pub(crate) enum Item {
    /// Straight-line code that only assigns, and neither reads nor writes a target.
    Plain(Stmt),
    /// [`Stmt::Check`]; reads no target.
    Check(Stmt),
    /// An update.
    Update(Update),
}

/// `array[place] = array[place] op operand`.
#[derive(Clone)]
pub(crate) struct Update {
    pub(crate) array: Array,
    pub(crate) place: Vec<Expr>,
    pub(crate) op: BinOp,
    pub(crate) operand: Expr,
}

impl Histogram {
    /// The loop, if it is a histogram. Unless `strict`, real sums may be regrouped.
    pub(crate) fn of(proc: &Proc, known: &Known, id: Loop, strict: bool) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Sequential, Some(var), 1) = (&data.kind, data.var, data.step) else { return None };
        if data.lower.has_load() || data.upper.has_load() {
            return None;
        }
        let mut reading = Reading { known, targets: BTreeMap::new(), old: BTreeMap::new(), stale: BTreeSet::new() };
        for stmt in &data.body {
            if let Stmt::Store { array, .. } = stmt {
                reading.targets.insert(*array, None);
            }
        }
        let mut items = Vec::new();
        for stmt in &data.body {
            items.extend(reading.item(stmt)?);
        }
        let targets: BTreeMap<Array, BinOp> =
            reading.targets.into_iter().map(|(array, op)| Some((array, op?))).collect::<Option<_>>()?;
        let suits = targets.iter().all(|(&array, &op)| may_reorder(op, proc.arrays[array].elem, strict));
        let fixed = targets.keys().all(|&array| has_fixed_extents(proc, known, array));
        let histogram = Self { data: data.clone(), var, items, targets };
        (!histogram.targets.is_empty() && suits && fixed && !histogram.may_alias(known)).then_some(histogram)
    }

    /// True if a target may share memory with another array of the loop.
    fn may_alias(&self, known: &Known) -> bool {
        let mut shared: BTreeSet<Array> = self.targets.keys().copied().collect();
        let mut note = |expr: &Expr| {
            expr.for_each_load(&mut |array, _| {
                shared.insert(array);
            })
        };
        for item in &self.items {
            item.each_expr(&mut note);
        }
        shared.retain(|array| known.shared.contains(array));
        shared.len() > 1 && self.targets.keys().any(|array| shared.contains(array))
    }
}

impl Item {
    /// The statement, if the block has no other.
    pub(crate) fn plain(&self) -> Option<&Stmt> {
        match self {
            Item::Plain(stmt) => Some(stmt),
            Item::Check(_) | Item::Update(_) => None,
        }
    }

    /// The condition of a check.
    pub(crate) fn condition(&self) -> Option<&Expr> {
        match self {
            Item::Check(Stmt::Check { cond, .. }) => Some(cond),
            Item::Plain(_) | Item::Check(_) | Item::Update(_) => None,
        }
    }

    /// Calls `f` on the expressions that the statement reads, except the arguments of a failure's
    /// message.
    fn each_expr(&self, f: &mut impl FnMut(&Expr)) {
        match self {
            Item::Plain(stmt) => stmt.for_each_inner_expr(f),
            Item::Check(_) => self.condition().into_iter().for_each(f),
            Item::Update(update) => {
                update.place.iter().for_each(&mut *f);
                f(&update.operand);
            }
        }
    }
}

/// The part of the body that has been read.
struct Reading<'k> {
    known: &'k Known,
    /// The operation of each target, once known.
    targets: BTreeMap<Array, Option<BinOp>>,
    /// Variables that depend on old elements of targets.
    old: BTreeMap<Var, Expr>,
    /// Those of them whose target has changed since.
    stale: BTreeSet<Var>,
}

impl Reading<'_> {
    /// Classifies the statement; an update is complete with its store. `None` if it does not belong
    /// in a histogram.
    fn item(&mut self, stmt: &Stmt) -> Option<Option<Item>> {
        match stmt {
            Stmt::Assign { var, value } => {
                if !self.is_only_assigned_in(stmt) || self.is_stale(value) {
                    return None;
                }
                if self.is_free(value) {
                    return Some(Some(Item::Plain(stmt.clone())));
                }
                self.old.insert(*var, value.renamed(&self.old));
                Some(None)
            }
            Stmt::Store { array, index, value } => {
                if self.is_stale(value) || !index.iter().all(|e| self.is_free(e)) {
                    return None;
                }
                let element = Expr::Load { array: *array, index: index.clone() };
                let (op, operand) = update_of(&value.renamed(&self.old), &element)?;
                let before = self.targets.insert(*array, Some(op)).flatten();
                if !self.is_free(&operand) || before.is_some_and(|before| before != op) {
                    return None;
                }
                let changed = |value: &Expr| {
                    let mut found = false;
                    value.for_each_load(&mut |read, _| found |= read == *array);
                    found
                };
                self.stale.extend(self.old.iter().filter(|(_, value)| changed(value)).map(|(&var, _)| var));
                Some(Some(Item::Update(Update { array: *array, place: index.clone(), op, operand })))
            }
            Stmt::If { .. } => {
                let mut free = is_straight(stmt, false) && self.is_only_assigned_in(stmt);
                if free {
                    stmt.for_each_inner_expr(&mut |expr| free &= self.is_free(expr));
                }
                free.then(|| Some(Item::Plain(stmt.clone())))
            }
            Stmt::Check { cond, args, .. } => {
                let free = self.is_free(cond) && args.iter().all(|arg| self.is_free(arg));
                free.then(|| Some(Item::Check(stmt.clone())))
            }
            _ => None,
        }
    }

    /// True if the expression depends on no element of a target.
    fn is_free(&self, expr: &Expr) -> bool {
        let mut free = true;
        expr.for_each_part(&mut |node| match node {
            Expr::Var(var) => free &= !self.old.contains_key(var),
            Expr::Load { array, .. } => free &= !self.targets.contains_key(array),
            Expr::Const(_) | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => {}
        });
        free
    }

    fn is_stale(&self, expr: &Expr) -> bool {
        expr.any_part(&mut |node| matches!(node, Expr::Var(var) if self.stale.contains(var)))
    }

    /// True if nothing else assigns a variable that the statement assigns, so that no value passes
    /// to another iteration or leaves the loop.
    fn is_only_assigned_in(&self, stmt: &Stmt) -> bool {
        let mut here: BTreeMap<Var, usize> = BTreeMap::new();
        stmt.for_each_inner(&mut |stmt| stmt.for_each_assigned(&mut |var| *here.entry(var).or_default() += 1));
        here.iter().all(|(var, count)| self.known.assignments.get(var) == Some(count))
    }
}

/// The operation and the operand, if the value combines the element with something, perhaps in
/// several steps.
fn update_of(value: &Expr, element: &Expr) -> Option<(BinOp, Expr)> {
    let Expr::Binary { op, x, y } = value else { return None };
    let (inner, other) = if mentions(x, element) { (x, y) } else { (y, x) };
    if **inner == *element {
        return Some((*op, (**other).clone()));
    }
    let (same, operand) = update_of(inner, element)?;
    (same == *op).then(|| (*op, Expr::binary(*op, operand, (**other).clone())))
}

fn mentions(expr: &Expr, part: &Expr) -> bool {
    expr.any_part(&mut |node| node == part)
}

/// True if updates by the operation may be made in any order and grouping. Real minima and maxima
/// are not commutative for NaN and for zeros of both signs.
fn may_reorder(op: BinOp, elem: Scalar, strict: bool) -> bool {
    op.is_reduction() && op.is_commutative(elem) && (op.is_exactly_associative(elem) || !strict)
}

/// True if the extents still have their values from the allocation.
pub(crate) fn has_fixed_extents(proc: &Proc, known: &Known, array: Array) -> bool {
    let data = &proc.arrays[array];
    let mut fixed = !matches!(data.storage, Storage::Table(_));
    for extent in &data.extents {
        extent.for_each_part(&mut |node| match node {
            Expr::Var(var) => fixed &= known.assignments.get(var).is_none_or(|&count| count == 1),
            Expr::Load { .. } => fixed = false,
            Expr::Const(_) | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => {}
        });
    }
    fixed
}
