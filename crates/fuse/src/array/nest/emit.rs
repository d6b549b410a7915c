//! Writes the statements that a survey has found, with fresh names for all that they define.

use super::elements::{Branch, Elements, Item, Place, Source};
use frit_ir::array::walk::{Renaming, rename_operand, rename_type};
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Type, Value, View};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_support::Span;

impl Elements {
    /// Appends the statements that compute what was wanted, at the index `axes` of the new axes; what was wanted.
    /// `renaming` says what stands for free values of the nest and for its rows.
    pub(in crate::array) fn emit(
        &self,
        func: &mut Func,
        renaming: &mut Renaming,
        axes: &[Value],
        out: &mut Vec<Stmt>,
        span: Span,
    ) -> Vec<Operand> {
        let mut emitter = Emitter { elements: self, func, renaming, axes, made: vec![None; self.made], span };
        emitter.level(0, &[], out);
        self.results.iter().map(|source| emitter.source(source, out)).collect()
    }
}

struct Emitter<'a> {
    elements: &'a Elements,
    func: &'a mut Func,
    renaming: &'a mut Renaming,
    axes: &'a [Value],
    /// What stands for what items have made.
    made: Vec<Option<Operand>>,
    span: Span,
}

impl Emitter<'_> {
    /// The items of a level; all stand under these certificates.
    fn level(&mut self, level: usize, certs: &[Value], out: &mut Vec<Stmt>) {
        for item in &self.elements.levels[level] {
            match item {
                Item::Keep(stmt) => {
                    let block = Block { stmts: vec![stmt.clone()], results: Vec::new() };
                    let mut copied = self.func.copy_block(None, &block, self.renaming).stmts;
                    copied.iter_mut().for_each(|stmt| stand_under(stmt, certs));
                    out.append(&mut copied);
                }
                Item::Read { made, array, places, certs: own, span } => {
                    let ty = self.func.ty(*array).row(places.len());
                    let indices = places.iter().map(|place| self.place(place, out)).collect();
                    let array = self.renamed((*array).into()).value().expect("an array is no constant");
                    let certs = [certs, &self.certs(own)].concat();
                    self.made[*made] = Some(self.push(out, Op::Index { array, indices }, ty, certs, *span));
                }
                Item::Enter { level, indices, places, certs: own } => {
                    for (&index, place) in indices.iter().zip(places) {
                        let place = self.place(place, out);
                        self.renaming.insert(index, place);
                    }
                    let certs = [certs, &self.certs(own)].concat();
                    self.level(*level, &certs, out);
                }
                Item::Modify { made, row, place, value, certs: own, span } => {
                    let ty = self.func.ty(*row).row(self.axes.len());
                    let indices = vec![self.place(place, out)];
                    let value = self.source(value, out);
                    let array = self.renamed((*row).into()).value().expect("an array is no constant");
                    let certs = [certs, &self.certs(own)].concat();
                    let op = Op::Update { array, indices, value, consumes: false };
                    self.made[*made] = Some(self.push(out, op, ty, certs, *span));
                }
                Item::Branch(branch) => self.branch(branch, certs, out),
            }
        }
    }

    fn branch(&mut self, branch: &Branch, certs: &[Value], out: &mut Vec<Stmt>) {
        let cond = self.renamed(branch.cond);
        let own = [certs, &self.certs(&branch.certs)].concat();
        let [then, otherwise] = [0, 1].map(|side| {
            let mut stmts = Vec::new();
            self.level(branch.sides[side], certs, &mut stmts);
            let results =
                branch.results.iter().map(|(_, _, sources)| self.source(&sources[side], &mut stmts)).collect();
            Block { stmts, results }
        });
        let mut results = Vec::new();
        for (made, ty, _) in &branch.results {
            let result = self.value(ty.clone(), branch.span);
            self.made[*made] = Some(result.into());
            results.push(result);
        }
        out.push(Stmt { results, op: Op::If { cond, then, otherwise }, certs: own, span: branch.span });
    }

    fn source(&mut self, source: &Source, out: &mut Vec<Stmt>) -> Operand {
        match source {
            Source::Operand(operand) => self.renamed(*operand),
            Source::Place(place) => self.place(place, out),
            Source::Made(made) => self.made[*made].expect("items are in the order of their needs"),
            Source::Under(source, certs) => {
                let operand = self.source(source, out);
                let ty = self.func.operand_type(operand);
                // The simplifier takes these away, and hands the certificates on to the uses.
                let op = match operand.value().filter(|_| !ty.is_scalar()) {
                    Some(array) => {
                        let (starts, steps) = (vec![Operand::i64(0); ty.rank()], vec![1; ty.rank()]);
                        Op::View { array, view: View::Slice { starts, steps } }
                    }
                    None => Op::Select { cond: Operand::Const(Const::Bool(true)), on_true: operand, on_false: operand },
                };
                let certs = self.certs(certs);
                self.push(out, op, ty, certs, self.span)
            }
        }
    }

    fn place(&mut self, place: &Place, out: &mut Vec<Stmt>) -> Operand {
        match place {
            Place::Axis(axis) => self.axes[*axis].into(),
            Place::Operand(operand) => self.renamed(*operand),
            Place::Strided { start, step, of } => {
                let (mut index, start) = (self.place(of, out), self.renamed(*start));
                let mut compute = |emitter: &mut Self, op, x, y| {
                    let ty = Type::scalar(Scalar::I64);
                    emitter.push(out, Op::Binary { op, x, y }, ty, Vec::new(), emitter.span)
                };
                if *step != 1 {
                    index = compute(self, BinOp::MUL, index, Operand::i64(*step));
                }
                if start == Operand::i64(0) { index } else { compute(self, BinOp::ADD, index, start) }
            }
        }
    }

    fn renamed(&self, operand: Operand) -> Operand {
        rename_operand(operand, self.renaming)
    }

    /// A certificate that became the constant one is none.
    fn certs(&self, certs: &[Value]) -> Vec<Value> {
        certs.iter().filter_map(|&cert| self.renamed(cert.into()).value()).collect()
    }

    fn value(&mut self, mut ty: Type, span: Span) -> Value {
        rename_type(&mut ty, self.renaming);
        self.func.value(ty, span)
    }

    fn push(&mut self, out: &mut Vec<Stmt>, op: Op, ty: Type, mut certs: Vec<Value>, span: Span) -> Operand {
        certs.sort_unstable();
        certs.dedup();
        let result = self.value(ty, span);
        out.push(Stmt { results: vec![result], op, certs, span });
        result.into()
    }
}

fn stand_under(stmt: &mut Stmt, certs: &[Value]) {
    stmt.certs.extend(certs);
    stmt.certs.sort_unstable();
    stmt.certs.dedup();
}

/// Replaces the reads of rows, in a copy of a block in which their elements have taken their names: `elements` of rows of
/// which the first `axes` indices are those of the new axes.
pub(super) fn read_elements(func: &mut Func, block: &mut Block, elements: &[Value], axes: usize) {
    let mut renaming = Renaming::new();
    without_reads(func, block, elements, axes, &mut renaming);
    func.substitute_in_block(block, &renaming);
}

fn without_reads(func: &mut Func, block: &mut Block, elements: &[Value], axes: usize, renaming: &mut Renaming) {
    for mut stmt in std::mem::take(&mut block.stmts) {
        if let Op::Index { array, indices } = &mut stmt.op
            && elements.contains(array)
        {
            indices.drain(..axes);
            if indices.is_empty() {
                renaming.insert(stmt.results[0], (*array).into());
                continue;
            }
        }
        let mut defined = stmt.results.clone();
        stmt.op.for_each_binder(func, &mut |binder| defined.push(binder));
        defined.into_iter().for_each(|value| rename_type(&mut func.values[value].ty, renaming));
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            without_reads(func, inner, elements, axes, renaming);
        });
        block.stmts.push(stmt);
    }
}
