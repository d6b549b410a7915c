//! Plans for memory: the paper's figures, corrections to it, and all plans there are for small graphs.

mod best;
mod cycles;
mod experiment;
mod figures;
mod scale;
mod support;
