//! All integration tests of the crate in one binary: linking one is faster than linking 4.

mod best;
mod memory;
mod plans;
mod scale;
mod support;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<std::alloc::System> =
    frit_support::allocated::Counting(std::alloc::System);
