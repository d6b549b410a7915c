//! Large C files are fused in reasonable time: 200 loop nests in many small regions, in one region, and in pipelines. Each takes a few seconds of
//! processor time; the limit tells that, also on a busy machine, from work that grows much faster than the file.

use frit_driver::c_loops::{self, FuseOptions};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(120);

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

/// Fuses a file; the `nests` of each region become one.
fn check(source: &str, regions: usize, nests: usize) {
    let start = Instant::now();
    let fused = c_loops::fuse(Path::new("large.c"), source, &FuseOptions::default()).unwrap();
    let elapsed = start.elapsed();
    assert_eq!(fused.regions.len(), regions);
    for region in &fused.regions {
        assert_eq!(region.nests, (nests, 1), "line {}: {:?}", region.line, region.unchanged);
    }
    assert!(elapsed < LIMIT, "{regions} regions of {nests} nests took {elapsed:?}");
}

#[test]
fn many_regions_of_a_nest() {
    check(&(0..200).map(|at| pipeline(&format!("single_{at}"), 1, 1)).collect::<String>(), 200, 1);
}

#[test]
fn one_region_of_many_nests() {
    check(&pipeline("chain", 200, 0), 1, 200);
}

#[test]
fn many_pipelines() {
    check(&(0..40).map(|at| pipeline(&format!("pipeline_{at}"), 5, 1)).collect::<String>(), 40, 5);
}
