//! Tensor comprehensions: with-loops whose shape follows from bounds, or from what their bodies select.

use super::Checker;
use super::error::SacError;
use super::expression::{Value, int};
use super::helper::{Helper, Picked};
use super::prims::prim;
use super::types::{INT, Ty, any, vector};
use super::with_loop::{Binder, Checked, Range};
use crate::sac::ast::{self, ExprKind as Ast, IndexComponent, Name, OperationKind, SelectArg, StmtKind, TensorPart};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Expr, ExprKind, Generator, Prim, With};
use frit_ir::BinOp;
use frit_support::Span;
use std::collections::HashSet;

/// What bounds an index: the extent of this array along this axis, counted from the front, or from behind if negative.
struct Extent<'a> {
    array: &'a ast::Expr,
    axis: isize,
}

impl<'a> Checker<'a> {
    pub(super) fn tensor(&mut self, parts: &'a [TensorPart], span: Span) -> Option<(Expr, Vec<Ty>)> {
        let (last, first) = (parts.last()?, &parts[0]);
        let placed = placed(&first.index);
        for part in parts {
            let other = self::placed(&part.index);
            let is_alike = other == placed || (is_plain(&other) && is_plain(&placed));
            if !is_alike || has_other_names(part) {
                let span =
                    part.generator.as_ref().filter(|_| has_other_names(part)).map_or(part.index.span, |g| g.span);
                self.error(SacError::PatternsDiffer { span, first: first.index.span });
                return None;
            }
        }
        // The parser has reported it.
        if placed.iter().filter(|placed| **placed == Picked::Axes).count() > 1 {
            return None;
        }
        let shape = self.tensor_shape(last);
        let length = match &last.index.components {
            Some(_) => Some(binder(last).scalars.map_or(0, |names| names.len())),
            None => {
                if shape.ty.is_scalar() {
                    Some(1)
                } else {
                    shape.ty.length()
                }
            }
        };
        let mut checked = Vec::new();
        let mut wanted = None;
        for (at, part) in parts.iter().enumerate() {
            let range = self.tensor_range(part, at + 1 == parts.len());
            let checked_part = self.generator(range, &binder(part), length, part.span, |checker| {
                let (value, tys) = checker.values(&part.cell)?;
                if let [ty] = tys.as_slice() {
                    let is_literal = false;
                    return Some(vec![Value { expr: value, ty: ty.clone(), is_literal }]);
                }
                let locals = checker.bind_all(value, &tys, part.cell.span);
                let read = |(local, ty): (&crate::sac::core::Local, Ty)| {
                    Value::new(ExprKind::Local(*local), ty, part.cell.span)
                };
                Some(locals.iter().zip(tys).map(read).collect())
            });
            let count = checked_part.cells.as_ref().map(Vec::len)?;
            match wanted {
                None => wanted = Some(count),
                Some(wanted) if wanted != count => {
                    self.error(SacError::CellCount { span: part.cell.span, wanted, given: count });
                    return None;
                }
                Some(_) => {}
            }
            checked.push(checked_part);
        }
        if shape.ty.is_error() {
            return None;
        }
        let count = wanted.unwrap_or(0);
        if count == 0 {
            self.wrong_count(&last.cell, 0, 1);
            return None;
        }
        let (with, tys) = self.tensor_with(shape, checked, count)?;
        let with = Expr { kind: ExprKind::With(Box::new(with)), span };
        self.arranged(with, tys, placed, first.index.span, span)
    }

    fn tensor_with(&mut self, shape: Value, checked: Vec<Checked>, count: usize) -> Option<(With, Vec<Ty>)> {
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); count];
        let mut generators: Vec<Generator> = Vec::new();
        for part in checked {
            for (column, cell) in columns.iter_mut().zip(part.cells?) {
                column.push(cell);
            }
            generators.push(part.generator);
        }
        let (mut operations, mut tys) = (Vec::new(), Vec::new());
        for mut column in columns {
            let (operation, ty) = self.genarray(shape.clone(), None, &mut column)?;
            for (generator, cell) in generators.iter_mut().zip(column) {
                generator.cells.push(cell.expr);
            }
            operations.push(operation);
            tys.push(ty);
        }
        Some((With { generators, operations }, tys))
    }

    /// Puts the axes where the pattern wants them.
    fn arranged(
        &mut self,
        with: Expr,
        tys: Vec<Ty>,
        placed: Vec<Picked>,
        pattern: Span,
        span: Span,
    ) -> Option<(Expr, Vec<Ty>)> {
        let is_plain =
            placed.iter().skip_while(|placed| **placed == Picked::Index).all(|placed| *placed != Picked::Index);
        if is_plain {
            return Some((with, tys));
        }
        let [ty] = tys.as_slice() else {
            self.error(SacError::Unsupported {
                span: pattern,
                what: "a pattern with dots before indices in a comprehension with several values",
                instead: "write a comprehension for each value, or leave the dots out and transpose the results",
            });
            return None;
        };
        let class = arranged_class(&ty.class, &placed);
        let elem = ty.elem?;
        let overload = self.helper(Helper::Arrangement(elem, placed));
        let kind = ExprKind::Call { overload, args: vec![with] };
        Some((Expr { kind, span }, vec![Ty::new(elem, class)]))
    }

    /// The shape of the frame: the upper bound of the last partition.
    fn tensor_shape(&mut self, part: &'a TensorPart) -> Value {
        let span = part.span;
        let written = part.generator.as_ref().and_then(|generator| generator.upper.as_ref());
        let names = binder(part).scalars;
        if let Some((bound, value)) = written.and_then(|bound| bound.value.as_ref().map(|value| (bound, value))) {
            let value = self.value(value);
            let value = self.index_like(value, "the upper bound");
            if value.ty.is_error() {
                return value;
            }
            let is_vector = value.ty.class.rank() == Some(1);
            let mut shape = match &names {
                Some(names) if !is_vector => {
                    let cells = vec![int(0, span); names.len()];
                    let zeros = Expr { kind: ExprKind::Array { elem: INT, cells }, span };
                    let ty = Ty::index(Some(names.len()));
                    prim(Prim::Binary(BinOp::ADD), vec![zeros, value.expr], ty, span)
                }
                _ => value,
            };
            if let (Some(names), Some(found)) = (&names, shape.ty.length())
                && names.len() != found
            {
                let (wanted, because) = (names.len(), part.index.span);
                let what = "the upper bound";
                self.error(SacError::BoundLength { span: shape.expr.span, what, found, wanted, because });
                return Value::error(span);
            }
            if bound.is_inclusive {
                let ty = Ty { value: None, ..shape.ty };
                shape = prim(Prim::Binary(BinOp::ADD), vec![shape.expr, int(1, span)], ty, span);
            }
            return shape;
        }
        match self.inferred(part) {
            Ok(shape) => shape,
            Err(name) => {
                self.error(SacError::NoBound { span: name.span, name: name.text.clone() });
                Value::error(span)
            }
        }
    }

    fn tensor_range(&mut self, part: &'a TensorPart, is_last: bool) -> Range {
        let written = part.generator.as_ref();
        let mut range = Range {
            lower: None,
            lower_is_exclusive: false,
            upper: None,
            upper_is_inclusive: true,
            step: None,
            width: None,
        };
        if let Some(lower) = written.and_then(|generator| generator.lower.as_ref()) {
            range.lower_is_exclusive = !lower.is_inclusive;
            if let Some(value) = &lower.value {
                let value = self.value(value);
                range.lower = Some(self.index_like(value, "the lower bound"));
            }
        }
        if !is_last {
            let upper = written.and_then(|generator| generator.upper.as_ref());
            match upper.and_then(|bound| bound.value.as_ref().map(|value| (bound, value))) {
                Some((bound, value)) => {
                    let value = self.value(value);
                    range.upper = Some(self.index_like(value, "the upper bound"));
                    range.upper_is_inclusive = bound.is_inclusive;
                }
                // A partition that says nothing of its end reaches to the end of the result.
                None => {
                    if let Ok(upper) = self.inferred(part) {
                        range.upper = Some(upper);
                        range.upper_is_inclusive = false;
                    }
                }
            }
        }
        if let Some(step) = written.and_then(|generator| generator.step.as_ref()) {
            let step = self.value(step);
            range.step = Some(self.index_like(step, "the step"));
        }
        if let Some(width) = written.and_then(|generator| generator.width.as_ref()) {
            let width = self.value(width);
            range.width = Some(self.index_like(width, "the width"));
        }
        range
    }

    /// The bound that follows from selections in the body; the index that nothing is selected with, if there is one.
    fn inferred(&mut self, part: &'a TensorPart) -> Result<Value, &'a Name> {
        let span = part.span;
        let binder = binder(part);
        let mut inner: HashSet<&'a str> = binder.scalars.iter().flatten().map(|name| name.text.as_str()).collect();
        inner.extend(binder.vector.map(|name| name.text.as_str()));
        bound_in(&part.cell, &mut inner);
        let is_outer = |array: &'a ast::Expr| {
            let mut is_outer = true;
            names_in(array, &mut |name| is_outer &= !inner.contains(name));
            is_outer
        };
        let Some(names) = &binder.scalars else {
            let Some(name) = binder.vector else { return Ok(Value::error(span)) };
            let mut arrays = Vec::new();
            each_selection(&part.cell, &mut |array, args| {
                if matches!(args, [SelectArg::Expr(index)] if is_name(index, name)) && is_outer(array) {
                    arrays.push(array);
                }
            });
            return self.least_shape(&arrays, span).ok_or(name);
        };
        let mut bounds: Vec<Vec<Extent<'a>>> = names.iter().map(|_| Vec::new()).collect();
        each_selection(&part.cell, &mut |array, args| {
            let Some((array, args)) = flattened(array, args) else { return };
            if !is_outer(array) {
                return;
            }
            for (name, bounds) in names.iter().zip(&mut bounds) {
                if let Some(axis) = args.iter().position(|arg| matches!(arg, SelectArg::Expr(e) if is_name(e, name))) {
                    // Behind `...` only the distance from the end is known.
                    let is_behind = args[..axis].iter().any(|arg| matches!(arg, SelectArg::Dots(_)));
                    let axis = if is_behind { -(as_axis(args.len()) - as_axis(axis)) } else { as_axis(axis) };
                    bounds.push(Extent { array, axis });
                }
            }
            if let ([SelectArg::Expr(index)], Some(vector)) = (args.as_slice(), binder.vector)
                && is_name(index, vector)
            {
                for (axis, bounds) in bounds.iter_mut().enumerate() {
                    bounds.push(Extent { array, axis: as_axis(axis) });
                }
            }
        });
        let mut cells = Vec::new();
        for (name, bounds) in names.iter().zip(bounds) {
            let mut least: Option<Value> = None;
            for bound in bounds {
                let extent = self.extent_of(bound, span);
                least = Some(match least {
                    None => extent,
                    Some(least) if least.ty.is_error() || extent.ty.is_error() => Value::error(span),
                    Some(least) => prim(Prim::Binary(BinOp::MIN), vec![least.expr, extent.expr], Ty::scalar(INT), span),
                });
            }
            cells.push(least.ok_or(*name)?);
        }
        Ok(self.array(cells, span))
    }

    fn least_shape(&mut self, arrays: &[&'a ast::Expr], span: Span) -> Option<Value> {
        let mut least: Option<Value> = None;
        for array in arrays {
            let array = self.value(array);
            if array.ty.is_error() {
                return Some(Value::error(span));
            }
            let ty = shape_type(&array.ty);
            let shape = prim(Prim::Shape, vec![array.expr], ty, span);
            least = Some(match least {
                None => shape,
                Some(least) => {
                    let class = super::convert::meet(&least.ty.class, &shape.ty.class);
                    let ty = Ty::new(INT, class);
                    prim(Prim::Binary(BinOp::MIN), vec![least.expr, shape.expr], ty, span)
                }
            });
        }
        least
    }

    fn extent_of(&mut self, extent: Extent<'a>, span: Span) -> Value {
        let array = self.value(extent.array);
        if array.ty.is_error() {
            return array;
        }
        let known = match &array.ty.class {
            Class::Extents(extents) => {
                let at = if extent.axis < 0 {
                    extents.len().checked_add_signed(extent.axis)
                } else {
                    usize::try_from(extent.axis).ok()
                };
                at.and_then(|at| extents.get(at).copied().flatten())
            }
            Class::AtLeast(_) => None,
        };
        if let Some(known) = known {
            return Value { expr: int(known, span), ty: Ty::scalar(INT), is_literal: false };
        }
        let axis = i64::try_from(extent.axis).unwrap_or(0);
        let at = if axis >= 0 {
            int(axis, span)
        } else {
            let rank = Expr { kind: ExprKind::Prim { prim: Prim::Dim, args: vec![array.expr.clone()] }, span };
            let args = vec![rank, int(-axis, span)];
            Expr { kind: ExprKind::Prim { prim: Prim::Binary(BinOp::SUB), args }, span }
        };
        let shape = Expr { kind: ExprKind::Prim { prim: Prim::Shape, args: vec![array.expr] }, span };
        let kind = ExprKind::Select { array: Box::new(shape), index: Box::new(at) };
        Value::new(kind, Ty::scalar(INT), span)
    }
}

fn as_axis(at: usize) -> isize {
    isize::try_from(at).unwrap_or(isize::MAX)
}

fn shape_type(array: &Ty) -> Ty {
    match &array.class {
        Class::Extents(extents) => Ty::known(extents.clone()),
        Class::AtLeast(_) => Ty::new(INT, vector(None)),
    }
}

fn arranged_class(class: &Class, placed: &[Picked]) -> Class {
    let Class::Extents(extents) = class else { return class.clone() };
    let frame = placed.iter().filter(|placed| **placed == Picked::Index).count();
    let single = placed.iter().filter(|placed| **placed != Picked::Axes).count();
    if extents.len() < single {
        return any();
    }
    let (frames, cells) = extents.split_at(frame);
    let (mut frames, mut cells) = (frames.iter(), cells.iter());
    let mut arranged = Vec::new();
    for placed in placed {
        match placed {
            Picked::Index => arranged.extend(frames.next()),
            Picked::Axis => arranged.extend(cells.next()),
            Picked::Axes => arranged.extend(cells.by_ref().take(extents.len() - single)),
        }
    }
    arranged.extend(cells);
    Class::Extents(arranged)
}

/// True if the frame comes first, so that no axis has to be moved.
fn is_plain(placed: &[Picked]) -> bool {
    placed.iter().skip_while(|placed| **placed == Picked::Index).all(|placed| *placed != Picked::Index)
}

fn placed(index: &ast::IndexPattern) -> Vec<Picked> {
    let components = index.components.as_deref().unwrap_or(&[]);
    let picked = components.iter().map(|component| match component {
        IndexComponent::Name(_) => Picked::Index,
        IndexComponent::Dot(_) => Picked::Axis,
        IndexComponent::Dots(_) => Picked::Axes,
    });
    picked.collect()
}

fn names(index: &ast::IndexPattern) -> Option<Vec<&Name>> {
    let components = index.components.as_deref()?;
    let names = components.iter().filter_map(|component| match component {
        IndexComponent::Name(name) => Some(name),
        IndexComponent::Dot(_) | IndexComponent::Dots(_) => None,
    });
    Some(names.collect())
}

fn binder(part: &TensorPart) -> Binder<'_> {
    Binder { vector: part.index.vector.as_ref(), scalars: names(&part.index), span: part.index.span }
}

/// True if the generator binds other names than the pattern before the arrow.
fn has_other_names(part: &TensorPart) -> bool {
    let Some(generator) = &part.generator else { return false };
    let texts = |index: &ast::IndexPattern| {
        names(index).map(|names| names.iter().map(|name| name.text.clone()).collect::<Vec<_>>())
    };
    let (pattern, written) = (&part.index, &generator.index);
    let same = |x: &Option<Name>, y: &Option<Name>| match (x, y) {
        (Some(x), Some(y)) => x.text == y.text,
        (None, _) | (_, None) => true,
    };
    let is_empty = written.vector.is_none() && written.components.is_none();
    !is_empty
        && (!same(&pattern.vector, &written.vector)
            || matches!((texts(pattern), texts(written)), (Some(x), Some(y)) if x != y)
            || (pattern.vector.is_none() && written.vector.is_some() && written.components.is_none()))
}

fn is_name(expr: &ast::Expr, name: &Name) -> bool {
    matches!(&expr.kind, Ast::Name(found) if found.module.is_none() && found.name.text == name.text)
}

/// The array and arguments of a selection, several selections in a row as one, if each picks axes one by one.
fn flattened<'a>(array: &'a ast::Expr, args: &'a [SelectArg]) -> Option<(&'a ast::Expr, Vec<&'a SelectArg>)> {
    let mut all: Vec<&SelectArg> = args.iter().collect();
    let mut array = array;
    while let Ast::Select(inner, before) = &array.kind {
        let picks_one =
            |arg: &SelectArg| matches!(arg, SelectArg::Expr(ast::Expr { kind: Ast::Name(_) | Ast::Literal(..), .. }));
        if !(before.len() > 1 && before.iter().all(|arg| matches!(arg, SelectArg::Expr(_)))
            || before.len() == 1 && before.iter().all(picks_one))
        {
            break;
        }
        all.splice(0..0, before.iter());
        array = inner;
    }
    Some((array, all))
}

/// Calls `found` with all selections in an expression: the array and the arguments.
fn each_selection<'a>(expr: &'a ast::Expr, found: &mut dyn FnMut(&'a ast::Expr, &'a [SelectArg])) {
    each_expr(expr, &mut |expr| {
        if let Ast::Select(array, args) = &expr.kind {
            match args.as_slice() {
                // `a[[i, j]]` is `a[i, j]`, which the parser knows where there are dots.
                [SelectArg::Expr(ast::Expr { kind: Ast::Array(_), .. })] => {}
                args => found(array, args),
            }
        }
    });
}

/// Calls `found` with all variables that an expression mentions.
pub(super) fn names_in<'a>(expr: &'a ast::Expr, found: &mut dyn FnMut(&'a str)) {
    each_expr(expr, &mut |expr| {
        if let Ast::Name(name) = &expr.kind {
            found(&name.name.text);
        }
    });
}

/// Adds the names that with-loops and comprehensions in an expression bind.
fn bound_in<'a>(expr: &'a ast::Expr, names: &mut HashSet<&'a str>) {
    let add = |index: &'a ast::IndexPattern, names: &mut HashSet<&'a str>| {
        names.extend(index.vector.iter().map(|name| name.text.as_str()));
        for component in index.components.iter().flatten() {
            if let IndexComponent::Name(name) = component {
                names.insert(&name.text);
            }
        }
    };
    each_expr(expr, &mut |expr| match &expr.kind {
        Ast::With(with) => {
            for part in &with.parts {
                add(&part.generator.index, names);
                assigned(&part.body, names);
            }
        }
        Ast::Tensor(parts) => {
            for part in parts {
                add(&part.index, names);
            }
        }
        _ => {}
    });
}

fn assigned<'a>(statements: &'a [ast::Stmt], names: &mut HashSet<&'a str>) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { targets, .. } => names.extend(targets.iter().map(|name| name.text.as_str())),
            StmtKind::Update { target, .. } => {
                names.insert(&target.name.text);
            }
            StmtKind::Expr(_) => {}
            StmtKind::If { then, otherwise, .. } => {
                assigned(then, names);
                assigned(otherwise, names);
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => assigned(body, names),
            StmtKind::For { init, step, body, .. } => {
                assigned(init, names);
                assigned(step, names);
                assigned(body, names);
            }
        }
    }
}

/// Calls `found` with an expression and all expressions in it, those of blocks included.
fn each_expr<'a>(expr: &'a ast::Expr, found: &mut dyn FnMut(&'a ast::Expr)) {
    found(expr);
    match &expr.kind {
        Ast::Literal(..) | Ast::Text(_) | Ast::Name(_) | Ast::EmptyArray(_) | Ast::Error => {}
        Ast::Call { args, .. } | Ast::Array(args) => args.iter().for_each(|arg| each_expr(arg, found)),
        Ast::And(x, y) | Ast::Or(x, y) => {
            each_expr(x, found);
            each_expr(y, found);
        }
        Ast::Cond(cond, x, y) => {
            each_expr(cond, found);
            each_expr(x, found);
            each_expr(y, found);
        }
        Ast::Cast(_, value) | Ast::Field(value, _) => each_expr(value, found),
        Ast::Select(array, args) => {
            each_expr(array, found);
            for arg in args {
                if let SelectArg::Expr(arg) = arg {
                    each_expr(arg, found);
                }
            }
        }
        Ast::Struct(_, fields) => fields.iter().for_each(|(_, value)| each_expr(value, found)),
        Ast::With(with) => {
            for part in &with.parts {
                each_in_generator(&part.generator, found);
                each_in_block(&part.body, found);
                part.cells.iter().for_each(|cell| each_expr(cell, found));
            }
            for operation in &with.operations {
                match &operation.kind {
                    OperationKind::Genarray(shape, default) => {
                        each_expr(shape, found);
                        default.iter().for_each(|default| each_expr(default, found));
                    }
                    OperationKind::Modarray(source) => each_expr(source, found),
                    OperationKind::Fold(function, neutral) => {
                        function.args.iter().for_each(|arg| each_expr(arg, found));
                        each_expr(neutral, found);
                    }
                    OperationKind::FoldFix(function, neutral, stop) => {
                        function.args.iter().for_each(|arg| each_expr(arg, found));
                        each_expr(neutral, found);
                        each_expr(stop, found);
                    }
                    OperationKind::Propagate(_) => {}
                }
            }
        }
        Ast::Tensor(parts) => {
            for part in parts {
                each_expr(&part.cell, found);
                part.generator.iter().for_each(|generator| each_in_generator(generator, found));
            }
        }
    }
}

fn each_in_generator<'a>(generator: &'a ast::Generator, found: &mut dyn FnMut(&'a ast::Expr)) {
    let bounds = generator.lower.iter().chain(&generator.upper).filter_map(|bound| bound.value.as_ref());
    bounds.chain(&generator.step).chain(&generator.width).for_each(|expr| each_expr(expr, found));
}

fn each_in_block<'a>(statements: &'a [ast::Stmt], found: &mut dyn FnMut(&'a ast::Expr)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { value, .. } | StmtKind::Expr(value) => each_expr(value, found),
            StmtKind::Update { target, value, .. } => {
                for accessor in &target.accessors {
                    if let ast::Accessor::Index(indices, _) = accessor {
                        indices.iter().for_each(|index| each_expr(index, found));
                    }
                }
                each_expr(value, found);
            }
            StmtKind::If { cond, then, otherwise } => {
                each_expr(cond, found);
                each_in_block(then, found);
                each_in_block(otherwise, found);
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                each_expr(cond, found);
                each_in_block(body, found);
            }
            StmtKind::For { init, cond, step, body } => {
                each_in_block(init, found);
                each_expr(cond, found);
                each_in_block(step, found);
                each_in_block(body, found);
            }
        }
    }
}
