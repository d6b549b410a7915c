//! Functions that Python calls. One version is compiled for each signature of a call: what code depends on. Versions are found
//! again by it, so that a call does little beside the program's own work.

use crate::argument::Value;
use crate::caller::Observer;
use crate::code::{Argument, Code};
use crate::error::{CompileError, exception};
use crate::jit::{Jit, Source};
use crate::layout::{Placement, is_plain};
use crate::settings;
use ::numpy::PyArrayDescr;
use frit_driver::error::Kind;
use frit_driver::numpy::{Callers, Observed};
use frit_driver::sac::Functions;
use frit_driver::{Error, Notation, Unit, explain};
use pyo3::exceptions::{PyException, PyRuntimeWarning, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyInt, PyList, PyString, PyTuple, PyType};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
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
    /// Finds what calls give, if code depends on that.
    observer: Option<Observer>,
    /// Calls did something else than the code knows.
    is_left: AtomicBool,
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
            let version = self.version(py, &arguments)?;
            return version.code()?.call(py, &arguments);
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
            let values = read_plain(&objects, jit.is_strict)?;
            let (version, placement) = self.placed_version(py, &source, &values)?;
            Ok((values, version, placement))
        };
        let (values, version, placement) = match ready() {
            Ok(ready) => ready,
            Err(why) => return left(why),
        };
        match (&version.code, &version.observer) {
            (Ok(_), _) if version.is_left.load(Relaxed) => {
                left(CompileError::new_err("the results of a call that is not compiled changed their types"))
            }
            (Ok(code), _) => code.call_placed(py, &values, &placement, &objects).inspect_err(|error| {
                let class = py.import("frit._calls").and_then(|module| module.getattr("ResultError"));
                let is_other = class.is_ok_and(|class| error.get_type(py).is(&class));
                version.is_left.fetch_or(is_other, Relaxed);
            }),
            (Err(_), Some(observer)) => {
                let result = observer.run(py, &objects)?;
                self.compile_observed(py, (&source, &values, &placement), &version)?;
                Ok(result)
            }
            // An integer may tell an axis, or another thing that must be known.
            (Err(error), None)
                if needs_constant(error) && objects.iter().any(|object| object.is_exact_instance_of::<PyInt>()) =>
            {
                match jit.special(py, &objects, true) {
                    Ok((special, arguments)) => call_special(jit, &special, arguments),
                    Err(why) => left(why),
                }
            }
            (Err(error), None) => jit.undecorated(args, kwargs, || exception(error.clone())),
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
            let text = explain::terminal::print_short(&explanation, unit);
            let details = explain::terminal::print(&explanation, unit, false);
            Ok((text, details, explain::html::print(&explanation, unit)))
        });
        let (mut text, details, mut page) = explained.map_err(exception)?;
        if let (Program::Python(jit), Some(python)) = (&self.program, &version.code()?.python) {
            let passing = python.passing(&jit.source(py)?.names());
            text += &format!("\nArguments are passed\n{passing}");
            let end = page.rfind("</body>").unwrap_or(page.len());
            page.insert_str(end, &format!("<h2>Arguments are passed</h2><pre>{passing}</pre>"));
        }
        Ok(Explanation { text, details, page })
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
                let values = read_plain(&jit.bind(&source, args, kwargs)?, jit.is_strict)?;
                let (version, _) = self.placed_version(args.py(), &source, &values)?;
                if let Some(python) = version.code.as_ref().ok().and_then(|code| code.python.as_ref()) {
                    python.note_copies(values.iter().map(|value| value.array().is_some_and(|array| !is_plain(array))));
                }
                Ok(version)
            }
            _ => self.version(args.py(), &self.read(args, kwargs)?),
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
    fn version(&self, py: Python<'_>, arguments: &[Argument<'_>]) -> PyResult<Arc<Version>> {
        let key = self.key(arguments);
        if let Some(version) = self.find(&key) {
            return Ok(version);
        }
        let unit = match &self.program {
            Program::Fixed(unit) => (**unit).clone(),
            Program::Sac { functions, .. } => {
                let given: Vec<Vec<_>> =
                    (arguments.iter()).map(|argument| argument.values.iter().map(Value::given).collect()).collect();
                py.detach(|| functions.enter(&self.name, &given)).map_err(exception)?
            }
            Program::Python(_) => unreachable!("a function of Python has a source"),
        };
        let code = Code::compile(py, unit, None).map_err(exception)?;
        self.keep(py, Version::new(key, Ok(code)))
    }

    /// The version of a function of Python for these arguments, compiled if there is none yet, and where the arguments are.
    fn placed_version(
        &self,
        py: Python<'_>,
        source: &Arc<Source>,
        values: &[Value<'_>],
    ) -> PyResult<(Arc<Version>, Placement)> {
        let mut placement = Placement::apart(values, |_| true);
        let mut version = self.python_version(py, source, values, &placement)?;
        let Ok(Code { python: Some(python), .. }) = &version.code else { return Ok((version, placement)) };
        if !python.changes.contains(&true) {
            return Ok((version, placement));
        }
        if python.may_share(values) {
            placement = Placement::shared(values, |at| python.changes[at])?;
            version = self.python_version(py, source, values, &placement)?;
        } else if !placement.wholes.is_empty() {
            placement = Placement::apart(values, |at| !python.changes[at]);
        }
        Ok((version, placement))
    }

    fn python_version(
        &self,
        py: Python<'_>,
        source: &Arc<Source>,
        values: &[Value<'_>],
        placement: &Placement,
    ) -> PyResult<Arc<Version>> {
        let mut key = vec![settings::is_strict().into(), source.hash];
        for value in values {
            if let Value::Object(class) = value {
                let mut hasher = DefaultHasher::new();
                class.hash(&mut hasher);
                key.extend([u64::MAX, hasher.finish()]);
                continue;
            }
            let (elem, shape) = (value.elem() as u64, value.shape());
            let kind = u64::from(value.is_python()) << 1 | u64::from(value.is_complex());
            // Which extents are 1 decides how arrays are broadcast.
            let ones = shape.iter().fold(0, |ones, &extent| ones << 1 | u64::from(extent == 1));
            key.extend([elem << 16 | (shape.len() as u64) << 8 | kind, ones]);
        }
        placement.describe(&mut key);
        if let Some(version) = self.find(&key) {
            return Ok(version);
        }
        let version = self.compiled(py, (source, values, placement), key, None)?;
        self.keep(py, version)
    }

    /// Compiles a function of Python. Calls in it that are not compiled are left to Python, which has `observed` what they give.
    fn compiled(
        &self,
        py: Python<'_>,
        (source, values, placement): (&Arc<Source>, &[Value<'_>], &Placement),
        key: Vec<u64>,
        observed: Option<Vec<Observed>>,
    ) -> PyResult<Version> {
        let Program::Python(jit) = &self.program else { unreachable!("it is a function of Python") };
        let compile = |callers: &Callers| Code::of_python(py, source, values, placement, callers);
        let was_observed = observed.is_some();
        let mut code = match observed {
            None => compile(&Callers::Nobody),
            Some(observed) => compile(&Callers::Python(observed)),
        };
        // Versions for integers that must be known come before calls.
        let is_for_python = |error: &Error| {
            error.kind == Kind::Source && !(needs_constant(error) && values.iter().any(|value| value.is_python()))
        };
        if !jit.is_strict && !was_observed && code.as_ref().is_err_and(is_for_python) {
            code = compile(&Callers::Python(Vec::new()));
        }
        let code = match code {
            // What is wrong with it will not change.
            Err(error) if error.kind == Kind::Source => Err(error),
            made => Ok(made.map_err(exception)?),
        };
        let observer = match &code {
            Err(error) if error.has_code("unknown-result") => Some(Observer::new(py, source)?),
            _ => None,
        };
        Ok(Version { observer, ..Version::new(key, code) })
    }

    /// Compiles a function with what its calls gave, if that is enough.
    fn compile_observed(
        &self,
        py: Python<'_>,
        of: (&Arc<Source>, &[Value<'_>], &Placement),
        old: &Arc<Version>,
    ) -> PyResult<()> {
        let Some(observer) = &old.observer else { return Ok(()) };
        let new = self.compiled(py, of, old.key.clone(), Some(observer.observed(py)?))?;
        if new.observer.is_some() && !observer.is_spent() {
            // A call was not reached.
            return Ok(());
        }
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).retain(|version| !Arc::ptr_eq(version, old));
        self.keep(py, Version { observer: None, ..new })?;
        Ok(())
    }

    /// The version with this key. It is the last one now.
    fn find(&self, key: &[u64]) -> Option<Arc<Version>> {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let at = versions.iter().rposition(|version| version.key == key)?;
        let last = versions.len() - 1;
        versions.swap(at, last);
        Some(Arc::clone(&versions[last]))
    }

    /// Keeps a new version.
    fn keep(&self, py: Python<'_>, version: Version) -> PyResult<Arc<Version>> {
        if let Ok(code) = &version.code
            && let Some(why) = code.compiled.why_interpreted()
        {
            warn_of_interpreter(py, &why)?;
        }
        let version = Arc::new(version);
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&version));
        Ok(version)
    }

    /// What code in another language than Python depends on.
    fn key(&self, arguments: &[Argument<'_>]) -> Vec<u64> {
        let mut key = vec![settings::is_strict().into()];
        let Program::Sac { depends_on_extents, .. } = &self.program else { return key };
        for argument in arguments {
            key.push(argument.values.len() as u64);
            for value in &argument.values {
                let (elem, shape) = (value.elem() as u64, value.shape());
                let kind = u64::from(value.is_python()) << 1 | u64::from(value.is_complex());
                key.push(elem << 16 | (shape.len() as u64) << 8 | kind);
                if *depends_on_extents {
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
    error.has_code("needs-constant")
}

/// Reads the arguments of a function of Python. Unless that is strict, what is no number or array is an object.
fn read_plain<'py>(objects: &[Bound<'py, PyAny>], is_strict: bool) -> PyResult<Vec<Value<'py>>> {
    let read = |object: &Bound<'py, PyAny>| match Value::read(object, false) {
        Err(_) if !is_strict => Ok(Value::Object(object.get_type().name()?.to_string())),
        read => read,
    };
    objects.iter().map(read).collect()
}

impl Version {
    fn new(key: Vec<u64>, code: Result<Code, Error>) -> Self {
        Self { key, code, observer: None, is_left: AtomicBool::new(false) }
    }

    /// The code, if the function could be compiled.
    fn code(&self) -> PyResult<&Code> {
        self.code.as_ref().map_err(|error| exception(error.clone()))
    }
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
    details: String,
    page: String,
}

#[pymethods]
impl Explanation {
    /// Every decision in the source's lines, with amounts in full.
    #[getter]
    fn details(&self) -> &str {
        &self.details
    }

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
