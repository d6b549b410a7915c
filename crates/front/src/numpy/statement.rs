//! Statements: assignments to variables, elements and slices.

use super::callback::{Callers, OUTSIDE};
use super::elementwise::{operand_type, shape_of};
use super::error::{NumpyError, Result};
use super::function::{Lowering, callable};
use super::inquiry;
use super::item::Item;
use super::memory::Array;
use super::types;
use frit_ir::Const;
use frit_ir::array::{Extent, Operand};
use frit_ir::failure::FailureKind;
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Stmt};
use std::collections::BTreeMap;

/// Functions of Python that are never compiled.
const OF_PYTHON: &[&str] = &[
    "callable",
    "dict",
    "filter",
    "format",
    "frozenset",
    "getattr",
    "hasattr",
    "hash",
    "id",
    "input",
    "iter",
    "map",
    "next",
    "object",
    "open",
    "repr",
    "set",
    "setattr",
    "sorted",
    "str",
    "type",
    "vars",
];

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

/// The statements that follow those of a branch, innermost first.
#[derive(Clone, Copy)]
pub(super) struct Rest<'r, 'm> {
    pub stmts: &'m [Stmt],
    pub next: Option<&'r Rest<'r, 'm>>,
}

impl<'m> Lowering<'m> {
    /// Runs statements in order, then `rest`.
    pub(super) fn block(&mut self, stmts: &'m [Stmt], rest: Option<&Rest<'_, 'm>>) -> Result<Exit> {
        for (at, stmt) in stmts.iter().enumerate() {
            let span = self.span(stmt);
            self.b.set_span(span);
            let exit = match stmt {
                Stmt::If(branch) if leaves(&branch.body) || leaves(&branch.orelse) => {
                    // What follows belongs to the ways that come to it.
                    return self.if_stmt(branch, Some(&Rest { stmts: &stmts[at + 1..], next: rest }));
                }
                Stmt::If(branch) => self.if_stmt(branch, None)?,
                stmt => self.stmt(stmt, span)?,
            };
            if exit != Exit::Fall {
                return Ok(exit);
            }
        }
        rest.map_or(Ok(Exit::Fall), |rest| self.block(rest.stmts, rest.next))
    }

    fn stmt(&mut self, stmt: &'m Stmt, span: Span) -> Result<Exit> {
        match stmt {
            Stmt::Pass(_) => {}
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                // The module's own imports are known; those of functions count for the whole module.
            }
            Stmt::Global(global) => self.globals.extend(global.names.iter().map(|name| name.to_string())),
            Stmt::FunctionDef(function) => {
                self.functions.push(callable(function));
                let item = Item::Function(self.functions.len() - 1, Some(self.state.scopes.len() - 1));
                self.scope().insert(function.name.to_string(), item);
            }
            Stmt::With(with) => {
                // `np.errstate` and its like change warnings only.
                for item in &with.items {
                    let is_errstate = matches!(&item.context_expr, Expr::Call(call)
                        if matches!(&*call.func, Expr::Attribute(attribute) if attribute.attr.as_str() == "errstate"));
                    if !is_errstate {
                        return Err(self.not_compiled(span, "`with`", "call it outside of the function"));
                    }
                }
                return self.block(&with.body, None);
            }
            Stmt::Raise(_) => {
                self.b.assert(Operand::Const(Const::Bool(false)), FailureKind::AssertionFailed, Vec::new());
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
                let cond = self.truth(&cond, self.span(&*stmt.test))?;
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
                    Stmt::ClassDef(_) => "a class",
                    Stmt::Try(_) => "`try`",
                    Stmt::Nonlocal(_) => "`nonlocal`",
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
    pub(super) fn assign(&mut self, target: &'m Expr, item: Item) -> Result<()> {
        let span = self.span(target);
        match target {
            Expr::Name(name) if self.globals.contains(name.id.as_str()) => {
                Err(self.not_compiled(span, "an assignment to a variable of the module", "return the value"))
            }
            Expr::Name(name) => {
                self.call_after(&item, name.id.as_str());
                self.scope().insert(name.id.to_string(), item);
                Ok(())
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let starred = elts.iter().position(|target| matches!(target, Expr::Starred(_)));
                let mut items = match starred {
                    Some(_) => self.parts(item, span)?,
                    None => self.parts_for(item, elts.len(), span)?,
                };
                // `a, *b = items`: a list of those that have no other variable.
                if let (Some(at), Some(count)) = (starred, (items.len() + 1).checked_sub(elts.len())) {
                    let rest = items.drain(at..at + count).collect();
                    items.insert(at, Item::list(rest));
                }
                if items.len() != elts.len() {
                    let what = format!("{} values are assigned to {} variables", items.len(), elts.len());
                    return Err(Box::new(NumpyError::WrongType { span, what }));
                }
                elts.iter().zip(items).try_for_each(|(target, item)| self.assign(target, item))
            }
            Expr::Starred(starred) => self.assign(&starred.value, item),
            Expr::Subscript(subscript) => {
                let of = self.expr(&subscript.value)?;
                let index = self.index(&subscript.slice)?;
                self.store(&of, &index, item, span)
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "shape" => self.give_shape(attribute, &item, span),
            Expr::Attribute(attribute) if matches!(attribute.attr.as_str(), "real" | "imag" | "T" | "flat") => {
                let of = self.expr(&attribute.value)?;
                let part = self.attribute(of, attribute.attr.as_str(), span)?;
                self.overwrite(&part, item, span)
            }
            _ => Err(self.not_compiled(span, "an assignment to this", "assign to a variable, an element or a slice")),
        }
    }

    /// Calls what a variable is after it, for reports and generated code. The first variable counts.
    fn call_after(&mut self, item: &Item, name: &str) {
        let value = match item {
            Item::Array(array) => Some(self.state.buffers[array.buffer]),
            Item::Number(number) => number.x.value(),
            _ => None,
        };
        // `_` is what nobody uses.
        if let (Some(value), false) = (value, name == "_") {
            self.b.func.values[value].name.get_or_insert_with(|| name.into());
        }
    }

    /// `a.shape = ...`: all variables that are this array have its new shape.
    fn give_shape(&mut self, attribute: &'m ast::ExprAttribute, shape: &Item, span: Span) -> Result<()> {
        let old = self.expr(&attribute.value)?;
        let is_callers = buffers_of(&old).iter().any(|buffer| self.state.callers.contains(buffer));
        if is_callers || !matches!(&*attribute.value, Expr::Name(_)) {
            return Err(self.not_compiled(span, "a new shape for this array", "use `reshape`"));
        }
        let new = self.library_call("numpy.reshape", vec![old.clone(), shape.clone().without_lists()], span)?;
        for item in self.state.scopes.iter_mut().flat_map(|scope| scope.values_mut()).filter(|item| **item == old) {
            *item = new.clone();
        }
        Ok(())
    }

    fn augmented(&mut self, assign: &'m ast::StmtAugAssign, span: Span) -> Result<()> {
        match &*assign.target {
            Expr::Name(name) => {
                let old = self.variable(name.id.as_str(), span)?;
                let value = self.expr(&assign.value)?;
                if let (Item::Named(names, items), ast::Operator::Add) = (&old, assign.op)
                    && Item::is_list(names)
                {
                    let more = self.parts(value, span)?;
                    let new = Item::Named(names.clone(), [items.clone(), more].concat());
                    self.replace_container(&names[0].clone(), &new);
                    return Ok(());
                }
                let new = self.operator(assign.op, &old, &value, span)?;
                match &old {
                    Item::Array(_) => self.overwrite_in_place(&old, new, span),
                    Item::Complex(parts) if matches!(parts[0], Item::Array(_)) => {
                        self.overwrite_in_place(&old, new, span)
                    }
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
                let value = self.expr(&assign.value)?;
                let new = self.operator(assign.op, &old, &value, span)?;
                if let Item::Array(array) = &old {
                    self.same_kind(&new, array, span)?;
                }
                let is_element = matches!(of, Item::Array(_) | Item::Complex(_));
                if !is_element && !shape_of(&old).is_empty() {
                    // An array in a list is changed itself.
                    return self.overwrite_in_place(&old, new, span);
                }
                self.store(&of, &index, new, span)
            }
            Expr::Attribute(attribute) => {
                let of = self.expr(&attribute.value)?;
                let old = self.attribute(of, attribute.attr.as_str(), span)?;
                let value = self.expr(&assign.value)?;
                let new = self.operator(assign.op, &old, &value, span)?;
                self.overwrite_in_place(&old, new, span)
            }
            _ => Err(self.not_compiled(span, "an assignment to this", "assign to a variable, an element or a slice")),
        }
    }

    /// As [`overwrite`](Self::overwrite), where the types must be of one kind.
    fn overwrite_in_place(&mut self, old: &Item, new: Item, span: Span) -> Result<()> {
        if let Item::Array(array) = old {
            self.same_kind(&new, array, span)?;
        }
        self.overwrite(old, new, span)
    }

    /// An error if an operation in place would lose part of each result.
    pub(super) fn same_kind(&self, new: &Item, array: &Array, span: Span) -> Result<()> {
        let found = operand_type(new);
        if types::kind(found.elem) <= types::kind(array.elem) && !found.is_complex {
            return Ok(());
        }
        let what = format!(
            "the result, which is {}, cannot be put into an array of {}",
            if found.is_complex { "complex" } else { types::name(found.elem) },
            types::name(array.elem)
        );
        Err(self.wrong_type(span, what))
    }

    /// Writes all elements of an array: `a[...] = item`.
    pub(super) fn overwrite(&mut self, old: &Item, item: Item, span: Span) -> Result<()> {
        match old {
            Item::Array(array) => {
                self.may_write(array, span)?;
                let new = self.converted(&item, &array.shape, array.elem, span)?;
                self.write(array, new);
                Ok(())
            }
            Item::Complex(parts) => {
                let [re, im] = self.complex_parts(&item, span)?;
                self.overwrite(&parts[0], re, span)?;
                self.overwrite(&parts[1], im, span)
            }
            other => Err(self.wrong_type(span, format!("{} is no array", other.name()))),
        }
    }

    /// An error if an array may not be written.
    pub(super) fn may_write(&self, array: &Array, span: Span) -> Result<()> {
        if array.read_only {
            return Err(self.wrong_type(span, "this array is read-only"));
        }
        Ok(())
    }

    /// An error about an array that may have changed.
    pub(super) fn shared(&self, span: Span) -> Box<NumpyError> {
        let what =
            "this array may share its memory with one that was written, depending on which way was taken".to_string();
        Box::new(NumpyError::SharedMemory { span, what })
    }

    /// The parts that an item is unpacked into, where there are so many variables.
    fn parts_for(&mut self, item: Item, count: usize, span: Span) -> Result<Vec<Item>> {
        if let Item::Array(array) = &item
            && let Some(Extent::Value(_)) = array.shape.first()
        {
            self.same_size(Extent::Const(count as i64), array.shape[0]);
            return (0..count as i64).map(|at| self.subscript(&item, &Item::int(at), span)).collect();
        }
        self.parts(item, span)
    }

    /// The parts that an item is unpacked into.
    pub(super) fn parts(&mut self, item: Item, span: Span) -> Result<Vec<Item>> {
        let item = item.grown().cloned().unwrap_or(item);
        match item {
            Item::Tuple(items) | Item::Named(_, items) => Ok(items),
            over => match self.count_of(&over, span)? {
                Operand::Const(count) if count.as_i64().is_some_and(|count| count < 64) => {
                    let count = count.as_i64().expect("it is an integer");
                    (0..count).map(|at| self.item_at(&over, Operand::i64(at), span)).collect()
                }
                _ => Err(self.not_compiled(span, "unpacking something of unknown length", "index it")),
            },
        }
    }

    /// What a variable is.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Result<Item> {
        let mut at = Some(self.state.scopes.len() - 1);
        let mut frame = self.frames.len() - 1;
        while let Some(depth) = at {
            let found = self.state.scopes[depth].get(name).cloned();
            match found {
                Some(Item::Perhaps(item, is_assigned)) => {
                    self.b.assert(is_assigned, FailureKind::UnassignedVariable, Vec::new());
                    self.state.scopes[depth].insert(name.to_string(), (*item).clone());
                    return self.known(*item, span);
                }
                Some(item) => return self.known(item, span),
                None => {}
            }
            at = self.frames[frame].around;
            // Scopes and frames are pushed together.
            frame = at.unwrap_or(0);
        }
        let module = self.module;
        if self.frames.last().is_some_and(|frame| frame.called.is_some()) {
            return match name {
                "np" => Ok(Item::Library("numpy".into())),
                "math" => Ok(Item::Library("math".into())),
                name => self.python_name(name, span),
            };
        }
        if let Some(position) = module.function(name) {
            return Ok(Item::Function(position, None));
        }
        if let Some(fields) = module.named_tuples.get(name) {
            return Ok(Item::Fields(fields.clone()));
        }
        if let Some(constant) = module.constants.get(name) {
            return self.outside(constant);
        }
        if let Some(full) = module.imports.get(name) {
            return Ok(library(full));
        }
        self.python_name(name, span)
    }

    /// What a name of Python is.
    fn python_name(&self, name: &str, span: Span) -> Result<Item> {
        match name {
            "bool" | "int" | "float" | "complex" => Ok(Item::PythonType(types::named(name).expect("it is a type"))),
            "range" | "len" | "abs" | "min" | "max" | "sum" | "round" | "enumerate" | "zip" | "print" | "pow"
            | "tuple" | "list" | "reversed" | "isinstance" | "divmod" | "any" | "all" | "slice" | "map"
            | "callable" | "dict" | "str" | "sorted" | "object" => Ok(Item::Library(name.to_string())),
            name if matches!(self.callers, Callers::Python(_)) && OF_PYTHON.contains(&name) => {
                Ok(Item::Library(format!("{OUTSIDE}{name}")))
            }
            _ => Err(Box::new(NumpyError::UnknownName { span, name: name.to_string() })),
        }
    }

    /// An item, unless it may have changed with another.
    fn known(&mut self, item: Item, span: Span) -> Result<Item> {
        let state = &self.state;
        if !state.unknown.is_empty() && buffers_of(&item).iter().any(|buffer| state.unknown.contains(buffer)) {
            return Err(self.shared(span));
        }
        Ok(item)
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

/// Something of NumPy or Python by its full name.
pub(super) fn library(full: &str) -> Item {
    match full.strip_prefix("numpy.").and_then(types::named) {
        Some(dtype) => Item::Dtype(dtype),
        None => inquiry::constant(full).unwrap_or_else(|| Item::Library(full.to_string())),
    }
}

/// The buffers that an item sees.
pub(super) fn buffers_of(item: &Item) -> Vec<usize> {
    match item {
        Item::Array(array) => vec![array.buffer],
        Item::Method(item, _) | Item::Perhaps(item, _) => buffers_of(item),
        Item::Complex(parts) => parts.iter().flat_map(buffers_of).collect(),
        Item::Tuple(items) | Item::Zip(items) | Item::Product(items) | Item::Named(_, items) => {
            items.iter().flat_map(buffers_of).collect()
        }
        _ => Vec::new(),
    }
}

/// True if every way through the statements raises an exception.
pub(super) fn raises(stmts: &[Stmt]) -> bool {
    match stmts.last() {
        Some(Stmt::Raise(_)) => !leaves(stmts),
        Some(Stmt::If(branch)) => raises(&branch.body) && raises(&branch.orelse) && !leaves(stmts),
        _ => false,
    }
}

/// The exception that statements raise in the end.
pub(super) fn raise_in(stmts: &[Stmt]) -> Option<&Stmt> {
    match stmts.last()? {
        raise @ Stmt::Raise(_) => Some(raise),
        Stmt::If(branch) => raise_in(&branch.body).or_else(|| raise_in(&branch.orelse)),
        _ => None,
    }
}

/// True if some way through the statements ends the function or the iteration.
pub(super) fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::If(branch) => leaves(&branch.body) || leaves(&branch.orelse),
        Stmt::With(with) => leaves(&with.body),
        _ => false,
    })
}
