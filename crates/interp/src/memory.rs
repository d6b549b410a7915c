//! What a run has spent: bytes of arrays alive, nesting, executed statements. Knows neither IR.

use crate::{Options, RunError};
use frit_ir::Scalar;
use std::cell::Cell;
use std::rc::Rc;

/// The bytes that arrays hold, against their limit.
#[derive(Debug)]
pub(crate) struct Memory {
    live: Cell<usize>,
    limit: usize,
}

/// A claim on bytes of a [`Memory`], given back when dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    memory: Rc<Memory>,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new(options: &Options) -> Rc<Self> {
        Rc::new(Self { live: Cell::new(0), limit: options.memory })
    }

    /// Whether `count` more elements fit now.
    pub(crate) fn check(&self, elem: Scalar, count: usize) -> Result<(), RunError> {
        let bytes = count.checked_mul(elem.bytes()).and_then(|bytes| bytes.checked_add(self.live.get()));
        if bytes.is_some_and(|bytes| bytes <= self.limit) { Ok(()) } else { Err(RunError::Exhausted) }
    }

    /// Claims the bytes of `count` elements.
    pub(crate) fn claim(self: &Rc<Self>, elem: Scalar, count: usize) -> Result<Claim, RunError> {
        self.check(elem, count)?;
        let bytes = count * elem.bytes();
        self.live.set(self.live.get() + bytes);
        Ok(Claim { memory: Rc::clone(self), bytes })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.memory.live.set(self.memory.live.get() - self.bytes);
    }
}

/// Statements that may still be executed, and levels that may still be entered.
#[derive(Debug)]
pub(crate) struct Budget {
    fuel: u64,
    levels: usize,
}

impl Budget {
    pub(crate) fn new(options: &Options) -> Self {
        Self { fuel: options.fuel.unwrap_or(u64::MAX), levels: options.depth }
    }

    /// One statement or iteration more.
    pub(crate) fn step(&mut self) -> Result<(), RunError> {
        self.fuel = self.fuel.checked_sub(1).ok_or(RunError::OutOfFuel)?;
        Ok(())
    }

    /// One level deeper.
    pub(crate) fn enter(&mut self) -> Result<(), RunError> {
        self.levels = self.levels.checked_sub(1).ok_or(RunError::StackTooDeep)?;
        Ok(())
    }

    /// Back from a level entered.
    pub(crate) fn leave(&mut self) {
        self.levels += 1;
    }
}

/// The number of elements of a shape; zero if an extent is.
pub(crate) fn element_count(extents: &[i64]) -> Result<usize, RunError> {
    if extents.contains(&0) {
        return Ok(0);
    }
    let product = extents.iter().try_fold(1i64, |product, &extent| product.checked_mul(extent));
    // More elements than an i64 counts never fit in memory.
    product.and_then(|product| usize::try_from(product).ok()).ok_or(RunError::Exhausted)
}
