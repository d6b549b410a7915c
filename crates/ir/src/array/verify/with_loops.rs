//! With-loops: the shapes of their generators, and the types of cells, neutral elements and results.

use super::operations::with_outer;
use super::{Checked, Fault, Invariant, Verifier, need_count};
use crate::array::{
    Extent, Generator, Lambda, Operand, Operator, OperatorData, Stmt, Type, Value, WithLoop, WithLoopData,
};
use crate::scalar::Scalar;

/// Periods longer than this are not compared index by index.
const LONGEST_PERIOD: i64 = 4096;

impl<'a> Verifier<'a> {
    pub(super) fn with_loop(&mut self, stmt: &'a Stmt, label: WithLoop) -> Checked<'a> {
        let Some(data) = self.func.with_loops.get(label) else {
            return Err(Fault::new(Invariant::InScope, format!("{label} is no with-loop of the function")));
        };
        if std::mem::replace(&mut self.labels[label], true) {
            return Err(Fault::new(Invariant::DefinedOnce, format!("{label} stands in two places")));
        }
        need_count("indices", data.space.len(), data.indices.len())?;
        data.space.iter().try_for_each(|&extent| self.extent(extent))?;
        let results = data.operators.iter().map(|operator| operator.op.results()).sum();
        need_count("results", results, stmt.results.len())?;
        for generator in &data.generators {
            self.generator_shape(data, generator)?;
        }
        disjoint(&data.generators)?;
        covering(data)?;

        let in_cells = std::mem::replace(&mut self.in_cells, true);
        let outer = self.scope.len();
        for &index in &data.indices {
            self.define(index)?;
            self.need_type(index.into(), &Type::scalar(Scalar::I64), Invariant::OperandType, "an index")?;
        }
        let cells: usize = data.operators.iter().map(OperatorData::cells).sum();
        for generator in &data.generators {
            self.block(&generator.body)?;
            need_count("cells", cells, generator.body.results.len())?;
        }
        self.leave(outer);
        let (mut cell, mut result) = (0, 0);
        for operator in &data.operators {
            let made = &stmt.results[result..result + operator.op.results()];
            self.operator(data, operator, cell, made)?;
            cell += operator.cells();
            result += operator.op.results();
        }
        self.in_cells = in_cells;
        Ok(())
    }

    fn generator_shape(&self, data: &WithLoopData, generator: &Generator) -> Checked<'a> {
        let rank = data.space.len();
        need_count("lower bounds", rank, generator.lower.len())?;
        need_count("upper bounds", rank, generator.upper.len())?;
        need_count("steps", rank, generator.step.len())?;
        need_count("widths", rank, generator.width.len())?;
        let wrong = |message: String| Err(Fault::new(Invariant::GeneratorShape, message));
        for axis in 0..rank {
            let (lower, upper) = (generator.lower[axis], generator.upper[axis]);
            self.scalar(lower, Scalar::I64, "a lower bound")?;
            self.scalar(upper, Scalar::I64, "an upper bound")?;
            let (step, width) = (generator.step[axis], generator.width[axis]);
            if step < 1 || width < 1 || width > step {
                return wrong(format!("a width of {width} of every {step} indices is no grid"));
            }
            let (lower, upper) = (constant(lower), constant(upper));
            if let (Some(lower), Some(upper)) = (lower, upper)
                && lower >= upper
            {
                // No index at all: wherever it is, it is within the space.
                continue;
            }
            if lower.is_some_and(|lower| lower < 0) {
                return wrong(format!("the lower bound {} is negative", generator.lower[axis]));
            }
            if let (Some(upper), Extent::Const(extent)) = (upper, data.space[axis])
                && upper > extent.max(0)
            {
                return wrong(format!("the upper bound {upper} is beyond the space of {extent}"));
            }
        }
        Ok(())
    }

    /// One operator, whose first cell is `cell`, makes these results.
    fn operator(
        &mut self,
        data: &'a WithLoopData,
        operator: &'a OperatorData,
        cell: usize,
        made: &[Value],
    ) -> Checked<'a> {
        let guard_needed = matches!(operator.op, Operator::Filter { .. });
        let guard_allowed = guard_needed || matches!(operator.op, Operator::Fold { .. });
        if operator.guarded && !guard_allowed {
            return Err(Fault::new(Invariant::Guards, "only `fold` and `filter` are guarded"));
        }
        if guard_needed && !operator.guarded {
            return Err(Fault::new(Invariant::Guards, "`filter` needs a guard"));
        }
        let mut cell = cell;
        if operator.guarded {
            self.each_cell(data, cell, |v, guard| {
                v.need_type(guard, &Type::scalar(Scalar::Bool), Invariant::OperandType, "a guard")
            })?;
            cell += 1;
        }
        match &operator.op {
            Operator::GenArray => self.each_cell(data, cell, |v, element| {
                let mut ty = v.func.operand_type(element);
                ty.shape.splice(..0, data.space.iter().copied());
                if let Some(declared) = v.func.values.get(made[0])
                    && declared.ty.rank() == ty.rank()
                    && declared.ty.shape.contains(&Extent::Const(0))
                {
                    // An empty array has no row that could be of another size: cells of no index tell nothing.
                    ty.shape = declared.ty.shape.clone();
                }
                v.result_fits(made[0], &ty)
            }),
            Operator::ModArray { source, .. } => {
                let ty = self.array(*source)?;
                if ty.rank() < data.space.len() {
                    let message = format!("a space of rank {} is no part of {source} of type {ty}", data.space.len());
                    return Err(Fault::new(Invariant::OperandType, message));
                }
                let space = Type::array(ty.elem, data.space.clone());
                let leading = Type::array(ty.elem, ty.shape[..data.space.len()].to_vec());
                super::fits(&leading, &space, Invariant::OperandType, || format!("the source {source}"))?;
                let element = ty.row(data.space.len());
                self.each_cell(data, cell, |v, new| v.need_type(new, &element, Invariant::OperandType, "a cell"))?;
                self.result_fits(made[0], ty)
            }
            Operator::Fold { combine, neutral, .. } => {
                self.combine(data, combine, neutral, cell)?;
                for (&result, &neutral) in made.iter().zip(neutral) {
                    self.result_fits(result, &self.func.operand_type(neutral))?;
                }
                Ok(())
            }
            Operator::Scan { combine, neutral } => {
                let length = along_one_axis(data, "scan")?;
                self.combine(data, combine, neutral, cell)?;
                for (&result, &neutral) in made.iter().zip(neutral) {
                    self.result_fits(result, &with_outer(length, &self.func.operand_type(neutral)))?;
                }
                Ok(())
            }
            Operator::Filter { .. } => {
                along_one_axis(data, "filter")?;
                let count = made[0];
                self.result_fits(count, &Type::scalar(Scalar::I64))?;
                for (at, &result) in made[1..].iter().enumerate() {
                    self.each_cell(data, cell + at, |v, element| {
                        let ty = with_outer(Extent::Value(count), &v.func.operand_type(element));
                        v.result_fits(result, &ty)
                    })?;
                }
                Ok(())
            }
            Operator::Uniform => {
                let size = Type::scalar(Scalar::I64);
                self.each_cell(data, cell, |v, x| v.need_type(x, &size, Invariant::OperandType, "a cell"))?;
                self.result_fits(made[0], &size)
            }
        }
    }

    /// Applies a check to the cell at this place of every generator.
    fn each_cell(
        &self,
        data: &WithLoopData,
        cell: usize,
        check: impl Fn(&Self, Operand) -> Checked<'a>,
    ) -> Checked<'a> {
        data.generators.iter().try_for_each(|generator| check(self, generator.body.results[cell]))
    }

    /// Accumulators and results of `combine` have the types of the neutral elements; so have the cells, but for extents.
    fn combine(
        &mut self,
        data: &'a WithLoopData,
        combine: &'a Lambda,
        neutral: &'a [Operand],
        cell: usize,
    ) -> Checked<'a> {
        neutral.iter().try_for_each(|&neutral| self.operand(neutral))?;
        need_count("parameters of the combining function", 2 * neutral.len(), combine.params.len())?;
        need_count("results of the combining function", neutral.len(), combine.body.results.len())?;
        let types: Vec<Type> = neutral.iter().map(|&neutral| self.func.operand_type(neutral)).collect();
        let outer = self.scope.len();
        for (at, &param) in combine.params.iter().enumerate() {
            self.define(param)?;
            let mut needed = types[at % types.len()].clone();
            let found = self.func.ty(param);
            if at >= types.len() && found.rank() == needed.rank() {
                // A cell of another size than the accumulator: the program fails when it gets there.
                needed.shape.clone_from(&found.shape);
            }
            self.need_type(param.into(), &needed, Invariant::OperandType, "a parameter of the combining function")?;
        }
        self.block(&combine.body)?;
        self.leave(outer);
        for (at, ty) in types.iter().enumerate() {
            let result = combine.body.results[at];
            self.need_type(result, ty, Invariant::OperandType, "a result of the combining function")?;
            let needed = self.func.ty(combine.params[types.len() + at]);
            self.each_cell(data, cell + at, |v, cell| v.need_type(cell, needed, Invariant::OperandType, "a cell"))?;
        }
        Ok(())
    }
}

fn along_one_axis<'a>(data: &WithLoopData, operator: &str) -> Checked<'a, Extent> {
    match data.space[..] {
        [length] => Ok(length),
        _ => {
            let message = format!("`{operator}` needs a space of rank 1, not {}", data.space.len());
            Err(Fault::new(Invariant::GeneratorShape, message))
        }
    }
}

fn constant(operand: Operand) -> Option<i64> {
    operand.constant().and_then(|c| c.as_i64())
}

/// The indices of one axis of a generator, if its bounds are constants.
#[derive(Clone, Copy)]
struct Grid {
    lower: i64,
    upper: i64,
    step: i64,
    width: i64,
}

impl Grid {
    fn of(generator: &Generator, axis: usize) -> Option<Grid> {
        let (lower, upper) = (constant(generator.lower[axis])?, constant(generator.upper[axis])?);
        Some(Grid { lower, upper, step: generator.step[axis], width: generator.width[axis] })
    }

    fn is_dense(self) -> bool {
        self.width == self.step
    }

    fn contains(self, index: i64) -> bool {
        self.lower <= index && index < self.upper && (index - self.lower) % self.step < self.width
    }

    /// The number of indices.
    fn len(self) -> i128 {
        let range = (i128::from(self.upper) - i128::from(self.lower)).max(0);
        let (step, width) = (i128::from(self.step), i128::from(self.width));
        range / step * width + (range % step).min(width)
    }

    /// Whether both have an index in common; `None` if that takes too long to find out.
    fn meets(self, other: Grid) -> Option<bool> {
        let (from, to) = (self.lower.max(other.lower), self.upper.min(other.upper));
        if from >= to {
            return Some(false);
        }
        if self.is_dense() && other.is_dense() {
            return Some(true);
        }
        // From `from` on both repeat after the product of their periods.
        let period = self.step.checked_mul(other.step).filter(|&period| period <= LONGEST_PERIOD)?;
        let last = to.min(from.saturating_add(period));
        Some((from..last).any(|index| self.contains(index) && other.contains(index)))
    }
}

/// No two generators have an index in common, as far as their bounds are constants.
fn disjoint<'a>(generators: &[Generator]) -> Checked<'a> {
    for (at, first) in generators.iter().enumerate() {
        for second in &generators[at + 1..] {
            let meet = |axis| Some(Grid::of(first, axis)?.meets(Grid::of(second, axis)?) == Some(true));
            if (0..first.lower.len()).all(|axis| meet(axis) == Some(true)) {
                return Err(Fault::new(Invariant::Disjoint, "two generators have an index in common"));
            }
        }
    }
    Ok(())
}

/// The generators, which are disjoint, have as many indices as the space, if an operator needs that and all is constant.
fn covering<'a>(data: &WithLoopData) -> Checked<'a> {
    let needed = data.operators.iter().any(|operator| match operator.op {
        Operator::GenArray | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => true,
        Operator::Fold { .. } | Operator::ModArray { .. } => false,
    });
    if !needed {
        return Ok(());
    }
    let mut space = Some(1i128);
    for extent in &data.space {
        space = match extent {
            Extent::Const(n) => space.and_then(|size| size.checked_mul(i128::from((*n).max(0)))),
            Extent::Value(_) => None,
        };
    }
    let mut covered = Some(0i128);
    for generator in &data.generators {
        let mut axes = (0..data.space.len()).map(|axis| Grid::of(generator, axis));
        let size = axes.try_fold(1i128, |size, grid| size.checked_mul(grid?.len()));
        covered = covered.and_then(|sum| sum.checked_add(size?));
    }
    let no_generator = data.generators.is_empty() && space != Some(0);
    if no_generator || matches!((space, covered), (Some(space), Some(covered)) if space != covered) {
        return Err(Fault::new(
            Invariant::Covering,
            "the generators leave out a part of the space that an operator needs",
        ));
    }
    Ok(())
}
