//! Arrays put together from others: as with-loops they compute the same on the reference interpreter, and the with-loops are
//! recognised again.

use frit_fuse::array::assemble::{as_with_loop, everywhere};
use frit_fuse::array::generators::{Bounds, facts_at};
use frit_interp::array::run;
use frit_ir::array::{FuncId, Op, Program, parse, verify};
use frit_ir::{Tensor, TensorData};
use frit_simplify::{Options, simplify};
use frit_support::Index;

fn program(statements: &str, shape: &str) -> Program {
    // A size that is computed is a result of its own.
    let (types, results) = match shape.contains('#') {
        true => (format!("i64, i64{shape}"), "%10, %20"),
        false => (shape.strip_prefix('*').map_or(format!("i64{shape}"), |shape| format!("*i64{shape}")), "%20"),
    };
    let text = format!(
        "func @main[%0, %1, %2](%3: i64[%0, %1], %4: i64[%2, %1], %5: i64[%2], %6: i64) -> ({types}) {{
           %9: i64 = add %0, %2
           {statements}
           return {results}
         }}
         entry @main"
    );
    let program = parse::parse_program(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

/// Every statement that can be seen as a with-loop becomes one; how many.
fn loops(program: &mut Program) -> usize {
    let func = &mut program.funcs[FuncId::new(0)];
    let mut count = 0;
    let mut block = std::mem::take(&mut func.body);
    for at in (0..block.stmts.len()).rev() {
        let mut facts = facts_at(func, &block, at);
        let mut bounds = Bounds::new(func, &mut facts, block.stmts[at].span);
        let seen = as_with_loop(&mut bounds, &block.stmts[at]);
        let (stmts, certs) = bounds.finish();
        if let Some(data) = seen {
            block.stmts[at].op = Op::With(func.with_loops.push(data));
            block.stmts[at].certs.extend(certs);
            block.stmts.splice(at..at, stmts);
            count += 1;
        }
    }
    func.body = block;
    count
}

fn tensor(shape: &[i64], seed: i64) -> Tensor {
    let count: i64 = shape.iter().product();
    let shape = shape.iter().map(|&n| n as usize).collect();
    Tensor::new(shape, TensorData::I64((0..count).map(|i| seed + i * 3).collect())).unwrap()
}

fn assert_same_results(before: &Program, after: &Program) {
    verify::verify(after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for [m, n, k] in [[2, 6, 3], [1, 1, 1], [4, 3, 5], [0, 2, 3], [3, 0, 2], [5, 2, 0]] {
        let scalar = Tensor::scalar(frit_ir::Const::i64(7));
        let args = vec![tensor(&[m, n], 1), tensor(&[k, n], 100), tensor(&[k], 1000), scalar];
        let result = |program: &Program| {
            run(program, FuncId::new(0), args.clone()).unwrap_or_else(|e| panic!("{m} {n} {k}: {e}\n{program}"))
        };
        assert_eq!(result(before), result(after), "{m} {n} {k}\n{after}");
    }
}

/// The statement as a with-loop computes the same; then, simplified, it is found again or not.
fn check(statements: &str, shape: &str, is_found_again: bool) {
    let mut before = program(statements, shape);
    simplify(&mut before, &Options::default());
    let mut after = before.clone();
    let count = loops(&mut after);
    assert!(count > 0, "{before}");
    assert_same_results(&before, &after);
    simplify(&mut after, &Options::default());
    assert_same_results(&before, &after);
    everywhere(&mut after.funcs[FuncId::new(0)]);
    assert_same_results(&before, &after);
    simplify(&mut after, &Options::default());
    assert_eq!(before.to_string() == after.to_string(), is_found_again, "{before}\n----\n{after}");
}

#[test]
fn a_concatenation_of_three_is_a_loop_of_three_parts() {
    check("%10: i64 = add %9, %2 %20: i64[%10, %1] = concat %3, %4, %4", "[#0, %1]", true);
}

#[test]
fn a_concatenation_with_constant_parts_is_found_again() {
    check("%10: i64 = add %2, %2 %20: i64[%10] = concat %5, %5", "[#0]", true);
    let parts = "%11: i64[2] = table i64[2] {1, 2} %10: i64 = add %2, 2 %20: i64[%10] = concat %11, %5";
    check(parts, "[#0]", true);
}

#[test]
fn repeated_scalars_and_rows_are_found_again() {
    check("%20: i64[%2] = replicate %2, %6", "[%2]", true);
    check("%20: i64[%0, %2] = replicate %0, %5", "[%0, %2]", true);
    check("%20: i64[%0, %2, %1] = replicate %0, %4", "[%0, %2, %1]", true);
}

#[test]
fn numbers_and_copies_are_found_again() {
    check("%20: i64[%1] = iota %1", "[%1]", true);
    check("%20: i64[%0, %1] = copy %3", "*[%0, %1]", true);
}

#[test]
fn literals_are_loops_of_one_part_for_each_element() {
    check("%20: i64[3] = array [%6, 2, %6]", "[3]", false);
    check("%20: i64[2, %2] = array [%5, %5]", "[2, %2]", false);
}

#[test]
fn views_are_loops_that_read_where_the_view_does() {
    check("%20: i64[%1, %0] = view %3 permute(1, 0)", "[%1, %0]", false);
    check("%20: i64[%0, %2] = view %5 broadcast", "[%0, %2]", false);
    check("%11: i64 = sub %0, 1 %20: i64[%0, %1] = view %3 slice(%11 step -1, 0)", "[%0, %1]", false);
}

#[test]
fn reshapes_read_by_the_number_of_the_element() {
    check("%10: i64 = mul %0, %1 %20: i64[%10] = view %3 reshape", "[#0]", false);
    check("%20: i64[%1, %0] = view %3 reshape", "[%1, %0]", false);
    check("%20: i64[1, %0, 1, %1] = view %3 reshape", "[1, %0, 1, %1]", false);
    let both = "%11: i64[%0, %2, %1] = replicate %0, %4 %10: i64 = mul %0, %2 %20: i64[%10, %1] = view %11 reshape";
    check(both, "[#0, %1]", false);
}
