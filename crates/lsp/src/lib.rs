//! The language server of L0 and SAC: what `frit lsp` does. [`run`] speaks the Language Server Protocol on standard input and output.
//!
//! [`analysis`] finds what stands where in a text, [`lenses`] what became of loops; [`server`] answers requests from that. Nothing here
//! knows an editor.

mod analysis;
mod lenses;
mod places;
mod server;

pub use server::run;
