//! A source, and the text that is read of it: macros that hide what has to be written in another way are replaced by what they stand for, and
//! some loops are said in another way (see `restate`).
//!
//! What is replaced is known, so that text that nothing happens to is printed as its author wrote it, and messages name places of the source.

use frit_support::{Diagnostic, Span};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// A source as it is on disk, and where the text that is read differs from it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The source.
    pub text: String,
    /// In order, not overlapping.
    replaced: Vec<Replaced>,
    /// So many groups of changes there are.
    groups: usize,
}

/// A text that is replaced: a macro, or a part of something that is said in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Replaced {
    /// The bytes of what it stands for, in the text that is read.
    range: Range<usize>,
    /// The bytes of its use, in the source.
    origin: Range<usize>,
    /// The groups of changes that it belongs to, each of which is only right as a whole; none if it is a macro.
    groups: BTreeSet<usize>,
}

/// A change of the text that is read.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The bytes before it.
    pub(crate) before: Range<usize>,
    /// The bytes that take their place.
    pub(crate) after: Range<usize>,
    /// What it belongs to, if it is only right with others, by a number among these edits.
    pub(crate) group: Option<usize>,
}

/// A text with parts replaced, in order; each with what it belongs to.
pub(crate) fn edited(text: &str, changes: &[(Range<usize>, String, usize)]) -> (String, Vec<Edit>) {
    let (mut new, mut edits, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
    for (before, change, group) in changes {
        new += &text[at..before.start];
        let start = new.len();
        new += change;
        edits.push(Edit { before: before.clone(), after: start..new.len(), group: Some(*group) });
        at = before.end;
    }
    new += &text[at..];
    (new, edits)
}

impl Source {
    /// A source that is read as it is.
    pub fn plain(text: &str) -> Self {
        Source { text: text.to_string(), replaced: Vec::new(), groups: 0 }
    }

    /// The text that is read has changed in these places, in order.
    pub(crate) fn replace(&mut self, edits: &[Edit]) {
        let moved = |at: usize, is_end: bool| {
            // What is put in at the end of a text stands behind it.
            let ends_before =
                |edit: &Edit| edit.before.end < at || edit.before.end == at && !(is_end && edit.before.is_empty());
            let last = edits.partition_point(ends_before).checked_sub(1).map(|last| &edits[last]);
            last.map_or(at, |edit| edit.after.end + (at - edit.before.end))
        };
        let mut all: Vec<Replaced> = Vec::new();
        let mut known = std::mem::take(&mut self.replaced);
        let mut is_gone = vec![false; known.len()];
        for edit in edits {
            let group: BTreeSet<usize> = edit.group.map(|group| group + self.groups).into_iter().collect();
            // What it is put into is replaced as a whole, and what it takes the place of as well.
            let next = known.partition_point(|known| known.range.end < edit.before.end);
            let is_around = |known: &Replaced| {
                let (outer, inner) = (&known.range, &edit.before);
                outer.start <= inner.start
                    && inner.end <= outer.end
                    && !(inner.is_empty() && (inner.start == outer.start || inner.end == outer.end))
            };
            if let Some(around) = known.get_mut(next).filter(|known| is_around(known)) {
                around.groups.extend(group);
                continue;
            }
            let mut groups = group;
            let first = known.partition_point(|known| known.range.start < edit.before.start);
            for (at, inner) in known.iter().enumerate().skip(first) {
                let is_at_edge = inner.range.is_empty()
                    && (inner.range.start == edit.before.start || inner.range.end == edit.before.end);
                if inner.range.end > edit.before.end {
                    break;
                }
                if !is_at_edge {
                    is_gone[at] = true;
                    groups.extend(&inner.groups);
                }
            }
            all.push(Replaced { range: edit.after.clone(), origin: place(&known, edit.before.clone()), groups });
        }
        for (known, _) in known.into_iter().zip(is_gone).filter(|(_, is_gone)| !is_gone) {
            let range = moved(known.range.start, false)..moved(known.range.end, true);
            all.push(Replaced { range, ..known });
        }
        all.sort_by_key(|replaced| (replaced.range.start, replaced.range.end));
        self.replaced = all;
        self.groups += edits.iter().filter_map(|edit| edit.group).max().map_or(0, |most| most + 1);
    }

    /// The source with all that belongs to what is said in another way in these parts of the text that is read: it is only right as a whole.
    pub(crate) fn keeping<'r>(&self, ranges: impl Iterator<Item = &'r Range<usize>> + Clone) -> Source {
        let is_inside =
            |of: &Replaced| ranges.clone().any(|range| range.start <= of.range.start && of.range.end <= range.end);
        let kept = self.replaced.iter().filter(|of| is_inside(of)).flat_map(|of| of.groups.clone()).collect();
        self.with_groups(kept)
    }

    /// The source with all that belongs to what is said in another way elsewhere than in this part of the text that is read.
    pub(crate) fn alone(&self, range: &Range<usize>) -> Source {
        let is_inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        let outside = self.replaced.iter().filter(|of| !is_inside(of));
        self.with_groups(outside.flat_map(|of| of.groups.clone()).collect())
    }

    /// The source with the changes of these groups, and of all that belong to them.
    fn with_groups(&self, mut kept: BTreeSet<usize>) -> Source {
        loop {
            let all = self.replaced.iter().filter(|of| !of.groups.is_disjoint(&kept));
            let more: BTreeSet<usize> = all.flat_map(|of| of.groups.clone()).collect();
            if more.is_subset(&kept) {
                break;
            }
            kept.extend(more);
        }
        let replaced = self.replaced.iter().filter(|of| of.groups.is_disjoint(&kept)).cloned().collect();
        Source { text: self.text.clone(), replaced, groups: self.groups }
    }

    /// The macros that are replaced in a part of the text that is read: the bytes there and in the source.
    pub(crate) fn replaced_within(&self, range: &Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        let macros = self.replaced.iter().filter(|of| of.groups.is_empty());
        macros.filter(inside).map(|of| (of.range.clone(), of.origin.clone()))
    }

    /// A part of the text that is read, with macros where they stand in it as a whole.
    pub(crate) fn written<'t>(&'t self, text: &'t str, range: Range<usize>) -> Cow<'t, str> {
        let inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        let mut written = Cow::Borrowed("");
        let mut at = range.start;
        for Replaced { range, origin, .. } in self.replaced.iter().filter(inside) {
            written += &text[at..range.start];
            written += &self.text[origin.clone()];
            at = range.end;
        }
        written += &text[at..range.end];
        written
    }

    /// Where a range of the text that is read is in the source; of a part of a macro's text it is the macro.
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        place(&self.replaced, range)
    }

    /// The number of the line of the source that a byte of the text that is read comes from.
    pub(crate) fn line(&self, at: usize) -> usize {
        let start = self.place(at..at).start.min(self.text.len());
        self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
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

/// Where a range of the text that is read is in the source, with what is replaced there.
fn place(replaced: &[Replaced], range: Range<usize>) -> Range<usize> {
    let place = |at: usize, is_end: bool| {
        let next = replaced.partition_point(|of| of.range.start + usize::from(is_end) <= at);
        let Some(last) = next.checked_sub(1).map(|last| &replaced[last]) else { return at };
        match (at < last.range.end, is_end) {
            (true, false) => last.origin.start,
            (true, true) => last.origin.end,
            (false, _) => last.origin.end + (at - last.range.end),
        }
    };
    let start = place(range.start, false);
    start..place(range.end, true).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Macros are replaced.
    fn edits<const N: usize>(all: [(Range<usize>, Range<usize>); N]) -> Vec<Edit> {
        all.into_iter().map(|(before, after)| Edit { before, after, group: None }).collect()
    }

    #[test]
    fn places_and_texts_are_those_of_the_source_after_several_rounds() {
        // `A` stands for `[B]` and that for `[xy]`; `C` for nothing.
        let mut source = Source::plain("f(A, C) + g(A);");
        source.replace(&edits([(2..3, 2..5), (5..6, 7..7), (12..13, 13..16)]));
        let first = "f([B], ) + g([B]);";
        assert_eq!(source.written(first, 0..first.len()), source.text);
        source.replace(&edits([(3..4, 3..7), (14..15, 17..21)]));
        let second = "f([[xy]], ) + g([[xy]]);";
        assert_eq!(source.written(second, 0..second.len()), source.text);
        // What stands round a macro that is replaced already is replaced as a whole.
        let mut outer = Source::plain("F(A, B)");
        outer.replace(&edits([(2..3, 2..5), (5..6, 7..7)]));
        assert_eq!(outer.written("F([x], )", 0..8), outer.text);
        outer.replace(&edits([(0..8, 0..6)]));
        assert_eq!((outer.written("g(xyz)", 0..6).as_ref(), outer.place(2..3)), ("F(A, B)", 0..7));
        // A part of what a macro stands for is the macro.
        assert_eq!(source.place(4..6), 2..3);
        assert_eq!(source.place(14..15), 10..11);
        assert_eq!(source.place(23..24), 14..15);
        assert_eq!(source.written(second, 14..24), "g(A);");
        assert_eq!(source.written(second, 17..24), "[xy]]);");
    }
}
