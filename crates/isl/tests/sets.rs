//! Sets, relations and functions: the binding says what isl says, and errors are results.

use frit_isl::{
    Aff, BasicSet, Constraint, Context, Dim, ErrorKind, Id, Map, MultiAff, PwAff, PwMultiAff, Result, Set, Space,
    UnionMap, UnionSet, Val,
};

#[test]
fn operations_on_sets_are_those_of_isl() -> Result<()> {
    let context = Context::new();
    let low = Set::parse(&context, "{ S[i] : 0 <= i < 10 }")?;
    let high = Set::parse(&context, "{ S[i] : 5 <= i < 20 }")?;
    assert!(low.union(&high)?.is_equal(&Set::parse(&context, "{ S[i] : 0 <= i < 20 }")?)?);
    assert!(low.intersect(&high)?.is_equal(&Set::parse(&context, "{ S[i] : 5 <= i < 10 }")?)?);
    assert!(low.subtract(&high)?.is_subset(&low)?);
    assert!(!low.is_disjoint(&high)?);
    assert_eq!(low.union(&high)?.coalesce()?.n_basic_set()?, 1);
    assert_eq!(low.count_val()?.to_i64()?, 10);
    assert_eq!(low.points()?.len(), 10);
    assert_eq!(low.get_tuple_name()?.as_deref(), Some("S"));
    assert_eq!(low.dim(Dim::Set)?, 1);
    assert_eq!(low.get_dim_name(Dim::Set, 0)?.as_deref(), Some("i"));
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
    assert!(greatest.is_equal(&expected)?);
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
    let half = PwAff::parse(&context, "[n] -> { [floor((n + 1) / 2)] }")?.as_aff()?;
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
    let (closure, exact) = next.transitive_closure()?;
    assert!(exact && closure.is_equal(&Map::lex_lt(&next.domain()?.get_space()?)?)?);
    assert!(next.is_single_valued()? && next.is_injective()?);
    assert!(next.reverse()?.apply_range(&next)?.is_identity()?);
    assert_eq!(next.deltas()?.to_string(), "{ [i = 1] }");
    assert!(next.lex_lt_map(&next)?.is_equal(&Map::lex_lt(&next.domain()?.get_space()?)?)?);
    let shifted = MultiAff::parse(&context, "{ A[i, j] -> [i + 1, j - 1] }")?;
    assert!(shifted.as_map()?.is_bijective()?);
    assert_eq!(shifted.get_at(1)?.get_constant_val()?.to_i64()?, -1);
    Ok(())
}

#[test]
fn unions_hold_one_relation_for_each_pair_of_spaces() -> Result<()> {
    let context = Context::new();
    let accesses = UnionMap::parse(&context, "[n] -> { S[i] -> A[i] : 0 <= i < n; S[i] -> A[i + 1]; T[i] -> A[i] }")?;
    assert_eq!(accesses.n_map()?, 2);
    assert_eq!(accesses.maps()?.len(), 2);
    let of_s = accesses.intersect_domain(&UnionSet::parse(&context, "{ S[i] }")?)?;
    assert_eq!(of_s.n_map()?, 1);
    let space = of_s.maps()?[0].get_space()?;
    assert!(accesses.extract_map(&space)?.is_equal(&of_s.as_map()?)?);
    assert_eq!(accesses.range()?.sets()?.len(), 1);
    Ok(())
}

#[test]
fn names_and_bounds_are_put_on_dimensions() -> Result<()> {
    let context = Context::new();
    let space = Space::set_alloc(&context, 1, 2)?.set_dim_name(Dim::Param, 0, "n")?.set_tuple_name(Dim::Set, "S")?;
    let set = Set::universe(&space)?.lower_bound_si(Dim::Set, 0, 0)?.fix_si(Dim::Set, 1, 3)?;
    assert!(set.is_equal(&Set::parse(&context, "[n] -> { S[i, 3] : i >= 0 }")?)?);
    assert!(set.dim_has_lower_bound(Dim::Set, 0)? && !set.dim_has_upper_bound(Dim::Set, 0)?);
    assert!(!set.is_bounded()?);
    let renamed = set.set_tuple_id(&Id::new(&context, "T")?)?;
    assert_eq!(renamed.get_tuple_id()?.get_name()?.as_deref(), Some("T"));
    let bounded = set.upper_bound_val(Dim::Set, 0, &Val::int_from_si(&context, 7)?)?;
    assert_eq!(bounded.dim_max_val(0)?.to_i64()?, 7);
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
    assert!(line.get_dim_name(Dim::Set, 5).is_err());
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
    assert_eq!(copy.count_val()?.to_i64()?, 3);
    Ok(())
}

#[test]
fn work_beyond_the_bound_is_an_error_and_the_context_works_on() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(
        &context,
        "[n] -> { [i, j, k] : 0 <= i < n and i <= j < 2n and (exists a : 3a = i + j) and k < j }",
    )?;
    let error = context.bounded(10, || set.complement()?.make_disjoint()).unwrap_err();
    assert!(error.is_quota(), "{error}");
    assert_eq!(context.max_operations(), 0);
    assert!(!set.complement()?.make_disjoint()?.is_empty()?);

    context.set_max_operations(10);
    assert!(set.complement().and_then(|rest| rest.make_disjoint()).unwrap_err().is_quota());
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
        assert_eq!(piece.constraints()?.len(), piece.n_constraint()?);
        let mut rebuilt = BasicSet::universe(&piece.get_space()?)?;
        for constraint in piece.constraints()? {
            let aff = constraint.get_aff()?;
            let constraint = if constraint.is_equality()? {
                Constraint::equality_from_aff(&aff)?
            } else {
                Constraint::inequality_from_aff(&aff)?
            };
            rebuilt = rebuilt.add_constraint(&constraint)?;
        }
        again = again.union(&Set::from_basic_set(&rebuilt)?)?;
    }
    assert!(again.is_equal(&set)?);
    Ok(())
}

#[test]
fn a_sliding_window_has_a_box_of_fixed_size() -> Result<()> {
    let context = Context::new();
    let window = Map::parse(&context, "[n] -> { [t] -> A[i, j] : t - 2 <= i <= t and 0 <= j < 3 and t < n }")?;
    let hull = window.get_range_simple_fixed_box_hull()?;
    assert!(hull.is_valid()?);
    let sizes = (0..2).map(|pos| hull.get_size()?.get_at(pos)?.to_i64()).collect::<Result<Vec<_>>>()?;
    assert_eq!(sizes, [3, 3]);
    assert!(hull.get_offset()?.plain_is_equal(&MultiAff::parse(&context, "[n] -> { [t] -> A[t - 2, 0] }")?)?);
    let growing = Map::parse(&context, "{ [t] -> A[i] : 0 <= i <= t }")?;
    assert!(!growing.get_range_simple_fixed_box_hull()?.is_valid()?);
    Ok(())
}

#[test]
fn functions_of_several_outputs_are_taken_apart() -> Result<()> {
    let context = Context::new();
    let least =
        Map::parse(&context, "[n] -> { [i] -> [j, k] : j >= 0 and j >= i and k > j }")?.lexmin_pw_multi_aff()?;
    let expected = PwMultiAff::parse(&context, "[n] -> { [i] -> [i, i + 1] : i > 0; [i] -> [0, 1] : i <= 0 }")?;
    assert!(least.is_equal(&expected)?);
    assert_eq!(least.pieces()?.len(), 2);
    let point = Set::parse(&context, "[n] -> { [7] : n = 0 }")?.sample_point()?;
    assert_eq!(least.get_at(1)?.eval(&point)?.to_i64()?, 8);
    assert!(least.as_map()?.is_single_valued()?);
    Ok(())
}

#[test]
fn numbers_are_exact_and_of_any_size() -> Result<()> {
    let context = Context::new();
    let half = Val::one(&context)?.div(&Val::int_from_si(&context, 2)?)?;
    assert_eq!(half.to_string(), "1/2");
    assert!(half.to_i64().is_err());
    let large = Val::int_from_si(&context, 100)?.pow2()?;
    assert_eq!(large.to_string(), (1_u128 << 100).to_string());
    assert!(large.to_i64().is_err());
    let least = Val::int_from_si(&context, i64::MIN)?;
    assert_eq!(least.to_i64()?, i64::MIN);
    assert_eq!(least.sgn()?, -1);
    assert!(Val::infty(&context)?.to_i64().is_err());
    let remainder = Val::int_from_si(&context, -7)?.modulo(&Val::int_from_si(&context, 3)?)?;
    assert_eq!(remainder.to_i64()?, 2);
    assert!(least.modulo(&Val::zero(&context)?).is_err());
    Ok(())
}

#[test]
fn the_bound_of_a_function_over_a_set_is_found() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "{ [i, j] : 0 <= i, j and 2i + 3j <= 17 }")?;
    let sum = Aff::parse(&context, "{ [i, j] -> [(i + 2j)] }")?;
    assert_eq!(set.max_val(&sum)?.to_i64()?, 11);
    assert_eq!(set.min_val(&sum)?.to_i64()?, 0);
    assert!(Set::parse(&context, "{ [i, j] : i >= 0 }")?.max_val(&sum)?.is_infty()?);
    Ok(())
}
