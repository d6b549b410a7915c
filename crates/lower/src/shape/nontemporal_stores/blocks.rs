//! Stores past the caches block by block: a block of what a loop stores is made in the nearest cache, and then goes to memory, in whole lines.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   for i0 step 128 { for i from i0 to below i0+128 { t[i - i0] = e(i) }; stream D at i0 from t }
//! ```
//!
//! For short rows, several rows made side by side, what processors have no vectors for, and scans. Blocks end with a line of memory; where a loop stores to several rows, whose lines end
//! elsewhere, the rest of a line waits in the buffer. Knows nothing of the array IR.

use crate::shape::facts::cache_lines::{before_in_line, elements_of_line, offset};
use crate::shape::facts::straight_line::fresh;
use crate::shape::loop_fission::ordered::buffer;
use crate::shape::nontemporal_stores::Storing;
use crate::shape::rewrite::strip_mining::Block;
use crate::shape::software_prefetch::NextRows;
use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;

/// Elements that are made in the nearest cache before they go to memory.
const BLOCK: i64 = 128;
/// Lines of memory that a block of several rows made side by side has of each: few, so that the next block is computed while these are written. More
/// than two, so that a block which ends amid a line has begun it.
const LINES_OF_ROWS: i64 = 8;

/// Runs the loop block by block. `next_rows`: what the next iterations of loops around read.
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
    // A scan makes eight elements at once: a whole line of memory, if they are of eight bytes.
    let is_direct = matches!(data.kind, LoopKind::Scan { .. })
        && storing.places.iter().all(|(array, _)| elements_of_line(proc, *array) == 8)
        && data.stored_accumulators().is_some_and(|places| places.len() == 1);
    let (mut kind, mut inner_kind) = storing.kinds.clone();
    // The next block may be another thread's, which cannot wait for the rest of this one.
    let is_shared = matches!(kind, LoopKind::Independent { parallel: Some(_), .. });
    let rows: Vec<Row> = match is_direct {
        true => Vec::new(),
        false => (storing.places.iter().enumerate())
            .map(|(at, place)| Row::new(proc, place.clone(), data, at > 0 && !is_shared, length))
            .collect(),
    };
    // A block needs what the one before it has left.
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
    // The first block begins so much early that all end with a line of the first array: what is written of half a line is read first.
    let before = before_in_line(proc, &storing.places[0], storing.var, data.lower.clone());
    let header = LoopData { lower: data.lower.clone() - before, ..data.clone() };
    then.extend(block.over(proc, header, kind, body));
    then
}

/// What is stored in one place: a part of a row, block by block.
struct Row {
    place: (Array, Vec<Expr>),
    buffer: Array,
    /// If lines of the array end elsewhere than blocks: the iteration whose element is the first in the buffer, which begins a line. The part of a
    /// line that a block ends with waits for the rest.
    start: Option<Var>,
}

impl Row {
    fn new(proc: &mut Proc, place: (Array, Vec<Expr>), data: &LoopData, waits: bool, length: i64) -> Self {
        let elem = proc.arrays[place.0].elem;
        let longer = if waits { elements_of_line(proc, place.0) } else { 0 };
        let buffer = buffer(proc, elem, length + longer, None, data.span);
        Self { place, buffer, start: waits.then(|| proc.index()) }
    }

    /// A block has a buffer of its own, or knows where the one that is kept begins.
    fn before_block(&self, proc: &Proc, var: Var, begin: Var) -> Stmt {
        match self.start {
            None => Stmt::Alloc { array: self.buffer },
            Some(start) => {
                let value = Expr::Var(begin) - before_in_line(proc, &self.place, var, begin.into());
                Stmt::Assign { var: start, value }
            }
        }
    }

    /// Copies what there is of whole lines, and all that the last block ends with.
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
