//! Functions of Python.

use super::call::Arguments;
use super::elementwise::shape_of;
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::reductions::{Along, Reduction};
use super::types;
use super::ufuncs::Binary;
use frit_ir::array::Operand;
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;

impl Lowering<'_> {
    /// A function of Python.
    pub(super) fn builtin(&mut self, name: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        match name {
            "range" => {
                let bounds: Vec<Operand> =
                    arguments.at.iter().map(|item| self.integer(item, span)).collect::<Result<_>>()?;
                let (start, stop, step) = match bounds[..] {
                    [stop] => (Operand::i64(0), stop, Operand::i64(1)),
                    [start, stop] => (start, stop, Operand::i64(1)),
                    [start, stop, step] => (start, stop, step),
                    _ => return Err(self.wrong_type(span, "`range` takes one to three integers")),
                };
                if step == Operand::i64(0) {
                    return Err(self.wrong_type(span, "the step of a range cannot be zero"));
                }
                Ok(Item::Range { start, stop, step })
            }
            "len" => {
                let item = arguments.need(0, "object")?;
                let count = match &item {
                    Item::Tuple(items) => Operand::i64(items.len() as i64),
                    item if !shape_of(item).is_empty() => self.known_shape(item)[0].into(),
                    item => self.count_of(item, span)?,
                };
                Ok(Item::Number(Number::int(count)))
            }
            "abs" => {
                let item = arguments.need(0, "x")?;
                self.unary_ufunc("absolute", &item, span)
            }
            "pow" => {
                let (x, y) = (arguments.need(0, "x")?, arguments.need(1, "y")?);
                self.binary_ufunc(Binary::Power, &x, &y, span)
            }
            "min" | "max" | "sum" => {
                if let Some(array) = arguments.at.first().and_then(Item::grown) {
                    arguments.at[0] = array.clone();
                }
                let start = if name == "sum" && arguments.at.len() == 2 { arguments.at.pop() } else { None };
                if let [range @ Item::Range { .. }] = &arguments.at[..] {
                    arguments.at = vec![self.array_like(range, span)?];
                }
                let items = match &arguments.at[..] {
                    [Item::Tuple(items)] => items.clone(),
                    [Item::Array(array)] if array.rank() == 1 => {
                        let what = Reduction::named(name).expect("it is a reduction");
                        let made = self.reduce(what, &Item::Array(array.clone()), &Along::default(), span)?;
                        return start
                            .map_or(Ok(made.clone()), |start| self.binary_ufunc(Binary::Add, &made, &start, span));
                    }
                    [] | [_] => return Err(self.not_compiled(span, &format!("`{name}` of this"), "use NumPy's")),
                    items => items.to_vec(),
                };
                let ufunc = match name {
                    "sum" => Binary::Add,
                    _ => Binary::Less,
                };
                let mut items = start.into_iter().chain(items);
                let mut made = match items.next() {
                    Some(first) => first,
                    None if name == "sum" => Item::Number(Number::int(Operand::i64(0))),
                    None => return Err(self.wrong_type(span, format!("`{name}` of nothing"))),
                };
                for item in items {
                    made = if name == "sum" {
                        self.binary_ufunc(ufunc, &made, &item, span)?
                    } else {
                        self.extreme(name == "max", &made, &item, span)?
                    };
                }
                Ok(made)
            }
            "enumerate" => {
                let item = arguments.need(0, "iterable")?;
                let start = arguments.take(1, "start").unwrap_or(Item::int(0));
                let start = self.integer(&start, span)?;
                let count = self.count_of(&item, span)?;
                let range = Item::Range { start, stop: self.add(start, count), step: Operand::i64(1) };
                Ok(Item::Zip(vec![range, item]))
            }
            "zip" => Ok(Item::Zip(arguments.at)),
            "reversed" => match arguments.need(0, "sequence")? {
                Item::Tuple(mut items) => {
                    items.reverse();
                    Ok(Item::Tuple(items))
                }
                range @ Item::Range { .. } => {
                    let count = self.count_of(&range, span)?;
                    let last = self.sub(count, Operand::i64(1));
                    let Item::Range { start, step, .. } = range else { unreachable!("it is a range") };
                    let way = self.mul(last, step);
                    let first = self.add(start, way);
                    let stop = self.sub(start, step);
                    let step = self.sub(Operand::i64(0), step);
                    Ok(Item::Range { start: first, stop, step })
                }
                item => {
                    let back = Item::Slice([None, None, Some(Number::int(Operand::i64(-1)))]);
                    self.subscript(&item, &back, span)
                }
            },
            "round" => {
                let is_whole = arguments.at.len() == 1;
                let made = self.library("numpy.round", arguments)?;
                Ok(match made {
                    Item::Number(number) if is_whole => Item::Number(Number::int(self.convert(number.x, Scalar::I64))),
                    Item::Number(number) => Item::Number(Number { weak: true, ..number }),
                    made => made,
                })
            }
            "divmod" => {
                let (x, y) = (arguments.need(0, "x")?, arguments.need(1, "y")?);
                let quotient = self.binary_ufunc(Binary::FloorDivide, &x, &y, span)?;
                Ok(Item::Tuple(vec![quotient, self.binary_ufunc(Binary::Remainder, &x, &y, span)?]))
            }
            "any" | "all" => {
                let item = arguments.need(0, "iterable")?;
                let item = item.grown().cloned().unwrap_or(item);
                if let Item::Array(array) = &item
                    && array.rank() == 1
                {
                    return self.library(&format!("numpy.{name}"), Arguments { at: vec![item], ..arguments });
                }
                let parts = self.parts(item, span)?;
                let mut made = Operand::Const(Const::Bool(name == "all"));
                for part in &parts {
                    let truth = self.truth(part, span)?;
                    made = self.arithmetic(if name == "all" { BinOp::AND } else { BinOp::OR }, made, truth);
                }
                Ok(Item::Number(Number::weak(made, Scalar::Bool)))
            }
            "isinstance" => {
                let (item, kind) = (arguments.need(0, "object")?, arguments.need(1, "class")?);
                Ok(Item::Number(Number::truth(self.is_instance(&item, &kind))))
            }
            "callable" => {
                let item = arguments.need(0, "object")?;
                Ok(Item::Number(Number::truth(matches!(
                    item,
                    Item::Function(..) | Item::Library(_) | Item::Method(..)
                ))))
            }
            "slice" => {
                let mut bounds = Vec::new();
                for item in &arguments.at {
                    bounds.push(match item {
                        Item::None => None,
                        item => Some(Number::int(self.integer(item, span)?)),
                    });
                }
                match bounds[..] {
                    [stop] => Ok(Item::Slice([None, stop, None])),
                    [start, stop] => Ok(Item::Slice([start, stop, None])),
                    [start, stop, step] => Ok(Item::Slice([start, stop, step])),
                    _ => Err(self.wrong_type(span, "`slice` takes one to three bounds")),
                }
            }
            "dict" if arguments.at.is_empty() => {
                let named = std::mem::take(&mut arguments.named);
                Ok(Item::dict(named.into_iter().map(|(name, item)| (format!("'{name}'"), item)).collect()))
            }
            "map" => {
                let function = arguments.need(0, "function")?;
                let mut columns = Vec::new();
                for item in arguments.at.split_off(1) {
                    columns.push(self.parts(item, span)?);
                }
                let count = columns.iter().map(Vec::len).min().unwrap_or(0);
                let mut made = Vec::new();
                for at in 0..count {
                    let items = columns.iter().map(|column| column[at].clone()).collect();
                    made.push(self.call_item(function.clone(), items, Vec::new(), span)?);
                }
                Ok(Item::Tuple(made))
            }
            "tuple" | "list" if arguments.at.is_empty() => {
                Ok(if name == "list" { Item::list(Vec::new()) } else { Item::Tuple(Vec::new()) })
            }
            "tuple" | "list" => {
                let item = arguments.need(0, "iterable")?;
                self.parts(item, span).map(if name == "list" { Item::list } else { Item::Tuple })
            }
            _ => Err(self.not_compiled(span, &format!("`{name}`"), "call it before or after the function")),
        }
    }

    /// Python's `min` or `max` of two numbers: the first unless the other is smaller or larger.
    fn extreme(&mut self, is_max: bool, one: &Item, other: &Item, span: Span) -> Result<Item> {
        let (Item::Number(x), Item::Number(y)) = (one, other) else {
            return Err(self.not_compiled(span, "`min` or `max` of arrays", "use `np.minimum` or `np.maximum`"));
        };
        let common = types::common(&[(*x).into(), (*y).into()]);
        if let (Operand::Const(_), Operand::Const(_)) = (x.x, y.x) {
            let (a, b) = (self.convert(x.x, common.elem), self.convert(y.x, common.elem));
            let is_other = if is_max { self.holds(BinOp::LT, a, b) } else { self.holds(BinOp::LT, b, a) };
            return Ok(if is_other == Operand::Const(Const::Bool(true)) { other.clone() } else { one.clone() });
        }
        let (x, y) = (self.convert(x.x, common.elem), self.convert(y.x, common.elem));
        let is_other = if is_max { self.holds(BinOp::LT, x, y) } else { self.holds(BinOp::LT, y, x) };
        let made = self.select(is_other, y, x);
        if let (Some(one), Some(other), Operand::Value(value)) = (self.least(x), self.least(y), made) {
            self.least.insert(value, one.min(other));
        }
        Ok(Item::Number(Number { x: made, elem: common.elem, weak: common.weak }))
    }
}
