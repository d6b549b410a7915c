//! How words become tokens.

use super::{Keyword, Symbol, TokenKind, assemble};
use crate::sac::lex::{Words, lex};
use frit_ir::Const;
use frit_support::{FileId, Index, Span};
use std::collections::BTreeSet;

/// The tokens of `text` as text, given operators; mistakes by code.
fn tokens(text: &str, operators: &[&str]) -> (Vec<String>, Vec<&'static str>) {
    let mut words = Words::default();
    let raw = lex(FileId::new(0), text, &mut words);
    let operators: BTreeSet<String> = operators.iter().map(|text| (*text).to_string()).collect();
    let mut errors = Vec::new();
    let tokens = assemble(&raw.words, &mut words, &operators, Span::NONE, &mut errors);
    let shown = tokens.tokens.iter().filter_map(|token| match token.kind {
        TokenKind::Name(word) => Some(words.text(word).to_string()),
        TokenKind::Operator(word) => Some(format!("user {}", words.text(word))),
        TokenKind::Keyword(keyword) => Some(format!("keyword {}", keyword.text())),
        TokenKind::Symbol(symbol) => Some(symbol.text().to_string()),
        TokenKind::Literal(ty, value) => Some(format!("{ty:?} {value:?}")),
        TokenKind::Least(ty) => Some(format!("least {ty:?}")),
        TokenKind::Text(at) => Some(format!("{:?}", tokens.texts[at].iter().collect::<String>())),
        TokenKind::End => None,
    });
    (shown.collect(), errors.iter().map(|error| error.code()).collect())
}

fn symbols(text: &str, operators: &[&str], expected: &str) {
    let (found, errors) = tokens(text, operators);
    assert_eq!((found.join(" ").as_str(), errors), (expected, vec![]));
}

fn one(text: &str) -> String {
    let (found, errors) = tokens(text, &[]);
    assert_eq!((found.len(), errors), (1, vec![]), "{text}");
    found[0].clone()
}

fn fails(text: &str, code: &str) {
    assert_eq!(tokens(text, &[]).1, [code], "{text}");
}

#[test]
fn every_keyword_and_symbol_reads_as_itself() {
    for keyword in Keyword::ALL {
        assert_eq!(one(keyword.text()), format!("keyword {}", keyword.text()));
    }
    for symbol in Symbol::ALL {
        assert_eq!(one(symbol.text()), symbol.text());
    }
}

#[test]
fn the_longest_operator_wins() {
    symbols("a+++b", &[], "a user +++ b");
    symbols("a + ++b", &[], "a + ++ b");
    symbols("x=-1", &[], "x = - Int Int(I32, 1)");
    symbols("a++++b a++^b a+++++b", &[], "a user ++++ b a user ++^ b a user ++++ + b");
    symbols("[.,j] .<= iv<=. ->...", &[], "[ . , j ] . <= iv <= . -> ...");
    symbols("a<+>b a<+b", &["<+>"], "a user <+> b a < + b");
    symbols("a@b $$", &["@", "$$"], "a user @ b user $$");
    symbols("M::f c?a:b {i->-1}", &[], "M :: f c ? a : b { i -> - Int Int(I32, 1) }");
    symbols("a<<=b>>=c<=d", &[], "a <<= b >>= c <= d");
    symbols("*= /= ^= == != && ||!x", &[], "*= /= ^= == != && || ! x");
}

#[test]
fn reals_are_the_nearest_to_what_is_written() {
    let real = |text: &str| match one(text).strip_prefix("Double F64(") {
        Some(bits) => f64::from_bits(bits.trim_end_matches(')').parse().expect("bits are a number")),
        None => panic!("{text} is no double"),
    };
    for (text, value) in [
        ("0.1", 0.1),
        ("1e400", f64::INFINITY),
        ("4.9e-324", 4.9e-324),
        ("0x1p-1074", f64::from_bits(1)),
        ("0x1p-1075", 0.0),
        ("0x1.8p-1074", f64::from_bits(2)),
        ("0x1.0000000000000000000001p-1075", f64::from_bits(1)),
        ("0x1.fffffffffffffp1023", f64::MAX),
        ("0x1p1024", f64::INFINITY),
        ("0x1.00000000000008p0", 1.0),
        ("0x1.000000000000080000000001p0", 1.0 + f64::EPSILON),
        ("0x.8p1", 1.0),
        ("0xA.p0", 10.0),
        ("0x10000000000000001p0", 18446744073709551616.0),
        ("0x1p99999999999", f64::INFINITY),
        ("0x0p0", 0.0),
    ] {
        assert_eq!(real(text).to_bits(), value.to_bits(), "{text}");
    }
    // Between two floats: read as a double first, it would be rounded twice.
    let value: f32 = "1.00000017881393432617187499".parse().expect("a number");
    assert_eq!(one("1.00000017881393432617187499f"), format!("Float {:?}", Const::f32(value)));
    assert_eq!(one("0x1.000001p0f"), format!("Float {:?}", Const::f32(1.0)));
    assert_eq!(one("0x1.000003p0f"), format!("Float {:?}", Const::f32(1.0 + 2.0 * f32::EPSILON)));
}

#[test]
fn mistakes_in_literals_are_reported_once() {
    fails("3x", "bad-number");
    fails("1.2.3", "bad-number");
    fails("1e", "bad-number");
    fails("1.5x", "bad-number");
    fails("0x", "bad-number");
    fails("0x1.8", "bad-number");
    fails("08", "bad-number");
    fails("1lll", "bad-number");
    fails("2147483649", "number-too-large");
    fails("256ub", "number-too-large");
    fails("0x1FFFFFFFF", "number-too-large");
    fails("99999999999999999999ul", "number-too-large");
    fails("''", "bad-character-literal");
    fails("'ab'", "bad-character-literal");
    fails("'", "unterminated-literal");
    fails("\"abc", "unterminated-literal");
    fails("\"\\q\"", "bad-escape");
    fails("'\\x'", "bad-escape");
    fails("a ` b", "unknown-character");
    fails("a é b", "unknown-character");
    fails("a @ b", "unknown-character");
    fails("a # b", "unknown-character");
}
