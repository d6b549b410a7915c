//! Which arrays have memory where a statement stands that nothing else has a name for yet: it was taken since, and not been bound or passed on.
//!
//! ```text
//! for steps { alloc B; for i { B[i] = e(A[i-1], A[i+1]) }; release A; bind A = B }
//! ```
//!
//! In the inner loop `A` and `B` are different memory, though they are the same elsewhere. Knows nothing of the array IR.

use crate::access::{Aliases, each_own_placed, each_stmt};
use frit_ir::nest::{Arg, Array, Loop, Proc, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The arrays whose memory has no other name where a statement stands.
#[derive(Clone, Default)]
pub(crate) struct Unshared(BTreeSet<Array>);

/// What is unshared at each loop.
pub(crate) fn unshared_at_loops(proc: &Proc) -> BTreeMap<Loop, Unshared> {
    let mut found = BTreeMap::new();
    Unshared::default().visit(proc, &proc.body, &mut found);
    found
}

impl Unshared {
    /// Goes through these statements.
    fn visit(mut self, proc: &Proc, body: &[Stmt], found: &mut BTreeMap<Loop, Unshared>) {
        for stmt in body {
            let mut inside = self.clone();
            // What is inside runs again and again, or not at all.
            each_stmt(proc, std::slice::from_ref(stmt), &mut |stmt| inside.forget(stmt));
            match stmt {
                Stmt::For(id) => {
                    inside.clone().visit(proc, &proc.loops[*id].body, found);
                    found.insert(*id, inside.clone());
                }
                Stmt::While { before, body: other, .. } | Stmt::If { then: before, otherwise: other, .. } => {
                    inside.clone().visit(proc, before, found);
                    inside.clone().visit(proc, other, found);
                }
                Stmt::Alloc { array } => _ = inside.0.insert(*array),
                Stmt::Assign { .. }
                | Stmt::Store { .. }
                | Stmt::Release { .. }
                | Stmt::Bind { .. }
                | Stmt::Swap { .. }
                | Stmt::CopyElements { .. }
                | Stmt::Prefetch { .. }
                | Stmt::Output { .. }
                | Stmt::Check { .. }
                | Stmt::Call { .. } => {}
            }
            self = inside;
        }
    }

    /// The statement itself may name the memory of arrays, or give them other memory.
    fn forget(&mut self, stmt: &Stmt) {
        each_own_placed(stmt, &mut |array| _ = self.0.remove(&array));
        if let Stmt::Bind { source, .. } = stmt {
            self.0.remove(source);
        }
        if let Stmt::Call { args, .. } = stmt {
            for arg in args {
                if let Arg::Array(array) = arg {
                    self.0.remove(array);
                }
            }
        }
    }

    /// The two are different arrays that may be the same memory here.
    pub(crate) fn may_share(&self, aliases: &Aliases, x: Array, y: Array) -> bool {
        aliases.are_shared(x, y) && !aliases.are_exchanged(x, y) && !self.0.contains(&x) && !self.0.contains(&y)
    }
}
