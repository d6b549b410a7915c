//! Calls: which function is meant, and its body in the place of the call.

use super::instance::has_constant_integer;
use super::pattern::flexible;
use super::value::{Binding, Data, Env, Known, Value};
use super::{Result, Specialiser};
use crate::sac::core::dispatch::{Choice, Class, choose, parameter_classes};
use crate::sac::core::{Axis, Count, Expr, Function, FunctionId, Inlining, Local, OverloadId, Param, Pattern};
use frit_ir::array::{Extent, Operand};
use frit_ir::{BinOp, Const, FailureKind};
use frit_support::Span;
use std::collections::BTreeMap;

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) value: Value,
    /// It may change its shape to fit: the literal `[]`.
    pub(super) is_flexible: bool,
    /// Where it stands.
    pub(super) span: Span,
}

impl<'p> Specialiser<'p> {
    /// The results of a call in the program's text.
    pub(super) fn call_expr(
        &mut self,
        env: &mut Env,
        overload: OverloadId,
        args: &'p [Expr],
        span: Span,
    ) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.expr(env, arg)?;
            values.push(Argument { value, is_flexible: flexible(arg), span: arg.span });
        }
        self.call_with(overload, values, span)
    }

    /// The results of a call.
    pub(super) fn call(&mut self, overload: OverloadId, args: Vec<Value>, span: Span) -> Result<Vec<Value>> {
        let args = args.into_iter().map(|value| Argument { value, is_flexible: false, span }).collect();
        self.call_with(overload, args, span)
    }

    fn call_with(&mut self, overload: OverloadId, args: Vec<Argument>, span: Span) -> Result<Vec<Value>> {
        let candidates = &self.program.overloads[overload].candidates;
        let classes: Vec<Class> = args.iter().map(|arg| self.class(&arg.value)).collect();
        match choose(self.program, candidates, &classes) {
            Choice::One(function) => self.apply(function, args, span),
            Choice::None => match self.choose_for_literals(candidates, &args, &classes) {
                Some(function) => self.apply(function, args, span),
                None => self.fail(FailureKind::NoMatchingFunction, span),
            },
            Choice::Ambiguous(_) => self.fail(FailureKind::AmbiguousCall, span),
            Choice::Depends(functions) => self.decide(&functions, args, span),
        }
    }

    /// The class of a value's shape.
    fn class(&self, value: &Value) -> Class {
        let extent = |extent: Extent| match extent {
            Extent::Const(n) => Some(n),
            Extent::Value(_) => None,
        };
        Class::Extents(self.shape(value).into_iter().map(extent).collect())
    }

    /// The function that is meant if literals `[]` among the arguments may have any shape without elements.
    fn choose_for_literals(
        &self,
        candidates: &[FunctionId],
        args: &[Argument],
        classes: &[Class],
    ) -> Option<FunctionId> {
        if args.iter().all(|arg| !arg.is_flexible) {
            return None;
        }
        let holds_empty = |class: &Class| match class {
            Class::Extents(extents) => extents.iter().any(|extent| extent.is_none_or(|extent| extent == 0)),
            Class::AtLeast(_) => true,
        };
        let any_shape =
            |(class, arg): (&Class, &Argument)| if arg.is_flexible { Class::AtLeast(0) } else { class.clone() };
        let classes: Vec<Class> = classes.iter().zip(args).map(any_shape).collect();
        let fits = |id: &FunctionId| {
            let params = parameter_classes(&self.program.functions[*id]);
            params.iter().zip(args).all(|(class, arg)| !arg.is_flexible || holds_empty(class))
        };
        let candidates: Vec<FunctionId> = candidates.iter().copied().filter(fits).collect();
        match choose(self.program, &candidates, &classes) {
            Choice::One(function) => Some(function),
            Choice::Depends(functions) => functions.first().copied(),
            Choice::None | Choice::Ambiguous(_) => None,
        }
    }

    /// The first of these functions that accepts the arguments, which depends on their extents.
    fn decide(&mut self, functions: &[FunctionId], args: Vec<Argument>, span: Span) -> Result<Vec<Value>> {
        let Some((&first, others)) = functions.split_first() else {
            return self.fail(FailureKind::NoMatchingFunction, span);
        };
        let mut pairs: Vec<(Operand, Operand)> = Vec::new();
        let mut accepts: Operand = Const::Bool(true).into();
        for (class, arg) in parameter_classes(&self.program.functions[first]).iter().zip(&args) {
            let Class::Extents(extents) = class else { continue };
            for (needed, found) in extents.iter().zip(self.shape(&arg.value)) {
                let Some(needed) = needed else { continue };
                let equal = self.equal(Operand::i64(*needed), found.into());
                match (accepts, equal) {
                    (_, Operand::Const(Const::Bool(true))) => continue,
                    (Operand::Const(Const::Bool(true)), _) => accepts = equal,
                    _ => accepts = self.total_binary(BinOp::AND, accepts, equal),
                }
                pairs.push((Operand::i64(*needed), found.into()));
            }
        }
        match accepts.constant() {
            Some(Const::Bool(true)) => return self.apply(first, args, span),
            Some(_) => return self.decide(others, args, span),
            None => {}
        }
        self.branch(
            accepts,
            |this, is_first| {
                if !is_first {
                    return this.decide(others, args.clone(), span);
                }
                pairs.iter().for_each(|&(x, y)| this.equate(x, y));
                this.apply(first, args.clone(), span)
            },
            span,
        )
    }

    /// The results of a function: its body in the place of the call, or a call of the array IR.
    fn apply(&mut self, id: FunctionId, args: Vec<Argument>, span: Span) -> Result<Vec<Value>> {
        let function = &self.program.functions[id];
        let is_instance = function.inlining == Inlining::NoInline
            || self.is_running_alike(id, &args)
            || self.repeats_with_arrays(id, &args)
            || self.is_too_large(function);
        if is_instance {
            return self.call_instance(id, args, span);
        }
        // A call is work also where nothing comes of it but constants.
        self.count_statement();
        let ranks = args.iter().map(|arg| self.rank(&arg.value)).collect();
        self.chain.push(super::Frame { function: id, span, ranks, statements: self.all_statements });
        let outer = self.builder.span();
        let results = self.run_function(id, function, args);
        self.builder.set_span(outer);
        self.chain.pop();
        results
    }

    /// True if the function is being specialised for arguments of these ranks: it is recursive.
    fn is_running_alike(&self, id: FunctionId, args: &[Argument]) -> bool {
        let ranks: Vec<usize> = args.iter().map(|arg| self.rank(&arg.value)).collect();
        self.chain.iter().any(|frame| frame.function == id && frame.ranks == ranks)
    }

    /// True if the function calls itself, for arrays of fixed ranks: the code of the calls inside serves this one too. Not where integers are
    /// known, which may decide how the function ends.
    fn repeats_with_arrays(&self, id: FunctionId, args: &[Argument]) -> bool {
        let is_of_fixed_rank = |class: &Class| matches!(class, Class::Extents(_));
        self.effects.recursive.contains(&id)
            && parameter_classes(&self.program.functions[id]).iter().all(is_of_fixed_rank)
            && args.iter().any(|arg| matches!(arg.value.data, Data::Array(_)))
            && !args.iter().any(|arg| has_constant_integer(&arg.value))
    }

    /// The results of a function's body for these arguments.
    pub(super) fn run_function(
        &mut self,
        id: FunctionId,
        function: &'p Function,
        args: Vec<Argument>,
    ) -> Result<Vec<Value>> {
        self.liveness.analyse(id, function);
        let mut env = Env { bindings: function.locals.iter().map(|_| Binding::Unset).collect() };
        let checks = self.enter();
        if function.params.iter().any(|param| param.pattern.has_several_open_parts()) {
            let values = function.params.iter().zip(&args);
            let values: Vec<_> = values.map(|(param, arg)| (&param.pattern, &arg.value, arg.span)).collect();
            let given = |(param, arg): (&Param, &Argument)| Some((param.local, self.known_number(&arg.value)?));
            let given = function.params.iter().zip(&args).filter_map(given).collect();
            self.name_counts(&mut env, &values, given)?;
        }
        for (param, arg) in function.params.iter().zip(args) {
            let value = self.match_parameter(&mut env, &param.pattern, arg.value, arg.is_flexible, arg.span)?;
            self.bind_parameter(&mut env, param.local, value, arg.span)?;
        }
        for condition in &function.requires {
            self.constraint(&mut env, condition, function)?;
        }
        let guarded = self.mark();
        let entry = entry_values(function, &env);
        self.block(&mut env, &function.body)?;
        let mut results = Vec::with_capacity(function.returns.len());
        for value in &function.returns {
            results.push(self.expr(&mut env, value)?);
        }
        for (local, binding) in entry {
            env.bindings[local] = binding;
        }
        if function.results.iter().any(Pattern::has_several_open_parts) {
            let values = function.results.iter().zip(&results).zip(&function.returns);
            let values: Vec<_> = values.map(|((pattern, result), value)| (pattern, result, value.span)).collect();
            self.name_counts(&mut env, &values, BTreeMap::new())?;
        }
        for (at, (value, pattern)) in function.returns.iter().zip(&function.results).enumerate() {
            let result = results[at].clone();
            results[at] = self.match_pattern(&mut env, pattern, result, flexible(value), true, value.span)?;
        }
        let before_ensures = self.certs.len();
        for condition in &function.ensures {
            self.constraint(&mut env, condition, function)?;
        }
        let mark = if self.certs.len() > before_ensures { self.mark() } else { guarded };
        Ok(self.leave_function(checks, mark, results))
    }

    fn constraint(&mut self, env: &mut Env, condition: &'p Expr, function: &Function) -> Result<()> {
        let value = self.expr(env, condition)?;
        let truth = self.truth(&value, condition.span)?;
        let cond = self.as_operand(truth);
        if cond != Operand::Const(Const::Bool(true)) {
            let place = self.told(condition.span);
            self.constraints.entry(place).or_default().insert(function.name.clone());
        }
        self.assert(cond, FailureKind::ConstraintViolated, Vec::new(), condition.span)
    }

    /// Gives a parameter its value, which must be the one that an earlier parameter's type bound the name to.
    fn bind_parameter(&mut self, env: &mut Env, local: Local, value: Value, span: Span) -> Result<()> {
        if let Binding::Set(bound) = &env.bindings[local] {
            let bound = bound.clone();
            let (needed, found) = (self.shape(&bound), self.shape(&value));
            let certs = self.check_shape(FailureKind::ExtentMismatch, &needed, &found, span)?;
            self.hold(&certs);
            let (bound, found) = (self.small_vector(&bound, span)?, self.small_vector(&value, span)?);
            for (bound, found) in bound.into_iter().zip(found) {
                let (bound, found) = (self.as_exact(bound), self.as_exact(found));
                let cond = self.equal(bound, found);
                self.assert(cond, FailureKind::ExtentMismatch, vec![bound, found], span)?;
                if cond.constant().is_none() {
                    self.equate(bound, found);
                }
            }
            // What the shape says is known better.
            return Ok(());
        }
        env.bindings[local] = Binding::Set(value);
        Ok(())
    }

    /// Ends the scope of a function's checks. Results that do not depend on them get their certificates; where none does, as sizes
    /// and constants, the caller keeps them. Values since `mark` were made under them.
    fn leave_function(&mut self, checks: super::Checks, mark: usize, results: Vec<Value>) -> Vec<Value> {
        if self.certs.len() == checks.certs {
            self.leave(checks);
            return results;
        }
        let certs = self.certs[checks.certs..].to_vec();
        let mut is_tied = false;
        let mut tied = Vec::with_capacity(results.len());
        for result in results {
            if self.depends_on_checks(&result, mark) {
                is_tied = true;
                tied.push(result);
                continue;
            }
            is_tied |= has_operands(&result);
            tied.push(self.certify_parts(result, &certs));
        }
        if is_tied {
            self.leave(checks);
        } else if certs.len() > 1 {
            let all = self.conjoin(certs);
            self.certs.truncate(checks.certs);
            self.certs.extend(all.value());
        }
        tied
    }

    /// True if everything that the array IR computes for a value was made since `mark` by statements that list the certificates in
    /// scope.
    fn depends_on_checks(&self, value: &Value, mark: usize) -> bool {
        let depends =
            |operand: Operand| operand.value().is_some_and(|v| self.listed.get(&v).is_some_and(|&since| since >= mark));
        match &value.data {
            Data::Components { scalars, .. } => {
                has_operands(value)
                    && scalars.iter().all(|s| match s.known {
                        Known::Operand(operand) => depends(operand),
                        Known::Const(_) | Known::Wide { .. } => true,
                    })
            }
            Data::Array(array) => depends((*array).into()),
            Data::Struct { fields, .. } => fields.iter().all(|field| self.depends_on_checks(field, mark)),
        }
    }
}

/// True if a value has parts that can be certified.
fn has_operands(value: &Value) -> bool {
    match &value.data {
        Data::Components { scalars, .. } => scalars.iter().any(|s| matches!(s.known, Known::Operand(_))),
        Data::Array(_) => true,
        Data::Struct { fields, .. } => fields.iter().any(has_operands),
    }
}

/// What names mean in types of results and in conditions on them: what they meant to the caller, also if the body assigns them anew.
fn entry_values(function: &Function, env: &Env) -> Vec<(Local, Binding)> {
    let is_set = |local: &Local| matches!(env.bindings[*local], Binding::Set(_));
    let saved = |local: Local| (local, env.bindings[local].clone());
    if !function.ensures.is_empty() {
        return function.locals.indices().filter(is_set).map(saved).collect();
    }
    let mut locals = Vec::new();
    for axis in function.results.iter().flat_map(|pattern| &pattern.axes) {
        match axis {
            Axis::Extent(_) | Axis::Any | Axis::Rest { .. } => {}
            Axis::Bind(local) => locals.push(*local),
            Axis::Axes { count, shape, .. } => {
                if let Count::Bind(local) = count {
                    locals.push(*local);
                }
                locals.extend(*shape);
            }
        }
    }
    locals.into_iter().filter(is_set).map(saved).collect()
}
