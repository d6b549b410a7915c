//! Prefetching: a loop over rows of a stencil brings the rows that it reads next near the processor, which does not foresee them: it follows a row to
//! its end, and few rows at a time.
//!
//! ```text
//! for i step 4 { for j { D[i .. i+3, j] = e(A[i-1, j], ..., A[i+4, j]) } }      reads A[i+5, j], ..., A[i+8, j] next
//! ```
//!
//! After Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for Prefetching". Knows nothing of the array IR.

use crate::access::{each_own_assigned, each_stmt, linear_index};
use crate::arithmetic::is_total;
use crate::straight::{reads, reads_any, renamed, rows_read};
use frit_ir::nest::{Array, Expr, LoopData, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// What a loop along rows reads in the next iteration of the loop over rows around it, and not in this one.
#[derive(Debug, Default)]
pub(crate) struct NextRows {
    /// The rows: of each, the element that belongs to an iteration of the loop along them.
    places: Vec<(Array, Vec<Expr>)>,
    /// How many bytes both iterations read in a column.
    column_bytes: i64,
    /// How many bytes of rows are kept until they are read.
    most_bytes: i64,
}

impl NextRows {
    /// Those of the loop `along`, whose body is straight-line code, and which is run by every iteration of the loop `over`. Caches keep at most so many
    /// bytes of them.
    pub(crate) fn of(proc: &Proc, over: &LoopData, along: &LoopData, most_bytes: i64) -> Self {
        let (Some(row), Some(column)) = (over.var, along.var) else { return Self::default() };
        let mut read = rows_read(&along.body, row, column, |expr| expr.added_to(row));
        // It must be known now where the next iteration reads.
        let mut varying = BTreeSet::from([row]);
        each_stmt(proc, &over.body, &mut |stmt| each_own_assigned(stmt, &mut |var| _ = varying.insert(var)));
        let is_known = |axis: usize, index: &[Expr]| {
            index.iter().enumerate().all(|(at, e)| {
                let is_across = at + 1 < index.len() && reads(e, column);
                at == axis || is_total(proc, e) && !reads_any(e, &varying) && !is_across
            })
        };
        read.retain(|&(array, axis, _), rows| {
            matches!(proc.arrays[array].storage, Storage::Heap | Storage::Reference | Storage::Param { .. })
                && rows.values().all(|index| is_known(axis, index))
        });
        let rows_of = |array: Array| -> usize {
            read.iter().filter(|((other, ..), _)| *other == array).map(|(_, rows)| rows.len()).sum()
        };
        let mut next = Self { most_bytes, ..Self::default() };
        // A single row at a time, processors foresee.
        for (&(array, axis, _), rows) in read.iter().filter(|((array, ..), _)| rows_of(*array) > 1) {
            let bytes = i64::try_from(proc.arrays[array].elem.bytes()).expect("elements are small");
            next.column_bytes += bytes * i64::try_from(rows.len()).expect("a loop reads few rows");
            for (added, index) in rows {
                let Some(new) = added.checked_add(over.step).filter(|new| !rows.contains_key(new)) else { continue };
                let mut index = index.clone();
                index[axis] = Expr::Var(row) + Expr::i64(new);
                next.places.push((array, index));
                next.column_bytes += bytes;
            }
        }
        next
    }

    /// Prefetches what the rows have from one iteration of `along` to another, unless they are too long to be kept.
    pub(crate) fn prefetched(&self, proc: &Proc, along: &LoopData, [begin, end]: [Var; 2]) -> Vec<Stmt> {
        let column = along.var.expect("rows are read by the number of the column");
        let bytes = Expr::i64(self.column_bytes) * (along.upper.clone() - along.lower.clone());
        let count = Expr::Select {
            cond: Box::new(Expr::binary(BinOp::Le, bytes, Expr::i64(self.most_bytes))),
            on_true: Box::new(Expr::Var(end) - begin.into()),
            on_false: Box::new(Expr::i64(0)),
        };
        let first = BTreeMap::from([(column, begin.into())]);
        let prefetch = |(array, index): &(Array, Vec<Expr>)| {
            let index: Vec<Expr> = index.iter().map(|e| renamed(e, &first)).collect();
            let offset = linear_index(&index, &proc.arrays[*array].extents);
            Stmt::Prefetch { array: *array, offset, count: count.clone() }
        };
        self.places.iter().map(prefetch).collect()
    }
}
