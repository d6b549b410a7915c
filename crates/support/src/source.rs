//! Spans of source text and the map from files to their texts.

use crate::{Table, define_index};

define_index!(
    /// A file in a [`SourceMap`].
    FileId, "file"
);

/// A half-open range of bytes in a source file. [`Span::NONE`] stands for code that no source line wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Number of the file in the source map.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}

impl Span {
    /// The span of code that is nowhere in a source file.
    pub const NONE: Span = Span { file: u32::MAX, start: 0, end: 0 };

    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: clip(crate::Index::at(file)), start: clip(start), end: clip(end) }
    }

    /// True for [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == u32::MAX
    }

    /// The smallest span that holds both; the other one if one of them is [`Span::NONE`].
    pub fn to(self, other: Span) -> Span {
        if self.is_none() || self.file != other.file {
            return if self.is_none() { other } else { self };
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A source file: the name shown in messages, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As the user named it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<usize>,
}

/// All source files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Table<FileId, SourceFile>,
}

/// A place as people count: from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Texts over 4 GiB are cut by the span type; callers refuse them before.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
            .collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts })
    }

    /// The file, if the map has it.
    pub fn file(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file)
    }

    /// The text of a span; empty for [`Span::NONE`].
    pub fn text(&self, span: Span) -> &str {
        self.of(span).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Where a span starts, for people.
    pub fn position(&self, span: Span) -> Option<Position> {
        let file = self.of(span)?;
        let start = (span.start as usize).min(file.text.len());
        let line = file.line_starts.partition_point(|&at| at <= start);
        let column = file.text.get(file.line_starts[line - 1]..start).map_or(0, |text| text.chars().count()) + 1;
        Some(Position { file: file.name.clone(), line, column })
    }

    fn of(&self, span: Span) -> Option<&SourceFile> {
        if span.is_none() { None } else { self.files.get(<FileId as crate::Index>::new(span.file as usize)) }
    }

    /// All files in the order of their addition.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.l0", "ab\ncé x\n");
        assert_eq!(map.position(Span::new(file, 7, 8)).map(|p| p.to_string()), Some("a.l0:2:4".into()));
        assert_eq!(map.text(Span::new(file, 7, 8)), "x");
        assert_eq!(map.position(Span::NONE), None);
    }
}
