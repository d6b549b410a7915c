//! The loop IR of the programs in `tests/programs`, without and with threads, as a person read it and found it good. The
//! first line of a program is the claim about its loops. `cargo xtask bless` writes the loop IR.

use crate::support;

use expect_test::expect_file;
use frit_lower::Options;
use std::path::Path;

#[test]
fn loop_ir_of_programs_is_as_it_was_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(&folder).expect("the folder is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ir"));
    paths.sort();
    for path in paths {
        let source = support::program(&std::fs::read_to_string(&path).expect("the file is readable"));
        for (way, options) in [("sequential.nest", support::SEQUENTIAL), ("parallel.nest", Options::USUAL)] {
            expect_file![path.with_extension(way)].assert_eq(&support::lower(&source, &options).to_string());
        }
    }
}
