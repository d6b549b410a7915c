//! The emitter: a builder of array IR that remembers how scalars were computed.
//!
//! The extents of arrays must be in scope where the array is, also where the array comes out of a branch, a loop, a
//! with-loop or a call whose inside computed the extent. The emitter therefore records the *origin* of every scalar that
//! total arithmetic computed, so that [`derive`](Emitter::derive) can compute it again outside, and tells by value
//! numbering which extents are the same. See Note [Extents from outside].
//!
//! Knows nothing of L0. Read [`summary`](super::summary) for how extents cross function boundaries.

use super::alias::Sharing;
use super::summary::{Node, Summary};
use frit_ir::array::build::Builder;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Extent, Func, Op, Operand, Stmt, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_support::{Index, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The largest size that `iota` and `replicate` take: no address space holds more elements.
const MAX_SIZE: i64 = 1 << 47;

/// How many operations [`Emitter::derive`] repeats at most. Longer computations of extents become results of their own.
const DERIVATION_LIMIT: usize = 64;

/// How a scalar was computed, by total operations: ones that are defined on all operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    Unary {
        op: UnOp,
        x: Operand,
    },
    Binary {
        op: BinOp,
        x: Operand,
        y: Operand,
    },
    Select {
        cond: Operand,
        on_true: Operand,
        on_false: Operand,
    },
    /// A scalar result of a function, by its summary.
    Result {
        summary: Rc<Summary>,
        sizes: Rc<[Operand]>,
        args: Rc<[Operand]>,
    },
}

/// The scope of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope(usize);

/// A builder that remembers origins.
pub(super) struct Emitter {
    builder: Builder,
    /// The scope each value belongs to; values added since the last change of scope belong to the current one.
    scope_of: Vec<Scope>,
    is_open: Vec<bool>,
    open: Vec<Scope>,
    origins: HashMap<Value, Origin>,
    /// The first value with an origin: the representative of all values that are computed alike.
    numbers: HashMap<Origin, Value>,
    representatives: HashMap<Value, Value>,
    /// The last value computed like a representative.
    latest: HashMap<Value, Value>,
    /// Sizes known not to be negative: in which scope, and by which assertion.
    not_negative: HashMap<Operand, (Scope, Option<Value>)>,
    /// What stands for values that turned out to be others. Applied when the function is finished.
    renaming: Renaming,
    pub(super) sharing: Sharing,
    /// The certificates of the statements that have some.
    certified: HashMap<Value, Vec<Value>>,
}

impl Emitter {
    pub(super) fn new(func: Func) -> Self {
        Self {
            builder: Builder::new(func),
            scope_of: Vec::new(),
            is_open: vec![true],
            open: vec![Scope(0)],
            origins: HashMap::new(),
            numbers: HashMap::new(),
            representatives: HashMap::new(),
            latest: HashMap::new(),
            not_negative: HashMap::new(),
            renaming: Renaming::new(),
            sharing: Sharing::default(),
            certified: HashMap::new(),
        }
    }

    /// The finished function.
    pub(super) fn finish(self, results: Vec<Operand>) -> Func {
        let mut closed = Renaming::new();
        for &name in self.renaming.keys() {
            // Chains are as long as loops nest: each is followed once.
            let mut chain = Vec::new();
            let mut last = Operand::Value(name);
            while let Operand::Value(value) = last
                && let Some(&next) = closed.get(&value).or_else(|| self.renaming.get(&value))
            {
                chain.push(value);
                last = next;
            }
            closed.extend(chain.into_iter().map(|value| (value, last)));
        }
        let mut func = self.builder.finish(results);
        func.substitute(&closed);
        func
    }

    pub(super) fn func(&mut self) -> &mut Func {
        &mut self.builder.func
    }

    /// The function as it is so far: blocks that are still open are missing.
    pub(super) fn finished(&self) -> &Func {
        &self.builder.func
    }

    pub(super) fn set_span(&mut self, span: Span) -> Span {
        self.builder.set_span(span)
    }

    pub(super) fn span(&self) -> Span {
        self.builder.span()
    }

    // ---- scopes ----

    /// The scope of the innermost open block.
    pub(super) fn current_scope(&self) -> Scope {
        *self.open.last().expect("the function's scope is open")
    }

    fn settle_scopes(&mut self) {
        self.scope_of.resize(self.builder.func.values.len(), self.current_scope());
    }

    /// Opens an inner block.
    pub(super) fn open_block(&mut self) {
        self.settle_scopes();
        self.open.push(Scope(self.is_open.len()));
        self.is_open.push(true);
        self.builder.open_block();
    }

    /// Opens a block again that was closed, to append to it.
    pub(super) fn reopen_block(&mut self, block: Block, scope: Scope) {
        self.settle_scopes();
        self.open.push(scope);
        self.is_open[scope.0] = true;
        self.builder.open_block();
        block.stmts.into_iter().for_each(|stmt| self.builder.push(stmt));
    }

    /// Closes the innermost block.
    pub(super) fn close_block(&mut self, results: Vec<Operand>) -> Block {
        self.settle_scopes();
        let scope = self.open.pop().expect("an inner block is open");
        self.is_open[scope.0] = false;
        self.builder.close_block(results)
    }

    fn is_in_scope(&self, value: Value) -> bool {
        self.scope_of.get(value.at()).is_none_or(|scope| self.is_open[scope.0])
    }

    // ---- statements ----

    /// A new value that no statement defines yet.
    pub(super) fn value(&mut self, ty: Type, name: Option<Arc<str>>) -> Value {
        self.builder.value(ty, name)
    }

    pub(super) fn push(&mut self, op: Op, results: Vec<Value>, certs: Vec<Value>) {
        let span = self.builder.span();
        self.builder.push(Stmt { results, op, certs, span });
    }

    pub(super) fn emit_one(&mut self, op: Op, ty: Type, certs: Vec<Value>) -> Value {
        let is_certified = !certs.is_empty();
        let value = self.builder.emit_one(op, ty, certs.clone());
        if is_certified {
            self.certified.insert(value, certs);
        }
        value
    }

    pub(super) fn ty(&self, value: Value) -> &Type {
        self.builder.func.ty(value)
    }

    pub(super) fn operand_type(&self, operand: Operand) -> Type {
        self.builder.func.operand_type(operand)
    }

    pub(super) fn unary(&mut self, op: UnOp, x: Operand) -> Operand {
        let result = self.builder.unary(op, x);
        self.record(result, Origin::Unary { op, x });
        result
    }

    pub(super) fn binary(&mut self, op: BinOp, x: Operand, y: Operand, certs: Vec<Value>) -> Operand {
        let elem = self.operand_type(x).elem;
        let result = self.builder.binary_under(op, x, y, certs);
        if is_total(op, elem, y) {
            self.record(result, Origin::Binary { op, x, y });
        }
        result
    }

    /// Says that a value was, or could have been, computed like this.
    pub(super) fn record(&mut self, result: Operand, origin: Origin) {
        let Some(value) = result.value() else { return };
        let origin = self.canonical_origin(origin);
        let representative = *self.numbers.entry(origin.clone()).or_insert(value);
        self.representatives.insert(value, representative);
        self.latest.insert(representative, value);
        self.origins.insert(value, origin);
    }

    fn canonical_origin(&self, origin: Origin) -> Origin {
        let canonical = |o: Operand| self.canonical(o);
        match origin {
            Origin::Unary { op, x } => Origin::Unary { op, x: canonical(x) },
            Origin::Binary { op, x, y } => Origin::Binary { op, x: canonical(x), y: canonical(y) },
            Origin::Select { cond, on_true, on_false } => {
                Origin::Select { cond: canonical(cond), on_true: canonical(on_true), on_false: canonical(on_false) }
            }
            Origin::Result { summary, sizes, args } => Origin::Result {
                summary,
                sizes: sizes.iter().map(|&o| canonical(o)).collect(),
                args: args.iter().map(|&o| canonical(o)).collect(),
            },
        }
    }

    // ---- checks ----

    /// An assertion, unless its condition is the constant true; the certificate.
    pub(super) fn check(&mut self, cond: Operand, kind: FailureKind, args: Vec<Operand>) -> Option<Value> {
        (cond != Operand::Const(Const::Bool(true))).then(|| self.builder.assert(cond, kind, args))
    }

    /// Checks that two extents are the same number, unless they are by construction.
    pub(super) fn check_same(&mut self, kind: FailureKind, needed: Extent, found: Extent) -> Option<Value> {
        if self.same(needed.into(), found.into()) {
            return None;
        }
        let (needed, found) = (self.length(needed), self.length(found));
        let equal = self.total_binary(BinOp::EQ, needed, found);
        self.check(equal, kind, vec![needed, found])
    }

    /// Checks that a size is not negative, nor larger than any array can be: so size arithmetic on checked sizes does not
    /// wrap, even for arrays that are never made.
    pub(super) fn check_size(&mut self, size: Operand) -> Option<Value> {
        if let Some(cert) = self.known_not_negative(size) {
            return cert;
        }
        let fits = self.total_binary(BinOp::IN_BOUNDS, size, Operand::i64(MAX_SIZE + 1));
        let cert = self.check(fits, FailureKind::NegativeSize, vec![size]);
        self.assume_not_negative(size, cert);
        cert
    }

    // ---- extents ----

    /// Says that `value` is another name for `operand`.
    pub(super) fn rename(&mut self, value: Value, operand: Operand) {
        self.renaming.insert(value, operand);
    }

    /// Takes back what [`rename`](Self::rename) said.
    pub(super) fn unrename(&mut self, value: Value) {
        self.renaming.remove(&value);
    }

    /// What stands for an operand.
    pub(super) fn resolve(&self, mut operand: Operand) -> Operand {
        while let Operand::Value(value) = operand
            && let Some(&next) = self.renaming.get(&value)
        {
            operand = next;
        }
        operand
    }

    fn canonical(&self, operand: Operand) -> Operand {
        match self.resolve(operand) {
            Operand::Value(value) => self.representatives.get(&value).copied().unwrap_or(value).into(),
            constant @ Operand::Const(_) => constant,
        }
    }

    /// True if two scalars are computed alike, so that they are equal.
    pub(super) fn same(&self, x: Operand, y: Operand) -> bool {
        self.canonical(x) == self.canonical(y)
    }

    /// Says that a size is not negative in the current scope, by an assertion or by construction.
    pub(super) fn assume_not_negative(&mut self, size: Operand, cert: Option<Value>) {
        if self.is_not_negative(size) {
            return;
        }
        let canonical = self.canonical(size);
        self.not_negative.insert(canonical, (self.current_scope(), cert));
    }

    /// True if a size is known not to be negative where it is in scope now.
    pub(super) fn is_not_negative(&self, size: Operand) -> bool {
        self.known_not_negative(size).is_some()
    }

    /// The certificate, if one is needed, that a size is not negative; `None` if nothing is known.
    #[allow(clippy::option_option, reason = "two questions: is it known, and what must be listed")]
    fn known_not_negative(&self, operand: Operand) -> Option<Option<Value>> {
        match self.canonical(operand) {
            Operand::Const(constant) => constant.as_i64().is_some_and(|n| n >= 0).then_some(None),
            value @ Operand::Value(_) => {
                let &(scope, cert) = self.not_negative.get(&value)?;
                self.is_open[scope.0].then_some(cert)
            }
        }
    }

    /// The number of elements along an extent: what `size` gives. A negative extent has none.
    pub(super) fn length(&mut self, extent: Extent) -> Operand {
        let extent = self.resolve(extent.into());
        if self.is_not_negative(extent) {
            return extent;
        }
        let length = self.total_binary(BinOp::MAX, extent, Operand::i64(0));
        self.assume_not_negative(length, None);
        length
    }

    /// The length of an extent of arrays with these components, under the certificates. It depends on whatever the arrays
    /// depend on: what asks for the size of an array must not run where making the array fails.
    pub(super) fn size_of(&mut self, extent: Extent, parts: &[Operand], certs: &[Value]) -> Operand {
        let length = self.length(extent);
        let of_parts = parts.iter().filter_map(|part| self.certified.get(&part.value()?)).flatten();
        let mut certs: Vec<Value> = certs.iter().chain(of_parts).copied().collect();
        certs.sort_unstable();
        certs.dedup();
        if certs.is_empty() {
            return length;
        }
        let size = self.builder.binary_under(BinOp::MAX, length, Operand::i64(0), certs);
        if let (Some(size), Operand::Value(known)) = (size.value(), self.canonical(length)) {
            self.representatives.insert(size, known);
        }
        self.assume_not_negative(size, None);
        size
    }

    /// Arithmetic on sizes: constants are folded, and what is in scope is not computed again.
    pub(super) fn total_binary(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        if let (Some(a), Some(b)) = (x.constant(), y.constant())
            && let Some(folded) = op.eval(a, b)
        {
            return folded.into();
        }
        if let Some(known) = self.find(Origin::Binary { op, x, y }) {
            return known;
        }
        self.binary(op, x, y, Vec::new())
    }

    /// As [`total_binary`](Self::total_binary), on one operand.
    pub(super) fn total_unary(&mut self, op: UnOp, x: Operand) -> Operand {
        if let Some(constant) = x.constant() {
            return op.eval(constant).into();
        }
        self.find(Origin::Unary { op, x }).unwrap_or_else(|| self.unary(op, x))
    }

    /// One of two scalars.
    pub(super) fn total_select(&mut self, cond: Operand, on_true: Operand, on_false: Operand) -> Operand {
        if let Some(truth) = cond.constant().and_then(Const::as_bool) {
            return if truth { on_true } else { on_false };
        }
        if self.same(on_true, on_false) {
            return on_true;
        }
        let origin = Origin::Select { cond, on_true, on_false };
        if let Some(known) = self.find(origin.clone()) {
            return known;
        }
        let result = self.builder.select(cond, on_true, on_false);
        self.record(result, origin);
        result
    }

    /// A value in scope that is computed like this.
    fn find(&self, origin: Origin) -> Option<Operand> {
        let &representative = self.numbers.get(&self.canonical_origin(origin))?;
        self.in_scope_like(representative)
    }

    fn in_scope_like(&self, representative: Value) -> Option<Operand> {
        let latest = self.latest.get(&representative).copied();
        [Some(representative), latest].into_iter().flatten().find(|&v| self.is_in_scope(v)).map(Operand::from)
    }

    /// An operand with the same value as this one, which may be out of scope, computed here if need be; `None` if it cannot
    /// be, because it depends on what only its own scope knows.
    pub(super) fn derive(&mut self, operand: Operand) -> Option<Operand> {
        let mut budget = DERIVATION_LIMIT;
        self.is_derivable(operand, &mut budget).then(|| self.derive_again(operand))
    }

    /// True if [`derive`](Self::derive) will find the operand's value once the current block is closed.
    pub(super) fn is_derivable_outside(&mut self, operand: Operand) -> bool {
        self.settle_scopes();
        let current = self.current_scope();
        self.is_open[current.0] = false;
        let mut budget = DERIVATION_LIMIT;
        let derivable = self.is_derivable(operand, &mut budget);
        self.is_open[current.0] = true;
        derivable
    }

    /// A name in scope for the operand, if there is one.
    fn available(&self, operand: Operand) -> Option<Operand> {
        let operand = self.resolve(operand);
        let Operand::Value(value) = operand else { return Some(operand) };
        if self.is_in_scope(value) {
            return Some(operand);
        }
        let representative = self.representatives.get(&value)?;
        self.in_scope_like(*representative)
    }

    fn origin(&self, operand: Operand) -> Option<&Origin> {
        self.origins.get(&self.resolve(operand).value()?)
    }

    fn is_derivable(&self, operand: Operand, budget: &mut usize) -> bool {
        if self.available(operand).is_some() {
            return true;
        }
        let Some(left) = budget.checked_sub(1) else { return false };
        *budget = left;
        match self.origin(operand) {
            None => false,
            Some(Origin::Unary { x, .. }) => self.is_derivable(*x, budget),
            Some(Origin::Binary { x, y, .. }) => self.is_derivable(*x, budget) && self.is_derivable(*y, budget),
            Some(Origin::Select { cond, on_true, on_false }) => {
                [cond, on_true, on_false].into_iter().all(|&o| self.is_derivable(o, budget))
            }
            Some(Origin::Result { summary, sizes, args }) => {
                let Some(left) = budget.checked_sub(summary.nodes.len()) else { return false };
                *budget = left;
                summary.nodes.iter().all(|node| match node {
                    Node::Size(at) => self.is_derivable(sizes[*at], budget),
                    Node::Param(at) => self.is_derivable(args[*at], budget),
                    Node::Const(_) | Node::Unary { .. } | Node::Binary { .. } | Node::Select { .. } => true,
                })
            }
        }
    }

    /// Computes again what [`is_derivable`](Self::is_derivable).
    fn derive_again(&mut self, operand: Operand) -> Operand {
        if let Some(available) = self.available(operand) {
            return available;
        }
        let origin = self.origin(operand).expect("a derivable operand is in scope or has an origin").clone();
        match origin {
            Origin::Unary { op, x } => {
                let x = self.derive_again(x);
                self.total_unary(op, x)
            }
            Origin::Binary { op, x, y } => {
                let x = self.derive_again(x);
                let y = self.derive_again(y);
                self.total_binary(op, x, y)
            }
            Origin::Select { cond, on_true, on_false } => {
                let cond = self.derive_again(cond);
                let on_true = self.derive_again(on_true);
                let on_false = self.derive_again(on_false);
                self.total_select(cond, on_true, on_false)
            }
            Origin::Result { summary, sizes, args } => {
                let result = self.instantiate(&summary, |emitter, node| match *node {
                    Node::Size(at) => emitter.derive_again(sizes[at]),
                    Node::Param(at) => emitter.derive_again(args[at]),
                    Node::Const(_) | Node::Unary { .. } | Node::Binary { .. } | Node::Select { .. } => {
                        unreachable!("only leaves are asked for")
                    }
                });
                self.record(result, Origin::Result { summary, sizes, args });
                result
            }
        }
    }

    /// Computes what a summary says; `leaf` gives its sizes and parameters.
    pub(super) fn instantiate(
        &mut self,
        summary: &Summary,
        mut leaf: impl FnMut(&mut Self, &Node) -> Operand,
    ) -> Operand {
        let mut results: Vec<Operand> = Vec::with_capacity(summary.nodes.len());
        for node in &summary.nodes {
            results.push(match *node {
                Node::Const(constant) => constant.into(),
                Node::Size(_) | Node::Param(_) => leaf(self, node),
                Node::Unary { op, x } => self.total_unary(op, results[x]),
                Node::Binary { op, x, y } => self.total_binary(op, results[x], results[y]),
                Node::Select { cond, on_true, on_false } => {
                    self.total_select(results[cond], results[on_true], results[on_false])
                }
            });
        }
        results[summary.result]
    }

    /// The operand as total arithmetic over the function's sizes and scalar parameters, if it is.
    pub(super) fn summarise(&self, operand: Operand) -> Option<Summary> {
        let mut nodes = Vec::new();
        let mut budget = DERIVATION_LIMIT;
        let result = self.summarise_into(operand, &mut nodes, &mut HashMap::new(), &mut budget)?;
        Some(Summary { nodes, result })
    }

    fn summarise_into(
        &self,
        operand: Operand,
        nodes: &mut Vec<Node>,
        known: &mut HashMap<Operand, usize>,
        budget: &mut usize,
    ) -> Option<usize> {
        let operand = self.resolve(operand);
        if let Some(&at) = known.get(&operand) {
            return Some(at);
        }
        *budget = budget.checked_sub(1)?;
        let func = &self.builder.func;
        let node = match operand {
            Operand::Const(constant) => Node::Const(constant),
            Operand::Value(value) => {
                if let Some(at) = func.sizes.iter().position(|&size| size == value) {
                    Node::Size(at)
                } else if let Some(at) = func.params.iter().position(|param| param.value == value) {
                    Node::Param(at)
                } else {
                    let mut inner = |o: Operand| self.summarise_into(o, nodes, known, budget);
                    match self.origins.get(&value)? {
                        Origin::Unary { op, x } => Node::Unary { op: *op, x: inner(*x)? },
                        Origin::Binary { op, x, y } => Node::Binary { op: *op, x: inner(*x)?, y: inner(*y)? },
                        Origin::Select { cond, on_true, on_false } => {
                            Node::Select { cond: inner(*cond)?, on_true: inner(*on_true)?, on_false: inner(*on_false)? }
                        }
                        Origin::Result { summary: callee, sizes, args } => {
                            let mut moved = Vec::with_capacity(callee.nodes.len());
                            for node in &callee.nodes {
                                let at = match *node {
                                    Node::Size(at) => self.summarise_into(sizes[at], nodes, known, budget)?,
                                    Node::Param(at) => self.summarise_into(args[at], nodes, known, budget)?,
                                    Node::Const(_) | Node::Unary { .. } | Node::Binary { .. } | Node::Select { .. } => {
                                        *budget = budget.checked_sub(1)?;
                                        nodes.push(node.shifted(&moved));
                                        nodes.len() - 1
                                    }
                                };
                                moved.push(at);
                            }
                            let result = moved[callee.result];
                            known.insert(operand, result);
                            return Some(result);
                        }
                    }
                }
            }
        };
        nodes.push(node);
        known.insert(operand, nodes.len() - 1);
        Some(nodes.len() - 1)
    }
}

/// True if the operation is defined whatever its operands are.
fn is_total(op: BinOp, elem: Scalar, y: Operand) -> bool {
    match op {
        BinOp::Divide(_) => {
            let is_zero = |c: Const| matches!(c, Const::Int(_, 0));
            elem.is_float() || y.constant().is_some_and(|c| !is_zero(c))
        }
        BinOp::POW => elem.is_float(),
        BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => true,
    }
}

// Note [Extents from outside]
//
// L0 gives an array no type that mentions its size, so a size can be computed anywhere: in the function that a map
// applies, in a branch, in a callee. The IR wants it named in the scope of the array. Wherever a value leaves the
// scope that computed one of its extents, there are three ways:
//
// 1. The extent is total arithmetic over what the outer scope knows: it is computed again there, before the array is.
//    Total, so that nothing fails that would not have been reached; cheap, because of the limit on its length. This is
//    also what gives an array of rows its row size when there are no rows.
// 2. A sequential loop's parameter keeps the extents of its initial value, if the body's result has them again. The
//    body is lowered with fresh names for the extents, which afterwards become other names (`rename`) of the initial
//    extents. Lowering the body twice would be exponential in the depth of nests.
// 3. The extent becomes a result of its own: of the branch, the loop, the call, or of a `Uniform` operator.
