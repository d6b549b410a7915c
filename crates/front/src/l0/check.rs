//! The checker: resolves names, finds types, takes sugar apart, and then asks [`uniqueness`] whether every value is
//! consumed at most once. Gives a [`typed::Program`] or all the mistakes.
//!
//! An expression with a mistake gets the type [`Type::Error`], which fits everywhere, so one mistake gives one message.
//! All functions that the parser could read are checked, whatever is wrong with the others. Comparisons of types leave
//! uniqueness out: that is one of the questions of [`uniqueness`].
//!
//! Next: [`expression`], then [`combinator`].

mod builtin;
mod combinator;
mod expression;
mod literal;
mod slice;
mod statement;
mod tail_calls;
mod uniqueness;

use super::ast::{self, Name};
use super::error::{L0Error, Suggestion};
use super::prelude;
use super::typed::{self, Expr, ExprKind, Function, FunctionId, UnaryOp, Var, Variable};
use super::types::Type;
use frit_support::{Index, Span, Table};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// More components than this in one type are refused: tuples of tuples could otherwise double in size on every line.
const MAX_COMPONENTS: usize = 100_000;

/// After so many mistakes no similar names are looked for: that compares each unknown name with all others.
const MAX_SUGGESTIONS: usize = 100;

/// The predefined functions that no program may define.
const PREDEFINED: [(&str, UnaryOp); 6] = [
    ("toReal", UnaryOp::ToReal),
    ("trunc", UnaryOp::Trunc),
    ("sqrt", UnaryOp::SQRT),
    ("log", UnaryOp::LOG),
    ("exp", UnaryOp::EXP),
    ("trace", UnaryOp::Trace),
];

fn predefined(name: &str) -> Option<UnaryOp> {
    PREDEFINED.iter().find(|(predefined, _)| *predefined == name).map(|(_, op)| *op)
}

/// The names of the predefined functions.
pub(super) fn predefined_functions() -> impl Iterator<Item = &'static str> {
    PREDEFINED.iter().map(|(name, _)| *name)
}

/// What callers know of a function.
#[derive(Clone)]
struct Signature {
    id: FunctionId,
    params: Vec<Type>,
    result: Type,
    name_span: Span,
}

/// The parameter types of all functions.
type Parameters = Table<FunctionId, Vec<Type>>;

/// What is known of all functions.
struct Signatures<'p> {
    /// By name.
    functions: HashMap<&'p str, Signature>,
    /// Functions with unreadable headers.
    broken: HashSet<&'p str>,
    /// Some function has no readable name.
    has_nameless: bool,
    prelude: Prelude<'p>,
}

/// The functions of the prelude, of which only those that are called are checked.
struct Prelude<'p> {
    functions: &'p [ast::Function],
    by_name: HashMap<&'p str, Vec<usize>>,
    /// Those that are called, in the order in which they got their numbers.
    used: RefCell<Vec<usize>>,
    /// The number of the first one.
    first: usize,
}

impl<'p> Prelude<'p> {
    fn new(program: &'p ast::Program, first: usize) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, function) in program.functions.iter().enumerate() {
            by_name.entry(&function.name.text).or_default().push(at);
        }
        Self { functions: &program.functions, by_name, used: RefCell::default(), first }
    }

    /// The functions of this name.
    fn overloads(&self, name: &str) -> impl Iterator<Item = usize> {
        self.by_name.get(name).into_iter().flatten().copied()
    }

    fn parameters(&self, at: usize) -> Vec<Type> {
        self.functions[at].params.iter().map(|param| Type::of(&param.ty)).collect()
    }

    /// What callers know of a function, which is called.
    fn signature(&self, at: usize) -> Signature {
        let mut used = self.used.borrow_mut();
        let number = used.iter().position(|other| *other == at).unwrap_or_else(|| {
            used.push(at);
            used.len() - 1
        });
        let function = &self.functions[at];
        Signature {
            id: FunctionId::new(self.first + number),
            params: self.parameters(at),
            result: Type::of(&function.result),
            name_span: function.name.span,
        }
    }

    /// A function as a message shows it.
    fn shown(&self, at: usize) -> String {
        let types: Vec<String> = self.parameters(at).iter().map(Type::to_string).collect();
        format!("`{}({})`", self.functions[at].name.text, types.join(", "))
    }
}

/// Checks a program, which may call functions of the prelude. `None` if there are mistakes, which go to `errors`, or if the
/// parser found some. The result type of the function `inferred`, which nothing calls, is that of its body.
pub(super) fn check(
    program: &ast::Program,
    prelude: &ast::Program,
    inferred: Option<&str>,
    errors: &mut Vec<L0Error>,
) -> Option<typed::Program> {
    let mut signatures = Signatures {
        functions: HashMap::new(),
        broken: program.broken_headers.iter().map(|name| name.text.as_str()).collect(),
        has_nameless: program.has_nameless_function,
        prelude: Prelude::new(prelude, program.functions.len()),
    };
    for (at, function) in program.functions.iter().enumerate() {
        let Name { text, span } = &function.name;
        if predefined(text).is_some() {
            errors.push(L0Error::PredefinedFunction { span: *span, name: text.clone() });
        } else if let Some(first) = signatures.functions.get(text.as_str()) {
            errors.push(L0Error::DuplicateFunction { span: *span, name: text.clone(), first: first.name_span });
        } else {
            let params = function.params.iter().map(|param| Type::of(&param.ty)).collect();
            let signature =
                Signature { id: FunctionId::new(at), params, result: Type::of(&function.result), name_span: *span };
            signatures.functions.insert(text, signature);
        }
    }
    let mut parameters: Parameters = program
        .functions
        .iter()
        .map(|function| function.params.iter().map(|param| Type::of(&param.ty)).collect())
        .collect();
    let mut functions = Table::new();
    for function in program.functions.iter().filter(|function| function.is_intact) {
        functions.push(checked(function, &signatures, Scope::Program, inferred, &mut parameters, errors));
    }
    let mut names: HashSet<String> = program.functions.iter().map(|function| function.name.text.clone()).collect();
    let mut done = 0;
    while let Some(at) = { signatures.prelude.used.borrow().get(done).copied() } {
        let mut function =
            checked(&signatures.prelude.functions[at], &signatures, Scope::Prelude, None, &mut parameters, errors);
        // No two functions have one name.
        if !names.insert(function.name.clone()) {
            let free = (2..).map(|n| format!("{}_{n}", function.name)).find(|name| !names.contains(name));
            function.name = free.expect("there are more names than functions");
            names.insert(function.name.clone());
        }
        functions.push(function);
        done += 1;
    }
    if errors.is_empty() && program.is_intact {
        for id in functions.indices().collect::<Vec<FunctionId>>() {
            if let Some(looped) = tail_calls::as_loop(id, &functions[id]) {
                let mut refusals = Vec::new();
                uniqueness::check(&looped, &parameters, &mut refusals);
                // What consumes an array as no loop may stays a recursion.
                if refusals.is_empty() {
                    functions[id] = looped;
                }
            }
        }
    }
    let entry = signatures.functions.get("main").map(|signature| signature.id);
    (errors.is_empty() && program.is_intact).then_some(typed::Program { functions, entry })
}

/// Checks one function, and that it consumes arrays as it may.
fn checked<'p>(
    function: &'p ast::Function,
    signatures: &Signatures<'p>,
    scope: Scope,
    inferred: Option<&str>,
    parameters: &mut Parameters,
    errors: &mut Vec<L0Error>,
) -> Function {
    let checked =
        Checker::new(signatures, scope, errors).function(function, inferred == Some(function.name.text.as_str()));
    let prelude = &signatures.prelude;
    for &used in &prelude.used.borrow()[parameters.len() - prelude.first..] {
        parameters.push(prelude.parameters(used));
    }
    uniqueness::check(&checked, parameters, errors);
    checked
}

/// Whose functions a function may call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Those of the program, then those of the prelude.
    Program,
    /// Those of the prelude.
    Prelude,
}

/// Checks one function.
struct Checker<'c, 'p> {
    signatures: &'c Signatures<'p>,
    callable: Scope,
    errors: &'c mut Vec<L0Error>,
    variables: Table<Var, Variable>,
    /// The variables in scope by name, innermost last.
    scope: HashMap<&'p str, Vec<Var>>,
    /// The names bound, in order, to be forgotten at the end of their scope.
    bound: Vec<&'p str>,
    /// How many anonymous functions and loop bodies are around.
    barriers: usize,
    /// For each variable, how many of these are around its binding.
    barriers_of: Vec<usize>,
    /// Unknown variables and functions that were reported: once in a function is enough.
    reported: HashSet<&'p str>,
}

impl<'c, 'p> Checker<'c, 'p> {
    fn new(signatures: &'c Signatures<'p>, callable: Scope, errors: &'c mut Vec<L0Error>) -> Self {
        Checker {
            signatures,
            callable,
            errors,
            variables: Table::new(),
            scope: HashMap::new(),
            bound: Vec::new(),
            barriers: 0,
            barriers_of: Vec::new(),
            reported: HashSet::new(),
        }
    }

    fn function(&mut self, function: &'p ast::Function, is_inferred: bool) -> Function {
        let params = self.params(&function.params);
        let body = self.expr(&function.body);
        let result = if is_inferred { body.ty.with_uniqueness(false) } else { Type::of(&function.result) };
        self.expect_type(
            &body,
            &result,
            || format!("the body of `{}`", function.name.text),
            Some((function.result.span, "declared here")),
        );
        Function {
            name: function.name.text.clone(),
            name_span: function.name.span,
            params,
            result,
            body,
            variables: std::mem::take(&mut self.variables),
            span: function.span,
        }
    }

    /// Binds parameters, which need different names.
    fn params(&mut self, params: &'p [ast::Param]) -> Vec<Var> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut variables = Vec::new();
        for param in params {
            let Name { text, span } = &param.name;
            if let Some(first) = seen.insert(text, *span) {
                self.errors.push(L0Error::DuplicateParameter { span: *span, name: text.clone(), first });
            }
            variables.push(self.bind(text, Type::of(&param.ty), *span));
        }
        variables
    }

    // ---- scopes

    /// Brings a variable into scope.
    fn bind(&mut self, name: &'p str, ty: Type, span: Span) -> Var {
        let variable = self.fresh(name, ty, span);
        self.variables[variable].is_written = true;
        self.scope.entry(name).or_default().push(variable);
        self.bound.push(name);
        variable
    }

    /// Makes a variable that no name reaches.
    fn fresh(&mut self, name: &str, ty: Type, span: Span) -> Var {
        self.barriers_of.push(self.barriers);
        self.variables.push(Variable { name: name.to_string(), is_written: false, ty, span })
    }

    /// Forgets what was bound since `bound` had `mark` names.
    fn leave(&mut self, mark: usize) {
        for name in self.bound.drain(mark..).rev() {
            self.scope.get_mut(name).expect("a bound name is in scope").pop();
        }
    }

    /// The variable of a name and its type here; `None` if there is none, which is reported.
    fn variable(&mut self, name: &'p str, span: Span) -> Option<(Var, Type)> {
        if let Some(variable) = self.scope.get(name).and_then(|variables| variables.last()) {
            return Some((*variable, self.type_here(*variable)));
        }
        if self.reported.insert(name) {
            let in_scope = self.scope.iter().filter(|(_, variables)| !variables.is_empty()).map(|(name, _)| *name);
            let suggestion = match self.is_function(name) {
                true => Suggestion::IsFunction,
                false if self.errors.len() < MAX_SUGGESTIONS => Suggestion::nearest(name, in_scope),
                false => Suggestion::Nothing,
            };
            self.errors.push(L0Error::UnknownVariable { span, name: name.to_string(), suggestion });
        }
        None
    }

    /// The type of a variable as an expression: from outside an anonymous function or loop body it is not unique.
    fn type_here(&self, variable: Var) -> Type {
        let ty = &self.variables[variable].ty;
        if self.barriers_of[variable.at()] < self.barriers { ty.with_uniqueness(false) } else { ty.clone() }
    }

    /// The operation that a name stands for as a function, if no function of the program has it.
    fn operation(&self, name: &str) -> Option<UnaryOp> {
        predefined(name).or_else(|| self.own(name).is_none().then(|| UnaryOp::of_prelude(name))?)
    }

    /// The function of the program that a name stands for.
    fn own(&self, name: &str) -> Option<&'c Signature> {
        self.signatures.functions.get(name).filter(|_| self.callable == Scope::Program)
    }

    fn is_function(&self, name: &str) -> bool {
        self.own(name).is_some()
            || self.operation(name).is_some()
            || self.signatures.prelude.overloads(name).next().is_some()
    }

    /// The signature of a function for arguments that it fits, of which these are the types known; `None` if there is none,
    /// which is reported.
    fn signature(&mut self, name: &'p Name, given: &[Type], fits: impl Fn(&[Type]) -> bool) -> Option<Signature> {
        let text = name.text.as_str();
        if let Some(signature) = self.own(text) {
            return Some(signature.clone());
        }
        let prelude = &self.signatures.prelude;
        let overloads: Vec<usize> = prelude.overloads(text).collect();
        if let Some(at) = overloads.iter().find(|at| fits(&prelude.parameters(**at))) {
            return Some(prelude.signature(*at));
        }
        if self.signatures.broken.contains(text) || self.signatures.has_nameless || !self.reported.insert(text) {
            return None;
        }
        if !overloads.is_empty() {
            let variants = overloads.into_iter().map(|at| prelude.shown(at)).collect();
            let given = given.to_vec();
            self.errors.push(L0Error::NoSuchOverload { span: name.span, name: text.to_string(), given, variants });
            return None;
        }
        let names = self.signatures.functions.keys().copied().chain(PREDEFINED.iter().map(|(name, _)| *name));
        let names = names.chain(prelude::NAMES.iter().map(String::as_str));
        let suggestion = match self.scope.get(text).is_some_and(|variables| !variables.is_empty()) {
            true => Suggestion::IsVariable,
            false if self.errors.len() < MAX_SUGGESTIONS => Suggestion::nearest(text, names),
            false => Suggestion::Nothing,
        };
        self.errors.push(L0Error::UnknownFunction { span: name.span, name: text.to_string(), suggestion });
        None
    }

    // ---- expressions in general

    /// A variable as an expression.
    fn read(&self, variable: Var, span: Span) -> Expr {
        Expr { kind: ExprKind::Var(variable), ty: self.type_here(variable), span }
    }

    /// What stands for an expression with a mistake. Its parts are kept for what they consume.
    fn mistaken(&self, span: Span, parts: Vec<Expr>) -> Expr {
        Expr { kind: ExprKind::Tuple(parts), ty: Type::Error, span }
    }

    /// Reports `expr` if its type is not `expected`, uniqueness apart.
    fn expect_type(
        &mut self,
        expr: &Expr,
        expected: &Type,
        what: impl FnOnce() -> String,
        because: Option<(Span, &'static str)>,
    ) -> bool {
        let fits = expr.ty.matches(expected);
        if !fits {
            self.errors.push(L0Error::TypeMismatch {
                span: place(expr),
                what: what(),
                expected: expected.clone(),
                found: expr.ty.clone(),
                because,
            });
        }
        fits
    }

    /// A tuple type, unless it is too large.
    fn tuple_type(&mut self, components: Vec<Type>, span: Span) -> Type {
        let ty = Type::tuple(components);
        if ty.leaves() > MAX_COMPONENTS {
            self.errors.push(L0Error::TypeTooLarge { span, limit: MAX_COMPONENTS });
            return Type::Error;
        }
        ty
    }
}

/// Where a mistake about the value of an expression is: behind the `in` of a block, the rest is not at fault.
fn place(expr: &Expr) -> Span {
    match &expr.kind {
        ExprKind::Block { result, .. } => place(result),
        _ => expr.span,
    }
}
