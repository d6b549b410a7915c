//! Sets and relations of integers, bounded by affine constraints: a thin, safe binding to isl, the integer set library.
//!
//! - [`Context`]: owns the memory of all objects made from it, bounds the work of operations, holds options;
//! - sets and relations: [`Set`], [`Map`], their one-piece forms [`BasicSet`] and [`BasicMap`], and their unions over
//!   several spaces, [`UnionSet`] and [`UnionMap`];
//! - functions: [`Aff`], [`PwAff`], [`PwMultiAff`];
//! - dependences: [`UnionAccessInfo`] and [`UnionFlow`];
//! - orders as trees: [`Schedule`];
//! - loops that visit a set in a given order: [`AstBuild`], [`AstNode`], [`AstExpr`].
//!
//! Methods have the names of isl's functions without their prefix, and mean what isl's manual says: `isl_set_union` is
//! [`Set::union`]. Functions that call back (`isl_set_foreach_basic_set`) return a `Vec` instead (`basic_sets`). Nothing
//! is consumed: where isl takes an object, it gets a copy, which costs the increment of a counter. Every operation may
//! fail, for example on spaces that do not match, so every method returns a [`Result`]; after an error the objects and
//! their context are as usable as before. Objects of two contexts do not mix: that is an error too.
//!
//! No call with operands that make no sense does worse than fail. Where isl leaves checks to its callers they are made
//! here; some functions that would need many, and that others can stand for, are left out (`isl_basic_set_gist`,
//! `isl_set_insert_domain`). So before a function is added, see what it does with operands of other spaces.
//!
//! This crate knows nothing of programs or loops in the sense of Frit. Read [`context`] next, then `object`, which holds
//! the rules of ownership, and `sys`, the C declarations.

#[macro_use]
mod object;
pub mod aff;
pub mod ast;
pub mod context;
pub mod flow;
pub mod map;
pub mod schedule;
pub mod set;
pub mod space;
mod sys;
pub mod union;
pub mod value;

pub use aff::{Aff, Constraint, PwAff, PwMultiAff};
pub use ast::{AstBuild, AstExpr, AstExprKind, AstNode, AstNodeKind, AstOp};
pub use context::{Context, Error, ErrorKind, Result, calls};
pub use flow::{UnionAccessInfo, UnionFlow};
pub use map::{BasicMap, Map};
pub use schedule::{MultiUnionPwAff, Schedule, ScheduleNode};
pub use set::{BasicSet, Set};
pub use space::{Dim, LocalSpace, Space};
pub use union::{UnionMap, UnionSet};
pub use value::{Id, Point, Val};
