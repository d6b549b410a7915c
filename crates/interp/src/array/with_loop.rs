//! With-loops. The index space is walked in row-major order; at each index the one generator that holds it yields the cells,
//! and every operator takes its own. That the generators are disjoint, and cover the space where they must, is seen on the way.

use super::value::{ArrayValue, Datum};
use super::{Frame, Machine};
use crate::memory::{Memory, element_count};
use crate::{Failure, RunError, broken};
use frit_ir::array::{Block, Generator, Lambda, Operator, OperatorData, Stmt, Value, WithLoop, WithLoopData};
use frit_ir::{Const, FailureKind, Scalar, TensorData};
use frit_support::Span;
use std::rc::Rc;

/// The indices of a generator.
struct Grid<'p> {
    lower: Vec<i64>,
    upper: Vec<i64>,
    step: &'p [i64],
    width: &'p [i64],
    body: &'p Block,
}

impl Grid<'_> {
    fn contains(&self, index: &[i64]) -> bool {
        (0..index.len()).all(|axis| {
            let (i, lower) = (index[axis], self.lower[axis]);
            lower <= i && i < self.upper[axis] && (i - lower) % self.step[axis] < self.width[axis]
        })
    }
}

/// What an operator has made of the cells so far.
enum Collector<'p> {
    /// `GenArray`: the elements, in order.
    Elements(Rows),
    /// `ModArray`: cells and where they go, in order. They go there at the end, because cells may read the source.
    Replacements { source: Value, consumes: bool, indices: Vec<i64>, cells: Rows },
    /// `Fold`: the accumulators.
    Accumulators { combine: &'p Lambda, accumulators: Vec<Datum> },
    /// `Scan`: the accumulators and all they were.
    Partials { combine: &'p Lambda, accumulators: Vec<Datum>, partials: Vec<Rows> },
    /// `Filter`: the number of contributions and what they are.
    Kept { count: i64, arrays: Vec<Rows> },
    /// `Uniform`: the value of the indices so far.
    Common(Option<i64>),
}

/// Cells of one type, one behind the other.
#[derive(Default)]
struct Rows {
    /// The shape of each cell, and the elements of all; known from the first one on.
    filled: Option<(Vec<i64>, TensorData)>,
}

impl Rows {
    fn push(&mut self, memory: &Memory, cell: &Datum) -> Result<(), RunError> {
        let Some(elem) = cell.elem() else { broken!("a cell is undefined") };
        if matches!(cell, Datum::Array(array) if !array.is_live()) {
            broken!("a cell is stored after another operator has consumed it");
        }
        let (shape, data) = self.filled.get_or_insert_with(|| (cell.extents(), TensorData::empty(elem)));
        if data.scalar() != elem || (!matches!((cell, &shape[..]), (Datum::Scalar(_), [])) && cell.extents() != *shape)
        {
            broken!("a cell of shape {:?} after one of shape {shape:?}", cell.extents());
        }
        let added = element_count(shape)?;
        memory.check(elem, data.len().saturating_add(added))?;
        cell.append_to(data);
        Ok(())
    }
}

impl<'p> Machine<'p> {
    /// Executes the statement of a with-loop.
    pub(super) fn with_loop(&mut self, frame: &mut Frame<'p>, id: WithLoop, stmt: &'p Stmt) -> Result<(), RunError> {
        let Some(data) = frame.func.with_loops.get(id) else { broken!("the function has no with-loop {id}") };
        let space = frame.extents(&data.space)?;
        if data.indices.len() != space.len() {
            broken!("{id} has {} axes and {} indices", space.len(), data.indices.len());
        }
        let grids = grids(frame, data, &space)?;
        let mut collectors = collectors(frame, data)?;
        self.walk(frame, data, &space, &grids, &mut collectors, stmt.span)?;
        self.finish(frame, &space, collectors, &stmt.results)
    }

    fn walk(
        &mut self,
        frame: &mut Frame<'p>,
        data: &'p WithLoopData,
        space: &[i64],
        grids: &[Grid<'p>],
        collectors: &mut [Collector<'p>],
        span: Span,
    ) -> Result<(), RunError> {
        let must_cover = data.operators.iter().any(|operator| match operator.op {
            Operator::GenArray | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => true,
            Operator::Fold { .. } | Operator::ModArray { .. } => false,
        });
        // Where indices may be left out, only the hull of the generators is walked.
        let hull = |axis: usize| {
            let lower = grids.iter().map(|grid| grid.lower[axis]).min().unwrap_or(0);
            let upper = grids.iter().map(|grid| grid.upper[axis]).max().unwrap_or(0);
            if must_cover { (0, space[axis]) } else { (lower, upper) }
        };
        let bounds: Vec<(i64, i64)> = (0..space.len()).map(hull).collect();
        if bounds.iter().any(|(lower, upper)| lower >= upper) {
            return Ok(());
        }
        let mut index: Vec<i64> = bounds.iter().map(|bound| bound.0).collect();
        let mut cells = Vec::new();
        loop {
            let mut holders = grids.iter().filter(|grid| grid.contains(&index));
            match (holders.next(), holders.next()) {
                (Some(grid), None) => {
                    self.budget.step()?;
                    for (&name, &i) in data.indices.iter().zip(&index) {
                        frame.define(name, Datum::Scalar(Const::i64(i)))?;
                    }
                    self.block(frame, grid.body)?;
                    cells.clear();
                    for &result in &grid.body.results {
                        cells.push(frame.operand(result)?);
                    }
                    self.take(frame, data, &index, &cells, collectors, span)?;
                }
                (Some(_), Some(_)) => broken!("two generators hold index {index:?}"),
                (None, _) if must_cover => broken!("no generator holds index {index:?}"),
                (None, _) => {}
            }
            if !advance(&mut index, &bounds) {
                return Ok(());
            }
        }
    }

    /// Gives the cells of one index to the operators.
    fn take(
        &mut self,
        frame: &mut Frame<'p>,
        data: &WithLoopData,
        index: &[i64],
        cells: &[Datum],
        collectors: &mut [Collector<'p>],
        span: Span,
    ) -> Result<(), RunError> {
        let needed: usize = data.operators.iter().map(OperatorData::cells).sum();
        if cells.len() != needed {
            broken!("a generator yields {} cells where the operators need {needed}", cells.len());
        }
        // An irregular array is found before its cells are stored.
        for uniform_first in [true, false] {
            let mut rest = cells;
            for (operator, collector) in data.operators.iter().zip(&mut *collectors) {
                let mut own;
                (own, rest) = rest.split_at(operator.cells());
                if matches!(collector, Collector::Common(_)) != uniform_first {
                    continue;
                }
                if operator.guarded {
                    let Datum::Scalar(Const::Bool(contributes)) = own[0] else { broken!("a guard is a bool") };
                    if !contributes {
                        continue;
                    }
                    own = &own[1..];
                }
                self.collect(frame, collector, index, own, span)?;
            }
        }
        Ok(())
    }

    /// Gives an operator the cells of an index that contributes.
    fn collect(
        &mut self,
        frame: &mut Frame<'p>,
        collector: &mut Collector<'p>,
        index: &[i64],
        cells: &[Datum],
        span: Span,
    ) -> Result<(), RunError> {
        match collector {
            Collector::Elements(rows) => rows.push(&self.memory, &cells[0]),
            Collector::Replacements { indices, cells: rows, .. } => {
                indices.extend(index);
                rows.push(&self.memory, &cells[0])
            }
            Collector::Accumulators { combine, accumulators } => self.combine(frame, combine, accumulators, cells),
            Collector::Partials { combine, accumulators, partials } => {
                self.combine(frame, combine, accumulators, cells)?;
                accumulators.iter().zip(partials).try_for_each(|(value, rows)| rows.push(&self.memory, value))
            }
            Collector::Kept { count, arrays } => {
                *count += 1;
                cells.iter().zip(arrays).try_for_each(|(cell, rows)| rows.push(&self.memory, cell))
            }
            Collector::Common(common) => {
                let Datum::Scalar(Const::Int(Scalar::I64, later)) = cells[0] else {
                    broken!("a uniform cell is an i64")
                };
                match *common {
                    Some(earlier) if earlier != later => Err(RunError::Failed(Failure {
                        kind: FailureKind::IrregularArray,
                        args: vec![earlier, later],
                        span,
                    })),
                    Some(_) | None => {
                        *common = Some(later);
                        Ok(())
                    }
                }
            }
        }
    }

    /// One application of a fold's or scan's function: accumulators first, then cells.
    fn combine(
        &mut self,
        frame: &mut Frame<'p>,
        combine: &'p Lambda,
        accumulators: &mut Vec<Datum>,
        cells: &[Datum],
    ) -> Result<(), RunError> {
        let count = accumulators.len();
        let mut args = std::mem::take(accumulators);
        args.extend_from_slice(cells);
        frame.define_all(&combine.params, args.into_iter())?;
        self.block(frame, &combine.body)?;
        *accumulators = frame.operands(&combine.body.results)?;
        if accumulators.len() != count {
            broken!("a function of {count} accumulators yields {}", accumulators.len());
        }
        Ok(())
    }

    /// Defines the results. Numbers come first: the shapes of arrays without cells are known by their types alone.
    fn finish(
        &self,
        frame: &mut Frame<'p>,
        space: &[i64],
        collectors: Vec<Collector<'p>>,
        results: &[Value],
    ) -> Result<(), RunError> {
        let mut finished = Vec::new();
        for collector in collectors {
            match collector {
                Collector::Elements(rows) => finished.push(Finished::Rows(space.to_vec(), rows)),
                Collector::Replacements { source, consumes, indices, cells } => {
                    let target = replace(&self.memory, frame.array(source)?, consumes, space, &indices, &cells)?;
                    finished.push(Finished::Datum(target));
                }
                Collector::Accumulators { accumulators, .. } => {
                    finished.extend(accumulators.into_iter().map(Finished::Datum));
                }
                Collector::Partials { partials, .. } => {
                    finished.extend(partials.into_iter().map(|rows| Finished::Rows(space.to_vec(), rows)));
                }
                Collector::Kept { count, arrays } => {
                    finished.push(Finished::Datum(Datum::Scalar(Const::i64(count))));
                    finished.extend(arrays.into_iter().map(|rows| Finished::Rows(vec![count], rows)));
                }
                Collector::Common(common) => {
                    finished.push(Finished::Datum(Datum::Scalar(Const::i64(common.unwrap_or(0)))));
                }
            }
        }
        if finished.len() != results.len() {
            broken!("the operators make {} results, not {}", finished.len(), results.len());
        }
        for (result, &value) in finished.iter().zip(results) {
            if let Finished::Datum(datum) = result {
                frame.put(value, datum.clone())?;
            }
        }
        for (result, &value) in finished.into_iter().zip(results) {
            let Finished::Rows(outer, rows) = result else { continue };
            let datum = match rows.filled {
                Some((shape, data)) => Datum::dense(&self.memory, &[outer, shape].concat(), data)?,
                None => {
                    let ty = &frame.func.values[value].ty;
                    let extents = frame.extents(&ty.shape)?;
                    if !extents.starts_with(&outer) || !extents.contains(&0) {
                        broken!("{value} has declared shape {extents:?}, but no cell fills {outer:?}");
                    }
                    Datum::dense(&self.memory, &extents, TensorData::empty(ty.elem))?
                }
            };
            frame.put(value, datum)?;
        }
        results.iter().try_for_each(|&value| frame.check_type(value))
    }
}

/// A result of an operator.
enum Finished {
    /// Complete.
    Datum(Datum),
    /// Cells that fill this box.
    Rows(Vec<i64>, Rows),
}

/// The generators' bounds, which must lie in the space unless they hold no index at all.
fn grids<'p>(frame: &Frame<'p>, data: &'p WithLoopData, space: &[i64]) -> Result<Vec<Grid<'p>>, RunError> {
    let mut grids = Vec::new();
    for Generator { lower, upper, step, width, body } in &data.generators {
        let (lower, upper) = (frame.ints(lower)?, frame.ints(upper)?);
        if [lower.len(), upper.len(), step.len(), width.len()] != [space.len(); 4] {
            broken!("a generator has not {} axes", space.len());
        }
        if step.iter().zip(width).any(|(step, width)| !(1 <= *width && width <= step)) {
            broken!("a generator with step {step:?} and width {width:?}");
        }
        if lower.iter().zip(&upper).any(|(lower, upper)| lower >= upper) {
            continue;
        }
        if lower.iter().any(|&lower| lower < 0) || upper.iter().zip(space).any(|(upper, extent)| upper > extent) {
            broken!("a generator from {lower:?} to {upper:?} leaves the space {space:?}");
        }
        grids.push(Grid { lower, upper, step, width, body });
    }
    Ok(grids)
}

fn collectors<'p>(frame: &Frame<'p>, data: &'p WithLoopData) -> Result<Vec<Collector<'p>>, RunError> {
    let rows = |count: usize| (0..count).map(|_| Rows::default()).collect();
    let mut collectors = Vec::new();
    for OperatorData { op, guarded } in &data.operators {
        let (needs_guard, allows_guard, is_line) = match op {
            Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => (false, false, false),
            Operator::Fold { .. } => (false, true, false),
            Operator::Scan { .. } => (false, false, true),
            Operator::Filter { .. } => (true, true, true),
        };
        if (needs_guard && !guarded) || (*guarded && !allows_guard) {
            broken!("an operator is{} guarded", if *guarded { "" } else { " not" });
        }
        if is_line && data.space.len() != 1 {
            broken!("a scan or filter over {} axes", data.space.len());
        }
        collectors.push(match op {
            Operator::GenArray => Collector::Elements(Rows::default()),
            Operator::ModArray { source, consumes } => {
                frame.array(*source)?;
                Collector::Replacements {
                    source: *source,
                    consumes: *consumes,
                    indices: Vec::new(),
                    cells: Rows::default(),
                }
            }
            Operator::Fold { combine, neutral, commutative: _ } => {
                Collector::Accumulators { combine, accumulators: frame.operands(neutral)? }
            }
            Operator::Scan { combine, neutral } => {
                Collector::Partials { combine, accumulators: frame.operands(neutral)?, partials: rows(neutral.len()) }
            }
            Operator::Filter { arrays } => Collector::Kept { count: 0, arrays: rows(*arrays) },
            Operator::Uniform => Collector::Common(None),
        });
    }
    Ok(collectors)
}

/// The source of a `ModArray` with its cells in their places.
fn replace(
    memory: &Rc<Memory>,
    source: &ArrayValue,
    consumes: bool,
    space: &[i64],
    indices: &[i64],
    cells: &Rows,
) -> Result<Datum, RunError> {
    let extents: Vec<i64> = source.extents().collect();
    if !extents.starts_with(space) {
        broken!("the source has shape {extents:?}, the space {space:?}");
    }
    if let Some((shape, data)) = &cells.filled
        && (data.scalar() != source.elem() || *shape != extents[space.len()..])
    {
        broken!("cells of shape {shape:?} for a source of shape {extents:?}");
    }
    let target = source.for_writing(memory, consumes)?;
    if let Some((shape, data)) = &cells.filled {
        let count = element_count(shape)?;
        if space.is_empty() {
            target.overwrite(&[], data, 0);
        }
        for (at, index) in indices.chunks_exact(space.len().max(1)).enumerate() {
            target.overwrite(index, data, at * count);
        }
    }
    Ok(Datum::Array(target))
}

/// The next index in row-major order; false after the last.
fn advance(index: &mut [i64], bounds: &[(i64, i64)]) -> bool {
    for (i, (lower, upper)) in index.iter_mut().zip(bounds).rev() {
        *i += 1;
        if *i < *upper {
            return true;
        }
        *i = *lower;
    }
    false
}
