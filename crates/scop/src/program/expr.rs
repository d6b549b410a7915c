//! Arithmetic on [`Expr`]: every operation yields its result in a normal form, a sum of multiples of terms that are not sums
//! themselves, so that `t0 - 1 + 1` is `t0` and equal affine expressions are equal values.
//!
//! Nothing here knows in which range a variable is; who does chooses between [`BinOp::Mod`] and [`BinOp::FloorMod`].

use super::{BinOp, Expr, Iterator};

/// `constant + Σ coefficient * term`; the terms ascend, none is a sum or a number, no coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    constant: i128,
    terms: Vec<(Expr, i128)>,
}

impl Sum {
    fn of(expr: &Expr) -> Sum {
        match expr {
            Expr::Int(value) => Sum { constant: i128::from(*value), terms: Vec::new() },
            Expr::Neg(operand) => Sum::of(operand).scale(-1),
            Expr::Binary(BinOp::Add, left, right) => Sum::of(left).plus(&Sum::of(right), 1),
            Expr::Binary(BinOp::Sub, left, right) => Sum::of(left).plus(&Sum::of(right), -1),
            Expr::Binary(BinOp::Mul, left, right) => match (Sum::of(left), Sum::of(right)) {
                (factor, sum) | (sum, factor) if factor.terms.is_empty() => sum.scale(factor.constant),
                _ => Sum::term(expr),
            },
            _ => Sum::term(expr),
        }
    }

    fn term(expr: &Expr) -> Sum {
        Sum { constant: 0, terms: vec![(expr.clone(), 1)] }
    }

    fn scale(mut self, factor: i128) -> Sum {
        self.constant = self.constant.saturating_mul(factor);
        for (_, coefficient) in &mut self.terms {
            *coefficient = coefficient.saturating_mul(factor);
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        self
    }

    fn plus(mut self, other: &Sum, factor: i128) -> Sum {
        self.constant = self.constant.saturating_add(other.constant.saturating_mul(factor));
        for (term, coefficient) in &other.terms {
            let coefficient = coefficient.saturating_mul(factor);
            match self.terms.binary_search_by(|(own, _)| own.cmp(term)) {
                Ok(at) => {
                    self.terms[at].1 = self.terms[at].1.saturating_add(coefficient);
                    if self.terms[at].1 == 0 {
                        self.terms.remove(at);
                    }
                }
                Err(at) => self.terms.insert(at, (term.clone(), coefficient)),
            }
        }
        self
    }

    /// `x - d * (x / d)` as a remainder.
    fn with_remainders(self) -> Sum {
        for (at, (term, coefficient)) in self.terms.iter().enumerate() {
            let Expr::Binary(op @ (BinOp::FloorDiv | BinOp::Div), dividend, divisor) = term else { continue };
            let Expr::Int(divisor) = **divisor else { continue };
            if divisor <= 1 || coefficient % i128::from(divisor) != 0 {
                continue;
            }
            let factor = -coefficient / i128::from(divisor);
            let mut rest = self.clone();
            rest.terms.remove(at);
            let rest = rest.plus(&Sum::of(dividend), -factor);
            if rest.terms.len() < self.terms.len() - 1 {
                let op = if *op == BinOp::Div { BinOp::Mod } else { BinOp::FloorMod };
                let remainder = Expr::Binary(op, dividend.clone(), Box::new(Expr::Int(divisor)));
                return rest.plus(&Sum::term(&remainder), factor).with_remainders();
            }
        }
        self
    }

    /// As an expression that reads well, if all numbers fit.
    fn expr(self) -> Option<Expr> {
        let sum = self.with_remainders();
        let constant = i64::try_from(sum.constant).ok()?;
        // A bound like `min(n, m) + 1` becomes `min(n + 1, m + 1)`, which compares with others.
        if let [(Expr::Binary(op @ (BinOp::Min | BinOp::Max), left, right), 1)] = &sum.terms[..]
            && constant != 0
        {
            return Some((**left).clone().add(constant).extremum(*op, (**right).clone().add(constant)));
        }
        let mut terms = sum.terms;
        // Begin with what is added, not with what is subtracted.
        if let Some(first) = terms.iter().position(|(_, coefficient)| *coefficient > 0) {
            terms[..=first].rotate_right(1);
        }
        let mut result = None;
        if terms.first().is_none_or(|(_, coefficient)| *coefficient < 0) && constant != 0 {
            result = Some(Expr::Int(constant));
        }
        let constant = if result.is_some() { 0 } else { constant };
        for (term, coefficient) in terms {
            let size = i64::try_from(coefficient.unsigned_abs()).ok()?;
            let product =
                if size == 1 { term } else { Expr::Binary(BinOp::Mul, Box::new(Expr::Int(size)), Box::new(term)) };
            result = Some(match (result, coefficient > 0) {
                (None, true) => product,
                (None, false) => Expr::Neg(Box::new(product)),
                (Some(sum), true) => Expr::Binary(BinOp::Add, Box::new(sum), Box::new(product)),
                (Some(sum), false) => Expr::Binary(BinOp::Sub, Box::new(sum), Box::new(product)),
            });
        }
        Some(match (result, constant) {
            (None, constant) => Expr::Int(constant),
            (Some(sum), 0) => sum,
            (Some(sum), constant) => {
                let op = if constant > 0 { BinOp::Add } else { BinOp::Sub };
                let size = i64::try_from(constant.unsigned_abs()).ok()?;
                Expr::Binary(op, Box::new(sum), Box::new(Expr::Int(size)))
            }
        })
    }

    /// Split into multiples of `divisor` and the rest, whose constant is between 0 and `divisor`.
    fn split(&self, divisor: i128) -> (Sum, Sum) {
        let (mut whole, mut rest) = (Sum::default(), Sum::default());
        whole.constant = self.constant.div_euclid(divisor);
        rest.constant = self.constant.rem_euclid(divisor);
        for (term, coefficient) in &self.terms {
            if coefficient % divisor == 0 {
                whole.terms.push((term.clone(), coefficient / divisor));
            } else {
                rest.terms.push((term.clone(), *coefficient));
            }
        }
        (whole, rest)
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::Int(value)
    }
}

#[allow(clippy::should_implement_trait)] // not the operators: these simplify, and take numbers too
impl Expr {
    fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        if let Expr::Int(value) = self { Some(*value) } else { None }
    }

    /// The sum.
    pub fn add(self, other: impl Into<Expr>) -> Expr {
        let other = other.into();
        let sum = Sum::of(&self).plus(&Sum::of(&other), 1).expr();
        sum.unwrap_or_else(|| Expr::binary(BinOp::Add, self, other))
    }

    /// The difference.
    pub fn sub(self, other: impl Into<Expr>) -> Expr {
        let other = other.into();
        let sum = Sum::of(&self).plus(&Sum::of(&other), -1).expr();
        sum.unwrap_or_else(|| Expr::binary(BinOp::Sub, self, other))
    }

    /// The negation.
    pub fn neg(self) -> Expr {
        Expr::Int(0).sub(self)
    }

    /// The product.
    pub fn mul(self, other: impl Into<Expr>) -> Expr {
        let product = Expr::binary(BinOp::Mul, self, other.into());
        Sum::of(&product).expr().unwrap_or(product)
    }

    /// The difference to another expression, if it is a number.
    pub fn distance(&self, other: &Expr) -> Option<i64> {
        self.clone().sub(other.clone()).as_int()
    }

    /// The quotient rounded down, or by [`BinOp::Div`] if `is_exact`: where it leaves no remainder or the dividend is not negative.
    pub fn div(self, divisor: i64, is_exact: bool) -> Expr {
        if divisor <= 0 {
            return Expr::binary(BinOp::FloorDiv, self, Expr::Int(divisor));
        }
        let (whole, rest) = Sum::of(&self).split(i128::from(divisor));
        let op = if is_exact { BinOp::Div } else { BinOp::FloorDiv };
        if rest.terms.is_empty() {
            return whole.expr().unwrap_or_else(|| Expr::binary(op, self, Expr::Int(divisor)));
        }
        // What is not negative need not stay so when a part of it is taken out.
        if is_exact {
            return Expr::binary(op, self, Expr::Int(divisor));
        }
        let quotient = rest.expr().map(|rest| Expr::binary(op, rest, Expr::Int(divisor)));
        match (quotient, whole.expr()) {
            (Some(quotient), Some(whole)) => whole.add(quotient),
            _ => Expr::binary(op, self, Expr::Int(divisor)),
        }
    }

    /// The remainder, by [`BinOp::Mod`] if it `is_natural`: where the dividend is not negative.
    pub fn modulo(self, modulus: i64, is_natural: bool) -> Expr {
        if modulus == 1 {
            return Expr::Int(0);
        }
        let op = if is_natural { BinOp::Mod } else { BinOp::FloorMod };
        let rest = if modulus > 0 { Sum::of(&self).split(i128::from(modulus)).1 } else { Sum::of(&self) };
        // What is not negative need not stay so when a part of it is taken out.
        if rest.terms.is_empty() || !is_natural {
            let rest = rest.expr().unwrap_or_else(|| self.clone());
            return if rest.as_int().is_some() { rest } else { Expr::binary(op, rest, Expr::Int(modulus)) };
        }
        Expr::binary(op, self, Expr::Int(modulus))
    }

    /// With other expressions in the places of iterators.
    pub fn with_iterators(&self, value: &dyn Fn(Iterator) -> Expr) -> Expr {
        let with = |expr: &Expr| expr.with_iterators(value);
        match self {
            Expr::Int(_) | Expr::Param(_) => self.clone(),
            Expr::Iterator(iterator) => value(*iterator),
            Expr::Neg(operand) => with(operand).neg(),
            Expr::Select(cond, then, otherwise) => with(cond).select(with(then), with(otherwise)),
            Expr::Binary(op, left, right) => {
                let (left, right) = (with(left), with(right));
                match (op, right.as_int()) {
                    (BinOp::Add, _) => left.add(right),
                    (BinOp::Sub, _) => left.sub(right),
                    (BinOp::Mul, _) => left.mul(right),
                    (BinOp::Div | BinOp::FloorDiv, Some(divisor)) => left.div(divisor, *op == BinOp::Div),
                    (BinOp::Mod | BinOp::FloorMod, Some(modulus)) => left.modulo(modulus, *op == BinOp::Mod),
                    (BinOp::Min, _) => left.min(right),
                    (BinOp::Max, _) => left.max(right),
                    (BinOp::And, _) => left.and(right),
                    (BinOp::Or, _) => left.or(right),
                    (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne, _) => {
                        left.compare(*op, right)
                    }
                    (BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::FloorMod, None) => {
                        Expr::Binary(*op, Box::new(left), Box::new(right))
                    }
                }
            }
        }
    }

    /// The lesser.
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        self.extremum(BinOp::Min, other.into())
    }

    /// The greater.
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        self.extremum(BinOp::Max, other.into())
    }

    fn extremum(self, op: BinOp, other: Expr) -> Expr {
        let mut operands: Vec<Expr> = Vec::new();
        let mut rest = vec![other, self];
        while let Some(operand) = rest.pop() {
            match operand {
                Expr::Binary(inner, left, right) if inner == op => rest.extend([*right, *left]),
                operand => {
                    let known = operands.iter_mut().find_map(|known| Some((operand.distance(known)?, known)));
                    match known {
                        Some((distance, known)) if (distance < 0) == (op == BinOp::Min) => *known = operand,
                        Some(_) => (),
                        None => operands.push(operand),
                    }
                }
            }
        }
        let mut operands = operands.into_iter();
        let first = operands.next().expect("both operands are among the operands");
        operands.fold(first, |all, operand| Expr::binary(op, all, operand))
    }

    /// A comparison.
    pub fn compare(self, op: BinOp, other: impl Into<Expr>) -> Expr {
        let other = other.into();
        let Some(distance) = self.distance(&other) else { return Expr::binary(op, self, other) };
        Expr::Int(i64::from(match op {
            BinOp::Lt => distance < 0,
            BinOp::Le => distance <= 0,
            BinOp::Gt => distance > 0,
            BinOp::Ge => distance >= 0,
            BinOp::Eq => distance == 0,
            BinOp::Ne => distance != 0,
            _ => return Expr::binary(op, self, other),
        }))
    }

    /// Both hold.
    pub fn and(self, other: Expr) -> Expr {
        match (self.as_int(), other.as_int()) {
            (Some(0), _) | (_, Some(0)) => Expr::Int(0),
            (Some(_), _) => other,
            (_, Some(_)) => self,
            _ if self == other => self,
            _ => Expr::binary(BinOp::And, self, other),
        }
    }

    /// One holds.
    pub fn or(self, other: Expr) -> Expr {
        match (self.as_int(), other.as_int()) {
            (Some(0), _) => other,
            (_, Some(0)) => self,
            (Some(_), _) | (_, Some(_)) => Expr::Int(1),
            _ if self == other => self,
            _ => Expr::binary(BinOp::Or, self, other),
        }
    }

    /// `then` if it holds, else `otherwise`.
    pub fn select(self, then: Expr, otherwise: Expr) -> Expr {
        match self.as_int() {
            Some(0) => otherwise,
            Some(_) => then,
            None if then == otherwise => then,
            None => Expr::Select(Box::new(self), Box::new(then), Box::new(otherwise)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Param;
    use frit_support::Index;

    fn t() -> Expr {
        Expr::Iterator(Iterator::new(0))
    }

    fn n() -> Expr {
        Expr::Param(Param::new(0))
    }

    #[test]
    fn sums_are_collected() {
        assert_eq!(t().sub(1).add(1), t());
        assert_eq!(t().add(t()).sub(3).to_string(), "2 * t0 - 3");
        assert_eq!(n().sub(t()).sub(1).to_string(), "p0 - t0 - 1");
        assert_eq!(t().neg().to_string(), "-t0");
        assert_eq!(Expr::Int(5).sub(t()).to_string(), "5 - t0");
        assert_eq!(t().sub(t()), Expr::Int(0));
    }

    #[test]
    fn the_lesser_of_comparable_expressions_is_known() {
        assert_eq!(n().min(n().add(2)), n());
        assert_eq!(n().max(n().add(2)).to_string(), "p0 + 2");
        assert_eq!(n().min(t()).min(n().sub(1)).to_string(), "min(p0 - 1, t0)");
        assert_eq!(n().min(t()).add(1).to_string(), "min(p0 + 1, t0 + 1)");
    }

    #[test]
    fn quotients_lose_whole_parts() {
        assert_eq!(t().mul(4).add(6).div(2, false).to_string(), "2 * t0 + 3");
        assert_eq!(t().add(n().mul(2)).add(3).div(2, false).to_string(), "p0 + floord(t0 + 1, 2) + 1");
        assert_eq!(t().sub(t().div(2, false).mul(2)).to_string(), "mod(t0, 2)");
        assert_eq!(t().add(1).sub(t().add(1).div(3, true).mul(3)).to_string(), "(t0 + 1) % 3");
    }

    #[test]
    fn remainders_lose_multiples() {
        assert_eq!(t().mul(4).add(7).modulo(2, true), Expr::Int(1));
        assert_eq!(t().sub(1).modulo(3, false).to_string(), "mod(t0 + 2, 3)");
        assert_eq!(t().mul(3).add(n()).modulo(3, true).to_string(), "(3 * t0 + p0) % 3");
    }

    #[test]
    fn conditions_that_are_decided_vanish() {
        assert_eq!(t().compare(BinOp::Lt, t().add(1)), Expr::Int(1));
        assert_eq!(t().compare(BinOp::Eq, n()).and(Expr::Int(1)).to_string(), "t0 == p0");
        assert_eq!(Expr::Int(0).select(t(), n()), n());
    }

    #[test]
    fn numbers_that_do_not_fit_stay_operations() {
        let large = Expr::Int(i64::MAX);
        assert_eq!(large.clone().add(1).to_string(), format!("{} + 1", i64::MAX));
    }
}
