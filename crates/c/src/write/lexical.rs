//! Looking at C text without parsing it: words, comments, where a block ends, how lines are indented.

use std::ops::Range;

/// The text with comments, strings and characters blanked out; every other byte stays where it is.
pub(crate) fn blanked(text: &str) -> String {
    let mut blank = text.as_bytes().to_vec();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => end_of_line_comment(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                text[at + 2..].find("*/").map_or(bytes.len(), |length| at + 2 + length + 2)
            }
            quote @ (b'"' | b'\'') => end_of_literal(bytes, at, quote),
            _ => {
                at += 1;
                continue;
            }
        };
        for byte in &mut blank[at..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8_lossy(&blank).into_owned()
}

fn end_of_line_comment(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            // A backslash at the end of the line makes the next one part of the comment.
            b'\\' if bytes[at + 1..].starts_with(b"\n") => at += 2,
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_literal(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether a byte may be part of a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// All names in a text (and other words, as parts of numbers, which do no harm).
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !is_word(c as u8))
        .filter(|word| word.bytes().next().is_some_and(|first| !first.is_ascii_digit()))
}

/// Whether the text has this word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|other| other == word)
}

/// What follows `start` in the same block, of a text with comments blanked.
pub(super) fn rest_of_block(blank: &str, start: usize) -> &str {
    let mut depth = 0usize;
    for (at, byte) in blank.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return &blank[start..at],
            b'}' => depth -= 1,
            _ => {}
        }
    }
    &blank[start..]
}

/// The byte after the parenthesis that closes the first one after `start`, in a text with comments blanked.
pub(crate) fn after_parentheses(blank: &str, start: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in blank.bytes().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return Some(at + 1),
            b')' => depth -= 1,
            b';' | b'{' | b'}' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The comment that follows on the same line, if nothing else does.
pub(super) fn trailing_comment(text: &str, end: usize) -> Option<Range<usize>> {
    let line = text.get(end..)?.lines().next()?;
    let comment = line.trim();
    let is_comment = comment.starts_with("//") && !comment.ends_with('\\')
        || comment.starts_with("/*") && comment.find("*/") == comment.len().checked_sub(2);
    let start = end + (line.len() - line.trim_start().len());
    is_comment.then(|| start..start + comment.len())
}

/// The white space at the start of the line that holds this byte.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How the source looks, so that new code looks the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// One step of indentation.
    pub(super) indent: String,
    /// A loop with one statement has braces.
    pub(super) has_braces: bool,
    /// How lines end.
    pub(super) newline: &'static str,
}

impl Style {
    /// That of the bytes `region` of a text, also given with comments blanked; their first statement is indented by `outer`.
    pub(super) fn of(text: &str, blank: &str, region: Range<usize>, outer: &str) -> Style {
        let lines = || blank[region.clone()].lines().chain(blank.lines());
        let deeper = lines().filter(|line| !line.trim().is_empty()).find_map(|line| {
            let space = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            space.strip_prefix(outer).filter(|step| !step.is_empty() && step.len() <= 8)
        });
        let indent = match deeper {
            Some(step) if step.starts_with('\t') => "\t".into(),
            Some(step) => step.into(),
            None if outer.starts_with('\t') => "\t".into(),
            None => "    ".into(),
        };
        let newline = if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" };
        Style { indent, has_braces: has_braces(blank, region), newline }
    }
}

/// Whether every loop of the region has braces (also true where there is none).
fn has_braces(blank: &str, region: Range<usize>) -> bool {
    let (start, code) = (region.start, &blank[region.clone()]);
    code.match_indices("for").all(|(at, _)| {
        let at = start + at;
        let bytes = blank.as_bytes();
        let is_keyword = !at.checked_sub(1).is_some_and(|before| is_word(bytes[before]))
            && !bytes.get(at + 3).is_some_and(|&after| is_word(after));
        if !is_keyword {
            return true;
        }
        match after_parentheses(blank, at) {
            Some(end) => blank[end..].trim_start().starts_with('{'),
            None => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_and_nothing_moves() {
        let text = "a = '}'; // }\nb = \"{\\\"\" /* } */ + é;\n";
        let blank = blanked(text);
        assert_eq!(blank.len(), text.len());
        assert_eq!(words(&blank).collect::<Vec<_>>(), ["a", "b", "é"]);
        assert!(!blank.contains('}') && !blank.contains('{'));
    }

    #[test]
    fn a_block_ends_at_its_own_brace() {
        assert_eq!(rest_of_block("{ a; { b; } c; } d;", 4), " { b; } c; ");
    }

    #[test]
    fn only_a_comment_alone_trails() {
        let text = "x = 1; // one\ny = 2; /* two */\nz = 3; /* a */ w = 4; // b\n";
        let after = |code: &str| text.find(code).map(|at| at + code.len()).unwrap();
        assert_eq!(trailing_comment(text, after("x = 1;")).map(|r| &text[r]), Some("// one"));
        assert_eq!(trailing_comment(text, after("y = 2;")).map(|r| &text[r]), Some("/* two */"));
        assert_eq!(trailing_comment(text, after("z = 3;")), None);
    }

    #[test]
    fn indentation_braces_and_line_ends_are_those_of_the_source() {
        let text = "f() {\r\n  for (;;) {\r\n    x;\r\n  }\r\n}\r\n";
        let style = Style::of(text, &blanked(text), 7..text.len(), "  ");
        assert_eq!(style, Style { indent: "  ".into(), has_braces: true, newline: "\r\n" });
        let text = "\tfor (i = 0; i < (n); i++) /* { */\n\t\tx = 1;\n";
        let style = Style::of(text, &blanked(text), 0..text.len(), "\t");
        assert_eq!(style, Style { indent: "\t".into(), has_braces: false, newline: "\n" });
    }
}
