//! Writer of results, in the flattened form that L0 prints.

use crate::l0::signature::Signature;
use crate::l0::types::Type;
use frit_ir::scalar::Scalar;
use frit_ir::tensor::{Tensor, TensorData};
use std::fmt::Write;

/// The digits with which reals are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// As few as tell the value from all others of its type: what is read back is the same value. There is always a point or an
    /// exponent, and an exponent below 1e-4 and from 1e16 on.
    #[default]
    Shortest,
    /// So many behind the point, as C's `%.Nf`.
    Decimals(usize),
}

impl Digits {
    /// Appends a real of either type. Those without a literal are `inf`, `-inf` and `nan`.
    pub fn write(self, x: impl Into<f64> + Copy + std::fmt::Debug, out: &mut String) {
        let value: f64 = x.into();
        let written = match self {
            _ if value.is_nan() => out.write_str("nan"),
            // A `f32` has a shorter form of its own.
            Digits::Shortest => write!(out, "{x:?}"),
            Digits::Decimals(count) => write!(out, "{value:.count$}"),
        };
        written.expect("a string takes any text");
    }
}

/// So much text is handed over at a time.
const PIECE: usize = 64 << 10;

/// Gives `sink` the results of the entry function as one line of text, with its newline, piece by piece.
///
/// The tensors are all results of the entry function, hidden sizes included.
pub fn write_results(results: &[Tensor], signature: &Signature, digits: Digits, sink: &mut dyn FnMut(&str)) {
    let out = Out { text: String::new(), digits, sink };
    let mut writer = Writer { out, results: results.iter().skip(signature.hidden_results) };
    let parts = count_parts(&signature.result);
    if parts == 1 {
        writer.parts(&signature.result, true);
    } else {
        writer.out.push('{');
        writer.parts(&signature.result, true);
        writer.out.push('}');
    }
    writer.out.push('\n');
    (writer.out.sink)(&writer.out.text);
}

/// Text that is handed over in pieces.
struct Out<'a> {
    text: String,
    digits: Digits,
    sink: &'a mut dyn FnMut(&str),
}

impl Out<'_> {
    fn push(&mut self, c: char) {
        self.text.push(c);
    }

    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() >= PIECE {
            (self.sink)(&self.text);
            self.text.clear();
        }
    }

    fn real(&mut self, x: impl Into<f64> + Copy + std::fmt::Debug) {
        self.digits.write(x, &mut self.text);
        self.push_str("");
    }

    fn integer(&mut self, value: impl itoa::Integer) {
        self.push_str(itoa::Buffer::new().format(value));
    }
}

/// How many values a value of this type is printed as.
fn count_parts(ty: &Type) -> usize {
    match ty {
        Type::Basic(_) | Type::Error => 1,
        Type::Tuple(fields) => fields.iter().map(count_parts).sum(),
        Type::Array(_) => match ty.flat().components.len() {
            1 => 1,
            components => components + 1,
        },
    }
}

struct Writer<'a, 's, I: Iterator<Item = &'a Tensor>> {
    out: Out<'s>,
    results: I,
}

impl<'a, I: Iterator<Item = &'a Tensor>> Writer<'a, '_, I> {
    /// Writes the parts with separators between them; returns whether nothing was written yet, as `first` says on entry.
    fn parts(&mut self, ty: &Type, mut first: bool) -> bool {
        match ty {
            Type::Basic(_) | Type::Error => {
                self.separate(first);
                self.component();
                false
            }
            Type::Tuple(fields) => {
                for field in fields {
                    first = self.parts(field, first);
                }
                first
            }
            Type::Array(_) => {
                let components = ty.flat().components.len();
                if components > 1 {
                    // The certificate that the components have one length.
                    self.separate(first);
                    self.out.push_str("Checked");
                    first = false;
                }
                let is_unit = ty.element_is_empty();
                for _ in 0..components {
                    self.separate(first);
                    if is_unit {
                        self.units()
                    } else {
                        self.component()
                    }
                    first = false;
                }
                false
            }
        }
    }

    fn separate(&mut self, first: bool) {
        if !first {
            self.out.push_str(", ");
        }
    }

    /// Writes an array of empty tuples, of which only the size is known.
    fn units(&mut self) {
        let tensor = self.results.next().expect("an array has a component");
        write_axes(&mut self.out, tensor.shape());
    }

    fn component(&mut self) {
        let tensor = self.results.next().expect("there is a result for every component of the result type");
        array(&mut self.out, tensor, 0, 0);
    }
}

/// Writes a sub-array of `tensor`: of those that the indices before `axis` select, number `at` in row-major order.
fn array(out: &mut Out<'_>, tensor: &Tensor, axis: usize, at: usize) {
    let shape = tensor.shape();
    let Some(&extent) = shape.get(axis) else {
        element(out, tensor.data(), at);
        return;
    };
    if extent == 0 {
        let rank = shape.len() - axis - 1;
        out.push_str("empty(");
        (0..rank).for_each(|_| out.push('['));
        out.push_str(type_name(tensor.elem()));
        (0..rank).for_each(|_| out.push(']'));
        out.push(')');
        return;
    }
    if let (TensorData::Char(chars), true) = (tensor.data(), axis + 1 == shape.len()) {
        let row = &chars[at * extent..(at + 1) * extent];
        for &c in row {
            out.push_str(char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut [0; 4]));
        }
        return;
    }
    out.push('[');
    for row in 0..extent {
        if row > 0 {
            out.push_str(", ");
        }
        array(out, tensor, axis + 1, at * extent + row);
    }
    out.push(']');
}

/// Writes an array of this shape of empty tuples.
fn write_axes(out: &mut Out<'_>, shape: &[usize]) {
    match shape {
        [] => out.push_str("{}"),
        [0, inner @ ..] => {
            let brackets = |c: &str| c.repeat(inner.len());
            out.push_str(&format!("empty({}{{}}{})", brackets("["), brackets("]")));
        }
        [extent, inner @ ..] => {
            out.push('[');
            for row in 0..*extent {
                if row > 0 {
                    out.push_str(", ");
                }
                write_axes(out, inner);
            }
            out.push(']');
        }
    }
}

fn element(out: &mut Out<'_>, data: &TensorData, at: usize) {
    match data {
        TensorData::I8(v) => out.integer(v[at]),
        TensorData::I16(v) => out.integer(v[at]),
        TensorData::I32(v) => out.integer(v[at]),
        TensorData::I64(v) => out.integer(v[at]),
        TensorData::U8(v) => out.integer(v[at]),
        TensorData::U16(v) => out.integer(v[at]),
        TensorData::U32(v) => out.integer(v[at]),
        TensorData::U64(v) => out.integer(v[at]),
        TensorData::F32(v) => out.real(v[at]),
        TensorData::F64(v) => out.real(v[at]),
        TensorData::Bool(v) => out.push_str(if v[at] { "True" } else { "False" }),
        TensorData::Char(v) => character(out, v[at]),
        TensorData::Cert(_) => out.push_str("Checked"),
    }
}

fn character(out: &mut Out<'_>, code: u32) {
    match char::from_u32(code) {
        Some('\n') => out.push_str("'\\n'"),
        Some('\t') => out.push_str("'\\t'"),
        Some('\r') => out.push_str("'\\r'"),
        Some(c @ ('\'' | '\\')) => out.push_str(&format!("'\\{c}'")),
        Some(c) if !c.is_control() => out.push_str(&format!("'{c}'")),
        Some(_) | None => out.push_str(&format!("'\\{code}'")),
    }
}

/// The name of the L0 type that this type represents.
fn type_name(elem: Scalar) -> &'static str {
    match elem {
        Scalar::F32 | Scalar::F64 => "real",
        Scalar::Bool => "bool",
        Scalar::Char => "char",
        Scalar::Cert => "cert",
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
            "int"
        }
    }
}
