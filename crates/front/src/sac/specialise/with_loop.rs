//! With-loops: what their operations ask for, and how they become with-loops of the array IR.
//!
//! - [`generators`](super::generators): bounds, and which generator an index belongs to;
//! - [`cells`](super::cells): blocks of generators; [`fold`](super::fold): functions of folds;
//! - [`assembly`](super::assembly): how they are put together; [`in_order`](super::in_order): those that are sequential loops;
//! - [`unroll`](super::unroll): with-loops of few known indices.
//!
//! Operations on arrays of one shape become one with-loop. Folds join them where every generator keeps all its indices and the
//! order of cells stays as it is; else they are with-loops of their own, one per generator if need be. See Note [Order of folds].

use super::assembly::{Setting, Slot};
use super::boxes::Grid;
use super::cells::Body;
use super::fold::Fold;
use super::generators::{Bounds, Division, Part};
use super::value::{Env, Value};
use super::{Reason, Result, Specialiser, Stop};
use crate::sac::core::{Elem, Local, Operation, With};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Extent, Generator, Operand};
use frit_ir::{Const, FailureKind};
use frit_support::Span;

/// What an operation asks for.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// An array.
    Array {
        /// The extents that indices are within, as `i64`.
        extents: Vec<Operand>,
        /// What is where no generator reaches.
        elsewhere: Elsewhere,
        /// The elements of cells.
        elem: Elem,
    },
    /// A fold.
    Fold(Fold),
    /// A state carried through all blocks.
    Propagate {
        /// What it is at first.
        value: Value,
        /// The variable that holds it inside of blocks.
        inner: Local,
    },
}

/// What an array has where no generator reaches.
#[derive(Clone, Debug)]
pub(super) enum Elsewhere {
    /// This cell.
    Default(Value),
    /// Zeros of the shape of the other cells.
    Zeros,
    /// What this array has.
    Source(Value),
}

impl Target {
    /// The extents of an array.
    pub(super) fn extents(&self) -> Option<&[Operand]> {
        match self {
            Target::Array { extents, .. } => Some(extents),
            Target::Fold(_) | Target::Propagate { .. } => None,
        }
    }
}

impl<'p> Specialiser<'p> {
    /// The values of a with-loop, one per operation.
    pub(super) fn with_loop(&mut self, env: &mut Env, with: &'p With, span: Span) -> Result<Vec<Value>> {
        let span = self.told(span);
        let mut targets = Vec::new();
        for operation in &with.operations {
            targets.push(self.target(env, operation, span)?);
        }
        let dots = targets.iter().find_map(|target| target.extents().map(<[Operand]>::to_vec));
        let mut parts = Vec::new();
        for generator in &with.generators {
            parts.push(self.part(env, generator, dots.as_deref())?);
        }
        let mut bounds = Bounds::default();
        for part in &parts {
            for (target, operation) in targets.iter().zip(&with.operations) {
                if let Some(extents) = target.extents() {
                    let is_full = matches!(operation, Operation::Genarray { .. });
                    if part.rank() > extents.len() || (is_full && part.rank() < extents.len()) {
                        let numbers = [extents.len() as i64, part.rank() as i64];
                        return self.fail_numbers(FailureKind::IndexLength, &numbers, part.generator.span);
                    }
                    self.check_inside(&mut bounds, part, extents)?;
                }
            }
        }
        if dots.is_some()
            && let Some(other) = parts.iter().find(|part| part.rank() != parts[0].rank())
        {
            let numbers = [parts[0].rank() as i64, other.rank() as i64];
            return self.fail_numbers(FailureKind::IndexLength, &numbers, other.generator.span);
        }
        if let Some(values) = self.unrolled(env, &targets, &parts)? {
            return Ok(values);
        }
        let setting = Setting { env, parts: &parts, targets: &targets, span };
        let must_be_in_order =
            targets.is_empty() || targets.iter().any(|target| matches!(target, Target::Propagate { .. }));
        if !must_be_in_order {
            match self.loops(&setting, &mut bounds) {
                Err(Stop::Unsupported(unsupported)) if unsupported.reason == Reason::OutputInWithLoop => {}
                outcome => return outcome,
            }
        }
        let all: Vec<usize> = (0..targets.len()).collect();
        self.in_order(env, &targets, &all, &parts, span)
    }

    /// What an operation asks for.
    fn target(&mut self, env: &mut Env, operation: &'p Operation, span: Span) -> Result<Target> {
        match operation {
            Operation::Genarray { shape, default, elem } => {
                let value = self.expr(env, shape)?;
                let rank = self.rank(&value);
                if rank > 1 {
                    return self.fail_numbers(FailureKind::RankMismatch, &[1, rank as i64], shape.span);
                }
                let mut extents = Vec::new();
                for scalar in self.small_vector(&value, shape.span)? {
                    let extent = self.as_index(scalar);
                    let fits = self.is_in_bounds(extent, Operand::i64(super::sizes::MAX_EXTENT + 1));
                    self.assert(fits, FailureKind::NegativeSize, vec![extent], shape.span)?;
                    self.bound(extent, 0, super::sizes::MAX_EXTENT);
                    extents.push(extent);
                }
                let elsewhere = match default {
                    Some(default) => Elsewhere::Default(self.expr(env, default)?),
                    None => Elsewhere::Zeros,
                };
                Ok(Target::Array { extents, elsewhere, elem: *elem })
            }
            Operation::Modarray { source } => {
                let source = self.expr(env, source)?;
                let mut extents = Vec::new();
                for extent in self.shape(&source) {
                    let scalar = self.extent_scalar(extent);
                    extents.push(self.as_index(scalar));
                }
                let elem = source.elem;
                Ok(Target::Array { extents, elsewhere: Elsewhere::Source(source), elem })
            }
            Operation::Fold { function, args, neutral, stop } => {
                let mut given = Vec::new();
                for arg in args {
                    given.push(self.expr(env, arg)?);
                }
                let neutral = self.expr(env, neutral)?;
                let stop = stop.as_ref().map(|stop| self.expr(env, stop)).transpose()?;
                Ok(Target::Fold(Fold { function: *function, args: given, neutral, stop, span }))
            }
            Operation::Propagate { state, inner } => {
                Ok(Target::Propagate { value: self.local(env, *state, span)?, inner: *inner })
            }
        }
    }

    /// The with-loops of the array IR.
    fn loops(&mut self, setting: &Setting<'_, 'p>, bounds: &mut Bounds) -> Result<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; setting.targets.len()];
        let rank = setting.parts.first().map(Part::rank);
        let mut groups: Vec<(Vec<Operand>, Vec<usize>)> = Vec::new();
        let mut folds = Vec::new();
        for (at, target) in setting.targets.iter().enumerate() {
            match target {
                Target::Array { elsewhere: Elsewhere::Source(source), .. } if rank.is_none() => {
                    values[at] = Some(source.clone());
                }
                Target::Array { extents, .. } => {
                    let space = &extents[..rank.unwrap_or(extents.len())];
                    let is_same = |other: &[Operand]| {
                        other.len() == space.len() && other.iter().zip(space).all(|(&x, &y)| self.same(x, y))
                    };
                    match groups.iter_mut().find(|(other, _)| is_same(other)) {
                        Some((_, members)) => members.push(at),
                        None => groups.push((space.to_vec(), vec![at])),
                    }
                }
                Target::Fold(fold) if rank.is_none() => values[at] = Some(fold.neutral.clone()),
                Target::Fold(_) => folds.push(at),
                Target::Propagate { .. } => unreachable!("states are carried in order"),
            }
        }
        let mut made = Vec::new();
        for (space, members) in groups {
            if !folds.is_empty() {
                let all: Vec<usize> = members.iter().chain(&folds).copied().collect();
                if let Some(results) = self.arrays(setting, bounds, &space, &all)? {
                    folds.clear();
                    made.extend(results);
                    continue;
                }
            }
            let results = self.arrays(setting, bounds, &space, &members)?;
            made.extend(results.expect("arrays alone are always possible"));
        }
        for (at, value) in made {
            values[at] = Some(value);
        }
        if !folds.is_empty() {
            for (at, value) in self.folds(setting, bounds, &folds)? {
                values[at] = Some(value);
            }
        }
        Ok(values.into_iter().map(|value| value.expect("every operation was done")).collect())
    }

    /// One with-loop for operations, some of which make arrays over this space. `None` if the folds among them cannot take part.
    fn arrays(
        &mut self,
        setting: &Setting<'_, 'p>,
        bounds: &mut Bounds,
        space: &[Operand],
        members: &[usize],
    ) -> Result<Option<Vec<(usize, Value)>>> {
        let has_folds = members.iter().any(|&at| matches!(setting.targets[at], Target::Fold(_)));
        let mut division = bounds.divide(self, setting.parts, space);
        let only_changes = members.iter().all(|&at| match &setting.targets[at] {
            Target::Array { elsewhere, .. } => matches!(elsewhere, Elsewhere::Source(_)),
            Target::Fold(_) | Target::Propagate { .. } => true,
        });
        if only_changes && let Division::Grids(pieces) = &mut division {
            pieces.retain(|(_, part)| part.is_some());
        }
        if has_folds && !self.keeps_generators(bounds, setting.parts, &division, space) {
            return Ok(None);
        }
        // A generator without an index is needed only if nothing else says what cells are like.
        let mut is_needed: Vec<bool> = match &division {
            Division::Grids(pieces) => {
                (0..setting.parts.len()).map(|at| pieces.iter().any(|(_, part)| *part == Some(at))).collect()
            }
            Division::Tests => vec![true; setting.parts.len()],
        };
        if !is_needed.contains(&true)
            && let Some(first) = is_needed.first_mut()
        {
            *first = true;
        }
        let mut bodies = Vec::new();
        let mut number = vec![None; setting.parts.len()];
        for (at, part) in setting.parts.iter().enumerate() {
            if is_needed[at] {
                number[at] = Some(bodies.len());
                bodies.push(self.body(setting.env, part, false, setting.targets.len())?);
            }
        }
        let Some(mut slots) = self.slots(setting, members, &mut bodies)? else { return Ok(None) };
        if has_folds && setting.parts.len() > 1 {
            let is_unordered = slots.iter().all(|slot| match slot {
                Slot::Array { .. } => true,
                Slot::Fold { operator, .. } => operator.is_unordered,
            });
            if !is_unordered && !self.are_in_order(bounds, setting.parts, space) {
                return Ok(None);
            }
        }
        let has_rest = match &division {
            Division::Grids(pieces) => pieces.iter().any(|(_, part)| part.is_none()),
            Division::Tests => true,
        };
        if has_rest {
            self.measure(setting, bounds, &division, space, &mut slots)?;
        }
        let is_guarded = has_folds && has_rest;
        // What is known of a body's index does not hold for all indices that are asked where they belong.
        let indices = match (&bodies[..], &division) {
            ([only], Division::Grids(_)) => only.indices.clone(),
            _ => {
                let high = |extent: Operand, this: &Self| this.bounds(extent).1.saturating_sub(1).max(0);
                space
                    .iter()
                    .map(|&extent| {
                        let high = high(extent, self);
                        self.new_size(0, high)
                    })
                    .collect()
            }
        };
        let mut blocks = Vec::new();
        for body in bodies {
            blocks.push(self.finished(setting, body, &slots, &indices, is_guarded)?);
        }
        let mut generators = Vec::new();
        match division {
            Division::Grids(pieces) => {
                let mut is_used = vec![false; blocks.len()];
                for (grid, part) in pieces {
                    let block = match part.and_then(|part| number[part]) {
                        None => self.rest(setting, &slots, &indices, is_guarded)?,
                        Some(at) if std::mem::replace(&mut is_used[at], true) => {
                            self.builder.func.copy_block(None, &blocks[at], &mut Renaming::new())
                        }
                        Some(at) => blocks[at].clone(),
                    };
                    generators.push(self.generator(bounds, &grid, block));
                }
            }
            Division::Tests => {
                let types = self.cell_types(&slots, is_guarded);
                let rest = self.rest(setting, &slots, &indices, is_guarded)?;
                let block = self.tested(setting, &types, &indices, space, blocks, rest)?;
                let extents: Vec<Extent> = space.iter().map(|extent| extent.extent()).collect();
                generators.push(Generator::full(&extents, block));
            }
        }
        let space: Vec<Extent> = space.iter().map(|extent| extent.extent()).collect();
        if generators.is_empty() && only_changes {
            // No index at all, so all stays as it is.
            return Ok(Some(members.iter().map(|&at| (at, unchanged(&setting.targets[at]))).collect()));
        }
        Ok(Some(self.emit_with_loop(setting, space, indices, generators, slots, is_guarded)))
    }

    /// True if every generator has just the indices that its bounds say.
    fn keeps_generators(
        &mut self,
        bounds: &mut Bounds,
        parts: &[Part<'p>],
        division: &Division,
        space: &[Operand],
    ) -> bool {
        let Division::Grids(pieces) = division else { return false };
        parts.iter().enumerate().all(|(at, part)| {
            let Some(grid) = bounds.grid(self, part, space) else { return false };
            let mut own = pieces.iter().filter(|(_, part)| *part == Some(at));
            match (own.next(), own.next()) {
                (None, _) => grid.is_empty(&bounds.order),
                (Some((only, _)), None) => *only == grid,
                (Some(_), Some(_)) => false,
            }
        })
    }

    /// True if all indices of a generator come before all of the next one. See Note [Order of folds].
    fn are_in_order(&mut self, bounds: &mut Bounds, parts: &[Part<'p>], space: &[Operand]) -> bool {
        let grids: Option<Vec<Grid>> = parts.iter().map(|part| bounds.grid(self, part, space)).collect();
        grids.is_some_and(|grids| {
            (0..grids.len()).all(|at| grids[at + 1..].iter().all(|later| grids[at].is_before(later, &bounds.order)))
        })
    }

    /// What each operation is in a with-loop of these bodies; `None` if a fold is none.
    fn slots(
        &mut self,
        setting: &Setting<'_, 'p>,
        members: &[usize],
        bodies: &mut [Body],
    ) -> Result<Option<Vec<Slot>>> {
        let mut slots = Vec::new();
        for &at in members {
            slots.push(match &setting.targets[at] {
                Target::Array { elsewhere, elem, .. } => {
                    let (shape, kind) = match elsewhere {
                        Elsewhere::Default(default) => (self.cell_shape(default, 0), FailureKind::ShapeMismatch),
                        Elsewhere::Source(source) => {
                            let rank = setting.parts.first().map_or(0, Part::rank);
                            (self.cell_shape(source, rank), FailureKind::ShapeMismatch)
                        }
                        Elsewhere::Zeros => {
                            let known = bodies.iter_mut().find(|body| body.cells.is_some());
                            let shape = match known {
                                Some(body) => {
                                    let cells = body.cells.as_ref().expect("one was found that has cells");
                                    let cell = cells[at].clone();
                                    self.lifted_shape(body, &cell)
                                }
                                None => {
                                    let zero = self.zero_like_elem(*elem);
                                    self.cell_shape(&zero, 0)
                                }
                            };
                            (shape, FailureKind::IrregularArray)
                        }
                    };
                    Slot::Array { at, shape, kind }
                }
                Target::Fold(fold) => match self.fold_operator(fold, at, bodies)? {
                    Some(operator) => Slot::Fold { at, operator: Box::new(operator) },
                    None => return Ok(None),
                },
                Target::Propagate { .. } => unreachable!("states are carried in order"),
            });
        }
        Ok(Some(slots))
    }

    /// Folds without arrays.
    fn folds(
        &mut self,
        setting: &Setting<'_, 'p>,
        bounds: &mut Bounds,
        members: &[usize],
    ) -> Result<Vec<(usize, Value)>> {
        if setting.parts.len() > 1
            && let Some(values) = self.common_fold(setting, bounds, members)?
        {
            return Ok(values);
        }
        // One after the other, each beginning with what the one before has made.
        let mut targets = setting.targets.to_vec();
        for part in setting.parts {
            let setting = Setting { parts: std::slice::from_ref(part), targets: &targets, ..*setting };
            for (at, value) in self.fold_over(&setting, members)? {
                if let Target::Fold(fold) = &mut targets[at] {
                    fold.neutral = value;
                }
            }
        }
        Ok(members.iter().map(|&at| (at, unchanged(&targets[at]))).collect())
    }

    /// Several generators of folds as one with-loop, if that takes all cells in the same order.
    fn common_fold(
        &mut self,
        setting: &Setting<'_, 'p>,
        bounds: &mut Bounds,
        members: &[usize],
    ) -> Result<Option<Vec<(usize, Value)>>> {
        let rank = setting.parts[0].rank();
        let is_plain =
            |part: &Part<'p>| part.rank() == rank && part.lower.iter().all(|&lower| self.bounds(lower).0 >= 0);
        if !setting.parts.iter().all(is_plain) {
            return Ok(None);
        }
        let mut space = setting.parts[0].upper.clone();
        for part in &setting.parts[1..] {
            for (extent, &upper) in space.iter_mut().zip(&part.upper) {
                *extent = self.larger(*extent, upper);
            }
        }
        let division = match bounds.divide(self, setting.parts, &space) {
            Division::Grids(mut pieces) => {
                pieces.retain(|(_, part)| part.is_some());
                Division::Grids(pieces)
            }
            Division::Tests => return Ok(None),
        };
        if !self.keeps_generators(bounds, setting.parts, &division, &space) {
            return Ok(None);
        }
        self.arrays(setting, bounds, &space, members)
    }

    /// Folds over one generator.
    fn fold_over(&mut self, setting: &Setting<'_, 'p>, members: &[usize]) -> Result<Vec<(usize, Value)>> {
        let part = &setting.parts[0];
        // Where a bound may be negative, indices are counted from it.
        let is_moved = part.lower.iter().any(|&lower| self.bounds(lower).0 < 0);
        let mut bodies = vec![self.body(setting.env, part, is_moved, setting.targets.len())?];
        let Some(slots) = self.slots(setting, members, &mut bodies)? else {
            let values = self.in_order(setting.env, setting.targets, members, setting.parts, setting.span)?;
            return Ok(members.iter().copied().zip(values).collect());
        };
        let body = bodies.remove(0);
        let indices = body.indices.clone();
        let zero = Operand::i64(0);
        let (lower, upper) = if is_moved {
            let mut upper = Vec::new();
            for (&lower, &end) in part.lower.iter().zip(&part.upper) {
                let length = self.difference(end, lower);
                upper.push(self.larger(length, zero));
            }
            (vec![zero; part.rank()], upper)
        } else {
            (part.lower.clone(), part.upper.clone())
        };
        let constant = |period: Option<(Operand, Operand)>| match period {
            None => Some((1, 1)),
            Some((step, width)) => {
                let number = |operand: Operand| operand.constant().and_then(Const::as_i64);
                Some((number(step)?, number(width)?))
            }
        };
        let periods: Option<Vec<(i64, i64)>> = part.periods.iter().copied().map(constant).collect();
        let is_guarded = periods.is_none();
        let mut block = self.finished(setting, body, &slots, &indices, is_guarded)?;
        if is_guarded {
            // The index set's period is not known: each index is asked whether it belongs.
            let counted = Part { lower: lower.clone(), upper: upper.clone(), ..part.clone() };
            let index: Vec<Operand> = indices.iter().map(|&index| index.into()).collect();
            let types = self.cell_types(&slots, true);
            let otherwise = self.rest(setting, &slots, &indices, true)?;
            let (mut outer, results) = self.in_block(|this| {
                let cond = this.is_index_of(&counted, &index, &lower, &upper);
                Ok(this.choice(cond, block, otherwise, &types))
            })?;
            outer.results = results.expect("a choice does not fail");
            block = outer;
        }
        let periods = periods.unwrap_or_else(|| vec![(1, 1); part.rank()]);
        let space = upper.iter().map(|extent| extent.extent()).collect();
        let generator = Generator {
            lower,
            upper,
            step: periods.iter().map(|period| period.0).collect(),
            width: periods.iter().map(|period| period.1).collect(),
            body: block,
        };
        Ok(self.emit_with_loop(setting, space, indices, vec![generator], slots, is_guarded))
    }
}

/// What an operation makes if there is no index.
fn unchanged(target: &Target) -> Value {
    match target {
        Target::Array { elsewhere: Elsewhere::Source(value), .. } | Target::Fold(Fold { neutral: value, .. }) => {
            value.clone()
        }
        Target::Array { .. } | Target::Propagate { .. } => unreachable!("an array without a source is made"),
    }
}

// Note [Order of folds]
//
// The language takes the cells of a fold generator by generator, each in row-major order. The array IR takes them in the row-major
// order of the index space. Both are the same if the indices of each generator come before those of the next one; and the order does not
// matter if the function is one of integers or truth values that may exchange and regroup its operands. Otherwise generators become
// with-loops one after the other, each of which begins with the result of the one before: so sums of reals have the same bits.
