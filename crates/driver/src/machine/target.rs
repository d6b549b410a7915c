//! What programs are compiled for: the limits that passes take, from the constants of a machine.

use super::constants::{Level, Machine};
use frit_lower::{Caches, USUAL_VECTOR_BYTES};

/// The limits that decide how a program is compiled. Rounded, since measurements differ, and the same program for the same machine should be the
/// same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Scalar operations that threads must save in a parallel loop, so that it pays: of `work` operations on `p` threads, `work - work / p` are
    /// saved.
    pub region_work: i64,
    /// Sizes of caches: blocks of loops are made for them.
    pub caches: Caches,
    /// The bytes of a vector: so many iterations run side by side as fill a few of them.
    pub vector_bytes: i64,
    /// Scalar operations that may be done again for an element, so that it need not be stored and read.
    pub most_repeated: u64,
}

/// What the time of beginning and ending a parallel loop is taken to be where nothing is known, in microseconds: that of a common server.
const DEFAULT_REGION_US: f64 = 1.0;
/// What the time of a scalar operation is taken to be where nothing is known, in nanoseconds: that of vectors of 32 bytes.
const DEFAULT_OPERATION_NS: f64 = 0.03;
/// Threads must save so many times what starting them costs. The cost is measured at its least: on a busy machine, or when other threads sleep, it
/// is twice that and more; and loops wait for their slowest thread.
const MARGIN: f64 = 2.0;
/// Bytes that move when an element is written, and read again.
const BYTES_OF_ELEMENT: f64 = 16.0;

impl Target {
    /// The limits for a machine.
    pub fn of(machine: &Machine) -> Self {
        let vector_bytes = machine.vector_bytes.and_then(|bytes| i64::try_from(bytes.get()).ok());
        Self {
            region_work: region_work(machine),
            caches: caches(machine),
            vector_bytes: vector_bytes.unwrap_or(USUAL_VECTOR_BYTES),
            most_repeated: most_repeated(machine),
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Self::of(&Machine::default())
    }
}

/// A power of two, or a half more.
fn region_work(machine: &Machine) -> i64 {
    let region_us = machine.threads.region_us.unwrap_or(DEFAULT_REGION_US);
    let operation_ns = machine.threads.operation_ns.unwrap_or(DEFAULT_OPERATION_NS);
    let operations = MARGIN * region_us * 1e3 / operation_ns;
    let power = operations.log2().floor().clamp(10.0, 40.0);
    let below = 1i64 << power as u32;
    if operations < 1.5 * below as f64 { below } else { below + below / 2 }
}

fn caches(machine: &Machine) -> Caches {
    let size = |level: Level| {
        let bytes = machine.storage.get(&level)?.size_bytes?;
        Some(i64::try_from(bytes.get()).unwrap_or(i64::MAX))
    };
    let last = machine.storage.keys().rev().find_map(|&level| size(level)).unwrap_or(Caches::USUAL.last);
    let [nearest, own] = [(Level::L1, Caches::USUAL.nearest), (Level::L2, Caches::USUAL.own)]
        .map(|(level, usual)| size(level).unwrap_or(usual));
    Caches { nearest, own, last }
}

/// What all threads compute while an element goes to memory and comes back; a multiple of 16.
fn most_repeated(machine: &Machine) -> u64 {
    let usual = frit_fuse::array::Options::default().most_repeated;
    let bandwidth = machine.storage.get(&Level::Memory).and_then(|memory| memory.copy_gb_per_s.all);
    let rate = machine.multiply_add_gflop_per_s.all;
    bandwidth.zip(rate).map_or(usual, |(bandwidth, rate)| {
        let operations = BYTES_OF_ELEMENT / bandwidth * rate;
        (operations / 16.0).round().clamp(1.0, 8.0) as u64 * 16
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these constants, in their text form.
    fn target(constants: &str) -> Target {
        Target::of(&serde_json::from_str(constants).unwrap())
    }

    fn with_threads(region_us: f64, operation_ns: f64) -> i64 {
        target(&format!(r#"{{"threads": {{"region_us": {region_us:e}, "operation_ns": {operation_ns:e}}}}}"#))
            .region_work
    }

    #[test]
    fn dearer_threads_need_more_work_and_dearer_operations_less() {
        assert_eq!(with_threads(1.0, 0.02), 98_304);
        assert_eq!(with_threads(10.0, 0.02), 786_432);
        assert_eq!(with_threads(1.0, 0.2), 8192);
        assert_eq!(Target::default().region_work, 65_536);
    }

    #[test]
    fn absurd_constants_give_a_threshold_all_the_same() {
        assert_eq!(with_threads(1e-9, 1e9), 1 << 10);
        assert_eq!(with_threads(1e30, 1e-30), (1 << 40) + (1 << 39));
    }

    #[test]
    fn noise_does_not_change_the_threshold_mostly() {
        let of = |region| with_threads(region, 0.02);
        assert_eq!(of(0.7), of(0.9));
    }

    #[test]
    fn slow_memory_lets_more_be_repeated() {
        let with = |bandwidth: f64| {
            let memory = format!(r#"{{"memory": {{"copy_gb_per_s": {{"all": {bandwidth:e}}}}}}}"#);
            target(&format!(r#"{{"storage": {memory}, "multiply_add_gflop_per_s": {{"all": 192}}}}"#)).most_repeated
        };
        assert_eq!([400.0, 48.0, 24.0, 1e-9, 1e9].map(with), [16, 64, 128, 128, 16]);
        assert_eq!(Target::default().most_repeated, 48);
    }

    #[test]
    fn caches_are_those_of_the_machine() {
        let sizes = r#"{"L1": {"size_bytes": 1000}, "L2": {"size_bytes": 20000}, "memory": {}}"#;
        let caches = target(&format!(r#"{{"storage": {sizes}}}"#)).caches;
        assert_eq!(caches, Caches { nearest: 1000, own: 20_000, last: 20_000 });
        assert_eq!(Target::default().caches, Caches::USUAL);
    }
}
