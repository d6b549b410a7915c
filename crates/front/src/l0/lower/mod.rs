//! Lowering: from the checked program to the array IR. Never fails.
//!
//! - Tuples and arrays of tuples become several values; see [`value`] and [`signature`](super::signature).
//! - Every check that the language demands becomes an assertion, and what is only defined if it holds lists the
//!   certificate (chapter 4 of the thesis).
//! - Every array gets its extents, in the scope it lives in; see [`emit`].
//! - Combinators become with-loops, or sequential loops where no with-loop does what they mean; see [`soac`].
//! - Functions stay functions, and calls calls.
//!
//! Lowering makes no attempt at good code. It computes sizes no more often than needed, because equal sizes under one name
//! are equal types; all else is left to the simplifier.

mod alias;
mod arrays;
mod control;
mod emit;
mod expr;
mod fold;
mod folded;
mod function;
mod soac;
mod summary;
mod value;

use super::signature::{Parameter, Signature};
use super::typed;
use frit_ir::array;
use function::{Functions, func_id};

/// A program in the array IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Its functions, in the order of the source, and its entry function.
    pub program: array::Program,
    /// What the entry function takes and gives, if there is one.
    pub signature: Option<Signature>,
}

/// Lowers a checked program. Recursion is as deep as the program nests and as its functions call each other; see
/// [`frit_support::with_deep_stack`].
pub fn lower(program: &typed::Program) -> Lowered {
    let (funcs, hidden_results) = Functions::new(program).finish();
    let signature = program.entry.map(|entry| {
        let entry = &program.functions[entry];
        let param = |&param: &typed::Var| {
            let variable = &entry.variables[param];
            Parameter { name: variable.name.clone(), ty: variable.ty.clone() }
        };
        Signature { params: entry.params.iter().map(param).collect(), result: entry.result.clone(), hidden_results }
    });
    Lowered { program: array::Program { funcs, entry: program.entry.map(func_id) }, signature }
}
