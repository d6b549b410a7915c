//! Random sequences of loops in C, for fusion of the LLVM IR that they become.
//!
//! A program is a function that the harness of [`crate::llvm_harness`] can call. All runs are defined: subscripts stay in their arrays, the function's own
//! arrays are filled before they are read, integers are unsigned (or too small for products to overflow), and pointers that are `restrict` do not overlap.
//!
//! Most loops have equal bounds and read what loops before them have made, so that fusing them is legal, or becomes so by a shift; the others hinder in some way.

use crate::llvm_harness::Call;
use frit_support::Random;
use std::fmt::Write;

/// A function and how to call it.
#[derive(Clone, Debug)]
pub struct LlvmProgram {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub source: String,
    /// How to call it.
    pub call: Call,
}

/// What stands in front of the functions of a file.
pub const PRELUDE: &str = "\
void *malloc(unsigned long size);\n\
void *calloc(unsigned long count, unsigned long size);\n\
void free(void *);\n\
void observe(long value) __attribute__((nothrow));\n\
double pure(double value) __attribute__((const, nothrow));\n\n";

/// The program of this number.
pub fn generate(seed: u64) -> LlvmProgram {
    let mut random = Random::new(seed.wrapping_mul(0x9e6c_63d0_876a_68ed) ^ 0x11f7);
    let has_rows = random.below(4) == 0;
    let elem = [
        ("double", "f64"),
        ("double", "f64"),
        ("float", "f32"),
        ("unsigned", "i32"),
        ("unsigned long", "i64"),
        ("unsigned char", "i8"),
    ];
    let elem = elem[random.below(elem.len())];
    let generator = Generator {
        elem: elem.0,
        is_float: elem.1.starts_with('f'),
        is_restrict: random.below(3) > 0,
        is_constant: !has_rows && random.below(6) == 0,
        has_rows,
        width: ["12", "(m + 4)", WIDTH][random.below(3)],
        holder: ["h->", "H."].get(random.below(12)).copied(),
        index: ["int", "int", "long", "unsigned"][random.below(4)],
        usual: 0,
        params: 2 + random.below(3),
        locals: Vec::new(),
        sums: 0,
        loops: 0,
        terms: 0,
        last: None,
        random,
        body: String::new(),
        depth: 1,
    };
    generator.program(seed, elem.1)
}

/// A row's length that is less than what loops access of a row in half of the runs, so that rows overlap.
const WIDTH: &str = "w";

#[derive(Clone)]
struct Local {
    name: String,
    is_heap: bool,
    is_filled: bool,
}

struct Generator {
    random: Random,
    elem: &'static str,
    is_float: bool,
    is_restrict: bool,
    /// Some loops have constant bounds, and arrays constant lengths.
    is_constant: bool,
    /// Arrays are tables, and loops nests of two.
    has_rows: bool,
    /// The length of a row.
    width: &'static str,
    /// Arrays are members of a structure, here or global, and loaded anew wherever they are used.
    holder: Option<&'static str>,
    index: &'static str,
    /// Which bounds most loops have.
    usual: usize,
    params: usize,
    locals: Vec<Local>,
    /// Sums that loops have made.
    sums: usize,
    loops: usize,
    /// Numbers that code between loops has made.
    terms: usize,
    /// The array that the loop before has written.
    last: Option<String>,
    body: String,
    depth: usize,
}

/// A loop that is being written.
#[derive(Clone)]
struct Scope {
    index: String,
    /// How far subscripts may be below and above the index, in steps of one.
    low: i64,
    high: i64,
    /// The same of the index of columns, if there is one.
    column: Option<(String, i64, i64)>,
}

impl Generator {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(self.depth));
    }

    /// The number of elements of all arrays.
    fn length(&self) -> String {
        if self.has_rows {
            return format!("(n + 4) * {}", if self.width == WIDTH { "(m + 4)" } else { self.width });
        }
        if self.is_constant { "28".into() } else { "(n > m ? n : m) + 4".into() }
    }

    fn program(mut self, seed: u64, elem: &str) -> LlvmProgram {
        let name = format!("f{seed}");
        self.usual = self.random.below(3);
        for at in 0..[0, 0, 1, 1, 2][self.random.below(5)] {
            let is_heap = self.random.chance(50);
            self.locals.push(Local { name: format!("t{at}"), is_heap, is_filled: false });
        }
        let loops = [1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6][self.random.below(11)];
        let mut at = 0;
        while at < loops {
            if at > 0 && self.random.chance(25) {
                self.between();
            }
            at += self.guarded_loops();
        }
        let kind = if self.is_float { self.elem } else { "unsigned long" };
        let mut result: Vec<String> = (0..self.sums).map(|at| format!("s{at}")).collect();
        let mut frees = String::new();
        let mut head = String::new();
        if self.width == WIDTH && self.has_rows {
            head += "    const int w = c ? m + 4 : m / 2 + 1;\n";
        }
        let length = self.length();
        if !self.locals.is_empty() {
            let _ = writeln!(head, "    const int length = {length};");
        }
        for local in &self.locals {
            let elem = self.elem;
            if local.is_heap {
                let _ = writeln!(head, "    {elem} *{} = malloc(({length}) * sizeof({elem}));", local.name);
                let _ = writeln!(frees, "    free({});", local.name);
            } else {
                let most = if self.has_rows { 11 * 12 } else { 28 };
                let _ = writeln!(head, "    {elem} {}[{most}];", local.name);
            }
        }
        for sum in &result {
            let _ = writeln!(head, "    {kind} {sum} = 0;");
        }
        if self.random.chance(30) {
            let filled: Vec<String> =
                self.locals.iter().filter(|local| local.is_filled).map(|local| format!("{}[1]", local.name)).collect();
            result.extend(filled);
        }
        let result = if result.is_empty() { "0".to_string() } else { result.join(" + ") };
        let qualifier = if self.is_restrict { "restrict " } else { "" };
        let params: Vec<String> = (0..self.params).map(|at| format!("{} *{qualifier}p{at}", self.elem)).collect();
        let body = format!("{head}{}    {kind} result = {result};\n{frees}    return result;\n", self.body);
        let params = params.join(", ");
        let mut source = format!("{kind} {name}({params}, int n, int m, int c)\n{{\n{body}}}\n");
        if let Some(holder) = self.holder {
            let held = |at: usize, body: String| body.replace(&format!("p{at}["), &format!("{holder}p{at}["));
            let body = (0..self.params).fold(body, |body, at| held(at, body)).replace("H.", &format!("H{seed}."));
            let names: Vec<String> = (0..self.params).map(|at| format!("p{at}")).collect();
            let (members, values) = (names.join(", *"), names.join(", "));
            source = format!(
                "struct h{seed} {{ {} *{members}; }};\nstatic struct h{seed} H{seed};\n\
                 static __attribute__((noinline)) {kind} g{seed}(struct h{seed} *h, int n, int m, int c)\n{{\n{body}}}\n\
                 {kind} {name}({params}, int n, int m, int c)\n{{\n    struct h{seed} h = {{ {values} }};\n    \
                 H{seed} = h;\n    return g{seed}(&h, n, m, c);\n}}\n",
                self.elem
            );
        }
        let (most, alias) = (if self.has_rows { 7 } else { 20 }, if self.is_restrict { "" } else { " alias=any" });
        let length = length.replace(' ', "");
        let call = format!("{name} buffers={elem}[{length}] n=0..{most} m=0..{most} c=0..1{alias}");
        LlvmProgram { name, source, call: Call::parse(&call).expect("the generator writes calls that can be read") }
    }

    /// One loop or nest, or two, perhaps under a condition; how many.
    fn guarded_loops(&mut self) -> usize {
        let is_filled = self.locals.iter().all(|local| local.is_filled);
        if is_filled && self.random.chance(12) {
            let condition = ["c", "n > 2", "n > 0", "c && m > 1"][self.random.below(4)];
            self.line(&format!("if ({condition}) {{"));
            self.depth += 1;
            let count = 1 + self.random.below(2);
            for _ in 0..count {
                self.one_loop();
            }
            self.depth -= 1;
            self.line("}");
            return count;
        }
        if is_filled && self.depth == 1 && self.random.chance(8) {
            // Neighbours that are executed again and again, and what they leave is there the next time.
            let index = format!("o{}", self.loops);
            let bound = ["2", "3", "m"][self.random.below(3)];
            self.line(&format!("for (int {index} = 0; {index} < {bound}; {index}++) {{"));
            self.depth += 1;
            for _ in 0..2 {
                self.one_loop();
            }
            self.depth -= 1;
            self.line("}");
            return 2;
        }
        self.one_loop();
        1
    }

    /// Code between two loops.
    fn between(&mut self) {
        let array = format!("p{}", self.random.below(self.params));
        let place = self.random.below(4);
        match self.random.below(7) {
            0 => self.line(&format!("{array}[{place}] = {};", place * 2 + 1)),
            1 | 2 => {
                let term = format!("k{}", self.terms);
                self.terms += 1;
                let value = if self.random.chance(50) { format!("{array}[{place}]") } else { "n * 3 + 1".into() };
                self.line(&format!("const {} {term} = {value};", self.elem));
            }
            3 => self.line("observe(n);"),
            4 if self.sums > 0 => self.line(&format!("{array}[{place}] = s{};", self.sums - 1)),
            5 => {
                let cell = format!("{array}[{place}]");
                self.line(&format!(
                    "if (c)\n{0}    {cell} += 1;\n{0}else\n{0}    {cell} = 2;",
                    "    ".repeat(self.depth)
                ));
            }
            _ if self.is_float => {
                let term = format!("k{}", self.terms);
                self.terms += 1;
                self.line(&format!("const {} {term} = pure(m);", self.elem));
            }
            _ => self.line("observe(m);"),
        }
    }

    /// A loop over elements, or a nest over rows and columns.
    fn one_loop(&mut self) {
        self.loops += 1;
        let fresh = self.locals.iter().position(|local| !local.is_filled);
        if let Some(fresh) = fresh.filter(|_| self.random.chance(50) || self.depth == 1 && self.loops >= 2) {
            self.fill(fresh);
            return;
        }
        let index = format!("i{}", self.loops);
        let axis = if self.has_rows { "n" } else { ["n", "m"][usize::from(self.random.chance(8))] };
        let (head, mut scope, tail) = self.header(&index, axis);
        self.line(&head);
        self.depth += 1;
        if self.has_rows && !self.random.chance(8) {
            let columns = 1 + usize::from(self.random.chance(15));
            for at in 0..columns {
                let column = format!("j{}", self.loops * 2 + at);
                let (head, inner, tail) = self.header(&column, "m");
                self.line(&head);
                self.depth += 1;
                scope.column = Some((inner.index, inner.low, inner.high));
                self.statements(&scope);
                self.close(&tail);
            }
        } else {
            self.statements(&scope);
        }
        self.close(&tail);
    }

    fn close(&mut self, tail: &str) {
        for line in tail.lines() {
            self.line(line);
        }
        self.depth -= 1;
        self.line("}");
        if tail.ends_with('\n') {
            self.depth -= 1;
            self.line("}");
        }
    }

    /// A local array gets a value for each element.
    fn fill(&mut self, at: usize) {
        let local = self.locals[at].clone();
        self.locals[at].is_filled = true;
        let index = format!("i{}", self.loops);
        // Most compute the length before the loop, some in its condition.
        let length = if self.random.chance(85) { "length".to_string() } else { self.length() };
        let scope = Scope { index: index.clone(), low: 0, high: 0, column: None };
        self.line(&format!("for (int {index} = 0; {index} < {length}; {index}++)"));
        let value = self.value(&scope, &local.name);
        self.depth += 1;
        self.line(&format!("{}[{index}] = {value};", local.name));
        self.depth -= 1;
        self.last = Some(local.name);
    }

    /// The head of a loop, how far subscripts may go, and what ends its body. A tail that ends in a new line closes a condition as well.
    fn header(&mut self, index: &str, axis: &str) -> (String, Scope, String) {
        let kind = self.index;
        // Bounds that may be below the start do not suit indices without sign.
        let is_signed = kind != "unsigned";
        let (low, high) = match (self.random.below(10), is_signed) {
            (0, true) => (self.random.below(3) as i64, self.random.below(4) as i64 - 2),
            (1, true) => (0, self.random.below(4) as i64 - 2),
            (_, true) => [(0, 0), (1, 0), (1, -1)][self.usual],
            (0, false) => (0, self.random.below(3) as i64),
            (_, false) => (0, 0),
        };
        let bound = match high {
            _ if self.is_constant && self.usual == 0 => "16".to_string(),
            0 => axis.to_string(),
            1.. => format!("{axis} + {high}"),
            _ => format!("{axis} - {}", -high),
        };
        // The last index is below the length by 4, or by more.
        let scope = Scope { index: index.into(), low: -low, high: 3 - high.max(0), column: None };
        let form = if self.depth > 2 { self.random.below(12) } else { self.random.below(16) };
        let (head, tail) = match form {
            0 if is_signed => {
                (format!("for ({kind} {index} = {bound} - 1; {index} >= {low}; {index}--) {{"), String::new())
            }
            1 => {
                let step = 2 + self.random.below(2);
                (format!("for ({kind} {index} = {low}; {index} < {bound}; {index} += {step}) {{"), String::new())
            }
            2 if is_signed => {
                (format!("for ({kind} {index} = {low}; {index} <= {bound} - 1; {index}++) {{"), String::new())
            }
            3 if low == 0 && high >= 0 => {
                (format!("for ({kind} {index} = {low}; {index} != {bound}; {index}++) {{"), String::new())
            }
            14 => {
                self.line(&format!("{kind} {index} = {low};"));
                (format!("while ({index} < {bound}) {{"), format!("{index}++;"))
            }
            15 => {
                self.line(&format!("if ({low} < {}{bound}) {{", if is_signed { "" } else { "(unsigned)" }));
                self.depth += 1;
                self.line(&format!("{kind} {index} = {low};"));
                (format!("do {{ // {index} < {bound}"), format!("if (++{index} >= {bound})\n    break;"))
            }
            _ => (format!("for ({kind} {index} = {low}; {index} < {bound}; {index}++) {{"), String::new()),
        };
        if form == 15 {
            // Written as a loop without a condition at its head, which a break at the end leaves.
            return ("for (;;) {".into(), scope, tail + "\n");
        }
        (head, scope, tail)
    }

    /// One to three statements.
    fn statements(&mut self, scope: &Scope) {
        for _ in 0..[1, 1, 1, 2, 2, 3][self.random.below(6)] {
            self.statement(scope);
        }
    }

    fn statement(&mut self, scope: &Scope) {
        if self.random.chance(14) {
            // Sums are declared at the head of the function; few of them are read by later loops.
            let at = if self.sums > 0 && self.random.chance(20) { self.random.below(self.sums) } else { self.sums };
            self.sums = self.sums.max(at + 1);
            let value = self.value(scope, "");
            let sum = match self.random.below(3) {
                0 if self.is_float => format!("s{at} = s{at} < {value} ? {value} : s{at};"),
                1 if self.is_float => format!("s{at} = s{at} * ({})0.5 + {value};", self.elem),
                _ => format!("s{at} += {value};"),
            };
            return self.line(&sum);
        }
        let array = self.target();
        if !self.has_rows && self.random.chance(7) {
            self.several_elements(scope, &array);
            self.last = Some(array);
            return;
        }
        let place = self.place(scope, &array, true);
        let value = self.value(scope, &array);
        if self.random.chance(15) {
            let condition = self.place(scope, &array, false);
            let other = self.value(scope, &array);
            let most = if self.is_float { "0.5" } else { "40" };
            self.line(&format!("if ({condition} > {most})"));
            self.line(&format!("    {place} = {value};"));
            if self.random.chance(50) {
                self.line("else");
                self.line(&format!("    {place} = {other};"));
            }
        } else {
            let operator = ["=", "=", "=", "+=", "-="][self.random.below(5)];
            self.line(&format!("{place} {operator} {value};"));
        }
        self.last = Some(array);
    }

    /// Elements that are written at once, or so soon after each other that compilers make one access of it.
    fn several_elements(&mut self, scope: &Scope, array: &str) {
        let count = 2 + i64::from(scope.high >= 2 && self.random.chance(50));
        let from = if self.random.chance(70) { scope.index.as_str() } else { "0" };
        match self.random.below(3) {
            0 => {
                let source = format!("p{}", self.random.below(self.params));
                let other = self.random.below(2);
                self.line(&format!(
                    "__builtin_memmove(&{array}[{from}], &{source}[{other}], {count} * sizeof({}));",
                    self.elem
                ));
            }
            1 => {
                let value = self.random.below(9);
                for at in 0..count {
                    self.line(&format!("{array}[{from} + {at}] = {value};"));
                }
            }
            _ => {
                let value = self.value(scope, array);
                let inner = format!("k{}x{}", self.loops, self.body.len());
                self.line(&format!("for (int {inner} = 0; {inner} < {count}; {inner}++)"));
                self.line(&format!("    {array}[{from} + {inner}] = {value};"));
            }
        }
    }

    /// An array to write.
    fn target(&mut self) -> String {
        let filled: Vec<String> =
            self.locals.iter().filter(|local| local.is_filled).map(|local| local.name.clone()).collect();
        if !filled.is_empty() && self.random.chance(15) {
            return filled[self.random.below(filled.len())].clone();
        }
        format!("p{}", self.random.below(self.params))
    }

    /// An element near the index.
    fn place(&mut self, scope: &Scope, array: &str, is_written: bool) -> String {
        let is_near = self.random.chance(if is_written { 88 } else { 62 });
        let subscript = |low: i64, high: i64, index: &str, random: &mut Random| {
            let offset = if is_near { 0 } else { low + random.below((high - low + 1) as usize) as i64 };
            match offset {
                0 => index.to_string(),
                1.. => format!("{index} + {offset}"),
                _ => format!("{index} - {}", -offset),
            }
        };
        let row = subscript(scope.low, scope.high, &scope.index, &mut self.random);
        if !self.has_rows {
            return match self.random.below(60) {
                0 => format!("{array}[({row}) % 4]"),
                1 => format!("{array}[{}]", self.random.below(4)),
                _ => format!("{array}[{row}]"),
            };
        }
        let column = match &scope.column {
            Some((index, low, high)) => subscript(*low, *high, index, &mut self.random),
            None => self.random.below(4).to_string(),
        };
        // A table that is filled as a whole has one subscript for all elements.
        if scope.column.is_none() && array.is_empty() {
            return format!("{array}[{row}]");
        }
        match &row[..] {
            row if row.contains(' ') => format!("{array}[({row}) * {} + {column}]", self.width),
            row => format!("{array}[{row} * {} + {column}]", self.width),
        }
    }

    /// A value of elements near the index, mostly of what the loop before has made.
    fn value(&mut self, scope: &Scope, target: &str) -> String {
        let is_fill = target.starts_with('t') && scope.column.is_none() && scope.high == 0 && scope.low == 0;
        let term = |generator: &mut Generator| -> String {
            match generator.random.below(16) {
                0 => {
                    let numbers = if generator.is_float { ["0.25", "0"] } else { ["7", "0"] };
                    numbers[generator.random.below(2)].into()
                }
                1 => format!("({})({} * 3)", generator.elem, scope.index),
                2 if generator.sums > 0 && generator.random.chance(30) => {
                    let sum = generator.random.below(generator.sums);
                    format!("({})s{sum}", generator.elem)
                }
                3 if generator.terms > 0 && generator.depth == 2 => {
                    format!("k{}", generator.random.below(generator.terms))
                }
                at => {
                    let mut array = format!("p{}", generator.random.below(generator.params));
                    if let Some(last) = generator.last.clone().filter(|_| at > 7) {
                        array = last;
                    } else if let Some(local) =
                        generator.locals.iter().find(|local| local.is_filled && local.name != target).filter(|_| at > 5)
                    {
                        array = local.name.clone();
                    }
                    if array == target && is_fill {
                        array = "p0".into();
                    }
                    if is_fill { format!("{array}[{}]", scope.index) } else { generator.place(scope, &array, false) }
                }
            }
        };
        let first = term(self);
        let second = term(self);
        if self.is_float {
            let half = if self.elem == "float" { "0.5f" } else { "0.5" };
            return match self.random.below(6) {
                0 => first,
                1 => format!("{first} * {half}"),
                2 => format!("({first} - {second}) * {half}"),
                3 => format!("{first} * {half} + {second}"),
                4 => format!("({first} > {second} ? {first} : {second})"),
                _ => format!("{first} + {second}"),
            };
        }
        match self.random.below(5) {
            0 => first,
            1 => format!("({first} ^ {second})"),
            2 => format!("{first} * 3u + {second}"),
            3 => format!("({first} > {second} ? {first} : {second})"),
            _ => format!("{first} + {second}"),
        }
    }
}
