//! Generators as loop nests. Each has a nest of its own wherever the order of the index space allows it; only where
//! generators interleave and the order matters does one nest visit all indices and ask for each where it belongs.
//!
//! Nests of their own need no tests inside, and vectors can run them. See [`crate::with_loop`] for what happens at an index.

use crate::lowering::{LoopHeader, Lowering, max, min};
use crate::with_loop::{Chunk, Sink};
use frit_ir::array::{Generator, Operand, WithLoopData};
use frit_ir::nest::{self, Expr, LoopKind, Parallel, Reduction};
use frit_ir::scalar::BinOp;
use frit_support::Index;

/// How the iterations of a with-loop may be run.
#[derive(Clone)]
pub(crate) enum Order {
    /// In the order of the index space.
    Sequential,
    /// In any order, but for these accumulators also at once.
    Independent { reductions: Vec<Reduction> },
}

impl Order {
    fn loop_kind(&self, parallel: Option<Parallel>) -> LoopKind {
        match self {
            Order::Sequential => LoopKind::Sequential,
            Order::Independent { reductions } => {
                LoopKind::Independent { parallel, simd: false, reductions: reductions.clone() }
            }
        }
    }
}

/// One axis of a generator.
struct Axis {
    lower: Expr,
    upper: Expr,
    step: i64,
    width: i64,
    /// The lower end of what a chunk has of a grid whose periods it cuts.
    clipped: Option<Expr>,
}

impl Axis {
    fn dense(lower: Expr, upper: Expr) -> Self {
        Self { lower, upper, step: 1, width: 1, clipped: None }
    }

    fn is_dense(&self) -> bool {
        self.step == self.width
    }

    /// Known to hold one index.
    fn is_single(&self) -> bool {
        match (self.lower.as_i64(), self.upper.as_i64()) {
            (Some(lower), Some(upper)) => upper.checked_sub(lower) == Some(1),
            _ => false,
        }
    }
}

/// What lies inside a nest.
type Inside<'f, 'a> = &'f mut dyn FnMut(&mut Lowering<'a>, &[Expr]);

impl<'a> Lowering<'a> {
    /// Emits the nests of the generators and feeds the cells to the sinks. With `forks`, large ones ask for threads.
    pub(crate) fn run(
        &mut self,
        data: &'a WithLoopData,
        sinks: &mut Vec<Sink<'a>>,
        order: &Order,
        forks: bool,
        chunk: Option<&Chunk>,
    ) {
        let generators = match order {
            Order::Independent { .. } => Some(data.generators.iter().collect()),
            Order::Sequential => self.in_order(data),
        };
        let Some(generators) = generators else {
            let whole: Vec<Axis> =
                data.space.iter().map(|&extent| Axis::dense(Expr::i64(0), self.extent(extent))).collect();
            let axes = self.clip(data, whole, chunk);
            self.axes(data, &axes, order, None, &mut Vec::new(), &mut |lowering, index| {
                lowering.dispatch(data, sinks, &data.generators, index);
            });
            return;
        };
        for generator in generators {
            // The index of the generator before is gone: an estimate of this one's work must not count with it.
            data.indices.iter().for_each(|index| self.env[index.at()] = None);
            let axes: Vec<Axis> = (0..data.space.len())
                .map(|axis| Axis {
                    lower: self.scalar(generator.lower[axis]),
                    upper: self.scalar(generator.upper[axis]),
                    step: generator.step[axis],
                    width: generator.width[axis],
                    clipped: None,
                })
                .collect();
            let axes = self.clip(data, axes, chunk);
            let parallel = if forks {
                let (work, irregular) = self.estimate_generator(generator);
                self.parallel_if_worthwhile(work, irregular)
            } else {
                None
            };
            self.axes(data, &axes, order, parallel, &mut Vec::new(), &mut |lowering, index| {
                lowering.point(data, sinks, generator, index);
            });
        }
    }

    /// The generators one after the other such that all indices are met in order, if they are slabs along the outermost
    /// axis and it can be seen how these follow each other.
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
            // The next one is that before all others; they are seen to be after it one by one, or because of those between.
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
    fn clip(&mut self, data: &WithLoopData, mut axes: Vec<Axis>, chunk: Option<&Chunk>) -> Vec<Axis> {
        if let (Some(chunk), Some(axis), Some(&extent)) = (chunk, axes.first_mut(), data.space.first()) {
            let (lower, upper) = (chunk.lower.clone(), chunk.upper.clone());
            axis.upper = if axis.upper == self.extent(extent) { upper } else { min(axis.upper.clone(), upper) };
            if axis.is_dense() {
                axis.lower = if axis.lower.as_i64() == Some(0) { lower } else { max(axis.lower.clone(), lower) };
            } else {
                // The first period that reaches into the chunk.
                let step = Expr::i64(axis.step);
                let before = max(lower.clone() - axis.lower.clone(), Expr::i64(0));
                let before = if axis.width == 1 { before + Expr::i64(axis.step - 1) } else { before };
                let periods = Expr::binary(BinOp::Div, before, step.clone());
                let first = axis.lower.clone() + periods * step;
                axis.lower = self.keep_i64(first);
                axis.clipped = (axis.width > 1).then_some(lower);
            }
        }
        axes
    }

    fn axes(
        &mut self,
        data: &WithLoopData,
        axes: &[Axis],
        order: &Order,
        parallel: Option<Parallel>,
        index: &mut Vec<Expr>,
        body: Inside<'_, 'a>,
    ) {
        let at = index.len();
        let Some(axis) = axes.get(at) else { return body(self, index) };
        if axis.is_single() {
            index.push(axis.lower.clone());
            self.axes(data, axes, order, parallel, index, body);
            index.pop();
            return;
        }
        let name = data.indices.get(at).and_then(|&i| self.func.values[i].name.clone());
        let kind = order.loop_kind(parallel);
        let header = LoopHeader { lower: axis.lower.clone(), upper: axis.upper.clone(), step: 1, kind, name };
        if axis.is_dense() {
            self.counted_loop(header, |lowering, i| {
                index.push(i);
                lowering.axes(data, axes, order, None, index, body);
                index.pop();
            });
            return;
        }
        let header = LoopHeader { step: axis.step, ..header };
        self.counted_loop(header, |lowering, period| {
            if axis.width == 1 {
                index.push(period);
                lowering.axes(data, axes, order, None, index, body);
                index.pop();
                return;
            }
            let end = min(period.clone() + Expr::i64(axis.width), axis.upper.clone());
            let lower = match &axis.clipped {
                Some(clipped) => max(period, clipped.clone()),
                None => period,
            };
            let header = LoopHeader { lower, upper: end, step: 1, kind: order.loop_kind(None), name: None };
            lowering.counted_loop(header, |lowering, i| {
                index.push(i);
                lowering.axes(data, axes, order, None, index, body);
                index.pop();
            });
        });
    }

    /// One index of the space: the cells of the generator that it belongs to.
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
                BinOp::And,
                Expr::binary(BinOp::Le, Expr::i64(0), distance.clone()),
                Expr::binary(BinOp::Lt, i.clone(), upper),
            );
            if generator.step[axis] != generator.width[axis] {
                let phase = Expr::binary(BinOp::FloorMod, distance, Expr::i64(generator.step[axis]));
                let on_grid = Expr::binary(BinOp::Lt, phase, Expr::i64(generator.width[axis]));
                here = Expr::binary(BinOp::And, here, on_grid);
            }
            belongs = Some(match belongs {
                None => here,
                Some(before) => Expr::binary(BinOp::And, before, here),
            });
        }
        let Some(belongs) = belongs else { return self.point(data, sinks, generator, index) };
        let then = self.nested(|lowering| lowering.point(data, sinks, generator, index));
        let otherwise = self.nested(|lowering| lowering.dispatch(data, sinks, others, index));
        self.emit(nest::Stmt::If { cond: belongs, then, otherwise });
    }
}

/// The first generator ends where the second begins, or earlier.
fn ends_before(first: &Generator, second: &Generator) -> bool {
    let (end, begin) = (first.upper[0], second.lower[0]);
    let constants = end.constant().and_then(|c| c.as_i64()).zip(begin.constant().and_then(|c| c.as_i64()));
    end == begin || constants.is_some_and(|(end, begin)| end <= begin)
}
