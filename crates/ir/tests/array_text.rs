//! The text form of the array IR: what is printed is read back, and nothing that is read makes the parser fail but by an error.

use frit_generate::{Favour, case};
use frit_ir::array::Program;
use frit_ir::array::parse::parse_program;
use frit_ir::array::print;
use frit_ir::array::verify::verify;
use frit_support::{random, with_deep_stack};
use proptest::prelude::*;

/// Every construct of the text form, as the printer writes it.
const CORPUS: [(&str, &str); 3] = [
    ("operations", include_str!("corpus/operations.ir")),
    ("control", include_str!("corpus/control.ir")),
    ("with_loops", include_str!("corpus/with_loops.ir")),
];

#[test]
fn what_is_parsed_prints_the_same() {
    for (name, text) in CORPUS {
        let program = parse_program(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(program.to_string(), text, "{name}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let message = |text: &str| parse_program(text).expect_err(text).to_string();
    assert_eq!(message("func @f() -> () {\n  %0: i64 = frob 1\n  return\n}"), "2:13: there is no operation `frob`");
    assert_eq!(message("func @f() -> (i64) { return %3 }"), "1:29: nothing defines %3");
    assert_eq!(message("func @f(%0: i64, %0: i64) -> () { return }"), "1:18: %0 is defined twice");
    assert_eq!(message("func @f() -> () { call @g()\nreturn }"), "1:24: there is no function with this name");
    assert_eq!(message("func @f() -> () { return"), "1:25: a value or a constant is needed here, but the text ends");
    assert_eq!(
        message("func @f() -> () { %0: i8 = add 300i8, 1i8\nreturn }"),
        "1:32: a constant of type i8 is needed here, not `300i8`"
    );
    assert_eq!(
        message("func @f(%99999999: i64) -> () { return }"),
        "1:9: the number of a name is at most 4194303, without leading zeros"
    );
    assert_eq!(message("func @f() -> () { w0: add 1, 2\nreturn }"), "1:23: only a with-loop has a label");
    assert_eq!(message("func @f() -> () { return } \"x"), "1:28: the closing quote is missing");
}

#[test]
fn nests_of_any_depth_go_through() {
    const DEPTH: usize = 10_000;
    with_deep_stack(|| {
        let mut text = String::from("func @deep(%0: bool) -> (i64) {\n");
        for level in 1..=DEPTH {
            text.push_str(&format!("%{level}: i64 = if %0 {{\n"));
        }
        text.push_str("yield 1\n");
        for level in (1..=DEPTH).rev() {
            text.push_str(&format!("}} else {{ yield 2 }}\n{} %{level} ", if level == 1 { "return" } else { "yield" }));
        }
        text.push('}');
        let program = parse_program(&text).expect("it is well formed");
        verify(&program).expect("it is well typed");
        let printed = program.to_string();
        assert_eq!(parse_program(&printed).expect("it was printed").to_string(), printed);
    });
}

/// Parses, verifies, prints and parses again.
fn goes_through(text: &str) {
    with_deep_stack(|| {
        let program = parse_program(text).expect("it is well formed");
        verify(&program).expect("it is well typed");
        let printed = program.to_string();
        assert_eq!(parse_program(&printed).expect("it was printed").to_string(), printed);
        assert!(print::l0_program(&program).contains("func @long"));
    });
}

#[test]
fn nests_of_with_loops_of_any_depth_go_through() {
    const DEPTH: usize = 10_000;
    let mut text = String::from("func @long(%0: i64) -> (f64) {\n");
    let index = |level: usize| DEPTH + level;
    for level in 1..=DEPTH {
        text.push_str(&format!("%{level}: f64 = w{level}: with (%{}) in [%0] {{ [0] <= iv < [%0] {{\n", index(level)));
    }
    text.push_str("yield 1.0 }\n");
    for level in (1..=DEPTH).rev() {
        let (acc, cell) = (2 * DEPTH + 2 * level, 2 * DEPTH + 2 * level + 1);
        text.push_str(&format!("}} : fold (0.0) by (%{acc}: f64, %{cell}: f64) {{ yield %{cell} }}\n"));
        text.push_str(&if level == 1 { "return %1 }".to_owned() } else { format!("yield %{level} }}") });
    }
    goes_through(&text);
}

#[test]
fn chains_of_updates_and_branches_of_any_length_go_through() {
    const LENGTH: usize = 10_000;
    let mut text = String::from("func @long(%0: bool) -> (*f64[8]) {\n%1: f64[8] = replicate 8, 0.0\n");
    for at in 1..LENGTH {
        let (array, branch, other, next) = (4 * at - 3, 4 * at - 1, 4 * at, 4 * at + 1);
        text.push_str(&format!("%{other}: f64[8] = update consumes %{array}[1] = 1.0\n"));
        text.push_str(&format!("%{next}: f64[8] = if %0 {{ %{branch}: f64[8] = update consumes %{other}[2] = 2.0\n"));
        text.push_str(&format!("yield %{branch} }} else {{ yield %{other} }}\n"));
    }
    text.push_str(&format!("return %{} }}", 4 * LENGTH - 3));
    goes_through(&text);
}

/// A generated program whose functions have names that need quotes, among others.
fn generated(seed: u64) -> Program {
    let favours = [Favour::REDUNDANCY, Favour::CHAINS, Favour::NESTS, Favour::STORAGE];
    let (mut program, _) = case(favours[(seed % 4) as usize], seed);
    let mut names = ["main", "f.1", "two words", ""].iter().cycle().skip((seed % 7) as usize);
    program.funcs.iter_mut().for_each(|(_, func)| func.name = names.next().expect("names without end").to_string());
    program
}

#[test]
fn the_program_generator_reaches_every_construct_that_it_knows() {
    let texts: String = (0..200).map(|seed| generated(seed).to_string()).collect();
    for construct in [
        "if ",
        "for ",
        "while ",
        "genarray",
        "modarray",
        "fold (",
        "fold commutative",
        "scan",
        "guarded filter",
        "uniform",
        "step [3] width [2]",
        "slice(",
        "reshape",
        "permute",
        "assert",
        "<%",
        "nan",
        "-inf",
        "\\u{d800}",
        "update consumes",
        "@\"two words\"",
        "copy",
        "select",
    ] {
        assert!(texts.contains(construct), "no generated program has `{construct}`");
    }
}

#[test]
fn too_deep_a_nest_is_an_error() {
    with_deep_stack(|| {
        let text = format!("func @deep() -> () {{ {}", "if true {".repeat(200_000));
        assert!(parse_program(&text).expect_err("it is too deep").message.contains("too deeply"));
    });
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(512)))]

    #[test]
    fn generated_programs_are_well_formed_and_round_trip(seed in any::<u64>()) {
        let program = generated(seed);
        let text = program.to_string();
        if let Err(error) = verify(&program) {
            panic!("{error}\n{text}");
        }
        let parsed = parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(parsed.to_string(), text);
        if let Err(error) = verify(&parsed) {
            panic!("{error}\n{parsed}");
        }
        print::l0_program(&program);
    }

    #[test]
    fn mutated_text_never_panics(
        which in 0..CORPUS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..6, any::<char>()), 1..6),
    ) {
        let mut text: Vec<char> = CORPUS[which].1.chars().collect();
        for (at, other, kind, c) in edits {
            let (at, other) = (at.index(text.len()), other.index(text.len()));
            match kind {
                0 => text[at] = c,
                1 => text.insert(at, c),
                2 => {
                    text.remove(at);
                }
                3 => text[at] = text[other],
                4 => text.insert(at, text[other]),
                _ => text.swap(at, other),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse_program(&text) {
            // What the parser accepts, printer and verifier can handle.
            let printed = program.to_string();
            prop_assert_eq!(parse_program(&printed).expect("it was printed").to_string(), printed);
            print::l0_program(&program);
            let _ = verify(&program);
        }
    }

    #[test]
    fn tokens_in_any_order_never_panic(words in prop::collection::vec(0usize..24, 0..40)) {
        const WORDS: [&str; 24] = [
            "%0", "%1", ":", "i64", "f64[%0]", "=", "add", "if", "{", "}", "yield", "w0:", "with", "(", ")", "[0]",
            "<=", "iv", "<", "genarray", "1", "-", ",", "\"a\"",
        ];
        let body: Vec<&str> = words.into_iter().map(|at| WORDS[at]).collect();
        let text = format!("func @f(%0: i64) -> () {{ {} return }}", body.join(" "));
        if let Ok(program) = parse_program(&text) {
            let _ = verify(&program);
        }
    }
}
