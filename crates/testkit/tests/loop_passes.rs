//! Random programs that passes on loops reshape, on inputs large enough for them: histograms, contractions, recurrences down columns,
//! reductions, scans and transposes give the same results interpreted as written and compiled, on one thread and on several.

use frit_driver::explain::{self, Request};
use frit_driver::machine::{Caches, Target};
use frit_driver::{Engine, Error, Level, Options, Unit, error::Kind};
use frit_support::{Random, random};
use std::fmt::Write;

/// Threads start although there is little to do.
fn target() -> Target {
    Target { region_work: 1 << 10, ..Target::default() }
}

/// A vector of this many small numbers.
fn vector(random: &mut Random, count: usize) -> String {
    let numbers: Vec<String> = (0..count).map(|_| random.between(-9, 9).to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn matrix(random: &mut Random, rows: usize, columns: usize) -> String {
    let rows: Vec<String> = (0..rows).map(|_| vector(random, columns)).collect();
    format!("[{}]", rows.join(", "))
}

/// What became of the programs of one sort.
#[derive(Default)]
struct Tally {
    programs: usize,
    reshaped: usize,
    failed: usize,
}

/// Compares programs for the step of this name, which are made with their inputs.
fn compare(step: &str, generate: fn(&mut Random) -> (String, String)) -> Tally {
    let mut random = Random::new(random::seed());
    let mut tally = Tally { programs: random::cases(18), ..Tally::default() };
    let made: Vec<(String, String)> = (0..tally.programs).map(|_| generate(&mut random)).collect();
    let load = |(source, _): &(String, String)| {
        frit_driver::load_l0("generated.l0", source).unwrap_or_else(|error| panic!("{error}\n{source}"))
    };
    let units: Vec<Unit> = made.iter().map(load).collect();
    let options = |level, engine, threads| Options {
        level,
        engine,
        threads,
        verify: true,
        target: Target { caches: Caches { last: 0, ..Caches::USUAL }, ..target() },
        ..Options::default()
    };
    let ways = [
        options(Level::O0, Engine::Interpreter, 1),
        options(Level::O2, Engine::Native, 1),
        options(Level::O2, Engine::Native, 2),
        options(Level::O2, Engine::Native, 3),
    ];
    let all: Vec<(&Unit, &Options)> = units.iter().flat_map(|unit| ways.iter().map(move |way| (unit, way))).collect();
    let mut compiled = frit_driver::compile_all(&all).into_iter();
    for (unit, (source, input)) in units.iter().zip(&made) {
        let mut run = || {
            let arguments = frit_driver::arguments::from_text(unit, "<stdin>", input).expect("the input is right");
            let outcome = compiled.next().expect("each is compiled in each way")?.run(unit, arguments)?;
            Ok(unit.bits(&outcome.results))
        };
        let expected: Result<String, Error> = run();
        tally.failed += usize::from(expected.is_err());
        for Options { threads, .. } in &ways[1..] {
            match (&expected, run()) {
                (Ok(expected), Ok(found)) => assert_eq!(*expected, found, "{threads} threads, {input}\n{source}"),
                (Err(expected), Err(found)) => {
                    assert_eq!(
                        (expected.kind, expected.to_string()),
                        (Kind::Run, found.to_string()),
                        "{input}\n{source}"
                    );
                }
                (expected, found) => panic!("{expected:?}\n{found:?}\n{threads} threads, {input}\n{source}"),
            }
        }
        let options = Options { threads: 2, target: target(), ..Options::default() };
        let explained = explain::explain(unit, &Request::default(), &options).expect("the program is right");
        let mut done = explained.how_loops_run.iter().filter(|decision| decision.word() == "done");
        tally.reshaped += usize::from(done.any(|decision| decision.rule == step));
    }
    tally
}

/// A program with a loop in order that updates two arrays, and its input.
fn histogram(random: &mut Random) -> (String, String) {
    let bins = random.of(&["bins", "5", "64"]);
    let mut source = format!(
        "fun int least(int x, int y) = if x < y then x else y\n\
         fun {{[int],[[int]]}} main(int n, int bins, [real] x) =\n  \
         let codes = map(fn int (int i) => i * {} + 3, iota(n)) in\n  \
         loop ({{one, two}} = {{replicate({bins}, 1000), replicate({bins}, replicate(3, 2))}}) = for i < n do\n",
        random.below(50)
    );
    let ops = [random.of(&["+", "*", "least"]), random.of(&["+", "*"])];
    for _ in 0..1 + random.below(3) {
        // Few places are out of bounds, and only for some sizes.
        let first = random.of(&["codes[i] % 5", "(i + i / 3) % 5", "i / 400", "trunc(x[i % size(0, x)])"]);
        let second = random.of(&["i % 3", "codes[i] / 7 % 3", "i / 600"]);
        let value = random.of(&["1", "i", "codes[i]", "i * i - 5"]);
        let (target, op) = match random.below(2) {
            0 => (format!("one[{first}]"), ops[0]),
            _ => (format!("two[{first}, {second}]"), ops[1]),
        };
        let combined = match op {
            "least" => format!("least({target}, {value})"),
            op => format!("{target} {op} {value}"),
        };
        let _ = writeln!(source, "    let {target} = {combined} in");
    }
    source += "    {one, two}\n  in {one, two}\n";
    let count = [0, 511, 700, 1537, 40_000][random.below(5)];
    (source, format!("{count} 6 [0.5, 3.25, -0.75, 4.0]"))
}

/// A fold for each row of one matrix and each column of another.
fn contraction(random: &mut Random) -> (String, String) {
    let left = random.of(&["a[i, l]", "a[i, l]", "t[l, i]", "a[i, (l + 1) % size(1, a)]"]);
    let right = random.of(&["b[l, j]", "b[l, j]", "c[j, l]", "b[l, j] - c[j, l]", "b[l * l % size(0, b), j]"]);
    let term = random.of(&["x * y", "x + y", "(x - y) * (x - y)", "if l < 9 then x * y else y", "x * y + x"]);
    let (op, unit) = [("op +", "0"), ("least", "1000000"), ("op *", "1")][random.below(3)];
    let cell = random.of(&["s", "s + bias[j]", "least(s, 40)", "s * a[i, 0]", "s - i * j"]);
    let source = format!(
        "fun int least(int x, int y) = if x < y then x else y\n\
         fun [[int]] main([[int]] a, [[int]] t, [[int]] b, [[int]] c, [int] bias) =\n  \
         map(fn [int] (int i) =>\n    map(fn int (int j) =>\n      \
         let s = reduce({op}, {unit}, map(fn int (int l) => let x = {left} in let y = {right} in {term}, iota(size(1, a)))) in\n      \
         {cell},\n    iota(size(0, c))),\n  iota(size(0, a)))\n"
    );
    let [rows, steps, columns] = [70, 45, 150].map(|most| 1 + random.below(most));
    let (a, t) = (matrix(random, rows, steps), matrix(random, steps, rows));
    let (b, c) = (matrix(random, steps, columns), matrix(random, columns, steps));
    let bias = vector(random, columns);
    (source, format!("{a} {t} {b} {c} {bias}"))
}

/// Scans of maps, and what is made of them.
fn scan(random: &mut Random) -> (String, String) {
    let cell = random.of(&[
        "v",
        "v * v - 3",
        "v * i % 7",
        "if v < 0 then 1 else 0",
        "x[(i * i) % size(0, x)] + v",
        "100 / (v + 9)",
    ]);
    let (op, unit) = [("op +", "0"), ("most", "0 - 1000000"), ("op *", "1"), ("least", "40")][random.below(4)];
    let value = random.of(&["s[i]", "s[i] - x[i]", "s[n - 1 - i]", "s[i] * 2 + s[0]"]);
    let source = format!(
        "fun int least(int x, int y) = if x < y then x else y\n\
         fun int most(int x, int y) = if x < y then y else x\n\
         fun {{[int],[int],int}} main(int n, [int] x) =\n  \
         let c = map(fn int (int i) => let v = x[i % size(0, x)] in {cell}, iota(n)) in\n  \
         let s = scan({op}, {unit}, c) in\n  \
         {{s, map(fn int (int i) => {}, iota(n)), reduce(op +, 0, {})}}\n",
        value.replace("x[i]", "c[i]"),
        random.of(&["c", "s", "map(fn int (int i) => s[i] - c[i], iota(n))"])
    );
    let count = [0, 1, 5, 700, 4097, 150_001][random.below(6)];
    let length = 1 + random.below(40);
    let x = vector(random, length);
    (source, format!("{count} {x}"))
}

/// A matrix whose cells are made of another one's columns.
fn transpose(random: &mut Random) -> (String, String) {
    let across = random.of(&["a[j, i]", "a[size(0, a) - 1 - j, i]", "t[i, j]", "a[j, i] - a[j, size(1, a) - 1 - i]"]);
    let along = random.of(&["b[i, j]", "i * j", "b[i, 0]", "(if b[i, j] < 0 then b[i, j] else j)"]);
    let op = random.of(&["+", "-", "*"]);
    let after = random.of(&["c", "map(fn [int] ([int] r) => scan(op +, 0, r), c)", "transpose(0, 1, c)"]);
    let source = format!(
        "fun [[int]] main([[int]] a, [[int]] b) =\n  \
         let t = transpose(0, 1, a) in let c = map(fn [int] (int i) => map(fn int (int j) => {across} {op} {along}, iota(size(0, a))), iota(size(1, a))) in\n  \
         {after}\n"
    );
    let [rows, columns] = [60, 60].map(|most| 1 + random.below(most));
    (source, format!("{} {}", matrix(random, rows, columns), matrix(random, columns, rows)))
}

/// Rows that are computed from the rows before, in place.
fn recurrence(random: &mut Random) -> (String, String) {
    // Often what threads may compute column by column.
    let before = match random.below(3) {
        0 => random.of(&["x[i - 1, (j + 1) % columns]", "x[i / 2, j]", "x[0, j]"]),
        _ => "x[i - 1, j]",
    };
    let there = match random.below(3) {
        0 => random.of(&["x[i, (j + 1) % columns]", "j", "y[i, j]"]),
        _ => "x[i, j]",
    };
    let other = random.of(&["y[i, j]", "y[i - 1, j]", "weights[j]", "t"]);
    let row = format!("map(fn int (int j) => 2 * {before} - {there} + {other}, iota(columns))");
    let second = match random.below(4) {
        0 | 1 => "",
        2 => "    let y[i] = map(fn int (int j) => y[i - 1, j] + x[i, j] % 7, iota(columns)) in\n",
        _ => "    let y[i, 0] = x[i, columns - 1] in\n",
    };
    let source = format!(
        "fun {{*[[int]], *[[int]]}} main(*[[int]] x, *[[int]] y, [int] weights) =\n  \
         let rows = size(0, x) in\n  let columns = size(1, x) in\n  \
         loop ({{x, y}} = {{x, y}}) = for t < rows - 1 do\n    \
         let i = t + 1 in\n    let row = {row} in\n    let x[i] = row in\n{second}    {{x, y}}\n  in {{x, y}}\n"
    );
    let (rows, columns) = (1 + random.below(30), 1 + random.below(120));
    let (x, y) = (matrix(random, rows, columns), matrix(random, rows, columns));
    let weights = vector(random, columns);
    (source, format!("{x} {y} {weights}"))
}

/// Several folds over vectors and their neighbours.
fn reduction(random: &mut Random) -> (String, String) {
    let cells = ["x[i]", "x[i] * y[i]", "x[i + 1] - x[i]", "x[i] * x[i] + y[i + 1]", "i", "x[(i * 3) % size(0, x)]"];
    let folds = [("op +", "0"), ("least", "1000000"), ("op *", "1"), ("op +", "7")];
    let mut fold = || {
        let (op, unit) = folds[random.below(4)];
        format!("reduce({op}, {unit}, map(fn int (int i) => {}, iota(size(0, x) - 1)))", random.of(&cells))
    };
    let source = format!(
        "fun int least(int x, int y) = if x < y then x else y\n\
         fun {{int, int, int}} main([int] x, [int] y) =\n  {{{},\n   {},\n   {}}}\n",
        fold(),
        fold(),
        fold()
    );
    let count = [1, 2, 1023, 1025, 1029, 4000, 9001][random.below(7)];
    (source, format!("{} {}", vector(random, count), vector(random, count)))
}

/// Steps of a stencil of a vector, a matrix or a cube, with fixed or periodic borders, as many as it takes to come to rest, or are asked for.
fn stencil_steps(random: &mut Random) -> (String, String) {
    let rank = [1, 2, 2, 3, 3][random.below(5)];
    let axes: Vec<(&str, String)> =
        ["i", "j", "k"].iter().take(rank).enumerate().map(|(axis, &var)| (var, format!("size({axis}, a)"))).collect();
    let periodic: Vec<bool> = axes.iter().map(|_| random.below(2) == 0).collect();
    let farthest = 1 + random.below(8) / 7;
    let element = |distances: &[i64]| {
        let subscripts =
            axes.iter().zip(&periodic).zip(distances).map(|(((var, extent), periodic), distance)| {
                match (distance, periodic) {
                    (0, _) => (*var).to_owned(),
                    (_, true) => format!("({var} + {distance}) % {extent}"),
                    (_, false) => format!("{var} + {distance}"),
                }
            });
        format!("a[{}]", subscripts.collect::<Vec<String>>().join(", "))
    };
    let own = element(&vec![0; rank]);
    let terms: Vec<String> = (0..2 + random.below(3))
        .map(|_| {
            let span = 2 * farthest + 1;
            let distances: Vec<i64> = (0..rank).map(|_| random.below(span) as i64 - farthest as i64).collect();
            element(&distances)
        })
        .collect();
    let mut cell = format!("({own} + {}) * {}", terms.join(" - "), random.of(&["0.25", "0.5", "0.125"]));
    let inside: Vec<String> = axes
        .iter()
        .zip(&periodic)
        .filter(|(_, periodic)| !**periodic)
        .map(|((var, extent), _)| format!("{} < {var} && {var} < {extent} - {farthest}", farthest - 1))
        .collect();
    if !inside.is_empty() {
        cell = format!("if {} then {cell} else {own}", inside.join(" && "));
    }
    let mut ty = "real".to_owned();
    for (var, extent) in axes.iter().rev() {
        cell = format!("map(fn {ty} (int {var}) => {cell}, iota({extent}))");
        ty = format!("[{ty}]");
    }
    let combine = random.of(&["if p < q then q else p", "if p < q then q else p", "if q < p then q else p", "p + q"]);
    let mut apart = "if u < v then v - u else u - v".to_owned();
    let mut functions = format!("fun real apart0(real u, real v) = {apart}\n");
    let mut inner = "real".to_owned();
    for axis in 1..=rank {
        apart = format!("reduce(fn real (real p, real q) => {combine}, 0.0, map(apart{}, zip(u, v)))", axis - 1);
        inner = format!("[{inner}]");
        functions += &format!("fun real apart{axis}({inner} u, {inner} v) = {apart}\n");
    }
    let body = match random.below(3) {
        0 => "loop (a) = for s < steps do step(a) in {a, 0, 0.0}".to_owned(),
        1 => "loop ({a, made, far} = {a, 0, 1000000.0}) = for s < steps do\n    \
              if rest < far then let b = step(a) in {b, made + 1, APART(a, b)} else {a, made, far}\n  in {a, made, far}"
            .to_owned(),
        // A step may be taken back.
        _ => "loop ({a, made, far} = {a, 0, 1000000.0}) = for s < steps do\n    \
              let b = step(a) in let far = APART(a, b) in if rest < far then {b, made + 1, far} else {a, made, far}\n  \
              in {a, made, far}"
            .to_owned(),
    };
    let body = body.replace("APART", &format!("apart{rank}"));
    let source = format!(
        "{functions}fun {ty} step({ty} a) = {cell}\n\
         fun {{{ty}, int, real}} main({ty} a, int steps, real rest) =\n  {body}\n"
    );
    // Tiles have 2048 elements, 64 rows and 512 columns.
    let shape = match rank {
        1 => vec![[48, 100, 2049, 4100][random.below(4)]],
        2 => vec![[48, 70, 131][random.below(3)], [4, 9, 530][random.below(3)]],
        _ => vec![[48, 50][random.below(2)], [4, 70][random.below(2)], [4, 11][random.below(2)]],
    };
    fn filled(random: &mut Random, shape: &[u64]) -> String {
        match shape {
            // Sums of these are exact.
            [] => format!("{}.0", random.below(19) as i64 - 9),
            [extent, rest @ ..] => {
                let parts: Vec<String> = (0..*extent).map(|_| filled(random, rest)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
    let input = filled(random, &shape);
    let rest = random.of(&["-1.0", "0.5", "2.5", "8.0"]);
    (source, format!("{input} {} {rest}", random.below(7)))
}

#[test]
fn random_steps_of_stencils_agree() {
    // A thread has enough rows.
    let Tally { programs, reshaped, failed } = compare("temporal-blocking", stencil_steps);
    assert!(reshaped >= programs / 3, "only {reshaped} of {programs} programs make two steps at once");
    assert_eq!(failed, 0);
}

#[test]
fn random_histograms_agree() {
    let Tally { programs, reshaped, failed } = compare("privatisation", histogram);
    assert!(reshaped >= programs / 3, "only {reshaped} of {programs} programs had private tables");
    assert!(failed > 0 && failed < programs / 2, "{failed} of {programs} programs failed");
}

#[test]
fn random_contractions_agree() {
    let Tally { programs, reshaped, failed } = compare("blocking", contraction);
    assert!(reshaped >= programs / 2, "only {reshaped} of {programs} programs are computed in blocks");
    assert_eq!(failed, 0);
}

#[test]
fn random_recurrences_agree() {
    let Tally { programs, reshaped, failed } = compare("batched-recurrences", recurrence);
    assert!(reshaped >= programs / 6, "only {reshaped} of {programs} programs are divided by columns");
    assert_eq!(failed, 0);
}

#[test]
fn random_reductions_agree() {
    let Tally { programs, reshaped, failed } = compare("multi-accumulator", reduction);
    assert!(reshaped >= programs / 2, "only {reshaped} of {programs} programs read several streams");
    assert_eq!(failed, 0);
}

#[test]
fn random_scans_agree() {
    let Tally { programs, reshaped, failed } = compare("vectorised-scan", scan);
    assert!(reshaped >= programs / 2, "only {reshaped} of {programs} programs scan in vectors");
    assert!(failed < programs / 2, "{failed} of {programs} programs failed");
}

#[test]
fn random_transposes_agree() {
    let Tally { programs, reshaped, failed } = compare("transpose-tiling", transpose);
    assert!(reshaped >= programs / 2, "only {reshaped} of {programs} programs run in tiles");
    assert_eq!(failed, 0);
}
