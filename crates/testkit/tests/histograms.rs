//! Random histograms, long enough for private tables, give the same results interpreted as written and compiled, on one thread and
//! on several.

use frit_driver::{Engine, Level, Notation, Options, error::Kind};
use std::fmt::Write;

/// Programs compared.
const PROGRAMS: u64 = 24;

struct Choices(u64);

impl Choices {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

/// A program with a loop in order that updates two arrays, and its input.
fn generate(choices: &mut Choices) -> (String, String) {
    let bins = choices.pick(&["bins", "5", "64"]);
    let mut source = format!(
        "fun int least(int x, int y) = if x < y then x else y\n\
         fun {{[int],[[int]]}} main(int n, int bins, [real] x) =\n  \
         let codes = map(fn int (int i) => i * {} + 3, iota(n)) in\n  \
         loop ({{one, two}} = {{replicate({bins}, 1000), replicate({bins}, replicate(3, 2))}}) = for i < n do\n",
        choices.below(50)
    );
    let ops = [choices.pick(&["+", "*", "least"]), choices.pick(&["+", "*"])];
    for _ in 0..1 + choices.below(3) {
        // Few places are out of bounds, and only for some sizes.
        let first = choices.pick(&["codes[i] % 5", "(i + i / 3) % 5", "i / 400", "trunc(x[i % size(0, x)])"]);
        let second = choices.pick(&["i % 3", "codes[i] / 7 % 3", "i / 600"]);
        let value = choices.pick(&["1", "i", "codes[i]", "i * i - 5"]);
        let (target, op) = match choices.below(2) {
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
    let count = [0, 511, 700, 1537, 40_000][choices.below(5) as usize];
    (source, format!("{count} 6 [0.5, 3.25, -0.75, 4.0]"))
}

#[test]
fn random_histograms_agree() {
    let mut choices = Choices(0x5851_f42d_4c95_7f2d);
    let (mut privatised, mut failed) = (0, 0);
    for _ in 0..PROGRAMS {
        let (source, input) = generate(&mut choices);
        let unit = frit_driver::load_l0("generated.l0", &source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let run = |level, engine, threads| {
            let arguments = frit_driver::arguments::from_text(&unit, "<stdin>", &input).expect("the input is right");
            let options = Options { level, engine, threads, verify: true, ..Options::default() };
            frit_driver::run(&unit, arguments, &options).map(|outcome| unit.bits(&outcome.results))
        };
        let expected = run(Level::O0, Engine::Interpreter, 1);
        failed += u32::from(expected.is_err());
        for threads in [1, 2, 3] {
            match (&expected, run(Level::O2, Engine::Native, threads)) {
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
        let options = Options { threads: 2, ..Options::default() };
        let lowered = frit_driver::dump(&unit, "lower", Notation::Ir, &options);
        privatised += u32::from(lowered.expect("the program is right").contains("step 4 {"));
    }
    assert!(privatised >= PROGRAMS as u32 / 3, "only {privatised} of {PROGRAMS} programs had private tables");
    assert!(failed > 0 && failed < PROGRAMS as u32 / 2, "{failed} of {PROGRAMS} programs failed");
}
