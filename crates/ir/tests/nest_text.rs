//! The text form of the loop IR: what is printed is read back, and nothing that is read makes the parser fail but by an error.

use frit_ir::nest::parse::parse_program;
use frit_ir::nest::verify::verify;
use frit_ir::nest::{Array, Expr, Proc, Program, Stmt, Var};
use frit_ir::{BinOp, Const, Scalar, UnOp};
use frit_support::{Index, Span, random, with_deep_stack};
use proptest::prelude::*;

const CORPUS: &str = include_str!("corpus/loops.ir");

#[test]
fn what_is_parsed_prints_the_same() {
    let program = parse_program(CORPUS).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.to_string(), CORPUS);
}

#[test]
fn errors_say_where_and_what() {
    let message = |body: &str| {
        let text = format!("proc @f() -> () {{\n{body}\n}}");
        parse_program(&text).expect_err(&text).to_string()
    };
    assert_eq!(message("s0 = 1"), "2:1: s0 is not declared");
    assert_eq!(message("var s0: i64\ns0 = frob(1)"), "3:6: there is no operation `frob`");
    assert_eq!(message("var s0: i64\ns0 = min(1)"), "3:6: `min` does not have 1 operands");
    assert_eq!(
        message("array A0: pile i64[1]"),
        "2:1: an array is declared `heap`, `stack`, `table`, `reference` or `param`"
    );
}

#[test]
fn nests_of_any_depth_go_through() {
    const DEPTH: usize = 10_000;
    with_deep_stack(|| {
        let mut text = String::from("proc @deep(s0: bool) -> () {\nvar ");
        let names: Vec<String> = (1..=DEPTH).map(|level| format!("s{level}")).collect();
        text.push_str(&format!("{}: i64\n", names.join(", ")));
        for level in 1..=DEPTH {
            text.push_str(&format!("if s0 {{ s{level} = 1 }} else {{ s{level} = 2 "));
        }
        text.push_str(&"}".repeat(DEPTH + 1));
        let program = parse_program(&text).expect("it is well formed");
        verify(&program).expect("it is well typed");
        let printed = program.to_string();
        assert_eq!(parse_program(&printed).expect("it was printed").to_string(), printed);
    });
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (0usize..3).prop_map(|var| Expr::Var(Var::new(var))),
        any::<i64>().prop_map(Expr::i64),
        any::<f64>().prop_map(|x| Expr::Const(Const::f64(x))),
        any::<f32>().prop_map(|x| Expr::Const(Const::f32(x))),
        any::<i64>().prop_map(|x| Expr::Const(Const::int(Scalar::U64, x))),
        any::<u32>().prop_map(|code| Expr::Const(Const::Char(code))),
        Just(Expr::Threads),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        prop_oneof![
            (0..BinOp::ALL.len(), inner.clone(), inner.clone()).prop_map(|(op, x, y)| Expr::Binary {
                op: BinOp::ALL[op],
                x: x.into(),
                y: y.into()
            }),
            (prop::sample::select(vec![BinOp::ADD, BinOp::SUB, BinOp::MUL]), inner.clone(), inner.clone())
                .prop_map(|(op, x, y)| Expr::Binary { op, x: x.into(), y: y.into() }),
            (0..UnOp::NAMED.len(), inner.clone()).prop_map(|(op, x)| Expr::Unary { op: UnOp::NAMED[op], x: x.into() }),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|index| Expr::Load { array: Array::new(0), index }),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, x, y)| Expr::Select {
                cond: c.into(),
                on_true: x.into(),
                on_false: y.into()
            }),
        ]
    })
}

/// A procedure that assigns the expression.
fn assigning(value: Expr) -> Program {
    let mut program =
        parse_program("proc @f(s0: i64, s1: i64, s2: i64, A0: i64[s0]) -> () { }").expect("it is well formed");
    program.procs.iter_mut().for_each(|(_, proc): (_, &mut Proc)| {
        proc.body.push(Stmt::Assign { var: Var::new(0), value: value.clone() });
        proc.span = Span::NONE;
    });
    program
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(512)))]

    #[test]
    fn expressions_keep_their_structure(value in expression()) {
        let text = assigning(value.clone()).to_string();
        let parsed = parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, proc) = parsed.procs.iter().next().expect("there is one");
        match &proc.body[..] {
            [Stmt::Assign { value: read, .. }] => prop_assert_eq!(format!("{read:?}"), format!("{value:?}")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mutated_text_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..6, any::<char>()), 1..6),
    ) {
        let mut text: Vec<char> = CORPUS.chars().collect();
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
            let printed = program.to_string();
            prop_assert_eq!(parse_program(&printed).expect("it was printed").to_string(), printed);
            let _ = verify(&program);
        }
    }
}
