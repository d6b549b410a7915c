//! Helpers over the nodes of the syntax tree; they know the grammar's names and no meaning.
//!
//! Read `names` next.

use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// The tree of a C text; it may hold errors. `None` if the parser gives up, which it does on no text that is known.
pub(crate) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar fits the library");
    parser.parse(complex_as_names(text).as_bytes(), None)
}

/// The text with the blanks in `double complex` replaced, so that this is one name of a type: the grammar knows no complex numbers. No byte moves.
fn complex_as_names(text: &str) -> Cow<'_, str> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let bytes = text.as_bytes();
    // The word that ends, and the one that begins, next to some blanks.
    let before = |end: usize| {
        let end = bytes[..end].iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
        let start = bytes[..end].iter().rposition(|byte| !is_word(*byte)).map_or(0, |last| last + 1);
        start..end
    };
    let after = |start: usize| {
        let start = bytes[start..].iter().position(|byte| !is_blank(*byte)).map_or(bytes.len(), |at| start + at);
        let end = bytes[start..].iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |at| start + at);
        start..end
    };
    let is_real = |word: &Range<usize>| matches!(&bytes[word.clone()], b"float" | b"double");
    let is_long = |word: &Range<usize>| &bytes[word.clone()] == b"long";
    let mut joined = Cow::Borrowed(text);
    for (at, _) in text.match_indices("omplex") {
        let word = before(at + "omplex".len());
        if !matches!(&bytes[word.clone()], b"complex" | b"_Complex")
            || bytes.get(word.end).is_some_and(|next| is_word(*next))
        {
            continue;
        }
        let (mut start, mut end) = (word.start, word.end);
        let (left, right) = (before(word.start), after(word.end));
        if is_real(&left) {
            start = left.start;
        } else if is_real(&right) || is_long(&right) && is_real(&after(right.end)) {
            end = if is_real(&right) { right.end } else { after(right.end).end };
        } else {
            continue;
        }
        let more = before(start);
        start = if is_long(&more) { more.start } else { start };
        let name: String = text[start..end].chars().map(|c| if matches!(c, ' ' | '\t') { '_' } else { c }).collect();
        joined.to_mut().replace_range(start..end, &name);
    }
    joined
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
    descendants_and_depths(root).map(|(node, _)| node)
}

/// As [`descendants`], each with the number of nodes above it up to this one.
pub(crate) fn descendants_and_depths(root: Node<'_>) -> impl Iterator<Item = (Node<'_>, usize)> {
    let mut cursor = root.walk();
    let (mut depth, mut is_done) = (0, false);
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let found = (cursor.node(), depth);
        if cursor.goto_first_child() {
            depth += 1;
        } else {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    is_done = true;
                    break;
                }
                depth -= 1;
            }
        }
        Some(found)
    })
}

/// How many levels of nodes there are.
pub(crate) fn height(root: Node<'_>) -> usize {
    descendants_and_depths(root).map(|(_, depth)| depth + 1).max().unwrap_or_default()
}

/// A variable that the head of a loop gives a first value.
#[derive(Clone, Copy)]
pub(crate) struct First<'t> {
    /// The assignment, or the declarator with its value.
    pub(crate) node: Node<'t>,
    /// The variable.
    pub(crate) name: Node<'t>,
    /// The value.
    pub(crate) value: Node<'t>,
    /// It is declared in the head.
    pub(crate) is_declared: bool,
    /// How the head changes it after each iteration; `None` if it does not, or in the condition.
    pub(crate) update: Option<Node<'t>>,
}

/// The variables that the head of a `for` gives first values; empty if something else happens there.
pub(crate) fn first_values<'t>(node: Node<'t>, source: &str) -> Vec<First<'t>> {
    let [initial] = fields(node, "initializer")[..] else { return Vec::new() };
    let is_declared = initial.kind() == "declaration";
    let all = if is_declared { fields(initial, "declarator") } else { operands(initial) };
    let updates: Vec<Node<'t>> = field(node, "update").map(operands).unwrap_or_default();
    let first = |node: Node<'t>| {
        let (name, value) = match node.kind() {
            "init_declarator" => (field(node, "declarator")?, field(node, "value")?),
            "assignment_expression" if operator(node, source) == "=" => (field(node, "left")?, field(node, "right")?),
            _ => return None,
        };
        let name = Some(bare(name)).filter(|name| name.kind() == "identifier")?;
        let changes = |update: &&Node<'t>| {
            let changed = field(**update, "left").or_else(|| field(**update, "argument")).map(bare);
            changed.is_some_and(|changed| text(changed, source) == text(name, source))
        };
        Some(First { node, name, value, is_declared, update: updates.iter().find(changes).copied() })
    };
    all.into_iter().map(first).collect::<Option<_>>().unwrap_or_default()
}

/// The operands of comma operators.
pub(crate) fn operands(node: Node<'_>) -> Vec<Node<'_>> {
    let node = bare(node);
    if node.kind() != "comma_expression" {
        return vec![node];
    }
    ["left", "right"].iter().filter_map(|side| field(node, side)).flat_map(operands).collect()
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
