//! The front ends: each turns the text of one source language into the array IR, or into messages to its author.
//!
//! No front end knows another, and none knows what happens to the array IR afterwards. Read [`l0`] first.

#[macro_use]
mod words;
pub mod l0;
pub mod numpy;
pub mod sac;
mod spelling;
