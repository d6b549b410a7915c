//! The walk of passes that replace whole loops: outermost loops are offered first, and those that are not replaced are entered.

use frit_ir::nest::{Loop, Proc, Stmt};

/// Offers every loop of the procedure to `replace`, which returns what takes its place, or `None` to leave it.
pub(crate) fn replace_loops(proc: &mut Proc, replace: &mut dyn FnMut(&mut Proc, Loop) -> Option<Vec<Stmt>>) {
    replace_loops_after(proc, &mut |proc, _, id| replace(proc, id));
}

/// The same for the loops in these statements, which the procedure is without meanwhile.
pub(crate) fn replace_loops_in(
    proc: &mut Proc,
    body: Vec<Stmt>,
    replace: &mut dyn FnMut(&mut Proc, Loop) -> Option<Vec<Stmt>>,
) -> Vec<Stmt> {
    stmts(proc, body, &mut |proc, _, id| replace(proc, id))
}

/// The same for all loops of the procedure; `replace` may also change the statements before the loop, in the same block.
pub(crate) fn replace_loops_after(proc: &mut Proc, replace: &mut Replace<'_>) {
    let body = std::mem::take(&mut proc.body);
    proc.body = stmts(proc, body, replace);
}

/// What takes the place of a loop that has these statements before it; `None` to leave it.
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
