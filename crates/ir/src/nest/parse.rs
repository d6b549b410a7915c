//! Parser of the loop IR's text form: reads back what `print` writes, and what people write in test files.
//!
//! Checks the form only: every name that is used is declared, and once. Types and storage are the verifier's.
//! `docs/ir.md` is the reference of the form.

use super::{
    Arg, Array, ArrayData, Binding, Expr, Loop, LoopData, LoopKind, Parallel, Proc, ProcId, Program, Reduction, Stmt,
    Storage, Var, VarData,
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

/// The program of a text that is a source file: checks and calls have their places in it.
pub fn parse_file(text: &str, file: FileId) -> Result<Program, ParseError> {
    frit_support::with_deep_stack(|| program(text, Some(file)))
}

fn program(text: &str, file: Option<FileId>) -> Parsed<Program> {
    let mut cursor = Cursor::new(text, file);
    let names = procedure_names(&cursor)?;
    let mut program = Program::default();
    loop {
        let position = cursor.position();
        if *cursor.peek() == Token::End {
            return Ok(program);
        } else if cursor.eat_word("proc") {
            let proc = Parser::new(&mut cursor, &names).proc(position)?;
            program.procs.push(proc);
        } else if cursor.eat_word("entry") {
            if program.entry.is_some() {
                return Err(cursor.error_at(position, "a program has one entry"));
            }
            program.entry = Some(callee(&mut cursor, &names)?);
        } else {
            return Err(cursor.expected("`proc` or `entry`"));
        }
    }
}

/// The procedures of a text in order, found ahead because calls may come before definitions.
fn procedure_names(cursor: &Cursor<'_>) -> Parsed<BTreeMap<String, ProcId>> {
    let mut names = BTreeMap::new();
    for (at, pair) in cursor.all().windows(2).enumerate() {
        if let (Token::Word("proc"), Token::Global(name)) = (&pair[0].token, &pair[1].token) {
            let id = ProcId::new(names.len());
            if names.insert(name.clone(), id).is_some() {
                return Err(cursor.error_at(at + 1, "there is another procedure with this name"));
            }
        }
    }
    Ok(names)
}

fn callee(cursor: &mut Cursor<'_>, names: &BTreeMap<String, ProcId>) -> Parsed<ProcId> {
    let position = cursor.position();
    if cursor.is_numbered("p") {
        let id: ProcId = cursor.numbered("p", "a procedure")?;
        return if id.at() < names.len() {
            Ok(id)
        } else {
            Err(cursor.error_at(position, "there is no such procedure"))
        };
    }
    let name = cursor.global()?;
    names.get(&name).copied().ok_or_else(|| cursor.error_at(position, "there is no procedure with this name"))
}

struct Parser<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    names: &'c BTreeMap<String, ProcId>,
    vars: Vec<Option<VarData>>,
    arrays: Vec<Option<ArrayData>>,
    loops: Vec<Option<LoopData>>,
    /// Where each variable and each array is first used.
    used_vars: HashMap<Var, usize>,
    used_arrays: HashMap<Array, usize>,
}

impl<'c, 'a> Parser<'c, 'a> {
    fn new(cursor: &'c mut Cursor<'a>, names: &'c BTreeMap<String, ProcId>) -> Self {
        Self {
            cursor,
            names,
            vars: Vec::new(),
            arrays: Vec::new(),
            loops: Vec::new(),
            used_vars: HashMap::new(),
            used_arrays: HashMap::new(),
        }
    }

    fn proc(mut self, first: usize) -> Parsed<Proc> {
        let mut proc = Proc::new(self.cursor.global()?, Span::NONE);
        proc.params = self.list("(", ")", Self::param)?;
        self.cursor.expect("->")?;
        proc.results = self.list("(", ")", Self::binding)?;
        proc.span = self.cursor.span_from(first);
        self.cursor.expect("{")?;
        loop {
            let position = self.cursor.position();
            if self.cursor.eat_word("var") {
                self.declare_vars()?;
            } else if self.cursor.eat_word("array") {
                let array = self.cursor.numbered("A", "an array such as `A2`")?;
                self.cursor.expect(":")?;
                self.declare_array(array, position)?;
            } else {
                break;
            }
        }
        proc.body = self.stmts()?;
        self.check_uses()?;
        // Names that nothing uses: whatever they are, they are not seen.
        proc.vars = fill_table(self.vars, || VarData { scalar: Scalar::I64, name: None });
        let unused = || ArrayData {
            elem: Scalar::I64,
            extents: Vec::new(),
            storage: Storage::Reference,
            name: None,
            span: Span::NONE,
        };
        proc.arrays = fill_table(self.arrays, unused);
        proc.loops = fill_table(self.loops, LoopData::default);
        Ok(proc)
    }

    fn check_uses(&self) -> Parsed<()> {
        let var_missing = |var: &Var| self.vars.get(var.at()).is_none_or(Option::is_none);
        let array_missing = |array: &Array| self.arrays.get(array.at()).is_none_or(Option::is_none);
        let vars = self.used_vars.iter().filter(|(var, _)| var_missing(var)).map(|(var, at)| (*at, var.to_string()));
        let arrays = self
            .used_arrays
            .iter()
            .filter(|(array, _)| array_missing(array))
            .map(|(array, at)| (*at, array.to_string()));
        match vars.chain(arrays).min() {
            Some((position, name)) => Err(self.cursor.error_at(position, format!("{name} is not declared"))),
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

    fn param(&mut self) -> Parsed<Binding> {
        let position = self.cursor.position();
        let binding = self.binding()?;
        if self.cursor.eat(":") {
            match binding {
                Binding::Var(var) => {
                    let scalar = self.cursor.scalar()?;
                    self.define_var(var, scalar, position)?;
                }
                Binding::Array(array) => {
                    let consumed = self.cursor.eat("*");
                    self.define_array(array, Storage::Param { consumed }, position)?;
                }
            }
        }
        Ok(binding)
    }

    /// `s0, s3: f64`.
    fn declare_vars(&mut self) -> Parsed<()> {
        let mut vars = Vec::new();
        loop {
            let position = self.cursor.position();
            vars.push((self.cursor.numbered("s", "a variable such as `s3`")?, position));
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect(":")?;
        let scalar = self.cursor.scalar()?;
        vars.into_iter().try_for_each(|(var, position)| self.define_var(var, scalar, position))
    }

    /// `heap f64[s0]`.
    fn declare_array(&mut self, array: Array, position: usize) -> Parsed<()> {
        let storage = match self.cursor.word("a storage class")? {
            "param" => Storage::Param { consumed: self.cursor.eat("*") },
            "heap" => Storage::Heap,
            "stack" => Storage::Stack,
            "reference" => Storage::Reference,
            "table" => {
                self.define_array(array, Storage::Reference, position)?;
                self.cursor.expect("=")?;
                let tensor = Arc::new(self.cursor.tensor()?);
                if let Some(known) = place(&mut self.arrays, array) {
                    known.storage = Storage::Table(tensor);
                }
                return Ok(());
            }
            _ => {
                let message = "an array is declared `heap`, `stack`, `table`, `reference` or `param`";
                return Err(self.cursor.error_at(position, message));
            }
        };
        self.define_array(array, storage, position)
    }

    fn define_var(&mut self, var: Var, scalar: Scalar, position: usize) -> Parsed<()> {
        let entry = place(&mut self.vars, var);
        if entry.is_some() {
            return Err(self.cursor.error_at(position, format!("{var} is declared twice")));
        }
        *entry = Some(VarData { scalar, name: None });
        Ok(())
    }

    /// The element type and extents follow.
    fn define_array(&mut self, array: Array, storage: Storage, position: usize) -> Parsed<()> {
        let elem = self.cursor.scalar()?;
        let extents =
            if matches!(self.cursor.peek(), Token::Punct("[")) { self.list("[", "]", Self::expr)? } else { Vec::new() };
        let span = self.cursor.span_from(position);
        let entry = place(&mut self.arrays, array);
        if entry.is_some() {
            return Err(self.cursor.error_at(position, format!("{array} is declared twice")));
        }
        *entry = Some(ArrayData { elem, extents, storage, name: None, span });
        Ok(())
    }

    fn var(&mut self) -> Parsed<Var> {
        let position = self.cursor.position();
        let var = self.cursor.numbered("s", "a variable such as `s3`")?;
        self.used_vars.entry(var).or_insert(position);
        Ok(var)
    }

    fn array(&mut self) -> Parsed<Array> {
        let position = self.cursor.position();
        let array = self.cursor.numbered("A", "an array such as `A2`")?;
        self.used_arrays.entry(array).or_insert(position);
        Ok(array)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        if self.cursor.is_numbered("A") { Ok(Binding::Array(self.array()?)) } else { Ok(Binding::Var(self.var()?)) }
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut sum = self.product()?;
        loop {
            let op = if self.cursor.eat("+") {
                BinOp::ADD
            } else if self.cursor.eat("-") {
                BinOp::SUB
            } else {
                return Ok(sum);
            };
            sum = Expr::Binary { op, x: Box::new(sum), y: Box::new(self.product()?) };
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut product = self.primary()?;
        while self.cursor.eat("*") {
            product = Expr::Binary { op: BinOp::MUL, x: Box::new(product), y: Box::new(self.primary()?) };
        }
        Ok(product)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        self.cursor.enter()?;
        let primary = self.unnested_primary();
        self.cursor.leave();
        primary
    }

    fn unnested_primary(&mut self) -> Parsed<Expr> {
        if self.cursor.eat("(") {
            let inner = self.expr()?;
            self.cursor.expect(")")?;
            return Ok(inner);
        }
        if self.cursor.is_constant() {
            return Ok(Expr::Const(self.cursor.constant()?));
        }
        if self.cursor.is_numbered("s") {
            return Ok(Expr::Var(self.var()?));
        }
        if self.cursor.is_numbered("A") {
            return Ok(Expr::Load { array: self.array()?, index: self.list("[", "]", Self::expr)? });
        }
        let position = self.cursor.position();
        let word = self.cursor.word("an expression")?;
        if word == "threads" {
            return Ok(Expr::Threads);
        }
        let mut operands = if word == "select" || UnOp::from_name(word).is_some() || BinOp::from_name(word).is_some() {
            self.list("(", ")", Self::expr)?.into_iter().map(Box::new)
        } else {
            return Err(self.cursor.error_at(position, format!("there is no operation `{word}`")));
        };
        let count = operands.len();
        let mut next = || operands.next().expect("the operands were counted");
        match (word, UnOp::from_name(word), BinOp::from_name(word), count) {
            ("select", _, _, 3) => Ok(Expr::Select { cond: next(), on_true: next(), on_false: next() }),
            (_, Some(op), _, 1) => Ok(Expr::Unary { op, x: next() }),
            (_, _, Some(op), 2) => Ok(Expr::Binary { op, x: next(), y: next() }),
            _ => Err(self.cursor.error_at(position, format!("`{word}` does not have {count} operands"))),
        }
    }

    /// Statements up to the closing brace.
    fn stmts(&mut self) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while !self.cursor.eat("}") {
            stmts.push(self.stmt()?);
        }
        Ok(stmts)
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.cursor.expect("{")?;
        self.cursor.enter()?;
        let stmts = self.stmts()?;
        self.cursor.leave();
        Ok(stmts)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let position = self.cursor.position();
        if self.cursor.is_numbered("L") {
            return self.counted_loop();
        }
        if self.cursor.is_numbered("s") || self.cursor.is_numbered("A") {
            return self.assignment(position);
        }
        match self.cursor.word("a statement")? {
            "while" => {
                let before = self.block()?;
                self.cursor.expect_word("test")?;
                Ok(Stmt::While { before, cond: self.expr()?, body: self.block()? })
            }
            "if" => {
                let cond = self.expr()?;
                let then = self.block()?;
                let otherwise = if self.cursor.eat_word("else") { self.block()? } else { Vec::new() };
                Ok(Stmt::If { cond, then, otherwise })
            }
            "alloc" => Ok(Stmt::Alloc { array: self.array()? }),
            "release" => Ok(Stmt::Release { array: self.array()? }),
            "bind" => {
                let reference = self.array()?;
                self.cursor.expect("=")?;
                let source = self.array()?;
                self.cursor.expect_word("at")?;
                Ok(Stmt::Bind { reference, source, offset: self.expr()? })
            }
            "swap" => {
                let first = self.array()?;
                self.cursor.expect(",")?;
                Ok(Stmt::Swap { first, second: self.array()? })
            }
            word @ ("copy" | "stream") => {
                let streaming = word == "stream";
                let target = self.array()?;
                self.cursor.expect_word("at")?;
                let target_offset = self.expr()?;
                self.cursor.expect_word("from")?;
                let source = self.array()?;
                self.cursor.expect_word("at")?;
                let source_offset = self.expr()?;
                self.cursor.expect_word("count")?;
                let count = self.expr()?;
                Ok(Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming })
            }
            word @ ("prefetch" | "prefetch_to_write") => {
                let to_write = word == "prefetch_to_write";
                let array = self.array()?;
                self.cursor.expect_word("at")?;
                let offset = self.expr()?;
                self.cursor.expect_word("count")?;
                Ok(Stmt::Prefetch { array, offset, count: self.expr()?, to_write })
            }
            "check" => {
                let cond = self.expr()?;
                self.cursor.expect(",")?;
                let kind = self.cursor.failure_kind()?;
                let args = self.list("(", ")", Self::expr)?;
                Ok(Stmt::Check { cond, kind, args, span: self.cursor.span_from(position) })
            }
            word @ ("output" | "output_to") => {
                let format = Arc::new(self.cursor.format()?);
                let effect = if word == "output" { Effect::Print(format) } else { Effect::PrintTo(format) };
                Ok(Stmt::Effect { effect, args: self.args()?, answers: Vec::new() })
            }
            "foreign" => self.foreign(Vec::new()),
            "callback" => self.callback(Vec::new()),
            "keep" => {
                let effect = Effect::Keep(self.cursor.cell()?);
                Ok(Stmt::Effect { effect, args: self.args()?, answers: Vec::new() })
            }
            "call" => self.call(Vec::new(), position),
            word => Err(self.cursor.error_at(position, format!("there is no statement `{word}`"))),
        }
    }

    /// A call in C, after its name.
    fn foreign(&mut self, answers: Vec<Binding>) -> Parsed<Stmt> {
        let effect = Effect::Call(Arc::new(self.cursor.foreign()?));
        Ok(Stmt::Effect { effect, args: self.args()?, answers })
    }

    /// A call of a function that is not compiled, after its name.
    fn callback(&mut self, answers: Vec<Binding>) -> Parsed<Stmt> {
        let effect = Effect::Callback(Arc::new(self.cursor.callback()?));
        Ok(Stmt::Effect { effect, args: self.args()?, answers })
    }

    /// A statement that begins with a variable or an array: assignment, store, or a call with results.
    fn assignment(&mut self, position: usize) -> Parsed<Stmt> {
        let first = self.binding()?;
        if let Binding::Array(array) = first
            && matches!(self.cursor.peek(), Token::Punct("["))
        {
            let index = self.list("[", "]", Self::expr)?;
            self.cursor.expect("=")?;
            return Ok(Stmt::Store { array, index, value: self.expr()? });
        }
        let mut results = vec![first];
        while self.cursor.eat(",") {
            results.push(self.binding()?);
        }
        self.cursor.expect("=")?;
        if self.cursor.eat_word("call") {
            return self.call(results, position);
        }
        if self.cursor.eat_word("ask") {
            let effect = Effect::Ask(self.cursor.request()?);
            return Ok(Stmt::Effect { effect, args: self.args()?, answers: results });
        }
        if self.cursor.eat_word("recall") {
            let effect = Effect::Recall(self.cursor.cell()?);
            return Ok(Stmt::Effect { effect, args: self.args()?, answers: results });
        }
        if self.cursor.eat_word("take") {
            let effect = Effect::Take(self.cursor.cell()?);
            return Ok(Stmt::Effect { effect, args: self.args()?, answers: results });
        }
        if self.cursor.eat_word("callback") {
            return self.callback(results);
        }
        if self.cursor.eat_word("foreign") {
            return self.foreign(results);
        }
        match results[..] {
            [Binding::Var(var)] => Ok(Stmt::Assign { var, value: self.expr()? }),
            _ => Err(self.cursor.expected("`call`")),
        }
    }

    fn call(&mut self, results: Vec<Binding>, position: usize) -> Parsed<Stmt> {
        let callee = callee(self.cursor, self.names)?;
        let args = self.args()?;
        Ok(Stmt::Call { callee, args, results, span: self.cursor.span_from(position) })
    }

    fn args(&mut self) -> Parsed<Vec<Arg>> {
        self.list("(", ")", |p| {
            // An array without subscript is an argument as a whole.
            if p.cursor.is_numbered("A") && !matches!(p.cursor.peek_second(), Token::Punct("[")) {
                Ok(Arg::Array(p.array()?))
            } else {
                Ok(Arg::Scalar(p.expr()?))
            }
        })
    }

    fn counted_loop(&mut self) -> Parsed<Stmt> {
        let position = self.cursor.position();
        let label: Loop = self.cursor.numbered("L", "a loop")?;
        let entry = place(&mut self.loops, label);
        if entry.is_some() {
            return Err(self.cursor.error_at(position, format!("{label} is defined twice")));
        }
        // Taken from here on, for the labels inside.
        *entry = Some(LoopData::default());
        self.cursor.expect(":")?;
        self.cursor.expect_word("for")?;
        let var = if self.cursor.eat_word("_") { None } else { Some(self.var()?) };
        self.cursor.expect_word("in")?;
        let lower = self.expr()?;
        self.cursor.expect("..")?;
        let upper = self.expr()?;
        let step = if self.cursor.eat_word("step") { self.cursor.integer()? } else { 1 };
        let kind = if self.cursor.eat_word("independent") {
            self.independent()?
        } else if self.cursor.eat_word("scan") {
            let streaming = self.cursor.eat_word("streaming");
            let (simd, reductions) = self.vectors()?;
            LoopKind::Scan { simd, streaming, reductions }
        } else {
            LoopKind::Sequential
        };
        let span = self.cursor.span_from(position);
        let body = self.block()?;
        *place(&mut self.loops, label) = Some(LoopData { var, lower, upper, step, kind, body, span });
        Ok(Stmt::For(label))
    }

    fn independent(&mut self) -> Parsed<LoopKind> {
        let mut parallel = None;
        if self.cursor.eat_word("parallel") {
            self.cursor.expect("(")?;
            let work = self.expr()?;
            let irregular = self.cursor.eat(",");
            if irregular {
                self.cursor.expect_word("irregular")?;
            }
            self.cursor.expect(")")?;
            parallel = Some(Parallel { work, irregular });
        }
        let (simd, reductions) = self.vectors()?;
        Ok(LoopKind::Independent { parallel, simd, reductions })
    }

    fn vectors(&mut self) -> Parsed<(bool, Vec<Reduction>)> {
        let simd = self.cursor.eat_word("simd");
        let reductions = if self.cursor.eat_word("reduce") {
            self.list("(", ")", |p| {
                let position = p.cursor.position();
                let word = p.cursor.word("an operation")?;
                let Some(op) = BinOp::from_name(word) else {
                    return Err(p.cursor.error_at(position, format!("there is no operation `{word}`")));
                };
                Ok(Reduction { op, var: p.var()? })
            })?
        } else {
            Vec::new()
        };
        Ok((simd, reductions))
    }
}
