//! Fusion graphs: the loops and opaque statements of one block, the arrays between them, and which may be merged.
//! Source: the graphs of \[MEM\] section 2 and of \[L0\] section 7.4, with both kinds of merge of \[MERGE\].
//!
//! Two kinds of merge are chosen between:
//! - *fusing* two loops over one index space makes one loop with the results of both ([`Pair`]). Clusters of a plan are
//!   sets of loops of which any two are such a pair. An array that is made and read in one cluster only, and that nothing
//!   else needs, is never stored.
//! - *folding* a loop puts its body in the place of every read of its arrays ([`NodeData::fold`]). The loop and its
//!   arrays disappear; who read them reads what the loop read.

use frit_support::poly::Poly;
use frit_support::{Table, define_index};

define_index!(
    /// A loop or an opaque statement.
    Node, "n"
);
define_index!(
    /// An array.
    Array, "a"
);
define_index!(
    /// A size that is only known at run time.
    Symbol, "s"
);

/// A number of bytes or of operations, as a polynomial in the program's sizes.
pub type Size = Poly<Symbol>;

/// One block's loops and what lies between them.
#[derive(Clone, Debug, Default)]
pub struct FusionGraph {
    /// What the symbols of sizes are called, for reports.
    pub symbols: Table<Symbol, String>,
    /// Loops and opaque statements in the order of the program: edges lead from earlier to later nodes.
    pub nodes: Table<Node, NodeData>,
    /// The arrays that are made or read by loops.
    pub arrays: Table<Array, ArrayData>,
    /// Dependences that are not arrays of [`arrays`](Self::arrays): the first has to run before the second.
    pub orders: Vec<(Node, Node)>,
    /// Loops that may be fused, each pair once, the earlier first. A dependence between two nodes that are no pair
    /// prevents their fusion; between the nodes of a pair it is satisfied inside of the fused loop.
    pub pairs: Vec<Pair>,
}

/// A loop or an opaque statement.
#[derive(Clone, Debug, Default)]
pub struct NodeData {
    /// For reports, as `w3`.
    pub name: String,
    /// The number of generators of its loop; fusing two loops may multiply them. 1 for most.
    pub generators: u32,
    /// May be folded into all readers of its arrays: then this much work is repeated (zero if every element is still
    /// computed at most once). `None` if that would be wrong.
    pub fold: Option<Size>,
}

/// An array.
#[derive(Clone, Debug, Default)]
pub struct ArrayData {
    /// For reports.
    pub name: String,
    /// What it takes in memory; also what one write, and one read, of all of it moves.
    pub bytes: Size,
    /// The node that makes it; `None` for an array from outside of the block.
    pub producer: Option<Node>,
    /// The nodes that read it, ascending.
    pub readers: Vec<Node>,
    /// It is needed in memory whatever is merged: the block's result, or read by something that is no loop.
    pub kept: bool,
}

/// Two loops that may be fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The one that is earlier in the program.
    pub first: Node,
    /// The later one.
    pub second: Node,
}

impl FusionGraph {
    /// Adds a size that is only known at run time.
    pub fn add_symbol(&mut self, name: impl Into<String>) -> Size {
        Size::symbol(self.symbols.push(name.into()))
    }

    /// Adds a loop of one generator behind all others, in the order of the program. It cannot be
    /// folded.
    pub fn add_loop(&mut self, name: impl Into<String>) -> Node {
        self.nodes.push(NodeData { name: name.into(), generators: 1, fold: None })
    }

    /// Adds an array that is stored only if the merges demand it. `producer` is `None` for an
    /// input.
    pub fn add_array(
        &mut self,
        name: impl Into<String>,
        bytes: Size,
        producer: Option<Node>,
        readers: &[Node],
    ) -> Array {
        let readers = readers.to_vec();
        self.arrays.push(ArrayData { name: name.into(), bytes, producer, readers, kept: producer.is_none() })
    }

    /// Says that the array is needed in memory whatever is merged.
    pub fn keep(&mut self, array: Array) {
        self.arrays[array].kept = true;
    }

    /// Says that two loops may be fused.
    pub fn add_pair(&mut self, first: Node, second: Node) {
        self.pairs.push(Pair { first, second });
    }

    /// The names of nodes.
    pub fn names(&self, nodes: &[Node]) -> Vec<&str> {
        nodes.iter().map(|&node| self.nodes[node].name.as_str()).collect()
    }
}
