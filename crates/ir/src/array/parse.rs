//! Parser of the text form: reads back what `print` writes, and what people write in test files.
//!
//! Checks the form only: every name has one definition and what is used is defined somewhere. Scopes and types are
//! the verifier's. `docs/ir.md` is the reference of the form.

use super::schedule::{Schedule, parse_block};
use super::{
    Block, Extent, Func, FuncId, Generator, Lambda, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Param,
    Program, ResultExtent, ResultType, Stmt, Type, Value, ValueData, View, WithLoop, WithLoopData,
};
use crate::effect::Effect;
use crate::scalar::{BinOp, Scalar, UnOp};
pub use crate::text::ParseError;
use crate::text::cursor::{Cursor, Parsed, fill_table, place};
use crate::text::lex::Token;
use frit_support::{FileId, Index, Span};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The program of a text. Nothing in it has a place in a source file.
pub fn parse_program(text: &str) -> Result<Program, ParseError> {
    frit_support::with_deep_stack(|| program(text, None))
}

/// The program of a text that is a source file: statements have their places in it.
pub fn parse_file(text: &str, file: FileId) -> Result<Program, ParseError> {
    frit_support::with_deep_stack(|| program(text, Some(file)))
}

/// The program and the schedule of a text, as `frit dump --after schedule` writes them.
pub fn parse_scheduled(text: &str) -> Result<(Program, Schedule), ParseError> {
    frit_support::with_deep_stack(|| items(text, None, None))
}

/// The schedule of a text for this program. If functions stand before it, they must be the program's.
pub fn parse_schedule(text: &str, program: &Program) -> Result<Schedule, ParseError> {
    frit_support::with_deep_stack(|| {
        let (found, schedule) = items(text, None, Some(program))?;
        if found.funcs.is_empty() || found.to_string() == program.to_string() {
            return Ok(schedule);
        }
        let why = "the schedule is of another program than this: make it again, with the same options";
        Err(Cursor::new(text, None).error(why))
    })
}

fn program(text: &str, file: Option<FileId>) -> Parsed<Program> {
    let (program, schedule) = items(text, file, None)?;
    if schedule.iter().next().is_some() {
        let why = "this is a program with schedules: these stand in a file of their own, which `--schedule` names";
        return Err(Cursor::new(text, file).error(why));
    }
    Ok(program)
}

/// The functions of a text, and the schedules of these or of the functions of `other`.
fn items(text: &str, file: Option<FileId>, other: Option<&Program>) -> Parsed<(Program, Schedule)> {
    let mut cursor = Cursor::new(text, file);
    let names = function_names(&cursor)?;
    let (mut program, mut schedule) = (Program::default(), Schedule::default());
    loop {
        let position = cursor.position();
        if *cursor.peek() == Token::End {
            return Ok((program, schedule));
        }
        let noinline = cursor.eat_word("noinline");
        if cursor.eat_word("func") {
            let func = Parser::new(&mut cursor, &names).func(position)?;
            program.funcs.push(Func { noinline, ..func });
        } else if noinline {
            return Err(cursor.expected("`func`"));
        } else if cursor.eat_word("schedule") {
            let of = other.filter(|_| program.funcs.is_empty()).unwrap_or(&program);
            parse_block(&mut cursor, of, &mut schedule)?;
        } else if cursor.eat_word("entry") {
            if program.entry.is_some() {
                return Err(cursor.error_at(position, "a program has one entry"));
            }
            program.entry = Some(callee(&mut cursor, &names)?);
        } else {
            return Err(cursor.expected("`func`, `schedule` or `entry`"));
        }
    }
}

/// The functions of a text in order, found ahead because calls may come before definitions.
fn function_names(cursor: &Cursor<'_>) -> Parsed<BTreeMap<String, FuncId>> {
    let mut names = BTreeMap::new();
    for (at, pair) in cursor.all().windows(2).enumerate() {
        if let (Token::Word("func"), Token::Global(name)) = (&pair[0].token, &pair[1].token) {
            let id = FuncId::new(names.len());
            if names.insert(name.clone(), id).is_some() {
                return Err(cursor.error_at(at + 1, "there is another function with this name"));
            }
        }
    }
    Ok(names)
}

fn callee(cursor: &mut Cursor<'_>, names: &BTreeMap<String, FuncId>) -> Parsed<FuncId> {
    let position = cursor.position();
    if cursor.is_numbered("f") {
        let id: FuncId = cursor.numbered("f", "a function")?;
        return if id.at() < names.len() {
            Ok(id)
        } else {
            Err(cursor.error_at(position, "there is no such function"))
        };
    }
    let name = cursor.global()?;
    names.get(&name).copied().ok_or_else(|| cursor.error_at(position, "there is no function with this name"))
}

struct Parser<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    names: &'c BTreeMap<String, FuncId>,
    values: Vec<Option<ValueData>>,
    with_loops: Vec<Option<WithLoopData>>,
    /// Where each value is first used.
    uses: HashMap<Value, usize>,
}

impl<'c, 'a> Parser<'c, 'a> {
    fn new(cursor: &'c mut Cursor<'a>, names: &'c BTreeMap<String, FuncId>) -> Self {
        Self { cursor, names, values: Vec::new(), with_loops: Vec::new(), uses: HashMap::new() }
    }

    fn func(mut self, first: usize) -> Parsed<Func> {
        let mut func = Func::new(self.cursor.global()?, Span::NONE);
        if matches!(self.cursor.peek(), Token::Punct("[")) {
            func.sizes = self.list("[", "]", |p| p.binder(Type::scalar(Scalar::I64)))?;
        }
        func.params = self.list("(", ")", |p| {
            let (value, consumed) = p.typed_binder()?;
            Ok(Param { value, consumed })
        })?;
        self.cursor.expect("->")?;
        func.results = self.list("(", ")", Self::result_type)?;
        func.span = self.cursor.span_from(first);
        func.body = self.block("return")?;
        self.check_uses()?;
        let filler = || ValueData { ty: Type::scalar(Scalar::I64), name: None, span: Span::NONE };
        func.values = fill_table(self.values, filler);
        func.with_loops = fill_table(self.with_loops, WithLoopData::default);
        Ok(func)
    }

    /// Every value that is used is defined.
    fn check_uses(&self) -> Parsed<()> {
        let undefined = |value: &Value| self.values.get(value.at()).is_none_or(Option::is_none);
        let first = self.uses.iter().filter(|(value, _)| undefined(value)).min_by_key(|(_, position)| **position);
        match first {
            Some((value, &position)) => Err(self.cursor.error_at(position, format!("nothing defines {value}"))),
            None => Ok(()),
        }
    }

    fn list<T>(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.cursor.expect(open)?;
        let mut items = Vec::new();
        if self.cursor.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.cursor.eat(close) {
                return Ok(items);
            }
            if !self.cursor.eat(",") {
                return Err(self.cursor.expected(format_args!("`,` or `{close}`")));
            }
        }
    }

    /// Items with commas between them, at least one.
    fn some<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.cursor.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// A value where it is used.
    fn value(&mut self) -> Parsed<Value> {
        let position = self.cursor.position();
        let value = self.cursor.value()?;
        self.uses.entry(value).or_insert(position);
        Ok(value)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.cursor.peek() {
            Token::Value(_) => Ok(self.value()?.into()),
            _ if self.cursor.is_constant() => Ok(self.cursor.constant()?.into()),
            _ => Err(self.cursor.expected("a value or a constant")),
        }
    }

    /// A value where it is defined.
    fn binder(&mut self, ty: Type) -> Parsed<Value> {
        let position = self.cursor.position();
        let value = self.cursor.value()?;
        self.define(value, ty, position)?;
        Ok(value)
    }

    fn define(&mut self, value: Value, ty: Type, position: usize) -> Parsed<()> {
        let span = self.cursor.span_from(position);
        let entry = place(&mut self.values, value);
        if entry.is_some() {
            return Err(self.cursor.error_at(position, format!("{value} is defined twice")));
        }
        *entry = Some(ValueData { ty, name: None, span });
        Ok(())
    }

    /// `%1: f64[3]`, and whether there is a star before the type.
    fn typed_binder(&mut self) -> Parsed<(Value, bool)> {
        let position = self.cursor.position();
        let value = self.cursor.value()?;
        self.cursor.expect(":")?;
        let star = self.cursor.eat("*");
        let ty = self.ty()?;
        self.define(value, ty, position)?;
        Ok((value, star))
    }

    /// `%1: f64[3]`.
    fn plain_binder(&mut self) -> Parsed<Value> {
        let position = self.cursor.position();
        match self.typed_binder()? {
            (value, false) => Ok(value),
            (_, true) => Err(self.cursor.error_at(position, "only parameters of functions and loops have a star")),
        }
    }

    fn ty(&mut self) -> Parsed<Type> {
        let elem = self.cursor.scalar()?;
        let shape = if self.is_open_bracket() { self.list("[", "]", Self::extent)? } else { Vec::new() };
        Ok(Type { elem, shape })
    }

    fn is_open_bracket(&self) -> bool {
        matches!(self.cursor.peek(), Token::Punct("["))
    }

    fn extent(&mut self) -> Parsed<Extent> {
        match self.cursor.peek() {
            Token::Value(_) => Ok(Extent::Value(self.value()?)),
            _ => Ok(Extent::Const(self.cursor.integer()?)),
        }
    }

    fn result_type(&mut self) -> Parsed<ResultType> {
        let unique = self.cursor.eat("*");
        let elem = self.cursor.scalar()?;
        let shape = if self.is_open_bracket() { self.list("[", "]", Self::result_extent)? } else { Vec::new() };
        Ok(ResultType { elem, shape, unique })
    }

    fn result_extent(&mut self) -> Parsed<ResultExtent> {
        if self.cursor.eat("#") {
            return Ok(ResultExtent::Result(self.cursor.size()?));
        }
        if self.cursor.eat("?") {
            return Ok(ResultExtent::Caller);
        }
        Ok(match self.extent()? {
            Extent::Const(n) => ResultExtent::Const(n),
            Extent::Value(v) => ResultExtent::Size(v),
        })
    }

    /// A block in braces; `result_word` begins its last line.
    fn block(&mut self, result_word: &str) -> Parsed<Block> {
        self.cursor.expect("{")?;
        self.cursor.enter()?;
        let mut block = Block::default();
        while !self.cursor.eat_word(result_word) {
            match self.cursor.peek() {
                Token::Value(_) | Token::Word(_) => block.stmts.push(self.stmt()?),
                _ => return Err(self.cursor.expected(format_args!("a statement or `{result_word}`"))),
            }
        }
        if !self.cursor.eat("}") {
            block.results = self.some(Self::operand)?;
            self.cursor.expect("}")?;
        }
        self.cursor.leave();
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let first = self.cursor.position();
        let mut results = Vec::new();
        if matches!(self.cursor.peek(), Token::Value(_)) {
            results = self.some(Self::plain_binder)?;
            self.cursor.expect("=")?;
        }
        let (op, certs, span) = self.op(first)?;
        Ok(Stmt { results, op, certs, span })
    }

    /// An operation, its certificates, and the place from the start of the statement to the operation's name.
    fn op(&mut self, first: usize) -> Parsed<(Op, Vec<Value>, Span)> {
        let mut position = self.cursor.position();
        let mut label = None;
        if self.cursor.is_numbered("w") {
            label = Some((self.cursor.numbered("w", "a with-loop")?, position));
            self.cursor.expect(":")?;
            position = self.cursor.position();
        }
        let word = self.cursor.word("an operation")?;
        let span = self.cursor.span_from(first);
        let certs = if matches!(self.cursor.peek(), Token::Punct("<")) {
            self.list("<", ">", Self::value)?
        } else {
            Vec::new()
        };
        let op = match (label, word) {
            (Some((label, labelled)), "with") => self.with_loop(label, labelled, span)?,
            (Some(_), _) => return Err(self.cursor.error_at(position, "only a with-loop has a label")),
            (None, "with") => return Err(self.cursor.error_at(position, "a with-loop has a label, as in `w0: with`")),
            (None, word) => self.unlabelled(word, position)?,
        };
        Ok((op, certs, span))
    }

    fn unlabelled(&mut self, word: &str, position: usize) -> Parsed<Op> {
        Ok(match word {
            "select" => {
                let cond = self.operand()?;
                let on_true = self.next_operand()?;
                Op::Select { cond, on_true, on_false: self.next_operand()? }
            }
            "index" => Op::Index { array: self.value()?, indices: self.list("[", "]", Self::operand)? },
            "view" => Op::View { array: self.value()?, view: self.view()? },
            "table" => Op::Table { tensor: Arc::new(self.cursor.tensor()?) },
            "array" => Op::ArrayLit { elems: self.list("[", "]", Self::operand)? },
            "iota" => Op::Iota { n: self.operand()? },
            "replicate" => Op::Replicate { n: self.operand()?, x: self.next_operand()? },
            "concat" => Op::Concat { arrays: self.some(Self::value)? },
            "copy" => Op::Copy { array: self.value()? },
            "update" => {
                let consumes = self.cursor.eat_word("consumes");
                let array = self.value()?;
                let indices = self.list("[", "]", Self::operand)?;
                self.cursor.expect("=")?;
                Op::Update { array, indices, value: self.operand()?, consumes }
            }
            "assert" => {
                let cond = self.operand()?;
                self.cursor.expect(",")?;
                let kind = self.cursor.failure_kind()?;
                let args = self.list("(", ")", Self::operand)?;
                Op::Assert { cond, kind, args }
            }
            "output" | "output_to" => {
                let format = Arc::new(self.cursor.format()?);
                let effect = if word == "output" { Effect::Print(format) } else { Effect::PrintTo(format) };
                Op::Effect { effect, args: self.list("(", ")", Self::operand)? }
            }
            "ask" => {
                let effect = Effect::Ask(self.cursor.request()?);
                Op::Effect { effect, args: self.list("(", ")", Self::operand)? }
            }
            "foreign" => {
                let effect = Effect::Call(Arc::new(self.cursor.foreign()?));
                Op::Effect { effect, args: self.list("(", ")", Self::operand)? }
            }
            "callback" => {
                let effect = Effect::Callback(Arc::new(self.cursor.callback()?));
                Op::Effect { effect, args: self.list("(", ")", Self::operand)? }
            }
            "keep" | "recall" | "take" => {
                let cell = self.cursor.cell()?;
                let effect = match word {
                    "keep" => Effect::Keep(cell),
                    "recall" => Effect::Recall(cell),
                    _ => Effect::Take(cell),
                };
                Op::Effect { effect, args: self.list("(", ")", Self::operand)? }
            }
            "conjoin" => Op::Conjoin { certs: self.list("(", ")", Self::value)? },
            "if" => {
                let cond = self.operand()?;
                let then = self.block("yield")?;
                self.cursor.expect_word("else")?;
                Op::If { cond, then, otherwise: self.block("yield")? }
            }
            "for" => {
                let index = self.binder(Type::scalar(Scalar::I64))?;
                self.cursor.expect("<")?;
                let count = self.operand()?;
                let regroups = self.cursor.eat_word("regroups");
                let (params, init, consumed) = self.loop_params()?;
                let kind = LoopKind::For { index, count };
                Op::Loop(Box::new(LoopData { kind, params, init, body: self.block("yield")?, consumed, regroups }))
            }
            "while" => {
                let (params, init, consumed) = self.loop_params()?;
                let condition = self.block("yield")?;
                self.cursor.expect_word("do")?;
                let kind = LoopKind::While { condition };
                let body = self.block("yield")?;
                Op::Loop(Box::new(LoopData { kind, params, init, body, consumed, regroups: false }))
            }
            "call" => {
                let callee = callee(self.cursor, self.names)?;
                Op::Call { callee, args: self.list("(", ")", Self::operand)? }
            }
            word => {
                if let Some(op) = UnOp::from_name(word) {
                    Op::Unary { op, x: self.operand()? }
                } else if let Some(op) = BinOp::from_name(word) {
                    Op::Binary { op, x: self.operand()?, y: self.next_operand()? }
                } else {
                    return Err(self.cursor.error_at(position, format!("there is no operation `{word}`")));
                }
            }
        })
    }

    /// A comma and an operand.
    fn next_operand(&mut self) -> Parsed<Operand> {
        self.cursor.expect(",")?;
        self.operand()
    }

    fn view(&mut self) -> Parsed<View> {
        let position = self.cursor.position();
        match self.cursor.word("a view")? {
            "permute" => Ok(View::Permute { axes: self.cursor.list("(", ")", Cursor::size)? }),
            "reshape" => Ok(View::Reshape),
            "broadcast" => Ok(View::Broadcast),
            "slice" => {
                let axes = self.list("(", ")", |p| {
                    let start = p.operand()?;
                    let step = if p.cursor.eat_word("step") { p.cursor.integer()? } else { 1 };
                    Ok((start, step))
                })?;
                let (starts, steps) = axes.into_iter().unzip();
                Ok(View::Slice { starts, steps })
            }
            _ => Err(self.cursor.error_at(position, "a view is `permute`, `reshape`, `slice` or `broadcast`")),
        }
    }

    fn loop_params(&mut self) -> Parsed<(Vec<Value>, Vec<Operand>, Vec<bool>)> {
        let (mut params, mut init, mut consumed) = (Vec::new(), Vec::new(), Vec::new());
        self.list("(", ")", |p| {
            let (param, star) = p.typed_binder()?;
            p.cursor.expect("=")?;
            params.push(param);
            init.push(p.operand()?);
            consumed.push(star);
            Ok(())
        })?;
        Ok((params, init, consumed))
    }

    fn with_loop(&mut self, label: WithLoop, position: usize, span: Span) -> Parsed<Op> {
        let entry = place(&mut self.with_loops, label);
        if entry.is_some() {
            return Err(self.cursor.error_at(position, format!("{label} is defined twice")));
        }
        // Taken from here on, for the labels inside.
        *entry = Some(WithLoopData::default());
        let indices = self.list("(", ")", |p| p.binder(Type::scalar(Scalar::I64)))?;
        self.cursor.expect_word("in")?;
        let space = self.list("[", "]", Self::extent)?;
        self.cursor.expect("{")?;
        let mut generators = Vec::new();
        while !self.cursor.eat("}") {
            generators.push(self.generator()?);
        }
        self.cursor.expect(":")?;
        let operators = self.some(Self::operator)?;
        *place(&mut self.with_loops, label) = Some(WithLoopData { space, indices, generators, operators, span });
        Ok(Op::With(label))
    }

    fn generator(&mut self) -> Parsed<Generator> {
        let lower = self.list("[", "]", Self::operand)?;
        self.cursor.expect("<=")?;
        self.cursor.expect_word("iv")?;
        self.cursor.expect("<")?;
        let upper = self.list("[", "]", Self::operand)?;
        let (mut step, mut width) = (vec![1; lower.len()], vec![1; lower.len()]);
        if self.cursor.eat_word("step") {
            step = self.cursor.list("[", "]", Cursor::integer)?;
            self.cursor.expect_word("width")?;
            width = self.cursor.list("[", "]", Cursor::integer)?;
        }
        Ok(Generator { lower, upper, step, width, body: self.block("yield")? })
    }

    fn operator(&mut self) -> Parsed<OperatorData> {
        let guarded = self.cursor.eat_word("guarded");
        let position = self.cursor.position();
        let op = match self.cursor.word("an operator")? {
            "genarray" => Operator::GenArray,
            "modarray" => {
                self.cursor.expect("(")?;
                let consumes = self.cursor.eat_word("consumes");
                let source = self.value()?;
                self.cursor.expect(")")?;
                Operator::ModArray { source, consumes }
            }
            "fold" => {
                let commutative = self.cursor.eat_word("commutative");
                let (combine, neutral) = self.combine()?;
                Operator::Fold { combine, neutral, commutative }
            }
            "scan" => {
                let (combine, neutral) = self.combine()?;
                Operator::Scan { combine, neutral }
            }
            "filter" => Operator::Filter { arrays: self.cursor.size()? },
            "uniform" => Operator::Uniform,
            word => return Err(self.cursor.error_at(position, format!("there is no operator `{word}`"))),
        };
        Ok(OperatorData { op, guarded })
    }

    /// `(0.0) by (%1: f64, %2: f64) { ... }`.
    fn combine(&mut self) -> Parsed<(Lambda, Vec<Operand>)> {
        let neutral = self.list("(", ")", Self::operand)?;
        self.cursor.expect_word("by")?;
        let params = self.list("(", ")", Self::plain_binder)?;
        Ok((Lambda { params, body: self.block("yield")? }, neutral))
    }
}
