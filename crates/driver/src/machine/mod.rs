//! What the machine can do, in numbers: its caches, what they and its memory move, what it computes, and what starting threads costs.
//!
//! - [`constants`]: the numbers, and what follows from them;
//! - [`hardware`]: what the system says about processors and caches;
//! - [`probe`]: C that measures, compiled and run as generated code is;
//! - [`measure`]: which measurements make the constants;
//! - [`file`](mod@file): the text form that users write, with mistakes reported where they stand.
//!
//! Here: where constants come from. Measuring takes a second, so it happens once, when [`measured`] is asked for, and the result stays in the
//! user's object cache under a name that another processor or number of cores does not have. [`known`] never measures. Values in the file that
//! `$FRIT_MACHINE` names go before both.

pub mod constants;
pub mod file;
mod hardware;
mod measure;
mod probe;
mod target;

use crate::error::Error;
use crate::native::cache::Key;
use crate::native::{Cache, NativeError, compiler};
use std::path::{Path, PathBuf};

pub use constants::{Level, Machine, Rate, Storage, Threads};
pub use frit_lower::Caches;
pub use target::Target;

/// The environment variable that names a file with values that go before measured ones.
pub const VARIABLE: &str = "FRIT_MACHINE";

/// The machine's constants, and where they are from.
#[derive(Clone, Debug)]
pub struct Known {
    /// The constants.
    pub machine: Machine,
    /// The file that keeps those that were measured; `None` if there is none.
    pub stored: Option<PathBuf>,
    /// The user's file, whose values went before those.
    pub overrides: Option<PathBuf>,
}

/// The constants that are known without measuring.
///
/// # Errors
///
/// The user's file cannot be read, or mistakes in it.
pub fn known() -> Result<Known, Error> {
    let place = Cache::directory_of_user().map(|directory| place_in(&directory));
    match place.filter(|place| place.is_file()) {
        Some(place) => {
            // A file that was damaged is measured anew when someone asks for it.
            let machine = std::fs::read_to_string(&place).ok().and_then(|text| serde_json::from_str(&text).ok());
            let stored = machine.is_some().then_some(place);
            overridden(machine.unwrap_or_else(hardware::described), stored)
        }
        None => overridden(hardware::described(), None),
    }
}

/// The constants, measured now if they were not before, or if `anew`. `says` is told what is being measured.
///
/// # Errors
///
/// As [`known`]; there is no C compiler that works; there is no memory to measure.
pub fn measured(anew: bool, says: &dyn Fn(&str)) -> Result<Known, Error> {
    let known = known()?;
    if known.stored.is_some() && !anew {
        return Ok(known);
    }
    let bug = crate::compile::native_bug;
    let compiler = compiler::Compiler::find().map_err(bug)?;
    let cache = Cache::of_user().map_err(bug)?;
    let failed = |error| match error {
        NativeError::Compile { .. } => crate::compile::compiler_failure(&compiler, error),
        other => bug(other),
    };
    let machine = measure::measure(&compiler, &cache, says).map_err(failed)?;
    let stored = store(&cache, &machine).map_err(bug)?;
    overridden(machine, stored)
}

/// Writes measured constants where [`known`] finds them; `None` if the cache goes with this process.
fn store(cache: &Cache, machine: &Machine) -> Result<Option<PathBuf>, NativeError> {
    if cache.is_temporary() {
        return Ok(None);
    }
    let (place, making) = (place_in(cache.directory()), cache.scratch("json"));
    let written = std::fs::write(&making, file::print(machine)).and_then(|()| std::fs::rename(&making, &place));
    written.map_err(|error| crate::native::file_error(&place, "write", &error))?;
    Ok(Some(place))
}

/// Where the constants of this machine are in a cache.
fn place_in(directory: &Path) -> PathBuf {
    let cores = hardware::cores().to_string();
    let key = Key::of([compiler::processor().as_bytes(), cores.as_bytes(), probe::SOURCE.as_bytes()]);
    directory.join(format!("machine-{key}.json"))
}

/// Puts the user's values over others.
fn overridden(machine: Machine, stored: Option<PathBuf>) -> Result<Known, Error> {
    let overrides = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let machine = match &overrides {
        Some(path) => file::load(path)?.over(machine),
        None => machine,
    };
    Ok(Known { machine, stored, overrides })
}
