//! Embedding: a statement or a small nest beside a loop is taken for an iteration of that loop, so that it can run inside of the fused loop, at
//! the time at which its slice is due: `x[0] = b[0];` between a loop that makes `b` and one that goes on from `x[0]`, or the rows round an
//! image, which loops of their own write.
//! Source:   the peeling of \[LLVM\], the other way round: what was peeled off a loop goes back into it.
//! Before:   a region, and its dependences.
//! After:    the same instances in the same order, but that statements of an embedded nest may run one after the other; each statement that is
//!           embedded has one more variable, the last one, that of a loop in which it was not before, and dependences have to be computed
//!           again.
//! Work:     the same.
//!
//! Where loops are not fused in the end ([`fusion`](crate::fusion) chooses), the generator makes a statement before the loop of it again.

use crate::dependence::{Dependences, Kind};
use crate::model::{Access, AccessKind, Loop, Node, Scop, Statement};
use frit_isl::{Dim, Error, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// What is embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Statements that a loop has to wait for, and that wait for another loop whose values both need. All others can run before or after
    /// the fused loop.
    Between,
    /// Besides, statements and nests that access a slice of an array of which a deeper nest beside them accesses one slice after the other.
    Borders,
}

/// The region with that embedded; `None` if there is nothing of it, or no border.
pub fn embed(scop: &Scop, dependences: &Dependences, what: What) -> Result<Option<Scop>, Error> {
    let mut search = Search { scop, known: Known::new(scop, dependences), what, pieces: BTreeMap::new(), borders: 0 };
    search.visit(&scop.body, 0)?;
    if search.pieces.is_empty() || (what == What::Borders && search.borders == 0) {
        return Ok(None);
    }
    let mut embedded = scop.clone();
    embedded.body = wrapped(&scop.body, 0, &search.pieces);
    for (&(depth, _), pieces) in &search.pieces {
        for piece in pieces {
            for &statement in &piece.statements {
                let data = &mut embedded.statements[statement];
                let name = statement.to_string();
                let own = data.loops.len();
                data.loops.push(piece.position.of);
                let domain = data.domain.reset_tuple_id()?.add_dims(Dim::Set, 1)?;
                let slice = piece.position.slices.wrap()?.flatten()?.insert_dims(Dim::Set, depth, own - depth)?;
                data.domain = domain.intersect(&slice.reset_tuple_id()?)?.set_tuple_name(&name)?;
                for access in &mut data.accesses {
                    let relation = access.relation.insert_dims(Dim::In, own, 1)?;
                    access.relation = relation.set_tuple_name(Dim::In, &name)?;
                }
            }
        }
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

impl Known {
    fn new(scop: &Scop, dependences: &Dependences) -> Known {
        let mut known = Known::default();
        for dependence in &dependences.order {
            let array = &scop.arrays[dependence.array];
            let is_value = dependence.kind == Kind::Flow && !array.is_live_in && !array.is_live_out;
            known.after.entry(dependence.source).or_default().insert(dependence.sink);
            known.before.entry(dependence.sink).or_default().insert(dependence.source);
            known.values.extend(is_value.then_some((dependence.source, dependence.sink)));
        }
        known
    }

    fn has_values_between(&self, one: Statement, other: Statement) -> bool {
        self.values.contains(&(one, other)) || self.values.contains(&(other, one))
    }
}

/// A loop that statements become an iteration of.
#[derive(Clone)]
struct Position {
    of: Loop,
    /// From the loops outside to the iteration.
    slices: Map,
}

/// Statements of a nest, or one outside of loops, that are embedded together.
struct Piece {
    statements: Vec<Statement>,
    position: Position,
}

/// By depth and first statement of a node, what is embedded of it.
type Pieces = BTreeMap<(usize, Statement), Vec<Piece>>;

struct Search<'a> {
    scop: &'a Scop,
    known: Known,
    what: What,
    pieces: Pieces,
    /// How many of the nodes are no statements between loops.
    borders: usize,
}

impl Search<'_> {
    fn visit(&mut self, body: &[Node], depth: usize) -> Result<(), Error> {
        let alone: BTreeSet<Statement> = body.iter().filter_map(statement).collect();
        let in_loops: BTreeSet<Statement> = body.iter().flat_map(collected).filter(|of| !alone.contains(of)).collect();
        for node in body {
            let statements = collected(node);
            let between = if statement(node).is_some() {
                self.between(statements[0], &alone, &in_loops, depth)?
            } else {
                Vec::new()
            };
            let is_border = between.is_empty() && self.what == What::Borders;
            let pieces = if is_border { self.borders(&statements, &in_loops, depth)? } else { between };
            if !pieces.is_empty() {
                self.borders += usize::from(is_border);
                self.pieces.insert((depth, statements[0]), pieces);
            } else if let Node::Loop(_, inner) = node {
                self.visit(inner, depth + 1)?;
            }
        }
        Ok(())
    }

    /// A statement between two loops whose values both need.
    fn between(
        &self,
        statement: Statement,
        alone: &BTreeSet<Statement>,
        in_loops: &BTreeSet<Statement>,
        depth: usize,
    ) -> Result<Vec<Piece>, Error> {
        let before = reach(statement, &self.known.before, alone, in_loops);
        let after = reach(statement, &self.known.after, alone, in_loops);
        let is_between = before.iter().any(|&one| after.iter().any(|&other| self.known.values.contains(&(one, other))));
        if !is_between || !self.is_understood(statement) {
            return Ok(Vec::new());
        }
        let source = |of: &Statement| self.scop.statements[*of].loops[depth];
        let loops: BTreeSet<Loop> = after.iter().map(source).collect();
        let others = in_loops.iter().copied().filter(|of| loops.contains(&source(of))).collect();
        let position = self.position(statement, &others, in_loops, depth)?;
        Ok(position.map(|position| Piece { statements: vec![statement], position }).into_iter().collect())
    }

    /// A statement or a nest that accesses slices of arrays of which deeper nests access one slice after the other. Statements of a nest that
    /// are about different slices become nests of their own, if they can run one after the other.
    fn borders(
        &self,
        statements: &[Statement],
        in_loops: &BTreeSet<Statement>,
        depth: usize,
    ) -> Result<Vec<Piece>, Error> {
        let others: BTreeSet<Statement> = in_loops.iter().copied().filter(|of| !statements.contains(of)).collect();
        let is_tied = |&one: &Statement| others.iter().any(|&other| self.known.has_values_between(one, other));
        if !statements.iter().any(is_tied) || !statements.iter().all(|&of| self.is_understood(of)) {
            return Ok(Vec::new());
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut without = Vec::new();
        for &statement in statements {
            let Some(position) = self.position(statement, &others, in_loops, depth)? else {
                without.push(statement);
                continue;
            };
            let mut known = None;
            for (at, piece) in pieces.iter().enumerate() {
                if piece.position.of == position.of && piece.position.slices.is_equal(&position.slices)? {
                    known = Some(at);
                }
            }
            match known {
                Some(at) => pieces[at].statements.push(statement),
                None => pieces.push(Piece { statements: vec![statement], position }),
            }
        }
        if let [piece] = &mut pieces[..] {
            for &other in &without {
                if !covers(&piece.position.slices, &self.scop.statements[other].domain, depth)? {
                    return Ok(Vec::new());
                }
            }
            piece.statements = statements.to_vec();
            return Ok(pieces);
        }
        let part = |of: Statement| pieces.iter().position(|piece| piece.statements.contains(&of));
        let is_backwards = |&(one, other): &(Statement, Statement)| part(one) > part(other);
        let mut inside = statements.iter().flat_map(|&one| {
            let after = self.known.after.get(&one).into_iter().flatten();
            after.filter(|other| statements.contains(other)).map(move |&other| (one, other))
        });
        let can_be_split = without.is_empty() && !inside.any(|pair| is_backwards(&pair));
        Ok(if can_be_split { pieces } else { Vec::new() })
    }

    fn is_understood(&self, statement: Statement) -> bool {
        let data = &self.scop.statements[statement];
        data.opaque.is_none() && data.accesses.iter().all(|access| access.is_exact)
    }

    /// The iteration of a loop round one of the others in which that accesses the slice that a statement is about: one that both write, if
    /// there is one.
    fn position(
        &self,
        statement: Statement,
        others: &BTreeSet<Statement>,
        in_loops: &BTreeSet<Statement>,
        depth: usize,
    ) -> Result<Option<Position>, Error> {
        let scop = self.scop;
        let source = |of: Statement| scop.statements[of].loops[depth];
        let is_opaque = |of: &&Statement| scop.statements[**of].opaque.is_some();
        let opaque: BTreeSet<Loop> = in_loops.iter().filter(is_opaque).map(|&of| source(of)).collect();
        let data = &scop.statements[statement];
        let is_deeper =
            |of: &&Statement| scop.statements[**of].loops.len() > data.loops.len() && !opaque.contains(&source(**of));
        let others: Vec<Statement> = others.iter().filter(is_deeper).copied().collect();
        for (writes, is_like_written) in [(true, true), (true, false), (false, false), (false, true)] {
            let is_written = |access: &&Access| access.kind != AccessKind::Read;
            for access in data.accesses.iter().filter(|access| is_written(access) == writes) {
                for &other in &others {
                    let likes = scop.statements[other].accesses.iter();
                    let likes = likes.filter(|like| like.array == access.array && like.is_exact);
                    for like in likes.filter(|like| is_written(like) == is_like_written) {
                        for dimension in 0..like.relation.dim(Dim::Out)? {
                            if let Some(slices) = slices(scop, &data.domain, access, like, depth, dimension)? {
                                return Ok(Some(Position { of: source(other), slices }));
                            }
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

/// From the values of `depth` loops outside to the value of the next loop round an access with which it has the same subscript as another
/// access, if there is just one for all instances in `domain`.
fn slices(
    scop: &Scop,
    domain: &Set,
    access: &Access,
    like: &Access,
    depth: usize,
    dimension: usize,
) -> Result<Option<Map>, Error> {
    let outer = (0..depth).map(|at| format!("o{at}")).collect::<Vec<_>>().join(", ");
    let subscript = |access: &Access, loops: usize| {
        let relation = access.relation.project_out(Dim::In, loops, access.relation.dim(Dim::In)? - loops)?;
        let rank = relation.dim(Dim::Out)?;
        let relation = relation.project_out(Dim::Out, dimension + 1, rank - dimension - 1)?;
        let subscript = relation.project_out(Dim::Out, 0, dimension)?.reset_tuple_id(Dim::In)?;
        let inner = if loops > depth { if depth > 0 { ", i" } else { "i" } } else { "" };
        let outside = Map::parse(&scop.isl, &format!("{{ [{outer}{inner}] -> [{outer}] }}"))?;
        outside.flat_range_product(&subscript.reset_tuple_id(Dim::Out)?)
    };
    let iteration = subscript(access, depth)?.apply_range(&subscript(like, depth + 1)?.reverse()?)?;
    let iteration = iteration.project_out(Dim::Out, 0, depth)?;
    let slices = iteration.coalesce()?;
    Ok((slices.is_single_valued()? && covers(&slices, domain, depth)?).then_some(slices))
}

/// Whether every instance in `domain` has a value of the loop that it is embedded in: none may be lost.
fn covers(slices: &Map, domain: &Set, depth: usize) -> Result<bool, Error> {
    let instances = domain.project_out(Dim::Set, depth, domain.dim(Dim::Set)? - depth)?.reset_tuple_id()?;
    instances.is_subset(&slices.domain()?)
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

/// The statement that a node is.
fn statement(node: &Node) -> Option<Statement> {
    match node {
        Node::Statement(statement) => Some(*statement),
        Node::Loop(..) => None,
    }
}

/// The statements in a node, in the order of the text.
fn collected(node: &Node) -> Vec<Statement> {
    match node {
        Node::Statement(statement) => vec![*statement],
        Node::Loop(_, inner) => inner.iter().flat_map(collected).collect(),
    }
}

/// A body with loops round what is embedded.
fn wrapped(body: &[Node], depth: usize, pieces: &Pieces) -> Vec<Node> {
    let mut found = Vec::new();
    for node in body {
        let first = collected(node).first().copied();
        match (first.and_then(|first| pieces.get(&(depth, first))), node) {
            (Some(pieces), _) => found.extend(
                pieces
                    .iter()
                    .map(|piece| Node::Loop(piece.position.of, only(std::slice::from_ref(node), &piece.statements))),
            ),
            (None, Node::Loop(of, inner)) => found.push(Node::Loop(*of, wrapped(inner, depth + 1, pieces))),
            (None, Node::Statement(_)) => found.push(node.clone()),
        }
    }
    found
}

/// What is left of a body with some statements only.
fn only(body: &[Node], statements: &[Statement]) -> Vec<Node> {
    let mut found = Vec::new();
    for node in body {
        match node {
            Node::Statement(statement) => found.extend(statements.contains(statement).then(|| node.clone())),
            Node::Loop(of, inner) => {
                let inner = only(inner, statements);
                found.extend((!inner.is_empty()).then_some(Node::Loop(*of, inner)));
            }
        }
    }
    found
}
