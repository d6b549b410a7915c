//! Macros that begin with a statement's keyword, as heads of loops do, or are qualifiers as `restrict`, replaced by what they stand for before the file
//! is parsed: the grammar knows statements and qualifiers only where it sees them.
//!
//! What is replaced is known, so that text that nothing happens to is printed as its author wrote it, and messages name places of the source. Macros
//! that are expressions stay: what they do is looked up where they are used.

use crate::read::facts::Macro;
use crate::write::lexical::{blanked, is_word};
use frit_support::{Diagnostic, Span};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A source as it is on disk, and where the text that is read differs from it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The source.
    pub text: String,
    /// In order, not overlapping.
    replaced: Vec<Replaced>,
}

/// A macro that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Replaced {
    /// The bytes of what it stands for, in the text that is read.
    range: Range<usize>,
    /// The bytes of its use, in the source.
    origin: Range<usize>,
}

/// Macros are not replaced in each other more deeply.
const DEEPEST: usize = 12;
/// What macros that are no names of types stand for in declarations.
pub(crate) const QUALIFIERS: &[&str] = &[
    "restrict",
    "__restrict",
    "__restrict__",
    "const",
    "static",
    "inline",
    "__inline",
    "__inline__",
    "extern",
    "register",
];
/// The bytes that all macros together may stand for.
const MOST: usize = 1 << 20;

impl Source {
    /// A source that is read as it is.
    pub fn plain(text: &str) -> Self {
        Source { text: text.to_string(), replaced: Vec::new() }
    }

    /// A source, and the text that is to be read.
    pub(crate) fn expanded(text: &str, macros: &BTreeMap<String, Macro>) -> (Self, String) {
        let mut source = Source::plain(text);
        let uses = Expander { macros }.uses(text, &mut Vec::new());
        let mut expanded = String::with_capacity(text.len());
        let mut at = 0;
        for (origin, body) in uses {
            expanded += &text[at..origin.start];
            let start = expanded.len();
            expanded += &body;
            at = origin.end;
            source.replaced.push(Replaced { range: start..expanded.len(), origin });
        }
        expanded += &text[at..];
        if expanded.len() > text.len() + MOST {
            return (Source::plain(text), text.to_string());
        }
        (source, expanded)
    }

    /// A part of the text that is read, with macros where they stand in it as a whole.
    pub(crate) fn written<'t>(&'t self, text: &'t str, range: Range<usize>) -> Cow<'t, str> {
        let inside = |of: &&Replaced| range.start <= of.range.start && of.range.end <= range.end;
        let mut written = Cow::Borrowed("");
        let mut at = range.start;
        for Replaced { range, origin } in self.replaced.iter().filter(inside) {
            written += &text[at..range.start];
            written += &self.text[origin.clone()];
            at = range.end;
        }
        written += &text[at..range.end];
        written
    }

    /// Where a range of the text that is read is in the source; of a part of a macro's text it is the macro.
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let next = self.replaced.partition_point(|of| of.range.start + usize::from(is_end) <= at);
            let Some(last) = next.checked_sub(1).map(|last| &self.replaced[last]) else { return at };
            match (at < last.range.end, is_end) {
                (true, false) => last.origin.start,
                (true, true) => last.origin.end,
                (false, _) => last.origin.end + (at - last.range.end),
            }
        };
        let start = place(range.start, false);
        start..place(range.end, true).max(start)
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

/// Finds macros and what they stand for.
struct Expander<'m> {
    macros: &'m BTreeMap<String, Macro>,
}

impl<'m> Expander<'m> {
    /// The uses of macros in a text that are to be replaced, with what they stand for; `open` are the macros whose text it is.
    fn uses(&self, text: &str, open: &mut Vec<&'m str>) -> Vec<(Range<usize>, String)> {
        let mut uses = Vec::new();
        if open.len() == DEEPEST || !self.macros.keys().any(|name| self.is_unfolded(name, 0)) {
            return uses;
        }
        let blank = blanked(text);
        let bytes = blank.as_bytes();
        let (mut at, mut is_line_start, mut length) = (0, true, 0);
        while at < bytes.len() && length < MOST {
            if is_line_start && bytes[at] == b'#' {
                at = end_of_directive(bytes, at);
            } else if is_word(bytes[at]) {
                let end = at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                match self.replacement(text, &blank, at..end, open) {
                    Some((used, body)) => {
                        length += body.len();
                        at = used.end;
                        uses.push((used, body));
                    }
                    None => at = end,
                }
                is_line_start = false;
            } else {
                is_line_start = bytes[at] == b'\n' || is_line_start && bytes[at].is_ascii_whitespace();
                at += 1;
            }
        }
        uses
    }

    /// The bytes of a use that begins with this word, and what it stands for.
    fn replacement(
        &self,
        text: &str,
        blank: &str,
        word: Range<usize>,
        open: &mut Vec<&'m str>,
    ) -> Option<(Range<usize>, String)> {
        let (name, known) = self.macros.get_key_value(&text[word.clone()])?;
        let is_defined = open.is_empty() && known.defined_before > word.start;
        if is_defined || open.contains(&name.as_str()) || !self.is_unfolded(name, 0) {
            return None;
        }
        let value = known.value.as_ref()?;
        let (used, body) = match &known.params {
            None => (word, value.clone()),
            Some(params) => {
                let (arguments, end) = arguments(blank, word.end)?;
                let is_nothing =
                    params.is_empty() && arguments.iter().all(|range| blank[range.clone()].trim().is_empty());
                if !is_nothing && arguments.len() != params.len() {
                    return None;
                }
                let texts = arguments.into_iter().map(|range| text[range].trim());
                let bound: BTreeMap<&str, &str> = params.iter().map(String::as_str).zip(texts).collect();
                (word.start..end, substituted(value, &bound))
            }
        };
        open.push(name);
        let inner = self.uses(&body, open);
        open.pop();
        let mut whole = String::new();
        let mut at = 0;
        for (range, text) in inner {
            whole += &body[at..range.start];
            whole += &text;
            at = range.end;
        }
        whole += &body[at..];
        Some((used, whole))
    }

    /// Whether a macro is the beginning of a statement, a whole one, or a qualifier, and nothing stands in it that only the preprocessor could do.
    fn is_unfolded(&self, name: &str, depth: usize) -> bool {
        let Some(known) = self.macros.get(name) else { return false };
        let Some(value) = known.value.as_deref() else { return false };
        let first: &str = value.split(|c: char| !c.is_ascii() || !is_word(c as u8)).next().unwrap_or("");
        if known.params.is_none()
            && !value.is_empty()
            && value.split_whitespace().all(|word| QUALIFIERS.contains(&word))
        {
            return true;
        }
        let begins = matches!(first, "for" | "while" | "do" | "if" | "switch")
            || depth < DEEPEST && first != name && self.is_unfolded(first, depth + 1);
        begins && !value.contains('#') && !value.contains("__VA_") && is_balanced(&blanked(value))
    }
}

/// The end of a line of the preprocessor, which goes on where its end has a backslash before it.
fn end_of_directive(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += match &bytes[at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 1,
        };
    }
    at.min(bytes.len())
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

/// The arguments in the parentheses that follow, and where these end.
fn arguments(blank: &str, after: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let bytes = blank.as_bytes();
    let first = after + bytes[after..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (bytes.get(first) == Some(&b'(')).then_some(())?;
    let (mut found, mut depth, mut start) = (Vec::new(), 0usize, first + 1);
    for (at, byte) in bytes.iter().enumerate().skip(first) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                found.push(start..at);
                return Some((found, at + 1));
            }
            b')' => depth -= 1,
            b',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The text with parameters replaced by what they are bound to.
fn substituted(value: &str, bound: &BTreeMap<&str, &str>) -> String {
    let blank = blanked(value);
    let bytes = blank.as_bytes();
    let mut text = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        let end = if end > at { end } else { at + value[at..].chars().next().map_or(1, char::len_utf8) };
        text += bound.get(&blank[at..end]).unwrap_or(&&value[at..end]);
        at = end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{facts, syntax};

    /// The text that is read of a source.
    fn read(text: &str) -> (Source, String) {
        let tree = syntax::parse(text).unwrap();
        Source::expanded(text, &facts::macros(tree.root_node(), text))
    }

    #[test]
    fn heads_of_loops_are_replaced_and_written_as_they_were() {
        let text = "#define FOR(i, n) for (int i = 0; i < (n); i++)\nvoid f(void) { FOR(k, m + 1) a[k] = FOR; }\n";
        let (source, read) = read(text);
        assert!(read.contains("{ for (int k = 0; k < (m + 1); k++) a[k] = FOR; }"), "{read}");
        assert_eq!(source.written(&read, 0..read.len()), text);
        let (loop_at, use_at) = (read.find("for (int k").unwrap(), text.find("FOR(k").unwrap());
        assert_eq!(source.place(loop_at + 4..loop_at + 6), use_at..use_at + "FOR(k, m + 1)".len());
        assert_eq!(source.place(read.len() - 3..read.len()), text.len() - 3..text.len());
    }

    #[test]
    fn macros_of_macros_are_replaced() {
        let text = "#define FOR(i) for (int i = 0; i < n; i++)\n#define GRID FOR(y) FOR(x)\nvoid f(void) { GRID a[y][x] = 0; }\n";
        let expected = "{ for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) a[y][x] = 0; }";
        assert!(read(text).1.contains(expected));
    }

    #[test]
    fn qualifiers_are_replaced_and_types_are_not() {
        let text = "#define R __restrict__\n#define REAL float\nREAL f(REAL *R a);\n";
        assert!(read(text).1.contains("REAL f(REAL *__restrict__ a);"));
    }

    #[test]
    fn what_only_the_preprocessor_can_do_stays() {
        for (definition, used) in [
            ("#define FOR(i) for (int i = 0; i < n##i; i++)", "FOR(k) a[k] = 0;"),
            ("#define OPEN for (int i = 0; i < n; i++) {", "OPEN a[i] = 0; }"),
            ("#define MANY(...) for (__VA_ARGS__)", "MANY(;;) break;"),
            ("#define SQUARE(x) ((x) * (x))", "a[0] = SQUARE(2);"),
            ("#if A\n#define FOR(i) for (int i = 0; i < n; i++)\n#endif", "FOR(k) a[k] = 0;"),
            ("#define FOR(i) for (int i = 0; i < n; i++)", "FOR(k, l) a[k] = 0;"),
            ("#define FOR for (FOR;;)\n#undef FOR", "FOR a[k] = 0;"),
            ("#define A B\n#define B A", "A a[k] = 0;"),
        ] {
            let text = format!("{definition}\nvoid f(void) {{ {used} }}\n");
            assert_eq!(read(&text).1, text);
        }
        let early = "void f(void) { FOR(i) a[i] = 0; }\n#define FOR(i) for (int i = 0; i < n; i++)\n";
        assert_eq!(read(early).1, early);
        let quiet = "#define FOR for (;;)\n/* FOR */ char *s = \"FOR\"; // FOR\n";
        assert_eq!(read(quiet).1, quiet);
    }
}
