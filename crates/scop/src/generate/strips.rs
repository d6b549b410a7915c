//! Pipelines in strips: a loop that must run in order only because later iterations read from windows what earlier ones wrote is cut into strips
//! that are independent, each with windows of its own. A strip begins with a warm-up that computes again what the strip before it computed last.
//!
//! The statements that leave results run once, each in one strip; what only fills windows may run again, since it reads nothing that changes. How
//! long the warm-up of a statement is follows from the distances of writes and reads; where these are not bounded there are no strips. The
//! start of the strip is a parameter for all other modules.
//!
//! In a *tile* the statements of such a loop run one after another, each for the whole strip in a loop of its own, which may run in vectors.
//! Windows then hold what a strip needs, and their elements are counted from its start, without remainders.

use std::collections::{BTreeMap, BTreeSet};

use frit_isl::{AstBuild, AstNode, AstNodeKind, Dim, Map, Set, UnionMap};

use super::copies::Nest;
use super::kinds::{Kinds, is_shared};
use super::loops::{self, Values, expr};
use super::storage::{Accesses, Counted, Storage};
use super::{Error, Options};
use crate::model::{AccessKind, Array, Scop, Statement};
use crate::program::{Expr, Fate, ForLoop, IteratorData, LoopKind, Program, Step};
use crate::tree::{Fused, FusedLoop};

/// The parameter that stands for the first time of a strip.
const START: &str = "start";

/// Makes what is in a strip that starts at a value.
type Body<'a> = dyn FnMut(Expr, &mut Program) -> Result<Vec<Step>, Error> + 'a;

/// How a nest is cut into strips.
pub(super) struct Strips {
    length: i64,
    /// How much earlier than the strip each statement begins.
    warm_up: BTreeMap<Statement, i64>,
    /// The statements that leave results.
    last: BTreeSet<Statement>,
    /// The arrays of which each strip has its own.
    private: Vec<Array>,
    /// The loops of the statements, if they run one after another.
    apart: Option<Vec<Fused>>,
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
        Ok(Some(Strips { length, warm_up, last, private, apart: None }))
    }

    /// How to cut a nest into tiles of a length.
    pub(super) fn plan_tiles(
        scop: &Scop,
        nest: &Nest<'_>,
        storage: &Storage<'_>,
        length: u64,
    ) -> Result<Option<Strips>, Error> {
        let Some(strips) = Strips::plan(scop, nest, storage, length)? else { return Ok(None) };
        let apart = apart(scop, nest, &storage.accesses(nest))?;
        Ok(apart.map(|apart| Strips { apart: Some(apart), ..strips }))
    }

    /// Appends the nest in strips to a program, or does nothing and says so if that turns out to be impossible.
    pub(super) fn append(
        &self,
        scop: &Scop,
        nest: &Nest<'_>,
        storage: &mut Storage<'_>,
        options: &Options,
        program: &mut Program,
    ) -> Result<bool, Error> {
        let mut times: Option<Set> = None;
        for statement in &self.last {
            let own = nest.times[statement].range()?;
            let own = own.project_out(Dim::Set, 1, own.dim(Dim::Set)? - 1)?;
            times = Some(times.map_or(Ok(own.clone()), |times| times.union(&own))?);
        }
        let times = times.ok_or(Error::Form("no results"))?;
        let length = self.length;
        let text = format!("{{ [t] -> [s] : s <= t < s + {length} and s mod {length} = 0 }}");
        // Where the times for some parameters are apart from those for others, one loop over the strips is for all of them: a strip in which
        // nothing is to be done does nothing.
        let hull = times.simple_hull()?;
        let times = if hull.is_bounded()? { Set::from_basic_set(&hull)? } else { times };
        let starts = times.apply(&Map::parse(&scop.isl, &text)?)?.intersect_params(&nest.assumed)?.coalesce()?;
        let params = starts.dim(Dim::Param)?;
        let known = starts.move_dims(Dim::Param, params, Dim::Set, 0, 1)?;
        let known = known.set_dim_name(Dim::Param, params, START)?.params()?;
        let within = self.within(nest, &known)?;
        let mut parts = Vec::new();
        match &self.apart {
            None => parts.push(within),
            Some(roots) => {
                let Some(places) = self.places(scop, &within)? else {
                    return Ok(false);
                };
                storage.count_from_start(places)?;
                for root in roots {
                    parts.push(self.within(&Nest::new(scop, root, &nest.assumed.get_space()?)?, &known)?);
                }
            }
        }
        let schedule = UnionMap::from_map(&starts.set_tuple_name("strip")?.identity()?.reset_tuple_id(Dim::Out)?)?;
        let build = AstBuild::from_context(&nest.assumed)?.set_iterators(&["c0"])?;
        let node = build.node_from_schedule_map(&schedule)?;
        let in_strip = Options { parallel: false, ..options.clone() };
        let mut body = |start: Expr, program: &mut Program| {
            let values = Values::from([(START.to_string(), start.clone())]);
            storage.start = Some(start);
            let mut steps = Vec::new();
            for nest in &parts {
                let kinds = Kinds::new(scop, nest, storage, &in_strip)?;
                let copies = nest.copies(options.max_copies)?;
                steps.extend(loops::steps(nest, &copies, storage, &kinds, program, &values)?);
            }
            Ok(steps)
        };
        let steps = self.frame(&node, nest, options, program, &mut body)?;
        program.body.extend(steps);
        Ok(true)
    }

    /// The nest within a strip, of whose start something is known.
    fn within<'a>(&self, nest: &Nest<'a>, known: &Set) -> Result<Nest<'a>, Error> {
        let mut within = nest.assuming(known)?;
        let length = self.length;
        for (statement, times) in &mut within.times {
            let depth = times.dim(Dim::Out)?;
            let names: Vec<String> = (0..depth).map(|level| format!("t{level}")).collect();
            let (names, early) = (names.join(", "), self.warm_up[statement]);
            let strip = format!("[{START}] -> {{ [{names}] : {START} - {early} <= t0 < {START} + {length} }}");
            *times = times.intersect_range(&Set::parse(known.context(), &strip)?)?.intersect_params(&within.assumed)?;
        }
        Ok(within)
    }

    /// Where the elements of private arrays are that a strip accesses, by dimension; nothing if their number depends on parameters.
    fn places(&self, scop: &Scop, within: &Nest<'_>) -> Result<Option<BTreeMap<Array, Vec<Counted>>>, Error> {
        let mut places = BTreeMap::new();
        for array in &self.private {
            let mut elements: Option<Set> = None;
            for statement in within.paths.keys() {
                for (at, _) in
                    scop.statements[*statement].accesses.iter().enumerate().filter(|(_, access)| access.array == *array)
                {
                    let own = within.elements(scop, *statement, at, 1)?.range()?;
                    elements = Some(elements.map_or(Ok(own.clone()), |elements| elements.union(&own))?);
                }
            }
            let Some(elements) = elements else { continue };
            let Some(start) = elements.find_dim_by_name(Dim::Param, START)? else { return Ok(None) };
            let rank = elements.dim(Dim::Set)?;
            let elements = elements.reset_tuple_id()?.move_dims(Dim::Set, rank, Dim::Param, start, 1)?;
            let mut counted = Vec::new();
            for dim in 0..rank {
                let names: Vec<String> = (0..rank).map(|dim| format!("x{dim}")).collect();
                let names = names.join(", ");
                let from_start = Map::parse(&scop.isl, &format!("{{ [{names}, s] -> [x{dim} - s] }}"))?;
                let absolute = Map::parse(&scop.isl, &format!("{{ [{names}, s] -> [x{dim}] }}"))?;
                let mut found = None;
                for (is_from_start, values) in [(true, from_start), (false, absolute)] {
                    let values = elements.apply(&values)?;
                    let (least, most) = (values.dim_min_val(0)?, values.dim_max_val(0)?);
                    if found.is_none() && least.is_int()? && most.is_int()? {
                        let (first, last) = (least.to_i64()?, most.to_i64()?);
                        found = Some(Counted { is_from_start, first, count: last.abs_diff(first) + 1 });
                    }
                }
                let Some(found) = found else { return Ok(None) };
                counted.push(found);
            }
            places.insert(*array, counted);
        }
        Ok(Some(places))
    }

    /// The loop over strips, from isl's loop over their starts.
    fn frame(
        &self,
        node: &AstNode,
        nest: &Nest<'_>,
        options: &Options,
        program: &mut Program,
        body: &mut Body<'_>,
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
            AstNodeKind::If { condition, then, otherwise } => {
                let cond = expr(&condition, &none)?;
                let then = self.frame(&then, nest, options, program, body)?;
                let otherwise =
                    otherwise.map_or(Ok(Vec::new()), |node| self.frame(&node, nest, options, program, body))?;
                vec![Step::If { cond, then, otherwise }]
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

/// The loops of the statements of a loop when each has one of its own, if they may run one after another.
fn apart(scop: &Scop, nest: &Nest<'_>, accesses: &Accesses) -> Result<Option<Vec<Fused>>, Error> {
    let Fused::Loop(root) = nest.root else { return Ok(None) };
    let mut order = BTreeMap::new();
    let mut loops = Vec::new();
    for fused in &root.body {
        let Fused::Statement(statement) = fused else { return Ok(None) };
        let Some(member) = root.member(*statement) else { return Ok(None) };
        order.insert(*statement, loops.len());
        loops.push(FusedLoop { members: vec![member.clone()], body: vec![fused.clone()], is_parallel: true });
    }
    for of in accesses.values() {
        for (one, of_one) in of {
            for (other, of_other) in of {
                let conflicts = is_write(scop, *one, *of_one) || is_write(scop, *other, *of_other);
                if !conflicts || order[one] > order[other] {
                    continue;
                }
                let one_elements = nest.elements(scop, *one, *of_one, 1)?;
                let other_elements = nest.elements(scop, *other, *of_other, 1)?;
                let later = other_elements.apply_range(&one_elements.reverse()?)?;
                if later.order_lt(Dim::In, 0, Dim::Out, 0)?.is_empty()? {
                    continue;
                }
                if one != other {
                    return Ok(None);
                }
                loops[order[one]].is_parallel = false;
            }
        }
    }
    Ok((loops.len() > 1).then(|| loops.into_iter().map(Fused::Loop).collect()))
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
