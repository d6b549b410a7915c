//! Values from and to tensors, for callers outside of the language.

use super::value::{Layouts, Value};
use crate::sac::core::{Elem, Program};
use frit_ir::Tensor;
use std::sync::Arc;

impl Value {
    /// The value of this element type that consists of these tensors, as [`Program::leaves`] says: their shapes are that of the value
    /// followed by the extents of the leaf.
    ///
    /// # Panics
    ///
    /// They are no such tensors.
    pub fn of_tensors(program: &Program, elem: Elem, tensors: Vec<Tensor>) -> Value {
        let leaves = program.leaves(elem);
        assert_eq!(leaves.len(), tensors.len(), "one tensor for each leaf");
        let rank =
            tensors[0].shape().len().checked_sub(leaves[0].1.len()).expect("the tensor has the axes of the leaf");
        let shape = tensors[0].shape()[..rank].to_vec();
        let data = tensors.into_iter().map(|tensor| Arc::new(tensor.into_parts().1)).collect();
        Value::from_leaves(&Layouts::new(program), elem, shape.into(), data)
    }

    /// The tensors that [`of_tensors`](Self::of_tensors) makes the value of.
    pub fn into_tensors(self, program: &Program) -> Vec<Tensor> {
        let leaves = program.leaves(self.elem).into_iter().zip(self.leaves());
        let tensor = |((_, inner), data): ((_, Vec<i64>), Arc<_>)| {
            let inner = inner.iter().map(|&extent| usize::try_from(extent).expect("extents are not negative"));
            let shape = self.shape.iter().copied().chain(inner).collect();
            Tensor::new(shape, Arc::unwrap_or_clone(data)).expect("a leaf has the elements of its shape")
        };
        leaves.map(tensor).collect()
    }
}
