//! Functions that Python calls. One version is compiled for each signature of a call: what code depends on. Versions are found
//! again by it, so that a call does little beside the program's own work.

use crate::argument::{Held, Value};
use crate::error::exception;
use crate::result::results;
use crate::settings;
use frit_driver::native::Arg;
use frit_driver::sac::Functions;
use frit_driver::{Compiled, Notation, Unit, explain};
use frit_ir::Scalar;
use pyo3::exceptions::{PyRuntimeWarning, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A function of a program. Call it with numbers and arrays.
#[pyclass(module = "frit", frozen)]
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
}

/// A function for one signature.
struct Version {
    /// The signature, and the options that code depends on.
    key: Vec<u64>,
    unit: Unit,
    compiled: Compiled,
    /// The components of the parameters: the position of the parameter, the element type and the rank, if it is known.
    components: Vec<(usize, Scalar, Option<usize>)>,
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

    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let arguments = read(args)?;
        let version = self.version(py, &arguments)?;
        version.call(py, &arguments)
    }

    /// Compiles the function for such arguments, and does not call it.
    #[pyo3(signature = (*args))]
    fn warm(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.version(py, &read(args)?).map(|_| ())
    }

    /// What became of the loops, for such arguments or those of the last call.
    #[pyo3(signature = (*args))]
    fn explain(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Explanation> {
        let version = self.asked(py, args)?;
        let request = explain::Request { code: true, ..explain::Request::default() };
        let options = settings::options();
        let explained = py.detach(|| {
            let explanation = explain::explain(&version.unit, &request, &options)?;
            let text = explain::terminal::print(&explanation, &version.unit, false);
            Ok(Explanation { text, page: explain::html::print(&explanation, &version.unit) })
        });
        explained.map_err(exception)
    }

    /// The program after a step of the compiler, for such arguments or those of the last call.
    #[pyo3(signature = (step = "fuse", *args))]
    fn dump(&self, py: Python<'_>, step: &str, args: &Bound<'_, PyTuple>) -> PyResult<String> {
        let version = self.asked(py, args)?;
        let options = settings::options();
        py.detach(|| frit_driver::dump(&version.unit, step, Notation::Ir, &options)).map_err(exception)
    }

    /// The C source, for such arguments or those of the last call.
    #[pyo3(signature = (*args))]
    fn source(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<String> {
        self.dump(py, "c", args)
    }
}

impl Function {
    fn new(name: &str, program: Program) -> Self {
        Self { name: name.to_owned(), program, versions: Mutex::new(Vec::new()) }
    }

    /// The version for such arguments; without arguments the one that was called last, if there is one.
    fn asked(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Arc<Version>> {
        let last = self.versions.lock().unwrap_or_else(PoisonError::into_inner).last().cloned();
        match last {
            Some(version) if args.is_empty() => Ok(version),
            _ => self.version(py, &read(args)?),
        }
    }

    /// The version for these arguments, compiled if there is none yet.
    fn version(&self, py: Python<'_>, arguments: &[Argument<'_>]) -> PyResult<Arc<Version>> {
        let key = self.key(arguments);
        {
            let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = versions.iter().rposition(|version| version.key == key) {
                let last = versions.len() - 1;
                versions.swap(at, last);
                return Ok(Arc::clone(&versions[last]));
            }
        }
        let given = || -> Vec<Vec<_>> {
            arguments.iter().map(|argument| argument.values.iter().map(Value::given).collect()).collect()
        };
        let options = settings::options();
        let unit = match &self.program {
            Program::Fixed(unit) => Ok((**unit).clone()),
            Program::Sac { functions, .. } => {
                let given = given();
                py.detach(|| functions.enter(&self.name, &given))
            }
        };
        let unit = unit.map_err(exception)?;
        let compiled = py.detach(|| frit_driver::compile(&unit, &options)).map_err(exception)?;
        if let Some(why) = compiled.why_interpreted() {
            warn_of_interpreter(py, &why)?;
        }
        let components = unit.entry().map_err(exception)?.components();
        let version = Arc::new(Version { key, unit, compiled, components });
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&version));
        Ok(version)
    }

    fn key(&self, arguments: &[Argument<'_>]) -> Vec<u64> {
        let mut key = vec![settings::is_strict().into()];
        let Program::Sac { depends_on_extents, .. } = &self.program else { return key };
        for argument in arguments {
            key.push(argument.values.len() as u64);
            for value in &argument.values {
                let (elem, shape) = (value.elem() as u64, value.shape());
                key.push(elem << 16 | (shape.len() as u64) << 1 | u64::from(value.is_python()));
                if *depends_on_extents {
                    key.extend(shape.iter().map(|&extent| extent as u64));
                }
            }
        }
        key
    }
}

/// Reads all arguments.
fn read<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Vec<Argument<'py>>> {
    let argument = |object: Bound<'py, PyAny>| {
        let values = match object.cast::<PyTuple>() {
            Ok(tuple) => tuple.iter().map(|object| Value::read(&object, true)).collect::<PyResult<_>>()?,
            Err(_) => vec![Value::read(&object, true)?],
        };
        Ok(Argument { values })
    };
    args.iter().map(argument).collect()
}

impl Version {
    fn call<'py>(&self, py: Python<'py>, arguments: &[Argument<'py>]) -> PyResult<Bound<'py, PyAny>> {
        let interface = self.unit.entry().map_err(exception)?;
        let values: Vec<(usize, &Value<'py>)> = arguments
            .iter()
            .enumerate()
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
            passed.push(value.pass(*elem, false, || name(*at), held)?);
        }
        let (unit, compiled, threads) = (&self.unit, &self.compiled, settings::threads());
        let outcome = py.detach(|| compiled.call(unit, &passed, threads, &mut print)).map_err(exception)?;
        let visible = interface.visible_range(outcome.results.len());
        results(py, outcome.results.into_iter().skip(visible.start).take(visible.len()).collect())
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
