//! What fusion makes of regions; every plan is proved and run.

mod borders;
mod figures;
mod kernels;
mod random;
mod refusals;
mod support;
mod transformations;
