//! Fission of ordered loops: work that vectors can run leaves loops that must run in order, such as
//! scans, filters, folds in order and sequential loops.
//!
//! ```text
//! for i { s = s + exp(a(i)); D[i] = s }
//!     becomes   for i0 step 256 {
//!                 for i independent { E[i-i0] = exp(a(i)) }
//!                 for i { s = s + E[i-i0]; D[i] = s }
//!               }   where i goes from i0 to below i0+256
//! ```
//!
//! A block of iterations first computes everything that reads neither a loop-carried variable nor
//! memory that the loop writes. Every value is computed from the same operands, so no bit changes.
//!
//! Fission pays for real arithmetic of some cost. Otherwise passing the values through the cache
//! costs more. This module knows nothing of the array IR.

use crate::lowering::access;
use crate::shape::facts::arithmetic::{cost, expr_cost, is_total};
use crate::shape::facts::straight_line::{assigned, each_inner, fresh, is_straight, live, mentions_of};
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, LITTLE_GAIN};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a block; their kept values stay in the first-level cache.
const BLOCK: i64 = 256;
/// Least cost of the arithmetic for which fission pays, in additions.
const LEAST_COST: i64 = 10;
/// The cost of a branch from which on vectors do not run both branches of its condition.
const LARGEST_BRANCH: i64 = 40;
/// A cheaper expression is computed where it is used.
const LEAST_EXTRACTED: i64 = 5;
/// A variable that costs more is passed from one loop to the other. Any other is computed in both.
const LARGEST_REPEATED: i64 = 1;
/// The most values that are passed from one loop to the other.
const MOST_KEPT: usize = 8;

/// Distributes loops wherever that pays.
pub(crate) fn fission_ordered_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let known = Known::of(proc);
    let what = "leaves what vectors can run to loops of its own, and runs the rest in order";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let parts = Parts::of(proc, &known, id)?;
        let branches = parts.branches.iter().map(|branch| cost(proc, &branch.body)).sum::<i64>();
        if cost(proc, &parts.independent) + branches < LEAST_COST || parts.kept.len() > MOST_KEPT {
            decisions.not_worth(proc, id, LITTLE_GAIN);
            return None;
        }
        Some(parts.distributed(proc))
    });
}

/// Facts about the whole procedure.
pub(crate) struct Known {
    /// How often each variable is assigned.
    pub(crate) assignments: BTreeMap<Var, usize>,
    /// Arrays whose memory may have another name.
    pub(crate) shared: BTreeSet<Array>,
}

impl Known {
    pub(crate) fn of(proc: &Proc) -> Self {
        Self { assignments: access::assignments(proc), shared: access::shared_arrays(proc) }
    }
}

/// The body of a loop, divided.
struct Parts {
    header: LoopData,
    var: Var,
    /// The part that can be computed for many iterations at once.
    independent: Vec<Stmt>,
    /// Costly branches that only some iterations run.
    branches: Vec<Branch>,
    /// Cheap statements of the independent part that are computed again wherever they are needed.
    repeated: Vec<Stmt>,
    /// The arrays that keep other variables between the parts.
    kept: BTreeMap<Var, Array>,
    /// The part that runs in order.
    ordered: Vec<Stmt>,
    /// True if the ordered part only keeps what the branch computes.
    filter: Option<Filter>,
}

/// A filter: a loop that keeps values of the iterations that run a branch, one behind the other.
struct Filter {
    /// The position of the next value.
    position: Var,
    /// The arrays, and the value that is kept in each.
    stores: Vec<(Array, Expr)>,
}

/// A costly independent branch. The iterations that run it are listed, and it is then computed for
/// the list.
struct Branch {
    /// The condition: whether an iteration runs the branch.
    cond: Var,
    body: Vec<Stmt>,
    /// The list of iterations and its length.
    list: Array,
    count: Var,
    /// The results in order, and one more element that is unused.
    results: Vec<(Var, Array)>,
    /// How many results have been used.
    used: Var,
}

impl Parts {
    fn of(proc: &mut Proc, known: &Known, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(var), 1) = (data.var, data.step) else { return None };
        if !data.body.iter().all(|stmt| is_straight(stmt, true)) {
            return None;
        }
        let least = match &data.kind {
            LoopKind::Sequential | LoopKind::Scan { .. } => LEAST_COST,
            // Vectors can run it as it is, if both branches of its conditions may run.
            LoopKind::Independent { parallel: None, .. } if has_costly_branch(proc, &data.body) => LARGEST_BRANCH,
            LoopKind::Independent { .. } => return None,
        };
        let few = data.upper.as_i64().zip(data.lower.as_i64()).is_some_and(|(upper, lower)| upper - lower < BLOCK / 4);
        if few || cost(proc, &data.body) < least {
            return None;
        }
        let header = data.header();
        let body = data.body.clone();
        let mut division = Division::new(known, &body);
        let (mut independent, mut branches, mut ordered) = (Vec::new(), Vec::new(), Vec::new());
        let mut filter = Filter::of(&body);
        for stmt in body {
            if division.is_independent(proc, &stmt) {
                independent.push(stmt);
                continue;
            }
            division.note_ordered(&stmt);
            match stmt {
                Stmt::If { cond, then, otherwise } if division.is_costly_branch(proc, &cond, &then, &otherwise) => {
                    let decides = proc.var(Scalar::Bool, None);
                    let swapped = cost(proc, &then) < cost(proc, &otherwise);
                    // A filter with this condition runs by listing what it keeps. Several
                    // conditions would need several lists.
                    let same = filter.as_ref().is_some_and(|(condition, _)| *condition == cond) && !swapped;
                    filter = filter.filter(|_| same && branches.is_empty());
                    let (value, body, other) =
                        if swapped { (Expr::unary(UnOp::Not, cond), otherwise, then) } else { (cond, then, otherwise) };
                    independent.push(Stmt::Assign { var: decides, value });
                    let branch = Branch::new(proc, decides, body, &other, header.span);
                    branch.use_results(proc, other, &mut ordered);
                    branches.push(branch);
                }
                stmt => {
                    let results =
                        branches.iter().flat_map(|branch: &Branch| &branch.results).map(|&(var, _)| var).collect();
                    let stmt = division.without_costly(proc, stmt, &mut independent);
                    filter = filter.filter(|(_, filter)| match &stmt {
                        Stmt::Store { value, .. } => division.is_free_but_for(value, &results),
                        stmt => matches!(stmt, Stmt::Assign { var, .. } if *var == filter.position),
                    });
                    ordered.push(stmt);
                }
            }
        }
        let filter = filter.filter(|_| branches.len() == 1).map(|(_, Filter { position, .. })| {
            let stores = ordered.iter().filter_map(|stmt| {
                let Stmt::Store { array, value, .. } = stmt else { return None };
                Some((*array, value.clone()))
            });
            Filter { position, stores: stores.collect() }
        });
        let (repeated, kept) = (Vec::new(), BTreeMap::new());
        let mut parts = Self { header, var, independent, branches, repeated, kept, ordered, filter };
        parts.keep_what_passes(proc);
        Some(parts)
    }

    /// Decides which variables of the independent part are kept for the others and which are
    /// computed again.
    fn keep_what_passes(&mut self, proc: &mut Proc) {
        let mut needed: BTreeSet<Var> = mentions_of(&self.ordered).into_keys().collect();
        for branch in &self.branches {
            needed.insert(branch.cond);
            needed.extend(mentions_of(&branch.body).into_keys());
        }
        let mut kept: BTreeSet<Var> = BTreeSet::new();
        for stmt in self.independent.iter().rev() {
            let mentions = mentions_of(std::slice::from_ref(stmt));
            match stmt {
                Stmt::Assign { var, value } if needed.contains(var) && expr_cost(proc, value) <= LARGEST_REPEATED => {
                    needed.extend(mentions.into_keys());
                    self.repeated.push(stmt.clone());
                }
                stmt => {
                    debug_assert!(is_straight(stmt, false), "only straight-line code is distributed");
                    kept.extend(assigned(std::slice::from_ref(stmt)).filter(|var| needed.contains(var)));
                }
            }
        }
        self.repeated.reverse();
        self.independent = live(std::mem::take(&mut self.independent), kept.clone());
        for var in kept {
            let array = buffer(proc, proc.vars[var].scalar, BLOCK, Some(var), self.header.span);
            self.kept.insert(var, array);
        }
    }

    /// The loop over blocks, and the statements before it.
    fn distributed(mut self, proc: &mut Proc) -> Vec<Stmt> {
        let block = Block::of_length(proc, BLOCK);
        let has_results = self.filter.is_none();
        let results = self.branches.iter().filter(|_| has_results);
        let results = results.flat_map(|branch| branch.results.iter().map(|(_, array)| *array));
        let lists = self.branches.iter().map(|branch| branch.list);
        let arrays = self.kept.values().copied().chain(lists).chain(results);
        let mut body: Vec<Stmt> = arrays.map(|array| Stmt::Alloc { array }).collect();

        let place = |var: Expr| vec![var - Expr::Var(block.first)];
        let mut independent = std::mem::take(&mut self.independent);
        if !independent.is_empty() {
            let stores = self.kept.iter().map(|(&var, &array)| Stmt::Store {
                array,
                index: place(Expr::Var(self.var)),
                value: Expr::Var(var),
            });
            independent.extend(stores);
            let (var, part) = fresh(proc, self.var, independent, &[]);
            body.push(self.over(proc, block, var, LoopKind::independent(false), part));
        }
        for branch in &self.branches {
            let (list, count) = (branch.list, branch.count);
            let kept = Expr::unary(UnOp::Convert(Scalar::I64), Expr::Var(branch.cond));
            let listing = vec![
                Stmt::Store { array: list, index: vec![count.into()], value: Expr::Var(self.var) },
                Stmt::Assign { var: count, value: Expr::Var(count) + kept },
            ];
            let listing = self.with_needed(listing, &place(Expr::Var(self.var)));
            body.push(Stmt::Assign { var: count, value: Expr::i64(0) });
            let (var, listing) = fresh(proc, self.var, listing, &[count]);
            body.push(self.over(proc, block, var, LoopKind::Sequential, listing));

            let number = proc.index();
            let at = Expr::Load { array: list, index: vec![number.into()] };
            let mut computed = branch.body.clone();
            match &self.filter {
                Some(Filter { position, stores }) => computed.extend(stores.iter().map(|(array, value)| Stmt::Store {
                    array: *array,
                    index: vec![Expr::Var(*position) + Expr::Var(number)],
                    value: value.clone(),
                })),
                None => computed.extend(branch.results.iter().map(|&(var, array)| Stmt::Store {
                    array,
                    index: vec![number.into()],
                    value: Expr::Var(var),
                })),
            }
            let mut part = vec![Stmt::Assign { var: self.var, value: at }];
            part.extend(self.with_needed(computed, &place(Expr::Var(self.var))));
            let (number, part) = fresh(proc, number, part, &[]);
            let header = LoopData {
                var: Some(number),
                upper: count.into(),
                kind: LoopKind::independent(false),
                body: part,
                ..self.header.clone()
            };
            body.push(proc.add_loop(LoopData { lower: Expr::i64(0), ..header }));
            if let Some(Filter { position, .. }) = self.filter {
                body.push(Stmt::Assign { var: position, value: Expr::Var(position) + Expr::Var(count) });
                continue;
            }
            for &(_, array) in &branch.results {
                let value = Expr::Const(proc.arrays[array].elem.zero());
                body.push(Stmt::Store { array, index: vec![count.into()], value });
            }
            body.push(Stmt::Assign { var: branch.used, value: Expr::i64(0) });
        }
        if self.filter.is_none() {
            let ordered = self.with_needed(self.ordered.clone(), &place(Expr::Var(self.var)));
            let kind = match &self.header.kind {
                // The counts of results carry over from iteration to iteration.
                kind @ LoopKind::Scan { .. } if self.branches.is_empty() => kind.clone(),
                LoopKind::Sequential | LoopKind::Independent { .. } | LoopKind::Scan { .. } => LoopKind::Sequential,
            };
            body.push(self.over(proc, block, self.var, kind, ordered));
        }
        block.over(proc, self.header, LoopKind::Sequential, body)
    }

    /// A part of the loop over the iterations of a block.
    fn over(&self, proc: &mut Proc, block: Block, var: Var, kind: LoopKind, body: Vec<Stmt>) -> Stmt {
        let (lower, upper) = (block.first.into(), block.end.into());
        proc.add_loop(LoopData { var: Some(var), lower, upper, kind, body, ..self.header.clone() })
    }

    /// The part's statements, after those that load what it needs of the independent part.
    fn with_needed(&self, stmts: Vec<Stmt>, place: &[Expr]) -> Vec<Stmt> {
        let needed: BTreeSet<Var> = mentions_of(&stmts).into_keys().collect();
        let repeated = live(self.repeated.clone(), needed.clone());
        let mut all: BTreeSet<Var> = mentions_of(&repeated).into_keys().collect();
        all.extend(needed);
        let loads = self
            .kept
            .iter()
            .filter(|(var, _)| all.contains(var))
            .map(|(&var, &array)| Stmt::Assign { var, value: Expr::Load { array, index: place.to_vec() } });
        loads.chain(repeated).chain(stmts).collect()
    }
}

impl Filter {
    /// The condition and the filter, if the body otherwise only assigns variables.
    fn of(body: &[Stmt]) -> Option<(Expr, Self)> {
        let mut rest = body.iter().filter(|stmt| match stmt {
            Stmt::Assign { var, value } => value.reads(*var),
            Stmt::If { .. } => false,
            _ => true,
        });
        let Some(Stmt::Assign { var: position, value: Expr::Binary { op: BinOp::ADD, x, y } }) = rest.next_back()
        else {
            return None;
        };
        let Expr::Unary { op: UnOp::Convert(Scalar::I64), x: condition } = &**y else { return None };
        let stores = rest.map(|stmt| {
            let Stmt::Store { array, index, value } = stmt else { return None };
            (index[..] == [Expr::Var(*position)]).then(|| (*array, value.clone()))
        });
        let stores: Vec<(Array, Expr)> = stores.collect::<Option<_>>()?;
        // Neither the position nor the value of what is kept may depend on the position otherwise.
        let mut elsewhere = 0;
        body.iter().for_each(|stmt| {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_part(&mut |node| {
                    elsewhere += usize::from(*node == Expr::Var(*position));
                })
            });
        });
        let alone = **x == Expr::Var(*position) && elsewhere == stores.len() + 1;
        alone.then(|| ((**condition).clone(), Self { position: *position, stores }))
    }
}

impl Branch {
    fn new(proc: &mut Proc, cond: Var, body: Vec<Stmt>, other: &[Stmt], span: Span) -> Self {
        // A variable that only one branch assigns is used nowhere else.
        let others: BTreeSet<Var> = assigned(other).collect();
        let results = assigned(&body).filter(|var| others.contains(var));
        let results: Vec<(Var, Array)> =
            results.map(|var| (var, buffer(proc, proc.vars[var].scalar, BLOCK + 1, Some(var), span))).collect();
        let list = buffer(proc, Scalar::I64, BLOCK, None, span);
        let (count, used) = (proc.index(), proc.index());
        Self { cond, body, list, count, results, used }
    }

    /// Replaces the condition: the next result, or the value of the other branch.
    fn use_results(&self, proc: &mut Proc, other: Vec<Stmt>, ordered: &mut Vec<Stmt>) {
        let next = |array: Array| Expr::Load { array, index: vec![self.used.into()] };
        let constant = |var: Var| match &other[..] {
            [Stmt::Assign { var: assigned, value: value @ Expr::Const(_) }] if *assigned == var => Some(value.clone()),
            _ => None,
        };
        match self.results[..] {
            // A choice without a branch has the same cost for both values of the condition.
            [(var, array)] if constant(var).is_some() => {
                let on_false = Box::new(constant(var).expect("the other branch yields a constant"));
                let taken = proc.var(proc.vars[var].scalar, None);
                ordered.push(Stmt::Assign { var: taken, value: next(array) });
                let (cond, on_true) = (Box::new(self.cond.into()), Box::new(taken.into()));
                ordered.push(Stmt::Assign { var, value: Expr::Select { cond, on_true, on_false } });
            }
            _ => {
                let then = self.results.iter().map(|&(var, array)| Stmt::Assign { var, value: next(array) }).collect();
                ordered.push(Stmt::If { cond: self.cond.into(), then, otherwise: other });
            }
        }
        let step = Expr::unary(UnOp::Convert(Scalar::I64), self.cond.into());
        ordered.push(Stmt::Assign { var: self.used, value: Expr::Var(self.used) + step });
    }
}

/// An array for the kept values of a block.
pub(crate) fn buffer(proc: &mut Proc, elem: Scalar, length: i64, of: Option<Var>, span: Span) -> Array {
    let name = of.and_then(|var| proc.vars[var].name.clone());
    proc.arrays.push(ArrayData { elem, extents: vec![Expr::i64(length)], storage: Storage::Stack, name, span })
}

/// True if a branch at the top of the body should not run needlessly.
fn has_costly_branch(proc: &Proc, body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::If { then, otherwise, .. } => cost(proc, then).max(cost(proc, otherwise)) >= LARGEST_BRANCH,
        _ => false,
    })
}

/// Divides a body statement by statement.
struct Division<'k> {
    known: &'k Known,
    /// Variables that depend on earlier iterations or are not the loop's own.
    ordered: BTreeSet<Var>,
    /// Those of them that do so from the beginning.
    carried: BTreeSet<Var>,
    /// Arrays whose elements the loop may write.
    written: BTreeSet<Array>,
    writes_shared: bool,
    shared: BTreeSet<Array>,
}

impl<'k> Division<'k> {
    fn new(known: &'k Known, body: &[Stmt]) -> Self {
        let mut ordered = BTreeSet::new();
        let mut here: BTreeMap<Var, usize> = BTreeMap::new();
        let mut written = BTreeSet::new();
        each_inner(body, &mut |stmt| {
            stmt.for_each_assigned(&mut |var| *here.entry(var).or_default() += 1);
            stmt.for_each_array(&mut |array, _| _ = written.insert(array));
        });
        for (var, mention) in mentions_of(body) {
            let outside = here.get(&var) != known.assignments.get(&var);
            if mention.assigned && (mention.enters || outside) {
                ordered.insert(var);
            }
        }
        let mut shared = BTreeSet::new();
        body.iter().for_each(|stmt| {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |array, _| {
                    if known.shared.contains(&array) {
                        shared.insert(array);
                    }
                })
            })
        });
        let writes_shared = written.iter().any(|&array| known.shared.contains(&array));
        Self { known, carried: ordered.clone(), ordered, written, writes_shared, shared }
    }

    fn is_independent(&self, proc: &Proc, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Assign { var, value } => {
                // A variable that another statement assigns too stays with that statement.
                !self.ordered.contains(var) && self.known.assignments.get(var) == Some(&1) && self.is_free(value)
            }
            Stmt::If { cond, then, otherwise } => {
                let branches = || then.iter().chain(otherwise);
                self.is_free(cond)
                    && cost(proc, then) + cost(proc, otherwise) < LEAST_COST
                    && branches().all(|stmt| match stmt {
                        Stmt::Assign { var, value } => {
                            let here =
                                branches().filter(|other| matches!(other, Stmt::Assign { var: v, .. } if v == var));
                            !self.ordered.contains(var)
                                && self.known.assignments.get(var) == Some(&here.count())
                                && self.is_free(value)
                                && is_total(proc, value)
                        }
                        _ => false,
                    })
            }
            _ => false,
        }
    }

    /// True if it pays to compute one branch for all iterations that run it, whatever the branch
    /// needs to be defined. The variables that the conditional assigns count as ordered already.
    fn is_costly_branch(&self, proc: &Proc, cond: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> bool {
        let (more, less) = match (cost(proc, then), cost(proc, otherwise)) {
            (one, other) if one < other => (other, one),
            (one, other) => (one, other),
        };
        let results: BTreeSet<Var> = assigned(then).chain(assigned(otherwise)).collect();
        let own = then.iter().chain(otherwise).all(|stmt| match stmt {
            Stmt::Assign { var, value } => {
                let here =
                    then.iter().chain(otherwise).filter(|s| matches!(s, Stmt::Assign { var: v, .. } if v == var));
                let only_here = self.known.assignments.get(var) == Some(&here.count());
                only_here && !self.carried.contains(var) && self.is_free_but_for(value, &results)
            }
            _ => false,
        });
        more >= LEAST_COST && less < LEAST_COST && own && self.is_free(cond)
    }

    /// True if the value that the statement assigns depends on earlier iterations.
    fn note_ordered(&mut self, stmt: &Stmt) {
        stmt.for_each_inner(&mut |stmt| stmt.for_each_assigned(&mut |var| _ = self.ordered.insert(var)));
    }

    /// True if the expression depends on no earlier iteration.
    fn is_free(&self, expr: &Expr) -> bool {
        self.is_free_but_for(expr, &BTreeSet::new())
    }

    /// The same under the assumption that these variables do not.
    fn is_free_but_for(&self, expr: &Expr, free_vars: &BTreeSet<Var>) -> bool {
        let mut free = true;
        expr.for_each_part(&mut |node| match node {
            Expr::Var(var) => free &= free_vars.contains(var) || !self.ordered.contains(var),
            Expr::Load { array, .. } => {
                free &= !(self.written.contains(array) || self.writes_shared && self.shared.contains(array));
            }
            Expr::Const(_) | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => {}
        });
        free
    }

    /// The statement, with its costly independent expressions computed earlier in the independent
    /// part.
    fn without_costly(&self, proc: &mut Proc, stmt: Stmt, before: &mut Vec<Stmt>) -> Stmt {
        match stmt {
            Stmt::Assign { var, value } => {
                Stmt::Assign { var, value: self.reduced(proc, value, proc.vars[var].scalar, before) }
            }
            Stmt::Store { array, index, value } => {
                let elem = proc.arrays[array].elem;
                Stmt::Store { array, index, value: self.reduced(proc, value, elem, before) }
            }
            // An expression under a condition may be undefined without it.
            _ => stmt,
        }
    }

    /// `expr`, of type `scalar`. Operands of arithmetic have the type of its result.
    fn reduced(&self, proc: &mut Proc, expr: Expr, scalar: Scalar, before: &mut Vec<Stmt>) -> Expr {
        if expr_cost(proc, &expr) < LEAST_EXTRACTED {
            return expr;
        }
        if self.is_free(&expr) {
            let var = proc.var(scalar, None);
            before.push(Stmt::Assign { var, value: expr });
            return Expr::Var(var);
        }
        let mut each = |e: Box<Expr>| Box::new(self.reduced(proc, *e, scalar, before));
        match expr {
            Expr::Unary { op, x } if op.keeps_type() => Expr::Unary { op, x: each(x) },
            Expr::Binary { op, x, y } if !op.is_comparison() => {
                let x = each(x);
                Expr::Binary { op, x, y: each(y) }
            }
            Expr::Select { cond, on_true, on_false } => {
                let on_true = each(on_true);
                Expr::Select { cond, on_true, on_false: each(on_false) }
            }
            Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Threads => expr,
        }
    }
}
