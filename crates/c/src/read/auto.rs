//! Regions where no pragma says so: runs of statements with at least two loop nests that are understood as a whole.
//!
//! Outer blocks come first. What splits a run (a call of something unknown, a loop that is not affine) splits it into two that are tried again;
//! the bodies of loops and branches that are in no region are searched in turn. Read `opening` next.

use super::ReadOptions;
use super::facts::Facts;
use super::opening;
use super::purity::Purity;
use super::regions::{Found, broken};
use super::syntax::{children_and_comments, descendants, field, height, is_within, operator, text};
use crate::region::{Region, Remark};
use frit_scop::model::Node as ScopNode;
use frit_support::FileId;
use std::ops::Range;
use tree_sitter::Node;

/// So many statements are in no region that pragmas do not mark.
const MOST_STATEMENTS: usize = 500;

/// Adds regions to those that pragmas mark.
pub(crate) struct Search<'t, 'f> {
    pub(crate) facts: &'f Facts<'t>,
    pub(crate) purity: &'f Purity<'t, 'f>,
    pub(crate) options: ReadOptions,
    pub(crate) file: FileId,
    /// Regions that there are already.
    pub(crate) taken: Vec<Range<usize>>,
    /// What was found.
    pub(crate) regions: Vec<Region>,
    /// What is to be said of it.
    pub(crate) remarks: Vec<Remark>,
    /// Why runs of several loop nests are no regions.
    pub(crate) rejected: Vec<Remark>,
}

impl<'t> Search<'t, '_> {
    /// Searches all functions of a file.
    pub(crate) fn file(&mut self, root: Node<'t>) {
        for function in descendants(root).filter(|node| node.kind() == "function_definition") {
            let is_fit = broken(function).all(|broken| broken.is_local())
                && height(function) <= super::HIGHEST
                && function.descendant_count() <= super::MOST_NODES;
            if let Some(body) = field(function, "body").filter(|_| is_fit) {
                self.block(function, body);
            }
        }
    }

    fn block(&mut self, function: Node<'t>, block: Node<'t>) {
        let mut run: Vec<Node<'t>> = Vec::new();
        for node in children_and_comments(block) {
            if self.may_be_part(node) {
                run.push(node);
            } else {
                self.run(function, std::mem::take(&mut run));
            }
        }
        self.run(function, run);
        // What is in no region may have some inside.
        for inner in children_and_comments(block) {
            if !self.taken.iter().any(|taken| is_within(&inner.byte_range(), taken)) {
                self.inner(function, inner);
            }
        }
    }

    fn inner(&mut self, function: Node<'t>, node: Node<'t>) {
        match node.kind() {
            "compound_statement" => self.block(function, node),
            "for_statement" | "while_statement" | "do_statement" | "if_statement" | "else_clause" => {
                for child in children_and_comments(node) {
                    self.inner(function, child);
                }
            }
            _ => {}
        }
    }

    fn may_be_part(&self, node: Node<'t>) -> bool {
        let range = node.byte_range();
        if node.has_error() || self.taken.iter().any(|taken| taken.start < range.end && range.start < taken.end) {
            return false;
        }
        match node.kind() {
            "comment" | "declaration" | "for_statement" => true,
            "preproc_call" => {
                let argument = field(node, "argument").map_or("", |argument| text(argument, self.facts.source));
                argument.trim_start().starts_with("omp")
                    && node.next_named_sibling().is_some_and(|next| next.kind() == "for_statement")
            }
            "expression_statement" => node.named_child(0).is_some_and(|expression| match expression.kind() {
                "assignment_expression" | "update_expression" => true,
                "call_expression" => {
                    field(expression, "function").is_some_and(|callee| text(callee, self.facts.source) == "free")
                }
                "comma_expression" => operator(expression, self.facts.source).is_empty(),
                _ => false,
            }),
            _ => false,
        }
    }

    /// Makes regions of a run of statements.
    fn run(&mut self, function: Node<'t>, run: Vec<Node<'t>>) {
        let mut open = vec![run];
        while let Some(mut run) = open.pop() {
            while run.last().is_some_and(|last| matches!(last.kind(), "declaration" | "comment" | "preproc_call")) {
                run.pop();
            }
            let nests = run.iter().filter(|node| node.kind() == "for_statement").count();
            if nests < 2 || run.len() > MOST_STATEMENTS {
                continue;
            }
            let found = Found { function, statements: run };
            let (splits_at, accepted, why) = self.attempt(&found);
            self.rejected.extend(why);
            if let Some((region, remarks)) = accepted {
                self.taken.push(region.range.clone());
                self.regions.push(region);
                self.remarks.extend(remarks);
            } else if let Some(at) = splits_at {
                let mut before = found.statements;
                let after = before.split_off(at + 1);
                before.pop();
                // The one before first, since the last one is taken first.
                open.push(after);
                open.push(before);
            }
        }
    }

    /// Tries a run: the statement that splits it, or the region, or what to say of it.
    #[allow(clippy::type_complexity)] // an answer of three parts, used once
    fn attempt(&self, found: &Found<'t>) -> (Option<usize>, Option<(Region, Vec<Remark>)>, Vec<Remark>) {
        let holds = |range: Range<usize>| {
            let position = |node: &Node<'t>| is_within(&range, &node.byte_range());
            found.statements.iter().position(position)
        };
        match opening::region(found, self.facts, self.purity, self.options, self.file) {
            Ok((Some(region), remarks)) => {
                let opaque = region.scop.statements.iter().find(|(_, statement)| statement.opaque.is_some());
                if let Some((_, statement)) = opaque {
                    return (holds(statement.span.start as usize..statement.span.end as usize), None, remarks);
                }
                let nests = region.scop.body.iter().filter(|node| matches!(node, ScopNode::Loop(..))).count();
                if nests < 2 { (None, None, remarks) } else { (None, Some((region, remarks)), Vec::new()) }
            }
            Ok((None, remarks)) => (None, None, remarks),
            Err(remarks) => {
                let first = remarks.first().map(|remark| remark.span.start as usize..remark.span.end as usize);
                (first.and_then(holds), None, remarks)
            }
        }
    }
}
