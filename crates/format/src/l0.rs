//! L0: where its words have spaces between them, where lines may end, and how they are indented. The syntax tree says how words
//! belong together, the words themselves where brackets and comments are.

use crate::layout::{self, Indent, Piece, Role};
use crate::words::{Brackets, brackets, pieces, texts};
use frit_front::l0::ast::{
    Axis, Binding, BindingKind, Expr, ExprKind, Function, FunctionArgument, FunctionArgumentKind, Program, Repeat, Soac,
};
use frit_front::l0::{parse, words};
use frit_support::diagnostic::Severity;
use frit_support::{Diagnostic, FileId, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// The text laid out; `None` if it would not have the same words.
pub(crate) fn format(file: FileId, text: &str) -> Result<Option<String>, Vec<Diagnostic>> {
    let (program, mut messages) = parse(file, text);
    messages.retain(|message| message.severity == Severity::Error);
    if !messages.is_empty() {
        return Err(messages);
    }
    let mut pieces = pieces(text, &words(file, text));
    let before = texts(&pieces);
    Layout::new(&mut pieces).program(&program);
    let formatted = layout::print(&pieces);
    let after = texts(&crate::words::pieces(&formatted, &words(file, &formatted)));
    Ok((before == after).then_some(formatted))
}

struct Layout<'p, 't> {
    pieces: &'p mut [Piece<'t>],
    /// The pieces by where they begin in the source.
    by_start: HashMap<usize, usize>,
    by_end: HashMap<usize, usize>,
    /// The closing or opening bracket.
    partners: Vec<Option<usize>>,
    /// How many brackets are around a piece.
    depths: Vec<u32>,
    /// Words that are operators between two operands.
    is_infix: Vec<bool>,
    /// The word before each piece, comments passed over.
    previous: Vec<Option<usize>>,
}

impl<'p, 't> Layout<'p, 't> {
    fn new(pieces: &'p mut [Piece<'t>]) -> Self {
        let mut by_start = HashMap::new();
        let mut by_end = HashMap::new();
        let mut previous = Vec::with_capacity(pieces.len());
        let mut last = None;
        for (at, piece) in pieces.iter().enumerate() {
            previous.push(last);
            if piece.role == Role::Word {
                by_start.insert(piece.start, at);
                by_end.insert(piece.start + piece.text.len(), at);
                last = Some(at);
            }
        }
        let Brackets { partners, depths, .. } = brackets(pieces);
        let is_infix = vec![false; pieces.len()];
        Self { pieces, by_start, by_end, partners, depths, is_infix, previous }
    }

    fn program(&mut self, program: &Program) {
        for function in &program.functions {
            self.function(function);
        }
        for at in 0..self.pieces.len() {
            if self.pieces[at].role == Role::Word {
                self.space(at);
                self.bracket(at);
            }
        }
    }

    // ---- words

    fn text(&self, at: usize) -> &str {
        &self.pieces[at].text
    }

    fn is(&self, at: Option<usize>, text: &str) -> bool {
        at.is_some_and(|at| self.text(at) == text)
    }

    fn first(&self, span: Span) -> Option<usize> {
        self.by_start.get(&(span.start as usize)).copied()
    }

    fn last(&self, span: Span) -> Option<usize> {
        self.by_end.get(&(span.end as usize)).copied()
    }

    /// The word behind a piece.
    fn next(&self, at: usize) -> Option<usize> {
        (at + 1..self.pieces.len()).find(|&at| self.pieces[at].role == Role::Word)
    }

    /// The word in front of an expression and the parentheses around it.
    fn before_operand(&self, span: Span) -> Option<usize> {
        let mut at = self.previous[self.first(span)?]?;
        while self.text(at) == "(" && self.previous[at].is_some_and(|before| !self.is_called(before)) {
            at = self.previous[at]?;
        }
        Some(at)
    }

    /// True for a word whose parenthesis is that of its arguments.
    fn is_called(&self, at: usize) -> bool {
        let text = self.text(at);
        text.starts_with(|c: char| c.is_ascii_alphabetic()) && !KEYWORDS.contains(&text) && !TYPES.contains(&text)
    }

    // ---- scopes

    fn open_behind(&mut self, at: usize, indent: Indent, last: usize) {
        // Without a word in between there is nothing to indent.
        if last > at {
            self.pieces[at].after.push(indent);
            self.pieces[last].closes += 1;
        }
    }

    fn column(&mut self, span: Span) {
        if let (Some(first), Some(last)) = (self.first(span), self.last(span)) {
            self.pieces[first].before.push(Indent::Column);
            self.pieces[last].closes += 1;
        }
    }

    /// The line may end in front of a piece.
    fn may_break(&mut self, at: Option<usize>, rank: u32) {
        if let Some(at) = at {
            let rank = self.depths[at] * 10 + rank;
            self.pieces[at].may_break.get_or_insert(rank);
        }
    }

    /// Scope and break behind a word that a value follows, which ends before `end`.
    fn value_behind(&mut self, word: Option<usize>, indent: Indent, end: Option<usize>, rank: u32) {
        let (Some(word), Some(end)) = (word, end) else { return };
        self.may_break(self.next(word), rank);
        self.open_behind(word, indent, end);
    }

    // ---- the tree

    fn function(&mut self, function: &Function) {
        let (Some(start), Some(end)) = (self.first(function.span), self.last(function.span)) else { return };
        let equal = self.before_operand(function.body.span);
        let Some(equal) = equal.filter(|at| self.text(*at) == "=") else { return };
        if let Some(close) = self.previous[equal] {
            self.open_behind(start, Indent::Scope(4), close);
            self.may_break(self.partners[close], 9);
        }
        self.value_behind(Some(equal), Indent::Scope(2), Some(end), 0);
        self.expr(&function.body, true);
    }

    /// An expression; unless it `is_aligned`, its lines begin where those around it do.
    fn expr(&mut self, expr: &Expr, is_aligned: bool) {
        if is_aligned && matches!(expr.kind, ExprKind::Binary { .. } | ExprKind::If { .. } | ExprKind::Let { .. }) {
            self.column(expr.span);
        }
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Checked
            | ExprKind::String(_)
            | ExprKind::Var(_)
            | ExprKind::Empty(_) => {}
            ExprKind::Array(operands)
            | ExprKind::Tuple(operands)
            | ExprKind::Call { arguments: operands, .. }
            | ExprKind::Index { index: operands, .. }
            | ExprKind::Builtin { operands, .. } => self.exprs(operands),
            ExprKind::Binary { op, op_span, left, right } => {
                if let Some(at) = self.first(*op_span) {
                    self.is_infix[at] = true;
                    let rank = if op.text().starts_with(['*', '/', '%', 'p']) { 8 } else { 6 };
                    self.may_break(Some(at), rank);
                }
                self.expr(left, true);
                self.expr(right, true);
            }
            ExprKind::Unary { operand, .. } => self.expr(operand, true),
            ExprKind::Slice { axes, .. } => {
                axes.iter().flat_map(Axis::exprs).for_each(|expr| self.expr(expr, true));
            }
            ExprKind::If { condition, on_true, on_false } => {
                self.expr(condition, true);
                let then = self.before_operand(on_true.span);
                let otherwise = self.before_operand(on_false.span);
                self.may_break(then, 3);
                self.may_break(otherwise, 3);
                let end_of_true = otherwise.and_then(|at| self.previous[at]);
                self.value_behind(then, Indent::Scope(2), end_of_true, 5);
                self.expr(on_true, true);
                let is_chain = matches!(on_false.kind, ExprKind::If { .. })
                    && self.first(on_false.span).is_some_and(|at| {
                        self.previous[at] == otherwise
                            && otherwise == at.checked_sub(1)
                            && self.pieces[at].lines_before == 0
                    });
                if !is_chain {
                    self.value_behind(otherwise, Indent::Scope(2), self.last(expr.span), 5);
                }
                self.expr(on_false, !is_chain);
            }
            ExprKind::Let { bindings, body } => {
                bindings.iter().for_each(|binding| self.binding(binding));
                // If one of them begins a line, all do.
                let starts = bindings[1..].iter().map(|binding| self.first(binding.span));
                let last = bindings.last().and_then(|binding| self.next(self.last(binding.span)?));
                let starts: Rc<[usize]> =
                    starts.chain([last.and_then(|keyword| self.next(keyword))]).flatten().collect();
                for &start in &*starts {
                    self.may_break(Some(start), 1);
                    self.pieces[start].along = starts.clone();
                }
                self.expr(body, true);
            }
            ExprKind::Soac(soac) => self.soac(soac),
        }
    }

    fn exprs(&mut self, operands: &[Expr]) {
        for operand in operands {
            self.expr(operand, true);
        }
    }

    fn binding(&mut self, binding: &Binding) {
        let end = self.last(binding.span);
        let value = match &binding.kind {
            BindingKind::Pattern { value, .. } => value,
            BindingKind::Update { index, value, .. } => {
                self.exprs(index);
                value
            }
            BindingKind::Loop { init, repeat, body, .. } => {
                self.exprs(init.as_slice());
                let keyword = match repeat {
                    Repeat::For { counter, bound } => {
                        self.expr(bound, true);
                        let counter = self.first(counter.span);
                        if let Some(less) = counter.and_then(|at| self.next(at)) {
                            self.is_infix[less] = true;
                        }
                        counter.and_then(|at| self.previous[at])
                    }
                    Repeat::While(condition) => {
                        self.expr(condition, true);
                        self.before_operand(condition.span)
                    }
                };
                let equal = keyword.and_then(|at| self.previous[at]);
                let begin = self.before_operand(body.span);
                self.value_behind(equal, Indent::Scope(2), begin, 4);
                // The body is indented against the line that the loop's bound stands on.
                self.value_behind(begin, Indent::Line(2), end, 2);
                self.expr(body, true);
                self.may_break(end.and_then(|at| self.next(at)), 2);
                return;
            }
        };
        self.value_behind(self.before_operand(value.span), Indent::Scope(2), end, 3);
        self.expr(value, true);
    }

    fn soac(&mut self, soac: &Soac) {
        for function in soac.combine.iter().chain([&soac.function]) {
            self.argument(function);
        }
        self.exprs(&soac.starts);
        self.exprs(&soac.arrays);
    }

    fn argument(&mut self, function: &FunctionArgument) {
        match &function.kind {
            FunctionArgumentKind::Error => {}
            FunctionArgumentKind::Anonymous { body, .. } => {
                self.column(function.span);
                self.value_behind(self.before_operand(body.span), Indent::Scope(2), self.last(function.span), 3);
                self.expr(body, true);
            }
            FunctionArgumentKind::Named { curried, .. }
            | FunctionArgumentKind::Binary { curried, .. }
            | FunctionArgumentKind::Unary { curried, .. } => self.exprs(curried),
        }
    }

    // ---- brackets and spaces

    fn bracket(&mut self, at: usize) {
        if self.partners[at].is_some() {
            match self.text(at) {
                "(" | "[" | "{" => self.pieces[at].after.push(Indent::Bracket),
                _ => self.pieces[at].is_closer = true,
            }
        } else if self.text(at) == "," {
            self.may_break(self.next(at), 2);
        }
    }

    fn space(&mut self, at: usize) {
        // Behind a comment the spaces stay.
        if at > 0 && self.previous[at] == Some(at - 1) {
            self.pieces[at].spaces = usize::from(self.has_space(at - 1, at));
        }
    }

    /// True if two words on one line have a space between them.
    fn has_space(&self, left: usize, right: usize) -> bool {
        let (a, b) = (self.text(left), self.text(right));
        let is_section = |at: Option<usize>| self.is(at, "op");
        let is_prefix = |at: usize| {
            matches!(self.text(at), "-" | "~" | "*" | "<") && !self.is_infix[at] && !is_section(self.previous[at])
        };
        if is_section(Some(left)) {
            return true;
        }
        if is_section(self.previous[left]) {
            return b == "(";
        }
        match (a, b) {
            ("(" | "[" | "{", _) | (_, "," | ")" | "]" | "}") => false,
            // Certificates, `<c> a[i]` and `a[<c>|i]`.
            (_, ">") if !self.is_infix[right] => false,
            (_, "|") if !self.is_infix[right] => false,
            ("|", _) if !self.is_infix[left] => false,
            // Slices.
            (",", ":") => true,
            (":", _) | (_, ":") => false,
            _ if is_prefix(left) => false,
            (_, "(") => !self.is_called(left),
            (_, "[") => !self.is_called(left),
            _ => true,
        }
    }
}

/// Words in front of a parenthesis that is not one of arguments.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "let", "loop", "in", "with", "fun", "fn", "for", "do", "op", "not", "pow", "True", "False",
    "Checked",
];

const TYPES: &[&str] = &["int", "real", "bool", "cert", "char"];
