//! Measures the constants: which working sets stand for which level, and what follows from seconds.

use super::constants::{Level, Machine, Rate, Storage, Threads};
use super::hardware::{self, CACHE_LEVELS};
use super::probe::Probe;
use crate::native::{Cache, Compiler, NativeError};
use std::num::{NonZeroU64, NonZeroUsize};

/// Working sets in memory are so many times as large as the last cache, and within these bounds.
const BEYOND_CACHES: u64 = 8;
const LEAST_BEYOND: u64 = 128 << 20;
const MOST_BEYOND: u64 = 1 << 30;

/// What a first-level cache is taken to have where nobody says.
const USUAL_L1: u64 = 32 << 10;

/// Measures all constants; `says` is told which.
pub(super) fn measure(compiler: &Compiler, cache: &Cache, says: &dyn Fn(&str)) -> Result<Machine, NativeError> {
    says("compiling what measures the machine");
    let probe = Probe::load(compiler, cache)?;
    let mut machine = hardware::described();
    if machine.storage.is_empty() {
        let sizes = CACHE_LEVELS.iter().enumerate().filter_map(|(at, &level)| Some((level, probe.cache_size(at + 1)?)));
        let cache = |size| Storage { size_bytes: NonZeroU64::new(size), ..Storage::default() };
        machine.storage = sizes.map(|(level, size)| (level, cache(size))).collect();
    }
    machine.storage.insert(Level::Memory, Storage::default());
    let cores = hardware::cores();
    // Without a library for threads there is one, whatever is asked for.
    let all = (probe.team(cores) == cores).then_some(cores);
    // `seconds` is what it takes each of some threads to do `amount`.
    let rate = |seconds: &dyn Fn(usize) -> Result<f64, NativeError>, amount: f64| -> Result<Rate, NativeError> {
        let of = |threads| seconds(threads).map(|each| rounded(threads as f64 * amount / each / 1e9));
        Ok(Rate { one: Some(of(1)?), all: all.map(of).transpose()? })
    };
    let last = machine.storage.values().filter_map(|storage| storage.size_bytes).max().map_or(0, NonZeroU64::get);
    for (level, storage) in &mut machine.storage {
        says(&format!("measuring {}", level.name()));
        let set = |threads| working_set(storage, last, threads);
        let read = rate(&|threads| Ok(probe.read(threads, set(threads))? / set(threads) as f64), 1.0)?;
        let copy = rate(&|threads| Ok(probe.copy(threads, set(threads))? / set(threads) as f64), 1.0)?;
        (storage.read_gb_per_s, storage.copy_gb_per_s) = (read, copy);
    }
    says("measuring arithmetic");
    machine.fma_gflop_per_s = rate(&|threads| probe.fma(threads), 2.0)?;
    machine.multiply_add_gflop_per_s = rate(&|threads| probe.multiply_add(threads), 1.0)?;
    says("measuring threads");
    let first =
        machine.storage.get(&Level::L1).and_then(|storage| storage.size_bytes).map_or(USUAL_L1, NonZeroU64::get);
    let region = all.map(|threads| probe.region(threads)).transpose()?;
    machine.threads = Threads {
        region_us: region.map(|seconds| rounded(seconds * 1e6)),
        operation_ns: Some(rounded(probe.operation(first / 2)? * 1e9)),
    };
    Ok(machine)
}

/// Bytes of the working set of each of `threads` threads in this storage: half of its part of a cache, so that all of it stays there.
fn working_set(storage: &Storage, last: u64, threads: usize) -> u64 {
    match storage.size_bytes {
        Some(size) => {
            let sharers = storage.shared_by.map_or(1, NonZeroUsize::get).min(threads);
            size.get() / 2 / sharers as u64
        }
        None => (last.saturating_mul(BEYOND_CACHES)).clamp(LEAST_BEYOND, MOST_BEYOND) / threads as u64,
    }
}

/// To four digits: no measurement is more exact.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a number as it was printed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_divide_what_they_share() {
        let cache = |size: u64, sharers: usize| Storage {
            size_bytes: NonZeroU64::new(size),
            shared_by: NonZeroUsize::new(sharers),
            ..Storage::default()
        };
        assert_eq!(working_set(&cache(1 << 20, 1), 0, 8), 1 << 19);
        assert_eq!(working_set(&cache(1 << 20, 8), 0, 4), 1 << 17);
        assert_eq!(working_set(&cache(1 << 20, 4), 0, 1), 1 << 19);
        assert_eq!(working_set(&Storage::default(), 32 << 20, 2), 128 << 20);
        assert_eq!(working_set(&Storage::default(), 1 << 40, 1), MOST_BEYOND);
        assert_eq!(working_set(&Storage::default(), 0, 1), LEAST_BEYOND);
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!([123_456.0, 0.012_345_6, 1.0].map(rounded), [123_500.0, 0.012_35, 1.0]);
    }
}
