//! Generators as loop nests.
//!
//! Each generator has a nest of its own wherever the order of the index space allows that. Such a
//! nest needs no tests inside, and vectors can run it. If generators interleave and order matters,
//! one nest visits all indices and asks for each index which generator it belongs to.
//!
//! Generators that reach the same rows share the loop over rows, so that memory passes the caches
//! once. Examples are the borders of a row and its interior, and the colours of a grid. Inside a
//! row, each generator has its own loop.
//!
//! See [`crate::lowering::with_loop`] for what happens at an index.

use crate::lowering::with_loop::{Chunk, Sink};
use crate::lowering::{LoopHeader, Lowered, Lowering, max, min};
use frit_ir::array::{Generator, Op, Operand, Value, WithLoopData};
use frit_ir::nest::{self, Expr, LoopKind, Parallel, Reduction};
use frit_ir::scalar::{BinOp, UnOp};
use frit_schedule::estimate::{self, Work};
use frit_support::Index;
use std::collections::BTreeSet;

/// In which order the iterations of a with-loop may run.
#[derive(Clone)]
pub(crate) enum Order {
    /// In the order of the index space.
    Sequential,
    /// In the order of the index space, but only as far as these accumulators are concerned.
    Scan { reductions: Vec<Reduction> },
    /// In any order, and at once except for these accumulators.
    Independent { reductions: Vec<Reduction> },
}

/// How a nest goes over an index space.
#[derive(Clone)]
pub(crate) struct Walk {
    /// In which order iterations may run.
    pub(crate) order: Order,
    /// The axes of the index space, outermost first.
    pub(crate) axes: Vec<usize>,
    /// The place of the axis that runs on threads.
    pub(crate) threads: Option<usize>,
}

impl Walk {
    /// In the order of the index space, one index after the other.
    pub(crate) fn in_order(data: &WithLoopData) -> Self {
        Self { order: Order::Sequential, axes: (0..data.space.len()).collect(), threads: None }
    }

    /// The index vector, from the indices in the order of the loops.
    fn index(&self, of_loops: &[Expr]) -> Vec<Expr> {
        let mut index = of_loops.to_vec();
        self.axes.iter().zip(of_loops).for_each(|(&axis, i)| index[axis] = i.clone());
        index
    }
}

/// The axis of a nest that runs on threads, by its place, and the work that they divide.
type OnThreads = Option<(usize, Parallel)>;

impl Order {
    fn loop_kind(&self, parallel: Option<Parallel>) -> LoopKind {
        match self {
            Order::Sequential => LoopKind::Sequential,
            Order::Scan { reductions } => {
                LoopKind::Scan { simd: false, streaming: false, reductions: reductions.clone() }
            }
            Order::Independent { reductions } => {
                LoopKind::Independent { parallel, simd: false, reductions: reductions.clone() }
            }
        }
    }
}

/// One axis of a generator.
#[derive(Clone)]
struct Axis {
    lower: Expr,
    upper: Expr,
    step: i64,
    width: i64,
    /// It is known to have one index.
    is_single: bool,
    /// The lower end of a chunk's part, where the chunk cuts the period of a grid.
    clipped: Option<Expr>,
}

impl Axis {
    fn dense(lower: Expr, upper: Expr) -> Self {
        Self { lower, upper, step: 1, width: 1, is_single: false, clipped: None }
    }

    fn is_dense(&self) -> bool {
        self.step == self.width
    }
}

/// A generator whose nest is to be emitted.
struct Member<'a> {
    generator: &'a Generator,
    axes: Vec<Axis>,
}

/// What is inside a nest.
type Inside<'f, 'a> = &'f mut dyn FnMut(&mut Lowering<'a>, &[Expr]);

impl<'a> Lowering<'a> {
    /// Emits the nests of the generators and feeds the cells to the sinks.
    pub(crate) fn run(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        walk: &Walk,
        chunk: Option<&Chunk>,
    ) {
        let generators = match walk.order {
            Order::Independent { .. } => Some(data.generators.iter().collect()),
            Order::Sequential | Order::Scan { .. } => self.in_order(data),
        };
        let Some(generators) = generators else {
            let whole: Vec<Axis> =
                data.space.iter().map(|&extent| Axis::dense(Expr::i64(0), self.extent(extent))).collect();
            let axes = self.clip(data, walk, whole, chunk);
            self.axes(data, None, &axes, walk, None, &mut Vec::new(), &mut |lowering, index| {
                lowering.dispatch(data, sinks, &data.generators, index);
            });
            return;
        };
        if generators.len() > 1 {
            self.keep_what_is_read(&generators);
        }
        let is_free = matches!(walk.order, Order::Independent { .. });
        for class in classes(generators, |a, b| is_free && on_same_rows(a, b, walk, 0)) {
            let mut members: Vec<Member<'a>> =
                class.iter().map(|&generator| Member { generator, axes: self.axes_of(data, generator) }).collect();
            let outer = self.clip(data, walk, members[0].axes.clone(), chunk);
            if let Some(&first) = walk.axes.first() {
                members.iter_mut().for_each(|member| member.axes[first] = outer[first].clone());
            }
            let parallel = walk.threads.map(|place| {
                let works = class
                    .iter()
                    .map(|generator| estimate::generator(self.func, &self.sums, data, generator, &walk.axes[place..]));
                let work = works.reduce(Work::plus).expect("a class has a generator");
                let operations = self.count(&work.operations);
                (place, Parallel { work: operations, irregular: work.irregular })
            });
            self.members(data, sinks, walk, parallel, &members.iter().collect::<Vec<_>>(), &mut Vec::new());
        }
    }

    /// The indices that a dense generator reaches in several parts of the outermost axis. Each part
    /// has `length` indices. One index of each part is visited in turn, for the part's own sinks.
    pub(crate) fn run_side_by_side(
        &mut self,
        data: &'a WithLoopData,
        generator: &'a Generator,
        parts: &mut [(Chunk, Vec<Sink<'a>>)],
        length: Expr,
    ) {
        let mut axes = self.axes_of(data, generator);
        axes[0] = Axis::dense(Expr::i64(0), length);
        self.axes(data, None, &axes, &Walk::in_order(data), None, &mut Vec::new(), &mut |lowering, index| {
            for (part, sinks) in &mut *parts {
                lowering.resume_folds(sinks);
                let outermost = lowering.keep_i64(part.lower.clone() + index[0].clone());
                lowering.point(data, sinks, generator, &[&[outermost], &index[1..]].concat());
            }
        });
    }

    fn axes_of(&self, data: &WithLoopData, generator: &Generator) -> Vec<Axis> {
        let axis = |axis| Axis {
            lower: self.scalar(generator.lower[axis]),
            upper: self.scalar(generator.upper[axis]),
            step: generator.step[axis],
            width: generator.width[axis],
            is_single: self.sums.is_one(generator.lower[axis], generator.upper[axis]),
            clipped: None,
        };
        (0..data.space.len()).map(axis).collect()
    }

    /// Generators may be lowered in another order than the program's, and without a loop around
    /// them. The arrays that they read live until all of them are lowered.
    pub(crate) fn keep_what_is_read(&mut self, generators: &[&'a Generator]) {
        for generator in generators {
            for value in self.func.free_values(&generator.body) {
                if let Some(Lowered::Array(access)) = self.known(value)
                    && let Some(array) = access.memory()
                {
                    self.keep_until(array, self.now);
                }
            }
        }
    }

    /// The nests of generators that agree in all axes so far.
    fn members(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        walk: &Walk,
        parallel: OnThreads,
        members: &[&Member<'a>],
        index: &mut Vec<Expr>,
    ) {
        let at = index.len();
        let rest = &members[1..];
        let axis = walk.axes.get(at).map(|&axis| &members[0].axes[axis]);
        let Some(axis) = axis.filter(|_| !rest.is_empty()) else {
            for member in members {
                let generator = member.generator;
                self.axes(
                    data,
                    Some(generator),
                    &member.axes,
                    walk,
                    parallel.clone(),
                    index,
                    &mut |lowering, index| {
                        lowering.point(data, sinks, generator, index);
                    },
                );
            }
            return;
        };
        let within = classes(members.to_vec(), |a, b| on_same_rows(a.generator, b.generator, walk, at + 1));
        let (here, inside) = divide(parallel, at, axis);
        self.axis_loop(data, axis, walk, here, index, &mut |lowering, index| {
            for class in &within {
                lowering.members(data, sinks, walk, inside.clone(), class, index);
            }
        });
    }

    /// The generators in an order that meets all indices in the order of the index space. They must
    /// be slabs along the outermost axis whose order is known.
    fn in_order(&self, data: &'a WithLoopData) -> Option<Vec<&'a Generator>> {
        if data.generators.len() < 2 {
            return Some(data.generators.iter().collect());
        }
        let is_slab = |generator: &Generator| {
            generator.step[0] == generator.width[0]
                && data.space.iter().enumerate().skip(1).all(|(axis, &extent)| {
                    let upper: Operand = extent.into();
                    generator.lower[axis] == Operand::i64(0) && generator.upper[axis] == upper
                })
        };
        if data.space.is_empty() || !data.generators.iter().all(is_slab) {
            return None;
        }
        let mut rest: Vec<&Generator> = data.generators.iter().collect();
        let mut found: Vec<&Generator> = Vec::new();
        while !rest.is_empty() {
            // The next generator is known to come before all others, directly or through those
            // between.
            let next = match found.last() {
                Some(last) => rest.iter().position(|next| next.lower[0] == last.upper[0]),
                None => None,
            };
            let next = next.or_else(|| {
                rest.iter().position(|one| {
                    let follows_another = rest.iter().any(|other| other.upper[0] == one.lower[0]);
                    !follows_another && found.last().is_none_or(|last| ends_before(last, one))
                })
            })?;
            found.push(rest.remove(next));
        }
        found.windows(2).all(|pair| ends_before(pair[0], pair[1])).then_some(found)
    }

    /// The part of the axes that lies in a chunk of the outermost one.
    fn clip(&mut self, data: &WithLoopData, walk: &Walk, mut axes: Vec<Axis>, chunk: Option<&Chunk>) -> Vec<Axis> {
        if let (Some(chunk), Some(&first)) = (chunk, walk.axes.first()) {
            let (axis, extent) = (&mut axes[first], data.space[first]);
            let (lower, upper) = (chunk.lower.clone(), chunk.upper.clone());
            axis.is_single = false;
            axis.upper = if axis.upper == self.extent(extent) { upper } else { min(axis.upper.clone(), upper) };
            if axis.is_dense() {
                axis.lower = if axis.lower.as_i64() == Some(0) { lower } else { max(axis.lower.clone(), lower) };
            } else {
                // The first period that reaches into the chunk.
                let step = Expr::i64(axis.step);
                let before = max(lower.clone() - axis.lower.clone(), Expr::i64(0));
                let before = if axis.width == 1 { before + Expr::i64(axis.step - 1) } else { before };
                let periods = Expr::binary(BinOp::DIV, before, step.clone());
                let first = axis.lower.clone() + periods * step;
                axis.lower = self.keep_i64(first);
                axis.clipped = (axis.width > 1).then_some(lower);
            }
        }
        axes
    }

    /// The loops over the axes from the next one on. If all of them are of one generator, each computes what needs its indices only.
    #[allow(clippy::too_many_arguments)] // what a nest is made of
    fn axes(
        &mut self,
        data: &'a WithLoopData,
        generator: Option<&'a Generator>,
        axes: &[Axis],
        walk: &Walk,
        parallel: OnThreads,
        index: &mut Vec<Expr>,
        body: Inside<'_, 'a>,
    ) {
        let Some(&axis) = walk.axes.get(index.len()) else { return body(self, &walk.index(index)) };
        let axis = &axes[axis];
        let computed = generator.map_or_else(Vec::new, |generator| self.compute_early(data, generator, walk, index));
        let (here, inside) = divide(parallel, index.len(), axis);
        self.axis_loop(data, axis, walk, here, index, &mut |lowering, index| {
            lowering.axes(data, generator, axes, walk, inside.clone(), index, body);
        });
        computed.iter().for_each(|value| assert!(self.computed.remove(value)));
    }

    /// Computes the scalars of a generator that need only these indices, before the loops over the other axes, and tells which. Sums of
    /// indices are left where they are: subscripts say more if they are in them.
    fn compute_early(
        &mut self,
        data: &WithLoopData,
        generator: &'a Generator,
        walk: &Walk,
        index: &[Expr],
    ) -> Vec<Value> {
        let (known, unknown) = walk.axes.split_at(index.len());
        if known.is_empty() {
            return Vec::new();
        }
        let stmts = &generator.body.stmts;
        let mut inner: BTreeSet<Value> = unknown.iter().map(|&axis| data.indices[axis]).collect();
        inner.extend(stmts.iter().flat_map(|stmt| &stmt.results).filter(|&result| !self.computed.contains(result)));
        let mut early = Vec::new();
        for stmt in stmts {
            let Some(&result) = stmt.results.first().filter(|&result| inner.contains(result)) else { continue };
            let is_scalar = matches!(stmt.op, Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. });
            if is_scalar && stmt.certs.is_empty() && self.has_result(data, &stmt.op, known) {
                let mut is_known = true;
                stmt.op.for_each_operand(self.func, &mut |x| is_known &= x.value().is_none_or(|x| !inner.contains(&x)));
                if is_known {
                    inner.remove(&result);
                    early.push(stmt);
                }
            }
        }
        // What the divisions and choices among them need.
        let mut needed = BTreeSet::new();
        for stmt in early.iter().rev() {
            let result = stmt.results[0];
            if is_costly(&stmt.op) || needed.contains(&result) {
                needed.insert(result);
                stmt.op.for_each_operand(self.func, &mut |operand| needed.extend(operand.value()));
            }
        }
        early.retain(|stmt| needed.contains(&stmt.results[0]));
        for (&axis, i) in known.iter().zip(index).filter(|_| !early.is_empty()) {
            self.bind(data.indices[axis], Lowered::Scalar(i.clone()));
        }
        let span = self.span;
        for stmt in &early {
            let result = stmt.results[0];
            self.span = stmt.span;
            self.scalar_stmt(stmt);
            if is_costly(&stmt.op) {
                let kept = self.scalar(result.into());
                let kept = self.keep(self.func.ty(result).elem, kept);
                self.env[result.at()] = Some(Lowered::Scalar(kept));
            }
            self.computed.insert(result);
        }
        // The loops inside are the with-loop's.
        (self.span, self.naming) = (span, None);
        early.iter().map(|stmt| stmt.results[0]).collect()
    }

    /// False for integer operations that have no result for some operands, which only checks inside of later axes may exclude.
    fn has_result(&self, data: &WithLoopData, op: &Op, axes: &[usize]) -> bool {
        match op {
            Op::Binary { op: op @ (BinOp::Divide(_) | BinOp::POW), x, y }
                if !self.func.operand_type(*x).elem.is_float() =>
            {
                let is_extent = |&axis: &usize| Operand::from(data.space[axis]) == *y;
                let is_constant =
                    y.constant().is_some_and(|divisor| divisor.as_i64().is_some_and(|divisor| divisor > 0));
                *op != BinOp::POW && (is_constant || axes.iter().any(is_extent))
            }
            _ => true,
        }
    }

    /// The loop, or loops, over one axis.
    fn axis_loop(
        &mut self,
        data: &WithLoopData,
        axis: &Axis,
        walk: &Walk,
        parallel: Option<Parallel>,
        index: &mut Vec<Expr>,
        body: &mut dyn FnMut(&mut Self, &mut Vec<Expr>),
    ) {
        let at = index.len();
        if axis.is_single {
            index.push(axis.lower.clone());
            body(self, index);
            index.pop();
            return;
        }
        let name = self.func.values[data.indices[walk.axes[at]]].name.clone();
        let kind = walk.order.loop_kind(parallel);
        let header = LoopHeader { lower: axis.lower.clone(), upper: axis.upper.clone(), step: 1, kind, name };
        if axis.is_dense() {
            self.counted_loop(header, |lowering, i| {
                index.push(i);
                body(lowering, index);
                index.pop();
            });
            return;
        }
        let header = LoopHeader { step: axis.step, ..header };
        self.counted_loop(header, |lowering, period| {
            if axis.width == 1 {
                index.push(period);
                body(lowering, index);
                index.pop();
                return;
            }
            let end = min(period.clone() + Expr::i64(axis.width), axis.upper.clone());
            let lower = match &axis.clipped {
                Some(clipped) => max(period, clipped.clone()),
                None => period,
            };
            let header = LoopHeader { lower, upper: end, step: 1, kind: walk.order.loop_kind(None), name: None };
            lowering.counted_loop(header, |lowering, i| {
                index.push(i);
                body(lowering, index);
                index.pop();
            });
        });
    }

    /// One index of the space: the cells of its generator.
    fn dispatch(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        generators: &'a [Generator],
        index: &[Expr],
    ) {
        let Some((generator, others)) = generators.split_first() else { return };
        let mut belongs: Option<Expr> = None;
        for (axis, i) in index.iter().enumerate() {
            let (lower, upper) = (self.scalar(generator.lower[axis]), self.scalar(generator.upper[axis]));
            let distance = i.clone() - lower;
            let mut here = Expr::binary(
                BinOp::AND,
                Expr::binary(BinOp::LE, Expr::i64(0), distance.clone()),
                Expr::binary(BinOp::LT, i.clone(), upper),
            );
            if generator.step[axis] != generator.width[axis] {
                let phase = Expr::binary(BinOp::FLOOR_MOD, distance, Expr::i64(generator.step[axis]));
                let on_grid = Expr::binary(BinOp::LT, phase, Expr::i64(generator.width[axis]));
                here = Expr::binary(BinOp::AND, here, on_grid);
            }
            belongs = Some(match belongs {
                None => here,
                Some(before) => Expr::binary(BinOp::AND, before, here),
            });
        }
        let Some(belongs) = belongs else { return self.point(data, sinks, generator, index) };
        let then = self.nested(|lowering| lowering.point(data, sinks, generator, index));
        let otherwise = self.nested(|lowering| lowering.dispatch(data, sinks, others, index));
        self.emit(nest::Stmt::If { cond: belongs, then, otherwise });
    }
}

/// True for scalar operations other than those of which affine subscripts consist.
fn is_costly(op: &Op) -> bool {
    match op {
        Op::Unary { op, .. } => !matches!(*op, UnOp::Neg | UnOp::Convert(_)),
        Op::Binary { op, .. } => !matches!(*op, BinOp::ADD | BinOp::SUB | BinOp::MUL),
        _ => true,
    }
}

/// True if one loop along the axis at this place can serve both generators and leaves axes on which they differ.
fn on_same_rows(a: &Generator, b: &Generator, walk: &Walk, place: usize) -> bool {
    place + 1 < walk.axes.len() && {
        let axis = walk.axes[place];
        (a.lower[axis], a.upper[axis]) == (b.lower[axis], b.upper[axis])
            && (a.step[axis], a.width[axis]) == (b.step[axis], b.width[axis])
    }
}

/// What the loop over the axis at this place divides among threads, and what is left for those inside of it. An axis of one index
/// leaves it to the next.
fn divide(parallel: OnThreads, place: usize, axis: &Axis) -> (Option<Parallel>, OnThreads) {
    match parallel {
        Some((at, parallel)) if at <= place && !axis.is_single => (Some(parallel), None),
        other => (None, other),
    }
}

/// Groups of equal items, each in the place of its first item.
fn classes<T: Copy>(items: Vec<T>, alike: impl Fn(T, T) -> bool) -> Vec<Vec<T>> {
    let mut classes: Vec<Vec<T>> = Vec::new();
    for item in items {
        match classes.iter_mut().find(|class| alike(class[0], item)) {
            Some(class) => class.push(item),
            None => classes.push(vec![item]),
        }
    }
    classes
}

/// True if the first generator is known to end before the second begins.
fn ends_before(first: &Generator, second: &Generator) -> bool {
    let (end, begin) = (first.upper[0], second.lower[0]);
    let constants = end.constant().and_then(|c| c.as_i64()).zip(begin.constant().and_then(|c| c.as_i64()));
    end == begin || constants.is_some_and(|(end, begin)| end <= begin)
}
