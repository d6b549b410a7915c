//! What callers know of a function's results before they call it: results and extents as total arithmetic over the sizes
//! and scalar parameters of the function.

use frit_ir::scalar::{BinOp, Const, UnOp};

/// A computation without failures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Summary {
    /// The steps. Operands of a step are earlier ones.
    pub(super) nodes: Vec<Node>,
    /// The step whose value is the result.
    pub(super) result: usize,
}

/// A step of a summary. Operands are positions of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Const(Const),
    /// One of the function's sizes, by position.
    Size(usize),
    /// One of the function's parameters, by position.
    Param(usize),
    Unary {
        op: UnOp,
        x: usize,
    },
    Binary {
        op: BinOp,
        x: usize,
        y: usize,
    },
    Select {
        cond: usize,
        on_true: usize,
        on_false: usize,
    },
}

impl Node {
    /// The node with its operands at other positions.
    pub(super) fn shifted(self, moved: &[usize]) -> Self {
        match self {
            Node::Const(_) | Node::Size(_) | Node::Param(_) => self,
            Node::Unary { op, x } => Node::Unary { op, x: moved[x] },
            Node::Binary { op, x, y } => Node::Binary { op, x: moved[x], y: moved[y] },
            Node::Select { cond, on_true, on_false } => {
                Node::Select { cond: moved[cond], on_true: moved[on_true], on_false: moved[on_false] }
            }
        }
    }
}
