//! Buffers and the views on them.
//!
//! A variable that holds an array is a buffer, which is a value of the IR, and the lenses through which the variable sees it.
//! Reading goes through the lenses from the buffer on. Writing goes back through them: it makes a new version of the buffer,
//! which all variables on it see. So `b = a[1:]; b += 1` changes `a`.

use super::error::Result;
use super::function::Lowering;
use frit_ir::Scalar;
use frit_ir::array::{Block, Extent, Generator, Op, Operand, Operator, OperatorData, Type, Value, View, WithLoopData};
use frit_ir::scalar::{BinOp, UnOp};

/// A buffer of the function, by its position in [`State::buffers`](super::function::State).
pub(super) type Buffer = usize;

/// An array: a buffer as it is seen through lenses, the first nearest to the buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    /// Where its elements are.
    pub buffer: Buffer,
    /// How they are seen.
    pub lenses: Vec<Lens>,
    /// Their type.
    pub elem: Scalar,
    /// The shape that is seen.
    pub shape: Vec<Extent>,
    /// It cannot be written: several indices share an element, or it is a constant of the module.
    pub read_only: bool,
}

/// Buffers that a loop has exchanged with one another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Them, as they were known before the loop.
    pub originals: Vec<Buffer>,
    /// The buffers that are known after it, and for each the position among the originals that it now is; -1 for none.
    pub holders: Vec<(Buffer, Operand)>,
    /// If the loop writes none of them: what they are after it.
    pub unwritten: Option<Vec<Value>>,
}

impl Array {
    /// The number of axes.
    pub(super) fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// A part of how an array is seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lens {
    /// Along each axis, `extents` elements from `starts` on, every `steps`-th; only axes that are `kept` are seen.
    Slice { starts: Vec<Operand>, steps: Vec<i64>, extents: Vec<Extent>, kept: Vec<bool>, certs: Vec<Value> },
    /// Axis `j` is axis `axes[j]` of what is behind it.
    Permute(Vec<usize>),
    /// The elements in row-major order in another shape.
    Reshape(Vec<Extent>, Vec<Value>),
}

/// True if a slice of an array of this shape keeps all of an axis.
fn is_whole(lens: &Lens, shape: &[Extent], at: usize) -> bool {
    let Lens::Slice { starts, steps, extents, kept, .. } = lens else { return false };
    kept[at] && starts[at] == Operand::i64(0) && steps[at] == 1 && extents[at] == shape[at]
}

/// True if two arrays on one buffer have no element in common: they are different parts along an axis, as the parts of complex numbers.
pub(super) fn are_disjoint(x: &Array, y: &Array) -> bool {
    let (Some((one, before)), Some((other, others))) = (x.lenses.split_last(), y.lenses.split_last()) else {
        return false;
    };
    match (one, other) {
        (Lens::Slice { starts, kept, .. }, Lens::Slice { starts: others_starts, kept: others_kept, .. }) => {
            let is_constant = |at: &Operand| at.constant().is_some();
            before == others
                && (0..starts.len()).any(|axis| {
                    let [at, other] = [starts[axis], others_starts[axis]];
                    !kept[axis] && !others_kept[axis] && is_constant(&at) && is_constant(&other) && at != other
                })
        }
        _ => false,
    }
}

impl Lowering<'_> {
    /// A fresh array with this value.
    pub(super) fn fresh(&mut self, value: Value) -> Array {
        let ty = self.b.func.ty(value).clone();
        self.state.buffers.push(value);
        let buffer = self.state.buffers.len() - 1;
        Array { buffer, lenses: Vec::new(), elem: ty.elem, shape: ty.shape, read_only: false }
    }

    /// The lenses of an array with a slice of it. A slice of a slice is one slice of what is behind both: what is written through it
    /// changes the elements that it sees, and needs no copy of the rest.
    pub(super) fn lenses_with_slice(&mut self, array: &Array, slice: Lens) -> Vec<Lens> {
        let mut lenses = array.lenses.clone();
        let slice = match lenses.pop_if(|last| matches!(last, Lens::Slice { .. })) {
            Some(behind) => self.slice_of_slice(behind, slice),
            None => slice,
        };
        lenses.push(slice);
        lenses
    }

    fn slice_of_slice(&mut self, behind: Lens, slice: Lens) -> Lens {
        let Lens::Slice { mut starts, mut steps, mut extents, mut kept, mut certs } = behind else {
            panic!("it is a slice")
        };
        let Lens::Slice {
            starts: own_starts,
            steps: own_steps,
            extents: own_extents,
            kept: own_kept,
            certs: own_certs,
        } = slice
        else {
            panic!("it is a slice")
        };
        let seen: Vec<usize> = (0..kept.len()).filter(|&at| kept[at]).collect();
        for (own, at) in seen.into_iter().enumerate() {
            let from = self.mul(own_starts[own], Operand::i64(steps[at]));
            starts[at] = self.add(starts[at], from);
            // Where that is too large there is one element at most.
            steps[at] = steps[at].saturating_mul(own_steps[own]).max(-i64::MAX);
            (extents[at], kept[at]) = (own_extents[own], own_kept[own]);
        }
        certs.extend(own_certs);
        Lens::Slice { starts, steps, extents, kept, certs }
    }

    /// The value of an array as it is now.
    pub(super) fn read(&mut self, array: &Array) -> Value {
        let mut value = self.content(array.buffer);
        for lens in &array.lenses {
            value = self.through(value, lens);
        }
        value
    }

    /// True if the elements are one behind the other in memory, whatever the sizes are.
    pub(super) fn is_contiguous(&self, array: &Array) -> bool {
        if self.state.unordered.contains(&array.buffer) {
            return false;
        }
        let mut shape = self.b.func.ty(self.state.buffers[array.buffer]).shape.clone();
        array.lenses.iter().all(|lens| match lens {
            Lens::Permute(_) => false,
            Lens::Reshape(new, _) => {
                shape = new.clone();
                true
            }
            Lens::Slice { steps, extents, kept, .. } => {
                let dropped = kept.iter().take_while(|&&kept| !kept).count();
                let rest = (dropped + 1).min(kept.len());
                let is_run = kept.get(dropped).is_none_or(|_| steps[dropped] == 1);
                let are_whole = (rest..kept.len()).all(|at| is_whole(lens, &shape, at));
                shape = (0..kept.len()).filter(|&at| kept[at]).map(|at| extents[at]).collect();
                is_run && are_whole
            }
        })
    }

    /// Gives an array other elements, of the same shape and type; a scalar where it has no axis.
    pub(super) fn write(&mut self, array: &Array, new: Operand) {
        for &(one, other) in &self.state.aliases {
            if one == array.buffer || other == array.buffer {
                self.state.unknown.insert(if one == array.buffer { other } else { one });
            }
        }
        self.settle_buffer(array.buffer);
        let old = self.state.buffers[array.buffer];
        let changed = self.back_through(old, &array.lenses, new);
        let name = self.b.func.values[old].name.clone();
        let known = &mut self.b.func.values[changed].name;
        *known = known.take().or(name);
        self.state.buffers[array.buffer] = changed;
    }

    /// What is seen through a lens.
    fn through(&mut self, value: Value, lens: &Lens) -> Value {
        match lens {
            Lens::Slice { starts, steps, extents, kept, certs } => {
                let shape = self.b.func.ty(value).shape.clone();
                let leading = kept.iter().take_while(|&&kept| !kept).count();
                if leading > 0 && (leading..shape.len()).all(|at| is_whole(lens, &shape, at)) {
                    return self.b.index(value, starts[..leading].to_vec(), certs.clone());
                }
                let view = View::Slice { starts: starts.clone(), steps: steps.clone() };
                let sliced = self.b.view(value, view, extents.clone(), certs.clone());
                let dropped: Vec<usize> = (0..kept.len()).filter(|&at| !kept[at]).collect();
                if dropped.is_empty() {
                    return sliced;
                }
                let axes = dropped.iter().copied().chain((0..kept.len()).filter(|&at| kept[at])).collect();
                let first = self.b.permute(sliced, axes);
                self.b.index(first, vec![Operand::i64(0); dropped.len()], Vec::new())
            }
            Lens::Permute(axes) => self.b.permute(value, axes.clone()),
            Lens::Reshape(shape, certs) => self.b.view(value, View::Reshape, shape.clone(), certs.clone()),
        }
    }

    /// `old` with what is seen through the lenses replaced by `new`.
    fn back_through(&mut self, old: Value, lenses: &[Lens], new: Operand) -> Value {
        let Some((lens, rest)) = lenses.split_first() else { return new.value().expect("a whole array is a value") };
        let new = if rest.is_empty() {
            new
        } else {
            let seen = self.through(old, lens);
            self.back_through(seen, rest, new).into()
        };
        if let Lens::Slice { .. } = lens {
            return self.replace_slice(old, lens, new);
        }
        let new = new.value().expect("an array is a value");
        match lens {
            Lens::Slice { .. } => unreachable!("it is replaced above"),
            Lens::Permute(axes) => {
                let mut back = vec![0; axes.len()];
                axes.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
                self.b.permute(new, back)
            }
            Lens::Reshape(..) => {
                let shape = self.b.func.ty(old).shape.clone();
                self.b.view(new, View::Reshape, shape, Vec::new())
            }
        }
    }

    /// `old` with a part replaced: a with-loop over the box that the slice reaches.
    fn replace_slice(&mut self, old: Value, lens: &Lens, new: Operand) -> Value {
        let Lens::Slice { starts, steps, extents, kept, certs } = lens else { panic!("it is a slice") };
        let ty = self.b.func.ty(old).clone();
        let leading = kept.iter().take_while(|&&kept| !kept).count();
        if leading > 0 && (leading..kept.len()).all(|at| is_whole(lens, &ty.shape, at)) {
            let update = Op::Update { array: old, indices: starts[..leading].to_vec(), value: new, consumes: false };
            return self.b.emit_one(update, ty, certs.clone());
        }
        // Backward slices are written forwards, from what is new backwards.
        let new = if let Some(new) = new.value().filter(|_| steps.iter().any(|&step| step < 0)) {
            let new_ty = self.b.func.ty(new).clone();
            let backward = steps.iter().zip(kept).filter(|(_, kept)| **kept).map(|(&step, _)| step < 0);
            let backward: Vec<bool> = backward.collect();
            let starts = backward.iter().zip(&new_ty.shape);
            let starts =
                starts.map(|(&back, &n)| if back { self.sub(n.into(), Operand::i64(1)) } else { Operand::i64(0) });
            let starts: Vec<Operand> = starts.collect();
            let steps = backward.iter().map(|&back| if back { -1 } else { 1 }).collect();
            self.b.view(new, View::Slice { starts, steps }, new_ty.shape, Vec::new()).into()
        } else {
            new
        };
        let indices: Vec<Value> = ty.shape.iter().map(|_| self.index_value()).collect();
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for at in 0..ty.shape.len() {
            let last = self.sub(self.representative(extents[at]).into(), Operand::i64(1));
            let last = self.mul(last, Operand::i64(steps[at]));
            let last = self.add(starts[at], last);
            let (first, last) = if steps[at] < 0 { (last, starts[at]) } else { (starts[at], last) };
            lower.push(first);
            upper.push(self.add(last, Operand::i64(1)));
        }
        self.b.open_block();
        let mut places = Vec::new();
        for (at, &index) in indices.iter().enumerate().filter(|(at, _)| kept[*at]) {
            let place = self.sub(index.into(), lower[at]);
            let step = steps[at].abs();
            places.push(if step == 1 { place } else { self.b.binary(BinOp::DIV, place, Operand::i64(step)) });
        }
        let cell = match new {
            Operand::Value(new) if !places.is_empty() => self.b.index(new, places, Vec::new()).into(),
            new => new,
        };
        let body = self.b.close_block(vec![cell]);
        let step: Vec<i64> = steps.iter().map(|step| step.abs()).collect();
        let width = vec![1; step.len()];
        let data = WithLoopData {
            space: ty.shape.clone(),
            indices,
            generators: vec![Generator { lower, upper, step, width, body }],
            operators: vec![OperatorData::new(Operator::ModArray { source: old, consumes: false })],
            span: self.b.span(),
        };
        let with_loop = self.b.func.with_loops.push(data);
        self.b.emit_one(Op::With(with_loop), ty, certs.clone())
    }

    /// A new index of a with-loop.
    pub(super) fn index_value(&mut self) -> Value {
        self.b.value(Type::scalar(Scalar::I64), None)
    }

    /// A with-loop over a whole space that makes an array of the cells that `cell` computes for its indices.
    pub(super) fn generate(
        &mut self,
        shape: Vec<Extent>,
        elem: Scalar,
        cell: impl FnOnce(&mut Self, &[Value]) -> Result<Operand>,
    ) -> Result<Value> {
        let indices: Vec<Value> = shape.iter().map(|_| self.index_value()).collect();
        indices.iter().for_each(|&index| _ = self.least.insert(index, 0));
        self.b.open_block();
        let before = self.last_callback();
        let made = cell(self, &indices).and_then(|made| self.no_callback_since(before).map(|()| made));
        let (cell, error) = match made {
            Ok(cell) => (cell, None),
            Err(error) => (Operand::Const(elem.zero()), Some(error)),
        };
        let body: Block = self.b.close_block(vec![cell]);
        if let Some(error) = error {
            return Err(error);
        }
        let ty = Type::array(elem, shape.clone());
        let operators = vec![OperatorData::new(Operator::GenArray)];
        Ok(self.b.with_loop(shape, indices, body, operators, vec![ty], Vec::new())[0])
    }

    /// The sum of two integers; of constants a constant.
    pub(super) fn add(&mut self, x: Operand, y: Operand) -> Operand {
        self.arithmetic(BinOp::ADD, x, y)
    }

    /// The difference of two integers; of constants a constant.
    pub(super) fn sub(&mut self, x: Operand, y: Operand) -> Operand {
        self.arithmetic(BinOp::SUB, x, y)
    }

    /// The product of two integers; of constants a constant.
    pub(super) fn mul(&mut self, x: Operand, y: Operand) -> Operand {
        self.arithmetic(BinOp::MUL, x, y)
    }

    /// An operation on a scalar; of a constant a constant.
    pub(super) fn unary(&mut self, op: UnOp, x: Operand) -> Operand {
        match x {
            Operand::Const(constant) => Operand::Const(op.eval(constant)),
            x => self.b.unary(op, x),
        }
    }

    /// An operation on two integers; of constants a constant.
    pub(super) fn arithmetic(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let is = |operand: Operand, value: i64| operand == Operand::i64(value);
        match (op, x, y) {
            (op, Operand::Const(x), Operand::Const(y)) if op.eval(x, y).is_some() => {
                Operand::Const(op.eval(x, y).expect("it was just computed"))
            }
            (BinOp::ADD, x, y) if is(y, 0) => x,
            (BinOp::ADD, x, y) if is(x, 0) => y,
            (BinOp::SUB, x, y) if is(y, 0) => x,
            (BinOp::SUB, x, y) if x == y => Operand::i64(0),
            (BinOp::MUL, x, y) if is(y, 1) => x,
            (BinOp::MUL, x, y) if is(x, 1) => y,
            (op, x, y) => {
                let result = self.b.binary(op, x, y);
                if let (Operand::Value(sum), BinOp::ADD | BinOp::SUB, Operand::Value(base), Operand::Const(constant)) =
                    (result, op, x, y)
                    && let Some(more) = constant.as_i64()
                {
                    let more = if op == BinOp::ADD { more } else { more.wrapping_neg() };
                    let (base, before) = self.sums.get(&base).copied().unwrap_or((base, 0));
                    self.sums.insert(sum, (base, before.wrapping_add(more)));
                }
                if let (Some(least), Operand::Value(value)) = (self.least_of(op, x, y), result) {
                    self.least.insert(value, least);
                }
                result
            }
        }
    }

    /// A number that the result of an operation on integers is never below, unless it wraps.
    fn least_of(&self, op: BinOp, x: Operand, y: Operand) -> Option<i64> {
        let (one, other) = (self.least(x), self.least(y));
        let constant = |operand: Operand| operand.constant().and_then(|constant| constant.as_i64());
        match op {
            BinOp::ADD => one?.checked_add(other?),
            BinOp::SUB => one?.checked_sub(constant(y)?),
            BinOp::MUL => (one? >= 0 && other? >= 0).then_some(0),
            BinOp::MAX => one.max(other),
            BinOp::MIN => Some(one?.min(other?)),
            BinOp::FLOOR_DIV | BinOp::DIV => (one? >= 0 && constant(y)? > 0).then_some(0),
            _ => None,
        }
    }
}
