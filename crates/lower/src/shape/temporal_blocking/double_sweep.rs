//! Double sweep: two steps of a stencil in one sweep. The first step's results stay in the
//! processor's own cache until the second step has read them.
//!
//! ```text
//! one step:    for i { D[i] = e(A[i-1], A[i], A[i+1]) }
//!
//! two steps:   for i0 step 2048 {
//!                for i from i0-1 to below i0+2049 { T[i - i0 + 1] = e(A[i-1], A[i], A[i+1]) }
//!                for j below 2048 { D[i0 + j] = e(T[j], T[j + 1], T[j + 2]) }
//!              }
//! ```
//!
//! Neighbouring tiles both compute the elements along their border. A tile of planes has some rows
//! of all planes and sweeps over the planes. The second step computes a plane as soon as the first
//! step has computed its neighbours, and a ring of planes keeps the last few.
//!
//! At periodic borders, elements beyond one end are those at the other end. Reductions must allow
//! repeated elements. This module knows nothing of the array IR. Time loops are recognised in
//! [`crate::shape::temporal_blocking`].
//!
//! Source: Krishnamoorthy et al., "Effective Automatic Parallelization of Stencil Computations",
//! and Wonnacott, "Achieving Scalable Locality with Time Skewing".

use crate::Caches;
use crate::lowering::access::{arrays_read, divided_up, element_count, round_up};
use crate::shape::facts::arithmetic::{cost, is_total};
use crate::shape::facts::cache_lines::elements_of_line;
use crate::shape::facts::straight_line::{assigned, each_store, has_load, is_straight, with_accesses};
use crate::shape::facts::unaliased::Memory;
use crate::shape::rewrite::strip_mining::Block;
use crate::shape::vectorisation::Values;
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a tile of a 1-D array.
const ELEMENTS: i64 = 2048;
/// Rows and columns of a tile of a matrix.
const ROWS: i64 = 64;
const COLUMNS: i64 = 512;
/// The fewest and the most rows of each plane in a tile of planes. Fewer rows would have too many
/// neighbours outside.
const FEWEST_ROWS: i64 = 8;
const MOST_ROWS: i64 = 64;
/// The largest reach of a stencil: tiles compute the elements within reach of their borders twice.
const FARTHEST: i64 = 2;
/// Each thread owns at least this many times the rows that neighbouring tiles compute redundantly.
const LEAST_SHARE: i64 = 16;
/// The most loops along the last axis in a step. Each appears in several forms for both steps. C
/// compilers split functions that are too long, which can cut loops off from their threads.
const MOST_LOOPS: usize = 16;
/// Elements that cost more are not limited by memory.
const LARGEST_COST: i64 = 48;

/// The loops of a stencil's step, which computes all elements of one array from near elements of
/// another.
pub(crate) struct Sweep {
    from: Array,
    to: Array,
    /// The loops over the first axis, in order. They may be the loops of a chunk.
    loops: Vec<Loop>,
    chunks: Option<Chunks>,
    rank: usize,
    /// The distance of the elements that are read, along each tiled axis.
    reach: Vec<Reach>,
    /// Distances that are known at run time only. At periodic borders two distances are equivalent,
    /// and a variable holds the shorter one.
    distances: Vec<Fixed>,
    /// All variables that the loops assign.
    own: BTreeSet<Var>,
}

/// A loop over chunks. Each chunk runs some iterations of other loops.
struct Chunks {
    id: Loop,
    /// The beginning and the end of a chunk.
    bounds: [Var; 2],
    /// The statements before and after these loops.
    before: Vec<Stmt>,
    after: Vec<Stmt>,
}

#[derive(Clone, Copy, Default)]
struct Reach {
    elements: i64,
    /// True if elements beyond one end are those at the other end.
    is_periodic: bool,
}

/// The distance along an axis from the element that is computed to an element that is read.
enum Distance {
    Known(i64),
    /// The distance beyond one end, measured from the other end.
    Wrapped(i64),
    /// An expression that does not change.
    Fixed(Expr),
}

struct Fixed {
    axis: usize,
    distance: Expr,
    shortest: Var,
}

/// The loops that make two steps.
pub(crate) struct DoubleSweep {
    pub(crate) body: Vec<Stmt>,
    /// The statements to run first, and the condition for the double sweep.
    pub(crate) before: Vec<Stmt>,
    pub(crate) condition: Expr,
    /// The tables that a sweep stores besides the array, each with the table of the second step.
    pub(crate) tables: BTreeMap<Array, Array>,
    pub(crate) tiles: Tiles,
}

/// Facts about double sweeps that other passes need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    /// The accesses of the next tiles.
    pub(crate) next: Vec<NextTile>,
    /// The loops over tiles, over planes in tiles, and over parts of these.
    pub(crate) over: BTreeSet<Loop>,
}

/// What the first step of the next tile, or of the next plane in a tile, reads.
#[derive(Clone, Debug)]
pub(crate) struct NextTile {
    /// The array between the two steps. Loops that read it belong to the second step.
    pub(crate) kept: Array,
    /// The array that the second step makes, and the array that the first step reads.
    pub(crate) to: Array,
    pub(crate) from: Array,
    /// The distance along the first axis from what is made to what is read next.
    distance: i64,
    /// The extent of the first axis, if borders are periodic.
    extent: Option<Expr>,
}

impl NextTile {
    /// The index of what is read next, where this index of the first axis is made.
    pub(crate) fn farther(&self, number: Expr) -> Expr {
        let farther = number + Expr::i64(self.distance);
        match &self.extent {
            Some(extent) => Expr::binary(BinOp::FLOOR_MOD, farther, extent.clone()),
            None => farther,
        }
    }
}

impl Sweep {
    /// The sweep of these loops, which run one after the other.
    pub(crate) fn of(
        proc: &mut Proc,
        values: &Values,
        memory: &Memory,
        loops: &[Loop],
        [from, to]: [Array; 2],
    ) -> Option<Self> {
        let chunks = if let [only] = *loops { Chunks::of(proc, values, only, to) } else { None };
        let own_loops = match &chunks {
            Some(chunks) => loops_of(&proc.loops[chunks.id].body),
            None => loops.to_vec(),
        };
        let all: Vec<Stmt> = loops.iter().map(|&id| Stmt::For(id)).collect();
        let (own, read, mut stored) = (proc.assigned_in(&all), arrays_read(proc, &all), BTreeSet::new());
        proc.for_each_stmt(&all, &mut |stmt| {
            if let Stmt::Store { array, .. } = stmt {
                stored.insert(*array);
            }
        });
        let may_share = |&array: &Array| array == to || loops.iter().any(|&id| memory.may_share(id, array, to));
        if !read.contains(&from) || !stored.contains(&to) || read.iter().any(may_share) || !read.is_disjoint(&stored) {
            return None;
        }
        let mut sweep = Self {
            from,
            to,
            loops: own_loops,
            chunks,
            rank: proc.arrays[to].extents.len(),
            reach: Vec::new(),
            distances: Vec::new(),
            own,
        };
        sweep.complete(proc, values)?;
        Some(sweep)
    }

    /// Finds the reach of the nests. `None` unless they make every element exactly once, from near
    /// elements, and only reduce what may be reduced twice.
    fn complete(&mut self, proc: &mut Proc, values: &Values) -> Option<()> {
        let extents = proc.arrays[self.to].extents.clone();
        if extents != proc.arrays[self.from].extents || extents.iter().any(|e| e.has_load() || e.reads_any(&self.own)) {
            return None;
        }
        let tiled = extents.len().min(2);
        let mut found =
            Found { reach: vec![Reach::default(); tiled], fixed: Vec::new(), reductions: Vec::new(), loops: 0 };
        let nests: Vec<Stmt> = self.loops.iter().map(|&id| Stmt::For(id)).collect();
        found.visit(proc, values, self, &nests, &mut Vec::new())?;
        let is_repeatable = |reduction: &Reduction| reduction.op.is_idempotent();
        // Without chunks nothing combines what is reduced, or it is known only when the loops have
        // run.
        let before = self.chunks.as_ref().map_or(&[][..], |chunks| &chunks.before);
        let begun: BTreeSet<Var> = assigned(before).collect();
        if !found.reductions.iter().all(|reduction| is_repeatable(reduction) && begun.contains(&reduction.var)) {
            return None;
        }
        let most = found.reach.iter().map(|reach| reach.elements).max()?;
        // A vector must be read near by, or the double sweep gains nothing.
        if most == 0 || most > FARTHEST || found.loops > MOST_LOOPS {
            return None;
        }
        self.reach = found.reach;
        for (axis, distance) in found.fixed {
            let shortest = proc.index();
            self.distances.push(Fixed { axis, distance, shortest });
        }
        Some(())
    }

    /// The distance of an element with this subscript, along an axis that the variable counts.
    fn distance(&self, proc: &Proc, values: &Values, axis: usize, var: Var, subscript: &Expr) -> Option<Distance> {
        let value = values.value(subscript);
        if let Expr::Binary { op: BinOp::FLOOR_MOD, x, y } = value {
            let is_extent = **y == proc.arrays[self.from].extents[axis];
            return Some(Distance::Wrapped(values.value(x).added_to(var)?)).filter(|_| is_extent);
        }
        if let Some(added) = value.added_to(var) {
            return Some(Distance::Known(added));
        }
        let distance = value.renamed(&BTreeMap::from([(var, Expr::i64(0))]));
        let is_fixed = value.is_shifted(var)
            && is_total(proc, &distance)
            && !distance.has_load()
            && !distance.reads_any(&self.own);
        is_fixed.then_some(Distance::Fixed(distance))
    }

    /// The bounds of a loop over the axis, without those of chunks.
    fn bounds(&self, proc: &Proc, axis: usize, data: &LoopData) -> Option<[Expr; 2]> {
        let bounds = [data.lower.clone(), data.upper.clone()];
        let Some(chunks) = self.chunks.as_ref().filter(|_| axis == 0) else { return Some(bounds) };
        let [first, last] = chunks.bounds.map(Expr::Var);
        let without = |expr: &Expr, op: BinOp, bound: &Expr, end: Expr| match expr {
            expr if expr == bound => Some(end),
            Expr::Binary { op: found, x, y } if *found == op && **y == *bound => Some((**x).clone()),
            Expr::Binary { op: found, x, y } if *found == op && **x == *bound => Some((**y).clone()),
            _ => None,
        };
        let extent = proc.arrays[self.to].extents[0].clone();
        Some([without(&bounds[0], BinOp::MAX, &first, Expr::i64(0))?, without(&bounds[1], BinOp::MIN, &last, extent)?])
    }
}

/// Facts about the nests of a sweep.
struct Found {
    reach: Vec<Reach>,
    fixed: Vec<(usize, Expr)>,
    reductions: Vec<Reduction>,
    /// The number of loops along the last axis.
    loops: usize,
}

impl Found {
    /// Visits statements that are in loops over the first axes, by these variables.
    fn visit(&mut self, proc: &Proc, values: &Values, sweep: &Sweep, body: &[Stmt], axes: &mut Vec<Var>) -> Option<()> {
        let axis = axes.len();
        let extents = &proc.arrays[sweep.to].extents;
        for stmt in body.iter().filter(|stmt| !matches!(stmt, Stmt::For(_))) {
            // Elements are stored in the innermost loops only, on every path, and never twice.
            let is_element = match stmt {
                Stmt::Store { array, index, .. } => {
                    let is_own = index.iter().zip(axes.iter()).all(|(e, &var)| *e == Expr::Var(var));
                    axis == extents.len() && *array == sweep.to && is_own
                }
                stmt => is_straight(stmt, false),
            };
            if !is_element {
                return None;
            }
            let mut is_near = true;
            stmt.for_each_inner_expr(&mut |expr| is_near &= self.note(proc, values, sweep, expr, axes).is_some());
            is_near.then_some(())?;
        }
        if axis == extents.len() {
            self.loops += 1;
            let stores = body.iter().filter(|stmt| matches!(stmt, Stmt::Store { .. })).count();
            return (stores == 1 && cost(proc, body) <= LARGEST_COST).then_some(());
        }
        let mut pieces = Vec::new();
        for id in loops_of(body) {
            let data = &proc.loops[id];
            let (Some(var), 1, LoopKind::Independent { reductions, .. }) = (data.var, data.step, &data.kind) else {
                return None;
            };
            let bounds = sweep.bounds(proc, axis, data)?;
            if bounds.iter().any(|e| e.has_load() || e.reads_any(&sweep.own)) {
                return None;
            }
            pieces.push(bounds);
            for &reduction in reductions {
                if !self.reductions.contains(&reduction) {
                    self.reductions.push(reduction);
                }
            }
            axes.push(var);
            self.visit(proc, values, sweep, &data.body, axes)?;
            axes.pop();
        }
        are_all(pieces, &extents[axis]).then_some(())
    }

    /// Records the distances of the elements that the expression reads.
    fn note(&mut self, proc: &Proc, values: &Values, sweep: &Sweep, expr: &Expr, axes: &[Var]) -> Option<()> {
        let mut is_near = true;
        expr.for_each_load(&mut |array, index| {
            if array != sweep.from {
                return;
            }
            is_near &= index.iter().all(|e| !e.has_load());
            for (axis, subscript) in index.iter().enumerate().take(self.reach.len()) {
                let distance = axes.get(axis).and_then(|&var| sweep.distance(proc, values, axis, var, subscript));
                let reach = &mut self.reach[axis];
                let (elements, is_periodic) = match distance {
                    Some(Distance::Known(elements)) => (elements, false),
                    Some(Distance::Wrapped(elements)) => (elements, true),
                    Some(Distance::Fixed(distance)) => {
                        if !self.fixed.iter().any(|(other, known)| *other == axis && *known == distance) {
                            self.fixed.push((axis, distance));
                        }
                        (1, true)
                    }
                    None => {
                        is_near = false;
                        return;
                    }
                };
                reach.elements = reach.elements.max(elements.saturating_abs());
                reach.is_periodic |= is_periodic;
            }
        });
        is_near.then_some(())
    }
}

impl Chunks {
    /// The loop over chunks of all rows or planes of the array.
    fn of(proc: &Proc, values: &Values, id: Loop, to: Array) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(chunk), 1, LoopKind::Independent { simd: false, reductions, .. }) = (data.var, data.step, &data.kind)
        else {
            return None;
        };
        let first = data.body.iter().position(|stmt| matches!(stmt, Stmt::For(_)))?;
        let count = data.body[first..].iter().take_while(|stmt| matches!(stmt, Stmt::For(_))).count();
        let (before, after) = (&data.body[..first], &data.body[first + count..]);
        let is_chunk = reductions.is_empty()
            && data.lower.as_i64() == Some(0)
            && before.iter().all(|stmt| is_straight(stmt, false) && !has_load(stmt))
            && after.iter().all(|stmt| is_straight(stmt, true) && !has_load(stmt) && stores_beside(stmt, chunk));
        if !is_chunk {
            return None;
        }
        // The chunk's number times the iterations of each, plus one for each earlier chunk that has
        // one more.
        let start = |expr: &Expr| match expr {
            Expr::Binary { op: BinOp::ADD, x, y } => match (&**x, &**y) {
                (
                    Expr::Binary { op: BinOp::MUL, x: number, y: each },
                    Expr::Binary { op: BinOp::MIN, x: other, y: more },
                ) => {
                    let parts = [each, more].map(|part| values.value(part));
                    let (Expr::Binary { op: BinOp::DIV, x, y }, Expr::Binary { op: BinOp::REM, x: all, y: chunks }) =
                        (parts[0], parts[1])
                    else {
                        return None;
                    };
                    let count = match values.value(x) {
                        Expr::Binary { op: BinOp::MAX, x, y } if y.as_i64() == Some(0) => &**x,
                        count => count,
                    };
                    let is_even = number == other && x == all && y == chunks && **y == data.upper;
                    (is_even && *count == proc.arrays[to].extents[0]).then(|| (**number).clone())
                }
                _ => None,
            },
            _ => None,
        };
        let bounds = before.iter().filter_map(|stmt| match stmt {
            Stmt::Assign { var, value } => Some((*var, start(value)?)),
            _ => None,
        });
        let bounds: Vec<(Var, Expr)> = bounds.collect();
        let find = |number: Expr| bounds.iter().find(|(_, found)| *found == number).map(|(var, _)| *var);
        let bounds = [find(chunk.into())?, find(Expr::Var(chunk) + Expr::i64(1))?];
        Some(Self { id, bounds, before: before.to_vec(), after: after.to_vec() })
    }
}

/// True if the straight-line code stores only at the place of the chunk.
fn stores_beside(stmt: &Stmt, chunk: Var) -> bool {
    let mut is_beside = true;
    each_store(std::slice::from_ref(stmt), &mut |_, index| is_beside &= *index == [Expr::Var(chunk)]);
    is_beside
}

/// The loops among the statements.
fn loops_of(body: &[Stmt]) -> Vec<Loop> {
    body.iter().filter_map(|stmt| if let Stmt::For(id) = stmt { Some(*id) } else { None }).collect()
}

/// True if the pieces are contiguous and cover the range from 0 to the extent.
fn are_all(mut pieces: Vec<[Expr; 2]>, extent: &Expr) -> bool {
    let mut end = Expr::i64(0);
    while !pieces.is_empty() {
        let Some(next) = pieces.iter().position(|[lower, _]| *lower == end) else { return false };
        let [_, upper] = pieces.swap_remove(next);
        end = upper;
    }
    end == *extent
}

/// The position of a step in a tile, along one axis.
#[derive(Clone)]
struct Along {
    /// The range of the axis that the step makes, end exclusive.
    part: [Expr; 2],
    place: Place,
}

/// The position of an element, row or plane among those that are kept.
#[derive(Clone)]
enum Place {
    /// Its number minus this.
    After(Expr),
    /// The same, modulo the length of the ring.
    InRing(Expr, i64),
    /// The loop variable itself, where loops count from here.
    Counted(Expr),
}

/// One of the two steps.
struct Step<'s> {
    sweep: &'s Sweep,
    values: &'s Values,
    kept: Array,
    is_second: bool,
    along: Vec<Along>,
    /// The step's own variables.
    own: &'s BTreeMap<Var, Expr>,
    /// The value of each variable in this step: a variable of its own, perhaps plus the origin of
    /// the loop.
    names: BTreeMap<Var, Expr>,
    /// The loops over single planes.
    planes: Vec<Loop>,
}

impl Step<'_> {
    /// The statements of the nests for this step. They are inside of loops over the first axes by
    /// these variables.
    fn stmts(&mut self, proc: &mut Proc, body: &[Stmt], axes: &mut Vec<Var>) -> Vec<Stmt> {
        let mut made = Vec::with_capacity(body.len());
        for stmt in body {
            let Stmt::For(id) = stmt else {
                let place = |array: Array, index: &[Expr]| self.place(proc, axes, array, index);
                made.push((with_accesses(stmt, &place)).renamed(&self.names));
                continue;
            };
            let data = proc.loops[*id].clone();
            let (var, axis) = (data.var.expect("loops of sweeps count"), axes.len());
            let bounds = self.sweep.bounds(proc, axis, &data).expect("loops are in chunks");
            let [lower, upper] = self.bounds(proc, axis, bounds);
            let own = var.renamed(self.own);
            if let Some(Along { place: Place::Counted(origin), .. }) = self.along.get(axis) {
                self.names.insert(var, Expr::Var(own) + origin.clone());
            }
            axes.push(var);
            let body = self.stmts(proc, &data.body, axes);
            axes.pop();
            let LoopKind::Independent { simd, mut reductions, .. } = data.kind else {
                panic!("loops of sweeps are independent")
            };
            reductions.iter_mut().for_each(|reduction| reduction.var = reduction.var.renamed(self.own));
            let is_plane = matches!(self.along.get(axis), Some(Along { place: Place::InRing(..), .. }));
            let kind = match is_plane {
                true => LoopKind::Sequential,
                false => LoopKind::Independent { parallel: None, simd, reductions },
            };
            let id = proc.loops.push(LoopData { var: Some(own), lower, upper, kind, body, ..data });
            self.planes.extend(is_plane.then_some(id));
            made.push(Stmt::For(id));
        }
        made
    }

    /// The range of a loop over the axis that belongs to the step.
    fn bounds(&self, proc: &Proc, axis: usize, [lower, upper]: [Expr; 2]) -> [Expr; 2] {
        let Some(Along { part: [first, end], place }) = self.along.get(axis) else { return [lower, upper] };
        let is_first = lower.as_i64() == Some(0);
        let is_last = upper == proc.arrays[self.sweep.to].extents[axis];
        let lower = if is_first { first.clone() } else { Expr::max(lower, first.clone()) };
        let upper = if is_last { end.clone() } else { Expr::min(upper, end.clone()) };
        match place {
            Place::Counted(origin) => [lower - origin.clone(), upper - origin.clone()],
            Place::After(_) | Place::InRing(..) => [lower, upper],
        }
    }

    /// The position of an element in the kept array, if the first step makes it.
    fn place(&self, proc: &Proc, axes: &[Var], array: Array, index: &[Expr]) -> Option<(Array, Vec<Expr>)> {
        if array != if self.is_second { self.sweep.from } else { self.sweep.to } {
            return None;
        }
        let places = index.iter().enumerate().map(|(axis, e)| {
            let Some(along) = self.along.get(axis) else { return e.clone() };
            let var = axes[axis];
            let distance = if self.is_second { self.shortest(proc, axis, var, e) } else { Expr::i64(0) };
            match &along.place {
                Place::After(by) => Expr::Var(var) + by.clone() + distance,
                Place::InRing(by, length) => {
                    let number = Expr::Var(var) + by.clone() + distance;
                    Expr::binary(BinOp::FLOOR_MOD, number, Expr::i64(*length))
                }
                Place::Counted(_) => Expr::Var(var.renamed(self.own)) + distance,
            }
        });
        Some((self.kept, places.collect()))
    }

    /// The distance to an element with this subscript, across an end if that is shorter.
    fn shortest(&self, proc: &Proc, axis: usize, var: Var, subscript: &Expr) -> Expr {
        match self.sweep.distance(proc, self.values, axis, var, subscript).expect("distances are known") {
            Distance::Known(elements) | Distance::Wrapped(elements) => Expr::i64(elements),
            Distance::Fixed(distance) => {
                let is_it = |fixed: &&Fixed| fixed.axis == axis && fixed.distance == distance;
                self.sweep.distances.iter().find(is_it).expect("distances are known").shortest.into()
            }
        }
    }
}

/// The part of an axis that belongs to a tile.
#[derive(Clone, Copy)]
struct Part {
    first: Var,
    end: Var,
    /// The origin of positions in the kept array.
    origin: Var,
}

impl Sweep {
    /// The tables to which chunks store what they have reduced.
    pub(crate) fn tables(&self) -> BTreeSet<Array> {
        let mut found = BTreeSet::new();
        let after = self.chunks.iter().flat_map(|chunks| &chunks.after);
        after.for_each(|stmt| each_store(std::slice::from_ref(stmt), &mut |array, _| _ = found.insert(array)));
        found
    }

    /// The number of elements of these tables.
    pub(crate) fn chunk_count(&self, proc: &Proc) -> Expr {
        self.chunks.as_ref().map_or(Expr::Threads, |chunks| proc.loops[chunks.id].upper.clone())
    }

    /// The loops for two steps. They run where they pay: the arrays do not fit in the caches, but
    /// tiles do.
    pub(crate) fn twice(&self, proc: &mut Proc, values: &Values, caches: Caches) -> DoubleSweep {
        let mut made = Twice::new(self, proc, caches);
        for array in self.tables() {
            let data = proc.arrays[array].clone();
            made.tables.insert(array, proc.arrays.push(data));
        }
        let body = made.chunks(proc, values);
        DoubleSweep { body, before: made.before, condition: made.condition, tables: made.tables, tiles: made.tiles }
    }
}

/// The state while the double sweep is built.
struct Twice<'s> {
    sweep: &'s Sweep,
    extents: Vec<Expr>,
    /// The array between the two steps.
    kept: Array,
    /// The rows of a tile of planes, and the planes of a ring.
    rows: Option<Var>,
    ring: i64,
    before: Vec<Stmt>,
    condition: Expr,
    tables: BTreeMap<Array, Array>,
    tiles: Tiles,
}

impl<'s> Twice<'s> {
    fn new(sweep: &'s Sweep, proc: &mut Proc, caches: Caches) -> Self {
        let ArrayData { elem, extents, span, .. } = proc.arrays[sweep.to].clone();
        let bytes = Expr::i64(i64::try_from(elem.bytes()).expect("elements are small"));
        let product = |extents: &[Expr]| extents.iter().fold(bytes.clone(), |bytes, extent| bytes * extent.clone());
        let rank = extents.len();
        let around = |axis: usize| 2 * sweep.reach[axis].elements;
        let line = elements_of_line(proc, sweep.to);
        let mut before = Vec::new();
        let is_large = Expr::binary(BinOp::LE, Expr::i64(caches.last / 2), product(&extents));
        let share = Expr::i64(LEAST_SHARE * sweep.reach[0].elements.max(1)) * sweep.chunk_count(proc);
        let mut condition = Expr::and(is_large, Expr::binary(BinOp::LE, share, extents[0].clone()));
        // On one thread the double sweep does not pay for matrices. Memory is not the only limit
        // there, and the rows above stay in the processor's own cache, unlike planes.
        if rank == 2 {
            condition = Expr::and(condition, Expr::binary(BinOp::LE, Expr::i64(2), Expr::Threads));
        }
        let ring = u64::try_from(around(0) + 1).expect("stencils are small").next_power_of_two();
        let ring = i64::try_from(ring).expect("stencils are small");
        let (mut rows, mut kept) = (None, Vec::new());
        match rank {
            1 => kept.push(Expr::i64(ELEMENTS + 2 * before_first(sweep, 0, line))),
            2 => kept.extend([ROWS + around(0), COLUMNS + 2 * before_first(sweep, 1, line)].map(Expr::i64)),
            _ => {
                let mut row = extents[2..].to_vec();
                if let Some(last) = row.last_mut() {
                    *last = round_up(last.clone(), Expr::i64(line));
                }
                let var = proc.index();
                let planes = Expr::i64(ring) * Expr::max(Expr::i64(1), product(&row));
                // Kept planes may take most of the cache, because the first step's operands stream
                // through it.
                let fitting = Expr::binary(BinOp::DIV, Expr::i64(caches.own / 4 * 3), planes) - Expr::i64(around(1));
                before.push(Stmt::assign(var, Expr::min(Expr::i64(MOST_ROWS), fitting)));
                condition = Expr::and(condition, Expr::binary(BinOp::LE, Expr::i64(FEWEST_ROWS), var.into()));
                kept.extend([Expr::i64(ring), Expr::Var(var) + Expr::i64(around(1))]);
                kept.extend(row);
                rows = Some(var);
            }
        }
        for Fixed { axis, distance, shortest } in &sweep.distances {
            let (reach, extent) = (sweep.reach[*axis].elements, extents[*axis].clone());
            let select = |cond, on_true, on_false| Expr::select(cond, on_true, on_false);
            let less = |x, y| Expr::binary(BinOp::LT, x, y);
            let from_below =
                select(less(distance.clone(), Expr::i64(-reach)), distance.clone() + extent.clone(), distance.clone());
            let value = select(less(Expr::i64(reach), distance.clone()), distance.clone() - extent, from_below);
            before.push(Stmt::assign(*shortest, value));
            for (x, y) in [(Expr::i64(-reach), (*shortest).into()), ((*shortest).into(), Expr::i64(reach))] {
                condition = Expr::and(condition, Expr::binary(BinOp::LE, x, y));
            }
        }
        let kept = proc.arrays.push(ArrayData { elem, extents: kept, storage: Storage::Heap, name: None, span });
        let length = match rank {
            1 => ELEMENTS,
            2 => ROWS,
            _ => 1,
        };
        let next = NextTile {
            kept,
            to: sweep.to,
            from: sweep.from,
            distance: length + around(0),
            extent: (rank > 2 && sweep.reach[0].is_periodic).then(|| extents[0].clone()),
        };
        let tiles = Tiles { next: vec![next], over: BTreeSet::new() };
        Self { sweep, extents, kept, rows, ring, before, condition, tables: BTreeMap::new(), tiles }
    }

    /// The loop over the chunks that threads run.
    fn chunks(&mut self, proc: &mut Proc, values: &Values) -> Vec<Stmt> {
        let sweep = self.sweep;
        let [first_names, mut second_names] = [(); 2].map(|()| proc.fresh_names(sweep.own.clone()));
        let mut body = Vec::new();
        let (data, number, bounds) = match &sweep.chunks {
            Some(chunks) => {
                let data = proc.loops[chunks.id].clone();
                let number = data.var.expect("chunks are counted");
                second_names.insert(number, first_names[&number].clone());
                for names in [&first_names, &second_names] {
                    body.extend(chunks.before.iter().map(|stmt| stmt.renamed(names)));
                }
                (data, number.renamed(&first_names), chunks.bounds.map(|var| var.renamed(&first_names)))
            }
            None => {
                let [number, first, end] = [(); 3].map(|()| proc.index());
                let start = |number: Expr| {
                    let all = number * Expr::max(self.extents[0].clone(), Expr::i64(0));
                    Expr::binary(BinOp::DIV, all, Expr::Threads)
                };
                body.push(Stmt::assign(first, start(number.into())));
                body.push(Stmt::assign(end, start(Expr::Var(number) + Expr::i64(1))));
                let span = proc.loops[sweep.loops[0]].span;
                let work = |id: &Loop| match &proc.loops[*id].kind {
                    LoopKind::Independent { parallel: Some(parallel), .. } => Some(parallel.work.clone()),
                    _ => None,
                };
                let work = sweep.loops.iter().filter_map(work).reduce(|x, y| x + y);
                let parallel = work.map(|work| Parallel { work, irregular: false });
                let kind = LoopKind::Independent { parallel, simd: false, reductions: Vec::new() };
                let data = LoopData { upper: Expr::Threads, step: 1, kind, span, ..LoopData::default() };
                (data, number, [first, end])
            }
        };
        body.push(Stmt::Alloc { array: self.kept });
        let nests: Vec<Stmt> = sweep.loops.iter().map(|&id| Stmt::For(id)).collect();
        let mut steps = Steps { values, names: [first_names, second_names], nests, twice: self };
        body.extend(steps.tiles(proc, bounds));
        let [first_names, second_names] = steps.names;
        body.push(Stmt::Release { array: self.kept });
        if let Some(chunks) = &sweep.chunks {
            body.extend(chunks.after.iter().map(|stmt| stmt.renamed(&first_names)));
            for stmt in &chunks.after {
                let place = |array: Array, index: &[Expr]| Some((*self.tables.get(&array)?, index.to_vec()));
                body.push((with_accesses(stmt, &place)).renamed(&second_names));
            }
        }
        let mut kind = data.kind.clone();
        if let LoopKind::Independent { parallel: Some(parallel), .. } = &mut kind {
            parallel.work = parallel.work.clone() * Expr::i64(2);
        }
        vec![proc.add_loop(LoopData { var: Some(number), kind, body, ..data })]
    }
}

/// The state while the tiles of a chunk are built.
struct Steps<'t, 's> {
    values: &'t Values,
    /// Each step's own variables.
    names: [BTreeMap<Var, Expr>; 2],
    nests: Vec<Stmt>,
    twice: &'t mut Twice<'s>,
}

impl Steps<'_, '_> {
    /// The loops over the tiles of this range of rows or planes.
    fn tiles(&mut self, proc: &mut Proc, [first, end]: [Var; 2]) -> Vec<Stmt> {
        let extents = self.twice.extents.clone();
        let chunk = [first.into(), end.into()];
        let whole = |axis: usize| [Expr::i64(0), extents[axis].clone()];
        match extents.len() {
            1 => self.over(proc, 0, chunk, ELEMENTS, &mut |steps, proc, elements| {
                let mut body = steps.first(proc, &[0], vec![elements], Vec::new());
                body.extend(steps.step(proc, true, vec![counted(elements)]));
                body
            }),
            2 => self.over(proc, 1, whole(1), COLUMNS, &mut |steps, proc, columns| {
                steps.over(proc, 0, chunk.clone(), ROWS, &mut |steps, proc, rows| {
                    let mut body = steps.first(proc, &[0, 1], vec![rows, columns], Vec::new());
                    body.extend(steps.step(proc, true, vec![counted(rows), counted(columns)]));
                    body
                })
            }),
            _ => self.tiles_of_planes(proc, chunk),
        }
    }

    /// A loop over parts of an axis with this many rows, columns or elements.
    fn over(
        &mut self,
        proc: &mut Proc,
        axis: usize,
        [lower, upper]: [Expr; 2],
        length: i64,
        body: &mut dyn FnMut(&mut Self, &mut Proc, Part) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let block = Block::of_length(proc, length);
        let part = Part { first: block.first, end: block.end, origin: proc.index() };
        let mut stmts = vec![self.origin(proc, axis, part)];
        stmts.extend(body(self, proc, part));
        let header = LoopData { lower, upper, step: 1, span: proc.arrays[self.twice.kept].span, ..LoopData::default() };
        let made = block.over(proc, header, LoopKind::Sequential, stmts);
        self.twice.tiles.over.extend(loops_of(&made));
        made
    }

    fn origin(&self, proc: &Proc, axis: usize, part: Part) -> Stmt {
        let line = elements_of_line(proc, self.twice.sweep.to);
        Stmt::assign(part.origin, Expr::Var(part.first) - Expr::i64(before_first(self.twice.sweep, axis, line)))
    }

    /// Parts of rows of all planes, with a sweep over the planes.
    fn tiles_of_planes(&mut self, proc: &mut Proc, [first, end]: [Expr; 2]) -> Vec<Stmt> {
        let (sweep, ring) = (self.twice.sweep, self.twice.ring);
        let rows = self.twice.rows.expect("tiles of planes have rows");
        let (planes, all_rows) = (self.twice.extents[0].clone(), self.twice.extents[1].clone());
        let [block, plane, number, before] = [(); 4].map(|()| proc.index());
        let [part_first, part_end, origin] = [(); 3].map(|()| proc.index());
        let part = Part { first: part_first, end: part_end, origin };
        let reach = Expr::i64(sweep.reach[0].elements);
        let mut body = Vec::new();
        let along = if sweep.reach[0].is_periodic {
            body.push(Stmt::assign(number, Expr::binary(BinOp::FLOOR_MOD, plane.into(), planes)));
            body.push(Stmt::assign(before, Expr::Var(plane) - number.into()));
            Along { part: [number.into(), Expr::Var(number) + Expr::i64(1)], place: Place::InRing(before.into(), ring) }
        } else {
            body.push(Stmt::assign(number, Expr::max(plane.into(), Expr::i64(0))));
            body.push(Stmt::assign(before, Expr::min(Expr::Var(plane) + Expr::i64(1), planes)));
            Along { part: [number.into(), before.into()], place: Place::InRing(Expr::i64(0), ring) }
        };
        body.extend(self.first(proc, &[1], vec![part], vec![along]));
        let second = proc.index();
        body.push(Stmt::assign(second, Expr::Var(plane) - reach.clone()));
        let along =
            Along { part: [second.into(), Expr::Var(second) + Expr::i64(1)], place: Place::InRing(Expr::i64(0), ring) };
        let mut then = self.rows_around(second, part);
        then.extend(self.step(proc, true, vec![along, counted(part)]));
        body.push(Stmt::If {
            cond: Expr::binary(BinOp::LE, first.clone(), second.into()),
            then,
            otherwise: Vec::new(),
        });
        let span = proc.arrays[self.twice.kept].span;
        let over = |var: Var, lower: Expr, upper: Expr, body: Vec<Stmt>| LoopData {
            var: Some(var),
            lower,
            upper,
            step: 1,
            kind: LoopKind::Sequential,
            body,
            span,
        };
        let sweeping = proc.loops.push(over(plane, first - reach.clone(), end + reach, body));
        let body = vec![
            Stmt::assign(part.first, Expr::Var(block) * rows.into()),
            Stmt::assign(part.end, Expr::min(Expr::Var(part.first) + rows.into(), all_rows.clone())),
            self.origin(proc, 1, part),
            Stmt::For(sweeping),
        ];
        let blocks = proc.loops.push(over(block, Expr::i64(0), divided_up(all_rows, rows.into()), body));
        self.twice.tiles.over.extend([sweeping, blocks]);
        vec![Stmt::For(blocks)]
    }

    /// Prefetches the rows around this part of the plane that the first step reads next. The rows
    /// inside are prefetched while the second step stores.
    fn rows_around(&self, plane: Var, part: Part) -> Vec<Stmt> {
        let next = self.twice.tiles.next.first().expect("tiles follow each other");
        let plane = next.farther(plane.into());
        let around = 2 * self.twice.sweep.reach[1].elements;
        let [_, rows, rest @ ..] = &self.twice.extents[..] else { panic!("planes have rows") };
        let row = element_count(rest);
        let prefetch = |first: Expr| Stmt::Prefetch {
            array: next.from,
            offset: (plane.clone() * rows.clone() + first) * row.clone(),
            count: Expr::i64(around) * row.clone(),
            to_write: false,
        };
        vec![prefetch(Expr::Var(part.first) - Expr::i64(around)), prefetch(part.end.into())]
    }

    /// The first step for these parts of the axes, extended by the reach of the second step. The
    /// last argument gives the position on the axes before.
    fn first(&mut self, proc: &mut Proc, axes: &[usize], parts: Vec<Part>, along: Vec<Along>) -> Vec<Stmt> {
        let ([axis, axes @ ..], [part, parts @ ..]) = (axes, &parts[..]) else {
            return self.step(proc, false, along);
        };
        let axis = *axis;
        let (Reach { elements, is_periodic }, extent) =
            (self.twice.sweep.reach[axis], self.twice.extents[axis].clone());
        let [lower, upper, round, shift, place] = [(); 5].map(|()| proc.index());
        let first = Expr::Var(part.first) - Expr::i64(elements);
        let end = Expr::Var(part.end) + Expr::i64(elements);
        let mut along = along;
        along.push(Along { part: [lower.into(), upper.into()], place: Place::After(place.into()) });
        let inside = self.first(proc, axes, parts.to_vec(), along);
        let bounds = |shift: Expr| {
            [
                Stmt::assign(lower, Expr::max(first.clone() - shift.clone(), Expr::i64(0))),
                Stmt::assign(upper, Expr::min(end.clone() - shift.clone(), extent.clone())),
                Stmt::assign(place, shift - part.origin.into()),
            ]
        };
        if !is_periodic {
            return bounds(Expr::i64(0)).into_iter().chain(inside).collect();
        }
        // Elements beyond an end are one period earlier or later.
        let rounds = |number: Expr| Expr::binary(BinOp::FLOOR_DIV, number, extent.clone());
        let mut body = vec![Stmt::assign(shift, Expr::Var(round) * extent.clone())];
        body.extend(bounds(shift.into()));
        body.extend(inside);
        let span = proc.arrays[self.twice.kept].span;
        let data = LoopData {
            var: Some(round),
            lower: rounds(first.clone()),
            upper: rounds(end.clone() - Expr::i64(1)) + Expr::i64(1),
            step: 1,
            kind: LoopKind::Sequential,
            body,
            span,
        };
        let id = proc.loops.push(data);
        self.twice.tiles.over.insert(id);
        vec![Stmt::For(id)]
    }

    /// One of the two steps for a tile at this position.
    fn step(&mut self, proc: &mut Proc, is_second: bool, along: Vec<Along>) -> Vec<Stmt> {
        let own = &self.names[usize::from(is_second)];
        let (sweep, kept) = (self.twice.sweep, self.twice.kept);
        let names = own.clone();
        let mut step = Step { sweep, values: self.values, kept, is_second, along, own, names, planes: Vec::new() };
        let made = step.stmts(proc, &self.nests, &mut Vec::new());
        self.twice.tiles.over.extend(step.planes);
        made
    }
}

/// The whole of a part, where loops count from the origin of positions.
fn counted(part: Part) -> Along {
    Along { part: [part.first.into(), part.end.into()], place: Place::Counted(part.origin.into()) }
}

/// The number of positions before the first row, column or element of a part; along the last axis,
/// whole cache lines.
fn before_first(sweep: &Sweep, axis: usize, line: i64) -> i64 {
    let elements = sweep.reach[axis].elements;
    if axis + 1 == sweep.rank { (elements + line - 1) / line * line } else { elements }
}
