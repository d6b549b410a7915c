//! All integration tests of the crate in one binary: linking one is faster than linking 5.

mod files;
mod in_place;
mod meaning;
mod outputs;
mod scale;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<std::alloc::System> =
    frit_support::allocated::Counting(std::alloc::System);
