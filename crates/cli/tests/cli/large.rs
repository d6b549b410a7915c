//! Large programs and deep ones: the stack does not run out. That work grows with the length alone is
//! tested by `large` of `frit-testkit`.

use crate::cli::place::Place;

#[track_caller]
fn check_and_run(source: &str, argument: &str, expected: &str) {
    let place = Place::with_program(source);
    place.frit(["check", "p.l0"]).prints("");
    for words in [&["--engine", "interpreter"], &["--engine", "native"]] {
        place.run(&[&[argument], words.as_slice()].concat()).prints(&format!("{expected}\n"));
    }
}

#[test]
fn parentheses_ten_thousand_deep() {
    let n = 10_000;
    check_and_run(&format!("fun int main(int a) = {}a{}\n", "(".repeat(n), ")".repeat(n)), "5", "5");
}

#[test]
fn operators_ten_thousand_deep() {
    let n = 10_000;
    let source = format!("fun int main(int a) = {}0{}\n", "(a + ".repeat(n), ")".repeat(n));
    check_and_run(&source, "5", "50000");
}

#[test]
fn conditions_ten_thousand_deep() {
    let n = 10_000;
    let source = format!("fun int main(int a) = {}1{}\n", "if 0 < a then ".repeat(n), " else a".repeat(n));
    check_and_run(&source, "5", "1");
}

#[test]
fn a_let_chain_of_ten_thousand_lines() {
    let mut source = "fun int main(int x0) =\n".to_string();
    for i in 1..=10_000 {
        source += &format!("  let x{i} = x{} * {i} + 1 in\n", i - 1);
    }
    source += "  x10000\n";
    let expected = (1..=10_000i64).fold(3i64, |x, i| x.wrapping_mul(i).wrapping_add(1));
    check_and_run(&source, "3", &expected.to_string());
}

#[test]
fn a_program_of_ten_thousand_lines_in_a_thousand_functions() {
    let mut source = String::new();
    for i in 0..1000 {
        let previous = if i == 0 { "a".to_string() } else { format!("f{}(n, a)", i - 1) };
        source += &format!(
            "fun [int] f{i}(int n, [int] a) =\n  \
               let previous =\n    \
                 {previous} in\n  \
               if n = {i}\n  \
               then map(fn int (int x) =>\n             \
                 (x + {i})\n             \
                 % 1000,\n           \
                 previous)\n  \
               else previous\n"
        );
    }
    source += "fun int main(int n) = reduce(op +, 0, f999(n, iota(10)))\n";
    assert!(source.lines().count() > 10_000 - 1000);
    check_and_run(&source, "7", "115");
}

#[test]
fn mistakes_in_a_deep_program_are_messages() {
    let n = 10_000;
    for source in [
        format!("fun int main(int a) = {}a\n", "(".repeat(n)),
        format!("fun int main(int a) = {}b{}\n", "(1 + ".repeat(n), ")".repeat(n)),
        format!("fun int main(int a) = {}True{}\n", "if 0 < a then ".repeat(n), " else a".repeat(n)),
        format!("fun int main({}int{} a) = 1.0\n", "[".repeat(n), "]".repeat(n)),
    ] {
        let place = Place::with_program(&source);
        let done = place.frit(["check", "p.l0"]).fails(3, &["error["]);
        assert!(done.err.len() < 1 << 20, "{} bytes of messages", done.err.len());
    }
}

#[test]
fn deep_input_is_read_or_refused() {
    let n = 100_000;
    let place = Place::with_program("fun int main([[int]] a) = size(0, a)\n");
    let deep = format!("{}1{}", "[".repeat(n), "]".repeat(n));
    place.run(&["--engine", "interpreter"]).input(&deep).fails(1, &["error[bad-input]"]);
    let many = format!("[{}[1]]", "[1], ".repeat(n));
    place.run(&["--engine", "interpreter"]).input(&many).prints(&format!("{}\n", n + 1));
}
