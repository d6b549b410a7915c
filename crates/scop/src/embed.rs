//! Embedding: a statement between two loops is taken for an iteration of the second, so that it can run inside of the fused loop, at the
//! time at which its element is due: `x[0] = b[0];` between a loop that makes `b` and one that goes on from `x[0]`.
//! Source:   the peeling of \[LLVM\], the other way round: what was peeled off a loop goes back into it.
//! Before:   a region, and its dependences.
//! After:    the same instances in the same order; each statement that is embedded has one more variable, that of a loop in which it was
//!           not before, and dependences have to be computed again.
//! Work:     the same.
//!
//! Only statements that a loop has to wait for, and that wait for another loop whose values both need, are embedded: all others can run
//! before or after the fused loop. Where loops are not fused in the end ([`fusion`](crate::fusion) chooses), the generator makes a statement
//! before the loop of it again.

use crate::dependence::{Dependences, Kind};
use crate::model::{Access, Loop, Node, Scop, Statement};
use frit_isl::{Dim, Error};
use std::collections::{BTreeMap, BTreeSet};

/// The region with statements embedded; `None` if there are none to embed.
pub fn embed(scop: &Scop, dependences: &Dependences) -> Result<Option<Scop>, Error> {
    let mut known = Known::default();
    for dependence in &dependences.order {
        let array = &scop.arrays[dependence.array];
        let is_value = dependence.kind == Kind::Flow && !array.is_live_in && !array.is_live_out;
        known.after.entry(dependence.source).or_default().insert(dependence.sink);
        known.before.entry(dependence.sink).or_default().insert(dependence.source);
        known.values.extend(is_value.then_some((dependence.source, dependence.sink)));
    }
    let mut places = Vec::new();
    find(scop, &known, &scop.body, 0, &mut places)?;
    if places.is_empty() {
        return Ok(None);
    }
    let mut embedded = scop.clone();
    for (statement, position, of) in places {
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

/// What is known of dependences.
#[derive(Default)]
struct Known {
    after: BTreeMap<Statement, BTreeSet<Statement>>,
    before: BTreeMap<Statement, BTreeSet<Statement>>,
    /// Statements between which values go through temporary arrays.
    values: BTreeSet<(Statement, Statement)>,
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

/// Statements of a body to embed, each with the loop that it becomes an iteration of.
fn find(
    scop: &Scop,
    known: &Known,
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
                find(scop, known, inner, depth + 1, places)?;
            }
        }
    }
    let is_understood = |statement: Statement| scop.statements[statement].opaque.is_none();
    let opaque: BTreeSet<Loop> =
        in_loops.iter().filter(|of| !is_understood(**of)).map(|&of| scop.statements[of].loops[depth]).collect();
    for &statement in &alone {
        let is_exact = scop.statements[statement].accesses.iter().all(|access| access.is_exact);
        if !is_exact || !is_understood(statement) {
            continue;
        }
        let before = reach(statement, &known.before, &alone, &in_loops);
        let after = reach(statement, &known.after, &alone, &in_loops);
        let is_between = before.iter().any(|&one| after.iter().any(|&other| known.values.contains(&(one, other))));
        let mut others = after.iter().filter(|other| !opaque.contains(&scop.statements[**other].loops[depth]));
        if is_between && let Some((position, of)) = position(scop, statement, &mut others, depth)? {
            places.push((statement, position, of));
        }
    }
    Ok(())
}

/// The statements in loops that a statement leads to, directly or over statements that are in none.
fn reach(
    from: Statement,
    next: &BTreeMap<Statement, BTreeSet<Statement>>,
    alone: &BTreeSet<Statement>,
    in_loops: &BTreeSet<Statement>,
) -> BTreeSet<Statement> {
    let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        for &other in next.get(&at).into_iter().flatten() {
            if found.insert(other) && alone.contains(&other) {
                open.push(other);
            }
        }
    }
    found.intersection(in_loops).copied().collect()
}

/// The subscript of a statement that stands where loops have their variable.
fn position<'a>(
    scop: &Scop,
    statement: Statement,
    others: &mut impl Iterator<Item = &'a Statement>,
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
