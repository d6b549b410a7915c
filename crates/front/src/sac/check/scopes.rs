//! What variables are at a point of a function: which local holds them and what is known of their values.
//!
//! A variable of one name has one local per element type and scope; scopes are the function, the blocks of its with-loops, and the
//! signature around them. A branch or an iteration notes what it changes in a log, from which it is undone and joined with what
//! else may have run, so that the cost is that of the changes and not of all variables.

use super::Checker;
use super::error::SacError;
use super::types::{BOOL, Ty, type_name};
use crate::sac::ast::Name;
use crate::sac::core::{Elem, Expr, ExprKind, Local, LocalData, Stmt, StmtKind};
use frit_support::{Span, Table};
use std::collections::{HashMap, HashSet};

/// Whether a variable has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has.
    Defined,
    /// Only on some of the ways that lead here.
    Maybe,
    /// Not in the first iteration of the loop whose body is at this depth of conditions.
    AfterFirst(usize),
    /// It may be of one type or of another.
    Conflict(String, String),
}

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub local: Local,
    /// The scope that the local belongs to.
    pub scope: usize,
    pub ty: Ty,
    pub state: State,
}

/// A set of bindings as they were before a change.
pub(super) type Mark = usize;

/// The changes since a mark: each name with what it was and what it is.
pub(super) type Changes<'a> = Vec<(&'a str, Option<Binding>, Binding)>;

/// What is known of a variable at the head of a loop, from an earlier attempt at its body.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// It is of at least this type.
    pub ty: Option<Ty>,
    /// It has a value only after the first iteration.
    pub after_first: Option<Binding>,
    /// It belongs to a scope outside, but is assigned in the loop.
    pub is_copied: bool,
    /// How often it was widened.
    pub attempts: usize,
}

/// The function that is being checked.
#[derive(Default)]
pub(super) struct Body<'a> {
    /// The file it stands in.
    pub unit: usize,
    pub locals: Table<Local, LocalData>,
    variables: HashMap<&'a str, Binding>,
    log: Vec<(&'a str, Option<Binding>)>,
    scopes: Vec<HashMap<(&'a str, Elem), Local>>,
    /// How many conditions stand around.
    pub depth: usize,
    /// By the place of a loop in the tree.
    pub heads: HashMap<usize, HashMap<&'a str, Head>>,
    /// Variables that were used without a value.
    pub undefined: HashSet<&'a str>,
    /// Declared types.
    pub declared: HashMap<&'a str, (Ty, Span)>,
    /// Names that were read as those of objects, and names that statements gave values to; where first.
    pub objects: HashMap<&'a str, Span>,
    pub assigned: HashMap<&'a str, Span>,
    /// The statements of the block at hand.
    pub out: Vec<Stmt>,
}

impl<'a> Body<'a> {
    pub(super) fn new(unit: usize) -> Self {
        Body { unit, ..Body::default() }
    }

    pub(super) fn binding(&self, name: &str) -> Option<&Binding> {
        self.variables.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.variables.keys().copied()
    }

    pub(super) fn scope(&self) -> usize {
        self.scopes.len() - 1
    }

    /// A new local that no name leads to.
    pub(super) fn fresh(&mut self, name: &str, elem: Elem, span: Span) -> Local {
        self.locals.push(LocalData { name: name.to_string(), elem, span })
    }

    /// The local of a name and element type in the innermost scope.
    pub(super) fn local(&mut self, name: &'a str, elem: Elem, span: Span) -> Local {
        if let Some(local) = self.scopes.last().and_then(|scope| scope.get(&(name, elem))) {
            return *local;
        }
        let local = self.fresh(name, elem, span);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert((name, elem), local);
        }
        local
    }

    /// Lets a name of the innermost scope stand for a local that exists.
    pub(super) fn adopt(&mut self, name: &'a str, elem: Elem, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert((name, elem), local);
        }
    }

    pub(super) fn set(&mut self, name: &'a str, binding: Binding) {
        let before = self.variables.insert(name, binding);
        self.log.push((name, before));
    }

    /// Gives a variable a value of this type, and says which local holds it.
    pub(super) fn assign(&mut self, name: &'a str, ty: Ty, span: Span) -> Local {
        let local = self.local(name, ty.elem.unwrap_or(BOOL), span);
        let binding = Binding { local, scope: self.scope(), ty, state: State::Defined };
        self.set(name, binding);
        local
    }

    pub(super) fn enter(&mut self) -> Mark {
        self.scopes.push(HashMap::new());
        self.log.len()
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.undo(mark);
        self.scopes.pop();
    }

    pub(super) fn mark(&self) -> Mark {
        self.log.len()
    }

    /// What changed since the mark.
    pub(super) fn changes(&self, mark: Mark) -> Changes<'a> {
        let mut seen = HashSet::new();
        let mut changes = Vec::new();
        for (name, before) in &self.log[mark..] {
            if seen.insert(*name)
                && let Some(now) = self.variables.get(name)
            {
                changes.push((*name, before.clone(), now.clone()));
            }
        }
        changes
    }

    /// Makes all variables what they were at the mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        while self.log.len() > mark {
            if let Some((name, before)) = self.log.pop() {
                match before {
                    Some(before) => self.variables.insert(name, before),
                    None => self.variables.remove(name),
                };
            }
        }
    }
}

/// `to = from;`
pub(super) fn copy(to: Local, from: Local, span: Span) -> Stmt {
    let value = Expr { kind: ExprKind::Local(from), span };
    Stmt { kind: StmtKind::Assign { targets: vec![Some(to)], value }, span }
}

impl<'a> Checker<'a> {
    /// The value of a variable.
    pub(super) fn variable(&mut self, name: &'a Name) -> (ExprKind, Ty) {
        let wrong = (ExprKind::Const(frit_ir::Const::Bool(false)), Ty::error());
        if name.text == "_" {
            self.error(SacError::WildcardAsValue { span: name.span });
            return wrong;
        }
        let Some(binding) = self.body.binding(&name.text).cloned() else {
            if self.reports_object(name) {
                return wrong;
            }
            self.body.undefined.insert(&name.text);
            let is_function = self.is_function(&name.text);
            let suggestion = super::suggestion::nearest(&name.text, self.body.names());
            self.error(SacError::UnknownVariable { span: name.span, name: name.text.clone(), is_function, suggestion });
            return wrong;
        };
        match binding.state {
            State::Defined | State::Maybe => {}
            State::AfterFirst(depth) => {
                if depth == self.body.depth {
                    self.error(SacError::UndefinedVariable { span: name.span, name: name.text.clone() });
                    return wrong;
                }
            }
            State::Conflict(one, other) => {
                self.error(SacError::VariableOfTwoTypes { span: name.span, name: name.text.clone(), one, other });
                return wrong;
            }
        }
        (ExprKind::Local(binding.local), binding.ty)
    }

    /// Joins what two branches made of the variables, both relative to the state at hand, and makes that the state. Where they hold
    /// a variable in different locals, copies are added at the end of a branch.
    pub(super) fn join(
        &mut self,
        then: Changes<'a>,
        otherwise: Changes<'a>,
        then_out: &mut Vec<Stmt>,
        otherwise_out: &mut Vec<Stmt>,
        span: Span,
    ) {
        let mut others: HashMap<&'a str, Binding> = HashMap::new();
        let order: Vec<&'a str> = otherwise.iter().map(|(name, ..)| *name).collect();
        for (name, _, now) in otherwise {
            others.insert(name, now);
        }
        let mut joined = Vec::new();
        for (name, before, now) in then {
            let other = others.remove(name).or(before);
            joined.push((name, Some(now), other));
        }
        for name in order {
            if let Some(now) = others.remove(name) {
                joined.push((name, self.body.binding(name).cloned(), Some(now)));
            }
        }
        for (name, x, y) in joined {
            let binding = match (x, y) {
                (Some(x), Some(y)) => self.joined(x, y, then_out, otherwise_out, span),
                (Some(only), None) | (None, Some(only)) => {
                    let state = match only.state {
                        State::Conflict(..) => only.state,
                        State::Defined | State::Maybe | State::AfterFirst(_) => State::Maybe,
                    };
                    Binding { state, ..only }
                }
                (None, None) => continue,
            };
            self.body.set(name, binding);
        }
    }

    fn joined(&mut self, x: Binding, y: Binding, x_out: &mut Vec<Stmt>, y_out: &mut Vec<Stmt>, span: Span) -> Binding {
        if x.ty.is_error() || y.ty.is_error() {
            return Binding { ty: Ty::error(), state: State::Defined, ..x };
        }
        if let Some(conflict) = self.conflict(&x, &y) {
            let outer = if x.scope >= y.scope { x } else { y };
            return Binding { state: conflict, ..outer };
        }
        let (local, scope) = if x.scope >= y.scope { (x.local, x.scope) } else { (y.local, y.scope) };
        if x.local != local {
            x_out.push(copy(local, x.local, span));
        }
        if y.local != local {
            y_out.push(copy(local, y.local, span));
        }
        let state = match (x.state, y.state) {
            (State::Defined, State::Defined) => State::Defined,
            (State::AfterFirst(m), State::AfterFirst(n)) if m == n => State::AfterFirst(m),
            _ => State::Maybe,
        };
        Binding { local, scope, ty: x.ty.join(&y.ty), state }
    }

    /// The state of a variable that is one thing here and another there, if the two do not go together.
    pub(super) fn conflict(&self, x: &Binding, y: &Binding) -> Option<State> {
        if let State::Conflict(..) = &x.state {
            return Some(x.state.clone());
        }
        if let State::Conflict(..) = &y.state {
            return Some(y.state.clone());
        }
        (x.ty.elem != y.ty.elem)
            .then(|| State::Conflict(type_name(&self.program, &x.ty), type_name(&self.program, &y.ty)))
    }
}
