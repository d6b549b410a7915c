//! Generators: which indices their bounds, steps and widths denote, that they lie within the results, and which of them fall to
//! which generator.

use super::bounds::{Bound, Order};
use super::boxes::{Axis, Grid, MAX_PARTS, remainder};
use super::value::{Data, Env, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Basic, Expr, Generator};
use frit_ir::array::{Extent, Op, Operand, Type};
use frit_ir::{BinOp, Const, FailureKind};
use frit_support::Span;
use frit_support::poly::Poly;
use std::collections::HashMap;

/// Truth, as an operand.
const TRUE: Operand = Operand::Const(Const::Bool(true));
/// Falsehood, as an operand.
const FALSE: Operand = Operand::Const(Const::Bool(false));

/// A generator whose bounds are known.
#[derive(Clone, Debug)]
pub(super) struct Part<'p> {
    /// Its block and cells.
    pub(super) generator: &'p Generator,
    /// Lower bounds, `i64`.
    pub(super) lower: Vec<Operand>,
    /// Upper bounds, not included.
    pub(super) upper: Vec<Operand>,
    /// Per axis period and width, `i64`, at least 1; `None` if all indices belong.
    pub(super) periods: Vec<Option<(Operand, Operand)>>,
}

/// What numbers are known to be in the order of, and by which operands.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// The order.
    pub(super) order: Order,
    names: HashMap<Poly<frit_ir::array::Value>, Operand>,
}

/// Which indices get the cells of which generator.
#[derive(Debug)]
pub(super) enum Division {
    /// Disjoint grids with the number of a generator; `None` where none reaches.
    Grids(Vec<(Grid, Option<usize>)>),
    /// That is found out index by index.
    Tests,
}

impl Part<'_> {
    /// The number of components of indices.
    pub(super) fn rank(&self) -> usize {
        self.lower.len()
    }

    /// The bounds, steps and widths, if all are constants.
    pub(super) fn constant(&self) -> Option<Vec<ConstantAxis>> {
        let number = |operand: Operand| operand.constant().and_then(Const::as_i64);
        let axis = |at: usize| {
            let (step, width) = match self.periods[at] {
                None => (1, 1),
                Some((step, width)) => (number(step)?, number(width)?),
            };
            Some(ConstantAxis { lower: number(self.lower[at])?, upper: number(self.upper[at])?, step, width })
        };
        (0..self.rank()).map(axis).collect()
    }
}

/// The indices of one axis, if all is constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstantAxis {
    lower: i64,
    upper: i64,
    step: i64,
    width: i64,
}

impl ConstantAxis {
    /// The indices, if they are at most so many.
    pub(super) fn indices(self, limit: usize) -> Option<Vec<i64>> {
        let mut indices = Vec::new();
        let mut period = self.lower;
        while period < self.upper {
            for at in period..self.upper.min(period.saturating_add(self.width.min(self.step))) {
                if indices.len() == limit {
                    return None;
                }
                indices.push(at);
            }
            period = period.saturating_add(self.step);
        }
        Some(indices)
    }
}

impl Bounds {
    /// An operand as a bound; what is known of it is remembered.
    pub(super) fn bound(&mut self, specialiser: &Specialiser, operand: Operand) -> Bound {
        let form = specialiser.facts.form(operand);
        if !form.is_constant() && self.names.insert(form.clone(), operand).is_none() {
            for (monomial, _) in form.terms() {
                for &(symbol, _) in monomial.powers() {
                    let (low, high) = specialiser.bounds(symbol.into());
                    self.order.learn_range(&Poly::symbol(symbol), low, high);
                }
            }
            let (low, high) = specialiser.bounds(operand);
            if form.as_symbol().is_none() {
                self.order.learn_range(&form, low, high);
            }
        }
        Bound::Sum(form)
    }

    /// The operand that a bound is.
    pub(super) fn operand(&mut self, specialiser: &mut Specialiser, bound: &Bound) -> Operand {
        match bound {
            Bound::Sum(form) => {
                if let Some(&known) = self.names.get(form) {
                    return known;
                }
                let made = specialiser.sum_of(form);
                self.names.insert(form.clone(), made);
                made
            }
            Bound::Min(parts) | Bound::Max(parts) => {
                let is_min = matches!(bound, Bound::Min(_));
                let operands: Vec<Operand> = parts.iter().map(|part| self.operand(specialiser, part)).collect();
                let pick = |x, y| if is_min { specialiser.smaller(x, y) } else { specialiser.larger(x, y) };
                operands.into_iter().reduce(pick).expect("a minimum has parts")
            }
        }
    }

    /// The indices of a generator within these extents, if its periods are constants.
    pub(super) fn grid(&mut self, specialiser: &Specialiser, part: &Part, space: &[Operand]) -> Option<Grid> {
        let number = |operand: Operand| operand.constant().and_then(Const::as_i64);
        let mut axes = Vec::new();
        for (at, &extent) in space.iter().enumerate() {
            // No index is outside, but the ends of a box without any may be, and the end of the last period.
            let lower = self.bound(specialiser, part.lower[at]);
            let lower = self.order.max(&lower, &Bound::constant(0));
            let upper = self.bound(specialiser, part.upper[at]);
            let extent = self.bound(specialiser, extent);
            let upper = self.order.min(&upper, &extent);
            axes.push(match part.periods[at] {
                None => Axis::dense(lower, upper),
                Some((step, width)) => Axis::periodic(lower, upper, number(step)?, number(width)?),
            });
        }
        Some(Grid { axes })
    }

    /// Which generator says the cells at which indices of a space, if the first one that reaches an index does.
    pub(super) fn divide(&mut self, specialiser: &Specialiser, parts: &[Part], space: &[Operand]) -> Division {
        let extents: Vec<Bound> = space.iter().map(|&extent| self.bound(specialiser, extent)).collect();
        let Some(grids) = parts.iter().map(|part| self.grid(specialiser, part, space)).collect::<Option<Vec<Grid>>>()
        else {
            return Division::Tests;
        };
        let mut pieces = Vec::new();
        for (at, grid) in grids.iter().enumerate() {
            if grid.is_empty(&self.order) {
                continue;
            }
            match remainder(grid, &grids[..at], &self.order) {
                Some(own) => pieces.extend(own.into_iter().map(|grid| (grid, Some(at)))),
                None => return Division::Tests,
            }
        }
        match remainder(&Grid::full(&extents), &grids, &self.order) {
            Some(rest) => pieces.extend(rest.into_iter().map(|grid| (grid, None))),
            None => return Division::Tests,
        }
        if pieces.len() > MAX_PARTS { Division::Tests } else { Division::Grids(pieces) }
    }
}

impl<'p> Specialiser<'p> {
    /// Ends the block: this check fails, with these numbers.
    pub(super) fn fail_numbers<T>(&mut self, kind: FailureKind, numbers: &[i64], span: Span) -> Result<T> {
        self.fail_with(kind, numbers.iter().map(|&n| Operand::i64(n)).collect(), span)
    }

    /// Both.
    pub(super) fn both(&mut self, x: Operand, y: Operand) -> Operand {
        match (x, y) {
            (TRUE, other) | (other, TRUE) => other,
            (FALSE, _) | (_, FALSE) => FALSE,
            _ => self.total_binary(BinOp::AND, x, y),
        }
    }

    /// One of both.
    pub(super) fn either(&mut self, x: Operand, y: Operand) -> Operand {
        match (x, y) {
            (FALSE, other) | (other, FALSE) => other,
            (TRUE, _) | (_, TRUE) => TRUE,
            _ => self.total_binary(BinOp::OR, x, y),
        }
    }

    /// The value of a polynomial.
    fn sum_of(&mut self, form: &Poly<frit_ir::array::Value>) -> Operand {
        let mut total: Option<Operand> = None;
        // Constants come last, and what is subtracted after what it is subtracted from.
        let (mut terms, mut negative) = (Vec::new(), Vec::new());
        for (monomial, factor) in form.terms() {
            if monomial.is_one() || factor < 0 {
                negative.push((monomial, factor))
            } else {
                terms.push((monomial, factor))
            }
        }
        terms.extend(negative.into_iter().rev());
        for (monomial, factor) in terms {
            let symbols = monomial.powers().iter().flat_map(|&(symbol, n)| (0..n).map(move |_| Operand::from(symbol)));
            let product = symbols.reduce(|x, y| self.product(x, y));
            total = Some(match (total, product) {
                (None, None) => Operand::i64(factor),
                (Some(sum), None) => self.sum(sum, Operand::i64(factor)),
                (Some(sum), Some(product)) if factor == -1 => self.difference(sum, product),
                (total, Some(product)) => {
                    let term = self.product(product, Operand::i64(factor));
                    total.map_or(term, |sum| self.sum(sum, term))
                }
            });
        }
        total.unwrap_or(Operand::i64(0))
    }

    /// The bounds of a generator. `extents` are those of the result that dots speak of.
    pub(super) fn part(
        &mut self,
        env: &mut Env,
        generator: &'p Generator,
        extents: Option<&[Operand]>,
    ) -> Result<Part<'p>> {
        let lower = self.bound_value(env, generator.lower.as_ref())?;
        let upper = self.bound_value(env, generator.upper.as_ref())?;
        let step = self.bound_value(env, generator.step.as_ref())?;
        let width = self.bound_value(env, generator.width.as_ref())?;
        let vectors = [&lower, &upper, &step, &width];
        let vector = vectors.into_iter().flatten().find(|(value, _)| self.rank(value) > 0);
        let rank = match (&generator.scalars, vector, extents) {
            (Some(scalars), ..) => scalars.len(),
            (None, Some((value, span)), extents) => match (self.data_shape(value)[0], extents) {
                (Extent::Const(n), _) => usize::try_from(n).unwrap_or(0),
                (Extent::Value(_), Some(extents)) => extents.len(),
                (Extent::Value(_), None) => return self.unsupported(Reason::RankDependsOnData, *span),
            },
            (None, None, Some(extents)) => extents.len(),
            // A fold over numbers.
            (None, None, None) => 1,
        };
        let mut lower = match lower {
            None => vec![Operand::i64(0); rank],
            Some((value, span)) => self.index_components(&value, rank, extents.is_some(), span)?,
        };
        let mut upper = match (upper, extents) {
            (Some((value, span)), extents) => self.index_components(&value, rank, extents.is_some(), span)?,
            (None, Some(extents)) if rank <= extents.len() => {
                extents[..rank].iter().map(|&n| self.difference(n, Operand::i64(1))).collect()
            }
            (None, extents) => {
                let found = [extents.map_or(0, <[Operand]>::len) as i64, rank as i64];
                return self.fail_numbers(FailureKind::IndexLength, &found, generator.span);
            }
        };
        if generator.lower_is_exclusive {
            lower = lower.into_iter().map(|bound| self.sum(bound, Operand::i64(1))).collect();
        }
        if generator.upper_is_inclusive {
            upper = upper.into_iter().map(|bound| self.sum(bound, Operand::i64(1))).collect();
        }
        let steps = self.period(step, rank)?;
        let widths = self.period(width, rank)?;
        let mut periods = Vec::new();
        for (step, width) in steps.into_iter().zip(widths) {
            periods.push((!self.is_at_most(step, width)).then_some((step, width)));
        }
        Ok(Part { generator, lower, upper, periods })
    }

    fn bound_value(&mut self, env: &mut Env, bound: Option<&'p Expr>) -> Result<Option<(Value, Span)>> {
        let Some(bound) = bound else { return Ok(None) };
        let value = self.expr(env, bound)?;
        let rank = self.rank(&value);
        if rank > 1 {
            return self.fail_numbers(FailureKind::RankMismatch, &[1, rank as i64], bound.span);
        }
        Ok(Some((value, bound.span)))
    }

    /// The components of a vector of this length, or a scalar so many times, as `i64`. If all that matters is whether and where they
    /// are in an array, they may be exact where the language's have wrapped.
    fn index_components(&mut self, value: &Value, rank: usize, is_in_array: bool, span: Span) -> Result<Vec<Operand>> {
        let scalars = match &value.data {
            Data::Components { shape, scalars } if shape.is_empty() => vec![scalars[0]; rank],
            Data::Components { scalars, .. } if scalars.len() == rank => scalars.clone(),
            Data::Components { scalars, .. } => {
                return self.fail_numbers(FailureKind::IndexLength, &[rank as i64, scalars.len() as i64], span);
            }
            Data::Array(array) => {
                let array = *array;
                let length = self.builder.func.ty(array).shape[0].into();
                let fits = self.equal(Operand::i64(rank as i64), length);
                self.assert(fits, FailureKind::IndexLength, vec![Operand::i64(rank as i64), length], span)?;
                if fits == TRUE {
                    self.small_vector(value, span)?
                } else {
                    let mut scalars = Vec::new();
                    for at in 0..rank {
                        let op = Op::Index { array, indices: vec![Operand::i64(at as i64)] };
                        let element = self.emit_one_under(op, Type::scalar(Basic::Int.scalar()), &[]);
                        scalars.push(Scalar::operand(Basic::Int, element.into()));
                    }
                    scalars
                }
            }
            Data::Struct { .. } => return self.unsupported(Reason::RankDependsOnData, span),
        };
        let component = |scalar| if is_in_array { self.as_index(scalar) } else { self.as_exact(scalar) };
        Ok(scalars.into_iter().map(component).collect())
    }

    /// Steps or widths, which must be positive.
    fn period(&mut self, value: Option<(Value, Span)>, rank: usize) -> Result<Vec<Operand>> {
        let Some((value, span)) = value else { return Ok(vec![Operand::i64(1); rank]) };
        let periods = self.index_components(&value, rank, false, span)?;
        for &period in &periods {
            let is_positive = self.at_most(Operand::i64(1), period);
            self.assert(is_positive, FailureKind::BadStep, vec![period], span)?;
        }
        Ok(periods)
    }

    /// Checks that all indices of a generator are within a result of these extents.
    pub(super) fn check_inside(&mut self, bounds: &mut Bounds, part: &Part, extents: &[Operand]) -> Result<()> {
        let span = part.generator.span;
        let zero = Operand::i64(0);
        let known: Vec<(Bound, Bound, Bound)> = (0..part.rank())
            .map(|at| {
                let lower = bounds.bound(self, part.lower[at]);
                let upper = bounds.bound(self, part.upper[at]);
                (lower, upper, bounds.bound(self, extents[at]))
            })
            .collect();
        if known.iter().any(|(lower, upper, _)| bounds.order.at_most(upper, lower)) {
            return Ok(());
        }
        for at in 0..part.rank() {
            let (lower, upper, extent) = &known[at];
            let begins = bounds.order.at_most(&Bound::constant(0), lower);
            if begins && bounds.order.at_most(upper, extent) {
                continue;
            }
            let last = self.last_index(part, at);
            // An index beyond the end is there only if the box is not empty, and that an upper bound beyond the end says itself
            // where the lower bound is not.
            let is_told_by_upper = begins && part.periods[at].is_none() && bounds.order.at_most(lower, extent);
            let mut nothing = FALSE;
            for (other, (lower, upper, _)) in known.iter().enumerate() {
                let has_some = bounds.order.at_most(&lower.plus_constant(1), upper);
                let is_told = other == at && is_told_by_upper;
                if !(has_some || is_told) {
                    let is_empty = self.at_most(part.upper[other], part.lower[other]);
                    nothing = self.either(nothing, is_empty);
                }
            }
            let begins_inside = if begins { TRUE } else { self.at_most(zero, part.lower[at]) };
            let ends_inside = self.below(last, extents[at]);
            let inside = self.both(begins_inside, ends_inside);
            let fits = self.either(inside, nothing);
            if fits != TRUE {
                let before = if begins { FALSE } else { self.below(part.lower[at], zero) };
                let outside = self.total_select(before, part.lower[at], last);
                self.assert(fits, FailureKind::GeneratorOutside, vec![outside, extents[at]], span)?;
            }
            if nothing == FALSE {
                bounds.order.learn_at_most(&Bound::constant(0), lower);
                if part.periods[at].is_none() {
                    bounds.order.learn_at_most(upper, extent);
                }
            }
        }
        Ok(())
    }

    /// The last index of a generator on an axis, if it has one.
    fn last_index(&mut self, part: &Part, at: usize) -> Operand {
        let end = self.difference(part.upper[at], Operand::i64(1));
        let Some((step, width)) = part.periods[at] else { return end };
        let reach = self.difference(end, part.lower[at]);
        // The step is positive, by a check that ends the program before this is used.
        let certs = self.certs();
        let rest = self.remainder_under(reach, step, certs);
        let begin = self.difference(reach, rest);
        let most = self.difference(width, Operand::i64(1));
        let within = self.smaller(rest, most);
        let distance = self.sum(begin, within);
        self.sum(part.lower[at], distance)
    }

    /// The remainder by a positive number, which the certificates say it is.
    pub(super) fn remainder_under(&mut self, x: Operand, y: Operand, certs: Vec<frit_ir::array::Value>) -> Operand {
        if let (Some(a), Some(b)) = (x.constant(), y.constant())
            && let Some(folded) = BinOp::FLOOR_MOD.eval(a, b)
        {
            return folded.into();
        }
        if y.constant().is_some() {
            return self.total_binary(BinOp::FLOOR_MOD, x, y);
        }
        self.count_statement();
        self.builder.binary_under(BinOp::FLOOR_MOD, x, y, certs)
    }

    /// Whether an index is one of a generator's. `from` and `to` are bounds that it is known to be between.
    pub(super) fn is_index_of(&mut self, part: &Part, index: &[Operand], from: &[Operand], to: &[Operand]) -> Operand {
        let mut belongs = TRUE;
        for (at, &component) in index.iter().enumerate() {
            if !self.is_at_most(part.lower[at], from[at]) {
                let begins = self.at_most(part.lower[at], component);
                belongs = self.both(belongs, begins);
            }
            if !self.is_at_most(to[at], part.upper[at]) {
                let ends = self.below(component, part.upper[at]);
                belongs = self.both(belongs, ends);
            }
            if let Some((step, width)) = part.periods[at] {
                let distance = self.difference(component, part.lower[at]);
                let certs = self.certs();
                let phase = self.remainder_under(distance, step, certs);
                let is_on = self.below(phase, width);
                belongs = self.both(belongs, is_on);
            }
        }
        belongs
    }
}
