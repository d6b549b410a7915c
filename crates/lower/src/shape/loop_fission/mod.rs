//! Loop fission: what vectors can run leaves a loop that they cannot run.
//!
//! - [`independent`]: loops whose iterations are independent, strip by strip;
//! - [`ordered`]: loops that run in order.

pub(crate) mod independent;
pub(crate) mod ordered;
