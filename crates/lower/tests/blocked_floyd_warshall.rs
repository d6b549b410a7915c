//! Steps that update a matrix by a row and a column of it are taken several at once, and mean the same.

use crate::support;

use frit_ir::{Tensor, TensorData};
use frit_support::random;
use proptest::prelude::*;
use support::{agree, int, lowered, reals};

/// What differs between the updates of a matrix `%4` of `%0` by `%1` in steps `%10`, for row `%11` and column `%12`. There are the vectors
/// `%5` and the number `%6` besides.
#[derive(Clone)]
struct Update {
    /// The element type.
    elem: &'static str,
    /// What is read: `%20` and on.
    reads: &'static str,
    /// How the cell `%40` is computed of that.
    cell: String,
    /// The range of rows and columns that change.
    range: &'static str,
    /// What computes the result of the whole step, `%50`, of the initial matrix `%3` or the one before, `%4`.
    operator: &'static str,
}

const READS: &str = "%20: f64 = index %4[%11, %12]\n%21: f64 = index %4[%11, %10]\n%22: f64 = index %4[%10, %12]";

/// Paths between all pairs.
fn paths() -> Update {
    let cell = "%30: f64 = add %21, %22\n%40: f64 = min %20, %30".to_string();
    Update { elem: "f64", reads: READS, cell, range: "[0, 0] <= iv < [%0, %1]", operator: "genarray" }
}

/// The same with integers, as `cell` says.
fn integers(cell: impl Into<String>) -> Update {
    let reads = "%20: i64 = index %4[%11, %12]\n%21: i64 = index %4[%11, %10]\n%22: i64 = index %4[%10, %12]\n\
        %23: i64 = index %4[%10, %10]\n%24: i64 = index %5[%12]";
    Update { elem: "i64", reads, cell: cell.into(), ..paths() }
}

/// Steps are taken at once.
fn is_in_panels(text: &str) -> bool {
    support::changes(text, &support::SEQUENTIAL)["blocked-floyd-warshall"] > 0
}

impl Update {
    fn text(&self) -> String {
        let Self { elem, reads, cell, range, operator } = self;
        format!(
            "func @main[%0, %1](%3: {elem}[%0, %1], %5: {elem}[%1], %6: i64) -> ({elem}[%0, %1]) {{
              %7: {elem}[%0, %1] = for %10 < %0 (%4: {elem}[%0, %1] = %3) {{
                %50: {elem}[%0, %1] = w1: with (%11, %12) in [%0, %1] {{
                  {range} {{
                    {reads}
                    {cell}
                    yield %40
                  }}
                }} : {operator}
                yield %50
              }}
              return %7
            }}"
        )
    }

    /// Steps are taken at once.
    fn is_in_panels(&self) -> bool {
        is_in_panels(&self.text())
    }

    fn agrees(&self, rows: usize, columns: usize) {
        let values = |count: usize, factor: usize| (0..count).map(move |i| (i * factor % 61) as i64 - 20);
        let tensor = |shape: Vec<usize>, factor: usize| {
            let values = values(shape.iter().product(), factor);
            let data = match self.elem {
                "f64" => TensorData::F64(values.map(|value| value as f64).collect()),
                "bool" => TensorData::Bool(values.map(|value| value % 7 == 0).collect()),
                _ => TensorData::I64(values.collect()),
            };
            Tensor::new(shape, data).expect("the values fill the shape")
        };
        agree(&self.text(), &[tensor(vec![rows, columns], 23), tensor(vec![columns], 11), int(3)]);
    }
}

/// Too few steps, just enough, and to both sides of whole panels; blocks of rows that are full and not.
const SIZES: [(usize, usize); 6] = [(0, 2), (7, 9), (26, 26), (27, 33), (28, 28), (37, 38)];

fn runs_in_panels(update: &Update) {
    assert!(update.is_in_panels(), "{}", lowered(&update.text()));
    SIZES.into_iter().for_each(|(rows, columns)| update.agrees(rows, columns));
}

fn stays(update: &Update) {
    assert!(!update.is_in_panels(), "{}", lowered(&update.text()));
    [(7, 9), (28, 28)].into_iter().for_each(|(rows, columns)| update.agrees(rows, columns));
}

#[test]
fn paths_between_all_pairs() {
    runs_in_panels(&paths());
}

#[test]
fn transitive_closures() {
    let reads = "%20: bool = index %4[%11, %12]\n%21: bool = index %4[%11, %10]\n%22: bool = index %4[%10, %12]";
    let cell = "%30: bool = and %21, %22\n%40: bool = or %20, %30".to_string();
    runs_in_panels(&Update { elem: "bool", reads, cell, ..paths() });
}

#[test]
fn widest_paths() {
    let cell = "%30: f64 = min %21, %22\n%40: f64 = max %20, %30".to_string();
    runs_in_panels(&Update { cell, ..paths() });
}

#[test]
fn eliminations_by_a_pivot() {
    let reads = "%20: f64 = index %4[%11, %12]\n%21: f64 = index %4[%11, %10]\n%22: f64 = index %4[%10, %12]\n\
        %23: f64 = index %4[%10, %10]";
    let cell = "%30: f64 = mul %21, %22\n%31: f64 = add %23, 1.5\n%32: f64 = div %30, %31\n%40: f64 = sub %20, %32";
    runs_in_panels(&Update { reads, cell: cell.to_string(), ..paths() });
}

#[test]
fn what_does_not_change_may_be_read() {
    // Of the initial matrix too: it is the caller's.
    let cell =
        "%30: i64 = add %21, %22\n%31: i64 = add %30, %24\n%32: i64 = index %3[%12, %10]\n%33: i64 = xor %31, %32
        %34: i64 = mul %6, %10\n%35: i64 = sub %33, %34\n%40: i64 = min %20, %35";
    let update = integers(cell);
    assert!(update.is_in_panels(), "{}", lowered(&update.text()));
    [(26, 26), (27, 27), (28, 28), (37, 37)].into_iter().for_each(|(rows, columns)| update.agrees(rows, columns));
}

#[test]
fn rows_and_columns_may_change_roles() {
    // What is added depends on the cell's place and on the step, in different ways.
    let cell = "%30: i64 = mul %11, 3\n%31: i64 = mul %12, 5\n%32: i64 = sub %30, %31\n%33: i64 = mul %32, %10
        %34: i64 = mul %21, %33\n%35: i64 = sub %22, %34\n%40: i64 = xor %35, %20";
    runs_in_panels(&integers(cell));
}

#[test]
fn cells_with_conditions() {
    let cell = "%30: bool = lt %11, %12\n%31: bool = lt %21, %22
        %40: i64 = if %31 {
          %32: i64 = mul %21, %20\n%33: i64 = add %32, %24
          yield %33
        } else {
          %34: i64 = select %30, %22, %20
          yield %34
        }";
    runs_in_panels(&integers(cell));
}

#[test]
fn other_cells_of_the_matrix_are_not_read() {
    // The one across the diagonal, and the one in the column after that of the step.
    let cell =
        "%30: i64 = index %4[%12, %11]\n%31: i64 = add %21, %22\n%32: i64 = min %30, %31\n%40: i64 = min %20, %32";
    let across = integers(cell);
    assert!(!across.is_in_panels(), "{}", lowered(&across.text()));
    across.agrees(28, 28);
    let cell = "%29: i64 = add %10, 1\n%30: i64 = rem %29, %1\n%31: i64 = index %4[%11, %30]\n%32: i64 = add %21, %22
        %33: i64 = add %31, %32\n%40: i64 = min %20, %33";
    stays(&integers(cell));
}

#[test]
fn an_update_by_a_row_alone_stays() {
    let reads = "%20: f64 = index %4[%11, %12]\n%22: f64 = index %4[%10, %12]";
    stays(&Update { reads, cell: "%40: f64 = min %20, %22".to_string(), ..paths() });
}

#[test]
fn an_initial_matrix_that_may_be_the_second_buffer_is_not_read() {
    let text = integers(
        "%32: i64 = index %3[%11, %12]\n%33: i64 = add %21, %22\n%34: i64 = min %33, %32\n%40: i64 = min %20, %34",
    )
    .text();
    let text = text.replace("(%3: i64[%0, %1]", "(%60: i64[%0, %1]").replace(
        "%7: i64[%0, %1] = for",
        "%3: i64[%0, %1] = w0: with (%61, %62) in [%0, %1] {
           [0, 0] <= iv < [%0, %1] {
             %63: i64 = index %60[%61, %62]
             %64: i64 = add %63, %6
             yield %64
           }
         } : genarray
         %7: i64[%0, %1] = for",
    );
    assert!(!is_in_panels(&text), "{}", lowered(&text));
    let matrix = support::matrix(28, 28, &(0..28 * 28).map(|i| i * 23 % 61).collect::<Vec<_>>());
    agree(&text, &[matrix, support::ints(&[4; 28]), int(3)]);
}

#[test]
fn a_number_that_passes_from_step_to_step_is_not_known_ahead() {
    let text = paths().text().replace("for %10 < %0 (", "for %10 < %0 (%70: f64 = 0.0, ");
    let text = text.replace("%7: f64[%0, %1] = for", "%73: f64, %7: f64[%0, %1] = for");
    let text =
        text.replace("add %21, %22", "add %21, %70").replace("yield %50", "%71: f64 = index %50[0, 0]\nyield %71, %50");
    assert!(!is_in_panels(&text), "{}", lowered(&text));
}

#[test]
fn ranges_that_change_stay() {
    let range = "[%10, %10] <= iv < [%0, %1]";
    stays(&Update { range, operator: "modarray(%4)", ..paths() });
}

#[test]
fn large_cells_stay() {
    let chain: String = (70..90).map(|at| format!("%{}: i64 = mul %{at}, %21\n", at + 1)).collect();
    stays(&integers(format!("%70: i64 = add %20, %22\n{chain}%40: i64 = add %90, %24")));
}

#[test]
fn a_result_of_few_steps_is_whole() {
    // As many rows as columns are needed for steps, but only some steps are taken.
    let text = paths().text().replace("for %10 < %0", "for %10 < %6");
    for steps in [0, 3, 26, 27, 28, 30] {
        let matrix = |count: usize| reals(&(0..count).map(|i| (i * 23 % 61) as f64).collect::<Vec<_>>());
        let square = Tensor::new(vec![30, 30], matrix(900).data().clone()).expect("the values fill the shape");
        agree(&text, &[square, matrix(30), int(steps)]);
    }
    assert!(is_in_panels(&text));
}

fn any_cell() -> impl Strategy<Value = String> {
    let op = prop::sample::select(vec!["add", "sub", "mul", "min", "max", "xor"]);
    let operand = prop::sample::select(vec!["%10", "%11", "%12", "%20", "%21", "%22", "%23", "%24", "%6"]);
    (op.clone(), op.clone(), prop::collection::vec((op, operand), 0..6)).prop_map(|(first, second, more)| {
        let mut cell = format!("%29: i64 = {first} %20, %21\n%30: i64 = {second} %29, %22\n");
        for (at, (op, operand)) in more.iter().enumerate() {
            cell += &format!("%{}: i64 = {op} %{}, {operand}\n", at + 31, at + 30);
        }
        cell + &format!("%40: i64 = add %{}, 0", more.len() + 30)
    })
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(12)))]

    #[test]
    fn any_cells_mean_the_same(cell in any_cell(), rows in 27_usize..40, more in 0_usize..20) {
        let update = integers(cell);
        prop_assert!(update.is_in_panels(), "{}", lowered(&update.text()));
        update.agrees(rows, rows + more);
    }
}
