//! Regions where no pragma says so: runs of statements with at least two loop nests that are understood as a whole.
//!
//! Outer blocks come first. What splits a run (a call of something unknown, a loop that is not affine) splits it into two that are tried again;
//! the bodies of loops and branches that are in no region are searched in turn. Read `opening` next.

use super::names::Decl;
use super::opening::Reading;
use super::outside::is_check;
use super::purity::{allocation, frees};
use super::regions::Found;
use super::statements::not_understood;
use super::syntax::{
    arguments, bare, children, children_and_comments, descendants, field, fields, first_values, is_within, operands,
    uncast,
};
use crate::ast::{CType, Kind, Node, Part};
use crate::region::{LeftOut, Region, Remark};
use frit_scop::model::Node as ScopNode;
use frit_support::Span;
use std::collections::BTreeSet;
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
            Kind::For => !turns(node),
            Kind::Comment | Kind::Declaration => true,
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
                let mut odd = self.reading.odd.borrow_mut();
                odd.loops.extend(descendants(node).filter(is_while).map(Node::id));
                odd.checks.extend(is_check(node).then(|| node.id()));
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
            } else if let Some(at) = found
                .statements
                .iter()
                .position(|node| moves_pointer(*node) || selects_anew(*node, &found.statements))
                .or(splits_at)
            {
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
                // A loop that is one statement, as one whose condition depends on data, has regions inside.
                let is_whole = |node: &&Node<'t>| {
                    let loops = children_of_body(**node).into_iter().filter(|inner| inner.kind() == Kind::For).count();
                    let is_one = |statement: &frit_scop::StatementData| {
                        statement.span.start as usize == node.start_byte() && statement.loops.is_empty()
                    };
                    node.kind() == Kind::For
                        && loops > 1
                        && region.scop.statements.iter().any(|(_, statement)| is_one(statement))
                };
                if let Some(at) = found.statements.iter().position(|node| is_whole(&node)) {
                    return (Some(at), None);
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
        let line = self.reading.source.line(between.start_byte());
        Some(format!(
            "line {line} stands between it and the next loop: move that before or behind both if nothing speaks against it"
        ))
    }
}

/// The statements in the block that a loop repeats.
fn children_of_body(node: Node<'_>) -> Vec<Node<'_>> {
    field(node, Part::Body).filter(|body| body.kind() == Kind::Block).map(children).unwrap_or_default()
}

/// What a remark says of the reason alone.
fn plain(remark: &Remark) -> String {
    let message = remark.message.as_str();
    let prefixes =
        ["the region stays as it is: ", "this loop is one statement: ", "this statement is not taken apart: "];
    let plain = prefixes.iter().find_map(|prefix| message.strip_prefix(prefix));
    plain.unwrap_or(message).to_string()
}

/// The regions in the only loop of a marked region, where that is not understood: since pointers move between its iterations, as between time steps, or
/// for the sake of its head. With what is to be said of them.
pub(crate) fn steps<'t>(
    reading: Reading<'t, '_>,
    found: &Found<'t>,
    read: &Result<(Option<Region>, Vec<Remark>), Vec<Remark>>,
) -> Option<(Vec<Region>, Vec<Remark>)> {
    let (is_understood, remarks) = match read {
        Ok((Some(region), remarks)) => {
            (region.scop.statements.iter().all(|(_, statement)| statement.opaque.is_none()), remarks)
        }
        Ok((None, _)) => return None,
        Err(remarks) => (false, remarks),
    };
    let has_loop = |node: &&Node<'t>| descendants(**node).any(|inner| inner.kind().is_loop());
    let mut loops = found.statements.iter().filter(has_loop);
    let (Some(only), None) = (loops.next(), loops.next()) else { return None };
    // A loop that is one statement for the sake of its head has others in it.
    let is_whole = match read {
        Ok((Some(region), _)) => region.scop.loops.is_empty(),
        _ => true,
    };
    let is_stepping = turns(*only) || !is_understood && (is_whole || descendants(*only).any(moves_pointer));
    if !only.kind().is_loop() || !is_stepping {
        return None;
    }
    let mut search = Search { reading, taken: Vec::new(), regions: Vec::new(), remarks: Vec::new() };
    search.inner(found.function, *only);
    let why = |first: &Remark| Remark {
        code: first.code,
        message: format!("only what is inside of this loop is transformed: {}", plain(first)),
        span: first.span,
    };
    search.remarks.extend(remarks.first().map(why));
    (!search.regions.is_empty()).then_some((search.regions, search.remarks))
}

/// A loop with several others in it, between whose iterations an integer changes that stands in subscripts, as `cur` of `w[cur][i]` does between time
/// steps: the loops in it are understood without it.
fn turns(node: Node<'_>) -> bool {
    let Some(body) = field(node, Part::Body).filter(|body| node.kind().is_loop() && body.kind() == Kind::Block) else {
        return false;
    };
    let statements = children(body);
    // `buf[t % 2]`, where `t` counts the loop and `buf` holds pointers.
    let counted: BTreeSet<_> = first_values(node).iter().filter_map(|first| first.name.decl()).collect();
    let selects = |element: Node<'_>| {
        let index = field(element, Part::Index).filter(|_| selects_pointer(element));
        // So does what the body declares, as `now = t % 2`.
        let changes =
            |decl: Decl| counted.contains(&decl) || body.byte_range().contains(&body.tree().decls[decl].range.start);
        index.is_some_and(|index| descendants(index).filter_map(Node::decl).any(changes))
    };
    let loops = || statements.iter().filter(|statement| statement.kind() == Kind::For);
    if loops().count() > 1 && descendants(body).any(selects) {
        return true;
    }
    let changed = |expression: Node<'_>| {
        let target = field(expression, Part::Left).or_else(|| field(expression, Part::Operand)).map(bare)?;
        let is_change = matches!(expression.kind(), Kind::Assign | Kind::Update);
        let target = Some(target).filter(|target| matches!(target.of(), CType::Int { .. }) && is_change)?;
        match target.kind() {
            Kind::Member => Some((None, target.name().to_string())),
            Kind::Name => {
                // What the body declares has no value from before.
                let decl = target.decl()?;
                let declared = target.tree().decls[decl].range.start;
                (!body.byte_range().contains(&declared)).then_some((Some(decl), String::new()))
            }
            _ => None,
        }
    };
    // `{ int tmp = cur; cur = next; next = tmp; }` is a block of its own, and `if (c) cur = next;` depends on more.
    let is_straight = |node: &&Node<'_>| !descendants(**node).any(|inner| inner.kind().is_loop());
    let plain = statements.iter().filter(is_straight).flat_map(|node| descendants(*node));
    let plain = plain.filter(|node| node.kind() == Kind::ExpressionStatement);
    let is_counted = |(decl, _): &(Option<Decl>, String)| decl.is_some_and(|decl| counted.contains(&decl));
    let in_head = fields(node, Part::Update).into_iter().flat_map(operands).filter_map(changed);
    let in_head: Vec<_> = in_head.filter(|changed| !is_counted(changed)).collect();
    let changed: BTreeSet<_> = plain.flat_map(children).flat_map(operands).filter_map(changed).chain(in_head).collect();
    let mut subscripts = loops().flat_map(|node| descendants(*node)).filter_map(|node| field(node, Part::Index));
    !changed.is_empty()
        && loops().count() > 1
        && subscripts.any(|index| {
            descendants(index).any(|node| match node.kind() {
                Kind::Member => changed.contains(&(None, node.name().to_string())),
                _ => node.decl().is_some_and(|decl| changed.contains(&(Some(decl), String::new()))),
            })
        })
}

/// An element of an array of pointers, or of structures of which a pointer is meant.
fn selects_pointer(element: Node<'_>) -> bool {
    let member = element.parent().filter(|parent| parent.kind() == Kind::Member);
    let meant = if matches!(element.of(), CType::Struct { .. }) { member } else { Some(element) };
    element.kind() == Kind::Subscript && meant.is_some_and(|meant| matches!(meant.of(), CType::Pointer { .. }))
}

/// A statement changes an integer that selects one of several pointers, as `cur` of `buf[cur][i]`: what stands before it and behind it sees different
/// memory.
fn selects_anew(statement: Node<'_>, all: &[Node<'_>]) -> bool {
    fn target(node: Node<'_>) -> Option<Node<'_>> {
        let is_change = matches!(node.kind(), Kind::Assign | Kind::Update);
        let target = field(node, Part::Left).or_else(|| field(node, Part::Operand)).map(bare)?;
        let is_selector = is_change && matches!(target.of(), CType::Int { .. });
        (is_selector && matches!(target.kind(), Kind::Name | Kind::Member)).then_some(target)
    }
    let is_it = |one: Node<'_>, target: Node<'_>| {
        one.kind() == target.kind() && one.decl() == target.decl() && one.name() == target.name()
    };
    let mut targets = children(statement).into_iter().flat_map(operands).filter_map(target);
    statement.kind() == Kind::ExpressionStatement
        && targets.any(|target| {
            let mut elements = all.iter().flat_map(|node| descendants(*node)).filter(|node| selects_pointer(*node));
            elements.any(|element| {
                field(element, Part::Index).is_some_and(|index| descendants(index).any(|one| is_it(one, target)))
            })
        })
}

/// A statement gives a pointer another value, other than memory that is allocated: what stands before it and behind it sees different memory.
fn moves_pointer(statement: Node<'_>) -> bool {
    // `swap(&a, &b)`.
    let is_address = |node: Node<'_>| {
        let target = field(node, Part::Operand).filter(|_| node.kind() == Kind::Pointer && node.operator() == "&");
        target.is_some_and(|target| matches!(bare(target).of(), CType::Pointer { .. }))
    };
    let is_move = |node: Node<'_>| {
        if node.kind() == Kind::Call {
            return arguments(node).into_iter().map(uncast).any(is_address);
        }
        let target = field(node, Part::Left).or_else(|| field(node, Part::Operand)).map(bare);
        let is_pointer = target.is_some_and(|target| {
            matches!(target.kind(), Kind::Name | Kind::Member | Kind::Subscript)
                && matches!(target.of(), CType::Pointer { .. })
        });
        let is_allocated = field(node, Part::Right).is_some_and(|value| allocation(value).is_some());
        matches!(node.kind(), Kind::Assign | Kind::Update) && is_pointer && !is_allocated
    };
    statement.kind() == Kind::ExpressionStatement && children(statement).into_iter().flat_map(operands).any(is_move)
}
