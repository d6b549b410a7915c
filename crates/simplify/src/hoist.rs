//! Hoisting: moves loop-invariant statements before their loops.
//! Source:   \[L0\] sections 6.1 and 6.3.1; the thesis takes all arrays for non-empty, this pass does not.
//! Before:   verified array IR.
//! After:    the same results; no statement that could run before a loop, and may, is left inside.
//! Work:     less, but for loops without iterations, before which a moved statement runs once.
//! Reorders: nothing that can be observed.
//!
//! A statement moves before the outermost loop that it does not depend on, in one walk, however deep the nest. It stays if
//! - its memory is updated in place in the loop: every iteration needs its own;
//! - it may fail or run forever, unless it would have run anyway (the loop has an iteration, and the statement is no
//!   part of a branch), or its operations are proved to be defined where it goes. The proof is made anew, because a
//!   certificate may have been removed for reasons that hold in the loop only;
//! - it makes an array of a size that no array before the loop has, and the loop may have no iteration: memory could be
//!   exhausted that the program never asked for;
//! - it is part of a branch: nothing leaves one.

use crate::inline::add_certs;
use crate::ranges::{Ranges, Sum};
use crate::sharing::Sharing;
use crate::{Changes, Options};
use frit_ir::array::{
    Block, Extent, Func, Generator, LoopKind, Op, Operand, Operator, Program, Stmt, Value, View, WithLoop, ops,
};
use frit_ir::scalar::{BinOp, Const};

/// Hoists in all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, hoist)
}

/// Moves loop-invariant statements out; how many.
pub fn hoist(func: &mut Func) -> usize {
    let mut pass = Hoister {
        ranges: Ranges::new(func),
        sharing: Sharing::of(func),
        scopes: Vec::new(),
        touched: vec![0],
        clock: 0,
        count: 0,
        func,
    };
    let body = std::mem::take(&mut pass.func.body);
    pass.scopes.push(Scope { kind: Kind::Body, out: Vec::new() });
    let results = pass.stmts(body);
    let stmts = pass.scopes.pop().expect("the body is open").out;
    let count = pass.count;
    func.body = Block { stmts, results };
    count
}

/// Statements with blocks are proved safe up to this size.
const MAX_PROVED: usize = 200;
/// How many places are tried for a statement that needs a proof.
const MAX_TRIES: usize = 3;

/// What leaving a block means for a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The function's body.
    Body,
    /// One side of a branch.
    Branch,
    /// The body of a loop; `runs` if it is proved to have an iteration.
    Loop { runs: bool },
}

struct Scope {
    kind: Kind,
    out: Vec<Stmt>,
}

struct Hoister<'a> {
    func: &'a mut Func,
    ranges: Ranges,
    sharing: Sharing,
    /// The open blocks, outermost first.
    scopes: Vec<Scope>,
    /// Per number of open blocks: when a value of that level was used last.
    touched: Vec<u64>,
    clock: u64,
    count: usize,
}

impl Hoister<'_> {
    fn level(&self) -> usize {
        self.scopes.len() - 1
    }

    fn stmts(&mut self, block: Block) -> Vec<Operand> {
        for stmt in block.stmts {
            self.stmt(stmt);
        }
        block.results.iter().for_each(|&o| self.touch(o));
        block.results
    }

    /// Notes a use.
    fn touch(&mut self, operand: Operand) {
        if let Operand::Value(v) = operand {
            self.clock += 1;
            let level = self.ranges.level_of(v) as usize;
            if self.touched.len() <= level {
                self.touched.resize(level + 1, 0);
            }
            self.touched[level] = self.clock;
        }
    }

    /// A block inside a statement; `bind` introduces the values that the statement binds for it.
    fn inner(&mut self, kind: Kind, block: Block, bind: impl FnOnce(&mut Ranges, &Func)) -> Block {
        self.ranges.enter();
        bind(&mut self.ranges, self.func);
        self.scopes.push(Scope { kind, out: Vec::new() });
        let results = self.stmts(block);
        let stmts = self.scopes.pop().expect("the block is open").out;
        self.ranges.leave();
        Block { stmts, results }
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        let begin = self.clock + 1;
        let mut uses: Vec<Operand> = Vec::new();
        stmt.op.for_each_operand(self.func, &mut |operand| uses.push(operand));
        let mut defined = stmt.results.clone();
        stmt.op.for_each_binder(self.func, &mut |binder| defined.push(binder));
        for &value in &defined {
            uses.extend(self.func.ty(value).shape.iter().map(|&e| Operand::from(e)));
        }
        uses.retain(|o| o.value().is_none_or(|v| !defined.contains(&v)));
        uses.extend(stmt.certs.iter().map(|&c| Operand::from(c)));
        uses.into_iter().for_each(|o| self.touch(o));
        self.blocks(&mut stmt);
        let here = self.level();
        let needs = (0..=here).rev().find(|&level| self.touched.get(level).is_some_and(|&time| time >= begin));
        let place = self.place(&mut stmt, needs.unwrap_or(0));
        self.ranges.define(self.func, &stmt);
        if place < here {
            self.count += 1;
            for &result in &stmt.results {
                self.ranges.move_to(result, place as u32);
            }
        }
        self.scopes[place].out.push(stmt);
    }

    /// Hoists inside the statement's blocks.
    fn blocks(&mut self, stmt: &mut Stmt) {
        match &mut stmt.op {
            Op::If { cond, then, otherwise } => {
                let cond = *cond;
                for (side, holds) in [(then, true), (otherwise, false)] {
                    let block = std::mem::take(side);
                    *side = self.inner(Kind::Branch, block, |ranges, func| ranges.assume(func, cond, holds, None));
                }
            }
            Op::Loop(data) => {
                let params = data.params.clone();
                let body = std::mem::take(&mut data.body);
                let index = match &mut data.kind {
                    LoopKind::For { index, count } => Some((*index, *count)),
                    LoopKind::While { condition } => {
                        let block = std::mem::take(condition);
                        *condition =
                            self.inner(Kind::Loop { runs: false }, block, |ranges, _| introduce(ranges, &params));
                        None
                    }
                };
                let runs = index.is_some_and(|(_, count)| self.is_not_empty(Operand::i64(0), count));
                data.body = self.inner(Kind::Loop { runs }, body, |ranges, func| {
                    introduce(ranges, &params);
                    if let Some((index, count)) = index {
                        ranges.bind_index(func, index, Operand::i64(0), count);
                    }
                });
            }
            Op::With(w) => {
                let mut data = self.func.take_with_loop(*w);
                let indices = data.indices.clone();
                for generator in &mut data.generators {
                    let bounds: Vec<(Operand, Operand)> =
                        generator.lower.iter().copied().zip(generator.upper.iter().copied()).collect();
                    let runs = bounds.iter().all(|&(lower, upper)| self.is_not_empty(lower, upper));
                    let body = std::mem::take(&mut generator.body);
                    generator.body = self.inner(Kind::Loop { runs }, body, |ranges, func| {
                        for (&index, &(lower, upper)) in indices.iter().zip(&bounds) {
                            ranges.bind_index(func, index, lower, upper);
                        }
                    });
                }
                for operator in &mut data.operators {
                    match &mut operator.op {
                        Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                            let body = std::mem::take(&mut combine.body);
                            let params = combine.params.clone();
                            combine.body =
                                self.inner(Kind::Loop { runs: false }, body, |ranges, _| introduce(ranges, &params));
                        }
                        Operator::GenArray
                        | Operator::ModArray { .. }
                        | Operator::Filter { .. }
                        | Operator::Uniform => {}
                    }
                }
                self.func.with_loops[*w] = data;
            }
            ops!(scalar | access | array | effect) | Op::Call { .. } => {}
        }
    }

    fn is_not_empty(&self, lower: Operand, upper: Operand) -> bool {
        let room = &(&self.ranges.exact(upper) - &self.ranges.exact(lower)) - &Sum::constant(1);
        self.ranges.prove_without_certs(&room)
    }

    /// The level of the block where the statement goes; it needs values of level `needs`. Certificates that the proof
    /// used are added.
    fn place(&mut self, stmt: &mut Stmt, needs: usize) -> usize {
        let here = self.level();
        if needs >= here || !self.may_move(stmt) {
            return here;
        }
        let mut far = here;
        let mut would_run = here;
        while far > needs {
            match self.scopes[far].kind {
                Kind::Body | Kind::Branch => break,
                Kind::Loop { runs } => {
                    if runs && would_run == far {
                        would_run = far - 1;
                    }
                    far -= 1;
                }
            }
        }
        let last_try = would_run.min(far + MAX_TRIES);
        for place in far..last_try {
            if !self.fits_memory(stmt, place) {
                continue;
            }
            let mut certs = Vec::new();
            let mut budget = MAX_PROVED;
            self.ranges.hide(place as u32 + 1..here as u32 + 1);
            let is_safe = self.is_safe(stmt, &mut certs, &mut budget);
            self.ranges.show_all();
            if is_safe {
                add_certs(&mut stmt.certs, &certs);
                return place;
            }
        }
        would_run
    }

    /// True if the statement may move at all: it ends, checks nothing, and no memory that it makes is updated in place.
    fn may_move(&mut self, stmt: &Stmt) -> bool {
        let is_movable = match &stmt.op {
            Op::Assert { .. } | Op::Effect { .. } | Op::Call { .. } => false,
            Op::Update { consumes, .. } => !consumes,
            Op::Loop(_) | Op::If { .. } | Op::With(_) => {
                let mut budget = MAX_PROVED;
                ends(self.func, stmt, &mut budget)
            }
            ops!(scalar | access)
            | Op::Table { .. }
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Concat { .. }
            | Op::Copy { .. }
            | Op::Conjoin { .. } => true,
        };
        let func = &*self.func;
        let sharing = &mut self.sharing;
        is_movable && stmt.results.iter().all(|&r| func.ty(r).is_scalar() || !sharing.is_consumed(r))
    }

    /// True if arrays of these sizes were there at that level, or cost nothing.
    fn fits_memory(&self, stmt: &Stmt, level: usize) -> bool {
        let is_free = match stmt.op {
            Op::Index { .. } | Op::View { .. } | Op::Table { .. } => true,
            ops!(scalar | effect | control)
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Concat { .. }
            | Op::Copy { .. }
            | Op::Update { .. } => false,
        };
        let is_known =
            |value: &Value| self.func.ty(*value).shape.iter().all(|&e| self.ranges.is_size_at(e.into(), level as u32));
        is_free || stmt.results.iter().all(is_known)
    }

    /// True if the statement cannot fail: its operations are total, or proved to be defined by the facts that are not
    /// hidden.
    fn is_safe(&mut self, stmt: &Stmt, certs: &mut Vec<Value>, budget: &mut usize) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match &stmt.op {
            Op::Unary { .. } | Op::Select { .. } | Op::Table { .. } | Op::Iota { .. } | Op::Replicate { .. } => true,
            Op::Copy { .. } | Op::Conjoin { .. } => true,
            Op::Binary { op, x, y } => self.is_defined(*op, *x, *y, certs),
            Op::Index { array, indices } => self.are_in_bounds(*array, indices, certs),
            Op::Update { array, indices, value, consumes } => {
                !consumes && self.func.operand_type(*value).is_scalar() && self.are_in_bounds(*array, indices, certs)
            }
            Op::View { array: _, view } => match view {
                View::Permute { .. } | View::Broadcast => true,
                View::Reshape | View::Slice { .. } => false,
            },
            Op::ArrayLit { elems } => {
                let first = self.func.operand_type(elems[0]);
                elems.iter().all(|&e| self.func.operand_type(e) == first)
            }
            Op::Concat { arrays } => {
                let rows = |array: Value| &self.func.ty(array).shape[1..];
                arrays.iter().all(|&array| rows(array) == rows(arrays[0]))
            }
            Op::Assert { .. } | Op::Effect { .. } | Op::Call { .. } => false,
            Op::If { cond, then, otherwise } => [(then, true), (otherwise, false)].into_iter().all(|(side, holds)| {
                self.ranges.enter();
                self.ranges.assume(self.func, *cond, holds, None);
                let is_safe = self.is_safe_block(side, certs, budget);
                self.ranges.leave();
                is_safe
            }),
            Op::Loop(data) => match data.kind {
                LoopKind::While { .. } => false,
                LoopKind::For { index, count } => {
                    self.ranges.enter();
                    introduce(&mut self.ranges, &data.params);
                    self.ranges.bind_index(self.func, index, Operand::i64(0), count);
                    let is_safe = self.is_safe_block(&data.body, certs, budget);
                    self.ranges.leave();
                    is_safe
                }
            },
            Op::With(w) => self.is_safe_with_loop(*w, certs, budget),
        }
    }

    fn is_safe_block(&mut self, block: &Block, certs: &mut Vec<Value>, budget: &mut usize) -> bool {
        block.stmts.iter().all(|stmt| {
            let is_safe = self.is_safe(stmt, certs, budget);
            self.ranges.define(self.func, stmt);
            is_safe
        })
    }

    fn is_safe_with_loop(&mut self, w: WithLoop, certs: &mut Vec<Value>, budget: &mut usize) -> bool {
        let data = self.func.take_with_loop(w);
        let mut is_safe = true;
        for generator in &data.generators {
            is_safe = is_safe && self.stays_in_space(&data.space, generator, certs);
            self.ranges.enter();
            for ((&index, &lower), &upper) in data.indices.iter().zip(&generator.lower).zip(&generator.upper) {
                self.ranges.bind_index(self.func, index, lower, upper);
            }
            is_safe = is_safe && self.is_safe_block(&generator.body, certs, budget);
            self.ranges.leave();
        }
        for operator in &data.operators {
            match &operator.op {
                Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                    self.ranges.enter();
                    introduce(&mut self.ranges, &combine.params);
                    is_safe = is_safe && self.is_safe_block(&combine.body, certs, budget);
                    self.ranges.leave();
                }
                // It fails where cells differ.
                Operator::Uniform => is_safe = false,
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } => {}
            }
        }
        self.func.with_loops[w] = data;
        is_safe
    }

    /// True if the generator's bounds are within the space; they may have been simplified by what holds in the loop only.
    fn stays_in_space(&self, space: &[Extent], generator: &Generator, certs: &mut Vec<Value>) -> bool {
        let mut proved = |low: Operand, high: Operand| {
            let used = if low == high {
                Some(Vec::new())
            } else {
                self.ranges.prove(&(&self.ranges.exact(high) - &self.ranges.exact(low)))
            };
            used.map(|used| certs.extend(used)).is_some()
        };
        let lower_holds = generator.lower.iter().all(|&lower| proved(Operand::i64(0), lower));
        lower_holds && generator.upper.iter().zip(space).all(|(&upper, &extent)| proved(upper, extent.into()))
    }

    fn are_in_bounds(&self, array: Value, indices: &[Operand], certs: &mut Vec<Value>) -> bool {
        let shape = &self.func.ty(array).shape;
        indices.iter().zip(shape).all(|(&index, &extent)| match self.ranges.prove_in_bounds(index, extent.into()) {
            Some(used) => {
                certs.extend(used);
                true
            }
            None => false,
        })
    }

    fn is_defined(&self, op: BinOp, x: Operand, y: Operand, certs: &mut Vec<Value>) -> bool {
        if !self.func.operand_type(x).elem.is_integer() {
            return true;
        }
        let one = Sum::constant(1);
        let exact = self.ranges.exact(y);
        let mut proved = |sum: &Sum| match self.ranges.prove(sum) {
            Some(used) => {
                certs.extend(used);
                true
            }
            None => false,
        };
        match op {
            BinOp::Divide(_) => match y {
                Operand::Const(Const::Int(_, divisor)) => divisor != 0,
                Operand::Const(_) => false,
                Operand::Value(_) => proved(&(&exact - &one)) || proved(&-(&exact + &one)),
            },
            BinOp::POW => match y {
                Operand::Const(Const::Int(_, exponent)) => exponent >= 0,
                Operand::Const(_) => false,
                Operand::Value(_) => proved(&exact),
            },
            BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => true,
        }
    }
}

fn introduce(ranges: &mut Ranges, values: &[Value]) {
    for &value in values {
        ranges.introduce(value, (i64::MIN.into(), i64::MAX.into()));
    }
}

/// True if a statement surely ends and writes nothing, and so do those inside; false if it is large.
fn ends(func: &Func, stmt: &Stmt, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    let is_endless = match &stmt.op {
        Op::Call { .. } | Op::Effect { .. } => true,
        Op::Loop(data) => match data.kind {
            LoopKind::For { .. } => false,
            LoopKind::While { .. } => true,
        },
        ops!(scalar | access | array) | Op::If { .. } | Op::With(_) | Op::Assert { .. } | Op::Conjoin { .. } => false,
    };
    let mut all_end = !is_endless;
    stmt.op.for_each_block(func, &mut |block| {
        all_end = all_end && block.stmts.iter().all(|inner| ends(func, inner, budget));
    });
    all_end
}
