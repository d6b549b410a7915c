//! The interpreter of the loop IR: statements as they are written, on one thread, over memory that knows which of its elements
//! are defined and who owns it (`storage`).
//!
//! Independent loops run in order, or last to first if the options say so. Variables that such a loop assigns are private to an
//! iteration, except its reductions: they are undefined at the start of each iteration and after the loop, as they may be on
//! several threads. Iterations that touch one element, one of them writing it, are found (`race`).

mod race;
mod storage;

use crate::memory::{Budget, Memory};
use crate::scalar::{binary, unary};
use crate::{Options, RunError, Sink, broken, carried_out, failure};
use frit_ir::effect::Host;
use frit_ir::nest::{Arg, Array, Binding, Expr, Loop, LoopKind, Proc, ProcId, Program, Reduction, Stmt, Storage, Var};
use frit_ir::{Const, Scalar, Tensor};
use frit_support::{Table, with_deep_stack};
use race::Timeline;
use std::collections::BTreeMap;
use std::rc::Rc;
use storage::{Place, Region};

/// Runs a procedure of a program; what it writes is dropped. The arguments are those of its parameters, one by one, sizes included.
///
/// # Errors
///
/// The failure that the program ends with, the limit that it reaches, or the invariant that it breaks; arguments that do not
/// fit the parameters count as the last.
pub fn run(program: &Program, proc: ProcId, args: Vec<Tensor>, options: &Options) -> Result<Vec<Tensor>, RunError> {
    run_writing(program, proc, args, options, &mut |_| {})
}

/// Runs a procedure of a program as [`run`] does; the sink gets what it writes, also before a failure.
///
/// # Errors
///
/// As [`run`].
pub fn run_writing(
    program: &Program,
    proc: ProcId,
    args: Vec<Tensor>,
    options: &Options,
    sink: &mut Sink<'_>,
) -> Result<Vec<Tensor>, RunError> {
    with_deep_stack(|| {
        let mut machine = Machine {
            program,
            options,
            memory: Memory::new(options),
            budget: Budget::new(options),
            is_placed: false,
            host: Host::new(sink, options.input.as_deref()).calling(options.caller.clone()),
            scene: Scene { threads: options.threads.max(1), timeline: Timeline::default() },
            tables: BTreeMap::new(),
            private: program.procs.iter().map(|(_, proc)| vec![None; proc.loops.len()]).collect(),
        };
        let Some(callee) = program.procs.get(proc) else { broken!("the program has no procedure {proc}") };
        let mut actual = Vec::new();
        for (at, arg) in args.into_iter().enumerate() {
            let consumed = match callee.params.get(at) {
                Some(&Binding::Array(array)) => {
                    matches!(callee.arrays[array].storage, Storage::Param { consumed: true })
                }
                Some(Binding::Var(_)) | None => false,
            };
            actual.push(match arg.as_scalar() {
                Some(scalar) if !matches!(callee.params.get(at), Some(Binding::Array(_))) => Actual::Scalar(scalar),
                Some(_) | None => Actual::Array(Place::argument(&machine.memory, arg, consumed)?),
            });
        }
        let results = machine.call(proc, actual)?;
        let mut tensors = Vec::new();
        for result in results {
            tensors.push(match result {
                Actual::Scalar(scalar) => Tensor::scalar(scalar),
                Actual::Array(place) => {
                    let tensor = place.to_tensor()?;
                    place.release()?;
                    tensor
                }
            });
        }
        Ok(tensors)
    })
}

/// What all calls of a run share.
struct Machine<'p> {
    program: &'p Program,
    options: &'p Options,
    memory: Rc<Memory>,
    budget: Budget,
    /// The message of a broken invariant already says where.
    is_placed: bool,
    /// Carries effects out.
    host: Host<'p>,
    scene: Scene,
    /// The memory of the constant tables used so far.
    tables: BTreeMap<(ProcId, Array), Place>,
    /// The private variables of independent loops, found when first needed.
    private: Table<ProcId, Vec<Option<Rc<[Var]>>>>,
}

/// What expressions and accesses depend on beside their procedure.
struct Scene {
    threads: i64,
    timeline: Timeline,
}

/// A scalar or an array, as argument or result of a call.
enum Actual {
    Scalar(Const),
    Array(Place),
}

/// One activation of a procedure.
struct Frame<'p> {
    proc: &'p Proc,
    id: ProcId,
    vars: Table<Var, Option<Const>>,
    places: Table<Array, Option<Place>>,
}

impl<'p> Frame<'p> {
    fn expr(&self, expr: &Expr, scene: &Scene) -> Result<Const, RunError> {
        match expr {
            Expr::Const(constant) => Ok(*constant),
            Expr::Var(var) => match self.vars.get(*var) {
                Some(Some(value)) => Ok(*value),
                Some(None) | None => broken!("{var} is used, but not assigned"),
            },
            Expr::Load { array, index } => {
                let (place, position) = self.element(*array, index, scene)?;
                place.load(position, &scene.timeline)
            }
            Expr::Unary { op, x } => unary(*op, self.expr(x, scene)?),
            Expr::Binary { op, x, y } => binary(*op, self.expr(x, scene)?, self.expr(y, scene)?),
            Expr::Select { cond, on_true, on_false } => {
                let (on_true, on_false) = (self.expr(on_true, scene)?, self.expr(on_false, scene)?);
                if on_true.scalar() != on_false.scalar() {
                    broken!("a choice between {} and {}", on_true.scalar(), on_false.scalar());
                }
                Ok(if self.truth(cond, scene)? { on_true } else { on_false })
            }
            Expr::Threads => Ok(Const::i64(scene.threads)),
        }
    }

    fn int(&self, expr: &Expr, scene: &Scene) -> Result<i64, RunError> {
        match self.expr(expr, scene)? {
            Const::Int(Scalar::I64, number) => Ok(number),
            other => broken!("a {} where an i64 is needed", other.scalar()),
        }
    }

    fn ints(&self, exprs: &[Expr], scene: &Scene) -> Result<Vec<i64>, RunError> {
        exprs.iter().map(|expr| self.int(expr, scene)).collect()
    }

    fn truth(&self, expr: &Expr, scene: &Scene) -> Result<bool, RunError> {
        match self.expr(expr, scene)? {
            Const::Bool(truth) => Ok(truth),
            other => broken!("a {} where a bool is needed", other.scalar()),
        }
    }

    /// The shape of an array now; negative extents count as zero.
    fn extents(&self, array: Array, scene: &Scene) -> Result<Vec<i64>, RunError> {
        let extents = self.ints(&self.proc.arrays[array].extents, scene)?;
        Ok(extents.into_iter().map(|extent| extent.max(0)).collect())
    }

    /// The memory of an array and the position of an element in it.
    fn element(&self, array: Array, index: &[Expr], scene: &Scene) -> Result<(&Place, usize), RunError> {
        let place = self.place(array)?;
        if index.len() != place.extents().len() {
            broken!("{} indices for the {} axes of {array}", index.len(), place.extents().len());
        }
        let mut number = 0;
        for (expr, &extent) in index.iter().zip(place.extents()) {
            let i = self.int(expr, scene)?;
            if i < 0 || i >= extent {
                broken!("index {i} of {array} is out of bounds for extent {extent}");
            }
            number = number * extent + i;
        }
        Ok((place, place.position(number)))
    }

    fn place(&self, array: Array) -> Result<&Place, RunError> {
        match self.places.get(array) {
            Some(Some(place)) => Ok(place),
            Some(None) | None => broken!("{array} is used, but has no memory"),
        }
    }

    fn assign(&mut self, var: Var, value: Const) -> Result<(), RunError> {
        let Some(declared) = self.proc.vars.get(var) else { broken!("the procedure has no variable {var}") };
        if declared.scalar != value.scalar() {
            broken!("{var} is {}, but is assigned a {}", declared.scalar, value.scalar());
        }
        self.vars[var] = Some(value);
        Ok(())
    }

    /// Names memory by a reference that names none yet, or none that it owns.
    fn bind(&mut self, reference: Array, place: Place) -> Result<(), RunError> {
        let Some(declared) = self.proc.arrays.get(reference) else { broken!("the procedure has no array {reference}") };
        if !matches!(declared.storage, Storage::Reference) {
            broken!("{reference} is bound, but is no reference");
        }
        if self.places[reference].as_ref().is_some_and(Place::is_owned) {
            broken!("{reference} is bound again before it is released");
        }
        if declared.elem != place.elem() {
            broken!("{reference} has elements of {}, but is bound to {}", declared.elem, place.elem());
        }
        self.places[reference] = Some(place);
        Ok(())
    }
}

impl<'p> Machine<'p> {
    fn call(&mut self, id: ProcId, args: Vec<Actual>) -> Result<Vec<Actual>, RunError> {
        let Some(proc) = self.program.procs.get(id) else { broken!("the program has no procedure {id}") };
        let mut frame = Frame {
            proc,
            id,
            vars: proc.vars.indices().map(|_| None).collect(),
            places: proc.arrays.indices().map(|_| None).collect(),
        };
        self.bind_parameters(&mut frame, args)?;
        for (array, declared) in proc.arrays.iter() {
            if let Storage::Table(tensor) = &declared.storage {
                let known = self.tables.get(&(id, array)).cloned();
                let place = known.map_or_else(|| Place::table(&self.memory, tensor), Ok)?;
                if place.elem() != declared.elem || place.extents() != frame.extents(array, &self.scene)? {
                    broken!("the table of {array} has not its declared type");
                }
                self.tables.insert((id, array), place.clone());
                frame.places[array] = Some(place);
            }
        }
        self.stmts(&mut frame, &proc.body)?;
        self.hand_over(frame)
    }

    fn bind_parameters(&self, frame: &mut Frame<'p>, args: Vec<Actual>) -> Result<(), RunError> {
        let proc = frame.proc;
        if args.len() != proc.params.len() {
            broken!("{} has {} parameters, but {} arguments are given", proc.name, proc.params.len(), args.len());
        }
        for (param, arg) in proc.params.iter().zip(args) {
            match (*param, arg) {
                (Binding::Var(var), Actual::Scalar(value)) => frame.assign(var, value)?,
                (Binding::Array(array), Actual::Array(place)) => {
                    let Storage::Param { consumed } = proc.arrays[array].storage else {
                        broken!("{array} is a parameter of {}, but not declared so", proc.name)
                    };
                    if consumed && !place.is_writable() {
                        broken!("{} writes {array}, but the memory given is read-only", proc.name);
                    }
                    frame.places[array] = Some(place.lent(consumed));
                }
                (Binding::Var(_), Actual::Array(_)) | (Binding::Array(_), Actual::Scalar(_)) => {
                    broken!("an argument of {} is an array where a scalar is needed, or the reverse", proc.name)
                }
            }
        }
        for param in &proc.params {
            let Binding::Array(array) = *param else { continue };
            let (declared, found) = (frame.extents(array, &self.scene)?, frame.place(array)?);
            if found.elem() != proc.arrays[array].elem || found.extents() != declared {
                broken!("{array} has shape {declared:?}, but the argument has {:?}", found.extents());
            }
        }
        Ok(())
    }

    /// The results of a procedure, with their ownership. Heap memory that is not among them must have been released.
    fn hand_over(&self, mut frame: Frame<'p>) -> Result<Vec<Actual>, RunError> {
        let proc = frame.proc;
        let mut results = Vec::new();
        for result in &proc.results {
            results.push(match *result {
                Binding::Var(var) => Actual::Scalar(frame.expr(&Expr::Var(var), &self.scene)?),
                Binding::Array(array) => {
                    let place = match &proc.arrays[array].storage {
                        Storage::Heap | Storage::Reference => frame.places[array].take(),
                        // Lent or constant memory stays whose it is; the caller gets a share in it.
                        Storage::Param { .. } | Storage::Table(_) => frame.places[array].as_ref().map(Place::share),
                        Storage::Stack => broken!("the result {array} is on the stack"),
                    };
                    let Some(place) = place else { broken!("the result {array} has no memory") };
                    if !place.is_alive() {
                        broken!("the memory of the result {array} is freed");
                    }
                    Actual::Array(place)
                }
            });
        }
        for (array, place) in frame.places.iter() {
            let owns = match &proc.arrays[array].storage {
                Storage::Heap | Storage::Reference => true,
                Storage::Param { .. } | Storage::Table(_) | Storage::Stack => false,
            };
            if owns && place.as_ref().is_some_and(Place::is_owned) {
                broken!("{array} of {} is never released", proc.name);
            }
        }
        Ok(results)
    }

    /// Executes statements in order; stack arrays that they allocate end with them.
    fn stmts(&mut self, frame: &mut Frame<'p>, stmts: &'p [Stmt]) -> Result<(), RunError> {
        self.budget.enter()?;
        for (at, stmt) in stmts.iter().enumerate() {
            if let Err(error) = self.budget.step().and_then(|()| self.stmt(frame, stmt)) {
                return Err(self.place_error(error, frame, at, stmt));
            }
        }
        for stmt in stmts {
            if let Stmt::Alloc { array } = stmt
                && matches!(frame.proc.arrays[*array].storage, Storage::Stack)
                && let Some(place) = frame.places[*array].take()
            {
                place.end();
            }
        }
        self.budget.leave();
        Ok(())
    }

    /// Says in the message of a broken invariant where it was found: at the innermost statement.
    #[cold]
    fn place_error(&mut self, error: RunError, frame: &Frame<'p>, at: usize, stmt: &Stmt) -> RunError {
        match error {
            RunError::Broken(message) if !self.is_placed => {
                self.is_placed = true;
                let what = match stmt {
                    Stmt::Assign { var, .. } => format!("assignment of {var}"),
                    Stmt::Store { array, .. } => format!("store to {array}"),
                    Stmt::For(id) => format!("loop {id}"),
                    Stmt::While { .. } => "while loop".into(),
                    Stmt::If { .. } => "branch".into(),
                    Stmt::Alloc { array } => format!("allocation of {array}"),
                    Stmt::Release { array } => format!("release of {array}"),
                    Stmt::Bind { reference, .. } => format!("binding of {reference}"),
                    Stmt::Swap { first, second } => format!("exchange of {first} and {second}"),
                    Stmt::CopyElements { target, source, .. } => format!("copy from {source} to {target}"),
                    Stmt::Prefetch { array, .. } => format!("prefetch of {array}"),
                    Stmt::Check { kind, .. } => format!("check of {kind}"),
                    Stmt::Effect { effect, .. } => format!("effect {effect:?}"),
                    Stmt::Call { callee, .. } => format!("call of {callee}"),
                };
                RunError::Broken(format!(
                    "in {}, at the {what} (statement {at} of its block): {message}",
                    frame.proc.name
                ))
            }
            error => error,
        }
    }

    fn stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) -> Result<(), RunError> {
        match stmt {
            Stmt::Assign { var, value } => {
                let value = frame.expr(value, &self.scene)?;
                frame.assign(*var, value)
            }
            Stmt::Store { array, index, value } => {
                let value = frame.expr(value, &self.scene)?;
                let (place, position) = frame.element(*array, index, &self.scene)?;
                place.store(position, value, &self.scene.timeline)
            }
            Stmt::For(id) => self.counted_loop(frame, *id),
            Stmt::While { before, cond, body } => loop {
                self.budget.step()?;
                self.stmts(frame, before)?;
                if !frame.truth(cond, &self.scene)? {
                    return Ok(());
                }
                self.stmts(frame, body)?;
            },
            Stmt::If { cond, then, otherwise } => {
                let branch = if frame.truth(cond, &self.scene)? { then } else { otherwise };
                self.stmts(frame, branch)
            }
            Stmt::Alloc { array } => self.allocate(frame, *array),
            Stmt::Release { array } => {
                match frame.proc.arrays[*array].storage {
                    Storage::Heap | Storage::Reference => {}
                    Storage::Param { .. } | Storage::Table(_) | Storage::Stack => {
                        broken!("{array} is released, but is no heap array or reference")
                    }
                }
                match frame.places[*array].take() {
                    Some(place) => place.release(),
                    None => broken!("{array} is released, but has no memory"),
                }
            }
            Stmt::Bind { reference, source, offset } => {
                let extents = frame.extents(*reference, &self.scene)?;
                let place = frame.place(*source)?.at(frame.int(offset, &self.scene)?, extents)?;
                frame.bind(*reference, place)
            }
            Stmt::Swap { first, second } => {
                for array in [*first, *second] {
                    if !matches!(frame.proc.arrays[array].storage, Storage::Reference) {
                        broken!("{array} is exchanged, but is no reference");
                    }
                }
                let places = [frame.place(*first)?, frame.place(*second)?];
                if places[0].extents() != places[1].extents() {
                    broken!("{first} and {second} differ in shape");
                }
                if places[0].shares(places[1]) {
                    broken!("{first} and {second} are the same memory");
                }
                let place = frame.places[*first].take();
                frame.places[*first] = std::mem::replace(&mut frame.places[*second], place);
                Ok(())
            }
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: _ } => {
                let to = frame
                    .place(*target)?
                    .region(frame.int(target_offset, &self.scene)?, frame.int(count, &self.scene)?)?;
                let from = frame
                    .place(*source)?
                    .region(frame.int(source_offset, &self.scene)?, frame.int(count, &self.scene)?)?;
                Region::copy(&to, &from, &self.scene.timeline)
            }
            Stmt::Prefetch { array, offset, count, to_write: _ } => {
                frame.place(*array)?;
                [offset, count].into_iter().try_for_each(|expr| frame.int(expr, &self.scene).map(drop))
            }
            Stmt::Check { cond, kind, args, span } => {
                if frame.truth(cond, &self.scene)? {
                    Ok(())
                } else {
                    Err(failure(*kind, frame.ints(args, &self.scene)?, *span))
                }
            }
            Stmt::Effect { effect, args, answers } => {
                let mut tensors = Vec::new();
                for arg in args {
                    tensors.push(match arg {
                        Arg::Scalar(value) => Tensor::scalar(frame.expr(value, &self.scene)?),
                        Arg::Array(array) => frame.place(*array)?.to_tensor()?,
                    });
                }
                let mut shapes = Vec::new();
                for answer in answers {
                    if let Binding::Array(array) = answer {
                        let extents = frame.place(*array)?.extents();
                        shapes.push(extents.iter().map(|&extent| extent as usize).collect());
                    }
                }
                let found = carried_out(&mut self.host, effect, &tensors, &shapes, frit_support::Span::NONE)?;
                for (answer, found) in answers.iter().zip(found) {
                    match (*answer, found.as_scalar()) {
                        (Binding::Var(var), Some(scalar)) => frame.assign(var, scalar)?,
                        (Binding::Array(array), _) => {
                            let place = frame.place(array)?;
                            for at in 0..found.data().len() {
                                place.store(place.position(at as i64), found.data().get(at), &self.scene.timeline)?;
                            }
                        }
                        (Binding::Var(var), None) => broken!("{var} is given an array"),
                    }
                }
                Ok(())
            }
            Stmt::Call { callee, args, results, span: _ } => self.call_statement(frame, *callee, args, results),
        }
    }

    fn allocate(&mut self, frame: &mut Frame<'p>, array: Array) -> Result<(), RunError> {
        let declared = &frame.proc.arrays[array];
        let is_on_stack = match declared.storage {
            Storage::Heap => false,
            Storage::Stack => true,
            Storage::Param { .. } | Storage::Table(_) | Storage::Reference => {
                broken!("{array} is allocated, but is neither on the heap nor on the stack")
            }
        };
        if is_on_stack && !declared.extents.iter().all(|extent| extent.as_i64().is_some()) {
            broken!("{array} is on the stack, but its extents are no constants");
        }
        match frame.places[array].take() {
            Some(place) if is_on_stack => place.end(),
            Some(_) => broken!("{array} is allocated again before it is released"),
            None => {}
        }
        let extents = frame.extents(array, &self.scene)?;
        frame.places[array] = Some(Place::allocate(&self.memory, declared.elem, extents, is_on_stack)?);
        Ok(())
    }

    fn counted_loop(&mut self, frame: &mut Frame<'p>, id: Loop) -> Result<(), RunError> {
        let Some(data) = frame.proc.loops.get(id) else { broken!("the procedure has no loop {id}") };
        let Some(var) = data.var else { broken!("{id} has no variable") };
        let (lower, upper) = (frame.int(&data.lower, &self.scene)?, frame.int(&data.upper, &self.scene)?);
        if data.step < 1 {
            broken!("{id} has step {}", data.step);
        }
        // In i128, because the distance of two i64 may not be one.
        let distance = (i128::from(upper) - i128::from(lower)).max(0);
        let step = i128::from(data.step);
        let count = (distance + step - 1) / step;
        let (private, is_reversed) = match &data.kind {
            LoopKind::Sequential => (Rc::from([]), false),
            LoopKind::Independent { reductions, .. } => {
                let private = self.private_variables(frame, id, reductions);
                (private, self.options.reverse && reductions.iter().all(|r| is_order_free(frame.proc, r)))
            }
            LoopKind::Scan { reductions, .. } => (self.private_variables(frame, id, reductions), false),
        };
        let is_independent = !matches!(data.kind, LoopKind::Sequential);
        if is_independent {
            self.scene.timeline.begin();
        }
        for iteration in 0..count {
            self.budget.step()?;
            if is_independent {
                self.scene.timeline.iterate();
            }
            let at = if is_reversed { count - 1 - iteration } else { iteration };
            let value = i64::try_from(i128::from(lower) + at * step).expect("it is below the upper bound, an i64");
            private.iter().for_each(|&var| frame.vars[var] = None);
            frame.assign(var, Const::i64(value))?;
            self.stmts(frame, &data.body)?;
            if frame.vars[var] != Some(Const::i64(value)) {
                broken!("the body assigns the loop's variable {var}");
            }
        }
        if is_independent {
            self.scene.timeline.end();
        }
        private.iter().for_each(|&var| frame.vars[var] = None);
        frame.vars[var] = None;
        Ok(())
    }

    /// The variables that an independent loop or a scan assigns, but for its reductions.
    fn private_variables(&mut self, frame: &Frame<'p>, id: Loop, reductions: &[Reduction]) -> Rc<[Var]> {
        let known = &mut self.private[frame.id][frit_support::Index::at(id)];
        let find = || {
            let mut assigned = frame.proc.assigned_in(&frame.proc.loops[id].body);
            assigned.retain(|var| reductions.iter().all(|reduction| reduction.var != *var));
            assigned.into_iter().collect()
        };
        Rc::clone(known.get_or_insert_with(find))
    }

    fn call_statement(
        &mut self,
        frame: &mut Frame<'p>,
        callee: ProcId,
        args: &[Arg],
        results: &[Binding],
    ) -> Result<(), RunError> {
        let mut actual = Vec::new();
        for arg in args {
            actual.push(match arg {
                Arg::Scalar(expr) => Actual::Scalar(frame.expr(expr, &self.scene)?),
                Arg::Array(array) => Actual::Array(frame.place(*array)?.clone()),
            });
        }
        self.budget.enter()?;
        let returned = self.call(callee, actual)?;
        self.budget.leave();
        if returned.len() != results.len() {
            broken!("a call has {} results, but {} names for them", returned.len(), results.len());
        }
        // Scalars first: the extents of the arrays may be among them.
        let mut arrays = Vec::new();
        for (result, value) in results.iter().zip(returned) {
            match (*result, value) {
                (Binding::Var(var), Actual::Scalar(value)) => frame.assign(var, value)?,
                (Binding::Array(array), Actual::Array(place)) => arrays.push((array, place)),
                (Binding::Var(_), Actual::Array(_)) | (Binding::Array(_), Actual::Scalar(_)) => {
                    broken!("a result of a call is an array where a scalar is needed, or the reverse")
                }
            }
        }
        for (array, place) in arrays {
            let extents = frame.extents(array, &self.scene)?;
            if place.extents() != extents {
                broken!("{array} has shape {extents:?}, but the call returns {:?}", place.extents());
            }
            // An argument that comes back is as writable as it was before.
            let known: Vec<bool> = frame
                .places
                .iter()
                .filter_map(|(_, own)| own.as_ref())
                .filter(|own| own.shares(&place))
                .map(Place::is_writable)
                .collect();
            let place = if known.is_empty() { place } else { place.lent(known.contains(&true)) };
            frame.bind(array, place)?;
        }
        Ok(())
    }
}

/// True if the accumulator of a reduction is the same, bit for bit, in any order of the iterations.
fn is_order_free(proc: &Proc, reduction: &Reduction) -> bool {
    let scalar = proc.vars[reduction.var].scalar;
    reduction.op.is_exactly_associative(scalar) && reduction.op.is_commutative(scalar)
}
