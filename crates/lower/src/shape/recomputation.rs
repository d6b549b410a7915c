//! Recomputation for unit stride.
//!
//! If each iteration of a loop over columns has its own array, the loop cannot be interchanged with
//! the loops in it ([`crate::shape::interchange`]). If the elements are cheap, they are computed
//! where they are read, and the array disappears.
//!
//! ```text
//! for j {
//!   alloc d; for i { d[i] = B[i, j] - m; s = s + d[i] * d[i] }; for i { D[i, j] = d[i] / s }
//! }
//!     becomes   for j {
//!                 for i { s = s + (B[i, j] - m) * (B[i, j] - m) }
//!                 for i { D[i, j] = (B[i, j] - m) / s }
//!               }
//! ```
//!
//! Nothing changes unless the loop can then be interchanged. Every element is computed by the same
//! expression from the same operands. This module knows nothing of the array IR.

use crate::lowering::access::{Aliases, allocated};
use crate::shape::array_short_circuiting::{Uses, uses};
use crate::shape::facts::arithmetic::expr_cost;
use crate::shape::facts::straight_line::{each_store, is_straight};
use crate::shape::interchange::worthwhile;
use crate::steps::Decisions;
use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// More expensive elements are kept, in additions.
const LARGEST_COST: i64 = 16;
/// Larger expressions are kept, including the reads that replace them.
const LARGEST_SIZE: usize = 24;
/// Arrays that are read in more places are kept.
const MOST_READS: usize = 4;

/// Removes arrays wherever that lets loops be interchanged.
pub(crate) fn recompute_for_strides(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let (uses, aliases) = (uses(proc), Aliases::of(proc));
    let what = "computes cheap elements where they are read, instead of storing them";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let LoopKind::Independent { .. } = proc.loops[id].kind else { return None };
        let (body, is_cheap) = without_own_arrays(proc, proc.loops[id].body.clone(), &uses, &aliases)?;
        let recomputing = proc.loops.push(LoopData { body, ..proc.loops[id].clone() });
        worthwhile(proc, recomputing)?;
        if !is_cheap {
            decisions.not_worth(proc, id, "what they keep costs too much to be computed again");
            return None;
        }
        Some(vec![Stmt::For(recomputing)])
    });
}

/// The body of a loop whose iterations have their own arrays, without these arrays. The second is true if what they kept is cheap.
fn without_own_arrays(
    proc: &mut Proc,
    mut body: Vec<Stmt>,
    uses: &BTreeMap<Array, Uses>,
    aliases: &Aliases,
) -> Option<(Vec<Stmt>, bool)> {
    let is_simple = |proc: &Proc, stmt: &Stmt| match stmt {
        Stmt::For(id) => proc.loops[*id].body.iter().all(|stmt| is_straight(stmt, true)),
        Stmt::Alloc { .. } | Stmt::Release { .. } => true,
        _ => is_straight(stmt, true),
    };
    let own: Vec<Array> = body.iter().filter_map(allocated).collect();
    if own.is_empty() || !body.iter().all(|stmt| is_simple(proc, stmt)) {
        return None;
    }
    let mut is_cheap = true;
    for array in own {
        let uses = uses.get(&array)?;
        if uses.stores != 1 || uses.others > 0 {
            return None;
        }
        let made = Made::of(proc, &body, array, aliases)?;
        is_cheap &= uses.loads <= MOST_READS && expr_cost(proc, &made.value) <= LARGEST_COST;
        body = body.iter().filter_map(|stmt| made.recomputed(proc, stmt)).collect();
    }
    Some((body, is_cheap))
}

/// How the elements of an array are computed.
struct Made {
    array: Array,
    /// The index of an element.
    index: Var,
    value: Expr,
}

impl Made {
    fn of(proc: &Proc, body: &[Stmt], array: Array, aliases: &Aliases) -> Option<Self> {
        let stores_it = |stmt: &Stmt| matches!(stmt, Stmt::Store { array: other, .. } if *other == array);
        let in_loop = |(at, stmt): (usize, &Stmt)| {
            let Stmt::For(id) = stmt else { return None };
            let within = proc.loops[*id].body.iter().position(stores_it)?;
            Some((at, *id, within))
        };
        let (at, id, within) = body.iter().enumerate().find_map(in_loop)?;
        let data = &proc.loops[id];
        let (Stmt::Store { index, value, .. }, Some(var)) = (&data.body[within], data.var) else { return None };
        if index[..] != [Expr::Var(var)] {
            return None;
        }
        let mut known: BTreeMap<Var, Expr> = BTreeMap::new();
        for stmt in &data.body[..within] {
            let value = match stmt {
                Stmt::Assign { value, .. } => Some(value.renamed(&known)).filter(|value| value.size() <= LARGEST_SIZE),
                _ => None,
            };
            // A branch might not assign it.
            proc.for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
                stmt.for_each_assigned(&mut |var| {
                    known.remove(&var);
                });
            });
            if let (Stmt::Assign { var, .. }, Some(value)) = (stmt, value) {
                known.insert(*var, value);
            }
        }
        let value = value.renamed(&known);
        // Its operands do not change any more in this iteration.
        let mut changed: BTreeSet<Var> = BTreeSet::new();
        proc.for_each_stmt(&body[at..], &mut |stmt| {
            if let Stmt::For(id) = stmt {
                changed.extend(proc.loops[*id].var.filter(|&other| other != var));
            }
            stmt.for_each_assigned(&mut |var| {
                changed.insert(var);
            });
        });
        let mut stored: BTreeSet<Array> = BTreeSet::new();
        proc.for_each_stmt(body, &mut |stmt| {
            if let Stmt::Store { array, .. } = stmt {
                stored.insert(*array);
            }
        });
        let mut stays = true;
        value.for_each_var(&mut |var| stays &= !changed.contains(&var));
        value.for_each_load(&mut |read, _| {
            stays &= !stored.iter().any(|&stored| read == stored || aliases.are_shared(read, stored));
        });
        (stays && value.size() <= LARGEST_SIZE).then_some(Self { array, index: var, value })
    }

    /// The statement without the array, or nothing if the statement only served the array.
    fn recomputed(&self, proc: &mut Proc, stmt: &Stmt) -> Option<Stmt> {
        match stmt {
            Stmt::Alloc { array } | Stmt::Release { array } if *array == self.array => None,
            Stmt::Alloc { .. } | Stmt::Release { .. } => Some(stmt.clone()),
            Stmt::For(id) => {
                let mut data = proc.loops[*id].clone();
                data.body = data.body.iter().filter_map(|stmt| self.recomputed(proc, stmt)).collect();
                let mut stores = false;
                each_store(&data.body, &mut |_, _| stores = true);
                // Independent iterations leave only what they store and reduce.
                let is_empty =
                    !stores && matches!(&data.kind, LoopKind::Independent { reductions, .. } if reductions.is_empty());
                (!is_empty).then(|| proc.add_loop(data))
            }
            Stmt::Store { array, .. } if *array == self.array => None,
            Stmt::Store { .. } | Stmt::Assign { .. } => Some(self.read(stmt.clone())),
            Stmt::If { cond, then, otherwise } => {
                let then = then.iter().filter_map(|stmt| self.recomputed(proc, stmt)).collect();
                let otherwise = otherwise.iter().filter_map(|stmt| self.recomputed(proc, stmt)).collect();
                Some(self.read(Stmt::If { cond: cond.clone(), then, otherwise }))
            }
            _ => panic!("iterations of simple code were looked for"),
        }
    }

    /// The statement, with values in place of the array's elements.
    fn read(&self, mut stmt: Stmt) -> Stmt {
        stmt.for_each_operand_mut(&mut |expr| expr.for_each_load_mut(&mut |load| self.replace(load)));
        stmt
    }

    fn replace(&self, load: &mut Expr) {
        let Expr::Load { array, index } = load else { return };
        index.iter_mut().for_each(|e| e.for_each_load_mut(&mut |load| self.replace(load)));
        if *array == self.array {
            let names = BTreeMap::from([(self.index, index[0].clone())]);
            *load = self.value.renamed(&names);
        }
    }
}
