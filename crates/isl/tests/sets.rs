//! Sets, relations and functions: the binding says what isl says, and errors are results.

use frit_isl::{Constraint, Context, Dim, ErrorKind, Map, PwAff, Result, Set, UnionMap, Val};

#[test]
fn operations_on_sets_are_those_of_isl() -> Result<()> {
    let context = Context::new();
    let low = Set::parse(&context, "{ S[i] : 0 <= i < 10 }")?;
    let high = Set::parse(&context, "{ S[i] : 5 <= i < 20 }")?;
    assert!(low.union(&high)?.is_equal(&Set::parse(&context, "{ S[i] : 0 <= i < 20 }")?)?);
    assert!(low.intersect(&high)?.is_equal(&Set::parse(&context, "{ S[i] : 5 <= i < 10 }")?)?);
    assert!(low.subtract(&high)?.is_subset(&low)?);
    assert!(!low.is_disjoint(&high)?);
    assert_eq!(low.union(&high)?.coalesce()?.basic_sets()?.len(), 1);
    assert_eq!(low.points()?.len(), 10);
    assert_eq!(low.dim(Dim::Set)?, 1);
    assert_eq!(low.find_dim_by_name(Dim::Set, "i")?, Some(0));
    assert_eq!(low.find_dim_by_name(Dim::Set, "j")?, None);
    assert_eq!(low.to_string(), "{ S[i] : 0 <= i <= 9 }");
    Ok(())
}

#[test]
fn the_greatest_value_of_a_dimension_depends_on_parameters() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[n, m] -> { [i] : 0 <= i < n and i < m }")?;
    let greatest = set.dim_max(0)?;
    let expected = PwAff::parse(&context, "[n, m] -> { [n - 1] : 0 < n <= m; [m - 1] : 0 < m < n }")?;
    assert!(greatest.gt_set(&expected)?.is_empty()? && expected.gt_set(&greatest)?.is_empty()?);
    assert!(greatest.domain()?.is_equal(&expected.domain()?)?);
    let mut pieces = Vec::new();
    for (domain, aff) in greatest.pieces()? {
        assert!(!domain.is_empty()?);
        let coefficients =
            (0..2).map(|pos| aff.get_coefficient_val(Dim::Param, pos)?.to_i64()).collect::<Result<Vec<_>>>()?;
        assert_eq!(aff.get_constant_val()?.to_i64()?, -1);
        pieces.push(coefficients);
    }
    pieces.sort();
    assert_eq!(pieces, [[0, 1], [1, 0]]);
    Ok(())
}

#[test]
fn divisions_of_a_function_are_dimensions_with_a_denominator() -> Result<()> {
    let context = Context::new();
    let (_, half) = &PwAff::parse(&context, "[n] -> { [floor((n + 1) / 2)] }")?.pieces()?[0];
    assert_eq!(half.dim(Dim::Div)?, 1);
    assert_eq!(half.get_coefficient_val(Dim::Div, 0)?.to_i64()?, 1);
    let inner = half.get_div(0)?;
    assert_eq!(inner.get_denominator_val()?.to_i64()?, 2);
    assert_eq!(inner.get_constant_val()?.to_string(), "1/2");
    Ok(())
}

#[test]
fn relations_compose_and_compare() -> Result<()> {
    let context = Context::new();
    let next = Map::parse(&context, "{ [i] -> [i + 1] }")?;
    let twice = next.apply_range(&next)?;
    assert!(twice.is_equal(&Map::parse(&context, "{ [i] -> [i + 2] }")?)?);
    assert!(next.is_single_valued()? && next.is_injective()?);
    assert!(next.reverse()?.apply_range(&next)?.is_equal(&Map::identity(&next.get_space()?)?)?);
    assert_eq!(next.deltas()?.to_string(), "{ [i = 1] }");
    let order = "{ [i] -> [j] : j <= i }";
    assert!(
        Map::identity(&next.get_space()?)?
            .lex_ge_map(&Map::parse(&context, "{ [i] -> [i] }")?)?
            .is_equal(&Map::parse(&context, order)?)?
    );
    Ok(())
}

#[test]
fn unions_hold_one_relation_for_each_pair_of_spaces() -> Result<()> {
    let context = Context::new();
    let accesses = UnionMap::parse(&context, "[n] -> { S[i] -> A[i] : 0 <= i < n; S[i] -> A[i + 1]; T[i] -> A[i] }")?;
    assert_eq!(accesses.maps()?.len(), 2);
    let of_s = accesses
        .maps()?
        .into_iter()
        .find(|map| map.get_tuple_name(Dim::In).is_ok_and(|name| name.as_deref() == Some("S")));
    let of_s = of_s.expect("a relation of S");
    assert_eq!(of_s.basic_maps()?.len(), 2);
    assert!(Map::from_union_map(&UnionMap::from_map(&of_s)?)?.is_equal(&of_s)?);
    assert!(Map::from_union_map(&accesses).is_err());
    Ok(())
}

#[test]
fn names_and_bounds_are_put_on_dimensions() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[k] -> { [a, b] }")?.set_dim_name(Dim::Param, 0, "n")?.set_tuple_name("S")?;
    let set = set.lower_bound_si(Dim::Set, 0, 0)?.fix_si(Dim::Set, 1, 3)?;
    assert!(set.is_equal(&Set::parse(&context, "[n] -> { S[i, 3] : i >= 0 }")?)?);
    assert!(!set.basic_sets()?[0].is_bounded()?);
    let seven = set.fix_val(Dim::Set, 0, &Val::int_from_si(&context, 7)?)?;
    assert_eq!(seven.dim_max_val(0)?.to_i64()?, 7);
    Ok(())
}

#[test]
fn a_text_without_meaning_is_an_error_and_the_context_works_on() -> Result<()> {
    let context = Context::new();
    for text in ["{ S[i : i > 0 }", "", "no set", "{ S[i] -> T[i] }", "{ [i] : i * i > 0 }", "a\0b"] {
        assert!(Set::parse(&context, text).is_err(), "{text}");
    }
    assert!(!Set::parse(&context, "{ S[i] }")?.is_empty()?);
    Ok(())
}

#[test]
fn operands_that_do_not_fit_are_errors() -> Result<()> {
    let context = Context::new();
    let (line, plane) = (Set::parse(&context, "{ [i] }")?, Set::parse(&context, "{ [i, j] }")?);
    assert!(line.union(&plane).is_err());
    let error = line.dim_max(usize::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(line.set_dim_name(Dim::Set, 5, "i").is_err());
    assert!(line.set_dim_name(Dim::Set, 0, "a\0b").is_err());
    let elsewhere = Set::parse(&Context::new(), "{ [i] }")?;
    assert_eq!(line.union(&elsewhere).unwrap_err().message(), "operands of different contexts");
    assert!(line.is_equal(&line.union(&line)?)?);
    Ok(())
}

#[test]
fn a_context_lives_as_long_as_its_objects() -> Result<()> {
    let set = Set::parse(&Context::new(), "{ [i] : 0 <= i < 3 }")?;
    let copy = set.clone();
    drop(set);
    assert_eq!(copy.points()?.len(), 3);
    Ok(())
}

#[test]
fn work_beyond_the_bound_is_an_error_and_the_context_works_on() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(
        &context,
        "[n] -> { [i, j, k] : 0 <= i < n and i <= j < 2n and (exists a : 3a = i + j) and k < j }",
    )?;
    let error = context.bounded(10, || set.complement()?.coalesce()).unwrap_err();
    assert!(error.is_quota(), "{error}");
    assert_eq!(context.max_operations(), 0);
    assert!(!set.complement()?.coalesce()?.is_empty()?);

    context.set_max_operations(10);
    assert!(set.complement().and_then(|rest| rest.coalesce()).unwrap_err().is_quota());
    assert!(set.dim_max(0).unwrap_err().is_quota());
    assert!(!set.to_string().is_empty());
    context.set_max_operations(0);
    context.reset_operations();
    assert!(set.is_subset(&set)?);
    Ok(())
}

#[test]
fn points_beyond_the_bound_are_an_error_and_none_is_lost() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "{ [i, j] : 0 <= i, j < 50 and (exists a : 2a = i + j) }")?;
    let error = context.bounded(500, || set.points()).unwrap_err();
    assert!(error.is_quota(), "{error:?}");
    assert_eq!(set.points()?.len(), 1250);
    assert!(Set::parse(&context, "{ [i] : i >= 0 }")?.points().is_err());
    Ok(())
}

#[test]
fn pieces_are_taken_apart_into_constraints_and_put_together_again() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[n] -> { S[i, j] : 0 <= i < n and 2j = i or i = n + 5 and j > 0 }")?;
    let mut again = Set::empty(&set.get_space()?)?;
    for piece in set.basic_sets()? {
        let mut rebuilt = Set::universe(&piece.get_space()?)?;
        for constraint in piece.constraints()? {
            let aff = constraint.get_aff()?;
            let constraint = if constraint.is_equality()? {
                Constraint::equality_from_aff(&aff)?
            } else {
                Constraint::inequality_from_aff(&aff)?
            };
            rebuilt = rebuilt.add_constraint(&constraint)?;
        }
        again = again.union(&rebuilt)?;
    }
    assert!(again.is_equal(&set)?);
    Ok(())
}

#[test]
fn numbers_are_exact_and_of_any_size() -> Result<()> {
    let context = Context::new();
    let half = PwAff::parse(&context, "{ [i] -> [floor(i / 2)] }")?.pieces()?[0].1.get_div(0)?;
    let half = half.get_coefficient_val(Dim::In, 0)?;
    assert_eq!(half.to_string(), "1/2");
    assert!(half.to_i64().is_err());
    let large = Val::int_from_si(&context, 1 << 50)?;
    let large = large.mul(&large)?;
    assert_eq!(large.to_string(), (1_u128 << 100).to_string());
    assert!(large.to_i64().is_err());
    let least = Val::int_from_si(&context, i64::MIN)?;
    assert_eq!(least.to_i64()?, i64::MIN);
    assert_eq!(least.sgn()?, -1);
    assert!(least.add(&least)?.to_i64().is_err());
    Ok(())
}

#[test]
fn the_bound_of_a_function_over_a_set_is_found() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "{ [i, j] : 0 <= i, j and 2i + 3j <= 17 }")?;
    let (_, sum) = &PwAff::parse(&context, "{ [i, j] -> [(i + 2j)] }")?.pieces()?[0];
    assert_eq!(set.max_val(sum)?.to_i64()?, 11);
    assert_eq!(set.min_val(sum)?.to_i64()?, 0);
    assert!(Set::parse(&context, "{ [i, j] : i >= 0 }")?.max_val(sum)?.to_i64().is_err());
    Ok(())
}
