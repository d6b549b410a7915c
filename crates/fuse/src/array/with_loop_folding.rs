//! With-loop folding: replaces every read of a producer's arrays by the producer's body at that index. The producer
//! disappears if no use is left; a result that is needed as a whole stays, and the others are folded all the same, which splits
//! the producer by its results.
//! Source:   \[MERGE\], with-loop folding; first in Scholz, "With-loop-folding in SAC", IFL 1997. Its instances are the `mapT` rules
//!           of \[L0\] section 7.3, pushing and pulling of `transpose` and `reshape` (chapter 8: views are index maps here) and
//!           the inlining of indexing (section 9.2).
//! Before:   verified array IR; the producer makes the arrays by `genarray`, and every use of them is a read of an element or of a
//!           sub-array, directly or through views.
//! After:    the same results.
//! Work:     evaluates the producer's body once per read. If it is no constant amount of work, no element may be read twice; else
//!           the planner decides whether repeating it pays. See `Note [Repeated work]`.
//! Reorders: nothing, so floating-point results are bit-identical.

use super::access::{Evaluations, Site, Views, uses};
use super::block_graph::{Mentions, Touches, used_values};
use super::checkpoint::Checkpoint;
use super::cost::Work;
use super::generators::facts_at;
use super::references::reads_per_index;
use super::refining::{Choice, Refined, refine};
use super::refusal::Refusal;
use super::replace::{
    inner_certificates, lift_certificates, put_blocks, rename, share_copies, take_blocks, under_certificates,
};
use super::with_loop_fusion::{is_full, result_operators};
use frit_ir::array::replaced::{Sums, reads_only_what_may_be_replaced};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Func, Generator, Op, Operand, Operator, OperatorData, Stmt, Type, Value, View, WithLoop,
    WithLoopData, ops,
};
use frit_ir::scalar::{BinOp, Scalar};
use frit_simplify::sharing::Sharing;
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bodies of at least this weight, which have transcendental functions or divisions in them, are evaluated at most twice.
const COSTLY: u64 = 8;

/// Bodies of at most this weight are evaluated in sequential loops, and once elsewhere: more would be missed by threads and vectors.
const CHEAP_IN_ORDER: u64 = 4;

/// What was shown of a producer: it may be folded.
#[derive(Clone, Debug)]
pub struct Folding {
    /// The position of the producer in its block.
    pub producer: usize,
    /// Its results that disappear.
    pub arrays: BTreeSet<Value>,
    /// All results that are arrays disappear, so the producer does.
    pub is_whole: bool,
    /// The positions of the statements that read them.
    pub consumers: Vec<usize>,
    /// How often each element is evaluated then.
    pub evaluations: Evaluations,
    /// The weight of operations that are executed more often than before, per element.
    pub repeated: u64,
    views: Views,
    /// The certificates of those views, by the view.
    view_certs: BTreeMap<Value, Vec<Value>>,
}

impl Folding {
    /// The certificates of the views through which a statement reads.
    fn certs_of_views(&self, func: &Func, stmt: &Stmt) -> Vec<Value> {
        let mut certs = Vec::new();
        for mut name in used_values(func, stmt) {
            while let Some((source, _)) = self.views.get(&name) {
                certs.extend(self.view_certs.get(&name).into_iter().flatten());
                name = *source;
            }
        }
        certs
    }
}

/// Folds the producer at this position of a block into the readers of its arrays, or says why it may not.
///
/// `None` if nothing reads its arrays element by element, so that there is nothing to try. On `Err`, nothing is changed.
pub fn with_loop_folding(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    producer: usize,
    most_repeated: u64,
) -> Result<Option<Folding>, Refusal> {
    let mut touches = Touches::default();
    let mentions = touches.mentions(func, block);
    let proof = prove(func, block, sharing, &mut touches, &mentions, producer, most_repeated)?;
    if let Some(proof) = &proof {
        apply(func, block, sharing, &mut touches, proof);
    }
    Ok(proof)
}

/// Shows that the producer may be folded, and what that repeats; `None` if nothing reads its arrays.
///
/// `mentions` are those of the block; as much weight per element as `most_repeated` may be evaluated again. Function and block are as before in the end.
pub fn prove(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    mentions: &Mentions,
    producer: usize,
    most_repeated: u64,
) -> Result<Option<Folding>, Refusal> {
    let stmt = &block.stmts[producer];
    let Op::With(label) = &stmt.op else { unreachable!("the producer is a with-loop") };
    let label = *label;
    let data = &func.with_loops[label];
    let candidates = elementwise_results(func, stmt, data);
    let views = views_of(block, mentions, &candidates);
    let Readers { arrays, unused, refusal } = readers_of(func, block, mentions, &candidates, &views, data.space.len());
    let Some(&any) = arrays.first() else {
        return refusal.map_or(Ok(None), Err);
    };
    let names: BTreeSet<Value> = closure(&arrays, &views);
    let mut consumers = Vec::new();
    let mut evaluations = Evaluations::default();
    let mut sites: Vec<Site> = Vec::new();
    for at in mentions.of(&names) {
        let found = uses(func, block, &block.stmts[at], &names, &views, data.space.len());
        if !found.sites.is_empty() {
            consumers.push(at);
            evaluations = evaluations.and(found.evaluations);
            sites.extend(found.sites);
        }
    }
    not_consumed(func, block, sharing, touches, producer, &consumers)?;
    let work = works(func, data);
    let span = sites[0].span;
    if work.may_fail && !reads_everything(func, block, data, &consumers, &sites, &evaluations, &views) {
        return Err(Refusal::MayFail { span });
    }
    let is_whole = arrays.len() + unused == stmt.results.len();
    let repeated = repeated_weight(work, evaluations, is_whole, most_repeated)
        .ok_or_else(|| too_much(work, evaluations, label, span))?;
    let is_view = |stmt: &&Stmt| stmt.results.iter().any(|result| views.contains_key(result) && names.contains(result));
    let certs_of = |stmt: &Stmt| stmt.results.iter().map(|&result| (result, stmt.certs.clone())).collect::<Vec<_>>();
    let view_certs = block.stmts.iter().filter(is_view).flat_map(certs_of).collect();
    let proof = Folding { producer, arrays, is_whole, consumers, evaluations, repeated, views, view_certs };
    let may_read_more = is_whole && work.reads > 1 && evaluations.full > 1 && !is_nested(func, block, &proof, &sites);
    let is_full = is_full(data);
    let slabs = slabs_in_place(func, block, sharing, touches, &proof);
    if !is_full || may_read_more || !slabs.is_empty() {
        tried(func, block, sharing, &proof, any, may_read_more.then_some(span), &slabs)?;
    }
    Ok(Some(proof))
}

/// Folds the producer and takes that back: which generator is read where depends on bounds that statements compute. With a span also
/// refuses if an element takes more reads and writes of memory than before. `slabs` have to stay in place.
fn tried(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    proof: &Folding,
    any: Value,
    span: Option<Span>,
    slabs: &[Slab],
) -> Result<(), Refusal> {
    let consumers: BTreeSet<Value> =
        proof.consumers.iter().filter_map(|&at| block.stmts[at].results.first().copied()).collect();
    let own = reads_per_index(func, &block.stmts[proof.producer]) + proof.arrays.len();
    let before = own + references(func, block, &consumers);
    let is_read = |&at: &usize| matches!(block.stmts[at].op, Op::Index { .. });
    // What stands for a read of the block itself may be used anywhere in it.
    let checkpoint = match proof.consumers.iter().any(is_read) {
        true => Checkpoint::of_all(func, block),
        false => Checkpoint::of(func, block, proof.consumers.iter().copied().chain([proof.producer])),
    };
    let result = rewrite(func, block, sharing, &mut Touches::default(), proof, any);
    let after = references(func, block, &consumers);
    let copied = (!slabs.is_empty()).then(|| Sums::of(func, &[&func.body, block])).and_then(|sums| {
        let mut slabs = slabs.iter();
        slabs.find(|slab| !slab.is_in_place(func, block, &sums, sharing))
    });
    checkpoint.restore(func, block);
    match span {
        Some(span) if result.is_ok() && after > before => {
            Err(Refusal::MoreReferences { places: proof.evaluations.full, before, after, span })
        }
        Some(_) | None => match copied {
            Some(&Slab { source, span, .. }) if result.is_ok() => Err(Refusal::CopiesRest { array: source, span }),
            _ => result,
        },
    }
}

/// What a with-loop modifies of an array, a few rows or columns, in the memory of that array.
struct Slab {
    result: Value,
    source: Value,
    span: Span,
}

impl Slab {
    /// True if the with-loop in the block can still be run in the array's memory. `sums` are those of function and block.
    fn is_in_place(&self, func: &Func, block: &Block, sums: &Sums, sharing: &mut Sharing) -> bool {
        let made = |stmt: &&Stmt| stmt.results.contains(&self.result);
        let label = match block.stmts.iter().find(made).map(|stmt| &stmt.op) {
            Some(Op::With(label)) => *label,
            _ => return false,
        };
        let class = sharing.class(self.source);
        reads_only_what_may_be_replaced(func, sums, &func.with_loops[label], self.source, &mut |operand| {
            operand.value().is_some_and(|value| !func.ty(value).is_scalar() && sharing.class(value) == class)
        })
    }
}

/// The consumers' slabs of arrays that the producer reads too. If such a consumer reads more of its array it needs a copy of all of it, where
/// what the producer makes is a slab.
fn slabs_in_place(
    func: &Func,
    block: &Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    proof: &Folding,
) -> Vec<Slab> {
    let read: BTreeSet<usize> = {
        let touched = touches.of(func, &block.stmts[proof.producer]);
        touched.used.iter().filter(|&&value| !func.ty(value).is_scalar()).map(|&value| sharing.class(value)).collect()
    };
    let mut slabs = Vec::new();
    for &at in &proof.consumers {
        let stmt = &block.stmts[at];
        let Op::With(label) = stmt.op else { continue };
        let data = &func.with_loops[label];
        let [generator] = &data.generators[..] else { continue };
        for (&result, (owner, _)) in stmt.results.iter().zip(result_operators(data)) {
            if let Operator::ModArray { source, .. } = data.operators[owner].op
                && read.contains(&sharing.class(source))
            {
                slabs.push((Slab { result, source, span: stmt.span }, generator));
            }
        }
    }
    if slabs.is_empty() {
        return Vec::new();
    }
    let sums = Sums::of(func, &[&func.body, block]);
    let is_slab = |slab: &Slab, generator: &Generator| {
        let shape = &func.ty(slab.source).shape;
        (0..generator.lower.len()).any(|axis| {
            matches!(shape[axis], Extent::Value(_)) && sums.is_few(generator.lower[axis], generator.upper[axis])
        })
    };
    slabs.retain(|(slab, generator)| is_slab(slab, generator));
    let slabs = slabs.into_iter().map(|(slab, _)| slab);
    slabs.filter(|slab| slab.is_in_place(func, block, &sums, sharing)).collect()
}

/// Why so much may not be repeated.
fn too_much(work: Work, evaluations: Evaluations, producer: WithLoop, span: Span) -> Refusal {
    match work.is_constant && !evaluations.unbounded && evaluations.in_order == 0 {
        true => Refusal::RepeatsOperations {
            places: evaluations.full,
            operations: evaluations.full.saturating_sub(1).saturating_mul(work.weight),
            span,
        },
        false => Refusal::RepeatsWork { producer, span },
    }
}

/// True if a cell of the with-loop needs one element of an array at most.
pub fn reads_one(func: &Func, stmt: &Stmt) -> bool {
    matches!(stmt.op, Op::With(label) if works(func, &func.with_loops[label]).reads <= 1)
}

/// True if a read stands in a loop inside of the consumer.
fn is_nested(func: &Func, block: &Block, proof: &Folding, sites: &[Site]) -> bool {
    let axes = |at: usize| match block.stmts[at].op {
        Op::With(w) => func.with_loops[w].space.len(),
        _ => 0,
    };
    let outermost = proof.consumers.iter().map(|&at| axes(at)).min().unwrap_or(0);
    sites.iter().any(|site| site.axes.len() > outermost)
}

/// How many reads and writes of memory an element takes in these statements of a block.
fn references(func: &Func, block: &Block, results: &BTreeSet<Value>) -> usize {
    let is_wanted = |stmt: &&Stmt| stmt.results.first().is_some_and(|result| results.contains(result));
    block.stmts.iter().filter(is_wanted).map(|stmt| reads_per_index(func, stmt)).sum()
}

/// The results of a with-loop whose elements are its cells, but for those whose type is known only when it has ended.
fn elementwise_results(func: &Func, stmt: &Stmt, data: &WithLoopData) -> BTreeSet<Value> {
    let is_elementwise = |owner: usize| match data.operators[owner].op {
        Operator::GenArray => true,
        Operator::ModArray { .. }
        | Operator::Fold { .. }
        | Operator::Scan { .. }
        | Operator::Filter { .. }
        | Operator::Uniform => false,
    };
    let is_known = |result: Value| {
        let mut extents = func.ty(result).shape.iter().filter_map(|&extent| Operand::from(extent).value());
        extents.all(|extent| !stmt.results.contains(&extent))
    };
    let results = stmt.results.iter().zip(result_operators(data));
    results
        .filter(|&(&result, (owner, _))| is_elementwise(owner) && is_known(result))
        .map(|(&result, _)| result)
        .collect()
}

/// The views of these arrays that statements of the block define.
fn views_of(block: &Block, mentions: &Mentions, arrays: &BTreeSet<Value>) -> Views {
    let mut views = Views::new();
    let mut open: Vec<Value> = arrays.iter().copied().collect();
    while let Some(name) = open.pop() {
        for at in mentions.of([&name]) {
            if let Op::View { array, view } = &block.stmts[at].op {
                let result = block.stmts[at].results[0];
                views.insert(result, (*array, view.clone()));
                open.push(result);
            }
        }
    }
    views
}

/// The arrays and the views of them.
fn closure(arrays: &BTreeSet<Value>, views: &Views) -> BTreeSet<Value> {
    let mut names = arrays.clone();
    // A view is defined after what it is a view of, but values need not ascend.
    loop {
        let before = names.len();
        names.extend(
            views.iter().filter(|(_, (source, _))| names.contains(source)).map(|(&v, _)| v).collect::<Vec<_>>(),
        );
        if names.len() == before {
            return names;
        }
    }
}

/// How the results of a producer are used.
struct Readers {
    /// Those that are read and never needed as a whole.
    arrays: BTreeSet<Value>,
    /// The number of those that are not used at all.
    unused: usize,
    /// What is wrong with one that is read, and needed as a whole as well.
    refusal: Option<Refusal>,
}

fn readers_of(
    func: &Func,
    block: &Block,
    mentions: &Mentions,
    candidates: &BTreeSet<Value>,
    views: &Views,
    axes: usize,
) -> Readers {
    let mut readers = Readers { arrays: BTreeSet::new(), unused: 0, refusal: None };
    for &array in candidates {
        let names = closure(&BTreeSet::from([array]), views);
        let is_result = block.results.iter().any(|result| result.value().is_some_and(|value| names.contains(&value)));
        let mut is_read = false;
        let mut whole = is_result.then_some(Span::NONE);
        for at in mentions.of(&names) {
            let found = uses(func, block, &block.stmts[at], &names, views, axes);
            is_read |= !found.sites.is_empty();
            whole = whole.or(found.whole.map(|(_, span)| span));
        }
        match whole {
            None if is_read => {
                readers.arrays.insert(array);
            }
            None => readers.unused += 1,
            Some(_) if !is_read => {}
            Some(span) => {
                let span = if span.is_none() { func.values[array].span } else { span };
                readers.refusal.get_or_insert(Refusal::UsedAsWhole { array, span });
            }
        }
    }
    readers
}

/// Nothing that the producer reads is updated in place before the last of its readers.
fn not_consumed(
    func: &Func,
    block: &Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    producer: usize,
    consumers: &[usize],
) -> Result<(), Refusal> {
    let inputs = touches.of(func, &block.stmts[producer]);
    let inputs = &inputs.used;
    let mut memory: BTreeMap<usize, Value> = BTreeMap::new();
    for &input in inputs.iter().filter(|&&input| !func.ty(input).is_scalar()) {
        if sharing.is_consumed(input) {
            memory.insert(sharing.class(input), input);
        }
    }
    if memory.is_empty() {
        return Ok(());
    }
    let last = *consumers.last().expect("there is a reader");
    for stmt in &block.stmts[producer + 1..=last] {
        for &value in &touches.of(func, stmt).consumed {
            if let Some(&input) = memory.get(&sharing.class(value)) {
                return Err(Refusal::InputConsumed { input, span: stmt.span });
            }
        }
    }
    Ok(())
}

/// The work of one cell, of whichever generator.
fn works(func: &Func, data: &WithLoopData) -> Work {
    data.generators.iter().map(|generator| Work::of(func, &generator.body)).fold(Work::nothing(), Work::or)
}

/// True if the readers evaluate every element: one read at the indices of loops that cover the producer's space, or a view
/// that has all of its elements.
fn reads_everything(
    func: &Func,
    block: &Block,
    data: &WithLoopData,
    consumers: &[usize],
    sites: &[Site],
    evaluations: &Evaluations,
    views: &Views,
) -> bool {
    let is_equal = |length: Extent, extent: Extent| {
        length == extent
            || consumers.iter().any(|&at| is_asserted_equal(&block.stmts[..at], length.into(), extent.into()))
    };
    let covers = |site: &Site| {
        let mut at = site.array;
        let mut has_all = true;
        while let Some((source, view)) = views.get(&at) {
            has_all &= matches!(view, View::Permute { .. } | View::Reshape);
            at = *source;
        }
        let axes = if at == site.array { data.space.len() } else { func.ty(site.array).rank() };
        // Axes without an index are read from end to end.
        let indices = &site.indices[..site.indices.len().min(axes)];
        let shape = &func.ty(site.array).shape;
        has_all
            && !site.is_conditional
            && site.axes.len() == indices.len()
            && indices.iter().zip(shape).all(|(&index, &extent)| {
                let is_axis = |&&(axis, _): &&(Value, Extent)| index == Operand::Value(axis);
                site.axes.iter().filter(is_axis).any(|&(_, length)| is_equal(length, extent))
            })
    };
    consumers.len() == 1 && evaluations.is_once() && sites.iter().any(covers)
}

/// True if one of the statements ends the program where these differ.
fn is_asserted_equal(stmts: &[Stmt], x: Operand, y: Operand) -> bool {
    let compares =
        |op: &Op| matches!(op, Op::Binary { op: BinOp::EQ, x: a, y: b } if (*a, *b) == (x, y) || (*a, *b) == (y, x));
    let asserts = |stmt: &Stmt, result: Value| matches!(stmt.op, Op::Assert { cond, .. } if cond == result.into());
    stmts
        .iter()
        .enumerate()
        .filter(|(_, stmt)| compares(&stmt.op))
        .any(|(at, comparison)| stmts[at..].iter().any(|stmt| asserts(stmt, comparison.results[0])))
}

/// The additional weight per element; `None` if that would be more than may be repeated. See `Note [Repeated work]`.
fn repeated_weight(work: Work, evaluations: Evaluations, is_whole: bool, most_repeated: u64) -> Option<u64> {
    if work.is_free() {
        return Some(0);
    }
    // What stays of the producer goes on computing what its results share.
    let times = evaluations.full + u64::from(!is_whole);
    if !work.is_constant {
        return (is_whole && evaluations.is_once() && evaluations.in_order == 0).then_some(0);
    }
    let is_cheap = is_whole && evaluations.in_order == 1 && evaluations.full <= 2 && work.weight <= CHEAP_IN_ORDER;
    if evaluations.unbounded || evaluations.in_order > 0 && !is_cheap {
        return None;
    }
    if work.weight >= COSTLY && times > 2 {
        return None;
    }
    let repeated = times.saturating_sub(1).saturating_mul(work.weight);
    (repeated <= most_repeated).then_some(repeated)
}

/// Puts the body in the place of the reads.
pub fn apply(func: &mut Func, block: &mut Block, sharing: &mut Sharing, touches: &mut Touches, proof: &Folding) {
    let any = *proof.arrays.first().expect("an array is folded");
    rewrite(func, block, sharing, touches, proof, any)
        .expect("the proof has shown that every read falls into one generator");
}

/// Puts the body in the place of the reads; refuses if the producer has several generators, and it cannot be told which a read
/// falls into. `any` is one of the arrays.
fn rewrite(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    proof: &Folding,
    any: Value,
) -> Result<(), Refusal> {
    let producer = &block.stmts[proof.producer];
    let Op::With(label) = &producer.op else { unreachable!("the producer is a with-loop") };
    let data = func.with_loops[*label].clone();
    let owners = result_operators(&data);
    let results = producer.results.clone();
    // Reads through views become reads of the arrays below, so what the views list is asked before.
    let mut certs: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for &at in &proof.consumers {
        let of_views = proof.certs_of_views(func, &block.stmts[at]);
        certs.insert(at, [&producer.certs[..], &of_views].concat());
    }
    let cell_of = |result: &Value| results.iter().position(|r| r == result).map(|at| owners[at].1);
    let cells: BTreeMap<Value, usize> =
        proof.arrays.iter().map(|r| (*r, cell_of(r).expect("it is a result"))).collect();
    let names = closure(&proof.arrays, &proof.views);
    let mut folder = Folder {
        func: &mut *func,
        sharing: &mut *sharing,
        data: &data,
        cells,
        names,
        views: &proof.views,
        resolves_views: false,
        choices: Vec::new(),
        choice: None,
        inner_certs: BTreeSet::new(),
        outer_certs: Vec::new(),
        known: Vec::new(),
        renaming: Renaming::new(),
    };
    if !is_full(&data) {
        folder.refine(block, proof, any)?;
    }
    let mut stmts = Vec::with_capacity(block.stmts.len());
    folder.known.push(HashMap::new());
    for (at, stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
        if !proof.consumers.contains(&at) {
            stmts.push(stmt);
            continue;
        }
        let mut stmt = stmt;
        let is_read = matches!(stmt.op, Op::Index { .. });
        let (begin, known) = (stmts.len(), folder.renaming.clone());
        touches.forget(&stmt.results);
        let mut inner = Vec::new();
        stmt.op.for_each_block(folder.func, &mut |block| inner.push(block));
        folder.inner_certs = inner_certificates(folder.func, inner);
        folder.outer_certs.clone_from(&certs[&at]);
        if let Some(refined) = folder.choices.iter_mut().find(|refined| refined.0 == at) {
            stmts.append(&mut refined.1.stmts);
            stmt.certs.append(&mut refined.1.certs);
        }
        folder.consumer(at, stmt, &mut stmts);
        // If the statement was itself a read, its certificates are those of what was put in its place.
        if let Some(last) = stmts.last_mut() {
            last.certs.append(&mut folder.outer_certs);
            last.certs.sort_unstable();
            last.certs.dedup();
        }
        // Only what stands for a read of the block itself is used outside of the statement.
        if !is_read {
            let mut inside = Block { stmts: stmts.split_off(begin), results: Vec::new() };
            let renaming = std::mem::replace(&mut folder.renaming, known);
            rename(folder.func, folder.sharing, &mut inside, &renaming);
            stmts.append(&mut inside.stmts);
        }
    }
    block.stmts = stmts;
    let names = folder.names;
    let renaming = folder.renaming;
    if !renaming.is_empty() {
        touches.forget_all();
        rename(func, sharing, block, &renaming);
    }
    if proof.is_whole && works(func, &data).may_fail {
        // Its checks are made where the body stands now, so that it need not stay for them.
        let is_gone = |stmt: &Stmt| stmt.results == results || names.contains(&stmt.results[0]);
        block.stmts.retain(|stmt| stmt.results.is_empty() || !is_gone(stmt));
    }
    Ok(())
}

struct Folder<'a> {
    func: &'a mut Func,
    sharing: &'a mut Sharing,
    data: &'a WithLoopData,
    /// The cell of each result that disappears.
    cells: BTreeMap<Value, usize>,
    /// Those results and the views of them.
    names: BTreeSet<Value>,
    views: &'a Views,
    /// Reads through views become reads of the arrays themselves, and nothing else is done.
    resolves_views: bool,
    /// Per consumer, by its position: which generator each read falls into. Empty if the producer has one.
    choices: Vec<(usize, Refined)>,
    /// That of the generator that is rewritten.
    choice: Option<Choice>,
    /// The certificates made inside of the statement that is rewritten, and those made outside under which it reads.
    inner_certs: BTreeSet<Value>,
    outer_certs: Vec<Value>,
    /// Per open block: the cells that were computed there, by index.
    known: Vec<HashMap<Vec<Operand>, Vec<Operand>>>,
    /// What stands for the reads.
    renaming: Renaming,
}

impl Folder<'_> {
    /// Splits the generators of the consumers so that each read falls into one generator of the producer.
    fn refine(&mut self, block: &mut Block, proof: &Folding, any: Value) -> Result<(), Refusal> {
        for &at in &proof.consumers {
            let refusal = Refusal::NonInvertibleRead { read: any, span: block.stmts[at].span };
            let Op::With(label) = block.stmts[at].op else { return Err(refusal) };
            let mut inner = Vec::new();
            block.stmts[at].op.for_each_block(self.func, &mut |block| inner.push(block));
            self.inner_certs = inner_certificates(self.func, inner);
            self.resolves_views = true;
            self.known.push(HashMap::new());
            let mut op = block.stmts[at].op.clone();
            self.inner_blocks(&mut op);
            self.known.pop();
            self.resolves_views = false;
            let mut facts = facts_at(self.func, block, at);
            let renaming = std::mem::take(&mut self.renaming);
            let mut inside = Block { stmts: vec![block.stmts[at].clone()], results: Vec::new() };
            rename(self.func, self.sharing, &mut inside, &renaming);
            let mut refined = refine(self.func, self.sharing, &mut facts, label, self.data, &proof.arrays)?;
            refined.certs.append(&mut self.outer_certs);
            self.choices.push((at, refined));
        }
        Ok(())
    }

    /// Rewrites a statement at the level of the producer.
    fn consumer(&mut self, at: usize, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let Some(place) = self.choices.iter().position(|refined| refined.0 == at) else {
            return self.stmt(stmt, out);
        };
        let mut choices = std::mem::take(&mut self.choices[place].1.choices).into_iter();
        let mut inner = take_blocks(self.func, &mut stmt.op);
        for block in &mut inner {
            self.choice = choices.next();
            self.block(block);
        }
        self.choice = None;
        put_blocks(self.func, &mut stmt.op, inner);
        out.push(stmt);
    }

    fn block(&mut self, block: &mut Block) {
        self.known.push(HashMap::new());
        let mut stmts = Vec::with_capacity(block.stmts.len());
        std::mem::take(&mut block.stmts).into_iter().for_each(|stmt| self.stmt(stmt, &mut stmts));
        block.stmts = stmts;
        self.known.pop();
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        match &stmt.op {
            Op::Index { array, indices } if self.names.contains(array) => {
                let (array, indices) = (*array, indices.clone());
                if self.known.len() > 1 {
                    lift_certificates(&mut stmt, &self.inner_certs, &mut self.outer_certs);
                } else {
                    stmt.certs.append(&mut self.outer_certs);
                }
                self.read(&stmt, array, &indices, out);
            }
            ops!(scalar | access | array | effect | control) => {
                self.inner_blocks(&mut stmt.op);
                out.push(stmt);
            }
        }
    }

    fn inner_blocks(&mut self, op: &mut Op) {
        let mut inner = take_blocks(self.func, op);
        inner.iter_mut().for_each(|block| self.block(block));
        put_blocks(self.func, op, inner);
    }

    /// Computes what the statement reads.
    fn read(&mut self, stmt: &Stmt, array: Value, indices: &[Operand], out: &mut Vec<Stmt>) {
        let read = stmt.results[0];
        let needs_copy = self.sharing.is_consumed(read) || self.sharing.is_unique_result(read);
        let indices: Vec<Operand> = indices.iter().map(|&index| self.renamed(index)).collect();
        let rank = self.func.ty(array).rank();
        let is_viewed = self.views.contains_key(&array);
        let operand = if indices.len() == rank || !is_viewed && indices.len() >= self.data.space.len() {
            self.element(array, &indices, stmt.span, out)
        } else {
            self.sub_array(array, &indices, stmt.span, out)
        };
        let operand = under_certificates(self.func, out, operand, stmt, needs_copy);
        self.renaming.insert(read, operand);
    }

    fn renamed(&self, mut operand: Operand) -> Operand {
        while let Operand::Value(value) = operand
            && let Some(&next) = self.renaming.get(&value)
        {
            operand = next;
        }
        operand
    }

    /// The element, or with fewer indices than axes the cell, at an index of the array or of a view of it.
    fn element(&mut self, array: Value, indices: &[Operand], span: Span, out: &mut Vec<Stmt>) -> Operand {
        let (mut at, mut indices) = (array, indices.to_vec());
        while let Some((source, view)) = self.views.get(&at) {
            indices = self.through_view(at, *source, view, &indices, span, out);
            at = *source;
        }
        if self.resolves_views {
            let ty = self.func.ty(at).row(indices.len());
            let value = self.func.value(ty, span);
            out.push(Stmt { results: vec![value], op: Op::Index { array: at, indices }, certs: Vec::new(), span });
            return value.into();
        }
        let (own, rest) = indices.split_at(self.data.space.len());
        let cell = self.cells_at(own, out)[self.cells[&at]];
        if rest.is_empty() {
            return cell;
        }
        let array = cell.value().expect("a cell that is read at further indices is an array");
        let ty = self.func.ty(array).row(rest.len());
        let value = self.func.value(ty, span);
        out.push(Stmt {
            results: vec![value],
            op: Op::Index { array, indices: rest.to_vec() },
            certs: Vec::new(),
            span,
        });
        value.into()
    }

    /// The sub-array at an index, as a with-loop over its axes.
    fn sub_array(&mut self, array: Value, indices: &[Operand], span: Span, out: &mut Vec<Stmt>) -> Operand {
        let ty = self.func.ty(array).clone();
        let is_viewed = self.views.contains_key(&array);
        // Without a view the cells may be arrays: the loop needs to run over the missing axes of the space alone.
        let end = if is_viewed { ty.rank() } else { self.data.space.len() };
        let space: Vec<Extent> = ty.shape[indices.len()..end].to_vec();
        let axes: Vec<Value> = space.iter().map(|_| self.func.value(Type::scalar(Scalar::I64), span)).collect();
        let full: Vec<Operand> = indices.iter().copied().chain(axes.iter().map(|&axis| axis.into())).collect();
        let mut body = Block::default();
        self.known.push(HashMap::new());
        let cell = self.element(array, &full, span, &mut body.stmts);
        self.known.pop();
        body.results.push(cell);
        let generators = vec![Generator::full(&space, body)];
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let label: WithLoop = self.func.with_loops.push(WithLoopData {
            space,
            indices: axes,
            generators,
            operators,
            span: self.data.span,
        });
        let value = self.func.value(ty.row(indices.len()), span);
        out.push(Stmt { results: vec![value], op: Op::With(label), certs: Vec::new(), span });
        value.into()
    }

    /// The producer's cells at an index; computed once for all reads at it in the scope of the first.
    fn cells_at(&mut self, index: &[Operand], out: &mut Vec<Stmt>) -> Vec<Operand> {
        if let Some(cells) = self.known.iter().rev().find_map(|known| known.get(index)) {
            return cells.clone();
        }
        let mut renaming: Renaming = self.data.indices.iter().copied().zip(index.iter().copied()).collect();
        let generator = self.choice.as_ref().map_or(0, |choice| choice[index]);
        let body = self.func.copy_block(None, &self.data.generators[generator].body, &mut renaming);
        share_copies(self.func, self.sharing, &renaming);
        out.extend(body.stmts);
        self.known.last_mut().expect("a block is open").insert(index.to_vec(), body.results.clone());
        body.results
    }

    /// The index in the source of a full index of its view.
    fn through_view(
        &mut self,
        array: Value,
        source: Value,
        view: &View,
        indices: &[Operand],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Vec<Operand> {
        match view {
            View::Permute { axes } => {
                let mut inner = vec![Operand::i64(0); axes.len()];
                axes.iter().zip(indices).for_each(|(&axis, &index)| inner[axis] = index);
                inner
            }
            View::Broadcast => indices[indices.len() - self.func.ty(source).rank()..].to_vec(),
            View::Slice { starts, steps } => {
                let mut inner = Vec::with_capacity(indices.len());
                for ((&index, &start), &step) in indices.iter().zip(starts).zip(steps) {
                    let offset = self.integer(BinOp::MUL, index, Operand::i64(step), span, out);
                    inner.push(self.integer(BinOp::ADD, start, offset, span, out));
                }
                inner
            }
            View::Reshape => self.through_reshape(array, source, indices, span, out),
        }
    }

    /// Axes in front with equal extents correspond, and so do axes behind; those between go through the position in
    /// row-major order.
    fn through_reshape(
        &mut self,
        array: Value,
        source: Value,
        indices: &[Operand],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Vec<Operand> {
        let (from, to) = (self.func.ty(array).shape.clone(), self.func.ty(source).shape.clone());
        let front = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let behind = from[front..].iter().rev().zip(to[front..].iter().rev()).take_while(|(a, b)| a == b).count();
        let (from_end, to_end) = (from.len() - behind, to.len() - behind);
        let mut position = Operand::i64(0);
        for axis in front..from_end {
            let scaled = self.integer(BinOp::MUL, position, from[axis].into(), span, out);
            position = self.integer(BinOp::ADD, scaled, indices[axis], span, out);
        }
        let mut middle = Vec::new();
        for axis in (front + 1..to_end).rev() {
            middle.push(self.integer(BinOp::REM, position, to[axis].into(), span, out));
            position = self.integer(BinOp::DIV, position, to[axis].into(), span, out);
        }
        if front < to_end {
            middle.push(position);
        }
        middle.reverse();
        [&indices[..front], &middle, &indices[from_end..]].concat()
    }

    fn integer(&mut self, op: BinOp, x: Operand, y: Operand, span: Span, out: &mut Vec<Stmt>) -> Operand {
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        match op {
            BinOp::ADD if x == zero => return y,
            BinOp::ADD if y == zero => return x,
            BinOp::MUL if x == zero || y == zero => return zero,
            BinOp::MUL | BinOp::DIV if y == one => return x,
            BinOp::MUL if x == one => return y,
            _ => {}
        }
        let value = self.func.value(Type::scalar(Scalar::I64), span);
        out.push(Stmt { results: vec![value], op: Op::Binary { op, x, y }, certs: Vec::new(), span });
        value.into()
    }
}

// Note [Repeated work]
//
// A read takes a constant amount of work. Where the producer's body does too, replacing reads by evaluations adds at most a
// constant factor; how large a factor, and whether the memory that is saved is worth it, is weighed by the planner,
// but never more than `Options::most_repeated` operations per element, and none for reads that are themselves repeated without bound (a
// matrix product reads each element n times): those only if the body costs no more than the read.
// Where the body is a loop, each element may be evaluated once at most, and only if the producer itself disappears. The same holds for reads
// in sequential loops, as that of a histogram whose bins are also counted elsewhere; there the body must be cheap too, as neither threads
// nor vectors evaluate it any more.
