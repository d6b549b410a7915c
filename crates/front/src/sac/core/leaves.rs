//! What arrays of basic types a value consists of.

use super::{Elem, Program};
use frit_ir::Scalar;

impl Program {
    /// The extents behind the name of a `typedef`, and the type of elements that it stands for in the end; none and the type itself if it
    /// is no such name.
    pub fn cell_of(&self, elem: Elem) -> (Vec<i64>, Elem) {
        let mut cell = Vec::new();
        let mut base = elem;
        while let Elem::Nominal(id) = base {
            cell.extend(&self.nominals[id].cell);
            base = self.nominals[id].base;
        }
        (cell, base)
    }

    /// The arrays that values of an element type consist of, one for each field of a struct, those of structs in it included: types of
    /// elements, and the extents that each has behind those of the value.
    pub fn leaves(&self, elem: Elem) -> Vec<(Scalar, Vec<i64>)> {
        let inside = |extents: &[i64], elem: Elem| {
            let leaves = self.leaves(elem).into_iter();
            leaves.map(|(scalar, inner)| (scalar, [extents, &inner].concat())).collect::<Vec<_>>()
        };
        match elem {
            Elem::Basic(basic) => vec![(basic.scalar(), Vec::new())],
            Elem::Nominal(id) => inside(&self.nominals[id].cell, self.nominals[id].base),
            Elem::Struct(id) => {
                self.structs[id].fields.iter().flat_map(|(_, elem, shape)| inside(shape, *elem)).collect()
            }
        }
    }
}
