//! Generator coalescing: adjacent generators with equal bodies become one, and those that hold no index go.
//! Source:   \[MERGE\] section 4: after folding "generators with identical expressions" are merged where their union is a box.
//! Before:   verified array IR.
//! After:    the same results from as many generators or fewer.
//! Work:     the same, in fewer loops.
//! Reorders: nothing: indices are visited in the order of the space.
//!
//! Two generators with the same bounds on all axes but one are adjacent if on that one the first provably ends where the second
//! begins, or if both are grids of one period and one continues the other.

use super::Attempts;
use super::generators::periodic::is_empty;
use super::generators::{Axis, Bounds, Grid, MAX_GENERATORS, equal::are_equal, facts_at};
use frit_ir::array::{Func, Op, Stmt, Value, WithLoopData};
use frit_simplify::ranges::Ranges;

/// Coalesces the generators of a with-loop where these facts hold; how many are gone.
pub fn generator_coalescing(func: &mut Func, facts: &mut Ranges, stmt: &mut Stmt) -> usize {
    let Op::With(label) = stmt.op else { panic!("only with-loops have generators") };
    let data = func.take_with_loop(label);
    let before = data.generators.len();
    let mut bounds = Bounds::new(func, facts, stmt.span);
    let data = coalesced(&mut bounds, data);
    let (_, certs) = bounds.finish();
    let gone = before - data.generators.len();
    func.with_loops[label] = data;
    if gone > 0 {
        add_certs(&mut stmt.certs, &certs);
    }
    gone
}

fn add_certs(certs: &mut Vec<Value>, more: &[Value]) {
    certs.extend(more);
    certs.sort_unstable();
    certs.dedup();
}

fn coalesced(bounds: &mut Bounds, mut data: WithLoopData) -> WithLoopData {
    // One is left even if all are empty: a with-loop of elements needs a generator to say what they are.
    let mut at = 0;
    while at < data.generators.len() && data.generators.len() > 1 {
        let grid = Grid::of(&data.generators[at]);
        if grid.axes.iter().any(|&axis| is_empty(bounds, axis)) {
            data.generators.remove(at);
        } else {
            at += 1;
        }
    }
    if data.generators.len() > MAX_GENERATORS {
        return data;
    }
    // Generators that are not equal before a merge are not equal after it.
    let count = data.generators.len();
    let mut classes: Vec<usize> = Vec::with_capacity(count);
    for at in 0..count {
        let earlier = (0..at).filter(|&other| classes[other] == other);
        let bodies = |at: usize| &data.generators[at].body;
        let class = earlier.into_iter().find(|&other| are_equal(bounds.func, bodies(other), bodies(at)));
        classes.push(class.unwrap_or(at));
    }
    while let Some((first, second, grid)) = adjacent(bounds, &data, &classes) {
        let body = std::mem::take(&mut data.generators[first].body);
        data.generators[first] = grid.generator(body);
        data.generators.remove(second);
        classes.remove(second);
    }
    data
}

/// Two generators with equal bodies that together are one grid.
fn adjacent(bounds: &mut Bounds, data: &WithLoopData, classes: &[usize]) -> Option<(usize, usize, Grid)> {
    for first in 0..classes.len() {
        for second in first + 1..classes.len() {
            if classes[first] == classes[second] {
                let (a, b) = (Grid::of(&data.generators[first]), Grid::of(&data.generators[second]));
                if let Some(grid) = union(bounds, &a, &b) {
                    return Some((first, second, grid));
                }
            }
        }
    }
    None
}

/// The grid that holds the indices of both, if one does.
fn union(bounds: &mut Bounds, a: &Grid, b: &Grid) -> Option<Grid> {
    let is_same = |bounds: &Bounds, x: Axis, y: Axis| {
        (x.step, x.width) == (y.step, y.width) && bounds.equal(x.lower, y.lower) && bounds.equal(x.upper, y.upper)
    };
    let mut apart = (0..a.axes.len()).filter(|&at| !is_same(bounds, a.axes[at], b.axes[at]));
    let (at, None) = (apart.next()?, apart.next()) else { return None };
    let (x, y) = (a.axes[at], b.axes[at]);
    let axis = continued(bounds, x, y).or_else(|| continued(bounds, y, x))?;
    Some(a.with_axis(at, axis))
}

/// The axis that is the first one continued by the second.
fn continued(bounds: &mut Bounds, x: Axis, y: Axis) -> Option<Axis> {
    if x.step == y.step && !x.is_dense() && bounds.equal(x.upper, y.upper) {
        // Side by side in each period.
        let is_next = bounds.difference(y.lower, x.lower) == Some(x.width);
        let width = x.width + y.width;
        return (is_next && width <= x.step).then(|| match width == x.step {
            true => Axis::dense(x.lower, x.upper),
            false => Axis { width, ..x },
        });
    }
    let is_in_step = x.is_dense() || bounds.distance_modulo(y.lower, x.lower, x.step) == Some(0);
    let is_next = (x.step, x.width) == (y.step, y.width)
        && is_in_step
        && bounds.equal(x.upper, y.lower)
        // Neither ends before it begins.
        && bounds.at_most(x.lower, x.upper)
        && bounds.at_most(y.lower, y.upper);
    is_next.then_some(Axis { upper: y.upper, ..x })
}

/// Coalesces the generators of all with-loops.
pub fn everywhere(func: &mut Func) -> Attempts {
    let mut attempts = Attempts::default();
    super::each_block(func, &mut |func, _, block| {
        let has_several = |func: &Func, stmt: &Stmt| match stmt.op {
            Op::With(label) => func.with_loops[label].generators.len() > 1,
            _ => false,
        };
        let Some(last) = block.stmts.iter().rposition(|stmt| has_several(func, stmt)) else { return 0 };
        // Nothing is defined anew, so one walk has the facts of all.
        let mut facts = facts_at(func, block, 0);
        for stmt in &mut block.stmts[..=last] {
            if has_several(func, stmt) {
                attempts.applied += generator_coalescing(func, &mut facts, stmt);
            }
            facts.define(func, stmt);
        }
        0
    });
    attempts
}
