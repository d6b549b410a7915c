//! A function: its parameters, the functions that it calls, and its results.

use super::error::{NumpyError, Result};
use super::item::Item;
use super::memory::{Array, Buffer, Group};
use super::module::Module;
use super::selection::Selection;
use super::statement::Exit;
use super::{Callers, Compiled, PythonCall, Returned, Signature};
use frit_ir::array::build::Builder;
use frit_ir::array::{Extent, Func, Operand, Program, ResultExtent, ResultType, Type, Value};
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// How many calls of functions may be inside one another: they are all inlined.
const MAX_CALLS: usize = 64;

/// Where parts of a program begin and end in its text, in bytes.
pub(super) type Places = BTreeSet<(usize, usize)>;

/// What the statements before this place have made.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The variables of the functions that are being called, the innermost last.
    pub scopes: Vec<BTreeMap<String, Item>>,
    /// The value of each buffer.
    pub buffers: Vec<Value>,
    /// Pairs of buffers that may be one, depending on which way was taken.
    pub aliases: BTreeSet<(Buffer, Buffer)>,
    /// Buffers that may have changed when an [alias](Self::aliases) was written.
    pub unknown: BTreeSet<Buffer>,
    /// Buffers that the caller may see.
    pub callers: BTreeSet<Buffer>,
    /// Which of several buffers loops have exchanged hold what.
    pub groups: Vec<Group>,
    /// Sizes that are equal, by a check before this place.
    pub equal: BTreeMap<Value, Extent>,
    /// Buffers whose elements are in NumPy perhaps not in C's order: results keep the order of operands.
    pub unordered: BTreeSet<Buffer>,
    /// For each mask that selected elements, how many it selected.
    pub counts: BTreeMap<Value, Value>,
}

/// A function of the program.
pub(super) struct Callable<'m> {
    pub name: &'m str,
    pub args: &'m ast::Arguments,
    pub body: Body<'m>,
}

/// What a function does.
#[derive(Clone, Copy)]
pub(super) enum Body<'m> {
    Stmts(&'m [Stmt]),
    /// That of a `lambda`.
    Expr(&'m Expr),
}

/// The text of the function that is being inlined.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Where it ends, in bytes.
    pub end: usize,
    /// Where the outermost loop around this place begins.
    pub outermost_loop: Option<usize>,
    /// The scope around a function inside a function.
    pub around: Option<usize>,
    /// Of a function of the library, where the program calls it.
    pub called: Option<Span>,
}

/// One walk over a function, which emits its array IR.
pub(super) struct Lowering<'m> {
    pub module: &'m Module,
    pub b: Builder,
    pub state: State,
    /// The functions of the module, then those inside of functions.
    pub functions: Vec<Callable<'m>>,
    /// The functions that are being inlined, the innermost last.
    pub frames: Vec<Frame>,
    /// Variables that a function says are the module's.
    pub globals: BTreeSet<String>,
    /// Loops around this place, in the innermost function.
    pub loops: usize,
    /// Integers that are never below a number.
    pub least: BTreeMap<Value, i64>,
    /// Integers that are another plus a constant.
    pub sums: BTreeMap<Value, (Value, i64)>,
    /// Sizes that are `max(0, other - less)`: the other, and how much less.
    pub shortened: BTreeMap<Value, (Value, i64)>,
    /// Who makes calls that are not compiled.
    pub callers: &'m Callers,
    /// The places of these calls.
    pub left: &'m Places,
    /// Calls around the first mistake, the innermost first.
    pub failed: Vec<(usize, usize)>,
    /// The places of loops whose bodies are lowered once for each iteration.
    pub unrolled: &'m Places,
    /// Loops of few iterations around the first mistake that constants would mend, the innermost first.
    pub few: Vec<(usize, usize)>,
    /// The buffer whose value is the certificate of the last call that Python makes.
    pub order: Option<Buffer>,
    /// The calls that Python makes.
    pub calls: Vec<PythonCall>,
    /// How many objects these give.
    pub objects: usize,
    /// Extents of the results of element-by-element operations.
    pub spaces: BTreeSet<Extent>,
    /// Arrays of the elements where a mask holds.
    pub selections: BTreeMap<Value, Selection>,
    /// Where shapes are checked to fit, and they.
    pub broadcasts: Vec<(Span, Vec<Vec<Extent>>)>,
}

/// Compiles a function of a module for a call with such arguments. Loops of few iterations are unrolled where only that makes
/// something known. Calls that cannot be compiled are left to Python, if it is there.
pub(super) fn compile(module: &Module, entry: &str, signature: &Signature, callers: &Callers) -> Result<Compiled> {
    let (mut left, mut unrolled) = (Places::new(), Places::new());
    loop {
        let mut mistaken = Mistaken::default();
        let error = match attempt(module, entry, signature, callers, (&left, &unrolled), &mut mistaken) {
            Ok(compiled) => return Ok(compiled),
            Err(error) => error,
        };
        if let Some(&few) = mistaken.few.iter().find(|few| !unrolled.contains(*few)) {
            unrolled.insert(few);
            continue;
        }
        match mistaken.calls.into_iter().find(|call| !left.contains(call)) {
            Some(call) if error.can_be_left() => _ = left.insert(call),
            _ => return Err(error),
        }
    }
}

/// What is around a mistake, the innermost first.
#[derive(Default)]
struct Mistaken {
    calls: Vec<(usize, usize)>,
    /// Loops that may be unrolled.
    few: Vec<(usize, usize)>,
}

/// Compiles a function; if that fails, notes what is around the mistake.
fn attempt<'m>(
    module: &'m Module,
    entry: &str,
    signature: &Signature,
    callers: &'m Callers,
    (left, unrolled): (&'m Places, &'m Places),
    mistaken: &mut Mistaken,
) -> Result<Compiled> {
    let whole = Span::new(module.file, 0, 0);
    let Some(position) = module.function(entry) else {
        let others = module.functions.iter().map(|function| format!("`{}`", function.name)).collect();
        return Err(Box::new(NumpyError::NoFunction { span: whole, name: entry.to_string(), others }));
    };
    let span = module.head(&module.functions[position]);
    let functions = module.functions.iter().map(callable).collect();
    let mut lowering = Lowering {
        module,
        b: Builder::new(Func::new(entry, span)),
        state: State::default(),
        functions,
        frames: vec![Frame { end: 0, outermost_loop: None, around: None, called: None }],
        globals: BTreeSet::new(),
        loops: 0,
        sums: BTreeMap::new(),
        least: BTreeMap::new(),
        shortened: BTreeMap::new(),
        spaces: BTreeSet::new(),
        selections: BTreeMap::new(),
        broadcasts: Vec::new(),
        callers,
        left,
        failed: Vec::new(),
        unrolled,
        few: Vec::new(),
        order: None,
        calls: Vec::new(),
        objects: 0,
    };
    lowering.state.scopes.push(BTreeMap::new());
    let names = &module.functions[position].args.args;
    let (items, parameters) = lowering.parameters(signature, |at| names.get(at).map(|arg| arg.def.arg.as_str().into()));
    lowering.state.callers = (0..lowering.state.buffers.len()).collect();
    let first: Vec<Value> = lowering.state.buffers.clone();
    if !left.is_empty() {
        lowering.begin_callbacks();
    }
    let declared = &module.functions[position].args;
    let by_position = (declared.posonlyargs.len() + declared.args.len()).min(items.len());
    let names = declared.kwonlyargs.iter().map(|arg| arg.def.arg.to_string());
    let named = names.zip(items[by_position..].iter().cloned()).collect();
    let result = lowering.call(position, None, items[..by_position].to_vec(), named, span);
    mistaken.calls = std::mem::take(&mut lowering.failed);
    mistaken.few = std::mem::take(&mut lowering.few);
    let result = result?;
    let mut shown = Shown::default();
    let returned = lowering.returned(&result, &items, &mut shown, span)?;
    let mut changed = Vec::new();
    for (buffer, &before) in first.iter().enumerate() {
        if lowering.state.unknown.contains(&buffer) {
            return Err(lowering.shared(span));
        }
        let content = lowering.content(buffer);
        if content == before {
            continue;
        }
        let result = shown.add(content.into());
        let params = &mut lowering.b.func.params;
        let at = params.iter().position(|param| param.value == before).expect("the caller's buffers are parameters");
        changed.push((at, result));
        params[at].consumed = true;
    }
    let calls = std::mem::take(&mut lowering.calls);
    let broadcasts = lowering.checked_shapes();
    let hidden = lowering.finish(shown.values);
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(hidden.0));
    Ok(Compiled { program, returned, parameters, changed, calls, broadcasts, hidden_results: hidden.1 })
}

/// The function that a definition defines.
pub(super) fn callable(function: &ast::StmtFunctionDef) -> Callable<'_> {
    Callable { name: function.name.as_str(), args: &function.args, body: Body::Stmts(&function.body) }
}

/// True if it is an array or an object.
fn is_the_callers(item: &Item) -> bool {
    first_array(item).is_some() || matches!(item, Item::Object(..))
}

/// An array that an item is or has as its real part.
fn first_array(item: &Item) -> Option<&Array> {
    match item {
        Item::Array(array) => Some(array),
        Item::Complex(parts) => first_array(&parts[0]),
        _ => None,
    }
}

/// The values that a function returns, each once.
#[derive(Default)]
struct Shown {
    values: Vec<Operand>,
}

impl Shown {
    /// The position of a value among the results.
    fn add(&mut self, value: Operand) -> usize {
        match self.values.iter().position(|&other| other == value && value.value().is_some()) {
            Some(at) => at,
            None => {
                self.values.push(value);
                self.values.len() - 1
            }
        }
    }
}

impl<'m> Lowering<'m> {
    /// What is returned, and its values.
    fn returned(&mut self, item: &Item, arguments: &[Item], shown: &mut Shown, span: Span) -> Result<Returned> {
        if let Some(at) = arguments.iter().position(|argument| argument == item && is_the_callers(item)) {
            return Ok(Returned::Argument(at));
        }
        Ok(match item {
            Item::None => Returned::None,
            Item::Named(names, _) if Item::is_dict(names) || item.grown().is_some() => {
                let what = format!("a function that returns {}", item.name());
                return Err(self.not_compiled(span, &what, "return an array or a tuple"));
            }
            Item::Tuple(items) | Item::Named(_, items) => {
                let items = items.iter().map(|item| self.returned(item, arguments, shown, span));
                Returned::Tuple(items.collect::<Result<_>>()?)
            }
            Item::Number(number) => {
                let result = shown.add(number.x);
                Returned::Value { result, is_complex: false, is_python: number.weak }
            }
            Item::Array(array) => {
                let result = shown.add(self.read(array).into());
                Returned::Value { result, is_complex: false, is_python: false }
            }
            Item::Complex(parts) => {
                let result = shown.add(self.interleaved(parts, span)?.into());
                let is_python = matches!(&parts[0], Item::Number(number) if number.weak);
                Returned::Value { result, is_complex: true, is_python }
            }
            Item::Perhaps(item, _) => return self.returned(item, arguments, shown, span),
            other => return Err(self.not_compiled(span, &format!("a function that returns {}", other.name()), "")),
        })
    }

    /// The function with these results, after the sizes that their types mention; and how many these are.
    fn finish(mut self, values: Vec<Operand>) -> (Func, usize) {
        let types: Vec<Type> = values.iter().map(|&value| self.b.func.operand_type(value)).collect();
        let own: BTreeSet<Value> = self.b.func.sizes.iter().copied().collect();
        let mut hidden: Vec<Value> = Vec::new();
        for extent in types.iter().flat_map(|ty| &ty.shape) {
            if let Extent::Value(value) = *extent
                && !own.contains(&value)
                && !hidden.contains(&value)
            {
                hidden.push(value);
            }
        }
        let extent = |extent: &Extent| match *extent {
            Extent::Const(n) => ResultExtent::Const(n),
            Extent::Value(value) => match hidden.iter().position(|&other| other == value) {
                Some(at) => ResultExtent::Result(at),
                None => ResultExtent::Size(value),
            },
        };
        let size = ResultType { elem: Scalar::I64, shape: Vec::new(), unique: false };
        let results = types.iter().map(|ty| ResultType {
            elem: ty.elem,
            shape: ty.shape.iter().map(extent).collect(),
            unique: false,
        });
        self.b.func.results = hidden.iter().map(|_| size.clone()).chain(results).collect();
        let last = self.last_callback();
        if last.is_some() {
            let cert = ResultType { elem: Scalar::Cert, shape: Vec::new(), unique: false };
            self.b.func.results.insert(hidden.len(), cert);
        }
        hidden.extend(last);
        let all = hidden.iter().map(|&value| Operand::from(value)).chain(values).collect();
        let count = hidden.len();
        (self.b.finish(all), count)
    }

    /// Calls a function of the program: its body is inlined.
    pub(super) fn call(
        &mut self,
        position: usize,
        around: Option<usize>,
        args: Vec<Item>,
        named: Vec<(String, Item)>,
        span: Span,
    ) -> Result<Item> {
        let Callable { name, args: parameters, body } = self.functions[position];
        if self.state.scopes.len() > MAX_CALLS {
            return Err(self.not_compiled(span, "recursion", "write a loop"));
        }
        let mut scope = BTreeMap::new();
        let by_position: Vec<&ast::ArgWithDefault> = parameters.posonlyargs.iter().chain(&parameters.args).collect();
        let wrong = |what: String| Err(Box::new(NumpyError::WrongArguments { span, what }));
        if parameters.kwarg.is_some() {
            return Err(self.not_compiled(span, "a function with `**kwargs`", "name its parameters"));
        }
        match &parameters.vararg {
            Some(rest) => {
                let items = args.get(by_position.len()..).unwrap_or_default().to_vec();
                scope.insert(rest.arg.to_string(), Item::Tuple(items));
            }
            None if args.len() > by_position.len() => {
                return wrong(format!("`{name}` takes {} arguments, not {}", by_position.len(), args.len()));
            }
            None => {}
        }
        for (parameter, item) in by_position.iter().zip(args) {
            scope.insert(parameter.def.arg.to_string(), item);
        }
        let all = || by_position.iter().copied().chain(&parameters.kwonlyargs);
        for (key, item) in named {
            if !all().any(|parameter| parameter.def.arg.as_str() == key) || scope.insert(key.clone(), item).is_some() {
                return wrong(format!("`{name}` does not take the argument `{key}`, or has it already"));
            }
        }
        for parameter in all() {
            let key = parameter.def.arg.to_string();
            if scope.contains_key(&key) {
                continue;
            }
            let Some(default) = &parameter.default else {
                return wrong(format!("`{name}` needs a value for `{key}`"));
            };
            let item = self.outside(default)?;
            scope.insert(key, item);
        }
        let end = match body {
            Body::Stmts(stmts) => stmts.last().map_or(0, |stmt| self.module.span(stmt).end as usize),
            Body::Expr(expr) => self.module.span(expr).end as usize,
        };
        let called = self.module.is_library(end).then_some(span);
        self.state.scopes.push(scope);
        self.frames.push(Frame { end, outermost_loop: None, around, called });
        let loops = std::mem::take(&mut self.loops);
        let result = match body {
            Body::Stmts(stmts) => self.block(stmts, None).map(|exit| match exit {
                Exit::Return(item) => item,
                Exit::Fall | Exit::Iteration(_) => Item::None,
            }),
            Body::Expr(expr) => self.expr(expr),
        };
        self.loops = loops;
        self.frames.pop();
        self.state.scopes.pop();
        result
    }

    /// What an expression outside of functions is. Arrays of the module are not written.
    pub(super) fn outside(&mut self, expr: &'m Expr) -> Result<Item> {
        let called = self.module.is_library(self.module.span(expr).start as usize).then(|| self.b.span());
        self.state.scopes.push(BTreeMap::new());
        self.frames.push(Frame { end: 0, outermost_loop: None, around: None, called });
        let item = self.expr(expr);
        self.frames.pop();
        self.state.scopes.pop();
        let mut item = item?;
        keep(&mut item);
        Ok(item)
    }

    /// What a buffer holds: loops may have exchanged it with others.
    pub(super) fn content(&mut self, buffer: Buffer) -> Value {
        let found = self.state.groups.iter().rev().find_map(|group| {
            let at = group.originals.iter().position(|&original| original == buffer)?;
            let values = || group.holders.iter().map(|&(holder, _)| self.state.buffers[holder]);
            let is_unwritten = group.unwritten.as_ref().is_some_and(|old| values().eq(old.iter().copied()));
            (!is_unwritten).then(|| (at, group.holders.clone()))
        });
        let mut value = self.state.buffers[buffer];
        let Some((at, holders)) = found else { return value };
        for (holder, which) in holders {
            let held = self.content(holder);
            value = match which {
                Operand::Const(which) if which == Const::i64(at as i64) => held,
                Operand::Const(_) => value,
                which => {
                    let is_held = self.arithmetic(BinOp::EQ, which, Operand::i64(at as i64));
                    self.one_of(is_held, held, value)
                }
            };
        }
        value
    }

    /// One of two arrays of a type.
    fn one_of(&mut self, cond: Operand, one: Value, other: Value) -> Value {
        let ty = self.b.func.ty(other).clone();
        let side = |value: Value| frit_ir::array::Block { stmts: Vec::new(), results: vec![value.into()] };
        self.b.branch(cond, side(one), side(other), &[&|_| ty.clone()])[0]
    }
}

/// Makes arrays read-only.
fn keep(item: &mut Item) {
    match item {
        Item::Array(array) => array.read_only = true,
        Item::Complex(parts) => parts.iter_mut().for_each(keep),
        Item::Tuple(items) | Item::Named(_, items) => items.iter_mut().for_each(keep),
        _ => {}
    }
}
