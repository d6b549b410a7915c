//! Expressions of the loop IR as C expressions.
//!
//! Expressions have no effects, so a subexpression may be computed earlier into a temporary. That
//! bounds the nesting of parentheses, and keeps calls of vector mathematics out of conditional
//! expressions.
//!
//! Operations that C lacks are in `arith`, statements in `stmt`.

use super::arith::{Conversion, Helper, is_divisor_for_products};
use super::module::MathFunction;
use super::proc::ProcPrinter;
use super::types::{c_type, is_promoted, literal};
use frit_ir::nest::{Array, Expr};
use frit_ir::{BinOp, Const, Scalar, UnOp};

/// Depth of an expression from which on it is computed in steps.
const MAX_HEIGHT: u32 = 24;

/// How tightly an operator binds; an operand of a looser level needs parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Conditional,
    /// Operators whose mixture with others a reader would not trust: comparison, shift, bitwise.
    Mixed,
    Sum,
    Product,
    Prefix,
    Atom,
}

/// A C expression.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) code: String,
    level: Level,
    pub(super) scalar: Scalar,
    /// Its C type is `int`, though it stands for an `int64_t`.
    is_weak: bool,
    height: u32,
    /// It calls a mathematical function.
    calls: bool,
    constant: Option<i64>,
}

impl Term {
    /// A name, or something that binds as tightly.
    pub(super) fn atom(code: impl Into<String>, scalar: Scalar) -> Self {
        Self { code: code.into(), level: Level::Atom, scalar, is_weak: false, height: 0, calls: false, constant: None }
    }

    /// An `int64_t` constant.
    pub(super) fn i64(value: i64) -> Self {
        Self::constant(frit_ir::Const::i64(value))
    }

    fn constant(value: frit_ir::Const) -> Self {
        let literal = literal(value);
        Self {
            level: if literal.is_compound { Level::Prefix } else { Level::Atom },
            is_weak: literal.is_weak,
            constant: value.as_i64(),
            ..Self::atom(literal.text, value.scalar())
        }
    }

    /// The text as an operand of an operator of `level`.
    fn at(&self, level: Level) -> String {
        if self.level >= level { self.code.clone() } else { format!("({})", self.code) }
    }

    /// As `at`, with the C type of the IR type.
    fn strong(&self, level: Level) -> String {
        if self.is_weak { format!("(int64_t){}", self.at(Level::Prefix)) } else { self.at(level) }
    }

    fn from_operands(code: String, level: Level, scalar: Scalar, operands: &[&Term]) -> Self {
        Self {
            level,
            height: operands.iter().map(|t| t.height + 1).max().unwrap_or(0),
            calls: operands.iter().any(|t| t.calls),
            ..Self::atom(code, scalar)
        }
    }

    /// The text as an operand of a sum.
    pub(super) fn summand(&self) -> String {
        self.at(Level::Product)
    }

    /// The sum of two `int64_t`.
    pub(super) fn plus(&self, other: &Term) -> Self {
        match (self.constant, other.constant) {
            (Some(a), Some(b)) => Self::i64(a.wrapping_add(b)),
            (Some(0), _) => other.clone(),
            (_, Some(0)) => self.clone(),
            _ => infix("+", Level::Sum, Scalar::I64, self, other),
        }
    }

    /// The product of two `int64_t`.
    pub(super) fn times(&self, other: &Term) -> Self {
        match (self.constant, other.constant) {
            (Some(a), Some(b)) => Self::i64(a.wrapping_mul(b)),
            (Some(0), _) | (_, Some(0)) => Self::i64(0),
            (Some(1), _) => other.clone(),
            (_, Some(1)) => self.clone(),
            _ => infix("*", Level::Product, Scalar::I64, self, other),
        }
    }
}

/// An arithmetic operator of C on operands of one type.
fn infix(op: &str, level: Level, scalar: Scalar, x: &Term, y: &Term) -> Term {
    // C evaluates left to right within a level, as the IR's tree says only for left operands.
    let left = if x.is_weak && y.is_weak { x.strong(level) } else { x.at(level) };
    let right = if level == Level::Sum { y.at(Level::Product) } else { y.at(Level::Prefix) };
    let code = format!("{left} {op} {right}");
    if is_promoted(scalar) {
        let code = format!("({})({code})", c_type(scalar));
        return Term::from_operands(code, Level::Prefix, scalar, &[x, y]);
    }
    Term::from_operands(code, level, scalar, &[x, y])
}

/// An operator whose operands get parentheses unless they are simple.
fn mixed(op: &str, result: Scalar, left: &str, x: &Term, y: &Term) -> Term {
    Term::from_operands(format!("{left} {op} {}", y.at(Level::Sum)), Level::Mixed, result, &[x, y])
}

/// C's own conversion.
fn cast(x: &Term, to: Scalar) -> Term {
    let code = format!("({}){}", c_type(to), x.at(Level::Prefix));
    Term::from_operands(code, Level::Prefix, to, &[x])
}

/// The real number that `value` converts to `i64`, if the result matters only where the condition
/// holds. The condition must bound its magnitude by a number for which C's own conversion is
/// defined. Also tells whether all such numbers are small. Vectors have instructions for these
/// conversions, but not for one that saturates.
fn truncated_if_limited<'e>(cond: &Expr, value: &'e Expr) -> Option<(&'e Expr, bool)> {
    let Expr::Unary { op: UnOp::Convert(Scalar::I64), x: real } = value else { return None };
    let Expr::Binary { op: BinOp::LT, x: magnitude, y: limit } = cond else { return None };
    let (Expr::Unary { op: UnOp::Abs, x: of }, Expr::Const(limit)) = (&**magnitude, &**limit) else { return None };
    let limit = match *limit {
        Const::F32(bits) => f32::from_bits(bits).into(),
        Const::F64(bits) => f64::from_bits(bits),
        Const::Int(..) | Const::Bool(_) | Const::Char(_) | Const::Cert => return None,
    };
    (of == real && limit <= 2f64.powi(63)).then_some((&**real, limit <= Conversion::SMALL))
}

impl ProcPrinter<'_, '_> {
    /// The expression in C. Statements that it needs computed before it are printed at once.
    pub(super) fn expr(&mut self, expr: &Expr) -> Term {
        let term = match expr {
            Expr::Const(value) => return Term::constant(*value),
            Expr::Var(var) => return Term::atom(self.var_name(*var), self.proc.vars[*var].scalar),
            Expr::Load { array, index } => self.load(*array, index),
            Expr::Unary { op, x } => {
                let x = self.expr(x);
                self.unary(*op, &x)
            }
            Expr::Binary { op: BinOp::DIV, x, y } if self.may_be_by_products(y) => self.quotient(x, y),
            Expr::Binary { op, x, y } => {
                let x = self.expr(x);
                let y = self.expr(y);
                self.binary(*op, &x, &y)
            }
            Expr::Select { cond, on_true, on_false } => {
                let limited = truncated_if_limited(cond, on_true);
                let cond = self.expr(cond);
                let on_true = match limited {
                    Some((real, is_small)) => {
                        let real = self.expr(real);
                        if self.is_in_simd && is_small {
                            self.helper(Helper::InVectors(Conversion::SmallToInteger), Scalar::I64, &[&real])
                        } else {
                            cast(&real, Scalar::I64)
                        }
                    }
                    None => self.arm(on_true),
                };
                let on_false = self.arm(on_false);
                let operand = |t: &Term| t.at(Level::Mixed);
                let code = format!("{} ? {} : {}", operand(&cond), operand(&on_true), operand(&on_false));
                Term {
                    is_weak: on_true.is_weak && on_false.is_weak,
                    ..Term::from_operands(code, Level::Conditional, on_true.scalar, &[&cond, &on_true, &on_false])
                }
            }
            Expr::Threads => return Term::atom("(int64_t)w->context->threads", Scalar::I64).with_level(Level::Prefix),
        };
        if term.height >= MAX_HEIGHT { self.spill(term) } else { term }
    }

    /// As `expr`, as text.
    pub(super) fn expr_text(&mut self, expr: &Expr) -> String {
        self.expr(expr).code
    }

    /// True if printing the expression prints statements before it.
    pub(super) fn needs_statements(&self, expr: &Expr) -> bool {
        fn is_deep(expr: &Expr, left: u32) -> bool {
            let Some(left) = left.checked_sub(1) else { return true };
            match expr {
                Expr::Const(_) | Expr::Var(_) | Expr::Threads => false,
                Expr::Load { array: _, index } => index.len() > 3 || index.iter().any(|i| is_deep(i, left)),
                Expr::Unary { op: _, x } => is_deep(x, left),
                Expr::Binary { op: _, x, y } => is_deep(x, left) || is_deep(y, left),
                Expr::Select { cond, on_true, on_false } => {
                    self::is_select_arm_call(on_true)
                        || self::is_select_arm_call(on_false)
                        || [cond, on_true, on_false].into_iter().any(|x| is_deep(x, left))
                }
            }
        }
        is_deep(expr, MAX_HEIGHT / 2)
    }

    /// True if the expression is defined for all values of its variables. Notes whether it calls a
    /// mathematical function.
    pub(super) fn is_total(&self, expr: &Expr, calls: &mut bool) -> bool {
        match expr {
            Expr::Const(_) | Expr::Var(_) | Expr::Threads => true,
            Expr::Load { .. } => false,
            Expr::Unary { op, x } => {
                *calls |= matches!(op, UnOp::Math(_));
                self.is_total(x, calls)
            }
            Expr::Binary { op, x, y } => {
                let is_real = self.is_real(x);
                *calls |= matches!(op, BinOp::Math(_)) || *op == BinOp::REM && is_real;
                let is_partial = matches!(*op, BinOp::Divide(_) | BinOp::POW) && !is_real;
                !is_partial && self.is_total(x, calls) && self.is_total(y, calls)
            }
            Expr::Select { cond, on_true, on_false } => {
                [cond, on_true, on_false].into_iter().all(|x| self.is_total(x, calls))
            }
        }
    }

    /// True if an operand of arithmetic is a real.
    fn is_real(&self, operand: &Expr) -> bool {
        match operand {
            Expr::Const(value) => value.scalar().is_float(),
            Expr::Var(var) => self.proc.vars[*var].scalar.is_float(),
            Expr::Load { array, index: _ } => self.proc.arrays[*array].elem.is_float(),
            Expr::Unary { op: UnOp::Convert(to), x: _ } => to.is_float(),
            Expr::Unary { op: _, x } | Expr::Binary { op: _, x, y: _ } => self.is_real(x),
            Expr::Select { cond: _, on_true, on_false: _ } => self.is_real(on_true),
            Expr::Threads => false,
        }
    }

    /// An arm of a conditional expression. Vector mathematics has no conditional variants.
    fn arm(&mut self, expr: &Expr) -> Term {
        let term = self.expr(expr);
        if term.calls && self.is_in_simd { self.spill(term) } else { term }
    }

    /// Computes a term now, into a temporary.
    fn spill(&mut self, term: Term) -> Term {
        let name = self.fresh("t");
        self.line(&format!("const {} {name} = {};", c_type(term.scalar), term.code));
        Term::atom(name, term.scalar)
    }

    fn load(&mut self, array: Array, index: &[Expr]) -> Term {
        let elem = self.proc.arrays[array].elem;
        if elem == Scalar::Cert {
            return Term::constant(frit_ir::Const::Cert);
        }
        let (code, height) = self.element(array, index);
        if elem == Scalar::Bool {
            return Term { height, ..Term::atom(format!("{code} != 0"), elem).with_level(Level::Mixed) };
        }
        Term { height, ..Term::atom(code, elem) }
    }

    /// An element as C names it, and the height of its index.
    pub(super) fn element(&mut self, array: Array, index: &[Expr]) -> (String, u32) {
        let mut offset = Term::i64(0);
        for (axis, i) in index.iter().enumerate() {
            let i = self.expr(i);
            offset = offset.times(&self.extent(array, axis)).plus(&i);
            if offset.height >= MAX_HEIGHT {
                offset = self.spill(offset);
            }
        }
        (format!("{}[{}]", self.array_name(array), offset.code), offset.height + 1)
    }

    fn unary(&mut self, op: UnOp, x: &Term) -> Term {
        let t = x.scalar;
        let prefix = |sign: &str| {
            let operand = x.strong(Level::Prefix);
            let space = if operand.starts_with(sign) { " " } else { "" };
            let code = format!("{sign}{space}{operand}");
            let code = if is_promoted(t) { format!("({})({code})", c_type(t)) } else { code };
            Term::from_operands(code, Level::Prefix, t, &[x])
        };
        match op {
            UnOp::Neg => prefix("-"),
            UnOp::Not if t == Scalar::Bool => prefix("!"),
            UnOp::Not => prefix("~"),
            UnOp::Abs if t.is_float() => self.function("fabs", &[x]),
            UnOp::Abs if t.is_signed() => self.helper(Helper::Unary(op, t), t, &[x]),
            UnOp::Abs => x.clone(),
            // Exact in single precision.
            UnOp::Sqrt => self.function("sqrt", &[x]),
            UnOp::Floor => self.function("floor", &[x]),
            UnOp::Ceil => self.function("ceil", &[x]),
            UnOp::Math(_) => self.transcendental(op.name(), &[x]),
            UnOp::Convert(to) => self.convert(x, to),
        }
    }

    fn convert(&mut self, x: &Term, to: Scalar) -> Term {
        let from = x.scalar;
        if from == to {
            return x.clone();
        }
        if to == Scalar::Bool {
            let zero = literal(from.zero()).text;
            return Term::from_operands(format!("{} != {zero}", x.at(Level::Sum)), Level::Mixed, to, &[x]);
        }
        let in_vectors = match (from, to) {
            (Scalar::I64, Scalar::F64) => Some(Conversion::ToReal),
            // Single precision is exact in double precision.
            (Scalar::F32 | Scalar::F64, Scalar::I64) => Some(Conversion::ToInteger),
            _ => None,
        };
        if let Some(conversion) = in_vectors.filter(|_| self.is_in_simd && x.constant.is_none()) {
            return self.helper(Helper::InVectors(conversion), to, &[x]);
        }
        if from.is_float() && !to.is_float() {
            return self.helper(Helper::Unary(UnOp::Convert(to), from), to, &[x]);
        }
        cast(x, to)
    }

    /// True if a quotient by this divisor, in the current loop, can be a sequence of
    /// multiplications.
    fn may_be_by_products(&self, divisor: &Expr) -> bool {
        let value = match divisor {
            Expr::Const(Const::F64(bits)) => f64::from_bits(*bits),
            Expr::Const(Const::F32(bits)) => f32::from_bits(*bits).into(),
            _ => return false,
        };
        self.is_in_simd && is_divisor_for_products(value)
    }

    /// A quotient that can be a sequence of multiplications: every second one becomes one.
    fn quotient(&mut self, x: &Expr, divisor: &Expr) -> Term {
        let (x, divisor) = (self.expr(x), self.expr(divisor));
        self.quotients += 1;
        if !self.quotients.is_multiple_of(2) {
            return self.binary(BinOp::DIV, &x, &divisor);
        }
        self.helper(Helper::Quotient(x.scalar), x.scalar, &[&x, &divisor])
    }

    fn binary(&mut self, op: BinOp, x: &Term, y: &Term) -> Term {
        let t = x.scalar;
        let result = op.result(t).expect("operands have the types their operation needs");
        match op {
            BinOp::ADD => infix("+", Level::Sum, t, x, y),
            BinOp::SUB => infix("-", Level::Sum, t, x, y),
            BinOp::MUL => infix("*", Level::Product, t, x, y),
            BinOp::DIV if t.is_float() || !t.is_signed() || y.constant.is_some_and(is_plain_divisor) => {
                infix("/", Level::Product, t, x, y)
            }
            // Exact in single precision, but a call.
            BinOp::REM if t.is_float() => Term { calls: true, ..self.function("fmod", &[x, y]) },
            BinOp::REM if !t.is_signed() || y.constant.is_some_and(is_plain_divisor) => {
                infix("%", Level::Product, t, x, y)
            }
            BinOp::FLOOR_DIV if !t.is_signed() => infix("/", Level::Product, t, x, y),
            BinOp::FLOOR_MOD if !t.is_signed() => infix("%", Level::Product, t, x, y),
            BinOp::FLOOR_DIV if y.constant.is_some_and(is_power_of_two) => {
                let bits = Term::i64(y.constant.map_or(0, |c| c.trailing_zeros().into()));
                mixed(">>", t, &x.strong(Level::Sum), x, &bits)
            }
            BinOp::FLOOR_MOD if y.constant.is_some_and(is_power_of_two) => {
                let mask = Term::i64(y.constant.map_or(0, |c| c - 1));
                mixed("&", t, &x.strong(Level::Sum), x, &mask)
            }
            BinOp::POW if t.is_float() => self.transcendental("pow", &[x, y]),
            BinOp::ATAN2 | BinOp::HYPOT => self.transcendental(op.name(), &[x, y]),
            BinOp::Divide(_) | BinOp::POW | BinOp::MinMax(_) | BinOp::IN_BOUNDS => {
                self.helper(Helper::Binary(op, t), result, &[x, y])
            }
            BinOp::AND => mixed("&", t, &x.strong(Level::Sum), x, y),
            BinOp::OR => mixed("|", t, &x.strong(Level::Sum), x, y),
            BinOp::XOR => mixed("^", t, &x.strong(Level::Sum), x, y),
            BinOp::SHL | BinOp::SHR => {
                let width = 8 * t.bytes() as i64;
                let sign = if op == BinOp::SHL { "<<" } else { ">>" };
                let amount = match y.constant {
                    Some(amount) => Term::i64(amount.rem_euclid(width)),
                    None => {
                        let code = format!("({} & {})", y.at(Level::Sum), width - 1);
                        Term::from_operands(code, Level::Atom, t, &[y])
                    }
                };
                let shifted = mixed(sign, t, &x.strong(Level::Sum), x, &amount);
                if is_promoted(t) {
                    let code = format!("({})({})", c_type(t), shifted.code);
                    return Term { code, level: Level::Prefix, ..shifted };
                }
                shifted
            }
            BinOp::EQ => mixed("==", result, &x.at(Level::Sum), x, y),
            BinOp::NE => mixed("!=", result, &x.at(Level::Sum), x, y),
            BinOp::LT => mixed("<", result, &x.at(Level::Sum), x, y),
            BinOp::LE => mixed("<=", result, &x.at(Level::Sum), x, y),
        }
    }

    /// A call of a function of generated code.
    fn helper(&mut self, helper: Helper, result: Scalar, operands: &[&Term]) -> Term {
        self.module.helpers.insert(helper);
        call(&helper.name(), result, operands)
    }

    /// A call of a function of the mathematical library, in the precision of the operands.
    fn function(&mut self, name: &'static str, operands: &[&Term]) -> Term {
        let function = MathFunction { name, scalar: operands[0].scalar, operands: operands.len() };
        self.module.mathematics.insert(function);
        call(&function.c_name(), function.scalar, operands)
    }

    /// A call of a function of the mathematical library that rounds. Strictly, single precision is
    /// computed in double precision and rounded once more, as the interpreter does.
    fn transcendental(&mut self, name: &'static str, operands: &[&Term]) -> Term {
        let t = operands[0].scalar;
        let is_strict = self.module.options.strict_fp;
        let term = if name == UnOp::CBRT.name() && is_strict {
            let wide = self.convert(operands[0], Scalar::F64);
            self.function(name, &[&wide]); // The helper calls it.
            let wide = self.helper(Helper::Unary(UnOp::CBRT, Scalar::F64), Scalar::F64, &[&wide]);
            self.convert(&wide, t)
        } else if t == Scalar::F32 && is_strict {
            let wide: Vec<Term> = operands.iter().map(|x| self.convert(x, Scalar::F64)).collect();
            let wide = self.function(name, &wide.iter().collect::<Vec<_>>());
            self.convert(&wide, t)
        } else {
            self.function(name, operands)
        };
        Term { calls: true, ..term }
    }
}

impl Term {
    fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }
}

fn call(name: &str, result: Scalar, operands: &[&Term]) -> Term {
    let arguments: Vec<&str> = operands.iter().map(|x| x.code.as_str()).collect();
    Term::from_operands(format!("{name}({})", arguments.join(", ")), Level::Atom, result, operands)
}

/// True if C's division by this constant is the IR's.
fn is_plain_divisor(divisor: i64) -> bool {
    divisor != 0 && divisor != -1
}

fn is_power_of_two(divisor: i64) -> bool {
    divisor > 0 && divisor.count_ones() == 1
}

/// True if the expression may contain a call of a mathematical function.
fn is_select_arm_call(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Var(_) | Expr::Threads => false,
        Expr::Load { .. } | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } => true,
    }
}
