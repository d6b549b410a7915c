//! No text brings the reader down; texts at random are read by `frit-testkit`'s `c_robust`.

use crate::read::show::file;
use frit_c::{ReadOptions, read};
use frit_support::SourceMap;

/// Reads a text in every way.
fn reads(text: &str) {
    let id = SourceMap::new().add("a.c", text);
    for (auto, assume_no_alias) in [(false, false), (true, true)] {
        let _ = read(id, text, &ReadOptions { auto, assume_no_alias, ..ReadOptions::default() });
    }
}

#[test]
fn deep_nests_are_read_or_left() {
    for depth in [5, 30, 2_000, 50_000] {
        let loops: String = (0..depth).map(|at| format!("for (int i{at} = 0; i{at} < n; i{at}++)\n")).collect();
        reads(&format!("void f(int n, float *restrict a) {{\n#pragma scop\n{loops} a[0] += 1;\n#pragma endscop\n}}\n"));
        let parentheses = format!("{}n{}", "(".repeat(depth), ")".repeat(depth));
        reads(&format!(
            "void f(int n, float *restrict a) {{\n#pragma scop\na[{parentheses}] = 1;\n#pragma endscop\n}}\n"
        ));
    }
}

#[test]
fn loops_in_too_many_others_are_one_statement() {
    let loops: String = (0..30).map(|at| format!("for (int i{at} = 0; i{at} < n; i{at}++)\n")).collect();
    let text = format!("void f(int n, float *restrict a) {{\n#pragma scop\n{loops} a[i0] += 1;\n#pragma endscop\n}}\n");
    let file = file(&text, ReadOptions::default());
    assert_eq!(file.regions[0].scop.loops.len(), 12);
    let codes: Vec<&str> = file.remarks.iter().map(|remark| remark.code).collect();
    assert_eq!(codes, ["region-too-large"]);
}

#[test]
fn macros_that_name_themselves_are_no_trouble() {
    reads(
        "#define A(x) A(x + 1)\n#define N N\n#define M (K + 1)\n#define K (M + 1)\nvoid f(int n, float *restrict a) {\n#pragma scop\nfor (int i = 0; i < M; i++) a[A(i)] = N;\n#pragma endscop\n}\n",
    );
}

#[test]
fn long_regions_are_read() {
    let nests: String = (0..200)
        .map(|at| format!("for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) t{at}[i * m + j] = {}[(i - 1) * m + j + 1] + 1;\n", if at == 0 { "a".to_string() } else { format!("t{}", at - 1) }))
        .collect();
    let locals: String = (0..200).map(|at| format!("float *restrict t{at} = malloc(n * m * 4);\n")).collect();
    let text =
        format!("void f(int n, int m, float *restrict a) {{\n{locals}#pragma scop\n{nests}\n#pragma endscop\n}}\n");
    let file = file(&text, ReadOptions::default());
    assert_eq!(file.regions[0].scop.statements.len(), 200);
}

#[test]
fn long_chains_of_operators_are_read_or_left() {
    let depth = 20_000;
    let values = ["- ".repeat(depth), "b[i] = ".repeat(depth), "(int)".repeat(depth), "a[i] ? 1 : ".repeat(depth)];
    for value in values {
        reads(&format!(
            "void f(int n, int *restrict a, int *restrict b) {{\n#pragma scop\nfor (int i = 0; i < n; i++) b[i] = {value}a[i];\n#pragma endscop\n}}\n"
        ));
    }
}
