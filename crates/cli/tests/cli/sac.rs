//! Programs in SAC: `main` with its words and status, other entry functions, what is built of them.

use crate::cli::npy;
use crate::cli::place::Place;

const PROGRAM: &str = "\
double[+] relax(double[+] A)
{
  R = A;
  for (i = 0; i < dim(A); i++) {
    R = R + rotate(i, 1, A) + rotate(i, -1, A);
  }
  return R / tod(2 * dim(A) + 1);
}

int, double[.] both(int n, double[.] a) { return (n + 1, tod(n) * a); }

int main()
{
  for (i = 1; i < argc(); i++) {
    printf(\"%d: %s\\n\", i, argv(i));
  }
  print([1, 2, 3]);
  return argc() - 1;
}
";

fn place() -> Place {
    let place = Place::new();
    place.file("p.sac", PROGRAM);
    place
}

#[test]
fn main_gets_words_prints_and_gives_the_status() {
    let place = place();
    for engine in ["native", "interpreter", "evaluator"] {
        let done = place.frit(["run", "p.sac", "--engine", engine, "a", "bé"]).done();
        assert_eq!(done.code, Some(2), "{engine}: {}", done.err);
        let text: Vec<String> = done.text().split_whitespace().map(str::to_string).collect();
        assert_eq!(text.join(" "), "1: a 2: bé Dimension: 1 Shape : < 3> < 1 2 3 >", "{engine}");
    }
}

#[test]
fn any_function_is_entered_with_values_or_files() {
    let place = place();
    place.frit(["run", "p.sac", "--entry", "both", "2", "[1.0,2.5]"]).prints("3\n[2.0,5.0]\n");
    place.frit(["run", "p.sac", "--entry", "relax", "[3.0,0.0,0.0]"]).prints("[1.0,1.0,1.0]\n");
    place.frit(["run", "p.sac", "--entry", "relax", "[[9.0]]", "--engine", "evaluator"]).prints("[[9.0]]\n");
    place.file("a.npy", npy::file("<f8", false, &[2, 3], npy::parts(&npy::reals(&[0.0, 5.0, 0.0, 0.0, 0.0, 0.0])).1));
    place.frit(["run", "p.sac", "--entry", "relax", "a.npy", "-o", "r.npy"]).prints("");
    let file = place.read("r.npy");
    assert!(npy::parts(&file).0.contains("(2, 3,"), "{}", npy::parts(&file).0);
    let elements = npy::elements(&file, "<f8", f64::from_le_bytes);
    assert!((elements.iter().sum::<f64>() - 5.0).abs() < 1e-12, "{elements:?}");
}

#[test]
fn wrong_entries_and_arguments_are_named() {
    let place = place();
    for (words, said) in [
        (&["run", "p.sac", "--entry", "relay", "1"][..], "defines no function `relay`"),
        (&["run", "p.sac", "--entry", "both", "1"], "`both(int, double[.])` takes 2 arguments"),
        (&["run", "p.sac", "--entry", "both", "x", "[1.0]"], "a whole number of the parameter's type is wanted here"),
        (&["run", "p.sac", "--entry", "relax", "1.0"], "the argument for parameter `A` is not of type double[+]"),
        (&["dump", "p.sac", "--entry", "relax"], "`--entry 'relax(...)'`"),
        (&["run", "p.sac", "--entry", "relax("], "names no entry function"),
    ] {
        let done = place.frit(words.iter().copied()).done();
        assert_ne!(done.code, Some(0));
        assert!(done.err.contains(said), "{words:?}: {}", done.err);
    }
}

#[test]
fn a_library_has_one_function_for_each_signature() {
    let place = place();
    place.file(
        "main.c",
        r#"
#include "lib.h"
#include <stdio.h>
int main(void) {
    const double a[] = {3, 0, 0};
    lib_relax_f64_1 r1;
    (void)a; (void)r1;
    return 0;
}
"#,
    );
    place
        .frit(["build", "p.sac", "--entry", "relax(double[.])", "--entry", "relax(double[.,.])", "-o", "lib.so"])
        .prints("");
    let header = std::fs::read_to_string(place.path("lib.h")).unwrap();
    assert!(header.contains("int lib_relax(") && header.contains("int lib_relax_2("), "{header}");
}

#[test]
fn an_executable_runs_main() {
    let place = place();
    place.frit(["build", "p.sac", "-o", "p"]).prints("");
    let done = place.command(place.path("p"), ["one"]).done();
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.text().starts_with("1: one\n"), "{}", done.text());
}

#[test]
fn what_depends_on_data_in_rank_is_said_to_and_runs() {
    let place = Place::new();
    place.file(
        "p.sac",
        "int[*] nest(int n) { s = with { ([0] <= [i] < [n]) : 1; } : genarray([n], 1);\n  return with { } : genarray(s, 7); }\n\
         int main() { x = nest(argc() + 1); printf(\"%d\\n\", dim(x)); return 0; }\n",
    );
    let done = place.frit(["run", "p.sac", "w"]).done().succeeded();
    assert_eq!(done.text(), "3\n");
    assert!(done.err.contains("rank-depends-on-data") && done.err.contains("interpreter"), "{}", done.err);
    let done = place.frit(["build", "p.sac", "-o", "p"]).done();
    assert_eq!(done.code, Some(3), "{}", done.err);
}

/// Reads two numbers; writes their sum to standard output, a line to standard error, and ends itself with a status if there is a third one.
const READER: &str = "\
use StdIO: all; use ScalarArith: all; use RuntimeError: all;
int main()
{
  n, a, b = scanf(\"%d %lf\");
  printf(\"%d %g\\n\", n, tod(a) + b);
  fprintf(stderr, \"read %d\\n\", a);
  ok, c = scanint();
  if (ok) {
    error(c, \"%d is one too many\", c);
  }
  return 0;
}
";

#[test]
fn standard_input_is_read_by_all_engines_and_by_executables() {
    let place = Place::new();
    place.file("p.sac", READER);
    place.frit(["build", "p.sac", "-o", "p"]).prints("");
    for (input, status) in [("2 0.5\n", 0), ("2 0.5 7", 7)] {
        for engine in ["native", "interpreter", "evaluator", "executable"] {
            let run = match engine {
                "executable" => place.command(place.path("p"), Vec::<&str>::new()),
                _ => place.frit(["run", "p.sac", "--engine", engine]),
            };
            let done = run.input(input).done();
            assert_eq!((done.code, done.text().as_str()), (Some(status), "2 2.5\n"), "{engine}: {}", done.err);
            assert!(done.err.starts_with("read 2\n"), "{engine}: {}", done.err);
            assert_eq!(
                done.err.contains("7 is one too many\nerror[program-ended]"),
                status == 7,
                "{engine}: {}",
                done.err
            );
        }
    }
}

#[test]
fn files_of_either_extension_use_modules_that_are_deprecated() {
    let place = Place::new();
    place.file("Old.xsac", "module Old deprecated \"use New\";\nexport all;\nint two() { return 2; }\n");
    place.file(
        "p.xsac",
        "use Old: {two};\nexternal int show(char[.] format, ...);\n#pragma linkname \"printf\"\n\
         int main() { printf(\"%d\\n\", two()); return 0; }\n",
    );
    place.frit(["check", "p.xsac"]).prints("");
    place.frit(["run", "p.xsac", "--engine", "evaluator"]).prints("2\n");
}

#[test]
fn a_mistake_in_a_macro_is_told_once() {
    let place = Place::new();
    place.file(
        "p.sac",
        "#define BAD(x) (x + nothing)\n#define LINK(f) external double f(double x); #pragma linkname #f\n\
         LINK(sinpi)\nint main() { a = BAD(1); b = BAD(2);\nc = BAD(3); return a; }\n",
    );
    let done = place.frit(["check", "p.sac"]).done();
    assert_eq!(done.err.matches("`nothing`").count(), 1, "{}", done.err);
    assert!(done.err.contains("2 more uses of the macro `BAD`: p.sac:4:30, p.sac:5:5"), "{}", done.err);
}

#[test]
fn a_violated_constraint_names_its_function_on_every_engine() {
    let place = Place::new();
    place.file(
        "p.sac",
        "use Array: all; use StdIO: all;\n\
         noinline int[.] numbers(int n) { return iota(n); }\n\
         int main() { print(drop([9], numbers(3))); return 0; }\n",
    );
    // The last run knows the program only from the one before.
    for words in [&["--engine", "evaluator"] as &[&str], &["--engine", "interpreter"], &["-O0"], &["-O1"], &["-O1"]] {
        let run = place.frit(["run", "p.sac"].iter().chain(words));
        run.fails(1, &["error[constraint-violated]", "p.sac:3:20", "a constraint of `drop`"]);
    }
    place.frit(["build", "p.sac", "-O1", "-o", "p"]).prints("");
    let built = place.command(place.path("p"), [""; 0]).done();
    assert!(built.err.contains("p.sac:3:20: ") && built.err.contains("(a constraint of `drop`)"), "{}", built.err);
}

const WITH_C: &str = "\
external double hypot3(double a, double b, double c);
external void note(char[.] what);

int main()
{
  printf(\"%g\\n\", hypot3(1.0, 2.0, 2.0));
  note(\"one\");
  printf(\"two\\n\");
  note(argc() > 1 ? argv(1) : \"three\");
  return argc();
}
";

/// A program with functions in C, and two files of which both are needed.
fn place_with_c() -> Place {
    let place = Place::new();
    place.file("p.sac", WITH_C);
    place.file(
        "a.c",
        "#include <math.h>\ndouble hypot3(double a, double b, double c) { return sqrt(a*a + b*b + c*c); }\n",
    );
    place.file(
        "b.c",
        "#include <stdio.h>\n#include \"b.h\"\nvoid note(char *what) { printf(NOTE \" %s\\n\", what); }\n",
    );
    place.file("b.h", "#define NOTE \"note:\"\n");
    place
}

#[test]
fn c_files_behind_a_program_define_its_external_functions() {
    let place = place_with_c();
    for engine in ["native", "interpreter", "evaluator"] {
        let done = place.frit(["run", "p.sac", "a.c", "b.c", "--engine", engine, "last"]).done();
        assert_eq!(
            (done.code, done.text().as_str()),
            (Some(2), "3\nnote: one\ntwo\nnote: last\n"),
            "{engine}: {}",
            done.err
        );
    }
    // The array IR says of them what the program does.
    let dumped = place.frit(["dump", "p.sac", "--after", "fuse"]).done();
    place.file("p.ir", dumped.text());
    for engine in ["native", "interpreter"] {
        let done = place.frit(["run", "p.ir", "a.c", "b.c", "\"p\"", "[1]", "--engine", engine]).done();
        assert!(done.code == Some(0) && done.text().starts_with("3\nnote: one\ntwo\n"), "{}{}", done.text(), done.err);
    }
    // What a C file includes belongs to it.
    place.file("b.h", "#define NOTE \"said:\"\n");
    let done = place.frit(["run", "p.sac", "a.c", "b.c"]).done();
    assert_eq!((done.code, done.text().as_str()), (Some(1), "3\nsaid: one\ntwo\nsaid: three\n"), "{}", done.err);
    place.frit(["build", "p.sac", "a.c", "b.c", "-o", "p"]).prints("");
    let done = place.command("./p", ["x"]).done();
    assert_eq!((done.code, done.text().as_str()), (Some(2), "3\nsaid: one\ntwo\nsaid: x\n"), "{}", done.err);
}

#[test]
fn pointers_of_c_are_values_of_a_class() {
    let place = Place::new();
    place.file(
        "Counter.sac",
        "class Counter;\nexternal classtype;\nexport all;\n\
         external Counter create(int start);\n#pragma linkname \"counter_new\"\n\
         external int next(Counter & c);\n#pragma linkname \"counter_next\"\n\
         external int read(Counter c);\n#pragma linkname \"counter_read\"\n\
         external int, Counter both(int k, double[.] steps, Counter & c);\n#pragma linkname \"counter_both\"\n\
         external void drop(Counter c);\n#pragma linkname \"counter_free\"\n",
    );
    place.file(
        "p.sac",
        "use Counter: all;\nuse Array: all;\n\
         external objdef Counter shared;\n#pragma initfun \"counter_shared\"\n\
         external typedef Mark;\nexternal Mark mark(int n);\nexternal bool same(Mark a, Mark b);\n\
         int twice(Counter & c) { _ = next(c); x = next(c); return x; }\n\
         int main()\n{\n\
           a = create(5);\n  b = create(50);\n  x = twice(a);\n  y = next(b);\n\
           printf(\"%d %d %d\\n\", x, y, read(a));\n\
           z = 0;\n  for (i = 0; i < 3; i++) { z = z + next(shared); }\n\
           printf(\"%d %d\\n\", z, next(shared));\n\
           k, c = both(2, [0.5, 1.5], a);\n  printf(\"%d %d %d\\n\", k, read(c), read(a));\n\
           printf(\"%d %d\\n\", toi(same(mark(1), mark(1))), toi(same(mark(1), mark(2))));\n\
           drop(b);\n  return 0;\n}\n",
    );
    place.file(
        "c.c",
        "#include <stdlib.h>\nstruct counter { int at; };\n\
         struct counter *counter_new(int start) { struct counter *c = malloc(sizeof *c); c->at = start; return c; }\n\
         struct counter *counter_shared(void) { return counter_new(100); }\n\
         int counter_next(struct counter *c) { return ++c->at; }\n\
         int counter_read(const struct counter *c) { return c->at; }\n\
         int counter_both(struct counter **copy, int k, const double *steps, struct counter *c)\n\
         { c->at += k * (int)(2 * steps[1]); *copy = counter_new(c->at + 1000); return c->at; }\n\
         void counter_free(struct counter *c) { free(c); }\n\
         static char marks[10];\nvoid *mark(int n) { return marks + n; }\n_Bool same(void *a, void *b) { return a == b; }\n",
    );
    let expected = "7 51 7\n306 104\n13 1013 13\n1 0\n";
    for words in
        [&["--engine", "native"] as &[&str], &["-O0"], &["--engine", "interpreter"], &["--engine", "evaluator"]]
    {
        let done = place.frit(["run", "p.sac", "c.c"].iter().chain(words)).done();
        assert_eq!((done.code, done.text().as_str()), (Some(0), expected), "{words:?}: {}", done.err);
    }
    place.frit(["build", "p.sac", "c.c", "-o", "p"]).prints("");
    place.command("./p", [""; 0]).prints(expected);
    let done = place.frit(["run", "p.sac"]).done();
    assert!(done.code == Some(3) && done.err.contains("`counter_new`"), "{}", done.err);
}

#[test]
fn functions_in_objects_and_libraries_come_before_those_of_the_c_library() {
    // The same files in another folder, when the first is gone, are another program for the object cache that both share.
    for _ in 0..2 {
        let place = Place::new();
        place.file("p.sac", "external int step(int n);\nint main() { return step(4); }\n");
        // The C library has another function of this name, for old programs.
        place.file("step.c", "int step(int n) { return n * 10 + 2; }\n");
        place.command("cc", ["-c", "-fPIC", "step.c", "-o", "step.o"]).prints("");
        place.command("cc", ["-shared", "step.o", "-o", "libstep.so"]).prints("");
        for file in ["step.c", "step.o", "libstep.so"] {
            for engine in ["native", "interpreter", "evaluator"] {
                let done = place.frit(["run", "p.sac", file, "--engine", engine]).done();
                assert_eq!(done.code, Some(42), "{file}, {engine}: {}", done.err);
            }
        }
    }
}

#[test]
fn a_missing_or_other_function_in_c_is_named() {
    let place = place_with_c();
    place.frit(["check", "p.sac"]).prints("");
    place.file("float.c", "float hypot3(float a, float b, float c) { return a + b + c; }\n");
    let cases: [(&[&str], &[&str]); 4] = [
        (&["run", "p.sac"], &["external-function", "`hypot3`", "`note`", "frit run p.sac FILE.c"]),
        (&["run", "p.sac", "a.c"], &["external-function", "`note`", "`a.c`"]),
        (&["build", "p.sac", "b.c", "-o", "p"], &["external-function", "`hypot3`", "`b.c`"]),
        (
            &["run", "p.sac", "float.c", "b.c"],
            &["external-refused", "float.c:1", "double hypot3(double, double, double)"],
        ),
    ];
    for (words, expected) in cases {
        let done = place.frit(words.iter().copied()).done();
        assert_eq!(done.code, Some(3), "{words:?}: {}", done.err);
        for text in expected {
            assert!(done.err.contains(text), "{words:?} does not say {text}: {}", done.err);
        }
    }
}

#[test]
fn c_files_are_words_for_programs_without_external_functions() {
    let place = place();
    place.file("a.c", "int x;\n");
    let done = place.frit(["run", "p.sac", "a.c"]).done();
    assert!(done.text().starts_with("1: a.c\n"), "{}{}", done.text(), done.err);
    let done = place.frit(["build", "p.sac", "a.c", "-o", "p"]).done();
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("calls none"), "{}", done.err);
}

#[test]
fn a_function_that_a_used_module_hides_is_warned_of() {
    let place = Place::new();
    place.file(
        "p.sac",
        "use Array: all;\nint[*] reverse(int[*] a) { return a; }\nint main() { return reverse([1, 2])[0]; }\n",
    );
    // Also when it was compiled before.
    for _ in 0..2 {
        let done = place.frit(["run", "p.sac"]).done();
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(
            done.err.contains("less-specific-than-used") && done.err.contains("all except { reverse }"),
            "{}",
            done.err
        );
    }
    place.file(
        "p.sac",
        "use Array: all;\nuse Structures: all;\nint sum(int[*] a) { return 0; }\nint main() { return 0; }\n",
    );
    let done = place.frit(["run", "p.sac"]).done();
    assert_eq!(done.err.matches("conflicts-with-used").count(), 1, "{}", done.err);
    assert!(done.err.contains("`Array`, `Structures`"), "{}", done.err);
}
