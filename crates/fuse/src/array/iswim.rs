//! ISWIM, interchange of a scan with inner maps: a scan of arrays whose combining function works element by element becomes a
//! with-loop over the elements, each of which is scanned by itself; the results are views of it.
//! Source:   \[L0\] section 8.3, figures 35 and 36. There it is a part of two fusion rules, for producers and consumers; here fusion
//!           sees through the view. Nests in the combining function of any depth are exchanged, as figure 36 wishes.
//! Before:   verified array IR; all operators are scans of arrays with equal outer extents.
//! After:    the same results, as permutations of arrays whose scanned axis is behind the axes that went outside.
//! Work:     the same, but for cheap scalar statements of the body and of the combining function, evaluated for every element.
//! Reorders: nothing: every element is combined with the same cells in the same order, bit by bit.

use super::nest::NestRule;
use super::nest::interchange::{self, Interchange};
use super::{Attempts, Refusal};
use frit_ir::array::{Func, Op, Operator, Stmt, Value, View};

/// Exchanges the scan of this statement with the loop over the elements of its accumulators, or says why it may not. Returns the
/// statements that take its place; the outer with-loop has the label that the scan had.
///
/// On `Err`, `func` is untouched.
pub fn iswim(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    RULE.at(func, stmt)
}

/// Exchanges scans with inner maps wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    RULE.everywhere(func)
}

const RULE: NestRule<Interchange> = NestRule { is_candidate, prove, apply };

/// True if the statement is a with-loop that scans arrays.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    interchange::accumulates_arrays(func, stmt, scanned)
}

/// True if the interchange pays by itself: it makes strides shorter. Otherwise it pays only if it makes a merge possible.
pub fn pays(func: &Func, stmt: &Stmt) -> bool {
    interchange::shortens_strides(func, stmt)
}

fn scanned(operator: &Operator) -> bool {
    matches!(operator, Operator::Scan { .. })
}

fn prove(func: &Func, stmt: &Stmt) -> Result<Interchange, Refusal> {
    interchange::prove(func, stmt, scanned)
}

fn apply(func: &mut Func, stmt: &Stmt, proof: Interchange) -> Vec<Stmt> {
    let moved = proof.axes();
    let mut exchanged: Vec<Value> = Vec::new();
    for &result in &stmt.results {
        let mut data = func.values[result].clone();
        data.ty.shape[..=moved].rotate_left(1);
        exchanged.push(func.values.push(data));
    }
    let mut stmts = vec![interchange::apply(func, stmt, proof, exchanged.clone())];
    for (&result, array) in stmt.results.iter().zip(exchanged) {
        // The axes that went outside come behind the scanned one again.
        let mut axes: Vec<usize> = (0..func.ty(result).rank()).collect();
        axes[..=moved].rotate_right(1);
        let op = Op::View { array, view: View::Permute { axes } };
        stmts.push(Stmt { results: vec![result], op, certs: Vec::new(), span: stmt.span });
    }
    stmts
}
