//! Specialised programs do what the interpreter of the language says.

use frit_front::sac::core::{Basic, FunctionId, Program};
use frit_front::sac::evaluate::{self, Value};
use frit_front::sac::load;
use frit_front::sac::specialise::{ParamShape, Request, request_of, specialise};
use frit_interp::RunError;
use frit_ir::array::verify::verify;
use frit_ir::{Tensor, TensorData};
use frit_support::{SourceMap, with_deep_stack};
use std::fmt::Write;
use std::path::Path;

mod generated;

/// What a run comes to: results, or the code of a failure; and what was written.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    results: Result<Vec<String>, String>,
    text: String,
}

fn program(name: &str, source: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, source);
    load(&mut sources, file, &[]).map_err(|errors| frit_support::diagnostic::render(&sources, &errors, false))
}

fn shown(tensor: &Tensor) -> String {
    format!("{:?} {:?}", tensor.shape(), tensor.data())
}

fn evaluated(program: &Program, function: FunctionId, args: &[(Basic, Tensor)]) -> Outcome {
    let mut text = String::new();
    let values = args.iter().map(|(basic, tensor)| Value::from_tensor(*basic, tensor.clone())).collect();
    let words = ["program".to_string()];
    let results = evaluate::run(program, function, values, &words, None, &mut |piece| text.push_str(piece));
    let results = results
        .map(|values| values.iter().map(|value| value.to_tensor().map(|t| shown(&t)).unwrap_or_default()).collect())
        .map_err(|failure| failure.code().to_string());
    Outcome { results, text }
}

/// The outcome of the specialised function; an error if it cannot be specialised or breaks an invariant.
fn compiled(program: &Program, request: Request, args: &[Tensor]) -> Result<Outcome, String> {
    let specialised = specialise(program, &[request])
        .map_err(|errors| errors.iter().map(|e| format!("{}: {}\n", e.code, e.message)).collect::<String>())?;
    let entry = &specialised.entries[0];
    if let Err(error) = verify(&specialised.program) {
        return Err(format!("not well-formed: {error}"));
    }
    let mut args = args.to_vec();
    if entry.takes_words {
        let word: Vec<u32> = "program".chars().map(u32::from).collect();
        args.push(Tensor::new(vec![word.len()], TensorData::Char(word.clone())).expect("as many characters"));
        args.push(Tensor::new(vec![1], TensorData::I64(vec![word.len() as i64])).expect("one word"));
    }
    let mut text = String::new();
    let options = frit_interp::Options::default();
    let run = frit_interp::array::run_writing(&specialised.program, entry.func, args, &options, &mut |piece| {
        text.push_str(piece);
    });
    let results = match run {
        Ok(results) => {
            let end = results.len() - usize::from(entry.has_token);
            Ok(results[entry.sizes..end].iter().map(shown).collect())
        }
        Err(RunError::Failed(failure)) => Err(failure.kind.code().to_string()),
        Err(other) => return Err(format!("{other:?}")),
    };
    Ok(Outcome { results, text })
}

/// Runs `main` both ways.
fn check_main(name: &str, source: &str) -> Result<(), String> {
    with_deep_stack(|| {
        let program = program(name, source)?;
        let main = program.main.ok_or("there is no `main`")?;
        let expected = evaluated(&program, main, &[]);
        let request = request_of(&program, main).map_err(|error| error.message)?;
        let found = compiled(&program, request, &[])?;
        if found == expected { Ok(()) } else { Err(format!("found {found:?}\nexpected {expected:?}")) }
    })
}

#[test]
fn programs_do_what_the_interpreter_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/sac");
    let only = std::env::var("FRIT_TEST").unwrap_or_default();
    let mut files = Vec::new();
    for folder in [root.clone(), root.join("library")] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        files.extend(
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "sac")),
        );
    }
    files.sort();
    let mut report = String::new();
    let (mut count, mut failed) = (0, 0);
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !name.contains(&only) {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("the file is there");
        if source.contains("// dynamic") || source.contains("// entry") || source.contains("// args") {
            continue;
        }
        count += 1;
        let outcome = std::panic::catch_unwind(|| check_main(&path.to_string_lossy(), &source))
            .unwrap_or_else(|_| Err("panic".to_string()));
        // What cannot be compiled is for the interpreter alone.
        if let Err(message) = outcome
            && !["rank-depends-on-data", "output-in-with-loop"].iter().any(|code| message.starts_with(code))
        {
            failed += 1;
            let _ = writeln!(report, "---- {name}\n{message}");
        }
    }
    assert!(failed == 0, "{failed} of {count}\n{report}");
}

// ---- functions for arguments of known and unknown extents ----

fn ints(shape: &[usize], values: &[i32]) -> (Basic, Tensor) {
    (Basic::Int, Tensor::new(shape.to_vec(), TensorData::I32(values.to_vec())).expect("as many as the shape has"))
}

fn int(value: i32) -> (Basic, Tensor) {
    ints(&[], &[value])
}

/// `0.5, 1.5, ...` in this shape.
fn doubles(shape: &[usize]) -> (Basic, Tensor) {
    let values = (0..shape.iter().product::<usize>()).map(|at| at as f64 + 0.5).collect();
    (Basic::Double, Tensor::new(shape.to_vec(), TensorData::F64(values)).expect("as many as the shape has"))
}

fn flag(value: bool) -> (Basic, Tensor) {
    (Basic::Bool, Tensor::new(Vec::new(), TensorData::Bool(vec![value])).expect("a scalar"))
}

/// Specialises the last function of a program for arguments of these ranks, with and without their extents, and runs it on each list
/// of arguments. All lists have the same ranks.
fn check_function(source: &str, calls: &[&[(Basic, Tensor)]]) {
    with_deep_stack(|| {
        let program = program("test.sac", source).unwrap_or_else(|errors| panic!("{errors}"));
        let file = 0;
        let (function, _) = program
            .functions
            .iter()
            .filter(|(_, function)| function.span.file == file)
            .max_by_key(|(_, function)| function.span.start)
            .expect("there is a function");
        for args in calls {
            let expected = evaluated(&program, function, args);
            let tensors: Vec<Tensor> = args.iter().map(|(_, tensor)| tensor.clone()).collect();
            for is_known in [true, false] {
                let params = tensors
                    .iter()
                    .map(|t| ParamShape { extents: t.shape().iter().map(|&n| is_known.then_some(n as i64)).collect() })
                    .collect();
                let found = compiled(&program, Request { function, params }, &tensors)
                    .unwrap_or_else(|message| panic!("known: {is_known}, {tensors:?}\n{message}\n{source}"));
                assert_eq!(found, expected, "known: {is_known}, {tensors:?}\n{source}");
            }
        }
    });
}

/// What specialising the last function for arguments without known extents tells the user.
fn refusal(source: &str, ranks: &[usize]) -> String {
    with_deep_stack(|| {
        let program = program("test.sac", source).unwrap_or_else(|errors| panic!("{errors}"));
        let (function, _) = program
            .functions
            .iter()
            .filter(|(_, function)| function.span.file == 0)
            .max_by_key(|(_, function)| function.span.start)
            .expect("there is a function");
        let params = ranks.iter().map(|&rank| ParamShape { extents: vec![None; rank] }).collect();
        match specialise(&program, &[Request { function, params }]) {
            Ok(_) => "none".to_string(),
            Err(errors) => errors.iter().map(|error| error.code).collect::<Vec<_>>().join(" "),
        }
    })
}

#[test]
fn branches_hand_over_scalars_arrays_and_extents() {
    check_function(
        "int, int[.], double[*] f(int n, double[.] a) {
           if (n > 2) { x = n; v = [n, n + 1]; b = a; }
           else { x = 7; v = [1, 2, 3]; b = a ++ a; }
           return (x, v, b);
         }",
        &[&[int(1), doubles(&[3])], &[int(5), doubles(&[3])], &[int(5), doubles(&[0])]],
    );
    check_function(
        "int f(int n) { if (n > 2) { x = n; } if (n > 2) { y = x; } else { y = 0; } return y; }",
        &[&[int(1)], &[int(5)]],
    );
    check_function("int f(int n) { if (n > 2) { x = n; } return x; }", &[&[int(1)], &[int(5)]]);
    check_function(
        "int f(int n, int[.,.] a) { return (n > 0 && a[n - 1, 0] > 3) || n == 0 ? 1 : 2; }",
        &[
            &[int(1), ints(&[2, 2], &[1, 2, 5, 6])],
            &[int(2), ints(&[2, 2], &[1, 2, 5, 6])],
            &[int(0), ints(&[0, 2], &[])],
        ],
    );
    check_function(
        "int[.] f(bool b, int[.] a) { r = b ? a : a + 1; return b ? r ++ [1] : r; }",
        &[&[flag(true), ints(&[2], &[1, 2])], &[flag(false), ints(&[2], &[1, 2])]],
    );
}

#[test]
fn loops_carry_what_changes() {
    check_function(
        "int, int f(int n) { s = 0; p = 1; for (i = 0; i < n; i++) { s = s + i; p = p * 3; } return (s, p); }",
        &[&[int(0)], &[int(5)], &[int(-3)]],
    );
    check_function(
        "int[.] f(int n) { r = [1]; for (i = n; i >= 0; i = i - 2) { r = r ++ [i]; } return r; }",
        &[&[int(0)], &[int(5)], &[int(-3)]],
    );
    check_function(
        "double[.], int f(int n, double[.] a) { i = 0; while (i < n) { b = a; a = b ++ b; i++; } return (a, i); }",
        &[&[int(0), doubles(&[2])], &[int(3), doubles(&[2])], &[int(3), doubles(&[0])]],
    );
    check_function(
        "int f(int n) { do { n = n / 2; last = n; } while (n > 3); return last; }",
        &[&[int(0)], &[int(100)]],
    );
    check_function("int f(int n) { for (i = 0; i < n; i++) { last = i; } return last; }", &[&[int(0)], &[int(4)]]);
    check_function(
        "int[.] f(int n) { for (i = 0; i < n; i++) { last = iota(i); } return last; }",
        &[&[int(0)], &[int(4)]],
    );
    check_function(
        "int[.,.] f(int[.,.] a) { for (i = 0; i < shape(a)[0]; i++) { for (j = 0; j < shape(a)[1]; j++) { a[i, j] = a[i, j] * i + j; } } return a; }",
        &[&[ints(&[2, 3], &[1, 2, 3, 4, 5, 6])], &[ints(&[0, 3], &[])]],
    );
    check_function(
        "int f(int n) { a = 0; b = 1; c = [1, 2]; for (i = 0; i < n; i++) { t = a + b; a = b; b = t; c = [c[1], c[0]]; } return a + c[0]; }",
        &[&[int(0)], &[int(10)], &[int(11)]],
    );
    check_function(
        "double[*] f(double[.,.] a, int n) { for (i = 0; i < n; i++) { a = a + 1.0; if (i == 2) { a = transpose(a); } } return a; }",
        &[&[doubles(&[2, 2]), int(4)], &[doubles(&[2, 3]), int(1)], &[doubles(&[2, 3]), int(4)]],
    );
    check_function(
        "int[.], int f(int n, int m) { i = m; r = [:int]; while (i < n) { r = r ++ [i]; i = i + 2; } return (r, i); }",
        &[&[int(0), int(0)], &[int(5), int(2)], &[int(5), int(7)]],
    );
    check_function(
        "int, int f(int n) { s = 0; t = 0; for (i = 0, j = n; i < j; i++, j--) { s += i; t += j; } return (s, t); }",
        &[&[int(0)], &[int(9)]],
    );
    check_function(
        "int f(int n) { s = 0; for (i = 0; i <= n; i += 3) { for (j = i; j > 0; j--) { s += i * j; } } return s; }",
        &[&[int(0)], &[int(9)], &[int(10)]],
    );
}

#[test]
fn ranks_that_change_in_loops_are_unrolled() {
    check_function(
        "int f(int[.,.,.] a) { b = a; while (dim(b) > 0) { b = b[0]; } return b; }",
        &[&[ints(&[1, 1, 2], &[3, 4])]],
    );
    check_function(
        "int[*] f(int[.,.] a) { for (i = 0; i < dim(a); i++) { a = rotate(i, 1, a); } return a; }",
        &[&[ints(&[2, 3], &[1, 2, 3, 4, 5, 6])]],
    );
    check_function(
        "int[*] f(int[.] a) { r = a; for (i = 0; i < 12; i++) { r = reshape([1] ++ shape(r), r); if (dim(r) > 3) { r = r[0]; } } return r; }",
        &[&[ints(&[2], &[3, 4])]],
    );
    assert_eq!(
        refusal(
            "int[*] f(int n, int[*] a) { for (i = 0; i < n; i++) { a = reshape([1] ++ shape(a), a); } return a; }",
            &[0, 1]
        ),
        "rank-depends-on-data"
    );
}

#[test]
fn recursive_functions_become_functions() {
    check_function("int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }", &[&[int(0)], &[int(10)]]);
    check_function(
        "int[.] f(int[.] a) { if (shape(a)[0] < 2) { r = a; } else { p = a[0]; r = drop([1], a); r = f(r) ++ [p]; } return r; }",
        &[&[ints(&[0], &[])], &[ints(&[4], &[1, 2, 3, 4])]],
    );
    check_function(
        "int f(int[*] a) { if (dim(a) == 0) { r = toi(a); } else { r = 0; for (i = 0; i < shape(a)[0]; i++) { r += f(a[i]); } } return r; }",
        &[&[ints(&[2, 2], &[1, 2, 3, 4])], &[ints(&[0, 2], &[])]],
    );
    check_function(
        "double[n] f(double[n] a, int k) { return k == 0 ? a : f(a + 1.0, k - 1) + a; }",
        &[&[doubles(&[3]), int(3)], &[doubles(&[3]), int(0)]],
    );
    check_function(
        "bool even(int n) { return n == 0 ? true : odd(n - 1); } bool odd(int n) { return n == 0 ? false : even(n - 1); }
         bool f(int n) { return even(n); }",
        &[&[int(7)], &[int(8)]],
    );
    check_function(
        "int, double[.] f(int n) { if (n == 0) { return_a = 1; v = [1.0]; } else { return_a, v = f(n - 1); return_a = return_a * n; v = v ++ v; } return (return_a, v); }",
        &[&[int(0)], &[int(4)]],
    );
    check_function(
        "noinline double[*] g(double[*] a, int k) { return a * tod(k); } double[*] f(double[.,.] a) { return g(a, 2) + g(a, 3); }",
        &[&[doubles(&[2, 3])]],
    );
    check_function(
        "double[.] f(double[.] a) { n = shape(a)[0]; if (n < 2) { r = a; } else { r = f(take([n / 2], a)) ++ f(drop([n / 2], a)) + 1.0; } return r; }",
        &[&[doubles(&[8])], &[doubles(&[7])], &[doubles(&[0])]],
    );
}

#[test]
fn what_is_demanded_of_arguments_is_checked() {
    check_function(
        "int g(int[n] a, int[n] b) { return a[0] + b[0]; } int f(int[.] a, int[.] b) { return g(a, b); }",
        &[&[ints(&[2], &[1, 2]), ints(&[2], &[3, 4])], &[ints(&[2], &[1, 2]), ints(&[3], &[3, 4, 5])]],
    );
    check_function("int g(int n) | n > 3 { return 7; } int f(int n) { return g(n); }", &[&[int(4)], &[int(3)]]);
    check_function(
        "int[n] g(int n, int m) { return iota(m); } int[.] f(int n, int m) { return g(n, m); }",
        &[&[int(4), int(4)], &[int(3), int(4)]],
    );
    check_function(
        "int g(int[2] a) { return 1; } int g(int[.] a) { return 2; } int g(int[*] a) { return 3; } int f(int[.] a) { return g(a); }",
        &[&[ints(&[2], &[1, 2])], &[ints(&[3], &[3, 4, 5])]],
    );
    check_function(
        "int g(int[2] a) { return a[0]; } int g(int[3] a) { return a[2]; } int f(int[.] a) { return g(a); }",
        &[&[ints(&[2], &[1, 2])], &[ints(&[3], &[3, 4, 5])], &[ints(&[1], &[3])]],
    );
    check_function(
        "int f(int[.] a, int i) { return a[i] / a[0]; }",
        &[
            &[ints(&[2], &[1, 2]), int(1)],
            &[ints(&[2], &[0, 2]), int(1)],
            &[ints(&[2], &[1, 2]), int(2)],
            &[ints(&[2], &[1, 2]), int(-1)],
        ],
    );
}

#[test]
fn structural_operations_work_on_unknown_extents() {
    check_function(
        "int[*] f(int[.] a, int k) { return take([k], a) ++ drop([k], a); }",
        &[
            &[ints(&[3], &[1, 2, 3]), int(2)],
            &[ints(&[3], &[1, 2, 3]), int(-2)],
            &[ints(&[3], &[1, 2, 3]), int(0)],
            &[ints(&[3], &[1, 2, 3]), int(4)],
        ],
    );
    check_function(
        "int[*] f(int[.] a, int n) { return reshape([n, 2], a); }",
        &[
            &[ints(&[4], &[1, 2, 3, 4]), int(2)],
            &[ints(&[4], &[1, 2, 3, 4]), int(3)],
            &[ints(&[0], &[]), int(0)],
            &[ints(&[4], &[1, 2, 3, 4]), int(-2)],
        ],
    );
    check_function(
        "int[*] f(int[.,.] a, int k, int n) { return rotate(k, n, rotate([n, 1], a)); }",
        &[
            &[ints(&[2, 3], &[1, 2, 3, 4, 5, 6]), int(0), int(1)],
            &[ints(&[2, 3], &[1, 2, 3, 4, 5, 6]), int(1), int(-5)],
            &[ints(&[2, 3], &[1, 2, 3, 4, 5, 6]), int(2), int(1)],
        ],
    );
    check_function(
        "int[.] f(int[.] a, int[.] b) { return _add_VxV_(a, _mul_SxV_(2, b)); }",
        &[
            &[ints(&[3], &[1, 2, 3]), ints(&[3], &[4, 5, 6])],
            &[ints(&[2], &[1, 2]), ints(&[3], &[4, 5, 6])],
            &[ints(&[0], &[]), ints(&[0], &[])],
        ],
    );
    check_function(
        "double f(double[.,.] a, int i) { a[i] = a[0] * 2.0; b = a; b[0, 0] = 9.0; return sum(a) + b[0, 0]; }",
        &[&[doubles(&[2, 3]), int(1)], &[doubles(&[2, 3]), int(2)]],
    );
}

#[test]
fn output_keeps_its_order() {
    check_function(
        "int f(int n) { for (i = 0; i < n; i++) { printf(\"%d \", i); if (i == 2) { printf(\"two \"); } } printf(\"end\\n\"); return n; }",
        &[&[int(0)], &[int(4)]],
    );
    check_function(
        "void g(int n) { printf(\"<%d>\", n); if (n > 0) { g(n - 1); } printf(\"</%d>\", n); } int f(int n) { g(n); return 0; }",
        &[&[int(0)], &[int(3)]],
    );
    check_function(
        "bool p(int n) { printf(\"?%d\", n); return n < 3; } int f(int n) { while (p(n)) { n++; } return n; }",
        &[&[int(0)], &[int(3)]],
    );
    check_function(
        "int f(int n) { printf(\"a\"); if (n > 0) { printf(\"b\"); n = n / (n - n); } return n; }",
        &[&[int(0)], &[int(3)]],
    );
}
