//! What `frit build` makes: shared objects and headers for C, C source, object files, executables.

use crate::cli::place::{Place, examples, project};

const DOT: &str = "fun real main([real] a, [real] b) =\n  \
                     reduce(op +, 0.0, map(fn real (real x, real y) => x * y, zip(a, b)))\n";

/// Calls `dot` twice: on arrays of one length and of two.
const CALLER: &str = r#"
#include "dot.h"
#include <stdio.h>
#include <string.h>

int main(void) {
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6.5};
    double sum = 0;
    frit_context *context = dot_open(2);
    if (!context) return 10;
    if (dot(context, 3, 3, a, b, &sum) != FRIT_OK) return 11;
    printf("%g\n", sum);
    if (dot(context, 3, 2, a, b, &sum) != FRIT_CHECK_FAILED) return 12;
    puts(dot_message(context));
    if (!strstr(dot_message(context), "p.l0:2:60")) return 13;
    if (dot(context, 0, 0, a, b, &sum) != FRIT_OK) return 14;
    printf("%g\n", sum);
    dot_close(context);
    return 0;
}
"#;

#[test]
fn a_shared_object_is_called_from_c() {
    let place = Place::with_program(DOT);
    place.frit(["build", "p.l0", "-o", "dot.so"]).prints("");
    assert_eq!(place.files(), ["dot.h", "dot.so", "p.l0"]);
    place.file("main.c", CALLER);
    place.command("cc", ["-Wall", "-Werror", "main.c", "./dot.so", "-o", "main"]).done().succeeded();
    let done = place.command(place.path("main"), [""; 0]).done().succeeded();
    assert!(done.text().starts_with("33.5\n") && done.text().ends_with("\n0\n"), "{}", done.text());
}

#[test]
fn an_object_file_and_c_source_are_linked_with_cc_alone() {
    let place = Place::with_program(DOT);
    place.file("main.c", CALLER);
    place.frit(["build", "p.l0", "-o", "dot.o"]).prints("");
    assert_eq!(place.files(), ["dot.h", "dot.o", "main.c", "p.l0"]);
    place.command("cc", ["main.c", "dot.o", "-fopenmp", "-lm", "-o", "with_object"]).done().succeeded();
    place.frit(["build", "p.l0", "-o", "dot.c"]).prints("");
    // Without OpenMP the same source runs on one thread.
    for (flags, name) in [(&["-O2", "-fopenmp"] as &[&str], "threads"), (&["-O1", "-std=gnu11"], "one_thread")] {
        let words = [flags, &["main.c", "dot.c", "-pthread", "-lm", "-o", name]].concat();
        place.command("cc", words).done().succeeded();
    }
    for name in ["with_object", "threads", "one_thread"] {
        let done = place.command(place.path(name), [""; 0]).done().succeeded();
        assert!(done.text().starts_with("33.5\n"), "{name}: {}", done.text());
    }
}

#[test]
fn a_library_returns_arrays_to_c() {
    let place = Place::with_program("fun {[int], *[real]} main(int n, *[real] a) = {iota(n), let a[0] = 7.5 in a}\n");
    place.frit(["build", "p.l0", "-o", "libpair-1.so"]).prints("");
    let header = String::from_utf8(place.read("libpair-1.h")).unwrap();
    let name = header.split("_open(int").next().and_then(|text| text.rsplit("frit_context *").next()).unwrap();
    place.file(
        "main.c",
        format!(
            r#"
#include "libpair-1.h"
#include <stdio.h>

int main(void) {{
    double a[] = {{1, 2}};
    int64_t n = 3, extent = 2, shapes[2][1];
    frit_context *context = {name}_open(1);
    frit_argument arguments[3] = {{{{&extent, 0, 0}}, {{&n, 0, 0}}, {{a, &extent, 0}}}};
    frit_result results[2] = {{{{0, shapes[0], 0, 0}}, {{0, shapes[1], 0, 0}}}};
    if ({name}_call(context, arguments, results) != FRIT_OK) return 1;
    const int64_t *k = results[0].elements;
    const double *x = results[1].elements;
    printf("%d %d %d of %d, %g %g of %d\n", (int)k[0], (int)k[1], (int)k[2], (int)shapes[0][0], x[0], x[1], (int)shapes[1][0]);
    if (a[0] != 1) return 2;
    {name}_release(context, results[0].owner);
    {name}_release(context, results[1].owner);
    {name}_close(context);
    return 0;
}}
"#
        ),
    );
    place.command("cc", ["-Wall", "main.c", "./libpair-1.so", "-o", "main"]).done().succeeded();
    place.command(place.path("main"), [""; 0]).prints("0 1 2 of 3, 7.5 2 of 2\n");
}

#[test]
fn executables_print_what_run_prints_for_every_example() {
    let place = Place::new();
    for (name, path, input) in examples() {
        // One thread: between numbers of threads the last bits of sums may differ.
        let run = place.frit(["run".as_ref(), path.as_os_str(), "--threads=1".as_ref(), "-O1".as_ref()]).input(&input);
        let run = run.done().succeeded();
        place.frit(["build".as_ref(), path.as_os_str(), "-O1".as_ref(), "-o".as_ref(), name.as_ref()]).prints("");
        let built = place.command(place.path(&name), [""; 0]).env("FRIT_THREADS", "1").input(&input).done();
        assert_eq!(built.code, Some(0), "{name}: {}", built.err);
        assert_eq!(built.text(), run.text(), "{name}");
    }
}

#[test]
fn executables_read_all_that_run_reads() {
    let place = Place::with_program(
        "fun {int, real, bool, char, [char], [[int]], [{int, {bool, real}}], {int, char}}\n  \
           main(int a, real b, bool c, char d, [char] e, [[int]] f, [{int, {bool, real}}] g, {int, char} h) =\n  \
             {a, b, c, d, e, f, g, h}\n",
    );
    place.frit(["build", "p.l0", "-o", "p"]).prints("");
    for input in [
        "-3 2.5e-3 True '\\n' \"a\\\"b\"\n[[1, 2], [3, 4]] [{1, {True, 2.0}}, {-2, {False, -1}}] {1, 'x'}",
        "- 3 -2 False '\\'' \"\" [] [] {1, '\\65'} // the end",
        "0 1e3 True 'é' \"déjà \\233\\&1 \\x41\\o101\" empty([int]) empty({int, {bool, real}}) (1, '\u{1F600}')",
        "9223372036854775807 0.1 True '\\\\' [] [[], []] [(1, (True, 2.0))] {-9223372036854775808, '\"'}",
        "[1] 0.0 True 'a' \"\" [] [] {1, 'x'}",
        "9223372036854775808 0.0 True 'a' \"\" [] [] {1, 'x'}",
        "1.0 0.0 True 'a' \"\" [] [] {1, 'x'}",
        "1 0.0 true 'a' \"\" [] [] {1, 'x'}",
        "1 0.0 Trueish 'a' \"\" [] [] {1, 'x'}",
        "1 0.0 True 'ab' \"\" [] [] {1, 'x'}",
        "1 0.0 True '' \"\" [] [] {1, 'x'}",
        "1 0.0 True 'a' \"open [] [] {1, 'x'}",
        "1 0.0 True 'a' \"\" [[1], [2, 3]] [] {1, 'x'}",
        "1 0.0 True 'a' \"\" [[1], 2] [] {1, 'x'}",
        "1 0.0 True 'a' \"\" [] [{1, {True}}] {1, 'x'}",
        "1 0.0 True 'a' \"\" [] [] {1, 'x'} 5",
        "1 0.0 True 'a' \"\" [] [] {1,",
        "1 0.0 True 'a' \"\" empty(int) [] {1, 'x'}",
        "1 1. True 'a' \"\" [] [] {1, 'x'}",
        "1 .5 True 'a' \"\" [] [] {1, 'x'}",
        "1 inf True 'a' \"\" [] [] {1, 'x'}",
        "1 1e True 'a' \"\" [] [] {1, 'x'}",
        "1 1e999 True 'a' \"\" [] [] {1, 'x'}",
        "1 0x10 True 'a' \"\" [] [] {1, 'x'}",
        "1 2.0 True '\\1114112' \"\" [] [] {1, 'x'}",
        "1 2.0 True 'a' \"\\q\" [] [] {1, 'x'}",
        "",
    ] {
        let run = place.run(&["--engine", "interpreter"]).input(input).done();
        let built = place.command(place.path("p"), [""; 0]).input(input).done();
        assert_eq!(built.code, run.code, "{input}\n{}{}{}{}", run.text(), run.err, built.text(), built.err);
        assert_eq!(built.text(), run.text(), "{input}");
        if run.code != Some(0) {
            assert!(built.err.starts_with("error[bad-input]: <stdin>:"), "{input}\n{}", built.err);
        }
    }
}

#[test]
fn executables_read_and_print_reals_as_run_does() {
    // Each is read and printed, and so are its quotients by powers of two, which are ties between two decimals or close to one.
    let place = Place::with_program(
        "fun [[real]] main([real] a) = map(fn [real] (real x) => map(fn real (int k) => x / toReal(2 pow k), iota(62)), a)\n",
    );
    place.frit(["build", "p.l0", "-o", "p"]).prints("");
    let input = "[0, -0.0, 1, 3.0, -5.5, 0.1, 123456.7890123, 9007199254740991, 9007199254740992.0, 9007199254740993, 0.000001, 4.9e-324, \
                 1.7976931348623157e308, 2.2250738585072014e-308, 18014398509481985.5, .0000005, 0.0000005000000000000001, \
                 1234567890123456789, 12345678901234567890, 1.2345678901234567890123, 0.00000000000000000000001, \
                 9223372036854.775807, 9223372036855.0, 1e22, 1e23, -inf, nan]";
    let run = place.run(&["--strict-fp"]).input(input).done().succeeded();
    place.command(place.path("p"), [""; 0]).input(input).prints(&run.text());
}

#[test]
fn executables_fail_as_run_does() {
    let place = Place::with_program("fun [int] main([int] a, int n) =\n  map(fn int (int x) => x / n, a)\n");
    place.frit(["build", "p.l0", "-o", "p"]).prints("");
    let call = || place.command(place.path("p"), [""; 0]);
    call().input("[1, 2] 0").fails(1, &["error[division-by-zero]: p.l0:2:25: integer division by zero"]);
    call().input("[] 0").prints("empty(int)\n");
    call().input("[4, 6] 2").env("FRIT_THREADS", "3").prints("[2, 3]\n");
    call().input("[4, 6] 2").env("FRIT_THREADS", "nonsense").prints("[2, 3]\n");
    call().input(b"[4, 6] \xff").fails(1, &["error[bad-input]"]);
}

#[test]
fn what_cannot_be_built_is_refused_and_leaves_nothing() {
    let place = Place::with_program(DOT);
    for name in ["p.a", "p.h", "p.dll", "p.dylib", "p.exe", "p.l0", "p.ir"] {
        place.frit(["build", "p.l0", "-o", name]).fails(2, &["error[usage]", "can be built"]);
    }
    for name in ["missing/p", "missing/p.so", "missing/p.o", "missing/p.c"] {
        place.frit(["build", "p.l0", "-o", name]).fails(2, &["error[file]", name]);
    }
    for name in ["folder", "folder.so", "folder.c"] {
        std::fs::create_dir(place.path(name)).unwrap();
        place.frit(["build", "p.l0", "-o", name]).fails(2, &["error[file]", name]);
        std::fs::remove_dir(place.path(name)).unwrap();
    }
    // The header has no place: then the library must not come alone.
    std::fs::create_dir(place.path("q.h")).unwrap();
    place.frit(["build", "p.l0", "-o", "q.so"]).fails(2, &["error[file]", "q.h"]);
    assert_eq!(place.files(), ["p.l0", "q.h"]);
}

#[test]
fn building_says_what_it_did_if_asked() {
    let place = Place::new();
    let source = project().join("examples/p1.l0");
    let words = ["build".as_ref(), source.as_os_str(), "-o".as_ref(), "p1.so".as_ref(), "-v".as_ref()];
    let done = place.frit(words).prints("");
    for said in ["inline", "lower", "cc", "wrote p1.so", "wrote p1.h"] {
        assert!(done.err.contains(said), "{said} is not in\n{}", done.err);
    }
}

#[test]
fn the_call_in_a_header_compiles_and_runs() {
    let place = Place::with_program(
        "fun {real, [[real]], [int]} main([[real]] a, real k, [{int, bool}] z) =\n  \
           let {n, _} = unzip(z) in {k, map(fn [real] ([real] r) => map(op * (k + 1.0), r), a), n}\n",
    );
    place.frit(["build", "p.l0", "-o", "libp.so"]).prints("");
    let header = String::from_utf8(place.read("libp.h")).unwrap();
    let (_, call) = header.split_once("/* A complete call").expect("there is a call");
    let (call, _) = call.split_once(" */").expect("a comment ends");
    let lines: Vec<&str> = call.lines().skip(1).map(|line| line.strip_prefix(" *").unwrap_or(line)).collect();
    place.file("main.c", format!("#include \"libp.h\"\n{}\n", lines.join("\n")));
    place.command("cc", ["-Wall", "-Werror", "main.c", "./libp.so", "-o", "main"]).done().succeeded();
    place.command(place.path("main"), [""; 0]).prints("1\n2\n0\n0\n0\n0\n0\n0\n0\n0\n1\n0\n0\n");
}

#[test]
fn python_modules_take_and_return_arrays() {
    let place = Place::with_program(
        "fun {[[real]], int} scaled([[real]] m, real k, int lambda) =\n  \
           {map(fn [real] ([real] r) => map(op * (k), r), m), lambda + 1}\n\
         fun [{int, real}] pairs([{int, real}] z) = map(fn {int, real} (int i, real x) => {i + 1, x * 2.0}, z)\n\
         fun [char] hello([char] s) = concat(\"hello \", s)\n\
         fun int at([int] a, int i) = a[i]\n\
         fun *[int] set(*[int] a) = let a[0] = 7 in a\n",
    );
    let entries: Vec<&str> = ["scaled", "pairs", "hello", "at", "set"].iter().flat_map(|f| ["--entry", f]).collect();
    place.frit([&["build", "p.l0", "-o", "made.py"], entries.as_slice()].concat()).prints("");
    place.file("s.sac", "double, int[.] both(double[*] a) { return (sum(a), shape(a)); }\n");
    place.frit(["build", "s.sac", "--entry", "both(double[.,.])", "-o", "sac.py"]).prints("");
    place.file("n.py", "import numpy as np\ndef half(a):\n    return a / 2\n");
    place.frit(["build", "n.py", "--entry", "half(float64[:])", "-o", "num.py"]).prints("");
    place.frit(["build", "s.sac", "-o", "main.py"]).fails(1, &["no function `main`"]);
    place.file("c.l0", "fun cert main() = Checked\n");
    place.frit(["build", "c.l0", "-o", "c.py"]).fails(2, &["no certificates"]);
    assert!(!place.files().iter().any(|file| file == "c.py" || file == "libc.so"));
    let has_numpy = place.command("python3", ["-c", "import numpy"]).done().code == Some(0);
    if !has_numpy {
        eprintln!("skipped: the modules are not imported, as there is no Python with NumPy");
        return;
    }
    place.file(
        "calls.py",
        r#"
import numpy as np, made, sac, num
print(made.scaled([[1, 2], [3, 4]], 0.5, np.int32(1)))
print(made.scaled(np.asfortranarray(np.arange(4.0).reshape(2, 2)).T, 2, 1)[0].tolist())
print(*(part.tolist() for part in made.pairs(([1, 2], [0.5, 1.5]))), made.hello("w\u00f6rld"))
a = np.arange(3)
print(made.set(a).tolist(), a.tolist(), sac.both(np.ones((2, 3)))[1].tolist(), num.half([1.0, 3.0]).tolist())
for call in (
    lambda: made.at([1, 2], 5), lambda: made.at([1.5], 0), lambda: made.at([[1]], 0),
    lambda: made.pairs(([1], [1.0, 2.0])), lambda: made.at([1]),
):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
"#,
    );
    let done = place.command("python3", ["calls.py"]).done().succeeded();
    assert_eq!(
        done.text(),
        "(array([[0.5, 1. ],\n       [1.5, 2. ]]), 2)\n[[0.0, 4.0], [2.0, 6.0]]\n[2, 3] [1.0, 3.0] hello w\u{f6}rld\n\
         [7, 1, 2] [0, 1, 2] [2, 3] [0.5, 1.5]\n\
         Error p.l0:5:30: index 5 is out of bounds for size 2\n\
         TypeError `a` has elements of type float64, which do not fit into int64\n\
         ValueError `a` has 2 dimensions, but needs 1\n\
         ValueError `z` has extent 1 where `z` has 2\n\
         TypeError at() missing 1 required positional argument: 'i'\n"
    );
}
