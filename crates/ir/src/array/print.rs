//! The text form of the array IR, and the same for readers who think in L0's combinators.
//!
//! The text form carries everything that has meaning, and neither spans nor names of the source; `parse` reads it back. Values,
//! with-loops and functions print under their own numbers, so dumps, panics and tests speak of the same `%7`. The
//! printer believes nothing: it prints ill-formed programs too, as the verifier's messages need. `docs/ir.md` is the
//! reference.

use super::l0_notation::{self, Combinator};
use super::{
    Block, Extent, Func, FuncId, Generator, Lambda, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Program,
    ResultExtent, ResultType, Stmt, Type, Value, View, WithLoop, WithLoopData,
};
use crate::effect::Effect;
use crate::text::literal::{GlobalName, Literal, Quoted, TensorLiteral};
use crate::text::writer::Writer;
use frit_support::Table;
use std::fmt;

/// The text form of a function. Without a program a call names its function by number.
pub fn print_func(func: &Func) -> String {
    Printer::new(None, func, Notation::Ir).func()
}

/// A function for readers who think in L0: a with-loop that is exactly a `mapT`, `reduceT`, `redomapT`, `scanT` or
/// `filterT` is shown as that, any other as a with-loop. For people only; `parse` does not read it.
pub fn l0(func: &Func) -> String {
    Printer::new(None, func, Notation::L0).func()
}

/// All functions of a program as [`l0`] shows them.
pub fn l0_program(program: &Program) -> String {
    print_program(program, Notation::L0)
}

/// One statement of a function, with all inside it.
pub fn print_stmt(func: &Func, stmt: &Stmt) -> String {
    let mut printer = Printer::new(None, func, Notation::Ir);
    printer.stmt(stmt);
    printer.w.finish()
}

/// One statement of a function on one line, without what its blocks hold: what messages show of it.
pub fn print_stmt_head(func: &Func, stmt: &Stmt) -> String {
    let mut printer = Printer { elided: true, ..Printer::new(None, func, Notation::Ir) };
    printer.stmt(stmt);
    printer.w.finish().trim().to_owned()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_program(self, Notation::Ir))
    }
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_func(self))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.elem)?;
        if self.shape.is_empty() { Ok(()) } else { write!(f, "[{}]", Commas(&self.shape)) }
    }
}

impl fmt::Display for ResultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.unique { "*" } else { "" }, self.elem)?;
        if self.shape.is_empty() { Ok(()) } else { write!(f, "[{}]", Commas(&self.shape)) }
    }
}

impl fmt::Display for ResultExtent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultExtent::Const(n) => write!(f, "{n}"),
            ResultExtent::Size(size) => write!(f, "{size}"),
            ResultExtent::Result(at) => write!(f, "#{at}"),
            ResultExtent::Caller => f.write_str("?"),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Const(n) => write!(f, "{n}"),
            Extent::Value(v) => write!(f, "{v}"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Value(v) => write!(f, "{v}"),
            Operand::Const(c) => write!(f, "{}", Literal(*c)),
        }
    }
}

/// The type of a value; `?` if it is no value of the function.
struct TypeOf<'a>(&'a Func, Value);

impl fmt::Display for TypeOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.values.get(self.1) {
            Some(value) => value.ty.fmt(f),
            None => f.write_str("?"),
        }
    }
}

/// Items with `, ` between them.
struct Commas<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// How with-loops are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// As they are.
    Ir,
    /// As L0's combinators where they are exactly that.
    L0,
}

fn print_program(program: &Program, notation: Notation) -> String {
    let mut text = String::new();
    for (_, func) in program.funcs.iter() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&Printer::new(Some(program), func, notation).func());
    }
    if let Some(entry) = program.entry {
        text.push_str(&format!("\nentry {}\n", Callee(Some(program), entry)));
    }
    text
}

/// A function by name if its program is known, else by number.
struct Callee<'a>(Option<&'a Program>, FuncId);

impl fmt::Display for Callee<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.and_then(|program| program.funcs.get(self.1)) {
            Some(func) => GlobalName(&func.name).fmt(f),
            None => self.1.fmt(f),
        }
    }
}

struct Printer<'a> {
    program: Option<&'a Program>,
    func: &'a Func,
    /// How often each value is used; only known for [`Notation::L0`].
    uses: Option<Table<Value, u32>>,
    /// Blocks are shown as `{ ... }`.
    elided: bool,
    w: Writer,
}

impl<'a> Printer<'a> {
    fn new(program: Option<&'a Program>, func: &'a Func, notation: Notation) -> Self {
        let uses = match notation {
            Notation::Ir => None,
            Notation::L0 => Some(func.use_counts()),
        };
        Self { program, func, uses, elided: false, w: Writer::default() }
    }

    fn func(mut self) -> String {
        let func = self.func;
        self.w.put(if func.noinline { "noinline " } else { "" });
        self.w.put(format_args!("func {}", GlobalName(&func.name)));
        if !func.sizes.is_empty() {
            self.w.put(format_args!("[{}]", Commas(&func.sizes)));
        }
        self.w.put("(");
        self.w.list(&func.params, |w, param| {
            let star = if param.consumed { "*" } else { "" };
            w.put(format_args!("{}: {star}{}", param.value, TypeOf(func, param.value)));
        });
        self.w.put(format_args!(") -> ({}) ", Commas(&func.results)));
        self.block(&func.body, "return");
        self.w.end();
        self.w.finish()
    }

    /// A block in braces, from the opening one to the closing one.
    fn block(&mut self, block: &Block, result_word: &str) {
        self.block_without(block, &[], result_word);
    }

    /// A block in braces without the statements whose results are only these.
    fn block_without(&mut self, block: &Block, hidden: &[Value], result_word: &str) {
        if self.elided {
            return self.w.put("{ ... }");
        }
        self.w.put("{");
        self.w.end();
        self.w.indent();
        for stmt in &block.stmts {
            if hidden.is_empty() || !stmt.results.iter().all(|result| hidden.contains(result)) {
                self.stmt(stmt);
            }
        }
        self.w.begin();
        self.w.put(result_word);
        if !block.results.is_empty() {
            self.w.put(" ");
            self.w.joined(&block.results);
        }
        self.w.end();
        self.w.dedent();
        self.w.begin();
        self.w.put("}");
    }

    fn results_and_equals(&mut self, stmt: &Stmt) {
        let func = self.func;
        self.w.list(&stmt.results, |w, &result| w.put(format_args!("{result}: {}", TypeOf(func, result))));
        if !stmt.results.is_empty() {
            self.w.put(" = ");
        }
    }

    /// The name of an operation and the certificates it is under.
    fn word(&mut self, word: &str, certs: &[Value]) {
        self.w.put(word);
        if !certs.is_empty() {
            self.w.put(format_args!("<{}>", Commas(certs)));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.w.begin();
        self.results_and_equals(stmt);
        self.op(&stmt.op, &stmt.certs);
        self.w.end();
    }

    fn op(&mut self, op: &Op, certs: &[Value]) {
        match op {
            Op::Unary { op, x } => {
                self.word(op.name(), certs);
                self.w.put(format_args!(" {x}"));
            }
            Op::Binary { op, x, y } => {
                self.word(op.name(), certs);
                self.w.put(format_args!(" {x}, {y}"));
            }
            Op::Select { cond, on_true, on_false } => {
                self.word("select", certs);
                self.w.put(format_args!(" {cond}, {on_true}, {on_false}"));
            }
            Op::Index { array, indices } => {
                self.word("index", certs);
                self.w.put(format_args!(" {array}[{}]", Commas(indices)));
            }
            Op::View { array, view } => {
                self.word("view", certs);
                self.w.put(format_args!(" {array} "));
                self.view(view);
            }
            Op::Table { tensor } => {
                self.word("table", certs);
                self.w.put(format_args!(" {}", TensorLiteral(tensor)));
            }
            Op::ArrayLit { elems } => {
                self.word("array", certs);
                self.w.put(format_args!(" [{}]", Commas(elems)));
            }
            Op::Iota { n } => {
                self.word("iota", certs);
                self.w.put(format_args!(" {n}"));
            }
            Op::Replicate { n, x } => {
                self.word("replicate", certs);
                self.w.put(format_args!(" {n}, {x}"));
            }
            Op::Concat { arrays } => {
                self.word("concat", certs);
                self.w.put(format_args!(" {}", Commas(arrays)));
            }
            Op::Copy { array } => {
                self.word("copy", certs);
                self.w.put(format_args!(" {array}"));
            }
            Op::Update { array, indices, value, consumes } => {
                self.word("update", certs);
                let consumes = if *consumes { "consumes " } else { "" };
                self.w.put(format_args!(" {consumes}{array}[{}] = {value}", Commas(indices)));
            }
            Op::Assert { cond, kind, args } => {
                self.word("assert", certs);
                self.w.put(format_args!(" {cond}, {kind}({})", Commas(args)));
            }
            Op::Effect { effect: Effect::Ask(request), args } => {
                self.word("ask", certs);
                self.w.put(format_args!(" {request} ({})", Commas(args)));
            }
            Op::Effect { effect: Effect::Call(foreign), args } => {
                self.word("foreign", certs);
                let text = foreign.to_string();
                self.w.put(format_args!(" {} ({})", Quoted(text.chars().map(u32::from)), Commas(args)));
            }
            Op::Effect { effect: Effect::Callback(call), args } => {
                self.word("callback", certs);
                let text = call.to_string();
                self.w.put(format_args!(" {} ({})", Quoted(text.chars().map(u32::from)), Commas(args)));
            }
            Op::Effect { effect: effect @ (Effect::Keep(cell) | Effect::Recall(cell) | Effect::Take(cell)), args } => {
                let word = match effect {
                    Effect::Keep(_) => "keep",
                    Effect::Recall(_) => "recall",
                    _ => "take",
                };
                self.word(word, certs);
                self.w.put(format_args!(" {cell} ({})", Commas(args)));
            }
            Op::Effect { effect: effect @ (Effect::Print(format) | Effect::PrintTo(format)), args } => {
                self.word(if matches!(effect, Effect::Print(_)) { "output" } else { "output_to" }, certs);
                let text = format.to_string();
                self.w.put(format_args!(" {} ({})", Quoted(text.chars().map(u32::from)), Commas(args)));
            }
            Op::Conjoin { certs: parts } => {
                self.word("conjoin", certs);
                self.w.put(format_args!(" ({})", Commas(parts)));
            }
            Op::If { cond, then, otherwise } => {
                self.word("if", certs);
                self.w.put(format_args!(" {cond} "));
                self.block(then, "yield");
                self.w.put(" else ");
                self.block(otherwise, "yield");
            }
            Op::Loop(data) => self.sequential_loop(data, certs),
            Op::With(w) => self.with_loop(*w, certs),
            Op::Call { callee, args } => {
                self.word("call", certs);
                self.w.put(format_args!(" {}({})", Callee(self.program, *callee), Commas(args)));
            }
        }
    }

    fn view(&mut self, view: &View) {
        match view {
            View::Permute { axes } => self.w.put(format_args!("permute({})", Commas(axes))),
            View::Reshape => self.w.put("reshape"),
            View::Slice { starts, steps } => {
                self.w.put("slice(");
                self.w.list(starts.iter().zip(steps), |w, (start, step)| {
                    w.put(start);
                    if *step != 1 {
                        w.put(format_args!(" step {step}"));
                    }
                });
                self.w.put(")");
            }
            View::Broadcast => self.w.put("broadcast"),
        }
    }

    fn sequential_loop(&mut self, data: &LoopData, certs: &[Value]) {
        match &data.kind {
            LoopKind::For { index, count } => {
                self.word("for", certs);
                self.w.put(format_args!(" {index} < {count} {}(", if data.regroups { "regroups " } else { "" }));
            }
            LoopKind::While { .. } => {
                self.word("while", certs);
                self.w.put(" (");
            }
        }
        let func = self.func;
        self.w.list(data.params.iter().enumerate(), |w, (at, param)| {
            let star = if data.consumed.get(at) == Some(&true) { "*" } else { "" };
            w.put(format_args!("{param}: {star}{}", TypeOf(func, *param)));
            if let Some(init) = data.init.get(at) {
                w.put(format_args!(" = {init}"));
            }
        });
        self.w.put(") ");
        match &data.kind {
            LoopKind::For { .. } => {}
            LoopKind::While { condition } => {
                self.block(condition, "yield");
                self.w.put(" do ");
            }
        }
        self.block(&data.body, "yield");
    }

    fn with_loop(&mut self, label: WithLoop, certs: &[Value]) {
        let func = self.func;
        let Some(data) = func.with_loops.get(label) else {
            return self.w.put(format_args!("{label}: with ?"));
        };
        if let Some(combinator) = self.uses.as_ref().and_then(|uses| l0_notation::recognise(uses, data)) {
            return self.combinator(label, data, &combinator, certs);
        }
        self.w.put(format_args!("{label}: "));
        self.word("with", certs);
        self.w.put(format_args!(" ({}) in [{}] ", Commas(&data.indices), Commas(&data.space)));
        self.generators(&data.generators);
        self.w.put(" : ");
        for (at, operator) in data.operators.iter().enumerate() {
            if at > 0 {
                self.w.put(", ");
            }
            self.operator(operator);
        }
    }

    fn generators(&mut self, generators: &[Generator]) {
        if self.elided {
            return self.w.put("{ ... }");
        }
        self.w.put("{");
        self.w.end();
        self.w.indent();
        for generator in generators {
            self.generator(generator);
        }
        self.w.dedent();
        self.w.begin();
        self.w.put("}");
    }

    fn generator(&mut self, generator: &Generator) {
        self.w.begin();
        self.w.put(format_args!("[{}] <= iv < [{}] ", Commas(&generator.lower), Commas(&generator.upper)));
        if generator.step.iter().chain(&generator.width).any(|&n| n != 1) {
            self.w.put(format_args!("step [{}] width [{}] ", Commas(&generator.step), Commas(&generator.width)));
        }
        self.block(&generator.body, "yield");
        self.w.end();
    }

    fn operator(&mut self, operator: &OperatorData) {
        if operator.guarded {
            self.w.put("guarded ");
        }
        match &operator.op {
            Operator::GenArray => self.w.put("genarray"),
            Operator::ModArray { source, consumes } => {
                let consumes = if *consumes { "consumes " } else { "" };
                self.w.put(format_args!("modarray({consumes}{source})"));
            }
            Operator::Fold { combine, neutral, commutative } => {
                let commutative = if *commutative { " commutative" } else { "" };
                self.w.put(format_args!("fold{commutative} ({}) by ", Commas(neutral)));
                self.lambda(combine);
            }
            Operator::Scan { combine, neutral } => {
                self.w.put(format_args!("scan ({}) by ", Commas(neutral)));
                self.lambda(combine);
            }
            Operator::Filter { arrays } => self.w.put(format_args!("filter {arrays}")),
            Operator::Uniform => self.w.put("uniform"),
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.w.put("(");
        self.typed(&lambda.params);
        self.w.put(") ");
        self.block(&lambda.body, "yield");
    }

    fn typed(&mut self, values: &[Value]) {
        let func = self.func;
        self.w.list(values, |w, &value| w.put(format_args!("{value}: {}", TypeOf(func, value))));
    }

    /// A with-loop as the L0 combinator that it is: operator function, mapped function, neutral elements, arrays.
    fn combinator(&mut self, label: WithLoop, data: &WithLoopData, combinator: &Combinator, certs: &[Value]) {
        let func = self.func;
        self.w.put(format_args!("{label}: "));
        self.word(combinator.name, certs);
        self.w.put("(");
        let mut neutrals: Vec<Operand> = Vec::new();
        for operator in &data.operators {
            match &operator.op {
                Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => {
                    self.w.put("fn ");
                    self.lambda(combine);
                    self.w.put(", ");
                    neutrals.extend(neutral);
                }
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
        if combinator.has_function {
            self.w.put("fn (");
            self.w.list(&combinator.inputs, |w, input| {
                w.put(format_args!("{}: {}", input.element, TypeOf(func, input.element)));
            });
            self.w.put(") ");
            let hidden: Vec<Value> = combinator.inputs.iter().map(|input| input.element).collect();
            let mut body = data.generators[0].body.clone();
            body.results.truncate(combinator.shown_cells);
            self.block_without(&body, &hidden, "yield");
            self.w.put(", ");
        }
        for neutral in neutrals {
            self.w.put(format_args!("{neutral}, "));
        }
        self.w.list(&combinator.inputs, |w, input| match input.array {
            Some(array) => w.put(array),
            None => w.put(format_args!("iota({})", Commas(&data.space))),
        });
        self.w.put(")");
    }
}
