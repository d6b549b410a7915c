//! Loops, and what their bodies run: `continue` skips the rest of a body.

use super::{Read, stop, visible};
use crate::ast::{Kind, Node, Part};
use crate::read::Reason;
use crate::read::affine::Cond;
use crate::read::builder::{Builder, RawLoop, RawNode};
use crate::read::effects::Walker;
use crate::read::syntax::{First, children, field, first_values};

/// Loops in more others than these are parts of statements: integer sets of more dimensions take too long.
const DEEPEST: usize = 12;

impl<'t> Builder<'t, '_> {
    pub(super) fn for_loop(&mut self, node: Node<'t>) -> Read {
        let (statements, loops, depth, conds) =
            (self.statements.len(), self.loops.len(), self.nest.len(), self.conds.len());
        let bindings = self.bindings.clone();
        match self.affine_loop(node) {
            Err(stop) if !stop.is_fatal => {
                self.statements.truncate(statements);
                self.loops.truncate(loops);
                self.nest.truncate(depth);
                self.conds.truncate(conds);
                self.bindings = bindings;
                let read = self.whole(node)?;
                self.remark(stop.reason, stop.range, format!("this loop is one statement: {}", stop.why));
                Ok(read)
            }
            read => read,
        }
    }

    fn affine_loop(&mut self, node: Node<'t>) -> Read {
        let depth = self.nest.len();
        if depth == DEEPEST {
            return Err(stop(node, Reason::TooLarge, &format!("it is in {DEEPEST} others"), false));
        }
        if node.operator() == "unclear" {
            self.hide(node);
            return Err(stop(node, Reason::MacroStatement, "a macro stands for a part of its head", false));
        }
        let before_loop = self.first_statements(node)?;
        let header = self.header(node)?;
        self.loops.push(RawLoop {
            name: self.names.decls[header.decl].name.clone(),
            c_type: header.c_type,
            is_plain: header.is_plain,
            is_reversed: header.step < 0,
            range: node.byte_range(),
            leading: Vec::new(),
        });
        let number = self.loops.len() - 1;
        self.nest.push(number);
        let before = self.conds.len();
        self.conds.extend(header.conds);
        let body = match field(node, Part::Body) {
            Some(body) if body.kind() == Kind::Block => self.iteration(&children(body))?,
            Some(body) => self.iteration(&[body])?,
            None => Vec::new(),
        };
        self.conds.truncate(before);
        self.nest.truncate(depth);
        for decl in header.counted.iter().chain([&header.decl]) {
            self.bindings.remove(decl);
        }
        Ok(if body.is_empty() { before_loop } else { [before_loop, vec![RawNode::Loop(number, body)]].concat() })
    }

    /// The statements of a loop's body: `continue` skips the rest of them.
    fn iteration(&mut self, statements: &[Node<'t>]) -> Read {
        let Some(at) = statements.iter().position(|statement| skips(*statement)) else {
            return self.block(statements);
        };
        let mut nodes = self.block(&statements[..at])?;
        if let Some((cond, before)) = self.affine_skip(statements[at]) {
            self.conds.push(cond.clone());
            nodes.extend(self.block(&before)?);
            self.conds.pop();
            self.conds.push(cond.negated());
            nodes.extend(self.iteration(&statements[at + 1..])?);
            self.conds.pop();
            return Ok(nodes);
        }
        let last = statements.iter().rfind(|node| node.kind() != Kind::Comment).map_or(0, |node| node.end_byte());
        let range = statements[at].start_byte()..last;
        let mut walker = Walker::new(self, range.clone());
        walker.skippable(&statements[at..])?;
        let effects = visible(statements[at], walker.effects)?;
        nodes.push(self.push(range, effects));
        self.statements.last_mut().expect("it was pushed").is_skippable = true;
        Ok(nodes)
    }

    /// `if (c) continue;` with an affine condition, and what runs before the `continue`.
    fn affine_skip(&mut self, node: Node<'t>) -> Option<(Cond, Vec<Node<'t>>)> {
        if node.kind() != Kind::If || field(node, Part::Alternative).is_some() {
            return None;
        }
        let then = field(node, Part::Consequence)?;
        let mut before = if then.kind() == Kind::Block { children(then) } else { vec![then] };
        before.pop().filter(|last| last.kind() == Kind::Continue)?;
        let cond = self.cond(field(node, Part::Condition)?)?;
        self.params.cond(&cond)?;
        (!before.iter().any(|node| skips(*node))).then_some((cond, before))
    }

    /// What a loop's head assigns to variables that the loop does not count, as `s` in `for (s = 0, i = 0; i < n; i++)`.
    fn first_statements(&mut self, node: Node<'t>) -> Read {
        let firsts = first_values(node);
        let is_other = |first: &&First<'t>| firsts.len() > 1 && first.update.is_none() && !first.is_declared;
        let mut nodes = Vec::new();
        for first in firsts.iter().filter(is_other) {
            nodes.extend(self.whole(first.node)?);
        }
        Ok(nodes)
    }
}

/// Whether a `continue` in a statement goes on with the loop that the statement is in.
fn skips(statement: Node<'_>) -> bool {
    let mut open = vec![statement];
    while let Some(node) = open.pop() {
        match node.kind() {
            Kind::Continue => return true,
            kind if kind.is_loop() => {}
            _ => open.extend(children(node)),
        }
    }
    false
}
