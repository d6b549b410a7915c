//! Index-set splitting: a generator whose body branches on its own index is cut where the condition changes, so that no part
//! tests it: the border and the interior of a stencil become generators of their own. Periodic borders too: along the innermost axis, a neighbour
//! modulo the extent is the index and a constant but for the first or the last indices.
//! Source:   \[WLF\] and \[MERGE\] write borders as generators; programs in L0 write them as branches on the index, or by remainders.
//! Before:   verified array IR; the with-loop makes arrays, or filters along one axis, or folds along one axis or by operations that any order suits,
//!           and a branch in its body has a condition made of comparisons of an index with values from outside, or an innermost body has such a remainder.
//! After:    the same results from more generators, the conditions replaced by constants; the simplifier removes the branches and remainders.
//! Work:     less by the tests and divisions.
//! Reorders: nothing.

use super::generators::facts::facts_before;
use super::generators::{Axis, Bounds, Grid, intersect};
use super::refusal::Refusal;
use super::replace::share_copies;
use super::{Attempts, at_every_place, is_with};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Generator, Op, Operand, Operator, Stmt, Value, WithLoop, WithLoopData};
use frit_ir::scalar::{BinOp, Const, UnOp};
use frit_simplify::ranges::Ranges;
use frit_simplify::sharing::Sharing;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// With-loops are not split into more generators than this.
const MAX_PARTS: usize = 12;
/// Neighbours further away than this are not beyond a border only.
const FARTHEST: i64 = 16;

/// A comparison of an index with a value from outside: true on one side of a place, or at it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Comparison {
    axis: usize,
    /// `index + distance < bound`, `index + distance <= bound` or `index + distance == bound`.
    op: Ordering,
    distance: i64,
    bound: Operand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ordering {
    Below,
    AtMost,
    At,
}

/// A condition on the index.
#[derive(Clone, Debug)]
enum Condition {
    Is(Comparison),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// Comparisons whose outcome is known.
type Known = BTreeMap<Comparison, bool>;

/// Splits the generators of the with-loop at this position of a block, where these facts hold; how many there are then. `None` if
/// its body does not branch on its index.
///
/// On `Err`, nothing is changed.
pub fn index_set_splitting(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    facts: &mut Ranges,
    at: usize,
) -> Result<Option<usize>, Refusal> {
    let Op::With(label) = block.stmts[at].op else { unreachable!("the statement is a with-loop") };
    let data = func.with_loops[label].clone();
    let conditions: Vec<Conditions> =
        data.generators.iter().map(|generator| Conditions::of(&data, generator)).collect();
    if conditions.iter().all(Conditions::decide_nothing) {
        return Ok(None);
    }
    let span = block.stmts[at].span;
    // What combines or collects in the order of the index space needs parts that follow each other in it.
    let is_ordered = |operator: &Operator| match operator {
        Operator::GenArray => true,
        Operator::Fold { combine, commutative, .. } => {
            data.space.len() == 1
                || *commutative && combine.body.stmts.iter().all(|stmt| matches!(stmt.op, Op::Binary { .. }))
        }
        Operator::Filter { .. } => data.space.len() == 1,
        Operator::Scan { .. } | Operator::ModArray { .. } | Operator::Uniform => false,
    };
    if !data.operators.iter().all(|operator| is_ordered(&operator.op)) {
        return Err(Refusal::SpacesDiffer { span });
    }
    let mut bounds = Bounds::new(func, facts, span);
    let mut parts: Vec<(usize, Grid, Known)> = Vec::new();
    for (which, generator) in data.generators.iter().enumerate() {
        let mut open = vec![(Grid::of(generator), Known::new())];
        while let Some((grid, known)) = open.pop() {
            let undecided = conditions[which].undecided(&known);
            match undecided {
                None => parts.push((which, grid, known)),
                Some(comparison) => {
                    for (piece, holds) in comparison.cut(&mut bounds, &grid)?.into_iter().rev() {
                        let mut known = known.clone();
                        known.insert(comparison, holds);
                        open.push((piece, known));
                    }
                }
            }
            if parts.len() + open.len() > MAX_PARTS {
                return Err(Refusal::TooManyGenerators { count: parts.len() + open.len(), span });
            }
        }
    }
    if parts.is_empty() {
        // There is no index, so nothing to test.
        return Ok(None);
    }
    let (before, certs) = bounds.finish();
    let count = parts.len();
    let mut split = WithLoopData { generators: Vec::new(), ..data.clone() };
    for (which, grid, known) in parts {
        let mut renaming = Renaming::new();
        let mut body = func.copy_block(None, &data.generators[which].body, &mut renaming);
        share_copies(func, sharing, &renaming);
        let decided = conditions[which].all.iter().filter_map(|(value, condition)| {
            let copy = renaming[value].value().expect("a copied statement defines a value");
            Some((copy, Operand::Const(Const::Bool(condition.decide(&known)?))))
        });
        let decided: Renaming = decided.collect();
        func.substitute_in_block(&mut body, &decided);
        split.generators.push(grid.generator(body));
    }
    func.with_loops[label] = split;
    let own = &mut block.stmts[at].certs;
    own.extend(certs);
    own.sort_unstable();
    own.dedup();
    block.stmts.splice(at..at, before);
    Ok(Some(count))
}

/// Applies the rule to all with-loops of a function, one of several nested ones after the other.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    // What is known at a with-loop is found while the function is whole.
    let mut candidates: Vec<WithLoop> = Vec::new();
    collect(func, &func.body, &mut candidates);
    let facts: BTreeMap<WithLoop, Ranges> =
        candidates.into_iter().filter_map(|label| Some((label, facts_before(func, label)?))).collect();
    let facts = RefCell::new(facts);
    let places = |block: &Block| (0..block.stmts.len()).filter(|&at| is_with(block, at)).map(|at| (at, at)).collect();
    at_every_place(func, places, |func, block, sharing, (at, _)| {
        let Op::With(label) = block.stmts[at].op else { unreachable!("the place is a with-loop") };
        let mut facts = facts.borrow_mut().remove(&label)?;
        index_set_splitting(func, block, sharing, &mut facts, at).map(|done| done.map(|_| ())).transpose()
    })
}

/// The with-loops that branch on their index, inner ones included.
fn collect(func: &Func, block: &Block, found: &mut Vec<WithLoop>) {
    for stmt in &block.stmts {
        if let Op::With(label) = stmt.op {
            let data = &func.with_loops[label];
            if data.generators.iter().any(|generator| !Conditions::of(data, generator).decide_nothing()) {
                found.push(label);
            }
        }
        stmt.op.for_each_block(func, &mut |inner| collect(func, inner, found));
    }
}

/// The conditions that a body computes from its index.
struct Conditions {
    all: BTreeMap<Value, Condition>,
    /// Those on which it branches.
    branches: Vec<Value>,
    /// Where remainders begin to be another sum.
    remainders: BTreeSet<Comparison>,
}

impl Conditions {
    fn of(data: &WithLoopData, generator: &Generator) -> Self {
        let body = &generator.body;
        let mut inside: BTreeSet<Value> = data.indices.iter().copied().collect();
        let mut conditions =
            Conditions { all: BTreeMap::new(), branches: Vec::new(), remainders: neighbours(data, generator) };
        for stmt in &body.stmts {
            if let Op::If { cond: Operand::Value(cond), .. } = stmt.op
                && conditions.all.contains_key(&cond)
            {
                conditions.branches.push(cond);
            }
            if let Some(condition) = condition_of(data, &inside, &conditions.all, stmt) {
                conditions.all.insert(stmt.results[0], condition);
            }
            inside.extend(&stmt.results);
        }
        conditions
    }

    /// There is nothing to cut for.
    fn decide_nothing(&self) -> bool {
        self.branches.is_empty() && self.remainders.is_empty()
    }

    /// A comparison whose outcome matters.
    fn undecided(&self, known: &Known) -> Option<Comparison> {
        let branch = self.branches.iter().find_map(|value| self.all[value].undecided(known));
        branch.or_else(|| self.remainders.iter().find(|comparison| !known.contains_key(comparison)).copied())
    }
}

/// Where the index and a constant, modulo the extent of the innermost axis, begin to be that sum, or end to be. Only for a generator that has all of the
/// axis, and no loops inside: these would rather have a remainder each.
fn neighbours(data: &WithLoopData, generator: &Generator) -> BTreeSet<Comparison> {
    let mut found = BTreeSet::new();
    let (Some(axis), body) = (data.space.len().checked_sub(1), &generator.body) else { return found };
    let extent: Operand = data.space[axis].into();
    let is_whole =
        generator.lower[axis] == Operand::i64(0) && generator.upper[axis] == extent && generator.step[axis] == 1;
    if !is_whole || body.stmts.iter().any(|stmt| matches!(stmt.op, Op::With(_) | Op::Loop(_) | Op::Call { .. })) {
        return found;
    }
    let own: Operand = data.indices[axis].into();
    let mut distances: BTreeMap<Operand, i64> = BTreeMap::new();
    for stmt in &body.stmts {
        let Op::Binary { op, x, y } = stmt.op else { continue };
        let constant = |operand: Operand| operand.constant().and_then(Const::as_i64);
        let distance = match op {
            BinOp::ADD if x == own => constant(y),
            BinOp::ADD if y == own => constant(x),
            BinOp::SUB if x == own => constant(y).and_then(i64::checked_neg),
            _ => None,
        };
        if let Some(distance) = distance.filter(|distance| (-FARTHEST..=FARTHEST).contains(distance)) {
            distances.insert(stmt.results[0].into(), distance);
        }
        if let (BinOp::FLOOR_MOD, true, Some(&distance)) = (op, y == extent, distances.get(&x)) {
            let bound = if distance > 0 { extent } else { Operand::i64(0) };
            found.insert(Comparison { axis, op: Ordering::Below, distance, bound });
        }
    }
    found
}

/// The condition that a statement computes.
fn condition_of(
    data: &WithLoopData,
    inside: &BTreeSet<Value>,
    conditions: &BTreeMap<Value, Condition>,
    stmt: &Stmt,
) -> Option<Condition> {
    let known = |operand: Operand| operand.value().and_then(|value| conditions.get(&value)).cloned().map(Box::new);
    match stmt.op {
        Op::Unary { op: UnOp::Not, x } => Some(Condition::Not(known(x)?)),
        Op::Binary { op: BinOp::AND, x, y } => Some(Condition::And(known(x)?, known(y)?)),
        Op::Binary { op: BinOp::OR, x, y } => Some(Condition::Or(known(x)?, known(y)?)),
        Op::Binary { op, x, y } => {
            let axis = |operand: Operand| data.indices.iter().position(|&index| operand == Operand::Value(index));
            let is_outside = |operand: Operand| operand.value().is_none_or(|value| !inside.contains(&value));
            let is = |axis, op, bound| Condition::Is(Comparison { axis, op, distance: 0, bound });
            let not = |condition| Condition::Not(Box::new(condition));
            match (axis(x), axis(y)) {
                (Some(axis), None) if is_outside(y) => match op {
                    BinOp::LT => Some(is(axis, Ordering::Below, y)),
                    BinOp::LE => Some(is(axis, Ordering::AtMost, y)),
                    BinOp::EQ => Some(is(axis, Ordering::At, y)),
                    BinOp::NE => Some(not(is(axis, Ordering::At, y))),
                    _ => None,
                },
                (None, Some(axis)) if is_outside(x) => match op {
                    BinOp::LT => Some(not(is(axis, Ordering::AtMost, x))),
                    BinOp::LE => Some(not(is(axis, Ordering::Below, x))),
                    BinOp::EQ => Some(is(axis, Ordering::At, x)),
                    BinOp::NE => Some(not(is(axis, Ordering::At, x))),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

impl Condition {
    fn decide(&self, known: &Known) -> Option<bool> {
        match self {
            Condition::Is(comparison) => known.get(comparison).copied(),
            Condition::Not(inner) => inner.decide(known).map(|holds| !holds),
            Condition::And(one, other) => match (one.decide(known), other.decide(known)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Condition::Or(one, other) => match (one.decide(known), other.decide(known)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// A comparison that has to be known to decide the condition.
    fn undecided(&self, known: &Known) -> Option<Comparison> {
        if self.decide(known).is_some() {
            return None;
        }
        match self {
            Condition::Is(comparison) => Some(*comparison),
            Condition::Not(inner) => inner.undecided(known),
            Condition::And(one, other) | Condition::Or(one, other) => {
                one.undecided(known).or_else(|| other.undecided(known))
            }
        }
    }
}

impl Comparison {
    /// The parts of a grid in which the comparison holds, and in which it does not.
    fn cut(&self, bounds: &mut Bounds, grid: &Grid) -> Result<Vec<(Grid, bool)>, Refusal> {
        let own = grid.axes[self.axis];
        let place = bounds.plus(self.bound, -self.distance);
        let bound = bounds.max(place, own.lower);
        let bound = bounds.min(bound, own.upper);
        let behind = bounds.plus(place, 1);
        let behind = bounds.max(behind, own.lower);
        let behind = bounds.min(behind, own.upper);
        let places: Vec<(Operand, Operand, bool)> = match self.op {
            Ordering::Below => vec![(own.lower, bound, true), (bound, own.upper, false)],
            Ordering::AtMost => vec![(own.lower, behind, true), (behind, own.upper, false)],
            Ordering::At => {
                vec![(own.lower, bound, false), (bound, behind, true), (behind, own.upper, false)]
            }
        };
        let mut parts = Vec::new();
        for (lower, upper, holds) in places {
            let piece = grid.with_axis(self.axis, Axis::dense(lower, upper));
            parts.extend(intersect(bounds, grid, &piece)?.into_iter().map(|grid| (grid, holds)));
        }
        Ok(parts)
    }
}
