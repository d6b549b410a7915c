//! Generated C programs are right: they compile, break none of C's rules and no bound, and contain what they are meant to.

use frit_support::random;
use frit_testkit::c_programs::{CProgram, batch, generate};
use std::process::Command;

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

fn run(programs: &[CProgram], at: usize) -> String {
    let path = std::env::temp_dir().join(format!("frit-c-programs-{}-{at}", std::process::id()));
    let file = path.with_extension("c");
    std::fs::write(&file, batch(programs).unwrap()).unwrap();
    let flags = ["-std=c11", "-O0", "-w", "-fsanitize=address,undefined", LESS, "-fno-sanitize-recover=all"];
    let built = Command::new("gcc").args(flags).arg(&file).arg("-o").arg(&path).arg("-lm").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&path).output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(path).unwrap();
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn programs_run_clean() {
    let programs = programs();
    let batches: Vec<(usize, &[CProgram])> = programs.chunks(BATCH).enumerate().collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for first in 0..processors {
            let batches = &batches;
            scope.spawn(move || {
                for (at, programs) in batches.iter().skip(first).step_by(processors) {
                    let lines = run(programs, *at).lines().count();
                    assert_eq!(lines, programs.iter().map(|program| program.kernel.sizes.len() + 1).sum::<usize>());
                }
            });
        }
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
