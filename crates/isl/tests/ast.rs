//! Loops from an order of iterations.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use frit_isl::{
    AstBuild, AstExprKind, AstNode, AstNodeKind, AstOp, Context, Dim, Error, Id, MultiUnionPwAff, PwMultiAff, Result,
    Schedule, Set, UnionMap, UnionSet,
};

/// The statements of a tree in the order of the text, each with the number of loops around it.
fn statements(node: &AstNode, depth: usize, found: &mut Vec<(String, usize)>) -> Result<()> {
    match node.kind()? {
        AstNodeKind::For { body, degenerate, .. } => statements(&body, depth + usize::from(!degenerate), found),
        AstNodeKind::If { then, otherwise, .. } => {
            statements(&then, depth, found)?;
            otherwise.iter().try_for_each(|node| statements(node, depth, found))
        }
        AstNodeKind::Block(nodes) => nodes.iter().try_for_each(|node| statements(node, depth, found)),
        AstNodeKind::Mark(_, node) => statements(&node, depth, found),
        AstNodeKind::User(call) => {
            let AstExprKind::Op(AstOp::Call, operands) = call.kind()? else { panic!("{call}") };
            found.push((operands[0].to_string(), depth));
            Ok(())
        }
    }
}

fn loops(node: &AstNode) -> Result<Vec<(String, usize)>> {
    let mut found = Vec::new();
    statements(node, 0, &mut found)?;
    Ok(found)
}

const STENCIL: &str = "[n] -> { S[i] -> [i, 0] : 0 <= i < n; T[i] -> [i + 2, 1] : 0 <= i < n }";

fn build(context: &Context) -> Result<AstBuild> {
    AstBuild::from_context(&Set::parse(context, "[n] -> { : n >= 10 }")?)
}

#[test]
fn separation_makes_a_loop_for_each_set_of_statements() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let together = build.node_from_schedule_map(&schedule)?;
    assert_eq!(loops(&together)?, [("S".to_string(), 1), ("T".to_string(), 1)]);

    let separated = build.set_options(&UnionMap::parse(&context, "{ [i, j] -> separate[0] }")?)?;
    let separated = separated.set_iterators(&["i"])?.node_from_schedule_map(&schedule)?;
    let expected = ["S", "S", "T", "T"].map(|name| (name.to_string(), 1));
    assert_eq!(loops(&separated)?, expected);
    let AstNodeKind::Block(parts) = separated.kind()? else { panic!("{separated}") };
    let AstNodeKind::For { iterator, init, increment, .. } = parts[1].kind()? else { panic!("{separated}") };
    assert_eq!([iterator, init, increment].map(|part| part.to_c().unwrap()), ["i", "2", "1"]);
    Ok(())
}

/// A loop over a set of iterations, and statements in it, one after another.
fn tree(context: &Context, domains: &[&str], times: &str) -> Result<Schedule> {
    let mut all: Option<Schedule> = None;
    for domain in domains {
        let next = Schedule::from_domain(&UnionSet::parse(context, domain)?)?;
        all = Some(all.map_or(Ok(next.clone()), |all| all.sequence(&next))?);
    }
    let times = MultiUnionPwAff::from_union_map(&UnionMap::parse(context, times)?)?;
    all.expect("there is a domain").insert_partial_schedule(&times)
}

#[test]
fn a_tree_of_orders_is_a_loop_round_a_sequence() -> Result<()> {
    let context = Context::new();
    let domains = ["[n] -> { S[i] : 0 <= i < n }", "[n] -> { T[i] : 0 <= i < n }"];
    let order = tree(&context, &domains, "{ S[i] -> [i]; T[i] -> [i + 2] }")?;
    let together = build(&context)?.node_from_schedule(&order)?;
    assert_eq!(loops(&together)?, [("S".to_string(), 1), ("T".to_string(), 1)]);

    // Times with a gap between them.
    let domains = ["[n] -> { S[i] : 0 <= i < n or 2n <= i < 3n }"];
    let order = tree(&context, &domains, "{ S[i] -> [i] }")?;
    let cut = build(&context)?.node_from_schedule(&order)?;
    let parts = |node: &AstNode| -> Result<usize> {
        Ok(if let AstNodeKind::Block(parts) = node.kind()? { parts.len() } else { 1 })
    };
    assert_eq!(parts(&cut)?, 2, "{cut}");
    let whole = UnionSet::parse(&context, "{ atomic[0] }")?;
    let order = order.get_root()?.first_child()?.band_set_ast_build_options(&whole)?.get_schedule()?;
    let whole = build(&context)?.node_from_schedule(&order)?;
    assert_eq!(parts(&whole)?, 1, "{whole}");
    Ok(())
}

#[test]
fn orders_that_fit_nothing_are_errors() -> Result<()> {
    let context = Context::new();
    let one = Schedule::from_domain(&UnionSet::parse(&context, "{ S[i] : 0 <= i < 9 }")?)?;
    assert!(one.sequence(&one).is_err(), "the same iterations");
    assert!(MultiUnionPwAff::from_union_map(&UnionMap::parse(&context, "{ S[i] -> [j] : 0 <= j < 2 }")?).is_err());
    assert!(MultiUnionPwAff::from_union_map(&UnionMap::parse(&context, "{ S[i] -> [i]; T[i] -> [i, i] }")?).is_err());
    // What is no function of iterations takes no options.
    let options = UnionSet::parse(&context, "{ atomic[0] }")?;
    assert!(one.get_root()?.band_set_ast_build_options(&options).is_err());
    assert!(one.get_root()?.first_child()?.band_set_ast_build_options(&options).is_err());
    // Functions that say nothing of some iterations.
    let partial = MultiUnionPwAff::from_union_map(&UnionMap::parse(&context, "{ T[i] -> [i] }")?)?;
    let partial = one.insert_partial_schedule(&partial);
    assert!(partial.is_err() || AstBuild::new(&context)?.node_from_schedule(&partial?).is_err());
    assert_eq!(loops(&AstBuild::new(&context)?.node_from_schedule(&one)?)?.len(), 1);
    Ok(())
}

#[test]
fn a_build_gives_the_iterators_of_a_statement_in_terms_of_the_loops() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?.set_iterators(&["t"])?;
    let found = RefCell::new(Vec::new());
    let tree = build.node_from_schedule_map_with(&schedule, |build, node| {
        let inverse = PwMultiAff::from_map(&build.get_schedule()?.as_map()?.reverse()?)?;
        let iterator = build.expr_from_pw_aff(&inverse.get_at(0)?)?;
        let access = build.access_from_pw_multi_aff(&inverse)?;
        let name = Id::new(build.context(), &format!("statement {}", found.borrow().len()))?;
        found.borrow_mut().push((iterator.to_c()?, access.to_c()?));
        node.set_annotation(&name)
    })?;
    let found = found.into_inner();
    assert_eq!(found, [("t".to_string(), "S[t]".to_string()), ("t - 2".to_string(), "T[t - 2]".to_string())]);
    assert_eq!(loops(&tree)?.len(), found.len());
    // The build is as it was: it calls nothing.
    build.node_from_schedule_map(&schedule)?;
    Ok(())
}

#[test]
fn loops_are_visited_after_what_is_in_them() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, "[n] -> { S[i, j] -> [i, j] : 0 <= i, j < n }")?;
    let mut visited = Vec::new();
    let node = build(&context)?.node_from_schedule_map_with_loops(&schedule, |build, node| {
        let known = build.get_schedule_space()?.dim(Dim::Set)?;
        visited.push((matches!(node.kind()?, AstNodeKind::For { .. }), known));
        if known == 1 { node.set_annotation(&Id::new(build.context(), "outermost")?) } else { Ok(node) }
    })?;
    assert_eq!(visited, [(false, 2), (true, 2), (true, 1)]);
    assert_eq!(node.get_annotation()?.get_name()?.as_deref(), Some("outermost"));
    Ok(())
}

#[test]
fn an_error_at_a_statement_is_the_result_and_the_context_works_on() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let mut calls = 0;
    let error: Error = build
        .node_from_schedule_map_with(&schedule, |build, node| {
            calls += 1;
            // One that does not fit here.
            build.expr_from_set(&Set::parse(build.context(), "{ A[i, j, k] }")?)?;
            Ok(node)
        })
        .unwrap_err();
    assert!(!error.is_quota());
    assert_eq!(calls, 1);
    assert_eq!(loops(&build.node_from_schedule_map(&schedule)?)?.len(), 2);
    Ok(())
}

#[test]
fn a_panic_at_a_statement_passes_and_the_context_works_on() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let run = || build.node_from_schedule_map_with(&schedule, |_, _| panic!("at a statement"));
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"at a statement"));
    assert_eq!(loops(&build.node_from_schedule_map(&schedule)?)?.len(), 2);
    Ok(())
}

#[test]
fn a_build_that_is_kept_calls_nothing_later() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, "{ S[i] -> [i] : 0 <= i < 10 }")?;
    let mut kept = None;
    let mut calls = 0;
    AstBuild::new(&context)?.node_from_schedule_map_with(&schedule, |build, node| {
        calls += 1;
        kept = Some(build.clone());
        Ok(node)
    })?;
    let kept = kept.expect("called once");
    // What that yields does not matter here.
    let _ = kept.node_from_schedule_map(&schedule);
    assert_eq!(calls, 1);
    Ok(())
}

#[test]
fn loops_beyond_the_bound_on_work_are_an_error() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let error = context.bounded(100, || build.node_from_schedule_map_with(&schedule, |_, node| Ok(node))).unwrap_err();
    assert!(error.is_quota(), "{error}");
    assert_eq!(loops(&build.node_from_schedule_map(&schedule)?)?.len(), 2);
    Ok(())
}

#[test]
fn options_of_the_context_change_the_loops() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, "[n, m] -> { S[i] -> [i] : 0 <= i < n and i < m }")?;
    let condition = |node: &AstNode| match node.kind()? {
        AstNodeKind::For { condition, .. } => condition.kind(),
        other => panic!("{other:?}"),
    };
    context.set_ast_build_atomic_upper_bound(true)?;
    let node = AstBuild::new(&context)?.node_from_schedule_map(&schedule)?;
    let AstExprKind::Op(AstOp::Lt | AstOp::Le, operands) = condition(&node)? else { panic!("{node}") };
    let AstExprKind::Op(AstOp::Min, _) = operands[1].kind()? else { panic!("{node}") };
    context.set_ast_build_atomic_upper_bound(false)?;
    let node = AstBuild::new(&context)?.node_from_schedule_map(&schedule)?;
    let AstExprKind::Op(AstOp::And | AstOp::AndThen, _) = condition(&node)? else { panic!("{node}") };
    Ok(())
}
