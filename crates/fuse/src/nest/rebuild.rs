//! Builds loops of the loop IR from a generated program. The statements of the source get new
//! places, windows become smaller arrays, and scalars become variables.
//!
//! All decisions are in the program: this module makes none. The program comes from the passes of
//! `frit-scop`.

use super::region::{Region, is_simd};
use super::shape::Group;
use super::walk::{Rewrite, Target, rewritten_stmt};
use frit_ir::nest::{Array, ArrayData, Expr, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_scop::program::{self, Fate, ForLoop, Instance, Iterator, Program, Step};
use frit_support::{Span, Table};
use std::collections::{BTreeMap, BTreeSet};

/// A program as statements.
#[derive(Clone, Debug)]
pub(super) struct Rebuilt {
    /// The loops.
    pub(super) stmts: Vec<Stmt>,
    /// The windows, by the arrays that they replace. They must be allocated before the loops.
    pub(super) windows: BTreeMap<Array, Array>,
    /// The arrays that became variables.
    pub(super) scalars: BTreeSet<Array>,
}

/// The program as statements of the procedure. `None` if the loop IR cannot express a part of it.
pub(super) fn rebuild(proc: &mut Proc, region: &Region, program: &Program) -> Option<Rebuilt> {
    let mut windows = BTreeMap::new();
    let mut scalars = BTreeSet::new();
    for (array, fate) in program.fates.iter() {
        let Some(of) = region.array(array) else { continue };
        match fate {
            Fate::Kept => {}
            Fate::Scalar => {
                scalars.insert(of);
            }
            Fate::Window { moduli } => {
                let data = window(&proc.arrays[of], moduli)?;
                windows.insert(of, proc.arrays.push(data));
            }
            Fate::Registers { .. } => return None,
        }
    }
    let iterators = program.iterators.iter().map(|(_, data)| {
        let source = data.sources.first().map(|source| region.shape.loops[*source]);
        let name = source.and_then(|source| proc.loops[source].var).and_then(|var| proc.vars[var].name.clone());
        (name, source.map_or(Span::NONE, |source| proc.loops[source].span))
    });
    let iterators: Vec<_> = iterators.collect();
    let mut builder = Builder {
        proc,
        region,
        program,
        windows,
        scalars: scalars.iter().map(|array| (*array, None)).collect(),
        names: iterators,
        iterators: BTreeMap::new(),
    };
    let stmts = builder.steps(&program.body)?;
    let windows = builder.windows;
    Some(Rebuilt { stmts, windows, scalars })
}

/// The array that holds a window.
fn window(of: &ArrayData, moduli: &[Option<u64>]) -> Option<ArrayData> {
    let mut extents = Vec::new();
    for (extent, modulus) in of.extents.iter().zip(moduli) {
        match modulus {
            Some(1) => {}
            Some(modulus) => extents.push(Expr::i64(i64::try_from(*modulus).ok()?)),
            None => extents.push(extent.clone()),
        }
    }
    Some(ArrayData { elem: of.elem, extents, storage: Storage::Heap, name: of.name.clone(), span: of.span })
}

struct Builder<'a> {
    proc: &'a mut Proc,
    region: &'a Region,
    program: &'a Program,
    windows: BTreeMap<Array, Array>,
    /// The variables of arrays that became scalars, as far as they have one.
    scalars: BTreeMap<Array, Option<Var>>,
    /// Names for the loops' variables, and the source of the loops.
    names: Vec<(Option<std::sync::Arc<str>>, Span)>,
    /// The variable of each loop under construction.
    iterators: BTreeMap<Iterator, Var>,
}

impl Builder<'_> {
    fn steps(&mut self, steps: &[Step]) -> Option<Vec<Stmt>> {
        let mut stmts = Vec::new();
        for step in steps {
            match step {
                Step::For(of) => stmts.extend(self.for_loop(of)?),
                Step::If { cond, then, otherwise } => {
                    let cond = self.condition(cond);
                    let (then, otherwise) = (self.steps(then)?, self.steps(otherwise)?);
                    stmts.push(Stmt::If { cond, then, otherwise });
                }
                Step::Instance(instance) => stmts.extend(self.instance(instance)?),
                Step::Rotate { .. } => return None,
            }
        }
        Some(stmts)
    }

    /// The loop, or nothing if it is known to be empty.
    fn for_loop(&mut self, of: &ForLoop) -> Option<Vec<Stmt>> {
        let (lower, upper) = (self.value(&of.lower), self.value(&of.upper));
        let at = frit_support::Index::at(of.iterator);
        let (name, span) = self.names[at].clone();
        let var = self.proc.var(Scalar::I64, name);
        let before = self.iterators.insert(of.iterator, var);
        let is_innermost = !contains_loop(&of.body);
        let outside = self.scalars.clone();
        if is_innermost {
            // Each loop has its own variable. Otherwise vectors would need private copies of it.
            self.scalars.values_mut().for_each(|var| *var = None);
        }
        let mut body = self.steps(&of.body)?;
        // Equal bounds may not be known to be equal. An element that nothing has made is not read.
        let made: Vec<Var> = self.scalars.values().flatten().copied().filter(|_| is_innermost).collect();
        let never_runs = made.iter().any(|var| is_read_only(*var, &body));
        self.scalars = outside;
        match before {
            Some(before) => self.iterators.insert(of.iterator, before),
            None => self.iterators.remove(&of.iterator),
        };
        if never_runs || body.is_empty() {
            return Some(Vec::new());
        }
        // Elements that only some iterations make are read by these only, but conditions may not
        // show that.
        for var in made {
            if may_be_read_unmade(var, &body, &mut false) {
                let zero = self.proc.vars[var].scalar.zero();
                body.insert(0, Stmt::Assign { var, value: Expr::Const(zero) });
            }
        }
        let kind = if is_innermost { self.kind(of) } else { LoopKind::Sequential };
        let data = LoopData { var: Some(var), lower, upper, step: of.step, kind, body, span };
        Some(vec![self.proc.add_loop(data)])
    }

    /// How the iterations of an innermost loop may run: as before if it has the work of one loop,
    /// else as was proved.
    fn kind(&self, of: &ForLoop) -> LoopKind {
        let sources: Vec<_> =
            self.program.iterators[of.iterator].sources.iter().map(|source| self.region.shape.loops[*source]).collect();
        match (&sources[..], &of.kind) {
            ([source], _) => match &self.proc.loops[*source].kind {
                LoopKind::Independent { parallel: _, simd, reductions } => {
                    LoopKind::Independent { parallel: None, simd: *simd, reductions: reductions.clone() }
                }
                kind @ (LoopKind::Sequential | LoopKind::Scan { .. }) => kind.clone(),
            },
            (sources, program::LoopKind::Simd) if sources.iter().all(|source| is_simd(self.proc, *source)) => {
                LoopKind::independent(true)
            }
            _ => LoopKind::Sequential,
        }
    }

    fn instance(&mut self, instance: &Instance) -> Option<Vec<Stmt>> {
        let group = &self.region.shape.groups[instance.statement];
        let iterators: Vec<Expr> = instance.iterators.iter().map(|value| self.value(value)).collect();
        let subscripts: Vec<Option<Vec<Expr>>> = instance
            .subscripts
            .iter()
            .map(|subscripts| {
                subscripts.as_ref().map(|all| all.iter().map(|subscript| self.value(subscript)).collect())
            })
            .collect();
        let private: BTreeMap<Var, Var> = group.private.iter().map(|var| (*var, self.proc.var_like(*var))).collect();
        let mut copy =
            Copy { group, params: &self.region.shape.params, iterators, subscripts, private, next: 0, builder: self };
        let stmts: Vec<Stmt> = group.stmts.iter().map(|stmt| rewritten_stmt(stmt, &mut copy)).collect::<Option<_>>()?;
        let private: BTreeSet<Var> = copy.private.values().copied().collect();
        Some(without_unused(stmts, &private))
    }

    fn scalar(&mut self, array: Array) -> Option<Var> {
        let known = self.scalars.get(&array)?;
        if let Some(var) = known {
            return Some(*var);
        }
        let data = &self.proc.arrays[array];
        let var = self.proc.var(data.elem, data.name.clone());
        self.scalars.insert(array, Some(var));
        Some(var)
    }

    /// An integer.
    fn value(&self, expr: &program::Expr) -> Expr {
        match expr {
            program::Expr::Int(value) => Expr::i64(*value),
            program::Expr::Param(param) => self.region.shape.params[*param].clone(),
            program::Expr::Iterator(iterator) => Expr::Var(self.iterators[iterator]),
            program::Expr::Neg(x) => Expr::i64(0) - self.value(x),
            program::Expr::Binary(op, x, y) => match integer(*op) {
                Some(op) => Expr::binary(op, self.value(x), self.value(y)),
                None => Expr::select(self.condition(expr), Expr::i64(1), Expr::i64(0)),
            },
            program::Expr::Select(cond, then, otherwise) => {
                Expr::select(self.condition(cond), self.value(then), self.value(otherwise))
            }
        }
    }

    /// A truth value.
    fn condition(&self, expr: &program::Expr) -> Expr {
        use program::BinOp as Op;
        let binary = |op, x, y| Expr::Binary { op, x: Box::new(x), y: Box::new(y) };
        match expr {
            program::Expr::Int(value) => Expr::Const(Const::Bool(*value != 0)),
            program::Expr::Binary(op, x, y) => {
                let truth = |op| binary(op, self.condition(x), self.condition(y));
                let compare = |op| binary(op, self.value(x), self.value(y));
                match op {
                    Op::And => truth(BinOp::AND),
                    Op::Or => truth(BinOp::OR),
                    Op::Lt => compare(BinOp::LT),
                    Op::Le => compare(BinOp::LE),
                    Op::Gt => binary(BinOp::LT, self.value(y), self.value(x)),
                    Op::Ge => binary(BinOp::LE, self.value(y), self.value(x)),
                    Op::Eq => compare(BinOp::EQ),
                    Op::Ne => compare(BinOp::NE),
                    Op::Add
                    | Op::Sub
                    | Op::Mul
                    | Op::Div
                    | Op::FloorDiv
                    | Op::Mod
                    | Op::FloorMod
                    | Op::Min
                    | Op::Max => binary(BinOp::NE, self.value(expr), Expr::i64(0)),
                }
            }
            _ => binary(BinOp::NE, self.value(expr), Expr::i64(0)),
        }
    }
}

/// The operation on integers that it is, if it is one.
fn integer(op: program::BinOp) -> Option<BinOp> {
    use program::BinOp as Op;
    Some(match op {
        Op::Add => BinOp::ADD,
        Op::Sub => BinOp::SUB,
        Op::Mul => BinOp::MUL,
        Op::Div => BinOp::DIV,
        Op::FloorDiv => BinOp::FLOOR_DIV,
        Op::Mod => BinOp::REM,
        Op::FloorMod => BinOp::FLOOR_MOD,
        Op::Min => BinOp::MIN,
        Op::Max => BinOp::MAX,
        Op::And | Op::Or | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => return None,
    })
}

fn contains_loop(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For(_) => true,
        Step::If { then, otherwise, .. } => contains_loop(then) || contains_loop(otherwise),
        Step::Instance(_) | Step::Rotate { .. } => false,
    })
}

/// A copy of a group of statements in its new place.
struct Copy<'c, 'a> {
    group: &'c Group,
    params: &'c Table<frit_scop::Param, Expr>,
    iterators: Vec<Expr>,
    subscripts: Vec<Option<Vec<Expr>>>,
    private: BTreeMap<Var, Var>,
    next: usize,
    builder: &'c mut Builder<'a>,
}

impl Copy<'_, '_> {
    fn element(&mut self, array: Array) -> Option<Target> {
        let subscripts = self.subscripts[self.next].take();
        self.next += 1;
        let subscripts = subscripts?;
        if let Some(var) = self.builder.scalar(array) {
            return Some(Target::Scalar(var));
        }
        let array = self.builder.windows.get(&array).copied().unwrap_or(array);
        Some(Target::Element(array, subscripts))
    }
}

impl Rewrite for Copy<'_, '_> {
    fn var(&mut self, var: Var) -> Expr {
        match (self.private.get(&var), self.group.values.get(&var)) {
            (Some(own), _) => Expr::Var(*own),
            (None, Some(linear)) => linear.expr(&self.iterators, self.params),
            (None, None) => Expr::Var(var),
        }
    }

    fn load(&mut self, array: Array, _: &[Expr]) -> Option<Expr> {
        self.element(array).map(|target| match target {
            Target::Element(array, index) => Expr::Load { array, index },
            Target::Scalar(var) => Expr::Var(var),
        })
    }

    fn assigned(&mut self, var: Var) -> Var {
        self.private.get(&var).copied().unwrap_or(var)
    }

    fn stored(&mut self, array: Array, _: &[Expr]) -> Option<Target> {
        self.element(array)
    }
}

/// True if some path through the statements reads the variable before it is assigned. `is_made`
/// tells whether it is assigned, before the statements and after them.
fn may_be_read_unmade(var: Var, stmts: &[Stmt], is_made: &mut bool) -> bool {
    stmts.iter().any(|stmt| {
        let was_made = *is_made;
        if let Stmt::If { cond, then, otherwise } = stmt {
            let mut other_is_made = was_made;
            let may_be =
                may_be_read_unmade(var, then, is_made) || may_be_read_unmade(var, otherwise, &mut other_is_made);
            *is_made &= other_is_made;
            return may_be || !was_made && cond.variables().contains(&var);
        }
        *is_made |= assigns(stmt, var);
        !was_made && reads(stmt).contains(&var)
    })
}

/// True if nothing assigns the variable and something reads it.
fn is_read_only(var: Var, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| reads(stmt).contains(&var)) && !stmts.iter().any(|stmt| assigns(stmt, var))
}

fn assigns(stmt: &Stmt, var: Var) -> bool {
    let mut found = false;
    stmt.for_each_inner(&mut |stmt| stmt.for_each_assigned(&mut |assigned| found |= assigned == var));
    found
}

/// The statements without assignments to variables that nothing reads. Subscripts may have been
/// their only uses.
fn without_unused(stmts: Vec<Stmt>, private: &BTreeSet<Var>) -> Vec<Stmt> {
    let mut read = BTreeSet::new();
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in stmts.into_iter().rev() {
        match &stmt {
            Stmt::Assign { var, .. } if private.contains(var) && !read.contains(var) => continue,
            _ => read.extend(reads(&stmt)),
        }
        kept.push(stmt);
    }
    kept.reverse();
    kept
}

/// The variables that the statement reads, and those that statements inside it read, except loops.
fn reads(stmt: &Stmt) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    stmt.for_each_inner_expr(&mut |expr| expr.for_each_var(&mut |var| _ = found.insert(var)));
    found
}
