//! What programs parse to, in the notation of [`show`].

mod show;

use crate::sac::ast::File;
use crate::sac::source::{Vocabulary, preprocess};
use expect_test::{Expect, expect};
use frit_support::diagnostic::render;
use frit_support::{SourceMap, with_deep_stack};

fn parsed<T: Send>(text: &str, use_it: impl FnOnce(&File) -> T + Send) -> (T, String) {
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let file = map.add("test.sac", text);
        let source = preprocess(&mut map, file, &mut |_, _| Err("no files here".to_string()));
        let (tree, messages) = source.parse(&Vocabulary::default());
        (use_it(&tree), render(&map, &messages, false))
    })
}

fn parses(text: &str, expected: Expect) {
    let (tree, messages) = parsed(text, show::file);
    assert_eq!(messages, "");
    expected.assert_eq(&tree);
}

/// Parses expressions, one per line, to one per line.
fn expressions(lines: &str, expected: Expect) {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (tree, messages) = parsed(
            &format!("typedef double[2] complex; struct P {{ int a; }};\nint (<+>)(int a, int b) {{ return a; }}\nint f() {{ return {line}; }}"),
            show::file,
        );
        assert_eq!(messages, "", "{line}");
        let returned = tree.rsplit_once("  return ").map_or("", |(_, value)| value.trim_end());
        out += &format!("{returned}\n");
    }
    expected.assert_eq(&out);
}

#[test]
fn operators_bind_as_the_table_says() {
    expressions(
        "p + q ++ r
        a * b +++ c
        -v ++ w
        0 * shape(a) <= iv
        a + b * c - d / e % f
        a << b + c
        a < b == c < d & e ^ f | g && h || i
        a ? b : c ? d : e
        a ? b ? c : d : e
        a+ ++b
        a+++b
        - -!~a
        ++a
        x <= -1
        a <+> b +++ c
        a ++^ b ++++ c",
        expect![[]],
    );
}
