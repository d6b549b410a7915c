//! Random NumPy functions: `test_random.py` makes them and compares.

use frit_support::random;

#[test]
fn random_functions_do_what_numpy_does() {
    let seeds = random::seeds(random::cases(100));
    let variables =
        [("FRIT_RANDOM", (seeds.end - seeds.start).to_string()), ("FRIT_RANDOM_SEED", seeds.start.to_string())];
    assert!(super::pytest(&["crates/python/tests/test_random.py"], &variables), "see above");
}
