//! Loop fusion: which loops run together, in which order their statements run, and how they are aligned.
//! Source:   \[MEM\] sections 2 and 4; the loops of different headers, depths, directions and strides of its section 2.
//! Before:   an expanded region and its dependences.
//! After:    a tree of fused loops in which every dependence leads forwards: [`check`] proves it for every tree that is returned.
//! Work:     every statement instance runs once.
//! Reorders: reductions only as far as the dependences that are given allow.
//!
//! Planning goes from the outermost loops inwards. At each level (`level`)
//!
//! 1. the statements are put into the smallest `units` that can be loops of their own (`distribution`);
//! 2. each unit gets an orientation: which of its loops is run at this level, in which direction, how fast (`orientation`);
//! 3. the planner of `frit_plan::memory` chooses the units that become one loop (`clusters`), by what is between them (`tie`, `edge`) and what
//!    fusing them gains (`gain`);
//! 4. in each of these loops (`outline`), statements are shifted so that no dependence leads backwards and windows are small
//!    (`alignment`);
//! 5. dependences that the loop carries are done with, and its body is the next level.
//!
//! What becomes of arrays in the end is `contraction`'s. Why loops were not fused is a [`Refusal`].

mod alignment;
mod check;
mod clusters;
mod distribution;
mod edge;
mod gain;
mod graph;
mod level;
mod nests;
mod orientation;
mod outline;
mod refusal;
mod report;
mod tie;

pub use check::{check, violated};
pub use frit_plan::memory::Objective;
pub use nests::{Nest, NestGraph, NestTie};
pub use refusal::Refusal;

use crate::dependence::Dependences;
use crate::model::{Array, ArrayData, Loop, Node, Param, Scop, Statement};
use crate::tree::{Fused, FusedLoop, FusedTree};
use edge::Edge;
use frit_isl::Error;
use frit_plan::Log;
use frit_support::Table;
use level::{Facts, Level};
use outline::Outline;
use std::collections::{BTreeMap, BTreeSet};

/// What is wanted of fusion.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a plan is to be the best in. Fusion that saves traffic is done besides where it costs nothing; an input that several
    /// loops read is a reason to fuse them only for [`Objective::Traffic`].
    pub objective: Objective,
    /// The least memory: loops along the rows of a window are fused too, though that hinders vectorisation.
    pub minimal: bool,
    /// Parallel loops are fused only if the fused loop is parallel.
    pub keep_parallel: bool,
    /// At most so many merges, to find the one that matters.
    pub at_most: Option<usize>,
    /// Values of parameters, to compare sizes with.
    pub values: BTreeMap<Param, i64>,
    /// The value of parameters that have none, and of extents that are not known.
    pub nominal: i64,
    /// The function that the region is in, for the log.
    pub function: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            objective: Objective::Size,
            minimal: false,
            keep_parallel: false,
            at_most: None,
            values: BTreeMap::new(),
            nominal: 1000,
            function: String::new(),
        }
    }
}

/// What a region becomes.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The loops after fusion.
    pub tree: FusedTree,
    /// The outermost loops and what is between them; `None` where nothing could be planned.
    pub nests: Option<NestGraph>,
}

/// Plans a region. Where that cannot be done in bounded time, it stays as it is, and the log says so.
pub fn plan(scop: &Scop, dependences: &Dependences, options: &Options, log: &mut Log) -> Planned {
    let decided = log.decisions.len();
    let failure = match planned(scop, dependences, options, log) {
        Ok(planned) => match violated(scop, dependences, &planned.tree) {
            Ok(None) => return planned,
            Ok(Some(wrong)) => {
                let tree = &planned.tree;
                debug_assert!(false, "{}: {} does not lead forwards in {tree:#?}", wrong.array, wrong.relation);
                "the order that was planned could not be proved right".to_string()
            }
            Err(error) => error.to_string(),
        },
        Err(Failure::Isl(error)) => error.to_string(),
        Err(Failure::NoOrder) => {
            debug_assert!(false, "the source's order is always possible");
            "no order was found".to_string()
        }
    };
    log.decisions.truncate(decided);
    report::refused(options, failure, log);
    Planned { tree: FusedTree::original(scop), nests: None }
}

/// Why there is no plan.
enum Failure {
    Isl(Error),
    /// Dependences that no order respects: the planner is wrong somewhere.
    NoOrder,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Isl(error)
    }
}

fn planned(scop: &Scop, dependences: &Dependences, options: &Options, log: &mut Log) -> Result<Planned, Failure> {
    let facts = Facts::new(scop, options)?;
    let is_temporary = |data: &ArrayData| !data.is_live_in && !data.is_live_out;
    let temporaries = scop.arrays.iter().filter(|(_, data)| is_temporary(data)).map(|(array, _)| array).collect();
    let mut left: Table<Statement, Vec<usize>> = scop.statements.iter().map(|_| Vec::new()).collect();
    dimensions(scop, &scop.body, &mut Vec::new(), &mut left);
    let mut edges = Vec::new();
    for dependence in &dependences.order {
        edges.extend(Edge::new(scop, dependence)?);
    }
    let mut planner = Planner { scop, options, facts: &facts, left, budget: options.at_most, log, nests: None };
    let body = planner.body(scop.statements.indices().collect(), edges, temporaries, false)?;
    Ok(Planned { tree: FusedTree { body }, nests: planner.nests })
}

/// The dimensions of each statement in the order of the loops round it.
fn dimensions(scop: &Scop, body: &[Node], outer: &mut Vec<Loop>, found: &mut Table<Statement, Vec<usize>>) {
    for node in body {
        match node {
            Node::Statement(statement) => {
                let loops = &scop.statements[*statement].loops;
                let dimension = |of: &Loop| loops.iter().position(|other| other == of);
                found[*statement] = outer.iter().map(|of| dimension(of).expect("a statement has its loops")).collect();
            }
            Node::Loop(of, inner) => {
                outer.push(*of);
                dimensions(scop, inner, outer, found);
                outer.pop();
            }
        }
    }
}

struct Planner<'a> {
    scop: &'a Scop,
    options: &'a Options,
    facts: &'a Facts,
    /// The dimensions of each statement that no loop outside runs.
    left: Table<Statement, Vec<usize>>,
    /// How many merges may still be made.
    budget: Option<usize>,
    log: &'a mut Log,
    /// The outermost level, once it is planned.
    nests: Option<NestGraph>,
}

impl Planner<'_> {
    /// Plans statements that the loops outside run in one iteration.
    fn body(
        &mut self,
        statements: Vec<Statement>,
        edges: Vec<Edge>,
        temporaries: BTreeSet<Array>,
        is_inside_fused: bool,
    ) -> Result<Vec<Fused>, Failure> {
        let &mut Planner { scop, options, facts, budget, .. } = self;
        let level = Level { scop, options, facts, statements, left: &self.left, edges, temporaries, is_inside_fused };
        let plan = clusters::decide(&level, budget)?;
        report::level(&level, &plan, self.log);
        // The outermost level is the first.
        let nests = self.nests.take().unwrap_or_else(|| NestGraph::new(&level, &plan));
        let mut outlines = Vec::new();
        for cluster in &plan.clusters {
            outlines.push(match (plan.units[cluster[0]].loops.is_empty(), &plan.units[cluster[0]].statements[..]) {
                (true, &[statement]) if cluster.len() == 1 => Err(statement),
                (true, _) => return Err(Failure::NoOrder),
                (false, _) => Ok(plan.outline(&level, cluster)?.ok_or(Failure::NoOrder)?),
            });
        }
        for outline in outlines.iter().flatten() {
            report::alignments(&level, &outline.members, self.log);
        }
        let merges: usize = plan.clusters.iter().map(|cluster| plan.sources(cluster).len() - 1).sum();
        self.budget = budget.map(|budget| budget.saturating_sub(merges));
        self.nests = Some(nests);
        let mut body = Vec::new();
        for outline in outlines {
            body.push(match outline {
                Ok(outline) => self.inside(outline, is_inside_fused)?,
                Err(statement) => Fused::Statement(statement),
            });
        }
        Ok(body)
    }

    /// Plans the body of a loop.
    fn inside(&mut self, outline: Outline, is_inside_fused: bool) -> Result<Fused, Failure> {
        let Outline { members, edges, carried, temporaries, is_fused } = outline;
        let is_parallel = carried.is_empty();
        for member in &members {
            self.left[member.statement].retain(|&dimension| dimension != member.dimension);
        }
        let statements = members.iter().map(|member| member.statement).collect();
        let body = self.body(statements, edges, temporaries, is_inside_fused || is_fused)?;
        Ok(Fused::Loop(FusedLoop { members, body, is_parallel }))
    }
}
