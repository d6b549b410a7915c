//! Programs that write: what they write is the same text on the interpreters and from native code, as they are written
//! and after every step of the optimiser.

use crate::common;

use common::{Native, i64s, int};
use frit_driver::native::{Arg, NativeError};
use frit_interp::{Options, RunError, array as array_interp, nest as nest_interp};
use frit_ir::array::{self, parse::parse_program, verify::verify};
use frit_ir::{FailureKind, Tensor, TensorData, nest};
use frit_support::with_deep_stack;

fn parse(text: &str) -> array::Program {
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error}"));
    verify(&program).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// The program after simplification, and after merging loops too.
fn optimised(program: &array::Program) -> [array::Program; 2] {
    let strict_fp = true;
    let mut simplified = program.clone();
    frit_simplify::simplify(&mut simplified, &frit_simplify::Options { strict_fp });
    verify(&simplified).unwrap_or_else(|error| panic!("{error}\n{simplified}"));
    let mut merged = simplified.clone();
    let options = frit_fuse::array::Options { strict_fp, ..Default::default() };
    for _ in 0..4 {
        frit_fuse::array::fuse(&mut merged, &options, &mut frit_plan::Log::default());
        frit_fuse::array::split_index_sets(&mut merged, &options);
        frit_simplify::simplify(&mut merged, &frit_simplify::Options { strict_fp });
        verify(&merged).unwrap_or_else(|error| panic!("{error}\n{merged}"));
    }
    [simplified, merged]
}

fn lowered(program: &array::Program) -> nest::Program {
    let options = frit_lower::Options::default();
    let mut shaping = frit_lower::Shaping::new(&options, None);
    let of_schedule = frit_schedule::Options { strict_fp: options.strict_fp, chunk_threshold: options.chunk_threshold };
    let nest = with_deep_stack(|| {
        let schedule = frit_schedule::choose(program, &of_schedule);
        let mut nest = frit_lower::lower(program, &schedule, &options);
        for step in frit_lower::LOOP_STEPS.iter().filter(|step| step.stage == frit_lower::Stage::BeforeWindows) {
            step.run(&mut nest, &mut shaping, &mut frit_plan::Log::default());
        }
        nest
    });
    nest::verify::verify(&nest).unwrap_or_else(|error| panic!("{error}\n{nest}"));
    nest
}

/// What a run writes, and how it ends.
type Outcome = (String, Option<FailureKind>);

fn interpreted(program: &array::Program, args: &[Tensor]) -> Outcome {
    let mut text = String::new();
    let entry = program.entry.expect("the program has an entry");
    let run = array_interp::run_writing(program, entry, args.to_vec(), &Options::default(), &mut |piece| text += piece);
    (text, ending(run.map(|_| ())))
}

fn interpreted_loops(program: &nest::Program, args: &[Tensor], reverse: bool) -> Outcome {
    let mut text = String::new();
    let entry = program.entry.expect("the program has an entry");
    let options = Options { reverse, ..Options::default() };
    let run = nest_interp::run_writing(program, entry, args.to_vec(), &options, &mut |piece| text += piece);
    (text, ending(run.map(|_| ())))
}

fn ending(run: Result<(), RunError>) -> Option<FailureKind> {
    match run {
        Ok(()) => None,
        Err(RunError::Failed(failure)) => Some(failure.kind),
        Err(error) => panic!("{error}"),
    }
}

fn native(program: &nest::Program, args: &[Tensor]) -> Outcome {
    let mut text = String::new();
    let native = Native::new(program, true);
    let args: Vec<Arg<'_>> = args.iter().map(Arg::tensor).collect();
    match native.library.call_writing(&args, 2, None, &mut |piece| text += piece) {
        Ok(run) => {
            assert_eq!(run.leaked, 0, "buffers were neither released nor returned");
            drop(run);
            let mut again = String::new();
            let second = native.library.call_writing(&args, 2, None, &mut |piece| again += piece);
            assert_eq!((second.is_ok(), &again), (true, &text), "a second call begins anew");
            (text, None)
        }
        Err(NativeError::Failed { kind, .. }) => (text, Some(kind)),
        Err(error) => panic!("{error}"),
    }
}

/// Arguments with the sizes that the loop IR takes apart.
fn with_sizes(program: &array::Program, args: &[Tensor]) -> Vec<Tensor> {
    let func = &program.funcs[program.entry.expect("the program has an entry")];
    let size = |size: &array::Value| {
        let place = func.params.iter().zip(args).find_map(|(param, arg)| {
            let axis = func.ty(param.value).shape.iter().position(|&e| e == array::Extent::Value(*size))?;
            Some(arg.shape()[axis])
        });
        int(place.expect("a size is an extent of a parameter") as i64)
    };
    func.sizes.iter().map(size).chain(args.iter().cloned()).collect()
}

#[track_caller]
fn check(text: &str, args: &[Tensor], expected: &str, failure: Option<FailureKind>) {
    let expected = (expected.to_owned(), failure);
    let program = parse(text);
    assert_eq!(parse_program(&program.to_string()).expect("what is printed parses").to_string(), program.to_string());
    let [simplified, merged] = optimised(&program);
    for program in [program, simplified, merged] {
        assert_eq!(interpreted(&program, args), expected, "{program}");
        let args = with_sizes(&program, args);
        let nest = lowered(&program);
        assert_eq!(
            nest::parse::parse_program(&nest.to_string()).expect("printed loops parse").to_string(),
            nest.to_string()
        );
        for reverse in [false, true] {
            assert_eq!(interpreted_loops(&nest, &args, reverse), expected, "{nest}");
        }
        assert_eq!(native(&nest, &args), expected, "{nest}");
    }
}

fn text(text: &str) -> Tensor {
    let codes: Vec<u32> = text.chars().map(u32::from).collect();
    Tensor::new(vec![codes.len()], TensorData::Char(codes)).expect("a vector of its characters")
}

#[test]
fn equal_outputs_one_after_the_other_are_all_written() {
    check(
        r#"func @main(%0: i64) -> (cert) {
          %1: cert = output "n = %d\n" (%0)
          %2: cert = output<%1> "n = %d\n" (%0)
          %3: cert = output<%2> "100%%\n" ()
          return %3
        }
        entry @main"#,
        &[int(7)],
        "n = 7\nn = 7\n100%\n",
        None,
    );
}

#[test]
fn cells_hold_what_was_kept_there_last() {
    // A cell of an array that grows, one that a branch changes, and one that is recalled before anything is kept there.
    let text = "
        func @push(%0: cert, %1: i64) -> (cert) {
          %2: cert, %3: i64 = ask<%0> extent (0, 0)
          %4: cert, %5: i64[%3] = recall<%2> 0 i64 1 ()
          %6: i64[1] = replicate 1, %1
          %7: i64 = add %3, 1
          %8: i64[%7] = concat %5, %6
          %9: cert = keep<%4> 0 i64 1 (%8)
          return %9
        }
        func @main(%0: i64) -> (cert) {
          %1: cert, %2: f64 = recall 2 f64 0 ()
          %3: cert = output<%1> \"%g\\n\" (%2)
          %4: cert = for %5 < %0 (%6: cert = %3) {
            %7: cert = call @push(%6, %5)
            %8: i64 = rem %5, 2
            %9: bool = eq %8, 0
            %10: cert = if %9 {
              %11: cert, %12: i64 = recall<%7> 1 i64 0 ()
              %13: i64 = add %12, %5
              %14: cert = keep<%11> 1 i64 0 (%13)
              yield %14
            } else {
              %15: cert = call @push(%7, 100)
              yield %15
            }
            yield %10
          }
          %16: cert, %17: i64 = ask<%4> extent (0, 0)
          %18: cert, %19: i64[%17] = recall<%16> 0 i64 1 ()
          %20: i64 = w0: with (%21) in [%17] {
            [0] <= iv < [%17] {
              %22: i64 = index %19[%21]
              yield %22
            }
          } : fold commutative (0) by (%23: i64, %24: i64) {
            %25: i64 = add %23, %24
            yield %25
          }
          %26: cert, %27: i64 = recall<%18> 1 i64 0 ()
          %28: cert = output<%26> \"%ld of %ld, %ld\\n\" (%20, %17, %27)
          return %28
        }
        entry @main";
    check(text, &[int(0)], "0\n0 of 0, 0\n", None);
    check(text, &[int(5)], "0\n210 of 7, 6\n", None);
}

#[test]
fn only_the_branch_that_runs_writes() {
    let program = r#"func @main(%0: i64) -> (cert, i64) {
          %1: cert = output "start\n" ()
          %2: bool = lt %0, 0
          %3: cert, %4: i64 = if %2 {
            %5: cert = output<%1> "%d is negative\n" (%0)
            %6: i64 = neg %0
            yield %5, %6
          } else {
            yield %1, %0
          }
          %7: cert = if %2 {
            %8: cert = output<%3> "still negative\n" ()
            yield %8
          } else {
            %9: cert = output<%3> "not negative\n" ()
            yield %9
          }
          %10: cert = output<%7> "%d\n" (%4)
          return %10, %4
        }
        entry @main"#;
    check(program, &[int(-3)], "start\n-3 is negative\nstill negative\n3\n", None);
    check(program, &[int(3)], "start\nnot negative\n3\n", None);
}

#[test]
fn loops_write_once_per_iteration_even_what_never_changes() {
    check(
        r#"func @main(%0: i64, %1: f64) -> (cert) {
          %2: cert = for %3 < %0 (%4: cert = cert) {
            %5: cert = output<%4> "again\n" ()
            %6: bool = lt 1, %3
            %7: cert = if %6 {
              %8: cert = output<%5> "%5.2f|%-6d|%06d\n" (%1, %3, %3)
              yield %8
            } else {
              yield %5
            }
            yield %7
          }
          %9: i64, %10: cert = while (%11: i64 = %0, %12: cert = %2) {
            %13: bool = lt 0, %11
            yield %13
          } do {
            %14: i64 = div %11, 2
            %15: cert = output<%12> "%lld " (%11)
            yield %14, %15
          }
          %16: cert = output<%10> "\n" ()
          return %16
        }
        entry @main"#,
        &[int(4), Tensor::scalar(frit_ir::Const::f64(2.375))],
        "again\nagain\nagain\n 2.38|2     |000002\nagain\n 2.38|3     |000003\n4 2 1 \n",
        None,
    );
}

const FUNCTIONS: &str = r#"NOINLINE func @show[%0](%1: cert, %2: i64[%0], %3: char) -> (cert) {
      %4: cert = output<%1> "%c:" (%3)
      %5: cert = for %6 < %0 (%7: cert = %4) {
        %8: i64 = index %2[%6]
        %9: cert = output<%7> " %d" (%8)
        yield %9
      }
      %10: cert = output<%5> "\n" ()
      return %10
    }
    func @main[%0](%1: i64[%0]) -> (cert, *i64[%0]) {
      %2: cert = call @show(cert, %1, 'a')
      %3: cert = call @show(%2, %1, 'a')
      %4: i64[%0] = w0: with (%5) in [%0] {
        [0] <= iv < [%0] {
          %6: i64 = index %1[%5]
          %7: i64 = mul %6, %6
          yield %7
        }
      } : genarray
      %8: cert = call @show(%3, %4, 'λ')
      return %8, %4
    }
    entry @main"#;

#[test]
fn functions_write_in_the_order_of_their_calls() {
    let expected = "a: 1 -2 3\na: 1 -2 3\nλ: 1 4 9\n";
    check(&FUNCTIONS.replace("NOINLINE ", ""), &[i64s(&[3], &[1, -2, 3])], expected, None);
    check(&FUNCTIONS.replace("NOINLINE", "noinline"), &[i64s(&[3], &[1, -2, 3])], expected, None);
}

#[test]
fn calls_of_functions_that_are_not_to_be_inlined_stay() {
    let [simplified, merged] = optimised(&parse(&FUNCTIONS.replace("NOINLINE", "noinline")));
    for program in [simplified, merged] {
        assert_eq!(program.to_string().matches("call @show").count(), 3, "{program}");
    }
}

#[test]
fn texts_are_written_as_utf8() {
    check(
        r#"func @main[%0](%1: char[%0]) -> (cert) {
          %2: char[%0] = view %1 slice(0 step 1)
          %3: cert = output "<%s|%8s|%-8s|%.2s>" (%1, %1, %1, %2)
          %4: i64 = sub %0, 1
          %5: char[%0] = view %1 slice(%4 step -1)
          %6: cert = output<%3> "%s\0%c\n" (%5, 955)
          return %6
        }
        entry @main"#
            .replace("\\0", "\\u{0}")
            .as_str(),
        &[text("aλ€😀")],
        "<aλ€😀|    aλ€😀|aλ€😀    |aλ>😀€λa\0λ\n",
        None,
    );
}

#[test]
fn numbers_of_every_type_are_written_alike() {
    check(
        r#"func @main(%0: i64) -> (cert) {
          %1: i8 = to_i8 %0
          %2: u8 = to_u8 %0
          %3: i32 = to_i32 %0
          %4: u32 = to_u32 %0
          %5: u64 = to_u64 %0
          %6: bool = lt %0, 0
          %7: cert = output "%d %u %x %d %u|" (%1, %1, %1, %2, %2)
          %8: cert = output<%7> "%d %u %X %o %d %u|" (%3, %3, %3, %3, %4, %4)
          %9: cert = output<%8> "%ld %lu %#lx %lu|%d\n" (%0, %0, %0, %5, %6)
          %10: f64 = to_f64 %0
          %11: f32 = to_f32 %0
          %12: f64 = sqrt %10
          %13: f64 = mul %10, 1e300
          %14: f64 = mul %13, %13
          %15: cert = output<%9> "%f %e %g %g %F %5.1f|%s\n" (%10, %11, %12, %14, %14, %12, %16)
          return %15
        }
        entry @main"#
            .replace("%15: cert", "%16: char[2] = table char[2] \"ok\"\n%15: cert")
            .as_str(),
        &[int(-2)],
        "-2 4294967294 fffffffe 254 254|-2 4294967294 FFFFFFFE 37777777776 -2 4294967294|\
         -2 18446744073709551614 0xfffffffffffffffe 18446744073709551614|1\n\
         -2.000000 -2.000000e+00 nan inf INF   nan|ok\n",
        None,
    );
}

#[test]
fn what_was_written_before_a_failure_is_there() {
    let program = r#"func @main[%0](%1: i64[%0], %2: i64) -> (cert) {
          %3: cert = for %4 < %2 (%5: cert = cert) {
            %6: cert = output<%5> "step %d\n" (%4)
            %7: bool = in_bounds %4, %0
            %8: cert = assert<%6> %7, out-of-bounds(%4, %0)
            %9: i64 = index<%8> %1[%4]
            %10: cert = output<%6> "  %d\n" (%9)
            yield %10
          }
          return %3
        }
        entry @main"#;
    let array = i64s(&[2], &[5, 6]);
    check(program, &[array.clone(), int(2)], "step 0\n  5\nstep 1\n  6\n", None);
    let expected = "step 0\n  5\nstep 1\n  6\nstep 2\n";
    check(program, &[array, int(4)], expected, Some(FailureKind::OutOfBounds));
}

#[test]
fn long_outputs_are_whole() {
    let long: String = "0123456789".repeat(3000);
    check(
        r#"func @main[%0](%1: char[%0], %2: f64) -> (cert) {
          %3: cert = output "%s%20000d\n" (%1, 1)
          %4: cert = output<%3> "%.3000f\n" (%2)
          return %4
        }
        entry @main"#,
        &[text(&long), Tensor::scalar(frit_ir::Const::f64(0.5))],
        &format!("{long}{}1\n0.5{}\n", " ".repeat(19_999), "0".repeat(2_999)),
        None,
    );
}

#[test]
fn cells_write_nothing() {
    for cell in ["%4: cert = output \"%d\" (%2)", "%4: cert = call @f()"] {
        let program = format!(
            "func @f() -> (cert) {{
               %0: cert = output \"f\" ()
               return %0
             }}
             func @main(%0: i64) -> (*i64[%0]) {{
               %1: i64[%0] = w0: with (%2) in [%0] {{
                 [0] <= iv < [%0] {{
                   {cell}
                   yield %2
                 }}
               }} : genarray
               return %1
             }}
             entry @main"
        );
        let error = verify(&parse_program(&program).expect("the program has the right form")).unwrap_err();
        assert_eq!(error.invariant, array::verify::Invariant::Effects, "{error}");
    }
}
