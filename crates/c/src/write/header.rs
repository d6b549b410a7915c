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

/// Before and behind the number in the line that seals a file.
const SEAL: (&str, &str) = (" * As written (", "): later runs leave it alone until it is edited.");

/// Whether an earlier run sealed the file, and it has not been edited since.
pub(super) fn is_sealed(text: &str) -> bool {
    let (before, rest) = split(text);
    let comment = &text[before.len()..text.len() - rest.len()];
    comment.lines().any(|line| line == seal(before, rest))
}

/// The line of the comment that seals a file; the parts are what [`split`] gives.
pub(super) fn seal(before: &str, rest: &str) -> String {
    // FNV-1a: it guards against edits, not against attacks. Line ends may be converted by what keeps the file.
    let bytes = before.bytes().chain(rest.bytes()).filter(|byte| *byte != b'\r');
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{}{hash:016x}{}", SEAL.0, SEAL.1)
}

/// The comment: for each region a title and lines under it, and the line that seals the file, if any.
pub(super) fn comment(regions: &[(String, Vec<String>)], seal: Option<&str>, newline: &str) -> String {
    let mut text = format!("{START}:{newline}");
    for (title, notes) in regions {
        text += &format!(" * - {}{newline}", harmless(title));
        for line in notes.iter().flat_map(|note| note.lines()) {
            text += &format!(" *   {}{newline}", harmless(line));
        }
    }
    text += &seal.map(|seal| format!("{seal}{newline}")).unwrap_or_default();
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
        let notes = vec!["tmp: 100 -> 3".to_owned(), "ends */ here".to_owned()];
        let comment = comment(&[("blur, line 3".into(), notes)], None, "\n");
        assert_eq!(
            comment,
            "/* Transformed by frit fuse:\n * - blur, line 3\n *   tmp: 100 -> 3\n *   ends * / here\n */\n"
        );
        let file = format!("\u{feff}{comment}int x;\n");
        assert_eq!(split(&file), ("\u{feff}", "int x;\n"));
        assert_eq!(split("#!/usr/bin/tcc -run\nint x;"), ("#!/usr/bin/tcc -run\n", "int x;"));
        assert_eq!(split("/* other */\n"), ("", "/* other */\n"));
    }

    #[test]
    fn a_seal_holds_until_the_file_is_edited() {
        let (before, rest) = ("\u{feff}", "int x;\nint y;\n");
        let seal = seal(before, rest);
        let comment = comment(&[("blur".into(), vec![])], Some(&seal), "\n");
        let sealed = format!("{before}{comment}{rest}");
        assert!(is_sealed(&sealed));
        assert!(is_sealed(&sealed.replace('\n', "\r\n")), "line ends do not matter");
        assert!(!is_sealed(&sealed.replace("int y", "int z")));
        assert!(!is_sealed(rest) && !is_sealed(&format!("/* {seal} */\n{rest}")));
    }
}
