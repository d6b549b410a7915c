//! The shape of cells that no index has. An array without rows has row sizes all the same: mapping a function over the rows of
//! an array of shape `[0, 3]` gives what its results would have.
//!
//! Code is followed as far as shapes can be told without the index. What depends on constants is evaluated; nothing of that is seen,
//! neither output nor failures.

use super::Machine;
use super::value::{FieldPlace, Shape, Value, extents};
use super::with_loop::assigned;
use crate::sac::core::dispatch::{Choice, Class, choose};
use crate::sac::core::{
    Axis, Basic, Elem, Expr, ExprKind, FunctionId, Generator, Local, Operation, OverloadId, Pattern, Prim, Stmt,
    StmtKind, With,
};
use frit_support::Index;

/// What is known of a value.
#[derive(Clone)]
enum Known {
    Value(Value),
    Shape(Elem, Shape),
    Nothing,
}

/// What is known of the variables of a function.
type Env = Vec<Known>;

/// How many steps it may take to find a shape. Shapes are found in far fewer, or not at all.
const STEPS: u64 = 200_000;
/// How deep calls are followed.
const CALLS: usize = 60;

const INT: Elem = Elem::Basic(Basic::Int);

impl Known {
    fn shape(&self) -> Option<(Elem, &Shape)> {
        match self {
            Known::Value(value) => Some((value.elem, &value.shape)),
            Known::Shape(elem, shape) => Some((*elem, shape)),
            Known::Nothing => None,
        }
    }

    /// What is known of something that is one of two.
    fn or(&self, other: &Known) -> Known {
        match (self, other) {
            (Known::Value(x), Known::Value(y)) if x == y => self.clone(),
            _ => match (self.shape(), other.shape()) {
                (Some((elem, x)), Some((_, y))) if x == y => Known::Shape(elem, x.clone()),
                _ => Known::Nothing,
            },
        }
    }

    /// The same without its value.
    fn unvalued(&self) -> Known {
        match self.shape() {
            Some((elem, shape)) => Known::Shape(elem, shape.clone()),
            None => Known::Nothing,
        }
    }
}

/// What is known on either of two ways.
fn join(x: &Env, y: &Env) -> Env {
    x.iter().zip(y).map(|(x, y)| x.or(y)).collect()
}

/// Runs an expression or statements where variables have these values.
struct Supposition<'m, 'p> {
    machine: &'m mut Machine<'p>,
    calls: usize,
}

impl<'p> Machine<'p> {
    /// The shape that cells of an operation would have, as far as it can be told without an index; else that of scalars.
    pub(super) fn unseen_cell_shape(&mut self, with: &'p With, operation: usize) -> Shape {
        let is_outermost = self.supposing.is_none();
        if is_outermost {
            self.supposing = Some(STEPS);
        }
        let env = self.frame.iter().map(|value| value.clone().map_or(Known::Nothing, Known::Value)).collect();
        let cell = Supposition { machine: self, calls: 0 }.cell(with, operation, &env);
        if is_outermost {
            self.supposing = None;
        }
        cell.shape().map(|(_, shape)| shape.clone()).unwrap_or_default()
    }
}

impl<'p> Supposition<'_, 'p> {
    /// A cell of an operation: of the first generator that says something.
    fn cell(&mut self, with: &'p With, operation: usize, env: &Env) -> Known {
        for generator in &with.generators {
            let mut env = env.clone();
            self.bind_index(with, generator, &mut env);
            self.statements(&generator.body, &mut env);
            let mut cells = Vec::new();
            for cell in &generator.cells {
                cells.extend(self.expr_values(cell, &env));
            }
            if let Some(cell) = cells.into_iter().nth(operation)
                && cell.shape().is_some()
            {
                return cell;
            }
        }
        Known::Nothing
    }

    fn bind_index(&mut self, with: &'p With, generator: &'p Generator, env: &mut Env) {
        for local in generator.scalars.iter().flatten() {
            env[local.at()] = Known::Shape(INT, Shape::default());
        }
        let Some(vector) = generator.vector else { return };
        let mut length = |bound: &'p Option<Expr>| match self.expr(bound.as_ref()?, env).shape()? {
            (_, shape) if shape.len() == 1 => Some(shape[0]),
            _ => None,
        };
        let written = generator.scalars.as_ref().map(Vec::len);
        let rank = written.or_else(|| length(&generator.lower)).or_else(|| length(&generator.upper));
        let rank = rank.or_else(|| {
            with.operations.iter().find_map(|operation| match operation {
                Operation::Genarray { shape, .. } => match self.expr(shape, env).shape()?.1[..] {
                    [rank] => Some(rank),
                    _ => Some(1),
                },
                Operation::Modarray { source } => Some(self.expr(source, env).shape()?.1.len()),
                Operation::Fold { .. } | Operation::Propagate { .. } => None,
            })
        });
        env[vector.at()] = rank.map_or(Known::Nothing, |rank| Known::Shape(INT, vec![rank].into()));
    }

    fn statements(&mut self, stmts: &'p [Stmt], env: &mut Env) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign { targets, value } => {
                    let values = self.expr_values(value, env);
                    for (at, target) in targets.iter().enumerate() {
                        if let Some(target) = target {
                            env[target.at()] = values.get(at).cloned().unwrap_or(Known::Nothing);
                        }
                    }
                }
                StmtKind::If { cond, then, otherwise } => match self.truth(cond, env) {
                    Some(truth) => self.statements(if truth { then } else { otherwise }, env),
                    None => {
                        let mut other = env.clone();
                        self.statements(then, env);
                        self.statements(otherwise, &mut other);
                        *env = join(env, &other);
                    }
                },
                StmtKind::Loop { body, step, .. } => {
                    let mut locals = Vec::new();
                    assigned(body, &mut locals);
                    assigned(step, &mut locals);
                    self.repeat(&locals, env, |this, env| {
                        this.statements(body, env);
                        this.statements(step, env);
                    });
                }
                StmtKind::Replace { .. } | StmtKind::Output { .. } => {}
            }
        }
    }

    /// What is known after any number of iterations: nothing of variables whose shape changes, and of others no value.
    fn repeat(&mut self, locals: &[Local], env: &mut Env, mut run: impl FnMut(&mut Self, &mut Env)) {
        for local in locals {
            env[local.at()] = env[local.at()].unvalued();
        }
        for attempt in 0.. {
            let mut after = env.clone();
            run(self, &mut after);
            let known = |env: &Env| locals.iter().filter(|local| env[local.at()].shape().is_some()).count();
            // A variable without a value before has that of the iterations after, or the program fails.
            for local in locals.iter().filter(|_| attempt == 0) {
                if let Known::Nothing = env[local.at()] {
                    env[local.at()] = after[local.at()].unvalued();
                }
            }
            let joined: Env = join(env, &after);
            let is_stable = attempt > 0 && known(&joined) == known(env);
            for local in locals {
                env[local.at()] = joined[local.at()].unvalued();
            }
            if is_stable {
                return;
            }
        }
    }

    fn truth(&mut self, cond: &'p Expr, env: &Env) -> Option<bool> {
        match self.expr(cond, env) {
            Known::Value(value) if value.count() == 1 => Some(value.get(0) == frit_ir::Const::Bool(true)),
            _ => None,
        }
    }

    /// The value of an expression that needs nothing unknown.
    fn evaluated(&mut self, expr: &'p Expr, env: &Env) -> Option<Vec<Value>> {
        let value = |known: &Known| match known {
            Known::Value(value) => Some(value.clone()),
            Known::Shape(..) | Known::Nothing => None,
        };
        let frame = std::mem::replace(&mut self.machine.frame, env.iter().map(value).collect());
        let values = self.machine.values(expr).ok();
        self.machine.frame = frame;
        values
    }

    fn expr(&mut self, expr: &'p Expr, env: &Env) -> Known {
        self.expr_values(expr, env).into_iter().next().unwrap_or(Known::Nothing)
    }

    fn expr_values(&mut self, expr: &'p Expr, env: &Env) -> Vec<Known> {
        match &mut self.machine.supposing {
            Some(0) | None => return Vec::new(),
            Some(steps) => *steps -= 1,
        }
        if let Some(values) = self.evaluated(expr, env) {
            return values.into_iter().map(Known::Value).collect();
        }
        if let ExprKind::Call { overload, args } = &expr.kind {
            let args = args.iter().map(|arg| self.expr(arg, env)).collect();
            self.call(*overload, args)
        } else if let ExprKind::With(with) = &expr.kind {
            (0..with.operations.len()).map(|operation| self.result(with, operation, env)).collect()
        } else {
            vec![self.composed(expr, env).unwrap_or(Known::Nothing)]
        }
    }

    /// The result of an operation of a with-loop.
    fn result(&mut self, with: &'p With, operation: usize, env: &Env) -> Known {
        match &with.operations[operation] {
            Operation::Genarray { shape, default, elem } => {
                let Known::Value(shape) = self.expr(shape, env) else { return Known::Nothing };
                let Ok(frame) = self.machine.shape_of(&shape, frit_support::Span::NONE) else { return Known::Nothing };
                let default = default.as_ref().map(|default| self.expr(default, env));
                let cell = match default {
                    Some(default) if default.shape().is_some() => default,
                    _ => self.cell(with, operation, env),
                };
                match cell.shape() {
                    Some((_, cell)) => Known::Shape(*elem, frame.followed_by(cell)),
                    None => Known::Nothing,
                }
            }
            Operation::Modarray { source } => self.expr(source, env).unvalued(),
            Operation::Fold { neutral, .. } => self.expr(neutral, env).unvalued(),
            Operation::Propagate { state, .. } => env[state.at()].unvalued(),
        }
    }

    fn composed(&mut self, expr: &'p Expr, env: &Env) -> Option<Known> {
        match &expr.kind {
            ExprKind::Const(_)
            | ExprKind::Text(_)
            | ExprKind::Call { .. }
            | ExprKind::Foreign(_)
            | ExprKind::With(_) => None,
            ExprKind::Local(local) => Some(env[local.at()].clone()),
            ExprKind::Object(object) => {
                self.machine.objects[*object].as_ref().map(|value| Known::Shape(value.elem, value.shape.clone()))
            }
            ExprKind::Array { elem, cells } => {
                let first = cells.first()?;
                let cell = self.expr(first, env);
                let (_, cell) = cell.shape()?;
                Some(Known::Shape(*elem, Shape::from(vec![cells.len()]).followed_by(cell)))
            }
            ExprKind::Select { array, index } => {
                let (array, index) = (self.expr(array, env), self.expr(index, env));
                let (elem, shape) = array.shape()?;
                let count = match index.shape()?.1[..] {
                    [] => 1,
                    [count] => count,
                    _ => return None,
                };
                Some(Known::Shape(elem, shape.get(count..)?.into()))
            }
            ExprKind::Modarray { array, .. } => Some(self.expr(array, env).unvalued()),
            ExprKind::WithField { value, .. } => Some(self.expr(value, env).unvalued()),
            ExprKind::Prim { prim, args } => {
                let args = args.iter().map(|arg| self.expr(arg, env)).collect::<Vec<_>>();
                self.primitive(*prim, &args)
            }
            ExprKind::Cond { cond, then, otherwise } => match self.truth(cond, env) {
                Some(truth) => Some(self.expr(if truth { then } else { otherwise }, env)),
                None => Some(self.expr(then, env).or(&self.expr(otherwise, env))),
            },
            ExprKind::Recast { to, from, array } => {
                let array = self.expr(array, env);
                let (_, shape) = array.shape()?;
                let full = shape.followed_by(&self.machine.layouts.of(*from).cell);
                let rank = full.len().checked_sub(self.machine.layouts.of(*to).cell.len())?;
                Some(Known::Shape(*to, full[..rank].into()))
            }
            ExprKind::Ascribe { pattern, value } => Some(match self.expr(value, env) {
                Known::Nothing => declared(pattern),
                known => known,
            }),
            ExprKind::Struct { of, .. } => Some(Known::Shape(Elem::Struct(*of), Shape::default())),
            ExprKind::Field { value, field } => {
                let value = self.expr(value, env);
                let (elem, shape) = value.shape()?;
                let place = FieldPlace::new(self.machine.program, &self.machine.layouts, elem, *field);
                Some(Known::Shape(place.elem, shape.followed_by(&place.shape)))
            }
        }
    }

    fn primitive(&mut self, prim: Prim, args: &[Known]) -> Option<Known> {
        if let Prim::Exit = prim {
            return None;
        }
        if let Prim::Ask(_) = prim {
            return Some(Known::Shape(Elem::Basic(Basic::Long), Shape::default()));
        }
        let values: Option<Vec<Value>> = args
            .iter()
            .map(|arg| match arg {
                Known::Value(value) => Some(value.clone()),
                Known::Shape(..) | Known::Nothing => None,
            })
            .collect();
        if let Some(values) = values {
            let value = self.machine.apply_primitive(prim, &values, frit_support::Span::NONE).ok()?;
            return Some(Known::Value(value));
        }
        let shape = |at: usize| args.get(at).and_then(Known::shape);
        let vector = |elem, length: usize| Known::Shape(elem, vec![length].into());
        Some(match prim {
            Prim::Unary(_) => args.first()?.unvalued(),
            Prim::Binary(_) | Prim::AplMod => match (shape(0), shape(1)) {
                (Some((elem, x)), Some((_, y))) => Known::Shape(elem, if x.is_empty() { y.clone() } else { x.clone() }),
                (Some((elem, shape)), None) | (None, Some((elem, shape))) if !shape.is_empty() => {
                    Known::Shape(elem, shape.clone())
                }
                _ => return None,
            },
            Prim::Dim => Known::Value(Value::int(shape(0)?.1.len() as i32)),
            Prim::Shape => Known::Value(Value::extents(shape(0)?.1)),
            Prim::Reshape | Prim::ZerosLike => {
                let Known::Value(extents) = args.first()? else { return None };
                let elem = shape(1).map_or(INT, |(elem, _)| elem);
                Known::Shape(elem, self.machine.shape_of(extents, frit_support::Span::NONE).ok()?)
            }
            Prim::Take => {
                let Known::Value(amount) = args.first()? else { return None };
                vector(shape(1)?.0, usize::try_from(amount.as_integer()?.unsigned_abs()).ok()?)
            }
            Prim::Drop => {
                let Known::Value(amount) = args.first()? else { return None };
                let (elem, shape) = shape(1)?;
                let dropped = usize::try_from(amount.as_integer()?.unsigned_abs()).ok()?;
                vector(elem, shape.first()?.checked_sub(dropped)?)
            }
            Prim::Cat => {
                let ((elem, x), (_, y)) = (shape(0)?, shape(1)?);
                vector(elem, x.first()? + y.first()?)
            }
            Prim::Hide => args.get(1)?.unvalued(),
            Prim::Argc => Known::Shape(INT, Shape::default()),
            Prim::Size => Known::Value(Value::int(shape(0)?.1.iter().product::<usize>() as i32)),
            Prim::All => Known::Shape(Elem::Basic(Basic::Bool), Shape::default()),
            Prim::Mask => {
                let (elem, _) = shape(1)?;
                let longest = (0..3).filter_map(shape).map(|(_, shape)| shape).max_by_key(|shape| shape.len())?;
                Known::Shape(elem, longest.clone())
            }
            Prim::Argv | Prim::Exit | Prim::Ask(_) => return None,
        })
    }

    /// The results of a call.
    fn call(&mut self, overload: OverloadId, args: Vec<Known>) -> Vec<Known> {
        let classes: Option<Vec<Class>> = args
            .iter()
            .map(|arg| Some(Class::Extents(arg.shape()?.1.iter().map(|&extent| Some(extent as i64)).collect())))
            .collect();
        let candidates = &self.machine.program.overloads[overload].candidates;
        let function = match classes.map(|classes| choose(self.machine.program, candidates, &classes)) {
            Some(Choice::One(function)) => function,
            _ => match candidates[..] {
                [only] => return self.declared_results(only),
                _ => return Vec::new(),
            },
        };
        if self.calls >= CALLS {
            return self.declared_results(function);
        }
        self.calls += 1;
        let results = self.followed(function, args);
        self.calls -= 1;
        results.unwrap_or_else(|| self.declared_results(function))
    }

    /// The results of a function for arguments of known shape.
    fn followed(&mut self, id: FunctionId, args: Vec<Known>) -> Option<Vec<Known>> {
        let function = &self.machine.program.functions[id];
        let frame = std::mem::replace(&mut self.machine.frame, vec![None; function.locals.len()]);
        let mut fits = true;
        for (param, arg) in function.params.iter().zip(&args) {
            let shape = arg.shape().map(|(_, shape)| shape.clone()).unwrap_or_default();
            fits &= self.machine.match_shape(&param.pattern, &shape, true, param.pattern.span).is_ok();
            if let Known::Value(value) = arg {
                self.machine.frame[param.local.at()] = Some(value.clone());
            }
        }
        let bound = std::mem::replace(&mut self.machine.frame, frame);
        if !fits {
            return None;
        }
        let mut env: Env = bound.into_iter().map(|value| value.map_or(Known::Nothing, Known::Value)).collect();
        for (param, arg) in function.params.iter().zip(args) {
            env[param.local.at()] = arg;
        }
        self.statements(&function.body, &mut env);
        let mut results = Vec::new();
        for (value, pattern) in function.returns.iter().zip(&function.results) {
            let result = self.expr(value, &env);
            results.push(if result.shape().is_some() { result } else { declared(pattern) });
        }
        Some(results)
    }

    /// What the types of a function's results say.
    fn declared_results(&self, function: FunctionId) -> Vec<Known> {
        self.machine.program.functions[function].results.iter().map(declared).collect()
    }
}

/// What a type says of a shape.
fn declared(pattern: &Pattern) -> Known {
    let extent = |axis: &Axis| match axis {
        Axis::Extent(extent) => Some(*extent),
        Axis::Any | Axis::Bind(_) | Axis::Rest { .. } | Axis::Axes { .. } => None,
    };
    match pattern.axes.iter().map(extent).collect::<Option<Vec<i64>>>() {
        Some(shape) => Known::Shape(pattern.elem, extents(&shape).into()),
        None => Known::Nothing,
    }
}
