//! What the procedures of a program share in generated C: names and order, places of failure,
//! constant tables, and the helper functions that they need.
//!
//! Procedures are printed in `proc`.

use super::arith::Helper;
use super::names::{Names, legal};
use super::parallel::identifiers;
use super::types::{c_type, element_type, literal};
use super::{Options, Site};
use frit_ir::effect::Foreign;
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Binding, Proc, ProcId, Program, Stmt, Storage};
use frit_ir::{FailureKind, Scalar, Tensor};
use frit_support::source::Position;
use frit_support::{SourceMap, Span, Table};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

/// A function of the mathematical library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MathFunction {
    /// What it is called for `double`.
    pub(super) name: &'static str,
    /// The type of its operands and its result: `f64` or `f32`.
    pub(super) scalar: Scalar,
    pub(super) operands: usize,
}

impl MathFunction {
    /// What it is called.
    pub(super) fn c_name(self) -> String {
        let suffix = if self.scalar == Scalar::F32 { "f" } else { "" };
        format!("{}{suffix}", self.name)
    }

    /// Its declaration, without the semicolon.
    pub(super) fn prototype(self) -> String {
        let t = c_type(self.scalar);
        format!("{t} {}({})", self.c_name(), vec![t; self.operands].join(", "))
    }
}

/// A function of a program, in C.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its definition.
    pub(super) text: String,
    /// Its declaration, if it may be compiled apart from the rest of the program.
    pub(super) declaration: Option<String>,
}

/// Prints a program.
pub(super) struct ModulePrinter<'p> {
    pub(super) program: &'p Program,
    sources: &'p SourceMap,
    pub(super) options: &'p Options,
    pub(super) entry: ProcId,
    /// The procedures that can run, each after those it calls where calls are not recursive.
    pub(super) order: Vec<ProcId>,
    pub(super) proc_names: Table<ProcId, String>,
    pub(super) is_recursive: Table<ProcId, bool>,
    /// Per parameter, whether the owner of its memory is passed too.
    pub(super) param_owners: Table<ProcId, Vec<bool>>,
    pub(super) helpers: BTreeSet<Helper>,
    /// The functions of the mathematical library that the program calls.
    pub(super) mathematics: BTreeSet<MathFunction>,
    /// The program asks something of its machine, or writes elsewhere than to standard output.
    pub(super) has_requests: bool,
    /// The functions in C that the program calls.
    pub(super) foreign: Vec<Arc<Foreign>>,
    pub(super) sites: Vec<Site>,
    site_numbers: HashMap<Site, usize>,
    /// How many parallel loops note their times.
    pub(super) choices: usize,
    /// Definitions of the constant tables and of the structures that parts of procedures share.
    pub(super) declarations: String,
    /// Names of tables by the address of their elements; the program keeps them alive.
    table_names: HashMap<*const Tensor, String>,
    names: Names,
    /// What the names of procedures and tables begin with.
    pub(super) prefix: String,
}

/// What the names of procedures begin with, behind the prefix of the program.
const FUNCTION: &str = "fun_";

impl<'p> ModulePrinter<'p> {
    pub(super) fn new(program: &'p Program, entry: ProcId, sources: &'p SourceMap, options: &'p Options) -> Self {
        let mut names = Names::default();
        let prefix = if options.among_others { format!("{}_", legal(&options.name)) } else { String::new() };
        let of_procs = format!("{prefix}{FUNCTION}");
        let calls = Calls::new(program, entry);
        Self {
            program,
            sources,
            options,
            entry,
            proc_names: (program.procs.iter()).map(|(_, proc)| names.prefixed(&of_procs, &proc.name)).collect(),
            order: calls.order,
            is_recursive: calls.is_recursive,
            param_owners: program.procs.iter().map(|(_, proc)| param_owners(proc)).collect(),
            helpers: BTreeSet::new(),
            mathematics: BTreeSet::new(),
            has_requests: false,
            foreign: Vec::new(),
            sites: Vec::new(),
            site_numbers: HashMap::new(),
            choices: 0,
            declarations: String::new(),
            table_names: HashMap::new(),
            names: Names::default(),
            prefix,
        }
    }

    pub(super) fn is_entry(&self, proc: ProcId) -> bool {
        proc == self.entry
    }

    /// Where a span starts, if it is in a source file.
    pub(super) fn position(&self, span: Span) -> Option<Position> {
        self.sources.position(span)
    }

    /// The number of a place of failure.
    pub(super) fn site(&mut self, kind: Option<FailureKind>, span: Span) -> usize {
        let site = Site { kind, span };
        *self.site_numbers.entry(site).or_insert_with(|| {
            self.sites.push(site);
            self.sites.len() - 1
        })
    }

    /// The number of the next parallel loop that notes its times.
    pub(super) fn choice(&mut self) -> usize {
        self.choices += 1;
        self.choices - 1
    }

    /// The name of a constant table.
    pub(super) fn table(&mut self, tensor: &Arc<Tensor>, wanted: &str) -> String {
        let key = Arc::as_ptr(tensor);
        if let Some(name) = self.table_names.get(&key) {
            return name.clone();
        }
        let name = self.names.prefixed(&format!("{}table_", self.prefix), wanted);
        let count = tensor.data().len();
        let t = element_type(tensor.elem());
        let result = write!(self.declarations, "static const FRIT_ALIGNED {t} {name}[{}] = {{", count.max(1));
        result.expect("a string takes any text");
        for at in 0..count {
            self.declarations.push_str(if at % 8 == 0 { "\n    " } else { " " });
            self.declarations.push_str(&literal(tensor.data().get(at)).text);
            self.declarations.push(',');
        }
        self.declarations.push_str(if count == 0 { "0};\n\n" } else { "\n};\n\n" });
        self.table_names.insert(key, name.clone());
        name
    }

    /// True if the text calls a function of the program, or might.
    pub(super) fn calls_functions(&self, text: &str) -> bool {
        identifiers(text).iter().any(|word| word.starts_with(&format!("{}{FUNCTION}", self.prefix)))
    }

    /// True if the owner of this parameter's memory is passed.
    pub(super) fn passes_owner(&self, proc: ProcId, array: Array) -> bool {
        let at = self.program.procs[proc].params.iter().position(|&param| param == Binding::Array(array));
        at.is_some_and(|at| self.param_owners[proc][at])
    }
}

/// Per parameter, whether the procedure may share its memory with something that outlives a use.
fn param_owners(proc: &Proc) -> Vec<bool> {
    let mut shared: BTreeSet<Array> = proc.results.iter().filter_map(|&result| as_array(result)).collect();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        stmt.for_each_array(&mut |array, role| {
            if matches!(role, Role::Shared | Role::Released | Role::Swapped | Role::Passed) {
                shared.insert(array);
            }
        });
    });
    let is_param = |array: Array| matches!(proc.arrays[array].storage, Storage::Param { .. });
    let needs = |&param: &Binding| as_array(param).is_some_and(|array| is_param(array) && shared.contains(&array));
    proc.params.iter().map(needs).collect()
}

fn as_array(binding: Binding) -> Option<Array> {
    match binding {
        Binding::Array(array) => Some(array),
        Binding::Var(_) => None,
    }
}

/// The call graph's strongly connected components (Tarjan 1972), callees first.
struct Calls<'p> {
    program: &'p Program,
    order: Vec<ProcId>,
    is_recursive: Table<ProcId, bool>,
    numbers: Table<ProcId, Option<usize>>,
    stack: Vec<ProcId>,
    next: usize,
}

impl<'p> Calls<'p> {
    fn new(program: &'p Program, entry: ProcId) -> Self {
        let mut calls = Self {
            program,
            order: Vec::new(),
            is_recursive: program.procs.iter().map(|_| false).collect(),
            numbers: program.procs.iter().map(|_| None).collect(),
            stack: Vec::new(),
            next: 0,
        };
        calls.visit(entry);
        calls
    }

    /// The least number of a procedure on the stack that is reachable from this one.
    fn visit(&mut self, proc: ProcId) -> usize {
        let own = self.next;
        self.next += 1;
        self.numbers[proc] = Some(own);
        self.stack.push(proc);
        let mut low = own;
        for callee in callees(&self.program.procs[proc]) {
            match self.numbers[callee] {
                None => low = low.min(self.visit(callee)),
                Some(number) if self.stack.contains(&callee) => low = low.min(number),
                Some(_) => {}
            }
            self.is_recursive[proc] |= callee == proc;
        }
        if low == own {
            let at = self.stack.iter().rposition(|&other| other == proc).expect("a component's root is on the stack");
            let component = self.stack.split_off(at);
            for &member in &component {
                self.is_recursive[member] |= component.len() > 1;
            }
            self.order.extend(component.into_iter().rev());
        }
        low
    }
}

fn callees(proc: &Proc) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        if let Stmt::Call { callee, .. } = stmt {
            found.insert(*callee);
        }
    });
    found
}
