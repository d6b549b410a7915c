//! Complex numbers: pairs of real numbers or arrays.

use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::types::{self, Dtype};
use super::ufuncs::Binary;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Op, Operand, Operator, OperatorData, Type, Value};
use frit_ir::scalar::{BinOp, UnOp};
use frit_support::Span;

impl Lowering<'_> {
    /// The real and the imaginary part of an item.
    pub(super) fn complex_parts(&mut self, item: &Item, span: Span) -> Result<[Item; 2]> {
        match self.array_like(item, span)? {
            Item::Complex(parts) => Ok(*parts),
            Item::Number(number) => {
                let zero = Number { x: Operand::Const(number.elem.zero()), ..number };
                Ok([Item::Number(number), Item::Number(zero)])
            }
            item => {
                let elem = operand_type(&item).elem;
                let shape = shape_of(&item).to_vec();
                let zeros: Value = self.generate(shape, elem, |_, _| Ok(Operand::Const(elem.zero())))?;
                let mut zeros = self.fresh(zeros);
                zeros.read_only = true;
                Ok([item, Item::Array(zeros)])
            }
        }
    }

    /// An item in another type.
    pub(super) fn as_type(&mut self, item: &Item, dtype: Dtype, span: Span) -> Result<Item> {
        let real = |lowering: &mut Self, item: &Item| {
            lowering.elementwise(std::slice::from_ref(item), dtype.elem, span, |l, x| l.convert(x[0], dtype.elem))
        };
        let item = self.array_like(item, span)?;
        match (&item, dtype.is_complex) {
            (Item::Complex(parts), false) if dtype.elem == Scalar::Bool => {
                let (re, im) = (real(self, &parts[0])?, real(self, &parts[1])?);
                self.binary_ufunc(Binary::LogicalOr, &re, &im, span)
            }
            (Item::Complex(parts), false) => real(self, &parts[0]),
            (item, false) => real(self, item),
            (item, true) => {
                let [re, im] = self.complex_parts(item, span)?;
                let (re, im) = (real(self, &re)?, real(self, &im)?);
                Ok(Item::complex(re, im))
            }
        }
    }

    /// The parts side by side along a last axis, as in memory.
    pub(super) fn interleaved(&mut self, parts: &[Item; 2], span: Span) -> Result<Value> {
        let elem = operand_type(&parts[0]).elem;
        let shape = shape_of(&parts[0]).to_vec();
        let pair = |lowering: &mut Self, elems: Vec<Operand>| {
            let ty = Type::array(elem, vec![Extent::Const(2)]);
            lowering.b.emit_one(Op::ArrayLit { elems }, ty, Vec::new())
        };
        let elements = [self.element(&parts[0], span)?, self.element(&parts[1], span)?];
        if shape.is_empty() {
            let elems = elements.iter().map(|element| self.element_at(element, &[], &[], &[])).collect();
            return Ok(pair(self, elems));
        }
        let indices: Vec<Value> = shape.iter().map(|_| self.index_value()).collect();
        self.b.open_block();
        let elems = elements.iter().map(|element| self.element_at(element, &shape, &indices, &[])).collect();
        let cell = pair(self, elems);
        let body = self.b.close_block(vec![cell.into()]);
        let ty = Type::array(elem, [shape.clone(), vec![Extent::Const(2)]].concat());
        let operators = vec![OperatorData::new(Operator::GenArray)];
        Ok(self.b.with_loop(shape, indices, body, operators, vec![ty], Vec::new())[0])
    }

    /// A universal function of two arguments, one of which is complex.
    pub(super) fn complex_binary(&mut self, ufunc: Binary, left: &Item, right: &Item, span: Span) -> Result<Item> {
        let common = types::common(&[operand_type(left), operand_type(right)]);
        let is_number = shape_of(left).is_empty() && shape_of(right).is_empty();
        // Python's numbers stay so among themselves, and give way to arrays.
        let convert = |lowering: &mut Self, item: &Item| -> Result<Item> {
            let made = lowering.as_type(item, common.elem.into(), span)?;
            Ok(match made {
                Item::Number(number) => Item::Number(Number { weak: common.weak || !is_number, ..number }),
                made => made,
            })
        };
        let [a, b] = self.complex_parts(left, span)?;
        let [c, d] = self.complex_parts(right, span)?;
        let (a, b) = (convert(self, &a)?, convert(self, &b)?);
        let (c, d) = (convert(self, &c)?, convert(self, &d)?);
        let mut op = |ufunc: Binary, x: &Item, y: &Item| self.binary_ufunc(ufunc, x, y, span);
        let is_real = |item: &Item| !matches!(item, Item::Complex(_));
        match ufunc {
            Binary::Add | Binary::Subtract => Ok(Item::complex(op(ufunc, &a, &c)?, op(ufunc, &b, &d)?)),
            Binary::Multiply if is_real(right) => Ok(Item::complex(op(ufunc, &a, &c)?, op(ufunc, &b, &c)?)),
            Binary::Multiply if is_real(left) => Ok(Item::complex(op(ufunc, &a, &c)?, op(ufunc, &a, &d)?)),
            Binary::Multiply => {
                let (ac, bd) = (op(ufunc, &a, &c)?, op(ufunc, &b, &d)?);
                let (ad, bc) = (op(ufunc, &a, &d)?, op(ufunc, &b, &c)?);
                Ok(Item::complex(op(Binary::Subtract, &ac, &bd)?, op(Binary::Add, &ad, &bc)?))
            }
            Binary::Divide if is_real(right) && common.weak => {
                Ok(Item::complex(op(ufunc, &a, &c)?, op(ufunc, &b, &c)?))
            }
            // NumPy multiplies by the reciprocal.
            Binary::Divide if is_real(right) => {
                let scale = op(ufunc, &Item::Number(Number::float(1.0)), &c)?;
                Ok(Item::complex(op(Binary::Multiply, &a, &scale)?, op(Binary::Multiply, &b, &scale)?))
            }
            Binary::Divide => self.complex_quotient([&a, &b], [&c, &d], span),
            Binary::Equal => {
                let (re, im) = (op(ufunc, &a, &c)?, op(ufunc, &b, &d)?);
                op(Binary::LogicalAnd, &re, &im)
            }
            Binary::NotEqual => {
                let (re, im) = (op(ufunc, &a, &c)?, op(ufunc, &b, &d)?);
                op(Binary::LogicalOr, &re, &im)
            }
            Binary::LogicalAnd | Binary::LogicalOr | Binary::LogicalXor => {
                let zero = Item::int(0);
                let (one, other) = (op(Binary::NotEqual, left, &zero)?, op(Binary::NotEqual, right, &zero)?);
                op(ufunc, &one, &other)
            }
            Binary::Power => {
                let exponent = match right {
                    Item::Number(Number { x: Operand::Const(constant), .. }) => constant.as_i64(),
                    _ => None,
                };
                match exponent {
                    Some(0) => {
                        let (one, zero) = (Number::float(1.0).x, Number::float(0.0).x);
                        let elem = common.elem;
                        let re = self.elementwise(std::slice::from_ref(&a), elem, span, |l, _| l.convert(one, elem))?;
                        let im =
                            self.elementwise(std::slice::from_ref(&a), elem, span, |l, _| l.convert(zero, elem))?;
                        Ok(Item::complex(re, im))
                    }
                    Some(exponent @ 1..=64) => {
                        let base = Item::complex(a, b);
                        let mut power = base.clone();
                        for _ in 1..exponent {
                            power = self.binary_ufunc(Binary::Multiply, &power, &base, span)?;
                        }
                        Ok(power)
                    }
                    _ => {
                        let log = self.complex_unary("log", &[a, b], span)?;
                        let product = self.binary_ufunc(Binary::Multiply, &log, right, span)?;
                        self.unary_ufunc("exp", &product, span)
                    }
                }
            }
            _ => Err(self.not_compiled(span, "this function of complex numbers", "")),
        }
    }

    /// A quotient, scaled by the larger part of the divisor, as NumPy computes it.
    fn complex_quotient(&mut self, [a, b]: [&Item; 2], [c, d]: [&Item; 2], span: Span) -> Result<Item> {
        let elem = operand_type(a).elem;
        let one = Operand::Const(UnOp::Convert(elem).eval(frit_ir::Const::f64(1.0)));
        // NumPy multiplies by the reciprocal of the scale, Python divides by it.
        let is_python = matches!(a, Item::Number(number) if number.weak);
        let items = [a.clone(), b.clone(), c.clone(), d.clone()];
        let mut parts = Vec::new();
        for is_real in [true, false] {
            parts.push(self.elementwise(&items, elem, span, |l, x| {
                let (sc, sd) = (l.b.unary(UnOp::Abs, x[2]), l.b.unary(UnOp::Abs, x[3]));
                let is_first = l.b.binary(BinOp::LE, sd, sc);
                let large = l.select(is_first, x[2], x[3]);
                let small = l.select(is_first, x[3], x[2]);
                let ratio = l.b.binary(BinOp::DIV, small, large);
                let product = l.b.binary(BinOp::MUL, small, ratio);
                let scale = l.b.binary(BinOp::ADD, large, product);
                // One part of the dividend is multiplied by the ratio: which one depends on the larger part.
                let (with, without) = if is_real { (x[1], x[0]) } else { (x[0], x[1]) };
                let multiplied = l.select(is_first, with, without);
                let plain = l.select(is_first, without, with);
                let product = l.b.binary(BinOp::MUL, multiplied, ratio);
                let sum = l.b.binary(BinOp::ADD, plain, product);
                let numerator = if is_real {
                    sum
                } else {
                    let first = l.b.binary(BinOp::SUB, plain, product);
                    let second = l.b.binary(BinOp::SUB, product, plain);
                    l.select(is_first, first, second)
                };
                if is_python {
                    return l.b.binary(BinOp::DIV, numerator, scale);
                }
                let inverse = l.b.binary(BinOp::DIV, one, scale);
                l.b.binary(BinOp::MUL, numerator, inverse)
            })?);
        }
        let im = parts.pop().expect("there are two parts");
        let re = parts.pop().expect("there are two parts");
        let weak = |item: Item, like: &Item| match (item, like) {
            (Item::Number(number), Item::Number(like)) => Item::Number(Number { weak: like.weak, ..number }),
            (item, _) => item,
        };
        Ok(Item::complex(weak(re, a), weak(im, b)))
    }

    /// A universal function of one complex argument.
    pub(super) fn complex_unary(&mut self, name: &str, parts: &[Item; 2], span: Span) -> Result<Item> {
        let [re, im] = parts;
        let mut unary = |name: &str, item: &Item| self.unary_ufunc(name, item, span);
        match name {
            "positive" => {
                let (re, im) = (self.renewed(re.clone()), self.renewed(im.clone()));
                Ok(Item::complex(re, im))
            }
            "negative" => Ok(Item::complex(unary(name, re)?, unary(name, im)?)),
            "conj" | "conjugate" => {
                let im = unary("negative", im)?;
                let re = self.renewed(re.clone());
                Ok(Item::complex(re, im))
            }
            "abs" | "absolute" => self.binary_ufunc(Binary::Hypot, re, im, span),
            "angle" => self.binary_ufunc(Binary::Arctan2, im, re, span),
            "square" => {
                let z = Item::complex(re.clone(), im.clone());
                self.complex_binary(Binary::Multiply, &z, &z, span)
            }
            "exp" => {
                let (size, cos, sin) = (unary("exp", re)?, unary("cos", im)?, unary("sin", im)?);
                let re = self.binary_ufunc(Binary::Multiply, &size, &cos, span)?;
                let im = self.binary_ufunc(Binary::Multiply, &size, &sin, span)?;
                Ok(Item::complex(re, im))
            }
            "log" => {
                let size = self.binary_ufunc(Binary::Hypot, re, im, span)?;
                let angle = self.binary_ufunc(Binary::Arctan2, im, re, span)?;
                Ok(Item::complex(self.unary_ufunc("log", &size, span)?, angle))
            }
            "sqrt" => {
                let elem = operand_type(re).elem;
                let items = [re.clone(), im.clone()];
                let mut parts = Vec::new();
                for is_real in [true, false] {
                    parts.push(self.elementwise(&items, elem, span, |l, x| l.root_part(elem, x[0], x[1], is_real))?);
                }
                let im = parts.pop().expect("there are two parts");
                let re = parts.pop().expect("there are two parts");
                Ok(Item::complex(re, im))
            }
            "reciprocal" => {
                let one = Item::int(1);
                self.complex_binary(Binary::Divide, &one, &Item::complex(re.clone(), im.clone()), span)
            }
            "isnan" | "isinf" => {
                let (re, im) = (unary(name, re)?, unary(name, im)?);
                self.binary_ufunc(Binary::LogicalOr, &re, &im, span)
            }
            "isfinite" => {
                let (re, im) = (unary(name, re)?, unary(name, im)?);
                self.binary_ufunc(Binary::LogicalAnd, &re, &im, span)
            }
            "logical_not" => {
                let truth = self.as_type(&Item::complex(re.clone(), im.clone()), Scalar::Bool.into(), span)?;
                self.unary_ufunc(name, &truth, span)
            }
            "sin" | "cos" | "tan" | "sinh" | "cosh" | "tanh" => {
                let z = Item::complex(re.clone(), im.clone());
                self.library_call(&format!("numpy.complex_{name}"), vec![z], span)
            }
            _ => Err(self.not_compiled(
                span,
                &format!("`{name}` of complex numbers"),
                "compute it from `.real` and `.imag`",
            )),
        }
    }

    /// A part of the square root of a complex number, with its cut along the negative reals.
    fn root_part(&mut self, elem: Scalar, re: Operand, im: Operand, is_real: bool) -> Operand {
        let constant = |value: f64| Operand::Const(UnOp::Convert(elem).eval(frit_ir::Const::f64(value)));
        let size = self.b.unary(UnOp::Abs, re);
        let whole = self.b.binary(BinOp::HYPOT, re, im);
        let sum = self.b.binary(BinOp::ADD, size, whole);
        let half = self.b.binary(BinOp::MUL, sum, constant(0.5));
        let root = self.b.unary(UnOp::Sqrt, half);
        let twice = self.b.binary(BinOp::MUL, root, constant(2.0));
        let height = self.b.unary(UnOp::Abs, im);
        let other = self.b.binary(BinOp::DIV, height, twice);
        let is_zero = self.b.binary(BinOp::EQ, root, constant(0.0));
        let other = self.select(is_zero, constant(0.0), other);
        let is_right = self.b.binary(BinOp::LE, constant(0.0), re);
        if is_real {
            return self.select(is_right, root, other);
        }
        // The imaginary part has the sign of the operand's, also if that is zero.
        let value = self.select(is_right, other, root);
        let one_over = self.b.binary(BinOp::DIV, constant(1.0), im);
        let is_below = self.b.binary(BinOp::LT, im, constant(0.0));
        let is_minus_zero = self.b.binary(BinOp::LT, one_over, constant(0.0));
        let is_negative = self.b.binary(BinOp::OR, is_below, is_minus_zero);
        let negative = self.b.unary(UnOp::Neg, value);
        self.select(is_negative, negative, value)
    }
}
