//! Pipelines in strips: a loop that must run in order only because later iterations read from windows what earlier ones wrote is cut into strips
//! that are independent, each with windows of its own. A strip begins with a warm-up that computes again what the strip before it computed last.
//!
//! The statements that leave results run once, each in one strip; what only fills windows may run again, since it reads nothing that changes. How
//! long the warm-up of a statement is follows from the distances of writes and reads; where these are not bounded there are no strips. The
//! start of the strip is a parameter for all other modules.

use std::collections::{BTreeMap, BTreeSet};

use frit_isl::{AstBuild, AstNode, AstNodeKind, Dim, Map, Set, UnionMap};

use super::copies::Nest;
use super::kinds::{Kinds, is_shared};
use super::loops::{self, Values, expr};
use super::storage::{Accesses, Storage};
use super::{Error, Options};
use crate::model::{AccessKind, Array, Scop, Statement};
use crate::program::{Expr, Fate, ForLoop, IteratorData, LoopKind, Program, Step};
use crate::tree::Fused;

/// The parameter that stands for the first time of a strip.
const START: &str = "start";

/// How a nest is cut into strips.
pub(super) struct Strips {
    length: i64,
    /// How much earlier than the strip each statement begins.
    warm_up: BTreeMap<Statement, i64>,
    /// The statements that leave results.
    last: BTreeSet<Statement>,
    /// The arrays of which each strip has its own.
    private: Vec<Array>,
}

impl Strips {
    /// How to cut a nest into strips of a length, if that is possible and repeats less than half of the work.
    pub(super) fn plan(
        scop: &Scop,
        nest: &Nest<'_>,
        storage: &Storage<'_>,
        length: u64,
    ) -> Result<Option<Strips>, Error> {
        let Fused::Loop(root) = nest.root else { return Ok(None) };
        let Ok(length) = i64::try_from(length) else { return Ok(None) };
        if root.is_parallel || nest.paths.keys().any(|statement| scop.statements[*statement].opaque.is_some()) {
            return Ok(None);
        }
        let accesses = storage.accesses(nest);
        let is_private = |array: &Array| {
            let is_exact = |(of, at): &(Statement, usize)| scop.statements[*of].accesses[*at].is_exact;
            storage.fates[*array] != Fate::Kept
                && storage.is_inside(*array, &accesses[array])
                && accesses[array].iter().all(is_exact)
        };
        let private: Vec<Array> = accesses.keys().copied().filter(is_private).collect();
        let writes = |array: &Array| accesses[array].iter().filter(|(of, at)| is_write(scop, *of, *at));
        let mut last = BTreeSet::new();
        let mut changed = BTreeSet::new();
        for (array, of) in accesses.iter().filter(|(array, _)| !private.contains(array)) {
            if writes(array).next().is_none() {
                continue;
            }
            if is_shared(scop, nest, storage, *array, of, 1)? {
                return Ok(None);
            }
            last.extend(writes(array).map(|(statement, _)| *statement));
            changed.extend(of.iter().map(|(statement, _)| *statement));
        }
        let refills = private.iter().flat_map(writes).any(|(statement, _)| last.contains(statement));
        if last.is_empty() || refills || !changed.is_subset(&last) {
            return Ok(None);
        }
        let Some(warm_up) = warm_up(scop, nest, &accesses, &private)? else { return Ok(None) };
        if warm_up.values().any(|time| 2 * time > length) {
            return Ok(None);
        }
        Ok(Some(Strips { length, warm_up, last, private }))
    }

    /// Appends the nest in strips to a program.
    pub(super) fn append(
        &self,
        scop: &Scop,
        nest: &Nest<'_>,
        storage: &mut Storage<'_>,
        options: &Options,
        program: &mut Program,
    ) -> Result<(), Error> {
        let mut times: Option<Set> = None;
        for statement in &self.last {
            let own = nest.times[statement].range()?;
            let own = own.project_out(Dim::Set, 1, own.dim(Dim::Set)? - 1)?;
            times = Some(times.map_or(Ok(own.clone()), |times| times.union(&own))?);
        }
        let times = times.ok_or(Error::Form("no results"))?;
        let length = self.length;
        let text = format!("{{ [t] -> [s] : s <= t < s + {length} and s mod {length} = 0 }}");
        let starts = times.apply(&Map::parse(&scop.isl, &text)?)?.intersect_params(&nest.assumed)?.coalesce()?;
        let params = starts.dim(Dim::Param)?;
        let known = starts.move_dims(Dim::Param, params, Dim::Set, 0, 1)?;
        let mut inner = nest.assuming(&known.set_dim_name(Dim::Param, params, START)?.params()?)?;
        for (statement, times) in &mut inner.times {
            let depth = times.dim(Dim::Out)?;
            let names: Vec<String> = (0..depth).map(|level| format!("t{level}")).collect();
            let early = self.warm_up[statement];
            let strip =
                format!("[{START}] -> {{ [{}] : {START} - {early} <= t0 < {START} + {length} }}", names.join(", "));
            *times = times.intersect_range(&Set::parse(&scop.isl, &strip)?)?;
        }
        let schedule = UnionMap::from_map(&starts.set_tuple_name("strip")?.identity()?.reset_tuple_id(Dim::Out)?)?;
        let build = AstBuild::from_context(&nest.assumed)?.set_iterators(&["c0"])?;
        let node = build.node_from_schedule_map(&schedule)?;
        let in_strip = Options { parallel: false, ..options.clone() };
        let mut body = |start: Expr, program: &mut Program| {
            let kinds = Kinds::new(scop, &inner, storage, &in_strip)?;
            let copies = inner.copies(options.max_copies)?;
            loops::steps(&inner, &copies, storage, &kinds, program, &Values::from([(START.to_string(), start)]))
        };
        let steps = self.frame(&node, nest, options, program, &mut body)?;
        program.body.extend(steps);
        Ok(())
    }

    /// The loop over strips, from isl's loop over their starts.
    fn frame(
        &self,
        node: &AstNode,
        nest: &Nest<'_>,
        options: &Options,
        program: &mut Program,
        body: &mut dyn FnMut(Expr, &mut Program) -> Result<Vec<Step>, Error>,
    ) -> Result<Vec<Step>, Error> {
        let none = Values::new();
        Ok(match node.kind()? {
            AstNodeKind::For { init, condition, increment, degenerate: false, .. } => {
                let iterator = program.iterators.push(IteratorData { sources: nest.sources(0) });
                let lower = expr(&init, &none)?;
                let upper = loops::upper(&condition, "c0", &none)?;
                let step = expr(&increment, &none)?.as_int().ok_or(Error::Form("a step that is no number"))?;
                let kind = match options.parallel {
                    true => LoopKind::Parallel { private: self.private.clone() },
                    false => LoopKind::Sequential,
                };
                let body = body(Expr::Iterator(iterator), program)?;
                vec![Step::For(ForLoop { iterator, lower, upper, step, kind, body })]
            }
            AstNodeKind::For { init, .. } => body(expr(&init, &none)?, program)?,
            AstNodeKind::If { condition, then, .. } => {
                let cond = expr(&condition, &none)?;
                vec![Step::If { cond, then: self.frame(&then, nest, options, program, body)?, otherwise: Vec::new() }]
            }
            AstNodeKind::User(call) => {
                let (_, operands) = loops::call(&call)?;
                let start = operands.first().ok_or(Error::Form("a strip without a start"))?;
                body(expr(start, &none)?, program)?
            }
            _ => return Err(Error::Form("more than one loop over strips")),
        })
    }
}

fn is_write(scop: &Scop, statement: Statement, at: usize) -> bool {
    scop.statements[statement].accesses[at].kind != AccessKind::Read
}

/// How much earlier than its readers each statement must begin so that they find in the private arrays what they read; nothing if that is not
/// bounded.
fn warm_up(
    scop: &Scop,
    nest: &Nest<'_>,
    accesses: &Accesses,
    private: &[Array],
) -> Result<Option<BTreeMap<Statement, i64>>, Error> {
    // Writer, reader, the longest time between both.
    let mut distances: BTreeMap<(Statement, Statement), i64> = BTreeMap::new();
    for array in private {
        let of = accesses[array].iter().copied();
        let (writes, reads): (Vec<_>, Vec<_>) = of.partition(|(of, at)| is_write(scop, *of, *at));
        for (writer, write) in writes {
            let written = nest.elements(scop, writer, write, 1)?;
            for (reader, read) in &reads {
                let read = nest.elements(scop, *reader, *read, 1)?;
                let times = written.apply_range(&read.reverse()?)?.deltas()?.lower_bound_si(Dim::Set, 0, 0)?;
                if times.is_empty()? {
                    continue;
                }
                let longest = times.dim_max_val(0)?;
                if !longest.is_int()? {
                    return Ok(None);
                }
                let distance = distances.entry((writer, *reader)).or_default();
                *distance = longest.to_i64()?.max(*distance);
            }
        }
    }
    let mut warm_up: BTreeMap<Statement, i64> = nest.paths.keys().map(|statement| (*statement, 0)).collect();
    for _ in 0..=warm_up.len() {
        let mut is_stable = true;
        for ((writer, reader), distance) in &distances {
            let needed = warm_up[reader] + distance;
            if needed > warm_up[writer] {
                warm_up.insert(*writer, needed);
                is_stable = false;
            }
        }
        if is_stable {
            return Ok(Some(warm_up));
        }
    }
    // A value depends on all earlier ones.
    Ok(None)
}
