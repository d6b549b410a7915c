//! `frit bench`: its numbers, and comparisons with C.

use crate::cli::place::{Place, project};

/// The value of a key of a flat JSON object whose strings hold no commas.
fn number(json: &str, key: &str) -> f64 {
    let rest = json.split(&format!("\"{key}\":")).nth(1).unwrap_or_else(|| panic!("no `{key}` in {json}"));
    let value = rest.trim_start().split([',', '}']).next().unwrap();
    value.trim().parse().unwrap_or_else(|error| panic!("`{key}` in {json}: {error}"))
}

#[test]
fn json_has_sane_numbers() {
    let place =
        Place::with_program("fun real main(int n) = reduce(op +, 0.0, map(toReal, iota(n)))\n").with_measured_machine();
    let words = ["bench", "p.l0", "200000", "--json", "--runs", "7", "--threads", "1"];
    let json = place.frit(words).done().succeeded().text();
    assert!(json.starts_with('{') && json.ends_with("}\n"), "{json}");
    let [median, min, max, compile] = ["median_s", "min_s", "max_s", "compile_s"].map(|key| number(&json, key));
    assert!(0.0 < min && min <= median && median <= max && max < 60.0, "{json}");
    assert!(0.0 < compile && compile < 200.0, "{json}");
    assert_eq!(number(&json, "runs"), 7.0);
    assert_eq!(number(&json, "threads"), 1.0);
    assert_eq!(number(&json, "bytes"), 16.0);
    assert!(number(&json, "bandwidth") > 1e7, "{json}");
    assert!(json.contains("\"engine\":\"native code\""), "{json}");
}

#[test]
fn people_get_lines() {
    let place = Place::with_program("fun [real] main(int n) = map(toReal, iota(n))\n").with_measured_machine();
    let text = place.frit(["bench", "p.l0", "100000", "--runs", "5"]).done().succeeded().text();
    for said in ["kernel", "median", "minimum", "spread", "5 runs", "GB/s", "% of the", "compile"] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
    let words = ["bench", "p.l0", "100", "--runs", "2", "--engine", "interpreter"];
    let text = place.frit(words).done().succeeded().text();
    assert!(text.contains("interpreter"), "{text}");
}

#[test]
fn the_program_without_fusion_is_run_in_turn() {
    let place = Place::with_program(
        "fun real main(int n) = reduce(op +, 0.0, map(fn real (int i) => toReal(i) * 2.0, iota(n)))\n",
    )
    .with_measured_machine();
    let bench = |words: &[&str]| place.frit(["bench", "p.l0", "100000", "--runs", "5"].iter().chain(words));
    let json = bench(&["--no-fuse", "--json"]).done().succeeded().text();
    let [fused, unfused] = ["median_s", "no_fuse_median_s"].map(|key| number(&json, key));
    assert!((number(&json, "no_fuse_ratio") - unfused / fused).abs() < 1e-9 * unfused / fused, "{json}");
    let text = bench(&["--no-fuse"]).done().succeeded().text();
    assert!(text.contains("no-fuse") && text.contains("times as long as fused"), "{text}");
    assert!(!bench(&[]).done().succeeded().text().contains("no-fuse"));
    bench(&["--no-fuse", "-O0"]).fails(2, &["error[usage]", "nothing is merged"]);
    for option in ["--no-fuse", "--fusion-limit=1"] {
        place.frit(["run", "p.l0", "3", "-O0", option]).fails(2, &["error[usage]", "-O0 merges no loops"]);
        place.frit(["run", "p.l0", "3", option]).prints("6.0\n");
    }
}

#[test]
fn a_failing_kernel_is_reported() {
    let place = Place::with_program("fun int main(int n) = 1 / n\n").with_measured_machine();
    place.frit(["bench", "p.l0", "0"]).fails(1, &["error[division-by-zero]", "p.l0:1:23"]);
    place.frit(["bench", "p.l0", "x"]).fails(1, &["error[bad-input]"]);
}

/// The arguments for `examples/p0_options.l0`, written by `benches/options.l0`.
fn options(place: &Place) -> [&'static str; 4] {
    let files = ["call.npy", "price.npy", "strike.npy", "years.npy"];
    let program = project().join("benches/options.l0").into_os_string().into_string().unwrap();
    let outputs = files.iter().flat_map(|file| ["-o", file]);
    place.frit(["run", &program, "5000"].into_iter().chain(outputs)).prints("");
    files
}

#[test]
fn black_scholes_is_compared_with_c() {
    let place = Place::new().with_measured_machine();
    let files = options(&place);
    let [program, baseline] = ["examples/p0_options.l0", "benches/p0.c"].map(|path| project().join(path));
    let words = |last: &'static str| {
        let mut words = vec!["bench".into(), program.clone().into_os_string()];
        words.extend(files.map(Into::into));
        words.extend(["--threads=1".into(), "--runs=9".into(), "--against".into(), baseline.clone().into_os_string()]);
        words.push(last.into());
        words
    };
    let json = place.frit(words("--json")).done().succeeded().text();
    assert!(number(&json, "against_median_s") > 0.0, "{json}");
    let ratio = number(&json, "ratio");
    assert!((ratio - number(&json, "median_s") / number(&json, "against_median_s")).abs() < 1e-9 * ratio, "{json}");
    let text = place.frit(words("-O3")).done().succeeded().text();
    assert!(text.contains("against") && text.contains("p0.c"), "{text}");
}

#[test]
fn a_baseline_that_computes_something_else_is_reported() {
    let place = Place::with_program("fun [int] main([int] a) = map(op +(1), a)\n").with_measured_machine();
    let baseline = |body: &str| {
        place.file(
            "b.c",
            format!("void frit_baseline(const frit_array *arguments, frit_array *results) {{ {body} }}\n"),
        );
        place.frit(["bench", "p.l0", "[1, 2, 3]", "--runs", "3", "--against", "b.c"])
    };
    let add = |n: u8| {
        format!(
            "const int64_t *a = arguments[0].elements; int64_t *r = results[0].elements; \
             for (int64_t i = 0; i < arguments[0].shape[0]; i++) r[i] = a[i] + {n};"
        )
    };
    baseline(&add(1)).done().succeeded();
    baseline(&add(2))
        .fails(1, &["error[baseline]", "`b.c` computes something else", "element 0 is 3 there and 2 here"]);
    // Computing nothing is something else too: results do not start as the program's.
    baseline("(void)arguments; (void)results;").fails(1, &["error[baseline]", "computes something else"]);
}

#[test]
fn a_baseline_that_cannot_be_used_is_reported() {
    let place = Place::with_program("fun int main(int a) = a + 1\n").with_measured_machine();
    let bench = || place.frit(["bench", "p.l0", "1", "--runs", "1", "--against", "b.c"]);
    bench().fails(2, &["error[file]", "`b.c`"]);
    place.file("b.c", "int x = ;\n");
    bench().fails(2, &["error[baseline]", "b.c:1:"]);
    place.file("b.c", "int x = 1;\n");
    bench().fails(2, &["error[baseline]", "does not define `frit_baseline`"]);
    assert_eq!(place.files(), ["b.c", "p.l0"]);
}
