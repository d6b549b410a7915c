//! The statements of a region: loops and conditions with affine bounds are taken apart, everything else is a statement.
//!
//! What cannot be taken apart stops: the innermost loop round it becomes one statement, or the region stays as it is.
//! - [`loops`]: loops and their bodies, `continue` among them; [`heads`]: what a loop's head says;
//! - [`declarations`]: variables and rows of arrays; [`memory`]: allocations and `free`;
//! - [`reductions`]: statements that combine something into a place, and choices between two values.
//!
//! Read `finish` next.

mod declarations;
mod heads;
mod loops;
mod memory;
mod reductions;

use super::Reason;
use super::builder::{Builder, Effects, RawNode, RawStatement, Stop};
use super::effects::Walker;
use super::purity::allocation;
use super::syntax::{bare, children, descendants, field, fields, is_null};
use crate::ast::{Kind, Node, Part};
use std::ops::Range;

type Read = Result<Vec<RawNode>, Stop>;

impl<'t> Builder<'t, '_> {
    /// The statements of a block, or of the region.
    pub(crate) fn block(&mut self, statements: &[Node<'t>]) -> Read {
        let mut nodes = Vec::new();
        let mut pragma: Option<Node<'t>> = None;
        for node in statements.iter().filter(|node| node.kind() != Kind::Comment) {
            if let Some(pragma) = pragma.take()
                && node.kind() != Kind::For
                && node.kind() != Kind::Directive
            {
                return Err(stop(
                    pragma,
                    Reason::Preprocessor,
                    "a pragma stands before something that is no loop",
                    true,
                ));
            }
            if node.kind() == Kind::Directive {
                if let Some(why) = not_understood(node.operator()) {
                    return Err(stop(*node, Reason::Preprocessor, &why, true));
                }
                pragma = Some(*node);
            } else {
                nodes.extend(self.statement(*node)?);
            }
        }
        match pragma {
            Some(pragma) => Err(stop(pragma, Reason::Preprocessor, "a pragma stands before no loop", true)),
            None => Ok(nodes),
        }
    }

    fn statement(&mut self, node: Node<'t>) -> Read {
        match node.kind() {
            Kind::Block => self.block(&children(node)),
            Kind::For => self.for_loop(node),
            Kind::If => self.condition(node),
            Kind::Do if runs_once(node) => self.block(&fields(node, Part::Body)),
            Kind::While | Kind::Do if self.nest.is_empty() => {
                let read = self.whole(node)?;
                let why = "this loop is one statement: only `for` loops that count are taken apart";
                self.remark(Reason::NotAffine, node.byte_range(), why.to_string());
                Ok(read)
            }
            Kind::Declaration => self.declaration(node),
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::Empty => Ok(Vec::new()),
            Kind::Definition | Kind::Function => {
                Err(stop(node, Reason::Declaration, "the region defines a type or a function", false))
            }
            _ => self.whole(node),
        }
    }

    /// One statement of everything.
    fn whole(&mut self, node: Node<'t>) -> Read {
        if node.place().is_none() {
            self.hide(node);
            return Err(stop(
                node,
                Reason::MacroStatement,
                "a macro stands for a part of it or for several statements",
                true,
            ));
        }
        let is_while = |inner: &Node<'t>| inner.kind() == Kind::While;
        self.odd.borrow_mut().loops.extend(descendants(node).filter(is_while).map(Node::id));
        let mut walker = Walker::new(self, node.byte_range());
        walker.whole_statement(node)?;
        let effects = visible(node, walker.effects)?;
        Ok(vec![self.push(node.byte_range(), effects)])
    }

    fn push(&mut self, range: Range<usize>, effects: Effects) -> RawNode {
        self.statements.push(RawStatement {
            range,
            loops: self.nest.clone(),
            conds: self.conds.clone(),
            effects,
            reduction: None,
            choice: None,
            leading: Vec::new(),
            is_skippable: false,
            defines: None,
        });
        RawNode::Statement(self.statements.len() - 1)
    }

    fn condition(&mut self, node: Node<'t>) -> Read {
        let cond = field(node, Part::Condition).and_then(|cond| self.cond(cond));
        let Some(cond) = cond.filter(|cond| self.params.cond(cond).is_some()) else { return self.whole(node) };
        let mut nodes = Vec::new();
        for (branch, cond) in [(Part::Consequence, cond.clone()), (Part::Alternative, cond.negated())] {
            if let Some(branch) = field(node, branch) {
                self.conds.push(cond);
                let read = self.block(&[branch]);
                self.conds.pop();
                nodes.extend(read?);
            }
        }
        Ok(nodes)
    }

    fn expression_statement(&mut self, node: Node<'t>) -> Read {
        let Some(expression) = children(node).into_iter().next() else { return Ok(Vec::new()) };
        if self.freed(expression) || self.freed_behind(node) {
            return Ok(Vec::new());
        }
        if let Some((decl, value)) = self.late_allocation(expression) {
            let (sizes, is_zeroed) = allocation(value).expect("it was looked at");
            self.allocated(decl, value, &sizes, is_zeroed);
            return Ok(Vec::new());
        }
        let nodes = self.whole(node)?;
        let reduction = self.reduction(bare(expression));
        let choice = reductions::choice(bare(expression));
        let statement = self.statements.last_mut().expect("it was pushed");
        (statement.reduction, statement.choice) = (reduction, choice);
        Ok(nodes)
    }
}

/// What a statement does, if every variable of a loop in it stands in its own text, and not in a macro's.
fn visible(node: Node<'_>, effects: Effects) -> Result<Effects, Stop> {
    if effects.hides_iterator {
        return Err(stop(
            node,
            Reason::CounterUsed,
            "the variable of a loop stands in the definition of a macro",
            false,
        ));
    }
    Ok(effects)
}

/// `do { ... } while (0)` as macros have it, which only holds statements together.
pub(super) fn runs_once(node: Node<'_>) -> bool {
    let leaves = |part: Node<'_>| matches!(part.kind(), Kind::Break | Kind::Continue);
    field(node, Part::Condition).is_some_and(is_null) && !descendants(node).any(leaves)
}

/// Why a pragma before a loop cannot go when the loop is not the same any more; `None` if it only says how the loop may run.
pub(crate) fn not_understood(directive: &str) -> Option<String> {
    let words: Vec<&str> = directive.split(|c: char| c.is_whitespace() || c == '(').collect();
    let is_hint = matches!(
        &words[..],
        ["pragma", "omp", "parallel", "for", ..]
            | ["pragma", "omp", "simd", ..]
            | ["pragma", "GCC", "ivdep" | "unroll", ..]
            | ["pragma", "clang", "loop", ..]
            | ["pragma", "ivdep" | "vector" | "unroll" | "nounroll" | "simd" | "novector", ..]
    );
    let is_shared = matches!(&words[..], ["pragma", "omp", ..]);
    match (is_hint, is_shared) {
        (true, _) => None,
        (_, true) => Some(format!("`#{directive}` divides work between threads, which another loop would not")),
        _ => Some(format!("`#{directive}` is not understood")),
    }
}

fn stop(node: Node<'_>, reason: Reason, why: &str, is_fatal: bool) -> Stop {
    Stop { reason, why: why.to_string(), range: node.byte_range(), is_fatal }
}
