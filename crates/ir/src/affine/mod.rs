//! Symbolic arithmetic on sizes and indices: [`poly`] has integer polynomials over any symbols, the normal form of sizes, sums
//! and products.
//!
//! Nothing here knows a statement of either IR: symbols come in as arguments. Read [`poly`] first.

pub mod poly;

pub use poly::{Monomial, Poly};
