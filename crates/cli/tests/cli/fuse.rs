//! `frit fuse`, and `frit explain` and `frit graph` of C files: the files that they write, and what they say.

use crate::cli::place::{Place, project};
use serde_json::Value;

/// The second nest needs a row more of the first, so a window is left; the sum must be there before the third begins.
const SHARPEN: &str = "\
void sharpen(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
    float soft[n][m], detail[n][m];
    float most = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            soft[i][j] = in[i][j] / 2;
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            detail[i][j] = soft[i - 1][j] + soft[i][j];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            if (detail[i][j] > most)
                most = detail[i][j];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = detail[i][j] / most;
#pragma endscop
}

void scale(int n, float *restrict a)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
#pragma endscop
}
";

fn place() -> Place {
    let place = Place::new();
    place.file("in.c", SHARPEN);
    place
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

/// What a drawing must show of the file.
const SHOWN: [&str; 9] = [
    "sharpen, line 6: 4 loop nests became 2",
    "scale, line 25: 1 loop nest left as it was: nothing to be gained",
    "soft* (4.0 MB)",
    "window 2 x m (8.0 kB)",
    "loop over i",
    "loop 1",
    "class=\"edge scalar preventing\"",
    "<title>kept apart (scalar-result-needed): the second loop needs `most`, which is known only when the first one ends</title>",
    "class=\"slash\"",
];

fn assert_shown(drawing: &str) {
    for part in SHOWN {
        assert!(drawing.contains(part), "{part} is not in\n{drawing}");
    }
}

#[test]
fn a_drawing_shows_nests_arrays_and_what_they_became() {
    let place = place();
    let done = place.frit(["fuse", "in.c", "-o", "out.c", "--svg", "g.svg", "-q"]).done().succeeded();
    assert_eq!((done.text().as_str(), done.err.as_str()), ("", ""));
    assert_shown(&text(&place, "g.svg"));
    assert_eq!(place.files(), ["g.svg", "in.c", "out.c"]);
}

#[test]
fn the_result_and_the_drawing_are_written_both_or_not_at_all() {
    let place = place();
    let both = ["fuse", "in.c", "-q", "-o"];
    place.frit(both.iter().chain(&["same", "--svg", "same"])).fails(2, &["two outputs are to go to `same`"]);
    place.frit(both.iter().chain(&["out.c", "--svg", "no/g.svg"])).fails(2, &["no/g.svg"]);
    assert_eq!(place.files(), ["in.c"]);
}

#[test]
fn graph_draws_what_fuse_draws() {
    let place = place();
    place.frit(["fuse", "in.c", "-o", "out.c", "--svg", "fuse.svg", "-q"]).done().succeeded();
    place.frit(["graph", "in.c", "-o", "g.svg"]).prints("");
    assert_eq!(text(&place, "g.svg"), text(&place, "fuse.svg"));
    place.frit(["graph", "in.c", "-o", "small.svg", "--sizes", "n=10,m=10"]).prints("");
    assert!(text(&place, "small.svg").contains("soft* (400 bytes)"));
    place.frit(["graph", "in.c", "-o", "g.dot"]).prints("");
    let dot = text(&place, "g.dot");
    for part in ["sharpen, line 6, before", "sharpen, line 6, after", "soft* (4.0 MB)", "tooltip=\"kept apart"] {
        assert!(dot.contains(part), "{part} is not in\n{dot}");
    }
    assert_eq!(place.files(), ["fuse.svg", "g.dot", "g.svg", "in.c", "out.c", "small.svg"]);
}

#[test]
fn explain_tells_what_fuse_tells_and_writes_nothing() {
    let place = place();
    for sizes in [&[][..], &["--sizes", "n=10,m=20"]] {
        let fused = place.frit(["fuse", "in.c", "-o", "out.c"].iter().chain(sizes)).done().succeeded();
        place.frit(["explain", "in.c"].iter().chain(sizes)).prints(&fused.err);
        let fused = place.frit(["fuse", "in.c", "-o", "out.c", "--json"].iter().chain(sizes)).done().succeeded();
        place.frit(["explain", "in.c", "--json"].iter().chain(sizes)).prints(&fused.text());
        let report: Value = serde_json::from_str(&fused.text()).unwrap();
        let soft = &report["regions"][0]["arrays"][0];
        let rows = if sizes.is_empty() { 1000 * 1000 } else { 10 * 20 };
        assert_eq!((soft["name"].as_str(), soft["bytes_before"].as_u64()), (Some("soft"), Some(4 * rows)));
    }
    assert_eq!(place.files(), ["in.c", "out.c"]);
}

#[test]
fn a_page_has_both_texts_arrays_decisions_and_the_drawing() {
    let place = place();
    place.frit(["explain", "in.c", "--html", "page.html"]).prints("");
    let page = text(&place, "page.html");
    for part in [
        "<code>            soft[i][j] = in[i][j] / 2;</code>",
        "<td id=\"T1\"",
        "<th scope=\"row\">soft</th><td>4.0 MB</td><td>8.0 kB</td><td class=\"words\">window 2 x m</td>",
        "<th scope=\"row\">peak</th>",
        "<code>loop-fusion</code>",
        "<code>scalar-result-needed</code>",
        "for m = 1000, n = 1000",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert_shown(&page);
    let fused = place.frit(["fuse", "in.c", "-q"]).done().succeeded().text();
    assert_eq!(page.matches("<td id=\"T").count(), fused.lines().count());
}

#[test]
fn verbose_tells_the_time_of_each_pass() {
    let place = place();
    let done = place.frit(["fuse", "in.c", "-o", "out.c", "-q", "-v"]).done().succeeded();
    let passes: Vec<&str> = done.err.lines().filter_map(|line| line.split("s  ").nth(1)).collect();
    let expected = [
        "read",
        "expand",
        "recompute",
        "dependences",
        "embed",
        "fusion",
        "contraction",
        "sharing",
        "generate",
        "write",
    ];
    assert_eq!(passes, expected, "{}", done.err);
}

#[test]
fn options_without_effect_are_usage_errors() {
    let place = place();
    place.file("p.l0", "fun int main([int] a) = reduce(op +, 0, a)");
    for (words, said) in [
        (&["fuse", "in.c", "--sizes", "k=3"][..], "no region has a size `k`; they are m, n"),
        (&["fuse", "in.c", "--sizes", "n"], "`n` in `--sizes` is not of the form NAME=NUMBER"),
        (&["fuse", "in.c", "--sizes", "n=-3"], "`n=-3` in `--sizes`: no size is negative"),
        (&["fuse", "in.c", "--sizes", "n=0"], "`n=0` in `--sizes`: nothing can be compared where there is nothing"),
        (&["fuse", "in.c", "in.c"], "the results of several files need `--in-place`, `--diff` or `--check`"),
        (&["fuse", "in.c", "in.c", "--check", "--svg", "g.svg"], "`--svg` draws one file"),
        (&["fuse", "in.c", "--json"], "`--json` needs `-o`, `--in-place` or `--check`"),
        (&["fuse", "in.c", "--recompute=k"], "no region has an array `k`; they are "),
        (&["explain", "in.c", "--entry", "f"], "`--entry` has no effect"),
        (&["explain", "in.c", "3"], "a C file takes no arguments"),
        (&["graph", "in.c", "-o", "g.svg", "--strict-fp"], "`--strict-fp` has no effect"),
        (&["explain", "p.l0", "--objective", "peak"], "`--objective` has an effect on C files only"),
        (&["graph", "p.l0", "-o", "g.svg", "--auto"], "`--auto` has an effect on C files only"),
        (&["graph", "p.l0", "-o", "g.svg", "--sizes", "n=3"], "`--sizes` has no effect"),
    ] {
        place.frit(words).fails(2, &[said]);
    }
    assert_eq!(place.files(), ["in.c", "p.l0"]);
}

/// A header with a macro for subscripts and a type; the number of columns comes from elsewhere.
const SHAPE: &str = "#define IDX(i, j) ((i) * COLS + (j))\n#ifdef SINGLE\ntypedef float real;\n#endif\n";
const SHAPED: &str = "#include \"shape.h\"
void f(int n, const real *restrict a, real *restrict b)
{
    real t[n * COLS];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLS; j++)
            t[IDX(i, j)] = a[IDX(i, j)] * 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLS; j++)
            b[IDX(i, j)] = t[IDX(i, j)] + 1;
}
";

#[test]
fn c_files_are_read_with_the_flags_that_they_are_compiled_with() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("include")).unwrap();
    place.file("include/shape.h", SHAPE);
    place.file("in.c", SHAPED);
    let refused = place.frit(["fuse", "--auto", "in.c"]).done();
    assert!(refused.err.contains("'shape.h' file not found"), "{}", refused.err);
    let flags = ["-Iinclude", "-DCOLS=8", "-DSINGLE", "-UOTHER", "-std=c11", "--cflag=-fno-common"];
    let call = ["fuse", "--auto", "--verify", "in.c", "-o", "out.c"].into_iter().chain(flags);
    let done = place.frit(call).done().succeeded();
    assert!(done.err.contains("2 loop nests became 1"), "{}", done.err);
    assert!(done.err.contains("f: the same results"), "{}", done.err);
    assert!(text(&place, "out.c").contains("b[IDX(i, j)] = t + 1;"), "{}", text(&place, "out.c"));
    let included = ["fuse", "--auto", "in.c", "-o", "out.c", "-Iinclude", "-include", "more.h"];
    place.file("more.h", "#define COLS 4\n#define SINGLE\n");
    place.frit(included).done().succeeded();
    // As build systems say it, beside the file.
    let database = format!(
        r#"[{{"directory": "{}", "file": "in.c", "arguments": ["cc", "-Iinclude", "-DCOLS=16", "-DSINGLE", "-c", "in.c", "-o", "in.o"]}}]"#,
        place.path("").display()
    );
    place.file("compile_commands.json", database);
    let done = place.frit(["fuse", "--auto", "--verify", "in.c", "-o", "out.c"]).done().succeeded();
    assert!(done.err.contains("f: the same results"), "{}", done.err);
    place.file("other.c", SHAPED);
    let unknown = place.frit(["fuse", "--auto", "--compile-commands", ".", "other.c"]).done();
    assert!(unknown.err.contains("it does not say how `other.c` is compiled"), "{}", unknown.err);
}

#[test]
fn c_is_not_read_without_libclang() {
    let place = place();
    let done = place.frit(["fuse", "in.c"]).env("LIBCLANG_PATH", "/no/such/place").done();
    assert!(done.err.contains("libclang, version 17 or later, which is not found"), "{}", done.err);
    assert_eq!(done.text(), "");
}

/// A file of which nothing changes, and one that is no C.
fn several() -> Place {
    let place = place();
    place.file("b.c", "void f(int n, float *restrict a)\n{\n#pragma scop\n    for (int i = 0; i < n; i++)\n        a[i] = 2;\n#pragma endscop\n}\n");
    place.file("wrong.c", "void f(int n)\n{\n#pragma scop\n}\n");
    place
}

#[test]
fn the_report_says_what_runs_as_one_loop_and_why_arrays_stay_whole() {
    let place = place();
    let done = place.frit(["fuse", "in.c", "-o", "out.c"]).done().succeeded();
    let expected = "\
sharpen, line 6: 4 loop nests became 2
  array   before   after  what it became
  soft    4.0 MB  8.0 kB  window 2 x m
  detail  4.0 MB  4.0 MB  kept: line 16 needs all of it, as it stays apart from line 12: the second loop needs `most`, which is known only when \
the first one ends
  total   8.0 MB  4.0 MB
  peak    8.0 MB  4.0 MB  the most in use at a time
  for m = 1000, n = 1000
  lines 6, 9 and 12 run as one loop
  lines 12 and 16 stay apart: the second loop needs `most`, which is known only when the first one ends

scale, line 25: 1 loop nest left as it was: nothing to be gained

";
    assert_eq!(done.err, expected);
    let all = place.frit(["fuse", "in.c", "-o", "out.c", "-v"]).done().succeeded();
    assert_eq!((all.said("note[loop-fusion]"), all.said("note[scalar-result-needed]")), (5, 1), "{}", all.err);
    assert_eq!(place.frit(["explain", "in.c", "--all"]).done().succeeded().text().matches("note[").count(), 6);
}

#[test]
fn several_files_are_written_in_place_and_a_later_run_leaves_them() {
    let place = several();
    let (sources, b) = (["fuse", "in.c", "b.c"], text(&place, "b.c"));
    let with = |option: &'static str| sources.into_iter().chain([option]);
    let summary = "in.c: 1 of 2 regions changed, temporary arrays 8.0 MB -> 4.0 MB for m = 1000, n = 1000\n\
                   b.c: none of 1 region changed\n";
    let checked = place.frit(with("--check")).fails(1, &[]);
    assert_eq!(checked.err, format!("{summary}2 files: 1 would change\n"));
    assert_eq!((text(&place, "in.c").as_str(), text(&place, "b.c")), (SHARPEN, b.clone()));
    let diff = place.frit(with("--diff")).done().succeeded().text();
    assert!(diff.starts_with("--- a/in.c\n+++ b/in.c\n@@ ") && !diff.contains("b.c"), "{diff}");
    let done = place.frit(with("--in-place")).done().succeeded();
    assert_eq!((done.text().as_str(), done.err), ("", format!("{summary}2 files: 1 changed\n")));
    let written = text(&place, "in.c");
    assert_eq!(text(&place, "b.c"), b);
    let again = place.frit(with("--check")).done().succeeded();
    assert_eq!(again.said("in.c: as an earlier run wrote it"), 1, "{}", again.err);
    // What is edited is looked at again.
    place.file("in.c", written.replace("/ 2", "/ 3"));
    place.frit(with("--check")).fails(1, &["in.c: 1 of 2 regions changed"]);
}

#[test]
fn a_file_with_an_error_does_not_keep_others_from_being_fused() {
    let place = several();
    let wrong = text(&place, "wrong.c");
    place
        .frit(["fuse", "wrong.c", "in.c", "--in-place"])
        .fails(3, &["error[unmatched-scop]", "in.c: 1 of 2 regions changed", "2 files: 1 changed, 1 with errors"]);
    assert_eq!(text(&place, "wrong.c"), wrong);
    assert!(text(&place, "in.c").starts_with("/* Transformed by frit fuse:"));
    assert_eq!(place.files(), ["b.c", "in.c", "wrong.c"]);
    let reports = place.frit(["fuse", "in.c", "b.c", "--check", "--json"]).done().succeeded().text();
    let reports: Value = serde_json::from_str(&reports).unwrap();
    assert_eq!((reports[0]["sealed"].as_bool(), reports[1]["regions"].as_array().map(Vec::len)), (Some(true), Some(1)));
}

/// A small library as users write it: several files, headers with macros, checks of allocations.
#[test]
fn an_image_library_is_built_with_and_without_frit() {
    let place = Place::new();
    for entry in std::fs::read_dir(project().join("examples/image")).unwrap() {
        let path = entry.unwrap().path();
        place.file(path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
    }
    let frit = format!("FRIT={}", env!("CARGO_BIN_EXE_frit"));
    let made = place.command("make", ["-s", "CFLAGS=-O1 -ffp-contract=off", frit.as_str()]).done().succeeded();
    assert!(made.err.contains("8 loop nests became 1"), "{}", made.err);
    for size in ["67x41", "5x5", "3x9", "1x1"] {
        let [plain, fused] = ["sketch", "sketch-fused"].map(|program| {
            let said = place.command(place.path(program), [size]).done().succeeded().text();
            said.split_once("checksum").expect("it tells a checksum").1.to_string()
        });
        assert_eq!(plain, fused, "{size}");
    }
}
