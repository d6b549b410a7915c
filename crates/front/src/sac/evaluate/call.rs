//! Calls: which function is meant, parameters and results.

use super::failure::{Failure, Outcome, fail};
use super::pattern::Flexible;
use super::value::Value;
use super::{Machine, flexible, only, pattern_locals};
use crate::sac::core::dispatch::{Choice, Class, choose};
use crate::sac::core::{Expr, Function, FunctionId, Local, OverloadId, Pattern};
use frit_ir::FailureKind;
use frit_support::{Index, Span};
use std::collections::BTreeMap;

/// An argument of a call.
pub(super) struct Argument {
    pub(super) value: Value,
    pub(super) flexible: Flexible,
    /// Where it stands.
    pub(super) span: Span,
}

/// What an overload means where just these of its candidates accept the arguments.
pub(super) struct Selection {
    /// One bit per candidate.
    accepting: u128,
    choice: Choice,
}

/// Candidates beyond this number are chosen among anew by every call.
const REMEMBERED: usize = 128;

impl<'p> Machine<'p> {
    /// A call: the results.
    pub(super) fn call(&mut self, overload: OverloadId, args: &'p [Expr], span: Span) -> Outcome<Vec<Value>> {
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(Argument { value: self.value(arg)?, flexible: flexible(arg), span: arg.span });
        }
        let function = match self.choose(overload, &given) {
            Choice::One(function) => function,
            Choice::None => match self.choose_for_literals(overload, &given) {
                Some(function) => function,
                None => return self.no_match(overload, &given, span),
            },
            Choice::Ambiguous(_) => return fail(FailureKind::AmbiguousCall, &[], span),
            Choice::Depends(_) => panic!("which function a call means is decided by the shapes of its arguments"),
        };
        self.apply(function, given).map_err(|failure| self.told_of(failure, span))
    }

    /// A call with these values as arguments, as folds make it.
    pub(super) fn call_with(&mut self, overload: OverloadId, values: Vec<Value>, span: Span) -> Outcome<Value> {
        let given =
            values.into_iter().map(|value| Argument { value, flexible: Flexible::No, span }).collect::<Vec<_>>();
        match self.choose(overload, &given) {
            Choice::One(function) => {
                Ok(only(self.apply(function, given).map_err(|failure| self.told_of(failure, span))?))
            }
            Choice::None => self.no_match(overload, &given, span),
            Choice::Ambiguous(_) => fail(FailureKind::AmbiguousCall, &[], span),
            Choice::Depends(_) => panic!("which function a call means is decided by the shapes of its arguments"),
        }
    }

    /// The function that is meant; never one that depends on anything.
    fn choose(&mut self, overload: OverloadId, args: &[Argument]) -> Choice {
        let candidates = &self.program.overloads[overload].candidates;
        if candidates.len() > REMEMBERED {
            return choose(self.program, candidates, &classes(args));
        }
        let accepts = |function: &FunctionId| {
            self.classes[*function].iter().zip(args).all(|(class, arg)| accepts(class, &arg.value.shape))
        };
        let accepting = (0..).zip(candidates).filter(|(_, function)| accepts(function)).map(|(at, _)| 1 << at).sum();
        // Among candidates that all accept the arguments, these do not matter any more.
        if let Some(known) = self.selections[overload].iter().find(|known| known.accepting == accepting) {
            return known.choice.clone();
        }
        let choice = choose(self.program, candidates, &classes(args));
        self.selections[overload].push(Selection { accepting, choice: choice.clone() });
        choice
    }

    /// The function that is meant if literals `[]` among the arguments may have any shape without elements.
    fn choose_for_literals(&self, overload: OverloadId, args: &[Argument]) -> Option<FunctionId> {
        let is_literal = |arg: &Argument| arg.flexible == Flexible::Yes;
        if !args.iter().any(is_literal) {
            return None;
        }
        let any_shape = |(class, arg): (Class, &Argument)| if is_literal(arg) { Class::AtLeast(0) } else { class };
        let classes: Vec<Class> = classes(args).into_iter().zip(args).map(any_shape).collect();
        let fits = |function: &FunctionId| {
            self.classes[*function].iter().zip(args).all(|(class, arg)| !is_literal(arg) || holds_empty(class))
        };
        let candidates: Vec<FunctionId> =
            self.program.overloads[overload].candidates.iter().copied().filter(fits).collect();
        match choose(self.program, &candidates, &classes) {
            Choice::One(function) => Some(function),
            Choice::Depends(functions) => functions.first().copied(),
            Choice::None | Choice::Ambiguous(_) => None,
        }
    }

    fn no_match<T>(&self, overload: OverloadId, args: &[Argument], span: Span) -> Outcome<T> {
        let shapes: Vec<String> = args.iter().map(|arg| format!("{:?}", arg.value.shape())).collect();
        let name = &self.program.overloads[overload].name;
        let note = format!("`{name}` is called with arguments of shapes {}", shapes.join(", "));
        fail(FailureKind::NoMatchingFunction, &[], span).map_err(|failure| with_note(failure, note))
    }

    /// A failure in the text of the library is told of the call that led there.
    fn told_of(&self, mut failure: Box<Failure>, call: Span) -> Box<Failure> {
        if failure.span.is_none() || self.program.is_library(failure.span) {
            failure.span = call;
        }
        failure
    }

    /// Runs a function for these arguments.
    pub(super) fn apply(&mut self, id: FunctionId, args: Vec<Argument>) -> Outcome<Vec<Value>> {
        let function = &self.program.functions[id];
        let caller = std::mem::replace(&mut self.frame, vec![None; function.locals.len()]);
        let results = self.run_function(function, args);
        self.frame = caller;
        results
    }

    fn run_function(&mut self, function: &'p Function, args: Vec<Argument>) -> Outcome<Vec<Value>> {
        if function.params.iter().any(|param| param.pattern.has_several_open_parts()) {
            let shapes = function.params.iter().zip(&args);
            let shapes: Vec<_> = shapes.map(|(param, arg)| (&param.pattern, &*arg.value.shape, arg.span)).collect();
            let given =
                function.params.iter().zip(&args).filter_map(|(param, arg)| Some((param.local, number(&arg.value)?)));
            let given = given.collect();
            self.name_counts(&shapes, given)?;
        }
        for (param, arg) in function.params.iter().zip(args) {
            let note = || format!("argument `{}` of `{}`", function.locals[param.local].name, function.name);
            self.match_pattern(&param.pattern, arg.value, arg.flexible, true, arg.span)
                .and_then(|value| self.bind(param.local, value, arg.span))
                .map_err(|failure| noted(failure, note))?;
        }
        for condition in &function.requires {
            self.constraint(condition, function)?;
        }
        let entry = self.entry_values(function);
        self.statements(&function.body)?;
        let mut results = Vec::with_capacity(function.returns.len());
        for value in &function.returns {
            results.push(self.value(value)?);
        }
        for (local, value) in entry {
            self.frame[local.at()] = Some(value);
        }
        if function.results.iter().any(Pattern::has_several_open_parts) {
            let shapes = function.results.iter().zip(&results).zip(&function.returns);
            let shapes: Vec<_> =
                shapes.map(|((pattern, result), value)| (pattern, &*result.shape, value.span)).collect();
            self.name_counts(&shapes, BTreeMap::new())?;
        }
        for (at, (value, pattern)) in function.returns.iter().zip(&function.results).enumerate() {
            let result = std::mem::replace(&mut results[at], Value::bool(false));
            let note = || format!("result {} of `{}`", at + 1, function.name);
            results[at] = self
                .match_pattern(pattern, result, flexible(value), true, value.span)
                .map_err(|failure| noted(failure, note))?;
        }
        for condition in &function.ensures {
            self.constraint(condition, function)?;
        }
        Ok(results)
    }

    fn constraint(&mut self, condition: &'p Expr, function: &Function) -> Outcome<()> {
        if self.truth(condition)? {
            return Ok(());
        }
        let note = || format!("a constraint of `{}`", function.name);
        fail(FailureKind::ConstraintViolated, &[], condition.span).map_err(|failure| noted(failure, note))
    }

    /// Gives a parameter its value, which must be the one that an earlier parameter's type bound the name to.
    fn bind(&mut self, local: Local, value: Value, span: Span) -> Outcome<()> {
        if let Some(bound) = &self.frame[local.at()] {
            super::failure::same_shape(FailureKind::ExtentMismatch, &bound.shape, &value.shape, span)?;
            for at in 0..bound.count() {
                if bound.integer(at) != value.integer(at) {
                    return fail(FailureKind::ExtentMismatch, &[bound.integer(at), value.integer(at)], span);
                }
            }
        }
        self.frame[local.at()] = Some(value);
        Ok(())
    }

    /// What names mean in types of results and in conditions on them: what they meant to the caller, also if the body assigned them anew.
    fn entry_values(&self, function: &Function) -> Vec<(Local, Value)> {
        let bound = |local: Local| Some((local, self.frame[local.at()].clone()?));
        if function.ensures.is_empty() {
            return function
                .results
                .iter()
                .flat_map(|pattern| pattern_locals(&pattern.axes))
                .filter_map(bound)
                .collect();
        }
        function.locals.indices().filter_map(bound).collect()
    }
}

fn with_note(mut failure: Box<super::Failure>, note: String) -> Box<super::Failure> {
    failure.note = Some(note);
    failure
}

/// The failure with these words, unless it has others, which are nearer to what went wrong.
fn noted(failure: Box<super::Failure>, note: impl Fn() -> String) -> Box<super::Failure> {
    if failure.note.is_some() { failure } else { with_note(failure, note()) }
}

/// True if a shape is of a class.
pub(super) fn accepts(class: &Class, shape: &[usize]) -> bool {
    match class {
        Class::Extents(extents) => {
            extents.len() == shape.len()
                && extents.iter().zip(shape).all(|(extent, found)| extent.is_none_or(|extent| extent == *found as i64))
        }
        Class::AtLeast(rank) => shape.len() >= *rank,
    }
}

/// True if a class has a shape without elements.
fn holds_empty(class: &Class) -> bool {
    match class {
        Class::Extents(extents) => extents.iter().any(|extent| extent.is_none_or(|extent| extent == 0)),
        Class::AtLeast(_) => true,
    }
}

fn classes(args: &[Argument]) -> Vec<Class> {
    let class = |arg: &Argument| Class::Extents(arg.value.shape.iter().map(|&n| Some(n as i64)).collect());
    args.iter().map(class).collect()
}

/// What a value says as a number of axes, or as part of a shape of how many there are.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value.shape[..] {
        [] => Some(value.integer(0)),
        [length] => i64::try_from(length).ok(),
        _ => None,
    }
}
