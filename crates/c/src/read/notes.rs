//! What a region keeps of the text besides statements: comments and indentation.

use super::regions::Found;
use super::syntax::{descendants, is_loose, is_within};
use crate::ast::{Kind, Node};
use crate::region::Region;

/// What stands before a place on its line, if that is white space.
pub(crate) fn indent(source: &str, at: usize) -> String {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    source[start..at].chars().take_while(|c| c.is_whitespace()).collect()
}

/// Comments and pragmas that stand in no statement go with the statement or loop that they belong to.
pub(crate) fn attach_comments(region: &mut Region, found: &Found<'_>, source: &str) {
    let notes: Vec<Node<'_>> =
        found.statements.iter().flat_map(|statement| descendants(*statement)).filter(|node| is_loose(*node)).collect();
    for note in notes {
        let range = note.byte_range();
        let is_inside = region.statements.iter().any(|(_, template)| is_within(&range, &template.range));
        if is_inside || !is_within(&range, &region.range) {
            continue;
        }
        let ends_on_row = |at: usize| !source[at..range.start].contains('\n');
        let before = region
            .statements
            .iter()
            .filter(|(_, template)| template.range.end <= range.start)
            .max_by_key(|(_, template)| template.range.end)
            .map(|(statement, template)| (statement, template.range.end));
        if note.kind() == Kind::Comment
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
