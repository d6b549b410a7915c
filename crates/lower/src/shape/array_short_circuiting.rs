//! Array short-circuiting: an array that is only copied into a part of another array is computed
//! there.
//!
//! ```text
//! for j { T[j] = e(X[i-1, j], X[i, j]) }; for j { X[i, j] = T[j] }
//!     becomes   for j { X[i, j] = e(X[i-1, j], X[i, j]) }
//! ```
//!
//! Nothing else uses `T`. The first loop reads `X` in two ways only: at the element that it stores,
//! before the store, or in a row (or column, or plane) that it does not store to.
//!
//! Source: Munksgaard, Henriksen, Sadayappan and Oancea, "Memory Optimizations in an Array
//! Language". This module knows nothing of the array IR.

use crate::lowering::access::{Aliases, assignments};
use crate::steps::{Decisions, Reason};
use frit_ir::affine::Poly;
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Binding, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Computes arrays in place wherever that is possible.
pub(crate) fn short_circuit_arrays(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let mut pass = ShortCircuit {
        decisions,
        aliases: Aliases::of(proc),
        uses: uses(proc),
        assignments: assignments(proc),
        known: BTreeMap::new(),
        gone: BTreeSet::new(),
    };
    let body = std::mem::take(&mut proc.body);
    let body = pass.stmts(proc, body);
    proc.body = without(proc, body, &pass.gone);
}

struct ShortCircuit<'p, 'd> {
    decisions: &'p mut Decisions<'d>,
    aliases: Aliases,
    uses: BTreeMap<Array, Uses>,
    /// How often each variable is assigned.
    assignments: BTreeMap<Var, usize>,
    /// The values of variables that are assigned once, before the current statement.
    known: BTreeMap<Var, Poly<Var>>,
    /// Arrays that are no longer used.
    gone: BTreeSet<Array>,
}

/// How often the procedure uses an array, apart from its allocation and release.
#[derive(Default)]
pub(crate) struct Uses {
    pub(crate) loads: usize,
    pub(crate) stores: usize,
    pub(crate) others: usize,
}

/// A nest that copies an array into a part of another array.
struct Copy {
    source: Array,
    target: Array,
    /// The subscripts in the target, in terms of the nest's variables.
    index: Vec<Expr>,
    levels: Vec<Level>,
}

/// A loop of a nest.
struct Level {
    var: Var,
    lower: Expr,
    upper: Expr,
}

impl ShortCircuit<'_, '_> {
    fn stmts(&mut self, proc: &mut Proc, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut known: Vec<Var> = Vec::new();
        let mut result: Vec<Stmt> = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            if let Stmt::For(id) = stmt
                && self.decisions.may_change()
                && let Some(copy) = self.copy(proc, id).filter(|copy| self.is_only_copied(proc, copy))
            {
                if self.is_placed(proc, &result, &copy) {
                    self.decisions.done(proc, id, "copied an array, which is computed in its place now");
                    self.gone.insert(copy.source);
                    continue;
                }
                self.decisions.refused(proc, id, Reason::ArrayInUse);
            }
            if let Stmt::Assign { var, value } = &stmt
                && self.assignments.get(var) == Some(&1)
            {
                let value = self.affine(value);
                self.known.insert(*var, value.unwrap_or_else(|| Poly::symbol(*var)));
                known.push(*var);
            }
            stmt.map_blocks(proc, |proc, body| self.stmts(proc, body));
            result.push(stmt);
        }
        known.iter().for_each(|var| drop(self.known.remove(var)));
        result
    }

    /// True if one place computes the source, and nothing but the copy reads it.
    fn is_only_copied(&self, proc: &Proc, copy: &Copy) -> bool {
        matches!(self.uses.get(&copy.source), Some(Uses { loads: 1, stores: 1, others: 0 }))
            && matches!(proc.arrays[copy.source].storage, Storage::Heap | Storage::Stack)
            && copy.source != copy.target
    }

    /// Makes the loop that computes the source of the copy store to the target, if that is
    /// possible.
    fn is_placed(&self, proc: &mut Proc, before: &[Stmt], copy: &Copy) -> bool {
        for stmt in before.iter().rev() {
            match stmt {
                Stmt::For(id) => {
                    if let Some(store) = self.producer(proc, *id, copy) {
                        store.apply(proc);
                        return true;
                    }
                    // Other copies may stand between.
                    let is_other = |array| array != copy.target && !self.aliases.are_shared(array, copy.target);
                    let is_apart = |other: Copy| is_other(other.target) && is_other(other.source);
                    if !self.copy(proc, *id).is_some_and(is_apart) {
                        return false;
                    }
                }
                // What is loaded here is loaded before the copy.
                Stmt::Assign { var, value } if !copy.reads(*var) && !value.has_load() => {}
                Stmt::Alloc { array } | Stmt::Release { array } if *array != copy.source && *array != copy.target => {}
                _ => return false,
            }
        }
        false
    }

    /// The store to the copy's source in this nest, if the nest may store to the target instead.
    fn producer(&self, proc: &Proc, id: Loop, copy: &Copy) -> Option<Placed> {
        let mut names = BTreeMap::new();
        let mut innermost = id;
        for (depth, level) in copy.levels.iter().enumerate() {
            if depth > 0 {
                let [Stmt::For(inner)] = proc.loops[innermost].body[..] else { return None };
                innermost = inner;
            }
            let data = &proc.loops[innermost];
            let (LoopKind::Independent { .. }, Some(var), 1) = (&data.kind, data.var, data.step) else { return None };
            if [&data.lower, &data.upper] != [&level.lower.renamed(&names), &level.upper.renamed(&names)] {
                return None;
            }
            names.insert(level.var, Expr::Var(var));
        }
        let body = &proc.loops[innermost].body;
        let own: Vec<Expr> = copy.levels.iter().map(|level| names[&level.var].clone()).collect();
        let is_store =
            |stmt: &Stmt| matches!(stmt, Stmt::Store { array, index, .. } if *array == copy.source && *index == own);
        let at = body.iter().position(is_store)?;
        let index: Vec<Expr> = copy.index.iter().map(|e| e.renamed(&names)).collect();
        let inside = proc.assigned_in(&[Stmt::For(id)]);
        let is_element = |read: &[Expr]| read == index;
        let elsewhere = |read: &[Expr]| read.iter().zip(&index).any(|(a, b)| self.never_meet(a, b, &inside));
        let mut fits = true;
        proc.for_each_stmt(&[Stmt::For(id)], &mut |stmt| {
            fits &= match stmt {
                Stmt::Store { array, .. } => *array != copy.target && !self.aliases.are_shared(*array, copy.target),
                stmt => matches!(stmt, Stmt::Assign { .. } | Stmt::For(_) | Stmt::If { .. } | Stmt::Check { .. }),
            };
        });
        proc.for_each_expr(&[Stmt::For(id)], &mut |expr| {
            expr.for_each_load(&mut |array, _| fits &= !self.aliases.are_shared(array, copy.target));
        });
        each_load(proc, &[Stmt::For(id)], copy.target, &mut |read| fits &= is_element(read) || elsewhere(read));
        // The old element is dead when it is overwritten.
        each_load(proc, &body[at + 1..], copy.target, &mut |read| fits &= elsewhere(read));
        fits.then_some(Placed { body_of: innermost, at, array: copy.target, index })
    }

    /// The copy that a nest is. Loops of one iteration are no loops: those of a column that is stored as a part of a matrix.
    fn copy(&self, proc: &Proc, id: Loop) -> Option<Copy> {
        Copy::of(proc, id, &|data| {
            let count = self.affine(&data.upper).zip(self.affine(&data.lower)).map(|(upper, lower)| upper - lower);
            count.and_then(|count| count.as_constant()) == Some(1)
        })
    }

    /// True if the two values differ, whatever the values of variables that change inside.
    fn never_meet(&self, x: &Expr, y: &Expr, inside: &BTreeSet<Var>) -> bool {
        let is_fixed = |expr: &Expr| inside.iter().all(|&var| !expr.reads(var));
        is_fixed(x) && is_fixed(y) && {
            let distance = self.affine(x).zip(self.affine(y)).map(|(x, y)| x - y);
            distance.and_then(|distance| distance.as_constant()).is_some_and(|distance| distance != 0)
        }
    }

    fn affine(&self, expr: &Expr) -> Option<Poly<Var>> {
        match expr {
            Expr::Const(_) => expr.as_i64().map(Poly::constant),
            Expr::Var(var) => match self.known.get(var) {
                Some(value) => Some(value.clone()),
                // Only loop variables and parameters: others may be assigned again.
                None => (!self.assignments.contains_key(var)).then(|| Poly::symbol(*var)),
            },
            Expr::Unary { op: UnOp::Neg, x } => Some(-self.affine(x)?),
            Expr::Binary { op: BinOp::ADD, x, y } => Some(self.affine(x)? + self.affine(y)?),
            Expr::Binary { op: BinOp::SUB, x, y } => Some(self.affine(x)? - self.affine(y)?),
            Expr::Binary { .. } | Expr::Unary { .. } | Expr::Load { .. } | Expr::Select { .. } | Expr::Threads => None,
        }
    }
}

/// A store that is redirected to another array.
struct Placed {
    body_of: Loop,
    at: usize,
    array: Array,
    index: Vec<Expr>,
}

impl Placed {
    fn apply(self, proc: &mut Proc) {
        let stmt = &mut proc.loops[self.body_of].body[self.at];
        let Stmt::Store { array, index, .. } = stmt else { panic!("a store was found there") };
        (*array, *index) = (self.array, self.index);
    }
}

impl Copy {
    /// True if where it stores depends on the variable.
    fn reads(&self, var: Var) -> bool {
        let bounds = self.levels.iter().flat_map(|level| [&level.lower, &level.upper]);
        bounds.chain(&self.index).any(|expr| expr.reads(var))
    }

    fn of(proc: &Proc, id: Loop, runs_once: &dyn Fn(&LoopData) -> bool) -> Option<Self> {
        let (mut levels, mut once) = (Vec::new(), BTreeMap::new());
        let mut next = id;
        loop {
            let data = &proc.loops[next];
            let (LoopKind::Independent { .. }, Some(var), 1) = (&data.kind, data.var, data.step) else { return None };
            if runs_once(data) {
                once.insert(var, data.lower.renamed(&once));
            } else {
                levels.push(Level { var, lower: data.lower.clone(), upper: data.upper.clone() });
            }
            match &data.body[..] {
                [Stmt::For(inner)] => next = *inner,
                [Stmt::Store { array: target, index, value: Expr::Load { array: source, index: from } }] => {
                    let all = levels.iter().map(|level| Expr::Var(level.var));
                    let is_simple = from.iter().cloned().eq(all) && !index.iter().any(Expr::has_load);
                    let (source, target) = (*source, *target);
                    let index = index.iter().map(|at| at.renamed(&once)).collect();
                    return (is_simple && !levels.is_empty()).then_some(Self { source, target, index, levels });
                }
                _ => return None,
            }
        }
    }
}

/// Calls `f` on the index of every element of the array that these statements read, including those
/// inside.
fn each_load(proc: &Proc, stmts: &[Stmt], of: Array, f: &mut impl FnMut(&[Expr])) {
    proc.for_each_load(stmts, &mut |array, index| {
        if array == of {
            f(index);
        }
    });
}

/// How each array is used.
pub(crate) fn uses(proc: &Proc) -> BTreeMap<Array, Uses> {
    let mut found: BTreeMap<Array, Uses> = BTreeMap::new();
    for binding in proc.params.iter().chain(&proc.results) {
        if let Binding::Array(array) = binding {
            found.entry(*array).or_default().others += 1;
        }
    }
    proc.for_each_load(&proc.body, &mut |array, _| found.entry(array).or_default().loads += 1);
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        stmt.for_each_array(&mut |array, role| match role {
            Role::Allocated | Role::Released => {}
            Role::Stored => found.entry(array).or_default().stores += 1,
            _ => found.entry(array).or_default().others += 1,
        });
    });
    found
}

/// The statements without the allocations and releases of these arrays.
pub(crate) fn without(proc: &mut Proc, mut stmts: Vec<Stmt>, gone: &BTreeSet<Array>) -> Vec<Stmt> {
    proc.retain_stmts(
        &mut stmts,
        &mut |stmt| !matches!(stmt, Stmt::Alloc { array } | Stmt::Release { array } if gone.contains(array)),
    );
    stmts
}
