//! Fused loops: what the planner decides, and what contraction and generation start from. The order in which all statement
//! instances run follows from the tree alone: [`schedule`](FusedTree::schedule).

use crate::model::{Loop, Node, Scop, Statement};
use frit_isl::{Error, Map};
use frit_support::{Index, Table};

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

/// How a statement takes part in a fused loop: at time `t` it runs for the value `i` of its loop with `t = scale * i + shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The statement.
    pub statement: Statement,
    /// Its loop that is run here.
    pub source: Loop,
    /// The dimension of its domain that belongs to that loop.
    pub dimension: usize,
    /// Not zero; negative for a loop that runs the other way.
    pub scale: i64,
    /// The alignment.
    pub shift: i64,
}

impl FusedTree {
    /// The order of the source: nothing fused, nothing moved.
    pub fn original(scop: &Scop) -> FusedTree {
        FusedTree { body: scop.body.iter().map(|node| original(scop, node)).collect() }
    }

    /// When each instance of each statement runs: its time in the form `[position, time, position, ..., time, position]`, filled up with zeros
    /// to the same width for all statements. Instances run in lexicographic order of their times.
    ///
    /// The tree holds every statement of `scop` once, in as many loops as the source.
    pub fn schedule(&self, scop: &Scop) -> Result<Table<Statement, Map>, Error> {
        let mut times = Times {
            scop,
            width: 2 * depth(&self.body) + 1,
            prefix: Vec::new(),
            found: vec![None; scop.statements.len()],
        };
        times.visit(&self.body)?;
        Ok(times.found.into_iter().map(|time| time.expect("every statement is in the tree")).collect())
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
        self.members.iter().find(|member| member.statement == statement)
    }
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
        .map(|statement| Member { statement, source, dimension: dimension(statement), scale, shift: 0 })
        .collect();
    Fused::Loop(FusedLoop { members, body, is_parallel: false })
}

/// How many loops of `body` are in each other.
fn depth(body: &[Fused]) -> usize {
    let depth = |fused: &Fused| if let Fused::Loop(fused) = fused { 1 + depth(&fused.body) } else { 0 };
    body.iter().map(depth).max().unwrap_or(0)
}

/// The loops round a place of the tree, while it is walked.
struct Times<'a> {
    scop: &'a Scop,
    width: usize,
    /// The position of each enclosing loop, and the loop.
    prefix: Vec<(usize, &'a FusedLoop)>,
    found: Vec<Option<Map>>,
}

impl<'a> Times<'a> {
    fn visit(&mut self, body: &'a [Fused]) -> Result<(), Error> {
        for (position, fused) in body.iter().enumerate() {
            match fused {
                Fused::Loop(fused) => {
                    self.prefix.push((position, fused));
                    self.visit(&fused.body)?;
                    self.prefix.pop();
                }
                Fused::Statement(statement) => self.found[statement.at()] = Some(self.time(*statement, position)?),
            }
        }
        Ok(())
    }

    /// When a statement at `position` in the innermost enclosing loop runs.
    fn time(&self, statement: Statement, position: usize) -> Result<Map, Error> {
        let domain = &self.scop.statements[statement].domain;
        let mut time = Vec::with_capacity(self.width);
        for (position, fused) in &self.prefix {
            let member = fused.member(statement).expect("every statement in a fused loop is a member of it");
            time.push(position.to_string());
            time.push(format!("{} i{} + {}", member.scale, member.dimension, member.shift));
        }
        time.push(position.to_string());
        time.resize(self.width, "0".to_string());
        let variables: Vec<String> =
            (0..self.scop.statements[statement].loops.len()).map(|at| format!("i{at}")).collect();
        let text = format!("{{ {statement}[{}] -> [{}] }}", variables.join(", "), time.join(", "));
        Map::parse(&self.scop.isl, &text)?.intersect_domain(domain)
    }
}
