//! Comparing a transformed C file with the original finds what is wrong in it.

use frit_driver::c_loops::verify::{Outcome, VerifyOptions, verify};
use frit_support::{FileId, Index};
use std::path::Path;

const ORIGINAL: &str = "
void shift(int n, const int *restrict a, int *restrict b)
{
    int t[n + 1];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] + 1;
    for (int i = 0; i < n; i++)
        b[i] = t[i];
#pragma endscop
}
";

/// What comparing the original with a text comes to in which `replaced` stands for other words.
fn outcome(replaced: &[(&str, &str)]) -> Outcome {
    outcome_of(ORIGINAL, replaced)
}

fn outcome_of(original: &str, replaced: &[(&str, &str)]) -> Outcome {
    let file = frit_c::read(FileId::new(0), original, &frit_c::ReadOptions::default()).unwrap();
    let transformed = replaced.iter().fold(original.to_string(), |text, (old, new)| {
        assert!(text.contains(old));
        text.replace(old, new)
    });
    let mut verified = verify(&file, &transformed, &[true], Path::new(""), &VerifyOptions::default()).unwrap();
    assert_eq!((verified.len(), verified[0].function.as_str()), (1, "shift"));
    verified.remove(0).outcome
}

#[test]
fn equal_files_do_the_same() {
    let outcome = outcome(&[]);
    assert!(outcome.is_same(), "{outcome}");
}

#[test]
fn other_results_are_found() {
    assert!(matches!(outcome(&[("a[i] + 1", "a[i] + (i > 2)")]), Outcome::Differs { .. }));
}

#[test]
fn accesses_outside_of_temporaries_are_found() {
    let outcome = outcome(&[("t[i]", "t[i + 2]")]);
    assert!(matches!(&outcome, Outcome::Differs { what, .. } if what.contains("outside")), "{outcome}");
}

#[test]
fn what_only_empty_arrays_show_is_found() {
    let differs = outcome(&[("#pragma scop", "#pragma scop\n    b[0] = n > 0 ? b[0] : 1;")]);
    assert!(matches!(&differs, Outcome::Differs { call, .. } if call.contains("n = 0")), "{differs}");
    // The original is not defined there either.
    let same =
        outcome_of(&ORIGINAL.replace("n + 1", "n"), &[("#pragma scop", "#pragma scop\n    b[0] = n > 0 ? b[0] : 1;")]);
    assert!(same.is_same(), "{same}");
}
