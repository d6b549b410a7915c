//! Functions: parameters, constraints, bodies and results.

use super::error::SacError;
use super::expression::Value;
use super::modules::DeclId;
use super::scopes::{Binding, Body, State};
use super::types::{BOOL, INT, Ty, scalar, type_name, vector};
use super::{Checker, Origin};
use crate::sac::ast::{self, AxisCount, AxisExpr, TypeExpr};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Axis, Count, Elem, Expr, ExprKind, Function, FunctionId, Local, Param, Pattern};
use frit_support::Span;
use std::collections::{BTreeSet, HashMap};

impl<'a> Checker<'a> {
    /// Asks for all functions of the user's files.
    pub(super) fn check_user_functions(&mut self) {
        for id in 0..self.declarations.len() {
            let declaration = &self.declarations[id];
            if self.units[declaration.unit].origin != Origin::User {
                continue;
            }
            if declaration.function.is_some() {
                self.function(id);
            } else {
                self.signature(id);
            }
        }
    }

    /// Checks all functions that something asked for, and those that they ask for.
    pub(super) fn check_called_functions(&mut self) {
        loop {
            let Some((declaration, id)) = self.called.pop_front() else {
                match self.first_values.pop() {
                    Some((unit, object, id)) => self.first_value(unit, object, id),
                    None => return,
                }
                continue;
            };
            match self.declarations[declaration].function {
                // What the parser found mistakes in makes no sense as it is.
                Some(function) if !function.is_intact => {}
                Some(function) => self.check_function(declaration, function, id),
                None => self.external_function(declaration, id),
            }
        }
    }

    pub(super) fn check_main(&mut self, id: DeclId) {
        let signature = self.declarations[id].signature;
        let types = self.signature(id);
        let words = match types.results.as_slice() {
            [(Some(elem), class)] if *elem == INT && *class == scalar() => None,
            [(None, _)] => None,
            [] => Some("should return its exit status"),
            _ => Some("should return one `int`"),
        };
        let words = words.or((!types.params.is_empty()).then_some("takes no parameters"));
        if let Some(words) = words {
            self.error(SacError::MainType { span: signature.name.span, words });
        }
    }

    fn check_function(&mut self, declaration: DeclId, function: &'a ast::Function, id: FunctionId) {
        let unit = self.declarations[declaration].unit;
        let signature = &function.signature;
        let types = self.signature(declaration);
        let (params, mut determined) = self.parameters(declaration);
        let mut of_results = HashMap::new();
        let mut results = Vec::new();
        let referenced = types.references.iter().map(|at| &signature.params[*at].ty);
        for (ty, (elem, _)) in signature.results.iter().chain(referenced).zip(&types.results) {
            results.push(self.pattern(ty, elem.unwrap_or(BOOL), Some(&mut of_results)));
        }
        let mut of_results: Vec<(&'a str, (Local, Ty))> = of_results.into_iter().collect();
        of_results.sort_by_key(|(_, (local, _))| *local);
        let requires = self.constraints(signature, &of_results, false);
        let mark = self.body.enter();
        for (name, (local, _)) in &of_results {
            self.body.adopt(name, INT, *local);
        }
        self.declare_variables(function);
        let body = self.block(&function.body);
        self.body.out = body;
        let returns = self.returns(declaration, function);
        let body = std::mem::take(&mut self.body.out);
        let is_assigned = |name: &str| matches!(self.body.binding(name), Some(Binding { state: State::Defined, .. }));
        determined.extend(of_results.iter().filter(|(name, _)| is_assigned(name)).map(|(_, (local, _))| *local));
        let patterns: Vec<&Pattern> = results.iter().collect();
        self.check_open_parts(&patterns, &mut determined);
        self.body.leave(mark);
        let ensures = self.constraints(signature, &of_results, true);
        let name = &self.units[unit].name;
        self.program.functions[id] = Function {
            name: signature.name.text.clone(),
            module: (!name.is_empty()).then(|| name.clone()),
            inlining: function.inlining,
            params,
            results,
            locals: std::mem::take(&mut self.body.locals),
            requires,
            ensures,
            body,
            returns,
            span: signature.name.span,
        };
    }

    /// Begins a function: its parameters, and the variables that they determine.
    pub(super) fn parameters(&mut self, declaration: DeclId) -> (Vec<Param>, BTreeSet<Local>) {
        let signature = self.declarations[declaration].signature;
        self.body = Body::new(self.declarations[declaration].unit);
        self.body.enter();
        let types = self.signature(declaration);
        let mut params = Vec::new();
        let mut first: HashMap<&str, Span> = HashMap::new();
        for (param, (elem, class)) in signature.params.iter().zip(&types.params) {
            let name = &param.name;
            if let Some(first) = first.insert(&name.text, name.span) {
                self.error(SacError::DuplicateParameter { span: name.span, name: name.text.clone(), first });
            }
            let ty = elem.map_or_else(Ty::error, |elem| Ty::new(elem, class.clone()));
            let local = self.body.assign(&name.text, ty, name.span);
            params.push((local, elem.unwrap_or(BOOL), &param.ty));
        }
        let params: Vec<Param> = params
            .into_iter()
            .map(|(local, elem, ty)| Param { local, pattern: self.pattern(ty, elem, None) })
            .collect();
        // A scalar may be a number of axes, and a vector a part of a shape.
        let is_name = |param: &&Param| param.pattern.axes.len() <= 1 && param.pattern.elem == INT;
        let mut determined = params.iter().filter(is_name).map(|param| param.local).collect();
        let patterns: Vec<&Pattern> = params.iter().map(|param| &param.pattern).collect();
        self.check_open_parts(&patterns, &mut determined);
        (params, determined)
    }

    pub(super) fn constraints(
        &mut self,
        signature: &'a ast::Signature,
        of_results: &[(&'a str, (Local, Ty))],
        is_after: bool,
    ) -> Vec<Expr> {
        let mut found = Vec::new();
        let mark = self.body.mark();
        if is_after {
            for (name, (local, ty)) in of_results {
                let binding = Binding { local: *local, scope: 0, ty: ty.clone(), state: State::Defined };
                self.body.set(name, binding);
            }
        }
        for constraint in &signature.constraints {
            let mut mentions = false;
            super::walk::free_names(constraint, &mut |name| {
                mentions |= of_results.iter().any(|(other, _)| *other == name)
            });
            if mentions == is_after {
                let value = self.value(constraint);
                found.push(self.condition(value, "a constraint"));
            }
        }
        self.body.undo(mark);
        found
    }

    fn declare_variables(&mut self, function: &'a ast::Function) {
        let mut first: HashMap<&str, Span> = HashMap::new();
        for declaration in &function.declarations {
            let elem = self.elem_of(self.body.unit, &declaration.ty);
            let class = super::signature::class_of(&declaration.ty);
            for name in &declaration.names {
                if let Some(first) = first.insert(&name.text, name.span) {
                    self.error(SacError::DuplicateTarget { span: name.span, name: name.text.clone(), first });
                }
                if let Some(elem) = elem {
                    self.body.declared.insert(&name.text, (Ty::new(elem, class.clone()), declaration.ty.span));
                }
            }
        }
    }

    /// The pattern of a parameter or result, whose names it binds; those of results that are not bound yet are noted.
    pub(super) fn pattern(
        &mut self,
        ty: &'a TypeExpr,
        elem: Elem,
        mut of_results: Option<&mut HashMap<&'a str, (Local, Ty)>>,
    ) -> Pattern {
        let mut axes = Vec::new();
        for axis in ty.shape.iter().flatten() {
            axes.push(match axis {
                AxisExpr::Extent(n, _) => Axis::Extent(*n),
                AxisExpr::Dot(_) => Axis::Any,
                AxisExpr::Plus(_) => Axis::Rest { at_least: 1 },
                AxisExpr::Star(_) => Axis::Rest { at_least: 0 },
                AxisExpr::Name(name) if name.text == "_" => Axis::Any,
                AxisExpr::Name(name) => Axis::Bind(self.bound(name, Ty::scalar(INT), of_results.as_deref_mut())),
                AxisExpr::Axes { count, at_least, shape } => {
                    let length = match count {
                        AxisCount::Fixed(n, _) => usize::try_from(*n).ok(),
                        AxisCount::Name(_) => None,
                    };
                    let count = match count {
                        AxisCount::Fixed(n, _) => Count::Fixed(usize::try_from(*n).unwrap_or(0)),
                        AxisCount::Name(name) => {
                            Count::Bind(self.bound(name, Ty::scalar(INT), of_results.as_deref_mut()))
                        }
                    };
                    let shape = shape
                        .as_ref()
                        .filter(|name| name.text != "_")
                        .map(|name| self.bound(name, Ty::new(INT, vector(length)), of_results.as_deref_mut()));
                    Axis::Axes { count, at_least: usize::try_from(*at_least).unwrap_or(0), shape }
                }
            });
        }
        Pattern { elem, axes, span: ty.span }
    }

    /// The local of a name in a shape.
    fn bound(&mut self, name: &'a ast::Name, ty: Ty, of_results: Option<&mut HashMap<&'a str, (Local, Ty)>>) -> Local {
        if let Some(binding) = self.body.binding(&name.text) {
            let (local, known) = (binding.local, binding.ty.clone());
            if !known.is_error() && (known.elem != Some(INT) || !known.class.meets(&ty.class)) {
                let wanted = if ty.is_scalar() { "a number" } else { "part of a shape" };
                let found = type_name(&self.program, &known);
                self.error(SacError::PatternVariable { span: name.span, name: name.text.clone(), found, wanted });
            }
            return local;
        }
        match of_results {
            None => self.body.assign(&name.text, ty, name.span),
            Some(known) => {
                if let Some((local, _)) = known.get(name.text.as_str()) {
                    return *local;
                }
                let local = self.body.fresh(&name.text, INT, name.span);
                known.insert(&name.text, (local, ty));
                local
            }
        }
    }

    /// The axes of a type in an expression, which binds nothing.
    pub(super) fn axes(&mut self, ty: &'a TypeExpr) -> Vec<Axis> {
        let is_rest = |axis: &&AxisExpr| matches!(axis, AxisExpr::Plus(_) | AxisExpr::Star(_));
        if ty.shape.iter().flatten().filter(is_rest).count() > 1 {
            self.error(SacError::SeveralOpenParts { span: ty.span });
        }
        let mut axes = Vec::new();
        for axis in ty.shape.iter().flatten() {
            axes.push(match axis {
                AxisExpr::Extent(n, _) => Axis::Extent(*n),
                AxisExpr::Dot(_) => Axis::Any,
                AxisExpr::Plus(_) => Axis::Rest { at_least: 1 },
                AxisExpr::Star(_) => Axis::Rest { at_least: 0 },
                AxisExpr::Name(name) if name.text == "_" => Axis::Any,
                AxisExpr::Name(name) => self.extent(name).map_or(Axis::Any, Axis::Bind),
                AxisExpr::Axes { count, at_least, shape } => {
                    let at_least = usize::try_from(*at_least).unwrap_or(0);
                    let shape = shape.as_ref().filter(|name| name.text != "_").and_then(|name| self.extent(name));
                    match count {
                        AxisCount::Fixed(n, _) => {
                            Axis::Axes { count: Count::Fixed(usize::try_from(*n).unwrap_or(0)), at_least, shape }
                        }
                        AxisCount::Name(name) => match self.extent(name) {
                            Some(count) => Axis::Axes { count: Count::Bind(count), at_least, shape },
                            None => Axis::Rest { at_least },
                        },
                    }
                }
            });
        }
        axes
    }

    fn extent(&mut self, name: &'a ast::Name) -> Option<Local> {
        match self.body.binding(&name.text) {
            Some(Binding { local, ty: Ty { elem: Some(INT), .. }, state: State::Defined, .. }) => Some(*local),
            _ => {
                self.error(SacError::UnknownExtent { span: name.span, name: name.text.clone() });
                None
            }
        }
    }

    /// The values returned: those of the results, then those of the reference parameters.
    fn returns(&mut self, declaration: DeclId, function: &'a ast::Function) -> Vec<Expr> {
        let signature = &function.signature;
        let types = self.signature(declaration);
        let wanted = signature.results.len();
        let name = &signature.name;
        let mut values: Vec<Value> = Vec::new();
        match &function.returns {
            None if wanted > 0 && function.is_intact => {
                self.error(SacError::MissingReturn { span: function.end, name: name.text.clone(), results: wanted });
            }
            None => {}
            Some(exprs) if wanted == 0 && !exprs.is_empty() => {
                let span = exprs[0].span;
                self.error(SacError::ReturnOfVoid { span, name: name.text.clone(), declared: name.span });
            }
            Some(exprs) => match exprs.as_slice() {
                [one] if wanted > 1 => values = self.returned_together(one, wanted),
                exprs if exprs.len() == wanted => values = exprs.iter().map(|expr| self.value(expr)).collect(),
                exprs => {
                    self.error(SacError::ReturnCount {
                        span: function.end,
                        name: name.text.clone(),
                        declared: name.span,
                        wanted,
                        given: exprs.len(),
                    });
                }
            },
        }
        let mut returns = Vec::new();
        for ((value, (elem, class)), ty) in values.into_iter().zip(&types.results).zip(&signature.results) {
            returns.push(self.result(value, *elem, class, ty, name));
        }
        for at in &types.references {
            let (kind, _) = self.variable(&signature.params[*at].name);
            returns.push(Expr { kind, span: function.end });
        }
        returns
    }

    /// `return f(x);` with a function of several results.
    fn returned_together(&mut self, expr: &'a ast::Expr, wanted: usize) -> Vec<Value> {
        let Some((value, tys)) = self.values(expr) else { return Vec::new() };
        if tys.len() != wanted {
            self.wrong_count(expr, tys.len(), wanted);
            return Vec::new();
        }
        let locals = self.bind_all(value, &tys, expr.span);
        let read = |(local, ty): (&Local, &Ty)| Value::new(ExprKind::Local(*local), ty.clone(), expr.span);
        locals.iter().zip(&tys).map(read).collect()
    }

    fn result(&mut self, value: Value, elem: Option<Elem>, class: &Class, ty: &'a TypeExpr, name: &ast::Name) -> Expr {
        let Some(elem) = elem else { return value.expr };
        if value.ty.is_error() {
            return value.expr;
        }
        let span = value.expr.span;
        let because = Some((ty.span, format!("the result of `{}` is declared here", name.text)));
        let fitted = match self.literal_into(value, elem) {
            Ok(fitted) => fitted,
            Err(value) => {
                let expected = format!("{}{}", self.program.elem_name(elem), value.ty.class);
                let found = type_name(&self.program, &value.ty);
                let what = "the value returned".to_string();
                self.error(SacError::TypeMismatch { span, what, expected, found, because });
                return value.expr;
            }
        };
        if !fitted.ty.class.meets(class) && !self.is_empty_literal(&fitted) {
            let expected = format!("{}{}", self.program.elem_name(elem), class);
            let found = type_name(&self.program, &fitted.ty);
            let what = "the value returned".to_string();
            self.error(SacError::ShapeMismatch { span, what, expected, found, because });
        }
        fitted.expr
    }
}
