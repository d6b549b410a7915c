//! Helpers over the nodes of the syntax tree; they know the grammar's names and no meaning.
//!
//! Read `names` next.

use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// The tree of a C text; it may hold errors. `None` if the parser gives up, which it does on no text that is known.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar fits the library");
    parser.parse(text, None)
}

/// The children that carry meaning: named, no comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    children_and_comments(node).into_iter().filter(|child| child.kind() != "comment").collect()
}

/// The named children, comments among them.
pub(crate) fn children_and_comments(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first child that carries meaning.
pub(crate) fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    children(node).into_iter().next()
}

/// The children in a field.
pub(crate) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// The child in a field.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The text of a node.
pub(crate) fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

/// The text of the operator of an expression, as `+=`.
pub(crate) fn operator<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    field(node, "operator").map_or("", |operator| text(operator, source))
}

/// The expression without the parentheses round it.
pub(crate) fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match only_child(node) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The expression without parentheses and casts round it.
pub(crate) fn uncast(mut node: Node<'_>) -> Node<'_> {
    loop {
        node = bare(node);
        match (node.kind(), field(node, "value")) {
            ("cast_expression", Some(value)) => node = value,
            _ => return node,
        }
    }
}

/// All nodes below and including this one, in the order of the text, without recursion.
pub(crate) fn descendants(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = root.walk();
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let node = cursor.node();
        if !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    is_done = true;
                    break;
                }
            }
        }
        Some(node)
    })
}

/// How many levels of nodes there are.
pub(crate) fn height(root: Node<'_>) -> usize {
    let mut cursor = root.walk();
    let (mut depth, mut height) = (1, 1);
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            height = height.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return height;
            }
            depth -= 1;
        }
    }
}

/// Whether one range lies in the other.
pub(crate) fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The value of an integer literal; `None` for floating-point numbers, and what does not fit.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    if let Some(hex) = digits.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits[1..], 8).ok()
    } else {
        digits.parse().ok()
    }
}
