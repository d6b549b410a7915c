//! With-loops: generators, their cells, and what operations make of them.

use super::Checker;
use super::error::SacError;
use super::expression::Value;
use super::modules::DeclId;
use super::scopes::{Binding, State};
use super::types::{BOOL, INT, Ty, any, cells_along, scalar, type_name, vector, without_leading};
use crate::sac::ast::{self, IndexComponent, Name, OperationKind};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Expr, ExprKind, FoldFunction, Generator, Local, Operation, Prim, StmtKind, With};
use frit_ir::BinOp;
use frit_support::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// An operation with its operands.
enum Operator<'a> {
    Genarray {
        shape: Value,
        default: Option<Value>,
    },
    Modarray(Value),
    Fold {
        function: &'a ast::FoldFunction,
        args: Vec<Value>,
        neutral: Value,
        stop: Option<Value>,
        span: Span,
    },
    Propagate {
        name: &'a Name,
        state: Local,
        inner: Local,
        ty: Ty,
    },
    /// A mistake in it was reported.
    Wrong,
}

/// What the operations say of indices.
#[derive(Default)]
struct Frame {
    /// Some operation has an array, which dots in bounds refer to.
    has_extent: bool,
    /// The length of the shape of a genarray.
    length: Option<(usize, Span)>,
    /// The rank of the array of a modarray.
    rank: Option<(usize, Span)>,
}

/// The bounds of a generator.
pub(super) struct Range {
    pub lower: Option<Value>,
    pub lower_is_exclusive: bool,
    pub upper: Option<Value>,
    pub upper_is_inclusive: bool,
    pub step: Option<Value>,
    pub width: Option<Value>,
}

/// The names that a generator binds.
pub(super) struct Binder<'a> {
    pub vector: Option<&'a Name>,
    pub scalars: Option<Vec<&'a Name>>,
    pub span: Span,
}

/// A generator with its cells: one value per operation, or nothing if there was a mistake.
pub(super) struct Checked {
    pub generator: Generator,
    pub cells: Option<Vec<Value>>,
    pub length: Option<usize>,
}

impl<'a> Checker<'a> {
    pub(super) fn with_loop(&mut self, with: &'a ast::With, span: Span) -> Option<(Expr, Vec<Ty>)> {
        let mut operators = Vec::new();
        for operation in &with.operations {
            let operator = self.operator(operation);
            if let Operator::Propagate { name, .. } = &operator {
                let again = operators
                    .iter()
                    .any(|other| matches!(other, Operator::Propagate { name: other, .. } if other.text == name.text));
                if again {
                    self.error(SacError::NotPropagated { span: operation.span });
                }
            }
            operators.push(operator);
        }
        let frame = self.frame(&operators);
        let mut checked = Vec::new();
        for part in &with.parts {
            checked.push(self.part(part, &operators, &frame));
        }
        self.finish(operators, checked, span)
    }

    fn operator(&mut self, operation: &'a ast::Operation) -> Operator<'a> {
        let span = operation.span;
        match &operation.kind {
            OperationKind::Genarray(shape, default) => {
                let shape = self.value(shape);
                let shape = self.index_like(shape, "the shape");
                let default = default.as_ref().map(|default| self.value(default));
                let is_wrong = shape.ty.is_error() || default.as_ref().is_some_and(|default| default.ty.is_error());
                if is_wrong { Operator::Wrong } else { Operator::Genarray { shape, default } }
            }
            OperationKind::Modarray(source) => {
                let source = self.value(source);
                if source.ty.is_error() { Operator::Wrong } else { Operator::Modarray(source) }
            }
            OperationKind::Fold(function, neutral) => self.fold_operator(function, neutral, None, span),
            OperationKind::FoldFix(function, neutral, stop) => self.fold_operator(function, neutral, Some(stop), span),
            OperationKind::Propagate(name) => {
                if self.body.binding(&name.text).is_none() {
                    self.error(SacError::PropagatedName { span: name.span, name: name.text.clone() });
                    self.body.assign(&name.text, Ty::error(), name.span);
                    return Operator::Wrong;
                }
                match self.variable(name) {
                    (ExprKind::Local(state), ty) if !ty.is_error() => {
                        let inner = self.body.fresh(&name.text, ty.elem.unwrap_or(INT), name.span);
                        Operator::Propagate { name, state, inner, ty }
                    }
                    _ => Operator::Wrong,
                }
            }
        }
    }

    fn fold_operator(
        &mut self,
        function: &'a ast::FoldFunction,
        neutral: &'a ast::Expr,
        stop: Option<&'a ast::Expr>,
        span: Span,
    ) -> Operator<'a> {
        let args: Vec<Value> = function.args.iter().map(|arg| self.value(arg)).collect();
        let neutral = self.value(neutral);
        let stop = stop.map(|stop| self.value(stop));
        let is_wrong = args.iter().chain([&neutral]).chain(&stop).any(|value| value.ty.is_error());
        if is_wrong {
            return Operator::Wrong;
        }
        Operator::Fold { function, args, neutral, stop, span }
    }

    fn frame(&self, operators: &[Operator<'a>]) -> Frame {
        let mut frame = Frame::default();
        for operator in operators {
            match operator {
                Operator::Genarray { shape, .. } => {
                    frame.has_extent = true;
                    let length = if shape.ty.is_scalar() { Some(1) } else { shape.ty.length() };
                    frame.length = frame.length.or(length.map(|n| (n, shape.expr.span)));
                }
                Operator::Modarray(source) => {
                    frame.has_extent = true;
                    frame.rank = frame.rank.or(source.ty.class.rank().map(|n| (n, source.expr.span)));
                }
                Operator::Wrong => frame.has_extent = true,
                Operator::Fold { .. } | Operator::Propagate { .. } => {}
            }
        }
        frame
    }

    /// Checks that a value is an `int` scalar or vector.
    pub(super) fn index_like(&mut self, value: Value, what: &'static str) -> Value {
        if value.ty.is_error() {
            return value;
        }
        if value.ty.elem != Some(INT) || value.ty.class.least_rank() > 1 {
            let found = type_name(&self.program, &value.ty);
            self.error(SacError::BoundType { span: value.expr.span, what, found });
            return Value::error(value.expr.span);
        }
        value
    }

    fn part(&mut self, part: &'a ast::Part, operators: &[Operator<'a>], frame: &Frame) -> Checked {
        let written = &part.generator;
        let range = self.range(written, frame.has_extent);
        let names = |components: &'a [IndexComponent]| {
            components
                .iter()
                .filter_map(|component| match component {
                    IndexComponent::Name(name) => Some(name),
                    IndexComponent::Dot(_) | IndexComponent::Dots(_) => None,
                })
                .collect::<Vec<_>>()
        };
        let binder = Binder {
            vector: written.index.vector.as_ref(),
            scalars: written.index.components.as_deref().map(names),
            span: written.index.span,
        };
        let has_dots = written.lower.as_ref().is_none_or(|bound| bound.value.is_none())
            || written.upper.as_ref().is_none_or(|bound| bound.value.is_none());
        let length = self.index_length(&range, &binder, frame, has_dots);
        let propagated: Vec<(&'a Name, Local, Ty)> = operators
            .iter()
            .filter_map(|operator| match operator {
                Operator::Propagate { name, inner, ty, .. } => Some((*name, *inner, ty.clone())),
                _ => None,
            })
            .collect();
        let wanted = operators.len();
        self.generator(range, &binder, length, part.span, |checker| {
            for (name, inner, ty) in propagated {
                if let Some(elem) = ty.elem {
                    checker.body.adopt(&name.text, elem, inner);
                }
                let scope = checker.body.scope();
                checker.body.set(&name.text, Binding { local: inner, scope, ty, state: State::Defined });
            }
            let body = checker.block(&part.body);
            checker.body.out.extend(body);
            let mut cells = checker.cells(&part.cells, wanted, part.span)?;
            for (operator, cell) in operators.iter().zip(&mut cells) {
                if let Operator::Propagate { inner, .. } = operator
                    && !matches!(cell.expr.kind, ExprKind::Local(local) if local == *inner)
                {
                    let span = cell.expr.span;
                    let value = std::mem::replace(&mut cell.expr, Expr { kind: ExprKind::Local(*inner), span });
                    checker.emit(StmtKind::Assign { targets: vec![Some(*inner)], value }, span);
                }
            }
            Some(cells)
        })
    }

    fn range(&mut self, written: &'a ast::Generator, has_extent: bool) -> Range {
        let mut has_dot = false;
        let mut bound = |bound: &'a Option<ast::Bound>, what: &'static str| match bound {
            None => (None, true),
            Some(bound) => {
                let value = bound.value.as_ref().map(|value| {
                    let value = self.value(value);
                    self.index_like(value, what)
                });
                if value.is_none() && !has_extent && !has_dot {
                    has_dot = true;
                    self.error(SacError::DotInFold { span: bound.span });
                }
                (value, bound.is_inclusive)
            }
        };
        let (lower, lower_is_inclusive) = bound(&written.lower, "the lower bound");
        let (upper, upper_is_inclusive) = bound(&written.upper, "the upper bound");
        if written.lower.is_none() && written.upper.is_none() && !has_extent {
            self.error(SacError::DotInFold { span: written.span });
        }
        let step = written.step.as_ref().map(|step| self.value(step));
        let width = written.width.as_ref().map(|width| self.value(width));
        Range {
            lower,
            lower_is_exclusive: !lower_is_inclusive,
            upper,
            upper_is_inclusive,
            step: step.map(|step| self.index_like(step, "the step")),
            width: width.map(|width| self.index_like(width, "the width")),
        }
    }

    /// The number of components of a generator's index, as far as the text tells; errors if parts of it disagree.
    fn index_length(&mut self, range: &Range, binder: &Binder<'a>, frame: &Frame, has_dots: bool) -> Option<usize> {
        let mut known = binder.scalars.as_ref().map(|scalars| (scalars.len(), binder.span));
        let bounds = [
            (&range.lower, "the lower bound"),
            (&range.upper, "the upper bound"),
            (&range.step, "the step"),
            (&range.width, "the width"),
        ];
        for (bound, what) in bounds {
            let Some(bound) = bound else { continue };
            let Some(found) = bound.ty.length() else { continue };
            match known {
                Some((wanted, because)) if wanted != found => {
                    self.error(SacError::BoundLength { span: bound.expr.span, what, found, wanted, because });
                    return Some(wanted);
                }
                Some(_) => {}
                None => known = Some((found, bound.expr.span)),
            }
        }
        if let (Some((found, span)), Some((wanted, shape))) = (known, frame.length)
            && found != wanted
        {
            self.error(SacError::IndexLength { span, found, wanted, shape });
        }
        if let (Some((found, span)), Some((rank, array))) = (known, frame.rank)
            && found > rank
        {
            self.error(SacError::IndexRank { span, found, rank, array });
        }
        let known = known.map(|(length, _)| length).or(frame.length.map(|(length, _)| length));
        known.or(if has_dots { frame.rank.map(|(rank, _)| rank) } else { None })
    }

    /// A generator: its names bound, `inside` checks what it computes, in a scope of its own, and yields the cells.
    pub(super) fn generator(
        &mut self,
        range: Range,
        binder: &Binder<'a>,
        length: Option<usize>,
        span: Span,
        inside: impl FnOnce(&mut Self) -> Option<Vec<Value>>,
    ) -> Checked {
        let outer = std::mem::take(&mut self.body.out);
        self.body.depth += 1;
        let mark = self.body.enter();
        let mut first: HashMap<&str, Span> = HashMap::new();
        for name in binder.vector.iter().chain(binder.scalars.iter().flatten()).filter(|name| name.text != "_") {
            if let Some(first) = first.insert(&name.text, name.span) {
                self.error(SacError::DuplicateIndex { span: name.span, name: name.text.clone(), first });
            }
        }
        let mut bind = |name: &'a Name, ty: Ty| match name.text.as_str() {
            "_" => self.body.fresh("_", INT, name.span),
            text => self.body.assign(text, ty, name.span),
        };
        let vector = binder.vector.map(|name| bind(name, Ty::index(length)));
        let scalars =
            binder.scalars.as_ref().map(|names| names.iter().map(|name| bind(name, Ty::scalar(INT))).collect());
        let cells = inside(self);
        self.body.leave(mark);
        self.body.depth -= 1;
        let body = std::mem::replace(&mut self.body.out, outer);
        let expr = |value: Option<Value>| value.map(|value| value.expr);
        let generator = Generator {
            lower: expr(range.lower),
            lower_is_exclusive: range.lower_is_exclusive,
            upper: expr(range.upper),
            upper_is_inclusive: range.upper_is_inclusive,
            step: expr(range.step),
            width: expr(range.width),
            vector,
            scalars,
            body,
            cells: Vec::new(),
            span,
        };
        Checked { generator, cells, length }
    }

    /// The cells of a generator, one per operation.
    pub(super) fn cells(&mut self, written: &'a [ast::Expr], wanted: usize, span: Span) -> Option<Vec<Value>> {
        if let ([one], false) = (written, wanted == 1) {
            let errors = self.errors.len();
            let (value, tys) = self.values(one)?;
            if tys.len() != wanted {
                self.errors.truncate(errors);
                self.error(SacError::CellCount { span: one.span, wanted, given: tys.len() });
                return None;
            }
            let locals = self.bind_all(value, &tys, one.span);
            let read = |(local, ty): (&Local, Ty)| Value::new(ExprKind::Local(*local), ty, one.span);
            return Some(locals.iter().zip(tys).map(read).collect());
        }
        let cells: Vec<Value> = written.iter().map(|cell| self.value(cell)).collect();
        if cells.len() != wanted {
            self.error(SacError::CellCount { span, wanted, given: cells.len() });
            return None;
        }
        (!cells.iter().any(|cell| cell.ty.is_error())).then_some(cells)
    }

    fn finish(
        &mut self,
        operators: Vec<Operator<'a>>,
        mut checked: Vec<Checked>,
        span: Span,
    ) -> Option<(Expr, Vec<Ty>)> {
        let mut is_wrong = checked.iter().any(|checked| checked.cells.is_none());
        let mut operations = Vec::new();
        let mut tys = Vec::new();
        for (at, operator) in operators.into_iter().enumerate() {
            let mut cells: Vec<Value> = Vec::new();
            for checked in &mut checked {
                // They are put back once they have the type of the others.
                let cell = checked.cells.as_mut().and_then(|cells| cells.get_mut(at));
                cells.extend(cell.map(|cell| std::mem::replace(cell, Value::error(span))));
            }
            let is_complete = cells.len() == checked.len();
            if !is_complete {
                is_wrong = true;
                continue;
            }
            let made = match operator {
                Operator::Genarray { shape, default } => self.genarray(shape, default, &mut cells),
                Operator::Modarray(source) => {
                    let lengths: Vec<Option<usize>> = checked.iter().map(|checked| checked.length).collect();
                    self.modarray(source, &mut cells, &lengths)
                }
                Operator::Fold { function, args, neutral, stop, span } => {
                    self.fold(function, args, neutral, stop, &mut cells, span)
                }
                Operator::Propagate { state, inner, ty, .. } => {
                    Some((Operation::Propagate { state, inner }, Ty { value: None, ..ty }))
                }
                Operator::Wrong => None,
            };
            let Some((operation, ty)) = made else {
                is_wrong = true;
                continue;
            };
            operations.push(operation);
            tys.push(ty);
            for (checked, cell) in checked.iter_mut().zip(cells) {
                if let Some(cells) = &mut checked.cells {
                    cells[at] = cell;
                }
            }
        }
        if is_wrong {
            return None;
        }
        let generators = checked.into_iter().map(|checked| {
            let cells = checked.cells.unwrap_or_default().into_iter().map(|cell| cell.expr).collect();
            Generator { cells, ..checked.generator }
        });
        let with = With { generators: generators.collect(), operations };
        Some((Expr { kind: ExprKind::With(Box::new(with)), span }, tys))
    }

    /// Brings values that stand side by side to one element type.
    fn unified(&mut self, values: Vec<Value>) -> Option<(Elem, Vec<Value>)> {
        let elem = self.common(&values.iter().collect::<Vec<_>>());
        let Some(elem) = elem else {
            let first = values.first()?;
            let other = values.iter().find(|value| value.ty.elem != first.ty.elem)?;
            let shown = |value: &Value| (value.expr.span, type_name(&self.program, &value.ty));
            let (first, other) = (shown(first), shown(other));
            self.error(SacError::CellsOfDifferentTypes { first, other });
            return None;
        };
        let mut fitted = Vec::new();
        for value in values {
            fitted.push(self.fitted(value, elem).ok()?);
        }
        Some((elem, fitted))
    }

    /// The class of cells of these values; an error if they cannot be of one shape.
    fn cell_class(&mut self, values: &[Value]) -> Option<Class> {
        let first = values.first()?;
        let mut class = first.ty.class.clone();
        for value in values {
            if !value.ty.class.meets(&first.ty.class) && !self.is_empty_literal(value) && !self.is_empty_literal(first)
            {
                let shown = |value: &Value| (value.expr.span, type_name(&self.program, &value.ty));
                let (first, other) = (shown(first), shown(value));
                self.error(SacError::CellsOfDifferentShapes { first, other });
                return None;
            }
            class = class.join(&value.ty.class);
        }
        Some(class)
    }

    pub(super) fn genarray(
        &mut self,
        shape: Value,
        default: Option<Value>,
        cells: &mut Vec<Value>,
    ) -> Option<(Operation, Ty)> {
        let has_default = default.is_some();
        let mut all: Vec<Value> = default.into_iter().collect();
        all.append(cells);
        let (elem, mut all) = if all.is_empty() { (INT, all) } else { self.unified(all)? };
        let class = if all.is_empty() { scalar() } else { self.cell_class(&all)? };
        // The default, where there is one, says what the cells are.
        let (default, class) = if has_default {
            let default = all.remove(0);
            let class = default.ty.class.clone();
            (Some(default.expr), class)
        } else {
            (None, class)
        };
        *cells = all;
        let frame = super::structure::frame_class(&shape);
        let ty = Ty::new(elem, cells_along(&frame, &class));
        Some((Operation::Genarray { shape: shape.expr, default, elem }, ty))
    }

    fn modarray(
        &mut self,
        source: Value,
        cells: &mut Vec<Value>,
        lengths: &[Option<usize>],
    ) -> Option<(Operation, Ty)> {
        let elem = source.ty.elem?;
        let mut fitted = Vec::new();
        for (cell, length) in std::mem::take(cells).into_iter().zip(lengths) {
            let cell = match self.fitted(cell, elem) {
                Ok(cell) => cell,
                Err(cell) => self.expect_elem(cell, elem, "the new cell"),
            };
            if cell.ty.is_error() {
                return None;
            }
            let class = length.and_then(|length| without_leading(&source.ty.class, length));
            if let Some(class) = class
                && !cell.ty.class.meets(&class)
                && !self.is_empty_literal(&cell)
            {
                let expected = type_name(&self.program, &Ty::new(elem, class));
                let found = type_name(&self.program, &cell.ty);
                let because = Some((source.expr.span, "a part of this array".to_string()));
                let (span, what) = (cell.expr.span, "the new cell".to_string());
                self.error(SacError::ShapeMismatch { span, what, expected, found, because });
                return None;
            }
            fitted.push(cell);
        }
        *cells = fitted;
        let ty = Ty { value: None, ..source.ty };
        Some((Operation::Modarray { source: source.expr }, ty))
    }

    fn fold(
        &mut self,
        function: &'a ast::FoldFunction,
        args: Vec<Value>,
        neutral: Value,
        stop: Option<Value>,
        cells: &mut Vec<Value>,
        span: Span,
    ) -> Option<(Operation, Ty)> {
        let text = function.name.name.text.as_str();
        let mut neutral = neutral;
        if !cells.is_empty() {
            let (_, fitted) = self.unified(std::mem::take(cells))?;
            *cells = fitted;
        }
        if matches!(text, "&&" | "||") && function.name.module.is_none() {
            return self.logical_fold(function, args, neutral, stop, cells);
        }
        let candidates = self.candidates(&function.name, span)?;
        let cell = match cells.first() {
            Some(first) => {
                let class = cells.iter().fold(first.ty.class.clone(), |class, cell| class.join(&cell.ty.class));
                Ty::new(first.ty.elem?, class)
            }
            None => neutral.ty.clone(),
        };
        let elem = self.fold_elem(&candidates, &args, &neutral, &cell);
        if let Some((of_neutral, of_cells)) = elem {
            neutral = self.fitted(neutral, of_neutral).ok()?;
            let mut fitted = Vec::new();
            for cell in std::mem::take(cells) {
                fitted.push(self.fitted(cell, of_cells).ok()?);
            }
            *cells = fitted;
        }
        let cell = Ty { elem: cells.first().map_or(neutral.ty.elem, |cell| cell.ty.elem), ..cell };
        let (functions, ty, given) = self.fold_function(function, &candidates, args, &neutral, &cell, span)?;
        let overload = self.overload_of(text, &functions);
        let stop = match stop {
            Some(stop) => {
                let elem = ty.elem?;
                let stop = match self.fitted(stop, elem) {
                    Ok(stop) => stop,
                    Err(stop) => self.expect_elem(stop, elem, "the fixed point"),
                };
                (!stop.ty.is_error()).then_some(Some(stop.expr))?
            }
            None => None,
        };
        let args = given.into_iter().map(|arg| arg.expr).collect();
        let function = FoldFunction::Overload(overload);
        Some((Operation::Fold { function, args, neutral: neutral.expr, stop }, ty))
    }

    /// The element types of accumulator and cells, if the function takes them only with one of the two converted.
    fn fold_elem(
        &mut self,
        candidates: &Rc<[DeclId]>,
        args: &[Value],
        neutral: &Value,
        cell: &Ty,
    ) -> Option<(Elem, Elem)> {
        let (of_neutral, of_cells) = (neutral.ty.elem?, cell.elem?);
        let mut takes = |acc: Elem, cell: Elem| {
            let given: Vec<Option<Elem>> = args.iter().map(|arg| arg.ty.elem).chain([Some(acc), Some(cell)]).collect();
            candidates.iter().any(|id| {
                let types = self.signature(*id);
                types.params.len() == given.len()
                    && types.params.iter().zip(&given).all(|((elem, _), given)| elem == given)
                    && types.results.first().is_some_and(|(elem, _)| *elem == Some(acc))
            })
        };
        if of_neutral == of_cells || takes(of_neutral, of_cells) {
            return None;
        }
        if takes(of_cells, of_cells) {
            return Some((of_cells, of_cells));
        }
        takes(of_neutral, of_neutral).then_some((of_neutral, of_neutral))
    }

    /// The functions that a fold calls, the type of its result, and the arguments given in advance.
    fn fold_function(
        &mut self,
        function: &'a ast::FoldFunction,
        candidates: &Rc<[DeclId]>,
        given: Vec<Value>,
        neutral: &Value,
        cell: &Ty,
        span: Span,
    ) -> Option<(Vec<DeclId>, Ty, Vec<Value>)> {
        let text = &function.name.name.text;
        let mut acc = Ty { value: None, ..neutral.ty.clone() };
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut values = given.clone();
            let stand_in = |ty: &Ty| Value { ty: ty.clone(), ..Value::error(span) };
            values.push(stand_in(&acc));
            values.push(stand_in(cell));
            let resolved = self.resolve(text, candidates, &mut values, None, function.name.name.span)?;
            let result = match resolved.results.as_slice() {
                [only] if resolved.references.is_empty() => only.clone(),
                results => {
                    let (what, gives) = (format!("the fold function `{text}`"), results.len());
                    self.error(SacError::WrongResultCount { span, what, gives, wanted: 1 });
                    return None;
                }
            };
            if result.elem != acc.elem {
                if !result.is_error() {
                    let (expected, found) = (type_name(&self.program, &acc), type_name(&self.program, &result));
                    let span = function.name.name.span;
                    self.error(SacError::FoldFunctionResult { span, function: text.clone(), expected, found });
                }
                return None;
            }
            if result.class.is_within(&acc.class) || acc.class == any() {
                values.truncate(given.len());
                return Some((resolved.functions, acc, values));
            }
            acc.class = if attempts < 3 { acc.class.join(&result.class) } else { any() };
        }
    }

    /// `fold(&&, true)` and `fold(||, false)`.
    fn logical_fold(
        &mut self,
        function: &'a ast::FoldFunction,
        args: Vec<Value>,
        neutral: Value,
        stop: Option<Value>,
        cells: &mut [Value],
    ) -> Option<(Operation, Ty)> {
        let is_and = function.name.name.text == "&&";
        if !args.is_empty() {
            self.error(SacError::WrongArgumentCount {
                span: function.name.name.span,
                function: function.name.name.text.clone(),
                takes: "2 arguments".to_string(),
                given: args.len() + 2,
                declared: None,
            });
            return None;
        }
        let mut is_wrong = false;
        for value in cells.iter().chain([&neutral]).chain(&stop) {
            if value.ty.elem != Some(BOOL)
                || value.ty.class.least_rank() > 1
                || !value.ty.class.meets(&vector_or_scalar(value))
            {
                let found = type_name(&self.program, &value.ty);
                let what = if is_and { "an operand of `&&`" } else { "an operand of `||`" };
                self.error(SacError::NotBoolean { span: value.expr.span, what, found });
                is_wrong = true;
            }
        }
        if is_wrong {
            return None;
        }
        let op = if is_and { BinOp::AND } else { BinOp::OR };
        let function = FoldFunction::Prim(Prim::Binary(op));
        let stop = stop.map(|stop| stop.expr);
        Some((Operation::Fold { function, args: Vec::new(), neutral: neutral.expr, stop }, Ty::scalar(BOOL)))
    }
}

/// What counts as a truth value: a scalar, or a vector of one.
fn vector_or_scalar(value: &Value) -> Class {
    if value.ty.class.least_rank() == 1 { vector(Some(1)) } else { scalar() }
}
