//! Arrays of one dimension that stand for several: `a[i * w + j]` is row `i` and column `j` if `j` is never outside of a row.
//!
//! All accesses of an array have to agree on the strides, and every inner subscript has to lie within its extent wherever its statement runs; else
//! the array keeps its one dimension. Read `finish` next.

use super::affine::{Atom, Cond, Expr, split};
use super::builder::Builder;
use frit_support::Monomial;

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
    /// The dimensions that the accesses of an array of one dimension suggest, if all of them agree.
    pub(crate) fn delinearise(&mut self, accesses: &[Flat]) -> Option<Shape> {
        let mut strides = parametric_strides(accesses)?;
        let mut shape = None;
        if strides.len() > 1 {
            shape = Some(self.shape(accesses, &strides)?);
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
            match self.shape(accesses, &strides) {
                Some(finer) => shape = Some(finer),
                None => break,
            }
        }
        shape
    }

    /// The subscripts for these strides, if all of them are within their extents.
    fn shape(&mut self, accesses: &[Flat], strides: &[Expr]) -> Option<Shape> {
        let extents: Option<Vec<Expr>> = strides.windows(2).map(|pair| quotient(&pair[0], &pair[1])).collect();
        let extents = extents?;
        let mut subscripts = Vec::new();
        for access in accesses {
            let mut parts = decompose(&access.subscript, strides)?;
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
            if parts.iter().any(|part| self.params.expr(part).is_none()) {
                return None;
            }
            subscripts.push(parts);
        }
        Some(Shape { strides: strides.to_vec(), subscripts })
    }

    /// Whether a subscript is in `0..extent` whenever the access happens.
    fn is_within(&mut self, access: &Flat, subscript: &Expr, extent: &Expr) -> bool {
        if let (Some(subscript), Some(extent)) = (subscript.as_constant(), extent.as_constant()) {
            return 0 <= subscript && subscript < extent;
        }
        if self.params.expr(subscript).is_none() || self.params.expr(extent).is_none() {
            return false;
        }
        let outside = Cond::Or(vec![Cond::at_most(subscript, &Expr::constant(-1)), Cond::at_most(extent, subscript)]);
        let conds: Vec<&Cond> = access.conds.iter().chain([&outside]).collect();
        self.is_empty(access.depth, conds.into_iter())
    }
}

/// The products of parameters that loop variables are multiplied with, largest first, and 1.
fn parametric_strides(accesses: &[Flat]) -> Option<Vec<Expr>> {
    let mut found: Vec<(Monomial<Atom>, i64)> = Vec::new();
    for (monomial, coefficient) in accesses.iter().flat_map(|access| access.subscript.terms()) {
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

fn gcd(one: i64, two: i64) -> i64 {
    let (mut one, mut two) = (one.unsigned_abs(), two.unsigned_abs());
    while two != 0 {
        (one, two) = (two, one % two);
    }
    i64::try_from(one).unwrap_or(1)
}
