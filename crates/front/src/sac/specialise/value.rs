//! What is known of a SAC value while a function is specialised: its rank always, its extents as far as they are constant, its
//! components where there are few.

use crate::sac::core::{Basic, Elem, Local};
use frit_ir::Const;
use frit_ir::array::{self, Extent, Operand};
use frit_support::Table;

/// A value. Its shape in the language is that of its data less the cell of its element type, if that is a `typedef`.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The type of elements.
    pub(super) elem: Elem,
    /// What the array IR has of it.
    pub(super) data: Data,
}

/// The representation of a value.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// A scalar (empty shape), or a small array whose elements are known one by one, row-major: shape vectors and index
    /// vectors above all, a `complex`, literals. So the ranks and extents computed from them are known.
    Components {
        /// Constant extents.
        shape: Vec<usize>,
        /// As many as the shape has elements.
        scalars: Vec<Scalar>,
    },
    /// An array of the array IR, of rank 1 or more.
    Array(array::Value),
    /// A struct or array of structs: one value per field, each of shape `frame ++ field`.
    Struct {
        /// The shape of the array; empty for one struct.
        frame: Vec<Extent>,
        /// In the order of the definition.
        fields: Vec<Value>,
    },
}

/// A scalar of a type of the language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    /// Its type.
    pub(super) basic: Basic,
    /// What is known of it.
    pub(super) known: Known,
}

/// What is known of a scalar. See Note [Wide integers].
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// Its value.
    Const(Const),
    /// An operand of its type.
    Operand(Operand),
    /// Only for `int`: the exact result, not wrapped, of arithmetic on sizes, indices and the like.
    Wide {
        /// An `i64`.
        exact: Operand,
        /// A bound from below of `exact`.
        low: i64,
        /// A bound from above of `exact`.
        high: i64,
        /// The `i32` that the language computes. `None` if `exact` is always in the range of `int`, so that converting it gives that.
        narrow: Option<Operand>,
    },
}

/// The values of variables.
#[derive(Clone, Debug)]
pub(super) struct Env {
    /// What each variable is bound to.
    pub(super) bindings: Table<Local, Binding>,
}

/// What a variable is bound to.
#[derive(Clone, Debug, Default)]
pub(super) enum Binding {
    /// Nothing.
    #[default]
    Unset,
    /// A value.
    Set(Value),
    /// A value if this `bool` holds; else it has none, and using it is a run-time error.
    Maybe(Value, Operand),
    /// Values of different rank on different paths: using it is beyond the array IR.
    RankUnknown(frit_support::Span),
}

// Note [Wide integers]
//
// `int` has 32 bits and wraps; sizes and indices of the array IR have 64 bits and do not. If `a[iv + 1]` were computed in 32 bits,
// nothing would know that the index is an affine function of `iv`. So a scalar `int` that comes from sizes, indices and
// constants is also computed exactly, with bounds from interval arithmetic: an axis has at most 2^30 - 1 elements (checked where
// arrays of unknown size are made), so a size is in [0, 2^30), an index in [0, 2^30 - 1).
//
// - Where the language wants an `int` value: `exact` converted if the bounds are within 32 bits, else `narrow`.
// - Where it wants an index, an extent or a bound: `exact` if its bounds are within +-3 * 2^30, for if the language's 32 bits would
//   have wrapped, both the wrapped and the exact value are outside of every array; else `narrow` converted to 64 bits.
// - An `int` of unknown origin is an operand of 32 bits; converted it is exact, with the bounds of 32 bits.
