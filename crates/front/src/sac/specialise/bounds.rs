//! Bounds of generators as numbers that are compared and cut before there is a statement for them: polynomials over the `i64`
//! values of the function, and minima and maxima of such.

use frit_ir::array::Value;
use frit_support::poly::{Monomial, Poly};
use std::collections::HashMap;

/// Numbers are proved not to be negative by adding up to so many facts.
const DEPTH: usize = 2;
/// More facts than this are not tried.
const MAX_FACTS: usize = 24;
/// Sums beyond this may have wrapped: nothing is concluded from them.
const MAX_COEFFICIENT: u64 = 1 << 40;

/// A bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Bound {
    /// A sum of products.
    Sum(Poly<Value>),
    /// The least of at least two, ascending.
    Min(Vec<Bound>),
    /// The greatest of at least two, ascending.
    Max(Vec<Bound>),
}

impl Bound {
    /// A constant.
    pub(super) fn constant(value: i64) -> Self {
        Bound::Sum(Poly::constant(value))
    }

    /// The sum of both.
    pub(super) fn plus(&self, distance: &Poly<Value>) -> Self {
        let all = |bounds: &[Bound]| {
            let mut moved: Vec<Bound> = bounds.iter().map(|bound| bound.plus(distance)).collect();
            moved.sort();
            moved
        };
        match self {
            Bound::Sum(sum) => Bound::Sum(sum + distance),
            Bound::Min(bounds) => Bound::Min(all(bounds)),
            Bound::Max(bounds) => Bound::Max(all(bounds)),
        }
    }

    /// The sum with a constant.
    pub(super) fn plus_constant(&self, distance: i64) -> Self {
        if distance == 0 { self.clone() } else { self.plus(&Poly::constant(distance)) }
    }

    /// The remainder of `self - anchor`, if it is known whatever the values are.
    pub(super) fn distance_modulo(&self, anchor: &Bound, modulus: i64) -> Option<i64> {
        if self == anchor {
            return Some(0);
        }
        match (self, anchor) {
            (Bound::Sum(x), Bound::Sum(y)) => {
                let difference = x - y;
                let is_multiple =
                    |(monomial, factor): (&Monomial<Value>, i64)| monomial.is_one() || factor % modulus == 0;
                difference.terms().all(is_multiple).then(|| difference.constant_term().rem_euclid(modulus))
            }
            (Bound::Min(parts) | Bound::Max(parts), _) => {
                common(parts.iter().map(|part| part.distance_modulo(anchor, modulus)))
            }
            (_, Bound::Min(parts) | Bound::Max(parts)) => {
                common(parts.iter().map(|part| self.distance_modulo(part, modulus)))
            }
        }
    }
}

/// What all of them are.
fn common(mut values: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    let first = values.next()??;
    values.all(|value| value == Some(first)).then_some(first)
}

/// What is known of values while bounds are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    ranges: HashMap<Value, (i64, i64)>,
    not_negative: Vec<Poly<Value>>,
}

impl Order {
    /// The number is from `low` to `high`.
    pub(super) fn learn_range(&mut self, number: &Poly<Value>, low: i64, high: i64) {
        if let Some(&value) = number.as_symbol() {
            let known = self.ranges.entry(value).or_insert((low, high));
            *known = (known.0.max(low), known.1.min(high));
        } else if !number.is_constant() {
            if low.unsigned_abs() < MAX_COEFFICIENT {
                self.learn_not_negative(number - &Poly::constant(low));
            }
            if high.unsigned_abs() < MAX_COEFFICIENT {
                self.learn_not_negative(&Poly::constant(high) - number);
            }
        }
    }

    /// The number is not negative.
    pub(super) fn learn_not_negative(&mut self, number: Poly<Value>) {
        if self.not_negative.len() < MAX_FACTS && self.least(&number).is_none_or(|least| least < 0) {
            self.not_negative.push(number);
        }
    }

    /// What is known when `x <= y` is.
    pub(super) fn learn_at_most(&mut self, x: &Bound, y: &Bound) {
        match (x, y) {
            (Bound::Sum(x), Bound::Sum(y)) => self.learn_not_negative(y - x),
            (Bound::Max(parts), _) => parts.iter().for_each(|part| self.learn_at_most(part, y)),
            (_, Bound::Min(parts)) => parts.iter().for_each(|part| self.learn_at_most(x, part)),
            (Bound::Min(_), Bound::Sum(_) | Bound::Max(_)) | (Bound::Sum(_), Bound::Max(_)) => {}
        }
    }

    /// True if `x <= y` is proved.
    pub(super) fn at_most(&self, x: &Bound, y: &Bound) -> bool {
        if x == y {
            return true;
        }
        match (x, y) {
            (Bound::Sum(x), Bound::Sum(y)) => match (x.as_constant(), y.as_constant()) {
                (Some(x), Some(y)) => x <= y,
                _ => self.is_not_negative(&(y - x), DEPTH),
            },
            (Bound::Max(parts), _) => parts.iter().all(|part| self.at_most(part, y)),
            (_, Bound::Min(parts)) => parts.iter().all(|part| self.at_most(x, part)),
            (Bound::Min(some), Bound::Max(others)) => {
                some.iter().any(|part| self.at_most(part, y)) || others.iter().any(|part| self.at_most(x, part))
            }
            (Bound::Min(parts), Bound::Sum(_)) => parts.iter().any(|part| self.at_most(part, y)),
            (Bound::Sum(_), Bound::Max(parts)) => parts.iter().any(|part| self.at_most(x, part)),
        }
    }

    /// The larger of two.
    pub(super) fn max(&self, x: &Bound, y: &Bound) -> Bound {
        let parts = |bound: &Bound| match bound {
            Bound::Max(parts) => parts.clone(),
            Bound::Sum(_) | Bound::Min(_) => vec![bound.clone()],
        };
        self.extreme(parts(x), parts(y), |x, y| self.at_most(x, y), Bound::Max)
    }

    /// The smaller of two.
    pub(super) fn min(&self, x: &Bound, y: &Bound) -> Bound {
        let parts = |bound: &Bound| match bound {
            Bound::Min(parts) => parts.clone(),
            Bound::Sum(_) | Bound::Max(_) => vec![bound.clone()],
        };
        self.extreme(parts(x), parts(y), |x, y| self.at_most(y, x), Bound::Min)
    }

    /// All parts but those that another one makes superfluous.
    fn extreme(
        &self,
        mut kept: Vec<Bound>,
        others: Vec<Bound>,
        yields_to: impl Fn(&Bound, &Bound) -> bool,
        make: impl Fn(Vec<Bound>) -> Bound,
    ) -> Bound {
        for other in others {
            if !kept.iter().any(|part| yields_to(&other, part)) {
                kept.retain(|part| !yields_to(part, &other));
                kept.push(other);
            }
        }
        if kept.len() == 1 {
            return kept.remove(0);
        }
        kept.sort();
        make(kept)
    }

    fn is_not_negative(&self, number: &Poly<Value>, depth: usize) -> bool {
        if number.terms().any(|(_, factor)| factor.unsigned_abs() > MAX_COEFFICIENT) {
            return false;
        }
        if self.least(number).is_some_and(|least| least >= 0) {
            return true;
        }
        depth > 0
            && self.not_negative.iter().any(|fact| {
                // A fact that has no term in common leads nowhere.
                fact.terms().any(|(monomial, factor)| {
                    !monomial.is_one() && number.coefficient(monomial).signum() == factor.signum()
                }) && self.is_not_negative(&(number - fact), depth - 1)
            })
    }

    /// The least value that the number can have by the ranges of its symbols.
    fn least(&self, number: &Poly<Value>) -> Option<i128> {
        let mut sum = 0i128;
        for (monomial, factor) in number.terms() {
            let (mut low, mut high) = (i128::from(factor), i128::from(factor));
            for (symbol, exponent) in monomial.powers() {
                let &(least, most) = self.ranges.get(symbol)?;
                for _ in 0..*exponent {
                    let ends = [low, high].into_iter().flat_map(|x| [least, most].map(|y| x.checked_mul(y.into())));
                    let ends: Vec<i128> = ends.collect::<Option<_>>()?;
                    low = *ends.iter().min().expect("there are four");
                    high = *ends.iter().max().expect("there are four");
                }
            }
            sum = sum.checked_add(low)?;
        }
        Some(sum)
    }
}
