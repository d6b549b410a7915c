//! Positions that make no sense are results or errors, never worse.

use frit_isl::{Context, Dim, Map, PwAff, PwMultiAff, Result, Set, Val};

#[test]
fn any_kind_and_position_of_a_dimension_is_a_result_or_an_error() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[n] -> { S[i, j] : 0 <= i < n and (exists a : 3a = i + j) }")?;
    let map = Map::parse(&context, "[n] -> { S[i, j] -> T[k] : 0 <= i < n and (exists a : 3a = i + k) }")?;
    let (basic_set, basic_map) = (&set.basic_sets()?[0], &map.basic_maps()?[0]);
    let constraint = &basic_set.constraints()?[0];
    let pw_aff = PwAff::parse(&context, "[n] -> { S[i, j] -> [(floor((i + n) / 2) + j)] }")?;
    let aff = &pw_aff.pieces()?[0].1;
    let pw_multi_aff = PwMultiAff::from_map(&Map::parse(&context, "[n] -> { S[i, j] -> T[i, n] }")?)?;
    let (space, one) = (map.get_space()?, Val::one(&context)?);
    let point = &Set::parse(&context, "{ S[1, 2] }")?.points()?[0];
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
                set: dim(kind), set_dim_name(kind, pos, "x"), project_out(kind, pos, 1), project_out(kind, 0, pos),
                    eliminate(kind, pos, 1), insert_dims(kind, pos, 1), add_dims(kind, 2), fix_si(kind, pos, 3),
                    fix_val(kind, pos, &one), lower_bound_si(kind, pos, 1), equate(kind, pos, Dim::Set, 0),
                    equate(Dim::Param, 0, kind, pos), dim_min(pos), dim_max(pos), dim_min_val(pos), dim_max_val(pos),
                    get_stride(pos), move_dims(kind, 0, Dim::Set, pos, 1), move_dims(Dim::Param, pos, kind, 0, 1);
                map: dim(kind), set_tuple_name(kind, "x"), add_dims(kind, 1), get_tuple_name(kind),
                    reset_tuple_id(kind), project_out(kind, pos, 1), insert_dims(kind, pos, 1),
                    equate(kind, pos, Dim::Out, 0), order_lt(kind, pos, Dim::In, 0),
                    order_gt(kind, pos, Dim::Out, 0), order_le(Dim::In, 0, kind, pos), order_ge(Dim::Out, 0, kind, pos),
                    plain_get_val_if_fixed(kind, pos);
                basic_set: dim(kind);
                basic_map: dim(kind);
                constraint: dim(kind), set_coefficient_val(kind, pos, &one), get_coefficient_val(kind, pos),
                    set_coefficient_si(kind, pos, 2), involves_dims(kind, pos, 1);
                aff: dim(kind), set_coefficient_val(kind, pos, &one), get_coefficient_val(kind, pos),
                    add_coefficient_val(kind, pos, &one), get_div(pos), get_dim_name(kind, pos);
                pw_aff: dim(kind);
                pw_multi_aff: dim(kind), get_at(pos);
                space: dim(kind), add_dims(kind, 1), set_dim_name(kind, pos, "x"), find_dim_by_name(kind, "i");
                point: get_coordinate_val(kind, pos);
            }
            for ok in tried {
                outcomes[usize::from(ok)] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 500), "{outcomes:?}");
    assert!(set.is_equal(&set.union(&set)?)?);
    Ok(())
}
