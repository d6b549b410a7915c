//! Views: the index maps of [`View`], on run-time values. They share memory and check that they stay in bounds.

use super::value::{ArrayValue, Datum};
use super::{Frame, Machine};
use crate::memory::element_count;
use crate::{RunError, broken};
use frit_ir::TensorData;
use frit_ir::array::{Value, View};

impl<'p> Machine<'p> {
    /// The array seen through a view; its shape is that of `result`.
    pub(super) fn view(&self, frame: &Frame<'p>, array: Value, view: &View, result: Value) -> Result<Datum, RunError> {
        let shape = frame.extents(&frame.func.values[result].ty.shape)?;
        let source = match frame.read(array)? {
            Datum::Array(source) => source.clone(),
            // A scalar can be repeated or reshaped like any array of one element.
            Datum::Scalar(scalar) => match Datum::dense(&self.memory, &[1], TensorData::splat(*scalar, 1))? {
                Datum::Array(single) => return self.view_of_scalar(&single, view, &shape),
                Datum::Undefined | Datum::Scalar(_) => broken!("an array of one element is an array"),
            },
            Datum::Undefined => broken!("{array} is used before it is defined"),
        };
        let extents: Vec<i64> = source.extents().collect();
        match view {
            View::Permute { axes } => {
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..source.rank()) {
                    broken!("{axes:?} is no permutation of {} axes", source.rank());
                }
                Ok(Datum::Array(source.permute(axes)))
            }
            View::Reshape => {
                if element_count(&shape)? != element_count(&extents)? {
                    broken!("a reshape from {extents:?} to {shape:?}");
                }
                source.reshape(&self.memory, &shape)
            }
            View::Slice { starts, steps } => {
                let starts = frame.ints(starts)?;
                let rank = source.rank();
                if starts.len() != rank || steps.len() != rank || shape.len() != rank {
                    broken!("a slice of {} axes, with {} starts and {} steps", rank, starts.len(), steps.len());
                }
                if !shape.contains(&0) {
                    for axis in 0..rank {
                        let last = steps[axis].checked_mul(shape[axis] - 1).and_then(|d| d.checked_add(starts[axis]));
                        let in_bounds = |at: i64| 0 <= at && at < extents[axis];
                        if !in_bounds(starts[axis]) || !last.is_some_and(in_bounds) {
                            broken!("a slice from {starts:?} by {steps:?} to {shape:?} leaves {extents:?}");
                        }
                    }
                }
                Ok(Datum::Array(source.slice(&starts, steps, &shape)))
            }
            View::Broadcast => {
                if !shape.ends_with(&extents) {
                    broken!("a broadcast from {extents:?} to {shape:?}");
                }
                Ok(Datum::Array(source.broadcast(&shape[..shape.len() - extents.len()])))
            }
        }
    }

    fn view_of_scalar(&self, single: &ArrayValue, view: &View, shape: &[i64]) -> Result<Datum, RunError> {
        match view {
            View::Reshape if element_count(shape)? == 1 => single.reshape(&self.memory, shape),
            View::Reshape => broken!("a reshape from a scalar to {shape:?}"),
            View::Broadcast => {
                let Some((&last, outer)) = shape.split_last() else {
                    return single.reshape(&self.memory, shape);
                };
                Ok(Datum::Array(single.slice(&[0], &[0], &[last]).broadcast(outer)))
            }
            View::Permute { .. } | View::Slice { .. } => {
                if !shape.is_empty() {
                    broken!("a view of a scalar with {} axes", shape.len());
                }
                single.reshape(&self.memory, shape)
            }
        }
    }
}
