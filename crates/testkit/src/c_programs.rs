//! Random affine C programs: a function with a region of loop nests, in the form of the kernels of [`crate::c_harness`].
//!
//! Programs are right by construction. Every array knows which of its elements are ready to be read, a box that grows with the size
//! parameters; a subscript narrows the range of the loop variable in it until it stays in that box. So no program reads what was never
//! written or leaves an array, whatever the sizes (from 1). Signed integers are masked when they are stored, other integers wrap round;
//! factors of floating-point numbers are at most 1.
//!
//! Most nests read what the nests before them have made, at constant distances: fusing them pays.

pub mod idioms;
mod nests;

use crate::c_harness::{self, Kernel};
use frit_support::Random;
use std::fmt::Write;

/// A program and how to call it.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The file: header, then a function with a region; no `main`.
    pub source: String,
    /// What the header says.
    pub kernel: Kernel,
}

/// The program of this number.
pub fn generate(seed: u64) -> CProgram {
    generate_with(seed, NESTS)
}

/// A program of few nests, planned in a fifth of the time that others take: for tests of many thousands.
pub fn generate_short(seed: u64) -> CProgram {
    generate_with(seed, FEW_NESTS)
}

fn generate_with(seed: u64, nests: usize) -> CProgram {
    let source = Generator::new(seed).program(seed, nests);
    let kernel = Kernel::parse(&source).expect("the generator writes headers that can be read");
    CProgram { source, kernel }
}

/// A complete C program that calls all of these: much faster to compile than one program for each.
///
/// It writes a line for each program and set of sizes, which begins with the name of the function and tells a hash for each array.
pub fn batch(programs: &[CProgram]) -> Result<String, String> {
    let sources: Vec<_> = programs.iter().map(|program| (&program.kernel, program.source.as_str())).collect();
    c_harness::batch(&sources)
}

/// The names of the size parameters.
const SIZES: [&str; 3] = ["n", "m", "p"];
/// How much longer than a size parameters are along each dimension.
const SLACK: i64 = 8;
/// The largest value of a size parameter.
const LARGEST: i64 = 18;
/// The most nests of a program; pairs and triples of nests that make one array count once.
const NESTS: usize = 7;
/// The most nests of a short program.
const FEW_NESTS: usize = 3;

/// A length: `scale` times a size parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Axis {
    scale: i64,
    size: usize,
}

impl Axis {
    /// The length plus a constant.
    fn plus(self, constant: i64) -> String {
        let size = SIZES[self.size];
        let length = if self.scale == 1 { size.to_string() } else { format!("{} * {size}", self.scale) };
        plus(&length, constant)
    }
}

/// `text + constant`.
fn plus(text: &str, constant: i64) -> String {
    match constant {
        0 => text.to_string(),
        1.. => format!("{text} + {constant}"),
        _ => format!("{text} - {}", -constant),
    }
}

/// From `low` to the length of the axis plus `high`, not included.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Range {
    low: i64,
    high: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Param {
        is_output: bool,
    },
    /// Declared in front of the region, or in it.
    Local {
        in_region: bool,
    },
    /// From `malloc`, as a pointer to elements; freed behind the region, or in it.
    Heap {
        in_region: bool,
    },
}

struct Array {
    name: String,
    elem: &'static str,
    home: Home,
    axes: Vec<Axis>,
    /// How many more elements than its length each axis has.
    slack: Vec<i64>,
    /// The elements that have values.
    ready: Vec<Range>,
    /// Subscripts are one sum: `a[i * m + j]`.
    is_linear: bool,
    is_read: bool,
}

impl Array {
    fn extents(&self) -> Vec<String> {
        self.axes.iter().zip(&self.slack).map(|(axis, slack)| axis.plus(*slack)).collect()
    }

    /// The number of elements.
    fn count(&self) -> String {
        self.extents().iter().map(|extent| format!("({extent})")).collect::<Vec<_>>().join("*")
    }

    fn element(&self, subscripts: &[String]) -> String {
        if !self.is_linear {
            return format!("{}[{}]", self.name, subscripts.join("]["));
        }
        let mut sum = subscripts[0].clone();
        for (subscript, extent) in subscripts.iter().zip(self.extents()).skip(1) {
            let factor = |text: &str| if text.contains(' ') { format!("({text})") } else { text.to_string() };
            sum = format!("{} * {} + {subscript}", factor(&sum), factor(&extent));
        }
        format!("{}[{sum}]", self.name)
    }
}

/// A loop variable.
#[derive(Clone)]
struct Var {
    name: &'static str,
    axis: Axis,
    range: Range,
}

/// What a nest is made of.
enum Item {
    Line(String),
    /// `for (...)` or `if (...)` and what is under it.
    Block(String, Vec<Item>),
}

/// How the elements of a new array are visited.
#[derive(Clone, Copy)]
struct Walk {
    step: i64,
    /// Where in the step it begins.
    start: i64,
    is_reversed: bool,
}

const FORWARD: Walk = Walk { step: 1, start: 0, is_reversed: false };

struct Generator {
    random: Random,
    is_float: bool,
    sizes: usize,
    arrays: Vec<Array>,
    /// Scalars that have values: floating-point or unsigned numbers.
    scalars: Vec<String>,
    has_function: bool,
    /// Loop variables are declared in front of the region.
    has_outer_variables: bool,
    body: Vec<Item>,
    before: Vec<String>,
    after: Vec<String>,
    names: usize,
    seed: u64,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
        let is_float = random.chance(60);
        let sizes = random.between(1, 3) as usize;
        let (has_function, has_outer_variables) = (random.chance(15), random.chance(15));
        Generator {
            random,
            is_float,
            sizes,
            arrays: Vec::new(),
            scalars: Vec::new(),
            has_function,
            has_outer_variables,
            body: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            names: 0,
            seed,
        }
    }

    fn program(mut self, seed: u64, most_nests: usize) -> String {
        for index in 0..self.random.between(1, 3) {
            self.param(&format!("in{index}"), false);
        }
        for index in 0..self.random.between(1, 2) {
            self.param(&format!("out{index}"), true);
        }
        let nests = 2 + self.random.below(most_nests - 1);
        for _ in 0..nests {
            self.nest();
            if self.random.chance(12) {
                self.isolated();
            }
        }
        // What was made and never read would only be left out.
        for array in 0..self.arrays.len() {
            if !self.arrays[array].is_read && !matches!(self.arrays[array].home, Home::Param { .. }) {
                self.map(Some(array), true);
            }
        }
        self.print(seed)
    }

    fn param(&mut self, name: &str, is_output: bool) {
        let rank = self.random.of(&[1, 1, 2, 2, 2, 3]);
        let axes: Vec<Axis> = (0..rank)
            .map(|axis| {
                // Mostly a size for each dimension, so that arrays go together; square ones now and then.
                let size = if self.random.chance(15) { 0 } else { axis % self.sizes };
                Axis { scale: if self.random.chance(8) { 2 } else { 1 }, size }
            })
            .collect();
        let elem = self.elem();
        let is_linear = rank == 1 || self.random.chance(30);
        self.arrays.push(Array {
            name: name.to_string(),
            elem,
            home: Home::Param { is_output },
            slack: vec![SLACK; axes.len()],
            ready: vec![Range { low: 0, high: SLACK }; axes.len()],
            axes,
            is_linear,
            is_read: false,
        });
    }

    fn elem(&mut self) -> &'static str {
        let choices: &[&'static str] = if self.is_float {
            &["float", "float", "float", "double"]
        } else {
            &["int", "int", "unsigned", "uint8_t", "int16_t", "long"]
        };
        self.random.of(choices)
    }

    /// The type of sums.
    fn sum_elem(&self) -> &'static str {
        if self.is_float { "double" } else { "unsigned" }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A new array, ready in these ranges.
    fn temporary(&mut self, elem: &'static str, axes: Vec<Axis>, ready: Vec<Range>) -> usize {
        let rank = axes.len();
        let home = match self.random.below(10) {
            0..5 => Home::Local { in_region: false },
            5..7 => Home::Local { in_region: true },
            7..9 => Home::Heap { in_region: false },
            _ => Home::Heap { in_region: true },
        };
        let slack =
            ready.iter().map(|range| range.high.max(range.low).max(0) + self.random.of(&[0, 0, 1, 2])).collect();
        let name = self.name("t");
        let is_linear = rank == 1 || matches!(home, Home::Heap { .. }) || self.random.chance(20);
        self.arrays.push(Array { name, elem, home, axes, slack, ready, is_linear, is_read: false });
        let array = self.arrays.len() - 1;
        let line = self.declaration(array);
        match home {
            Home::Local { in_region: true } | Home::Heap { in_region: true } => self.body.push(Item::Line(line)),
            _ => self.before.push(line),
        }
        if let Home::Heap { in_region: false } = home {
            self.after.push(format!("free({});", self.arrays[array].name));
        }
        array
    }

    fn declaration(&self, array: usize) -> String {
        let Array { name, elem, home, .. } = &self.arrays[array];
        let array = &self.arrays[array];
        match home {
            Home::Heap { .. } => format!("{elem} *restrict {name} = malloc(sizeof({elem}) * {});", array.count()),
            _ if array.is_linear => format!("{elem} {name}[{}];", array.count()),
            _ => format!("{elem} {name}[{}];", array.extents().join("][")),
        }
    }

    /// Loop variables for these axes.
    fn vars(&mut self, axes: &[Axis]) -> Vec<Var> {
        let names = ["i", "j", "k"];
        let high = self.random.between(0, 3);
        axes.iter().zip(names).map(|(axis, name)| Var { name, axis: *axis, range: Range { low: 0, high } }).collect()
    }

    /// A distance between a producer and its consumer.
    fn offset(&mut self) -> i64 {
        self.random.of(&[0, 0, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1, -1, 2, -2, -3])
    }

    /// Subscripts of an array in these loops, which are narrowed so that they stay in the box; or none, if the loops do not suit.
    /// `tap` is the name of a variable that is added to the last subscript, and what it stays below.
    fn subscripts(
        &mut self,
        vars: &mut [Var],
        array: usize,
        boxes: &[Range],
        is_shifted: bool,
        tap: Option<(&str, i64)>,
    ) -> Option<Vec<String>> {
        let axes = self.arrays[array].axes.clone();
        let mut taken = vec![false; vars.len()];
        let mut subscripts = Vec::new();
        let mut narrowed = vars.to_vec();
        for (at, (axis, ready)) in axes.iter().zip(boxes).enumerate() {
            let suits = |var: &Var| var.axis.size == axis.size && axis.scale % var.axis.scale == 0;
            let free = (0..vars.len()).find(|index| suits(&vars[*index]) && !taken[*index]);
            let Some(index) = free.or_else(|| (0..vars.len()).find(|index| suits(&vars[*index]))) else {
                // An element that is there whatever the size.
                if ready.low >= axis.scale + ready.high {
                    return None;
                }
                subscripts.push(self.random.between(ready.low, axis.scale + ready.high - 1).to_string());
                continue;
            };
            taken[index] = true;
            let var = &mut narrowed[index];
            let constant = if is_shifted { self.offset() } else { 0 };
            let factor = axis.scale / var.axis.scale;
            let tap = tap.filter(|_| at + 1 == axes.len());
            if is_shifted && factor == 1 && tap.is_none() && self.random.chance(3) {
                // The other way round.
                var.range.low = var.range.low.max(constant - ready.high);
                var.range.high = var.range.high.min(constant - ready.low);
                subscripts.push(format!("{} - {}", axis.plus(constant - 1), var.name));
                continue;
            }
            let reach = tap.map_or(0, |(_, end)| end - 1);
            var.range.low = var.range.low.max(-(constant - ready.low).div_euclid(factor));
            var.range.high = var.range.high.min((ready.high - 1 - constant - reach).div_euclid(factor) + 1);
            let scaled = if factor == 1 { var.name.to_string() } else { format!("{factor} * {}", var.name) };
            let sum = tap.map_or(scaled.clone(), |(name, _)| format!("{scaled} + {name}"));
            subscripts.push(plus(&sum, constant));
        }
        vars.clone_from_slice(&narrowed);
        Some(subscripts)
    }

    /// A read of an array in these loops.
    fn read(&mut self, vars: &mut [Var], array: usize, tap: Option<(&str, i64)>) -> Option<String> {
        let ready = self.arrays[array].ready.clone();
        let subscripts = self.subscripts(vars, array, &ready, true, tap)?;
        self.arrays[array].is_read = true;
        Some(self.arrays[array].element(&subscripts))
    }

    /// An array to read: mostly one of the last.
    fn source(&mut self) -> usize {
        let made: Vec<usize> = (0..self.arrays.len()).filter(|a| self.is_temporary(*a)).collect();
        match made.last() {
            Some(last) if self.random.chance(60) => *last,
            Some(_) if self.random.chance(50) => self.random.of(&made),
            _ => self.random.below(self.arrays.len()),
        }
    }

    fn is_temporary(&self, array: usize) -> bool {
        !matches!(self.arrays[array].home, Home::Param { .. })
    }

    /// Some reads in these loops, of `first` among them.
    fn reads(&mut self, vars: &mut [Var], first: Option<usize>) -> Vec<String> {
        let mut reads = Vec::new();
        let mut array = first;
        for _ in 0..self.random.between(1, 3) {
            let chosen = array.take().unwrap_or_else(|| self.source());
            for _ in 0..self.random.of(&[1, 1, 2, 3]) {
                reads.extend(self.read(vars, chosen, None));
            }
        }
        reads
    }

    /// An expression of these.
    fn value(&mut self, reads: &[String], vars: &[Var]) -> String {
        let mut terms: Vec<String> = Vec::new();
        for (at, read) in reads.iter().enumerate() {
            let term = match (self.is_float, self.random.below(6)) {
                (true, 0) if at > 0 => format!("0.125f * {read}"),
                (true, 1) => format!("-0.25f * {read}"),
                (true, 2) if self.has_function => format!("bend_{}({read})", self.seed),
                (true, 3) => format!("0.25f * fabsf((float){read})"),
                (true, _) => format!("{} * {read}", self.random.of(&["0.5f", "0.25f", "0.375f"])),
                (false, 0) => format!("({read} & 255) * {}", self.random.between(2, 9)),
                (false, 1) => format!("({read} >> {})", self.random.between(1, 3)),
                (false, 2) if self.has_function => format!("bend_{}((int)({read} & 1023))", self.seed),
                (false, 3) => format!("({read} ^ {})", self.random.between(1, 31)),
                (false, _) => read.clone(),
            };
            terms.push(term);
        }
        if !self.scalars.is_empty() && self.random.chance(30) {
            let scalars: Vec<&str> = self.scalars.iter().map(String::as_str).collect();
            let at = self.random.below(scalars.len());
            terms.push(if self.is_float { format!("0.25 * {}", scalars[at]) } else { scalars[at].to_string() });
        }
        if terms.is_empty() || self.random.chance(10) {
            let at = self.random.below(vars.len() + 1);
            terms.push(match (vars.get(at), self.is_float) {
                (Some(var), true) => format!("0.125f * (float)({} % 5)", var.name),
                (Some(var), false) => format!("{} % 7", var.name),
                (None, true) => format!("0.{}f", self.random.between(1, 9)),
                (None, false) => self.random.between(1, 99).to_string(),
            });
        }
        terms.join(if !self.is_float && self.random.chance(20) { " - " } else { " + " })
    }

    /// The value as it may be stored in an element of this type.
    fn stored(&mut self, elem: &str, value: &str) -> String {
        match elem {
            "int" | "long" if self.random.chance(50) => format!("({elem})(({value}) % 997)"),
            "int" | "long" => format!("({elem})(({value}) & 1023)"),
            "int16_t" => format!("(int16_t)(({value}) & 0x1ff)"),
            "uint8_t" => format!("(uint8_t)({value})"),
            _ => value.to_string(),
        }
    }

    /// An affine condition on the loop variables, or one on data.
    fn condition(&mut self, vars: &[Var], reads: &[String]) -> String {
        let var = self.random.below(vars.len());
        let Var { name, axis, .. } = &vars[var];
        let other = vars[self.random.below(vars.len())].name;
        match self.random.below(7) {
            0 => format!("{name} > {}", self.random.between(0, 4)),
            1 => format!("{name} < {}", axis.plus(-self.random.between(1, 3))),
            2 => format!("({name} + {other}) % 2 == 0"),
            3 => format!("{name} == {} || {name} >= {}", self.random.between(0, 3), axis.plus(-2)),
            4 if other != *name => format!("{name} <= {other}"),
            5 if !reads.is_empty() => format!("{} > 0", reads[0]),
            _ => format!("{name} % {} != 1", self.random.between(2, 3)),
        }
    }

    /// Narrows a loop a bit for no reason: headers need not agree.
    fn disagree(&mut self, vars: &mut [Var]) {
        for var in vars {
            if self.random.chance(15) {
                var.range.low += self.random.between(1, 2);
            }
            if self.random.chance(15) {
                var.range.high -= self.random.between(1, 2);
            }
        }
    }

    fn header(&self, var: &Var, walk: Walk) -> String {
        let Var { name, axis, range } = var;
        let int = if self.has_outer_variables { "" } else { "int " };
        let step = |up: bool| match (walk.step, up) {
            (1, true) => format!("{name}++"),
            (1, false) => format!("{name}--"),
            (step, true) => format!("{name} += {step}"),
            (step, false) => format!("{name} -= {step}"),
        };
        if walk.is_reversed {
            let first = axis.plus(range.high - 1 - walk.start);
            return format!("for ({int}{name} = {first}; {name} >= {}; {})", range.low, step(false));
        }
        // An inclusive bound now and then.
        let (comparison, end) = if range.low % 3 == 1 { ("<=", range.high - 1) } else { ("<", range.high) };
        let first = range.low + walk.start;
        format!("for ({int}{name} = {first}; {name} {comparison} {}; {})", axis.plus(end), step(true))
    }

    /// The items in these loops, the first variable outermost.
    fn wrap(&self, vars: &[Var], walks: &[Walk], mut items: Vec<Item>) -> Item {
        for (var, walk) in vars.iter().zip(walks).rev() {
            items = vec![Item::Block(self.header(var, *walk), items)];
        }
        items.pop().expect("a nest has a loop")
    }

    /// Some loops may run the other way, where it does not matter.
    fn walks(&mut self, vars: &[Var]) -> Vec<Walk> {
        vars.iter().map(|_| Walk { is_reversed: self.random.chance(8), ..FORWARD }).collect()
    }

    /// The axes of a nest that reads an array.
    fn axes(&mut self, array: usize) -> Vec<Axis> {
        let mut axes = self.arrays[array].axes.clone();
        for axis in &mut axes {
            // A coarser loop, with a factor in the subscripts.
            if axis.scale % 2 == 0 && self.random.chance(50) {
                axis.scale /= 2;
            }
        }
        if axes.len() < 3 && self.random.chance(8) {
            let size = self.random.below(self.sizes);
            axes.push(Axis { scale: 1, size });
        }
        axes
    }

    fn print(mut self, seed: u64) -> String {
        let sizes = &SIZES[..self.sizes];
        let mut text = format!("// function: program_{seed}\n");
        for (low, high) in [(12, LARGEST), (2, 5), (1, 2)] {
            let values: Vec<String> =
                sizes.iter().map(|size| format!("{size}={}", self.random.between(low, high))).collect();
            let _ = writeln!(text, "// sizes: {}", values.join(", "));
        }
        let params = |is_wanted: fn(bool) -> bool| {
            self.arrays.iter().filter(move |array| match array.home {
                Home::Param { is_output } => is_wanted(is_output),
                _ => false,
            })
        };
        let counts: Vec<String> = params(|_| true).map(|a| format!("{}={}", a.name, a.count())).collect();
        let outputs: Vec<&str> = params(|is_output| is_output).map(|a| a.name.as_str()).collect();
        let sums = self.scalars.len();
        let sum_elem = self.sum_elem();
        let _ = writeln!(text, "// arrays: {}, sums={}", counts.join(", "), sums + 1);
        let _ = writeln!(text, "// output: {}, sums", outputs.join(", "));
        text += "\n#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n\n";
        if self.has_function && self.is_float {
            let _ = writeln!(
                text,
                "static inline float bend_{seed}(float x)\n{{\n    return x > 0.0f ? 0.5f * x : 0.25f * x;\n}}\n"
            );
        } else if self.has_function {
            let _ =
                writeln!(text, "static inline int bend_{seed}(int x)\n{{\n    return (x * 5 ^ x >> 2) & 511;\n}}\n");
        }
        let restrict = if self.random.chance(90) { "restrict " } else { "" };
        let mut list: Vec<String> = sizes.iter().map(|size| format!("int {size}")).collect();
        for array in params(|_| true) {
            let constant = if array.home == (Home::Param { is_output: false }) { "const " } else { "" };
            let Array { name, elem, .. } = array;
            list.push(if array.is_linear {
                format!("{constant}{elem} *{restrict}{name}")
            } else {
                format!("{constant}{elem} {name}[{restrict}{}]", array.extents().join("]["))
            });
        }
        list.push(format!("{sum_elem} *{restrict}sums"));
        let _ = writeln!(text, "void program_{seed}({})\n{{", list.join(", "));
        if self.has_outer_variables {
            text += "    int i, j, k;\n";
        }
        for line in &self.before {
            let _ = writeln!(text, "    {line}");
        }
        text += "#pragma scop\n";
        for (at, scalar) in self.scalars.iter().enumerate() {
            self.body.push(Item::Line(format!("sums[{at}] = {scalar};")));
        }
        for array in &self.arrays {
            if let Home::Heap { in_region: true } = array.home {
                self.body.push(Item::Line(format!("free({});", array.name)));
            }
        }
        for item in &self.body {
            print_item(&mut text, item, 1);
        }
        text += "#pragma endscop\n";
        for line in &self.after {
            let _ = writeln!(text, "    {line}");
        }
        text + "}\n"
    }
}

fn print_item(text: &mut String, item: &Item, depth: usize) {
    let indent = "    ".repeat(depth);
    match item {
        Item::Line(line) => {
            let _ = writeln!(text, "{indent}{line}");
        }
        Item::Block(head, items) => {
            let needs_braces = items.len() > 1 || head.starts_with("if");
            let _ = writeln!(text, "{indent}{head}{}", if needs_braces { " {" } else { "" });
            for item in items {
                print_item(text, item, depth + 1);
            }
            if needs_braces {
                let _ = writeln!(text, "{indent}}}");
            }
        }
    }
}
