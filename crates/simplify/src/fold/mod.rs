//! Folding: evaluates what is known at compile time, and reads elements where they come from.
//! Source:   \[L0\] section 5.3, all rules; \[WLF\] section 6 for what they become on with-loops.
//! Before:   verified array IR.
//! After:    the same results; no statement is left that is a copy of a value, a constant, a branch whose condition is known or a
//!           loop of at most one iteration.
//! Work:     never more, but for both sides of a branch of a few scalar operations, which become selections.
//! Reorders: nothing; identities on reals hold bit for bit.
//!
//! One walk in the order of execution: a statement is renamed, rewritten until no rule applies, and recorded, so
//! that the statements after it see its final form. `scalar` has the rules of scalar operations, `elements` those of
//! indexing and views, `control` those of branches and loops.

mod control;
mod elements;
mod scalar;

use crate::inline::add_certs;
use crate::rewrite::{Replacements, substitute};
use crate::sharing::Sharing;
use crate::{Changes, Options};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Op, Operand, Program, Stmt, Type, Value, ops};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_support::Index;
use scalar::{Folded, Known};
use std::rc::Rc;

/// Folds all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, fold)
}

/// Folds a function; the number of rewritings.
pub fn fold(func: &mut Func) -> usize {
    let sharing = Sharing::of(func);
    let replacements = Replacements::new(func);
    let uses = func.use_counts().iter().map(|(_, &count)| count).collect();
    let definitions = vec![None; func.values.len()];
    let body = std::mem::take(&mut func.body);
    let mut folder = Folder {
        func,
        replacements,
        deferred: Renaming::new(),
        sharing,
        uses,
        definitions,
        out: Vec::new(),
        block: 0,
        blocks: 0,
        count: 0,
    };
    let body = folder.block(body);
    let (deferred, count) = (folder.deferred, folder.count);
    func.body = body;
    substitute(func, deferred);
    count
}

/// How a value is defined: its final operation, certificates, and the block.
struct Definition {
    op: Op,
    certs: Vec<Value>,
    block: usize,
}

/// What became of a statement.
enum Verdict {
    /// No rule applies.
    Keep,
    /// It has another operation now.
    Again,
    /// Nothing is left of it.
    Gone,
}

struct Folder<'a> {
    func: &'a mut Func,
    replacements: Replacements,
    /// Replacements of values whose uses may lie behind already: parameters of loops, in their bodies.
    deferred: Renaming,
    sharing: Sharing,
    /// How often values were used before this pass.
    uses: Vec<u32>,
    definitions: Vec<Option<Rc<Definition>>>,
    /// The statements of the innermost open block.
    out: Vec<Stmt>,
    block: usize,
    blocks: usize,
    count: usize,
}

impl Known for Folder<'_> {
    fn definition(&self, operand: Operand) -> Option<&Op> {
        let definition = self.definitions.get(operand.value()?.at())?.as_ref()?;
        definition.certs.is_empty().then_some(&definition.op)
    }

    fn elem(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Value(v) => self.func.ty(v).elem,
            Operand::Const(c) => c.scalar(),
        }
    }
}

impl Folder<'_> {
    fn block(&mut self, block: Block) -> Block {
        let outside = std::mem::take(&mut self.out);
        let outer_block = self.block;
        self.blocks += 1;
        self.block = self.blocks;
        let results = self.block_here(block);
        self.block = outer_block;
        Block { stmts: std::mem::replace(&mut self.out, outside), results }
    }

    /// Folds the statements of a block into the open one; what the block yields.
    fn block_here(&mut self, mut block: Block) -> Vec<Operand> {
        for stmt in std::mem::take(&mut block.stmts) {
            self.stmt(stmt);
        }
        self.replacements.results(&mut block);
        block.results
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        self.replacements.apply(self.func, &mut stmt);
        self.stmt_renamed(stmt);
    }

    fn stmt_renamed(&mut self, mut stmt: Stmt) {
        loop {
            match self.rewrite(&mut stmt) {
                Verdict::Keep => break,
                Verdict::Again => self.count += 1,
                Verdict::Gone => {
                    self.count += 1;
                    return;
                }
            }
        }
        self.define(&stmt);
        self.out.push(stmt);
    }

    /// Records the definition of a statement that later rules look at.
    fn define(&mut self, stmt: &Stmt) {
        let is_simple = match &stmt.op {
            ops!(scalar | access | array) | Op::Conjoin { .. } | Op::With(_) => true,
            Op::Assert { .. } | Op::Effect { .. } | Op::If { .. } | Op::Loop(_) | Op::Call { .. } => false,
        };
        if !is_simple {
            return;
        }
        let definition = Definition { op: stmt.op.clone(), certs: stmt.certs.clone(), block: self.block };
        let definition = Some(Rc::new(definition));
        for &result in &stmt.results {
            if self.definitions.len() <= result.at() {
                self.definitions.resize(result.at() + 1, None);
            }
            self.definitions[result.at()] = definition.clone();
        }
    }

    fn definition_of(&self, value: Value) -> Option<Rc<Definition>> {
        self.definitions.get(value.at())?.clone()
    }

    /// The result of a one-result statement is this operand, under the statement's certificates; those that the operand itself is under hold
    /// wherever it is used.
    fn becomes(&mut self, stmt: &Stmt, operand: Operand) -> Verdict {
        let known = operand.value().and_then(|value| self.definition_of(value));
        let holds = |cert: &Value| known.as_ref().is_some_and(|definition| definition.certs.contains(cert));
        let owed: Vec<Value> = stmt.certs.iter().copied().filter(|cert| !holds(cert)).collect();
        if self.replacements.replace(stmt.results[0], operand, &owed) { Verdict::Gone } else { Verdict::Keep }
    }

    /// The result of a one-result statement that makes a copy is the original; only where nobody can tell: neither is
    /// updated in place, and the caller does not get the copy as memory of its own.
    fn becomes_original(&mut self, stmt: &Stmt, original: Value) -> Verdict {
        let result = stmt.results[0];
        if self.func.ty(result).is_scalar() {
            return self.becomes(stmt, original.into());
        }
        let is_private = self.sharing.is_consumed(result)
            || self.sharing.is_consumed(original)
            || self.sharing.is_unique_result(result);
        if is_private {
            return Verdict::Keep;
        }
        let verdict = self.becomes(stmt, original.into());
        if matches!(verdict, Verdict::Gone) {
            self.sharing.merge(result, original);
        }
        verdict
    }

    /// A binary operation on integers before the statement at hand, folded if it can be.
    fn arithmetic(&mut self, op: BinOp, x: Operand, y: Operand, stmt: &Stmt) -> Operand {
        let (mut op, mut x, mut y) = (op, x, y);
        loop {
            match scalar::binary(self, op, x, y) {
                Some(Folded::Operand(operand)) => return operand,
                Some(Folded::Op(Op::Binary { op: next, x: a, y: b })) => (op, x, y) = (next, a, b),
                Some(Folded::Op(_)) | None => break,
            }
        }
        let elem = op.result(self.elem(x)).expect("the operation is defined on the operands");
        let result = self.func.value(Type::scalar(elem), stmt.span);
        let added = Stmt { results: vec![result], op: Op::Binary { op, x, y }, certs: Vec::new(), span: stmt.span };
        self.define(&added);
        self.out.push(added);
        result.into()
    }

    fn rewrite(&mut self, stmt: &mut Stmt) -> Verdict {
        match &mut stmt.op {
            Op::Unary { op, x } => {
                let folded = scalar::unary(self, *op, *x);
                self.scalar(stmt, folded)
            }
            Op::Binary { op, x, y } => {
                let folded = scalar::binary(self, *op, *x, *y);
                self.scalar(stmt, folded)
            }
            Op::Select { cond, on_true, on_false } => {
                let folded = scalar::select(self, *cond, *on_true, *on_false);
                self.scalar(stmt, folded)
            }
            Op::Assert { cond, .. } => {
                if *cond == Operand::Const(Const::Bool(true)) {
                    return self.becomes(stmt, Const::Cert.into());
                }
                Verdict::Keep
            }
            Op::Conjoin { .. } => self.conjoin(stmt),
            Op::Index { .. } => self.index(stmt),
            Op::View { .. } => self.view(stmt),
            Op::Copy { array } => {
                let array = *array;
                self.copy(stmt, array)
            }
            Op::Concat { arrays } => match arrays[..] {
                [array] => self.becomes_original(stmt, array),
                _ => Verdict::Keep,
            },
            Op::If { .. } => self.branch(stmt),
            Op::Loop(_) => self.sequential_loop(stmt),
            Op::With(w) => {
                let w = *w;
                self.with_loop(stmt, w)
            }
            Op::Table { .. } | Op::ArrayLit { .. } | Op::Iota { .. } | Op::Replicate { .. } => Verdict::Keep,
            Op::Update { .. } | Op::Effect { .. } | Op::Call { .. } => Verdict::Keep,
        }
    }

    fn scalar(&mut self, stmt: &mut Stmt, folded: Option<Folded>) -> Verdict {
        match folded {
            None => Verdict::Keep,
            Some(Folded::Operand(operand)) => self.becomes(stmt, operand),
            Some(Folded::Op(op)) => {
                stmt.op = op;
                Verdict::Again
            }
        }
    }

    /// Conjunctions of conjunctions are flat, and those of one certificate are it.
    fn conjoin(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::Conjoin { certs } = &stmt.op else { unreachable!("the statement is a conjunction") };
        let mut parts: Vec<Value> = Vec::new();
        for &cert in certs {
            match self.definition_of(cert).as_deref() {
                Some(Definition { op: Op::Conjoin { certs: inner }, .. }) if inner.len() <= MAX_PARTS => {
                    parts.extend(inner);
                }
                _ => parts.push(cert),
            }
        }
        parts.extend(&stmt.certs);
        parts.sort_unstable();
        parts.dedup();
        let is_flat = stmt.certs.is_empty() && parts == *certs;
        stmt.certs.clear();
        match parts[..] {
            [] => self.becomes(stmt, Const::Cert.into()),
            [cert] => self.becomes(stmt, cert.into()),
            _ if is_flat => Verdict::Keep,
            _ => {
                stmt.op = Op::Conjoin { certs: parts };
                Verdict::Again
            }
        }
    }

    /// A copy is its source if nobody can tell them apart: neither is updated in place, or the source is fresh and not
    /// used but here.
    fn copy(&mut self, stmt: &mut Stmt, array: Value) -> Verdict {
        let result = stmt.results[0];
        match self.becomes_original(stmt, array) {
            Verdict::Keep => {}
            verdict => return verdict,
        }
        let Some(definition) = self.definition_of(array) else { return Verdict::Keep };
        let is_fresh = match definition.op {
            Op::Iota { .. } | Op::Replicate { .. } | Op::Concat { .. } | Op::Copy { .. } | Op::ArrayLit { .. } => true,
            Op::Update { .. } => false,
            Op::With(_) => true,
            // A constant array has memory that is never written.
            ops!(scalar | access | effect) | Op::Table { .. } | Op::If { .. } | Op::Loop(_) | Op::Call { .. } => false,
        };
        // In another block the copy may run more often than its source.
        let is_last_use = self.uses.get(array.at()) == Some(&1) && definition.block == self.block;
        if is_fresh && is_last_use && self.sharing.is_alone(array) {
            let verdict = self.becomes(stmt, array.into());
            if matches!(verdict, Verdict::Gone) {
                self.sharing.merge(result, array);
            }
            return verdict;
        }
        Verdict::Keep
    }

    /// The certificates of a definition that is read through join those of the statement.
    fn inherit(stmt: &mut Stmt, definition: &Definition) {
        add_certs(&mut stmt.certs, &definition.certs);
    }
}

/// Conjunctions larger than this stay whole when they are part of others, so that chains of them do not grow quadratically.
const MAX_PARTS: usize = 8;
