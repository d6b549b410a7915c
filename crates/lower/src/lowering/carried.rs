//! Values carried from iteration to iteration, by sequential loops, folds and scans.
//!
//! - A scalar is a variable.
//! - An array that the body updates in place stays where it is.
//! - An array that the body makes anew, always of the same size, alternates between two buffers.
//! - Any other array is a reference that each iteration binds anew.
//!
//! The initial memory of a reference may not be ours to hand on. A flag then records whether the
//! reference was bound to new memory. If it was not, the array is copied at the end.
//!
//! See [`crate::lowering::storage`] for ownership.

use crate::CopyReason;
use crate::lowering::access::Access;
use crate::lowering::facts::operator_of;
use crate::lowering::storage::{Carried, Demand, Rights};
use crate::lowering::{Lowered, Lowering};
use frit_ir::array::{Block, Extent, Op, Operand, Operator, Value, ops};
use frit_ir::nest::{Array, Expr, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::BTreeSet;

/// The state of a loop between iterations.
#[derive(Clone)]
pub(crate) struct Carry {
    slots: Vec<Slot>,
}

#[derive(Clone)]
enum Slot {
    /// A certificate, or a parameter that no iteration changes: nothing to do.
    Unchanged(Lowered),
    /// A variable.
    Scalar(Var),
    /// An array updated in place.
    Place(Access),
    /// An array made in `next`. The two then change places.
    Buffers { current: Array, next: Array, spare: Option<Spare> },
    /// A reference that each iteration binds anew.
    Rebound(Rebound),
}

/// A reference that names what the body makes.
#[derive(Clone)]
struct Rebound {
    current: Array,
    /// The body updates the array in place, so everything that the reference names must be ours.
    consumed: bool,
    /// The extents of the initial value.
    initial: Rights,
    /// The extents of every array that the body makes.
    later: Option<Rights>,
    /// True once the reference names what the body made. Only kept where the initial value is not
    /// ours to hand on.
    moved: Option<Var>,
    /// An enclosing loop carries the initial value.
    outer: Option<Carried>,
}

/// The second buffer, where the first iteration reads an initial value that must not be written.
/// After the first iteration the buffer takes the place of the initial value.
#[derive(Clone, Copy)]
struct Spare {
    buffer: Array,
    first: Var,
}

impl Carry {
    /// The variables of the scalars, in the order of the parameters.
    pub(crate) fn vars(&self) -> Vec<Var> {
        let var = |slot: &Slot| match slot {
            Slot::Scalar(var) => Some(*var),
            Slot::Unchanged(_) | Slot::Place(_) | Slot::Buffers { .. } | Slot::Rebound(_) => None,
        };
        self.slots.iter().filter_map(var).collect()
    }
}

impl<'a> Lowering<'a> {
    /// Gives the parameters their initial values and decides where they live.
    /// `results` are the values of the whole loop. `consumed` tells which parameters the body may
    /// update in place if the program does not use the initial value again.
    pub(crate) fn start_carrying(
        &mut self,
        params: &[Value],
        init: Vec<Lowered>,
        body: &'a Block,
        consumed: &[bool],
        results: &[Value],
    ) -> Carry {
        let mut slots: Vec<Option<Slot>> = params.iter().map(|_| None).collect();
        // Scalars first, because the extents of arrays may mention them.
        for (at, (&param, init)) in params.iter().zip(&init).enumerate() {
            if let Lowered::Scalar(value) = init {
                slots[at] = Some(if self.func.ty(param).elem == Scalar::Cert {
                    self.bind_certificates(param);
                    Slot::Unchanged(init.clone())
                } else {
                    let var = self.var_for(param);
                    self.emit(Stmt::Assign { var, value: value.clone() });
                    self.bind(param, Lowered::Scalar(Expr::Var(var)));
                    Slot::Scalar(var)
                });
            }
        }
        // An initial value of two parameters must not be written through either.
        let arrays: Vec<Access> = init
            .iter()
            .filter_map(|init| match init {
                Lowered::Array(access) => Some(access.clone()),
                Lowered::Scalar(_) => None,
            })
            .collect();
        for (at, one) in arrays.iter().enumerate() {
            if let Some(array) = one.memory()
                && arrays[at + 1..].iter().any(|other| self.may_share(one, other))
            {
                self.keep_until(array, self.now);
            }
        }
        for (at, (&param, init)) in params.iter().zip(init).enumerate() {
            if let Lowered::Array(init) = init {
                self.name_after(param);
                let fixed = !self.func.ty(param).shape.iter().any(|extent| match extent {
                    Extent::Const(_) => false,
                    Extent::Value(size) => params.contains(size),
                });
                let result = body.results[at];
                let stays = results.get(at).is_some_and(|&result| !self.facts.escapes(result));
                slots[at] = Some(if self.func.ty(param).elem == Scalar::Cert {
                    self.bind_certificates(param);
                    Slot::Unchanged(Lowered::Array(init))
                } else if result == Operand::Value(param) && !self.facts.is_consumed(param) {
                    self.bind(param, Lowered::Array(init.clone()));
                    Slot::Unchanged(Lowered::Array(init))
                } else if fixed && self.keeps_place(result, param) {
                    self.carry_in_place(param, init, consumed[at], stays)
                } else if fixed && self.is_made_anew(body, result) && self.is_apart(params, body, at) {
                    self.carry_in_buffers(param, init, consumed[at], stays)
                } else {
                    self.carry_by_reference(param, &init, consumed[at], !stays)
                });
            }
        }
        Carry { slots: slots.into_iter().flatten().collect() }
    }

    fn carry_in_place(&mut self, param: Value, init: Access, consumed: bool, stays: bool) -> Slot {
        let place = if self.may_overwrite(&init, consumed) {
            init
        } else {
            if init.memory().is_some() {
                self.report_copy(CopyReason::LoopStart);
            }
            self.stored_copy(&init, stays)
        };
        self.bind(param, Lowered::Array(place.clone()));
        Slot::Place(place)
    }

    fn carry_in_buffers(&mut self, param: Value, init: Access, consumed: bool, stays: bool) -> Slot {
        let (elem, extents) = (self.func.ty(param).elem, self.extents_of(param));
        let current = self.declare(elem, extents.clone(), Storage::Reference, consumed);
        let next = self.declare(elem, extents.clone(), Storage::Reference, true);
        let second = self.allocate(elem, extents.clone(), stays);
        let stack = matches!(self.proc.arrays[second].storage, Storage::Stack);
        let spare = match init.contiguous(&self.proc) {
            Some((array, offset)) if self.may_overwrite(&init, consumed) => {
                self.bind_reference(current, array, offset);
                None
            }
            Some((array, offset)) if !stack && !consumed => {
                self.bind_reference(current, array, offset);
                let buffer = self.allocate(elem, extents.clone(), stays);
                let first = self.proc.var(Scalar::Bool, None);
                self.emit(Stmt::Assign { var: first, value: Expr::Const(Const::Bool(true)) });
                Some(Spare { buffer, first })
            }
            Some(_) | None => {
                let filled = self.stored_copy(&init, stays);
                self.bind_reference(current, filled.memory().expect("a stored copy is in memory"), Expr::i64(0));
                None
            }
        };
        self.bind_reference(next, second, Expr::i64(0));
        self.own(current);
        self.own(next);
        self.bind(param, Lowered::Array(Access::whole(current, extents)));
        Slot::Buffers { current, next, spare }
    }

    fn carry_by_reference(&mut self, param: Value, init: &Access, consumed: bool, escapes: bool) -> Slot {
        let (elem, extents) = (self.func.ty(param).elem, self.extents_of(param));
        let mut initial = self.rights(init);
        if consumed {
            (initial.writable, initial.counted) = (true, true);
        }
        let outer = self.carried(init).cloned();
        let current = self.declare(elem, extents.clone(), Storage::Reference, consumed);
        self.name_array(current, init, consumed);
        self.own(current);
        self.bind(param, Lowered::Array(Access::whole(current, extents)));
        // Later iterations bind arrays that are not known yet. Until then only consumption allows
        // writes.
        self.set_rights(current, Rights { writable: consumed, counted: consumed, home: 0 });
        let moved = (escapes && !initial.counted).then(|| {
            let moved = self.proc.var(Scalar::Bool, None);
            self.emit(Stmt::Assign { var: moved, value: Expr::Const(Const::Bool(false)) });
            let is_new = Expr::Const(Const::Bool(false));
            self.set_carried(current, Some(Carried { array: current, is_new, new: None }));
            moved
        });
        Slot::Rebound(Rebound { current, consumed, initial, later: None, moved, outer })
    }

    /// The memory in which the body should make the next values.
    pub(crate) fn carried_places(&self, carry: &Carry) -> Vec<Option<Access>> {
        let place = |slot: &Slot| match slot {
            Slot::Buffers { next, .. } => {
                let extents = self.proc.arrays[*next].extents.clone();
                Some(Access::whole(*next, extents))
            }
            Slot::Unchanged(_) | Slot::Scalar(_) | Slot::Place(_) | Slot::Rebound(_) => None,
        };
        carry.slots.iter().map(place).collect()
    }

    /// The end of an iteration: the yielded values become the values of the parameters.
    pub(crate) fn next_iteration(&mut self, carry: &mut Carry, results: Vec<Lowered>) {
        let references: BTreeSet<Array> = carry
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Buffers { current, .. } | Slot::Rebound(Rebound { current, .. }) => Some(*current),
                Slot::Unchanged(_) | Slot::Scalar(_) | Slot::Place(_) => None,
            })
            .collect();
        // All arrays get memory first, while the parameters still have their old values.
        let mut rebindings = Vec::new();
        for (slot, result) in carry.slots.iter_mut().zip(&results) {
            let Lowered::Array(result) = result else { continue };
            match slot {
                Slot::Buffers { next, .. } => {
                    let target = Access::whole(*next, self.proc.arrays[*next].extents.clone());
                    self.copy_into(&target, result);
                }
                Slot::Rebound(rebound) => {
                    let current = rebound.current;
                    if result.contiguous(&self.proc) != Some((current, Expr::i64(0))) {
                        let (made, is_new) = match self.carried(result) {
                            Some(Carried { array, is_new, new: Some(new) }) if *array == current => {
                                (*new, Some(is_new.clone()))
                            }
                            Some(_) | None => (self.rights(result), None),
                        };
                        rebound.later = Some(rebound.later.map_or(made, |before| before.or(made)));
                        let mut array = self.as_array(result, Demand { writable: rebound.consumed, lasting: true });
                        if references.contains(&array) {
                            array = self.refer(array, Expr::i64(0), result.extents.clone());
                        }
                        rebindings.push((current, array));
                        if let Some(moved) = rebound.moved {
                            let value = match is_new {
                                None => Expr::Const(Const::Bool(true)),
                                Some(is_new) => Expr::binary(BinOp::OR, moved.into(), is_new),
                            };
                            self.emit(Stmt::Assign { var: moved, value });
                        }
                    }
                }
                Slot::Unchanged(_) | Slot::Scalar(_) | Slot::Place(_) => {}
            }
        }
        for (slot, result) in carry.slots.iter().zip(&results) {
            if let (Slot::Place(place), Lowered::Array(result)) = (slot, result) {
                let place = place.clone();
                self.copy_into(&place, result);
            }
        }
        let scalars = carry.slots.iter().zip(results).filter_map(|(slot, result)| match (slot, result) {
            (Slot::Scalar(var), Lowered::Scalar(value)) => Some((*var, value)),
            _ => None,
        });
        self.assign_together(scalars.collect());
        for slot in &mut carry.slots {
            if let Slot::Buffers { current, next, spare } = slot {
                let (current, next) = (*current, *next);
                self.emit(Stmt::Swap { first: current, second: next });
                if let Some(Spare { buffer, first }) = *spare {
                    self.emit_if(Expr::Var(first), |lowering| {
                        lowering.emit(Stmt::Release { array: next });
                        lowering.bind_reference(next, buffer, Expr::i64(0));
                        lowering.emit(Stmt::Assign { var: first, value: Expr::Const(Const::Bool(false)) });
                    });
                }
            }
        }
        for &(current, _) in &rebindings {
            self.emit(Stmt::Release { array: current });
        }
        for (current, array) in rebindings {
            self.bind_reference(current, array, Expr::i64(0));
        }
    }

    /// Binds the results of the whole loop to the last values.
    pub(crate) fn end_carrying(&mut self, carry: Carry, results: &[Value]) {
        for slot in &carry.slots {
            match slot {
                Slot::Buffers { current, spare, .. } => {
                    // If no iteration ran, the initial value is still there and may belong to
                    // someone else.
                    if let Some(Spare { buffer, first }) = *spare {
                        self.replace_by_copy(*current, buffer, Expr::Var(first));
                    }
                    self.set_rights(*current, Rights { writable: true, counted: true, home: self.iteration });
                }
                Slot::Rebound(rebound) => {
                    self.set_carried(rebound.current, None);
                    let mut rights = rebound.later.map_or(rebound.initial, |later| rebound.initial.or(later));
                    if let (Some(moved), Some(later)) = (rebound.moved, rebound.later)
                        && later.counted
                    {
                        let current = rebound.current;
                        if let Some(Carried { array, is_new, new }) = rebound.outer.clone() {
                            // The enclosing loop may not need a copy either.
                            let is_new = Expr::binary(BinOp::OR, is_new, moved.into());
                            let new = new.map_or(later, |new| new.or(later));
                            self.set_carried(current, Some(Carried { array, is_new, new: Some(new) }));
                        } else {
                            let unmoved = Expr::unary(UnOp::Not, Expr::Var(moved));
                            self.emit_if(unmoved, |lowering| {
                                let elem = lowering.proc.arrays[current].elem;
                                let extents = lowering.proc.arrays[current].extents.clone();
                                let copy = lowering.allocate(elem, extents, false);
                                lowering.replace_by_copy(current, copy, Expr::Const(Const::Bool(true)));
                            });
                            rights = later;
                        }
                    }
                    if rebound.consumed {
                        (rights.writable, rights.counted) = (true, true);
                    }
                    self.set_rights(rebound.current, rights);
                }
                Slot::Unchanged(_) | Slot::Scalar(_) | Slot::Place(_) => {}
            }
        }
        for (&result, lowered) in results.iter().zip(self.carried_values(&carry)) {
            self.bind(result, lowered);
        }
    }

    /// If `cond` holds, copies what the reference names into `copy` and binds the reference to
    /// that.
    fn replace_by_copy(&mut self, reference: Array, copy: Array, cond: Expr) {
        let extents = self.proc.arrays[reference].extents.clone();
        let replace = |lowering: &mut Self| {
            let (old, new) = (Access::whole(reference, extents.clone()), Access::whole(copy, extents));
            lowering.copy_into(&new, &old);
            lowering.emit(Stmt::Release { array: reference });
            lowering.bind_reference(reference, copy, Expr::i64(0));
        };
        if cond == Expr::Const(Const::Bool(true)) { replace(self) } else { self.emit_if(cond, replace) }
    }

    /// The values at the end of the last iteration.
    pub(crate) fn carried_values(&self, carry: &Carry) -> Vec<Lowered> {
        let value = |slot: &Slot| match slot {
            Slot::Unchanged(value) => value.clone(),
            Slot::Scalar(var) => Lowered::Scalar(Expr::Var(*var)),
            Slot::Place(place) => Lowered::Array(place.clone()),
            Slot::Buffers { current, .. } | Slot::Rebound(Rebound { current, .. }) => {
                Lowered::Array(Access::whole(*current, self.proc.arrays[*current].extents.clone()))
            }
        };
        carry.slots.iter().map(value).collect()
    }

    /// Assigns the variables simultaneously.
    pub(crate) fn assign_together(&mut self, assignments: Vec<(Var, Expr)>) {
        let mut assignments: Vec<(Var, Expr)> =
            assignments.into_iter().filter(|(var, value)| *value != Expr::Var(*var)).collect();
        if assignments.len() > 1 {
            let assigned: BTreeSet<Var> = assignments.iter().map(|(var, _)| *var).collect();
            for (var, value) in &mut assignments {
                let mut reads_another = false;
                value.for_each_part(&mut |node| {
                    if let Expr::Var(read) = node {
                        reads_another |= read != var && assigned.contains(read);
                    }
                });
                if reads_another {
                    let temporary = self.proc.var(self.proc.vars[*var].scalar, None);
                    let value = std::mem::replace(value, Expr::Var(temporary));
                    self.emit(Stmt::Assign { var: temporary, value });
                }
            }
        }
        for (var, value) in assignments {
            self.emit(Stmt::Assign { var, value });
        }
    }

    /// True if on every path the operand is the parameter, changed by updates in place only.
    pub(crate) fn keeps_place(&mut self, operand: Operand, param: Value) -> bool {
        // Results are cached, so that nested loops that carry one array are analysed once.
        if let Some(&known) = self.places_kept.get(&(operand, param)) {
            return known;
        }
        let keeps = self.is_updated_in_place(operand, param);
        self.places_kept.insert((operand, param), keeps);
        keeps
    }

    fn is_updated_in_place(&mut self, operand: Operand, param: Value) -> bool {
        let Operand::Value(mut value) = operand else { return false };
        while value != param {
            let Some((stmt, at)) = self.facts.definition(value) else { return false };
            match &stmt.op {
                Op::Update { array, consumes: true, .. } => value = *array,
                Op::With(w) => match operator_of(&self.func.with_loops[*w], at) {
                    Operator::ModArray { source, consumes: true } => value = *source,
                    Operator::ModArray { consumes: false, .. }
                    | Operator::GenArray
                    | Operator::Fold { .. }
                    | Operator::Scan { .. }
                    | Operator::Filter { .. }
                    | Operator::Uniform => return false,
                },
                Op::If { then, otherwise, .. } => {
                    return [then, otherwise].iter().all(|block| self.keeps_place(block.results[at], param));
                }
                Op::Loop(data) => match data.init[at] {
                    Operand::Value(init) if self.keeps_place(data.body.results[at], data.params[at]) => value = init,
                    Operand::Value(_) | Operand::Const(_) => return false,
                },
                ops!(scalar | access | array | effect) | Op::Call { .. } => return false,
            }
        }
        true
    }

    /// True if no other parameter gets the memory of this parameter or of its next value.
    fn is_apart(&self, params: &[Value], body: &Block, at: usize) -> bool {
        let arrays = |&(other, operand): &(usize, &Operand)| {
            let value = operand.value().filter(|&value| !self.func.ty(value).is_scalar());
            value.filter(|_| other != at)
        };
        let others: Vec<Value> = body.results.iter().enumerate().filter_map(|result| arrays(&result)).collect();
        let Some(own) = body.results[at].value() else { return true };
        if others.is_empty() {
            return true;
        }
        let mut own = self.facts.origins(own);
        own.insert(params[at]);
        // An array made before the body is copied, not reused.
        own.retain(|&value| value == params[at] || !self.func.ty(value).is_scalar());
        others.into_iter().all(|other| self.facts.origins(other).is_disjoint(&own))
    }

    /// True if the block makes the operand as a new array that can be made in memory prepared for
    /// it.
    fn is_made_anew(&self, block: &'a Block, operand: Operand) -> bool {
        let Operand::Value(mut value) = operand else { return false };
        let within = block.stmts.as_ptr_range();
        loop {
            let Some((stmt, at)) = self.facts.definition(value) else { return false };
            if !within.contains(&std::ptr::from_ref(stmt)) {
                return false;
            }
            return match &stmt.op {
                Op::Update { array, consumes: true, .. } => {
                    value = *array;
                    continue;
                }
                Op::With(w) => match operator_of(&self.func.with_loops[*w], at) {
                    Operator::GenArray | Operator::Scan { .. } | Operator::ModArray { consumes: false, .. } => true,
                    Operator::ModArray { source, consumes: true } => {
                        value = *source;
                        continue;
                    }
                    Operator::Fold { .. } | Operator::Filter { .. } | Operator::Uniform => false,
                },
                Op::If { then, otherwise, .. } => {
                    [then, otherwise].iter().all(|block| self.is_made_anew(block, block.results[at]))
                }
                Op::ArrayLit { .. } | Op::Iota { .. } | Op::Replicate { .. } | Op::Concat { .. } | Op::Copy { .. } => {
                    true
                }
                // The source is copied first.
                Op::Update { consumes: false, .. } => true,
                ops!(scalar | access | effect) | Op::Loop(_) | Op::Table { .. } | Op::Call { .. } => false,
            };
        }
    }
}
