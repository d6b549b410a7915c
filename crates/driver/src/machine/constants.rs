//! The constants of a machine. Each is known or not: a user's file may have a few, and without a C compiler nothing is measured.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};

/// What a machine can do. The names of fields are those of its text form, and say the unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Machine {
    /// Processors that Frit may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroUsize>,
    /// Bytes of a vector register.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_bytes: Option<NonZeroUsize>,
    /// The caches for data, and the memory beyond them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<Level, Storage>,
    /// Operations on `f64` in 10^9 per second; a fused multiplication and addition counts as two.
    #[serde(skip_serializing_if = "Rate::is_unknown")]
    pub fma_gflop_per_s: Rate,
    /// Multiplications and additions of `f64`, as many of one as of the other, in 10^9 per second.
    #[serde(skip_serializing_if = "Rate::is_unknown")]
    pub multiply_add_gflop_per_s: Rate,
    /// What decides from when on threads pay.
    #[serde(skip_serializing_if = "Threads::is_unknown")]
    pub threads: Threads,
}

/// Where data can be, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// The first-level cache.
    L1,
    /// The second-level cache.
    L2,
    /// The third-level cache.
    L3,
    /// The fourth-level cache.
    L4,
    /// The memory beyond the last cache.
    #[serde(rename = "memory")]
    Memory,
}

/// A cache, or the memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storage {
    /// Its size; of memory, nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<NonZeroU64>,
    /// How many processors share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_by: Option<NonZeroUsize>,
    /// Bytes read in a second, in 10^9.
    #[serde(skip_serializing_if = "Rate::is_unknown")]
    pub read_gb_per_s: Rate,
    /// Bytes read and written in a second, together, when one array is made from another, in 10^9. What a processor reads to be able to write is
    /// not counted.
    #[serde(skip_serializing_if = "Rate::is_unknown")]
    pub copy_gb_per_s: Rate,
}

/// How much of something one thread does in a second, and all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rate {
    /// One thread.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub one: Option<f64>,
    /// As many threads as there are cores.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub all: Option<f64>,
}

/// What decides from when on threads pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// Microseconds that starting and ending a parallel loop on all cores takes.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub region_us: Option<f64>,
    /// Nanoseconds of a scalar operation in a vector loop on one thread: of the cheapest loops that there are.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub operation_ns: Option<f64>,
}

impl Machine {
    /// These values, and where there are none, those of `other`.
    #[must_use]
    pub fn over(self, mut other: Self) -> Self {
        for (level, storage) in self.storage {
            let below = other.storage.remove(&level).unwrap_or_default();
            other.storage.insert(level, storage.over(below));
        }
        Self {
            cores: self.cores.or(other.cores),
            vector_bytes: self.vector_bytes.or(other.vector_bytes),
            storage: other.storage,
            fma_gflop_per_s: self.fma_gflop_per_s.over(other.fma_gflop_per_s),
            multiply_add_gflop_per_s: self.multiply_add_gflop_per_s.over(other.multiply_add_gflop_per_s),
            threads: Threads {
                region_us: self.threads.region_us.or(other.threads.region_us),
                operation_ns: self.threads.operation_ns.or(other.threads.operation_ns),
            },
        }
    }

    /// Bytes per second that so many threads read and write together when they make an array from another, beyond the caches. Between one
    /// thread and all, no less than either limit.
    pub fn copy_bandwidth(&self, threads: usize) -> Option<f64> {
        let rate = self.storage.get(&Level::Memory)?.copy_gb_per_s;
        let cores = self.cores.map_or(1, NonZeroUsize::get);
        let gigabytes = match threads {
            0 | 1 => rate.one?,
            _ if threads >= cores => rate.all?,
            _ => (rate.one? * threads as f64).min(rate.all?.max(rate.one?)),
        };
        Some(gigabytes * 1e9)
    }
}

impl Storage {
    fn over(self, other: Self) -> Self {
        Self {
            size_bytes: self.size_bytes.or(other.size_bytes),
            shared_by: self.shared_by.or(other.shared_by),
            read_gb_per_s: self.read_gb_per_s.over(other.read_gb_per_s),
            copy_gb_per_s: self.copy_gb_per_s.over(other.copy_gb_per_s),
        }
    }
}

impl Rate {
    fn over(self, other: Self) -> Self {
        Self { one: self.one.or(other.one), all: self.all.or(other.all) }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Threads {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Level {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Level::L1 => "L1",
            Level::L2 => "L2",
            Level::L3 => "L3",
            Level::L4 => "L4",
            Level::Memory => "memory",
        }
    }
}

fn positive<'de, D: Deserializer<'de>>(text: D) -> Result<Option<f64>, D::Error> {
    let value = f64::deserialize(text)?;
    if value.is_finite() && value > 0.0 {
        Ok(Some(value))
    } else {
        Err(D::Error::custom("this number must be above 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_between_one_thread_and_all_is_below_both_limits() {
        let rate = Rate { one: Some(30.0), all: Some(80.0) };
        let memory = Storage { copy_gb_per_s: rate, ..Storage::default() };
        let machine = Machine {
            cores: NonZeroUsize::new(8),
            storage: BTreeMap::from([(Level::Memory, memory)]),
            ..Machine::default()
        };
        let bandwidths = [1, 2, 3, 8, 16].map(|threads| machine.copy_bandwidth(threads));
        assert_eq!(bandwidths, [30e9, 60e9, 80e9, 80e9, 80e9].map(Some));
        assert_eq!(Machine::default().copy_bandwidth(1), None);
    }

    #[test]
    fn values_go_over_others_one_by_one() {
        let over: Machine = serde_json::from_str(
            r#"{"storage": {"L2": {"read_gb_per_s": {"all": 9.0}}}, "threads": {"region_us": 7}}"#,
        )
        .unwrap();
        let below: Machine = serde_json::from_str(
            r#"{"cores": 4, "storage": {"L1": {"size_bytes": 1}, "L2": {"read_gb_per_s": {"one": 1.0, "all": 2.0}}},
                "threads": {"region_us": 1, "operation_ns": 2}}"#,
        )
        .unwrap();
        let both = over.over(below);
        assert_eq!(both.cores, NonZeroUsize::new(4));
        assert_eq!(both.storage[&Level::L2].read_gb_per_s, Rate { one: Some(1.0), all: Some(9.0) });
        assert_eq!(both.storage[&Level::L1].size_bytes, NonZeroU64::new(1));
        assert_eq!(both.threads, Threads { region_us: Some(7.0), operation_ns: Some(2.0) });
    }
}
