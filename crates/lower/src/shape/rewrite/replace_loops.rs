//! The walk of passes that replace whole loops. It offers outer loops before inner ones, and enters
//! a loop only if it was not replaced.

use frit_ir::nest::{Loop, Proc, Stmt};

/// Offers every loop of the procedure to `replace`, which returns its replacement, or `None` to
/// keep it.
pub(crate) fn replace_loops(proc: &mut Proc, replace: &mut dyn FnMut(&mut Proc, Loop) -> Option<Vec<Stmt>>) {
    replace_loops_after(proc, &mut |proc, _, id| replace(proc, id));
}

/// The same for the loops in these statements, which have been taken out of the procedure.
pub(crate) fn replace_loops_in(
    proc: &mut Proc,
    body: Vec<Stmt>,
    replace: &mut dyn FnMut(&mut Proc, Loop) -> Option<Vec<Stmt>>,
) -> Vec<Stmt> {
    stmts(proc, body, &mut |proc, _, id| replace(proc, id))
}

/// The same for all loops of the procedure. `replace` may also change the statements before the
/// loop in the same block.
pub(crate) fn replace_loops_after(proc: &mut Proc, replace: &mut Replace<'_>) {
    let body = std::mem::take(&mut proc.body);
    proc.body = stmts(proc, body, replace);
}

/// The replacement of a loop that has these statements before it; `None` to keep it.
type Replace<'r> = dyn FnMut(&mut Proc, &mut Vec<Stmt>, Loop) -> Option<Vec<Stmt>> + 'r;

fn stmts(proc: &mut Proc, body: Vec<Stmt>, replace: &mut Replace<'_>) -> Vec<Stmt> {
    let mut result = Vec::with_capacity(body.len());
    for mut stmt in body {
        if let Stmt::For(id) = stmt
            && let Some(replacement) = replace(proc, &mut result, id)
        {
            result.extend(replacement);
            continue;
        }
        stmt.map_blocks(proc, |proc, body| stmts(proc, body, replace));
        result.push(stmt);
    }
    result
}
