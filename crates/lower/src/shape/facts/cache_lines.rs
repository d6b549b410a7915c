//! Cache lines: where in a line an iteration of a loop stores. Heap arrays are aligned to a line.
//!
//! This module knows nothing of the array IR.

use crate::lowering::access::linear_index;
use frit_ir::nest::{Array, Expr, Proc, Var};
use frit_ir::scalar::BinOp;
use std::collections::BTreeMap;

/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;

/// The number of elements of an array in a cache line.
pub(crate) fn elements_of_line(proc: &Proc, array: Array) -> i64 {
    LINE / i64::try_from(proc.arrays[array].elem.bytes()).expect("elements are small")
}

/// The row-major number of the element that an iteration of a loop over `var` accesses.
pub(crate) fn offset(proc: &Proc, (array, index): &(Array, Vec<Expr>), var: Var, at: Expr) -> Expr {
    let names = BTreeMap::from([(var, at)]);
    let index: Vec<Expr> = index.iter().map(|e| e.renamed(&names)).collect();
    linear_index(&index, &proc.arrays[*array].extents)
}

/// The number of elements of the line before the one that an iteration stores.
pub(crate) fn before_in_line(proc: &Proc, place: &(Array, Vec<Expr>), var: Var, at: Expr) -> Expr {
    Expr::binary(BinOp::FLOOR_MOD, offset(proc, place, var, at), Expr::i64(elements_of_line(proc, place.0)))
}
