//! Checks: removes assertions and comparisons that always hold, and checks once before a loop what a loop checks in every
//! iteration.
//! Source:   \[L0\] section 6.1 (bounds checks out of loops), 6.1.1 (what must not move), 9.1.3.
//! Before:   verified array IR.
//! After:    the same results. A program that failed still fails, perhaps with the message of another index or another assertion;
//!           a program that did not fail does not.
//! Work:     a check per loop instead of one per iteration.
//! Reorders: assertions before the loops they were in.
//!
//! An assertion moves if every iteration runs it, nothing before it in the iteration may run forever, and its
//! condition is monotone in the indices: then the extreme indices are checked, unless there is no iteration. What moved out of
//! an inner loop is an ordinary assertion of the outer one, and may move on. See Note \[Checks before a loop\].
//!
//! A proof that used an assertion leaves its certificate in the place of the one removed.
//!
//! Of minima, maxima, remainders and quotients is left what the facts leave of them: a neighbour across a periodic border, `(-1) mod n`, is
//! `n - 1`, and a bound that merging loops can put in order. Where indices are known to exist, so may be minima of sizes: from `min(n - 1, 1)` to below
//! `n - 1`, the neighbour at `i - min(n - 1, 1)` is that at `i - 1`.

use crate::inline::add_certs;
use crate::ranges::{Ranges, Sum, is_usable};
use crate::rewrite::{Replacements, substitute};
use crate::{Changes, Options};
use frit_ir::FailureKind;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Operator, Program, Stmt, Type, Value, WithLoop, ops};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_support::Span;

/// Removes and moves the checks of all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, checks)
}

/// Removes and moves checks; how many.
pub fn checks(func: &mut Func) -> usize {
    let mut pass = Checker {
        ranges: Ranges::new(func),
        replacements: Replacements::new(func),
        deferred: Renaming::new(),
        below: Vec::new(),
        out: Vec::new(),
        may_diverge: false,
        count: 0,
        func,
    };
    let body = std::mem::take(&mut pass.func.body);
    let body = pass.block(body).0;
    let (deferred, count) = (pass.deferred, pass.count);
    func.body = body;
    substitute(func, deferred);
    count
}

/// So many minima and maxima in a sum are taken as one of their operands.
const CHOICES: usize = 2;

struct Checker<'a> {
    func: &'a mut Func,
    ranges: Ranges,
    replacements: Replacements,
    /// Replacements of certificates, whose uses may lie behind already.
    deferred: Renaming,
    /// The indices of the with-loops around, and the extents that they are below, whatever the bounds of their generators.
    below: Vec<(Value, Operand)>,
    /// The statements of the innermost open block.
    out: Vec<Stmt>,
    /// A statement of the innermost open block may run forever.
    may_diverge: bool,
    count: usize,
}

/// An index of a loop: from the first operand to below the second.
#[derive(Clone, Copy)]
struct Axis {
    index: Value,
    lower: Operand,
    upper: Operand,
}

/// A loop as its assertions see it.
struct Iterations<'a> {
    /// The indices whose extremes are among the iterations.
    axes: &'a [Axis],
    /// Values defined until then are the same in all iterations.
    begin: u32,
}

/// A condition over values from outside a loop.
#[derive(Clone)]
enum Condition {
    Known(Operand),
    Compare(BinOp, Sum, Sum),
    /// `count <= room / divisor`, rounded down.
    Room {
        count: Sum,
        room: Sum,
        divisor: i64,
    },
    Not(Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
}

/// A condition to check before a loop, and the indices whose failure it reports.
struct Check {
    condition: Condition,
    at: Vec<Sum>,
}

/// An assertion that leaves a loop.
struct Moved {
    cert: Value,
    checks: Vec<(Condition, Vec<Sum>)>,
    kind: FailureKind,
    certs: Vec<Value>,
    span: Span,
}

impl Checker<'_> {
    /// The block, and how many of its statements come before the first that may run forever.
    fn block(&mut self, block: Block) -> (Block, usize) {
        let outside = std::mem::take(&mut self.out);
        let outer_may_diverge = std::mem::replace(&mut self.may_diverge, false);
        let mut terminating = None;
        let mut block = block;
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.replacements.apply(self.func, &mut stmt);
            self.stmt(stmt);
            if self.may_diverge && terminating.is_none() {
                // The statement itself, if it stays, is the last one; what stood before it has run.
                terminating = Some(self.out.len().saturating_sub(1));
            }
        }
        self.replacements.results(&mut block);
        block.stmts = std::mem::replace(&mut self.out, outside);
        let terminating = terminating.unwrap_or(block.stmts.len());
        self.may_diverge |= outer_may_diverge;
        (block, terminating)
    }

    fn push(&mut self, stmt: Stmt) {
        self.ranges.define(self.func, &stmt);
        self.out.push(stmt);
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        match &mut stmt.op {
            Op::Assert { .. } => self.assertion(stmt),
            Op::Binary { op: BinOp::Compare(_), x, .. } if self.func.operand_type(*x).elem == Scalar::I64 => {
                self.comparison(stmt);
            }
            Op::Binary { op: BinOp::MinMax(_), x, .. } if self.func.operand_type(*x).elem == Scalar::I64 => {
                self.bounded(stmt);
            }
            &mut Op::Binary { op: BinOp::FLOOR_MOD | BinOp::REM, x, y }
                if self.func.operand_type(x).elem == Scalar::I64 =>
            {
                self.remainder(stmt, x, y);
            }
            Op::Unary { op: UnOp::Abs, x } if self.func.operand_type(*x).elem == Scalar::I64 => self.bounded(stmt),
            Op::Binary { op: BinOp::ADD | BinOp::SUB, x, .. } if self.func.operand_type(*x).elem == Scalar::I64 => {
                self.distance(stmt);
            }
            &mut Op::Binary { op: BinOp::DIV, x, y } if self.func.operand_type(x).elem == Scalar::I64 => {
                self.quotient(stmt, x, y);
            }
            Op::If { cond, then, otherwise } => {
                let cond = *cond;
                for (side, holds) in [(then, true), (otherwise, false)] {
                    let block = std::mem::take(side);
                    self.ranges.enter();
                    self.ranges.assume(self.func, cond, holds, None);
                    *side = self.block(block).0;
                    self.ranges.leave();
                }
                self.push(stmt);
            }
            Op::Loop(_) => self.sequential_loop(stmt),
            Op::With(w) => {
                let w = *w;
                self.with_loop(stmt, w);
            }
            // What was written before a failure is to be seen, so no check moves ahead of an output either.
            Op::Call { .. } | Op::Effect { .. } => {
                self.may_diverge = true;
                self.push(stmt);
            }
            ops!(scalar | access | array) | Op::Conjoin { .. } => self.push(stmt),
        }
    }

    /// A comparison that the facts decide.
    fn comparison(&mut self, stmt: Stmt) {
        let result = stmt.results[0];
        self.push(stmt);
        if let Some(truth) = self.ranges.decide_without_certs(self.func, result.into()) {
            let is_replaced = self.replacements.replace(result, Const::Bool(truth).into(), &[]);
            assert!(is_replaced, "no certificate is owed");
            self.out.pop();
            self.count += 1;
        }
    }

    /// A minimum, maximum or absolute value that the facts say is one of its operands.
    fn bounded(&mut self, stmt: Stmt) {
        let is_at_least = |large: &Sum, small: &Sum| self.ranges.prove_without_certs(&(large - small));
        let known = match stmt.op {
            Op::Unary { x, .. } => is_at_least(&self.ranges.exact(x), &Sum::zero()).then_some(x),
            Op::Binary { op, x, y } => {
                let (a, b) = (self.ranges.exact(x), self.ranges.exact(y));
                let (larger, smaller) = if op == BinOp::MAX { (x, y) } else { (y, x) };
                if is_at_least(&a, &b) { Some(larger) } else { is_at_least(&b, &a).then_some(smaller) }
            }
            _ => None,
        };
        let is_replaced = match known {
            Some(operand) => self.replacements.replace(stmt.results[0], operand, &stmt.certs),
            None => self.checked_size(&stmt),
        };
        if is_replaced {
            self.count += 1;
        } else {
            self.push(stmt);
        }
    }

    /// A sum with operands that bounds decide.
    fn distance(&mut self, mut stmt: Stmt) {
        let Op::Binary { x, y, .. } = &mut stmt.op else { unreachable!("the statement is a sum") };
        for operand in [x, y] {
            if let Some(known) = self.known_inside(*operand) {
                *operand = Operand::i64(known);
                self.count += 1;
            }
        }
        self.push(stmt);
    }

    /// The value of an operand from outside of the innermost block if it is a minimum or a maximum, or the sum of some, that facts of this block decide: the
    /// bounds of an index do, as there are none between equal ones.
    fn known_inside(&mut self, operand: Operand) -> Option<i64> {
        let value = operand.value()?;
        if self.ranges.level_of(value) >= self.ranges.level() {
            return None;
        }
        let sum = self.ranges.exact(operand);
        let candidates = if is_usable(&sum) { self.constants(&sum, CHOICES) } else { Vec::new() };
        if candidates.is_empty() {
            return None;
        }
        // Learnt for these proofs alone: a proof tries the newest few facts, and these would crowd out others.
        self.ranges.enter();
        self.below.iter().for_each(|&(index, extent)| self.ranges.bind_below(index, extent));
        let found = candidates.into_iter().find(|&known| {
            let known = Sum::constant(known);
            self.ranges.prove_without_certs(&(&sum - &known)) && self.ranges.prove_without_certs(&(&known - &sum))
        });
        self.ranges.leave();
        found
    }

    /// The constants that a sum may be, by each choice of operands of the minima and maxima in it.
    fn constants(&self, sum: &Sum, choices: usize) -> Vec<i64> {
        if let Some(constant) = sum.as_constant() {
            return vec![constant];
        }
        let mut found = Vec::new();
        for symbol in sum.symbols().into_iter().copied().filter(|_| choices > 0) {
            let Some(&Op::Binary { op: BinOp::MinMax(_), x, y }) = self.ranges.definition(symbol.into()) else {
                continue;
            };
            let Some((factor, rest)) = sum.linear_in(&symbol) else { continue };
            for choice in [x, y].map(|operand| self.ranges.exact(operand)).iter().filter(|choice| is_usable(choice)) {
                let chosen = match factor.as_constant() {
                    Some(1) => &rest + choice,
                    Some(-1) => &rest - choice,
                    Some(_) | None => continue,
                };
                found.extend(self.constants(&chosen, choices - 1));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A remainder of what the facts say is near zero needs no division: it is the dividend, or that and one divisor if it is negative, or less one; that of 1
    /// is 1, but for the divisor 1.
    fn remainder(&mut self, mut stmt: Stmt, x: Operand, y: Operand) {
        let result = stmt.results[0];
        let (dividend, divisor) = (self.ranges.exact(x), self.ranges.exact(y));
        let last = &divisor - &Sum::constant(1);
        let is_dividend =
            self.ranges.prove_without_certs(&dividend) && self.ranges.prove_without_certs(&(&last - &dividend));
        if is_dividend && self.replacements.replace(result, x, &stmt.certs) {
            self.count += 1;
            return;
        }
        if !is_dividend && x == Operand::i64(1) && self.ranges.prove_without_certs(&last) {
            let one_less = self.func.value(Type::scalar(Scalar::I64), stmt.span);
            let op = Op::Binary { op: BinOp::SUB, x: y, y: x };
            self.push(Stmt { results: vec![one_less], op, certs: Vec::new(), span: stmt.span });
            stmt.op = Op::Binary { op: BinOp::MIN, x: one_less.into(), y: x };
            self.count += 1;
        }
        self.push(stmt);
        let found = self.ranges.exact(result.into());
        let stmt = self.out.last_mut().expect("the remainder is there");
        if found == &dividend + &divisor {
            stmt.op = Op::Binary { op: BinOp::ADD, x: y, y: x };
            self.count += 1;
        } else if found == &dividend - &divisor {
            stmt.op = Op::Binary { op: BinOp::SUB, x, y };
            self.count += 1;
        }
    }

    /// A quotient of what is not negative is rounded down: by a power of two, that is a shift, and bounds are computed so.
    fn quotient(&mut self, mut stmt: Stmt, x: Operand, y: Operand) {
        let divisor = y.constant().and_then(Const::as_i64).unwrap_or(0);
        if divisor > 0 && divisor & (divisor - 1) == 0 && self.ranges.prove_without_certs(&self.ranges.exact(x)) {
            stmt.op = Op::Binary { op: BinOp::FLOOR_DIV, x, y };
            self.count += 1;
        }
        self.push(stmt);
    }

    /// `max(n, 0)` is `n` where an assertion has seen that `n` is not negative.
    fn checked_size(&mut self, stmt: &Stmt) -> bool {
        let &Op::Binary { op: BinOp::MAX, x: Operand::Value(size), y } = &stmt.op else { return false };
        if y != Operand::i64(0) {
            return false;
        }
        let Some(mut certs) = self.ranges.prove(&self.ranges.exact(size.into())) else { return false };
        add_certs(&mut certs, &stmt.certs);
        self.replacements.replace_size(stmt.results[0], size, &certs)
    }

    /// An assertion: nothing if it is proved, less if a part of it is.
    fn assertion(&mut self, mut stmt: Stmt) {
        let Op::Assert { cond, .. } = &mut stmt.op else { unreachable!("the statement is an assertion") };
        if let Some(mut certs) = self.ranges.prove_condition(self.func, *cond) {
            add_certs(&mut certs, &stmt.certs);
            self.count += 1;
            let cert = stmt.results[0];
            let by = match certs[..] {
                [] => Const::Cert.into(),
                [certificate] => certificate.into(),
                _ => {
                    stmt.op = Op::Conjoin { certs };
                    stmt.certs.clear();
                    return self.push(stmt);
                }
            };
            let is_replaced = self.replacements.replace(cert, by, &[]);
            assert!(is_replaced, "no certificate is owed");
            self.deferred.insert(cert, by);
            return;
        }
        let mut left = *cond;
        while let Some(&Op::Binary { op: BinOp::AND, x, y }) = self.ranges.definition(left) {
            let holds =
                |checker: &mut Self, part| checker.ranges.decide_without_certs(checker.func, part) == Some(true);
            if holds(self, x) {
                left = y;
            } else if holds(self, y) {
                left = x;
            } else {
                break;
            }
            self.count += 1;
        }
        *cond = left;
        self.push(stmt);
    }

    fn sequential_loop(&mut self, mut stmt: Stmt) {
        let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
        let begin = self.ranges.now();
        self.ranges.enter();
        let mut moved = Vec::new();
        let mut axes = Vec::new();
        match &mut data.kind {
            LoopKind::For { index, count } => {
                self.ranges.bind_index(self.func, *index, Operand::i64(0), *count);
                for &param in &data.params {
                    self.ranges.introduce(param, (i64::MIN.into(), i64::MAX.into()));
                }
                axes.push(Axis { index: *index, lower: Operand::i64(0), upper: *count });
                let (mut body, terminating) = self.block(std::mem::take(&mut data.body));
                moved = self.leaving(&mut body, terminating, &Iterations { axes: &axes, begin });
                data.body = body;
            }
            LoopKind::While { condition } => {
                for &param in &data.params {
                    self.ranges.introduce(param, (i64::MIN.into(), i64::MAX.into()));
                }
                *condition = self.block(std::mem::take(condition)).0;
                data.body = self.block(std::mem::take(&mut data.body)).0;
                self.may_diverge = true;
            }
        }
        self.ranges.leave();
        self.place(moved, &axes);
        self.push(stmt);
    }

    fn with_loop(&mut self, stmt: Stmt, w: WithLoop) {
        let mut data = self.func.take_with_loop(w);
        let begin = self.ranges.now();
        let is_one_full = match &data.generators[..] {
            [generator] => {
                let bounds = generator.lower.iter().zip(&generator.upper).zip(&data.space);
                bounds.into_iter().all(|((&l, &u), &e)| l == Operand::i64(0) && u == e.into())
                    && generator.step == generator.width
            }
            _ => false,
        };
        for generator in &mut data.generators {
            self.ranges.enter();
            let mut axes = Vec::new();
            for (at, &index) in data.indices.iter().enumerate() {
                let (lower, upper) = (generator.lower[at], generator.upper[at]);
                self.ranges.bind_index(self.func, index, lower, upper);
                axes.push(Axis { index, lower, upper });
                self.below.push((index, data.space[at].into()));
            }
            let (mut body, terminating) = self.block(std::mem::take(&mut generator.body));
            self.below.truncate(self.below.len() - axes.len());
            // On a grid the last index is not the one before the upper bound.
            let extremes = if generator.step == generator.width { &axes[..] } else { &[] };
            let moved = self.leaving(&mut body, terminating, &Iterations { axes: extremes, begin });
            generator.body = body;
            self.ranges.leave();
            self.place(moved, &axes);
        }
        for operator in &mut data.operators {
            match &mut operator.op {
                Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                    self.ranges.enter();
                    for &param in &combine.params {
                        self.ranges.introduce(param, (i64::MIN.into(), i64::MAX.into()));
                    }
                    let (mut body, terminating) = self.block(std::mem::take(&mut combine.body));
                    // The operator is applied once per index.
                    let is_applied = is_one_full && !operator.guarded;
                    let terminating = if is_applied { terminating } else { 0 };
                    let moved = self.leaving(&mut body, terminating, &Iterations { axes: &[], begin });
                    combine.body = body;
                    self.ranges.leave();
                    let axes: Vec<Axis> = data
                        .indices
                        .iter()
                        .zip(&data.space)
                        .map(|(&index, &extent)| Axis { index, lower: Operand::i64(0), upper: extent.into() })
                        .collect();
                    self.place(moved, &axes);
                }
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
        self.func.with_loops[w] = data;
        self.push(stmt);
    }

    /// Takes the assertions out of a body that can be checked before the loop.
    fn leaving(&mut self, body: &mut Block, terminating: usize, loops: &Iterations<'_>) -> Vec<Moved> {
        let mut moved = Vec::new();
        let mut at = 0;
        body.stmts.retain(|stmt| {
            at += 1;
            if at > terminating {
                return true;
            }
            match self.leaves(stmt, loops) {
                Some(assertion) => {
                    moved.push(assertion);
                    false
                }
                None => true,
            }
        });
        moved
    }

    /// What to check before the loop instead of this assertion.
    fn leaves(&self, stmt: &Stmt, loops: &Iterations<'_>) -> Option<Moved> {
        let Op::Assert { cond, kind, args } = &stmt.op else { return None };
        if !stmt.certs.iter().all(|&c| self.ranges.was_there(c.into(), loops.begin)) {
            return None;
        }
        let mut checks = Vec::new();
        for check in self.plan(*cond, loops)? {
            let args: Option<Vec<Sum>> = args
                .iter()
                .map(|&arg| {
                    let sum = at_extremes(&self.ranges.ring(arg), loops.axes, &check.at);
                    self.is_outside(&sum, loops).then_some(sum)
                })
                .collect();
            checks.push((check.condition, args?));
        }
        Some(Moved { cert: stmt.results[0], checks, kind: *kind, certs: stmt.certs.clone(), span: stmt.span })
    }

    /// True if the polynomial is over values from outside.
    fn is_outside(&self, sum: &Sum, loops: &Iterations<'_>) -> bool {
        sum.symbols().into_iter().all(|&v| self.ranges.was_there(v.into(), loops.begin))
    }

    /// A condition that is the same in all iterations, over values from outside.
    fn invariant(&self, cond: Operand, loops: &Iterations<'_>) -> Option<Condition> {
        if self.ranges.was_there(cond, loops.begin) {
            return Some(Condition::Known(cond));
        }
        let boxed = |operand| self.invariant(operand, loops).map(Box::new);
        match *self.ranges.definition(cond)? {
            Op::Unary { op: UnOp::Not, x } if self.func.operand_type(x).elem == Scalar::Bool => {
                Some(Condition::Not(boxed(x)?))
            }
            Op::Binary { op: BinOp::AND, x, y } if self.func.operand_type(x).elem == Scalar::Bool => {
                Some(Condition::Both(boxed(x)?, boxed(y)?))
            }
            Op::Binary { op: BinOp::OR, x, y } if self.func.operand_type(x).elem == Scalar::Bool => {
                Some(Condition::Either(boxed(x)?, boxed(y)?))
            }
            Op::Binary { op: op @ BinOp::Compare(_), x, y } if self.func.operand_type(x).elem == Scalar::I64 => {
                let (x, y) = (self.ranges.ring(x), self.ranges.ring(y));
                let is_outside = self.is_outside(&x, loops) && self.is_outside(&y, loops);
                is_outside.then(|| Condition::Compare(op, (*x).clone(), (*y).clone()))
            }
            _ => None,
        }
    }

    /// Conditions over values from outside that hold together exactly if `cond` holds in all iterations, of which there
    /// is one at least.
    fn plan(&self, cond: Operand, loops: &Iterations<'_>) -> Option<Vec<Check>> {
        if let Some(condition) = self.invariant(cond, loops) {
            let first = loops.axes.iter().map(|axis| (*self.ranges.ring(axis.lower)).clone()).collect();
            return Some(vec![Check { condition, at: first }]);
        }
        match *self.ranges.definition(cond)? {
            Op::Binary { op: BinOp::AND, x, y } if self.func.operand_type(x).elem == Scalar::Bool => {
                let mut checks = self.plan(x, loops)?;
                checks.extend(self.plan(y, loops)?);
                Some(checks)
            }
            Op::Binary { op: BinOp::OR, x, y } if self.func.operand_type(x).elem == Scalar::Bool => {
                let (known, open) = match (self.invariant(x, loops), self.invariant(y, loops)) {
                    (Some(known), _) => (known, y),
                    (None, Some(known)) => (known, x),
                    (None, None) => return None,
                };
                let either = |check: Check| Check {
                    condition: Condition::Either(Box::new(known.clone()), Box::new(check.condition)),
                    at: check.at,
                };
                Some(self.plan(open, loops)?.into_iter().map(either).collect())
            }
            Op::Binary { op, x, y } if self.func.operand_type(x).elem == Scalar::I64 => match op {
                BinOp::LT | BinOp::LE => {
                    if !self.ranges.is_exact(x) || !self.ranges.is_exact(y) {
                        return None;
                    }
                    Some(vec![self.extreme(op, &self.ranges.exact(x), &self.ranges.exact(y), loops)?])
                }
                BinOp::IN_BOUNDS => self.plan_in_bounds(x, y, loops),
                BinOp::Arith(_) | BinOp::Divide(_) | BinOp::Math(_) | BinOp::MinMax(_) | BinOp::Bits(_) => None,
                BinOp::Compare(_) => None,
            },
            _ => None,
        }
    }

    /// `x op y` for `<` or `<=` in the iteration where it is hardest to meet.
    fn extreme(&self, op: BinOp, x: &Sum, y: &Sum, loops: &Iterations<'_>) -> Option<Check> {
        let mut at = vec![Sum::zero(); loops.axes.len()];
        let mut margin = y - x;
        for (place, axis) in loops.axes.iter().enumerate().rev() {
            let (factor, _) = margin.linear_in(&axis.index)?;
            let first = (*self.ranges.ring(axis.lower)).clone();
            let last = &*self.ranges.ring(axis.upper) - &Sum::constant(1);
            let is_rising = factor.is_zero() || self.ranges.prove_without_certs(&factor);
            at[place] = if is_rising {
                first
            } else if self.ranges.prove_without_certs(&-&factor) {
                last
            } else {
                return None;
            };
            margin = margin.substitute(&axis.index, &at[place]);
        }
        let (x, y) = (at_extremes(x, loops.axes, &at), at_extremes(y, loops.axes, &at));
        if !self.is_outside(&x, loops) || !self.is_outside(&y, loops) {
            return None;
        }
        // `n - 1 < m` is `n <= m`.
        let next = &x + &Sum::constant(1);
        let condition = match op {
            BinOp::LT if next.as_symbol().is_some() => Condition::Compare(BinOp::LE, next, y),
            _ => Condition::Compare(op, x, y),
        };
        Some(Check { condition, at })
    }

    /// `0 <= e < m` in all iterations.
    fn plan_in_bounds(&self, e: Operand, m: Operand, loops: &Iterations<'_>) -> Option<Vec<Check>> {
        if self.ranges.is_exact(e) && self.ranges.is_exact(m) {
            let (index, size) = (self.ranges.exact(e), self.ranges.exact(m));
            let upper = self.extreme(BinOp::LT, &index, &size, loops);
            let lower = match self.ranges.prove_without_certs(&index) {
                true => Some(None),
                false => self.extreme(BinOp::LE, &Sum::zero(), &index, loops).map(Some),
            };
            if let (Some(upper), Some(lower)) = (upper, lower) {
                return Some(lower.into_iter().chain([upper]).collect());
            }
        }
        self.plan_wrapping_in_bounds(e, m, loops)
    }

    /// `0 <= a * i + b < m` in all iterations, where the arithmetic may wrap. See Note \[Checks before a loop\].
    fn plan_wrapping_in_bounds(&self, e: Operand, m: Operand, loops: &Iterations<'_>) -> Option<Vec<Check>> {
        let [axis] = loops.axes else { return None };
        if !self.ranges.was_there(m, loops.begin) {
            return None;
        }
        let (factor, _) = self.ranges.ring(e).linear_in(&axis.index)?;
        let factor = factor.as_constant().filter(|a| *a != 0 && a.unsigned_abs() < 1 << 40)?;
        let (lower, upper) = ((*self.ranges.ring(axis.lower)).clone(), (*self.ranges.ring(axis.upper)).clone());
        let first = self.ranges.ring(e).substitute(&axis.index, &lower);
        if !self.is_outside(&first, loops) {
            return None;
        }
        let size = match m {
            Operand::Const(c) => Sum::constant(c.as_i64()?),
            Operand::Value(v) => Sum::symbol(v),
        };
        let last = &upper - &Sum::constant(1);
        let count = &last - &lower;
        let is_rising = factor > 0;
        let room = if is_rising { &(&size - &Sum::constant(1)) - &first } else { first.clone() };
        let condition = match factor.unsigned_abs() {
            1 if is_rising => Condition::Compare(BinOp::LE, &count + &Sum::constant(1), &room + &Sum::constant(1)),
            1 => Condition::Compare(BinOp::LE, count, room),
            divisor => Condition::Room { count, room, divisor: divisor as i64 },
        };
        let last_check = Check { condition, at: vec![last] };
        // Enough room behind an index that is not negative means that it is within bounds itself.
        let is_first_positive = self.ranges.fits(&first) && self.ranges.prove_without_certs(&first);
        let is_implied = is_rising && is_first_positive && self.ranges.interval(m).0 >= 0;
        if is_implied {
            return Some(vec![last_check]);
        }
        let first_check = Check { condition: Condition::Compare(BinOp::IN_BOUNDS, first, size), at: vec![lower] };
        Some(vec![first_check, last_check])
    }

    /// Appends assertions to the open block: they hold, or there is no iteration.
    fn place(&mut self, moved: Vec<Moved>, axes: &[Axis]) {
        if moved.is_empty() {
            return;
        }
        let span = moved[0].span;
        let mut is_empty = None;
        for axis in axes {
            let room = &(&self.ranges.exact(axis.upper) - &self.ranges.exact(axis.lower)) - &Sum::constant(1);
            let is_exact = self.ranges.is_exact(axis.upper) && self.ranges.is_exact(axis.lower);
            if is_exact && self.ranges.prove(&room).is_some() {
                continue;
            }
            let none = self.emit(Op::Binary { op: BinOp::LE, x: axis.upper, y: axis.lower }, Scalar::Bool, span);
            is_empty = Some(match is_empty {
                None => none,
                Some(other) => self.emit(Op::Binary { op: BinOp::OR, x: other, y: none }, Scalar::Bool, span),
            });
        }
        for assertion in moved {
            self.count += 1;
            let Moved { cert, checks, kind, certs, span } = assertion;
            let is_single = checks.len() == 1;
            let mut parts = Vec::new();
            for (condition, args) in checks {
                let mut cond = self.emit_condition(&condition, span);
                if let Some(empty) = is_empty
                    && !self.holds_under(empty, cond)
                {
                    cond = self.emit(Op::Binary { op: BinOp::OR, x: empty, y: cond }, Scalar::Bool, span);
                }
                let args = args.iter().map(|arg| self.emit_sum(arg, span)).collect();
                let part = if is_single { cert } else { self.func.value(Type::scalar(Scalar::Cert), span) };
                self.stmt(Stmt {
                    results: vec![part],
                    op: Op::Assert { cond, kind, args },
                    certs: certs.clone(),
                    span,
                });
                parts.push(part);
            }
            if !is_single {
                let mut conjoined = Stmt { results: vec![cert], op: Op::Conjoin { certs: parts }, certs, span };
                self.replacements.apply(self.func, &mut conjoined);
                self.stmt(conjoined);
            }
        }
    }

    /// True if one condition implies the other.
    fn holds_under(&mut self, premise: Operand, cond: Operand) -> bool {
        self.ranges.enter();
        self.ranges.assume(self.func, premise, true, None);
        let holds = self.ranges.decide_without_certs(self.func, cond) == Some(true);
        self.ranges.leave();
        holds
    }

    /// A scalar statement in the open block, unless it is known.
    fn emit(&mut self, op: Op, elem: Scalar, span: Span) -> Operand {
        if let Op::Binary { op, x: Operand::Const(x), y: Operand::Const(y) } = op
            && let Some(constant) = op.eval(x, y)
        {
            return constant.into();
        }
        let result = self.func.value(Type::scalar(elem), span);
        self.stmt(Stmt { results: vec![result], op, certs: Vec::new(), span });
        self.replacements.operand(result.into())
    }

    fn emit_condition(&mut self, condition: &Condition, span: Span) -> Operand {
        let op = match condition {
            Condition::Known(operand) => return *operand,
            Condition::Compare(op, x, y) => {
                let (x, y) = (self.emit_sum(x, span), self.emit_sum(y, span));
                Op::Binary { op: *op, x, y }
            }
            Condition::Room { count, room, divisor } => {
                let (count, room) = (self.emit_sum(count, span), self.emit_sum(room, span));
                let op = Op::Binary { op: BinOp::FLOOR_DIV, x: room, y: Operand::i64(*divisor) };
                let most = self.emit(op, Scalar::I64, span);
                Op::Binary { op: BinOp::LE, x: count, y: most }
            }
            Condition::Not(inner) => Op::Unary { op: UnOp::Not, x: self.emit_condition(inner, span) },
            Condition::Both(x, y) => {
                Op::Binary { op: BinOp::AND, x: self.emit_condition(x, span), y: self.emit_condition(y, span) }
            }
            Condition::Either(x, y) => {
                Op::Binary { op: BinOp::OR, x: self.emit_condition(x, span), y: self.emit_condition(y, span) }
            }
        };
        self.emit(op, Scalar::Bool, span)
    }

    /// Statements that compute a polynomial: products added up, negative ones last.
    fn emit_sum(&mut self, sum: &Sum, span: Span) -> Operand {
        let mut total: Option<Operand> = None;
        let (negative, positive): (Vec<_>, Vec<_>) = sum.terms().partition(|&(_, coefficient)| coefficient < 0);
        for (monomial, coefficient) in positive.into_iter().rev().chain(negative.into_iter().rev()) {
            let is_subtracted = coefficient < 0 && coefficient != i64::MIN && total.is_some();
            let factor = if is_subtracted { -coefficient } else { coefficient };
            let mut product: Option<Operand> = None;
            for &(symbol, exponent) in monomial.powers() {
                for _ in 0..exponent {
                    product = Some(match product {
                        None => symbol.into(),
                        Some(x) => self.emit(Op::Binary { op: BinOp::MUL, x, y: symbol.into() }, Scalar::I64, span),
                    });
                }
            }
            let term = match product {
                None => Operand::i64(factor),
                Some(x) if factor == 1 => x,
                Some(x) => self.emit(Op::Binary { op: BinOp::MUL, x, y: Operand::i64(factor) }, Scalar::I64, span),
            };
            total = Some(match total {
                None => term,
                Some(x) => {
                    let op = if is_subtracted { BinOp::SUB } else { BinOp::ADD };
                    self.emit(Op::Binary { op, x, y: term }, Scalar::I64, span)
                }
            });
        }
        total.unwrap_or(Operand::i64(0))
    }
}

/// The polynomial where the indices have these values.
fn at_extremes(sum: &Sum, axes: &[Axis], at: &[Sum]) -> Sum {
    sum.replace(|symbol| axes.iter().position(|axis| axis.index == *symbol).map(|place| at[place].clone()))
}

// Note [Checks before a loop]
//
// The iterations are the points of a box (for a loop, of an interval). A comparison of two polynomials that rise or fall in each
// index is hardest to meet at a corner of the box, and the corner is an iteration: so the check at the corner fails exactly if some
// iteration's check does. "Rise or fall" speaks of integers, so both sides must be exact (see Note [Overflow] in `ranges`); at the
// corner they are then exact too.
//
// For a bounds check `0 <= a * i + b < m` with a constant `a` and one index from `l` to below `u`, exactness is not needed. Let
// `f = a * l + b`, computed with wrapping, as the first iteration computes it. If `0 <= f < m`, the iterations after it stay
// in bounds as long as the distance to the end suffices: `u - 1 - l <= (m - 1 - f) / a` for positive `a`, and
// `u - 1 - l <= f / -a` for negative `a`, rounded down. Nothing here overflows: `f` and `m` lie in the same half of the numbers, and
// `0 <= l < u`. If the distance does not suffice, the first iteration beyond it computes a number below `m + |a|` or not
// below `-|a|`, which is not wrapped, and fails as well.
//
// The indices of a with-loop's generator lie within the space, so no lower bound is negative.
