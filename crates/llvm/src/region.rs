//! Regions: what is executed one after the other, each part once, whenever the first is. Loops of one region can be fused.
//! Source: \[LLVM\] section 4.2, where loops are adjacent only if nothing lies between; here everything between is a node too.
//!
//! A region is a chain of blocks of which each dominates the next and is post-dominated by it, all directly in one loop (or
//! in none). What lies between two blocks of the chain is a *node*: a loop, perhaps with its guard, or something opaque with
//! one entry and one exit. Instructions in the blocks of the chain that touch memory, or have other effects, are nodes as
//! well. All others are pure: they are executed wherever their values are needed, and called *floating*.

use crate::access::{Access, Time};
use crate::candidate::Candidate;
use crate::facts::{Facts, Loop, Scev};
use crate::forms::Forms;
use crate::ir::{Block, Ordering, Value};
use crate::refusal::Refusal;
use std::collections::HashSet;

/// A region with at least two loops.
pub(crate) struct Region {
    /// The loop that it is directly in.
    pub(crate) parent: Option<Loop>,
    /// Its parts in the order of the program.
    pub(crate) nodes: Vec<Node>,
    /// Pure instructions of its blocks.
    pub(crate) floating: HashSet<Value>,
    /// Blocks of the chain, from the one before its first part to the one behind its last.
    pub(crate) chain: Vec<Block>,
}

/// A part of a region.
pub(crate) struct Node {
    /// What it is.
    pub(crate) kind: Kind,
    /// What it does to memory.
    pub(crate) accesses: Vec<Access>,
    /// Nothing that can be seen from outside may be moved across it.
    pub(crate) is_barrier: bool,
}

/// The kinds of parts.
pub(crate) enum Kind {
    /// A loop that may be fused.
    Loop(Box<LoopNode>),
    /// Anything with one entry, from the end of `from`, and one exit, to `join`: branches, and loops that may not be fused.
    Opaque { from: Block, inside: Vec<Block>, join: Block, refused: Option<(Loop, Refusal)> },
    /// One instruction.
    Code(Value),
}

/// A loop, and what belongs to it.
pub(crate) struct LoopNode {
    /// The loop.
    pub(crate) candidate: Candidate,
    /// How often it goes back if it is entered, as the sum of a value, read with its sign, and a constant, if it is one.
    pub(crate) count: Option<(Scev, i64)>,
    /// What decides whether it is entered, if something does.
    pub(crate) guard: Option<Guard>,
    /// What is executed once before the loop, if it is entered: where it has a guard, what cannot be executed otherwise; where
    /// it has none, loads that only the loop needs, and what is made of them.
    pub(crate) pre: Vec<Value>,
    /// The block of the chain before.
    pub(crate) from: Block,
    /// The block of the chain behind; its phis are the results.
    pub(crate) join: Block,
}

/// The branch round a loop.
pub(crate) struct Guard {
    /// The condition.
    pub(crate) condition: Value,
    /// The loop is entered if the condition is this.
    pub(crate) enters_on: bool,
    /// The blocks from the branch to the loop, the last is the preheader.
    pub(crate) before: Vec<Block>,
    /// The blocks from the loop's exit to where the other way comes in.
    pub(crate) after: Vec<Block>,
    /// What is executed once after the loop, if it was entered.
    pub(crate) post: Vec<Value>,
}

impl Region {
    /// All blocks that rewriting the region may touch.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let guards = self.nodes.iter().filter_map(|node| node.as_loop()?.guard.as_ref());
        let ways = guards.flat_map(|guard| guard.before.iter().copied());
        self.chain.iter().copied().chain(self.nodes.iter().flat_map(Node::inside)).chain(ways).collect()
    }

    /// The value is floating and made from one of the results.
    pub(crate) fn is_made_from(&self, value: Value, results: &HashSet<Value>) -> bool {
        let mut work = vec![value];
        let mut seen = HashSet::new();
        while let Some(next) = work.pop() {
            if !self.floating.contains(&next) || !seen.insert(next) {
                continue;
            }
            for operand in next.operands() {
                if results.contains(&operand) {
                    return true;
                }
                work.push(operand);
            }
        }
        false
    }

    /// What the phis behind these loops take that is made from results of these loops themselves.
    pub(crate) fn late_values(&self, members: &[usize]) -> HashSet<Value> {
        let results: HashSet<Value> = members.iter().flat_map(|&at| self.nodes[at].results()).collect();
        let nodes = members.iter().filter_map(|&at| self.nodes[at].as_loop());
        let phis = nodes.flat_map(|node| node.exit_phis().into_iter().chain(node.join_phis()));
        let values = phis.flat_map(|phi| phi.operands());
        values.filter(|&value| self.is_made_from(value, &results)).collect()
    }
}

impl LoopNode {
    /// The phis of its exit: what of it is used outside.
    pub(crate) fn exit_phis(&self) -> Vec<Value> {
        self.candidate.exit.phis()
    }

    /// Guarded: the phis that choose between the loop's results and those of the way round it.
    pub(crate) fn join_phis(&self) -> Vec<Value> {
        if self.guard.is_some() { self.join.phis() } else { Vec::new() }
    }

    /// The last block before `join` on the way through the loop.
    pub(crate) fn last(&self) -> Block {
        self.guard.as_ref().map_or(self.candidate.latch, |guard| *guard.after.last().expect("a loop has an exit"))
    }

    /// The value is computed in the loop.
    pub(crate) fn is_inside(&self, value: Value) -> bool {
        value.is_instruction() && self.candidate.blocks.contains(&value.block())
    }
}

/// Where a loop is in the source, as well as its branches and instructions tell.
pub(crate) fn location(header: Block, latch: Block) -> Option<crate::ir::Location> {
    let candidates = [latch.terminator(), header.terminator()].into_iter().chain(header.instructions());
    latch.terminator().loop_start().or_else(|| candidates.filter_map(Value::location).next())
}

impl Node {
    /// The loop, if it may be fused.
    pub(crate) fn as_loop(&self) -> Option<&LoopNode> {
        match &self.kind {
            Kind::Loop(node) => Some(node),
            Kind::Opaque { .. } | Kind::Code(_) => None,
        }
    }

    /// Blocks of which nothing is computed before it has run: all of its own but those on the way to a loop.
    pub(crate) fn inside(&self) -> Vec<Block> {
        match &self.kind {
            Kind::Loop(node) => {
                let after = node.guard.iter().flat_map(|guard| &guard.after);
                node.candidate.blocks.iter().chain(after).copied().collect()
            }
            Kind::Opaque { inside, .. } => inside.clone(),
            Kind::Code(_) => Vec::new(),
        }
    }

    /// The loop, whether it may be fused or not, if it is one.
    pub(crate) fn loop_of(&self) -> Option<Loop> {
        match &self.kind {
            Kind::Loop(node) => Some(node.candidate.of),
            Kind::Opaque { refused, .. } => refused.as_ref().map(|&(of, _)| of),
            Kind::Code(_) => None,
        }
    }

    pub(crate) fn is_loop(&self) -> bool {
        self.loop_of().is_some()
    }

    /// What the loop, if it is one, is preceded by in all ways into it.
    fn begin_with(&mut self, forms: &mut Forms<'_>, pre: Vec<Value>) {
        let Kind::Loop(node) = &mut self.kind else { return };
        for &instruction in &pre {
            self.accesses.extend(Access::of(forms, instruction, Some(node.candidate.of)));
        }
        self.is_barrier |= is_barrier(&pre);
        node.pre = pre;
    }

    /// The values that it defines and later parts of the region can use.
    pub(crate) fn results(&self) -> Vec<Value> {
        match &self.kind {
            Kind::Loop(node) if node.guard.is_none() => node.exit_phis(),
            Kind::Loop(node) => node.join_phis(),
            Kind::Opaque { from, join, .. } if from == join => Vec::new(),
            Kind::Opaque { join, .. } => join.phis(),
            Kind::Code(value) => vec![*value],
        }
    }
}

/// All regions of the function with at least two loops (of which one may be refused), those of outer loops first.
///
/// Those with more parts than `most` are taken apart, as their pairs grow with the square of that. What becomes one loop in each
/// may be fused with its neighbours in a later round.
pub(crate) fn regions(forms: &mut Forms<'_>, most: usize, skip: &dyn Fn(Loop) -> bool) -> Vec<Region> {
    let facts = forms.facts;
    let mut regions = Vec::new();
    let mut seen = HashSet::new();
    let mut blocks = Vec::new();
    for block in facts.func.blocks() {
        if facts.is_reachable(block) {
            let mut depth = 0;
            let mut around = facts.loop_of(block);
            while let Some(of) = around {
                depth += 1;
                around = of.parent();
            }
            blocks.push((depth, block));
        }
    }
    blocks.sort_by_key(|&(depth, _)| depth);
    for (_, block) in blocks {
        if !seen.contains(&block) && is_start(facts, block) {
            regions.extend(walk(forms, block, &mut seen, most, skip));
        }
    }
    regions
}

/// A chain does not reach the block from before.
fn is_start(facts: &Facts, block: Block) -> bool {
    let parent = facts.loop_of(block);
    let Some(before) = block.single_predecessor() else {
        // A join is reached from the block that dominates it: those are walked first, as they come first in the function,
        // except where their order is unusual. Then two chains meet, and the later one ends.
        return true;
    };
    facts.loop_of(before) != parent || !before.terminator().is_unconditional_branch()
}

/// Follows the chain from a block.
fn walk(
    forms: &mut Forms<'_>,
    start: Block,
    seen: &mut HashSet<Block>,
    most: usize,
    skip: &dyn Fn(Loop) -> bool,
) -> Vec<Region> {
    let facts = forms.facts;
    let parent = facts.loop_of(start);
    let mut chain = vec![start];
    let mut parts: Vec<(Vec<Value>, Option<Node>)> = Vec::new();
    let mut at = start;
    seen.insert(start);
    loop {
        let own = at.body();
        let Some((node, next)) = step(forms, at, parent, skip) else {
            parts.push((own, None));
            break;
        };
        parts.push((own, node));
        // A loop that is not always left to one place ends the chain.
        if next == at {
            break;
        }
        // Where another chain begins already this one ends, with that block as the last.
        chain.push(next);
        if !seen.insert(next) {
            break;
        }
        at = next;
    }
    // What lies before the first loop stays where it is.
    let is_loop = |node: &Option<Node>| node.as_ref().is_some_and(Node::is_loop);
    let (Some(first), Some(last)) =
        (parts.iter().position(|(_, node)| is_loop(node)), parts.iter().rposition(|(_, node)| is_loop(node)))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let empty = |from: usize| Region { parent, nodes: Vec::new(), floating: HashSet::new(), chain: vec![chain[from]] };
    let mut region = empty(first);
    for (at, (code, mut node)) in parts.into_iter().enumerate() {
        if at < first || at > last {
            continue;
        }
        let next = chain.get(at + 1);
        if at > first {
            let own = node.as_ref().map_or_else(Vec::new, |node| first_elements(facts, node, &code));
            for instruction in code {
                if own.contains(&instruction) {
                    continue;
                }
                if instruction.is_pure() {
                    region.floating.insert(instruction);
                    continue;
                }
                let accesses = Access::of(forms, instruction, None);
                let is_barrier = is_barrier(&[instruction]);
                region.nodes.push(Node { kind: Kind::Code(instruction), accesses, is_barrier });
            }
            if let Some(node) = node.as_mut().filter(|_| !own.is_empty()) {
                node.begin_with(forms, own);
            }
        }
        if let Some(node) = node {
            region.floating.extend(speculated(&node));
            region.nodes.push(node);
        }
        region.chain.extend(next);
        if region.nodes.len() >= most && region.nodes.last().is_some_and(Node::is_loop) && at < last {
            found.push(std::mem::replace(&mut region, empty(at + 1)));
        }
    }
    found.push(region);
    // A loop alone has nothing to be fused with; why one cannot be fused at all is told.
    found.retain(|region| {
        let loops = region.nodes.iter().filter(|node| node.is_loop()).count();
        loops >= 2 || loops == 1 && region.nodes.iter().all(|node| node.as_loop().is_none())
    });
    found
}

/// Pure instructions on the way into a guarded loop that can as well be executed where the loop is not entered.
fn speculated(node: &Node) -> Vec<Value> {
    let Some((node, guard)) = node.as_loop().and_then(|node| node.guard.as_ref().map(|guard| (node, guard))) else {
        return Vec::new();
    };
    let pre: HashSet<Value> = node.pre.iter().copied().collect();
    let all = guard.before.iter().flat_map(|block| block.body());
    all.filter(|instruction| !pre.contains(instruction)).collect()
}

/// The part of the chain behind a block, and the next block; `None` where the chain ends.
fn step(
    forms: &mut Forms<'_>,
    at: Block,
    parent: Option<Loop>,
    skip: &dyn Fn(Loop) -> bool,
) -> Option<(Option<Node>, Block)> {
    let facts = forms.facts;
    let terminator = at.terminator();
    let header = parent.map(Loop::header);
    if terminator.is_unconditional_branch() {
        let next = at.successors()[0];
        if Some(next) == header {
            return None;
        }
        if let Some(of) = facts.loop_of(next).filter(|of| of.header() == next && of.parent() == parent) {
            let candidate = if skip(of) { Err(Refusal::IrregularControlFlow) } else { Candidate::of(facts, of) };
            let refusal = match candidate {
                Ok(candidate) => {
                    let exit = candidate.exit;
                    if candidate.preheader != at || facts.loop_of(exit) != parent {
                        return None;
                    }
                    return Some((Some(loop_node(forms, candidate, None, at, exit)), exit));
                }
                Err(refusal) => refusal,
            };
            let refused = (!skip(of)).then_some((of, refusal));
            // The chain goes on where it is always left to, if there is such a place.
            let ways =
                meeting_point(facts, at, parent).and_then(|join| between(at, join, header).map(|ways| (join, ways)));
            let Some((join, inside)) = ways.filter(|(join, inside)| !is_odd(inside) && !join.has_address_taken())
            else {
                // As the last node; nothing follows that could be moved round it.
                return Some((Some(opaque(forms, at, of.blocks(), at, refused)), at));
            };
            return Some((Some(opaque(forms, at, inside, join, refused)), join));
        }
        let same = facts.loop_of(next) == parent && next.single_predecessor() == Some(at) && next.phis().is_empty();
        return (same && !next.has_address_taken()).then_some((None, next));
    }
    let join = facts.immediate_post_dominator(at)?;
    if facts.loop_of(join) != parent || !facts.dominates(at, join) || Some(join) == header || join.has_address_taken() {
        return None;
    }
    let inside = between(at, join, header)?;
    let mut refused = None;
    if let Some(node) = guarded(forms, at, join, &inside, parent, skip, &mut refused) {
        return Some((Some(node), join));
    }
    if is_odd(&inside) || terminator.condition().is_none() && !is_switch(terminator) {
        return None;
    }
    Some((Some(opaque(forms, at, inside, join, refused)), join))
}

/// Where all ways from the end of a block meet again, in the same loop.
pub(crate) fn meeting_point(facts: &Facts, at: Block, parent: Option<Loop>) -> Option<Block> {
    let mut join = facts.immediate_post_dominator(at)?;
    // The blocks of the loop itself come first.
    while facts.loop_of(join) != parent {
        join = facts.immediate_post_dominator(join)?;
    }
    facts.dominates(at, join).then_some(join)
}

/// Exceptional ways in and out are not moved.
pub(crate) fn is_odd(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| {
        block.instructions().iter().any(|instruction| instruction.ty().is_token()) || block.has_address_taken()
    })
}

fn is_switch(terminator: Value) -> bool {
    terminator.opcode() == llvm_sys::LLVMOpcode::LLVMSwitch
}

/// The blocks on the ways from one block to the other; `None` if one of them leads elsewhere.
pub(crate) fn between(at: Block, join: Block, header: Option<Block>) -> Option<Vec<Block>> {
    let mut inside = Vec::new();
    let mut seen = HashSet::from([join]);
    let mut work = at.successors();
    work.reverse();
    while let Some(block) = work.pop() {
        if Some(block) == header || block == at {
            return None;
        }
        if seen.insert(block) {
            let mut next = block.successors();
            if next.is_empty() {
                return None;
            }
            next.reverse();
            inside.push(block);
            work.extend(next);
        }
    }
    Some(inside)
}

/// One loop with a branch round it.
fn guarded(
    forms: &mut Forms<'_>,
    at: Block,
    join: Block,
    inside: &[Block],
    parent: Option<Loop>,
    skip: &dyn Fn(Loop) -> bool,
    refused: &mut Option<(Loop, Refusal)>,
) -> Option<Node> {
    let facts = forms.facts;
    let condition = at.terminator().condition()?;
    let [then, otherwise] = at.successors()[..] else { return None };
    let (enters_on, mut next) = match (then == join, otherwise == join) {
        (false, true) => (true, then),
        (true, false) => (false, otherwise),
        _ => return None,
    };
    // Straight to the preheader, through the loop, and straight to the join.
    let mut before = Vec::new();
    let candidate = loop {
        if next.single_predecessor().is_none()
            || !next.terminator().is_unconditional_branch()
            || !next.phis().is_empty()
        {
            return None;
        }
        before.push(next);
        next = next.successors()[0];
        if let Some(of) = facts.loop_of(next).filter(|of| of.header() == next && of.parent() == parent) {
            if skip(of) {
                return None;
            }
            match Candidate::of(facts, of) {
                Ok(candidate) => break candidate,
                Err(refusal) => {
                    *refused = Some((of, refusal));
                    return None;
                }
            }
        }
        if before.len() > inside.len() {
            return None;
        }
    };
    let mut after = vec![candidate.exit];
    loop {
        let last = *after.last().expect("the exit is there");
        if !last.terminator().is_unconditional_branch() || facts.loop_of(last) != parent || after.len() > inside.len() {
            return None;
        }
        let next = last.successors()[0];
        if next == join {
            break;
        }
        if next.single_predecessor().is_none() || !next.phis().is_empty() {
            return None;
        }
        after.push(next);
    }
    if inside.len() != before.len() + after.len() + candidate.blocks.len() || join.predecessors().len() != 2 {
        return None;
    }
    if inside.iter().any(|block| block.has_address_taken()) {
        return None;
    }
    let pre = before.iter().flat_map(|block| block.body());
    let mut kept = Vec::new();
    for instruction in pre {
        let needs = |operand: &Value| kept.contains(operand);
        if !instruction.is_pure() || !instruction.is_speculatable() || instruction.operands().iter().any(needs) {
            kept.push(instruction);
        }
    }
    let post = after.iter().flat_map(|block| block.body()).collect();
    let guard = Guard { condition, enters_on, before, after, post };
    let mut node = loop_node(forms, candidate, Some(guard), at, join);
    node.begin_with(forms, kept);
    Some(node)
}

fn loop_node(forms: &mut Forms<'_>, candidate: Candidate, guard: Option<Guard>, from: Block, join: Block) -> Node {
    let mut accesses = Access::in_blocks(forms, &candidate.blocks, Some(candidate.of));
    let mut is_barrier = false;
    if let Some(guard) = &guard {
        for &instruction in &guard.post {
            for mut access in Access::of(forms, instruction, None) {
                access.time = Time::After;
                accesses.push(access);
            }
        }
        is_barrier = self::is_barrier(&guard.post);
    }
    let count = forms.value_and_constant(candidate.count, candidate.of);
    let node = LoopNode { candidate, count, guard, pre: Vec::new(), from, join };
    Node { kind: Kind::Loop(Box::new(node)), accesses, is_barrier }
}

/// Loads right before a loop that only its first iterations need, and what is made of them: optimisers leave them there where
/// a loop keeps elements for its next iterations.
fn first_elements(facts: &Facts, node: &Node, code: &[Value]) -> Vec<Value> {
    let Some(node) = node.as_loop().filter(|node| node.guard.is_none()) else { return Vec::new() };
    let mut own: Vec<Value> = Vec::new();
    // From the last one backwards: users come before what they use.
    for &instruction in code.iter().rev() {
        let users = instruction.users();
        // Numbers with a point decide on no address and no number of iterations, so they may be anything to the loop.
        let is_plain_number = instruction.ty().is_floating();
        let kept = |user: &Value| {
            let candidate = &node.candidate;
            if is_plain_number && candidate.blocks.contains(&user.block()) {
                return true;
            }
            user.block() == candidate.header && user.is_phi() && facts.recurrence(*user, candidate.of).is_none()
        };
        let only = users.iter().all(|user| own.contains(user) || kept(user));
        let is_plain = instruction.is_load() && !instruction.is_volatile() && instruction.ordering() == Ordering::None;
        if only && !users.is_empty() && (is_plain || instruction.is_pure()) {
            own.push(instruction);
        }
    }
    own.reverse();
    // Pure ones that use none of these loads are better left to float.
    let mut kept: Vec<Value> = Vec::new();
    for instruction in own {
        if instruction.is_load() || instruction.operands().iter().any(|operand| kept.contains(operand)) {
            kept.push(instruction);
        }
    }
    kept
}

fn opaque(
    forms: &mut Forms<'_>,
    from: Block,
    inside: Vec<Block>,
    join: Block,
    refused: Option<(Loop, Refusal)>,
) -> Node {
    let accesses = Access::in_blocks(forms, &inside, None);
    let instructions: Vec<Value> = inside.iter().flat_map(|block| block.instructions()).collect();
    // A loop that may run for ever: what comes behind must not come before.
    let endless = inside
        .iter()
        .filter_map(|&block| forms.facts.loop_of(block))
        .any(|of| inside.contains(&of.header()) && forms.facts.backedge_count(of).is_none() && !of.must_progress());
    let is_barrier = is_barrier(&instructions) || endless;
    Node { kind: Kind::Opaque { from, inside, join, refused }, accesses, is_barrier }
}

/// The order with everything around it can be seen from outside.
fn is_barrier(instructions: &[Value]) -> bool {
    instructions.iter().any(|instruction| {
        !instruction.is_terminator()
            && !instruction.is_marker()
            && (instruction.may_throw()
                || !instruction.will_return()
                || instruction.is_volatile()
                || instruction.is_convergent()
                || instruction.ty().is_token()
                || instruction.ordering() == Ordering::Stronger)
    })
}
