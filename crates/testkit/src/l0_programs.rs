//! Well-typed L0 programs at random, with input.
//!
//! A program grows from a string of choices, one byte each; when they run out, every choice is 0, which is always the
//! simplest. So a failing program shrinks with its choices. Programs may fail at run time (an index modulo the length of an
//! empty array, say), but mostly do not.
//!
//! Array types carry the text of their length; arrays are walked in step only if the texts are equal. In-place updates
//! are made on fresh copies at once, so that programs keep the uniqueness rules by construction.

mod pipelines;

use frit_support::random::Choices;
use std::fmt::Write;

/// A program and what to give it on standard input.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The source.
    pub source: String,
    /// One value per parameter of `main`.
    pub input: String,
}

/// What kind of programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Flavour {
    /// Use reals. Results are only comparable bit for bit under strict floating point.
    pub reals: bool,
    /// Chains of operations on whole arrays, instead of expressions nested in one another.
    pub pipelines: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Ty {
    Int,
    Real,
    Bool,
    /// An array and the text of its length.
    Array(Box<Ty>, String),
    Tuple(Vec<Ty>),
}

impl Ty {
    fn array(row: Ty, len: &str) -> Ty {
        Ty::Array(Box::new(row), len.to_string())
    }

    fn source(&self) -> String {
        match self {
            Ty::Int => "int".into(),
            Ty::Real => "real".into(),
            Ty::Bool => "bool".into(),
            Ty::Array(row, _) => format!("[{}]", row.source()),
            Ty::Tuple(parts) => format!("{{{}}}", parts.iter().map(Ty::source).collect::<Vec<_>>().join(", ")),
        }
    }

    fn is_scalar(&self) -> bool {
        matches!(self, Ty::Int | Ty::Real | Ty::Bool)
    }
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

struct Generator<'a> {
    choices: Choices<'a>,
    flavour: Flavour,
    scope: Vec<Variable>,
    functions: Vec<Function>,
    next_name: usize,
    /// What the function is called that makes the program's results.
    main: String,
    /// How many sub-expressions may still be made: bounds the size of a program.
    fuel: usize,
}

/// The program that these choices make.
pub fn generate(choices: &[u8], flavour: Flavour) -> Generated {
    let part = part(choices, flavour, "main", 0);
    Generated { source: DOWN.to_string() + &part.source, input: part.input.concat() }
}

/// One program that runs these programs one after the other.
pub fn generate_batch(programs: &[Vec<u8>], flavour: Flavour) -> Generated {
    let (mut source, mut input) = (DOWN.to_string(), String::new());
    let (mut params, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (number, choices) in programs.iter().enumerate() {
        let part = part(choices, flavour, &format!("main{number}"), number * 1000);
        source.push_str(&part.source);
        input.push_str(&part.input.concat());
        let names: Vec<String> = (0..part.params.len()).map(|at| format!("q{number}x{at}")).collect();
        params.extend(part.params.iter().zip(&names).map(|(ty, name)| format!("{ty} {name}")));
        calls.push(format!("main{number}({})", names.join(", ")));
        results.push(part.result.source());
    }
    let _ = writeln!(source, "fun {{{}}} main({}) =", results.join(", "), params.join(", "));
    let _ = writeln!(source, "  {{{}}}", calls.join(",\n   "));
    Generated { source, input }
}

/// A function that calls itself, which all programs may call.
const DOWN: &str = "fun int down(int n, int s) = if n <= 0 then s else down(n - 1, s + n * n)\n";

/// A program whose main function has a name of its own.
struct Part {
    source: String,
    /// Types of the parameters, and a line of input for each.
    params: Vec<String>,
    input: Vec<String>,
    result: Ty,
}

fn part(choices: &[u8], flavour: Flavour, main: &str, first_name: usize) -> Part {
    let mut g = Generator {
        choices: Choices::new(choices),
        flavour,
        scope: Vec::new(),
        functions: Vec::new(),
        next_name: first_name,
        main: main.to_string(),
        fuel: 120,
    };
    let mut helpers = String::new();
    for _ in 0..g.choices.below(4) {
        helpers.push_str(&g.helper());
    }
    g.functions.push(Function { name: "down".into(), params: vec![Ty::Int, Ty::Int], result: Ty::Int });
    let main = g.main();
    Part { source: helpers + &main.source, ..main }
}

impl Generator<'_> {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    fn scalar_type(&mut self) -> Ty {
        match self.choices.below(if self.flavour.reals { 5 } else { 3 }) {
            0 | 1 => Ty::Int,
            2 => Ty::Bool,
            _ => Ty::Real,
        }
    }

    /// A type of values that a function or lambda may take or return; arrays have the length given.
    fn small_type(&mut self, len: &str) -> Ty {
        match self.choices.below(6) {
            0..=2 => self.scalar_type(),
            3 => Ty::array(self.scalar_type(), len),
            4 => Ty::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            _ => Ty::Tuple(vec![self.scalar_type(), Ty::array(self.scalar_type(), len)]),
        }
    }

    /// A function over scalars.
    fn helper(&mut self) -> String {
        let name = self.fresh("f");
        let params: Vec<Ty> = (0..1 + self.choices.below(3)).map(|_| self.scalar_type()).collect();
        let result = match self.choices.below(3) {
            0 | 1 => self.scalar_type(),
            _ => Ty::Tuple(vec![self.scalar_type(), self.scalar_type()]),
        };
        let (list, body) = self.under(&params, |g| g.expression(&result, 3));
        self.functions.push(Function { name: name.clone(), params, result: result.clone() });
        format!("fun {} {name}({list}) =\n  {body}\n", result.source())
    }

    fn main(&mut self) -> Part {
        let mut input = Vec::new();
        let (mut params, mut types) = (Vec::new(), Vec::new());
        let lengths: Vec<(String, usize)> =
            (0..2).map(|at| (format!("n{at}"), [3, 0, 1, 2, 5, 7][self.choices.below(6)])).collect();
        for (name, value) in &lengths {
            params.push(format!("int {name}"));
            types.push("int".to_string());
            self.scope.push(Variable { name: name.clone(), ty: Ty::Int });
            input.push(format!("{value}\n"));
        }
        for _ in 0..2 + self.choices.below(3) {
            let (len, value) = lengths[self.choices.below(2)].clone();
            let row = match self.choices.below(4) {
                0 | 1 => self.scalar_type(),
                2 => Ty::array(self.scalar_type(), &lengths[self.choices.below(2)].0),
                _ => Ty::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            };
            let ty = Ty::array(row, &len);
            let name = self.fresh("a");
            params.push(format!("{} {name}", ty.source()));
            types.push(ty.source());
            input.push(self.value(&ty, &lengths) + "\n");
            // With an empty outer dimension the text cannot carry the inner extent, so its length is not promised.
            let ty = match &ty {
                Ty::Array(row, len) if value == 0 && matches!(**row, Ty::Array(..)) => match &**row {
                    Ty::Array(cell, _) => Ty::array(Ty::array((**cell).clone(), &format!("size(1, {name})")), len),
                    _ => ty.clone(),
                },
                _ => ty,
            };
            self.scope.push(Variable { name, ty });
        }
        let (result, body) = if self.flavour.pipelines { self.pipeline() } else { self.nested_expression(&lengths) };
        let source = format!("fun {} {}({}) =\n  {body}\n", result.source(), self.main, params.join(", "));
        Part { source, params: types, input, result }
    }

    /// One expression for several results.
    fn nested_expression(&mut self, lengths: &[(String, usize)]) -> (Ty, String) {
        let results: Vec<Ty> = (0..1 + self.choices.below(3))
            .map(|_| {
                let len = lengths[self.choices.below(2)].0.clone();
                match self.choices.below(5) {
                    0 => self.scalar_type(),
                    4 => {
                        let inner = lengths[self.choices.below(2)].0.clone();
                        Ty::array(Ty::array(self.scalar_type(), &inner), &len)
                    }
                    3 => Ty::array(Ty::Tuple(vec![self.scalar_type(), self.scalar_type()]), &len),
                    _ => Ty::array(self.scalar_type(), &len),
                }
            })
            .collect();
        let result = Ty::Tuple(results);
        let body = self.expression(&result, 6);
        (result, body)
    }

    /// Literal text of a value for the input.
    fn value(&mut self, ty: &Ty, lengths: &[(String, usize)]) -> String {
        match ty {
            Ty::Int => self.choices.of(&["1", "0", "-3", "7", "12", "2"]).into(),
            Ty::Real => self.choices.of(&["1.5", "0.0", "-2.25", "3.0", "0.125"]).into(),
            Ty::Bool => self.choices.of(&["True", "False"]).into(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.value(part, lengths)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Array(row, len) => {
                let count = lengths.iter().find(|(name, _)| name == len).map_or(0, |(_, n)| *n);
                let rows: Vec<String> = (0..count).map(|_| self.value(row, lengths)).collect();
                format!("[{}]", rows.join(", "))
            }
        }
    }

    /// Runs `make` with parameters of these types in scope; the parameter list and what was made.
    fn under<T>(&mut self, params: &[Ty], make: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let depth = self.scope.len();
        let mut list = Vec::new();
        for ty in params {
            let name = self.fresh("p");
            list.push(format!("{} {name}", ty.source()));
            self.scope.push(Variable { name, ty: ty.clone() });
        }
        let made = make(self);
        self.scope.truncate(depth);
        (list.join(", "), made)
    }

    fn variable(&mut self, ty: &Ty) -> Option<String> {
        let names: Vec<String> = self.scope.iter().filter(|v| v.ty == *ty).map(|v| v.name.clone()).collect();
        if names.is_empty() { None } else { Some(names[names.len() - 1 - self.choices.below(names.len())].clone()) }
    }

    /// The simplest expression of a type.
    fn leaf(&mut self, ty: &Ty) -> String {
        if let Some(name) = self.variable(ty) {
            return name;
        }
        match ty {
            Ty::Int => self.choices.of(&["1", "0", "2", "5", "(0 - 4)"]).into(),
            Ty::Real => self.choices.of(&["1.5", "0.0", "2.0", "(0.0 - 0.75)"]).into(),
            Ty::Bool => self.choices.of(&["True", "False"]).into(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.leaf(part)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Array(row, len) if **row == Ty::Int => {
                if self.choices.below(2) == 0 {
                    format!("iota({len})")
                } else {
                    format!("replicate({len}, {})", self.leaf(row))
                }
            }
            Ty::Array(row, len) => format!("replicate({len}, {})", self.leaf(row)),
        }
    }

    /// An expression of this type, in parentheses where it needs them.
    fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.fuel == 0 {
            return self.leaf(ty);
        }
        self.fuel -= 1;
        match self.choices.below(8) {
            0 => self.leaf(ty),
            1 => {
                let cond = self.expression(&Ty::Bool, depth - 1);
                let (yes, no) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("(if {cond} then {yes} else {no})")
            }
            2 => self.binding(ty, depth),
            3 => self.sequential_loop(ty, depth),
            _ => match ty {
                Ty::Int => self.int(depth),
                Ty::Real => self.real(depth),
                Ty::Bool => self.boolean(depth),
                Ty::Tuple(parts) => self.tuple(parts, depth),
                Ty::Array(row, len) => self.array(row, len, depth),
            },
        }
    }

    /// `let x = ... in ...`, with types worth naming.
    fn binding(&mut self, ty: &Ty, depth: usize) -> String {
        let (name, bound, value) = match self.choices.below(9) {
            0 => {
                // An array whose length only the run knows.
                let array = self.any_array(&Ty::Int, depth - 1);
                let name = self.fresh("v");
                let (param, test) = self.under(&[Ty::Int], |g| g.expression(&Ty::Bool, 2));
                let value = format!("filter(fn bool ({param}) => {test}, {array})");
                (name.clone(), Ty::array(Ty::Int, &format!("size(0, {name})")), value)
            }
            1 => {
                let (a, b) = (self.any_array(&Ty::Int, depth - 1), self.any_array(&Ty::Int, depth - 1));
                let name = self.fresh("v");
                (name.clone(), Ty::array(Ty::Int, &format!("size(0, {name})")), format!("concat({a}, {b})"))
            }
            2 => {
                // In-place updates of a fresh copy.
                let elem = self.scalar_type();
                let array = self.any_array(&elem, depth - 1);
                let name = self.fresh("u");
                let bound = Ty::array(elem.clone(), &format!("size(0, {name})"));
                let updates = 1 + self.choices.below(2);
                let mut updated = String::new();
                for _ in 0..updates {
                    let index = self.expression(&Ty::Int, 1);
                    let value = self.under_variable(&name, &bound, |g| g.expression(&elem, 2));
                    let _ = write!(updated, " let {name}[({index}) % size(0, {name})] = {value} in");
                }
                let inner = self.under_variable(&name, &bound, |g| g.expression(ty, depth - 1));
                let updated = updated.trim_start();
                return format!(
                    "(let {name} = copy({array}) in if 0 < size(0, {name}) then ({updated} {inner}) else {inner})"
                );
            }
            3 => {
                let len = self.length();
                let inner = self.length();
                let elem = self.scalar_type();
                let bound = Ty::array(Ty::array(elem, &inner), &len);
                (self.fresh("v"), bound.clone(), self.expression(&bound, depth - 1))
            }
            4 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                let (p, q) = (self.fresh("v"), self.fresh("v"));
                let whole = self.fresh("v");
                let at = self.expression(&Ty::Int, 1);
                let cut = format!("(let k = ({at}) % (size(0, {whole}) + 1) in k)");
                let before = self.scope.len();
                for part in [&p, &q] {
                    self.scope
                        .push(Variable { name: part.clone(), ty: Ty::array(Ty::Int, &format!("size(0, {part})")) });
                }
                let rest = self.expression(ty, depth - 1);
                self.scope.truncate(before);
                return format!("(let {whole} = {array} in let {{{p}, {q}}} = split({cut}, {whole}) in {rest})");
            }
            6 => {
                let (name, unused) = (self.fresh("w"), self.check(depth));
                return format!("(let {name} = {unused} in {})", self.expression(ty, depth - 1));
            }
            7 => return self.several_arrays(ty, depth),
            8 => {
                let (whole, ok, name) = (self.fresh("w"), self.fresh("w"), self.fresh("v"));
                let array = self.any_array(&Ty::Int, depth - 1);
                let (holds, index) = (self.mostly_true(), self.expression(&Ty::Int, 1));
                let value = format!(
                    "(let {whole} = {array} in let {ok} = assert({holds}) in \
                     if 0 < size(0, {whole}) then {whole}[<{ok}>|({index}) % size(0, {whole})] else 0)"
                );
                (name, Ty::Int, value)
            }
            _ => {
                let len = self.length();
                let bound = self.small_type(&len);
                let value = self.expression(&bound, depth - 1);
                if let Ty::Tuple(parts) = bound {
                    let before = self.scope.len();
                    let names: Vec<String> = parts.iter().map(|_| self.fresh("v")).collect();
                    let named = names.iter().zip(parts).map(|(name, ty)| Variable { name: name.clone(), ty });
                    self.scope.extend(named);
                    let rest = self.expression(ty, depth - 1);
                    self.scope.truncate(before);
                    return format!("(let {{{}}} = {value} in {rest})", names.join(", "));
                }
                (self.fresh("v"), bound, value)
            }
        };
        let rest = self.under_variable(&name, &bound, |g| g.expression(ty, depth - 1));
        format!("(let {name} = {value} in {rest})")
    }

    /// A divisor that is rarely zero, though nobody can prove it.
    fn divisor(&mut self) -> String {
        let value = self.expression(&Ty::Int, 1);
        if self.choices.below(4) == 3 { format!("({value})") } else { format!("(({value}) | 1)") }
    }

    fn mostly_true(&mut self) -> String {
        let condition = self.expression(&Ty::Bool, 2);
        let divisor = self.divisor();
        if self.choices.below(6) == 5 { condition } else { format!("({condition}) || not ({divisor} = 0)") }
    }

    /// An operation that may fail, and mostly does not.
    fn check(&mut self, depth: usize) -> String {
        let divisor = self.divisor();
        match self.choices.below(6) {
            0 => format!("({}) / {divisor}", self.expression(&Ty::Int, depth - 1)),
            1 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                let (param, body) = self.under(&[Ty::Int], |g| g.expression(&Ty::Int, 2));
                format!("map(fn int ({param}) => ({body}) % {divisor}, {array})")
            }
            2 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                format!("reduce(fn int (int x, int y) => x + y / {divisor}, 0, {array})")
            }
            3 => {
                let (whole, array) = (self.fresh("w"), self.any_array(&Ty::Int, depth - 1));
                let index = self.expression(&Ty::Int, 1);
                format!(
                    "(let {whole} = concat({array}, [1]) in {whole}[({index}) % (size(0, {whole}) + 1 % {divisor})])"
                )
            }
            4 => format!("assert({})", self.mostly_true()),
            _ => {
                let (len, other) = (self.length(), self.divisor());
                format!("map(op +, zip(iota({len}), iota(({len}) + 0 / {other})))")
            }
        }
    }

    /// `let {p, q} = ... in ...` with what walks several arrays in step.
    fn several_arrays(&mut self, ty: &Ty, depth: usize) -> String {
        let len = self.length();
        let of_ints = Ty::array(Ty::Int, &len);
        let (a, b) = (self.expression(&of_ints, depth - 1), self.expression(&of_ints, depth - 1));
        let (p, q) = (self.fresh("v"), self.fresh("v"));
        let own = |name: &str| Ty::array(Ty::Int, &format!("size(0, {name})"));
        let (value, types) = match self.choices.below(3) {
            0 => {
                let function = "fn {int, int} (int a, int b, int x, int y) => {a + x, if b < y then y else b}";
                (format!("scanT({function}, {{0, 0 - 100}}, {a}, {b})"), [own(&p), own(&q)])
            }
            1 => {
                let (params, test) = self.under(&[Ty::Int, Ty::Int], |g| g.expression(&Ty::Bool, 2));
                (format!("filterT(fn {{bool}} ({params}) => {{{test}}}, {a}, {b})"), [own(&p), own(&q)])
            }
            _ => {
                let (params, [x, y]) = self.under(&[Ty::Int, Ty::Int], |g| [0, 1].map(|_| g.expression(&Ty::Int, 2)));
                let outer = "fn {int, int} (int a, int b, int x, int y) => {a + x, b + y}";
                let inner = format!("fn {{int, int}} (int s, int t, {params}) => {{s + ({x}), t + ({y})}}");
                (format!("redomapT({outer}, {inner}, {{0, 1}}, {a}, {b})"), [Ty::Int, Ty::Int])
            }
        };
        let before = self.scope.len();
        for (name, ty) in [&p, &q].into_iter().zip(types) {
            self.scope.push(Variable { name: name.clone(), ty });
        }
        let rest = self.expression(ty, depth - 1);
        self.scope.truncate(before);
        format!("(let {{{p}, {q}}} = {value} in {rest})")
    }

    fn under_variable<T>(&mut self, name: &str, ty: &Ty, make: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.scope.len();
        self.scope.push(Variable { name: name.to_string(), ty: ty.clone() });
        let made = make(self);
        self.scope.truncate(depth);
        made
    }

    /// `loop (x = ...) = for i < k do ... in ...`, or the same with `while`.
    fn sequential_loop(&mut self, ty: &Ty, depth: usize) -> String {
        let count = self.choices.of(&["3", "0", "1", "2", "4", "n0"]);
        let count = if count == "n0" && !self.scope.iter().any(|v| v.name == "n0") { "2" } else { count };
        let (carried, index) = (self.fresh("x"), self.fresh("i"));
        if self.choices.below(3) == 0 {
            // A loop that updates an array in place.
            let elem = self.scalar_type();
            let array = self.any_array(&elem, depth - 1);
            let bound = Ty::array(elem.clone(), &format!("size(0, {carried})"));
            let before = self.scope.len();
            self.scope.push(Variable { name: carried.clone(), ty: bound.clone() });
            self.scope.push(Variable { name: index.clone(), ty: Ty::Int });
            let value = self.expression(&elem, 2);
            self.scope.truncate(before + 1);
            let rest = self.expression(ty, depth - 1);
            self.scope.truncate(before);
            let slot = format!("{carried}[{index} % size(0, {carried})]");
            return format!(
                "(let {carried} = copy({array}) in loop ({carried} = {carried}) = \
                 for {index} < (if 0 < size(0, {carried}) then {count} else 0) do let {slot} = {value} in {carried} in {rest})"
            );
        }
        let len = self.length();
        let bound = self.small_type(&len);
        let init = self.expression(&bound, depth - 1);
        let before = self.scope.len();
        self.scope.push(Variable { name: carried.clone(), ty: bound.clone() });
        self.scope.push(Variable { name: index.clone(), ty: Ty::Int });
        let body = self.expression(&bound, depth - 1);
        self.scope.truncate(before + 1);
        let rest = self.expression(ty, depth - 1);
        self.scope.truncate(before);
        // No choice of its own, so that the choices make the same programs but for this.
        if self.next_name.is_multiple_of(3) {
            let next = format!("{{{index} + 1, {body}}}");
            return format!(
                "(loop ({{{index}, {carried}}} = {{0, {init}}}) = while {index} < {count} do {next} in {rest})"
            );
        }
        format!("(loop ({carried} = {init}) = for {index} < {count} do {body} in {rest})")
    }

    /// The text of a length.
    fn length(&mut self) -> String {
        let mut lengths: Vec<String> = vec!["3".into(), "2".into(), "0".into(), "1".into()];
        if self.scope.iter().any(|v| v.name == "n0") {
            lengths.extend(["n0".into(), "n1".into()]);
        }
        for variable in &self.scope {
            if let Ty::Array(_, len) = &variable.ty {
                lengths.push(len.clone());
            }
        }
        lengths[lengths.len() - 1 - self.choices.below(lengths.len())].clone()
    }

    /// An array of any length with rows of this type.
    fn any_array(&mut self, row: &Ty, depth: usize) -> String {
        let len = self.length();
        self.expression(&Ty::array(row.clone(), &len), depth)
    }

    fn call(&mut self, result: &Ty, depth: usize) -> Option<String> {
        let fitting: Vec<Function> = self.functions.iter().filter(|f| f.result == *result).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = fitting[self.choices.below(fitting.len())].clone();
        let bounded = function.name == "down";
        let args: Vec<String> = function
            .params
            .iter()
            .enumerate()
            .map(|(at, ty)| {
                let arg = self.expression(ty, depth - 1);
                // The recursive function counts down: keep it short.
                if bounded && at == 0 { format!("({arg}) % 10") } else { arg }
            })
            .collect();
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    fn int(&mut self, depth: usize) -> String {
        match self.choices.below(9) {
            0 | 1 => {
                let op = self.choices.of(&["+", "-", "*", "&", "^", "|"]);
                let (a, b) = (self.expression(&Ty::Int, depth - 1), self.expression(&Ty::Int, depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            2 => {
                let (op, b) = (self.choices.of(&["/", "%"]), self.choices.of(&["3", "2", "(0 - 5)", "7"]));
                format!("(({}) {op} {b})", self.expression(&Ty::Int, depth - 1))
            }
            3 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                let (operator, neutral) =
                    [("op +", "0"), ("op *", "1"), ("op ^", "0"), ("op |", "5")][self.choices.below(4)];
                format!("reduce({operator}, {neutral}, {array})")
            }
            4 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                let name = self.fresh("r");
                let index = self.expression(&Ty::Int, 1);
                format!(
                    "(let {name} = {array} in if 0 < size(0, {name}) then {name}[({index}) % size(0, {name})] else 0)"
                )
            }
            5 => {
                let array = self.any_array(&Ty::Bool, depth - 1);
                format!("size(0, {array})")
            }
            6 => self.call(&Ty::Int, depth).unwrap_or_else(|| self.leaf(&Ty::Int)),
            7 => {
                let array = self.any_array(&Ty::Int, depth - 1);
                // The largest element: associative, with a start value that may take part.
                format!("reduce(fn int (int x, int y) => if x < y then y else x, 0 - 100, {array})")
            }
            _ => {
                let (row, len) = (Ty::Int, self.length());
                let inner = self.length();
                let matrix = self.expression(&Ty::array(Ty::array(row, &inner), &len), depth - 1);
                let row_name = self.fresh("p");
                format!("reduce(op +, 0, map(fn int ([int] {row_name}) => reduce(op +, 0, {row_name}), {matrix}))")
            }
        }
    }

    fn real(&mut self, depth: usize) -> String {
        match self.choices.below(7) {
            0 | 1 => {
                let op = self.choices.of(&["+", "-", "*", "/"]);
                let (a, b) = (self.expression(&Ty::Real, depth - 1), self.expression(&Ty::Real, depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            2 => format!("toReal({})", self.expression(&Ty::Int, depth - 1)),
            3 => {
                let array = self.any_array(&Ty::Real, depth - 1);
                let (operator, neutral) = [("op +", "0.0"), ("op *", "1.0"), ("op +", "2.5")][self.choices.below(3)];
                format!("reduce({operator}, {neutral}, {array})")
            }
            4 => {
                let function = self.choices.of(&["sqrt", "exp", "log"]);
                format!("{function}({})", self.expression(&Ty::Real, depth - 1))
            }
            5 => format!("(0.0 - ({}))", self.expression(&Ty::Real, depth - 1)),
            _ => self.call(&Ty::Real, depth).unwrap_or_else(|| self.leaf(&Ty::Real)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.choices.below(5) {
            0 => {
                let op = self.choices.of(&["<", "<=", "="]);
                let (a, b) = (self.expression(&Ty::Int, depth - 1), self.expression(&Ty::Int, depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            1 if self.flavour.reals => {
                let op = self.choices.of(&["<", "<=", "="]);
                let (a, b) = (self.expression(&Ty::Real, depth - 1), self.expression(&Ty::Real, depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            2 => {
                let op = self.choices.of(&["&&", "||"]);
                let (a, b) = (self.expression(&Ty::Bool, depth - 1), self.expression(&Ty::Bool, depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            3 => self.call(&Ty::Bool, depth).unwrap_or_else(|| self.leaf(&Ty::Bool)),
            _ => format!("(not ({}))", self.expression(&Ty::Bool, depth - 1)),
        }
    }

    fn tuple(&mut self, parts: &[Ty], depth: usize) -> String {
        if let [a, b] = parts
            && a.is_scalar()
            && b.is_scalar()
            && self.choices.below(3) == 1
        {
            let result = Ty::Tuple(parts.to_vec());
            if let Some(call) = self.call(&result, depth) {
                return call;
            }
        }
        if let [Ty::Int, Ty::Int] = parts
            && self.choices.below(3) == 1
        {
            // Smallest and largest together.
            let len = self.length();
            let pairs = self.expression(&Ty::array(Ty::Tuple(parts.to_vec()), &len), depth - 1);
            return format!(
                "reduce(fn {{int, int}} ({{int, int}} p, {{int, int}} q) => let {{a, b}} = p in let {{c, d}} = q in \
                 {{if a < c then a else c, if b < d then d else b}}, {{1000, 0 - 1000}}, {pairs})"
            );
        }
        let parts: Vec<String> = parts.iter().map(|part| self.expression(part, depth - 1)).collect();
        format!("{{{}}}", parts.join(", "))
    }

    fn array(&mut self, row: &Ty, len: &str, depth: usize) -> String {
        let this = Ty::array(row.clone(), len);
        match self.choices.below(9) {
            0 | 1 => {
                // A map over one array of the same length.
                let source = self.scalar_type();
                let array = self.expression(&Ty::array(source.clone(), len), depth - 1);
                let (param, body) = self.under(&[source], |g| g.expression(row, depth - 1));
                format!("map(fn {} ({param}) => {body}, {array})", row.source())
            }
            2 => {
                // A map over two arrays in step; the tuple is spread over the parameters.
                let (first, second) = (self.scalar_type(), self.scalar_type());
                let a = self.expression(&Ty::array(first.clone(), len), depth - 1);
                let b = self.expression(&Ty::array(second.clone(), len), depth - 1);
                let (params, body) = self.under(&[first, second], |g| g.expression(row, depth - 1));
                if row.is_scalar() && self.choices.below(2) == 1 {
                    let name = self.fresh("m");
                    return format!(
                        "(let {{{name}}} = mapT(fn {{{}}} ({params}) => {{{body}}}, {a}, {b}) in {name})",
                        row.source()
                    );
                }
                format!("map(fn {} ({params}) => {body}, zip({a}, {b}))", row.source())
            }
            3 => match row {
                Ty::Int => {
                    let array = self.expression(&this, depth - 1);
                    let (operator, start) =
                        [("op +", "0"), ("op *", "1"), ("op +", "3"), ("op |", "1")][self.choices.below(4)];
                    format!("scan({operator}, {start}, {array})")
                }
                Ty::Real => {
                    let array = self.expression(&this, depth - 1);
                    format!("scan(op +, 0.5, {array})")
                }
                _ => self.leaf(&this),
            },
            4 => match row {
                Ty::Array(cell, inner) => {
                    let flipped = Ty::array(Ty::array((**cell).clone(), len), inner);
                    format!("transpose({})", self.expression(&flipped, depth - 1))
                }
                _ => format!("copy({})", self.expression(&this, depth - 1)),
            },
            5 => match row {
                Ty::Tuple(parts) => {
                    let columns: Vec<String> =
                        parts.iter().map(|part| self.expression(&Ty::array(part.clone(), len), depth - 1)).collect();
                    format!("zip({})", columns.join(", "))
                }
                row => format!("replicate({len}, {})", self.expression(row, depth - 1)),
            },
            6 => match row {
                Ty::Array(cell, inner) => {
                    let flat = Ty::array((**cell).clone(), &format!("({len}) * ({inner})"));
                    format!("reshape(({len}, {inner}), {})", self.expression(&flat, depth - 1))
                }
                row if row.is_scalar() => {
                    // Row sums of a matrix, or its first column.
                    let inner = self.length();
                    let matrix = self.expression(&Ty::array(Ty::array(row.clone(), &inner), len), depth - 1);
                    let name = self.fresh("p");
                    let pick = match row {
                        Ty::Int => format!("reduce(op +, 0, {name})"),
                        Ty::Real => format!("reduce(op +, 0.0, {name})"),
                        _ => format!("reduce(op &&, True, {name})"),
                    };
                    format!("map(fn {} ([{}] {name}) => {pick}, {matrix})", row.source(), row.source())
                }
                _ => self.leaf(&this),
            },
            7 => {
                // A function by name, partly applied.
                let fitting: Vec<Function> = self
                    .functions
                    .iter()
                    .filter(|f| f.result == *row && f.name != "down" && f.params.last().is_some_and(Ty::is_scalar))
                    .cloned()
                    .collect();
                if fitting.is_empty() {
                    return self.leaf(&this);
                }
                let function = fitting[self.choices.below(fitting.len())].clone();
                let (last, given) = function.params.split_last().expect("a function has a parameter");
                let given: Vec<String> = given.iter().map(|ty| self.expression(ty, 1)).collect();
                let array = self.expression(&Ty::array(last.clone(), len), depth - 1);
                format!("map({}({}), {array})", function.name, given.join(", "))
            }
            _ => self.leaf(&this),
        }
    }
}
