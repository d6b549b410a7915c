//! How much of an array a with-loop reads: the box around all places that it reads, where that follows from the program.
//!
//! The box is known if the array is only indexed, in every iteration, and each index is a sum of sizes and at most one index of a loop. What is
//! read under a condition, through a view, or at an index from elsewhere may be anywhere in the array.

use super::traffic::{Count, Sizes};
use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Value, WithLoop, WithLoopData};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// From the first, to below the second.
type Range = (Count, Count);

/// The elements in the box that a with-loop reads of an array from outside; `None` if it may read all. `is_view` says which other arrays are views
/// of it.
pub(super) fn elements_read(
    func: &Func,
    sizes: &Sizes,
    w: WithLoop,
    array: Value,
    is_view: &dyn Fn(Value) -> bool,
) -> Option<Count> {
    let (ranges, inside) = (BTreeMap::new(), BTreeSet::new());
    let mut reads = Reads { func, sizes, array, is_view, ranges, inside, read: None };
    reads.with_loop(&func.with_loops[w])?;
    let extents = &func.ty(array).shape;
    let sides = reads.read?.into_iter().zip(extents).map(|(range, &extent)| {
        let extent = sizes.poly(extent.into());
        match range.map(|(lower, upper)| upper - lower) {
            // A box that is larger than the array is one of an empty loop, or one that only seems to be read.
            Some(side) if compare(&side, &extent) != Some(Ordering::Greater) => side,
            Some(_) | None => extent,
        }
    });
    Some(sides.fold(Count::constant(1), |product, side| &product * &side))
}

struct Reads<'f> {
    func: &'f Func,
    sizes: &'f Sizes,
    array: Value,
    is_view: &'f dyn Fn(Value) -> bool,
    /// What the indices of the loops around the statement at hand run over.
    ranges: BTreeMap<Value, Range>,
    /// What is defined in the with-loop.
    inside: BTreeSet<Value>,
    /// Per axis what is read, unless all of it may be; nothing if nothing is.
    read: Option<Vec<Option<Range>>>,
}

/// Methods yield nothing where the array is used otherwise than by reads whose place may be known.
impl Reads<'_> {
    fn with_loop(&mut self, data: &WithLoopData) -> Option<()> {
        let mut is_used = false;
        data.for_each_operand(&mut |operand| is_used |= self.is_array(operand));
        if is_used {
            return None;
        }
        for generator in &data.generators {
            for (axis, &index) in data.indices.iter().enumerate() {
                let range = (self.sizes.poly(generator.lower[axis]), self.sizes.poly(generator.upper[axis]));
                self.ranges.insert(index, range);
                self.inside.insert(index);
            }
            self.block(&generator.body)?;
        }
        for lambda in data.lambdas() {
            self.inside.extend(&lambda.params);
            self.block(&lambda.body)?;
        }
        Some(())
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        for stmt in &block.stmts {
            self.inside.extend(&stmt.results);
            if let Op::Index { array, indices } = &stmt.op
                && *array == self.array
            {
                self.index(indices);
                continue;
            }
            self.is_unused_by(&stmt.op)?;
            if let Op::With(w) = stmt.op {
                let func = self.func;
                self.with_loop(&func.with_loops[w])?;
            } else if let Op::Loop(data) = &stmt.op
                && let LoopKind::For { index, count } = &data.kind
            {
                self.ranges.insert(*index, (Count::zero(), self.sizes.poly(*count)));
                self.inside.insert(*index);
                self.inside.extend(&data.params);
                self.block(&data.body)?;
            } else {
                // The blocks of a branch, or of a loop that may not run.
                let mut inner = Vec::new();
                stmt.op.for_each_block(self.func, &mut |block| inner.push(block));
                inner.into_iter().try_for_each(|block| self.is_unused_in(block))?;
            }
        }
        block.results.iter().try_for_each(|&cell| (!self.is_array(cell)).then_some(()))
    }

    fn is_unused_in(&self, block: &Block) -> Option<()> {
        for stmt in &block.stmts {
            self.is_unused_by(&stmt.op)?;
            let mut inner = Vec::new();
            stmt.op.for_each_block(self.func, &mut |block| inner.push(block));
            inner.into_iter().try_for_each(|block| self.is_unused_in(block))?;
        }
        block.results.iter().try_for_each(|&cell| (!self.is_array(cell)).then_some(()))
    }

    /// The operation itself, not what is in its blocks.
    fn is_unused_by(&self, op: &Op) -> Option<()> {
        let mut is_used = false;
        op.for_each_operand(self.func, &mut |operand| is_used |= self.is_array(operand));
        (!is_used).then_some(())
    }

    /// The operand is the array, or a view of it.
    fn is_array(&self, operand: Operand) -> bool {
        operand
            .value()
            .is_some_and(|value| value == self.array || (!self.func.ty(value).is_scalar() && (self.is_view)(value)))
    }

    /// Takes a read at these indices into the box; axes without an index are read as a whole.
    fn index(&mut self, indices: &[Operand]) {
        let rank = self.func.ty(self.array).shape.len();
        let ranges: Vec<Option<Range>> = (0..rank).map(|axis| self.range(*indices.get(axis)?)).collect();
        self.read = Some(match self.read.take() {
            None => ranges,
            Some(read) => read.into_iter().zip(ranges).map(|(one, other)| hull(one?, other?)).collect(),
        });
    }

    /// What an index runs over.
    fn range(&self, index: Operand) -> Option<Range> {
        let index = self.sizes.poly(index);
        let symbols: Vec<Value> = index.symbols().into_iter().copied().collect();
        let mut of_loops = symbols.iter().filter(|symbol| self.ranges.contains_key(symbol));
        let (lower, upper) = match (of_loops.next(), of_loops.next()) {
            (None, _) => (index.clone(), &index + &Count::constant(1)),
            (Some(symbol), None) => {
                let (factor, rest) = index.linear_in(symbol)?;
                let (first, end) = &self.ranges[symbol];
                match factor.as_constant()? {
                    1 => (&rest + first, &rest + end),
                    -1 => (&rest - end + Count::constant(1), &rest - first + Count::constant(1)),
                    _ => return None,
                }
            }
            (Some(_), Some(_)) => return None,
        };
        let is_inside = |bound: &Count| bound.symbols().into_iter().any(|symbol| self.inside.contains(symbol));
        (!is_inside(&lower) && !is_inside(&upper)).then_some((lower, upper))
    }
}

/// The range around both, if it is known which bounds are the outer ones.
fn hull((lower, upper): Range, (other_lower, other_upper): Range) -> Option<Range> {
    let lower = if compare(&lower, &other_lower)?.is_le() { lower } else { other_lower };
    let upper = if compare(&upper, &other_upper)?.is_ge() { upper } else { other_upper };
    Some((lower, upper))
}

/// How two counts compare for all sizes, if that is known.
fn compare(one: &Count, other: &Count) -> Option<Ordering> {
    let difference = (one - other).as_constant()?;
    Some(difference.cmp(&0))
}
