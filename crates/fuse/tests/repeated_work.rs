//! What merging may repeat. Making one loop of a nest: nothing, or a few cheap operations; calls never. Folding: as many as the machine does while
//! an element goes to memory.

use frit_fuse::array::{Options, Scalarise, fuse};
use frit_ir::array::{Block, Func, Op, Program, parse, verify};
use frit_plan::Log;

/// The rank of the loops at the level of the entry, after all merges.
fn merged(text: &str, options: &Options) -> (Program, Vec<usize>) {
    let mut program = parse::parse_program(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut log = Log::default();
    let simplify = |program: &mut Program| frit_simplify::simplify(program, &frit_simplify::Options::default());
    simplify(&mut program);
    while fuse(&mut program, options, &mut log).any() {
        simplify(&mut program);
    }
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let func = &program.funcs[program.entry.expect("it has an entry")];
    let rank = |op: &Op| if let Op::With(w) = op { Some(func.with_loops[*w].space.len()) } else { None };
    let ranks = func.body.stmts.iter().filter_map(|stmt| rank(&stmt.op)).collect();
    (program, ranks)
}

fn with(scalarise: Scalarise) -> Options {
    Options { scalarise, ..Options::default() }
}

/// Rows are scaled by what `factor` computes of their number.
fn scaled_rows(factor: &str) -> String {
    format!(
        "func @fun(%0: i64) -> (f64) {{ %1: bool = le %0, 0
           %2: f64 = if %1 {{ yield 1.0 }} else {{ %3: i64 = sub %0, 1 %4: f64 = call @fun(%3) yield %4 }} return %2 }}
         func @main[%0, %1](%2: f64[%0, %1], %3: f64[%0]) -> (f64[%0, %1]) {{
           %4: f64[%0, %1] = w0: with (%5) in [%0] {{ [0] <= iv < [%0] {{
             {factor}
             %7: f64[%1] = w1: with (%8) in [%1] {{ [0] <= iv < [%1] {{
               %9: f64 = index %2[%5, %8] %10: f64 = mul %6, %9 yield %10 }} }} : genarray
             yield %7 }} }} : genarray
           return %4 }}
         entry @main"
    )
}

/// The number of with-loops around each call in a block.
fn depths_of_calls(func: &Func, block: &Block, depth: usize, found: &mut Vec<usize>) {
    for stmt in &block.stmts {
        match stmt.op {
            Op::Call { .. } => found.push(depth),
            Op::With(w) => {
                let generators = &func.with_loops[w].generators;
                generators.iter().for_each(|g| depths_of_calls(func, &g.body, depth + g.lower.len(), found));
            }
            _ => {}
        }
    }
}

#[test]
fn a_cheap_factor_of_a_row_is_repeated_unless_nothing_may_be() {
    let text = scaled_rows("%11: f64 = index %3[%5] %6: f64 = add %11, 1.0");
    assert_eq!(merged(&text, &with(Scalarise::Aggressive)).1, [2]);
    assert_eq!(merged(&text, &with(Scalarise::Conservative)).1, [1]);
}

#[test]
fn arithmetic_on_indices_is_no_work() {
    let text =
        scaled_rows("%11: i64 = sub %0, %5 %12: i64 = sub %11, 1 %13: f64[%1] = index %2[%12] %6: f64 = add 1.0, 1.0");
    let text = text.replace("index %2[%5, %8]", "index %13[%8]");
    assert_eq!(merged(&text, &with(Scalarise::Conservative)).1, [2]);
}

#[test]
fn a_call_is_made_once_for_each_row() {
    for scalarise in [Scalarise::Aggressive, Scalarise::Conservative] {
        let (program, ranks) = merged(&scaled_rows("%6: f64 = call @fun(%5)"), &with(scalarise));
        assert_eq!(ranks, [1], "{program}");
        let main = &program.funcs[program.entry.expect("it has an entry")];
        let mut depths = Vec::new();
        depths_of_calls(main, &main.body, 0, &mut depths);
        assert_eq!(depths, [1], "{program}");
    }
}

/// Each element of a vector is computed by 49 operations, or so, and read by two of another.
const COSTLY_NEIGHBOURS: &str = "func @main[%0](%1: f64[%0]) -> (f64[%0]) {
    %2: i64 = sub %0, 1
    %3: f64[%0] = w0: with (%4) in [%0] { [0] <= iv < [%0] {
      %5: f64 = index %1[%4] %6: f64 = exp %5 %7: f64 = exp %6 %8: f64 = exp %7 %9: f64 = exp %8 %10: f64 = exp %9 %11: f64 = exp %10
      yield %11 } } : genarray
    %12: f64[%0] = w1: with (%13) in [%0] { [0] <= iv < [%0] {
      %14: i64 = sub %2, %13 %15: f64 = index %3[%13] %16: f64 = index %3[%14] %17: f64 = add %15, %16
      yield %17 } } : genarray
    return %12 }
  entry @main";

#[test]
fn costly_elements_are_computed_twice_where_memory_is_slow() {
    let loops = |most_repeated| merged(COSTLY_NEIGHBOURS, &Options { most_repeated, ..Options::default() }).1.len();
    assert_eq!([0, 48, 64].map(loops), [2, 2, 1]);
}
