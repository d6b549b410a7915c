//! Calls: functions of the module, NumPy's and Python's.

use super::elementwise::{operand_type, shape_of};
use super::error::{NumpyError, Result};
use super::item::{Item, Number};
use super::memory::Array;
use super::reductions::{Along, Reduction};
use super::statement::Lowering;
use super::types;
use super::ufuncs::{Binary, binary_named, is_unary};
use frit_ir::array::{Extent, Op, Operand, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr};

/// The arguments of a call, taken one by one.
struct Arguments {
    name: String,
    span: Span,
    at: Vec<Item>,
    named: Vec<(String, Item)>,
}

impl Arguments {
    /// The argument at this position or with this name.
    fn take(&mut self, position: usize, name: &str) -> Option<Item> {
        if let Some(at) = self.named.iter().position(|(key, _)| key == name) {
            return Some(self.named.remove(at).1);
        }
        match self.at.get_mut(position) {
            Some(item) => Some(std::mem::replace(item, Item::Ellipsis)),
            None => None,
        }
    }

    /// As [`take`](Self::take), where there must be one.
    fn need(&mut self, position: usize, name: &str) -> Result<Item> {
        let what = format!("`{}` needs a value for `{name}`", self.name);
        self.take(position, name).ok_or_else(|| Box::new(NumpyError::WrongArguments { span: self.span, what }))
    }

    /// An error if an argument was not taken: there are `count` positions.
    fn finish(&self, count: usize) -> Result<()> {
        if let Some((name, _)) = self.named.first() {
            let what = format!("`{}` is not compiled with the argument `{name}`", self.name);
            return Err(Box::new(NumpyError::WrongArguments { span: self.span, what }));
        }
        if self.at.len() > count {
            let what = format!("`{}` is compiled with at most {count} arguments, not {}", self.name, self.at.len());
            return Err(Box::new(NumpyError::WrongArguments { span: self.span, what }));
        }
        Ok(())
    }
}

impl Lowering<'_> {
    /// A call.
    pub(super) fn call_expr(&mut self, call: &ast::ExprCall, span: Span) -> Result<Item> {
        let callee = self.expr(&call.func)?;
        let mut at = Vec::new();
        for arg in &call.args {
            if let Expr::Starred(starred) = arg {
                let item = self.expr(&starred.value)?;
                at.extend(self.parts(item, span)?);
            } else {
                at.push(self.expr(arg)?);
            }
        }
        let mut named = Vec::new();
        for keyword in &call.keywords {
            let Some(name) = &keyword.arg else {
                return Err(self.not_compiled(span, "`**` in a call", "name the arguments"));
            };
            named.push((name.to_string(), self.expr(&keyword.value)?));
        }
        match callee {
            Item::Function(position) => self.call(position, at, named, span),
            Item::Dtype(elem) => {
                let [item] = &at[..] else {
                    return Err(self.not_compiled(span, "this conversion", ""));
                };
                self.to_scalar_type(elem, item, &call.func, span)
            }
            Item::Method(array, name) => {
                at.insert(0, Item::Array(array));
                let arguments = Arguments { name, span, at, named };
                self.method(arguments)
            }
            Item::Library(path) => {
                let arguments = Arguments { name: path.clone(), span, at, named };
                self.library(&path, arguments)
            }
            other => Err(self.wrong_type(span, format!("{} cannot be called", other.name()))),
        }
    }

    /// `float(x)`, `np.float32(x)`.
    fn to_scalar_type(&mut self, elem: Scalar, item: &Item, func: &Expr, span: Span) -> Result<Item> {
        let item = self.array_like(item, span)?;
        let is_python = matches!(func, Expr::Name(name) if matches!(name.id.as_str(), "int" | "float" | "bool"));
        let made = self.elementwise(&[item], elem, span, |l, x| l.convert(x[0], elem))?;
        match made {
            Item::Number(number) => Ok(Item::Number(Number { weak: is_python, ..number })),
            Item::Array(_) if is_python => Err(self.wrong_type(span, "only arrays of one element become Python numbers")),
            other => Ok(other),
        }
    }

    /// A method of an array, which is the first argument.
    fn method(&mut self, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let name = arguments.name.clone();
        match name.as_str() {
            "copy" => self.library("numpy.copy", arguments),
            "astype" => {
                let array = arguments.need(0, "a")?;
                let dtype = arguments.need(1, "dtype")?;
                arguments.take(2, "copy");
                arguments.finish(2)?;
                let elem = self.dtype(&dtype, span)?;
                self.elementwise(&[array], elem, span, |l, x| l.convert(x[0], elem))
            }
            "fill" => {
                let Item::Array(array) = arguments.need(0, "a")? else { unreachable!("methods are those of arrays") };
                let value = arguments.need(1, "value")?;
                arguments.finish(2)?;
                self.overwrite(&array, value, span)?;
                Ok(Item::None)
            }
            "item" => {
                let array = arguments.need(0, "a")?;
                let index = Item::Tuple(arguments.at[1..].to_vec());
                match self.subscript(&array, &index, span)? {
                    Item::Number(number) => Ok(Item::Number(Number { weak: true, ..number })),
                    _ => Err(self.wrong_type(span, "`item` needs an index for each axis")),
                }
            }
            "flatten" => {
                let array = arguments.need(0, "a")?;
                let flat = self.flattened(&array, span)?;
                let value = self.read(&flat);
                let copy = self.b.copy(value);
                Ok(Item::Array(self.fresh(copy)))
            }
            "reshape" | "transpose" if arguments.at.len() > 2 => {
                let rest = arguments.at.split_off(1);
                arguments.at.push(Item::Tuple(rest));
                self.library(&format!("numpy.{name}"), arguments)
            }
            _ => self.library(&format!("numpy.{name}"), arguments),
        }
    }

    /// An element type.
    fn dtype(&mut self, item: &Item, span: Span) -> Result<Scalar> {
        match item {
            Item::Dtype(elem) => Ok(*elem),
            Item::Text(name) => match types::named(name) {
                Some(elem) => Ok(elem),
                None => Err(self.not_compiled(span, &format!("the element type `{name}`"), "")),
            },
            other => Err(self.wrong_type(span, format!("an element type is needed here, not {}", other.name()))),
        }
    }

    /// The element type in the argument `dtype`, if it is given.
    fn dtype_argument(&mut self, arguments: &mut Arguments, position: usize) -> Result<Option<Scalar>> {
        match arguments.take(position, "dtype") {
            None | Some(Item::None) => Ok(None),
            Some(item) => self.dtype(&item, arguments.span).map(Some),
        }
    }

    /// The extents that a shape is: a number, or a tuple of numbers.
    fn shape(&mut self, item: &Item, span: Span) -> Result<Vec<Operand>> {
        match item {
            Item::Tuple(items) => items.iter().map(|item| self.integer(item, span)).collect(),
            item => Ok(vec![self.integer(item, span)?]),
        }
    }

    /// Extents, which are not negative.
    fn extents(&mut self, sizes: Vec<Operand>) -> Vec<Extent> {
        sizes
            .into_iter()
            .map(|size| {
                if self.least(size).is_none_or(|least| least < 0) {
                    let is_size = self.b.binary(BinOp::LE, Operand::i64(0), size);
                    self.b.assert(is_size, FailureKind::NegativeSize, vec![size]);
                }
                size.extent()
            })
            .collect()
    }

    /// An array with this element everywhere; a number if it has no axis.
    fn filled(&mut self, sizes: Vec<Operand>, x: Operand, elem: Scalar) -> Result<Item> {
        let x = self.convert(x, elem);
        let shape = self.extents(sizes);
        if shape.is_empty() {
            return Ok(Item::Number(Number::strong(x, elem)));
        }
        self.generate(shape, elem, |_, _| Ok(x)).map(|value: Value| Item::Array(self.fresh(value)))
    }

    /// A function of a library.
    fn library(&mut self, path: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        if !matches!(module, "numpy" | "math" | "") {
            return Err(self.not_compiled(span, &format!("`{path}`"), "call it before or after the function"));
        }
        if module.is_empty() {
            return self.builtin(name, arguments);
        }
        if is_unary(name) {
            let item = arguments.need(0, "x")?;
            let out = arguments.take(1, "out");
            arguments.finish(2)?;
            let made = self.unary_ufunc(name, &item, span)?;
            let made = match (module, made) {
                ("math", Item::Number(number)) => {
                    let is_whole = matches!(name, "floor" | "ceil" | "trunc");
                    let elem = if is_whole { Scalar::I64 } else { number.elem };
                    Item::Number(Number { x: self.convert(number.x, elem), elem, weak: true })
                }
                (_, made) => made,
            };
            return self.into_out(out, made, span);
        }
        if let Some((ufunc, is_exchanged)) = binary_named(name) {
            let (left, right) = (arguments.need(0, "x1")?, arguments.need(1, "x2")?);
            let out = arguments.take(2, "out");
            arguments.finish(3)?;
            let (left, right) = if is_exchanged { (right, left) } else { (left, right) };
            let made = self.binary_ufunc(ufunc, &left, &right, span)?;
            return self.into_out(out, made, span);
        }
        if let Some(what) = Reduction::named(name) {
            return self.reduction(what, arguments);
        }
        match name {
            "zeros" | "ones" | "empty" | "full" => {
                let shape = arguments.need(0, "shape")?;
                let sizes = self.shape(&shape, span)?;
                let (fill, dtype) = if name == "full" {
                    let Item::Number(fill) = arguments.need(1, "fill_value")? else {
                        return Err(self.not_compiled(span, "`full` with an array", "use `broadcast_to`"));
                    };
                    (fill, self.dtype_argument(&mut arguments, 2)?.unwrap_or(fill.elem))
                } else {
                    let x = Const::f64(if name == "ones" { 1.0 } else { 0.0 });
                    let dtype = self.dtype_argument(&mut arguments, 1)?.unwrap_or(Scalar::F64);
                    (Number::weak(Operand::Const(x), Scalar::F64), dtype)
                };
                arguments.take(3, "order");
                arguments.finish(3)?;
                self.filled(sizes, fill.x, dtype)
            }
            "zeros_like" | "ones_like" | "empty_like" | "full_like" => {
                let like = arguments.need(0, "a")?;
                let like = self.array_like(&like, span)?;
                let is_full = name == "full_like";
                let fill = if is_full { Some(arguments.need(1, "fill_value")?) } else { None };
                let dtype = self.dtype_argument(&mut arguments, 1 + usize::from(is_full))?;
                arguments.finish(3)?;
                let elem = dtype.unwrap_or(operand_type(&like).elem);
                let x = match fill {
                    Some(Item::Number(number)) => number.x,
                    Some(_) => return Err(self.not_compiled(span, "`full_like` with an array", "")),
                    None => Operand::Const(Const::f64(if name == "ones_like" { 1.0 } else { 0.0 })),
                };
                let sizes = shape_of(&like).iter().map(|&extent| extent.into()).collect();
                self.filled(sizes, x, elem)
            }
            "arange" => self.arange(arguments),
            "linspace" => self.linspace(arguments),
            "eye" | "identity" => {
                let n = arguments.need(0, "N")?;
                let n = self.integer(&n, span)?;
                let dtype = self.dtype_argument(&mut arguments, 3)?.unwrap_or(Scalar::F64);
                arguments.finish(1)?;
                let shape = self.extents(vec![n, n]);
                let one = Operand::Const(UnOp::Convert(dtype).eval(Const::i64(1)));
                let made = self.generate(shape, dtype, |l, at| {
                    let is_diagonal = l.b.binary(BinOp::EQ, at[0].into(), at[1].into());
                    Ok(l.select(is_diagonal, one, Operand::Const(dtype.zero())))
                });
                made.map(|value: Value| Item::Array(self.fresh(value)))
            }
            "array" | "asarray" | "ascontiguousarray" | "copy" => {
                let item = arguments.need(0, "a")?;
                let dtype = self.dtype_argument(&mut arguments, 1)?;
                arguments.take(2, "copy");
                arguments.finish(1)?;
                let item = self.array_like(&item, span)?;
                let elem = dtype.unwrap_or(operand_type(&item).elem);
                match item {
                    Item::Array(array) if matches!(name, "array" | "copy") || array.elem != elem => {
                        let value = self.converted(&Item::Array(array.clone()), &array.shape, elem, span)?;
                        let copy = self.b.copy(value.value().expect("it has axes"));
                        Ok(Item::Array(self.fresh(copy)))
                    }
                    Item::Number(number) => Ok(Item::Number(Number::strong(self.convert(number.x, elem), elem))),
                    item => Ok(item),
                }
            }
            "where" => {
                let cond = arguments.need(0, "condition")?;
                let (Some(x), Some(y)) = (arguments.take(1, "x"), arguments.take(2, "y")) else {
                    return Err(self.not_compiled(span, "`where` of one argument", "use a mask"));
                };
                arguments.finish(3)?;
                let items = [self.array_like(&x, span)?, self.array_like(&y, span)?];
                let elem = types::common(&items.each_ref().map(operand_type)).elem;
                let [x, y] = items;
                self.elementwise(&[cond, x, y], elem, span, |l, x| {
                    let cond = l.convert(x[0], Scalar::Bool);
                    let (one, other) = (l.convert(x[1], elem), l.convert(x[2], elem));
                    l.select(cond, one, other)
                })
            }
            "clip" => {
                let item = arguments.need(0, "a")?;
                let low = arguments.take(1, "a_min").or_else(|| arguments.take(1, "min")).unwrap_or(Item::None);
                let high = arguments.take(2, "a_max").or_else(|| arguments.take(2, "max")).unwrap_or(Item::None);
                let out = arguments.take(3, "out");
                arguments.finish(4)?;
                let mut made = item;
                if low != Item::None {
                    made = self.binary_ufunc(Binary::Maximum, &made, &low, span)?;
                }
                if high != Item::None {
                    made = self.binary_ufunc(Binary::Minimum, &made, &high, span)?;
                }
                self.into_out(out, made, span)
            }
            "dot" | "matmul" | "inner" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                let out = arguments.take(2, "out");
                arguments.finish(3)?;
                let right = match right {
                    Item::Array(array) if name == "inner" && array.rank() == 2 => Item::Array(self.transposed(&array, vec![1, 0])),
                    right => right,
                };
                let made = self.matmul(&left, &right, span)?;
                self.into_out(out, made, span)
            }
            "outer" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                arguments.finish(2)?;
                let (left, right) = (self.flattened(&left, span)?, self.flattened(&right, span)?);
                let column = self.reshaped(&left, vec![left.shape[0], Extent::Const(1)], Vec::new());
                self.binary_ufunc(Binary::Multiply, &Item::Array(column), &Item::Array(right), span)
            }
            "transpose" => {
                let item = arguments.need(0, "a")?;
                let axes = arguments.take(1, "axes");
                arguments.finish(2)?;
                let Item::Array(array) = self.array_like(&item, span)? else { return Ok(item) };
                let axes = match axes {
                    None | Some(Item::None) => (0..array.rank()).rev().collect(),
                    Some(axes) => self.axes(&axes, array.rank(), span)?,
                };
                if axes.len() != array.rank() {
                    return Err(self.wrong_type(span, "the axes do not match the array"));
                }
                Ok(Item::Array(self.transposed(&array, axes)))
            }
            "swapaxes" => {
                let (item, one, other) = (arguments.need(0, "a")?, arguments.need(1, "axis1")?, arguments.need(2, "axis2")?);
                arguments.finish(3)?;
                let Item::Array(array) = self.array_like(&item, span)? else { return Ok(item) };
                let pair = self.axes(&Item::Tuple(vec![one, other]), array.rank(), span)?;
                let mut axes: Vec<usize> = (0..array.rank()).collect();
                axes.swap(pair[0], pair[1]);
                Ok(Item::Array(self.transposed(&array, axes)))
            }
            "reshape" => {
                let (item, shape) = (arguments.need(0, "a")?, arguments.need(1, "shape")?);
                arguments.finish(2)?;
                self.reshape(&item, &shape, span)
            }
            "ravel" => {
                let item = arguments.need(0, "a")?;
                arguments.finish(1)?;
                self.flattened(&item, span).map(Item::Array)
            }
            "expand_dims" => {
                let (item, axis) = (arguments.need(0, "a")?, arguments.need(1, "axis")?);
                arguments.finish(2)?;
                let axis = self.constant_integer(&axis, span)?;
                let item = self.array_like(&item, span)?;
                let mut shape = shape_of(&item).to_vec();
                let axis = self.axis(axis, shape.len() + 1, span)?;
                shape.insert(axis, Extent::Const(1));
                match item {
                    Item::Array(array) => Ok(Item::Array(self.reshaped(&array, shape, Vec::new()))),
                    item => self.stacked(&[item], span).map(Item::Array),
                }
            }
            "squeeze" => {
                let item = arguments.need(0, "a")?;
                let axis = arguments.take(1, "axis");
                arguments.finish(2)?;
                let Item::Array(array) = self.array_like(&item, span)? else { return Ok(item) };
                let is_left = |extent: &Extent| *extent != Extent::Const(1);
                if axis.is_some_and(|axis| axis != Item::None) {
                    return Err(self.not_compiled(span, "`squeeze` with an axis", "index the axis with 0"));
                }
                let shape: Vec<Extent> = array.shape.iter().copied().filter(is_left).collect();
                if shape.is_empty() {
                    return self.subscript(&Item::Array(array.clone()), &Item::Tuple(vec![Item::Number(Number::int(Operand::i64(0))); array.rank()]), span);
                }
                Ok(Item::Array(self.reshaped(&array, shape, Vec::new())))
            }
            "concatenate" | "hstack" | "vstack" | "stack" => self.joined(name, arguments),
            "roll" => self.roll(arguments),
            "flip" | "flipud" | "fliplr" => {
                let item = arguments.need(0, "m")?;
                let axis = arguments.take(1, "axis");
                arguments.finish(2)?;
                let Item::Array(array) = self.array_like(&item, span)? else { return Ok(item) };
                let axes = match (name, axis) {
                    ("flipud", _) => vec![0],
                    ("fliplr", _) => vec![1],
                    (_, None | Some(Item::None)) => (0..array.rank()).collect(),
                    (_, Some(axis)) => self.axes(&axis, array.rank(), span)?,
                };
                let back = Item::Slice([None, None, Some(Number::int(Operand::i64(-1)))]);
                let whole = Item::Slice([None, None, None]);
                let index = (0..array.rank()).map(|at| if axes.contains(&at) { back.clone() } else { whole.clone() });
                let index = Item::Tuple(index.collect());
                self.view(&array, &index, span).map(Item::Array)
            }
            "diff" => {
                let item = arguments.need(0, "a")?;
                let axis = arguments.take(2, "axis");
                arguments.finish(1)?;
                let Item::Array(array) = self.array_like(&item, span)? else {
                    return Err(self.wrong_type(span, "`diff` needs an array"));
                };
                let axis = axis.map_or(Ok(-1), |axis| self.constant_integer(&axis, span))?;
                let axis = self.axis(axis, array.rank(), span)?;
                let part = |lowering: &mut Self, from: Option<i64>, to: Option<i64>| {
                    let bound = |bound: Option<i64>| bound.map(|at| Number::int(Operand::i64(at)));
                    let whole = Item::Slice([None, None, None]);
                    let mut index = vec![whole; array.rank()];
                    index[axis] = Item::Slice([bound(from), bound(to), None]);
                    lowering.view(&array, &Item::Tuple(index), span).map(Item::Array)
                };
                let (next, this) = (part(self, Some(1), None)?, part(self, None, Some(-1))?);
                let ufunc = if array.elem == Scalar::Bool { Binary::NotEqual } else { Binary::Subtract };
                self.binary_ufunc(ufunc, &next, &this, span)
            }
            "cumsum" | "cumprod" => {
                let item = arguments.need(0, "a")?;
                let axis = match arguments.take(1, "axis") {
                    None | Some(Item::None) => None,
                    Some(axis) => Some(self.constant_integer(&axis, span)?),
                };
                let dtype = self.dtype_argument(&mut arguments, 2)?;
                arguments.finish(3)?;
                self.accumulate(name == "cumsum", &item, axis, dtype, span)
            }
            _ => Err(self.not_compiled(span, &format!("`{path}`"), "call it before or after the function")),
        }
    }

    /// What goes into the argument `out`, if it is given.
    fn into_out(&mut self, out: Option<Item>, made: Item, span: Span) -> Result<Item> {
        match out {
            None | Some(Item::None) => Ok(made),
            Some(Item::Array(out)) => {
                if shape_of(&made).len() != out.rank() {
                    return Err(self.wrong_type(span, "`out` has another number of axes than the result"));
                }
                self.overwrite(&out, made, span)?;
                Ok(Item::Array(out))
            }
            Some(_) => Err(self.wrong_type(span, "`out` must be an array")),
        }
    }

    fn reduction(&mut self, what: Reduction, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let item = arguments.need(0, "a")?;
        let item = self.array_like(&item, span)?;
        let axis = arguments.take(1, "axis").unwrap_or(Item::None);
        let axes = match &axis {
            Item::None => None,
            axis => {
                let mut axes = self.axes(axis, shape_of(&item).len(), span)?;
                axes.sort_unstable();
                Some(axes)
            }
        };
        let keepdims = match arguments.take(4, "keepdims") {
            Some(Item::Number(Number { x: Operand::Const(keeps), .. })) => keeps.as_bool().unwrap_or(false),
            _ => false,
        };
        let ddof = arguments.take(5, "ddof").map_or(Ok(0), |ddof| self.constant_integer(&ddof, span))?;
        let dtype = self.dtype_argument(&mut arguments, 2)?;
        arguments.finish(2)?;
        self.reduce(what, &item, &Along { axes, keepdims, dtype, ddof }, span)
    }

    /// Axes, which may count from the end.
    fn axes(&mut self, item: &Item, rank: usize, span: Span) -> Result<Vec<usize>> {
        let items: &[Item] = if let Item::Tuple(items) = item { items } else { std::slice::from_ref(item) };
        items
            .iter()
            .map(|item| {
                let axis = self.constant_integer(item, span)?;
                self.axis(axis, rank, span)
            })
            .collect()
    }

    fn arange(&mut self, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let dtype = self.dtype_argument(&mut arguments, 3)?;
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
        let count = match step {
            Operand::Const(constant) if constant.as_i64().is_some_and(|step| step != 0) => {
                let step = constant.as_i64().expect("it is a number");
                self.count_of(&Item::Range { start, stop, step }, span)?
            }
            _ => return Err(self.not_compiled(span, "`arange` with a step that is only known at run time", "multiply by the step")),
        };
        let made = self.generate(vec![count.extent()], elem, |l, at| {
            let x = l.mul(at[0].into(), step);
            let x = l.add(start, x);
            Ok(l.convert(x, elem))
        });
        made.map(|value: Value| Item::Array(self.fresh(value)))
    }

    fn linspace(&mut self, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let (start, stop) = (arguments.need(0, "start")?, arguments.need(1, "stop")?);
        let count = arguments.take(2, "num").unwrap_or(Item::Number(Number::int(Operand::i64(50))));
        let has_end = match arguments.take(3, "endpoint") {
            Some(Item::Number(Number { x: Operand::Const(end), .. })) => end.as_bool().unwrap_or(true),
            _ => true,
        };
        arguments.finish(4)?;
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
        made.map(|value: Value| Item::Array(self.fresh(value)))
    }

    fn reshape(&mut self, item: &Item, shape: &Item, span: Span) -> Result<Item> {
        let array = match self.array_like(item, span)? {
            Item::Array(array) => array,
            number => self.stacked(&[number], span)?,
        };
        let mut count = Operand::i64(1);
        for &extent in &array.shape {
            count = self.mul(count, extent.into());
        }
        let mut sizes = self.shape(shape, span)?;
        let open = sizes.iter().position(|&size| size == Operand::i64(-1));
        let mut known = Operand::i64(1);
        for (_, &size) in sizes.iter().enumerate().filter(|(at, _)| Some(*at) != open) {
            known = self.mul(known, size);
        }
        if let Some(at) = open {
            let divisor = self.arithmetic(BinOp::MAX, known, Operand::i64(1));
            let rest = self.arithmetic(BinOp::FLOOR_DIV, count, divisor);
            sizes[at] = rest;
            known = self.mul(known, rest);
        }
        let mut certs = Vec::new();
        if known != count {
            let is_right = self.b.binary(BinOp::EQ, known, count);
            certs.push(self.b.assert(is_right, FailureKind::ElementCount, vec![known, count]));
        }
        let shape = self.extents(sizes);
        Ok(Item::Array(self.reshaped(&array, shape, certs)))
    }

    fn joined(&mut self, name: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let items = arguments.need(0, "arrays")?;
        let items = self.parts(items, span)?;
        let axis = arguments.take(1, "axis").map_or(Ok(0), |axis| self.constant_integer(&axis, span))?;
        arguments.finish(2)?;
        let mut arrays: Vec<Array> = Vec::new();
        for item in &items {
            arrays.push(match self.array_like(item, span)? {
                Item::Array(array) => array,
                number => self.stacked(&[number], span)?,
            });
        }
        let Some(rank) = arrays.first().map(Array::rank) else {
            return Err(self.wrong_type(span, format!("`{name}` needs an array")));
        };
        let new_axis = name == "stack" || (name == "vstack" && rank == 1);
        let axis = match name {
            "hstack" => usize::from(rank > 1),
            "vstack" => 0,
            _ => self.axis(axis, rank + usize::from(new_axis), span)?,
        };
        if arrays.iter().any(|array| array.rank() != rank) {
            return Err(self.wrong_type(span, format!("the arrays of `{name}` have different numbers of axes")));
        }
        let elem = arrays.iter().map(|array| array.elem).reduce(types::promote).expect("there is an array");
        let mut values = Vec::new();
        let mut outermost = Operand::i64(0);
        let mut rest: Vec<Extent> = Vec::new();
        for (nth, array) in arrays.iter().enumerate() {
            let array = if new_axis {
                let mut shape = array.shape.clone();
                shape.insert(axis, Extent::Const(1));
                self.reshaped(array, shape, Vec::new())
            } else {
                array.clone()
            };
            let axes = std::iter::once(axis).chain((0..array.rank()).filter(|&at| at != axis)).collect();
            let first = self.transposed(&array, axes);
            if nth == 0 {
                rest = first.shape[1..].to_vec();
            }
            for (&x, &y) in rest.clone().iter().zip(&first.shape[1..]) {
                self.same_size(x, y);
            }
            outermost = self.add(outermost, first.shape[0].into());
            let value = self.converted(&Item::Array(first.clone()), &first.shape, elem, span)?;
            values.push(value.value().expect("it has axes"));
        }
        let ty = Type::array(elem, [vec![outermost.extent()], rest].concat());
        let value = self.b.emit_one(Op::Concat { arrays: values }, ty, Vec::new());
        let made = self.fresh(value);
        let mut axes: Vec<usize> = (1..made.rank()).collect();
        axes.insert(axis, 0);
        Ok(Item::Array(self.transposed(&made, axes)))
    }

    fn roll(&mut self, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let (item, shift) = (arguments.need(0, "a")?, arguments.need(1, "shift")?);
        let axis = arguments.take(2, "axis").unwrap_or(Item::None);
        arguments.finish(3)?;
        let Item::Array(array) = self.array_like(&item, span)? else { return Ok(item) };
        if axis == Item::None && array.rank() > 1 {
            let flat = self.flattened(&item, span)?;
            let rolled = self.rolled(&flat, &shift, 0, span)?;
            return Ok(Item::Array(self.reshaped(&rolled, array.shape, Vec::new())));
        }
        let axes = if axis == Item::None { vec![0] } else { self.axes(&axis, array.rank(), span)? };
        let shifts = match shift {
            Item::Tuple(shifts) => shifts,
            shift => vec![shift; axes.len()],
        };
        let mut made = array;
        for (axis, shift) in axes.into_iter().zip(&shifts) {
            made = self.rolled(&made, shift, axis, span)?;
        }
        Ok(Item::Array(made))
    }

    /// An array rolled along one axis.
    fn rolled(&mut self, array: &Array, shift: &Item, axis: usize, span: Span) -> Result<Array> {
        let n: Operand = array.shape[axis].into();
        let shift = self.integer(shift, span)?;
        let divisor = self.arithmetic(BinOp::MAX, n, Operand::i64(1));
        let shift = self.arithmetic(BinOp::FLOOR_MOD, shift, divisor);
        let source = self.read(array);
        let value: Value = self.generate(array.shape.clone(), array.elem, |l, at| {
            let before = l.sub(at[axis].into(), shift);
            let is_wrapped = l.b.binary(BinOp::LT, before, Operand::i64(0));
            let wrapped = l.add(before, n);
            let mut places: Vec<Operand> = at.iter().map(|&at| at.into()).collect();
            places[axis] = l.select(is_wrapped, wrapped, before);
            Ok(l.b.index(source, places, Vec::new()).into())
        })?;
        Ok(self.fresh(value))
    }

    /// A function of Python.
    fn builtin(&mut self, name: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        match name {
            "range" => {
                let bounds: Vec<Operand> =
                    arguments.at.iter().map(|item| self.integer(item, span)).collect::<Result<_>>()?;
                let (start, stop, step) = match bounds[..] {
                    [stop] => (Operand::i64(0), stop, 1),
                    [start, stop] => (start, stop, 1),
                    [start, stop, _] => (start, stop, self.constant_integer(&arguments.at[2].clone(), span)?),
                    _ => return Err(self.wrong_type(span, "`range` takes one to three integers")),
                };
                if step == 0 {
                    return Err(self.wrong_type(span, "the step of a range cannot be zero"));
                }
                Ok(Item::Range { start, stop, step })
            }
            "len" => {
                let item = arguments.need(0, "object")?;
                let count = match &item {
                    Item::Tuple(items) => Operand::i64(items.len() as i64),
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
                let items = match &arguments.at[..] {
                    [Item::Tuple(items)] => items.clone(),
                    [Item::Array(array)] if array.rank() == 1 => {
                        let what = Reduction::named(name).expect("it is a reduction");
                        return self.reduce(what, &Item::Array(array.clone()), &Along::default(), span);
                    }
                    [] | [_] => return Err(self.not_compiled(span, &format!("`{name}` of this"), "use NumPy's")),
                    items => items.to_vec(),
                };
                let ufunc = match name {
                    "sum" => Binary::Add,
                    _ => Binary::Less,
                };
                let mut items = items.into_iter();
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
            "tuple" | "list" => {
                let item = arguments.need(0, "iterable")?;
                self.parts(item, span).map(Item::Tuple)
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
        let (x, y) = (self.convert(x.x, common.elem), self.convert(y.x, common.elem));
        let is_other = if is_max { self.holds(BinOp::LT, x, y) } else { self.holds(BinOp::LT, y, x) };
        let made = self.select(is_other, y, x);
        if let (Some(one), Some(other), Operand::Value(value)) = (self.least(x), self.least(y), made) {
            self.least.insert(value, one.min(other));
        }
        Ok(Item::Number(Number { x: made, elem: common.elem, weak: common.weak }))
    }
}
