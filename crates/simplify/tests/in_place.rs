//! Updates in place: what is marked, what is not, and that marks keep what programs compute.

use frit_generate::outcome::{self, Outcome};
use frit_generate::{Favour, case};
use frit_ir::array::{Block, Func, Op, Operator, Program, parse::parse_program, verify::verify};
use frit_ir::{Const, Tensor, TensorData};
use frit_simplify::{Options, in_place, simplify};
use frit_support::random;

fn parse(text: &str) -> Program {
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error}"));
    verify(&program).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// The program with its marks, which must be so many.
#[track_caller]
fn marked(text: &str, count: usize) -> String {
    let mut program = parse(text);
    let changes = in_place::run(&mut program, &Options::default());
    verify(&program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    assert_eq!(changes.count, count, "{program}");
    program.to_string()
}

#[test]
fn an_update_of_a_fresh_array_consumes_it() {
    let shown = marked(
        "func @main(%0: i64) -> (*i64[8]) {
          %1: i64[8] = replicate 8, %0
          %2: i64[8] = update %1[0] = 5
          %3: i64[8] = update %2[1] = 6
          return %3
        }
        entry @main",
        2,
    );
    assert_eq!(shown.matches("update consumes").count(), 2, "{shown}");
}

#[test]
fn what_is_used_afterwards_is_kept() {
    let shown = marked(
        "func @main(%0: i64) -> (*i64[8], i64) {
          %1: i64[8] = replicate 8, %0
          %2: i64[8] = update %1[0] = 5
          %3: i64 = index %1[0]
          %4: i64[8] = update %2[1] = 6
          return %4, %3
        }
        entry @main",
        1,
    );
    assert!(shown.contains("%2: i64[8] = update %1[0]"), "{shown}");
}

#[test]
fn what_a_view_uses_afterwards_is_kept() {
    marked(
        "func @main(%0: i64) -> (*i64[8], i64[8]) {
          %1: i64[8] = replicate 8, %0
          %2: i64[8] = view %1 slice(7 step -1)
          %3: i64[8] = update %1[0] = 5
          return %3, %2
        }
        entry @main",
        0,
    );
}

#[test]
fn what_the_caller_keeps_is_not_consumed() {
    marked(
        "func @main[%0](%1: i64[%0]) -> (*i64[%0]) {
          %2: i64[%0] = update %1[0] = 5
          return %2
        }
        entry @main",
        0,
    );
}

#[test]
fn each_branch_updates_what_the_other_reads() {
    let shown = marked(
        "func @main(%0: i64, %1: bool) -> (*i64[8]) {
          %2: i64[8] = replicate 8, %0
          %3: i64[8] = if %1 {
            %4: i64[8] = update %2[0] = 5
            yield %4
          } else {
            %5: i64 = index %2[3]
            %6: i64[8] = update %2[1] = %5
            yield %6
          }
          return %3
        }
        entry @main",
        2,
    );
    assert_eq!(shown.matches("update consumes").count(), 2, "{shown}");
}

#[test]
fn a_loop_owns_what_it_updates() {
    let shown = marked(
        "func @main[%0](%1: i64[%0]) -> (i64[%0]) {
          %2: i64[%0] = for %3 < %0 (%4: i64[%0] = %1) {
            %5: bool = lt %3, 5
            %6: i64[%0] = if %5 {
              %7: i64 = index %4[0]
              %8: i64[%0] = update %4[%3] = %7
              yield %8
            } else {
              yield %4
            }
            yield %6
          }
          return %2
        }
        entry @main",
        1,
    );
    // The caller keeps its array: one copy, before the loop.
    assert!(shown.contains(" = copy %1\n  %2: i64[%0] = for"), "{shown}");
    assert!(shown.contains("(%4: *i64[%0] ="), "{shown}");
}

#[test]
fn nested_loops_pass_their_array_on() {
    let shown = marked(
        "func @main(%0: i64) -> (i64[8]) {
          %1: i64[8] = replicate 8, 0
          %2: i64[8] = for %3 < %0 (%4: i64[8] = %1) {
            %5: i64[8] = for %6 < 8 (%7: i64[8] = %4) {
              %8: i64 = index %7[%6]
              %9: i64 = add %8, %3
              %10: i64[8] = update %7[%6] = %9
              yield %10
            }
            yield %5
          }
          return %2
        }
        entry @main",
        1,
    );
    assert!(!shown.contains("copy"), "{shown}");
    assert_eq!(shown.matches(": *i64[8] =").count(), 2, "{shown}");
}

#[test]
fn a_copy_of_what_is_given_up_is_left_out() {
    let shown = marked(
        "func @main(%0: *i64[8], %1: i64) -> (i64[8]) {
          %2: i64[8] = for %3 < %1 (%4: i64[8] = %0) {
            %5: bool = lt %3, 4
            %6: i64[8] = if %5 {
              %7: i64[8] = copy %4
              %8: i64[8] = for %9 < 8 (%10: *i64[8] = %7) {
                %11: i64[8] = update consumes %10[%9] = %3
                yield %11
              }
              yield %8
            } else {
              yield %4
            }
            %12: i64[8] = update %6[0] = 1
            yield %12
          }
          return %2
        }
        entry @main",
        2,
    );
    assert!(!shown.contains("copy"), "{shown}");
    let kept = marked(
        "func @main(%0: *i64[8]) -> (i64[8], i64[8]) {
          %1: i64[8] = copy %0
          %2: i64[8] = update %1[0] = 1
          return %2, %0
        }
        entry @main",
        1,
    );
    assert!(kept.contains("copy"), "{kept}");
}

#[test]
fn a_loop_that_needs_the_old_array_too_stays_as_it_is() {
    let text = "func @main(%0: i64) -> (i64[8]) {
          %1: i64[8] = replicate 8, 0
          %2: i64[8] = for %3 < %0 (%4: i64[8] = %1) {
            %5: i64[8] = for %6 < 8 (%7: i64[8] = %4) {
              %8: i64 = index %4[%6]
              %9: i64 = add %8, 1
              %10: i64[8] = update %7[%6] = %9
              yield %10
            }
            yield %5
          }
          return %2
        }
        entry @main";
    let shown = marked(text, 1);
    assert!(shown.contains("(%4: i64[8] = %1)"), "{shown}");
    assert!(shown.contains(" = copy %4"), "{shown}");
}

#[test]
fn two_parameters_with_one_array_do_not_both_own_it() {
    marked(
        "func @main(%0: i64) -> (i64[8], i64[8]) {
          %1: i64[8] = replicate 8, 0
          %2: i64[8], %3: i64[8] = for %4 < %0 (%5: i64[8] = %1, %6: i64[8] = %1) {
            %7: i64[8] = update %5[0] = %4
            yield %7, %7
          }
          return %2, %3
        }
        entry @main",
        0,
    );
}

#[test]
fn an_array_takes_the_memory_of_one_it_is_made_from() {
    let shown = marked(
        "func @main[%0](%1: f64[%0], %2: i64) -> (*f64[%0]) {
          %3: f64[%0] = copy %1
          %4: f64 = w0: with (%5) in [%0] {
            [0] <= iv < [%0] {
              %6: f64 = index %3[%5]
              yield %6
            }
          } : fold commutative (0.0) by (%7: f64, %8: f64) {
            %9: f64 = add %7, %8
            yield %9
          }
          %10: f64[%0] = w1: with (%11) in [%0] {
            [0] <= iv < [%0] {
              %12: f64 = index %3[%11]
              %13: f64 = sub %12, %4
              yield %13
            }
          } : genarray
          %14: f64[%0] = for %15 < %2 (%16: f64[%0] = %10) {
            %17: f64[%0] = w2: with (%18) in [%0] {
              [0] <= iv < [%0] {
                %19: f64 = index %16[%18]
                %20: f64 = sqrt %19
                yield %20
              }
            } : genarray
            yield %17
          }
          return %14
        }
        entry @main",
        2,
    );
    assert!(shown.contains("modarray(consumes %3)") && shown.contains("modarray(consumes %16)"), "{shown}");
}

#[test]
fn what_a_branch_returns_takes_the_memory_of_what_it_is_made_from() {
    let twice = |loop_or_not: &str, end: &str| {
        format!(
            "func @main(%0: i64, %1: bool) -> (i64[8]) {{
              {loop_or_not}
              %2: i64[8] = if %1 {{
                %3: i64[8] = replicate 8, %0
                %4: i64[8] = update %3[0] = 5
                %5: i64[8] = w0: with (%6) in [8] {{
                  [0] <= iv < [8] {{
                    %7: i64 = index %4[%6]
                    %8: i64 = mul %7, 2
                    yield %8
                  }}
                }} : genarray
                yield %5
              }} else {{
                %9: i64[8] = replicate 8, 0
                yield %9
              }}
              {end}
            }}
            entry @main"
        )
    };
    let shown = marked(&twice("", "return %2"), 2);
    assert!(shown.contains("modarray(consumes %4)"), "{shown}");
    // The loop has a place for the array of the next iteration.
    let start = "%10: i64[8] = replicate 8, 1\n%11: i64[8] = for %12 < 3 (%13: i64[8] = %10) {";
    let shown = marked(&twice(start, "yield %2\n}\nreturn %11"), 1);
    assert!(!shown.contains("modarray"), "{shown}");
}

#[test]
fn neighbours_are_not_overwritten_before_they_are_read() {
    let shown = marked(
        "func @main(%0: i64, %1: f64) -> (f64[8]) {
          %2: f64[8] = replicate 8, %1
          %3: f64[8] = for %4 < %0 (%5: f64[8] = %2) {
            %6: f64[8] = w0: with (%7) in [8] {
              [1] <= iv < [8] {
                %8: i64 = sub %7, 1
                %9: f64 = index %5[%8]
                yield %9
              }
            } : modarray(%5)
            yield %6
          }
          return %3
        }
        entry @main",
        0,
    );
    assert!(shown.contains("modarray(%5)"), "{shown}");
}

#[test]
fn points_of_one_colour_are_replaced_in_place() {
    let shown = marked(
        "func @main[%0](%1: f64[%0, %0], %2: i64) -> (*f64[%0, %0]) {
          %13: f64[%0, %0] = copy %1
          %3: f64[%0, %0] = for %4 < %2 (%5: f64[%0, %0] = %13) {
            %6: f64[%0, %0] = w0: with (%7, %8) in [%0, %0] {
              [0, 0] <= iv < [%0, %0] step [2, 2] width [1, 1] {
                %9: f64 = index %5[%7, %8]
                %10: f64 = mul %9, 0.5
                yield %10
              }
              [1, 1] <= iv < [%0, %0] step [2, 2] width [1, 1] {
                %11: i64 = sub %7, 1
                %12: f64 = index %5[%11, %8]
                yield %12
              }
            } : modarray(%5)
            yield %6
          }
          return %3
        }
        entry @main",
        1,
    );
    assert!(shown.contains("modarray(consumes"), "{shown}");
}

/// The program as if nothing had ever been marked.
fn without_marks(program: &Program) -> Program {
    let mut plain = program.clone();
    for (_, func) in plain.funcs.iter_mut() {
        func.params.iter_mut().for_each(|param| param.consumed = false);
        func.results.iter_mut().for_each(|result| result.unique = false);
        let body = std::mem::take(&mut func.body);
        func.body = unmarked(func, body);
    }
    plain
}

fn unmarked(func: &mut Func, mut block: Block) -> Block {
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            Op::Update { consumes, .. } => *consumes = false,
            Op::Loop(data) => data.consumed.iter_mut().for_each(|consumed| *consumed = false),
            Op::With(label) => {
                for operator in &mut func.with_loops[*label].operators {
                    if let Operator::ModArray { consumes, .. } = &mut operator.op {
                        *consumes = false;
                    }
                }
            }
            _ => {}
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let block = std::mem::take(inner);
            *inner = unmarked(func, block);
        });
    }
    block
}

fn run(program: &Program, inputs: &[Tensor]) -> Outcome {
    outcome::run(program, inputs).unwrap_or_else(|error| panic!("{error}\n{program}")).0
}

#[test]
fn marks_keep_the_meaning_of_generated_programs() {
    let (cases, mut fired) = (random::cases(200), 0);
    for seed in random::seeds(cases) {
        let (program, inputs) = case(Favour::REDUNDANCY, seed);
        let plain = without_marks(&program);
        let mut simplified = plain.clone();
        simplify(&mut simplified, &Options::default());
        for before in [plain, simplified, program] {
            let mut after = before.clone();
            fired += in_place::run(&mut after, &Options::default()).count;
            verify(&after).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{before}\n---- after\n{after}"));
            for inputs in &inputs {
                let (expected, found) = (run(&before, inputs), run(&after, inputs));
                if !matches!((&expected, &found), (Outcome::GaveUp, _) | (_, Outcome::GaveUp)) {
                    assert_eq!(expected, found, "seed {seed}\n{before}\n---- after\n{after}");
                }
            }
        }
    }
    assert!(fired > cases * 3 / 4, "marks are too rare: {fired}");
}

#[test]
fn loops_in_place_compute_what_they_did() {
    let program = parse(
        "func @main(%0: i64) -> (i64[8], i64[8]) {
          %1: i64[8] = iota 8
          %2: i64[8] = for %3 < %0 (%4: i64[8] = %1) {
            %5: i64 = index %4[7]
            %6: i64[8] = w0: with (%7) in [8] {
              [0] <= iv < [8] {
                %8: i64 = index %4[%7]
                %9: i64 = add %8, %5
                yield %9
              }
            } : genarray
            yield %6
          }
          return %2, %1
        }
        entry @main",
    );
    let mut after = program.clone();
    assert_eq!(in_place::run(&mut after, &Options::default()).count, 1);
    let results = run(&after, &[Tensor::scalar(Const::i64(2))]);
    let vector = |elements: &[i64]| Tensor::new(vec![8], TensorData::I64(elements.to_vec())).expect("a vector");
    let expected = vec![vector(&[21, 22, 23, 24, 25, 26, 27, 28]), vector(&[0, 1, 2, 3, 4, 5, 6, 7])];
    assert_eq!(results, Outcome::Results(expected));
}
