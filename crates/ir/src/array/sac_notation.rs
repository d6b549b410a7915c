//! Programs for readers who think in SAC: with-loops with generators and operations, names as in the source, expressions as trees.
//! For people only; `parse` does not read it, and certificates are left out.
//!
//! A value has the name that it has in the source, with a number if that is taken already; others are called `t` and indices `i`, `j`, `k`. A
//! scalar that one statement of the same block uses is shown in its place. Read `print` for the text form that has all.

use super::{
    Block, Extent, Func, Generator, Lambda, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Program, Stmt,
    Type, Value, View, WithLoop,
};
use crate::effect::Effect;
use crate::scalar::{BinOp, Const, Scalar, UnOp};
use crate::tensor::Tensor;
use crate::text::literal::{Bare, Quoted, TensorLiteral};
use crate::text::writer::Writer;
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Statements farther from their use than this have a line of their own.
const NEAR: usize = 64;

/// All functions of a program.
pub fn sac_program(program: &Program) -> String {
    let funcs: Vec<String> = program.funcs.iter().map(|(_, func)| Printer::new(program, func).func()).collect();
    funcs.join("\n")
}

/// How tightly an expression holds together: what binds less tightly than its context needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Or,
    Xor,
    And,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Prefix,
    Name,
}

/// A text with how tightly it holds together.
#[derive(Clone)]
struct Expr {
    text: String,
    binding: Binding,
}

impl Expr {
    fn name(text: String) -> Self {
        Self { text, binding: Binding::Name }
    }

    /// In a context that needs this.
    fn within(&self, context: Binding) -> String {
        if self.binding < context { format!("({})", self.text) } else { self.text.clone() }
    }
}

struct Printer<'a> {
    program: &'a Program,
    func: &'a Func,
    uses: Table<Value, u32>,
    names: BTreeMap<Value, String>,
    taken: BTreeSet<String>,
    /// Values that are shown where they are used.
    inlined: BTreeMap<Value, Expr>,
    w: Writer,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, func: &'a Func) -> Self {
        Self {
            program,
            func,
            uses: func.use_counts(),
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            inlined: BTreeMap::new(),
            w: Writer::default(),
        }
    }

    fn func(mut self) -> String {
        let func = self.func;
        for &size in &func.sizes {
            self.define(size, &["n", "m", "p", "q"]);
        }
        for param in &func.params {
            self.define(param.value, &["a", "b", "c", "d"]);
        }
        let results: Vec<String> = func
            .results
            .iter()
            .zip(&func.body.results)
            .filter(|(ty, _)| ty.elem != Scalar::Cert)
            .map(|(_, &result)| self.type_name(&func.operand_type(result)))
            .collect();
        let params: Vec<String> = func
            .params
            .iter()
            .filter(|param| func.ty(param.value).elem != Scalar::Cert)
            .map(|param| format!("{} {}", self.type_name(func.ty(param.value)), self.name(param.value)))
            .collect();
        let results = if results.is_empty() { "void".into() } else { results.join(", ") };
        self.w.put(format_args!("{results} {}({})", func.name, params.join(", ")));
        self.w.end();
        self.open();
        self.block(&func.body);
        let shown = self.shown(&func.body.results);
        if !shown.is_empty() {
            self.line(format!("return ({});", shown.join(", ")));
        }
        self.close("");
        self.w.finish()
    }

    fn line(&mut self, text: String) {
        self.w.begin();
        self.w.put(text);
        self.w.end();
    }

    fn open(&mut self) {
        self.line("{".into());
        self.w.indent();
    }

    fn close(&mut self, behind: &str) {
        self.w.dedent();
        self.line(format!("}}{behind}"));
    }

    /// Extents in scope have names by now; those that a block computes for its results do not yet.
    fn type_name(&self, ty: &Type) -> String {
        let elem = scalar_name(ty.elem);
        if ty.shape.is_empty() { elem.into() } else { format!("{elem}[{}]", self.extents(&ty.shape).join(",")) }
    }

    fn extents(&self, extents: &[Extent]) -> Vec<String> {
        let extent = |extent: &Extent| match extent {
            Extent::Const(n) => n.to_string(),
            Extent::Value(value) => match (self.inlined.get(value), self.names.get(value)) {
                (Some(expr), _) => expr.text.clone(),
                (None, Some(name)) => name.clone(),
                (None, None) => ".".into(),
            },
        };
        extents.iter().map(extent).collect()
    }

    /// Gives a value a name: that of the source, or the first of these that is free.
    fn define(&mut self, value: Value, fallback: &[&str]) -> String {
        let source = self.func.values.get(value).and_then(|data| data.name.as_deref());
        let word: Option<String> =
            source.map(|name| name.chars().filter(|&c| c.is_alphanumeric() || c == '_').collect());
        let word = word.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let free = || fallback.iter().find(|name| !self.taken.contains(**name)).map(|name| (*name).to_string());
        let base = word.clone().unwrap_or_else(|| fallback[0].to_string());
        let first = if word.is_some() { Some(base.clone()) } else { free() };
        let name = first.filter(|name| !self.taken.contains(name)).unwrap_or_else(|| {
            let numbered = |number: usize| format!("{base}{number}");
            (2..).map(numbered).find(|name| !self.taken.contains(name)).expect("there are numbers enough")
        });
        self.taken.insert(name.clone());
        self.names.insert(value, name.clone());
        name
    }

    fn name(&self, value: Value) -> String {
        self.names.get(&value).cloned().unwrap_or_else(|| value.to_string())
    }

    fn expr(&self, operand: Operand) -> Expr {
        match operand {
            Operand::Value(value) => match self.inlined.get(&value) {
                Some(expr) => expr.clone(),
                None => Expr::name(self.name(value)),
            },
            Operand::Const(constant) => constant_expr(constant),
        }
    }

    fn text(&self, operand: Operand) -> String {
        self.expr(operand).text
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|&operand| self.text(operand)).collect::<Vec<_>>().join(",")
    }

    /// The operands that are no certificates.
    fn shown(&self, operands: &[Operand]) -> Vec<String> {
        let is_shown = |operand: &&Operand| self.func.operand_type(**operand).elem != Scalar::Cert;
        operands.iter().filter(is_shown).map(|&operand| self.text(operand)).collect()
    }

    /// The statements of a block; what they define and use once is shown where it is used.
    fn block(&mut self, block: &'a Block) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            if self.is_inlined(block, at) {
                let expr = self.operation(&stmt.op).expect("only expressions are inlined");
                self.inlined.insert(stmt.results[0], expr);
            } else {
                self.stmt(stmt);
            }
        }
    }

    /// True if the statement is an expression that one later statement of the block, or its result, uses.
    fn is_inlined(&self, block: &Block, at: usize) -> bool {
        let &[result] = &block.stmts[at].results[..] else { return false };
        let is_expression =
            matches!(block.stmts[at].op, Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Index { .. });
        if !is_expression || self.uses.get(result) != Some(&1) {
            return false;
        }
        let mut found = block.results.contains(&result.into());
        for stmt in block.stmts[at + 1..].iter().take(NEAR) {
            let mut is_used = false;
            stmt.op.for_each_operand(self.func, &mut |operand| is_used |= operand == Operand::Value(result));
            found |= is_used;
        }
        found
    }

    /// The operation as an expression; `None` if it needs lines of its own.
    fn operation(&self, op: &Op) -> Option<Expr> {
        let call = |name: &str, args: Vec<String>| Expr::name(format!("{name}({})", args.join(", ")));
        Some(match op {
            Op::Unary { op, x } => self.unary(*op, *x),
            Op::Binary { op, x, y } => self.binary(*op, *x, *y),
            Op::Select { cond, on_true, on_false } => {
                let [cond, yes, no] = [*cond, *on_true, *on_false].map(|o| self.expr(o).within(Binding::Or));
                Expr { text: format!("{cond} ? {yes} : {no}"), binding: Binding::Choice }
            }
            Op::Index { array, indices } => {
                Expr::name(format!("{}[{}]", self.expr((*array).into()).within(Binding::Name), self.list(indices)))
            }
            Op::View { .. } => return None,
            Op::Table { tensor } => Expr::name(table(tensor)),
            Op::ArrayLit { elems } => Expr::name(format!("[{}]", self.list(elems))),
            Op::Iota { n } => call("iota", vec![self.text(*n)]),
            Op::Replicate { n, x } => call("genarray", vec![format!("[{}]", self.text(*n)), self.text(*x)]),
            Op::Concat { arrays } => {
                let arrays: Vec<String> =
                    arrays.iter().map(|&array| self.expr(array.into()).within(Binding::Name)).collect();
                Expr { text: arrays.join(" ++ "), binding: Binding::Choice }
            }
            Op::Copy { array } => call("copy", vec![self.name(*array)]),
            Op::Update { array, indices, value, consumes } => {
                let args = vec![self.name(*array), format!("[{}]", self.list(indices)), self.text(*value)];
                let mut expr = call("modarray", args);
                if *consumes {
                    expr.text += " /* in place */";
                }
                expr
            }
            Op::Call { callee, args } => {
                let name = self.program.funcs.get(*callee).map_or_else(|| callee.to_string(), |f| f.name.clone());
                call(&name, self.shown(args))
            }
            Op::Assert { .. } | Op::Conjoin { .. } | Op::Effect { .. } | Op::If { .. } | Op::Loop(_) | Op::With(_) => {
                return None;
            }
        })
    }

    fn unary(&self, op: UnOp, x: Operand) -> Expr {
        let prefix = |sign: &str| Expr {
            text: format!("{sign}{}", self.expr(x).within(Binding::Name)),
            binding: Binding::Prefix,
        };
        match op {
            UnOp::Neg => prefix("-"),
            UnOp::Not => prefix("!"),
            UnOp::Convert(to) => Expr::name(format!("{}({})", conversion_name(to), self.text(x))),
            _ => Expr::name(format!("{}({})", op.name(), self.text(x))),
        }
    }

    fn binary(&self, op: BinOp, x: Operand, y: Operand) -> Expr {
        let (sign, binding) = match op {
            BinOp::ADD => ("+", Binding::Sum),
            BinOp::SUB => ("-", Binding::Sum),
            BinOp::MUL => ("*", Binding::Product),
            BinOp::DIV => ("/", Binding::Product),
            BinOp::REM => ("%", Binding::Product),
            BinOp::SHL => ("<<", Binding::Shift),
            BinOp::SHR => (">>", Binding::Shift),
            BinOp::LT => ("<", Binding::Order),
            BinOp::LE => ("<=", Binding::Order),
            BinOp::EQ => ("==", Binding::Equality),
            BinOp::NE => ("!=", Binding::Equality),
            BinOp::AND => ("&", Binding::And),
            BinOp::XOR => ("^", Binding::Xor),
            BinOp::OR => ("|", Binding::Or),
            BinOp::FLOOR_MOD => return Expr::name(format!("mod({}, {})", self.text(x), self.text(y))),
            BinOp::FLOOR_DIV | BinOp::Math(_) | BinOp::MinMax(_) | BinOp::IN_BOUNDS => {
                return Expr::name(format!("{}({}, {})", op.name(), self.text(x), self.text(y)));
            }
        };
        // Operators of one level group to the left.
        let left = self.expr(x).within(binding);
        let right = self.expr(y);
        let right = if right.binding <= binding { format!("({})", right.text) } else { right.text };
        Expr { text: format!("{left} {sign} {right}"), binding }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        let is_shown = |value: &&Value| self.func.ty(**value).elem != Scalar::Cert;
        let results: Vec<Value> = stmt.results.iter().filter(is_shown).copied().collect();
        match &stmt.op {
            Op::Conjoin { .. } => {}
            Op::Assert { cond, kind, .. } => {
                let cond = self.text(*cond);
                self.line(format!("check({cond}); // {}", kind.code()));
            }
            Op::Effect { effect, args } => {
                let mut args: Vec<String> = args.iter().map(|&arg| self.text(arg)).collect();
                let name = match effect {
                    Effect::Print(_) => "printf",
                    Effect::PrintTo(_) => "fprintf",
                    Effect::Call(foreign) => &foreign.name,
                    Effect::Keep(_) => "keep",
                    Effect::Recall(_) => "recall",
                    Effect::Callback(call) => &call.name,
                    Effect::Take(_) => "take",
                    Effect::Ask(request) => request.name(),
                };
                if let Some((format, at)) = effect.format() {
                    args.insert(at, Quoted(format.to_string().chars().map(u32::from).collect::<Vec<_>>()).to_string());
                }
                let answers: Vec<String> = results.iter().map(|value| self.name(*value).to_string()).collect();
                let answer = if answers.is_empty() { String::new() } else { format!("{} = ", answers.join(", ")) };
                self.line(format!("{answer}{name}({});", args.join(", ")));
            }
            Op::If { cond, then, otherwise } => self.branch(*cond, then, otherwise, &results, &stmt.results),
            Op::Loop(data) => self.sequential(data, &results, &stmt.results),
            Op::With(label) => self.with_loop(*label, &results),
            Op::View { array, view } => {
                let text = self.view(*array, view, &self.func.ty(stmt.results[0]).shape);
                let name = self.define(stmt.results[0], &["t"]);
                self.line(format!("{name} = {text};"));
            }
            op => {
                let expr = self.operation(op).expect("the others have lines of their own");
                let names: Vec<String> = results.iter().map(|&result| self.define(result, &["t"])).collect();
                let target = if names.is_empty() { String::new() } else { format!("{} = ", names.join(", ")) };
                self.line(format!("{target}{};", expr.text));
            }
        }
    }

    fn view(&self, array: Value, view: &View, shape: &[Extent]) -> String {
        let array = self.name(array);
        let shape = self.extents(shape).join(",");
        match view {
            View::Permute { axes } => {
                let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
                format!("transpose([{}], {array})", axes.join(","))
            }
            View::Reshape => format!("reshape([{shape}], {array})"),
            View::Slice { starts, steps } => {
                let starts = self.list(starts);
                match steps.iter().all(|&step| step == 1) {
                    true => format!("tile([{shape}], [{starts}], {array})"),
                    false => {
                        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
                        format!("tile([{shape}], [{starts}], [{}], {array})", steps.join(","))
                    }
                }
            }
            View::Broadcast => format!("broadcast([{shape}], {array})"),
        }
    }

    /// Assigns what a block yields.
    fn assign(&mut self, targets: &[String], results: &[Operand]) {
        for (target, result) in targets.iter().zip(self.shown(results)) {
            if *target != result {
                self.line(format!("{target} = {result};"));
            }
        }
    }

    fn branch(&mut self, cond: Operand, then: &'a Block, otherwise: &'a Block, results: &[Value], _: &[Value]) {
        let cond = self.text(cond);
        let names: Vec<String> = results.iter().map(|&result| self.define(result, &["t"])).collect();
        self.line(format!("if ({cond})"));
        self.open();
        self.block(then);
        self.assign(&names, &then.results);
        self.close("");
        if !otherwise.stmts.is_empty() || !names.is_empty() {
            self.line("else".into());
            self.open();
            self.block(otherwise);
            self.assign(&names, &otherwise.results);
            self.close("");
        }
    }

    fn sequential(&mut self, data: &'a LoopData, results: &[Value], all: &[Value]) {
        let mut names = Vec::new();
        for (&param, &init) in data.params.iter().zip(&data.init) {
            if self.func.ty(param).elem == Scalar::Cert {
                continue;
            }
            let init = self.text(init);
            let name = self.define(param, &["t"]);
            self.line(format!("{name} = {init};"));
            names.push(name);
        }
        // A result is the last value of its parameter.
        for (&result, &param) in all.iter().zip(&data.params) {
            if results.contains(&result) {
                self.names.insert(result, self.name(param));
            }
        }
        match &data.kind {
            LoopKind::For { index, count } => {
                let count = self.text(*count);
                let index = self.define(*index, &["i", "j", "k"]);
                self.line(format!("for ({index} = 0; {index} < {count}; {index}++)"));
                self.open();
            }
            LoopKind::While { condition }
                if condition.stmts.iter().enumerate().all(|(at, _)| self.is_inlined(condition, at)) =>
            {
                self.block(condition);
                let condition = self.text(condition.results[0]);
                self.line(format!("while ({condition})"));
                self.open();
            }
            LoopKind::While { condition } => {
                self.line("while (true)".into());
                self.open();
                self.block(condition);
                let condition = self.expr(condition.results[0]).within(Binding::Name);
                self.line(format!("if (!{condition}) break;"));
            }
        }
        self.block(&data.body);
        self.assign(&names, &data.body.results);
        self.close("");
    }

    fn with_loop(&mut self, label: WithLoop, results: &[Value]) {
        let Some(data) = self.func.with_loops.get(label) else { return };
        let indices: Vec<String> =
            data.indices.iter().map(|&index| self.define(index, &["i", "j", "k", "l"])).collect();
        let names: Vec<String> = results.iter().map(|&result| self.define(result, &["t"])).collect();
        self.line(format!("{} = with {{ // {label}", names.join(", ")));
        self.w.indent();
        for generator in &data.generators {
            self.generator(generator, &data.space, &indices);
        }
        let operations: Vec<String> =
            data.operators.iter().map(|operator| self.operation_of(operator, &data.space)).collect();
        let operations = match &operations[..] {
            [one] => one.clone(),
            more => format!("({})", more.join(", ")),
        };
        self.close(&format!(" : {operations};"));
    }

    fn generator(&mut self, generator: &'a Generator, space: &[Extent], indices: &[String]) {
        let zero = Operand::i64(0);
        let is_full = generator.lower.iter().all(|&lower| lower == zero)
            && generator.upper.iter().zip(space).all(|(&upper, &extent)| upper == extent.into());
        let grid = if generator.step == generator.width {
            String::new()
        } else {
            let numbers = |list: &[i64]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let width = match generator.width.iter().all(|&width| width == 1) {
                true => String::new(),
                false => format!(" width [{}]", numbers(&generator.width)),
            };
            format!(" step [{}]{width}", numbers(&generator.step))
        };
        let indices = indices.join(",");
        let bounds = match is_full {
            true => format!(". <= [{indices}] <= ."),
            false => format!("[{}] <= [{indices}] < [{}]", self.list(&generator.lower), self.list(&generator.upper)),
        };
        let body = &generator.body;
        let is_expression = (0..body.stmts.len()).all(|at| self.is_inlined(body, at));
        if is_expression {
            self.block(body);
        } else {
            self.line(format!("({bounds}{grid}) {{"));
            self.w.indent();
            self.block(body);
            self.w.dedent();
        }
        let cells = self.shown(&body.results);
        let cells = match &cells[..] {
            [one] => one.clone(),
            more => format!("({})", more.join(", ")),
        };
        match is_expression {
            true => self.line(format!("({bounds}{grid}) : {cells};")),
            false => self.line(format!("}} : {cells};")),
        }
    }

    fn operation_of(&mut self, operator: &'a OperatorData, space: &[Extent]) -> String {
        let space = self.extents(space).join(",");
        let text = match &operator.op {
            Operator::GenArray => format!("genarray([{space}])"),
            Operator::ModArray { source, consumes } => {
                let note = if *consumes { " /* in place */" } else { "" };
                format!("modarray({}{note})", self.name(*source))
            }
            Operator::Fold { combine, neutral, .. } => {
                let function = self.function(combine);
                format!("fold({function}, {})", self.list(neutral))
            }
            Operator::Scan { combine, neutral } => {
                let function = self.function(combine);
                format!("scan({function}, {})", self.list(neutral))
            }
            Operator::Filter { .. } => "filter()".into(),
            Operator::Uniform => "uniform()".into(),
        };
        if operator.guarded { format!("guarded {text}") } else { text }
    }

    /// A combining function: an operator if it is one, else its parameters and what it computes.
    fn function(&mut self, lambda: &'a Lambda) -> String {
        if let ([x, y], [stmt]) = (&lambda.params[..], &lambda.body.stmts[..])
            && let Op::Binary { op, x: a, y: b } = stmt.op
            && (a, b) == ((*x).into(), (*y).into())
            && lambda.body.results[..] == [stmt.results[0].into()]
        {
            return match op {
                BinOp::ADD => "+".into(),
                BinOp::MUL => "*".into(),
                BinOp::AND => "&&".into(),
                BinOp::OR => "||".into(),
                _ => op.name().into(),
            };
        }
        let params: Vec<String> = lambda.params.iter().map(|&param| self.define(param, &["x", "y"])).collect();
        // Lines of the body are collected apart: the function stands within a line.
        let outer = std::mem::take(&mut self.w);
        self.block(&lambda.body);
        let lines = std::mem::replace(&mut self.w, outer).finish();
        let lines: Vec<&str> = lines.lines().map(str::trim).collect();
        let results = self.shown(&lambda.body.results).join(", ");
        match lines.is_empty() {
            true => format!("({}) -> {results}", params.join(", ")),
            false => format!("({}) -> {{ {} }} {results}", params.join(", "), lines.join(" ")),
        }
    }
}

/// A constant array, as nested brackets if it is small.
fn table(tensor: &Tensor) -> String {
    const MAX_SHOWN: usize = 64;
    fn nested(tensor: &Tensor, axis: usize, at: &mut usize) -> String {
        if axis == tensor.shape().len() {
            *at += 1;
            return constant_expr(tensor.data().get(*at - 1)).text;
        }
        let parts: Vec<String> = (0..tensor.shape()[axis]).map(|_| nested(tensor, axis + 1, at)).collect();
        format!("[{}]", parts.join(","))
    }
    let count = tensor.data().len();
    if (1..=MAX_SHOWN).contains(&count) && tensor.elem() != Scalar::Char {
        return nested(tensor, 0, &mut 0);
    }
    TensorLiteral(tensor).to_string()
}

fn constant_expr(constant: Const) -> Expr {
    let text = match constant {
        Const::F32(_) => format!("{}f", Bare(constant)),
        Const::Cert => String::new(),
        Const::Int(..) | Const::F64(_) | Const::Bool(_) | Const::Char(_) => Bare(constant).to_string(),
    };
    let binding = if text.starts_with('-') { Binding::Prefix } else { Binding::Name };
    Expr { text, binding }
}

fn scalar_name(elem: Scalar) -> &'static str {
    match elem {
        Scalar::I8 => "byte",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 => "long",
        Scalar::U8 => "ubyte",
        Scalar::U16 => "ushort",
        Scalar::U32 => "uint",
        Scalar::U64 => "ulong",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::Bool => "bool",
        Scalar::Char => "char",
        Scalar::Cert => "void",
    }
}

fn conversion_name(to: Scalar) -> &'static str {
    match to {
        Scalar::I32 => "toi",
        Scalar::I64 => "tol",
        Scalar::U32 => "toui",
        Scalar::U64 => "toul",
        Scalar::F32 => "tof",
        Scalar::F64 => "tod",
        Scalar::Bool => "tobool",
        other => scalar_name(other),
    }
}
