//! Affine expressions of loop variables and parameters, as numbers and as isl's text.
//!
//! This module knows no statements. [`shape`](super::shape) turns expressions of the loop IR into
//! affine ones.

use frit_ir::nest::Expr;
use frit_scop::Param;
use frit_support::Table;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What varies in an affine expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The variable of an enclosing loop, by its depth.
    Iterator(usize),
    /// A parameter.
    Param(Param),
}

/// `constant + Σ coefficient * atom`; no coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    constant: i64,
    terms: BTreeMap<Atom, i64>,
}

impl Linear {
    pub(super) fn constant(constant: i64) -> Linear {
        Linear { constant, terms: BTreeMap::new() }
    }

    pub(super) fn atom(atom: Atom) -> Linear {
        Linear { constant: 0, terms: BTreeMap::from([(atom, 1)]) }
    }

    /// The coefficient of the loop variable at this depth, and the rest.
    pub(super) fn split(mut self, depth: usize) -> (i64, Linear) {
        let coefficient = self.terms.remove(&Atom::Iterator(depth)).unwrap_or(0);
        (coefficient, self)
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The sum with a multiple of another expression; `None` if numbers become too large.
    pub(super) fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, coefficient) in &other.terms {
            let own = self.terms.entry(*atom).or_default();
            *own = own.checked_add(coefficient.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, coefficient| *coefficient != 0);
        // isl's numbers are unbounded, but those of the generated loops are not.
        let is_small = |value: &i64| value.unsigned_abs() < 1 << 31;
        (is_small(&self.constant) && self.terms.values().all(is_small)).then_some(self)
    }

    /// In isl's notation, with the loop variables as `i0`, `i1`, ...
    pub(super) fn text(&self) -> String {
        let mut text = self.constant.to_string();
        for (atom, coefficient) in &self.terms {
            let _ = match atom {
                Atom::Iterator(depth) => write!(text, " + {coefficient} i{depth}"),
                Atom::Param(param) => write!(text, " + {coefficient} {param}"),
            };
        }
        text
    }

    /// True if it mentions no loop variable.
    pub(super) fn is_invariant(&self) -> bool {
        self.terms.keys().all(|atom| matches!(atom, Atom::Param(_)))
    }

    /// As an expression of the loop IR, with these values for loop variables and parameters.
    pub(super) fn expr(&self, iterators: &[Expr], params: &Table<Param, Expr>) -> Expr {
        let mut sum: Option<Expr> = None;
        let mut terms: Vec<(&Atom, i64)> = self.terms.iter().map(|(atom, coefficient)| (atom, *coefficient)).collect();
        // Begin with a positive term.
        terms.sort_by_key(|(_, coefficient)| *coefficient < 0);
        for (atom, coefficient) in terms {
            let value = match atom {
                Atom::Iterator(depth) => iterators[*depth].clone(),
                Atom::Param(param) => params[*param].clone(),
            };
            let size = Expr::i64(coefficient.saturating_abs()) * value;
            sum = Some(match (sum, coefficient > 0) {
                (None, true) => size,
                (None, false) => Expr::i64(0) - size,
                (Some(sum), true) => sum + size,
                (Some(sum), false) => sum - size,
            });
        }
        match (sum, self.constant) {
            (None, constant) => Expr::i64(constant),
            (Some(sum), constant) if constant < 0 => sum - Expr::i64(-constant),
            (Some(sum), constant) => sum + Expr::i64(constant),
        }
    }
}
