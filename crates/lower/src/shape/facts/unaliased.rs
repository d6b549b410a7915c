//! For each loop, the freshly allocated arrays that have no alias yet: since its allocation, the
//! array has neither been bound nor passed on.
//!
//! ```text
//! for steps { alloc B; for i { B[i] = e(A[i-1], A[i+1]) }; release A; bind A = B }
//! ```
//!
//! In the inner loop `A` and `B` are different memory, although elsewhere they may be the same.
//!
//! This module knows nothing of the array IR. Aliases of a whole procedure are in
//! [`crate::lowering::access`].

use crate::lowering::access::{Aliases, arrays_read};
use crate::shape::facts::straight_line::each_store;
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Loop, Proc, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The arrays that may share memory in a loop.
pub(crate) struct Memory {
    aliases: Aliases,
    unshared: BTreeMap<Loop, Unshared>,
}

impl Memory {
    pub(crate) fn of(proc: &Proc) -> Self {
        let (aliases, mut unshared) = (Aliases::of(proc), BTreeMap::new());
        Unshared::default().visit(proc, &aliases, &proc.body, &mut unshared);
        Self { aliases, unshared }
    }

    /// True if the two are different arrays that may share memory in the loop. The loop must have
    /// existed when this analysis was made.
    pub(crate) fn may_share(&self, id: Loop, x: Array, y: Array) -> bool {
        let has_other_name = |array: Array| self.unshared.get(&id).is_none_or(|unshared| !unshared.0.contains(&array));
        self.aliases.are_shared(x, y) && !self.aliases.are_exchanged(x, y) && has_other_name(x) && has_other_name(y)
    }

    /// True if iterations of the loop may run twice, apart from what they accumulate: they read
    /// nothing that they store. The loop must have existed when this analysis was made.
    pub(crate) fn may_rerun(&self, proc: &Proc, id: Loop) -> bool {
        let body = &proc.loops[id].body;
        let read = arrays_read(proc, body);
        let mut may_rerun = true;
        each_store(body, &mut |stored, _| {
            may_rerun &= !read.iter().any(|&read| read == stored || self.may_share(id, read, stored));
        });
        may_rerun
    }
}

/// The arrays without an alias at a statement.
#[derive(Clone, Default)]
struct Unshared(BTreeSet<Array>);

impl Unshared {
    /// Visits these statements.
    fn visit(mut self, proc: &Proc, aliases: &Aliases, body: &[Stmt], found: &mut BTreeMap<Loop, Unshared>) {
        for stmt in body {
            // A branch begins in the state at the condition.
            if let Stmt::If { .. } = stmt {
                stmt.inner().for_each(|block| self.clone().visit(proc, aliases, block, found));
            }
            // The code inside may run repeatedly or not at all.
            proc.for_each_stmt(std::slice::from_ref(stmt), &mut |inside| self.forget(inside));
            match stmt {
                Stmt::For(id) => {
                    self.clone().visit(proc, aliases, &proc.loops[*id].body, found);
                    found.insert(*id, self.clone());
                }
                Stmt::While { .. } => {
                    stmt.inner().for_each(|block| self.clone().visit(proc, aliases, block, found));
                }
                Stmt::Alloc { array } if aliases.has_other_name(*array) => _ = self.0.insert(*array),
                _ => {}
            }
        }
    }

    /// Updates the state after a statement that may bind arrays or exchange their memory.
    fn forget(&mut self, stmt: &Stmt) {
        stmt.for_each_array(&mut |array, role| {
            if role.places() || matches!(role, Role::Shared | Role::Passed) {
                self.0.remove(&array);
            }
        });
    }
}
