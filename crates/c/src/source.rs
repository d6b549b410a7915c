//! A source, and the text that is read of it: macros that hide what has to be written in another way are replaced by what they stand for.
//!
//! What is replaced is known, so that text that nothing happens to is printed as its author wrote it, and messages name places of the source.

use frit_support::{Diagnostic, Span};
use std::borrow::Cow;
use std::ops::Range;

/// A source as it is on disk, and where the text that is read differs from it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The source.
    pub text: String,
    /// In order, not overlapping.
    replaced: Vec<Replaced>,
}

/// A macro that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Replaced {
    /// The bytes of what it stands for, in the text that is read.
    range: Range<usize>,
    /// The bytes of its use, in the source.
    origin: Range<usize>,
}

impl Source {
    /// A source that is read as it is.
    pub fn plain(text: &str) -> Self {
        Source { text: text.to_string(), replaced: Vec::new() }
    }

    /// Macros are replaced in the text that is read: the bytes before and after, in order.
    pub(crate) fn replace(&mut self, edits: &[(Range<usize>, Range<usize>)]) {
        let mut all: Vec<Replaced> = Vec::new();
        let moved = |at: usize| {
            let last = edits.iter().rfind(|(before, _)| before.end <= at);
            last.map_or(at, |(before, after)| after.end + (at - before.end))
        };
        for known in &self.replaced {
            // What is replaced within it makes it longer.
            all.push(Replaced {
                range: moved(known.range.start)..moved(known.range.end),
                origin: known.origin.clone(),
            });
        }
        for (before, after) in edits {
            let is_inside = |known: &Replaced| known.range.start <= before.start && before.end <= known.range.end;
            if !self.replaced.iter().any(is_inside) {
                all.push(Replaced { range: after.clone(), origin: self.place(before.clone()) });
            }
        }
        all.sort_by_key(|replaced| replaced.range.start);
        self.replaced = all;
    }

    /// The macros that are replaced in a part of the text that is read: the bytes there and in the source.
    pub(crate) fn replaced_within(&self, range: &Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        self.replaced.iter().filter(inside).map(|of| (of.range.clone(), of.origin.clone()))
    }

    /// A part of the text that is read, with macros where they stand in it as a whole.
    pub(crate) fn written<'t>(&'t self, text: &'t str, range: Range<usize>) -> Cow<'t, str> {
        let inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        let mut written = Cow::Borrowed("");
        let mut at = range.start;
        for Replaced { range, origin } in self.replaced.iter().filter(inside) {
            written += &text[at..range.start];
            written += &self.text[origin.clone()];
            at = range.end;
        }
        written += &text[at..range.end];
        written
    }

    /// Where a range of the text that is read is in the source; of a part of a macro's text it is the macro.
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let next = self.replaced.partition_point(|of| of.range.start + usize::from(is_end) <= at);
            let Some(last) = next.checked_sub(1).map(|last| &self.replaced[last]) else { return at };
            match (at < last.range.end, is_end) {
                (true, false) => last.origin.start,
                (true, true) => last.origin.end,
                (false, _) => last.origin.end + (at - last.range.end),
            }
        };
        let start = place(range.start, false);
        start..place(range.end, true).max(start)
    }

    /// As [`Source::place`].
    pub(crate) fn span(&self, span: Span) -> Span {
        if span.is_none() || self.replaced.is_empty() {
            return span;
        }
        let place = self.place(span.start as usize..span.end as usize);
        let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: at(place.start), end: at(place.end), ..span }
    }

    /// Messages about the text that is read, with places of the source.
    pub(crate) fn diagnostics(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for label in diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
            label.span = self.span(label.span);
        }
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_texts_are_those_of_the_source_after_several_rounds() {
        // `A` stands for `[B]` and that for `[xy]`; `C` for nothing.
        let mut source = Source::plain("f(A, C) + g(A);");
        source.replace(&[(2..3, 2..5), (5..6, 7..7), (12..13, 13..16)]);
        let first = "f([B], ) + g([B]);";
        assert_eq!(source.written(first, 0..first.len()), source.text);
        source.replace(&[(3..4, 3..7), (14..15, 17..21)]);
        let second = "f([[xy]], ) + g([[xy]]);";
        assert_eq!(source.written(second, 0..second.len()), source.text);
        // A part of what a macro stands for is the macro.
        assert_eq!(source.place(4..6), 2..3);
        assert_eq!(source.place(14..15), 10..11);
        assert_eq!(source.place(23..24), 14..15);
        assert_eq!(source.written(second, 14..24), "g(A);");
        assert_eq!(source.written(second, 17..24), "[xy]]);");
    }
}
