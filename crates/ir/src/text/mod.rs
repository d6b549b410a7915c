//! What the text forms of both IRs share: literals and indentation for the printers, tokens for the parsers.
//!
//! Knows neither IR. Read `literal` for how constants are written, then the printers
//! [`array::print`](crate::array::print) and [`nest::print`](crate::nest::print).

pub(crate) mod cursor;
pub(crate) mod lex;
pub(crate) mod literal;
pub(crate) mod writer;

pub use cursor::ParseError;
