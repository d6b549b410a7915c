//! What the tests of all passes use: a [`notation`] for regions, and memory that is [`simulate`]d.

#![allow(dead_code, missing_docs, unreachable_pub)] // each test uses a part of it

pub mod notation;
pub mod simulate;
