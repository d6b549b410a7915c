//! Where the arguments of a function of Python are in memory, which its code is compiled for.
//!
//! - An array that fills its memory is passed where it is, whatever the order of its axes.
//! - A large array that skips some of the rows or columns of another one is passed as a part of that one, unless the function changes it.
//! - Of other arrays a copy is passed. What the function changes is written back.
//! - Arrays that share memory, of which the function changes one, are parts of one array.

use crate::argument::{Array, Value, addresses, data, item_size, type_number, writable};
use crate::error::CompileError;
use frit_driver::numpy::{Along, Layout};
use numpy::PyUntypedArrayMethods;
use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Bytes from which on code for the layout of an array is compiled: a copy takes longer than a call otherwise does.
const LARGE: usize = 1 << 20;

/// The arguments of a call in memory.
#[derive(Default)]
pub(crate) struct Placement {
    /// The layout of each argument. Empty if all are in C's order.
    pub(crate) layouts: Vec<Layout>,
    /// Arrays that arguments are parts of.
    pub(crate) wholes: Vec<Whole>,
    /// Per argument, where it begins along each axis of the array that it is a part of.
    pub(crate) starts: Vec<Vec<usize>>,
    /// The function changes the arrays that arguments are parts of.
    pub(crate) is_shared: bool,
}

/// An array that arguments are parts of: its elements fill its memory, in C's order.
pub(crate) struct Whole {
    /// The address of its first element.
    pub(crate) start: usize,
    pub(crate) shape: Vec<usize>,
    /// The arguments, by position.
    pub(crate) members: Vec<usize>,
}

/// An array that is a part of another one.
struct Part {
    along: Vec<Along>,
    axes: Vec<Option<usize>>,
    starts: Vec<usize>,
}

/// An array among the arguments, and whether the function changes it, perhaps as another argument.
struct Member<'a, 'py> {
    at: usize,
    array: &'a Array<'py>,
    is_changed: bool,
}

impl Placement {
    /// Of arguments that share no memory that the function changes. `may_be_part` tells which it does not change.
    pub(crate) fn apart(values: &[Value<'_>], may_be_part: impl Fn(usize) -> bool) -> Self {
        let mut placement = Self::default();
        for (at, value) in values.iter().enumerate() {
            let Some(array) = value.array().filter(|array| !is_plain(array) && is_native(array)) else { continue };
            let is_large = || array.len() * item_size(array) >= LARGE;
            if let Some(order) = dense_order(array) {
                placement.fill(values.len());
                placement.layouts[at] = Layout::Ordered(order);
            } else if may_be_part(at)
                && is_large()
                && reads_along_rows(array)
                && let Some((whole, parts)) = whole(&[(at, array)])
            {
                placement.fill(values.len());
                placement.add(whole, parts);
            }
        }
        placement
    }

    /// Of arguments that may share memory. `changes` tells which the function changes.
    ///
    /// # Errors
    ///
    /// They share memory in a way that no code is compiled for.
    pub(crate) fn shared(values: &[Value<'_>], changes: impl Fn(usize) -> bool) -> PyResult<Self> {
        let mut placement = Self { is_shared: true, ..Self::default() };
        placement.fill(values.len());
        let mut members: Vec<Member<'_, '_>> = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let Some(array) = value.array() else { continue };
            let is_changed = changes(at);
            match members.iter_mut().find(|member| is_same(member.array, array)) {
                Some(member) => {
                    placement.layouts[at] = Layout::Same(member.at);
                    member.is_changed |= is_changed;
                    if member.is_changed && !(is_writable(member.array) && is_writable(array)) {
                        return Err(refused(member.at, at, "one of them is read-only"));
                    }
                }
                None => members.push(Member { at, array, is_changed }),
            }
        }
        if let Some(member) = members.iter().find(|member| member.is_changed && may_repeat(member.array)) {
            writable(member.array)?;
            let message =
                format!("several indices of argument {} have one element, which the function changes", member.at + 1);
            return Err(CompileError::new_err(message));
        }
        // Each member has the number of the first that it shares memory with.
        let mut groups: Vec<usize> = (0..members.len()).collect();
        for one in 0..members.len() {
            for other in 0..one {
                let is_changed = members[one].is_changed || members[other].is_changed;
                if is_changed && groups[one] != groups[other] && share(members[one].array, members[other].array)? {
                    let (first, second) = (groups[one].min(groups[other]), groups[one].max(groups[other]));
                    groups.iter_mut().filter(|group| **group == second).for_each(|group| *group = first);
                }
            }
        }
        for first in 0..members.len() {
            let group: Vec<&Member<'_, '_>> =
                members.iter().zip(&groups).filter(|(_, group)| **group == first).map(|(member, _)| member).collect();
            match &group[..] {
                [] => {}
                [member] => {
                    if let Some(order) = dense_order(member.array).filter(|_| is_native(member.array)) {
                        let is_in_order = order.is_sorted();
                        placement.layouts[member.at] = if is_in_order { Layout::C } else { Layout::Ordered(order) };
                    }
                }
                [member, second, ..] => {
                    let refuse = |why| refused(member.at, second.at, why);
                    if group.iter().any(|other| type_number(other.array) != type_number(member.array)) {
                        return Err(refuse("their elements differ in type"));
                    }
                    if !group.iter().all(|member| is_writable(member.array)) {
                        return Err(refuse("one of them is read-only"));
                    }
                    let arrays: Vec<_> = group.iter().map(|member| (member.at, member.array)).collect();
                    let is_native = group.iter().all(|member| is_native(member.array));
                    let (whole, parts) = (is_native.then(|| whole(&arrays)).flatten())
                        .ok_or_else(|| refuse("they are not both parts of one array"))?;
                    placement.add(whole, parts);
                }
            }
        }
        Ok(placement)
    }

    /// Adds what code depends on to the key of a version.
    pub(crate) fn describe(&self, key: &mut Vec<u64>) {
        for (at, layout) in self.layouts.iter().enumerate().filter(|(_, layout)| **layout != Layout::C) {
            let mut hasher = DefaultHasher::new();
            (at, layout).hash(&mut hasher);
            key.push(hasher.finish());
        }
    }

    /// The layout of an argument.
    pub(crate) fn layout(&self, at: usize) -> Layout {
        self.layouts.get(at).cloned().unwrap_or_default()
    }

    fn fill(&mut self, count: usize) {
        self.layouts.resize(count, Layout::C);
        self.starts.resize(count, Vec::new());
    }

    fn add(&mut self, whole: Whole, parts: Vec<Part>) {
        for (&at, Part { along, axes, starts }) in whole.members.iter().zip(parts) {
            self.layouts[at] = Layout::Part { whole: self.wholes.len(), along, axes };
            self.starts[at] = starts;
        }
        self.wholes.push(whole);
    }
}

fn refused(one: usize, other: usize, why: &str) -> PyErr {
    let (first, second) = (one.min(other) + 1, one.max(other) + 1);
    CompileError::new_err(format!(
        "arguments {first} and {second} share memory, the function changes one of them, and {why}; pass a copy of one"
    ))
}

/// True if the elements are where and as the processor takes them.
pub(crate) fn is_native(array: &Array<'_>) -> bool {
    // SAFETY: the object is an array, and holds its descriptor.
    let (flags, order) = unsafe {
        let fields = &(*array.as_array_ptr()).fields;
        (fields.flags, (*fields.descr).fields.byteorder as u8)
    };
    flags & numpy::npyffi::NPY_ARRAY_ALIGNED != 0 && matches!(order, b'=' | b'|')
}

/// True if the elements are contiguous in C's order, and as the processor takes them.
pub(crate) fn is_plain(array: &Array<'_>) -> bool {
    // SAFETY: the object is an array.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & numpy::npyffi::NPY_ARRAY_C_CONTIGUOUS != 0 && is_native(array)
}

fn is_writable(array: &Array<'_>) -> bool {
    // SAFETY: the object is an array.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// They are the same elements at the same indices.
fn is_same(one: &Array<'_>, other: &Array<'_>) -> bool {
    let strides = || one.strides().iter().zip(other.strides()).zip(one.shape());
    data(one) == data(other)
        && type_number(one) == type_number(other)
        && one.shape() == other.shape()
        && strides().all(|((one, other), &extent)| one == other || extent == 1)
}

/// True if elements of both are at one address, or if that takes too long to tell.
fn share(one: &Array<'_>, other: &Array<'_>) -> PyResult<bool> {
    let (first, second) = (addresses(one), addresses(other));
    if first.end <= second.start || second.end <= first.start {
        return Ok(false);
    }
    let numpy = one.py().import("numpy")?;
    match numpy.call_method1("shares_memory", (one, other, 1 << 20)) {
        Ok(found) => found.is_truthy(),
        Err(_) => Ok(true),
    }
}

/// True if several indices may have one element.
pub(crate) fn may_repeat(array: &Array<'_>) -> bool {
    let mut axes: Vec<(usize, usize)> =
        array.strides().iter().map(|stride| stride.unsigned_abs()).zip(array.shape().iter().copied()).collect();
    axes.retain(|&(_, extent)| extent != 1);
    axes.sort_unstable();
    let mut reach = item_size(array);
    !array.is_empty()
        && axes.iter().any(|&(stride, extent)| {
            let is_inside = stride < reach;
            reach += stride * (extent - 1);
            is_inside
        })
}

/// The order of the axes in memory, from the outermost to the innermost, if the elements fill it.
fn dense_order(array: &Array<'_>) -> Option<Vec<usize>> {
    let (shape, strides) = (array.shape(), array.strides());
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(if shape[axis] == 1 { isize::MAX } else { strides[axis] }));
    let mut wanted = item_size(array);
    for &axis in order.iter().rev().filter(|&&axis| shape[axis] != 1) {
        if usize::try_from(strides[axis]) != Ok(wanted) {
            return None;
        }
        wanted *= shape[axis];
    }
    Some(order)
}

/// True if neighbours along some axis are neighbours in memory: then vectors are loaded as from a plain array.
fn reads_along_rows(array: &Array<'_>) -> bool {
    let item = item_size(array);
    array.strides().iter().zip(array.shape()).any(|(stride, &extent)| extent > 1 && stride.unsigned_abs() == item)
}

/// An array that these, which have elements of one type, are parts of: with as few axes and rows as have them all.
fn whole(arrays: &[(usize, &Array<'_>)]) -> Option<(Whole, Vec<Part>)> {
    let item = item_size(arrays[0].1);
    let memory = memory(arrays)?;
    let strides = arrays.iter().flat_map(|(_, array)| array.strides().iter().zip(array.shape()));
    let distances: BTreeSet<usize> =
        strides.filter(|&(_, &extent)| extent != 1).map(|(stride, _)| stride.unsigned_abs()).collect();
    let distances: Vec<usize> = distances.into_iter().rev().filter(|&distance| distance > item).collect();
    let mut choices: Vec<usize> = (0..1usize << distances.len().min(6)).collect();
    choices.sort_by_key(|choice| choice.count_ones());
    choices.into_iter().find_map(|choice| {
        let chosen = (0..distances.len()).filter(|at| choice >> at & 1 == 1).map(|at| distances[at]);
        parts(arrays, &memory, &chosen.chain([item]).collect::<Vec<_>>())
    })
}

/// The arrays as parts of one in this memory, whose neighbours along each axis are so far apart, in bytes.
fn parts(arrays: &[(usize, &Array<'_>)], memory: &Range<usize>, strides: &[usize]) -> Option<(Whole, Vec<Part>)> {
    if strides.windows(2).any(|pair| pair[0] % pair[1] != 0) {
        return None;
    }
    let first = arrays.iter().map(|(_, array)| addresses(array).start).min()?;
    let end = arrays.iter().map(|(_, array)| addresses(array).end).max()?;
    let start = first - (first - memory.start) % strides[0];
    let rows = (end - start).div_ceil(strides[0]);
    if start + rows * strides[0] > memory.end {
        return None;
    }
    let shape: Vec<usize> = [rows].into_iter().chain(strides.windows(2).map(|pair| pair[0] / pair[1])).collect();
    let mut parts = Vec::new();
    for (_, array) in arrays {
        let (axes, starts) = place(array, start, &shape, strides)?;
        let along = (0..shape.len()).map(|of| {
            let axis = axes.iter().position(|&axis| axis == Some(of));
            let step = axis.map_or(1, |axis| array.strides()[axis] / strides[of] as isize);
            let is_all = step == 1 && axis.is_some_and(|axis| array.shape()[axis] == shape[of]);
            if is_all { Along::All } else { Along::Steps(step as i64) }
        });
        parts.push(Part { along: along.collect(), axes, starts });
    }
    let members = arrays.iter().map(|&(at, _)| at).collect();
    Some((Whole { start, shape, members }, parts))
}

/// Memory that these arrays are in: that of the array which they are views of, or else that between their elements.
fn memory(arrays: &[(usize, &Array<'_>)]) -> Option<Range<usize>> {
    let first = arrays.iter().map(|(_, array)| addresses(array).start).min()?;
    let end = arrays.iter().map(|(_, array)| addresses(array).end).max()?;
    let mut found = first..end;
    let mut array = arrays[0].1.clone();
    loop {
        let range = addresses(&array);
        if dense_order(&array).is_some() && range.start <= first && end <= range.end {
            found = range;
        }
        // SAFETY: the object is an array, and holds its base.
        let base = unsafe { (*array.as_array_ptr()).fields.base };
        if base.is_null() {
            return Some(found);
        }
        // SAFETY: as above.
        let base = unsafe { Bound::from_borrowed_ptr(array.py(), base) };
        match base.cast_into::<numpy::PyUntypedArray>() {
            Ok(next) => array = next,
            Err(_) => return Some(found),
        }
    }
}

/// For each axis of an array, the axis of the whole that it is along, and where it begins along those.
fn place(
    array: &Array<'_>,
    start: usize,
    shape: &[usize],
    strides: &[usize],
) -> Option<(Vec<Option<usize>>, Vec<usize>)> {
    let mut offset = (data(array) as usize).checked_sub(start)?;
    let mut starts = Vec::new();
    for &stride in strides {
        starts.push(offset / stride);
        offset %= stride;
    }
    let mut axes = Vec::new();
    for (&extent, &stride) in array.shape().iter().zip(array.strides()) {
        if extent == 1 {
            axes.push(None);
            continue;
        }
        let fits = |of: &usize| {
            let step = stride / strides[*of] as isize;
            let last = starts[*of] as isize + step * (extent as isize - 1);
            stride % strides[*of] as isize == 0 && (0..shape[*of] as isize).contains(&last)
        };
        let of = (0..shape.len()).find(|of| stride != 0 && !axes.contains(&Some(*of)) && fits(of))?;
        axes.push(Some(of));
    }
    (offset == 0).then_some((axes, starts))
}
