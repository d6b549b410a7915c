//! Recomputation: which arrays go, why others stay, and that every value is computed from the values that it was computed from.

use crate::common;

use common::notation::scop;
use common::simulate::{Instance, Storage, hash, run_from, run_source};
use frit_scop::expand::expand;
use frit_scop::model::{AccessKind, Use};
use frit_scop::program::{BinOp, Expr};
use frit_scop::recompute::{Evaluation, Operand, Recomputed, Text, When, recompute};
use frit_scop::tree::FusedTree;
use frit_scop::{Array, Scop, Statement};
use frit_support::Index;
use std::collections::BTreeSet;

/// Statements are assignments, except those of which the name of an array that they write begins with `no_`; reads of arrays whose names begin
/// with `held_` are no operands.
struct Texts<'a>(&'a Scop);

impl Text for Texts<'_> {
    fn operations(&self, statement: Statement) -> Option<u64> {
        let data = &self.0.statements[statement];
        let mut writes = data.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let is_assignment = writes.all(|access| !self.0.arrays[access.array].name.starts_with("no_"));
        let reads = data.accesses.iter().filter(|access| access.kind == AccessKind::Read).count() as u64;
        is_assignment.then_some(reads.saturating_sub(1))
    }

    fn is_operand(&self, read: Use) -> bool {
        !self.0.arrays[self.0.access(read).array].name.starts_with("held_")
    }
}

fn temporaries(scop: &Scop) -> BTreeSet<Array> {
    scop.arrays.iter().filter(|(_, data)| !data.is_live_in && !data.is_live_out).map(|(array, _)| array).collect()
}

fn eval(expr: &Expr, variables: &[i64], params: &[i64]) -> i64 {
    let eval = |expr: &Expr| eval(expr, variables, params);
    match expr {
        Expr::Int(value) => *value,
        Expr::Param(param) => params[param.at()],
        Expr::Iterator(iterator) => variables[iterator.at()],
        Expr::Neg(operand) => -eval(operand),
        Expr::Binary(BinOp::Add, one, other) => eval(one) + eval(other),
        Expr::Binary(BinOp::Sub, one, other) => eval(one) - eval(other),
        Expr::Binary(BinOp::Mul, one, other) => eval(one) * eval(other),
        _ => panic!("{expr} is not affine"),
    }
}

fn instance(of: &Evaluation, variables: &[i64], params: &[i64]) -> Instance {
    (of.statement, of.iterators.iter().map(|iterator| eval(iterator, variables, params)).collect())
}

/// The access of the source that an access stems from.
fn origin(of: &Evaluation, at: usize, variables: &[i64], params: &[i64]) -> Option<(Instance, usize)> {
    of.operands.iter().enumerate().find_map(|(position, operand)| match operand {
        Operand::Access(found) => (*found == at).then(|| (instance(of, variables, params), position)),
        Operand::Value(value) => origin(value, at, variables, params),
        Operand::Result => None,
    })
}

/// Every evaluation has the operands that the statement had in the source.
fn check(source: &Scop, changed: &Recomputed, params: &[i64]) {
    let before = run_source(source, params);
    let of = |instance: &Instance, at: usize| {
        origin(&changed.statements[instance.0], at, &instance.1, params).expect("every access stems from the source")
    };
    let storage = Storage::kept(&changed.scop);
    let after = run_from(&changed.scop, &FusedTree::original(&changed.scop), &storage, params, &of);
    for ran in &after.order {
        for evaluation in changed.statements[ran.0].all() {
            let was = instance(evaluation, &ran.1, params);
            let reads = before.reads.get(&was).unwrap_or_else(|| panic!("{was:?} did not run in the source"));
            for (position, operand) in evaluation.operands.iter().enumerate() {
                let found = match operand {
                    Operand::Access(at) => after.reads[ran][*at],
                    Operand::Value(value) => {
                        let write = value.operands.iter().position(|operand| matches!(operand, Operand::Result));
                        Some(hash(&(instance(value, &ran.1, params), write.expect("a value is a result"))))
                    }
                    Operand::Result => continue,
                };
                let is_same = reads[position].is_none() || reads[position] == found;
                assert!(is_same, "{was:?} in {ran:?}: access {position} reads another value at {params:?}");
            }
        }
    }
    assert_eq!(before.left, after.left, "at {params:?}");
}

/// The region of a text after recomputation, which computes the same.
fn recomputed(text: &str, when: When) -> Recomputed {
    let source = scop(text);
    let found = recompute(&source, &temporaries(&source), when, None, &Texts(&source)).unwrap();
    for size in [1, 2, 5, 8] {
        check(&source, &found, &vec![size; source.params.len()]);
    }
    found
}

/// What became of each array, in order: how often its elements are computed, or why it stays.
fn outcomes(found: &Recomputed) -> String {
    let outcomes = found.arrays.iter().map(|(array, outcome)| {
        let outcome = match outcome {
            Ok(inlined) => inlined.times.map_or("many".to_string(), |times| times.to_string()),
            Err(refusal) => refusal.code().to_string(),
        };
        format!("{}: {outcome}", found.scop.arrays[*array].name)
    });
    outcomes.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check_outcome(text: &str, expected: &str) {
    assert_eq!(outcomes(&recomputed(text, When::Legal)), expected);
}

#[track_caller]
fn check_cheaper(text: &str, expected: &str) {
    assert_eq!(outcomes(&recomputed(text, When::Cheaper)), expected);
}

const BLUR: &str = "
    params n
    array A[n] in
    array B[n] temp
    array C[n] temp
    array D[n] out
    for i in 1..n-1 { B[i] = A[i - 1], A[i], A[i + 1] }
    for i in 2..n-2 { C[i] = B[i - 1], B[i], B[i + 1] }
    for i in 3..n-3 { D[i] = C[i - 1], C[i], C[i + 1] }";

#[test]
fn a_chain_is_evaluated_in_its_last_statement() {
    let found = recomputed(BLUR, When::Legal);
    assert_eq!(outcomes(&found), "B: 9, C: 3");
    assert_eq!(found.scop.statements.len(), 1);
    let statement = Statement::new(0);
    assert_eq!(found.scop.statements[statement].accesses.len(), 28);
    assert_eq!(found.statements[statement].all().len(), 13);
}

#[test]
fn at_most_as_many_arrays_go_as_asked_for() {
    let source = scop(BLUR);
    let found = recompute(&source, &temporaries(&source), When::Legal, Some(1), &Texts(&source)).unwrap();
    assert_eq!(outcomes(&found), "B: 3");
    assert_eq!(found.scop.statements.len(), 2);
}

#[test]
fn an_element_that_is_read_in_every_iteration_is_computed_in_each() {
    check_outcome(
        "params n m
        array A[n] in
        array B[n] temp
        array C[m][n] out
        for i in 0..n {
            B[i] = A[i]
        }
        for j in 0..m {
            for i in 0..n {
                C[j][i] = B[n - 1 - i]
            }
        }",
        "B: many",
    );
}

#[test]
fn a_small_loop_round_the_reads_counts_once_for_each_iteration() {
    check_outcome(
        "params n
        array A[n] in
        array B[n] temp
        array C[n] inout
        for i in 0..n {
            B[i] = A[i], A[i]
        }
        for i in 0..n-3 {
            for k in 0..3 {
                C[i] += B[i + k]
            }
        }",
        "B: 3",
    );
}

#[test]
fn operands_that_are_overwritten_in_between_keep_an_array() {
    check_outcome(
        "params n
        array A[n] inout
        array B[n] temp
        for i in 0..n {
            B[i] = A[i]
        }
        for i in 0..n {
            A[i] = A[i], B[n - 1 - i]
        }",
        "B: operand-overwritten",
    );
}

#[test]
fn an_operand_that_is_overwritten_by_the_reader_itself_is_read_before() {
    check_outcome(
        "params n
        array A[n] inout
        array B[n] temp
        for i in 0..n {
            B[i] = A[i], A[i]
        }
        for i in 0..n {
            A[i] = B[i]
        }",
        "B: 1",
    );
}

#[test]
fn a_statement_of_several_parts_may_overwrite_operands_between_them() {
    check_outcome(
        "params n
        array A[n] inout
        array no_C[n] out
        array B[n] temp
        for i in 0..n {
            B[i] = A[i], A[i]
        }
        for i in 0..n {
            A[i], no_C[i] = B[i]
        }",
        "B: operand-overwritten",
    );
}

#[test]
fn an_operand_that_the_region_computes_before_is_read_where_it_is_needed() {
    check_outcome(
        "params n
        array A[n] in
        array X[n] out
        array B[n] temp
        array C[n] out
        for i in 0..n {
            X[i] = A[i]
        }
        for i in 0..n {
            B[i] = X[i], A[i]
        }
        for i in 1..n {
            C[i] = B[i - 1], B[i]
        }",
        "B: 2",
    );
}

#[test]
fn every_condition_of_recomputation_has_its_code() {
    let region = |code: &str| {
        format!(
            "params n m
            array A[n] in
            array I[n][n] in
            array B[n] temp
            array no_B[n] temp
            array held_B[n] temp
            array X[2*n] temp
            array C[n] out
            array E[2*n] out
            {code}"
        )
    };
    let cases = [
        (
            "for i in 0..n {\nB[i] = A[i]\n}\nfor i in 0..n {\nB[i] = B[i]\n}\nfor i in 0..n {\nC[i] = B[i]\n}",
            "several-writers",
        ),
        ("for i in 0..n {\nmaybe B[i] = A[i]\n}\nfor i in 0..n {\nC[i] = B[i]\n}", "several-writers"),
        ("for i in 0..n {\nno_B[i] = A[i]\n}\nfor i in 0..n {\nC[i] = no_B[i]\n}", "not-an-expression"),
        ("for i in 0..n {\nopaque B[i] = A[i]\n}\nfor i in 0..n {\nC[i] = B[i]\n}", "not-an-expression"),
        ("for i in 0..n {\nheld_B[i] = A[i]\n}\nfor i in 0..n {\nC[i] = held_B[i]\n}", "not-an-operand"),
        ("for i in 0..n {\nB[i] = A[i]\n}\nfor i in 0..n {\nC[i] = B[?]\n}", "not-an-operand"),
        ("for i in 0..n {\nB[i] = A[i]\n}\nfor i in 0..n {\nopaque C[i] = B[i]\n}", "not-an-operand"),
        ("for i in 1..n {\nB[i] = B[i - 1], A[i]\n}\nfor i in 1..n {\nC[i] = B[i]\n}", "self-reading"),
        ("for i in 1..n {\nB[i] = A[i]\n}\nfor i in 0..n {\nC[i] = B[i]\n}", "perhaps-unwritten"),
        ("for i in 0..n {\nB[i] = A[i]\n}\nfor i in 0..n {\nC[i] = B[i], B[i]\n}", "2"),
        (
            "for j in 0..n {\nfor i in 0..n {\nX[i + j] = I[i][j]\n}\n}\nfor i in 0..2*n-1 {\nE[i] = X[i]\n}",
            "non-invertible-write",
        ),
        (
            "for i in 0..n {\nB[i] = A[i], A[i]\n}\nfor i in 0..n {\nC[i] = B[i], B[i], B[i], B[i], B[i], B[i], B[i], B[i], B[i]\n}",
            "9",
        ),
    ];
    for (code, expected) in cases {
        let found = recomputed(&region(code), When::Legal);
        let outcome = outcomes(&found);
        assert_eq!(outcome.rsplit(": ").next(), Some(expected), "{code}\n{outcome}");
    }
}

#[test]
fn statements_do_not_evaluate_more_than_a_bounded_number_of_others() {
    let reads = |name: &str| vec![format!("{name}[i]"); 9].join(", ");
    let text = format!(
        "params n
        array A[n] in
        array B[n] temp
        array C[n] temp
        array D[n] temp
        array E[n] out
        for i in 0..n {{
            B[i] = A[i], A[i]
        }}
        for i in 0..n {{
            C[i] = {}
        }}
        for i in 0..n {{
            D[i] = {}
        }}
        for i in 0..n {{
            E[i] = {}
        }}",
        reads("B"),
        reads("C"),
        reads("D")
    );
    check_outcome(&text, "B: 9, C: too-many-evaluations, D: 9");
}

#[test]
fn what_one_iteration_keeps_to_itself_is_computed_with_it() {
    let source = scop(
        "params n
        array A[n] in
        array s temp
        array B[n] temp
        array C[n] out
        for i in 0..n {
            s = A[i], A[i]
            B[i] = s, s
        }
        for i in 1..n {
            C[i] = B[i - 1], B[i]
        }",
    );
    let expanded = expand(&source).unwrap();
    let of_name = |name: &str| expanded.arrays.iter().find(|(_, data)| data.name == name).unwrap().0;
    let found = recompute(&expanded, &[of_name("B")].into(), When::Legal, None, &Texts(&expanded)).unwrap();
    assert_eq!(outcomes(&found), "B: 2");
    assert_eq!(found.scop.statements.len(), 1);
    for size in [1, 2, 5] {
        check(&expanded, &found, &[size]);
    }
    // Without expansion, every iteration overwrites what the others had.
    let found = recompute(&source, &[of_name("B")].into(), When::Legal, None, &Texts(&source)).unwrap();
    assert_eq!(outcomes(&found), "B: operand-overwritten");
}

#[test]
fn what_one_iteration_sums_up_is_not_computed_elsewhere() {
    let source = scop(
        "params n m
        array A[n][m] in
        array s temp
        array B[n] temp
        array C[n] out
        for i in 0..n {
            s = A[i][0]
            for j in 0..m {
                s += A[i][j]
            }
            B[i] = s
        }
        for i in 1..n {
            C[i] = B[i - 1], B[i]
        }",
    );
    let expanded = expand(&source).unwrap();
    let of_name = |name: &str| expanded.arrays.iter().find(|(_, data)| data.name == name).unwrap().0;
    let found = recompute(&expanded, &[of_name("B")].into(), When::Legal, None, &Texts(&expanded)).unwrap();
    assert_eq!(outcomes(&found), "B: several-writers");
}

#[test]
fn copies_and_single_operations_are_cheaper_than_an_array() {
    let region = |write: &str, read: &str| {
        format!(
            "params n
            array A[n] in
            array M[n][n] in
            array B[n] temp
            array T[n][n] temp
            array C[n] out
            array D[n][n] out
            for i in 0..n {{
                {write}
            }}
            for i in 0..n {{
                {read}
            }}"
        )
    };
    // A load is what reading the array costs as well.
    check_cheaper(&region("B[i] = A[i]", "C[i] = B[i], B[n - 1 - i]"), "B: 2");
    // Two loads and an operation are too much to be repeated three times.
    check_cheaper(&region("B[i] = A[i], A[n - 1 - i]", "C[i] = B[i]"), "B: not-cheaper");
    check_cheaper(&region("B[i] = A[i], A[i]", "C[i] = B[n - 1 - i], B[i]"), "B: 2");
    check_cheaper(&region("B[i] = A[i], A[i]", "C[i] = B[n - 1 - i], B[i], B[i]"), "B: not-cheaper");
    // Read once is computed once.
    check_cheaper(&region("B[i] = A[i], A[i], A[i], A[i]", "C[i] = B[n - 1 - i]"), "B: 1");
    // A column of the operand is slower than a row of the array.
    check_cheaper(
        &region("for j in 0..n {\nT[i][j] = M[j][i]\n}", "for j in 0..n {\nD[i][j] = T[i][j]\n}"),
        "T: not-cheaper",
    );
    check_cheaper(
        &region("for j in 0..n {\nT[i][j] = M[i][j]\n}", "for j in 0..n {\nD[j][i] = T[i][j], T[j][i]\n}"),
        "T: 2",
    );
    check_cheaper(&region("for j in 0..n {\nT[i][j] = A[j]\n}", "for j in 0..n {\nD[j][i] = T[i][j]\n}"), "T: 1");
}
