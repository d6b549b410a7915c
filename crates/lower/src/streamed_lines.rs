//! Stores past the caches line by line: what vectors make of a line of memory goes from registers to memory.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   whole = lower, or up to 7 after it, so that D[whole] begins a line; stop = upper, or up to 7 before it, where D[stop] does
//!               for l from whole to below stop step 8 { for v below 8 { t[v] = e(l + v) }; stream D at l from t }
//!               for i from lower to below whole, and from stop to below upper { D[i] = e(i) }
//! ```
//!
//! The eight elements are as many as the loop over them has iterations, known ahead, so that `t` is no memory but registers. While a line is computed,
//! those before it are written, and one of each row that is read next comes near. What is reduced stays in [lanes](crate::whole_vectors). Knows nothing of the
//! array IR.

use crate::arithmetic::lacks_vectors;
use crate::distribution::buffer;
use crate::lines::{before_in_line, elements_of_line, offset};
use crate::nontemporal::Storing;
use crate::prefetching::NextRows;
use crate::straight::{assign, assigned, each_expr, fresh, renamed, renamed_stmt};
use crate::unshared::Memory;
use crate::whole_vectors;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A line of more elements is more than some vectors of what they are made of.
const MOST_OF_LINE: i64 = 16;

/// How many elements are a line of each array that the loop stores to past the caches, if all lines begin with the same iterations and it may run line
/// by line.
pub(crate) fn elements_of_lines(proc: &Proc, storing: &Storing, id: Loop, memory: &Memory) -> Option<i64> {
    let data = &proc.loops[id];
    let elements = elements_of_line(proc, storing.places[0].0);
    let before = |place| before_in_line(proc, place, storing.var, data.lower.clone());
    let first = before(&storing.places[0]);
    let is_alike =
        |place| elements_of_line(proc, (place as &(Array, Vec<Expr>)).0) == elements && before(place) == first;
    let may_run = are_vectors(proc, data)
        && elements <= MOST_OF_LINE
        && storing.places.iter().all(is_alike)
        && (storing.reductions.is_empty() || whole_vectors::may_run_in_lanes(proc, id, memory));
    may_run.then_some(elements)
}

/// Vectors can run the loop: what comes out of them one by one, memory joins better in larger blocks.
fn are_vectors(proc: &Proc, data: &LoopData) -> bool {
    let varying: BTreeSet<Var> = data.var.into_iter().chain(assigned(&data.body)).collect();
    let (mut is_straight, mut lacks) = (true, false);
    for stmt in &data.body {
        is_straight &= matches!(stmt, Stmt::Assign { .. } | Stmt::Store { .. });
        each_expr(stmt, &mut |expr| lacks |= lacks_vectors(proc, expr, &varying));
    }
    matches!(data.kind, LoopKind::Independent { .. }) && is_straight && !lacks
}

/// Runs the loop line by line, each of so many elements. `next_rows`: what the next iterations of loops around read.
pub(crate) fn in_lines(
    proc: &mut Proc,
    storing: &Storing,
    data: &LoopData,
    elements: i64,
    next_rows: &[NextRows],
) -> Vec<Stmt> {
    let [whole, stop, line] = [(); 3].map(|()| proc.var(Scalar::I64, None));
    let before = |at: &Expr| before_in_line(proc, &storing.places[0], storing.var, at.clone());
    let until_line = Expr::binary(BinOp::And, Expr::i64(0) - before(&data.lower), Expr::i64(elements - 1));
    let stops = data.upper.clone() - before(&data.upper);
    let mut stmts = vec![assign(whole, data.lower.clone() + until_line), assign(stop, stops)];
    let mut body = Vec::new();
    for next in next_rows {
        let ahead = proc.var(Scalar::I64, None);
        stmts.push(assign(ahead, next.iterations_ahead()));
        body.extend(next.prefetched(proc, data, ahead, line.into(), Expr::i64(elements)));
    }
    stmts.extend(next_rows.iter().flat_map(|next| next.ends_prefetched(proc, data, &storing.places)));
    body.extend(one_line(proc, storing, data, elements, line));
    let kind = match &storing.kinds.0 {
        // Lanes may be combined after all lines.
        LoopKind::Sequential => {
            LoopKind::Independent { parallel: None, simd: false, reductions: storing.reductions.clone() }
        }
        kind => kind.clone(),
    };
    let (lower, upper) = (whole.into(), stop.into());
    let lines = LoopData { var: Some(line), lower, upper, step: elements, kind, body, span: data.span };
    stmts.push(Stmt::For(proc.loops.push(lines)));
    stmts.push(ends(proc, storing, data, [whole, stop]));
    stmts
}

/// The line that begins with the iteration `line`.
fn one_line(proc: &mut Proc, storing: &Storing, data: &LoopData, elements: i64, line: Var) -> Vec<Stmt> {
    let of_line = |(array, _): &(Array, Vec<Expr>)| buffer(proc, proc.arrays[*array].elem, elements, None, data.span);
    let buffers: Vec<Array> = storing.places.iter().map(of_line).collect();
    let here = BTreeMap::from([(storing.var, Expr::Var(line) + storing.var.into())]);
    let mut next = buffers.iter();
    let in_buffer = |stmt: &Stmt| match stmt {
        Stmt::Store { array, value, .. } if storing.has_place_in(*array) => {
            let array = *next.next().expect("each place has a store");
            Stmt::Store { array, index: vec![storing.var.into()], value: renamed(value, &here) }
        }
        stmt => renamed_stmt(stmt, &here),
    };
    let body = data.body.iter().map(in_buffer).collect();
    let (lane, body) = fresh(proc, storing.var, body, &storing.accumulators());
    let (lower, upper, kind) = (Expr::i64(0), Expr::i64(elements), storing.kinds.1.clone());
    let lanes = LoopData { var: Some(lane), lower, upper, step: 1, kind, body, span: data.span };
    let mut stmts: Vec<Stmt> = buffers.iter().map(|&array| Stmt::Alloc { array }).collect();
    stmts.push(Stmt::For(proc.loops.push(lanes)));
    stmts.extend(buffers.iter().zip(&storing.places).map(|(&source, place)| Stmt::CopyElements {
        target: place.0,
        target_offset: offset(proc, place, storing.var, line.into()),
        source,
        source_offset: Expr::i64(0),
        count: Expr::i64(elements),
        streaming: true,
    }));
    stmts
}

/// What comes before the first line, and after the last; a loop over the two, for the body to be there once.
fn ends(proc: &mut Proc, storing: &Storing, data: &LoopData, [whole, stop]: [Var; 2]) -> Stmt {
    let [part, from, to] = [(); 3].map(|()| proc.var(Scalar::I64, None));
    let in_part = |first: Expr, second: Expr| Expr::Select {
        cond: Box::new(Expr::binary(BinOp::Eq, part.into(), Expr::i64(0))),
        on_true: Box::new(first),
        on_false: Box::new(second),
    };
    let sequential = |proc: &mut Proc, var: Var, lower: Expr, upper: Expr, body: Vec<Stmt>| {
        let kind = LoopKind::Sequential;
        Stmt::For(proc.loops.push(LoopData { var: Some(var), lower, upper, step: 1, kind, body, span: data.span }))
    };
    let (own, body) = fresh(proc, storing.var, data.body.clone(), &storing.accumulators());
    let end = vec![
        assign(from, in_part(data.lower.clone(), stop.into())),
        assign(to, in_part(whole.into(), data.upper.clone())),
        sequential(proc, own, from.into(), to.into(), body),
    ];
    sequential(proc, part, Expr::i64(0), Expr::i64(2), end)
}
