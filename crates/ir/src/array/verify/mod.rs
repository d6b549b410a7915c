//! The invariants of the array IR, checked in one place.
//!
//! The verifier reads a program as the type definitions describe it and reports the first thing that does not hold. It proves
//! what can be decided from the text: two extents that are different constants are an error, two different values may be
//! equal at run time and are trusted. `operations` checks the types of each operation, `with_loops` those of with-loops,
//! `consumption` that nothing is used after its memory was given away.

mod consumption;
mod operations;
mod with_loops;

use super::effects;
use super::print::print_stmt_head;
use super::{Block, Extent, Func, FuncId, Operand, Program, ResultExtent, Stmt, Type, Value, WithLoop};
use crate::effect::Cell;
use crate::scalar::Scalar;
use frit_support::Table;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// Which invariant does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Functions have distinct names, and the entry is one of them.
    Functions,
    /// Every value and every with-loop label is defined once.
    DefinedOnce,
    /// Every value is defined before its uses, in the same or an enclosing block.
    InScope,
    /// As many operands, results, parameters and cells as the operation needs.
    Arity,
    /// Every operand has the element type and rank its operation needs.
    OperandType,
    /// Every result has the element type and rank that the operation makes.
    ResultType,
    /// Extents are `i64` values or constants, and constants that must be equal are.
    Extents,
    /// Certificates are values of type `cert`.
    Certificates,
    /// The cells of a with-loop write no output.
    Effects,
    /// Generators have the rank of their space, proper periods, and bounds within the space.
    GeneratorShape,
    /// Generators are disjoint.
    Disjoint,
    /// Generators cover the index space if an operator needs that.
    Covering,
    /// Only a fold or a filter is guarded, and every filter is.
    Guards,
    /// No value is used after its memory, or memory it may share, was consumed.
    Consumption,
    /// Only memory that the surrounding block owns is consumed.
    Ownership,
    /// A unique result shares no memory with a parameter that is not consumed, nor with another result.
    Uniqueness,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function.
    pub func: String,
    /// The statement, on one line; empty if none is to blame.
    pub stmt: String,
    /// What does not hold.
    pub invariant: Invariant,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} in function `{}`", self.invariant, self.message, self.func)?;
        if self.stmt.is_empty() { Ok(()) } else { write!(f, ", at\n  {}", self.stmt) }
    }
}

impl std::error::Error for VerifyError {}

/// Checks all invariants of a program.
pub fn verify(program: &Program) -> Result<(), VerifyError> {
    let of_program = |func: &str, message: String| VerifyError {
        func: func.to_owned(),
        stmt: String::new(),
        invariant: Invariant::Functions,
        message,
    };
    let mut names = BTreeSet::new();
    for (_, func) in program.funcs.iter() {
        if !names.insert(&func.name) {
            return Err(of_program(&func.name, "there is another function with this name".into()));
        }
    }
    if let Some(entry) = program.entry
        && program.funcs.get(entry).is_none()
    {
        return Err(of_program("", format!("the entry {entry} does not exist")));
    }
    let shared = Rc::new(Shared::default());
    program.funcs.iter().try_for_each(|(_, func)| verify_with(func, Some(program), shared.clone()))
}

/// Checks all invariants of a function. Without the program, calls are only checked for the scopes of their arguments.
pub fn verify_func(func: &Func, program: Option<&Program>) -> Result<(), VerifyError> {
    verify_with(func, program, Rc::default())
}

fn verify_with(func: &Func, program: Option<&Program>, shared: Rc<Shared>) -> Result<(), VerifyError> {
    let fault = Verifier::new(func, program, shared).func().and_then(|()| consumption::check(func, program));
    fault.map_err(|fault| VerifyError {
        func: func.name.clone(),
        stmt: fault.stmt.map(|stmt| print_stmt_head(func, stmt)).unwrap_or_default(),
        invariant: fault.invariant,
        message: fault.message,
    })
}

/// A broken invariant, before the statement is printed.
#[derive(Debug)]
struct Fault<'a> {
    stmt: Option<&'a Stmt>,
    invariant: Invariant,
    message: String,
}

impl<'a> Fault<'a> {
    fn new(invariant: Invariant, message: impl Into<String>) -> Self {
        Self { stmt: None, invariant, message: message.into() }
    }

    /// The innermost statement is the one to show.
    fn at(mut self, stmt: &'a Stmt) -> Self {
        self.stmt.get_or_insert(stmt);
        self
    }
}

/// What is known of the whole program.
#[derive(Default)]
struct Shared {
    /// The functions that write, found when it is first asked for.
    writers: OnceCell<Table<FuncId, bool>>,
    /// The cells met so far, by their numbers.
    cells: RefCell<BTreeMap<usize, Cell>>,
}

type Checked<'a, T = ()> = Result<T, Fault<'a>>;

struct Verifier<'a> {
    func: &'a Func,
    program: Option<&'a Program>,
    defined: Table<Value, bool>,
    in_scope: Table<Value, bool>,
    /// The values in scope, in the order of their definitions.
    scope: Vec<Value>,
    labels: Table<WithLoop, bool>,
    shared: Rc<Shared>,
    /// The block at hand is inside a with-loop.
    in_cells: bool,
}

impl<'a> Verifier<'a> {
    fn new(func: &'a Func, program: Option<&'a Program>, shared: Rc<Shared>) -> Self {
        Self {
            func,
            program,
            defined: func.values.iter().map(|_| false).collect(),
            in_scope: func.values.iter().map(|_| false).collect(),
            scope: Vec::new(),
            labels: func.with_loops.iter().map(|_| false).collect(),
            shared,
            in_cells: false,
        }
    }

    /// The functions of the program that write.
    fn writers(&self) -> &Table<FuncId, bool> {
        self.shared.writers.get_or_init(|| self.program.map(effects::writers).unwrap_or_default())
    }

    fn func(&mut self) -> Checked<'a> {
        let func = self.func;
        for &size in &func.sizes {
            self.define(size)?;
            self.need_type(size.into(), &Type::scalar(Scalar::I64), Invariant::Extents, "a size of the function")?;
        }
        for param in &func.params {
            self.define(param.value)?;
            for &extent in &func.ty(param.value).shape {
                if let Extent::Value(v) = extent
                    && !func.sizes.contains(&v)
                {
                    let message =
                        format!("the type of parameter {} mentions {v}, no size of the function", param.value);
                    return Err(Fault::new(Invariant::Extents, message));
                }
            }
            if param.consumed && func.ty(param.value).is_scalar() {
                let message = format!("the parameter {} is consumed but is no array", param.value);
                return Err(Fault::new(Invariant::OperandType, message));
            }
        }
        self.block(&func.body)?;
        self.func_results()
    }

    /// The declared results, against what the body yields.
    fn func_results(&mut self) -> Checked<'a> {
        let func = self.func;
        need_count("results", func.results.len(), func.body.results.len())?;
        for (at, (declared, &result)) in func.results.iter().zip(&func.body.results).enumerate() {
            let mut shape = Vec::new();
            for extent in &declared.shape {
                shape.push(match *extent {
                    ResultExtent::Const(n) => Some(n),
                    ResultExtent::Size(size) if func.sizes.contains(&size) => None,
                    ResultExtent::Size(size) => {
                        let message = format!("result {at} mentions {size}, no size of the function");
                        return Err(Fault::new(Invariant::Extents, message));
                    }
                    ResultExtent::Result(earlier) => {
                        let is_size = |r: &super::ResultType| r.elem == Scalar::I64 && r.shape.is_empty();
                        if earlier >= at || !is_size(&func.results[earlier]) {
                            let message = format!("result {at} mentions result {earlier}, no earlier i64");
                            return Err(Fault::new(Invariant::Extents, message));
                        }
                        func.body.results[earlier].constant().and_then(|c| c.as_i64())
                    }
                    ResultExtent::Caller => None,
                });
            }
            let found = func.operand_type(result);
            if found.elem != declared.elem || found.rank() != shape.len() {
                let message = format!("result {at} has type {found}, but {declared} is declared");
                return Err(Fault::new(Invariant::ResultType, message));
            }
            if shape.iter().zip(&found.shape).any(|(&n, &e)| matches!((n, e), (Some(n), Extent::Const(m)) if n != m)) {
                let message = format!("result {at} has type {found}, but {declared} is declared");
                return Err(Fault::new(Invariant::Extents, message));
            }
        }
        Ok(())
    }

    /// Checks the statements of a block and its results; what it defines goes out of scope.
    fn block(&mut self, block: &'a Block) -> Checked<'a> {
        let outer = self.scope.len();
        self.open_block(block)?;
        self.leave(outer);
        Ok(())
    }

    /// The same, but what it defines stays in scope until [`leave`](Self::leave).
    fn open_block(&mut self, block: &'a Block) -> Checked<'a> {
        for stmt in &block.stmts {
            self.stmt(stmt).map_err(|fault| fault.at(stmt))?;
        }
        block.results.iter().try_for_each(|&result| self.operand(result))
    }

    /// Takes all but the first `outer` values out of scope.
    fn leave(&mut self, outer: usize) {
        for value in self.scope.drain(outer..) {
            self.in_scope[value] = false;
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Checked<'a> {
        for &cert in &stmt.certs {
            self.cert(cert)?;
        }
        self.operation(stmt)?;
        stmt.results.iter().try_for_each(|&result| self.define(result))
    }

    /// Brings a value into scope. The extents of its type must be there already.
    fn define(&mut self, value: Value) -> Checked<'a> {
        let Some(defined) = self.defined.get(value) else {
            return Err(Fault::new(Invariant::InScope, format!("{value} is no value of the function")));
        };
        if *defined {
            return Err(Fault::new(Invariant::DefinedOnce, format!("{value} is defined twice")));
        }
        for &extent in &self.func.ty(value).shape {
            self.extent(extent)?;
        }
        self.defined[value] = true;
        self.in_scope[value] = true;
        self.scope.push(value);
        Ok(())
    }

    fn extent(&self, extent: Extent) -> Checked<'a> {
        match extent {
            Extent::Const(_) => Ok(()),
            Extent::Value(v) => {
                self.value(v)?;
                self.need_type(v.into(), &Type::scalar(Scalar::I64), Invariant::Extents, "an extent")
            }
        }
    }

    fn value(&self, value: Value) -> Checked<'a> {
        match self.in_scope.get(value) {
            Some(true) => Ok(()),
            Some(false) => Err(Fault::new(Invariant::InScope, format!("{value} is used where it is not in scope"))),
            None => Err(Fault::new(Invariant::InScope, format!("{value} is no value of the function"))),
        }
    }

    fn operand(&self, operand: Operand) -> Checked<'a> {
        match operand {
            Operand::Value(value) => self.value(value),
            Operand::Const(_) => Ok(()),
        }
    }

    fn cert(&self, cert: Value) -> Checked<'a> {
        self.value(cert)?;
        self.need_type(cert.into(), &Type::scalar(Scalar::Cert), Invariant::Certificates, "a certificate")
    }

    /// The operand is in scope and a scalar of this type.
    fn scalar(&self, operand: Operand, elem: Scalar, what: &str) -> Checked<'a> {
        self.operand(operand)?;
        self.need_type(operand, &Type::scalar(elem), Invariant::OperandType, what)
    }

    /// The operand has this type as far as one can tell.
    fn need_type(&self, operand: Operand, needed: &Type, broken: Invariant, what: &str) -> Checked<'a> {
        fits(&self.func.operand_type(operand), needed, broken, || format!("{what}, {operand},"))
    }
}

/// `found` is the type needed, as far as one can tell: `broken` if element type or rank differ, else
/// [`Invariant::Extents`] if constant extents do.
fn fits<'a>(found: &Type, needed: &Type, broken: Invariant, what: impl Fn() -> String) -> Checked<'a> {
    if found.elem != needed.elem || found.rank() != needed.rank() {
        return Err(Fault::new(broken, format!("{} has type {found}, but {needed} is needed", what())));
    }
    let differ =
        |(&f, &n): (&Extent, &Extent)| matches!((f, n), (Extent::Const(a), Extent::Const(b)) if !same_size(a, b));
    if found.shape.iter().zip(&needed.shape).any(differ) {
        return Err(Fault::new(Invariant::Extents, format!("{} has type {found}, but {needed} is needed", what())));
    }
    Ok(())
}

/// A negative extent means the same as zero.
fn same_size(a: i64, b: i64) -> bool {
    a.max(0) == b.max(0)
}

fn need_count<'a>(what: &str, needed: usize, found: usize) -> Checked<'a> {
    if needed == found {
        return Ok(());
    }
    Err(Fault::new(Invariant::Arity, format!("{needed} {what} are needed, but there are {found}")))
}
