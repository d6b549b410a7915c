//! Tests of both directions, and fuzzing of the reader.

use super::*;
use crate::l0::ast::BasicType;
use crate::l0::signature::{Parameter, Signature};
use crate::l0::types::Type;
use frit_ir::tensor::Tensor;
use frit_support::random;
use proptest::prelude::*;

const INT: Type = Type::INT;
const REAL: Type = Type::REAL;
const BOOL: Type = Type::BOOL;
const CHAR: Type = Type::CHAR;
const CERT: Type = Type::CERT;

fn array(rank: usize, element: Type) -> Type {
    (0..rank).fold(element, |row, _| Type::array_of(&row, false))
}

fn tuple(fields: &[Type]) -> Type {
    Type::tuple(fields.to_vec())
}

fn params(types: &[Type]) -> Vec<Parameter> {
    types.iter().map(|ty| Parameter { name: "x".into(), ty: ty.clone() }).collect()
}

fn write(tensors: &[Tensor], result: Type) -> String {
    let signature = Signature { params: Vec::new(), result, hidden_results: 0 };
    let mut text = String::new();
    write_results(tensors, &signature, Digits::Shortest, &mut |piece| text.push_str(piece));
    text.trim_end().to_owned()
}

/// Reads a value and writes it again.
#[track_caller]
fn check_echo(ty: Type, text: &str, expected: &str) {
    let tensors = read_value(text, &ty).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let signature = Signature { params: params(std::slice::from_ref(&ty)), result: ty.clone(), hidden_results: 0 };
    assert!(signature.accepts(&tensors), "{text} as {ty}");
    assert_eq!(write(&tensors, ty), expected);
}

/// Reads arguments that are wrong at this place.
#[track_caller]
fn check_refused(types: &[Type], text: &str, position: (usize, usize), message: &str) {
    let error = read_arguments(text, &params(types)).expect_err("the input is wrong");
    assert_eq!(error.position(text), position, "{error:?}");
    let mut map = frit_support::SourceMap::new();
    let file = map.add("input", text);
    let diagnostic = error.diagnostic(file);
    assert_eq!((diagnostic.code, diagnostic.message.as_str()), ("bad-input", message));
}

#[test]
fn scalars_print_as_l0_prints_them() {
    check_echo(INT, " -12 ", "-12");
    check_echo(INT, "~12", "-12");
    check_echo(INT, "-9223372036854775808", "-9223372036854775808");
    check_echo(REAL, "3", "3.0");
    check_echo(REAL, "-0.0", "-0.0");
    check_echo(REAL, "2.5E-3", "0.0025");
    check_echo(REAL, "1.0e~2", "0.01");
    check_echo(REAL, "1.5e3", "1500.0");
    check_echo(REAL, ".5", "0.5");
    check_echo(REAL, "1.", "1.0");
    check_echo(REAL, "-inf", "-inf");
    check_echo(REAL, "nan", "nan");
    check_echo(BOOL, "True // yes\n", "True");
    check_echo(CHAR, r"'\n'", r"'\n'");
    check_echo(CHAR, r"'\65'", "'A'");
    check_echo(CHAR, r"'\\'", r"'\\'");
    check_echo(CHAR, r"'é'", "'é'");
    check_echo(CERT, "Checked", "Checked");
}

#[test]
fn reals_are_written_as_they_are_read() {
    for text in [
        "0.1",
        "1.2345e-7",
        "0.0001",
        "1e-5",
        "5e-324",
        "1.7976931348623157e308",
        "1e16",
        "999999999999999.9",
        "-0.0",
        "18014398509481984.0",
        "1234567.0",
        "0.30000000000000004",
        "-inf",
    ] {
        let tensors = read_value(text, &REAL).unwrap();
        let written = write(&tensors, REAL);
        assert_eq!(read_value(&written, &REAL).unwrap(), tensors, "{text}: {written}");
    }
    check_echo(REAL, "0.00000012345", "1.2345e-7");
    check_echo(REAL, "1e22", "1e22");
    check_echo(REAL, "1234567.0", "1234567.0");
    let single = Tensor::scalar(frit_ir::Const::f32(0.1));
    assert_eq!(write(&[single], REAL), "0.1");
}

#[test]
fn decimals_are_rounded_to_the_nearest_and_ties_to_even() {
    for (text, expected) in [
        ("0.0078125", "0.007812"),
        ("0.0234375", "0.023438"),
        ("0.9999996", "1.000000"),
        ("-0.0000001", "-0.000000"),
        ("1e-310", "0.000000"),
        ("1e22", "10000000000000000000000.000000"),
        ("-123456789.123456789", "-123456789.123457"),
        ("nan", "nan"),
        ("-inf", "-inf"),
    ] {
        let mut out = String::new();
        Digits::Decimals(6).write(text.parse::<f64>().unwrap(), &mut out);
        assert_eq!(out, expected);
    }
}

#[test]
fn large_results_are_written_in_pieces() {
    let text = format!("[{}0.5]", "12.25, ".repeat(30_000));
    let tensors = read_value(&text, &array(1, REAL)).unwrap();
    let signature = Signature { params: Vec::new(), result: array(1, REAL), hidden_results: 0 };
    let mut pieces = Vec::new();
    write_results(&tensors, &signature, Digits::Shortest, &mut |piece| pieces.push(piece.to_owned()));
    assert!(pieces.len() > 3 && pieces.iter().all(|piece| piece.len() < 70_000));
    assert_eq!(pieces.concat(), format!("[{}0.5]\n", "12.25, ".repeat(30_000)));
}

#[test]
fn arrays_print_as_l0_prints_them() {
    check_echo(array(2, INT), "[[1,2], // first\n [3,4]]", "[[1, 2], [3, 4]]");
    check_echo(array(1, INT), "[]", "empty(int)");
    check_echo(array(1, INT), "empty ( int )", "empty(int)");
    check_echo(array(2, REAL), "[]", "empty([real])");
    check_echo(array(2, REAL), "empty([real])", "empty([real])");
    check_echo(array(2, REAL), "[[],[]]", "[empty(real), empty(real)]");
    check_echo(array(1, CHAR), r#""a\tb\&\x41""#, "a\tbA");
    check_echo(array(1, CHAR), r#"['a','b']"#, "ab");
    check_echo(array(1, CHAR), r#""""#, "empty(char)");
    check_echo(array(2, CHAR), r#"["abc","def"]"#, "[abc, def]");
}

#[test]
fn tuples_print_flat() {
    check_echo(tuple(&[tuple(&[INT, INT]), INT]), "{{1,2},3}", "{1, 2, 3}");
    check_echo(tuple(&[tuple(&[INT, INT]), INT]), "((1,2),3)", "{1, 2, 3}");
    check_echo(tuple(&[INT]), "{1}", "1");
    check_echo(tuple(&[]), "{}", "{}");
    check_echo(array(1, tuple(&[INT])), "[{1},{2}]", "[1, 2]");
    check_echo(array(1, tuple(&[INT, BOOL])), "[{1,True},{2,False}]", "{Checked, [1, 2], [True, False]}");
    check_echo(array(1, tuple(&[INT, BOOL])), "[]", "{Checked, empty(int), empty(bool)}");
    let inside = tuple(&[REAL, array(1, tuple(&[INT, tuple(&[INT, INT])]))]);
    check_echo(inside, "{1.0, [{1,{2,3}}]}", "{1.0, Checked, [1], [2], [3]}");
    let rows = array(1, tuple(&[INT, array(1, REAL)]));
    check_echo(rows, "[{1,[1,2]},{2,[3,4]}]", "{Checked, [1, 2], [[1.0, 2.0], [3.0, 4.0]]}");
}

#[test]
fn an_array_of_empty_tuples_keeps_its_length() {
    let tensors = read_value("[{},{},{}]", &array(1, tuple(&[]))).unwrap();
    assert_eq!(tensors[0].shape(), [3]);
    check_echo(array(2, tuple(&[])), "[[{},{}]]", "[[{}, {}]]");
    check_echo(array(2, tuple(&[])), "[]", "empty([{}])");
}

#[test]
fn wrong_input_is_refused_at_its_place() {
    check_refused(&[INT, INT], "1", (1, 2), "the input ends where a value of type int for `x` should be");
    check_refused(&[INT], "1 2", (1, 3), "there is more input than the function has parameters");
    check_refused(&[INT], "1.5", (1, 1), "an integer should be here");
    check_refused(&[INT], "9223372036854775808", (1, 1), "the integer does not fit into 64 bits");
    check_refused(&[REAL], "\n 1e", (2, 2), "a real number should be here");
    check_refused(&[BOOL], "true", (1, 1), "`True` or `False` should be here");
    check_refused(&[CHAR], "'ab'", (1, 1), "the character or string is not well-formed");
    check_refused(&[array(1, CHAR)], "\"ab", (1, 1), "the character or string is not well-formed");
    check_refused(&[array(1, INT)], "[1 2]", (1, 4), "a `,` or the `]` of the array should be here");
    check_refused(&[array(1, INT)], "[1,", (1, 4), "the input ends where an integer should be");
    check_refused(&[tuple(&[INT, INT])], "{1}", (1, 3), "a `,` and the next component of the tuple should be here");
    check_refused(
        &[array(1, INT)],
        "empty([int])",
        (1, 1),
        "an array of int, as `[...]` or `empty(int)`, should be here",
    );
    check_refused(
        &[array(2, INT)],
        "[[1,2],\n [3]]",
        (2, 2),
        "the rows of an array must have one shape, but this one has size 1 and an earlier one 2",
    );
}

#[test]
fn without_parameters_the_input_is_ignored() {
    assert_eq!(read_arguments("what?", &[]).map(|arguments| arguments.len()), Ok(0));
}

#[test]
fn nests_ten_thousand_deep_are_read_and_written() {
    frit_support::with_deep_stack(|| {
        let depth = 10_000;
        let text = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        check_echo(array(depth, INT), &text, &text);
        let nested = (0..depth).fold(INT, |ty, _| tuple(&[ty]));
        check_echo(nested, &format!("{}1{}", "{".repeat(depth), "}".repeat(depth)), "1");
    });
}

#[test]
fn too_deep_input_is_refused_without_recursion() {
    let text = "[".repeat(1_000_000);
    assert!(read_value(&text, &array(2, INT)).is_err());
}

fn value_type() -> impl Strategy<Value = Type> {
    let basic = prop_oneof![Just(INT), Just(REAL), Just(BOOL), Just(CHAR), Just(CERT)];
    basic.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Type::tuple),
            (1usize..3, inner).prop_map(|(rank, element)| array(rank, element)),
        ]
    })
}

/// A text that is nearly a value of the type; `next` chooses.
fn sketch(ty: &Type, next: &mut impl FnMut(usize) -> usize) -> String {
    match ty {
        Type::Basic(BasicType::Int) => ["0", "-7", "12", "~3"][next(4)].into(),
        Type::Basic(BasicType::Real) => ["0.5", "-1e9", "3", "1e~2"][next(4)].into(),
        Type::Basic(BasicType::Bool) => ["True", "False"][next(2)].into(),
        Type::Basic(BasicType::Char) => ["'a'", "'\\''", "'\\200'"][next(3)].into(),
        Type::Basic(BasicType::Cert) => "Checked".into(),
        Type::Tuple(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| sketch(field, next)).collect();
            format!("{{{}}}", fields.join(","))
        }
        Type::Array(array) => {
            let row = array.row();
            let rows: Vec<String> = (0..next(3)).map(|_| sketch(&row, next)).collect();
            format!("[{}]", rows.join(" , "))
        }
        Type::Error => unreachable!("no value has the type of a mistake"),
    }
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(256)))]

    /// However many digits a number has, and wherever its point is.
    #[test]
    fn reals_are_the_nearest_to_what_is_written(whole in "[0-9]{0,21}", decimals in "[0-9]{0,26}", exponent in proptest::option::of(-330i32..310)) {
        prop_assume!(!whole.is_empty() || !decimals.is_empty());
        let text = format!("{whole}.{decimals}{}", exponent.map(|e| format!("e{e}")).unwrap_or_default());
        let tensors = read_value(&text, &REAL).unwrap();
        prop_assert_eq!(tensors[0].as_scalar(), Some(frit_ir::Const::f64(text.parse().unwrap())));
    }

    #[test]
    fn reals_are_read_back_as_they_were(bits in any::<u64>(), exponent in -80i32..70, any_exponent: bool) {
        let x = f64::from_bits(bits);
        let x = if any_exponent { x } else { (bits >> 11) as f64 * f64::powi(2.0, exponent - 53) };
        let tensor = Tensor::scalar(frit_ir::Const::f64(x));
        let written = write(std::slice::from_ref(&tensor), REAL);
        prop_assert!(read_value(&written, &REAL).unwrap()[0] == tensor, "{}", written);
    }

    #[test]
    fn the_reader_never_panics(ty in value_type(), text in "[-\\[\\]{}(),'\"\\\\0-9.eE~/a-zA-Z \n]{0,40}") {
        let _ = read_value(&text, &ty);
    }

    #[test]
    fn values_and_near_values_are_read_or_refused(
        ty in value_type(),
        choices in prop::collection::vec(0usize..12, 1..60),
        cut in 0usize..200,
    ) {
        let mut at = 0;
        let text = sketch(&ty, &mut |n| { at += 1; choices[at % choices.len()] % n });
        if let Ok(tensors) = read_value(&text, &ty) {
            let signature = Signature { params: params(std::slice::from_ref(&ty)), result: ty.clone(), hidden_results: 0 };
            prop_assert!(signature.accepts(&tensors));
            prop_assert!(write(&tensors, ty.clone()).len() < 10_000);
        } else {
            // Sketches have rows of different lengths.
            prop_assert!(text.contains('['), "{} should be a {}", text, ty);
        }
        let cut = text.chars().take(cut).collect::<String>();
        if cut.len() < text.trim_end().len() && !matches!(ty, Type::Basic(_)) {
            prop_assert!(read_value(&cut, &ty).is_err());
        }
    }
}
