//! Loop fission: work that vectors can run leaves a loop that they cannot run.
//!
//! - [`independent`]: loops whose iterations are independent, strip by strip;
//! - [`ordered`]: sequential loops.

pub(crate) mod independent;
pub(crate) mod ordered;
