//! Symbolic range analysis: what is known of integers at a place in a program, and what follows from it.
//! Source: \[L0\] section 6.1 asks for it; the method is elimination of symbols from linear inequalities (Fourier and
//! Motzkin), innermost symbols first, with products of symbols taken as they come.
//!
//! A *fact* is a polynomial over values that is not negative. Facts come from the bounds of indices, from sizes, from the
//! definitions of `min`, `mod` and the like, from the conditions of enclosing branches, and from assertions that ran before;
//! a fact from an assertion names its certificate, and what is proved by it stands under that certificate.
//!
//! The analysis follows a walk in the order of execution: [`define`](Ranges::define) for each statement,
//! [`enter`](Ranges::enter) and [`leave`](Ranges::leave) around blocks. It changes no program; `checks` and `hoist` use it.
//! See Note \[Overflow\].

mod prove;
mod remainder;

use frit_ir::affine::Poly;
use frit_ir::array::{Func, Op, Operand, Operator, Stmt, Type, Value};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use prove::{DEPTH, Search};
use std::collections::HashMap;
use std::rc::Rc;

/// A polynomial over values, taken as one over the integers.
pub type Sum = Poly<Value>;

/// No array has a longer axis. See Note \[Overflow\].
const MAX_EXTENT: i128 = 1 << 47;
/// Sums of more terms are taken as one symbol.
const MAX_TERMS: usize = 12;
/// The most disjunctions that are thought of again in each loop.
const MOST_UNDECIDED: usize = 16;
/// The most bounds of indices that are thought of again after each assertion.
const MOST_BOUNDS: usize = 4;
/// Coefficients beyond this are not multiplied: products must not wrap.
const MAX_COEFFICIENT: u64 = 1 << 40;

/// The least and the largest value of an integer.
type Interval = (i128, i128);

const ANY: Interval = (i64::MIN as i128, i64::MAX as i128);

/// A polynomial that is not negative here.
#[derive(Clone, Debug)]
struct Fact {
    sum: Sum,
    /// The assertion that it follows from.
    cert: Option<Value>,
    /// The number of blocks open where it was learnt.
    level: u32,
}

/// What is known of one value.
#[derive(Clone)]
struct Symbol {
    /// When it was defined; 0 if it was not yet.
    order: u32,
    /// The number of blocks open where it was defined.
    level: u32,
    interval: Interval,
    /// The polynomial that it equals over the integers, and the level of the facts that say so.
    exact: Option<(Rc<Sum>, u32)>,
    /// The polynomial that it equals modulo 2^64.
    ring: Option<Rc<Sum>>,
    /// Its definition, if that is a scalar operation.
    op: Option<Op>,
    /// The number of blocks open where an array with this extent was first there.
    size_level: Option<u32>,
}

/// The facts at a place in a function.
pub struct Ranges {
    symbols: HashMap<Value, Symbol>,
    facts: Vec<Fact>,
    /// The facts that mention a symbol, oldest first.
    mentions: HashMap<Value, Vec<usize>>,
    /// The number of facts when each open block was entered.
    scopes: Vec<usize>,
    /// Facts learnt with so many blocks open are not used.
    hidden: std::ops::Range<u32>,
    clock: u32,
    /// The least and the largest element of constant arrays of integers.
    tables: HashMap<Value, Interval>,
    /// What holds, without it being known which side does.
    undecided: Vec<Disjunction>,
    /// Upper bounds of indices that may have wrapped, and the number of blocks open where they were met.
    bounds: Vec<(Operand, u32)>,
}

/// One of two conditions holds.
#[derive(Clone, Copy)]
struct Disjunction {
    x: Operand,
    y: Operand,
    cert: Option<Value>,
    /// The number of blocks open where that was learnt.
    level: u32,
}

impl Ranges {
    /// The facts at the begin of a function's body: sizes are not negative.
    pub fn new(func: &Func) -> Self {
        let mut ranges = Ranges {
            symbols: HashMap::new(),
            facts: Vec::new(),
            mentions: HashMap::new(),
            scopes: Vec::new(),
            hidden: 0..0,
            clock: 0,
            tables: HashMap::new(),
            undecided: Vec::new(),
            bounds: Vec::new(),
        };
        for &size in &func.sizes {
            ranges.introduce(size, (0, MAX_EXTENT));
            ranges.symbol_mut(size).size_level = Some(0);
        }
        for param in &func.params {
            ranges.introduce(param.value, ANY);
        }
        ranges
    }

    /// Opens a block.
    pub fn enter(&mut self) {
        self.scopes.push(self.facts.len());
    }

    /// Closes a block: what was learnt inside is forgotten.
    pub fn leave(&mut self) {
        let kept = self.scopes.pop().expect("a block is open");
        let level = self.level();
        self.undecided.retain(|disjunction| disjunction.level <= level);
        self.bounds.retain(|&(_, bound_level)| bound_level <= level);
        while self.facts.len() > kept {
            let fact = self.facts.pop().expect("there are more than are kept");
            for symbol in fact.sum.symbols() {
                let list = self.mentions.get_mut(symbol).expect("the fact is listed under its symbols");
                list.pop();
            }
        }
    }

    /// Facts learnt with so many blocks open are not used until [`show_all`](Self::show_all): what is proved then is true
    /// before those blocks were entered.
    pub fn hide(&mut self, levels: std::ops::Range<u32>) {
        self.hidden = levels;
    }

    /// Ends [`hide`](Self::hide).
    pub fn show_all(&mut self) {
        self.hidden = 0..0;
    }

    /// The number of open blocks.
    pub fn level(&self) -> u32 {
        self.scopes.len() as u32
    }

    /// The number of open blocks where the value was defined.
    pub fn level_of(&self, value: Value) -> u32 {
        self.symbol(value).map_or(0, |symbol| symbol.level)
    }

    /// The time: values defined until now have an earlier or the same one.
    pub fn now(&self) -> u32 {
        self.clock
    }

    /// True if the operand is a constant or was defined until that time.
    pub fn was_there(&self, operand: Operand, time: u32) -> bool {
        operand.value().is_none_or(|v| {
            let order = self.symbol(v).map_or(0, |symbol| symbol.order);
            order != 0 && order <= time
        })
    }

    /// True if an array with this extent was there when `level` blocks were open.
    pub fn is_size_at(&self, extent: Operand, level: u32) -> bool {
        extent.value().is_none_or(|v| self.symbol(v).and_then(|s| s.size_level).is_some_and(|known| known <= level))
    }

    /// The scalar operation that defines a value.
    pub fn definition(&self, operand: Operand) -> Option<&Op> {
        self.symbol(operand.value()?)?.op.as_ref()
    }

    fn symbol(&self, value: Value) -> Option<&Symbol> {
        self.symbols.get(&value)
    }

    fn symbol_mut(&mut self, value: Value) -> &mut Symbol {
        let unknown = Symbol { order: 0, level: 0, interval: ANY, exact: None, ring: None, op: None, size_level: None };
        self.symbols.entry(value).or_insert(unknown)
    }

    /// A value without a definition that tells anything.
    pub fn introduce(&mut self, value: Value, interval: Interval) {
        self.clock += 1;
        let (order, level) = (self.clock, self.level());
        let symbol = self.symbol_mut(value);
        *symbol = Symbol { order, level, interval, exact: None, ring: None, op: None, size_level: symbol.size_level };
    }

    /// A value moved to where `level` blocks are open.
    pub fn move_to(&mut self, value: Value, level: u32) {
        self.symbol_mut(value).level = level;
    }

    /// An index from `lower` to below `upper`, in the block where it exists.
    pub fn bind_index(&mut self, func: &Func, index: Value, lower: Operand, upper: Operand) {
        let (low, high) = (self.interval(lower).0, self.interval(upper).1 - 1);
        self.introduce(index, (low.min(high), high.max(low)));
        let at = Sum::symbol(index);
        let (from, to) = (self.exact(lower), self.exact(upper));
        self.learn(&at - &from, None);
        self.learn(&(&to - &Sum::constant(1)) - &at, None);
        // The index exists, so there is one.
        self.learn(&(&to - &Sum::constant(1)) - &from, None);
        self.learn_of_clipped(at, lower, upper);
        // Checks made for loops hold unless these are empty.
        for Disjunction { x, y, cert, .. } in self.undecided.clone() {
            self.assume_either(func, x, y, cert);
        }
        if !self.is_exact(upper) {
            self.bounds.push((upper, self.level()));
            self.settle_bounds();
        }
    }

    /// An index is below an extent as well.
    pub fn bind_below(&mut self, index: Value, extent: Operand) {
        self.learn(&(&self.exact(extent) - &Sum::constant(1)) - &Sum::symbol(index), None);
    }

    /// An index from a minimum on that is below one of the two, or below a maximum and not below one of the two, is bounded by the other.
    fn learn_of_clipped(&mut self, at: Sum, lower: Operand, upper: Operand) {
        if let Some(&Op::Binary { op: BinOp::MAX, x, y }) = self.definition(upper) {
            for (one, other) in [(x, y), (y, x)] {
                if one == lower {
                    self.learn(&(&self.exact(other) - &Sum::constant(1)) - &at, None);
                }
            }
        }
        if let Some(&Op::Binary { op: BinOp::MIN, x, y }) = self.definition(lower) {
            for (one, other) in [(x, y), (y, x)] {
                let below = &(&self.exact(one) - &Sum::constant(1)) - &at;
                if self.is_not_negative(&below, 2, &mut self.search(false)) {
                    self.learn(&at - &self.exact(other), None);
                }
            }
        }
    }

    /// Learns which bounds of indices are what they were computed as, by all that holds here.
    fn settle_bounds(&mut self) {
        let bounds = std::mem::take(&mut self.bounds);
        let newest = bounds.len().saturating_sub(MOST_BOUNDS);
        for (at, (bound, level)) in bounds.into_iter().enumerate() {
            let mut search = self.search(true);
            let known = if at >= newest { self.exact_where_proved(bound, &mut search) } else { self.exact(bound) };
            let certs = search.certs();
            if known_as_symbol(&known, bound) || certs.len() > 1 {
                self.bounds.push((bound, level));
                continue;
            }
            let difference = &known - &self.exact(bound);
            self.learn(-&difference, certs.first().copied());
            self.learn(difference, certs.first().copied());
        }
    }

    /// Learns what follows if one side of a disjunction cannot hold; true if that is so.
    fn assume_either(&mut self, func: &Func, x: Operand, y: Operand, cert: Option<Value>) -> bool {
        for (side, other) in [(x, y), (y, x)] {
            let mut search = self.search(false);
            if self.condition(func, side, false, &mut search) {
                self.assume(func, other, true, cert);
                return true;
            }
        }
        false
    }

    fn learn(&mut self, sum: Sum, cert: Option<Value>) {
        if sum.is_constant() || sum.len() > MAX_TERMS {
            return;
        }
        let level = self.level();
        let at = self.facts.len();
        for &symbol in sum.symbols() {
            self.mentions.entry(symbol).or_default().push(at);
        }
        self.facts.push(Fact { sum, cert, level });
    }

    /// Records a statement that has run: its results, and the facts that its operation makes true.
    pub fn define(&mut self, func: &Func, stmt: &Stmt) {
        for &result in &stmt.results {
            self.introduce(result, of_type(func.ty(result).elem));
        }
        for &result in &stmt.results {
            let shape = &func.ty(result).shape;
            let extents = shape.iter().filter_map(|&e| Operand::from(e).value());
            for size in extents {
                self.note_size(size);
            }
        }
        match &stmt.op {
            Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } => self.define_scalar(func, stmt),
            Op::Index { array, .. } => {
                let result = stmt.results[0];
                if let Some(&(low, high)) = self.tables.get(array)
                    && *func.ty(result) == Type::scalar(Scalar::I64)
                {
                    self.symbol_mut(result).interval = (low, high);
                }
            }
            Op::Table { tensor } => {
                let elements = (0..tensor.data().len()).filter_map(|at| tensor.data().get(at).as_i64()).map(i128::from);
                if let (Some(low), Some(high)) = (elements.clone().min(), elements.max()) {
                    self.tables.insert(stmt.results[0], (low, high));
                }
            }
            Op::Assert { cond, .. } => {
                self.assume(func, *cond, true, Some(stmt.results[0]));
                self.settle_bounds();
            }
            Op::With(w) => {
                let data = &func.with_loops[*w];
                let mut at = 0;
                for operator in &data.operators {
                    match operator.op {
                        Operator::Filter { .. } => {
                            let count = stmt.results[at];
                            let most = self.interval(data.space[0].into()).1.max(0);
                            self.symbol_mut(count).interval = (0, most);
                            let space = self.exact(data.space[0].into());
                            if self.prove(&space).is_some_and(|certs| certs.is_empty()) {
                                self.learn(&space - &Sum::symbol(count), None);
                            }
                        }
                        Operator::GenArray
                        | Operator::ModArray { .. }
                        | Operator::Fold { .. }
                        | Operator::Scan { .. }
                        | Operator::Uniform => {}
                    }
                    at += operator.op.results();
                }
            }
            Op::View { .. }
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Concat { .. }
            | Op::Copy { .. }
            | Op::Update { .. }
            | Op::Effect { .. }
            | Op::Conjoin { .. }
            | Op::If { .. }
            | Op::Loop(_) => {}
            Op::Call { .. } => {
                // What is given back is there, so its sizes are not negative.
                let shapes = stmt.results.iter().flat_map(|&result| &func.ty(result).shape);
                for size in shapes.filter_map(|&extent| Operand::from(extent).value()) {
                    if stmt.results.contains(&size) {
                        self.symbol_mut(size).interval = (0, MAX_EXTENT);
                    }
                }
            }
        }
    }

    /// There is an array with this extent from now on.
    fn note_size(&mut self, size: Value) {
        let level = self.level();
        let symbol = self.symbol_mut(size);
        symbol.interval.1 = symbol.interval.1.min(MAX_EXTENT).max(symbol.interval.0);
        symbol.size_level = Some(symbol.size_level.map_or(level, |known| known.min(level)));
    }

    fn define_scalar(&mut self, func: &Func, stmt: &Stmt) {
        let result = stmt.results[0];
        self.symbol_mut(result).op = Some(stmt.op.clone());
        if func.ty(result).elem != Scalar::I64 {
            return;
        }
        match stmt.op {
            Op::Unary { op: UnOp::Neg, x } => {
                let (low, high) = self.interval(x);
                self.define_sum(result, (-high, -low), |r| -&*r(x));
            }
            Op::Unary { op: UnOp::Abs, x } => {
                let (low, high) = self.interval(x);
                if low > ANY.0 {
                    let most = high.max(-low);
                    self.symbol_mut(result).interval = (0.max(low).max(-high), most);
                    let (abs, x) = (Sum::symbol(result), self.exact(x));
                    self.learn(&abs - &x, None);
                    self.learn(&abs + &x, None);
                }
            }
            Op::Unary { op: UnOp::Convert(_), x } => {
                let from = func.operand_type(x).elem;
                self.symbol_mut(result).interval = of_type(from);
            }
            Op::Unary { .. } => {}
            Op::Binary { op, x, y } => self.define_binary(result, op, x, y),
            Op::Select { on_true, on_false, .. } => {
                let (a, b) = (self.interval(on_true), self.interval(on_false));
                self.symbol_mut(result).interval = (a.0.min(b.0), a.1.max(b.1));
            }
            _ => unreachable!("only scalar operations come here"),
        }
    }

    fn define_binary(&mut self, result: Value, op: BinOp, x: Operand, y: Operand) {
        let (a, b) = (self.interval(x), self.interval(y));
        let itself = Sum::symbol(result);
        match op {
            BinOp::ADD => self.define_sum(result, (a.0 + b.0, a.1 + b.1), |r| &*r(x) + &*r(y)),
            BinOp::SUB => self.define_sum(result, (a.0 - b.1, a.1 - b.0), |r| &*r(x) - &*r(y)),
            BinOp::MUL => {
                let corners = [a.0, a.1].into_iter().flat_map(|p| [b.0, b.1].map(|q| p.saturating_mul(q)));
                let (low, high) = corners.fold((i128::MAX, i128::MIN), |(l, h), c| (l.min(c), h.max(c)));
                self.define_sum(result, (low, high), |r| &*r(x) * &*r(y));
            }
            BinOp::MIN => {
                self.symbol_mut(result).interval = (a.0.min(b.0), a.1.min(b.1));
                let (x, y) = (self.exact(x), self.exact(y));
                self.learn(&x - &itself, None);
                self.learn(&y - &itself, None);
            }
            BinOp::MAX => {
                self.symbol_mut(result).interval = (a.0.max(b.0), a.1.max(b.1));
                let (x, y) = (self.exact(x), self.exact(y));
                self.learn(&itself - &x, None);
                self.learn(&itself - &y, None);
            }
            BinOp::FLOOR_DIV | BinOp::DIV => {
                let Some(divisor) = y.constant().and_then(Const::as_i64).filter(|&d| d > 0) else { return };
                if op == BinOp::DIV && a.0 < 0 {
                    return;
                }
                let wide = i128::from(divisor);
                self.symbol_mut(result).interval = (a.0.div_euclid(wide), a.1.div_euclid(wide));
                if divisor.unsigned_abs() < MAX_COEFFICIENT {
                    let (x, scaled) = (self.exact(x), itself.scale(divisor));
                    // By integers alone: the quotient of what is not negative is not negative.
                    if let Some(certs) = self.prove(&x)
                        && certs.len() <= 1
                    {
                        self.learn(itself.clone(), certs.first().copied());
                    }
                    self.learn(&x - &scaled, None);
                    self.learn(&(&scaled + &Sum::constant(divisor - 1)) - &x, None);
                }
            }
            BinOp::FLOOR_MOD | BinOp::REM => {
                if op == BinOp::REM && a.0 < 0 {
                    return;
                }
                let (last, certs) =
                    (&self.exact(y) - &Sum::constant(1), self.prove(&(&self.exact(y) - &Sum::constant(1))));
                match certs.as_deref() {
                    Some([]) => self.define_remainder(result, x, y),
                    Some(&[cert]) => {
                        self.learn(&last - &itself, Some(cert));
                        self.learn(itself, Some(cert));
                    }
                    Some(_) | None => {}
                }
            }
            BinOp::AND => {
                if let Some(mask) = y.constant().and_then(Const::as_i64).filter(|&m| m >= 0) {
                    self.symbol_mut(result).interval = (0, mask.into());
                }
            }
            BinOp::SHR => {
                if let Some(amount) = y.constant().and_then(Const::as_i64).filter(|amount| (0..64).contains(amount)) {
                    self.symbol_mut(result).interval = (a.0 >> amount, a.1 >> amount);
                }
            }
            BinOp::OR | BinOp::XOR | BinOp::SHL | BinOp::Math(_) | BinOp::Compare(_) => {}
        }
    }

    /// Records a sum or product: as a polynomial over the integers if it cannot overflow.
    fn define_sum(&mut self, result: Value, bounds: Interval, sum: impl Fn(&dyn Fn(Operand) -> Rc<Sum>) -> Sum) {
        let ring = sum(&|o| self.ring(o));
        if is_usable(&ring) {
            self.symbol_mut(result).ring = Some(Rc::new(ring));
        }
        let exact = sum(&|o| Rc::new(self.exact(o)));
        if !is_usable(&exact) {
            return;
        }
        if bounds.0 >= ANY.0 && bounds.1 <= ANY.1 {
            let symbol = self.symbol_mut(result);
            symbol.interval = bounds;
            symbol.exact = Some((Rc::new(exact), 0));
            return;
        }
        // The facts here may say what the bounds of the operands do not: both sides of the type's range are out of reach.
        let mut search = self.search(false);
        let from_least = &exact + &Sum::constant(i64::MAX);
        let to_largest = &Sum::constant(i64::MAX) - &exact;
        if self.is_not_negative(&from_least, DEPTH, &mut search)
            && self.is_not_negative(&to_largest, DEPTH, &mut search)
        {
            let level = search.used_level;
            let symbol = self.symbol_mut(result);
            symbol.interval = (bounds.0.max(ANY.0), bounds.1.min(ANY.1));
            symbol.exact = Some((Rc::new(exact), level));
        }
    }

    /// The least and the largest value that the operand can have, as far as known.
    pub fn interval(&self, operand: Operand) -> Interval {
        match operand {
            Operand::Const(c) => c.as_i64().map_or(ANY, |c| (c.into(), c.into())),
            Operand::Value(v) => self.symbol(v).map_or(ANY, |symbol| symbol.interval),
        }
    }

    /// The polynomial that the operand equals over the integers; itself if nothing better is known.
    pub fn exact(&self, operand: Operand) -> Sum {
        match operand {
            Operand::Const(c) => Sum::constant(c.as_i64().unwrap_or_default()),
            Operand::Value(v) => match self.symbol(v).and_then(|symbol| symbol.exact.as_ref()) {
                Some((sum, needs)) if !self.hidden.contains(needs) => (**sum).clone(),
                Some(_) | None => Sum::symbol(v),
            },
        }
    }

    /// As [`exact`](Self::exact), with what was learnt since the operand was defined: arithmetic is exact if its result, taken
    /// over the integers, is an `i64`.
    fn exact_by_now(&self, operand: Operand) -> Sum {
        self.exact_if(operand, |ring| {
            self.least(&-ring) >= -ANY.1 && (self.least(ring) >= ANY.0 || self.prove_without_certs(ring))
        })
    }

    /// The same by what a proof may use of facts on single symbols.
    fn exact_where_proved(&self, operand: Operand, search: &mut Search) -> Sum {
        self.exact_if(operand, |ring| {
            let (mark, mark_level) = (search.used.len(), search.used_level);
            let (mut least, mut largest) = (0i128, 0i128);
            for (monomial, coefficient) in ring.terms() {
                let (low, high) = self.monomial_by_facts(monomial, search);
                let (a, b) = (low.saturating_mul(coefficient.into()), high.saturating_mul(coefficient.into()));
                (least, largest) = (least.saturating_add(a.min(b)), largest.saturating_add(a.max(b)));
            }
            let fits = ANY.0 <= least && largest <= ANY.1;
            if !fits {
                search.used.truncate(mark);
                search.used_level = mark_level;
            }
            fits
        })
    }

    /// As [`exact`](Self::exact), and where that is not known the polynomial modulo 2^64 if that fits an `i64` after all.
    fn exact_if(&self, operand: Operand, fits: impl FnOnce(&Sum) -> bool) -> Sum {
        match operand.value().and_then(|value| self.symbol(value)) {
            Some(Symbol { exact: None, ring: Some(ring), .. }) if fits(ring) => (**ring).clone(),
            Some(_) | None => self.exact(operand),
        }
    }

    /// True if the operand is its polynomial over the integers whatever happened before.
    pub fn is_exact(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Value(v) => self.symbol(v).is_none_or(|symbol| symbol.exact.is_some() || symbol.ring.is_none()),
        }
    }

    /// True if the polynomial cannot leave the range of `i64`, so that wrapping arithmetic computes its value.
    pub fn fits(&self, sum: &Sum) -> bool {
        self.least(sum) >= ANY.0 && self.least(&-sum) >= -ANY.1
    }

    /// The polynomial that the operand equals modulo 2^64.
    pub fn ring(&self, operand: Operand) -> Rc<Sum> {
        match operand {
            Operand::Const(c) => Rc::new(Sum::constant(c.as_i64().unwrap_or_default())),
            Operand::Value(v) => match self.symbol(v).and_then(|symbol| symbol.ring.clone()) {
                Some(sum) => sum,
                None => Rc::new(Sum::symbol(v)),
            },
        }
    }

    /// Learns that a condition holds, or that it does not.
    pub fn assume(&mut self, func: &Func, cond: Operand, holds: bool, cert: Option<Value>) {
        let Some(op) = self.definition(cond) else { return };
        match *op {
            Op::Unary { op: UnOp::Not, x } => self.assume(func, x, !holds, cert),
            Op::Binary { op: BinOp::AND, x, y } if holds => {
                self.assume(func, x, true, cert);
                self.assume(func, y, true, cert);
            }
            Op::Binary { op: BinOp::OR, x, y } if !holds => {
                self.assume(func, x, false, cert);
                self.assume(func, y, false, cert);
            }
            // One side of a disjunction holds if the other one cannot.
            Op::Binary { op: BinOp::OR, x, y } if holds => {
                let is_decided = self.assume_either(func, x, y, cert);
                if !is_decided && self.undecided.len() < MOST_UNDECIDED {
                    self.undecided.push(Disjunction { x, y, cert, level: self.level() });
                }
            }
            Op::Binary { op, x, y } if func.operand_type(x).elem == Scalar::I64 => {
                let (a, b) = (self.exact_by_now(x), self.exact_by_now(y));
                if !can_subtract(&a) || !can_subtract(&b) {
                    return;
                }
                let one = Sum::constant(1);
                match (op, holds) {
                    (BinOp::LT, true) => self.learn(&(&b - &a) - &one, cert),
                    (BinOp::LT, false) => self.learn(&a - &b, cert),
                    (BinOp::LE, true) => self.learn(&b - &a, cert),
                    (BinOp::LE, false) => self.learn(&(&a - &b) - &one, cert),
                    (BinOp::EQ, true) | (BinOp::NE, false) => {
                        self.learn(&a - &b, cert);
                        self.learn(&b - &a, cert);
                    }
                    (BinOp::EQ, false) | (BinOp::NE, true) => {
                        // Next to a bound, a difference is a stricter bound.
                        if self.prove_without_certs(&(&a - &b)) {
                            self.learn(&(&a - &b) - &one, cert);
                        } else if self.prove_without_certs(&(&b - &a)) {
                            self.learn(&(&b - &a) - &one, cert);
                        }
                    }
                    (BinOp::IN_BOUNDS, true) => {
                        self.learn(&(&b - &a) - &one, cert);
                        self.learn(a, cert);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The certificates under which the condition holds; `None` if that is not proved.
    pub fn prove_condition(&mut self, func: &Func, cond: Operand) -> Option<Vec<Value>> {
        let mut search = self.search(true);
        let is_proved = self.condition(func, cond, true, &mut search);
        is_proved.then(|| search.certs())
    }

    /// Whether the condition holds, if the facts tell without any assertion.
    pub fn decide_without_certs(&mut self, func: &Func, cond: Operand) -> Option<bool> {
        for truth in [true, false] {
            let mut search = self.search(false);
            if self.condition(func, cond, truth, &mut search) {
                return Some(truth);
            }
        }
        None
    }

    /// The certificates under which the polynomial is not negative.
    pub fn prove(&self, sum: &Sum) -> Option<Vec<Value>> {
        let mut search = self.search(true);
        self.is_not_negative(sum, DEPTH, &mut search).then(|| search.certs())
    }

    /// True if the polynomial is not negative, without any assertion.
    pub fn prove_without_certs(&self, sum: &Sum) -> bool {
        let mut search = self.search(false);
        self.is_not_negative(sum, DEPTH, &mut search)
    }

    /// The certificates under which an index is within an extent.
    pub fn prove_in_bounds(&self, index: Operand, extent: Operand) -> Option<Vec<Value>> {
        let mut search = self.search(true);
        self.in_bounds(index, extent, &mut search).then(|| search.certs())
    }

    fn in_bounds(&self, index: Operand, extent: Operand, search: &mut Search) -> bool {
        let size = self.exact(extent);
        let mut attempts = vec![self.exact(index)];
        // A polynomial between 0 and a size is the wrapped value too. See Note [Overflow].
        let ring = (*self.ring(index)).clone();
        if !attempts.contains(&ring) {
            attempts.push(ring);
        }
        attempts.into_iter().any(|at| {
            let below = &(&size - &at) - &Sum::constant(1);
            self.is_not_negative(&at, DEPTH, search) && self.is_not_negative(&below, DEPTH, search)
        })
    }

    fn condition(&mut self, func: &Func, cond: Operand, truth: bool, search: &mut Search) -> bool {
        let Operand::Value(_) = cond else { return cond == Operand::Const(Const::Bool(truth)) };
        let Some(op) = self.definition(cond) else { return false };
        match *op {
            Op::Unary { op: UnOp::Not, x } => self.condition(func, x, !truth, search),
            Op::Binary { op: BinOp::AND, x, y } if func.operand_type(x).elem == Scalar::Bool => {
                if truth {
                    self.condition(func, x, true, search) && self.condition(func, y, true, search)
                } else {
                    self.condition(func, x, false, search) || self.condition(func, y, false, search)
                }
            }
            Op::Binary { op: BinOp::OR, x, y } if func.operand_type(x).elem == Scalar::Bool => {
                if !truth {
                    return self.condition(func, x, false, search) && self.condition(func, y, false, search);
                }
                if self.condition(func, x, true, search) || self.condition(func, y, true, search) {
                    return true;
                }
                // Where the first does not hold, the second must.
                self.enter();
                self.assume(func, x, false, None);
                let holds = self.condition(func, y, true, search);
                self.leave();
                holds
            }
            Op::Binary { op, x, y } if func.operand_type(x).elem == Scalar::I64 => {
                if op == BinOp::IN_BOUNDS && truth {
                    return self.in_bounds(x, y, search);
                }
                let (a, b) = (self.exact_where_proved(x, search), self.exact_where_proved(y, search));
                if !can_subtract(&a) || !can_subtract(&b) {
                    return false;
                }
                let at_least = |ranges: &Self, left: &Sum, right: &Sum, margin: i64, search: &mut Search| {
                    ranges.is_not_negative(&(&(left - right) - &Sum::constant(margin)), DEPTH, search)
                };
                match (op, truth) {
                    (BinOp::LT, true) | (BinOp::LE, false) => {
                        let (small, large) = if truth { (&a, &b) } else { (&b, &a) };
                        at_least(self, large, small, 1, search)
                    }
                    (BinOp::LE, true) | (BinOp::LT, false) => {
                        let (small, large) = if truth { (&a, &b) } else { (&b, &a) };
                        at_least(self, large, small, 0, search)
                    }
                    (BinOp::EQ, true) | (BinOp::NE, false) => {
                        self.ring(x) == self.ring(y)
                            || at_least(self, &a, &b, 0, search) && at_least(self, &b, &a, 0, search)
                    }
                    (BinOp::EQ, false) | (BinOp::NE, true) => {
                        at_least(self, &a, &b, 1, search) || at_least(self, &b, &a, 1, search)
                    }
                    (BinOp::IN_BOUNDS, false) => {
                        at_least(self, &Sum::zero(), &a, 1, search) || at_least(self, &a, &b, 0, search)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// True if the polynomial is short, and sums of a few such have no coefficient that wraps.
pub(crate) fn is_usable(sum: &Sum) -> bool {
    sum.len() <= MAX_TERMS && sum.terms().all(|(_, c)| c.unsigned_abs() <= MAX_COEFFICIENT)
}

/// Nothing is known of the operand but itself.
fn known_as_symbol(sum: &Sum, operand: Operand) -> bool {
    operand.value().is_some_and(|value| *sum == Sum::symbol(value))
}

/// True if the difference from another such polynomial has no coefficient that wraps.
fn can_subtract(sum: &Sum) -> bool {
    sum.terms().all(|(_, c)| c.unsigned_abs() < 1 << 61)
}

/// The values of a type; all of `i64`'s if it is no integer type.
fn of_type(elem: Scalar) -> Interval {
    match elem {
        Scalar::I8 => (i8::MIN.into(), i8::MAX.into()),
        Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        Scalar::U8 => (0, u8::MAX.into()),
        Scalar::U16 => (0, u16::MAX.into()),
        Scalar::U32 | Scalar::Char => (0, u32::MAX.into()),
        Scalar::Bool => (0, 1),
        Scalar::I64 | Scalar::U64 | Scalar::F32 | Scalar::F64 | Scalar::Cert => ANY,
    }
}

// Note [Overflow]
//
// Facts are statements about integers; the program's arithmetic wraps. A value is taken as the polynomial of its operands
// only where that cannot overflow: by the intervals of its operands, or by the facts at its definition (never by facts
// that only hold under a certificate). Otherwise it is a symbol of its own, unless a proof finds by the facts at its place, certificates
// included, that it did not.
//
// One thing is assumed and not proved: no array has an axis of more than 2^47 elements. Front ends check the sizes that
// programs give; arrays that callers give fit into the address space. Products of sizes are not assumed to fit: two arrays
// of 2^32 truth values each do exist.
//
// A bounds check `0 <= e < m` needs less: where the polynomial of `e`, read over the integers, lies between 0 and m, the wrapped
// value is equal to it, because both are equal modulo 2^64 and both lie in the range of `i64`.

#[cfg(test)]
mod tests;
