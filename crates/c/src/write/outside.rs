//! What is written outside of regions: arrays that only a region uses go with all that is about them, or get another size.

use super::lexical::trailing_comment;
use super::storage::Resized;
use crate::region::{File, Item, Region, Size};
use std::collections::BTreeMap;
use std::ops::Range;

/// Another text for some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The edits outside of regions, in order and apart from each other.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// By the bytes of a statement: its parts, and for each whether it goes; and whether the statement is no part of a block.
    statements: BTreeMap<(usize, usize), Statement>,
    sizes: Vec<Edit>,
}

#[derive(Debug)]
struct Statement {
    parts: Vec<(Range<usize>, bool)>,
    is_body: bool,
}

impl Edits {
    /// An array goes, with all that is about it.
    pub(crate) fn remove(&mut self, items: &[Item]) {
        for item in items {
            let statement = self.statements.entry((item.whole.start, item.whole.end)).or_insert_with(|| Statement {
                parts: item.all.iter().map(|part| (part.clone(), false)).collect(),
                is_body: item.is_body,
            });
            if let Some((_, goes)) = statement.parts.get_mut(item.at) {
                *goes = true;
            }
        }
    }

    /// An array gets another size.
    pub(super) fn resize(&mut self, name: &str, size: &Size, to: &Resized) {
        let Size { brackets, allocation } = size;
        // A linear array has one extent, which is the product of all.
        let product: Vec<&str> = to.extents.iter().flatten().map(String::as_str).filter(|text| *text != "1").collect();
        let product = if product.is_empty() { "1".to_string() } else { product.join(" * ") };
        let (outer, inner) = match (to.strides.is_some(), allocation) {
            (true, _) => (Some(product), &[][..]),
            (false, Some(_)) => (to.extents[0].clone(), &to.extents[1..]),
            (false, None) => (None, &to.extents[..]),
        };
        match (allocation, outer) {
            (Some(call), Some(count)) => {
                let bytes = if count == "1" { format!("sizeof *{name}") } else { format!("sizeof *{name} * {count}") };
                let text = match &call.alignment {
                    _ if call.has_count => format!("{count}, sizeof *{name}"),
                    Some(alignment) => format!("{alignment}, ({bytes} + {alignment} - 1) / {alignment} * {alignment}"),
                    None => bytes,
                };
                self.sizes.push(Edit { range: call.arguments.clone(), text });
            }
            (None, Some(count)) => {
                self.sizes.extend(brackets.first().map(|range| Edit { range: range.clone(), text: count }));
            }
            (_, None) => {}
        }
        for (range, extent) in brackets.iter().zip(inner) {
            self.sizes.extend(extent.clone().map(|text| Edit { range: range.clone(), text }));
        }
    }

    /// All of them and some others, for this text, also given with comments blanked.
    pub(crate) fn finish(self, text: &str, blank: &str, others: Vec<Edit>) -> Vec<Edit> {
        let mut edits = [self.sizes, others].concat();
        for ((start, end), Statement { parts, is_body }) in self.statements {
            if parts.iter().all(|(_, goes)| *goes) {
                let range = if is_body { start..end } else { whole_lines(text, blank, start..end) };
                edits.push(Edit { range, text: if is_body { ";".to_string() } else { String::new() } });
                continue;
            }
            for (at, (part, _)) in parts.iter().enumerate().filter(|(_, (_, goes))| *goes) {
                let is_last = parts[at..].iter().all(|(_, goes)| *goes);
                // With what stands between it and the next one, or the one before that stays.
                let range = match is_last {
                    true => {
                        parts[..at].iter().rfind(|(_, goes)| !goes).map_or(part.start, |(before, _)| before.end)
                            ..part.end
                    }
                    false => part.start..parts[at + 1].0.start,
                };
                edits.push(Edit { range, text: String::new() });
            }
        }
        edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
        // What is in another one goes with it.
        let mut end = 0;
        edits.retain(|edit| {
            let is_apart = edit.range.start >= end;
            end = end.max(edit.range.end);
            is_apart
        });
        edits
    }
}

/// The lines of a statement, if nothing but a comment stands there besides.
fn whole_lines(text: &str, blank: &str, range: Range<usize>) -> Range<usize> {
    let end = trailing_comment(text, range.end).map_or(range.end, |comment| comment.end);
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[end..];
    let line = rest.find('\n').map_or(rest, |newline| &rest[..=newline]);
    let stands_alone = blank[start..range.start].trim().is_empty()
        && text[start..range.start].trim().is_empty()
        && line.trim().is_empty()
        && line.ends_with('\n');
    if !stands_alone {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        return range.start..end + if end == range.end { spaces } else { 0 };
    }
    let mut end = end + line.len();
    // Of the empty lines before and after one is left.
    let is_open = text[..start].trim_end_matches(['\n', '\r']).ends_with('{');
    if text[..start].ends_with("\n\n") || text[..start].ends_with("\n\r\n") || is_open {
        end += text[end..]
            .find(|c| c != '\n' && c != '\r')
            .unwrap_or(0)
            .min(usize::from(text[end..].starts_with("\r\n")) + 1);
        if !text[..end].ends_with('\n') {
            end = text[..end].rfind('\n').map_or(end, |newline| newline + 1);
        }
    }
    start..end
}

/// A text with these edits.
pub(crate) fn applied(text: &str, edits: &[Edit]) -> String {
    let mut new = String::new();
    let mut at = 0;
    for edit in edits {
        new += &text[at..edit.range.start];
        new += &edit.text;
        at = edit.range.end;
    }
    new + &text[at..]
}

/// A part of a file as the source has it, but for these edits.
pub(super) fn edited(file: &File, range: Range<usize>, edits: &[Edit]) -> String {
    let mut text = String::new();
    let mut at = range.start;
    for edit in edits.iter().filter(|edit| range.start <= edit.range.start && edit.range.end <= range.end) {
        text += &file.written(at..edit.range.start);
        text += &edit.text;
        at = edit.range.end;
    }
    text + &file.written(at..range.end)
}

/// What frees memory behind a region that it stands in, each on a line.
pub(super) fn freed_behind(file: &File, region: &Region, edits: &[Edit], newline: &str) -> String {
    let all = region.frees.iter().map(|free| edited(file, free.clone(), edits));
    all.filter(|text| !text.trim().is_empty())
        .map(|text| format!("{newline}{}{}", region.indent, text.trim()))
        .collect()
}
