//! C loop nests: from source text to static control parts, and transformed ones back to text.
//!
//! - [`read()`] finds the regions of a file and describes each as a [`Region`]: a `Scop`, and the text of its statements as templates;
//! - [`write()`] prints a file with some of its regions transformed; every byte outside of them is kept.
//!
//! What is transformed, and how, is decided in `frit-scop`; this crate knows C and no dependence. Read [`region`] next.

mod ast;
pub mod read;
pub mod region;
pub mod signature;
mod source;
mod value;
pub mod write;

pub use ast::CompileOptions;
pub use read::{ReadOptions, read};
pub use region::{CArray, File, Form, LeftOut, Region, Remark, Template};
pub use source::Source;
pub use value::{Texts, may_contract};
pub use write::{Transformed, Written, is_sealed, write};
