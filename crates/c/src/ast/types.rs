//! Types of C as far as regions need them: what is an integer, a pointer, an array with which extents, and how large elements are.

use super::NodeId;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CType {
    /// An integer.
    Int { bytes: u64, is_signed: bool },
    /// A floating-point number.
    Float { bytes: u64 },
    /// A structure or union.
    Struct { bytes: u64 },
    /// A pointer.
    Pointer { target: Box<CType>, is_restrict: bool },
    /// An array; for a parameter, the outermost one is a pointer in truth: see [`CType::decayed`].
    Array { element: Box<CType>, size: Size, is_restrict: bool },
    /// A function.
    Function,
    /// It is `volatile` or atomic.
    Volatile,
    /// `void`, or another type.
    Unknown,
}

/// The extent of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// The expression, where the array is declared.
    pub(crate) node: Option<NodeId>,
    /// Its value.
    pub(crate) count: Option<i64>,
}

/// A type with what a declaration says besides.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    /// The type.
    pub(crate) of: CType,
    /// How the innermost element type is written, without qualifiers.
    pub(crate) base: String,
    /// `volatile` or `_Atomic` stands somewhere in it.
    pub(crate) is_volatile: bool,
    /// Elements are `const`.
    pub(crate) is_const: bool,
    /// It is `static`, `extern` or of one thread.
    pub(crate) is_static: bool,
}

impl CType {
    /// The type of a parameter that is declared with this one: an array is a pointer.
    pub(crate) fn decayed(self) -> CType {
        match self {
            CType::Array { element, is_restrict, .. } => CType::Pointer { target: element, is_restrict },
            other => other,
        }
    }

    /// The element type at the bottom of arrays; a pointer to pointers has pointers as elements.
    pub(crate) fn leaf(&self) -> &CType {
        match self {
            CType::Array { element, .. } => element.leaf(),
            other => other,
        }
    }

    /// The extents of an array, outermost first; those of what a pointer points to after an unknown one for the pointer itself.
    pub(crate) fn extents(&self) -> Vec<Size> {
        let mut extents = Vec::new();
        let mut at = self;
        if let CType::Pointer { target, .. } = at {
            extents.push(Size::default());
            at = target;
        }
        while let CType::Array { element, size, .. } = at {
            extents.push(*size);
            at = element;
        }
        extents
    }

    /// The extents that are written in a declaration, innermost first.
    pub(super) fn sizes_mut(&mut self) -> Vec<&mut Size> {
        match self {
            CType::Array { element, size, .. } => {
                let mut all = element.sizes_mut();
                all.push(size);
                all
            }
            CType::Pointer { target, .. } => target.sizes_mut(),
            _ => Vec::new(),
        }
    }

    /// The type of the elements of an array or of what a pointer points to; of a scalar, its own.
    pub(crate) fn element(&self) -> &CType {
        match self {
            CType::Pointer { target, .. } => target.leaf(),
            other => other.leaf(),
        }
    }

    /// Its size, as far as it is constant and known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self {
            CType::Int { bytes, .. } | CType::Float { bytes } => Some(*bytes),
            CType::Struct { bytes, .. } => (*bytes > 0).then_some(*bytes),
            CType::Pointer { .. } => Some(8),
            CType::Array { .. } | CType::Function | CType::Volatile | CType::Unknown => None,
        }
    }

    /// It is a pointer or an array.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self, CType::Pointer { .. } | CType::Array { .. })
    }

    /// An object of this type and one of that type may be accessed through each other's pointers.
    pub(crate) fn may_alias(&self, other: &CType) -> bool {
        use CType::{Float, Int, Pointer};
        match (self, other) {
            (Int { bytes: 1, .. }, _) | (_, Int { bytes: 1, .. }) => true,
            (Int { bytes: one, .. }, Int { bytes: two, .. }) | (Float { bytes: one }, Float { bytes: two }) => {
                one == two
            }
            (Int { .. }, Float { .. } | Pointer { .. })
            | (Float { .. }, Int { .. } | Pointer { .. })
            | (Pointer { .. }, Int { .. } | Float { .. }) => false,
            // A structure may hold anything, and so may what is not known.
            _ => true,
        }
    }
}
