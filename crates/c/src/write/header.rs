//! The comment at the head of a transformed file that says what was done.

/// How it starts, by which it is found again.
const START: &str = "/* Transformed by frit fuse";

/// Splits a text where the comment belongs, and leaves out the one that an earlier run wrote: what stands before (a byte order mark, the line
/// that names an interpreter), and the rest.
pub(super) fn split(text: &str) -> (&str, &str) {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if text[at..].starts_with("#!") {
        at += text[at..].find('\n').map_or(text.len() - at, |newline| newline + 1);
    }
    let (before, rest) = text.split_at(at);
    (before, without_comment(rest).unwrap_or(rest))
}

fn without_comment(text: &str) -> Option<&str> {
    let comment = text.strip_prefix(START)?;
    let rest = &comment[comment.find("*/")? + 2..];
    Some(rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest))
}

/// The comment: for each region a title and lines under it.
pub(super) fn comment(regions: &[(String, &[String])], newline: &str) -> String {
    let mut text = format!("{START}:{newline}");
    for (title, notes) in regions {
        text += &format!(" * - {}{newline}", harmless(title));
        for line in notes.iter().flat_map(|note| note.lines()) {
            text += &format!(" *   {}{newline}", harmless(line));
        }
    }
    text + " */" + newline
}

/// A line that does not end the comment, begin another, or go on in the next line.
fn harmless(line: &str) -> String {
    line.replace("*/", "* /").replace("/*", "/ *").trim_end().trim_end_matches('\\').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_of_an_earlier_run_is_found_and_left_out() {
        let notes = ["tmp: 100 -> 3".to_owned(), "ends */ here".to_owned()];
        let comment = comment(&[("blur, line 3".into(), &notes)], "\n");
        assert_eq!(
            comment,
            "/* Transformed by frit fuse:\n * - blur, line 3\n *   tmp: 100 -> 3\n *   ends * / here\n */\n"
        );
        let file = format!("\u{feff}{comment}int x;\n");
        assert_eq!(split(&file), ("\u{feff}", "int x;\n"));
        assert_eq!(split("#!/usr/bin/tcc -run\nint x;"), ("#!/usr/bin/tcc -run\n", "int x;"));
        assert_eq!(split("/* other */\n"), ("", "/* other */\n"));
    }
}
