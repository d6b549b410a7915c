//! Embedding: a statement between two loops becomes a loop of one iteration, so that it can run inside of the fused loop, at the time at
//! which its element is due: `x[0] = b[0];` between a loop that makes `b` and one that goes on from `x[0]`.
//! Source:   the peeling of \[LLVM\], the other way round: what was peeled off a loop goes back into it.
//! Before:   a region, and its dependences.
//! After:    the same instances in the same order, with one more variable for each statement that is embedded; dependences have to be
//!           computed again.
//! Work:     the same.
//!
//! Only statements that a loop has to wait for, and that wait for another loop, are embedded: all others can run before or after the fused
//! loop. Whether the loop is fused is [`fusion`](crate::fusion)'s choice; if not, the generator makes a statement of it again.

use crate::dependence::Dependences;
use crate::model::{Access, Loop, LoopData, Node, Scop, Statement};
use frit_isl::{Dim, Error};
use std::collections::{BTreeMap, BTreeSet};

/// The region with statements embedded; `None` if there are none to embed.
pub fn embed(scop: &Scop, dependences: &Dependences) -> Result<Option<Scop>, Error> {
    let mut next: BTreeMap<Statement, BTreeSet<Statement>> = BTreeMap::new();
    for dependence in &dependences.order {
        next.entry(dependence.source).or_default().insert(dependence.sink);
    }
    let mut places = Vec::new();
    find(scop, &next, &scop.body, 0, &mut places)?;
    if places.is_empty() {
        return Ok(None);
    }
    let mut embedded = scop.clone();
    for (statement, position, like) in places {
        let (name, is_reversed) = (scop.loops[like].name.clone(), false);
        let of = embedded.loops.push(LoopData { name, is_reversed, span: scop.statements[statement].span });
        let data = &mut embedded.statements[statement];
        let depth = data.loops.len();
        data.loops.push(of);
        let name = statement.to_string();
        data.domain = position.apply_to(&data.domain)?.set_tuple_name(&name)?;
        for access in &mut data.accesses {
            let relation = access.relation.insert_dims(Dim::In, depth, 1)?;
            access.relation = relation.set_tuple_name(Dim::In, &name)?;
        }
        wrap(&mut embedded.body, statement, of);
    }
    Ok(Some(embedded))
}

/// The element that a statement is about.
struct Position {
    access: Access,
    dimension: usize,
}

impl Position {
    /// The instances with the subscript as one more variable.
    fn apply_to(&self, domain: &frit_isl::Set) -> Result<frit_isl::Set, Error> {
        let relation = self.access.relation.intersect_domain(domain)?;
        let rank = relation.dim(Dim::Out)?;
        let relation = relation.project_out(Dim::Out, self.dimension + 1, rank - self.dimension - 1)?;
        relation.project_out(Dim::Out, 0, self.dimension)?.wrap()?.flatten()
    }
}

/// Statements of a body to embed, each with a loop of which the new one is like.
fn find(
    scop: &Scop,
    next: &BTreeMap<Statement, BTreeSet<Statement>>,
    body: &[Node],
    depth: usize,
    places: &mut Vec<(Statement, Position, Loop)>,
) -> Result<(), Error> {
    let (mut alone, mut in_loops) = (BTreeSet::new(), BTreeSet::new());
    for node in body {
        match node {
            Node::Statement(statement) => {
                alone.insert(*statement);
            }
            Node::Loop(_, inner) => {
                collect(inner, &mut in_loops);
                find(scop, next, inner, depth + 1, places)?;
            }
        }
    }
    let reach = |from: Statement, forwards: bool| {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let is_next = |other: &Statement| {
                let (source, sink) = if forwards { (at, *other) } else { (*other, at) };
                next.get(&source).is_some_and(|sinks| sinks.contains(&sink))
            };
            for other in alone.iter().chain(&in_loops).copied().filter(is_next) {
                if found.insert(other) && alone.contains(&other) {
                    open.push(other);
                }
            }
        }
        found.into_iter().filter(|other| in_loops.contains(other)).collect::<Vec<Statement>>()
    };
    for &statement in &alone {
        let data = &scop.statements[statement];
        let is_understood = data.opaque.is_none() && data.accesses.iter().all(|access| access.is_exact);
        let (before, after) = (reach(statement, false), reach(statement, true));
        if !is_understood || before.is_empty() || after.is_empty() {
            continue;
        }
        if let Some((position, like)) = position(scop, statement, before.iter().chain(&after), depth)? {
            places.push((statement, position, like));
        }
    }
    Ok(())
}

/// The subscript of a statement that stands where loops have their variable.
fn position<'a>(
    scop: &Scop,
    statement: Statement,
    others: impl Iterator<Item = &'a Statement>,
    depth: usize,
) -> Result<Option<(Position, Loop)>, Error> {
    for other in others.map(|&other| &scop.statements[other]) {
        for access in &scop.statements[statement].accesses {
            for like in other.accesses.iter().filter(|like| like.array == access.array && like.is_exact) {
                for dimension in 0..like.relation.dim(Dim::Out)? {
                    if follows(like, depth, dimension)? {
                        return Ok(Some((Position { access: access.clone(), dimension }, other.loops[depth])));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// A subscript goes with a loop variable.
fn follows(access: &Access, variable: usize, dimension: usize) -> Result<bool, Error> {
    for part in access.relation.basic_maps()? {
        for constraint in part.constraints()? {
            let is_tied = constraint.is_equality()?
                && constraint.involves_dims(Dim::In, variable, 1)?
                && constraint.involves_dims(Dim::Out, dimension, 1)?;
            if is_tied {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn collect(body: &[Node], found: &mut BTreeSet<Statement>) {
    for node in body {
        match node {
            Node::Statement(statement) => {
                found.insert(*statement);
            }
            Node::Loop(_, inner) => collect(inner, found),
        }
    }
}

/// Puts a loop round a statement.
fn wrap(body: &mut [Node], statement: Statement, of: Loop) {
    for node in body {
        match node {
            Node::Statement(found) if *found == statement => *node = Node::Loop(of, vec![Node::Statement(statement)]),
            Node::Statement(_) => {}
            Node::Loop(_, inner) => wrap(inner, statement, of),
        }
    }
}
