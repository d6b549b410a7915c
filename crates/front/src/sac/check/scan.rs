//! `scanf` and its like: reading values as a format says. A call becomes calls of functions of the library's module `Scanning`, one for
//! each part of the format, which hand on whether all before succeeded.

use super::Checker;
use super::error::SacError;
use super::expression::{Value, int};
use super::output::Variadic;
use super::types::{BOOL, CHAR, INT, LONG, Ty, vector};
use crate::sac::ast::{self, Basic, ExprKind as Ast, Name};
use crate::sac::core::{Elem, Expr, ExprKind, Local, Prim};
use frit_ir::{Const, UnOp};
use frit_support::Span;

/// The module that reads.
const MODULE: &str = "Scanning";

/// A part of a format.
enum Piece {
    /// White space, of which there may be none.
    Space,
    /// This character.
    Exactly(char),
    /// A value.
    Value(Conversion),
}

/// `%[*][width]kind`
struct Conversion {
    /// `*`: what is read is dropped.
    is_dropped: bool,
    /// The most characters; 0 for any number.
    width: i64,
    kind: Kind,
}

enum Kind {
    /// An integer in this base, 0 for that of its prefix, as an element of this type.
    Integer(i64, Basic),
    Real(Basic),
    /// So many characters, or one.
    Character,
    Word,
}

/// The parts of a format, or where it is wrong, and why.
fn pieces(text: &[char]) -> Result<Vec<Piece>, (usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let c = text[at];
        at += 1;
        if c.is_whitespace() {
            if !matches!(found.last(), Some(Piece::Space)) {
                found.push(Piece::Space);
            }
            continue;
        }
        if c != '%' {
            found.push(Piece::Exactly(c));
            continue;
        }
        let mut next = || {
            let c = text.get(at).copied();
            at += 1;
            c
        };
        let mut c = next();
        let is_dropped = c == Some('*');
        if is_dropped {
            c = next();
        }
        let mut width = 0i64;
        while let Some(digit) = c.and_then(|c| c.to_digit(10)) {
            width = width.saturating_mul(10).saturating_add(i64::from(digit));
            c = next();
        }
        let mut length = String::new();
        while let Some(letter @ ('h' | 'l' | 'L' | 'q' | 'j' | 'z' | 't')) = c {
            length.push(letter);
            c = next();
        }
        let integer = |is_signed: bool| match (length.as_str(), is_signed) {
            ("hh", true) => Basic::Byte,
            ("hh", false) => Basic::UByte,
            ("h", true) => Basic::Short,
            ("h", false) => Basic::UShort,
            ("l" | "j" | "z" | "t", true) => Basic::Long,
            ("l" | "j" | "z" | "t", false) => Basic::ULong,
            ("ll" | "q", true) => Basic::LongLong,
            ("ll" | "q", false) => Basic::ULongLong,
            (_, true) => Basic::Int,
            (_, false) => Basic::UInt,
        };
        let kind = match c {
            Some('%') if length.is_empty() && !is_dropped && width == 0 => {
                found.push(Piece::Space);
                found.push(Piece::Exactly('%'));
                continue;
            }
            Some('d') => Kind::Integer(10, integer(true)),
            Some('i') => Kind::Integer(0, integer(true)),
            Some('u') => Kind::Integer(10, integer(false)),
            Some('x' | 'X') => Kind::Integer(16, integer(false)),
            Some('o') => Kind::Integer(8, integer(false)),
            Some('f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => {
                Kind::Real(if length.is_empty() { Basic::Float } else { Basic::Double })
            }
            Some('c') => Kind::Character,
            Some('s') => Kind::Word,
            Some(c) => return Err((start, format!("`%{c}` reads no value of SAC"))),
            None => return Err((start, "the conversion has no end".to_string())),
        };
        found.push(Piece::Value(Conversion { is_dropped, width, kind }));
    }
    Ok(found)
}

impl<'a> Checker<'a> {
    /// `n, values = scanf(args);` and its like.
    pub(super) fn assign_scanned(
        &mut self,
        variadic: Variadic,
        targets: &'a [Name],
        value: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) {
        let found = self.scan(variadic, args, value.span);
        let fits = found.as_ref().is_some_and(|values| values.len() == targets.len());
        if let Some(values) = &found
            && !fits
        {
            self.wrong_count(value, values.len(), targets.len());
        }
        let values = found.filter(|_| fits).unwrap_or_else(|| targets.iter().map(|_| Value::error(span)).collect());
        for (name, value) in targets.iter().zip(values) {
            self.assign_one(name, value, span);
        }
    }

    /// Reads; the number of values that were, and the values. `None` if a mistake was reported.
    pub(super) fn scan(&mut self, variadic: Variadic, args: &'a [ast::Expr], span: Span) -> Option<Vec<Value>> {
        let before = usize::from(variadic != Variadic::Scan);
        if !self.has_arguments(variadic, args.len(), before + 1, span) {
            return None;
        }
        let Ast::Text(text) = &args[before].kind else {
            if !matches!(args[before].kind, Ast::Error) {
                self.error(SacError::FormatNotLiteral { span: args[before].span });
            }
            return None;
        };
        let pieces = match pieces(text) {
            Ok(pieces) => pieces,
            Err((at, words)) => {
                let text: String = text.iter().collect();
                let from = text.char_indices().nth(at).map_or(0, |(at, _)| at);
                let span = self.place_in_text(args[before].span, &text, from, text.len());
                self.error(SacError::BadFormat { span, words });
                return None;
            }
        };
        let stream = match variadic {
            Variadic::Scan => int(0, span),
            Variadic::ScanFrom => self.stream(&args[0], "the stream")?,
            _ => {
                let text = self.value(&args[0]);
                let text = self.expect_elem(text, CHAR, "the text");
                if text.ty.is_error() {
                    return None;
                }
                let pattern = super::convert::class_pattern(CHAR, &vector(None), args[0].span);
                let text = self.ascribe(text, pattern, vector(None), "the text");
                self.scanning("text_stream", vec![text.expr], span)
            }
        };
        let stream = self.held(stream, Ty::scalar(INT), span);
        let truth = |truth: bool| Expr { kind: ExprKind::Const(Const::Bool(truth)), span };
        let mut ok = self.held(truth(true), Ty::scalar(BOOL), span);
        let mut count = self.held(int(0, span), Ty::scalar(INT), span);
        let local = |local: Local| Expr { kind: ExprKind::Local(local), span };
        let mut values = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Space => {
                    let call = self.scanning("scan_space", vec![local(stream), local(ok)], span);
                    ok = self.held(call, Ty::scalar(BOOL), span);
                }
                Piece::Exactly(c) => {
                    let c = Expr { kind: ExprKind::Const(Const::Char(u32::from(c))), span };
                    let call = self.scanning("scan_exactly", vec![local(stream), local(ok), c], span);
                    ok = self.held(call, Ty::scalar(BOOL), span);
                }
                Piece::Value(Conversion { is_dropped, width, kind }) => {
                    let mut args = vec![local(stream), local(ok), local(count), truth(!is_dropped)];
                    let width = int(width, span);
                    let (name, more, read, to) = match kind {
                        Kind::Integer(base, to) => {
                            ("scan_integer", vec![width, int(base, span)], Ty::scalar(LONG), Some(to))
                        }
                        Kind::Real(to) => ("scan_real", vec![width], Ty::scalar(Elem::Basic(Basic::Double)), Some(to)),
                        Kind::Character => ("scan_character", Vec::new(), Ty::scalar(CHAR), None),
                        Kind::Word => ("scan_word", vec![width], Ty::new(CHAR, vector(None)), None),
                    };
                    args.extend(more);
                    let call = self.scanning(name, args, span);
                    let tys = [Ty::scalar(BOOL), Ty::scalar(INT), read.clone()];
                    let bound = self.bind_all(call, &tys, span);
                    (ok, count) = (bound[0], bound[1]);
                    if is_dropped {
                        continue;
                    }
                    let read_value = Value::new(ExprKind::Local(bound[2]), read.clone(), span);
                    values.push(match to {
                        Some(to) if read.elem != Some(Elem::Basic(to)) => {
                            let prim = Prim::Unary(UnOp::Convert(to.scalar()));
                            let kind = ExprKind::Prim { prim, args: vec![read_value.expr] };
                            Value::new(kind, Ty::scalar(Elem::Basic(to)), span)
                        }
                        _ => read_value,
                    });
                }
            }
        }
        if variadic == Variadic::ScanText {
            let call = self.scanning("close_text", vec![local(stream)], span);
            self.held(call, Ty::scalar(BOOL), span);
        }
        let count = Value::new(ExprKind::Local(count), Ty::scalar(INT), span);
        values.insert(0, count);
        Some(values)
    }

    /// A new variable with this value.
    fn held(&mut self, value: Expr, ty: Ty, span: Span) -> Local {
        self.bind_all(value, &[ty], span)[0]
    }

    /// A call of a function of the module that reads.
    fn scanning(&mut self, name: &'static str, args: Vec<Expr>, span: Span) -> Expr {
        let ids = self.functions_of(MODULE, name);
        debug_assert!(!ids.is_empty(), "the library has {MODULE}::{name}");
        let overload = self.overload_of(name, &ids);
        Expr { kind: ExprKind::Call { overload, args }, span }
    }
}
