//! With-loop merges on the array IR. Rules are one file each, with proof and application apart.
//!
//! - [`access`]: how statements read arrays, and how often; [`block_graph`]: what has to run before what; [`cost`]: what
//!   repeating a body costs; [`refusal`]: why a merge would be wrong;
//! - [`with_loop_folding`], [`with_loop_fusion`]: the merges; [`operator_splitting`]: what makes some of them possible;
//! - [`generators`]: the algebra of generators; [`hull`]: different spaces and generators made the same; [`coalescing`]: fewer
//!   generators; [`full_partition`]: sources of `modarray`s read by generators;
//! - [`with_loop_scalarisation`], [`iswim`], [`reduce_interchange`], [`loop_interchange`], [`loop_absorption`], [`loop_parallelisation`]: the rules about nests; [`nest`]: what they share, and the
//!   splitting of a nest again;
//! - [`index_set_splitting`], [`unswitching`]: branches taken out of loops when all merges are made;
//! - `planning`: the graph of a block for the planner, and the making of its plan;
//! - `stretches`: long blocks in parts; `checkpoint`: what is only tried, taken back;
//! - [`traffic`]: what a function moves to and from memory, for reports;
//! - [`RULES`]: the catalogue of rules.

pub mod access;
pub mod alignment;
pub mod assemble;
pub mod block_graph;
mod checkpoint;
pub mod coalescing;
mod contraction;
pub mod cost;
pub mod full_partition;
mod fusion_graph;
pub mod generators;
pub mod hull;
pub mod index_set_splitting;
pub mod iswim;
pub mod loop_absorption;
pub mod loop_interchange;
pub mod loop_parallelisation;
pub mod nest;
pub mod operator_splitting;
mod planning;
pub mod reduce_interchange;
mod references;
mod refining;
pub mod refusal;
mod replace;
mod stretches;
mod touched;
pub mod traffic;
pub mod unswitching;
pub mod with_loop_folding;
pub mod with_loop_fusion;
pub mod with_loop_scalarisation;

pub use refusal::{Refusal, advice};

use block_graph::Touches;
use frit_ir::array::{Block, Func, Op, Operator, Program};
use frit_plan::{Log, Outcome};
use frit_simplify::Changes;
use frit_simplify::sharing::Sharing;

/// What merging may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Real arithmetic keeps every bit: only merges that reorder nothing are made.
    pub strict_fp: bool,
    /// Make no more merges than this, those of earlier calls with the same log included; to find the one that is wrong.
    pub limit: Option<usize>,
    /// What making one loop of a nest may repeat.
    pub scalarise: Scalarise,
    /// Bodies of constant work may be evaluated again for as much additional weight per element as this.
    pub most_repeated: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { strict_fp: false, limit: None, scalarise: Scalarise::default(), most_repeated: 48 }
    }
}

/// What making one loop of a nest may repeat for every element: work of the outer body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scalarise {
    /// Nothing but the arithmetic of indices.
    Conservative,
    /// A few cheap scalar operations; more where the loop is then folded away.
    #[default]
    Aggressive,
}

/// Plans and makes the merges of all functions, and logs what every candidate came to.
pub fn fuse(program: &mut Program, options: &Options, log: &mut Log) -> Changes {
    let mut count = 0;
    // Merges stay in the log; the rest is told anew for the program as it is now.
    log.decisions.retain(|decision| matches!(decision.outcome, Outcome::Merged { .. }));
    for (_, func) in program.funcs.iter_mut() {
        count += planning::plan_function(func, options, log);
    }
    Changes { count: count + clean_up(program, options).count }
}

/// Takes branches on indices out of with-loops, for programs in which nothing is left to merge: generators are cut where such
/// branches change, and inner loops are written once for each side of a branch that is decided before them.
pub fn split_index_sets(program: &mut Program, _: &Options) -> Changes {
    let split = |func: &mut Func| unswitching::everywhere(func).applied + index_set_splitting::everywhere(func).applied;
    Changes { count: program.funcs.iter_mut().map(|(_, func)| split(func)).sum() }
}

/// Writes `modarray`s that do not happen in place as loops that make new arrays, so that none of these is written twice: for
/// programs whose updates in place are decided.
pub fn make_partitions_full(program: &mut Program, _: &Options) -> Changes {
    let fill = |func: &mut Func| full_partition::everywhere(func).applied;
    Changes { count: program.funcs.iter_mut().map(|(_, func)| fill(func)).sum() }
}

/// Gives the with-loops that merges left their simplest form: equal generators become one, and loops that compute nothing
/// the primitives that they are.
pub fn clean_up(program: &mut Program, _: &Options) -> Changes {
    let rules = |func: &mut Func| coalescing::everywhere(func).applied + assemble::everywhere(func).applied;
    Changes { count: program.funcs.iter_mut().map(|(_, func)| rules(func)).sum() }
}

/// Calls `f` on every block of the function, inner blocks before those around them. `f` returns how much it changed.
///
/// Meanwhile the function has no body but the integer arithmetic and the assertions that run before the block, around it, and the conditions of
/// the branches that it is in: facts about sizes and bounds are found there.
fn each_block(func: &mut Func, f: &mut impl FnMut(&mut Func, &mut Sharing, &mut Block) -> usize) -> usize {
    let mut sharing = Sharing::of(func);
    let mut body = std::mem::take(&mut func.body);
    let count = inside_out(func, &mut sharing, &mut body, f);
    func.body = body;
    count
}

fn inside_out(
    func: &mut Func,
    sharing: &mut Sharing,
    block: &mut Block,
    f: &mut impl FnMut(&mut Func, &mut Sharing, &mut Block) -> usize,
) -> usize {
    let mut count = 0;
    let outside = func.body.stmts.len();
    for stmt in &mut block.stmts {
        if let Op::If { cond, then, otherwise } = &mut stmt.op {
            for (side, holds) in [(then, true), (otherwise, false)] {
                func.body.stmts.push(generators::given(*cond, holds, stmt.span));
                count += inside_out(func, sharing, side, f);
                func.body.stmts.pop();
            }
            continue;
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| count += inside_out(func, sharing, inner, f));
        if let Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Assert { .. } = stmt.op {
            func.body.stmts.push(stmt.clone());
        }
    }
    func.body.stmts.truncate(outside);
    count + f(func, sharing, block)
}

/// Tries something at the places of a block until it works nowhere; `attempt` is given the block and a place, and returns
/// `None` where there is nothing to try.
fn at_every_place(
    func: &mut Func,
    places: impl Fn(&Block) -> Vec<(usize, usize)>,
    attempt: impl Fn(&mut Func, &mut Block, &mut Sharing, (usize, usize)) -> Option<Result<(), Refusal>>,
) -> Attempts {
    let mut attempts = Attempts::default();
    each_block(func, &mut |func, sharing, block| {
        loop {
            let mut refused = Vec::new();
            let mut applied = false;
            for place in places(block) {
                match attempt(func, block, sharing, place) {
                    None => {}
                    Some(Ok(())) => {
                        applied = true;
                        break;
                    }
                    Some(Err(refusal)) => refused.push(refusal),
                }
            }
            if !applied {
                attempts.refused.extend(refused);
                return 0;
            }
            attempts.applied += 1;
        }
    });
    attempts
}

fn is_with(block: &Block, at: usize) -> bool {
    matches!(block.stmts[at].op, Op::With(_))
}

fn fold_everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| (0..block.stmts.len()).filter(|&at| is_with(block, at)).map(|at| (at, at)).collect();
    let most = Options::default().most_repeated;
    at_every_place(func, places, |func, block, sharing, (producer, _)| {
        with_loop_folding::with_loop_folding(func, block, sharing, producer, most)
            .map(|done| done.map(|_| ()))
            .transpose()
    })
}

fn fuse_everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| {
        let loops: Vec<usize> = (0..block.stmts.len()).filter(|&at| is_with(block, at)).collect();
        loops.iter().flat_map(|&i| loops.iter().filter(move |&&j| j > i).map(move |&j| (i, j))).collect()
    };
    at_every_place(func, places, |func, block, sharing, (first, second)| {
        Some(
            with_loop_fusion::with_loop_fusion(func, block, sharing, &mut Touches::default(), first, second)
                .map(|_| ()),
        )
    })
}

fn split_everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| (0..block.stmts.len()).filter(|&at| is_with(block, at)).map(|at| (at, at)).collect();
    at_every_place(func, places, |func, block, sharing, (at, _)| {
        let Op::With(label) = block.stmts[at].op else { unreachable!("the place is a with-loop") };
        if func.with_loops[label].operators.len() < 2 {
            return None;
        }
        let first =
            block.stmts[at].results[..func.with_loops[label].operators[0].op.results()].iter().copied().collect();
        Some(operator_splitting::operator_splitting(func, block, sharing, at, &first).map(|_| ()))
    })
}

fn align_everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| {
        let loops: Vec<usize> = (0..block.stmts.len()).filter(|&at| is_with(block, at)).collect();
        loops.iter().flat_map(|&i| loops.iter().filter(move |&&j| j > i).map(move |&j| (i, j))).collect()
    };
    at_every_place(func, places, |func, block, sharing, (first, second)| {
        Some(alignment::alignment(func, block, sharing, first, second))
    })
}

/// What an operator is called in reports.
pub fn operator_name(operator: &Operator) -> &'static str {
    match operator {
        Operator::GenArray => "genarray",
        Operator::ModArray { .. } => "modarray",
        Operator::Fold { .. } => "fold",
        Operator::Scan { .. } => "scan",
        Operator::Filter { .. } => "filter",
        Operator::Uniform => "uniform",
    }
}

/// A rule of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in reports and tests, kebab case; the file has the same in snake case.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Applies it wherever it is legal, whether that pays or not, until it applies nowhere; for tests of the rule alone.
    pub everywhere: fn(&mut Func) -> Attempts,
}

/// What came of applying a rule wherever it might apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// How often it was applied.
    pub applied: usize,
    /// Why it was not, for each candidate that is left at the end, in the order of the program.
    pub refused: Vec<Refusal>,
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule {
        name: "with-loop-folding",
        summary: "a producer's body in the place of every read of its arrays",
        everywhere: fold_everywhere,
    },
    Rule {
        name: "alignment",
        summary: "consumers run over the producer's space, and their results are viewed in their own shape",
        everywhere: align_everywhere,
    },
    Rule {
        name: "index-set-splitting",
        summary: "generators without branches on the index",
        everywhere: index_set_splitting::everywhere,
    },
    Rule {
        name: "unswitching",
        summary: "inner loops without branches on what is known before them",
        everywhere: unswitching::everywhere,
    },
    Rule {
        name: "operator-splitting",
        summary: "some results of a loop made by a loop of their own",
        everywhere: split_everywhere,
    },
    Rule { name: "with-loop-fusion", summary: "two loops over one space become one", everywhere: fuse_everywhere },
    Rule {
        name: "full-partition",
        summary: "what a modarray keeps of its source is read by generators of its own",
        everywhere: full_partition::everywhere,
    },
    Rule {
        name: "generator-coalescing",
        summary: "adjacent generators with equal bodies become one",
        everywhere: coalescing::everywhere,
    },
    Rule {
        name: "with-loop-scalarisation",
        summary: "nested with-loops become one of higher rank",
        everywhere: with_loop_scalarisation::everywhere,
    },
    Rule {
        name: "iswim",
        summary: "a scan of arrays becomes a with-loop of scans of their elements",
        everywhere: iswim::everywhere,
    },
    Rule {
        name: "reduce-interchange",
        summary: "a fold of arrays becomes a with-loop of folds of their elements",
        everywhere: reduce_interchange::everywhere,
    },
    Rule {
        name: "loop-interchange",
        summary: "a sequential loop over arrays becomes a with-loop of sequential loops of their elements",
        everywhere: loop_interchange::everywhere,
    },
    Rule {
        name: "loop-absorption",
        summary: "a sequential loop whose iterations modify slabs of their own becomes with-loops",
        everywhere: loop_absorption::everywhere,
    },
    Rule {
        name: "loop-parallelisation",
        summary: "a sequential loop of iterations with rows of their own becomes a with-loop over the rows",
        everywhere: loop_parallelisation::everywhere,
    },
    Rule {
        name: "with-loop-hull",
        summary: "two loops over different spaces, or of different generators, become one",
        everywhere: hull::fuse_everywhere,
    },
    Rule {
        name: "assembly",
        summary: "a loop that only puts an array together becomes `concat`, `replicate`, `iota` or `copy`",
        everywhere: assemble::everywhere,
    },
];
