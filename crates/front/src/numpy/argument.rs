//! The arguments of a call: what code is compiled for, and their values as text.

use super::types;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use rustpython_parser::Parse;
use rustpython_parser::ast::{self, Constant, Expr, UnaryOp};

/// What code depends on of an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The element type, or that of the parts of complex numbers.
    pub elem: Scalar,
    /// It is complex: its tensor has an axis more, of two parts.
    pub is_complex: bool,
    /// For each axis, whether its extent is 1: such axes are broadcast.
    pub is_one: Vec<bool>,
    /// It is a number of Python, whose type gives way to that of arrays.
    pub is_python: bool,
    /// It is an object that only calls which are not compiled take: its class. A truth value stands for it.
    pub object: Option<String>,
    /// Where its elements are.
    pub layout: Layout,
}

/// Where the elements of an array are in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One behind the other in C's order, in memory of their own.
    #[default]
    C,
    /// The same with the axes in another order, from the outermost to the innermost.
    Ordered(Vec<usize>),
    /// It is the same array as an earlier argument, by its position.
    Same(usize),
    /// They are a part of an array that is passed on its own. Other arguments may be parts of it too.
    Part {
        /// Which array; they are numbered in the order in which arguments mention them.
        whole: usize,
        /// How each axis of that array is seen.
        along: Vec<Along>,
        /// For each axis of the argument, the axis of that array; none where the extent is 1.
        axes: Vec<Option<usize>>,
    },
}

/// How an axis of an array is seen by an argument that is a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// All of it, forwards.
    All,
    /// From a start that is given with the call, in steps of this size.
    Steps(i64),
}

/// What a parameter of a compiled function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// An array that arguments are parts of, by its number; its axes are in C's order.
    Whole(usize),
    /// An argument, by its position; an array as its layout orders the axes.
    Argument(usize),
    /// The extent of an argument along an axis.
    Extent(usize, usize),
    /// Where an argument begins along an axis of the array that it is a part of.
    Start(usize, usize),
}

/// An extent that the parameters of a compiled function give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A constant.
    Const(i64),
    /// That of a parameter along an axis.
    Axis(usize, usize),
    /// The value of a parameter.
    Number(usize),
}

impl Argument {
    /// That of a tensor of reals; `is_python` for a number of Python.
    pub fn of(tensor: &Tensor, is_python: bool) -> Self {
        Self {
            elem: tensor.elem(),
            is_complex: false,
            is_one: tensor.shape().iter().map(|&extent| extent == 1).collect(),
            is_python,
            object: None,
            layout: Layout::C,
        }
    }

    /// That of a tensor of complex numbers, whose parts are along its last axis.
    pub fn complex(tensor: &Tensor) -> Self {
        let mut argument = Self { is_complex: true, ..Self::of(tensor, false) };
        argument.is_one.pop();
        argument
    }

    /// That of an object of this class.
    pub fn object(class: &str) -> Self {
        let object = Some(class.to_string());
        Self { elem: Scalar::Bool, is_complex: false, is_one: Vec::new(), is_python: true, object, layout: Layout::C }
    }

    /// The arguments of these types, as in `float64[:, :], int`; `1` stands for an extent of 1.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn list(types: &str) -> Result<Vec<Self>, String> {
        let mut arguments = Vec::new();
        let mut rest = types.trim();
        while !rest.is_empty() {
            let end = rest.find([',', '[']).unwrap_or(rest.len());
            let name = rest[..end].trim();
            let dtype = types::named(name).ok_or_else(|| format!("`{name}` is no element type"))?;
            rest = &rest[end..];
            let mut is_one = Vec::new();
            if let Some(inside) = rest.strip_prefix('[') {
                let (axes, after) = inside.split_once(']').ok_or("a `]` is missing")?;
                for axis in axes.split(',') {
                    is_one.push(match axis.trim() {
                        ":" => false,
                        "1" => true,
                        other => return Err(format!("an axis is `:` or `1`, not `{other}`")),
                    });
                }
                rest = after.trim_start();
            }
            let is_python = is_one.is_empty() && matches!(name, "int" | "float" | "bool" | "complex");
            let (elem, is_complex) = (dtype.elem, dtype.is_complex);
            arguments.push(Self { elem, is_complex, is_one, is_python, object: None, layout: Layout::C });
            rest = rest.strip_prefix(',').unwrap_or(rest).trim();
        }
        Ok(arguments)
    }

    /// NumPy's name of the element type.
    pub fn elements(&self) -> &'static str {
        types::Dtype { elem: self.elem, is_complex: self.is_complex }.name()
    }

    /// The type as NumPy writes it.
    pub fn describe(&self) -> String {
        let name = self.elements();
        if self.is_one.is_empty() {
            name.to_string()
        } else {
            format!("{name}[{}]", vec![":"; self.is_one.len()].join(", "))
        }
    }
}

/// The value of a Python literal: a number, or nested lists of numbers, which make an array.
///
/// # Errors
///
/// What is wrong with it.
pub fn literal(text: &str) -> Result<(Tensor, Argument), String> {
    let expr =
        Expr::parse(text, "argument").map_err(|error| format!("`{text}` is no Python literal: {}", error.error))?;
    let (mut shape, mut numbers) = (Vec::new(), Vec::new());
    collect(&expr, 0, &mut shape, &mut numbers)?;
    let elem = numbers.iter().map(|number| number.scalar()).reduce(types::promote).unwrap_or(Scalar::F64);
    let mut data = TensorData::empty(elem);
    for number in numbers {
        data.push(if number.scalar() == elem { number } else { frit_ir::scalar::UnOp::Convert(elem).eval(number) });
    }
    let is_python = shape.is_empty();
    let tensor = Tensor::new(shape, data).ok_or_else(|| format!("`{text}`: rows differ in length"))?;
    let argument = Argument::of(&tensor, is_python);
    Ok((tensor, argument))
}

fn collect(expr: &Expr, depth: usize, shape: &mut Vec<usize>, numbers: &mut Vec<Const>) -> Result<(), String> {
    match expr {
        Expr::List(ast::ExprList { elts, .. }) | Expr::Tuple(ast::ExprTuple { elts, .. }) => {
            match shape.get(depth) {
                None if numbers.is_empty() => shape.push(elts.len()),
                Some(&extent) if extent == elts.len() => {}
                _ => return Err("the rows of an array must have one length".into()),
            }
            elts.iter().try_for_each(|element| collect(element, depth + 1, shape, numbers))
        }
        _ if depth != shape.len() => Err("the rows of an array must have one length".into()),
        _ => {
            numbers.push(number(expr).ok_or("an argument is a number, a list of numbers, or a .npy file")?);
            Ok(())
        }
    }
}

/// The constant that an expression is.
pub(super) fn number(expr: &Expr) -> Option<Const> {
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::Bool(value) => Some(Const::Bool(*value)),
            Constant::Int(value) => Some(Const::i64(i64::try_from(value).ok()?)),
            Constant::Float(value) => Some(Const::f64(*value)),
            _ => None,
        },
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => match number(operand)? {
            Const::Int(kind, value) => Some(Const::int(kind, value.checked_neg()?)),
            Const::F64(bits) => Some(Const::f64(-f64::from_bits(bits))),
            _ => None,
        },
        Expr::Name(name) if name.id.as_str() == "inf" => Some(Const::f64(f64::INFINITY)),
        Expr::Name(name) if name.id.as_str() == "nan" => Some(Const::f64(f64::NAN)),
        _ => None,
    }
}
