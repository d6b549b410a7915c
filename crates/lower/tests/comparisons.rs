//! A choice between a number and its opposite by its sign is its absolute value where it is compared, and the greater of both elsewhere.

use crate::support;

use frit_ir::nest::Expr;
use frit_ir::scalar::{BinOp, UnOp};
use support::{agree, lowered, reals};

/// `%8` of the element `%5`, with `%9` as what the cell is.
fn cells(choice: &str, result: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0]) -> (f64[%0]) {{
          %2: f64[%0] = w0: with (%3) in [%0] {{
            [0] <= iv < [%0] {{
              %5: f64 = index %1[%3]
              %6: f64 = neg %5
              {choice}
              %9: bool = lt %8, 0.5
              %10: f64 = {result}
              yield %10
            }}
          }} : genarray
          return %2
        }}"
    )
}

fn has(text: &str, is_found: impl Fn(&Expr) -> bool) -> bool {
    support::exprs(&lowered(text)).into_iter().any(is_found)
}

fn is_magnitude(part: &Expr) -> bool {
    matches!(part, Expr::Unary { op: UnOp::Abs, .. })
}

fn agrees(text: &str) {
    agree(text, &[reals(&[0.0, -0.0, 0.25, -0.25, 7.0, -7.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN])]);
}

const BY_SIGN: [&str; 3] = [
    "%7: bool = lt %5, 0.0\n%8: f64 = select %7, %6, %5",
    "%7: bool = le %5, 0.0\n%8: f64 = select %7, %6, %5",
    "%7: bool = lt 0.0, %5\n%8: f64 = select %7, %5, %6",
];

#[test]
fn a_choice_by_sign_is_compared_as_an_absolute_value() {
    for choice in BY_SIGN {
        let text = cells(choice, "select %9, 1.0, 2.0");
        let is_compared = |part: &Expr| matches!(part, Expr::Binary { op: BinOp::LT, x, .. } if is_magnitude(x));
        assert!(has(&text, is_compared), "{}", lowered(&text));
        agrees(&text);
    }
}

/// Minus zero stays minus zero.
#[test]
fn its_value_is_the_greater_of_both() {
    for choice in BY_SIGN {
        let text = cells(choice, "select %9, %8, 2.0");
        let is_opposite = |x: &Expr| matches!(x, Expr::Unary { op: UnOp::Neg, .. });
        let is_greatest =
            |part: &Expr| matches!(part, Expr::Binary { op: BinOp::MAX, x, y } if is_opposite(x) || is_opposite(y));
        // Of `0.0`, `le` chooses the opposite, but of NaN the number.
        assert_eq!(has(&text, is_greatest), !choice.contains("le "), "{}", lowered(&text));
        agrees(&text);
    }
}

#[test]
fn other_choices_are_compared_as_they_are() {
    for choice in
        ["%7: bool = lt %5, 1.0\n%8: f64 = select %7, %6, %5", "%7: bool = lt %5, 0.0\n%8: f64 = select %7, %5, %6"]
    {
        let text = cells(choice, "select %9, 1.0, 2.0");
        assert!(!has(&text, is_magnitude), "{}", lowered(&text));
        agrees(&text);
    }
}
