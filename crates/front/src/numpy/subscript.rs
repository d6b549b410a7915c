//! Subscripts: elements, slices, masks and arrays of indices, read and written.

use super::elementwise::{Element, operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::{Array, Lens};
use super::ufuncs::Binary;
use frit_ir::array::{Extent, Generator, Op, Operand, Operator, OperatorData, Type, Value, WithLoopData};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// What a subscript with arrays among its indices selects.
enum Advanced {
    /// The elements where a mask holds.
    Mask(Item),
    /// The elements, or parts, at these indices.
    Gather(Places),
}

/// A subscript with arrays of indices.
struct Places {
    /// What each axis of the array is indexed by.
    axes: Vec<Place>,
    /// The shape of the result.
    whole: Vec<Extent>,
    /// The first axis of the result that is one of the indices', and their shape.
    index_axis: usize,
    index_shape: Vec<Extent>,
    certs: Vec<Value>,
}

/// What an axis of an array is indexed by.
enum Place {
    /// A slice: its start, its step, and the axis of the result.
    Slice(Operand, i64, usize),
    /// An array of indices, or an index.
    Index(Element),
}

impl Lowering<'_> {
    /// `of[index]`.
    pub(super) fn subscript(&mut self, of: &Item, index: &Item, span: Span) -> Result<Item> {
        match of {
            Item::Tuple(items) | Item::Named(_, items) => self.part(items, index, span),
            Item::Complex(parts) => {
                let (re, im) = (self.subscript(&parts[0], index, span)?, self.subscript(&parts[1], index, span)?);
                Ok(Item::complex(re, im))
            }
            Item::Array(array) => match self.advanced(array, index, span)? {
                None => {
                    let array = self.view(array, index, span)?;
                    if array.rank() > 0 {
                        return Ok(Item::Array(array));
                    }
                    let value = self.read(&array);
                    Ok(Item::Number(Number::strong(value.into(), array.elem)))
                }
                Some(Advanced::Mask(mask)) => self.filter(array, &mask, span),
                Some(Advanced::Gather(places)) => self.gather(array, &places),
            },
            Item::Range { start, step, .. } if matches!(index, Item::Number(_)) => {
                let at = self.integer(index, span)?;
                let count = self.count_of(of, span)?;
                let (place, _) = self.place(at, count.extent());
                let way = self.mul(place, *step);
                Ok(Item::Number(Number::int(self.add(*start, way))))
            }
            Item::Range { .. } => {
                let array = self.array_like(of, span)?;
                self.subscript(&array, index, span)
            }
            Item::Library(name) if name == "numpy.mgrid" || name == "numpy.ogrid" => {
                self.grid_of_slices(name == "numpy.ogrid", index, span)
            }
            other => Err(self.wrong_type(span, format!("{} cannot be subscripted", other.name()))),
        }
    }

    /// `of[index] = item`.
    pub(super) fn store(&mut self, of: &Item, index: &Item, item: Item, span: Span) -> Result<()> {
        if let Item::Complex(parts) = of {
            let [re, im] = self.complex_parts(&item, span)?;
            self.store(&parts[0], index, re, span)?;
            return self.store(&parts[1], index, im, span);
        }
        let Item::Array(array) = of else {
            return Err(self.wrong_type(span, format!("parts of {} cannot be assigned", of.name())));
        };
        self.may_write(array, span)?;
        let item = match item {
            Item::Number(number) if number.weak => {
                Item::Number(Number { x: self.fitting(number, array.elem, span)?, elem: array.elem, weak: true })
            }
            item => self.array_like(&item, span)?,
        };
        match self.advanced(array, index, span)? {
            None => {
                let view = self.view(array, index, span)?;
                let new = self.converted(&item, &view.shape, view.elem, span)?;
                self.write(&view, new);
                Ok(())
            }
            Some(Advanced::Mask(mask)) => self.store_masked(array, &mask, &item, span),
            Some(Advanced::Gather(places)) => self.scatter(array, &places, &item, None, span),
        }
    }

    /// Part of a tuple.
    fn part(&mut self, items: &[Item], index: &Item, span: Span) -> Result<Item> {
        let n = items.len() as i64;
        if let Item::Slice([lower, upper, None]) = index {
            let bound = |lowering: &mut Self, bound: &Option<Number>, default: i64| match bound {
                None => Ok(default),
                Some(number) => lowering.constant_integer(&Item::Number(*number), span),
            };
            let clip = |at: i64| usize::try_from(if at < 0 { at + n } else { at }.clamp(0, n)).expect("it is clipped");
            let (from, to) = (clip(bound(self, lower, 0)?), clip(bound(self, upper, n)?));
            return Ok(Item::Tuple(items.get(from..to.max(from)).unwrap_or_default().to_vec()));
        }
        let at = self.constant_integer(index, span)?;
        let at = if at < 0 { at + n } else { at };
        match usize::try_from(at).ok().and_then(|at| items.get(at)) {
            Some(item) => Ok(item.clone()),
            None => Err(self.wrong_type(span, format!("a tuple of {n} has no item {at}"))),
        }
    }

    /// The arrays among the indices of a subscript, if there are any.
    fn advanced(&mut self, array: &Array, index: &Item, span: Span) -> Result<Option<Advanced>> {
        let items: &[Item] = if let Item::Tuple(items) = index { items } else { std::slice::from_ref(index) };
        let is_bool =
            |item: &Item| operand_type(item).elem == Scalar::Bool && matches!(item, Item::Number(_) | Item::Array(_));
        if !items
            .iter()
            .any(|item| matches!(item, Item::Array(_) | Item::Tuple(_) | Item::Range { .. }) || is_bool(item))
        {
            return Ok(None);
        }
        let mut made = Vec::new();
        for item in items {
            made.push(if let Item::Tuple(_) | Item::Range { .. } = item {
                self.array_like(item, span)?
            } else {
                item.clone()
            });
        }
        if let [mask] = &made[..]
            && is_bool(mask)
            && shape_of(mask).len() == array.rank()
        {
            return Ok(Some(Advanced::Mask(mask.clone())));
        }
        // Masks among other indices stand for the places where they hold.
        let mut indices = Vec::new();
        for item in made {
            if is_bool(&item) && !shape_of(&item).is_empty() {
                let found = self.nonzero(&item, span)?;
                indices.extend(self.parts(found, span)?);
            } else {
                indices.push(item);
            }
        }
        self.places(array, indices, span).map(|places| Some(Advanced::Gather(places)))
    }

    /// What each axis of a subscript with arrays of indices is.
    fn places(&mut self, array: &Array, items: Vec<Item>, span: Span) -> Result<Places> {
        let named = items.iter().filter(|item| !matches!(item, Item::None | Item::Ellipsis)).count();
        if named > array.rank() {
            let what = format!("too many indices: there are {} axes, and {named} indices", array.rank());
            return Err(self.wrong_type(span, what));
        }
        let rest = vec![Item::Slice([None, None, None]); array.rank() - named];
        let at = items.iter().position(|item| *item == Item::Ellipsis);
        let mut expanded: Vec<Item> = items.iter().filter(|item| **item != Item::Ellipsis).cloned().collect();
        let at = at.unwrap_or(expanded.len());
        expanded.splice(at..at, rest);
        let is_index = |item: &Item| matches!(item, Item::Array(_) | Item::Number(_));
        let arrays: Vec<Item> = expanded.iter().filter(|item| is_index(item)).cloned().collect();
        let (elements, shape, certs) = self.index_elements(&arrays, span)?;
        let mut elements = elements.into_iter();
        let places_of: Vec<usize> = (0..expanded.len()).filter(|&at| is_index(&expanded[at])).collect();
        let is_run = places_of.windows(2).all(|pair| pair[1] == pair[0] + 1);
        // The axes of the indices stand where the first of them stands, or first if others are between them.
        let first = if is_run { places_of[0] } else { 0 };
        let mut axes = Vec::new();
        let mut whole: Vec<Extent> = Vec::new();
        let mut index_axis = 0;
        for (at, item) in expanded.iter().enumerate() {
            if at == first {
                index_axis = whole.len();
                whole.extend(&shape);
            }
            match item {
                Item::None => whole.push(Extent::Const(1)),
                Item::Slice(bounds) => {
                    let (start, step, extent) = self.slice(bounds, array.shape[axes.len()], span)?;
                    axes.push(Place::Slice(start, step, whole.len()));
                    whole.push(extent);
                }
                item if is_index(item) => {
                    axes.push(Place::Index(elements.next().expect("there is an element for each")))
                }
                other => return Err(self.wrong_type(span, format!("{} is no index", other.name()))),
            }
        }
        Ok(Places { axes, whole, index_axis, index_shape: shape, certs })
    }

    /// Where an element of the result is in the array, and the certificates that it is inside.
    fn place_of(&mut self, array: &Array, places: &Places, at: &[Operand]) -> (Vec<Operand>, Vec<Value>) {
        let (mut found, mut certs) = (Vec::new(), places.certs.clone());
        let index = &at[places.index_axis..places.index_axis + places.index_shape.len()];
        for (axis, place) in places.axes.iter().enumerate() {
            found.push(match place {
                Place::Slice(start, step, axis) => {
                    let way = self.mul(at[*axis], Operand::i64(*step));
                    self.add(*start, way)
                }
                Place::Index(element) => {
                    let x = self.element_of(element, &places.index_shape, index, &places.certs);
                    let x = self.convert(x, Scalar::I64);
                    let (place, cert) = self.place(x, array.shape[axis]);
                    certs.extend(cert);
                    place
                }
            });
        }
        (found, certs)
    }

    /// The places of all elements that are true, an array for each axis.
    pub(super) fn nonzero(&mut self, item: &Item, span: Span) -> Result<Item> {
        let truth = self.as_type(item, Scalar::Bool.into(), span)?;
        let shape = shape_of(&truth).to_vec();
        let flat = self.flattened(&truth, span)?;
        let count: Operand = flat.shape[0].into();
        let places =
            self.array_like(&Item::Range { start: Operand::i64(0), stop: count, step: Operand::i64(1) }, span)?;
        let Item::Array(places) = places else { unreachable!("a range is an array") };
        let found = self.filter(&places, &Item::Array(flat), span)?;
        let mut axes = Vec::new();
        let mut inner = Operand::i64(1);
        for &extent in shape.iter().rev() {
            let (below, n): (Operand, Operand) = (inner, extent.into());
            axes.push(self.elementwise(std::slice::from_ref(&found), Scalar::I64, span, |l, x| {
                let one = Operand::i64(1);
                let divisor = l.arithmetic(BinOp::MAX, below, one);
                let place = l.arithmetic(BinOp::DIV, x[0], divisor);
                let n = l.arithmetic(BinOp::MAX, n, one);
                l.arithmetic(BinOp::REM, place, n)
            })?);
            inner = self.mul(inner, extent.into());
        }
        axes.reverse();
        Ok(Item::Tuple(axes))
    }

    /// The part of an array that integers, slices, `None` and `...` select: a view.
    pub(super) fn view(&mut self, array: &Array, index: &Item, span: Span) -> Result<Array> {
        let items: &[Item] = if let Item::Tuple(items) = index { items } else { std::slice::from_ref(index) };
        let named = items.iter().filter(|item| !matches!(item, Item::None | Item::Ellipsis)).count();
        if named > array.rank() {
            let what = format!(
                "too many indices: {} has {} axes, and there are {named}",
                Item::Array(array.clone()).name(),
                array.rank()
            );
            return Err(self.wrong_type(span, what));
        }
        let whole = Item::Slice([None, None, None]);
        let mut expanded: Vec<Item> = Vec::new();
        let mut has_ellipsis = false;
        for item in items {
            if *item == Item::Ellipsis {
                has_ellipsis = true;
                expanded.extend(vec![whole.clone(); array.rank() - named]);
            } else {
                expanded.push(item.clone());
            }
        }
        if !has_ellipsis {
            expanded.extend(vec![whole; array.rank() - named]);
        }
        let (mut starts, mut steps, mut extents, mut kept, mut certs) = (vec![], vec![], vec![], vec![], vec![]);
        // Where new axes stand in what is seen.
        let mut shape: Vec<Extent> = Vec::new();
        let mut is_new = false;
        for item in &expanded {
            let axis = starts.len();
            match item {
                Item::None => {
                    shape.push(Extent::Const(1));
                    is_new = true;
                    continue;
                }
                Item::Slice(bounds) => {
                    let (start, step, extent) = self.slice(bounds, array.shape[axis], span)?;
                    starts.push(start);
                    steps.push(step);
                    extents.push(extent);
                    kept.push(true);
                    shape.push(extent);
                }
                item => {
                    let x = self.integer(item, span)?;
                    let (place, cert) = self.place(x, array.shape[axis]);
                    certs.extend(cert);
                    starts.push(place);
                    steps.push(1);
                    extents.push(Extent::Const(1));
                    kept.push(false);
                }
            }
        }
        let mut lenses = array.lenses.clone();
        let zero = Operand::i64(0);
        let is_whole = (0..starts.len())
            .all(|at| kept[at] && starts[at] == zero && steps[at] == 1 && extents[at] == array.shape[at]);
        if !is_whole {
            lenses.push(Lens::Slice { starts, steps, extents, kept, certs });
        }
        if is_new {
            lenses.push(Lens::Reshape(shape.clone(), Vec::new()));
        }
        Ok(Array { buffer: array.buffer, lenses, elem: array.elem, shape, read_only: array.read_only })
    }

    /// An index that may count from the end, from 0 on, and the certificate that it is in bounds.
    pub(super) fn place(&mut self, x: Operand, extent: Extent) -> (Operand, Option<Value>) {
        let n: Operand = extent.into();
        let at = self.counted_from_end(x, n);
        if let (Operand::Const(at), Operand::Const(n)) = (at, n)
            && let (Some(at), Some(n)) = (at.as_i64(), n.as_i64())
            && (0..n).contains(&at)
        {
            return (Operand::i64(at), None);
        }
        let is_inside = self.b.binary(BinOp::IN_BOUNDS, at, n);
        (at, Some(self.b.assert(is_inside, FailureKind::OutOfBounds, vec![x, n])))
    }

    /// A place that may count from the end, from 0 on.
    fn counted_from_end(&mut self, x: Operand, n: Operand) -> Operand {
        match x {
            Operand::Const(constant) => match constant.as_i64() {
                Some(at) if at < 0 => self.add(n, Operand::i64(at)),
                _ => x,
            },
            x if self.least(x).is_some_and(|least| least >= 0) => x,
            x => {
                let is_back = self.b.binary(BinOp::LT, x, Operand::i64(0));
                let back = self.add(x, n);
                self.select(is_back, back, x)
            }
        }
    }

    /// Start, step and number of elements of a slice of an axis.
    fn slice(
        &mut self,
        [lower, upper, step]: &[Option<Number>; 3],
        extent: Extent,
        span: Span,
    ) -> Result<(Operand, i64, Extent)> {
        let step = match step {
            None => 1,
            Some(step) => self.constant_integer(&Item::Number(*step), span)?,
        };
        if step == 0 {
            return Err(self.wrong_type(span, "the step of a slice cannot be zero"));
        }
        let n: Operand = extent.into();
        let zero = Operand::i64(0);
        let constant = |bound: &Option<Number>| match bound {
            Some(Number { x: Operand::Const(constant), .. }) => constant.as_i64(),
            _ => None,
        };
        // Slices of one element are broadcast. Of arrays that have not even that, they are refused when the program runs.
        let one = match (lower.is_none(), constant(lower), upper.is_none(), constant(upper)) {
            (true, _, false, Some(1)) => Some(0),
            (false, Some(-1), true, _) => Some(-1),
            (false, Some(from), false, Some(to)) if to.checked_sub(1) == Some(from) && !(-1..0).contains(&from) => {
                Some(from)
            }
            _ => None,
        };
        if let (Some(from), 1, Extent::Value(_)) = (one, step, extent) {
            let (start, _) = self.place(Operand::i64(from), extent);
            return Ok((start, 1, Extent::Const(1)));
        }
        if step > 0 {
            // Constant distances from both ends: all slices that leave out as many have one size.
            let from = lower.map_or(Some(0), |_| constant(lower));
            let to = upper.map_or(Some(0), |_| constant(upper).filter(|&to| to < 0));
            if let (Some(from), Some(to)) = (from, to)
                && from >= 0
                && let Some(left_out) = from.checked_sub(to)
            {
                let length = self.shortened(extent, left_out);
                let length = self.divided(length, step);
                let start = if from == 0 { zero } else { self.arithmetic(BinOp::MIN, Operand::i64(from), n) };
                return Ok((start, step, length.extent()));
            }
            let clip = |lowering: &mut Self, bound: &Option<Number>, default: Operand| match bound {
                None => default,
                Some(bound) => {
                    let at = lowering.counted_from_end(bound.x, n);
                    let at = lowering.arithmetic(BinOp::MAX, at, zero);
                    lowering.arithmetic(BinOp::MIN, at, n)
                }
            };
            let start = clip(self, lower, zero);
            let stop = clip(self, upper, n);
            let length = self.sub(stop, start);
            let length = self.arithmetic(BinOp::MAX, length, zero);
            return Ok((start, step, self.divided(length, step).extent()));
        }
        let minus_one = Operand::i64(-1);
        let last = self.sub(n, Operand::i64(1));
        let clip = |lowering: &mut Self, bound: &Option<Number>, default: Operand| match bound {
            None => default,
            Some(bound) => {
                let at = lowering.counted_from_end(bound.x, n);
                let at = lowering.arithmetic(BinOp::MAX, at, minus_one);
                lowering.arithmetic(BinOp::MIN, at, last)
            }
        };
        let start = clip(self, lower, last);
        let stop = clip(self, upper, minus_one);
        let length = self.sub(start, stop);
        let length = if lower.is_none() && upper.is_none() { n } else { self.arithmetic(BinOp::MAX, length, zero) };
        Ok((start, step, self.divided(length, -step).extent()))
    }

    /// `max(0, extent - left_out)`.
    fn shortened(&mut self, extent: Extent, left_out: i64) -> Operand {
        if left_out == 0 {
            return extent.into();
        }
        let (base, before) = match extent {
            Extent::Value(value) => self.shortened.get(&value).copied().unwrap_or((value, 0)),
            Extent::Const(n) => return Operand::i64((n - left_out).max(0)),
        };
        let less = self.sub(base.into(), Operand::i64(before + left_out));
        let length = self.arithmetic(BinOp::MAX, less, Operand::i64(0));
        if let Operand::Value(length) = length {
            self.shortened.insert(length, (base, before + left_out));
        }
        length
    }

    /// True if two extents are equal whatever the sizes are.
    pub(super) fn is_same_extent(&self, x: Extent, y: Extent) -> bool {
        let canonical = |extent: Extent| match self.representative(extent) {
            Extent::Value(value) => match self.shortened.get(&value) {
                Some(&(base, less)) => Ok((self.representative(Extent::Value(base)), less)),
                None => Err(Extent::Value(value)),
            },
            extent => Err(extent),
        };
        x == y || canonical(x) == canonical(y)
    }

    /// A length divided by a positive step, rounded up.
    fn divided(&mut self, length: Operand, step: i64) -> Operand {
        if step == 1 {
            return length;
        }
        let length = self.add(length, Operand::i64(step - 1));
        self.arithmetic(BinOp::FLOOR_DIV, length, Operand::i64(step))
    }

    /// `a[mask]`: the elements where a mask of the array's shape holds, in order.
    fn filter(&mut self, array: &Array, mask: &Item, span: Span) -> Result<Item> {
        let flat = self.flattened(&Item::Array(array.clone()), span)?;
        let mask = self.converted(mask, &array.shape, Scalar::Bool, span)?;
        let mask = self.fresh(mask.value().expect("a mask has axes"));
        let mask = self.flattened(&Item::Array(mask), span)?;
        let (values, guards) = (self.read(&flat), self.read(&mask));
        let index = self.index_value();
        self.b.open_block();
        let guard = self.b.index(guards, vec![index.into()], Vec::new());
        let value = self.b.index(values, vec![index.into()], Vec::new());
        let body = self.b.close_block(vec![guard.into(), value.into()]);
        let space = self.b.func.ty(values).shape.clone();
        let data = WithLoopData {
            space: space.clone(),
            indices: vec![index],
            generators: vec![Generator::full(&space, body)],
            operators: vec![OperatorData { op: Operator::Filter { arrays: 1 }, guarded: true }],
            span: self.b.span(),
        };
        let with_loop = self.b.func.with_loops.push(data);
        let count = self.b.value(Type::scalar(Scalar::I64), None);
        let kept = self.b.value(Type::array(array.elem, vec![Extent::Value(count)]), None);
        let stmt = frit_ir::array::Stmt {
            results: vec![count, kept],
            op: Op::With(with_loop),
            certs: Vec::new(),
            span: self.b.span(),
        };
        self.b.push(stmt);
        Ok(Item::Array(self.fresh(kept)))
    }

    /// `a[mask] = x`.
    pub(super) fn store_masked(&mut self, array: &Array, mask: &Item, item: &Item, span: Span) -> Result<()> {
        if !shape_of(item).is_empty() && shape_of(item) != [Extent::Const(1)] {
            let found = self.nonzero(mask, span)?;
            let places = self.parts(found, span)?;
            let places = self.places(array, places, span)?;
            return self.scatter(array, &places, item, None, span);
        }
        let made =
            self.elementwise(&[mask.clone(), item.clone(), Item::Array(array.clone())], array.elem, span, |l, x| {
                let new = l.convert(x[1], array.elem);
                l.select(x[0], new, x[2])
            })?;
        let new = self.converted(&made, &array.shape, array.elem, span)?;
        self.write(array, new);
        Ok(())
    }

    /// The mask that a subscript is, if it selects single elements of the whole array.
    pub(super) fn whole_mask(&self, array: &Item, index: &Item) -> Option<Item> {
        let is_mask =
            matches!(index, Item::Array(mask) if mask.elem == Scalar::Bool && mask.rank() == shape_of(array).len());
        is_mask.then(|| index.clone())
    }

    /// `ufunc.at`: each element at the indices in turn, or without a function an assignment to all.
    pub(super) fn put_all(
        &mut self,
        array: &Array,
        index: &Item,
        value: &Item,
        ufunc: Option<Binary>,
        span: Span,
    ) -> Result<()> {
        let value = self.array_like(value, span)?;
        let places = match self.advanced(array, index, span)? {
            Some(Advanced::Gather(places)) => places,
            Some(Advanced::Mask(mask)) => {
                let found = self.nonzero(&mask, span)?;
                let places = self.parts(found, span)?;
                self.places(array, places, span)?
            }
            None => {
                let old = self.subscript(&Item::Array(array.clone()), index, span)?;
                let ufunc = ufunc.unwrap_or(Binary::Add);
                let new = self.binary_ufunc(ufunc, &old, &value, span)?;
                return self.store(&Item::Array(array.clone()), index, new, span);
            }
        };
        self.scatter(array, &places, &value, ufunc, span)
    }

    /// The indices of the first axes as operands, and the shape that they have together.
    fn index_elements(&mut self, indices: &[Item], span: Span) -> Result<(Vec<Element>, Vec<Extent>, Vec<Value>)> {
        for item in indices {
            if !operand_type(item).elem.is_integer() {
                return Err(self.wrong_type(span, format!("arrays of indices are of integers, not {}", item.name())));
            }
        }
        let elements: Vec<Element> = indices.iter().map(|item| self.element(item, span)).collect::<Result<_>>()?;
        let shapes: Vec<Vec<Extent>> = indices.iter().map(|item| shape_of(item).to_vec()).collect();
        let shapes: Vec<&[Extent]> = shapes.iter().map(Vec::as_slice).collect();
        let (shape, certs) = self.broadcast(&shapes, span)?;
        Ok((elements, shape, certs))
    }

    /// `a[i]`, `a[i, :, j]` with arrays of indices.
    fn gather(&mut self, array: &Array, places: &Places) -> Result<Item> {
        let source = self.read(array);
        let value = self.generate(places.whole.clone(), array.elem, |l, index| {
            let at: Vec<Operand> = index.iter().map(|&at| at.into()).collect();
            let (places, certs) = l.place_of(array, places, &at);
            Ok(l.b.index(source, places, certs).into())
        })?;
        Ok(Item::Array(self.fresh(value)))
    }

    /// `a[i] = x` with arrays of indices: in order, so that the last value of an element stays. With a function, what it makes of
    /// the old element and the new.
    fn scatter(
        &mut self,
        array: &Array,
        places: &Places,
        item: &Item,
        ufunc: Option<Binary>,
        span: Span,
    ) -> Result<()> {
        let new = self.element(item, span)?;
        if let Element::Array(_, own) = &new {
            let (both, _) = self.broadcast(&[&places.whole, own], span)?;
            if both.len() > places.whole.len() {
                return Err(self.wrong_type(span, "what is assigned has more axes than the elements at these indices"));
            }
        }
        let mut count = Operand::i64(1);
        for &extent in &places.whole {
            count = self.mul(count, extent.into());
        }
        let old = self.read(array);
        let made = self.tabulated(old, count, &mut |l, table, index| {
            let mut at = vec![Operand::from(index); places.whole.len()];
            let mut rest = Operand::from(index);
            for axis in (1..places.whole.len()).rev() {
                let n: Operand = places.whole[axis].into();
                at[axis] = l.arithmetic(BinOp::REM, rest, n);
                rest = l.arithmetic(BinOp::DIV, rest, n);
            }
            if let Some(first) = at.first_mut() {
                *first = rest;
            }
            let (place, certs) = l.place_of(array, places, &at);
            let x = l.element_of(&new, &places.whole, &at, &[]);
            let x = l.convert(x, array.elem);
            let x = match ufunc {
                None => x,
                Some(ufunc) => {
                    let old = l.b.index(table, place.clone(), certs.clone()).into();
                    l.apply(ufunc, array.elem, old, x, false)
                }
            };
            (place, x, certs)
        });
        self.write(array, made.into());
        Ok(())
    }

    /// The elements in row-major order: a view.
    pub(super) fn flattened(&mut self, item: &Item, span: Span) -> Result<Array> {
        let array = match self.array_like(item, span)? {
            Item::Array(array) => array,
            item => self.stacked(&[item], span)?,
        };
        if array.rank() == 1 {
            return Ok(array);
        }
        let mut count = Operand::i64(1);
        for &extent in &array.shape {
            count = self.mul(count, extent.into());
        }
        Ok(self.reshaped(&array, vec![count.extent()], Vec::new()))
    }

    /// The elements in row-major order in another shape: a view.
    pub(super) fn reshaped(&mut self, array: &Array, shape: Vec<Extent>, certs: Vec<Value>) -> Array {
        let mut lenses = array.lenses.clone();
        lenses.push(Lens::Reshape(shape.clone(), certs));
        Array { lenses, shape, ..array.clone() }
    }

    /// The array with its axes in another order: a view.
    pub(super) fn transposed(&mut self, array: &Array, axes: Vec<usize>) -> Array {
        let shape = axes.iter().map(|&axis| array.shape[axis]).collect();
        let mut lenses = array.lenses.clone();
        if !axes.is_sorted() {
            lenses.push(Lens::Permute(axes));
        }
        Array { lenses, shape, ..array.clone() }
    }

    /// A number that the operand is never below.
    pub(super) fn least(&self, x: Operand) -> Option<i64> {
        match x {
            Operand::Const(Const::Int(Scalar::I64, value)) => Some(value),
            Operand::Value(value) => self.least.get(&value).copied(),
            Operand::Const(_) => None,
        }
    }
}
