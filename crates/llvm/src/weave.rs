//! The rewriting: the nodes of a region in their new order, clusters of loops as one loop each.
//! Source: \[LLVM\] section 6; there blocks are rewired pair by pair, here the chain of the region is built anew, so that no
//! needless blocks are left and code between loops finds its place.
//!
//! The chain grows at its open end, a block without a terminator. A node is moved there; floating instructions follow when
//! the first node needs them. What is left of the old chain afterwards has no content and is deleted.
//!
//! Read [`strand`](crate::strand) next: how loops run, once they are to be put somewhere.

use crate::ir::{Block, Builder, Func, Value};
use crate::planning::Cluster;
use crate::prepare::{Entry, Prepared};
use crate::region::{Kind, LoopNode, Region};
use crate::strand::{self, Body, Exit};
use crate::sys;
use std::collections::{HashMap, HashSet};

/// The mark of loops that are parts or copies made by a fusion: they are left alone from then on.
pub(crate) const PART: usize = 1 << 30;
/// The mark of fused loops.
pub(crate) const FUSED: usize = (1 << 30) + 1;

/// The chain that is being built.
pub(crate) struct Chain<'r> {
    pub(crate) func: Func,
    /// Its end: a block without a terminator.
    pub(crate) open: Block,
    region: &'r Region,
    /// Instructions of the old chain that are placed where they are needed first, and have not been yet.
    floating: HashSet<Value>,
    /// Conditions that decide nothing any more.
    pub(crate) dead: Vec<Value>,
    replaced: &'r mut Replaced,
}

/// Results of loops, and what has taken their place. What was prepared for other regions may name them. All of them and all that
/// was prepared were there at one time, so that no handle means something else by now.
pub(crate) type Replaced = HashMap<Value, Value>;

/// Puts the nodes of a region into the order of `clusters`, each fused as it was prepared. Only the part of the region in
/// which something changes is touched.
pub(crate) fn weave(region: &Region, clusters: &[Cluster], prepared: &[Prepared], replaced: &mut Replaced) {
    let order: Vec<usize> = clusters.iter().flat_map(|cluster| cluster.members.iter().copied()).collect();
    let changed: HashSet<usize> = clusters
        .iter()
        .filter(|cluster| cluster.members.len() > 1)
        .flat_map(|cluster| cluster.members.iter().copied())
        .chain(order.iter().enumerate().filter(|&(at, &node)| at != node).map(|(_, &node)| node))
        .collect();
    let (Some(&first), Some(&last)) = (changed.iter().min(), changed.iter().max()) else { return };
    let first_node = region.nodes[first].as_loop().expect("what changes begins with a loop");
    let last_node = region.nodes[last].as_loop().expect("what changes ends with a loop");
    let func = first_node.from.function();

    // What comes behind begins a block of its own.
    let behind = last_node.join.instructions().into_iter().find(|instruction| !instruction.is_phi());
    let rest = behind.expect("a block ends with a terminator").split_before();
    last_node.join.terminator().erase();

    // The old chain: terminators of opaque nodes are kept aside, the others are no longer needed.
    let aside = func.append_block("frit.aside");
    let mut old = HashSet::new();
    let mut terminators: HashMap<usize, Value> = HashMap::new();
    let in_range = |at: usize| (first..=last).contains(&at);
    let from = region.chain.iter().position(|&block| block == first_node.from).expect("a loop is in its region");
    let to = region.chain.iter().position(|&block| block == last_node.join).expect("a loop is in its region");
    for (at, node) in region.nodes.iter().enumerate().filter(|&(at, _)| in_range(at)) {
        match &node.kind {
            Kind::Opaque { from, .. } => {
                let terminator = from.terminator();
                terminator.move_to_end(aside);
                terminators.insert(at, terminator);
            }
            Kind::Loop(node) => {
                if let Some(guard) = &node.guard {
                    old.extend(guard.before.iter().chain(&guard.after));
                }
            }
            Kind::Code(_) => {}
        }
    }
    for &block in &region.chain[from..=to] {
        if !block.is_open() {
            block.terminator().erase();
        }
        old.insert(block);
    }
    old.remove(&first_node.from);

    let mut owned = HashSet::new();
    for node in region.nodes[first..=last].iter().filter_map(|node| node.as_loop()) {
        owned.extend(node.pre.iter().copied());
        owned.extend(node.guard.iter().flat_map(|guard| guard.post.iter().copied()));
    }
    let floating = old.iter().flat_map(|block| block.body()).filter(|instruction| instruction.is_pure());
    let floating = floating.filter(|instruction| !owned.contains(instruction)).collect();
    let mut chain = Chain { func, open: first_node.from, region, floating, dead: Vec::new(), replaced };
    let mut used = HashSet::from([first_node.from]);
    for (cluster, prepared) in clusters.iter().zip(prepared) {
        let node = cluster.members[0];
        if !cluster.members.iter().copied().any(in_range) {
            continue;
        }
        match &region.nodes[node].kind {
            Kind::Code(instruction) => chain.place(*instruction),
            Kind::Opaque { from, inside, join, .. } => {
                let terminator = terminators[&node];
                for instruction in inside.iter().flat_map(|block| block.instructions()).chain(join.phis()) {
                    chain.need_operands(instruction);
                }
                chain.need_operands(terminator);
                terminator.move_to_end(chain.open);
                for block in inside.iter().chain([join]) {
                    block.replace_predecessor(*from, chain.open);
                }
                chain.open = *join;
                used.insert(*join);
            }
            Kind::Loop(_) => chain.fuse(prepared),
        }
    }
    chain.place_what_is_left(&region.chain[from..=to], first, last);
    Builder::at_end(chain.open).branch(rest);
    rest.replace_predecessor(last_node.join, chain.open);
    // Old blocks hold nothing by now, and nothing leads to them.
    let retired: Vec<Block> = old.iter().copied().filter(|block| !used.contains(block)).collect();
    for &block in &retired {
        for instruction in block.instructions().into_iter().rev() {
            instruction.erase();
        }
    }
    for block in retired.into_iter().chain([aside]) {
        block.delete();
    }
    // SAFETY: all are instructions of loops; two loops may share one.
    unsafe { sys::frit_delete_all_dead(chain.dead.as_ptr().cast(), chain.dead.len()) }
}

impl Chain<'_> {
    /// Puts an instruction, and the floating ones that it needs, at the end.
    pub(crate) fn place(&mut self, instruction: Value) {
        self.need_operands(instruction);
        instruction.move_to_end(self.open);
    }

    /// Sees to it that the value is there.
    pub(crate) fn need(&mut self, value: Value) {
        // (value, operands are there)
        let mut work = vec![(value, false)];
        while let Some((value, ready)) = work.pop() {
            if !self.is_floating(value) {
                continue;
            }
            if ready {
                value.move_to_end(self.open);
                self.floating.remove(&value);
            } else {
                work.push((value, true));
                work.extend(value.operands().into_iter().map(|operand| (operand, false)));
            }
        }
    }

    fn is_floating(&self, value: Value) -> bool {
        self.floating.contains(&value)
    }

    pub(crate) fn need_operands(&mut self, instruction: Value) {
        for operand in instruction.operands() {
            self.need(operand);
        }
    }

    /// Floating instructions that no node needed: code behind may.
    fn place_what_is_left(&mut self, chain: &[Block], first: usize, last: usize) {
        let mut blocks: Vec<Block> = chain.to_vec();
        for node in &self.region.nodes[first..=last] {
            if let Some(guard) = node.as_loop().and_then(|node| node.guard.as_ref()) {
                blocks.extend(&guard.before);
            }
        }
        // What nothing uses so far may be what another fusion of this round waits for.
        for block in blocks {
            for instruction in block.instructions() {
                if self.is_floating(instruction) {
                    self.need(instruction);
                }
            }
        }
    }

    pub(crate) fn new_block(&self, name: &str) -> Block {
        let block = self.func.append_block(name);
        block.move_after(self.open);
        block
    }

    /// One loop, or several as one.
    fn fuse(&mut self, prepared: &Prepared) {
        let nodes: Vec<&LoopNode> = prepared
            .strands
            .iter()
            .map(|strand| self.region.nodes[strand.node].as_loop().expect("clusters are of loops"))
            .collect();
        let members: Vec<usize> = prepared.strands.iter().map(|strand| strand.node).collect();
        let late = self.region.late_values(&members);
        for node in &nodes {
            self.need_all_of(node, &late);
        }
        for value in strand::needs(prepared) {
            self.need(value);
        }
        let results = match prepared.check {
            None => self.run(&nodes, prepared, &late),
            Some(check) => self.run_either(&nodes, prepared, check),
        };
        for (old, new) in results {
            old.replace_all_uses_with(new);
            self.replaced.insert(old, new);
        }
    }

    /// What a value is by now.
    pub(crate) fn current(&self, value: Value) -> Value {
        self.replaced.get(&value).copied().unwrap_or(value)
    }

    /// Floating instructions that a loop needs, and what decides whether it is entered.
    fn need_all_of(&mut self, node: &LoopNode, late: &HashSet<Value>) {
        for instruction in node.candidate.blocks.iter().flat_map(|block| block.instructions()) {
            self.need_operands(instruction);
        }
        for operand in node.pre.iter().flat_map(|instruction| instruction.operands()) {
            self.need(operand);
        }
        if let Some(guard) = &node.guard {
            self.need(guard.condition);
            // Copies of the way to the loop hold what is not needed anywhere else, too.
            let way: Vec<Value> = guard.before.iter().flat_map(|block| block.body()).collect();
            for operand in way.iter().flat_map(|instruction| instruction.operands()) {
                if !way.contains(&operand) {
                    self.need(operand);
                }
            }
            for operand in guard.post.iter().flat_map(|instruction| instruction.operands()) {
                self.need(operand);
            }
        }
        for phi in node.exit_phis().into_iter().chain(node.join_phis()) {
            for operand in phi.operands().into_iter().filter(|operand| !late.contains(operand)) {
                self.need(operand);
            }
        }
    }

    /// The fused loop where the check allows it, and the loops as they were elsewhere.
    fn run_either(&mut self, nodes: &[&LoopNode], prepared: &Prepared, check: Value) -> Vec<(Value, Value)> {
        let (fused, plain) = (self.new_block("frit.fused"), self.new_block("frit.apart"));
        let copies: Vec<Copy> = nodes.iter().map(|node| Copy::of(node)).collect();
        let nested = self.region.parent.map(|_| fused);
        strand::tell_apart(self.func, &prepared.apart, nested);
        Builder::at_end(self.open).branch_if(self.current(check), fused, plain);
        self.open = plain;
        let otherwise = self.run_copies(nodes, &copies, check);
        let end_plain = self.open;
        self.open = fused;
        fused.move_after(end_plain);
        let together = self.run(nodes, prepared, &HashSet::new());
        let end_fused = self.open;
        let merge = self.new_block("frit.merge");
        Builder::at_end(end_plain).branch(merge);
        Builder::at_end(end_fused).branch(merge);
        self.open = merge;
        let builder = Builder::at_end(merge);
        let merged = together.into_iter().map(|(old, new)| {
            let phi = builder.phi(old.ty(), &[(new, end_fused), (otherwise[&old], end_plain)], "");
            (old, phi)
        });
        merged.collect()
    }

    /// Runs members as one. Yields what takes the place of each result.
    fn run(&mut self, nodes: &[&LoopNode], prepared: &Prepared, late: &HashSet<Value>) -> Vec<(Value, Value)> {
        let (outside, leave) = match prepared.entry {
            Entry::Together(condition, enters_on) => {
                let (inside, leave) = (self.new_block("frit.enter"), self.func.append_block("frit.leave"));
                let (then, otherwise) = if enters_on { (inside, leave) } else { (leave, inside) };
                Builder::at_end(self.open).branch_if(self.current(condition), then, otherwise);
                let outside = self.open;
                self.open = inside;
                (outside, Some(leave))
            }
            Entry::Always | Entry::Apart | Entry::Checked => (self.open, None),
        };
        let apart = matches!(prepared.entry, Entry::Apart);
        let outs = strand::run(self, nodes, prepared);
        for (&exit_phi, &value) in &outs {
            exit_phi.replace_uses_in(value, &self.blocks_behind(nodes));
        }
        let mut inner: HashMap<Value, Value> = HashMap::new();
        let mut bypass: HashMap<Value, Value> = HashMap::new();
        let mut results = Vec::new();
        for node in nodes {
            let Some(guard) = &node.guard else {
                for phi in node.exit_phis() {
                    let value = outs[&phi];
                    let (own, other) = (inner.get(&value).copied(), bypass.get(&value).copied());
                    let own = own.unwrap_or(value);
                    results.push((phi, own));
                    inner.insert(phi, own);
                    bypass.insert(phi, other.unwrap_or(value));
                }
                continue;
            };
            let replace = |instruction: Value, by: &HashMap<Value, Value>| {
                for operand in instruction.operands() {
                    if let Some(&value) = by.get(&operand) {
                        instruction.replace_operand(operand, value);
                    }
                }
            };
            let round = |phi: Value| phi.incoming_from(node.from);
            let through = |phi: Value| phi.incoming_from(node.last());
            let known = |map: &HashMap<Value, Value>, value: Value| {
                map.get(&value).or(outs.get(&value)).copied().unwrap_or(value)
            };
            if apart && guard.post.is_empty() && node.join_phis().is_empty() {
                // The guard has nothing to decide any more.
            } else if apart {
                // The way through the loop's own guard, once more.
                for value in node.join_phis().into_iter().flat_map(|phi| phi.operands()) {
                    self.need(value);
                }
                let from = self.open;
                let (yes, join) = (self.new_block("frit.after"), self.func.append_block("frit.join"));
                let (then, otherwise) = if guard.enters_on { (yes, join) } else { (join, yes) };
                Builder::at_end(from).branch_if(self.current(guard.condition), then, otherwise);
                self.open = yes;
                for &instruction in &guard.post {
                    replace(instruction, &inner);
                    self.place(instruction);
                }
                let end = self.open;
                Builder::at_end(end).branch(join);
                join.move_after(end);
                self.open = join;
                let builder = Builder::at_end(join);
                for phi in node.join_phis() {
                    let (other, own) = (known(&inner, round(phi)), known(&inner, through(phi)));
                    let new = builder.phi(phi.ty(), &[(other, from), (own, end)], "");
                    inner.insert(phi, new);
                    results.push((phi, new));
                }
            } else {
                for &instruction in &guard.post {
                    replace(instruction, &inner);
                    self.place(instruction);
                }
                for phi in node.join_phis() {
                    let (other, own) = (known(&bypass, round(phi)), known(&inner, through(phi)));
                    bypass.insert(phi, other);
                    inner.insert(phi, own);
                    results.push((phi, own));
                }
            }
        }
        if let (Some(leave), Entry::Together(condition, enters_on)) = (leave, prepared.entry) {
            let end = self.open;
            Builder::at_end(end).branch(leave);
            leave.move_after(end);
            self.open = leave;
            let builder = Builder::at_end(leave);
            // Late values are made from results, so they are there behind the phis only.
            let mut choices = Vec::new();
            for (old, new) in &mut results {
                let other = bypass[old];
                if !late.contains(new) && !late.contains(&other) {
                    *new = builder.phi(old.ty(), &[(other, outside), (*new, end)], "");
                } else if *new != other {
                    let own = match late.contains(new) {
                        true => *new,
                        false => builder.phi(old.ty(), &[(old.ty().poison(), outside), (*new, end)], ""),
                    };
                    choices.push((new, own, other));
                }
            }
            for (new, own, other) in choices {
                self.need(own);
                self.need(other);
                let (then, otherwise) = if enters_on { (own, other) } else { (other, own) };
                *new = Builder::at_end(self.open).select(self.current(condition), then, otherwise);
            }
        }
        for &(_, new) in &results {
            self.need(new);
        }
        results
    }

    /// Blocks in which a member's results are used before they leave its guard.
    fn blocks_behind(&self, nodes: &[&LoopNode]) -> Vec<Block> {
        let guards = nodes.iter().filter_map(|node| node.guard.as_ref());
        guards.flat_map(|guard| guard.after.iter().copied()).collect()
    }

    /// What is executed once before a loop, if that is entered.
    pub(crate) fn before(&mut self, node: &LoopNode, apart: bool) {
        let guard = node.guard.as_ref().filter(|_| apart && !node.pre.is_empty());
        let Some(guard) = guard else {
            for &instruction in &node.pre {
                self.place(instruction);
            }
            return;
        };
        let from = self.open;
        let (yes, join) = (self.new_block("frit.before"), self.func.append_block("frit.begin"));
        let (then, otherwise) = if guard.enters_on { (yes, join) } else { (join, yes) };
        Builder::at_end(from).branch_if(self.current(guard.condition), then, otherwise);
        self.open = yes;
        for &instruction in &node.pre {
            self.place(instruction);
        }
        Builder::at_end(yes).branch(join);
        join.move_after(yes);
        self.open = join;
        let builder = Builder::at_end(join);
        for &instruction in &node.pre {
            let outside = |user: &Value| !node.pre.contains(user);
            if !instruction.ty().is_void() && instruction.users().iter().any(outside) {
                // Where the loop is not entered nobody looks.
                let users: Vec<Value> = instruction.users().into_iter().filter(outside).collect();
                let phi = builder.phi(instruction.ty(), &[(instruction, yes), (instruction.ty().poison(), from)], "");
                for user in users {
                    user.replace_operand(instruction, phi);
                }
            }
        }
    }

    /// Copies of loops one after the other, as the originals were, where the check has failed. Yields what their results are.
    fn run_copies(&mut self, nodes: &[&LoopNode], copies: &[Copy], check: Value) -> HashMap<Value, Value> {
        let mut results: HashMap<Value, Value> = HashMap::new();
        for (node, copy) in nodes.iter().zip(copies) {
            let own = |value: Value| copy.copies.value(value);
            // Results of copies before.
            let blocks: Vec<Block> = copy.originals.iter().map(|&block| copy.copies.block(block)).collect();
            for (&old, &new) in &results {
                old.replace_uses_in(new, &blocks);
            }
            let header = copy.copies.block(node.candidate.header);
            header.terminator().mark(PART);
            match &node.guard {
                None => {
                    let mut own_pre: Vec<(Value, Value)> = Vec::new();
                    for &instruction in &node.pre {
                        let new = instruction.copy_to_end(self.open);
                        for &(old, new_operand) in &own_pre {
                            new.replace_operand(old, new_operand);
                        }
                        instruction.replace_uses_in(new, &blocks);
                        own_pre.push((instruction, new));
                    }
                    let body = Body::copy(node, &copy.copies);
                    let phis = node.exit_phis();
                    let inside: Vec<Value> =
                        phis.iter().map(|phi| own(phi.incoming_from(node.candidate.latch))).collect();
                    strand::enter(self, &[&body], &Exit::Own);
                    let builder = Builder::at_end(self.open);
                    for (&phi, &value) in phis.iter().zip(&inside) {
                        let value = results.get(&value).copied().unwrap_or(value);
                        let new = builder.phi(phi.ty(), &[(value, body.latch)], "");
                        results.insert(phi, new);
                    }
                }
                Some(guard) => {
                    let enter = copy.copies.block(guard.before[0]);
                    let last = copy.copies.block(*guard.after.last().expect("a loop has an exit"));
                    let join = self.func.append_block("frit.join");
                    let (then, otherwise) = if guard.enters_on { (enter, join) } else { (join, enter) };
                    let condition = match guard.condition == check {
                        true => self.func.integer(1).constant(0),
                        false => self.current(guard.condition),
                    };
                    Builder::at_end(self.open).branch_if(condition, then, otherwise);
                    last.terminator().erase();
                    Builder::at_end(last).branch(join);
                    join.move_after(last);
                    let builder = Builder::at_end(join);
                    for phi in node.join_phis() {
                        let other = phi.incoming_from(node.from);
                        let other = results.get(&other).copied().unwrap_or(other);
                        let through = own(phi.incoming_from(node.last()));
                        let through = results.get(&through).copied().unwrap_or(through);
                        results.insert(phi, builder.phi(phi.ty(), &[(other, self.open), (through, last)], ""));
                    }
                    self.open = join;
                }
            }
        }
        results
    }
}

/// A copy of a loop, with what is executed only with it.
struct Copy {
    originals: Vec<Block>,
    copies: crate::ir::Copies,
}

impl Copy {
    fn of(node: &LoopNode) -> Copy {
        let mut originals = Vec::new();
        if let Some(guard) = &node.guard {
            originals.extend(guard.before.iter().copied());
        }
        originals.extend(node.candidate.blocks.iter().copied());
        if let Some(guard) = &node.guard {
            originals.extend(guard.after.iter().copied());
        }
        let copies = crate::ir::Copies::of(&originals, ".apart");
        Copy { originals, copies }
    }
}
