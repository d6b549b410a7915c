//! What a file says outside of function bodies: constants, functions and what is known of them.
//!
//! Nothing here depends on a region. Read `names` next.

use super::names::DeclData;
use crate::ast::{Decl, Kind, Node, Part, Tree};
use crate::write::lexical::blanked;
use frit_support::Table;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is known of a file.
pub(crate) struct Facts<'t> {
    /// Its syntax.
    pub(crate) tree: &'t Tree,
    /// Its text.
    pub(crate) source: &'t str,
    /// What names mean.
    pub(crate) decls: Rc<Table<Decl, DeclData<'t>>>,
    /// Functions that are declared `const` or `pure`; true for `const`.
    pub(crate) attributed: &'t BTreeMap<String, bool>,
    blank: OnceCell<String>,
}

impl<'t> Facts<'t> {
    /// What the file with this syntax says.
    pub(crate) fn of(tree: &'t Tree) -> Self {
        let decls = tree.decls.iter().map(|(_, data)| DeclData::of(tree, data)).collect();
        Self { tree, source: &tree.text, decls: Rc::new(decls), attributed: &tree.attributed, blank: OnceCell::new() }
    }

    /// The text with blanks for comments and literals.
    pub(crate) fn blank(&self) -> &str {
        self.blank.get_or_init(|| blanked(&self.tree.text))
    }

    /// The definition of a function.
    pub(crate) fn function(&self, name: &str) -> Option<Node<'t>> {
        self.tree.function(name)
    }

    /// The value of a constant expression.
    pub(crate) fn constant(&self, node: Node<'_>) -> Option<i64> {
        let node = super::syntax::bare(node);
        let part = |part: Part| super::syntax::field(node, part).and_then(|part| self.constant(part));
        match (node.kind(), super::syntax::operator(node)) {
            (Kind::Number | Kind::Name | Kind::Sizeof, _) => node.value(),
            (Kind::Unary, "-") => part(Part::Operand)?.checked_neg(),
            (Kind::Unary, "+") => part(Part::Operand),
            (Kind::Binary, sign) => {
                let (left, right) = (part(Part::Left)?, part(Part::Right)?);
                match sign {
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    "/" => left.checked_div(right),
                    "<<" => left.checked_shl(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
