//! The programs of `tests/figures`, and the thesis' own: what they print, and how many with-loops and stored arrays the optimiser
//! leaves. `tests/figures/README.md` says how the numbers are found.

use frit_driver::{Engine, Level, Notation, Options, Unit, dump, load, load_call};
use frit_ir::array::{Block, Func, Op, Operand, Operator, Program, Stmt, Value, WithLoopData, parse::parse_program};
use frit_support::with_deep_stack;
use frit_testkit::place::{Scratch, failures, project};
use frit_testkit::run_files::{Case, Input, cases, differences};
use std::collections::BTreeSet;
use std::path::Path;

fn figures() -> Vec<Case> {
    cases(&project().join("tests/figures"))
}

/// The program of a case, entered where the case says.
fn loaded(case: &Case) -> Unit {
    let unit = match &case.input {
        Input::Call(function, words) => load_call(&case.path, function, words).map(|(unit, _)| unit),
        Input::Text(_) | Input::Words(_) => load(&case.path),
    };
    unit.unwrap_or_else(|error| panic!("{error}"))
}

/// A number in a program's header.
fn header(case: &Case, key: &str) -> Option<usize> {
    let prefix = format!("// {key}: ");
    let line = case.source.lines().find_map(|line| line.strip_prefix(&prefix))?;
    Some(line.parse().unwrap_or_else(|_| panic!("{}: `{key}` is no number", case.path.display())))
}

/// What is counted in a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    with_loops: usize,
    intermediates: usize,
    assertions_in_loops: usize,
}

impl Counts {
    fn of(unit: &Unit, step: &str) -> Self {
        let text = dump(unit, step, Notation::Ir, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        with_deep_stack(|| {
            let program: Program = parse_program(&text).expect("a dump can be read");
            let mut counts = Self::default();
            program.funcs.iter().for_each(|(_, func)| counts.add_block(func, &func.body, false));
            counts
        })
    }

    fn add_block(&mut self, func: &Func, block: &Block, in_loop: bool) {
        let yielded = yielded(block);
        for stmt in &block.stmts {
            self.intermediates += stored(func, stmt).filter(|array| !yielded.contains(array)).count();
            self.assertions_in_loops += usize::from(in_loop && matches!(stmt.op, Op::Assert { .. }));
            self.with_loops += usize::from(matches!(stmt.op, Op::With(_)));
            let in_loop = in_loop || matches!(stmt.op, Op::With(_) | Op::Loop(_));
            stmt.op.for_each_block(func, &mut |inner| self.add_block(func, inner, in_loop));
        }
    }
}

/// What a block yields, as it is or as a view.
fn yielded(block: &Block) -> BTreeSet<Value> {
    let mut yielded: BTreeSet<Value> = block.results.iter().copied().filter_map(Operand::value).collect();
    for stmt in block.stmts.iter().rev() {
        if let Op::View { array, .. } = stmt.op
            && yielded.contains(&stmt.results[0])
        {
            yielded.insert(array);
        }
    }
    yielded
}

/// The arrays that a statement writes into memory of their own.
fn stored<'f>(func: &'f Func, stmt: &'f Stmt) -> impl Iterator<Item = Value> + 'f {
    let writes = match &stmt.op {
        Op::With(with_loop) => !only_updates(&func.with_loops[*with_loop]),
        op => matches!(op, Op::Iota { .. } | Op::Replicate { .. } | Op::Concat { .. } | Op::Copy { .. }),
    };
    stmt.results.iter().copied().filter(move |&value| writes && func.ty(value).rank() > 0)
}

/// True if all results are made in the memory of arrays that the with-loop consumes.
fn only_updates(data: &WithLoopData) -> bool {
    data.operators.iter().all(|operator| matches!(operator.op, Operator::ModArray { consumes: true, .. }))
}

/// What `check` finds wrong with all cases.
fn all_differences(cases: &[Case], check: impl Fn(&Case) -> Vec<String> + Sync) -> Vec<String> {
    failures(cases, |case| {
        let name = case.path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        check(case).into_iter().map(|difference| format!("{name}: {difference}")).collect()
    })
}

#[test]
fn figures_print_the_same_interpreted_as_written_and_native_optimised() {
    let options = |level, engine| Options { level, engine, threads: 2, verify: true, ..Options::default() };
    let ways = [
        ("interpreted as written", options(Level::O0, Engine::Interpreter)),
        ("interpreted, optimised", options(Level::O1, Engine::Interpreter)),
        ("native, optimised", options(Level::O1, Engine::Native)),
    ];
    let found = differences(&figures(), &ways);
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

#[test]
fn figures_have_as_many_with_loops_as_they_say() {
    let found = all_differences(&figures(), |case| {
        let unit = loaded(case);
        let (before, after) = (Counts::of(&unit, "simplify"), Counts::of(&unit, "fuse"));
        let counted = [
            ("with-loops before", before.with_loops),
            ("with-loops", after.with_loops),
            ("intermediates", after.intermediates),
            ("assertions in loops", after.assertions_in_loops),
        ];
        let differs = |(key, found)| match header(case, key) {
            Some(expected) => (expected != found).then(|| format!("{key}: {found} instead of {expected}")),
            None => (key.starts_with("with-loops")).then(|| format!("the header has no `{key}`")),
        };
        counted.into_iter().filter_map(differs).collect()
    });
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// Examples whose loops are counted too: with-loops before fusion and after, and whether nothing but the result is stored, and
/// nothing checked in a loop.
const EXAMPLES: [(&str, usize, usize, bool); 6] = [
    ("p0", 3, 1, true),
    // A map of rank two of a reduction.
    ("p1", 7, 2, true),
    ("p2", 9, 2, true),
    // The steps of the sequence; the samples; per sample a map over shares that runs along the dates, with the scan and what it
    // scans in one; the mean over shares of the mean over dates of prices, each a sum over the correlated paths.
    ("option_pricer", 24, 7, false),
    // The strikes with their errors; both grids with all that depends on them alone; per time step and direction a map over lines,
    // with one loop that makes a line's system, and for rows one more after the solution, for what the columns need of it.
    ("volcalib", 25, 8, false),
    // First members; the best, in each generation and at the end; a generation's members; the quotes; per quote the swap rate, bonds
    // with the coupons of three strikes, bounds at three points for three strikes (what does not depend on y, then a loop of Newton's
    // method for each strike), and the points with the sum over payments.
    ("swaption", 83, 15, false),
];

#[test]
fn examples_have_as_few_with_loops_as_they_can() {
    let mut found = Vec::new();
    for (name, before, after, is_all_fused) in EXAMPLES {
        let unit = load(&project().join(format!("examples/{name}.l0"))).unwrap_or_else(|error| panic!("{error}"));
        let optimised = Counts::of(&unit, "fuse");
        let rest = if is_all_fused { Counts::default() } else { optimised };
        let expected = (before, Counts { with_loops: after, ..rest });
        let counted = (Counts::of(&unit, "simplify").with_loops, optimised);
        if counted != expected {
            found.push(format!("{name}: {counted:?} instead of {expected:?}"));
        }
    }
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// Reads a dump again and optimises it once more.
fn optimised_again(optimised: &str, file: &Path) -> String {
    std::fs::write(file, optimised).expect("the temporary folder can be written to");
    let unit = load(file).unwrap_or_else(|error| panic!("{error}"));
    dump(&unit, "fuse", Notation::Ir, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn optimising_again_finds_no_loop_to_merge() {
    let folder = Scratch::new("figures");
    let found = all_differences(&figures(), |case| {
        let unit = loaded(case);
        let once = dump(&unit, "fuse", Notation::Ir, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let file = folder.join(case.path.file_name().expect("a file has a name")).with_extension("ir");
        let again = optimised_again(&once, &file);
        let lines = |text: &str| text.lines().filter(|line| line.contains(": with (")).count();
        let (before, after) = (lines(&once), lines(&again));
        (before != after).then(|| format!("{before} with-loops, then {after}")).into_iter().collect()
    });
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// The figures and rules of [L0], chapters 7 to 10, that are about programs; the others define notation or show dataflow.
const THESIS: [&str; 43] = [
    "FUSE-MAP-MAP",
    "FUSE-MAP-SCAN",
    "FUSE-MAP-REDOMAP",
    "FUSE-FILTER-FILTER",
    "FUSE-FILTER-REDUCE-1",
    "FUSE-FILTER-REDUCE-2",
    "FUSE-FILTER-REDOMAP",
    "FUSE-MAP-TRANSPOSE-MAP-SINGLE",
    "FUSE-TRANSPOSED-CONSUMER",
    "FUSE-RESHAPED-CONSUMER",
    "FUSE-TRANSPOSED-PRODUCER",
    "FUSE-ISWIM-CONSUMER",
    "FUSE-ISWIM-PRODUCER",
    "PUSH-TRANSPOSE",
    "PULL-TRANSPOSE",
    "PULL-RESHAPE",
    "map-reduce fusion",
    "replicate fusion",
    "7.1.2",
    "7.1.3",
    "9.1.2",
    "9.1.3",
    "9.2",
    "figure 18",
    "figure 20",
    "figure 21",
    "figure 22",
    "figure 24",
    "figure 25",
    "figure 26",
    "figure 27",
    "figure 28",
    "figure 29",
    "figure 30",
    "figure 31",
    "figure 32",
    "figure 35",
    "figure 36",
    "figure 37",
    "figure 38",
    "figure 40",
    "figure 43",
    "figure 44",
];

#[test]
fn every_rule_and_figure_of_the_thesis_has_a_program() {
    let figures: Vec<String> = figures().iter().map(|case| case.source.lines().next().unwrap().to_string()).collect();
    let named = |name: &str| {
        figures.iter().any(|line| line.split_once(name).is_some_and(|(_, after)| !after.starts_with(char::is_numeric)))
    };
    let missing: Vec<&str> = THESIS.into_iter().filter(|name| !named(name)).collect();
    assert!(missing.is_empty(), "no program for {missing:?}");
}
