//! Scans for vectors: what is accumulated in one phase, what is done with the results in another; and part by part on threads.

use crate::support;

use frit_ir::nest::{Expr, LoopKind};
use frit_ir::scalar::UnOp;
use support::{agree, int, lowered, reals, table};

/// A with-loop over a vector that scans the cells `%9`, computed by `cell` at index `%6`, and stores `%13` there.
fn scan(cell: &str, (op, unit): (&str, &str)) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: i64) -> (f64[%0], f64[%0]) {{
          %3: f64[%0], %4: f64[%0] = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {cell}
              yield %13, %9
            }}
          }} : genarray, scan ({unit}) by (%10: f64, %11: f64) {{
            %12: f64 = {op} %10, %11
            yield %12
          }}
          return %3, %4
        }}"
    )
}

/// The larger of two, by an operation that is not known.
const LARGER: &str = "%15: f64 = sub %10, %11\n%16: f64 = abs %15\n%17: f64 = add %10, %11\n%18: f64 = add %17, %16\n%12: f64 = mul %18, 0.5";
const SQUARE: &str = "%7: f64 = index %1[%6]\n%9: f64 = mul %7, %7\n%13: f64 = sub %7, 1.0";

fn is_in_phases(text: &str) -> bool {
    support::changes(text, &support::SEQUENTIAL)["vectorised-scan"] > 0
}

fn agrees(text: &str) {
    for count in [0, 1, 2, 7, 9, 700] {
        agree(text, &[table(&[count]), int(2)]);
    }
}

#[test]
fn a_scan_of_a_map_is_for_vectors() {
    for op in [("add", "0.0"), ("max", "-1.0"), ("min", "2.0")] {
        let text = scan(SQUARE, op);
        assert!(is_in_phases(&text), "{}", lowered(&text));
        agrees(&text);
    }
}

#[test]
fn threads_fold_parts_then_scan_them() {
    let values: Vec<f64> = (0..270_000).map(|i| (i % 5) as f64 - 2.0).collect();
    agree(&scan("%9: f64 = index %1[%6]\n%13: f64 = add %9, 1.0", ("add", "0.0")), &[reals(&values), int(2)]);
}

#[test]
fn cells_that_are_gathered_are_computed_once() {
    let gathered = "%7: f64 = index %1[%6]\n%16: i64 = to_i64 %7\n%9: f64 = index %1[%16]\n%13: f64 = sub %7, 1.0";
    let values: Vec<f64> = (0..300_000).map(|i| (i % 5) as f64).collect();
    agree(&scan(gathered, ("add", "0.0")), &[reals(&values), int(2)]);
}

#[test]
fn costly_cells_that_both_phases_need_are_kept_between_loops() {
    let cell =
        "%7: f64 = index %1[%6]\n%8: f64 = exp %7\n%14: f64 = sin %8\n%9: f64 = mul %14, 0.5\n%13: f64 = add %14, 1.0";
    let text = scan(cell, ("max", "0.0"));
    let lowered = lowered(&text);
    assert!(is_in_phases(&text), "{lowered}");
    let is_exp = |part: &&&Expr| matches!(part, Expr::Unary { op: UnOp::EXP, .. });
    assert_eq!(support::exprs(&lowered).iter().filter(is_exp).count(), 1, "{lowered}");
    agrees(&text);
}

#[test]
fn an_operation_that_is_not_known_stays_in_order() {
    let text = scan(SQUARE, ("add", "0.0")).replace("%12: f64 = add %10, %11", LARGER);
    assert!(!is_in_phases(&text), "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn threads_fold_parts_by_an_operation_that_is_not_known() {
    let text = scan("%9: f64 = index %1[%6]\n%13: f64 = add %9, 1.0", ("add", "-9.0"));
    let text = text.replace("%12: f64 = add %10, %11", LARGER);
    let values: Vec<f64> = (0..270_000).map(|i| (i / 1000) as f64 - 20.0).collect();
    agree(&text, &[reals(&values), int(2)]);
}

#[test]
fn several_scans_share_their_phases() {
    let text = scan(SQUARE, ("add", "0.0")).replace(
        ": genarray, scan",
        ": scan (0.0) by (%20: f64, %21: f64) {\n%22: f64 = add %20, %21\nyield %22\n}, scan",
    );
    let lowered = lowered(&text);
    let scans =
        support::loops(&lowered).into_iter().filter(|data| matches!(data.kind, LoopKind::Scan { simd: true, .. }));
    assert_eq!(scans.map(|data| support::reductions(data).len()).collect::<Vec<_>>(), [2], "{lowered}");
    agrees(&text);
}
