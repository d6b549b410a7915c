//! Reductions inside of independent iterations run side by side where neighbours read neighbours, and reductions of reductions are one.

use crate::support;

use frit_ir::{Tensor, TensorData};
use frit_lower::Options;
use std::collections::BTreeSet;
use support::{agree, int, lowered, program};

const PLAIN: Options = Options { strict_fp: false, parallel: false, ..Options::USUAL };

fn is_side_by_side(text: &str) -> bool {
    support::changes(text, &PLAIN)["outer-reductions"] > 0
}

/// The sum of these cells, at indices `index` below `extents`.
fn sum(result: &str, index: &str, extents: &str, cell: &str, value: &str) -> String {
    fold(result, "add", "0.0", index, extents, cell, value)
}

fn fold(result: &str, op: &str, neutral: &str, index: &str, extents: &str, cell: &str, value: &str) -> String {
    let lower = extents.split(',').map(|_| "0").collect::<Vec<_>>().join(", ");
    format!(
        "{result}: f64 = {0}: with ({index}) in [{extents}] {{ [{lower}] <= iv < [{extents}] {{ {cell} yield {value} }} }}
           : fold commutative ({neutral}) by ({result}1: f64, {result}2: f64) {{ {result}3: f64 = {op} {result}1, {result}2 yield {result}3 }}\n",
        result.replace('%', "w")
    )
}

/// A matrix of `%0 - %3 + 1` by `%1 - %4 + 1` cells `%20` at `[%10, %11]`, of the matrix `%5` and a small one, `%6`.
fn over(cell: &str) -> String {
    format!(
        "func @main[%0, %1, %3, %4](%5: f64[%0, %1], %6: f64[%3, %4], %40: i64) -> (f64[?, ?]) {{
          %30: i64 = sub %0, %3 %31: i64 = add %30, 1
          %32: i64 = sub %1, %4 %33: i64 = add %32, 1
          %7: f64[%31, %33] = w0: with (%10, %11) in [%31, %33] {{
            [0, 0] <= iv < [%31, %33] {{
              {cell} yield %20
            }}
          }} : genarray
          return %7
        }}"
    )
}

/// A convolution: a sum of sums of products.
fn convolution() -> String {
    let product =
        "%14: i64 = add %10, %12 %15: i64 = add %11, %13 %16: f64 = index %5[%14, %15] %17: f64 = index %6[%12, %13]
        %18: f64 = mul %16, %17";
    sum("%20", "%12", "%3", &sum("%19", "%13", "%4", product, "%18"), "%19")
}

/// The sum of a stretch of a row.
fn window() -> String {
    sum("%20", "%13", "%4", "%15: i64 = add %11, %13 %16: f64 = index %5[%10, %15]", "%16")
}

/// Sums of a function of a neighbour.
fn kernel() -> String {
    let cell = "%15: i64 = add %11, %13 %16: f64 = index %5[%10, %15] %17: f64 = exp %16 %18: f64 = mul %17, %17";
    sum("%20", "%13", "%4", cell, "%18")
}

/// The greatest of the greatest, backwards.
fn greatest() -> String {
    let last = "%34: i64 = sub %4, 1 %35: i64 = sub %34, %13 %14: i64 = add %10, %12 %15: i64 = add %11, %35 %16: f64 = index %5[%14, %15]";
    fold("%20", "max", "0.5", "%12", "%3", &fold("%19", "max", "0.0", "%13", "%4", last, "%16"), "%19")
}

/// Sums of products of columns that begin at the one with a number that is computed.
fn from_a_column() -> String {
    let cell = "%15: i64 = add %10, %13 %16: f64 = index %5[%15, %34] %17: f64 = mul %16, %16";
    let place = "%35: i64 = sub %4, 1 %34: i64 = add %11, %35";
    sum("%20", "%13", "%3", cell, "%17").replacen("%20: f64", &format!("{place} %20: f64"), 1)
}

/// Sums of elements in rows whose number is a remainder, the same for all neighbours.
fn of_rows_by_remainders() -> String {
    let cell = "%14: i64 = add %10, %12 %15: i64 = add %14, 5 %34: i64 = rem %15, %0 %35: i64 = sub %4, 1 %36: i64 = add %11, %35
        %16: f64 = index %5[%34, %11] %17: f64 = index %5[%34, %36] %18: f64 = exp %16 %37: f64 = mul %18, %17";
    sum("%20", "%12", "%3", cell, "%37")
}

/// Neighbours read the same.
fn same() -> String {
    sum("%20", "%13", "%4", "%16: f64 = index %5[%10, %13]", "%16")
}

/// Neighbours read what stands apart.
fn apart() -> String {
    let cell = "%14: i64 = mul %11, 2 %15: i64 = add %14, %13 %34: i64 = sub %1, 1 %35: i64 = min %15, %34 %16: f64 = index %5[%10, %35]";
    sum("%20", "%13", "%4", cell, "%16")
}

/// Sums as long as the column's number says.
fn unequal() -> String {
    sum(
        "%20",
        "%13",
        "%36",
        "%15: i64 = add %10, %13 %34: i64 = sub %0, 1 %35: i64 = min %15, %34 %16: f64 = index %5[%35, %11]",
        "%16",
    )
    .replacen("%20: f64", "%36: i64 = min %11, %4 %20: f64", 1)
}

#[test]
fn reductions_of_neighbours_run_side_by_side() {
    for cell in [convolution(), window(), kernel(), greatest(), from_a_column(), of_rows_by_remainders()] {
        assert!(is_side_by_side(&over(&cell)), "{cell}:\n{}", lowered(&over(&cell)));
    }
}

#[test]
fn other_reductions_do_not() {
    for cell in [same(), apart(), unequal()] {
        assert!(!is_side_by_side(&over(&cell)), "{cell}:\n{}", lowered(&over(&cell)));
    }
}

fn real_matrix(rows: usize, columns: usize) -> Tensor {
    let values = (0..rows * columns).map(|i| ((i * 29 % 53) as f64 - 20.0) / 16.0).collect();
    Tensor::new(vec![rows, columns], TensorData::F64(values)).expect("the values fill the shape")
}

#[test]
fn results_stay() {
    let side_by_side = [convolution(), window(), kernel(), greatest(), from_a_column(), of_rows_by_remainders()];
    for cell in side_by_side.into_iter().chain([same(), apart(), unequal()]) {
        for (rows, columns, height, width) in
            [(3, 4, 3, 3), (3, 13, 2, 3), (3, 17, 1, 2), (4, 31, 2, 1), (2, 34, 1, 3), (3, 80, 2, 5), (5, 64, 0, 0)]
        {
            agree(&over(&cell), &[real_matrix(rows, columns), real_matrix(height, width), int(1)]);
        }
    }
}

/// What a function of a cube of real numbers returns.
fn of_cube(result: &str) -> String {
    format!("func @main[%0, %1, %2](%3: f64[%0, %1, %2]) -> (f64) {{ {result} return %20 }}")
}

/// A fold over the first axis of one over the second of one over the third; the innermost goes by its own operation.
fn nested(outer: &str, middle: &str, inner: &str, neutral: &str) -> String {
    let innermost = fold("%18", inner, neutral, "%13", "%2", "%16: f64 = index %3[%11, %12, %13]", "%16");
    of_cube(&fold(
        "%20",
        outer,
        neutral,
        "%11",
        "%0",
        &fold("%19", middle, neutral, "%12", "%1", &innermost, "%18"),
        "%19",
    ))
}

/// The same with the accumulators as second operands.
fn accumulators_last(text: &str) -> String {
    ["%18", "%19", "%20"].iter().fold(text.to_owned(), |text, result| {
        let (accumulator, cell) = (format!("{result}1"), format!("{result}2"));
        text.replace(&format!("max {accumulator}, {cell}"), &format!("max {cell}, {accumulator}"))
    })
}

/// The variables of reductions.
fn accumulators(options: &Options, text: &str) -> usize {
    let lowered = support::lower(&program(text), options);
    // The first of a loop is the reduction's own; others read from other places at the same time.
    let own = |data| Some(support::reductions(data).first()?.var);
    support::loops(&lowered).into_iter().filter_map(own).collect::<BTreeSet<_>>().len()
}

#[test]
fn reductions_of_reductions_are_one() {
    assert_eq!(accumulators(&PLAIN, &nested("add", "add", "add", "0.0")), 1);
    assert_eq!(accumulators(&PLAIN, &nested("max", "max", "max", "0.0")), 1);
    assert_eq!(accumulators(&PLAIN, &nested("add", "add", "mul", "0.0")), 2);
    assert_eq!(accumulators(&PLAIN, &nested("add", "max", "add", "0.0")), 3);
    let swapped = accumulators_last(&nested("max", "max", "max", "0.0"));
    assert_eq!(accumulators(&PLAIN, &swapped), 1);
    for (rows, columns) in [(0, 3), (1, 0), (3, 40)] {
        let cube = real_matrix(rows, columns);
        agree(&swapped, &[Tensor::new(vec![rows, columns, 1], cube.data().clone()).expect("as many elements")]);
    }
    // Sums in order are sums of sums.
    let strict = Options { strict_fp: true, ..PLAIN };
    assert_eq!(accumulators(&strict, &nested("add", "add", "add", "0.0")), 0);
}

/// A fold over rows of one over the parts of each, which have cells of their own.
fn of_parts(outer: &str, inner: &str) -> String {
    let parts = format!(
        "%19: f64 = w19: with (%12) in [%1] {{
           [0] <= iv < [%5] {{ %13: f64 = index %3[%11, %12, 0] %14: f64 = mul %13, %13 yield %14 }}
           [%5] <= iv < [%1] {{ %15: f64 = index %3[%11, %12, 0] %16: f64 = sub %15, 1.0 yield %16 }}
         }} : fold commutative (0.0) by (%191: f64, %192: f64) {{ %193: f64 = {inner} %191, %192 yield %193 }}\n"
    );
    let rows = fold("%20", outer, "0.0", "%11", "%0", &parts, "%19");
    of_cube(&format!("%5: i64 = min %1, 2\n{rows}"))
}

#[test]
fn reductions_of_reductions_by_several_loops_are_one() {
    assert_eq!(accumulators(&PLAIN, &of_parts("add", "add")), 1);
    assert_eq!(accumulators(&PLAIN, &of_parts("max", "max")), 1);
    assert_eq!(accumulators(&PLAIN, &of_parts("add", "max")), 2);
    // The inner one is for more than a step of the outer one.
    let squared = of_parts("add", "add").replace("yield %19 ", "%17: f64 = mul %19, %19 yield %17 ");
    assert_eq!(accumulators(&PLAIN, &squared), 2);
    // In order, the inner one is to be known before the outer one takes it.
    assert_eq!(accumulators(&Options { strict_fp: true, ..PLAIN }, &of_parts("max", "max")), 0);
    for (outer, inner) in [("add", "add"), ("max", "max"), ("add", "max")] {
        for (rows, columns) in [(0, 3), (1, 0), (2, 1), (3, 2), (5, 40)] {
            let cube = real_matrix(rows, columns);
            let cube = Tensor::new(vec![rows, columns, 1], cube.data().clone()).expect("as many elements");
            agree(&of_parts(outer, inner), &[cube]);
        }
    }
}

#[test]
fn signs_of_zeros_stay() {
    let negative = |count: usize| Tensor::new(vec![1, count, 1], TensorData::F64(vec![-0.0; count])).expect("a cube");
    for neutral in ["0.0", "-0.0"] {
        for count in [0, 1, 3] {
            for op in ["add", "max"] {
                let text = nested(op, op, op, neutral);
                agree(&text, &[negative(count)]);
                agree(&accumulators_last(&text), &[negative(count)]);
            }
        }
    }
}
