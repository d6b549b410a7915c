//! Specialisation: from the [`core`](super::core) language to array IR, by partial evaluation of a function for arguments of known
//! ranks. Constants are propagated, branches on them decided, calls replaced by the callee's body, small vectors kept as
//! components, so that every rank and most extents are known when array IR is made.
//!
//! - `value`: what is known of a value; `scalar` and `sizes`: arithmetic on it;
//! - `expr`, `prims`, `select`: expressions; `control`: branches and loops; `call`, `pattern`: functions;
//! - `with_loop`: with-loops;
//! - `entry`: what is asked for, and how the functions made are called.
//!
//! What a check guards lists its certificate; see Note [Checks].

mod scalar;
mod sizes;
mod value;
mod with_loop;

use super::core::{Expr, FunctionId, OverloadId, Program, Stmt};
use frit_ir::array::build::Builder;
use frit_ir::array::{self, Block, Op, Operand, Type};
use frit_ir::{Const, FailureKind};
use frit_support::Span;
use sizes::Facts;
use value::{Env, Value};

/// A function under specialisation, and all that is shared between functions.
pub(super) struct Specialiser<'p> {
    /// The program.
    pub(super) program: &'p Program,
    /// The function of the array IR under construction. Blocks are opened and closed by [`Specialiser::in_block`] alone.
    pub(super) builder: Builder,
    facts: Facts,
    /// How many inner blocks are open.
    depth: usize,
    /// The certificates of the checks in scope: statements that are not defined everywhere list them.
    certs: Vec<array::Value>,
    /// The certificate of the last output.
    token: Operand,
    /// The calls that led here: whom, and where.
    chain: Vec<(FunctionId, Span)>,
    /// Statements emitted so far.
    statements: usize,
}

/// Why specialisation does not go on.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// The block certainly fails here: an assertion of constant false has been emitted, and nothing after it is reached.
    Fails,
    /// The array IR cannot express it.
    Unsupported(Box<Unsupported>),
}

/// What the array IR cannot express.
#[derive(Clone, Debug)]
pub(super) struct Unsupported {
    /// Why.
    pub(super) reason: Reason,
    /// The construct.
    pub(super) span: Span,
    /// The calls that led there.
    pub(super) chain: Vec<(FunctionId, Span)>,
}

/// The reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The rank of an array depends on data.
    RankDependsOnData,
    /// Output from the block of a with-loop.
    OutputInWithLoop,
    /// Anything else; this is what.
    Construct(&'static str),
}

/// What specialisation gives.
pub(super) type Result<T> = std::result::Result<T, Stop>;

/// A position in the scope of checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks(usize);

impl<'p> Specialiser<'p> {
    /// Counts an emitted statement.
    fn count_statement(&mut self) {
        self.statements += 1;
    }

    /// It cannot be expressed.
    pub(super) fn unsupported<T>(&self, reason: Reason, span: Span) -> Result<T> {
        Err(Stop::Unsupported(Box::new(Unsupported { reason, span, chain: self.chain.clone() })))
    }

    // ---- blocks ----

    /// Specialises what stands in an inner block. If that certainly fails, the block ends with the assertion and there is no
    /// value. The block has no results yet; to append to it see [`reopen`](Self::reopen). Checks made inside are out of
    /// scope afterwards.
    pub(super) fn in_block<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Block, Option<T>)> {
        self.reopen(Block::default(), body)
    }

    /// Opens a block again, to append to it; its results are kept.
    pub(super) fn reopen<T>(
        &mut self,
        block: Block,
        body: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(Block, Option<T>)> {
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
    pub(super) fn certs(&self) -> Vec<array::Value> {
        self.certs.clone()
    }

    /// Begins a scope of checks.
    pub(super) fn enter(&mut self) -> Checks {
        Checks(self.certs.len())
    }

    /// Ends a scope of checks: what was asserted since is not listed any more.
    pub(super) fn leave(&mut self, checks: Checks) {
        self.certs.truncate(checks.0);
    }

    /// Checks a condition for one statement, which must list the certificates: those in scope as well. None is needed if the
    /// condition is known to hold, those in scope aside.
    pub(super) fn check(
        &mut self,
        cond: Operand,
        kind: FailureKind,
        args: Vec<Operand>,
        span: Span,
    ) -> Result<Vec<array::Value>> {
        if cond == Operand::Const(Const::Bool(true)) {
            return Ok(Vec::new());
        }
        let outer = self.builder.set_span(span);
        let cert = self.builder.assert(cond, kind, args);
        self.builder.set_span(outer);
        self.count_statement();
        if cond == Operand::Const(Const::Bool(false)) {
            return Err(Stop::Fails);
        }
        Ok(vec![cert])
    }

    /// Checks a condition for all that follows in the scope of checks.
    pub(super) fn assert(&mut self, cond: Operand, kind: FailureKind, args: Vec<Operand>, span: Span) -> Result<()> {
        let certs = self.check(cond, kind, args, span)?;
        self.certs.extend(certs);
        Ok(())
    }

    /// One certificate for several.
    pub(super) fn conjoin(&mut self, certs: Vec<array::Value>) -> Operand {
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
    pub(super) fn emit_under(&mut self, op: Op, types: Vec<Type>, certs: &[array::Value]) -> Vec<array::Value> {
        self.count_statement();
        let mut all = self.certs.clone();
        all.extend(certs);
        self.builder.emit(op, types, all)
    }

    /// The same with one result.
    pub(super) fn emit_one_under(&mut self, op: Op, ty: Type, certs: &[array::Value]) -> array::Value {
        self.emit_under(op, vec![ty], certs)[0]
    }

    /// Appends an operation that is defined wherever its operands are.
    pub(super) fn emit_one(&mut self, op: Op, ty: Type) -> array::Value {
        self.count_statement();
        self.builder.emit_one(op, ty, Vec::new())
    }

    // ---- the parts of the language ----

    /// The value of an expression.
    pub(super) fn expr(&mut self, env: &mut Env, e: &'p Expr) -> Result<Value> {
        let mut values = self.values(env, e, 1)?;
        Ok(values.remove(0))
    }

    /// The values of an expression that has `n`.
    pub(super) fn values(&mut self, _env: &mut Env, e: &'p Expr, _n: usize) -> Result<Vec<Value>> {
        self.unsupported(Reason::Construct("this expression"), e.span)
    }

    /// Runs statements.
    pub(super) fn block(&mut self, _env: &mut Env, _stmts: &'p [Stmt]) -> Result<()> {
        Ok(())
    }

    /// The results of a call.
    pub(super) fn call(&mut self, _overload: OverloadId, _args: Vec<Value>, span: Span) -> Result<Vec<Value>> {
        self.unsupported(Reason::Construct("a call"), span)
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
