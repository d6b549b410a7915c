//! Which arrays have memory where a statement stands that nothing else has a name for yet: it was taken since, and not been bound or passed on.
//!
//! ```text
//! for steps { alloc B; for i { B[i] = e(A[i-1], A[i+1]) }; release A; bind A = B }
//! ```
//!
//! In the inner loop `A` and `B` are different memory, though they are the same elsewhere. Knows nothing of the array IR.

use crate::access::{Aliases, each_own_placed, each_stmt};
use frit_ir::nest::{Arg, Array, Proc, Stmt};
use std::collections::BTreeSet;

/// The arrays that are fresh where a statement stands.
#[derive(Clone, Default)]
pub(crate) struct Fresh(BTreeSet<Array>);

impl Fresh {
    /// Goes on behind the statement.
    pub(crate) fn pass(&mut self, proc: &Proc, stmt: &Stmt) {
        each_stmt(proc, std::slice::from_ref(stmt), &mut |inside| self.forget(inside));
        if let Stmt::Alloc { array } = stmt {
            self.0.insert(*array);
        }
    }

    /// Those that are fresh where each of these statements begins, which are inside of another and perhaps run again and again.
    pub(crate) fn inside(&self, proc: &Proc, body: &[Stmt]) -> Self {
        let mut fresh = self.clone();
        each_stmt(proc, body, &mut |stmt| fresh.forget(stmt));
        fresh
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

    /// The two are different arrays that may be the same memory where the statement stands.
    pub(crate) fn may_share(&self, aliases: &Aliases, x: Array, y: Array) -> bool {
        aliases.are_shared(x, y) && !aliases.are_exchanged(x, y) && !self.0.contains(&x) && !self.0.contains(&y)
    }
}
