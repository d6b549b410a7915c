//! The interpreter of the array IR: statements, blocks, loops and calls, one after the other as they are written.
//! On a program that no pass has touched it defines what the program means.
//!
//! Run-time values are in `value`, with-loops in `with_loop`, views in `view`. Nothing here looks for shortcuts; only
//! element access and updates in place take constant time, so that programs written for them can be run.

mod value;
mod view;
mod with_loop;

use crate::memory::{Budget, Memory, element_count};
use crate::scalar::{binary, unary};
use crate::{Options, RunError, Sink, broken, carried_out, failure};
use frit_ir::array::{
    Block, Extent, Func, FuncId, LoopData, LoopKind, Op, Operand, Program, ResultExtent, Stmt, Type, Value,
};
use frit_ir::effect::Host;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_support::{Table, with_deep_stack};
use std::rc::Rc;
use value::{ArrayValue, Datum};

/// Runs a function of a program on these arguments, with the default limits.
///
/// # Errors
///
/// As [`run_with`].
pub fn run(program: &Program, func: FuncId, args: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
    run_with(program, func, args, &Options::default())
}

/// Runs a function of a program on these arguments. What it writes is dropped.
///
/// # Errors
///
/// As [`run_writing`].
pub fn run_with(
    program: &Program,
    func: FuncId,
    args: Vec<Tensor>,
    options: &Options,
) -> Result<Vec<Tensor>, RunError> {
    run_writing(program, func, args, options, &mut |_| {})
}

/// Runs a function of a program on these arguments; the sink gets what it writes, also before a failure.
///
/// # Errors
///
/// The failure that the program ends with, the limit that it reaches, or the invariant that it breaks; arguments that do not
/// fit the parameters count as the last.
pub fn run_writing(
    program: &Program,
    func: FuncId,
    args: Vec<Tensor>,
    options: &Options,
    sink: &mut Sink<'_>,
) -> Result<Vec<Tensor>, RunError> {
    with_deep_stack(|| {
        let (memory, host) =
            (Memory::new(options), Host::new(sink, options.input.as_deref()).calling(options.caller.clone()));
        let mut machine = Machine { program, memory, budget: Budget::new(options), is_placed: false, host };
        let args = args.into_iter().map(|arg| Datum::argument(&machine.memory, arg)).collect::<Result<Vec<_>, _>>()?;
        let results = machine.call(func, args)?;
        results.iter().map(Datum::to_tensor).collect()
    })
}

/// What all calls of a run share.
struct Machine<'p> {
    program: &'p Program,
    memory: Rc<Memory>,
    budget: Budget,
    /// The message of a broken invariant already says where.
    is_placed: bool,
    /// Carries effects out.
    host: Host<'p>,
}

/// One activation of a function.
struct Frame<'p> {
    func: &'p Func,
    values: Table<Value, Datum>,
}

impl<'p> Frame<'p> {
    /// What a value holds; it must be defined and not consumed.
    fn read(&self, value: Value) -> Result<&Datum, RunError> {
        match self.values.get(value) {
            None | Some(Datum::Undefined) => broken!("{value} is used before it is defined"),
            Some(Datum::Array(array)) if !array.is_live() => broken!("{value} is used after it was consumed"),
            Some(datum) => Ok(datum),
        }
    }

    fn operand(&self, operand: Operand) -> Result<Datum, RunError> {
        match operand {
            Operand::Value(value) => self.read(value).cloned(),
            Operand::Const(constant) => Ok(Datum::Scalar(constant)),
        }
    }

    fn operands(&self, operands: &[Operand]) -> Result<Vec<Datum>, RunError> {
        operands.iter().map(|&operand| self.operand(operand)).collect()
    }

    fn scalar(&self, operand: Operand) -> Result<Const, RunError> {
        match operand {
            Operand::Const(constant) => Ok(constant),
            Operand::Value(value) => match self.read(value)? {
                Datum::Scalar(scalar) => Ok(*scalar),
                Datum::Array(_) | Datum::Undefined => broken!("{value} is an array where a scalar is needed"),
            },
        }
    }

    fn int(&self, operand: Operand) -> Result<i64, RunError> {
        match self.scalar(operand)? {
            Const::Int(Scalar::I64, number) => Ok(number),
            other => broken!("a {} where an i64 is needed", other.scalar()),
        }
    }

    fn ints(&self, operands: &[Operand]) -> Result<Vec<i64>, RunError> {
        operands.iter().map(|&operand| self.int(operand)).collect()
    }

    fn truth(&self, operand: Operand) -> Result<bool, RunError> {
        match self.scalar(operand)? {
            Const::Bool(truth) => Ok(truth),
            other => broken!("a {} where a bool is needed", other.scalar()),
        }
    }

    fn array(&self, value: Value) -> Result<&ArrayValue, RunError> {
        match self.read(value)? {
            Datum::Array(array) => Ok(array),
            Datum::Scalar(_) | Datum::Undefined => broken!("{value} is a scalar where an array is needed"),
        }
    }

    /// A number of elements; negative extents count as zero.
    fn extent(&self, extent: Extent) -> Result<i64, RunError> {
        Ok(self.int(extent.into())?.max(0))
    }

    fn extents(&self, shape: &[Extent]) -> Result<Vec<i64>, RunError> {
        shape.iter().map(|&extent| self.extent(extent)).collect()
    }

    /// Defines a value, whose type may mention values that are defined already.
    fn define(&mut self, value: Value, datum: Datum) -> Result<(), RunError> {
        self.put(value, datum)?;
        self.check_type(value)
    }

    /// Defines several values; the type of each may mention the others.
    fn define_all(&mut self, values: &[Value], data: impl ExactSizeIterator<Item = Datum>) -> Result<(), RunError> {
        if values.len() != data.len() {
            broken!("{} values for {} names", data.len(), values.len());
        }
        for (&value, datum) in values.iter().zip(data) {
            self.put(value, datum)?;
        }
        values.iter().try_for_each(|&value| self.check_type(value))
    }

    fn put(&mut self, value: Value, datum: Datum) -> Result<(), RunError> {
        if self.values.get(value).is_none() {
            broken!("the function has no value {value}");
        }
        self.values[value] = datum;
        Ok(())
    }

    /// That a value has its declared type, extents included.
    fn check_type(&self, value: Value) -> Result<(), RunError> {
        let ty = &self.func.values[value].ty;
        let datum = &self.values[value];
        let fits = match datum {
            Datum::Undefined => false,
            Datum::Scalar(scalar) => scalar.scalar() == ty.elem && ty.is_scalar(),
            Datum::Array(array) => array.elem() == ty.elem && self.has_shape(array, ty)?,
        };
        if fits { Ok(()) } else { self.wrong_type(value) }
    }

    fn has_shape(&self, array: &ArrayValue, ty: &Type) -> Result<bool, RunError> {
        if array.rank() != ty.rank() {
            return Ok(false);
        }
        for (found, &declared) in array.extents().zip(&ty.shape) {
            if found != self.extent(declared)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[cold]
    fn wrong_type(&self, value: Value) -> Result<(), RunError> {
        let (ty, datum) = (&self.func.values[value].ty, &self.values[value]);
        let declared = self.extents(&ty.shape)?;
        let found = datum.elem().map_or("nothing", Scalar::name);
        broken!("{value} has type {}{declared:?}, but it is {found}{:?}", ty.elem, datum.extents())
    }
}

impl<'p> Machine<'p> {
    /// Calls a function. Arguments that it consumes must already be the caller's no more.
    fn call(&mut self, id: FuncId, args: Vec<Datum>) -> Result<Vec<Datum>, RunError> {
        let Some(func) = self.program.funcs.get(id) else { broken!("the program has no function {id}") };
        let values = func.values.indices().map(|_| Datum::Undefined).collect();
        let mut frame = Frame { func, values };
        let lent: Vec<ArrayValue> = func
            .params
            .iter()
            .zip(&args)
            .filter_map(|(param, arg)| match arg {
                Datum::Array(array) if !param.consumed => Some(array.clone()),
                Datum::Array(_) | Datum::Scalar(_) | Datum::Undefined => None,
            })
            .collect();
        self.bind_parameters(&mut frame, args)?;
        self.block(&mut frame, &func.body)?;
        let results = frame.operands(&func.body.results)?;
        if lent.iter().any(|array| !array.is_live()) {
            broken!("{} consumes an argument that it was not given", func.name);
        }
        self.check_results(&frame, &results, &lent)?;
        Ok(results)
    }

    fn bind_parameters(&self, frame: &mut Frame<'p>, args: Vec<Datum>) -> Result<(), RunError> {
        let func = frame.func;
        if args.len() != func.params.len() {
            broken!("{} has {} parameters, but {} arguments are given", func.name, func.params.len(), args.len());
        }
        for (param, arg) in func.params.iter().zip(args) {
            frame.put(param.value, arg)?;
        }
        for param in &func.params {
            for (axis, extent) in frame.func.values[param.value].ty.shape.iter().enumerate() {
                let Extent::Value(size) = *extent else { continue };
                let found = frame.values[param.value].extents().get(axis).copied();
                if let (Some(found), true, Datum::Undefined) = (found, func.sizes.contains(&size), &frame.values[size])
                {
                    frame.define(size, Datum::Scalar(Const::i64(found)))?;
                }
            }
        }
        func.params.iter().try_for_each(|param| frame.check_type(param.value))
    }

    /// That a function's results have their declared types, and memory of their own where it says so.
    fn check_results(&self, frame: &Frame<'p>, results: &[Datum], lent: &[ArrayValue]) -> Result<(), RunError> {
        let func = frame.func;
        if results.len() != func.results.len() {
            broken!("{} declares {} results, but yields {}", func.name, func.results.len(), results.len());
        }
        for (at, (result, ty)) in results.iter().zip(&func.results).enumerate() {
            let found = result.extents();
            let mut fits = result.elem() == Some(ty.elem) && found.len() == ty.shape.len();
            for (&found, extent) in found.iter().zip(&ty.shape) {
                fits &= match *extent {
                    ResultExtent::Const(declared) => found == declared.max(0),
                    ResultExtent::Size(size) => found == frame.extent(Extent::Value(size))?,
                    ResultExtent::Result(earlier) => match results.get(earlier) {
                        Some(Datum::Scalar(Const::Int(Scalar::I64, declared))) if earlier < at => {
                            found == (*declared).max(0)
                        }
                        Some(_) | None => false,
                    },
                    ResultExtent::Caller => true,
                };
            }
            if !fits {
                broken!("result {at} of {} has not the declared type, but shape {found:?}", func.name);
            }
            let Datum::Array(array) = result else { continue };
            let is_shared = |other: &Datum| matches!(other, Datum::Array(other) if array.shares(other));
            let mut others = results.iter().enumerate().filter(|(other, _)| *other != at);
            if ty.unique && (lent.iter().any(|arg| array.shares(arg)) || others.any(|(_, other)| is_shared(other))) {
                broken!("result {at} of {} is declared unique, but it shares memory", func.name);
            }
        }
        Ok(())
    }

    /// Executes the statements of a block. Its results are then the operands it names.
    fn block(&mut self, frame: &mut Frame<'p>, block: &'p Block) -> Result<(), RunError> {
        self.budget.enter()?;
        for stmt in &block.stmts {
            if let Err(error) = self.stmt(frame, stmt) {
                return Err(self.place(error, frame, stmt));
            }
        }
        self.budget.leave();
        Ok(())
    }

    /// Says in the message of a broken invariant where it was found: at the innermost statement.
    #[cold]
    fn place(&mut self, error: RunError, frame: &Frame<'p>, stmt: &Stmt) -> RunError {
        match error {
            RunError::Broken(message) if !self.is_placed => {
                self.is_placed = true;
                RunError::Broken(format!("in @{}, at the definition of {:?}: {message}", frame.func.name, stmt.results))
            }
            error => error,
        }
    }

    fn stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) -> Result<(), RunError> {
        self.budget.step()?;
        for &cert in &stmt.certs {
            if frame.scalar(cert.into())? != Const::Cert {
                broken!("{cert} is no certificate");
            }
        }
        let result = match &stmt.op {
            Op::Unary { op, x } => Datum::Scalar(unary(*op, frame.scalar(*x)?)?),
            Op::Binary { op, x, y } => Datum::Scalar(binary(*op, frame.scalar(*x)?, frame.scalar(*y)?)?),
            Op::Select { cond, on_true, on_false } => {
                let (on_true, on_false) = (frame.scalar(*on_true)?, frame.scalar(*on_false)?);
                Datum::Scalar(if frame.truth(*cond)? { on_true } else { on_false })
            }
            Op::Index { array, indices } => index(frame, *array, indices)?,
            Op::View { array, view } => {
                let [result] = stmt.results[..] else { broken!("a view has one result") };
                self.view(frame, *array, view, result)?
            }
            Op::Table { tensor } => Datum::table(tensor),
            Op::ArrayLit { elems } => self.array_literal(frame, elems)?,
            Op::Iota { n } => {
                let n = frame.int(*n)?.max(0);
                self.memory.check(Scalar::I64, element_count(&[n])?)?;
                Datum::dense(&self.memory, &[n], TensorData::I64((0..n).collect()))?
            }
            Op::Replicate { n, x } => self.replicate(frame.int(*n)?.max(0), &frame.operand(*x)?)?,
            Op::Concat { arrays } => self.concat(frame, arrays)?,
            Op::Copy { array } => match frame.read(*array)? {
                Datum::Array(array) => Datum::Array(array.copy(&self.memory)?),
                Datum::Scalar(scalar) => Datum::Scalar(*scalar),
                Datum::Undefined => broken!("{array} is used before it is defined"),
            },
            Op::Update { array, indices, value, consumes } => self.update(frame, *array, indices, *value, *consumes)?,
            Op::Assert { cond, kind, args } => {
                if !frame.truth(*cond)? {
                    return Err(failure(*kind, frame.ints(args)?, stmt.span));
                }
                Datum::Scalar(Const::Cert)
            }
            Op::Effect { effect, args } => {
                let args = frame.operands(args)?;
                let args = args.iter().map(Datum::to_tensor).collect::<Result<Vec<_>, _>>()?;
                let mut shapes = Vec::new();
                for &result in &stmt.results[1..] {
                    let ty = frame.func.ty(result);
                    if !ty.is_scalar() {
                        shapes.push(frame.extents(&ty.shape)?.into_iter().map(|extent| extent as usize).collect());
                    }
                }
                let answers = carried_out(&mut self.host, effect, &args, &shapes, stmt.span)?;
                let mut results = vec![Datum::Scalar(Const::Cert)];
                for answer in answers {
                    results.push(match answer.as_scalar() {
                        Some(scalar) => Datum::Scalar(scalar),
                        None => Datum::argument(&self.memory, answer)?,
                    });
                }
                return frame.define_all(&stmt.results, results.into_iter());
            }
            Op::Conjoin { certs } => {
                for &cert in certs {
                    if frame.scalar(cert.into())? != Const::Cert {
                        broken!("{cert} is no certificate");
                    }
                }
                Datum::Scalar(Const::Cert)
            }
            Op::If { cond, then, otherwise } => {
                let branch = if frame.truth(*cond)? { then } else { otherwise };
                self.block(frame, branch)?;
                let results = frame.operands(&branch.results)?;
                return frame.define_all(&stmt.results, results.into_iter());
            }
            Op::Loop(data) => {
                let results = self.sequential_loop(frame, data)?;
                return frame.define_all(&stmt.results, results.into_iter());
            }
            Op::With(with_loop) => return self.with_loop(frame, *with_loop, stmt),
            Op::Call { callee, args } => {
                let results = self.call_statement(frame, *callee, args)?;
                return frame.define_all(&stmt.results, results.into_iter());
            }
        };
        let [defined] = stmt.results[..] else { broken!("the operation has one result, not {}", stmt.results.len()) };
        frame.define(defined, result)
    }

    fn array_literal(&self, frame: &Frame<'p>, elems: &[Operand]) -> Result<Datum, RunError> {
        let Some(&first) = elems.first() else { broken!("an array literal has no element") };
        let first = frame.operand(first)?;
        let mut extents = vec![i64::try_from(elems.len()).expect("a literal is in memory")];
        extents.extend(first.extents());
        let Some(elem) = first.elem() else { broken!("an element is undefined") };
        self.memory.check(elem, element_count(&extents)?)?;
        let mut data = TensorData::empty(elem);
        for &operand in elems {
            let row = frame.operand(operand)?;
            if row.elem() != Some(elem) || row.extents() != extents[1..] {
                broken!("the elements of an array literal differ in type");
            }
            row.append_to(&mut data);
        }
        Datum::dense(&self.memory, &extents, data)
    }

    fn replicate(&self, n: i64, x: &Datum) -> Result<Datum, RunError> {
        let mut extents = vec![n];
        extents.extend(x.extents());
        let Some(elem) = x.elem() else { broken!("the replicated value is undefined") };
        let count = element_count(&extents)?;
        self.memory.check(elem, count)?;
        let data = match x {
            Datum::Scalar(scalar) => TensorData::splat(*scalar, count),
            Datum::Array(_) | Datum::Undefined => {
                let mut data = TensorData::empty(elem);
                if count > 0 {
                    (0..n).for_each(|_| x.append_to(&mut data));
                }
                data
            }
        };
        Datum::dense(&self.memory, &extents, data)
    }

    fn concat(&self, frame: &Frame<'p>, arrays: &[Value]) -> Result<Datum, RunError> {
        let Some(&first) = arrays.first() else { broken!("a concatenation of no arrays") };
        let first = frame.array(first)?;
        let elem = first.elem();
        let mut extents: Vec<i64> = first.extents().collect();
        extents[0] = 0;
        for &array in arrays {
            let part = frame.array(array)?;
            if part.elem() != elem
                || part.rank() != extents.len()
                || !part.extents().skip(1).eq(extents[1..].iter().copied())
            {
                broken!("{array} has not the row type of the arrays it is concatenated with");
            }
            // Only views can have extents that add up beyond an i64.
            extents[0] = part.extents().next().and_then(|e| e.checked_add(extents[0])).ok_or(RunError::Exhausted)?;
        }
        self.memory.check(elem, element_count(&extents)?)?;
        let mut data = TensorData::empty(elem);
        for &array in arrays {
            frame.read(array)?.append_to(&mut data);
        }
        Datum::dense(&self.memory, &extents, data)
    }

    fn update(
        &self,
        frame: &Frame<'p>,
        array: Value,
        indices: &[Operand],
        value: Operand,
        consumes: bool,
    ) -> Result<Datum, RunError> {
        let source = frame.array(array)?;
        let indices = frame.ints(indices)?;
        let value = frame.operand(value)?;
        if indices.len() > source.rank() {
            broken!("{} indices for {} axes", indices.len(), source.rank());
        }
        let Some(place) = source.select(&indices) else {
            broken!("index {indices:?} is out of bounds for {:?}", source.extents().collect::<Vec<_>>());
        };
        if place.elem() != value.elem() || place.extents() != value.extents() {
            broken!("a value of shape {:?} replaces one of shape {:?}", value.extents(), place.extents());
        }
        match &value {
            Datum::Array(stored) => {
                if consumes && stored.shares(source) {
                    broken!("the stored value shares the memory of {array}, which is consumed");
                }
                let elements = stored.to_data(&self.memory)?;
                let target = source.for_writing(&self.memory, consumes)?;
                target.overwrite(&indices, &elements, 0);
                Ok(Datum::Array(target))
            }
            Datum::Scalar(scalar) => {
                let target = source.for_writing(&self.memory, consumes)?;
                target.set(&indices, *scalar);
                Ok(Datum::Array(target))
            }
            Datum::Undefined => broken!("the stored value is undefined"),
        }
    }

    fn sequential_loop(&mut self, frame: &mut Frame<'p>, data: &'p LoopData) -> Result<Vec<Datum>, RunError> {
        let mut carried = frame.operands(&data.init)?;
        if data.consumed.len() != data.params.len() {
            broken!("a loop has {} parameters and {} marks", data.params.len(), data.consumed.len());
        }
        give_away(&mut carried, &data.consumed)?;
        let count = match &data.kind {
            LoopKind::For { count, .. } => frame.int(*count)?,
            LoopKind::While { .. } => i64::MAX,
        };
        for iteration in 0..count {
            self.budget.step()?;
            frame.define_all(&data.params, carried.drain(..))?;
            match &data.kind {
                LoopKind::For { index, .. } => frame.define(*index, Datum::Scalar(Const::i64(iteration)))?,
                LoopKind::While { condition } => {
                    self.block(frame, condition)?;
                    let [condition] = condition.results[..] else { broken!("a loop's condition has one result") };
                    if !frame.truth(condition)? {
                        return data.params.iter().map(|&param| frame.read(param).cloned()).collect();
                    }
                }
            }
            self.block(frame, &data.body)?;
            for (param, _) in data.params.iter().zip(&data.consumed).filter(|(_, consumed)| !**consumed) {
                if matches!(&frame.values[*param], Datum::Array(array) if !array.is_live()) {
                    broken!("the loop consumes {param}, but is not marked so");
                }
            }
            carried = frame.operands(&data.body.results)?;
            give_away(&mut carried, &data.consumed)?;
        }
        // Also for no iteration at all: the parameters' types are those of the results.
        frame.define_all(&data.params, carried.iter().cloned())?;
        Ok(carried)
    }

    fn call_statement(&mut self, frame: &Frame<'p>, callee: FuncId, args: &[Operand]) -> Result<Vec<Datum>, RunError> {
        let Some(func) = self.program.funcs.get(callee) else { broken!("the program has no function {callee}") };
        let mut data = frame.operands(args)?;
        let consumed: Vec<bool> = func.params.iter().map(|param| param.consumed).collect();
        if consumed.len() != data.len() {
            broken!("{} has {} parameters, but {} arguments are given", func.name, consumed.len(), data.len());
        }
        give_away(&mut data, &consumed)?;
        self.budget.enter()?;
        let results = self.call(callee, data)?;
        self.budget.leave();
        Ok(results)
    }
}

/// Consumes the arrays that are marked; the others must not share their memory.
fn give_away(data: &mut [Datum], consumed: &[bool]) -> Result<(), RunError> {
    for (at, (datum, _)) in data.iter_mut().zip(consumed).enumerate().filter(|(_, (_, consumed))| **consumed) {
        if let Datum::Array(array) = datum {
            if !array.is_live() {
                broken!("operand {at} shares memory with another one, and both are consumed");
            }
            *datum = Datum::Array(array.consume());
        }
    }
    match data.iter().position(|datum| matches!(datum, Datum::Array(array) if !array.is_live())) {
        Some(at) => broken!("operand {at} shares memory with one that is consumed"),
        None => Ok(()),
    }
}

fn index(frame: &Frame<'_>, array: Value, indices: &[Operand]) -> Result<Datum, RunError> {
    let source = frame.array(array)?;
    let indices = frame.ints(indices)?;
    if indices.len() > source.rank() {
        broken!("{} indices for {} axes", indices.len(), source.rank());
    }
    match source.select(&indices) {
        Some(datum) => Ok(datum),
        None => broken!("index {indices:?} is out of bounds for {:?}", source.extents().collect::<Vec<_>>()),
    }
}
