//! The algebra of generators: what the rules compute with sets of indices.
//! Source: \[WLF\] section 5 and figure 4 (intersection of generators, without steps there), \[MERGE\] sections 4 and 5 (splitting a
//! generator by what it reads, coalescing).
//!
//! A [`Grid`] is a generator without its body. Bounds may be symbolic: an intersection then needs a maximum or a minimum that is
//! computed before the with-loop. [`Bounds`] emits such statements, and leaves out those that facts make needless. What is
//! not provably empty stays; an empty grid has a lower bound that is not below the upper one, and does no harm.
//!
//! - [`bounds`]: arithmetic on bounds, and what is known of them;
//! - [`periodic`]: intersections of one axis, dense or on a grid;
//! - [`boxes`]: intersections and remainders of grids, the common refinement of two with-loops;
//! - [`preimage`]: the part of a generator whose reads fall into another one;
//! - [`equal`]: bodies that are equal up to the names inside them;
//! - [`facts`]: what is known at a with-loop.
//!
//! Knows nothing of rules. Read [`boxes`] next.

pub mod bounds;
pub mod boxes;
pub mod equal;
pub mod facts;
pub mod periodic;
pub mod preimage;

pub use bounds::{Bounds, facts_at, given};
pub use boxes::{Part, covers, intersect, refined, remainder, subtract, unify};
pub use preimage::preimages;

use super::Refusal;
use frit_ir::array::{Block, Extent, Generator, Operand};
use frit_support::Span;

/// Merged with-loops have at most this many generators.
pub const MAX_GENERATORS: usize = 100;

/// The indices of one axis of a generator: the first `width` of every `step` indices, from `lower` to below `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The first index.
    pub lower: Operand,
    /// The end, not included.
    pub upper: Operand,
    /// The period, at least 1. 1 if dense.
    pub step: i64,
    /// How many indices of each period belong, from 1 to below `step`. 1 if dense.
    pub width: i64,
}

/// The indices of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// One for each axis of the space.
    pub axes: Vec<Axis>,
}

impl Axis {
    /// All indices from `lower` to below `upper`.
    pub fn dense(lower: Operand, upper: Operand) -> Self {
        Self { lower, upper, step: 1, width: 1 }
    }

    /// True if no index between the bounds is left out.
    pub fn is_dense(self) -> bool {
        self.step == self.width
    }
}

impl Grid {
    /// The indices of a generator.
    pub fn of(generator: &Generator) -> Self {
        let axis = |at: usize| {
            let (lower, upper) = (generator.lower[at], generator.upper[at]);
            match (generator.step[at], generator.width[at]) {
                (step, width) if step == width => Axis::dense(lower, upper),
                (step, width) => Axis { lower, upper, step, width },
            }
        };
        Self { axes: (0..generator.lower.len()).map(axis).collect() }
    }

    /// All indices of a space.
    pub fn full(space: &[Extent]) -> Self {
        Self { axes: space.iter().map(|&extent| Axis::dense(Operand::i64(0), extent.into())).collect() }
    }

    /// A generator of these indices.
    pub fn generator(&self, body: Block) -> Generator {
        Generator {
            lower: self.axes.iter().map(|axis| axis.lower).collect(),
            upper: self.axes.iter().map(|axis| axis.upper).collect(),
            step: self.axes.iter().map(|axis| axis.step).collect(),
            width: self.axes.iter().map(|axis| axis.width).collect(),
            body,
        }
    }

    /// The same with another axis in this place.
    pub fn with_axis(&self, at: usize, axis: Axis) -> Self {
        let mut grid = self.clone();
        grid.axes[at] = axis;
        grid
    }
}

/// Refuses numbers of generators beyond the limit.
fn limited<T>(parts: Vec<T>, span: Span) -> Result<Vec<T>, Refusal> {
    if parts.len() > MAX_GENERATORS {
        return Err(Refusal::TooManyGenerators { count: parts.len(), span });
    }
    Ok(parts)
}
