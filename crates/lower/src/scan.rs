//! Scans: a fold that stores every intermediate result.
//!
//! In chunks, each thread scans its part; then what comes before a chunk is combined with each of its elements.

use crate::access::Access;
use crate::fold::Folding;
use crate::lowering::{LoopHeader, Lowered, Lowering};
use crate::with_loop::{Chunks, MOST_CHUNKS};
use frit_ir::array::{Lambda, Operand, Value};
use frit_ir::nest::{Array, Expr, Parallel, Stmt};
use frit_ir::scalar::Scalar;

/// A scan being lowered.
pub(crate) struct Scanning<'a> {
    /// The fold whose intermediate results are stored.
    pub(crate) folding: Folding<'a>,
    /// Where, if they have bits.
    places: Vec<Option<Access>>,
}

impl<'a> Lowering<'a> {
    /// A scan in the order of the index space.
    pub(crate) fn start_scan(&mut self, combine: &'a Lambda, neutral: &[Operand], results: &[Value]) -> Scanning<'a> {
        let places = self.scan_places(results);
        Scanning { folding: self.start_fold(combine, neutral, &[]), places }
    }

    /// A scan in chunks.
    pub(crate) fn start_chunked_scan(
        &mut self,
        combine: &'a Lambda,
        neutral: &[Operand],
        results: &[Value],
        chunks: &Chunks,
    ) -> Scanning<'a> {
        let places = self.scan_places(results);
        Scanning { folding: self.start_chunked_fold(combine, neutral, chunks), places }
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

    /// The second pass of a scan in chunks.
    pub(crate) fn combine_scan(
        &mut self,
        mut scanning: Scanning<'a>,
        results: &[Value],
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        let before: Vec<Array> = results
            .iter()
            .map(|&result| self.allocate(self.func.ty(result).elem, vec![Expr::i64(MOST_CHUNKS)], true))
            .collect();
        self.combine_partials(&mut scanning.folding, &[], chunks, |lowering, number, accumulated| {
            for (&array, value) in before.iter().zip(accumulated) {
                let Lowered::Scalar(value) = value else { panic!("scans in chunks are over scalars") };
                lowering.emit(Stmt::Store { array, index: vec![number.clone()], value });
            }
        });
        let header =
            LoopHeader { lower: Expr::i64(1), ..LoopHeader::independent(chunks.count.clone(), Some(parallel.clone())) };
        self.counted_loop(header, |lowering, number| {
            let chunk = lowering.chunk(chunks, number.clone());
            let carried: Vec<Lowered> = before
                .iter()
                .map(|&array| {
                    let elem = lowering.proc.arrays[array].elem;
                    Lowered::Scalar(lowering.keep(elem, Expr::Load { array, index: vec![number.clone()] }))
                })
                .collect();
            let header = LoopHeader { lower: chunk.lower, ..LoopHeader::independent(chunk.upper, None) };
            lowering.counted_loop(header, |lowering, i| {
                let index = [i];
                let mut operands = carried.clone();
                for (place, &result) in scanning.places.iter().zip(results) {
                    operands.push(Lowered::Scalar(match place {
                        Some(place) => place.element(&index),
                        None => Expr::Const(lowering.func.ty(result).elem.zero()),
                    }));
                }
                let combined = lowering.combined(&scanning.folding, operands);
                // All are computed before the first is stored.
                let combined: Vec<Lowered> = combined
                    .into_iter()
                    .zip(results)
                    .map(|(value, &result)| match value {
                        Lowered::Scalar(value) => Lowered::Scalar(lowering.keep(lowering.func.ty(result).elem, value)),
                        Lowered::Array(_) => panic!("scans in chunks are over scalars"),
                    })
                    .collect();
                for (place, value) in scanning.places.iter().zip(combined) {
                    if let Some(place) = place {
                        lowering.write(place, &index, value);
                    }
                }
            });
        });
        self.end_scan(scanning, results);
    }
}
