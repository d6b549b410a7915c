//! The test files of the rules, `tests/fuse/<rule>/*.ir`: IR before, what the rule does wherever it is legal, IR after.
//! `cargo xtask bless` writes the expected part. A file begins with the outcomes, one a line:
//!
//! ```text
//! // merged 1
//! // refused repeats-work
//! ```

use frit_fuse::array::RULES;
use frit_ir::array::{parse, verify};
use std::fmt::Write;
use std::path::Path;

const SEPARATOR: &str = "// ----\n";

fn outcome(rule: &frit_fuse::array::Rule, before: &str, file: &str) -> String {
    let mut program = parse::parse_program(before).unwrap_or_else(|error| panic!("{file}: {error:?}"));
    verify::verify(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut text = String::new();
    let (mut merged, mut refused) = (0, Vec::new());
    for (_, func) in program.funcs.iter_mut() {
        let attempts = (rule.everywhere)(func);
        merged += attempts.applied;
        refused.extend(attempts.refused);
    }
    verify::verify(&program).unwrap_or_else(|error| panic!("{file}: after the rule: {error}\n{program}"));
    writeln!(text, "// merged {merged}").expect("a string takes all");
    refused.iter().for_each(|refusal| writeln!(text, "// refused {}", refusal.code()).expect("a string takes all"));
    frit_simplify::simplify(&mut program, &frit_simplify::Options::default());
    text + &program.to_string()
}

#[test]
fn every_rule_does_on_its_files_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuse");
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for rule in RULES {
        let folder = root.join(rule.name);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} has no test files", rule.name));
        let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{} has no test files", rule.name);
        for path in files {
            let text = std::fs::read_to_string(&path).expect("the file is readable");
            let (before, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
            let found = outcome(rule, before, &path.display().to_string());
            if found != expected && bless {
                std::fs::write(&path, format!("{before}{SEPARATOR}{found}")).expect("the file is writable");
            } else if found != expected {
                wrong.push(format!("{}\nexpected:\n{expected}\nfound:\n{found}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
