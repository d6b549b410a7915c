//! Long blocks in stretches, so that the work of merging grows with a program's length and not with its square: what may be merged with what
//! is asked of all loops of a block at once, and each merge concerns the whole block.
//!
//! A stretch is a block of its own, whose results are what later stretches use. What makes an array that only a later stretch uses waits for that
//! one. Where a stretch ends is arbitrary, so where nothing is left to do the block is cut at other places. Blocks that are short enough are taken
//! as they are.

use super::block_graph::{Touched, Touches};
use super::each_block;
use super::replace::substitute;
use frit_ir::array::walk::{Renaming, rename_operand};
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Value};
use frit_simplify::sharing::Sharing;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The number of statements of a stretch.
const LONGEST: usize = 256;

/// Calls `f` on every block of the function, inner blocks before those around them, and on long ones by stretches. `f` returns how much it
/// changed.
///
/// Meanwhile the function has no body but the integer arithmetic and the assertions that the block depends on, as far as they are around or before it.
pub(super) fn each_stretch(func: &mut Func, f: &mut impl FnMut(&mut Func, &mut Sharing, &mut Block) -> usize) -> usize {
    each_block(func, &mut |func, sharing, block| {
        let has_loops = |block: &Block| block.stmts.iter().any(|stmt| matches!(stmt.op, Op::With(_)));
        if block.stmts.len() <= LONGEST || !has_loops(block) {
            return f(func, sharing, block);
        }
        match sweep(func, sharing, block, LONGEST, f) {
            0 => sweep(func, sharing, block, LONGEST / 2, f),
            count => count,
        }
    })
}

/// Calls `f` on the stretches of a block, the first of which has `first` statements.
fn sweep(
    func: &mut Func,
    sharing: &mut Sharing,
    block: &mut Block,
    first: usize,
    f: &mut impl FnMut(&mut Func, &mut Sharing, &mut Block) -> usize,
) -> usize {
    let mut touches = Touches::default();
    let touched: Vec<Rc<Touched>> = block.stmts.iter().map(|stmt| touches.of(func, stmt)).collect();
    let order = order(func, sharing, &block.stmts, &touched, first);
    let mut last_use: HashMap<Value, usize> = HashMap::new();
    for (place, &at) in order.iter().enumerate() {
        last_use.extend(touched[at].used.iter().map(|&value| (value, place)));
    }
    last_use.extend(block.results.iter().filter_map(|result| Some((result.value()?, order.len()))));
    let mut stmts: Vec<Option<Stmt>> = std::mem::take(&mut block.stmts).into_iter().map(Some).collect();
    let mut facts = Facts::default();
    let mut renaming = Renaming::new();
    let mut count = 0;
    let mut begin = 0;
    while begin < order.len() {
        let end = order.len().min(if begin == 0 { first } else { begin + LONGEST });
        let taken = order[begin..end].iter().map(|&at| stmts[at].take().expect("a statement has one place"));
        let mut stretch = Block { stmts: taken.collect(), results: Vec::new() };
        let made = stretch.stmts.iter().flat_map(|stmt| &stmt.results);
        let used_later: Vec<Operand> =
            made.filter(|result| last_use.get(result).is_some_and(|&last| last >= end)).map(|&v| v.into()).collect();
        stretch.results.clone_from(&used_later);
        substitute(func, &mut stretch, &renaming);
        let outside = func.body.stmts.len();
        func.body.stmts.extend(facts.of(func, &stretch));
        count += f(func, sharing, &mut stretch);
        func.body.stmts.truncate(outside);
        let replaced = used_later.iter().zip(&stretch.results).filter(|(before, after)| before != after);
        renaming.extend(replaced.filter_map(|(before, &after)| Some((before.value()?, after))));
        facts.extend(func, &stretch.stmts);
        block.stmts.append(&mut stretch.stmts);
        begin = end;
    }
    block.results.iter_mut().for_each(|result| *result = rename_operand(*result, &renaming));
    count
}

/// The statements in the order in which they are cut: each in the stretch where it stands or, if nothing is in the way, where it is first used.
fn order(func: &Func, sharing: &mut Sharing, stmts: &[Stmt], touched: &[Rc<Touched>], first: usize) -> Vec<usize> {
    let mut first_use: HashMap<Value, usize> = HashMap::new();
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(stmts.len());
    for (at, stmt) in stmts.iter().enumerate().rev() {
        let mut may_be_consumed = |value: Value| !func.ty(value).is_scalar() && sharing.is_consumed(value);
        let may_wait = matches!(stmt.op, Op::With(_) | Op::View { .. })
            && touched[at].consumed.is_empty()
            && !touched[at].used.iter().any(|&value| may_be_consumed(value));
        let used = stmt.results.iter().filter_map(|result| first_use.get(result)).min();
        let stretch = match used {
            Some(&used) if may_wait => used,
            _ => (at + LONGEST - first) / LONGEST,
        };
        for &value in &touched[at].used {
            let known = first_use.entry(value).or_insert(stretch);
            *known = stretch.min(*known);
        }
        order.push((stretch, at));
    }
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

/// The integer arithmetic and the assertions of the stretches so far.
#[derive(Default)]
struct Facts {
    stmts: Vec<Stmt>,
    definitions: HashMap<Value, usize>,
}

impl Facts {
    fn extend(&mut self, func: &Func, stmts: &[Stmt]) {
        let of_integers = |stmt: &&Stmt| match stmt.op {
            Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Assert { .. } => {
                stmt.results.iter().all(|&result| !func.ty(result).elem.is_float())
            }
            _ => false,
        };
        for stmt in stmts.iter().filter(of_integers) {
            self.definitions.extend(stmt.results.iter().map(|&result| (result, self.stmts.len())));
            self.stmts.push(stmt.clone());
        }
    }

    /// Those that the statements of a block depend on, in order.
    fn of(&self, func: &Func, block: &Block) -> Vec<Stmt> {
        let mut found: BTreeMap<usize, &Stmt> = BTreeMap::new();
        let mut open: Vec<Value> = func.free_values(block).into_iter().collect();
        while let Some(value) = open.pop() {
            if let Some(&at) = self.definitions.get(&value)
                && found.insert(at, &self.stmts[at]).is_none()
            {
                self.stmts[at].op.for_each_operand(func, &mut |operand| open.extend(operand.value()));
                open.extend(&self.stmts[at].certs);
            }
        }
        found.into_values().cloned().collect()
    }
}
