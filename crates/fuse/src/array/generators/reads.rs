//! Splitting a consumer's generators by the generators of a producer that they read.
//! Source: \[MERGE\] section 4: the intersection of a consumer's generator with those that it reads, for every read.

use super::bounds::Bounds;
use super::boxes::refined;
use super::preimage::preimages;
use super::{Grid, limited};
use crate::array::Refusal;
use frit_ir::affine::{AxisForm, Poly};
use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Value, WithLoopData};
use frit_simplify::ranges::Ranges;

/// A consumer each of whose generators reads, with each of its reads, one generator of the producer.
#[derive(Clone, Debug)]
pub struct Split {
    /// The consumer.
    pub data: WithLoopData,
    /// For each generator and each read in its body, in order and with those in inner blocks: the producer's generator.
    pub reads: Vec<Vec<usize>>,
}

/// Splits the consumer's generators so that every `index` of the producer's array in them reads one generator of the producer.
///
/// A read with fewer indices than the producer's space has axes needs the array as a whole.
pub fn split_by_reads(
    bounds: &mut Bounds,
    consumer: WithLoopData,
    array: Value,
    producer: &WithLoopData,
) -> Result<Split, Refusal> {
    let mut parts: Vec<(Grid, usize, Vec<usize>)> = Vec::new();
    for (at, generator) in consumer.generators.iter().enumerate() {
        let mut own = vec![(Grid::of(generator), at, Vec::new())];
        for read in reads(bounds, &consumer, at, array) {
            if read.len() < producer.space.len() {
                return Err(Refusal::UsedAsWhole { array, span: bounds.span() });
            }
            let mut next = Vec::new();
            for (grid, at, read_before) in own {
                for (part, source) in preimages(bounds, &grid, &read, producer, array)? {
                    next.push((part, at, [&read_before[..], &[source]].concat()));
                }
            }
            own = limited(next, bounds.span())?;
        }
        parts.extend(own);
    }
    let parts = limited(parts, bounds.span())?;
    let reads = parts.iter().map(|(_, _, reads)| reads.clone()).collect();
    let data = refined(bounds.func, consumer, parts.into_iter().map(|(grid, at, _)| (grid, at)));
    Ok(Split { data, reads })
}

/// The indices of every read of the array in a generator's body, as forms over the axes of the space.
fn reads(
    bounds: &mut Bounds,
    consumer: &WithLoopData,
    generator: usize,
    array: Value,
) -> Vec<Vec<Option<AxisForm<Value>>>> {
    let outside = bounds.facts.now();
    let generator = &consumer.generators[generator];
    let mut search = Search { func: bounds.func, facts: bounds.facts, consumer, array, outside, found: Vec::new() };
    search.facts.enter();
    let ends = generator.lower.iter().zip(&generator.upper);
    for (&index, (&lower, &upper)) in consumer.indices.iter().zip(ends) {
        search.facts.bind_index(index, lower, upper);
    }
    search.block(&generator.body);
    search.facts.leave();
    search.found
}

struct Search<'a> {
    func: &'a Func,
    facts: &'a mut Ranges,
    consumer: &'a WithLoopData,
    array: Value,
    /// When the with-loop begins: what is defined later is inside of it.
    outside: u32,
    found: Vec<Vec<Option<AxisForm<Value>>>>,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Op::Index { array, indices } = &stmt.op
                && *array == self.array
            {
                let forms = indices.iter().map(|&index| self.form(index)).collect();
                self.found.push(forms);
            }
            self.facts.enter();
            stmt.op.for_each_binder(self.func, &mut |binder| {
                self.facts.introduce(binder, (i64::MIN.into(), i64::MAX.into()));
            });
            if let Op::Loop(data) = &stmt.op
                && let LoopKind::For { index, count } = data.kind
            {
                self.facts.bind_index(index, Operand::i64(0), count);
            }
            let func = self.func;
            stmt.op.for_each_block(func, &mut |inner| self.block(inner));
            self.facts.leave();
            self.facts.define(func, stmt);
        }
    }

    /// The index as one axis times a stride and an offset from outside; `None` if it is not that.
    fn form(&self, index: Operand) -> Option<AxisForm<Value>> {
        let sum: Poly<Value> = (*self.facts.ring(index)).clone();
        let (mut rest, mut along) = (sum, None);
        for (axis, own) in self.consumer.indices.iter().enumerate() {
            let (factor, others) = rest.linear_in(own)?;
            if !factor.is_zero() {
                if along.is_some() {
                    return None;
                }
                along = Some((axis, factor.as_constant()?));
            }
            rest = others;
        }
        // What is known from nowhere comes from an enclosing block.
        let (facts, outside) = (&self.facts, self.outside);
        let is_inside = |symbol: Operand| facts.was_there(symbol, facts.now()) && !facts.was_there(symbol, outside);
        let is_known = rest.symbols().into_iter().all(|&symbol| !is_inside(symbol.into()));
        is_known.then(|| match along {
            None => AxisForm::constant(rest),
            Some((axis, stride)) => AxisForm::strided(axis, stride, rest),
        })
    }
}
