//! Spaces: [`Dim`], the kinds of dimensions, and [`Space`], how many there are of each, and their names.

use crate::sys::DimType;

/// The kinds of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dim {
    /// The constant term.
    Cst,
    /// Parameters.
    Param,
    /// Inputs of relations and functions.
    In,
    /// Outputs of relations and functions; for isl, the same as [`Dim::Set`].
    Out,
    /// Dimensions of sets.
    Set,
    /// Existential dimensions: integer divisions.
    Div,
}

impl From<Dim> for DimType {
    fn from(dim: Dim) -> DimType {
        DimType(match dim {
            Dim::Cst => 0,
            Dim::Param => 1,
            Dim::In => 2,
            Dim::Out | Dim::Set => 3,
            Dim::Div => 4,
        })
    }
}

objects! {
    /// Parameters and tuples: of parameter values, of sets (one tuple), or of relations and functions (two).
    pub struct Space = isl_space_copy, isl_space_free, isl_space_to_str;
    /// A space with existential dimensions.
    pub struct LocalSpace = isl_local_space_copy, isl_local_space_free;
}

methods! { Space;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_space_dim;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Space = isl_space_set_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_space_find_dim_by_name;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Space = isl_space_add_dims;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(other: &Space) -> Space = isl_space_align_params;
    /// The space of the outputs.
    pub fn range() -> Space = isl_space_range;
    /// The space of the parameters.
    pub fn params() -> Space = isl_space_params;
    /// The space of relations of a space with itself.
    pub fn map_from_set() -> Space = isl_space_map_from_set;
    /// The space of relations of one space with another.
    pub fn map_from_domain_and_range(other: &Space) -> Space = isl_space_map_from_domain_and_range;
    /// The space with a further tuple of `dim` dimensions.
    pub fn add_unnamed_tuple_ui(dim: usize) -> Space = isl_space_add_unnamed_tuple_ui;
}

constructors! { LocalSpace;
    /// A space without existential dimensions.
    pub fn from_space(space: &Space) -> LocalSpace = isl_local_space_from_space;
}
