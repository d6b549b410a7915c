//! Non-temporal stores: loops write large arrays to memory past the caches. A normal store would
//! first read each line, and then keep it in vain.
//!
//! ```text
//! for i { D[i] = e(i) }
//!     becomes   if the bytes stored are many { D from e, past the caches }
//!               else { the loop as it was }
//! ```
//!
//! Two sorts of arrays qualify:
//!
//! - results of the program that the program never reads;
//! - arrays in time loops that nothing reads within the sweep over them (the enclosing independent
//!   loops). The next step first reads the beginning of the array, which the caches have lost when
//!   the sweep ends.
//!
//! 3-D rows, which are short and are read again soon, keep normal stores. So do loops that are not
//! limited by memory.
//!
//! Only whole cache lines go past the caches: single lines from
//! [vectors](crate::shape::nontemporal_stores::lines), or [blocks] of several lines. Blocks serve
//! short rows and rows that are computed side by side. A scan that only stores its accumulator uses
//! non-temporal stores itself.
//!
//! While lines are written, the loop prefetches what it reads next
//! ([`crate::shape::software_prefetch`]). This module knows nothing of the array IR.

pub(crate) mod blocks;
pub(crate) mod lines;

use crate::lowering::access::{Aliases, arrays_read};
use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::straight_line::{assigned, each_store, is_straight, mentions_of};
use crate::shape::facts::unaliased::Memory;
use crate::shape::nontemporal_stores::blocks::in_blocks;
use crate::shape::nontemporal_stores::lines::{are_worth_it, elements_of_lines, in_lines};
use crate::shape::rewrite::strip_mining::kinds_in_blocks;
use crate::shape::software_prefetch::NextRows;
use crate::shape::temporal_blocking::double_sweep::Tiles;
use crate::shape::vectorisation::Values;
use crate::steps::{COMPUTES_MUCH, Decisions};
use frit_ir::nest::{Array, Binding, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Rows with fewer elements do not pay. The first part of a row in a tile may be a line shorter
/// than a block.
const LEAST: i64 = 64;
/// Loops with at most this many iterations are blocks of other loops.
const FEW: i64 = 1024;
/// A loop over at most this many rows does not sweep over a large array.
const FEW_ROWS: i64 = 4;
/// The fraction of the last-level cache for rows that wait to be read; threads share it.
const ROWS_OF_CACHE: i64 = 8;
/// Bodies that cost more are not limited by memory.
const LARGEST_COST: i64 = 24;

/// Uses non-temporal stores for arrays that do not fit in the last-level cache.
pub(crate) fn use_nontemporal_stores(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let (cache_bytes, tiles) = (decisions.options.caches.last, std::mem::take(decisions.tiles));
    let tiles = &tiles;
    let results = if decisions.is_entry { written_only(proc) } else { BTreeSet::new() };
    let sweeps = Sweeps::of(proc, tiles);
    let (values, aliases) = (Values::of(proc), Aliases::of(proc));
    let is_large = |id: Loop, array: Array, at_once: i64, has_next_rows: bool| {
        if tiles.next.iter().any(|next| next.kept == array) {
            return None;
        }
        let elem = Expr::i64(i64::try_from(proc.arrays[array].elem.bytes()).expect("elements are small"));
        // A loop typically reads as much as it stores, and other data take an eighth of the cache.
        // The cache keeps a part of what the next sweep reads until it is full. With prefetched
        // rows that part is not needed, so reads and stores may fill the cache.
        let (least_bytes, counts) = match results.contains(&array) {
            true => (cache_bytes / 16 * 7, proc.arrays[array].extents.clone()),
            false => {
                let least_bytes = if has_next_rows { cache_bytes / 2 } else { cache_bytes / 32 * 31 };
                (least_bytes, [sweeps.iterations(proc, id, array)?, vec![Expr::i64(at_once)]].concat())
            }
        };
        let bytes = counts.into_iter().fold(elem, |bytes, count| bytes * count);
        Some(Expr::binary(BinOp::LE, Expr::i64(least_bytes), bytes))
    };
    // A loop over few rows may be what a loop over blocks of rows leaves over.
    let has_few = |id: Loop, most: i64| values.has_at_most(&proc.loops[id], most) || values.is_short(&proc.loops[id]);
    let mut chosen: BTreeMap<Loop, (Storing, Vec<NextRows>)> = (proc.loops.indices())
        .filter(|&id| !has_few(id, FEW) && !sweeps.around.get(&id).is_some_and(|&rows| has_few(rows, FEW_ROWS)))
        .filter_map(|id| {
            let next = sweeps.next_rows(proc, &values, id, cache_bytes / ROWS_OF_CACHE);
            let is_large = |array, at_once| is_large(id, array, at_once, !next.is_empty());
            let storing = Storing::of(proc, id, &aliases, is_large)?;
            Some((id, (storing, next)))
        })
        .collect();
    let memory = Memory::of(proc);
    let what = "stores past the caches (non-temporal) where its arrays do not fit into them";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let (storing, next) = chosen.remove(&id)?;
        if !storing.is_cheap(proc, id) {
            decisions.not_worth(proc, id, COMPUTES_MUCH);
            return None;
        }
        Some(storing.streaming(proc, id, &next, &memory))
    });
}

/// The result arrays that nothing in the procedure reads and that have no other name.
fn written_only(proc: &Proc) -> BTreeSet<Array> {
    let is_heap = |array: &Array| matches!(proc.arrays[*array].storage, Storage::Heap);
    let (aliases, read) = (Aliases::of(proc), arrays_read(proc, &proc.body));
    (proc.results.iter())
        .filter_map(|result| match result {
            Binding::Array(array) => Some(*array),
            Binding::Var(_) => None,
        })
        .filter(|array| is_heap(array) && !aliases.has_other_name(*array) && !read.contains(array))
        .collect()
}

/// The loops that time loops run repeatedly, and the loops around each loop.
struct Sweeps<'t> {
    tiles: &'t Tiles,
    around: BTreeMap<Loop, Loop>,
    repeated: BTreeMap<Loop, Repeated>,
}

/// What an independent loop reads and stores, if it runs repeatedly.
struct Repeated {
    read: BTreeSet<Array>,
    changed: BTreeSet<Var>,
}

impl<'t> Sweeps<'t> {
    fn of(proc: &Proc, tiles: &'t Tiles) -> Self {
        let mut sweeps = Self { around: BTreeMap::new(), repeated: BTreeMap::new(), tiles };
        let each_inside = |body: &[Stmt], f: &mut dyn FnMut(Loop)| {
            proc.for_each_stmt(body, &mut |stmt| {
                if let Stmt::For(id) = stmt {
                    f(*id);
                }
            });
        };
        let mut again = BTreeSet::new();
        proc.for_each_stmt(&proc.body, &mut |stmt| match stmt {
            Stmt::For(outer) => {
                let data = &proc.loops[*outer];
                let in_order = matches!(data.kind, LoopKind::Sequential);
                each_inside(&data.body, &mut |inner| {
                    // A statement comes before those inside it, so the last entry is the nearest
                    // loop.
                    sweeps.around.insert(inner, *outer);
                    if in_order {
                        again.insert(inner);
                    }
                });
            }
            Stmt::While { body, .. } => each_inside(body, &mut |inner| _ = again.insert(inner)),
            _ => {}
        });
        let is_sweep =
            |id: &Loop| matches!(proc.loops[*id].kind, LoopKind::Independent { .. }) || tiles.over.contains(id);
        again.retain(is_sweep);
        sweeps.repeated.extend(again.into_iter().map(|id| (id, Repeated::of(proc, &proc.loops[id].body))));
        sweeps
    }

    /// The trip counts of the enclosing loops that sweep over an array, from the given loop
    /// outwards. These are independent loops that do not read the array. `None` if the caches still
    /// need the array, or if it is stored once.
    fn iterations(&self, proc: &Proc, id: Loop, array: Array) -> Option<Vec<Expr>> {
        // A loop that reads nothing initialises tables that others update.
        if self.repeated.get(&id)?.read.is_empty() {
            return None;
        }
        let mut counts = Vec::new();
        let mut next = Some(id);
        while let Some((data, repeated)) = next.and_then(|id| Some((&proc.loops[id], self.repeated.get(&id)?))) {
            let is_bound = |expr: &Expr| !expr.has_load() && !expr.reads_any(&repeated.changed);
            if !is_bound(&data.lower) || !is_bound(&data.upper) || repeated.read.contains(&array) {
                break;
            }
            let count = data.upper.clone() - data.lower.clone();
            counts.push(if data.step == 1 { count } else { Expr::binary(BinOp::DIV, count, Expr::i64(data.step)) });
            next = next.and_then(|id| self.around.get(&id).copied());
        }
        let is_window = counts.len() == 1 && self.is_row_of_cube(proc, id, next);
        (!counts.is_empty() && !is_window).then_some(counts)
    }

    /// True if the loop makes a row of an array with two more axes: its code uses the variables of
    /// at least two enclosing loops. Such rows are short, and stay in the caches until they are
    /// read.
    fn is_row_of_cube(&self, proc: &Proc, id: Loop, outer: Option<Loop>) -> bool {
        let mentions = mentions_of(&proc.loops[id].body);
        let is_axis = |id: &Loop| proc.loops[*id].var.is_some_and(|var| mentions.contains_key(&var));
        std::iter::successors(outer, |id| self.around.get(id).copied()).filter(is_axis).count() >= 2
    }

    /// The rows that the loops around this one read next. Caches keep at most this many bytes of
    /// them.
    fn next_rows(&self, proc: &Proc, values: &Values, id: Loop, most_bytes: i64) -> Vec<NextRows> {
        // A loop that reads the array kept in tiles stores what the last step of the tile has read
        // before.
        let read = arrays_read(proc, &proc.loops[id].body);
        if let Some(next) = self.tiles.next.iter().find(|next| read.contains(&next.kept)) {
            return NextRows::of_next_tile(&proc.loops[id], next).into_iter().collect();
        }
        let around: Vec<&LoopData> = std::iter::successors(Some(id), |id| self.around.get(id).copied())
            .take(4)
            .map(|id| &proc.loops[id])
            .collect();
        let own = match around[..] {
            [along, over, ..] => NextRows::of(proc, values, around.get(2).copied(), [over, along], most_bytes),
            _ => None,
        };
        let of_band = match around[..] {
            [along, rows, bands] => NextRows::of_band(proc, values, [bands, rows, along], None, most_bytes),
            [along, rows, inner, outer] => NextRows::of_band(proc, values, [inner, rows, along], None, most_bytes)
                .or_else(|| NextRows::of_band(proc, values, [outer, rows, along], Some(inner), most_bytes)),
            _ => None,
        };
        own.into_iter().chain(of_band).collect()
    }
}

impl Repeated {
    fn of(proc: &Proc, body: &[Stmt]) -> Self {
        let mut changed = BTreeSet::new();
        proc.for_each_stmt(body, &mut |stmt| stmt.for_each_assigned(&mut |var| _ = changed.insert(var)));
        Self { read: arrays_read(proc, body), changed }
    }
}

/// True if the store could be the last statement of the body: nothing after it reads the memory or
/// stores to it under another name.
fn may_be_stored_last(proc: &Proc, body: &[Stmt], array: Array, aliases: &Aliases) -> bool {
    let is_own = |stmt: &Stmt| matches!(stmt, Stmt::Store { array: stored, .. } if *stored == array);
    let after = body.iter().position(is_own).map_or(body, |at| &body[at + 1..]);
    let mut others = arrays_read(proc, after);
    each_store(body, &mut |stored, _| _ = others.insert(stored));
    !others.iter().any(|&other| aliases.are_shared(array, other))
}

/// A loop for vectors that stores to large arrays at consecutive elements.
pub(crate) struct Storing {
    pub(crate) var: Var,
    pub(crate) reductions: Vec<Reduction>,
    /// The kinds of the loop over blocks or lines, and of the loop inside.
    pub(crate) kinds: (LoopKind, LoopKind),
    /// The places that an iteration stores to.
    pub(crate) places: Vec<(Array, Vec<Expr>)>,
    /// The condition that each array is too large for the caches.
    condition: Expr,
}

impl Storing {
    /// `is_large` gives the condition that an array is too large for the caches, where an iteration
    /// stores this many of its elements.
    fn of(proc: &Proc, id: Loop, aliases: &Aliases, is_large: impl Fn(Array, i64) -> Option<Expr>) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(var), 1) = (data.var, data.step) else { return None };
        let reductions = match &data.kind {
            LoopKind::Independent { simd: true, reductions, .. } | LoopKind::Scan { simd: true, reductions, .. } => {
                reductions.clone()
            }
            LoopKind::Sequential | LoopKind::Independent { .. } | LoopKind::Scan { .. } => return None,
        };
        let kinds = kinds_in_blocks(&data.kind)?;
        if !data.body.iter().all(|stmt| is_straight(stmt, true)) {
            return None;
        }
        let own: BTreeSet<Var> = assigned(&data.body).collect();
        let is_fixed = |e: &Expr| !e.has_load() && !e.reads_any(&own);
        if !is_fixed(&data.lower) || !is_fixed(&data.upper) {
            return None;
        }
        let mut places: Vec<(Array, Vec<Expr>)> = Vec::new();
        for stmt in &data.body {
            let Stmt::Store { array, index, .. } = stmt else { continue };
            let Some((last, others)) = index.split_last() else { continue };
            let is_beside = last.is_shifted(var) && !others.iter().any(|e| e.reads(var)) && index.iter().all(is_fixed);
            let is_memory = matches!(proc.arrays[*array].storage, Storage::Heap | Storage::Reference);
            if is_memory && is_beside {
                places.push((*array, index.clone()));
            }
        }
        let mut stored: BTreeMap<Array, Expr> = BTreeMap::new();
        for array in places.iter().map(|(array, _)| *array).collect::<BTreeSet<_>>() {
            let here = places.iter().fold(0, |count, (other, _)| count + i64::from(*other == array));
            // All stores to it go to one of these places, on every path.
            let mut count = 0;
            each_store(&data.body, &mut |other, _| count += i64::from(other == array));
            if here == count && may_be_stored_last(proc, &data.body, array, aliases) {
                stored.extend(is_large(array, here).map(|condition| (array, condition)));
            }
        }
        places.retain(|(array, _)| stored.contains_key(array));
        let condition = stored.into_values().reduce(|x, y| Expr::binary(BinOp::AND, x, y))?;
        Some(Self { var, reductions, kinds, places, condition })
    }

    /// True if the loop is limited by memory, not by computation.
    fn is_cheap(&self, proc: &Proc, id: Loop) -> bool {
        let places = i64::try_from(self.places.len()).unwrap_or(i64::MAX);
        cost(proc, &proc.loops[id].body) <= LARGEST_COST.saturating_mul(places)
    }

    pub(crate) fn has_place_in(&self, array: Array) -> bool {
        self.places.iter().any(|(other, _)| *other == array)
    }

    pub(crate) fn accumulators(&self) -> Vec<Var> {
        self.reductions.iter().map(|reduction| reduction.var).collect()
    }

    /// A loop around parts of this loop that one thread runs.
    pub(crate) fn reducing(&self) -> LoopKind {
        LoopKind::Independent { parallel: None, simd: false, reductions: self.reductions.clone() }
    }

    /// The loop, and the version for large arrays and long rows. `next_rows` are the rows that the
    /// next iterations of enclosing loops read.
    fn streaming(&self, proc: &mut Proc, id: Loop, next_rows: &[NextRows], memory: &Memory) -> Vec<Stmt> {
        let data = proc.loops[id].clone();
        let is_long = Expr::binary(BinOp::LE, data.lower.clone() + Expr::i64(LEAST), data.upper.clone());
        let then = match elements_of_lines(proc, self, id, memory) {
            Some(elements) => {
                let then = in_lines(proc, self, &data, elements, next_rows);
                match are_worth_it(proc, self, &data) {
                    Some(cond) => vec![Stmt::If { cond, then, otherwise: in_blocks(proc, self, &data, next_rows) }],
                    None => then,
                }
            }
            None => in_blocks(proc, self, &data, next_rows),
        };
        let cond = Expr::binary(BinOp::AND, self.condition.clone(), is_long);
        vec![Stmt::If { cond, then, otherwise: vec![Stmt::For(id)] }]
    }
}
