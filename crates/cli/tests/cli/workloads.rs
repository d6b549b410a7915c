//! The programs of `benches/workloads`, in both languages, compute what their first lines say; and the script that runs them for a
//! harness.

use crate::cli::place::{Place, project};
use std::process::Command;

/// All numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    text.split(|c| !is_part(c)).filter_map(|word| word.parse().ok()).collect()
}

fn text_of(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("[{}]", words.join(", "))
}

fn table_of(rows: &[Vec<f64>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| text_of(row)).collect();
    format!("[{}]", rows.join(", "))
}

/// Numbers from 0 to 1 that look arbitrary.
fn scattered(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7919 + seed * 613 + 13) % 1009) as f64 / 1009.0).collect()
}

fn table(rows: usize, columns: usize, seed: usize) -> Vec<Vec<f64>> {
    scattered(rows * columns, seed).chunks(columns).map(<[f64]>::to_vec).collect()
}

/// Runs the workload in each language that it is there in, on one thread and on several; these start although there is little to do.
fn computes(workload: &str, arguments: &[String], expected: &[f64]) {
    let place = Place::new();
    place.file("machine.json", r#"{"threads": {"region_us": 0.000001, "operation_ns": 1}}"#);
    let mut languages = 0;
    for language in ["l0", "sac"] {
        let program = project().join(format!("benches/workloads/{workload}.{language}"));
        if !program.is_file() {
            continue;
        }
        languages += 1;
        let mut words = vec!["run".to_string(), program.to_string_lossy().into_owned()];
        if language == "sac" {
            words.extend(["--entry".to_string(), "run".to_string()]);
            // Truth values are written otherwise.
            words.extend(arguments.iter().map(|text| text.replace('T', "t").replace('F', "f")));
        } else {
            words.extend_from_slice(arguments);
        }
        for threads in ["1", "3"] {
            let words = words.iter().map(String::as_str).chain(["--threads", threads]);
            let text = place.frit(words).env("FRIT_MACHINE", "machine.json").done().succeeded().text();
            let found = numbers(&text);
            assert_eq!(found.len(), expected.len(), "{workload}.{language}: {text}");
            for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
                // Reals are printed with six digits.
                let is_close = (found - expected).abs() <= 2e-6 * expected.abs().max(1.0);
                assert!(is_close, "{workload}.{language} on {threads}: number {at} is {found} instead of {expected}");
            }
        }
    }
    assert!(languages > 0, "there is no program for {workload}");
}

#[test]
fn reductions() {
    let x = scattered(5003, 1);
    let y = scattered(5003, 2);
    let (least, greatest) = x.iter().fold((1.0f64, 0.0f64), |(least, most), &v| (least.min(v), most.max(v)));
    let mean = x.iter().sum::<f64>() / 5003.0;
    let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 5003.0;
    computes("minmax", &[text_of(&x)], &[least, greatest]);
    computes("stats", &[text_of(&x)], &[mean, variance, least, greatest]);
    let chain = |(x, y): (&f64, &f64)| (((0.5 * ((2.5 * x + y) * x - y) + x) * y) + x).powi(2);
    computes("chain", &[text_of(&x), text_of(&y)], &[x.iter().zip(&y).map(chain).sum()]);
    let filtered = x.iter().zip(&y).filter(|(x, _)| **x > 0.5).map(|(x, y)| x * y).sum();
    computes("dotfilter", &[text_of(&x), text_of(&y)], &[filtered]);
}

#[test]
fn sums_of_beginnings_and_counts() {
    let x = scattered(3001, 3);
    let sums = x.iter().scan(0.0, |sum, v| {
        *sum += v * v - 0.3;
        Some(*sum)
    });
    computes("scanmap", &[text_of(&x)], &sums.collect::<Vec<f64>>());
    let mut counts = [0.0; 256];
    x.iter().for_each(|v| counts[(v * 256.0) as usize] += 1.0);
    computes("histogram", &[text_of(&x)], &counts);
}

#[test]
fn stencils() {
    let a = table(9, 11, 4);
    let mut now = a.clone();
    for _ in 0..3 {
        let old = now.clone();
        for i in 1..8 {
            for j in 1..10 {
                now[i][j] = 0.2 * (old[i][j] + old[i][j - 1] + old[i][j + 1] + old[i - 1][j] + old[i + 1][j]);
            }
        }
    }
    computes("jacobi2d", &[table_of(&a), "3".into()], &now.concat());
    let weights = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    let down = |i: usize, j: usize| -> f64 { (0..5).map(|k| weights[k] * a[i + k][j]).sum() };
    let sharper = |i: usize, j: usize| {
        let blurred: f64 = (0..5).map(|k| weights[k] * down(i, j + k)).sum();
        let own = a[i + 2][j + 2];
        if (own - blurred).abs() < 0.1 { own } else { own * 4.0 - blurred * 3.0 }
    };
    let expected: Vec<f64> = (0..5).flat_map(|i| (0..7).map(move |j| (i, j))).map(|(i, j)| sharper(i, j)).collect();
    computes("unsharp", &[table_of(&a)], &expected);
    let mut line = scattered(20, 5);
    let mut steps = 0.0;
    let first = line.clone();
    loop {
        let old = line.clone();
        line = (0..20).map(|i| (old[i] + old[(i + 19) % 20] + old[(i + 1) % 20]) / 3.0).collect();
        steps += 1.0;
        if line.iter().zip(&old).all(|(x, y)| (x - y).abs() <= 0.05) || steps == 40.0 {
            break;
        }
    }
    assert!(steps > 1.0 && steps < 40.0, "{steps} steps");
    let expected: Vec<f64> = line.into_iter().chain([steps]).collect();
    let arguments = [text_of(&first), "0.05".into(), "40".into()];
    computes("conv", &arguments, &expected);
    computes("conv1d", &arguments, &expected);
    let stopped = convolved(&text_of(&first), 2);
    assert_eq!(stopped.last(), Some(&2.0), "{stopped:?}");
    computes("conv1d", &[text_of(&first), "0.0".into(), "2".into()], &stopped);
    // Extents of one and of two have the same neighbour on both sides.
    for (rows, columns) in [(6, 7), (1, 5), (4, 1), (2, 2)] {
        let planes: Vec<String> = (0..3).map(|seed| table_of(&table(rows, columns, seed))).collect();
        let cube = format!("[{}]", planes.join(", "));
        for (workload, text) in [("conv2d", &planes[0]), ("conv3d", &cube)] {
            computes(workload, &[text.clone(), "0.0".into(), "3".into()], &convolved(text, 3));
        }
    }
}

/// The convolution of an array, at most so many steps.
fn convolved(array: &str, most: usize) -> Vec<f64> {
    let program = project().join("benches/workloads/conv.sac").to_string_lossy().into_owned();
    let words = ["run", &program, "--entry", "run", array, "0.0", &most.to_string()].map(String::from);
    numbers(&Place::new().frit(words).done().succeeded().text())
}

#[test]
fn products_and_pairs() {
    // Less than what is computed in blocks, and more.
    for (rows, steps, columns) in [(5, 4, 6), (21, 37, 35)] {
        let (a, b) = (table(rows, steps, 6), table(steps, columns, 7));
        let product = |i: usize, j: usize| (0..steps).map(|k| a[i][k] * b[k][j]).sum::<f64>();
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let expected: Vec<f64> = places.map(|(i, j)| product(i, j)).collect();
        computes("matmul", &[table_of(&a), table_of(&b)], &expected);
    }
    let bodies: Vec<Vec<f64>> = (0..4).map(|axis| scattered(8, 8 + axis)).collect();
    let mut expected = [[0.0; 8]; 3];
    for i in 0..8 {
        for j in 0..8 {
            let d = [0, 1, 2].map(|axis: usize| bodies[axis][j] - bodies[axis][i]);
            let r = d.iter().map(|x| x * x).sum::<f64>() + 1e-4;
            (0..3).for_each(|axis| expected[axis][i] += bodies[3][j] / (r * r.sqrt()) * d[axis]);
        }
    }
    let arguments: Vec<String> = bodies.iter().map(|axis| text_of(axis)).collect();
    computes("nbody", &arguments, &expected.concat());
}

#[test]
fn points_that_escape() {
    let (width, height, limit) = (23, 17, 40);
    let centre = |low: f64, high: f64, n: usize, i: usize| low + (high - low) * (i as f64 + 0.5) / n as f64;
    let escape = |c: (f64, f64)| {
        let (mut z, mut steps) = ((0.0, 0.0), 0);
        while steps < limit && z.0 * z.0 + z.1 * z.1 <= 4.0 {
            z = (z.0 * z.0 - z.1 * z.1 + c.0, 2.0 * z.0 * z.1 + c.1);
            steps += 1;
        }
        f64::from(steps)
    };
    let places = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
    let points = places.map(|(i, j)| (centre(-2.0, 1.0, width, j), centre(-1.2, 1.2, height, i)));
    let expected: Vec<f64> = points.map(escape).collect();
    assert!(expected.contains(&40.0) && expected.contains(&1.0), "{expected:?}");
    computes("mandelbrot", &[width, height, 40].map(|n| n.to_string()), &expected);
}

#[test]
fn shortest_paths() {
    let mut paths = table(43, 43, 12);
    let arguments = [table_of(&paths)];
    for k in 0..43 {
        let onward = paths[k].clone();
        for from in &mut paths {
            let by = from[k];
            from.iter_mut().zip(&onward).for_each(|(path, onward)| *path = path.min(by + onward));
        }
    }
    computes("floyd", &arguments, &paths.concat());
}

#[test]
fn tridiagonal_systems() {
    let (systems, unknowns) = (5, 9);
    let beside = |seed| table(systems, unknowns, seed);
    let (lower, upper, solutions) = (beside(13), beside(14), beside(15));
    let diagonal: Vec<Vec<f64>> = beside(16).iter().map(|row| row.iter().map(|v| v + 2.5).collect()).collect();
    let right: Vec<Vec<f64>> = (0..systems)
        .map(|s| {
            let x = |i: usize| solutions[s].get(i).copied().unwrap_or(0.0);
            let equation =
                |i: usize| lower[s][i] * x(i.wrapping_sub(1)) + diagonal[s][i] * x(i) + upper[s][i] * x(i + 1);
            (0..unknowns).map(equation).collect()
        })
        .collect();
    let arguments = [lower, diagonal, upper, right].map(|rows| table_of(&rows));
    computes("tridiagonal", &arguments, &solutions.concat());
}

/// A cube as its planes, one row after the other in each.
struct Cube {
    side: usize,
    elements: Vec<f64>,
}

impl Cube {
    fn new(side: usize, element: impl Fn([usize; 3]) -> f64) -> Cube {
        let elements =
            (0..side * side * side).map(|at| element([at / side / side, at / side % side, at % side])).collect();
        Cube { side, elements }
    }

    fn at(&self, place: [usize; 3]) -> f64 {
        self.elements[(place[0] * self.side + place[1]) * self.side + place[2]]
    }

    /// Each element with its 26 neighbours, weighted by along how many axes they are apart; borders are periodic.
    fn stencil(&self, weights: [f64; 4]) -> Cube {
        let moves = || (0..27usize).map(|at| [at / 9, at / 3 % 3, at % 3]);
        let sum = |place: [usize; 3]| {
            let weighted = |by: [usize; 3]| {
                let neighbour = [0, 1, 2].map(|axis| (place[axis] + by[axis] + self.side - 1) % self.side);
                weights[by.iter().filter(|&&by| by != 1).count()] * self.at(neighbour)
            };
            moves().map(weighted).sum()
        };
        Cube::new(self.side, sum)
    }

    fn with(&self, other: &Cube, factor: f64) -> Cube {
        let elements = self.elements.iter().zip(&other.elements).map(|(x, y)| x + factor * y).collect();
        Cube { side: self.side, elements }
    }

    /// This less the Laplacian of a solution.
    fn residual(&self, solution: &Cube) -> Cube {
        self.with(&solution.stencil([-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0]), -1.0)
    }

    /// An approximation of the solution for this.
    fn cycle(&self) -> Cube {
        let smooth = [-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0];
        if self.side <= 2 {
            return self.stencil(smooth);
        }
        let means = self.stencil([0.5, 0.25, 0.125, 0.0625]);
        let correction = Cube::new(self.side / 2, |place| means.at(place.map(|i| 2 * i + 1))).cycle();
        let is_odd = |place: [usize; 3]| place.iter().all(|i| i % 2 == 1);
        let spread = |place: [usize; 3]| if is_odd(place) { correction.at(place.map(|i| i / 2)) } else { 0.0 };
        let between = Cube::new(self.side, spread).stencil([1.0, 0.5, 0.25, 0.125]);
        between.with(&self.residual(&between).stencil(smooth), 1.0)
    }
}

#[test]
fn multigrid() {
    let side = 8;
    let values = scattered(side * side * side, 17);
    let charges = Cube { side, elements: values };
    let planes: Vec<String> = charges
        .elements
        .chunks(side * side)
        .map(|plane| table_of(&plane.chunks(side).map(<[f64]>::to_vec).collect::<Vec<_>>()))
        .collect();
    let mut solution = Cube::new(side, |_| 0.0);
    for _ in 0..2 {
        solution = solution.with(&charges.residual(&solution).cycle(), 1.0);
    }
    computes("mg", &[format!("[{}]", planes.join(", ")), "2".into()], &solution.elements);
}

#[test]
fn what_the_examples_compute_too() {
    let place = Place::new();
    let run = |words: &[&str]| numbers(&place.frit(words.iter().copied()).done().succeeded().text());
    let path = |name: &str| project().join(name).to_string_lossy().into_owned();
    let [price, strike, years] = [1, 2, 3].map(|seed| scattered(6, seed).iter().map(|v| v + 0.5).collect::<Vec<f64>>());
    let flags = "[True, False, True, True, False, False]".to_string();
    let arguments = [flags, text_of(&price), text_of(&strike), text_of(&years)];
    let mut words = vec!["run".to_string(), path("examples/p0_options.l0")];
    words.extend_from_slice(&arguments);
    computes("blackscholes", &arguments, &numbers(&place.frit(&words).done().succeeded().text()));
    let (x, y) = (table(7, 48, 4), table(7, 48, 5));
    let (x, y, example) = (table_of(&x), table_of(&y), path("examples/tomcatv.sac"));
    let after = |iterations: &str| run(&["run", &example, "--entry", "tomcatv", &x, &y, iterations]);
    let (one, two) = (after("1"), after("2"));
    let expected = [&two[..672], &[one[672], two[672], one[673], two[673]]].concat();
    computes("tomcatv", &[x, y, "2".into()], &expected);
}

#[test]
fn the_script_of_the_harness() {
    let place = Place::new();
    place.file("x.l0", "fun [real] main(int n) = map(fn real (int i) => toReal(i) / 8.0, iota(n))\n");
    place.frit(["run", "x.l0", "8", "-o", "x.npy"]).prints("");
    let script = project().join("benches/workloads/tool.sh");
    let call = |words: &[&str]| {
        let mut command = Command::new(&script);
        command.args(words).current_dir(place.path(".")).env("FRIT", env!("CARGO_BIN_EXE_frit"));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for language in ["l0", "sac"] {
        let (code, out, err) = call(&[language, "minmax", "3", "x.npy", "--", "least.npy", "greatest.npy"]);
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(out.lines().count(), 3, "{out}");
        let seconds = out.lines().map(|line| line.strip_prefix("kernel_seconds: ").unwrap().parse::<f64>().unwrap());
        assert!(seconds.min_by(f64::total_cmp).is_some_and(|least| least > 0.0), "{out}");
        place.file("both.l0", "fun {real, real} main(real x, real y) = {x, y}\n");
        let both = place.frit(["run", "both.l0", "least.npy", "greatest.npy"]).done().succeeded().text();
        assert_eq!(numbers(&both), [0.0, 0.875]);
    }
    let (code, out, err) = call(&["sac", "nowhere", "3", "x.npy", "--", "y.npy"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("no program in sac for nowhere"), "{err}");
}

/// The text without what stands in brackets.
fn without_subscripts(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|c| {
            depth += i32::from(*c == '[');
            let is_outside = depth == 0;
            depth -= i32::from(*c == ']');
            is_outside
        })
        .collect()
}

/// The loops of a C file that are marked for vectors, by the numbers of their first and last lines; but for those that only copy or fill,
/// of which compilers make calls.
fn loops_for_vectors(c: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = c.lines().collect();
    let is_marked = |line: &str| line.trim_start().starts_with("#pragma omp") && line.contains("simd");
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| is_marked(line)) {
        let first = at + 1;
        let indentation = lines[first].len() - lines[first].trim_start().len();
        let closes = |line: &&str| line.trim() == "}" && line.len() == indentation + 1;
        let last = first + lines[first..].iter().position(closes).expect("loops are closed");
        let computes = |line: &&str| {
            let value = without_subscripts(line.split_once('=').map_or("", |(_, value)| value));
            value.contains([' ', '(']) && value.trim().contains(|c| "+-*/?(<".contains(c))
        };
        if lines[first + 1..last].iter().any(computes) {
            // Lines are counted from 1, and the pragma belongs to the loop.
            found.push((at + 1, last + 1));
        }
    }
    found
}

#[test]
fn all_loops_for_vectors_are_vectorised() {
    let version = Command::new("gcc").arg("--version").output();
    if !cfg!(target_arch = "x86_64") || !version.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: these flags are gcc's on x86-64");
        return;
    }
    let place = Place::new();
    let folder = project().join("benches/workloads");
    let mut loops = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let program = entry.unwrap().path();
        let entry: &[&str] = match program.extension().and_then(|extension| extension.to_str()) {
            Some("l0") => &[],
            // Its entry is for arrays of any rank.
            Some("sac") if program.ends_with("conv.sac") => &["--entry", "run(double[.,.], double, int)"],
            Some("sac") => &["--entry", "run"],
            _ => continue,
        };
        let words = ["build", &program.to_string_lossy(), "-o", "program.c"].map(String::from);
        place.frit(words.iter().map(String::as_str).chain(entry.iter().copied())).done().succeeded();
        let c = String::from_utf8(place.read("program.c")).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args([
            "-O3",
            "-march=x86-64-v3",
            "-fopenmp",
            "-std=gnu11",
            "-fwrapv",
            "-fno-math-errno",
            "-fno-trapping-math",
        ]);
        // The report is complete before what these leave out.
        gcc.args(["-fno-gcse", "-fno-schedule-insns2", "-fira-region=one", "-fno-ivopts", "-fno-tree-slp-vectorize"]);
        gcc.args(["-fopt-info-vec-optimized-missed", "-S", "-o", "/dev/null"]).arg(place.path("program.c"));
        let report = String::from_utf8_lossy(&gcc.output().unwrap().stderr).into_owned();
        let line_of = |message: &str| message.split(':').nth(1)?.parse::<usize>().ok();
        let lines_with = |text: &str| -> Vec<usize> {
            report.lines().filter(|line| line.contains(text)).filter_map(line_of).collect()
        };
        let (vectorised, scalar) = (lines_with("loop vectorized"), lines_with("couldn't vectorize loop"));
        for (first, last) in loops_for_vectors(&c) {
            let has = |lines: &[usize]| lines.iter().any(|line| (first..=last).contains(line));
            // The compiler may know that a loop runs but once, and then there is none.
            let is_vectorised = has(&vectorised) || !has(&scalar);
            let text: Vec<&str> = c.lines().skip(first - 1).take(last + 1 - first).collect();
            assert!(is_vectorised, "{}: no vectors for\n{}", program.display(), text.join("\n"));
            loops += usize::from(has(&vectorised));
        }
    }
    assert!(loops >= 50, "only {loops} loops are for vectors");
}
