//! Takes allocations out of loops.

use frit_ir::nest::Proc;

/// Moves the allocation of arrays whose size no iteration changes in front of the loop.
pub(crate) fn hoist_allocations(_proc: &mut Proc) {}
