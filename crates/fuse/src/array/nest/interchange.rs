//! The exchange of a fold or scan of arrays with the loop over their elements: every element is folded, or scanned, by itself.
//!
//! ```text
//! with (i) in [n] { yield row(i) } : fold (neutral) by (x, y) { with (j) in [m] { yield op(x[j], y[j]) } : genarray }
//!     becomes
//! with (j) in [m] { with (i) in [n] { yield row(i)[j] } : fold (neutral[j]) by (x, y) { op(x, y) } } : genarray
//! ```
//!
//! Every element is combined with the same cells in the same order as before.

use super::elements::{Axes, CHEAP, Elements, Parts, for_each_part, survey};
use super::emit::read_elements;
use super::{collect_all, common_axes, with_loop};
use crate::array::Refusal;
use crate::array::generators::Grid;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Func, Generator, Lambda, Op, Operand, Operator, OperatorData, Stmt, Type, Value, WithLoop,
    WithLoopData,
};
use frit_ir::scalar::Scalar;
use frit_support::Span;
use std::collections::BTreeSet;

/// What was shown of a with-loop whose operators are all folds, or all scans, of arrays.
#[derive(Debug)]
pub(in crate::array) struct Interchange {
    with_loop: WithLoop,
    /// The axes that go outside.
    axes: Vec<Extent>,
    /// Per part of their space: how the elements are computed.
    parts: Vec<(Grid, Part)>,
}

#[derive(Debug)]
struct Part {
    /// The cells, by generator.
    cells: Vec<Elements>,
    /// The results of the combining functions, by operator.
    combined: Vec<Elements>,
}

impl Interchange {
    /// The number of axes that go outside.
    pub(in crate::array) fn axes(&self) -> usize {
        self.axes.len()
    }
}

/// True if the exchange makes strides shorter: of the arrays that the cells read, some are read along the axis that is folded or
/// scanned, and none is read along the rows that are combined. Otherwise whole rows are better combined as they are, one
/// after the other, unless the exchange makes a merge possible.
pub(in crate::array) fn shortens_strides(func: &Func, stmt: &Stmt) -> bool {
    let Some((_, data)) = with_loop(func, stmt) else { return false };
    let mut strides =
        Strides { func, along: data.indices.iter().copied().collect(), across: BTreeSet::new(), shorter: 0, longer: 0 };
    data.generators.iter().for_each(|generator| strides.block(&generator.body));
    strides.shorter > 0 && strides.longer == 0
}

/// Which reads of a block run along its loop's indices, and which along those of loops inside.
struct Strides<'a> {
    func: &'a Func,
    /// The loop's indices, and what is computed from them.
    along: BTreeSet<Value>,
    /// The indices of loops inside, and what is computed from them.
    across: BTreeSet<Value>,
    shorter: usize,
    longer: usize,
}

impl Strides<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let mut uses = Vec::new();
            stmt.op.for_each_operand(self.func, &mut |operand| uses.extend(operand.value()));
            if let Op::Index { array, indices } = &stmt.op {
                let last = indices.last().and_then(|index| index.value());
                let is_row = indices.len() < self.func.ty(*array).rank();
                let runs = |values: &BTreeSet<Value>| last.is_some_and(|last| values.contains(&last));
                self.longer += usize::from(is_row || runs(&self.across));
                self.shorter += usize::from(!is_row && !runs(&self.across) && runs(&self.along));
            }
            if stmt.results.iter().all(|&result| self.func.ty(result).is_scalar()) {
                for values in [&mut self.along, &mut self.across] {
                    if uses.iter().any(|used| values.contains(used)) {
                        values.extend(&stmt.results);
                    }
                }
            }
            stmt.op.for_each_binder(self.func, &mut |binder| {
                self.across.insert(binder);
            });
            stmt.op.for_each_block(self.func, &mut |inner| self.block(inner));
        }
    }
}

/// The combining function and neutral elements of a fold or scan.
fn combination(operator: &OperatorData) -> Option<(&Lambda, &[Operand])> {
    match &operator.op {
        Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => Some((combine, neutral)),
        Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => None,
    }
}

/// True if the statement is a with-loop with an operator of this sort that accumulates arrays.
pub(in crate::array) fn accumulates_arrays(func: &Func, stmt: &Stmt, is_one: fn(&Operator) -> bool) -> bool {
    let is_array = |operand: &Operand| !func.operand_type(*operand).is_scalar();
    let has_arrays = |operator| combination(operator).is_some_and(|(_, neutral)| neutral.iter().any(is_array));
    with_loop(func, stmt)
        .is_some_and(|(_, data)| data.operators.iter().any(|operator| is_one(&operator.op) && has_arrays(operator)))
}

/// Shows that all operators are of this sort, and that as many axes as possible of the accumulators may go outside.
pub(in crate::array) fn prove(func: &Func, stmt: &Stmt, is_one: fn(&Operator) -> bool) -> Result<Interchange, Refusal> {
    let not_perfect = || Refusal::NotPerfect { span: stmt.span };
    let (label, data) = with_loop(func, stmt).ok_or_else(not_perfect)?;
    let combinations: Option<Vec<_>> =
        data.operators.iter().map(|operator| combination(operator).filter(|_| is_one(&operator.op))).collect();
    let combinations = combinations.ok_or_else(not_perfect)?;
    let accumulators = combinations.iter().flat_map(|(_, neutral)| *neutral);
    let types: Vec<Type> = accumulators.map(|&neutral| func.operand_type(neutral)).collect();
    if types.iter().any(Type::is_scalar) {
        return Err(not_perfect());
    }
    let common = common_axes(types.iter().map(|ty| &ty.shape[..]));
    let mut refusal = Refusal::SpacesDiffer { span: stmt.span };
    for count in (1..=common.len()).rev() {
        let axes = Axes { extents: &common[..count], span: stmt.span, budget: CHEAP, iteration: None };
        match for_each_part(axes, |parts| part(func, data, axes, parts)) {
            Ok(parts) => return Ok(Interchange { with_loop: label, axes: axes.extents.to_vec(), parts }),
            Err(found) if count == common.len() => refusal = found,
            Err(_) => {}
        }
    }
    Err(refusal)
}

fn part(func: &Func, data: &WithLoopData, axes: Axes, parts: &mut Parts) -> Result<Part, Refusal> {
    let is_element: Vec<bool> = data
        .operators
        .iter()
        .flat_map(|operator| (0..operator.cells()).map(|cell| !(operator.guarded && cell == 0)))
        .collect();
    let mut combined = Vec::new();
    for (combine, _) in data.operators.iter().filter_map(combination) {
        let wanted: Vec<_> = combine.body.results.iter().map(|&result| (result, true)).collect();
        combined.push(survey(func, &combine.body, &wanted, &combine.params, axes, parts)?);
    }
    let mut cells = Vec::new();
    for generator in &data.generators {
        let results = generator.body.results.iter().copied();
        let wanted: Vec<_> = results.zip(is_element.iter().copied()).collect();
        cells.push(survey(func, &generator.body, &wanted, &[], axes, parts)?);
    }
    Ok(Part { cells, combined })
}

/// The statement of a with-loop over the axes that go outside; its results have those axes first.
pub(in crate::array) fn apply(func: &mut Func, stmt: &Stmt, proof: Interchange, results: Vec<Value>) -> Stmt {
    let Interchange { with_loop, axes, parts } = proof;
    let data = func.take_with_loop(with_loop);
    let indices: Vec<Value> = axes.iter().map(|_| func.value(Type::scalar(Scalar::I64), stmt.span)).collect();
    let elements = parts.iter().flat_map(|(_, part)| part.cells.iter().chain(&part.combined));
    let mut certs: BTreeSet<Value> = elements.flat_map(|elements| &elements.certs).copied().collect();
    certs.extend(&stmt.certs);
    let mut generators = Vec::new();
    for (grid, part) in &parts {
        let body = inner(func, stmt, &data, part, &indices, &results);
        generators.push(grid.generator(body));
    }
    let operators = collect_all(results.len());
    func.with_loops[with_loop] = WithLoopData { space: axes, indices, generators, operators, span: data.span };
    Stmt { results, op: Op::With(with_loop), certs: certs.into_iter().collect(), span: stmt.span }
}

/// The body of one part of the outer with-loop: the fold, or scan, of one element.
fn inner(
    func: &mut Func,
    stmt: &Stmt,
    data: &WithLoopData,
    part: &Part,
    indices: &[Value],
    results: &[Value],
) -> Block {
    let axes = indices.len();
    let mut stmts = Vec::new();
    let mut operators = Vec::new();
    for (operator, combined) in data.operators.iter().zip(&part.combined) {
        let (combine, neutral) = combination(operator).expect("the operators are folds or scans");
        let mut start = Vec::new();
        for &neutral in neutral {
            start.push(first_element(func, neutral, indices, &mut stmts, stmt.span));
        }
        let combine = elementwise(func, &combine.params, combined, indices, (Renaming::new(), stmt.span));
        let op = match &operator.op {
            Operator::Fold { commutative, .. } => Operator::Fold { combine, neutral: start, commutative: *commutative },
            Operator::Scan { .. } => Operator::Scan { combine, neutral: start },
            Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {
                unreachable!("the operators are folds or scans")
            }
        };
        operators.push(OperatorData { op, guarded: operator.guarded });
    }
    let mut renaming = Renaming::new();
    let inner_indices = func.copy_values(None, &data.indices, &mut renaming);
    let mut generators = Vec::new();
    for (generator, cells) in data.generators.iter().zip(&part.cells) {
        let mut stmts = Vec::new();
        let results = cells.emit(func, &mut renaming, indices, &mut stmts, stmt.span);
        generators.push(Generator { body: Block { stmts, results }, ..grid_of(generator) });
    }
    let types: Vec<Type> = results.iter().map(|&result| func.ty(result).row(axes)).collect();
    let results: Vec<Value> = types.into_iter().map(|ty| func.value(ty, stmt.span)).collect();
    let cells = results.iter().map(|&result| result.into()).collect();
    let label = func.with_loops.push(WithLoopData {
        space: data.space.clone(),
        indices: inner_indices,
        generators,
        operators,
        span: data.span,
    });
    stmts.push(Stmt { results, op: Op::With(label), certs: Vec::new(), span: stmt.span });
    Block { stmts, results: cells }
}

/// The generator without its body.
fn grid_of(generator: &Generator) -> Generator {
    Grid::of(generator).generator(Block::default())
}

/// The element of an array at these indices with which a fold, a scan or a loop begins.
pub(in crate::array) fn first_element(
    func: &mut Func,
    start: Operand,
    indices: &[Value],
    out: &mut Vec<Stmt>,
    span: Span,
) -> Operand {
    let array = start.value().expect("an array is no constant");
    let element = func.value(func.ty(array).row(indices.len()), span);
    let op = Op::Index { array, indices: indices.iter().map(|&index| index.into()).collect() };
    out.push(Stmt { results: vec![element], op, certs: Vec::new(), span });
    element.into()
}

/// What a function of arrays does with their elements at these indices. The renaming says what stands for what else it uses.
pub(in crate::array) fn elementwise(
    func: &mut Func,
    arrays: &[Value],
    elements: &Elements,
    indices: &[Value],
    (mut renaming, span): (Renaming, Span),
) -> Lambda {
    let mut params = Vec::new();
    for &array in arrays {
        let mut data = func.values[array].clone();
        data.ty = data.ty.row(indices.len());
        let element = func.values.push(data);
        renaming.insert(array, element.into());
        params.push(element);
    }
    let mut body = Block::default();
    body.results = elements.emit(func, &mut renaming, indices, &mut body.stmts, span);
    read_elements(func, &mut body, &params, indices.len());
    Lambda { params, body }
}
