//! With-loops: index spaces become loop nests, with the last axis innermost. Operators become what
//! a nest does with the cells of each index.
//!
//! Its schedule says how a with-loop runs:
//!
//! - in the order of its axes, one of which may run on threads if all operators only store;
//! - with folds, scans and filters, the outermost axis may be cut into chunks for threads. The
//!   results of the chunks are combined in order. Scans may go part by part.
//!
//! The operators are in [`crate::lowering::fold`], [`crate::lowering::scan`],
//! [`crate::lowering::filter`] and [`crate::lowering::grown`]. How generators become nests is in
//! [`crate::lowering::generators`].

use crate::CopyReason;
use crate::lowering::access::{Access, at_least_zero};
use crate::lowering::filter::Filtering;
use crate::lowering::fold::Folding;
use crate::lowering::generators::{Order, Walk};
use crate::lowering::grown::{Growing, Uniformity};
use crate::lowering::scan::Scanning;
use crate::lowering::{LoopHeader, Lowered, Lowering, min};
use frit_ir::array::replaced::reads_only_what_may_be_replaced;
use frit_ir::array::schedule::{Axis, Nest, Run};
use frit_ir::array::{Extent, Generator, Operand, Operator, OperatorData, Stmt, Value, WithLoop, WithLoopData};
use frit_ir::nest::{Expr, Parallel, Reduction};
use frit_ir::scalar::{BinOp, Scalar};
use frit_schedule::estimate::{self, Count, Work};

/// The most chunks. Their results fit on the stack.
pub(crate) const MOST_CHUNKS: i64 = 256;

/// The number of chunks of a loop: this many for each thread, if threads save this many of its
/// scalar operations.
pub(crate) fn chunk_count(work: Expr, threshold: i64, each: i64) -> Expr {
    let saved = work.clone() - Expr::binary(BinOp::DIV, work, Expr::Threads);
    Expr::select(
        Expr::binary(BinOp::LE, Expr::i64(threshold), saved),
        Expr::binary(BinOp::MIN, Expr::Threads * Expr::i64(each), Expr::i64(MOST_CHUNKS)),
        Expr::i64(1),
    )
}

/// What an operator does with its cells.
#[derive(Clone)]
pub(crate) enum Sink<'a> {
    /// Certificates: nothing.
    Nothing,
    /// Stores them.
    Elements(Access),
    /// Stores them in an array whose row size the first cell tells.
    Growing(Growing),
    /// Combines them.
    Folding(Folding<'a>),
    /// Combines them and stores each intermediate result.
    Scanning(Scanning<'a>),
    /// Stores the cells that the guard keeps.
    Filtering(Filtering),
    /// Checks that they are equal.
    Uniform(Uniformity),
}

/// The chunk of the outermost axis that a thread runs.
#[derive(Clone)]
pub(crate) struct Chunk {
    /// Number of the chunk.
    pub(crate) number: Expr,
    /// First index.
    pub(crate) lower: Expr,
    /// The end, exclusive.
    pub(crate) upper: Expr,
}

/// How the outermost axis is cut.
#[derive(Clone)]
pub(crate) struct Chunks {
    /// The number of chunks.
    pub(crate) count: Expr,
    /// The beginning of the first chunk.
    first: Expr,
    /// The indices are in so many shares of nearly equal length. A chunk has `shares_each` of them, the last one all that are left.
    shares: Expr,
    shares_each: i64,
    per_share: Expr,
    extra: Expr,
}

impl<'a> Lowering<'a> {
    /// A with-loop, as its schedule says.
    pub(crate) fn with_loop(&mut self, stmt: &'a Stmt, with_loop: WithLoop) {
        let data = &self.func.with_loops[with_loop];
        let in_order = Nest::in_order(data);
        let nest = self.schedule.nest(self.id, with_loop).unwrap_or(&in_order).clone();
        match nest.axes.first() {
            Some(&Axis { run: Run::Chunks { each }, accumulators, .. }) => {
                self.chunked_with_loop(stmt, data, each, accumulators);
            }
            Some(&Axis { run: Run::Blocks, .. }) => self.with_loop_in_parts(stmt, data),
            Some(_) | None => self.plain_with_loop(stmt, data, &nest),
        }
    }

    fn plain_with_loop(&mut self, stmt: &'a Stmt, data: &'a WithLoopData, nest: &Nest) {
        let mut sinks = self.start_sinks(stmt, data);
        let threads = nest.axes.iter().position(|axis| axis.run == Run::Threads);
        let walk = Walk { order: order_of(&sinks), axes: nest.order(), threads };
        self.run(data, &mut sinks, &walk, None);
        self.finish_sinks(stmt, data, sinks);
    }

    /// In chunks, so many for each thread, or in a single one if there is little work.
    fn chunked_with_loop(&mut self, stmt: &'a Stmt, data: &'a WithLoopData, each: i64, accumulators: i64) {
        let (parallel, extent) = self.parallel_of(data);
        let mut sinks = self.start_shared_sinks(stmt, data);
        let mut count = chunk_count(parallel.work.clone(), self.options.chunk_threshold, each);
        if accumulators > 1 {
            count = min(count, Expr::i64(MOST_CHUNKS / accumulators));
        }
        let count = self.keep_i64(count);
        let mut chunks = self.chunks(Expr::i64(0), extent, count);
        if accumulators > 1 {
            self.run_pieces(data, accumulators, &sinks, &chunks, &parallel);
            chunks.count = chunks.count * Expr::i64(accumulators);
        } else {
            self.run_chunks(data, &mut sinks, &chunks, &parallel);
        }
        self.combine_chunks(stmt, data, sinks, &chunks, &parallel);
    }

    /// Scans, part by part over the index space.
    fn with_loop_in_parts(&mut self, stmt: &'a Stmt, data: &'a WithLoopData) {
        let (parallel, extent) = self.parallel_of(data);
        let mut sinks = self.start_shared_sinks(stmt, data);
        let count = self.keep_i64(chunk_count(parallel.work.clone(), self.options.chunk_threshold, 1));
        let scans = sinks.iter().filter(|sink| matches!(sink, Sink::Scanning(_))).count();
        let scans = i64::try_from(scans).expect("operators are few");
        self.scan_in_parts(data, &mut sinks, scans, extent, count, &parallel);
        self.finish_sinks(stmt, data, sinks);
    }

    /// The work of a whole with-loop, and the extent of its outermost axis.
    fn parallel_of(&mut self, data: &WithLoopData) -> (Parallel, Expr) {
        let Work { operations, irregular } = estimate::with_loop(self.func, &self.sums, data);
        let work = self.count(&operations);
        let work = self.keep_i64(work);
        let extent = self.keep_i64(at_least_zero(self.extent(data.space[0])));
        (Parallel { work, irregular }, extent)
    }

    /// The expression of a count.
    pub(crate) fn count(&mut self, count: &Count) -> Expr {
        match count {
            Count::Const(count) => Expr::i64(*count),
            Count::Of(value) => {
                let value = self.scalar((*value).into());
                self.keep_i64(value)
            }
            Count::Sum(x, y) => self.count(x) + self.count(y),
            Count::Difference(x, y) => self.count(x) - self.count(y),
            Count::Product(x, y) => self.count(x) * self.count(y),
            Count::AtLeastZero(x) => Expr::binary(BinOp::MAX, self.count(x), Expr::i64(0)),
            Count::Share(x, of) => Expr::binary(BinOp::DIV, self.count(x), Expr::i64(*of)),
        }
    }

    pub(crate) fn run_chunks(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| lowering.run_chunk(data, sinks, chunks, number));
    }

    /// One of them.
    pub(crate) fn run_chunk(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        chunks: &Chunks,
        number: Expr,
    ) {
        let chunk = self.chunk(chunks, number);
        self.run_over(data, sinks, &chunk);
    }

    /// The indices of a chunk.
    pub(crate) fn run_over(&mut self, data: &'a WithLoopData, sinks: &mut Vec<Sink<'a>>, chunk: &Chunk) {
        self.start_chunk(sinks, chunk);
        let walk = Walk { order: order_of(sinks), ..Walk::in_order(data) };
        self.run(data, sinks, &walk, Some(chunk));
        self.end_chunk(sinks, chunk);
    }

    /// Cuts a part of an axis into this many chunks.
    pub(crate) fn chunks(&mut self, first: Expr, extent: Expr, count: Expr) -> Chunks {
        self.chunks_of_shares(first, extent, (count.clone(), 1), count)
    }

    /// Cuts a part of an axis into this many chunks. All but the last have so many of the shares.
    pub(crate) fn chunks_of_shares(
        &mut self,
        first: Expr,
        extent: Expr,
        (shares, shares_each): (Expr, i64),
        count: Expr,
    ) -> Chunks {
        let per_share = self.keep_i64(Expr::binary(BinOp::DIV, extent.clone(), shares.clone()));
        let extra = self.keep_i64(Expr::binary(BinOp::REM, extent, shares.clone()));
        Chunks { count, first, shares, shares_each, per_share, extra }
    }

    /// The bounds of one chunk. The first shares get the remainder.
    pub(crate) fn chunk(&mut self, chunks: &Chunks, number: Expr) -> Chunk {
        let start = |share: Expr| {
            chunks.first.clone() + share.clone() * chunks.per_share.clone() + min(share, chunks.extra.clone())
        };
        let each = Expr::i64(chunks.shares_each);
        let next = number.clone() + Expr::i64(1);
        let end = if chunks.shares == chunks.count {
            next
        } else {
            let is_last = Expr::binary(BinOp::EQ, next.clone(), chunks.count.clone());
            self.keep_i64(Expr::select(is_last, chunks.shares.clone(), next * each.clone()))
        };
        let lower = self.keep_i64(start(number.clone() * each));
        let upper = self.keep_i64(start(end));
        Chunk { number, lower, upper }
    }

    /// The sinks where one thread runs the whole index space, or where operators only store.
    fn start_sinks(&mut self, stmt: &'a Stmt, data: &'a WithLoopData) -> Vec<Sink<'a>> {
        let uniform = self.start_uniformity(stmt, data);
        let mut sinks = Vec::new();
        for (operator, results) in data.by_operator(&stmt.results) {
            sinks.push(match &operator.op {
                Operator::GenArray | Operator::ModArray { .. } => {
                    self.start_elements(stmt, data, operator, results[0], uniform.as_ref())
                }
                Operator::Fold { combine, neutral, .. } => Sink::Folding(self.start_fold(combine, neutral, results)),
                Operator::Scan { combine, neutral } => Sink::Scanning(self.start_scan(combine, neutral, results)),
                Operator::Filter { .. } => Sink::Filtering(self.start_filter(data, results)),
                Operator::Uniform => Sink::Uniform(self.uniformity_of(results[0], uniform.as_ref())),
            });
        }
        sinks
    }

    /// The sinks across all chunks: arrays that the chunks fill, and room for their results.
    fn start_shared_sinks(&mut self, stmt: &'a Stmt, data: &'a WithLoopData) -> Vec<Sink<'a>> {
        let mut sinks = Vec::new();
        for (operator, results) in data.by_operator(&stmt.results) {
            sinks.push(match &operator.op {
                Operator::GenArray | Operator::ModArray { .. } => {
                    self.start_elements(stmt, data, operator, results[0], None)
                }
                Operator::Fold { combine, neutral, .. } => Sink::Folding(self.start_chunked_fold(combine, neutral)),
                Operator::Scan { combine, neutral } => {
                    Sink::Scanning(self.start_chunked_scan(combine, neutral, results))
                }
                Operator::Filter { .. } => Sink::Filtering(self.start_chunked_filter(data, results)),
                Operator::Uniform => panic!("a with-loop that checks for uniform rows is not run in chunks"),
            });
        }
        sinks
    }

    pub(crate) fn start_chunk(&mut self, sinks: &mut [Sink<'a>], chunk: &Chunk) {
        for sink in sinks {
            match sink {
                Sink::Nothing | Sink::Elements(_) | Sink::Growing(_) | Sink::Uniform(_) => {}
                Sink::Folding(folding) => self.start_fold_chunk(folding, chunk),
                Sink::Scanning(scanning) => self.start_scan_chunk(scanning, chunk),
                Sink::Filtering(filtering) => self.start_filter_chunk(filtering, chunk),
            }
        }
    }

    pub(crate) fn end_chunk(&mut self, sinks: &mut [Sink<'a>], chunk: &Chunk) {
        for sink in sinks {
            match sink {
                Sink::Nothing | Sink::Elements(_) | Sink::Growing(_) | Sink::Uniform(_) => {}
                Sink::Folding(folding) => self.end_fold_chunk(folding, chunk),
                Sink::Scanning(scanning) => self.end_scan_chunk(scanning, chunk),
                Sink::Filtering(filtering) => self.end_filter_chunk(filtering, chunk),
            }
        }
    }

    fn combine_chunks(
        &mut self,
        stmt: &'a Stmt,
        data: &'a WithLoopData,
        sinks: Vec<Sink<'a>>,
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        for (sink, (_, results)) in sinks.into_iter().zip(data.by_operator(&stmt.results)) {
            match sink {
                Sink::Nothing => results.iter().for_each(|&result| self.bind_certificates(result)),
                Sink::Elements(place) => self.bind(results[0], Lowered::Array(place)),
                Sink::Growing(_) | Sink::Uniform(_) => panic!("growing arrays are not made in chunks"),
                Sink::Folding(folding) => self.combine_fold(folding, results, chunks),
                Sink::Scanning(scanning) => {
                    self.combine_scan(&scanning, chunks, parallel);
                    self.end_scan(scanning, results);
                }
                Sink::Filtering(filtering) => self.combine_filter(filtering, results, chunks, parallel),
            }
        }
    }

    fn finish_sinks(&mut self, stmt: &'a Stmt, data: &'a WithLoopData, sinks: Vec<Sink<'a>>) {
        for (sink, (_, results)) in sinks.into_iter().zip(data.by_operator(&stmt.results)) {
            match sink {
                Sink::Nothing => results.iter().for_each(|&result| self.bind_certificates(result)),
                Sink::Elements(place) => self.bind(results[0], Lowered::Array(place)),
                Sink::Growing(growing) => self.bind(results[0], Lowered::Array(growing.place)),
                Sink::Folding(folding) => self.end_fold(folding, results),
                Sink::Scanning(scanning) => self.end_scan(scanning, results),
                Sink::Filtering(filtering) => self.end_filter(filtering, results),
                // Bound first, because the types of other results mention it.
                Sink::Uniform(_) => {}
            }
        }
    }

    /// Where the cells of a `GenArray` or `ModArray` go.
    fn start_elements(
        &mut self,
        stmt: &'a Stmt,
        data: &'a WithLoopData,
        operator: &'a OperatorData,
        result: Value,
        uniform: Option<&Uniformity>,
    ) -> Sink<'a> {
        if self.func.ty(result).elem == Scalar::Cert {
            return Sink::Nothing;
        }
        match &operator.op {
            Operator::ModArray { source, consumes } => {
                let source_access = self.access(*source);
                let covered = self.covers(data);
                let sums = self.sums.clone();
                if self.may_overwrite(&source_access, *consumes)
                    && reads_only_what_may_be_replaced(self.func, &sums, data, *source, &mut |operand| {
                        self.reads(operand, &source_access)
                    })
                {
                    // The last read of the source may be inside, before the elements are written.
                    if let Some(array) = source_access.memory() {
                        self.keep_until(array, self.now.max(self.facts.last_use(result)));
                    }
                    return Sink::Elements(source_access);
                }
                let place = self.place_for(result);
                if !covered {
                    if source_access.memory().is_some() {
                        self.report_copy(CopyReason::UpdatedAndNeeded);
                    }
                    self.copy_into(&place, &source_access);
                }
                Sink::Elements(place)
            }
            Operator::GenArray => match uniform {
                Some(uniform) if self.mentions_result(result, stmt) => {
                    Sink::Growing(self.start_growing(result, uniform))
                }
                Some(_) | None => Sink::Elements(self.place_for(result)),
            },
            Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {
                panic!("only arrays of cells have elements")
            }
        }
    }

    /// True if the type of a result mentions another result of the same statement.
    fn mentions_result(&self, result: Value, stmt: &Stmt) -> bool {
        self.func.ty(result).shape.iter().any(|extent| match extent {
            Extent::Const(_) => false,
            Extent::Value(size) => stmt.results.contains(size),
        })
    }

    /// True if one dense generator reaches every index.
    fn covers(&self, data: &WithLoopData) -> bool {
        data.generators.iter().any(|generator| generator.covers(&data.space))
    }

    fn reads(&mut self, operand: Operand, access: &Access) -> bool {
        match operand {
            Operand::Const(_) => false,
            Operand::Value(value) => match self.known(value) {
                Some(Lowered::Array(other)) => self.may_share(&other, access),
                // Scalars are defined already. Anything that is not defined is made inside.
                Some(Lowered::Scalar(_)) | None => false,
            },
        }
    }

    /// The cells of one index, and what the operators do with them.
    pub(crate) fn point(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        generator: &'a Generator,
        index: &[Expr],
    ) {
        for (&value, i) in data.indices.iter().zip(index) {
            self.bind(value, Lowered::Scalar(i.clone()));
        }
        let mut places = Vec::new();
        for (operator, sink) in data.operators.iter().zip(&*sinks) {
            places.extend(operator.guarded.then_some(None));
            match sink {
                Sink::Elements(place) if place.extents.len() > index.len() => places.push(Some(place.part(index))),
                Sink::Filtering(filtering) => places.extend(filtering.places()),
                Sink::Nothing
                | Sink::Elements(_)
                | Sink::Growing(_)
                | Sink::Folding(_)
                | Sink::Scanning(_)
                | Sink::Uniform(_) => places.extend(vec![None; operator.op.cells()]),
            }
        }
        let made_in: Vec<Access> = places.iter().flatten().cloned().collect();
        let cells = self.block(&generator.body, places);
        for cell in &cells {
            // The lambdas that use them come later in the program, but not all at once.
            if let Lowered::Array(cell) = cell
                && let Some(array) = cell.memory()
            {
                self.keep_until(array, self.now);
            }
        }
        let mut cells = cells.into_iter();
        let mut fed = Vec::new();
        for operator in &data.operators {
            let guard = operator.guarded.then(|| cells.next().expect("a guarded operator has a guard"));
            fed.push((guard, cells.by_ref().take(operator.op.cells()).collect::<Vec<_>>()));
        }
        // Sizes are compared before the rows that have them are stored.
        for (sink, (_, cells)) in sinks.iter().zip(&fed) {
            if let Sink::Uniform(uniformity) = sink {
                self.feed_uniform(uniformity, &cells[0]);
            }
        }
        let mut first = None;
        // Rows may be made where a filter keeps the next one: all are used before the filter moves
        // on.
        let mut kept = Vec::new();
        for (sink, (guard, cells)) in sinks.iter_mut().zip(fed) {
            let guard = guard.map(|guard| match guard {
                Lowered::Scalar(guard) => guard,
                Lowered::Array(_) => panic!("a guard is a truth value"),
            });
            match sink {
                Sink::Nothing => {}
                Sink::Elements(place) => {
                    let place = place.clone();
                    for cell in cells {
                        self.write(&place, index, cell);
                    }
                }
                Sink::Growing(growing) => self.feed_growing(growing, index, &cells[0]),
                Sink::Folding(folding) => {
                    let cells = self.apart_from(&made_in, cells);
                    self.feed_fold(folding, guard, cells);
                }
                Sink::Scanning(scanning) => {
                    let cells = self.apart_from(&made_in, cells);
                    self.feed_scan(scanning, index, cells);
                }
                Sink::Filtering(filtering) => {
                    let guard = self.keep(Scalar::Bool, guard.expect("a filter has a guard"));
                    self.feed_filter(filtering, &guard, cells);
                    kept.push((&*filtering, guard));
                }
                Sink::Uniform(uniformity) => first = Some(uniformity.clone()),
            }
        }
        for (filtering, guard) in kept {
            self.advance_filter(filtering, guard);
        }
        if let Some(uniformity) = first {
            self.mark_seen(&uniformity);
        }
    }

    /// The cells, in memory that other operators' results do not use: accumulators may keep it.
    fn apart_from(&mut self, places: &[Access], cells: Vec<Lowered>) -> Vec<Lowered> {
        let apart = |cell| match cell {
            Lowered::Array(cell) if places.iter().any(|place| self.may_share(place, &cell)) => {
                Lowered::Array(self.stored_copy(&cell, false))
            }
            Lowered::Array(_) | Lowered::Scalar(_) => cell,
        };
        cells.into_iter().map(apart).collect()
    }
}

impl Sink<'_> {
    fn reductions(&self) -> Vec<Reduction> {
        match self {
            Sink::Folding(folding) => folding.reductions(),
            Sink::Scanning(scanning) => scanning.folding.reductions(),
            Sink::Filtering(filtering) => filtering.reduction().into_iter().collect(),
            Sink::Nothing | Sink::Elements(_) | Sink::Growing(_) | Sink::Uniform(_) => Vec::new(),
        }
    }

    /// True if the effect of an index depends on earlier indices, other than by accumulators that
    /// may be combined in any grouping.
    fn is_ordered(&self) -> bool {
        match self {
            Sink::Nothing | Sink::Elements(_) => false,
            Sink::Folding(folding) | Sink::Scanning(Scanning { folding, .. }) => !folding.is_reduction(),
            Sink::Filtering(filtering) => filtering.reduction().is_none(),
            Sink::Growing(_) | Sink::Uniform(_) => true,
        }
    }
}

/// How iterations that feed these sinks may run.
fn order_of(sinks: &[Sink<'_>]) -> Order {
    if sinks.iter().any(Sink::is_ordered) {
        return Order::Sequential;
    }
    let reductions = sinks.iter().flat_map(Sink::reductions).collect();
    if sinks.iter().any(|sink| matches!(sink, Sink::Scanning(_))) {
        return Order::Scan { reductions };
    }
    Order::Independent { reductions }
}
