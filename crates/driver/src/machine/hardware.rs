//! What the system says about its processors, without measuring.

use super::constants::{Level, Machine, Storage};
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;

/// Where Linux describes the caches of a processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The levels of caches by their numbers.
pub(super) const CACHE_LEVELS: [Level; 4] = [Level::L1, Level::L2, Level::L3, Level::L4];

/// Processors that this process may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The machine as far as the system describes it.
pub(super) fn described() -> Machine {
    Machine {
        cores: NonZeroUsize::new(cores()),
        vector_bytes: NonZeroUsize::new(vector_bytes()),
        storage: caches(Path::new(CACHES)),
        ..Machine::default()
    }
}

/// Bytes of the widest vector registers that generated code uses.
fn vector_bytes() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return 64;
        }
        if std::arch::is_x86_feature_detected!("avx") {
            return 32;
        }
    }
    16
}

/// The caches for data in a folder like [`CACHES`]; none where there is no such folder.
fn caches(folder: &Path) -> BTreeMap<Level, Storage> {
    let mut caches = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let word = |name: &str| {
            let text = std::fs::read_to_string(entry.path().join(name)).ok()?;
            Some(text.trim().to_owned())
        };
        let is_for_data = word("type").is_some_and(|kind| kind == "Data" || kind == "Unified");
        let number = word("level").and_then(|level| level.parse::<usize>().ok());
        let level = number.and_then(|number| CACHE_LEVELS.get(number.checked_sub(1)?));
        let size_bytes = word("size").and_then(|size| bytes(&size));
        if let (true, Some(&level), Some(size)) = (is_for_data, level, size_bytes) {
            let shared_by = word("shared_cpu_list").and_then(|list| NonZeroUsize::new(processors(&list)?.len()));
            caches.insert(level, Storage { size_bytes: Some(size), shared_by, ..Storage::default() });
        }
    }
    caches
}

/// A size as Linux writes it: `48K`, `2M`.
fn bytes(size: &str) -> Option<NonZeroU64> {
    let (digits, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    NonZeroU64::new(digits.parse::<u64>().ok()?.checked_mul(factor)?)
}

/// A list of processors as Linux writes it: `0-3,8`.
fn processors(list: &str) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lists_are_read_as_linux_writes_them() {
        assert_eq!(
            ["48K", "2M", "512", "1G"].map(|s| bytes(s).map(NonZeroU64::get)),
            [49152, 2 << 20, 512, 1 << 30].map(Some)
        );
        assert_eq!(["", "K", "4T", "-1K", "0"].map(bytes), [None; 5]);
        assert_eq!(processors("0-3,8").map(|all| all.len()), Some(5));
        assert_eq!(processors("7").map(|all| all.len()), Some(1));
        assert_eq!(processors("a-b"), None);
    }

    #[test]
    fn caches_of_instructions_and_what_is_not_understood_are_left_out() {
        let folder = std::env::temp_dir().join(format!("frit-caches-{}", std::process::id()));
        let cache = |name: &str, level: &str, kind: &str, size: &str, shared: &str| {
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            for (file, text) in [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)] {
                std::fs::write(folder.join(file), format!("{text}\n")).unwrap();
            }
        };
        cache("index0", "1", "Data", "48K", "0");
        cache("index1", "1", "Instruction", "32K", "0");
        cache("index3", "3", "Unified", "32768K", "0-7");
        cache("index4", "9", "Unified", "1M", "0");
        let found = caches(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [Level::L1, Level::L3]);
        assert_eq!(found[&Level::L3].size_bytes, NonZeroU64::new(32 << 20));
        assert_eq!(found[&Level::L3].shared_by, NonZeroUsize::new(8));
        assert!(caches(&folder).is_empty());
    }
}
