//! Functions that Python calls. One version is compiled for each signature of a call: what code depends on. Versions are found
//! again by it, so that a call does little beside the program's own work.

use crate::argument::{Held, Value};
use crate::error::{CompileError, exception};
use crate::jit::{Jit, Source};
use crate::result::Results;
use crate::settings;
use ::numpy::PyArrayDescr;
use frit_driver::error::Kind;
use frit_driver::native::Arg;
use frit_driver::numpy::{self, Returned};
use frit_driver::sac::Functions;
use frit_driver::{Compiled, Error, Notation, Unit, explain};
use frit_ir::Scalar;
use pyo3::exceptions::{PyException, PyRuntimeWarning, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyInt, PyList, PyString, PyTuple, PyType};
use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A function of a program. Call it with numbers and arrays.
#[pyclass(module = "frit", frozen, dict)]
pub(crate) struct Function {
    name: String,
    program: Program,
    /// Compiled versions, the one that was called last at the end.
    versions: Mutex<Vec<Arc<Version>>>,
}

/// What a function is compiled from.
enum Program {
    /// One entry, with parameters of fixed types.
    Fixed(Box<Unit>),
    /// A function of a program in SAC; whether extents tell which of several.
    Sac { functions: Functions, depends_on_extents: bool },
    /// A function of Python.
    Python(Jit),
}

/// A function for one signature.
struct Version {
    /// The signature, and the options that code depends on.
    key: Vec<u64>,
    /// Why a function of Python is not compiled, if it is not.
    code: Result<Code, Error>,
}

struct Code {
    unit: Unit,
    compiled: Compiled,
    /// The components of the parameters: the position of the parameter, the element type and the rank, if it is known.
    components: Vec<(usize, Scalar, Option<usize>)>,
    /// Of a function of Python.
    python: Option<PythonCode>,
}

/// What a compiled function of Python gives.
struct PythonCode {
    returned: Returned,
    /// The arguments that it changes, and the results that are what they hold in the end.
    changed: Vec<(usize, usize)>,
}

/// An argument: one value, or those of a tuple.
struct Argument<'py> {
    values: Vec<Value<'py>>,
}

/// The functions of a program in SAC, by name.
#[pyfunction]
pub(crate) fn sac(py: Python<'_>, name: &str, text: &str) -> PyResult<Vec<Function>> {
    let functions = py.detach(|| Functions::load(name, text)).map_err(exception)?;
    let function = |name: &str| {
        let depends_on_extents = functions.depends_on_extents(name);
        Function::new(name, Program::Sac { functions: functions.clone(), depends_on_extents })
    };
    Ok(functions.names().into_iter().map(function).collect())
}

/// The function `main` of a program in L0.
#[pyfunction]
pub(crate) fn l0(py: Python<'_>, name: &str, text: &str) -> PyResult<Function> {
    let unit = py.detach(|| frit_driver::load_l0(name, text)).map_err(exception)?;
    unit.entry().map_err(exception)?;
    Ok(Function::new("main", Program::Fixed(Box::new(unit))))
}

/// The entry function of a file in the array IR.
#[pyfunction]
pub(crate) fn ir(py: Python<'_>, path: &str) -> PyResult<Function> {
    let unit = py.detach(|| frit_driver::load(Path::new(path))).map_err(exception)?;
    unit.entry().map_err(exception)?;
    Ok(Function::new("main", Program::Fixed(Box::new(unit))))
}

/// A function of Python that is compiled when it is called. `is_strict`: what cannot be compiled is an error.
#[pyfunction]
pub(crate) fn jit(py: Python<'_>, function: Py<PyAny>, is_strict: bool) -> PyResult<Function> {
    let name: String = function.getattr(py, "__name__")?.extract(py)?;
    Ok(Function::new(&name, Program::Python(Jit::new(function, is_strict))))
}

#[pymethods]
impl Function {
    /// The function's name.
    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("<frit function {}>", self.name)
    }

    /// Pickled by its name, as functions are.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("__qualname__")
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Program::Python(jit) = &self.program else {
            let arguments = self.read(args, kwargs)?;
            let version = self.version(py, None, &arguments)?;
            return version.code()?.call(py, &arguments, &[]);
        };
        let left = |why: PyErr| {
            let is_usual = why.is_instance_of::<PyException>(py);
            if is_usual { jit.undecorated(args, kwargs, || why) } else { Err(why) }
        };
        let source = match jit.source(py) {
            Ok(source) => source,
            Err(why) => return left(why),
        };
        let objects = jit.bind(&source, args, kwargs)?;
        if objects.iter().any(is_constant) {
            return match jit.special(py, &objects, false) {
                Ok((special, arguments)) => call_special(jit, &special, arguments),
                Err(why) => left(why),
            };
        }
        let ready = || {
            let arguments = read_plain(&objects)?;
            let version = self.version(py, Some(&source), &arguments)?;
            Ok((arguments, version))
        };
        let (arguments, version) = match ready() {
            Ok(ready) => ready,
            Err(why) => return left(why),
        };
        match &version.code {
            Ok(code) => match code.are_apart(&arguments) {
                Ok(()) => code.call(py, &arguments, &objects),
                Err(why) => left(why),
            },
            // An integer may tell an axis, or another thing that must be known.
            Err(error)
                if needs_constant(error) && objects.iter().any(|object| object.is_exact_instance_of::<PyInt>()) =>
            {
                match jit.special(py, &objects, true) {
                    Ok((special, arguments)) => call_special(jit, &special, arguments),
                    Err(why) => left(why),
                }
            }
            Err(error) => jit.undecorated(args, kwargs, || exception(error.clone())),
        }
    }

    /// Compiles the function for such arguments, and does not call it.
    #[pyo3(signature = (*args, **kwargs))]
    fn warm(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.asked(args, kwargs).and_then(|version| version.code().map(|_| ()))
    }

    /// What became of the loops, for such arguments or those of the last call.
    #[pyo3(signature = (*args, **kwargs))]
    fn explain(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Explanation> {
        let (py, version) = (args.py(), self.asked(args, kwargs)?);
        let unit = &version.code()?.unit;
        let request = explain::Request { code: true, ..explain::Request::default() };
        let options = settings::options();
        let explained = py.detach(|| {
            let explanation = explain::explain(unit, &request, &options)?;
            let text = explain::terminal::print(&explanation, unit, false);
            Ok(Explanation { text, page: explain::html::print(&explanation, unit) })
        });
        explained.map_err(exception)
    }

    /// The program after a step of the compiler, for such arguments or those of the last call.
    #[pyo3(signature = (step = "fuse", *args, **kwargs))]
    fn dump(&self, step: &str, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let (py, version) = (args.py(), self.asked(args, kwargs)?);
        let unit = &version.code()?.unit;
        let options = settings::options();
        py.detach(|| frit_driver::dump(unit, step, Notation::Ir, &options)).map_err(exception)
    }

    /// The C source, for such arguments or those of the last call.
    #[pyo3(signature = (*args, **kwargs))]
    fn source(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        self.dump("c", args, kwargs)
    }
}

impl Function {
    fn new(name: &str, program: Program) -> Self {
        Self { name: name.to_owned(), program, versions: Mutex::new(Vec::new()) }
    }

    /// The version for such arguments; without arguments the one that was called last, if there is one.
    fn asked(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Version>> {
        let last = self.versions.lock().unwrap_or_else(PoisonError::into_inner).last().cloned();
        match (last, &self.program) {
            (Some(version), _) if args.is_empty() && kwargs.is_none() => Ok(version),
            (_, Program::Python(jit)) => {
                let source = jit.source(args.py())?;
                let arguments = read_plain(&jit.bind(&source, args, kwargs)?)?;
                self.version(args.py(), Some(&source), &arguments)
            }
            _ => self.version(args.py(), None, &self.read(args, kwargs)?),
        }
    }

    /// Reads the arguments of a function in another language than Python.
    fn read<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Argument<'py>>> {
        if kwargs.is_some_and(|kwargs| !kwargs.is_empty()) {
            return Err(PyTypeError::new_err(format!("`{}` takes no arguments by name", self.name)));
        }
        let argument = |object: Bound<'py, PyAny>| {
            let values = match object.cast::<PyTuple>() {
                Ok(tuple) => tuple.iter().map(|object| Value::read(&object, true)).collect::<PyResult<_>>()?,
                Err(_) => vec![Value::read(&object, true)?],
            };
            Ok(Argument { values })
        };
        args.iter().map(argument).collect()
    }

    /// The version for these arguments, compiled if there is none yet.
    fn version(
        &self,
        py: Python<'_>,
        source: Option<&Arc<Source>>,
        arguments: &[Argument<'_>],
    ) -> PyResult<Arc<Version>> {
        let key = self.key(source, arguments);
        {
            let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = versions.iter().rposition(|version| version.key == key) {
                let last = versions.len() - 1;
                versions.swap(at, last);
                return Ok(Arc::clone(&versions[last]));
            }
        }
        let code = match (self.compile(py, source, arguments), source) {
            // What is wrong with it will not change.
            (Err(error), Some(_)) if error.kind == Kind::Source => Err(error),
            (made, _) => Ok(made.map_err(exception)?),
        };
        if let Ok(code) = &code
            && let Some(why) = code.compiled.why_interpreted()
        {
            warn_of_interpreter(py, &why)?;
        }
        let version = Arc::new(Version { key, code });
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&version));
        Ok(version)
    }

    fn compile(&self, py: Python<'_>, source: Option<&Arc<Source>>, arguments: &[Argument<'_>]) -> Result<Code, Error> {
        let mut python = None;
        let unit = match (&self.program, source) {
            (Program::Fixed(unit), _) => (**unit).clone(),
            (Program::Sac { functions, .. }, _) => {
                let given: Vec<Vec<_>> =
                    (arguments.iter()).map(|argument| argument.values.iter().map(Value::given).collect()).collect();
                py.detach(|| functions.enter(&self.name, &given))?
            }
            (Program::Python(_), Some(source)) => {
                let types: Vec<_> =
                    arguments.iter().flat_map(|argument| &argument.values).map(Value::describe).collect();
                let Source { file, text, name, .. } = &**source;
                let numpy::Function { unit, returned, changed } =
                    py.detach(|| numpy::compile(file, text, name, &types))?;
                python = Some(PythonCode { returned, changed });
                unit
            }
            (Program::Python(_), None) => unreachable!("a function of Python has a source"),
        };
        let options = settings::options();
        let compiled = py.detach(|| frit_driver::compile(&unit, &options))?;
        let components = unit.entry()?.components();
        Ok(Code { unit, compiled, components, python })
    }

    fn key(&self, source: Option<&Arc<Source>>, arguments: &[Argument<'_>]) -> Vec<u64> {
        let mut key = vec![settings::is_strict().into()];
        let by_extents = match &self.program {
            Program::Fixed(_) => return key,
            Program::Sac { depends_on_extents, .. } => *depends_on_extents,
            Program::Python(_) => false,
        };
        key.extend(source.map(|source| source.hash));
        for argument in arguments {
            key.push(argument.values.len() as u64);
            for value in &argument.values {
                let (elem, shape) = (value.elem() as u64, value.shape());
                let kind = u64::from(value.is_python()) << 1 | u64::from(value.is_complex());
                // Which extents are 1 decides how arrays of Python are broadcast.
                let ones = shape.iter().fold(0, |ones, &extent| ones << 1 | u64::from(extent == 1));
                let ones = if source.is_some() { ones } else { 0 };
                key.extend([elem << 16 | (shape.len() as u64) << 8 | kind, ones]);
                if by_extents {
                    key.extend(shape.iter().map(|&extent| extent as u64));
                }
            }
        }
        key
    }
}

/// True for what a function of Python is compiled for: neither a number nor an array.
fn is_constant(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyString>()
        || object.is_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_instance_of::<PyType>()
        || object.is_instance_of::<PyArrayDescr>()
        || object.is_exact_instance_of::<PyFunction>()
        || object.is_exact_instance_of::<PyCFunction>()
}

/// Calls a function with constants. Of both one says why it is not compiled.
fn call_special<'py>(
    jit: &Jit,
    special: &Bound<'py, PyAny>,
    arguments: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let own = special.cast::<Function>().ok().map(|function| &function.get().program);
    if let Some(Program::Python(own)) = own {
        own.is_said_by(jit);
    }
    let result = special.call1(arguments);
    if let Some(Program::Python(own)) = own {
        jit.is_said_by(own);
    }
    result
}

/// True if a function is not compiled since a value is only known at run time.
fn needs_constant(error: &Error) -> bool {
    error.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("only known at run time"))
}

/// Reads the arguments of a function of Python.
fn read_plain<'py>(objects: &[Bound<'py, PyAny>]) -> PyResult<Vec<Argument<'py>>> {
    objects.iter().map(|object| Ok(Argument { values: vec![Value::read(object, false)?] })).collect()
}

impl Version {
    /// The code, if the function could be compiled.
    fn code(&self) -> PyResult<&Code> {
        self.code.as_ref().map_err(|error| exception(error.clone()))
    }
}

impl Code {
    fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: &[Argument<'py>],
        objects: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
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
        let changed = self.python.as_ref().map_or(&[][..], |python| &python.changed);
        for (at, _) in changed {
            values[*at].1.writable()?;
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
        let (unit, compiled, threads) = (&self.unit, &self.compiled, settings::threads());
        let outcome = py.detach(|| compiled.call(unit, &passed, threads, &mut print)).map_err(exception)?;
        let visible = interface.visible_range(outcome.results.len());
        let results = outcome.results.into_iter().skip(visible.start).take(visible.len());
        let mut results = Results::new(py, results);
        let Some(python) = &self.python else { return results.plain() };
        for (at, result) in changed {
            results.write_back(*result, values[*at].1)?;
        }
        results.returned(&python.returned, objects)
    }

    /// Says whether no argument that the function changes shares memory with another.
    ///
    /// # Errors
    ///
    /// Two may: the code takes them for arrays of their own.
    fn are_apart(&self, arguments: &[Argument<'_>]) -> PyResult<()> {
        let changed = self.python.as_ref().map_or(&[][..], |python| &python.changed);
        for (at, _) in changed {
            let own = arguments[*at].values[0].addresses();
            for (other, argument) in arguments.iter().enumerate().filter(|(other, _)| other != at) {
                let others = argument.values[0].addresses();
                if own.start < others.end && others.start < own.end {
                    let (first, second) = (at.min(&other) + 1, at.max(&other) + 1);
                    return Err(CompileError::new_err(format!(
                        "arguments {first} and {second} may share memory, and the function changes one of them"
                    )));
                }
            }
        }
        Ok(())
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

/// Says once for each process that there is no native code.
fn warn_of_interpreter(py: Python<'_>, why: &str) -> PyResult<()> {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    if IS_SAID.swap(true, Relaxed) {
        return Ok(());
    }
    let text = format!(
        "frit: the interpreter runs this program, which is slow: {why}. Install a C compiler, as with \
         `apt-get install gcc` or `pip install frit[compiler]`"
    );
    let text = CString::new(text.replace('\0', " ")).expect("there are no zeros in it");
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)
}

/// What became of the loops of a function: text in a terminal, a page in a notebook.
#[pyclass(module = "frit", frozen)]
pub(crate) struct Explanation {
    text: String,
    page: String,
}

#[pymethods]
impl Explanation {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> &str {
        &self.text
    }

    /// The page, in a frame of its own: its style is not that of the notebook.
    fn _repr_html_(&self) -> String {
        let page = self.page.replace('&', "&amp;").replace('"', "&quot;");
        format!(r#"<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: none"></iframe>"#)
    }

    /// The page.
    #[getter]
    fn html(&self) -> &str {
        &self.page
    }
}
