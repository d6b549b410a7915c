//! Fused loops: what the planner decides, and what contraction and generation start from. The order in which all statement
//! instances run follows from the tree alone: [`schedule`](FusedTree::schedule).

use crate::model::{Loop, Node, Param, Scop, Statement};
use frit_isl::{BasicMap, Constraint, Dim, Error, LocalSpace, Map, Set, Space, Val};
use frit_support::{Index, Table};
use std::cmp::Ordering;

/// The loops after fusion, in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusedTree {
    /// Loops and statements outside of all loops.
    pub body: Vec<Fused>,
}

/// A fused loop or a statement, in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fused {
    /// A loop.
    Loop(FusedLoop),
    /// A statement: every loop round it in the source is round it here, though not always in the same order.
    Statement(Statement),
}

/// One loop that does what loops of the source did, each moved to a common time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusedLoop {
    /// One entry for each statement in the body, at any depth; ascending.
    pub members: Vec<Member>,
    /// What runs in an iteration.
    pub body: Vec<Fused>,
    /// No dependence is carried by this loop: its iterations may run in any order.
    pub is_parallel: bool,
}

/// How a statement takes part in a fused loop: at time `t` it runs for the value `i` of its loop with `t = scale * i + offset + shift`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The statement.
    pub statement: Statement,
    /// Its loop that is run here.
    pub source: Loop,
    /// The dimension of its domain that belongs to that loop.
    pub dimension: usize,
    /// Not zero; negative for a loop that runs the other way.
    pub scale: i64,
    /// The part of the alignment that is a sum of multiples of parameters, ascending: `n` where a loop runs backwards from `n - 1`.
    pub offset: Vec<(Param, i64)>,
    /// The constant part of the alignment.
    pub shift: i64,
}

impl FusedTree {
    /// The order of the source: nothing fused, nothing moved.
    pub fn original(scop: &Scop) -> FusedTree {
        FusedTree { body: scop.body.iter().map(|node| original(scop, node)).collect() }
    }

    /// Everything runs as in the source, whatever is known of loops that are parallel.
    pub fn is_original(&self, scop: &Scop) -> bool {
        have_one_order(&self.body, &FusedTree::original(scop).body)
    }

    /// When each instance of each statement runs, as a relation from instances to times.
    ///
    /// The tree holds every statement of `scop` once, in as many loops as the source.
    pub fn schedule(&self, scop: &Scop) -> Result<Table<Statement, Map>, Error> {
        self.times(scop).iter().map(|(statement, time)| time.relation(&scop.statements[statement].domain)).collect()
    }

    /// When each instance of each statement runs; all times have the same length.
    pub(crate) fn times(&self, scop: &Scop) -> Table<Statement, Time> {
        let mut times =
            Times { width: 2 * depth(&self.body) + 1, prefix: Vec::new(), found: vec![None; scop.statements.len()] };
        times.visit(&self.body);
        times.found.into_iter().map(|time| time.expect("every statement is in the tree")).collect()
    }

    /// The statements in the order of the tree.
    pub fn statements(&self) -> Vec<Statement> {
        let mut found = Vec::new();
        self.body.iter().for_each(|fused| fused.collect(&mut found));
        found
    }
}

impl Fused {
    /// The statements in it, in the order of the tree.
    pub fn statements(&self) -> Vec<Statement> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Vec<Statement>) {
        match self {
            Fused::Loop(fused) => fused.body.iter().for_each(|inner| inner.collect(found)),
            Fused::Statement(statement) => found.push(*statement),
        }
    }
}

impl FusedLoop {
    /// How a statement takes part, if it is in the loop.
    pub fn member(&self, statement: Statement) -> Option<&Member> {
        let at = self.members.binary_search_by_key(&statement, |member| member.statement).ok()?;
        Some(&self.members[at])
    }
}

impl Member {
    /// That a number of the range of a relation from instances is the time of this loop. The space has all parameters.
    pub(crate) fn at_number(&self, number: usize, space: &Space) -> Result<Constraint, Error> {
        Part::of(self).at_number(number, space)
    }
}

fn have_one_order(one: &[Fused], other: &[Fused]) -> bool {
    let are_same = |pair: (&Fused, &Fused)| match pair {
        (Fused::Loop(one), Fused::Loop(other)) => {
            one.members == other.members && have_one_order(&one.body, &other.body)
        }
        (Fused::Statement(one), Fused::Statement(other)) => one == other,
        (Fused::Loop(_), Fused::Statement(_)) | (Fused::Statement(_), Fused::Loop(_)) => false,
    };
    one.len() == other.len() && one.iter().zip(other).all(are_same)
}

/// A part of the source as a fused tree.
fn original(scop: &Scop, node: &Node) -> Fused {
    let (source, body) = match node {
        Node::Statement(statement) => return Fused::Statement(*statement),
        Node::Loop(source, body) => (*source, body),
    };
    let body: Vec<Fused> = body.iter().map(|node| original(scop, node)).collect();
    let mut statements: Vec<Statement> = body.iter().flat_map(Fused::statements).collect();
    statements.sort_unstable();
    let scale = if scop.loops[source].is_reversed { -1 } else { 1 };
    let dimension = |statement: Statement| {
        let loops = &scop.statements[statement].loops;
        loops.iter().position(|of| *of == source).expect("a statement in a loop has it among its loops")
    };
    let members = statements.into_iter();
    let members = members
        .map(|statement| Member {
            statement,
            source,
            dimension: dimension(statement),
            scale,
            offset: Vec::new(),
            shift: 0,
        })
        .collect();
    Fused::Loop(FusedLoop { members, body, is_parallel: false })
}

/// How many loops of `body` are in each other.
fn depth(body: &[Fused]) -> usize {
    let depth = |fused: &Fused| if let Fused::Loop(fused) = fused { 1 + depth(&fused.body) } else { 0 };
    body.iter().map(depth).max().unwrap_or(0)
}

/// When the instances of a statement run: `[position, time, position, ..., time, position]`, filled up with zeros. Instances run in the
/// lexicographic order of their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Time(Vec<Part>);

/// A number of a [`Time`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// The same for all instances.
    Position(i64),
    /// `scale` times a variable of the instance, plus multiples of parameters, plus `shift`.
    Iteration { dimension: usize, scale: i64, offset: Vec<(Param, i64)>, shift: i64 },
}

impl Time {
    /// The times turned round: what is later becomes earlier.
    pub(crate) fn reversed(&self) -> Time {
        let reversed = |part: &Part| match part {
            Part::Position(at) => Part::Position(-at),
            Part::Iteration { dimension, scale, offset, shift } => {
                let offset = offset.iter().map(|(param, factor)| (*param, -factor)).collect();
                Part::Iteration { dimension: *dimension, scale: -scale, offset, shift: -shift }
            }
        };
        Time(self.0.iter().map(reversed).collect())
    }

    /// The time of something that an instance does: what it does in a smaller phase it does earlier.
    pub(crate) fn in_phase(&self, phase: i64) -> Time {
        let mut parts = self.0.clone();
        parts.push(Part::Position(phase));
        Time(parts)
    }

    /// How many numbers it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The node of the tree's body that the statement is in.
    pub(crate) fn nest(&self) -> i64 {
        match self.0[0] {
            Part::Position(at) => at,
            Part::Iteration { .. } => unreachable!("a time begins with a position"),
        }
    }

    /// A space with the parameters that times depend on.
    fn with_params(&self, mut space: Space) -> Result<Space, Error> {
        for part in &self.0 {
            let Part::Iteration { offset, .. } = part else { continue };
            for (param, _) in offset {
                let name = param.to_string();
                if space.find_dim_by_name(Dim::Param, &name)?.is_none() {
                    let at = space.dim(Dim::Param)?;
                    space = space.add_dims(Dim::Param, 1)?.set_dim_name(Dim::Param, at, &name)?;
                }
            }
        }
        Ok(space)
    }

    /// From the instances in `domain` to their times.
    pub(crate) fn relation(&self, domain: &Set) -> Result<Map, Error> {
        let domain = domain.align_params(&self.with_params(domain.get_space()?)?)?;
        let instances = domain.get_space()?;
        let times = instances.params()?.add_unnamed_tuple_ui(self.0.len())?;
        let space = Space::map_from_domain_and_range(&instances, &times)?;
        let mut relation = BasicMap::universe(&space)?;
        for (number, part) in self.0.iter().enumerate() {
            relation = relation.add_constraint(&part.at_number(number, &space)?)?;
        }
        Map::from_basic_map(&relation)?.intersect_domain(&domain)
    }

    /// The pairs of `relation`, from instances that run at this time to instances that run at another, of which the first runs earlier.
    pub(crate) fn before(&self, other: &Time, relation: &Map) -> Result<Map, Error> {
        let relation = relation.align_params(&other.with_params(self.with_params(relation.get_space()?)?)?)?;
        let space = relation.get_space()?;
        let local = LocalSpace::from_space(&space)?;
        let (mut found, mut equal) = (Map::empty(&space)?, relation);
        for (one, other) in self.0.iter().zip(&other.0) {
            if let (Part::Position(one), Part::Position(other)) = (one, other) {
                match one.cmp(other) {
                    Ordering::Less => return found.union(&equal),
                    Ordering::Equal => continue,
                    Ordering::Greater => return Ok(found),
                }
            }
            // By how much the second is later, less a number.
            let later = |by: i32, kind: fn(&LocalSpace) -> Result<Constraint, Error>| {
                let less = kind(&local)?.set_constant_si(-by)?;
                other.add_to(&one.add_to(&less, &space, Dim::In, -1)?, &space, Dim::Out, 1)
            };
            found = found.union(&equal.add_constraint(&later(1, Constraint::alloc_inequality)?)?)?;
            equal = equal.add_constraint(&later(0, Constraint::alloc_equality)?)?;
            if equal.plain_is_empty()? {
                break;
            }
        }
        Ok(found)
    }
}

impl Part {
    fn of(member: &Member) -> Part {
        let &Member { dimension, scale, ref offset, shift, .. } = member;
        Part::Iteration { dimension, scale, offset: offset.clone(), shift }
    }

    /// That a number of the range of a relation from instances is this one.
    fn at_number(&self, number: usize, space: &Space) -> Result<Constraint, Error> {
        let local = LocalSpace::from_space(space)?;
        let equal = Constraint::alloc_equality(&local)?.set_coefficient_si(Dim::Out, number, -1)?;
        self.add_to(&equal, space, Dim::In, 1)
    }

    /// A constraint with `sign` times this number more, where instances are dimensions of a kind.
    fn add_to(&self, constraint: &Constraint, space: &Space, kind: Dim, sign: i64) -> Result<Constraint, Error> {
        let context = constraint.context();
        let more = |before: Val, value: i64| before.add(&Val::int_from_si(context, sign * value)?);
        let constant = constraint.get_constant_val()?;
        match self {
            Part::Position(at) => constraint.set_constant_val(&more(constant, *at)?),
            Part::Iteration { dimension, scale, offset, shift } => {
                let mut sum = constraint.set_constant_val(&more(constant, *shift)?)?;
                let scale = Val::int_from_si(context, sign * scale)?;
                sum = sum.set_coefficient_val(kind, *dimension, &scale)?;
                for (param, factor) in offset {
                    let at = space.find_dim_by_name(Dim::Param, &param.to_string())?;
                    let at = at.expect("the space has all parameters");
                    let before = sum.get_coefficient_val(Dim::Param, at)?;
                    sum = sum.set_coefficient_val(Dim::Param, at, &more(before, *factor)?)?;
                }
                Ok(sum)
            }
        }
    }
}

/// The loops round a place of the tree, while it is walked.
struct Times<'a> {
    width: usize,
    /// The position of each enclosing loop, and the loop.
    prefix: Vec<(usize, &'a FusedLoop)>,
    found: Vec<Option<Time>>,
}

impl<'a> Times<'a> {
    fn visit(&mut self, body: &'a [Fused]) {
        for (position, fused) in body.iter().enumerate() {
            match fused {
                Fused::Loop(fused) => {
                    self.prefix.push((position, fused));
                    self.visit(&fused.body);
                    self.prefix.pop();
                }
                Fused::Statement(statement) => self.found[statement.at()] = Some(self.time(*statement, position)),
            }
        }
    }

    /// When a statement at `position` in the innermost enclosing loop runs.
    fn time(&self, statement: Statement, position: usize) -> Time {
        let place = |position: usize| Part::Position(i64::try_from(position).expect("trees have fewer nodes"));
        let mut parts = Vec::with_capacity(self.width);
        for (position, fused) in &self.prefix {
            let member = fused.member(statement).expect("every statement in a fused loop is a member of it");
            parts.extend([place(*position), Part::of(member)]);
        }
        parts.push(place(position));
        parts.resize(self.width, Part::Position(0));
        Time(parts)
    }
}
