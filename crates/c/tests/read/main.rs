//! What is read of C files, as text.

mod kernels;
mod show;
