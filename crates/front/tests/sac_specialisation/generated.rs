//! Functions written at random do what the interpreter of the language says.

use super::{compiled, evaluated, int, ints, program};
use frit_front::sac::specialise::{ParamShape, Request};
use frit_ir::Tensor;
use frit_support::{Random, random, with_deep_stack};

/// Writes functions of branches and loops over scalars, vectors and matrices.
struct Writer {
    random: Random,
    text: String,
    depth: usize,
    loops: usize,
}

impl Writer {
    fn int(&mut self, depth: usize) -> String {
        let leaf = depth == 0;
        match self.random.below(if leaf { 3 } else { 11 }) {
            0 => format!("{}", self.random.below(5)),
            1 | 2 => format!("x{}", self.random.below(3)),
            3 => format!("({} + {})", self.int(depth - 1), self.int(depth - 1)),
            4 => format!("({} - {})", self.int(depth - 1), self.int(depth - 1)),
            5 => format!("({} * {})", self.int(depth - 1), self.random.below(4)),
            6 => format!("sum({})", self.vector(depth - 1)),
            7 => format!("shape({})[0]", self.vector(depth - 1)),
            8 => {
                let v = self.random.below(2);
                format!("v{v}[mod({}, max(shape(v{v})[0], 1))]", self.int(depth - 1))
            }
            9 => format!("({} > {} ? {} : {})", self.int(depth - 1), self.int(0), self.int(depth - 1), self.int(0)),
            _ => format!("shape(m0)[{}]", self.random.below(2)),
        }
    }

    fn vector(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 2 } else { 12 }) {
            0 | 1 => format!("v{}", self.random.below(2)),
            2 => format!("[{}, {}]", self.int(depth - 1), self.int(0)),
            3 => format!("({} + {})", self.vector(depth - 1), self.int(depth - 1)),
            4 => format!("({} ++ [{}])", self.vector(depth - 1), self.int(0)),
            5 => format!("iota(mod({}, 5))", self.int(depth - 1)),
            6 => format!("rotate(0, {}, {})", self.int(0), self.vector(depth - 1)),
            7 => format!("take_apl([mod({}, 4)], {})", self.int(0), self.vector(depth - 1)),
            8 => format!("shape({})", self.matrix(depth - 1)),
            9 => {
                let size = self.int(0);
                format!(
                    "with {{ ([0] <= [i] < [mod({size}, 4)]) : i + {}; }} : genarray([mod({size}, 4)], 0)",
                    self.int(depth - 1)
                )
            }
            10 => format!("({} * {})", self.vector(0), self.vector(0)),
            _ => format!("drop([1], {} ++ [1])", self.vector(depth - 1)),
        }
    }

    fn matrix(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 1 } else { 5 }) {
            0 => format!("m{}", self.random.below(2)),
            1 => format!("transpose({})", self.matrix(depth - 1)),
            2 => format!("({} + {})", self.matrix(depth - 1), self.int(0)),
            3 => {
                let (rows, columns) = (self.int(0), self.random.below(3));
                let cell = self.int(depth - 1);
                format!("with {{ (. <= [i, j] <= .) : i * j + {cell}; }} : genarray([mod({rows}, 3), {columns}], 0)")
            }
            _ => format!("rotate([1], {})", self.matrix(depth - 1)),
        }
    }

    fn stmts(&mut self, count: u64) {
        for _ in 0..count {
            let pad = "  ".repeat(self.depth + 1);
            let can_nest = self.depth < 3;
            let line = match self.random.below(if can_nest { 12 } else { 8 }) {
                0 | 1 => format!("x{} = {};", self.random.below(3), self.int(2)),
                2 | 3 => format!("v{} = {};", self.random.below(2), self.vector(2)),
                4 => format!("m{} = {};", self.random.below(2), self.matrix(2)),
                5 => {
                    let v = self.random.below(2);
                    format!("if (shape(v{v})[0] > 1) {{ v{v}[{}] = {}; }}", self.random.below(2), self.int(1))
                }
                6 => format!("w = {}; x0 += sum(w);", self.vector(1)),
                7 => format!("x{} += {};", self.random.below(3), self.int(1)),
                8 | 9 => {
                    let (x, y) = (self.int(1), self.int(1));
                    self.text += &format!("{pad}if ({x} > {y}) {{\n");
                    self.nested(2);
                    if self.random.below(2) == 0 {
                        self.text += &format!("{pad}}} else {{\n");
                        self.nested(2);
                    }
                    "}".to_string()
                }
                _ => {
                    self.loops += 1;
                    let counter = format!("k{}", self.loops);
                    let bound =
                        if self.random.below(3) == 0 { "2".to_string() } else { format!("mod({}, 4)", self.int(0)) };
                    match self.random.below(3) {
                        0 => self.text += &format!("{pad}for ({counter} = {bound}; {counter} > 0; {counter}--) {{\n"),
                        _ => self.text += &format!("{pad}for ({counter} = 0; {counter} < {bound}; {counter}++) {{\n"),
                    }
                    let (x, y) = (self.random.below(3), self.random.below(3));
                    self.text += &format!("{pad}  x{x} = x{y} + {counter};\n");
                    self.nested(2);
                    "}".to_string()
                }
            };
            self.text += &format!("{pad}{line}\n");
        }
    }

    fn nested(&mut self, count: u64) {
        self.depth += 1;
        self.stmts(count);
        self.depth -= 1;
    }
}

#[test]
fn generated_functions_do_what_the_interpreter_says() {
    let cases = random::cases(40);
    let mut compared = 0;
    for seed in random::seeds(cases) {
        let mut writer = Writer { random: Random::new(seed), text: String::new(), depth: 0, loops: 0 };
        for at in 0..6 {
            writer.text += &format!(
                "int, int, int, int[.], int[.], int[.,.], int[.,.] f{at}(int x0, int[.] v0, int[.,.] m0)\n{{\n"
            );
            writer.text += "  x1 = 1; x2 = x0 + 1; v1 = [3, 4]; m1 = m0 * 2;\n";
            writer.stmts(5);
            writer.text += "  return (x0, x1, x2, v0, v1, m0, m1);\n}\n";
        }
        let source = writer.text;
        compared += with_deep_stack(|| {
            let program = program("test.sac", &source).unwrap_or_else(|errors| panic!("{errors}"));
            let mut compared = 0;
            for (function, data) in program.functions.iter().filter(|(_, data)| data.span.file == 0) {
                for args in [
                    [int(3), ints(&[3], &[5, 1, 2]), ints(&[2, 2], &[1, 2, 3, 4])],
                    [int(-1), ints(&[0], &[]), ints(&[1, 3], &[7, 8, 9])],
                ] {
                    let expected = evaluated(&program, function, &args);
                    let tensors: Vec<Tensor> = args.iter().map(|(_, tensor)| tensor.clone()).collect();
                    for is_known in [true, false] {
                        let extents = |t: &Tensor| t.shape().iter().map(|&n| is_known.then_some(n as i64)).collect();
                        let params = tensors.iter().map(|t| ParamShape { extents: extents(t) }).collect();
                        let found = compiled(&program, Request { function, params }, &tensors);
                        match found {
                            Err(message) if message.starts_with("rank-depends-on-data") => {}
                            found => {
                                compared += 1;
                                assert_eq!(
                                    found,
                                    Ok(expected.clone()),
                                    "{} of seed {seed}, known: {is_known}, {tensors:?}\n{source}",
                                    data.name
                                );
                            }
                        }
                    }
                }
            }
            compared
        });
    }
    assert!(compared > 20 * cases, "only {compared} runs could be compared");
}
