//! What is read of C texts, as an indented list.

use super::{CompileOptions, Expanded, Kind, Node, Tree, Unit};
use expect_test::{Expect, expect};
use std::collections::BTreeSet;
use std::fmt::Write;

fn tree(text: &str) -> Tree {
    let unit = Unit::parse(text, &CompileOptions::default(), None).unwrap();
    assert!(unit.errors().is_empty(), "{:?}", unit.errors());
    Tree::of(&unit, text, &BTreeSet::new())
}

fn show(node: Node<'_>, depth: usize, out: &mut String) {
    let text = node.place().map_or("<hidden>".to_string(), |place| node.tree().text[place].replace('\n', " "));
    let name = node.decl().map_or(String::new(), |decl| format!(" {decl}"));
    let value = node.value().map_or(String::new(), |value| format!(" = {value}"));
    let _ = writeln!(out, "{:w$}{:?} {:?}{name}{value} `{text}`", "", node.part(), node.kind(), w = depth);
    for child in node.all_children() {
        show(child, depth + 1, out);
    }
}

fn check(text: &str, expected: Expect) {
    let tree = tree(text);
    let mut out = String::new();
    let last = tree.functions().last().unwrap();
    show(last, 0, &mut out);
    expected.assert_eq(&out);
}

#[test]
fn loops_and_products() {
    check(
        "typedef int T;\nvoid f(int n, float a[restrict n][4], int T) {\n  int i; /* c */\n  for (i = 0; i < n; i++) a[i][1] = (T) + n * -2;\n  for (;;) { break; }\n}\n",
        expect![[r#"
            Item Function d0 `void f(int n, float a[restrict n][4], int T) {   int i; /* c */   for (i = 0; i < n; i++) a[i][1] = (T) + n * -2;   for (;;) { break; } }`
             Variable Variable d1 `n`
             Variable Variable d2 `a[restrict n][4]`
              Size Number = 4 `4`
              Size Name d1 `n`
             Variable Variable d3 `T`
             Body Block `{   int i; /* c */   for (i = 0; i < n; i++) a[i][1] = (T) + n * -2;   for (;;) { break; } }`
              Item Declaration `int i;`
               Variable Variable d4 `i`
              Item Comment `/* c */`
              Item For `for (i = 0; i < n; i++) a[i][1] = (T) + n * -2;`
               Initial Assign `i = 0`
                Left Name d4 `i`
                Right Number = 0 `0`
               Condition Binary `i < n`
                Left Name d4 `i`
                Right Name d1 `n`
               Update Update = 1 `i++`
                Operand Name d4 `i`
               Body ExpressionStatement `a[i][1] = (T) + n * -2;`
                Item Assign `a[i][1] = (T) + n * -2`
                 Left Subscript `a[i][1]`
                  Operand Subscript `a[i]`
                   Operand Name d2 `a`
                   Index Name d4 `i`
                  Index Number = 1 `1`
                 Right Binary `(T) + n * -2`
                  Left Paren `(T)`
                   Item Name d3 `T`
                  Right Binary `n * -2`
                   Left Name d1 `n`
                   Right Unary `-2`
                    Operand Number = 2 `2`
              Item For `for (;;) { break; }`
               Body Block `{ break; }`
                Item Break `break;`
        "#]],
    );
}

#[test]
fn macros() {
    check(
        "#define A(i, j) a[(i) * n + (j)]\n#define SQ(x) ((x) * (x))\n#define STEP(i) b[i] = a[i]; b[i] += 1\n#define PLUS + b[0]\n#define N n\n#define FOR(i) for (int i = 0; i < N; i++)\n#define D float\n\
         void f(int n, float *a, float *b) {\n  D t = A(1, 2), u;\n  FOR(k) { b[k] = A(k, 1) + SQ(A(k, k)); STEP(k); }\n  b[1] = a[N] PLUS;\n  A(n, 1) = SQ(b[2]);\n}\n",
        expect![[r#"
            Item Function d0 `void f(int n, float *a, float *b) {   D t = A(1, 2), u;   FOR(k) { b[k] = A(k, 1) + SQ(A(k, k)); STEP(k); }   b[1] = a[N] PLUS;   A(n, 1) = SQ(b[2]); }`
             Variable Variable d1 `n`
             Variable Variable d2 `a`
             Variable Variable d3 `b`
             Body Block `{   D t = A(1, 2), u;   FOR(k) { b[k] = A(k, 1) + SQ(A(k, k)); STEP(k); }   b[1] = a[N] PLUS;   A(n, 1) = SQ(b[2]); }`
              Item Declaration `D t = A(1, 2), u;`
               Variable Variable d4 `t = A(1, 2)`
                Value Subscript `A(1, 2)`
                 Operand Name d2 `<hidden>`
                 Index Binary `<hidden>`
                  Left Binary `<hidden>`
                   Left Paren `<hidden>`
                    Item Number = 1 `1`
                   Right Name d1 `<hidden>`
                  Right Paren `<hidden>`
                   Item Number = 2 `2`
               Variable Variable d5 `u`
              Item For `FOR(k) { b[k] = A(k, 1) + SQ(A(k, k)); STEP(k); }`
               Initial Declaration `<hidden>`
                Variable Variable d6 `<hidden>`
                 Value Number = 0 `<hidden>`
               Condition Binary `<hidden>`
                Left Name d6 `k`
                Right Name d1 `<hidden>`
               Update Update = 1 `<hidden>`
                Operand Name d6 `k`
               Body Block `{ b[k] = A(k, 1) + SQ(A(k, k)); STEP(k); }`
                Item ExpressionStatement `b[k] = A(k, 1) + SQ(A(k, k));`
                 Item Assign `b[k] = A(k, 1) + SQ(A(k, k))`
                  Left Subscript `b[k]`
                   Operand Name d3 `b`
                   Index Name d6 `k`
                  Right Binary `A(k, 1) + SQ(A(k, k))`
                   Left Subscript `A(k, 1)`
                    Operand Name d2 `<hidden>`
                    Index Binary `<hidden>`
                     Left Binary `<hidden>`
                      Left Paren `<hidden>`
                       Item Name d6 `k`
                      Right Name d1 `<hidden>`
                     Right Paren `<hidden>`
                      Item Number = 1 `1`
                   Right Paren `SQ(A(k, k))`
                    Item Binary `<hidden>`
                     Left Paren `<hidden>`
                      Item Subscript `A(k, k)`
                       Operand Name d2 `<hidden>`
                       Index Binary `<hidden>`
                        Left Binary `<hidden>`
                         Left Paren `<hidden>`
                          Item Name d6 `k`
                         Right Name d1 `<hidden>`
                        Right Paren `<hidden>`
                         Item Name d6 `k`
                     Right Paren `<hidden>`
                      Item Subscript `A(k, k)`
                       Operand Name d2 `<hidden>`
                       Index Binary `<hidden>`
                        Left Binary `<hidden>`
                         Left Paren `<hidden>`
                          Item Name d6 `k`
                         Right Name d1 `<hidden>`
                        Right Paren `<hidden>`
                         Item Name d6 `k`
                Item ExpressionStatement `<hidden>`
                 Item Assign `<hidden>`
                  Left Subscript `<hidden>`
                   Operand Name d3 `<hidden>`
                   Index Name d6 `k`
                  Right Subscript `<hidden>`
                   Operand Name d2 `<hidden>`
                   Index Name d6 `k`
                Item ExpressionStatement `<hidden>`
                 Item Assign `<hidden>`
                  Left Subscript `<hidden>`
                   Operand Name d3 `<hidden>`
                   Index Name d6 `k`
                  Right Number = 1 `<hidden>`
              Item ExpressionStatement `b[1] = a[N] PLUS;`
               Item Assign `b[1] = a[N] PLUS`
                Left Subscript `b[1]`
                 Operand Name d3 `b`
                 Index Number = 1 `1`
                Right Binary `a[N] PLUS`
                 Left Subscript `a[N]`
                  Operand Name d2 `a`
                  Index Name d1 `N`
                 Right Subscript `<hidden>`
                  Operand Name d3 `<hidden>`
                  Index Number = 0 `<hidden>`
              Item ExpressionStatement `A(n, 1) = SQ(b[2]);`
               Item Assign `A(n, 1) = SQ(b[2])`
                Left Subscript `A(n, 1)`
                 Operand Name d2 `<hidden>`
                 Index Binary `<hidden>`
                  Left Binary `<hidden>`
                   Left Paren `<hidden>`
                    Item Name d1 `n`
                   Right Name d1 `<hidden>`
                  Right Paren `<hidden>`
                   Item Number = 1 `1`
                Right Paren `SQ(b[2])`
                 Item Binary `<hidden>`
                  Left Paren `<hidden>`
                   Item Subscript `b[2]`
                    Operand Name d3 `b`
                    Index Number = 2 `2`
                  Right Paren `<hidden>`
                   Item Subscript `b[2]`
                    Operand Name d3 `b`
                    Index Number = 2 `2`
        "#]],
    );
}

/// The texts of the outermost expressions of the last function's statements, and of names below those that are hidden.
fn places(text: &str) -> Vec<String> {
    let tree = tree(text);
    let last = tree.functions().last().unwrap();
    let is_of_interest = |node: &Node<'_>| matches!(node.kind(), Kind::Subscript | Kind::ExpressionStatement);
    crate::read::syntax::descendants(last)
        .filter(is_of_interest)
        .map(|node| match node.place() {
            Some(place) => format!("{:?} {}", node.kind(), &tree.text[place]),
            None => format!("{:?} hidden", node.kind()),
        })
        .collect()
}

#[test]
fn a_node_has_a_place_if_a_macro_stands_for_all_of_it() {
    let cases = [
        ("#define A(i) a[i]", "A(n) = 1;", &["ExpressionStatement A(n) = 1;", "Subscript A(n)"][..]),
        ("#define A(i) a[i] + 1", "n = A(2);", &["ExpressionStatement n = A(2);", "Subscript hidden"]),
        ("#define A(i) 1 + a[i]", "n = A(2);", &["ExpressionStatement n = A(2);", "Subscript hidden"]),
        ("#define P(p, i) p[i]", "P(a, n + 1)++;", &["ExpressionStatement P(a, n + 1)++;", "Subscript P(a, n + 1)"]),
        ("#define P(p, i) - p[i]", "n = 3 P(a, 1);", &["ExpressionStatement n = 3 P(a, 1);", "Subscript hidden"]),
        (
            "#define ID(x) x",
            "ID(a[1]) = ID(ID(a[2]));",
            &["ExpressionStatement ID(a[1]) = ID(ID(a[2]));", "Subscript a[1]", "Subscript a[2]"],
        ),
        (
            "#define ADD(x, y) x + y",
            "n = ADD(a[1], a[2]) * 2;",
            &["ExpressionStatement n = ADD(a[1], a[2]) * 2;", "Subscript a[1]", "Subscript a[2]"],
        ),
        (
            "#define SQ(x) ((x) * (x))\n#define A(i) a[i]",
            "n = SQ(A(1));",
            &["ExpressionStatement n = SQ(A(1));", "Subscript A(1)", "Subscript A(1)"],
        ),
        (
            "#define DBL(x) x + x\n#define A(i) a[i]",
            "n = DBL(A(1));",
            &["ExpressionStatement n = DBL(A(1));", "Subscript A(1)", "Subscript A(1)"],
        ),
        ("#define I [1]", "n = a I;", &["ExpressionStatement n = a I;", "Subscript a I"]),
        ("#define Q ? a[1] :", "n = n Q 2;", &["ExpressionStatement n = n Q 2;", "Subscript hidden"]),
        (
            "#define TWO a[1] = 1; a[2] = 2",
            "TWO;",
            &["ExpressionStatement hidden", "Subscript hidden", "ExpressionStatement hidden", "Subscript hidden"],
        ),
        (
            "#define ONE a[1] = 1;",
            "ONE n = 2;",
            &["ExpressionStatement ONE", "Subscript hidden", "ExpressionStatement n = 2;"],
        ),
        (
            "#define ARGS a[1], a[2]",
            "g(ARGS);",
            &["ExpressionStatement g(ARGS);", "Subscript hidden", "Subscript hidden"],
        ),
        (
            "#define GLUE(x, y) x##y[1]",
            "n = GLUE(a, );",
            &["ExpressionStatement n = GLUE(a, );", "Subscript GLUE(a, )"],
        ),
    ];
    for (macros, statement, expected) in cases {
        let text = format!("{macros}\nint g(int x, int y);\nvoid f(int n, int *a) {{ {statement} }}\n");
        assert_eq!(places(&text), expected, "{macros}: {statement}");
    }
}

#[test]
fn macros_are_replaced_by_what_they_stand_for() {
    let cases = [
        ("#define A a[1]", "n = A;", "n = a[1];"),
        ("#define F(x, y) x - y /* c */", "n = -F(-1, -2);", "n = -( -1 - -2 );"),
        ("#define F(x) a##x + #x[0]", "n = F(n);", "n = an + \"n\"[0];"),
        ("#define F(x, ...) g(x, __VA_ARGS__)", "n = F(1, 2);", "n = g(1, 2);"),
        ("#define F() 1", "n = F();", "n = 1;"),
    ];
    for (macros, statement, expected) in cases {
        let head = format!("{macros}\nint g(int x, int y);\nvoid f(int n, int *a, int *an) {{ ");
        let text = format!("{head}{statement} }}\n");
        let tree = tree(&text);
        let uses: Vec<_> = tree.uses.iter().collect();
        let expanded = Expanded::of(&text, &uses);
        let statement = expanded.text[head.len()..].strip_suffix(" }\n").unwrap();
        let squeezed = |text: &str| text.split_whitespace().collect::<String>().replace(['(', ')'], "");
        assert_eq!(squeezed(statement), squeezed(expected), "{macros}");
        assert!(!statement.contains("--") && !statement.contains("++"), "{statement}");
    }
    let own = "int A;\n#define A (A + 1)\nvoid f(void) { A; }\n";
    let tree = tree(own);
    assert!(Expanded::of(own, &tree.uses.iter().collect::<Vec<_>>()).replaced.is_empty());
}

/// A file of so many lines with macros of arguments, types and whole statements, in functions of 40 lines.
fn long(lines: usize) -> String {
    let mut text = "#define AT(a, i, j) a[(i) * n + (j)]\n#define REAL float\n#define STEP(x) x += 1;\n".to_string();
    for at in 0..lines / 40 {
        let _ = writeln!(text, "void f{at}(int n, REAL *a, REAL *b)\n{{");
        for line in 0..12 {
            let _ = writeln!(
                text,
                "    REAL x{line} = AT(a, {line}, AT(b, 1, 2) > 0);\n    AT(b, {line}, 1) = 2; // {line}\n    STEP(x{line})"
            );
        }
        text += "}\n";
    }
    text
}

#[test]
fn the_work_for_macros_grows_with_the_length_of_a_file() {
    let looked = |lines: usize| frit_support::with_deep_stack(|| tree(&long(lines)).looked);
    let (short, all) = (looked(2_500), looked(10_000));
    assert!(all <= 5 * short, "{short} for 2,500 lines, {all} for 10,000");
}
