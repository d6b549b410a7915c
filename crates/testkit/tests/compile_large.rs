//! The work of compiling grows with the length and the depth of programs, and not with its square. `benches/compile.sh` tells
//! the times.

use frit_driver::{Options, build, load_entry, load_l0};
use frit_support::allocated::{allocated, assert_growth};
use frit_testkit::large_programs::{SHAPES, Shape, shape};
use frit_testkit::place::Scratch;

/// The numbers of lines or levels of the shorter programs and of the longer ones.
const LENGTHS: [usize; 2] = [250, 1_000];
/// The same for programs of which the planner takes all loops into account up to some hundred lines.
const LONG: [usize; 2] = [500, 2_000];
/// The same for programs of which a line takes as much work as ten of others.
const FEW: [usize; 2] = [50, 200];
/// How much more may be allocated for the longer programs: four times is linear, sixteen times quadratic.
const GROWTH: f64 = 8.0;

/// The bytes that are allocated while a program is compiled to C; it is in SAC if there is an entry.
fn work(name: &str, program: &str, entry: Option<&str>) -> u64 {
    let folder = Scratch::new("large");
    let ((), work) = allocated(|| {
        let unit = match entry {
            None => load_l0(name, program),
            Some(entry) => {
                let file = folder.join("large.sac");
                std::fs::write(&file, program).unwrap();
                load_entry(&file, entry)
            }
        };
        let unit = unit.unwrap_or_else(|error| panic!("{name}: {error}"));
        build(&unit, &folder.join("large.c"), &Options::default()).unwrap();
    });
    work
}

#[test]
fn work_grows_with_the_length() {
    for Shape { name, entry, .. } in SHAPES {
        let lengths = match *name {
            "generators" => FEW,
            "wide" | "rows" => LONG,
            _ => LENGTHS,
        };
        assert_growth(name, lengths, GROWTH, |lines| work(name, &shape(name).unwrap().program(lines), *entry));
    }
}

/// A program with an expression nested this deep.
fn deep(depth: usize, open: &str, core: &str, close: &str) -> String {
    format!(
        "fun int main(int a) = {}{core}{}
",
        open.repeat(depth),
        close.repeat(depth)
    )
}

#[test]
fn work_grows_with_the_depth() {
    let nests = [
        ("parentheses", "(", "a", ")"),
        ("operators", "(a + ", "0", ")"),
        ("conditions", "if 0 < a then ", "1", " else a"),
    ];
    for (name, open, core, close) in nests {
        assert_growth(name, LENGTHS, GROWTH, |depth| work(name, &deep(depth, open, core, close), None));
    }
}

#[test]
fn work_to_find_mistakes_grows_with_the_depth() {
    type Source = fn(usize) -> String;
    let mistakes: [(&str, Source); 4] = [
        ("open parentheses", |depth| deep(depth, "(", "a", "")),
        ("an unknown name", |depth| deep(depth, "(1 + ", "b", ")")),
        ("a wrong type", |depth| deep(depth, "if 0 < a then ", "True", " else a")),
        ("a deep type", |depth| {
            format!(
                "fun int main({}int{} a) = 1.0
",
                "[".repeat(depth),
                "]".repeat(depth)
            )
        }),
    ];
    for (name, source) in mistakes {
        assert_growth(name, LENGTHS, GROWTH, |depth| {
            let source = source(depth);
            allocated(|| load_l0(name, &source).map(drop).expect_err("the program is wrong")).1
        });
    }
}
