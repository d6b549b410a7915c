//! Hulls: with-loops over different spaces made to run over a common one, so that they can be fused.
//! Source: the future work of \[WLF\] section 10: "generators cover the convex hull of the individual index spaces".
//! Before:   verified array IR.
//! After:    the same results; a with-loop over a larger space, which does nothing at the indices that are new.
//! Work:     the smaller with-loop visits the hull. That is at most as much as both visited if the spaces differ along one axis,
//!           or one contains the other; else it is refused.
//! Reorders: nothing.
//!
//! The paper marks positions that do not exist in a result with a special value. Here folds and filters get a guard that is false
//! there; arrays get a few elements that nothing reads and are cut to size by a view, but only if they grow by a small constant.
//! [`extend_to`] its own space is also how a with-loop that leaves indices out comes to cover it.

use super::block_graph::Touches;
use super::generators::{Bounds, Grid, Part, covers, facts_at, refined, remainder, subtract, unify};
use super::with_loop_fusion::{correspondence, with_loop_fusion};
use super::{Attempts, Refusal};
use frit_ir::array::{
    Block, Extent, Func, Op, Operand, Operator, OperatorData, Stmt, Type, Value, View, WithLoop, WithLoopData,
};
use frit_ir::scalar::{Const, Scalar};
use frit_simplify::sharing::Sharing;
use std::collections::BTreeSet;

/// An array is made longer by at most so many elements along one axis.
const MAX_PADDING: i64 = 8;

/// A with-loop over a larger space.
#[derive(Clone, Debug)]
pub struct Extended {
    /// The with-loop.
    pub data: WithLoopData,
    /// The positions of results that are longer than they were.
    pub longer: Vec<usize>,
}

/// Both with-loops over the smallest space that contains both of theirs.
pub fn hull(bounds: &mut Bounds, first: &WithLoopData, second: &WithLoopData) -> Result<(Extended, Extended), Refusal> {
    let (a, b) = (&first.space, &second.space);
    let differ = Refusal::SpacesDiffer { span: second.span };
    if a.len() != b.len() {
        return Err(differ);
    }
    let axes = || a.iter().zip(b).map(|(&x, &y)| (Operand::from(x), Operand::from(y)));
    let unequal = axes().filter(|&(x, y)| !bounds.equal(x, y)).count();
    let is_worth_it =
        unequal <= 1 || axes().all(|(x, y)| bounds.at_most(x, y)) || axes().all(|(x, y)| bounds.at_most(y, x));
    if !is_worth_it {
        return Err(differ);
    }
    let mut space = Vec::new();
    for (x, y) in axes() {
        space.push(if bounds.equal(x, y) { x } else { bounds.max(x, y) }.extent());
    }
    Ok((extend_to(bounds, first, &space)?, extend_to(bounds, second, &space)?))
}

/// The with-loop over a space that contains its own, with generators that cover that.
pub fn extend_to(bounds: &mut Bounds, data: &WithLoopData, space: &[Extent]) -> Result<Extended, Refusal> {
    let differ = Refusal::SpacesDiffer { span: data.span };
    if data.space.len() != space.len() {
        return Err(differ);
    }
    let grown: Vec<usize> =
        (0..space.len()).filter(|&at| !bounds.equal(data.space[at].into(), space[at].into())).collect();
    let new = if covers(bounds, data) {
        subtract(bounds, &Grid::full(space), &Grid::full(&data.space))?
    } else {
        let grids: Vec<Grid> = data.generators.iter().map(Grid::of).collect();
        remainder(bounds, space, &grids)?
    };
    let mut extended = Extended { data: data.clone(), longer: Vec::new() };
    if new.is_empty() && grown.is_empty() {
        return Ok(extended);
    }
    let is_padded = match grown[..] {
        [] => true,
        [at] => bounds
            .difference(space[at].into(), data.space[at].into())
            .is_some_and(|padding| (0..=MAX_PADDING).contains(&padding)),
        _ => false,
    };
    let feed = feed(bounds.func, data, !grown.is_empty(), is_padded).ok_or(differ)?;
    extended.longer = feed.longer;
    extended.data.space = space.to_vec();
    for (operator, filler) in extended.data.operators.iter_mut().zip(&feed.fillers) {
        operator.guarded |= filler.guard;
    }
    for generator in &mut extended.data.generators {
        let mut old = std::mem::take(&mut generator.body.results).into_iter();
        for (operator, filler) in data.operators.iter().zip(&feed.fillers) {
            if filler.guard && !operator.guarded {
                generator.body.results.push(Const::Bool(true).into());
            }
            generator.body.results.extend(old.by_ref().take(operator.cells()));
        }
    }
    for grid in new {
        let body = filling(bounds.func, data, &feed.fillers);
        extended.data.generators.push(grid.generator(body));
    }
    Ok(extended)
}

/// What an operator gets at new indices.
struct Filler {
    /// A guard that is false.
    guard: bool,
    cells: Cells,
}

enum Cells {
    /// Zeros of these types.
    Zeros(Vec<Scalar>),
    /// The element, or the sub-array, of the source.
    Source(Value),
}

/// What was shown: every operator can be fed at new indices.
struct Feed {
    fillers: Vec<Filler>,
    longer: Vec<usize>,
}

/// What operators get at new indices; `None` if one cannot be fed at indices where its with-loop did nothing. `is_padded`: arrays may grow.
fn feed(func: &Func, data: &WithLoopData, grows: bool, is_padded: bool) -> Option<Feed> {
    let mut feed = Feed { fillers: Vec::new(), longer: Vec::new() };
    let (mut cell, mut result) = (0, 0);
    for OperatorData { op, guarded } in &data.operators {
        let first = cell + usize::from(*guarded);
        let zeros = || {
            let scalar = |at: usize| match &data.generators[..] {
                [generator, ..] => {
                    let ty = func.operand_type(generator.body.results[first + at]);
                    ty.is_scalar().then_some(ty.elem)
                }
                [] => None,
            };
            (0..op.cells()).map(scalar).collect::<Option<Vec<Scalar>>>().map(Cells::Zeros)
        };
        let filler = match op {
            Operator::Fold { .. } | Operator::Filter { .. } => Filler { guard: true, cells: zeros()? },
            Operator::GenArray | Operator::Scan { .. } if is_padded => Filler { guard: false, cells: zeros()? },
            // In place, it writes only where it has to.
            Operator::ModArray { source, consumes: false } if !grows => {
                Filler { guard: false, cells: Cells::Source(*source) }
            }
            Operator::GenArray | Operator::Scan { .. } | Operator::ModArray { .. } | Operator::Uniform => return None,
        };
        match op {
            Operator::GenArray | Operator::Scan { .. } if grows => {
                feed.longer.extend(result..result + op.results());
            }
            Operator::GenArray
            | Operator::Scan { .. }
            | Operator::ModArray { .. }
            | Operator::Fold { .. }
            | Operator::Filter { .. }
            | Operator::Uniform => {}
        }
        feed.fillers.push(filler);
        cell = first + op.cells();
        result += op.results();
    }
    Some(feed)
}

/// The cells of a new index.
fn filling(func: &mut Func, data: &WithLoopData, fillers: &[Filler]) -> Block {
    let mut block = Block::default();
    for filler in fillers {
        if filler.guard {
            block.results.push(Const::Bool(false).into());
        }
        match &filler.cells {
            Cells::Zeros(types) => block.results.extend(types.iter().map(|ty| Operand::from(ty.zero()))),
            Cells::Source(source) => {
                let indices: Vec<Operand> = data.indices.iter().map(|&index| index.into()).collect();
                let ty = func.ty(*source).row(indices.len());
                let element = func.value(ty, data.span);
                let op = Op::Index { array: *source, indices };
                block.stmts.push(Stmt { results: vec![element], op, certs: Vec::new(), span: data.span });
                block.results.push(element.into());
            }
        }
    }
    block
}

/// What was shown of two with-loops: they have a hull.
struct Proof {
    /// The statements between them that are needed before both.
    early: BTreeSet<usize>,
    /// What computes the bounds, and the certificates under which they are right.
    stmts: Vec<Stmt>,
    certs: Vec<Value>,
    first: Extended,
    second: Extended,
    parts: Vec<Part>,
}

/// Gives two with-loop statements of a block, the earlier one first, one index space and the same generators in the same order, or
/// says why that is impossible. Returns their positions then.
///
/// On `Err`, nothing is changed.
pub fn with_loop_hull(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    first: usize,
    second: usize,
) -> Result<(usize, usize), Refusal> {
    let proof = prove(func, block, sharing, first, second)?;
    Ok(apply(func, block, sharing, (first, second), proof))
}

fn label(stmt: &Stmt) -> WithLoop {
    let Op::With(label) = stmt.op else { panic!("the statement is a with-loop") };
    label
}

fn prove(func: &mut Func, block: &Block, sharing: &mut Sharing, first: usize, second: usize) -> Result<Proof, Refusal> {
    let (one, other) = (label(&block.stmts[first]), label(&block.stmts[second]));
    let span = block.stmts[second].span;
    if func.with_loops[one].space.len() != func.with_loops[other].space.len() {
        return Err(Refusal::SpacesDiffer { span });
    }
    let early = needed_early(func, block, first, second)?;
    let mut facts = facts_at(func, block, first);
    early.iter().for_each(|&at| facts.define(func, &block.stmts[at]));
    let (a, b) = (func.with_loops[one].clone(), func.with_loops[other].clone());
    let mut bounds = Bounds::new(func, &mut facts, block.stmts[first].span);
    let (a, mut b) = hull(&mut bounds, &a, &b)?;
    // Extents that are equal get one name.
    b.data.space.clone_from(&a.data.space);
    let parts = unify(&mut bounds, &a.data, &b.data)?;
    let (stmts, certs) = bounds.finish();
    if keeps_padding(sharing, &block.stmts[first], &a) || keeps_padding(sharing, &block.stmts[second], &b) {
        return Err(Refusal::SpacesDiffer { span });
    }
    Ok(Proof { early, stmts, certs, first: a, second: b, parts })
}

fn apply(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    (first, second): (usize, usize),
    proof: Proof,
) -> (usize, usize) {
    let Proof { early, stmts, certs, first: mut a, second: mut b, parts } = proof;
    let other = label(&block.stmts[second]);
    a.data = refined(func, sharing, a.data, parts.iter().map(|part| (part.grid.clone(), part.first)));
    b.data = refined(func, sharing, b.data, parts.into_iter().map(|part| (part.grid, part.second)));
    let (mut before, mut between): (Vec<Stmt>, Vec<Stmt>) = (Vec::new(), Vec::new());
    for (at, stmt) in (first + 1..).zip(block.stmts.drain(first + 1..second)) {
        if early.contains(&at) { before.push(stmt) } else { between.push(stmt) }
    }
    before.extend(stmts);
    let behind = install(func, sharing, &mut block.stmts[first + 1], b);
    let views = install(func, sharing, &mut block.stmts[first], a);
    for view in &views {
        // The second loop reads what the first makes, not what is cut from it.
        let Op::View { array, .. } = view.op else { unreachable!("it is a view") };
        let mut data = func.take_with_loop(other);
        data.for_each_block_mut(&mut |body| read_instead(func, body, view.results[0], array));
        func.with_loops[other] = data;
    }
    for at in [first, first + 1] {
        let own = &mut block.stmts[at].certs;
        own.extend(&certs);
        own.sort_unstable();
        own.dedup();
    }
    let place = (first + before.len(), first + before.len() + 1 + views.len() + between.len());
    block.stmts.splice(first + 2..first + 2, behind);
    block.stmts.splice(first + 1..first + 1, views.into_iter().chain(between));
    block.stmts.splice(first..first, before);
    place
}

/// Elements that were read of one array are read of another one.
fn read_instead(func: &mut Func, block: &mut Block, old: Value, new: Value) {
    for stmt in &mut block.stmts {
        if let Op::Index { array, .. } = &mut stmt.op
            && *array == old
        {
            *array = new;
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| read_instead(func, inner, old, new));
    }
}

/// The statements between the with-loops that compute the space and the bounds of the second one: arithmetic that can as well be
/// done before the first one.
fn needed_early(func: &Func, block: &Block, first: usize, second: usize) -> Result<BTreeSet<usize>, Refusal> {
    let data = &func.with_loops[label(&block.stmts[second])];
    let bounds = data.generators.iter().flat_map(|generator| generator.lower.iter().chain(&generator.upper)).copied();
    let extents = data.space.iter().map(|&extent| extent.into());
    let mut wanted: BTreeSet<Value> = bounds.chain(extents).filter_map(Operand::value).collect();
    let mut early = BTreeSet::new();
    for at in (first..second).rev() {
        let stmt = &block.stmts[at];
        if !stmt.results.iter().any(|result| wanted.contains(result)) {
            continue;
        }
        let is_arithmetic = matches!(stmt.op, Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. });
        if !is_arithmetic {
            return Err(Refusal::StatementBetween { span: stmt.span });
        }
        stmt.op.for_each_operand(func, &mut |operand| wanted.extend(operand.value()));
        wanted.extend(&stmt.certs);
        early.insert(at);
    }
    Ok(early)
}

/// Makes a with-loop's statement that of its extended version: results that are longer get new names. The statements to put
/// behind it cut them to size under the old names.
fn install(func: &mut Func, sharing: &mut Sharing, stmt: &mut Stmt, extended: Extended) -> Vec<Stmt> {
    let space = extended.data.space.clone();
    func.with_loops[label(stmt)] = extended.data;
    let cut = |at: usize| {
        let old = stmt.results[at];
        let mut ty: Type = func.ty(old).clone();
        ty.shape.splice(..space.len(), space.iter().copied());
        let axes = ty.rank();
        let long = func.value(ty, stmt.span);
        func.values[long].name = func.values[old].name.clone();
        sharing.merge(old, long);
        stmt.results[at] = long;
        let view = View::Slice { starts: vec![Operand::i64(0); axes], steps: vec![1; axes] };
        Stmt { results: vec![old], op: Op::View { array: long, view }, certs: Vec::new(), span: stmt.span }
    };
    extended.longer.into_iter().map(cut).collect()
}

/// True if a result that gets longer is updated in place, or given away: it would keep its padding.
fn keeps_padding(sharing: &mut Sharing, stmt: &Stmt, extended: &Extended) -> bool {
    extended
        .longer
        .iter()
        .any(|&at| sharing.is_consumed(stmt.results[at]) || sharing.is_unique_result(stmt.results[at]))
}

/// Fuses two with-loop statements of a block, the earlier one first, over the hull of their spaces, or says why it may not.
///
/// On `Err`, nothing is changed. On `Ok`, the fused loop has the label of the second.
pub fn fuse_in_hull(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    first: usize,
    second: usize,
) -> Result<WithLoop, Refusal> {
    let proof = prove(func, block, sharing, first, second)?;
    let mut loops = Vec::new();
    [first, second].into_iter().for_each(|at| loops_in(func, &block.stmts[at], &mut loops));
    let before = block.clone();
    let (first, second) = apply(func, block, sharing, (first, second), proof);
    with_loop_fusion(func, block, sharing, &mut Touches::default(), first, second).inspect_err(|_| {
        *block = before;
        for (label, data) in loops {
            func.with_loops[label] = data;
        }
    })
}

/// The with-loop of a statement and those inside of it, as they are.
fn loops_in(func: &Func, stmt: &Stmt, found: &mut Vec<(WithLoop, WithLoopData)>) {
    if let Op::With(label) = stmt.op {
        found.push((label, func.with_loops[label].clone()));
    }
    stmt.op.for_each_block(func, &mut |block| block.stmts.iter().for_each(|inner| loops_in(func, inner, found)));
}

/// Fuses all with-loops that only the hull of their spaces makes alike.
pub fn fuse_everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| {
        let is_loop = |&at: &usize| matches!(block.stmts[at].op, Op::With(_));
        let loops: Vec<usize> = (0..block.stmts.len()).filter(is_loop).collect();
        loops.iter().flat_map(|&i| loops.iter().filter(move |&&j| j > i).map(move |&j| (i, j))).collect()
    };
    super::at_every_place(func, places, |func, block, sharing, (first, second)| {
        match correspondence(func, &block.stmts[first], &block.stmts[second]) {
            Err(Refusal::SpacesDiffer { .. }) => Some(fuse_in_hull(func, block, sharing, first, second).map(|_| ())),
            Ok(_) | Err(_) => None,
        }
    })
}
