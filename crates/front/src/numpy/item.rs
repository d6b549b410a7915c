//! What expressions are when a function is compiled: numbers and arrays of the IR, and what only the compiler sees, such as
//! tuples, slices and functions.

use super::callback::OUTSIDE;
use super::memory::Array;
use super::types::Dtype;
use frit_ir::array::Operand;
use frit_ir::{Const, Scalar};

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// A scalar of Python or NumPy.
    Number(Number),
    /// An array.
    Array(Array),
    /// A complex number or array: its real and imaginary part, numbers or arrays of one type and shape.
    Complex(Box<[Item; 2]>),
    /// A tuple.
    Tuple(Vec<Item>),
    /// `lower:upper:step` in a subscript.
    Slice([Option<Number>; 3]),
    /// `range(start, stop, step)`.
    Range { start: Operand, stop: Operand, step: Operand },
    /// Tuples of the items of each, as `zip` and `enumerate` make them.
    Zip(Vec<Item>),
    /// Tuples of an item of each, the last running fastest.
    Product(Vec<Item>),
    /// `None`, which is `np.newaxis` too.
    None,
    /// `...`
    Ellipsis,
    /// A string.
    Text(String),
    /// An element type of NumPy, as `np.float32`.
    Dtype(Dtype),
    /// A type of Python's numbers, as `float`.
    PythonType(Dtype),
    /// Something of Python or NumPy by its full name, as `numpy.sum` or `len`.
    Library(String),
    /// A function of the program, by its position in [`Lowering::functions`](super::function::Lowering), and for a function
    /// inside a function the variables around it, by their position in [`State::scopes`](super::function::State).
    Function(usize, Option<usize>),
    /// A method: `a.sum`.
    Method(Box<Item>, String),
    /// A class of named tuples: the names of its fields.
    Fields(Vec<String>),
    /// A named tuple; or a list or dictionary, which [`container`](super::container) tells by the first name.
    Named(Vec<String>, Vec<Item>),
    /// An object of Python that only calls which are not compiled take: its name in them, and its class.
    Object(String, String),
    /// A variable that has a value on some ways only: the condition under which it has one.
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

    /// A constant of Python's type `bool`.
    pub(super) fn truth(holds: bool) -> Self {
        Self::weak(Operand::Const(Const::Bool(holds)), Scalar::Bool)
    }

    /// A constant of Python's type `float`.
    pub(super) fn float(value: f64) -> Self {
        Self::weak(Operand::Const(Const::f64(value)), Scalar::F64)
    }

    /// A Python integer.
    pub(super) fn int(x: Operand) -> Self {
        Self::weak(x, Scalar::I64)
    }
}

impl Item {
    /// A Python integer that is known.
    pub(super) fn int(value: i64) -> Self {
        Item::Number(Number::int(Operand::i64(value)))
    }

    /// The item with tuples in the place of lists, for functions that take both.
    pub(super) fn without_lists(self) -> Self {
        match self {
            Item::Named(names, items) if Item::is_list(&names) => {
                Item::Tuple(items.into_iter().map(Item::without_lists).collect())
            }
            Item::Tuple(items) => Item::Tuple(items.into_iter().map(Item::without_lists).collect()),
            item => item,
        }
    }

    /// True if only Python knows what it is.
    pub(super) fn is_outside(&self) -> bool {
        match self {
            Item::Object(..) => true,
            Item::Library(path) => path.starts_with(OUTSIDE),
            _ => false,
        }
    }

    /// The item with numbers of NumPy in the place of Python's.
    pub(super) fn of_numpy(self) -> Self {
        match self {
            Item::Number(number) => Item::Number(Number { weak: false, ..number }),
            Item::Complex(parts) => Item::Complex(Box::new(parts.map(Item::of_numpy))),
            item => item,
        }
    }

    /// The item with numbers of Python in the place of NumPy's.
    pub(super) fn of_python(self) -> Self {
        match self {
            Item::Number(number) => Item::Number(Number { weak: true, ..number }),
            Item::Tuple(items) => Item::Tuple(items.into_iter().map(Item::of_python).collect()),
            item => item,
        }
    }

    /// A complex item of two parts.
    pub(super) fn complex(re: Item, im: Item) -> Self {
        Item::Complex(Box::new([re, im]))
    }

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
            Item::Complex(parts) => format!("complex, in parts {}", parts[0].name()),
            Item::Named(names, items) if Item::is_list(names) => format!("a list of {}", items.len()),
            Item::Named(..) if self.grown().is_some() => "a list that a loop makes longer".into(),
            Item::Named(names, _) if Item::is_dict(names) => "a dictionary".into(),
            Item::Tuple(items) | Item::Named(_, items) => format!("a tuple of {}", items.len()),
            Item::Zip(_) | Item::Product(_) => "an iterator".into(),
            Item::Fields(_) => "a class".into(),
            Item::Slice(_) => "a slice".into(),
            Item::Range { .. } => "a range".into(),
            Item::None => "None".into(),
            Item::Ellipsis => "an ellipsis".into(),
            Item::Text(_) => "a string".into(),
            Item::Dtype(dtype) | Item::PythonType(dtype) => format!("the type {}", dtype.name()),
            Item::Library(name) => format!("`{}`", name.strip_prefix(OUTSIDE).unwrap_or(name)),
            Item::Function(..) => "a function".into(),
            Item::Method(_, name) => format!("the method `{name}`"),
            Item::Object(_, class) => format!("an object of `{class}`"),
            Item::Perhaps(item, _) => item.name(),
        }
    }
}
