//! What is accepted, what the typed tree looks like, and that size does no harm. Programs that are refused, with places,
//! are data files in `tests/front/l0/err`.

use frit_front::l0::load;
use frit_front::l0::typed::{ExprKind, Program, SoacKind, Statement};
use frit_support::{Diagnostic, Index, SourceMap, with_deep_stack};

fn loaded(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut map = SourceMap::new();
    let file = map.add("program.l0", text);
    load(&mut map, file)
}

fn checked(text: &str) -> Program {
    loaded(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

fn codes(text: &str) -> Vec<&'static str> {
    loaded(text).err().unwrap_or_default().iter().map(|error| error.code).collect()
}

const BUMP: &str = "fun *[int] bump(*[int] a, int i) = let a[i] = a[i] + 1 in a\n";

fn accepts(body: &str) {
    checked(&format!("{BUMP}{body}"));
}

#[test]
fn published_uniqueness_examples_are_accepted() {
    accepts("fun [int] twice([int] a) = bump(bump(copy(a), 0), 1)");
    accepts("fun int ends(*[int] a) = let first = a[0] in let a[0] = 7 in first + a[0]");
    accepts(
        "fun [[real]] fill(int n) =
           let m = replicate(n, replicate(n, 0.0)) in
           let b = replicate(n, 1.0) in
           loop (m) = for i < n do let m[i] = b in m in
           let s = b[0] in m",
    );
    accepts("fun [int] either(bool c, *[int] a) = if c then bump(a, 0) else bump(a, 1)");
    accepts("fun {[int],[int]} pair(int n) = let {p, q} = {iota(n), iota(n)} in let p[0] = 5 in {p, q}");
}

#[test]
fn what_is_fresh_may_be_consumed() {
    accepts("fun [int] f(int n) = let {a, b} = split(2, iota(n)) in let a[0] = 1 in concat(a, b)");
    accepts("fun [int] f([int] x) = let y = map(op +(1), x) in let y[0] = 1 in x");
    accepts("fun [int] f(*[int] x) = let y = concat(x, x) in let y[0] = 1 in x");
    accepts("fun [[int]] f(*[[int]] m) = let r = copy(m[0]) in let m[1] = r in let r[0] = 1 in m");
    accepts("fun *[int] f(int n) = scan(op +, 0, iota(n))");
    accepts("fun {*[int], *[int]} f(int n) = unzip(map(fn {int,int} (int x) => {x, x}, iota(n)))");
    accepts("fun [int] f(bool c, *[int] a) = let r = if c then bump(a, 0) else a in let r[0] = 1 in r");
    accepts("fun *[int] f() = empty(int)");
    accepts("fun [[int]] f(*[[int]] m) = map(fn *[int] (*[int] r) => bump(r, 0), m)");
    accepts("fun [[int]] f(int n) = map(fn [int] (int i) => bump(iota(n), i), iota(n))");
    accepts(
        "fun *[int] f([[int]] m, int n) = redomap(fn *[int] (*[int] a, *[int] b) => a, fn *[int] (*[int] a, [int] r) => let a[0] = r[0] in a, iota(n), m)",
    );
}

#[test]
fn within_a_sequence_the_argument_itself_does_not_stand_against_its_consumption() {
    accepts("fun *[int] f(*[int] a) = bump(let x = a[0] in reshape((x), a), 1)");
    accepts("fun int f(*[int] a) = let a[a[0]] = a[1] + size(0, a) in a[0]");
    accepts("fun *[int] f(*[int] a) = if a[0] < 3 then bump(a, 0) else a");
    accepts("fun int f(*[int] a) = let x = a[0] in size(0, bump(a, 0)) + x");
}

#[test]
fn loops_consume_what_they_carry() {
    accepts("fun *[int] f(*[int] a) = loop (a) = for i < size(0, a) do let a[i] = a[i] + i in a in a");
    accepts("fun *[int] f(int n) = loop (a = iota(n)) = for i < n do map(op +(1), a) in let a[0] = 1 in a");
    accepts("fun [int] f([int] a) = loop (b = a) = for i < 3 do map(op +(i), b) in b");
    // A double buffer: what `b` holds becomes the consumed `a`.
    accepts(
        "fun [int] f(*[int] a, *[int] b) =
           loop ({a, b}) = for i < 3 do let a[0] = b[1] in {b, a} in let a[0] = 1 in let b[0] = 2 in a",
    );
    accepts(
        "fun [int] f(*[int] a) = loop ({a, s} = {a, 0}) = for i < 3 do let a[i] = s in {a, s + a[i]} in let a[s] = 1 in a",
    );
}

#[test]
fn loop_variables_that_may_share_memory_afterwards_are_told() {
    let swap = "fun [int] f(*[int] a, *[int] b) = loop ({a, b}) = for i < 3 do {b, a} in let a[0] = 1 in b";
    assert_eq!(codes(swap), ["use-after-consumption"]);
    let first = "fun int f(*[int] k) = loop (a = k) = for i < 0 do map(op +(1), a) in let a[0] = 1 in k[0]";
    assert_eq!(codes(first), ["use-after-consumption"]);
    let shared = "fun [int] f(int n) = loop ({a, b} = {iota(n), iota(n)}) = for i < 3 do let x = iota(n) in {x, x} in let a[0] = 1 in b";
    assert_eq!(codes(shared), ["use-after-consumption"]);
    // After two rounds `c` holds what `a` held.
    let travel = "fun [int] f(*[int] a, *[int] b, *[int] c, *[int] k) =
        loop ({x, y, z} = {k, b, c}) = for i < 3 do {iota(2), x, y} in let z[0] = 1 in k";
    assert_eq!(codes(travel), ["use-after-consumption"]);
    // Also what has no other name.
    let fresh =
        "fun [int] f(int n) = loop ({a, b} = {iota(n), iota(n)}) = for i < 1 do {iota(n), a} in let a[0] = 1 in b";
    assert_eq!(codes(fresh), ["use-after-consumption"]);
    accepts("fun [int] f(int n) = loop ({a, b} = {iota(n), iota(n)}) = for i < 1 do {a, b} in let a[0] = 1 in b");
    accepts(
        "fun [int] f(int n) = loop ({a, b} = {iota(n), iota(n)}) = for i < 1 do {iota(n), iota(n)} in let a[0] = 1 in b",
    );
}

#[test]
fn branches_that_consume_leave_no_hidden_sharing() {
    let program = format!(
        "{BUMP}fun [int] f(bool c, *[int] a) = let {{p, q}} = if c then {{bump(a, 0), iota(2)}} else {{a, a}} in let p[0] = 1 in q"
    );
    assert_eq!(codes(&program), ["use-after-consumption"]);
    let start = "fun *[int] g([int] a, [int] b) = copy(a) fun int f(*[int] s, *[[int]] m) = let r = reduce(g, s, m) in let r[0] = 1 in s[0]";
    assert_eq!(codes(start), ["use-after-consumption"]);
}

#[test]
fn all_ways_to_give_a_function_are_accepted() {
    accepts("fun [bool] f([{int,int}] a) = map(op <, a)");
    accepts("fun [int] f([{int,int}] a) = map(fn int ({int,int} p) => let {x, y} = p in x, a)");
    accepts("fun int g(int a, real b, {int,int} c) = a fun [int] f([{real, {int,int}}] a) = map(g(1), a)");
    accepts("fun [real] f([int] a) = map(toReal, map(op ~, map(op -(10), a)))");
    accepts("fun [bool] f([{bool}] a) = map(op not, a)");
    accepts("fun [{int,int}] f([{int,int}] a) = map(trace, filter(op <, a))");
    accepts("fun real f([int] a) = redomap(op +, fn real (real s, int x) => s + toReal(x), 0.0, a)");
    accepts("fun {[int],[int]} f([int] a, [real] b) = mapT(fn {int,int} (int x, real y) => {x, x}, a, b)");
    accepts(
        "fun {real} f([int] a) = redomapT(fn {real} (real s, real t) => {s + t}, fn {real} (real s, int x) => {s}, {0.0}, a)",
    );
    accepts(
        "fun int rank([[int]] a) = let t = map(reduce_row(0), a) in t[0] fun int reduce_row(int z, [int] r) = reduce(op +, z, r)",
    );
}

#[test]
fn functions_of_combinators_are_lambdas_of_what_is_passed() {
    let program = checked("fun int g(int a, int x, int y) = a fun [int] f(int k, [{int,int}] a) = map(g(k + 1), a)");
    let function = program.functions.iter().nth(1).expect("two functions").1;
    let ExprKind::Block { statements, result } = &function.body.kind else {
        panic!("curried values are bound outside")
    };
    assert!(matches!(statements.as_slice(), [Statement::Let { .. }]));
    let ExprKind::Soac(soac) = &result.kind else { panic!("a map") };
    assert_eq!(soac.kind, SoacKind::Map);
    assert_eq!(soac.function.params.len(), 1);
    assert_eq!(function.variables[soac.function.params[0]].ty.to_string(), "{int, int}");
}

#[test]
fn a_missing_main_is_no_mistake() {
    assert_eq!(checked("fun int f() = 1").entry, None);
    assert_eq!(checked("fun int f() = 1 fun int main() = 2").entry.map(Index::at), Some(1));
}

#[test]
fn comparison_extends_to_char_and_bool() {
    accepts("fun bool f(char a, bool b) = a < 'x' && b = True && 'a' <= a && not (b < b)");
}

#[test]
fn a_suggestion_is_near() {
    let errors = loaded("fun int main(int price) = prise").unwrap_err();
    assert_eq!(errors[0].notes, ["did you mean `price`?"]);
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

/// Large programs take seconds at most, and neither the stack nor the memory overflows.
#[test]
fn ten_thousand_of_anything_are_checked() {
    with_deep_stack(|| {
        let n = 10_000;
        let arrays = "*[int] a, int x, bool c";
        let exprs = [
            nested("(", "x", ")", n),
            nested("-", "x", "", n),
            nested("1 + ", "x", "", n),
            nested("", "x", " + 1", n),
            nested("if c then 1 else ", "x", "", n),
            nested("if c then ", "x", " else 1", n),
            nested("let y = ", "x", " in y", n),
            nested("let y = a[0] + ", "x", " in y", n),
            nested("let y = x + 1 in ", "y", "", n),
            nested("let a[0] = x in ", "a[0]", "", n),
            nested("let a = if c then a else a in ", "a[0]", "", n),
            nested("loop (x) = for i < 2 do x + 1 in ", "x", "", n),
            nested("loop (a) = for i < 2 do let a[0] = 1 in a in ", "a[0]", "", n),
            nested("loop (x) = for i < 2 do ", "x", " in x", n),
            nested("reduce(fn int (int p, int q) => ", "p", ", 0, iota(2))", n),
            nested("main(copy(a), ", "x", ", c)", n),
            nested("if c then main(a, x, c) else ", "x", "", n),
            nested("let y = x in if c then main(a, y, c) else ", "x", "", n),
        ];
        for expr in &exprs {
            let text = format!("fun int main({arrays}) = {expr}");
            let errors = loaded(&text).err().unwrap_or_default();
            assert!(errors.is_empty(), "{}: {:?}", &expr[..60.min(expr.len())], errors[0]);
        }
        for (literal, ty) in
            [("[", "]"), ("{", "}")].map(|(open, close)| (nested(open, "1", close, n), nested(open, "int", close, n)))
        {
            checked(&format!("fun {ty} main() = {literal}"));
        }
        let functions: String = (0..n).map(|at| format!("fun int f{at}(int x) = f{}(x) + 1\n", (at + 1) % n)).collect();
        checked(&functions);
        let unknown: String = (0..n).map(|at| format!("fun int f{at}(int x) = y{at}\n")).collect();
        assert_eq!(codes(&unknown).len(), n);
        let aliases: String = (0..n).map(|at| format!("let v{} = v{at} in ", at + 1)).collect();
        checked(&format!("fun [int] main([int] v0) = {aliases} v{n}"));
    });
}

/// True if the body of the first function of a program has a loop.
fn is_loop(text: &str) -> bool {
    let program = checked(text);
    let (_, function) = program.functions.iter().next().expect("there is a function");
    let ExprKind::Block { statements, .. } = &function.body.kind else { return false };
    statements.iter().any(|statement| matches!(statement, Statement::Loop { .. }))
}

#[test]
fn functions_that_call_themselves_only_last_of_all_become_loops() {
    for (body, expected) in [
        ("if n = 0 then s else f(n - 1, s + n)", true),
        ("let m = n - 1 in if m < 0 then s else f(m, s)", true),
        ("if n = 0 then s else if n % 2 = 0 then f(n / 2, s) else let t = s + 1 in f(n - 1, t)", true),
        ("if n = 0 then s else 1 + f(n - 1, s)", false),
        ("if n = 0 then f(f(1, s), s) else s", false),
        ("if n = 0 then s else let t = f(n - 1, s) in t", false),
        ("if f(n, s) = 0 then s else f(n - 1, s)", false),
        ("reduce(op +, 0, map(f(n), iota(s)))", false),
        // These never end.
        ("f(n - 1, s)", false),
        ("if n = 0 then f(1, s) else f(n, s)", false),
    ] {
        assert_eq!(is_loop(&format!("fun int f(int n, int s) = {body}")), expected, "{body}");
    }
    // What the loop would consume in its condition stays a recursion.
    let taken = "fun int take(*[int] a) = let a[0] = 1 in a[0]\n";
    let body = "fun int f(*[int] a, int n) = if n = 0 then 1 else if take(a) = 0 then 0 else f(iota(n), n - 1)\n";
    assert!(!is_loop(&format!("{body}{taken}")));
}

#[test]
fn types_that_double_on_every_line_are_refused() {
    let lines: String = (0..60).map(|at| format!("let v{} = {{v{at}, v{at}}} in ", at + 1)).collect();
    assert_eq!(codes(&format!("fun int main() = let v0 = 1 in {lines} 1")), ["type-too-large"]);
}
