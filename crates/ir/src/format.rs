//! Output formats in the manner of C's `printf`: parsed once, rendered by the interpreters, printed as C by the back end.

use crate::Scalar;
use crate::tensor::Tensor;

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

/// `%[flags][width][.precision]kind`; length modifiers say nothing, since arguments know their types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// Of `-`, `+`, ` `, `#`, `0`, each at most once.
    pub flags: String,
    /// The least number of characters.
    pub width: Option<u32>,
    /// Digits after the point, significant digits, or the most characters of a string.
    pub precision: Option<u32>,
    /// How the argument is shown.
    pub kind: ConversionKind,
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
    Fixed,
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

impl Format {
    /// Reads a format, escapes already resolved.
    ///
    /// # Errors
    ///
    /// A conversion that does not exist (`%n`, `%p`, `*` and unfinished ones included).
    pub fn parse(_text: &str) -> Result<Format, FormatError> {
        todo!("filled in next")
    }

    /// The conversions in order: one argument each.
    pub fn conversions(&self) -> impl Iterator<Item = &Conversion> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Conversion(conversion) => Some(conversion),
            Piece::Text(_) => None,
        })
    }

    /// The text for these arguments, one per conversion, each of a type that [`ConversionKind::accepts`].
    pub fn render(&self, _args: &[Tensor]) -> String {
        todo!("filled in next")
    }
}

impl ConversionKind {
    /// True if an argument of this type and rank can be shown so.
    pub fn accepts(self, elem: Scalar, rank: usize) -> bool {
        match self {
            ConversionKind::Decimal
            | ConversionKind::Unsigned
            | ConversionKind::Octal
            | ConversionKind::Hex { .. } => rank == 0 && (elem.is_integer() || matches!(elem, Scalar::Bool | Scalar::Char)),
            ConversionKind::Fixed | ConversionKind::Exponent { .. } | ConversionKind::General { .. } => {
                rank == 0 && elem.is_float()
            }
            ConversionKind::Char => rank == 0 && (elem == Scalar::Char || elem.is_integer()),
            ConversionKind::Text => rank == 1 && elem == Scalar::Char,
        }
    }
}
