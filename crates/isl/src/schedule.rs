//! Orders of iterations as trees: what runs one after another, and by which functions iterations are ordered.

use crate::{UnionMap, UnionSet};

objects! {
    /// An order of the iterations of several statements.
    pub struct Schedule = isl_schedule_copy, isl_schedule_free, isl_schedule_to_str;
    /// A place in such an order.
    pub struct ScheduleNode = isl_schedule_node_copy, isl_schedule_node_free, isl_schedule_node_to_str;
    /// A function of the iterations of several statements, with one or more values.
    pub struct MultiUnionPwAff =
        isl_multi_union_pw_aff_copy, isl_multi_union_pw_aff_free, isl_multi_union_pw_aff_to_str;
}

constructors! { Schedule;
    /// Iterations in no order.
    pub fn from_domain(domain: &UnionSet) -> Schedule = isl_schedule_from_domain;
}

constructors! { MultiUnionPwAff;
    /// A relation with one value at most for each iteration, all in one space.
    pub fn from_union_map(map: &UnionMap) -> MultiUnionPwAff = isl_multi_union_pw_aff_from_union_map;
}

methods! { Schedule;
    /// Ordered by a function first, and as before where its values are the same.
    pub fn insert_partial_schedule(partial: &MultiUnionPwAff) -> Schedule = isl_schedule_insert_partial_schedule;
    /// All of this one, and then all of another, of other iterations.
    pub fn sequence(then: &Schedule) -> Schedule = isl_schedule_sequence;
}

methods! { Schedule;
    /// Its root: all iterations.
    pub fn get_root() -> ScheduleNode = isl_schedule_get_root;
}

methods! { ScheduleNode;
    /// What is first below it.
    pub fn first_child() -> ScheduleNode = isl_schedule_node_first_child;
    /// The function of iterations that is here, with options for loops: `{ atomic[0] }` for one loop, with conditions in it.
    pub fn band_set_ast_build_options(options: &UnionSet) -> ScheduleNode = isl_schedule_node_band_set_ast_build_options;
    /// The order that it is a place in.
    pub fn get_schedule() -> Schedule = isl_schedule_node_get_schedule;
}
