//! Interchange of a reduction with inner maps: a fold of arrays whose combining function works element by element becomes a
//! with-loop over the elements, each of which is folded by itself.
//! Source:   \[L0\] section 8.3, of which it is the counterpart for `reduceT`: vectorised reduction.
//! Before:   verified array IR; all operators are folds of arrays with equal outer extents.
//! After:    the same results; the accumulators are elements, or rows of fewer axes.
//! Work:     the same, but for cheap scalar statements of the body and of the combining function, evaluated for every element.
//! Reorders: nothing: every element is combined with the same cells in the same order, bit by bit.

use super::nest::NestRule;
use super::nest::interchange::{self, Interchange};
use super::{Attempts, Refusal};
use frit_ir::array::{Func, Operator, Stmt};

/// Exchanges the fold of this statement with the loop over the elements of its accumulators, or says why it may not. Returns the
/// statement that takes its place; the outer with-loop has the label that the fold had.
///
/// On `Err`, `func` is untouched.
pub fn reduce_interchange(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    RULE.at(func, stmt)
}

/// Exchanges folds with inner maps wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    RULE.everywhere(func)
}

const RULE: NestRule<Interchange> = NestRule { is_candidate, prove, apply };

/// True if the statement is a with-loop that folds arrays.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    interchange::accumulates_arrays(func, stmt, folded)
}

/// True if the interchange pays by itself: it makes strides shorter. Otherwise it pays only if it makes a merge possible.
pub fn pays(func: &Func, stmt: &Stmt) -> bool {
    interchange::shortens_strides(func, stmt)
}

fn folded(operator: &Operator) -> bool {
    matches!(operator, Operator::Fold { .. })
}

fn prove(func: &Func, stmt: &Stmt) -> Result<Interchange, Refusal> {
    interchange::prove(func, stmt, folded)
}

fn apply(func: &mut Func, stmt: &Stmt, proof: Interchange) -> Vec<Stmt> {
    vec![interchange::apply(func, stmt, proof, stmt.results.clone())]
}
