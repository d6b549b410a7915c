//! Non-temporal stores: what a loop makes of a large result goes to memory past the caches, which would read it first and keep it in vain.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   if the bytes of D are many {
//!                 for i0 step 512 { for i from i0 to below i0+512 { t[i - i0] = e(i) }; stream D at i0 from t }
//!               } else { for i { D[i] = e(i) } }
//! ```
//!
//! Only for results of the program that the program itself never reads, and for loops that wait for memory. Knows nothing of the array IR.

use crate::access::{Aliases, each_array, each_expr_inside, each_stmt, is_shifted};
use crate::arithmetic::cost;
use crate::distribution::buffer;
use crate::replace_loops::replace_loops;
use crate::straight::{assigned, each_store, fresh, is_straight, reads, reads_any, renamed};
use crate::strip_mining::{Block, kinds_in_blocks};
use crate::vectors::Values;
use frit_ir::nest::{Arg, Array, Binding, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Elements that are made in the nearest cache before they go to memory.
const BLOCK: i64 = 512;
/// Bodies that cost more are not waiting for memory.
const LARGEST_COST: i64 = 24;

/// Lets the loops of a program's entry write results of at least so many bytes past the caches; how many do.
pub(crate) fn store_past_caches(proc: &mut Proc, least_bytes: i64) -> usize {
    let results = written_only(proc);
    if results.is_empty() {
        return 0;
    }
    let (values, mut count) = (Values::of(proc), 0);
    replace_loops(proc, &mut |proc, id| {
        let is_short = values.has_at_most(&proc.loops[id], 2 * BLOCK);
        let storing = Storing::of(proc, id, &results).filter(|_| !is_short)?;
        count += 1;
        Some(storing.streaming(proc, id, least_bytes))
    });
    count
}

/// The arrays among the results that nothing in the procedure reads, and that have no other name.
fn written_only(proc: &Proc) -> BTreeSet<Array> {
    let is_heap = |array: &Array| matches!(proc.arrays[*array].storage, Storage::Heap);
    let mut found: BTreeSet<Array> = (proc.results.iter())
        .filter_map(|result| match result {
            Binding::Array(array) => Some(*array),
            Binding::Var(_) => None,
        })
        .filter(is_heap)
        .collect();
    let aliases = Aliases::of(proc);
    found.retain(|&array| !aliases.has_other_name(array));
    each_expr_inside(proc, &proc.body, &mut |expr| each_array(expr, &mut |array| _ = found.remove(&array)));
    each_stmt(proc, &proc.body, &mut |stmt| match stmt {
        Stmt::CopyElements { source, .. } => _ = found.remove(source),
        Stmt::Call { args, .. } | Stmt::Output { args, .. } => args.iter().for_each(|arg| {
            if let Arg::Array(array) = arg {
                found.remove(array);
            }
        }),
        Stmt::Assign { .. }
        | Stmt::Store { .. }
        | Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::If { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::Check { .. } => {}
    });
    found
}

/// A loop for vectors that stores to results, element behind element.
struct Storing {
    var: Var,
    reductions: Vec<Reduction>,
    /// Of the loop over the blocks, and of that in a block.
    kinds: (LoopKind, LoopKind),
    /// Where each result is stored to at an iteration.
    places: BTreeMap<Array, Vec<Expr>>,
}

impl Storing {
    fn of(proc: &Proc, id: Loop, results: &BTreeSet<Array>) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(var), 1) = (data.var, data.step) else { return None };
        let reductions = match &data.kind {
            LoopKind::Independent { simd: true, reductions, .. } | LoopKind::Scan { simd: true, reductions } => {
                reductions.clone()
            }
            LoopKind::Sequential | LoopKind::Independent { .. } | LoopKind::Scan { .. } => return None,
        };
        let kinds = kinds_in_blocks(&data.kind)?;
        if !data.body.iter().all(|stmt| is_straight(stmt, true)) || cost(proc, &data.body) > LARGEST_COST {
            return None;
        }
        let own: BTreeSet<Var> = assigned(&data.body).collect();
        let mut places: BTreeMap<Array, Vec<Expr>> = BTreeMap::new();
        for stmt in &data.body {
            let Stmt::Store { array, index, .. } = stmt else { continue };
            let Some((last, others)) = index.split_last() else { continue };
            let is_fixed = |e: &Expr| !e.has_load() && !reads_any(e, &own);
            let is_beside =
                is_shifted(last, var) && !others.iter().any(|e| reads(e, var)) && index.iter().all(is_fixed);
            if results.contains(array) && is_beside && places.insert(*array, index.clone()).is_some() {
                return None;
            }
        }
        // Each is stored to once, and always.
        let stores = |array: Array| {
            let mut count = 0;
            each_store(&data.body, &mut |stored, _| count += usize::from(stored == array));
            count
        };
        (!places.is_empty() && places.keys().all(|&array| stores(array) == 1)).then_some(Self {
            var,
            reductions,
            kinds,
            places,
        })
    }

    fn streaming(self, proc: &mut Proc, id: Loop, least_bytes: i64) -> Vec<Stmt> {
        let data = proc.loops[id].clone();
        let block = Block::of_length(proc, BLOCK);
        let buffers: BTreeMap<Array, Array> = (self.places.keys())
            .map(|&array| (array, buffer(proc, proc.arrays[array].elem, BLOCK, None, data.span)))
            .collect();
        let body = data.body.iter().map(|stmt| match stmt {
            Stmt::Store { array, value, .. } if buffers.contains_key(array) => Stmt::Store {
                array: buffers[array],
                index: vec![Expr::Var(self.var) - block.first.into()],
                value: value.clone(),
            },
            stmt => stmt.clone(),
        });
        let accumulators: Vec<Var> = self.reductions.iter().map(|reduction| reduction.var).collect();
        let (var, body) = fresh(proc, self.var, body.collect(), &accumulators);
        let (kind, inner_kind) = self.kinds;
        let (lower, upper) = (block.first.into(), block.end.into());
        let inner = LoopData { var: Some(var), lower, upper, kind: inner_kind, body, ..data.clone() };
        let mut body: Vec<Stmt> = buffers.values().map(|&array| Stmt::Alloc { array }).collect();
        body.push(Stmt::For(proc.loops.push(inner)));
        for (target, index) in &self.places {
            let names = BTreeMap::from([(self.var, Expr::Var(block.first))]);
            let at = index.iter().map(|e| renamed(e, &names));
            let extents = proc.arrays[*target].extents.clone();
            let target_offset = at.zip(extents).fold(Expr::i64(0), |offset, (index, extent)| offset * extent + index);
            body.push(Stmt::CopyElements {
                target: *target,
                target_offset,
                source: buffers[target],
                source_offset: Expr::i64(0),
                count: Expr::Var(block.end) - block.first.into(),
                streaming: true,
            });
        }
        let bytes = self.places.keys().map(|&array| {
            let elem = i64::try_from(proc.arrays[array].elem.bytes()).expect("elements are small");
            proc.arrays[array].extents.iter().cloned().fold(Expr::i64(elem), |count, extent| count * extent)
        });
        let bytes = bytes.reduce(|x, y| Expr::binary(BinOp::Min, x, y)).expect("something is stored");
        let is_large = Expr::binary(BinOp::Le, Expr::i64(least_bytes), bytes);
        let is_long = Expr::binary(BinOp::Le, data.lower.clone() + Expr::i64(2 * BLOCK), data.upper.clone());
        vec![Stmt::If {
            cond: Expr::binary(BinOp::And, is_large, is_long),
            then: block.over(proc, data, kind, body),
            otherwise: vec![Stmt::For(id)],
        }]
    }
}
