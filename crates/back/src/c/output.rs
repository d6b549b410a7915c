//! Outputs: calls of the run-time system that collect text and hand it over. Numbers are printed by
//! C's `printf`.
//!
//! The functions are in `output.c`.

use super::entry::c_string;
use super::expr::Term;
use super::proc::ProcPrinter;
use super::types::c_type;
use frit_ir::effect::Cell;
use frit_ir::format::{Conversion, ConversionKind, Count, Format, Piece};
use frit_ir::nest::{Arg, Array, Binding, Var};
use frit_ir::{Effect, Request, Scalar};

/// Text and numbers that one call of `printf` shows.
#[derive(Default)]
struct Printed {
    format: String,
    args: String,
}

impl ProcPrinter<'_, '_> {
    /// An effect of the program.
    pub(super) fn effect(&mut self, effect: &Effect, args: &[Arg], answers: &[Binding]) {
        match effect {
            Effect::Print(format) => self.output(format, args, "frit_write(w)".into()),
            Effect::PrintTo(format) => {
                self.module.has_requests = true;
                let (Some(Arg::Scalar(stream)), rest) = (args.first(), args.get(1..).unwrap_or_default()) else {
                    panic!("the first argument of a verified output to a stream is its number")
                };
                let stream = self.expr_text(stream);
                self.output(format, rest, format!("frit_write_to(w, {stream})"));
            }
            Effect::Call(foreign) => self.foreign(foreign, args, answers),
            Effect::Callback(call) => self.callback(call, args, answers),
            Effect::Take(cell) => self.take(*cell, &answers[0]),
            Effect::Keep(cell) => self.keep(*cell, &args[0]),
            Effect::Recall(cell) => self.recall(*cell, &answers[0]),
            Effect::Ask(request) => match *answers {
                [Binding::Var(answer)] => self.request(*request, args, answer),
                _ => panic!("a verified request has one answer"),
            },
        }
    }

    /// A request: a call of the function that answers it.
    fn request(&mut self, request: Request, args: &[Arg], answer: Var) {
        self.module.has_requests = true;
        let mut given = vec!["w".to_owned()];
        for arg in args {
            match arg {
                Arg::Scalar(value) => given.push(self.expr_text(value)),
                Arg::Array(array) => {
                    let count = self.extent(*array, 0).code;
                    given.extend([self.array_name(*array).to_owned(), count]);
                }
            }
        }
        let call = format!("frit_ask_{request}({})", given.join(", "));
        if self.is_kept(answer) {
            let name = self.var_name(answer);
            self.line(&format!("{name} = {call};"));
        } else {
            self.line(&format!("(void){call};"));
        }
    }

    fn keep(&mut self, cell: Cell, value: &Arg) {
        self.module.has_requests = true;
        let site = self.module.site(None, self.proc.span);
        let (extents, elements, bytes) = match value {
            Arg::Scalar(value) => {
                let (ty, value) = (c_type(cell.elem), self.expr_text(value));
                ("NULL".to_owned(), format!("&(const {ty}){{{value}}}"), format!("sizeof({ty})"))
            }
            Arg::Array(array) => {
                let extents: Vec<String> = (0..cell.rank).map(|axis| self.extent(*array, axis).code).collect();
                let bytes = self.bytes(*array);
                let extents = format!("(const int64_t[]){{{}}}", extents.join(", "));
                (extents, self.array_name(*array).to_owned(), bytes)
            }
        };
        let call = format!("frit_keep(w, {site}, {}, {}, {extents}, {elements}, {bytes})", cell.number, cell.rank);
        let leave = self.leave();
        self.line(&format!("if (FRIT_UNLIKELY({call})) {leave}"));
    }

    fn recall(&mut self, cell: Cell, answer: &Binding) {
        self.module.has_requests = true;
        let number = cell.number;
        match *answer {
            Binding::Var(var) if self.is_kept(var) => {
                self.open("{");
                let name = self.fresh("answer");
                self.line(&format!("{} {name};", c_type(cell.elem)));
                self.line(&format!("frit_recall(w, {number}, &{name}, sizeof {name});"));
                let var = self.var_name(var).to_owned();
                self.line(&format!("{var} = {name};"));
                self.close("}");
            }
            Binding::Var(_) => {}
            Binding::Array(array) => {
                let (to, bytes) = (self.array_name(array).to_owned(), self.bytes(array));
                self.line(&format!("frit_recall(w, {number}, {to}, {bytes});"));
            }
        }
    }

    /// The bytes that all elements of an array take.
    pub(super) fn bytes(&self, array: Array) -> String {
        format!("(size_t)({}) * {}", self.count(array), self.element_size(array))
    }

    fn output(&mut self, format: &Format, args: &[Arg], hand_over: String) {
        let site = self.module.site(None, self.proc.span);
        let mut calls: Vec<String> = Vec::new();
        let mut printed = Printed::default();
        let mut args = args.iter();
        for piece in &format.pieces {
            match piece {
                Piece::Text(text) if text.contains('\0') || printed.args.is_empty() => {
                    printed.flush(site, &mut calls);
                    calls.push(format!("frit_put(w, {site}, {}, {})", c_string(text), text.len()));
                }
                Piece::Text(text) => printed.format.push_str(&text.replace('%', "%%")),
                Piece::Conversion(conversion) => {
                    let width = self.count_text(conversion.width, &mut args);
                    let precision = self.count_text(conversion.precision, &mut args);
                    let arg = args.next().expect(HAS_ALL);
                    match (conversion.kind, arg) {
                        (ConversionKind::Text, Arg::Array(array)) => {
                            printed.flush(site, &mut calls);
                            let count = self.extent(*array, 0).code;
                            let elements = self.array_name(*array);
                            let most = precision.map_or_else(|| "INT64_MAX".to_owned(), |most| most.limit());
                            let width = signed_width(conversion, width);
                            calls.push(format!("frit_put_codes(w, {site}, {elements}, {count}, {most}, {width})"));
                        }
                        (ConversionKind::Char, Arg::Scalar(value)) => {
                            printed.flush(site, &mut calls);
                            let term = self.expr(value);
                            let code = character(&term);
                            let width = signed_width(conversion, width);
                            calls
                                .push(format!("frit_put_codes(w, {site}, &(const uint32_t){{{code}}}, 1, 1, {width})"));
                        }
                        (_, Arg::Scalar(value)) => {
                            let term = self.expr(value);
                            printed.number(conversion, &term, [width, precision]);
                        }
                        (_, Arg::Array(array)) => panic!("a verified output shows no array {array} by `{conversion}`"),
                    }
                }
            }
        }
        printed.flush(site, &mut calls);
        calls.push(hand_over);
        let leave = self.leave();
        self.line(&format!("if (FRIT_UNLIKELY({})) {leave}", calls.join("\n            || ")));
    }

    /// A width or precision; an argument if it is `*`.
    fn count_text(&mut self, count: Option<Count>, args: &mut std::slice::Iter<'_, Arg>) -> Option<CountText> {
        match count? {
            Count::Number(number) => Some(CountText::Number(number)),
            Count::Argument => match args.next().expect(HAS_ALL) {
                Arg::Scalar(value) => Some(CountText::Argument(format!("(int)({})", self.expr_text(value)))),
                Arg::Array(array) => panic!("a verified output counts by no array {array}"),
            },
        }
    }
}

const HAS_ALL: &str = "a verified output has an argument for all that its format takes";

/// A width or precision in C.
enum CountText {
    Number(u32),
    Argument(String),
}

impl CountText {
    /// A precision as the most characters of a text.
    fn limit(&self) -> String {
        match self {
            CountText::Number(number) => number.to_string(),
            CountText::Argument(code) => format!("{code} < 0 ? INT64_MAX : {code}"),
        }
    }
}

impl Printed {
    fn number(&mut self, conversion: &Conversion, term: &Term, counts: [Option<CountText>; 2]) {
        // `h` and `hh`, which are part of the conversion, narrow an `int`.
        let is_wide = conversion.bits.is_none() && matches!(term.scalar, Scalar::I64 | Scalar::U64);
        let value = &term.code;
        let (length, value) = match conversion.kind {
            ConversionKind::Fixed { .. }
            | ConversionKind::Exponent { .. }
            | ConversionKind::General { .. }
            | ConversionKind::HexReal { .. } => ("", format!("frit_shown({value})")),
            ConversionKind::Decimal if is_wide => ("ll", format!("(long long)({value})")),
            ConversionKind::Decimal => ("", format!("(int)({value})")),
            _ if is_wide => ("ll", format!("(unsigned long long)({value})")),
            // By way of `int`, as C promotes narrower types.
            _ => ("", format!("(unsigned)(int)({value})")),
        };
        let text = conversion.to_string();
        let (before, kind) = text.split_at(text.len() - 1);
        self.format.push_str(before);
        self.format.push_str(length);
        self.format.push_str(kind);
        for count in counts.into_iter().flatten() {
            if let CountText::Argument(code) = count {
                self.args.push_str(", ");
                self.args.push_str(&code);
            }
        }
        self.args.push_str(", ");
        self.args.push_str(&value);
    }

    /// Ends the call of `printf`, if there is one.
    fn flush(&mut self, site: usize, calls: &mut Vec<String>) {
        let Printed { format, args } = std::mem::take(self);
        if !format.is_empty() {
            calls.push(format!("frit_print(w, {site}, {}{args})", c_string(&format)));
        }
    }
}

/// The width for `frit_put_codes`, negative for the flag `-`.
fn signed_width(conversion: &Conversion, width: Option<CountText>) -> String {
    let is_left = conversion.flags.contains('-');
    match width {
        None => "0".to_owned(),
        Some(CountText::Number(number)) => format!("{}{number}", if is_left { "-" } else { "" }),
        Some(CountText::Argument(code)) if is_left => format!("{code} < 0 ? {code} : -(int64_t){code}"),
        Some(CountText::Argument(code)) => code,
    }
}

/// The code point that a character or an integer stands for; one that is none where there is none.
fn character(term: &Term) -> String {
    let value = &term.code;
    match term.scalar {
        Scalar::Char => format!("({value})"),
        Scalar::U64 => format!("({value}) > UINT32_MAX ? UINT32_MAX : (uint32_t)({value})"),
        Scalar::I64 => format!("(uint64_t)({value}) > UINT32_MAX ? UINT32_MAX : (uint32_t)({value})"),
        scalar if scalar.is_signed() => format!("({value}) < 0 ? UINT32_MAX : (uint32_t)({value})"),
        _ => format!("(uint32_t)({value})"),
    }
}
