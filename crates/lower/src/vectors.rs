//! Marks the innermost independent loops whose bodies are straight-line code: vectors can run them.

use frit_ir::nest::{LoopKind, Proc, Stmt};

/// Sets `simd` on every independent loop that only assigns and stores.
pub(crate) fn mark_vector_loops(proc: &mut Proc) {
    for (_, data) in proc.loops.iter_mut() {
        let straight = is_straight(&data.body);
        match &mut data.kind {
            LoopKind::Sequential => {}
            LoopKind::Independent { simd, .. } => *simd = straight,
        }
    }
}

fn is_straight(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Assign { .. } | Stmt::Store { .. } => true,
        Stmt::If { then, otherwise, .. } => is_straight(then) && is_straight(otherwise),
        Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => false,
    })
}
