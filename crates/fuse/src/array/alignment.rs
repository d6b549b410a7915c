//! Alignment: the consumer runs over the producer's index space, in the producer's order, and its results are viewed in their own
//! shape. Then the two can be fused, though the producer itself cannot be folded into a consumer that reads it transposed
//! or reshaped.
//! Source:   \[L0\] sections 8.1.1 (push-transpose) and 8.2, where reshapes are only pulled.
//! Before:   verified array IR; the consumer makes arrays, and reads the producer's at a permutation of its own index, or at its own
//!           index through a reshape to one axis.
//! After:    the same results.
//! Work:     the same.
//! Reorders: nothing, so floating-point results are bit-identical.

use super::access::{Views, uses};
use super::refusal::Refusal;
use super::with_loop_fusion::is_full;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Func, Generator, Op, Operand, Operator, Stmt, Type, Value, View, WithLoop, WithLoopData,
};
use frit_ir::scalar::{BinOp, Scalar};
use frit_simplify::sharing::Sharing;
use std::collections::BTreeSet;

/// What was shown.
enum Proof {
    /// The consumer's axes in the producer's order.
    Permuted { order: Vec<usize> },
    /// The consumer reads this view, a reshape of the array; the shape of the array.
    Reshaped { view: Value, array: Value, shape: Vec<Extent>, certs: Vec<Value> },
}

/// Makes the consumer run as the producer does, or says why it may not. The consumer keeps its place; views of its results
/// follow it.
///
/// On `Err`, nothing is changed.
pub fn alignment(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    producer: usize,
    consumer: usize,
) -> Result<(), Refusal> {
    let proof = prove(func, block, sharing, producer, consumer)?;
    apply(func, block, sharing, consumer, proof);
    Ok(())
}

/// True if the consumer can be made to run as the producer does, and does not yet.
pub fn is_candidate(func: &Func, block: &Block, sharing: &mut Sharing, producer: usize, consumer: usize) -> bool {
    prove(func, block, sharing, producer, consumer).is_ok()
}

fn prove(
    func: &Func,
    block: &Block,
    sharing: &mut Sharing,
    producer: usize,
    consumer: usize,
) -> Result<Proof, Refusal> {
    let (first, second) = (&block.stmts[producer], &block.stmts[consumer]);
    let refusal = Refusal::SpacesDiffer { span: second.span };
    let (Op::With(one), Op::With(other)) = (&first.op, &second.op) else { return Err(refusal) };
    let (one, other) = (&func.with_loops[*one], &func.with_loops[*other]);
    let collects = other.operators.iter().all(|operator| matches!(operator.op, Operator::GenArray));
    // A view of memory that is updated in place later would have to be copied there.
    let is_updated = second.results.iter().any(|&result| sharing.is_consumed(result));
    if !collects || !is_full(other) || is_updated {
        return Err(refusal);
    }
    let arrays: BTreeSet<Value> =
        first.results.iter().copied().filter(|&result| !func.ty(result).is_scalar()).collect();
    let found = uses(func, block, second, &arrays, &Views::new(), one.space.len());
    if !found.sites.is_empty() {
        let order = permutation(one, other, &found.sites).ok_or(refusal)?;
        return Ok(Proof::Permuted { order });
    }
    reshaped(func, block, producer, consumer, &arrays).ok_or(refusal)
}

/// The consumer's axes in the order in which the producer has them, if all reads are at that permutation and it is not the
/// identity.
fn permutation(one: &WithLoopData, other: &WithLoopData, sites: &[super::access::Site]) -> Option<Vec<usize>> {
    let rank = one.space.len();
    let mut order: Option<Vec<usize>> = None;
    for site in sites {
        let index = site.indices.get(..rank)?;
        let axis = |operand: &Operand| other.indices.iter().position(|&own| *operand == Operand::Value(own));
        let own: Vec<usize> = index.iter().map(axis).collect::<Option<_>>()?;
        if order.get_or_insert_with(|| own.clone()) != &own {
            return None;
        }
    }
    let mut order = order?;
    // What is fused then walks as the producer does: for the sake of an array of fewer axes that would be a bad exchange.
    if rank < other.space.len() && sites.iter().any(|site| site.indices.len() < other.space.len()) {
        return None;
    }
    let distinct: BTreeSet<usize> = order.iter().copied().collect();
    let same_extents = order.iter().zip(&one.space).all(|(&axis, &extent)| other.space[axis] == extent);
    if distinct.len() < order.len() || !same_extents {
        return None;
    }
    order.extend((0..other.space.len()).filter(|axis| !distinct.contains(axis)));
    (order.iter().enumerate().any(|(at, &axis)| at != axis)).then_some(order)
}

/// A reshape of one of the arrays to one axis that the consumer reads, if that runs over all of it.
fn reshaped(func: &Func, block: &Block, producer: usize, consumer: usize, arrays: &BTreeSet<Value>) -> Option<Proof> {
    let second = &block.stmts[consumer];
    let Op::With(label) = second.op else { return None };
    let other = &func.with_loops[label];
    let &[index] = &other.indices[..] else { return None };
    for stmt in &block.stmts[producer + 1..consumer] {
        let Op::View { array, view: View::Reshape } = &stmt.op else { continue };
        let view = stmt.results[0];
        if !arrays.contains(array) || func.ty(view).shape != other.space || func.ty(*array).rank() < 2 {
            continue;
        }
        let found = uses(func, block, second, &BTreeSet::from([view]), &Views::new(), 1);
        let is_own = |site: &super::access::Site| site.indices == [Operand::Value(index)];
        if found.whole.is_none() && !found.sites.is_empty() && found.sites.iter().all(is_own) {
            let (array, shape) = (*array, func.ty(*array).shape.clone());
            return Some(Proof::Reshaped { view, array, shape, certs: stmt.certs.clone() });
        }
    }
    None
}

fn apply(func: &mut Func, block: &mut Block, sharing: &mut Sharing, consumer: usize, proof: Proof) {
    let Op::With(label) = block.stmts[consumer].op else { unreachable!("the consumer is a with-loop") };
    let rank = func.with_loops[label].space.len();
    let (space, view): (Vec<Extent>, View) = match &proof {
        Proof::Permuted { order } => {
            let data = &func.with_loops[label];
            let space = order.iter().map(|&axis| data.space[axis]).collect();
            let back = (0..rank).map(|axis| order.iter().position(|&own| own == axis).expect("it is a permutation"));
            (space, View::Permute { axes: back.collect() })
        }
        Proof::Reshaped { shape, .. } => (shape.clone(), View::Reshape),
    };
    match proof {
        Proof::Permuted { order } => {
            let data = &mut func.with_loops[label];
            data.indices = order.iter().map(|&axis| data.indices[axis]).collect();
        }
        Proof::Reshaped { view, array, shape, certs } => {
            linearise(func, label, &shape, view, array);
            block.stmts[consumer].certs.extend(certs);
        }
    }
    let body = std::mem::take(&mut func.with_loops[label].generators[0].body);
    func.with_loops[label].generators = vec![Generator::full(&space, body)];
    func.with_loops[label].space.clone_from(&space);
    let span = block.stmts[consumer].span;
    let results = std::mem::take(&mut block.stmts[consumer].results);
    let mut views = Vec::new();
    for result in results {
        let ty = func.ty(result).clone();
        let cell = ty.shape[rank..].to_vec();
        let aligned = func.value(Type::array(ty.elem, [space.clone(), cell.clone()].concat()), span);
        func.values[aligned].name = func.values[result].name.clone();
        sharing.merge(aligned, result);
        block.stmts[consumer].results.push(aligned);
        let view = match &view {
            View::Permute { axes } => {
                let behind = (axes.len()..axes.len() + cell.len()).collect::<Vec<usize>>();
                View::Permute { axes: [axes.clone(), behind].concat() }
            }
            other => other.clone(),
        };
        views.push(Stmt { results: vec![result], op: Op::View { array: aligned, view }, certs: Vec::new(), span });
    }
    block.stmts.splice(consumer + 1..consumer + 1, views);
}

/// Makes a loop over one axis one over the axes of a shape of as many elements; reads of the view become reads of the array.
fn linearise(func: &mut Func, label: WithLoop, shape: &[Extent], view: Value, array: Value) {
    let mut data = func.take_with_loop(label);
    let span = data.span;
    let indices: Vec<Value> = shape.iter().map(|_| func.value(Type::scalar(Scalar::I64), span)).collect();
    let mut position: Operand = indices[0].into();
    let mut stmts = Vec::new();
    for (&index, &extent) in indices.iter().zip(shape).skip(1) {
        for (op, y) in [(BinOp::MUL, extent.into()), (BinOp::ADD, Operand::from(index))] {
            let value = func.value(Type::scalar(Scalar::I64), span);
            stmts.push(Stmt { results: vec![value], op: Op::Binary { op, x: position, y }, certs: Vec::new(), span });
            position = value.into();
        }
    }
    let mut body = std::mem::take(&mut data.generators[0].body);
    read_directly(func, &mut body, view, array, &indices);
    let renaming = Renaming::from([(data.indices[0], position)]);
    func.substitute_in_block(&mut body, &renaming);
    stmts.append(&mut body.stmts);
    body.stmts = stmts;
    data.generators[0].body = body;
    data.indices = indices;
    func.with_loops[label] = data;
}

/// Replaces the view by the array in all reads, which are at the loop's index.
fn read_directly(func: &mut Func, block: &mut Block, view: Value, whole: Value, index: &[Value]) {
    for stmt in &mut block.stmts {
        if let Op::Index { array, indices } = &mut stmt.op
            && *array == view
        {
            *array = whole;
            *indices = index.iter().map(|&index| index.into()).collect();
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| read_directly(func, inner, view, whole, index));
    }
}
