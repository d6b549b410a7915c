//! Which arrays may share memory, as far as loops need to know: whether the body of a loop consumes a loop variable.
//!
//! The checker has made sure that what is consumed is not used again. It does not say which loop variables a body
//! consumes, and the IR marks them, so the emitter follows the consumption of a value up to all whose memory it may be.

use super::emit::Emitter;
use frit_ir::array::{self as ir, Op, Operand, Value};
use std::collections::{HashMap, HashSet};

/// Sharing seen so far in a function.
#[derive(Default)]
pub(super) struct Sharing {
    /// The arrays that an array may share memory with, of those that were there before it.
    parents: HashMap<Value, Vec<Value>>,
    consumed: HashSet<Value>,
}

impl Emitter {
    /// Appends an operation whose result shares the memory of `source`.
    pub(super) fn emit_alias(&mut self, op: Op, ty: ir::Type, certs: Vec<Value>, source: Value) -> Value {
        let value = self.emit_one(op, ty, certs);
        self.add_alias(value, source.into());
        value
    }

    /// Says that `value` may share the memory of `source`. Scalars share nothing.
    pub(super) fn add_alias(&mut self, value: Value, source: Operand) {
        let is_array = |emitter: &Self, v: Value| !emitter.ty(v).is_scalar();
        if let Operand::Value(source) = source
            && is_array(self, value)
            && is_array(self, source)
        {
            self.sharing.parents.entry(value).or_default().push(source);
        }
    }

    /// Says that the memory of an array is given away.
    pub(super) fn consume(&mut self, value: Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            // What is above a consumed value was marked with it; edges are only added to new values.
            if self.sharing.consumed.insert(value)
                && let Some(parents) = self.sharing.parents.get(&value)
            {
                open.extend(parents);
            }
        }
    }

    /// True if the memory of an array was given away.
    pub(super) fn is_consumed(&self, value: Value) -> bool {
        self.sharing.consumed.contains(&value)
    }
}
