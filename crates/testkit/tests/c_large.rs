//! The work of fusing C files grows with their length, and not with its square: up to 200 loop nests in many small regions,
//! in one region, and in pipelines.

use frit_driver::c_loops::{self, FuseOptions};
use frit_support::allocated::{allocated, assert_growth};
use std::fmt::Write;
use std::path::Path;

/// A function with a region: `declarations`, then `nests`.
fn function(name: &str, declarations: &str, nests: &str) -> String {
    format!(
        "void {name}(int n, int m, const double in[restrict n][m], double out[restrict n][m])\n\
         {{\n{declarations}#pragma scop\n{nests}#pragma endscop\n}}\n\n"
    )
}

/// A function with a pipeline of nests, in which every one reads `reach` rows around the row that it writes from the one before it.
fn pipeline(name: &str, length: usize, reach: usize) -> String {
    let (mut declarations, mut nests) = (String::new(), String::new());
    for at in 0..length {
        let source = if at == 0 { "in".to_string() } else { format!("t{at}") };
        let target = if at + 1 == length { "out".to_string() } else { format!("t{}", at + 1) };
        if at + 1 < length {
            let _ = writeln!(declarations, "    double {target}[n][m];");
        }
        let margin = at * reach;
        let rows: Vec<String> = (0..=reach).map(|row| format!("{source}[i + {row}][j]")).collect();
        let _ = writeln!(nests, "    for (int i = 0; i < n - {reach} - {margin}; i++)");
        let _ = writeln!(nests, "        for (int j = 0; j < m; j++)");
        let _ = writeln!(nests, "            {target}[i][j] = 0.5 * ({});", rows.join(" + "));
    }
    function(name, &declarations, &nests)
}

/// Fuses files of 50 and of 200 nests, each as many regions and nests of a region; the nests of each region become one.
#[track_caller]
fn check(what: &str, source: impl Fn(usize) -> String, shape: impl Fn(usize) -> [usize; 2]) {
    let fused = |length| {
        let source = source(length);
        let ((fused, calls), work) = allocated(|| {
            let before = frit_isl::calls();
            let fused = c_loops::fuse(Path::new("large.c"), &source, &FuseOptions::default()).unwrap();
            (fused, frit_isl::calls() - before)
        });
        let [regions, nests] = shape(length);
        assert_eq!(fused.regions.len(), regions);
        for region in &fused.regions {
            assert_eq!(region.nests, (nests, 1), "line {}: {:?}", region.line, region.unchanged);
        }
        [work, calls]
    };
    let [short, long] = [50, 200].map(fused);
    for (at, unit) in ["bytes", "calls of isl"].iter().enumerate() {
        let work = |length| if length == 50 { short[at] } else { long[at] };
        assert_growth(&format!("{what}, {unit}"), [50, 200], 8.0, work);
    }
}

#[test]
fn many_regions_of_a_nest() {
    let source = |length| (0..length).map(|at| pipeline(&format!("single_{at}"), 1, 1)).collect();
    check("regions", source, |length| [length, 1]);
}

#[test]
fn one_region_of_many_nests() {
    check("nests", |length| pipeline("chain", length, 0), |length| [1, length]);
}

#[test]
fn many_pipelines() {
    let source = |length| (0..length / 5).map(|at| pipeline(&format!("pipeline_{at}"), 5, 1)).collect();
    check("pipelines", source, |length| [length / 5, 5]);
}
