//! The code of a function for one signature, and calls of it: arguments are passed where they are, and what the code changes stays there.

use crate::argument::{Array, Held, Value, addresses, data};
use crate::caller::{Calls, Run};
use crate::error::exception;
use crate::jit::Source;
use crate::layout::{Placement, is_plain, may_repeat};
use crate::result::Results;
use crate::settings;
use ::numpy::PyUntypedArrayMethods;
use frit_driver::native::Arg;
use frit_driver::numpy::{self, Callers, Known, Layout, Passed, Returned, Suppositions};
use frit_driver::{Compiled, Error, Unit};
use frit_ir::effect::Caller;
use frit_ir::{Const, FailureKind, Scalar};
use frit_support::Span;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The code of a function for one signature.
pub(crate) struct Code {
    pub(crate) unit: Unit,
    pub(crate) compiled: Compiled,
    /// The components of the parameters: the position of the parameter, the element type and the rank, if it is known.
    components: Vec<(usize, Scalar, Option<usize>)>,
    /// Of a function of Python.
    pub(crate) python: Option<PythonCode>,
    /// What the code supposes of the arguments, and that for all others.
    otherwise: Option<(Suppositions, Otherwise)>,
}

/// The code for arguments of any extents, which is compiled when it is needed.
struct Otherwise {
    unit: Unit,
    compiled: OnceLock<Compiled>,
}

/// What a compiled function of Python takes and gives.
pub(crate) struct PythonCode {
    source: Arc<Source>,
    returned: Returned,
    parameters: Vec<Passed>,
    /// The parameters that it changes, and the results that are what they hold in the end.
    changed: Vec<(usize, usize)>,
    /// The calls that are not compiled.
    calls: Arc<Calls>,
    /// The layouts of the arguments.
    layouts: Vec<Layout>,
    /// Where shapes are checked to fit, and they.
    broadcasts: Vec<(Span, Vec<Vec<Known>>)>,
    /// Per argument, whether it is changed.
    pub(crate) changes: Vec<bool>,
    /// Per argument, whether a copy is passed in the last call.
    copied: Mutex<Vec<bool>>,
}

/// An argument: one value, or those of a tuple.
pub(crate) struct Argument<'py> {
    pub(crate) values: Vec<Value<'py>>,
}

impl Code {
    pub(crate) fn compile(py: Python<'_>, unit: Unit, python: Option<PythonCode>) -> Result<Self, Error> {
        let options = settings::options();
        let compiled = py.detach(|| frit_driver::compile(&unit, &options))?;
        let components = unit.entry()?.components();
        Ok(Self { unit, compiled, components, python, otherwise: None })
    }

    /// That of a function of Python for arguments of these types and layouts. `callers` make calls that are not compiled.
    pub(crate) fn of_python(
        py: Python<'_>,
        source: &Arc<Source>,
        values: &[Value<'_>],
        placed: &Placement,
        callers: &Callers,
    ) -> Result<Self, Error> {
        let compile = |placement: &Placement| {
            let types: Vec<_> =
                values.iter().enumerate().map(|(at, value)| value.describe(placement.layout(at))).collect();
            let function = py
                .detach(|| numpy::compile(&source.file, &source.text, &source.name, &types, callers))
                .map_err(|error| source.place(error))?;
            let mut changes = vec![false; values.len()];
            for &(param, _) in &function.changed {
                match function.parameters[param] {
                    Passed::Argument(at) => changes[at] = true,
                    Passed::Whole(whole) => placement.wholes[whole].members.iter().for_each(|&at| changes[at] = true),
                    Passed::Extent(..) | Passed::Start(..) => unreachable!("numbers are not changed"),
                }
            }
            Ok::<_, Error>((function, changes, placement.layouts.clone()))
        };
        let (mut function, mut changes, mut layouts) = compile(placed)?;
        let changes_part = placed.wholes.iter().any(|whole| whole.members.iter().any(|&at| changes[at]));
        if changes_part && !placed.is_shared {
            (function, changes, layouts) = compile(&Placement::apart(values, |at| !changes[at]))?;
        }
        let numpy::Function { unit, supposed, returned, parameters, changed, broadcasts, calls } = function;
        let calls = Calls::new(py, &calls, source, &unit).map_err(|error| Error::input(error.to_string()))?;
        let python = PythonCode {
            source: Arc::clone(source),
            returned,
            parameters,
            changed,
            broadcasts,
            calls: Arc::new(calls),
            layouts,
            changes,
            copied: Mutex::default(),
        };
        let Some((supposed, suppositions)) = supposed else { return Self::compile(py, unit, Some(python)) };
        let otherwise = Some((suppositions, Otherwise { unit, compiled: OnceLock::new() }));
        Ok(Self { otherwise, ..Self::compile(py, supposed, Some(python))? })
    }

    /// The code for these arguments.
    fn fitting(&self, py: Python<'_>, passed: &[Arg<'_>]) -> PyResult<(&Unit, &Compiled)> {
        match &self.otherwise {
            Some((suppositions, Otherwise { unit, compiled }))
                if !suppositions.hold(|param, axis| passed[param].shape()[axis]) =>
            {
                if let Some(compiled) = compiled.get() {
                    return Ok((unit, compiled));
                }
                let options = settings::options();
                let made = py.detach(|| frit_driver::compile(unit, &options)).map_err(exception)?;
                Ok((unit, compiled.get_or_init(|| made)))
            }
            _ => Ok((&self.unit, &self.compiled)),
        }
    }

    /// Calls a function of Python.
    pub(crate) fn call_placed<'py>(
        &self,
        py: Python<'py>,
        values: &[Value<'py>],
        placement: &Placement,
        objects: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = self.python.as_ref().expect("it is a function of Python");
        let mut held: Vec<Held<'_>> = values.iter().map(|_| Held::default()).collect();
        let whole_shapes: Vec<Vec<usize>> = (placement.wholes.iter())
            .map(|whole| {
                whole.shape.iter().copied().chain(values[whole.members[0]].is_complex().then_some(2)).collect()
            })
            .collect();
        let mut passed: Vec<Arg<'_>> = Vec::with_capacity(python.parameters.len());
        let mut slots = held.iter_mut().enumerate();
        for (param, &what) in python.parameters.iter().enumerate() {
            let is_changed = || python.changed.iter().any(|(changed, _)| *changed == param);
            passed.push(match what {
                Passed::Argument(at) => {
                    let (_, slot) = slots.find(|(other, _)| *other == at).expect("arguments are passed in order");
                    values[at].place(placement.layouts.get(at), is_changed(), slot)?
                }
                Passed::Whole(at) => {
                    let (whole, shape) = (&placement.wholes[at], &whole_shapes[at]);
                    let (elem, elements) = (values[whole.members[0]].elem(), whole.start as *mut c_void);
                    // SAFETY: the arguments are parts of an array with so many elements, which they hold; if the function
                    // changes it, it shares no memory with other arguments.
                    unsafe {
                        match is_changed() {
                            true => Arg::in_place(elem, shape, elements),
                            false => Arg::at(elem, shape, elements),
                        }
                    }
                }
                Passed::Extent(at, axis) => Arg::scalar(Const::i64(values[at].shape()[axis] as i64)),
                Passed::Start(at, axis) => Arg::scalar(Const::i64(placement.starts[at][axis] as i64)),
            });
        }
        let results = self.run(py, &passed, objects)?;
        for &(param, result) in &python.changed {
            let write = |at: usize, strides: Option<&[isize]>, offset: usize| {
                let array = values[at].array().expect("numbers are not changed");
                let strides = strides.unwrap_or_else(|| array.strides());
                results.write_back(result, array, values[at].is_complex(), strides, offset)
            };
            match python.parameters[param] {
                Passed::Argument(at) => write(at, held[at].array.as_ref().map(|copy| copy.strides()), 0)?,
                Passed::Whole(at) => {
                    let whole = &placement.wholes[at];
                    for &member in &whole.members {
                        let place = values[member].array().map_or(0, |array| data(array) as usize);
                        write(member, None, place - whole.start)?;
                    }
                }
                Passed::Extent(..) | Passed::Start(..) => unreachable!("numbers are not changed"),
            }
        }
        python.note_copies(held.iter().map(|held| held.array.is_some()));
        let mut results = results;
        results.returned(&python.returned, objects)
    }

    /// Runs the code without Python's lock. Calls that are not compiled get the objects that they take from the arguments.
    fn run<'py>(&self, py: Python<'py>, passed: &[Arg<'_>], objects: &[Bound<'py, PyAny>]) -> PyResult<Results<'py>> {
        let (unit, compiled) = self.fitting(py, passed)?;
        let threads = settings::threads();
        let mut interrupt = None;
        let mut ask = || {
            interrupt = Python::attach(|py| py.check_signals()).err();
            interrupt.is_some()
        };
        let calls = self.python.as_ref().map(|python| &python.calls).filter(|calls| !calls.is_empty());
        let run = calls.map(|calls| Run::new(py, calls, objects)).transpose()?;
        let caller = run.clone().map(|run| -> Arc<dyn Caller> { run });
        let outcome = py.detach(|| compiled.call(unit, passed, threads, &mut print, caller, &mut ask));
        let outcome = outcome.map_err(|error| {
            interrupt.or_else(|| run.and_then(|run| run.raised())).unwrap_or_else(|| {
                exception(match &self.python {
                    Some(python) => python.source.place(python.with_shapes(error, passed)),
                    None => error,
                })
            })
        })?;
        let visible = unit.entry().map_err(exception)?.visible_range(outcome.results.len());
        Ok(Results::new(py, outcome.results.into_iter().skip(visible.start).take(visible.len())))
    }

    pub(crate) fn call<'py>(&self, py: Python<'py>, arguments: &[Argument<'py>]) -> PyResult<Bound<'py, PyAny>> {
        let interface = self.unit.entry().map_err(exception)?;
        let values: Vec<(usize, &Value<'py>)> = (arguments.iter().enumerate())
            .flat_map(|(at, given)| given.values.iter().map(move |value| (at, value)))
            .collect();
        let name = |at: usize| interface.parameters().get(at).map_or_else(String::new, |(name, _)| name.clone());
        let are_as_many = values.len() == self.components.len()
            && values.iter().zip(&self.components).all(|((at, _), (param, ..))| at == param);
        if !are_as_many {
            let list: Vec<String> = interface.parameters().iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            return Err(PyTypeError::new_err(format!(
                "the function takes {} arguments ({}), but {} are given",
                list.len(),
                list.join(", "),
                arguments.len()
            )));
        }
        let mut held: Vec<Held<'_>> = values.iter().map(|_| Held::default()).collect();
        let mut passed: Vec<Arg<'_>> = Vec::with_capacity(values.len());
        for (((at, value), (_, elem, rank)), held) in values.iter().zip(&self.components).zip(&mut held) {
            if value.is_complex() && rank.is_some_and(|rank| rank + 1 == value.shape().len()) {
                return Err(PyTypeError::new_err(format!("argument `{}` is complex, but {elem} is needed", name(*at))));
            }
            let found = value.shape().len();
            if let Some(needed) = rank.filter(|needed| *needed != found) {
                let message = format!("argument `{}` has {found} dimensions, but {needed} are needed", name(*at));
                return Err(PyValueError::new_err(message));
            }
            passed.push(value.pass(*elem, || name(*at), held)?);
        }
        self.run(py, &passed, &[])?.plain()
    }
}

impl PythonCode {
    /// True if the elements of an argument that the function changes may be those of another one, or repeat.
    pub(crate) fn may_share(&self, values: &[Value<'_>]) -> bool {
        let arrays = || values.iter().enumerate().filter_map(|(at, value)| Some((at, value.array()?)));
        arrays().filter(|(at, _)| self.changes[*at]).any(|(at, array)| {
            let own = addresses(array);
            let meets = |other: &Array<'_>| {
                let other = addresses(other);
                own.start < other.end && other.start < own.end
            };
            arrays().any(|(other, array)| other != at && meets(array)) || !is_plain(array) && may_repeat(array)
        })
    }

    /// An error with the shapes that cannot be broadcast together, in NumPy's words.
    fn with_shapes(&self, mut error: Error, passed: &[Arg<'_>]) -> Error {
        let Some(diagnostic) =
            error.diagnostics.first_mut().filter(|first| first.code == FailureKind::BroadcastMismatch.code())
        else {
            return error;
        };
        let span = diagnostic.span();
        let extent = |known: &Known| match *known {
            Known::Const(n) => n,
            Known::Axis(param, axis) => passed[param].shape()[axis] as i64,
            Known::Number(param) => passed[param].as_i64().unwrap_or_default(),
        };
        let text = |shape: &Vec<Known>| match &shape.iter().map(|known| extent(known).to_string()).collect::<Vec<_>>()[..]
        {
            [only] => format!("({only},)"),
            extents => format!("({})", extents.join(",")),
        };
        let mut checked = self.broadcasts.iter().filter(|(place, _)| *place == span);
        // One place may check several operations.
        if let Some((_, shapes)) = checked.next()
            && checked.all(|(_, others)| others == shapes)
        {
            let shapes: Vec<String> = shapes.iter().map(text).collect();
            diagnostic.message = format!("operands could not be broadcast together with shapes {}", shapes.join(" "));
        }
        error
    }

    /// Notes of which arguments copies are passed.
    pub(crate) fn note_copies(&self, copied: impl Iterator<Item = bool>) {
        let mut noted = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        noted.clear();
        noted.extend(copied);
    }

    /// How the arguments were passed in the last call.
    pub(crate) fn passing(&self, names: &[String]) -> String {
        let copied = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (at, name) in names.iter().enumerate() {
            let how = match self.layouts.get(at) {
                Some(Layout::Ordered(_)) => "where it is, with the axes in the order of memory".to_owned(),
                Some(Layout::Same(other)) => format!("the same array as `{}`", names[*other]),
                Some(Layout::Part { .. }) => "where it is, as a part of another array".to_owned(),
                _ if copied.get(at) == Some(&true) => "as a copy: its elements do not fill its memory".to_owned(),
                _ => "where it is".to_owned(),
            };
            let change = if self.changes.get(at) == Some(&true) { "; changed" } else { "" };
            text += &format!("  {name}: {how}{change}\n");
        }
        text
    }
}

/// What a program writes goes to `sys.stdout`, which may be a notebook's.
fn print(text: &str) {
    Python::attach(|py| {
        let written = py.import("sys").and_then(|sys| sys.getattr("stdout")?.call_method1("write", (text,)));
        // A stream that is closed takes nothing, as for `print` at the end of a process.
        if let Err(error) = written {
            error.write_unraisable(py, None);
        }
    });
}
