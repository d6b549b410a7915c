//! All integration tests of the crate in one binary: linking one is faster than linking 10.

mod common;
mod l0_checks;
mod l0_lowering;
mod l0_messages;
mod l0_programs;
mod l0_robustness;
mod numpy_callbacks;
mod numpy_refusals;
mod run_l0;
mod sac_evaluation;
mod sac_library;
mod sac_meaning;
mod sac_messages;
mod sac_programs;
mod sac_robustness;
mod sac_specialisation;
mod sac_with_loops;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<std::alloc::System> =
    frit_support::allocated::Counting(std::alloc::System);
