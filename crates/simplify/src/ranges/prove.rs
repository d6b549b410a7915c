//! Proofs that a polynomial is not negative: facts are added, innermost symbols first, until intervals decide.
//!
//! Knows facts and intervals and nothing of statements; [`ranges`](super) collects them. The search is bounded, so "not proved" says
//! nothing.

use super::{Fact, Interval, MAX_COEFFICIENT, MAX_TERMS, Ranges, Sum};
use frit_ir::affine::Monomial;
use frit_ir::array::{Op, Value};
use frit_ir::scalar::BinOp;
use std::collections::HashMap;

/// The newest facts on a symbol that are tried.
const FACTS_TRIED: usize = 10;
/// Eliminations tried for one question, and how many on one path.
const STEPS: u32 = 120;
pub(super) const DEPTH: u32 = 6;

/// What a proof may use, and what it did use.
pub(super) struct Search {
    pub(super) with_certs: bool,
    pub(super) used: Vec<Value>,
    pub(super) used_level: u32,
    pub(super) steps: u32,
    /// Goals that were not proved, and the depth to which that was tried: eliminations commute, so goals recur.
    pub(super) failed: HashMap<Sum, u32>,
}

impl Search {
    /// The certificates that were used, in order.
    pub(super) fn certs(mut self) -> Vec<Value> {
        self.used.sort_unstable();
        self.used.dedup();
        self.used
    }
}

impl Ranges {
    /// A search that has used nothing yet.
    pub(super) fn search(&self, with_certs: bool) -> Search {
        Search { with_certs, used: Vec::new(), used_level: 0, steps: STEPS, failed: HashMap::new() }
    }

    /// True if the polynomial is proved not to be negative.
    pub(super) fn is_not_negative(&self, goal: &Sum, depth: u32, search: &mut Search) -> bool {
        if self.least(goal) >= 0 {
            return true;
        }
        if depth == 0 || search.steps == 0 || goal.len() > MAX_TERMS {
            return false;
        }
        if goal.terms().any(|(_, c)| c.unsigned_abs() > MAX_COEFFICIENT) {
            return false;
        }
        if search.failed.get(goal).is_some_and(|&tried| tried >= depth) {
            return false;
        }
        let is_proved = self.eliminate_any(goal, depth, search);
        if !is_proved {
            search.failed.insert(goal.clone(), depth);
        }
        is_proved
    }

    /// Tries the facts on the symbols of a goal, the newest symbols first: they are bounded by older ones.
    fn eliminate_any(&self, goal: &Sum, depth: u32, search: &mut Search) -> bool {
        let mut symbols: Vec<(u32, Value)> =
            goal.symbols().into_iter().map(|&v| (self.symbol(v).map_or(0, |s| s.order), v)).collect();
        symbols.sort_unstable_by(|a, b| b.cmp(a));
        for (_, symbol) in symbols {
            let Some((factor, rest)) = goal.linear_in(&symbol) else { continue };
            if self.by_cases(symbol, &factor, &rest, depth, search) {
                return true;
            }
            let facts = self.mentions.get(&symbol).map_or(&[][..], |list| list);
            let tried = || {
                let newest = facts.iter().rev().take(FACTS_TRIED).map(|&at| &self.facts[at]);
                newest.filter(|fact| !self.hidden.contains(&fact.level) && (fact.cert.is_none() || search.with_certs))
            };
            // One that decides is looked for before any that needs others.
            let deciding = factor.as_constant().and_then(|factor| {
                tried().find(|fact| self.without(goal, factor, fact, symbol).is_some_and(|next| self.least(&next) >= 0))
            });
            if let Some(fact) = deciding {
                search.used.extend(fact.cert);
                search.used_level = search.used_level.max(fact.level);
                return true;
            }
            for fact in tried().collect::<Vec<_>>() {
                if search.steps == 0 {
                    return false;
                }
                search.steps -= 1;
                let (mark, mark_level) = (search.used.len(), search.used_level);
                search.used.extend(fact.cert);
                search.used_level = search.used_level.max(fact.level);
                let next = self.eliminate(goal, &factor, fact, symbol, depth, search);
                if next.is_some_and(|next| self.is_not_negative(&next, depth - 1, search)) {
                    return true;
                }
                search.used.truncate(mark);
                search.used_level = mark_level;
            }
        }
        false
    }

    /// `goal` less a multiple of the fact, without the symbol: if that is not negative, neither is the goal.
    fn eliminate(
        &self,
        goal: &Sum,
        factor: &Sum,
        fact: &Fact,
        symbol: Value,
        depth: u32,
        search: &mut Search,
    ) -> Option<Sum> {
        if let Some(factor) = factor.as_constant() {
            return self.without(goal, factor, fact, symbol);
        }
        let divisor = fact.sum.factor_of(&symbol)?;
        if divisor.unsigned_abs() != 1 || factor.len() * fact.sum.len() > MAX_TERMS {
            return None;
        }
        let factor = factor.scale(divisor);
        let is_small = |sum: &Sum| sum.terms().all(|(_, c)| c.unsigned_abs() <= 1 << 20);
        if !is_small(&factor) || !is_small(&fact.sum) || !self.is_not_negative(&factor, depth - 1, search) {
            return None;
        }
        Some(goal - &(&factor * &fact.sum))
    }

    /// The same for a symbol with a constant factor.
    fn without(&self, goal: &Sum, factor: i64, fact: &Fact, symbol: Value) -> Option<Sum> {
        let divisor = fact.sum.factor_of(&symbol)?;
        if (factor < 0) != (divisor < 0) {
            return None;
        }
        let (f, d) = (factor.unsigned_abs(), divisor.unsigned_abs());
        let common = gcd(f, d);
        let (f, d) = ((f / common) as i64, (d / common) as i64);
        let is_small = |sum: &Sum, by: i64| {
            sum.terms().all(|(_, c)| c.unsigned_abs().saturating_mul(by.unsigned_abs()) <= MAX_COEFFICIENT)
        };
        if !is_small(goal, d) || !is_small(&fact.sum, f) {
            return None;
        }
        // Of integers: a multiple of `d` that is more than `-d` is not negative.
        let scaled = &goal.scale(d) + &Sum::constant(d - 1);
        Some(scaled.plus_multiple(&fact.sum, -f))
    }

    /// A symbol that is one of two operands: the goal must hold for both.
    fn by_cases(&self, symbol: Value, factor: &Sum, rest: &Sum, depth: u32, search: &mut Search) -> bool {
        let Some(sign) = factor.as_constant() else { return false };
        let cases = match self.symbol(symbol).and_then(|s| s.op.as_ref()) {
            Some(&Op::Binary { op: BinOp::MIN, x, y }) if sign > 0 => [x, y],
            Some(&Op::Binary { op: BinOp::MAX, x, y }) if sign < 0 => [x, y],
            Some(&Op::Select { on_true, on_false, .. }) => [on_true, on_false],
            _ => return false,
        };
        if search.steps == 0 || sign.unsigned_abs() > 1 << 20 {
            return false;
        }
        search.steps -= 1;
        cases.into_iter().all(|case| {
            let goal = rest + &self.exact(case).scale(sign);
            self.is_not_negative(&goal, depth - 1, search)
        })
    }

    /// A lower bound of a polynomial from the intervals of its symbols.
    pub(super) fn least(&self, sum: &Sum) -> i128 {
        sum.terms().fold(0i128, |least, (monomial, coefficient)| {
            let (low, high) = self.product(monomial);
            let coefficient = i128::from(coefficient);
            let term = if coefficient > 0 { low } else { high };
            least.saturating_add(term.saturating_mul(coefficient))
        })
    }

    /// The bounds of a product of symbols; a symbol alone may have facts that bound it further.
    pub(super) fn monomial_by_facts(&self, monomial: &Monomial<Value>, search: &mut Search) -> Interval {
        let (mut low, mut high) = self.product(monomial);
        let [(symbol, 1)] = monomial.powers() else { return (low, high) };
        for &at in self.mentions.get(symbol).into_iter().flatten() {
            let fact = &self.facts[at];
            if self.hidden.contains(&fact.level) || (fact.cert.is_some() && !search.with_certs) {
                continue;
            }
            // Of terms with and without the symbol, there is one each.
            let (mut slope, mut constant) = (0, 0i128);
            for (term, coefficient) in fact.sum.terms() {
                match term.powers() {
                    [] => constant = coefficient.into(),
                    _ if term == monomial => slope = coefficient,
                    _ => slope = i64::MAX,
                }
            }
            let is_tighter = match slope {
                1 if low < -constant => {
                    low = -constant;
                    true
                }
                -1 if constant < high => {
                    high = constant;
                    true
                }
                _ => false,
            };
            if is_tighter {
                search.used.extend(fact.cert);
                search.used_level = search.used_level.max(fact.level);
            }
        }
        (low, high)
    }

    fn product(&self, monomial: &Monomial<Value>) -> Interval {
        if let [(symbol, 1)] = monomial.powers() {
            return self.interval((*symbol).into());
        }
        let mut product: Interval = (1, 1);
        for &(symbol, exponent) in monomial.powers() {
            let (a, b) = self.interval(symbol.into());
            if exponent > 8 {
                return (i128::MIN, i128::MAX);
            }
            for _ in 0..exponent {
                let corners = [product.0.saturating_mul(a), product.0.saturating_mul(b)]
                    .into_iter()
                    .chain([product.1.saturating_mul(a), product.1.saturating_mul(b)]);
                product = corners.fold((i128::MAX, i128::MIN), |(l, h), c| (l.min(c), h.max(c)));
            }
        }
        product
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
