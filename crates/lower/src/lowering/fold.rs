//! Folds: accumulators in variables or buffers. In chunks, each thread folds its part, and the
//! parts are combined in order.
//!
//! The neutral element is applied exactly once, in front. The first chunk starts from it. The
//! others start from the operation's unit if it is known, else from their own first cell. The
//! result depends on the number of threads only.
//!
//! Chunks are made by [`crate::lowering::with_loop`].

use crate::lowering::carried::Carry;
use crate::lowering::with_loop::{Chunk, Chunks, MOST_CHUNKS, Sink};
use crate::lowering::{LoopHeader, Lowered, Lowering};
use frit_ir::array::{Lambda, Operand, Value};
use frit_ir::nest::{Array, Expr, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_schedule::reduction::{Recognised, regroupable};

/// A fold being lowered.
#[derive(Clone)]
pub(crate) struct Folding<'a> {
    combine: &'a Lambda,
    pub(crate) neutral: Vec<Lowered>,
    /// The operations, if they are known and may be regrouped.
    operations: Option<Vec<Recognised>>,
    carry: Option<Carry>,
    /// True until the first cell of a chunk that does not start from a unit or the neutral element.
    fresh: Option<Var>,
    partials: Option<Partials>,
}

/// The results of the chunks.
#[derive(Clone)]
pub(crate) struct Partials {
    /// For each accumulator, one element for each chunk.
    pub(crate) values: Vec<Array>,
    /// Whether a chunk had any cell, where that matters.
    present: Option<Array>,
}

impl Folding<'_> {
    /// True if vectors can run the fold.
    pub(crate) fn is_reduction(&self) -> bool {
        self.operations.is_some()
    }

    /// The accumulators of a fold that vectors can run.
    pub(crate) fn reductions(&self) -> Vec<Reduction> {
        match (&self.operations, &self.carry) {
            (Some(operations), Some(carry)) => {
                operations.iter().zip(carry.vars()).map(|(known, var)| Reduction { op: known.op, var }).collect()
            }
            (Some(_) | None, _) => Vec::new(),
        }
    }

    fn accumulators(&self) -> &[Value] {
        &self.combine.params[..self.neutral.len()]
    }

    fn carry(&mut self) -> &mut Carry {
        self.carry.as_mut().expect("a fold has started")
    }
}

impl<'a> Lowering<'a> {
    fn new_fold(&self, combine: &'a Lambda, neutral: &[Operand]) -> Folding<'a> {
        let operations = regroupable(self.func, combine, self.options.strict_fp);
        let neutral = neutral.iter().map(|&operand| self.lowered(operand)).collect();
        Folding { combine, neutral, operations, carry: None, fresh: None, partials: None }
    }

    /// A fold over the whole index space.
    pub(crate) fn start_fold(&mut self, combine: &'a Lambda, neutral: &[Operand], results: &[Value]) -> Folding<'a> {
        let mut folding = self.new_fold(combine, neutral);
        let init = folding.neutral.clone();
        self.start_accumulators(&mut folding, init, results);
        folding
    }

    pub(crate) fn start_accumulators(&mut self, folding: &mut Folding<'a>, mut init: Vec<Lowered>, results: &[Value]) {
        let combine = folding.combine;
        let mut consumed = vec![false; init.len()];
        for (at, init) in init.iter_mut().enumerate() {
            // The program may still use the neutral element, but the combination updates its
            // accumulator in place.
            if let Lowered::Array(access) = init
                && self.facts.is_consumed(combine.params[at])
            {
                consumed[at] = true;
                if !self.may_overwrite(access, false) {
                    *access = self.stored_copy(access, false);
                }
            }
        }
        let accumulators = &combine.params[..init.len()];
        folding.carry = Some(self.start_carrying(accumulators, init, &combine.body, &consumed, results));
    }

    /// Sets the scalar accumulators back to those of these folds, which have the same operation.
    pub(crate) fn resume_folds(&mut self, sinks: &[Sink<'a>]) {
        for sink in sinks {
            let Sink::Folding(folding) = sink else { continue };
            let vars = folding.carry.as_ref().expect("a fold has started").vars();
            for (&accumulator, var) in folding.accumulators().iter().zip(vars) {
                self.bind(accumulator, Lowered::Scalar(Expr::Var(var)));
            }
        }
    }

    /// Combines the cells of one index with the accumulators, if the guard holds.
    pub(crate) fn feed_fold(&mut self, folding: &mut Folding<'a>, guard: Option<Expr>, cells: Vec<Lowered>) {
        if let Some(operations) = folding.operations.clone() {
            let vars = folding.carry().vars();
            for ((known, var), cell) in operations.into_iter().zip(vars).zip(cells) {
                let Lowered::Scalar(cell) = cell else { panic!("recognised folds are over scalars") };
                self.accumulate(known, var, guard.as_ref(), cell);
            }
            return;
        }
        match guard {
            Some(guard) => self.emit_if(guard, |lowering| lowering.combine_cells(folding, cells)),
            None => self.combine_cells(folding, cells),
        }
    }

    fn accumulate(&mut self, known: Recognised, var: Var, guard: Option<&Expr>, cell: Expr) {
        let elem = self.proc.vars[var].scalar;
        let cell = match guard {
            None => cell,
            Some(guard) => {
                // The minimum of a NaN and the unit is the unit, so the value is combined with
                // itself instead.
                let is_choice = matches!(known.op, BinOp::MinMax(_));
                let idle = if is_choice { Expr::Var(var) } else { Expr::Const(known.op.unit(elem)) };
                Expr::select(guard.clone(), cell, idle)
            }
        };
        let (x, y) = if known.accumulator_first { (Expr::Var(var), cell) } else { (cell, Expr::Var(var)) };
        let value = Expr::Binary { op: known.op, x: Box::new(x), y: Box::new(y) };
        self.emit(Stmt::Assign { var, value });
    }

    fn combine_cells(&mut self, folding: &mut Folding<'a>, cells: Vec<Lowered>) {
        let count = folding.neutral.len();
        for (&param, cell) in folding.combine.params[count..].iter().zip(cells) {
            self.bind_cell(param, cell);
        }
        let Some(fresh) = folding.fresh else { return self.apply_combine(folding) };
        let vars = folding.carry().vars();
        let taken: Vec<Expr> = folding.combine.params[count..].iter().map(|&param| self.scalar(param.into())).collect();
        let then = self.nested(|lowering| {
            for (var, value) in vars.into_iter().zip(taken) {
                lowering.emit(Stmt::Assign { var, value });
            }
            lowering.emit(Stmt::Assign { var: fresh, value: Expr::Const(Const::Bool(false)) });
        });
        let otherwise = self.nested(|lowering| lowering.apply_combine(folding));
        self.emit(Stmt::If { cond: Expr::Var(fresh), then, otherwise });
    }

    /// Binds a parameter of a lambda. Scalars are evaluated at once.
    pub(crate) fn bind_cell(&mut self, param: Value, cell: Lowered) {
        let cell = match cell {
            Lowered::Scalar(value) if self.func.ty(param).elem != Scalar::Cert => {
                self.name_after(param);
                Lowered::Scalar(self.keep(self.func.ty(param).elem, value))
            }
            Lowered::Scalar(_) | Lowered::Array(_) => cell,
        };
        self.bind(param, cell);
    }

    fn apply_combine(&mut self, folding: &mut Folding<'a>) {
        let combine = folding.combine;
        let carry = folding.carry();
        let places = self.carried_places(carry);
        let results = self.block(&combine.body, places);
        self.next_iteration(carry, results);
    }

    /// The current values of the accumulators.
    pub(crate) fn accumulated(&self, folding: &Folding<'a>) -> Vec<Lowered> {
        self.carried_values(folding.carry.as_ref().expect("a fold has started"))
    }

    /// The results of a fold over the whole index space.
    pub(crate) fn end_fold(&mut self, folding: Folding<'a>, results: &[Value]) {
        self.end_carrying(folding.carry.expect("a fold has started"), results);
    }

    /// Room for the results of the chunks.
    pub(crate) fn start_chunked_fold(&mut self, combine: &'a Lambda, neutral: &[Operand]) -> Folding<'a> {
        let mut folding = self.new_fold(combine, neutral);
        let room = || vec![Expr::i64(MOST_CHUNKS)];
        let accumulators = folding.accumulators().to_vec();
        let values = accumulators
            .iter()
            .map(|&accumulator| {
                self.name_after(accumulator);
                self.allocate(self.func.ty(accumulator).elem, room(), true)
            })
            .collect();
        let present = (!folding.is_reduction()).then(|| self.allocate(Scalar::Bool, room(), true));
        folding.partials = Some(Partials { values, present });
        folding
    }

    /// The accumulators of one chunk.
    pub(crate) fn start_fold_chunk(&mut self, folding: &mut Folding<'a>, chunk: &Chunk) {
        let first = Expr::binary(BinOp::EQ, chunk.number.clone(), Expr::i64(0));
        let mut init = folding.neutral.clone();
        match folding.operations.clone() {
            Some(operations) => {
                for ((known, init), &accumulator) in operations.into_iter().zip(&mut init).zip(folding.accumulators()) {
                    if let Lowered::Scalar(neutral) = init {
                        let unit = Expr::Const(known.op.unit(self.func.ty(accumulator).elem));
                        if *neutral != unit {
                            *neutral = Expr::select(first.clone(), neutral.clone(), unit);
                        }
                    }
                }
            }
            None => {
                let fresh = self.proc.var(Scalar::Bool, None);
                self.emit(Stmt::Assign { var: fresh, value: Expr::unary(UnOp::Not, first) });
                folding.fresh = Some(fresh);
            }
        }
        self.start_accumulators(folding, init, &[]);
    }

    /// Keeps the result of one chunk.
    pub(crate) fn end_fold_chunk(&mut self, folding: &mut Folding<'a>, chunk: &Chunk) {
        let accumulated = self.accumulated(folding);
        let scalar = |value| match value {
            Lowered::Scalar(value) => value,
            Lowered::Array(_) => panic!("folds in chunks are over scalars"),
        };
        let present = match folding.fresh.take() {
            Some(fresh) => Expr::unary(UnOp::Not, Expr::Var(fresh)),
            None => Expr::Const(Const::Bool(true)),
        };
        self.keep_partial_if(folding, &chunk.number, accumulated.into_iter().map(scalar).collect(), present);
    }

    /// Keeps what stands for the result of a chunk.
    pub(crate) fn keep_partial(&mut self, folding: &Folding<'a>, number: &Expr, values: Vec<Expr>) {
        self.keep_partial_if(folding, number, values, Expr::Const(Const::Bool(true)));
    }

    fn keep_partial_if(&mut self, folding: &Folding<'a>, number: &Expr, values: Vec<Expr>, present: Expr) {
        let partials = folding.partials.as_ref().expect("a fold in chunks has room for their results");
        let index = vec![number.clone()];
        for (&array, value) in partials.values.iter().zip(values) {
            self.emit(Stmt::Store { array, index: index.clone(), value });
        }
        if let Some(array) = partials.present {
            self.emit(Stmt::Store { array, index, value: present });
        }
    }

    /// Combines the results of the chunks in order.
    pub(crate) fn combine_fold(&mut self, mut folding: Folding<'a>, results: &[Value], chunks: &Chunks) {
        self.combine_partials(&mut folding, results, chunks, |_, _, _| {});
        self.end_fold(folding, results);
    }

    /// Combines the results of the chunks in order, on one thread. Calls `before` for each chunk
    /// but the first, with the combination of all chunks before it.
    pub(crate) fn combine_partials(
        &mut self,
        folding: &mut Folding<'a>,
        results: &[Value],
        chunks: &Chunks,
        before: impl Fn(&mut Self, &Expr, Vec<Lowered>),
    ) {
        let partials = folding.partials.clone().expect("a fold in chunks has room for their results");
        let load = |array: Array, at: Expr| Expr::Load { array, index: vec![at] };
        let init = partials.values.iter().map(|&array| Lowered::Scalar(load(array, Expr::i64(0)))).collect();
        self.start_accumulators(folding, init, results);
        let header = LoopHeader { lower: Expr::i64(1), ..LoopHeader::sequential(chunks.count.clone()) };
        let could_fork = std::mem::replace(&mut self.may_fork, false);
        self.counted_loop(header, |lowering, number| {
            let accumulated = lowering.accumulated(folding);
            before(lowering, &number, accumulated);
            let cells = partials.values.iter().map(|&array| Lowered::Scalar(load(array, number.clone()))).collect();
            let guard = partials.present.map(|array| load(array, number.clone()));
            lowering.feed_fold(folding, guard, cells);
        });
        self.may_fork = could_fork;
    }

    /// The lambda's results for these accumulators and cells.
    pub(crate) fn combined(&mut self, folding: &Folding<'a>, cells: Vec<Lowered>) -> Vec<Lowered> {
        let combine = folding.combine;
        for (&param, value) in combine.params.iter().zip(cells) {
            self.bind_cell(param, value);
        }
        self.block(&combine.body, Vec::new())
    }
}
