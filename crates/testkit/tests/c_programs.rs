//! Generated C programs are right: they compile, break none of C's rules and no bound, and contain what they are meant to.

use frit_support::random;
use frit_testkit::c_programs::{CProgram, batch, generate};
use frit_testkit::place::{Scratch, in_parallel, run_c};

/// How many programs are compiled as one: as many batches run at the same time as the machine has processors.
const BATCH: usize = 50;
/// Checks that double the time to compile and find nothing that others do not find in array code.
const LESS: &str = "-fno-sanitize=null,alignment,object-size,pointer-overflow";

/// The usual programs, or others.
fn programs() -> Vec<CProgram> {
    random::seeds(random::cases(150)).map(generate).collect()
}

/// What the programs are to contain, each in several of them.
const CONSTRUCTS: [&str; 23] = [
    "i--",
    "j += 2",
    "i += 3",
    " <= ",
    "[2 * i]",
    "[i][j][k]",
    "[j][i]",
    "[restrict",
    " *restrict ",
    "malloc(",
    "free(",
    "sum += ",
    "s1 += ",
    "q++",
    "c2",
    "j <= i",
    "j = i",
    "if (",
    "else",
    "% 2 == 0",
    "static inline",
    "    int i, j, k;",
    "uint8_t",
];

fn run(programs: &[CProgram]) -> String {
    let folder = Scratch::new("c-programs");
    let flags = ["-O0", "-fsanitize=address,undefined", LESS, "-fno-sanitize-recover=all"];
    run_c("gcc", &flags, &batch(programs).unwrap(), &folder.join("batch")).unwrap()
}

#[test]
fn programs_run_clean() {
    let programs = programs();
    let batches: Vec<&[CProgram]> = programs.chunks(BATCH).collect();
    in_parallel(&batches, |programs| {
        let lines = run(programs).lines().count();
        assert_eq!(lines, programs.iter().map(|program| program.kernel.sizes.len() + 1).sum::<usize>());
    });
}

#[test]
fn a_number_always_makes_the_same_program() {
    assert_eq!(generate(17).source, generate(17).source);
    assert_ne!(generate(17).source.replace("17", ""), generate(18).source.replace("18", ""));
}

#[test]
fn programs_contain_what_they_are_meant_to() {
    let programs = programs();
    for construct in CONSTRUCTS {
        let count = programs.iter().filter(|program| program.source.contains(construct)).count();
        assert!(count >= 3, "`{construct}` is in {count} programs");
    }
}
