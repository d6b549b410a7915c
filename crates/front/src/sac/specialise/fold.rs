//! Folds: the functions that combine cells.

use super::cells::Body;
use super::value::{Data, Scalar, Value};
use super::{Result, Specialiser};
use crate::sac::core::FoldFunction;
use frit_ir::array::{
    self, Block, Extent, Generator, Lambda, Op, Operand, Operator, OperatorData, Stmt, Type, WithLoopData,
};
use frit_ir::{BinOp, Const};
use frit_support::Span;

/// Accumulators of at most so many elements are kept as scalars.
const MAX_SCALARS: usize = 8;

/// A fold of a with-loop.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    /// What combines two values.
    pub(super) function: FoldFunction,
    /// The arguments given in advance.
    pub(super) args: Vec<Value>,
    /// What it starts with.
    pub(super) neutral: Value,
    /// `foldfix`: what it ends with.
    pub(super) stop: Option<Value>,
    /// Where.
    pub(super) span: Span,
}

/// A fold as the array IR has it.
#[derive(Debug)]
pub(super) struct FoldOperator {
    /// The function of accumulators and cells.
    pub(super) combine: Lambda,
    /// Operands may be exchanged.
    pub(super) commutative: bool,
    /// Nothing depends on the order of cells, not even rounding.
    pub(super) is_unordered: bool,
    /// What the accumulators start with.
    pub(super) neutral: Vec<Operand>,
    /// A value like the accumulator.
    pub(super) like: Value,
}

impl<'p> Specialiser<'p> {
    /// The next value of an accumulator.
    pub(super) fn combine(&mut self, fold: &Fold, accumulator: Value, cell: Value) -> Result<Value> {
        let mut args = fold.args.clone();
        args.push(accumulator);
        args.push(cell);
        match fold.function {
            FoldFunction::Overload(overload) => Ok(self.call(overload, args, fold.span)?.remove(0)),
            FoldFunction::Prim(prim) => self.primitive(prim, args, fold.span),
        }
    }

    /// The fold as an operator over the cells of these bodies; `None` if the accumulator changes its shape, or cells are of another
    /// shape than it, so that only a sequential loop does it.
    pub(super) fn fold_operator(
        &mut self,
        fold: &Fold,
        at: usize,
        bodies: &mut [Body],
    ) -> Result<Option<FoldOperator>> {
        let neutral = fold.neutral.clone();
        let cells: Vec<Value> = bodies.iter().filter_map(|body| Some(body.cells.as_ref()?[at].clone())).collect();
        let Some(like) = self.accumulator(&neutral, &cells) else { return Ok(None) };
        let Some(neutral) = self.as_like(&neutral, &like) else { return Ok(None) };
        let mut params = Vec::new();
        for &operand in &neutral {
            let ty = self.builder.func.operand_type(operand);
            params.push(self.builder.value(ty, None));
        }
        let like = self.rebuild(&like, &mut params.iter().map(|&param| param.into()));
        // Cells are like the accumulators, but their extents may be others: those of the first cells, which all have.
        let mut cell_types: Vec<Type> = params.iter().map(|&param| self.builder.func.ty(param).clone()).collect();
        if !matches!(like.data, Data::Components { .. }) {
            let mut is_first = true;
            for body in bodies.iter_mut() {
                let Some(cells) = &body.cells else { continue };
                let cell = cells[at].clone();
                let shape = self.lifted_shape(body, &cell);
                for (ty, leaf) in cell_types.iter_mut().zip(&shape.leaves) {
                    for (extent, found) in ty.shape.iter_mut().zip(&leaf.extents) {
                        match found {
                            Some(found) if self.same_extent(*extent, *found) => {}
                            Some(found) if is_first => *extent = *found,
                            Some(_) | None => return Ok(None),
                        }
                    }
                }
                is_first = false;
            }
        }
        let cell_params: Vec<array::Value> = cell_types.into_iter().map(|ty| self.builder.value(ty, None)).collect();
        let cell = self.rebuild(&like, &mut cell_params.iter().map(|&param| param.into()));
        let accumulator = like.clone();
        let (mut body, results) = self.in_block(|this| {
            let next = this.combine(fold, accumulator, cell)?;
            Ok(this.as_like(&next, &like))
        })?;
        body.results = match results {
            None => {
                let types: Vec<Type> = params.iter().map(|&param| self.builder.func.ty(param).clone()).collect();
                body = self.after_failure(body, &types)?;
                body.results.clone()
            }
            Some(Some(results)) if self.are_of_types(&results, &params) => results,
            Some(_) => return Ok(None),
        };
        let operators = self.scalar_operators(&body.stmts, &body.results, &params, &cell_params);
        let elem = |param: array::Value| self.builder.func.ty(param).elem;
        let all = |test: &dyn Fn(BinOp, frit_ir::Scalar) -> bool| {
            operators.as_ref().is_some_and(|ops| ops.iter().zip(&params).all(|(&op, &param)| test(op, elem(param))))
        };
        if operators.is_some() && !all(&|op, _| op.is_reduction()) {
            return Ok(None);
        }
        if let Some(stop) = &fold.stop {
            // The fold ends with that anyway if nothing leads away from it.
            let stop = stop.as_scalar().and_then(|stop| stop.as_const());
            let absorbs = |op: BinOp, _| match stop {
                Some(Const::Bool(stop)) => op == if stop { BinOp::OR } else { BinOp::AND },
                _ => false,
            };
            let checks = bodies.iter().any(|body| self.has_checks(&body.block));
            if !all(&absorbs) || checks {
                return Ok(None);
            }
        }
        let commutative = all(&|op, elem| op.is_commutative(elem));
        let is_unordered = all(&|op, elem| op.is_commutative(elem) && !elem.is_float());
        let combine = Lambda { params: params.into_iter().chain(cell_params).collect(), body };
        Ok(Some(FoldOperator { combine, commutative, is_unordered, neutral, like }))
    }

    /// What is like all of these values: components where they are few, else arrays.
    fn accumulator(&self, neutral: &Value, cells: &[Value]) -> Option<Value> {
        let is_like = |cell: &Value| self.rank(cell) == self.rank(neutral) && cell.elem == neutral.elem;
        if !cells.iter().all(is_like) {
            return None;
        }
        let basic = self.basic(neutral.elem);
        let constant = |value: &Value| -> Option<Vec<usize>> {
            let extent = |extent: Extent| match extent {
                Extent::Const(n) => usize::try_from(n).ok(),
                Extent::Value(_) => None,
            };
            self.data_shape(value).into_iter().map(extent).collect()
        };
        match (basic, constant(neutral)) {
            (Some(basic), Some(shape))
                if shape.iter().product::<usize>() <= MAX_SCALARS
                    && cells.iter().all(|cell| constant(cell).as_ref() == Some(&shape)) =>
            {
                let scalars = vec![Scalar::zero(basic); shape.iter().product()];
                Some(Value::components(neutral.elem, shape, scalars))
            }
            _ => Some(self.arrays_like(neutral)),
        }
    }

    /// The same with arrays for components of rank 1 and more: only a template, of whose arrays nothing but the number matters.
    fn arrays_like(&self, value: &Value) -> Value {
        let data = match &value.data {
            Data::Components { shape, .. } if !shape.is_empty() => Data::Array(frit_support::Index::new(0)),
            Data::Components { .. } | Data::Array(_) => value.data.clone(),
            Data::Struct { frame, fields } => Data::Struct {
                frame: frame.clone(),
                fields: fields.iter().map(|field| self.arrays_like(field)).collect(),
            },
        };
        Value { elem: value.elem, data }
    }

    /// The operands of a value in the form of another one; `None` if it has not that form.
    pub(super) fn as_like(&mut self, value: &Value, like: &Value) -> Option<Vec<Operand>> {
        match (&value.data, &like.data) {
            (Data::Struct { fields, .. }, Data::Struct { fields: others, .. }) => {
                let mut operands = Vec::new();
                for (field, other) in fields.iter().zip(others) {
                    operands.extend(self.as_like(field, other)?);
                }
                Some(operands)
            }
            (Data::Components { shape, .. }, Data::Components { shape: other, .. }) => {
                (shape == other).then(|| self.operands(value))
            }
            (Data::Components { shape, .. }, Data::Array(_)) if shape.is_empty() => None,
            (Data::Components { .. } | Data::Array(_), Data::Array(_)) => Some(vec![self.array(value)]),
            (Data::Array(array), Data::Components { shape, .. }) => self.elements(*array, value, shape),
            (Data::Struct { .. }, _) | (_, Data::Struct { .. }) => None,
        }
    }

    /// The elements of an array that has this shape; `None` if it may have another one.
    fn elements(&mut self, array: array::Value, value: &Value, shape: &[usize]) -> Option<Vec<Operand>> {
        let found = self.data_shape(value);
        let is_same = found.len() == shape.len()
            && found.iter().zip(shape).all(|(extent, &n)| *extent == Extent::Const(n as i64));
        if !is_same {
            return None;
        }
        let ty = Type::scalar(self.builder.func.ty(array).elem);
        let mut elements = Vec::new();
        for at in 0..shape.iter().product::<usize>() {
            let mut rest = at;
            let mut indices = vec![Operand::i64(0); shape.len()];
            for (index, &extent) in indices.iter_mut().zip(shape).rev() {
                *index = Operand::i64((rest % extent) as i64);
                rest /= extent;
            }
            elements.push(self.emit_one_under(Op::Index { array, indices }, ty.clone(), &[]).into());
        }
        Some(elements)
    }

    /// True if something in the block may fail.
    fn has_checks(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let mut found = matches!(stmt.op, Op::Assert { .. } | Op::Call { .. } | Op::Loop(_));
            stmt.op.for_each_block(&self.builder.func, &mut |inner| found = found || self.has_checks(inner));
            found
        })
    }

    /// Whether what the block says holds for all indices below the extents.
    pub(super) fn conjunction(&mut self, space: &[Extent], indices: Vec<array::Value>, body: Block) -> Operand {
        let bool_type = Type::scalar(frit_ir::Scalar::Bool);
        let params: Vec<array::Value> = (0..2).map(|_| self.builder.value(bool_type.clone(), None)).collect();
        self.builder.open_block();
        let both = self.builder.binary(BinOp::AND, params[0].into(), params[1].into());
        let combine = Lambda { params, body: self.builder.close_block(vec![both]) };
        let generators = vec![Generator::full(space, body)];
        let neutral = vec![Const::Bool(true).into()];
        let operators = vec![OperatorData::new(Operator::Fold { combine, neutral, commutative: true })];
        let span = self.builder.span();
        let data = WithLoopData { space: space.to_vec(), indices, generators, operators, span };
        let label = self.builder.func.with_loops.push(data);
        self.emit_one_under(Op::With(label), bool_type, &[]).into()
    }

    /// True if these have the types of the others, extents included.
    pub(super) fn are_of_types(&self, operands: &[Operand], others: &[array::Value]) -> bool {
        operands.iter().zip(others).all(|(&operand, &other)| {
            let (found, needed) = (self.builder.func.operand_type(operand), self.builder.func.ty(other));
            let extents = found.shape.iter().zip(&needed.shape);
            found.rank() == needed.rank() && extents.into_iter().all(|(&x, &y)| self.same_extent(x, y))
        })
    }

    /// The operators, if every accumulator is combined by one scalar operator with the cell at its position, and nothing else
    /// happens.
    fn scalar_operators(
        &self,
        stmts: &[Stmt],
        results: &[Operand],
        accumulators: &[array::Value],
        cells: &[array::Value],
    ) -> Option<Vec<BinOp>> {
        if stmts.len() != accumulators.len() {
            return None;
        }
        let operator = |(at, result): (usize, &Operand)| {
            let result = result.value()?;
            let stmt = stmts.iter().find(|stmt| stmt.results == [result])?;
            let Op::Binary { op, x, y } = stmt.op else { return None };
            let (accumulator, cell) = (Operand::Value(accumulators[at]), Operand::Value(cells[at]));
            let is_exchanged =
                (y, x) == (accumulator, cell) && op.is_commutative(self.builder.func.ty(accumulators[at]).elem);
            ((x, y) == (accumulator, cell) || is_exchanged).then_some(op)
        };
        results.iter().enumerate().map(operator).collect()
    }
}
