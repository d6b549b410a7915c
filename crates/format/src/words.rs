//! Words with the comments between them, as pieces for the layout; and whether two texts have the same.

use crate::layout::{Piece, Role};
use frit_support::Span;
use std::borrow::Cow;
use std::rc::Rc;

/// The words of a text and the comments between them, in order. Neither spaces nor scopes are set.
pub(crate) fn pieces<'t>(text: &'t str, words: &[Span]) -> Vec<Piece<'t>> {
    let mut scanner = Scanner { text, at: 0, line_start: 0, column: (0, 0), pieces: Vec::new(), lines: 0 };
    for word in words {
        scanner.trivia(word.start as usize);
        scanner.push(Role::Word, word.start as usize, word.end as usize);
    }
    scanner.trivia(text.len());
    scanner.pieces
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    line_start: usize,
    /// A place on the line, and its column.
    column: (usize, usize),
    pieces: Vec<Piece<'t>>,
    /// Lines that ended since the last piece.
    lines: usize,
}

impl Scanner<'_> {
    /// Passes what stands before `end`: white space and comments.
    fn trivia(&mut self, end: usize) {
        while self.at < end {
            let rest = &self.text[self.at..end];
            if rest.starts_with("//") {
                let length = line_comment(rest);
                self.push(Role::LineComment, self.at, self.at + length);
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").map_or(rest.len(), |length| length + 4);
                self.push(Role::BlockComment, self.at, self.at + length);
            } else if let Some(spliced) = splice(rest) {
                self.at += spliced;
                self.line_start = self.at;
            } else {
                if rest.starts_with('\n') {
                    self.lines += 1;
                    self.line_start = self.at + 1;
                }
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    fn push(&mut self, role: Role, start: usize, end: usize) {
        let text = &self.text[start..end];
        let (known, column) = if self.column.0 < self.line_start { (self.line_start, 0) } else { self.column };
        self.column = (start, column + self.text[known..start].chars().count());
        self.pieces.push(Piece {
            text: Cow::Borrowed(text.trim_end()),
            role,
            start,
            column: self.column.1,
            lines_before: std::mem::take(&mut self.lines),
            spaces: 0,
            may_break: None,
            along: Rc::default(),
            is_closer: false,
            is_outdented: false,
            before: Vec::new(),
            after: Vec::new(),
            closes: 0,
        });
        // A comment may have ended lines.
        if let Some(last) = text.rfind('\n') {
            self.line_start = start + last + 1;
        }
        self.at = end;
        self.mend_spaces();
    }

    /// Spaces are those directly in front.
    fn mend_spaces(&mut self) {
        let [.., before, piece] = &mut self.pieces[..] else { return };
        let gap = &self.text[..piece.start];
        piece.spaces = gap.len() - gap.trim_end_matches([' ', '\t']).len();
        if piece.lines_before > 0 || before.role == Role::LineComment {
            piece.spaces = 0;
        }
    }
}

/// The length of a comment that ends with its line. A backslash at the end of the line continues it.
fn line_comment(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let line = rest[length..].find('\n').map_or(rest.len(), |end| length + end);
        let content = rest[..line].strip_suffix('\r').unwrap_or(&rest[..line]);
        if line == rest.len() || !content.ends_with('\\') {
            return line;
        }
        length = line + 1;
    }
}

/// The length of a backslash at the end of a line, with the end of the line.
fn splice(rest: &str) -> Option<usize> {
    let behind = rest.strip_prefix('\\')?;
    behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')).map(|behind| rest.len() - behind.len())
}

/// The texts of words and comments, to compare. Lines of a comment may have moved.
pub(crate) fn texts(pieces: &[Piece<'_>]) -> Vec<String> {
    let text = |piece: &Piece<'_>| match piece.role {
        Role::LineComment | Role::BlockComment => piece.text.lines().map(str::trim).collect::<Vec<_>>().join("\n"),
        Role::Word | Role::Verbatim => piece.text.to_string(),
    };
    pieces.iter().map(text).collect()
}

/// The brackets of a text.
pub(crate) struct Brackets {
    /// For each piece that is a bracket the one that closes or opens it.
    pub(crate) partners: Vec<Option<usize>>,
    /// For each piece how many brackets are open around it.
    pub(crate) depths: Vec<u32>,
    /// For each piece the innermost of these.
    pub(crate) around: Vec<Option<usize>>,
}

/// The brackets among the pieces.
pub(crate) fn brackets(pieces: &[Piece<'_>]) -> Brackets {
    let mut found = Brackets { partners: vec![None; pieces.len()], depths: Vec::new(), around: Vec::new() };
    let mut open: Vec<usize> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let bracket = if piece.role == Role::Word { &*piece.text } else { "" };
        if matches!(bracket, ")" | "]" | "}")
            && let Some(opener) = open.pop()
        {
            found.partners[at] = Some(opener);
            found.partners[opener] = Some(at);
        }
        found.depths.push(u32::try_from(open.len()).unwrap_or(u32::MAX).min(u32::MAX / 32));
        found.around.push(open.last().copied());
        if matches!(bracket, "(" | "[" | "{") {
            open.push(at);
        }
    }
    found
}
