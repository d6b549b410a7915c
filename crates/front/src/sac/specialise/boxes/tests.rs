//! Differences of sets of indices against the sets themselves, index by index.

use super::*;
use frit_ir::array::Value;
use frit_support::poly::Poly;
use frit_support::{Index, Random, random};

fn value(bound: &Bound, symbols: &[i64]) -> i64 {
    match bound {
        Bound::Sum(sum) => sum
            .terms()
            .map(|(monomial, factor)| {
                let powers = monomial.powers().iter();
                powers.fold(factor, |product, (symbol, n)| product * symbols[symbol.at()].pow(*n))
            })
            .sum(),
        Bound::Min(parts) => parts.iter().map(|part| value(part, symbols)).min().expect("there are parts"),
        Bound::Max(parts) => parts.iter().map(|part| value(part, symbols)).max().expect("there are parts"),
    }
}

fn holds(grid: &Grid, index: &[i64], symbols: &[i64]) -> bool {
    grid.axes.iter().zip(index).all(|(axis, &i)| {
        let lower = value(&axis.lower, symbols);
        lower <= i && i < value(&axis.upper, symbols) && (i - lower) % axis.step < axis.width
    })
}

/// Checks that each index below 8 per axis is in one of the parts exactly if it is in the grid and in none of the others.
fn check(grid: &Grid, others: &[Grid], parts: &[Grid], symbols: &[i64]) {
    let rank = grid.axes.len();
    for number in 0..8i64.pow(rank as u32) {
        let index: Vec<i64> = (0..rank).map(|axis| number / 8i64.pow(axis as u32) % 8).collect();
        let expected = holds(grid, &index, symbols) && !others.iter().any(|other| holds(other, &index, symbols));
        let count = parts.iter().filter(|part| holds(part, &index, symbols)).count();
        assert_eq!(
            count,
            usize::from(expected),
            "{index:?} with {symbols:?} in {grid:?} without {others:?}: {parts:?}"
        );
    }
}

#[test]
fn remainders_of_constant_grids_are_exact() {
    let mut random = Random::new(random::seed());
    let (cases, mut periodic) = (random::cases(400), 0);
    for _ in 0..cases {
        let rank = 1 + random.below(2);
        let mut grid = |random: &mut Random| {
            let axis = |_| {
                let lower = random.between(0, 6);
                let upper = random.between(0, 8);
                let step = random.between(1, 4);
                let width = random.between(1, step);
                periodic += usize::from(width < step);
                Axis::periodic(Bound::constant(lower), Bound::constant(upper), step, width)
            };
            Grid { axes: (0..rank).map(axis).collect() }
        };
        let first = grid(&mut random);
        let others: Vec<Grid> = (0..random.below(4)).map(|_| grid(&mut random)).collect();
        if let Some(parts) = remainder(&first, &others, &Order::default()) {
            check(&first, &others, &parts, &[]);
        }
    }
    assert!(periodic > cases / 4, "there are grids with gaps");
}

#[test]
fn remainders_of_symbolic_boxes_are_right_whatever_the_bounds_are() {
    let mut random = Random::new(random::seed());
    for _ in 0..random::cases(200) {
        let rank = 1 + random.below(2);
        let bound = |random: &mut Random| {
            let constant = Poly::constant(random.between(0, 2));
            let symbol = Poly::symbol(Value::new(random.below(3)));
            match random.below(3) {
                0 => Bound::Sum(constant),
                1 => Bound::Sum(symbol),
                _ => Bound::Sum(symbol + constant),
            }
        };
        let grid = |random: &mut Random| {
            let axis = |_| Axis::dense(bound(random), bound(random));
            Grid { axes: (0..rank).map(axis).collect() }
        };
        let first = grid(&mut random);
        let others: Vec<Grid> = (0..random.below(3)).map(|_| grid(&mut random)).collect();
        let mut order = Order::default();
        (0..3).for_each(|at| order.learn_range(&Poly::symbol(Value::new(at)), 0, 6));
        let Some(parts) = remainder(&first, &others, &order) else { continue };
        for _ in 0..12 {
            let symbols: Vec<i64> = (0..3).map(|_| random.between(0, 6)).collect();
            check(&first, &others, &parts, &symbols);
        }
    }
}

#[test]
fn boxes_that_share_a_bound_are_not_cut() {
    let n = Poly::symbol(Value::new(0));
    let m = Poly::symbol(Value::new(1));
    let mut order = Order::default();
    order.learn_range(&n, 0, 1 << 30);
    order.learn_range(&m, 0, 1 << 30);
    let (zero, border, end) = (Bound::constant(0), Bound::Sum(n.clone()), Bound::Sum(&n + &m));
    let grid = |lower: &Bound, upper: &Bound| Grid { axes: vec![Axis::dense(lower.clone(), upper.clone())] };
    let (first, second) = (grid(&zero, &border), grid(&border, &end));
    assert_eq!(remainder(&second, [&first], &order), Some(vec![second.clone()]));
    assert_eq!(remainder(&grid(&zero, &end), [&first, &second], &order), Some(Vec::new()));
    assert!(first.is_before(&second, &order));
}

#[test]
fn the_rest_of_a_box_is_cut_axis_by_axis() {
    let bounds = |range: (i64, i64)| Axis::dense(Bound::constant(range.0), Bound::constant(range.1));
    let grid = |rows, columns| Grid { axes: vec![bounds(rows), bounds(columns)] };
    let rest = remainder(&grid((0, 9), (0, 9)), [&grid((1, 8), (2, 7))], &Order::default());
    let expected = vec![grid((0, 1), (0, 9)), grid((8, 9), (0, 9)), grid((1, 8), (0, 2)), grid((1, 8), (7, 9))];
    assert_eq!(rest, Some(expected));
}
