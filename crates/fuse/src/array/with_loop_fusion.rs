//! With-loop fusion: two with-loops over one index space become one with the results of both. What the second reads of
//! the first, at its own index, it gets from the first's cells.
//! Source:   \[WLF\] sections 4 to 6 and \[MERGE\], fusion with elimination of dependences by forward substitution; the rules
//!           with `filter` as producer are those of \[L0\] section 7.1.1, and go beyond it: what is mapped over a filtered array
//!           becomes another array of the same filter.
//! Before:   verified array IR; both run over one space, or the second over what a filter of the first keeps; every read of the
//!           first's arrays in the second is at the second's own index.
//! After:    the same results from one loop, at the place of the second; statements between that need the first come after.
//! Work:     the same.
//! Reorders: nothing within an operator, so floating-point results are bit-identical.

use super::access::{Views, uses};
use super::block_graph::{BlockGraph, Touches, schedule};
use super::contraction::contraction;
use super::nest::unflatten;
use super::refusal::Refusal;
use super::replace::{dummy, inner_certificates, lift_certificates, put_blocks, take_blocks, under_certificates};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Func, Generator, Op, Operand, Operator, OperatorData, Stmt, Type, Value, WithLoop, WithLoopData,
    effects, ops,
};
use frit_ir::scalar::{Const, Scalar, UnOp};
use frit_simplify::sharing::Sharing;
use frit_support::Span;
use std::collections::BTreeSet;

/// How the iterations of the second loop correspond to those of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// Both run over one space.
    Same,
    /// The one over more axes, which makes arrays, can be split into a nest whose outer loop runs over the other's space.
    Outer {
        /// The number of axes of the outer loop.
        axes: usize,
    },
    /// The second runs over what this operator of the first, a filter, keeps.
    Kept {
        /// Its place among the first's operators.
        filter: usize,
    },
}

/// What was shown.
struct Proof {
    iterations: Iterations,
    dependences: BlockGraph,
}

/// Fuses two with-loop statements of a block, the earlier one given first, or says why it may not.
///
/// On `Err`, nothing is changed. On `Ok`, the fused loop has the label of the second.
pub fn with_loop_fusion(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    first: usize,
    second: usize,
) -> Result<WithLoop, Refusal> {
    let proof = prove(func, block, sharing, touches, first, second)?;
    // Nothing changes but the two statements, and of others their place.
    touches.forget(&block.stmts[first].results);
    touches.forget(&block.stmts[second].results);
    Ok(apply(func, block, sharing, (first, second), &proof))
}

fn prove(
    func: &Func,
    block: &Block,
    sharing: &mut Sharing,
    touches: &mut Touches,
    first: usize,
    second: usize,
) -> Result<Proof, Refusal> {
    let iterations = correspondence(func, &block.stmts[first], &block.stmts[second])?;
    let dependences = BlockGraph::of(func, block, sharing, touches);
    if dependences.reaches_through_others(first, second) {
        let between = (first + 1..second).find(|&at| dependences.reaches(first, at) && dependences.reaches(at, second));
        let span = block.stmts[between.expect("a path leads through a statement")].span;
        return Err(Refusal::StatementBetween { span });
    }
    Ok(Proof { iterations, dependences })
}

/// How the iterations of two with-loops correspond, if they may be fused as far as they alone are concerned. Statements
/// between them are not asked.
pub fn correspondence(func: &Func, first: &Stmt, second: &Stmt) -> Result<Iterations, Refusal> {
    let (Op::With(one), Op::With(other)) = (&first.op, &second.op) else {
        unreachable!("both statements are with-loops");
    };
    let (one, other) = (&func.with_loops[*one], &func.with_loops[*other]);
    let iterations = if one.space == other.space {
        Iterations::Same
    } else {
        let found = kept_by_filter(first, one, other).or_else(|| outer_axes(one, other));
        found.ok_or(Refusal::SpacesDiffer { span: second.span })?
    };
    if let Iterations::Outer { axes } = iterations {
        let (_, long) = by_axes(one, other);
        if let Some(span) = contraction(func, long, axes) {
            return Err(Refusal::SplitsContraction { span });
        }
    }
    same_generators(one, other, iterations, second)?;
    reads_at_own_index(func, first, one, second, other, iterations)?;
    if let Iterations::Kept { .. } = iterations {
        can_be_guarded(func, first, second, other)?;
    }
    Ok(iterations)
}

/// The filter of the first loop whose number of kept indices is the second's space.
fn kept_by_filter(first: &Stmt, one: &WithLoopData, other: &WithLoopData) -> Option<Iterations> {
    let &[Extent::Value(length)] = &other.space[..] else { return None };
    let mut result = 0;
    for (at, operator) in one.operators.iter().enumerate() {
        if matches!(operator.op, Operator::Filter { .. }) && first.results[result] == length {
            return Some(Iterations::Kept { filter: at });
        }
        result += operator.op.results();
    }
    None
}

/// The one over fewer axes, then the other.
fn by_axes<'d>(one: &'d WithLoopData, other: &'d WithLoopData) -> (&'d WithLoopData, &'d WithLoopData) {
    if one.space.len() < other.space.len() { (one, other) } else { (other, one) }
}

/// The axes that both begin with, if these are all of one and the other can be split behind them.
fn outer_axes(one: &WithLoopData, other: &WithLoopData) -> Option<Iterations> {
    let (short, long) = by_axes(one, other);
    let collects = long.operators.iter().all(|operator| matches!(operator.op, Operator::GenArray));
    let axes = short.space.len();
    let fits = 0 < axes && axes < long.space.len() && long.space[..axes] == short.space[..];
    (fits && collects && is_full(long) && is_full(short)).then_some(Iterations::Outer { axes })
}

/// For each generator of the first loop the one of the second that has the same bounds; `None` if they are not the same sets of indices.
fn partners(one: &WithLoopData, other: &WithLoopData) -> Option<Vec<usize>> {
    let is_same = |a: &Generator, b: &Generator| {
        a.lower == b.lower && a.upper == b.upper && a.step == b.step && a.width == b.width
    };
    if one.generators.len() != other.generators.len() {
        return None;
    }
    let mut taken = vec![false; other.generators.len()];
    let mut partner = |generator: &Generator| {
        let mut free = (0..taken.len()).filter(|&at| !taken[at]);
        let found = free.find(|&at| is_same(generator, &other.generators[at]))?;
        taken[found] = true;
        Some(found)
    };
    one.generators.iter().map(&mut partner).collect()
}

/// True if the second loop uses nothing of the first but the elements at its own index.
pub fn reads_only_own_index(func: &Func, first: &Stmt, second: &Stmt) -> bool {
    let (Op::With(one), Op::With(other)) = (&first.op, &second.op) else {
        unreachable!("both statements are with-loops");
    };
    let (one, other) = (&func.with_loops[*one], &func.with_loops[*other]);
    one.space.len() == other.space.len()
        && reads_at_own_index(func, first, one, second, other, Iterations::Same).is_ok()
}

/// Both loops have generators of the same bounds.
fn same_generators(
    one: &WithLoopData,
    other: &WithLoopData,
    iterations: Iterations,
    second: &Stmt,
) -> Result<(), Refusal> {
    let refusal = Refusal::SpacesDiffer { span: second.span };
    match iterations {
        Iterations::Same => {
            if partners(one, other).is_some() {
                Ok(())
            } else {
                Err(refusal)
            }
        }
        Iterations::Outer { .. } => Ok(()),
        Iterations::Kept { .. } => {
            if is_full(other) {
                Ok(())
            } else {
                Err(refusal)
            }
        }
    }
}

/// True for one generator that covers the space.
pub fn is_full(data: &WithLoopData) -> bool {
    matches!(&data.generators[..], [generator] if generator.covers(&data.space))
}

/// The operator that makes each result, and the first of its cells.
pub fn result_operators(data: &WithLoopData) -> Vec<(usize, usize)> {
    let (mut owners, mut cell) = (Vec::new(), 0);
    for (at, operator) in data.operators.iter().enumerate() {
        (0..operator.op.results()).for_each(|_| owners.push((at, cell)));
        cell += operator.cells();
    }
    owners
}

/// What the second loop reads of the first is what the first makes in the corresponding iteration.
fn reads_at_own_index(
    func: &Func,
    first: &Stmt,
    one: &WithLoopData,
    second: &Stmt,
    other: &WithLoopData,
    iterations: Iterations,
) -> Result<(), Refusal> {
    let owners = result_operators(one);
    // The number of kept indices is the second's space; as such it is no use.
    let length = match iterations {
        Iterations::Same | Iterations::Outer { .. } => None,
        Iterations::Kept { .. } => Operand::from(other.space[0]).value(),
    };
    let wanted: BTreeSet<Value> = first.results.iter().copied().filter(|&result| Some(result) != length).collect();
    let found = uses(func, &func.body, second, &wanted, &Views::new(), one.space.len());
    if let Some((value, span)) = found.whole {
        let at = first.results.iter().position(|&result| result == value).expect("it is a result of the first");
        let operator = &one.operators[owners[at].0].op;
        let span = if span.is_none() { second.span } else { span };
        return Err(match operator {
            Operator::GenArray | Operator::ModArray { .. } => Refusal::UsedAsWhole { array: value, span },
            Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {
                Refusal::ResultIncomplete { operator: super::operator_name(operator), span }
            }
        });
    }
    // Scalars that only the types in the second's blocks mention; the number of kept indices as well.
    let mut mentioned = BTreeSet::new();
    other.for_each_block(&mut |block| mentioned.extend(func.free_values(block)));
    for operator in &other.operators {
        match &operator.op {
            Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                mentioned.extend(neutral.iter().filter_map(|start| start.value()));
            }
            Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {}
        }
    }
    for (&result, &(owner, _)) in first.results.iter().zip(&owners) {
        if func.ty(result).is_scalar() && mentioned.contains(&result) {
            let operator = super::operator_name(&one.operators[owner].op);
            return Err(Refusal::ResultIncomplete { operator, span: second.span });
        }
    }
    for site in &found.sites {
        let at = first.results.iter().position(|&result| result == site.array).expect("it is a result of the first");
        let (owner, _) = owners[at];
        let operator = &one.operators[owner].op;
        let corresponds = match (operator, iterations) {
            (Operator::GenArray, Iterations::Same | Iterations::Outer { .. }) => true,
            (Operator::Filter { .. }, Iterations::Kept { filter }) => owner == filter,
            (Operator::GenArray, Iterations::Kept { .. }) => {
                return Err(Refusal::ReadsOtherElement { read: site.array, span: site.span });
            }
            (Operator::Filter { .. }, Iterations::Same | Iterations::Outer { .. }) => false,
            (
                Operator::ModArray { .. } | Operator::Fold { .. } | Operator::Scan { .. } | Operator::Uniform,
                Iterations::Same | Iterations::Outer { .. } | Iterations::Kept { .. },
            ) => false,
        };
        if !corresponds {
            return Err(Refusal::ResultIncomplete { operator: super::operator_name(operator), span: site.span });
        }
        let axes = one.space.len().min(other.space.len());
        let own: Vec<Operand> = other.indices[..axes].iter().map(|&index| index.into()).collect();
        if !site.indices.starts_with(&own) {
            return Err(Refusal::ReadsOtherElement { read: site.array, span: site.span });
        }
    }
    Ok(())
}

/// A loop over what a filter keeps has operators that can skip what is not kept, and does not use its index but to read what
/// is kept.
fn can_be_guarded(func: &Func, first: &Stmt, second: &Stmt, other: &WithLoopData) -> Result<(), Refusal> {
    for operator in &other.operators {
        match operator.op {
            Operator::GenArray | Operator::Fold { .. } | Operator::Filter { .. } => {}
            Operator::ModArray { .. } | Operator::Scan { .. } | Operator::Uniform => {
                return Err(Refusal::SpacesDiffer { span: second.span });
            }
        }
    }
    let index = other.indices[0];
    for generator in &other.generators {
        if let Some(span) = position_use(func, &generator.body, index, &first.results) {
            return Err(Refusal::PositionInFilter { span: if span.is_none() { second.span } else { span } });
        }
    }
    for lambda in other.lambdas() {
        if func.free_values(&lambda.body).contains(&index) {
            return Err(Refusal::PositionInFilter { span: second.span });
        }
    }
    Ok(())
}

/// A use of the index that is not a read of these arrays at it.
fn position_use(func: &Func, block: &Block, index: Value, arrays: &[Value]) -> Option<Span> {
    if block.results.contains(&index.into()) {
        return Some(Span::NONE);
    }
    for stmt in &block.stmts {
        let mut count = 0;
        stmt.op.for_each_operand(func, &mut |operand| count += usize::from(operand == Operand::Value(index)));
        let allowed = match &stmt.op {
            Op::Index { array, indices } if indices[0] == Operand::Value(index) && arrays.contains(array) => 1,
            _ => 0,
        };
        if count > allowed {
            return Some(stmt.span);
        }
        let mut inner = None;
        stmt.op.for_each_block(func, &mut |block| inner = inner.or_else(|| position_use(func, block, index, arrays)));
        if inner.is_some() {
            return inner;
        }
    }
    None
}

/// Bodies of more statements are not computed where the guard does not hold.
const MAX_SPECULATED: usize = 12;

/// True if the statement is defined whatever its operands are, and cheap.
fn is_total(stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Unary { op, .. } => !matches!(op, UnOp::Math(_)),
        Op::Binary { op, .. } => op.is_cheap(),
        Op::Select { .. } => true,
        ops!(access | array | effect | control) => false,
    }
}

fn apply(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    (first, second): (usize, usize),
    proof: &Proof,
) -> WithLoop {
    let (Op::With(one_label), Op::With(label)) = (&block.stmts[first].op, &block.stmts[second].op) else {
        unreachable!("both statements are with-loops");
    };
    let (one_label, label) = (*one_label, *label);
    if let Iterations::Outer { axes } = proof.iterations {
        let long = if func.with_loops[one_label].space.len() > axes { first } else { second };
        let nest = unflatten(func, &block.stmts[long], axes).expect("the proof has shown that it can be split");
        block.stmts[long] = nest.into_iter().next().expect("a nest is one statement");
    }
    let (one, other) = (func.take_with_loop(one_label), func.take_with_loop(label));
    let results = block.stmts[first].results.clone();
    let inner_certs = inner_certificates(func, other.generators.iter().map(|generator| &generator.body));
    let owners = result_operators(&one);
    let mut fused = Fusion { func, sharing, results: &results, owners, inner_certs, outer_certs: Vec::new() };
    let (data, merged_results) = match proof.iterations {
        Iterations::Same | Iterations::Outer { .. } => fused.same(one, other, &block.stmts[second].results),
        Iterations::Kept { filter } => fused.kept(one, other, filter, &block.stmts[second].results),
    };
    let mut certs = std::mem::take(&mut fused.outer_certs);
    func.with_loops[label] = data;
    certs.append(&mut block.stmts[first].certs);
    let merged = &mut block.stmts[second];
    certs.append(&mut merged.certs);
    certs.sort_unstable();
    certs.dedup();
    merged.certs = certs;
    merged.results = merged_results;

    // The first statement's place is taken by the second: what needed it needs the second, what it needed the second needs.
    let mut before = proof.dependences.before.clone();
    let inherited = std::mem::take(&mut before[first]);
    before[second].extend(inherited);
    for (at, depends) in before.iter_mut().enumerate() {
        if depends.remove(&first) && at != second {
            depends.insert(second);
        }
    }
    block.stmts[first] = Stmt {
        results: Vec::new(),
        op: Op::Conjoin { certs: Vec::new() },
        certs: Vec::new(),
        span: block.stmts[second].span,
    };
    schedule(block, &before);
    block.stmts.retain(|stmt| !(stmt.results.is_empty() && matches!(stmt.op, Op::Conjoin { .. })));
    label
}

struct Fusion<'a> {
    func: &'a mut Func,
    sharing: &'a mut Sharing,
    /// The results of the first loop, and the operator and first cell of each.
    results: &'a [Value],
    owners: Vec<(usize, usize)>,
    /// The certificates made in the second loop, and those made outside of it under which it reads the first's arrays.
    inner_certs: BTreeSet<Value>,
    outer_certs: Vec<Value>,
}

impl Fusion<'_> {
    fn same(&mut self, mut one: WithLoopData, other: WithLoopData, results: &[Value]) -> (WithLoopData, Vec<Value>) {
        let renaming: Renaming = other.indices.iter().copied().zip(one.indices.iter().map(|&i| i.into())).collect();
        let order = partners(&one, &other).expect("the proof has shown that the generators are the same");
        let mut seconds: Vec<Option<Block>> =
            other.generators.into_iter().map(|generator| Some(generator.body)).collect();
        for (generator, partner) in one.generators.iter_mut().zip(order) {
            let cells = generator.body.results.clone();
            let second = seconds[partner].take().expect("a generator has one partner");
            let body = self.with_cells(second, one.indices.len(), renaming.clone(), &cells);
            generator.body.stmts.extend(body.stmts);
            generator.body.results.extend(body.results);
        }
        // A combining function does not see the index, nor what the first loop makes.
        one.operators.extend(other.operators);
        one.span = other.span;
        (one, [self.results, results].concat())
    }

    fn kept(
        &mut self,
        mut one: WithLoopData,
        other: WithLoopData,
        filter: usize,
        results: &[Value],
    ) -> (WithLoopData, Vec<Value>) {
        let mut first_cells = one.operators.iter().map(OperatorData::cells);
        let guard_cell: usize = first_cells.by_ref().take(filter).sum();
        let filter_cells = one.operators[filter].cells();
        let body = other.generators.into_iter().next().expect("the second loop has one generator").body;
        let generators = std::mem::take(&mut one.generators);
        // Before one of them changes: loops inside of the body are the same loops in a clone of it.
        let copies = (1..generators.len()).map(|_| self.func.copy_block(None, &body, &mut Renaming::new()));
        let mut bodies: Vec<Block> = copies.collect();
        bodies.push(body);
        let mut added: Vec<OperatorData> = Vec::new();
        let mut added_results: Vec<Value> = Vec::new();
        let mut kept_results: Vec<Value> = Vec::new();
        for mut generator in generators {
            let cells = generator.body.results.clone();
            let guard = cells[guard_cell];
            let own = bodies.pop().expect("a body for each generator");
            let own = self.with_cells(own, 1, Renaming::new(), &cells);
            let known = own.results.clone();
            let own = self.guarded(own, guard, one.span, &mut generator.body.stmts);
            let made: BTreeSet<Operand> = own.iter().copied().filter(|cell| !known.contains(cell)).collect();
            let (mut to_filter, mut behind) = (Vec::new(), Vec::new());
            let mut cell = 0;
            for operator in &other.operators {
                let taken = &own[cell..cell + operator.cells()];
                cell += operator.cells();
                match (&operator.op, operator.guarded) {
                    (Operator::GenArray, _) => to_filter.extend_from_slice(taken),
                    (_, true) => {
                        // A guard that was computed under the first one is false already where that is.
                        let both = match made.contains(&taken[0]) {
                            true => taken[0],
                            false => self.conjunction(guard, taken[0], one.span, &mut generator.body.stmts),
                        };
                        behind.push(both);
                        behind.extend_from_slice(&taken[1..]);
                    }
                    (_, false) => {
                        behind.push(guard);
                        behind.extend_from_slice(taken);
                    }
                }
            }
            let at = guard_cell + filter_cells;
            generator.body.results.splice(at..at, to_filter);
            generator.body.results.extend(behind);
            one.generators.push(generator);
        }
        let mut result = 0;
        for operator in other.operators {
            let made = &results[result..result + operator.op.results()];
            result += operator.op.results();
            match operator.op {
                Operator::GenArray => kept_results.extend_from_slice(made),
                Operator::Fold { .. } | Operator::Filter { .. } => {
                    added.push(OperatorData { guarded: true, ..operator });
                    added_results.extend_from_slice(made);
                }
                Operator::ModArray { .. } | Operator::Scan { .. } | Operator::Uniform => {
                    unreachable!("the proof refuses operators that cannot be guarded")
                }
            }
        }
        let mut merged: Vec<Value> = Vec::new();
        let mut taken = 0;
        for (at, operator) in one.operators.iter_mut().enumerate() {
            let count = operator.op.results();
            merged.extend_from_slice(&self.results[taken..taken + count]);
            taken += count;
            if at == filter {
                merged.extend(&kept_results);
                operator.op = Operator::Filter { arrays: filter_cells - 1 + kept_results.len() };
            }
        }
        one.operators.extend(added);
        one.span = other.span;
        merged.extend(added_results);
        (one, merged)
    }

    /// The second loop's body with the first's cells in the place of its reads of them.
    fn with_cells(&mut self, mut body: Block, rank: usize, mut renaming: Renaming, cells: &[Operand]) -> Block {
        self.replace_reads(&mut body, rank, cells, &mut renaming);
        super::replace::rename(self.func, self.sharing, &mut body, &renaming);
        body
    }

    fn replace_reads(&mut self, block: &mut Block, rank: usize, cells: &[Operand], renaming: &mut Renaming) {
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            if let Op::Index { array, indices } = &stmt.op
                && let Some(at) = self.results.iter().position(|result| result == array)
            {
                let (owner, first_cell) = self.owners[at];
                let first_result = self.owners.iter().position(|&(o, _)| o == owner).expect("it has a result");
                // A filter's cells and its results are both one more than its arrays: guard and length.
                let cell = cells[first_cell + (at - first_result)];
                if indices.len() == rank {
                    lift_certificates(&mut stmt, &self.inner_certs, &mut self.outer_certs);
                    let read = stmt.results[0];
                    let needs_copy = self.sharing.is_consumed(read) || self.sharing.is_unique_result(read);
                    let cell = under_certificates(self.func, &mut block.stmts, cell, &stmt, needs_copy);
                    renaming.insert(read, cell);
                    continue;
                }
                let array = cell.value().expect("a cell that is read at further indices is an array");
                stmt.op = Op::Index { array, indices: indices[rank..].to_vec() };
            }
            let mut inner = take_blocks(self.func, &mut stmt.op);
            inner.iter_mut().for_each(|inner| self.replace_reads(inner, rank, cells, renaming));
            put_blocks(self.func, &mut stmt.op, inner);
            block.stmts.push(stmt);
        }
    }

    /// The cells of a body that is evaluated only where the guard holds; elsewhere they are dummies that nothing reads, false
    /// if they are guards. What is known without the body stays as it is.
    fn guarded(&mut self, body: Block, guard: Operand, span: Span, out: &mut Vec<Stmt>) -> Vec<Operand> {
        let made: BTreeSet<Value> = body.stmts.iter().flat_map(|stmt| stmt.results.iter().copied()).collect();
        let is_made = |cell: &Operand| cell.value().is_some_and(|value| made.contains(&value));
        let mut cells = body.results.clone();
        if body.stmts.len() <= MAX_SPECULATED && body.stmts.iter().all(is_total) {
            // Cheaper computed always, by vectors, than under a branch.
            out.extend(body.stmts);
            return cells;
        }
        let (mut then, mut otherwise) = (Block { stmts: body.stmts, results: Vec::new() }, Block::default());
        let mut results = Vec::new();
        for cell in cells.iter_mut().filter(|cell| is_made(cell)) {
            let ty = self.func.operand_type(*cell);
            then.results.push(*cell);
            let replacement = dummy(self.func, &ty, span, &mut otherwise.stmts);
            otherwise.results.push(replacement);
            let result = self.func.value(ty, span);
            results.push(result);
            *cell = result.into();
        }
        // Without results it stays for what it checks.
        let checks = then.stmts.iter().any(|stmt| effects::may_end_within(self.func, &stmt.op, &|_| true));
        if checks || !results.is_empty() {
            out.push(Stmt { results, op: Op::If { cond: guard, then, otherwise }, certs: Vec::new(), span });
        }
        cells
    }

    /// Both guards.
    fn conjunction(&mut self, guard: Operand, own: Operand, span: Span, out: &mut Vec<Stmt>) -> Operand {
        let both = self.func.value(Type::scalar(Scalar::Bool), span);
        out.push(Stmt {
            results: vec![both],
            op: Op::Select { cond: guard, on_true: own, on_false: Operand::Const(Const::Bool(false)) },
            certs: Vec::new(),
            span,
        });
        both.into()
    }
}
