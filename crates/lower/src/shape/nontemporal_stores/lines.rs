//! Non-temporal stores by line: a cache line goes from vector registers to memory.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   whole = lower, or up to 7 after it, so that D[whole] begins a line
//!               stop = upper, or up to 7 before it, so that D[stop] begins a line
//!               for l from whole to below stop step 8 {
//!                 for v below 8 { t[v] = e(l + v) }; stream D at l from t
//!               }
//!               for l in lower, upper - 8 {
//!                 for v below 8 { t[v] = e(l + v) }
//!                 copy D at lower, stop from t: what is before the first line or after the last
//!               }
//! ```
//!
//! The loop over the eight elements of a line has a constant trip count, so `t` stays in registers.
//! While a line is computed, the lines before it are written, and a line of each row that is read
//! next is prefetched. Accumulators stay in [lanes](crate::shape::overlapping_vectors).
//!
//! The vectors at the ends overlap other lines. Iterations that read nothing that they store may
//! run twice, and a vector is faster than single iterations.
//!
//! [`crate::shape::nontemporal_stores`] chooses the loops. This module knows nothing of the array
//! IR.

use crate::shape::facts::arithmetic::lacks_vectors;
use crate::shape::facts::cache_lines::{before_in_line, elements_of_line, offset};
use crate::shape::facts::straight_line::{assigned, fresh};
use crate::shape::facts::unaliased::Memory;
use crate::shape::loop_fission::ordered::buffer;
use crate::shape::nontemporal_stores::Storing;
use crate::shape::overlapping_vectors;
use crate::shape::software_prefetch::NextRows;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// The most elements of a line: a longer line takes too many vectors of wide operands.
const MOST_OF_LINE: i64 = 16;
/// Rows of arrays with more axes are short.
const MOST_AXES: usize = 2;
/// Lines save less than the ends cost in shorter rows.
const LEAST_OF_ROW: i64 = 512;

/// The elements of a line in every array that the loop stores to past the caches. The lines of all
/// arrays must begin at the same iterations, and the loop must be able to run line by line.
pub(crate) fn elements_of_lines(proc: &Proc, storing: &Storing, id: Loop, memory: &Memory) -> Option<i64> {
    let data = &proc.loops[id];
    let elements = elements_of_line(proc, storing.places[0].0);
    let before = |place: &_| before_in_line(proc, place, storing.var, data.lower.clone());
    let first = before(&storing.places[0]);
    let is_alike = |place: &(Array, Vec<Expr>)| elements_of_line(proc, place.0) == elements && before(place) == first;
    let may_run = are_vectors(proc, data)
        && elements <= MOST_OF_LINE
        && storing.places.iter().all(|place| is_alike(place) && place.1.len() <= MOST_AXES)
        && memory.may_rerun(proc, id)
        && (storing.reductions.is_empty() || overlapping_vectors::may_run_in_lanes(proc, id, memory));
    may_run.then_some(elements)
}

/// The condition under which lines are faster than blocks: rows are long, or begin and end at a
/// line, as parts of rows in tiles do. `None` if they always are: a vector is one long row.
pub(crate) fn are_worth_it(proc: &Proc, storing: &Storing, data: &LoopData) -> Option<Expr> {
    let place = &storing.places[0];
    let is_whole = |at: &Expr| {
        let before = before_in_line(proc, place, storing.var, at.clone());
        Expr::binary(BinOp::EQ, before, Expr::i64(0))
    };
    let is_long = Expr::binary(BinOp::LE, data.lower.clone() + Expr::i64(LEAST_OF_ROW), data.upper.clone());
    let are_whole = Expr::binary(BinOp::AND, is_whole(&data.lower), is_whole(&data.upper));
    (place.1.len() > 1).then(|| Expr::binary(BinOp::OR, is_long, are_whole))
}

/// True if vectors can run the loop. Values that are computed one by one are better combined in
/// larger blocks.
fn are_vectors(proc: &Proc, data: &LoopData) -> bool {
    let varying: BTreeSet<Var> = data.var.into_iter().chain(assigned(&data.body)).collect();
    let (mut is_straight, mut lacks) = (true, false);
    for stmt in &data.body {
        is_straight &= matches!(stmt, Stmt::Assign { .. } | Stmt::Store { .. });
        stmt.for_each_inner_expr(&mut |expr| lacks |= lacks_vectors(proc, expr, &varying));
    }
    matches!(data.kind, LoopKind::Independent { .. }) && is_straight && !lacks
}

/// Runs the loop line by line, with this many elements in a line. `next_rows` are the rows that the
/// next iterations of enclosing loops read.
pub(crate) fn in_lines(
    proc: &mut Proc,
    storing: &Storing,
    data: &LoopData,
    elements: i64,
    next_rows: &[NextRows],
) -> Vec<Stmt> {
    let [whole, stop, line] = [(); 3].map(|()| proc.index());
    let before = |at: &Expr| before_in_line(proc, &storing.places[0], storing.var, at.clone());
    let until_line = Expr::binary(BinOp::AND, Expr::i64(0) - before(&data.lower), Expr::i64(elements - 1));
    let stops = data.upper.clone() - before(&data.upper);
    let mut stmts = vec![Stmt::assign(whole, data.lower.clone() + until_line), Stmt::assign(stop, stops)];
    let mut body = Vec::new();
    for next in next_rows {
        let [before, prefetches] = next.prefetched(proc, data, line.into(), Expr::i64(elements));
        stmts.extend(before);
        body.extend(prefetches);
    }
    stmts.extend(next_rows.iter().flat_map(|next| next.ends_prefetched(proc, data, &storing.places)));
    let (vector, buffers) = vector(proc, storing, data, elements, line);
    body.extend(vector);
    body.extend(buffers.iter().zip(&storing.places).map(|(&source, place)| Stmt::CopyElements {
        target: place.0,
        target_offset: offset(proc, place, storing.var, line.into()),
        source,
        source_offset: Expr::i64(0),
        count: Expr::i64(elements),
        streaming: true,
    }));
    let kind = match &storing.kinds.0 {
        LoopKind::Sequential => storing.reducing(),
        kind => kind.clone(),
    };
    let (lower, upper) = (whole.into(), stop.into());
    let lines = LoopData { var: Some(line), lower, upper, step: elements, kind, body, span: data.span };
    stmts.push(proc.add_loop(lines));
    stmts.push(ends(proc, storing, data, elements, [whole, stop]));
    stmts
}

/// The iterations of one line from `first` on, in vectors; and the buffers that then hold the
/// elements of each place.
fn vector(proc: &mut Proc, storing: &Storing, data: &LoopData, elements: i64, first: Var) -> (Vec<Stmt>, Vec<Array>) {
    let of_line = |(array, _): &(Array, Vec<Expr>)| buffer(proc, proc.arrays[*array].elem, elements, None, data.span);
    let buffers: Vec<Array> = storing.places.iter().map(of_line).collect();
    let here = BTreeMap::from([(storing.var, Expr::Var(first) + storing.var.into())]);
    let mut next = buffers.iter();
    let in_buffer = |stmt: &Stmt| match stmt {
        Stmt::Store { array, value, .. } if storing.has_place_in(*array) => {
            let array = *next.next().expect("each place has a store");
            Stmt::Store { array, index: vec![storing.var.into()], value: value.renamed(&here) }
        }
        stmt => stmt.renamed(&here),
    };
    let body = data.body.iter().map(in_buffer).collect();
    let (lane, body) = fresh(proc, storing.var, body, &storing.accumulators());
    let (lower, upper, kind) = (Expr::i64(0), Expr::i64(elements), storing.kinds.1.clone());
    let lanes = LoopData { var: Some(lane), lower, upper, step: 1, kind, body, span: data.span };
    let mut stmts: Vec<Stmt> = buffers.iter().map(|&array| Stmt::Alloc { array }).collect();
    stmts.push(proc.add_loop(lanes));
    (stmts, buffers)
}

/// The elements before the first line and after the last. One loop handles both, to keep a single
/// copy of the vector.
fn ends(proc: &mut Proc, storing: &Storing, data: &LoopData, elements: i64, [whole, stop]: [Var; 2]) -> Stmt {
    let [part, first, from, count] = [(); 4].map(|()| proc.index());
    let in_part =
        |before: Expr, after: Expr| Expr::select(Expr::binary(BinOp::EQ, part.into(), Expr::i64(0)), before, after);
    let (lower, upper) = (&data.lower, &data.upper);
    let (mut then, buffers) = vector(proc, storing, data, elements, first);
    then.extend(buffers.iter().zip(&storing.places).map(|(&source, place)| Stmt::CopyElements {
        target: place.0,
        target_offset: offset(proc, place, storing.var, from.into()),
        source,
        source_offset: Expr::Var(from) - first.into(),
        count: count.into(),
        streaming: false,
    }));
    let cond = Expr::binary(BinOp::LT, Expr::i64(0), count.into());
    let body = vec![
        Stmt::assign(first, in_part(lower.clone(), upper.clone() - Expr::i64(elements))),
        Stmt::assign(from, in_part(lower.clone(), stop.into())),
        Stmt::assign(count, in_part(Expr::Var(whole) - lower.clone(), upper.clone() - stop.into())),
        Stmt::If { cond, then, otherwise: Vec::new() },
    ];
    let (lower, upper, kind) = (Expr::i64(0), Expr::i64(2), storing.reducing());
    proc.add_loop(LoopData { var: Some(part), lower, upper, step: 1, kind, body, span: data.span })
}
