//! Statements.

use super::Checker;
use super::error::SacError;
use super::expression::Value;
use super::objects::Place;
use super::output::Variadic;
use super::scopes::{Binding, Changes, Head, State, copy};
use super::types::{Ty, type_name};
use crate::sac::ast::{self, ExprKind as Ast, Name, StmtKind as AstStmt};
use crate::sac::core::{Expr, ExprKind, Local, Stmt, StmtKind};
use frit_support::Span;
use std::collections::HashMap;

/// An expression that makes up a statement, the types of its values, and the variables that it changes besides.
type StatementValues<'a> = (Expr, Vec<Ty>, Vec<(Place<'a>, Ty)>);

/// How often the body of a loop is looked at before its variables are taken to be of any shape.
const ATTEMPTS: usize = 3;

impl<'a> Checker<'a> {
    /// Statements, as a block of their own.
    pub(super) fn block(&mut self, statements: &'a [ast::Stmt]) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.body.out);
        for statement in statements {
            self.statement(statement);
        }
        std::mem::replace(&mut self.body.out, outer)
    }

    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        self.body.out.push(Stmt { kind, span });
    }

    /// New variables that hold these values.
    pub(super) fn bind_all(&mut self, value: Expr, tys: &[Ty], span: Span) -> Vec<Local> {
        let locals: Vec<Local> =
            tys.iter().map(|ty| self.body.fresh("value", ty.elem.unwrap_or(super::types::BOOL), span)).collect();
        let targets = locals.iter().map(|local| Some(*local)).collect();
        self.emit(StmtKind::Assign { targets, value }, span);
        locals
    }

    fn statement(&mut self, statement: &'a ast::Stmt) {
        let span = statement.span;
        match &statement.kind {
            AstStmt::Assign { targets, value } => self.assignment(targets, value, span),
            AstStmt::Update { target, operator, value } => self.update(target, operator.as_ref(), value, span),
            AstStmt::Expr(value) => self.effect(value, span),
            AstStmt::If { cond, then, otherwise } => self.branches(cond, then, otherwise, span),
            AstStmt::While { cond, body } => self.repeat(statement, false, cond, body, &[]),
            AstStmt::DoWhile { body, cond } => self.repeat(statement, true, cond, body, &[]),
            AstStmt::For { init, cond, step, body } => {
                for statement in init {
                    self.statement(statement);
                }
                self.repeat(statement, false, cond, body, step);
            }
        }
    }

    fn effect(&mut self, value: &'a ast::Expr, span: Span) {
        if let Ast::Call { function, args, .. } = &value.kind
            && let Some(variadic) = self.variadic(function)
        {
            self.output(variadic, args, value.span);
            return;
        }
        let Some((expr, tys, references)) = self.statement_values(value) else { return };
        let targets = vec![None; tys.len()];
        self.assign_all(targets, expr, references, span);
    }

    /// The values of an expression that makes up a statement, and the variables that it changes besides.
    fn statement_values(&mut self, value: &'a ast::Expr) -> Option<StatementValues<'a>> {
        let Ast::Call { function, args, .. } = &value.kind else {
            return self.values(value).map(|(expr, tys)| (expr, tys, Vec::new()));
        };
        if let Some(value) = self.simple_call(function, args, value.span) {
            return (!value.ty.is_error()).then(|| (value.expr, vec![value.ty], Vec::new()));
        }
        let called = self.call(function, args, value.span)?;
        let mut references = Vec::new();
        for (at, ty) in called.references {
            match &args[at].kind {
                Ast::Name(name) => match (self.object_place(name), &name.module) {
                    (Some(place), _) => references.push((place, ty)),
                    (None, None) => references.push((Place::Variable(&name.name), ty)),
                    (None, Some(_)) => return None,
                },
                _ => {
                    let parameter = format!("number {}", at + 1);
                    let function = function.name.text.clone();
                    self.error(SacError::ReferenceArgument { span: args[at].span, function, parameter });
                    return None;
                }
            }
        }
        Some((called.expr, called.results, references))
    }

    fn assign_all(
        &mut self,
        mut targets: Vec<Option<Local>>,
        value: Expr,
        references: Vec<(Place<'a>, Ty)>,
        span: Span,
    ) {
        let mut replaced = Vec::new();
        for (place, ty) in references {
            targets.push(match place {
                Place::Nowhere => None,
                Place::Variable(name) => {
                    self.note_assigned(name);
                    Some(self.body.assign(&name.text, ty, name.span))
                }
                Place::Object(object) => {
                    let local = self.body.fresh("object", ty.elem.unwrap_or(super::types::BOOL), span);
                    replaced.push((object, Value::new(ExprKind::Local(local), ty, span)));
                    Some(local)
                }
            });
        }
        self.emit(StmtKind::Assign { targets, value }, span);
        self.replace_objects(replaced);
    }

    fn assignment(&mut self, targets: &'a [Name], value: &'a ast::Expr, span: Span) {
        let mut first: HashMap<&str, Span> = HashMap::new();
        for name in targets.iter().filter(|name| name.text != "_") {
            if let Some(first) = first.insert(&name.text, name.span) {
                self.error(SacError::DuplicateTarget { span: name.span, name: name.text.clone(), first });
            }
        }
        if let Ast::Call { function, args, .. } = &value.kind
            && let Some(variadic @ (Variadic::Scan | Variadic::ScanFrom | Variadic::ScanText)) = self.variadic(function)
        {
            return self.assign_scanned(variadic, targets, value, args, span);
        }
        let Some((expr, tys, references)) = self.assigned_values(targets, value) else {
            for name in targets.iter().filter(|name| name.text != "_") {
                self.body.assign(&name.text, Ty::error(), name.span);
            }
            return;
        };
        if let ([name], [ty], []) = (targets, tys.as_slice(), references.as_slice()) {
            let is_literal = self.is_literal_expr(&expr);
            self.assign_one(name, Value { expr, ty: ty.clone(), is_literal }, span);
            return;
        }
        let mut locals = Vec::new();
        let mut checks = Vec::new();
        for (name, ty) in targets.iter().zip(tys) {
            if name.text == "_" {
                locals.push(None);
                continue;
            }
            let ty = match self.body.declared.get(name.text.as_str()) {
                None => ty,
                Some((declared, _)) => {
                    let declared = declared.clone();
                    let read = Value::new(ExprKind::Const(frit_ir::Const::Bool(false)), ty.clone(), value.span);
                    let checked = self.as_declared(name, read);
                    if !checked.ty.is_error() && !ty.class.is_within(&declared.class) {
                        checks.push((name, declared));
                    }
                    checked.ty
                }
            };
            self.note_assigned(name);
            locals.push(Some(self.body.assign(&name.text, ty, name.span)));
        }
        self.assign_all(locals, expr, references, span);
        for (name, declared) in checks {
            let (kind, ty) = self.variable(name);
            let Some(elem) = ty.elem else { continue };
            let pattern = super::convert::class_pattern(elem, &declared.class, name.span);
            let value = Box::new(Expr { kind, span });
            let local = self.body.assign(&name.text, ty, name.span);
            let value = Expr { kind: ExprKind::Ascribe { pattern, value }, span };
            self.emit(StmtKind::Assign { targets: vec![Some(local)], value }, span);
        }
    }

    /// The values of an assignment; `None` if there is a mistake in them or in their number.
    fn assigned_values(&mut self, targets: &'a [Name], value: &'a ast::Expr) -> Option<StatementValues<'a>> {
        let (expr, tys, references) = self.statement_values(value)?;
        if tys.len() != targets.len() {
            self.wrong_count(value, tys.len(), targets.len());
            return None;
        }
        Some((expr, tys, references))
    }

    /// True for numbers and arrays of them, which convert by themselves.
    fn is_literal_expr(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) => true,
            ExprKind::Array { cells, .. } => cells.iter().all(|cell| self.is_literal_expr(cell)),
            _ => false,
        }
    }

    /// `name = value;`
    pub(super) fn assign_one(&mut self, name: &'a Name, value: Value, span: Span) {
        if name.text == "_" {
            self.emit(StmtKind::Assign { targets: vec![None], value: value.expr }, span);
            return;
        }
        self.note_assigned(name);
        let value = self.as_declared(name, value);
        let local = self.body.assign(&name.text, value.ty, name.span);
        self.emit(StmtKind::Assign { targets: vec![Some(local)], value: value.expr }, span);
    }

    /// The value, of the type that its variable is declared with.
    pub(super) fn as_declared(&mut self, name: &'a Name, value: Value) -> Value {
        let Some((declared, at)) = self.body.declared.get(name.text.as_str()).cloned() else { return value };
        let (Some(elem), false) = (declared.elem, value.ty.is_error()) else { return value };
        let because = Some((at, format!("`{}` is declared here", name.text)));
        let span = value.expr.span;
        let what = format!("the value of `{}`", name.text);
        let fitted = match self.literal_into(value, elem) {
            Ok(fitted) => fitted,
            Err(value) => {
                let expected = format!("{}{}", self.program.elem_name(elem), value.ty.class);
                let found = type_name(&self.program, &value.ty);
                self.error(SacError::TypeMismatch { span, what, expected, found, because });
                return Value::error(span);
            }
        };
        if !fitted.ty.class.meets(&declared.class) && !self.is_empty_literal(&fitted) {
            let expected = type_name(&self.program, &declared);
            let found = type_name(&self.program, &fitted.ty);
            self.error(SacError::ShapeMismatch { span, what, expected, found, because });
            return Value::error(span);
        }
        let pattern = super::convert::class_pattern(elem, &declared.class, at);
        self.ascribe(fitted, pattern, declared.class, "the value")
    }

    fn branches(&mut self, cond: &'a ast::Expr, then: &'a [ast::Stmt], otherwise: &'a [ast::Stmt], span: Span) {
        let cond = self.value(cond);
        let cond = self.condition(cond, "the condition of `if`");
        self.body.depth += 1;
        let mark = self.body.mark();
        let mut then_out = self.block(then);
        let then_changes = self.body.changes(mark);
        self.body.undo(mark);
        let mut otherwise_out = self.block(otherwise);
        let otherwise_changes = self.body.changes(mark);
        self.body.undo(mark);
        self.body.depth -= 1;
        self.join(then_changes, otherwise_changes, &mut then_out, &mut otherwise_out, span);
        self.emit(StmtKind::If { cond, then: then_out, otherwise: otherwise_out }, span);
    }

    /// A loop. What its variables are at its head depends on what its body makes of them: the body is checked anew until both
    /// agree.
    fn repeat(
        &mut self,
        statement: &'a ast::Stmt,
        is_do: bool,
        cond: &'a ast::Expr,
        body: &'a [ast::Stmt],
        step: &'a [ast::Stmt],
    ) {
        let key = std::ptr::from_ref(statement) as usize;
        let span = statement.span;
        if !is_do {
            self.body.depth += 1;
        }
        let (mark, copies, kind, changes) = loop {
            let (mark, errors) = (self.body.mark(), self.errors.len());
            let undefined = std::mem::take(&mut self.body.undefined);
            let copies = self.set_heads(key, span);
            let start = self.body.mark();
            let (checked, body_out, step_out) = if is_do {
                let body = self.block(body);
                let checked = self.value(cond);
                (checked, body, Vec::new())
            } else {
                let checked = self.value(cond);
                let body = self.block(body);
                (checked, body, self.block(step))
            };
            let cond = self.condition(checked, "the condition of a loop");
            let changes = self.body.changes(start);
            let is_settled = self.settle(key, &changes);
            self.body.undefined.extend(undefined);
            if is_settled {
                break (mark, copies, StmtKind::Loop { is_do, cond, body: body_out, step: step_out }, changes);
            }
            self.body.undo(mark);
            self.errors.truncate(errors);
        };
        if !is_do {
            self.body.depth -= 1;
        }
        self.body.undo(mark);
        for (name, head, now) in changes {
            let binding = match head {
                _ if is_do => now,
                None | Some(Binding { state: State::AfterFirst(_), .. }) => match now.state {
                    State::Conflict(..) => now,
                    State::Defined | State::Maybe | State::AfterFirst(_) => Binding { state: State::Maybe, ..now },
                },
                Some(head) => match self.conflict(&head, &now) {
                    Some(state) if !head.ty.is_error() && !now.ty.is_error() => Binding { state, ..head },
                    _ if head.ty.is_error() || now.ty.is_error() => Binding { ty: Ty::error(), ..head },
                    _ => head,
                },
            };
            self.body.set(name, binding);
        }
        self.body.out.extend(copies);
        self.emit(kind, span);
    }

    /// Makes variables what earlier attempts found that they are at the head of this loop.
    fn set_heads(&mut self, key: usize, span: Span) -> Vec<Stmt> {
        let mut copies = Vec::new();
        let mut heads: Vec<(&'a str, Head)> = self
            .body
            .heads
            .get(&key)
            .map(|heads| heads.iter().map(|(n, h)| (*n, h.clone())).collect())
            .unwrap_or_default();
        heads.sort_by_key(|(name, _)| *name);
        for (name, head) in heads {
            let Some(mut binding) = self.body.binding(name).cloned() else {
                if let Some(after) = head.after_first {
                    let state = State::AfterFirst(self.body.depth);
                    self.body.set(name, Binding { state, ..after });
                }
                continue;
            };
            if head.is_copied
                && binding.scope != self.body.scope()
                && let Some(elem) = binding.ty.elem
            {
                let local = self.body.local(name, elem, span);
                copies.push(copy(local, binding.local, span));
                binding.local = local;
                binding.scope = self.body.scope();
            }
            if let Some(ty) = head.ty {
                if ty.elem == binding.ty.elem {
                    binding.ty = binding.ty.join(&ty);
                } else if !binding.ty.is_error() && !matches!(binding.state, State::Conflict(..)) {
                    let (one, other) = (type_name(&self.program, &binding.ty), type_name(&self.program, &ty));
                    binding.state = State::Conflict(one, other);
                }
            }
            self.body.set(name, binding);
        }
        copies
    }

    /// Notes what an iteration made of the variables. True if the head of the loop was right about them.
    fn settle(&mut self, key: usize, changes: &Changes<'a>) -> bool {
        let mut is_settled = true;
        let mut found: Vec<(&'a str, Head)> = Vec::new();
        for (name, head, now) in changes {
            let known = self.body.heads.get(&key).and_then(|heads| heads.get(name)).cloned().unwrap_or_default();
            let mut noted = known.clone();
            match head {
                None => {
                    if !self.body.undefined.contains(name) {
                        continue;
                    }
                    noted.after_first = Some(now.clone());
                }
                Some(Binding { state: State::AfterFirst(_), ty, .. }) => {
                    if ty.elem != now.ty.elem || ty.join(&now.ty) == *ty {
                        continue;
                    }
                    let ty = if known.attempts < ATTEMPTS { ty.join(&now.ty) } else { ty.widest() };
                    noted.after_first = Some(Binding { ty, ..now.clone() });
                }
                Some(head) => {
                    if head.ty.is_error() || now.ty.is_error() || matches!(head.state, State::Conflict(..)) {
                        continue;
                    }
                    noted.is_copied |= head.ty.elem == now.ty.elem && head.local != now.local;
                    let joined = head.ty.join(&now.ty);
                    if head.ty.elem != now.ty.elem {
                        noted.ty = Some(now.ty.clone());
                    } else if joined != head.ty {
                        noted.ty = Some(if known.attempts < ATTEMPTS { joined } else { head.ty.widest() });
                    }
                    if noted.ty == known.ty && noted.is_copied == known.is_copied {
                        continue;
                    }
                }
            }
            noted.attempts += 1;
            // A last resort, should the rules above ever disagree with themselves.
            if noted.attempts > 4 * ATTEMPTS {
                continue;
            }
            is_settled = false;
            found.push((name, noted));
        }
        self.body.heads.entry(key).or_default().extend(found);
        is_settled
    }
}
