//! What expressions are when a function is compiled: numbers and arrays of the IR, and what only the compiler sees, such as
//! tuples, slices and functions.

use super::memory::Array;
use frit_ir::Scalar;
use frit_ir::array::Operand;

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// A scalar of Python or NumPy.
    Number(Number),
    /// An array.
    Array(Array),
    /// A tuple or list.
    Tuple(Vec<Item>),
    /// `lower:upper:step` in a subscript.
    Slice([Option<Number>; 3]),
    /// `range(start, stop, step)`; the step is a constant.
    Range { start: Operand, stop: Operand, step: i64 },
    /// `None`, which is `np.newaxis` too.
    None,
    /// `...`
    Ellipsis,
    /// A string.
    Text(String),
    /// An element type, as `np.float32` or `float`.
    Dtype(Scalar),
    /// Something of Python or NumPy by its full name, as `numpy.sum` or `len`.
    Library(String),
    /// A function of the module, by its position.
    Function(usize),
    /// A method of an array: `a.sum`.
    Method(Array, String),
    /// A variable that a loop assigns, which may not have run: the condition under which it has a value.
    Perhaps(Box<Item>, Operand),
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    /// Its value.
    pub x: Operand,
    /// Its type.
    pub elem: Scalar,
    /// It is Python's own, whose type gives way to that of arrays.
    pub weak: bool,
}

impl Number {
    /// A number of NumPy.
    pub(super) fn strong(x: Operand, elem: Scalar) -> Self {
        Self { x, elem, weak: false }
    }

    /// A number of Python.
    pub(super) fn weak(x: Operand, elem: Scalar) -> Self {
        Self { x, elem, weak: true }
    }

    /// A Python integer.
    pub(super) fn int(x: Operand) -> Self {
        Self::weak(x, Scalar::I64)
    }
}

impl Item {
    /// What messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Item::Number(Number { elem, weak: true, .. }) => match elem {
                Scalar::Bool => "a bool".into(),
                Scalar::F64 => "a float".into(),
                _ => "an int".into(),
            },
            Item::Number(Number { elem, .. }) => format!("a {}", super::types::name(*elem)),
            Item::Array(array) => format!("an array of {} with {} axes", super::types::name(array.elem), array.rank()),
            Item::Tuple(items) => format!("a tuple of {}", items.len()),
            Item::Slice(_) => "a slice".into(),
            Item::Range { .. } => "a range".into(),
            Item::None => "None".into(),
            Item::Ellipsis => "an ellipsis".into(),
            Item::Text(_) => "a string".into(),
            Item::Dtype(elem) => format!("the type {}", super::types::name(*elem)),
            Item::Library(name) => format!("`{name}`"),
            Item::Function(_) => "a function".into(),
            Item::Method(_, name) => format!("the method `{name}`"),
            Item::Perhaps(item, _) => item.name(),
        }
    }
}
