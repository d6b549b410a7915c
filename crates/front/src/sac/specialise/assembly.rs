//! How with-loops of the array IR are put together: blocks that yield the cells of all operations, blocks for indices that no generator
//! reaches, and the operators.

use super::boxes::Grid;
use super::cells::{Body, CellShape};
use super::fold::FoldOperator;
use super::generators::{Bounds, Division, Part};
use super::value::{Env, Value};
use super::with_loop::{Elsewhere, Target};
use super::{Result, Specialiser};
use frit_ir::array::walk::{Renaming, rename_type};
use frit_ir::array::{
    self, Block, Extent, Generator, Lambda, Op, Operand, Operator, OperatorData, Stmt, Type, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar as IrScalar};
use frit_support::{Index, Span};

/// An operation as part of a with-loop of the array IR.
pub(super) enum Slot {
    /// It makes an array of cells of this shape, or fails so if they have another one.
    Array { at: usize, shape: CellShape, kind: FailureKind },
    /// It folds.
    Fold { at: usize, operator: Box<FoldOperator> },
}

/// What the with-loop's parts have in common.
pub(super) struct Setting<'a, 'p> {
    /// The variables outside.
    pub(super) env: &'a Env,
    /// The generators.
    pub(super) parts: &'a [Part<'p>],
    /// The operations.
    pub(super) targets: &'a [Target],
    /// Where.
    pub(super) span: Span,
}

impl<'p> Specialiser<'p> {
    /// The block of a body with the cells of all operations as results, over these indices.
    pub(super) fn finished(
        &mut self,
        setting: &Setting<'_, 'p>,
        body: Body,
        slots: &[Slot],
        indices: &[array::Value],
        is_guarded: bool,
    ) -> Result<Block> {
        let Body { block, indices: own, cells, first } = body;
        let cells = cells.as_ref();
        let (mut block, results) = self.reopen(block, |this| {
            let Some(cells) = cells else { return Ok(None) };
            let (mut measured, mut results) = (Vec::new(), Vec::new());
            for slot in slots {
                match slot {
                    Slot::Array { at, shape, kind } => {
                        let (own, arrays) = this.as_cell(&cells[*at], shape, *kind, setting.span)?;
                        measured.extend(own);
                        results.extend(arrays);
                    }
                    Slot::Fold { at, operator } => {
                        if is_guarded {
                            results.push(Const::Bool(true).into());
                        }
                        let own = this.as_like(&cells[*at], &operator.like);
                        results.extend(own.expect("cells are like the accumulator"));
                    }
                }
            }
            measured.extend(results);
            Ok(Some(measured))
        })?;
        match results {
            Some(Some(results)) => block.results = results,
            Some(None) | None => {
                let types = self.cell_types(slots, is_guarded);
                block = self.after_failure(block, &types)?;
            }
        }
        self.rename_indices(&mut block, &own, indices, first);
        Ok(block)
    }

    /// Lets a block use other indices. The values in it are not older than `first`.
    fn rename_indices(&mut self, block: &mut Block, own: &[array::Value], indices: &[array::Value], first: usize) {
        if own == indices {
            return;
        }
        let renaming: Renaming = own.iter().zip(indices).map(|(&own, &shared)| (own, shared.into())).collect();
        self.builder.func.substitute_in_block(block, &renaming);
        for at in first..self.builder.func.values.len() {
            rename_type(&mut self.builder.func.values[array::Value::new(at)].ty, &renaming);
        }
    }

    /// Finds the extents that cells compute for themselves in a with-loop before that of the cells: where no generator reaches, zeros
    /// of that shape are needed.
    pub(super) fn measure(
        &mut self,
        setting: &Setting<'_, 'p>,
        bounds: &mut Bounds,
        division: &Division,
        space: &[Operand],
        slots: &mut [Slot],
    ) -> Result<()> {
        let measured = |slot: &Slot| match slot {
            Slot::Array { shape, .. } => shape.measured(),
            Slot::Fold { .. } => 0,
        };
        let count: usize = slots.iter().map(measured).sum();
        if count == 0 {
            return Ok(());
        }
        let types = vec![Self::size_type(); count];
        let indices: Vec<array::Value> = space.iter().map(|_| self.new_size(0, super::sizes::MAX_EXTENT - 1)).collect();
        let mut blocks = Vec::new();
        for part in setting.parts {
            let Body { block, indices: own, cells, first } =
                self.body(setting.env, part, false, setting.targets.len())?;
            let mut block = match cells {
                None => self.after_failure(block, &types)?,
                Some(cells) => {
                    let (mut block, sizes) = self.reopen(block, |this| {
                        let mut sizes = Vec::new();
                        for slot in &*slots {
                            if let Slot::Array { at, shape, .. } = slot {
                                sizes.extend(this.measured_extents(&cells[*at], shape, setting.span)?);
                            }
                        }
                        Ok(sizes)
                    })?;
                    match sizes {
                        Some(sizes) => Block { results: sizes, ..block },
                        None => {
                            block.results.clear();
                            self.after_failure(block, &types)?
                        }
                    }
                }
            };
            self.rename_indices(&mut block, &own, &indices, first);
            blocks.push(block);
        }
        let none = Block { stmts: Vec::new(), results: vec![Operand::i64(0); count] };
        let generators = match division {
            Division::Grids(pieces) => {
                let mut generators = Vec::new();
                for (grid, part) in pieces {
                    let Some(part) = *part else { continue };
                    let block = self.builder.func.copy_block(None, &blocks[part], &mut Renaming::new());
                    generators.push(self.generator(bounds, grid, block));
                }
                generators
            }
            Division::Tests => {
                let block = self.tested(setting, &types, &indices, space, blocks, none)?;
                let extents: Vec<Extent> = space.iter().map(|extent| extent.extent()).collect();
                vec![Generator::full(&extents, block)]
            }
        };
        let sizes = self.largest(space, indices, generators, count);
        let mut sizes = sizes.into_iter();
        for slot in slots {
            if let Slot::Array { shape, .. } = slot {
                for extent in shape.leaves.iter_mut().flat_map(|leaf| &mut leaf.extents) {
                    if extent.is_none() {
                        *extent = sizes.next().map(Extent::Value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The largest cell of each of `count` operations on sizes, and 0 without any.
    fn largest(
        &mut self,
        space: &[Operand],
        indices: Vec<array::Value>,
        generators: Vec<Generator>,
        count: usize,
    ) -> Vec<array::Value> {
        let params: Vec<array::Value> = (0..2 * count).map(|_| self.builder.value(Self::size_type(), None)).collect();
        self.builder.open_block();
        let larger = |at: usize| self.builder.binary(BinOp::MAX, params[at].into(), params[at + count].into());
        let results = (0..count).map(larger).collect();
        let combine = Lambda { body: self.builder.close_block(results), params };
        let neutral = vec![Operand::i64(0); count];
        let operators = vec![OperatorData::new(Operator::Fold { combine, neutral, commutative: true })];
        let space = space.iter().map(|extent| extent.extent()).collect();
        let span = self.builder.span();
        let label = self.builder.func.with_loops.push(WithLoopData { space, indices, generators, operators, span });
        let sizes = self.emit_under(Op::With(label), vec![Self::size_type(); count], &[]);
        sizes.iter().for_each(|&size| self.bound(size.into(), 0, super::sizes::MAX_EXTENT));
        sizes
    }

    /// The types of the cells.
    pub(super) fn cell_types(&self, slots: &[Slot], is_guarded: bool) -> Vec<Type> {
        let (mut measured, mut types) = (Vec::new(), Vec::new());
        for slot in slots {
            match slot {
                Slot::Array { shape, .. } => {
                    measured.extend(vec![Self::size_type(); shape.measured()]);
                    for leaf in &shape.leaves {
                        let extents = leaf.extents.iter().map(|extent| extent.unwrap_or(Extent::Const(0)));
                        types.push(Type::array(leaf.basic.scalar(), extents.collect()));
                    }
                }
                Slot::Fold { operator, .. } => {
                    if is_guarded {
                        types.push(Type::scalar(IrScalar::Bool));
                    }
                    let Lambda { params, .. } = &operator.combine;
                    types.extend(
                        params[operator.neutral.len()..].iter().map(|&param| self.builder.func.ty(param).clone()),
                    );
                }
            }
        }
        measured.extend(types);
        measured
    }

    /// The block for indices that no generator reaches.
    pub(super) fn rest(
        &mut self,
        setting: &Setting<'_, 'p>,
        slots: &[Slot],
        indices: &[array::Value],
        is_guarded: bool,
    ) -> Result<Block> {
        let (mut block, results) = self.in_block(|this| {
            let mut results = Vec::new();
            for slot in slots {
                match slot {
                    Slot::Array { at, shape, .. } => {
                        let Target::Array { elsewhere, .. } = &setting.targets[*at] else {
                            unreachable!("an array's slot is that of an array")
                        };
                        match elsewhere {
                            Elsewhere::Default(default) => {
                                let (_, cells) =
                                    this.as_cell(default, shape, FailureKind::ShapeMismatch, setting.span)?;
                                results.extend(cells);
                            }
                            Elsewhere::Zeros => {
                                results.extend(this.zero_cell(shape).expect("extents have been measured"));
                            }
                            Elsewhere::Source(source) => {
                                for leaf in this.leaves(source) {
                                    let array = this.array(&leaf).value().expect("an array is no constant");
                                    let at = indices.iter().map(|&index| index.into()).collect();
                                    let certs = this.certs();
                                    results.push(this.builder.index(array, at, certs).into());
                                }
                            }
                        }
                    }
                    Slot::Fold { operator, .. } => {
                        if is_guarded {
                            results.push(Const::Bool(false).into());
                        }
                        results.extend(this.no_cell(operator));
                    }
                }
            }
            Ok(results)
        })?;
        block.results = results.expect("nothing is checked there");
        Ok(block)
    }

    /// A cell that does not contribute.
    fn no_cell(&mut self, operator: &FoldOperator) -> Vec<Operand> {
        let count = operator.neutral.len();
        let cells: Vec<Type> =
            operator.combine.params[count..].iter().map(|&param| self.builder.func.ty(param).clone()).collect();
        let mut made = Vec::new();
        for (&neutral, ty) in operator.neutral.iter().zip(cells) {
            let is_same = self.builder.func.operand_type(neutral).shape == ty.shape;
            made.push(if is_same { neutral } else { self.repeated_or_scalar(ty.elem.zero().into(), &ty.shape) });
        }
        made
    }

    /// One block for all indices, which finds out which generator an index belongs to.
    pub(super) fn tested(
        &mut self,
        setting: &Setting<'_, 'p>,
        types: &[Type],
        indices: &[array::Value],
        space: &[Operand],
        blocks: Vec<Block>,
        mut otherwise: Block,
    ) -> Result<Block> {
        let from = vec![Operand::i64(0); space.len()];
        let index: Vec<Operand> = indices.iter().map(|&index| index.into()).collect();
        for (part, block) in setting.parts.iter().zip(blocks).rev() {
            let (mut outer, results) = self.in_block(|this| {
                let cond = this.is_index_of(part, &index, &from, space);
                Ok(this.choice(cond, block, otherwise, types))
            })?;
            outer.results = results.expect("a choice does not fail");
            otherwise = outer;
        }
        Ok(otherwise)
    }

    /// The results of one block or of the other.
    pub(super) fn choice(&mut self, cond: Operand, then: Block, otherwise: Block, types: &[Type]) -> Vec<Operand> {
        let results: Vec<array::Value> = types.iter().map(|ty| self.builder.value(ty.clone(), None)).collect();
        let span = self.builder.span();
        let op = Op::If { cond, then, otherwise };
        self.builder.push(Stmt { results: results.clone(), op, certs: Vec::new(), span });
        results.into_iter().map(Operand::from).collect()
    }

    /// A generator of the array IR.
    pub(super) fn generator(&mut self, bounds: &mut Bounds, grid: &Grid, body: Block) -> Generator {
        let axes = &grid.axes;
        Generator {
            lower: axes.iter().map(|axis| bounds.operand(self, &axis.lower)).collect(),
            upper: axes.iter().map(|axis| bounds.operand(self, &axis.upper)).collect(),
            step: axes.iter().map(|axis| axis.step).collect(),
            width: axes.iter().map(|axis| axis.width).collect(),
            body,
        }
    }

    /// Appends the with-loop; the values of its operations.
    pub(super) fn emit_with_loop(
        &mut self,
        setting: &Setting<'_, 'p>,
        space: Vec<Extent>,
        indices: Vec<array::Value>,
        generators: Vec<Generator>,
        slots: Vec<Slot>,
        is_guarded: bool,
    ) -> Vec<(usize, Value)> {
        let mut sizes = Vec::new();
        let (mut operators, mut arrays) = (Vec::new(), Vec::new());
        let mut made = Vec::new();
        for slot in &slots {
            match slot {
                Slot::Array { at, shape, .. } => {
                    let Target::Array { elsewhere, .. } = &setting.targets[*at] else {
                        unreachable!("an array's slot is that of an array")
                    };
                    let sources = match elsewhere {
                        Elsewhere::Source(source) => self.leaves(source),
                        Elsewhere::Default(_) | Elsewhere::Zeros => Vec::new(),
                    };
                    for (leaf_at, leaf) in shape.leaves.iter().enumerate() {
                        let mut extents = space.clone();
                        for extent in &leaf.extents {
                            extents.push(extent.unwrap_or_else(|| {
                                let size = self.new_size(0, super::sizes::MAX_EXTENT);
                                sizes.push(size);
                                Extent::Value(size)
                            }));
                        }
                        let op = match sources.get(leaf_at) {
                            Some(source) => {
                                let source = self.array(source).value().expect("an array is no constant");
                                extents.clone_from(&self.builder.func.ty(source).shape);
                                Operator::ModArray { source, consumes: false }
                            }
                            None => Operator::GenArray,
                        };
                        operators.push(OperatorData::new(op));
                        arrays.push(self.builder.value(Type::array(leaf.basic.scalar(), extents), None));
                    }
                }
                Slot::Fold { operator, .. } => {
                    for &neutral in &operator.neutral {
                        let ty = self.builder.func.operand_type(neutral);
                        arrays.push(self.builder.value(ty, None));
                    }
                }
            }
        }
        let mut results = arrays.iter().copied();
        let mut operators = operators.into_iter();
        let mut all = vec![OperatorData::new(Operator::Uniform); sizes.len()];
        for slot in slots {
            match slot {
                Slot::Array { at, shape, .. } => {
                    let Target::Array { elem, .. } = &setting.targets[at] else {
                        unreachable!("an array's slot is that of an array")
                    };
                    all.extend(operators.by_ref().take(shape.leaves.len()));
                    let own: Vec<Operand> = results.by_ref().take(shape.leaves.len()).map(Operand::from).collect();
                    made.push((at, self.assembled(&shape, *elem, space.len(), own)));
                }
                Slot::Fold { at, operator } => {
                    let FoldOperator { combine, commutative, neutral, like, .. } = *operator;
                    let own: Vec<array::Value> = results.by_ref().take(neutral.len()).collect();
                    made.push((at, self.rebuild(&like, &mut own.into_iter().map(Operand::from))));
                    all.push(OperatorData {
                        op: Operator::Fold { combine, neutral, commutative },
                        guarded: is_guarded,
                    });
                }
            }
        }
        let data = WithLoopData { space, indices, generators, operators: all, span: setting.span };
        let label = self.builder.func.with_loops.push(data);
        sizes.extend(arrays);
        self.count_statement();
        let certs = self.certs();
        self.builder.push(Stmt { results: sizes, op: Op::With(label), certs, span: setting.span });
        made
    }
}
