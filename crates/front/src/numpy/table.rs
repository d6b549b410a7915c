//! Functions that count and look up: histograms, searches, and the methods of universal functions.

use super::call::Arguments;
use super::elementwise::{Element, operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::reductions::{Along, Reduction, neutral};
use super::types;
use super::ufuncs::Binary;
use frit_ir::Scalar;
use frit_ir::array::{Block, Extent, LoopKind, Operand, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_support::Span;

impl Lowering<'_> {
    /// A function that counts or looks up, if there is one with this name.
    pub(super) fn table(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        match name {
            "cumsum" | "cumprod" => {
                let item = arguments.need(0, "a")?;
                let axis = match arguments.take(1, "axis") {
                    None | Some(Item::None) => None,
                    Some(axis) => Some(self.constant_integer(&axis, span)?),
                };
                let dtype = self.dtype_argument(arguments, 2)?;
                let out = arguments.take(3, "out");
                arguments.finish(4)?;
                let ufunc = if name == "cumsum" { Binary::Add } else { Binary::Multiply };
                let made = self.accumulate(ufunc, &item, axis, dtype, span)?;
                self.put_out(out, made, span).map(Some)
            }
            "ndindex" | "ndenumerate" | "nditer" => {
                let mut items = std::mem::take(&mut arguments.at);
                arguments.finish(0)?;
                if let [Item::Tuple(sizes)] = &items[..] {
                    items = sizes.clone();
                }
                let flat = match (name, &items[..]) {
                    ("ndindex", _) => None,
                    (_, [item]) => Some(Item::Array(self.flattened(item, span)?)),
                    _ => return Err(self.wrong_type(span, format!("`{name}` takes an array"))),
                };
                if let ("nditer", Some(flat)) = (name, &flat) {
                    return Ok(Some(flat.clone()));
                }
                if flat.is_some() {
                    items = shape_of(&items[0]).iter().map(|&n| Item::Number(Number::int(n.into()))).collect();
                }
                let zero = Operand::i64(0);
                let mut ranges = Vec::new();
                for item in &items {
                    let stop = self.integer(item, span)?;
                    ranges.push(Item::Range { start: zero, stop, step: Operand::i64(1) });
                }
                let product = Item::Product(ranges);
                Ok(Some(flat.map_or(product.clone(), |flat| Item::Zip(vec![product, flat]))))
            }
            "bincount" => self.bincount(arguments).map(Some),
            "histogram" => self.histogram(arguments).map(Some),
            "searchsorted" | "digitize" => {
                let (first, second) = (arguments.need(0, "a")?, arguments.need(1, "v")?);
                let is_digitize = name == "digitize";
                let (sorted, wanted) = if is_digitize { (second, first) } else { (first, second) };
                let is_right = match arguments.take(2, "side") {
                    Some(Item::Text(side)) => side == "right",
                    _ => is_digitize && !arguments.flag(2, "right", false),
                };
                arguments.finish(3)?;
                self.searched(&sorted, &wanted, is_right, span).map(Some)
            }
            "interp" => {
                let (x, xp, fp) = (arguments.need(0, "x")?, arguments.need(1, "xp")?, arguments.need(2, "fp")?);
                arguments.finish(3)?;
                self.interpolated(&x, &xp, &fp, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A table after `update` was made for each index of a space in row-major order: it gives a place and what to put there,
    /// given what is there.
    #[allow(clippy::type_complexity, reason = "a place, what is put there, and certificates")]
    pub(super) fn tabulated(
        &mut self,
        start: Value,
        space: &[Operand],
        update: &mut dyn FnMut(&mut Self, Value, &[Value]) -> (Vec<Operand>, Operand, Vec<Value>),
    ) -> Value {
        let start = self.b.copy(start);
        self.updated(start, space, &mut Vec::new(), update)
    }

    /// As [`tabulated`](Self::tabulated), for the table of an outer loop, which it consumes; `at` are the indices of outer loops.
    #[allow(clippy::type_complexity, reason = "a place, what is put there, and certificates")]
    fn updated(
        &mut self,
        table: Value,
        space: &[Operand],
        at: &mut Vec<Value>,
        update: &mut dyn FnMut(&mut Self, Value, &[Value]) -> (Vec<Operand>, Operand, Vec<Value>),
    ) -> Value {
        let [count, inner @ ..] = space else {
            let (places, value, certs) = update(self, table, at);
            return self.b.update(table, places, value, certs);
        };
        let ty = self.b.func.ty(table).clone();
        let param = self.b.value(ty, None);
        let index = self.index_value();
        self.least.insert(index, 0);
        self.b.open_block();
        at.push(index);
        let updated = self.updated(param, inner, at, update);
        at.pop();
        let body: Block = self.b.close_block(vec![updated.into()]);
        let kind = LoopKind::For { index, count: *count };
        self.b.sequential_loop(kind, vec![param], vec![table.into()], body, vec![true])[0]
    }

    fn bincount(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let x = arguments.need(0, "x")?;
        let weights = arguments.take(1, "weights").filter(|item| *item != Item::None);
        let least = arguments.take(2, "minlength").unwrap_or(Item::int(0));
        arguments.finish(3)?;
        let x = self.flattened(&x, span)?;
        if !x.elem.is_integer() {
            return Err(self.wrong_type(span, "`bincount` counts integers"));
        }
        let least = self.integer(&least, span)?;
        let n: Operand = x.shape[0].into();
        let source = self.read(&x);
        let cell = |l: &mut Self, at: &[Value]| {
            let x = l.b.index(source, vec![at[0].into()], Vec::new()).into();
            let x = l.convert(x, Scalar::I64);
            let next = l.b.binary(BinOp::ADD, x, Operand::i64(1));
            // A negative number has no place.
            let is_place = l.b.binary(BinOp::LE, Operand::i64(0), x);
            l.b.assert(is_place, FailureKind::OutOfBounds, vec![x, Operand::i64(0)]);
            vec![next]
        };
        let most = |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.b.binary(BinOp::MAX, x[0], y[0])];
        let length = self.fold(vec![x.shape[0]], vec![Operand::i64(0)], true, &cell, &most)[0];
        let length = self.arithmetic(BinOp::MAX, length, least);
        let of = if weights.is_some() { Scalar::F64 } else { Scalar::I64 };
        let weights = match weights {
            None => Element::Scalar(Operand::i64(1)),
            Some(weights) => {
                let weights = self.flattened(&weights, span)?;
                self.same_size(x.shape[0], weights.shape[0]);
                self.element(&Item::Array(weights), span)?
            }
        };
        let shape = self.extents(vec![length]);
        let zeros = self.generate(shape, of, |_, _| Ok(Operand::Const(of.zero())))?;
        let space = [x.shape[0]];
        let made = self.tabulated(zeros, &[n], &mut |l, table, at| {
            let index = at[0];
            let place = l.b.index(source, vec![index.into()], Vec::new()).into();
            let place = l.convert(place, Scalar::I64);
            let is_inside = l.b.binary(BinOp::IN_BOUNDS, place, length);
            let cert = l.b.assert(is_inside, FailureKind::OutOfBounds, vec![place, length]);
            let weight = l.element_at(&weights, &space, &[index], &[]);
            let weight = l.convert(weight, of);
            let old = l.b.index(table, vec![place], vec![cert]).into();
            (vec![place], l.b.binary(BinOp::ADD, old, weight), vec![cert])
        });
        Ok(Item::Array(self.fresh(made)))
    }

    fn histogram(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let a = arguments.need(0, "a")?;
        let bins = arguments.take(1, "bins").unwrap_or(Item::int(10));
        let range = arguments.take(2, "range").filter(|item| *item != Item::None);
        let weights = arguments.take(usize::MAX, "weights").filter(|item| *item != Item::None);
        let is_density = arguments.flag(3, "density", false);
        arguments.finish(4)?;
        let a = self.flattened(&a, span)?;
        let a = self.as_type(&Item::Array(a), Scalar::F64.into(), span)?;
        let n: Operand = shape_of(&a)[0].into();
        let of = match &weights {
            None => Scalar::I64,
            Some(weights) => types::of_sum(operand_type(weights).elem),
        };
        let weights = match weights {
            None => Element::Scalar(Operand::i64(1)),
            Some(weights) => {
                let weights = self.flattened(&weights, span)?;
                self.same_size(shape_of(&a)[0], weights.shape[0]);
                self.element(&Item::Array(weights), span)?
            }
        };
        let is_uniform = matches!(bins, Item::Number(_));
        let given = bins.clone();
        let (edges, count) = if is_uniform {
            let count = self.integer(&bins, span)?;
            let (low, high) = match range {
                Some(range) => {
                    let parts = self.parts(range, span)?;
                    let mut bounds = Vec::new();
                    for part in &parts {
                        bounds.push(self.as_type(part, Scalar::F64.into(), span)?);
                    }
                    let high = bounds.pop().unwrap_or(Item::None);
                    (bounds.pop().unwrap_or(Item::None), high)
                }
                None => {
                    let along = Along::default();
                    (self.reduce(Reduction::Min, &a, &along, span)?, self.reduce(Reduction::Max, &a, &along, span)?)
                }
            };
            let (Item::Number(low), Item::Number(high)) = (low, high) else {
                return Err(self.wrong_type(span, "a range has two numbers"));
            };
            // A range of one point is widened.
            let is_point = self.holds(BinOp::EQ, low.x, high.x);
            let half = Number::float(0.5).x;
            let (below, above) = (self.b.binary(BinOp::SUB, low.x, half), self.b.binary(BinOp::ADD, high.x, half));
            let (low, high) = (self.select(is_point, below, low.x), self.select(is_point, above, high.x));
            let next = self.add(count, Operand::i64(1));
            let number = |x: Operand, elem: Scalar| Item::Number(Number::strong(x, elem));
            let at = vec![number(low, Scalar::F64), number(high, Scalar::F64), number(next, Scalar::I64)];
            let edges =
                self.library("numpy.linspace", Arguments { name: "linspace".into(), span, at, named: Vec::new() })?;
            (edges, count)
        } else {
            let edges = self.flattened(&bins, span)?;
            let count = self.sub(edges.shape[0].into(), Operand::i64(1));
            (self.as_type(&Item::Array(edges), Scalar::F64.into(), span)?, count)
        };
        let (Item::Array(edge_array), Item::Array(values)) = (&edges, &a) else { unreachable!("they are arrays") };
        let (edge_values, values) = (self.read(edge_array), self.read(values));
        let last_bin = self.sub(count, Operand::i64(1));
        let edge = |l: &mut Self, at: Operand| -> Operand { l.b.index(edge_values, vec![at], Vec::new()).into() };
        let (first, last) = (edge(self, Operand::i64(0)), edge(self, count));
        let wide = self.b.binary(BinOp::SUB, last, first);
        let bins_as_real = self.convert(count, Scalar::F64);
        let norm = self.b.binary(BinOp::DIV, bins_as_real, wide);
        let shape = self.extents(vec![count]);
        let zeros = self.generate(shape, of, |_, _| Ok(Operand::Const(of.zero())))?;
        let space = [shape_of(&a)[0]];
        let made = self.tabulated(zeros, &[n], &mut |l, table, at| {
            let index = at[0];
            let x: Operand = l.b.index(values, vec![index.into()], Vec::new()).into();
            let above = l.b.binary(BinOp::LE, first, x);
            let below = l.b.binary(BinOp::LE, x, last);
            let is_counted = l.b.binary(BinOp::AND, above, below);
            let place = if is_uniform {
                let off = l.b.binary(BinOp::SUB, x, first);
                let off = l.b.binary(BinOp::MUL, off, norm);
                let place = l.convert(off, Scalar::I64);
                let place = l.b.binary(BinOp::MAX, place, Operand::i64(0));
                let place = l.b.binary(BinOp::MIN, place, last_bin);
                // Rounding may have put it one bin off.
                let lower = edge(l, place);
                let is_low = l.b.binary(BinOp::LT, x, lower);
                let before = l.b.binary(BinOp::SUB, place, Operand::i64(1));
                let place = l.select(is_low, before, place);
                let place = l.b.binary(BinOp::MAX, place, Operand::i64(0));
                let next = l.b.binary(BinOp::ADD, place, Operand::i64(1));
                let upper = edge(l, next);
                let is_high = l.b.binary(BinOp::LE, upper, x);
                let is_inner = l.b.binary(BinOp::LT, place, last_bin);
                let is_high = l.b.binary(BinOp::AND, is_high, is_inner);
                l.select(is_high, next, place)
            } else {
                let found = l.search(edge_values, edge_array_extent(l, edge_values), x, true);
                let place = l.b.binary(BinOp::SUB, found, Operand::i64(1));
                let place = l.b.binary(BinOp::MIN, place, last_bin);
                l.b.binary(BinOp::MAX, place, Operand::i64(0))
            };
            let is_inside = l.b.binary(BinOp::IN_BOUNDS, place, count);
            let cert = l.b.assert(is_inside, FailureKind::OutOfBounds, vec![place, count]);
            let weight = l.element_at(&weights, &space, &[index], &[]);
            let weight = l.convert(weight, of);
            let weight = l.select(is_counted, weight, Operand::Const(of.zero()));
            let old = l.b.index(table, vec![place], vec![cert]).into();
            (vec![place], l.b.binary(BinOp::ADD, old, weight), vec![cert])
        });
        let counts = Item::Array(self.fresh(made));
        let shown = if is_uniform { edges.clone() } else { self.array_like(&given, span)? };
        if !is_density {
            return Ok(Item::Tuple(vec![counts, shown]));
        }
        let widths = self.library(
            "numpy.diff",
            Arguments { name: "diff".into(), span, at: vec![edges.clone()], named: Vec::new() },
        )?;
        let total = self.reduce(Reduction::Sum, &counts, &Along::default(), span)?;
        let rates = self.binary_ufunc(Binary::Divide, &counts, &widths, span)?;
        Ok(Item::Tuple(vec![self.binary_ufunc(Binary::Divide, &rates, &total, span)?, shown]))
    }

    /// Where numbers would be put into a sorted vector.
    fn searched(&mut self, sorted: &Item, wanted: &Item, is_right: bool, span: Span) -> Result<Item> {
        let sorted = self.flattened(sorted, span)?;
        let wanted = self.array_like(wanted, span)?;
        let of = types::common(&[operand_type(&Item::Array(sorted.clone())), operand_type(&wanted)]).elem;
        let sorted = self.as_type(&Item::Array(sorted), of.into(), span)?;
        let Item::Array(sorted) = sorted else { unreachable!("it is an array") };
        let values = self.read(&sorted);
        let extent = sorted.shape[0];
        self.elementwise(&[wanted], Scalar::I64, span, |l, x| {
            let x = l.convert(x[0], of);
            l.search(values, extent, x, is_right)
        })
    }

    /// A binary search: how many elements are below `x`, or not above it.
    fn search(&mut self, sorted: Value, extent: Extent, x: Operand, is_right: bool) -> Operand {
        let [low, high] = [(); 2].map(|()| self.b.value(Type::scalar(Scalar::I64), None));
        self.b.open_block();
        let holds = self.b.binary(BinOp::LT, low.into(), high.into());
        let condition = self.b.close_block(vec![holds]);
        self.b.open_block();
        let sum = self.b.binary(BinOp::ADD, low.into(), high.into());
        let middle = self.b.binary(BinOp::DIV, sum, Operand::i64(2));
        let is_inside = self.b.binary(BinOp::IN_BOUNDS, middle, extent.into());
        let cert = self.b.assert(is_inside, FailureKind::OutOfBounds, vec![middle, extent.into()]);
        let element = self.b.index(sorted, vec![middle], vec![cert]).into();
        let goes_right =
            if is_right { self.b.binary(BinOp::LE, element, x) } else { self.b.binary(BinOp::LT, element, x) };
        let after = self.b.binary(BinOp::ADD, middle, Operand::i64(1));
        let (new_low, new_high) =
            (self.b.select(goes_right, after, low.into()), self.b.select(goes_right, high.into(), middle));
        let body = self.b.close_block(vec![new_low, new_high]);
        let kind = LoopKind::While { condition };
        let init = vec![Operand::i64(0), extent.into()];
        self.b.sequential_loop(kind, vec![low, high], init, body, vec![false; 2])[0].into()
    }

    /// `np.interp`: straight lines between points.
    fn interpolated(&mut self, x: &Item, xp: &Item, fp: &Item, span: Span) -> Result<Item> {
        let real = Scalar::F64.into();
        let (x, xp, fp) = (self.as_type(x, real, span)?, self.as_type(xp, real, span)?, self.as_type(fp, real, span)?);
        let (Item::Array(xs), Item::Array(fs)) = (&xp, &fp) else {
            return Err(self.wrong_type(span, "`interp` needs arrays of points"));
        };
        self.same_size(xs.shape[0], fs.shape[0]);
        let (xv, fv, extent) = (self.read(xs), self.read(fs), xs.shape[0]);
        let last = self.sub(extent.into(), Operand::i64(1));
        self.elementwise(&[x], Scalar::F64, span, |l, x| {
            let x = x[0];
            let found = l.search(xv, extent, x, true);
            let place = l.b.binary(BinOp::SUB, found, Operand::i64(1));
            let at = |l: &mut Self, values: Value, place: Operand| -> Operand {
                let place = l.b.binary(BinOp::MAX, place, Operand::i64(0));
                let place = l.b.binary(BinOp::MIN, place, last);
                let is_inside = l.b.binary(BinOp::IN_BOUNDS, place, extent.into());
                let cert = l.b.assert(is_inside, FailureKind::OutOfBounds, vec![place, extent.into()]);
                l.b.index(values, vec![place], vec![cert]).into()
            };
            let next = l.b.binary(BinOp::ADD, place, Operand::i64(1));
            let (x0, x1) = (at(l, xv, place), at(l, xv, next));
            let (f0, f1) = (at(l, fv, place), at(l, fv, next));
            let rise = l.b.binary(BinOp::SUB, f1, f0);
            let run = l.b.binary(BinOp::SUB, x1, x0);
            let slope = l.b.binary(BinOp::DIV, rise, run);
            let off = l.b.binary(BinOp::SUB, x, x0);
            let way = l.b.binary(BinOp::MUL, slope, off);
            let line = l.b.binary(BinOp::ADD, way, f0);
            // Outside of the points, their ends.
            let is_left = l.b.binary(BinOp::LT, place, Operand::i64(0));
            let is_right = l.b.binary(BinOp::LE, last, place);
            let is_end = l.b.binary(BinOp::OR, is_left, is_right);
            l.select(is_end, f0, line)
        })
    }

    /// A method of a universal function: `np.add.reduce`, `accumulate`, `outer` and `at`.
    pub(super) fn ufunc_method(
        &mut self,
        ufunc: Binary,
        is_exchanged: bool,
        name: &str,
        mut arguments: Arguments,
    ) -> Result<Item> {
        let span = arguments.span;
        let refused = format!("`{}`", arguments.name);
        match name {
            "reduce" => {
                if arguments.at.len() < 2 && !arguments.named.iter().any(|(key, _)| key == "axis") {
                    arguments.named.push(("axis".into(), Item::int(0)));
                }
                self.reduce_along(ufunc, arguments)
            }
            "accumulate" => {
                let item = arguments.need(0, "array")?;
                let axis = arguments.take(1, "axis").map_or(Ok(0), |axis| self.constant_integer(&axis, span))?;
                let dtype = self.dtype_argument(&mut arguments, 2)?;
                arguments.finish(3)?;
                self.accumulate(ufunc, &item, Some(axis), dtype, span)
            }
            "outer" => {
                let (one, other) = (arguments.need(0, "A")?, arguments.need(1, "B")?);
                arguments.finish(2)?;
                let (one, other) = (self.array_like(&one, span)?, self.array_like(&other, span)?);
                let mut index = vec![Item::Ellipsis];
                index.extend(vec![Item::None; shape_of(&other).len()]);
                let column = match &one {
                    Item::Array(array) => Item::Array(self.view(array, &Item::Tuple(index), span)?),
                    number => number.clone(),
                };
                let (left, right) = if is_exchanged { (other, column) } else { (column, other) };
                self.binary_ufunc(ufunc, &left, &right, span)
            }
            "at" => {
                let (item, index) = (arguments.need(0, "a")?, arguments.need(1, "indices")?);
                let value = arguments.need(2, "b")?.without_lists();
                arguments.finish(3)?;
                let listed = |lowering: &mut Self, item: Item| match item {
                    Item::Named(names, items) if Item::is_list(&names) => {
                        lowering.array_like(&Item::Tuple(items), span)
                    }
                    item => Ok(item),
                };
                let index = match index {
                    Item::Tuple(items) => {
                        Item::Tuple(items.into_iter().map(|item| listed(self, item)).collect::<Result<_>>()?)
                    }
                    item => listed(self, item)?,
                };
                let Item::Array(array) = &item else {
                    return Err(self.wrong_type(span, format!("{refused} needs an array")));
                };
                self.may_write(array, span)?;
                self.put_all(array, &index, &value, Some(ufunc), span)?;
                Ok(Item::None)
            }
            _ => Err(self.not_compiled(span, &refused, "")),
        }
    }

    fn reduce_along(&mut self, ufunc: Binary, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let what = match ufunc {
            Binary::Add => Reduction::Sum,
            Binary::Multiply => Reduction::Prod,
            Binary::Maximum => Reduction::Max,
            Binary::Minimum => Reduction::Min,
            Binary::LogicalAnd => Reduction::All,
            Binary::LogicalOr => Reduction::Any,
            _ => {
                let item = arguments.need(0, "array")?;
                let flat = self.flattened(&item, span)?;
                let (Some(neutral), 1) = (neutral(ufunc, flat.elem), shape_of(&item).len()) else {
                    return Err(self.not_compiled(span, "`reduce` of this function", "write a loop"));
                };
                let (source, elem) = (self.read(&flat), flat.elem);
                let cell = |l: &mut Self, at: &[Value]| vec![l.b.index(source, vec![at[0].into()], Vec::new()).into()];
                let combine =
                    |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.apply(ufunc, elem, x[0], y[0], false)];
                let x = self.fold(vec![flat.shape[0]], vec![neutral], true, &cell, &combine)[0];
                return Ok(Item::Number(Number::strong(x, elem)));
            }
        };
        self.reduction(what, arguments)
    }
}

/// The extent of a vector.
fn edge_array_extent(lowering: &Lowering<'_>, vector: Value) -> Extent {
    lowering.b.func.ty(vector).shape[0]
}
