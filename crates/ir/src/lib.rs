//! The two intermediate representations and what they share.
//!
//! - [`scalar`]: scalar types, constants, scalar operations and what they compute;
//! - [`effect`]: what a program may ask of its machine;
//! - [`failure`]: what can go wrong at run time;
//! - [`tensor`]: dense arrays of data, as programs take and return them;
//! - [`mod@array`]: the array IR, purely functional, whose one parallel construct is the with-loop;
//! - [`nest`]: the loop IR, imperative loop nests over explicit storage;
//! - [`affine`]: symbolic arithmetic on sizes and indices.
//!
//! This crate knows no source language, no pass and no back end. Read [`mod@array`] next.

pub mod affine;
pub mod array;
pub mod effect;
pub mod failure;
pub mod format;
pub mod nest;
pub mod scalar;
pub mod tensor;
mod text;

pub use effect::{Effect, Request};
pub use failure::FailureKind;
pub use format::{Format, FormatError};
pub use scalar::{BinOp, Const, Scalar, UnOp};
pub use tensor::{Tensor, TensorData};
