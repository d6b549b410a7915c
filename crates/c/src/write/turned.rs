//! Loops that count down: those of the source run forwards on negative numbers in a program.

use super::expressions::Leaves;
use frit_scop::program::{BinOp, Expr, Instance, Iterator, Program, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The loops that run forwards on the negatives of what all their statements see, which therefore count down.
pub(super) fn descending(program: &Program) -> BTreeSet<Iterator> {
    let mut signs = BTreeMap::new();
    collect_signs(&program.body, &mut signs);
    signs.into_iter().filter(|(_, sign)| *sign == Some(false)).map(|(iterator, _)| iterator).collect()
}

/// For each iterator whether statements see it rising, if that is clear.
fn collect_signs(steps: &[Step], signs: &mut BTreeMap<Iterator, Option<bool>>) {
    for step in steps {
        match step {
            Step::For(each) => collect_signs(&each.body, signs),
            Step::If { then, otherwise, .. } => {
                collect_signs(then, signs);
                collect_signs(otherwise, signs);
            }
            Step::Instance(instance) => {
                for expr in &instance.iterators {
                    visit(expr, Some(true), &mut |iterator, sign| {
                        let known = signs.entry(iterator).or_insert(sign);
                        *known = if *known == sign { sign } else { None };
                    });
                }
            }
            Step::Rotate { .. } => {}
        }
    }
}

fn visit(expr: &Expr, sign: Option<bool>, found: &mut impl FnMut(Iterator, Option<bool>)) {
    match expr {
        Expr::Int(_) | Expr::Param(_) => {}
        Expr::Iterator(iterator) => found(*iterator, sign),
        Expr::Neg(operand) => visit(operand, sign.map(|sign| !sign), found),
        Expr::Binary(op, left, right) => {
            let (of_left, of_right) = match (op, left.as_int(), right.as_int()) {
                (BinOp::Add, ..) => (sign, sign),
                (BinOp::Sub, ..) => (sign, sign.map(|sign| !sign)),
                (BinOp::Mul, Some(factor), _) => (None, sign.map(|sign| sign == (factor > 0))),
                (BinOp::Mul | BinOp::Div | BinOp::FloorDiv, _, Some(factor)) => {
                    (sign.map(|sign| sign == (factor > 0)), None)
                }
                _ => (None, None),
            };
            visit(left, of_left, found);
            visit(right, of_right, found);
        }
        Expr::Select(cond, then, otherwise) => {
            [cond, then, otherwise].into_iter().for_each(|part| visit(part, None, found))
        }
    }
}

/// The program with the variables of descending loops standing for their negatives; the bounds of these loops stay those of the program.
pub(super) fn turned(program: &Program, descending: &BTreeSet<Iterator>) -> Program {
    let mut turned = program.clone();
    if !descending.is_empty() {
        turn_all(&mut turned.body, descending);
    }
    turned
}

fn turn_all(steps: &mut [Step], descending: &BTreeSet<Iterator>) {
    let turn = |expr: &mut Expr| {
        if Leaves::of(expr).iterators.iter().any(|iterator| descending.contains(iterator)) {
            *expr = expr.with_iterators(&|iterator| {
                let variable = Expr::Iterator(iterator);
                if descending.contains(&iterator) { variable.neg() } else { variable }
            });
        }
    };
    for step in steps {
        match step {
            Step::For(each) => {
                turn(&mut each.lower);
                turn(&mut each.upper);
                turn_all(&mut each.body, descending);
            }
            Step::If { cond, then, otherwise } => {
                turn(cond);
                turn_all(then, descending);
                turn_all(otherwise, descending);
            }
            Step::Instance(Instance { iterators, subscripts, .. }) => {
                iterators.iter_mut().chain(subscripts.iter_mut().flatten().flatten()).for_each(turn);
            }
            Step::Rotate { .. } => {}
        }
    }
}
