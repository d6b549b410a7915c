//! Positions that make no sense are results or errors, never worse.

use frit_isl::{Aff, Context, Dim, Id, Map, MultiAff, PwAff, Result, Set, Val};

#[test]
fn any_kind_and_position_of_a_dimension_is_a_result_or_an_error() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[n] -> { S[i, j] : 0 <= i < n and (exists a : 3a = i + j) }")?;
    let map = Map::parse(&context, "[n] -> { S[i, j] -> T[k] : 0 <= i < n and (exists a : 3a = i + k) }")?;
    let (basic_set, basic_map) = (&set.basic_sets()?[0], &map.basic_maps()?[0]);
    let constraint = &basic_set.constraints()?[0];
    let aff = Aff::parse(&context, "[n] -> { S[i, j] -> [(floor((i + n) / 2) + j)] }")?;
    let pw_aff = PwAff::from_aff(&aff)?;
    let multi_aff = MultiAff::parse(&context, "[n] -> { S[i, j] -> T[i, n] }")?;
    let (pw_multi_aff, space, local) = (multi_aff.to_pw_multi_aff()?, map.get_space()?, basic_map.get_local_space()?);
    let (one, id) = (Val::one(&context)?, Id::new(&context, "name")?);
    let point = set.sample_point()?;
    let kinds = [Dim::Cst, Dim::Param, Dim::In, Dim::Out, Dim::Set, Dim::Div];
    let mut outcomes = [0, 0];
    for kind in kinds {
        for pos in [0, 1, 2, 3, 1000, 1 << 16, usize::MAX] {
            let mut tried = Vec::new();
            macro_rules! each {
                ($($object:ident: $($method:ident($($arg:expr),*)),*;)*) => {
                    $($(tried.push($object.$method($($arg),*).is_ok());)*)*
                };
            }
            each! {
                set: dim(kind), get_dim_name(kind, pos), set_dim_name(kind, pos, "x"), get_dim_id(kind, pos),
                    set_dim_id(kind, pos, &id), project_out(kind, pos, 1), project_out(kind, 0, pos), remove_dims(kind, pos, 1),
                    eliminate(kind, pos, 1), insert_dims(kind, pos, 1), add_dims(kind, 2), fix_si(kind, pos, 3),
                    fix_val(kind, pos, &one), lower_bound_si(kind, pos, 1), upper_bound_val(kind, pos, &one),
                    equate(kind, pos, Dim::Set, 0), equate(Dim::Param, 0, kind, pos), dim_min(pos), dim_max(pos), dim_max_val(pos),
                    dim_has_lower_bound(kind, pos), dim_is_bounded(kind, pos), get_stride(pos), involves_dims(kind, pos, 1),
                    drop_constraints_involving_dims(kind, pos, 1), remove_divs_involving_dims(kind, pos, 1),
                    plain_get_val_if_fixed(kind, pos), move_dims(kind, 0, Dim::Set, pos, 1), move_dims(Dim::Param, pos, kind, 0, 1),
                    project_onto_map(kind, pos, 1);
                map: dim(kind), move_dims(Dim::Out, pos, kind, 0, 1), move_dims(kind, pos, Dim::In, 0, 1), set_dim_id(kind, pos, &id), has_dim_id(kind, pos), has_dim_name(kind, pos), has_tuple_name(kind), set_tuple_name(kind, "x"), add_dims(kind, 1), upper_bound_val(kind, pos, &one), fix_val(kind, pos, &one), drop_constraints_not_involving_dims(kind, pos, 1), get_dim_name(kind, pos), set_dim_name(kind, pos, "x"), get_dim_id(kind, pos), get_tuple_name(kind),
                    get_tuple_id(kind), set_tuple_id(kind, &id), reset_tuple_id(kind), project_out(kind, pos, 1),
                    remove_dims(kind, pos, 1), eliminate(kind, pos, 1), insert_dims(kind, pos, 1), fix_si(kind, pos, 3),
                    lower_bound_si(kind, pos, 1), equate(kind, pos, Dim::Out, 0), oppose(kind, pos, Dim::In, 0),
                    order_lt(kind, pos, Dim::In, 0), order_ge(Dim::Out, 0, kind, pos), dim_min(pos), dim_max(pos),
                    move_dims(kind, 0, Dim::In, pos, 1), involves_dims(kind, pos, 1), plain_get_val_if_fixed(kind, pos);
                basic_set: dim(kind), set_dim_name(kind, pos, "x"), move_dims(Dim::Param, pos, kind, 0, 1), drop_constraints_involving_dims(kind, pos, 1), remove_divs_involving_dims(kind, pos, 1), involves_dims(kind, pos, 1), fix_val(kind, pos, &one), upper_bound_val(kind, pos, &one), add_dims(kind, 1), get_dim_name(kind, pos), get_dim_id(kind, pos), get_div(pos), project_out(kind, pos, 1),
                    remove_dims(kind, pos, 1), eliminate(kind, pos, 1), insert_dims(kind, pos, 1), fix_si(kind, pos, 3),
                    lower_bound_val(kind, pos, &one), move_dims(kind, 0, Dim::Set, pos, 1), dim_max_val(pos);
                basic_map: dim(kind), eliminate(kind, pos, 1), remove_dims(kind, pos, 1), insert_dims(kind, pos, 1), move_dims(Dim::Out, pos, kind, 0, 1), move_dims(kind, pos, Dim::In, 0, 1), drop_constraints_involving_dims(kind, pos, 1), remove_divs_involving_dims(kind, pos, 1), involves_dims(kind, pos, 1), get_dim_name(kind, pos), set_dim_name(kind, pos, "x"), get_tuple_name(kind), set_tuple_name(kind, "x"), set_tuple_id(kind, &id), fix_val(kind, pos, &one), order_ge(kind, pos, Dim::In, 0), fix_si(kind, pos, 1), lower_bound_si(kind, pos, 1), get_div(pos), project_out(kind, pos, 1), equate(kind, pos, Dim::In, 0),
                    order_gt(kind, pos, Dim::Out, 0), upper_bound_si(kind, pos, 0), has_dim_id(kind, pos);
                constraint: dim(kind), set_coefficient_val(kind, pos, &one), is_upper_bound(kind, pos), get_coefficient_val(kind, pos), set_coefficient_si(kind, pos, 2), get_div(pos),
                    get_bound(kind, pos), is_lower_bound(kind, pos), involves_dims(kind, pos, 1), get_dim_name(kind, pos);
                aff: dim(kind), move_dims(Dim::In, pos, kind, 0, 1), set_dim_name(kind, pos, "x"), set_dim_id(kind, pos, &id), add_dims(kind, 1), set_coefficient_val(kind, pos, &one), add_coefficient_si(kind, pos, 1), get_coefficient_val(kind, pos), set_coefficient_si(kind, pos, 2), add_coefficient_val(kind, pos, &one),
                    coefficient_sgn(kind, pos), get_div(pos), get_dim_name(kind, pos), involves_dims(kind, pos, 1),
                    insert_dims(kind, pos, 1), drop_dims(kind, pos, 1), move_dims(kind, 0, Dim::In, pos, 1), set_tuple_id(kind, &id);
                pw_aff: dim(kind), move_dims(Dim::In, pos, kind, 0, 1), move_dims(kind, pos, Dim::In, 0, 1), set_dim_id(kind, pos, &id), has_dim_id(kind, pos), add_dims(kind, 1), set_tuple_id(kind, &id), reset_tuple_id(kind), get_dim_name(kind, pos), get_dim_id(kind, pos), has_tuple_id(kind), get_tuple_id(kind),
                    involves_dims(kind, pos, 1), insert_dims(kind, pos, 1), drop_dims(kind, pos, 1);
                multi_aff: dim(kind), move_dims(Dim::In, pos, kind, 0, 1), move_dims(kind, pos, Dim::In, 0, 1), set_dim_id(kind, pos, &id), set_dim_name(kind, pos, "x"), add_dims(kind, 1), set_tuple_id(kind, &id), splice(0, pos, &multi_aff), get_tuple_id(kind), reset_tuple_id(kind), get_dim_id(kind, pos), get_tuple_name(kind), involves_dims(kind, pos, 1), drop_dims(kind, pos, 1),
                    insert_dims(kind, pos, 1), get_at(pos), set_at(pos, &aff), splice(pos, 0, &multi_aff);
                pw_multi_aff: dim(kind), get_dim_name(kind, pos), get_tuple_name(kind), drop_dims(kind, pos, 1), get_at(pos),
                    set_pw_aff(pos, &pw_aff);
                space: dim(kind), move_dims(Dim::In, pos, kind, 0, 1), set_dim_id(kind, pos, &id), has_dim_id(kind, pos), get_dim_id(kind, pos), get_tuple_id(kind), set_tuple_id(kind, &id), add_dims(kind, 1), reset_tuple_id(kind), has_tuple_name(kind), get_dim_name(kind, pos), set_dim_name(kind, pos, "x"), get_tuple_name(kind), drop_dims(kind, pos, 1),
                    insert_dims(kind, pos, 1), move_dims(kind, 0, Dim::In, pos, 1), tuple_is_equal(kind, &space, Dim::Out),
                    set_tuple_name(kind, "x"), find_dim_by_name(kind, "i");
                local: dim(kind), has_dim_name(kind, pos), set_dim_name(kind, pos, "x"), get_dim_name(kind, pos), get_div(pos), find_dim_by_name(kind, "i");
                point: get_coordinate_val(kind, pos), set_coordinate_val(kind, pos, &one);
            }
            for ok in tried {
                outcomes[usize::from(ok)] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 1000), "{outcomes:?}");
    assert!(set.is_equal(&set.union(&set)?)?);
    Ok(())
}
