//! Scans: a fold that stores every intermediate result.
//!
//! In chunks, each thread scans its part; then what comes before a chunk is combined with each of its elements. That is done part
//! by part of the index space, such that what a thread has scanned is still in its cache when it is combined.

use crate::access::Access;
use crate::fold::Folding;
use crate::lowering::{LoopHeader, Lowered, Lowering};
use crate::with_loop::{Chunks, MOST_CHUNKS};
use frit_ir::array::{Lambda, Operand, Value};
use frit_ir::nest::{Array, Expr, Parallel, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};

/// A scan being lowered.
#[derive(Clone)]
pub(crate) struct Scanning<'a> {
    /// The fold whose intermediate results are stored.
    pub(crate) folding: Folding<'a>,
    /// Where, if they have bits.
    places: Vec<Option<Access>>,
    /// In chunks: what comes before the next part of the index space, and before each chunk of a part.
    before: Vec<(Var, Array)>,
}

impl<'a> Lowering<'a> {
    /// A scan in the order of the index space.
    pub(crate) fn start_scan(&mut self, combine: &'a Lambda, neutral: &[Operand], results: &[Value]) -> Scanning<'a> {
        let places = self.scan_places(results);
        Scanning { folding: self.start_fold(combine, neutral, &[]), places, before: Vec::new() }
    }

    /// A scan in chunks, of one or several parts of the index space one after the other.
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
        Scanning { folding, places, before }
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

    /// The results of a scan in order.
    pub(crate) fn end_scan(&mut self, scanning: Scanning<'a>, results: &[Value]) {
        for (place, &result) in scanning.places.into_iter().zip(results) {
            match place {
                Some(place) => self.bind(result, Lowered::Array(place)),
                None => self.bind_certificates(result),
            }
        }
    }

    /// The second pass of a scan in chunks, of a part of the index space.
    pub(crate) fn combine_scan(&mut self, scanning: &mut Scanning<'a>, chunks: &Chunks, parallel: &Parallel) {
        let before = scanning.before.clone();
        self.combine_partials(&mut scanning.folding, &[], chunks, |lowering, number, accumulated| {
            for (&(_, array), value) in before.iter().zip(accumulated) {
                lowering.emit(Stmt::Store { array, index: vec![number.clone()], value: scalar(value) });
            }
        });
        for (&(var, _), value) in before.iter().zip(self.accumulated(&scanning.folding)) {
            self.emit(Stmt::Assign { var, value: scalar(value) });
        }
        // From the first on, though nothing comes before it: so each thread has the chunk that it has in its cache.
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| {
            let is_later = Expr::binary(BinOp::Lt, Expr::i64(0), number.clone());
            lowering.emit_if(is_later, |lowering| {
                let chunk = lowering.chunk(chunks, number.clone());
                let load = |lowering: &mut Self, array: Array| {
                    let elem = lowering.proc.arrays[array].elem;
                    Lowered::Scalar(lowering.keep(elem, Expr::Load { array, index: vec![number.clone()] }))
                };
                let carried: Vec<Lowered> = before.iter().map(|&(_, array)| load(lowering, array)).collect();
                let header = LoopHeader { lower: chunk.lower, ..LoopHeader::independent(chunk.upper, None) };
                lowering.counted_loop(header, |lowering, i| lowering.combine_with_before(scanning, carried, i));
            });
        });
    }

    /// Combines what comes before a chunk with one of its elements.
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

fn scalar(value: Lowered) -> Expr {
    match value {
        Lowered::Scalar(value) => value,
        Lowered::Array(_) => panic!("scans in chunks are over scalars"),
    }
}
