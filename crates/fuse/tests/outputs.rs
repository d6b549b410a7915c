//! What a program writes stays the same, in the same order, whatever loops are merged around it.

use frit_fuse::array::{Options, fuse, make_partitions_full, split_index_sets};
use frit_generate::outcome::written;
use frit_generate::{Favour, case, writing};
use frit_ir::array::verify::verify;
use frit_plan::Log;
use frit_simplify::simplify;
use frit_support::random;

#[test]
fn merging_keeps_what_generated_programs_write() {
    let (mut lines, mut merges) = (0, 0);
    let simplification = frit_simplify::Options::default();
    let cases = random::cases(120);
    for seed in random::seeds(cases) {
        for (program, inputs) in [Favour::REDUNDANCY, Favour::CHAINS].map(|favour| case(favour, seed)) {
            let original = writing(&program, seed);
            verify(&original).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{original}"));
            let mut program = original.clone();
            let options = Options { strict_fp: true, ..Options::default() };
            let mut log = Log::default();
            for _ in 0..6 {
                simplify(&mut program, &simplification);
                let count = fuse(&mut program, &options, &mut log).count;
                merges += count;
                if count == 0 {
                    break;
                }
            }
            split_index_sets(&mut program, &options);
            make_partitions_full(&mut program, &options);
            verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{original}\n---- after\n{program}"));
            for inputs in &inputs {
                // Limits are met elsewhere, and what was written before a failure need not be the same.
                if let (Some(expected), Some(found)) = (written(&original, inputs), written(&program, inputs)) {
                    lines += expected.lines().count();
                    assert_eq!(expected, found, "seed {seed}\n{original}\n---- after\n{program}");
                }
            }
        }
    }
    assert!(lines > 16 * cases && merges > cases / 2, "programs write {lines} lines, {merges} merges");
}
