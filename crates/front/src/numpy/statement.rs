//! Functions and statements.

use super::argument::Argument;
use super::error::{NumpyError, Result};
use super::item::{Item, Number};
use super::memory::{Array, Buffer};
use super::module::Module;
use super::types;
use super::{Compiled, Signature};
use frit_ir::array::build::Builder;
use frit_ir::array::{Extent, Func, Operand, Param, Program, ResultExtent, ResultType, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Ranged, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// How many calls of functions may be inside one another: they are all inlined.
const MAX_CALLS: usize = 64;

/// What the statements before this place have made.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The variables of the functions that are being called, the innermost last.
    pub scopes: Vec<BTreeMap<String, Item>>,
    /// The value of each buffer.
    pub buffers: Vec<Value>,
    /// Buffers that may not be written any more, since a variable may or may not be a view on them.
    pub frozen: BTreeSet<Buffer>,
}

/// One walk over a function, which emits its array IR.
pub(super) struct Lowering<'m> {
    pub module: &'m Module,
    pub b: Builder,
    pub state: State,
    /// Loops around this place, in the innermost function.
    pub loops: usize,
    /// Integers that are never below a number.
    pub least: BTreeMap<Value, i64>,
    /// Sizes that are `max(0, other - less)`: the other, and how much less.
    pub shortened: BTreeMap<Value, (Value, i64)>,
}

/// How a list of statements ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Exit {
    /// At its end.
    Fall,
    /// With a result of the function.
    Return(Item),
    /// With this iteration of the loop around it; the loop goes on if this holds.
    Iteration(Operand),
}

/// Compiles a function of a module for a call with such arguments.
pub(super) fn compile(module: &Module, entry: &str, signature: &Signature) -> Result<Compiled> {
    let whole = Span::new(module.file, 0, 0);
    let Some(position) = module.function(entry) else {
        let others = module.functions.iter().map(|function| format!("`{}`", function.name)).collect();
        return Err(Box::new(NumpyError::NoFunction { span: whole, name: entry.to_string(), others }));
    };
    let function = &module.functions[position];
    let span = module.span(&*function.name_span(module));
    let mut lowering = Lowering {
        module,
        b: Builder::new(Func::new(entry, span)),
        state: State::default(),
        loops: 0,
        least: BTreeMap::new(),
        shortened: BTreeMap::new(),
    };
    lowering.state.scopes.push(BTreeMap::new());
    let mut items = Vec::new();
    for (at, argument) in signature.iter().enumerate() {
        items.push(lowering.parameter(argument, function.args.args.get(at).map(|arg| arg.def.arg.as_str())));
    }
    let first: Vec<Value> = lowering.state.buffers.clone();
    let result = lowering.call(position, items.clone(), Vec::new(), span)?;
    let changed: Vec<usize> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| matches!(item, Item::Array(array) if lowering.state.buffers[array.buffer] != first[array.buffer]))
        .map(|(at, _)| at)
        .collect();
    let mut shown = Vec::new();
    match &result {
        Item::None => changed.iter().for_each(|&at| shown.push(items[at].clone())),
        result => lowering.flatten(result, &mut shown, span)?,
    }
    let func = lowering.finish(shown);
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(func));
    Ok(Compiled { program, changed })
}

/// The place of a function's name.
trait NameSpan {
    fn name_span(&self, module: &Module) -> Box<Place>;
}

/// A range of a file.
pub(super) struct Place(rustpython_parser::text_size::TextRange);

impl Ranged for Place {
    fn range(&self) -> rustpython_parser::text_size::TextRange {
        self.0
    }
}

impl NameSpan for ast::StmtFunctionDef {
    fn name_span(&self, _: &Module) -> Box<Place> {
        let start = self.body.first().map_or(self.range().end(), |first| first.range().start());
        Box::new(Place(rustpython_parser::text_size::TextRange::new(self.range().start(), start.max(self.range().start()))))
    }
}

impl Lowering<'_> {
    /// A parameter of the function.
    fn parameter(&mut self, argument: &Argument, name: Option<&str>) -> Item {
        let name: Option<std::sync::Arc<str>> = name.map(Into::into);
        let mut shape = Vec::new();
        for &is_one in &argument.is_one {
            shape.push(if is_one {
                Extent::Const(1)
            } else {
                let size = self.b.value(Type::scalar(Scalar::I64), None);
                self.b.func.sizes.push(size);
                self.least.insert(size, 0);
                Extent::Value(size)
            });
        }
        let value = self.b.value(Type::array(argument.elem, shape.clone()), name);
        self.b.func.params.push(Param { value, consumed: false });
        if shape.is_empty() {
            return Item::Number(Number { x: value.into(), elem: argument.elem, weak: argument.is_python });
        }
        Item::Array(self.fresh(value))
    }

    /// The values that a result consists of.
    fn flatten(&mut self, item: &Item, shown: &mut Vec<Item>, span: Span) -> Result<()> {
        match item {
            Item::Tuple(items) => items.iter().try_for_each(|item| self.flatten(item, shown, span)),
            Item::Number(_) | Item::Array(_) => {
                shown.push(item.clone());
                Ok(())
            }
            other => Err(self.not_compiled(span, &format!("a function that returns {}", other.name()), "")),
        }
    }

    /// The function with these results: first the sizes that their types mention, then they themselves.
    fn finish(mut self, shown: Vec<Item>) -> Func {
        let mut values = Vec::new();
        for item in &shown {
            values.push(match item {
                Item::Number(number) => number.x,
                Item::Array(array) => self.read(array).into(),
                _ => panic!("results are numbers and arrays"),
            });
        }
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
        let all = hidden.iter().map(|&value| Operand::from(value)).chain(values).collect();
        self.b.finish(all)
    }

    /// Calls a function of the module: its body is inlined.
    pub(super) fn call(&mut self, position: usize, args: Vec<Item>, named: Vec<(String, Item)>, span: Span) -> Result<Item> {
        let module = self.module;
        let function = &module.functions[position];
        if self.state.scopes.len() > MAX_CALLS {
            return Err(self.not_compiled(span, "recursion", "write a loop"));
        }
        let mut scope = BTreeMap::new();
        let parameters: Vec<&ast::ArgWithDefault> =
            function.args.posonlyargs.iter().chain(&function.args.args).collect();
        let name = &function.name;
        let wrong = |what: String| Err(Box::new(NumpyError::WrongArguments { span, what }));
        if function.args.vararg.is_some() || function.args.kwarg.is_some() {
            return Err(self.not_compiled(module.span(function), "a function with `*args` or `**kwargs`", ""));
        }
        if args.len() > parameters.len() {
            return wrong(format!("`{name}` takes {} arguments, not {}", parameters.len(), args.len()));
        }
        for (parameter, item) in parameters.iter().zip(args) {
            scope.insert(parameter.def.arg.to_string(), item);
        }
        let all = || parameters.iter().copied().chain(&function.args.kwonlyargs);
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
        self.state.scopes.push(scope);
        let loops = std::mem::take(&mut self.loops);
        let exit = self.block(&function.body);
        self.loops = loops;
        self.state.scopes.pop();
        Ok(match exit? {
            Exit::Return(item) => item,
            Exit::Fall | Exit::Iteration(_) => Item::None,
        })
    }

    /// What an expression outside of functions is.
    pub(super) fn outside(&mut self, expr: &Expr) -> Result<Item> {
        self.state.scopes.push(BTreeMap::new());
        let item = self.expr(expr);
        self.state.scopes.pop();
        item
    }

    /// Runs statements in order.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Result<Exit> {
        for (at, stmt) in stmts.iter().enumerate() {
            let span = self.module.span(stmt);
            self.b.set_span(span);
            let exit = match stmt {
                Stmt::If(branch) if leaves(&branch.body) || leaves(&branch.orelse) => {
                    // What follows belongs to the ways that come to it.
                    return self.if_stmt(branch, &stmts[at + 1..]);
                }
                Stmt::If(branch) => self.if_stmt(branch, &[])?,
                stmt => self.stmt(stmt, span)?,
            };
            if exit != Exit::Fall {
                return Ok(exit);
            }
        }
        Ok(Exit::Fall)
    }

    fn stmt(&mut self, stmt: &Stmt, span: Span) -> Result<Exit> {
        match stmt {
            Stmt::Pass(_) | Stmt::Import(_) | Stmt::ImportFrom(_) => {}
            Stmt::Return(stmt) if self.loops > 0 => {
                let _ = stmt;
                return Err(self.not_compiled(span, "`return` inside a loop", "set a variable, `break`, and return it after the loop"));
            }
            Stmt::Return(stmt) => {
                let item = stmt.value.as_ref().map_or(Ok(Item::None), |value| self.expr(value))?;
                return Ok(Exit::Return(item));
            }
            Stmt::Break(_) => return Ok(Exit::Iteration(Operand::Const(Const::Bool(false)))),
            Stmt::Continue(_) => return Ok(Exit::Iteration(Operand::Const(Const::Bool(true)))),
            Stmt::Assign(assign) => {
                let item = self.expr(&assign.value)?;
                assign.targets.iter().try_for_each(|target| self.assign(target, item.clone()))?;
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let item = self.expr(value)?;
                    self.assign(&assign.target, item)?;
                }
            }
            Stmt::AugAssign(assign) => self.augmented(assign, span)?,
            Stmt::Expr(stmt) if matches!(&*stmt.value, Expr::Constant(_)) => {}
            Stmt::Expr(stmt) => {
                self.expr(&stmt.value)?;
            }
            Stmt::Assert(stmt) => {
                let cond = self.expr(&stmt.test)?;
                let cond = self.truth(&cond, self.module.span(&*stmt.test))?;
                self.b.assert(cond, FailureKind::AssertionFailed, Vec::new());
            }
            Stmt::For(stmt) => return self.for_stmt(stmt),
            Stmt::While(stmt) => return self.while_stmt(stmt),
            Stmt::Delete(stmt) => {
                for target in &stmt.targets {
                    if let Expr::Name(name) = target {
                        self.scope().remove(name.id.as_str());
                    }
                }
            }
            other => {
                let what = match other {
                    Stmt::FunctionDef(_) => "a function inside a function",
                    Stmt::ClassDef(_) => "a class",
                    Stmt::With(_) => "`with`",
                    Stmt::Raise(_) => "`raise`",
                    Stmt::Try(_) => "`try`",
                    Stmt::Global(_) | Stmt::Nonlocal(_) => "`global`",
                    Stmt::Match(_) => "`match`",
                    _ => "this statement",
                };
                return Err(self.not_compiled(span, what, "move it to a function that is not compiled"));
            }
        }
        Ok(Exit::Fall)
    }

    /// The variables of the function.
    pub(super) fn scope(&mut self) -> &mut BTreeMap<String, Item> {
        self.state.scopes.last_mut().expect("a function is being compiled")
    }

    /// Assigns to a variable, an element, a slice, or several of these.
    pub(super) fn assign(&mut self, target: &Expr, item: Item) -> Result<()> {
        let span = self.module.span(target);
        match target {
            Expr::Name(name) => {
                self.scope().insert(name.id.to_string(), item);
                Ok(())
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let items = self.parts(item, span)?;
                if items.len() != elts.len() {
                    let what = format!("{} values are assigned to {} variables", items.len(), elts.len());
                    return Err(Box::new(NumpyError::WrongType { span, what }));
                }
                elts.iter().zip(items).try_for_each(|(target, item)| self.assign(target, item))
            }
            Expr::Subscript(subscript) => {
                let of = self.expr(&subscript.value)?;
                let index = self.index(&subscript.slice)?;
                self.store(&of, &index, item, span)
            }
            other => {
                let _ = other;
                Err(self.not_compiled(span, "an assignment to this", "assign to a variable, an element or a slice"))
            }
        }
    }

    fn augmented(&mut self, assign: &ast::StmtAugAssign, span: Span) -> Result<()> {
        let value = self.expr(&assign.value)?;
        match &*assign.target {
            Expr::Name(name) => {
                let old = self.variable(name.id.as_str(), span)?;
                let new = self.operator(assign.op, &old, &value, span)?;
                match old {
                    Item::Array(array) => self.overwrite(&array, new, span),
                    _ => {
                        self.scope().insert(name.id.to_string(), new);
                        Ok(())
                    }
                }
            }
            Expr::Subscript(subscript) => {
                let of = self.expr(&subscript.value)?;
                let index = self.index(&subscript.slice)?;
                let old = self.subscript(&of, &index, span)?;
                let new = self.operator(assign.op, &old, &value, span)?;
                self.store(&of, &index, new, span)
            }
            _ => Err(self.not_compiled(span, "an assignment to this", "assign to a variable, an element or a slice")),
        }
    }

    /// Writes all elements of an array: `a[...] = item`.
    pub(super) fn overwrite(&mut self, array: &Array, item: Item, span: Span) -> Result<()> {
        self.may_write(array, span)?;
        let new = self.converted(&item, &array.shape, array.elem, span)?;
        self.write(array, new);
        Ok(())
    }

    /// An error if an array may not be written.
    pub(super) fn may_write(&self, array: &Array, span: Span) -> Result<()> {
        if array.read_only || self.state.frozen.contains(&array.buffer) {
            let what = "this array may share its memory with another, depending on which way was taken".to_string();
            return Err(Box::new(NumpyError::SharedMemory { span, what }));
        }
        Ok(())
    }

    /// The parts that an item is unpacked into.
    pub(super) fn parts(&mut self, item: Item, span: Span) -> Result<Vec<Item>> {
        match item {
            Item::Tuple(items) => Ok(items),
            Item::Array(array) => match array.shape.first() {
                Some(&Extent::Const(n)) if n < 64 => {
                    let of = Item::Array(array);
                    (0..n).map(|at| self.subscript(&of, &Item::Number(Number::int(Operand::i64(at))), span)).collect()
                }
                _ => Err(self.not_compiled(span, "unpacking an array of unknown length", "index it")),
            },
            other => {
                let what = format!("{} is no tuple", other.name());
                Err(Box::new(NumpyError::WrongType { span, what }))
            }
        }
    }

    /// What a variable is.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Result<Item> {
        let unknown = || Box::new(NumpyError::UnknownName { span, name: name.to_string() });
        match self.scope().get(name).cloned() {
            Some(Item::Perhaps(item, is_assigned)) => {
                self.b.assert(is_assigned, FailureKind::UnassignedVariable, Vec::new());
                self.scope().insert(name.to_string(), (*item).clone());
                Ok(*item)
            }
            Some(item) => Ok(item),
            None if self.module.function(name).is_some() => {
                Ok(Item::Function(self.module.function(name).expect("it was just found")))
            }
            None if self.module.constants.contains_key(name) => {
                let module = self.module;
                self.outside(&module.constants[name])
            }
            None if self.module.imports.contains_key(name) => Ok(Item::Library(self.module.imports[name].clone())),
            None => match name {
                "bool" | "int" | "float" => Ok(Item::Dtype(types::named(name).expect("it is a type"))),
                "range" | "len" | "abs" | "min" | "max" | "sum" | "round" | "enumerate" | "zip" | "print" | "pow"
                | "tuple" | "list" | "reversed" | "isinstance" | "divmod" => Ok(Item::Library(name.to_string())),
                _ => Err(unknown()),
            },
        }
    }

    /// An error about something that is not compiled.
    pub(super) fn not_compiled(&self, span: Span, what: &str, instead: &str) -> Box<NumpyError> {
        Box::new(NumpyError::NotCompiled { span, what: what.to_string(), instead: instead.to_string() })
    }

    /// An error about types.
    pub(super) fn wrong_type(&self, span: Span, what: impl Into<String>) -> Box<NumpyError> {
        Box::new(NumpyError::WrongType { span, what: what.into() })
    }
}

/// True if some way through the statements ends the function or the iteration.
fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::If(branch) => leaves(&branch.body) || leaves(&branch.orelse),
        _ => false,
    })
}
