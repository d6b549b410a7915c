//! The types of every operation but the with-loop.

use super::{Checked, Fault, Invariant, Verifier, fits, need_count};
use crate::array::{Extent, FuncId, LoopData, LoopKind, Op, Operand, ResultExtent, Stmt, Type, Value, View};
use crate::effect::Effect;
use crate::scalar::Scalar;

impl<'a> Verifier<'a> {
    /// Checks operands, blocks and the types of the results, which are not in scope yet.
    pub(super) fn operation(&mut self, stmt: &'a Stmt) -> Checked<'a> {
        match &stmt.op {
            Op::Unary { op, x } => {
                let elem = self.any_scalar(*x)?;
                let Some(result) = op.result(elem) else {
                    let message = format!("`{}` is not defined on {elem}", op.name());
                    return Err(Fault::new(Invariant::OperandType, message));
                };
                self.result(stmt, &Type::scalar(result))
            }
            Op::Binary { op, x, y } => {
                let elem = self.any_scalar(*x)?;
                self.scalar(*y, elem, "the second operand")?;
                let Some(result) = op.result(elem) else {
                    let message = format!("`{}` is not defined on {elem}", op.name());
                    return Err(Fault::new(Invariant::OperandType, message));
                };
                self.result(stmt, &Type::scalar(result))
            }
            Op::Select { cond, on_true, on_false } => {
                self.scalar(*cond, Scalar::Bool, "the condition")?;
                let elem = self.any_scalar(*on_true)?;
                self.scalar(*on_false, elem, "the other choice")?;
                self.result(stmt, &Type::scalar(elem))
            }
            Op::Index { array, indices } => {
                let row = self.selected(*array, indices)?;
                self.result(stmt, &row)
            }
            Op::View { array, view } => self.view(stmt, *array, view),
            Op::Table { tensor } => {
                let shape = tensor.shape().iter().map(|&n| Extent::Const(i64::try_from(n).unwrap_or(i64::MAX)));
                self.result(stmt, &Type::array(tensor.elem(), shape.collect()))
            }
            Op::ArrayLit { elems } => {
                let Some(&first) = elems.first() else {
                    return Err(Fault::new(Invariant::Arity, "an array literal has at least one element"));
                };
                elems.iter().try_for_each(|&elem| self.operand(elem))?;
                let ty = self.func.operand_type(first);
                for &elem in elems {
                    self.need_type(elem, &ty, Invariant::OperandType, "an element")?;
                }
                self.result(stmt, &with_outer(Extent::Const(elems.len() as i64), &ty))
            }
            Op::Iota { n } => {
                self.scalar(*n, Scalar::I64, "the length")?;
                self.result(stmt, &Type::array(Scalar::I64, vec![n.extent()]))
            }
            Op::Replicate { n, x } => {
                self.scalar(*n, Scalar::I64, "the length")?;
                self.operand(*x)?;
                self.result(stmt, &with_outer(n.extent(), &self.func.operand_type(*x)))
            }
            Op::Concat { arrays } => self.concat(stmt, arrays),
            Op::Copy { array } => {
                let ty = self.array(*array)?.clone();
                self.result(stmt, &ty)
            }
            Op::Update { array, indices, value, .. } => {
                let row = self.selected(*array, indices)?;
                self.operand(*value)?;
                self.need_type(*value, &row, Invariant::OperandType, "the new part")?;
                self.result(stmt, self.func.ty(*array))
            }
            Op::Assert { cond, kind, args } => {
                self.scalar(*cond, Scalar::Bool, "the condition")?;
                need_count("numbers of the message", kind.arity(), args.len())?;
                for &arg in args {
                    self.scalar(arg, Scalar::I64, "a number of the message")?;
                }
                self.result(stmt, &Type::scalar(Scalar::Cert))
            }
            Op::Effect { effect, args } => {
                self.effect(effect, args)?;
                let answers = effect.answers();
                need_count("results of an effect", 1 + answers.len(), stmt.results.len())?;
                self.result_fits(stmt.results[0], &Type::scalar(Scalar::Cert))?;
                stmt.results[1..].iter().zip(answers).try_for_each(|(&result, (elem, is_array))| {
                    // The extents of arrays are the program's to choose.
                    let declared = self.func.values.get(result).map(|known| known.ty.shape.clone());
                    let shape = declared.filter(|shape| is_array && !shape.is_empty()).unwrap_or_default();
                    if is_array && shape.is_empty() {
                        return Err(Fault::new(Invariant::ResultType, format!("{result} is no array")));
                    }
                    if let Effect::Recall(cell) | Effect::Take(cell) = effect
                        && cell.rank != shape.len()
                    {
                        let message = format!("{result} is not of rank {}", cell.rank);
                        return Err(Fault::new(Invariant::ResultType, message));
                    }
                    self.result_fits(result, &Type::array(elem, shape))
                })
            }
            Op::Conjoin { certs } => {
                certs.iter().try_for_each(|&cert| self.cert(cert))?;
                self.result(stmt, &Type::scalar(Scalar::Cert))
            }
            Op::If { cond, then, otherwise } => {
                self.scalar(*cond, Scalar::Bool, "the condition")?;
                for block in [then, otherwise] {
                    self.block(block)?;
                    need_count("results of a branch", stmt.results.len(), block.results.len())?;
                    for (&result, &yielded) in stmt.results.iter().zip(&block.results) {
                        self.result_fits(result, &self.func.operand_type(yielded))?;
                    }
                }
                Ok(())
            }
            Op::Loop(data) => self.sequential_loop(stmt, data),
            Op::With(label) => self.with_loop(stmt, *label),
            Op::Call { callee, args } => {
                args.iter().try_for_each(|&arg| self.operand(arg))?;
                self.call(stmt, *callee, args)
            }
        }
    }

    /// The arguments are what the effect takes, and cells have no order in which it could happen.
    fn effect(&self, effect: &Effect, args: &[Operand]) -> Checked<'a> {
        if self.in_cells && effect.is_ordered() {
            return Err(Fault::new(Invariant::Effects, "the cells of a with-loop have no effects"));
        }
        if let Effect::Keep(cell) | Effect::Recall(cell) = effect {
            let known = *self.shared.cells.borrow_mut().entry(cell.number).or_insert(*cell);
            if known != *cell {
                let message = format!("the cell {} is one of {} of rank {}", cell.number, known.elem, known.rank);
                return Err(Fault::new(Invariant::Effects, message));
            }
        }
        need_count("arguments of the effect", effect.arity(), args.len())?;
        for (at, &arg) in args.iter().enumerate() {
            self.operand(arg)?;
            let ty = self.func.operand_type(arg);
            if let Some(misfit) = effect.misfit(at, ty.elem, ty.rank()) {
                return Err(Fault::new(Invariant::OperandType, misfit));
            }
        }
        Ok(())
    }

    /// The one result has this type.
    fn result(&self, stmt: &Stmt, made: &Type) -> Checked<'a> {
        need_count("results", 1, stmt.results.len())?;
        self.result_fits(stmt.results[0], made)
    }

    /// A result has the type that is made.
    pub(super) fn result_fits(&self, result: Value, made: &Type) -> Checked<'a> {
        let Some(declared) = self.func.values.get(result) else {
            return Err(Fault::new(Invariant::InScope, format!("{result} is no value of the function")));
        };
        fits(made, &declared.ty, Invariant::ResultType, || format!("what is made for {result}"))
    }

    /// The element type of an operand that must be a scalar.
    fn any_scalar(&self, operand: Operand) -> Checked<'a, Scalar> {
        self.operand(operand)?;
        let ty = self.func.operand_type(operand);
        if ty.is_scalar() {
            return Ok(ty.elem);
        }
        Err(Fault::new(Invariant::OperandType, format!("{operand} has type {ty}, but a scalar is needed")))
    }

    /// The type of a value that must be an array.
    pub(super) fn array(&self, array: Value) -> Checked<'a, &'a Type> {
        self.value(array)?;
        let ty = self.func.ty(array);
        if !ty.is_scalar() {
            return Ok(ty);
        }
        Err(Fault::new(Invariant::OperandType, format!("{array} has type {ty}, but an array is needed")))
    }

    /// The type of what indices select from an array.
    fn selected(&self, array: Value, indices: &[Operand]) -> Checked<'a, Type> {
        let ty = self.array(array)?;
        if indices.is_empty() || indices.len() > ty.rank() {
            let message = format!("1 to {} indices are needed, but there are {}", ty.rank(), indices.len());
            return Err(Fault::new(Invariant::Arity, message));
        }
        for &index in indices {
            self.scalar(index, Scalar::I64, "an index")?;
        }
        Ok(ty.row(indices.len()))
    }

    fn view(&self, stmt: &Stmt, array: Value, view: &View) -> Checked<'a> {
        let source = self.array(array)?;
        need_count("results", 1, stmt.results.len())?;
        let Some(declared) = self.func.values.get(stmt.results[0]) else {
            return Err(Fault::new(Invariant::InScope, format!("{} is no value of the function", stmt.results[0])));
        };
        let declared = &declared.ty;
        let free_shape = Type::array(source.elem, declared.shape.clone());
        match view {
            View::Permute { axes } => {
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                if !sorted.iter().copied().eq(0..source.rank()) {
                    let message = format!("{axes:?} is no permutation of the axes of {source}");
                    return Err(Fault::new(Invariant::Arity, message));
                }
                let shape = axes.iter().map(|&axis| source.shape[axis]).collect();
                self.result(stmt, &Type::array(source.elem, shape))
            }
            View::Reshape => {
                self.result(stmt, &free_shape)?;
                let (before, after) = (constant_size(&source.shape), constant_size(&declared.shape));
                // Under a certificate that will fail, the sizes may be anything.
                match (before, after) {
                    (Some(before), Some(after)) if before != after && stmt.certs.is_empty() => {
                        let message = format!("{before} elements of {source} are given the type {declared}");
                        Err(Fault::new(Invariant::Extents, message))
                    }
                    _ => Ok(()),
                }
            }
            View::Slice { starts, steps } => {
                need_count("starts", source.rank(), starts.len())?;
                need_count("steps", source.rank(), steps.len())?;
                for &start in starts {
                    self.scalar(start, Scalar::I64, "a start")?;
                }
                if declared.rank() != source.rank() {
                    let message = format!("a slice of {source} has its rank, not that of {declared}");
                    return Err(Fault::new(Invariant::ResultType, message));
                }
                self.result(stmt, &free_shape)
            }
            View::Broadcast => {
                let Some(new_axes) = declared.rank().checked_sub(source.rank()) else {
                    let message = format!("{source} is broadcast to {declared} of lower rank");
                    return Err(Fault::new(Invariant::ResultType, message));
                };
                let mut made = source.clone();
                made.shape.splice(..0, declared.shape[..new_axes].iter().copied());
                self.result(stmt, &made)
            }
        }
    }

    fn concat(&self, stmt: &Stmt, arrays: &[Value]) -> Checked<'a> {
        let Some(&first) = arrays.first() else {
            return Err(Fault::new(Invariant::Arity, "at least one array is concatenated"));
        };
        let mut needed = self.array(first)?.clone();
        let mut outer = Some(0i64);
        for &array in arrays {
            let found = self.array(array)?;
            // Only the inner extents must agree.
            needed.shape[0] = found.shape[0];
            self.need_type(array.into(), &needed, Invariant::OperandType, "an operand")?;
            outer = match found.shape[0] {
                Extent::Const(n) => outer.and_then(|sum| sum.checked_add(n.max(0))),
                Extent::Value(_) => None,
            };
        }
        let [result] = stmt.results[..] else { return need_count("results", 1, stmt.results.len()) };
        let declared = self.func.values.get(result).map(|data| data.ty.shape.first().copied());
        needed.shape[0] = outer.map(Extent::Const).or(declared.flatten()).unwrap_or(Extent::Const(0));
        self.result_fits(result, &needed)
    }

    fn sequential_loop(&mut self, stmt: &'a Stmt, data: &'a LoopData) -> Checked<'a> {
        data.init.iter().try_for_each(|&init| self.operand(init))?;
        let count = data.params.len();
        need_count("initial values", count, data.init.len())?;
        need_count("marks of consumption", count, data.consumed.len())?;
        need_count("results", count, stmt.results.len())?;
        need_count("results of the body", count, data.body.results.len())?;
        match data.kind {
            LoopKind::For { count, .. } => self.scalar(count, Scalar::I64, "the number of iterations")?,
            LoopKind::While { .. } if data.regroups => {
                let message = "only a counted loop regroups what it adds up".to_string();
                return Err(Fault::new(Invariant::OperandType, message));
            }
            LoopKind::While { .. } => {}
        }
        let outer = self.scope.len();
        for (at, &param) in data.params.iter().enumerate() {
            self.define(param)?;
            let ty = self.func.ty(param);
            self.need_type(data.init[at], ty, Invariant::OperandType, "an initial value")?;
            self.result_fits(stmt.results[at], ty)?;
            if data.consumed[at] && ty.is_scalar() {
                let message = format!("the loop parameter {param} is consumed but is no array");
                return Err(Fault::new(Invariant::OperandType, message));
            }
        }
        match &data.kind {
            LoopKind::For { index, .. } => {
                self.define(*index)?;
                let needed = Type::scalar(Scalar::I64);
                self.need_type((*index).into(), &needed, Invariant::OperandType, "the loop variable")?;
            }
            LoopKind::While { condition } => {
                self.block(condition)?;
                let [holds] = condition.results[..] else {
                    return need_count("results of the condition", 1, condition.results.len());
                };
                self.need_type(holds, &Type::scalar(Scalar::Bool), Invariant::OperandType, "the condition")?;
            }
        }
        self.block(&data.body)?;
        for (&param, &next) in data.params.iter().zip(&data.body.results) {
            self.need_type(next, self.func.ty(param), Invariant::OperandType, "a result of the body")?;
        }
        self.leave(outer);
        Ok(())
    }

    fn call(&self, stmt: &Stmt, id: FuncId, args: &[Operand]) -> Checked<'a> {
        let Some(program) = self.program else { return Ok(()) };
        let Some(callee) = program.funcs.get(id) else {
            return Err(Fault::new(Invariant::Functions, format!("the function {id} does not exist")));
        };
        if self.in_cells && self.writers().get(id) == Some(&true) {
            return Err(Fault::new(Invariant::Effects, format!("a cell of a with-loop calls {id}, which writes")));
        }
        need_count("arguments", callee.params.len(), args.len())?;
        need_count("results", callee.results.len(), stmt.results.len())?;
        for (param, &arg) in callee.params.iter().zip(args) {
            self.need_type(arg, callee.ty(param.value), Invariant::OperandType, "an argument")?;
        }
        for (declared, &result) in callee.results.iter().zip(&stmt.results) {
            let Some(found) = self.func.values.get(result) else {
                return Err(Fault::new(Invariant::InScope, format!("{result} is no value of the function")));
            };
            if found.ty.rank() != declared.shape.len() {
                let message = format!("{result} has type {}, but the call makes {declared}", found.ty);
                return Err(Fault::new(Invariant::ResultType, message));
            }
            // What is not constant in the callee is whatever the caller says it is.
            let shape = declared.shape.iter().zip(&found.ty.shape).map(|(made, &known)| match *made {
                ResultExtent::Const(n) => Extent::Const(n),
                ResultExtent::Size(_) | ResultExtent::Result(_) | ResultExtent::Caller => known,
            });
            self.result_fits(result, &Type::array(declared.elem, shape.collect()))?;
        }
        Ok(())
    }
}

/// The type with one more axis, the outermost.
pub(super) fn with_outer(extent: Extent, ty: &Type) -> Type {
    let mut outer = ty.clone();
    outer.shape.insert(0, extent);
    outer
}

/// The number of elements, if all extents are constants and it fits.
fn constant_size(shape: &[Extent]) -> Option<i64> {
    let mut constants = Vec::new();
    for extent in shape {
        match extent {
            Extent::Const(n) => constants.push((*n).max(0)),
            Extent::Value(_) => return None,
        }
    }
    if constants.contains(&0) { Some(0) } else { constants.iter().try_fold(1i64, |size, &n| size.checked_mul(n)) }
}
