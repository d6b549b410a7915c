//! How constants, constant arrays and names are written.
//!
//! An `i64` is a plain number and an `f64` a number with a point or exponent; other numbers carry their type (`5i32`, `2.5f32`).
//! Decimals are the shortest that round to the same bits. A `NaN` is `nan` whatever its bits: programs cannot tell them apart.

use crate::scalar::{Const, Scalar};
use crate::tensor::Tensor;
use std::fmt;

/// A constant with what it takes to recover its type.
pub(crate) struct Literal(pub(crate) Const);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bare(self.0).fmt(f)?;
        match self.0 {
            Const::Int(Scalar::I64, _) | Const::F64(_) | Const::Bool(_) | Const::Char(_) | Const::Cert => Ok(()),
            Const::Int(..) | Const::F32(_) => f.write_str(self.0.scalar().name()),
        }
    }
}

/// A constant whose type is known from the context.
pub(crate) struct Bare(pub(crate) Const);

impl fmt::Display for Bare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Const::Int(Scalar::U64, value) => write!(f, "{}", value as u64),
            Const::Int(_, value) => write!(f, "{value}"),
            Const::F32(bits) => match f32::from_bits(bits) {
                x if x.is_nan() => f.write_str("nan"),
                x => write!(f, "{x:?}"),
            },
            Const::F64(bits) => match f64::from_bits(bits) {
                x if x.is_nan() => f.write_str("nan"),
                x => write!(f, "{x:?}"),
            },
            Const::Bool(value) => write!(f, "{value}"),
            Const::Char(code) => {
                f.write_str("'")?;
                write_char(f, code, '\'')?;
                f.write_str("'")
            }
            Const::Cert => f.write_str("cert"),
        }
    }
}

/// A character inside quotes: printable ASCII as it is, all else escaped.
fn write_char(f: &mut fmt::Formatter<'_>, code: u32, quote: char) -> fmt::Result {
    match char::from_u32(code) {
        Some('\n') => f.write_str("\\n"),
        Some('\t') => f.write_str("\\t"),
        Some('\r') => f.write_str("\\r"),
        Some(c) if c == '\\' || c == quote => write!(f, "\\{c}"),
        Some(c @ ' '..='~') => write!(f, "{c}"),
        // Also what is no Unicode character: a `char` may come from any integer.
        Some(_) | None => write!(f, "\\u{{{code:x}}}"),
    }
}

/// A text in double quotes.
pub(crate) struct Quoted<I>(pub(crate) I);

impl<I: IntoIterator<Item = u32> + Clone> fmt::Display for Quoted<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        self.0.clone().into_iter().try_for_each(|code| write_char(f, code, '"'))?;
        f.write_str("\"")
    }
}

/// A constant array: `i32[2, 2] {1, 2, 3, 4}`, `char[2] "ab"`.
pub(crate) struct TensorLiteral<'a>(pub(crate) &'a Tensor);

impl fmt::Display for TensorLiteral<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensor = self.0;
        f.write_str(tensor.elem().name())?;
        if !tensor.shape().is_empty() {
            f.write_str("[")?;
            for (axis, extent) in tensor.shape().iter().enumerate() {
                write!(f, "{}{extent}", if axis == 0 { "" } else { ", " })?;
            }
            f.write_str("]")?;
        }
        let elements = (0..tensor.data().len()).map(|at| tensor.data().get(at));
        match tensor.elem() {
            Scalar::Cert => Ok(()),
            Scalar::Char => {
                let code = |c: Const| match c {
                    Const::Char(code) => code,
                    c => panic!("an element of a char array is a char, not {c:?}"),
                };
                write!(f, " {}", Quoted(elements.map(code)))
            }
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::F32
            | Scalar::F64
            | Scalar::Bool => {
                f.write_str(" {")?;
                for (at, element) in elements.enumerate() {
                    write!(f, "{}{}", if at == 0 { "" } else { ", " }, Bare(element))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The name of a function: `@scale`, or quoted where it is not a plain word: `@"a b"`.
pub(crate) struct GlobalName<'a>(pub(crate) &'a str);

impl fmt::Display for GlobalName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.chars().all(is_name_char) {
            write!(f, "@{}", self.0)
        } else {
            write!(f, "@{}", Quoted(self.0.chars().map(u32::from)))
        }
    }
}

/// True for what a global name may contain without quotes.
pub(crate) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\'' | '$')
}
