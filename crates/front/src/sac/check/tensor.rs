//! Tensor comprehensions: with-loops whose shape follows from bounds, or from what their bodies select.

use super::Checker;
use super::bounds::Boundless;
use super::error::SacError;
use super::expression::{Value, int};
use super::helper::{Helper, Picked};
use super::prims::prim;
use super::types::{INT, Ty, any};
use super::with_loop::{Binder, Checked, Range};
use crate::sac::ast::{self, ExprKind as Ast, IndexComponent, Name, TensorPart};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Expr, ExprKind, Generator, Prim, With};
use frit_ir::BinOp;
use frit_support::Span;

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
        self.arranged(with, tys, placed, span)
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
    fn arranged(&mut self, with: Expr, tys: Vec<Ty>, placed: Vec<Picked>, span: Span) -> Option<(Expr, Vec<Ty>)> {
        let is_plain =
            placed.iter().skip_while(|placed| **placed == Picked::Index).all(|placed| *placed != Picked::Index);
        if is_plain {
            return Some((with, tys));
        }
        let elems: Vec<_> = tys.iter().map(|ty| ty.elem).collect::<Option<_>>()?;
        let arranged = |ty: &Ty| Some(Ty::new(ty.elem?, arranged_class(&ty.class, &placed)));
        let results = tys.iter().map(arranged).collect::<Option<_>>()?;
        let args = if tys.len() == 1 {
            vec![with]
        } else {
            let locals = self.bind_all(with, &tys, span);
            locals.into_iter().map(|local| Expr { kind: ExprKind::Local(local), span }).collect()
        };
        let overload = self.helper(Helper::Arrangement(elems, placed));
        Some((Expr { kind: ExprKind::Call { overload, args }, span }, results))
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
            Err(Boundless { name, refused }) => {
                let indices = names.iter().flatten().map(|name| name.text.clone()).collect();
                self.error(SacError::NoBound { span: name.span, name: name.text.clone(), indices, refused });
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

pub(super) fn placed(index: &ast::IndexPattern) -> Vec<Picked> {
    let components = index.components.as_deref().unwrap_or(&[]);
    let picked = components.iter().map(|component| match component {
        IndexComponent::Name(_) => Picked::Index,
        IndexComponent::Dot(_) => Picked::Axis,
        IndexComponent::Dots(_) => Picked::Axes,
    });
    picked.collect()
}

pub(super) fn names(index: &ast::IndexPattern) -> Option<Vec<&Name>> {
    let components = index.components.as_deref()?;
    let names = components.iter().filter_map(|component| match component {
        IndexComponent::Name(name) => Some(name),
        IndexComponent::Dot(_) | IndexComponent::Dots(_) => None,
    });
    Some(names.collect())
}

pub(super) fn binder(part: &TensorPart) -> Binder<'_> {
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

pub(super) fn is_name(expr: &ast::Expr, name: &Name) -> bool {
    matches!(&expr.kind, Ast::Name(found) if found.module.is_none() && found.name.text == name.text)
}
