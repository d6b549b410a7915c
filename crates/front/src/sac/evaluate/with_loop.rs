//! With-loops.

use super::Machine;
use super::failure::{Outcome, fail, same_shape};
use super::value::{Shape, Value, volume};
use crate::sac::core::{Elem, Expr, FoldFunction, Generator, Local, Operation, Stmt, StmtKind, With};
use frit_ir::{FailureKind, TensorData};
use frit_support::{Index, Span};
use std::sync::Arc;

/// What becomes of the cells of one operation, as far as they are there.
enum Collector {
    Genarray {
        frame: Shape,
        elem: Elem,
        default: Option<Value>,
        /// Made when the first cell says what shape cells have.
        result: Option<Value>,
        span: Span,
    },
    Modarray {
        result: Value,
    },
    Fold {
        function: FoldFunction,
        args: Vec<Value>,
        accumulator: Value,
        stop: Option<Value>,
        span: Span,
    },
    Propagate {
        inner: Local,
    },
}

/// The indices of a generator: on each axis those from `lower`, less than `upper`, that are in the first `width` of each `step`.
struct IndexSet {
    lower: Vec<i64>,
    upper: Vec<i64>,
    step: Vec<i64>,
    width: Vec<i64>,
}

impl IndexSet {
    fn is_empty(&self) -> bool {
        self.lower.iter().zip(&self.upper).any(|(lower, upper)| lower >= upper)
    }

    /// The last index on an axis of a set that is not empty.
    fn last(&self, axis: usize) -> i64 {
        let (step, width) = (self.step[axis], self.width[axis]);
        let reach = self.upper[axis] - 1 - self.lower[axis];
        self.lower[axis] + reach / step * step + (reach % step).min(width - 1)
    }

    /// Goes on to the next index in row-major order. False after the last one.
    fn advance(&self, index: &mut [i64]) -> bool {
        for axis in (0..index.len()).rev() {
            let (lower, step) = (self.lower[axis], self.step[axis]);
            let mut next = index[axis] + 1;
            if (next - lower) % step >= self.width[axis] {
                next = lower + ((next - lower) / step + 1) * step;
            }
            if next < self.upper[axis] {
                index[axis] = next;
                return true;
            }
            index[axis] = lower;
        }
        false
    }
}

impl<'p> Machine<'p> {
    /// A with-loop: the results of its operations.
    pub(super) fn with_loop(&mut self, with: &'p With, span: Span) -> Outcome<Vec<Value>> {
        let mut collectors = Vec::with_capacity(with.operations.len());
        for operation in &with.operations {
            collectors.push(self.collector(operation, span)?);
        }
        let mut sets = Vec::with_capacity(with.generators.len());
        for generator in &with.generators {
            sets.push(self.index_set(generator, &collectors)?);
        }
        for (generator, set) in with.generators.iter().zip(&sets) {
            check_inside(set, &collectors, generator.span)?;
        }
        self.check_agreement(&sets, with, &collectors)?;
        let mut taken = Taken::new(&sets, &collectors);
        for (generator, set) in with.generators.iter().zip(&sets) {
            if !set.is_empty() && !self.run_generator(generator, set, &mut collectors, &mut taken)? {
                break;
            }
        }
        let mut results = Vec::with_capacity(collectors.len());
        for (at, collector) in collectors.into_iter().enumerate() {
            results.push(match collector {
                Collector::Genarray { frame, elem, default, result, .. } => match (result, default) {
                    (Some(result), _) => result,
                    (None, Some(default)) => {
                        self.check_volume(&frame.followed_by(&default.shape), span)?;
                        Value::replicate(&self.layouts, &frame, &default)
                    }
                    (None, None) => {
                        let cell = self.unseen_cell_shape(with, at);
                        self.check_volume(&frame.followed_by(&cell), span)?;
                        Value::zeros(&self.layouts, elem, frame.followed_by(&cell))
                    }
                },
                Collector::Modarray { result } => result,
                Collector::Fold { accumulator, .. } => accumulator,
                Collector::Propagate { inner } => self.local(inner, span)?.clone(),
            });
        }
        Ok(results)
    }

    fn collector(&mut self, operation: &'p Operation, span: Span) -> Outcome<Collector> {
        Ok(match operation {
            Operation::Genarray { shape, default, elem } => {
                let extents = self.value(shape)?;
                let frame = self.shape_of(&extents, shape.span)?;
                let default = default.as_ref().map(|default| self.value(default)).transpose()?;
                Collector::Genarray { frame, elem: *elem, default, result: None, span }
            }
            Operation::Modarray { source } => Collector::Modarray { result: self.value(source)? },
            Operation::Fold { function, args, neutral, stop } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.value(arg)?);
                }
                let accumulator = self.value(neutral)?;
                let stop = stop.as_ref().map(|stop| self.value(stop)).transpose()?;
                Collector::Fold { function: *function, args: values, accumulator, stop, span }
            }
            Operation::Propagate { state, inner } => {
                self.frame[inner.at()] = Some(self.local(*state, span)?.clone());
                Collector::Propagate { inner: *inner }
            }
        })
    }

    /// The indices of a generator. How many components they have is said by the names, else by a bound that is a vector, else by the result.
    fn index_set(&mut self, generator: &'p Generator, collectors: &[Collector]) -> Outcome<IndexSet> {
        let bound = |machine: &mut Self, bound: &'p Option<Expr>| -> Outcome<Option<(Value, Span)>> {
            let Some(bound) = bound else { return Ok(None) };
            let value = machine.value(bound)?;
            if value.shape.len() > 1 {
                return fail(FailureKind::RankMismatch, &[1, value.shape.len() as i64], bound.span);
            }
            Ok(Some((value, bound.span)))
        };
        let lower = bound(self, &generator.lower)?;
        let upper = bound(self, &generator.upper)?;
        let step = bound(self, &generator.step)?;
        let width = bound(self, &generator.width)?;
        let extents = collectors.iter().find_map(array_extents);
        let vector = [&lower, &upper, &step, &width].into_iter().flatten().find(|(value, _)| !value.shape.is_empty());
        let rank = match (&generator.scalars, vector, extents) {
            (Some(scalars), ..) => scalars.len(),
            (None, Some((value, _)), _) => value.count(),
            (None, None, Some((extents, _))) => extents.len(),
            // A fold over numbers.
            (None, None, None) => 1,
        };
        let components = |bound: &Option<(Value, Span)>| -> Outcome<Option<Vec<i64>>> {
            match bound {
                None => Ok(None),
                Some((value, _)) if value.shape.is_empty() => Ok(Some(vec![value.integer(0); rank])),
                Some((value, _)) if value.count() == rank => Ok(Some(value.integers())),
                Some((value, span)) => fail(FailureKind::IndexLength, &[rank as i64, value.count() as i64], *span),
            }
        };
        let mut lower = components(&lower)?.unwrap_or_else(|| vec![0; rank]);
        let mut upper = match (components(&upper)?, extents) {
            (Some(upper), _) => upper,
            (None, Some((extents, _))) if rank <= extents.len() => {
                extents[..rank].iter().map(|&n| n as i64 - 1).collect()
            }
            (None, Some((extents, _))) => {
                return fail(FailureKind::IndexLength, &[extents.len() as i64, rank as i64], generator.span);
            }
            (None, None) => panic!("the checker allows dots only where there is an array"),
        };
        if generator.lower_is_exclusive {
            lower.iter_mut().for_each(|lower| *lower += 1);
        }
        if generator.upper_is_inclusive {
            upper.iter_mut().for_each(|upper| *upper += 1);
        }
        let period = |bound: &Option<(Value, Span)>| -> Outcome<Vec<i64>> {
            let Some(period) = components(bound)? else { return Ok(vec![1; rank]) };
            match (period.iter().find(|n| **n < 1), bound) {
                (Some(bad), Some((_, span))) => fail(FailureKind::BadStep, &[*bad], *span),
                _ => Ok(period),
            }
        };
        let (step, width) = (period(&step)?, period(&width)?);
        Ok(IndexSet { lower, upper, step, width })
    }

    /// Fails if generators that say where cells of one array are have indices of different lengths.
    fn check_agreement(&self, sets: &[IndexSet], with: &With, collectors: &[Collector]) -> Outcome<()> {
        let Some(first) = sets.first() else { return Ok(()) };
        if collectors.iter().all(|collector| array_extents(collector).is_none()) {
            return Ok(());
        }
        for (set, generator) in sets.iter().zip(&with.generators) {
            if set.lower.len() != first.lower.len() {
                let lengths = [first.lower.len() as i64, set.lower.len() as i64];
                return fail(FailureKind::IndexLength, &lengths, generator.span);
            }
        }
        Ok(())
    }

    /// Runs the block for all indices. False if no operation needs any more cells.
    fn run_generator(
        &mut self,
        generator: &'p Generator,
        set: &IndexSet,
        collectors: &mut [Collector],
        taken: &mut Taken,
    ) -> Outcome<bool> {
        let carried: Vec<Local> = collectors.iter().filter_map(carried).collect();
        let mut own = Vec::new();
        assigned(&generator.body, &mut own);
        own.retain(|local| !carried.contains(local));
        let rank = set.lower.len();
        let mut index = set.lower.clone();
        loop {
            let is_taken = taken.take(&index);
            if !is_taken || collectors.iter().any(takes_every_cell) {
                if collectors.iter().all(has_ended) && !collectors.is_empty() {
                    return Ok(false);
                }
                if let Some(vector) = generator.vector {
                    self.set_index(vector, &index, rank);
                }
                for (local, component) in generator.scalars.iter().flatten().zip(&index) {
                    self.frame[local.at()] = Some(Value::int(*component as i32));
                }
                // What a block assigned at another index is not there at this one.
                own.iter().for_each(|local| self.frame[local.at()] = None);
                self.statements(&generator.body)?;
                self.collect(generator, &index, is_taken, collectors)?;
            }
            if !set.advance(&mut index) {
                return Ok(true);
            }
        }
    }

    /// Binds the index vector, in the memory of the one before if nothing else has kept it.
    fn set_index(&mut self, local: Local, index: &[i64], rank: usize) {
        let slot = &mut self.frame[local.at()];
        if let Some(Value { shape, data: super::value::Data::Dense(data), .. }) = slot
            && **shape == [rank]
            && let Some(TensorData::I32(components)) = Arc::get_mut(data)
        {
            components.iter_mut().zip(index).for_each(|(to, from)| *to = *from as i32);
            return;
        }
        *slot = Some(Value::ints(index.iter().map(|&component| component as i32).collect()));
    }

    /// Evaluates the cells at an index and gives them to the operations.
    fn collect(
        &mut self,
        generator: &'p Generator,
        index: &[i64],
        is_taken: bool,
        collectors: &mut [Collector],
    ) -> Outcome<()> {
        if let ([cell], [collector]) = (generator.cells.as_slice(), &mut *collectors) {
            let value = self.value(cell)?;
            return self.give(collector, value, index, is_taken, cell.span);
        }
        // One expression may have all values.
        let mut cells = Vec::with_capacity(collectors.len());
        for cell in &generator.cells {
            cells.extend(self.values(cell)?.into_iter().map(|value| (value, cell.span)));
        }
        let all = cells.len() == collectors.len();
        let mut cells = cells.into_iter();
        for collector in collectors {
            // Blocks assign what is carried; a cell for it is its next value as well.
            if !all && carried(collector).is_some() {
                continue;
            }
            let (value, span) = cells.next().expect("there is a cell for each operation");
            self.give(collector, value, index, is_taken, span)?;
        }
        Ok(())
    }

    /// Gives a cell to an operation.
    fn give(
        &mut self,
        collector: &mut Collector,
        cell: Value,
        index: &[i64],
        is_taken: bool,
        cell_span: Span,
    ) -> Outcome<()> {
        match collector {
            Collector::Genarray { .. } | Collector::Modarray { .. } if is_taken => Ok(()),
            Collector::Genarray { frame, elem, default, result, span } => {
                let result = match result {
                    Some(result) => {
                        let (needed, kind) = match default {
                            Some(default) => (&default.shape[..], FailureKind::ShapeMismatch),
                            None => (&result.shape[frame.len()..], FailureKind::IrregularArray),
                        };
                        same_shape(kind, needed, &cell.shape, cell_span)?;
                        result
                    }
                    None => {
                        if let Some(default) = default {
                            same_shape(FailureKind::ShapeMismatch, &default.shape, &cell.shape, cell_span)?;
                        }
                        let shape = frame.followed_by(&cell.shape);
                        self.check_volume(&shape, *span)?;
                        result.insert(match default {
                            Some(default) => Value::replicate(&self.layouts, frame, default),
                            None => Value::zeros(&self.layouts, *elem, shape),
                        })
                    }
                };
                result.write(&self.layouts, place(frame, index) * cell.count(), &cell);
                Ok(())
            }
            Collector::Modarray { result } => {
                let (frame, inner) = result.shape.split_at(index.len());
                same_shape(FailureKind::ShapeMismatch, inner, &cell.shape, cell_span)?;
                let start = place(frame, index) * cell.count();
                result.write(&self.layouts, start, &cell);
                Ok(())
            }
            Collector::Fold { function, args, accumulator, stop, span } => {
                if stop.as_ref().is_some_and(|stop| stop.equals(accumulator)) {
                    return Ok(());
                }
                let mut values = Vec::with_capacity(args.len() + 2);
                values.extend(args.iter().cloned());
                // Given away, so that the function may change it in place.
                values.push(std::mem::replace(accumulator, Value::bool(false)));
                values.push(cell);
                *accumulator = match function {
                    FoldFunction::Overload(overload) => {
                        let (overload, span) = (*overload, *span);
                        self.nested(span, |machine| machine.call_with(overload, values, cell_span))?
                    }
                    FoldFunction::Prim(prim) => self.apply_primitive(*prim, &values, cell_span)?,
                };
                Ok(())
            }
            Collector::Propagate { inner } => {
                self.frame[inner.at()] = Some(cell);
                Ok(())
            }
        }
    }
}

/// The extents of the array that indices of a with-loop are in, and whether an index must have as many components.
fn array_extents(collector: &Collector) -> Option<(&[usize], bool)> {
    match collector {
        Collector::Genarray { frame, .. } => Some((frame, true)),
        Collector::Modarray { result } => Some((&result.shape, false)),
        Collector::Fold { .. } | Collector::Propagate { .. } => None,
    }
}

/// Fails if a generator reaches an index outside of a result.
fn check_inside(set: &IndexSet, collectors: &[Collector], span: Span) -> Outcome<()> {
    for (extents, is_full) in collectors.iter().filter_map(array_extents) {
        let length = set.lower.len();
        if length > extents.len() || (is_full && length < extents.len()) {
            return fail(FailureKind::IndexLength, &[extents.len() as i64, length as i64], span);
        }
        if set.is_empty() {
            continue;
        }
        for (axis, &extent) in extents.iter().enumerate().take(length) {
            let (first, last) = (set.lower[axis], set.last(axis));
            let outside = if first < 0 { first } else { last };
            if first < 0 || last >= extent as i64 {
                return fail(FailureKind::GeneratorOutside, &[outside, extent as i64], span);
            }
        }
    }
    Ok(())
}

/// The number of an index in row-major order.
fn place(frame: &[usize], index: &[i64]) -> usize {
    index.iter().zip(frame).fold(0, |at, (component, extent)| at * extent + *component as usize)
}

/// The variable that an operation carries through all blocks.
fn carried(collector: &Collector) -> Option<Local> {
    match collector {
        Collector::Propagate { inner } => Some(*inner),
        Collector::Genarray { .. } | Collector::Modarray { .. } | Collector::Fold { .. } => None,
    }
}

/// True if an operation uses the cells of all generators at an index, not only that of the first.
fn takes_every_cell(collector: &Collector) -> bool {
    match collector {
        Collector::Fold { .. } | Collector::Propagate { .. } => true,
        Collector::Genarray { .. } | Collector::Modarray { .. } => false,
    }
}

/// True if no further cell changes the result.
fn has_ended(collector: &Collector) -> bool {
    match collector {
        Collector::Fold { accumulator, stop: Some(stop), .. } => stop.equals(accumulator),
        Collector::Fold { stop: None, .. }
        | Collector::Genarray { .. }
        | Collector::Modarray { .. }
        | Collector::Propagate { .. } => false,
    }
}

/// Which indices have got their cell, where generators may overlap.
struct Taken {
    /// Empty if there is nothing to remember.
    extents: Vec<usize>,
    flags: Vec<bool>,
}

impl Taken {
    fn new(sets: &[IndexSet], collectors: &[Collector]) -> Self {
        let reaching = sets.iter().filter(|set| !set.is_empty()).count();
        match (collectors.iter().find_map(array_extents), sets.first()) {
            (Some((extents, _)), Some(first)) if reaching > 1 => {
                let extents = extents[..first.lower.len()].to_vec();
                let flags = vec![false; volume(&extents)];
                Self { extents, flags }
            }
            _ => Self { extents: Vec::new(), flags: Vec::new() },
        }
    }

    /// True if the index was taken before. It is now.
    fn take(&mut self, index: &[i64]) -> bool {
        if self.flags.is_empty() {
            return false;
        }
        std::mem::replace(&mut self.flags[place(&self.extents, index)], true)
    }
}

/// The variables that statements assign, those of blocks of with-loops in them aside.
pub(super) fn assigned(stmts: &[Stmt], locals: &mut Vec<Local>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign { targets, .. } => locals.extend(targets.iter().flatten()),
            StmtKind::If { then, otherwise, .. } => {
                assigned(then, locals);
                assigned(otherwise, locals);
            }
            StmtKind::Loop { body, step, .. } => {
                assigned(body, locals);
                assigned(step, locals);
            }
            StmtKind::Replace { .. } | StmtKind::Output { .. } => {}
        }
    }
}
