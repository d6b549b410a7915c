//! Indented lines, and lists with separators.

use std::fmt::{Display, Write};

/// Levels of indentation that show. Deeper blocks stay at this column, else the text of a deep nest would grow with
/// the square of its depth.
const DEEPEST_INDENT: usize = 40;

/// Text under construction.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// The text.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Lines from now on are one level deeper.
    pub(crate) fn indent(&mut self) {
        self.depth += 1;
    }

    /// Lines from now on are one level less deep.
    pub(crate) fn dedent(&mut self) {
        self.depth -= 1;
    }

    /// Begins a line.
    pub(crate) fn begin(&mut self) {
        for _ in 0..self.depth.min(DEEPEST_INDENT) {
            self.text.push_str("  ");
        }
    }

    /// Ends a line.
    pub(crate) fn end(&mut self) {
        self.text.push('\n');
    }

    /// Appends to the line.
    pub(crate) fn put(&mut self, piece: impl Display) {
        write!(self.text, "{piece}").expect("writing to a string does not fail");
    }

    /// Appends the items with `, ` between them.
    pub(crate) fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            each(self, item);
        }
    }

    /// Appends the items with `, ` between them.
    pub(crate) fn joined<T: Display>(&mut self, items: impl IntoIterator<Item = T>) {
        self.list(items, |w, item| w.put(item));
    }
}
