//! Dependences: which access reads what which other access wrote.
//!
//! [`UnionAccessInfo`] says which iterations access which elements, and in which order; [`UnionFlow`] is what follows.

use crate::UnionMap;

objects! {
    /// Accesses and their order.
    pub struct UnionAccessInfo =
        isl_union_access_info_copy, isl_union_access_info_free, isl_union_access_info_to_str;
    /// The dependences of accesses.
    pub struct UnionFlow = isl_union_flow_copy, isl_union_flow_free, isl_union_flow_to_str;
}

constructors! { UnionAccessInfo;
    /// Reads, of which it is asked what they depend on.
    pub fn from_sink(sink: &UnionMap) -> UnionAccessInfo = isl_union_access_info_from_sink;
}

methods! { UnionAccessInfo;
    /// With accesses that certainly happen.
    pub fn set_must_source(must_source: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_must_source;
    /// With accesses that may happen.
    pub fn set_may_source(may_source: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_may_source;
    /// With the order of the accesses.
    pub fn set_schedule_map(schedule_map: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_schedule_map;
    /// The dependences.
    pub fn compute_flow() -> UnionFlow = isl_union_access_info_compute_flow;
}

methods! { UnionFlow;
    /// All dependences.
    pub fn get_may_dependence() -> UnionMap = isl_union_flow_get_may_dependence;
    /// The reads without a source.
    pub fn get_must_no_source() -> UnionMap = isl_union_flow_get_must_no_source;
    /// The reads that may have no source.
    pub fn get_may_no_source() -> UnionMap = isl_union_flow_get_may_no_source;
}
