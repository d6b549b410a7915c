//! `sprintf`: the text that `printf` would write. For the types of each call's values there is a function of the program, made when it is first
//! called, that takes the format conversion by conversion with functions of the library's module `Formats`.

use super::Checker;
use super::expression::Value;
use super::output::Variadic;
use super::types::{CHAR, Ty, vector};
use crate::sac::ast;
use crate::sac::core::dispatch::Class;
use crate::sac::core::{
    Expr, ExprKind, Function, FunctionId, Inlining, Local, LocalData, OverloadId, Param, Stmt, StmtKind,
};
use frit_support::{Span, Table};

/// The module that takes formats apart.
const MODULE: &str = "Formats";

impl<'a> Checker<'a> {
    /// The value of `sprintf(args)`.
    pub(super) fn text(&mut self, args: &'a [ast::Expr], span: Span) -> Value {
        self.text_or_mistake(args, span).unwrap_or_else(|| Value::error(span))
    }

    fn text_or_mistake(&mut self, args: &'a [ast::Expr], span: Span) -> Option<Value> {
        if !self.has_arguments(Variadic::Text, args.len(), 1, span) {
            return None;
        }
        let mut values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
        let format = self.expect_elem(values.remove(0), CHAR, "the format");
        if format.ty.is_error() || values.iter().any(|value| value.ty.is_error()) {
            return None;
        }
        let pattern = super::convert::class_pattern(CHAR, &vector(None), args[0].span);
        let format = self.ascribe(format, pattern, vector(None), "the format");
        let candidates = self.functions_of(MODULE, "shown");
        let (mut shown, mut types, mut steps) = (vec![format.expr.clone()], Vec::new(), Vec::new());
        for value in values {
            let text = Value::new(format.expr.kind.clone(), format.ty.clone(), span);
            let mut args = [text, value];
            let functions = self.resolve("sprintf", &candidates, &mut args, None, span)?.functions;
            let [_, value] = args;
            steps.push(self.overload_of("sprintf", &functions));
            types.push(value.ty);
            shown.push(value.expr);
        }
        let function = self.text_function(types, steps);
        let overload = self.overload("sprintf", vec![function]);
        Some(Value::new(ExprKind::Call { overload, args: shown }, Ty::new(CHAR, vector(None)), span))
    }

    /// The function that shows values of these types by these functions.
    fn text_function(&mut self, types: Vec<Ty>, steps: Vec<OverloadId>) -> FunctionId {
        if let Some((_, known)) = self.texts.iter().find(|(known, _)| *known == types) {
            return *known;
        }
        let [start, join, rest, end] = ["no_text", "joined", "tail", "ended"].map(|name| {
            let ids = self.functions_of(MODULE, name);
            (self.overload_of(name, &ids), self.declared_at(ids[0]))
        });
        let span = end.1;
        let mut locals: Table<Local, LocalData> = Table::new();
        let mut local = |name: &str, elem| locals.push(LocalData { name: name.to_string(), elem, span });
        let (text, format) = (local("text", CHAR), local("format", CHAR));
        let read = |local: Local| Expr { kind: ExprKind::Local(local), span };
        let call = |(overload, _): (OverloadId, Span), args| Expr { kind: ExprKind::Call { overload, args }, span };
        let assign = |target, value| Stmt { kind: StmtKind::Assign { targets: vec![Some(target)], value }, span };
        let pattern = |elem, class: &Class| super::convert::class_pattern(elem, class, span);
        let string = pattern(CHAR, &vector(None));
        let mut params = vec![Param { local: format, pattern: string.clone() }];
        let mut body = vec![assign(text, call(start, Vec::new()))];
        for (ty, step) in types.iter().zip(steps) {
            let elem = ty.elem.expect("mistakes in arguments were told");
            let value = local("value", elem);
            params.push(Param { local: value, pattern: pattern(elem, &ty.class) });
            let shown = call((step, span), vec![read(format), read(value)]);
            body.push(assign(text, call(join, vec![read(text), shown])));
            body.push(assign(format, call(rest, vec![read(format)])));
        }
        let function = Function {
            name: "sprintf".to_string(),
            module: Some(MODULE.to_string()),
            inlining: Inlining::Free,
            params,
            results: vec![string],
            locals,
            requires: Vec::new(),
            ensures: Vec::new(),
            body,
            returns: vec![call(end, vec![read(text), read(format)])],
            span,
        };
        let id = self.program.functions.push(function);
        self.texts.push((types, id));
        id
    }
}
