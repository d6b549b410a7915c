//! The text form of the loop IR. It carries everything that has meaning, and neither spans nor names of the source;
//! `parse` reads it back. The printer believes nothing: it prints ill-formed programs too. `docs/ir.md` is the reference.

use super::{
    Arg, Array, ArrayData, Binding, Expr, Loop, LoopKind, Proc, ProcId, Program, Reduction, Stmt, Storage, Var,
};
use crate::effect::Effect;
use crate::scalar::{BinOp, Scalar};
use crate::text::literal::{GlobalName, Literal, Quoted, TensorLiteral};
use crate::text::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The text form of a procedure. Without a program a call names its procedure by number.
pub fn print_proc(proc: &Proc) -> String {
    Printer::new(None, proc).proc()
}

/// One statement of a procedure on one line, without what its blocks hold: what messages show of it.
pub fn print_stmt_head(proc: &Proc, stmt: &Stmt) -> String {
    let mut printer = Printer { elided: true, ..Printer::new(None, proc) };
    printer.stmt(stmt);
    printer.w.finish().trim().to_owned()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, proc) in self.procs.iter() {
            let blank = if frit_support::Index::at(id) == 0 { "" } else { "\n" };
            write!(f, "{blank}{}", Printer::new(Some(self), proc).proc())?;
        }
        match self.entry {
            Some(entry) => writeln!(f, "\nentry {}", Callee(Some(self), entry)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Proc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_proc(self))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut w = Writer::default();
        expr(&mut w, self, Tightness::Sum);
        f.write_str(&w.finish())
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Binding::Var(var) => var.fmt(f),
            Binding::Array(array) => array.fmt(f),
        }
    }
}

/// A procedure by name if its program is known, else by number.
struct Callee<'a>(Option<&'a Program>, ProcId);

impl fmt::Display for Callee<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.and_then(|program| program.procs.get(self.1)) {
            Some(proc) => GlobalName(&proc.name).fmt(f),
            None => self.1.fmt(f),
        }
    }
}

/// What may stand somewhere without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    /// Anything.
    Sum,
    /// Products and what binds tighter.
    Product,
    /// What has its own beginning and end.
    Primary,
}

/// How an operation is written: between its operands, or `None` if it is written as a function.
fn infix(op: BinOp) -> Option<(&'static str, Tightness)> {
    match op {
        BinOp::ADD => Some(("+", Tightness::Sum)),
        BinOp::SUB => Some(("-", Tightness::Sum)),
        BinOp::MUL => Some(("*", Tightness::Product)),
        BinOp::Divide(_) | BinOp::Math(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => None,
    }
}

fn exprs(w: &mut Writer, items: &[Expr]) {
    w.list(items, |w, item| expr(w, item, Tightness::Sum));
}

fn expr(w: &mut Writer, e: &Expr, allowed: Tightness) {
    match e {
        Expr::Const(constant) => w.put(Literal(*constant)),
        Expr::Var(var) => w.put(var),
        Expr::Load { array, index } => {
            w.put(format_args!("{array}["));
            exprs(w, index);
            w.put("]");
        }
        Expr::Unary { op, x } => {
            w.put(format_args!("{}(", op.name()));
            expr(w, x, Tightness::Sum);
            w.put(")");
        }
        Expr::Binary { op, x, y } => match infix(*op) {
            Some((sign, own)) => {
                let parenthesised = own < allowed;
                w.put(if parenthesised { "(" } else { "" });
                expr(w, x, own);
                w.put(format_args!(" {sign} "));
                let tighter = if own == Tightness::Sum { Tightness::Product } else { Tightness::Primary };
                expr(w, y, tighter);
                w.put(if parenthesised { ")" } else { "" });
            }
            None => {
                w.put(format_args!("{}(", op.name()));
                expr(w, x, Tightness::Sum);
                w.put(", ");
                expr(w, y, Tightness::Sum);
                w.put(")");
            }
        },
        Expr::Select { cond, on_true, on_false } => {
            w.put("select(");
            w.list([cond, on_true, on_false], |w, part| expr(w, part, Tightness::Sum));
            w.put(")");
        }
        Expr::Threads => w.put("threads"),
    }
}

struct Printer<'a> {
    program: Option<&'a Program>,
    proc: &'a Proc,
    /// Blocks are shown as `{ ... }`.
    elided: bool,
    w: Writer,
}

impl<'a> Printer<'a> {
    fn new(program: Option<&'a Program>, proc: &'a Proc) -> Self {
        Self { program, proc, elided: false, w: Writer::default() }
    }

    fn proc(mut self) -> String {
        let proc = self.proc;
        let (mut vars, mut arrays) = (BTreeSet::new(), BTreeSet::new());
        self.w.put(format_args!("proc {}(", GlobalName(&proc.name)));
        self.w.list(&proc.params, |w, param| match *param {
            Binding::Var(var) => {
                w.put(var);
                if let Some(known) = proc.vars.get(var)
                    && vars.insert(var)
                {
                    w.put(format_args!(": {}", known.scalar));
                }
            }
            Binding::Array(array) => {
                w.put(array);
                if let Some(known) = proc.arrays.get(array)
                    && let Storage::Param { consumed } = known.storage
                    && arrays.insert(array)
                {
                    w.put(if consumed { ": *" } else { ": " });
                    array_type(w, known);
                }
            }
        });
        self.w.put(") -> (");
        self.w.joined(&proc.results);
        self.w.put(") {");
        self.w.end();
        self.w.indent();
        self.declare_vars(&vars);
        self.declare_arrays(&arrays);
        self.stmts(&proc.body);
        self.w.dedent();
        self.w.put("}");
        self.w.end();
        self.w.finish()
    }

    /// A line per scalar type with all variables but the parameters.
    fn declare_vars(&mut self, params: &BTreeSet<Var>) {
        let mut by_type: BTreeMap<Scalar, Vec<Var>> = BTreeMap::new();
        for (var, known) in self.proc.vars.iter().filter(|(var, _)| !params.contains(var)) {
            by_type.entry(known.scalar).or_default().push(var);
        }
        for (scalar, vars) in by_type {
            self.w.begin();
            self.w.put("var ");
            self.w.joined(vars);
            self.w.put(format_args!(": {scalar}"));
            self.w.end();
        }
    }

    /// A line per array but the parameters.
    fn declare_arrays(&mut self, params: &BTreeSet<Array>) {
        let proc = self.proc;
        for (array, known) in proc.arrays.iter().filter(|(array, _)| !params.contains(array)) {
            self.w.begin();
            self.w.put(format_args!("array {array}: "));
            match &known.storage {
                Storage::Param { consumed } => self.w.put(if *consumed { "param *" } else { "param " }),
                Storage::Heap => self.w.put("heap "),
                Storage::Stack => self.w.put("stack "),
                Storage::Table(_) => self.w.put("table "),
                Storage::Reference => self.w.put("reference "),
            }
            array_type(&mut self.w, known);
            if let Storage::Table(tensor) = &known.storage {
                self.w.put(format_args!(" = {}", TensorLiteral(tensor)));
            }
            self.w.end();
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Statements in braces, from the opening one to the closing one.
    fn block(&mut self, stmts: &[Stmt]) {
        if self.elided {
            return self.w.put("{ ... }");
        }
        self.w.put("{");
        self.w.end();
        self.w.indent();
        self.stmts(stmts);
        self.w.dedent();
        self.w.begin();
        self.w.put("}");
    }

    fn expr(&mut self, e: &Expr) {
        expr(&mut self.w, e, Tightness::Sum);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.w.begin();
        match stmt {
            Stmt::Assign { var, value } => {
                self.w.put(format_args!("{var} = "));
                self.expr(value);
            }
            Stmt::Store { array, index, value } => {
                self.w.put(format_args!("{array}["));
                exprs(&mut self.w, index);
                self.w.put("] = ");
                self.expr(value);
            }
            Stmt::For(label) => self.counted_loop(*label),
            Stmt::While { before, cond, body } => {
                self.w.put("while ");
                self.block(before);
                self.w.put(" test ");
                self.expr(cond);
                self.w.put(" ");
                self.block(body);
            }
            Stmt::If { cond, then, otherwise } => {
                self.w.put("if ");
                self.expr(cond);
                self.w.put(" ");
                self.block(then);
                if !otherwise.is_empty() {
                    self.w.put(" else ");
                    self.block(otherwise);
                }
            }
            Stmt::Alloc { array } => self.w.put(format_args!("alloc {array}")),
            Stmt::Release { array } => self.w.put(format_args!("release {array}")),
            Stmt::Bind { reference, source, offset } => {
                self.w.put(format_args!("bind {reference} = {source} at "));
                self.expr(offset);
            }
            Stmt::Swap { first, second } => self.w.put(format_args!("swap {first}, {second}")),
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming } => {
                let word = if *streaming { "stream" } else { "copy" };
                self.w.put(format_args!("{word} {target} at "));
                self.expr(target_offset);
                self.w.put(format_args!(" from {source} at "));
                self.expr(source_offset);
                self.w.put(" count ");
                self.expr(count);
            }
            Stmt::Prefetch { array, offset, count, to_write } => {
                let word = if *to_write { "prefetch_to_write" } else { "prefetch" };
                self.w.put(format_args!("{word} {array} at "));
                self.expr(offset);
                self.w.put(" count ");
                self.expr(count);
            }
            Stmt::Check { cond, kind, args, .. } => {
                self.w.put("check ");
                self.expr(cond);
                self.w.put(format_args!(", {kind}("));
                exprs(&mut self.w, args);
                self.w.put(")");
            }
            Stmt::Call { callee, args, results, .. } => {
                self.w.joined(results);
                self.w.put(if results.is_empty() { "call " } else { " = call " });
                self.w.put(Callee(self.program, *callee));
                self.args(args);
            }
            Stmt::Effect { effect, args, answers } => {
                self.w.joined(answers);
                self.w.put(if answers.is_empty() { "" } else { " = " });
                self.w.put(match effect {
                    Effect::Print(_) => "output",
                    Effect::PrintTo(_) => "output_to",
                    Effect::Call(_) => "foreign",
                    Effect::Keep(_) => "keep",
                    Effect::Recall(_) => "recall",
                    Effect::Callback(_) => "callback",
                    Effect::Take(_) => "take",
                    Effect::Ask(_) => "ask",
                });
                if let Effect::Call(foreign) = effect {
                    self.w.put(format_args!(" {}", Quoted(foreign.to_string().chars().map(u32::from))));
                }
                if let Effect::Callback(call) = effect {
                    self.w.put(format_args!(" {}", Quoted(call.to_string().chars().map(u32::from))));
                }
                if let Effect::Keep(cell) | Effect::Recall(cell) | Effect::Take(cell) = effect {
                    self.w.put(format_args!(" {cell}"));
                }
                if let Effect::Ask(request) = effect {
                    self.w.put(format_args!(" {request}"));
                }
                if let Some((format, _)) = effect.format() {
                    let text = format.to_string();
                    self.w.put(format_args!(" {}", Quoted(text.chars().map(u32::from))));
                }
                self.w.put(" ");
                self.args(args);
            }
        }
        self.w.end();
    }

    fn args(&mut self, args: &[Arg]) {
        self.w.put("(");
        self.w.list(args, |w, arg| match arg {
            Arg::Scalar(value) => expr(w, value, Tightness::Sum),
            Arg::Array(array) => w.put(array),
        });
        self.w.put(")");
    }

    fn counted_loop(&mut self, label: Loop) {
        let proc = self.proc;
        let Some(data) = proc.loops.get(label) else {
            return self.w.put(format_args!("{label}: for ?"));
        };
        self.w.put(format_args!("{label}: for "));
        match data.var {
            Some(var) => self.w.put(var),
            None => self.w.put("_"),
        }
        self.w.put(" in ");
        self.expr(&data.lower);
        self.w.put("..");
        self.expr(&data.upper);
        if data.step != 1 {
            self.w.put(format_args!(" step {}", data.step));
        }
        match &data.kind {
            LoopKind::Sequential => {}
            LoopKind::Independent { parallel, simd, reductions } => {
                self.w.put(" independent");
                if let Some(parallel) = parallel {
                    self.w.put(" parallel(");
                    self.expr(&parallel.work);
                    self.w.put(if parallel.irregular { ", irregular)" } else { ")" });
                }
                self.vectors(*simd, reductions);
            }
            LoopKind::Scan { simd, streaming, reductions } => {
                self.w.put(if *streaming { " scan streaming" } else { " scan" });
                self.vectors(*simd, reductions);
            }
        }
        self.w.put(" ");
        self.block(&data.body);
    }

    fn vectors(&mut self, simd: bool, reductions: &[Reduction]) {
        self.w.put(if simd { " simd" } else { "" });
        if !reductions.is_empty() {
            self.w.put(" reduce(");
            self.w.list(reductions, |w, reduction| {
                w.put(format_args!("{} {}", reduction.op.name(), reduction.var));
            });
            self.w.put(")");
        }
    }
}

/// The element type and the extents of an array.
fn array_type(w: &mut Writer, known: &ArrayData) {
    w.put(known.elem);
    if !known.extents.is_empty() {
        w.put("[");
        exprs(w, &known.extents);
        w.put("]");
    }
}
