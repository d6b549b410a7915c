//! Calls: which functions a name and the element types of arguments may mean.

use super::error::SacError;
use super::expression::{Value, what};
use super::modules::DeclId;
use super::output::Variadic;
use super::types::{INT, Ty, is_real, scalar, type_name};
use super::{Checker, Origin, prims};
use crate::sac::ast::{self, ExprKind as Ast, QualifiedName};
use crate::sac::core::dispatch::{Choice, Class, choose_by};
use crate::sac::core::{Elem, Expr, ExprKind, Function, FunctionId, Inlining, OverloadId};
use frit_support::{Span, Table};

/// A call.
pub(super) struct Called {
    pub expr: Expr,
    /// The types of the arguments, if some are given by reference.
    pub args: Vec<Ty>,
    /// The declared results.
    pub results: Vec<Ty>,
    /// The numbers of arguments given by reference, and what they become: further results of the expression.
    pub references: Vec<(usize, Ty)>,
}

impl Called {
    /// What has one value and changes nothing.
    fn of(value: Value) -> Called {
        Called { expr: value.expr, args: Vec::new(), results: vec![value.ty], references: Vec::new() }
    }
}

/// The functions that a call may mean.
pub(super) struct Resolved {
    /// The functions, the most specific first.
    pub functions: Vec<DeclId>,
    /// Results, those of reference parameters at the end.
    pub results: Vec<Ty>,
    pub references: Vec<usize>,
    /// The function, if shapes leave no doubt.
    pub certain: Option<DeclId>,
}

/// Operators that take an `int` beside a real number.
const MIXED: [&str; 17] =
    ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "min", "max", "mod", "pow", "atan2", "fmod"];

impl<'a> Checker<'a> {
    /// A call of something that is no function of the program: a primitive, or `sprintf`.
    pub(super) fn simple_call(
        &mut self,
        function: &'a QualifiedName,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        if self.variadic(function) == Some(Variadic::Text) {
            return Some(self.text(args, span));
        }
        if function.module.is_some() || !prims::is_primitive(&function.name.text) {
            return None;
        }
        // Their own functions may be spelled so, too.
        if !self.visible(self.body.unit, &function.name.text).is_empty() {
            return None;
        }
        let args = args.iter().map(|arg| self.value(arg)).collect();
        Some(self.primitive(&function.name.text, function.name.span, args, span))
    }

    /// A call of a function.
    pub(super) fn call(&mut self, name: &'a QualifiedName, args: &'a [ast::Expr], span: Span) -> Option<Called> {
        let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
        let candidates = self.candidates(name, span)?;
        self.apply(&name.name, &candidates, values, Some(args), span)
    }

    /// `left operator right`, where the operator is not written as a call: `x op= e`.
    pub(super) fn operate(&mut self, operator: &'a ast::Name, left: Value, right: Value, span: Span) -> Value {
        let candidates = self.visible(self.body.unit, &operator.text);
        if candidates.is_empty() {
            let (name, suggestion) = (operator.text.clone(), None);
            self.error(SacError::UnknownFunction { span: operator.span, name, is_variable: false, suggestion });
            return Value::error(span);
        }
        match self.apply(operator, &candidates, vec![left, right], None, span) {
            Some(Called { expr, results, .. }) => match results.as_slice() {
                [ty] => Value { expr, ty: ty.clone(), is_literal: false },
                _ => {
                    let what = format!("`{}`", operator.text);
                    self.error(SacError::WrongResultCount { span, what, gives: results.len(), wanted: 1 });
                    Value::error(span)
                }
            },
            None => Value::error(span),
        }
    }

    fn apply(
        &mut self,
        name: &'a ast::Name,
        candidates: &[DeclId],
        mut values: Vec<Value>,
        written: Option<&'a [ast::Expr]>,
        span: Span,
    ) -> Option<Called> {
        if let Some(value) = self.structural_call(&name.text, candidates, &values, span) {
            return (!value.ty.is_error()).then(|| Called::of(value));
        }
        let resolved = self.resolve(&name.text, candidates, &mut values, written, span)?;
        if let Some(certain) = resolved.certain
            && let Some(wrapped) = self.wrapped(certain)
        {
            let mut values: Vec<Option<Value>> = values.into_iter().map(Some).collect();
            let args = wrapped.args.iter().filter_map(|at| values[*at].take()).collect();
            let value = self.primitive(&wrapped.name, name.span, args, span);
            return (!value.ty.is_error()).then(|| Called::of(value));
        }
        let is_reference = !resolved.references.is_empty();
        let tys = values.iter().filter(|_| is_reference).map(|value| value.ty.clone()).collect();
        let args = values.into_iter().map(|value| value.expr).collect();
        let overload = self.overload_of(&name.text, &resolved.functions);
        let expr = Expr { kind: ExprKind::Call { overload, args }, span };
        let mut results = resolved.results;
        let updated = results.split_off(results.len() - resolved.references.len());
        Some(Called { expr, args: tys, results, references: resolved.references.into_iter().zip(updated).collect() })
    }

    /// The functions of this name; an error if there are none.
    pub(super) fn candidates(&mut self, name: &'a QualifiedName, span: Span) -> Option<std::rc::Rc<[DeclId]>> {
        let found = self.functions_named(self.body.unit, name);
        if found.is_none() && name.module.is_none() {
            let text = &name.name.text;
            let is_variable = self.body.binding(text).is_some();
            if self.variadic(name).is_some() {
                self.error(SacError::WrongResultCount {
                    span,
                    what: format!("the call of `{text}`"),
                    gives: 0,
                    wanted: 1,
                });
                return None;
            }
            let suggestion = self.function_like(self.body.unit, text);
            self.error(SacError::UnknownFunction { span: name.name.span, name: text.clone(), is_variable, suggestion });
        }
        found
    }

    /// Finds what a call means. Arguments are converted where the language does that by itself.
    pub(super) fn resolve(
        &mut self,
        text: &str,
        candidates: &[DeclId],
        args: &mut [Value],
        written: Option<&'a [ast::Expr]>,
        span: Span,
    ) -> Option<Resolved> {
        let mut fitting: Vec<DeclId> =
            candidates.iter().copied().filter(|id| self.signature(*id).params.len() == args.len()).collect();
        if fitting.is_empty() {
            let mut counts: Vec<usize> = candidates.iter().map(|id| self.signature(*id).params.len()).collect();
            counts.sort_unstable();
            counts.dedup();
            let declared = (candidates.len() == 1).then(|| self.declared_at(candidates[0]));
            let declared = declared.filter(|_| self.is_of_user(candidates[0]));
            self.error(SacError::WrongArgumentCount {
                span,
                function: text.to_string(),
                takes: counts_text(&counts),
                given: args.len(),
                declared,
            });
            return None;
        }
        if args.iter().any(|arg| arg.ty.is_error()) {
            return None;
        }
        let same_arity = fitting.clone();
        fitting.retain(|id| self.takes(*id, args));
        if fitting.is_empty() {
            fitting = self.converted(&same_arity, args);
        }
        if fitting.is_empty() && MIXED.contains(&text) {
            fitting = self.promoted(&same_arity, args);
        }
        if fitting.is_empty()
            && let Some(written) = written
        {
            fitting = self.rechecked(&same_arity, args, written);
        }
        if fitting.is_empty() {
            let is_wrong =
                same_arity.iter().any(|id| self.signature(*id).params.iter().any(|(elem, _)| elem.is_none()));
            if !is_wrong {
                self.no_match(text, &same_arity, args, span);
            }
            return None;
        }
        self.select_by_shape(text, &fitting, args, span)
    }

    fn is_of_user(&self, id: DeclId) -> bool {
        self.units[self.declarations[id].unit].origin == Origin::User
    }

    pub(super) fn takes(&mut self, id: DeclId, args: &[Value]) -> bool {
        let types = self.signature(id);
        types.params.iter().zip(args).all(|((elem, _), arg)| elem.is_some() && *elem == arg.ty.elem)
    }

    /// The candidates that take the arguments with literals converted: those for which the fewest are.
    fn converted(&mut self, candidates: &[DeclId], args: &mut [Value]) -> Vec<DeclId> {
        let mut best: Option<Vec<(usize, Value)>> = None;
        for &id in candidates {
            let types = self.signature(id);
            let replacements: Option<Vec<(usize, Value)>> = types
                .params
                .iter()
                .zip(args.iter())
                .enumerate()
                .filter(|(_, ((elem, _), arg))| *elem != arg.ty.elem)
                .map(|(at, ((elem, _), arg))| self.literal_as(arg, (*elem)?).map(|value| (at, value)))
                .collect();
            let Some(replacements) = replacements else { continue };
            if best.as_ref().is_none_or(|best| replacements.len() < best.len()) {
                best = Some(replacements);
            }
        }
        self.replaced(candidates, args, best.unwrap_or_default())
    }

    /// Puts replacements among the arguments; the candidates that take what comes of it.
    fn replaced(
        &mut self,
        candidates: &[DeclId],
        args: &mut [Value],
        replacements: Vec<(usize, Value)>,
    ) -> Vec<DeclId> {
        for (at, value) in replacements {
            args[at] = value;
        }
        candidates.iter().copied().filter(|id| self.takes(*id, args)).collect()
    }

    /// The candidates that take the arguments if calls among them are made of converted literals, as in
    /// `z + mkarray([2], [1,0])` with complex `z`.
    fn rechecked(&mut self, candidates: &[DeclId], args: &mut [Value], written: &'a [ast::Expr]) -> Vec<DeclId> {
        let mut tried: Vec<Vec<Option<Elem>>> = Vec::new();
        for &id in candidates {
            let types = self.signature(id);
            let elems: Vec<Option<Elem>> = types.params.iter().map(|(elem, _)| *elem).collect();
            if tried.contains(&elems) {
                continue;
            }
            let mut replacements = Vec::new();
            let is_fit = elems.iter().zip(written).enumerate().all(|(at, (elem, written))| {
                if args[at].ty.elem == *elem {
                    return true;
                }
                let value = elem.and_then(|elem| self.value_as(written, elem));
                replacements.extend(value.map(|value| (at, value)));
                replacements.last().is_some_and(|(last, _)| *last == at)
            });
            if is_fit {
                return self.replaced(candidates, args, replacements);
            }
            tried.push(elems);
        }
        Vec::new()
    }

    /// A call as one that yields this element type, by converting literals among its arguments.
    pub(super) fn value_as(&mut self, expr: &'a ast::Expr, to: Elem) -> Option<Value> {
        if !matches!(to, Elem::Nominal(_)) {
            return None;
        }
        let Ast::Call { function, args, .. } = &expr.kind else { return None };
        let has_literal = args.iter().any(|arg| matches!(arg.kind, Ast::Array(_) | Ast::Call { .. }));
        if !has_literal || prims::is_primitive(&function.name.text) {
            return None;
        }
        let errors = self.errors.len();
        let candidates = self.functions_named(self.body.unit, function);
        let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
        self.errors.truncate(errors);
        let mut tried: Vec<Vec<Option<Elem>>> = Vec::new();
        for &id in candidates?.iter() {
            let types = self.signature(id);
            let elems: Vec<Option<Elem>> = types.params.iter().map(|(elem, _)| *elem).collect();
            if tried.contains(&elems) {
                continue;
            }
            tried.push(elems);
            let yields = types.results.len() == 1 && types.results[0].0 == Some(to) && types.references.is_empty();
            if !yields || types.params.len() != args.len() {
                continue;
            }
            let mut fitted = Vec::new();
            for (((elem, _), value), written) in types.params.iter().zip(&values).zip(args) {
                let Some(elem) = *elem else { break };
                match self.literal_as(value, elem) {
                    Some(value) if !value.ty.is_error() => fitted.push(value),
                    _ => match self.value_as(written, elem) {
                        Some(value) => fitted.push(value),
                        None => break,
                    },
                }
            }
            if fitted.len() == args.len() {
                let resolved = self.resolve(&function.name.text, &[id], &mut fitted, None, expr.span)?;
                let args = fitted.into_iter().map(|value| value.expr).collect();
                let overload = self.overload_of(&function.name.text, &resolved.functions);
                let kind = ExprKind::Call { overload, args };
                return Some(Value::new(kind, resolved.results[0].clone(), expr.span));
            }
        }
        None
    }

    /// The candidates that take the arguments with integers as reals beside reals.
    fn promoted(&mut self, candidates: &[DeclId], args: &mut [Value]) -> Vec<DeclId> {
        let Some(real) = args.iter().filter_map(|arg| arg.ty.elem).find(|elem| is_real(*elem)) else {
            return Vec::new();
        };
        if !args.iter().all(|arg| arg.ty.elem == Some(real) || arg.ty.elem == Some(INT)) {
            return Vec::new();
        }
        let is_taken = |checker: &mut Self, id: DeclId| {
            let types = checker.signature(id);
            types.params.iter().all(|(elem, _)| *elem == Some(real))
        };
        let fitting: Vec<DeclId> = candidates.iter().copied().filter(|id| is_taken(self, *id)).collect();
        if !fitting.is_empty() {
            for arg in args.iter_mut().filter(|arg| arg.ty.elem == Some(INT)) {
                let value = std::mem::replace(arg, Value::error(arg.expr.span));
                *arg = self.widen(value, real);
            }
        }
        fitting
    }

    pub(super) fn arguments_text(&self, args: &[Value]) -> String {
        match args {
            [] => "no arguments".to_string(),
            args => {
                let words: Vec<String> = args.iter().map(|arg| type_name(&self.program, &arg.ty)).collect();
                format!("`({})`", words.join(", "))
            }
        }
    }

    fn no_match(&mut self, function: &str, candidates: &[DeclId], args: &[Value], span: Span) {
        let declared = match candidates {
            [only] if self.is_of_user(*only) => Some(self.declared_at(*only)),
            _ => None,
        };
        // What the file itself defines says most.
        let own: Vec<DeclId> = candidates.iter().copied().filter(|id| self.is_of_user(*id)).collect();
        let shown = if own.is_empty() { candidates } else { &own };
        let texts: Vec<String> = shown.iter().map(|id| format!("`{}`", self.parameters_text(*id))).collect();
        let elems: Vec<Option<Elem>> = args.iter().map(|arg| arg.ty.elem).collect();
        let numbers = |elem: &Option<Elem>| Self::basic(*elem).is_some();
        let is_mixed = elems.len() == 2 && elems.iter().all(numbers) && elems[0] != elems[1];
        let note = is_mixed.then(|| {
            "nothing is converted by itself: `tod(...)` makes `double`, `toi(...)` makes `int`, and so on".to_string()
        });
        let arguments = self.arguments_text(args);
        self.error(SacError::NoMatchingFunction {
            span,
            function: function.to_string(),
            arguments,
            candidates: texts,
            declared,
            note,
        });
    }

    fn described(&mut self, ids: &[DeclId]) -> Vec<(Span, String)> {
        ids.iter()
            .map(|id| {
                let words = format!("takes `{}`", self.parameters_text(*id));
                (self.declared_at(*id), words)
            })
            .collect()
    }

    fn select_by_shape(
        &mut self,
        function: &str,
        candidates: &[DeclId],
        args: &[Value],
        span: Span,
    ) -> Option<Resolved> {
        let classes: Vec<Class> = args.iter().map(|arg| arg.ty.class.clone()).collect();
        let mut choice = self.choose(candidates, &classes);
        if choice == Choice::None && args.iter().any(|arg| self.is_empty_literal(arg)) {
            // An array without elements has any shape that is asked for.
            let any = |arg: &Value| if self.is_empty_literal(arg) { Class::AtLeast(1) } else { arg.ty.class.clone() };
            let classes: Vec<Class> = args.iter().map(any).collect();
            choice = self.choose(candidates, &classes);
        }
        let (possible, certain) = match choice {
            Choice::One(id) => (vec![id], Some(id)),
            Choice::Depends(ids) => (ids, None),
            Choice::None => {
                self.no_match(function, candidates, args, span);
                return None;
            }
            Choice::Ambiguous(ids) => {
                let candidates = self.described(&ids);
                let arguments = self.arguments_text(args);
                self.error(SacError::AmbiguousCall { span, function: function.to_string(), arguments, candidates });
                return None;
            }
        };
        let tys: Vec<Ty> = args.iter().map(|arg| arg.ty.clone()).collect();
        let mut results: Option<Vec<Ty>> = None;
        for &id in &possible {
            let found = match self.instantiate(id, &tys) {
                Ok(found) => found,
                Err((at, expected)) => {
                    if possible.len() == 1 {
                        self.argument_shape(function, id, at, expected, &args[at]);
                        return None;
                    }
                    let types = self.signature(id);
                    let declared = types.results.iter();
                    declared.map(|(elem, class)| Ty { elem: *elem, class: class.clone(), value: None }).collect()
                }
            };
            results = match results {
                None => Some(found),
                Some(known) => {
                    let elems = |tys: &[Ty]| tys.iter().map(|ty| ty.elem).collect::<Vec<_>>();
                    if elems(&known) != elems(&found) {
                        let candidates = self.described(&possible);
                        let function = function.to_string();
                        self.error(SacError::ResultDependsOnShape { span, function, candidates });
                        return None;
                    }
                    Some(known.iter().zip(&found).map(|(x, y)| x.join(y)).collect())
                }
            };
        }
        let references = self.signature(possible[0]).references.clone();
        Some(Resolved { functions: possible, results: results.unwrap_or_default(), references, certain })
    }

    fn choose(&mut self, candidates: &[DeclId], classes: &[Class]) -> Choice<DeclId> {
        let described: Vec<(DeclId, Vec<Class>)> = candidates
            .iter()
            .map(|id| (*id, self.signature(*id).params.iter().map(|(_, class)| class.clone()).collect()))
            .collect();
        choose_by(described.into_iter(), classes)
    }

    fn argument_shape(&mut self, function: &str, id: DeclId, at: usize, expected: String, arg: &Value) {
        let param = &self.declarations[id].signature.params[at];
        let elem = arg.ty.elem.map_or_else(String::new, |elem| self.program.elem_name(elem));
        let found = type_name(&self.program, &arg.ty);
        self.error(SacError::ArgumentShape {
            span: arg.expr.span,
            function: function.to_string(),
            parameter: param.name.text.clone(),
            expected: format!("{elem}{expected}"),
            found,
            declared: param.name.span,
        });
    }

    /// The functions of the program that declarations are.
    pub(super) fn overload_of(&mut self, name: &str, ids: &[DeclId]) -> OverloadId {
        let functions = ids.iter().map(|id| self.function(*id)).collect();
        self.overload(name, functions)
    }

    /// The function of the program that a declaration is.
    pub(super) fn function(&mut self, id: DeclId) -> FunctionId {
        if let Some(known) = self.declarations[id].id {
            return known;
        }
        let function = self.blank(&self.declarations[id].signature.name);
        self.declarations[id].id = Some(function);
        self.called.push_back((id, function));
        function
    }

    /// A function of the program that is still to be made.
    pub(super) fn blank(&mut self, name: &ast::Name) -> FunctionId {
        self.program.functions.push(Function {
            name: name.text.clone(),
            module: None,
            inlining: Inlining::Free,
            params: Vec::new(),
            results: Vec::new(),
            locals: Table::new(),
            requires: Vec::new(),
            ensures: Vec::new(),
            body: Vec::new(),
            returns: Vec::new(),
            span: name.span,
        })
    }

    /// The primitive that a function of the library wraps: all it does is to call it with its arguments.
    fn wrapped(&mut self, id: DeclId) -> Option<prims::Wrapped> {
        if let Some(known) = &self.declarations[id].wrapped {
            return known.clone();
        }
        let found = self.find_wrapped(id);
        self.declarations[id].wrapped = Some(found.clone());
        found
    }

    fn find_wrapped(&mut self, id: DeclId) -> Option<prims::Wrapped> {
        let declaration = &self.declarations[id];
        let function = declaration.function?;
        let signature = declaration.signature;
        let is_plain = self.units[declaration.unit].origin == Origin::Library
            && function.body.is_empty()
            && function.declarations.is_empty()
            && signature.constraints.is_empty()
            && signature.params.iter().all(|param| !param.is_reference);
        let [ast::Expr { kind: Ast::Call { function: called, args, .. }, .. }] = function.returns.as_deref()? else {
            return None;
        };
        let name = &called.name.text;
        if !is_plain || !prims::is_primitive(name) {
            return None;
        }
        let mut positions = Vec::new();
        for arg in args {
            let Ast::Name(arg) = &arg.kind else { return None };
            positions.push(signature.params.iter().position(|param| param.name.text == arg.name.text)?);
        }
        let types = self.signature(id);
        let of_scalars = types.params.iter().all(|(_, class)| *class == scalar());
        let of_any = matches!(name.as_str(), "_dim_A_" | "_shape_A_");
        // Every argument is used, so that dropping the call drops nothing.
        let uses_all = (0..types.params.len()).all(|at| positions.iter().filter(|p| **p == at).count() == 1);
        ((of_scalars || of_any) && uses_all).then(|| prims::Wrapped { name: name.clone(), args: positions })
    }

    /// The number of values that an expression should have had.
    pub(super) fn wrong_count(&mut self, expr: &ast::Expr, gives: usize, wanted: usize) {
        self.error(SacError::WrongResultCount { span: expr.span, what: what(expr), gives, wanted });
    }
}

fn counts_text(counts: &[usize]) -> String {
    let words: Vec<String> = counts.iter().map(usize::to_string).collect();
    match words.as_slice() {
        [one] if one == "0" => "no arguments".to_string(),
        [one] if one == "1" => "1 argument".to_string(),
        [one] => format!("{one} arguments"),
        [rest @ .., last] => format!("{} or {last} arguments", rest.join(", ")),
        [] => "no arguments".to_string(),
    }
}
