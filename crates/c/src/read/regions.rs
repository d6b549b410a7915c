//! Where the regions of a file are.
//!
//! The lines of `#pragma scop` are looked for in the text, outside of comments and strings. Read `builder` next.

use super::Reason;
use super::statements::not_understood;
use super::syntax::{children_and_comments, descendants};
use crate::ast::{Kind, Node, Tree};
use crate::region::Remark;
use frit_support::{Diagnostic, FileId, Span};
use std::ops::Range;

/// The statements of a region, and the function that they are in.
pub(crate) struct Found<'t> {
    /// The function definition.
    pub(crate) function: Node<'t>,
    /// The statements and comments between the pragmas.
    pub(crate) statements: Vec<Node<'t>>,
}

/// A line `#pragma scop` or `#pragma endscop`.
struct Line {
    is_end: bool,
    range: Range<usize>,
}

/// The regions between pragmas, and remarks on those that are in no block of a function.
///
/// # Errors
///
/// A pragma has no partner.
pub(crate) fn find(tree: &Tree, file: FileId) -> Result<(Vec<Found<'_>>, Vec<Remark>), Vec<Diagnostic>> {
    let lines = lines(tree);
    let (mut errors, mut found, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    let span = |range: &Range<usize>| Span::new(file, range.start, range.end);
    let mut open: Option<&Line> = None;
    for line in &lines {
        match (open.take(), line.is_end) {
            (None, false) => open = Some(line),
            (Some(start), true) => {
                let (one, other) = (function_at(tree, &start.range), function_at(tree, &line.range));
                match (one, other) {
                    (Some(one), Some(other)) if one != other => {
                        errors.push(without_end(span(&start.range)));
                        errors.push(without_start(span(&line.range)));
                    }
                    (function, _) => match between(tree, function, start, line) {
                        Ok(region) => found.push(region),
                        Err((reason, why, place)) => {
                            remarks.push(Remark { code: reason.code(), message: why, span: span(&place) });
                        }
                    },
                }
            }
            (None, true) => errors.push(without_start(span(&line.range))),
            (Some(start), false) => {
                errors.push(
                    Diagnostic::error("unmatched-scop", "`#pragma scop` inside a region")
                        .label(span(&line.range), "a region is open already")
                        .secondary(span(&start.range), "it begins here"),
                );
                open = Some(start);
            }
        }
    }
    if let Some(start) = open {
        errors.push(without_end(span(&start.range)));
    }
    if errors.is_empty() { Ok((found, remarks)) } else { Err(errors) }
}

fn without_end(span: Span) -> Diagnostic {
    Diagnostic::error("unmatched-scop", "`#pragma scop` without `#pragma endscop`")
        .label(span, "this region has no end")
}

fn without_start(span: Span) -> Diagnostic {
    Diagnostic::error("unmatched-endscop", "`#pragma endscop` ends no region")
        .label(span, "no `#pragma scop` is open here")
}

/// The lines that begin and end regions.
fn lines(tree: &Tree) -> Vec<Line> {
    let directives = tree.loose.iter().filter(|(_, kind)| *kind == Kind::Directive);
    let line = |range: &Range<usize>| {
        let mut words = tree.text[range.clone()].trim_start().strip_prefix('#')?.split_whitespace();
        let is_end = match (words.next()?, words.next()?) {
            ("pragma", "scop") => false,
            ("pragma", "endscop") => true,
            _ => return None,
        };
        Some(Line { is_end, range: range.clone() })
    };
    directives.filter_map(|(range, _)| line(range)).collect()
}

/// The definition of a function that these bytes are in.
pub(crate) fn function_at<'t>(tree: &'t Tree, range: &Range<usize>) -> Option<Node<'t>> {
    tree.functions().find(|function| function.start_byte() <= range.start && range.end <= function.end_byte())
}

/// Pragmas mark a region in this function.
pub(crate) fn is_in_region(tree: &Tree, function: Node<'_>) -> bool {
    let range = function.byte_range();
    lines(tree).iter().any(|line| range.start <= line.range.start && line.range.end <= range.end)
}

/// The line of the preprocessor at these bytes.
fn directive_at<'t>(function: Node<'t>, line: &Line) -> Option<Node<'t>> {
    descendants(function).find(|node| node.kind() == Kind::Directive && node.start_byte() == line.range.start)
}

/// What to say of a region that is none, and where.
type NotFound = (Reason, String, Range<usize>);

/// The statements between two pragmas; on failure what to say.
fn between<'t>(tree: &'t Tree, function: Option<Node<'t>>, start: &Line, end: &Line) -> Result<Found<'t>, NotFound> {
    let misplaced = || {
        let why = "the pragmas of this region do not stand among the statements of one block";
        (Reason::Misplaced, why.to_string(), start.range.clone())
    };
    let is_left_out =
        tree.skipped.iter().any(|skipped| skipped.start <= start.range.start && start.range.end <= skipped.end);
    if is_left_out {
        let why = "the region stays as it is: conditions of the preprocessor leave it out".to_string();
        return Err((Reason::Preprocessor, why, start.range.clone()));
    }
    let function = function.ok_or_else(misplaced)?;
    let first = directive_at(function, start).ok_or_else(misplaced)?;
    let last = directive_at(function, end).ok_or_else(misplaced)?;
    let block = first.parent().ok_or_else(misplaced)?;
    if Some(block) != last.parent() || block.kind() != Kind::Block {
        return Err(misplaced());
    }
    let inside = |node: &Node<'t>| node.start_byte() >= first.end_byte() && node.end_byte() <= last.start_byte();
    let statements: Vec<Node<'t>> = children_and_comments(block).into_iter().filter(inside).collect();
    Ok(Found { function, statements })
}

/// The function that a node is in.
pub(crate) fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(node), |node| node.parent()).find(|node| node.kind() == Kind::Function)
}

/// What keeps statements from being moved because of lines of the preprocessor among them, and where.
pub(crate) fn preprocessor(tree: &Tree, statements: &[Node<'_>]) -> Option<(String, Range<usize>)> {
    let (first, last) = (statements.first()?.start_byte(), statements.last()?.end_byte());
    // A pragma right before the first statement is about it.
    let is_blank = |range: Range<usize>| tree.text.get(range).is_some_and(|text| text.trim().is_empty());
    let is_inside = |range: &Range<usize>| range.end <= last && (first <= range.start || is_blank(range.end..first));
    for node in statements.iter().flat_map(|statement| descendants(*statement)) {
        if node.kind() != Kind::Directive {
            continue;
        }
        let is_pragma = node.operator().starts_with("pragma");
        // Before the body of a loop, as among the statements of a block.
        let is_among_statements = node.parent().is_some_and(|parent| matches!(parent.kind(), Kind::Block | Kind::For));
        if !is_pragma {
            let why = "lines of the preprocessor decide what stands in it; such lines belong round a region";
            return Some((why.to_string(), node.byte_range()));
        }
        if !is_among_statements {
            let why = format!("`#{}` stands where it cannot be kept", node.operator());
            return Some((why, node.byte_range()));
        }
        if node.parent().is_some_and(|parent| parent.kind() == Kind::For)
            && let Some(why) = not_understood(node.operator())
        {
            return Some((why, node.byte_range()));
        }
    }
    let hidden = tree.uses.iter().find(|used| used.has_pragma && is_inside(&used.range))?;
    Some((format!("the macro `{}` stands for a pragma", hidden.name), hidden.range.clone()))
}
