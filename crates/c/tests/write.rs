//! What is printed is C that does what the source did: kernels are compiled before and after, and run on the same data.

use crate::c_harness::{Kernel, outputs};
use expect_test::{Expect, expect};
use frit_c::{File, ReadOptions, Region, Transformed, Written, read, write};
use frit_scop::dependence::{self, Dependences};
use frit_scop::program::Fate;
use frit_scop::recompute::{Evaluation, Recomputed};
use frit_scop::tree::FusedTree;
use frit_scop::{Scop, Statement, contraction, expand, fusion, generate};
use frit_support::{FileId, Index, Span, Table};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/kernels");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn read_file(text: &str) -> Result<File, String> {
    read(FileId::new(0), text, &ReadOptions::default()).map_err(|errors| format!("{errors:?}"))
}

/// The statements of a region in which no other is evaluated.
fn as_they_are(scop: &Scop) -> Result<Table<Statement, Evaluation>, String> {
    let recomputed = Recomputed::nothing(scop.clone()).map_err(|error| error.to_string())?;
    Ok(recomputed.statements)
}

/// The region in the order of the source, with all arrays where they are.
fn unchanged(region: &Region) -> Result<Transformed, String> {
    let scop = region.scop.clone();
    let fates = scop.arrays.iter().map(|_| Fate::Kept).collect();
    let program = generate::generate(&scop, &FusedTree::original(&scop), &fates, &generate::Options::default());
    Ok(Transformed {
        statements: as_they_are(&scop)?,
        scop,
        program: program.map_err(|error| error.to_string())?,
        shares: Vec::new(),
        notes: Vec::new(),
        keeps_rounding: false,
    })
}

/// The region with its loops fused and its arrays contracted.
fn fused(region: &Region, options: &generate::Options) -> Result<Transformed, String> {
    let scop = expand::expand(&region.scop).map_err(|error| error.to_string())?;
    let exact = dependence::Options { reassociate: false };
    let dependences = Dependences::new(&scop, &exact).map_err(|error| error.to_string())?;
    let tree = fusion::plan(&scop, &dependences, &fusion::Options::default(), &mut Default::default()).tree;
    let contracted = contraction::contract(&scop, &dependences, &tree, &contraction::Options::default());
    let fates = contracted.map_err(|error| error.to_string())?.fates;
    let program = generate::generate(&scop, &tree, &fates, options).map_err(|error| error.to_string())?;
    Ok(Transformed {
        statements: as_they_are(&scop)?,
        scop,
        program,
        shares: Vec::new(),
        notes: Vec::new(),
        keeps_rounding: false,
    })
}

/// Prints every region as `transform` makes it.
fn rewrite(text: &str, transform: impl Fn(&Region) -> Result<Transformed, String>) -> Result<Written, String> {
    let mut file = read_file(text)?;
    for region in &mut file.regions {
        // Loops that nobody knows the text of are all printed anew.
        region.scop.loops.iter_mut().for_each(|(_, each)| each.span = Span::NONE);
    }
    // What a pass gives up on stays as it is.
    let regions: Vec<Option<Transformed>> = file.regions.iter().map(|region| transform(region).ok()).collect();
    let written = write(&file, &regions);
    Ok(Written { text: written.headed(false), ..written })
}

/// How many kernels are compiled as one program.
const BATCH: usize = 20;

/// Compares every kernel with what `transform` makes of it; the number of those that were transformed, and what is wrong.
fn compare(
    name: &str,
    flags: &[&str],
    transform: impl Fn(&Region) -> Result<Transformed, String> + Sync,
) -> (usize, Vec<String>) {
    let folder = std::env::temp_dir().join(format!("frit-c-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let wrong = Mutex::new(Vec::new());
    let tell = |path: &Path, what: String| wrong.lock().unwrap().push(format!("{}: {what}", path.display()));
    let transformed = AtomicUsize::new(0);
    let rewrite = |path: &Path| -> Result<Option<(Kernel, String, String)>, String> {
        let text = std::fs::read_to_string(path).unwrap();
        let written = rewrite(&text, &transform)?;
        if let Some(remark) = written.remarks.iter().find(|remark| remark.code == "not-printable") {
            return Err(remark.message.clone());
        }
        Ok(if written.is_transformed.contains(&true) { Some((Kernel::read(path)?, text, written.text)) } else { None })
    };
    let paths = kernels();
    let batches: Vec<&[PathBuf]> = paths.chunks(BATCH).collect();
    let next = AtomicUsize::new(0);
    let command = [&["gcc", "-std=c11", "-w"], flags].concat();
    let work = || {
        while let Some(paths) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut kernels = Vec::new();
            for path in *paths {
                match rewrite(path) {
                    Ok(kernel) => kernels.extend(kernel),
                    Err(failure) => tell(path, failure),
                }
            }
            let originals: Vec<_> = kernels.iter().map(|(kernel, text, _)| (kernel, text.as_str())).collect();
            let written: Vec<_> = kernels.iter().map(|(kernel, _, text)| (kernel, text.as_str())).collect();
            let before = outputs(&originals, &command, &folder);
            for (((kernel, _, text), before), after) in
                kernels.iter().zip(before).zip(outputs(&written, &command, &folder))
            {
                if before.is_err() || before != after {
                    tell(&kernel.path, format!("other results\n{before:?}\n{after:?}\n{text}"));
                }
            }
            transformed.fetch_add(kernels.len(), Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    (transformed.into_inner(), wrong.into_inner().unwrap())
}

#[test]
fn kernels_in_the_order_of_the_source_do_the_same() {
    let (count, wrong) = compare("same", &["-O2"], unchanged);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 40, "only {count} kernels have regions");
}

#[test]
fn fused_kernels_on_threads_do_the_same() {
    let options = generate::Options { parallel: true, simd: true, ..generate::Options::default() };
    let (count, wrong) = compare("fused", &["-O2", "-fopenmp"], |region| fused(region, &options));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 40, "only {count} kernels have regions");
}

fn check(text: &str, expected: &Expect) {
    let written = rewrite(text, |region| fused(region, &generate::Options::default())).unwrap();
    let remarks: String =
        written.remarks.iter().map(|remark| format!("{}: {}\n", remark.code, remark.message)).collect();
    expected.assert_eq(&(written.text + &remarks));
}

/// Figure 8 of the paper: `a3` and `a4` are scalars, `a1` and `a2` cannot be.
#[test]
fn figure_8_has_two_loops_and_two_scalars() {
    check(
        "\
void figure_8(int n, const float *restrict x, float *restrict y)
{
#pragma scop
    float a1[n], a2[n], a3[n], a4[n];
    for (int i = 0; i < n; i++) // L1
        a1[i] = x[i] + 1.0f;
    for (int i = 0; i < n; i++) // L2
        a2[i] = 2.0f * a1[i];
    for (int i = 0; i < n; i++) // L3
        a3[i] = a2[i] - a2[n - 1 - i];
    for (int i = 0; i < n; i++) // L4
        a4[i] = a3[i] * a1[i];
    for (int i = 0; i < n; i++) // L5
        y[i] = a3[i] + a4[i];
#pragma endscop
}
",
        &expect![[r#"
            /* Transformed by frit fuse:
             * - figure_8
             */
            void figure_8(int n, const float *restrict x, float *restrict y)
            {
            #pragma scop
                float a1[n];
                float a2[n];
                for (int i = 0; i < n; i++) {
                    // L1
                    a1[i] = x[i] + 1.0f;
                    // L2
                    a2[i] = 2.0f * a1[i];
                }
                for (int i = 0; i < n; i++) {
                    // L3
                    float a3 = a2[i] - a2[n - 1 - i];
                    // L4
                    float a4 = a3 * a1[i];
                    // L5
                    y[i] = a3 + a4;
                }
            #pragma endscop
            }
        "#]],
    );
}

#[test]
fn an_unsharp_mask_keeps_three_rows() {
    check(
        "\
#include <stdlib.h>

void unsharp(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
#pragma scop
    float (*rows)[m] = malloc(n * sizeof *rows);
    /* The blur, along rows and along columns. */
    for (int y = 0; y < n; y++)
        for (int x = 1; x < m - 1; x++)
            rows[y][x] = 0.25f * in[y][x - 1] + 0.5f * in[y][x] + 0.25f * in[y][x + 1];
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < m - 1; x++) {
            float blur = 0.25f * rows[y - 1][x] + 0.5f * rows[y][x] + 0.25f * rows[y + 1][x];
            out[y][x] = 1.5f * in[y][x] - 0.5f * blur; // sharper
        }
    free(rows);
#pragma endscop
}
",
        &expect![[r#"
            /* Transformed by frit fuse:
             * - unsharp
             */
            #include <stdlib.h>

            void unsharp(int n, int m, const float in[restrict n][m], float out[restrict n][m])
            {
            #pragma scop
                float (*rows)[m] = malloc(sizeof *rows * 3);
                for (int y = 0; y < (2 < n ? 2 : n); y++) {
                    /* The blur, along rows and along columns. */
                    for (int x = 1; x < m - 1; x++)
                        rows[y][x] = 0.25f * in[y][x - 1] + 0.5f * in[y][x] + 0.25f * in[y][x + 1];
                }
                for (int y = 2; y < n; y++) {
                    for (int x = 1; x < m - 1; x++)
                        rows[y % 3][x] = 0.25f * in[y][x - 1] + 0.5f * in[y][x] + 0.25f * in[y][x + 1];
                    for (int x = 1; x < m - 1; x++) {
                        float blur = 0.25f * rows[(y - 2) % 3][x] + 0.5f * rows[(y - 1) % 3][x] + 0.25f * rows[y % 3][x];
                        out[y - 1][x] = 1.5f * in[y - 1][x] - 0.5f * blur; // sharper
                    }
                }
                free(rows);
            #pragma endscop
            }
        "#]],
    );
}
