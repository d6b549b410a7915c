//! What tests of several crates share: program generators and the differential harness. Never shipped.

pub mod c_files;
pub mod c_harness;
pub mod c_programs;
pub mod c_table;
pub mod l0_consumption;
pub mod l0_programs;
pub mod large_programs;
pub mod llvm_harness;
pub mod llvm_mutants;
pub mod llvm_programs;
pub mod place;
pub mod run_files;
pub mod sac_programs;
