//! The invariants of the loop IR, checked in one place.
//!
//! The verifier walks every procedure along its paths and reports the first thing that does not hold: types, ranks, storage,
//! and whether variables are assigned and arrays alive where they are used. Whether subscripts are in bounds and independent
//! iterations really are independent cannot be read off the text; the interpreter finds out.
//!
//! See Note [States on paths].

mod expressions;

use super::print::print_stmt_head;
use super::{Arg, Array, Binding, Expr, Loop, LoopKind, Proc, ProcId, Program, Reduction, Stmt, Storage, Var};
use crate::effect::Effect;
use crate::scalar::Scalar;
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which invariant does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Procedures have distinct names, and the entry is one of them.
    Procedures,
    /// Names are entries of the procedure's tables; a loop stands in one place, a parameter is named once.
    Names,
    /// Operands, subscripts, arguments and results have the number and the types that are needed.
    Types,
    /// Arrays are declared and used as their storage allows.
    Storage,
    /// Variables are assigned on every path before they are used.
    Assigned,
    /// Loop variables are not assigned in their loops; steps are positive; reductions are operations on their variables.
    Loops,
    /// Arrays are used only while they are alive, on every path.
    Alive,
    /// Heap arrays and references are released, or handed over as a result, once on every path.
    Released,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The procedure.
    pub proc: String,
    /// The statement, on one line; empty if none is to blame.
    pub stmt: String,
    /// What does not hold.
    pub invariant: Invariant,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} in procedure `{}`", self.invariant, self.message, self.proc)?;
        if self.stmt.is_empty() { Ok(()) } else { write!(f, ", at\n  {}", self.stmt) }
    }
}

impl std::error::Error for VerifyError {}

/// Checks all invariants of a program.
pub fn verify(program: &Program) -> Result<(), VerifyError> {
    let of_program = |proc: &str, message: String| VerifyError {
        proc: proc.to_owned(),
        stmt: String::new(),
        invariant: Invariant::Procedures,
        message,
    };
    let mut names = BTreeSet::new();
    for (_, proc) in program.procs.iter() {
        if !names.insert(&proc.name) {
            return Err(of_program(&proc.name, "there is another procedure with this name".into()));
        }
    }
    if let Some(entry) = program.entry
        && program.procs.get(entry).is_none()
    {
        return Err(of_program("", format!("the entry {entry} does not exist")));
    }
    program.procs.iter().try_for_each(|(_, proc)| verify_proc(proc, Some(program)))
}

/// Checks all invariants of a procedure. Without the program, what calls need of their callees is not checked.
pub fn verify_proc(proc: &Proc, program: Option<&Program>) -> Result<(), VerifyError> {
    Verifier::new(proc, program).proc().map_err(|fault| VerifyError {
        proc: proc.name.clone(),
        stmt: fault.stmt.map(|stmt| print_stmt_head(proc, stmt)).unwrap_or_default(),
        invariant: fault.invariant,
        message: fault.message,
    })
}

/// A broken invariant, before the statement is printed.
struct Fault<'a> {
    stmt: Option<&'a Stmt>,
    invariant: Invariant,
    message: String,
}

type Checked<'a, T = ()> = Result<T, Fault<'a>>;

fn fault<'a, T>(invariant: Invariant, message: impl Into<String>) -> Checked<'a, T> {
    Err(Fault { stmt: None, invariant, message: message.into() })
}

/// A variable or an array whose state depends on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tracked {
    Var(Var),
    Array(Array),
}

/// Whether a variable is assigned, or an array is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    No,
    Yes,
    /// On some of the paths that lead here; only of arrays.
    Sometimes,
}

struct Verifier<'a> {
    proc: &'a Proc,
    program: Option<&'a Program>,
    vars: Table<Var, State>,
    arrays: Table<Array, State>,
    /// The states before each change, to go back to a fork of paths.
    undo: Vec<(Tracked, State)>,
    /// Variables of the loops around the statement at hand.
    counting: Table<Var, bool>,
    /// The block at hand is inside an independent loop.
    in_any_order: bool,
    labels: Table<Loop, bool>,
}

impl<'a> Verifier<'a> {
    fn new(proc: &'a Proc, program: Option<&'a Program>) -> Self {
        Self {
            proc,
            program,
            vars: proc.vars.iter().map(|_| State::No).collect(),
            arrays: proc.arrays.iter().map(|_| State::No).collect(),
            undo: Vec::new(),
            counting: proc.vars.iter().map(|_| false).collect(),
            in_any_order: false,
            labels: proc.loops.iter().map(|_| false).collect(),
        }
    }

    fn proc(&mut self) -> Checked<'a> {
        let proc = self.proc;
        for &param in &proc.params {
            if self.state(param.into())? == State::Yes {
                return fault(Invariant::Names, format!("{param} is a parameter twice"));
            }
            if let Binding::Array(array) = param
                && !matches!(proc.arrays[array].storage, Storage::Param { .. })
            {
                return fault(Invariant::Storage, format!("the parameter {array} is not declared as one"));
            }
            self.set(param.into(), State::Yes);
        }
        for (array, known) in proc.arrays.iter() {
            self.declaration(array)?;
            if let Storage::Table(_) = known.storage {
                self.set(Tracked::Array(array), State::Yes);
            }
        }
        self.stmts(&proc.body)?;
        self.results()
    }

    /// The extents of an array suit its storage.
    fn declaration(&self, array: Array) -> Checked<'a> {
        let known = &self.proc.arrays[array];
        let suits = |extent: &Expr| match (&known.storage, extent) {
            (Storage::Param { .. }, Expr::Var(var)) => self.proc.params.contains(&Binding::Var(*var)),
            (Storage::Param { .. } | Storage::Stack | Storage::Table(_), extent) => extent.as_i64().is_some(),
            (Storage::Heap | Storage::Reference, _) => true,
        };
        if !known.extents.iter().all(suits) {
            let message = match known.storage {
                Storage::Param { .. } => "has extents that are neither scalar parameters nor constants",
                Storage::Stack | Storage::Table(_) | Storage::Heap | Storage::Reference => {
                    "has extents that are not constants"
                }
            };
            return fault(Invariant::Storage, format!("{array} {message}"));
        }
        if let Storage::Table(tensor) = &known.storage {
            let found = tensor.shape().iter().map(|&extent| i64::try_from(extent).ok());
            if known.elem != tensor.elem() || !known.extents.iter().map(Expr::as_i64).eq(found) {
                return fault(Invariant::Storage, format!("{array} is not declared as its table is"));
            }
        }
        Ok(())
    }

    /// What is handed over is there, and nothing else is left.
    fn results(&mut self) -> Checked<'a> {
        let proc = self.proc;
        for &result in &proc.results {
            match result {
                Binding::Var(var) => self.assigned(var)?,
                Binding::Array(array) => {
                    self.alive(array)?;
                    match proc.arrays[array].storage {
                        // Handed over with their ownership, so once.
                        Storage::Heap | Storage::Reference => self.set(result.into(), State::No),
                        // The caller gets a share.
                        Storage::Param { .. } | Storage::Table(_) => {}
                        Storage::Stack => {
                            return fault(Invariant::Storage, format!("the result {array} is on the stack"));
                        }
                    }
                }
            }
        }
        for (array, state) in self.arrays.iter() {
            let owned = matches!(proc.arrays[array].storage, Storage::Heap | Storage::Reference);
            if owned && *state != State::No {
                return fault(Invariant::Released, format!("{array} is not released on every path"));
            }
        }
        Ok(())
    }

    fn state(&self, tracked: Tracked) -> Checked<'a, State> {
        let state = match tracked {
            Tracked::Var(var) => self.vars.get(var),
            Tracked::Array(array) => self.arrays.get(array),
        };
        match state {
            Some(state) => Ok(*state),
            None => fault(Invariant::Names, format!("{tracked} is not declared")),
        }
    }

    /// Changes the state of a name that [`state`](Self::state) knows.
    fn set(&mut self, tracked: Tracked, state: State) {
        let slot = match tracked {
            Tracked::Var(var) => &mut self.vars[var],
            Tracked::Array(array) => &mut self.arrays[array],
        };
        let before = std::mem::replace(slot, state);
        self.undo.push((tracked, before));
    }

    fn assigned(&self, var: Var) -> Checked<'a> {
        match self.state(Tracked::Var(var))? {
            State::Yes => Ok(()),
            State::No | State::Sometimes => {
                fault(Invariant::Assigned, format!("{var} is used but not assigned on every path that leads here"))
            }
        }
    }

    fn alive(&self, array: Array) -> Checked<'a> {
        match self.state(Tracked::Array(array))? {
            State::Yes => Ok(()),
            State::No => fault(Invariant::Alive, format!("{array} is used but has no memory")),
            State::Sometimes => fault(Invariant::Alive, format!("{array} is used but has no memory on some path")),
        }
    }

    /// The array names no memory of its own, so giving it some loses none.
    fn vacant(&self, array: Array) -> Checked<'a> {
        match self.state(Tracked::Array(array))? {
            State::No => Ok(()),
            State::Yes | State::Sometimes => {
                fault(Invariant::Released, format!("{array} gets memory, but what it had is not released"))
            }
        }
    }

    /// Statements of a block; the stack arrays they allocate end with it.
    fn stmts(&mut self, stmts: &'a [Stmt]) -> Checked<'a> {
        for stmt in stmts {
            self.stmt(stmt).map_err(|mut fault| {
                // The innermost statement is the one to show.
                fault.stmt.get_or_insert(stmt);
                fault
            })?;
        }
        for stmt in stmts {
            if let Stmt::Alloc { array } = stmt
                && matches!(self.proc.arrays[*array].storage, Storage::Stack)
            {
                self.set(Tracked::Array(*array), State::No);
            }
        }
        Ok(())
    }

    /// Statements on a path of their own: afterwards the state is as before, and what they changed is returned.
    fn path(&mut self, stmts: &'a [Stmt]) -> Checked<'a, BTreeMap<Tracked, State>> {
        let fork = self.undo.len();
        self.stmts(stmts)?;
        let changed = self.changes_since(fork)?;
        self.go_back(fork);
        Ok(changed)
    }

    /// The names whose state is not what it was at a fork, with their states now.
    fn changes_since(&self, fork: usize) -> Checked<'a, BTreeMap<Tracked, State>> {
        let mut before = BTreeMap::new();
        for &(tracked, state) in &self.undo[fork..] {
            before.entry(tracked).or_insert(state);
        }
        let mut changed = BTreeMap::new();
        for (tracked, state) in before {
            let now = self.state(tracked)?;
            if now != state {
                changed.insert(tracked, now);
            }
        }
        Ok(changed)
    }

    fn go_back(&mut self, fork: usize) {
        for (tracked, before) in self.undo.drain(fork..).rev() {
            match tracked {
                Tracked::Var(var) => self.vars[var] = before,
                Tracked::Array(array) => self.arrays[array] = before,
            }
        }
    }

    /// What a body that may run again leaves alive is what it found alive.
    fn returns_arrays(&self, changed: &BTreeMap<Tracked, State>) -> Checked<'a> {
        match changed.keys().find(|tracked| matches!(tracked, Tracked::Array(_))) {
            Some(array) => {
                let message =
                    format!("the body of a loop leaves {array} alive that it did not find alive, or the reverse");
                fault(Invariant::Released, message)
            }
            None => Ok(()),
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Checked<'a> {
        match stmt {
            Stmt::Assign { var, value } => {
                let found = self.expr(value)?;
                self.assign(*var, found)
            }
            Stmt::Store { array, index, value } => {
                self.written(*array)?;
                let elem = self.subscript(*array, index)?;
                self.typed(value, elem)
            }
            Stmt::For(label) => self.counted_loop(*label),
            Stmt::While { before, cond, body } => {
                let fork = self.undo.len();
                self.stmts(before)?;
                self.typed(cond, Scalar::Bool)?;
                let behind = self.changes_since(fork)?;
                self.stmts(body)?;
                let again = self.changes_since(fork)?;
                self.go_back(fork);
                self.returns_arrays(&again)?;
                behind.into_iter().for_each(|(tracked, state)| self.set(tracked, state));
                Ok(())
            }
            Stmt::If { cond, then, otherwise } => {
                self.typed(cond, Scalar::Bool)?;
                let (then, otherwise) = (self.path(then)?, self.path(otherwise)?);
                let touched: BTreeSet<Tracked> = then.keys().chain(otherwise.keys()).copied().collect();
                for tracked in touched {
                    let before = self.state(tracked)?;
                    let of = |changed: &BTreeMap<Tracked, State>| changed.get(&tracked).copied().unwrap_or(before);
                    let joined = match (of(&then), of(&otherwise), tracked) {
                        (then, otherwise, _) if then == otherwise => then,
                        (_, _, Tracked::Var(_)) => State::No,
                        (_, _, Tracked::Array(_)) => State::Sometimes,
                    };
                    if joined != before {
                        self.set(tracked, joined);
                    }
                }
                Ok(())
            }
            Stmt::Alloc { array } => {
                self.vacant(*array)?;
                match self.proc.arrays[*array].storage {
                    Storage::Heap | Storage::Stack => {}
                    Storage::Param { .. } | Storage::Table(_) | Storage::Reference => {
                        return fault(
                            Invariant::Storage,
                            format!("{array} is allocated, but not on the heap or stack"),
                        );
                    }
                }
                self.extents(*array)?;
                self.set(Tracked::Array(*array), State::Yes);
                Ok(())
            }
            Stmt::Release { array } => {
                self.alive(*array)?;
                match self.proc.arrays[*array].storage {
                    Storage::Heap | Storage::Reference => {}
                    Storage::Param { .. } | Storage::Table(_) | Storage::Stack => {
                        let message = format!("{array} is released, but is no heap array or reference");
                        return fault(Invariant::Storage, message);
                    }
                }
                self.set(Tracked::Array(*array), State::No);
                Ok(())
            }
            Stmt::Bind { reference, source, offset } => {
                self.alive(*source)?;
                self.vacant(*reference)?;
                self.reference(*reference)?;
                self.same_elem(*reference, *source)?;
                self.typed(offset, Scalar::I64)?;
                self.extents(*reference)?;
                self.set(Tracked::Array(*reference), State::Yes);
                Ok(())
            }
            Stmt::Swap { first, second } => {
                for &array in [first, second] {
                    self.alive(array)?;
                    self.reference(array)?;
                }
                if self.proc.arrays[*first].extents.len() != self.proc.arrays[*second].extents.len() {
                    return fault(Invariant::Types, format!("{first} and {second} differ in rank"));
                }
                self.same_elem(*first, *second)
            }
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: _ } => {
                self.alive(*source)?;
                self.written(*target)?;
                self.same_elem(*target, *source)?;
                [target_offset, source_offset, count].into_iter().try_for_each(|e| self.typed(e, Scalar::I64))
            }
            Stmt::Prefetch { array, offset, count, to_write: _ } => {
                self.alive(*array)?;
                [offset, count].into_iter().try_for_each(|e| self.typed(e, Scalar::I64))
            }
            Stmt::Check { cond, kind, args, .. } => {
                self.typed(cond, Scalar::Bool)?;
                if args.len() != kind.arity() {
                    return fault(Invariant::Types, format!("the message of {kind} has {} numbers", kind.arity()));
                }
                args.iter().try_for_each(|arg| self.typed(arg, Scalar::I64))
            }
            Stmt::Effect { effect, args, answers } => {
                self.effect(effect, args)?;
                let needed = effect.answers();
                if answers.len() != needed.len() {
                    let message = format!("the effect has {} answers, not {}", needed.len(), answers.len());
                    return fault(Invariant::Types, message);
                }
                answers.iter().zip(needed).try_for_each(|(answer, (elem, is_array))| match *answer {
                    Binding::Var(var) if !is_array => self.assign(var, elem),
                    Binding::Array(array) if is_array && self.proc.arrays[array].elem == elem => self.written(array),
                    other => fault(Invariant::Types, format!("{other:?} is no answer of the effect")),
                })
            }
            Stmt::Call { callee, args, results, .. } => self.call(*callee, args, results),
        }
    }

    /// The arguments are what the effect takes.
    fn effect(&self, effect: &Effect, args: &'a [Arg]) -> Checked<'a> {
        if self.in_any_order && effect.is_ordered() {
            return fault(Invariant::Loops, "an independent loop has an effect".to_owned());
        }
        if effect.arity() != args.len() {
            return fault(
                Invariant::Types,
                format!("the effect takes {} arguments, not {}", effect.arity(), args.len()),
            );
        }
        for (at, arg) in args.iter().enumerate() {
            let (elem, rank) = match arg {
                Arg::Scalar(value) => (self.expr(value)?, 0),
                Arg::Array(array) => {
                    self.alive(*array)?;
                    let known = &self.proc.arrays[*array];
                    (known.elem, known.extents.len())
                }
            };
            if let Some(misfit) = effect.misfit(at, elem, rank) {
                return fault(Invariant::Types, misfit);
            }
        }
        Ok(())
    }

    /// The variable gets a value of this type.
    fn assign(&mut self, var: Var, found: Scalar) -> Checked<'a> {
        self.state(Tracked::Var(var))?;
        let declared = self.proc.vars[var].scalar;
        if declared != found {
            return fault(Invariant::Types, format!("{var} has type {declared}, but the value has {found}"));
        }
        if self.counting[var] {
            return fault(Invariant::Loops, format!("{var} is assigned in the loop that counts with it"));
        }
        self.set(Tracked::Var(var), State::Yes);
        Ok(())
    }

    fn written(&self, array: Array) -> Checked<'a> {
        self.alive(array)?;
        match self.proc.arrays[array].storage {
            Storage::Param { consumed: true } | Storage::Heap | Storage::Stack | Storage::Reference => Ok(()),
            Storage::Param { consumed: false } | Storage::Table(_) => {
                fault(Invariant::Storage, format!("{array} is written, but may only be read"))
            }
        }
    }

    fn reference(&self, array: Array) -> Checked<'a> {
        match self.proc.arrays[array].storage {
            Storage::Reference => Ok(()),
            Storage::Param { .. } | Storage::Heap | Storage::Stack | Storage::Table(_) => {
                fault(Invariant::Storage, format!("{array} is used as a reference, but is none"))
            }
        }
    }

    fn same_elem(&self, first: Array, second: Array) -> Checked<'a> {
        let (a, b) = (self.proc.arrays[first].elem, self.proc.arrays[second].elem);
        if a == b {
            Ok(())
        } else {
            fault(Invariant::Types, format!("{first} has elements of {a}, but {second} of {b}"))
        }
    }

    /// The extents of an array can be evaluated here.
    fn extents(&self, array: Array) -> Checked<'a> {
        self.proc.arrays[array].extents.iter().try_for_each(|extent| self.typed(extent, Scalar::I64))
    }

    fn counted_loop(&mut self, label: Loop) -> Checked<'a> {
        let Some(data) = self.proc.loops.get(label) else {
            return fault(Invariant::Names, format!("{label} is no loop of the procedure"));
        };
        if std::mem::replace(&mut self.labels[label], true) {
            return fault(Invariant::Names, format!("{label} stands in two places"));
        }
        self.typed(&data.lower, Scalar::I64)?;
        self.typed(&data.upper, Scalar::I64)?;
        if data.step < 1 {
            return fault(Invariant::Loops, format!("the step {} is not positive", data.step));
        }
        let Some(var) = data.var else {
            return fault(Invariant::Loops, format!("{label} has no variable"));
        };
        self.assign(var, Scalar::I64)?;
        if let LoopKind::Scan { simd, streaming, reductions } = &data.kind {
            let accumulates = |reduction: &Reduction| {
                let mut values = data.phases().0.iter().filter_map(|stmt| match stmt {
                    Stmt::Assign { var, value } if *var == reduction.var => Some(value),
                    _ => None,
                });
                let own = Expr::Var(reduction.var);
                let is_combined = |value: &Expr| matches!(value, Expr::Binary { op, x, y } if *op == reduction.op && (**x == own || **y == own));
                values.next().is_some_and(is_combined) && values.next().is_none()
            };
            if *simd && (data.step != 1 || !reductions.iter().all(accumulates)) {
                return fault(Invariant::Loops, format!("{label} does not accumulate once for each number"));
            }
            if *streaming && (!simd || data.stored_accumulators().is_none()) {
                return fault(Invariant::Loops, format!("{label} has more to do than to store what it accumulates"));
            }
        }
        let private = match &data.kind {
            LoopKind::Sequential => BTreeSet::new(),
            LoopKind::Independent { reductions, .. } | LoopKind::Scan { reductions, .. } => {
                if let LoopKind::Independent { parallel: Some(parallel), .. } = &data.kind {
                    self.typed(&parallel.work, Scalar::I64)?;
                }
                reductions.iter().try_for_each(|reduction| self.reduction(reduction))?;
                let mut assigned = self.proc.assigned_in(&data.body);
                assigned.retain(|&var| self.vars.get(var).is_some());
                reductions.iter().for_each(|reduction| {
                    assigned.remove(&reduction.var);
                });
                assigned
            }
        };
        // Each iteration of a loop that is not sequential has variables of its own, undefined at its start.
        private.iter().for_each(|&var| self.set(Tracked::Var(var), State::No));
        self.counting[var] = true;
        let in_any_order = self.in_any_order;
        self.in_any_order |= matches!(data.kind, LoopKind::Independent { .. });
        let left = match data.kind {
            LoopKind::Scan { simd: true, .. } => {
                let (first, second) = data.phases();
                self.path(first)?;
                private.iter().for_each(|&var| self.set(Tracked::Var(var), State::No));
                self.path(second)?
            }
            LoopKind::Scan { simd: false, .. } | LoopKind::Sequential | LoopKind::Independent { .. } => {
                self.path(&data.body)?
            }
        };
        self.in_any_order = in_any_order;
        self.counting[var] = false;
        self.returns_arrays(&left)?;
        self.set(Tracked::Var(var), State::No);
        Ok(())
    }

    fn reduction(&self, reduction: &Reduction) -> Checked<'a> {
        self.assigned(reduction.var)?;
        let scalar = self.proc.vars[reduction.var].scalar;
        if reduction.op.result(scalar) == Some(scalar) {
            return Ok(());
        }
        fault(Invariant::Loops, format!("`{}` is no reduction of {scalar}", reduction.op.name()))
    }

    fn call(&mut self, callee: ProcId, args: &'a [Arg], results: &'a [Binding]) -> Checked<'a> {
        let callee = match self.program {
            Some(program) => match program.procs.get(callee) {
                Some(proc) => Some(proc),
                None => return fault(Invariant::Procedures, format!("the procedure {callee} does not exist")),
            },
            None => None,
        };
        if let Some(callee) = callee {
            let (params, made) = (callee.params.len(), callee.results.len());
            if params != args.len() || made != results.len() {
                let message = format!("`{}` has {params} parameters and {made} results", callee.name);
                return fault(Invariant::Types, message);
            }
        }
        for (at, arg) in args.iter().enumerate() {
            let found = match arg {
                Arg::Scalar(value) => (self.expr(value)?, None),
                Arg::Array(array) => {
                    self.alive(*array)?;
                    let known = &self.proc.arrays[*array];
                    (known.elem, Some(known.extents.len()))
                }
            };
            if let Some(callee) = callee
                && kind_of(callee, callee.params[at]) != Some(found)
            {
                return fault(Invariant::Types, format!("argument {at} does not fit parameter {}", callee.params[at]));
            }
        }
        for (at, &result) in results.iter().enumerate() {
            self.state(result.into())?;
            if let Some(callee) = callee
                && kind_of(callee, callee.results[at]) != kind_of(self.proc, result)
            {
                return fault(Invariant::Types, format!("{result} does not fit result {}", callee.results[at]));
            }
            match result {
                Binding::Var(var) => self.assign(var, self.proc.vars[var].scalar)?,
                Binding::Array(array) => {
                    self.vacant(array)?;
                    self.reference(array)?;
                    self.set(result.into(), State::Yes);
                }
            }
        }
        Ok(())
    }
}

/// The element type, and the rank if it is an array.
fn kind_of(proc: &Proc, binding: Binding) -> Option<(Scalar, Option<usize>)> {
    match binding {
        Binding::Var(var) => proc.vars.get(var).map(|known| (known.scalar, None)),
        Binding::Array(array) => proc.arrays.get(array).map(|known| (known.elem, Some(known.extents.len()))),
    }
}

impl From<Binding> for Tracked {
    fn from(binding: Binding) -> Self {
        match binding {
            Binding::Var(var) => Tracked::Var(var),
            Binding::Array(array) => Tracked::Array(array),
        }
    }
}

impl fmt::Display for Tracked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tracked::Var(var) => var.fmt(f),
            Tracked::Array(array) => array.fmt(f),
        }
    }
}

// Note [States on paths]
//
// Every variable is assigned or not, every array alive or not, at every statement. Where two paths join that disagree, a
// variable counts as not assigned and an array is alive `Sometimes`, which no use accepts and no end of a block forgives. A
// loop's body may run any number of times: what it assigns does not count behind the loop, and it must leave arrays as
// it found them, so one walk over it is enough. Changes are logged; behind a branch only those that both made, or that
// concern arrays, go on, so a deep nest costs what its statements do and not its depth squared.
