//! Well-typed SAC programs at random, which print what they compute.
//!
//! A program grows from a string of choices, one byte each; when they run out, every choice is 0, which is always the
//! simplest. So a failing program shrinks with its choices.
//!
//! The generator knows the shape of every value, so that what is made fits: programs do not fail. Programs themselves know
//! many extents only at run time, since these come from `UNKNOWN`; shapes of equal extents are written in different ways.
//! Ranks never depend on data, so that programs can be compiled.
//!
//! Statements and functions are made here, arrays and scalars in `expressions`, with-loops in `with_loops`.

mod expressions;
mod with_loops;

use frit_support::random::Choices;
use std::fmt::Write;

/// A number that programs do not know before they run: 1, as there are no words behind the command's name.
const UNKNOWN: &str = "argc()";

/// What kind of programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Flavour {
    /// Use reals. Results are only comparable word for word under strict floating point.
    pub reals: bool,
}

/// The types of elements. Complex numbers and structs have statements of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elem {
    Int,
    Double,
    Bool,
}

impl Elem {
    fn zero(self) -> &'static str {
        match self {
            Elem::Int => "0",
            Elem::Double => "0.0",
            Elem::Bool => "false",
        }
    }
}

/// A variable; its shape is known here, whatever the program knows.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    elem: Elem,
    shape: Vec<usize>,
    /// An index of a with-loop, or a number that a loop counts: not to be assigned.
    is_fixed: bool,
}

/// A component of an index in scope: its text, and from where to where (exclusively) it runs.
#[derive(Clone, Debug)]
struct Component {
    text: String,
    from: i64,
    to: i64,
}

/// An index in scope.
#[derive(Clone, Debug)]
struct IndexVector {
    /// The name of the vector, if it has one.
    vector: Option<String>,
    components: Vec<Component>,
}

struct Generator<'a> {
    choices: Choices<'a>,
    flavour: Flavour,
    scope: Vec<Variable>,
    indices: Vec<IndexVector>,
    /// Ints with a value that the program does not know: name and value.
    extents: Vec<(String, usize)>,
    next_name: usize,
    /// How many sub-expressions may still be made: bounds the size of a program.
    fuel: usize,
    out: String,
    depth: usize,
}

/// The program that these choices make.
pub fn generate(choices: &[u8], flavour: Flavour) -> String {
    generate_batch(&[choices.to_vec()], flavour)
}

/// One program that runs these programs one after the other.
pub fn generate_batch(programs: &[Vec<u8>], flavour: Flavour) -> String {
    let mut source = PRELUDE.to_string();
    let mut calls = String::new();
    for (number, choices) in programs.iter().enumerate() {
        let mut generator = Generator {
            choices: Choices::new(choices),
            flavour,
            scope: Vec::new(),
            indices: Vec::new(),
            extents: Vec::new(),
            next_name: 0,
            fuel: 90,
            out: String::new(),
            depth: 1,
        };
        generator.part();
        let hint = ["", "noinline "][number % 2];
        let _ = write!(source, "\n{hint}int part{number}(int h)\n{{\n{}  return k;\n}}\n", generator.out);
        let _ = writeln!(calls, "  printf(\"part %d\\n\", part{number}({UNKNOWN}));");
    }
    let _ = write!(source, "\nint main()\n{{\n{calls}  return 0;\n}}\n");
    source
}

/// Types, objects and functions that all programs may use: overloads by rank, patterns of shapes, constraints, recursion, several results.
const PRELUDE: &str = "typedef int[2] pair;
struct P { int a; double[2] v; };

inline int twice(int x) { return 2 * x; }
int[*] twice(int[*] a) { return a + a; }
int[d:shp] pick(bool[d:shp] p, int[d:shp] a, int[d:shp] b)
{
  return with { (. <= iv <= .) : p[iv] ? a[iv] : b[iv]; } : genarray(shp, 0);
}
noinline int[n,m] flip(int[m,n] a) { return { [i,j] -> a[j,i] | [i,j] < [n,m] }; }
int[n] blur(int[n] a) | n > 0
{
  return with { ([1] <= [i] < [n - 1]) : (a[i-1] + a[i+1]) / 2; } : modarray(a);
}
int[m,.] scale(int[m,n] a, int[m] s)
{
  r = with ([0] <= [i] < [m]) : with (jv) : a[[i]][jv] * s[i] genarray([n]) genarray([m]);
  return r;
}
int size(int a) { return 1; }
int size(int[.] a) { return shape(a)[0]; }
int size(int[+] a) { s = 0; for (i = 0; i < shape(a)[0]; i++) { s += size(a[i]); } return s; }
int down(int n, int s) { if (n <= 0) { r = s; } else { r = down(n - 1, s + n * n); } return r; }
int, int ends(int[.] a) { return (minval(a), maxval(a)); }
pair (<+>)(pair a, pair b) { return (pair)((int[2])a + (int[2])b); }
int second(pair a) { return ((int[2])a)[1]; }
objdef int tally = down(argc() + 1, 2);
objdef int[.] trail = iota(argc() + 1);
objdef int[3] weights = [argc(), 2, 5];
void bump(int &t, int by) { t = 3 * t + by; }
void note(int[.] &t, int x) { t = [x] ++ take([min(4, shape(t)[0])], t); }
int counted(int x) { bump(tally, x); return x - tally; }
int raised(int &t, int by) { t = t ^ by; return t - by; }
int noted(int x) { if (x > tally) { note(trail, x); } return sum(trail) + weights[mod(x, 3)]; }
noinline int weighed(int x) { return x * weights[mod(x, 3)] + weights[0]; }
";

impl Generator<'_> {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn elem(&mut self) -> Elem {
        match self.choices.below(if self.flavour.reals { 6 } else { 4 }) {
            0..=2 => Elem::Int,
            3 => Elem::Bool,
            _ => Elem::Double,
        }
    }

    /// A shape of a few axes; extents may be 0.
    fn shape(&mut self) -> Vec<usize> {
        let rank = [1, 1, 2, 2, 3][self.choices.below(5)];
        (0..rank).map(|_| [3, 2, 4, 5, 1, 0][self.choices.below(6)]).collect()
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn bind(&mut self, name: &str, elem: Elem, shape: &[usize]) {
        self.scope.retain(|variable| variable.name != name);
        self.scope.push(Variable { name: name.to_string(), elem, shape: shape.to_vec(), is_fixed: false });
    }

    // ---- statements

    fn part(&mut self) {
        // What the text says about `h` is lost on nobody; what it is worth is.
        for value in [3usize, 2, 4] {
            let name = self.fresh("n");
            let text = match self.choices.below(3) {
                0 => format!("h + {}", value - 1),
                1 => format!("{value} * h"),
                _ => format!("{} - h", value + 1),
            };
            self.line(&format!("{name} = {text};"));
            self.extents.push((name.clone(), value));
            self.scope.push(Variable { name, elem: Elem::Int, shape: Vec::new(), is_fixed: true });
        }
        self.line("k = 0;");
        self.bind("k", Elem::Int, &[]);
        for _ in 0..3 + self.choices.below(6) {
            self.statement();
        }
        let shown: Vec<Variable> = self.scope.iter().filter(|variable| !variable.is_fixed).cloned().collect();
        for variable in shown.iter().rev().take(4) {
            self.show(variable);
        }
    }

    fn show(&mut self, variable: &Variable) {
        let name = &variable.name;
        let text = match (variable.elem, variable.shape.is_empty()) {
            (Elem::Int, true) => format!("printf(\"%d\\n\", {name});"),
            (Elem::Double, true) => format!("printf(\"%.15g\\n\", {name});"),
            _ => format!("print({name});"),
        };
        self.line(&text);
    }

    fn statement(&mut self) {
        match self.choices.below(18) {
            0..=5 => self.new_array(),
            6 => self.new_scalar(),
            7 => self.branch(),
            8 => self.counted_loop(),
            9 => self.conditional_loop(),
            10 => self.element_update(),
            11 => self.several_operations(),
            12 => self.several_results(),
            13 if self.flavour.reals => self.complex_numbers(),
            14 => self.structs(),
            15 => self.objects(),
            _ => self.pairs(),
        }
    }

    /// Changes an object.
    fn objects(&mut self) {
        let value = self.scalar(Elem::Int, 2);
        let (function, object) = [("bump", "tally"), ("note", "trail")][self.choices.below(2)];
        self.line(&format!("{function}({object}, {value});"));
    }

    fn new_array(&mut self) {
        let (elem, shape) = (self.elem(), self.shape());
        let value = self.array(elem, &shape, 3);
        let name = self.fresh("a");
        self.line(&format!("{name} = {value};"));
        self.bind(&name, elem, &shape);
    }

    fn new_scalar(&mut self) {
        let elem = self.elem();
        let value = self.scalar(elem, 3);
        let name = self.fresh("s");
        self.line(&format!("{name} = {value};"));
        self.bind(&name, elem, &[]);
    }

    /// A variable that may be assigned, if there is one.
    fn assignable(&mut self) -> Option<Variable> {
        let candidates: Vec<Variable> = self.scope.iter().filter(|variable| !variable.is_fixed).cloned().collect();
        let at = self.choices.below(candidates.len().max(1));
        candidates.get(candidates.len().checked_sub(at + 1)?).cloned()
    }

    /// Assigns a variable a new value of its shape.
    fn assign(&mut self, variable: &Variable) {
        let value = self.value(variable.elem, &variable.shape, 2);
        self.line(&format!("{} = {value};", variable.name));
    }

    fn value(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        if shape.is_empty() { self.scalar(elem, depth) } else { self.array(elem, shape, depth) }
    }

    fn branch(&mut self) {
        let Some(variable) = self.assignable() else { return };
        let condition = self.scalar(Elem::Bool, 2);
        self.line(&format!("if ({condition}) {{"));
        self.depth += 1;
        self.assign(&variable);
        self.depth -= 1;
        if self.choices.below(2) == 1 {
            self.line("} else {");
            self.depth += 1;
            self.assign(&variable);
            self.depth -= 1;
        }
        self.line("}");
    }

    fn counted_loop(&mut self) {
        let Some(variable) = self.assignable() else { return };
        let counter = self.fresh("i");
        let bound = self.extent(3);
        self.line(&format!("for ({counter} = 0; {counter} < {bound}; {counter}++) {{"));
        self.scope.push(Variable { name: counter.clone(), elem: Elem::Int, shape: Vec::new(), is_fixed: true });
        self.depth += 1;
        self.assign(&variable);
        if self.choices.below(2) == 1 {
            self.line(&format!("k += {counter};"));
        }
        self.depth -= 1;
        self.line("}");
        self.scope.retain(|other| other.name != counter);
    }

    fn conditional_loop(&mut self) {
        let Some(variable) = self.assignable() else { return };
        let counter = self.fresh("i");
        let bound = self.extent(2);
        self.line(&format!("{counter} = {bound};"));
        self.scope.push(Variable { name: counter.clone(), elem: Elem::Int, shape: Vec::new(), is_fixed: true });
        let is_do = self.choices.below(2) == 1;
        self.line(&if is_do { "do {".to_string() } else { format!("while ({counter} > 0) {{") });
        self.depth += 1;
        self.assign(&variable);
        self.line(&format!("{counter}--;"));
        self.depth -= 1;
        self.line(&if is_do { format!("}} while ({counter} > 0);") } else { "}".to_string() });
    }

    fn element_update(&mut self) {
        let candidates: Vec<Variable> = self
            .scope
            .iter()
            .filter(|v| !v.is_fixed && !v.shape.is_empty() && v.shape.iter().all(|&extent| extent > 0))
            .cloned()
            .collect();
        let at = self.choices.below(candidates.len().max(1));
        let Some(variable) = candidates.get(at) else { return self.new_array() };
        let length = 1 + self.choices.below(variable.shape.len());
        let index: Vec<String> =
            variable.shape[..length].to_vec().iter().map(|&extent| self.index_below(extent)).collect();
        let index = match self.choices.below(3) {
            0 => index.join(", "),
            1 => format!("[{}]", index.join(", ")),
            _ => index.join("]["),
        };
        let value = self.value(variable.elem, &variable.shape[length..], 2);
        let operator = if variable.elem == Elem::Int && length == variable.shape.len() {
            self.choices.of(&["=", "+=", "-="])
        } else {
            "="
        };
        self.line(&format!("{}[{index}] {operator} {value};", variable.name));
    }

    fn several_results(&mut self) {
        let extent = [3, 2, 4][self.choices.below(3)];
        let vector = self.array(Elem::Int, &[extent], 2);
        let (low, high) = (self.fresh("s"), self.fresh("s"));
        self.line(&format!("{low}, {high} = ends({vector});"));
        self.bind(&low, Elem::Int, &[]);
        self.bind(&high, Elem::Int, &[]);
    }

    fn complex_numbers(&mut self) {
        let extent = [3, 2, 0, 4][self.choices.below(4)];
        let (re, im) = (self.scalar(Elem::Double, 1), self.scalar(Elem::Double, 1));
        let (one, many, real) = (self.fresh("c"), self.fresh("c"), self.fresh("a"));
        self.line(&format!("{one} = toc({re}, {im});"));
        let shape = self.extents_text(&[extent]);
        let operator = self.choices.of(&["+", "-", "*"]);
        let made = match self.choices.below(3) {
            0 => format!("with {{ (. <= iv <= .) : {one} {operator} toc(tod(iv[0])); }} : genarray({shape}, {one})"),
            1 => format!("genarray({shape}, {one}) {operator} {one}"),
            _ => format!("with ([0] <= iv < {shape}) : conj({one}) genarray({shape}, {one})"),
        };
        self.line(&format!("{many} = {made};"));
        if self.choices.below(2) == 1 {
            self.line(&format!("{many} = rotate([1], {many} {operator} {many});"));
        }
        self.line(&format!("{real} = {{ [i] -> real({many}[i]) - imag({many}[i]) | [i] < {shape} }};"));
        self.bind(&real, Elem::Double, &[extent]);
        self.line(&format!("print({one});"));
    }

    fn structs(&mut self) {
        let extent = [3, 2, 4][self.choices.below(3)];
        let (name, all, field) = (self.fresh("p"), self.fresh("p"), self.fresh("a"));
        let number = self.scalar(Elem::Int, 2);
        let literal = match self.choices.below(3) {
            0 => format!("P{{{number}, [1.0, 2.0]}}"),
            1 => format!("P{{.a = {number}, .v = [0.5, 3.0]}}"),
            _ => "P{}".to_string(),
        };
        self.line(&format!("{name} = {literal};"));
        if self.choices.below(2) == 1 {
            self.line(&format!("{name}.a = {name}.a + 1;"));
        }
        let shape = self.extents_text(&[extent]);
        self.line(&format!("{all} = genarray({shape}, {name});"));
        let index = self.index_below(extent);
        match self.choices.below(3) {
            0 => self.line(&format!("{all}[{index}].a = 7;")),
            1 => self.line(&format!("{all}[{index}] = P{{5, [1.0, 4.0]}};")),
            _ => {
                let value = self.array(Elem::Int, &[extent], 1);
                self.line(&format!("{all}.a = {value};"));
            }
        }
        self.line(&format!("{field} = {all}.a;"));
        self.bind(&field, Elem::Int, &[extent]);
        self.line(&format!("printf(\"%g %d\\n\", {all}.v[0, 1], {name}.a);"));
    }

    fn pairs(&mut self) {
        let (one, name) = (self.fresh("q"), self.fresh("s"));
        let (a, b) = (self.scalar(Elem::Int, 2), self.scalar(Elem::Int, 1));
        self.line(&format!("{one} = (pair)[{a}, {b}] <+> (pair)[1, 2];"));
        self.line(&format!("{name} = second({one} <+> {one});"));
        self.bind(&name, Elem::Int, &[]);
    }

    // ---- extents

    /// Text for a number of this value: the number, or something that the program does not know.
    fn extent(&mut self, value: usize) -> String {
        let known: Vec<(String, usize)> = self.extents.clone();
        match self.choices.below(3) {
            0 => value.to_string(),
            1 => match known.iter().find(|(_, extent)| *extent == value) {
                Some((name, _)) => name.clone(),
                None => value.to_string(),
            },
            _ => {
                let (name, extent) = &known[self.choices.below(known.len())];
                match value.checked_sub(*extent) {
                    Some(0) => name.clone(),
                    Some(more) => format!("{name} + {more}"),
                    None => format!("{name} - {}", extent - value),
                }
            }
        }
    }

    /// Text for a shape vector.
    fn extents_text(&mut self, shape: &[usize]) -> String {
        let like =
            self.scope.iter().rev().find(|variable| variable.shape == shape).map(|variable| variable.name.clone());
        if let (Some(name), 1) = (like, self.choices.below(3)) {
            return format!("shape({name})");
        }
        let extents: Vec<String> = shape.iter().map(|&extent| self.extent(extent)).collect();
        format!("[{}]", extents.join(","))
    }

    /// Text for an index from 0 to below `extent`, which is not 0.
    fn index_below(&mut self, extent: usize) -> String {
        match self.choices.below(3) {
            0 => self.choices.below(extent).to_string(),
            1 => self.extent(extent - 1),
            _ => {
                let scalar = self.scalar(Elem::Int, 0);
                format!("mod({scalar}, {extent})")
            }
        }
    }
}
