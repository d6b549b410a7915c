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

use super::Refusal;
use super::generators::{Bounds, Grid, covers, facts_at, refined, remainder, subtract, unify};
use frit_ir::array::{Block, Extent, Func, Op, Operand, Operator, OperatorData, Stmt, Type, Value, View, WithLoopData};
use frit_ir::scalar::{Const, Scalar};
use frit_support::Span;

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
    let plan = prove(bounds.func, data, !grown.is_empty(), is_padded).ok_or(differ)?;
    extended.longer = plan.longer;
    extended.data.space = space.to_vec();
    for (operator, filler) in extended.data.operators.iter_mut().zip(&plan.fillers) {
        operator.guarded |= filler.guard;
    }
    for generator in &mut extended.data.generators {
        let mut old = std::mem::take(&mut generator.body.results).into_iter();
        for (operator, filler) in data.operators.iter().zip(&plan.fillers) {
            if filler.guard && !operator.guarded {
                generator.body.results.push(Const::Bool(true).into());
            }
            generator.body.results.extend(old.by_ref().take(operator.cells()));
        }
    }
    for grid in new {
        let body = filling(bounds.func, data, &plan.fillers);
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
    /// The element of the source.
    Source(Value),
}

/// What was shown: every operator can be fed at new indices.
struct Plan {
    fillers: Vec<Filler>,
    longer: Vec<usize>,
}

/// `None` if an operator cannot be fed at indices where its with-loop did nothing. `is_padded`: arrays may grow.
fn prove(func: &Func, data: &WithLoopData, grows: bool, is_padded: bool) -> Option<Plan> {
    let mut plan = Plan { fillers: Vec::new(), longer: Vec::new() };
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
                plan.longer.extend(result..result + op.results());
            }
            Operator::GenArray
            | Operator::Scan { .. }
            | Operator::ModArray { .. }
            | Operator::Fold { .. }
            | Operator::Filter { .. }
            | Operator::Uniform => {}
        }
        plan.fillers.push(filler);
        cell = first + op.cells();
        result += op.results();
    }
    Some(plan)
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
                if indices.is_empty() {
                    block.results.push((*source).into());
                    continue;
                }
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

/// Gives two with-loop statements of a block, the earlier one first, one index space and the same generators in the same order, or
/// says why that is impossible. Returns their positions then.
///
/// On `Err`, nothing is changed.
pub fn with_loop_hull(
    func: &mut Func,
    block: &mut Block,
    first: usize,
    second: usize,
) -> Result<(usize, usize), Refusal> {
    let (Op::With(one), Op::With(other)) = (&block.stmts[first].op, &block.stmts[second].op) else {
        panic!("both statements are with-loops");
    };
    let (one, other) = (*one, *other);
    let (a, b) = (func.with_loops[one].clone(), func.with_loops[other].clone());
    if a.space == b.space && same_generators(&a, &b) {
        return Ok((first, second));
    }
    is_known_before(func, block, first, second)?;
    let mut facts = facts_at(func, block, first);
    let mut bounds = Bounds::new(func, &mut facts, block.stmts[first].span);
    let (mut a, mut b) = hull(&mut bounds, &a, &b)?;
    // Extents that are equal get one name.
    b.data.space.clone_from(&a.data.space);
    let parts = unify(&mut bounds, &a.data, &b.data)?;
    let (stmts, certs) = bounds.finish();
    a.data = refined(func, a.data, parts.iter().map(|part| (part.grid.clone(), part.first)));
    b.data = refined(func, b.data, parts.into_iter().map(|part| (part.grid, part.second)));
    let mut place = (first, second);
    for (at, extended) in [(second, b), (first, a)] {
        let views = install(func, &mut block.stmts[at], extended);
        let stmt = &mut block.stmts[at];
        stmt.certs.extend(&certs);
        stmt.certs.sort_unstable();
        stmt.certs.dedup();
        if at == first {
            place.1 += views.len();
        }
        block.stmts.splice(at + 1..at + 1, views);
    }
    place = (place.0 + stmts.len(), place.1 + stmts.len());
    block.stmts.splice(first..first, stmts);
    Ok(place)
}

fn same_generators(a: &WithLoopData, b: &WithLoopData) -> bool {
    a.generators.iter().map(Grid::of).eq(b.generators.iter().map(Grid::of))
}

/// What the second with-loop's space and bounds mention is there before the first one.
fn is_known_before(func: &Func, block: &Block, first: usize, second: usize) -> Result<(), Refusal> {
    let Op::With(label) = block.stmts[second].op else { panic!("the second statement is a with-loop") };
    let data = &func.with_loops[label];
    let bounds = data.generators.iter().flat_map(|generator| generator.lower.iter().chain(&generator.upper)).copied();
    let mut mentioned = bounds.chain(data.space.iter().map(|&extent| extent.into()));
    let between = &block.stmts[first..second];
    let late = mentioned.find_map(|operand| {
        let value = operand.value()?;
        between.iter().find(|stmt| stmt.results.contains(&value))
    });
    match late {
        Some(stmt) => Err(Refusal::StatementBetween { span: stmt.span }),
        None => Ok(()),
    }
}

/// Makes a with-loop's statement that of its extended version: results that are longer get new names. The statements to put
/// behind it cut them to size under the old names.
pub fn install(func: &mut Func, stmt: &mut Stmt, extended: Extended) -> Vec<Stmt> {
    let Op::With(with_loop) = stmt.op else { panic!("only a with-loop is extended") };
    let rank = extended.data.space.len();
    let mut views = Vec::new();
    for &at in &extended.longer {
        let old = stmt.results[at];
        let mut ty: Type = func.ty(old).clone();
        ty.shape.splice(..rank, extended.data.space.iter().copied());
        let axes = ty.rank();
        let long = func.value(ty, stmt.span);
        func.values[long].name = func.values[old].name.clone();
        stmt.results[at] = long;
        let view = View::Slice { starts: vec![Operand::i64(0); axes], steps: vec![1; axes] };
        views.push(prefix(old, long, view, stmt.span));
    }
    func.with_loops[with_loop] = extended.data;
    views
}

fn prefix(result: Value, array: Value, view: View, span: Span) -> Stmt {
    Stmt { results: vec![result], op: Op::View { array, view }, certs: Vec::new(), span }
}
