//! Non-temporal stores by block: a loop fills a block in the first-level cache, which then goes to
//! memory in whole lines.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   for i0 step 128 {
//!                 for i from i0 to below i0+128 { t[i - i0] = e(i) }; stream D at i0 from t
//!               }
//! ```
//!
//! This form serves short rows, several rows side by side, code without vector instructions, and
//! scans. Blocks end at a cache line. If a loop stores to several rows whose lines end elsewhere,
//! the rest of a line waits in the buffer.
//!
//! [`crate::shape::nontemporal_stores`] chooses the loops. This module knows nothing of the array
//! IR.

use crate::shape::facts::cache_lines::{before_in_line, elements_of_line, offset};
use crate::shape::facts::straight_line::fresh;
use crate::shape::loop_fission::ordered::buffer;
use crate::shape::nontemporal_stores::Storing;
use crate::shape::rewrite::strip_mining::Block;
use crate::shape::software_prefetch::NextRows;
use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;

/// Elements of a block in the first-level cache.
const BLOCK: i64 = 128;
/// Lines of each row in a block of several rows side by side. Few lines let the next block be
/// computed while these are written. There are more than two, so that a block which ends inside a
/// line has begun that line.
const LINES_OF_ROWS: i64 = 8;

/// Runs the loop block by block. `next_rows` are the rows that the next iterations of enclosing
/// loops read.
pub(crate) fn in_blocks(proc: &mut Proc, storing: &Storing, data: &LoopData, next_rows: &[NextRows]) -> Vec<Stmt> {
    let length = match &storing.places[..] {
        [_] => BLOCK,
        rows => (rows.iter())
            .map(|(array, _)| LINES_OF_ROWS * elements_of_line(proc, *array))
            .max()
            .expect("the loop stores something"),
    };
    let block = Block::of_length(proc, length);
    let begin = proc.index();
    // A scan makes eight elements at once, which is a whole line of 8-byte elements.
    let is_direct = matches!(data.kind, LoopKind::Scan { .. })
        && storing.places.iter().all(|(array, _)| elements_of_line(proc, *array) == 8)
        && data.stored_accumulators().is_some_and(|places| places.len() == 1);
    let (mut kind, mut inner_kind) = storing.kinds.clone();
    // The next block may run on another thread, which cannot wait for the rest of this block.
    let is_shared = matches!(kind, LoopKind::Independent { parallel: Some(_), .. });
    let rows: Vec<Row> = match is_direct {
        true => Vec::new(),
        false => (storing.places.iter().enumerate())
            .map(|(at, place)| Row::new(proc, place.clone(), data, at > 0 && !is_shared, length))
            .collect(),
    };
    // A block needs the rest that the last block has left.
    if rows.iter().any(|row| row.start.is_some()) {
        kind = LoopKind::Sequential;
    }
    let mut next = rows.iter();
    let is_place = |array: Array| !is_direct && storing.has_place_in(array);
    let body = data.body.iter().map(|stmt| match stmt {
        Stmt::Store { array, value, .. } if is_place(*array) => {
            let row = next.next().expect("each place has a store");
            let index = vec![Expr::Var(storing.var) - row.start.unwrap_or(block.first).into()];
            Stmt::Store { array: row.buffer, index, value: value.clone() }
        }
        stmt => stmt.clone(),
    });
    let (var, body) = fresh(proc, storing.var, body.collect(), &storing.accumulators());
    if let LoopKind::Scan { streaming, .. } = &mut inner_kind {
        *streaming = is_direct;
    }
    let (lower, upper) = (begin.into(), block.end.into());
    let inner = LoopData { var: Some(var), lower, upper, kind: inner_kind, body, ..data.clone() };
    let begins = Expr::binary(BinOp::MAX, Expr::Var(block.first), data.lower.clone());
    let mut body = vec![Stmt::Assign { var: begin, value: begins }];
    body.extend(rows.iter().map(|row| row.before_block(proc, storing.var, begin)));
    body.push(proc.add_loop(inner));
    let mut before = Vec::new();
    for next in next_rows {
        let [rows, prefetches] = next.prefetched(proc, data, begin.into(), Expr::Var(block.end) - begin.into());
        before.extend(rows);
        body.extend(prefetches);
    }
    body.extend(rows.iter().flat_map(|row| row.after_block(proc, storing.var, data, begin, block)));
    let kept = rows.iter().filter(|row| row.start.is_some());
    let mut then: Vec<Stmt> = kept.map(|row| Stmt::Alloc { array: row.buffer }).collect();
    then.extend(before);
    then.extend(next_rows.iter().flat_map(|next| next.ends_prefetched(proc, data, &storing.places)));
    // The first block begins early enough for all blocks to end at a line of the first array. A
    // partial line would be read before it is written.
    let before = before_in_line(proc, &storing.places[0], storing.var, data.lower.clone());
    let header = LoopData { lower: data.lower.clone() - before, ..data.clone() };
    then.extend(block.over(proc, header, kind, body));
    then
}

/// The part of a row that is stored to one place, block by block.
struct Row {
    place: (Array, Vec<Expr>),
    buffer: Array,
    /// Set if lines of the array do not end with the blocks: the iteration of the buffer's first
    /// element, which begins a line. The last, partial line of a block waits for its rest.
    start: Option<Var>,
}

impl Row {
    fn new(proc: &mut Proc, place: (Array, Vec<Expr>), data: &LoopData, waits: bool, length: i64) -> Self {
        let elem = proc.arrays[place.0].elem;
        let longer = if waits { elements_of_line(proc, place.0) } else { 0 };
        let buffer = buffer(proc, elem, length + longer, None, data.span);
        Self { place, buffer, start: waits.then(|| proc.index()) }
    }

    /// The statement that allocates the block's buffer, or that keeps the beginning of the waiting
    /// one.
    fn before_block(&self, proc: &Proc, var: Var, begin: Var) -> Stmt {
        match self.start {
            None => Stmt::Alloc { array: self.buffer },
            Some(start) => {
                let value = Expr::Var(begin) - before_in_line(proc, &self.place, var, begin.into());
                Stmt::Assign { var: start, value }
            }
        }
    }

    /// Copies the whole lines in the buffer. After the last block it copies everything.
    fn after_block(&self, proc: &mut Proc, var: Var, data: &LoopData, begin: Var, block: Block) -> Vec<Stmt> {
        let buffer = self.buffer;
        let copy = |proc: &Proc, from: Var, source_offset: Expr, count: Expr| Stmt::CopyElements {
            target: self.place.0,
            target_offset: offset(proc, &self.place, var, from.into()),
            source: buffer,
            source_offset,
            count,
            streaming: true,
        };
        let end = block.end;
        let Some(start) = self.start else {
            return vec![copy(proc, begin, Expr::Var(begin) - block.first.into(), Expr::Var(end) - begin.into())];
        };
        let [stop, from] = [(); 2].map(|()| proc.index());
        let stops = Expr::select(
            Expr::binary(BinOp::EQ, end.into(), data.upper.clone()),
            end.into(),
            Expr::Var(end) - before_in_line(proc, &self.place, var, end.into()),
        );
        let keep = Stmt::CopyElements {
            target: buffer,
            target_offset: Expr::i64(0),
            source: buffer,
            source_offset: Expr::Var(stop) - start.into(),
            count: Expr::Var(end) - stop.into(),
            streaming: false,
        };
        vec![
            Stmt::Assign { var: stop, value: stops },
            Stmt::Assign { var: from, value: Expr::binary(BinOp::MAX, start.into(), data.lower.clone()) },
            copy(proc, from, Expr::Var(from) - start.into(), Expr::Var(stop) - from.into()),
            keep,
        ]
    }
}
