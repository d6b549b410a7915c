//! Regions where no pragma says so: runs of statements with at least two loop nests that are understood as a whole.
//!
//! Outer blocks come first. What splits a run (a call of something unknown, a loop that is not affine) splits it into two that are tried again;
//! the bodies of loops and branches that are in no region are searched in turn. Read `opening` next.

use super::opening::Reading;
use super::purity::frees;
use super::regions::Found;
use super::statements::not_understood;
use super::syntax::{children, children_and_comments, descendants, is_within, operands};
use crate::ast::{Kind, Node};
use crate::region::{LeftOut, Region, Remark};
use frit_scop::model::Node as ScopNode;
use frit_support::Span;
use std::ops::Range;

/// So many statements are in no region that pragmas do not mark.
const MOST_STATEMENTS: usize = 500;

/// Adds regions to those that pragmas mark.
pub(crate) struct Search<'t, 'f> {
    pub(crate) reading: Reading<'t, 'f>,
    /// Regions that there are already.
    pub(crate) taken: Vec<Range<usize>>,
    /// What was found.
    pub(crate) regions: Vec<Region>,
    /// What is to be said of it.
    pub(crate) remarks: Vec<Remark>,
}

impl<'t> Search<'t, '_> {
    /// Searches all functions of a file.
    pub(crate) fn file(&mut self) {
        for function in self.reading.facts.tree.functions() {
            let is_fit = function.height() <= super::HIGHEST && function.descendant_count() <= super::MOST_NODES;
            let body = children(function).into_iter().find(|part| part.kind() == Kind::Block);
            if let Some(body) = body.filter(|_| is_fit) {
                self.block(function, body);
            }
        }
    }

    fn block(&mut self, function: Node<'t>, block: Node<'t>) {
        let mut run: Vec<Node<'t>> = Vec::new();
        let mut is_bound = false;
        for node in children_and_comments(block) {
            // What a pragma that stays is about stays with it.
            let is_free = !std::mem::take(&mut is_bound);
            let is_kept_pragma = node.operator().starts_with("pragma")
                && !matches!(node.operator(), "pragma scop" | "pragma endscop")
                && not_understood(node.operator()).is_some();
            if node.kind() == Kind::Directive && is_kept_pragma || node.kind() == Kind::Comment && !is_free {
                is_bound = true;
            }
            if is_free && self.may_be_part(node) {
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
            Kind::Block => self.block(function, node),
            Kind::For | Kind::While | Kind::Do | Kind::If | Kind::Switch | Kind::Case => {
                for child in children_and_comments(node) {
                    self.inner(function, child);
                }
            }
            _ => {}
        }
    }

    fn may_be_part(&self, node: Node<'t>) -> bool {
        let range = node.byte_range();
        if self.taken.iter().any(|taken| taken.start < range.end && range.start < taken.end) {
            return false;
        }
        match node.kind() {
            Kind::Comment | Kind::Declaration | Kind::For => true,
            Kind::Directive => {
                let mut siblings = node.parent().into_iter().flat_map(children).skip_while(|sibling| *sibling != node);
                not_understood(node.operator()).is_none()
                    && siblings.nth(1).is_some_and(|next| next.kind() == Kind::For)
            }
            Kind::ExpressionStatement => {
                let is_plain = |expression: Node<'t>| match expression.kind() {
                    Kind::Assign | Kind::Update => true,
                    Kind::Call => frees(expression),
                    _ => false,
                };
                children(node).into_iter().flat_map(operands).all(is_plain)
            }
            _ => {
                let is_while = |inner: &Node<'t>| inner.kind() == Kind::While;
                self.reading.odd.borrow_mut().loops.extend(descendants(node).filter(is_while).map(Node::id));
                false
            }
        }
    }

    /// Makes regions of a run of statements.
    fn run(&mut self, function: Node<'t>, run: Vec<Node<'t>>) {
        let mut open = vec![run];
        while let Some(mut run) = open.pop() {
            while run
                .last()
                .is_some_and(|last| matches!(last.kind(), Kind::Declaration | Kind::Comment | Kind::Directive))
            {
                run.pop();
            }
            let nests = run.iter().filter(|node| node.kind() == Kind::For).count();
            if nests < 2 || run.len() > MOST_STATEMENTS {
                continue;
            }
            let found = Found { function, statements: run };
            let (splits_at, accepted) = self.attempt(&found);
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

    /// Tries a run: the statement that splits it, or the region with what is to be said of it.
    fn attempt(&self, found: &Found<'t>) -> (Option<usize>, Option<(Region, Vec<Remark>)>) {
        let holds = |range: Range<usize>| {
            let position = |node: &Node<'t>| is_within(&range, &node.byte_range());
            found.statements.iter().position(position)
        };
        match self.reading.region(found) {
            Ok((Some(region), remarks)) => {
                let opaque = region.scop.statements.iter().find(|(_, statement)| statement.opaque.is_some());
                if let Some((_, statement)) = opaque {
                    return (holds(statement.span.start as usize..statement.span.end as usize), None);
                }
                let nests = region.scop.body.iter().filter(|node| matches!(node, ScopNode::Loop(..))).count();
                if nests < 2 { (None, None) } else { (None, Some((region, remarks))) }
            }
            Ok((None, _)) => (None, None),
            Err(remarks) => {
                let first = remarks.first().map(|remark| remark.span.start as usize..remark.span.end as usize);
                (first.and_then(holds), None)
            }
        }
    }

    /// The outermost loops that are in no region and have none inside, with the reason for each.
    pub(crate) fn left_out(&self) -> Vec<LeftOut> {
        let mut left = Vec::new();
        for function in self.reading.facts.tree.functions() {
            let mut open: Vec<Node<'t>> = children(function);
            while let Some(node) = open.pop() {
                let range = node.byte_range();
                if self.taken.iter().any(|taken| is_within(&range, taken)) {
                    continue;
                }
                let has_region = self.taken.iter().any(|taken| is_within(taken, &range));
                if !node.kind().is_loop() {
                    open.extend(children(node).into_iter().filter(|inner| !inner.kind().is_expression()));
                } else if !has_region {
                    let span = Span::new(self.reading.file, range.start, range.start);
                    left.push(LeftOut {
                        function: function.name().to_string(),
                        span,
                        why: self.why_left_out(function, node),
                    });
                }
            }
        }
        left.sort_by_key(|of| of.span);
        left
    }

    /// Why a loop is in no region; `None` if it is understood and nothing stands beside it that it could be fused with.
    fn why_left_out(&self, function: Node<'t>, node: Node<'t>) -> Option<String> {
        let alone = self.reading.region(&Found { function, statements: vec![node] });
        let plain = |remark: &Remark| {
            let message = remark.message.as_str();
            let prefixes =
                ["the region stays as it is: ", "this loop is one statement: ", "this statement is not taken apart: "];
            let plain = prefixes.iter().find_map(|prefix| message.strip_prefix(prefix));
            plain.unwrap_or(message).to_string()
        };
        match alone {
            Err(remarks) => return Some(remarks.first().map_or("it is not understood".to_string(), plain)),
            Ok((Some(region), remarks)) => {
                if region.scop.statements.iter().any(|(_, statement)| statement.opaque.is_some())
                    || region.scop.loops.is_empty()
                {
                    return Some(remarks.last().map_or("it is not understood".to_string(), plain));
                }
            }
            Ok((None, _)) => return None,
        }
        // What stands between it and the next loop.
        let mut behind = node.parent().into_iter().flat_map(children).skip_while(|other| *other != node).skip(1);
        let between =
            behind.clone().take_while(|other| !other.kind().is_loop()).find(|other| !self.may_be_part(*other))?;
        behind.find(|other| other.kind() == Kind::For)?;
        let line = self.reading.facts.tree.text[..between.start_byte()].matches('\n').count() + 1;
        Some(format!(
            "line {line} stands between it and the next loop: move that before or behind both if nothing speaks against it"
        ))
    }
}
