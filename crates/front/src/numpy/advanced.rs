//! Subscripts with masks and arrays of indices, read and written.

use super::elementwise::{Element, operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::Item;
use super::memory::Array;
use super::ufuncs::Binary;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand, Value};
use frit_ir::scalar::BinOp;
use frit_support::Span;

/// What a subscript with arrays among its indices selects.
pub(super) enum Advanced {
    /// The elements, or parts, where a mask for the first axes holds.
    Mask(Item),
    /// The elements, or parts, at these indices.
    Gather(Places),
}

/// A subscript with arrays of indices.
pub(super) struct Places {
    /// What each axis of the array is indexed by.
    axes: Vec<Place>,
    /// The shape of the result.
    whole: Vec<Extent>,
    /// The first axis of the result that is one of the indices', and their shape.
    index_axis: usize,
    index_shape: Vec<Extent>,
    certs: Vec<Value>,
}

impl Places {
    /// The number of axes of the result.
    pub(super) fn rank(&self) -> usize {
        self.whole.len()
    }
}

/// What an axis of an array is indexed by.
pub(super) enum Place {
    /// A slice: its start, its step, and the axis of the result.
    Slice(Operand, Operand, usize),
    /// An array of indices, or an index.
    Index(Element),
}

impl Lowering<'_> {
    /// The arrays among the indices of a subscript, if there are any.
    pub(super) fn advanced(&mut self, array: &Array, index: &Item, span: Span) -> Result<Option<Advanced>> {
        let items: &[Item] = if let Item::Tuple(items) = index { items } else { std::slice::from_ref(index) };
        let is_bool =
            |item: &Item| operand_type(item).elem == Scalar::Bool && matches!(item, Item::Number(_) | Item::Array(_));
        if !items.iter().any(|item| {
            let is_stepped = matches!(item, Item::Slice([_, _, Some(step)]) if step.x.value().is_some());
            is_stepped
                || is_bool(item)
                || matches!(item, Item::Array(_) | Item::Tuple(_) | Item::Named(..) | Item::Range { .. })
        }) {
            return Ok(None);
        }
        let mut made = Vec::new();
        for item in items {
            made.push(if let Item::Tuple(_) | Item::Named(..) | Item::Range { .. } = item {
                self.array_like(item, span)?
            } else {
                item.clone()
            });
        }
        if let [mask] = &made[..]
            && is_bool(mask)
            && (1..=array.rank()).contains(&shape_of(mask).len())
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
    pub(super) fn places(&mut self, array: &Array, items: Vec<Item>, span: Span) -> Result<Places> {
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
        let first = if is_run { places_of.first().copied().unwrap_or(0) } else { 0 };
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
                    let (start, step, extent) = match bounds {
                        [lower, upper, Some(step)] if step.x.value().is_some() => {
                            self.stepped(lower, upper, step.x, array.shape[axes.len()])
                        }
                        bounds => {
                            let (start, step, extent) = self.slice(bounds, array.shape[axes.len()], span)?;
                            (start, Operand::i64(step), extent)
                        }
                    };
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
    pub(super) fn place_of(&mut self, array: &Array, places: &Places, at: &[Operand]) -> (Vec<Operand>, Vec<Value>) {
        let (mut found, mut certs) = (Vec::new(), places.certs.clone());
        let index = &at[places.index_axis..places.index_axis + places.index_shape.len()];
        for (axis, place) in places.axes.iter().enumerate() {
            found.push(match place {
                Place::Slice(start, step, axis) => {
                    let way = self.mul(at[*axis], *step);
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
    pub(super) fn index_elements(
        &mut self,
        indices: &[Item],
        span: Span,
    ) -> Result<(Vec<Element>, Vec<Extent>, Vec<Value>)> {
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
    pub(super) fn gather(&mut self, array: &Array, places: &Places) -> Result<Item> {
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
    pub(super) fn scatter(
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
            let grows = both.iter().zip(&places.whole).any(|(both, n)| *n == Extent::Const(1) && both != n);
            if both.len() > places.whole.len() || grows {
                return Err(
                    self.wrong_type(span, "what is assigned has more axes or elements than there are at these indices")
                );
            }
        }
        // One loop over all axes of the indices, where scattered updates are looked for, and one for each slice.
        let of_indices = places.index_axis..places.index_axis + places.index_shape.len();
        let mut count = Operand::i64(1);
        for &extent in &places.index_shape {
            count = self.mul(count, extent.into());
        }
        let mut space: Vec<Operand> = places.whole.iter().map(|&extent| extent.into()).collect();
        space.splice(of_indices.clone(), [count]);
        let old = self.read(array);
        let made = self.tabulated(old, &space, &mut |l, table, index| {
            let mut at: Vec<Operand> = index.iter().map(|&at| at.into()).collect();
            let mut rest = at[of_indices.start];
            let mut own = vec![rest; of_indices.len()];
            for (place, axis) in own.iter_mut().zip(of_indices.clone()).skip(1).rev() {
                let n: Operand = places.whole[axis].into();
                *place = l.arithmetic(BinOp::REM, rest, n);
                rest = l.arithmetic(BinOp::DIV, rest, n);
            }
            if let Some(first) = own.first_mut() {
                *first = rest;
            }
            at.splice(of_indices.start..=of_indices.start, own);
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
}
