//! Decisions of generators: [`Random`] numbers that are the same on every machine, for experiments and tests, and
//! [`Choices`] read from bytes, for property tests whose cases should shrink.
//!
//! [`cases`] and [`seed`] say how many cases random tests run, and which. Without the environment variables `FRIT_CASES` and
//! `FRIT_SEED`, each run of a test runs the same cases.

use std::ops::Range;

/// The whole number that an environment variable holds.
fn variable(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Err(_) => default,
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a whole number")),
    }
}

/// The number of cases of a random test: `FRIT_CASES` times the usual number.
pub fn cases(usual: usize) -> usize {
    usual * variable("FRIT_CASES", 1).max(1) as usize
}

/// The seed of all random tests: `FRIT_SEED`, or 0.
pub fn seed() -> u64 {
    variable("FRIT_SEED", 0)
}

/// One seed for each case of a test that makes each case from a seed of its own. No two values of [`seed`] share one.
pub fn seeds(cases: usize) -> Range<u64> {
    let first = seed() << 32;
    first..first + cases as u64
}

/// True if a test runs its usual cases, and perhaps more. Only then do random tests assert absolute numbers, as of how often
/// a transformation was made.
pub fn is_usual() -> bool {
    seed() == 0
}

/// The configuration of a property test with this many [`cases`](crate::random::cases), drawn from the [`seed`](crate::random::seed).
/// Whoever uses the macro depends on `proptest`.
#[macro_export]
macro_rules! proptest_config {
    ($cases:expr) => {
        proptest::test_runner::Config {
            cases: u32::try_from($cases).expect("fewer than 2^32 cases"),
            rng_seed: proptest::test_runner::RngSeed::Fixed($crate::random::seed()),
            failure_persistence: None,
            ..proptest::test_runner::Config::default()
        }
    };
}

/// A generator of random numbers: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is at least 1. Numbers are equally likely up to one part in 2^64 / `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True this many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items; there is at least one.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of the items, later ones more often.
    pub fn recent<T: Clone>(&mut self, items: &[T]) -> T {
        let at = self.below(items.len());
        items[at.max(self.below(items.len()))].clone()
    }
}

/// Decisions read from bytes, one each; when the bytes run out, every decision is the first.
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    /// The decisions in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.iter())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.next().map_or(0, |&byte| usize::from(byte) % bound)
    }

    /// One of the items.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}
