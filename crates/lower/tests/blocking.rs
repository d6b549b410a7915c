//! Contractions are computed in blocks, and mean the same.

use crate::support;

use frit_support::random;
use proptest::prelude::*;
use support::{agree, has_array, int, lowered, reals};

/// The parts of a product of matrices: what differs from `D[i, j] = sum of A[i, k] * B[k, j]`.
struct Product {
    /// The element type.
    elem: &'static str,
    /// What is read, for row `%10`, column `%11` and step `%12`: as `%20` and `%21`, with any other names from `%22` to `%29`.
    reads: &'static str,
    /// How the two are combined to `%30`.
    term: &'static str,
    /// The operation of the fold and its unit.
    fold: (&'static str, &'static str),
    /// How the fold's result `%40` becomes the cell `%50`.
    cell: &'static str,
    /// How many steps there are.
    steps: &'static str,
}

const PRODUCT: Product = Product {
    elem: "f64",
    reads: "%20: f64 = index %3[%10, %12]\n%21: f64 = index %4[%12, %11]",
    term: "%30: f64 = mul %20, %21",
    fold: ("add", "0.0"),
    cell: "%50: f64 = add %40, 0.0",
    steps: "%1",
};

impl Product {
    /// A program of a matrix of `%0` by `%1`, one of `%1` by `%2`, and a number.
    fn text(&self) -> String {
        let Self { elem, reads, term, fold: (fold, unit), cell, steps } = self;
        format!(
            "func @main[%0, %1, %2](%3: {elem}[%0, %1], %4: {elem}[%1, %2], %5: i64) -> (*{elem}[%0, %2]) {{
              %6: {elem}[%0, %2] = w0: with (%10) in [%0] {{
                [0] <= iv < [%0] {{
                  %7: {elem}[%2] = w1: with (%11) in [%2] {{
                    [0] <= iv < [%2] {{
                      %40: {elem} = w2: with (%12) in [{steps}] {{
                        [0] <= iv < [{steps}] {{
                          {reads}
                          {term}
                          yield %30
                        }}
                      }} : fold commutative ({unit}) by (%41: {elem}, %42: {elem}) {{
                        %43: {elem} = {fold} %41, %42
                        yield %43
                      }}
                      {cell}
                      yield %50
                    }}
                  }} : genarray
                  yield %7
                }}
              }} : genarray
              return %6
            }}"
        )
    }

    fn is_blocked(&self) -> bool {
        support::changes(&self.text(), &support::SEQUENTIAL)["blocking"] > 0
    }

    fn runs_in_registers(&self) -> bool {
        has_array(&lowered(&self.text()), &CELLS_IN_REGISTERS)
    }

    fn agrees(&self, (rows, steps, columns): (usize, usize, usize)) {
        let matrix = |rows: usize, columns: usize, factor: usize| {
            let values = (0..rows * columns).map(|i| (i * factor % 31) as f64 - 15.0);
            if self.elem == "f64" {
                reals(&values.collect::<Vec<_>>()).reshaped(rows, columns)
            } else {
                support::matrix(rows, columns, &values.map(|value| value as i64).collect::<Vec<_>>())
            }
        };
        agree(&self.text(), &[matrix(rows, steps, 7), matrix(steps, columns, 11), int(3)]);
    }
}

/// Where cells are kept between blocks of steps, which are in registers in one.
const CELLS_IN_REGISTERS: [i64; 2] = [264, 128];

trait Reshaped {
    fn reshaped(self, rows: usize, columns: usize) -> frit_ir::Tensor;
}

impl Reshaped for frit_ir::Tensor {
    fn reshaped(self, rows: usize, columns: usize) -> frit_ir::Tensor {
        frit_ir::Tensor::new(vec![rows, columns], self.data().clone()).expect("the values fill the shape")
    }
}

/// Below and above what blocks pay for, and to both sides of whole blocks.
const SIZES: [(usize, usize, usize); 6] = [(0, 3, 4), (7, 9, 17), (8, 8, 16), (9, 13, 19), (70, 37, 21), (11, 33, 131)];

fn blocks(product: &Product) {
    let text = product.text();
    assert!(product.is_blocked(), "{}", lowered(&text));
    SIZES.into_iter().for_each(|size| product.agrees(size));
}

fn stays(product: &Product) {
    let text = product.text();
    assert!(!product.is_blocked(), "{}", lowered(&text));
    SIZES.into_iter().for_each(|size| product.agrees(size));
}

#[test]
fn cells_of_a_product_of_matrices_stay_in_registers() {
    blocks(&PRODUCT);
    // More than a block of rows, and of steps.
    PRODUCT.agrees((267, 195, 17));
}

#[test]
fn shortest_paths_are_blocked() {
    let term = "%30: f64 = add %20, %21";
    blocks(&Product { term, fold: ("min", "1.0e300"), ..PRODUCT });
}

#[test]
fn integers_are_blocked() {
    let term = "%30: i64 = xor %20, %21";
    let reads = "%20: i64 = index %3[%10, %12]\n%21: i64 = index %4[%12, %11]";
    blocks(&Product { elem: "i64", reads, term, fold: ("add", "0"), cell: "%50: i64 = add %40, %5", ..PRODUCT });
}

#[test]
fn a_layer_with_an_activation_is_blocked() {
    blocks(&Product {
        cell: "%51: f64 = index %3[%10, 0]\n%52: f64 = add %51, %40\n%50: f64 = max %52, 0.0",
        ..PRODUCT
    });
}

#[test]
fn distances_are_blocked() {
    blocks(&Product { term: "%31: f64 = sub %20, %21\n%30: f64 = mul %31, %31", ..PRODUCT });
}

#[test]
fn what_lies_along_steps_is_packed_across() {
    // Of a square matrix: both factors are the same.
    let reads = "%20: f64 = index %3[%10, %12]\n%21: f64 = index %3[%11, %12]";
    let text = Product { reads, ..PRODUCT }.text().replace("%2]", "%0]").replace("[%0, %1, %0](", "[%0, %1, %2](");
    let text = text.replace("%4: f64[%1, %0]", "%4: f64[%1, %2]");
    assert!(has_array(&lowered(&text), &CELLS_IN_REGISTERS), "{}", lowered(&text));
    for rows in [3, 8, 16, 67] {
        let matrix = reals(&(0..rows * 37).map(|i| (i * 7 % 31) as f64).collect::<Vec<_>>()).reshaped(rows, 37);
        agree(&text, &[matrix.clone(), matrix.reshaped(37, rows), int(3)]);
    }
}

#[test]
fn elements_found_through_a_table_are_blocked() {
    let reads =
        "%20: f64 = index %3[%10, %12]\n%22: i64 = add %12, 1\n%23: i64 = rem %22, %1\n%21: f64 = index %4[%23, %11]";
    blocks(&Product { reads, ..PRODUCT });
}

#[test]
fn sums_of_windows_are_not_contractions() {
    // Every cell reads elements of its own.
    let reads =
        "%22: i64 = add %10, %12\n%23: i64 = rem %22, %1\n%20: f64 = index %4[%23, %11]\n%21: f64 = index %4[%12, %11]";
    stays(&Product { reads, ..PRODUCT });
}

#[test]
fn triangles_are_not_blocked() {
    let reads = "%20: f64 = index %3[%10, 0]\n%22: i64 = rem %12, %1\n%21: f64 = index %4[%22, %11]";
    let product = Product { reads, steps: "%10", ..PRODUCT };
    assert!(!product.is_blocked());
    [(7, 9, 17), (19, 13, 19)].into_iter().for_each(|size| product.agrees(size));
}

#[test]
fn what_vectors_cannot_run_with_its_steps_stays_in_memory() {
    let in_registers = |product: &Product| {
        blocks(product);
        product.runs_in_registers()
    };
    assert!(in_registers(&Product { term: "%31: f64 = sub %20, %21\n%30: f64 = mul %31, %31", ..PRODUCT }));
    assert!(in_registers(&Product { term: "%30: f64 = add %20, %21", fold: ("min", "1.0e300"), ..PRODUCT }));
    // Calls, what takes more registers, and several elements of a column.
    assert!(!in_registers(&Product { term: "%31: f64 = mul %20, %21\n%30: f64 = exp %31", ..PRODUCT }));
    let reads = "%20: i64 = index %3[%10, %12]\n%21: i64 = index %4[%12, %11]";
    let cell = "%50: i64 = add %40, %5";
    assert!(!in_registers(&Product {
        elem: "i64",
        reads,
        fold: ("add", "0"),
        term: "%30: i64 = mul %20, %21",
        cell,
        ..PRODUCT
    }));
    let reads = "%20: f64 = index %3[%10, %12]\n%22: f64 = index %4[%12, %11]\n%23: i64 = rem %11, 3\n%24: f64 = index %4[%12, %23]\n%21: f64 = add %22, %24";
    assert!(!in_registers(&Product { reads, ..PRODUCT }));
}

#[test]
fn what_is_read_on_a_condition_is_not_packed() {
    // Outside the condition the element may not exist.
    let reads = "%20: f64 = index %3[%10, %12]
        %22: bool = lt %12, 5
        %21: f64 = if %22 {
          %23: f64 = index %4[%12, %11]
          yield %23
        } else {
          yield 1.0
        }";
    let lowered = lowered(&Product { reads, ..PRODUCT }.text());
    assert!(!has_array(&lowered, &[32, 128]), "{lowered}");
    SIZES.into_iter().for_each(|size| Product { reads, ..PRODUCT }.agrees(size));
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(12)))]

    #[test]
    fn products_of_any_size_agree(rows in 0usize..90, steps in 0usize..50, columns in 0usize..150) {
        PRODUCT.agrees((rows, steps, columns));
    }
}
