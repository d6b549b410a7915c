//! Kernels as collections of benchmarks have them, with their macros for types, bounds and shapes (`tests/c/suite`): each is taken apart exactly,
//! whatever these macros are told to be, and computes the same afterwards.

use expect_test::expect;
use frit_driver::c_loops::{CompileOptions, FuseOptions, FusedFile, ReadOptions, fuse, load};
use frit_testkit::place::{Scratch, answers, project, run_c};
use std::fmt::Write;
use std::path::Path;

/// Which files there are; the later ones use functions of the earlier ones.
const FILES: &[&str] = &["mining", "blas", "linear", "solvers", "medley", "stencils"];

/// Fuses a file of the suite.
fn fused(name: &str, flags: &[&str], assume_no_alias: bool) -> FusedFile {
    let path = project().join("tests/c/suite").join(format!("{name}.c"));
    let flags = flags.iter().map(|flag| (*flag).to_string()).collect();
    let compile = CompileOptions { flags, ..CompileOptions::default() };
    let read = ReadOptions { auto: false, assume_no_alias, compile };
    let options = FuseOptions { read, ..FuseOptions::default() };
    fuse(&path, &load(&path).unwrap(), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A line for each region: its nests and what became of its arrays; then what was remarked.
fn told(fused: &FusedFile) -> String {
    let mut text = String::new();
    for region in &fused.regions {
        // How large windows are depends on how arrays are declared.
        let kind = |fate: &str| fate.split(' ').next().unwrap_or_default().to_string();
        let arrays: Vec<String> =
            region.arrays.iter().map(|array| format!("{}: {}", array.name, kind(&array.fate))).collect();
        let _ = writeln!(text, "{} {} -> {} {}", region.function, region.nests.0, region.nests.1, arrays.join(", "));
    }
    for remark in &fused.remarks {
        let _ = writeln!(text, "{}: {}", remark.code, remark.message);
    }
    text.replace(" \n", "\n")
}

/// What the programs of a suite write, compiled as one; `texts` takes the place of the files.
fn output(compiler: &str, flags: &[&str], files: &[&str], texts: Option<&[String]>, folder: &Path) -> String {
    let suite = project().join("tests/c/suite");
    let mut all = String::new();
    for (at, name) in files.iter().enumerate() {
        match texts {
            Some(texts) => all += &texts[at],
            None => all += &std::fs::read_to_string(suite.join(format!("{name}.c"))).unwrap(),
        }
        all.push('\n');
    }
    let calls: String = files.iter().map(|name| format!("    run_{name}();\n")).collect();
    let _ = write!(all, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
    let include = format!("-I{}", suite.display());
    let flags = [&["-O1", include.as_str()], flags].concat();
    run_c(compiler, &flags, &all, &folder.join("all")).unwrap_or_else(|error| panic!("{error}"))
}

/// How the macros of the suite are told to be, with the compiler that runs it and how many of the files: the first ones take least time.
const VARIANTS: &[(&str, usize, &[&str])] = &[
    ("gcc", FILES.len(), &[]),
    ("clang", 3, &["-DFLOAT_DATA", "-DCOMPILE_TIME_BOUNDS", "-DRESTRICT_ARRAYS"]),
    ("gcc", 3, &["-DVARIABLE_SHAPES", "-DRESTRICT_ARRAYS", "-DPADDING=2"]),
    ("clang", 3, &["-DSTACK_ARRAYS", "-DFLOAT_DATA", "-DRESTRICT_ARRAYS"]),
];

#[test]
fn kernels_of_a_suite_are_taken_apart_and_compute_the_same() {
    let folder = Scratch::new("c-suite");
    let clang = if answers("clang") { "clang" } else { "clang-19" };
    // The first files, whatever the macros are but for constant bounds; then the other ones.
    let parametric = expect![[r#"
        kernel_correlate 4 -> 3 mean: scalar, table: scalar, deviation: scalar
        kernel_covary 3 -> 3 mean: scalar, result: scalar
        kernel_product 1 -> 1
        kernel_rank_two 4 -> 3
        kernel_sum_of_products 1 -> 1 y: scalar
        kernel_symmetric 1 -> 1
        kernel_rank_k 1 -> 1
        kernel_rank_2k 1 -> 1
        kernel_triangular 1 -> 1
        kernel_two_products_of 2 -> 1
        kernel_three_products 3 -> 2 e: window, f: kept
        kernel_normal 2 -> 2
        kernel_both_sides 2 -> 2
        kernel_rows_times 1 -> 1
        kernel_and_transposed 2 -> 2
    "#]];
    let constant = expect![[r#"
        kernel_correlate 4 -> 3 mean: scalar, table: scalar, deviation: scalar
        kernel_covary 3 -> 3 mean: scalar, result: scalar
        kernel_product 1 -> 1
        kernel_rank_two 4 -> 1
        kernel_sum_of_products 1 -> 1 y: scalar
        kernel_symmetric 1 -> 1
        kernel_rank_k 1 -> 1
        kernel_rank_2k 1 -> 1
        kernel_triangular 1 -> 1
        kernel_two_products_of 2 -> 1
        kernel_three_products 3 -> 2 e: window, f: window
        kernel_normal 2 -> 2
        kernel_both_sides 2 -> 2
        kernel_rows_times 1 -> 1
        kernel_and_transposed 2 -> 2
    "#]];
    let others = expect![[r#"
        kernel_cholesky_rows 1 -> 1
        kernel_recursion 1 -> 1 z: kept
        kernel_orthogonal 1 -> 1
        kernel_factors 1 -> 1
        kernel_solve 3 -> 2
        kernel_forward 1 -> 1 x: scalar
        kernel_edges 6 -> 4
        kernel_shortest 1 -> 1
        kernel_fold 1 -> 1 table: scalar
        kernel_directions 1 -> 1
        kernel_fields 1 -> 1
        kernel_heat_cube 1 -> 1
        kernel_line 1 -> 1
        kernel_plane 1 -> 1
        kernel_in_place 1 -> 1
        macro-expanded: `SECOND` is written as what it stands for: its definition hides accesses, a loop's variable or several statements
    "#]];
    for (compiler, count, flags) in VARIANTS {
        let files = &FILES[..*count];
        let all: Vec<FusedFile> =
            files.iter().map(|name| fused(name, flags, !flags.contains(&"-DRESTRICT_ARRAYS"))).collect();
        let said: Vec<String> = all.iter().map(told).collect();
        let is_constant = flags.contains(&"-DCOMPILE_TIME_BOUNDS");
        if is_constant { &constant } else { &parametric }.assert_eq(&said[..3].concat());
        if *count > 3 {
            others.assert_eq(&said[3..].concat());
        }
        let compiler = if *compiler == "clang" { clang } else { compiler };
        let texts: Vec<String> = all.into_iter().map(|fused| fused.text).collect();
        let before = output(compiler, flags, files, None, &folder);
        assert!(before == output(compiler, flags, files, Some(&texts), &folder), "{flags:?}: other results");
    }
}

#[test]
fn what_a_suite_does_round_its_kernels_is_fused_too() {
    let path = project().join("tests/c/suite/solvers.c");
    let read = ReadOptions { auto: true, assume_no_alias: true, ..ReadOptions::default() };
    let options = FuseOptions { read, ..FuseOptions::default() };
    let fused = fuse(&path, &load(&path).unwrap(), &options).unwrap();
    let init = fused.regions.iter().find(|region| region.function == "init_dominant").map(|region| region.nests);
    assert_eq!(init, Some((3, 3)));
}
