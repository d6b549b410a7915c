//! Layout: an array that is only copied with its axes exchanged is stored in the final layout at
//! once.
//!
//! ```text
//! alloc A; for j { for i { A[j, i] = e(B[i, j]) } }
//! alloc D; for i { for j { D[i, j] = A[j, i] } }; release A
//!     becomes   alloc D; for j { for i { D[i, j] = e(B[i, j]) } }
//! ```
//!
//! It pays where the loops that store to `A` read something else along the last axis of `D`, and
//! nothing across it. These loops can then be interchanged
//! ([`crate::shape::interchange`]), and all accesses have unit stride. Otherwise `A` is stored as
//! it is and copied. This module knows nothing of the array IR.

use crate::lowering::access::{Aliases, allocated};
use crate::shape::array_short_circuiting::{Uses, uses, without};
use crate::steps::{Decisions, Reason};
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Expr, Loop, LoopKind, Proc, Stmt, Storage, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Stores arrays in the final layout wherever that pays.
pub(crate) fn store_in_final_layout(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let layouts = Layouts { aliases: Aliases::of(proc), uses: uses(proc) };
    let body = std::mem::take(&mut proc.body);
    proc.body = layouts.stmts(proc, body, decisions);
}

struct Layouts {
    aliases: Aliases,
    uses: BTreeMap<Array, Uses>,
}

/// A nest that copies all of an array, with its axes in another order.
struct Permuted {
    source: Array,
    target: Array,
    /// The variables of the nest, in the order of the source's axes.
    from: Vec<Var>,
    /// The subscripts in the target, in terms of these variables.
    index: Vec<Expr>,
}

impl Layouts {
    fn stmts(&self, proc: &mut Proc, mut stmts: Vec<Stmt>, decisions: &mut Decisions<'_>) -> Vec<Stmt> {
        let mut at = 0;
        while at < stmts.len() {
            if let Stmt::For(id) = stmts[at]
                && decisions.may_change()
                && let Some(copy) = Permuted::of(proc, id).filter(|copy| self.is_only_copied(proc, copy))
                && let Some(alloc) = self.place(proc, &stmts[..at], &copy, id, decisions)
            {
                decisions.done(proc, id, "copied an array, which is stored in the layout of the copy at once");
                stmts.remove(at);
                // The target must be allocated as early as the source was.
                let own = stmts[..at].iter().position(|stmt| allocated(stmt) == Some(copy.target));
                if let Some(own) = own.filter(|&own| own > alloc) {
                    let own = stmts.remove(own);
                    stmts.insert(alloc, own);
                }
                copy.store_at_once(proc, &mut stmts);
                stmts = without(proc, stmts, &BTreeSet::from([copy.source]));
                at = 0;
                continue;
            }
            at += 1;
        }
        for stmt in &mut stmts {
            stmt.map_blocks(proc, |proc, body| self.stmts(proc, body, decisions));
        }
        stmts
    }

    /// True if nothing but the copy reads the source.
    fn is_only_copied(&self, proc: &Proc, copy: &Permuted) -> bool {
        let is_own = matches!(proc.arrays[copy.source].storage, Storage::Heap | Storage::Stack);
        let is_only_copied = self.uses.get(&copy.source).is_some_and(|uses| uses.loads == 1 && uses.others == 0);
        is_only_copied && is_own && copy.source != copy.target
    }

    /// The position of the source's allocation before the copy, if its elements may be stored to
    /// the target at once and that pays.
    fn place(
        &self,
        proc: &Proc,
        before: &[Stmt],
        copy: &Permuted,
        id: Loop,
        decisions: &mut Decisions<'_>,
    ) -> Option<usize> {
        let alloc = before.iter().position(|stmt| allocated(stmt) == Some(copy.source))?;
        let between = &before[alloc + 1..];
        // The subscripts in the target, and its memory, are known this early.
        let extents = proc.arrays[copy.target].extents.iter();
        let needed: BTreeSet<Var> = extents.chain(&copy.index).flat_map(Expr::variables).collect();
        let is_known = !proc.any_stmt(between, &mut |stmt| {
            let mut changes = false;
            stmt.for_each_assigned(&mut |var| changes |= needed.contains(&var));
            changes
        });
        let mut storing = between.iter().filter(|stmt| !stores(proc, stmt, copy.source).is_empty()).peekable();
        if !is_known || !self.is_untouched(proc, between, copy.target) || storing.peek().is_none() {
            decisions.refused(proc, id, Reason::ArrayInUse);
            return None;
        }
        let pays = storing.all(|stmt| copy.pays(proc, stmt));
        if !pays {
            decisions.not_worth(proc, id, "what computes it reads along rows, as the copy does");
        }
        pays.then_some(alloc)
    }

    /// True if these statements at most allocate the array.
    fn is_untouched(&self, proc: &Proc, stmts: &[Stmt], array: Array) -> bool {
        // New memory has no other name before it is bound.
        let is_new = stmts.iter().any(|stmt| allocated(stmt) == Some(array));
        let is_it = |other: Array| other == array || !is_new && self.aliases.are_shared(other, array);
        let mut untouched = true;
        proc.for_each_load(stmts, &mut |other, _| untouched &= !is_it(other));
        proc.for_each_stmt(stmts, &mut |stmt| {
            stmt.for_each_array(&mut |other, role| untouched &= role == Role::Allocated || !is_it(other));
        });
        untouched
    }
}

impl Permuted {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let mut levels: Vec<(Var, &Expr)> = Vec::new();
        let mut next = id;
        loop {
            let data = &proc.loops[next];
            let (LoopKind::Independent { .. }, Some(var), 1) = (&data.kind, data.var, data.step) else { return None };
            if data.lower.as_i64() != Some(0) {
                return None;
            }
            levels.push((var, &data.upper));
            match &data.body[..] {
                [Stmt::For(inner)] => next = *inner,
                [Stmt::Store { array: target, index, value: Expr::Load { array: source, index: from } }] => {
                    let axis = |(at, extent): (&Expr, &Expr)| {
                        let (var, upper) = levels.iter().find(|(var, _)| *at == Expr::Var(*var))?;
                        (*upper == extent).then_some(*var)
                    };
                    let from: Vec<Var> =
                        from.iter().zip(&proc.arrays[*source].extents).map(axis).collect::<Option<_>>()?;
                    let is_all = levels.iter().all(|(var, _)| from.contains(var)) && from.len() == levels.len();
                    let is_permuted = levels.iter().map(|(var, _)| var).ne(&from);
                    let is_place = !index.iter().any(Expr::has_load);
                    let found = Self { source: *source, target: *target, from, index: index.clone() };
                    return (is_all && is_permuted && is_place).then_some(found);
                }
                _ => return None,
            }
        }
    }

    /// True if the statement, which stores to the source, reads along the last axis of the target
    /// and not across it.
    fn pays(&self, proc: &Proc, stmt: &Stmt) -> bool {
        let last = self.index.last().and_then(|last| self.from.iter().position(|&var| last.is_shifted(var)));
        let Some(axis) = last else { return false };
        let mut loops = Vec::new();
        proc.for_each_loop(std::slice::from_ref(stmt), &mut |_, data| loops.extend(data.var));
        stores(proc, stmt, self.source).iter().all(|index| {
            let Some(&along) = loops.iter().find(|&&var| index[axis].is_shifted(var)) else { return false };
            let (mut down, mut across) = (false, false);
            proc.for_each_load(std::slice::from_ref(stmt), &mut |_, index| {
                let Some((last, others)) = index.split_last() else { return };
                let elsewhere = |e: &Expr| loops.iter().any(|&var| var != along && e.reads(var));
                across |= others.iter().any(|e| e.reads(along)) || last.reads(along) && !last.is_shifted(along);
                down |= last.is_shifted(along) && others.iter().any(elsewhere);
            });
            down && !across
        })
    }

    /// Redirects all stores of the source to the target.
    fn store_at_once(&self, proc: &mut Proc, stmts: &mut [Stmt]) {
        proc.for_each_stmt_mut(stmts, &mut |_, stmt| {
            if let Stmt::Store { array, index, .. } = stmt
                && *array == self.source
            {
                let names = self.from.iter().copied().zip(std::mem::take(index)).collect();
                *index = self.index.iter().map(|e| e.renamed(&names)).collect();
                *array = self.target;
            }
        });
    }
}

/// The indices under which the statement, and those inside it, store to the array.
fn stores(proc: &Proc, stmt: &Stmt, to: Array) -> Vec<Vec<Expr>> {
    let mut found = Vec::new();
    proc.for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
        if let Stmt::Store { array, index, .. } = stmt
            && *array == to
        {
            found.push(index.clone());
        }
    });
    found
}
