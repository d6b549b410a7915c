//! How elements of an array value are found: in memory or by a formula, through the index maps of
//! views.
//!
//! Composed views are one affine map for each axis of their base. A read through any number of
//! views is therefore a single subscript.
//!
//! This module knows nothing of ownership: [`crate::lowering::storage`] says who owns memory.

use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, ArrayData, Binding, Expr, Loop, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How elements of an array value are found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Access {
    /// The base of the view.
    pub(crate) base: Base,
    /// For each axis of the base, the position of a view's element.
    pub(crate) axes: Vec<AxisMap>,
    /// The extents of the view.
    pub(crate) extents: Vec<Expr>,
}

/// What a view is a view of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base {
    /// An array in memory.
    Memory(Array),
    /// The array whose element `i` is `i`; it has one axis.
    Iota,
    /// The same scalar everywhere, without axes. The expression reads no memory.
    Fill(Expr),
    /// Another view in row-major order under these extents.
    Reshaped {
        /// The view with the elements.
        of: Rc<Access>,
        /// The extents of the base as this view sees it.
        extents: Rc<[Expr]>,
    },
}

/// The subscript of one axis: `offset + step * i`, `i` the index of a view's axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisMap {
    /// The constant part; reads no memory.
    pub(crate) offset: Expr,
    /// The view's axis and the step, if the subscript varies.
    pub(crate) term: Option<(usize, i64)>,
}

impl AxisMap {
    /// The subscript that is the index of axis `axis`.
    fn axis(axis: usize) -> Self {
        Self { offset: Expr::i64(0), term: Some((axis, 1)) }
    }

    fn at(&self, index: &[Expr]) -> Expr {
        match self.term {
            None => self.offset.clone(),
            Some((axis, step)) => {
                if step < 0 {
                    self.offset.clone() - Expr::i64(step.wrapping_neg()) * index[axis].clone()
                } else {
                    self.offset.clone() + Expr::i64(step) * index[axis].clone()
                }
            }
        }
    }
}

impl Access {
    /// The whole of an array in memory.
    pub(crate) fn whole(array: Array, extents: Vec<Expr>) -> Self {
        Self { base: Base::Memory(array), axes: (0..extents.len()).map(AxisMap::axis).collect(), extents }
    }

    /// `[0, 1, ..., n-1]`.
    pub(crate) fn iota(n: Expr) -> Self {
        Self { base: Base::Iota, axes: vec![AxisMap::axis(0)], extents: vec![n] }
    }

    /// The same scalar everywhere.
    pub(crate) fn fill(scalar: Expr, extents: Vec<Expr>) -> Self {
        Self { base: Base::Fill(scalar), axes: Vec::new(), extents }
    }

    /// The array in memory, if the base is one.
    pub(crate) fn memory(&self) -> Option<Array> {
        match &self.base {
            Base::Memory(array) => Some(*array),
            Base::Reshaped { of, .. } => of.memory(),
            Base::Iota | Base::Fill(_) => None,
        }
    }

    /// The element at an index.
    pub(crate) fn element(&self, index: &[Expr]) -> Expr {
        let subscripts = || self.axes.iter().map(|axis| axis.at(index)).collect::<Vec<_>>();
        match &self.base {
            Base::Memory(array) => Expr::Load { array: *array, index: subscripts() },
            Base::Iota => self.axes[0].at(index),
            Base::Fill(scalar) => scalar.clone(),
            Base::Reshaped { of, extents } => {
                let linear = linear_index(&subscripts(), extents);
                of.element(&unravel(linear, &of.extents))
            }
        }
    }

    /// The subscripts of an element in memory, if the base of the view is memory.
    pub(crate) fn place(&self, index: &[Expr]) -> Option<(Array, Vec<Expr>)> {
        match &self.base {
            Base::Memory(array) => Some((*array, self.axes.iter().map(|axis| axis.at(index)).collect())),
            Base::Iota | Base::Fill(_) | Base::Reshaped { .. } => None,
        }
    }

    /// The sub-array that the first indices select.
    pub(crate) fn part(&self, index: &[Expr]) -> Self {
        let fixed = index.len();
        let axes = self.axes.iter().map(|map| match map.term {
            Some((axis, step)) if axis >= fixed => AxisMap { term: Some((axis - fixed, step)), ..map.clone() },
            _ => AxisMap { offset: map.at(index), term: None },
        });
        Self { base: self.base.clone(), axes: axes.collect(), extents: self.extents[fixed..].to_vec() }
    }

    /// Axis `j` of the view is axis `axes[j]` of this one.
    pub(crate) fn permute(&self, axes: &[usize]) -> Self {
        let mut position = vec![0; axes.len()];
        for (to, &from) in axes.iter().enumerate() {
            position[from] = to;
        }
        let maps = self.axes.iter().map(|map| AxisMap {
            offset: map.offset.clone(),
            term: map.term.map(|(axis, step)| (position[axis], step)),
        });
        Self {
            base: self.base.clone(),
            axes: maps.collect(),
            extents: axes.iter().map(|&axis| self.extents[axis].clone()).collect(),
        }
    }

    /// Element `i` of an axis is element `start + step * i` of the same axis here.
    pub(crate) fn slice(&self, starts: &[Expr], steps: &[i64], extents: Vec<Expr>) -> Self {
        let maps = self.axes.iter().map(|map| match map.term {
            Some((axis, step)) => {
                AxisMap { offset: map.at(starts), term: Some((axis, step.wrapping_mul(steps[axis]))) }
            }
            None => map.clone(),
        });
        Self { base: self.base.clone(), axes: maps.collect(), extents }
    }

    /// Repeats the view along new outermost axes.
    pub(crate) fn broadcast(&self, extents: Vec<Expr>) -> Self {
        let new = extents.len() - self.extents.len();
        let maps = self
            .axes
            .iter()
            .map(|map| AxisMap { offset: map.offset.clone(), term: map.term.map(|(axis, step)| (axis + new, step)) });
        Self { base: self.base.clone(), axes: maps.collect(), extents }
    }

    /// The elements in row-major order under other extents, by arithmetic on indices.
    pub(crate) fn reshape(&self, extents: Vec<Expr>) -> Self {
        if self.extents == extents {
            return self.clone();
        }
        if let Base::Fill(scalar) = &self.base {
            return Self::fill(scalar.clone(), extents);
        }
        let shared: Rc<[Expr]> = extents.clone().into();
        let axes = (0..extents.len()).map(AxisMap::axis).collect();
        Self { base: Base::Reshaped { of: Rc::new(self.clone()), extents: shared }, axes, extents }
    }

    /// True if different indices are different places, so that the view may be written.
    pub(crate) fn is_injective(&self) -> bool {
        (0..self.extents.len()).all(|axis| {
            self.extents[axis].as_i64().is_some_and(|n| n <= 1)
                || self.axes.iter().any(|map| map.term.is_some_and(|(of, step)| of == axis && step != 0))
        })
    }

    /// The array and the number of the view's first element, if the view is contiguous in memory
    /// and in row-major order.
    pub(crate) fn contiguous(&self, proc: &Proc) -> Option<(Array, Expr)> {
        let (array, axes) = match &self.base {
            Base::Memory(array) => (*array, &self.axes),
            // The same elements in the same order, whatever the extents.
            Base::Reshaped { of, extents } => {
                let whole = self.extents[..] == extents[..]
                    && self.axes.iter().enumerate().all(|(at, map)| *map == AxisMap::axis(at));
                return if whole { of.contiguous(proc) } else { None };
            }
            Base::Iota | Base::Fill(_) => return None,
        };
        let stored = &proc.arrays[array].extents;
        let fixed = axes.iter().take_while(|map| map.term.is_none()).count();
        if axes.len() - fixed != self.extents.len() {
            return None;
        }
        let in_order = axes[fixed..].iter().enumerate().all(|(axis, map)| {
            map.term == Some((axis, 1))
                && (axis == 0 || (map.offset.as_i64() == Some(0) && self.extents[axis] == stored[fixed + axis]))
        });
        if !in_order {
            return None;
        }
        let first: Vec<Expr> = axes.iter().map(|map| map.offset.clone()).collect();
        let offset =
            if first.iter().all(|e| e.as_i64() == Some(0)) { Expr::i64(0) } else { linear_index(&first, stored) };
        Some((array, offset))
    }
}

/// The row-major number of an index.
pub(crate) fn linear_index(index: &[Expr], extents: &[Expr]) -> Expr {
    index.iter().zip(extents).fold(Expr::i64(0), |linear, (i, extent)| linear * extent.clone() + i.clone())
}

/// The index with this row-major number.
fn unravel(linear: Expr, extents: &[Expr]) -> Vec<Expr> {
    let mut index = vec![Expr::i64(0); extents.len()];
    let mut rest = linear;
    for axis in (1..extents.len()).rev() {
        // An element exists, so no extent is zero and no number is negative.
        index[axis] = Expr::binary(BinOp::REM, rest.clone(), extents[axis].clone());
        rest = Expr::binary(BinOp::DIV, rest, extents[axis].clone());
    }
    if let Some(first) = index.first_mut() {
        *first = rest;
    }
    index
}

/// The number of elements; negative extents count as zero.
pub(crate) fn element_count(extents: &[Expr]) -> Expr {
    extents.iter().fold(Expr::i64(1), |count, extent| count * at_least_zero(extent.clone()))
}

/// `extent`, or zero if it is negative.
pub(crate) fn at_least_zero(extent: Expr) -> Expr {
    match extent.as_i64() {
        Some(n) => Expr::i64(n.max(0)),
        None => Expr::binary(BinOp::MAX, extent, Expr::i64(0)),
    }
}

/// The quotient of numbers that are not negative, rounded up.
pub(crate) fn divided_up(x: Expr, by: Expr) -> Expr {
    Expr::binary(BinOp::DIV, x + (by.clone() - Expr::i64(1)), by)
}

/// The next multiple of `to`.
pub(crate) fn round_up(x: Expr, to: Expr) -> Expr {
    divided_up(x, to.clone()) * to
}

/// The loops inside a loop that asks for threads.
pub(crate) fn loops_in_teams(proc: &Proc) -> BTreeSet<Loop> {
    let mut found = BTreeSet::new();
    proc.for_each_loop(&proc.body, &mut |_, data| {
        if let LoopKind::Independent { parallel: Some(_), .. } = data.kind {
            proc.for_each_loop(&data.body, &mut |inner, _| _ = found.insert(inner));
        }
    });
    found
}

/// The array that the statement allocates, if it does.
pub(crate) fn allocated(stmt: &Stmt) -> Option<Array> {
    if let Stmt::Alloc { array } = stmt { Some(*array) } else { None }
}

/// How often the procedure assigns each scalar variable, not counting loop variables.
pub(crate) fn assignments(proc: &Proc) -> BTreeMap<Var, usize> {
    let mut found = BTreeMap::new();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        stmt.for_each_assigned(&mut |var| *found.entry(var).or_default() += 1);
    });
    found
}

/// How often the whole procedure reads each variable. Results count as one more read.
pub(crate) fn all_reads(proc: &Proc) -> BTreeMap<Var, usize> {
    let mut found = proc.count_reads(&proc.body);
    for result in &proc.results {
        if let Binding::Var(var) = result {
            *found.entry(*var).or_default() += 1;
        }
    }
    found
}

/// The arrays that these statements read, by the names used there.
pub(crate) fn arrays_read(proc: &Proc, body: &[Stmt]) -> BTreeSet<Array> {
    let mut found = BTreeSet::new();
    proc.for_each_load(body, &mut |array, _| _ = found.insert(array));
    proc.for_each_stmt(body, &mut |stmt| {
        stmt.for_each_array(&mut |array, role| {
            if matches!(role, Role::Read | Role::Passed) {
                found.insert(array);
            }
        });
    });
    found
}

/// Arrays whose memory may have another name.
pub(crate) fn shared_arrays(proc: &Proc) -> BTreeSet<Array> {
    let is_reference = |data: &ArrayData| matches!(data.storage, Storage::Reference);
    let mut shared: BTreeSet<Array> =
        proc.arrays.iter().filter(|(_, data)| is_reference(data)).map(|(array, _)| array).collect();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        if let Stmt::Bind { source, .. } = stmt {
            shared.insert(*source);
        }
    });
    shared
}

/// Which arrays may be the same memory.
pub(crate) struct Aliases {
    /// For each array, the number of its group of arrays that may share memory.
    sets: BTreeMap<Array, usize>,
    exchanged: BTreeSet<(Array, Array)>,
}

impl Aliases {
    pub(crate) fn of(proc: &Proc) -> Self {
        let mut sets: BTreeMap<Array, usize> = BTreeMap::new();
        let mut exchanged = BTreeSet::new();
        let mut count = 0;
        let mut join = |arrays: Vec<Array>| {
            let known: BTreeSet<usize> = arrays.iter().filter_map(|array| sets.get(array).copied()).collect();
            sets.values_mut().filter(|set| known.contains(set)).for_each(|set| *set = count);
            sets.extend(arrays.into_iter().map(|array| (array, count)));
            count += 1;
        };
        proc.for_each_stmt(&proc.body, &mut |stmt| {
            if let Stmt::Swap { first, second } = stmt {
                exchanged.extend([(*first, *second), (*second, *first)]);
            }
            // A call may return one of its arguments.
            let mut shared = Vec::new();
            stmt.for_each_array(&mut |array, role| {
                if matches!(role, Role::Shared | Role::Swapped | Role::Passed | Role::Bound) {
                    shared.push(array);
                }
            });
            if !shared.is_empty() {
                join(shared);
            }
        });
        Self { sets, exchanged }
    }

    /// True if another array may name its memory.
    pub(crate) fn has_other_name(&self, array: Array) -> bool {
        self.sets.contains_key(&array)
    }

    /// True if an exchange swaps the two. They never name the same memory at the same time,
    /// although each may name what the other one named before.
    pub(crate) fn are_exchanged(&self, x: Array, y: Array) -> bool {
        self.exchanged.contains(&(x, y))
    }

    /// True if the two are different arrays that may name the same memory, at once or in turn.
    pub(crate) fn are_shared(&self, x: Array, y: Array) -> bool {
        x != y && self.sets.get(&x).is_some_and(|set| self.sets.get(&y) == Some(set))
    }
}

/// A certificate: a scalar without bits.
pub(crate) fn certificate() -> Expr {
    Expr::Const(Const::Cert)
}
