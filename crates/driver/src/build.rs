//! Files made from a program: shared objects, object files, C source, executables.

use crate::compile::{compiler_failure, generate, native_bug, optimisation};
use crate::error::Error;
use crate::executable;
use crate::native::Compiler;
use crate::options::Options;
use crate::output::Outputs;
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
    let product = Product::of(output)?;
    let mut outputs = Outputs::default();
    let partial = outputs.begin(output)?;
    let header = match product {
        Product::Library | Product::Object => Some(outputs.begin(&output.with_extension("h"))?),
        Product::Source | Product::Executable => None,
    };
    let compiler = match product {
        Product::Source => None,
        Product::Library | Product::Object | Product::Executable => Some(Compiler::find().map_err(native_bug)?),
    };
    let mut pipeline = Pipeline::new(unit, options);
    pipeline.name = output.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned());
    let program = pipeline.optimise(None)?;
    let mut code = generate(&mut pipeline, &program)?;
    let mut timings = pipeline.timings;
    let write = |path: &Path, text: &str| std::fs::write(path, text).map_err(|error| Error::file(output, error));
    if let Product::Executable = product {
        if let Some(elem) = other_elements(&code) {
            let message = format!(
                "Unsupported: an executable reads and writes text, which has no notation for {elem}; build a .so"
            );
            return Err(Error::usage(message));
        }
        code.source = executable::source(unit, &code);
    }
    match compiler {
        None => write(&partial, &code.source)?,
        Some(compiler) => {
            let start = Instant::now();
            let made = compiler.compile_to(&code, optimisation(options.level, &code), &partial, product.flags());
            made.map_err(|error| compiler_failure(&compiler, error))?;
            record(&mut timings, "cc", start.elapsed());
        }
    }
    if let Some(header) = header {
        write(&header, &code.header)?;
    }
    Ok(Built { files: outputs.appear()?, timings })
}

/// What can be made from a program.
#[derive(Clone, Copy, Debug)]
enum Product {
    Library,
    Object,
    Source,
    Executable,
}

impl Product {
    /// What a file of this name is.
    fn of(output: &Path) -> Result<Self, Error> {
        match output.extension().and_then(|e| e.to_str()) {
            Some("so") => Ok(Product::Library),
            Some("o") => Ok(Product::Object),
            Some("c") => Ok(Product::Source),
            Some(other @ ("h" | "a" | "dll" | "dylib" | "exe" | "l0" | "ir")) => Err(Error::usage(format!(
                "`.{other}` is nothing that can be built; give a name that ends in .so, .o or .c, or none"
            ))),
            _ => Ok(Product::Executable),
        }
    }

    /// What the C compiler is told to make it.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Product::Library => &["-fPIC", "-shared"],
            Product::Object => &["-fPIC", "-c"],
            Product::Source | Product::Executable => &[],
        }
    }
}

/// An element type that programs in the array IR may take or give, but L0 has not.
fn other_elements(code: &CSource) -> Option<Scalar> {
    let of_l0 = [Scalar::I64, Scalar::F64, Scalar::Bool, Scalar::Char, Scalar::Cert];
    let params = code.entry.params.iter().map(|param| param.elem);
    params.chain(code.entry.results.iter().map(|result| result.elem)).find(|elem| !of_l0.contains(elem))
}
