//! Symbolic arithmetic on sizes and indices.
//!
//! - [`Poly`], of `support`: integer polynomials over any symbols, the normal form of sizes, sums and products;
//! - [`index_map`]: affine maps between index spaces, what views do.
//!
//! Nothing here knows a statement of either IR: symbols and views come in as arguments. Read [`index_map`] next.

pub mod index_map;

pub use frit_support::poly::{Monomial, Poly};
pub use index_map::{AxisForm, IndexMap};
