//! Messages as users see them, and the index that explains their codes.

use crate::common;

use common::{codes_are_in_the_error_index, programs_of_the_error_index_are_what_it_says};
use expect_test::{Expect, expect};
use frit_front::l0;
use frit_support::{SourceMap, diagnostic::render, with_deep_stack};

fn shows(text: &str, expected: Expect) {
    let mut map = SourceMap::new();
    let file = map.add("program.l0", text);
    let errors = with_deep_stack(|| l0::load(&mut map, file).err()).unwrap_or_default();
    expected.assert_eq(&render(&map, &errors, false));
}

#[test]
fn an_unknown_name_comes_with_a_suggestion() {
    shows(
        "fun int main(int price) =\n  let x = prise + 1 in\n  x\n",
        expect![[r#"
        error[unknown-variable]: there is no variable `prise` here
          ┌─ program.l0:2:11
          │
        2 │   let x = prise + 1 in
          │           ^^^^^ not bound in this scope
          │
          = did you mean `price`?

    "#]],
    );
}

#[test]
fn a_use_after_consumption_shows_both_places() {
    shows(
        "fun int main(*[int] a) =\n  let b = a in\n  let a[0] = 1 in\n  b[0]\n",
        expect![[r#"
        error[use-after-consumption]: `b` may share memory with `a`, which was consumed
          ┌─ program.l0:4:3
          │
        3 │   let a[0] = 1 in
          │       - consumed here
        4 │   b[0]
          │   ^^^^ used here
          │
          = an update reuses the memory of its source: use the value before, or consume a copy, `copy(...)`

    "#]],
    );
}

#[test]
fn a_missing_conversion_is_named() {
    shows(
        "fun real main(int n) = 2.0 * n\n",
        expect![[r#"
        error[operand-types-differ]: the operands of `*` are of different types
          ┌─ program.l0:1:28
          │
        1 │ fun real main(int n) = 2.0 * n
          │                        --- ^ - this is an `int`
          │                        │   │  
          │                        │   needs two operands of one type
          │                        this is a `real`
          │
          = nothing is converted by itself: `toReal(i)` makes a real, `trunc(r)` an int

    "#]],
    );
}

#[test]
fn a_missing_in_shows_its_binding() {
    shows(
        "fun int main() =\n  let x = 1\n  let y = 2 in\n  x + y\n",
        expect![[r#"
        error[missing-in]: found the keyword `let` where `in` should follow
          ┌─ program.l0:3:3
          │
        2 │   let x = 1
          │   --------- this binding needs `in` and an expression that uses it
        3 │   let y = 2 in
          │   ^^^ expected `in`

    "#]],
    );
}

#[test]
fn a_function_that_does_not_fit_says_what_is_passed() {
    shows(
        "fun int add(int x, int y) = x + y\nfun [int] main([int] a) = map(add, a)\n",
        expect![[r#"
        error[function-arity]: the function does not fit `map`, which passes (int)
          ┌─ program.l0:2:31
          │
        1 │ fun int add(int x, int y) = x + y
          │         --- defined here
        2 │ fun [int] main([int] a) = map(add, a)
          │                               ^^^ this still takes 2 arguments

    "#]],
    );
}

#[test]
fn a_loop_that_consumes_a_free_variable_says_how_to_mend_it() {
    shows(
        "fun int main(int n) =\n  let a = iota(n) in\n  loop (s = 0) = for i < n do\n    let a[i] = s in s + 1\n  in s\n",
        expect![[r#"
            error[consumes-free-variable]: a loop's body consumes `a`, which is bound outside
              ┌─ program.l0:4:9
              │
            2 │   let a = iota(n) in
              │       - bound here
            3 │   loop (s = 0) = for i < n do
            4 │     let a[i] = s in s + 1
              │         ^ consumed here
              │
              = make it a loop variable, as in `loop (a) = for ...`

        "#]],
    );
}

/// The notes on the mistakes in `fun int main(int k) = EXPRESSION`.
fn notes(expression: &str) -> Vec<String> {
    let mut map = SourceMap::new();
    let file = map.add("program.l0", format!("fun int main(int k) = {expression}"));
    let errors = with_deep_stack(|| l0::load(&mut map, file).err()).unwrap_or_default();
    errors.into_iter().flat_map(|error| error.notes).collect()
}

#[test]
fn what_other_languages_write_gets_a_message_with_the_way_of_l0() {
    for (expression, said) in [
        ("sum(range(3))", "`iota(n)`"),
        ("len([1])", "`size(0, a)`"),
        ("append([1], 2)", "`concat(a, [x])`"),
        ("k # a comment", "begins with `//`"),
        ("map(\\x -> x, [1])", "`fn int (int x) => x + 1`"),
        ("[1.0] * 2.0", "`map(op * (x), a)`"),
        ("2.0 - [1.0]", "`map(op - (x), a)`"),
        ("[1.0] - 2.0", "`map(fn real (real e) => e - x, a)`"),
        ("[1] < 2", "`map(fn bool (int e) => e < x, a)`"),
        ("[1] + [2]", "`map(op +, zip(a, b))`"),
        ("[[1]] + 2", "over the rows"),
        ("sqrt([1.0])", "`map(sqrt, a)`"),
        ("true", "`True`"),
        ("meen([1])", "did you mean `mean`?"),
        ("sum(\"abc\")", "`sum([int])`"),
    ] {
        let notes = notes(expression);
        assert!(notes.iter().any(|note| note.contains(said)), "{expression}: {notes:?}");
    }
    for (program, said) in [
        ("while x < 10 do x", "`loop (x = 1) = while x < 10 do 2 * x in x`"),
        ("for i < 10 do i", "`loop (x = 0) = for i < n do x + i in x`"),
    ] {
        let mut map = SourceMap::new();
        let file = map.add("program.l0", format!("fun int main(int x) = {program}"));
        let errors = with_deep_stack(|| l0::load(&mut map, file).err()).unwrap_or_default();
        assert!(render(&map, &errors, false).contains(said), "{}", render(&map, &errors, false));
    }
    // A name that is too far from all others gets no suggestion.
    assert_eq!(notes("xyzzy(1)"), Vec::<String>::new());
}

#[test]
fn every_code_is_in_the_error_index() {
    codes_are_in_the_error_index("src/l0/error.rs", 60);
}

#[test]
fn the_programs_of_the_error_index_are_what_it_says() {
    programs_of_the_error_index_are_what_it_says("## L0: mistakes found before the program runs", "l0", |map, file| {
        l0::load(map, file).err().unwrap_or_default()
    });
}
