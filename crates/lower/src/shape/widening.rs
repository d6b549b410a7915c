//! Widening: costly loops over wide numbers that also access bytes. Separate loops widen or narrow
//! a block of these bytes at a time.
//!
//! ```text
//! for i { D[i] = B[i] ? e(i) : f(i) }
//!     becomes   for i0 step 512 {
//!                 for i from i0 to below i0+512 { t[i - i0] = B[i] }
//!                 for i from i0 to below i0+512 { D[i] = t[i - i0] != 0 ? e(i) : f(i) }
//!               }
//! ```
//!
//! C compilers choose the vector length by the narrowest elements. All wide values then take
//! several vectors each, more than there are registers. This module knows nothing of the array IR.

use crate::lowering::access::Aliases;
use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::straight_line::{assigned, each_store, fresh, is_straight};
use crate::shape::loop_fission::ordered::buffer;
use crate::shape::rewrite::strip_mining::{Block, kinds_in_blocks};
use crate::shape::vectorisation::Values;
use crate::steps::{Decisions, FEW_ITERATIONS};
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use std::collections::BTreeSet;

/// Elements of a block.
const BLOCK: i64 = 512;
/// Cheaper bodies are limited by memory, not by registers.
const LEAST_COST: i64 = 32;
/// Elements are narrow if this many take the bytes of the widest one.
const NARROW: usize = 4;

/// Widens or narrows the bytes that costly loops access.
pub(crate) fn widen_narrow_elements(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let (values, aliases) = (Values::of(proc), Aliases::of(proc));
    let what = "has its narrow elements widened or narrowed in loops of their own";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let narrow = Narrow::of(proc, &aliases, id)?;
        if cost(proc, &proc.loops[id].body) < LEAST_COST {
            decisions.not_worth(proc, id, "it computes too little for its narrow elements to matter");
            return None;
        }
        if values.has_at_most(&proc.loops[id], 2 * BLOCK) {
            decisions.not_worth(proc, id, FEW_ITERATIONS);
            return None;
        }
        Some(narrow.widened(proc, id))
    });
}

/// A loop for vectors that accesses narrow elements, only those of its own iteration.
struct Narrow {
    var: Var,
    /// The kinds of the loop over blocks and of the loop inside a block.
    kinds: (LoopKind, LoopKind),
    /// The elements to widen, with their wide types: truth values, or elements that are converted
    /// to wide numbers.
    read: Vec<(Expr, Scalar)>,
    /// The contiguous places at which truth values are stored.
    stored: Vec<(Array, Vec<Expr>)>,
    /// A type as wide as the widest elements.
    wide: Scalar,
}

impl Narrow {
    fn of(proc: &Proc, aliases: &Aliases, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { simd: true, .. }, Some(var), 1) = (&data.kind, data.var, data.step) else {
            return None;
        };
        if !data.body.iter().all(|stmt| is_straight(stmt, true)) {
            return None;
        }
        let kinds = kinds_in_blocks(&data.kind)?;
        let own: BTreeSet<Var> = assigned(&data.body).collect();
        let mut stores: Vec<Array> = Vec::new();
        each_store(&data.body, &mut |array, _| stores.push(array));
        let mut widest = stores.iter().map(|&array| proc.arrays[array].elem.bytes()).max().unwrap_or(0);
        proc.for_each_load(&data.body, &mut |array, _| widest = widest.max(proc.arrays[array].elem.bytes()));
        let wide = match widest {
            8 => Scalar::I64,
            4 => Scalar::I32,
            _ => return None,
        };
        let is_narrow = |array: Array| proc.arrays[array].elem.bytes() * NARROW <= widest;
        let is_fixed = |e: &Expr| !e.has_load() && !e.reads_any(&own);
        let mut found = Self { var, kinds, read: Vec::new(), stored: Vec::new(), wide };
        // A load in a branch may be undefined outside of it.
        for stmt in &data.body {
            let mut note = |part: &Expr| {
                let (load, ty) = match part {
                    Expr::Unary { op: UnOp::Convert(to), x } if to.bytes() * NARROW > widest => (&**x, *to),
                    Expr::Load { array, .. } if proc.arrays[*array].elem == Scalar::Bool => (part, wide),
                    _ => return,
                };
                let Expr::Load { array, index } = load else { return };
                let is_written = stores.iter().any(|&stored| stored == *array || aliases.are_shared(stored, *array));
                if is_narrow(*array)
                    && index.iter().all(is_fixed)
                    && !is_written
                    && !found.read.iter().any(|(e, _)| e == part)
                {
                    found.read.push((part.clone(), ty));
                }
            };
            if let Stmt::If { cond, .. } = stmt {
                cond.for_each_part(&mut note);
            } else {
                stmt.for_each_inner_expr(&mut |expr| expr.for_each_part(&mut note));
            }
            if let Stmt::Store { array, index, .. } = stmt
                && is_narrow(*array)
                && proc.arrays[*array].elem == Scalar::Bool
                && let Some((last, others)) = index.split_last()
                && last.is_shifted(var)
                && !others.iter().any(|e| e.reads(var))
                && index.iter().all(is_fixed)
                && stores.iter().all(|&other| other == *array || !aliases.are_shared(other, *array))
            {
                found.stored.push((*array, index.clone()));
            }
        }
        // Widening gains nothing while any narrow element is left.
        let is_left = |expr: &Expr| {
            let is_widened = |part: &Expr| found.read.iter().any(|(read, _)| read == part);
            let rest = expr.rewritten(|part| is_widened(part).then(|| Expr::i64(0)));
            rest.any_part(&mut |part| matches!(part, Expr::Load { array, .. } if is_narrow(*array)))
        };
        let mut left = stores.iter().filter(|&&array| is_narrow(array)).count() != found.stored.len();
        data.body.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| left |= is_left(expr)));
        let is_any = !found.read.is_empty() || !found.stored.is_empty();
        (is_any && !left).then_some(found)
    }

    fn widened(self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let data = proc.loops[id].clone();
        let block = Block::of_length(proc, BLOCK);
        let place = vec![Expr::Var(self.var) - block.first.into()];
        let mut allocations = Vec::new();
        let mut table = |proc: &mut Proc, elem| {
            let array = buffer(proc, elem, BLOCK, None, data.span);
            allocations.push(Stmt::Alloc { array });
            array
        };
        let zero = |ty: Scalar| Expr::Const(ty.zero());
        let (mut before, mut after, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (read, ty) in &self.read {
            let array = table(proc, *ty);
            let load = Expr::Load { array, index: place.clone() };
            let (value, widened) = match read {
                Expr::Load { .. } => {
                    (Expr::unary(UnOp::Convert(*ty), read.clone()), Expr::binary(BinOp::NE, load, zero(*ty)))
                }
                _ => (read.clone(), load),
            };
            before.push(Stmt::Store { array, index: place.clone(), value });
            names.push((read.clone(), widened));
        }
        let widened = |part: &Expr| names.iter().find(|(read, _)| read == part).map(|(_, widened)| widened.clone());
        let mut body = data.body.clone();
        proc.for_each_stmt_mut(&mut body, &mut |_, stmt| {
            stmt.for_each_operand_mut(&mut |expr| expr.rewrite(&mut |part| widened(part)));
        });
        for (target, index) in &self.stored {
            let table = table(proc, self.wide);
            for stmt in &mut body {
                if let Stmt::Store { array, index: at, value } = stmt
                    && array == target
                    && at == index
                {
                    let wide = Expr::unary(UnOp::Convert(self.wide), value.clone());
                    *stmt = Stmt::Store { array: table, index: place.clone(), value: wide };
                }
            }
            let value = Expr::binary(BinOp::NE, Expr::Load { array: table, index: place.clone() }, zero(self.wide));
            after.push(Stmt::Store { array: *target, index: index.clone(), value });
        }
        let accumulators: Vec<Var> = match &data.kind {
            LoopKind::Independent { reductions, .. } => reductions.iter().map(|reduction| reduction.var).collect(),
            LoopKind::Sequential | LoopKind::Scan { .. } => Vec::new(),
        };
        let (kind, inner) = self.kinds;
        let beside = LoopKind::independent(true);
        let mut in_block = |proc: &mut Proc, kind: LoopKind, body: Vec<Stmt>| {
            let (var, body) = fresh(proc, self.var, body, &accumulators);
            let made = LoopData {
                var: Some(var),
                lower: block.first.into(),
                upper: block.end.into(),
                kind,
                body,
                ..data.clone()
            };
            allocations.push(proc.add_loop(made));
        };
        for stmt in before {
            in_block(proc, beside.clone(), vec![stmt]);
        }
        in_block(proc, inner, body);
        for stmt in after {
            in_block(proc, beside.clone(), vec![stmt]);
        }
        block.over(proc, data, kind, allocations)
    }
}
