//! What with-loops mean, and what the interpreter refuses about them.

use crate::support;

use frit_interp::{Failure, RunError};
use frit_ir::array::{Extent, Generator, Lambda, Op, Operand, Operator, OperatorData, Type, Value, View, WithLoopData};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor};
use support::*;

fn scalar(elem: Scalar) -> Type {
    Type::scalar(elem)
}

fn con(n: i64) -> Extent {
    Extent::Const(n)
}

fn guarded(op: Operator) -> OperatorData {
    OperatorData { op, guarded: true }
}

fn fold(combine: Lambda, neutral: i64) -> Operator {
    Operator::Fold { combine, neutral: vec![num(neutral)], commutative: false }
}

/// A generator of constant bounds whose cell is `cell`.
fn grid(bounds: [i64; 2], step: i64, width: i64, cell: Operand) -> Generator {
    let body = frit_ir::array::Block { stmts: vec![], results: vec![cell] };
    Generator { lower: vec![num(bounds[0])], upper: vec![num(bounds[1])], step: vec![step], width: vec![width], body }
}

/// `genarray` or another operator over `[0, n)` with these generators.
fn over(m: &mut Maker, n: i64, generators: Vec<Generator>, op: Operator, ty: Type) -> Value {
    let indices = m.indices(1);
    let operators = plain(op);
    m.with_loop(WithLoopData { space: vec![con(n)], indices, generators, operators, span: span() }, vec![ty])[0]
}

#[test]
fn genarray_makes_elements_and_rows() {
    let mut m = Maker::new();
    let op = || OperatorData::new(Operator::GenArray);
    let results = m.with(&[con(2), con(3)], vec![op(), op()], vec![of(&[2, 3]), of(&[2, 3, 2])], |m, iv| {
        let x = m.binary(BinOp::MUL, iv[0], num(10));
        let x = m.binary(BinOp::ADD, x, iv[1]);
        let row = m.def(Op::Replicate { n: num(2), x: x.into() }, of(&[2]));
        vec![x, row]
    });
    let results = m.run(results, vec![]).unwrap();
    assert_eq!(results[0], matrix(2, 3, &[0, 1, 2, 10, 11, 12]));
    assert_eq!(results[1].shape(), [2, 3, 2]);
    assert_eq!(results[1].data().get(11), Const::i64(12));
}

#[test]
fn a_space_without_axes_has_one_index() {
    let mut m = Maker::new();
    let combine = m.sum();
    let operators = vec![OperatorData::new(Operator::GenArray), OperatorData::new(fold(combine, 10))];
    let results = m.with(&[], operators, vec![scalar(I64), scalar(I64)], |_, _| vec![num(3), num(4)]);
    assert_eq!(m.run(results, vec![]).unwrap(), vec![int(3), int(14)]);
}

#[test]
fn empty_spaces_make_empty_arrays_and_neutral_values() {
    for n in [0, -4] {
        let mut m = Maker::new();
        let size = m.param(scalar(I64));
        let space = [Extent::Value(size)];
        let (combine, scan) = (m.sum(), m.sum());
        let operators = vec![
            OperatorData::new(Operator::Uniform),
            OperatorData::new(Operator::GenArray),
            OperatorData::new(fold(combine, 7)),
            OperatorData::new(Operator::Scan { combine: scan, neutral: vec![num(0)] }),
            guarded(Operator::Filter { arrays: 1 }),
        ];
        let (width, count) = (m.value(scalar(I64)), m.value(scalar(I64)));
        let types = [sized(&[size, width]), scalar(I64), sized(&[size]), sized(&[count])];
        let values: Vec<Value> = types.into_iter().map(|ty| m.value(ty)).collect();
        let indices = m.indices(1);
        let body = m.block(|m| {
            let row = m.def(Op::Iota { n: num(2) }, of(&[2]));
            let i = indices[0].into();
            vec![num(2), row.into(), i, i, truth(true), i]
        });
        let generators = vec![Generator::full(&space, body)];
        let id = m.func.with_loops.push(WithLoopData {
            space: space.to_vec(),
            indices,
            generators,
            operators,
            span: span(),
        });
        let results = vec![width, values[0], values[1], values[2], count, values[3]];
        m.stmt(Op::With(id), results.clone());
        let results = m.run(results, vec![int(n)]).unwrap();
        assert_eq!(results, vec![int(0), matrix(0, 0, &[]), int(7), ints(&[]), int(0), ints(&[])]);
    }
}

#[test]
fn folds_go_in_order_from_the_neutral_value() {
    let mut m = Maker::new();
    let combine = m.lambda(vec![scalar(I64); 2], |m, p| {
        let shifted = m.binary(BinOp::MUL, p[0], num(10));
        vec![m.binary(BinOp::ADD, shifted, p[1])]
    });
    let x = m.with(&[con(2), con(2)], plain(fold(combine, 9)), vec![scalar(I64)], |m, iv| {
        let row = m.binary(BinOp::MUL, iv[0], num(2));
        vec![m.binary(BinOp::ADD, row, iv[1])]
    });
    assert_eq!(m.run(x, vec![]).unwrap(), vec![int(90_123)]);
}

#[test]
fn folds_take_several_accumulators_and_a_guard() {
    let mut m = Maker::new();
    let combine =
        m.lambda(vec![scalar(I64); 4], |m, p| vec![m.binary(BinOp::ADD, p[0], p[2]), m.binary(BinOp::MAX, p[1], p[3])]);
    let neutral = vec![num(0), num(-1)];
    let operators = vec![guarded(Operator::Fold { combine, neutral, commutative: true })];
    let results = m.with(&[con(6)], operators, vec![scalar(I64); 2], |m, iv| {
        let rest = m.binary(BinOp::REM, iv[0], num(2));
        let is_even = m.binary(BinOp::EQ, rest, num(0));
        vec![is_even, iv[0], iv[0]]
    });
    assert_eq!(m.run(results, vec![]).unwrap(), vec![int(6), int(4)]);
}

#[test]
fn folds_of_arrays_add_rows() {
    let mut m = Maker::new();
    let a = m.param(of(&[3, 2]));
    let zero = m.def(Op::Replicate { n: num(2), x: num(0) }, of(&[2]));
    let combine = m.lambda(vec![of(&[2]), of(&[2])], |m, p| {
        m.with(&[con(2)], plain(Operator::GenArray), vec![of(&[2])], |m, iv| {
            let (x, y) = (m.at(p[0], &[iv[0].into()]), m.at(p[1], &[iv[0].into()]));
            vec![m.binary(BinOp::ADD, x, y)]
        })
    });
    let op = Operator::Fold { combine, neutral: vec![zero.into()], commutative: false };
    let sum = m.with(&[con(3)], plain(op), vec![of(&[2])], |m, iv| vec![m.at(a, &[iv[0].into()])]);
    assert_eq!(m.run(sum, vec![matrix(3, 2, &[1, 2, 3, 4, 5, 6])]).unwrap(), vec![ints(&[9, 12])]);
}

#[test]
fn scans_are_inclusive_and_start_with_the_neutral_value() {
    let mut m = Maker::new();
    let a = m.param(of(&[2]));
    let combine = m.sum();
    let op = Operator::Scan { combine, neutral: vec![num(10)] };
    let b = m.with(&[con(2)], plain(op), vec![of(&[2])], |m, iv| vec![m.at(a, &[iv[0].into()])]);
    assert_eq!(m.run(b, vec![ints(&[1, 2])]).unwrap(), vec![ints(&[11, 13])]);
}

#[test]
fn filters_keep_order_and_say_how_many() {
    let mut m = Maker::new();
    let a = m.param(of(&[5, 2]));
    let count = m.value(scalar(I64));
    let kept = m.value(Type::array(I64, vec![Extent::Value(count), con(2)]));
    let indices = m.indices(1);
    let body = m.block(|m| {
        let first = m.at(a, &[indices[0].into(), num(0)]);
        let is_kept = m.binary(BinOp::LT, num(2), first);
        vec![is_kept, m.at(a, &[indices[0].into()])]
    });
    let space = vec![con(5)];
    let generators = vec![Generator::full(&space, body)];
    let operators = vec![guarded(Operator::Filter { arrays: 1 })];
    let id = m.func.with_loops.push(WithLoopData { space, indices, generators, operators, span: span() });
    m.stmt(Op::With(id), vec![count, kept]);
    let results = m.run(vec![count, kept], vec![matrix(5, 2, &[3, 0, 1, 1, 9, 2, 2, 3, 4, 4])]).unwrap();
    assert_eq!(results, vec![int(3), matrix(3, 2, &[3, 0, 9, 2, 4, 4])]);
}

/// Rows `iota(f(i))` for `i` below 3, and their common length.
fn rows_of_own_size(length: impl Fn(&mut Maker, Value) -> Value) -> Result<Vec<Tensor>, RunError> {
    let mut m = Maker::new();
    let width = m.value(scalar(I64));
    let rows = m.value(Type::array(I64, vec![con(3), Extent::Value(width)]));
    let indices = m.indices(1);
    let body = m.block(|m| {
        let n = length(m, indices[0]);
        let row = m.def(Op::Iota { n: n.into() }, sized(&[n]));
        vec![row, n]
    });
    let space = vec![con(3)];
    let generators = vec![Generator::full(&space, body)];
    let operators = vec![OperatorData::new(Operator::GenArray), OperatorData::new(Operator::Uniform)];
    let id = m.func.with_loops.push(WithLoopData { space, indices, generators, operators, span: span() });
    m.stmt(Op::With(id), vec![rows, width]);
    m.run(vec![width, rows], vec![])
}

#[test]
fn uniform_finds_the_size_that_all_rows_have() {
    let results = rows_of_own_size(|m, i| {
        let zero = m.binary(BinOp::MUL, i, num(0));
        m.binary(BinOp::ADD, zero, num(2))
    });
    assert_eq!(results.unwrap(), vec![int(2), matrix(3, 2, &[0, 1, 0, 1, 0, 1])]);
}

#[test]
fn rows_of_different_sizes_are_an_irregular_array() {
    let results = rows_of_own_size(|m, i| m.binary(BinOp::ADD, i, num(1)));
    let failure = Failure { kind: FailureKind::IrregularArray, args: vec![1, 2], span: span() };
    assert_eq!(results, Err(RunError::Failed(failure)));
}

#[test]
fn rows_of_different_sizes_that_nothing_checks_are_broken() {
    let mut m = Maker::new();
    let rows = m.with(&[con(2)], plain(Operator::GenArray), vec![of(&[2, 1])], |m, iv| {
        vec![m.def(Op::Iota { n: iv[0].into() }, sized(&[iv[0]]))]
    });
    assert_broken(m.run(rows, vec![]), "a cell of shape [1] after one of shape [0]");
}

#[test]
fn generators_divide_the_space() {
    let mut m = Maker::new();
    let generators = vec![grid([0, 7], 3, 2, num(1)), grid([2, 7], 3, 1, num(2)), grid([7, 9], 1, 1, num(3))];
    let a = over(&mut m, 9, generators, Operator::GenArray, of(&[9]));
    assert_eq!(m.run(vec![a], vec![]).unwrap(), vec![ints(&[1, 1, 2, 1, 1, 2, 1, 3, 3])]);
}

#[test]
fn wrong_generators_are_broken() {
    let check = |generators: Vec<Generator>, fragment: &str| {
        let mut m = Maker::new();
        let a = over(&mut m, 4, generators, Operator::GenArray, of(&[4]));
        assert_broken(m.run(vec![a], vec![]), fragment);
    };
    check(vec![grid([0, 3], 1, 1, num(1))], "no generator holds index [3]");
    check(vec![grid([0, 4], 2, 1, num(1))], "no generator holds index [1]");
    check(vec![grid([0, 4], 1, 1, num(1)), grid([2, 3], 1, 1, num(2))], "two generators hold index [2]");
    check(vec![grid([0, 5], 1, 1, num(1))], "leaves the space");
    check(vec![grid([-1, 4], 1, 1, num(1))], "leaves the space");
    check(vec![grid([0, 4], 0, 0, num(1))], "step");
    check(vec![grid([0, 4], 2, 3, num(1))], "width");
    check(vec![], "no generator holds index [0]");
}

#[test]
fn folds_may_leave_indices_out() {
    let mut m = Maker::new();
    let combine = m.sum();
    let generators = vec![grid([1, 3], 1, 1, num(10)), grid([5, 9], 2, 1, num(100)), grid([4, 2], 1, 1, num(7))];
    let x = over(&mut m, 10, generators, fold(combine, 1), scalar(I64));
    assert_eq!(m.run(vec![x], vec![]).unwrap(), vec![int(221)]);
}

/// `modarray` over `a` whose cells at 1 and 2 are twice `a`'s first elements.
fn doubled(m: &mut Maker, a: Value, consumes: bool) -> Value {
    let indices = m.indices(1);
    let body = m.block(|m| {
        let before = m.binary(BinOp::SUB, indices[0], num(1));
        let x = m.at(a, &[before.into()]);
        vec![m.binary(BinOp::MUL, x, num(2))]
    });
    let generators = vec![Generator { lower: vec![num(1)], upper: vec![num(3)], step: vec![1], width: vec![1], body }];
    let operators = plain(Operator::ModArray { source: a, consumes });
    m.with_loop(WithLoopData { space: vec![con(4)], indices, generators, operators, span: span() }, vec![of(&[4])])[0]
}

#[test]
fn modarray_replaces_cells_and_reads_the_old_ones() {
    let mut m = Maker::new();
    let a = m.param(of(&[4]));
    let b = doubled(&mut m, a, false);
    assert_eq!(m.run(vec![a, b], vec![ints(&[1, 2, 3, 4])]).unwrap(), vec![ints(&[1, 2, 3, 4]), ints(&[1, 2, 4, 4])]);

    let mut m = Maker::new();
    let a = m.given(of(&[4]));
    let b = doubled(&mut m, a, true);
    assert_eq!(m.run(vec![b], vec![ints(&[1, 2, 3, 4])]).unwrap(), vec![ints(&[1, 2, 4, 4])]);

    let mut m = Maker::new();
    let a = m.given(of(&[4]));
    let b = doubled(&mut m, a, true);
    assert_broken(m.run(vec![a, b], vec![ints(&[1, 2, 3, 4])]), "after it was consumed");
}

#[test]
fn modarray_replaces_rows_and_whole_arrays() {
    let mut m = Maker::new();
    let a = m.param(of(&[2, 2]));
    let row = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let generator = grid([1, 2], 1, 1, row.into());
    let b = over(&mut m, 2, vec![generator], Operator::ModArray { source: a, consumes: false }, of(&[2, 2]));
    let whole = m.with(&[], plain(Operator::ModArray { source: row, consumes: false }), vec![of(&[2])], |m, _| {
        vec![m.at(a, &[num(0)])]
    });
    let results = m.run(vec![b, whole[0]], vec![matrix(2, 2, &[5, 6, 7, 8])]).unwrap();
    assert_eq!(results, vec![matrix(2, 2, &[5, 6, 0, 1]), ints(&[5, 6])]);
}

#[test]
fn a_with_loop_may_not_consume_what_it_did_not_make() {
    let mut m = Maker::new();
    let a = m.def(Op::Iota { n: num(3) }, of(&[3]));
    let b = m.with(&[con(2)], plain(Operator::GenArray), vec![of(&[2, 3])], |m, iv| {
        vec![m.update(a, &[num(0)], iv[0], true)]
    });
    assert_broken(m.run(b, vec![]), "after it was consumed");

    let mut m = Maker::new();
    let b = m.with(&[con(2)], plain(Operator::GenArray), vec![of(&[2, 3])], |m, iv| {
        let own = m.def(Op::Iota { n: num(3) }, of(&[3]));
        vec![m.update(own, &[num(0)], iv[0], true)]
    });
    assert_eq!(m.run(b, vec![]).unwrap(), vec![matrix(2, 3, &[0, 1, 2, 1, 1, 2])]);
}

#[test]
fn cells_are_stored_when_they_are_yielded() {
    // The scan's function consumes its accumulator, which the result must not notice.
    let mut m = Maker::new();
    let start = m.def(Op::Iota { n: num(2) }, of(&[2]));
    let combine = m.lambda(vec![of(&[2]), of(&[2])], |m, p| {
        let x = m.at(p[1], &[num(1)]);
        vec![m.update(p[0], &[num(0)], x, true)]
    });
    let op = Operator::Scan { combine, neutral: vec![start.into()] };
    let rows = m.with(&[con(3)], plain(op), vec![of(&[3, 2])], |m, iv| {
        vec![m.def(Op::Replicate { n: num(2), x: iv[0].into() }, of(&[2]))]
    });
    assert_eq!(m.run(rows, vec![]).unwrap(), vec![matrix(3, 2, &[0, 1, 1, 1, 2, 1])]);
}

#[test]
fn guards_stand_where_they_may() {
    let check = |operator: OperatorData, fragment: &str| {
        let mut m = Maker::new();
        let indices = m.indices(1);
        let generators = vec![grid([0, 4], 1, 1, num(1))];
        let operators = vec![operator];
        let data = WithLoopData { space: vec![con(4)], indices, generators, operators, span: span() };
        let a = m.with_loop(data, vec![of(&[4])]);
        assert_broken(m.run(a, vec![]), fragment);
    };
    check(guarded(Operator::GenArray), "is guarded");
    check(guarded(Operator::Uniform), "is guarded");
    check(OperatorData::new(Operator::Filter { arrays: 0 }), "is not guarded");
}

#[test]
fn scans_and_filters_have_one_axis() {
    let mut m = Maker::new();
    let combine = m.sum();
    let op = Operator::Scan { combine, neutral: vec![num(0)] };
    let a = m.with(&[con(2), con(2)], plain(op), vec![of(&[2, 2])], |_, iv| vec![iv[0]]);
    assert_broken(m.run(a, vec![]), "over 2 axes");
}

#[test]
fn cells_are_as_many_as_the_operators_need() {
    let mut m = Maker::new();
    let a = m.with(&[con(2)], plain(Operator::GenArray), vec![of(&[2])], |_, iv| vec![iv[0], iv[0]]);
    assert_broken(m.run(a, vec![]), "yields 2 cells where the operators need 1");
}

#[test]
fn a_failing_cell_ends_the_program() {
    let mut m = Maker::new();
    let kind = FailureKind::OutOfBounds;
    let a = m.with(&[con(5)], plain(Operator::GenArray), vec![of(&[5])], |m, iv| {
        let is_fine = m.binary(BinOp::IN_BOUNDS, iv[0], num(3));
        m.def(Op::Assert { cond: is_fine.into(), kind, args: vec![iv[0].into(), num(3)] }, scalar(Scalar::Cert));
        vec![iv[0]]
    });
    let failure = Failure { kind, args: vec![3, 3], span: span() };
    assert_eq!(m.run(a, vec![]), Err(RunError::Failed(failure)));
}

#[test]
fn huge_results_are_refused_before_they_are_made() {
    let mut m = Maker::new();
    let x = m.param(scalar(I64));
    let row = m.def(Op::View { array: x, view: View::Broadcast }, of(&[1 << 40]));
    let a = m.with(&[con(3)], plain(Operator::GenArray), vec![of(&[3, 1 << 40])], |_, _| vec![row]);
    assert_eq!(m.run(a, vec![int(1)]), Err(RunError::Exhausted));
}

#[test]
fn nested_with_loops_multiply_matrices() {
    let mut m = Maker::new();
    let (rows, inner, columns) = (m.size(), m.size(), m.size());
    let a = m.param(sized(&[rows, inner]));
    let b = m.param(sized(&[inner, columns]));
    let space = [Extent::Value(rows), Extent::Value(columns)];
    let product = m.with(&space, plain(Operator::GenArray), vec![sized(&[rows, columns])], |m, iv| {
        let combine = m.sum();
        m.with(&[Extent::Value(inner)], plain(fold(combine, 0)), vec![scalar(I64)], |m, k| {
            let x = m.at(a, &[iv[0].into(), k[0].into()]);
            let y = m.at(b, &[k[0].into(), iv[1].into()]);
            vec![m.binary(BinOp::MUL, x, y)]
        })
    });
    let args = vec![matrix(2, 3, &[1, 2, 3, 4, 5, 6]), matrix(3, 2, &[1, 0, 0, 1, 2, 2])];
    assert_eq!(m.run(product, args).unwrap(), vec![matrix(2, 2, &[7, 8, 16, 17])]);
}
