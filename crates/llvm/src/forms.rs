//! Addresses and counts as polynomials: in the iterations of loops, and in values that do not change while these run.

use crate::facts::{Facts, Form, Loop, Scev};
use crate::ir::Value;
use frit_support::{Poly, Table, define_index};
use std::collections::HashMap;

define_index!(
    /// The iteration of a loop, counted from 0, or a value that does not change in the loops looked at.
    Symbol, "s"
);

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    /// The number of the iteration that the loop is in.
    Iteration(Loop),
    /// A value.
    Value(Scev),
}

/// A polynomial in symbols.
pub(crate) type Polynomial = Poly<Symbol>;

/// Coefficients beyond this are no offsets in memory; below, products of them fit.
const LARGE: i64 = 1 << 31;

/// Forms of one function: equal meanings have one symbol.
pub(crate) struct Forms<'f> {
    pub(crate) facts: &'f Facts,
    pub(crate) symbols: Table<Symbol, Meaning>,
    known: HashMap<Meaning, Symbol>,
    walked: HashMap<Loop, bool>,
    /// Asked for every pair of accesses, and LLVM looks at all guards up to the entry each time.
    fitting: HashMap<(Scev, Loop), bool>,
    counts: HashMap<(Loop, Loop), Option<Polynomial>>,
}

impl<'f> Forms<'f> {
    pub(crate) fn new(facts: &'f Facts) -> Forms<'f> {
        Forms {
            facts,
            symbols: Table::default(),
            known: HashMap::new(),
            walked: HashMap::new(),
            fitting: HashMap::new(),
            counts: HashMap::new(),
        }
    }

    pub(crate) fn symbol(&mut self, meaning: Meaning) -> Symbol {
        if let Some(&symbol) = self.known.get(&meaning) {
            return symbol;
        }
        let symbol = self.symbols.push(meaning);
        self.known.insert(meaning, symbol);
        symbol
    }

    pub(crate) fn iteration(&mut self, of: Loop) -> Symbol {
        self.symbol(Meaning::Iteration(of))
    }

    /// The loop whose iteration a symbol is.
    pub(crate) fn loop_of(&self, symbol: Symbol) -> Option<Loop> {
        match self.symbols[symbol] {
            Meaning::Iteration(of) => Some(of),
            Meaning::Value(_) => None,
        }
    }

    /// An integer expression that is used in the loop `at`: nothing but recurrences may change in `within`, which is `at` or
    /// a loop around it.
    pub(crate) fn of(&mut self, scev: Scev, within: Loop, at: Loop) -> Option<Polynomial> {
        let form = self.build(scev, within, at, 0)?;
        let small = form.len() <= 24
            && form.degree() <= 5
            && form.terms().all(|(_, factor)| factor.unsigned_abs() < LARGE as u64);
        small.then_some(form)
    }

    fn build(&mut self, scev: Scev, within: Loop, at: Loop, depth: usize) -> Option<Polynomial> {
        if depth > 24 {
            return None;
        }
        match self.facts.form(scev) {
            Form::Constant(value) => (value.unsigned_abs() < LARGE as u64).then(|| Poly::constant(value)),
            Form::Add(terms) => {
                let mut sum = Poly::zero();
                for term in terms {
                    sum += &self.build(term, within, at, depth + 1)?;
                }
                Some(sum)
            }
            Form::Mul(factors) => {
                let mut product = Poly::constant(1);
                for factor in factors {
                    let factor = self.of(factor, within, at)?;
                    if product.terms().any(|(_, factor)| factor.unsigned_abs() >= LARGE as u64)
                        || product.len() * factor.len() > 64
                    {
                        return None;
                    }
                    product = &product * &factor;
                }
                Some(product)
            }
            Form::Recurrence { of, start, step } => {
                let start = self.build(start, within, at, depth + 1)?;
                let step = self.of(step, within, at)?;
                let iteration = Poly::symbol(self.iteration(of));
                Some(start + &iteration * &step)
            }
            Form::Extend { signed, of } => self.extended(of, signed, within, at).or_else(|| self.fixed(scev, within)),
            Form::Max { signed, of } => {
                // A bound like max(n, 1), where the guard says that n is at least 1.
                let greatest = of
                    .iter()
                    .copied()
                    .find(|&x| of.iter().all(|&y| x == y || self.facts.known_at_least(x, y, signed, at)));
                match greatest {
                    Some(greatest) => self.build(greatest, within, at, depth + 1),
                    None => self.fixed(scev, within),
                }
            }
            Form::Opaque => self.fixed(scev, within),
        }
    }

    /// A number of iterations that is no negative number, read with a sign, wherever the loop is entered.
    pub(crate) fn is_count(&mut self, count: Scev, of: Loop) -> bool {
        if let Some(&known) = self.fitting.get(&(count, of)) {
            return known;
        }
        let known = self.fits(count, of);
        self.fitting.insert((count, of), known);
        known
    }

    fn fits(&mut self, count: Scev, of: Loop) -> bool {
        let facts = self.facts;
        if facts.count_fits(count, of) {
            return true;
        }
        if facts.bits(count) == 64 && self.is_walked(of) {
            return true;
        }
        // A value of fewer bits less a constant, as `n - 2`, where the guard says that the value is large enough.
        let Some(form) = self.of(count, of, of) else { return false };
        let constant = form.constant_term();
        let value = form - Poly::constant(constant);
        let Some(&symbol) = value.as_symbol() else { return false };
        match self.symbols[symbol] {
            Meaning::Value(value) if facts.bits(value) < 64 => {
                facts.known_at_least(value, facts.number(-constant, facts.bits(value)), true, of)
            }
            _ => false,
        }
    }

    /// How often a loop goes back, as a number in which nothing but recurrences changes in `within`, which is the loop or one around it.
    pub(crate) fn count(&mut self, of: Loop, within: Loop) -> Option<Polynomial> {
        if let Some(known) = self.counts.get(&(of, within)) {
            return known.clone();
        }
        let count = self.backedges(of, within);
        self.counts.insert((of, within), count.clone());
        count
    }

    fn backedges(&mut self, of: Loop, within: Loop) -> Option<Polynomial> {
        let facts = self.facts;
        let scev = facts.backedge_count(of).filter(|&count| self.is_count(count, of))?;
        let count = self.of(scev, within, of)?;
        // A difference of two values may wrap where the count does not: then it is a value of its own.
        if count.symbols().iter().filter(|&&&symbol| self.loop_of(symbol).is_none()).count() > 1 {
            return facts.is_invariant(scev, within).then(|| Poly::symbol(self.symbol(Meaning::Value(scev))));
        }
        Some(count)
    }

    /// How often the loop goes back, wherever it is entered, as the sum of a value, read with its sign, and a constant.
    pub(crate) fn value_and_constant(&mut self, count: Scev, of: Loop) -> Option<(Scev, i64)> {
        if !self.is_count(count, of) {
            return None;
        }
        let form = self.of(count, of, of)?;
        let constant = form.constant_term();
        let value = form - Poly::constant(constant);
        match self.symbols[*value.as_symbol()?] {
            Meaning::Value(value) if self.facts.bits(value) <= 64 => Some((value, constant)),
            _ => None,
        }
    }

    /// Memory is walked through with the iterations of the loop. See Note [Counts of loops that walk through memory].
    fn is_walked(&mut self, of: Loop) -> bool {
        if let Some(&known) = self.walked.get(&of) {
            return known;
        }
        let facts = self.facts;
        let moves = |instruction: Value| -> bool {
            let Some(pointer) = instruction.access_pointer() else { return false };
            let Some(mut address) = facts.scev(pointer, facts.loop_of(instruction.block())) else { return false };
            while let Form::Recurrence { of: around, start, .. } = facts.form(address) {
                if around == of {
                    return true;
                }
                address = start;
            }
            false
        };
        let walked = of.blocks().into_iter().any(|block| block.instructions().into_iter().any(moves));
        self.walked.insert(of, walked);
        walked
    }

    /// A value that changes in none of the loops looked at; in loops around them all accesses are in one iteration.
    fn fixed(&mut self, scev: Scev, within: Loop) -> Option<Polynomial> {
        let fixed = self.facts.is_invariant(scev, within);
        fixed.then(|| Poly::symbol(self.symbol(Meaning::Value(scev))))
    }

    /// A number of fewer bits, read with its sign, where that is what its extension is. A sum of a constant and a value that
    /// are both known not to be negative has not wrapped: it would be negative, or the value be.
    fn extended(&mut self, of: Scev, signed: bool, within: Loop, at: Loop) -> Option<Polynomial> {
        let facts = self.facts;
        let (constant, value) = match facts.form(of) {
            Form::Add(terms) => match terms[..] {
                [constant, value] => match facts.form(constant) {
                    Form::Constant(constant) => (constant, value),
                    _ => return None,
                },
                _ => return None,
            },
            Form::Opaque => (0, of),
            _ => return None,
        };
        let at_least = |constant: i64| {
            let bound = facts.number(constant, facts.bits(value));
            facts.known_at_least(value, bound, true, at)
        };
        let exact = constant == 0 && signed
            || facts.known_non_negative(of, at) && facts.known_non_negative(value, at)
            || constant <= 0 && constant > -LARGE && at_least(-constant);
        if !exact || constant.unsigned_abs() >= LARGE as u64 || !matches!(facts.form(value), Form::Opaque) {
            return None;
        }
        Some(self.fixed(value, within)? + Poly::constant(constant))
    }
}

/// The greatest number that divides all coefficients; 0 for zero.
pub(crate) fn content(form: &Polynomial) -> i64 {
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    form.terms().fold(0, |content, (_, factor)| gcd(content, factor))
}

// Note [Counts of loops that walk through memory]
//
// A count of 64 bits is a number without a sign. Read with one it is negative where the loop goes back 2^63 times or more. A
// loop that touches another place in each iteration, and there is no more than 2^63 bytes of memory in an object, leaves the
// object before that; a program that does so has no meaning that a transformation could keep. So where the count of such a
// loop is used, it is the non-negative number that it is as a polynomial.
