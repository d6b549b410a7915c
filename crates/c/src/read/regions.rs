//! Where the regions of a file are, and whether the text there is C.
//!
//! The lines of `#pragma scop` are looked for in the text, outside of comments and strings, so that a syntax error elsewhere hides none of them. Read `builder` next.

use super::Reason;
use super::facts::Macro;
use super::syntax::{children_and_comments, descendants, descendants_and_depths, field, text};
use super::writes::is_loud;
use crate::region::Remark;
use frit_support::{Diagnostic, FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

/// The statements of a region, and the function that they are in.
pub(crate) struct Found<'t> {
    /// The function definition, or the outermost block if the head of the function is not understood.
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
/// A pragma has no partner, or a function with a region is not C.
pub(crate) fn find<'t>(
    root: Node<'t>,
    source: &'t str,
    file: FileId,
    macros: &BTreeMap<String, Macro>,
) -> Result<(Vec<Found<'t>>, Vec<Remark>), Vec<Diagnostic>> {
    let lines = lines(source);
    let (mut errors, mut found, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    let span = |range: &Range<usize>| Span::new(file, range.start, range.end);
    let mut open: Option<&Line> = None;
    for line in &lines {
        match (open.take(), line.is_end) {
            (None, false) => open = Some(line),
            (Some(start), true) if !is_one_function(root, start, line) => {
                errors.push(without_end(span(&start.range)));
                errors.push(without_start(span(&line.range)));
            }
            (Some(start), true) => {
                let region = start.range.start..line.range.end;
                if let Some((reason, why, place)) = rewritten(root, source, region, macros) {
                    remarks.push(Remark { code: reason.code(), message: why, span: span(&place) });
                    continue;
                }
                match between(root, source, start, line) {
                    // What the parser gets over is no reason to refuse the file, only the region that it stands in.
                    Ok(region) => match local_error(&region.statements) {
                        Some(broken) => remarks.push(Remark {
                            code: Reason::Unreadable.code(),
                            message: "the region stays as it is: this is no C that is understood".to_string(),
                            span: span(&broken.byte_range()),
                        }),
                        None => found.push(region),
                    },
                    Err(Some((reason, why, place))) => {
                        remarks.push(Remark { code: reason.code(), message: why, span: span(&place) });
                    }
                    Err(None) => {}
                }
                check(root, source, start.range.start..line.range.end, file, &mut errors);
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
    let mut seen = BTreeSet::new();
    errors.retain(|error| seen.insert((error.code, error.span())));
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

/// Both lines are in one function, or the text is so broken that this cannot be said.
fn is_one_function(root: Node<'_>, start: &Line, end: &Line) -> bool {
    let function = |line: &Line| {
        let mut at = pragma_node(root, line);
        while let Some(node) = at.filter(|node| node.kind() != "function_definition") {
            at = node.parent();
        }
        at
    };
    match (function(start), function(end)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// The lines that begin and end regions.
fn lines(source: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let bytes = source.as_bytes();
    let mut at = 0;
    let mut is_line_start = true;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            let end = source[at + 2..].find("*/");
            at = end.map_or(bytes.len(), |end| at + 2 + end + 2);
        } else if rest.starts_with(b"//") {
            at += line_length(rest);
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            let quote = rest[0];
            at += 1;
            while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            is_line_start = false;
        } else if rest[0] == b'#' && is_line_start {
            let length = line_length(rest);
            let line = String::from_utf8_lossy(&rest[..length]).into_owned();
            let mut words = line[1..].split_whitespace();
            if words.next() == Some("pragma") {
                match words.next() {
                    Some("scop") => found.push(Line { is_end: false, range: at..at + line.trim_end().len() }),
                    Some("endscop") => found.push(Line { is_end: true, range: at..at + line.trim_end().len() }),
                    _ => {}
                }
            }
            // A macro may open a comment that goes on in the next lines; its strings are no concern.
            let opens = line.find("/*").filter(|open| !line[*open..].contains("*/"));
            at += opens.unwrap_or(length).max(1);
        } else {
            is_line_start = rest[0] == b'\n' || is_line_start && rest[0].is_ascii_whitespace();
            at += 1;
        }
    }
    found
}

/// The bytes to the end of the line; lines that end with a backslash go on.
fn line_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\n' => return at,
            b'\\' if rest.get(at + 1) == Some(&b'\n') => at += 2,
            b'\\' if rest.get(at + 1) == Some(&b'\r') && rest.get(at + 2) == Some(&b'\n') => at += 3,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The node of a pragma.
fn pragma_node<'t>(root: Node<'t>, line: &Line) -> Option<Node<'t>> {
    let mut node = root.descendant_for_byte_range(line.range.start, line.range.start + 1)?;
    while node.kind() != "preproc_call" {
        node = node.parent()?;
    }
    Some(node)
}

/// What to say of a region that is none, and where.
type NotFound = Option<(Reason, String, Range<usize>)>;

/// The statements between two pragmas; on failure what to say, if anything.
fn between<'t>(root: Node<'t>, source: &str, start: &Line, end: &Line) -> Result<Found<'t>, NotFound> {
    let misplaced = || {
        Some((
            Reason::Misplaced,
            "the pragmas of this region do not stand among the statements of one block".to_string(),
            start.range.clone(),
        ))
    };
    let first = pragma_node(root, start).ok_or_else(misplaced)?;
    let last = pragma_node(root, end).ok_or_else(misplaced)?;
    let block = first.parent().ok_or_else(misplaced)?;
    if Some(block) != last.parent() || block.kind() != "compound_statement" {
        return Err(misplaced());
    }
    let function = function_of(block).ok_or_else(misplaced)?;
    let inside = |node: &Node<'t>| node.start_byte() >= first.end_byte() && node.end_byte() <= last.start_byte();
    let statements: Vec<Node<'t>> = children_and_comments(block).into_iter().filter(inside).collect();
    // The grammar ends a macro without a semicolon somewhere in the statement after it.
    if let Some(name) = statements.iter().find_map(|statement| macro_like(*statement, source)) {
        let why = format!("the region stays as it is: {}", unknown_macro(text(name, source)));
        return Err(Some((Reason::MacroStatement, why, name.byte_range())));
    }
    Ok(Found { function, statements })
}

/// The function that a node is in; the outermost block if there is none.
pub(crate) fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    let (mut at, mut block) = (Some(node), None);
    while let Some(inner) = at {
        match inner.kind() {
            "function_definition" => return Some(inner),
            "compound_statement" => block = Some(inner),
            _ => {}
        }
        at = inner.parent();
    }
    block
}

/// The name in a statement that is broken because a macro stands where the grammar expects something else.
fn macro_like<'t>(statement: Node<'t>, source: &str) -> Option<Node<'t>> {
    if !statement.has_error() {
        return None;
    }
    let last = broken(statement).map(|broken| broken.node.start_byte()).max()?;
    descendants(statement).filter(|node| node.kind() == "call_expression").find_map(|call| {
        let name = field(call, "function")?;
        (is_loud(text(name, source)) && call.start_byte() <= last).then_some(name)
    })
}

/// What to say of a name that is used as only a macro can be.
pub(crate) fn unknown_macro(name: &str) -> String {
    format!("`{name}` is perhaps a macro that is no expression; if so, its definition should stand in this file")
}

/// What is not C only because the preprocessor has not seen it yet: no error of the user's.
fn rewritten(root: Node<'_>, source: &str, region: Range<usize>, macros: &BTreeMap<String, Macro>) -> NotFound {
    outermost(root, &region).filter(|node| node.has_error())?;
    let text = source.get(region.clone())?;
    let place = |part: &str| {
        let start = region.start + (part.as_ptr().addr() - text.as_ptr().addr());
        start..start + part.len()
    };
    let is_conditional = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
        ["if", "el", "endif"].iter().any(|word| directive.starts_with(word))
    };
    if let Some(line) = text.lines().find(|line| is_conditional(line)) {
        return Some((
            Reason::Preprocessor,
            "the region stays as it is: lines of the preprocessor decide what stands in it; such lines belong round a region".to_string(),
            place(line),
        ));
    }
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let name = words.find(|word| macros.get(*word).is_some_and(|known| known.body.is_none()))?;
    Some((
        Reason::MacroStatement,
        format!("the region stays as it is: the macro `{name}` is neither an expression nor a statement"),
        place(name),
    ))
}

/// The function or other outermost construct that a region is in.
fn outermost<'t>(root: Node<'t>, region: &Range<usize>) -> Option<Node<'t>> {
    let mut outermost = root.descendant_for_byte_range(region.start, region.end)?;
    while let Some(parent) = outermost.parent().filter(|parent| parent.parent().is_some()) {
        if outermost.kind() == "function_definition" {
            break;
        }
        outermost = parent;
    }
    Some(outermost)
}

/// Adds an error for each place near a region that is not C.
fn check(root: Node<'_>, source: &str, region: Range<usize>, file: FileId, errors: &mut Vec<Diagnostic>) {
    let Some(outermost) = outermost(root, &region) else { return };
    if !outermost.has_error() || has_macro_like(outermost, source) {
        return;
    }
    for Broken { node, .. } in broken(outermost).filter(|broken| !broken.is_local()).take(MOST_ERRORS) {
        let span = Span::new(file, node.start_byte(), node.end_byte().max(node.start_byte() + 1).min(source.len()));
        let message = if node.is_missing() {
            format!("`{}` is missing", node.kind())
        } else {
            "this is no C that is understood".to_string()
        };
        errors.push(Diagnostic::error("c-syntax", "a function with a region is not well formed").label(span, message));
    }
}

/// A place that is not C as the parser knows it.
pub(crate) struct Broken<'t> {
    /// The error, or what is missing.
    node: Node<'t>,
    /// The declaration or expression that it is a part of, if the parser gets over it, so that what stands round that is read as it is meant: it
    /// opens and closes nothing.
    within: Option<Node<'t>>,
}

impl Broken<'_> {
    /// The parser gets over it.
    pub(crate) fn is_local(&self) -> bool {
        self.within.is_some()
    }
}

/// The places in a node that are not C as the parser knows it, in the order of the text.
pub(crate) fn broken(root: Node<'_>) -> impl Iterator<Item = Broken<'_>> {
    let is_open = |part: Node<'_>| {
        part.is_missing()
            || matches!(part.kind(), "{" | "}" | "(" | ")" | "[" | "]" | ";")
            || matches!(part.kind(), "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "return" | "goto")
            || part.kind().starts_with("preproc")
            || part.kind().starts_with('#')
    };
    let outside = std::iter::successors(root.parent(), |around| around.parent())
        .take_while(|around| !is_block(*around))
        .find(|around| holds_errors(*around));
    // What holds the nodes of each depth: to ask each node for its parents would take time with the cube of the depth.
    let mut holders = vec![outside];
    descendants_and_depths(root).filter(move |_| root.has_error()).filter_map(move |(node, depth)| {
        holders.truncate(depth + 1);
        let holder = holders[depth];
        holders.push(if is_block(node) { None } else { Some(node).filter(|node| holds_errors(*node)).or(holder) });
        let is_local = || node.is_error() && !descendants(node).any(is_open);
        let is_broken = node.is_error() || node.is_missing();
        is_broken.then(|| Broken { node, within: holder.filter(|_| is_local()) })
    })
}

fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), "compound_statement" | "translation_unit")
}

/// The first place in statements that the parser gets over.
fn local_error<'t>(statements: &[Node<'t>]) -> Option<Node<'t>> {
    statements.iter().flat_map(|statement| broken(*statement)).find(Broken::is_local).map(|broken| broken.node)
}

/// The words of declarations and statements with errors, and where these begin: what they do with the names is not known.
pub(crate) fn unread_words<'s>(function: Node<'_>, source: &'s str) -> BTreeSet<(usize, &'s str)> {
    let around = broken(function).filter_map(|broken| Some(broken.within?.byte_range()));
    let ranges: BTreeSet<(usize, usize)> = around.map(|range| (range.start, range.end)).collect();
    let words = |(start, end): (usize, usize)| {
        let words = source.get(start..end).unwrap_or("").split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(move |word| (start, word))
    };
    ranges.into_iter().flat_map(words).collect()
}

/// What an error is a part of if the parser gets over it.
fn holds_errors(node: Node<'_>) -> bool {
    matches!(node.kind(), "declaration" | "expression_statement" | "parameter_declaration")
}

/// So many errors are reported of a function.
const MOST_ERRORS: usize = 5;

/// A statement of a block is broken by a macro.
fn has_macro_like(node: Node<'_>, source: &str) -> bool {
    let blocks = descendants(node).filter(|node| node.kind() == "compound_statement" && node.has_error());
    blocks.flat_map(children_and_comments).any(|statement| macro_like(statement, source).is_some())
}
