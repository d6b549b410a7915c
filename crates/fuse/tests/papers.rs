//! The figures of \[WLF\] and \[MERGE\], stage by stage: `tests/fuse/papers/*.ir`; compositions of array skeletons: `tests/fuse/skeletons/*.ir`. A file holds a program and then, behind a line
//! `// ---- RULE`, what the rule makes of the program before it. `cargo xtask bless` writes what is behind those lines. The stage
//! `default` is what the planner makes of the first program of the file.
//!
//! Every stage computes the same as the first program, on the reference interpreter.

use frit_fuse::array::{Options, RULES, fuse};
use frit_ir::array::{Extent, FuncId, Op, Program, parse, verify};
use frit_ir::{Scalar, Tensor, TensorData};
use frit_plan::Log;
use frit_support::Index;
use std::path::Path;

const MARK: &str = "// ---- ";

fn checked(text: &str, file: &str) -> Program {
    let program = parse::parse_program(text).unwrap_or_else(|error| panic!("{file}: {error:?}"));
    verify::verify(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
    program
}

fn simplify(program: &mut Program) {
    frit_simplify::simplify(program, &frit_simplify::Options::default());
}

/// The program after all that the optimiser does with loops; the number of merges.
fn by_default(program: &mut Program) -> usize {
    let mut log = Log::default();
    simplify(program);
    while fuse(program, &Options::default(), &mut log).any() {
        simplify(program);
    }
    log.merged_count()
}

/// Applies a stage; how often it did something.
fn apply(stage: &str, program: &mut Program) -> usize {
    let count = match RULES.iter().find(|rule| rule.name == stage) {
        Some(rule) => program.funcs.iter_mut().map(|(_, func)| (rule.everywhere)(func).applied).sum(),
        None if stage == "default" => by_default(program),
        None => panic!("no stage is called `{stage}`"),
    };
    simplify(program);
    count
}

/// What the stage did, and the number of generators of each with-loop that is left at the level of the function.
fn summary(stage: &str, applied: usize, program: &Program) -> String {
    let mut generators = Vec::new();
    for (_, func) in program.funcs.iter() {
        for stmt in &func.body.stmts {
            if let Op::With(label) = stmt.op {
                generators.push(func.with_loops[label].generators.len().to_string());
            }
        }
    }
    format!("{MARK}{stage}\n// applied {applied}; generators {}\n", generators.join(", "))
}

/// Arguments for the function that runs: extents that are not constant are 9, so that the figures' sizes come out.
fn arguments(program: &Program) -> Vec<Tensor> {
    let func = &program.funcs[program.entry.unwrap_or(FuncId::new(0))];
    let argument = |value| {
        let ty = func.ty(value);
        let extents: Vec<usize> = ty
            .shape
            .iter()
            .map(|extent| match extent {
                Extent::Const(n) => *n as usize,
                Extent::Value(_) => 9,
            })
            .collect();
        let count: usize = extents.iter().product();
        let data = match ty.elem {
            Scalar::F64 => TensorData::F64((0..count).map(|i| (i * 7 % 11) as f64 / 4.0).collect()),
            Scalar::I64 => TensorData::I64((0..count).map(|i| i as i64 % 5 + 2).collect()),
            other => panic!("no argument of type {other:?}"),
        };
        Tensor::new(extents, data).expect("the data have the shape's size")
    };
    func.params.iter().map(|param| argument(param.value)).collect()
}

fn results(program: &Program, file: &str) -> Vec<Tensor> {
    let main = program.entry.unwrap_or(FuncId::new(0));
    let results = frit_interp::array::run(program, main, arguments(program));
    results.unwrap_or_else(|error| panic!("{file}: {error}\n{program}"))
}

/// The file as the rules make it.
fn staged(text: &str, file: &str) -> String {
    let mut parts = text.split(MARK);
    let source = parts.next().expect("a text has a first part");
    let first = checked(source, file);
    let expected = results(&first, file);
    let mut program = first.clone();
    let mut made = source.to_string();
    for part in parts {
        let stage = part.lines().next().unwrap_or_default().trim();
        if stage == "default" {
            program = first.clone();
        }
        let applied = apply(stage, &mut program);
        verify::verify(&program).unwrap_or_else(|error| panic!("{file}: after {stage}: {error}\n{program}"));
        assert_eq!(results(&program, file), expected, "{file}: after {stage}\n{program}");
        made += &summary(stage, applied, &program);
        made += &program.to_string();
    }
    made
}

fn assert_staged(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuse").join(folder);
    let entries = std::fs::read_dir(&folder).expect("there are files");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let found = staged(&text, &path.display().to_string());
        if found != text && std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, found).expect("the file is writable");
        } else if found != text {
            wrong.push(format!("{}\nexpected:\n{text}\nfound:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn figures_go_through_the_stages_of_the_papers() {
    assert_staged("papers");
}

#[test]
fn compositions_of_skeletons_are_few_loops() {
    assert_staged("skeletons");
}
