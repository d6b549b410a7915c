//! Functions that give the elements of arrays other places. Those that give views in NumPy give views.

use super::call::Arguments;
use super::elementwise::shape_of;
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::{Array, Lens};
use super::types;
use super::ufuncs::Binary;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Op, Operand, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_support::Span;

impl Lowering<'_> {
    /// A function that gives elements other places, if there is one with this name.
    pub(super) fn rearrangement(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        match name {
            "concatenate" | "hstack" | "vstack" | "stack" | "column_stack" => {
                return self.joined(name, arguments).map(Some);
            }
            "roll" => return self.roll(arguments).map(Some),
            "fill_diagonal" => return self.fill_diagonal(arguments).map(Some),
            "append" | "insert" | "delete" => return self.with_parts(name, arguments).map(Some),
            "broadcast_arrays" => {
                let items: Vec<Item> =
                    arguments.at.iter().map(|item| self.array_like(item, span)).collect::<Result<_>>()?;
                let shapes: Vec<Vec<Extent>> = items.iter().map(|item| shape_of(item).to_vec()).collect();
                let shapes: Vec<&[Extent]> = shapes.iter().map(Vec::as_slice).collect();
                let (shape, _) = self.broadcast(&shapes, span)?;
                let shape = Item::Tuple(shape.iter().map(|&n| Item::Number(Number::int(n.into()))).collect());
                let made = items.into_iter().map(|item| match &item {
                    Item::Number(_) if shape == Item::Tuple(Vec::new()) => Ok(item),
                    _ => self.library_call("numpy.broadcast_to", vec![item, shape.clone()], span),
                });
                return made.collect::<Result<_>>().map(Item::Tuple).map(Some);
            }
            "transpose"
            | "swapaxes"
            | "moveaxis"
            | "reshape"
            | "ravel"
            | "expand_dims"
            | "squeeze"
            | "flip"
            | "flipud"
            | "fliplr"
            | "diff"
            | "broadcast_to"
            | "repeat"
            | "tile"
            | "pad"
            | "take"
            | "diagonal"
            | "diag"
            | "triu"
            | "tril"
            | "atleast_1d"
            | "atleast_2d"
            | "sliding_window_view" => {}
            _ => return Ok(None),
        }
        let item = arguments.need(0, "a").or_else(|error| arguments.take(usize::MAX, "m").ok_or(error))?;
        let item = self.array_like(&item, span)?;
        let Item::Array(array) = &item else {
            let whole = self.flattened(&item, span)?;
            return match name {
                "expand_dims" | "reshape" | "ravel" | "repeat" | "tile" | "broadcast_to" | "atleast_1d"
                | "atleast_2d" => {
                    let mut arguments =
                        Arguments { at: arguments.at.clone(), named: arguments.named.clone(), ..arguments.clone() };
                    let is_new = matches!(name, "expand_dims" | "atleast_1d");
                    arguments.at[0] = Item::Array(whole.clone());
                    if is_new { Ok(Some(Item::Array(whole))) } else { self.rearrangement(name, &mut arguments) }
                }
                _ => Ok(Some(item)),
            };
        };
        let rank = array.rank();
        let made = match name {
            "transpose" => {
                let axes = match arguments.take(1, "axes") {
                    None | Some(Item::None) => (0..rank).rev().collect(),
                    Some(axes) => self.axes(&axes, rank, span)?,
                };
                if axes.len() != rank {
                    return Err(self.wrong_type(span, "the axes do not match the array"));
                }
                self.transposed(array, axes)
            }
            "swapaxes" => {
                let pair = Item::Tuple(vec![arguments.need(1, "axis1")?, arguments.need(2, "axis2")?]);
                let pair = self.axes(&pair, rank, span)?;
                let mut axes: Vec<usize> = (0..rank).collect();
                axes.swap(pair[0], pair[1]);
                self.transposed(array, axes)
            }
            "moveaxis" => {
                let (from, to) = (arguments.need(1, "source")?, arguments.need(2, "destination")?);
                let (from, to) = (self.axes(&from, rank, span)?, self.axes(&to, rank, span)?);
                if from.len() != to.len() {
                    return Err(self.wrong_type(span, "`moveaxis` needs as many destinations as sources"));
                }
                let mut axes: Vec<usize> = (0..rank).filter(|axis| !from.contains(axis)).collect();
                let mut moves: Vec<(usize, usize)> = to.into_iter().zip(from).collect();
                moves.sort_unstable();
                moves.into_iter().for_each(|(to, from)| axes.insert(to.min(axes.len()), from));
                self.transposed(array, axes)
            }
            "reshape" => {
                let shape = arguments.need(1, "shape")?;
                arguments.finish(2)?;
                return self.reshape(&item, &shape, span).map(Some);
            }
            "ravel" => return self.raveled(&item, span).map(Some),
            "atleast_1d" => array.clone(),
            "atleast_2d" if rank >= 2 => array.clone(),
            "atleast_2d" => self.reshaped(array, vec![Extent::Const(1), array.shape[0]], Vec::new()),
            "expand_dims" => {
                let axis = arguments.need(1, "axis")?;
                let count = if let Item::Tuple(axes) = &axis { axes.len() } else { 1 };
                let mut axes = self.axes(&axis, rank + count, span)?;
                axes.sort_unstable();
                let mut shape = array.shape.clone();
                axes.into_iter().for_each(|axis| shape.insert(axis.min(shape.len()), Extent::Const(1)));
                self.reshaped(array, shape, Vec::new())
            }
            "squeeze" => {
                let axes = match arguments.take(1, "axis") {
                    None | Some(Item::None) => {
                        (0..rank).filter(|&axis| array.shape[axis] == Extent::Const(1)).collect()
                    }
                    Some(axes) => self.axes(&axes, rank, span)?,
                };
                for &axis in &axes {
                    self.same_size(Extent::Const(1), array.shape[axis]);
                }
                let shape: Vec<Extent> =
                    (0..rank).filter(|axis| !axes.contains(axis)).map(|axis| array.shape[axis]).collect();
                if shape.is_empty() {
                    return self.subscript(&item, &Item::Tuple(vec![Item::int(0); rank]), span).map(Some);
                }
                self.reshaped(array, shape, Vec::new())
            }
            "flip" | "flipud" | "fliplr" => {
                let axes = match (name, arguments.take(1, "axis")) {
                    ("flipud", _) => vec![0],
                    ("fliplr", _) => vec![1],
                    (_, None | Some(Item::None)) => (0..rank).collect(),
                    (_, Some(axis)) => self.axes(&axis, rank, span)?,
                };
                let back = Item::Slice([None, None, Some(Number::int(Operand::i64(-1)))]);
                let whole = Item::Slice([None, None, None]);
                let index = (0..rank).map(|at| if axes.contains(&at) { back.clone() } else { whole.clone() });
                let index = Item::Tuple(index.collect());
                self.view(array, &index, span)?
            }
            "diff" => {
                let n = arguments.take(1, "n").map_or(Ok(1), |n| self.constant_integer(&n, span))?;
                let axis = arguments.take(2, "axis").map_or(Ok(-1), |axis| self.constant_integer(&axis, span))?;
                let axis = self.axis(axis, rank, span)?;
                let mut made = item.clone();
                for _ in 0..n {
                    made = self.differences(&made, axis, span)?;
                }
                arguments.finish(3)?;
                return Ok(Some(made));
            }
            "broadcast_to" => {
                let shape = arguments.need(1, "shape")?;
                let sizes = self.shape(&shape, span)?;
                let shape = self.extents(sizes);
                let value = self.converted(&item, &shape, array.elem, span)?.value().expect("it has axes");
                let made = Array { read_only: true, ..self.fresh(value) };
                self.state.aliases.insert((made.buffer, array.buffer));
                made
            }
            "repeat" => {
                let count = arguments.need(1, "repeats")?;
                if let Item::Array(_) | Item::Tuple(_) = count {
                    let axis = arguments.take(2, "axis").unwrap_or(Item::None);
                    let counts = self.array_like(&count, span)?;
                    return self.library_call("numpy.repeat_each", vec![item, counts, axis], span).map(Some);
                }
                let count = self.integer(&count, span)?;
                let (array, axis) = match arguments.take(2, "axis") {
                    None | Some(Item::None) => (self.flattened(&item, span)?, 0),
                    Some(axis) => {
                        let axis = self.constant_integer(&axis, span)?;
                        (array.clone(), self.axis(axis, rank, span)?)
                    }
                };
                self.moved(&array, axis, |l, n| l.mul(n, count), |l, at, _| l.b.binary(BinOp::DIV, at, count))?
            }
            "tile" => {
                let reps = arguments.need(1, "reps")?;
                let reps = self.shape(&reps, span)?;
                let mut made = array.clone();
                if reps.len() > rank {
                    let shape = [vec![Extent::Const(1); reps.len() - rank], made.shape.clone()].concat();
                    made = self.reshaped(&made, shape, Vec::new());
                }
                let first = made.rank() - reps.len();
                for (at, count) in reps.into_iter().enumerate() {
                    made = self.moved(
                        &made,
                        first + at,
                        |l, n| l.mul(n, count),
                        |l, at, n| l.b.binary(BinOp::REM, at, n),
                    )?;
                }
                made
            }
            "pad" => return self.pad(array, arguments).map(Some),
            "sliding_window_view" => {
                let window = arguments.need(1, "window_shape")?;
                let axes = match arguments.take(2, "axis") {
                    None | Some(Item::None) => (0..rank).collect(),
                    Some(axis) => self.axes(&axis, rank, span)?,
                };
                let windows = self.shape(&window, span)?;
                if windows.len() != axes.len() {
                    return Err(self.wrong_type(span, "a window needs a size for each of its axes"));
                }
                self.windows(array, &axes, &windows)?
            }
            "take" => {
                let indices = arguments.need(1, "indices")?;
                let index = match arguments.take(2, "axis") {
                    None | Some(Item::None) => {
                        let flat = self.flattened(&item, span)?;
                        return self.subscript(&Item::Array(flat), &indices, span).map(Some);
                    }
                    Some(axis) => {
                        let axis = self.constant_integer(&axis, span)?;
                        let mut index = vec![Item::Slice([None, None, None]); rank];
                        index[self.axis(axis, rank, span)?] = indices;
                        Item::Tuple(index)
                    }
                };
                return self.subscript(&item, &index, span).map(Some);
            }
            "diagonal" | "diag" if rank == 2 => {
                let [row, column] = self.diagonal_start(name, arguments)?;
                let [rows, columns] =
                    [(0, row), (1, column)].map(|(axis, first)| self.sub(array.shape[axis].into(), first));
                let least = self.arithmetic(BinOp::MIN, rows, columns);
                let length = self.arithmetic(BinOp::MAX, least, Operand::i64(0));
                let source = self.read(array);
                let value = self.generate(vec![length.extent()], array.elem, |l, at| {
                    let place = [row, column].map(|first| l.add(at[0].into(), first));
                    Ok(l.b.index(source, place.to_vec(), Vec::new()).into())
                })?;
                let made = Array { read_only: true, ..self.fresh(value) };
                self.state.aliases.insert((made.buffer, array.buffer));
                made
            }
            "diag" => {
                let [row, column] = self.diagonal_start(name, arguments)?;
                let n: Operand = array.shape[0].into();
                let off = self.add(row, column);
                let size = self.add(n, off);
                let value =
                    self.generate(vec![size.extent(); 2], array.elem, |_, _| Ok(Operand::Const(array.elem.zero())))?;
                let made = self.fresh(value);
                self.store_diagonal(&made, [row, column], n, item.clone(), span)?;
                made
            }
            "triu" | "tril" if rank >= 2 => {
                let k = arguments.take(1, "k").map_or(Ok(Operand::i64(0)), |k| self.integer(&k, span))?;
                let (source, zero) = (self.read(array), Operand::Const(array.elem.zero()));
                let value = self.generate(array.shape.clone(), array.elem, |l, at| {
                    let off = l.sub(at[rank - 1].into(), at[rank - 2].into());
                    let is_kept =
                        if name == "triu" { l.b.binary(BinOp::LE, k, off) } else { l.b.binary(BinOp::LE, off, k) };
                    let x = l.b.index(source, at.iter().map(|&at| at.into()).collect(), Vec::new()).into();
                    Ok(l.select(is_kept, x, zero))
                })?;
                self.fresh(value)
            }
            _ => return Err(self.not_compiled(span, &format!("`{name}` of such an array"), "")),
        };
        arguments.finish(4)?;
        Ok(Some(Item::Array(made)))
    }

    /// All windows of these sizes along axes, in axes behind the others.
    fn windows(&mut self, array: &Array, axes: &[usize], windows: &[Operand]) -> Result<Array> {
        let mut sizes: Vec<Operand> = array.shape.iter().map(|&extent| extent.into()).collect();
        for (&axis, &window) in axes.iter().zip(windows) {
            let next = self.add(sizes[axis], Operand::i64(1));
            sizes[axis] = self.sub(next, window);
        }
        sizes.extend(windows);
        let shape = self.extents(sizes);
        let (source, rank) = (self.read(array), array.rank());
        let value = self.generate(shape, array.elem, |l, at| {
            let mut places: Vec<Operand> = at[..rank].iter().map(|&at| at.into()).collect();
            for (nth, &axis) in axes.iter().enumerate() {
                places[axis] = l.add(places[axis], at[rank + nth].into());
            }
            Ok(l.b.index(source, places, Vec::new()).into())
        })?;
        let made = Array { read_only: true, ..self.fresh(value) };
        self.state.aliases.insert((made.buffer, array.buffer));
        Ok(made)
    }

    /// Row and column of the first element of a diagonal, which the argument `k` or `offset` names.
    fn diagonal_start(&mut self, name: &str, arguments: &mut Arguments) -> Result<[Operand; 2]> {
        let k = arguments.take(1, if name == "diag" { "k" } else { "offset" }).unwrap_or(Item::int(0));
        let k = self.integer(&k, arguments.span)?;
        arguments.finish(2)?;
        let back = self.sub(Operand::i64(0), k);
        Ok([back, k].map(|first| self.arithmetic(BinOp::MAX, first, Operand::i64(0))))
    }

    /// Writes so many elements of a diagonal.
    fn store_diagonal(
        &mut self,
        array: &Array,
        first: [Operand; 2],
        count: Operand,
        item: Item,
        span: Span,
    ) -> Result<()> {
        let index =
            first.map(|start| Item::Range { start, stop: self.add(start, count), step: Operand::i64(1) }).to_vec();
        self.store(&Item::Array(array.clone()), &Item::Tuple(index), item, span)
    }

    /// `np.fill_diagonal` of a matrix.
    fn fill_diagonal(&mut self, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let (array, fill) = (arguments.need(0, "a")?, arguments.need(1, "val")?);
        arguments.finish(2)?;
        match (array, fill) {
            (Item::Array(array), fill @ Item::Number(_)) if array.rank() == 2 => {
                let count = self.arithmetic(BinOp::MIN, array.shape[0].into(), array.shape[1].into());
                self.store_diagonal(&array, [Operand::i64(0); 2], count, fill, span)?;
                Ok(Item::None)
            }
            _ => Err(self.not_compiled(span, "`fill_diagonal` but with a number in a matrix", "write a loop")),
        }
    }

    /// `np.append`, and `np.insert` and `np.delete` at one place.
    fn with_parts(&mut self, name: &str, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let item = arguments.need(0, "arr")?;
        let at = if name == "append" { None } else { Some(arguments.need(1, "obj")?) };
        let values = match name {
            "append" => Some(arguments.need(1, "values")?),
            "insert" => Some(arguments.need(2, "values")?),
            _ => None,
        };
        let last = if name == "insert" { 3 } else { 2 };
        let axis = arguments.take(last, "axis").filter(|axis| *axis != Item::None);
        arguments.finish(last + 1)?;
        let Item::Array(array) = self.array_like(&item, span)? else {
            return Err(self.not_compiled(span, &format!("`{name}` of a number"), ""));
        };
        let (array, axis) = match &axis {
            None => (self.flattened(&Item::Array(array), span)?, 0),
            Some(axis) => {
                let axis = self.constant_integer(axis, span)?;
                (array.clone(), self.axis(axis, array.rank(), span)?)
            }
        };
        let join = |lowering: &mut Self, parts: Vec<Array>| {
            let parts = Item::Tuple(parts.into_iter().map(Item::Array).collect());
            let at = vec![parts, Item::int(axis as i64)];
            lowering.joined("concatenate", &mut Arguments { name: name.into(), span, at, named: Vec::new() })
        };
        let Some(at) = at else {
            let values = values.expect("there are values to append");
            let values = match self.array_like(&values, span)? {
                Item::Array(values) if array.rank() > 1 => values,
                values => self.flattened(&values, span)?,
            };
            return join(self, vec![array, values]);
        };
        if let (Item::Array(_) | Item::Tuple(_) | Item::Slice(_), "delete") = (&at, name) {
            let axis = Item::int(axis as i64);
            return self.library_call("numpy.delete_places", vec![Item::Array(array), at, axis], span);
        }
        let Item::Number(_) = at else {
            return Err(self.not_compiled(span, &format!("`{name}` at several places"), "do it one by one"));
        };
        let (x, n): (Operand, Operand) = (self.integer(&at, span)?, array.shape[axis].into());
        let place = self.counted_from_end(x, n);
        // Something may be inserted at the end.
        let places = if values.is_some() { self.add(n, Operand::i64(1)) } else { n };
        let is_inside = self.b.binary(BinOp::IN_BOUNDS, place, places);
        self.b.assert(is_inside, FailureKind::OutOfBounds, vec![x, places]);
        let next = if values.is_some() { place } else { self.add(place, Operand::i64(1)) };
        let part = |lowering: &mut Self, lower: Option<Operand>, upper: Option<Operand>| {
            let mut index = vec![Item::Slice([None, None, None]); array.rank()];
            index[axis] = Item::Slice([lower.map(Number::int), upper.map(Number::int), None]);
            lowering.view(&array, &Item::Tuple(index), span)
        };
        let before = part(self, Some(Operand::i64(0)), Some(place))?;
        let mut parts = vec![before, part(self, Some(next), None)?];
        if let Some(values) = values {
            let new = match self.array_like(&values, span)? {
                Item::Array(new) => new,
                number => self.stacked(&[number], span)?,
            };
            if new.rank() > array.rank() {
                return Err(self.wrong_type(span, "what is inserted has too many axes"));
            }
            let shape = [vec![Extent::Const(1); array.rank() - new.rank()], new.shape.clone()].concat();
            let new = self.reshaped(&new, shape, Vec::new());
            let mut axes: Vec<usize> = (1..array.rank()).collect();
            axes.insert(axis, 0);
            let new = self.transposed(&new, axes);
            let mut shape = array.shape.clone();
            shape[axis] = new.shape[axis];
            let new = self.converted(&Item::Array(new), &shape, array.elem, span)?.value().expect("it has axes");
            parts.insert(1, self.fresh(new));
        }
        join(self, parts)
    }

    /// The differences of neighbours along an axis.
    fn differences(&mut self, item: &Item, axis: usize, span: Span) -> Result<Item> {
        let rank = shape_of(item).len();
        let mut part = |from: Option<i64>, to: Option<i64>| {
            let bound = |bound: Option<i64>| bound.map(|at| Number::int(Operand::i64(at)));
            let mut index = vec![Item::Slice([None, None, None]); rank];
            index[axis] = Item::Slice([bound(from), bound(to), None]);
            self.subscript(item, &Item::Tuple(index), span)
        };
        let (next, this) = (part(Some(1), None)?, part(None, Some(-1))?);
        let is_bool = matches!(item, Item::Array(array) if array.elem == Scalar::Bool);
        self.binary_ufunc(if is_bool { Binary::NotEqual } else { Binary::Subtract }, &next, &this, span)
    }

    /// A new array with another extent along an axis, whose elements are elsewhere on it.
    fn moved(
        &mut self,
        array: &Array,
        axis: usize,
        extent: impl FnOnce(&mut Self, Operand) -> Operand,
        place: impl FnOnce(&mut Self, Operand, Operand) -> Operand,
    ) -> Result<Array> {
        let n: Operand = array.shape[axis].into();
        let extent = extent(self, n);
        let extents = self.extents(vec![extent]);
        let mut shape = array.shape.clone();
        shape[axis] = extents[0];
        let source = self.read(array);
        let value = self.generate(shape, array.elem, |l, at| {
            let mut places: Vec<Operand> = at.iter().map(|&at| at.into()).collect();
            places[axis] = place(l, places[axis], n);
            Ok(l.b.index(source, places, Vec::new()).into())
        })?;
        Ok(self.fresh(value))
    }

    /// `np.pad` with constants, edges, or the elements from the other end.
    fn pad(&mut self, array: &Array, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let rank = array.rank();
        let widths = arguments.need(1, "pad_width")?;
        let mode = match arguments.take(2, "mode") {
            None => "constant".to_string(),
            Some(Item::Text(mode)) => mode,
            Some(other) => return Err(self.wrong_type(span, format!("a mode is a string, not {}", other.name()))),
        };
        let fill = match arguments.take(usize::MAX, "constant_values") {
            None => Operand::Const(array.elem.zero()),
            Some(Item::Number(number)) => self.convert(number.x, array.elem),
            Some(_) => return Err(self.not_compiled(span, "several values to pad with", "pad axis by axis")),
        };
        arguments.finish(3)?;
        let pair = |lowering: &mut Self, item: &Item| -> Result<[Operand; 2]> {
            Ok(match item {
                Item::Tuple(items) if items.len() == 2 => {
                    [lowering.integer(&items[0], span)?, lowering.integer(&items[1], span)?]
                }
                Item::Tuple(items) if items.len() == 1 => [lowering.integer(&items[0], span)?; 2],
                item => [lowering.integer(item, span)?; 2],
            })
        };
        let pairs = match &widths {
            Item::Tuple(items) if items.len() == rank && items.iter().all(|item| matches!(item, Item::Tuple(_))) => {
                items.iter().map(|item| pair(self, item)).collect::<Result<Vec<_>>>()?
            }
            item => vec![pair(self, item)?; rank],
        };
        let mut sizes = Vec::new();
        for (&extent, [before, after]) in array.shape.iter().zip(&pairs) {
            let size = self.add(extent.into(), *before);
            sizes.push(self.add(size, *after));
        }
        let shape = self.extents(sizes);
        let source = self.read(array);
        if mode == "constant" {
            // What is added, and the array in its place.
            let value = self.generate(shape, array.elem, |_, _| Ok(fill))?;
            let padded = self.fresh(value);
            let index = pairs.iter().zip(&array.shape).map(|([before, _], &extent)| {
                let stop = self.add(*before, extent.into());
                Item::Slice([Some(Number::int(*before)), Some(Number::int(stop)), None])
            });
            let index = Item::Tuple(index.collect());
            self.store(&Item::Array(padded.clone()), &index, Item::Array(array.clone()), span)?;
            return Ok(Item::Array(padded));
        }
        if !matches!(mode.as_str(), "edge" | "wrap" | "reflect" | "symmetric") {
            return Err(self.not_compiled(span, &format!("padding in the mode `{mode}`"), ""));
        }
        let value = self.generate(shape, array.elem, |l, at| {
            let mut places = Vec::new();
            for (axis, [before, _]) in pairs.iter().enumerate() {
                let n: Operand = array.shape[axis].into();
                let last = l.sub(n, Operand::i64(1));
                let place = l.sub(at[axis].into(), *before);
                places.push(match mode.as_str() {
                    "edge" => {
                        let place = l.b.binary(BinOp::MAX, place, Operand::i64(0));
                        l.b.binary(BinOp::MIN, place, last)
                    }
                    "wrap" => l.b.binary(BinOp::FLOOR_MOD, place, n),
                    mode => {
                        // The array, then its reflection, again and again.
                        let ends = if mode == "reflect" { last } else { n };
                        let period = l.mul(ends, Operand::i64(2));
                        let period = l.b.binary(BinOp::MAX, period, Operand::i64(1));
                        let place = l.b.binary(BinOp::FLOOR_MOD, place, period);
                        let top = if mode == "reflect" { period } else { l.sub(period, Operand::i64(1)) };
                        let back = l.sub(top, place);
                        let is_back = l.b.binary(BinOp::LT, last, place);
                        l.select(is_back, back, place)
                    }
                });
            }
            Ok(l.b.index(source, places, Vec::new()).into())
        })?;
        Ok(Item::Array(self.fresh(value)))
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
        let made = self.reshaped(&array, shape, certs);
        Ok(Item::Array(self.copied_unless_contiguous(&array, made)))
    }

    /// A reshaped array. Of one that is not contiguous NumPy makes a copy; where that is not known, it may be one.
    pub(super) fn copied_unless_contiguous(&mut self, array: &Array, made: Array) -> Array {
        if self.is_contiguous(array) {
            return made;
        }
        let value = self.read(&made);
        let keeps_axes = made.lenses == array.lenses;
        let copy = self.fresh(value);
        // Sizes of parameters are not 1, so that exchanged axes are not contiguous, and all of them are no single axis.
        let is_long = |extent: &Extent| matches!(extent, Extent::Value(size) if self.b.func.sizes.contains(size));
        let is_exchanged = matches!(&array.lenses[..], [Lens::Permute(_)])
            && (keeps_axes || made.rank() == 1)
            && array.shape.iter().all(is_long)
            && !self.state.unordered.contains(&array.buffer);
        if !is_exchanged {
            self.state.aliases.insert((copy.buffer, array.buffer));
        }
        copy
    }

    /// A copy of an array that is a view in NumPy, or may be one: not used after the array is written.
    pub(super) fn perhaps_copied(&mut self, array: &Array) -> Array {
        let value = self.read(array);
        let copy = self.fresh(value);
        self.state.aliases.insert((copy.buffer, array.buffer));
        copy
    }

    /// The elements in row-major order, as `ravel` gives them.
    pub(super) fn raveled(&mut self, item: &Item, span: Span) -> Result<Item> {
        let array = match self.array_like(item, span)? {
            Item::Array(array) => array,
            number => return self.flattened(&number, span).map(Item::Array),
        };
        let made = self.flattened(&Item::Array(array.clone()), span)?;
        Ok(Item::Array(self.copied_unless_contiguous(&array, made)))
    }

    fn joined(&mut self, name: &str, arguments: &mut Arguments) -> Result<Item> {
        let span = arguments.span;
        let items = arguments.need(0, "arrays")?;
        if let Some(all) = items.grown() {
            let all = all.clone();
            return match name {
                "stack" | "vstack" if arguments.at.len() == 1 && arguments.named.is_empty() => Ok(all),
                "concatenate" | "hstack" if shape_of(&all).len() == 2 => {
                    self.library_call("numpy.reshape", vec![all, Item::int(-1)], span)
                }
                _ => Err(self.not_compiled(
                    span,
                    &format!("`{name}` of a list that a loop makes longer"),
                    "use `np.array`",
                )),
            };
        }
        let mut items = self.parts(items, span)?;
        let mut axis = arguments.take(1, "axis").unwrap_or(Item::int(0));
        if axis == Item::None {
            axis = Item::int(0);
            items = items.iter().map(|item| self.raveled(item, span)).collect::<Result<_>>()?;
        }
        let axis = self.constant_integer(&axis, span)?;
        let out = arguments.take(2, "out");
        if let Some(dtype) = self.any_dtype_argument(arguments, usize::MAX)? {
            items = items.iter().map(|item| self.as_type(item, dtype, span)).collect::<Result<_>>()?;
        }
        arguments.finish(3)?;
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
        let new_axis = name == "stack" || (matches!(name, "vstack" | "column_stack") && rank == 1);
        let axis = match name {
            "column_stack" => 1,
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
        let made = Item::Array(self.transposed(&made, axes));
        self.put_out(out, made, span)
    }

    fn roll(&mut self, arguments: &mut Arguments) -> Result<Item> {
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
        // A remainder tells loops where the wrap begins. Of other shifts only their own remainder is known not to overflow.
        let constant = shift.constant().and_then(|shift| shift.as_i64()).filter(|shift| shift.unsigned_abs() < 1 << 32);
        let shift = if constant.is_some() {
            shift
        } else {
            let divisor = self.arithmetic(BinOp::MAX, n, Operand::i64(1));
            self.arithmetic(BinOp::FLOOR_MOD, shift, divisor)
        };
        let source = self.read(array);
        let value: Value = self.generate(array.shape.clone(), array.elem, |l, at| {
            let mut places: Vec<Operand> = at.iter().map(|&at| at.into()).collect();
            places[axis] = match constant {
                Some(shift) => {
                    let before = l.add(at[axis].into(), Operand::i64(-shift));
                    l.b.binary(BinOp::FLOOR_MOD, before, n)
                }
                None => {
                    let before = l.sub(at[axis].into(), shift);
                    let is_wrapped = l.b.binary(BinOp::LT, before, Operand::i64(0));
                    let wrapped = l.add(before, n);
                    l.select(is_wrapped, wrapped, before)
                }
            };
            Ok(l.b.index(source, places, Vec::new()).into())
        })?;
        Ok(self.fresh(value))
    }
}
