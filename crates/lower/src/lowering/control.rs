//! Parameters and results, branches, sequential loops and calls.
//!
//! Values that loops carry are in [`crate::lowering::carried`]; ownership is in
//! [`crate::lowering::storage`].

use crate::CopyReason;
use crate::lowering::access::{Access, Base};
use crate::lowering::facts::operator_of;
use crate::lowering::storage::{Carried, Demand, OpenBlock, Rights};
use crate::lowering::{LoopHeader, Lowered, Lowering};
use frit_ir::Effect;
use frit_ir::array::{self, Block, Extent, FuncId, LoopData, LoopKind, Op, Operand, Operator, Value, ops};
use frit_ir::nest::{Arg, Array, Binding, Expr, Stmt, Storage, Var};
use frit_ir::scalar::{Const, Scalar};

/// How the values of two branches become one value.
enum Join {
    /// Nothing is stored: a certificate, or the same value on both sides.
    Nothing,
    /// Each branch assigns a variable.
    Variable(Var),
    /// Each branch stores its elements in this array.
    Place(Access),
    /// Each branch repeats a scalar and assigns that scalar to this variable.
    Filling(Var),
    /// Each branch binds the reference to its array. Where a loop may carry the array, the branch
    /// also records whether it is new.
    Reference(Array, Option<Var>),
}

impl<'a> Lowering<'a> {
    /// Declares the parameters of the procedure: the sizes, then the parameters of the function.
    pub(crate) fn bind_parameters(&mut self) {
        let func = self.func;
        for &size in &func.sizes {
            let var = self.var_for(size);
            self.proc.params.push(Binding::Var(var));
            self.bind(size, Lowered::Scalar(Expr::Var(var)));
        }
        for param in &func.params {
            let value = param.value;
            if func.ty(value).is_scalar() {
                let var = self.var_for(value);
                self.proc.params.push(Binding::Var(var));
                self.bind(value, Lowered::Scalar(Expr::Var(var)));
            } else {
                self.set_naming(func.values[value].name.clone(), func.values[value].span);
                let extents = self.extents_of(value);
                let storage = Storage::Param { consumed: param.consumed };
                let array = self.declare(func.ty(value).elem, extents.clone(), storage, param.consumed);
                self.proc.params.push(Binding::Array(array));
                self.bind(value, Lowered::Array(Access::whole(array, extents)));
            }
        }
    }

    /// Declares the results of the procedure. The memory of an array result can be handed over.
    pub(crate) fn return_results(&mut self, results: &[Lowered]) {
        self.set_naming(None, self.func.span);
        let mut returned = Vec::new();
        for (result, ty) in results.iter().zip(&self.func.results) {
            let binding = match result {
                Lowered::Scalar(value) => {
                    let var = self.new_var(ty.elem);
                    self.emit(Stmt::Assign { var, value: value.clone() });
                    Binding::Var(var)
                }
                Lowered::Array(access) => {
                    let array = self.array_to_return(access, ty.elem, &returned);
                    returned.push(array);
                    Binding::Array(array)
                }
            };
            self.proc.results.push(binding);
        }
        returned.into_iter().for_each(|array| self.disown(array));
    }

    /// An array with these elements that the caller can own.
    fn array_to_return(&mut self, access: &Access, elem: Scalar, returned: &[Array]) -> Array {
        let ours = access.memory().is_none_or(|array| self.is_counted(array));
        let array = match access.contiguous(&self.proc) {
            Some(_) if ours => self.as_array(access, Demand { writable: false, lasting: true }),
            Some(_) | None => {
                if access.memory().is_some() {
                    self.report_copy(CopyReason::Returned);
                }
                let array = self.allocate(elem, access.extents.clone(), false);
                self.copy_into(&Access::whole(array, access.extents.clone()), access);
                array
            }
        };
        let owned = match self.proc.arrays[array].storage {
            Storage::Heap | Storage::Reference => !returned.contains(&array),
            Storage::Param { .. } | Storage::Stack | Storage::Table(_) => false,
        };
        if owned { array } else { self.refer(array, Expr::i64(0), access.extents.clone()) }
    }

    /// Asks for a block's result in memory that holds nothing yet. Returns the value that will be
    /// made there: the value that updates in place turn into the result.
    pub(crate) fn want(&mut self, block: &'a Block, value: Value, place: Access) -> Option<Value> {
        let mut value = value;
        let within = block.stmts.as_ptr_range();
        loop {
            let (stmt, at) = self.facts.definition(value)?;
            if !within.contains(&std::ptr::from_ref(stmt)) {
                return None;
            }
            let from = match &stmt.op {
                Op::Update { array, consumes: true, .. } => Some((*array).into()),
                Op::With(w) => match operator_of(&self.func.with_loops[*w], at) {
                    Operator::ModArray { source, consumes: true } => Some((*source).into()),
                    Operator::ModArray { consumes: false, .. }
                    | Operator::GenArray
                    | Operator::Fold { .. }
                    | Operator::Scan { .. }
                    | Operator::Filter { .. }
                    | Operator::Uniform => None,
                },
                Op::Loop(data) if self.keeps_place(data.body.results[at], data.params[at]) => Some(data.init[at]),
                ops!(scalar | access | array | effect) | Op::Loop(_) | Op::If { .. } | Op::Call { .. } => None,
            };
            match from {
                Some(Operand::Value(source)) => value = source,
                Some(Operand::Const(_)) => return None,
                None => break,
            }
        }
        if self.destinations.contains_key(&value) {
            return None;
        }
        self.destinations.insert(value, place);
        Some(value)
    }

    /// One branch or the other.
    pub(crate) fn branch(&mut self, stmt: &'a array::Stmt, cond: Operand, then: &'a Block, otherwise: &'a Block) {
        let cond = self.scalar(cond);
        let places: Vec<Option<Access>> = stmt.results.iter().map(|result| self.destinations.remove(result)).collect();
        let mut branches = [then, otherwise].map(|block| {
            self.open_new_block();
            let values = self.block(block, places.clone());
            (self.suspend_block(), values)
        });
        if let Some(selected) = select_scalars(&cond, &branches) {
            for (&result, expr) in stmt.results.iter().zip(selected) {
                self.define_scalar(result, expr);
            }
            return;
        }
        // Scalars first, because the extents of arrays may mention them.
        let mut joins: Vec<Option<Join>> = stmt.results.iter().map(|_| None).collect();
        for scalars in [true, false] {
            for (at, &result) in stmt.results.iter().enumerate() {
                if self.func.ty(result).is_scalar() == scalars {
                    let values = [&branches[0].1[at], &branches[1].1[at]];
                    joins[at] = Some(self.join(result, values, places[at].clone()));
                }
            }
        }
        let mut stmts = branches.each_mut().map(|(block, values)| {
            self.resume_block(std::mem::take(block));
            for (join, value) in joins.iter().zip(values) {
                self.hand_to(join.as_ref().expect("every result has a join"), value);
            }
            self.close_block()
        });
        let [then, otherwise] = stmts.each_mut().map(std::mem::take);
        self.emit(Stmt::If { cond, then, otherwise });
        self.own_references(&joins);
    }

    fn own_references(&mut self, joins: &[Option<Join>]) {
        for join in joins.iter().flatten() {
            match join {
                Join::Reference(array, _) => self.own(*array),
                Join::Nothing | Join::Variable(_) | Join::Place(_) | Join::Filling(_) => {}
            }
        }
    }

    /// Decides how the result of two branches is found, and binds it.
    fn join(&mut self, result: Value, values: [&Lowered; 2], place: Option<Access>) -> Join {
        let elem = self.func.ty(result).elem;
        self.name_after(result);
        if elem == Scalar::Cert {
            self.bind_certificates(result);
            return Join::Nothing;
        }
        let (one, other) = match values {
            [Lowered::Array(one), Lowered::Array(other)] => (one, other),
            [Lowered::Scalar(_), _] | [_, Lowered::Scalar(_)] => {
                let var = self.new_var(elem);
                self.bind(result, Lowered::Scalar(Expr::Var(var)));
                return Join::Variable(var);
            }
        };
        let extents = self.extents_of(result);
        if let Some(place) = place {
            self.bind(result, Lowered::Array(place.clone()));
            return Join::Place(place);
        }
        // What both branches know was true before them.
        if one == other {
            self.bind(result, Lowered::Array(one.clone()));
            return Join::Nothing;
        }
        if let (Base::Fill(_), Base::Fill(_)) = (&one.base, &other.base) {
            let var = self.new_var(elem);
            self.bind(result, Lowered::Array(Access::fill(Expr::Var(var), extents)));
            return Join::Filling(var);
        }
        let mut rights = self.rights(one).or(self.rights(other));
        // An array that is updated later is copied only in the branch that does not own it.
        if self.facts.is_consumed(result) {
            (rights.writable, rights.counted) = (true, true);
        }
        let array = self.declare(elem, extents.clone(), Storage::Reference, rights.writable);
        self.set_rights(array, rights);
        let is_new = self.join_carried(array, [one, other]);
        self.bind(result, Lowered::Array(Access::whole(array, extents)));
        Join::Reference(array, is_new)
    }

    /// Merges the flags of two branches: one branch keeps the array that a loop carries, the other
    /// one may have a new array. The variable then tells whether the joined reference is new.
    fn join_carried(&mut self, reference: Array, values: [&Access; 2]) -> Option<Var> {
        let array = values.iter().find_map(|value| Some(self.carried(value)?.array))?;
        let mut new: Option<Rights> = None;
        for value in values {
            let rights = match self.carried(value) {
                Some(carried) if carried.array == array => carried.new,
                Some(_) | None if self.rights(value).counted => Some(self.rights(value)),
                Some(_) | None => return None,
            };
            new = match (new, rights) {
                (Some(one), Some(other)) => Some(one.or(other)),
                (one, other) => one.or(other),
            };
        }
        let is_new = self.new_var(Scalar::Bool);
        self.set_carried(reference, Some(Carried { array, is_new: is_new.into(), new }));
        Some(is_new)
    }

    /// Hands the value of a branch to the join, inside that branch.
    fn hand_to(&mut self, join: &Join, value: &Lowered) {
        match (join, value) {
            (Join::Nothing, _) => {}
            (Join::Variable(var), Lowered::Scalar(value)) => {
                self.emit(Stmt::Assign { var: *var, value: value.clone() });
            }
            (Join::Place(place), Lowered::Array(access)) => self.copy_into(place, access),
            (Join::Filling(var), Lowered::Array(Access { base: Base::Fill(value), .. })) => {
                self.emit(Stmt::Assign { var: *var, value: value.clone() });
            }
            (Join::Reference(reference, is_new), Lowered::Array(access)) => {
                if let Some(var) = *is_new {
                    let carried = self.carried(access);
                    let value = carried.map_or(Expr::Const(Const::Bool(true)), |carried| carried.is_new.clone());
                    self.emit(Stmt::Assign { var, value });
                }
                let writable = self.is_writable(&Access::whole(*reference, Vec::new()));
                self.name_array(*reference, access, writable);
            }
            (Join::Variable(_) | Join::Place(_) | Join::Filling(_) | Join::Reference(..), _) => {
                panic!("the branches of a verified program agree in type")
            }
        }
    }

    /// Binds a declared reference to an array with these elements. It names their own memory if
    /// that is contiguous and, if it will be written, ours. Otherwise it names a copy.
    pub(crate) fn name_array(&mut self, reference: Array, access: &Access, writable: bool) {
        let (array, offset) = match access.contiguous(&self.proc) {
            Some(found) if self.satisfies(access, Demand { writable, lasting: true }) => found,
            Some(_) | None => {
                if access.memory().is_some() {
                    self.report_copy(CopyReason::ViewStored);
                }
                let copy = self.stored_copy(access, false);
                (copy.memory().expect("a stored copy is in memory"), Expr::i64(0))
            }
        };
        self.bind_reference(reference, array, offset);
    }

    /// A sequential loop.
    pub(crate) fn sequential_loop(&mut self, stmt: &'a array::Stmt, data: &'a LoopData) {
        let init: Vec<Lowered> = data.init.iter().map(|&init| self.lowered(init)).collect();
        let count = match data.kind {
            LoopKind::For { count, .. } => Some(self.scalar(count)),
            LoopKind::While { .. } => None,
        };
        let mut carry = self.start_carrying(&data.params, init, &data.body, &data.consumed, &stmt.results);
        match &data.kind {
            LoopKind::For { index, .. } => {
                let count = count.expect("a counted loop has a count");
                let header =
                    LoopHeader { name: self.func.values[*index].name.clone(), ..LoopHeader::sequential(count) };
                self.counted_loop(header, |lowering, i| {
                    lowering.bind(*index, Lowered::Scalar(i));
                    lowering.carry_on(&mut carry, &data.body);
                });
            }
            LoopKind::While { condition } => {
                let outer = self.iteration;
                self.iterations += 1;
                self.iteration = self.iterations;
                self.open_new_block();
                let holds = match self.block(condition, Vec::new()).pop() {
                    Some(Lowered::Scalar(holds)) => self.keep(Scalar::Bool, holds),
                    Some(Lowered::Array(_)) | None => panic!("the condition of a loop yields a truth value"),
                };
                let before = self.close_block();
                self.open_new_block();
                self.carry_on(&mut carry, &data.body);
                let body = self.close_block();
                self.iteration = outer;
                self.emit(Stmt::While { before, cond: holds, body });
            }
        }
        self.end_carrying(carry, &stmt.results);
    }

    fn carry_on(&mut self, carry: &mut crate::lowering::carried::Carry, body: &'a Block) {
        let places = self.carried_places(carry);
        let results = self.block(body, places);
        self.next_iteration(carry, results);
    }

    /// A call. Arguments are arrays that the callee can use as they are; results come as
    /// references.
    pub(crate) fn call(&mut self, stmt: &'a array::Stmt, callee: FuncId, args: &'a [Operand]) {
        let program = self.program;
        let func = &program.funcs[callee];
        let lowered: Vec<Lowered> = args.iter().map(|&arg| self.lowered(arg)).collect();
        let mut passed = Vec::new();
        for &size in &func.sizes {
            passed.push(Arg::Scalar(self.size_argument(func, size, &lowered)));
        }
        for (param, arg) in func.params.iter().zip(&lowered) {
            passed.push(match arg {
                Lowered::Scalar(value) => Arg::Scalar(value.clone()),
                Lowered::Array(access) => {
                    // The callee may return what it consumes.
                    let demand = Demand { writable: param.consumed, lasting: param.consumed };
                    Arg::Array(self.as_array(access, demand))
                }
            });
        }
        let mut results = vec![None; stmt.results.len()];
        for (at, &result) in stmt.results.iter().enumerate() {
            if self.func.ty(result).is_scalar() {
                let var = self.var_for(result);
                self.bind(result, Lowered::Scalar(Expr::Var(var)));
                results[at] = Some(Binding::Var(var));
            }
        }
        let mut shared: Option<Array> = None;
        for (at, &result) in stmt.results.iter().enumerate() {
            if results[at].is_none() {
                self.name_after(result);
                let extents = self.extents_of(result);
                let array = self.declare(self.func.ty(result).elem, extents.clone(), Storage::Reference, true);
                // Results that are not unique may be one array, returned twice.
                if !func.results[at].unique {
                    if let Some(other) = shared {
                        self.share(array, other);
                    }
                    shared = Some(array);
                }
                self.bind(result, Lowered::Array(Access::whole(array, extents)));
                results[at] = Some(Binding::Array(array));
            }
        }
        let results: Vec<Binding> = results.into_iter().flatten().collect();
        let arrays: Vec<Array> = results
            .iter()
            .filter_map(|binding| match binding {
                Binding::Array(array) => Some(*array),
                Binding::Var(_) => None,
            })
            .collect();
        self.emit(Stmt::Call { callee: self.procs[&callee], args: passed, results, span: stmt.span });
        arrays.into_iter().for_each(|array| self.own(array));
    }

    /// Lowers an effect.
    pub(crate) fn effect(&mut self, stmt: &'a array::Stmt, effect: &Effect, args: &'a [Operand]) {
        let mut shown = Vec::new();
        for &arg in args {
            shown.push(match self.lowered(arg) {
                Lowered::Scalar(value) => Arg::Scalar(value),
                Lowered::Array(access) => {
                    Arg::Array(self.as_array(&access, Demand { writable: false, lasting: false }))
                }
            });
        }
        let mut answers = Vec::new();
        for &result in &stmt.results[1..] {
            let ty = self.func.ty(result);
            if ty.is_scalar() {
                let var = self.var_for(result);
                self.bind(result, Lowered::Scalar(Expr::Var(var)));
                answers.push(Binding::Var(var));
            } else {
                let extents = self.extents_of(result);
                self.name_after(result);
                let array = self.allocate(ty.elem, extents.clone(), !self.facts.escapes(result));
                self.bind(result, Lowered::Array(Access::whole(array, extents)));
                answers.push(Binding::Array(array));
            }
        }
        self.emit(Stmt::Effect { effect: effect.clone(), args: shown, answers });
        self.bind_certificates(stmt.results[0]);
    }

    /// The value of a callee's size at this call: an extent of the first argument whose parameter
    /// mentions that size.
    fn size_argument(&self, callee: &array::Func, size: Value, args: &[Lowered]) -> Expr {
        for (param, arg) in callee.params.iter().zip(args) {
            if let Lowered::Array(access) = arg
                && let Some(axis) = callee.ty(param.value).shape.iter().position(|&e| e == Extent::Value(size))
            {
                return access.extents[axis].clone();
            }
        }
        panic!("the sizes of a function are those that its parameters mention")
    }
}

/// The choices, if both branches only choose between scalars that are cheap to compute.
fn select_scalars(cond: &Expr, branches: &[(OpenBlock, Vec<Lowered>); 2]) -> Option<Vec<Expr>> {
    let [(then, on_true), (otherwise, on_false)] = branches;
    if !then.stmts.is_empty() || !otherwise.stmts.is_empty() {
        return None;
    }
    on_true
        .iter()
        .zip(on_false)
        .map(|values| match values {
            (Lowered::Scalar(x), Lowered::Scalar(y)) if x == y => Some(x.clone()),
            (Lowered::Scalar(x), Lowered::Scalar(y)) if is_cheap(x) && is_cheap(y) && is_cheap(cond) => {
                Some(Expr::select(cond.clone(), x.clone(), y.clone()))
            }
            (Lowered::Scalar(_), _) | (Lowered::Array(_), _) => None,
        })
        .collect()
}

/// True if the expression is cheap and defined even where its value is not needed.
fn is_cheap(expr: &Expr) -> bool {
    const LARGEST: usize = 6;
    let mut cheap = expr.size() <= LARGEST;
    expr.for_each_part(&mut |node| match node {
        Expr::Load { .. } => cheap = false,
        Expr::Binary { op, .. } => cheap &= op.is_cheap(),
        Expr::Unary { op, .. } => cheap &= op.is_cheap(),
        Expr::Const(_) | Expr::Var(_) | Expr::Select { .. } | Expr::Threads => {}
    });
    cheap
}
