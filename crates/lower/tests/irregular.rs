//! Loops whose iterations differ in work are told from others, and folds over such get many chunks for each thread.

use crate::support;

use frit_ir::nest::{Expr, Program};
use frit_lower::Options;
use support::{agree, int, program};

/// A with-loop over a vector, with this operator, whose cells are `%9`, computed by `cell` at index `%6`.
fn over(cell: &str, operator: &str, result: &str) -> String {
    format!(
        "func @main[%0](%1: i64[%0], %2: i64) -> ({result}) {{
          %3: {result} = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {cell}
              yield %9
            }}
          }} : {operator}
          return %3
        }}"
    )
}

const SUM: &str = "fold (0) by (%10: i64, %11: i64) { %12: i64 = add %10, %11 yield %12 }";
/// Steps until a number is small: nobody knows how many.
const WHILE: &str = "%7: i64 = index %1[%6]
  %9: i64 = while (%13: i64 = %7) { %14: bool = lt 1, %13 yield %14 } do { %15: i64 = div %13, 2 yield %15 }";
/// As many steps as the index says.
const TRIANGLE: &str =
    "%9: i64 = for %14 < %6 (%13: i64 = 0) { %15: i64 = index %1[%14] %16: i64 = add %13, %15 yield %16 }";
/// A loop in one branch only.
const BRANCH: &str = "%7: i64 = index %1[%6]
  %8: bool = lt %7, 0
  %9: i64 = if %8 {
    %17: i64 = for %14 < %2 (%13: i64 = 0) { %15: i64 = mul %13, 3 %16: i64 = add %15, %14 yield %16 }
    yield %17
  } else { yield %7 }";
/// As many steps for each.
const SAME: &str = "%9: i64 = for %14 < %2 (%13: i64 = 0) { %15: i64 = mul %13, 3 %16: i64 = add %15, %14 yield %16 }";
/// A choice that costs next to nothing.
const CHEAP: &str =
    "%7: i64 = index %1[%6]\n%8: bool = lt %7, 0\n%9: i64 = if %8 { %13: i64 = mul %7, 3 yield %13 } else { yield %7 }";

fn lowered(text: &str) -> Program {
    support::lower(&program(text), &Options::default())
}

#[test]
fn what_is_not_known_before_differs_between_iterations() {
    for (cell, differs) in [(WHILE, true), (TRIANGLE, true), (BRANCH, true), (SAME, false), (CHEAP, false)] {
        let found = lowered(&over(cell, "genarray", "i64[%0]"));
        assert_eq!(support::irregular(&found), [differs], "{cell}:\n{found}");
    }
}

#[test]
fn folds_over_such_get_many_chunks_for_each_thread() {
    for (cell, many) in [(WHILE, true), (TRIANGLE, true), (SAME, false)] {
        let found = lowered(&over(cell, SUM, "i64"));
        let chunks = Expr::Threads * Expr::i64(16);
        assert_eq!(support::exprs(&found).contains(&&chunks), many, "{cell}:\n{found}");
    }
}

#[test]
fn results_stay() {
    for cell in [WHILE, TRIANGLE, BRANCH, SAME, CHEAP] {
        for count in [0, 1, 5, 40] {
            let values: Vec<i64> = (0..count).map(|i| i * 7 % 31 - 10).collect();
            let argument = frit_ir::Tensor::new(vec![values.len()], frit_ir::TensorData::I64(values));
            let arguments = [argument.expect("a vector"), int(3)];
            agree(&over(cell, "genarray", "i64[%0]"), &arguments);
            agree(&over(cell, SUM, "i64"), &arguments);
        }
    }
}
