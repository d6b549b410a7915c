//! The shape of cells that no index has.

use super::Machine;
use crate::sac::core::With;

impl Machine<'_> {
    /// The shape that cells of an operation would have: an array without rows has row sizes all the same. As far as it can be
    /// told without an index; else cells are scalars.
    pub(super) fn unseen_cell_shape(&mut self, _with: &With, _operation: usize) -> Vec<usize> {
        Vec::new()
    }
}
