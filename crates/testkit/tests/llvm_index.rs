//! The programs of the error index about loops of LLVM IR are what it says: of each code, the first one has its loops left apart for that reason,
//! and the second one has them fused.

use frit_testkit::place::{Scratch, built, has_llvm, project, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A program of the index and its language.
struct Program<'a> {
    language: &'a str,
    text: &'a str,
}

fn programs(entry: &str) -> Vec<Program<'_>> {
    let blocks = entry.split("\n```").skip(1).step_by(2);
    blocks
        .map(|block| block.split_once('\n').expect("a block has lines"))
        .map(|(l, text)| Program { language: l, text })
        .collect()
}

/// What `frit explain` tells of a program, as clang hands it to the plugin.
fn explained(folder: &Path, name: &str, program: &Program) -> String {
    let extension = if program.language == "cpp" { "cpp" } else { "c" };
    let source = folder.join(format!("{name}.{extension}"));
    let module = source.with_extension("ll");
    fs::write(&source, program.text).unwrap();
    let mut clang = Command::new("clang-19");
    clang.args(["-O2", "-g", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-Wno-gnu-label-as-value"]);
    let made = run(clang.args(["-S", "-emit-llvm", "-o"]).arg(&module).arg(&source));
    let told = made.and_then(|_| run(Command::new(built("frit")).arg("explain").arg(&module)));
    told.unwrap_or_else(|error| panic!("{name}: {error}")).0
}

#[test]
fn programs_of_the_index_stay_apart_as_it_says_and_become_one_when_mended() {
    if !has_llvm() {
        return;
    }
    let folder = Scratch::new("llvm-index");
    let index = fs::read_to_string(project().join("docs/errors.md")).expect("there is an error index");
    let (_, section) = index.split_once("\n## Loops of LLVM IR\n").expect("it has a section for loops of LLVM IR");
    let section = section.split("\n## ").next().expect("a split gives at least one part");
    let (mut apart, mut wrong) = (0, Vec::new());
    for entry in section.split("\n### ").skip(1) {
        let code = entry.lines().next().expect("a section has a title");
        for (at, program) in programs(entry).iter().enumerate() {
            let text = explained(&folder, &format!("{code}-{at}"), program);
            let is_refused = text.contains(&format!("note[{code}]"));
            let is_fused = text.contains(": 1 fusion\n");
            if (at == 0 && !is_refused) || (at > 0 && !is_fused) {
                wrong.push(format!("program {at} of {code}:\n{text}"));
            }
            apart += usize::from(at == 0);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(apart >= 15, "only {apart} codes have a program");
}
