//! Functions that take as many values as a format says: `printf` and its like. They are part of the language, as no type says what
//! they take. Those that read are in `scan`, the one that makes a text in
//! `text`.

use super::Checker;
use super::error::SacError;
use super::types::{INT, Ty, scalar, type_name, vector};
use crate::sac::ast::{self, ExprKind as Ast, QualifiedName};
use crate::sac::core::{Elem, Expr, ExprKind, Prim, StmtKind};
use frit_ir::Format;
use frit_ir::format::{ConversionKind, Taken};
use frit_support::Span;
use std::sync::Arc;

/// A function of the language whose arguments or results a format counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variadic {
    /// `printf(format, values)`
    Print,
    /// `fprintf(stream, format, values)`
    PrintTo,
    /// `error(status, format, values)`
    Fail,
    /// `text = sprintf(format, values)`
    Text,
    /// `n, values = scanf(format)`
    Scan,
    /// `n, values = fscanf(stream, format)`
    ScanFrom,
    /// `n, values = sscanf(text, format)`
    ScanText,
}

impl Variadic {
    /// All of them, with their names and the modules that have them.
    const ALL: [(Variadic, &'static str, &'static [&'static str]); 7] = [
        (Variadic::Print, "printf", &["StdIO", "TermFile"]),
        (Variadic::PrintTo, "fprintf", &["StdIO", "TermFile", "File"]),
        (Variadic::Fail, "error", &["RuntimeError"]),
        (Variadic::Text, "sprintf", &["String", "Structures"]),
        (Variadic::Scan, "scanf", &["StdIO", "TermFile"]),
        (Variadic::ScanFrom, "fscanf", &["StdIO", "TermFile", "File"]),
        (Variadic::ScanText, "sscanf", &["String", "Structures"]),
    ];

    /// True if the module has a function of this name.
    pub(super) fn is_in(module: &str, name: &str) -> bool {
        Self::ALL.iter().any(|(_, known, modules)| *known == name && modules.contains(&module))
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(variadic, ..)| *variadic == self).map_or("", |(_, name, _)| name)
    }

    /// What it takes before the values.
    fn takes(self) -> &'static str {
        match self {
            Variadic::Print | Variadic::Text => "a format and the values to be shown",
            Variadic::PrintTo => "a stream, a format and the values to be shown",
            Variadic::Fail => "a status, a format and the values to be shown",
            Variadic::Scan => "a format",
            Variadic::ScanFrom => "a stream and a format",
            Variadic::ScanText => "a text and a format",
        }
    }
}

impl<'a> Checker<'a> {
    /// The function of the language that a call of this name means, unless the program has a function of its own so called.
    pub(super) fn variadic(&mut self, function: &'a QualifiedName) -> Option<Variadic> {
        let name = function.name.text.as_str();
        let (found, _, modules) = Variadic::ALL.iter().find(|(_, known, _)| *known == name)?;
        match &function.module {
            Some(module) => modules.contains(&module.text.as_str()).then_some(*found),
            None if *found == Variadic::Fail => {
                let sees = |import: &&ast::Use| {
                    modules.contains(&import.module.text.as_str()) && super::modules::contains(&import.symbols, name)
                };
                let uses = self.modules[self.body.unit].uses.iter().any(sees);
                (uses && self.visible(self.body.unit, name).is_empty()).then_some(*found)
            }
            None => self.visible(self.body.unit, name).is_empty().then_some(*found),
        }
    }

    /// Whether a variadic function has the arguments that stand before the values.
    pub(super) fn has_arguments(&mut self, variadic: Variadic, given: usize, wanted: usize, span: Span) -> bool {
        if given < wanted {
            let (function, takes) = (variadic.name().to_string(), variadic.takes().to_string());
            self.error(SacError::WrongArgumentCount { span, function, takes, given, declared: None });
        }
        given >= wanted
    }

    /// A number, such as that of a stream, as an `int`.
    pub(super) fn stream(&mut self, stream: &'a ast::Expr, what: &str) -> Option<Expr> {
        let value = self.value(stream);
        if value.ty.is_error() {
            return None;
        }
        let from = value.ty.elem?;
        let (base, _) = self.bases(from).pop()?;
        if base != INT || !value.ty.class.meets(&scalar()) {
            let found = type_name(&self.program, &value.ty);
            let (span, what, expected) = (stream.span, what.to_string(), "int".to_string());
            self.error(SacError::TypeMismatch { span, what, expected, found, because: None });
            return None;
        }
        if from == INT {
            return Some(value.expr);
        }
        Some(Expr { kind: ExprKind::Recast { to: INT, from, array: Box::new(value.expr) }, span: stream.span })
    }

    /// `printf(args);` and its like.
    pub(super) fn output(&mut self, variadic: Variadic, args: &'a [ast::Expr], span: Span) {
        match variadic {
            Variadic::Print => {
                if let Some((format, shown)) = self.shown(variadic, args, 0, span) {
                    self.emit(StmtKind::Output { stream: None, format, args: shown }, span);
                }
            }
            Variadic::PrintTo => {
                let Some((format, shown)) = self.shown(variadic, args, 1, span) else { return };
                let Some(stream) = self.stream(&args[0], "the stream") else { return };
                self.emit(StmtKind::Output { stream: Some(stream), format, args: shown }, span);
            }
            Variadic::Fail => {
                let Some((format, shown)) = self.shown(variadic, args, 1, span) else { return };
                let Some(status) = self.stream(&args[0], "the exit status") else { return };
                let mut format = Format::clone(&format);
                format.pieces.push(frit_ir::format::Piece::Text("\n".to_string()));
                let stream = Some(super::expression::int(2, span));
                self.emit(StmtKind::Output { stream, format: Arc::new(format), args: shown }, span);
                let value = super::prims::prim(Prim::Exit, vec![status], Ty::scalar(super::types::BOOL), span).expr;
                self.emit(StmtKind::Assign { targets: vec![None], value }, span);
            }
            Variadic::Text => {
                let text = self.text(args, span);
                if !text.ty.is_error() {
                    self.emit(StmtKind::Assign { targets: vec![None], value: text.expr }, span);
                }
            }
            Variadic::Scan | Variadic::ScanFrom | Variadic::ScanText => {
                self.scan(variadic, args, span);
            }
        }
    }

    /// The format, which stands behind `before` other arguments, and the values that it shows.
    fn shown(
        &mut self,
        variadic: Variadic,
        args: &'a [ast::Expr],
        before: usize,
        span: Span,
    ) -> Option<(Arc<Format>, Vec<Expr>)> {
        if !self.has_arguments(variadic, args.len(), before + 1, span) {
            return None;
        }
        let (format, values) = args[before..].split_first()?;
        let Ast::Text(text) = &format.kind else {
            if !matches!(format.kind, Ast::Error) {
                self.error(SacError::FormatNotLiteral { span: format.span });
            }
            return None;
        };
        let text: String = text.iter().collect();
        let parsed = match Format::parse(&text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let span = self.place_in_text(format.span, &text, error.at, text.len());
                self.error(SacError::BadFormat { span, words: error.message });
                return None;
            }
        };
        let places = conversions(&text);
        if places.len() != values.len() {
            let (wanted, given) = (places.len(), values.len());
            self.error(SacError::FormatCount { span, wanted, given });
        }
        let taken: Vec<_> = parsed.takes().collect();
        let mut shown = Vec::new();
        let mut is_wrong = places.len() != values.len();
        for (at, value) in values.iter().enumerate() {
            let value = self.value(value);
            let (Some(taken), Some(elem)) = (taken.get(at), value.ty.elem) else { continue };
            let rank = taken.rank();
            let class = if rank == 1 { vector(None) } else { scalar() };
            let accepts = match elem {
                Elem::Basic(basic) => taken.accepts(basic.scalar(), rank),
                Elem::Nominal(_) | Elem::Struct(_) => false,
            };
            if !accepts || !value.ty.class.meets(&class) {
                let (from, to) = places[at];
                let place = self.place_in_text(format.span, &text, from, to);
                let conversion = text[from..to].to_string();
                let found = type_name(&self.program, &value.ty);
                let takes = takes(*taken);
                self.error(SacError::FormatArgument { span: value.expr.span, conversion, takes, found, place });
                is_wrong = true;
                continue;
            }
            let pattern = super::convert::class_pattern(elem, &class, value.expr.span);
            shown.push(self.ascribe(value, pattern, class, "the value shown").expr);
        }
        (!is_wrong).then(|| (Arc::new(parsed), shown))
    }

    /// The place of some bytes of a text in the literals that it is written as.
    pub(super) fn place_in_text(&self, span: Span, text: &str, from: usize, to: usize) -> Span {
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

/// Where the conversions of a format that was read begin and end: of each argument, the one that takes it.
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
            let mut count = 1;
            while at < bytes.len() && is_modifier(bytes[at]) {
                count += usize::from(bytes[at] == b'*');
                at += 1;
            }
            at = (at + 1).min(bytes.len());
            found.extend(std::iter::repeat_n((start, at), count));
        }
    }
    found
}

fn takes(taken: Taken<'_>) -> &'static str {
    let conversion = match taken {
        Taken::Count(_) => return "a scalar integer for each `*`",
        Taken::Value(conversion) => conversion,
    };
    match conversion.kind {
        ConversionKind::Decimal | ConversionKind::Unsigned | ConversionKind::Octal | ConversionKind::Hex { .. } => {
            "a scalar integer"
        }
        ConversionKind::Fixed { .. }
        | ConversionKind::Exponent { .. }
        | ConversionKind::General { .. }
        | ConversionKind::HexReal { .. } => "a scalar `float` or `double`",
        ConversionKind::Char => "a character",
        ConversionKind::Text => "a string: a vector of characters",
    }
}
