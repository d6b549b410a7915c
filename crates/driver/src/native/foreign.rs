//! Functions in C that a program calls: compiles the C files that the user gives, finds each function in them, and loads it for
//! interpreters.
//!
//! A C file is compiled as it stands. Before that, it is read with the prototypes that the program's declarations mean, so that a function of
//! other types is the C compiler's message about that file and never a wrong result.

use super::cache::Key;
use super::call::open_with_foreign;
use super::compiler::Optimisation;
use super::{Cache, Compiler, NativeError, file_error};
use frit_back::c::foreign::{prototypes, shim};
use frit_ir::Tensor;
use frit_ir::effect::Foreign;
use frit_ir::effect::foreign::PartForm;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a program is linked with, in the words of the C compiler's command line.
pub(crate) type Linked = Vec<String>;

/// Why a program's functions in C cannot be called.
#[derive(Debug)]
pub(crate) enum ForeignError {
    /// The C compiler refuses a file of the user's: what it says.
    Refused {
        /// The file.
        file: PathBuf,
        /// The compiler's messages.
        said: String,
        /// Only because of what the program declares.
        is_mismatch: bool,
    },
    /// Nobody defines these functions: their numbers.
    Missing(Vec<usize>),
    /// Something else.
    Native(NativeError),
}

impl From<NativeError> for ForeignError {
    fn from(error: NativeError) -> Self {
        ForeignError::Native(error)
    }
}

/// Words that are files with functions in C, going by their endings.
pub fn is_c_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || is_object(path))
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "o" || extension == "so" || extension == "a")
}

/// The texts of these files and of what they include by `#include "..."` beside them, for a hash. Files stand by their whole paths, as a program is
/// linked with libraries where they are.
pub(crate) fn texts(files: &[PathBuf]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let whole = |file: &PathBuf| fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let mut open: Vec<PathBuf> = files.iter().rev().map(whole).collect();
    let mut seen = BTreeSet::new();
    while let Some(file) = open.pop() {
        let Some(text) = seen.insert(file.clone()).then(|| fs::read(&file).ok()).flatten() else { continue };
        if !is_object(&file) {
            let beside = file.parent().unwrap_or(Path::new(""));
            let included = String::from_utf8_lossy(&text);
            let names = included.lines().filter_map(|line| {
                let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
                rest.strip_prefix('"')?.split('"').next().map(|name| beside.join(name))
            });
            open.extend(names.collect::<Vec<_>>());
        }
        found.push((file, text));
    }
    found
}

/// Compiles the files, and loads the functions from them and from the libraries. Gives what native code is linked with.
pub(crate) fn load(
    foreign: &[Arc<Foreign>],
    files: &[PathBuf],
    libraries: &BTreeSet<String>,
    compiler: &Compiler,
    cache: &Cache,
) -> Result<Linked, ForeignError> {
    // What the files define comes before what the C library has under the same name, also where that would do.
    let mut linked = vec!["-Wl,-Bsymbolic".to_owned(), "-Wl,--no-as-needed".to_owned()];
    let mut content = shim(foreign);
    for file in files {
        let path = fs::canonicalize(file).map_err(|error| file_error(file, "read", &error))?;
        if is_object(&path) {
            let text = fs::read(&path).map_err(|error| file_error(file, "read", &error))?;
            content += &format!("/* {} */\n", Key::of([&text[..]]));
            linked.push(path.display().to_string());
        } else {
            linked.push(object(foreign, file, &path, compiler, cache)?.display().to_string());
        }
    }
    // Their libraries are searched at run time as well.
    linked.extend(files.iter().filter(|file| file.extension().is_some_and(|e| e == "so")).filter_map(|file| {
        let folder = fs::canonicalize(file).ok()?.parent()?.to_owned();
        Some(format!("-Wl,-rpath,{}", folder.display()))
    }));
    linked.extend(libraries.iter().map(|name| format!("-l{name}")));
    let words: Vec<&str> = ["-fPIC", "-shared"].into_iter().chain(linked.iter().map(String::as_str)).collect();
    let object = compiler.own(&content, Optimisation::Some, &frit_back::c::flags(false), &words, cache);
    let object = object.map_err(|error| refused(error, files))?;
    // SAFETY: the object has no initialisers but those of the user's code, which the user asks to run.
    let library = unsafe { open_with_foreign(&object) };
    let library = Arc::new(library.map_err(NativeError::from)?);
    let mut missing = Vec::new();
    for (at, foreign) in foreign.iter().enumerate() {
        // SAFETY: both are defined by the shim with these types.
        let (has, call) = unsafe {
            let has = library.get::<unsafe extern "C" fn() -> i32>(format!("frit_has_{at}").as_bytes());
            let call = library.get::<Call>(format!("frit_call_{at}").as_bytes());
            (has.map(|has| has()), call.map(|call| *call))
        };
        match (has, call) {
            (Ok(0), _) => missing.push(at),
            (Ok(_), Ok(call)) => {
                let (signature, library) = (Foreign::clone(foreign), library.clone());
                foreign.code.load(Box::new(move |args, results| {
                    let _ = &library;
                    called(&signature, call, args, results)
                }));
            }
            (Err(error), _) | (_, Err(error)) => {
                return Err(NativeError::from(error).into());
            }
        }
    }
    if missing.is_empty() { Ok(linked) } else { Err(ForeignError::Missing(missing)) }
}

type Call = unsafe extern "C" fn(*const *const c_void, *const *mut c_void);

/// Calls a function of the shim.
fn called(foreign: &Foreign, call: Call, args: &[Tensor], mut results: Vec<Tensor>) -> Vec<Tensor> {
    let lengths: Vec<i64> = args.iter().map(|arg| arg.data().len() as i64).collect();
    let mut given: Vec<*const c_void> = Vec::new();
    for ((part, arg), length) in foreign.args.iter().zip(args).zip(&lengths) {
        given.push(arg.data().as_ptr().cast());
        if part.form == PartForm::Text {
            given.push(std::ptr::from_ref(length).cast());
        }
    }
    let taken: Vec<*mut c_void> = results.iter_mut().map(|result| result.data_mut().as_mut_ptr().cast()).collect();
    // SAFETY: the pointers are those that the shim takes for this function, to as many elements of the types that its declaration says. What the
    // user's function does with them is the user's.
    unsafe { call(given.as_ptr(), taken.as_ptr()) };
    results
}

/// The object of a C file: compiled, or found in the cache.
fn object(
    foreign: &[Arc<Foreign>],
    file: &Path,
    path: &Path,
    compiler: &Compiler,
    cache: &Cache,
) -> Result<PathBuf, ForeignError> {
    let header = prototypes(foreign, true);
    let texts = texts(&[path.to_owned()]);
    let parts = texts.iter().flat_map(|(path, text)| [path.as_os_str().as_encoded_bytes(), text]);
    let key = Key::of(parts.chain([header.as_bytes(), compiler.identity().as_bytes()]));
    if let Some(object) = cache.find(key) {
        return Ok(object);
    }
    let made = cache.scratch("o");
    let flags = ["-O2", "-fPIC", "-c"];
    let is_compiled = compiler.run_on(path, &flags, Some(&made))?;
    if let Err(said) = is_compiled {
        return Err(ForeignError::Refused { file: file.to_owned(), said, is_mismatch: false });
    }
    // Whether what C only reads is `const` there is the user's choice.
    let headers = [(header, None), (prototypes(foreign, false), Some("-Dconst="))];
    let mut said = String::new();
    for (text, flag) in headers {
        let header = cache.scratch("h");
        fs::write(&header, text).map_err(|error| file_error(&header, "write", &error))?;
        let include = header.display().to_string();
        let flags: Vec<&str> = ["-w", "-fsyntax-only", "-include", &include].into_iter().chain(flag).collect();
        let checked = compiler.run_on(path, &flags, None)?;
        let _ = fs::remove_file(&header); // Stale files are evicted.
        match checked {
            Ok(()) => return Ok(cache.insert(key, &made)?),
            Err(text) => said = text.replace(&include, "the declarations in SAC"),
        }
    }
    let _ = fs::remove_file(&made); // Stale files are evicted.
    Err(ForeignError::Refused { file: file.to_owned(), said, is_mismatch: true })
}

/// A linker's refusal is that of the last file.
fn refused(error: NativeError, files: &[PathBuf]) -> ForeignError {
    match (error, files.last()) {
        (NativeError::Compile { output, .. }, Some(file)) => {
            ForeignError::Refused { file: file.clone(), said: output, is_mismatch: false }
        }
        (error, _) => ForeignError::Native(error),
    }
}
