//! Scans: folds that store every intermediate result.
//!
//! In chunks there are two passes over each part of the index space. Parts are small enough that
//! the second pass finds in the cache what the first pass read.
//!
//! - Cheap cells are computed twice. The first pass folds each chunk but the last. The second pass scans it from
//!   the value before it, and uses non-temporal stores where nothing reads the results. The first
//!   pass over the next part runs together with the second pass over this part, see
//!   [`Lowering::fold_then_scan`].
//! - Costly cells are computed once. The first pass scans each chunk. The second pass combines each
//!   element with the value before the chunk.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", describes both orders (reduce then scan,
//! scan then add). Chunks are made by [`crate::lowering::with_loop`], folds by
//! [`crate::lowering::fold`].

use crate::lowering::access::Access;
use crate::lowering::fold::Folding;
use crate::lowering::with_loop::{Chunk, Chunks, MOST_CHUNKS, Sink};
use crate::lowering::{LoopHeader, Lowered, Lowering, max, min};
use frit_ir::array::{Block, Lambda, Op, Operand, Value, WithLoopData};
use frit_ir::nest::{Array, Expr, Parallel, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use frit_schedule::estimate;
use std::collections::BTreeSet;

/// Cells that cost more are not computed twice.
const LARGEST_REPEATED: i64 = 8;
/// The bytes of a thread's own cache for each element of a part. The elements that a thread scans
/// take half of the cache. The elements that it folds for the next part take the other half.
const BYTES: i64 = 16;
/// A chunk that is folded first has so many of the shares of a part, the last one, which is only scanned, the other number.
const SHARES_FOLDED: i64 = 2;
const SHARES_OF_LAST: i64 = 3;

/// A scan being lowered.
#[derive(Clone)]
pub(crate) struct Scanning<'a> {
    /// The fold whose intermediate results are stored.
    pub(crate) folding: Folding<'a>,
    /// The arrays for the results that have bits.
    places: Vec<Option<Access>>,
    /// In chunks: the value before the next part of the index space, and before each chunk of a
    /// part.
    before: Vec<(Var, Array)>,
    /// True if chunks start from the value before them.
    resumes: bool,
}

impl<'a> Lowering<'a> {
    /// A scan in the order of the index space.
    pub(crate) fn start_scan(&mut self, combine: &'a Lambda, neutral: &[Operand], results: &[Value]) -> Scanning<'a> {
        let places = self.scan_places(results);
        Scanning { folding: self.start_fold(combine, neutral, &[]), places, before: Vec::new(), resumes: false }
    }

    /// A scan in chunks, over one part of the index space or several parts in turn.
    pub(crate) fn start_chunked_scan(
        &mut self,
        combine: &'a Lambda,
        neutral: &[Operand],
        results: &[Value],
    ) -> Scanning<'a> {
        let places = self.scan_places(results);
        let mut folding = self.start_chunked_fold(combine, neutral);
        let mut before = Vec::new();
        for (neutral, &result) in folding.neutral.iter_mut().zip(results) {
            let Lowered::Scalar(value) = neutral else { panic!("scans in chunks are over scalars") };
            let elem = self.func.ty(result).elem;
            let carried = self.proc.var(elem, None);
            self.emit(Stmt::Assign { var: carried, value: value.clone() });
            *value = Expr::Var(carried);
            before.push((carried, self.allocate(elem, vec![Expr::i64(MOST_CHUNKS)], true)));
        }
        Scanning { folding, places, before, resumes: false }
    }

    fn scan_places(&mut self, results: &[Value]) -> Vec<Option<Access>> {
        let place = |&result: &Value| (self.func.ty(result).elem != Scalar::Cert).then(|| self.place_for(result));
        results.iter().map(place).collect()
    }

    /// Combines the cells of one index and stores the accumulators.
    pub(crate) fn feed_scan(&mut self, scanning: &mut Scanning<'a>, index: &[Expr], cells: Vec<Lowered>) {
        self.feed_fold(&mut scanning.folding, None, cells);
        let accumulated = self.accumulated(&scanning.folding);
        for (place, value) in scanning.places.iter().zip(accumulated) {
            if let Some(place) = place {
                self.write(place, index, value);
            }
        }
    }

    /// True if cells are cheap enough to compute twice: a few scalar operations on elements whose
    /// places are known without a read.
    fn may_repeat_cells(&self, data: &'a WithLoopData) -> bool {
        data.generators.iter().all(|generator| {
            let is_cheap =
                estimate::constant(self.func, &self.sums, &generator.body).is_some_and(|cost| cost <= LARGEST_REPEATED);
            is_cheap && self.reads_at_known_places(&generator.body)
        })
    }

    fn reads_at_known_places(&self, body: &Block) -> bool {
        let mut read = BTreeSet::new();
        body.stmts.iter().all(|stmt| {
            let mut depends = false;
            stmt.op.for_each_operand(self.func, &mut |operand: Operand| {
                depends |= operand.value().is_some_and(|value| read.contains(&value));
            });
            let (is_known, is_read) = match &stmt.op {
                Op::Index { .. } => (!depends, true),
                Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Assert { .. } | Op::Conjoin { .. } => {
                    (true, depends)
                }
                _ => (false, false),
            };
            if is_read {
                read.extend(stmt.results.iter().copied());
            }
            is_known
        })
    }

    /// Runs a with-loop whose operators store and scan. It goes part by part over the index space,
    /// in chunks of each part. The arguments give the numbers of scans and of chunks.
    pub(crate) fn scan_in_parts(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        scans: i64,
        extent: Expr,
        count: Expr,
        parallel: &Parallel,
    ) {
        let repeats = self.may_repeat_cells(data);
        let at_once = Expr::i64((self.options.caches.own / BYTES / scans).max(1));
        let length = self.keep_i64(Expr::select(
            Expr::binary(BinOp::EQ, count.clone(), Expr::i64(1)),
            max(extent.clone(), Expr::i64(1)),
            count.clone() * at_once,
        ));
        let parts = extent.clone() + length.clone() - Expr::i64(1);
        let parts = self.keep_i64(Expr::binary(BinOp::DIV, parts, length.clone()));
        let unequal = (count.clone() - Expr::i64(1)) * Expr::i64(SHARES_FOLDED) + Expr::i64(SHARES_OF_LAST);
        // A single part is divided as other loops are, which left the elements in the caches of threads.
        let is_single = Expr::binary(BinOp::EQ, parts.clone(), Expr::i64(1));
        let equal = count.clone() * Expr::i64(SHARES_FOLDED);
        let shares = self.keep_i64(Expr::select(is_single, equal, unequal));
        let chunks = |lowering: &mut Self, part: Expr| {
            let first = lowering.keep_i64(part * length.clone());
            let rest = max(min(length.clone(), extent.clone() - first.clone()), Expr::i64(0));
            let rest = lowering.keep_i64(rest);
            match repeats {
                true => lowering.chunks_of_shares(first, rest, (shares.clone(), SHARES_FOLDED), count.clone()),
                false => lowering.chunks(first, rest, count.clone()),
            }
        };
        if repeats {
            return self.fold_then_scan(data, sinks, parts, &chunks, parallel);
        }
        self.counted_loop(LoopHeader::sequential(parts), |lowering, part| {
            let chunks = chunks(lowering, part);
            lowering.run_chunks(data, sinks, &chunks, parallel);
            scans_of(sinks).for_each(|scanning| lowering.combine_scan(scanning, &chunks, parallel));
        });
    }

    /// Both passes over the parts of the index space; each computes the cells. A thread folds its
    /// chunk of the next part before or after it scans its chunk of this part. Neighbouring threads
    /// use opposite orders, so that some read memory while others write it.
    ///
    /// The last chunk of a part is not folded, as the scan of it ends with the value before the next
    /// part. It is longer, so that its thread has as much to do as the others.
    ///
    /// The results of folds are kept from the second place on; the first place has the value before the
    /// part.
    fn fold_then_scan(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        parts: Expr,
        chunks: &dyn Fn(&mut Self, Expr) -> Chunks,
        parallel: &Parallel,
    ) {
        let folded = |sink: &Sink<'a>| match sink {
            Sink::Scanning(scanning) => Sink::Folding(scanning.folding.clone()),
            _ => Sink::Nothing,
        };
        let mut folds: Vec<Sink<'a>> = sinks.iter().map(folded).collect();
        for sink in &mut *sinks {
            if let Sink::Scanning(scanning) = sink {
                scanning.resumes = true;
            }
        }
        let first = chunks(self, Expr::i64(0));
        for scanning in scans_of(sinks) {
            let values: Vec<Expr> = scanning.before.iter().map(|&(var, _)| Expr::Var(var)).collect();
            self.keep_partial(&scanning.folding, &Expr::i64(0), values);
            for (&(_, array), &(var, _)) in scanning.before.iter().zip(&scanning.before) {
                self.emit(Stmt::Store { array, index: vec![Expr::i64(0)], value: Expr::Var(var) });
            }
        }
        let is_folded = |number: Expr| Expr::binary(BinOp::LT, number + Expr::i64(1), first.count.clone());
        let has_several = is_folded(Expr::i64(0));
        self.emit_if(has_several.clone(), |lowering| {
            let last = first.count.clone() - Expr::i64(1);
            let header = LoopHeader::independent(last, Some(parallel.clone()));
            lowering.counted_loop(header, |lowering, number| lowering.fold_chunk(data, &mut folds, &first, number));
            scans_of(sinks).for_each(|scanning| lowering.combine_folds(scanning, &first));
        });
        self.counted_loop(LoopHeader::sequential(parts), |lowering, part| {
            let here = chunks(lowering, part.clone());
            let next = chunks(lowering, part + Expr::i64(1));
            let header = LoopHeader::independent(here.count.clone(), Some(parallel.clone()));
            lowering.counted_loop(header, |lowering, number| {
                let parity = lowering.keep_i64(Expr::binary(BinOp::REM, number.clone(), Expr::i64(2)));
                let mut fold_next = |lowering: &mut Self, parity_of_turn: i64| {
                    let is_turn = Expr::binary(BinOp::EQ, parity.clone(), Expr::i64(parity_of_turn));
                    let is_turn = Expr::binary(BinOp::AND, is_folded(number.clone()), is_turn);
                    lowering.emit_if(is_turn, |lowering| lowering.fold_chunk(data, &mut folds, &next, number.clone()));
                };
                fold_next(lowering, 1);
                lowering.run_chunk(data, sinks, &here, number.clone());
                let is_last = Expr::unary(UnOp::Not, is_folded(number.clone()));
                lowering.emit_if(is_last, |lowering| {
                    for scanning in scans_of(sinks) {
                        let values = lowering.accumulated(&scanning.folding).into_iter().map(scalar).collect();
                        lowering.keep_partial(&scanning.folding, &Expr::i64(0), values);
                    }
                });
                fold_next(lowering, 0);
            });
            lowering.emit_if(has_several.clone(), |lowering| {
                scans_of(sinks).for_each(|scanning| lowering.combine_folds(scanning, &next));
            });
        });
    }

    /// Folds a chunk that is not the last of its part.
    fn fold_chunk(&mut self, data: &'a WithLoopData, folds: &mut Vec<Sink<'a>>, chunks: &Chunks, number: Expr) {
        let Chunk { number, lower, upper } = self.chunk(chunks, number);
        let chunk = Chunk { number: number + Expr::i64(1), lower, upper };
        self.run_over(data, folds, &chunk);
    }

    /// Combines the value before a part with the results of folds: the value before each chunk.
    fn combine_folds(&mut self, scanning: &Scanning<'a>, chunks: &Chunks) {
        let mut folding = scanning.folding.clone();
        let store = |lowering: &mut Self, at: Expr, accumulated: Vec<Lowered>| {
            for (&(_, array), value) in scanning.before.iter().zip(accumulated) {
                lowering.emit(Stmt::Store { array, index: vec![at.clone()], value: scalar(value) });
            }
        };
        self.combine_partials(&mut folding, &[], chunks, |lowering, number, accumulated| {
            store(lowering, number.clone() - Expr::i64(1), accumulated);
        });
        let last = self.accumulated(&folding);
        store(self, chunks.count.clone() - Expr::i64(1), last);
    }

    pub(crate) fn start_scan_chunk(&mut self, scanning: &mut Scanning<'a>, chunk: &Chunk) {
        if !scanning.resumes {
            return self.start_fold_chunk(&mut scanning.folding, chunk);
        }
        let init = self.before_chunk(scanning, &chunk.number);
        self.start_accumulators(&mut scanning.folding, init, &[]);
    }

    pub(crate) fn end_scan_chunk(&mut self, scanning: &mut Scanning<'a>, chunk: &Chunk) {
        if !scanning.resumes {
            self.end_fold_chunk(&mut scanning.folding, chunk);
        }
    }

    fn before_chunk(&mut self, scanning: &Scanning<'a>, number: &Expr) -> Vec<Lowered> {
        let load = |&(_, array): &(Var, Array)| {
            let elem = self.proc.arrays[array].elem;
            Lowered::Scalar(self.keep(elem, Expr::Load { array, index: vec![number.clone()] }))
        };
        scanning.before.iter().map(load).collect()
    }

    /// Combines the results of the chunks in order: the value before each chunk but the first, and
    /// before the next part.
    fn combine_before(&mut self, scanning: &Scanning<'a>, chunks: &Chunks) {
        let mut folding = scanning.folding.clone();
        self.combine_partials(&mut folding, &[], chunks, |lowering, number, accumulated| {
            for (&(_, array), value) in scanning.before.iter().zip(accumulated) {
                lowering.emit(Stmt::Store { array, index: vec![number.clone()], value: scalar(value) });
            }
        });
        for (&(var, _), value) in scanning.before.iter().zip(self.accumulated(&folding)) {
            self.emit(Stmt::Assign { var, value: scalar(value) });
        }
    }

    /// The results of a scan in order.
    pub(crate) fn end_scan(&mut self, scanning: Scanning<'a>, results: &[Value]) {
        for (place, &result) in scanning.places.into_iter().zip(results) {
            match place {
                Some(place) => self.bind(result, Lowered::Array(place)),
                None => self.bind_certificates(result),
            }
        }
    }

    /// The second pass of a scan in chunks, over one part of the index space.
    pub(crate) fn combine_scan(&mut self, scanning: &Scanning<'a>, chunks: &Chunks, parallel: &Parallel) {
        self.combine_before(scanning, chunks);
        // The loop includes the first chunk, which nothing comes before. So each thread gets the
        // chunk that is in its cache.
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| {
            let is_later = Expr::binary(BinOp::LT, Expr::i64(0), number.clone());
            lowering.emit_if(is_later, |lowering| {
                let chunk = lowering.chunk(chunks, number.clone());
                let carried = lowering.before_chunk(scanning, &number);
                let header = LoopHeader { lower: chunk.lower, ..LoopHeader::independent(chunk.upper, None) };
                lowering.counted_loop(header, |lowering, i| lowering.combine_with_before(scanning, carried, i));
            });
        });
    }

    /// Combines the value before a chunk with one of the chunk's elements.
    fn combine_with_before(&mut self, scanning: &Scanning<'a>, carried: Vec<Lowered>, i: Expr) {
        let index = [i];
        let elems: Vec<Scalar> = scanning.before.iter().map(|&(var, _)| self.proc.vars[var].scalar).collect();
        let mut operands = carried;
        for (place, elem) in scanning.places.iter().zip(&elems) {
            let value = place.as_ref().map_or(Expr::Const(elem.zero()), |place| place.element(&index));
            operands.push(Lowered::Scalar(value));
        }
        // All are computed before the first is stored.
        let combined = self.combined(&scanning.folding, operands);
        let combined: Vec<Expr> =
            combined.into_iter().zip(elems).map(|(value, elem)| self.keep(elem, scalar(value))).collect();
        for (place, value) in scanning.places.iter().zip(combined) {
            if let Some(place) = place {
                self.write(place, &index, Lowered::Scalar(value));
            }
        }
    }
}

fn scans_of<'s, 'a>(sinks: &'s [Sink<'a>]) -> impl Iterator<Item = &'s Scanning<'a>> {
    sinks.iter().filter_map(|sink| if let Sink::Scanning(scanning) = sink { Some(scanning) } else { None })
}

fn scalar(value: Lowered) -> Expr {
    match value {
        Lowered::Scalar(value) => value,
        Lowered::Array(_) => panic!("scans in chunks are over scalars"),
    }
}
