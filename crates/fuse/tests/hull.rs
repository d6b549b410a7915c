//! Hulls and coalescing on programs: with-loops over different spaces, or with different generators, are made alike and fused, and
//! the results stay the same on the reference interpreter.

use frit_fuse::array::Refusal;
use frit_fuse::array::block_graph::Touches;
use frit_fuse::array::coalescing::generator_coalescing;
use frit_fuse::array::generators::facts_at;
use frit_fuse::array::hull::{fuse_in_hull, with_loop_hull};
use frit_fuse::array::with_loop_fusion::with_loop_fusion;
use frit_ir::array::{Func, FuncId, Op, Program, WithLoop, parse, verify};
use frit_ir::{Tensor, TensorData};
use frit_simplify::sharing::Sharing;
use frit_support::Index;

fn program(text: &str) -> Program {
    let program = parse::parse_program(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

/// The positions of the with-loops in the entry's body.
fn loops(func: &Func) -> Vec<usize> {
    (0..func.body.stmts.len()).filter(|&at| matches!(func.body.stmts[at].op, Op::With(_))).collect()
}

fn label(func: &Func, at: usize) -> WithLoop {
    let Op::With(label) = func.body.stmts[at].op else { panic!("a with-loop") };
    label
}

fn reals(count: i64) -> Tensor {
    let values = (0..count).map(|i| (i * 7 % 5) as f64 + 0.25).collect();
    Tensor::new(vec![count as usize], TensorData::F64(values)).unwrap()
}

/// Runs both programs on arrays of these lengths.
fn assert_same_results(before: &Program, after: &Program, lengths: &[&[i64]]) {
    let main = FuncId::new(0);
    for lengths in lengths {
        let args: Vec<Tensor> = lengths.iter().map(|&n| reals(n)).collect();
        let run = |program: &Program| {
            let results = frit_interp::array::run(program, main, args.clone());
            results.unwrap_or_else(|e| panic!("{lengths:?}: {e}\n{program}"))
        };
        assert_eq!(run(before), run(after), "{lengths:?}\n{after}");
    }
}

/// The first two with-loops of the program made alike and fused: the program, and the number of generators they have then.
fn fused_in_hull(text: &str) -> Result<(Program, usize), Refusal> {
    let mut program = program(text);
    let func = &mut program.funcs[FuncId::new(0)];
    let [first, second] = loops(func)[..2] else { panic!("two with-loops") };
    let mut sharing = Sharing::of(func);
    let mut block = std::mem::take(&mut func.body);
    let aligned = with_loop_hull(func, &mut block, &mut sharing, first, second);
    func.body = block;
    let (first, second) = aligned.inspect_err(|_| {
        assert_eq!(program.to_string(), self::program(text).to_string(), "a refused hull changes nothing");
    })?;
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let func = &mut program.funcs[FuncId::new(0)];
    let generators = func.with_loops[label(func, first)].generators.len();
    let mut sharing = Sharing::of(func);
    let mut block = std::mem::take(&mut func.body);
    with_loop_fusion(func, &mut block, &mut sharing, &mut Touches::default(), first, second).expect("they are alike");
    func.body = block;
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    Ok((program, generators))
}

/// A function of two arrays, of lengths %0 and %2; `%20` and `%30` are to be results.
fn two_lengths(first: &str, second: &str, results: &str, types: &str) -> String {
    let sum = |acc: u32| {
        format!(
            "fold (0.0) by (%{acc}: f64, %{}: f64) {{ %{}: f64 = add %{acc}, %{} yield %{} }}",
            acc + 1,
            acc + 2,
            acc + 1,
            acc + 2
        )
    };
    let text = format!(
        "func @main[%0, %2](%1: f64[%0], %3: f64[%2]) -> ({types}) {{
           %4: i64 = add %0, 1 {first} {second} return {results} }} entry @main"
    );
    text.replace("SUM1", &sum(40)).replace("SUM2", &sum(50))
}

const SUM_OF_FIRST: &str = "%20: f64 = w0: with (%10) in [%0] {
    [0] <= iv < [%0] { %11: f64 = index %1[%10] %12: f64 = exp %11 yield %12 } } : SUM1";
const SUM_OF_SECOND: &str =
    "%30: f64 = w1: with (%13) in [%2] { [0] <= iv < [%2] { %14: f64 = index %3[%13] yield %14 } } : SUM2";

const LENGTHS: &[&[i64]] = &[&[0, 0], &[0, 3], &[3, 0], &[4, 4], &[2, 7], &[7, 2], &[1, 5]];

#[test]
fn sums_of_arrays_of_different_lengths_run_in_one_loop() {
    let text = two_lengths(SUM_OF_FIRST, SUM_OF_SECOND, "%20, %30", "f64, f64");
    let (fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!(loops(&fused.funcs[FuncId::new(0)]).len(), 1);
    // Both, the first alone, the second alone: and the empty part in neither, which no fact excludes.
    assert!((3..=4).contains(&generators), "{generators} generators\n{fused}");
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn what_a_filter_keeps_of_a_shorter_array_stays_the_same() {
    let filter = "%20: i64, %21: f64[%20] = w0: with (%10) in [%0] { [0] <= iv < [%0] {
        %11: f64 = index %1[%10] %12: bool = lt 1.0, %11 yield %12, %11 } } : guarded filter 1";
    let text = two_lengths(filter, SUM_OF_SECOND, "%20, %21, %30", "i64, f64[#0], f64");
    let (fused, _) = fused_in_hull(&text).unwrap();
    assert_eq!(loops(&fused.funcs[FuncId::new(0)]).len(), 1);
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn arrays_that_differ_by_one_are_padded_and_cut() {
    let map = "%20: f64[%0] = w0: with (%10) in [%0] {
        [0] <= iv < [%0] { %11: f64 = index %1[%10] %12: f64 = exp %11 yield %12 } } : genarray";
    let longer =
        "%30: i64[%4] = w1: with (%13) in [%4] { [0] <= iv < [%4] { %14: i64 = mul %13, %13 yield %14 } } : genarray";
    let last = format!("{longer} %31: i64 = index %30[%0]");
    let text = two_lengths(map, &last, "%20, %31", "f64[%0], i64");
    let (fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!((loops(&fused.funcs[FuncId::new(0)]).len(), generators), (1, 2), "{fused}");
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn a_scan_is_padded_behind_its_end() {
    let scan = "%20: f64[%0] = w0: with (%10) in [%0] {
        [0] <= iv < [%0] { %11: f64 = index %1[%10] yield %11 } } : scan (0.0) by (%40: f64, %41: f64) { %42: f64 = add %40, %41 yield %42 }";
    let longer = "%30: i64 = w1: with (%13) in [%4] { [0] <= iv < [%4] { yield %13 } } : fold (0) by (%50: i64, %51: i64) { %52: i64 = add %50, %51 yield %52 }";
    let text = two_lengths(scan, longer, "%20, %30", "f64[%0], i64");
    let (fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!((loops(&fused.funcs[FuncId::new(0)]).len(), generators), (1, 2), "{fused}");
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn an_array_that_would_grow_without_bound_is_refused() {
    let map =
        "%20: f64[%0] = w0: with (%10) in [%0] { [0] <= iv < [%0] { %11: f64 = index %1[%10] yield %11 } } : genarray";
    let text = two_lengths(map, SUM_OF_SECOND, "%20, %30", "f64[%0], f64");
    assert_eq!(fused_in_hull(&text).unwrap_err().code(), "spaces-differ");
}

#[test]
fn sizes_that_must_agree_are_not_asked_of_new_indices() {
    let uniform = "%20: i64 = w0: with (%10) in [%0] { [0] <= iv < [%0] { yield 3 } } : uniform";
    let text = two_lengths(uniform, SUM_OF_SECOND, "%20, %30", "i64, f64");
    assert_eq!(fused_in_hull(&text).unwrap_err().code(), "spaces-differ");
}

#[test]
fn a_hull_larger_than_both_spaces_together_is_refused() {
    let sum = |label: &str, result: u32, index: u32, space: &str| {
        format!(
            "%{result}: i64 = {label}: with (%{index}, %{}) in [{space}] {{ [0, 0] <= iv < [{space}] {{ yield %{index} }} }} : fold (0) by (%{}: i64, %{}: i64) {{ %{}: i64 = add %{}, %{} yield %{} }}",
            index + 1,
            index + 50,
            index + 51,
            index + 52,
            index + 50,
            index + 51,
            index + 52
        )
    };
    let text = two_lengths(&sum("w0", 20, 10, "%0, 1"), &sum("w1", 30, 15, "1, %2"), "%20, %30", "i64, i64");
    assert_eq!(fused_in_hull(&text).unwrap_err().code(), "spaces-differ");
    let text = two_lengths(&sum("w0", 20, 10, "%0, %2"), &sum("w1", 30, 15, "%4, %2"), "%20, %30", "i64, i64");
    let (fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!(generators, 2, "{fused}");
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn elements_that_stay_are_copied_where_another_loop_works() {
    let replace = "%20: f64[%0] = w0: with (%10) in [%0] { [0] <= iv < [%5] { yield 9.0 } } : modarray(%1)";
    let sum = SUM_OF_SECOND.replace("%2]", "%0]").replace("%3[", "%1[");
    let first = format!("%5: i64 = min 2, %0 {replace}");
    let text = two_lengths(&first, &sum, "%20, %30", "f64[%0], f64");
    let (fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!((loops(&fused.funcs[FuncId::new(0)]).len(), generators), (1, 2), "{fused}");
    assert_same_results(&program(&text), &fused, LENGTHS);
}

#[test]
fn a_space_that_is_known_too_late_is_refused() {
    let filter = "%21: i64, %22: f64[%21] = w2: with (%15) in [%2] { [0] <= iv < [%2] {
        %16: f64 = index %3[%15] %17: bool = lt 1.0, %16 yield %17, %16 } } : guarded filter 1";
    let kept = "%30: i64 = w1: with (%13) in [%21] { [0] <= iv < [%21] { yield %13 } } : fold (0) by (%50: i64, %51: i64) { %52: i64 = add %50, %51 yield %52 }";
    let text = two_lengths(SUM_OF_FIRST, &format!("{filter} {kept}"), "%20, %30", "f64, i64");
    let mut program = program(&text);
    let func = &mut program.funcs[FuncId::new(0)];
    let at = loops(func);
    let mut sharing = Sharing::of(func);
    let mut block = std::mem::take(&mut func.body);
    assert_eq!(with_loop_hull(func, &mut block, &mut sharing, at[0], at[2]).unwrap_err().code(), "statement-between");
}

#[test]
fn figure_5_of_wlf_has_nine_intersections_and_seven_generators_after_coalescing() {
    let boxes = |parts: &[(&str, &str, i64)]| {
        let part =
            |(lower, upper, cell): &(&str, &str, i64)| format!("[{lower}] <= iv < [{upper}] {{ yield {cell} }}\n");
        parts.iter().map(part).collect::<String>()
    };
    let a = boxes(&[
        ("0, 0", "1, 9", 1),
        ("1, 0", "6, 1", 1),
        ("1, 1", "6, 6", 0),
        ("1, 6", "6, 9", 1),
        ("6, 0", "9, 9", 1),
    ]);
    let b = boxes(&[
        ("0, 0", "2, 9", 3),
        ("2, 0", "6, 3", 3),
        ("2, 3", "6, 6", 2),
        ("2, 6", "6, 9", 3),
        ("6, 0", "9, 9", 3),
    ]);
    let text = format!(
        "func @main() -> (i64[9, 9], i64[9, 9]) {{
           %0: i64[9, 9] = w0: with (%2, %3) in [9, 9] {{ {a} }} : genarray
           %1: i64[9, 9] = w1: with (%4, %5) in [9, 9] {{ {b} }} : genarray
           return %0, %1 }} entry @main"
    );
    let (mut fused, generators) = fused_in_hull(&text).unwrap();
    assert_eq!(generators, 9);
    let func = &mut fused.funcs[FuncId::new(0)];
    let at = loops(func)[0];
    let mut block = std::mem::take(&mut func.body);
    let mut facts = facts_at(func, &block, at);
    assert_eq!(generator_coalescing(func, &mut facts, &mut block.stmts[at]), 2);
    func.body = block;
    assert_eq!(func.with_loops[label(func, at)].generators.len(), 7);
    assert_same_results(&program(&text), &fused, &[&[]]);
}

#[test]
fn a_hull_that_does_not_help_leaves_no_trace() {
    let map =
        "%20: f64[%0] = w0: with (%10) in [%0] { [0] <= iv < [%0] { %11: f64 = index %1[%10] yield %11 } } : genarray";
    let longer = "%30: f64[%4] = w1: with (%13) in [%4] { [0] <= iv < [%4] {
        %14: f64 = w2: with (%15) in [%0] { [0] <= iv < [%0] { %16: f64 = index %20[%15] yield %16 } } : SUM1
        yield %14 } } : genarray %31: f64 = index %30[%0]";
    let text = two_lengths(map, longer, "%20, %31", "f64[%0], f64");
    let mut program = program(&text);
    let before = program.to_string();
    let func = &mut program.funcs[FuncId::new(0)];
    let [first, second] = loops(func)[..] else { panic!("two with-loops") };
    let mut sharing = Sharing::of(func);
    let mut block = std::mem::take(&mut func.body);
    let refusal = fuse_in_hull(func, &mut block, &mut sharing, first, second).unwrap_err();
    func.body = block;
    assert_eq!(refusal.code(), "reads-other-element");
    assert_eq!(program.to_string(), before);
}

#[test]
fn rows_and_columns_have_too_many_parts() {
    let cut = |at: &dyn Fn(i64) -> String| (0..11).map(at).collect::<String>();
    let rows = cut(&|at| format!("[{at}, 0] <= iv < [{}, 11] {{ yield {at} }}\n", at + 1));
    let columns = cut(&|at| format!("[0, {at}] <= iv < [11, {}] {{ yield {at} }}\n", at + 1));
    let text = format!(
        "func @main() -> (i64[11, 11], i64[11, 11]) {{
           %0: i64[11, 11] = w0: with (%2, %3) in [11, 11] {{ {rows} }} : genarray
           %1: i64[11, 11] = w1: with (%4, %5) in [11, 11] {{ {columns} }} : genarray
           return %0, %1 }} entry @main"
    );
    assert_eq!(fused_in_hull(&text).unwrap_err().code(), "too-many-generators");
}
