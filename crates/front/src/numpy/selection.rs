//! Elements selected by a mask: `a[mask]` as a value, and `a[mask] = x`.
//!
//! The elements where a mask holds are an array of unknown length, which loops over the mask cannot be fused with. So each such
//! array is known in a second form: an array of the mask's shape, of which only the elements where the mask holds matter.
//! `z[m] = z[m] ** 2 + c[m]` is then a choice element by element, and `x[x > 0].sum()` a sum with a condition. The form that nobody
//! needs is removed as dead code.

use super::elementwise::{Element, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::Item;
use super::memory::Array;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Generator, Op, Operand, Operator, OperatorData, Type, Value, WithLoopData};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_support::Span;

/// The second form of an array of selected elements, or of parts where the mask has fewer axes than the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// Where it holds are the elements.
    pub mask: Value,
    /// An array of the mask's shape, followed by that of a part.
    pub whole: Value,
}

impl Lowering<'_> {
    /// `a[mask]`: the elements, or parts, where a mask holds, in order.
    pub(super) fn filter(&mut self, array: &Array, mask: &Item, span: Span) -> Result<Item> {
        self.mask_fits(array, mask);
        let (whole, key) = (self.read(array), self.mask_value(mask));
        let kept = if shape_of(mask).len() == array.rank() {
            self.filter_elements(array, mask, span)?
        } else {
            let found = self.nonzero(mask, span)?;
            let places = self.parts(found, span)?;
            let places = self.places(array, places, span)?;
            self.gather(array, &places)?
        };
        if let (Some(mask), Item::Array(kept)) = (key, &kept) {
            let (value, count) = (self.read(kept), kept.shape[0]);
            self.selections.insert(value, Selection { mask, whole });
            let selected = self.selected_by(mask);
            self.equate(count, selected.extent());
        }
        Ok(kept)
    }

    fn filter_elements(&mut self, array: &Array, mask: &Item, span: Span) -> Result<Item> {
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

    /// Checks that a mask has the sizes of the axes that it is an index of.
    fn mask_fits(&mut self, array: &Array, mask: &Item) {
        for (&known, &other) in array.shape.iter().zip(shape_of(mask)) {
            if !self.is_same_extent(known, other) {
                let (x, y): (Operand, Operand) = (known.into(), other.into());
                let fits = self.arithmetic(BinOp::EQ, x, y);
                self.b.assert(fits, FailureKind::MaskMismatch, vec![x, y]);
                self.equate(known, other);
            }
        }
    }

    /// The value of a mask now: one for all masks that are computed alike.
    fn mask_value(&mut self, mask: &Item) -> Option<Value> {
        let Item::Array(mask) = mask else { return None };
        let value = self.read(mask);
        Some(self.state.counts.keys().copied().find(|&known| self.is_same_value(known, value)).unwrap_or(value))
    }

    /// For how many indices a mask holds.
    fn selected_by(&mut self, mask: Value) -> Operand {
        if let Some(&count) = self.state.counts.get(&mask) {
            return count.into();
        }
        let space = self.b.func.ty(mask).shape.clone();
        let cell = |l: &mut Self, index: &[Value]| {
            let holds = l.b.index(mask, index.iter().map(|&at| at.into()).collect(), Vec::new());
            vec![l.convert(holds.into(), Scalar::I64)]
        };
        let add = |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.b.binary(BinOp::ADD, x[0], y[0])];
        let count = self.fold(space, vec![Operand::i64(0)], true, &cell, &add)[0];
        if let Operand::Value(count) = count {
            self.least.insert(count, 0);
            self.state.counts.insert(mask, count);
        }
        count
    }

    /// The second form of an array, if a mask selected its elements.
    pub(super) fn selection(&self, value: Value) -> Option<Selection> {
        self.selections.get(&value).copied()
    }

    /// True if one mask selected the elements of two vectors.
    pub(super) fn is_selected_alike(&mut self, one: &Item, other: &Item) -> bool {
        let mask = |l: &mut Self, item: &Item| {
            let Item::Array(array) = item else { return None };
            let value = l.read(array);
            l.selection(value).filter(|_| array.rank() == 1).map(|selection| selection.mask)
        };
        let masks = [one, other].map(|item| mask(self, item));
        masks[0].is_some() && masks[0] == masks[1]
    }

    /// The operands of an operation in their second form, and the mask, if one mask selected the elements of all operands that
    /// have the first axis of the result.
    pub(super) fn selected(&self, elements: &[Element]) -> Option<(Vec<Element>, Value)> {
        let rank_of = |element: &Element| if let Element::Array(_, own) = element { own.len() } else { 0 };
        let rank = elements.iter().map(rank_of).max()?;
        let mut mask = None;
        let mut wholes = Vec::new();
        for element in elements {
            wholes.push(match element {
                Element::Array(value, own) if own.len() == rank => {
                    let selection = self.selection(*value)?;
                    if mask.is_some_and(|mask| mask != selection.mask) {
                        return None;
                    }
                    mask = Some(selection.mask);
                    Element::Array(selection.whole, self.b.func.ty(selection.whole).shape.clone())
                }
                other => other.clone(),
            });
        }
        mask.map(|mask| (wholes, mask))
    }

    /// `a[mask] = x`.
    pub(super) fn store_masked(&mut self, array: &Array, mask: &Item, item: &Item, span: Span) -> Result<()> {
        self.mask_fits(array, mask);
        if let Item::Array(selected) = item
            && let (value, key) = (self.read(selected), self.mask_value(mask))
            && let Some(selection) = self.selection(value).filter(|selection| Some(selection.mask) == key)
        {
            let whole = Item::Array(self.fresh(selection.whole));
            return self.store_chosen(array, mask, &whole, span);
        }
        let of_part = array.rank() - shape_of(mask).len();
        let is_one = |shape: &[Extent]| shape.len() == of_part + 1 && shape[0] == Extent::Const(1);
        if shape_of(item).len() <= of_part || is_one(shape_of(item)) {
            return self.store_chosen(array, mask, item, span);
        }
        let found = self.nonzero(mask, span)?;
        let places = self.parts(found, span)?;
        let places = self.places(array, places, span)?;
        self.scatter(array, &places, item, None, span)
    }

    /// Stores the elements of an item that fits the whole array where a mask holds.
    fn store_chosen(&mut self, array: &Array, mask: &Item, item: &Item, span: Span) -> Result<()> {
        let mask = match mask {
            Item::Array(mask) => self.mask_of_parts(mask, array.rank()),
            mask => mask.clone(),
        };
        let made = self.elementwise(&[mask, item.clone(), Item::Array(array.clone())], array.elem, span, |l, x| {
            let new = l.convert(x[1], array.elem);
            l.select(x[0], new, x[2])
        })?;
        let new = self.converted(&made, &array.shape, array.elem, span)?;
        self.write(array, new);
        Ok(())
    }

    /// A mask for the first axes of an array of this rank, as it is broadcast over the others.
    pub(super) fn mask_of_parts(&mut self, mask: &Array, rank: usize) -> Item {
        if mask.rank() == rank {
            return Item::Array(mask.clone());
        }
        let ones = vec![Extent::Const(1); rank - mask.rank()];
        Item::Array(self.reshaped(mask, [mask.shape.clone(), ones].concat(), Vec::new()))
    }
}
