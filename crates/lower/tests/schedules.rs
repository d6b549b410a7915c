//! Schedules: their text, which of them are legal, and what is emitted for them. That legal ones keep results is tested by all
//! programs of the other tests, which run under random schedules too.

use crate::support::{self, SEQUENTIAL, Tries, int, of_schedules, program, random_schedule, reals, table};
use frit_generate::{Favour, case};
use frit_ir::array::parse::{parse_schedule, parse_scheduled};
use frit_lower::Options;
use frit_support::random;

/// A map of two axes, a sum, a fold by an operation of the program, a scan and a filter.
const SEVERAL: &str = "
    func @several[%0, %1](%2: f64[%0, %1], %3: f64[%1]) -> (f64[%0, %1], f64, f64, f64[%1], i64, f64[?]) {
      %10: f64[%0, %1] = w0: with (%11, %12) in [%0, %1] {
        [0, 0] <= iv < [%0, %1] {
          %13: f64 = index %2[%11, %12]
          %14: f64 = add %13, 1.0
          yield %14
        }
      } : genarray
      %20: f64 = w1: with (%21, %22) in [%0, %1] {
        [0, 0] <= iv < [%0, %1] {
          %23: f64 = index %2[%21, %22]
          yield %23
        }
      } : fold commutative (0.0) by (%24: f64, %25: f64) {
        %26: f64 = add %24, %25
        yield %26
      }
      %30: f64 = w2: with (%31) in [%1] {
        [0] <= iv < [%1] {
          %32: f64 = index %3[%31]
          yield %32
        }
      } : fold (0.0) by (%33: f64, %34: f64) {
        %35: f64 = mul %33, 0.0
        %36: f64 = add %35, %34
        yield %36
      }
      %40: f64[%1] = w3: with (%41) in [%1] {
        [0] <= iv < [%1] {
          %42: f64 = index %3[%41]
          yield %42
        }
      } : scan (0.0) by (%43: f64, %44: f64) {
        %45: f64 = add %43, %44
        yield %45
      }
      %50: i64, %51: f64[%50] = w4: with (%52) in [%1] {
        [0] <= iv < [%1] {
          %53: f64 = index %3[%52]
          %54: bool = lt 0.0, %53
          yield %54, %53
        }
      } : guarded filter 1
      return %10, %20, %30, %40, %50, %51
    }
";

fn several() -> frit_ir::array::Program {
    program(SEVERAL)
}

/// The message that refuses a schedule of the program, whether its text or what it asks for is wrong.
fn refused(text: &str, options: &Options) -> String {
    let program = several();
    let schedule = match parse_schedule(text, &program) {
        Ok(schedule) => schedule,
        Err(error) => return error.to_string(),
    };
    let error =
        frit_schedule::verify(&program, &schedule, &of_schedules(options)).expect_err("the schedule is illegal");
    error.to_string()
}

#[test]
fn the_chosen_schedule_is_legal_and_prints_as_it_is_read() {
    let (program, options) = (several(), Options { chunk_threshold: 1000, ..Options::USUAL });
    let chosen = support::schedule(&program, &options);
    let text = chosen.print(&program);
    expect_test::expect![[r"
        schedule @several {
          w0: %11 threads, %12
          w1: %21 threads chunks, %22
          w2: %31 threads chunks accumulators 4
          w3: %41 threads blocks
          w4: %52 threads chunks
        }
    "]]
    .assert_eq(&text);
    let (found, again) = parse_scheduled(&format!("{program}\n{text}")).expect("what was printed parses");
    assert_eq!((found.to_string(), again.print(&found)), (program.to_string(), text));
    frit_schedule::verify(&program, &chosen, &of_schedules(&options)).expect("what is chosen is legal");
}

#[test]
fn without_a_schedule_everything_runs_in_order() {
    let lowered = frit_lower::lower(&several(), &Default::default(), &SEQUENTIAL).to_string();
    assert!(!lowered.contains("parallel") && !lowered.contains("threads"), "{lowered}");
}

#[test]
fn axes_run_in_the_order_that_is_given() {
    let program = several();
    let text = "schedule @several { w0: %12, %11 threads w1: %22 threads chunks 2, %21 }";
    let refused =
        refused("schedule @several { w1: %22 threads chunks 2, %21 w0: %11, %12 accumulators 2 }", &Options::USUAL);
    assert_eq!(
        refused,
        "w0 of `several`: `accumulators` is refused (no-pieces): several accumulators need one short fold, of scalars, that vectors cannot run"
    );
    let schedule = parse_schedule(text, &program).expect("the text is well-formed");
    frit_schedule::verify(&program, &schedule, &of_schedules(&Options::USUAL)).expect("it is legal");
    let lowered = frit_lower::lower(&program, &schedule, &SEQUENTIAL);
    let printed = lowered.to_string();
    let [columns, rows] =
        ["independent {", "independent parallel("].map(|kind| printed.find(kind).expect("both loops are there"));
    assert!(columns < rows, "the axis on threads is inside:\n{printed}");
    let args = [table(&[3, 5]), reals(&[1.0, -2.0, 3.0, 4.0, -5.0])];
    let found = support::run(&lowered, SEVERAL, &args, &frit_interp::Options::default());
    let expected = frit_interp::array::run(&program, program.entry.expect("there is one"), args.to_vec());
    assert_eq!(Ok(found), expected);
    assert_eq!(int(3), support::agree(SEVERAL, &args)[4]);
}

#[test]
fn schedules_that_would_change_results_are_refused() {
    let usual = |text: &str| refused(&format!("schedule @several {{ {text} }}"), &Options::USUAL);
    let strict = |text: &str| {
        refused(&format!("schedule @several {{ {text} }}"), &Options { strict_fp: true, ..Options::USUAL })
    };
    for (found, code) in [
        (usual("w1: %21 threads, %22"), "needs-order"),
        (usual("w3: %41 threads"), "needs-order"),
        (strict("w1: %21 threads chunks, %22"), "regroups"),
        (strict("w1: %22, %21"), "regroups"),
        (strict("w3: %41 threads blocks"), "regroups"),
        (usual("w0: %11 threads chunks, %12"), "nothing-to-combine"),
        (usual("w1: %21, %22 threads chunks"), "not-outermost"),
        (usual("w4: %52 threads blocks"), "not-only-scans"),
        (usual("w1: %21 threads chunks accumulators 4, %22"), "no-pieces"),
        (usual("w0: %11 threads, %12 threads"), "inside-threads"),
    ] {
        assert!(found.contains(code), "{code}: {found}");
    }
    let nested = "
        func @rows[%0](%1: f64[%0, %0]) -> (*f64[%0]) {
          %2: f64[%0] = w0: with (%3) in [%0] {
            [0] <= iv < [%0] {
              %4: f64 = w1: with (%5) in [%0] {
                [0] <= iv < [%0] {
                  %6: f64 = index %1[%3, %5]
                  yield %6
                }
              } : fold commutative (0.0) by (%7: f64, %8: f64) {
                %9: f64 = add %7, %8
                yield %9
              }
              yield %4
            }
          } : genarray
          return %2
        }";
    let program = program(nested);
    let both = parse_schedule("schedule @rows { w0: %3 threads w1: %5 threads chunks }", &program).expect("it parses");
    let error =
        frit_schedule::verify(&program, &both, &of_schedules(&Options::USUAL)).expect_err("threads inside threads");
    assert!(error.to_string().contains("inside-threads"), "{error}");
    let inner = parse_schedule("schedule @rows { w1: %5 threads chunks }", &program).expect("it parses");
    frit_schedule::verify(&program, &inner, &of_schedules(&Options::USUAL)).expect("threads of the inner loop alone");
}

#[test]
fn faults_in_the_text_of_a_schedule_have_a_place() {
    let usual = |text: &str| refused(text, &Options::USUAL);
    for (text, message) in [
        ("schedule @other { }", "1:10: the program has no function of this name"),
        ("schedule @several { w9: %1 }", "1:21: @several has no w9"),
        ("schedule @several { w0: %11 }", "1:29: the axis %12 of w0 is missing before this"),
        ("schedule @several { w0: %11, %11 }", "1:30: each axis of w0 stands here once; they are %11, %12"),
        ("schedule @several { w3: %41 threads blocks w3: %41 }", "1:44: w3 is scheduled twice"),
        ("schedule @several { w4: %52 threads chunks 0 }", "1:44: a number from 1 to 256 is needed here"),
        (
            "schedule @several { w4: %52 threads",
            "1:36: a with-loop such as `w3`, or `}` is needed here, but the text ends",
        ),
    ] {
        assert_eq!(usual(text), message);
    }
    let of_another = format!("{}\nschedule @several {{ }}", SEVERAL.replace("1.0", "2.0"));
    assert_eq!(
        usual(&of_another),
        "2:5: the schedule is of another program than this: make it again, with the same options"
    );
}

#[test]
fn every_primitive_fires_and_refuses_on_random_programs() {
    let options = Options { chunk_threshold: 0, ..Options::USUAL };
    let mut tries = Tries::new();
    for seed in random::seeds(120) {
        let (program, _) = case(Favour::STORAGE, seed);
        random_schedule(&program, seed, &options, &mut tries);
        random_schedule(&several(), seed, &options, &mut tries);
    }
    assert_eq!(tries.len(), 5, "{tries:?}");
    for (name, [fired, refused]) in tries {
        assert!(fired > 0 && refused > 0, "{name} fired {fired} times and was refused {refused} times");
    }
}
