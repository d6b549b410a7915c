//! Aligned nests: each row of an array is made and read in the same iteration, so the nests run as
//! one loop over rows.
//!
//! The analysis needs no sets. It therefore works where the analysis of windows takes too long: a
//! stencil in three dimensions with borders touches hundreds of elements.
//!
//! ```text
//! for i { for j { A[i, j] = e(i, j) } }; for i { for j { D[i, j] = A[i, j-1] + A[i, j+1] } }
//!     becomes   for i { for j { W[j] = e(i, j) }; for j { D[i, j] = W[j-1] + W[j+1] } }
//! ```
//!
//! A row is an element of an array along its first axis, so it may have any rank. Rows of rows are
//! handled as well, such as the sums of neighbours in a plane, see [`rows_of_rows`]. Rows that no
//! nest reads are not made.
//!
//! This module knows neither isl nor C. [`pipeline`](super::pipeline) tries it beside windows.

use super::linear::Linear;
use super::pipeline::{self, Built, shape_of};
use super::runs::MAX_NESTS;
use super::shape::{Place, Shape};
use super::walk::{Counts, Rewrite, Target, extreme, rewritten, rewritten_loops};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};
use frit_scop::{AccessKind, Param};
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// How a nest uses something.
#[derive(Clone)]
struct Use {
    writes: bool,
    /// The row that an iteration touches, if it touches only one.
    row: Option<Row>,
}

/// The uses by nests, by the numbers of the nests.
struct Uses {
    places: BTreeMap<Place, BTreeMap<usize, Use>>,
    /// Arrays of which only a part is used, at fixed first subscripts. Rows are rows of that part.
    parts: BTreeSet<Place>,
}

/// The row of an iteration of a nest's outermost loop: `scale * iteration + offset`. If the scale
/// is 0, all of the nest is at one row.
#[derive(Clone, PartialEq)]
struct Row {
    scale: i64,
    offset: Linear,
}

/// The row of each nest, by its number.
type Rows = BTreeMap<usize, Row>;

/// Groups of nests that can run as one loop over rows, such that some temporary arrays need one row
/// only. Groups are in the order of their first nests.
pub(super) fn plan(proc: &Proc, shape: &Shape, nests: &[Loop], temporaries: &BTreeSet<Array>) -> Vec<Vec<Loop>> {
    let uses = Uses::of(shape);
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for array in temporaries {
        let users = uses.users(*array);
        if !uses.can_be_handed_on(proc, *array) {
            continue;
        }
        let (joined, mut others): (Vec<_>, Vec<_>) =
            groups.iter().cloned().partition(|group| !group.is_disjoint(&users));
        let group: BTreeSet<usize> = joined.into_iter().flatten().chain(users).collect();
        let has_row = |(nest, row): (&usize, &Row)| has_row(proc, nests[*nest], row);
        if uses.rows(&group, temporaries).is_some_and(|rows| rows.iter().all(has_row))
            && !uses.has_between(&group, nests.len())
        {
            others.push(group);
            groups = others;
        }
    }
    groups.sort_by_key(|group| group.first().copied());
    groups.iter().map(|group| group.iter().map(|nest| nests[*nest]).collect()).collect()
}

/// True if the nest can run at this row among other nests. If its iterations have their own rows,
/// they must be independent, and vectors must run along the rows.
fn has_row(proc: &Proc, nest: Loop, row: &Row) -> bool {
    let data = &proc.loops[nest];
    let is_shared = |body: &[Stmt]| {
        let mut found = false;
        proc.for_each_loop(body, &mut |_, data| {
            found |= matches!(&data.kind, LoopKind::Independent { parallel: Some(_), .. });
        });
        found
    };
    if is_shared(&data.body) {
        return false;
    }
    let LoopKind::Independent { parallel, simd, reductions } = &data.kind else { return row.scale == 0 };
    let is_regular = parallel.as_ref().is_none_or(|parallel| !parallel.irregular);
    let mut is_nested = false;
    proc.for_each_loop(&data.body, &mut |_, _| is_nested = true);
    is_regular && reductions.is_empty() && (row.scale == 0 || is_nested && !simd && data.step == 1)
}

impl Uses {
    fn of(shape: &Shape) -> Uses {
        let touches =
            || shape.groups.iter().flat_map(|(_, group)| group.touches.iter().map(move |touch| (group, touch)));
        // The first subscripts that are the same wherever a place is used, except the last of them.
        let mut common: BTreeMap<Place, &[Linear]> = BTreeMap::new();
        for (_, touch) in touches() {
            let own = touch.subscripts.as_deref().unwrap_or_default();
            let known = common.entry(touch.place).or_insert(own);
            let same = known.iter().zip(own).take_while(|(known, own)| known == own && own.is_invariant()).count();
            *known = &known[..same.min(own.len().saturating_sub(1))];
        }
        let mut places: BTreeMap<Place, BTreeMap<usize, Use>> = BTreeMap::new();
        for (group, touch) in touches() {
            let row = touch.subscripts.as_ref().and_then(|subscripts| subscripts.get(common[&touch.place].len()));
            let row = row.and_then(Row::of);
            let nest = places.entry(touch.place).or_default().entry(group.nest);
            let found = nest.or_insert_with(|| Use { writes: false, row: row.clone() });
            found.writes |= touch.kind != AccessKind::Read;
            found.row = found.row.take().filter(|known| Some(known) == row.as_ref());
        }
        let parts = common.into_iter().filter(|(_, common)| !common.is_empty()).map(|(place, _)| place).collect();
        Uses { places, parts }
    }

    /// The nests that use the array.
    fn users(&self, array: Array) -> BTreeSet<usize> {
        self.places.get(&Place::Array(array)).into_iter().flatten().map(|(nest, _)| *nest).collect()
    }

    /// True if the array has rows, and the first of several users writes them.
    fn can_be_handed_on(&self, proc: &Proc, array: Array) -> bool {
        let users = self.places.get(&Place::Array(array)).filter(|users| users.len() > 1);
        proc.arrays[array].extents.len() > 1
            && !self.parts.contains(&Place::Array(array))
            && users.and_then(BTreeMap::first_key_value).is_some_and(|(_, used)| used.writes)
    }

    /// The row of each nest of a group, if every array that they hand on is used row by row. If
    /// some nests skip rows, all of them skip the same rows. The other nests then make only rows of
    /// temporary arrays, so that they may skip them too.
    fn rows(&self, group: &BTreeSet<usize>, temporaries: &BTreeSet<Array>) -> Option<Rows> {
        let mut rows = Rows::new();
        for users in self.places.values() {
            let inside: Vec<_> = users.iter().filter(|(nest, _)| group.contains(nest)).collect();
            if inside.len() < 2 || !inside.iter().any(|(_, used)| used.writes) {
                continue;
            }
            for (nest, used) in inside {
                let row = used.row.as_ref()?;
                if rows.entry(*nest).or_insert_with(|| row.clone()) != row {
                    return None;
                }
            }
        }
        let Some(skipping) = rows.values().find(|row| row.skips()) else { return Some(rows) };
        let skips_too = |(nest, row): (&usize, &Row)| {
            row == skipping
                || !row.skips()
                    && self.places.iter().filter(|(_, users)| users.get(nest).is_some_and(|used| used.writes)).all(
                        |(place, users)| {
                            matches!(place, Place::Array(array) if temporaries.contains(array))
                                && users.keys().all(|user| group.contains(user))
                        },
                    )
        };
        rows.iter().all(skips_too).then_some(rows)
    }

    /// True if another nest must run after some of the group and before others.
    fn has_between(&self, group: &BTreeSet<usize>, nests: usize) -> bool {
        let conflict = |one: usize, other: usize| {
            self.places.values().any(|users| match (users.get(&one), users.get(&other)) {
                (Some(one), Some(other)) => one.writes || other.writes,
                _ => false,
            })
        };
        // Nests that must run after some of the group.
        let mut behind: BTreeSet<usize> = BTreeSet::new();
        for nest in (0..nests).filter(|nest| !group.contains(nest)) {
            let before = group.iter().chain(&behind).any(|&other| other < nest && conflict(other, nest));
            if before {
                behind.insert(nest);
            }
        }
        behind.iter().any(|&other| group.iter().any(|&nest| other < nest && conflict(other, nest)))
    }
}

/// Nests that run row by row.
pub(super) struct Aligned<'n> {
    nests: &'n [Loop],
    /// The row of each nest.
    rows: Vec<Row>,
    params: Table<Param, Expr>,
    /// The arrays that the nests hand on.
    arrays: BTreeSet<Array>,
    /// The conditions under which nests run. No condition mentions anything that changes in the
    /// nests. A nest without a condition always runs.
    guards: Vec<Option<Expr>>,
}

impl<'n> Aligned<'n> {
    /// The nests of a group, which are the only users of the temporary arrays. `None` if they are
    /// not aligned.
    pub(super) fn of(proc: &Proc, shape: &Shape, nests: &'n [Loop], temporaries: &BTreeSet<Array>) -> Option<Self> {
        let uses = Uses::of(shape);
        let rows = uses.rows(&(0..nests.len()).collect(), temporaries)?;
        let rows = (0..nests.len()).map(|number| rows.get(&number).cloned()).collect::<Option<_>>()?;
        let arrays = temporaries.iter().copied().filter(|array| uses.can_be_handed_on(proc, *array)).collect();
        Some(Self { nests, rows, params: shape.params.clone(), arrays, guards: vec![None; nests.len()] })
    }

    /// How rows follow from the iterations of the loop over all nests: nests that skip rows
    /// determine that.
    fn steps(&self) -> Row {
        let skipping = self.rows.iter().find(|row| row.skips());
        skipping.cloned().unwrap_or_else(|| Row { scale: 1, offset: Linear::default() })
    }

    /// The iterations of the loop over all nests: from the first, to the second, exclusive.
    pub(super) fn range(&self, proc: &Proc) -> (Expr, Expr) {
        let steps = self.steps();
        let relevant = self.nests.iter().zip(&self.rows).filter(|(_, row)| !steps.skips() || **row == steps);
        let bounds: Vec<(Expr, Expr)> = relevant.map(|(nest, row)| self.bounds(proc, *nest, row, &steps)).collect();
        let lower = extreme(BinOp::MIN, bounds.iter().map(|(lower, _)| lower)).expect("there are nests");
        (lower, extreme(BinOp::MAX, bounds.iter().map(|(_, upper)| upper)).expect("there are nests"))
    }

    /// The range in which the nest runs: of iterations if it skips rows, else of rows.
    fn bounds(&self, proc: &Proc, nest: Loop, row: &Row, steps: &Row) -> (Expr, Expr) {
        let data = &proc.loops[nest];
        let offset = row.offset.expr(&[], &self.params);
        match row.scale {
            0 => (offset.clone(), offset + Expr::i64(1)),
            _ if row == steps => (data.lower.clone(), data.upper.clone()),
            _ => (data.lower.clone() + offset.clone(), data.upper.clone() + offset),
        }
    }

    /// The iterations from `first` to `end`, exclusive, of the loop over all nests.
    pub(super) fn build(&self, proc: &mut Proc, (first, end): (Expr, Expr)) -> Built {
        let mut windows = BTreeMap::new();
        for array in &self.arrays {
            let extents = proc.arrays[*array].extents[1..].to_vec();
            let data = ArrayData { extents, ..proc.arrays[*array].clone() };
            windows.insert(*array, proc.arrays.push(data));
        }
        let steps = self.steps();
        let span = proc.loops[self.nests[0]].span;
        let name = proc.loops[self.nests[0]].var.and_then(|var| proc.vars[var].name.clone());
        let iteration = proc.var(Scalar::I64, name);
        let mut body = Vec::new();
        let row_here = if steps.skips() {
            let row = proc.index();
            let value = Expr::i64(steps.scale) * iteration.into() + steps.offset.expr(&[], &self.params);
            body.push(Stmt::Assign { var: row, value });
            row
        } else {
            iteration
        };
        for ((nest, row), guard) in self.nests.iter().zip(&self.rows).zip(&self.guards) {
            let (lower, upper) = self.bounds(proc, *nest, row, &steps);
            let (at, own) = if *row == steps {
                (iteration, iteration.into())
            } else {
                (row_here, Expr::Var(row_here) - row.offset.expr(&[], &self.params))
            };
            let data = &proc.loops[*nest];
            let (nest, own) = match (row.scale, data.var) {
                (1.., Some(var)) => (data.body.clone(), Some((var, own))),
                _ => (vec![Stmt::For(*nest)], None),
            };
            let then = rewritten_loops(proc, &nest, &mut Copy { windows: &windows, own });
            let then = then.expect("nests of straight-line code were looked for");
            let at_least = Expr::binary(BinOp::LE, lower, at.into());
            let less = Expr::binary(BinOp::LT, at.into(), upper);
            let is_inside = Expr::binary(BinOp::AND, at_least, less);
            let runs = match guard {
                Some(guard) => Expr::binary(BinOp::AND, guard.clone(), is_inside),
                None => is_inside,
            };
            body.push(Stmt::If { cond: runs, then, otherwise: Vec::new() });
        }
        let (var, kind) = (Some(iteration), LoopKind::Sequential);
        let rows = LoopData { var, lower: first, upper: end, step: 1, kind, body, span };
        Built { stmts: vec![proc.add_loop(rows)], windows, scalars: BTreeSet::new() }
    }
}

/// A loop over rows that [`Aligned::build`] has made. It contains a loop over the rows of these
/// rows wherever that makes windows smaller. `place` is the position of the loop.
pub(super) fn rows_of_rows(proc: &mut Proc, place: &pipeline::Place<'_>, mut built: Built) -> Built {
    let [Stmt::For(rows)] = built.stmts[..] else { return built };
    let windows: BTreeSet<Array> = built.windows.values().copied().collect();
    let counts = Counts::of(proc, &built.stmts);
    let inside = pipeline::Place { counts: &counts, fresh: &(place.fresh | &windows), ..*place };
    let Some((begin, guarded)) = Guarded::all(&proc.loops[rows].body) else { return built };
    let nests: Vec<Loop> = guarded.iter().map(|guarded| guarded.nest).collect();
    if nests.len() > MAX_NESTS {
        return built;
    }
    let Ok(shape) = shape_of(proc, &inside, &nests) else { return built };
    let mut body = Vec::new();
    let mut done = 0;
    for group in plan(proc, &shape, &nests, &windows) {
        let Some(at) = nests[done..].windows(group.len()).position(|some| some == group) else { continue };
        let members = done + at..done + at + group.len();
        let stmts: Vec<Stmt> = group.iter().map(|nest| Stmt::For(*nest)).collect();
        let here = Counts::of(proc, &stmts);
        let is_own = |window: &Array| here.of_array(*window) == counts.of_array(*window);
        let own: BTreeSet<Array> = windows.iter().copied().filter(is_own).collect();
        let Ok(shape) = shape_of(proc, &inside, &group) else { continue };
        // Each nest of the group uses one of the group's own windows. The plan has seen every use
        // of it, with these rows.
        let Some(mut aligned) = Aligned::of(proc, &shape, &group, &own) else { continue };
        aligned.guards = guarded[members.clone()].iter().map(|guarded| Some(guarded.guard.clone())).collect();
        let range = aligned.range(proc);
        let inner = aligned.build(proc, range);
        let inner = rows_of_rows(proc, &inside, inner);
        for window in built.windows.values_mut() {
            *window = inner.windows.get(window).copied().unwrap_or(*window);
        }
        body.extend(guarded[done..members.start].iter().map(Guarded::stmt));
        body.extend(inner.stmts);
        done = members.end;
    }
    if done > 0 {
        body.extend(guarded[done..].iter().map(Guarded::stmt));
        proc.loops[rows].body = [begin, body].concat();
    }
    built
}

/// A nest that runs where a condition holds.
struct Guarded {
    guard: Expr,
    nest: Loop,
}

impl Guarded {
    /// The nests of an iteration of a loop over rows, and the assignments before them.
    fn all(body: &[Stmt]) -> Option<(Vec<Stmt>, Vec<Guarded>)> {
        let nests = body.iter().position(|stmt| matches!(stmt, Stmt::If { .. })).unwrap_or(body.len());
        let (begin, conditional) = body.split_at(nests);
        let mut all = Vec::new();
        for stmt in conditional {
            let Stmt::If { cond, then, otherwise } = stmt else { return None };
            for nest in then {
                let (Stmt::For(nest), []) = (nest, &otherwise[..]) else { return None };
                all.push(Guarded { guard: cond.clone(), nest: *nest });
            }
        }
        Some((begin.to_vec(), all))
    }

    fn stmt(&self) -> Stmt {
        Stmt::If { cond: self.guard.clone(), then: vec![Stmt::For(self.nest)], otherwise: Vec::new() }
    }
}

impl Row {
    fn of(subscript: &Linear) -> Option<Row> {
        let (scale, offset) = subscript.clone().split(0);
        (scale >= 0 && offset.is_invariant()).then_some(Row { scale, offset })
    }

    /// True if there are rows between those of neighbouring iterations.
    fn skips(&self) -> bool {
        self.scale > 1
    }
}

/// A copy for one iteration of the outermost loop, with rows in place of the arrays that are handed
/// on.
struct Copy<'w> {
    windows: &'w BTreeMap<Array, Array>,
    /// The variable of the nest's outermost loop, and its value.
    own: Option<(Var, Expr)>,
}

impl Rewrite for Copy<'_> {
    fn var(&mut self, var: Var) -> Expr {
        match &self.own {
            Some((own, value)) if *own == var => value.clone(),
            _ => Expr::Var(var),
        }
    }

    fn load(&mut self, array: Array, index: &[Expr]) -> Option<Expr> {
        let window = *self.windows.get(&array)?;
        let index = index[1..].iter().map(|part| rewritten(part, self)).collect();
        Some(Expr::Load { array: window, index })
    }

    fn assigned(&mut self, var: Var) -> Var {
        var
    }

    fn stored(&mut self, array: Array, index: &[Expr]) -> Option<Target> {
        let window = *self.windows.get(&array)?;
        let index = index[1..].iter().map(|part| rewritten(part, self)).collect();
        Some(Target::Element(window, index))
    }
}
