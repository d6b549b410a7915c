//! Arrays of one dimension that stand for several: `a[i * w + j]` is row `i` and column `j` if `j` is never outside of a row.
//!
//! All accesses of an array have to agree on the strides, and every inner subscript has to lie within its extent wherever its statement runs; else
//! the array keeps its one dimension. Read `finish` next.

use super::affine::{Atom, Cond, Expr, split};
use super::builder::Builder;
use frit_support::Monomial;
use std::collections::BTreeMap;

/// An access of an array of one dimension: the number of loops round it, when it happens, and the subscript.
pub(crate) struct Flat {
    pub(crate) depth: usize,
    pub(crate) conds: Vec<Cond>,
    pub(crate) subscript: Expr,
}

/// An array of one dimension as one of several.
pub(crate) struct Shape {
    /// With what each subscript is multiplied; 1 for the last.
    pub(crate) strides: Vec<Expr>,
    /// For each access the subscripts.
    pub(crate) subscripts: Vec<Vec<Expr>>,
    /// What strides are longer by than a parameter.
    padding: Padding,
}

impl Shape {
    /// The extents, outermost first, of an array of this many elements; `None` where that is not known.
    pub(crate) fn extents(&self, elements: Option<Expr>) -> Vec<Option<Expr>> {
        let padded = |expr: &Expr| self.padding.hidden(expr);
        let of = |whole: &Expr, part: &Expr| Some(self.padding.shown(&quotient(&padded(whole), &padded(part))?));
        let outer = elements.and_then(|elements| of(&elements, &self.strides[0]));
        let inner = self.strides.windows(2).map(|pair| of(&pair[0], &pair[1]));
        std::iter::once(outer).chain(inner).collect()
    }
}

/// Rows with a margin: of `a[i * (w + 2) + j]` the stride is `w + 2`. Under the name of the parameter hides the whole stride, so that all are products again.
#[derive(Clone, Debug, Default)]
struct Padding(BTreeMap<Atom, i64>);

impl Padding {
    /// The margins of all strides that loop variables are multiplied with.
    fn of(accesses: &[Flat]) -> Self {
        let mut padding = Padding::default();
        while let Some((param, margin)) = accesses.iter().find_map(|access| padding.next(&access.subscript)) {
            padding.0.insert(param, margin);
        }
        padding
    }

    /// A parameter that a loop variable is multiplied with together with a number, where no other sum is left.
    fn next(&self, subscript: &Expr) -> Option<(Atom, i64)> {
        let mut factors: BTreeMap<Vec<Atom>, Expr> = BTreeMap::new();
        for (monomial, coefficient) in self.hidden(subscript).terms() {
            let (moving, fixed) = split(monomial);
            factors.entry(moving).or_insert_with(Expr::zero).add_term(fixed, coefficient);
        }
        factors.remove(&Vec::new());
        factors.values().find_map(|factor| {
            // What the sum is multiplied with is another stride.
            let common = factor.terms().next()?.0.clone();
            let common = factor.terms().fold(common, |common, (monomial, _)| shared(&common, monomial));
            let sum = quotient(factor, &Expr::term(common, 1))?;
            let margin = Expr::constant(sum.constant_term());
            let param = (&sum - &margin).as_symbol()?.clone();
            (!margin.is_zero() && !self.0.contains_key(&param)).then(|| (param, sum.constant_term()))
        })
    }

    /// With the parameters standing for the strides.
    fn hidden(&self, expr: &Expr) -> Expr {
        expr.replace(|atom| self.0.get(atom).map(|margin| Expr::symbol(atom.clone()) - Expr::constant(*margin)))
    }

    /// With the parameters standing for themselves.
    fn shown(&self, expr: &Expr) -> Expr {
        expr.replace(|atom| self.0.get(atom).map(|margin| Expr::symbol(atom.clone()) + Expr::constant(*margin)))
    }
}

/// Subscripts that are the sums of one number and multiples of a parameter: `a + k * s`.
pub(crate) struct Spacing {
    /// The number, in parameters.
    pub(crate) start: Expr,
    /// The parameter, or a product of parameters; perhaps negative.
    pub(crate) by: Expr,
    /// What it is multiplied with, for each access.
    pub(crate) multiples: Vec<Expr>,
}

/// What divides both.
fn shared(one: &Monomial<Atom>, other: &Monomial<Atom>) -> Monomial<Atom> {
    let powers = one.powers().iter().flat_map(|(atom, power)| {
        let times = (*power).min(other.exponent(atom));
        (0..times).map(|_| Monomial::symbol(atom.clone()))
    });
    powers.fold(Monomial::one(), |product, atom| product.times(&atom))
}

/// No array has more dimensions than this in a linear form.
const MOST_DIMENSIONS: usize = 6;

/// The quotient of two expressions, the second of one term, if there is no remainder.
pub(crate) fn quotient(expr: &Expr, by: &Expr) -> Option<Expr> {
    let (monomial, factor) = by.terms().next()?;
    if by.len() != 1 {
        return None;
    }
    let mut result = Expr::zero();
    for (term, coefficient) in expr.terms() {
        if coefficient % factor != 0 {
            return None;
        }
        result.add_term(term.divided_by(monomial)?, coefficient / factor);
    }
    Some(result)
}

impl Builder<'_, '_> {
    /// Subscripts as multiples of a parameter, if all of them are and no two multiples are the same element.
    pub(crate) fn spacing(&mut self, accesses: &[Flat]) -> Option<Spacing> {
        // What all that depends on loops is multiplied with.
        let mut common: Option<Monomial<Atom>> = None;
        let mut sign = 1;
        for (monomial, coefficient) in accesses.iter().flat_map(|access| access.subscript.terms()) {
            let (moving, fixed) = split(monomial);
            if !moving.is_empty() {
                sign = coefficient.signum();
                common = Some(common.map_or(fixed.clone(), |common| shared(&common, &fixed)));
            }
        }
        let common = common.filter(|common| !common.is_one())?;
        let mut start = None;
        let mut multiples = Vec::new();
        for access in accesses {
            let (mut whole, mut rest) = (Expr::zero(), Expr::zero());
            for (monomial, coefficient) in access.subscript.terms() {
                match monomial.divided_by(&common) {
                    Some(part) => whole.add_term(part, sign * coefficient),
                    None => rest.add_term(monomial.clone(), coefficient),
                }
            }
            if *start.get_or_insert(rest.clone()) != rest {
                return None;
            }
            multiples.push(whole);
        }
        // The multiples of 0 would be one element, and elements are counted from 0.
        let is_apart = accesses.iter().zip(&multiples).all(|(access, multiple)| {
            let factors = common.powers().iter().map(|(atom, _)| Expr::symbol(atom.clone()) - Expr::constant(1));
            let elements = self.params.is_affine(multiple).then(|| multiple.clone());
            let mut wrong = factors.chain(elements).map(|least| Cond::NonNegative(least).negated());
            wrong.all(|wrong| self.is_empty(access.depth, access.conds.iter().chain([&wrong])))
        });
        is_apart.then_some(Spacing { start: start?, by: Expr::term(common, sign), multiples })
    }

    /// Whether the numbers of the multiples are those of elements of an array of this many: the first of them is one.
    pub(crate) fn starts_inside(&mut self, spacing: &Spacing, elements: &Expr) -> bool {
        let outside = match spacing.by.terms().next() {
            Some((_, factor)) if factor > 0 => Cond::NonNegative(spacing.start.clone()).negated(),
            _ => Cond::at_most(elements, &spacing.start),
        };
        self.params.cond(&outside).is_some() && self.is_empty(0, [&outside].into_iter())
    }

    /// The dimensions that the accesses of an array of one dimension suggest, if all of them agree.
    pub(crate) fn delinearise(&mut self, accesses: &[Flat]) -> Option<Shape> {
        self.delinearise_padded(accesses, &Padding::default()).or_else(|| {
            let padding = Padding::of(accesses);
            if padding.0.is_empty() { None } else { self.delinearise_padded(accesses, &padding) }
        })
    }

    fn delinearise_padded(&mut self, accesses: &[Flat], padding: &Padding) -> Option<Shape> {
        let mut strides = parametric_strides(accesses, padding)?;
        let mut shape = None;
        if strides.len() > 1 {
            shape = Some(self.shape(accesses, &strides, padding)?);
        }
        // Rows of a constant number of elements.
        while strides.len() < MOST_DIMENSIONS {
            let innermost: Vec<Expr> = match &shape {
                Some(Shape { subscripts, .. }) => subscripts.iter().filter_map(|all| all.last().cloned()).collect(),
                None => accesses.iter().map(|access| access.subscript.clone()).collect(),
            };
            let Some(stride) = constant_stride(&innermost) else { break };
            let before = strides.len().checked_sub(2).and_then(|at| strides[at].as_constant());
            if before.is_some_and(|before| before <= stride || before % stride != 0) {
                break;
            }
            strides.insert(strides.len() - 1, Expr::constant(stride));
            match self.shape(accesses, &strides, padding) {
                Some(finer) => shape = Some(finer),
                None => break,
            }
        }
        shape
    }

    /// The subscripts for these strides, if all of them are within their extents.
    fn shape(&mut self, accesses: &[Flat], strides: &[Expr], padding: &Padding) -> Option<Shape> {
        let extent = |pair: &[Expr]| quotient(&pair[0], &pair[1]).map(|extent| padding.shown(&extent));
        let extents = strides.windows(2).map(extent).collect::<Option<Vec<Expr>>>()?;
        let mut subscripts = Vec::new();
        for access in accesses {
            let mut parts = decompose(&padding.hidden(&access.subscript), strides)?;
            parts.iter_mut().for_each(|part| *part = padding.shown(part));
            // From the right, so that what is carried over arrives to the left.
            for at in (1..parts.len()).rev() {
                let extent = &extents[at - 1];
                let carry = [0, 1, -1].into_iter().find(|carry| {
                    let shifted = &parts[at] + &extent.scale(*carry);
                    self.is_within(access, &shifted, extent)
                })?;
                parts[at] = &parts[at] + &extent.scale(carry);
                parts[at - 1] = &parts[at - 1] - &Expr::constant(carry);
            }
            if parts.iter().any(|part| !self.params.is_affine(part)) {
                return None;
            }
            subscripts.push(parts);
        }
        let strides = strides.iter().map(|stride| padding.shown(stride)).collect();
        Some(Shape { strides, subscripts, padding: padding.clone() })
    }

    /// Whether a subscript is in `0..extent` whenever the access happens.
    fn is_within(&mut self, access: &Flat, subscript: &Expr, extent: &Expr) -> bool {
        if let (Some(subscript), Some(extent)) = (subscript.as_constant(), extent.as_constant()) {
            return 0 <= subscript && subscript < extent;
        }
        if !self.params.is_affine(subscript) || self.params.expr(extent).is_none() {
            return false;
        }
        let outside = Cond::Or(vec![Cond::at_most(subscript, &Expr::constant(-1)), Cond::at_most(extent, subscript)]);
        let conds: Vec<&Cond> = access.conds.iter().chain([&outside]).collect();
        self.is_empty(access.depth, conds.into_iter())
    }
}

/// The products of parameters that loop variables are multiplied with, largest first, and 1.
fn parametric_strides(accesses: &[Flat], padding: &Padding) -> Option<Vec<Expr>> {
    let mut found: Vec<(Monomial<Atom>, i64)> = Vec::new();
    let subscripts: Vec<Expr> = accesses.iter().map(|access| padding.hidden(&access.subscript)).collect();
    for (monomial, coefficient) in subscripts.iter().flat_map(Expr::terms) {
        let (moving, fixed) = split(monomial);
        if moving.is_empty() || fixed.is_one() {
            continue;
        }
        match found.iter_mut().find(|(known, _)| *known == fixed) {
            Some((_, factor)) => *factor = gcd(*factor, coefficient),
            None => found.push((fixed, coefficient.abs())),
        }
    }
    found.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.degree()));
    let mut strides: Vec<Expr> = found.into_iter().map(|(monomial, factor)| Expr::term(monomial, factor)).collect();
    strides.push(Expr::constant(1));
    let is_chain = strides.windows(2).all(|pair| quotient(&pair[0], &pair[1]).is_some());
    (is_chain && strides.len() <= MOST_DIMENSIONS).then_some(strides)
}

/// The parts of a subscript: each term belongs to the outermost stride that divides it.
fn decompose(subscript: &Expr, strides: &[Expr]) -> Option<Vec<Expr>> {
    let mut parts = vec![Expr::zero(); strides.len()];
    for (monomial, coefficient) in subscript.terms() {
        let term = Expr::term(monomial.clone(), coefficient);
        let fits = |stride: &&Expr| {
            let is_whole = |quotient: &Expr| {
                quotient.terms().all(|(monomial, _)| {
                    let (moving, fixed) = split(monomial);
                    moving.is_empty() || moving.len() == 1 && fixed.is_one()
                })
            };
            quotient(&term, stride).is_some_and(|quotient| is_whole(&quotient))
        };
        match strides.iter().position(|stride| fits(&stride)) {
            Some(at) => parts[at] = &parts[at] + &quotient(&term, &strides[at])?,
            None if monomial.is_one() => {}
            None => return None,
        }
        if monomial.is_one() && strides.iter().position(|stride| fits(&stride)) != Some(strides.len() - 1) {
            continue;
        }
        // A constant that no outer stride divides is spread over the constant ones.
        if monomial.is_one() {
            let last = strides.len() - 1;
            let mut rest = coefficient;
            parts[last] = &parts[last] - &Expr::constant(coefficient);
            for (at, stride) in strides.iter().enumerate() {
                if let Some(stride) = stride.as_constant() {
                    parts[at] = &parts[at] + &Expr::constant(rest.div_euclid(stride));
                    rest = rest.rem_euclid(stride);
                }
            }
        }
    }
    Some(parts)
}

/// The number that some variables are multiplied with while others, in the same subscript, count single elements.
fn constant_stride(subscripts: &[Expr]) -> Option<i64> {
    let mut stride = None;
    for subscript in subscripts {
        let factors: Vec<i64> = subscript
            .terms()
            .filter(|(monomial, _)| !split(monomial).0.is_empty())
            .map(|(_, coefficient)| coefficient.abs())
            .collect();
        let largest = factors.iter().copied().max().unwrap_or(1);
        if largest > 1 && factors.iter().any(|factor| factor % largest != 0) {
            if stride.is_some_and(|known| known != largest) {
                return None;
            }
            stride = Some(largest);
        }
    }
    stride
}

pub(super) fn gcd(one: i64, two: i64) -> i64 {
    let (mut one, mut two) = (one.unsigned_abs(), two.unsigned_abs());
    while two != 0 {
        (one, two) = (two, one % two);
    }
    i64::try_from(one).unwrap_or(1)
}
