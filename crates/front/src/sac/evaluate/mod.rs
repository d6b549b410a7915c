//! What SAC means: a direct interpreter of the [`core`](super::core) language on values of dynamic rank. Slow, obvious, trusted.
//!
//! It knows nothing of specialisation, of the array IR or of any optimisation; [`super::specialise`] and everything behind it is
//! compared with it. Where the language leaves an order open, this is the reference order: operands left to right, operations
//! of a with-loop before the bounds of its generators, and these before any cell; cells in row-major order, generator by generator.
//!
//! [`Machine`] runs statements and expressions; calls and type patterns are in [`call`] and [`pattern`], with-loops in
//! [`with_loop`], operations in [`primitive`].

mod call;
mod cells;
mod failure;
mod pattern;
mod place;
mod primitive;
mod tensors;
mod value;
mod with_loop;

pub use failure::{Cause, Failure};
pub use value::{Shape, Value};

use super::core::dispatch::{Class, parameter_classes};
use super::core::{Axis, Expr, ExprKind, FunctionId, Local, ObjectId, OverloadId, Program, Stmt, StmtKind};
use call::{Argument, Selection};
use failure::{Outcome, fail, same_shape};
use frit_ir::effect::{Host, Sink};
use frit_ir::{Const, Effect, FailureKind, Tensor};
use frit_support::{Index, Span, Table};
use pattern::Flexible;
use value::{FieldPlace, Layouts};

/// How deep expressions may nest in one another, those of callees in the calls of callers. A level takes well under 4 KiB.
const DEPTH: usize = 400_000;
/// Extents of arrays are below this, so that the number of a row, and one more, is an `int`.
const EXTENT_LIMIT: i64 = 1 << 30;
/// More elements than an array may have: no machine has memory for them.
const COUNT_LIMIT: usize = 1 << 30;

/// Runs a function of a program; its results, with those of reference parameters at the end. `words` is the command line with the
/// program's name; it reads `input`, or else the standard input of the process;
/// `out` is given what it prints, in order.
///
/// # Errors
///
/// What the language calls a run-time error, and exhaustion of stack and memory.
pub fn run(
    program: &Program,
    function: FunctionId,
    args: Vec<Value>,
    words: &[String],
    input: Option<&[u8]>,
    out: &mut Sink<'_>,
) -> Result<Vec<Value>, Failure> {
    let mut machine = Machine {
        program,
        layouts: Layouts::new(program),
        classes: program.functions.iter().map(|(_, function)| parameter_classes(function)).collect(),
        selections: program.overloads.iter().map(|_| Vec::new()).collect(),
        words,
        host: Host::new(out, input),
        objects: program.objects.iter().map(|_| None).collect(),
        frame: Vec::new(),
        depth: 0,
        supposing: None,
    };
    let span = program.functions[function].span;
    for object in program.objects_of(function) {
        let first = machine.apply(program.objects[object].first, Vec::new()).map_err(|failure| *failure)?;
        machine.objects[object] = Some(only(first));
    }
    let args = args.into_iter().map(|value| Argument { value, flexible: Flexible::No, span }).collect();
    machine.apply(function, args).map_err(|failure| *failure)
}

/// The state of a run.
struct Machine<'p> {
    program: &'p Program,
    layouts: Layouts,
    /// Of the parameters of each function.
    classes: Table<FunctionId, Vec<Class>>,
    /// Which function each overload means, as far as that was asked for.
    selections: Table<OverloadId, Vec<Selection>>,
    words: &'p [String],
    host: Host<'p>,
    /// The values of objects; `None` for those that the run does not use.
    objects: Table<ObjectId, Option<Value>>,
    /// The variables of the function that runs; `None` for those without a value.
    frame: Vec<Option<Value>>,
    depth: usize,
    /// While it is found out what could be known of code that does not run: how many steps that may still take.
    supposing: Option<u64>,
}

impl<'p> Machine<'p> {
    fn statements(&mut self, stmts: &'p [Stmt]) -> Outcome<()> {
        stmts.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &'p Stmt) -> Outcome<()> {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => self.assign(targets, value),
            StmtKind::If { cond, then, otherwise } => {
                let taken = if self.truth(cond)? { then } else { otherwise };
                self.nested(stmt.span, |machine| machine.statements(taken))
            }
            StmtKind::Loop { is_do, cond, body, step } => {
                let mut runs = *is_do || self.truth(cond)?;
                while runs {
                    self.nested(stmt.span, |machine| machine.statements(body))?;
                    self.statements(step)?;
                    runs = self.truth(cond)?;
                }
                Ok(())
            }
            StmtKind::Replace { object, value } => {
                let value = self.value(value)?;
                if self.supposing.is_some() {
                    // Nobody sees this failure.
                    return fail(FailureKind::AssertionFailed, &[], stmt.span);
                }
                self.objects[*object] = Some(value);
                Ok(())
            }
            StmtKind::Output { stream, format, args } => {
                let mut tensors = Vec::new();
                let to = match stream {
                    Some(stream) => Some(self.value(stream)?.as_integer().unwrap_or(-1)),
                    None => None,
                };
                for (arg, taken) in args.iter().zip(format.takes()) {
                    let value = self.value(arg)?;
                    let rank = taken.rank();
                    if value.shape.len() != rank {
                        return fail(FailureKind::RankMismatch, &[rank as i64, value.shape.len() as i64], arg.span);
                    }
                    tensors.push(value.to_tensor().expect("the checker lets no struct be printed"));
                }
                if self.supposing.is_none() {
                    match to {
                        Some(stream) => {
                            tensors.insert(0, Tensor::scalar(Const::i64(stream)));
                            self.host.carry_out(&Effect::PrintTo(format.clone()), &tensors, &[]);
                        }
                        None => {
                            self.host.carry_out(&Effect::Print(format.clone()), &tensors, &[]);
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn assign(&mut self, targets: &'p [Option<Local>], value: &'p Expr) -> Outcome<()> {
        if let [target] = targets {
            if let Some(target) = target
                && self.update(*target, value)?
            {
                return Ok(());
            }
            let value = self.value(value)?;
            if let Some(target) = target {
                self.frame[target.at()] = Some(value);
            }
            return Ok(());
        }
        let values = self.values(value)?;
        debug_assert_eq!(values.len(), targets.len());
        for (target, value) in targets.iter().zip(values) {
            if let Some(target) = target {
                self.frame[target.at()] = Some(value);
            }
        }
        Ok(())
    }

    /// Runs something that is nested in something else.
    fn nested<T>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= DEPTH {
            return Err(Box::new(Failure { cause: Cause::RecursionTooDeep, span, note: None }));
        }
        if let Some(steps) = &mut self.supposing {
            match steps.checked_sub(1) {
                Some(left) => *steps = left,
                // Nobody sees this failure.
                None => return fail(FailureKind::AssertionFailed, &[], span),
            }
        }
        self.depth += 1;
        let outcome = run(self);
        self.depth -= 1;
        outcome
    }

    /// The values of an expression: one, unless it is a call or a with-loop.
    fn values(&mut self, expr: &'p Expr) -> Outcome<Vec<Value>> {
        if let ExprKind::Call { overload, args } = &expr.kind {
            self.nested(expr.span, |machine| machine.call(*overload, args, expr.span))
        } else if let ExprKind::Foreign(call) = &expr.kind {
            self.nested(expr.span, |machine| machine.foreign_call(call, expr.span))
        } else if let ExprKind::With(with) = &expr.kind {
            self.nested(expr.span, |machine| machine.with_loop(with, expr.span))
        } else {
            Ok(vec![self.value(expr)?])
        }
    }

    /// The value of an expression that has one.
    fn value(&mut self, expr: &'p Expr) -> Outcome<Value> {
        if let ExprKind::Local(local) = expr.kind {
            self.local(local, expr.span).cloned()
        } else if let ExprKind::Const(value) = expr.kind {
            Ok(Value::constant(value))
        } else {
            self.nested(expr.span, |machine| machine.composed_value(expr))
        }
    }

    /// The value of a variable.
    fn local(&self, local: Local, span: Span) -> Outcome<&Value> {
        match &self.frame[local.at()] {
            Some(value) => Ok(value),
            None => fail(FailureKind::UnassignedVariable, &[], span),
        }
    }

    /// The value of an object.
    fn object(&self, object: ObjectId, span: Span) -> Outcome<Value> {
        if self.supposing.is_some() && self.program.objects[object].changes {
            // Nobody sees this failure.
            return fail(FailureKind::AssertionFailed, &[], span);
        }
        Ok(self.objects[object].clone().expect("objects have values before anything reads them"))
    }

    fn composed_value(&mut self, expr: &'p Expr) -> Outcome<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Const(value) => Ok(Value::constant(*value)),
            ExprKind::Local(local) => self.local(*local, span).cloned(),
            ExprKind::Object(object) => self.object(*object, span),
            ExprKind::Text(chars) => Ok(Value::text(chars.iter().copied())),
            ExprKind::Array { elem, cells } => {
                let mut values = Vec::with_capacity(cells.len());
                for cell in cells {
                    let value = self.value(cell)?;
                    if let Some(first) = values.first() {
                        let first: &Value = first;
                        same_shape(FailureKind::IrregularArray, &first.shape, &value.shape, cell.span)?;
                    }
                    values.push(value);
                }
                Ok(Value::stack(&self.layouts, *elem, &values))
            }
            ExprKind::Select { array, index } => self.select(array, index, span),
            ExprKind::Modarray { array, index, value } => {
                let mut result = self.value(array)?;
                let index_value = self.index(index)?;
                let value = self.value(value)?;
                let start = self.cell_at(&result.shape, index_value.as_slice(), &value, span)?;
                result.write(&self.layouts, start, &value);
                Ok(result)
            }
            ExprKind::Prim { prim, args } => self.primitive(*prim, args, span),
            ExprKind::Call { overload, args } => Ok(only(self.call(*overload, args, span)?)),
            ExprKind::Foreign(call) => Ok(only(self.foreign_call(call, span)?)),
            ExprKind::With(with) => Ok(only(self.with_loop(with, span)?)),
            ExprKind::Cond { cond, then, otherwise } => {
                let taken = if self.truth(cond)? { then } else { otherwise };
                self.value(taken)
            }
            ExprKind::Recast { to, from, array } => {
                let value = self.value(array)?;
                let full = value.shape.followed_by(&self.layouts.of(*from).cell);
                let cell = &self.layouts.of(*to).cell;
                let Some(rank) = full.len().checked_sub(cell.len()) else {
                    return fail(FailureKind::RankMismatch, &[cell.len() as i64, full.len() as i64], span);
                };
                same_shape(FailureKind::ExtentMismatch, cell, &full[rank..], span)?;
                Ok(value.recast(*to, full[..rank].into()))
            }
            ExprKind::Ascribe { pattern, value } => {
                let given = self.value(value)?;
                self.match_pattern(pattern, given, flexible(value), false, value.span)
            }
            ExprKind::Struct { of, fields } => {
                let mut values = Vec::with_capacity(fields.len());
                for (field, (_, _, shape)) in fields.iter().zip(&self.program.structs[*of].fields) {
                    let value = self.value(field)?;
                    same_shape(FailureKind::ShapeMismatch, &value::extents(shape), &value.shape, field.span)?;
                    values.push(value);
                }
                Ok(Value::of_fields(&self.layouts, super::core::Elem::Struct(*of), &values))
            }
            ExprKind::Field { value, field } => {
                let value = self.value(value)?;
                let place = FieldPlace::new(self.program, &self.layouts, value.elem, *field);
                Ok(value.field(&self.layouts, &place))
            }
            ExprKind::WithField { value, field, new } => {
                let mut result = self.value(value)?;
                let new_value = self.value(new)?;
                let place = FieldPlace::new(self.program, &self.layouts, result.elem, *field);
                let needed = result.shape.followed_by(&place.shape);
                same_shape(FailureKind::ShapeMismatch, &needed, &new_value.shape, new.span)?;
                result.set_field(&place, &new_value);
                Ok(result)
            }
        }
    }

    /// A scalar `bool`, or a vector of one.
    fn truth(&mut self, cond: &'p Expr) -> Outcome<bool> {
        let value = self.value(cond)?;
        if let Some(Const::Bool(truth)) = value.as_const() {
            return Ok(truth);
        }
        same_shape(FailureKind::ShapeMismatch, &[1], &value.shape, cond.span)?;
        Ok(value.get(0) == Const::Bool(true))
    }
}

/// The value of an expression that the checker says has one.
fn only(mut values: Vec<Value>) -> Value {
    debug_assert_eq!(values.len(), 1);
    values.pop().expect("an expression has a value")
}

/// Whether the value of an expression may change its shape to fit: `[]` fits wherever there is no element.
fn flexible(expr: &Expr) -> Flexible {
    let is_empty_literal = matches!(&expr.kind, ExprKind::Array { cells, .. } if cells.is_empty());
    if is_empty_literal { Flexible::Yes } else { Flexible::No }
}

/// The variables that a pattern binds or compares with.
fn pattern_locals(axes: &[Axis]) -> impl Iterator<Item = Local> {
    use super::core::Count;
    axes.iter()
        .flat_map(|axis| match axis {
            Axis::Extent(_) | Axis::Any | Axis::Rest { .. } => [None, None],
            Axis::Bind(local) => [Some(*local), None],
            Axis::Axes { count: Count::Bind(count), shape, .. } => [Some(*count), *shape],
            Axis::Axes { count: Count::Fixed(_), shape, .. } => [*shape, None],
        })
        .flatten()
}
