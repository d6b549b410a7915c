//! The C compiler: found, missing, broken; its objects kept; how much of it is told.

use crate::cli::place::{Done, Place};

const DOUBLE: &str = "fun [int] main([int] a) = map(op *(2), a)\n";

#[test]
fn without_a_c_compiler_the_interpreter_runs_and_says_so() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    std::fs::create_dir(place.path("empty")).unwrap();
    let bare = |words: &[&str]| place.run(words).without_env("CC").env("PATH", place.path("empty"));
    let done = bare(&["[1, 2]"]).prints("[2, 4]\n");
    for said in ["note: no C compiler found", "cc, gcc, clang", "the interpreter runs the program"] {
        assert!(done.err.contains(said), "{said} is not in\n{}", done.err);
    }
    bare(&["[1, 2]", "--engine", "native"]).fails(2, &["error[no-c-compiler]", "no C compiler found"]);
    let done = bare(&["[1, 2]", "--engine", "interpreter"]).prints("[2, 4]\n");
    assert_eq!(done.err, "", "who asks for the interpreter is told nothing");
    place.run(&["[1, 2]"]).env("CC", "/nonexistent/cc").prints("[2, 4]\n");
    let done = place.run(&["[1, 2]"]).env("CC", "no-such-command --flag").prints("[2, 4]\n");
    assert!(done.err.contains("no-such-command"), "{}", done.err);
}

#[test]
fn without_a_c_compiler_only_c_is_built() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    let build = |name: &str| place.frit(["build", "p.l0", "-o", name]).env("CC", "/nonexistent/cc");
    for name in ["p", "p.so", "p.o"] {
        build(name).fails(2, &["error[no-c-compiler]"]);
    }
    assert_eq!(place.files(), ["p.l0"]);
    build("p.c").prints("");
    place.frit(["dump", "p.l0", "--after", "c"]).env("CC", "/nonexistent/cc").done().succeeded();
    place.frit(["check", "p.l0"]).env("CC", "/nonexistent/cc").prints("");
}

#[test]
fn a_c_compiler_that_does_not_work_is_no_bug_of_frit() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    let call = |engine: &str| place.run(&["[1, 2]", "--engine", engine]).env("CC", "false");
    call("native").fails(2, &["error[no-c-compiler]", "does not work"]);
    let done = call("auto").prints("[2, 4]\n");
    assert!(done.err.contains("does not work") && done.err.contains("the interpreter runs"), "{}", done.err);
    place.frit(["build", "p.l0", "-o", "p"]).env("CC", "false").fails(2, &["error[no-c-compiler]", "does not work"]);
    assert_eq!(place.files(), ["p.l0"]);
}

#[test]
fn the_second_run_finds_its_object() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    let first = place.run(&["[1, 2]", "-v"]).prints("[2, 4]\n");
    assert!(!first.err.contains("cached") && first.err.contains("cc"), "{}", first.err);
    let second = place.run(&["[5]", "-v"]).prints("[10]\n");
    assert!(second.err.contains("cached") && second.err.contains("from the cache"), "{}", second.err);
    for other in [&["-O1"] as &[&str], &["--strict-fp", "-O1"]] {
        let done = place.run(&[&["[5]", "-v"], other].concat()).prints("[10]\n");
        assert!(!done.err.contains("cached") || other.len() > 1, "{other:?} is other code:\n{}", done.err);
    }
    // Spaces do not change a program, positions of its failures do.
    let entries = || std::fs::read_dir(place.path("cache")).unwrap().count();
    let before = entries();
    place.run(&["[6]"]).prints("[12]\n");
    assert_eq!(entries(), before);
}

#[test]
fn the_second_run_takes_no_steps() {
    let place =
        Place::with_program("fun {[int], [int]} main([int] a, int k) =\n  {map(op +(a[k]), a), a}\n").with_own_cache();
    let run = |words: &[&str]| place.run(&[words, &["-v"]].concat());
    let first = run(&["[1, 2]", "1"]).prints("{[3, 4], [1, 2]}\n");
    assert!(first.err.contains("lower") && first.err.contains("front"), "{}", first.err);
    let second = run(&["[5, 7]", "1"]).prints("{[12, 14], [5, 7]}\n");
    assert!(second.err.contains("all steps (cached)") && !second.err.contains("lower"), "{}", second.err);
    let copies = |text: &str| text.lines().filter(|line| line.contains("is copied here")).map(str::to_owned).collect();
    let (before, after): (Vec<String>, Vec<String>) = (copies(&first.err), copies(&second.err));
    assert!(before == after && !before.is_empty(), "{}", first.err);
    place.run(&["[1]", "1"]).fails(1, &["error[out-of-bounds]", "p.l0:2:"]);
    for other in [&["-O2"] as &[&str], &["--no-fuse"], &["--strict-fp"], &["--verify"]] {
        let done = run(&[&["[5, 7]", "1"], other].concat()).prints("{[12, 14], [5, 7]}\n");
        assert!(done.err.contains("lower"), "{other:?} makes another program:\n{}", done.err);
    }
    // The same program at another place fails at another place.
    place.file("p.l0", format!("\n{}", String::from_utf8(place.read("p.l0")).unwrap()));
    place.run(&["[1]", "1"]).fails(1, &["error[out-of-bounds]", "p.l0:3:"]);
}

#[test]
fn the_second_run_of_a_program_in_sac_needs_no_front_end() {
    let place = Place::new().with_own_cache();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.file("folder/k.h", "#define K 7\n");
    let source = "#include \"k.h\"\nint main() { a = [1, 2]; i = argc() - 1; printf(\"%d\\n\", a[i]); return K; }\n";
    place.file("p.sac", source);
    let run = |words: &[&str]| {
        let words = ["run", "p.sac", "-v"].iter().chain(words);
        place.frit(words).env("FRIT_SAC_PATH", place.path("folder")).done()
    };
    let takes_steps = |done: &Done| done.err.contains("  front") && done.err.contains("  lower");
    let first = run(&[]);
    assert!(first.code == Some(7) && takes_steps(&first), "{}", first.err);
    let second = run(&["word"]);
    assert!(second.code == Some(7) && second.text() == "2\n", "{}", second.err);
    assert!(!second.err.contains("  front") && second.err.contains("all steps (cached)"), "{}", second.err);
    let failed = run(&["some", "words"]);
    assert!(failed.code == Some(1) && failed.err.contains("p.sac:2:57"), "{}", failed.err);
    for other in [&["-O2"] as &[&str], &["--no-fuse"], &["--verify"]] {
        let done = run(other);
        assert!(done.code == Some(7) && takes_steps(&done), "{other:?} makes another program:\n{}", done.err);
    }
    // The included file changes; another one is found before it, first a right one, then one that makes no program.
    let codes = |header: &str, text: &str| {
        place.file(header, text);
        [run(&[]).code, run(&[]).code]
    };
    assert_eq!(codes("folder/k.h", "#define K 8\n"), [Some(8); 2]);
    assert_eq!(codes("k.h", "#define K 9\n"), [Some(9); 2]);
    assert_eq!(codes("k.h", "#define K nothing\n"), [Some(3); 2]);
    std::fs::remove_file(place.path("k.h")).unwrap();
    assert_eq!(run(&[]).code, Some(8));
}

#[test]
fn the_second_call_of_a_function_in_sac_needs_no_front_end() {
    let place = Place::new().with_own_cache();
    place.file("k.h", "#define K 1.5\n");
    let source = "#include \"k.h\"\nuse Array: all;\nstruct Point { double x; double y; };\n\
        double[*] scaled(double[*] a) { return a * K; }\n\
        double second(double[2] a, int i) { return a[i]; }\n\
        struct Point moved(struct Point p, double by) { p.x = p.x + by; return p; }\n\
        int twice(int n) { return n + n; }\ndouble twice(double x) { return x + x; }\n";
    place.file("p.sac", source);
    let call = |entry: &str, words: &[&str]| {
        let done = place.frit(["run", "p.sac", "-v", "--entry", entry].iter().chain(words)).done();
        assert_eq!(done.code, Some(0), "{}", done.err);
        (done.text(), done.err.contains("  front"))
    };
    let took = |text: &str, from_front: bool| (text.to_owned(), from_front);
    // A note of what the arguments are, and for each choice of ranks another one.
    assert_eq!(call("scaled", &["[1.0, 2.0]"]), took("[1.5,3.0]\n", true));
    assert_eq!(call("scaled", &["[4]"]), took("[6.0]\n", false));
    assert_eq!(call("scaled", &["4"]), took("6.0\n", true));
    assert_eq!(call("scaled", &["2"]), took("3.0\n", false));
    // Wrong arguments are told by the front end, and failures show their place.
    assert_eq!(call("second", &["[1, 2]", "1"]), took("2.0\n", true));
    assert_eq!(call("second", &["[3, 4]", "0"]), took("3.0\n", false));
    for (words, said) in [
        (["[1, 2, 3]", "1"], "error[bad-input]: the argument for parameter `a` is not of type double[2]"),
        (["[1, 2]", "2"], "p.sac:5:"),
        (["[1, 2]", "one"], "error[bad-input]: `one`, for parameter `i`"),
    ] {
        let done = place.frit(["run", "p.sac", "--entry", "second"].iter().chain(&words)).done();
        assert!(done.code == Some(1) && done.err.contains(said), "{said} is not in\n{}", done.err);
    }
    place.frit(["run", "p.sac", "--entry", "scaled", "2", "-o", "x.npy"]).done().succeeded();
    for (by, moved) in [("1", "{4.0, 3.0}\n"), ("2.5", "{5.5, 3.0}\n")] {
        assert_eq!(call("moved", &["x.npy", "x.npy", by]), took(moved, by == "1"));
    }
    // Arguments tell which function is meant, so that the front end must look at them.
    assert_eq!([(); 2].map(|()| call("twice", &["4.5"])), [(); 2].map(|()| took("9.0\n", true)));
    assert_eq!(call("twice(int)", &["4"]), took("8\n", true));
    assert_eq!(call("twice(int)", &["5"]), took("10\n", false));
    place.file("k.h", "#define K 2.5\n");
    assert_eq!(call("scaled", &["4"]), took("10.0\n", true));
    assert_eq!(call("scaled", &["4"]), took("10.0\n", false));
}

#[test]
fn a_lost_object_is_made_again() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    place.run(&["[1]"]).prints("[2]\n");
    for entry in std::fs::read_dir(place.path("cache")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "so") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let done = place.run(&["[1]", "-v"]).prints("[2]\n");
    assert!(!done.err.contains("cached") && done.err.contains("lower"), "{}", done.err);
}

#[test]
fn a_damaged_object_is_made_again() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    place.run(&["[1]"]).prints("[2]\n");
    for entry in std::fs::read_dir(place.path("cache")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let done = place.run(&["[1]", "-v"]).prints("[2]\n");
    assert!(!done.err.contains("cached"), "{}", done.err);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    place.file("occupied", "");
    place.run(&["[1]"]).env("FRIT_CACHE", place.path("occupied")).prints("[2]\n");
    assert_eq!(place.read("occupied"), b"");
}

#[test]
fn verbose_runs_tell_steps_and_times() {
    let place = Place::with_program(DOUBLE).with_own_cache();
    let done = place.run(&["[1]", "-v", "--threads", "3"]).prints("[2]\n");
    for said in ["native code by", "inline", "lower", "load", "the program itself, on 3 threads"] {
        assert!(done.err.contains(said), "{said} is not in\n{}", done.err);
    }
    let done = place.run(&["[1]", "-v", "--engine", "interpreter"]).prints("[2]\n");
    assert!(done.err.contains("interpreter") && !done.err.contains("lower"), "{}", done.err);
    assert_eq!(place.run(&["[1]"]).prints("[2]\n").err, "", "who does not ask is told nothing");
}

#[test]
fn every_level_and_number_of_threads_gives_the_same() {
    let place = Place::with_program(
        "fun {int, [int]} main(int n) = let a = map(fn int (int i) => i * i % 17, iota(n)) in\n  \
           {reduce(op +, 0, a), filter(op <(14), a)}\n",
    )
    .with_own_cache();
    let expected = place.run(&["1000", "--engine", "interpreter"]).done().succeeded().text();
    // As it is written, a program runs on one thread.
    place.run(&["1000", "-O0", "--verify"]).prints(&expected);
    for level in ["-O1", "-O2", "-O3"] {
        for threads in ["1", "2", "7"] {
            place.run(&["1000", level, "--threads", threads, "--verify"]).prints(&expected);
        }
    }
}

#[test]
fn results_do_not_depend_on_whether_loops_chose_threads_by_their_times() {
    let place = Place::with_program(
        "fun {real, real} main(int n, int steps) =\n  \
           loop (a = map(fn real (int i) => toReal(i % 7), iota(n))) = for k < steps do\n    \
             map(fn real (int i) => 0.3 * a[(i + n - 1) % n] + 0.6 * exp(0.0 - a[i]) + 0.1 * a[(i + 1) % n], iota(n))\n  \
           in {a[0], reduce(op +, 0.0, a)}\n",
    );
    let run = || place.run(&["30000", "300", "--threads", "2", "-O1"]).without_env("FRIT_TRIALS");
    let chosen = run().done().succeeded().text();
    assert_eq!(run().done().succeeded().text(), chosen);
    assert_eq!(run().env("FRIT_TRIALS", "0").done().succeeded().text(), chosen);
}
