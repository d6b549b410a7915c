//! Reader of values. One pass over the bytes; recursion is as deep as the type, never as deep as the text.

use crate::l0::ast::BasicType;
use crate::l0::signature::{Component, Flat, Parameter};
use crate::l0::types::{ArrayType, Element, Type};
use frit_ir::tensor::{Tensor, TensorData};
use frit_support::{Diagnostic, FileId, Index, Span, impl_error};

/// Why a text is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// What is wrong.
    pub kind: InputErrorKind,
    /// The byte where it begins.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// What can be wrong with input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputErrorKind {
    /// The text ends before the value does: what was expected.
    Missing {
        /// In words.
        expected: String,
    },
    /// Something else is there.
    Unexpected {
        /// In words.
        expected: String,
    },
    /// An integer that 64 bits do not hold.
    IntegerTooLarge,
    /// A character or string that is not well-formed.
    BadEscape,
    /// Rows of one array differ in shape.
    Irregular {
        /// The size of earlier rows.
        earlier: usize,
        /// That of this one.
        this: usize,
    },
    /// There is text after the last value.
    LeftOver,
}

impl_error!(InputError, |error| error.diagnostic(FileId::new(0)).message);

impl InputError {
    /// The message, for a text that is this file of the source map.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let (message, label) = match &self.kind {
            InputErrorKind::Missing { expected } => (format!("the input ends where {expected} should be"), "ends here"),
            InputErrorKind::Unexpected { expected } => (format!("{expected} should be here"), "this is something else"),
            InputErrorKind::IntegerTooLarge => ("the integer does not fit into 64 bits".into(), "too large"),
            InputErrorKind::BadEscape => ("the character or string is not well-formed".into(), "here"),
            InputErrorKind::Irregular { earlier, this } => (
                format!(
                    "the rows of an array must have one shape, but this one has size {this} and an earlier one {earlier}"
                ),
                "this row differs",
            ),
            InputErrorKind::LeftOver => ("there is more input than the function has parameters".into(), "not needed"),
        };
        Diagnostic::error("bad-input", message).label(Span::new(file, self.start, self.end), label)
    }

    /// Line and column (in characters) of the mistake in the text, both from 1.
    pub fn position(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.bytes().filter(|&b| b == b'\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Reads one value per parameter, and nothing else. The tensors are the components of the values, in order. With no
/// parameters the text is ignored.
pub fn read_arguments(text: &str, params: &[Parameter]) -> Result<Vec<Tensor>, InputError> {
    let mut reader = Reader::new(text);
    let mut arguments = Vec::new();
    for param in params {
        let what = || format!("a value of type {} for `{}`", param.ty, param.name);
        reader.skip_space();
        if reader.at_end() {
            return Err(reader.error(InputErrorKind::Missing { expected: what() }));
        }
        arguments.extend(reader.value(&param.ty)?);
    }
    if !params.is_empty() {
        reader.finish()?;
    }
    Ok(arguments)
}

/// Reads one value of this type, and nothing else.
pub fn read_value(text: &str, ty: &Type) -> Result<Vec<Tensor>, InputError> {
    let mut reader = Reader::new(text);
    let components = reader.value(ty)?;
    reader.finish()?;
    Ok(components)
}

/// A type with the numbers of its components and dimensions.
enum Layout {
    Basic { component: usize, basic: BasicType },
    Tuple(Vec<Layout>),
    Array { first_dim: usize, array: ArrayType, element: Box<Layout>, placeholder: Option<usize> },
}

impl Layout {
    fn new(ty: &Type, component: &mut usize, dim: &mut usize) -> Self {
        match ty {
            Type::Basic(basic) => Layout::basic(*basic, component),
            Type::Tuple(fields) => Layout::tuple(fields, component, dim),
            Type::Array(array) => {
                let first_dim = *dim;
                *dim += array.rank;
                let before = *component;
                let element = Box::new(match &array.element {
                    Element::Basic(basic) => Layout::basic(*basic, component),
                    Element::Tuple(fields) => Layout::tuple(fields, component, dim),
                });
                let placeholder = (*component == before).then_some(before);
                *component += usize::from(placeholder.is_some());
                Layout::Array { first_dim, array: array.clone(), element, placeholder }
            }
            Type::Error => unreachable!("a checked program has no type of a mistake"),
        }
    }

    fn basic(basic: BasicType, component: &mut usize) -> Self {
        *component += 1;
        Layout::Basic { component: *component - 1, basic }
    }

    fn tuple(fields: &[Type], component: &mut usize, dim: &mut usize) -> Self {
        Layout::Tuple(fields.iter().map(|field| Layout::new(field, component, dim)).collect())
    }
}

/// The components read so far, and the extents found.
struct Components {
    data: Vec<TensorData>,
    extents: Vec<Option<usize>>,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// No array has more elements: there is a comma between any two.
    most_elements: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self { text, bytes, at: 0, most_elements: memchr::memchr_iter(b',', bytes).count() + 1 }
    }

    fn value(&mut self, ty: &Type) -> Result<Vec<Tensor>, InputError> {
        let Flat { components, dims } = ty.flat();
        let layout = Layout::new(ty, &mut 0, &mut 0);
        // An array grows in its place: of memory that it does not come to use there are only addresses.
        let data = components.iter().map(|c| match c.dims[..] {
            [] => TensorData::empty(c.elem),
            _ => TensorData::with_capacity(c.elem, self.most_elements),
        });
        let data = data.collect();
        let mut read = Components { data, extents: vec![None; dims] };
        self.read(&layout, &mut read)?;
        // A dimension below an empty one was never seen: it has no elements either.
        let extents: Vec<usize> = read.extents.iter().map(|extent| extent.unwrap_or(0)).collect();
        let tensor = |(component, data): (&Component, TensorData)| {
            let shape = component.dims.iter().map(|&dim| extents[dim]).collect();
            Tensor::new(shape, data).expect("every row read has the extents found")
        };
        Ok(components.iter().zip(read.data).map(tensor).collect())
    }

    fn read(&mut self, layout: &Layout, out: &mut Components) -> Result<(), InputError> {
        match layout {
            Layout::Basic { component, basic } => self.basic(*basic, &mut out.data[*component]),
            Layout::Tuple(fields) => {
                let close = match self.peek() {
                    Some(b'{') => b'}',
                    Some(b'(') => b')',
                    _ => return Err(self.unexpected("a tuple, `{...}`,")),
                };
                self.at += 1;
                for (at, field) in fields.iter().enumerate() {
                    if at > 0 {
                        self.expect(b',', "a `,` and the next component of the tuple")?;
                    }
                    self.read(field, out)?;
                }
                self.expect(close, if close == b'}' { "the `}` of the tuple" } else { "the `)` of the tuple" })
            }
            Layout::Array { .. } => self.axis(layout, 0, out),
        }
    }

    /// Reads a part of an array from its dimension `axis` on.
    fn axis(&mut self, layout: &Layout, axis: usize, out: &mut Components) -> Result<(), InputError> {
        let Layout::Array { first_dim, array, element, placeholder } = layout else {
            unreachable!("only arrays have axes");
        };
        let is_innermost = axis + 1 == array.rank;
        let next = self.peek();
        let start = self.at;
        let count = match (next, &**element) {
            (Some(b'"'), Layout::Basic { component, basic: BasicType::Char }) if is_innermost => {
                let TensorData::Char(chars) = &mut out.data[*component] else {
                    unreachable!("characters are stored as characters");
                };
                let before = chars.len();
                self.string(chars)?;
                chars.len() - before
            }
            (Some(b'e'), _) => {
                self.empty(&row_type(array, axis))?;
                0
            }
            (Some(b'['), _) => {
                self.at += 1;
                let mut count = 0;
                if self.peek() == Some(b']') {
                    self.at += 1;
                } else {
                    loop {
                        if is_innermost {
                            self.read(element, out)?;
                            if let Some(placeholder) = placeholder
                                && let TensorData::Cert(certs) = &mut out.data[*placeholder]
                            {
                                *certs += 1;
                            }
                        } else {
                            self.axis(layout, axis + 1, out)?;
                        }
                        count += 1;
                        match self.peek() {
                            Some(b',') => self.at += 1,
                            Some(b']') => {
                                self.at += 1;
                                break;
                            }
                            _ => return Err(self.unexpected("a `,` or the `]` of the array")),
                        }
                    }
                }
                count
            }
            _ => return Err(self.unexpected(&format!("an array, `[...]`, of {}", row_type(array, axis)))),
        };
        match out.extents[first_dim + axis] {
            None => out.extents[first_dim + axis] = Some(count),
            Some(earlier) if earlier != count => {
                return Err(InputError {
                    kind: InputErrorKind::Irregular { earlier, this: count },
                    start,
                    end: self.at,
                });
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn basic(&mut self, basic: BasicType, out: &mut TensorData) -> Result<(), InputError> {
        match (basic, out) {
            (BasicType::Int, TensorData::I64(out)) => out.push(self.integer()?),
            (BasicType::Real, TensorData::F64(out)) => out.push(self.real()?),
            (BasicType::Bool, TensorData::Bool(out)) => {
                let start = self.start();
                match self.word() {
                    "True" => out.push(true),
                    "False" => out.push(false),
                    _ => return Err(self.unexpected_from(start, "`True` or `False`")),
                }
            }
            (BasicType::Char, TensorData::Char(out)) => out.push(self.character()?),
            (BasicType::Cert, TensorData::Cert(certs)) => {
                let start = self.start();
                if self.word() != "Checked" {
                    return Err(self.unexpected_from(start, "`Checked`"));
                }
                *certs += 1;
            }
            (BasicType::Int | BasicType::Real | BasicType::Bool | BasicType::Char | BasicType::Cert, _) => {
                unreachable!("a component holds elements of its type")
            }
        }
        Ok(())
    }

    fn integer(&mut self) -> Result<i64, InputError> {
        let start = self.start();
        let negative = self.sign();
        let digits = self.at;
        let mut value: i64 = 0;
        let mut fits = true;
        while let Some(digit) = self.byte().filter(u8::is_ascii_digit) {
            // Accumulated below zero, where there is room for the most negative number.
            let next = value.checked_mul(10).and_then(|v| v.checked_sub(i64::from(digit - b'0')));
            fits &= next.is_some();
            value = next.unwrap_or(0);
            self.at += 1;
        }
        if self.at == digits || self.byte().is_some_and(continues_number) {
            return Err(self.unexpected_from(start, "an integer"));
        }
        let value = if negative { Some(value) } else { value.checked_neg() };
        let too_large = InputError { kind: InputErrorKind::IntegerTooLarge, start, end: self.at };
        value.filter(|_| fits).ok_or(too_large)
    }

    fn real(&mut self) -> Result<f64, InputError> {
        let start = self.start();
        let negative = self.sign();
        let number = self.at;
        // The digits as an integer; right if they are few.
        let mut significand = 0;
        let mut digits = self.digits(&mut significand);
        let mut decimals = 0;
        if self.byte() == Some(b'.') {
            self.at += 1;
            decimals = self.digits(&mut significand);
            digits += decimals;
        }
        if (1..=19).contains(&digits) && !self.byte().is_some_and(continues_number) {
            // The quotient of two numbers that are exact, rounded once.
            if let (true, Some(power)) = (significand < 1 << 53, POWERS_OF_TEN.get(decimals)) {
                let value = significand as f64 / power;
                return Ok(if negative { -value } else { value });
            }
        }
        let mut old_exponent = None;
        if digits > 0 && matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            match self.byte() {
                Some(b'~') => {
                    old_exponent = Some(self.at);
                    self.at += 1;
                }
                Some(b'+' | b'-') => self.at += 1,
                _ => {}
            }
            if self.digits(&mut significand) == 0 {
                return Err(self.unexpected_from(start, "a real number"));
            }
        } else if digits == 0 && self.at == number {
            // What the writer prints for numbers that have no literal.
            let special = match self.word() {
                "inf" => Some(f64::INFINITY),
                "nan" => Some(f64::NAN),
                _ => None,
            };
            let special = special.ok_or_else(|| self.unexpected_from(start, "a real number"))?;
            return Ok(if negative { -special } else { special });
        }
        if digits == 0 || self.byte().is_some_and(continues_number) {
            return Err(self.unexpected_from(start, "a real number"));
        }
        let parsed = match old_exponent {
            None => self.text[number..self.at].parse::<f64>(),
            Some(tilde) => format!("{}-{}", &self.text[number..tilde], &self.text[tilde + 1..self.at]).parse(),
        };
        let value = parsed.map_err(|_| self.unexpected_from(start, "a real number"))?;
        Ok(if negative { -value } else { value })
    }

    /// Skips a minus sign in either spelling; true if there was one.
    fn sign(&mut self) -> bool {
        let negative = matches!(self.byte(), Some(b'-' | b'~'));
        if negative {
            self.at += 1;
            self.skip_space();
        }
        negative
    }

    /// Skips digits and counts them; they are appended to `value`, modulo 2^64.
    fn digits(&mut self, value: &mut u64) -> usize {
        let start = self.at;
        while let Some(digit) = self.byte().map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
            *value = value.wrapping_mul(10).wrapping_add(digit.into());
            self.at += 1;
        }
        self.at - start
    }

    /// Takes letters and digits.
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while self.byte().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Takes `empty(t)` where `t` is this type.
    fn empty(&mut self, row: &Type) -> Result<(), InputError> {
        let start = self.start();
        let expected = format!("an array of {row}, as `[...]` or `empty({row})`,");
        if self.word() != "empty" || self.peek() != Some(b'(') {
            return Err(self.unexpected_from(start, &expected));
        }
        self.at += 1;
        for expected_byte in row.to_string().bytes().filter(|byte| *byte != b' ') {
            // White space may stand between tokens; inside a keyword it cannot be told from it here, and does no harm.
            if self.peek() != Some(expected_byte) {
                return Err(self.unexpected_from(start, &expected));
            }
            self.at += 1;
        }
        self.expect(b')', &expected)
    }

    fn character(&mut self) -> Result<u32, InputError> {
        let start = self.start();
        if self.byte() != Some(b'\'') {
            return Err(self.unexpected("a character, `'c'`,"));
        }
        self.at += 1;
        let bad = |reader: &Self| InputError { kind: InputErrorKind::BadEscape, start, end: reader.at };
        let c = match self.next_char() {
            Some('\\') => self.escape().ok_or_else(|| bad(self))?,
            Some(c) if c != '\'' && c != '\n' => c.into(),
            _ => return Err(bad(self)),
        };
        if self.byte() != Some(b'\'') {
            return Err(bad(self));
        }
        self.at += 1;
        Ok(c)
    }

    fn string(&mut self, out: &mut Vec<u32>) -> Result<(), InputError> {
        let start = self.at;
        self.at += 1;
        loop {
            let bad = |reader: &Self| InputError { kind: InputErrorKind::BadEscape, start, end: reader.at };
            match self.next_char() {
                Some('"') => return Ok(()),
                Some('\\') if self.byte() == Some(b'&') => self.at += 1,
                Some('\\') => out.push(self.escape().ok_or_else(|| bad(self))?),
                Some('\n') | None => return Err(bad(self)),
                Some(c) => out.push(c.into()),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<u32> {
        let numeric = |reader: &mut Self, radix: u32| {
            let start = reader.at;
            while reader.byte().is_some_and(|b| char::from(b).is_digit(radix)) {
                reader.at += 1;
            }
            let code = u32::from_str_radix(&reader.text[start..reader.at], radix).ok()?;
            (code <= u32::from(char::MAX)).then_some(code)
        };
        if self.byte()?.is_ascii_digit() {
            return numeric(self, 10);
        }
        match self.next_char()? {
            'n' => Some('\n'.into()),
            't' => Some('\t'.into()),
            'r' => Some('\r'.into()),
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(12),
            'v' => Some(11),
            'x' => numeric(self, 16),
            'o' => numeric(self, 8),
            c if c.is_control() => None,
            c => Some(c.into()),
        }
    }

    fn finish(&mut self) -> Result<(), InputError> {
        self.skip_space();
        if self.at_end() { Ok(()) } else { Err(self.error(InputErrorKind::LeftOver)) }
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), InputError> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected(what));
        }
        self.at += 1;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> InputError {
        self.unexpected_from(self.at, expected)
    }

    fn unexpected_from(&self, start: usize, expected: &str) -> InputError {
        let expected = expected.to_owned();
        if start >= self.bytes.len() {
            return InputError { kind: InputErrorKind::Missing { expected }, start, end: start };
        }
        InputError { kind: InputErrorKind::Unexpected { expected }, start, end: self.token_end(start) }
    }

    fn error(&self, kind: InputErrorKind) -> InputError {
        InputError { kind, start: self.at, end: self.token_end(self.at) }
    }

    /// Where the token that begins at `start` ends, for showing it.
    fn token_end(&self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or("");
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '+');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        start + if length > 0 { length } else { rest.chars().next().map_or(0, char::len_utf8) }
    }

    fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte that is not white space or comment, where the reader then stands.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.byte()
    }

    /// Where the next token starts; the reader then stands there.
    fn start(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.text.get(self.at..)?.chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 11 | 12 => self.at += 1,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }
}

/// The powers of ten that are exact.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// True for bytes that may not directly follow a number: `1x`, `1.5` read as an integer.
fn continues_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'\'' | b'"')
}

/// The type of what is in the brackets of dimension `axis`.
fn row_type(array: &ArrayType, axis: usize) -> Type {
    array.indexed(axis + 1).with_uniqueness(false)
}
