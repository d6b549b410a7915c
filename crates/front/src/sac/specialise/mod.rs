//! Specialisation: from the [`core`](super::core) language to array IR, by partial evaluation of a function for arguments of known
//! ranks. Constants are propagated, branches on them decided, calls replaced by the callee's body, small vectors kept as
//! components, so that every rank and most extents are known when array IR is made.
//!
//! - `value`: what is known of a value; `scalar` and `sizes`: arithmetic on it;
//! - `expr`, `prims`, `select`: expressions; `control`: branches and loops; `call`, `pattern`: functions;
//! - `with_loop`: with-loops; `output`, `objects`: effects;
//! - `entry`: what is asked for, and how the functions made are called.
//!
//! What a check guards lists its certificate; see Note [Checks].

mod assembly;
mod bounds;
mod boxes;
mod call;
mod carried;
mod cells;
mod control;
mod convention;
mod counting;
mod effects;
mod entry;
mod error;
mod expr;
mod fold;
mod generators;
mod in_order;
mod instance;
mod join;
mod liveness;
mod objects;
mod output;
mod pattern;
mod prims;
mod repeat;
mod scalar;
mod select;
mod sizes;
mod unroll;
mod value;
mod with_loop;

pub use entry::{Entry, ParamShape, Request, Slot, Specialised, request_of, specialise};

use super::core::{Expr, ExprKind, Function, FunctionId, ObjectId, Program};
use effects::Effects;
use frit_ir::array::build::Builder;
use frit_ir::array::{self, Block, Func, Op, Operand, Type};
use frit_ir::{Const, FailureKind};
use frit_support::{Index, Span};
use instance::Instances;
use liveness::Liveness;
use objects::Kept;
use repeat::Repetitions;
use sizes::Facts;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use value::Value;

/// Once a function of the array IR has so many statements, the program's functions are called, not repeated in it.
const INLINING_BUDGET: usize = 20_000;

/// The same for functions of the library, whose callers rely on what they compute of shapes being known.
const LIBRARY_INLINING_BUDGET: usize = 200_000;

/// True for an expression without calls and with-loops: not worth a function.
fn is_simple(e: &Expr) -> bool {
    let mut is_simple = !matches!(e.kind, ExprKind::Call { .. } | ExprKind::Foreign(_) | ExprKind::With(_));
    super::core::walk::for_each_part(e, &mut |part| is_simple = is_simple && self::is_simple(part));
    is_simple
}

/// The function of the array IR under construction, and all that functions share.
struct Specialiser<'p> {
    /// The program.
    program: &'p Program,
    /// The function under construction. Blocks are opened and closed by [`Specialiser::in_block`] alone.
    builder: Builder,
    facts: Facts,
    /// How many inner blocks are open.
    depth: usize,
    /// The certificates of the checks in scope: statements that are not defined everywhere list them.
    certs: Vec<array::Value>,
    /// Sizes found equal by the checks in scope.
    equal: Vec<array::Value>,
    /// What statements made that list certificates of checks in scope, or what was made of that: the age of the latter.
    listed: HashMap<array::Value, usize>,
    /// The certificate of the last output.
    token: Operand,
    /// The words of the command line, and where they end.
    words: Option<(array::Value, array::Value)>,
    /// Objects that nothing changes, as values of the function under construction, and those of them that are known.
    objects: HashMap<ObjectId, Value>,
    constants: HashMap<ObjectId, Value>,
    /// How the objects met so far that change are kept, and in how many cells.
    kept: HashMap<ObjectId, Kept>,
    cells: usize,
    /// The objects that functions may use, as far as that was asked for.
    used: HashMap<FunctionId, Vec<ObjectId>>,
    /// Statements emitted for the function so far.
    statements: usize,
    /// Statements emitted for all functions so far.
    all_statements: usize,
    /// The calls that led here.
    chain: Vec<Frame>,
    /// With-loops are not unrolled.
    keeps_loops: bool,
    liveness: Liveness,
    instances: Instances,
    effects: Effects,
    repetitions: Repetitions,
    constraints: Constraints,
}

/// The functions whose constraints are checked at a place, as it is told.
pub type Constraints = BTreeMap<Span, BTreeSet<String>>;

/// A call that is being specialised.
#[derive(Clone, Debug)]
struct Frame {
    /// Whom.
    function: FunctionId,
    /// Where.
    span: Span,
    /// The ranks of its arguments.
    ranks: Vec<usize>,
    /// How many statements had been emitted for all functions.
    statements: usize,
}

/// What belongs to one function of the array IR, while another one is made.
struct Outer {
    builder: Builder,
    facts: Facts,
    depth: usize,
    certs: Vec<array::Value>,
    equal: Vec<array::Value>,
    listed: HashMap<array::Value, usize>,
    token: Operand,
    words: Option<(array::Value, array::Value)>,
    objects: HashMap<ObjectId, Value>,
    statements: usize,
}

impl Outer {
    fn new(name: String, span: Span) -> Self {
        Self {
            builder: Builder::new(Func::new(name, span)),
            facts: Facts::default(),
            depth: 0,
            certs: Vec::new(),
            equal: Vec::new(),
            listed: HashMap::new(),
            token: Const::Cert.into(),
            words: None,
            objects: HashMap::new(),
            statements: 0,
        }
    }
}

/// Why specialisation does not go on.
#[derive(Clone, Debug)]
enum Stop {
    /// The block certainly fails here: an assertion of constant false has been emitted, and nothing after it is reached.
    Fails,
    /// The array IR cannot express it.
    Unsupported(Box<Unsupported>),
}

/// What the array IR cannot express.
#[derive(Clone, Debug)]
struct Unsupported {
    /// Why.
    reason: Reason,
    /// The construct.
    span: Span,
    /// The calls that led there.
    chain: Vec<Frame>,
}

/// The reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// The rank of an array depends on data.
    RankDependsOnData,
    /// Output from the block of a with-loop.
    OutputInWithLoop,
    /// Recursion that never comes to an end of other functions to make.
    RecursionWithoutEnd,
    /// Anything else; this is what.
    Construct(&'static str),
}

/// What specialisation gives.
type Result<T> = std::result::Result<T, Stop>;

/// A position in the scope of checks.
#[derive(Clone, Copy, Debug)]
struct Checks {
    certs: usize,
    equal: usize,
}

impl<'p> Specialiser<'p> {
    fn new(program: &'p Program) -> Self {
        let Outer { builder, facts, depth, certs, equal, listed, token, words, objects, statements } =
            Outer::new(String::new(), Span::NONE);
        Self {
            program,
            builder,
            facts,
            depth,
            certs,
            equal,
            listed,
            token,
            words,
            objects,
            constants: HashMap::new(),
            kept: HashMap::new(),
            cells: 0,
            used: HashMap::new(),
            statements,
            all_statements: 0,
            chain: Vec::new(),
            keeps_loops: false,
            liveness: Liveness::default(),
            instances: Instances::default(),
            effects: Effects::of(program),
            repetitions: Repetitions::default(),
            constraints: Constraints::new(),
        }
    }

    // ---- functions of the array IR ----

    /// Begins a function of the array IR; what was under construction, to be put back.
    fn begin(&mut self, name: String, span: Span) -> Outer {
        self.exchange(Outer::new(name, span))
    }

    /// Puts back what was under construction before; what was until now.
    fn restore(&mut self, outer: Outer) -> Outer {
        self.exchange(outer)
    }

    fn exchange(&mut self, other: Outer) -> Outer {
        Outer {
            builder: std::mem::replace(&mut self.builder, other.builder),
            facts: std::mem::replace(&mut self.facts, other.facts),
            depth: std::mem::replace(&mut self.depth, other.depth),
            certs: std::mem::replace(&mut self.certs, other.certs),
            equal: std::mem::replace(&mut self.equal, other.equal),
            listed: std::mem::replace(&mut self.listed, other.listed),
            token: std::mem::replace(&mut self.token, other.token),
            words: std::mem::replace(&mut self.words, other.words),
            objects: std::mem::replace(&mut self.objects, other.objects),
            statements: std::mem::replace(&mut self.statements, other.statements),
        }
    }

    /// True if a function is better called than repeated once more, because so much has been made already.
    fn is_too_large(&self, function: &Function) -> bool {
        let budget = if self.program.is_library(function.span) { LIBRARY_INLINING_BUDGET } else { INLINING_BUDGET };
        self.statements > budget && !(function.body.is_empty() && function.returns.iter().all(is_simple))
    }

    /// Counts an emitted statement.
    fn count_statement(&mut self) {
        self.statements += 1;
        self.all_statements += 1;
    }

    /// Where what stands at `span` is told to happen: code of the library, which no user has seen, happens at the call of it.
    fn told(&self, span: Span) -> Span {
        let is_hidden = |span: Span| span.is_none() || self.program.is_library(span);
        if !is_hidden(span) {
            return span;
        }
        self.chain.iter().rev().map(|frame| frame.span).find(|&call| !is_hidden(call)).unwrap_or(span)
    }

    /// Statements get this place from now on, as far as the user has seen it; returns the one before.
    fn place(&mut self, span: Span) -> Span {
        let told = self.told(span);
        self.builder.set_span(told)
    }

    /// It cannot be expressed.
    fn unsupported<T>(&self, reason: Reason, span: Span) -> Result<T> {
        Err(Stop::Unsupported(Box::new(Unsupported { reason, span, chain: self.chain.clone() })))
    }

    // ---- blocks ----

    /// Specialises what stands in an inner block. If that certainly fails, the block ends with the assertion and there is no
    /// value. The block has no results yet; to append to it see [`reopen`](Self::reopen). Checks made inside are out of
    /// scope afterwards.
    fn in_block<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Block, Option<T>)> {
        self.reopen(Block::default(), body)
    }

    /// Opens a block again, to append to it; its results are kept.
    fn reopen<T>(&mut self, block: Block, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Block, Option<T>)> {
        let (depth, checks) = (self.depth, self.enter());
        self.open();
        block.stmts.into_iter().for_each(|stmt| self.builder.push(stmt));
        let outcome = body(self);
        // What was opened inside and abandoned is lost.
        while self.depth > depth + 1 {
            self.close(Vec::new());
        }
        let block = self.close(block.results);
        self.leave(checks);
        match outcome {
            Ok(value) => Ok((block, Some(value))),
            Err(Stop::Fails) => Ok((block, None)),
            Err(stop @ Stop::Unsupported(_)) => Err(stop),
        }
    }

    /// Specialises something where it stands, to be kept if it says so, and if it does not come to an end.
    fn in_place(&mut self, body: impl FnOnce(&mut Self) -> Result<bool>) -> Result<bool> {
        let (depth, checks) = (self.depth, self.enter());
        self.open();
        let outcome = body(self);
        while self.depth > depth + 1 {
            self.close(Vec::new());
        }
        let is_kept = outcome.as_ref().map_or(true, |is_kept| *is_kept);
        if is_kept {
            self.depth -= 1;
            self.facts.merge();
            let block = self.builder.close_block(Vec::new());
            block.stmts.into_iter().for_each(|stmt| self.builder.push(stmt));
        } else {
            self.close(Vec::new());
            self.leave(checks);
        }
        outcome
    }

    fn open(&mut self) {
        self.depth += 1;
        self.facts.open();
        self.builder.open_block();
    }

    fn close(&mut self, results: Vec<Operand>) -> Block {
        self.depth -= 1;
        self.facts.close();
        self.builder.close_block(results)
    }

    // ---- checks ----

    /// The certificates in scope.
    fn certs(&self) -> Vec<array::Value> {
        self.certs.clone()
    }

    /// Begins a scope of checks.
    fn enter(&mut self) -> Checks {
        Checks { certs: self.certs.len(), equal: self.equal.len() }
    }

    /// Ends a scope of checks: what was asserted since is not listed any more.
    fn leave(&mut self, checks: Checks) {
        self.certs.truncate(checks.certs);
        for value in self.equal.split_off(checks.equal) {
            self.facts.separate(value);
        }
    }

    /// Checks a condition for one statement, which must list the certificates: those in scope as well. None is needed if the
    /// condition is known to hold, those in scope aside.
    fn check(&mut self, cond: Operand, kind: FailureKind, args: Vec<Operand>, span: Span) -> Result<Vec<array::Value>> {
        if cond == Operand::Const(Const::Bool(true)) {
            return Ok(Vec::new());
        }
        let outer = self.place(span);
        let cert = self.builder.assert(cond, kind, args);
        self.builder.set_span(outer);
        self.count_statement();
        if cond == Operand::Const(Const::Bool(false)) {
            self.certs.push(cert); // The function lists it as its last result.
            return Err(Stop::Fails);
        }
        Ok(vec![cert])
    }

    /// Checks a condition for all that follows in the scope of checks.
    fn assert(&mut self, cond: Operand, kind: FailureKind, args: Vec<Operand>, span: Span) -> Result<()> {
        let certs = self.check(cond, kind, args, span)?;
        self.certs.extend(certs);
        Ok(())
    }

    /// Certificates that all that follows in the scope of checks needs.
    fn hold(&mut self, certs: &[array::Value]) {
        self.certs.extend(certs);
    }

    /// Two sizes are equal, by a check whose certificate is in scope.
    fn equate(&mut self, x: Operand, y: Operand) {
        self.equal.extend(self.facts.equate(x, y));
    }

    /// One certificate for several.
    fn conjoin(&mut self, certs: Vec<array::Value>) -> Operand {
        match certs[..] {
            [] => Const::Cert.into(),
            [cert] => cert.into(),
            _ => {
                let ty = Type::scalar(frit_ir::Scalar::Cert);
                self.builder.emit_one(Op::Conjoin { certs }, ty, Vec::new()).into()
            }
        }
    }

    /// Appends an operation that is not defined everywhere, under these certificates and those in scope.
    fn emit_under(&mut self, op: Op, types: Vec<Type>, certs: &[array::Value]) -> Vec<array::Value> {
        self.count_statement();
        let mut all = self.certs.clone();
        all.extend(certs);
        let is_listed = !self.certs.is_empty();
        let results = self.builder.emit(op, types, all);
        if is_listed {
            self.listed.extend(results.iter().map(|&result| (result, result.at())));
        }
        results
    }

    /// The same with one result.
    fn emit_one_under(&mut self, op: Op, ty: Type, certs: &[array::Value]) -> array::Value {
        self.emit_under(op, vec![ty], certs)[0]
    }

    /// Appends an operation that is defined wherever its operands are.
    fn emit_one(&mut self, op: Op, ty: Type) -> array::Value {
        self.count_statement();
        self.builder.emit_one(op, ty, Vec::new())
    }
}

// Note [Checks]
//
// What the language demands at run time and is not known to hold becomes an assertion. A statement that is only defined if it
// holds (selection, division) lists the certificate. What a function demands of its arguments guards all of its body: such
// certificates are in scope until the function's body ends, and all statements that are not defined everywhere, and
// with-loops, list them. What a function returns without having computed it under the certificates is certified by a statement
// that does nothing else; constants and sizes stay as they are, or ranks would not be known any more.
//
// A check that is known to fail ends the specialisation of its block: nothing after it is ever reached.
