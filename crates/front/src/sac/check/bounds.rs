//! How far a tensor comprehension reaches that has no bound written: as far as the arrays that its body selects from with
//! an index alone. Extents of arrays that do not depend on the index are asked for when the program runs. Of others, such as
//! rows and inner comprehensions, the extent is found where it comes from.

use super::Checker;
use super::expression::{Value, int};
use super::prims::prim;
use super::tensor::{binder, is_name, names, placed};
use super::types::{INT, Ty, vector};
use super::walk::{Inner, Scope, bind, each_expr, free_names};
use crate::sac::ast::{Expr, ExprKind as Ast, Name, OperationKind, SelectArg, TensorPart};
use crate::sac::check::helper::Picked;
use crate::sac::check::scopes::{Binding, State};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{ExprKind, Prim};
use frit_ir::BinOp;
use frit_support::Span;

/// An index that nothing bounds, and the selections with it that do not count.
#[derive(Debug)]
pub(super) struct Boundless<'a> {
    pub name: &'a Name,
    pub refused: Vec<Refused>,
}

/// Why a selection says nothing of an index in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub span: Span,
    pub why: Why,
}

/// The reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The index is part of an expression.
    NotAlone,
    /// The extent depends on this name, which is bound inside.
    Depends(String),
    /// The number of axes before that of the index, or of the array, is not known.
    UnknownAxis,
}

/// One argument of a selection.
enum Arg<'a> {
    Index(&'a Expr),
    Axis,
    Axes,
}

/// A selection with the names that are bound around it.
struct Selection<'a> {
    array: &'a Expr,
    args: Vec<Arg<'a>>,
    scope: Scope<'a>,
    span: Span,
}

/// An axis, counted from the front or, beginning with 1, from behind.
#[derive(Clone, Copy)]
enum Axis {
    Front(usize),
    Behind(usize),
}

/// What is found of an extent or a shape.
type Found = Result<Value, Refused>;

impl<'a> Checker<'a> {
    /// The shape of the frame of a comprehension without written bound.
    pub(super) fn inferred(&mut self, part: &'a TensorPart) -> Result<Value, Boundless<'a>> {
        self.inferred_in(part, &Vec::new())
    }

    /// As [`inferred`](Self::inferred), for a comprehension in others: the names in `hidden` mean nothing to the bound.
    fn inferred_in(&mut self, part: &'a TensorPart, hidden: &Scope<'a>) -> Result<Value, Boundless<'a>> {
        let span = part.span;
        let binder = binder(part);
        let selections = self.selections(part, hidden);
        let Some(names) = &binder.scalars else {
            let Some(name) = binder.vector else { return Ok(Value::error(span)) };
            let visible = selections.iter().filter(|selection| is_visible(name, &selection.scope, hidden.len()));
            let found = visible.filter_map(|selection| match selection.args.as_slice() {
                [Arg::Index(index)] if is_name(index, name) => Some(self.shape_of(selection.array, &selection.scope)),
                args => not_alone(args, name).map(Err),
            });
            let found = found.collect();
            return self.least(found, span).map_err(|refused| Boundless { name, refused });
        };
        let mut cells = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let mut found = Vec::new();
            for selection in selections.iter().filter(|selection| is_visible(name, &selection.scope, hidden.len())) {
                let args = &selection.args;
                let is_alone = |arg: &Arg| matches!(arg, Arg::Index(index) if is_name(index, name));
                for (before, arg) in args.iter().enumerate() {
                    if is_alone(arg) {
                        // Behind `...` only the distance from the end is known.
                        let axis = match args[..before].iter().any(|arg| matches!(arg, Arg::Axes)) {
                            true => Axis::Behind(args.len() - before),
                            false => Axis::Front(before),
                        };
                        found.push(self.extent_along(selection.array, axis, &selection.scope, selection.span));
                    }
                }
                match (args.as_slice(), binder.vector) {
                    ([Arg::Index(index)], Some(vector)) if is_name(index, vector) => {
                        let axis = Axis::Front(at);
                        found.push(self.extent_along(selection.array, axis, &selection.scope, selection.span));
                    }
                    (args, _) if !args.iter().any(is_alone) => found.extend(not_alone(args, name).map(Err)),
                    _ => {}
                }
            }
            cells.push(self.least(found, span).map_err(|refused| Boundless { name, refused })?);
        }
        Ok(self.array(cells, span))
    }

    /// The selections in the cell of a comprehension.
    fn selections(&self, part: &'a TensorPart, hidden: &Scope<'a>) -> Vec<Selection<'a>> {
        let mut scope = hidden.clone();
        bind(&part.index, &mut scope);
        let mut selections = Vec::new();
        each_expr(&part.cell, &mut scope, &mut |expr, scope| {
            if let Some((array, args)) = self.as_selection(expr) {
                selections.push(Selection { array, args, scope: scope.clone(), span: expr.span });
            }
        });
        selections
    }

    /// The array and the arguments of a selection, in whichever way it is written.
    fn as_selection(&self, expr: &'a Expr) -> Option<(&'a Expr, Vec<Arg<'a>>)> {
        let indices = |index: &'a Expr| match &index.kind {
            Ast::Array(cells) => cells.iter().map(Arg::Index).collect(),
            _ => vec![Arg::Index(index)],
        };
        match &expr.kind {
            Ast::Select(array, args) => Some(match args.as_slice() {
                [SelectArg::Expr(index)] => (array, indices(index)),
                args => {
                    let args = args.iter().map(|arg| match arg {
                        SelectArg::Expr(index) => Arg::Index(index),
                        SelectArg::Dot(_) => Arg::Axis,
                        SelectArg::Dots(_) => Arg::Axes,
                    });
                    (array, args.collect())
                }
            }),
            Ast::Call { function, args, .. } => {
                let [index, array] = args.as_slice() else { return None };
                let module = function.module.as_ref().map(|module| module.text.as_str());
                let is_selection = match function.name.text.as_str() {
                    "_sel_VxA_" => true,
                    "sel" => {
                        let is_own = self.modules[self.body.unit].functions.contains_key("sel");
                        module == Some("Array") || (module.is_none() && !is_own)
                    }
                    _ => false,
                };
                is_selection.then(|| (array, indices(index)))
            }
            _ => None,
        }
    }

    /// The least of the extents or shapes that were found; what was found instead if there is none.
    fn least(&mut self, found: Vec<Found>, span: Span) -> Result<Value, Vec<Refused>> {
        let mut refused = Vec::new();
        let mut least: Option<Value> = None;
        for found in found {
            match (found, least.take()) {
                (Err(why), before) => {
                    refused.push(why);
                    least = before;
                }
                (Ok(value), None) => least = Some(value),
                (Ok(x), Some(y)) if x.ty.is_error() || y.ty.is_error() => least = Some(Value::error(span)),
                (Ok(x), Some(y)) => {
                    let ty = Ty::new(INT, super::convert::meet(&y.ty.class, &x.ty.class));
                    least = Some(prim(Prim::Binary(BinOp::MIN), vec![y.expr, x.expr], ty, span));
                }
            }
        }
        least.ok_or(refused)
    }

    /// The extent of an array along an axis.
    fn extent_along(&mut self, array: &'a Expr, axis: Axis, scope: &Scope<'a>, span: Span) -> Found {
        let Some(hidden) = hidden_in(array, scope) else {
            let value = self.quietly(array, &Vec::new());
            return Ok(extent_of(value, axis, span));
        };
        let depends = || Refused { span: array.span, why: Why::Depends(hidden.to_string()) };
        let unknown = || Refused { span: array.span, why: Why::UnknownAxis };
        if let Some((source, args)) = self.as_selection(array) {
            let axis = self.source_axis(source, &args, axis, scope).ok_or_else(unknown)?;
            return self.extent_along(source, axis, scope, span);
        }
        match &array.kind {
            Ast::Cond(_, then, otherwise) => {
                let found =
                    vec![self.extent_along(then, axis, scope, span), self.extent_along(otherwise, axis, scope, span)];
                self.least(found, span).map_err(|_| depends())
            }
            Ast::Tensor(parts) => {
                let part = parts.last().ok_or_else(depends)?;
                let axis = self.bound_from_front(array, axis, scope).ok_or_else(unknown)?;
                let (frame, order) = match names(&part.index) {
                    Some(names) => (names.len(), placed(&part.index)),
                    // Of an index vector without written components only the bound tells the length.
                    None => {
                        let length = self.bound_of(part, scope)?.ty.length().ok_or_else(unknown)?;
                        (length, vec![Picked::Index; length])
                    }
                };
                let rank = match order.contains(&Picked::Axes) {
                    true => Some(self.rank_of(array, scope).ok_or_else(unknown)?),
                    false => None,
                };
                let axis = arranged(&order, frame, rank, axis);
                if axis < frame {
                    let bound = self.bound_of(part, scope)?;
                    return Ok(component(bound, axis, span));
                }
                let mut scope = scope.clone();
                bind(&part.index, &mut scope);
                self.extent_along(&part.cell, Axis::Front(axis - frame), &scope, span)
            }
            Ast::With(with) => {
                let axis = self.bound_from_front(array, axis, scope).ok_or_else(unknown)?;
                match with.operations.as_slice() {
                    [operation] => match &operation.kind {
                        OperationKind::Modarray(source) => self.extent_along(source, Axis::Front(axis), scope, span),
                        OperationKind::Genarray(shape, default) => {
                            let length = match &shape.kind {
                                Ast::Array(cells) => Some(cells.len()),
                                _ => self.quietly(shape, scope).ty.length(),
                            };
                            let length = length.ok_or_else(unknown)?;
                            if axis < length {
                                return self.component_of(shape, axis, scope, span);
                            }
                            let inner = Axis::Front(axis - length);
                            if let Some(default) = default {
                                return self.extent_along(default, inner, scope, span);
                            }
                            let part = with.parts.first().ok_or_else(depends)?;
                            let mut scope = scope.clone();
                            bind(&part.generator.index, &mut scope);
                            self.extent_along(part.cells.first().ok_or_else(depends)?, inner, &scope, span)
                        }
                        OperationKind::Fold(..) | OperationKind::FoldFix(..) | OperationKind::Propagate(_) => {
                            self.written_in_type(array, axis, scope).ok_or_else(depends)
                        }
                    },
                    _ => Err(depends()),
                }
            }
            _ => {
                let axis = self.bound_from_front(array, axis, scope).ok_or_else(depends)?;
                self.written_in_type(array, axis, scope).ok_or_else(depends)
            }
        }
    }

    /// The extent along an axis of an array that depends on indices, if its type says it.
    fn written_in_type(&mut self, array: &'a Expr, axis: usize, scope: &Scope<'a>) -> Option<Value> {
        match self.quietly(array, scope).ty.class {
            Class::Extents(extents) => {
                let extent = extents.get(axis).copied().flatten()?;
                Some(Value::new(int(extent, array.span).kind, Ty::scalar(INT), array.span))
            }
            Class::AtLeast(_) => None,
        }
    }

    /// The upper bound of a comprehension in others, written or not.
    fn bound_of(&mut self, part: &'a TensorPart, scope: &Scope<'a>) -> Found {
        let written = part.generator.as_ref().and_then(|generator| generator.upper.as_ref());
        let Some((bound, value)) = written.and_then(|bound| bound.value.as_ref().map(|value| (bound, value))) else {
            let why = |boundless: Boundless<'a>| {
                let nothing = Refused { span: boundless.name.span, why: Why::Depends(boundless.name.text.clone()) };
                boundless.refused.into_iter().next().unwrap_or(nothing)
            };
            return self.inferred_in(part, scope).map_err(why);
        };
        if let Some(hidden) = hidden_in(value, scope) {
            return Err(Refused { span: value.span, why: Why::Depends(hidden.to_string()) });
        }
        let shape = self.quietly(value, &Vec::new());
        if !bound.is_inclusive || shape.ty.is_error() {
            return Ok(shape);
        }
        let ty = Ty { value: None, ..shape.ty };
        Ok(prim(Prim::Binary(BinOp::ADD), vec![shape.expr, int(1, value.span)], ty, value.span))
    }

    /// A component of a shape, of which only that must not depend on the names.
    fn component_of(&mut self, shape: &'a Expr, at: usize, scope: &Scope<'a>, span: Span) -> Found {
        let (part, is_cell) = match &shape.kind {
            Ast::Array(cells) if at < cells.len() => (&cells[at], true),
            _ => (shape, false),
        };
        if let Some(hidden) = hidden_in(part, scope) {
            return Err(Refused { span: part.span, why: Why::Depends(hidden.to_string()) });
        }
        let value = self.quietly(part, &Vec::new());
        Ok(if is_cell { value } else { component(value, at, span) })
    }

    /// The shape of an array that an index vector selects from.
    fn shape_of(&mut self, array: &'a Expr, scope: &Scope<'a>) -> Found {
        let Some(hidden) = hidden_in(array, scope) else {
            let array = self.quietly(array, &Vec::new());
            let span = array.expr.span;
            if array.ty.is_error() {
                return Ok(Value::error(span));
            }
            let ty = match &array.ty.class {
                Class::Extents(extents) => Ty::known(extents.clone()),
                Class::AtLeast(_) => Ty::new(INT, vector(None)),
            };
            return Ok(prim(Prim::Shape, vec![array.expr], ty, span));
        };
        let depends = || Refused { span: array.span, why: Why::Depends(hidden.to_string()) };
        if let Ast::Tensor(parts) = &array.kind
            && let Some(part) = parts.last()
            && part.index.components.is_none()
        {
            let mut inside = scope.clone();
            bind(&part.index, &mut inside);
            if self.quietly(&part.cell, &inside).ty.is_scalar() {
                return self.bound_of(part, scope);
            }
        }
        let rank = self.rank_of(array, scope).ok_or_else(depends)?;
        let mut cells = Vec::new();
        for axis in 0..rank {
            cells.push(self.extent_along(array, Axis::Front(axis), scope, array.span)?);
        }
        Ok(self.array(cells, array.span))
    }

    /// The axis of an array that an axis of a selection from it is.
    fn source_axis(&mut self, array: &'a Expr, args: &[Arg<'a>], axis: Axis, scope: &Scope<'a>) -> Option<Axis> {
        let indices = args.iter().filter(|arg| matches!(arg, Arg::Index(_))).count();
        let has_rest = args.iter().any(|arg| matches!(arg, Arg::Axes));
        match axis {
            Axis::Front(axis) => {
                let picked = match args {
                    [Arg::Index(index)] => return Some(Axis::Front(axis + self.axes_picked(index, scope)?)),
                    args => args,
                };
                let (mut at, mut kept) = (0, 0);
                for arg in picked {
                    let axes = match arg {
                        Arg::Index(_) => 0,
                        Arg::Axis => 1,
                        Arg::Axes => (self.rank_of(array, scope)? + 1).checked_sub(args.len())?,
                    };
                    if axis < kept + axes {
                        return Some(Axis::Front(at + axis - kept));
                    }
                    kept += axes;
                    at += if matches!(arg, Arg::Index(_)) { 1 } else { axes };
                }
                // Axes behind those that the selection speaks of are kept.
                Some(Axis::Front(at + axis - kept))
            }
            Axis::Behind(axis) if has_rest => {
                let (mut at, mut kept) = (0, 0);
                for arg in args.iter().rev().take_while(|arg| !matches!(arg, Arg::Axes)) {
                    at += 1;
                    kept += usize::from(matches!(arg, Arg::Axis));
                    if kept == axis {
                        return Some(Axis::Behind(at));
                    }
                }
                Some(Axis::Behind(at + axis - kept))
            }
            Axis::Behind(axis) if indices == args.len() => Some(Axis::Behind(axis)),
            Axis::Behind(axis) => {
                let rank = self.rank_of(array, scope)?.checked_sub(indices + axis)?;
                self.source_axis(array, args, Axis::Front(rank), scope)
            }
        }
    }

    /// How many axes an index picks.
    fn axes_picked(&mut self, index: &'a Expr, scope: &Scope<'a>) -> Option<usize> {
        let ty = self.quietly(index, scope).ty;
        if ty.is_scalar() { Some(1) } else { ty.length() }
    }

    fn rank_of(&mut self, array: &'a Expr, scope: &Scope<'a>) -> Option<usize> {
        let ty = self.quietly(array, scope).ty;
        if ty.is_error() { None } else { ty.class.rank() }
    }

    fn bound_from_front(&mut self, array: &'a Expr, axis: Axis, scope: &Scope<'a>) -> Option<usize> {
        match axis {
            Axis::Front(axis) => Some(axis),
            Axis::Behind(axis) => self.rank_of(array, scope)?.checked_sub(axis),
        }
    }

    /// The value of an expression in which the names of a scope may occur, for what its type tells. Mistakes in it are reported
    /// where it stands.
    fn quietly(&mut self, expr: &'a Expr, scope: &Scope<'a>) -> Value {
        let errors = self.errors.len();
        let outer = std::mem::take(&mut self.body.out);
        let undefined = self.body.undefined.clone();
        let mark = self.body.enter();
        for (name, inner) in scope {
            let ty = match inner {
                Inner::Component => Ty::scalar(INT),
                Inner::Vector(length) => Ty::index(*length),
                Inner::Variable => Ty::error(),
            };
            let local = self.body.fresh(name, INT, expr.span);
            let binding = Binding { local, scope: self.body.scope(), ty, state: State::Defined };
            self.body.set(name, binding);
        }
        let value = self.value(expr);
        self.body.leave(mark);
        self.body.undefined = undefined;
        self.body.out = outer;
        self.errors.truncate(errors);
        value
    }
}

/// Where each axis of a comprehension comes from, one of the frame or one of the cells behind it.
fn arranged(order: &[Picked], frame: usize, rank: Option<usize>, axis: usize) -> usize {
    let single = order.iter().filter(|placed| **placed != Picked::Axes).count();
    let (mut frames, mut cells) = (0..frame, frame..);
    let mut sources = Vec::new();
    for placed in order {
        match placed {
            Picked::Index => sources.extend(frames.next()),
            Picked::Axis => sources.extend(cells.next()),
            Picked::Axes => sources.extend(cells.by_ref().take(rank.unwrap_or(0).saturating_sub(single))),
        }
    }
    sources.extend(cells.take((axis + 1).saturating_sub(sources.len())));
    sources[axis]
}

/// A name of a scope that an expression mentions.
fn hidden_in<'a>(expr: &'a Expr, scope: &Scope<'a>) -> Option<&'a str> {
    let mut hidden = None;
    free_names(expr, &mut |name| {
        if hidden.is_none() && scope.iter().any(|(bound, _)| *bound == name) {
            hidden = Some(name);
        }
    });
    hidden
}

/// True unless something inside binds the name of an index again. The first names of the scope are those around the comprehension.
fn is_visible(name: &Name, scope: &Scope<'_>, outside: usize) -> bool {
    scope[outside..].iter().filter(|(bound, _)| *bound == name.text).count() == 1
}

/// An index of a selection that mentions the name besides other things.
fn not_alone(args: &[Arg<'_>], name: &Name) -> Option<Refused> {
    args.iter().find_map(|arg| {
        let Arg::Index(index) = arg else { return None };
        let mut mentions = false;
        free_names(index, &mut |found| mentions |= found == name.text);
        mentions.then_some(Refused { span: index.span, why: Why::NotAlone })
    })
}

/// A component of a vector, or the scalar that stands for all.
fn component(vector: Value, at: usize, span: Span) -> Value {
    if vector.ty.is_error() {
        return Value::error(span);
    }
    if vector.ty.is_scalar() {
        return vector;
    }
    if let Some(known) = vector.ty.value.as_ref().and_then(|value| value.get(at).copied().flatten()) {
        return Value::new(int(known, span).kind, Ty::scalar(INT), span);
    }
    let at = Box::new(int(i64::try_from(at).unwrap_or(i64::MAX), span));
    Value::new(ExprKind::Select { array: Box::new(vector.expr), index: at }, Ty::scalar(INT), span)
}

fn extent_of(array: Value, axis: Axis, span: Span) -> Value {
    if array.ty.is_error() {
        return Value::error(span);
    }
    let ty = Ty::scalar(INT);
    let known = match &array.ty.class {
        Class::Extents(extents) => {
            let at = match axis {
                Axis::Front(axis) => Some(axis),
                Axis::Behind(axis) => extents.len().checked_sub(axis),
            };
            at.and_then(|at| extents.get(at).copied().flatten())
        }
        Class::AtLeast(_) => None,
    };
    if let Some(known) = known {
        return Value::new(int(known, span).kind, ty, span);
    }
    let number = |n: usize| int(i64::try_from(n).unwrap_or(i64::MAX), span);
    let at = match axis {
        Axis::Front(axis) => number(axis),
        Axis::Behind(axis) => {
            let rank = prim(Prim::Dim, vec![array.expr.clone()], ty.clone(), span);
            prim(Prim::Binary(BinOp::SUB), vec![rank.expr, number(axis)], ty.clone(), span).expr
        }
    };
    let shape = prim(Prim::Shape, vec![array.expr], Ty::new(INT, vector(None)), span);
    Value::new(ExprKind::Select { array: Box::new(shape.expr), index: Box::new(at) }, ty, span)
}
