//! What a region keeps of the text besides statements: comments and indentation.

use super::regions::Found;
use super::syntax::{descendants, field, is_within, text};
use super::types::{CType, declared};
use crate::region::Region;
use tree_sitter::Node;

/// What stands before a place on its line, if that is white space.
pub(crate) fn indent(source: &str, at: usize) -> String {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    source[start..at].chars().take_while(|c| c.is_whitespace()).collect()
}

pub(crate) fn function_name(function: Node<'_>, source: &str) -> String {
    let declarator = field(function, "declarator");
    let name = declarator.and_then(|declarator| declared(declarator, CType::Unknown, source));
    name.map_or_else(String::new, |(name, _)| text(name, source).to_string())
}

/// Comments and pragmas that stand in no statement go with the statement or loop that they belong to.
pub(crate) fn attach_comments(region: &mut Region, found: &Found<'_>, source: &str) {
    let is_loose = |node: &Node<'_>| matches!(node.kind(), "comment" | "preproc_call");
    let notes: Vec<Node<'_>> =
        found.statements.iter().flat_map(|statement| descendants(*statement)).filter(is_loose).collect();
    for note in notes {
        // A pragma's node ends in the next line.
        let length = text(note, source).trim_end().len();
        let range = note.start_byte()..note.start_byte() + length;
        let is_inside = region.statements.iter().any(|(_, template)| is_within(&range, &template.range));
        if is_inside || !is_within(&range, &region.range) {
            continue;
        }
        let row = note.start_position().row;
        let ends_on_row = |at: usize| {
            found.function.descendant_for_byte_range(at.saturating_sub(1), at).is_some_and(|node| {
                node.end_position().row == row || node.end_byte() > at && node.start_position().row == row
            })
        };
        let before = region
            .statements
            .iter()
            .filter(|(_, template)| template.range.end <= range.start)
            .max_by_key(|(_, template)| template.range.end)
            .map(|(statement, template)| (statement, template.range.end));
        if note.kind() == "comment"
            && let Some((statement, end)) = before
            && ends_on_row(end)
        {
            region.statements[statement].leading.push(range);
            continue;
        }
        let next_loop = region
            .loops
            .iter()
            .map(|(at, data)| (data.range.start, at))
            .filter(|(start, _)| *start >= range.end)
            .min_by_key(|(start, _)| *start);
        let next_statement = region
            .statements
            .iter()
            .map(|(at, template)| (template.range.start, at))
            .filter(|(start, _)| *start >= range.end)
            .min_by_key(|(start, _)| *start);
        match (next_loop, next_statement) {
            (Some((start, at)), statement) if statement.is_none_or(|(other, _)| start <= other) => {
                region.loops[at].leading.push(range)
            }
            (_, Some((_, at))) => region.statements[at].leading.push(range),
            _ => {
                if let Some((statement, _)) = before {
                    region.statements[statement].leading.push(range);
                }
            }
        }
    }
}
