//! Common-subexpression elimination: one statement computes what several did.
//! Source:   \[L0\] sections 6.2 and 6.3.
//! Before:   verified array IR.
//! After:    the same results; of two equal statements, the second in the scope of the first, the first is left.
//! Work:     less.
//! Reorders: nothing.
//!
//! The thesis leaves all unique results alone; here only those whose memory is updated in place somewhere, or that the
//! caller gets as memory of its own. Operands of commutative operations are ordered first. Assertions are equal if
//! their conditions are, whatever they report: the first one has ended the program already. With-loops, branches and loops are
//! compared up to the names inside them. The certificates of the second statement pass to the statements that use it.
//! Parameters of a sequential loop are shared too, if they are equal in every iteration.

use crate::rewrite::Replacements;
use crate::sharing::Sharing;
use crate::{Changes, Options};
use frit_ir::array::{
    Block, Extent, Func, Lambda, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Program, Stmt, Type, Value,
    View, WithLoopData,
};
use frit_ir::scalar::{Const, Scalar};
use frit_support::Index;
use std::collections::{BTreeSet, HashMap};

/// Shares the equal statements of all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, cse)
}

/// Removes repeated statements; how many.
pub fn cse(func: &mut Func) -> usize {
    let mut pass = Sharer {
        replacements: Replacements::new(func),
        sharing: Sharing::of(func),
        available: HashMap::new(),
        uses: func.use_counts().iter().map(|(_, &count)| count).collect(),
        count: 0,
    };
    let body = std::mem::take(&mut func.body);
    func.body = pass.block(func, body);
    pass.count
}

/// Statements with blocks are compared up to this size.
const MAX_COMPARED: usize = 64;

struct Sharer {
    replacements: Replacements,
    sharing: Sharing,
    available: HashMap<Vec<Word>, (Vec<Value>, Vec<Value>)>,
    /// How often each value is used when the pass begins.
    uses: Vec<u32>,
    count: usize,
}

impl Sharer {
    fn block(&mut self, func: &mut Func, mut block: Block) -> Block {
        let mut added = Vec::new();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.replacements.apply(func, &mut stmt);
            self.equal_params(func, &mut stmt);
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
                let body = std::mem::take(inner);
                *inner = self.block(func, body);
            });
            self.equal_results(func, &stmt);
            let Some(key) = Key::of(func, &stmt) else {
                stmts.push(stmt);
                continue;
            };
            match self.available.get(&key) {
                Some((first, certs)) => {
                    let (first, certs) = (first.clone(), certs.clone());
                    if self.is_shareable(func, &first, &stmt) && self.share(&first, &certs, &stmt) {
                        self.count += 1;
                    } else {
                        stmts.push(stmt);
                    }
                }
                None => {
                    self.available.insert(key.clone(), (stmt.results.clone(), stmt.certs.clone()));
                    added.push(key);
                    stmts.push(stmt);
                }
            }
        }
        self.replacements.results(&mut block);
        for key in added {
            self.available.remove(&key);
        }
        Block { stmts, results: block.results }
    }

    /// Of equal results of one with-loop the first is left.
    fn equal_results(&mut self, func: &Func, stmt: &Stmt) {
        let Op::With(label) = stmt.op else { return };
        let data = &func.with_loops[label];
        if data.operators.len() < 2 {
            return;
        }
        let mut made: HashMap<Vec<Word>, Vec<Value>> = HashMap::new();
        let (mut cell, mut result) = (0, 0);
        for operator in &data.operators {
            let cells = cell..cell + operator.cells();
            let results = &stmt.results[result..result + operator.op.results()];
            (cell, result) = (cells.end, result + results.len());
            let mut key = Key::new(func);
            data.generators.iter().for_each(|generator| key.operands(&generator.body.results[cells.clone()]));
            if !key.operator(operator) {
                continue;
            }
            match made.get(&key.words) {
                Some(first) => {
                    let again = Stmt { results: results.to_vec(), ..stmt.clone() };
                    if self.is_shareable(func, first, &again) && self.share(first, &stmt.certs, &again) {
                        self.count += usize::from(results.iter().any(|result| self.uses[result.at()] > 0));
                    }
                }
                None => {
                    made.insert(key.words, results.to_vec());
                }
            }
        }
    }

    /// Of equal parameters of a loop the first is left.
    fn equal_params(&mut self, func: &mut Func, stmt: &mut Stmt) {
        let Op::Loop(data) = &stmt.op else { return };
        let equal = equal_params(func, data);
        if equal.is_empty() {
            return;
        }
        for (first, second) in equal {
            let mut is_used = false;
            for values in [&data.params, &stmt.results] {
                is_used |= self.uses[values[second].at()] > 0;
                let is_replaced = self.replacements.replace(values[second], values[first].into(), &[]);
                assert!(is_replaced, "nothing is owed");
            }
            self.count += usize::from(is_used);
        }
        self.replacements.apply(func, stmt);
    }

    /// Equal arrays may be one array if no memory of either is written, and the caller does not get both.
    fn is_shareable(&mut self, func: &Func, first: &[Value], second: &Stmt) -> bool {
        first.iter().zip(&second.results).all(|(&a, &b)| {
            func.ty(a).is_scalar()
                || !self.sharing.is_consumed(a) && !self.sharing.is_consumed(b) && self.sharing.may_be_one_outside(a, b)
        })
    }

    /// The results of the second statement are those of the first. False if a certificate would be lost.
    fn share(&mut self, first: &[Value], certs: &[Value], second: &Stmt) -> bool {
        let owed: Vec<Value> = second.certs.iter().copied().filter(|c| !certs.contains(c)).collect();
        if !second.results.iter().all(|&r| self.replacements.can_owe(r, &owed)) {
            return false;
        }
        for (&a, &b) in first.iter().zip(&second.results) {
            let is_replaced = self.replacements.replace(b, a.into(), &owed);
            assert!(is_replaced, "the certificates can be owed");
            self.sharing.merge(a, b);
        }
        true
    }
}

/// Pairs of scalar parameters of a loop, by position, of which the second is equal to the first in every iteration: they begin equal, and
/// an iteration that begins with equal ones ends with equal ones. All that begin equal are taken to be so until they are found to end apart.
fn equal_params(func: &Func, data: &LoopData) -> Vec<(usize, usize)> {
    let count = data.params.len();
    let is_scalar = |value: &Value| func.ty(*value).is_scalar();
    let start = |at: usize| (is_scalar(&data.params[at]), func.ty(data.params[at]).elem, data.init[at]);
    let first_with = |is_equal: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        (0..count).map(|at| (0..at).find(|&other| is_equal(other, at)).unwrap_or(at)).collect()
    };
    let mut firsts = first_with(&|other, at| start(at).0 && start(other) == start(at));
    loop {
        let pairs: Vec<(usize, usize)> =
            firsts.iter().enumerate().map(|(at, &first)| (first, at)).filter(|(first, at)| first != at).collect();
        if pairs.is_empty() {
            return pairs;
        }
        let mut same: HashMap<Value, Value> =
            pairs.iter().map(|&(first, at)| (data.params[at], data.params[first])).collect();
        let mut known: HashMap<Vec<Word>, &Stmt> = HashMap::new();
        for stmt in data.body.stmts.iter().filter(|stmt| stmt.results.iter().all(is_scalar)) {
            let Some(key) = Key::under(func, stmt, &same) else { continue };
            let certs = |stmt: &Stmt| -> BTreeSet<Value> {
                stmt.certs.iter().map(|cert| *same.get(cert).unwrap_or(cert)).collect()
            };
            match known.get(&key) {
                Some(&first) if certs(stmt).is_subset(&certs(first)) => {
                    same.extend(stmt.results.iter().copied().zip(first.results.iter().copied()));
                }
                Some(_) => {}
                None => _ = known.insert(key, stmt),
            }
        }
        let end = |at: usize| match data.body.results[at] {
            Operand::Value(value) => Operand::Value(*same.get(&value).unwrap_or(&value)),
            constant => constant,
        };
        let refined = first_with(&|other, at| firsts[other] == firsts[at] && end(other) == end(at));
        if refined == firsts {
            return pairs;
        }
        firsts = refined;
    }
}

/// A word of the canonical form of a statement.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Word {
    /// An operation, a part of one, or a count.
    Tag(u8, u64),
    /// A value from outside the statement.
    Outer(Value),
    /// A value defined inside, by the order of definition.
    Inner(u32),
    Constant(Const),
    Element(Scalar),
    /// A constant table is equal to itself alone.
    Table(usize),
}

/// Writes the canonical form of a statement.
struct Key<'a> {
    func: &'a Func,
    words: Vec<Word>,
    inner: HashMap<Value, u32>,
    /// What values from outside are taken to be.
    same: Option<&'a HashMap<Value, Value>>,
    stmts_left: usize,
}

impl<'a> Key<'a> {
    fn new(func: &'a Func) -> Self {
        Self { func, words: Vec::new(), inner: HashMap::new(), same: None, stmts_left: MAX_COMPARED }
    }

    /// The canonical form; `None` if the statement is never shared.
    fn of(func: &'a Func, stmt: &Stmt) -> Option<Vec<Word>> {
        let mut key = Self::new(func);
        key.stmt(stmt, true).then_some(key.words)
    }

    /// The canonical form if the first values are the second ones.
    fn under(func: &'a Func, stmt: &Stmt, same: &'a HashMap<Value, Value>) -> Option<Vec<Word>> {
        let mut key = Self { same: Some(same), ..Self::new(func) };
        key.stmt(stmt, true).then_some(key.words)
    }

    fn tag(&mut self, tag: u8, detail: u64) {
        self.words.push(Word::Tag(tag, detail));
    }

    fn operand(&mut self, operand: Operand) {
        let word = self.word(operand);
        self.words.push(word);
    }

    fn word(&self, operand: Operand) -> Word {
        match operand {
            Operand::Const(c) => Word::Constant(c),
            Operand::Value(v) => match self.inner.get(&v) {
                Some(&at) => Word::Inner(at),
                None => Word::Outer(self.same.and_then(|same| same.get(&v)).copied().unwrap_or(v)),
            },
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        self.tag(0, operands.len() as u64);
        operands.iter().for_each(|&o| self.operand(o));
    }

    fn define(&mut self, values: &[Value]) {
        self.tag(1, values.len() as u64);
        for &value in values {
            let ty = self.func.ty(value).clone();
            self.ty(&ty);
            let at = self.inner.len() as u32;
            self.inner.insert(value, at);
        }
    }

    fn ty(&mut self, ty: &Type) {
        self.words.push(Word::Element(ty.elem));
        self.tag(2, ty.shape.len() as u64);
        ty.shape.iter().for_each(|&e: &Extent| self.operand(e.into()));
    }

    /// Element types and ranks: extents follow from the operation, or are sizes that the statement itself makes.
    fn result_kinds(&mut self, stmt: &Stmt) {
        for &result in &stmt.results {
            let (elem, rank) = (self.func.ty(result).elem, self.func.ty(result).rank());
            self.words.push(Word::Element(elem));
            self.tag(3, rank as u64);
        }
    }

    fn block(&mut self, block: &Block) -> bool {
        self.tag(4, block.stmts.len() as u64);
        for stmt in &block.stmts {
            if self.stmts_left == 0 {
                return false;
            }
            self.stmts_left -= 1;
            if !self.stmt(stmt, false) {
                return false;
            }
            self.define(&stmt.results);
        }
        self.operands(&block.results);
        true
    }

    fn lambda(&mut self, lambda: &Lambda) -> bool {
        self.define(&lambda.params);
        self.block(&lambda.body)
    }

    /// Writes the operation. `is_outermost`: its certificates are the caller's business.
    fn stmt(&mut self, stmt: &Stmt, is_outermost: bool) -> bool {
        if !is_outermost {
            let certs: Vec<Operand> = stmt.certs.iter().map(|&c| c.into()).collect();
            self.operands(&certs);
        }
        self.result_kinds(stmt);
        match &stmt.op {
            Op::Unary { op, x } => {
                let detail = match op {
                    frit_ir::UnOp::Convert(to) => *to as u64,
                    _ => frit_ir::UnOp::NAMED.iter().position(|o| o == op).expect("a named operation") as u64,
                };
                self.tag(if matches!(op, frit_ir::UnOp::Convert(_)) { 10 } else { 11 }, detail);
                self.operand(*x);
            }
            Op::Binary { op, x, y } => {
                let position = frit_ir::BinOp::ALL.iter().position(|o| o == op).expect("the table has all");
                self.tag(12, position as u64);
                let is_swapped =
                    op.is_commutative(self.func.operand_type(*x).elem) && order(&self.word(*y)) < order(&self.word(*x));
                let (x, y) = if is_swapped { (*y, *x) } else { (*x, *y) };
                self.operands(&[x, y]);
            }
            Op::Select { cond, on_true, on_false } => {
                self.tag(13, 0);
                self.operands(&[*cond, *on_true, *on_false]);
            }
            Op::Index { array, indices } => {
                self.tag(14, 0);
                self.operand((*array).into());
                self.operands(indices);
            }
            Op::View { array, view } => {
                self.operand((*array).into());
                match view {
                    View::Permute { axes } => {
                        self.tag(15, axes.len() as u64);
                        axes.iter().for_each(|&axis| self.tag(15, axis as u64));
                    }
                    View::Reshape => self.tag(16, 0),
                    View::Slice { starts, steps } => {
                        self.tag(17, 0);
                        self.operands(starts);
                        steps.iter().for_each(|&step| self.tag(17, step as u64));
                    }
                    View::Broadcast => self.tag(18, 0),
                }
                let ty = self.func.ty(stmt.results[0]).clone();
                self.ty(&ty);
            }
            Op::Table { tensor } => {
                self.tag(19, 0);
                self.words.push(Word::Table(std::sync::Arc::as_ptr(tensor) as usize));
            }
            Op::ArrayLit { elems } => {
                self.tag(20, 0);
                self.operands(elems);
            }
            Op::Iota { n } => {
                self.tag(21, 0);
                self.operand(*n);
            }
            Op::Replicate { n, x } => {
                self.tag(22, 0);
                self.operands(&[*n, *x]);
            }
            Op::Concat { arrays } => {
                self.tag(23, 0);
                let arrays: Vec<Operand> = arrays.iter().map(|&a| a.into()).collect();
                self.operands(&arrays);
            }
            Op::Copy { array } => {
                self.tag(24, 0);
                self.operand((*array).into());
            }
            // Its source is gone after the first.
            Op::Update { array, indices, value, consumes } => {
                if *consumes && is_outermost {
                    return false;
                }
                self.tag(25, u64::from(*consumes));
                self.operand((*array).into());
                self.operands(indices);
                self.operand(*value);
            }
            Op::Assert { cond, .. } => {
                self.tag(26, 0);
                self.operand(*cond);
            }
            Op::Conjoin { certs } => {
                self.tag(27, 0);
                let certs: Vec<Operand> = certs.iter().map(|&c| c.into()).collect();
                self.operands(&certs);
            }
            Op::If { cond, then, otherwise } => {
                self.tag(28, 0);
                self.operand(*cond);
                return self.block(then) && self.block(otherwise);
            }
            Op::Loop(data) => {
                if data.consumed.contains(&true) {
                    return false;
                }
                self.tag(29, u64::from(data.regroups));
                self.operands(&data.init);
                let condition = match &data.kind {
                    LoopKind::For { index, count } => {
                        self.operand(*count);
                        self.define(&[*index]);
                        None
                    }
                    LoopKind::While { condition } => Some(condition),
                };
                self.define(&data.params);
                return condition.is_none_or(|block| self.block(block)) && self.block(&data.body);
            }
            Op::With(w) => return self.with_loop(&self.func.with_loops[*w]),
            // A call may consume its arguments, and two outputs are two.
            Op::Call { .. } | Op::Effect { .. } => return false,
        }
        true
    }

    fn with_loop(&mut self, data: &WithLoopData) -> bool {
        self.tag(30, 0);
        let space: Vec<Operand> = data.space.iter().map(|&e| e.into()).collect();
        self.operands(&space);
        self.define(&data.indices);
        for generator in &data.generators {
            self.operands(&generator.lower);
            self.operands(&generator.upper);
            generator.step.iter().chain(&generator.width).for_each(|&n| self.tag(31, n as u64));
            if !self.block(&generator.body) {
                return false;
            }
        }
        for operator in &data.operators {
            if !self.operator(operator) {
                return false;
            }
        }
        true
    }

    fn operator(&mut self, operator: &OperatorData) -> bool {
        self.tag(32, u64::from(operator.guarded));
        match &operator.op {
            Operator::GenArray => self.tag(33, 0),
            Operator::ModArray { source, consumes } => {
                if *consumes {
                    return false;
                }
                self.tag(34, 0);
                self.operand((*source).into());
            }
            Operator::Fold { combine, neutral, commutative } => {
                self.tag(35, u64::from(*commutative));
                self.operands(neutral);
                return self.lambda(combine);
            }
            Operator::Scan { combine, neutral } => {
                self.tag(36, 0);
                self.operands(neutral);
                return self.lambda(combine);
            }
            Operator::Filter { arrays } => self.tag(37, *arrays as u64),
            Operator::Uniform => self.tag(38, 0),
        }
        true
    }
}

/// An order of operands, the same for equal statements.
fn order(word: &Word) -> (u8, u64, Option<Const>) {
    match word {
        Word::Inner(at) => (0, u64::from(*at), None),
        Word::Outer(v) => (1, frit_support::Index::at(*v) as u64, None),
        Word::Constant(c) => (2, 0, Some(*c)),
        Word::Tag(..) | Word::Element(_) | Word::Table(_) => unreachable!("no operand"),
    }
}
