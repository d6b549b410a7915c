//! The parameters of a function: arrays, and numbers. The [`Layout`] of an argument says how it is seen: the parameter has the elements
//! in the order of memory, and a lens gives the axes the order of the program.

use super::Signature;
use super::argument::{Along, Argument, Known, Layout, Passed};
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::{Array, Lens};
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand, Param, Type, Value};
use frit_support::Span;
use std::sync::Arc;

impl Lowering<'_> {
    /// The arguments of a call, which `name` gives names; and what each parameter of the function is given.
    pub(super) fn parameters(
        &mut self,
        signature: &Signature,
        name: impl Fn(usize) -> Option<Arc<str>>,
    ) -> (Vec<Item>, Vec<Passed>) {
        let mut passed = Vec::new();
        let mut wholes: Vec<Array> = Vec::new();
        for argument in signature {
            if let Layout::Part { whole, along, .. } = &argument.layout
                && *whole == wholes.len()
            {
                let shape: Vec<Extent> = along.iter().map(|_| self.size()).collect();
                let value = self.array(argument, shape, None);
                wholes.push(self.fresh(value));
                passed.push(Passed::Whole(*whole));
            }
        }
        let mut items: Vec<Item> = Vec::new();
        for (at, argument) in signature.iter().enumerate() {
            let item = match &argument.layout {
                Layout::Same(other) => items[*other].clone(),
                Layout::C => {
                    self.dense(argument, at, &(0..argument.is_one.len()).collect::<Vec<_>>(), name(at), &mut passed)
                }
                Layout::Ordered(order) => self.dense(argument, at, order, name(at), &mut passed),
                Layout::Part { whole, along, axes } => {
                    let array = self.argument_part(argument, at, (&wholes[*whole], along, axes), &mut passed);
                    self.argument_item(argument, array)
                }
            };
            items.push(match argument.object.as_deref() {
                None => item,
                Some("NoneType") => Item::None,
                Some(class) => Item::Object(format!("_argument{at}"), class.to_string()),
            });
        }
        (items, passed)
    }

    /// Where shapes are checked to fit, and they, as far as parameters give their extents.
    pub(super) fn checked_shapes(&mut self) -> Vec<(Span, Vec<Vec<Known>>)> {
        let func = &self.b.func;
        let known = |extent: &Extent| match *extent {
            Extent::Const(n) => Some(Known::Const(n)),
            Extent::Value(value) => func.params.iter().enumerate().find_map(|(at, param)| {
                let axis = func.ty(param.value).shape.iter().position(|other| other == extent);
                let is_number = param.value == value;
                axis.map(|axis| Known::Axis(at, axis)).or(is_number.then_some(Known::Number(at)))
            }),
        };
        let shapes = |shapes: &Vec<Vec<Extent>>| {
            shapes.iter().map(|shape| shape.iter().map(known).collect::<Option<_>>()).collect::<Option<_>>()
        };
        self.broadcasts.iter().filter_map(|(span, of)| Some((*span, shapes(of)?))).collect()
    }

    /// A size that the caller's arrays give.
    fn size(&mut self) -> Extent {
        let size = self.b.value(Type::scalar(Scalar::I64), None);
        self.b.func.sizes.push(size);
        self.least.insert(size, 0);
        Extent::Value(size)
    }

    /// A parameter of this shape. A complex one has an axis more: of its two parts.
    fn array(&mut self, argument: &Argument, mut shape: Vec<Extent>, name: Option<Arc<str>>) -> Value {
        shape.extend(argument.is_complex.then_some(Extent::Const(2)));
        let value = self.b.value(Type::array(argument.elem, shape), name);
        self.b.func.params.push(Param { value, consumed: false });
        value
    }

    /// An integer that is never negative.
    fn count(&mut self) -> Value {
        let value = self.b.value(Type::scalar(Scalar::I64), None);
        self.b.func.params.push(Param { value, consumed: false });
        self.least.insert(value, 0);
        value
    }

    /// An argument in memory of its own, with the axes in this order.
    fn dense(
        &mut self,
        argument: &Argument,
        at: usize,
        order: &[usize],
        name: Option<Arc<str>>,
        passed: &mut Vec<Passed>,
    ) -> Item {
        let one = |is_one: bool, lowering: &mut Self| if is_one { Extent::Const(1) } else { lowering.size() };
        let shape: Vec<Extent> = order.iter().map(|&axis| one(argument.is_one[axis], self)).collect();
        let value = self.array(argument, shape, name);
        passed.push(Passed::Argument(at));
        if self.b.func.ty(value).shape.is_empty() {
            return Item::Number(Number { x: value.into(), elem: argument.elem, weak: argument.is_python });
        }
        let array = self.fresh(value);
        let place = |axis: usize| order.iter().position(|&other| other == axis).expect("all axes have a place");
        let axes = (0..order.len()).map(place).chain(argument.is_complex.then_some(order.len())).collect();
        let array = self.transposed(&array, axes);
        self.argument_item(argument, array)
    }

    /// An argument that is a part of an array, without the split of complex numbers.
    fn argument_part(
        &mut self,
        argument: &Argument,
        at: usize,
        (whole, along, axes): (&Array, &[Along], &[Option<usize>]),
        passed: &mut Vec<Passed>,
    ) -> Array {
        let mut seen = Vec::new();
        for (axis, &of) in axes.iter().enumerate() {
            seen.push(match of {
                None => Extent::Const(1),
                Some(of) if along[of] == Along::All => whole.shape[of],
                Some(_) => {
                    passed.push(Passed::Extent(at, axis));
                    Extent::Value(self.count())
                }
            });
        }
        let (mut starts, mut steps, mut extents, mut kept) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (of, &along) in along.iter().enumerate() {
            let axis = axes.iter().position(|&axis| axis == Some(of));
            let (start, step) = match along {
                Along::All => (Operand::i64(0), 1),
                Along::Steps(step) => {
                    passed.push(Passed::Start(at, of));
                    (self.count().into(), step)
                }
            };
            starts.push(start);
            steps.push(step);
            extents.push(axis.map_or(Extent::Const(1), |axis| seen[axis]));
            kept.push(axis.is_some());
        }
        let two = argument.is_complex.then_some(Extent::Const(2));
        if two.is_some() {
            starts.push(Operand::i64(0));
            steps.push(1);
            extents.extend(two);
            kept.push(true);
        }
        let kept_of = |of: usize| kept[..of].iter().filter(|&&kept| kept).count();
        let order: Vec<usize> = axes.iter().flatten().map(|&of| kept_of(of)).collect();
        let order: Vec<usize> = order.iter().copied().chain(two.map(|_| order.len())).collect();
        let shape = (0..kept.len()).filter(|&of| kept[of]).map(|of| extents[of]).collect();
        let lens = Lens::Slice { starts, steps, extents, kept: kept.clone(), certs: Vec::new() };
        let array = Array { lenses: vec![lens], shape, ..whole.clone() };
        let array = self.transposed(&array, order);
        if axes.iter().all(Option::is_some) {
            return array;
        }
        self.reshaped(&array, seen.into_iter().chain(two).collect(), Vec::new())
    }

    /// An array as an item: of complex numbers the two parts, which are along its last axis.
    fn argument_item(&mut self, argument: &Argument, array: Array) -> Item {
        if argument.is_complex { self.complex_view(&array, argument.is_python) } else { Item::Array(array) }
    }

    /// An array with two parts along its last axis, as complex numbers.
    pub(super) fn complex_view(&mut self, array: &Array, is_python: bool) -> Item {
        let axes = array.shape.len() - 1;
        let seen = array.shape[..axes].to_vec();
        let [re, im] = [0, 1].map(|at| {
            let lens = Lens::Slice {
                starts: [vec![Operand::i64(0); axes], vec![Operand::i64(at)]].concat(),
                steps: vec![1; axes + 1],
                extents: [seen.clone(), vec![Extent::Const(1)]].concat(),
                kept: [vec![true; axes], vec![false]].concat(),
                certs: Vec::new(),
            };
            let lenses = self.lenses_with_slice(array, lens);
            let part = Array { lenses, shape: seen.clone(), ..array.clone() };
            match axes {
                0 => Item::Number(Number { x: self.read(&part).into(), elem: array.elem, weak: is_python }),
                _ => Item::Array(part),
            }
        });
        Item::complex(re, im)
    }
}
