//! What the checker of SAC says, and the part of the index that explains its codes.

use expect_test::{Expect, expect};
use frit_front::sac;
use frit_support::{SourceMap, diagnostic::render, with_deep_stack};
use std::path::Path;

/// The codes of the messages for a program, and the messages as users see them.
fn messages(text: &str) -> (Vec<&'static str>, String) {
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let file = map.add("program.sac", text);
        let errors = sac::load(&mut map, file, &[]).err().unwrap_or_default();
        (errors.iter().map(|error| error.code).collect(), render(&map, &errors, false))
    })
}

fn shows(text: &str, expected: Expect) {
    expected.assert_eq(&messages(text).1);
}

#[test]
fn an_unknown_function_comes_with_a_suggestion() {
    shows(
        "int main()\n{\n  return sum(iotta(3));\n}\n",
        expect![[r#"
        error[unknown-function]: there is no function `iotta`
          ┌─ program.sac:3:14
          │
        3 │   return sum(iotta(3));
          │              ^^^^^ neither defined here nor used from a module
          │
          = did you mean `iota`?

    "#]],
    );
}

#[test]
fn a_call_that_nothing_takes_lists_what_there_is() {
    shows(
        "int half(int x) { return x / 2; }\ndouble half(double[.] x) { return 0.5; }\nint main() { return half(true); }\n",
        expect![[r#"
            error[no-matching-function]: no `half` takes `(bool)`
              ┌─ program.sac:3:21
              │
            3 │ int main() { return half(true); }
              │                     ^^^^^^^^^^ by the types of these arguments
              │
              = it is defined for `(int)`, `(double[.])`

        "#]],
    );
}

#[test]
fn shapes_that_names_forbid_are_shown_at_the_argument() {
    shows(
        "int dot(int[n] a, int[n] b) { return sum(a * b); }\nint main() { return dot([1, 2], [1, 2, 3]); }\n",
        expect![[r#"
            error[argument-shape]: the argument `b` of `dot` has the wrong shape
              ┌─ program.sac:2:33
              │
            1 │ int dot(int[n] a, int[n] b) { return sum(a * b); }
              │                          - `int[2]` by what the arguments before bind
            2 │ int main() { return dot([1, 2], [1, 2, 3]); }
              │                                 ^^^^^^^^^ this is `int[3]`

        "#]],
    );
}

#[test]
fn a_conversion_that_does_not_fit_is_shown_inside_of_the_format() {
    shows(
        "int main()\n{\n  printf(\"a\\t%d and %5.2f\\n\", 1, 2);\n  return 0;\n}\n",
        expect![[r#"
        error[format-argument]: `%5.2f` shows a scalar `float` or `double`
          ┌─ program.sac:3:34
          │
        3 │   printf("a\t%d and %5.2f\n", 1, 2);
          │                     -----        ^ this is `int`
          │                     │             
          │                     by this conversion

    "#]],
    );
}

#[test]
fn a_mistake_spoils_nothing_else() {
    shows(
        "int main()\n{\n  a = f(1);\n  b = a + 1;\n  c = b[0] ++ g(b);\n  while (c) { c = c + a; }\n  return c;\n}\n",
        expect![[r#"
            error[unknown-function]: there is no function `f`
              ┌─ program.sac:3:7
              │
            3 │   a = f(1);
              │       ^ neither defined here nor used from a module

            error[unknown-function]: there is no function `g`
              ┌─ program.sac:5:15
              │
            5 │   c = b[0] ++ g(b);
              │               ^ neither defined here nor used from a module

        "#]],
    );
}

/// Every code that the checker's source can make, read off it.
#[test]
fn every_code_is_in_the_error_index() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source =
        std::fs::read_to_string(crate_folder.join("src/sac/check/error.rs")).expect("the errors have a source");
    let index = std::fs::read_to_string(crate_folder.join("../../docs/errors.md")).expect("there is an error index");
    let codes: Vec<&str> = source
        .split("Diagnostic::error(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .collect();
    assert!(codes.len() > 60, "{codes:?}");
    for code in codes {
        assert!(index.contains(&format!("\n### {code}\n")), "{code} is not explained");
    }
}

/// The first program of each section has that mistake and no other, the second has none.
#[test]
fn the_programs_of_the_error_index_are_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let index = std::fs::read_to_string(path).expect("there is an error index");
    let (_, section) =
        index.split_once("## SAC: mistakes found before the program runs").expect("it has a section for SAC");
    let section = section.split("\n## ").next().expect("a split gives at least one part");
    for entry in section.split("\n### ").skip(1) {
        let code = entry.lines().next().expect("a section has a title");
        let programs: Vec<_> = entry.split("```sac\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        for (program, expected) in programs.iter().zip([vec![code], vec![]]) {
            let (codes, shown) = messages(program);
            assert_eq!(codes, expected, "in the section {code}:\n{shown}");
        }
    }
}
