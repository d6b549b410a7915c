//! Unswitching: a with-loop inside of another one that branches on a condition known before it starts becomes a branch
//! between two with-loops without it, so that vectors can run both.
//! Source:   the classical loop transformation; merges make such loops where a row's position decides what its elements are.
//! Before:   verified array IR; the with-loop stands in the body of another one.
//! After:    the same results.
//! Work:     less by the tests.
//! Reorders: nothing.

use super::refusal::Refusal;
use super::replace::share_copies;
use super::{Attempts, each_block};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Value, WithLoop};
use frit_ir::scalar::Const;
use frit_simplify::sharing::Sharing;
use std::collections::BTreeSet;

/// With-loops of more statements are not written twice.
const MAX_STATEMENTS: usize = 200;

/// Unswitches the with-loop at this position of a block, the body of another one. `None` if it does not branch on what is known before
/// it.
///
/// On `Err`, nothing is changed.
pub fn unswitching(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    at: usize,
) -> Result<Option<WithLoop>, Refusal> {
    let Op::With(label) = block.stmts[at].op else { unreachable!("the statement is a with-loop") };
    let Some(cond) = invariant_condition(func, label) else { return Ok(None) };
    let stmt = &block.stmts[at];
    let is_sized = |value: &Value| {
        let mut extents = func.ty(*value).shape.iter().filter_map(|&extent| Operand::from(extent).value());
        extents.any(|extent| stmt.results.contains(&extent))
    };
    if stmt.results.iter().any(is_sized) {
        return Err(Refusal::InnerSpaceVaries { span: stmt.span });
    }
    let count = size(func, label);
    if count > MAX_STATEMENTS {
        return Err(Refusal::TooManyGenerators { count, span: stmt.span });
    }
    let stmt = stmt.clone();
    let branch = |func: &mut Func, sharing: &mut Sharing, holds: bool| {
        let data = func.with_loops[label].clone();
        let mut renaming = Renaming::new();
        let copy = func.copy_with_loop(None, &data, &mut renaming);
        let results = func.copy_values(None, &stmt.results, &mut renaming);
        share_copies(func, sharing, &renaming);
        let inner = Stmt { results: results.clone(), op: Op::With(copy), certs: stmt.certs.clone(), span: stmt.span };
        let mut branch = Block { stmts: vec![inner], results: results.into_iter().map(Operand::from).collect() };
        func.substitute_in_block(&mut branch, &Renaming::from([(cond, Operand::Const(Const::Bool(holds)))]));
        (branch, copy)
    };
    let (then, first) = branch(func, sharing, true);
    let (otherwise, _) = branch(func, sharing, false);
    block.stmts[at].op = Op::If { cond: cond.into(), then, otherwise };
    block.stmts[at].certs = Vec::new();
    Ok(Some(first))
}

/// Applies the rule to all inner with-loops of a function.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    let inner = inner_loops(func);
    let mut attempts = Attempts::default();
    each_block(func, &mut |func, sharing, block| {
        for at in 0..block.stmts.len() {
            let Op::With(label) = block.stmts[at].op else { continue };
            if !inner.contains(&label) {
                continue;
            }
            match unswitching(func, block, sharing, at) {
                Ok(None) => {}
                Ok(Some(_)) => attempts.applied += 1,
                Err(refusal) => attempts.refused.push(refusal),
            }
        }
        0
    });
    attempts
}

/// The with-loops that stand in the body of another one.
fn inner_loops(func: &Func) -> BTreeSet<WithLoop> {
    fn collect(func: &Func, block: &Block, is_inside: bool, found: &mut BTreeSet<WithLoop>) {
        for stmt in &block.stmts {
            let mut inside = is_inside;
            if let Op::With(label) = stmt.op {
                if is_inside {
                    found.insert(label);
                }
                inside = true;
            }
            stmt.op.for_each_block(func, &mut |inner| collect(func, inner, inside, found));
        }
    }
    let mut found = BTreeSet::new();
    collect(func, &func.body, false, &mut found);
    found
}

/// A condition from outside of the with-loop on which a generator's body branches.
fn invariant_condition(func: &Func, label: WithLoop) -> Option<Value> {
    let data = &func.with_loops[label];
    data.generators.iter().find_map(|generator| {
        let outside = func.free_values(&generator.body);
        generator.body.stmts.iter().find_map(|stmt| match stmt.op {
            Op::If { cond: Operand::Value(cond), .. } if outside.contains(&cond) => Some(cond),
            _ => None,
        })
    })
}

/// The number of statements in a with-loop.
fn size(func: &Func, label: WithLoop) -> usize {
    fn count(func: &Func, block: &Block) -> usize {
        let mut sum = block.stmts.len();
        for stmt in &block.stmts {
            stmt.op.for_each_block(func, &mut |inner| sum += count(func, inner));
        }
        sum
    }
    let mut sum = 0;
    func.with_loops[label].for_each_block(&mut |block| sum += count(func, block));
    sum
}
