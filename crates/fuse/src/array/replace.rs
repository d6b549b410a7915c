//! Small replacements that rules share: values by what they stand for, without losing certificates, the memory they need, or
//! the record of what shares memory.

use frit_ir::array::walk::{Renaming, rename_type};
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Type, Value, View};
use frit_ir::scalar::{Const, Scalar};
use frit_simplify::sharing::Sharing;
use frit_support::Span;
use std::collections::BTreeSet;

/// Replaces values in a block that defines them, and in the types of what it defines; records that what replaces an array shares its memory.
pub(crate) fn rename(func: &mut Func, sharing: &mut Sharing, block: &mut Block, renaming: &Renaming) {
    if renaming.is_empty() {
        return;
    }
    // A replaced read may have been replaced by a cell that is itself a read that was replaced.
    let mut closed = Renaming::new();
    for (&from, &to) in renaming {
        let mut to = to;
        while let Operand::Value(value) = to
            && let Some(&next) = renaming.get(&value)
        {
            to = next;
        }
        closed.insert(from, to);
        if let Operand::Value(value) = to
            && !func.ty(value).is_scalar()
        {
            sharing.merge(from, value);
        }
    }
    substitute(func, block, &closed);
}

/// Replaces values in a block, and in the types of what it defines. Replacements are not replaced again.
pub(crate) fn substitute(func: &mut Func, block: &mut Block, renaming: &Renaming) {
    if renaming.is_empty() {
        return;
    }
    func.substitute_in_block(block, renaming);
    let mut defined = Vec::new();
    block.stmts.iter().for_each(|stmt| collect_defined(func, stmt, &mut defined));
    defined.into_iter().for_each(|value| rename_type(&mut func.values[value].ty, renaming));
}

/// What a statement defines, inside of it too.
pub(crate) fn collect_defined(func: &Func, stmt: &Stmt, defined: &mut Vec<Value>) {
    defined.extend(&stmt.results);
    stmt.op.for_each_binder(func, &mut |binder| defined.push(binder));
    stmt.op.for_each_block(func, &mut |block| {
        block.stmts.iter().for_each(|stmt| collect_defined(func, stmt, defined));
    });
}

/// The operand, as what the read `stmt` of it yields: under the read's certificates, and in memory of its own where that is
/// needed.
pub(crate) fn under_certificates(
    func: &mut Func,
    out: &mut Vec<Stmt>,
    operand: Operand,
    stmt: &Stmt,
    needs_copy: bool,
) -> Operand {
    let read = stmt.results[0];
    let ty = func.ty(read).clone();
    let op = match operand {
        Operand::Value(array) if !ty.is_scalar() && needs_copy => Op::Copy { array },
        _ if stmt.certs.is_empty() => return operand,
        Operand::Value(value) if out.last().is_some_and(|last| last.results.contains(&value)) => {
            let definition = out.last_mut().expect("there is a last statement");
            definition.certs.extend(&stmt.certs);
            definition.certs.sort_unstable();
            definition.certs.dedup();
            return operand;
        }
        // The simplifier takes these away, and hands the certificates on to the uses.
        Operand::Value(array) if !ty.is_scalar() => {
            let rank = ty.rank();
            Op::View { array, view: View::Slice { starts: vec![Operand::i64(0); rank], steps: vec![1; rank] } }
        }
        scalar => Op::Select { cond: Operand::Const(Const::Bool(true)), on_true: scalar, on_false: scalar },
    };
    let value = func.value(ty, stmt.span);
    out.push(Stmt { results: vec![value], op, certs: stmt.certs.clone(), span: stmt.span });
    value.into()
}

/// The certificates that are made inside of these blocks: a statement around them cannot list these.
pub(crate) fn inner_certificates<'a>(func: &Func, blocks: impl IntoIterator<Item = &'a Block>) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    blocks.into_iter().for_each(|block| collect_certificates(func, block, &mut found));
    found
}

fn collect_certificates(func: &Func, block: &Block, found: &mut BTreeSet<Value>) {
    for stmt in &block.stmts {
        found.extend(stmt.results.iter().filter(|&&result| func.ty(result).elem == Scalar::Cert));
        stmt.op.for_each_block(func, &mut |inner| collect_certificates(func, inner, found));
    }
}

/// Moves those certificates of a statement inside of another one that are made outside of it to `outer`.
pub(crate) fn lift_certificates(stmt: &mut Stmt, inner: &BTreeSet<Value>, outer: &mut Vec<Value>) {
    outer.extend(stmt.certs.iter().filter(|cert| !inner.contains(cert)));
    stmt.certs.retain(|cert| inner.contains(cert));
}

/// Moves the blocks directly inside the operation out, so that they can be changed by who holds the function too; give them back
/// with [`put_blocks`].
pub(crate) fn take_blocks(func: &mut Func, op: &mut Op) -> Vec<Block> {
    let mut blocks = Vec::new();
    func.for_each_block_mut(op, &mut |_, block| blocks.push(std::mem::take(block)));
    blocks
}

/// Gives an operation its blocks back, in the order in which they were taken.
pub(crate) fn put_blocks(func: &mut Func, op: &mut Op, blocks: Vec<Block>) {
    let mut blocks = blocks.into_iter();
    func.for_each_block_mut(op, &mut |_, block| *block = blocks.next().expect("there are as many blocks as before"));
}

/// Some operand of this type, which nothing looks at.
pub(crate) fn dummy(func: &mut Func, ty: &Type, span: Span, out: &mut Vec<Stmt>) -> Operand {
    let mut operand = Operand::Const(ty.elem.zero());
    for axis in (0..ty.rank()).rev() {
        let value = func.value(ty.row(axis), span);
        let op = Op::Replicate { n: ty.shape[axis].into(), x: operand };
        out.push(Stmt { results: vec![value], op, certs: Vec::new(), span });
        operand = value.into();
    }
    operand
}

/// Records that the values of a copied block share memory as those they were copied from do.
pub(crate) fn share_copies(func: &Func, sharing: &mut Sharing, renaming: &Renaming) {
    let mut copies: Vec<(Value, Value)> = renaming.iter().filter_map(|(&from, to)| Some((from, to.value()?))).collect();
    copies.sort_unstable();
    for (from, to) in copies {
        if !func.ty(from).is_scalar() {
            sharing.merge(from, to);
        }
    }
}
