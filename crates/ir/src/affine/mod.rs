//! Symbolic arithmetic on sizes and indices.
//!
//! - [`poly`]: integer polynomials over any symbols, the normal form of sizes, sums and products;
//! - [`index_map`]: affine maps between index spaces, what views do.
//!
//! Nothing here knows a statement of either IR: symbols and views come in as arguments. Read [`poly`] first.

pub mod index_map;
pub mod poly;

pub use index_map::{AxisForm, IndexMap};
pub use poly::{Monomial, Poly};
