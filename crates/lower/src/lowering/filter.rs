//! Filters: each cell is written behind the cells kept so far. If the cell is kept, the end moves
//! on.
//!
//! The result is the front part of a buffer for all cells. In chunks, each thread keeps its cells
//! in its own part of the buffer. A second pass copies the parts into arrays of the exact size.
//!
//! Chunks are made by [`crate::lowering::with_loop`].

use crate::lowering::access::{Access, element_count};
use crate::lowering::with_loop::{Chunk, Chunks, MOST_CHUNKS};
use crate::lowering::{LoopHeader, Lowered, Lowering};
use frit_ir::array::{Value, WithLoopData};
use frit_ir::nest::{Array, Expr, Parallel, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};

/// A filter being lowered.
#[derive(Clone)]
pub(crate) struct Filtering {
    /// One buffer for each array that has bits.
    buffers: Vec<Option<Access>>,
    /// The position of the next cell.
    position: Option<Var>,
    /// How many cells each chunk kept.
    counts: Option<Array>,
}

impl Filtering {
    /// The memory in which the rows of the next cell should be made, after the guard; one for each
    /// array.
    pub(crate) fn places(&self) -> Vec<Option<Access>> {
        let next = [Expr::Var(self.position())];
        let place = |buffer: &Option<Access>| buffer.as_ref().filter(|b| b.extents.len() > 1).map(|b| b.part(&next));
        self.buffers.iter().map(place).collect()
    }

    /// True if the filter keeps no cells and only counts.
    pub(crate) fn reduction(&self) -> Option<Reduction> {
        let counts_only = self.buffers.iter().all(Option::is_none);
        counts_only.then(|| Reduction { op: BinOp::ADD, var: self.position() })
    }

    fn position(&self) -> Var {
        self.position.expect("a filter has started")
    }
}

impl<'a> Lowering<'a> {
    /// A filter in the order of the index space.
    pub(crate) fn start_filter(&mut self, data: &WithLoopData, results: &[Value]) -> Filtering {
        let mut filtering =
            self.new_filter(data, results, !self.facts.escapes(results[1..].first().copied().unwrap_or(results[0])));
        self.start_filtering(&mut filtering, Expr::i64(0));
        filtering
    }

    /// A filter in chunks.
    pub(crate) fn start_chunked_filter(&mut self, data: &WithLoopData, results: &[Value]) -> Filtering {
        let mut filtering = self.new_filter(data, results, true);
        filtering.counts = Some(self.allocate(Scalar::I64, vec![Expr::i64(MOST_CHUNKS)], true));
        filtering
    }

    fn new_filter(&mut self, data: &WithLoopData, results: &[Value], stays: bool) -> Filtering {
        let mut buffers = Vec::new();
        for &result in &results[1..] {
            let ty = self.func.ty(result);
            buffers.push((ty.elem != Scalar::Cert).then(|| {
                self.name_after(result);
                let shape = data.space[..1].iter().chain(&ty.shape[1..]);
                let extents: Vec<Expr> = shape.map(|&extent| self.extent(extent)).collect();
                let array = self.allocate(ty.elem, extents.clone(), stays && !self.facts.escapes(result));
                Access::whole(array, extents)
            }));
        }
        Filtering { buffers, position: None, counts: None }
    }

    fn start_filtering(&mut self, filtering: &mut Filtering, from: Expr) {
        let position = self.proc.index();
        self.emit(Stmt::Assign { var: position, value: from });
        filtering.position = Some(position);
    }

    /// Writes the cells of one index behind the cells kept so far.
    pub(crate) fn feed_filter(&mut self, filtering: &Filtering, guard: &Expr, cells: Vec<Lowered>) {
        let position = filtering.position();
        let index = [Expr::Var(position)];
        for (buffer, cell) in filtering.buffers.iter().zip(cells) {
            match (buffer, &cell) {
                (None, _) => {}
                // The buffer always has room for one more cell, so a scalar is stored without a
                // branch.
                (Some(buffer), Lowered::Scalar(_)) => self.write(buffer, &index, cell),
                (Some(buffer), Lowered::Array(row)) if buffer.part(&index) == *row => {}
                (Some(buffer), Lowered::Array(_)) => {
                    self.emit_if(guard.clone(), |lowering| lowering.write(buffer, &index, cell));
                }
            }
        }
    }

    /// Keeps the cells of one index if the guard holds.
    pub(crate) fn advance_filter(&mut self, filtering: &Filtering, guard: Expr) {
        let position = filtering.position();
        let kept = Expr::unary(UnOp::Convert(Scalar::I64), guard);
        self.emit(Stmt::Assign { var: position, value: Expr::Var(position) + kept });
    }

    /// The results of a filter in order.
    pub(crate) fn end_filter(&mut self, filtering: Filtering, results: &[Value]) {
        self.bind(results[0], Lowered::Scalar(Expr::Var(filtering.position())));
        for (buffer, &result) in filtering.buffers.into_iter().zip(&results[1..]) {
            match buffer.and_then(|buffer| buffer.memory()) {
                Some(buffer) => {
                    self.name_after(result);
                    let extents = self.extents_of(result);
                    let array = self.refer(buffer, Expr::i64(0), extents.clone());
                    self.bind(result, Lowered::Array(Access::whole(array, extents)));
                }
                None => self.bind_certificates(result),
            }
        }
    }

    /// One chunk keeps its cells from its first index on.
    pub(crate) fn start_filter_chunk(&mut self, filtering: &mut Filtering, chunk: &Chunk) {
        self.start_filtering(filtering, chunk.lower.clone());
    }

    /// Keeps the number of cells that one chunk kept.
    pub(crate) fn end_filter_chunk(&mut self, filtering: &mut Filtering, chunk: &Chunk) {
        let array = filtering.counts.expect("a filter in chunks counts what each keeps");
        let value = Expr::Var(filtering.position()) - chunk.lower.clone();
        self.emit(Stmt::Store { array, index: vec![chunk.number.clone()], value });
    }

    /// The second pass of a filter in chunks.
    pub(crate) fn combine_filter(
        &mut self,
        filtering: Filtering,
        results: &[Value],
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        let counts = filtering.counts.expect("a filter in chunks counts what each keeps");
        let starts = self.allocate(Scalar::I64, vec![Expr::i64(MOST_CHUNKS)], true);
        let total = self.var_for(results[0]);
        self.emit(Stmt::Assign { var: total, value: Expr::i64(0) });
        self.counted_loop(LoopHeader::sequential(chunks.count.clone()), |lowering, number| {
            let index = vec![number];
            lowering.emit(Stmt::Store { array: starts, index: index.clone(), value: Expr::Var(total) });
            let sum = Expr::Var(total) + Expr::Load { array: counts, index };
            lowering.emit(Stmt::Assign { var: total, value: sum });
        });
        self.bind(results[0], Lowered::Scalar(Expr::Var(total)));
        let mut copies = Vec::new();
        for (buffer, &result) in filtering.buffers.into_iter().zip(&results[1..]) {
            match buffer.and_then(|buffer| buffer.memory()) {
                Some(buffer) => {
                    let place = self.place_for(result);
                    copies.push((buffer, place.clone()));
                    self.bind(result, Lowered::Array(place));
                }
                None => self.bind_certificates(result),
            }
        }
        if copies.is_empty() {
            return;
        }
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| {
            let chunk = lowering.chunk(chunks, number.clone());
            let load = |array| Expr::Load { array, index: vec![number.clone()] };
            let (start, count) = (lowering.keep_i64(load(starts)), lowering.keep_i64(load(counts)));
            for (buffer, place) in copies {
                let row = lowering.keep_i64(element_count(&place.extents[1..]));
                let (target, first) = place.contiguous(&lowering.proc).expect("the place of a filter is whole");
                lowering.emit(Stmt::CopyElements {
                    target,
                    target_offset: first + start.clone() * row.clone(),
                    source: buffer,
                    source_offset: chunk.lower.clone() * row.clone(),
                    count: count.clone() * row,
                    streaming: false,
                });
            }
        });
    }
}
