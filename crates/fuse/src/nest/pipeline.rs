//! Decides whether nests become one, and builds the loops that they become. Until a pipeline is
//! used, this only adds arrays, variables and loops to the procedure.
//!
//! [`aligned`](super::aligned) and the passes of `frit-scop` make the plans. [`runs`](super::runs)
//! puts pipelines in place.

use super::Options;
use super::aligned::{self, Aligned, rows_of_rows};
use super::rebuild::{Rebuilt, rebuild};
use super::refusal::Refusal;
use super::region::{Region, region};
use super::shape::{Shape, Surroundings, shape};
use super::strips::{Row, restrict, results};
use super::tiles::{self, Tiled};
use super::walk::Counts;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;
use frit_isl::Context;
use frit_plan::Log;
use frit_scop::contraction::{self, Contraction};
use frit_scop::dependence::{self, Dependences};
use frit_scop::generate;
use frit_scop::program::Fate;
use frit_scop::tree::{Fused, FusedLoop, FusedTree};
use frit_scop::{Param, Statement, fusion};
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The limit on isl's operations for one pipeline.
const MAX_OPERATIONS: u64 = 30_000_000;

/// What is known where the nests stand.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) counts: &'a Counts,
    pub(super) defs: &'a Rc<BTreeMap<Var, Expr>>,
    /// What holds.
    pub(super) facts: &'a [Expr],
    /// Arrays whose memory has no other name.
    pub(super) fresh: &'a BTreeSet<Array>,
    /// True if iterations of an enclosing loop run on several threads or in vectors.
    pub(super) is_inside_parallel: bool,
}

/// Nests that should run as one.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// The nests, in the order of the text.
    pub(super) nests: Vec<Loop>,
    kind: ClusterKind,
}

/// How nests run as one loop.
#[derive(Clone, Debug)]
enum ClusterKind {
    /// Through windows. The value tells how their statements take part in the loop over rows.
    Windows(Vec<Row>),
    /// Row by row, as they are.
    Aligned,
}

/// What plans say about some nests.
pub(super) struct Plan {
    pub(super) clusters: Vec<Cluster>,
    /// For each array that stays whole, the reason.
    pub(super) reasons: BTreeMap<Array, Refusal>,
}

/// Finds which of the nests should run as one so that some of `temporaries` get smaller.
pub(super) fn plan(
    proc: &Proc,
    place: &Place<'_>,
    nests: &[Loop],
    temporaries: &BTreeSet<Array>,
    effort: usize,
) -> Result<Plan, Refusal> {
    let shape = shape_of(proc, place, nests)?;
    match plan_windows(proc, place, shape.clone(), nests, temporaries, effort) {
        Err(refusal @ Refusal::TooComplex { .. }) => {
            let clusters = aligned::plan(proc, &shape, nests, temporaries).into_iter();
            Ok(Plan {
                clusters: clusters.map(|nests| Cluster { nests, kind: ClusterKind::Aligned }).collect(),
                reasons: temporaries.iter().map(|array| (*array, refusal.clone())).collect(),
            })
        }
        planned => planned,
    }
}

fn plan_windows(
    proc: &Proc,
    place: &Place<'_>,
    shape: Shape,
    nests: &[Loop],
    temporaries: &BTreeSet<Array>,
    most_effort: usize,
) -> Result<Plan, Refusal> {
    let isl = Context::new();
    let effort: usize = shape.groups.iter().map(|(_, group)| group.touches.len() * group.loops.len()).sum();
    if effort > most_effort {
        return Err(Refusal::TooComplex { reason: "the loops touch too many elements in an iteration".into() });
    }
    isl.bounded(MAX_OPERATIONS, || {
        let region = region(&isl, proc, shape, temporaries, place.facts)?;
        let mut log = Log::default();
        let (tree, contraction) = planned(proc, &region, &mut log)?;
        let mut plan = Plan { clusters: Vec::new(), reasons: BTreeMap::new() };
        for root in &tree.body {
            let Fused::Loop(root) = root else { continue };
            let inside: BTreeSet<usize> = root.members.iter().map(|member| region.nest(member.statement)).collect();
            let whole = region.scop.statements.indices().filter(|of| inside.contains(&region.nest(*of)));
            if inside.len() < 2 || whole.count() != root.members.len() {
                continue;
            }
            if shrinking(&region, &contraction, root).is_empty() {
                continue;
            }
            if root.members.iter().any(|member| member.dimension != 0) {
                for array in shrinking(&region, &contraction, root) {
                    plan.reasons.insert(array, Refusal::InterchangeNeeded);
                }
                continue;
            }
            let rows = root.members.iter().map(|member| Row { dimension: member.dimension, scale: member.scale });
            let kind = ClusterKind::Windows(rows.collect());
            let cluster = Cluster { nests: inside.iter().map(|nest| nests[*nest]).collect(), kind };
            plan.clusters.push(cluster);
        }
        let why = log.decisions.iter().find_map(|decision| match &decision.outcome {
            frit_plan::Outcome::Refused { reason, .. } | frit_plan::Outcome::NotChosen { reason, .. } => {
                Some(reason.clone())
            }
            frit_plan::Outcome::Merged { .. } | frit_plan::Outcome::Done { .. } => None,
        });
        let why = why.unwrap_or_else(|| "no order of the loops needs less than all of it at a time".into());
        for (array, _) in region.scop.arrays.iter() {
            if let Some(of) = region.array(array) {
                plan.reasons.entry(of).or_insert_with(|| Refusal::NoWindow { reason: why.clone() });
            }
        }
        Ok(plan)
    })
}

/// The order of a region's statements, and the fates of its arrays in it.
fn planned(proc: &Proc, region: &Region, log: &mut Log) -> Result<(FusedTree, Contraction), Refusal> {
    let dependences = Dependences::new(&region.scop, &dependence::Options::default())?;
    let options = fusion::Options { function: proc.name.clone(), ..fusion::Options::default() };
    let tree = fusion::plan(&region.scop, &dependences, &options, log).tree;
    // Values in registers would pass from iteration to iteration, which vectors cannot do.
    let options = contraction::Options { registers: 0 };
    let contraction = contraction::contract(&region.scop, &dependences, &tree, &options)
        .map_err(|failure| Refusal::TooComplex { reason: failure.to_string() })?;
    Ok((tree, contraction))
}

pub(super) fn shape_of(proc: &Proc, place: &Place<'_>, nests: &[Loop]) -> Result<Shape, Refusal> {
    let around = Surroundings { proc, counts: place.counts, defs: place.defs, facts: place.facts };
    shape(&around, nests, place.fresh)
}

/// The temporary arrays that get smaller and live in the loop.
fn shrinking(region: &Region, contraction: &Contraction, root: &FusedLoop) -> BTreeSet<Array> {
    let uses = region.scop.uses();
    let arrays = contraction.fates.iter().filter(|(array, fate)| {
        let data = &region.scop.arrays[*array];
        let is_inside = uses[*array].iter().all(|of| root.member(of.statement).is_some());
        **fate != Fate::Kept && !data.extents.is_empty() && !data.is_live_out && is_inside
    });
    arrays.filter_map(|(array, _)| region.array(array)).collect()
}

/// A pipeline that replaces nests.
pub(super) struct Built {
    /// What runs instead.
    pub(super) stmts: Vec<Stmt>,
    /// The arrays that became windows, each with the array that holds its window.
    pub(super) windows: BTreeMap<Array, Array>,
    /// The arrays that became scalars.
    pub(super) scalars: BTreeSet<Array>,
}

/// Makes one pipeline of the nests of a cluster, which are the only users of `temporaries`.
pub(super) fn build(
    proc: &mut Proc,
    place: &Place<'_>,
    cluster: &Cluster,
    temporaries: &BTreeSet<Array>,
    options: &Options,
) -> Result<Built, Refusal> {
    let threads = if place.is_inside_parallel { None } else { threads(proc, &cluster.nests) };
    match &cluster.kind {
        ClusterKind::Aligned => build_aligned(proc, place, &cluster.nests, temporaries, threads),
        ClusterKind::Windows(rows) => {
            build_windows(proc, place, &cluster.nests, rows, temporaries, threads, options.strip_rows)
        }
    }
}

fn build_aligned(
    proc: &mut Proc,
    place: &Place<'_>,
    nests: &[Loop],
    temporaries: &BTreeSet<Array>,
    threads: Option<Parallel>,
) -> Result<Built, Refusal> {
    let shape = shape_of(proc, place, nests)?;
    let aligned = Aligned::of(proc, &shape, nests, temporaries)
        .ok_or_else(|| Refusal::TooComplex { reason: "the loops are not the same by themselves".into() })?;
    let range = aligned.range(proc);
    let Some(parallel) = threads else {
        let built = aligned.build(proc, range);
        let built = rows_of_rows(proc, place, built);
        return Ok(Built { stmts: with_memory(built.stmts, &built.windows), ..built });
    };
    let (first, end) = (proc.index(), proc.index());
    let built = aligned.build(proc, (first.into(), end.into()));
    let built = rows_of_rows(proc, place, built);
    let body = with_memory(built.stmts, &built.windows);
    // No row is computed twice, whatever the rows of a strip are.
    Ok(Built { stmts: in_strips(proc, body, (first, end), range, parallel, 1, nests), ..built })
}

/// The statements, with memory for windows.
fn with_memory(stmts: Vec<Stmt>, windows: &BTreeMap<Array, Array>) -> Vec<Stmt> {
    let mut body: Vec<Stmt> = windows.values().map(|array| Stmt::Alloc { array: *array }).collect();
    body.extend(stmts);
    body.extend(windows.values().map(|array| Stmt::Release { array: *array }));
    body
}

fn build_windows(
    proc: &mut Proc,
    place: &Place<'_>,
    nests: &[Loop],
    rows: &[Row],
    temporaries: &BTreeSet<Array>,
    threads: Option<Parallel>,
    strip_rows: i64,
) -> Result<Built, Refusal> {
    let isl = Context::new();
    isl.bounded(MAX_OPERATIONS, || {
        let mut shape = shape_of(proc, place, nests)?;
        let bounds = threads.map(|parallel| (proc.index(), proc.index(), parallel));
        let strip = bounds
            .as_ref()
            .map(|(first, end, _)| (shape.params.push(Expr::Var(*first)), shape.params.push(Expr::Var(*end))));
        let mut region = region(&isl, proc, shape, temporaries, place.facts)?;
        if rows.len() != region.scop.statements.len() {
            return Err(Refusal::TooComplex { reason: "its statements are not the same by themselves".into() });
        }
        let rows: Table<Statement, Row> = rows.iter().copied().collect();
        if region.scop.statements.iter().any(|(_, data)| data.loops.len() == 1) {
            return Err(Refusal::SingleElements);
        }
        let range = match strip {
            Some(strip) => {
                let dependences = Dependences::new(&region.scop, &dependence::Options::default())?;
                restrict(&mut region, &dependences, &rows, strip)?;
                Some(range(&mut region, &rows, strip)?)
            }
            None => None,
        };
        let (tree, contraction) = planned(proc, &region, &mut Log::default())?;
        let is_whole = |array: &Array| {
            let of = region.places.iter().find(|(_, place)| **place == super::shape::Place::Array(*array));
            of.is_none_or(|(of, _)| contraction.fates[of] == Fate::Kept)
        };
        if let Some(array) = temporaries.iter().find(|array| is_whole(array)) {
            let name = proc.arrays[*array].name.as_ref().map_or_else(|| array.to_string(), |name| name.to_string());
            return Err(Refusal::NoWindow { reason: format!("all of `{name}` is needed at a time") });
        }
        let loops = |proc: &mut Proc, fates: &Table<frit_scop::Array, Fate>| {
            let of_loops = generate::Options { simd: true, ..generate::Options::default() };
            let program = generate::generate(&region.scop, &tree, fates, &of_loops)
                .map_err(|error| Refusal::TooComplex { reason: error.to_string() })?;
            rebuild(proc, &region, &program)
                .ok_or_else(|| Refusal::TooComplex { reason: "values would have to move between registers".into() })
        };
        let mut tiled = None;
        if let Some(fates) = tiles::with_rows(&contraction.fates) {
            let Rebuilt { stmts, windows, scalars } = loops(proc, &fates)?;
            tiled =
                tiles::in_tiles(proc, &stmts, &windows.values().copied().collect()).map(|Tiled { stmts, parts }| {
                    (stmts, windows.into_iter().map(|(array, window)| (array, parts[&window])).collect(), scalars)
                });
        }
        let (body, windows, scalars) = match tiled {
            Some(tiled) => tiled,
            None => {
                let Rebuilt { stmts, windows, scalars } = loops(proc, &contraction.fates)?;
                (with_memory(stmts, &windows), windows, scalars)
            }
        };
        let stmts = match (bounds, range) {
            (Some((first, end, parallel)), Some(range)) => {
                in_strips(proc, body, (first, end), range, parallel, strip_rows, nests)
            }
            _ => body,
        };
        Ok(Built { stmts, windows, scalars })
    })
}

/// The work of all nests, if any of them asks for threads.
fn threads(proc: &Proc, nests: &[Loop]) -> Option<Parallel> {
    let mut all: Option<Parallel> = None;
    for nest in nests {
        if let LoopKind::Independent { parallel: Some(parallel), .. } = &proc.loops[*nest].kind {
            all = Some(match all {
                None => parallel.clone(),
                Some(all) => {
                    Parallel { work: all.work + parallel.work.clone(), irregular: all.irregular || parallel.irregular }
                }
            });
        }
    }
    all
}

/// The rows of all results: from the first, to the second, exclusive.
fn range(region: &mut Region, rows: &Table<Statement, Row>, strip: (Param, Param)) -> Result<(Expr, Expr), Refusal> {
    let shape = &region.shape;
    let mut found: Vec<(Expr, Expr)> = Vec::new();
    let mut texts = BTreeSet::new();
    for result in results(region) {
        let bounds = &shape.groups[result].bounds[rows[result].dimension];
        if !bounds.lower.iter().chain(&bounds.upper).all(super::linear::Linear::is_invariant) {
            return Err(Refusal::TooComplex { reason: "the rows of a result depend on other loops".into() });
        }
        let extreme = |all: &[super::linear::Linear], op| {
            let all = all.iter().map(|linear| linear.expr(&[], &shape.params));
            all.reduce(|one, other| Expr::binary(op, one, other)).expect("a loop has bounds")
        };
        let pair = (extreme(&bounds.lower, BinOp::MAX), extreme(&bounds.upper, BinOp::MIN));
        let lower = bounds.lower.iter().map(|lower| format!("{} >= {}", strip.0, lower.text()));
        let upper = bounds.upper.iter().map(|upper| format!("{} <= {}", strip.1, upper.text()));
        texts.insert(lower.chain(upper).collect::<Vec<_>>().join(" and "));
        if !found.contains(&pair) {
            found.push(pair);
        }
    }
    if let (1, Some(text)) = (texts.len(), texts.first()) {
        let text = format!("[{}] -> {{ : {text} }}", shape.param_names().join(", "));
        region.scop.assumed = region.scop.assumed.intersect(&frit_isl::Set::parse(&region.scop.isl, &text)?)?;
    }
    let all = found.into_iter().reduce(|(first, end), (other_first, other_end)| {
        (Expr::binary(BinOp::MIN, first, other_first), Expr::binary(BinOp::MAX, end, other_end))
    });
    all.ok_or_else(|| Refusal::TooComplex { reason: "the loops have no results".into() })
}

/// The code for all rows, where `strip.0` to `strip.1` are the rows of one strip. Strips have
/// nearly equal lengths and are not too short; there is one for each thread.
fn in_strips(
    proc: &mut Proc,
    body: Vec<Stmt>,
    strip: (Var, Var),
    range: (Expr, Expr),
    parallel: Parallel,
    least_rows: i64,
    nests: &[Loop],
) -> Vec<Stmt> {
    let span = proc.loops[nests[0]].span;
    let int = Expr::i64;
    let [rows, strips, number] = [(); 3].map(|()| proc.index());
    let (first, end) = range;
    let count = Expr::binary(BinOp::MAX, end - first.clone(), int(0));
    let most = Expr::Var(rows) + int(least_rows - 1);
    let most = Expr::binary(BinOp::DIV, most, int(least_rows));
    let mut stmts = vec![
        Stmt::Assign { var: rows, value: count },
        Stmt::Assign { var: strips, value: Expr::binary(BinOp::MIN, Expr::Threads, most) },
    ];
    let border = |number: Expr| first.clone() + Expr::binary(BinOp::DIV, number * Expr::Var(rows), Expr::Var(strips));
    let mut inside = vec![
        Stmt::Assign { var: strip.0, value: border(Expr::Var(number)) },
        Stmt::Assign { var: strip.1, value: border(Expr::Var(number) + int(1)) },
    ];
    inside.extend(body);
    let data = LoopData {
        var: Some(number),
        lower: int(0),
        upper: Expr::Var(strips),
        step: 1,
        kind: LoopKind::Independent { parallel: Some(parallel), simd: false, reductions: Vec::new() },
        body: inside,
        span,
    };
    stmts.push(proc.add_loop(data));
    stmts
}
