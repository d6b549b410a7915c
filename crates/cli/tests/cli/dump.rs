//! `frit dump`: every step is shown, and the array IR it prints is a program again.

use crate::cli::place::{Place, examples, project};

/// The names that `frit dump --steps` lists.
fn steps(place: &Place) -> Vec<String> {
    let done = place.frit(["dump", "--steps"]).done().succeeded();
    done.text().lines().map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
}

#[test]
fn steps_are_listed() {
    let place = Place::new();
    let steps = steps(&place);
    assert_eq!(steps.first().map(String::as_str), Some("front"));
    let at =
        |name: &str| steps.iter().position(|step| step == name).unwrap_or_else(|| panic!("there is no step {name}"));
    assert_eq!(steps[at("fuse")..at("lower")], ["fuse", "index-sets", "in-place", "schedule"]);
    let on_loops = [
        "lower",
        "interchange",
        "vectorisation",
        "windows",
        "temporal-blocking",
        "unroll-and-jam",
        "nontemporal-stores",
        "c",
    ];
    assert!(on_loops.map(at).is_sorted(), "{steps:?}");
    assert_eq!(steps.last().map(String::as_str), Some("c"));
    let manual = std::fs::read_to_string(project().join("docs/manual.md")).unwrap();
    if !manual.contains("STEPS_TABLE") {
        for step in &steps {
            assert!(manual.contains(&format!("| `{step}` |")), "the manual does not say what `{step}` does");
        }
    }
}

#[test]
fn a_program_is_shown_after_every_step() {
    let place = Place::new();
    let source = project().join("examples/kmeans.l0");
    let dump = |step: &str| {
        place.frit(["dump".as_ref(), source.as_os_str(), "--after".as_ref(), step.as_ref()]).done().succeeded().text()
    };
    let steps = steps(&place);
    let lower = steps.iter().position(|step| step == "lower").expect("lowering is a step");
    for (at, step) in steps.iter().enumerate() {
        let text = dump(step);
        assert!(text.len() > 1000, "{step}: {text}");
        assert_eq!(text, dump(step), "{step} is shown in two ways");
        match step.as_str() {
            "c" => assert!(text.contains("#include")),
            _ if at >= lower => assert!(text.contains("alloc "), "{step}: {text}"),
            _ => assert!(text.contains("func @main") && text.contains("with "), "{step}: {text}"),
        }
    }
    let fused = place.frit(["dump".as_ref(), source.as_os_str()]).done().succeeded().text();
    assert_eq!(fused, dump("fuse"), "`fuse` is the step shown by default");
}

#[test]
fn an_unknown_step_is_wrong_use() {
    let place = Place::with_program("fun int main() = 1\n");
    place.frit(["dump", "p.l0", "--after", "magic"]).fails(2, &["error[usage]", "`magic`", "front, "]);
    place.frit(["dump", "p.l0", "--after", "c", "--l0"]).fails(2, &["error[usage]", "--l0"]);
    place.frit(["dump", "p.l0", "--after", "lower", "--sac"]).fails(2, &["error[usage]", "--sac"]);
}

#[test]
fn steps_are_left_out() {
    let place = Place::with_program("fun real main([real] a) = reduce(op +, 0.0, map(fn real (real x) => x * x, a))\n");
    let c = |words: &[&str]| place.frit(["dump", "p.l0", "--after", "c"].iter().chain(words)).done().succeeded().text();
    assert!(c(&[]).contains("#pragma omp simd"));
    assert!(!c(&["--without", "vectorisation"]).contains("#pragma omp simd"));
    assert_ne!(c(&["--without", "multi-accumulator"]), c(&[]));
    assert_eq!(c(&["--without", "fuse", "--without", "windows"]), c(&["--no-fuse"]));
    let left_out =
        place.frit(["dump", "p.l0", "--without", "normalise", "--without", "fold"]).done().succeeded().text();
    assert!(left_out.contains("func @main"), "{left_out}");
    place.frit(["run", "p.l0", "[1.0, 2.0]", "--without", "vectorisation"]).prints("5.0\n");
}

#[test]
fn steps_that_are_not_there_cannot_be_left_out() {
    let place = Place::with_program("fun real main([real] a) = reduce(op +, 0.0, map(fn real (real x) => x * x, a))\n");
    let dump = |words: &[&str]| place.frit(["dump", "p.l0"].iter().chain(words));
    dump(&["--without", "magic"]).fails(2, &["error[usage]", "`magic`", "inline, ", "temporal-blocking"]);
    for step in ["front", "simplify", "lower", "c"] {
        dump(&["--without", step]).fails(2, &["error[usage]", step, "there is no program without"]);
    }
    dump(&["--after", "lower", "--without", "vectorisation"]).fails(2, &["has no effect", "it comes later"]);
    dump(&["--after", "vectorisation", "--without", "vectorisation"]).fails(2, &["`vectorisation` is left out"]);
    dump(&["--after", "c", "--no-fuse", "--without", "windows"]).fails(2, &["has no effect", "no loops are merged"]);
    dump(&["--after", "c", "--no-windows", "--without", "windows"]).fails(2, &["has no effect", "no windows"]);
    let run = |words: &[&str]| place.frit(["run", "p.l0", "[1.0]"].iter().chain(words));
    run(&["-O0", "--without", "vectorisation"]).fails(2, &["has no effect", "-O0"]);
    run(&["-O0", "--threads=2"]).fails(2, &["error[usage]", "`--threads` has no effect"]);
    run(&["--engine=interpreter", "--without", "blocking"]).fails(2, &["has no effect", "interpreter"]);
}

#[test]
fn what_is_merged_can_be_chosen_where_it_matters() {
    let place = Place::with_program("fun real main([real] a) = reduce(op +, 0.0, map(fn real (real x) => x * x, a))\n");
    let dump = |words: &[&str]| place.frit(["dump", "p.l0", "--after"].iter().chain(words));
    let text = |words: &[&str]| dump(words).done().succeeded().text();
    assert_eq!(text(&["fuse", "--no-fuse"]), text(&["simplify"]));
    assert_eq!(text(&["fuse", "--fusion-limit", "0"]), text(&["simplify"]));
    assert_eq!(text(&["c", "--fusion-limit", "1000"]), text(&["c"]));
    for option in ["--no-fuse", "--fusion-limit=3"] {
        dump(&["simplify", option]).fails(2, &["error[usage]", "`simplify`"]);
    }
    dump(&["fuse", "--no-fuse", "--fusion-limit=3"]).fails(2, &["cannot be used with"]);
}

#[test]
fn users_of_l0_see_its_names() {
    let place = Place::with_program(
        "fun real main([real] a) = reduce(op +, 0.0, map(fn real (real x) => x * 2.0, filter(op <(0.0), a)))\n",
    );
    let text = place.frit(["dump", "p.l0", "--after", "front", "--l0"]).done().succeeded().text();
    for name in ["mapT", "reduceT", "filterT"] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    let sac = place.frit(["dump", "p.l0", "--sac"]).done().succeeded().text();
    for words in ["double main(double[n] a)", "fold(+, 0.0)", "with {", ". <= [i] <= ."] {
        assert!(sac.contains(words), "{words} is not in\n{sac}");
    }
    let plain = place.frit(["dump", "p.l0", "--after", "front"]).done().succeeded().text();
    assert!(!plain.contains("mapT"), "{plain}");
}

#[test]
fn dumped_array_ir_is_a_program_with_the_same_result() {
    let place = Place::new();
    // The IR has arrays instead of arrays of tuples, so a parameter of the source may be several of its dump.
    let examples = examples().into_iter().filter(|(name, ..)| {
        ["p1", "p2", "histogram", "thomas", "lu", "mandelbrot", "compaction"].contains(&name.as_str())
    });
    for (name, path, input) in examples {
        let run = |file: &std::ffi::OsStr| {
            let words = ["run".as_ref(), file, "--strict-fp".as_ref(), "--engine=interpreter".as_ref()];
            place.frit(words).input(&input).done().succeeded().text()
        };
        let expected = run(path.as_os_str());
        for step in ["front", "simplify", "fuse"] {
            let words = ["dump".as_ref(), path.as_os_str(), "--strict-fp".as_ref(), "--after".as_ref(), step.as_ref()];
            let file = format!("{name}_{step}.ir");
            place.file(&file, place.frit(words).done().succeeded().out);
            place.frit(["check", &file]).prints("");
            assert_eq!(run(file.as_ref()), expected, "{file}");
            let dumped = place.frit(["dump", &file, "--after", "front"]).done().succeeded();
            assert_eq!(dumped.out, place.read(&file), "{file} is dumped as something else");
        }
    }
}

/// The C type that the truth value which a vector loop folds is declared with.
fn type_of_folded_truth(source: &str) -> String {
    let place = Place::with_program(source);
    let text = place.frit(["dump", "p.l0", "--after", "c"]).done().succeeded().text();
    let clause = text.split("simd reduction(").nth(1).unwrap_or_else(|| panic!("no vector loop folds in\n{text}"));
    let name = clause.split([':', ')']).nth(1).expect("a clause names its variable");
    let declaration = text.lines().find(|line| line.contains(&format!(" {name} = ")));
    declaration.and_then(|line| line.split_whitespace().next()).expect("the variable is declared").to_string()
}

#[test]
fn folded_truth_values_are_as_wide_as_what_is_compared() {
    let any = "fun bool main([real] a) = reduce(op ||, False, map(fn bool (real x) => 1.0 < x, a))\n";
    let all = "fun bool main([int] a) = reduce(op &&, True, map(fn bool (int x) => x < 9, a))\n";
    for source in [any, all] {
        assert_eq!(type_of_folded_truth(source), "int64_t", "{source}");
    }
    assert_eq!(type_of_folded_truth("fun bool main([bool] a) = reduce(op ||, False, a)\n"), "bool");
    let place = Place::with_program(all);
    place.run(&["[1, 2, 8]"]).prints("True\n");
    place.run(&["[1, 9, 8]"]).prints("False\n");
    place.run(&["empty(int)"]).prints("True\n");
}
