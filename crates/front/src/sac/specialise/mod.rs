//! Specialisation: from the [`core`](super::core) language to array IR, by partial evaluation of a function for arguments of known
//! ranks. Constants are propagated, branches on them decided, calls replaced by the callee's body, small vectors kept as
//! components, so that every rank and most extents are known when array IR is made.

mod value;
