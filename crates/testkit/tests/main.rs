//! All integration tests of the crate in one binary: linking one is faster than linking 30.

mod c_figures;
mod c_front_end;
mod c_fused;
mod c_generated;
mod c_kernels;
mod c_large;
mod c_memory;
mod c_programs;
mod c_real_world;
mod c_recompute;
mod c_robust;
mod c_steps;
mod c_strided;
mod c_suite;
mod c_table;
mod compile_large;
mod differential;
mod dumps;
mod error_index;
mod examples;
mod figures;
mod l0_consumption;
mod llvm_command;
mod llvm_corpus;
mod llvm_generated;
mod llvm_harness;
mod llvm_index;
mod llvm_kernels;
mod llvm_mutants;
mod loop_passes;
mod names;
mod run_files;
mod sac_differential;
mod sac_examples;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<mimalloc::MiMalloc> =
    frit_support::allocated::Counting(mimalloc::MiMalloc);
