//! Integer polynomials in a normal form: two sums of products are equal as polynomials exactly if their [`Poly`] are
//! equal. Sizes are compared this way, and integer arithmetic is normalised this way.
//!
//! Coefficients are `i64` and wrap, as `i64` arithmetic of the IR does: the polynomials form the ring over the integers
//! modulo 2^64, so a normal form computes the same bits as the expression that it comes from, also where that overflows.
//! What wraps is no number of the integers any more: who draws conclusions on order (`n + 1 > n`) has to know by other means
//! that nothing overflows.
//!
//! Symbols are of any ordered type; this module does not know what they stand for.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A product of powers of symbols; the empty one is 1.
///
/// Invariant: symbols ascend, exponents are at least 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial<S> {
    powers: Vec<(S, u32)>,
}

/// A sum of monomials with coefficients; the empty one is 0.
///
/// Invariant: monomials ascend and no coefficient is 0, so equal polynomials are equal structures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly<S: Ord> {
    terms: Vec<(Monomial<S>, i64)>,
}

impl<S: Ord + Clone> Monomial<S> {
    /// The monomial 1.
    pub fn one() -> Self {
        Self { powers: Vec::new() }
    }

    /// The symbol itself.
    pub fn symbol(symbol: S) -> Self {
        Self { powers: vec![(symbol, 1)] }
    }

    /// True for 1.
    pub fn is_one(&self) -> bool {
        self.powers.is_empty()
    }

    /// The symbols in ascending order, with their exponents.
    pub fn powers(&self) -> &[(S, u32)] {
        &self.powers
    }

    /// The sum of all exponents.
    pub fn degree(&self) -> u64 {
        self.powers.iter().map(|(_, exponent)| u64::from(*exponent)).sum()
    }

    /// The exponent of a symbol, 0 if it does not occur.
    pub fn exponent(&self, symbol: &S) -> u32 {
        self.powers.binary_search_by(|(s, _)| s.cmp(symbol)).map_or(0, |at| self.powers[at].1)
    }

    /// The product of two monomials.
    pub fn times(&self, other: &Self) -> Self {
        let mut powers: Vec<(S, u32)> = Vec::with_capacity(self.powers.len() + other.powers.len());
        let (mut left, mut right) = (self.powers.iter().peekable(), other.powers.iter().peekable());
        loop {
            let take_left = match (left.peek(), right.peek()) {
                (None, None) => return Self { powers },
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((a, _)), Some((b, _))) => a <= b,
            };
            let (symbol, exponent) = if take_left { left.next() } else { right.next() }.expect("it was peeked");
            match powers.last_mut() {
                Some((last, sum)) if last == symbol => {
                    *sum = sum.checked_add(*exponent).expect("an exponent is below 2^32");
                }
                _ => powers.push((symbol.clone(), *exponent)),
            }
        }
    }

    /// The quotient, if `other` divides it.
    pub fn divided_by(&self, other: &Self) -> Option<Self> {
        let mut powers = self.powers.clone();
        for (symbol, exponent) in &other.powers {
            let at = powers.binary_search_by(|(s, _)| s.cmp(symbol)).ok()?;
            powers[at].1 = powers[at].1.checked_sub(*exponent)?;
        }
        powers.retain(|(_, exponent)| *exponent > 0);
        Some(Self { powers })
    }
}

impl<S: Ord + Clone> Poly<S> {
    /// The polynomial 0.
    pub fn zero() -> Self {
        Self { terms: Vec::new() }
    }

    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self::term(Monomial::one(), value)
    }

    /// A symbol.
    pub fn symbol(symbol: S) -> Self {
        Self::term(Monomial::symbol(symbol), 1)
    }

    /// A monomial with its coefficient.
    pub fn term(monomial: Monomial<S>, coefficient: i64) -> Self {
        let mut poly = Self::zero();
        poly.add_term(monomial, coefficient);
        poly
    }

    /// Adds one term in place.
    pub fn add_term(&mut self, monomial: Monomial<S>, coefficient: i64) {
        if coefficient == 0 {
            return;
        }
        match self.find(&monomial) {
            Err(at) => self.terms.insert(at, (monomial, coefficient)),
            Ok(at) => {
                let sum = self.terms[at].1.wrapping_add(coefficient);
                if sum == 0 {
                    self.terms.remove(at);
                } else {
                    self.terms[at].1 = sum;
                }
            }
        }
    }

    /// Where the monomial is, or would be.
    fn find(&self, monomial: &Monomial<S>) -> Result<usize, usize> {
        self.terms.binary_search_by(|(other, _)| other.cmp(monomial))
    }

    /// The sum with a multiple of another polynomial.
    pub fn plus_multiple(&self, other: &Self, factor: i64) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let mut own = self.terms.iter().peekable();
        for (monomial, coefficient) in &other.terms {
            while let Some(term) = own.next_if(|term| term.0 < *monomial) {
                terms.push(term.clone());
            }
            let same = own.next_if(|term| term.0 == *monomial).map_or(0, |term| term.1);
            let sum = same.wrapping_add(coefficient.wrapping_mul(factor));
            if sum != 0 {
                terms.push((monomial.clone(), sum));
            }
        }
        terms.extend(own.cloned());
        Self { terms }
    }

    /// The terms in the order of their monomials; the constant, if any, is the first.
    pub fn terms(&self) -> impl DoubleEndedIterator<Item = (&Monomial<S>, i64)> + ExactSizeIterator {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The number of terms. Products multiply it: who multiplies without bound asks here when to stop.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// True for 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// True for 0, as collections call it.
    pub fn is_empty(&self) -> bool {
        self.is_zero()
    }

    /// The value, if it has no symbol.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.first().filter(|(monomial, _)| monomial.is_one()).map(|(_, coefficient)| *coefficient),
            _ => None,
        }
    }

    /// True if it has no symbol.
    pub fn is_constant(&self) -> bool {
        self.as_constant().is_some()
    }

    /// The symbol, if it is nothing else.
    pub fn as_symbol(&self) -> Option<&S> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((monomial, 1)), None) => match monomial.powers() {
                [(symbol, 1)] => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// The coefficient of a monomial, 0 if it does not occur.
    pub fn coefficient(&self, monomial: &Monomial<S>) -> i64 {
        self.find(monomial).map_or(0, |at| self.terms[at].1)
    }

    /// The term without symbols.
    pub fn constant_term(&self) -> i64 {
        self.coefficient(&Monomial::one())
    }

    /// The largest degree of a term; 0 for constants.
    pub fn degree(&self) -> u64 {
        self.terms().map(|(monomial, _)| monomial.degree()).max().unwrap_or(0)
    }

    /// All symbols that occur.
    pub fn symbols(&self) -> BTreeSet<&S> {
        self.terms.iter().flat_map(|(monomial, _)| monomial.powers()).map(|(symbol, _)| symbol).collect()
    }

    /// True if the symbol occurs.
    pub fn mentions(&self, symbol: &S) -> bool {
        self.terms.iter().any(|(monomial, _)| monomial.exponent(symbol) > 0)
    }

    /// The factor of a symbol that occurs by itself, in no product; 0 if it does not occur at all.
    pub fn factor_of(&self, symbol: &S) -> Option<i64> {
        let mut factor = 0;
        for (monomial, coefficient) in self.terms() {
            match monomial.powers() {
                [(only, 1)] if only == symbol => factor = coefficient,
                _ if monomial.exponent(symbol) > 0 => return None,
                _ => {}
            }
        }
        Some(factor)
    }

    /// `(c, r)` with `self = c * symbol + r` and neither mentioning the symbol; `None` if there is no such pair.
    pub fn linear_in(&self, symbol: &S) -> Option<(Self, Self)> {
        let (mut factor, mut rest) = (Self::zero(), Self::zero());
        let divisor = Monomial::symbol(symbol.clone());
        for (monomial, coefficient) in self.terms() {
            match monomial.exponent(symbol) {
                0 => rest.terms.push((monomial.clone(), coefficient)),
                1 => factor.add_term(monomial.divided_by(&divisor).expect("the symbol divides it"), coefficient),
                _ => return None,
            }
        }
        Some((factor, rest))
    }

    /// All coefficients multiplied.
    pub fn scale(&self, factor: i64) -> Self {
        let scaled = self.terms().map(|(monomial, coefficient)| (monomial.clone(), coefficient.wrapping_mul(factor)));
        Self { terms: scaled.filter(|(_, coefficient)| *coefficient != 0).collect() }
    }

    /// The symbol replaced by a polynomial.
    pub fn substitute(&self, symbol: &S, by: &Self) -> Self {
        self.replace(|s| if s == symbol { Some(by.clone()) } else { None })
    }

    /// Every symbol for which `by` has an answer replaced by it, all at once.
    pub fn replace(&self, mut by: impl FnMut(&S) -> Option<Self>) -> Self {
        let mut replaced = Self::zero();
        for (monomial, coefficient) in self.terms() {
            let mut kept = Monomial::one();
            let mut product = Self::constant(coefficient);
            for (symbol, exponent) in monomial.powers() {
                match by(symbol) {
                    None => kept = kept.times(&Monomial { powers: vec![(symbol.clone(), *exponent)] }),
                    Some(poly) => product = &product * &poly.power(*exponent),
                }
            }
            for (monomial, coefficient) in product.terms() {
                replaced.add_term(monomial.times(&kept), coefficient);
            }
        }
        replaced
    }

    /// The same polynomial over other symbols.
    pub fn rename<R: Ord + Clone>(&self, mut name: impl FnMut(&S) -> R) -> Poly<R> {
        let mut renamed = Poly::zero();
        for (monomial, coefficient) in self.terms() {
            let powers = monomial.powers().iter();
            let product = powers.fold(Monomial::one(), |product, (symbol, exponent)| {
                product.times(&Monomial { powers: vec![(name(symbol), *exponent)] })
            });
            renamed.add_term(product, coefficient);
        }
        renamed
    }

    /// The value where symbols have the values that `value` gives.
    pub fn evaluate(&self, mut value: impl FnMut(&S) -> i64) -> i64 {
        self.terms().fold(0, |sum: i64, (monomial, coefficient)| {
            let powers = monomial.powers().iter();
            sum.wrapping_add(powers.fold(coefficient, |product, (symbol, exponent)| {
                product.wrapping_mul(value(symbol).wrapping_pow(*exponent))
            }))
        })
    }

    fn power(&self, exponent: u32) -> Self {
        if let Some(value) = self.as_constant() {
            return Self::constant(value.wrapping_pow(exponent));
        }
        (0..exponent).fold(Self::constant(1), |product, _| &product * self)
    }
}

impl<S: Ord + Clone> Default for Poly<S> {
    fn default() -> Self {
        Self::zero()
    }
}

impl<S: Ord + Clone> From<i64> for Poly<S> {
    fn from(value: i64) -> Self {
        Self::constant(value)
    }
}

impl<S: Ord + Clone> AddAssign<&Poly<S>> for Poly<S> {
    fn add_assign(&mut self, other: &Poly<S>) {
        *self = &*self + other;
    }
}

impl<S: Ord + Clone> SubAssign<&Poly<S>> for Poly<S> {
    fn sub_assign(&mut self, other: &Poly<S>) {
        *self = &*self - other;
    }
}

impl<S: Ord + Clone> Add for &Poly<S> {
    type Output = Poly<S>;
    fn add(self, other: &Poly<S>) -> Poly<S> {
        self.plus_multiple(other, 1)
    }
}

impl<S: Ord + Clone> Sub for &Poly<S> {
    type Output = Poly<S>;
    fn sub(self, other: &Poly<S>) -> Poly<S> {
        self.plus_multiple(other, -1)
    }
}

impl<S: Ord + Clone> Mul for &Poly<S> {
    type Output = Poly<S>;
    fn mul(self, other: &Poly<S>) -> Poly<S> {
        let mut product = Poly::zero();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                product.add_term(left.times(right), a.wrapping_mul(b));
            }
        }
        product
    }
}

impl<S: Ord + Clone> Neg for &Poly<S> {
    type Output = Poly<S>;
    fn neg(self) -> Poly<S> {
        self.scale(-1)
    }
}

/// The same operators on owned polynomials.
macro_rules! owned_operator {
    ($operator:ident, $method:ident) => {
        impl<S: Ord + Clone> $operator for Poly<S> {
            type Output = Poly<S>;
            fn $method(self, other: Poly<S>) -> Poly<S> {
                (&self).$method(&other)
            }
        }
    };
}

owned_operator!(Add, add);
owned_operator!(Sub, sub);
owned_operator!(Mul, mul);

impl<S: Ord + Clone> Neg for Poly<S> {
    type Output = Poly<S>;
    fn neg(self) -> Poly<S> {
        -&self
    }
}

impl<S: fmt::Display> fmt::Display for Monomial<S> {
    /// As `n*m^2`; 1 for the empty product.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.powers.is_empty() {
            return f.write_str("1");
        }
        for (at, (symbol, exponent)) in self.powers.iter().enumerate() {
            let star = if at == 0 { "" } else { "*" };
            write!(f, "{star}{symbol}")?;
            if *exponent != 1 {
                write!(f, "^{exponent}")?;
            }
        }
        Ok(())
    }
}

impl<S: Ord + Clone + fmt::Display> fmt::Display for Poly<S> {
    /// As `2*n*m - n + 3`: the terms in the order of their monomials, the constant last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (constants, others): (Vec<_>, Vec<_>) = self.terms().partition(|(monomial, _)| monomial.is_one());
        if constants.is_empty() && others.is_empty() {
            return f.write_str("0");
        }
        for (at, (monomial, coefficient)) in others.into_iter().chain(constants).enumerate() {
            let sign = match (at, coefficient < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            let magnitude = coefficient.unsigned_abs();
            match (monomial.is_one(), magnitude) {
                (true, _) => write!(f, "{sign}{magnitude}")?,
                (false, 1) => write!(f, "{sign}{monomial}")?,
                (false, _) => write!(f, "{sign}{magnitude}*{monomial}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use proptest::prelude::*;

    fn n() -> Poly<&'static str> {
        Poly::symbol("n")
    }

    fn m() -> Poly<&'static str> {
        Poly::symbol("m")
    }

    #[test]
    fn equal_sums_of_products_are_equal_structures() {
        let square = (n() + m()) * (n() + m());
        let expanded = n() * n() + m() * n() + n() * m() + m() * m();
        assert_eq!(square, expanded);
        assert_eq!((n() + m()) - m(), n());
        assert!((n() - n()).is_zero());
    }

    #[test]
    fn it_prints_as_people_write_it() {
        let two = Poly::constant(2);
        assert_eq!((two.clone() * n() * m() - n() + Poly::constant(3)).to_string(), "2*m*n - n + 3");
        assert_eq!((-(n() * n())).to_string(), "-n^2");
        assert_eq!(Poly::<&str>::zero().to_string(), "0");
        assert_eq!(Poly::<&str>::constant(i64::MIN).to_string(), "-9223372036854775808");
    }

    #[test]
    fn queries_see_the_normal_form() {
        let sum = n().scale(4) * m() + m() + Poly::constant(7);
        assert_eq!(sum.constant_term(), 7);
        assert_eq!(sum.degree(), 2);
        assert_eq!(sum.linear_in(&"n"), Some((m().scale(4), m() + Poly::constant(7))));
        assert_eq!((n() * n()).linear_in(&"n"), None);
        assert_eq!((n() + m() - m()).as_symbol(), Some(&"n"));
        assert_eq!(sum.as_constant(), None);
        assert_eq!((n() - n() + Poly::constant(3)).as_constant(), Some(3));
        assert!(sum.mentions(&"m") && !sum.mentions(&"k"));
    }

    #[test]
    fn substitution_is_simultaneous() {
        let swapped = (n() + m().scale(2)).replace(|&s| Some(if s == "n" { m() } else { n() }));
        assert_eq!(swapped, m() + n().scale(2));
    }

    #[test]
    fn coefficients_wrap_as_the_arithmetic_does() {
        let half = Poly::constant(i64::MIN);
        assert!((n() * half.clone() + n() * half).is_zero());
    }

    type Symbolic = Poly<u8>;

    fn poly() -> impl Strategy<Value = Symbolic> {
        let leaf = prop_oneof![
            (0u8..4).prop_map(Poly::symbol),
            any::<i64>().prop_map(Poly::constant),
            (-3i64..4).prop_map(Poly::constant),
        ];
        leaf.prop_recursive(4, 16, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a * b),
                inner.prop_map(|a| -a),
            ]
        })
    }

    proptest! {
        #![proptest_config(crate::proptest_config!(random::cases(256)))]

        #[test]
        fn it_is_a_commutative_ring(a in poly(), b in poly(), c in poly()) {
            prop_assert_eq!(&a + &b, &b + &a);
            prop_assert_eq!(&a * &b, &b * &a);
            prop_assert_eq!(&(&a + &b) * &c, &(&a * &c) + &(&b * &c));
            prop_assert_eq!(&(&a + &b) - &b, a.clone());
            prop_assert_eq!(&a + &(-&a), Poly::zero());
        }

        #[test]
        fn evaluation_is_a_homomorphism(a in poly(), b in poly(), at in any::<[i64; 4]>()) {
            let value = |p: &Symbolic| p.evaluate(|&s| at[usize::from(s)]);
            prop_assert_eq!(value(&(&a + &b)), value(&a).wrapping_add(value(&b)));
            prop_assert_eq!(value(&(&a * &b)), value(&a).wrapping_mul(value(&b)));
        }

        #[test]
        fn substitution_commutes_with_evaluation(a in poly(), b in poly(), at in any::<[i64; 4]>()) {
            let inner = b.evaluate(|&s| at[usize::from(s)]);
            let substituted = a.substitute(&0, &b).evaluate(|&s| at[usize::from(s)]);
            prop_assert_eq!(substituted, a.evaluate(|&s| if s == 0 { inner } else { at[usize::from(s)] }));
        }
    }
}
