//! Loops from an order of iterations.

use frit_isl::{
    AstBuild, AstExprKind, AstNode, AstNodeKind, AstOp, Context, MultiUnionPwAff, Result, Schedule, Set, UnionMap,
    UnionSet,
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
fn loops_have_the_names_that_are_given() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let together = build.node_from_schedule_map(&schedule)?;
    assert_eq!(loops(&together)?, [("S".to_string(), 1), ("T".to_string(), 1)]);
    let named = build.set_iterators(&["i"])?.node_from_schedule_map(&schedule)?;
    let AstNodeKind::For { iterator, init, increment, .. } = named.kind()? else { panic!("{named}") };
    assert_eq!([iterator, init, increment].map(|part| part.to_string()), ["i", "0", "1"]);
    Ok(())
}

/// Builds for any parameters.
fn anywhere(context: &Context) -> Result<AstBuild> {
    AstBuild::from_context(&Set::parse(context, "{ : }")?)
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
    assert!(partial.is_err() || anywhere(&context)?.node_from_schedule(&partial?).is_err());
    assert_eq!(loops(&anywhere(&context)?.node_from_schedule(&one)?)?.len(), 1);
    Ok(())
}

#[test]
fn loops_beyond_the_bound_on_work_are_an_error() -> Result<()> {
    let context = Context::new();
    let schedule = UnionMap::parse(&context, STENCIL)?;
    let build = build(&context)?;
    let error = context.bounded(100, || build.node_from_schedule_map(&schedule)).unwrap_err();
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
    let node = anywhere(&context)?.node_from_schedule_map(&schedule)?;
    let AstExprKind::Op(AstOp::Lt | AstOp::Le, operands) = condition(&node)? else { panic!("{node}") };
    let AstExprKind::Op(AstOp::Min, _) = operands[1].kind()? else { panic!("{node}") };
    context.set_ast_build_atomic_upper_bound(false)?;
    let node = anywhere(&context)?.node_from_schedule_map(&schedule)?;
    let AstExprKind::Op(AstOp::And | AstOp::AndThen, _) = condition(&node)? else { panic!("{node}") };
    Ok(())
}
