//! Formats show what C's `printf` shows.

use std::fmt::Write as _;
use std::process::Command;

use frit_ir::format::Format;
use frit_ir::scalar::{Const, Scalar};
use frit_ir::tensor::{Tensor, TensorData};

fn render(format: &str, args: &[Const]) -> String {
    let args: Vec<Tensor> = args.iter().map(|&c| Tensor::scalar(c)).collect();
    Format::parse(format).expect("the format is one").render(&args)
}

/// A C expression for a constant.
fn c_literal(value: Const) -> String {
    match value {
        Const::Int(Scalar::I64, v) => format!("(long long){}ULL", v as u64),
        Const::Int(Scalar::U64, v) => format!("{}ULL", v as u64),
        Const::Int(Scalar::I32, v) => format!("(int){}u", v as u32),
        Const::Int(kind, v) if kind.is_signed() => {
            format!("({}){v}", if kind == Scalar::I8 { "signed char" } else { "short" })
        }
        Const::Int(_, v) => format!("{v}u"),
        Const::F64(bits) if f64::from_bits(bits).is_nan() => "NAN".into(),
        Const::F64(bits) if f64::from_bits(bits).is_infinite() => {
            if f64::from_bits(bits) < 0.0 { "-INFINITY" } else { "INFINITY" }.into()
        }
        Const::F64(bits) => format!("{:e}", f64::from_bits(bits)),
        Const::F32(bits) => format!("{:e}f", f32::from_bits(bits)),
        other => panic!("no literal for {}", other.scalar()),
    }
}

#[test]
fn numbers_are_shown_as_the_c_library_shows_them() {
    let flags = ["", "-", "+", " ", "#", "0", "-0", "+0", " 0", "#0", "+#0", "-+ #0"];
    let widths = ["", "5", "14"];
    let precisions = ["", ".", ".0", ".1", ".3", ".10", ".17"];
    let integers = [
        Const::i64(0),
        Const::i64(-1),
        Const::i64(42),
        Const::i64(i64::MIN),
        Const::int(Scalar::I32, -7),
        Const::int(Scalar::I32, i32::MIN.into()),
        Const::int(Scalar::I8, -128),
        Const::int(Scalar::U8, 200),
        Const::int(Scalar::U32, u32::MAX.into()),
        Const::int(Scalar::U64, -1),
    ];
    let reals = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.5,
        2.5,
        0.125,
        0.1,
        123456.0,
        999999.5,
        1234567.0,
        1e-4,
        1.234e-5,
        9.9999995e-5,
        1e15,
        1e100,
        -1e300,
        5e-324,
        f64::MAX,
        std::f64::consts::PI,
        100.0,
        0.00012345678,
        1e22,
        1e23,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut cases = Vec::new();
    for flag in flags {
        for width in widths {
            for precision in precisions {
                for kind in ["d", "i", "u", "o", "x", "X"] {
                    for value in integers {
                        let wide = matches!(value, Const::Int(Scalar::I64 | Scalar::U64, _));
                        let length = if wide { "ll" } else { "" };
                        cases.push((format!("[%{flag}{width}{precision}{length}{kind}]"), value));
                        if !wide && width == "5" {
                            cases.extend(["h", "hh"].map(|l| (format!("[%{flag}{width}{precision}{l}{kind}]"), value)));
                        }
                    }
                }
                for kind in ["f", "F", "e", "E", "g", "G", "a", "A"] {
                    let values = reals.iter().map(|&v| Const::f64(v)).chain([Const::f32(0.1), Const::f32(3e-12)]);
                    cases.extend(values.map(|value| (format!("[%{flag}{width}{precision}{kind}]"), value)));
                }
            }
        }
    }
    let mut source = String::from("#include <math.h>\n#include <stdio.h>\nint main(void) {\n");
    for (format, value) in &cases {
        writeln!(source, "printf(\"{format}\\n\", {});", c_literal(*value)).expect("a string takes all text");
    }
    source.push_str("return 0; }\n");
    let folder = std::env::temp_dir().join(format!("frit-format-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("print.c"), source).expect("the file can be written");
    let compiled =
        Command::new("cc").args(["-w", "-O0", "-o", "print", "print.c", "-lm"]).current_dir(&folder).status();
    match compiled {
        Ok(status) => assert!(status.success(), "the C program compiles"),
        Err(_) => {
            eprintln!("skipped: there is no C compiler");
            return;
        }
    }
    let printed = Command::new(folder.join("print")).output().expect("the C program runs").stdout;
    let printed = String::from_utf8(printed).expect("the output is text");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert_eq!(printed.lines().count(), cases.len());
    // Some versions of glibc drop the zeros that `#` keeps where rounding up makes one more digit before the point.
    let is_doubtful = |format: &str, value: Const| {
        value == Const::f64(999999.5) && format.contains('#') && format.to_lowercase().ends_with("g]")
    };
    let differences: Vec<String> = cases
        .iter()
        .zip(printed.lines())
        .filter(|((format, value), _)| !is_doubtful(format, *value))
        .map(|((format, value), line)| (format, value, render(format, &[*value]), line))
        .filter(|(_, _, ours, theirs)| ours != theirs)
        .map(|(format, value, ours, theirs)| format!("{format} of {value:?}: {ours} for {theirs}"))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn texts_are_padded_and_cut_by_characters() {
    let text = Tensor::new(vec![3], TensorData::Char("añb".chars().map(u32::from).collect())).expect("three elements");
    let show = |format: &str| Format::parse(format).expect("the format is one").render(std::slice::from_ref(&text));
    assert_eq!(show("<%s>"), "<añb>");
    assert_eq!(show("<%5s>"), "<  añb>");
    assert_eq!(show("<%-5s>"), "<añb  >");
    assert_eq!(show("<%.2s>"), "<añ>");
    assert_eq!(show("<%.0s>"), "<>");
}

#[test]
fn widths_and_precisions_may_be_arguments() {
    let text = Tensor::new(vec![3], TensorData::Char("abc".chars().map(u32::from).collect())).expect("three elements");
    let number = |n: i64| Tensor::scalar(Const::i64(n));
    let show = |format: &str, args: &[Tensor]| Format::parse(format).expect("the format is one").render(args);
    assert_eq!(show("<%*d>", &[number(4), number(7)]), "<   7>");
    assert_eq!(show("<%*d|%-*d>", &[number(-4), number(7), number(-4), number(7)]), "<7   |7   >");
    assert_eq!(show("<%*.*f>", &[number(7), number(2), Tensor::scalar(Const::f64(1.5))]), "<   1.50>");
    assert_eq!(show("<%.*f>", &[number(-1), Tensor::scalar(Const::f64(1.5))]), "<1.500000>");
    assert_eq!(show("<%*.*s>", &[number(4), number(2), text.clone()]), "<  ab>");
    assert_eq!(show("<%.*s>", &[number(-1), text]), "<abc>");
}

#[test]
fn characters_are_code_points() {
    assert_eq!(render("%c%3c%-3c|", &[Const::Char(0x3bb), Const::Char('b'.into()), Const::i64(65)]), "λ  bA  |");
    assert_eq!(render("%c", &[Const::Char(0xd800)]), "\u{fffd}");
    assert_eq!(render("%d", &[Const::Char(0x3bb)]), "955");
}

#[test]
fn truth_values_are_numbers_and_no_nan_has_a_sign() {
    assert_eq!(render("%d %i", &[Const::Bool(true), Const::Bool(false)]), "1 0");
    assert_eq!(render("%f", &[Const::f64(-f64::NAN)]), "nan");
}

#[test]
fn digits_that_the_standard_library_does_not_count_are_zeros() {
    assert_eq!(render("%.70000f", &[Const::f64(0.5)]), format!("0.5{}", "0".repeat(69_999)));
    assert_eq!(render("%.70000e", &[Const::f64(0.5)]), format!("5.{}e-01", "0".repeat(70_000)));
    assert_eq!(render("%.70000g", &[Const::f64(0.5)]), "0.5");
}

#[test]
fn what_was_written_reads_back() {
    for text in ["", "plain", "100%% %d%%", "%-+ #012.5f|%s|%c", "%5.3ld %lu %hhx %hd %lle %G", "%*d %-*.*f %.*s %a"] {
        let format = Format::parse(text).expect("the format is one");
        assert_eq!(Format::parse(&format.to_string()), Ok(format.clone()), "{text}");
    }
    assert_eq!(Format::parse("%5.3ld%%").expect("the format is one").to_string(), "%5.3d%%");
}

#[test]
fn conversions_that_do_not_exist_are_refused() {
    for (text, at) in
        [("%", 0), ("a %n", 2), ("%p", 0), ("%**d", 0), ("é %.*", 3), ("%5", 0), ("%99999999999d", 0), ("%k", 0)]
    {
        assert_eq!(Format::parse(text).expect_err("the format is none").at, at, "{text}");
    }
}
