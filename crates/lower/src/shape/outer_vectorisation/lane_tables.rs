//! Lane tables: iterations that run side by side keep their own rows of arrays in tables, in which
//! the elements of neighbouring lanes are adjacent.
//!
//! ```text
//! B = copy of row p of A; for i { B[i+1] = f(B[i], C[p, i]) }
//!     becomes   for i { U[i, l] = C[p, i] }; for i { T[i, l] = A[p, i] }
//!               for i { T[i+1, l] = f(T[i, l], U[i, l]) }
//!     where l is the lane of iteration p
//! ```
//!
//! Loops that must run in order along the rows then load and store vectors, and memory is read in
//! order. Tables replace arrays that an iteration allocates, rows that it only reads, and rows that
//! it writes from end to end before any other access.
//!
//! This module knows nothing of the array IR. [`crate::shape::outer_vectorisation`] uses it.

use crate::lowering::access::{Aliases, at_least_zero};
use crate::shape::facts::straight_line::{Place, assigned, entering, with_accesses};
use crate::shape::outer_vectorisation::{Part, straightened};
use frit_ir::nest::{Array, ArrayData, Expr, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Tables have at most this many times the elements that the loops along rows visit.
const MOST_UNUSED: i64 = 2;

/// The tables of some iterations.
pub(crate) struct Rows {
    tables: BTreeMap<Array, Table>,
}

/// The table for an iteration's own array, or for its row of an array.
struct Table {
    length: Expr,
    is_own: bool,
    /// True if the row is filled before any other access.
    is_copied: bool,
    stored: bool,
}

/// How an iteration accesses an array.
#[derive(Default)]
struct Access {
    indices: Vec<Vec<Expr>>,
    /// True if some access is in a loop.
    in_loops: bool,
    loaded: bool,
    stored: bool,
    is_copied: bool,
}

/// Elements that a copy reads or writes in full: the index of element j.
struct Stretch {
    array: Array,
    before: Vec<Expr>,
    offset: Expr,
}

/// An iteration whose accesses are analysed.
struct Iteration<'p> {
    proc: &'p Proc,
    var: Var,
    own: BTreeSet<Array>,
    /// Variables that may differ between lanes.
    varying: BTreeSet<Var>,
    found: BTreeMap<Array, Access>,
    fits: bool,
}

impl Rows {
    /// The tables for iterations `var`, this many side by side, and the condition under which they
    /// pay: they fit in this many bytes, and the loops need most of them. `None` if some array can
    /// be accessed neither in a table nor directly, or if no loop must run in order.
    pub(crate) fn of(
        proc: &Proc,
        var: Var,
        parts: &[Part],
        aliases: &Aliases,
        lanes: i64,
        most_bytes: i64,
    ) -> Option<(Self, Expr)> {
        let is_ordered = |part: &Part| match part {
            Part::For(LoopData { kind: LoopKind::Sequential, .. }, body) => is_recurrence(&straightened(body)),
            Part::For(..) | Part::Straight(_) | Part::While(_) | Part::Memory(_) => false,
        };
        if !parts.iter().any(is_ordered) {
            return None;
        }
        let own = parts.iter().filter_map(|part| match part {
            Part::Memory(Stmt::Alloc { array }) => Some(*array),
            _ => None,
        });
        let all: BTreeSet<Var> = assigned(&straightened(parts)).collect();
        let (own, varying, found) = (own.collect(), all.clone(), BTreeMap::new());
        let mut iteration = Iteration { proc, var, own, varying, found, fits: true };
        iteration.visit(parts, false);
        let Iteration { own, found, fits, .. } = iteration;
        let mut tables = BTreeMap::new();
        for (&array, access) in &found {
            let is_shared = found.keys().any(|&other| aliases.are_shared(array, other));
            let is_own = own.contains(&array);
            if !fits || (access.stored && is_shared) || (is_own && aliases.has_other_name(array)) {
                return None;
            }
            let Access { is_copied, stored, loaded, .. } = *access;
            let extents = &proc.arrays[array].extents;
            let length = match &extents[..] {
                [length] if is_own => length,
                [_, length] if !is_own && access.is_row_of(var) => length,
                _ if access.is_direct(var) && !is_own => continue,
                _ => return None,
            };
            // Arrays that are only stored to, or read outside of loops, need no table.
            if !is_own && !is_copied && (!loaded || (!stored && !access.in_loops)) {
                continue;
            }
            let is_fixed = !length.reads(var) && !length.has_load() && !length.reads_any(&all);
            if !is_fixed || (stored && !is_own && !is_copied) {
                return None;
            }
            tables.insert(array, Table { length: length.clone(), is_own, is_copied, stored });
        }
        let visited = parts.iter().filter_map(|part| match part {
            Part::For(header, _) => Some(at_least_zero(header.upper.clone() - header.lower.clone())),
            Part::Straight(_) | Part::While(_) | Part::Memory(_) => None,
        });
        let visited = visited.fold(Expr::i64(0), |sum, count| sum + count);
        let (mut elements, mut bytes) = (Expr::i64(0), Expr::i64(0));
        for (&array, table) in &tables {
            let length = at_least_zero(table.length.clone());
            let size = proc.arrays[array].elem.bytes() as i64 * lanes;
            bytes = bytes + length.clone() * Expr::i64(size);
            elements = elements + length;
        }
        let at_most = |x, y| Expr::binary(BinOp::LE, x, y);
        let is_used = at_most(elements, visited * Expr::i64(MOST_UNUSED * tables.len() as i64));
        let pays = Expr::binary(BinOp::AND, at_most(bytes, Expr::i64(most_bytes)), is_used);
        Some((Self { tables }, pays))
    }

    /// True if no array needs a table.
    pub(crate) fn are_none(&self) -> bool {
        self.tables.is_empty()
    }

    /// The parts with tables. The tables begin before the parts and end after them. `lane` is the
    /// index of a lane.
    pub(crate) fn in_tables(
        &self,
        proc: &mut Proc,
        var: Var,
        parts: &[Part],
        lane: Var,
        lanes: i64,
    ) -> (Vec<Part>, Vec<Array>) {
        let made = |(&array, table): (&Array, &Table)| {
            let extents = vec![table.length.clone(), Expr::i64(lanes)];
            let data = ArrayData { extents, storage: Storage::Heap, ..proc.arrays[array].clone() };
            (array, proc.arrays.push(data))
        };
        let made: BTreeMap<Array, Array> = self.tables.iter().map(made).collect();
        let place = |array: Array, index: &[Expr]| {
            let mut place = vec![index.last()?.clone()];
            place.push(lane.into());
            Some((*made.get(&array)?, place))
        };
        let row = |array: Array| Stretch { array, before: vec![var.into()], offset: Expr::i64(0) };
        let mut result = Vec::new();
        for (&array, table) in self.tables.iter().filter(|(_, table)| !table.is_own && !table.is_copied) {
            let filled = Stretch { array: made[&array], before: Vec::new(), offset: Expr::i64(0) };
            result.push(moved(proc, &table.length, &filled, &row(array), Some(lane), &|_, _| None));
        }
        for part in parts {
            match part {
                Part::Memory(Stmt::CopyElements { .. }) => {
                    let Some((target, source, length)) = copied(proc, var, part) else {
                        panic!("copies of other stretches have no tables")
                    };
                    result.push(moved(proc, &length, &target, &source, None, &place));
                }
                Part::Memory(_) => {}
                part => result.push(part.with_accesses(&place)),
            }
        }
        for (&array, table) in self.tables.iter().filter(|(_, table)| !table.is_own && table.stored) {
            let filled = Stretch { array: made[&array], before: Vec::new(), offset: Expr::i64(0) };
            result.push(moved(proc, &table.length, &row(array), &filled, Some(lane), &|_, _| None));
        }
        (result, made.into_values().collect())
    }
}

/// A loop that copies one stretch to the other. Tables have the lane as their last index.
fn moved(
    proc: &mut Proc,
    length: &Expr,
    target: &Stretch,
    source: &Stretch,
    lane: Option<Var>,
    place: &Place<'_>,
) -> Part {
    let var = proc.index();
    let index = |stretch: &Stretch| {
        let mut index = stretch.before.clone();
        index.push(stretch.offset.clone() + var.into());
        let rank = proc.arrays[stretch.array].extents.len();
        index.extend(lane.filter(|_| index.len() < rank).map(Expr::from));
        index
    };
    let value = Expr::Load { array: source.array, index: index(source) };
    let store = Stmt::Store { array: target.array, index: index(target), value };
    let header = LoopData {
        var: Some(var),
        lower: Expr::i64(0),
        upper: length.clone(),
        step: 1,
        kind: LoopKind::Sequential,
        body: Vec::new(),
        span: proc.arrays[target.array].span,
    };
    Part::For(header, vec![Part::Straight(vec![with_accesses(&store, place)])])
}

/// The stretches of a copy and their length. Each must be a row of the iteration, an array of its
/// own, or part of a vector.
fn copied(proc: &Proc, var: Var, part: &Part) -> Option<(Stretch, Stretch, Expr)> {
    let Part::Memory(Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: _ }) = part
    else {
        return None;
    };
    let length = proc.arrays[*target].extents.last()?.clone();
    let stretch = |array: Array, offset: &Expr| match &proc.arrays[array].extents[..] {
        [_] => Some(Stretch { array, before: Vec::new(), offset: offset.clone() }),
        [_, extent] if *offset == Expr::Var(var) * extent.clone() => {
            Some(Stretch { array, before: vec![var.into()], offset: Expr::i64(0) })
        }
        _ => None,
    };
    let (target, source) = (stretch(*target, target_offset)?, stretch(*source, source_offset)?);
    let is_whole = target.offset.as_i64() == Some(0) && [length.clone(), at_least_zero(length.clone())].contains(count);
    // The copy does not run past the end of a row.
    let fits = source.before.is_empty() || source_extent(proc, &source) == Some(&length);
    (is_whole && fits).then_some((target, source, length))
}

fn source_extent<'p>(proc: &'p Proc, stretch: &Stretch) -> Option<&'p Expr> {
    proc.arrays[stretch.array].extents.last()
}

impl Iteration<'_> {
    fn visit(&mut self, parts: &[Part], in_loops: bool) {
        for part in parts {
            match part {
                Part::Straight(code) => code.iter().for_each(|stmt| self.visit_stmt(stmt, in_loops)),
                Part::For(_, body) => self.visit(body, true),
                // The statement accesses no memory.
                Part::While(_) => {}
                Part::Memory(Stmt::Alloc { .. }) => {}
                Part::Memory(Stmt::Release { array }) => self.fits &= self.own.contains(array),
                Part::Memory(_) => match copied(self.proc, self.var, part) {
                    Some((target, source, _)) => {
                        let is_first = !self.found.contains_key(&target.array);
                        for (stretch, is_target) in [(source, false), (target, true)] {
                            let mut index = stretch.before;
                            index.push(stretch.offset);
                            let access = self.found.entry(stretch.array).or_default();
                            access.indices.push(index);
                            access.stored |= is_target;
                            access.loaded |= !is_target;
                            access.is_copied |= is_target && is_first;
                        }
                    }
                    None => self.fits = false,
                },
            }
        }
    }

    fn visit_stmt(&mut self, stmt: &Stmt, in_loops: bool) {
        let is_steady = |varying: &BTreeSet<Var>, expr: &Expr| !expr.has_load() && !expr.reads_any(varying);
        stmt.for_each_inner_expr(&mut |expr| {
            expr.for_each_load(&mut |array, index| {
                let access = self.found.entry(array).or_default();
                access.indices.push(index.to_vec());
                access.loaded = true;
                access.in_loops |= in_loops;
                self.fits &= !in_loops || index.iter().all(|e| is_steady(&self.varying, e));
            });
        });
        match stmt {
            Stmt::Store { array, index, value: _ } => {
                let access = self.found.entry(*array).or_default();
                access.indices.push(index.clone());
                access.stored = true;
                access.in_loops |= in_loops;
                self.fits &= !in_loops || index.iter().all(|e| is_steady(&self.varying, e));
            }
            Stmt::If { cond: _, then, otherwise } => {
                then.iter().chain(otherwise).for_each(|stmt| self.visit_stmt(stmt, in_loops));
            }
            // A value that is equal in all lanes makes the variable equal in all lanes, until its
            // next assignment.
            Stmt::Assign { var, value } => {
                if is_steady(&self.varying, value) && !value.reads(self.var) {
                    self.varying.remove(var);
                } else {
                    self.varying.insert(*var);
                }
            }
            _ => self.fits = false,
        }
    }
}

impl Access {
    /// True if all accesses are to the iteration's row.
    fn is_row_of(&self, var: Var) -> bool {
        self.indices.iter().all(|index| index[0] == Expr::Var(var) && !index[1].reads(var))
    }

    /// True if vectors can access the array directly: neighbouring lanes access adjacent elements
    /// or the same element, or all accesses are outside of loops.
    fn is_direct(&self, var: Var) -> bool {
        let is_plain = |index: &Vec<Expr>| {
            let Some((last, others)) = index.split_last() else { return true };
            others.iter().all(|e| !e.reads(var)) && (!last.reads(var) || last.is_shifted(var))
        };
        !self.in_loops || self.indices.iter().all(is_plain)
    }
}

/// True if steps of a loop with this body wait for earlier steps, other than by adding to the same
/// variables.
fn is_recurrence(code: &[Stmt]) -> bool {
    let all: BTreeSet<Var> = assigned(code).collect();
    let state: BTreeSet<Var> = entering(code).intersection(&all).copied().collect();
    let is_fold = |stmt: &Stmt| match stmt {
        Stmt::Assign { var, value: Expr::Binary { op: _, x, y } } if state.contains(var) => {
            let own = Expr::Var(*var);
            let other = if **x == own { y } else { x };
            (**x == own || **y == own) && !other.reads_any(&state)
        }
        stmt => !assigned(std::slice::from_ref(stmt)).any(|var| state.contains(&var)),
    };
    if !code.iter().all(is_fold) {
        return true;
    }
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    accesses(code, &mut loads, &mut stores);
    stores.iter().any(|(array, index)| loads.iter().any(|(other, at)| array == other && index != at))
}

type Accesses = Vec<(Array, Vec<Expr>)>;

/// The accesses of straight-line code. `while` loops in it have none.
fn accesses(code: &[Stmt], loads: &mut Accesses, stores: &mut Accesses) {
    for stmt in code.iter().filter(|stmt| !matches!(stmt, Stmt::While { .. })) {
        stmt.for_each_inner_expr(&mut |expr| {
            expr.for_each_load(&mut |array, index| {
                loads.push((array, index.to_vec()));
            });
        });
        if let Stmt::Store { array, index, value: _ } = stmt {
            stores.push((*array, index.clone()));
        }
        if let Stmt::If { cond: _, then, otherwise } = stmt {
            accesses(then, loads, stores);
            accesses(otherwise, loads, stores);
        }
    }
}
