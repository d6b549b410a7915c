//! From pieces of text to lines. Knows no language.
//!
//! A piece is a word or a comment. Breaks of the source are kept, and a line that is too long gets more: of the places that
//! keep it within [`WIDTH`], at the last of least [rank](Piece::may_break). How far a line is indented follows from the
//! innermost scope that is open where it begins. So a text that was laid out has no reason to change: it has its breaks already,
//! and the same scopes.

use std::borrow::Cow;
use std::rc::Rc;

/// The longest line, in characters, where there is a place to break it.
pub(crate) const WIDTH: usize = 120;

/// No line is indented by more: programs may nest deep.
const MAX_INDENT: usize = 80;

/// By how much lines in a scope are indented.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Indent {
    /// More than those of the scope around.
    Scope(usize),
    /// More than the line that is printed.
    Line(usize),
    /// Up to the column of the piece.
    Column,
    /// The inside of a bracket: up to what follows on its line; if nothing does, by two more than that line. The scope ends
    /// at the piece that is a [closer](Piece::is_closer).
    Bracket,
    /// A bracket whose content is indented by two more than the line, whatever follows it.
    Block,
    /// The same, by two more than the scope around.
    Body,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A word of the language.
    Word,
    /// A comment up to the end of its line.
    LineComment,
    /// A comment that ends itself, perhaps on another line.
    BlockComment,
    /// A line that stays as it is.
    Verbatim,
}

/// A word, a comment, or a line of the preprocessor.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) role: Role,
    /// Where it begins in the source, in bytes.
    pub(crate) start: usize,
    /// Its column in the source.
    pub(crate) column: usize,
    /// How many lines end between it and the piece before.
    pub(crate) lines_before: usize,
    /// How many spaces stand in front if it begins no line.
    pub(crate) spaces: usize,
    /// A line may begin here; the rank says how tightly it is bound to what stands before.
    pub(crate) may_break: Option<u32>,
    /// If a line is made to begin here, lines begin at these pieces too.
    pub(crate) along: Rc<[usize]>,
    /// Ends the scope of its bracket, before it is printed.
    pub(crate) is_closer: bool,
    /// Stands below the opening bracket if it begins a line.
    pub(crate) is_outdented: bool,
    /// The scopes that begin with it.
    pub(crate) before: Vec<Indent>,
    /// The scopes that begin behind it.
    pub(crate) after: Vec<Indent>,
    /// How many scopes end behind it.
    pub(crate) closes: usize,
}

impl Piece<'_> {
    fn width(&self) -> usize {
        self.text.lines().next().unwrap_or("").chars().count()
    }
}

struct Scope {
    indent: usize,
    /// The indentation of the closing bracket.
    closer: usize,
}

/// Prints the pieces.
pub(crate) fn print(pieces: &[Piece<'_>]) -> String {
    let mut begins_line: Vec<bool> = pieces.iter().map(|piece| piece.lines_before > 0).collect();
    for (at, piece) in pieces.iter().enumerate() {
        let stands_alone = piece.role == Role::Verbatim;
        begins_line[at] |= at == 0 || stands_alone;
        if at + 1 < pieces.len() {
            begins_line[at + 1] |= stands_alone_behind(piece.role);
        }
    }
    let mut printer = Printer { out: String::new(), column: 0, line_indent: 0, scopes: Vec::new() };
    for (at, piece) in pieces.iter().enumerate() {
        if begins_line[at] {
            printer.begin_line(piece, at == 0);
            wrap(pieces, &mut begins_line, at, printer.column);
        } else {
            if piece.is_closer {
                printer.scopes.pop();
            }
            printer.write(&" ".repeat(piece.spaces));
        }
        let ends_line = begins_line.get(at + 1).copied().unwrap_or(true);
        let space = pieces.get(at + 1).map_or(0, |next| next.spaces);
        printer.piece(piece, if ends_line { None } else { Some(space) });
    }
    if !printer.out.is_empty() {
        printer.out.push('\n');
    }
    printer.out
}

fn stands_alone_behind(role: Role) -> bool {
    match role {
        Role::LineComment | Role::Verbatim => true,
        Role::Word | Role::BlockComment => false,
    }
}

/// Ends the line that begins with piece `first` at `column` where it must end to be no longer than [`WIDTH`].
fn wrap(pieces: &[Piece<'_>], begins_line: &mut [bool], first: usize, column: usize) {
    let mut column = column + pieces[first].width();
    let mut best: Option<(u32, usize)> = None;
    for (at, piece) in pieces.iter().enumerate().skip(first + 1) {
        if begins_line[at] || pieces[at - 1].text.contains('\n') {
            return;
        }
        if let Some(rank) = piece.may_break
            && (column <= WIDTH || best.is_none())
            && best.is_none_or(|(least, _)| rank <= least)
        {
            best = Some((rank, at));
        }
        column += piece.spaces + piece.width();
        // A comment at the end of a line may be as long as it wants.
        let is_long = column > WIDTH && piece.role != Role::LineComment;
        if let (true, Some((_, best))) = (is_long, best) {
            begins_line[best] = true;
            pieces[best].along.iter().for_each(|&along| begins_line[along] = true);
            return;
        }
    }
}

struct Printer {
    out: String,
    column: usize,
    /// The indentation of the line.
    line_indent: usize,
    scopes: Vec<Scope>,
}

impl Printer {
    fn indent(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.indent)
    }

    fn begin_line(&mut self, piece: &Piece<'_>, is_first: bool) {
        let mut indent = self.indent();
        if piece.is_closer
            && let Some(scope) = self.scopes.pop()
        {
            indent = scope.closer;
        }
        if piece.is_outdented {
            indent = self.scopes.last().map_or(0, |scope| scope.closer);
        }
        if piece.role == Role::Verbatim {
            indent = piece.column;
        }
        if !is_first {
            self.out.push('\n');
            if piece.lines_before > 1 {
                self.out.push('\n');
            }
        }
        self.column = 0;
        self.line_indent = indent;
        self.write(&" ".repeat(indent));
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    /// Writes a piece. `space` is that before the next piece, if this is on the same line.
    fn piece(&mut self, piece: &Piece<'_>, space: Option<usize>) {
        let start = self.column;
        for indent in &piece.before {
            self.open(*indent, start, space);
        }
        if piece.role == Role::BlockComment {
            self.block_comment(piece);
        } else {
            self.write(&piece.text);
        }
        self.scopes.truncate(self.scopes.len().saturating_sub(piece.closes));
        for indent in &piece.after {
            self.open(*indent, start, space);
        }
    }

    /// Opens a scope at a piece that begins at `start`.
    fn open(&mut self, indent: Indent, start: usize, space: Option<usize>) {
        let line = self.line_indent;
        let (indent, closer) = match (indent, space) {
            (Indent::Scope(more), _) => (self.indent() + more, line),
            (Indent::Line(more), _) => (line + more, line),
            (Indent::Column, _) => (start, start),
            (Indent::Bracket, Some(space)) => (self.column + space, start),
            (Indent::Bracket, None) | (Indent::Block, _) => (line + 2, line),
            (Indent::Body, _) => (self.indent() + 2, self.indent()),
        };
        self.scopes.push(Scope { indent: indent.min(MAX_INDENT), closer: closer.min(MAX_INDENT) });
    }

    /// Writes a comment, whose further lines move with the first.
    fn block_comment(&mut self, piece: &Piece<'_>) {
        let (old, new) = (piece.column, self.column);
        for (at, line) in piece.text.lines().enumerate() {
            if at > 0 {
                let content = line.trim_start();
                let indent = line.chars().count() - content.chars().count();
                let indent = if content.is_empty() { 0 } else { (indent + new).saturating_sub(old) };
                self.out.push('\n');
                self.column = 0;
                self.write(&" ".repeat(indent));
                self.write(content.trim_end());
            } else {
                self.write(line.trim_end());
            }
        }
    }
}
