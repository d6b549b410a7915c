//! What the checker knows of a value: the type of its elements, and of its shape what follows from the text.

use crate::sac::ast::Basic;
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Program};
use std::rc::Rc;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ty {
    /// The elements; `None` if they are unknown because of a mistake that was reported.
    pub elem: Option<Elem>,
    /// The shapes it may have.
    pub class: Class,
    /// The components of an `int` vector, as far as they are known.
    pub value: Option<Rc<[Option<i64>]>>,
}

pub(super) const INT: Elem = Elem::Basic(Basic::Int);
pub(super) const LONG: Elem = Elem::Basic(Basic::Long);
pub(super) const BOOL: Elem = Elem::Basic(Basic::Bool);
pub(super) const CHAR: Elem = Elem::Basic(Basic::Char);

impl Ty {
    /// The type of something that a mistake was reported for.
    pub(super) fn error() -> Ty {
        Ty { elem: None, class: Class::AtLeast(0), value: None }
    }

    pub(super) fn new(elem: Elem, class: Class) -> Ty {
        Ty { elem: Some(elem), class, value: None }
    }

    pub(super) fn scalar(elem: Elem) -> Ty {
        Ty::new(elem, scalar())
    }

    /// An `int` vector of this length.
    pub(super) fn index(length: Option<usize>) -> Ty {
        Ty::new(INT, vector(length))
    }

    /// An `int` vector with these components.
    pub(super) fn known(value: Vec<Option<i64>>) -> Ty {
        Ty { elem: Some(INT), class: vector(Some(value.len())), value: Some(value.into()) }
    }

    pub(super) fn is_error(&self) -> bool {
        self.elem.is_none()
    }

    pub(super) fn is_scalar(&self) -> bool {
        self.class == scalar()
    }

    /// What is known of a value that has one of these types.
    pub(super) fn join(&self, other: &Ty) -> Ty {
        let value = match (&self.value, &other.value) {
            (Some(x), Some(y)) if x.len() == y.len() => {
                Some(x.iter().zip(y.iter()).map(|(x, y)| if x == y { *x } else { None }).collect())
            }
            _ => None,
        };
        Ty { elem: if self.elem == other.elem { self.elem } else { None }, class: self.class.join(&other.class), value }
    }

    /// The least that is known of a value of its elements.
    pub(super) fn widest(&self) -> Ty {
        Ty { elem: self.elem, class: Class::AtLeast(0), value: None }
    }

    /// The length of a vector, if known.
    pub(super) fn length(&self) -> Option<usize> {
        match &self.class {
            Class::Extents(extents) if extents.len() == 1 => extents[0].and_then(|n| usize::try_from(n).ok()),
            Class::Extents(_) | Class::AtLeast(_) => None,
        }
    }
}

pub(super) fn scalar() -> Class {
    Class::Extents(Vec::new())
}

pub(super) fn any() -> Class {
    Class::AtLeast(0)
}

pub(super) fn vector(length: Option<usize>) -> Class {
    Class::Extents(vec![length.and_then(|n| i64::try_from(n).ok())])
}

/// The class of arrays that have cells of the second class along axes of the first.
pub(super) fn cells_along(frame: &Class, cell: &Class) -> Class {
    match (frame, cell) {
        (Class::Extents(x), Class::Extents(y)) => Class::Extents(x.iter().chain(y).copied().collect()),
        _ => Class::AtLeast(frame.least_rank() + cell.least_rank()),
    }
}

/// The class without so many leading axes; `None` if no shape of it has so many.
pub(super) fn without_leading(class: &Class, axes: usize) -> Option<Class> {
    match class {
        Class::Extents(extents) => extents.get(axes..).map(|rest| Class::Extents(rest.to_vec())),
        Class::AtLeast(n) => Some(Class::AtLeast(n.saturating_sub(axes))),
    }
}

/// The class without the trailing axes of a cell; `None` if no shape of it ends so.
pub(super) fn without_cell(class: &Class, cell: &[i64]) -> Option<Class> {
    match class {
        Class::Extents(extents) => {
            let frame = extents.len().checked_sub(cell.len())?;
            let fits = extents[frame..].iter().zip(cell).all(|(known, wanted)| known.is_none_or(|n| n == *wanted));
            fits.then(|| Class::Extents(extents[..frame].to_vec()))
        }
        Class::AtLeast(n) => Some(Class::AtLeast(n.saturating_sub(cell.len()))),
    }
}

/// The class of arrays of the extents given.
pub(super) fn exactly(extents: &[i64]) -> Class {
    Class::Extents(extents.iter().map(|n| Some(*n)).collect())
}

/// A type for messages, as `double[.,.]`.
pub(super) fn type_name(program: &Program, ty: &Ty) -> String {
    match ty.elem {
        Some(elem) => format!("{}{}", program.elem_name(elem), ty.class),
        None => "?".to_string(),
    }
}

pub(super) fn is_integer(basic: Basic) -> bool {
    basic.scalar().is_integer()
}

pub(super) fn is_real(elem: Elem) -> bool {
    matches!(elem, Elem::Basic(Basic::Float | Basic::Double))
}
