//! The types of L0 and the relations between them. Knows no expressions.

use super::ast::{BasicType, TypeExpr, TypeExprKind};
use std::fmt;
use std::sync::Arc;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A scalar.
    Basic(BasicType),
    /// A tuple, possibly of none or one component.
    Tuple(TupleType),
    /// An array.
    Array(ArrayType),
    /// Of a mistake that was reported; fits everywhere. Never occurs in a checked program.
    Error,
}

/// The components of a tuple type. Cheap to clone; dereferences to the components.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TupleType {
    components: Arc<[Type]>,
    leaves: usize,
}

/// An array type: `rank` brackets around `element`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// Written `*`: the value is shared with no other that is used later.
    pub unique: bool,
    /// The number of brackets directly around the element type, at least one.
    pub rank: usize,
    /// What the array is of. Array types inside are never marked unique: the array's own mark says it for them.
    pub element: Element,
}

/// What an array is of, when all its brackets are off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Scalars.
    Basic(BasicType),
    /// Tuples.
    Tuple(TupleType),
}

impl std::ops::Deref for TupleType {
    type Target = [Type];
    fn deref(&self) -> &[Type] {
        &self.components
    }
}

impl<'t> IntoIterator for &'t TupleType {
    type Item = &'t Type;
    type IntoIter = std::slice::Iter<'t, Type>;
    fn into_iter(self) -> Self::IntoIter {
        self.components.iter()
    }
}

impl Type {
    /// The type of integers.
    pub const INT: Type = Type::Basic(BasicType::Int);
    /// The type of reals.
    pub const REAL: Type = Type::Basic(BasicType::Real);
    /// The type of truth values.
    pub const BOOL: Type = Type::Basic(BasicType::Bool);
    /// The type of characters.
    pub const CHAR: Type = Type::Basic(BasicType::Char);
    /// The type of certificates.
    pub const CERT: Type = Type::Basic(BasicType::Cert);

    /// The type of a tuple; an error if a component is.
    pub fn tuple(components: Vec<Type>) -> Type {
        if components.contains(&Type::Error) {
            return Type::Error;
        }
        let leaves = components.iter().map(Type::leaves).fold(1, usize::saturating_add);
        Type::Tuple(TupleType { components: components.into(), leaves })
    }

    /// The type of an array whose rows are `row`s.
    pub fn array_of(row: &Type, unique: bool) -> Type {
        let (rank, element) = match row {
            Type::Basic(basic) => (1, Element::Basic(*basic)),
            Type::Tuple(_) => match row.with_uniqueness(false) {
                Type::Tuple(components) => (1, Element::Tuple(components)),
                other => unreachable!("uniqueness does not make a tuple {other}"),
            },
            Type::Array(array) => (array.rank + 1, array.element.clone()),
            Type::Error => return Type::Error,
        };
        Type::Array(ArrayType { unique, rank, element })
    }

    /// The type that was written.
    pub fn of(written: &TypeExpr) -> Type {
        match &written.kind {
            TypeExprKind::Basic(basic) => Type::Basic(*basic),
            TypeExprKind::Tuple(components) => Type::tuple(components.iter().map(Type::of).collect()),
            TypeExprKind::Array { unique, rank, element } => match Type::array_of(&Type::of(element), *unique) {
                Type::Array(array) => Type::Array(ArrayType { rank: *rank, ..array }),
                other => other,
            },
        }
    }

    /// The type with all arrays in it marked unique, or none.
    pub fn with_uniqueness(&self, unique: bool) -> Type {
        match self {
            Type::Basic(_) | Type::Error => self.clone(),
            Type::Array(array) => Type::Array(ArrayType { unique, ..array.clone() }),
            Type::Tuple(components) => {
                if components.iter().all(|component| component.has_uniqueness(unique)) {
                    return self.clone();
                }
                Type::tuple(components.iter().map(|component| component.with_uniqueness(unique)).collect())
            }
        }
    }

    fn has_uniqueness(&self, unique: bool) -> bool {
        match self {
            Type::Basic(_) | Type::Error => true,
            Type::Array(array) => array.unique == unique,
            Type::Tuple(components) => components.iter().all(|component| component.has_uniqueness(unique)),
        }
    }

    /// True if every array in the type is marked unique; so true of basic types.
    pub fn is_unique(&self) -> bool {
        self.has_uniqueness(true)
    }

    /// True if some array in the type is marked unique.
    pub fn has_unique_part(&self) -> bool {
        !self.has_uniqueness(false)
    }

    /// True if the type contains no array: its values share no memory.
    pub fn is_basic(&self) -> bool {
        match self {
            Type::Basic(_) | Type::Error => true,
            Type::Array(_) => false,
            Type::Tuple(components) => components.iter().all(Type::is_basic),
        }
    }

    /// True if the types are equal but for uniqueness, or one is an error.
    pub fn matches(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Basic(this), Type::Basic(that)) => this == that,
            (Type::Tuple(this), Type::Tuple(that)) => this.matches(that),
            (Type::Array(this), Type::Array(that)) => {
                this.rank == that.rank
                    && match (&this.element, &that.element) {
                        (Element::Basic(this), Element::Basic(that)) => this == that,
                        (Element::Tuple(this), Element::Tuple(that)) => this.matches(that),
                        (Element::Basic(_), Element::Tuple(_)) | (Element::Tuple(_), Element::Basic(_)) => false,
                    }
            }
            (Type::Basic(_), Type::Tuple(_) | Type::Array(_))
            | (Type::Tuple(_), Type::Basic(_) | Type::Array(_))
            | (Type::Array(_), Type::Basic(_) | Type::Tuple(_)) => false,
        }
    }

    /// True if a value of this type may be used as one of `other`: equal, but unique where `other` is.
    pub fn is_subtype_of(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Tuple(this), Type::Tuple(that)) => {
                this.len() == that.len() && this.iter().zip(that.iter()).all(|(this, that)| this.is_subtype_of(that))
            }
            (Type::Array(this), Type::Array(that)) => (this.unique || !that.unique) && self.matches(other),
            _ => self.matches(other),
        }
    }

    /// The type of a value that may be of this type or of `other`, which matches: unique where both are.
    pub fn meet(&self, other: &Type) -> Type {
        self.combine_uniqueness(other, |this, that| this && that)
    }

    /// This type, unique where it or `other`, which matches, is.
    pub fn join(&self, other: &Type) -> Type {
        self.combine_uniqueness(other, |this, that| this || that)
    }

    fn combine_uniqueness(&self, other: &Type, combine: fn(bool, bool) -> bool) -> Type {
        match (self, other) {
            (Type::Tuple(this), Type::Tuple(that)) => {
                let components = this.iter().zip(that.iter());
                Type::tuple(components.map(|(this, that)| this.combine_uniqueness(that, combine)).collect())
            }
            (Type::Array(this), Type::Array(that)) => {
                Type::Array(ArrayType { unique: combine(this.unique, that.unique), ..this.clone() })
            }
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (Type::Basic(_), _) | (_, Type::Basic(_)) | (Type::Tuple(_), _) | (_, Type::Tuple(_)) => self.clone(),
        }
    }

    /// The number of scalars, arrays and tuples in the type.
    pub fn leaves(&self) -> usize {
        match self {
            Type::Basic(_) | Type::Error => 1,
            Type::Tuple(components) => components.leaves,
            Type::Array(array) => match &array.element {
                Element::Basic(_) => 1,
                Element::Tuple(components) => components.leaves,
            },
        }
    }
}

impl TupleType {
    fn matches(&self, other: &TupleType) -> bool {
        Arc::ptr_eq(&self.components, &other.components)
            || (self.len() == other.len() && self.iter().zip(other.iter()).all(|(this, that)| this.matches(that)))
    }
}

impl ArrayType {
    /// The type of what `count` indexes address, `count` being at most the rank; unique if the array is.
    pub fn indexed(&self, count: usize) -> Type {
        if count < self.rank {
            return Type::Array(ArrayType { rank: self.rank - count, ..self.clone() });
        }
        match &self.element {
            Element::Basic(basic) => Type::Basic(*basic),
            Element::Tuple(components) => Type::Tuple(components.clone()).with_uniqueness(self.unique),
        }
    }

    /// The type of a row; unique if the array is.
    pub fn row(&self) -> Type {
        self.indexed(1)
    }
}

impl fmt::Display for BasicType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BasicType::Int => "int",
            BasicType::Real => "real",
            BasicType::Bool => "bool",
            BasicType::Char => "char",
            BasicType::Cert => "cert",
        })
    }
}

impl fmt::Display for TupleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (at, component) in self.iter().enumerate() {
            write!(f, "{}{component}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Basic(basic) => basic.fmt(f),
            Type::Tuple(components) => components.fmt(f),
            Type::Array(array) => {
                f.write_str(if array.unique { "*" } else { "" })?;
                f.write_str(&"[".repeat(array.rank))?;
                match &array.element {
                    Element::Basic(basic) => basic.fmt(f)?,
                    Element::Tuple(components) => components.fmt(f)?,
                }
                f.write_str(&"]".repeat(array.rank))
            }
            Type::Error => f.write_str("?"),
        }
    }
}
