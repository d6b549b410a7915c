//! With-loops of few known indices: their cells are computed one by one, so that what is computed from shapes stays known.

use super::fold::Fold;
use super::generators::Part;
use super::value::{Data, Env, Scalar, Value};
use super::with_loop::{Elsewhere, Target};
use super::{Result, Specialiser};
use crate::sac::core::Basic;
use frit_ir::Const;
use frit_ir::array::Operand;

/// Vectors of integers are unrolled up to so many elements: shapes and indices.
const MAX_INTEGERS: usize = 8;
/// Any arrays up to so many.
const MAX_ELEMENTS: usize = 4;
/// Folds up to so many indices.
const MAX_FOLDED: usize = 8;
/// Unless their cells take more statements than this, on average.
const MAX_STATEMENTS: usize = 24;

/// The cells of an operation so far.
enum Collected {
    /// Those of an array, in the order of the index space.
    Cells(Vec<Option<Value>>),
    /// The accumulator of a fold.
    Accumulator(Value),
}

impl<'p> Specialiser<'p> {
    /// The values of a with-loop of few known indices; `None` if it is none, or would become too long.
    pub(super) fn unrolled(&mut self, env: &Env, targets: &[Target], parts: &[Part<'p>]) -> Result<Option<Vec<Value>>> {
        let rank = parts.first().map(Part::rank);
        if targets.is_empty() {
            return Ok(None);
        }
        let mut limit = if rank == Some(0) { 1 } else { MAX_FOLDED };
        let mut spaces = Vec::new();
        for target in targets {
            let (extents, elsewhere, elem) = match target {
                Target::Array { extents, elsewhere, elem } => (extents, elsewhere, elem),
                Target::Fold(_) => {
                    spaces.push(Vec::new());
                    continue;
                }
                Target::Propagate { .. } => return Ok(None),
            };
            let frame = &extents[..rank.unwrap_or(extents.len())];
            let number = |operand: &Operand| operand.constant().and_then(Const::as_i64);
            let Some(space) = frame.iter().map(number).collect::<Option<Vec<i64>>>() else { return Ok(None) };
            let is_integer = self.basic(*elem).is_some_and(|basic| basic == Basic::Int);
            if rank != Some(0) && !(is_integer && extents.len() == 1) {
                limit = limit.min(MAX_ELEMENTS);
            }
            let is_small = match elsewhere {
                Elsewhere::Default(value) | Elsewhere::Source(value) => matches!(value.data, Data::Components { .. }),
                Elsewhere::Zeros => self.basic(*elem).is_some(),
            };
            if rank != Some(0) && !is_small {
                return Ok(None);
            }
            if space.iter().try_fold(1i64, |count, &n| count.checked_mul(n)).is_none_or(|count| count > limit as i64) {
                return Ok(None);
            }
            spaces.push(space);
        }
        let Some(indices) = self.all_indices(parts, limit) else { return Ok(None) };
        if self.keeps_loops {
            return Ok(None);
        }
        let has_stop = |target: &Target| matches!(target, Target::Fold(Fold { stop: Some(_), .. }));
        if targets.iter().any(has_stop) {
            return Ok(None);
        }
        self.speculate(|this| this.unrolled_values(env, targets, parts, &spaces, &indices))
    }

    /// The indices of each generator in order, if all are constants and they are not more than so many together.
    fn all_indices(&self, parts: &[Part<'p>], limit: usize) -> Option<Vec<Vec<Vec<i64>>>> {
        let mut left = limit;
        let mut all = Vec::new();
        for part in parts {
            let mut indices = vec![Vec::new()];
            for axis in part.constant()? {
                let components = axis.indices(limit)?;
                let extended = indices.iter().flat_map(|index: &Vec<i64>| {
                    components.iter().map(move |&component| [&index[..], &[component]].concat())
                });
                indices = extended.take(limit + 1).collect();
            }
            left = left.checked_sub(indices.len())?;
            all.push(indices);
        }
        Some(all)
    }

    /// Does something that may turn out not to be worth it: then nothing of it is left.
    pub(super) fn speculate<T>(&mut self, attempt: impl FnOnce(&mut Self) -> Result<Option<T>>) -> Result<Option<T>> {
        let (token, statements, outer) = (self.token, self.statements, self.certs.len());
        let mut certs = Vec::new();
        let (block, outcome) = self.in_block(|this| {
            let outcome = attempt(this);
            certs = this.certs[outer..].to_vec();
            outcome
        })?;
        if let Some(None) = outcome {
            self.token = token;
            self.statements = statements;
            return Ok(None);
        }
        for stmt in block.stmts {
            stmt.results.iter().for_each(|&result| self.adopt(result));
            self.builder.push(stmt);
        }
        self.certs.extend(certs);
        match outcome {
            Some(value) => Ok(value),
            None => Err(super::Stop::Fails),
        }
    }

    fn unrolled_values(
        &mut self,
        env: &Env,
        targets: &[Target],
        parts: &[Part<'p>],
        spaces: &[Vec<i64>],
        indices: &[Vec<Vec<i64>>],
    ) -> Result<Option<Vec<Value>>> {
        let begin = self.statements;
        let mut collected: Vec<Collected> = targets
            .iter()
            .zip(spaces)
            .map(|(target, space)| match target {
                Target::Array { .. } => Collected::Cells(vec![None; space.iter().product::<i64>().max(0) as usize]),
                Target::Fold(fold) => Collected::Accumulator(fold.neutral.clone()),
                Target::Propagate { .. } => unreachable!("states are carried in order"),
            })
            .collect();
        let has_folds = targets.iter().any(|target| matches!(target, Target::Fold(_)));
        let mut done = 0;
        for (part, indices) in parts.iter().zip(indices) {
            for index in indices {
                let place = |space: &[i64]| {
                    index.iter().zip(space).fold(0, |at, (&component, &extent)| at * extent + component) as usize
                };
                let is_taken = collected.iter().zip(spaces).any(|(collected, space)| match collected {
                    Collected::Cells(cells) => cells[place(space)].is_some(),
                    Collected::Accumulator(_) => false,
                });
                if is_taken && !has_folds {
                    continue;
                }
                let scalars: Vec<Scalar> = index.iter().map(|&component| Scalar::int(component)).collect();
                let cells = self.cells_at(env, part, &scalars, targets.len())?;
                for (at, cell) in cells.into_iter().enumerate() {
                    match (&mut collected[at], &targets[at]) {
                        (Collected::Cells(cells), _) => {
                            if part.rank() > 0 && !matches!(cell.data, Data::Components { .. }) {
                                return Ok(None);
                            }
                            let slot = &mut cells[place(&spaces[at])];
                            if slot.is_none() {
                                *slot = Some(cell);
                            }
                        }
                        (Collected::Accumulator(accumulator), Target::Fold(fold)) => {
                            *accumulator = self.combine(fold, accumulator.clone(), cell)?;
                            if part.rank() > 0 && !matches!(accumulator.data, Data::Components { .. }) {
                                return Ok(None);
                            }
                        }
                        (Collected::Accumulator(_), Target::Array { .. } | Target::Propagate { .. }) => {
                            unreachable!("an array has no accumulator")
                        }
                    }
                }
                done += 1;
                if part.rank() > 0 && self.statements - begin > MAX_STATEMENTS * done.max(2) {
                    return Ok(None);
                }
            }
        }
        let mut values = Vec::new();
        for ((target, space), collected) in targets.iter().zip(spaces).zip(collected) {
            match (target, collected) {
                (_, Collected::Accumulator(accumulator)) => values.push(accumulator),
                (Target::Array { elsewhere, elem, .. }, Collected::Cells(cells)) => {
                    let Some(mut value) = self.unrolled_array(space, elsewhere, cells, parts.first()) else {
                        return Ok(None);
                    };
                    value.elem = *elem;
                    values.push(value);
                }
                (Target::Fold(_) | Target::Propagate { .. }, Collected::Cells(_)) => {
                    unreachable!("a fold has no cells")
                }
            }
        }
        Ok(Some(values))
    }

    /// The array of cells; `None` if it is not small, or the cells do not fit together.
    fn unrolled_array(
        &mut self,
        space: &[i64],
        elsewhere: &Elsewhere,
        mut cells: Vec<Option<Value>>,
        part: Option<&Part<'p>>,
    ) -> Option<Value> {
        if space.is_empty() && part.is_some() {
            // The only cell is the result, if it has the right shape.
            let cell = cells.pop()??;
            let is_right = match elsewhere {
                Elsewhere::Default(other) | Elsewhere::Source(other) => {
                    let (needed, found) = (self.data_shape(other), self.data_shape(&cell));
                    needed.len() == found.len() && needed.iter().zip(found).all(|(&x, y)| self.same_extent(x, y))
                }
                Elsewhere::Zeros => true,
            };
            return is_right.then_some(cell);
        }
        let count = cells.len();
        let known = match elsewhere {
            Elsewhere::Default(default) => Some(default),
            Elsewhere::Zeros => cells.iter().flatten().next(),
            Elsewhere::Source(source) => {
                let Data::Components { shape, scalars } = &source.data else { return None };
                let mut scalars = scalars.clone();
                let inner = shape[space.len()..].to_vec();
                let size = inner.iter().product::<usize>();
                for (at, cell) in cells.iter().enumerate() {
                    match cell.as_ref().map(|cell| &cell.data) {
                        None => {}
                        Some(Data::Components { shape, scalars: own }) if *shape == inner => {
                            scalars[at * size..(at + 1) * size].copy_from_slice(own);
                        }
                        Some(_) => return None,
                    }
                }
                return Some(Value::components(source.elem, shape.clone(), scalars));
            }
        };
        // Without any cell the with-loop's general form tells what it would be like.
        let Data::Components { shape: inner, scalars: default } = &known?.data else { return None };
        let elem = known?.elem;
        let basic = self.basic(elem)?;
        let limit =
            if basic == Basic::Int && inner.is_empty() && space.len() == 1 { MAX_INTEGERS } else { MAX_ELEMENTS };
        if count * default.len() > limit {
            return None;
        }
        let mut scalars = Vec::new();
        for cell in &cells {
            match (cell.as_ref().map(|cell| &cell.data), elsewhere) {
                (Some(Data::Components { shape, scalars: own }), _) if shape == inner => scalars.extend(own),
                (Some(_), _) => return None,
                (None, Elsewhere::Zeros) => scalars.extend(vec![Scalar::zero(basic); default.len()]),
                (None, _) => scalars.extend(default),
            }
        }
        let shape = space.iter().map(|&n| n as usize).chain(inner.iter().copied()).collect();
        Some(Value::components(elem, shape, scalars))
    }
}
