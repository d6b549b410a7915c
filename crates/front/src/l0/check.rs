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
mod statement;
mod tail_calls;
mod uniqueness;

use super::ast::{self, Name};
use super::error::{L0Error, Suggestion};
use super::typed::{self, Expr, ExprKind, Function, FunctionId, UnaryOp, Var, Variable};
use super::types::Type;
use frit_support::{Index, Span, Table};
use std::collections::{HashMap, HashSet};

/// More components than this in one type are refused: tuples of tuples could otherwise double in size on every line.
const MAX_COMPONENTS: usize = 100_000;

/// After so many mistakes no similar names are looked for: that compares each unknown name with all others.
const MAX_SUGGESTIONS: usize = 100;

/// The predefined functions.
const PREDEFINED: [(&str, UnaryOp); 6] = [
    ("toReal", UnaryOp::ToReal),
    ("trunc", UnaryOp::Trunc),
    ("sqrt", UnaryOp::Sqrt),
    ("log", UnaryOp::Log),
    ("exp", UnaryOp::Exp),
    ("trace", UnaryOp::Trace),
];

fn predefined(name: &str) -> Option<UnaryOp> {
    PREDEFINED.iter().find(|(predefined, _)| *predefined == name).map(|(_, op)| *op)
}

/// What callers know of a function.
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
}

/// Checks a program. `None` if there are mistakes, which go to `errors`, or if the parser found some.
pub(super) fn check(program: &ast::Program, errors: &mut Vec<L0Error>) -> Option<typed::Program> {
    let mut signatures = Signatures {
        functions: HashMap::new(),
        broken: program.broken_headers.iter().map(|name| name.text.as_str()).collect(),
        has_nameless: program.has_nameless_function,
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
    let parameters: Parameters = program
        .functions
        .iter()
        .map(|function| function.params.iter().map(|param| Type::of(&param.ty)).collect())
        .collect();
    let mut functions = Table::new();
    for function in program.functions.iter().filter(|function| function.is_intact) {
        let mut checker = Checker::new(&signatures, errors);
        let checked = checker.function(function);
        uniqueness::check(&checked, &parameters, errors);
        functions.push(checked);
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

/// Checks one function.
struct Checker<'c, 'p> {
    signatures: &'c Signatures<'p>,
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
    fn new(signatures: &'c Signatures<'p>, errors: &'c mut Vec<L0Error>) -> Self {
        Checker {
            signatures,
            errors,
            variables: Table::new(),
            scope: HashMap::new(),
            bound: Vec::new(),
            barriers: 0,
            barriers_of: Vec::new(),
            reported: HashSet::new(),
        }
    }

    fn function(&mut self, function: &'p ast::Function) -> Function {
        let params = self.params(&function.params);
        let result = Type::of(&function.result);
        let body = self.expr(&function.body);
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
            let suggestion = match self.signatures.functions.contains_key(name) || predefined(name).is_some() {
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

    /// The signature of a function; `None` if there is none, which is reported.
    fn signature(&mut self, name: &'p Name) -> Option<&'c Signature> {
        let text = name.text.as_str();
        if let Some(signature) = self.signatures.functions.get(text) {
            return Some(signature);
        }
        if !self.signatures.broken.contains(text) && !self.signatures.has_nameless && self.reported.insert(text) {
            let names = self.signatures.functions.keys().copied().chain(PREDEFINED.iter().map(|(name, _)| *name));
            let suggestion = match self.scope.get(text).is_some_and(|variables| !variables.is_empty()) {
                true => Suggestion::IsVariable,
                false if self.errors.len() < MAX_SUGGESTIONS => Suggestion::nearest(text, names),
                false => Suggestion::Nothing,
            };
            self.errors.push(L0Error::UnknownFunction { span: name.span, name: text.to_string(), suggestion });
        }
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
