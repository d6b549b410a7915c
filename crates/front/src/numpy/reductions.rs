//! Reductions, partial sums and products of matrices.

use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::selection::Selection;
use super::types;
use super::ufuncs::Binary;
use frit_ir::array::{Extent, Lambda, Operand, Operator, OperatorData, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// What a reduction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // NumPy's names
pub(super) enum Reduction {
    Sum,
    Prod,
    Min,
    Max,
    Any,
    All,
    ArgMin,
    ArgMax,
    Mean,
    Var,
    Std,
}

impl Reduction {
    /// The reduction with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "sum" => Self::Sum,
            "prod" => Self::Prod,
            "min" | "amin" => Self::Min,
            "max" | "amax" => Self::Max,
            "any" => Self::Any,
            "all" => Self::All,
            "argmin" => Self::ArgMin,
            "argmax" => Self::ArgMax,
            "mean" => Self::Mean,
            "var" => Self::Var,
            "std" => Self::Std,
            _ => return None,
        })
    }
}

/// Over what, and into what.
#[derive(Clone, Debug, Default)]
pub(super) struct Along {
    /// The axes that are reduced, in order; all if `None`.
    pub axes: Option<Vec<usize>>,
    /// They stay as axes of extent 1.
    pub keepdims: bool,
    /// The type of the result, if it is given.
    pub dtype: Option<Scalar>,
    /// What is taken from the number of elements in a variance.
    pub ddof: i64,
    /// There may be no elements: the result of none is the neutral element.
    pub has_initial: bool,
}

impl Lowering<'_> {
    /// A call of a reduction.
    pub(super) fn reduction(&mut self, what: Reduction, mut arguments: Arguments) -> Result<Item> {
        let span = arguments.span;
        let item = arguments.need(0, "a")?;
        let item = self.array_like(&item, span)?;
        if let (Item::Complex(_), Reduction::Prod | Reduction::Var | Reduction::Std) = (&item, what) {
            let name = match what {
                Reduction::Prod => "numpy.complex_prod",
                Reduction::Var => "numpy.complex_var",
                _ => "numpy.complex_std",
            };
            arguments.at[0] = item;
            return self.library(name, arguments);
        }
        let item = match what {
            Reduction::Any | Reduction::All => self.as_type(&item, Scalar::Bool.into(), span)?,
            _ => item,
        };
        let axis = arguments.take(1, "axis").unwrap_or(Item::None);
        let axes = match &axis {
            Item::None => None,
            axis => {
                let mut axes = self.axes(axis, shape_of(&item).len(), span)?;
                axes.sort_unstable();
                Some(axes)
            }
        };
        let keepdims = arguments.flag(4, "keepdims", false);
        let ddof = arguments.take(5, "ddof").map_or(Ok(0), |ddof| self.constant_integer(&ddof, span))?;
        let has_dtype = !matches!(what, Reduction::Min | Reduction::Max | Reduction::Any | Reduction::All);
        let dtype = if has_dtype { self.dtype_argument(&mut arguments, 2)? } else { None };
        let out = arguments.take(if has_dtype { 3 } else { 2 }, "out");
        let mask = arguments.take(usize::MAX, "where");
        let initial = arguments.take(usize::MAX, "initial");
        arguments.finish(4)?;
        let along = Along { axes, keepdims, dtype, ddof, has_initial: initial.is_some() };
        let mask = mask.filter(|mask| *mask != Item::Number(Number::truth(true)));
        let made = match &mask {
            Some(mask) => self.reduce_where(what, &item, mask, &along, span)?,
            None => self.reduce(what, &item, &along, span)?,
        };
        let made = match (initial, what) {
            (None | Some(Item::None), _) => made,
            (Some(initial), Reduction::Sum) => self.binary_ufunc(Binary::Add, &made, &initial, span)?,
            (Some(initial), Reduction::Prod) => self.binary_ufunc(Binary::Multiply, &made, &initial, span)?,
            (Some(initial), Reduction::Max) => self.binary_ufunc(Binary::Maximum, &made, &initial, span)?,
            (Some(initial), Reduction::Min) => self.binary_ufunc(Binary::Minimum, &made, &initial, span)?,
            _ => return Err(self.wrong_type(span, "this reduction takes no argument `initial`")),
        };
        self.put_out(out, made, span)
    }

    /// A reduction of the elements where a mask holds: the others are neutral.
    fn reduce_where(&mut self, what: Reduction, item: &Item, mask: &Item, along: &Along, span: Span) -> Result<Item> {
        let elem = operand_type(item).elem;
        let Some(neutral) = neutral_of(what, elem) else {
            return Err(self.not_compiled(span, "this reduction with `where`", "compute it from `np.sum`"));
        };
        let neutral = Item::Number(Number::strong(neutral, elem));
        let known = self.chosen(mask, item, &neutral, span)?;
        if what != Reduction::Mean {
            return self.reduce(what, &known, along, span);
        }
        let of = along.dtype.unwrap_or(if elem.is_float() { elem } else { Scalar::F64 });
        let along = Along { dtype: Some(of), ..along.clone() };
        let sum = self.reduce(Reduction::Sum, &known, &along, span)?;
        // The mask may have fewer axes than the array.
        let shape = shape_of(item).to_vec();
        let mask = self.converted(mask, &shape, Scalar::Bool, span)?.value().expect("it has axes");
        let mask = Item::Array(self.fresh(mask));
        let count = self.reduce(Reduction::Sum, &mask, &along, span)?;
        self.binary_ufunc(Binary::Divide, &sum, &count, span)
    }

    /// Axes, which may count from the end.
    pub(super) fn axes(&mut self, item: &Item, rank: usize, span: Span) -> Result<Vec<usize>> {
        let items: &[Item] = if let Item::Tuple(items) = item { items } else { std::slice::from_ref(item) };
        items
            .iter()
            .map(|item| {
                let axis = self.constant_integer(item, span)?;
                self.axis(axis, rank, span)
            })
            .collect()
    }

    /// A reduction of an array.
    pub(super) fn reduce(&mut self, what: Reduction, item: &Item, along: &Along, span: Span) -> Result<Item> {
        let array = match self.array_like(item, span)? {
            Item::Array(array) => array,
            number => {
                let one = self.stacked(&[number], span)?;
                return self.reduce(
                    what,
                    &Item::Array(one),
                    &Along { axes: None, keepdims: false, ..along.clone() },
                    span,
                );
            }
        };
        let elem = array.elem;
        let shape = self.known_shape(&Item::Array(array.clone()));
        match what {
            Reduction::Mean => {
                let of = along.dtype.unwrap_or(if elem.is_float() { elem } else { Scalar::F64 });
                let sum = self.reduce(Reduction::Sum, item, &Along { dtype: Some(of), ..along.clone() }, span)?;
                let count = self.count_along(&shape, along, of);
                return self.binary_ufunc(Binary::Divide, &sum, &count, span);
            }
            Reduction::Var | Reduction::Std => {
                let of = along.dtype.unwrap_or(if elem.is_float() { elem } else { Scalar::F64 });
                let kept = Along { keepdims: true, dtype: Some(of), ..along.clone() };
                let mean = self.reduce(Reduction::Mean, item, &kept, span)?;
                let mean = if along.axes.is_none() { self.first_element(&mean, span)? } else { mean };
                let off = self.binary_ufunc(Binary::Subtract, &Item::Array(array.clone()), &mean, span)?;
                let squares = self.binary_ufunc(Binary::Multiply, &off, &off, span)?;
                let sum = self.reduce(Reduction::Sum, &squares, &Along { dtype: Some(of), ..along.clone() }, span)?;
                let count = self.count_along(&shape, along, of);
                let count = if along.ddof == 0 {
                    count
                } else {
                    let less = Item::Number(Number::int(Operand::i64(along.ddof)));
                    self.binary_ufunc(Binary::Subtract, &count, &less, span)?
                };
                let var = self.binary_ufunc(Binary::Divide, &sum, &count, span)?;
                return if what == Reduction::Std { self.unary_ufunc("sqrt", &var, span) } else { Ok(var) };
            }
            _ => {}
        }
        let axes: Vec<usize> = along.axes.clone().unwrap_or_else(|| (0..array.rank()).collect());
        let is_arg = matches!(what, Reduction::ArgMin | Reduction::ArgMax);
        if is_arg && along.axes.is_none() && array.rank() > 1 {
            let flat = self.flattened(item, span)?;
            return self.reduce(what, &Item::Array(flat), along, span);
        }
        let needs_elements = is_arg || matches!(what, Reduction::Min | Reduction::Max) && !along.has_initial;
        if needs_elements {
            for &axis in &axes {
                let extent: Operand = shape[axis].into();
                let is_some = self.arithmetic(BinOp::LT, Operand::i64(0), extent);
                if is_some != Operand::Const(Const::Bool(true)) {
                    self.b.assert(is_some, FailureKind::EmptyReduction, Vec::new());
                }
            }
        }
        let of = match what {
            Reduction::Sum | Reduction::Prod => along.dtype.unwrap_or(types::of_sum(elem)),
            Reduction::Any | Reduction::All => Scalar::Bool,
            Reduction::ArgMin | Reduction::ArgMax => Scalar::I64,
            _ => elem,
        };
        let source = self.read(&array);
        let made = match (self.selection(source).filter(|_| axes.contains(&0)), neutral_of(what, elem)) {
            (Some(selection), Some(neutral)) => self.reduce_selected(what, (selection, neutral), &axes, along, span)?,
            _ => {
                let outer: Vec<usize> = (0..array.rank()).filter(|axis| !axes.contains(axis)).collect();
                let shape: Vec<Extent> = outer.iter().map(|&axis| array.shape[axis]).collect();
                let space: Vec<Extent> = axes.iter().map(|&axis| array.shape[axis]).collect();
                let cell = |lowering: &mut Self, at: &[Value]| -> Operand {
                    let read = |lowering: &mut Self, index: &[Value]| -> Operand {
                        let mut places = vec![Operand::i64(0); array.rank()];
                        outer.iter().zip(at).for_each(|(&axis, &at)| places[axis] = at.into());
                        axes.iter().zip(index).for_each(|(&axis, &at)| places[axis] = at.into());
                        lowering.b.index(source, places, Vec::new()).into()
                    };
                    lowering.fold_scalars(what, elem, of, space.clone(), &read)
                };
                if shape.is_empty() {
                    Item::Number(Number::strong(cell(self, &[]), of))
                } else {
                    let value: Value = self.generate(shape, of, |lowering, at| Ok(cell(lowering, at)))?;
                    Item::Array(self.fresh(value))
                }
            }
        };
        if !along.keepdims {
            return Ok(made);
        }
        let extent = |(at, &extent): (usize, &Extent)| if axes.contains(&at) { Extent::Const(1) } else { extent };
        let kept: Vec<Extent> = array.shape.iter().enumerate().map(extent).collect();
        match made {
            Item::Array(made) => Ok(Item::Array(self.reshaped(&made, kept, Vec::new()))),
            made => {
                let x = self.converted(&made, &kept, of, span)?;
                Ok(Item::Array(self.fresh(x.value().expect("it has axes"))))
            }
        }
    }

    /// A reduction of what a mask selected where it is: the first axis stands for those of the mask, and other elements are neutral.
    fn reduce_selected(
        &mut self,
        what: Reduction,
        (selection, neutral): (Selection, Operand),
        axes: &[usize],
        along: &Along,
        span: Span,
    ) -> Result<Item> {
        let [mask, whole] = [selection.mask, selection.whole].map(|value| self.fresh(value));
        let rank = mask.rank();
        let mask = self.mask_of_parts(&mask, whole.rank());
        let neutral = Item::Number(Number::strong(neutral, whole.elem));
        let known = self.chosen(&mask, &Item::Array(whole), &neutral, span)?;
        let others = axes.iter().filter(|&&axis| axis > 0).map(|axis| axis + rank - 1);
        let axes = Some((0..rank).chain(others).collect());
        self.reduce(what, &known, &Along { axes, keepdims: false, has_initial: true, ..along.clone() }, span)
    }

    fn first_element(&mut self, item: &Item, span: Span) -> Result<Item> {
        let Item::Array(array) = item else { return Ok(item.clone()) };
        let zeros = vec![Item::Number(Number::int(Operand::i64(0))); array.rank()];
        self.subscript(item, &Item::Tuple(zeros), span)
    }

    /// The number of elements that each result is made of.
    fn count_along(&mut self, shape: &[Extent], along: &Along, elem: Scalar) -> Item {
        let mut count = Operand::i64(1);
        for (axis, &extent) in shape.iter().enumerate() {
            if along.axes.as_ref().is_none_or(|axes| axes.contains(&axis)) {
                count = self.mul(count, extent.into());
            }
        }
        Item::Number(Number::strong(self.convert(count, elem), elem))
    }

    /// A fold of scalars over a space.
    fn fold_scalars(
        &mut self,
        what: Reduction,
        elem: Scalar,
        of: Scalar,
        space: Vec<Extent>,
        read: &dyn Fn(&mut Self, &[Value]) -> Operand,
    ) -> Operand {
        let constant = |value: f64| Operand::Const(UnOp::Convert(of).eval(Const::f64(value)));
        let apply = |op: BinOp| move |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.b.binary(op, x[0], y[0])];
        let is_float = of.is_float();
        let is_bool = of == Scalar::Bool;
        match what {
            Reduction::Sum | Reduction::Prod => {
                let (op, neutral) = if what == Reduction::Sum { (BinOp::ADD, 0.0) } else { (BinOp::MUL, 1.0) };
                let cell = |l: &mut Self, index: &[Value]| {
                    let x = read(l, index);
                    vec![l.convert(x, of)]
                };
                self.fold(space, vec![constant(neutral)], true, &cell, &apply(op))[0]
            }
            Reduction::Any | Reduction::All => {
                let is_any = what == Reduction::Any;
                let cell = |l: &mut Self, index: &[Value]| {
                    let x = read(l, index);
                    vec![l.convert(x, Scalar::Bool)]
                };
                let op = if is_any { BinOp::OR } else { BinOp::AND };
                self.fold(space, vec![Operand::Const(Const::Bool(!is_any))], true, &cell, &apply(op))[0]
            }
            Reduction::Min | Reduction::Max => {
                let is_max = what == Reduction::Max;
                let neutral = match of {
                    _ if is_float => constant(if is_max { f64::NEG_INFINITY } else { f64::INFINITY }),
                    Scalar::Bool => Operand::Const(Const::Bool(!is_max)),
                    of => Operand::Const(least_or_greatest(of, is_max)),
                };
                let op = match is_max {
                    true if is_bool => BinOp::OR,
                    true => BinOp::MAX,
                    false if is_bool => BinOp::AND,
                    false => BinOp::MIN,
                };
                if !is_float {
                    let cell = |l: &mut Self, index: &[Value]| vec![read(l, index)];
                    return self.fold(space, vec![neutral], true, &cell, &apply(op))[0];
                }
                // Two folds that vectors can run: whether something is no number, which is handed on, and the extremum if not.
                let cell = |l: &mut Self, index: &[Value]| {
                    let x = read(l, index);
                    vec![x, l.b.binary(BinOp::NE, x, x)]
                };
                let combine = |l: &mut Self, x: &[Operand], y: &[Operand]| {
                    vec![l.b.binary(op, x[0], y[0]), l.b.binary(BinOp::OR, x[1], y[1])]
                };
                let found = self.fold(space, vec![neutral, Operand::Const(Const::Bool(false))], true, &cell, &combine);
                self.b.select(found[1], constant(f64::NAN), found[0])
            }
            Reduction::ArgMin | Reduction::ArgMax => {
                let is_max = what == Reduction::ArgMax;
                let cell = |l: &mut Self, index: &[Value]| vec![read(l, index), index[0].into()];
                // The first of several; the first that is no number goes before all.
                let combine = |l: &mut Self, x: &[Operand], y: &[Operand]| {
                    let is_none = l.b.binary(BinOp::LT, x[1], Operand::i64(0));
                    let (small, large) = if is_max { (x[0], y[0]) } else { (y[0], x[0]) };
                    let (small, large) = (l.convert_bool(small), l.convert_bool(large));
                    let mut is_better = l.b.binary(BinOp::LT, small, large);
                    if elem.is_float() {
                        let is_nan = l.b.binary(BinOp::NE, y[0], y[0]);
                        let was_nan = l.b.binary(BinOp::NE, x[0], x[0]);
                        is_better = l.b.binary(BinOp::OR, is_better, is_nan);
                        let was_number = l.not(was_nan);
                        is_better = l.b.binary(BinOp::AND, is_better, was_number);
                    }
                    let is_some = l.b.binary(BinOp::LE, Operand::i64(0), y[1]);
                    let takes = l.b.binary(BinOp::OR, is_none, is_better);
                    let takes = l.b.binary(BinOp::AND, takes, is_some);
                    vec![l.b.select(takes, y[0], x[0]), l.b.select(takes, y[1], x[1])]
                };
                self.fold(space, vec![Operand::Const(elem.zero()), Operand::i64(-1)], false, &cell, &combine)[1]
            }
            Reduction::Mean | Reduction::Var | Reduction::Std => unreachable!("they are made of sums"),
        }
    }

    /// A truth value as an integer, which has an order.
    fn convert_bool(&mut self, x: Operand) -> Operand {
        if self.b.func.operand_type(x).elem == Scalar::Bool { self.convert(x, Scalar::I64) } else { x }
    }

    /// A fold over a space: `cell` computes what `combine` joins to the accumulators.
    #[allow(clippy::type_complexity, reason = "the parts of a with-loop")]
    pub(super) fn fold(
        &mut self,
        space: Vec<Extent>,
        neutral: Vec<Operand>,
        commutative: bool,
        cell: &dyn Fn(&mut Self, &[Value]) -> Vec<Operand>,
        combine: &dyn Fn(&mut Self, &[Operand], &[Operand]) -> Vec<Operand>,
    ) -> Vec<Operand> {
        let (indices, body, combine, types) = self.folded(&space, &neutral, cell, combine);
        let op = Operator::Fold { combine, neutral, commutative };
        let made = self.b.with_loop(space, indices, body, vec![OperatorData::new(op)], types, Vec::new());
        made.into_iter().map(Operand::from).collect()
    }

    #[allow(clippy::type_complexity, reason = "the parts of a with-loop")]
    fn folded(
        &mut self,
        space: &[Extent],
        neutral: &[Operand],
        cell: &dyn Fn(&mut Self, &[Value]) -> Vec<Operand>,
        combine: &dyn Fn(&mut Self, &[Operand], &[Operand]) -> Vec<Operand>,
    ) -> (Vec<Value>, frit_ir::array::Block, Lambda, Vec<Type>) {
        let indices: Vec<Value> = space.iter().map(|_| self.index_value()).collect();
        indices.iter().for_each(|&index| _ = self.least.insert(index, 0));
        self.b.open_block();
        let cells = cell(self, &indices);
        let body = self.b.close_block(cells);
        let types: Vec<Type> = neutral.iter().map(|&operand| self.b.func.operand_type(operand)).collect();
        let params: Vec<Value> = types.iter().chain(&types).map(|ty| self.b.value(ty.clone(), None)).collect();
        let operands: Vec<Operand> = params.iter().map(|&param| param.into()).collect();
        self.b.open_block();
        let (accumulators, cells) = operands.split_at(types.len());
        let results = combine(self, accumulators, cells);
        let block = self.b.close_block(results);
        (indices, body, Lambda { params, body: block }, types)
    }

    /// Partial results along an axis; of all elements in row-major order without one.
    pub(super) fn accumulate(
        &mut self,
        ufunc: Binary,
        item: &Item,
        axis: Option<i64>,
        dtype: Option<Scalar>,
        span: Span,
    ) -> Result<Item> {
        let array = match (axis, self.array_like(item, span)?) {
            (Some(_), Item::Array(array)) => array,
            (_, item) => self.flattened(&item, span)?,
        };
        let axis = self.axis(axis.unwrap_or(0), array.rank(), span)?;
        let of = dtype.unwrap_or(match ufunc {
            Binary::Add | Binary::Multiply => types::of_sum(array.elem),
            _ => array.elem,
        });
        let source = self.read(&array);
        let Some(neutral) = neutral(ufunc, of) else {
            return Err(self.not_compiled(span, "`accumulate` of this function", "write a loop"));
        };
        let outer: Vec<usize> = (0..array.rank()).filter(|&at| at != axis).collect();
        let scan = |lowering: &mut Self, at: &[Value]| -> Value {
            let cell = |l: &mut Self, index: &[Value]| {
                let mut places = vec![Operand::i64(0); array.rank()];
                outer.iter().zip(at).for_each(|(&axis, &at)| places[axis] = at.into());
                places[axis] = index[0].into();
                let x = l.b.index(source, places, Vec::new()).into();
                vec![l.convert(x, of)]
            };
            let combine = |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.apply(ufunc, of, x[0], y[0], false)];
            let space = vec![array.shape[axis]];
            let (indices, body, combine, _) = lowering.folded(&space, &[neutral], &cell, &combine);
            let op = Operator::Scan { combine, neutral: vec![neutral] };
            let ty = Type::array(of, space.clone());
            lowering.b.with_loop(space, indices, body, vec![OperatorData::new(op)], vec![ty], Vec::new())[0]
        };
        if outer.is_empty() {
            let value = scan(self, &[]);
            return Ok(Item::Array(self.fresh(value)));
        }
        // Rows of partial results, then the axis back in its place.
        let shape: Vec<Extent> = outer.iter().map(|&at| array.shape[at]).collect();
        let indices: Vec<Value> = shape.iter().map(|_| self.index_value()).collect();
        self.b.open_block();
        let row = scan(self, &indices);
        let body = self.b.close_block(vec![row.into()]);
        let ty = Type::array(of, [shape.clone(), vec![array.shape[axis]]].concat());
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let value = self.b.with_loop(shape, indices, body, operators, vec![ty], Vec::new())[0];
        let made = self.fresh(value);
        let mut axes: Vec<usize> = (0..outer.len()).collect();
        axes.insert(axis, outer.len());
        Ok(Item::Array(self.transposed(&made, axes)))
    }

    /// An axis that may count from the end.
    pub(super) fn axis(&self, axis: i64, rank: usize, span: Span) -> Result<usize> {
        let at = if axis < 0 { axis + rank as i64 } else { axis };
        match usize::try_from(at) {
            Ok(at) if at < rank => Ok(at),
            _ => Err(self.wrong_type(span, format!("axis {axis} is out of bounds for an array with {rank} axes"))),
        }
    }
}

/// What a reduction leaves out, if there is such an element; of a mean, what its sum does.
fn neutral_of(what: Reduction, elem: Scalar) -> Option<Operand> {
    match what {
        Reduction::Sum | Reduction::Any | Reduction::Mean => Some(Operand::Const(elem.zero())),
        Reduction::Prod | Reduction::All => neutral(Binary::Multiply, elem),
        Reduction::Max => neutral(Binary::Maximum, elem),
        Reduction::Min => neutral(Binary::Minimum, elem),
        _ => None,
    }
}

/// The neutral element of a maximum, which is the least value of a type, or of a minimum.
fn least_or_greatest(elem: Scalar, is_least: bool) -> Const {
    let bits = 8 * elem.bytes() as u32;
    let value = match (elem.is_signed(), is_least) {
        (true, true) => i64::MIN >> (64 - bits),
        (true, false) => i64::MAX >> (64 - bits),
        (false, true) => 0,
        (false, false) => -1,
    };
    Const::int(elem, value)
}

/// What a function leaves as it is, if there is such an element.
pub(super) fn neutral(ufunc: Binary, elem: Scalar) -> Option<Operand> {
    let number = |value: f64| Some(Operand::Const(UnOp::Convert(elem).eval(Const::f64(value))));
    let is_max = matches!(ufunc, Binary::Maximum | Binary::Fmax);
    match ufunc {
        Binary::Add | Binary::Or | Binary::Xor | Binary::LogicalOr | Binary::LogicalXor => number(0.0),
        Binary::Multiply | Binary::LogicalAnd => number(1.0),
        Binary::And if elem == Scalar::Bool => number(1.0),
        Binary::And => Some(Operand::Const(Const::int(elem, -1))),
        Binary::Maximum | Binary::Minimum if elem.is_float() => {
            number(if is_max { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        Binary::Maximum | Binary::Minimum if elem == Scalar::Bool => Some(Operand::Const(Const::Bool(!is_max))),
        Binary::Maximum | Binary::Minimum => Some(Operand::Const(least_or_greatest(elem, is_max))),
        _ => None,
    }
}
