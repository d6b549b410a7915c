//! The shape of loop nests: their groups of straight-line statements, the loops around each group,
//! and the elements that each group touches. Nests whose shape cannot be found are refused.
//!
//! No set is made here: [`region`](super::region) does that. Affine expressions are in
//! [`linear`](super::linear).

use super::linear::{Atom, Linear};
use super::refusal::Refusal;
use super::walk::{Counts, Rewrite, Target, rewritten_stmt};
use frit_ir::nest::{Array, Expr, Loop, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use frit_scop::{AccessKind, Node, Param, Statement};
use frit_support::{Index, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Facts at the place of the nests.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) proc: &'a Proc,
    /// The mentions of variables and arrays in the whole procedure.
    pub(super) counts: &'a Counts,
    /// Variables that are assigned once, before the nests.
    pub(super) defs: &'a Rc<BTreeMap<Var, Expr>>,
    /// The facts that hold.
    pub(super) facts: &'a [Expr],
}

impl Surroundings<'_> {
    /// True if a fact says that the number is at least the other one.
    fn is_at_least(&self, large: &Expr, small: &Expr) -> bool {
        let is_less = |bound: &Expr| {
            bound == small || bound.as_i64().zip(small.as_i64()).is_some_and(|(bound, small)| small <= bound)
        };
        self.facts.iter().any(|fact| match fact {
            Expr::Binary { op: BinOp::LE | BinOp::LT, x, y } => **y == *large && is_less(x),
            Expr::Binary { op: BinOp::IN_BOUNDS, x, .. } => **x == *large && is_less(&Expr::i64(0)),
            _ => false,
        })
    }
}

/// Loop nests that run one after the other.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The values that do not change in the nests.
    pub(super) params: Table<Param, Expr>,
    /// The loops.
    pub(super) loops: Table<frit_scop::Loop, Loop>,
    /// The groups of statements.
    pub(super) groups: Table<Statement, Group>,
    /// How they are nested: one node for each nest.
    pub(super) body: Vec<Node>,
    /// Variables that are assigned once, before the nests.
    pub(super) defs: Rc<BTreeMap<Var, Expr>>,
}

/// Straight-line statements that run together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The number of its nest.
    pub(super) nest: usize,
    /// The loops around it.
    pub(super) loops: Vec<frit_scop::Loop>,
    /// The values of those loops' variables.
    pub(super) bounds: Vec<Bounds>,
    /// The statements, without assignments of affine values.
    pub(super) stmts: Vec<Stmt>,
    /// The affine variables in the statements, including loop variables.
    pub(super) values: BTreeMap<Var, Linear>,
    /// The accesses, in the order of [`rewritten_stmt`], then the scalars.
    pub(super) touches: Vec<Touch>,
    /// Variables that are assigned here and mentioned nowhere else.
    pub(super) private: BTreeSet<Var>,
}

/// The values that the variable of a loop takes.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// It is at least each of these.
    pub(super) lower: Vec<Linear>,
    /// It is less than each of these.
    pub(super) upper: Vec<Linear>,
    pub(super) step: i64,
}

/// An element that is read or written.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) place: Place,
    pub(super) kind: AccessKind,
    /// The subscripts, if they are affine.
    pub(super) subscripts: Option<Vec<Linear>>,
}

/// What is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Array(Array),
    /// A scalar variable that is assigned in one group, and read in another group or another
    /// iteration.
    Scalar(Var),
}

/// The shape of nests. `fresh` are the arrays whose memory has no other name.
pub(super) fn shape(around: &Surroundings<'_>, nests: &[Loop], fresh: &BTreeSet<Array>) -> Result<Shape, Refusal> {
    let stmts: Vec<Stmt> = nests.iter().map(|nest| Stmt::For(*nest)).collect();
    let inside = Counts::of(around.proc, &stmts);
    let mut reader = Reader {
        around: *around,
        inside: &inside,
        shape: Shape {
            params: Table::new(),
            loops: Table::new(),
            groups: Table::new(),
            body: Vec::new(),
            defs: Rc::clone(around.defs),
        },
        values: BTreeMap::new(),
        valued: Vec::new(),
        path: Vec::new(),
        bounds: Vec::new(),
        nest: 0,
    };
    for (number, nest) in nests.iter().enumerate() {
        reader.nest = number;
        let node = reader.read_loop(*nest)?;
        reader.shape.body.extend(node);
    }
    let mut shape = reader.shape;
    find_scalars(around, &inside, &mut shape)?;
    check_memory(around.proc, &shape, fresh)?;
    Ok(shape)
}

struct Reader<'a> {
    around: Surroundings<'a>,
    inside: &'a Counts,
    shape: Shape,
    /// The affine values of variables here.
    values: BTreeMap<Var, Linear>,
    /// These variables, in the order of the text.
    valued: Vec<Var>,
    path: Vec<frit_scop::Loop>,
    bounds: Vec<Bounds>,
    nest: usize,
}

impl Reader<'_> {
    /// A loop, or nothing if it has no effect.
    fn read_loop(&mut self, l: Loop) -> Result<Option<Node>, Refusal> {
        let proc = self.around.proc;
        let data = &proc.loops[l];
        let at = data.span;
        let (Some(var), true) = (data.var, data.step >= 1) else { return Err(Refusal::UnknownStatement { at }) };
        let lower = self.extremes(&data.lower, BinOp::MAX).ok_or(Refusal::UnknownBounds { at })?;
        let upper = self.extremes(&data.upper, BinOp::MIN).ok_or(Refusal::UnknownBounds { at })?;
        if data.step != 1 && lower.len() != 1 {
            return Err(Refusal::UnknownBounds { at });
        }
        let number = self.shape.loops.push(l);
        let before = self.valued.len();
        self.define(var, Linear::atom(Atom::Iterator(self.path.len())));
        self.path.push(number);
        self.bounds.push(Bounds { lower, upper, step: data.step });
        let body = self.read_body(&data.body, l)?;
        self.valued.drain(before..).for_each(|var| drop(self.values.remove(&var)));
        self.path.pop();
        self.bounds.pop();
        Ok((!body.is_empty()).then_some(Node::Loop(number, body)))
    }

    fn read_body(&mut self, stmts: &[Stmt], of: Loop) -> Result<Vec<Node>, Refusal> {
        let mut body = Vec::new();
        let mut group = None;
        for stmt in stmts {
            if let Stmt::For(l) = stmt {
                body.extend(self.finish(&mut group));
                body.extend(self.read_loop(*l)?);
                continue;
            }
            if let Stmt::Assign { var, value } = stmt
                && self.around.proc.vars[*var].scalar == Scalar::I64
                && self.around.counts.assigned.get(var) == Some(&1)
                && self.inside.of_var(*var) == self.around.counts.of_var(*var)
                && let Some(linear) = self.linear(value)
            {
                self.define(*var, linear);
                continue;
            }
            let group = group.get_or_insert_with(|| Group {
                nest: self.nest,
                loops: self.path.clone(),
                bounds: self.bounds.clone(),
                stmts: Vec::new(),
                values: BTreeMap::new(),
                touches: Vec::new(),
                private: BTreeSet::new(),
            });
            let mut touches = Touches { reader: self, found: &mut group.touches, branches: 0 };
            if rewritten_stmt(stmt, &mut touches).is_none() {
                return Err(Refusal::UnknownStatement { at: self.around.proc.loops[of].span });
            }
            group.stmts.push(stmt.clone());
        }
        body.extend(self.finish(&mut group));
        Ok(body)
    }

    fn define(&mut self, var: Var, linear: Linear) {
        self.values.insert(var, linear);
        self.valued.push(var);
    }

    fn finish(&mut self, group: &mut Option<Group>) -> Option<Node> {
        let mut group = group.take()?;
        let mentioned = Counts::of(self.around.proc, &group.stmts).vars.into_keys();
        group.values = mentioned.filter_map(|var| Some((var, self.values.get(&var)?.clone()))).collect();
        Some(Node::Statement(self.shape.groups.push(group)))
    }

    /// The operands of a maximum or minimum.
    fn extremes(&mut self, expr: &Expr, of: BinOp) -> Option<Vec<Linear>> {
        match expr {
            Expr::Binary { op, x, y } if *op == of => {
                let mut all = self.extremes(x, of)?;
                all.extend(self.extremes(y, of)?);
                Some(all)
            }
            _ => Some(vec![self.linear(expr)?]),
        }
    }

    /// The expression as an affine one, if it is affine. Values that do not change in the nests may
    /// become parameters.
    fn linear(&mut self, expr: &Expr) -> Option<Linear> {
        match expr {
            Expr::Const(_) => expr.as_i64().filter(|value| value.unsigned_abs() < 1 << 31).map(Linear::constant),
            Expr::Var(var) => self.variable(*var),
            Expr::Binary { op: BinOp::ADD, x, y } => self.linear(x)?.plus(&self.linear(y)?, 1),
            Expr::Binary { op: BinOp::SUB, x, y } => self.linear(x)?.plus(&self.linear(y)?, -1),
            Expr::Binary { op: BinOp::MUL, x, y } => {
                let (x, y) = (self.linear(x)?, self.linear(y)?);
                match (x.as_constant(), y.as_constant()) {
                    (Some(factor), _) => Linear::default().plus(&y, factor),
                    (_, Some(factor)) => Linear::default().plus(&x, factor),
                    _ => self.invariant(expr),
                }
            }
            Expr::Binary { op: BinOp::MAX, x, y } if self.around.is_at_least(x, y) => self.linear(x),
            Expr::Binary { op: BinOp::MAX, x, y } if self.around.is_at_least(y, x) => self.linear(y),
            Expr::Unary { op: UnOp::Neg, x } => Linear::default().plus(&self.linear(x)?, -1),
            _ => self.invariant(expr),
        }
    }

    fn variable(&mut self, var: Var) -> Option<Linear> {
        if let Some(linear) = self.values.get(&var) {
            return Some(linear.clone());
        }
        if self.inside.assigned.contains_key(&var) || self.around.proc.vars[var].scalar != Scalar::I64 {
            return None;
        }
        let params = self.shape.params.len();
        if let Some(def) = self.around.defs.get(&var).cloned()
            && let Some(linear) = self.linear(&def)
            // A definition that is not affine has a name already.
            && self.shape.params.iter().skip(params).all(|(_, param)| matches!(param, Expr::Var(_)))
        {
            return Some(linear);
        }
        self.shape.params.truncate(params);
        Some(self.param(Expr::Var(var)))
    }

    /// An expression that is not affine but has one value throughout.
    fn invariant(&mut self, expr: &Expr) -> Option<Linear> {
        let is_fixed = expr.variables().iter().all(|var| !self.inside.assigned.contains_key(var));
        (is_fixed && !expr.has_load() && is_total(expr)).then(|| self.param(expr.clone()))
    }

    fn param(&mut self, expr: Expr) -> Linear {
        let known = self.shape.params.iter().find(|(_, other)| **other == expr).map(|(param, _)| param);
        Linear::atom(Atom::Param(known.unwrap_or_else(|| self.shape.params.push(expr))))
    }
}

/// True if the expression is defined wherever it stands.
fn is_total(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Var(_) | Expr::Threads => true,
        Expr::Load { .. } => false,
        Expr::Unary { x, .. } => is_total(x),
        Expr::Binary { op: BinOp::Divide(_) | BinOp::POW, x, y } => {
            is_total(x) && y.as_i64().is_some_and(|divisor| divisor > 0)
        }
        Expr::Binary { x, y, .. } => is_total(x) && is_total(y),
        Expr::Select { cond, on_true, on_false } => is_total(cond) && is_total(on_true) && is_total(on_false),
    }
}

/// Collects the elements that a statement touches.
struct Touches<'r, 'a> {
    reader: &'r mut Reader<'a>,
    found: &'r mut Vec<Touch>,
    /// The number of enclosing branches.
    branches: usize,
}

impl Touches<'_, '_> {
    fn touch(&mut self, array: Array, index: &[Expr], kind: AccessKind) -> bool {
        let subscripts: Option<Vec<Linear>> = index.iter().map(|index| self.reader.linear(index)).collect();
        let is_exact = subscripts.is_some();
        self.found.push(Touch { place: Place::Array(array), kind, subscripts });
        is_exact
    }
}

impl Rewrite for Touches<'_, '_> {
    fn var(&mut self, var: Var) -> Expr {
        Expr::Var(var)
    }

    fn load(&mut self, array: Array, index: &[Expr]) -> Option<Expr> {
        self.touch(array, index, AccessKind::Read).then(Expr::default)
    }

    fn assigned(&mut self, var: Var) -> Var {
        var
    }

    fn stored(&mut self, array: Array, index: &[Expr]) -> Option<Target> {
        let kind = if self.branches > 0 { AccessKind::MayWrite } else { AccessKind::Write };
        self.touch(array, index, kind).then(|| Target::Element(array, Vec::new()))
    }

    fn branch(&mut self, begins: bool) {
        self.branches = if begins { self.branches + 1 } else { self.branches - 1 };
    }
}

/// Separates variables of one group from variables that carry values between groups or iterations.
fn find_scalars(around: &Surroundings<'_>, inside: &Counts, shape: &mut Shape) -> Result<(), Refusal> {
    let own: Table<Statement, (Counts, Flow)> =
        shape.groups.iter().map(|(_, group)| (Counts::of(around.proc, &group.stmts), Flow::of(&group.stmts))).collect();
    let mut users: BTreeMap<Var, Vec<Statement>> = BTreeMap::new();
    for (group, (counts, _)) in own.iter() {
        counts.vars.keys().for_each(|var| users.entry(*var).or_default().push(group));
    }
    users.retain(|var, users| users.iter().any(|user| own[*user].0.assigned.contains_key(var)));
    for (var, users) in users {
        let total: usize = users.iter().map(|user| own[*user].0.of_var(var)).sum();
        let first = &shape.groups[users[0]];
        // Bounds and parameters mention it as well, or code outside of the nests does.
        if total != around.counts.of_var(var) || total != inside.of_var(var) {
            return Err(Refusal::EscapingScalar { at: around.proc.loops[shape.loops[first.loops[0]]].span });
        }
        if let [user] = users[..]
            && !own[user].1.exposed.contains(&var)
        {
            shape.groups[user].private.insert(var);
            continue;
        }
        for user in users {
            let (counts, flow) = &own[user];
            let mut touch = |kind| {
                let touch = Touch { place: Place::Scalar(var), kind, subscripts: Some(Vec::new()) };
                shape.groups[user].touches.push(touch);
            };
            if flow.exposed.contains(&var) {
                touch(AccessKind::Read);
            }
            if counts.assigned.contains_key(&var) {
                touch(if flow.assigned.contains(&var) { AccessKind::Write } else { AccessKind::MayWrite });
            }
        }
    }
    Ok(())
}

/// How straight-line code uses variables.
#[derive(Clone, Debug, Default)]
struct Flow {
    /// Variables that may be read before they are assigned.
    exposed: BTreeSet<Var>,
    /// Variables that are assigned on every path.
    assigned: BTreeSet<Var>,
}

impl Flow {
    fn of(stmts: &[Stmt]) -> Flow {
        let mut flow = Flow::default();
        flow.add(stmts);
        flow
    }

    fn add(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            stmt.for_each_operand(&mut |expr| self.read(expr));
            stmt.for_each_assigned(&mut |var| _ = self.assigned.insert(var));
            if let Stmt::If { cond: _, then, otherwise } = stmt {
                let (mut one, mut other) = (self.clone(), self.clone());
                one.add(then);
                other.add(otherwise);
                self.exposed = &one.exposed | &other.exposed;
                self.assigned = &one.assigned & &other.assigned;
            }
        }
    }

    fn read(&mut self, expr: &Expr) {
        self.exposed.extend(expr.variables().into_iter().filter(|var| !self.assigned.contains(var)));
    }
}

/// True if the region's arrays never overlap: an array that may have several names is only read.
fn check_memory(proc: &Proc, shape: &Shape, fresh: &BTreeSet<Array>) -> Result<(), Refusal> {
    let is_reference = |array: Array| matches!(proc.arrays[array].storage, Storage::Reference);
    let touches = || shape.groups.iter().flat_map(|(_, group)| &group.touches);
    let arrays = touches().filter_map(|touch| match touch.place {
        Place::Array(array) => Some((array, touch.kind)),
        Place::Scalar(_) => None,
    });
    let (mut shared, mut stale) = (None, false);
    for (array, kind) in arrays {
        if is_reference(array) {
            shared = Some(array);
        }
        stale |= kind != AccessKind::Read && !fresh.contains(&array);
    }
    match shared {
        Some(array) if stale => Err(Refusal::SharedMemory { array, at: proc.arrays[array].span }),
        _ => Ok(()),
    }
}

impl Shape {
    /// The number of parameters.
    pub(super) fn param_names(&self) -> Vec<String> {
        (0..self.params.len()).map(|at| Param::new(at).to_string()).collect()
    }
}
