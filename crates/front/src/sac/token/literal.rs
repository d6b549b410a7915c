//! The values of literals.

use super::super::ast::Basic;
use super::super::error::SyntaxError;
use super::TokenKind;
use crate::words::escaped;
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// What stands for a number that could not be read.
pub(super) const ZERO: Const = Const::Int(Scalar::I32, 0);

const SUFFIXES: [(&str, Basic, Scalar); 11] = [
    ("", Basic::Int, Scalar::I32),
    ("b", Basic::Byte, Scalar::I8),
    ("s", Basic::Short, Scalar::I16),
    ("i", Basic::Int, Scalar::I32),
    ("l", Basic::Long, Scalar::I64),
    ("ll", Basic::LongLong, Scalar::I64),
    ("ub", Basic::UByte, Scalar::U8),
    ("us", Basic::UShort, Scalar::U16),
    ("ui", Basic::UInt, Scalar::U32),
    ("ul", Basic::ULong, Scalar::U64),
    ("ull", Basic::ULongLong, Scalar::U64),
];

/// The token of a number.
pub(super) fn number(text: &str, span: Span) -> Result<TokenKind, SyntaxError> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return if digits.contains(['.', 'p']) { hex_real(digits, span) } else { integer(digits, 16, span) };
    }
    let bad = |problem| Err(SyntaxError::BadNumber { span, problem });
    let digits = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let is_real = lower[digits..].starts_with(['.', 'e', 'f', 'd']);
    if !is_real {
        // A leading 0 makes an octal number, but `0` itself is one, too.
        return if lower.starts_with('0') { integer(&lower, 8, span) } else { integer(&lower, 10, span) };
    }
    let (number, is_float) = real_suffix(&lower);
    if let Some(exponent) = number.split_once('e').map(|(_, exponent)| exponent.trim_start_matches(['+', '-']))
        && (exponent.is_empty() || exponent.contains(|c: char| !c.is_ascii_digit()))
    {
        return bad("the exponent needs digits");
    }
    if number.contains(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | '+' | '-'))) {
        return bad("unknown suffix");
    }
    // The nearest `float` is not always the nearest to the nearest `double`, so each is read by itself.
    match if is_float { number.parse().map(real_f32) } else { number.parse().map(real_f64) } {
        Ok(kind) => Ok(kind),
        Err(_) => bad("more than one point"),
    }
}

/// Takes the suffix off; true for `float`.
fn real_suffix(text: &str) -> (&str, bool) {
    match text.strip_suffix('f') {
        Some(number) => (number, true),
        None => (text.strip_suffix('d').unwrap_or(text), false),
    }
}

fn real_f32(value: f32) -> TokenKind {
    TokenKind::Literal(Basic::Float, Const::f32(value))
}

fn real_f64(value: f64) -> TokenKind {
    TokenKind::Literal(Basic::Double, Const::f64(value))
}

/// Digits and suffix of an integer.
fn integer(text: &str, radix: u32, span: Span) -> Result<TokenKind, SyntaxError> {
    let length = text.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(length);
    let bad = |problem| Err(SyntaxError::BadNumber { span, problem });
    // `lu` is as good as `ul`.
    let suffix = match suffix {
        "lu" => "ul",
        "llu" => "ull",
        "u" => "ui",
        other => other,
    };
    let Some(&(_, ty, scalar)) = SUFFIXES.iter().find(|(text, ..)| *text == suffix) else {
        return bad("unknown suffix");
    };
    if digits.is_empty() {
        return bad("digits are missing");
    }
    if digits.contains(|c: char| !c.is_digit(radix)) {
        return bad("a number that begins with 0 is octal, so its digits are 0 to 7");
    }
    let too_large = Err(SyntaxError::NumberTooLarge { span, ty: ty.name() });
    let Ok(value) = u64::from_str_radix(digits, radix) else { return too_large };
    let bits = 8 * scalar.bytes();
    let greatest = u64::MAX >> (64 - bits);
    let literal = |value: u64| Ok(TokenKind::Literal(ty, Const::int(scalar, value as i64)));
    match value {
        _ if value > greatest => too_large,
        // Hexadecimal and octal numbers say what the bits are.
        _ if !scalar.is_signed() || radix != 10 || value <= greatest >> 1 => literal(value),
        _ if value == (greatest >> 1) + 1 => Ok(TokenKind::Least(ty)),
        _ => too_large,
    }
}

/// A hexadecimal real without its `0x`.
fn hex_real(text: &str, span: Span) -> Result<TokenKind, SyntaxError> {
    let bad = |problem| Err(SyntaxError::BadNumber { span, problem });
    let Some((mantissa, exponent)) = text.split_once('p') else {
        return bad("a hexadecimal real needs an exponent, as in `0x1.8p3`");
    };
    let (exponent, is_float) = real_suffix(exponent);
    let Ok(mut exponent) = exponent.parse::<i64>() else { return bad("the exponent needs digits") };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return bad("digits are missing");
    }
    // The value is `bits * 2^exponent`; digits that do not fit only say whether there is anything below.
    let mut bits: u64 = 0;
    for (digits, is_fraction) in [(whole, false), (fraction, true)] {
        for digit in digits.chars() {
            let Some(value) = digit.to_digit(16) else { return bad("unknown suffix") };
            if bits >> 60 == 0 {
                bits = bits << 4 | u64::from(value);
                exponent = exponent.saturating_sub(if is_fraction { 4 } else { 0 });
            } else {
                bits |= u64::from(value != 0);
                exponent = exponent.saturating_add(if is_fraction { 0 } else { 4 });
            }
        }
    }
    Ok(if is_float {
        real_f32(scaled(bits, exponent, 24, -149) as f32)
    } else {
        real_f64(scaled(bits, exponent, 53, -1074))
    })
}

/// `bits * 2^exponent`, rounded once, to the nearest with `precision` bits and no less than `2^least`; ties to even.
fn scaled(bits: u64, exponent: i64, precision: i64, least: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let length = 64 - i64::from(bits.leading_zeros());
    let lowest = exponent.saturating_add(length - precision).max(least);
    let dropped = lowest.saturating_sub(exponent);
    let (bits, exponent) = if dropped <= 0 {
        (bits, exponent)
    } else if dropped > 64 {
        (0, lowest)
    } else {
        let wide = u128::from(bits);
        let (kept, rest, half) = (wide >> dropped, wide & ((1 << dropped) - 1), 1u128 << (dropped - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        (kept as u64 + u64::from(up), lowest)
    };
    // At most `precision` bits are left, so no step below rounds: halving ends at the least number.
    let mut value = bits as f64;
    let mut exponent = exponent.clamp(-2200, 2200);
    while exponent != 0 && value != 0.0 && value.is_finite() {
        let step = exponent.clamp(-64, 64);
        value *= 2f64.powi(step as i32);
        exponent -= step;
    }
    value
}

/// The characters between the quotes of a literal; gives the first mistake.
pub(super) fn characters(text: &str, span: Span, out: &mut Vec<char>) -> Option<SyntaxError> {
    let mut mistake = None;
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let mut rest = inner.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut escape = String::from("\\");
        let first = rest.next();
        escape.extend(first);
        let code = match first {
            Some('x') => {
                let mut digits = String::new();
                while let Some(digit) = rest.next_if(char::is_ascii_hexdigit) {
                    digits.push(digit);
                }
                escape.push_str(&digits);
                u32::from_str_radix(&digits, 16).ok()
            }
            Some(digit @ '0'..='7') => {
                let mut code = u32::from(digit) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|c| matches!(c, '0'..='7')) else { break };
                    escape.push(digit);
                    code = code * 8 + u32::from(digit) - u32::from('0');
                }
                Some(code)
            }
            Some('?') => Some(u32::from('?')),
            letter => letter.and_then(escaped),
        };
        match code.and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => {
                out.push('?');
                mistake = mistake.or(Some(SyntaxError::BadEscape { span, escape }));
            }
        }
    }
    mistake
}
