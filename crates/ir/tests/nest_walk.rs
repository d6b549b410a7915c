//! Walks over the loop IR meet every part of every statement once, and copies have loops and names
//! of their own.

use frit_ir::nest::parse::parse_program;
use frit_ir::nest::walk::{Mention, Names, Role};
use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::{BinOp, Scalar};
use frit_support::{Index, Span};
use std::collections::{BTreeMap, BTreeSet};

/// One statement of each kind but `output`, some in others.
fn all_kinds() -> Proc {
    let text = "proc @f(s0: i64, A0: f64[s0]) -> (A1) {
        var s1, s2, s3, s4: i64
        array A1: heap f64[s0]
        array A2: reference f64[s1]
        array A3: reference f64[s1]
        s1 = s0 + 1
        alloc A1
        bind A2 = A1 at s2
        L0: for s3 in 0..s1 independent parallel(s4) {
          if lt(0, s3) {
            A1[s3] = A0[s3 - 1]
          } else {
            check lt(s3, s1), out-of-bounds(s3, s1)
          }
          L1: for s4 in 0..2 {
            prefetch A1 at s4 count 1
          }
        }
        while { s2 = s2 + 1 } test lt(s2, 3) { swap A2, A3 }
        copy A1 at 0 from A0 at 0 count s0
        s4, A3 = call @f(s1, A2)
        release A2
      }
      proc @g() -> () {\n}\n";
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    program.procs.iter().next().expect("there is a procedure").1.clone()
}

fn var(at: usize) -> Var {
    Var::new(at)
}

#[test]
fn all_statements_are_met_outer_ones_first() {
    let proc = all_kinds();
    let mut kinds = String::new();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        let shown = format!("{stmt:?}");
        kinds += shown.split([' ', '(']).next().expect("a kind");
        kinds += " ";
    });
    assert_eq!(kinds, "Assign Alloc Bind For If Store Check For Prefetch While Assign Swap CopyElements Call Release ");
    assert!(proc.any_stmt(&proc.body, &mut |stmt| matches!(stmt, Stmt::Prefetch { .. })));
    assert!(!proc.any_stmt(&proc.body, &mut |stmt| matches!(stmt, Stmt::Effect { .. })));
    let mut loops = Vec::new();
    proc.for_each_loop(&proc.body, &mut |id, _| loops.push(id.at()));
    assert_eq!(loops, [0, 1]);
}

#[test]
fn all_expressions_and_names_are_met() {
    let proc = all_kinds();
    let reads = proc.count_reads(&proc.body);
    let reads: Vec<(usize, usize)> = reads.iter().map(|(var, count)| (var.at(), *count)).collect();
    // Extents count where arrays get memory, bounds and work where loops stand.
    assert_eq!(reads, [(0, 3), (1, 6), (2, 3), (3, 5), (4, 2)]);
    assert_eq!(proc.assigned_in(&proc.body), [1, 2, 3, 4].map(var).into());
    assert_eq!(proc.placed_in(&proc.body), [1, 2, 3].map(Array::new).into());
    let mut roles: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        stmt.for_each_array(&mut |array, role| _ = roles.entry(array.at()).or_default().insert(format!("{role:?}")));
    });
    let roles: Vec<String> = roles.into_values().map(|roles| roles.into_iter().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        roles,
        ["Read", "Allocated Filled Prefetched Shared Stored", "Bound Passed Released Swapped", "Bound Swapped"]
    );
}

#[test]
fn mentions_come_with_values_before_what_they_are_assigned_to() {
    let stmt = Stmt::assign(var(1), Expr::Var(var(2)));
    let mut order = Vec::new();
    stmt.for_each_mention(&mut |mention| {
        order.push(match mention {
            Mention::Expr(_) => "value",
            Mention::Assigned(_) => "variable",
            Mention::Array(..) => "array",
        });
    });
    assert_eq!(order, ["value", "variable"]);
    assert!(Role::Bound.places() && !Role::Stored.places());
}

#[test]
fn parts_are_met_and_rewritten_operations_first() {
    let load = Expr::Load { array: Array::new(0), index: vec![Expr::Var(var(1)) + Expr::i64(2)] };
    let e = Expr::select(Expr::Var(var(0)), load.clone(), Expr::unary(frit_ir::UnOp::Neg, Expr::Var(var(1))));
    let mut met = Vec::new();
    e.for_each_part(&mut |part| met.push(part.to_string()));
    assert_eq!(met, ["select(s0, A0[s1 + 2], neg(s1))", "s0", "A0[s1 + 2]", "s1 + 2", "s1", "2", "neg(s1)", "s1"]);
    assert_eq!((e.size(), e.variables()), (8, [0, 1].map(var).into()));
    assert!(e.reads(var(1)) && !e.reads(var(2)) && e.has_load());
    let mut asked = 0;
    assert!(e.any_part(&mut |part| {
        asked += 1;
        matches!(part, Expr::Load { .. })
    }));
    assert_eq!(asked, 3);
    // What is put in the place of a part is not looked at again.
    let other = e.rewritten(|part| matches!(part, Expr::Load { .. }).then(|| Expr::Var(var(1))));
    assert_eq!(other.renamed(&Names::from([(var(1), load)])).to_string(), "select(s0, A0[s1 + 2], neg(A0[s1 + 2]))");
}

#[test]
fn copies_have_loops_and_names_of_their_own() {
    let mut proc = all_kinds();
    let nest = proc.body[3].clone();
    let names = proc.fresh_names(proc.assigned_in(std::slice::from_ref(&nest)));
    assert_eq!(names.keys().map(|var| var.at()).collect::<Vec<_>>(), [3, 4]);
    let copy = proc.copied(std::slice::from_ref(&nest), &names);
    let [Stmt::For(id)] = copy[..] else { panic!("a loop was copied") };
    // The inner loop is there first, with its own variable; so is that of the outer one.
    assert_eq!((id.at(), proc.loops[id].var), (3, Some(var(5))));
    assert_eq!(proc.assigned_in(&copy), [5, 6].map(var).into());
    assert!(!proc.count_reads(&copy).contains_key(&var(3)));
    // The original is as it was.
    assert_eq!(proc.assigned_in(std::slice::from_ref(&nest)), [3, 4].map(var).into());
}

#[test]
fn statements_are_removed_and_changed_at_any_depth() {
    let mut proc = all_kinds();
    let mut body = std::mem::take(&mut proc.body);
    proc.retain_stmts(&mut body, &mut |stmt| !matches!(stmt, Stmt::Prefetch { .. } | Stmt::Swap { .. }));
    assert!(!proc.any_stmt(&body, &mut |stmt| matches!(stmt, Stmt::Prefetch { .. } | Stmt::Swap { .. })));
    proc.rename_stmts(&mut body, &Names::from([(var(3), var(4).into()), (var(2), Expr::i64(7))]));
    let reads = proc.count_reads(&body);
    assert!(!reads.contains_key(&var(3)) && !reads.contains_key(&var(2)));
    // What is assigned can only be renamed to a variable.
    assert_eq!(proc.assigned_in(&body), [1, 2, 4].map(var).into());
}

#[test]
fn a_loop_that_is_not_there_has_no_blocks() {
    let mut proc = all_kinds();
    let lost = proc.body[3].clone();
    proc.loops.truncate(0);
    assert_eq!(lost.blocks(&proc).count(), 0);
    assert_eq!(proc.assigned_in(&[lost]), BTreeSet::new());
}

#[test]
fn constructors_make_what_passes_write() {
    let mut proc = Proc::new("f", Span::NONE);
    let i = proc.index();
    let other = proc.var_like(i);
    assert_eq!((proc.vars[other].scalar, i == other), (Scalar::I64, false));
    let upper = Expr::Var(other).min(Expr::i64(9)).max(Expr::i64(0));
    assert_eq!(upper.to_string(), "max(min(s1, 9), 0)");
    let data = LoopData { var: Some(i), upper, step: 1, kind: LoopKind::independent(true), ..LoopData::default() };
    let header = LoopData { body: vec![Stmt::assign(other, i.into())], ..data }.header();
    assert!(header.body.is_empty() && header.var == Some(i));
    let Stmt::For(id) = proc.add_loop(header) else { panic!("a loop is a statement") };
    assert!(matches!(&proc.loops[id].kind, LoopKind::Independent { parallel: None, simd: true, .. }));
    let less = |x: Var| Expr::binary(BinOp::LT, x.into(), Expr::i64(1));
    assert_eq!(less(i).and(less(other)).to_string(), "and(lt(s0, 1), lt(s1, 1))");
}
