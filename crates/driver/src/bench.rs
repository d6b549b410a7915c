//! Timing of kernels: a program many times on one input, beside the machine's bandwidth and, if asked, beside C that does the
//! same.

use crate::compile::{Compiled, compile, native_bug, native_failure, optimisation};
use crate::error::{Error, Kind};
use crate::native::{Arg, Cache, Compiler, NativeError, OwnedResult};
use crate::options::{Fusion, Level, Options};
use crate::source::Unit;
use frit_back::c::CSource;
use frit_ir::{Const, Tensor, TensorData};
use frit_support::{Diagnostic, SourceMap};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// How often to run; `None`: until a second has passed, from 5 to 1000 times.
    pub runs: Option<usize>,
    /// C that defines `frit_baseline`, to compare with.
    pub against: Option<PathBuf>,
    /// Measure the program without merged with-loops too.
    pub unfused: bool,
}

/// Times of several runs, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// The middle one.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// How many there were.
    pub runs: usize,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The program's kernel.
    pub kernel: Times,
    /// The seconds that each run took, in their order.
    pub seconds: Vec<f64>,
    /// What the program computed, the parts that callers do not see included.
    pub results: Vec<Tensor>,
    /// Bytes of the arguments and results.
    pub bytes: u64,
    /// Seconds from the source to native code, past the cache or not.
    pub compile: f64,
    /// What ran.
    pub engine: &'static str,
    /// The comparison with C: the program's median by the C's.
    pub against: Option<Comparison>,
    /// The comparison with the program without merged with-loops: its median by the program's.
    pub unfused: Option<Comparison>,
}

/// Something else that was run in turn with the program.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Its times.
    pub times: Times,
    /// One median by the other.
    pub ratio: f64,
}

/// Measures a program on these arguments.
///
/// # Errors
///
/// What the program itself fails with; C that cannot be compiled, or computes something else; nothing is merged that could be
/// left out.
pub fn measure(unit: &Unit, arguments: Vec<Tensor>, request: &Request, options: &Options) -> Result<Measured, Error> {
    if request.unfused && (options.level == Level::O0 || options.fusion == Fusion::Off) {
        return Err(Error::usage("nothing is merged, so there is nothing to compare the program without fusion with"));
    }
    let start = Instant::now();
    let compiled = compile(unit, options)?;
    let compile_seconds = start.elapsed().as_secs_f64();
    let arguments = match compiled.library() {
        Some(_) => unit.entry()?.for_array_ir(arguments),
        None => arguments,
    };
    let unfused = match request.unfused {
        true => Some(compile(unit, &options.unfused())?),
        false => None,
    };
    let (mut kernel, mut unfused_times, mut baseline_times) = (Vec::new(), Vec::new(), Vec::new());
    let (bytes, first) = one_run(&compiled, unit, &arguments, options.used_threads())?;
    let mut baseline = match &request.against {
        Some(path) => Some(Baseline::compile(path, options, unit.visible(&first.results), &arguments)?),
        None => None,
    };
    if let Some(baseline) = &mut baseline {
        baseline.run();
        baseline.agrees(unit.visible(&first.results))?;
    }
    let results = first.results;
    if let Some(unfused) = &unfused {
        // The first run alone meets cold caches, as that of the program above.
        time_of(unfused, unit, &arguments, options.used_threads())?;
    }
    let began = Instant::now();
    while match request.runs {
        Some(runs) => kernel.len() < runs,
        None => kernel.len() < 5 || (kernel.len() < 1000 && began.elapsed() < Duration::from_secs(1)),
    } {
        kernel.push(time_of(&compiled, unit, &arguments, options.used_threads())?);
        if let Some(unfused) = &unfused {
            unfused_times.push(time_of(unfused, unit, &arguments, options.used_threads())?);
        }
        if let Some(baseline) = &mut baseline {
            baseline_times.push(baseline.run());
        }
    }
    let seconds = kernel.clone();
    let kernel = times(kernel);
    let against = baseline.map(|_| {
        let times = times(baseline_times);
        Comparison { ratio: kernel.median / times.median, times }
    });
    let unfused = unfused.map(|_| {
        let times = times(unfused_times);
        Comparison { ratio: times.median / kernel.median, times }
    });
    let engine = compiled.engine();
    Ok(Measured { kernel, seconds, results, bytes, compile: compile_seconds, engine, against, unfused })
}

fn times(mut seconds: Vec<f64>) -> Times {
    seconds.sort_by(f64::total_cmp);
    let (min, max) = (seconds.first().copied().unwrap_or(0.0), seconds.last().copied().unwrap_or(0.0));
    Times { median: seconds.get(seconds.len() / 2).copied().unwrap_or(0.0), min, max, runs: seconds.len() }
}

/// Arguments for a call that leaves them as they are.
fn lend(arguments: &[Tensor]) -> Vec<Arg<'_>> {
    let lend = |argument| match Tensor::as_scalar(argument) {
        Some(scalar) => Arg::scalar(scalar),
        None => Arg::tensor(argument),
    };
    arguments.iter().map(lend).collect()
}

/// One run: the bytes of its arguments and results, and the results.
fn one_run(
    compiled: &Compiled,
    unit: &Unit,
    arguments: &[Tensor],
    threads: usize,
) -> Result<(u64, crate::Outcome), Error> {
    let outcome = match compiled.library() {
        Some(library) => {
            let run = library
                .call_writing(&lend(arguments), threads, None, &mut |_| {})
                .map_err(|error| native_failure(unit, error))?;
            let results = run.results.iter().map(OwnedResult::to_tensor).collect();
            crate::Outcome { results, output: String::new(), status: 0, kernel: run.time }
        }
        None => compiled.run(unit, arguments.to_vec())?,
    };
    let bytes = |tensor: &Tensor| (tensor.data().len() * tensor.elem().bytes()) as u64;
    let all = arguments.iter().chain(unit.visible(&outcome.results)).map(bytes).sum();
    Ok((all, outcome))
}

/// The seconds that the kernel alone takes.
fn time_of(compiled: &Compiled, unit: &Unit, arguments: &[Tensor], threads: usize) -> Result<f64, Error> {
    let time = match compiled.library() {
        Some(library) => {
            library
                .call_writing(&lend(arguments), threads, None, &mut |_| {})
                .map_err(|error| native_failure(unit, error))?
                .time
        }
        None => compiled.run(unit, arguments.to_vec())?.kernel,
    };
    Ok(time.as_secs_f64())
}

/// `frit_array` of the C side.
#[repr(C)]
struct BaselineArray {
    elements: *mut c_void,
    shape: *const i64,
}

/// The C to compare with, loaded, with memory for its results.
struct Baseline {
    function: unsafe extern "C" fn(*const BaselineArray, *mut BaselineArray),
    arguments: Vec<BaselineArray>,
    results: Vec<BaselineArray>,
    /// What the pointers above point into.
    result_tensors: Vec<Tensor>,
    path: PathBuf,
    _shapes: Vec<Vec<i64>>,
    _scratch: Cache,
    _library: libloading::Library,
}

/// What the C file may use.
const BASELINE_HEADER: &str = "\
#include <stdint.h>
#define FRIT_BASELINE 1
typedef struct { void *elements; const int64_t *shape; } frit_array;
__attribute__((visibility(\"default\"))) void frit_baseline(const frit_array *arguments, frit_array *results);
#ifdef _OPENMP
#include <omp.h>
#endif
__attribute__((visibility(\"default\"))) void frit_baseline_threads(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}
";

impl Baseline {
    fn compile(path: &Path, options: &Options, results: &[Tensor], arguments: &[Tensor]) -> Result<Self, Error> {
        let wrong =
            |message: String| Error::new(Kind::Usage, &SourceMap::new(), Diagnostic::error("baseline", message));
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        let code = CSource {
            source: format!("{BASELINE_HEADER}#line 1 \"{}\"\n{text}", path.display()),
            linked: None,
            for_c: String::new(),
            header: String::new(),
            entry: frit_back::c::Entry {
                name: "frit_baseline".into(),
                params: Vec::new(),
                results: Vec::new(),
                sites: Vec::new(),
                is_recursive: false,
            },
            flags: frit_back::c::flags(options.strict_fp),
        };
        let scratch = Cache::temporary().map_err(native_bug)?;
        let compiler = Compiler::find().map_err(native_bug)?;
        let object = compiler
            .compile(&code, optimisation(options.level, &code), &scratch)
            .map_err(|error| wrong(format!("`{}` cannot be compiled: {error}", path.display())))?;
        // SAFETY: loading runs the file's initialisers, if it has any; the user asked for its code to be run.
        let library = unsafe { libloading::Library::new(&object.path) }
            .map_err(|error| wrong(NativeError::from(error).to_string()))?;
        // SAFETY: the type is the one that the manual asks for.
        let function = unsafe { library.get(b"frit_baseline\0") }
            .map(|symbol| *symbol)
            .map_err(|_| wrong(format!("`{}` does not define `frit_baseline`", path.display())))?;
        // SAFETY: the header above defines it, with this type.
        let set_threads: libloading::Symbol<'_, unsafe extern "C" fn(i32)> =
            unsafe { library.get(b"frit_baseline_threads\0") }.map_err(|error| wrong(error.to_string()))?;
        // SAFETY: it only tells the OpenMP runtime how many threads this thread's loops may have.
        unsafe { set_threads(i32::try_from(options.threads).unwrap_or(i32::MAX)) };
        let mut result_tensors: Vec<Tensor> = results.iter().map(something_else).collect();
        let shapes: Vec<Vec<i64>> =
            arguments.iter().chain(results).map(|tensor| tensor.shape().iter().map(|&d| d as i64).collect()).collect();
        let (argument_shapes, result_shapes) = shapes.split_at(arguments.len());
        // The C side is told not to write its arguments; a copy would only cost memory.
        let argument = |(tensor, shape): (&Tensor, &Vec<i64>)| BaselineArray {
            elements: tensor.data().as_ptr().cast_mut().cast(),
            shape: shape.as_ptr(),
        };
        let result = |(tensor, shape): (&mut Tensor, &Vec<i64>)| BaselineArray {
            elements: tensor.data_mut().as_mut_ptr().cast(),
            shape: shape.as_ptr(),
        };
        Ok(Self {
            function,
            arguments: arguments.iter().zip(argument_shapes).map(argument).collect(),
            results: result_tensors.iter_mut().zip(result_shapes).map(result).collect(),
            result_tensors,
            path: path.to_path_buf(),
            _shapes: shapes,
            _scratch: scratch,
            _library: library,
        })
    }

    /// Runs it once; the seconds it took.
    fn run(&mut self) -> f64 {
        let start = Instant::now();
        // SAFETY: the arrays are as long as their shapes say, and live as long as `self` and the arguments of `measure`.
        unsafe { (self.function)(self.arguments.as_ptr(), self.results.as_mut_ptr()) };
        start.elapsed().as_secs_f64()
    }

    /// Says where its results differ from the program's by more than reals do that were computed in another order.
    fn agrees(&self, results: &[Tensor]) -> Result<(), Error> {
        for (nth, (own, theirs)) in results.iter().zip(&self.result_tensors).enumerate() {
            for at in 0..own.data().len() {
                let (x, y) = (own.data().get(at), theirs.data().get(at));
                if !close(x, y) {
                    let message = format!(
                        "`{}` computes something else: result {nth}, element {at} is {} there and {} here",
                        self.path.display(),
                        shown(y),
                        shown(x)
                    );
                    return Err(Error::new(Kind::Run, &SourceMap::new(), Diagnostic::error("baseline", message)));
                }
            }
        }
        Ok(())
    }
}

/// An array of this type and shape that differs in every element, so that what the baseline leaves out is seen.
fn something_else(result: &Tensor) -> Tensor {
    let mut data = TensorData::empty(result.elem());
    for at in 0..result.data().len() {
        data.push(match result.data().get(at) {
            Const::F64(bits) if f64::from_bits(bits).is_nan() => Const::f64(0.0),
            Const::F32(bits) if f32::from_bits(bits).is_nan() => Const::f32(0.0),
            Const::F64(_) => Const::f64(f64::NAN),
            Const::F32(_) => Const::f32(f32::NAN),
            Const::Int(scalar, value) => Const::int(scalar, value ^ 1),
            Const::Bool(value) => Const::Bool(!value),
            Const::Char(code) => Const::Char(code ^ 1),
            Const::Cert => Const::Cert,
        });
    }
    Tensor::new(result.shape().to_vec(), data).expect("there are as many elements as in the result")
}

/// A scalar for people.
fn shown(value: Const) -> String {
    match value {
        Const::Int(_, value) => value.to_string(),
        Const::F32(bits) => f32::from_bits(bits).to_string(),
        Const::F64(bits) => f64::from_bits(bits).to_string(),
        Const::Bool(value) => value.to_string(),
        Const::Char(code) => char::from_u32(code).map_or_else(|| format!("character {code}"), |c| format!("{c:?}")),
        Const::Cert => "Checked".into(),
    }
}

fn close(x: Const, y: Const) -> bool {
    let real = |c: Const| match c {
        Const::F64(bits) => Some(f64::from_bits(bits)),
        Const::F32(bits) => Some(f64::from(f32::from_bits(bits))),
        Const::Int(..) | Const::Bool(_) | Const::Char(_) | Const::Cert => None,
    };
    match (real(x), real(y)) {
        (Some(a), Some(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
        }
        _ => x == y,
    }
}
