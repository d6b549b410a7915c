//! Output formats in the manner of C's `printf`: parsed once, rendered by the interpreters, printed as C by the back end.

use frit_support::impl_error;
use std::fmt::{self, Write as _};

use crate::scalar::{Const, Scalar};
use crate::tensor::{Tensor, TensorData};

/// Text with conversions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Format {
    /// In order.
    pub pieces: Vec<Piece>,
}

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Characters as they are; `%%` stands here as `%`.
    Text(String),
    /// The next argument.
    Conversion(Conversion),
}

/// `%[flags][width][.precision][length]kind`. Of the lengths, `h` and `hh` say that an integer is narrowed. The others say nothing, since
/// arguments know their types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// Of `-`, `+`, ` `, `#`, `0`, each at most once.
    pub flags: String,
    /// The least number of characters.
    pub width: Option<Count>,
    /// Digits after the point, significant digits, or the most characters of a string.
    pub precision: Option<Count>,
    /// `h`, `hh`: an integer is shown as if it had so many bits.
    pub bits: Option<u32>,
    /// How the argument is shown.
    pub kind: ConversionKind,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// As written.
    Number(u32),
    /// `*`: an argument before the one that is shown. A negative width means the flag `-`, a negative precision none.
    Argument,
}

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken<'f> {
    /// The width or precision of this conversion.
    Count(&'f Conversion),
    /// The value that it shows.
    Value(&'f Conversion),
}

/// How an argument is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConversionKind {
    /// `d`, `i`: an integer or `bool`, as a decimal number.
    Decimal,
    /// `u`: the same without sign.
    Unsigned,
    /// `o`, octal.
    Octal,
    /// `x`, `X`: hexadecimal.
    Hex {
        /// `X`
        upper: bool,
    },
    /// `f`, `F`: a real with a fixed number of digits after the point.
    Fixed {
        /// `F`, which writes `INF` and `NAN`
        upper: bool,
    },
    /// `e`, `E`: a real with an exponent.
    Exponent {
        /// `E`
        upper: bool,
    },
    /// `g`, `G`: a real as short as the precision allows.
    General {
        /// `G`
        upper: bool,
    },
    /// `a`, `A`: a real with hexadecimal digits and a power of two.
    HexReal {
        /// `A`
        upper: bool,
    },
    /// `c`: a character.
    Char,
    /// `s`: a vector of characters.
    Text,
}

/// Why a format is refused: the byte where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Offset of the conversion in the text.
    pub at: usize,
    /// What is wrong with it.
    pub message: String,
}

impl_error!(FormatError, |error| error.message);

impl Format {
    /// Reads a format, escapes already resolved.
    ///
    /// # Errors
    ///
    /// A conversion that does not exist (`%n`, `%p` and unfinished ones included).
    pub fn parse(text: &str) -> Result<Format, FormatError> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = Reader { text, at: 0 };
        while let Some(c) = rest.next() {
            if c != '%' {
                plain.push(c);
            } else if rest.peek() == Some('%') {
                rest.next();
                plain.push('%');
            } else {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Conversion(conversion(&mut rest)?));
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Format { pieces })
    }

    /// What its arguments are for, in order.
    pub fn takes(&self) -> impl Iterator<Item = Taken<'_>> {
        let conversions = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Conversion(conversion) => Some(conversion),
            Piece::Text(_) => None,
        });
        conversions.flat_map(|conversion| {
            let counts =
                [conversion.width, conversion.precision].into_iter().filter(|count| *count == Some(Count::Argument));
            counts.map(|_| Taken::Count(conversion)).chain([Taken::Value(conversion)])
        })
    }

    /// The text for these arguments, each of a type that [`Taken::accepts`].
    ///
    /// It is what C prints, with three differences: widths and precisions of texts count characters, not bytes;
    /// a character is a code point, written as UTF-8; and no `nan` has a sign, since which sign a computation gives
    /// it is left open.
    pub fn render(&self, args: &[Tensor]) -> String {
        let mut text = String::new();
        let mut args = args.iter();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Conversion(conversion) => {
                    let mut next = || args.next().expect("a format has an argument for all that it takes");
                    let conversion = conversion.settled(|| count(next()));
                    conversion.render(next(), &mut text);
                }
            }
        }
        text
    }
}

/// The text that [`Format::parse`] reads back.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => f.write_str(&plain.replace('%', "%%"))?,
                Piece::Conversion(conversion) => write!(f, "{conversion}")?,
            }
        }
        Ok(())
    }
}

/// A text and how much of it has been read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// A width or precision, if one stands here.
    fn count(&mut self, start: usize) -> Result<Option<Count>, FormatError> {
        if self.peek() == Some('*') {
            self.next();
            return Ok(Some(Count::Argument));
        }
        Ok(self.number(start)?.map(Count::Number))
    }

    /// A decimal number, if one stands here; an error if it is larger than C's `int`.
    fn number(&mut self, start: usize) -> Result<Option<u32>, FormatError> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next();
            let next = value.unwrap_or(0u32).checked_mul(10).and_then(|v| v.checked_add(digit));
            let next = next.filter(|&v| v <= i32::MAX as u32);
            value = Some(next.ok_or_else(|| FormatError { at: start, message: "the number is too large".into() })?);
        }
        Ok(value)
    }
}

/// The conversion whose `%` has just been read.
fn conversion(rest: &mut Reader<'_>) -> Result<Conversion, FormatError> {
    let start = rest.at - 1;
    let error = |message: String| FormatError { at: start, message };
    let mut flags = String::new();
    while let Some(flag) = rest.peek().filter(|&c| "-+ #0".contains(c)) {
        rest.next();
        if !flags.contains(flag) {
            flags.push(flag);
        }
    }
    let width = rest.count(start)?;
    let mut precision = None;
    if rest.peek() == Some('.') {
        rest.next();
        // A point alone means 0.
        precision = Some(rest.count(start)?.unwrap_or(Count::Number(0)));
    }
    let mut halves = 0;
    while let Some(length) = rest.peek().filter(|&c| "hlLqjzt".contains(c)) {
        rest.next();
        halves += u32::from(length == 'h');
    }
    let bits = match halves {
        0 => None,
        1 => Some(16),
        _ => Some(8),
    };
    let kind = match rest.next() {
        Some('d' | 'i') => ConversionKind::Decimal,
        Some('u') => ConversionKind::Unsigned,
        Some('o') => ConversionKind::Octal,
        Some('x') => ConversionKind::Hex { upper: false },
        Some('X') => ConversionKind::Hex { upper: true },
        Some('f') => ConversionKind::Fixed { upper: false },
        Some('F') => ConversionKind::Fixed { upper: true },
        Some('e') => ConversionKind::Exponent { upper: false },
        Some('E') => ConversionKind::Exponent { upper: true },
        Some('g') => ConversionKind::General { upper: false },
        Some('G') => ConversionKind::General { upper: true },
        Some('a') => ConversionKind::HexReal { upper: false },
        Some('A') => ConversionKind::HexReal { upper: true },
        Some('c') => ConversionKind::Char,
        Some('s') => ConversionKind::Text,
        Some(c) => return Err(error(format!("there is no conversion `%{c}`"))),
        None => return Err(error("the conversion has no end; a percent sign is written `%%`".into())),
    };
    Ok(Conversion { flags, width, precision, bits, kind })
}

impl Conversion {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// The same with numbers for `*`, each the next that is given.
    fn settled(&self, mut next: impl FnMut() -> i32) -> Conversion {
        let mut settled = self.clone();
        if self.width == Some(Count::Argument) {
            let width = next();
            settled.width = Some(Count::Number(width.unsigned_abs()));
            if width < 0 && !self.has('-') {
                settled.flags.push('-');
            }
        }
        if self.precision == Some(Count::Argument) {
            settled.precision = u32::try_from(next()).ok().map(Count::Number);
        }
        settled
    }

    /// The digits after the point and so on, as a number.
    fn precision(&self) -> Option<usize> {
        self.precision.and_then(Count::number)
    }

    /// Appends the argument as this conversion shows it.
    fn render(&self, arg: &Tensor, text: &mut String) {
        match self.kind {
            ConversionKind::Decimal | ConversionKind::Unsigned | ConversionKind::Octal | ConversionKind::Hex { .. } => {
                self.integer(arg.data().get(0), text)
            }
            ConversionKind::Fixed { upper }
            | ConversionKind::Exponent { upper }
            | ConversionKind::General { upper }
            | ConversionKind::HexReal { upper } => {
                let value = match arg.data().get(0) {
                    Const::F32(bits) => f64::from(f32::from_bits(bits)),
                    Const::F64(bits) => f64::from_bits(bits),
                    other => panic!("`{self}` shows no {}", other.scalar()),
                };
                self.real(value, upper, text);
            }
            ConversionKind::Char => {
                let code = match arg.data().get(0) {
                    Const::Char(code) => code,
                    Const::Int(_, code) => u32::try_from(code).unwrap_or(u32::MAX),
                    other => panic!("`{self}` shows no {}", other.scalar()),
                };
                self.pad("", &character(code).to_string(), false, text);
            }
            ConversionKind::Text => {
                let TensorData::Char(codes) = arg.data() else { panic!("`{self}` shows no {}", arg.elem()) };
                let shown = self.precision().map_or(codes.len(), |most| codes.len().min(most));
                let shown: String = codes[..shown].iter().map(|&code| character(code)).collect();
                self.pad("", &shown, false, text);
            }
        }
    }

    fn integer(&self, value: Const, text: &mut String) {
        let (value, bits) = match value {
            Const::Int(kind, v) => (v, (kind.bytes() * 8).max(32)),
            Const::Bool(b) => (i64::from(b), 32),
            Const::Char(code) => (i64::from(code), 32),
            other => panic!("`{self}` shows no {}", other.scalar()),
        };
        // As C's promotions have it: 32 bits at least, and what a conversion without sign shows is the pattern.
        // What is narrowed then is narrowed as C does it.
        let unused = 64 - self.bits.map_or(bits, |bits| bits as usize);
        let pattern = (value as u64) << unused >> unused;
        let signed = value << unused >> unused;
        let (sign, mut digits) = match self.kind {
            ConversionKind::Decimal => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            ConversionKind::Octal => ("", format!("{pattern:o}")),
            ConversionKind::Hex { upper: false } => ("", format!("{pattern:x}")),
            ConversionKind::Hex { upper: true } => ("", format!("{pattern:X}")),
            _ => ("", pattern.to_string()),
        };
        if let Some(least) = self.precision() {
            if least == 0 && pattern == 0 {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
        }
        let mut prefix = sign.to_string();
        match self.kind {
            ConversionKind::Octal if self.has('#') && !digits.starts_with('0') => digits.insert(0, '0'),
            ConversionKind::Hex { upper } if self.has('#') && pattern != 0 => {
                prefix.push_str(if upper { "0X" } else { "0x" });
            }
            _ => {}
        }
        self.pad(&prefix, &digits, self.precision.is_none(), text);
    }

    fn real(&self, value: f64, upper: bool, text: &mut String) {
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let magnitude = value.abs();
        if !magnitude.is_finite() {
            let name = match (value.is_nan(), upper) {
                (true, false) => "nan",
                (true, true) => "NAN",
                (false, false) => "inf",
                (false, true) => "INF",
            };
            self.pad(sign, name, false, text);
            return;
        }
        if matches!(self.kind, ConversionKind::HexReal { .. }) {
            let digits = self.hex_real(magnitude);
            let (mark, digits) = if upper { ("0X", digits.to_uppercase()) } else { ("0x", digits) };
            self.pad(&format!("{sign}{mark}"), &digits, true, text);
            return;
        }
        let precision = self.precision().unwrap_or(6);
        let (mantissa, exponent) = match self.kind {
            ConversionKind::Fixed { .. } => (fixed(magnitude, precision), None),
            ConversionKind::Exponent { .. } => {
                let (mantissa, exponent) = scientific(magnitude, precision);
                (mantissa, Some(exponent))
            }
            _ => {
                let significant = precision.max(1);
                let (mantissa, exponent) = scientific(magnitude, significant - 1);
                if exponent >= -4 && i64::from(exponent) < significant as i64 {
                    let places = (significant as i64 - 1 - i64::from(exponent)) as usize;
                    (self.without_zeros(fixed(magnitude, places)), None)
                } else {
                    (self.without_zeros(mantissa), Some(exponent))
                }
            }
        };
        let mut digits = mantissa;
        if self.has('#') && !digits.contains('.') {
            digits.push('.');
        }
        if let Some(exponent) = exponent {
            let letter = if upper { 'E' } else { 'e' };
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(digits, "{letter}{sign}{:02}", exponent.unsigned_abs()).expect("a string takes all text");
        }
        self.pad(sign, &digits, true, text);
    }

    /// What stands behind `0x`: a finite real without sign by its bits, rounded to even.
    fn hex_real(&self, magnitude: f64) -> String {
        const FRACTION: usize = 52;
        let bits = magnitude.to_bits();
        let fraction = bits & ((1 << FRACTION) - 1);
        let (mut mantissa, exponent) = match (bits >> FRACTION) as i32 {
            0 if fraction == 0 => (0, 0),
            0 => (fraction, -1022),
            biased => (1 << FRACTION | fraction, biased - 1023),
        };
        let places = self.precision();
        if let Some(unused) = places.and_then(|places| FRACTION.checked_sub(4 * places)).filter(|unused| *unused > 0) {
            let (half, rest) = (1 << (unused - 1), mantissa & ((1 << unused) - 1));
            mantissa -= rest;
            if rest > half || (rest == half && mantissa >> unused & 1 == 1) {
                mantissa += 1 << unused;
            }
        }
        let mut digits = format!("{:013x}", mantissa & ((1 << FRACTION) - 1));
        match places {
            Some(places) if places < digits.len() => digits.truncate(places),
            Some(places) => digits.extend(std::iter::repeat_n('0', places - digits.len())),
            None => digits.truncate(digits.trim_end_matches('0').len()),
        }
        let point = if digits.is_empty() && !self.has('#') { "" } else { "." };
        format!("{}{point}{digits}p{exponent:+}", mantissa >> FRACTION)
    }

    /// What `g` leaves out: zeros at the end of the fraction, unless the flag `#` keeps them.
    fn without_zeros(&self, mut digits: String) -> String {
        if !self.has('#') && digits.contains('.') {
            let kept = digits.trim_end_matches('0').trim_end_matches('.').len();
            digits.truncate(kept);
        }
        digits
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.has('+'), self.has(' ')) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Appends prefix and body, padded to the width: with zeros between them if the flag asks for it and `zeros`
    /// allows it.
    fn pad(&self, prefix: &str, body: &str, zeros: bool, text: &mut String) {
        let length = prefix.chars().count() + body.chars().count();
        let missing = self.width.and_then(Count::number).map_or(0, |width| width.saturating_sub(length));
        let left = self.has('-');
        let zeros = zeros && self.has('0') && !left;
        let blanks = if zeros { 0 } else { missing };
        if !left {
            text.extend(std::iter::repeat_n(' ', blanks));
        }
        text.push_str(prefix);
        text.extend(std::iter::repeat_n('0', missing - blanks));
        text.push_str(body);
        if left {
            text.extend(std::iter::repeat_n(' ', blanks));
        }
    }
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.flags)?;
        if let Some(width) = self.width {
            write!(f, "{width}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        f.write_str(match self.bits {
            None => "",
            Some(16) => "h",
            Some(_) => "hh",
        })?;
        f.write_char(self.kind.letter())
    }
}

impl Count {
    fn number(self) -> Option<usize> {
        match self {
            Count::Number(number) => Some(number as usize),
            Count::Argument => None,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Number(number) => write!(f, "{number}"),
            Count::Argument => f.write_char('*'),
        }
    }
}

impl Taken<'_> {
    /// The rank of the argument.
    pub fn rank(self) -> usize {
        match self {
            Taken::Value(conversion) => usize::from(conversion.kind == ConversionKind::Text),
            Taken::Count(_) => 0,
        }
    }

    /// True if an argument of this type and rank will do.
    pub fn accepts(self, elem: Scalar, rank: usize) -> bool {
        match self {
            Taken::Value(conversion) => conversion.kind.accepts(elem, rank),
            Taken::Count(_) => rank == 0 && elem.is_integer(),
        }
    }
}

/// An argument that is a width or a precision, as C's `int`.
fn count(arg: &Tensor) -> i32 {
    match arg.data().get(0) {
        Const::Int(_, value) => value as i32,
        other => panic!("a width is no {}", other.scalar()),
    }
}

/// The character with this code, or the one that stands for what is none.
fn character(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Digits of a real beyond these are all zero; the standard library does not count as far as C does.
const MOST_DIGITS: usize = 1100;

/// A finite real without sign, with so many digits after the point.
fn fixed(magnitude: f64, places: usize) -> String {
    let mut digits = format!("{magnitude:.*}", places.min(MOST_DIGITS));
    digits.extend(std::iter::repeat_n('0', places.saturating_sub(MOST_DIGITS)));
    digits
}

/// A finite real without sign as a number below ten with so many digits after the point, and its decimal exponent.
fn scientific(magnitude: f64, places: usize) -> (String, i32) {
    let digits = format!("{magnitude:.*e}", places.min(MOST_DIGITS));
    let (mantissa, exponent) = digits.split_once('e').expect("the notation has an exponent");
    let exponent = exponent.parse().expect("an exponent is a number");
    let mut mantissa = mantissa.to_string();
    mantissa.extend(std::iter::repeat_n('0', places.saturating_sub(MOST_DIGITS)));
    (mantissa, exponent)
}

impl ConversionKind {
    /// The letter that ends the conversion.
    pub fn letter(self) -> char {
        match self {
            ConversionKind::Decimal => 'd',
            ConversionKind::Unsigned => 'u',
            ConversionKind::Octal => 'o',
            ConversionKind::Hex { upper: false } => 'x',
            ConversionKind::Hex { upper: true } => 'X',
            ConversionKind::Fixed { upper: false } => 'f',
            ConversionKind::Fixed { upper: true } => 'F',
            ConversionKind::Exponent { upper: false } => 'e',
            ConversionKind::Exponent { upper: true } => 'E',
            ConversionKind::General { upper: false } => 'g',
            ConversionKind::General { upper: true } => 'G',
            ConversionKind::HexReal { upper: false } => 'a',
            ConversionKind::HexReal { upper: true } => 'A',
            ConversionKind::Char => 'c',
            ConversionKind::Text => 's',
        }
    }

    /// True if an argument of this type and rank can be shown so.
    fn accepts(self, elem: Scalar, rank: usize) -> bool {
        match self {
            ConversionKind::Decimal | ConversionKind::Unsigned | ConversionKind::Octal | ConversionKind::Hex { .. } => {
                rank == 0 && (elem.is_integer() || matches!(elem, Scalar::Bool | Scalar::Char))
            }
            ConversionKind::Fixed { .. }
            | ConversionKind::Exponent { .. }
            | ConversionKind::General { .. }
            | ConversionKind::HexReal { .. } => rank == 0 && elem.is_float(),
            ConversionKind::Char => rank == 0 && (elem == Scalar::Char || elem.is_integer()),
            ConversionKind::Text => rank == 1 && elem == Scalar::Char,
        }
    }
}
