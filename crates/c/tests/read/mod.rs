//! What is read of C files, as text.

mod aliasing;
mod auto;
mod calls;
mod errors;
mod kernels;
mod liveness;
mod loops;
mod places;
mod robust;
mod show;
mod statements;
