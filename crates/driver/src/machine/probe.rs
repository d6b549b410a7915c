//! The measuring code: C, compiled and loaded as generated code is, so that it has the same instructions and the same library for threads.

use crate::native::call::keep_thread_library;
use crate::native::compiler::Optimisation;
use crate::native::{Cache, Compiler, NativeError};
use frit_back::c::{CSource, Entry};
use std::ffi::c_int;

/// The C.
pub(super) const SOURCE: &str = include_str!("probe.c");

type OnThreads = unsafe extern "C" fn(c_int) -> f64;
type OnMemory = unsafe extern "C" fn(c_int, i64) -> f64;

/// The measuring code, loaded. All functions give seconds, and fail only where there is no memory for what is measured.
pub(super) struct Probe {
    read: OnMemory,
    copy: OnMemory,
    fma: OnThreads,
    multiply_add: OnThreads,
    region: OnThreads,
    operation: unsafe extern "C" fn(i64) -> f64,
    team: unsafe extern "C" fn(c_int) -> c_int,
    cache_size: unsafe extern "C" fn(c_int) -> i64,
    _library: libloading::Library,
}

impl Probe {
    /// Compiles and loads it.
    pub(super) fn load(compiler: &Compiler, cache: &Cache) -> Result<Self, NativeError> {
        let code = CSource {
            source: SOURCE.to_owned(),
            linked: None,
            for_c: String::new(),
            header: String::new(),
            entry: Entry {
                name: "frit_probe".into(),
                params: Vec::new(),
                results: Vec::new(),
                sites: Vec::new(),
                is_recursive: false,
            },
            flags: frit_back::c::flags(false),
        };
        let object = compiler.compile(&code, Optimisation::Native, cache)?;
        // SAFETY: the object was made from the source above, which has no initialisers.
        let library = unsafe { libloading::Library::new(&object.path) }?;
        // SAFETY: the types are those of the functions in the source above.
        let probe = unsafe {
            Self {
                read: *library.get(b"frit_probe_read\0")?,
                copy: *library.get(b"frit_probe_copy\0")?,
                fma: *library.get(b"frit_probe_fma\0")?,
                multiply_add: *library.get(b"frit_probe_multiply_add\0")?,
                region: *library.get(b"frit_probe_region\0")?,
                operation: *library.get(b"frit_probe_operation\0")?,
                team: *library.get(b"frit_probe_team\0")?,
                cache_size: *library.get(b"frit_probe_cache_size\0")?,
                _library: library,
            }
        };
        keep_thread_library();
        Ok(probe)
    }

    /// How many threads there are if one asks for so many: one if there is no library for threads.
    pub(super) fn team(&self, threads: usize) -> usize {
        // SAFETY: it is given any number.
        usize::try_from(unsafe { (self.team)(count(threads)) }).unwrap_or(1)
    }

    /// What the C library says of the size of the data cache of this level, counted from 1.
    pub(super) fn cache_size(&self, level: usize) -> Option<u64> {
        // SAFETY: it is given any number.
        u64::try_from(unsafe { (self.cache_size)(count(level)) }).ok().filter(|&size| size > 0)
    }

    /// In which each of the threads reads an array of so many bytes.
    pub(super) fn read(&self, threads: usize, bytes: u64) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.read)(count(threads), size(bytes)) })
    }

    /// In which each of the threads reads an array of half as many bytes, and writes another.
    pub(super) fn copy(&self, threads: usize, bytes: u64) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.copy)(count(threads), size(bytes)) })
    }

    /// In which each of the threads multiplies and adds once, fused, on average.
    pub(super) fn fma(&self, threads: usize) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.fma)(count(threads)) })
    }

    /// In which each of the threads multiplies or adds once, on average.
    pub(super) fn multiply_add(&self, threads: usize) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.multiply_add)(count(threads)) })
    }

    /// Of the start and the end of a parallel loop.
    pub(super) fn region(&self, threads: usize) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.region)(count(threads)) })
    }

    /// Of a scalar operation in a vector loop over an array of so many bytes.
    pub(super) fn operation(&self, bytes: u64) -> Result<f64, NativeError> {
        // SAFETY: it allocates what it touches.
        seconds(unsafe { (self.operation)(size(bytes)) })
    }
}

fn count(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// What a function of the probe gave, which is below 0 if there was no memory.
fn seconds(given: f64) -> Result<f64, NativeError> {
    if given >= 0.0 {
        Ok(given)
    } else {
        Err(NativeError::System { message: "there is no memory to measure the machine with".into() })
    }
}
