//! Large programs of several shapes, to find out how the time of compiling grows with their length: in each shape a few lines are repeated, with
//! other constants, as often as it takes.

use std::fmt::Write;

/// A shape of large programs.
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// What is repeated.
    pub summary: &'static str,
    /// The entry function in SAC; L0 has `main`.
    pub entry: Option<&'static str>,
    /// The lines of one part.
    lines: usize,
    generate: fn(parts: usize) -> String,
}

impl Shape {
    /// A program of about as many lines.
    pub fn program(&self, lines: usize) -> String {
        (self.generate)((lines / self.lines).max(1))
    }
}

/// The shape of this name.
pub fn shape(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "chain",
        summary: "functions of a few maps, scans, reductions and filters, each called with the result of the one before",
        entry: None,
        lines: 7,
        generate: chain,
    },
    Shape {
        name: "wide",
        summary: "maps, scans and reductions of one vector that do not depend on each other",
        entry: None,
        lines: 4,
        generate: wide,
    },
    Shape {
        name: "rows",
        summary: "nests of loops over matrices, each of the result of the one before",
        entry: None,
        lines: 8,
        generate: rows,
    },
    Shape {
        name: "loops",
        summary: "sequential loops with maps and reductions in them",
        entry: None,
        lines: 6,
        generate: loops,
    },
    Shape {
        name: "functions",
        summary: "recursive functions with maps, scans and reductions in them, which call each other",
        entry: None,
        lines: 7,
        generate: functions,
    },
    Shape {
        name: "scalars",
        summary: "integer arithmetic and branches in a single function",
        entry: None,
        lines: 4,
        generate: scalars,
    },
    Shape {
        name: "updates",
        summary: "elements of a vector read and replaced one by one",
        entry: None,
        lines: 3,
        generate: updates,
    },
    Shape {
        name: "sac",
        summary: "functions in SAC of sums, products and stencils, each called with the result of the one before",
        entry: Some("all(double[.])"),
        lines: 10,
        generate: sac,
    },
    Shape {
        name: "generators",
        summary: "functions in SAC of stencils with periodic borders, each called with the result of the one before",
        entry: Some("all(double[.])"),
        lines: 9,
        generate: generators,
    },
    Shape {
        name: "branches",
        summary: "functions of branches in one another with maps, scans and reductions in them, each called with the result of the one before",
        entry: None,
        lines: 8,
        generate: branches,
    },
];

fn chain(parts: usize) -> String {
    let mut text = String::new();
    for part in 0..parts {
        let rest = match part % 4 {
            0 => {
                "  let s = reduce(op +, 0.0, b) in\n  let t = reduce(op +, 0.0, a) in\n  \
                 map(fn real (real v) => v * s + t, b)"
            }
            1 => {
                "  let c = scan(op +, 0.0, b) in\n  let d = map(op *, zip(a, c)) in\n  map(fn real (real v) => v + 0.5, d)"
            }
            2 => {
                "  let c = map(op *, zip(a, b)) in\n  let d = map(op -, zip(a, c)) in\n  \
                 filter(fn bool (real v) => 0.25 < v, d)"
            }
            _ => "  let s = reduce(op +, 0.0, a) in\n  let d = scan(op +, s, b) in\n  map(op +, zip(d, a))",
        };
        let (factor, term, less) = (part % 7 + 1, part % 5, part % 11);
        let _ = writeln!(
            text,
            "fun [real] step{part}([real] x) =\n  let a = map(fn real (real v) => v * {factor}.5 + {term}.0, x) in\n  \
             let b = map(fn real (real v) => v - {less}.25, a) in\n{rest}"
        );
    }
    text + &calls("[real]", parts)
}

/// The function `main` that calls all steps.
fn calls(ty: &str, parts: usize) -> String {
    let mut text = format!("fun {ty} main({ty} x0) =\n");
    for part in 0..parts {
        let _ = writeln!(text, "  let x{} = step{part}(x{part}) in", part + 1);
    }
    text + &format!("  x{parts}\n")
}

fn wide(parts: usize) -> String {
    let mut text = "fun real main([real] x) =\n".to_string();
    for part in 0..parts {
        let term = part % 5;
        let _ = writeln!(
            text,
            "  let a{part} = map(fn real (real v) => v * {part}.5 + {term}.0, x) in\n  \
             let b{part} = scan(op +, 0.0, a{part}) in\n  \
             let s{part} = reduce(op +, 0.0, map(op *, zip(a{part}, b{part}))) in"
        );
    }
    text.push_str("  let r0 = 0.0 in\n");
    for part in 0..parts {
        let _ = writeln!(text, "  let r{} = r{part} + s{part} in", part + 1);
    }
    text + &format!("  r{parts}\n")
}

fn rows(parts: usize) -> String {
    let mut text = String::new();
    for part in 0..parts {
        let factor = part % 7 + 1;
        let _ = writeln!(
            text,
            "fun [[real]] step{part}([[real]] a) =\n  \
             let t = map(fn [real] ([real] r) => map(fn real (real v) => v * {factor}.5, r), a) in\n  \
             let s = map(fn real ([real] r) => reduce(op +, 0.0, r), t) in\n  \
             let u = map(fn [real] ([real] r, real m) => map(fn real (real v) => v / m, r), zip(t, s)) in\n  \
             let w = transpose(transpose(u)) in\n  \
             let p = map(fn [real] ([real] r, [real] q) => map(op +, zip(r, q)), zip(u, w)) in\n  \
             map(fn [real] ([real] r) => scan(op +, 0.0, r), p)"
        );
    }
    text + &calls("[[real]]", parts)
}

fn loops(parts: usize) -> String {
    let mut text = "fun [real] main(int k, [real] x0) =\n".to_string();
    for part in 0..parts {
        let _ = writeln!(
            text,
            "  let x{} = loop (a = x{part}) = for i < k do\n      let b = map(fn real (real v) => v * {part}.5, a) in\n      \
             let s = reduce(op +, 0.0, b) in\n      map(fn real (real v) => v / s, b)\n    in a in\n",
            part + 1
        );
    }
    text + &format!("  x{parts}\n")
}

fn functions(parts: usize) -> String {
    let mut text = String::new();
    for part in 0..parts {
        let other = if part > 0 { format!(" + f{}(n - 2, a)", part - 1) } else { String::new() };
        let _ = writeln!(
            text,
            "fun real f{part}(int n, [real] x) =\n  if n <= 0 then 0.0 else\n  \
             let a = map(fn real (real v) => v * {part}.5 + toReal(n), x) in\n  let s = reduce(op +, 0.0, a) in\n  \
             let b = scan(op +, s, a) in\n  s + f{part}(n - 1, b){other}\n"
        );
    }
    text + &format!("fun real main(int n, [real] x) = f{}(n, x)\n", parts - 1)
}

fn scalars(parts: usize) -> String {
    let mut text = "fun int main(int x0, int y0) =\n".to_string();
    for part in 0..parts {
        let (next, factor) = (part + 1, part + 3);
        let _ = writeln!(
            text,
            "  let a{part} = if x{part} < y{part} + {part} then x{part} * {factor} else y{part} - x{part} in\n  \
             let b{part} = (a{part} + {part}) % 1000 in\n  let x{next} = b{part} * 3 + y{part} in\n  \
             let y{next} = if b{part} = {part} then a{part} else x{next} - a{part} in"
        );
    }
    text + &format!("  x{parts} + y{parts}\n")
}

fn updates(parts: usize) -> String {
    let mut text = "fun *[int] main(*[int] x) =\n".to_string();
    for part in 0..parts {
        let (next, last) = (part + 1, part + 2);
        let _ = writeln!(
            text,
            "  let x[{part}] = x[{next}] + {part} in\n  let y{part} = x[{part}] * 2 in\n  let x[{last}] = y{part} in"
        );
    }
    text + "  x\n"
}

fn sac(parts: usize) -> String {
    let mut text = "use Array: all;\n\n".to_string();
    for part in 0..parts {
        let (factor, term) = (part % 7 + 1, part % 5);
        let stencil = match part % 3 {
            0 => "{ [i] -> b[i - 1] + b[i] * s | [1] <= [i] < shape(x); [i] -> 0.0 | [i] < shape(x) }",
            1 => "{ [i] -> b[i] * s | [i] < shape(x) }",
            _ => "b * s",
        };
        let _ = writeln!(
            text,
            "double[.] step{part}(double[.] x)\n{{\n  a = x * {factor}.5 + {term}.0;\n  b = a - {term}.25;\n  s = sum(b);\n  \
             c = {stencil};\n  return c + a;\n}}\n"
        );
    }
    text + &all(parts)
}

fn generators(parts: usize) -> String {
    let mut text = "use Array: all;\n\n".to_string();
    for part in 0..parts {
        let (factor, distance) = (part % 7 + 1, part % 3 + 1);
        let _ = writeln!(
            text,
            "double[.] step{part}(double[.] x)\n{{\n  a = rotate(0, 1, x) + rotate(0, -1, x);\n  \
             b = rotate(0, {distance}, a) - x * {factor}.5;\n  s = sum(b);\n  c = rotate(0, -1, b) * s;\n  return c + x;\n}}\n"
        );
    }
    text + &all(parts)
}

/// The function `all` in SAC that calls all steps.
fn all(parts: usize) -> String {
    let mut text = "double[.] all(double[.] x)\n{\n".to_string();
    for part in 0..parts {
        let _ = writeln!(text, "  x = step{part}(x);");
    }
    text + "  return x;\n}\n"
}

fn branches(parts: usize) -> String {
    let mut text = String::new();
    for part in 0..parts {
        let factor = part % 7 + 1;
        let _ = writeln!(
            text,
            "fun [real] step{part}([real] x) =\n  let a = map(fn real (real v) => v * {factor}.5, x) in\n  \
             let s = reduce(op +, 0.0, a) in\n  if s < 0.5 then map(fn real (real v) => v / s, a) else\n  \
             let b = scan(op +, s, a) in\n  if s < {factor}.0 then map(op *, zip(a, b)) else\n  \
             let t = reduce(op +, s, b) in\n  if t < {factor}.5 then b else map(fn real (real v) => v - t, a)"
        );
    }
    text + &calls("[real]", parts)
}
