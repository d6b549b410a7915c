//! `print` without Python: the text that Python prints for numbers, strings, small arrays, and tuples and lists of these.
//!
//! A call is the expression that Python would evaluate: see [`callback`](super::callback). Strings may be made by `str`, `repr`, and formatted
//! strings.

use super::Argument;
use super::array_text::array_text;
use frit_ir::{Const, Scalar, Tensor};
use rustpython_parser::Parse;
use rustpython_parser::ast::{self, Constant, Expr, UnaryOp};

/// What an expression is.
enum Shown<'t> {
    Text(String),
    Number(Const),
    /// A number of Python.
    Plain(Const),
    Complex([f64; 2]),
    Array(&'t Tensor),
    /// In these brackets.
    Items(&'static str, Vec<Shown<'t>>),
    None,
}

/// What `print` prints when it is called by this expression, with these arguments.
///
/// # Errors
///
/// It is not known how Python prints something: what.
pub fn printed(text: &str, arguments: &[Argument], values: &[Tensor]) -> Result<String, String> {
    let expr = Expr::parse(text, "call").map_err(|error| error.to_string())?;
    let Expr::Call(call) = expr else { return Err("this is no call".into()) };
    let scope = Scope { arguments, values };
    let (mut separator, mut end) = (" ".to_string(), "\n".to_string());
    for keyword in &call.keywords {
        let value = scope.shown(&keyword.value)?;
        match (keyword.arg.as_ref().map(|name| name.as_str()), value) {
            (Some("sep"), Shown::Text(text)) => separator = text,
            (Some("end"), Shown::Text(text)) => end = text,
            (Some("sep" | "end"), Shown::None) | (Some("flush"), _) => {}
            (name, _) => return Err(format!("the argument `{}` of `print`", name.unwrap_or("**"))),
        }
    }
    let parts = call.args.iter().map(|arg| scope.shown(arg).and_then(|shown| plain(&shown)));
    Ok(parts.collect::<Result<Vec<_>, _>>()?.join(&separator) + &end)
}

/// What names stand for.
struct Scope<'t> {
    arguments: &'t [Argument],
    values: &'t [Tensor],
}

impl<'t> Scope<'t> {
    fn shown(&self, expr: &Expr) -> Result<Shown<'t>, String> {
        let other = || Err("an argument of `print` that is no number, string or array".to_string());
        Ok(match expr {
            Expr::Name(name) => {
                let at = name.id.strip_prefix('_').and_then(|at| at.parse::<usize>().ok());
                let Some((value, argument)) = at.and_then(|at| self.values.get(at).zip(self.arguments.get(at))) else {
                    return other();
                };
                match (argument.is_complex, value.as_scalar()) {
                    (true, _) if argument.is_one.is_empty() => {
                        Shown::Complex([0, 1].map(|at| real(value.data().get(at))))
                    }
                    (true, _) => return Err("`print` of complex arrays".into()),
                    (false, Some(number)) if argument.is_python => Shown::Plain(number),
                    (false, Some(number)) => Shown::Number(number),
                    (false, None) => Shown::Array(value),
                }
            }
            Expr::Constant(constant) => match &constant.value {
                Constant::None => Shown::None,
                Constant::Bool(value) => Shown::Plain(Const::Bool(*value)),
                Constant::Str(text) => Shown::Text(text.clone()),
                Constant::Int(value) => match i64::try_from(value) {
                    Ok(value) => Shown::Plain(Const::i64(value)),
                    Err(_) => return other(),
                },
                Constant::Float(value) => Shown::Plain(Const::f64(*value)),
                _ => return other(),
            },
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => match self.shown(&unary.operand)? {
                Shown::Plain(Const::Int(kind, value)) => Shown::Plain(Const::int(kind, value.wrapping_neg())),
                Shown::Plain(Const::F64(bits)) => Shown::Plain(Const::f64(-f64::from_bits(bits))),
                _ => return other(),
            },
            Expr::Tuple(tuple) => self.items("()", &tuple.elts)?,
            Expr::List(list) => self.items("[]", &list.elts)?,
            Expr::Call(call) => self.call(call)?,
            _ => return other(),
        })
    }

    fn items(&self, brackets: &'static str, items: &[Expr]) -> Result<Shown<'t>, String> {
        Ok(Shown::Items(brackets, items.iter().map(|item| self.shown(item)).collect::<Result<_, _>>()?))
    }

    fn call(&self, call: &ast::ExprCall) -> Result<Shown<'t>, String> {
        let args: Vec<Shown<'t>> = call.args.iter().map(|arg| self.shown(arg)).collect::<Result<_, _>>()?;
        let name = match &*call.func {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(attribute) => format!(".{}", attribute.attr),
            _ => String::new(),
        };
        Ok(match (name.as_str(), &args[..]) {
            // A formatted string converts nothing.
            ("", [_]) => args.into_iter().next().expect("there is one"),
            ("str", [one]) => Shown::Text(plain(one)?),
            ("repr" | "ascii", [one]) => Shown::Text(repr(one)?),
            ("format", [one, Shown::Text(spec)]) => Shown::Text(formatted(one, spec)?),
            (".join", [Shown::Items(_, parts)]) => {
                Shown::Text(parts.iter().map(plain).collect::<Result<Vec<_>, _>>()?.concat())
            }
            (name, _) => return Err(format!("`{}` in `print`", name.trim_start_matches('.'))),
        })
    }
}

/// As `str` makes it.
fn plain(shown: &Shown<'_>) -> Result<String, String> {
    match shown {
        Shown::Text(text) => Ok(text.clone()),
        Shown::Array(tensor) => Ok(array_text(tensor)),
        Shown::Number(number) => Ok(number_text(*number)),
        other => repr(other),
    }
}

/// As `repr` makes it.
fn repr(shown: &Shown<'_>) -> Result<String, String> {
    Ok(match shown {
        Shown::Text(text) => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            let inside: String = text
                .chars()
                .map(|c| match c {
                    '\n' => "\\n".into(),
                    '\t' => "\\t".into(),
                    '\r' => "\\r".into(),
                    '\\' => "\\\\".into(),
                    c if c == quote => format!("\\{c}"),
                    c => c.to_string(),
                })
                .collect();
            format!("{quote}{inside}{quote}")
        }
        Shown::Plain(number) => number_text(*number),
        Shown::Number(Const::Bool(value)) => if *value { "np.True_" } else { "np.False_" }.into(),
        Shown::Number(number) => format!("np.{}({})", super::types::name(number.scalar()), number_text(*number)),
        Shown::Complex([re, im]) => {
            let part = |x: f64| {
                let text = number_text(Const::f64(x));
                text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
            };
            let sign = if im.is_sign_negative() && !im.is_nan() { "" } else { "+" };
            if *re == 0.0 && re.is_sign_positive() {
                format!("{}j", part(*im))
            } else {
                format!("({}{sign}{}j)", part(*re), part(*im))
            }
        }
        Shown::Items(brackets, items) => {
            let parts: Vec<String> = items.iter().map(repr).collect::<Result<_, _>>()?;
            let comma = if *brackets == "()" && parts.len() == 1 { "," } else { "" };
            format!("{}{}{comma}{}", &brackets[..1], parts.join(", "), &brackets[1..])
        }
        Shown::None => "None".into(),
        Shown::Array(_) => return Err("`repr` of an array, as in a tuple or list that is printed,".into()),
    })
}

fn real(number: Const) -> f64 {
    match number {
        Const::F64(bits) => f64::from_bits(bits),
        Const::F32(bits) => f32::from_bits(bits).into(),
        Const::Int(Scalar::U64, value) => value as u64 as f64,
        Const::Int(_, value) => value as f64,
        Const::Bool(value) => f64::from(u8::from(value)),
        Const::Char(_) | Const::Cert => 0.0,
    }
}

/// A number as Python prints it.
pub(super) fn number_text(number: Const) -> String {
    match number {
        Const::Bool(value) => if value { "True" } else { "False" }.into(),
        Const::Int(Scalar::U64, value) => (value as u64).to_string(),
        Const::Int(_, value) => value.to_string(),
        Const::F64(bits) => shortest(f64::from_bits(bits), &format!("{:e}", f64::from_bits(bits)), 1e16),
        Const::F32(bits) => shortest(f32::from_bits(bits).into(), &format!("{:e}", f32::from_bits(bits)), 1e6),
        Const::Char(_) | Const::Cert => String::new(),
    }
}

/// A real with these digits, which are the fewest that mean it: with an exponent from `large` on, or if it is small.
fn shortest(x: f64, digits: &str, large: f64) -> String {
    if !x.is_finite() {
        return if x.is_nan() {
            "nan"
        } else if x > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .into();
    }
    let (mantissa, exponent) = digits.split_once('e').expect("there is an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    if x != 0.0 && !(1e-4..large).contains(&x.abs()) {
        return format!("{mantissa}{}", exponent_text(exponent));
    }
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1).unsigned_abs() as usize));
    }
    let whole = exponent.unsigned_abs() as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}

/// An exponent as C and Python write it, with at least two digits.
pub(super) fn exponent_text(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// `format(value, spec)` for numbers and strings.
fn formatted(shown: &Shown<'_>, spec: &str) -> Result<String, String> {
    if spec.is_empty() {
        return plain(shown);
    }
    let unknown = || Err(format!("the format `{spec}` in `print`"));
    let mut rest = spec;
    let mut fill = ' ';
    let mut align = None;
    let chars: Vec<char> = spec.chars().take(2).collect();
    let is_align = |c: char| matches!(c, '<' | '>' | '^' | '=');
    if chars.len() == 2 && is_align(chars[1]) {
        (fill, align) = (chars[0], Some(chars[1]));
        rest = &rest[chars[0].len_utf8() + 1..];
    } else if let Some(&c) = chars.first().filter(|c| is_align(**c)) {
        align = Some(c);
        rest = &rest[1..];
    }
    let mut sign = "";
    for (mark, shown) in [("+", "+"), (" ", " "), ("-", "")] {
        if let Some(after) = rest.strip_prefix(mark) {
            (sign, rest) = (shown, after);
            break;
        }
    }
    if let Some(after) = rest.strip_prefix('0') {
        rest = after;
        if align.is_none() {
            (fill, align) = ('0', Some('='));
        }
    }
    let number = |rest: &mut &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let found = rest[..end].parse::<usize>().ok();
        *rest = &rest[end..];
        found
    };
    let width = number(&mut rest).unwrap_or(0);
    let has_commas = rest.starts_with(',');
    rest = rest.strip_prefix(',').unwrap_or(rest);
    let precision = match rest.strip_prefix('.') {
        Some(after) => {
            rest = after;
            number(&mut rest)
        }
        None => None,
    };
    if width > 10_000 || precision.is_some_and(|precision| precision > 1000) {
        return unknown();
    }
    let (text, is_number) = match shown {
        Shown::Text(text) if matches!(rest, "" | "s") => {
            (text.chars().take(precision.unwrap_or(usize::MAX)).collect::<String>(), false)
        }
        Shown::Plain(value) | Shown::Number(value) => {
            let whole = match *value {
                Const::Int(Scalar::U64, value) => Some(i128::from(value as u64)),
                Const::Int(_, value) => Some(value.into()),
                Const::Bool(value) => Some(value.into()),
                _ => None,
            };
            let x = real(*value);
            let text = match (rest, whole) {
                ("d" | "", Some(whole)) if precision.is_none() => whole.to_string(),
                ("x", Some(whole)) => format!("{}{:x}", if whole < 0 { "-" } else { "" }, whole.abs()),
                ("b", Some(whole)) => format!("{}{:b}", if whole < 0 { "-" } else { "" }, whole.abs()),
                ("f" | "F", _) => fixed(x, precision.unwrap_or(6)),
                ("e", _) => scientific(x, precision.unwrap_or(6)),
                ("g", _) => general(x, precision.unwrap_or(6), false),
                ("%", _) => fixed(x * 100.0, precision.unwrap_or(6)) + "%",
                ("", None) => match precision {
                    Some(precision) => general(x, precision, true),
                    None => number_text(*value),
                },
                _ => return unknown(),
            };
            let text = if has_commas { with_commas(&text) } else { text };
            (if text.starts_with('-') { text } else { format!("{sign}{text}") }, true)
        }
        _ => return unknown(),
    };
    let missing = width.saturating_sub(text.chars().count());
    let pad = |count: usize| fill.to_string().repeat(count);
    Ok(match align.unwrap_or(if is_number { '>' } else { '<' }) {
        '<' => text + &pad(missing),
        '^' => format!("{}{text}{}", pad(missing / 2), pad(missing - missing / 2)),
        '=' => {
            let signs = text.chars().take_while(|c| matches!(c, '+' | '-' | ' ')).count();
            format!("{}{}{}", &text[..signs], pad(missing), &text[signs..])
        }
        _ => pad(missing) + &text,
    })
}

fn not_finite(x: f64) -> Option<String> {
    (!x.is_finite()).then(|| number_text(Const::f64(x)))
}

fn fixed(x: f64, precision: usize) -> String {
    not_finite(x).unwrap_or_else(|| format!("{x:.precision$}"))
}

fn scientific(x: f64, precision: usize) -> String {
    if let Some(text) = not_finite(x) {
        return text;
    }
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').expect("there is an exponent");
    format!("{mantissa}{}", exponent_text(exponent.parse().expect("it is a number")))
}

/// So many digits that count, without zeros at the end; with a point if `is_float`.
fn general(x: f64, precision: usize, is_float: bool) -> String {
    if let Some(text) = not_finite(x) {
        return text;
    }
    let precision = precision.max(1);
    let text = format!("{x:.0$e}", precision - 1);
    let (mantissa, exponent) = text.split_once('e').expect("there is an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    let limit = precision as i32 - i32::from(is_float);
    if exponent < -4 || exponent >= limit {
        return trimmed(mantissa) + &exponent_text(exponent);
    }
    let decimals = (precision as i32 - 1 - exponent).max(0).unsigned_abs() as usize;
    let text = trimmed(&format!("{x:.decimals$}"));
    if is_float && !text.contains('.') { text + ".0" } else { text }
}

fn with_commas(text: &str) -> String {
    let start = usize::from(text.starts_with('-'));
    let end = text[start..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |at| at + start);
    let mut made = text[..start].to_string();
    for (at, c) in text[start..end].chars().enumerate() {
        if at > 0 && (end - start - at).is_multiple_of(3) {
            made.push(',');
        }
        made.push(c);
    }
    made + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        printed(text, &[], &[]).unwrap_or_else(|error| error)
    }

    #[test]
    fn numbers_and_strings_are_printed_as_by_python() {
        for (text, expected) in [
            ("print(1, (-2.5), True, None, 'a b')", "1 -2.5 True None a b\n"),
            (
                "print((1e16), (1e-5), (123456789.125), (1e22), (0.0001), (5e-324), sep=', ', end='')",
                "1e+16, 1e-05, 123456789.125, 1e+22, 0.0001, 5e-324",
            ),
            ("print((1, 'it\\'s'), [2.0, ], (3,))", "(1, \"it's\") [2.0] (3,)\n"),
            (
                "print(''.join(('x=', format((3.14159), '.2f'), '|', format((7), '>5'), '|', format('a', '^5'), )))",
                "x=3.14|    7|  a  \n",
            ),
            (
                "print(format((1234567.891), ',.1f'), format((0.00001234), 'g'), format((5), '+05d'), format((255), 'x'))",
                "1,234,567.9 1.234e-05 +0005 ff\n",
            ),
            ("print(format((1.5), '10.3e'), format((0.5), '.1%'), format((1e20), '.3'))", " 1.500e+00 50.0% 1e+20\n"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for text in ["print(f(1))", "print(1, file=x)", "print(format('a', 'd'))"] {
            assert!(printed(text, &[], &[]).is_err(), "{text}");
        }
    }
}
