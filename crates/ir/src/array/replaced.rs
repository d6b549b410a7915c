//! Whether a with-loop may write its results into the memory of an array that its blocks read.
//!
//! It may if each element is read only where the same index replaces it, or if no index replaces it at all. The second is shown axis by
//! axis: the numbers read and those written are in different classes of a grid, or in different intervals. Red-black relaxation is the
//! classic case: points of one colour are made from those of the other.

use super::{Block, Func, Generator, Op, Operand, Stmt, Value, WithLoopData};
use crate::affine::Poly;
use crate::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Classes of a grid that are compared one by one.
const MAX_CLASSES: usize = 16;

/// Sums with larger coefficients, and steps beyond, are not looked at: sums of products with indices then stay exact.
const MAX_COEFFICIENT: i64 = 1 << 14;

/// Sums with more terms are not looked at.
const MAX_TERMS: usize = 8;

/// True if the blocks of the with-loop read the memory of `source` only by elements of `source` that the same index replaces, or that
/// no index replaces. `sums` are those of the function; `may_share` says of an operand whether it may have that memory.
pub fn reads_only_what_may_be_replaced(
    func: &Func,
    sums: &Sums,
    data: &WithLoopData,
    source: Value,
    may_share: &mut dyn FnMut(Operand) -> bool,
) -> bool {
    let bodies = data.generators.iter().map(|generator| (Some(generator), &generator.body));
    let lambdas = data.lambdas().map(|lambda| (None, &lambda.body));
    for (generator, body) in bodies.chain(lambdas) {
        let mut open: Vec<&Block> = vec![body];
        while let Some(block) = open.pop() {
            for stmt in &block.stmts {
                let may_be_replaced = match (&stmt.op, generator) {
                    (Op::Index { array, indices }, Some(generator)) if *array == source => {
                        let stays = || {
                            data.generators.iter().all(|writer| {
                                sums.is_kept_by(writer, data, generator, indices)
                                    || std::ptr::eq(writer, generator) && sums.is_of_own_row(data, generator, indices)
                            })
                        };
                        func.ty(stmt.results[0]).is_scalar() && (is_own(data, indices) || stays())
                    }
                    _ => false,
                };
                if !may_be_replaced {
                    let mut is_read = false;
                    stmt.op.for_each_operand(func, &mut |operand| is_read |= may_share(operand));
                    if is_read {
                        return false;
                    }
                }
                stmt.op.for_each_block(func, &mut |inner| open.push(inner));
            }
            if block.results.iter().any(|&result| may_share(result)) {
                return false;
            }
        }
    }
    true
}

/// True if these are the components of the with-loop's index vector.
pub fn is_own(data: &WithLoopData, indices: &[Operand]) -> bool {
    indices.len() == data.indices.len() && indices.iter().zip(&data.indices).all(|(&i, &own)| i == Operand::Value(own))
}

/// Numbers along an axis: `start + class + period * i` for some class, and within an interval if its ends are known.
struct Numbers {
    start: Poly<Value>,
    classes: Vec<i64>,
    /// 0 if `i` is always 0.
    period: i64,
    /// The least number, and the one behind the last.
    interval: Option<[Poly<Value>; 2]>,
}

impl Numbers {
    /// True if no number is among both.
    fn are_apart(&self, other: &Self) -> bool {
        let is_behind = |one: &Self, other: &Self| match (&one.interval, &other.interval) {
            (Some([from, _]), Some([_, end])) => (from - end).as_constant().is_some_and(|distance| distance >= 0),
            _ => false,
        };
        is_behind(self, other) || is_behind(other, self) || self.have_other_classes(other)
    }

    fn have_other_classes(&self, other: &Self) -> bool {
        let period = gcd(self.period, other.period);
        let Some(distance) = (&self.start - &other.start).as_constant() else { return false };
        let meet = |one: i64, two: i64| match period {
            0 => distance + one == two,
            _ => (distance + one - two) % period == 0,
        };
        !self.classes.iter().any(|&one| other.classes.iter().any(|&two| meet(one, two)))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a function computes by sums and products of integers.
pub struct Sums {
    known: BTreeMap<Value, Poly<Value>>,
    /// Integers that are 1 at most.
    small: BTreeSet<Value>,
}

impl Sums {
    /// Those of these blocks, and of all blocks in them.
    pub fn of(func: &Func, blocks: &[&Block]) -> Self {
        let mut sums = Self { known: BTreeMap::new(), small: BTreeSet::new() };
        blocks.iter().for_each(|block| sums.block(func, block));
        sums
    }

    fn block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(func, stmt);
            stmt.op.for_each_block(func, &mut |inner| self.block(func, inner));
        }
    }

    fn stmt(&mut self, func: &Func, stmt: &Stmt) {
        let Op::Binary { op, x, y } = stmt.op else { return };
        let result = stmt.results[0];
        if func.ty(result).elem != Scalar::I64 {
            return;
        }
        let sum = match op {
            BinOp::ADD => &self.sum(x) + &self.sum(y),
            BinOp::SUB => &self.sum(x) - &self.sum(y),
            BinOp::MUL => &self.sum(x) * &self.sum(y),
            BinOp::MIN if [x, y].contains(&Operand::i64(1)) => {
                self.small.insert(result);
                return;
            }
            _ => return,
        };
        let is_small = |(_, coefficient): (_, i64)| (-MAX_COEFFICIENT..=MAX_COEFFICIENT).contains(&coefficient);
        if sum.len() <= MAX_TERMS && sum.terms().all(is_small) {
            self.known.insert(result, sum);
        }
    }

    fn sum(&self, operand: Operand) -> Poly<Value> {
        match operand {
            Operand::Const(constant) => constant.as_i64().map_or_else(Poly::zero, Poly::constant),
            Operand::Value(value) => self.known.get(&value).cloned().unwrap_or_else(|| Poly::symbol(value)),
        }
    }

    /// True if the upper bound is one more than the lower one.
    pub fn is_one(&self, lower: Operand, upper: Operand) -> bool {
        (&self.sum(upper) - &self.sum(lower)).as_constant() == Some(1)
    }

    /// True if the upper bound is a constant more than the lower one.
    pub fn is_few(&self, lower: Operand, upper: Operand) -> bool {
        (&self.sum(upper) - &self.sum(lower)).as_constant().is_some()
    }

    /// True if the upper bound is at most one more than the lower one.
    fn is_one_at_most(&self, lower: Operand, upper: Operand) -> bool {
        let is_small = || upper.value().is_some_and(|upper| self.small.contains(&upper));
        (&self.sum(upper) - &self.sum(lower))
            .as_constant()
            .map_or_else(|| lower == Operand::i64(0) && is_small(), |extent| extent <= 1)
    }

    /// True if the indices are the components of the with-loop's index vector, but on axes where the generator has one number at most: there,
    /// what is read is replaced by the same index, or by none of this generator. A border that is copied from another row or column is like that.
    fn is_of_own_row(&self, data: &WithLoopData, generator: &Generator, indices: &[Operand]) -> bool {
        indices.len() == data.indices.len()
            && indices.iter().zip(&data.indices).enumerate().all(|(axis, (&index, &own))| {
                self.sum(index) == Poly::symbol(own)
                    || self.is_one_at_most(generator.lower[axis], generator.upper[axis])
            })
    }

    /// True if no index of the writing generator replaces an element that the other one reads at `indices`.
    fn is_kept_by(&self, writer: &Generator, data: &WithLoopData, reader: &Generator, indices: &[Operand]) -> bool {
        indices.iter().enumerate().any(|(axis, &index)| {
            let written = self.numbers(data, writer, &Poly::symbol(data.indices[axis]));
            let read = self.numbers(data, reader, &self.sum(index));
            read.zip(written).is_some_and(|(read, written)| read.are_apart(&written))
        })
    }

    /// The numbers that a sum takes in a generator.
    fn numbers(&self, data: &WithLoopData, generator: &Generator, sum: &Poly<Value>) -> Option<Numbers> {
        let (mut start, mut last, mut classes, mut period) = (sum.clone(), Some(sum.clone()), vec![0], 0);
        for (axis, index) in data.indices.iter().enumerate() {
            let factor = sum.factor_of(index)?;
            if factor == 0 {
                continue;
            }
            let (step, width) = (generator.step[axis], generator.width[axis]);
            if width as usize * classes.len() > MAX_CLASSES || step > MAX_COEFFICIENT {
                return None;
            }
            let (lower, upper) = (self.sum(generator.lower[axis]), self.sum(generator.upper[axis]));
            last = last.filter(|_| factor == 1).map(|last| last.substitute(index, &(&upper - &Poly::constant(1))));
            start = start.substitute(index, &lower);
            classes = classes.iter().flat_map(|class| (0..width).map(move |at| class + factor * at)).collect();
            period = gcd(period, (factor * step).abs());
        }
        let interval = last.map(|last| [start.clone(), &last + &Poly::constant(1)]);
        Some(Numbers { start, classes, period, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Operator;
    use crate::array::parse::parse_program;

    /// Whether what a `modarray` with these generators reads at these places may be replaced. The space is `[%0, %0]`, its index
    /// vector `(%2, %3)`; `%4 = %2 + 1`, `%5 = %3 - 1`, `%6 = 2 * %2`, `%7 = %2 + %3`.
    fn may_be_replaced(generators: &[(&str, &str)]) -> bool {
        let body = |(grid, read): &(&str, &str)| {
            format!(
                "{grid} {{
                    %4: i64 = add %2, 1
                    %5: i64 = sub %3, 1
                    %6: i64 = mul 2, %2
                    %7: i64 = add %2, %3
                    %8: i64 = index %1[{read}]
                    yield %8
                }}"
            )
        };
        let mut at = 12;
        let mut bodies = String::new();
        for generator in generators {
            // Every block has names of its own.
            let mut text = body(generator);
            for name in (4..=8).rev() {
                text = text.replace(&format!("%{name}"), &format!("%{}", at + name));
            }
            at += 10;
            bodies += &text;
        }
        let text = format!(
            "func @main[%0](%1: i64[%0, %0]) -> (*i64[%0, %0]) {{
                %10: i64 = sub %0, 1
                %9: i64[%0, %0] = w0: with (%2, %3) in [%0, %0] {{ {bodies} }} : modarray(%1)
                return %9
            }}
            entry @main"
        );
        let program = parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let func = program.funcs.iter().next().expect("there is a function").1;
        let data = func.with_loops.iter().next().expect("there is a with-loop").1;
        let Operator::ModArray { source, .. } = data.operators[0].op else { unreachable!("it is a modarray") };
        reads_only_what_may_be_replaced(func, &Sums::of(func, &[&func.body]), data, source, &mut |operand| {
            operand == Operand::Value(source)
        })
    }

    #[test]
    fn points_of_one_colour_are_made_from_the_other() {
        let odd = "[1, 1] <= iv < [%0, %0] step [2, 2] width [1, 1]";
        let even = "[2, 2] <= iv < [%0, %0] step [2, 2] width [1, 1]";
        assert!(may_be_replaced(&[(odd, "%4, %3"), (even, "%2, %5")]));
        assert!(!may_be_replaced(&[(odd, "%4, %5"), (even, "%2, %5")]), "the neighbour across is of the same colour");
        assert!(!may_be_replaced(&[(odd, "%4, %3"), ("[2, 1] <= iv < [%0, %0] step [2, 2] width [1, 1]", "%4, %3")]));
    }

    #[test]
    fn widths_are_looked_at() {
        let two = "[0, 0] <= iv < [%0, %0] step [3, 1] width [2, 1]";
        assert!(!may_be_replaced(&[(two, "%4, %3")]));
        let one = "[0, 0] <= iv < [%0, %0] step [3, 1] width [1, 1]";
        assert!(may_be_replaced(&[(one, "%4, %3")]));
    }

    #[test]
    fn multiples_are_of_one_class() {
        let odd = "[1, 0] <= iv < [%0, %0] step [2, 1] width [1, 1]";
        assert!(may_be_replaced(&[(odd, "%6, %3")]));
        assert!(!may_be_replaced(&[("[0, 0] <= iv < [%0, %0] step [2, 1] width [1, 1]", "%6, %3")]));
        assert!(!may_be_replaced(&[(odd, "%7, %3")]), "the sum of both indices is of any class");
    }

    #[test]
    fn a_border_may_be_copied_from_any_row_or_column() {
        let (first, last) = ("[0, 0] <= iv < [%0, 1]", "[%10, 0] <= iv < [%0, %0]");
        assert!(may_be_replaced(&[(first, "%2, %0")]));
        assert!(may_be_replaced(&[(last, "3, %3")]));
        assert!(!may_be_replaced(&[(first, "%4, %0")]), "it is of another row");
        assert!(!may_be_replaced(&[("[0, 0] <= iv < [%0, 2]", "%2, %0")]), "the columns may be exchanged");
        assert!(!may_be_replaced(&[(first, "%2, 5"), (last, "%2, %3")]), "one border may be in the other");
    }

    #[test]
    fn intervals_are_compared() {
        let first = "[0, 0] <= iv < [1, %0]";
        assert!(may_be_replaced(&[(first, "%4, %3")]));
        assert!(may_be_replaced(&[(first, "7, %3")]));
        assert!(!may_be_replaced(&[("[0, 0] <= iv < [2, %0]", "%4, %3")]));
        assert!(!may_be_replaced(&[("[0, 0] <= iv < [8, %0]", "7, %3")]));
        assert!(may_be_replaced(&[("[0, 0] <= iv < [%0, %0]", "%2, %3")]), "elements are read where they are replaced");
    }
}
