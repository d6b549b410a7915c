//! Uses of macros in a file, and their replacement by what they stand for.

use super::{Kind, Node};
use crate::source::Edit;
use crate::write::lexical::{blanked, is_word};
use std::ops::Range;

/// A use of a macro in the file.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// The name.
    pub(crate) name: String,
    /// The bytes, with arguments.
    pub(crate) range: Range<usize>,
    /// The bytes of each argument.
    pub(crate) arguments: Vec<Range<usize>>,
    /// The names of its parameters, if it has parentheses.
    params: Option<Vec<String>>,
    /// What it stands for; `None` of what the compiler defines.
    body: Option<String>,
    /// Every bracket in its definition is closed there.
    pub(crate) is_balanced: bool,
    /// What stands for it, with the inside of literals blanked out.
    shape: String,
    /// It is only defined where nothing else defines it, so that it may be given another value on the command line.
    pub(crate) is_overridable: bool,
    /// A pragma stands in its definition.
    pub(crate) has_pragma: bool,
    /// It ends as a statement does.
    pub(crate) has_semicolon: bool,
}

/// A text in which some macros are replaced.
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// What was replaced, in order.
    pub(crate) replaced: Vec<Edit>,
}

impl Use {
    /// A use whose macro has this definition: its text from the name on.
    pub(super) fn new(
        name: String,
        range: Range<usize>,
        definition: Option<String>,
        has_params: bool,
        blank: &str,
    ) -> Self {
        let arguments = if has_params { arguments(blank, &range) } else { Vec::new() };
        let (params, body) = match definition {
            Some(text) => {
                let (params, body) = split(&text, &name, has_params);
                (params, Some(body))
            }
            None => (None, None),
        };
        let shape = blanked_literals(body.as_deref().unwrap_or("0"));
        Use {
            name,
            range,
            arguments,
            params,
            is_balanced: is_balanced(&shape),
            is_overridable: false,
            has_pragma: shape.contains("_Pragma"),
            has_semicolon: shape.ends_with([';', '}']),
            shape,
            body,
        }
    }

    /// The text that a macro without parameters stands for.
    pub(super) fn stands_for(&self) -> Option<&str> {
        self.body.as_deref().filter(|body| !body.is_empty() && self.params.is_none())
    }

    /// The first token of what it stands for is that of a node which begins in it.
    pub(super) fn begins_with(&self, node: Node<'_>) -> bool {
        let Some(first) = self.shape.chars().next() else { return false };
        let word = &self.shape[..self.shape.len() - self.shape.trim_start_matches(is_word_char).len()];
        if self.params.iter().flatten().any(|param| param == word) || matches!(word, "else" | "case" | "default") {
            // The argument, which begins where the node does: the macro's own tokens at its beginning would be another node's.
            return word != "else" && !matches!(word, "case" | "default");
        }
        let mut at = node;
        loop {
            let is_word = is_word_char(first) || matches!(first, '"' | '\'' | '.');
            return match at.kind() {
                Kind::Paren => first == '(' || is_word,
                Kind::Cast | Kind::CompoundLiteral | Kind::StatementExpression => first == '(',
                Kind::Unary | Kind::Pointer => is_word || at.operator().starts_with(first),
                Kind::Update if at.value().is_none() => at.operator().starts_with(first),
                Kind::List | Kind::Block => first == '{',
                Kind::Binary
                | Kind::Assign
                | Kind::Comma
                | Kind::Conditional
                | Kind::Subscript
                | Kind::Member
                | Kind::Call
                | Kind::Update
                | Kind::ExpressionStatement => match at.all_children().next() {
                    Some(inner) => {
                        at = inner;
                        continue;
                    }
                    None => false,
                },
                _ => is_word,
            };
        }
    }

    /// The last token of what it stands for is that of a node which ends in it.
    pub(super) fn ends_with(&self, node: Node<'_>) -> bool {
        match self.shape.chars().next_back() {
            Some(';') => !node.kind().is_expression(),
            Some('+' | '-') => {
                let is_postfix = |node: Node<'_>| node.kind() == Kind::Update && node.value().is_some();
                crate::read::syntax::descendants(node).any(is_postfix)
            }
            Some(last) => is_word_char(last) || matches!(last, ')' | ']' | '}' | '"' | '\'' | '.'),
            None => false,
        }
    }

    /// What stands for the use, once: macros in that stay.
    fn replacement(&self, text: &str) -> Option<String> {
        let body = self.body.as_deref()?;
        let params = self.params.clone().unwrap_or_default();
        let mut given: Vec<&str> = self.arguments.iter().map(|range| text[range.clone()].trim()).collect();
        let rest = params.last().filter(|last| last.ends_with("...")).cloned();
        if let Some(rest) = &rest {
            // The arguments that are left over are one.
            let fixed = params.len() - 1;
            if rest != "..." || given.len() < params.len() || body.contains("__VA_OPT__") {
                return None;
            }
            let all = self.arguments[fixed].start..self.arguments[given.len() - 1].end;
            given.truncate(fixed);
            given.push(text[all].trim());
        }
        let is_nothing = params.is_empty() && given.iter().all(|argument| argument.is_empty());
        if !is_nothing && given.len() != params.len() {
            return None;
        }
        let mut out = String::new();
        let bytes = body.as_bytes();
        let blank = blanked_literals(body);
        let (mut at, mut is_pasted, mut is_quoted) = (0, false, false);
        while at < bytes.len() {
            let end = at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
            if end > at && blank[at..end] == body[at..end] {
                let word = &body[at..end];
                if word == self.name {
                    return None;
                }
                let name = if word == "__VA_ARGS__" { "..." } else { word };
                let argument = params.iter().position(|param| param == name).map(|position| given[position]);
                match argument {
                    Some(argument) if is_quoted => {
                        out += &format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\""));
                    }
                    Some(argument) if is_pasted || body[end..].trim_start().starts_with("##") => out += argument,
                    Some(argument) => join(&mut out, argument),
                    None => out += word,
                }
                (at, is_pasted, is_quoted) = (end, false, false);
            } else if body[at..].starts_with("##") {
                out.truncate(out.trim_end().len());
                at += 2;
                at += body[at..].len() - body[at..].trim_start().len();
                is_pasted = true;
            } else if bytes[at] == b'#' && self.params.is_some() && blank.as_bytes()[at] == b'#' {
                is_quoted = true;
                at += 1;
            } else {
                let c = body[at..].chars().next().expect("it is not at the end");
                if is_quoted && c.is_whitespace() {
                    at += 1;
                    continue;
                }
                if out.ends_with(['-', '+', '&']) && out.ends_with(c) && body[..at].ends_with(|before| before != c) {
                    // An argument's end and what follows would be another operator.
                    out.push(' ');
                }
                out.push(c);
                at += c.len_utf8();
            }
        }
        Some(out)
    }
}

/// Appends a text that must not grow together with what is before.
fn join(out: &mut String, text: &str) {
    let glue = |one: char, two: char| is_word_char(one) && is_word_char(two) || one == two && "-+&|<>=".contains(one);
    if let (Some(before), Some(after)) = (out.chars().next_back(), text.chars().next())
        && glue(before, after)
    {
        out.push(' ');
    }
    *out += text;
}

impl Expanded {
    /// The text with these uses replaced, but for those that cannot be.
    pub(crate) fn of(text: &str, uses: &[&Use]) -> Expanded {
        let mut expanded = Expanded { text: String::with_capacity(text.len()), replaced: Vec::new() };
        let mut at = 0;
        for used in uses {
            if used.range.start < at {
                continue;
            }
            let Some(body) = used.replacement(text) else { continue };
            expanded.text += &text[at..used.range.start];
            let start = expanded.text.len();
            join(&mut expanded.text, &body);
            let end = expanded.text.len();
            expanded.replaced.push(Edit { before: used.range.clone(), after: start..end, group: None });
            at = used.range.end;
            // What follows must not grow together with it either.
            if let (Some(last), Some(next)) = (body.chars().next_back(), text[at..].chars().next())
                && (is_word_char(last) && is_word_char(next) || last == next && "-+&|<>=".contains(last))
            {
                expanded.text.push(' ');
            }
        }
        expanded.text += &text[at..];
        expanded
    }
}

fn is_word_char(c: char) -> bool {
    !c.is_ascii() || is_word(c as u8)
}

/// The text with the inside of strings and characters blanked out.
fn blanked_literals(text: &str) -> String {
    let blank = blanked(text);
    if blank.len() == text.len() {
        // A literal is a token, so its quotes stay.
        let mut bytes = blank.into_bytes();
        for (at, byte) in text.bytes().enumerate() {
            if (byte == b'"' || byte == b'\'') && bytes[at] == b' ' {
                bytes[at] = byte;
            }
        }
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    text.to_string()
}

/// The parameters of a macro, and what it stands for: one line without comments.
fn split(definition: &str, name: &str, has_params: bool) -> (Option<Vec<String>>, String) {
    let line = definition.replace("\\\r\n", " ").replace("\\\n", " ");
    let rest = line.strip_prefix(name).unwrap_or(&line);
    let (params, body) = match rest.strip_prefix('(').filter(|_| has_params).and_then(|rest| rest.split_once(')')) {
        Some((params, body)) => {
            let params = params.split(',').map(|param| param.trim().to_string()).filter(|param| !param.is_empty());
            (Some(params.collect()), body)
        }
        None => (None, rest),
    };
    // Comments are blanks.
    let blank = blanked_literals(body);
    let mut text = String::new();
    let is_comment = |at: usize| body[at..].starts_with("/*") || body[at..].starts_with("//");
    let mut at = 0;
    while at < body.len() {
        let c = body[at..].chars().next().expect("it is not at the end");
        if blank.as_bytes()[at] == b' ' && is_comment(at) && c == '/' {
            let end =
                if body[at..].starts_with("//") { None } else { body[at + 2..].find("*/").map(|end| at + end + 4) };
            text.push(' ');
            at = end.unwrap_or(body.len());
        } else {
            text.push(c);
            at += c.len_utf8();
        }
    }
    (params, text.trim().to_string())
}

/// The bytes of the arguments of a use.
fn arguments(blank: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let bytes = blank.as_bytes();
    let Some(open) = blank[range.clone()].find('(').map(|at| range.start + at) else { return Vec::new() };
    let (mut found, mut depth, mut start) = (Vec::new(), 0usize, open + 1);
    for (at, byte) in bytes.iter().enumerate().take(range.end).skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                found.push(start..at);
                break;
            }
            b')' => depth -= 1,
            b',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// Every bracket is closed by its partner.
fn is_balanced(blank: &str) -> bool {
    let mut open = Vec::new();
    blank.bytes().all(|byte| match byte {
        b'(' | b'[' | b'{' => {
            open.push(byte);
            true
        }
        b')' => open.pop() == Some(b'('),
        b']' => open.pop() == Some(b'['),
        b'}' => open.pop() == Some(b'{'),
        _ => true,
    }) && open.is_empty()
}
