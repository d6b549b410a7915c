//! Functions that make arrays.

use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::types::{self, Dtype};
use frit_ir::array::{Extent, Operand, Value};
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;

impl Lowering<'_> {
    /// A function that makes an array, if there is one with this name.
    pub(super) fn creation(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        match name {
            "zeros" | "ones" | "empty" | "ndarray" => {
                let shape = arguments.need(0, "shape")?;
                let sizes = self.shape(&shape, span)?;
                let dtype = self.any_dtype_argument(arguments, 1)?.unwrap_or(Scalar::F64.into());
                arguments.take(2, "order");
                arguments.finish(3)?;
                let fill = Item::int(i64::from(name == "ones"));
                self.full(sizes, &fill, dtype, span).map(Some)
            }
            "full" => {
                let shape = arguments.need(0, "shape")?;
                let sizes = self.shape(&shape, span)?;
                let fill = arguments.need(1, "fill_value")?;
                let dtype = self.any_dtype_argument(arguments, 2)?;
                arguments.take(3, "order");
                arguments.finish(4)?;
                self.full(sizes, &fill, dtype.unwrap_or(operand_type(&fill).dtype()), span).map(Some)
            }
            "zeros_like" | "ones_like" | "empty_like" | "full_like" => {
                let like = arguments.need(0, "a")?;
                let like = self.array_like(&like, span)?;
                let is_full = name == "full_like";
                let one = Item::int(i64::from(name == "ones_like"));
                let fill = if is_full { arguments.need(1, "fill_value")? } else { one };
                let dtype = self.any_dtype_argument(arguments, 1 + usize::from(is_full))?;
                let shape = arguments.take(usize::MAX, "shape");
                arguments.finish(3)?;
                let sizes = match shape {
                    Some(shape) => self.shape(&shape, span)?,
                    None => shape_of(&like).iter().map(|&extent| extent.into()).collect(),
                };
                self.full(sizes, &fill, dtype.unwrap_or(operand_type(&like).dtype()), span).map(Some)
            }
            "arange" => self.arange(arguments).map(Some),
            "linspace" => self.linspace(arguments).map(Some),
            "eye" | "identity" => {
                let n = arguments.need(0, "N")?;
                let n = self.integer(&n, span)?;
                let m = match arguments.take(1, "M") {
                    None | Some(Item::None) => n,
                    Some(m) => self.integer(&m, span)?,
                };
                let k = arguments.take(2, "k").map_or(Ok(Operand::i64(0)), |k| self.integer(&k, span))?;
                let dtype = self.dtype_argument(arguments, 3)?.unwrap_or(Scalar::F64);
                arguments.finish(4)?;
                let shape = self.extents(vec![n, m]);
                let one = Operand::Const(UnOp::Convert(dtype).eval(Const::i64(1)));
                let made = self.generate(shape, dtype, |l, at| {
                    let column = l.add(at[0].into(), k);
                    let is_diagonal = l.b.binary(BinOp::EQ, column, at[1].into());
                    Ok(l.select(is_diagonal, one, Operand::Const(dtype.zero())))
                })?;
                Ok(Some(Item::Array(self.fresh(made))))
            }
            "array" | "asarray" | "ascontiguousarray" | "copy" | "asfortranarray" => {
                let item = arguments.need(0, "a")?;
                let dtype = self.any_dtype_argument(arguments, 1)?;
                let copies = arguments.flag(2, "copy", matches!(name, "array" | "copy"));
                arguments.take(3, "order");
                arguments.finish(4)?;
                let item = self.array_like(&item, span)?;
                let own = operand_type(&item).dtype();
                let dtype = dtype.unwrap_or(own);
                if own != dtype {
                    return self.as_type(&item, dtype, span).map(Some);
                }
                match &item {
                    Item::Array(array) if name == "ascontiguousarray" => {
                        return Ok(Some(Item::Array(self.copied_unless_contiguous(array, array.clone()))));
                    }
                    Item::Array(array) if name == "asfortranarray" && array.rank() > 1 => {
                        return Ok(Some(Item::Array(self.perhaps_copied(array))));
                    }
                    _ => {}
                }
                self.copied(item, copies).map(Some)
            }
            "ix_" => {
                arguments.finish(usize::MAX)?;
                let axes = arguments.at.clone();
                self.grids(&axes, true, span).map(|grids| Some(Item::Tuple(grids)))
            }
            "meshgrid" => self.meshgrid(arguments).map(Some),
            "indices" => {
                let shape = arguments.need(0, "dimensions")?;
                arguments.finish(1)?;
                let sizes = self.shape(&shape, span)?;
                let mut grids = Vec::new();
                for axis in 0..sizes.len() {
                    grids.push(self.grid(&sizes, axis)?);
                }
                self.stacked(&grids, span).map(|array| Some(Item::Array(array)))
            }
            "fromfunction" => {
                let function = arguments.need(0, "function")?;
                let shape = arguments.need(1, "shape")?;
                let dtype = self.dtype_argument(arguments, 2)?.unwrap_or(Scalar::F64);
                arguments.finish(3)?;
                let sizes = self.shape(&shape, span)?;
                let mut grids = Vec::new();
                for axis in 0..sizes.len() {
                    let grid = self.grid(&sizes, axis)?;
                    grids.push(self.as_type(&grid, dtype.into(), span)?);
                }
                let Item::Function(position, around) = function else {
                    return Err(self.wrong_type(span, "`fromfunction` needs a function of the module"));
                };
                self.call(position, around, grids, Vec::new(), span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Fresh memory with the elements of an item, if `copies`.
    fn copied(&mut self, item: Item, copies: bool) -> Result<Item> {
        Ok(match item {
            Item::Array(array) if copies => {
                let value = self.read(&array);
                let copy = self.b.copy(value);
                Item::Array(self.fresh(copy))
            }
            Item::Complex(parts) if copies => {
                let [re, im] = *parts;
                let (re, im) = (self.copied(re, copies)?, self.copied(im, copies)?);
                Item::complex(re, im)
            }
            Item::Number(number) => Item::Number(Number { weak: false, ..number }),
            item => item,
        })
    }

    /// An array of this shape with these elements; a number if it has no axis.
    fn full(&mut self, sizes: Vec<Operand>, fill: &Item, dtype: Dtype, span: Span) -> Result<Item> {
        let fill = self.as_type(fill, dtype, span)?;
        if let Item::Complex(parts) = &fill {
            let (re, im) = (self.full(sizes.clone(), &parts[0], dtype.elem.into(), span)?, &parts[1]);
            let im = self.full(sizes, im, dtype.elem.into(), span)?;
            return Ok(Item::complex(re, im));
        }
        let shape = self.extents(sizes);
        if shape.is_empty() {
            return Ok(fill);
        }
        let value = match &fill {
            Item::Number(number) => self.generate(shape, dtype.elem, |_, _| Ok(number.x))?,
            fill => {
                let filled = self.converted(fill, &shape, dtype.elem, span)?;
                let copy = filled.value().expect("it has axes");
                self.b.copy(copy)
            }
        };
        Ok(Item::Array(self.fresh(value)))
    }

    /// The index along an axis, in each element of an array of this shape.
    fn grid(&mut self, sizes: &[Operand], axis: usize) -> Result<Item> {
        let shape = self.extents(sizes.to_vec());
        let value = self.generate(shape, Scalar::I64, |_, at| Ok(at[axis].into()))?;
        Ok(Item::Array(self.fresh(value)))
    }

    fn meshgrid(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let is_matrix = matches!(arguments.take(usize::MAX, "indexing"), Some(Item::Text(text)) if text == "ij");
        let is_sparse = arguments.flag(usize::MAX, "sparse", false);
        let copies = arguments.flag(usize::MAX, "copy", true);
        arguments.finish(usize::MAX)?;
        let mut axes = arguments.at.clone();
        let exchanges = !is_matrix && axes.len() > 1;
        if exchanges {
            axes.swap(0, 1);
        }
        let mut grids = self.grids(&axes, is_sparse, span)?;
        if exchanges {
            grids.swap(0, 1);
        }
        let grids = grids.into_iter().map(|grid| self.copied(grid, is_sparse && copies)).collect::<Result<_>>()?;
        Ok(Item::Tuple(grids))
    }

    /// Each of the vectors along an axis of its own, repeated along the others unless `is_open`.
    pub(super) fn grids(&mut self, axes: &[Item], is_open: bool, span: Span) -> Result<Vec<Item>> {
        let mut flat = Vec::new();
        for axis in axes {
            flat.push(self.flattened(axis, span)?);
        }
        let whole: Vec<Extent> = flat.iter().map(|array| array.shape[0]).collect();
        let mut grids = Vec::new();
        for (at, array) in flat.iter().enumerate() {
            if is_open {
                let mut shape = vec![Extent::Const(1); whole.len()];
                shape[at] = array.shape[0];
                grids.push(Item::Array(self.reshaped(array, shape, Vec::new())));
                continue;
            }
            let source = self.read(array);
            let value = self.generate(whole.clone(), array.elem, |l, index| {
                Ok(l.b.index(source, vec![index[at].into()], Vec::new()).into())
            })?;
            grids.push(Item::Array(self.fresh(value)));
        }
        Ok(grids)
    }

    fn arange(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let dtype = self.dtype_argument(arguments, 3)?;
        let named = ["start", "stop", "step"].map(|name| {
            let at = arguments.named.iter().position(|(key, _)| key == name);
            at.map(|at| arguments.named.remove(at).1)
        });
        if let [None, Some(_), Some(_)] = named {
            arguments.at.insert(0, Item::int(0));
        }
        arguments.at.truncate(3);
        arguments.at.extend(named.into_iter().flatten());
        arguments.finish(3)?;
        let mut numbers = Vec::new();
        for item in &arguments.at {
            match item {
                Item::Number(number) => numbers.push(*number),
                other => return Err(self.wrong_type(span, format!("`arange` takes numbers, not {}", other.name()))),
            }
        }
        let zero = Number::int(Operand::i64(0));
        let one = Number::int(Operand::i64(1));
        let (start, stop, step) = match numbers[..] {
            [stop] => (zero, stop, one),
            [start, stop] => (start, stop, one),
            [start, stop, step] => (start, stop, step),
            _ => return Err(self.wrong_type(span, "`arange` needs a number")),
        };
        let common = types::common(&[start.into(), stop.into(), step.into()]).elem;
        let elem = dtype.unwrap_or(common);
        if common.is_float() {
            let [start, stop, step] = [start, stop, step].map(|number| self.convert(number.x, Scalar::F64));
            let reach = self.arithmetic(BinOp::SUB, stop, start);
            let count = self.b.binary(BinOp::DIV, reach, step);
            let count = self.b.unary(UnOp::Ceil, count);
            let count = self.convert(count, Scalar::I64);
            let count = self.arithmetic(BinOp::MAX, count, Operand::i64(0));
            let next = self.b.binary(BinOp::ADD, start, step);
            let delta = self.b.binary(BinOp::SUB, next, start);
            let made = self.generate(vec![count.extent()], elem, |l, at| {
                let x = l.convert(at[0].into(), Scalar::F64);
                let x = l.b.binary(BinOp::MUL, x, delta);
                let x = l.b.binary(BinOp::ADD, start, x);
                Ok(l.convert(x, elem))
            });
            return made.map(|value: Value| Item::Array(self.fresh(value)));
        }
        let [start, stop, step] = [start, stop, step].map(|number| self.convert(number.x, Scalar::I64));
        let count = self.count_of(&Item::Range { start, stop, step }, span)?;
        let made = self.generate(vec![count.extent()], elem, |l, at| {
            let x = l.mul(at[0].into(), step);
            let x = l.add(start, x);
            Ok(l.convert(x, elem))
        });
        made.map(|value: Value| Item::Array(self.fresh(value)))
    }

    fn linspace(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let (start, stop) = (arguments.need(0, "start")?, arguments.need(1, "stop")?);
        let count = arguments.take(2, "num").unwrap_or(Item::Number(Number::int(Operand::i64(50))));
        let has_end = arguments.flag(3, "endpoint", true);
        let has_step = arguments.flag(4, "retstep", false);
        let dtype = self.dtype_argument(arguments, 5)?.unwrap_or(Scalar::F64);
        arguments.finish(6)?;
        let (Item::Number(start), Item::Number(stop)) = (start, stop) else {
            return Err(self.not_compiled(span, "`linspace` between arrays", ""));
        };
        let count = self.integer(&count, span)?;
        let (start, stop) = (self.convert(start.x, Scalar::F64), self.convert(stop.x, Scalar::F64));
        let steps = if has_end { self.sub(count, Operand::i64(1)) } else { count };
        let steps = self.arithmetic(BinOp::MAX, steps, Operand::i64(1));
        let divisor = self.convert(steps, Scalar::F64);
        let delta = self.arithmetic(BinOp::SUB, stop, start);
        let step = self.b.binary(BinOp::DIV, delta, divisor);
        let shape = self.extents(vec![count]);
        let made = self.generate(shape, Scalar::F64, |l, at| {
            let x = l.convert(at[0].into(), Scalar::F64);
            let x = l.b.binary(BinOp::MUL, x, step);
            let x = l.b.binary(BinOp::ADD, x, start);
            if !has_end {
                return Ok(x);
            }
            let is_last = l.b.binary(BinOp::EQ, at[0].into(), steps);
            Ok(l.select(is_last, stop, x))
        });
        let made = made.map(|value: Value| Item::Array(self.fresh(value)))?;
        let made = if dtype == Scalar::F64 { made } else { self.as_type(&made, dtype.into(), span)? };
        let step = Item::Number(Number::strong(step, Scalar::F64));
        Ok(if has_step { Item::Tuple(vec![made, step]) } else { made })
    }
}
