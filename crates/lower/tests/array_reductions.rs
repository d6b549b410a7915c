//! Sums down few columns of many rows: threads share rows, and rows that a loop ahead makes are used at once.

use crate::support;

use frit_ir::Tensor;
use frit_lower::Options;
use support::{agree, ints, matrix, program};

const SUM: &str = "fold commutative (0) by (%40: i64, %41: i64) { %42: i64 = add %40, %41
    yield %42 }";

/// Sums of what `%29` is of the element `%24` of each column.
fn column_sums(body: &str) -> String {
    format!(
        "func @main[%0, %1](%2: i64[%0, %1]) -> (i64[%1]) {{
          %20: i64[%1] = w0: with (%21) in [%1] {{
            [0] <= iv < [%1] {{
              %22: i64 = w1: with (%23) in [%0] {{
                [0] <= iv < [%0] {{ %24: i64 = index %2[%23, %21]
                  {body}
                  yield %29 }}
              }} : {SUM}
              yield %22
            }}
          }} : genarray
          return %20
        }}"
    )
}

/// The product of a matrix and a vector, and of the transposed matrix and that; `at` is the row of the first product that a row of the second needs.
fn there_and_back(at: &str) -> String {
    format!(
        "func @main[%0, %1](%2: i64[%0, %1], %3: i64[%1]) -> (i64[%0], i64[%1]) {{
          %10: i64[%0] = w0: with (%11) in [%0] {{
            [0] <= iv < [%0] {{
              %12: i64 = w1: with (%13) in [%1] {{
                [0] <= iv < [%1] {{ %14: i64 = index %2[%11, %13]
                  %15: i64 = index %3[%13]
                  %16: i64 = mul %14, %15
                  yield %16 }}
              }} : {first}
              yield %12
            }}
          }} : genarray
          %20: i64[%1] = w2: with (%21) in [%1] {{
            [0] <= iv < [%1] {{
              %22: i64 = w3: with (%23) in [%0] {{
                [0] <= iv < [%0] {{ %24: i64 = index %2[%23, %21]
                  %30: i64 = sub %0, 1
                  %31: i64 = sub %30, %23
                  %25: i64 = index %10[{at}]
                  %26: i64 = mul %24, %25
                  yield %26 }}
              }} : {SUM}
              yield %22
            }}
          }} : genarray
          return %10, %20
        }}",
        first = SUM.replace("%4", "%5"),
    )
}

fn lowered(text: &str) -> String {
    support::lower(&program(text), &Options::default()).to_string()
}

fn are_shared(text: &str) -> bool {
    support::changes(text, &Options::default())["array-reductions"] > 0
}

fn are_read_once(text: &str) -> bool {
    are_shared(text) && support::has_step(&support::lower(&program(text), &Options::default()), 8)
}

fn table(rows: usize, columns: usize) -> Tensor {
    let values: Vec<i64> = (0..rows * columns).map(|at| (at * 7 % 31) as i64 - 15).collect();
    matrix(rows, columns, &values)
}

const SHAPES: [(usize, usize); 8] = [(0, 3), (3, 0), (1, 1), (7, 9), (64, 3), (37, 9), (131, 5), (9, 37)];

fn agrees(text: &str, with_vector: bool) {
    for (rows, columns) in SHAPES {
        let vector = ints(&(0..columns as i64).collect::<Vec<_>>());
        let arguments = [table(rows, columns), vector];
        agree(text, &arguments[..1 + usize::from(with_vector)]);
    }
}

#[test]
fn threads_share_rows_of_few_columns() {
    let text = column_sums("%29: i64 = mul %24, %24");
    assert!(are_shared(&text), "{}", lowered(&text));
    agrees(&text, false);
}

#[test]
fn least_and_largest_elements_are_shared_too() {
    for (op, neutral) in [("min", "9223372036854775807"), ("max", "-9223372036854775808"), ("xor", "0")] {
        let text = column_sums("%29: i64 = add %24, 1");
        let text = text.replace("fold commutative (0)", &format!("fold commutative ({neutral})"));
        let text = text.replace("= add %40, %41", &format!("= {op} %40, %41"));
        assert!(are_shared(&text), "{}", lowered(&text));
        agrees(&text, false);
    }
}

#[test]
fn what_columns_need_of_their_sums_is_done_by_rows() {
    // Each element less the sum of its column, in the place of the element.
    let text = format!(
        "func @main[%0, %1](%2: i64[%0, %1]) -> (i64[%0, %1]) {{
          %20: i64[%1, %0] = w0: with (%21) in [%1] {{
            [0] <= iv < [%1] {{
              %22: i64 = w1: with (%23) in [%0] {{
                [0] <= iv < [%0] {{ %24: i64 = index %2[%23, %21]
                  yield %24 }}
              }} : {SUM}
              %19: i64[%0] = w2: with (%25) in [%0] {{
                [0] <= iv < [%0] {{ %26: i64 = index %2[%25, %21]
                  %27: i64 = sub %26, %22
                  yield %27 }}
              }} : genarray
              yield %19
            }}
          }} : genarray
          %50: i64[%0, %1] = view %20 permute(1, 0)
          return %50
        }}"
    );
    assert!(are_shared(&text), "{}", lowered(&text));
    agrees(&text, false);
}

#[test]
fn operators_that_must_keep_their_order_are_not_shared() {
    // Each element counts as often as its place in the fold from the end says.
    let text = column_sums("%29: i64 = mul %24, 3")
        .replace("fold commutative", "fold")
        .replace("%42: i64 = add %40, %41", "%43: i64 = mul %40, 0\n%42: i64 = add %43, %41");
    assert!(!are_shared(&text), "{}", lowered(&text));
    agrees(&text, false);
}

#[test]
fn sums_of_reals_are_not_regrouped_where_that_is_forbidden() {
    let text =
        column_sums("%29: i64 = mul %24, %24").replace("i64", "f64").replace("commutative (0)", "commutative (0.0)");
    assert!(are_shared(&text), "{}", lowered(&text));
    let strict = support::changes(&text, &Options { strict_fp: true, ..Options::default() });
    assert_eq!(strict["array-reductions"], 0);
}

#[test]
fn a_matrix_is_read_once_for_both_products() {
    let text = there_and_back("%23");
    assert!(are_read_once(&text), "{}", lowered(&text));
    agrees(&text, true);
}

#[test]
fn a_row_that_needs_another_one_waits_for_all() {
    let text = there_and_back("%31");
    assert!(are_shared(&text) && !are_read_once(&text), "{}", lowered(&text));
    agrees(&text, true);
}

#[test]
fn sums_that_start_with_what_the_rows_made_wait_for_them() {
    let text = there_and_back("%23")
        .replace(
            "%22: i64 = w3",
            "%60: i64 = max %0, 1\n%61: i64 = floormod %21, %60\n%62: i64 = index %10[%61]\n%22: i64 = w3",
        )
        .replace(
            &format!("{SUM}\n              yield %22"),
            &format!("{}\n              yield %22", SUM.replace("(0)", "(%62)")),
        );
    assert!(!are_read_once(&text), "{}", lowered(&text));
    // Without rows there is nothing to start with.
    for (rows, columns) in SHAPES.into_iter().filter(|(rows, _)| *rows > 0) {
        agree(&text, &[table(rows, columns), ints(&(0..columns as i64).collect::<Vec<_>>())]);
    }
}
