//! Cells: the blocks of generators, specialised, and the arrays that their cells make.

use super::generators::Part;
use super::value::{Binding, Data, Env, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Basic, Elem};
use frit_ir::array::{
    self, Block, Extent, Generator, Op, Operand, Operator, OperatorData, Stmt, Type, WithLoopData, ops,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar as IrScalar};
use frit_support::Span;
use std::collections::{BTreeSet, HashMap};

/// The block of a generator, specialised.
#[derive(Debug)]
pub(super) struct Body {
    /// Its statements; no results yet.
    pub(super) block: Block,
    /// The components of the index.
    pub(super) indices: Vec<array::Value>,
    /// The cells, one per operation; `None` if the block certainly fails.
    pub(super) cells: Option<Vec<Value>>,
    /// The number of the first value that was made for it, the indices aside.
    pub(super) first: usize,
}

/// The arrays that a value consists of, with their shapes as parts of cells: the value itself, or those of its fields.
#[derive(Clone, Debug)]
pub(super) struct CellShape {
    /// A value like the cells.
    like: Value,
    /// Element types and extents.
    pub(super) leaves: Vec<Leaf>,
}

/// An array of a cell.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The type of its elements.
    pub(super) basic: Basic,
    /// Its extents; `None` for those that cells compute for themselves.
    pub(super) extents: Vec<Option<Extent>>,
}

impl Leaf {
    /// The extents, if all are known outside of the with-loop.
    pub(super) fn known(&self) -> Option<Vec<Extent>> {
        self.extents.iter().copied().collect()
    }
}

impl CellShape {
    /// How many extents the cells compute for themselves.
    pub(super) fn measured(&self) -> usize {
        self.leaves.iter().flat_map(|leaf| &leaf.extents).filter(|extent| extent.is_none()).count()
    }
}

impl<'p> Specialiser<'p> {
    /// Binds the index and runs the block of a generator in the current block; the cells, `count` of them.
    pub(super) fn cells_at(
        &mut self,
        env: &Env,
        part: &Part<'p>,
        index: &[Scalar],
        count: usize,
    ) -> Result<Vec<Value>> {
        let generator = part.generator;
        let mut env = env.clone();
        if let Some(vector) = generator.vector {
            env.bindings[vector] = Binding::Set(Value::vector(index.to_vec()));
        }
        for (local, component) in generator.scalars.iter().flatten().zip(index) {
            env.bindings[*local] = Binding::Set(Value::scalar(*component));
        }
        self.block(&mut env, &generator.body)?;
        match &generator.cells[..] {
            [only] if count != 1 => self.values(&mut env, only, count),
            cells => cells.iter().map(|cell| self.expr(&mut env, cell)).collect(),
        }
    }

    /// Specialises the block of a generator for all its indices. If `is_moved`, indices are counted from the lower bound. The
    /// block must not write.
    pub(super) fn body(&mut self, env: &Env, part: &Part<'p>, is_moved: bool, count: usize) -> Result<Body> {
        let token = self.token;
        let mut body = self.body_that_may_write(env, part, is_moved, count)?;
        if body.cells.is_none() && !self.keeps_loops {
            // It fails for every index, but there may be none: then it matters what its cells are like. Loops inside that are
            // not unrolled have values all the same.
            self.keeps_loops = true;
            let again = self.body_that_may_write(env, part, is_moved, count);
            self.keeps_loops = false;
            body = again.ok().filter(|again| again.cells.is_some()).unwrap_or(body);
        }
        if std::mem::replace(&mut self.token, token) != token {
            return self.unsupported(Reason::OutputInWithLoop, part.generator.span);
        }
        Ok(body)
    }

    /// The same for a block that may write.
    pub(super) fn body_that_may_write(
        &mut self,
        env: &Env,
        part: &Part<'p>,
        is_moved: bool,
        count: usize,
    ) -> Result<Body> {
        let mut indices = Vec::new();
        for (&lower, &upper) in part.lower.iter().zip(&part.upper) {
            let (low, high) = (self.bounds(lower).0, self.bounds(upper).1.saturating_sub(1));
            let index = if is_moved { self.new_size(0, high.saturating_sub(low)) } else { self.new_size(low, high) };
            if is_moved {
                let length = self.difference(upper, lower);
                self.limit(index, Operand::i64(0), length);
            } else {
                self.limit(index, lower, upper);
            }
            indices.push(index);
        }
        let first = self.builder.func.values.len();
        let (block, cells) = self.in_block(|this| {
            let mut index = Vec::new();
            for (&component, &lower) in indices.iter().zip(&part.lower) {
                let component = if is_moved { this.sum(component.into(), lower) } else { component.into() };
                index.push(this.wide(component));
            }
            this.cells_at(env, part, &index, count)
        })?;
        Ok(Body { block, indices, cells, first })
    }

    /// The arrays that a value consists of.
    pub(super) fn leaves(&self, value: &Value) -> Vec<Value> {
        match &value.data {
            Data::Components { .. } | Data::Array(_) => vec![value.clone()],
            Data::Struct { fields, .. } => fields.iter().flat_map(|field| self.leaves(field)).collect(),
        }
    }

    /// The shape of cells like this value, whose last axes these are.
    pub(super) fn cell_shape(&self, like: &Value, frame: usize) -> CellShape {
        let leaf = |leaf: &Value| Leaf {
            basic: self.basic(leaf.elem).expect("structs are taken apart"),
            extents: self.data_shape(leaf)[frame..].iter().copied().map(Some).collect(),
        };
        let leaves = self.leaves(like).iter().map(leaf).collect();
        CellShape { like: like.clone(), leaves }
    }

    /// The shape of the cells of a body, as far as it can be known before the with-loop: what computes extents and depends on
    /// nothing inside is moved there.
    pub(super) fn lifted_shape(&mut self, body: &mut Body, like: &Value) -> CellShape {
        let mut shape = self.cell_shape(like, 0);
        for leaf in &mut shape.leaves {
            for extent in &mut leaf.extents {
                if let Some(Extent::Value(value)) = *extent
                    && !self.lift(body, value)
                {
                    *extent = None;
                }
            }
        }
        shape
    }

    /// Moves what computes a value from a body to before the with-loop, if it is defined everywhere and depends on nothing else in
    /// there. False if it is not.
    pub(super) fn lift(&mut self, body: &mut Body, value: array::Value) -> bool {
        let definitions: HashMap<array::Value, usize> = body
            .block
            .stmts
            .iter()
            .enumerate()
            .flat_map(|(at, stmt)| stmt.results.iter().map(move |&v| (v, at)))
            .collect();
        let mut moved = BTreeSet::new();
        if !self.collect_liftable(body, &definitions, value, &mut moved) {
            return false;
        }
        let mut kept = Vec::new();
        for (at, stmt) in std::mem::take(&mut body.block.stmts).into_iter().enumerate() {
            if moved.contains(&at) {
                stmt.results.iter().for_each(|&result| self.adopt(result));
                self.builder.push(stmt);
            } else {
                kept.push(stmt);
            }
        }
        body.block.stmts = kept;
        true
    }

    fn collect_liftable(
        &self,
        body: &Body,
        definitions: &HashMap<array::Value, usize>,
        value: array::Value,
        moved: &mut BTreeSet<usize>,
    ) -> bool {
        if body.indices.contains(&value) {
            return false;
        }
        // What is not defined there comes from outside, or was moved before.
        let Some(&at) = definitions.get(&value) else { return true };
        if moved.contains(&at) {
            return true;
        }
        let stmt = &body.block.stmts[at];
        if !self.is_total(stmt) {
            return false;
        }
        let mut operands = Vec::new();
        stmt.op.for_each_operand(&self.builder.func, &mut |operand| operands.extend(operand.value()));
        if !operands.into_iter().all(|operand| self.collect_liftable(body, definitions, operand, moved)) {
            return false;
        }
        moved.insert(at);
        true
    }

    /// True if a statement is defined wherever its operands are, and cheap.
    fn is_total(&self, stmt: &Stmt) -> bool {
        if !stmt.certs.is_empty() {
            return false;
        }
        match &stmt.op {
            Op::Unary { .. } | Op::Select { .. } => true,
            Op::Binary { op, x, y } => {
                let elem = self.builder.func.operand_type(*x).elem;
                let on_zero = |y: Const| op.eval(elem.zero(), y).is_some();
                elem.is_float() || y.constant().map_or(*op != BinOp::POW && on_zero(elem.zero()), on_zero)
            }
            Op::Index { array, indices } => {
                let shape = &self.builder.func.ty(*array).shape;
                indices.len() == shape.len()
                    && indices.iter().zip(shape).all(|(index, extent)| match (index.constant(), extent) {
                        (Some(Const::Int(_, index)), Extent::Const(extent)) => (0..*extent).contains(&index),
                        _ => false,
                    })
            }
            ops!(array | control) | Op::View { .. } | Op::Assert { .. } | Op::Conjoin { .. } => false,
            #[allow(unreachable_patterns, reason = "effects")]
            _ => false,
        }
    }

    /// A value as cells of a shape: the extents that they measure, then one operand per array. Checks that it has the shape.
    pub(super) fn as_cell(
        &mut self,
        value: &Value,
        shape: &CellShape,
        kind: FailureKind,
        span: Span,
    ) -> Result<(Vec<Operand>, Vec<Operand>)> {
        let (mut measured, mut arrays) = (Vec::new(), Vec::new());
        let leaves = self.leaves(value);
        for (leaf, needed) in leaves.iter().zip(&shape.leaves) {
            let found = self.data_shape(leaf);
            if found.len() != needed.extents.len() {
                let ranks = [needed.extents.len() as i64, found.len() as i64];
                return self.fail_numbers(FailureKind::RankMismatch, &ranks, span);
            }
            let mut certs = Vec::new();
            let mut renamed = found.clone();
            for (at, extent) in needed.extents.iter().enumerate() {
                match extent {
                    None => measured.push(found[at].into()),
                    Some(extent) => {
                        let fits = self.equal((*extent).into(), found[at].into());
                        certs.extend(self.check(fits, kind, vec![(*extent).into(), found[at].into()], span)?);
                        renamed[at] = *extent;
                    }
                }
            }
            let operand = self.array(leaf);
            arrays.push(match operand {
                Operand::Value(array) if !certs.is_empty() => {
                    let view = array::View::Reshape;
                    self.builder.view(array, view, renamed, certs).into()
                }
                _ => operand,
            });
        }
        Ok((measured, arrays))
    }

    /// The extents of a value that cells of a shape compute for themselves.
    pub(super) fn measured_extents(&mut self, value: &Value, shape: &CellShape, span: Span) -> Result<Vec<Operand>> {
        let mut measured = Vec::new();
        for (leaf, needed) in self.leaves(value).iter().zip(&shape.leaves) {
            let found = self.data_shape(leaf);
            if found.len() != needed.extents.len() {
                let ranks = [needed.extents.len() as i64, found.len() as i64];
                return self.fail_numbers(FailureKind::RankMismatch, &ranks, span);
            }
            let unknown = needed.extents.iter().zip(found).filter(|(extent, _)| extent.is_none());
            measured.extend(unknown.map(|(_, found)| Operand::from(found)));
        }
        Ok(measured)
    }

    /// A cell of zeros. All extents must be known.
    pub(super) fn zero_cell(&mut self, shape: &CellShape) -> Option<Vec<Operand>> {
        shape
            .leaves
            .iter()
            .map(|leaf| Some(self.repeated_or_scalar(leaf.basic.scalar().zero().into(), &leaf.known()?)))
            .collect()
    }

    /// An array of this shape whose elements are all the same; the scalar itself if there is no axis.
    pub(super) fn repeated_or_scalar(&mut self, element: Operand, shape: &[Extent]) -> Operand {
        if shape.is_empty() { element } else { self.repeated(element, shape).into() }
    }

    /// What a block that certainly fails yields: zeros of these types, which depend on what fails.
    pub(super) fn after_failure(&mut self, block: Block, types: &[Type]) -> Result<Block> {
        let (mut block, results) = self.reopen(block, |this| {
            let cert = this.certain_failure();
            let mut results = Vec::new();
            for ty in types {
                let zero = this.repeated_or_scalar(ty.elem.zero().into(), &ty.shape);
                results.push(this.certified(zero, vec![cert]));
            }
            Ok(results)
        })?;
        block.results = results.expect("zeros do not fail");
        Ok(block)
    }

    /// The certificate of what certainly fails in the open block.
    pub(super) fn certain_failure(&mut self) -> array::Value {
        let never = Const::Bool(false).into();
        let is_failing = |stmt: &Stmt| match &stmt.op {
            Op::Assert { cond, .. } if *cond == never => Some(stmt.results[0]),
            _ => None,
        };
        let found = self.builder.stmts().iter().rev().find_map(is_failing);
        found.unwrap_or_else(|| self.builder.assert(never, FailureKind::AssertionFailed, Vec::new()))
    }

    /// The array of cells like these over a frame: `arrays` are what the leaves of the cells make, scalars if there is no axis.
    pub(super) fn assembled(
        &self,
        shape: &CellShape,
        elem: Elem,
        frame: usize,
        arrays: impl IntoIterator<Item = Operand>,
    ) -> Value {
        self.assemble(&shape.like, frame, &mut arrays.into_iter()).with_elem(elem)
    }

    fn assemble(&self, like: &Value, frame: usize, arrays: &mut dyn Iterator<Item = Operand>) -> Value {
        let data = match &like.data {
            Data::Components { .. } | Data::Array(_) => {
                let array = arrays.next().expect("there is an array for each leaf");
                let ty = self.builder.func.operand_type(array);
                match array {
                    Operand::Value(array) if !ty.is_scalar() => Data::Array(array),
                    scalar => {
                        let scalar = Scalar::operand(Basic::representing(ty.elem), scalar);
                        Data::Components { shape: Vec::new(), scalars: vec![scalar] }
                    }
                }
            }
            Data::Struct { frame: inner, fields } => {
                let fields: Vec<Value> = fields.iter().map(|field| self.assemble(field, frame, arrays)).collect();
                let mut shape = fields.first().map_or_else(|| inner.clone(), |field| self.data_shape(field));
                shape.truncate(frame + inner.len());
                Data::Struct { frame: shape, fields }
            }
        };
        Value { elem: like.elem, data }
    }

    /// A value whose leaves are zero scalars: cells of an operation of which nothing is known but their type.
    pub(super) fn zero_like_elem(&mut self, elem: Elem) -> Value {
        match self.program.cell_of(elem) {
            (cell, Elem::Struct(id)) if cell.is_empty() => {
                let mut fields = Vec::new();
                for (_, elem, shape) in &self.program.structs[id].fields {
                    let zero = self.zero_like_elem(*elem);
                    let extents: Vec<Extent> = shape.iter().map(|&n| Extent::Const(n)).collect();
                    fields.push(self.spread(&zero, &extents));
                }
                Value { elem, data: Data::Struct { frame: Vec::new(), fields } }
            }
            (cell, base) => {
                let Elem::Basic(basic) = base else { panic!("the checker allows no `typedef` of a struct") };
                let count: i64 = cell.iter().product();
                let shape = cell.iter().map(|&n| n as usize).collect();
                Value::components(elem, shape, vec![Scalar::zero(basic); count as usize])
            }
        }
    }

    /// An array of this shape, of cells that are all the same.
    pub(super) fn spread(&mut self, cell: &Value, shape: &[Extent]) -> Value {
        if shape.is_empty() {
            return cell.clone();
        }
        let kind = self.cell_shape(cell, 0);
        let mut arrays = Vec::new();
        for leaf in self.leaves(cell) {
            let element = self.array(&leaf);
            arrays.push(self.repeated(element, shape).into());
        }
        self.assembled(&kind, cell.elem, shape.len(), arrays)
    }

    /// An array of this shape whose cells are all the same.
    fn repeated(&mut self, cell: Operand, shape: &[Extent]) -> array::Value {
        let ty = self.builder.func.operand_type(cell);
        let indices = shape.iter().map(|_| self.new_size(0, super::sizes::MAX_EXTENT - 1)).collect();
        let body = Block { stmts: Vec::new(), results: vec![cell] };
        let generators = vec![Generator::full(shape, body)];
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let span = self.builder.span();
        let data = WithLoopData { space: shape.to_vec(), indices, generators, operators, span };
        let label = self.builder.func.with_loops.push(data);
        let full = shape.iter().copied().chain(ty.shape).collect();
        self.emit_one_under(Op::With(label), Type::array(ty.elem, full), &[])
    }

    /// The `i64` type.
    pub(super) fn size_type() -> Type {
        Type::scalar(IrScalar::I64)
    }
}
