//! SAC: where its words have spaces between them, where lines may end, and how they are indented.
//!
//! The words of a file say this by themselves: a syntax tree is that of the text after preprocessing, in which macros have other
//! words. Lines of the preprocessor stay as they are. Where only the grammar can tell what a word is, as `-` behind a
//! parenthesis, the spaces of the source stay.

use crate::layout::{self, Indent, Piece, Role};
use crate::words::{Brackets, brackets, pieces, texts};
use frit_front::sac::load::check_grammar;
use frit_front::sac::source::{Included, include_from_disk, preprocess, words};
use frit_support::{Diagnostic, FileId, SourceMap};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

/// The text laid out; `None` if it would be another program.
pub(crate) fn format(
    sources: &mut SourceMap,
    file: FileId,
    text: &str,
    search: &[PathBuf],
) -> Result<Option<String>, Vec<Diagnostic>> {
    check_grammar(sources, file, search)?;
    let mut pieces = marked(file, text);
    let before = texts(&pieces);
    Layout::new(&mut pieces).file();
    let formatted = layout::print(&pieces);
    let name = sources.file(file).map(|file| file.name.clone()).unwrap_or_default();
    let is_same = before == texts(&marked(file, &formatted))
        && preprocessed(&name, text, search) == preprocessed(&name, &formatted, search);
    Ok(is_same.then_some(formatted))
}

/// The words after preprocessing: a macro may look at spaces and at the number of the line.
fn preprocessed(name: &str, text: &str, search: &[PathBuf]) -> Vec<String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut include = |written: &str, from: &std::path::Path| {
        let found = include_from_disk(written, from, search, &mut BTreeSet::new());
        // What the library includes for its users is the same both times.
        Ok(found.unwrap_or_else(|_| Included { path: PathBuf::from(written), text: String::new() }))
    };
    let source = preprocess(&mut sources, file, &mut include);
    source.texts().map(str::to_string).collect()
}

/// The words and comments; what belongs together is one piece: runs of operator characters and points, and lines of the preprocessor.
fn marked(file: FileId, text: &str) -> Vec<Piece<'_>> {
    let mut made: Vec<Piece<'_>> = Vec::new();
    let mut is_directive = false;
    for piece in pieces(text, &words(file, text)) {
        let starts_line = piece.lines_before > 0 || made.is_empty();
        is_directive = (is_directive && !starts_line) || (starts_line && piece.role == Role::Word && piece.text == "#");
        let end = piece.start + piece.text.len();
        match made.last_mut() {
            Some(last) if is_directive && !starts_line => {
                last.text = Cow::Borrowed(&text[last.start..end]);
            }
            Some(last) if is_joined(last, &piece) => {
                last.text = Cow::Borrowed(&text[last.start..end]);
            }
            _ => made.push(Piece { role: if is_directive { Role::Verbatim } else { piece.role }, ..piece }),
        }
    }
    made
}

/// True for two pieces that are read as one.
fn is_joined(left: &Piece<'_>, right: &Piece<'_>) -> bool {
    let is_adjacent =
        left.start + left.text.len() == right.start && left.role == Role::Word && right.role == Role::Word;
    let all = |piece: &Piece<'_>, set: fn(char) -> bool| piece.text.chars().all(set);
    is_adjacent
        && [is_operator_char as fn(char) -> bool, |c| c == '.', |c| c == ':']
            .into_iter()
            .any(|set| all(left, set) && all(right, set))
}

fn is_operator_char(c: char) -> bool {
    "+-*/%<>=!&|^~@$".contains(c)
}

/// Operators between two operands, and how loosely they bind, loosest first; the others may be the program's own.
const INFIX: &[(&str, u32)] = &[
    ("||", 4),
    ("&&", 4),
    ("==", 5),
    ("!=", 5),
    ("<=", 5),
    (">=", 5),
    ("<", 5),
    (">", 5),
    ("|", 2),
    ("^", 6),
    ("&", 6),
    ("<<", 6),
    (">>", 6),
    ("+", 7),
    ("-", 7),
    ("*", 8),
    ("/", 8),
    ("%", 8),
    ("->", 9),
];

const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%="];

const KEYWORDS: &[&str] = &["if", "while", "for", "do", "return", "else", "with"];

struct Layout<'p, 't> {
    pieces: &'p mut [Piece<'t>],
    partners: Vec<Option<usize>>,
    depths: Vec<u32>,
    /// The innermost bracket that is open.
    around: Vec<Option<usize>>,
    /// The words, without comments and lines of the preprocessor.
    words: Vec<usize>,
    /// For each word whether it is an opening brace of statements or generators, and what they are indented against.
    blocks: Vec<Option<Indent>>,
    /// For each word whether it is an operator that is defined there.
    is_defined: Vec<bool>,
}

impl<'p, 't> Layout<'p, 't> {
    fn new(pieces: &'p mut [Piece<'t>]) -> Self {
        let words: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at].role == Role::Word).collect();
        let (blocks, is_defined) = (vec![None; words.len()], vec![false; words.len()]);
        let Brackets { partners, depths, around } = brackets(pieces);
        Self { pieces, partners, depths, around, words, blocks, is_defined }
    }

    fn file(&mut self) {
        let mut nth = 0;
        while nth < self.words.len() {
            nth = self.statement(nth, true);
        }
        for nth in 0..self.words.len() {
            self.space(nth);
            self.brackets(nth);
        }
        self.choices();
    }

    /// `a ? b : c`: the colon stands below the question mark, if it begins a line.
    fn choices(&mut self) {
        // Where the choices end that have begun, with how many brackets are around them.
        let mut ends: Vec<(u32, usize)> = Vec::new();
        for nth in 0..self.words.len() {
            ends.retain(|(_, end)| *end >= nth);
            let depth = self.depths[self.words[nth]];
            if self.text(nth) != "?" || ends.iter().any(|(other, _)| *other == depth) {
                continue;
            }
            let mut end = nth;
            while end + 1 < self.words.len() && !matches!(self.text(end + 1), "," | ";" | "|" | ")" | "]" | "}") {
                end = self.closing(end + 1).unwrap_or(end + 1);
            }
            ends.push((depth, end));
            self.pieces[self.words[nth]].before.push(Indent::Column);
            self.pieces[self.words[end]].closes += 1;
        }
    }

    /// The text of a word, by its number among the words; empty behind the last one.
    fn text(&self, nth: usize) -> &str {
        self.words.get(nth).map_or("", |&at| &self.pieces[at].text)
    }

    fn previous(&self, nth: usize) -> &str {
        nth.checked_sub(1).map_or("", |nth| self.text(nth))
    }

    /// The number of the word that closes the bracket.
    fn closing(&self, nth: usize) -> Option<usize> {
        let partner = self.partners[*self.words.get(nth)?]?;
        self.words.binary_search(&partner).ok().filter(|&found| found > nth)
    }

    /// The number of the word that opens the bracket.
    fn opening(&self, nth: usize) -> Option<usize> {
        self.words.binary_search(&self.partners[self.words[nth]]?).ok()
    }

    fn open_behind(&mut self, nth: usize, indent: Indent, last: usize) {
        if last > nth && last < self.words.len() {
            self.pieces[self.words[nth]].after.push(indent);
            self.pieces[self.words[last]].closes += 1;
        }
    }

    // ---- statements

    /// A statement, item, or generator with its value. The number of the word behind it.
    fn statement(&mut self, start: usize, is_item: bool) -> usize {
        match self.text(start) {
            "{" => self.block(start, Indent::Body),
            // Where macros leave out words, a bracket may be closed that is not open here.
            "}" => start + 1,
            "if" if !is_item => {
                let next = self.header_and_body(start);
                if self.text(next) != "else" {
                    return next;
                }
                self.body(next)
            }
            "for" | "while" if !is_item => self.header_and_body(start),
            "do" if !is_item => {
                let next = self.body(start);
                self.rest(next, false)
            }
            _ => self.rest(start, is_item),
        }
    }

    /// `if (...)`, `for (...)` or `while (...)`, and the statement behind it.
    fn header_and_body(&mut self, start: usize) -> usize {
        match self.closing(start + 1).filter(|_| self.text(start + 1) == "(") {
            Some(close) => {
                self.open_behind(start, Indent::Scope(4), close);
                self.body(close)
            }
            None => self.rest(start, false),
        }
    }

    /// The statement behind a word, indented unless it is a block.
    fn body(&mut self, before: usize) -> usize {
        let start = before + 1;
        let is_chain = self.text(before) == "else" && self.text(start) == "if";
        if self.text(start) == "{" || is_chain {
            return self.statement(start, false);
        }
        let next = self.statement(start, false);
        self.open_behind(before, Indent::Scope(2), next - 1);
        next
    }

    /// `{`, statements, `}`. If it does not fit on a line, each of them gets one of its own.
    fn block(&mut self, open: usize, indent: Indent) -> usize {
        let Some(close) = self.closing(open) else { return open + 1 };
        self.blocks[open] = Some(indent);
        let mut along = Vec::new();
        let mut nth = open + 1;
        while nth < close {
            along.push(self.words[nth]);
            nth = self.statement(nth, false);
        }
        along.push(self.words[close]);
        let along: Rc<[usize]> = along.into();
        if close > open + 1 {
            self.may_break(open + 1, 0);
            // The body of a function on one line becomes one below its header.
            if matches!(indent, Indent::Body) && self.depths[self.words[open]] == 0 {
                self.may_break(open, 0);
                let open = self.words[open];
                self.pieces[open].along = along.clone();
            }
            self.pieces[self.words[open + 1]].along = along;
        }
        close + 1
    }

    /// A statement up to its semicolon, or up to the end of a function's body. Its further lines are indented, but for its blocks.
    fn rest(&mut self, start: usize, is_item: bool) -> usize {
        let mut nth = start;
        let mut is_assigned = false;
        let mut body = None;
        let mut value = None;
        while nth < self.words.len() {
            match self.text(nth) {
                ";" => break,
                "}" => {
                    nth = nth.saturating_sub(1).max(start);
                    break;
                }
                "{" => {
                    let Some(close) = self.closing(nth) else { break };
                    if is_item && !is_assigned && self.previous(nth) == ")" {
                        body = Some(nth);
                        self.block(nth, Indent::Body);
                        nth = close;
                        break;
                    }
                    self.group(nth, close);
                    nth = close;
                }
                "(" | "[" => {
                    let Some(close) = self.closing(nth) else { break };
                    self.inner_blocks(nth, close);
                    nth = close;
                }
                "=" if !is_assigned => {
                    is_assigned = true;
                    value = Some(nth + 1);
                }
                "return" => value = Some(nth + 1),
                text if is_item && !is_assigned && text.chars().all(is_operator_char) && self.text(nth + 1) == "(" => {
                    self.is_defined[nth] = true;
                }
                _ => {}
            }
            nth += 1;
        }
        let last = nth.min(self.words.len().saturating_sub(1));
        // At the level of the file there are calls of macros without a semicolon, and headers of several lines.
        if !is_item || is_assigned {
            self.open_behind(start, Indent::Scope(2), body.map_or(last, |body| body.saturating_sub(1)));
        }
        // Lines of a value begin where it does.
        if let Some(value) = value.filter(|value| *value < last && body.is_none()) {
            self.pieces[self.words[value]].before.push(Indent::Column);
            self.pieces[self.words[last]].closes += 1;
        }
        last + 1
    }

    /// What is in the braces of an expression.
    fn group(&mut self, open: usize, close: usize) {
        if self.is_block(open, close) {
            self.block(open, Indent::Block);
        } else {
            self.comprehension(open, close);
            self.inner_blocks(open, close);
        }
    }

    /// `{ [i] -> a[i] | [i] < [n] }`: lines of the value are aligned, and the bar stands below the brace.
    fn comprehension(&mut self, open: usize, close: usize) {
        let mut value = None;
        let mut nth = open + 1;
        while nth <= close {
            let text = self.text(nth);
            if text == "->" && value.is_none() {
                value = Some(nth + 1);
            } else if matches!(text, "|" | ";" | "}")
                && let Some(first) = value.take().filter(|&first| first < nth)
            {
                let is_bar = text == "|";
                self.pieces[self.words[first]].before.push(Indent::Column);
                self.pieces[self.words[nth - 1]].closes += 1;
                self.pieces[self.words[nth]].is_outdented = is_bar;
            }
            nth = self.closing(nth).unwrap_or(nth) + 1;
        }
    }

    /// Blocks inside of brackets: generators of with-loops in arguments.
    fn inner_blocks(&mut self, open: usize, close: usize) {
        let mut nth = open + 1;
        while nth < close {
            if self.text(nth) == "{"
                && let Some(end) = self.closing(nth)
            {
                self.group(nth, end);
                nth = end;
            }
            nth += 1;
        }
    }

    /// True for braces with statements or generators; false for those of a tensor comprehension or a list.
    fn is_block(&self, open: usize, close: usize) -> bool {
        let mut nth = open + 1;
        while nth < close {
            match self.text(nth) {
                "->" => return false,
                ";" => return true,
                _ => {}
            }
            nth = self.closing(nth).unwrap_or(nth) + 1;
        }
        false
    }

    // ---- brackets and spaces

    fn may_break(&mut self, nth: usize, rank: u32) {
        if let Some(&at) = self.words.get(nth) {
            let rank = self.depths[at] * 10 + rank;
            self.pieces[at].may_break.get_or_insert(rank);
        }
    }

    fn brackets(&mut self, nth: usize) {
        let at = self.words[nth];
        match self.text(nth) {
            "(" | "[" | "{" => {
                if let Some(close) = self.closing(nth) {
                    self.pieces[at].after.push(self.blocks[nth].unwrap_or(Indent::Bracket));
                    self.pieces[self.words[close]].is_closer = true;
                }
            }
            "," => self.may_break(nth + 1, 1),
            ";" if !matches!(self.text(nth + 1), ")" | "}" | "") => self.may_break(nth + 1, 0),
            "?" => self.may_break(nth, 2),
            _ => {}
        }
        if let Some(rank) = self.infix(nth) {
            self.may_break(nth, rank);
        }
    }

    /// How loosely an operator binds that stands between two operands.
    fn infix(&self, nth: usize) -> Option<u32> {
        let (_, rank) = INFIX.iter().find(|(text, _)| *text == self.text(nth))?;
        (!self.is_prefix(nth)).then_some(*rank)
    }

    /// True for an operator that no operand stands in front of.
    fn is_prefix(&self, nth: usize) -> bool {
        let before = self.previous(nth);
        before.is_empty()
            || matches!(before, "(" | "[" | "{" | "," | ";" | ":" | "?" | "return")
            || before.chars().all(is_operator_char)
    }

    fn space(&mut self, nth: usize) {
        let at = self.words[nth];
        // Behind a comment the spaces stay.
        if nth > 0 && self.words[nth - 1] + 1 == at {
            let kept = self.pieces[at].spaces.min(1);
            self.pieces[at].spaces = self.has_space(nth - 1, nth).map_or(kept, usize::from);
        }
    }

    /// True if two words on one line have a space between them; `None` if that is as it was.
    fn has_space(&self, left: usize, right: usize) -> Option<bool> {
        let (a, b) = (self.text(left), self.text(right));
        let is_operator = |text: &str| text.chars().all(is_operator_char);
        let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_known = |text: &str| ASSIGNMENTS.contains(&text) || INFIX.iter().any(|(known, _)| *known == text);
        match (a, b) {
            // Operators may grow together, and `&` marks parameters.
            _ if is_operator(a) && is_operator(b) => None,
            ("&", _) | (_, "&") => None,
            _ if self.is_defined[left] => Some(false),
            (_, "," | ";" | ")" | "]") | ("(" | "[", _) => Some(false),
            // Axes are often written close together, as in `[i,j+1]`.
            (",", _) if self.is_in_square(left) => None,
            ("," | ";", _) => Some(true),
            (")", "{" | ":") | ("}", ":") => Some(true),
            (":", _) if matches!(self.previous(left), ")" | "}") => Some(true),
            _ if KEYWORDS.contains(&a) && b == "{" => Some(true),
            ("{", "}") => None,
            ("{", _) => self.blocks[left].map(|_| true),
            (_, "}") => self.opening(right).and_then(|open| self.blocks[open]).map(|_| true),
            (_, "{") => None,
            _ if KEYWORDS.contains(&a) && b == "(" => (a != "with").then_some(true),
            ("step" | "width", "[") => None,
            (_, "(" | "[") if is_name(a) => Some(KEYWORDS.contains(&a)),
            // What stands behind a parenthesis may be the operand of a cast.
            (")", _) if is_sign(b) => None,
            _ if is_sign(a) && self.previous(left) == ")" => None,
            _ if is_operator(a) && self.is_prefix(left) => is_sign(a).then_some(false),
            _ if (is_operator(a) && self.is_in_square(left)) || (is_operator(b) && self.is_in_square(right)) => None,
            _ if is_known(a) || is_known(b) => Some(true),
            ("?", _) | (_, "?") => Some(true),
            _ if is_name(a) && is_name(b) => Some(true),
            _ => None,
        }
    }

    /// True for what stands in square brackets.
    fn is_in_square(&self, nth: usize) -> bool {
        self.around[self.words[nth]].is_some_and(|open| self.pieces[open].text == "[")
    }
}

/// Operators with one operand, if they stand in front of it.
fn is_sign(text: &str) -> bool {
    matches!(text, "-" | "+" | "!" | "~")
}
