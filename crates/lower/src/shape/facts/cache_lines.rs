//! Lines of memory: where in one an iteration of a loop stores. Arrays of the heap begin with one. Knows nothing of the array IR.

use crate::lowering::access::linear_index;
use frit_ir::nest::{Array, Expr, Proc, Var};
use frit_ir::scalar::BinOp;
use std::collections::BTreeMap;

/// Bytes of a line of memory.
pub(crate) const LINE: i64 = 64;

/// How many elements of an array are in a line of memory.
pub(crate) fn elements_of_line(proc: &Proc, array: Array) -> i64 {
    LINE / i64::try_from(proc.arrays[array].elem.bytes()).expect("elements are small")
}

/// Where an iteration of a loop over `var` finds an element of an array, in elements from its first.
pub(crate) fn offset(proc: &Proc, (array, index): &(Array, Vec<Expr>), var: Var, at: Expr) -> Expr {
    let names = BTreeMap::from([(var, at)]);
    let index: Vec<Expr> = index.iter().map(|e| e.renamed(&names)).collect();
    linear_index(&index, &proc.arrays[*array].extents)
}

/// How many elements of the line are before the one that an iteration stores.
pub(crate) fn before_in_line(proc: &Proc, place: &(Array, Vec<Expr>), var: Var, at: Expr) -> Expr {
    Expr::binary(BinOp::FLOOR_MOD, offset(proc, place, var, at), Expr::i64(elements_of_line(proc, place.0)))
}
