//! What the analysis knows of small functions.

use super::*;
use frit_ir::array::Type;
use frit_ir::array::build::Builder;
use frit_support::Span;

/// A function of a size `n` and a number `x`, and the facts after its statements.
fn facts(build: impl FnOnce(&mut Builder, Operand, Operand) -> Vec<Operand>) -> (Ranges, Func, Vec<Operand>) {
    let mut func = Func::new("f", Span::NONE);
    let n = func.value(Type::scalar(Scalar::I64), Span::NONE);
    let x = func.value(Type::scalar(Scalar::I64), Span::NONE);
    func.sizes.push(n);
    func.params.push(frit_ir::array::Param { value: x, consumed: false });
    let mut b = Builder::new(func);
    let results = build(&mut b, n.into(), x.into());
    let func = b.finish(Vec::new());
    let mut ranges = Ranges::new(&func);
    for stmt in &func.body.stmts {
        ranges.define(&func, stmt);
    }
    (ranges, func, results)
}

fn decide(build: impl FnOnce(&mut Builder, Operand, Operand) -> Operand) -> Option<bool> {
    let (mut ranges, func, conds) = facts(|b, n, x| vec![build(b, n, x)]);
    ranges.decide_without_certs(&func, conds[0])
}

#[test]
fn a_number_is_not_below_the_least_one() {
    let least = Operand::i64(i64::MIN);
    assert_ne!(decide(|b, _, x| b.binary(BinOp::LE, least, x)), Some(false));
    assert_ne!(decide(|b, _, x| b.binary(BinOp::LT, x, least)), Some(true));
}

#[test]
fn a_size_is_not_negative_and_a_number_may_be() {
    assert_eq!(decide(|b, n, _| b.binary(BinOp::LE, Operand::i64(0), n)), Some(true));
    assert_eq!(decide(|b, _, x| b.binary(BinOp::LE, Operand::i64(0), x)), None);
}

#[test]
fn a_sum_that_may_wrap_proves_nothing() {
    let next = |b: &mut Builder, x| {
        let next = b.binary(BinOp::ADD, x, Operand::i64(1));
        b.binary(BinOp::LT, x, next)
    };
    assert_eq!(decide(|b, n, _| next(b, n)), Some(true));
    assert_eq!(decide(|b, _, x| next(b, x)), None);
}

#[test]
fn a_remainder_of_what_is_near_zero_is_a_sum() {
    let of = |number: i64, expected: fn(&mut Builder, Operand) -> Operand| {
        decide(|b, n, _| {
            let divisor = b.binary(BinOp::MAX, n, Operand::i64(1));
            let rest = b.binary(BinOp::FLOOR_MOD, Operand::i64(number), divisor);
            let expected = expected(b, divisor);
            b.binary(BinOp::EQ, rest, expected)
        })
    };
    assert_eq!(of(-1, |b, divisor| b.binary(BinOp::SUB, divisor, Operand::i64(1))), Some(true));
    assert_eq!(of(0, |_, _| Operand::i64(0)), Some(true));
    assert_eq!(of(1, |_, _| Operand::i64(1)), None);
    assert_eq!(of(-2, |b, divisor| b.binary(BinOp::SUB, divisor, Operand::i64(2))), None);
}

#[test]
fn remainders_of_one_and_of_minus_one_are_in_order() {
    let ordered = decide(|b, n, _| {
        let divisor = b.binary(BinOp::MAX, n, Operand::i64(1));
        let one = b.binary(BinOp::FLOOR_MOD, Operand::i64(1), divisor);
        let other = b.binary(BinOp::FLOOR_MOD, Operand::i64(-1), divisor);
        b.binary(BinOp::LE, one, other)
    });
    assert_eq!(ordered, Some(true));
}

#[test]
fn a_remainder_is_below_a_positive_divisor() {
    let clipped = |b: &mut Builder, n, x| {
        let divisor = b.binary(BinOp::MAX, n, Operand::i64(1));
        let rest = b.binary(BinOp::FLOOR_MOD, x, divisor);
        b.binary(BinOp::IN_BOUNDS, rest, divisor)
    };
    assert_eq!(decide(clipped), Some(true));
    let unknown = |b: &mut Builder, n, x| {
        let rest = b.binary(BinOp::FLOOR_MOD, x, n);
        b.binary(BinOp::IN_BOUNDS, rest, n)
    };
    assert_eq!(decide(unknown), None);
}

#[test]
fn a_proof_by_an_assertion_names_its_certificate() {
    let (mut ranges, func, results) = facts(|b, n, x| {
        let inside = b.binary(BinOp::IN_BOUNDS, x, n);
        let cert = b.assert(inside, frit_ir::FailureKind::OutOfBounds, vec![x, n]);
        let half = b.binary(BinOp::FLOOR_DIV, x, Operand::i64(2));
        vec![b.binary(BinOp::IN_BOUNDS, half, n), cert.into()]
    });
    let cert = results[1].value().expect("a certificate is a value");
    assert_eq!(ranges.prove_condition(&func, results[0]), Some(vec![cert]));
    assert_eq!(ranges.decide_without_certs(&func, results[0]), None);
}

#[test]
fn what_a_block_taught_is_forgotten_after_it() {
    let (mut ranges, func, results) = facts(|b, n, x| vec![b.binary(BinOp::LT, x, n), b.binary(BinOp::LE, x, n)]);
    ranges.enter();
    ranges.assume(&func, results[0], true, None);
    assert_eq!(ranges.decide_without_certs(&func, results[1]), Some(true));
    ranges.hide(1..2);
    assert_eq!(ranges.decide_without_certs(&func, results[1]), None);
    ranges.show_all();
    ranges.leave();
    assert_eq!(ranges.decide_without_certs(&func, results[1]), None);
}

/// Decides a condition on an index between these bounds, which are made of the size `n`.
fn decide_of_index(
    bounds: impl FnOnce(&mut Builder, Operand) -> (Operand, Operand),
    condition: impl FnOnce(&mut Builder, Operand, Operand) -> Operand,
) -> Option<bool> {
    let mut func = Func::new("f", Span::NONE);
    let [n, index] = [(); 2].map(|()| func.value(Type::scalar(Scalar::I64), Span::NONE));
    func.sizes.push(n);
    let mut b = Builder::new(func);
    let (lower, upper) = bounds(&mut b, n.into());
    let result = condition(&mut b, n.into(), index.into());
    let func = b.finish(Vec::new());
    let mut ranges = Ranges::new(&func);
    let of_bounds = func.body.stmts.iter().position(|stmt| {
        let mut mentions = false;
        stmt.op.for_each_operand(&func, &mut |operand| mentions |= operand == index.into());
        mentions
    });
    let (before, inside) = func.body.stmts.split_at(of_bounds.expect("the condition is on the index"));
    before.iter().for_each(|stmt| ranges.define(&func, stmt));
    ranges.enter();
    ranges.bind_index(&func, index, lower, upper);
    inside.iter().for_each(|stmt| ranges.define(&func, stmt));
    ranges.decide_without_certs(&func, result)
}

/// The index and a number, modulo the size, are the index and another number of sizes and that.
fn is_neighbour(number: i64, sizes: i64) -> impl FnOnce(&mut Builder, Operand, Operand) -> Operand {
    move |b, n, i| {
        let x = b.binary(BinOp::ADD, i, Operand::i64(number));
        let rest = b.binary(BinOp::FLOOR_MOD, x, n);
        let expected = match sizes {
            0 => x,
            1 => b.binary(BinOp::ADD, x, n),
            _ => b.binary(BinOp::SUB, x, n),
        };
        b.binary(BinOp::EQ, rest, expected)
    }
}

#[test]
fn neighbours_across_borders_are_sums() {
    let first = |b: &mut Builder, n| (Operand::i64(0), b.binary(BinOp::MIN, n, Operand::i64(1)));
    let others = |b: &mut Builder, n| (b.binary(BinOp::MIN, n, Operand::i64(1)), n);
    let last = |b: &mut Builder, n| {
        let first = b.binary(BinOp::MIN, n, Operand::i64(1));
        let before = b.binary(BinOp::SUB, n, Operand::i64(1));
        (b.binary(BinOp::MAX, before, first), n)
    };
    assert_eq!(decide_of_index(first, is_neighbour(-1, 1)), Some(true));
    assert_eq!(decide_of_index(others, is_neighbour(-1, 0)), Some(true));
    assert_eq!(decide_of_index(last, is_neighbour(1, -1)), Some(true));
    assert_eq!(decide_of_index(last, is_neighbour(1, 0)), Some(false));
    assert_eq!(decide_of_index(others, is_neighbour(1, 0)), None);
}
