//! What every operation of the array IR means, and what the interpreter refuses about it.

use crate::support;

use frit_interp::{Failure, Options, RunError};
use frit_ir::array::{Extent, FuncId, LoopData, LoopKind, Op, Operand, ResultExtent, ResultType, Type, View};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::Index;
use std::sync::Arc;
use support::*;

fn scalar(elem: Scalar) -> Type {
    Type::scalar(elem)
}

#[test]
fn scalar_operations_follow_the_definition_of_scalars() {
    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    let y = m.binary(BinOp::FLOOR_DIV, x, num(2));
    let z = m.def(Op::Unary { op: UnOp::Convert(Scalar::F64), x: y.into() }, scalar(Scalar::F64));
    let is_negative = m.binary(BinOp::LT, y, num(0));
    let chosen = m.def(Op::Select { cond: is_negative.into(), on_true: num(1), on_false: num(2) }, scalar(I64));
    let results = m.run(vec![y, z, chosen], vec![int(-7)]).unwrap();
    assert_eq!(results, vec![int(-4), Tensor::scalar(Const::f64(-4.0)), int(1)]);
}

#[test]
fn division_by_zero_without_an_assertion_is_broken() {
    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    let y = m.binary(BinOp::DIV, num(1), x);
    assert_broken(m.run(vec![y], vec![int(0)]), "div is not defined");
}

#[test]
fn operands_of_a_wrong_type_are_broken() {
    let mut m = Maker::new();
    let y = m.def(Op::Binary { op: BinOp::ADD, x: num(1), y: real(1.0) }, scalar(I64));
    assert_broken(m.run(vec![y], vec![]), "add is not defined on i64 and f64");
    let mut m = Maker::new();
    let y = m.def(Op::Unary { op: UnOp::Sqrt, x: num(1) }, scalar(I64));
    assert_broken(m.run(vec![y], vec![]), "sqrt is not defined on i64");
    let mut m = Maker::new();
    let y = m.def(Op::Unary { op: UnOp::Neg, x: num(1) }, scalar(Scalar::F64));
    assert_broken(m.run(vec![y], vec![]), "has type f64");
}

#[test]
fn an_undefined_value_is_broken() {
    let mut m = Maker::new();
    let x = m.value(scalar(I64));
    let y = m.binary(BinOp::ADD, x, x);
    assert_broken(m.run(vec![y], vec![]), "before it is defined");
}

#[test]
fn full_indices_give_elements_and_fewer_give_views() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 3]));
    let element = m.at(a, &[num(1), num(2)]);
    let row = m.at(a, &[num(1)]);
    let inner = m.at(row, &[num(0)]);
    let whole = m.at(a, &[]);
    let results = m.run(vec![element, row, inner, whole], vec![matrix(2, 3, &[0, 1, 2, 3, 4, 5])]).unwrap();
    assert_eq!(results, vec![int(5), ints(&[3, 4, 5]), int(3), matrix(2, 3, &[0, 1, 2, 3, 4, 5])]);
}

#[test]
fn an_index_out_of_bounds_is_broken() {
    for at in [-1, 3] {
        let mut m = Maker::new();
        let a = m.param(of(&[3]));
        let x = m.at(a, &[num(at)]);
        assert_broken(m.run(vec![x], vec![ints(&[1, 2, 3])]), "out of bounds");
    }
}

#[test]
fn permutations_move_axes() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 3, 4]));
    let view = View::Permute { axes: vec![2, 0, 1] };
    let b = m.def(Op::View { array: a, view }, of(&[4, 2, 3]));
    let x = m.at(b, &[num(3), num(1), num(2)]);
    let tensor = Tensor::new(vec![2, 3, 4], TensorData::I64((0..24).collect())).unwrap();
    let results = m.run(vec![x, b], vec![tensor]).unwrap();
    assert_eq!(results[0], int(23));
    assert_eq!(results[1].shape(), [4, 2, 3]);
    // result[i, j, k] = a[j, k, i]
    assert_eq!(results[1].data().get(2 * 6 + 3 + 1), Const::i64(12 + 4 + 2));
}

#[test]
fn reshapes_of_permuted_arrays_are_in_the_views_order() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 3]));
    let t = m.def(Op::View { array: a, view: View::Permute { axes: vec![1, 0] } }, of(&[3, 2]));
    let flat = m.def(Op::View { array: t, view: View::Reshape }, of(&[6]));
    let back = m.def(Op::View { array: flat, view: View::Reshape }, of(&[2, 3]));
    let row = m.at(back, &[num(1)]);
    let results = m.run(vec![flat, back, row], vec![matrix(2, 3, &[1, 2, 3, 4, 5, 6])]).unwrap();
    assert_eq!(results, vec![ints(&[1, 4, 2, 5, 3, 6]), matrix(2, 3, &[1, 4, 2, 5, 3, 6]), ints(&[5, 3, 6])]);
}

#[test]
fn reshapes_to_another_number_of_elements_are_broken() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 3]));
    let b = m.def(Op::View { array: a, view: View::Reshape }, of(&[5]));
    assert_broken(m.run(vec![b], vec![matrix(2, 3, &[0; 6])]), "reshape");
}

#[test]
fn long_chains_of_reshapes_and_permutations_work() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 3]));
    let mut b = a;
    for _ in 0..100 {
        b = m.def(Op::View { array: b, view: View::Permute { axes: vec![1, 0] } }, of(&[3, 2]));
        b = m.def(Op::View { array: b, view: View::Reshape }, of(&[2, 3]));
    }
    let mut expected = vec![1, 2, 3, 4, 5, 6];
    for _ in 0..100 {
        expected = [0, 3, 1, 4, 2, 5].iter().map(|&at: &usize| expected[at]).collect();
    }
    assert_eq!(m.run(vec![b], vec![matrix(2, 3, &[1, 2, 3, 4, 5, 6])]).unwrap(), vec![matrix(2, 3, &expected)]);
}

#[test]
fn slices_start_step_and_reverse() {
    let mut m = Maker::new();
    let a = m.param(of(&[6]));
    let slice = |start: i64, step: i64| View::Slice { starts: vec![num(start)], steps: vec![step] };
    let odd = m.def(Op::View { array: a, view: slice(1, 2) }, of(&[3]));
    let reversed = m.def(Op::View { array: odd, view: slice(2, -1) }, of(&[3]));
    let none = m.def(Op::View { array: a, view: slice(6, 1) }, of(&[0]));
    let negative = m.def(Op::View { array: a, view: slice(9, 1) }, of(&[-2]));
    let results = m.run(vec![odd, reversed, none, negative], vec![ints(&[0, 1, 2, 3, 4, 5])]).unwrap();
    assert_eq!(results, vec![ints(&[1, 3, 5]), ints(&[5, 3, 1]), ints(&[]), ints(&[])]);
}

#[test]
fn slices_out_of_bounds_are_broken() {
    for (start, step, extent) in [(-1, 1, 2), (1, 2, 3), (1, -1, 3), (i64::MAX, 1, 2)] {
        let mut m = Maker::new();
        let a = m.param(of(&[4]));
        let view = View::Slice { starts: vec![num(start)], steps: vec![step] };
        let b = m.def(Op::View { array: a, view }, of(&[extent]));
        assert_broken(m.run(vec![b], vec![ints(&[0, 1, 2, 3])]), "slice");
    }
}

#[test]
fn broadcasts_repeat_arrays_and_scalars() {
    let mut m = Maker::new();
    let a = m.param(of(&[2]));
    let x = m.param(scalar(I64));
    let b = m.def(Op::View { array: a, view: View::Broadcast }, of(&[3, 2]));
    let c = m.def(Op::View { array: x, view: View::Broadcast }, of(&[2, 2]));
    let huge = m.def(Op::View { array: a, view: View::Broadcast }, of(&[1 << 40, 1 << 40, 2]));
    let y = m.at(huge, &[num(1 << 39), num(7), num(1)]);
    let results = m.run(vec![b, c, y], vec![ints(&[4, 5]), int(9)]).unwrap();
    assert_eq!(results, vec![matrix(3, 2, &[4, 5, 4, 5, 4, 5]), matrix(2, 2, &[9; 4]), int(5)]);
}

#[test]
fn views_without_axes_are_scalars() {
    let mut m = Maker::new();
    let a = m.param(of(&[1, 1]));
    let x = m.def(Op::View { array: a, view: View::Reshape }, of(&[]));
    let b = m.def(Op::View { array: x, view: View::Reshape }, of(&[1]));
    assert_eq!(m.run(vec![x, b], vec![matrix(1, 1, &[3])]).unwrap(), vec![int(3), ints(&[3])]);
}

#[test]
fn constructors_build_arrays() {
    let mut m = Maker::new();
    let tensor = Arc::new(ints(&[7, 8]));
    let table = m.def(Op::Table { tensor }, of(&[2]));
    let literal = m.def(Op::ArrayLit { elems: vec![num(1), num(2)] }, of(&[2]));
    let rows = m.def(Op::ArrayLit { elems: vec![table.into(), literal.into()] }, of(&[2, 2]));
    let iota = m.def(Op::Iota { n: num(3) }, of(&[3]));
    let copies = m.def(Op::Replicate { n: num(2), x: iota.into() }, of(&[2, 3]));
    let threes = m.def(Op::Replicate { n: num(2), x: num(3) }, of(&[2]));
    let joined = m.def(Op::Concat { arrays: vec![rows, rows] }, of(&[4, 2]));
    let copy = m.def(Op::Copy { array: literal }, of(&[2]));
    let results = m.run(vec![rows, iota, copies, threes, joined, copy], vec![]).unwrap();
    assert_eq!(
        results,
        vec![
            matrix(2, 2, &[7, 8, 1, 2]),
            ints(&[0, 1, 2]),
            matrix(2, 3, &[0, 1, 2, 0, 1, 2]),
            ints(&[3, 3]),
            matrix(4, 2, &[7, 8, 1, 2, 7, 8, 1, 2]),
            ints(&[1, 2]),
        ]
    );
}

#[test]
fn negative_sizes_mean_no_element() {
    let mut m = Maker::new();
    let n = m.param(scalar(I64));
    let iota = m.def(Op::Iota { n: n.into() }, sized(&[n]));
    let copies = m.def(Op::Replicate { n: n.into(), x: iota.into() }, sized(&[n, n]));
    let results = m.run(vec![iota, copies], vec![int(-5)]).unwrap();
    assert_eq!(results, vec![ints(&[]), matrix(0, 0, &[])]);
}

#[test]
fn array_literals_of_different_shapes_are_broken() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(1) }, of(&[1]));
    let b = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let c = m.def(Op::ArrayLit { elems: vec![a.into(), b.into()] }, of(&[2, 1]));
    assert_broken(m.run(vec![c], vec![]), "differ in type");
}

#[test]
fn concatenations_of_different_rows_are_broken() {
    let mut m = Maker::new();
    let a = m.param(of(&[1, 2]));
    let b = m.param(of(&[1, 3]));
    let c = m.def(Op::Concat { arrays: vec![a, b] }, of(&[2, 2]));
    assert_broken(m.run(vec![c], vec![matrix(1, 2, &[0; 2]), matrix(1, 3, &[0; 3])]), "row type");
}

#[test]
fn results_of_another_shape_than_declared_are_broken() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(3) }, of(&[4]));
    assert_broken(m.run(vec![a], vec![]), "has type i64[4]");
}

#[test]
fn updates_are_functional() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 2]));
    let row = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = m.update(a, &[num(0), num(1)], num(9), false);
    let c = m.update(b, &[num(1)], row, false);
    let whole = m.update(c, &[], a, false);
    let results = m.run(vec![a, b, c, whole], vec![matrix(2, 2, &[5, 6, 7, 8])]).unwrap();
    assert_eq!(
        results,
        vec![
            matrix(2, 2, &[5, 6, 7, 8]),
            matrix(2, 2, &[5, 9, 7, 8]),
            matrix(2, 2, &[5, 9, 0, 1]),
            matrix(2, 2, &[5, 6, 7, 8])
        ]
    );
}

#[test]
fn updates_out_of_bounds_or_of_another_shape_are_broken() {
    let mut m = Maker::new();
    let a = m.param(of(&[2]));
    let b = m.update(a, &[num(2)], num(0), false);
    assert_broken(m.run(vec![b], vec![ints(&[1, 2])]), "out of bounds");
    let mut m = Maker::new();
    let a = m.param(of(&[2]));
    let iota = m.def(Op::Iota { n: num(3) }, of(&[3]));
    let b = m.update(a, &[], iota, false);
    assert_broken(m.run(vec![b], vec![ints(&[1, 2])]), "shape [3] replaces one of shape [2]");
}

#[test]
fn a_consumed_array_may_not_be_used() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(3) }, of(&[3]));
    let b = m.update(a, &[num(0)], num(5), true);
    let x = m.at(a, &[num(1)]);
    assert_broken(m.run(vec![Operand::from(b), x.into()], vec![]), "after it was consumed");
}

#[test]
fn aliases_of_a_consumed_array_may_not_be_used() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(4) }, of(&[4]));
    let square = m.def(Op::View { array: a, view: View::Reshape }, of(&[2, 2]));
    let row = m.at(square, &[num(1)]);
    let new = m.update(square, &[num(0), num(0)], num(5), true);
    let x = m.at(row, &[num(0)]);
    assert_broken(m.run(vec![new, x], vec![]), "after it was consumed");
}

#[test]
fn updates_in_place_go_through_views() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(6) }, of(&[6]));
    let square = m.def(Op::View { array: a, view: View::Reshape }, of(&[2, 3]));
    let turned = m.def(Op::View { array: square, view: View::Permute { axes: vec![1, 0] } }, of(&[3, 2]));
    let new = m.update(turned, &[num(2), num(0)], num(50), true);
    let row = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let newer = m.update(new, &[num(0)], row, true);
    assert_eq!(m.run(vec![newer], vec![]).unwrap(), vec![matrix(3, 2, &[0, 1, 1, 4, 50, 5])]);
}

#[test]
fn updating_a_consumed_broadcast_changes_one_element() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = m.def(Op::View { array: a, view: View::Broadcast }, of(&[2, 2]));
    let c = m.update(b, &[num(0), num(0)], num(7), true);
    assert_eq!(m.run(vec![c], vec![]).unwrap(), vec![matrix(2, 2, &[7, 1, 0, 1])]);
}

#[test]
fn updating_a_consumed_table_leaves_the_table() {
    let mut m = Maker::new();
    let s = m.value(scalar(I64));
    let sum = m.value(scalar(I64));
    let index = m.value(scalar(I64));
    let body = m.block(|m| {
        let table = m.def(Op::Table { tensor: Arc::new(ints(&[1, 2])) }, of(&[2]));
        let x = m.at(table, &[num(0)]);
        m.update(table, &[num(0)], num(100), true);
        vec![m.binary(BinOp::ADD, s, x)]
    });
    let kind = LoopKind::For { index, count: num(3) };
    let data = LoopData { kind, params: vec![s], init: vec![num(0)], body, consumed: vec![false], regroups: false };
    m.stmt(Op::Loop(Box::new(data)), vec![sum]);
    assert_eq!(m.run(vec![sum], vec![]).unwrap(), vec![int(3)]);
}

#[test]
fn a_stored_value_may_not_share_the_consumed_memory() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let square = m.def(Op::Replicate { n: num(2), x: a.into() }, of(&[2, 2]));
    let row = m.at(square, &[num(1)]);
    let b = m.update(square, &[num(0)], row, true);
    assert_broken(m.run(vec![b], vec![]), "shares the memory");
}

fn assertion(kind: FailureKind, args: Vec<Operand>) -> Result<Vec<Tensor>, RunError> {
    let mut m = Maker::new();
    let cert = m.def(Op::Assert { cond: truth(false), kind, args }, scalar(Scalar::Cert));
    m.run(vec![cert], vec![])
}

#[test]
fn failed_assertions_end_the_program_with_their_numbers_and_place() {
    for kind in FailureKind::ALL {
        let args: Vec<i64> = (0..kind.arity()).map(|at| at as i64 + 40).collect();
        let failure = Failure { kind, args: args.clone(), span: span() };
        assert_eq!(assertion(kind, args.into_iter().map(num).collect()), Err(RunError::Failed(failure)));
    }
    assert_broken(assertion(FailureKind::OutOfBounds, vec![num(1)]), "has 2 numbers, not 1");
}

#[test]
fn certificates_are_values() {
    let mut m = Maker::new();
    let kind = FailureKind::AssertionFailed;
    let a = m.def(Op::Assert { cond: truth(true), kind, args: vec![] }, scalar(Scalar::Cert));
    let b = m.def(Op::Conjoin { certs: vec![a, a] }, scalar(Scalar::Cert));
    assert_eq!(m.run(vec![b], vec![]).unwrap(), vec![Tensor::scalar(Const::Cert)]);

    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    let b = m.def(Op::Conjoin { certs: vec![x] }, scalar(Scalar::Cert));
    assert_broken(m.run(vec![b], vec![int(1)]), "is no certificate");
}

#[test]
fn only_one_branch_is_evaluated() {
    for (cond, expected) in [(true, 1), (false, 2)] {
        let mut m = Maker::new();
        let c = m.param(scalar(Scalar::Bool));
        let zero = m.param(scalar(I64));
        let then = m.block(|_| vec![num(1)]);
        let otherwise = m.block(|m| {
            let is_fine = m.binary(BinOp::EQ, zero, num(0));
            let kind = FailureKind::AssertionFailed;
            m.def(Op::Assert { cond: is_fine.into(), kind, args: vec![] }, scalar(Scalar::Cert));
            vec![num(2)]
        });
        let x = m.def(Op::If { cond: c.into(), then, otherwise }, scalar(I64));
        let fails_otherwise = if cond { 9 } else { 0 };
        let args = vec![Tensor::scalar(Const::Bool(cond)), int(fails_otherwise)];
        assert_eq!(m.run(vec![x], args).unwrap(), vec![int(expected)]);
    }
}

#[test]
fn for_loops_carry_values() {
    for (count, expected) in [(5, 10), (0, 0), (-3, 0)] {
        let mut m = Maker::new();
        let n = m.param(scalar(I64));
        let (s, i, sum) = (m.value(scalar(I64)), m.value(scalar(I64)), m.value(scalar(I64)));
        let body = m.block(|m| vec![m.binary(BinOp::ADD, s, i)]);
        let kind = LoopKind::For { index: i, count: n.into() };
        let data = LoopData { kind, params: vec![s], init: vec![num(0)], body, consumed: vec![false], regroups: false };
        m.stmt(Op::Loop(Box::new(data)), vec![sum]);
        assert_eq!(m.run(vec![sum], vec![int(count)]).unwrap(), vec![int(expected)]);
    }
}

#[test]
fn while_loops_end_when_the_condition_is_false() {
    let mut m = Maker::new();
    let (x, last) = (m.value(scalar(I64)), m.value(scalar(I64)));
    let condition = m.block(|m| vec![m.binary(BinOp::LT, x, num(100))]);
    let body = m.block(|m| vec![m.binary(BinOp::MUL, x, num(2))]);
    let kind = LoopKind::While { condition };
    let data = LoopData { kind, params: vec![x], init: vec![num(3)], body, consumed: vec![false], regroups: false };
    m.stmt(Op::Loop(Box::new(data)), vec![last]);
    assert_eq!(m.run(vec![last], vec![]).unwrap(), vec![int(192)]);
}

/// A loop that writes `i` to `a[i]`, `count` times.
fn filling_loop(m: &mut Maker, init: support::LoopInit, count: i64, consumed: bool) -> frit_ir::array::Value {
    let ty = of(&[init.extent]);
    let (a, i, last) = (m.value(ty.clone()), m.value(scalar(I64)), m.value(ty));
    let body = m.block(|m| vec![m.update(a, &[i.into()], i, true)]);
    let kind = LoopKind::For { index: i, count: num(count) };
    let data = LoopData {
        kind,
        params: vec![a],
        init: vec![init.array.into()],
        body,
        consumed: vec![consumed],
        regroups: false,
    };
    m.stmt(Op::Loop(Box::new(data)), vec![last]);
    last
}

#[test]
fn a_loop_updates_a_large_array_in_place() {
    let extent = 300_000;
    let mut m = Maker::new();
    let array = m.def(Op::Replicate { n: num(extent), x: num(-1) }, of(&[extent]));
    let last = filling_loop(&mut m, support::LoopInit { array, extent }, extent, true);
    let results = m.run(vec![last], vec![]).unwrap();
    assert_eq!(results, vec![ints(&(0..extent).collect::<Vec<_>>())]);
}

#[test]
fn a_loop_consumes_the_initial_value_it_is_marked_for() {
    for count in [0, 2] {
        let mut m = Maker::new();
        let array = m.def(Op::Iota { n: num(4) }, of(&[4]));
        let last = filling_loop(&mut m, support::LoopInit { array, extent: 4 }, count, true);
        assert_broken(m.run(vec![last, array], vec![]), "after it was consumed");
    }
    let mut m = Maker::new();
    let array = m.def(Op::Iota { n: num(4) }, of(&[4]));
    let last = filling_loop(&mut m, support::LoopInit { array, extent: 4 }, 2, false);
    assert_broken(m.run(vec![last], vec![]), "not marked so");
}

/// `fact(n) = if n < 1 then 1 else n * fact(n - 1)`
fn factorial() -> frit_ir::array::Func {
    let mut m = Maker::named("fact");
    let n = m.param(scalar(I64));
    let is_last = m.binary(BinOp::LT, n, num(1));
    let then = m.block(|_| vec![num(1)]);
    let otherwise = m.block(|m| {
        let less = m.binary(BinOp::SUB, n, num(1));
        let rest = m.def(Op::Call { callee: FuncId::new(0), args: vec![less.into()] }, scalar(I64));
        vec![m.binary(BinOp::MUL, n, rest)]
    });
    let x = m.def(Op::If { cond: is_last.into(), then, otherwise }, scalar(I64));
    m.returns(vec![x])
}

#[test]
fn functions_call_themselves() {
    assert_eq!(run(vec![factorial()], vec![int(10)]).unwrap(), vec![int(3_628_800)]);
    assert!(run(vec![factorial()], vec![int(100_000)]).is_ok());
}

#[test]
fn endless_recursion_is_an_error() {
    assert_eq!(run(vec![factorial()], vec![int(i64::MAX)]), Err(RunError::StackTooDeep));
    let options = Options { depth: 100, ..Options::default() };
    assert!(run_with(vec![factorial()], vec![int(40)], &options).is_err());
    assert!(run_with(vec![factorial()], vec![int(10)], &options).is_ok());
}

#[test]
fn fuel_ends_long_runs() {
    let options = Options { fuel: Some(50), ..Options::default() };
    assert_eq!(run_with(vec![factorial()], vec![int(100)], &options), Err(RunError::OutOfFuel));
    assert!(run_with(vec![factorial()], vec![int(5)], &options).is_ok());
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    for n in [1 << 40, i64::MAX] {
        let mut m = Maker::new();
        let a = m.def(Op::Iota { n: num(n) }, of(&[n]));
        assert_eq!(m.run(vec![a], vec![]), Err(RunError::Exhausted));
        let mut m = Maker::new();
        let x = m.param(scalar(I64));
        let a = m.def(Op::View { array: x, view: View::Broadcast }, of(&[n, n]));
        let b = m.def(Op::Copy { array: a }, of(&[n, n]));
        assert_eq!(m.run(vec![b], vec![int(1)]), Err(RunError::Exhausted));
    }
}

#[test]
fn parameter_sizes_are_those_of_the_arguments() {
    let square = || {
        let mut m = Maker::new();
        let n = m.size();
        let k = m.size();
        m.param(sized(&[n, k]));
        m.param(sized(&[k]));
        m.run(vec![n, k], vec![matrix(2, 3, &[0; 6]), ints(&[1, 2, 3])])
    };
    assert_eq!(square().unwrap(), vec![int(2), int(3)]);
    let mut m = Maker::new();
    let n = m.size();
    m.param(sized(&[n, n]));
    assert_broken(m.run(vec![n], vec![matrix(2, 3, &[0; 6])]), "has type i64[2, 2]");
}

#[test]
fn wrong_arguments_are_broken() {
    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    assert_broken(m.run(vec![x], vec![]), "1 parameters, but 0 arguments");
    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    assert_broken(m.run(vec![x], vec![Tensor::scalar(Const::f64(1.0))]), "has type i64[]");
}

/// A function that updates its parameter in place and returns it.
fn bump(is_given: bool) -> frit_ir::array::Func {
    let mut m = Maker::named("bump");
    let n = m.size();
    let a = if is_given { m.given(sized(&[n])) } else { m.param(sized(&[n])) };
    let b = m.update(a, &[num(0)], num(77), true);
    let mut func = m.returns(vec![b]);
    func.results = vec![ResultType { elem: I64, shape: vec![ResultExtent::Size(n)], unique: is_given }];
    func
}

fn call_bump(m: &mut Maker, a: frit_ir::array::Value) -> frit_ir::array::Value {
    m.def(Op::Call { callee: FuncId::new(1), args: vec![a.into()] }, of(&[2]))
}

#[test]
fn a_call_consumes_what_its_parameter_says() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = call_bump(&mut m, a);
    assert_eq!(run(vec![m.returns(vec![b]), bump(true)], vec![]).unwrap(), vec![ints(&[77, 1])]);

    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = call_bump(&mut m, a);
    assert_broken(run(vec![m.returns(vec![a, b]), bump(true)], vec![]), "after it was consumed");

    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = call_bump(&mut m, a);
    assert_broken(run(vec![m.returns(vec![b]), bump(false)], vec![]), "was not given");
}

#[test]
fn an_argument_may_not_share_memory_with_a_consumed_one() {
    let mut callee = Maker::named("two");
    let a = callee.given(of(&[2]));
    let b = callee.param(of(&[2]));
    let x = callee.at(b, &[num(0)]);
    let c = callee.update(a, &[num(0)], x, true);
    let callee = callee.returns(vec![c]);
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let b = m.def(Op::Call { callee: FuncId::new(1), args: vec![a.into(), a.into()] }, of(&[2]));
    assert_broken(run(vec![m.returns(vec![b]), callee], vec![]), "shares memory");
}

#[test]
fn unique_results_share_no_memory() {
    let unique = ResultType { elem: I64, shape: vec![ResultExtent::Const(2)], unique: true };
    let mut m = Maker::new();
    let a = m.param(of(&[2]));
    let mut func = m.returns(vec![a]);
    func.results = vec![unique.clone()];
    assert_broken(run(vec![func], vec![ints(&[1, 2])]), "declared unique");

    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let mut func = m.returns(vec![a, a]);
    func.results = vec![unique.clone(), unique.clone()];
    assert_broken(run(vec![func], vec![]), "declared unique");

    let mut m = Maker::new();
    let a = m.given(of(&[2]));
    let mut func = m.returns(vec![a]);
    func.results = vec![unique];
    assert_eq!(run(vec![func], vec![ints(&[1, 2])]).unwrap(), vec![ints(&[1, 2])]);
}

#[test]
fn results_must_have_the_declared_extents() {
    let declared = |shape: ResultExtent| {
        let mut m = Maker::new();
        let n = m.def(Op::Unary { op: UnOp::Neg, x: num(-3) }, scalar(I64));
        let a = m.def(Op::Iota { n: n.into() }, sized(&[n]));
        let mut func = m.returns(vec![n, a]);
        func.results[1].shape = vec![shape];
        run(vec![func], vec![])
    };
    assert!(declared(ResultExtent::Const(3)).is_ok());
    assert!(declared(ResultExtent::Result(0)).is_ok());
    assert!(declared(ResultExtent::Caller).is_ok());
    assert_broken(declared(ResultExtent::Const(2)), "declared type");
    assert_broken(declared(ResultExtent::Result(1)), "declared type");
}

#[test]
fn broken_programs_say_where() {
    let mut m = Maker::named("culprit");
    let a = m.param(of(&[1]));
    let x = m.at(a, &[num(1)]);
    assert_broken(m.run(vec![x], vec![ints(&[1])]), "in @culprit, at the definition of [%1]");
}

#[test]
fn extents_are_checked_by_value() {
    let mut m = Maker::new();
    let n = m.param(scalar(I64));
    let a = m.def(Op::Iota { n: num(2) }, Type::array(I64, vec![Extent::Value(n)]));
    assert_broken(m.run(vec![a], vec![int(3)]), "has type i64[3]");
}
