//! With-loops of SAC mean the same when they are evaluated directly and when they are specialised: for arguments whose extents are
//! known, and for arguments of which only the ranks are.

use frit_front::sac::evaluate::{self, Cause, Value};
use frit_front::sac::specialise::{ParamShape, Request, Specialised, specialise};
use frit_front::sac::{core::Program, load};
use frit_interp::{Options, RunError, array};
use frit_ir::{FailureKind, Tensor, TensorData};
use frit_support::{Random, SourceMap, diagnostic, random, with_deep_stack};

/// What a function gives: its results, or the kind of its failure; and what it writes.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    results: Result<Vec<Tensor>, FailureKind>,
    written: String,
}

fn program(source: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("main.sac", source);
    load(&mut sources, file, &[])
        .unwrap_or_else(|errors| panic!("{}\n{source}", diagnostic::render(&sources, &errors, false)))
}

fn evaluated(program: &Program, args: &[Tensor]) -> Outcome {
    let (function, data) = program.functions.iter().find(|(_, f)| f.name == "f" && f.module.is_none()).expect("`f`");
    let values = data.params.iter().zip(args);
    let values = values.map(|(param, arg)| Value::of_tensors(program, param.pattern.elem, vec![arg.clone()])).collect();
    let mut written = String::new();
    let results = match evaluate::run(program, function, values, &[], None, &mut |text| written.push_str(text)) {
        Ok(values) => Ok(values.into_iter().flat_map(|value| value.into_tensors(program)).collect()),
        Err(failure) => match failure.cause {
            Cause::Check(kind, _) => Err(kind),
            cause => panic!("{cause:?}"),
        },
    };
    Outcome { results, written }
}

fn specialised(program: &Program, args: &[Tensor], are_known: bool) -> Result<Specialised, String> {
    let (function, _) = program.functions.iter().find(|(_, f)| f.name == "f" && f.module.is_none()).expect("`f`");
    let shape =
        |arg: &Tensor| ParamShape { extents: arg.shape().iter().map(|&n| are_known.then_some(n as i64)).collect() };
    let request = Request { function, params: args.iter().map(shape).collect() };
    let specialised = specialise(program, &[request])
        .map_err(|errors| errors.iter().map(|error| format!("{error:?}")).collect::<Vec<_>>().join("\n"))?;
    frit_ir::array::verify::verify(&specialised.program)
        .unwrap_or_else(|error| panic!("{error}\n{}", specialised.program));
    Ok(specialised)
}

fn interpreted(specialised: &Specialised, args: &[Tensor]) -> Outcome {
    let entry = &specialised.entries[0];
    let mut given = args.to_vec();
    if entry.takes_words {
        given.push(Tensor::new(vec![0], TensorData::Char(Vec::new())).expect("no character"));
        given.push(Tensor::new(vec![0], TensorData::I64(Vec::new())).expect("no word"));
    }
    let mut written = String::new();
    let options = Options::default();
    let outcome =
        array::run_writing(&specialised.program, entry.func, given, &options, &mut |text| written.push_str(text));
    let results = match outcome {
        Ok(mut results) => {
            results.truncate(results.len() - usize::from(entry.has_token));
            Ok(results.split_off(entry.sizes))
        }
        Err(RunError::Failed(failure)) => Err(failure.kind),
        Err(error) => panic!("{error}\n{}", specialised.program),
    };
    Outcome { results, written }
}

/// Checks that `f` does the same both ways.
fn check(source: &str, args: &[Tensor]) {
    check_each(source, &[args]);
}

/// The same for several lists of arguments.
fn check_each(source: &str, cases: &[&[Tensor]]) {
    let source = source.to_string();
    let cases: Vec<Vec<Tensor>> = cases.iter().map(|case| case.to_vec()).collect();
    with_deep_stack(move || {
        let program = program(&source);
        for args in &cases {
            let expected = evaluated(&program, args);
            for are_known in [true, false] {
                let specialised = specialised(&program, args, are_known)
                    .unwrap_or_else(|error| panic!("extents known: {are_known}: {error}\n{source}"));
                let found = interpreted(&specialised, args);
                let is_same = match (&expected.results, &found.results) {
                    (Ok(x), Ok(y)) => same(x, y),
                    (x, y) => x == y,
                };
                assert!(
                    is_same && expected.written == found.written,
                    "extents known: {are_known}\nexpected {expected:?}\nfound {found:?}\n{source}\n{args:?}\n{}",
                    specialised.program
                );
            }
        }
    });
}

/// Bit for bit; any two that are no numbers are the same.
fn same(x: &[Tensor], y: &[Tensor]) -> bool {
    let bits = |tensor: &Tensor| -> Vec<String> {
        (0..tensor.data().len()).map(|at| format!("{:?}", tensor.data().get(at))).collect()
    };
    x.len() == y.len()
        && x.iter().zip(y).all(|(x, y)| x.shape() == y.shape() && x.elem() == y.elem() && bits(x) == bits(y))
}

fn ints(shape: &[usize]) -> Tensor {
    let count = shape.iter().product::<usize>() as i32;
    let data = TensorData::I32((0..count).map(|n| (n * 7 + 3) % 11 - 3).collect());
    Tensor::new(shape.to_vec(), data).expect("as many elements as the shape has")
}

fn doubles(shape: &[usize]) -> Tensor {
    let count = shape.iter().product::<usize>();
    let data = TensorData::F64((0..count).map(|n| ((n * 7 + 3) % 11) as f64 * 0.37 - 1.1).collect());
    Tensor::new(shape.to_vec(), data).expect("as many elements as the shape has")
}

fn int(value: i32) -> Tensor {
    Tensor::new(Vec::new(), TensorData::I32(vec![value])).expect("a scalar has one element")
}

#[test]
fn full_generators() {
    let source = "int[.] f(int[.] a) { return with { (. <= iv <= .) : a[iv] + 1; } : genarray(shape(a), 0); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[30])]]);
    let source = "double[.,.] f(double[.,.] a) {
        return with { (. <= [i,j] <= .) : a[j,i] * tod(i + j); } : genarray([shape(a)[1], shape(a)[0]], 0.0); }";
    check_each(source, &[&[doubles(&[3, 4])], &[doubles(&[0, 4])], &[doubles(&[9, 1])]]);
}

#[test]
fn what_no_generator_reaches_is_the_default_or_zero() {
    let source = "int[.] f(int n, int lo, int up) {
        return with { ([lo] <= [i] < [up]) : i * i; } : genarray([n], -1); }";
    check_each(
        source,
        &[
            &[int(9), int(2), int(7)],
            &[int(9), int(0), int(9)],
            &[int(9), int(7), int(2)],
            &[int(3), int(20), int(-4)],
            &[int(9), int(-1), int(4)],
            &[int(9), int(4), int(10)],
            &[int(0), int(0), int(0)],
            &[int(-2), int(0), int(0)],
        ],
    );
    let source = "int[.,.] f(int n, int lo, int up) {
        return with { ([lo,1] <= [i,j] < [up,n-1]) : i * 10 + j; } : genarray([n,n]); }";
    check_each(
        source,
        &[
            &[int(5), int(1), int(4)],
            &[int(5), int(4), int(1)],
            &[int(5), int(4), int(7)],
            &[int(1), int(4), int(7)],
            &[int(2), int(0), int(2)],
        ],
    );
}

#[test]
fn grids() {
    check("int[.] f() { return with { ([0] <= [i] < [9] step [3]) : i*i; } : genarray([9], -1); }", &[]);
    check("int[.] f() { return with { ([0] <= iv < [10] step [4] width [2]) : iv[0]; } : genarray([9], -1); }", &[]);
    let source = "int[.] f(int n, int lo) {
        return with { ([lo] <= iv < [n] step [4] width [2]) : iv[0]; } : genarray([n], -1); }";
    check_each(source, &[&[int(17), int(2)], &[int(17), int(0)], &[int(3), int(3)], &[int(3), int(9)]]);
    let source = "int[.] f(int n, int s, int w) {
        return with { ([1] <= iv <= . step [s] width [w]) : iv[0]; } : genarray([n], -1); }";
    check_each(
        source,
        &[
            &[int(17), int(3), int(1)],
            &[int(17), int(3), int(2)],
            &[int(17), int(3), int(5)],
            &[int(17), int(0), int(5)],
            &[int(17), int(2), int(0)],
            &[int(1), int(2), int(1)],
        ],
    );
    let source = "int[.,.] f(int n) {
        return with { ([1,0] <= [i,j] < [n,n] step [2,3]) : i * 100 + j; ([0,0] <= [i,j] < [n,n] step [3,1]) : -i; }
            : genarray([n,n], 7); }";
    check_each(source, &[&[int(12)], &[int(5)], &[int(1)]]);
    let source = "int[.] f(int n, int m) {
        return with { ([0] <= [i] < [n] step [2]) : i; ([m] <= [i] < [n] step [3]) : -i; ([0] <= [i] < [n]) : 5; }
            : genarray([n], 7); }";
    check_each(source, &[&[int(20), int(4)], &[int(20), int(1)], &[int(20), int(30)]]);
    let source = "int f(int n, int s, int w) {
        return with { ([1] <= iv < [n] step [s] width [w]) : iv[0] * iv[0]; } : fold(+, 0); }";
    check_each(source, &[&[int(17), int(3), int(1)], &[int(17), int(3), int(2)], &[int(17), int(2), int(9)]]);
}

#[test]
fn the_first_generator_that_reaches_an_index_says_its_cell() {
    check("int[.] f() { return with { ([1] <= [i] < [4]) : 7; ([0] <= [i] < [6]) : i; } : genarray([6], 0); }", &[]);
    let source = "int[.,.] f(int a, int b, int c, int d) {
        return with {
            ([a,b] <= [i,j] < [c,d]) : 1;
            ([b,a] <= [i,j] < [d,c]) : 2;
            ([a,a] <= [i,j] < [b,b]) : 3;
        } : genarray([7,7], 0); }";
    check_each(
        source,
        &[
            &[int(1), int(2), int(5), int(6)],
            &[int(0), int(3), int(4), int(7)],
            &[int(5), int(1), int(2), int(7)],
            &[int(0), int(0), int(7), int(7)],
            &[int(0), int(0), int(7), int(8)],
            &[int(3), int(2), int(1), int(9)],
        ],
    );
    let source = "double[.] f(double[.] a) {
        n = shape(a)[0];
        return with {
            ([0] <= iv < [1]) : a[iv];
            ([1] <= iv < [n-1]) : (a[iv-1] + a[iv+1]) / 2.0;
            ([n-1] <= iv < [n]) : a[iv];
        } : genarray([n]); }";
    check_each(source, &[&[doubles(&[9])], &[doubles(&[2])], &[doubles(&[1])], &[doubles(&[0])]]);
}

#[test]
fn cells_may_be_arrays() {
    let source = "int[.,.] f(int[.,.] a) { return with { (. <= [i] <= .) : a[i] + i; } : genarray([shape(a)[0]]); }";
    check_each(source, &[&[ints(&[3, 4])], &[ints(&[0, 4])], &[ints(&[4, 0])]]);
    let source = "int[.,.] f(int[.,.] a, int n) {
        return with { ([1] <= [i] < [n]) : a[i] + i; } : genarray([shape(a)[0]]); }";
    check_each(source, &[&[ints(&[3, 4]), int(2)], &[ints(&[3, 4]), int(0)], &[ints(&[3, 4]), int(4)]]);
    let source = "int[.,.] f(int n, int m) { return with { (. <= [i] <= .) : iota(m) + i; } : genarray([n]); }";
    check_each(source, &[&[int(3), int(4)], &[int(0), int(4)], &[int(3), int(0)]]);
    let source = "int[.,.] f(int n, int m) {
        return with { (. <= [i] <= .) : iota(m) + i; } : genarray([n], iota(5)); }";
    check_each(source, &[&[int(3), int(5)], &[int(0), int(4)], &[int(3), int(4)]]);
    let source = "int[.,.] f(int n, int m) {
        return with { ([0] <= [i] < [n]) : iota(i % m + 3); } : genarray([n]); }";
    check_each(source, &[&[int(4), int(1)], &[int(1), int(3)], &[int(3), int(3)], &[int(3), int(0)]]);
    let source = "int[.,.] f(int n, int m) {
        return with { ([0] <= [i] < [m]) : iota(i % 2 + 3); } : genarray([n]); }";
    check_each(source, &[&[int(1), int(1)], &[int(3), int(3)], &[int(3), int(1)]]);
    let source = "int[.,.] f(int n, int m) {
        return with { ([m] <= [i] < [n] step [2]) : iota(i % 2 + 3); } : genarray([n]); }";
    check_each(source, &[&[int(9), int(1)], &[int(3), int(2)]]);
    let source = "double[.,.,.] f(double[.,.] a) {
        return with { ([0,0] <= iv < [2,3]) : [a[iv], 1.0, 2.0 * a[iv]]; } : genarray([3,4]); }";
    check_each(source, &[&[doubles(&[3, 4])], &[doubles(&[2, 2])]]);
}

#[test]
fn modarray() {
    let source = "int[.] f(int[.] a, int n) { return with { ([1] <= [i] < [n]) : a[i] * 2 + i; } : modarray(a); }";
    check_each(source, &[&[ints(&[6]), int(4)], &[ints(&[6]), int(0)], &[ints(&[6]), int(7)], &[ints(&[0]), int(0)]]);
    let source = "int[.,.] f(int[.,.] a) { return with { ([1] <= [i] <= .) : a[i-1] + 1; } : modarray(a); }";
    check_each(source, &[&[ints(&[4, 3])], &[ints(&[1, 3])], &[ints(&[0, 3])], &[ints(&[3, 0])]]);
    let source = "int[.,.] f(int[.,.] a) {
        return with { ([0,0] <= iv < [2,2]) : 7; ([0,0] <= iv < [4,1]) : 8; ([2,0] <= iv <= .) : 9; } : modarray(a); }";
    check_each(source, &[&[ints(&[4, 3])], &[ints(&[4, 2])], &[ints(&[2, 2])]]);
    check("int[3] f(int x) { a = [1,2,3]; return with { ([1] <= iv < [2]) : x; } : modarray(a); }", &[int(5)]);
    check("int[.] f(int[.] a) { return with { } : modarray(a); }", &[ints(&[3])]);
    let source = "int[.,.] f(int[.,.] a, int n) { return with { ([0] <= [i] < [n]) : iota(3); } : modarray(a); }";
    check_each(source, &[&[ints(&[4, 3]), int(2)], &[ints(&[4, 2]), int(0)], &[ints(&[4, 2]), int(1)]]);
}

#[test]
fn folds() {
    let source = "int f(int[.] a) { return with { (0*shape(a) <= iv < shape(a)) : a[iv]; } : fold(+, 42); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
    let source = "double f(double[.,.] a, int n) {
        return with { ([0,0] <= iv < shape(a)) : a[iv]; ([1,0] <= iv < [n,2]) : a[iv] / 3.0; } : fold(+, 0.1); }";
    check_each(source, &[&[doubles(&[5, 4]), int(3)], &[doubles(&[5, 2]), int(0)]]);
    let source = "int f(int lo, int up) { return with { ([lo] <= [i] < [up]) : i * i; } : fold(+, 0); }";
    check_each(source, &[&[int(-3), int(4)], &[int(3), int(9)], &[int(9), int(3)], &[int(-30), int(-2)]]);
    let source = "int f(int lo, int up) { return with { (lo < i <= up) : i[0] * 2; } : fold(max, -100); }";
    check_each(source, &[&[int(-3), int(4)], &[int(3), int(9)], &[int(9), int(3)]]);
    check("bool f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv] > 5; } : fold(||, false); }", &[ints(&[9])]);
    check("bool f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv] > 5; } : fold(&&, true); }", &[ints(&[9])]);
    let source = "double f(double[.] a) {
        return with { ([0] <= iv < shape(a)) : a[iv]; } : fold(min, 1000.0); }";
    check_each(source, &[&[doubles(&[5])], &[doubles(&[0])], &[doubles(&[20])]]);
}

#[test]
fn folds_of_arrays_and_with_other_functions() {
    let source = "int[.] f(int[.,.] a) {
        return with { ([0] <= [i] < [shape(a)[0]]) : a[i]; } : fold(+, genarray([shape(a)[1]], 0)); }";
    check_each(source, &[&[ints(&[4, 9])], &[ints(&[0, 3])], &[ints(&[3, 0])]]);
    let source = "int[3] f(int[.,.] a) { return with { ([0] <= [i] < [shape(a)[0]]) : a[i]; } : fold(+, [1,2,3]); }";
    check_each(source, &[&[ints(&[4, 3])], &[ints(&[0, 3])]]);
    let source = "int keep(int w, int a, int b) { return w * a + b; }
        int f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv]; } : fold(keep(3), 1); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
    let source = "int f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv]; } : fold(-, 100); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
    let source = "int[.] f(int[.] a) { return with { ([0] <= iv < shape(a)) : [a[iv], 1]; } : fold(++, [0]); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
    let source = "int[.] count(int[.] h, int x) { h[mod(x, 4)] = h[mod(x, 4)] + 1; return h; }
        int[.] f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv]; } : fold(count, genarray([4], 0)); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
}

#[test]
fn folds_that_end_early() {
    let source = "int f(int n) { return with { ([0] <= [i] < [n]) : i; } : foldfix(+, 0, 1); }";
    check_each(source, &[&[int(4)], &[int(0)], &[int(1)], &[int(2)], &[int(30)]]);
    let source = "int f(int[.] a, int x) { return with { ([0] <= [i] < [30]) : a[i]; } : foldfix(+, 0, x); }";
    check_each(source, &[&[ints(&[30]), int(1)], &[ints(&[5]), int(5)], &[ints(&[2]), int(1)]]);
    let source = "bool f(int[.] a) { return with { ([0] <= iv < shape(a)) : a[iv] > 5; } : foldfix(||, false, true); }";
    check_each(source, &[&[ints(&[30])], &[ints(&[3])]]);
    let source = "int[2] f(int n) { return with { ([0] <= [i] < [n]) : [i, 1]; } : foldfix(+, [0,0], [3,3]); }";
    check_each(source, &[&[int(2)], &[int(3)], &[int(9)]]);
}

#[test]
fn several_operations() {
    let source = "int[.], int, int f(int[.] a) {
        r, s, m = with { (. <= iv <= .) : (a[iv] * 2, a[iv], a[iv]); }
            : (genarray(shape(a), 0), fold(+, 0), fold(max, -5));
        return (r, s, m); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
    let source = "int[.], double f(int[.] a, int n) {
        r, s = with { ([1] <= iv < [n]) : (a[iv] * 2, tod(a[iv])); ([n] <= iv < shape(a)) : (1, 0.1); }
            : (genarray(shape(a), 0), fold(+, 0.3));
        return (r, s); }";
    check_each(source, &[&[ints(&[9]), int(4)], &[ints(&[9]), int(12)], &[ints(&[9]), int(0)]]);
    let source = "int[.], int[.], double f(int[.] a, int n) {
        r, q, s = with { ([n] <= iv < shape(a)) : (a[iv] * 2, 4, tod(a[iv])); ([1] <= iv < [n]) : (1, 3, 0.1); }
            : (genarray(shape(a), 0), modarray(a), fold(+, 0.3));
        return (r, q, s); }";
    check_each(source, &[&[ints(&[9]), int(4)], &[ints(&[9]), int(12)], &[ints(&[9]), int(1)]]);
    let source = "int[.], int[.], int f(int n, int m) {
        r, q, s = with { ([0] <= [i] < [3]) : (i, -i, i); ([1] <= [i] < [4]) : (7, 8, 9); }
            : (genarray([n], 0), genarray([m]), fold(+, 0));
        return (r, q, s); }";
    check_each(source, &[&[int(9), int(4)], &[int(4), int(4)], &[int(3), int(9)]]);
    let source = "int, int both(int a) { return (a, a + 1); }
        int[.], int f(int[.] a) { r, s = with { (. <= iv <= .) : both(a[iv]); } : (genarray(shape(a)), fold(+, 0)); return (r, s); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
}

#[test]
fn frames_without_axes() {
    let source = "int f(int[.] a) { return with { ([] <= iv < []) : a[3]; } : genarray([], 0); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])]]);
    check("int[.] f(int[.] a) { return with { ([] <= iv < []) : a + 1; } : genarray([]); }", &[ints(&[5])]);
    check("int[.] f(int[.] a) { return with { ([] <= iv < []) : a + 1; } : modarray(a); }", &[ints(&[5])]);
    check("int[.] f(int[.] a) { return with { ([] <= iv < []) : a + 1; } : fold(+, a); }", &[ints(&[5])]);
    check("int[*] f(int a) { return with { (. <= iv <= .) : 3; } : genarray(shape(a), 0); }", &[int(5)]);
}

#[test]
fn bounds_are_normalised() {
    let source = "int[.,.] f(int[.,.] a) { return with { (. < iv < .) : 1; } : genarray(shape(a), 0); }";
    check_each(source, &[&[ints(&[5, 4])], &[ints(&[2, 4])], &[ints(&[1, 4])], &[ints(&[0, 4])]]);
    let source = "int[.,.] f(int[.,.] a) { return with { (. <= iv < .) : iv[1]; } : modarray(a); }";
    check_each(source, &[&[ints(&[5, 4])], &[ints(&[2, 4])], &[ints(&[1, 4])], &[ints(&[0, 4])]]);
    let source = "int[.,.] f(int n) { return with { (1 <= iv <= 2) : 3; } : genarray([n,n], 0); }";
    check_each(source, &[&[int(4)], &[int(3)], &[int(2)]]);
    let source =
        "int[.,.] f(int[.] v, int[.] w) { return with { (v <= iv < w) : iv[0] + 2 * iv[1]; } : genarray([6,6], 0); }";
    check_each(source, &[&[ints(&[2]), ints(&[2])], &[ints(&[3]), ints(&[2])], &[ints(&[2]), ints(&[1])]]);
    let source =
        "int[.,.] f(int[2] v) { return with { (. <= iv=[i,j] <= .) : iv[0] + i + j; } : genarray(abs(v), 0); }";
    check_each(source, &[&[ints(&[2])]]);
}

#[test]
fn blocks_and_nests() {
    let source = "int[.,.] f(int[.,.] a) {
        return with { (. <= [i,j] <= .) { x = a[i,j]; if (x > 2) { y = x * 2; } else { y = -x; } } : y + x; }
            : genarray(shape(a), 0); }";
    check_each(source, &[&[ints(&[5, 4])], &[ints(&[0, 4])]]);
    let source = "int[.] f(int[.,.] a) {
        return with { (. <= [i] <= .) : with { ([0] <= [j] < [shape(a)[1]]) : a[i,j]; } : fold(+, i); }
            : genarray([shape(a)[0]], 0); }";
    check_each(source, &[&[ints(&[5, 4])], &[ints(&[5, 40])], &[ints(&[0, 4])]]);
    let source = "int[.] f(int n) {
        return with { (. <= [i] <= .) { s = 0; for (k = 0; k < i; k++) { s = s + k; } } : s; } : genarray([n], 0); }";
    check_each(source, &[&[int(3)], &[int(12)]]);
    let source = "int[.,.] f(int n) {
        return with { (. <= [i] <= .) : with { ([0] <= [j] < [i]) : i + j; } : genarray([n], -1); } : genarray([n]); }";
    check_each(source, &[&[int(3)], &[int(12)], &[int(0)]]);
    let source = "int[.,.] f(int n) {
        return with { (. <= [i] <= .) : with { ([0] <= [j] <= [i]) : j; } : genarray([max(i, 3)], -1); } : genarray([n]); }";
    check_each(source, &[&[int(3)], &[int(4)], &[int(5)]]);
}

#[test]
fn states_and_output_in_order() {
    let source =
        "int f(int n) { s = 5; s = with { ([0] <= [i] < [n]) { s = s * 2 - i; } : s; } : propagate(s); return s; }";
    check_each(source, &[&[int(3)], &[int(0)], &[int(12)]]);
    let source = "int[.], int f(int n) { s = 5;
        a, s = with { ([1] <= [i] < [n]) { s = s * 2 - i; } : (s + i, s); } : (genarray([n], 0), propagate(s));
        return (a, s); }";
    check_each(source, &[&[int(3)], &[int(0)], &[int(12)]]);
    let source = "use StdIO: all; use ArrayArith: all; use ScalarArith: all; use ArrayBasics: all;
        int[.] f(int[.] a) {
        return with { (. <= iv <= .) { printf(\"%d,\", a[iv]); } : a[iv] + 1; } : genarray(shape(a), 0); }";
    check_each(source, &[&[ints(&[5])], &[ints(&[0])], &[ints(&[20])]]);
}

#[test]
fn typedefs_and_structs() {
    let source = "typedef double[2] pair;
        pair[.] f(double[.] a) { return with { (. <= iv <= .) : (pair)[a[iv], 1.0]; } : genarray(shape(a)); }";
    check_each(source, &[&[doubles(&[5])], &[doubles(&[0])], &[doubles(&[1])]]);
    let source = "struct P { int x; double[3] v; };
        double[.,.] f(int[.] a) {
            p = with { ([1] <= iv < shape(a)) : P{a[iv], [1.0, 2.0, tod(a[iv])]}; } : genarray(shape(a));
            return p.v; }";
    check_each(source, &[&[ints(&[5])], &[ints(&[1])], &[ints(&[0])]]);
}

#[test]
fn tensor_comprehensions() {
    check_each(
        "int[.,.] f(int n) { return { [.,j] -> [10*j, 10*j+1, 10*j+2] | [j] < [n] }; }",
        &[&[int(2)], &[int(9)]],
    );
    check_each("int[.] f(int n) { return { [i] -> i | [2] <= [i] < [n] }; }", &[&[int(5)], &[int(12)]]);
    let source = "int[.,.] f(int[.,.] a, int[.,.] b) { return { [i,j] -> sum({ [k] -> a[i,k] * b[k,j] }) }; }";
    check_each(source, &[&[ints(&[3, 4]), ints(&[4, 2])], &[ints(&[3, 0]), ints(&[0, 2])]]);
    let source = "int[.,.] f(int[.,.] a) { return { [i,j] -> 0 | [0,0] <= [i,j] < [1,2]; [i,j] -> a[i,j] }; }";
    check_each(source, &[&[ints(&[3, 4])], &[ints(&[1, 2])], &[ints(&[1, 1])]]);
}

#[test]
fn bodies_that_are_cut_and_renamed() {
    // The inner array's extent is the outer index, and the second generator is cut in two.
    let source = "int[.,.] f(int n, int m) {
        return with {
            ([m,m] <= [i,j] < [m+1,m+2]) { v = iota(i + j); w = with { (. <= [k] <= .) : v[k] + k; } : genarray([i + j], 0); }
                : sum(w) + shape(w)[0];
            ([0,0] <= [i,j] < [n,n]) { v = with { ([1] <= [k] < [i]) : k * j; } : genarray([i], 1); }
                : with { ([0] <= [k] < [i]) : v[k]; } : fold(+, 0);
        } : genarray([n,n], -1); }";
    check_each(source, &[&[int(6), int(2)], &[int(5), int(0)], &[int(4), int(2)]]);
}

#[test]
fn folds_beside_arrays_and_of_several_generators() {
    let source = "typedef double[2] pair;
        pair[.], double[2], int f(double[.] a, int n) {
            p, s, c = with {
                ([n] <= iv < shape(a)) : ((pair)[a[iv], 1.0], [a[iv], 2.0], 1);
            } : (genarray(shape(a)), fold(+, [0.5, 0.0]), fold(+, 0));
            return (p, s, c); }";
    check_each(source, &[&[doubles(&[7]), int(3)], &[doubles(&[7]), int(0)], &[doubles(&[2]), int(5)]]);
    // Integers may be added in any order, reals only generator by generator.
    let source = "int, double f(double[.,.] a, int n) {
        r, s = with {
            ([0,n] <= iv < shape(a)) : (iv[0], a[iv]);
            ([0,0] <= [i,j] < [shape(a)[0],n]) : (i * j, a[i,j] * 3.0);
        } : (fold(+, 1), fold(+, 0.1));
        return (r, s); }";
    check_each(source, &[&[doubles(&[5, 6]), int(2)], &[doubles(&[5, 6]), int(0)], &[doubles(&[5, 6]), int(6)]]);
    let source = "int f(int[.,.] a, int n) {
        return with {
            ([0,n] <= iv < shape(a)) : a[iv];
            ([0,0] <= [i,j] < [shape(a)[0],n]) : a[i,j] * 3;
            ([-2] <= [i] < [3]) : i;
        } : fold(+, 1); }";
    check_each(source, &[&[ints(&[5, 6]), int(2)], &[ints(&[5, 6]), int(0)], &[ints(&[5, 6]), int(6)]]);
}

#[test]
fn folds_of_structs_and_of_changing_shape() {
    let source = "struct S { int n; double[2] v; };
        struct S add(struct S a, struct S b) { return S{a.n + b.n, a.v + b.v}; }
        int, double[2] f(double[.] a) {
            s = with { ([0] <= [i] < shape(a)) : S{i, [a[i], 1.0]}; } : fold(add, S{});
            return (s.n, s.v); }";
    check_each(source, &[&[doubles(&[7])], &[doubles(&[0])], &[doubles(&[30])]]);
    let source = "int[.] grow(int[.] a, int n) { return n > 2 ? a ++ [n] : a; }
        int[.], int f(int[.] a) {
            r, s = with { ([0] <= [i] < shape(a)) : (a[i], a[i]); } : (fold(grow, [7]), fold(+, 0));
            return (r, s); }";
    check_each(source, &[&[ints(&[7])], &[ints(&[0])], &[ints(&[30])]]);
    let source = "int[.,.] f(int[.,.] a, int n) {
        return with { ([0] <= [i] < [n]) : genarray([i + 1, shape(a)[1]], i); } : fold(++, a); }";
    check_each(source, &[&[ints(&[2, 3]), int(4)], &[ints(&[0, 3]), int(12)], &[ints(&[2, 0]), int(3)]]);
}

#[test]
fn what_fails_fails_where_it_is_reached() {
    // The cell fails at an index that may be reached or not.
    let source = "int[.] f(int[.] a, int n) { return with { ([0] <= [i] < [n]) : a[i + 1]; } : genarray([n], 0); }";
    check_each(source, &[&[ints(&[7]), int(6)], &[ints(&[7]), int(7)], &[ints(&[0]), int(0)], &[ints(&[1]), int(1)]]);
    let source =
        "int[.] f(int n, int m) { v = [1,2,3]; return with { ([m] <= [i] < [n]) : v[i] / m; } : genarray([n], 0); }";
    check_each(source, &[&[int(3), int(1)], &[int(4), int(1)], &[int(3), int(0)], &[int(0), int(0)]]);
    let source = "int[.] f(int n) { return with { ([0] <= [i] < [n]) : [1,2,3][7]; } : genarray([n], 0); }";
    check_each(source, &[&[int(3)], &[int(0)]]);
    let source =
        "int[.] f(int n) { return with { ([0] <= [i] < [n]) : [1,2,3][7]; ([n] <= [i] < [9]) : 4; } : genarray([9]); }";
    check_each(source, &[&[int(3)], &[int(0)]]);
    let source = "int positive(int x) | x > 0 { return x; }
        int[.] f(int n, int m) { return with { ([m] <= [i] < [n]) : positive(i); } : genarray([n], 0); }";
    check_each(source, &[&[int(3), int(1)], &[int(3), int(0)]]);
    let source = "int f(int[.] a, int x) { return with { ([0] <= [i] < [30]) : 10 / a[i]; } : foldfix(+, 0, x); }";
    check_each(source, &[&[ints(&[30]), int(3)], &[ints(&[30]), int(-99)]]);
}

#[test]
fn with_loops_in_branches_and_loops() {
    let source = "int[.] f(int[.] a, int n) {
        if (n > 3) { a = with { ([0] <= iv < [n]) : a[iv] * 2; } : genarray([n], 0); }
        else { a = with { (. <= iv <= .) : a[iv] + n; } : modarray(a); }
        return a; }";
    check_each(source, &[&[ints(&[7]), int(5)], &[ints(&[7]), int(2)], &[ints(&[2]), int(5)]]);
    let source = "int[.] f(int[.] a, int n) {
        for (k = 0; k < n; k++) {
            s = with { ([0] <= iv < shape(a)) : a[iv]; } : fold(max, k);
            a = with { ([1] <= iv < shape(a)) : a[iv - 1] + s % 5; } : modarray(a);
        }
        return a; }";
    check_each(source, &[&[ints(&[7]), int(5)], &[ints(&[20]), int(0)], &[ints(&[0]), int(2)]]);
    let source = "int[.] f(int[.] a, int n) {
        do {
            a = with { ([0] <= [i] < [n]) : i; ([n] <= [i] < [n + shape(a)[0]]) : a[[i - n]]; } : genarray([n + shape(a)[0]]);
            n = n - 1;
        } while (n > 0);
        return a; }";
    check_each(source, &[&[ints(&[7]), int(5)], &[ints(&[0]), int(1)], &[ints(&[2]), int(12)]]);
}

#[test]
fn nests_of_unknown_and_known_extents() {
    let source = "double[.,.] f(double[.,.] a, double[.,.] b) {
        return with { (. <= [i,j] <= .) :
            with { ([0] <= [k] < [shape(a)[1]]) : a[i,k] * b[k,j]; } : fold(+, 0.0);
        } : genarray([shape(a)[0], shape(b)[1]], 0.0); }";
    check_each(source, &[&[doubles(&[3, 4]), doubles(&[4, 2])], &[doubles(&[3, 0]), doubles(&[0, 2])]]);
    let source = "int[.,.,.] f(int[.,.] a, int n) {
        return with { (. <= [i] <= .) : with { ([1] <= [j] < [shape(a)[0]]) : take([n], a[j]) + i; } : genarray([shape(a)[0]]); }
            : genarray([2]); }";
    check_each(
        source,
        &[&[ints(&[3, 4]), int(2)], &[ints(&[3, 4]), int(-2)], &[ints(&[1, 4]), int(2)], &[ints(&[3, 4]), int(5)]],
    );
    let source = "int[.,.] f(int[.,.] a) {
        return with { (. <= [i] <= .) : reverse(a[i]) ++ rotate([1], a[i]); } : genarray([shape(a)[0]]); }";
    check_each(source, &[&[ints(&[3, 4])], &[ints(&[3, 0])], &[ints(&[0, 4])]]);
    let source = "double[.,.] f(double[.,.] a) {
        b = with { ([1,1] <= iv < shape(a) - 1) : 0.25 * (a[iv + [1,0]] + a[iv - [1,0]] + a[iv + [0,1]] + a[iv - [0,1]]); }
            : modarray(a);
        return with { (. <= iv <= .) : abs(b[iv] - a[iv]); } : genarray(shape(a), 0.0); }";
    check_each(source, &[&[doubles(&[5, 6])], &[doubles(&[2, 2])], &[doubles(&[3, 3])], &[doubles(&[0, 3])]]);
}

#[test]
fn small_known_spaces() {
    check("int[3] f(int x) { return with { ([1] <= [i] < [3]) : x * i; } : genarray([3], 7); }", &[int(4)]);
    check(
        "double[2,2] f(double x) { return with { (. <= [i,j] <= .) : x * tod(i + 2 * j); } : genarray([2,2]); }",
        &[doubles(&[])],
    );
    check("int[2,3] f(int[2,3] a) { return with { (. <= [i] <= .) : a[1 - i]; } : genarray([2]); }", &[ints(&[2, 3])]);
    check(
        "int[2,3] f(int[2,3] a) { return with { ([1] <= [i] < [2]) : [i, 5, 6]; } : modarray(a); }",
        &[ints(&[2, 3])],
    );
    check("int f(int x) { return with { ([0] <= [i] < [5]) : x + i; } : fold(*, 1); }", &[int(3)]);
    check("int[0] f(int x) { return with { (. <= [i] <= .) : x + i; } : genarray([0]); }", &[int(3)]);
    check("int[0,3] f(int x) { return with { (. <= [i] <= .) : [x, i, 4]; } : genarray([0]); }", &[int(3)]);
    check("int[.] f(int x) { return with { ([0] <= [i] < [3]) : [i]; } : fold(++, [x]); }", &[int(3)]);
    check("int[2,0] f(int[0] a) { return with { (. <= [i] <= .) : a; } : genarray([2]); }", &[ints(&[0])]);
}

fn vector(random: &mut Random, rank: usize, texts: &[&str]) -> String {
    let parts: Vec<&str> = (0..rank).map(|_| random.of(texts)).collect();
    format!("[{}]", parts.join(","))
}

/// A function of `a`, `n` and `m` that is one with-loop.
fn random_with_loop(random: &mut Random, rank: usize) -> String {
    let operations: &[&str] = match random.below(6) {
        0 => &["genarray(shape(a), 7)"],
        1 => &["genarray(shape(a))", "fold(+, 0)"],
        2 => &["modarray(a)"],
        3 => &["fold(+, 1)"],
        4 => &["modarray(a)", "genarray(shape(a) + 1, -1)", "fold(max, -9)"],
        _ => &["fold(mix, 1)", "genarray(shape(a), 3)"],
    };
    let has_array = operations.iter().any(|operation| operation.contains("array"));
    let mut generators = String::new();
    for _ in 0..1 + random.below(3) {
        let low = ["0", "1", "2", "m", "n", "n - m", "m + 1"];
        let high = ["4", "3", "n", "m", "n + 1", "n - 1", "m + 2", "e"];
        let mut lower = vector(random, rank, &low);
        let mut upper = vector(random, rank, &high);
        if has_array && random.below(4) == 0 {
            lower = ".".into();
        }
        if has_array && random.below(4) == 0 {
            upper = ".".into();
        }
        let period = match random.below(6) {
            0 => format!(" step {}", vector(random, rank, &["1", "2", "3"])),
            1 => {
                format!(" step {} width {}", vector(random, rank, &["2", "3", "4"]), vector(random, rank, &["1", "2"]))
            }
            2 => format!(" step {} width {}", vector(random, rank, &["2", "m + 1"]), vector(random, rank, &["1", "2"])),
            _ => String::new(),
        };
        let (below, above) = (random.of(&["<=", "<=", "<"]), random.of(&["<", "<", "<="]));
        let sum = if rank == 1 { "iv[0] * 3" } else { "iv[0] * 3 - iv[1] * n" };
        let cells = ["iv[0] + m", sum, "n * 5", "iv[0] * iv[0] % 7"];
        let cells: Vec<&str> = operations.iter().map(|_| random.of(&cells)).collect();
        generators += &format!("({lower} {below} iv {above} {upper}{period}) : ({});\n", cells.join(", "));
    }
    let names = ["r", "s", "t"][..operations.len()].join(", ");
    let array = if rank == 1 { "int[.]" } else { "int[.,.]" };
    let types = operations.iter().map(|operation| if operation.contains("array") { array } else { "int" });
    let types = types.collect::<Vec<_>>().join(", ");
    format!(
        "int mix(int a, int b) {{ return a * 3 + b; }}
{types} f({array} a, int n, int m) {{
e = shape(a)[0];
{names} = with {{
{generators}}} : ({});
return ({names});
}}",
        operations.join(", ")
    )
}

#[test]
fn random_with_loops() {
    let mut random = Random::new(random::seed());
    for at in 0..random::cases(90) {
        let rank = 1 + at % 2;
        let source = random_with_loop(&mut random, rank);
        let mut cases = Vec::new();
        for _ in 0..6 {
            let shape: Vec<usize> = (0..rank).map(|_| random.below(7)).collect();
            cases.push([ints(&shape), int(random.below(7) as i32), int(random.below(4) as i32)]);
        }
        let cases: Vec<&[Tensor]> = cases.iter().map(|case| &case[..]).collect();
        check_each(&source, &cases);
    }
}

/// How many generators each with-loop of a function of a test program has, in the order of the program.
fn generators(file: &str, function: &str, params: Vec<ParamShape>) -> Vec<usize> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/sac").join(file);
    let source = std::fs::read_to_string(path).expect("the program can be read");
    let function = function.to_string();
    with_deep_stack(move || {
        let program = program(&source);
        let named = program.functions.iter().find(|(_, f)| f.name == function && f.module.is_none());
        let (function, _) = named.expect("the program has the function");
        let specialised = specialise(&program, &[Request { function, params }]).expect("it can be specialised");
        let text = specialised.program.to_string();
        text.split(": with").skip(1).map(|with_loop| with_loop.matches("<= iv <").count()).collect()
    })
}

/// Section 4 of the paper on merging and figure 8 of that on fusion begin with these.
#[test]
fn the_papers_programs_become_the_with_loops_that_the_papers_begin_with() {
    let matrix = ParamShape { extents: vec![Some(9), Some(9)] };
    // take, mkarray, +++, rotate along both axes, +, mkarray, drop, ++++
    assert_eq!(generators("paper_merging_running_example.sac", "foo", vec![matrix]), [1, 1, 2, 2, 2, 1, 1, 1, 2]);
    let vector = ParamShape { extents: vec![Some(9)] };
    // rotate, +, rotate, +, /, -, abs, >, any
    let found = generators("paper_fusion_convolution.sac", "convolution", vec![vector, ParamShape::default()]);
    assert_eq!(found[found.len() - 9..], [2, 1, 2, 1, 1, 1, 1, 1, 1]);
}
