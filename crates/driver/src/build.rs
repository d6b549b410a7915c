//! Files made from a program: shared objects, object files, C source, executables.

use crate::compile::{compiler_failure, generate, load_foreign, native_bug, optimisation};
use crate::error::{Error, Kind};
use crate::executable;
use crate::native::{Cache, Compiler, compiler::Optimisation};
use crate::options::{Engine, Options};
use crate::output::Outputs;
use crate::pipeline::{Pipeline, Timing, check_without, record};
use crate::python_module;
use crate::source::Unit;
use frit_back::c::CSource;
use frit_support::Diagnostic;
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

/// Makes `output` from a program; its extension says what: `.so` and `.o` (each with a header beside it), `.c`, `.py` (with a
/// library beside it), and without one an executable. Files appear whole or not at all.
///
/// # Errors
///
/// There is no entry function or no C compiler; a file cannot be written; a bug.
pub fn build(unit: &Unit, output: &Path, options: &Options) -> Result<Built, Error> {
    build_all(std::slice::from_ref(unit), output, options)
}

/// As [`build`], with several entry functions in one library or object file: what each exports begins with the names of the file and of
/// the function.
///
/// # Errors
///
/// As [`build`]; several entry functions for a file that has room for one.
pub fn build_all(units: &[Unit], output: &Path, options: &Options) -> Result<Built, Error> {
    for unit in units {
        unit.entry()?;
        if let Some((name, span)) = unit.callbacks().into_iter().next() {
            let diagnostic = Diagnostic::error("not-compiled", format!("`{name}` is not compiled"))
                .label(span, "called here")
                .note("`frit run` and `frit.jit` in Python make such calls; what is built runs alone");
            return Err(Error::new(Kind::Source, &unit.sources, diagnostic));
        }
    }
    // What is built runs natively, whatever executes programs otherwise.
    check_without(&Options { engine: Engine::Native, ..options.clone() }, None)?;
    let product = Product::of(output)?;
    if units.len() != 1 && matches!(product, Product::Source | Product::Executable) {
        return Err(Error::usage(
            "a C file or an executable has one entry function; build a .so, .o or .py of several",
        ));
    }
    let stem = output.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned());
    let mut outputs = Outputs::default();
    // What Python imports as the module must not be the library itself.
    let library = format!("lib{stem}.so");
    let partial = match product {
        Product::Module => outputs.begin(&output.with_file_name(&library))?,
        Product::Library | Product::Object | Product::Source | Product::Executable => outputs.begin(output)?,
    };
    let header = match product {
        Product::Library | Product::Object => Some(outputs.begin(&output.with_extension("h"))?),
        Product::Module => Some(outputs.begin(output)?),
        Product::Source | Product::Executable => None,
    };
    let compiler = match product {
        // Whoever compiles it adds what it calls.
        Product::Source => None,
        Product::Library | Product::Object | Product::Module | Product::Executable => {
            let mut linked = Vec::new();
            for unit in units {
                linked.extend(
                    load_foreign(unit, options)?.into_iter().filter(|word| !linked.contains(word)).collect::<Vec<_>>(),
                );
            }
            Some(Compiler::find().map_err(native_bug)?.linking(linked))
        }
    };
    let mut codes: Vec<CSource> = Vec::new();
    let mut timings = Vec::new();
    for unit in units {
        let mut pipeline = Pipeline::new(unit, options);
        pipeline.name = match unit.function() {
            Some(function) if units.len() > 1 => unused_name(&codes, &format!("{stem}_{function}")),
            Some(_) | None => stem.clone(),
        };
        let program = pipeline.optimise(None)?;
        codes.push(generate(&mut pipeline, &program)?);
        pipeline.timings.iter().for_each(|timing| record(&mut timings, &timing.step, timing.time));
    }
    let write = |path: &Path, text: &str| std::fs::write(path, text).map_err(|error| Error::file(output, error));
    if let Product::Executable = product {
        let code = &mut codes[0];
        let main = executable::main(&units[0], code)?;
        code.source += &main;
        code.linked.iter_mut().for_each(|linked| linked.push_str(&(code.for_c.clone() + &main)));
    }
    match compiler {
        None => write(&partial, &codes[0].source)?,
        Some(compiler) => {
            let start = Instant::now();
            let level = codes.iter().map(|code| optimisation(options.level, code)).min().unwrap_or(Optimisation::None);
            let flags = product.flags(codes.len() + compiler.linked().len());
            let made = match product {
                Product::Executable => {
                    Cache::of_user().and_then(|cache| compiler.link(&[&codes[0]], level, &partial, flags, &cache))
                }
                // What other programs are linked with has its own run-time system.
                Product::Library | Product::Object | Product::Module | Product::Source => {
                    compiler.compile_to(&codes, level, &partial, flags)
                }
            };
            made.map_err(|error| compiler_failure(&compiler, error))?;
            record(&mut timings, "cc", start.elapsed());
        }
    }
    if let Some(header) = header {
        let text = match product {
            Product::Module => python_module::module(units, &codes, &library)?,
            _ => codes.iter().map(|code| code.header.as_str()).collect::<Vec<_>>().join("\n"),
        };
        write(&header, &text)?;
    }
    Ok(Built { files: outputs.appear()?, timings })
}

/// A name that none of these programs exports: this one, or with a number behind it.
fn unused_name(codes: &[CSource], wanted: &str) -> String {
    let is_free = |name: &str| codes.iter().all(|code| code.entry.name != name);
    std::iter::once(wanted.to_string())
        .chain((2..).map(|number| format!("{wanted}_{number}")))
        .find(|name| is_free(name))
        .expect("there are more numbers than programs")
}

/// What can be made from a program.
#[derive(Clone, Copy, Debug)]
enum Product {
    Library,
    Object,
    Source,
    /// A Python module, and the library that it loads.
    Module,
    Executable,
}

impl Product {
    /// What a file of this name is.
    fn of(output: &Path) -> Result<Self, Error> {
        match output.extension().and_then(|e| e.to_str()) {
            Some("so") => Ok(Product::Library),
            Some("o") => Ok(Product::Object),
            Some("c") => Ok(Product::Source),
            Some("py") => Ok(Product::Module),
            Some(other @ ("h" | "a" | "dll" | "dylib" | "exe" | "l0" | "sac" | "ir")) => Err(Error::usage(format!(
                "`.{other}` is nothing that can be built; give a name that ends in .so, .o, .c or .py, or none"
            ))),
            _ => Ok(Product::Executable),
        }
    }

    /// What the C compiler is told to make it of so many sources.
    fn flags(self, sources: usize) -> &'static [&'static str] {
        match self {
            Product::Library | Product::Module => &["-fPIC", "-shared"],
            Product::Object if sources > 1 => &["-fPIC", "-r", "-nostdlib"],
            Product::Object => &["-fPIC", "-c"],
            Product::Source | Product::Executable => &[],
        }
    }
}
