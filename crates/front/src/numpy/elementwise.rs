//! Operations element by element: broadcasting, and conversion to a type and shape.

use super::error::{NumpyError, Result};
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::Array;
use super::selection::Selection;
use super::types;
use frit_ir::array::{Extent, Op, Operand, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// An operand of an operation element by element, as it was before the operation.
#[derive(Clone, Debug)]
pub(super) enum Element {
    /// The same for all elements.
    Scalar(Operand),
    /// An array, and its extents.
    Array(Value, Vec<Extent>),
}

impl Lowering<'_> {
    /// A tuple of numbers, nested or not, as an array; other items as they are.
    pub(super) fn array_like(&mut self, item: &Item, span: Span) -> Result<Item> {
        match item {
            Item::Named(..) if item.grown().is_some() => Ok(item.grown().expect("it was just looked at").clone()),
            Item::Tuple(items) | Item::Named(_, items) => {
                let items: Vec<Item> = items.iter().map(|item| self.array_like(item, span)).collect::<Result<_>>()?;
                if !items.iter().any(|item| matches!(item, Item::Complex(_))) {
                    return self.stacked(&items, span).map(Item::Array);
                }
                let mut parts = [Vec::new(), Vec::new()];
                for item in &items {
                    let [re, im] = self.complex_parts(item, span)?;
                    parts[0].push(re);
                    parts[1].push(im);
                }
                let (re, im) = (self.stacked(&parts[0], span)?, self.stacked(&parts[1], span)?);
                Ok(Item::complex(Item::Array(re), Item::Array(im)))
            }
            Item::Number(_) | Item::Array(_) | Item::Complex(_) => Ok(item.clone()),
            Item::Range { start, step, .. } => {
                let count = self.count_of(item, span)?;
                let (start, step) = (*start, *step);
                let made = self.generate(vec![count.extent()], Scalar::I64, |l, at| {
                    let offset = l.mul(at[0].into(), step);
                    Ok(l.add(start, offset))
                });
                made.map(|value: Value| Item::Array(self.fresh(value)))
            }
            other => Err(self.wrong_type(span, format!("a number or an array is needed here, not {}", other.name()))),
        }
    }

    /// The items, which have one shape, along a new first axis.
    pub(super) fn stacked(&mut self, items: &[Item], span: Span) -> Result<Array> {
        let elem = types::common(&items.iter().map(operand_type).collect::<Vec<_>>()).elem;
        let shapes: Vec<Vec<Extent>> = items.iter().map(|item| shape_of(item).to_vec()).collect();
        let Some(first) = shapes.first().cloned() else {
            let empty =
                self.generate(vec![Extent::Const(0)], Scalar::F64, |_, _| Ok(Operand::Const(Scalar::F64.zero())));
            return empty.map(|value: Value| self.fresh(value));
        };
        let mut elems = Vec::new();
        for (item, shape) in items.iter().zip(&shapes) {
            if shape.len() != first.len() {
                return Err(self.wrong_type(span, "the parts of an array have different numbers of axes"));
            }
            for (&x, &y) in first.iter().zip(shape) {
                self.same_size(x, y);
            }
            elems.push(self.converted(item, &first, elem, span)?);
        }
        let count = Extent::Const(elems.len() as i64);
        let ty = frit_ir::array::Type::array(elem, [vec![count], first].concat());
        let value = self.b.emit_one(frit_ir::array::Op::ArrayLit { elems }, ty, Vec::new());
        Ok(self.fresh(value))
    }

    /// The shape of the result of an operation on such arrays, and the certificates that they fit.
    pub(super) fn broadcast(&mut self, shapes: &[&[Extent]], span: Span) -> Result<(Vec<Extent>, Vec<Value>)> {
        let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
        let mut result = vec![Extent::Const(1); rank];
        let mut certs = Vec::new();
        for shape in shapes {
            for (at, &extent) in shape.iter().enumerate() {
                let place = &mut result[rank - shape.len() + at];
                match (*place, extent) {
                    (known, other) if self.is_same_extent(known, other) => {}
                    (Extent::Const(1), other) => *place = other,
                    (_, Extent::Const(1)) => {}
                    (Extent::Const(_), Extent::Const(_)) => {
                        let [one, other] = [shapes[0], shape].map(|shape| self.shape_text(shape));
                        return Err(Box::new(NumpyError::ShapesDiffer { span, one, other }));
                    }
                    (known, other) => {
                        let (x, y): (Operand, Operand) = (known.into(), other.into());
                        let cond = self.b.binary(BinOp::EQ, x, y);
                        certs.push(self.b.assert(cond, FailureKind::BroadcastMismatch, vec![x, y]));
                        let shapes = shapes.iter().map(|shape| shape.to_vec()).collect();
                        self.broadcasts.push((self.b.span(), shapes));
                        // Loops over one space can be merged, so the size of a loop that is there already stands for both.
                        let is_better = |size: &Extent| matches!(size, Extent::Const(_)) || self.spaces.contains(size);
                        let (kept, gone) =
                            if is_better(&other) && !is_better(&known) { (other, known) } else { (known, other) };
                        self.equate(gone, kept);
                    }
                }
            }
        }
        for extent in &mut result {
            *extent = self.representative(*extent);
        }
        if shapes.len() > 1 {
            self.spaces.extend(&result);
        }
        Ok((result, certs))
    }

    fn shape_text(&self, shape: &[Extent]) -> String {
        let extent = |extent: &Extent| match extent {
            Extent::Const(n) => n.to_string(),
            Extent::Value(value) => {
                self.b.func.values[*value].name.as_ref().map_or_else(|| "n".to_string(), |name| name.to_string())
            }
        };
        shape.iter().map(extent).collect::<Vec<_>>().join(", ")
    }

    /// An operand as it is now.
    pub(super) fn element(&mut self, item: &Item, span: Span) -> Result<Element> {
        match self.array_like(item, span)? {
            Item::Number(number) => Ok(Element::Scalar(number.x)),
            Item::Array(array) => Ok(Element::Array(self.read(&array), array.shape)),
            _ => Err(self.not_compiled(span, "this operation on complex numbers", "apply it to `.real` and `.imag`")),
        }
    }

    /// The element of an operand at an index of a result of this shape.
    pub(super) fn element_at(
        &mut self,
        element: &Element,
        shape: &[Extent],
        index: &[Value],
        certs: &[Value],
    ) -> Operand {
        let index: Vec<Operand> = index.iter().map(|&at| at.into()).collect();
        self.element_of(element, shape, &index, certs)
    }

    /// The same at an index of any integers.
    pub(super) fn element_of(
        &mut self,
        element: &Element,
        shape: &[Extent],
        index: &[Operand],
        certs: &[Value],
    ) -> Operand {
        match element {
            Element::Scalar(x) => *x,
            Element::Array(value, own) => {
                let from = shape.len() - own.len();
                let indices = own
                    .iter()
                    .enumerate()
                    .map(|(at, extent)| match extent {
                        Extent::Const(1) if shape[from + at] != Extent::Const(1) => Operand::i64(0),
                        _ => index[from + at],
                    })
                    .collect();
                self.b.index(*value, indices, certs.to_vec()).into()
            }
        }
    }

    /// An operation element by element: a number if all operands are numbers.
    pub(super) fn elementwise(
        &mut self,
        items: &[Item],
        elem: Scalar,
        span: Span,
        mut compute: impl FnMut(&mut Self, &[Operand]) -> Operand,
    ) -> Result<Item> {
        let elements: Vec<Element> = items.iter().map(|item| self.element(item, span)).collect::<Result<_>>()?;
        if elements.iter().all(|element| matches!(element, Element::Scalar(_))) {
            let operands: Vec<Operand> =
                elements.iter().map(|element| self.element_at(element, &[], &[], &[])).collect();
            let x = compute(self, &operands);
            return Ok(Item::Number(Number::strong(x, elem)));
        }
        let (shape, certs) = self.common_shape(&elements, span)?;
        let (value, is_total) = self.element_by_element(&elements, (&shape, &certs), elem, &mut compute)?;
        let is_ordered = |item: &Item| match item {
            Item::Array(array) => array.rank() < 2 || self.is_contiguous(array),
            _ => true,
        };
        let is_ordered = items.iter().all(is_ordered);
        // What may fail is computed only for what was selected.
        if is_total && let Some((wholes, mask)) = self.selected(&elements) {
            let (shape, certs) = self.common_shape(&wholes, span)?;
            let (whole, _) = self.element_by_element(&wholes, (&shape, &certs), elem, &mut compute)?;
            self.selections.insert(value, Selection { mask, whole });
        }
        let made = self.fresh(value);
        if !is_ordered {
            self.state.unordered.insert(made.buffer);
        }
        Ok(Item::Array(made))
    }

    /// The shape of the result of an operation on these operands, and the certificates that they fit.
    fn common_shape(&mut self, elements: &[Element], span: Span) -> Result<(Vec<Extent>, Vec<Value>)> {
        let shapes: Vec<&[Extent]> = elements
            .iter()
            .filter_map(|element| if let Element::Array(_, shape) = element { Some(&shape[..]) } else { None })
            .collect();
        self.broadcast(&shapes, span)
    }

    /// An array of this shape of what is computed from each element, and whether that cannot fail.
    fn element_by_element(
        &mut self,
        elements: &[Element],
        (shape, certs): (&[Extent], &[Value]),
        elem: Scalar,
        compute: &mut impl FnMut(&mut Self, &[Operand]) -> Operand,
    ) -> Result<(Value, bool)> {
        let mut is_total = true;
        let value = self.generate(shape.to_vec(), elem, |lowering, index| {
            let operands: Vec<Operand> =
                elements.iter().map(|element| lowering.element_at(element, shape, index, certs)).collect();
            let x = compute(lowering, &operands);
            is_total = !lowering.b.stmts().iter().any(|stmt| matches!(stmt.op, Op::Assert { .. }));
            Ok(x)
        })?;
        Ok((value, is_total))
    }

    /// An item as a value of this shape and type, as in an assignment: `same_kind` conversions are allowed, and a Python
    /// number must fit.
    pub(super) fn converted(&mut self, item: &Item, shape: &[Extent], elem: Scalar, span: Span) -> Result<Operand> {
        let item = self.array_like(item, span)?;
        let own = shape_of(&item).to_vec();
        if own.len() > shape.len() {
            let [one, other] = [&own[..], shape].map(|shape| self.shape_text(shape));
            return Err(Box::new(NumpyError::ShapesDiffer { span, one, other }));
        }
        let (both, certs) = self.broadcast(&[shape, &own], span)?;
        let grows = both.iter().zip(shape).any(|(both, own)| *own == Extent::Const(1) && *both != Extent::Const(1));
        if grows {
            let [one, other] = [&own[..], shape].map(|shape| self.shape_text(shape));
            return Err(Box::new(NumpyError::ShapesDiffer { span, one, other }));
        }
        let element = self.element(&item, span)?;
        if let Element::Scalar(x) = element {
            let x = self.convert(x, elem);
            if shape.is_empty() {
                return Ok(x);
            }
            let value = self.generate(shape.to_vec(), elem, |_, _| Ok(x));
            return value.map(|value: Value| value.into());
        }
        if let Element::Array(value, own) = &element
            && own == shape
            && self.b.func.ty(*value).elem == elem
        {
            return Ok((*value).into());
        }
        let value = self.generate(shape.to_vec(), elem, |lowering, index| {
            let x = lowering.element_at(&element, shape, index, &certs);
            Ok(lowering.convert(x, elem))
        });
        value.map(|value: Value| value.into())
    }

    /// A Python number in the type of an array, which it must fit.
    pub(super) fn fitting(&mut self, number: Number, elem: Scalar, span: Span) -> Result<Operand> {
        if let (true, Operand::Const(Const::Int(_, value))) = (number.weak, number.x)
            && !fits(value, elem)
        {
            let what = format!("the Python integer {value} is out of bounds for {}", types::name(elem));
            return Err(self.wrong_type(span, what));
        }
        Ok(self.convert(number.x, elem))
    }
}

/// True if a type has this integer.
pub(super) fn fits(value: i64, elem: Scalar) -> bool {
    match elem {
        elem if !elem.is_integer() => true,
        Scalar::U64 => value >= 0,
        elem => Const::int(elem, value) == Const::Int(elem, value),
    }
}

/// The type of an item as an operand.
pub(super) fn operand_type(item: &Item) -> types::Operand {
    match item {
        Item::Number(number) => (*number).into(),
        Item::Array(array) => types::Operand { elem: array.elem, is_complex: false, weak: false },
        Item::Complex(parts) => types::Operand { is_complex: true, ..operand_type(&parts[0]) },
        Item::Tuple(items) | Item::Named(_, items) => {
            types::common(&items.iter().map(operand_type).collect::<Vec<_>>())
        }
        _ => types::Operand { elem: Scalar::F64, is_complex: false, weak: true },
    }
}

/// The shape of an item.
pub(super) fn shape_of(item: &Item) -> &[Extent] {
    match item {
        Item::Array(array) => &array.shape,
        Item::Complex(parts) => shape_of(&parts[0]),
        _ => &[],
    }
}
