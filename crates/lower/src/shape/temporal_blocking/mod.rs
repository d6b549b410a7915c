//! Temporal blocking: time loops make two steps of a stencil in one sweep, where the arrays do not
//! fit in the caches. Each array is then read and written half as often.
//!
//! ```text
//! for k < steps { if going { B = step(A); going = differ(A, B); A = B } }
//!
//! becomes   ahead = false
//!           for k < steps {
//!             if going {
//!               if ahead { D = P; ahead = false }
//!               else if k + 1 < steps and A is large { P = step(step(A)); D = A; ahead = true }
//!               else { D = step(A) }
//!               going = differ(A, step(A)); A = D
//!             }
//!           }
//!           if ahead { A = step(A) }
//! ```
//!
//! If the next step has already been made, the array stays unchanged in this iteration. Everything
//! else proceeds as if the step had just been made, including its reductions.
//!
//! The next iteration then has no step to make. If there is no next step, because the loop ends or
//! stops stepping, a final statement makes the first of the two steps again. The pass applies only
//! where a step always follows a step, whatever their results are.
//!
//! How a sweep makes two steps is in [`crate::shape::temporal_blocking::double_sweep`]. This module
//! knows nothing of the array IR.

pub(crate) mod double_sweep;

use crate::Caches;
use crate::lowering::access::{Aliases, arrays_read, assignments};
use crate::shape::facts::unaliased::Memory;
use crate::shape::temporal_blocking::double_sweep::{DoubleSweep, Sweep, Tiles};
use crate::shape::vectorisation::Values;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Binding, Expr, Loop, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::BTreeSet;

/// Lets the time loops of the procedure make two steps at once wherever that is allowed. The tiles
/// of these sweeps decide later which stores are non-temporal.
pub(crate) fn block_time_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let body = proc.body.clone();
    proc.body = Pass { decisions }.stmts(proc, body);
}

struct Pass<'p, 'd> {
    decisions: &'p mut Decisions<'d>,
}

impl Pass<'_, '_> {
    /// The statements, none of which is inside an independent loop.
    fn stmts(&mut self, proc: &mut Proc, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut made = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::For(id) if matches!(proc.loops[id].kind, LoopKind::Sequential) && proc.loops[id].step == 1 => {
                    let body = proc.loops[id].body.clone();
                    match self.time_loop(proc, Repeats::For(id), &body) {
                        Some(found) => self.replace(proc, found, &mut made),
                        None => {
                            proc.loops[id].body = self.stmts(proc, body);
                            made.push(stmt);
                        }
                    }
                }
                Stmt::While { before, cond, body } => {
                    let repeats = Repeats::While { before: before.clone(), cond: cond.clone() };
                    match self.time_loop(proc, repeats, &body) {
                        Some(found) => self.replace(proc, found, &mut made),
                        None => made.push(Stmt::While { before, cond, body: self.stmts(proc, body) }),
                    }
                }
                Stmt::If { cond, then, otherwise } => {
                    let (then, otherwise) = (self.stmts(proc, then), self.stmts(proc, otherwise));
                    made.push(Stmt::If { cond, then, otherwise });
                }
                stmt => made.push(stmt),
            }
        }
        made
    }

    fn time_loop(&mut self, proc: &mut Proc, repeats: Repeats, body: &[Stmt]) -> Option<TimeLoop> {
        if !self.decisions.may_change() {
            return None;
        }
        let (from, to, handover) = handed_over(proc, body)?;
        let path = Path::to(proc, body, to)?;
        // A `while` loop has no name, so the first loop of its sweep stands for it in reports.
        let named = match repeats {
            Repeats::For(id) => id,
            Repeats::While { .. } => path.loops[0],
        };
        match TimeLoop::of(proc, repeats, body, [from, to], handover, path) {
            Ok(found) => {
                self.decisions.done(
                    proc,
                    named,
                    "makes two time steps at once where its arrays do not stay in the caches",
                );
                Some(found)
            }
            Err(reason) => {
                self.decisions.refused(proc, named, reason);
                None
            }
        }
    }

    fn replace(&mut self, proc: &mut Proc, found: TimeLoop, made: &mut Vec<Stmt>) {
        let tiles = found.two_at_once(proc, self.decisions.options.caches, made);
        self.decisions.tiles.next.extend(tiles.next);
        self.decisions.tiles.over.extend(tiles.over);
    }
}

/// The condition under which a loop repeats.
enum Repeats {
    For(Loop),
    While { before: Vec<Stmt>, cond: Expr },
}

/// How the array that an iteration makes becomes the array that the next one reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handover {
    /// The two are exchanged.
    Exchanged,
    /// The array gets this further name, and the other array is bound to that name.
    Bound(Array),
}

/// A loop whose iterations make an array from the last one or leave it unchanged.
struct TimeLoop {
    repeats: Repeats,
    from: Array,
    to: Array,
    handover: Handover,
    /// The loops that make the array.
    loops: Vec<Loop>,
    sweep: Sweep,
    values: Values,
    /// Assignments of an iteration that the loops need, with the same values in all iterations.
    needed: Vec<Stmt>,
    /// The body without these assignments, and without the tables of the loops' reductions.
    body: Vec<Stmt>,
    /// Holds if there is another iteration, as far as that is known before the step.
    goes_on: Option<Expr>,
}

impl TimeLoop {
    /// `path` leads to the loops that make array `to` from `from`.
    fn of(
        proc: &mut Proc,
        repeats: Repeats,
        body: &[Stmt],
        [from, to]: [Array; 2],
        handover: Handover,
        path: Path<'_>,
    ) -> Result<Self, Reason> {
        let loops = path.loops.clone();
        let outside = with_others(body, &|stmt| if is_among(stmt, &loops) { Vec::new() } else { vec![stmt.clone()] });
        let before_test = if let Repeats::While { before, .. } = &repeats { &before[..] } else { &[] };
        if !is_left_alone(proc, &[before_test, &outside], [from, to])
            || !is_handed_over(proc, &outside, &path, [from, to], handover)
        {
            return Err(Reason::ArraysUsedOutside);
        }
        let (values, memory) = (Values::of(proc), Memory::of(proc));
        let sweep = Sweep::of(proc, &values, &memory, &loops, [from, to]).ok_or(Reason::NoSingleSweep)?;
        let nests: Vec<Stmt> = loops.iter().map(|&id| Stmt::For(id)).collect();
        let own = proc.assigned_in(&nests);
        let mut changing = proc.assigned_in(body);
        changing.extend(proc.assigned_in(before_test));
        if let Repeats::For(id) = repeats {
            changing.extend(proc.loops[id].var);
        }
        // The variables that the loops assign are theirs alone.
        let reading = |stmts: &[Stmt]| {
            let mut count = 0;
            proc.for_each_expr(stmts, &mut |expr| count += usize::from(expr.reads_any(&own)));
            count
        };
        let is_result = proc.results.iter().any(|result| matches!(result, Binding::Var(var) if own.contains(var)));
        if reading(&proc.body) != reading(&nests) || is_result {
            return Err(Reason::ArraysUsedOutside);
        }
        // The arrays that they read, and the tables that they store to, keep their memory.
        let placed = proc.placed_in(body);
        let is_placed = arrays_read(proc, &nests).into_iter().any(|array| array != from && placed.contains(&array));
        let is_table = |array: &Array| {
            let is_alloc = |stmt: &&Stmt| matches!(stmt, Stmt::Alloc { array: found } if found == array);
            matches!(proc.arrays[*array].storage, Storage::Stack) && path.before.iter().filter(is_alloc).count() == 1
        };
        if is_placed || !sweep.tables().iter().all(is_table) {
            return Err(Reason::StepChanges);
        }
        // The values that they need are the same in the next iteration.
        let mut needs = BTreeSet::new();
        proc.for_each_expr(&nests, &mut |expr| needs.extend(expr.variables()));
        needs.extend(proc.arrays[to].extents.iter().flat_map(Expr::variables));
        let needs = needs.difference(&own).copied().collect();
        let needed = path.needed(proc, &values, needs, &changing).ok_or(Reason::StepChanges)?;
        let goes_on = match &repeats {
            Repeats::For(_) => None,
            Repeats::While { cond, .. } => {
                let early: BTreeSet<Var> = proc.assigned_in(&path.before);
                let counts = assignments(proc);
                let is_known = |part: &Expr| {
                    is_defined(&values, part)
                        && (part.variables().iter())
                            .all(|var| !changing.contains(var) || (early.contains(var) && counts.get(var) == Some(&1)))
                };
                let value = match cond {
                    Expr::Var(var) => last_assigned(body, *var).ok_or(Reason::StepChanges)?,
                    cond => cond.clone(),
                };
                let known = parts_of(&value).into_iter().filter(|part| is_known(part)).cloned();
                known.reduce(|x, y| Expr::binary(BinOp::AND, x, y))
            }
        };
        let needed_vars: BTreeSet<Var> = proc.assigned_in(&needed);
        let tables = sweep.tables();
        let body = with_others(body, &|stmt| match stmt {
            Stmt::Assign { var, .. } if needed_vars.contains(var) => Vec::new(),
            Stmt::Alloc { array } if tables.contains(array) => Vec::new(),
            stmt => vec![stmt.clone()],
        });
        Ok(Self { repeats, from, to, handover, loops, sweep, values, needed, body, goes_on })
    }

    /// Appends the loop with double sweeps, and the statements before and after it. Returns the
    /// tiles.
    fn two_at_once(self, proc: &mut Proc, caches: Caches, made: &mut Vec<Stmt>) -> Tiles {
        let [ahead, may] = [(); 2].map(|()| proc.var(Scalar::Bool, None));
        made.extend(self.needed.iter().cloned());
        let DoubleSweep { body: two, before, condition, tables, tiles } = self.sweep.twice(proc, &self.values, caches);
        made.extend(before);
        made.extend([Stmt::assign(may, condition), Stmt::assign(ahead, truth(false))]);
        made.extend(tables.iter().flat_map(|(&first, &second)| [first, second]).map(|array| Stmt::Alloc { array }));
        let one: Vec<Stmt> = self.loops.iter().map(|&id| Stmt::For(id)).collect();
        let names = proc.fresh_names(proc.assigned_in(&one));
        let again = proc.copied(&one, &names);
        let goes_on = match self.repeats {
            Repeats::For(id) => {
                let limit = proc.index();
                let step = proc.loops[id].var.unwrap_or_else(|| proc.var_like(limit));
                let data = &mut proc.loops[id];
                data.var = Some(step);
                made.push(Stmt::assign(limit, std::mem::replace(&mut data.upper, limit.into())));
                Some(Expr::binary(BinOp::LT, Expr::Var(step) + Expr::i64(1), limit.into()))
            }
            Repeats::While { .. } => self.goes_on,
        };
        let condition = goes_on.into_iter().fold(Expr::Var(may), Expr::and);
        // The reductions of the second step become those of this one.
        let mut known = vec![Stmt::assign(ahead, truth(false))];
        let chunks = self.sweep.chunk_count(proc);
        known.extend(tables.iter().map(|(&target, &source)| Stmt::CopyElements {
            target,
            target_offset: Expr::i64(0),
            source,
            source_offset: Expr::i64(0),
            count: chunks.clone(),
            streaming: false,
        }));
        let if_made = |stmts: Vec<Stmt>| only_if(Expr::unary(UnOp::Not, ahead.into()), stmts, Vec::new());
        // The replacement stands in the place of the first of the loops.
        let with_steps = |stmts: &[Stmt], steps: Vec<Stmt>| {
            with_others(stmts, &|stmt| match stmt {
                Stmt::For(id) if *id == self.loops[0] => steps.clone(),
                stmt if is_among(stmt, &self.loops) => Vec::new(),
                stmt => vec![stmt.clone()],
            })
        };
        let (mut body, after);
        let mut two = [two, vec![Stmt::assign(ahead, truth(true))]].concat();
        match self.handover {
            Handover::Exchanged => {
                let is_last = |stmt: &Stmt| matches!(stmt, Stmt::Swap { .. });
                let at = self.body.iter().position(is_last).expect("arrays are exchanged");
                let (first, exchanging) = self.body.split_at(at);
                body = with_steps(first, vec![only_if(ahead.into(), known, vec![only_if(condition, two, one)])]);
                let mut exchanged = again;
                for stmt in exchanging {
                    if places_arrays(proc, stmt) {
                        exchanged.push(stmt.clone());
                        body.push(if_made(vec![stmt.clone()]));
                    } else {
                        body.push(stmt.clone());
                    }
                }
                after = vec![only_if(ahead.into(), exchanged, Vec::new())];
            }
            Handover::Bound(_) => {
                let (from, to) = (self.from, self.to);
                let mut data = proc.arrays[to].clone();
                data.storage = Storage::Reference;
                let [pending, result] = [data.clone(), data].map(|data| proc.arrays.push(data));
                made.push(bind(pending, from));
                known.push(bind(result, pending));
                two.extend([Stmt::Release { array: pending }, bind(pending, to), bind(result, from)]);
                let one = [one, vec![bind(result, to)]].concat();
                let rest = with_others(&self.body, &|stmt| match stmt {
                    Stmt::Alloc { array } if *array == to => Vec::new(),
                    Stmt::Bind { reference, source, .. } if *source == to => vec![bind(*reference, result)],
                    Stmt::Release { array } if *array == to => vec![Stmt::Release { array: result }],
                    stmt => vec![stmt.clone()],
                });
                let making = vec![Stmt::Alloc { array: to }, only_if(condition, two, one), Stmt::Release { array: to }];
                body = with_steps(&rest, vec![only_if(ahead.into(), known, making)]);
                body.push(if_made(vec![Stmt::Release { array: pending }, bind(pending, from)]));
                let mut last = vec![Stmt::Alloc { array: to }];
                last.extend(again);
                last.extend([Stmt::Release { array: from }, bind(from, to), Stmt::Release { array: to }]);
                after = vec![only_if(ahead.into(), last, Vec::new()), Stmt::Release { array: pending }];
            }
        }
        made.push(match self.repeats {
            Repeats::For(id) => {
                proc.loops[id].body = body;
                Stmt::For(id)
            }
            Repeats::While { before, cond } => Stmt::While { before, cond, body },
        });
        made.extend(after);
        tiles
    }
}

/// The position of the loops in a body that store to an array.
struct Path<'b> {
    /// The statements before the loops in an iteration.
    before: Vec<Stmt>,
    /// The loops, in order.
    loops: Vec<Loop>,
    /// The loops, and the statements after them in their block.
    block: &'b [Stmt],
    /// True if the block is the whole body.
    is_body: bool,
}

impl<'b> Path<'b> {
    /// The path to the only loops that store to the array.
    fn to(proc: &Proc, body: &'b [Stmt], array: Array) -> Option<Self> {
        let stores = |stmt: &Stmt| {
            let mut found = false;
            proc.for_each_stmt(std::slice::from_ref(stmt), &mut |inner| {
                found |= matches!(inner, Stmt::Store { array: stored, .. } if *stored == array);
            });
            found
        };
        let (mut before, mut block, mut is_body) = (Vec::new(), body, true);
        loop {
            let at = block.iter().position(stores)?;
            before.extend_from_slice(&block[..at]);
            block = &block[at..];
            match &block[0] {
                Stmt::For(_) => {
                    let independent = |stmt: &Stmt| match stmt {
                        Stmt::For(id) if stores(stmt) => {
                            matches!(proc.loops[*id].kind, LoopKind::Independent { .. }).then_some(*id)
                        }
                        _ => None,
                    };
                    let loops: Vec<Loop> = block.iter().map_while(independent).collect();
                    let is_all = block[loops.len()..].iter().all(|stmt| !stores(stmt));
                    return (is_all && !loops.is_empty()).then_some(Self { before, loops, block, is_body });
                }
                Stmt::If { then, otherwise, .. } if block[1..].iter().all(|stmt| !stores(stmt)) => {
                    block = match (then.iter().any(stores), otherwise.iter().any(stores)) {
                        (true, false) => then,
                        (false, true) => otherwise,
                        _ => return None,
                    };
                    is_body = false;
                }
                _ => return None,
            }
        }
    }

    /// The assignments before the loops that these variables need, equal in all iterations. `None`
    /// if others are needed.
    fn needed(
        &self,
        proc: &Proc,
        values: &Values,
        mut needs: BTreeSet<Var>,
        changing: &BTreeSet<Var>,
    ) -> Option<Vec<Stmt>> {
        let counts = assignments(proc);
        let mut found = Vec::new();
        for stmt in self.before.iter().rev() {
            let Stmt::Assign { var, value } = stmt else { continue };
            if needs.remove(var) {
                if counts.get(var) != Some(&1) || !is_defined(values, value) {
                    return None;
                }
                needs.extend(value.variables());
                found.push(stmt.clone());
            }
        }
        found.reverse();
        needs.is_disjoint(changing).then_some(found)
    }
}

/// The array that an iteration reads, the array that it makes, and the handover.
fn handed_over(proc: &Proc, body: &[Stmt]) -> Option<(Array, Array, Handover)> {
    let swap = body.iter().find_map(|stmt| match stmt {
        Stmt::Swap { first, second } => Some([*first, *second]),
        _ => None,
    });
    let mut stored = BTreeSet::new();
    proc.for_each_stmt(body, &mut |stmt| {
        if let Stmt::Store { array, .. } = stmt {
            stored.insert(*array);
        }
    });
    if let Some([first, second]) = swap {
        let (from, to) = if stored.contains(&second) { (first, second) } else { (second, first) };
        return Some((from, to, Handover::Exchanged));
    }
    let mut binds = Vec::new();
    proc.for_each_stmt(body, &mut |stmt| {
        if let Stmt::Bind { reference, source, .. } = stmt {
            binds.push((*reference, *source));
        }
    });
    let is_made = |array: &Array| matches!(proc.arrays[*array].storage, Storage::Heap) && stored.contains(array);
    let (bound, to) = *binds.iter().find(|(_, source)| is_made(source))?;
    // The array is bound to another name of the array that is read, or to that array.
    let from = binds.iter().find(|(_, source)| *source == bound).map_or(bound, |(from, _)| *from);
    Some((from, to, Handover::Bound(bound)))
}

/// True if every iteration that makes the array hands it over, and the other array is bound to
/// nothing else.
fn is_handed_over(proc: &Proc, outside: &[Stmt], path: &Path<'_>, [from, to]: [Array; 2], handover: Handover) -> bool {
    let count = |stmts: &[Stmt], is_it: &dyn Fn(&Stmt) -> bool| {
        let mut count = 0;
        proc.for_each_stmt(stmts, &mut |stmt| count += usize::from(is_it(stmt)));
        count
    };
    let here = |stmts: &[Stmt], is_it: &dyn Fn(&Stmt) -> bool| stmts.iter().filter(|stmt| is_it(stmt)).count();
    match handover {
        Handover::Exchanged => {
            let is_swap = |stmt: &Stmt| matches!(stmt, Stmt::Swap { .. });
            // After the handover, the array that the next iteration overwrites may get other
            // memory. That may depend only on whether the handover has happened.
            let placing = || outside.iter().filter(|stmt| !is_swap(stmt) && places_arrays(proc, stmt));
            let is_renewed = |stmt: &Stmt| {
                let Stmt::If { cond: Expr::Var(flag), then, otherwise } = stmt else { return false };
                let reads_flag = |stmts: &[Stmt]| count_reading(proc, stmts, *flag);
                otherwise.is_empty()
                    && reads_flag(outside)
                        == placing().filter(|other| reads_flag(std::slice::from_ref(other)) > 0).count()
                    && then.iter().all(|stmt| match stmt {
                        Stmt::Release { array } => *array == to,
                        Stmt::Bind { reference, source, .. } => *reference == to && *source != from,
                        Stmt::Assign { var, value: Expr::Const(_) } => var == flag,
                        _ => false,
                    })
            };
            let mut before_swap = outside.iter().take_while(|stmt| !is_swap(stmt));
            path.is_body
                && count(outside, &is_swap) == 1
                && here(path.block, &is_swap) == 1
                && placing().all(|stmt| is_table(proc, stmt) || is_renewed(stmt))
                && before_swap.all(|stmt| is_table(proc, stmt) || !places_arrays(proc, stmt))
        }
        Handover::Bound(bound) => {
            let binds = |to: Array, of: Array| move |stmt: &Stmt| matches!(stmt, Stmt::Bind { reference, source, offset } if *reference == to && *source == of && offset.as_i64() == Some(0));
            let all_binds = |stmt: &Stmt| matches!(stmt, Stmt::Bind { reference, source, .. } if [from, to, bound].iter().any(|array| array == reference || array == source));
            let allocates = |stmt: &Stmt| matches!(stmt, Stmt::Alloc { array } if *array == to);
            let releases = |stmt: &Stmt| matches!(stmt, Stmt::Release { array } if *array == to);
            let is_swap = |stmt: &Stmt| matches!(stmt, Stmt::Swap { first, second } if [from, to, bound].iter().any(|array| array == first || array == second));
            let once = |is_it: &dyn Fn(&Stmt) -> bool, block: &[Stmt]| {
                count(&proc.body, is_it) == 1 && here(block, is_it) == 1
            };
            let becomes =
                |is_it: &dyn Fn(&Stmt) -> bool, block: &[Stmt]| count(outside, is_it) == 1 && here(block, is_it) == 1;
            let mut known = count(outside, &binds(bound, to));
            let is_other = bound != from;
            let is_passed = if is_other {
                known += count(outside, &binds(from, bound)) + count(outside, &binds(bound, from));
                let anywhere = |stmt: &Stmt| matches!(stmt, Stmt::Bind { reference, .. } if *reference == bound);
                count(&proc.body, &anywhere) == count(outside, &anywhere) && becomes(&binds(from, bound), outside)
            } else {
                true
            };
            once(&allocates, &path.before)
                && once(&releases, path.block)
                && becomes(&binds(bound, to), path.block)
                && is_passed
                && count(outside, &all_binds) == known
                && count(outside, &is_swap) == 0
        }
    }
}

/// True if the statement allocates a table on the stack.
fn is_table(proc: &Proc, stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Alloc { array } if matches!(proc.arrays[*array].storage, Storage::Stack))
}

/// How many expressions read the variable.
fn count_reading(proc: &Proc, stmts: &[Stmt], var: Var) -> usize {
    let (mut count, vars) = (0, BTreeSet::from([var]));
    proc.for_each_expr(stmts, &mut |expr| count += usize::from(expr.reads_any(&vars)));
    count
}

/// True if the statement gives arrays other memory.
fn places_arrays(proc: &Proc, stmt: &Stmt) -> bool {
    !proc.placed_in(std::slice::from_ref(stmt)).is_empty()
}

/// True if no statement accesses or passes on the arrays, or others that may share their memory.
fn is_left_alone(proc: &Proc, stmts: &[&[Stmt]], arrays: [Array; 2]) -> bool {
    let aliases = Aliases::of(proc);
    let is_it = |array: Array| arrays.iter().any(|&own| array == own || aliases.are_shared(array, own));
    let mut found = false;
    for stmts in stmts {
        found |= arrays_read(proc, stmts).into_iter().any(is_it);
        proc.for_each_stmt(stmts, &mut |stmt| {
            stmt.for_each_array(&mut |array, role| {
                let uses = match role {
                    Role::Stored | Role::Filled | Role::Read | Role::Prefetched | Role::Passed => true,
                    Role::Bound => matches!(stmt, Stmt::Call { .. }),
                    Role::Allocated | Role::Released | Role::Shared | Role::Swapped => false,
                };
                found |= uses && is_it(array);
            });
        });
    }
    !found
}

/// True if the expression reads no memory and cannot divide by zero.
fn is_defined(values: &Values, expr: &Expr) -> bool {
    let mut defined = !expr.has_load();
    expr.for_each_part(&mut |part| {
        if let Expr::Binary { op, y, .. } = part {
            defined &= match *op {
                BinOp::Divide(_) => is_positive(values, y),
                BinOp::POW => false,
                _ => true,
            };
        }
    });
    defined
}

fn is_positive(values: &Values, expr: &Expr) -> bool {
    match values.value(expr) {
        Expr::Threads => true,
        Expr::Binary { op: BinOp::MIN, x, y } => is_positive(values, x) && is_positive(values, y),
        Expr::Binary { op: BinOp::MAX, x, y } => is_positive(values, x) || is_positive(values, y),
        Expr::Select { on_true, on_false, .. } => is_positive(values, on_true) && is_positive(values, on_false),
        value => value.as_i64().is_some_and(|value| value > 0),
    }
}

/// The conjuncts of a condition.
fn parts_of(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary { op: BinOp::AND, x, y } => [parts_of(x), parts_of(y)].concat(),
        cond => vec![cond],
    }
}

/// The last value assigned to the variable, ignoring assignments under conditions.
fn last_assigned(stmts: &[Stmt], var: Var) -> Option<Expr> {
    stmts.iter().rev().find_map(|stmt| match stmt {
        Stmt::Assign { var: assigned, value } if *assigned == var => Some(value.clone()),
        _ => None,
    })
}

/// The statements, including those under conditions, with replacements.
fn with_others(stmts: &[Stmt], others: &dyn Fn(&Stmt) -> Vec<Stmt>) -> Vec<Stmt> {
    let inside = |stmt: &Stmt| match stmt {
        Stmt::If { cond, then, otherwise } => {
            vec![only_if(cond.clone(), with_others(then, others), with_others(otherwise, others))]
        }
        stmt => others(stmt),
    };
    stmts.iter().flat_map(inside).collect()
}

/// True if the statement is one of the loops.
fn is_among(stmt: &Stmt, loops: &[Loop]) -> bool {
    matches!(stmt, Stmt::For(id) if loops.contains(id))
}

fn bind(reference: Array, source: Array) -> Stmt {
    Stmt::Bind { reference, source, offset: Expr::i64(0) }
}

fn only_if(cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    Stmt::If { cond, then, otherwise }
}

fn truth(value: bool) -> Expr {
    Expr::Const(Const::Bool(value))
}
