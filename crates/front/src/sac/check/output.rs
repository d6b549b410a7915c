//! `printf`.

use super::Checker;
use super::error::SacError;
use super::types::{scalar, type_name, vector};
use crate::sac::ast::{self, ExprKind as Ast, QualifiedName};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, StmtKind};
use frit_ir::Format;
use frit_support::Span;

impl<'a> Checker<'a> {
    /// True if a call of this name writes text: unless the program has a function of its own so called.
    pub(super) fn is_output(&mut self, function: &'a QualifiedName) -> bool {
        let is_qualified = function.module.as_ref().is_some_and(|module| module.text == "StdIO");
        function.name.text == "printf"
            && (is_qualified || function.module.is_none())
            && self.visible(self.body.unit, &function.name.text).is_empty()
    }

    /// `printf(args);`
    pub(super) fn output(&mut self, args: &'a [ast::Expr], span: Span) {
        let Some((format, values)) = args.split_first() else {
            self.error(SacError::WrongArgumentCount {
                span,
                function: "printf".to_string(),
                takes: "a format and the values to be shown".to_string(),
                given: 0,
                declared: None,
            });
            return;
        };
        let Ast::Text(text) = &format.kind else {
            if !matches!(format.kind, Ast::Error) {
                self.error(SacError::FormatNotLiteral { span: format.span });
            }
            return;
        };
        let text: String = text.iter().collect();
        let parsed = match Format::parse(&text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let span = self.place_in_text(format.span, &text, error.at, text.len());
                self.error(SacError::BadFormat { span, words: error.message });
                return;
            }
        };
        let places = conversions(&text);
        if places.len() != values.len() {
            let (wanted, given) = (places.len(), values.len());
            self.error(SacError::FormatCount { span, wanted, given });
        }
        let kinds: Vec<_> = parsed.conversions().map(|conversion| conversion.kind).collect();
        let mut shown = Vec::new();
        let mut is_wrong = places.len() != values.len();
        for (at, value) in values.iter().enumerate() {
            let value = self.value(value);
            let (Some(kind), Some(elem)) = (kinds.get(at), value.ty.elem) else { continue };
            let class = if kind.accepts(frit_ir::Scalar::Char, 1) { vector(None) } else { scalar() };
            let rank = class.rank().unwrap_or(0);
            let accepts = match elem {
                Elem::Basic(basic) => kind.accepts(basic.scalar(), rank),
                Elem::Nominal(_) | Elem::Struct(_) => false,
            };
            if !accepts || !value.ty.class.meets(&class) {
                let (from, to) = places[at];
                let place = self.place_in_text(format.span, &text, from, to);
                let conversion = text[from..to].to_string();
                let found = type_name(&self.program, &value.ty);
                let takes = takes(kind, &class);
                self.error(SacError::FormatArgument { span: value.expr.span, conversion, takes, found, place });
                is_wrong = true;
                continue;
            }
            let pattern = super::convert::class_pattern(elem, &class, value.expr.span);
            shown.push(self.ascribe(value, pattern, class, "the value shown").expr);
        }
        if !is_wrong {
            self.emit(StmtKind::Output { format: parsed, args: shown }, span);
        }
    }

    /// The place of some bytes of a text in the literals that it is written as.
    fn place_in_text(&self, span: Span, text: &str, from: usize, to: usize) -> Span {
        let written = self.sources.text(span);
        if !written.starts_with('"') {
            return span;
        }
        // Characters of the text before the place, and up to its end.
        let first = text[..from].chars().count();
        let last = text[..to].chars().count();
        let mut places: Vec<usize> = Vec::new();
        let mut rest = written.char_indices().peekable();
        let mut is_inside = false;
        while let Some((at, c)) = rest.next() {
            match c {
                '"' => is_inside = !is_inside,
                _ if !is_inside => {}
                '\\' => {
                    places.push(at);
                    let escaped = rest.next().map(|(_, c)| c);
                    let (digits, most) = match escaped {
                        Some('x') => (16, usize::MAX),
                        Some('0'..='7') => (8, 2),
                        _ => (0, 0),
                    };
                    let mut count = 0;
                    while count < most && digits > 0 && rest.peek().is_some_and(|(_, c)| c.is_digit(digits)) {
                        rest.next();
                        count += 1;
                    }
                }
                _ => places.push(at),
            }
        }
        let end = places.get(last).copied().unwrap_or(written.len().saturating_sub(1));
        match places.get(first) {
            Some(start) => {
                let offset = |at: usize| span.start + u32::try_from(at).unwrap_or(0);
                Span { file: span.file, start: offset(*start), end: offset(end.max(*start + 1)) }
            }
            None => span,
        }
    }
}

/// Where the conversions of a format that was read begin and end.
fn conversions(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            at += 1;
        } else if bytes.get(at + 1) == Some(&b'%') {
            at += 2;
        } else {
            let start = at;
            at += 1;
            let is_modifier = |c: u8| !c.is_ascii_alphabetic() || b"hlLqjzt".contains(&c);
            while at < bytes.len() && is_modifier(bytes[at]) {
                at += 1;
            }
            at = (at + 1).min(bytes.len());
            found.push((start, at));
        }
    }
    found
}

fn takes(kind: &frit_ir::format::ConversionKind, class: &Class) -> &'static str {
    use frit_ir::format::ConversionKind;
    match kind {
        ConversionKind::Decimal | ConversionKind::Unsigned | ConversionKind::Octal | ConversionKind::Hex { .. } => {
            "a scalar integer"
        }
        ConversionKind::Fixed { .. } | ConversionKind::Exponent { .. } | ConversionKind::General { .. } => {
            "a scalar `float` or `double`"
        }
        ConversionKind::Char if class.rank() == Some(0) => "a character",
        ConversionKind::Char | ConversionKind::Text => "a string: a vector of characters",
    }
}
