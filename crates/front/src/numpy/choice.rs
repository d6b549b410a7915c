//! Functions that choose, compare and round elements.

use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::reductions::{Along, Reduction};
use super::types;
use super::ufuncs::Binary;
use frit_ir::array::Operand;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;

impl Lowering<'_> {
    /// A function that chooses, compares or rounds, if there is one with this name.
    pub(super) fn choice(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        let made = match name {
            "where" if arguments.at.len() == 1 => return self.nonzero(&arguments.at[0].clone(), span).map(Some),
            "where" => {
                let (cond, x, y) = (arguments.need(0, "condition")?, arguments.need(1, "x")?, arguments.need(2, "y")?);
                self.chosen(&cond, &x, &y, span)?
            }
            "select" => {
                let (conds, choices) = (arguments.need(0, "condlist")?, arguments.need(1, "choicelist")?);
                let (conds, choices) = (self.parts(conds, span)?, self.parts(choices, span)?);
                let mut made = arguments.take(2, "default").unwrap_or(Item::int(0));
                for (cond, choice) in conds.iter().zip(&choices).rev() {
                    made = self.chosen(cond, choice, &made, span)?;
                }
                made
            }
            "clip" => {
                let item = arguments.need(0, "a")?;
                let low = arguments.take(1, "a_min").or_else(|| arguments.take(1, "min")).unwrap_or(Item::None);
                let high = arguments.take(2, "a_max").or_else(|| arguments.take(2, "max")).unwrap_or(Item::None);
                let out = arguments.take(3, "out");
                arguments.finish(4)?;
                let mut made = if low == Item::None && high == Item::None { self.renewed(item) } else { item };
                if low != Item::None {
                    made = self.binary_ufunc(Binary::Maximum, &made, &low, span)?;
                }
                if high != Item::None {
                    made = self.binary_ufunc(Binary::Minimum, &made, &high, span)?;
                }
                return self.put_out(out, made, span).map(Some);
            }
            "round" | "around" => {
                let item = arguments.need(0, "a")?;
                let decimals = arguments.take(1, "decimals").map_or(Ok(0), |n| self.constant_integer(&n, span))?;
                let out = arguments.take(2, "out");
                arguments.finish(3)?;
                let made = self.rounded(&item, decimals, span)?;
                return self.put_out(out, made, span).map(Some);
            }
            "real" | "imag" => {
                let item = arguments.need(0, "val")?;
                self.attribute(item, name, span)?
            }
            "nonzero" | "flatnonzero" => {
                let item = arguments.need(0, "a")?;
                if name == "nonzero" {
                    self.nonzero(&item, span)?
                } else {
                    let flat = self.raveled(&item, span)?;
                    let found = self.nonzero(&flat, span)?;
                    self.parts(found, span)?.remove(0)
                }
            }
            "count_nonzero" => {
                let item = arguments.need(0, "a")?;
                let truth = self.as_type(&item, Scalar::Bool.into(), span)?;
                let along = self.along(arguments, 1, &truth)?;
                self.reduce(Reduction::Sum, &truth, &along, span)?
            }
            "ptp" => {
                let item = arguments.need(0, "a")?;
                let along = self.along(arguments, 1, &item)?;
                let (most, least) = (
                    self.reduce(Reduction::Max, &item, &along, span)?,
                    self.reduce(Reduction::Min, &item, &along, span)?,
                );
                self.binary_ufunc(Binary::Subtract, &most, &least, span)?
            }
            "nansum" | "nanmax" | "nanmin" | "nanmean" | "nanprod" => {
                let item = arguments.need(0, "a")?;
                let along = self.along(arguments, 1, &item)?;
                let is_nan = self.unary_ufunc("isnan", &item, span)?;
                let (what, instead) = match name {
                    "nanmax" => (Reduction::Max, f64::NEG_INFINITY),
                    "nanmin" => (Reduction::Min, f64::INFINITY),
                    "nanprod" => (Reduction::Prod, 1.0),
                    _ => (Reduction::Sum, 0.0),
                };
                let filled = self.chosen(&is_nan, &Item::Number(Number::float(instead)), &item, span)?;
                let made = self.reduce(what, &filled, &along, span)?;
                if name == "nanmean" {
                    let is_number = self.unary_ufunc("logical_not", &is_nan, span)?;
                    let count = self.reduce(Reduction::Sum, &is_number, &along, span)?;
                    self.binary_ufunc(Binary::Divide, &made, &count, span)?
                } else {
                    made
                }
            }
            "nan_to_num" => {
                let item = arguments.need(0, "x")?;
                let elem = operand_type(&item).elem;
                let most = if elem == Scalar::F32 { f64::from(f32::MAX) } else { f64::MAX };
                let number = |value: f64| Item::Number(Number::float(value));
                let (is_nan, is_inf) =
                    (self.unary_ufunc("isnan", &item, span)?, self.unary_ufunc("isinf", &item, span)?);
                let sign = self.unary_ufunc("sign", &item, span)?;
                let large = self.binary_ufunc(Binary::Multiply, &sign, &number(most), span)?;
                let finite = self.chosen(&is_inf, &large, &item, span)?;
                self.chosen(&is_nan, &number(0.0), &finite, span)?
            }
            "average" => {
                let item = arguments.need(0, "a")?;
                let weights = arguments.take(2, "weights");
                let along = self.along(arguments, 1, &item)?;
                match weights {
                    None | Some(Item::None) => self.reduce(Reduction::Mean, &item, &along, span)?,
                    Some(weights) => {
                        let product = self.binary_ufunc(Binary::Multiply, &item, &weights, span)?;
                        let sum = self.reduce(Reduction::Sum, &product, &along, span)?;
                        let total = self.reduce(Reduction::Sum, &weights, &Along::default(), span)?;
                        self.binary_ufunc(Binary::Divide, &sum, &total, span)?
                    }
                }
            }
            "isclose" | "allclose" => {
                let (a, b) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                let default = |value: f64| Item::Number(Number::float(value));
                let rtol = arguments.take(2, "rtol").unwrap_or(default(1e-5));
                let atol = arguments.take(3, "atol").unwrap_or(default(1e-8));
                let off = self.binary_ufunc(Binary::Subtract, &a, &b, span)?;
                let off = self.unary_ufunc("absolute", &off, span)?;
                let size = self.unary_ufunc("absolute", &b, span)?;
                let relative = self.binary_ufunc(Binary::Multiply, &rtol, &size, span)?;
                let bound = self.binary_ufunc(Binary::Add, &atol, &relative, span)?;
                let near = self.binary_ufunc(Binary::LessEqual, &off, &bound, span)?;
                let equal = self.binary_ufunc(Binary::Equal, &a, &b, span)?;
                let is_finite = self.unary_ufunc("isfinite", &b, span)?;
                let near = self.binary_ufunc(Binary::LogicalAnd, &near, &is_finite, span)?;
                let close = self.binary_ufunc(Binary::LogicalOr, &near, &equal, span)?;
                if name == "isclose" {
                    close
                } else {
                    match self.reduce(Reduction::All, &close, &Along::default(), span)? {
                        Item::Number(all) => Item::Number(Number { weak: true, ..all }),
                        all => all,
                    }
                }
            }
            "heaviside" => {
                let (x, at_zero) = (arguments.need(0, "x1")?, arguments.need(1, "x2")?);
                let zero = Item::int(0);
                let (below, above) = (
                    self.binary_ufunc(Binary::Less, &x, &zero, span)?,
                    self.binary_ufunc(Binary::Less, &zero, &x, span)?,
                );
                let one = self.chosen(&above, &Item::Number(Number::float(1.0)), &at_zero, span)?;
                self.chosen(&below, &Item::Number(Number::float(0.0)), &one, span)?
            }
            "copysign" => {
                let (x, y) = (arguments.need(0, "x1")?, arguments.need(1, "x2")?);
                let common = types::common(&[operand_type(&x), operand_type(&y)]).elem;
                let x = types::real(common).map_or(Ok(x.clone()), |real| self.as_type(&x, real.into(), span))?;
                let size = self.unary_ufunc("fabs", &x, span)?;
                let minus = self.unary_ufunc("negative", &size, span)?;
                let is_negative = self.unary_ufunc("signbit", &y, span)?;
                self.chosen(&is_negative, &minus, &size, span)?
            }
            _ => return Ok(None),
        };
        arguments.finish(4)?;
        Ok(Some(made))
    }

    /// The axes that an argument names, and `keepdims`.
    fn along(&mut self, arguments: &mut Arguments, position: usize, item: &Item) -> Result<Along> {
        let axes = match arguments.take(position, "axis") {
            None | Some(Item::None) => None,
            Some(axis) => {
                let mut axes = self.axes(&axis, shape_of(item).len(), arguments.span)?;
                axes.sort_unstable();
                Some(axes)
            }
        };
        let keepdims = arguments.flag(usize::MAX, "keepdims", false);
        Ok(Along { axes, keepdims, ..Along::default() })
    }

    /// `np.where`: elements of `x` where a condition holds, else of `y`.
    pub(super) fn chosen(&mut self, cond: &Item, x: &Item, y: &Item, span: Span) -> Result<Item> {
        let items = [self.array_like(x, span)?, self.array_like(y, span)?];
        if let [Item::Complex(_), _] | [_, Item::Complex(_)] = &items {
            let [a, b] = self.complex_parts(&items[0], span)?;
            let [c, d] = self.complex_parts(&items[1], span)?;
            return Ok(Item::complex(self.chosen(cond, &a, &c, span)?, self.chosen(cond, &b, &d, span)?));
        }
        let elem = types::common(&items.each_ref().map(operand_type)).elem;
        let [x, y] = items;
        let cond = self.as_type(cond, Scalar::Bool.into(), span)?;
        self.elementwise(&[cond, x, y], elem, span, |l, x| {
            let (one, other) = (l.convert(x[1], elem), l.convert(x[2], elem));
            l.select(x[0], one, other)
        })
    }

    /// Rounded to so many decimals, halves to even.
    fn rounded(&mut self, item: &Item, decimals: i64, span: Span) -> Result<Item> {
        let item = self.array_like(item, span)?;
        let elem = operand_type(&item).elem;
        if !elem.is_float() {
            return if decimals >= 0 {
                Ok(self.renewed(item))
            } else {
                Err(self.not_compiled(span, "rounding integers to tens", "divide first"))
            };
        }
        let constant = |value: f64| Operand::Const(UnOp::Convert(elem).eval(Const::f64(value)));
        let power = constant(10f64.powi(decimals.unsigned_abs() as i32));
        self.elementwise(&[item], elem, span, |l, x| match decimals {
            0 => l.rint(elem, x[0]),
            1.. => {
                let large = l.b.binary(BinOp::MUL, x[0], power);
                let whole = l.rint(elem, large);
                l.b.binary(BinOp::DIV, whole, power)
            }
            _ => {
                let small = l.b.binary(BinOp::DIV, x[0], power);
                let whole = l.rint(elem, small);
                l.b.binary(BinOp::MUL, whole, power)
            }
        })
    }

    /// The nearest whole number; of two the even one. Zeros keep their sign.
    pub(super) fn rint(&mut self, elem: Scalar, x: Operand) -> Operand {
        let constant = |value: f64| Operand::Const(UnOp::Convert(elem).eval(Const::f64(value)));
        let floor = self.b.unary(UnOp::Floor, x);
        let off = self.b.binary(BinOp::SUB, x, floor);
        let next = self.b.binary(BinOp::ADD, floor, constant(1.0));
        let half = self.b.binary(BinOp::MUL, floor, constant(0.5));
        let whole_half = self.b.unary(UnOp::Floor, half);
        let is_even = self.b.binary(BinOp::EQ, half, whole_half);
        let is_above = self.b.binary(BinOp::LT, constant(0.5), off);
        let is_half = self.b.binary(BinOp::EQ, constant(0.5), off);
        let is_odd = self.not(is_even);
        let is_odd_half = self.b.binary(BinOp::AND, is_half, is_odd);
        let is_up = self.b.binary(BinOp::OR, is_above, is_odd_half);
        let rounded = self.select(is_up, next, floor);
        // `-0.3` becomes `-0.0`.
        let is_zero = self.b.binary(BinOp::EQ, rounded, constant(0.0));
        let is_negative = self.b.binary(BinOp::LT, x, constant(0.0));
        let is_minus_zero = self.b.binary(BinOp::AND, is_zero, is_negative);
        let signed = self.select(is_minus_zero, constant(-0.0), rounded);
        // Infinities have no fraction.
        let is_whole = self.b.binary(BinOp::EQ, x, floor);
        self.select(is_whole, x, signed)
    }
}
