//! What several passes know of the loop IR.
//!
//! - [`arithmetic`]: the cost of expressions, and where they are defined;
//! - [`cache_lines`]: where in a cache line an iteration stores;
//! - [`columns`]: loops over the columns of inner loops;
//! - [`straight_line`]: straight-line code, how it uses variables, and renamed copies of it;
//! - [`unaliased`]: freshly allocated arrays that have no alias yet.

pub(crate) mod arithmetic;
pub(crate) mod cache_lines;
pub(crate) mod columns;
pub(crate) mod straight_line;
pub(crate) mod unaliased;
