//! Calls: which function is called, with which arguments.

use super::callback::Callers;
use super::container::HEAD;
use super::elementwise::shape_of;
use super::error::{NumpyError, Result};
use super::function::Lowering;
use super::item::{Item, Number};
use super::reductions::Reduction;
use super::types::{self, Dtype};
use super::ufuncs::{Binary, binary_named, is_unary};
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_support::Span;
use rustpython_parser::ast::{self, Expr};

/// Functions of one array that are made part by part of complex arrays.
const BY_PART: &[&str] = &[
    "copy",
    "asarray",
    "ascontiguousarray",
    "reshape",
    "ravel",
    "transpose",
    "swapaxes",
    "moveaxis",
    "roll",
    "flip",
    "flipud",
    "fliplr",
    "squeeze",
    "expand_dims",
    "broadcast_to",
    "repeat",
    "tile",
    "pad",
    "diff",
    "sum",
    "cumsum",
    "mean",
    "trace",
    "diagonal",
    "diag",
    "triu",
    "tril",
    "take",
    "delete",
    "round",
    "around",
];
/// Functions of a sequence of arrays.
const OF_SEQUENCES: &[&str] = &["concatenate", "stack", "hstack", "vstack", "column_stack"];
/// Functions that are linear in each of two arrays.
const BILINEAR: &[&str] = &["dot", "matmul", "inner", "outer", "tensordot", "convolve"];

/// The arguments of a call, taken one by one.
#[derive(Clone)]
pub(super) struct Arguments {
    /// What is called, as messages call it.
    pub name: String,
    pub span: Span,
    pub at: Vec<Item>,
    pub named: Vec<(String, Item)>,
}

impl Arguments {
    /// The argument at this position or with this name.
    pub(super) fn take(&mut self, position: usize, name: &str) -> Option<Item> {
        if let Some(at) = self.named.iter().position(|(key, _)| key == name) {
            return Some(self.named.remove(at).1);
        }
        self.at.get_mut(position).map(|item| std::mem::replace(item, Item::Ellipsis))
    }

    /// As [`take`](Self::take), for a truth value that is known.
    pub(super) fn flag(&mut self, position: usize, name: &str, default: bool) -> bool {
        match self.take(position, name) {
            Some(Item::Number(Number { x: Operand::Const(value), .. })) => value.as_bool().unwrap_or(default),
            _ => default,
        }
    }

    /// As [`take`](Self::take), where there must be one.
    pub(super) fn need(&mut self, position: usize, name: &str) -> Result<Item> {
        let what = format!("`{}` needs a value for `{name}`", self.name);
        self.take(position, name).ok_or_else(|| Box::new(NumpyError::WrongArguments { span: self.span, what }))
    }

    /// An error if an argument was not taken: there are `count` positions.
    pub(super) fn finish(&self, count: usize) -> Result<()> {
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

impl<'m> Lowering<'m> {
    /// A call.
    pub(super) fn call_expr(&mut self, call: &'m ast::ExprCall, span: Span) -> Result<Item> {
        let callee = self.expr(&call.func)?;
        let place = (span.start as usize, span.end as usize);
        if self.left.contains(&place) {
            let made = self.callback(&callee, call, span);
            if made.is_err() {
                self.failed.push(place);
            }
            return made;
        }
        let is_print = callee == Item::Library("print".into());
        let made = self.compiled_call(callee, call, span);
        if let Err(error) = &made
            && match self.callers {
                Callers::Nobody => false,
                Callers::Print => is_print,
                Callers::Python(_) => error.can_be_left(),
            }
        {
            self.failed.push(place);
        }
        made
    }

    /// A call that is compiled.
    fn compiled_call(&mut self, callee: Item, call: &'m ast::ExprCall, span: Span) -> Result<Item> {
        if callee == Item::Library("print".into()) {
            return Err(self.not_compiled(span, "`print`", "return what is to be printed"));
        }
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
            let item = self.expr(&keyword.value)?;
            match (&keyword.arg, item) {
                (Some(name), item) => named.push((name.to_string(), item)),
                (None, Item::Named(names, items)) if Item::is_dict(&names) => {
                    let plain = |name: String| name.trim_matches('\'').to_string();
                    named.extend(names.into_iter().skip(HEAD).map(plain).zip(items));
                }
                _ => return Err(self.not_compiled(span, "`**` of this in a call", "name the arguments")),
            }
        }
        self.call_item(callee, at, named, span)
    }

    /// A call of an item.
    pub(super) fn call_item(
        &mut self,
        callee: Item,
        mut at: Vec<Item>,
        named: Vec<(String, Item)>,
        span: Span,
    ) -> Result<Item> {
        let is_callable = matches!(callee, Item::Function(..) | Item::Fields(_));
        let is_method = matches!(&callee, Item::Method(item, _) if matches!(**item, Item::Object(..) | Item::Text(_)));
        let is_left = callee.is_outside() || is_method;
        if is_left || (!is_callable && at.iter().chain(named.iter().map(|(_, item)| item)).any(Item::is_outside)) {
            return Err(self.not_compiled(span, &format!("a call of {}", callee.name()), self.without_python()));
        }
        match callee {
            Item::Function(position, around) => self.call(position, around, at, named, span),
            Item::Fields(names) => {
                let mut fields: Vec<Option<Item>> = at.into_iter().map(Some).collect();
                fields.resize(names.len().max(fields.len()), None);
                for (key, item) in named {
                    match names.iter().position(|name| *name == key) {
                        Some(at) if fields[at].is_none() => fields[at] = Some(item),
                        _ => {
                            return Err(
                                self.wrong_type(span, format!("there is no field `{key}`, or it is there already"))
                            );
                        }
                    }
                }
                let fields: Option<Vec<Item>> = fields.into_iter().collect();
                match fields {
                    Some(fields) if fields.len() == names.len() => Ok(Item::Named(names, fields)),
                    _ => {
                        Err(self
                            .wrong_type(span, format!("a tuple with {} fields needs a value for each", names.len())))
                    }
                }
            }
            Item::Dtype(dtype) | Item::PythonType(dtype) => {
                let item = match &at[..] {
                    [] => Item::int(0),
                    [item] => item.clone(),
                    [re, im] if dtype.is_complex => {
                        let i = Item::complex(Item::Number(Number::float(0.0)), Item::Number(Number::float(1.0)));
                        let im = self.binary_ufunc(Binary::Multiply, im, &i, span)?;
                        self.binary_ufunc(Binary::Add, re, &im, span)?
                    }
                    _ => return Err(self.not_compiled(span, "this conversion", "")),
                };
                self.scalar_type_call(dtype, &item, matches!(callee, Item::PythonType(_)), span)
            }
            Item::Method(item, name) => {
                if let Item::Named(names, items) = &*item {
                    at.insert(0, Item::None);
                    return self.container_method(names, items, &mut Arguments { name, span, at, named });
                }
                at = at.into_iter().map(Item::without_lists).collect();
                at.insert(0, *item);
                let arguments = Arguments { name, span, at, named };
                self.method(arguments)
            }
            Item::Library(path) => {
                let is_python = !path.contains('.');
                let taken = |item: Item| match item {
                    // Functions of Python hand the parts on as they are.
                    Item::Named(names, items) if is_python && path != "isinstance" && Item::is_list(&names) => {
                        Item::Tuple(items)
                    }
                    // As subscripts, lists and tuples differ.
                    item if is_python || path.ends_with(".at") => item,
                    item => item.without_lists(),
                };
                let at = at.into_iter().map(taken).collect();
                let named = named.into_iter().map(|(name, item)| (name, taken(item))).collect();
                let arguments = Arguments { name: path.clone(), span, at, named };
                let made = self.library(&path, arguments)?;
                Ok(if path.starts_with("math.") { made.of_python() } else { made })
            }
            other => Err(self.wrong_type(span, format!("{} cannot be called", other.name()))),
        }
    }

    /// `float(x)`, `np.float32(x)`.
    fn scalar_type_call(&mut self, dtype: Dtype, item: &Item, is_python: bool, span: Span) -> Result<Item> {
        let python = |item: Item| match item {
            Item::Number(number) => Item::Number(Number { weak: is_python, ..number }),
            item => item,
        };
        let mut item = item.clone();
        if is_python && !shape_of(&item).is_empty() {
            let rank = shape_of(&item).len();
            if shape_of(&item).iter().any(|extent| *extent != Extent::Const(1)) {
                return Err(self.wrong_type(span, "only arrays of one element become Python numbers"));
            }
            item = self.subscript(&item, &Item::Tuple(vec![Item::int(0); rank]), span)?;
        }
        Ok(match self.as_type(&item, dtype, span)? {
            Item::Complex(parts) => {
                let [re, im] = *parts;
                Item::complex(python(re), python(im))
            }
            made => python(made),
        })
    }

    /// A method of an array, which is the first argument.
    fn method(&mut self, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let name = arguments.name.clone();
        if let Some(Item::Function(..) | Item::Library(_)) = arguments.at.first() {
            return self.library("numpy.vectorized", arguments);
        }
        match name.as_str() {
            "copy" => self.library("numpy.copy", arguments),
            "astype" => {
                let array = arguments.need(0, "a")?;
                let dtype = arguments.need(1, "dtype")?;
                arguments.take(2, "copy");
                arguments.finish(2)?;
                let dtype = self.dtype(&dtype, span)?;
                self.as_type(&array, dtype, span)
            }
            "fill" => {
                let array = arguments.need(0, "a")?;
                let value = arguments.need(1, "value")?;
                arguments.finish(2)?;
                self.overwrite(&array, value, span)?;
                Ok(Item::None)
            }
            "view" if arguments.at.len() == 1 && arguments.named.is_empty() => arguments.need(0, "a"),
            "append" | "sort" | "resize" | "partition" | "tolist" => Err(self.not_compiled(
                span,
                &format!("the method `{name}`"),
                "make an array of the size that is needed",
            )),
            "item" => {
                let array = arguments.need(0, "a")?;
                if let Item::Number(number) = array {
                    return Ok(Item::Number(Number { weak: true, ..number }));
                }
                let index = Item::Tuple(arguments.at[1..].to_vec());
                match self.subscript(&array, &index, span)? {
                    Item::Number(number) => Ok(Item::Number(Number { weak: true, ..number })),
                    _ => Err(self.wrong_type(span, "`item` needs an index for each axis")),
                }
            }
            "flatten" => {
                let flat = self.library("numpy.ravel", Arguments { name: "ravel".into(), ..arguments })?;
                self.library_call("numpy.copy", vec![flat], span)
            }
            "reshape" | "transpose" if arguments.at.len() > 2 => {
                let rest = arguments.at.split_off(1);
                arguments.at.push(Item::Tuple(rest));
                self.library(&format!("numpy.{name}"), arguments)
            }
            "dot" | "sum" | "prod" | "min" | "max" | "mean" | "var" | "std" | "any" | "all" | "argmin" | "argmax"
            | "cumsum" | "cumprod" | "reshape" | "transpose" | "ravel" | "swapaxes" | "squeeze" | "clip" | "round"
            | "conj" | "conjugate" | "repeat" | "take" | "trace" | "diagonal" | "ptp" | "nonzero" => {
                self.library(&format!("numpy.{name}"), arguments)
            }
            _ => Err(self.not_compiled(span, &format!("the method `{name}`"), "")),
        }
    }

    /// An element type.
    pub(super) fn dtype(&mut self, item: &Item, span: Span) -> Result<Dtype> {
        match item {
            Item::Dtype(elem) | Item::PythonType(elem) => Ok(*elem),
            Item::Text(name) => match types::named(name) {
                Some(elem) => Ok(elem),
                None => Err(self.not_compiled(span, &format!("the element type `{name}`"), "")),
            },
            other => Err(self.wrong_type(span, format!("an element type is needed here, not {}", other.name()))),
        }
    }

    /// The element type in the argument `dtype`, if it is given.
    pub(super) fn any_dtype_argument(&mut self, arguments: &mut Arguments, position: usize) -> Result<Option<Dtype>> {
        match arguments.take(position, "dtype") {
            None | Some(Item::None) => Ok(None),
            Some(item) => self.dtype(&item, arguments.span).map(Some),
        }
    }

    /// The same for functions that only make reals.
    pub(super) fn dtype_argument(&mut self, arguments: &mut Arguments, position: usize) -> Result<Option<Scalar>> {
        match self.any_dtype_argument(arguments, position)? {
            Some(Dtype { is_complex: true, .. }) => {
                let what = format!("`{}` of complex numbers", arguments.name);
                Err(self.not_compiled(arguments.span, &what, "make it of reals, and convert it"))
            }
            dtype => Ok(dtype.map(|dtype| dtype.elem)),
        }
    }

    /// The extents that a shape is: a number, or a tuple of numbers.
    pub(super) fn shape(&mut self, item: &Item, span: Span) -> Result<Vec<Operand>> {
        match item {
            Item::Tuple(items) => items.iter().map(|item| self.integer(item, span)).collect(),
            item => Ok(vec![self.integer(item, span)?]),
        }
    }

    /// Extents, which are not negative.
    pub(super) fn extents(&mut self, sizes: Vec<Operand>) -> Vec<Extent> {
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

    /// What to do about a function that is not compiled.
    fn without_python(&self) -> &'static str {
        match self.callers {
            Callers::Print => {
                "the command cannot call Python; `frit.jit` in Python can, or call it before or after the function"
            }
            Callers::Nobody | Callers::Python(_) => "call it before or after the function, or write what it does",
        }
    }

    /// A function of a library.
    pub(super) fn library(&mut self, path: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        if module.is_empty() {
            return self.builtin(name, arguments);
        }
        if let Some((ufunc, is_exchanged)) = module.strip_prefix("numpy.").and_then(binary_named) {
            return match self.of_library(path, &arguments, false)? {
                Some(made) => Ok(made),
                None => self.ufunc_method(ufunc, is_exchanged, name, arguments),
            };
        }
        if path == "itertools.product" && arguments.named.is_empty() {
            return Ok(Item::Product(arguments.at));
        }
        let unknown =
            |lowering: &Self| Err(lowering.not_compiled(span, &format!("`{path}`"), lowering.without_python()));
        if !matches!(module, "numpy" | "math" | "cmath" | "numpy.lib.stride_tricks") {
            return self.of_library(path, &arguments, false)?.map_or_else(|| unknown(self), Ok);
        }
        if let Some(made) = self.of_complex(path, name, &arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.of_library(path, &arguments, true)? {
            return Ok(made);
        }
        if matches!(name, "ravel" | "reshape") {
            let order = arguments.take(if name == "ravel" { 1 } else { 2 }, "order");
            arguments.at.truncate(if name == "ravel" { 1 } else { 2 });
            match order {
                Some(Item::Text(order)) if order == "F" => return self.by_columns(name, arguments),
                Some(Item::Text(order)) if order != "C" => {
                    return Err(self.not_compiled(span, &format!("the order `{order}`"), "use `C` or `F`"));
                }
                _ => {}
            }
        }
        if name == "vectorize" {
            let function = arguments.need(0, "pyfunc")?;
            return Ok(Item::Method(Box::new(function), name.into()));
        }
        if path == "math.log" && arguments.at.len() == 2 {
            return self.of_library(path, &arguments, false)?.map_or_else(|| unknown(self), Ok);
        }
        if let Some(made) = self.inquiry(name, &mut arguments)? {
            return Ok(made);
        }
        if is_unary(name) {
            let item = arguments.need(0, "x")?;
            let (out, mask) = (arguments.take(1, "out"), arguments.take(usize::MAX, "where"));
            let dtype = self.dtype_argument(&mut arguments, usize::MAX)?;
            arguments.finish(2)?;
            let item = dtype.map_or(Ok(item.clone()), |dtype| self.as_type(&item, dtype.into(), span))?;
            let made = self.unary_ufunc(name, &item, span)?;
            let made = match (module, made) {
                ("math", Item::Number(number)) => {
                    let is_whole = matches!(name, "floor" | "ceil" | "trunc");
                    let elem = if is_whole { Scalar::I64 } else { number.elem };
                    Item::Number(Number { x: self.convert(number.x, elem), elem, weak: true })
                }
                (_, made) => made.of_numpy(),
            };
            return self.put_out_where(out, mask, made, span);
        }
        if let Some((ufunc, is_exchanged)) = binary_named(name) {
            let (mut left, mut right) = (arguments.need(0, "x1")?, arguments.need(1, "x2")?);
            let (out, mask) = (arguments.take(2, "out"), arguments.take(usize::MAX, "where"));
            if let Some(dtype) = self.any_dtype_argument(&mut arguments, usize::MAX)? {
                (left, right) = (self.as_type(&left, dtype, span)?, self.as_type(&right, dtype, span)?);
            }
            arguments.finish(3)?;
            let (left, right) = if is_exchanged { (right, left) } else { (left, right) };
            let made = self.binary_ufunc(ufunc, &left, &right, span)?;
            let made = if module == "math" { made } else { made.of_numpy() };
            return self.put_out_where(out, mask, made, span);
        }
        if let Some(what) = Reduction::named(name) {
            return self.reduction(what, arguments);
        }
        if let Some(made) = self.creation(name, &mut arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.rearrangement(name, &mut arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.product(name, &mut arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.choice(name, &mut arguments)? {
            return Ok(made);
        }
        if let Some(made) = self.table(name, &mut arguments)? {
            return Ok(made);
        }
        self.of_library(path, &arguments, false)?.map_or_else(|| unknown(self), Ok)
    }

    /// `ravel` and `reshape` in Fortran's order: those of the transpose, transposed.
    fn by_columns(&mut self, name: &str, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let item = arguments.need(0, "a")?;
        let item = self.array_like(&item, span)?;
        let columns = self.attribute(item, "T", span)?;
        if name == "ravel" {
            return self.library_call("numpy.ravel", vec![columns], span);
        }
        let mut shape = match arguments.need(1, "shape")? {
            Item::Tuple(shape) => shape,
            size => vec![size],
        };
        shape.reverse();
        let made = self.library_call("numpy.reshape", vec![columns, Item::Tuple(shape)], span)?;
        self.attribute(made, "T", span)
    }

    /// A function of complex arrays that is made of the same function of their parts; `None` if it is not.
    fn of_complex(&mut self, path: &str, name: &str, arguments: &Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        let first = arguments.at.first();
        if let (Some(Item::Complex(parts)), true) = (first, BY_PART.contains(&name)) {
            let mut made = Vec::new();
            for part in parts.iter() {
                let mut arguments = arguments.clone();
                arguments.at[0] = part.clone();
                arguments.named.retain(|(key, _)| key != "dtype");
                made.push(self.library(path, arguments)?);
            }
            let im = made.pop().expect("there are two parts");
            return Ok(made.pop().map(|re| Item::complex(re, im)));
        }
        if let (Some(Item::Tuple(items)), true) = (first, OF_SEQUENCES.contains(&name))
            && items.iter().any(|item| matches!(item, Item::Complex(_)))
        {
            let mut sides = [Vec::new(), Vec::new()];
            for item in items {
                let [re, im] = self.complex_parts(item, span)?;
                sides[0].push(re);
                sides[1].push(im);
            }
            let mut made = Vec::new();
            for side in sides {
                let mut arguments = arguments.clone();
                arguments.at[0] = Item::Tuple(side);
                made.push(self.library(path, arguments)?);
            }
            let im = made.pop().expect("there are two parts");
            return Ok(made.pop().map(|re| Item::complex(re, im)));
        }
        let at = match name {
            "where" => [1, 2],
            "einsum" if arguments.at.len() == 3 => [1, 2],
            name if BILINEAR.contains(&name) => [0, 1],
            _ => return Ok(None),
        };
        let Some(operands) = arguments.at.get(at[0]).zip(arguments.at.get(at[1])) else { return Ok(None) };
        if !matches!(operands, (Item::Complex(_), _) | (_, Item::Complex(_))) {
            return Ok(None);
        }
        let [a, b] = self.complex_parts(&operands.0.clone(), span)?;
        let [c, d] = self.complex_parts(&operands.1.clone(), span)?;
        let made = |lowering: &mut Self, x: &Item, y: &Item| {
            let mut arguments = arguments.clone();
            arguments.at[at[0]] = x.clone();
            arguments.at[at[1]] = y.clone();
            lowering.library(path, arguments)
        };
        if name == "where" {
            return Ok(Some(Item::complex(made(self, &a, &c)?, made(self, &b, &d)?)));
        }
        let (ac, bd) = (made(self, &a, &c)?, made(self, &b, &d)?);
        let (ad, bc) = (made(self, &a, &d)?, made(self, &b, &c)?);
        let re = self.binary_ufunc(Binary::Subtract, &ac, &bd, span)?;
        let im = self.binary_ufunc(Binary::Add, &ad, &bc, span)?;
        Ok(Some(Item::complex(re, im)))
    }

    /// What goes into the argument `out`, if it is given.
    pub(super) fn put_out(&mut self, out: Option<Item>, made: Item, span: Span) -> Result<Item> {
        match out {
            None | Some(Item::None) => Ok(made),
            Some(Item::Tuple(outs)) if outs.len() == 1 => self.put_out(outs.into_iter().next(), made, span),
            Some(out @ (Item::Array(_) | Item::Complex(_))) => {
                if shape_of(&made).len() > shape_of(&out).len() {
                    return Err(self.wrong_type(span, "`out` has another number of axes than the result"));
                }
                if let Item::Array(array) = &out {
                    self.same_kind(&made, array, span)?;
                }
                self.overwrite(&out, made, span)?;
                Ok(out)
            }
            Some(_) => Err(self.wrong_type(span, "`out` must be an array")),
        }
    }

    /// The same, where only elements under the mask `where` are computed. Others keep what `out` has, or are zero.
    fn put_out_where(&mut self, out: Option<Item>, mask: Option<Item>, made: Item, span: Span) -> Result<Item> {
        let Some(mask) = mask.filter(|mask| *mask != Item::Number(Number::truth(true))) else {
            return self.put_out(out, made, span);
        };
        let other = match &out {
            Some(out @ (Item::Array(_) | Item::Complex(_))) => out.clone(),
            _ => Item::int(0),
        };
        let made = self.chosen(&mask, &made, &other, span)?;
        self.put_out(out, made, span)
    }
}
