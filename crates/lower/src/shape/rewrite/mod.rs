//! How passes rewrite loops: [`replace_loops`] is the walk that offers loops to a pass,
//! [`strip_mining`] makes a loop over blocks of another loop's iterations.

pub(crate) mod replace_loops;
pub(crate) mod strip_mining;
