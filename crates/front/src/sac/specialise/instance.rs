//! Functions of the array IR: what is asked for, `noinline` functions, and recursive ones, made once for arguments of one kind.

use super::call::Argument;
use super::convention::{Convention, Sizes, fits_all, mark_unique, result_types, widened};
use super::join::{Dim, Form, FormData, Kind};
use super::sizes::MAX_EXTENT;
use super::value::{Data, Known, Scalar, Value};
use super::{Outer, Reason, Result, Specialiser, Stop, Unsupported};
use crate::sac::core::{Elem, FunctionId};
use frit_ir::array::{self, Extent, Func, FuncId, Op, Operand, Param, ResultType, Stmt, Type};
use frit_ir::{Const, Scalar as ElemType};
use frit_support::{Span, Table};
use std::collections::HashMap;

/// So many instances of one function may differ in constant extents; further ones have none.
const INSTANCES_BY_EXTENT: usize = 32;

/// Once what a function and its recursive calls have become is so many statements, further instances have no constant extents.
const STATEMENTS_BY_EXTENT: usize = 150;

/// So many instances one function may have.
const INSTANCES: usize = 256;

/// How often the form of a recursive function's results is tried.
const ATTEMPTS: usize = 6;

/// What an instance is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    function: FunctionId,
    args: Vec<Part>,
}

/// A part of an argument's form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Elem(Elem),
    Components(Vec<usize>),
    Constant(Const),
    Unknown,
    Array(usize),
    Extent(i64),
    Size(usize),
    Struct(usize, usize),
}

#[derive(Clone, Debug)]
enum State {
    /// Being made. Until the convention is known, calls of it end where they stand.
    Running {
        convention: Option<Convention>,
        is_called: bool,
    },
    Done(Convention),
    Unsupported(Box<Unsupported>),
}

#[derive(Clone, Debug)]
struct Instance {
    func: FuncId,
    state: State,
}

/// The functions made so far.
#[derive(Debug, Default)]
pub(super) struct Instances {
    pub(super) funcs: Table<FuncId, Func>,
    names: HashMap<String, usize>,
    made: HashMap<Key, Instance>,
    count: HashMap<FunctionId, usize>,
    /// The instances being made, the outermost first, and how far down this stack some were called that have no convention yet.
    running: Vec<Key>,
    lowest_called: usize,
}

/// What is kept of arguments beside their ranks.
#[derive(Clone, Copy)]
struct Kept {
    integers: bool,
    extents: bool,
}

impl<'p> Specialiser<'p> {
    /// A name that no other function of the array IR has.
    pub(super) fn fresh_name(&mut self, name: &str) -> String {
        let mut at = *self.instances.names.get(name).unwrap_or(&0);
        loop {
            let fresh = if at == 0 { name.to_owned() } else { format!("{name}.{at}") };
            at += 1;
            self.instances.names.insert(name.to_owned(), at);
            if fresh == name || !self.instances.names.contains_key(&fresh) {
                self.instances.names.entry(fresh.clone()).or_insert(1);
                return fresh;
            }
        }
    }

    /// A place for a function that is still to be made.
    pub(super) fn reserve(&mut self, name: String, span: Span) -> FuncId {
        self.instances.funcs.push(Func::new(name, span))
    }

    /// The parameters for the command line: the characters of all words, and where each word ends.
    pub(super) fn words_parameters(&mut self) -> (array::Value, array::Value) {
        let mut parameter = |elem: ElemType| {
            let size = self.new_size(0, MAX_EXTENT);
            self.builder.func.sizes.push(size);
            let value = self.builder.value(Type::array(elem, vec![Extent::Value(size)]), None);
            self.builder.func.params.push(Param { value, consumed: false });
            value
        };
        (parameter(ElemType::Char), parameter(ElemType::I64))
    }

    /// The results of a function in the body of one of the array IR; `None` if it certainly fails.
    pub(super) fn function_body(&mut self, id: FunctionId, args: Vec<(Value, Span)>) -> Result<Option<Vec<Value>>> {
        let function = &self.program.functions[id];
        let ranks = args.iter().map(|(value, _)| self.rank(value)).collect();
        let args = args.into_iter().map(|(value, span)| Argument { value, is_flexible: false, span }).collect();
        self.chain.push(super::Frame { function: id, span: function.span, ranks, statements: self.all_statements });
        let length = self.chain.len();
        let outcome = self.run_function(id, function, args);
        self.chain.truncate(length - 1);
        match outcome {
            Ok(results) => Ok(Some(results)),
            Err(Stop::Fails) => {
                while self.depth > 0 {
                    self.close(Vec::new());
                }
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Ends the function under construction: it gives these results, or if it fails any.
    pub(super) fn end(&mut self, func: FuncId, outer: Outer, convention: &Convention, results: Option<Vec<Value>>) {
        let mut sizes: Vec<Option<Operand>> = vec![None; convention.sizes];
        let mut operands = Vec::new();
        for (at, form) in convention.forms.iter().enumerate() {
            let value = results.as_ref().map(|results| &results[at]);
            if let Some(value) = value {
                self.collect_sizes(form, value, &mut sizes);
            }
            self.hand_over(form, value, &mut operands);
        }
        if convention.has_token {
            operands.push(self.token);
        }
        let mut all: Vec<Operand> = sizes.into_iter().map(|size| size.unwrap_or(Operand::i64(0))).collect();
        all.extend(operands);
        if results.is_none() {
            // What stands for the results depends on what fails, or the failure would be dead code.
            let cert = self.certain_failure();
            all.iter_mut().for_each(|operand| *operand = self.certified(*operand, vec![cert]));
        }
        let params = self.builder.func.sizes.clone();
        let mut types = vec![ResultType { elem: ElemType::I64, shape: Vec::new(), unique: false }; convention.sizes];
        convention.forms.iter().for_each(|form| result_types(form, convention.sizes, &params, &mut types));
        if convention.has_token {
            types.push(ResultType { elem: ElemType::Cert, shape: Vec::new(), unique: false });
        }
        let name = self.instances.funcs[func].name.clone();
        let inner = self.restore(outer);
        let mut made = inner.builder.finish(all);
        mark_unique(&made, &mut types);
        made.results = types;
        made.name = name;
        self.instances.funcs[func] = made;
    }

    // ---- calls ----

    /// A call of a function of the array IR, which is made if there is none for such arguments.
    pub(super) fn call_instance(&mut self, id: FunctionId, mut args: Vec<Argument>, span: Span) -> Result<Vec<Value>> {
        for object in self.given_objects(id) {
            args.push(Argument { value: self.object(object, span)?, is_flexible: false, span });
        }
        let count = self.instances.count.get(&id).copied().unwrap_or(0);
        let outermost = self.chain.iter().find(|frame| frame.function == id);
        let statements = outermost.map_or(0, |frame| self.all_statements - frame.statements);
        let extents = count < INSTANCES_BY_EXTENT && statements < STATEMENTS_BY_EXTENT;
        let stop = match self.call_kept(id, &args, Kept { integers: false, extents }, span) {
            Err(Stop::Unsupported(stop)) => stop,
            outcome => return outcome,
        };
        let has_integers = args.iter().any(|arg| has_constant_integer(&arg.value));
        if !has_integers || self.instances.count.get(&id).is_some_and(|&count| count > INSTANCES) {
            return Err(Stop::Unsupported(stop));
        }
        self.call_kept(id, &args, Kept { integers: true, extents: true }, span)
    }

    fn call_kept(&mut self, id: FunctionId, args: &[Argument], kept: Kept, span: Span) -> Result<Vec<Value>> {
        let mut sizes = ArgumentSizes::default();
        let forms: Vec<Form> = args.iter().map(|arg| self.argument_form(&arg.value, kept, &mut sizes)).collect();
        let mut parts = Vec::new();
        forms.iter().for_each(|form| key_parts(form, &mut parts));
        let key = Key { function: id, args: parts };
        let (func, convention) = self.instance(key, &forms, sizes.0.len(), span)?;
        let mut operands = Vec::new();
        for (form, arg) in forms.iter().zip(args) {
            self.hand_over(form, Some(&arg.value), &mut operands);
        }
        if self.effects.words.contains(&id) {
            let (words, ends) = self.words.expect("a function that asks for the command line is given it");
            operands.extend([Operand::Value(words), Operand::Value(ends)]);
        }
        if convention.has_token {
            operands.push(self.token);
        }
        let mut names: Vec<array::Value> = (0..convention.sizes).map(|_| self.new_size(0, MAX_EXTENT)).collect();
        let mut all: Vec<Extent> = names.iter().map(|&name| Extent::Value(name)).collect();
        all.extend(sizes.0);
        let mut values = Vec::new();
        for form in &convention.forms {
            values.push(self.take_over(form, &all, &mut names));
        }
        if convention.has_token {
            let token = self.builder.value(Type::scalar(ElemType::Cert), None);
            names.push(token);
            self.token = token.into();
        }
        let stmt = Stmt { results: names, op: Op::Call { callee: func, args: operands }, certs: self.certs(), span };
        self.count_statement();
        self.builder.push(stmt);
        Ok(values.into_iter().map(|value| self.widened_value(value)).collect())
    }

    /// The value with its `int`s exact in 64 bits.
    fn widened_value(&mut self, value: Value) -> Value {
        let data = match value.data {
            Data::Components { shape, scalars } => {
                let widen = |s: Scalar| match s.known {
                    Known::Operand(operand) => self.widened(s.basic, operand),
                    Known::Const(_) | Known::Wide { .. } => s,
                };
                Data::Components { shape, scalars: scalars.into_iter().map(widen).collect() }
            }
            Data::Struct { frame, fields } => {
                Data::Struct { frame, fields: fields.into_iter().map(|field| self.widened_value(field)).collect() }
            }
            data @ Data::Array(_) => data,
        };
        Value { elem: value.elem, data }
    }

    fn argument_form(&mut self, value: &Value, kept: Kept, sizes: &mut ArgumentSizes) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } => {
                let kind = |s: &Scalar| match s.known {
                    Known::Const(Const::Int(..)) if kept.integers => Kind::Fixed(*s),
                    Known::Const(_) | Known::Operand(_) | Known::Wide { .. } => Kind::Narrow(s.basic),
                };
                FormData::Components { shape: shape.clone(), kinds: scalars.iter().map(kind).collect() }
            }
            Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let shape = self.data_shape(value);
                // What elements are made of keeps its extents.
                let cell = self.program.cell_of(value.elem).0;
                let mut dims: Vec<Dim> = Vec::new();
                for &extent in &shape[..shape.len() - cell.len()] {
                    dims.push(sizes.dim(self, extent, kept));
                }
                dims.extend(cell.iter().map(|&n| Dim::Fixed(Extent::Const(n))));
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.argument_form(field, kept, sizes)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    /// The function for arguments of these forms, and how it gives its results.
    fn instance(&mut self, key: Key, forms: &[Form], sizes: usize, span: Span) -> Result<(FuncId, Convention)> {
        if let Some(known) = self.instances.made.get_mut(&key) {
            let func = known.func;
            match &mut known.state {
                State::Done(convention) => return Ok((func, convention.clone())),
                State::Unsupported(stop) => return Err(Stop::Unsupported(stop.clone())),
                State::Running { convention: Some(convention), .. } => return Ok((func, convention.clone())),
                State::Running { convention: None, is_called } => {
                    *is_called = true;
                    let at = self.instances.running.iter().position(|running| *running == key);
                    let at = at.expect("what is being made is among the instances being made");
                    self.instances.lowest_called = self.instances.lowest_called.min(at);
                    return Err(Stop::Fails);
                }
            }
        }
        let id = key.function;
        let count = self.instances.count.entry(id).or_insert(0);
        *count += 1;
        if *count > 2 * INSTANCES {
            return self.unsupported(Reason::RecursionWithoutEnd, span);
        }
        let function = &self.program.functions[id];
        let name = self.fresh_name(&function.name);
        let func = self.reserve(name, function.span);
        let state = State::Running { convention: None, is_called: false };
        self.instances.made.insert(key.clone(), Instance { func, state });
        let at = self.instances.running.len();
        self.instances.running.push(key.clone());
        let outer_lowest = std::mem::replace(&mut self.instances.lowest_called, usize::MAX);
        let outcome = self.make_instance(&key, func, forms, sizes, span);
        self.instances.running.pop();
        let lowest = self.instances.lowest_called;
        self.instances.lowest_called = lowest.min(outer_lowest);
        match outcome {
            Ok(convention) => {
                if lowest < at {
                    // It was made while a function that it calls had no results; it is made again when that has.
                    self.instances.made.remove(&key);
                } else {
                    self.set_state(&key, State::Done(convention.clone()));
                }
                Ok((func, convention))
            }
            Err(Stop::Unsupported(stop)) => {
                if lowest < at {
                    self.instances.made.remove(&key);
                } else {
                    self.set_state(&key, State::Unsupported(stop.clone()));
                }
                Err(Stop::Unsupported(stop))
            }
            Err(Stop::Fails) => unreachable!("a function that fails is made all the same"),
        }
    }

    fn set_state(&mut self, key: &Key, state: State) {
        if let Some(instance) = self.instances.made.get_mut(key) {
            instance.state = state;
        }
    }

    fn make_instance(
        &mut self,
        key: &Key,
        func: FuncId,
        forms: &[Form],
        sizes: usize,
        span: Span,
    ) -> Result<Convention> {
        let function = &self.program.functions[key.function];
        let mut tried: Option<Convention> = None;
        for _ in 0..ATTEMPTS {
            let at = self.instances.running.len() - 1;
            let outer = self.begin(function.name.clone(), function.span);
            self.builder.func.noinline = function.inlining == crate::sac::core::Inlining::NoInline;
            let args = self.instance_parameters(key.function, forms, sizes);
            let results = match self.function_body(key.function, args) {
                Ok(results) => results,
                Err(stop) => {
                    self.restore(outer);
                    return Err(stop);
                }
            };
            let has_token = self.effects.outputs.contains(&key.function);
            let is_called = matches!(
                self.instances.made.get(key),
                Some(Instance { state: State::Running { is_called: true, .. }, .. })
            );
            let found = match &results {
                Some(results) => {
                    let mut made = Sizes::default();
                    let known = self.builder.func.sizes[..sizes].to_vec();
                    let forms = results.iter().map(|value| self.result_form(value, &known, &mut made, false)).collect();
                    made.convention(forms, has_token)
                }
                None => self.declared_convention(function, has_token),
            };
            match &tried {
                None if !is_called => {
                    self.end(func, outer, &found, results);
                    return Ok(found);
                }
                None => {
                    // What the ways that end say of the results is what all ways must.
                    let general = self.generalised(function, &found);
                    self.restore(outer);
                    tried = Some(general);
                }
                Some(convention) if results.is_none() || fits_all(convention, &found) => {
                    let convention = convention.clone();
                    self.end(func, outer, &convention, results);
                    return Ok(convention);
                }
                Some(convention) => {
                    let wider = widened(convention, &found);
                    self.restore(outer);
                    tried = match wider {
                        Some(wider) => Some(wider),
                        None => return self.unsupported(Reason::RankDependsOnData, span),
                    };
                }
            }
            if self.instances.lowest_called >= at {
                self.instances.lowest_called = usize::MAX;
            }
            self.set_state(key, State::Running { convention: tried.clone(), is_called: true });
        }
        self.unsupported(Reason::RankDependsOnData, span)
    }

    /// The parameters of an instance: the values of the function's.
    fn instance_parameters(&mut self, id: FunctionId, forms: &[Form], sizes: usize) -> Vec<(Value, Span)> {
        let function = &self.program.functions[id];
        let sizes: Vec<array::Value> = (0..sizes).map(|_| self.new_size(0, MAX_EXTENT)).collect();
        self.builder.func.sizes = sizes.clone();
        let sizes: Vec<Extent> = sizes.into_iter().map(Extent::Value).collect();
        let mut names = Vec::new();
        let mut args = Vec::new();
        for (form, param) in forms.iter().zip(&function.params) {
            args.push((self.take_over(form, &sizes, &mut names), param.pattern.span));
        }
        for (form, object) in forms[args.len()..].iter().zip(self.given_objects(id)) {
            let value = self.take_over(form, &sizes, &mut names);
            let value = self.widened_value(value);
            self.objects.insert(object, value);
        }
        self.builder.func.params = names.into_iter().map(|value| Param { value, consumed: false }).collect();
        if self.effects.words.contains(&id) {
            self.words = Some(self.words_parameters());
        }
        if self.effects.outputs.contains(&id) {
            let token = self.builder.value(Type::scalar(ElemType::Cert), None);
            self.builder.func.params.push(Param { value: token, consumed: false });
            self.token = token.into();
        }
        args.into_iter().map(|(value, span)| (self.widened_value(value), span)).collect()
    }
}

/// The extents of a call's arguments that are no constants.
#[derive(Default)]
struct ArgumentSizes(Vec<Extent>);

impl ArgumentSizes {
    fn dim(&mut self, specialiser: &Specialiser<'_>, extent: Extent, kept: Kept) -> Dim {
        if let Extent::Const(_) = extent
            && kept.extents
        {
            return Dim::Fixed(extent);
        }
        let same = |known: &Extent| specialiser.same_extent(*known, extent);
        let at = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push(extent);
            self.0.len() - 1
        });
        Dim::Varying(at)
    }
}

fn key_parts(form: &Form, parts: &mut Vec<Part>) {
    parts.push(Part::Elem(form.elem));
    match &form.data {
        FormData::Components { shape, kinds } => {
            parts.push(Part::Components(shape.clone()));
            parts.extend(kinds.iter().map(|kind| match kind {
                Kind::Fixed(scalar) => scalar.as_const().map_or(Part::Unknown, Part::Constant),
                Kind::Narrow(_) | Kind::Wide(..) => Part::Unknown,
            }));
        }
        FormData::Array { dims, .. } => {
            parts.push(Part::Array(dims.len()));
            parts.extend(dims.iter().map(|dim| match dim {
                Dim::Fixed(Extent::Const(n)) => Part::Extent(*n),
                Dim::Fixed(Extent::Value(_)) => unreachable!("sizes of arguments are counted"),
                Dim::Varying(at) => Part::Size(*at),
            }));
        }
        FormData::Same(_) => unreachable!("an argument is handed over"),
        FormData::Struct { frame, fields } => {
            parts.push(Part::Struct(*frame, fields.len()));
            fields.iter().for_each(|field| key_parts(field, parts));
        }
    }
}

pub(super) fn has_constant_integer(value: &Value) -> bool {
    match &value.data {
        Data::Components { scalars, .. } => scalars.iter().any(|s| s.as_int().is_some()),
        Data::Array(_) => false,
        Data::Struct { fields, .. } => fields.iter().any(has_constant_integer),
    }
}
