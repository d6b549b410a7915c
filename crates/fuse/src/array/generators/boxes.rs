//! Intersections and remainders of grids of any rank, and the common refinement of two with-loops.
//! Source: \[WLF\] figure 4 (the schemes `IS`, `GEN`, `CUT` and `ELIM`); the cutting of remainders follows its figure 5.

use super::bounds::Bounds;
use super::periodic::{intersect_axes, is_empty, subtract_axes};
use super::{Axis, Grid, MAX_GENERATORS, limited};
use crate::array::Refusal;
use crate::array::replace::share_copies;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Extent, Func, Operator, WithLoopData};
use frit_simplify::sharing::Sharing;
use frit_support::Span;

/// A part of the space of two with-loops that lies in one generator of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The indices.
    pub grid: Grid,
    /// The generator of the first with-loop.
    pub first: usize,
    /// The generator of the second one.
    pub second: usize,
}

/// The indices that both grids have, in disjoint grids; none if that is provably nothing.
pub fn intersect(bounds: &mut Bounds, x: &Grid, y: &Grid) -> Result<Vec<Grid>, Refusal> {
    if x == y {
        return Ok(vec![x.clone()]);
    }
    if are_disjoint(bounds, x, y) {
        return Ok(Vec::new());
    }
    let mut grids = vec![Grid { axes: Vec::new() }];
    for (&a, &b) in x.axes.iter().zip(&y.axes) {
        let common = intersect_axes(bounds, a, b).ok_or_else(|| too_many(bounds.span()))?;
        let extended = grids.iter().flat_map(|grid| common.iter().map(|&axis| extend(grid, axis)));
        grids = limited(extended.collect(), bounds.span())?;
    }
    Ok(grids)
}

/// The indices of the first grid that the second one leaves out, in disjoint grids.
pub fn subtract(bounds: &mut Bounds, x: &Grid, y: &Grid) -> Result<Vec<Grid>, Refusal> {
    if are_disjoint(bounds, x, y) {
        return Ok(vec![x.clone()]);
    }
    // Cut axis by axis, outermost first: what is outside on an axis has been inside on all axes before it.
    let (mut outside, mut inside) = (Vec::new(), vec![x.clone()]);
    for (at, &other) in y.axes.iter().enumerate() {
        let mut still = Vec::new();
        for grid in inside {
            let own = grid.axes[at];
            let left = subtract_axes(bounds, own, other).ok_or_else(|| too_many(bounds.span()))?;
            outside.extend(left.into_iter().map(|axis| grid.with_axis(at, axis)));
            let common = intersect_axes(bounds, own, other).ok_or_else(|| too_many(bounds.span()))?;
            still.extend(common.into_iter().map(|axis| grid.with_axis(at, axis)));
        }
        inside = still;
    }
    limited(outside, bounds.span())
}

/// The indices of a space that are in none of the grids, in disjoint grids, as far as they are not provably empty.
pub fn remainder(bounds: &mut Bounds, space: &[Extent], grids: &[Grid]) -> Result<Vec<Grid>, Refusal> {
    let mut rest = vec![Grid::full(space)];
    for grid in grids {
        let mut next = Vec::new();
        for part in rest {
            next.extend(subtract(bounds, &part, grid)?);
        }
        rest = limited(next, bounds.span())?;
    }
    Ok(rest)
}

/// True if the generators are known to cover the space.
pub fn covers(bounds: &mut Bounds, data: &WithLoopData) -> bool {
    let must_cover = data.operators.iter().any(|operator| match operator.op {
        Operator::GenArray | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => true,
        Operator::Fold { .. } | Operator::ModArray { .. } => false,
    });
    must_cover || {
        let grids: Vec<Grid> = data.generators.iter().map(Grid::of).collect();
        grids.contains(&Grid::full(&data.space))
            || remainder(bounds, &data.space, &grids).is_ok_and(|rest| rest.is_empty())
    }
}

/// The common refinement of with-loops over one space whose generators are the same sets of indices, or of which one has a single
/// generator for the whole space. Needs no statement; `None` if they are not of this kind.
fn unify_equal(first: &WithLoopData, second: &WithLoopData) -> Option<Vec<Part>> {
    if first.space != second.space {
        return None;
    }
    let full = Grid::full(&first.space);
    let (a, b) = (grids(first), grids(second));
    if a.len() == b.len() {
        let partner = |(at, grid): (usize, &Grid)| {
            let other = b.iter().position(|other| other == grid)?;
            Some(Part { grid: grid.clone(), first: at, second: other })
        };
        return a.iter().enumerate().map(partner).collect();
    }
    match (&a[..], &b[..]) {
        ([one], _) if *one == full => {
            let part = |(second, grid)| Part { grid, first: 0, second };
            Some(b.into_iter().enumerate().map(part).collect())
        }
        (_, [one]) if *one == full => {
            let part = |(first, grid)| Part { grid, first, second: 0 };
            Some(a.into_iter().enumerate().map(part).collect())
        }
        _ => None,
    }
}

/// The common refinement of the generators of two with-loops over one space, each of which covers it: disjoint parts that cover the
/// space. None of them is provably empty, unless the space is.
///
/// A with-loop of folds or `ModArray`s that leaves indices out is refused; [`extend_to`](crate::array::hull::extend_to) its own space
/// first.
pub fn unify(bounds: &mut Bounds, first: &WithLoopData, second: &WithLoopData) -> Result<Vec<Part>, Refusal> {
    let is_one_space = first.space.len() == second.space.len()
        && first.space.iter().zip(&second.space).all(|(&a, &b)| bounds.equal(a.into(), b.into()));
    if !is_one_space {
        return Err(Refusal::SpacesDiffer { span: second.span });
    }
    if let Some(parts) = unify_equal(first, second) {
        return limited(parts, second.span);
    }
    for data in [first, second] {
        if !covers(bounds, data) {
            return Err(Refusal::SpacesDiffer { span: data.span });
        }
    }
    let (a, b) = (grids(first), grids(second));
    let mut parts = Vec::new();
    for (at, x) in a.iter().enumerate() {
        // A generator that both have meets no other one.
        let partner = b.iter().position(|y| y == x);
        for (other, y) in b.iter().enumerate() {
            let is_apart = partner.is_some_and(|partner| partner != other) || partner.is_none() && a.contains(y);
            if !is_apart {
                let common = intersect(bounds, x, y)?;
                parts.extend(common.into_iter().map(|grid| Part { grid, first: at, second: other }));
                parts = limited(parts, second.span)?;
            }
        }
    }
    if let ([], [grid, ..]) = (&parts[..], &a[..]) {
        // A with-loop needs a generator to say what its cells are.
        parts.push(Part { grid: grid.clone(), first: 0, second: 0 });
    }
    Ok(parts)
}

/// The with-loop with these generators: each is a part of the generator of this number, and has its body.
pub fn refined(
    func: &mut Func,
    sharing: &mut Sharing,
    mut data: WithLoopData,
    parts: impl IntoIterator<Item = (Grid, usize)>,
) -> WithLoopData {
    let old = std::mem::take(&mut data.generators);
    let mut is_used = vec![false; old.len()];
    for (grid, at) in parts {
        // The first part keeps the names, so that a with-loop that is not split stays as it is.
        let body = if std::mem::replace(&mut is_used[at], true) {
            let mut renaming = Renaming::new();
            let body = func.copy_block(None, &old[at].body, &mut renaming);
            share_copies(func, sharing, &renaming);
            body
        } else {
            old[at].body.clone()
        };
        data.generators.push(grid.generator(body));
    }
    data
}

/// True if on some axis one grid provably ends before the other one begins, or one provably has no index.
fn are_disjoint(bounds: &mut Bounds, x: &Grid, y: &Grid) -> bool {
    x.axes.iter().zip(&y.axes).any(|(&a, &b)| {
        bounds.at_most(a.upper, b.lower)
            || bounds.at_most(b.upper, a.lower)
            || is_empty(bounds, a)
            || is_empty(bounds, b)
    })
}

fn grids(data: &WithLoopData) -> Vec<Grid> {
    data.generators.iter().map(Grid::of).collect()
}

fn extend(grid: &Grid, axis: Axis) -> Grid {
    let mut grid = grid.clone();
    grid.axes.push(axis);
    grid
}

/// Two grids alone have too many common parts.
fn too_many(span: Span) -> Refusal {
    Refusal::TooManyGenerators { count: MAX_GENERATORS + 1, span }
}
