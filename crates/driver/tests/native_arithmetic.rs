//! Every scalar operation on every type and on edge values, compiled, against its definition in `frit_ir::scalar`.

use crate::common;

use common::{Native, assert_agree, c_of, int, program};
use frit_ir::nest::{ArrayData, Binding, Expr, LoopData, LoopKind, Proc, Program, Stmt, Storage};
use frit_ir::{BinOp, Const, Scalar, Tensor, TensorData, UnOp};
use frit_support::{Random, Span, random};
use std::sync::Arc;

/// Values at which something special happens, and some ordinary ones.
fn values(scalar: Scalar) -> Vec<Const> {
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        10.0,
        127.9,
        128.0,
        -128.9,
        -129.0,
        255.9,
        256.0,
        32768.0,
        -32769.0,
        65535.9,
        65536.0,
        2147483647.5,
        2147483648.0,
        -2147483649.0,
        4294967295.5,
        4294967296.0,
        -4294967295.5,
        -4294967296.0,
        1e10,
        -1e10,
        0.9999999999999999,
        -0.9999999999999999,
        2251799813685247.8,
        -2251799813685247.8,
        2251799813685248.0,
        -2251799813685248.5,
        4503599627370495.5,
        -4503599627370497.0,
        9007199254740994.0,
        9.2e18,
        9223372036854774784.0,
        -9223372036854774784.0,
        9223372036854775808.0,
        -9223372036854775808.0,
        -9.3e18,
        1.8e19,
        18446744073709551616.0,
        1e300,
        1e-300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let integers = [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        31,
        32,
        63,
        64,
        65,
        127,
        128,
        255,
        256,
        1000,
        32767,
        65535,
        46341,
        2147483647,
        2147483648,
        4294967295,
        4294967296,
        3037000500,
        2251799813685248,
        4503599627370497,
        9007199254740993,
        // Half way between two reals, and next to that.
        1152921504606847104,
        1152921504606847105,
        i64::MAX - 512,
        i64::MAX,
    ];
    match scalar {
        Scalar::F64 => floats.iter().map(|&v| Const::f64(v)).collect(),
        Scalar::F32 => floats.iter().map(|&v| Const::f32(v as f32)).collect(),
        Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Scalar::Char => [0, 65, 97, 0x7f, 0x1F600, 0x10FFFF].map(Const::Char).to_vec(),
        Scalar::Cert => vec![Const::Cert],
        integer => {
            let mut all: Vec<Const> =
                integers.iter().flat_map(|&v| [v, -v, -v - 1]).map(|v| Const::int(integer, v)).collect();
            all.push(Const::int(integer, i64::MIN));
            all.sort();
            all.dedup();
            all
        }
    }
}

/// A program with one result per operation, on operands from tables; some second operands are constants, which are printed
/// specially.
struct Cases {
    proc: Proc,
    expected: Vec<(String, Vec<Const>)>,
}

impl Cases {
    fn table(&mut self, elements: &[Const]) -> frit_ir::nest::Array {
        let mut data = TensorData::empty(elements[0].scalar());
        elements.iter().for_each(|&element| data.push(element));
        let tensor = Tensor::new(vec![elements.len()], data).unwrap();
        self.array(elements[0].scalar(), &[elements.len()], Storage::Table(Arc::new(tensor)))
    }

    fn array(&mut self, elem: Scalar, shape: &[usize], storage: Storage) -> frit_ir::nest::Array {
        let extents = shape.iter().map(|&extent| Expr::i64(extent as i64)).collect();
        self.proc.arrays.push(ArrayData { elem, extents, storage, name: None, span: Span::NONE })
    }

    fn case(&mut self, name: String, operand: &[Const], expected: Vec<Const>, value: impl Fn(Expr) -> Expr) {
        let table = self.table(operand);
        let result = self.array(expected[0].scalar(), &[expected.len()], Storage::Heap);
        let i = self.proc.var(Scalar::I64, None);
        let value = value(Expr::Load { array: table, index: vec![i.into()] });
        let inner = Stmt::Store { array: result, index: vec![i.into()], value };
        let stmt = self.independent(i, operand.len(), inner);
        self.proc.body.extend([Stmt::Alloc { array: result }, stmt]);
        self.proc.results.push(Binding::Array(result));
        self.expected.push((name, expected));
    }

    /// The operation on all pairs that it is defined on, of which tables of both operands are made.
    fn binary(&mut self, op: BinOp, scalar: Scalar) {
        let all = values(scalar);
        let zero = scalar.zero();
        for without_zero in [false, true] {
            // Zero has no negative powers, and divides nothing.
            let x: Vec<Const> =
                all.iter().copied().filter(|&x| !(without_zero && op == BinOp::POW && x == zero)).collect();
            let y: Vec<Const> = all.iter().copied().filter(|&y| x.iter().all(|&x| op.eval(x, y).is_some())).collect();
            let name = format!("{} {scalar}", op.name());
            let is_special = matches!(op, BinOp::Divide(_) | BinOp::SHL | BinOp::SHR | BinOp::POW);
            self.pairs(&name, op, &x, &y);
            for &constant in y.iter().step_by(9).filter(|_| is_special) {
                let expected = x.iter().map(|&x| op.eval(x, constant).unwrap()).collect();
                self.case(format!("{name} with constant {constant:?}"), &x, expected, |x| Expr::Binary {
                    op,
                    x: Box::new(x),
                    y: Box::new(Expr::Const(constant)),
                });
            }
            if op != BinOp::POW || !scalar.is_signed() {
                break;
            }
        }
    }

    fn pairs(&mut self, name: &str, op: BinOp, x: &[Const], y: &[Const]) {
        let expected: Vec<Const> = x.iter().flat_map(|&x| y.iter().map(move |&y| op.eval(x, y).unwrap())).collect();
        let (table_x, table_y) = (self.table(x), self.table(y));
        let result = self.array(expected[0].scalar(), &[x.len(), y.len()], Storage::Heap);
        let (i, j) = (self.proc.var(Scalar::I64, None), self.proc.var(Scalar::I64, None));
        let load = |array, index: frit_ir::nest::Var| Box::new(Expr::Load { array, index: vec![index.into()] });
        let value = Expr::Binary { op, x: load(table_x, i), y: load(table_y, j) };
        let store = Stmt::Store { array: result, index: vec![i.into(), j.into()], value };
        let inner = self.independent(j, y.len(), store);
        let outer = self.independent(i, x.len(), inner);
        self.proc.body.extend([Stmt::Alloc { array: result }, outer]);
        self.proc.results.push(Binding::Array(result));
        self.expected.push((name.to_owned(), expected));
    }

    fn independent(&mut self, var: frit_ir::nest::Var, count: usize, body: Stmt) -> Stmt {
        let kind = LoopKind::Independent { parallel: None, simd: true, reductions: Vec::new() };
        let (lower, upper) = (Expr::i64(0), Expr::i64(count as i64));
        let body = vec![body];
        let data = LoopData { var: Some(var), lower, upper, step: 1, kind, body, span: Span::NONE };
        Stmt::For(self.proc.loops.push(data))
    }

    fn unary(&mut self, op: UnOp, scalar: Scalar) {
        let x = values(scalar);
        let expected: Vec<Const> = x.iter().map(|&x| op.eval(x)).collect();
        self.case(format!("{} {scalar}", op.name()), &x, expected, |x| Expr::Unary { op, x: Box::new(x) });
    }
}

/// Conversions to `i64` of what is less than a limit.
fn limited(cases: &mut Cases, scalar: Scalar) {
    let x = values(scalar);
    for bits in [31, 51, 63] {
        let bound = 2f64.powi(bits);
        let limit = if scalar == Scalar::F32 { Const::f32(bound as f32) } else { Const::f64(bound) };
        let expected = (x.iter())
            .map(|&x| match BinOp::LT.eval(UnOp::Abs.eval(x), limit) {
                Some(Const::Bool(true)) => UnOp::Convert(Scalar::I64).eval(x),
                _ => Const::i64(-1),
            })
            .collect();
        cases.case(format!("{scalar} below 2^{bits} to i64"), &x, expected, |x| Expr::Select {
            cond: Box::new(Expr::binary(BinOp::LT, Expr::unary(UnOp::Abs, x.clone()), Expr::Const(limit))),
            on_true: Box::new(Expr::unary(UnOp::Convert(Scalar::I64), x)),
            on_false: Box::new(Expr::i64(-1)),
        });
    }
}

fn check(scalar: Scalar, strict_fp: bool) {
    let mut cases = Cases { proc: Proc::new("main", Span::NONE), expected: Vec::new() };
    for op in BinOp::ALL.iter().copied().filter(|op| op.result(scalar).is_some()) {
        if strict_fp || !(matches!(op, BinOp::Math(_)) && scalar.is_float()) {
            cases.binary(op, scalar);
        }
    }
    let conversions = Scalar::ALL.into_iter().map(UnOp::Convert);
    for op in UnOp::NAMED.iter().copied().chain(conversions).filter(|op| op.result(scalar).is_some()) {
        if strict_fp || !matches!(op, UnOp::Math(_)) {
            cases.unary(op, scalar);
        }
    }
    if scalar.is_float() {
        limited(&mut cases, scalar);
    }
    let mut program = Program::default();
    program.entry = Some(program.procs.push(cases.proc));
    let results = Native::new(&program, strict_fp).call(&[], 1).unwrap();
    assert_eq!(results.len(), cases.expected.len());
    for (found, (name, expected)) in results.iter().zip(&cases.expected) {
        assert_eq!(found.data().len(), expected.len());
        for (at, &expected) in expected.iter().enumerate() {
            let found = Tensor::scalar(found.data().get(at));
            assert_eq!(found, Tensor::scalar(expected), "{name}, case {at}, strict {strict_fp}");
        }
    }
}

fn check_all(strict_fp: bool) {
    for scalar in Scalar::ALL.into_iter().filter(|&scalar| scalar != Scalar::Cert) {
        check(scalar, strict_fp);
    }
}

#[test]
fn every_operation_strictly() {
    check_all(true);
}

#[test]
fn every_exact_operation_by_default() {
    check_all(false);
}

/// A loop for vectors that divides by a number twice; the second quotient may be had by products.
fn quotients(scalar: Scalar, divisor: &str) -> Program {
    let divisor = if scalar == Scalar::F32 { format!("{divisor}f32") } else { divisor.to_owned() };
    program(&format!(
        "proc @main(s0: i64, A0: {scalar}[s0]) -> (A1, A2) {{
          var s1: i64
          array A1: heap {scalar}[s0]
          array A2: heap {scalar}[s0]
          alloc A1
          alloc A2
          L0: for s1 in 0..s0 independent simd {{
            A1[s1] = div(A0[s1], {divisor})
            A2[s1] = div(A0[s1], {divisor})
          }}
        }}
        entry @main"
    ))
}

/// Numbers of all magnitudes, and many of those at whose ends numbers lie otherwise.
fn dividends() -> Vec<f64> {
    let mut random = Random::new(random::seed());
    let mut all: Vec<f64> = values(Scalar::F64).into_iter().filter_map(Const::as_f64).collect();
    all.extend((0..30_000).map(|_| f64::from_bits(random.bits())));
    all.extend((0..3_000).flat_map(|i| [f64::from_bits(i), -f64::from_bits(i), f64::from_bits((1 << 52) - 1_500 + i)]));
    all.extend((0..3_000).map(|i| f64::MAX * (1.0 - f64::from(i) * f64::EPSILON)));
    all
}

/// Numbers whose quotients by this one are as near as may be to the middle between two numbers.
fn near_middles(divisor: u32) -> impl Iterator<Item = f64> {
    // Twice a middle between whole numbers of 53 bits is odd; times the divisor, it is rounded to the next number.
    let middles = (0..5_000).map(|i| 2 * ((1_u128 << 52) + i * 900_719_925_474) + 1);
    middles.flat_map(move |twice| {
        let x = (twice * u128::from(divisor)) as f64 / 2.0;
        [x.next_down(), x, x.next_up()]
    })
}

#[test]
fn quotients_by_products_are_those_of_division() {
    let doubles = dividends();
    let singles: Vec<f32> = (doubles.iter().map(|&x| x as f32))
        .chain(doubles.iter().map(|x| f32::from_bits((x.to_bits() >> 20) as u32)))
        .collect();
    for divisor in [3, 5, 7, 9, 25, 33, 641, 1023] {
        let nearest: Vec<f64> = near_middles(divisor).collect();
        for scalar in [Scalar::F64, Scalar::F32] {
            let program = quotients(scalar, &format!("{divisor}.0"));
            let call = format!("= frit_quotient_{scalar}(");
            assert_eq!(c_of(&program, false).source.matches(&call).count(), 1, "every second division is by products");
            let data = match scalar {
                Scalar::F64 => TensorData::F64([&doubles[..], &nearest[..]].concat()),
                _ => TensorData::F32(singles.clone()),
            };
            let length = data.len();
            assert_agree(&program, &[int(length as i64), Tensor::new(vec![length], data).unwrap()]);
        }
    }
    // Even numbers, those that are not whole, large ones, and their like.
    for divisor in ["1.0", "6.0", "2.5", "1025.0", "-5.0", "0.0"] {
        assert!(!c_of(&quotients(Scalar::F64, divisor), false).source.contains("frit_quotient"), "{divisor}");
    }
}
