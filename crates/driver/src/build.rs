//! Files made from a program: shared objects, object files, C source, executables.

use crate::compile::{generate, native_bug, optimisation};
use crate::error::Error;
use crate::executable;
use crate::native::Compiler;
use crate::options::Options;
use crate::pipeline::{Pipeline, Timing, record};
use crate::source::Unit;
use frit_back::c::CSource;
use frit_ir::Scalar;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What was made.
#[derive(Clone, Debug)]
pub struct Built {
    /// The files written.
    pub files: Vec<PathBuf>,
    /// How long each step took.
    pub timings: Vec<Timing>,
}

/// Makes `output` from a program; its extension says what: `.so` and `.o` (each with a header beside it), `.c`, and without
/// one an executable. Files appear whole or not at all.
///
/// # Errors
///
/// There is no entry function or no C compiler; a file cannot be written; a bug.
pub fn build(unit: &Unit, output: &Path, options: &Options) -> Result<Built, Error> {
    unit.entry()?;
    let mut pipeline = Pipeline::new(unit, options);
    pipeline.name = output.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned());
    let program = pipeline.optimise(None)?;
    let code = generate(&mut pipeline, &program)?;
    let mut timings = pipeline.timings;
    let mut files = vec![output.to_path_buf()];
    let mut compile = |code: &CSource, extra: &[&str]| {
        let start = Instant::now();
        let compiler = Compiler::find().map_err(native_bug)?;
        let partial = partial(output);
        let made = compiler.compile_to(code, optimisation(options.level), &partial, extra).map_err(native_bug);
        let done = made.and_then(|()| std::fs::rename(&partial, output).map_err(|error| Error::file(output, error)));
        if done.is_err() {
            // The error already says what went wrong; the partial file must only not stay.
            let _ = std::fs::remove_file(&partial);
        }
        record(&mut timings, "cc", start.elapsed());
        done
    };
    match output.extension().and_then(|e| e.to_str()) {
        Some("c") => write(output, &code.source)?,
        Some("so") => compile(&code, &["-fPIC", "-shared"])?,
        Some("o") => compile(&code, &["-fPIC", "-c"])?,
        Some(other @ ("h" | "a" | "dll" | "dylib" | "exe" | "l0" | "ir")) => {
            return Err(Error::usage(format!(
                "`.{other}` is nothing that can be built; give a name that ends in .so, .o or .c, or none"
            )));
        }
        _ => {
            if let Some(elem) = other_elements(&code) {
                let message = format!(
                    "Unsupported: an executable reads and writes text, which has no notation for {elem}; build a .so"
                );
                return Err(Error::usage(message));
            }
            compile(&CSource { source: executable::source(unit, &code), ..code.clone() }, &[])?;
        }
    }
    if matches!(output.extension().and_then(|e| e.to_str()), Some("so" | "o")) {
        let header = output.with_extension("h");
        write(&header, &code.header)?;
        files.push(header);
    }
    Ok(Built { files, timings })
}

/// An element type that programs in the array IR may take or give, but L0 has not.
fn other_elements(code: &CSource) -> Option<Scalar> {
    let of_l0 = [Scalar::I64, Scalar::F64, Scalar::Bool, Scalar::Char, Scalar::Cert];
    let params = code.entry.params.iter().map(|param| param.elem);
    params.chain(code.entry.results.iter().map(|result| result.elem)).find(|elem| !of_l0.contains(elem))
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let partial = partial(path);
    let done = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    if done.is_err() {
        // The error already says what went wrong; the partial file must only not stay.
        let _ = std::fs::remove_file(&partial);
    }
    done.map_err(|error| Error::file(path, error))
}
