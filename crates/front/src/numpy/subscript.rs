//! Subscripts: elements, and slices, which are views. [`advanced`](super::advanced) has masks and arrays of indices.

use super::advanced::Advanced;
use super::container::HEAD;
use super::elementwise::operand_type;
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::{Array, Lens};
use frit_ir::array::{Extent, Operand, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;

impl Lowering<'_> {
    /// `of[index]`.
    pub(super) fn subscript(&mut self, of: &Item, index: &Item, span: Span) -> Result<Item> {
        match of {
            list if list.grown().is_some() => self.subscript(list.grown().expect("it was just looked at"), index, span),
            Item::Tuple(items) | Item::Named(_, items)
                if matches!(index, Item::Number(number) if number.x.value().is_some())
                    && !items.is_empty()
                    && !matches!(of, Item::Named(names, _) if Item::is_dict(names))
                    && items.iter().all(|item| matches!(item, Item::Number(_))) =>
            {
                let all = self.array_like(&Item::Tuple(items.clone()), span)?;
                let one = self.subscript(&all, index, span)?;
                Ok(if operand_type(of).weak { one.of_python() } else { one })
            }
            Item::Named(names, items) if Item::is_dict(names) => {
                let at = index.key().and_then(|key| names.iter().position(|name| *name == key));
                at.map(|at| items[at - HEAD].clone())
                    .ok_or_else(|| self.wrong_type(span, "the dictionary has no such key"))
            }
            Item::Named(names, items) if Item::is_list(names) => match (index, self.part(items, index, span)?) {
                (Item::Slice(_), Item::Tuple(items)) => Ok(Item::list(items)),
                (_, item) => Ok(item),
            },
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
                Some(Advanced::Gather(places)) => {
                    let made = self.gather(array, &places)?;
                    if let (true, Item::Array(made)) = (is_of_slices(index), &made) {
                        // A view in NumPy.
                        self.state.aliases.insert((made.buffer, array.buffer));
                    }
                    Ok(made)
                }
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
        let Item::Array(array) = of else { return self.store_in_container(of, index, item, span) };
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
                let item = self.without_leading_ones(item, view.rank());
                let new = self.converted(&item, &view.shape, view.elem, span)?;
                self.write(&view, new);
                Ok(())
            }
            Some(Advanced::Mask(mask)) => self.store_masked(array, &mask, &item, span),
            Some(Advanced::Gather(places)) => {
                let item = self.without_leading_ones(item, places.rank());
                self.scatter(array, &places, &item, None, span)
            }
        }
    }

    /// What is assigned to an array of `rank` axes, without first axes of one element that are more.
    fn without_leading_ones(&mut self, item: Item, rank: usize) -> Item {
        match &item {
            Item::Array(array) if array.rank() > rank => {
                let (more, rest) = array.shape.split_at(array.rank() - rank);
                if rest.is_empty() || more.iter().any(|extent| *extent != Extent::Const(1)) {
                    return item;
                }
                let shape = rest.to_vec();
                Item::Array(self.reshaped(&array.clone(), shape, Vec::new()))
            }
            _ => item,
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
        let zero = Operand::i64(0);
        let is_whole = (0..starts.len())
            .all(|at| kept[at] && starts[at] == zero && steps[at] == 1 && extents[at] == array.shape[at]);
        let mut lenses = if is_whole {
            array.lenses.clone()
        } else {
            self.lenses_with_slice(array, Lens::Slice { starts, steps, extents, kept, certs })
        };
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
    pub(super) fn counted_from_end(&mut self, x: Operand, n: Operand) -> Operand {
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
    pub(super) fn slice(
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
        if let (Some(lower), Some(upper), 1) = (lower, upper, step)
            && self.is_next(lower.x, upper.x)
            && self.least(lower.x).is_some_and(|least| least >= 0)
        {
            let (start, _) = self.place(lower.x, extent);
            return Ok((start, 1, Extent::Const(1)));
        }
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
            let start = self.clipped(lower, zero, n, [zero, n]);
            let stop = self.clipped(upper, n, n, [zero, n]);
            let length = self.sub(stop, start);
            let length = self.arithmetic(BinOp::MAX, length, zero);
            return Ok((start, step, self.divided(length, step).extent()));
        }
        let minus_one = Operand::i64(-1);
        let last = self.sub(n, Operand::i64(1));
        let start = self.clipped(lower, last, n, [minus_one, last]);
        let stop = self.clipped(upper, minus_one, n, [minus_one, last]);
        let length = self.sub(start, stop);
        let length = if lower.is_none() && upper.is_none() { n } else { self.arithmetic(BinOp::MAX, length, zero) };
        Ok((start, step, self.divided(length, -step).extent()))
    }

    /// Start, step and number of elements of a slice whose step is known at run time.
    pub(super) fn stepped(
        &mut self,
        lower: &Option<Number>,
        upper: &Option<Number>,
        step: Operand,
        extent: Extent,
    ) -> (Operand, Operand, Extent) {
        let (n, zero): (Operand, Operand) = (extent.into(), Operand::i64(0));
        let is_up = self.holds(BinOp::LT, zero, step);
        let last = self.sub(n, Operand::i64(1));
        let low = self.select(is_up, zero, Operand::i64(-1));
        let high = self.select(is_up, n, last);
        let (first, end) = (self.select(is_up, zero, last), self.select(is_up, n, Operand::i64(-1)));
        let start = self.clipped(lower, first, n, [low, high]);
        let stop = self.clipped(upper, end, n, [low, high]);
        let count = self.count_by(start, stop, step);
        (start, step, count.extent())
    }

    /// The bound of a slice of `n` elements, between these two; without a bound the default.
    fn clipped(&mut self, bound: &Option<Number>, default: Operand, n: Operand, [low, high]: [Operand; 2]) -> Operand {
        let Some(bound) = bound else { return default };
        let at = self.counted_from_end(bound.x, n);
        let at = self.arithmetic(BinOp::MAX, at, low);
        self.arithmetic(BinOp::MIN, at, high)
    }

    /// True if an integer that is known at run time is another plus 1.
    fn is_next(&self, x: Operand, next: Operand) -> bool {
        let (Operand::Value(x), Operand::Value(next)) = (x, next) else { return false };
        let [(base, less), (other, more)] = [x, next].map(|value| self.sums.get(&value).copied().unwrap_or((value, 0)));
        base == other && less.checked_add(1) == Some(more)
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
        let axes = match lenses.pop_if(|last| matches!(last, Lens::Permute(_))) {
            Some(Lens::Permute(first)) => axes.iter().map(|&axis| first[axis]).collect(),
            _ => axes,
        };
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

/// True if a subscript is made of integers and slices.
fn is_of_slices(index: &Item) -> bool {
    let items: &[Item] = if let Item::Tuple(items) = index { items } else { std::slice::from_ref(index) };
    items.iter().all(|item| matches!(item, Item::Slice(_) | Item::Number(_) | Item::None | Item::Ellipsis))
}
