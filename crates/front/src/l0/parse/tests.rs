//! Trees and recovery. Messages as users see them are tested on whole files.

use super::*;
use crate::l0::ast::{Expr, ExprKind};
use frit_support::{Index, with_deep_stack};

fn parse_text(text: &str) -> (Program, Vec<&'static str>) {
    let (program, errors) = parse(FileId::new(0), text);
    (program, errors.iter().map(|error| error.code()).collect())
}

/// The expression with all grouping shown.
fn shown(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(shown).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Var(name) => name.clone(),
        ExprKind::Binary { op, left, right, .. } => format!("({} {} {})", shown(left), op.text(), shown(right)),
        ExprKind::Unary { op, operand } => format!("({op:?} {})", shown(operand)),
        ExprKind::If { condition, on_true, on_false } => {
            format!("(if {} then {} else {})", shown(condition), shown(on_true), shown(on_false))
        }
        ExprKind::Call { function, arguments } => format!("{}({})", function.text, list(arguments)),
        ExprKind::Let { bindings, body } => format!("(let*{} {})", bindings.len(), shown(body)),
        other => format!("{other:?}"),
    }
}

fn shows(text: &str, expected: &str) {
    let (program, errors) = parse_text(&format!("fun int main() = {text}"));
    assert!(errors.is_empty(), "{text}: {errors:?}");
    assert_eq!(shown(&program.functions[0].body), expected);
}

#[test]
fn operators_bind_as_the_table_says() {
    shows("-a * b", "(Negate (a * b))");
    shows("-x pow 2", "(Negate (x pow 2))");
    shows("-7 / 2", "(Negate (7 / 2))");
    shows("-a + b", "((Negate a) + b)");
    shows("3 + -9 / 3", "(3 + (Negate (9 / 3)))");
    shows("a * -b * c", "(a * (Negate (b * c)))");
    shows("n & m = m", "(n & (m = m))");
    shows("not x = y", "((Not x) = y)");
    shows("2 pow 3 pow 2", "((2 pow 3) pow 2)");
    shows("a < b < c", "((a < b) < c)");
    shows("a || b && c | d ^ e & f", "(a || (b && (((c | d) ^ e) & f)))");
    shows("1 << 2 + 3 * 4", "(1 << (2 + (3 * 4)))");
    shows("a - b - c", "((a - b) - c)");
    shows("2 - if c then 1 else 0", "(2 - (if c then 1 else 0))");
    shows("if c then a else b + 1", "(if c then a else (b + 1))");
    shows("(let y = 2 in y) + 1", "((let*1 y) + 1)");
    shows("~x + 1", "((Negate x) + 1)");
    shows("f(x, -1)", "f(x, (Negate 1))");
}

#[test]
fn spans_leave_out_the_parentheses_around_the_whole() {
    let (program, _) = parse_text("fun int main() = ((a + b)) * (c)");
    let body = &program.functions[0].body;
    assert_eq!((body.span.start, body.span.end), (17, 32));
    let ExprKind::Binary { left, .. } = &body.kind else { panic!("a product") };
    assert_eq!((left.span.start, left.span.end), (19, 24));
}

#[test]
fn every_construct_is_read() {
    let (program, errors) = parse_text(
        r#"
        fun {*[int], [[real]],} main(*[{int, {bool,}}] a, [char] s, cert c) =
          let {x, {_, y,}} = f() in
          let <c> a[<c, c>|0, 1] = {1, {True}} in
          let a[] = a in
          let b = a with [1] <- e in
          let <> b = b with [<c>|1] <- -e in
          loop ({x, y}) = for i < size(0, a) | 1 do let x = x + i in {x, y} in
          loop (_ = 0) = for i < n do 0 in
          let t = transpose(1, -1, a) in let t = <c> transpose(a) in
          let r = rearrange((2,0,1), r) in let r = reshape((n, m * 2), r) in
          let {p, q} = <c> split(n, concat(a, b)) in
          let z = unzip(zip(a, b, c)) in
          let c = conjoin() in let c = conjoin(c, assert(True)) in
          let e = empty([{int}]) in let e = [[1, 2], "ab", iota(2)] in
          let k = copy(replicate(2, 'x')) in
          let m = map(fn int (int x, int y) => x, map(op +(1), map(f, map(f(), map(f(1), map(op ~, a)))))) in
          let m = reduce(op pow, 1, scan(op <=, 1, filter(op not, redomap(f, g, 0, a)))) in
          let m = <c> mapT(fn {int} (int x) => {x}, a, b) in
          let m = reduceT(fn {int} (int x, int y) => {x}, {0}, a) in
          let m = scanT(fn {int} (int x, int y) => {x}, {0, 1}, a, b) in
          let m = redomapT(fn {int} (int x, int y) => {x}, fn {int} (int x, int y) => {x}, {}, a) in
          let m = filterT(fn {bool} (int x) => {True}, a) in
          {Checked, {}, pi(), main(1), trace(a[1]), 9223372036854775807, -9223372036854775808}
        fun int map2() = 0"#,
    );
    assert_eq!(errors, [""; 0]);
    assert_eq!(program.functions.len(), 2);
    assert!(program.is_intact && program.functions[0].is_intact);
}

fn codes(text: &str, expected: &[&str]) {
    let (_, errors) = parse_text(text);
    assert_eq!(errors, expected, "{text}");
}

#[test]
fn recovery_finds_independent_mistakes_and_invents_none() {
    codes(
        "fun int f() = let x = = 3 in let y = ) in let z = 1 2 in f(1, , 2) + g(]",
        &["unexpected-token", "unexpected-token", "missing-in", "unexpected-token", "unexpected-token"],
    );
    codes("fun int f() = let x = 3 let y = 4 in x + y", &["missing-in"]);
    codes("fun int f() = if a then b fun int g() = if a else c", &["unexpected-token"; 2]);
    codes("fun int f() = (1 + 2 fun int g() = [1, 2 fun int h() = {1", &["unclosed-bracket"; 3]);
    codes(
        "fun int f(x) = 1 fun f(int x) = 2 fun flt f(int x) = 1 + fun int g() = 3",
        &["unexpected-token", "unexpected-token", "unknown-type", "unexpected-token"],
    );
    codes(
        "fun int f() = a > b fun int f() = a >= b fun int f() = a == b fun int f() = a != b",
        &["no-such-operator"; 4],
    );
    codes("x fun int f() = 1 } fun int g() = 2", &["unexpected-token"; 2]);
    codes("fun int f(int x = 1 fun int g() = 2", &["unexpected-token"]);
    codes("let x = 1 in x", &["unexpected-token"]);
    codes("", &["empty-program"]);
    codes(
        "fun int f() = let x, y = t in let x = 3; in x ? y",
        &["unknown-character", "unknown-character", "unexpected-token"],
    );
}

#[test]
fn mistakes_of_the_grammar_have_names_of_their_own() {
    codes("fun int f() = []", &["empty-array-literal"]);
    codes("fun int f() = f()[0] + a[0][1][2] + (a)[0]", &["index-of-expression"; 3]);
    codes("fun *int f([*[int]] a, *{int} b) = 1", &["misplaced-star"; 3]);
    codes("fun int f() = <c> x + <c> iota(1)", &["misplaced-certificates"; 2]);
    codes("fun int f() = loop ({a,_}) = for i < n do a in a", &["wildcard-in-loop-shorthand"]);
    codes(
        "fun int size(int map) = let in = 3 in size + op",
        &["keyword-as-name", "keyword-as-name", "keyword-as-name", "keyword-as-name", "function-as-value"],
    );
    codes(
        "fun int f() = iota(1, 2) + size(a) + size(k, a) + zip(a) + map(f) + reduce(f, a) + mapT(f)",
        &[
            "wrong-argument-count",
            "wrong-argument-count",
            "constant-needed",
            "wrong-argument-count",
            "wrong-argument-count",
            "wrong-argument-count",
            "wrong-argument-count",
        ],
    );
    codes(
        "fun int f() = rearrange((a,1), b) + transpose(1, b, c) + transpose(1, b)",
        &["constant-needed", "constant-needed", "wrong-argument-count"],
    );
    codes(
        "fun int f() = map(1 + 2, a) + map(fn int () => 1, a)",
        &["unexpected-token", "anonymous-without-parameters"],
    );
    codes("fun int f() = 9223372036854775808 - 9223372036854775809", &["number-too-large"; 2]);
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("fun int main(int x) = {}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn ten_thousand_levels_of_anything_are_read() {
    with_deep_stack(|| {
        for (open, middle, close) in [
            ("(", "1", ")"),
            ("[", "1", "]"),
            ("{", "1", "}"),
            ("-", "1", ""),
            ("not ", "1", ""),
            ("if x then 1 else ", "1", ""),
            ("if ", "x", " then 1 else 2"),
            ("let y = ", "1", " in y"),
            ("let y = 1 in ", "y", ""),
            ("map(fn int (int x) => ", "1", ", a)"),
            ("f(", "1", ")"),
            ("a[", "1", "]"),
            ("1 + (", "1", ")"),
            ("", "1", " + 1"),
        ] {
            let (_, errors) = parse_text(&nested(open, middle, close, 10_000));
            assert!(errors.is_empty(), "{open}");
        }
    });
}

#[test]
fn too_deep_a_nest_is_refused() {
    with_deep_stack(|| {
        for (open, middle, close) in [("(", "1", ")"), ("", "1", "+1"), ("-", "1", "")] {
            let (_, errors) = parse_text(&nested(open, middle, close, MAX_NESTING + 10));
            assert_eq!(errors, ["nesting-too-deep"]);
        }
    });
}
