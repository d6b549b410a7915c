//! Planes in blocks of rows: a loop over planes of a stencil that reads neighbouring ones runs for some rows of all planes, then for the next ones.
//!
//! ```text
//! for i { for j in l..h { for k { D[i, j, k] = e(A[i-1, j, k], A[i, j, k], A[i+1, j, k]) } } }
//!     becomes   blocks = 1 if three planes stay in the cache, or as many as have each half of it
//!               for b below blocks {
//!                 for i { for j in block b of l..h { for k { D[i, j, k] = e(A[i-1, j, k], A[i, j, k], A[i+1, j, k]) } } }
//!               }
//! ```
//!
//! Otherwise a plane would come from beyond the processor's own cache for each that it is a neighbour of. Small planes are one block. Knows nothing of the
//! array IR.
//!
//! After Rivera and Tseng, "Tiling Optimizations for 3D Scientific Computations".

use crate::access::{Aliases, divided_up, each_expr_inside, each_stmt};
use crate::fresh::fresh_at_loops;
use crate::replace_loops::replace_loops;
use crate::straight::{assigned, entering, is_straight, reads_any};
use crate::vectors::Values;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of fewer rows would have more neighbours outside than inside.
const FEWEST_ROWS: i64 = 16;

/// Runs planes in blocks of rows of which neighbouring planes stay in half a cache of so many bytes; how many loops over planes.
pub(crate) fn run_planes_in_blocks(proc: &mut Proc, cache_bytes: i64) -> usize {
    let (values, aliases, fresh) = (Values::of(proc), Aliases::of(proc), fresh_at_loops(proc));
    let mut count = 0;
    replace_loops(proc, &mut |proc, id| {
        let may_share = |x: Array, y: Array| fresh.get(&id).is_none_or(|fresh| fresh.may_share(&aliases, x, y));
        let planes = Planes::of(proc, id, &values, &may_share)?;
        count += 1;
        Some(planes.in_blocks(proc, id, cache_bytes))
    });
    count
}

/// A loop over planes around loops over their rows.
struct Planes {
    rows: Vec<Loop>,
    /// Loops over few rows, along borders.
    few: Vec<Loop>,
    /// The bytes that are read, and read again by the next plane, for a row.
    bytes: Expr,
}

impl Planes {
    /// `may_share` says which arrays may be the same memory.
    fn of(proc: &Proc, id: Loop, values: &Values, may_share: &dyn Fn(Array, Array) -> bool) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(plane), 1, LoopKind::Independent { simd: false, reductions, .. }) = (data.var, data.step, &data.kind)
        else {
            return None;
        };
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        for stmt in &data.body {
            match stmt {
                Stmt::For(inner) if is_over_rows(&proc.loops[*inner]) => rows.push(*inner),
                stmt if is_straight(stmt, false) => others.push(stmt.clone()),
                _ => return None,
            }
        }
        // What stands beside the rows is done for every block.
        let is_reduced = |var: &Var| reductions.iter().any(|reduction| reduction.var == *var);
        let is_carried =
            entering(&others).iter().any(|var| assigned(&others).any(|own| own == *var) && !is_reduced(var));
        let repeats = |stmt: &Stmt| match stmt {
            Stmt::Assign { var, value } if is_reduced(var) => matches!(
                value,
                Expr::Binary { op, .. } if op.is_idempotent() && reductions.contains(&Reduction { op: *op, var: *var })
            ),
            stmt => !assigned(std::slice::from_ref(stmt)).any(|var| is_reduced(&var)),
        };
        let own: BTreeSet<Var> = assigned(&others).chain([plane]).collect();
        let is_fixed = |expr: &Expr| !expr.has_load() && !reads_any(expr, &own);
        let are_fixed =
            rows.iter().map(|id| &proc.loops[*id]).all(|rows| is_fixed(&rows.lower) && is_fixed(&rows.upper));
        if is_carried || !others.iter().all(repeats) || !are_fixed {
            return None;
        }
        let mut accesses = Accesses::default();
        rows.iter().for_each(|&id| accesses.add(proc, values, plane, &proc.loops[id]));
        // A later loop over rows might read what an earlier one has not come to yet.
        let is_shared = |x: &Array, y: &Array| x == y || may_share(*x, *y);
        if rows.len() > 1
            && accesses.read.iter().any(|read| accesses.stored.iter().any(|stored| is_shared(read, stored)))
        {
            return None;
        }
        let bytes_of = |(&array, &count): (&Array, &usize)| {
            let data = &proc.arrays[array];
            let bytes = i64::try_from(data.elem.bytes() * count).ok()?;
            data.extents.last().filter(|extent| is_fixed(extent)).map(|extent| extent.clone() * Expr::i64(bytes))
        };
        let bytes: Option<Vec<Expr>> = accesses.planes().iter().map(bytes_of).collect();
        let bytes = bytes?.into_iter().reduce(|x, y| x + y)?;
        let (few, rows): (Vec<Loop>, Vec<Loop>) = rows.into_iter().partition(|&id| values.is_short(&proc.loops[id]));
        (!rows.is_empty()).then_some(Self { rows, few, bytes })
    }

    fn in_blocks(self, proc: &mut Proc, id: Loop, cache_bytes: i64) -> Vec<Stmt> {
        let [lower, count, blocks, length, block, first, end] = [(); 7].map(|()| proc.var(Scalar::I64, None));
        let assign = |var, value| Stmt::Assign { var, value };
        let bound = |of: &dyn Fn(&LoopData) -> Expr, op: BinOp| {
            let all = self.rows.iter().map(|id| of(&proc.loops[*id]));
            all.reduce(|x, y| Expr::binary(op, x, y)).expect("planes have rows")
        };
        let (least, most) =
            (bound(&|rows| rows.lower.clone(), BinOp::Min), bound(&|rows| rows.upper.clone(), BinOp::Max));
        let at_least = |least: i64, expr: Expr| Expr::binary(BinOp::Max, Expr::i64(least), expr);
        let fitting = Expr::binary(BinOp::Div, Expr::i64(cache_bytes / 2), at_least(1, self.bytes.clone()));
        let number = Expr::Select {
            cond: Box::new(Expr::binary(BinOp::Le, Expr::Var(count) * self.bytes, Expr::i64(cache_bytes / 4 * 3))),
            on_true: Box::new(Expr::i64(1)),
            on_false: Box::new(divided_up(count.into(), at_least(FEWEST_ROWS, fitting))),
        };
        for &rows in &self.rows {
            let rows = &mut proc.loops[rows];
            rows.lower = Expr::binary(BinOp::Max, std::mem::take(&mut rows.lower), first.into());
            rows.upper = Expr::binary(BinOp::Min, std::mem::take(&mut rows.upper), end.into());
        }
        // They come with the first block.
        let is_first = || Expr::binary(BinOp::Eq, block.into(), Expr::i64(0));
        let with_first = |stmt: Stmt| match stmt {
            Stmt::For(few) if self.few.contains(&few) => {
                Stmt::If { cond: is_first(), then: vec![Stmt::For(few)], otherwise: Vec::new() }
            }
            stmt => stmt,
        };
        let planes = &mut proc.loops[id];
        planes.body = std::mem::take(&mut planes.body).into_iter().map(with_first).collect();
        let LoopKind::Independent { parallel, reductions, .. } = &mut planes.kind else {
            panic!("planes are independent")
        };
        if let Some(Parallel { work, .. }) = parallel {
            *work = Expr::binary(BinOp::Div, work.clone(), blocks.into());
        }
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions: reductions.clone() };
        let span = planes.span;
        let body = vec![
            assign(first, Expr::Var(lower) + Expr::Var(block) * length.into()),
            assign(end, Expr::Var(first) + length.into()),
            Stmt::For(id),
        ];
        let over = LoopData { var: Some(block), lower: Expr::i64(0), upper: blocks.into(), step: 1, kind, body, span };
        vec![
            assign(lower, least),
            assign(count, at_least(1, most - lower.into())),
            assign(blocks, number),
            assign(length, divided_up(count.into(), blocks.into())),
            Stmt::For(proc.loops.push(over)),
        ]
    }
}

/// The loop may be over the rows of a plane.
fn is_over_rows(data: &LoopData) -> bool {
    data.var.is_some()
        && data.step == 1
        && matches!(data.kind, LoopKind::Independent { parallel: None, simd: false, .. })
}

/// What loops over rows access.
#[derive(Default)]
struct Accesses {
    read: BTreeSet<Array>,
    stored: BTreeSet<Array>,
    /// Which planes are read of an array, by what is added to the number of one, where the other subscripts are the same.
    numbers: BTreeMap<(Array, String), BTreeSet<i64>>,
}

impl Accesses {
    fn add(&mut self, proc: &Proc, values: &Values, plane: Var, rows: &LoopData) {
        let row = rows.var.expect("rows are counted");
        let number = |e: &Expr| match values.value(e) {
            Expr::Binary { op: BinOp::FloorMod, x, .. } => x.added_to(plane),
            value => value.added_to(plane),
        };
        each_expr_inside(proc, &rows.body, &mut |expr| {
            expr.for_each_part(&mut |part| {
                let Expr::Load { array, index } = part else { return };
                self.read.insert(*array);
                let numbers: Vec<(usize, i64)> =
                    index.iter().enumerate().filter_map(|(axis, e)| Some((axis, number(e)?))).collect();
                let is_in_row = index.len() > 2 && index[..index.len() - 1].iter().any(|e| e.added_to(row).is_some());
                if let ([(axis, added)], true) = (&numbers[..], is_in_row) {
                    let others = index.iter().enumerate().filter(|(at, _)| at != axis).map(|(_, e)| e);
                    let place = (*array, format!("{:?}", others.collect::<Vec<&Expr>>()));
                    self.numbers.entry(place).or_default().insert(*added);
                }
            });
        });
        each_stmt(proc, &rows.body, &mut |stmt| match stmt {
            Stmt::Store { array, .. } => _ = self.stored.insert(*array),
            Stmt::CopyElements { target, source, .. } => {
                self.stored.insert(*target);
                self.read.insert(*source);
            }
            _ => {}
        });
    }

    /// The arrays of which several planes are read for the same place, and how many.
    fn planes(&self) -> BTreeMap<Array, usize> {
        let mut planes = BTreeMap::new();
        for ((array, _), numbers) in self.numbers.iter().filter(|(_, numbers)| numbers.len() > 1) {
            let most: &mut usize = planes.entry(*array).or_default();
            *most = numbers.len().max(*most);
        }
        planes
    }
}
