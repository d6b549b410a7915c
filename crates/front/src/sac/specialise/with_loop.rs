//! With-loops.

use super::value::{Env, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::With;
use frit_support::Span;

impl<'p> Specialiser<'p> {
    /// The values of a with-loop, one per operation.
    pub(super) fn with_loop(&mut self, _env: &mut Env, _with: &'p With, span: Span) -> Result<Vec<Value>> {
        self.unsupported(Reason::Construct("a with-loop"), span)
    }
}
