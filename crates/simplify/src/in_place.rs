//! Updates in place: where memory is given up anyway, what replaces it is made there.
//! Source:   the reuse of memory in compilers of purely functional array languages.
//! Before:   optimised array IR, as late as possible: what consumes its source merges with fewer loops.
//! After:    the same results; updates and `modarray`s consume what nothing uses any more, copies of that are left out, an array
//!           made from elements of a dead one at the same places takes its memory, and loops that carry an array from update to update own it.
//! Work:     at most one copy per loop more, for every loop one copy per iteration less.
//! Reorders: nothing.
//!
//! Memory may be overwritten if the surrounding block owns it and nothing that may share it is used afterwards; both are
//! the verifier's notions, and [`frit_ir::array::alias`] says what shares. `chains` looks through loops: which parameters live
//! in one place if they own it. `liveness` decides what is owned and dead where. See Note [Order of decisions].

mod chains;
mod liveness;

use crate::{Changes, Options};
use chains::Chains;
use frit_ir::array::alias::Aliases;
use frit_ir::array::replaced::Sums;
use frit_ir::array::verify::verify_func;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, FuncId, Op, Operand, Operator, Program, Stmt, Value};
use liveness::Decisions;
use std::collections::{BTreeMap, BTreeSet};

/// How often parameters of loops that turn out not to stay in place are given up.
const MAX_ROUNDS: usize = 8;

/// Marks what happens in place; counts marks.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    let mut count = 0;
    for id in program.funcs.indices().collect::<Vec<FuncId>>() {
        let improved = improve(program, id);
        if let Some((func, marks)) = improved
            && marks > 0
        {
            program.funcs[id] = func;
            count += marks;
        }
    }
    Changes { count }
}

/// The function with marks, and how many there are.
fn improve(program: &Program, id: FuncId) -> Option<(Func, usize)> {
    let original = &program.funcs[id];
    let sums = Sums::of(original, &[&original.body]);
    let mut given_up: BTreeSet<Value> = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let mut func = original.clone();
        let aliases = Aliases::of(&func, Some(program));
        let chains = Chains::of(&func, &aliases, &sums, &given_up);
        let copies = own(&mut func, &chains);
        let aliases = Aliases::of(&func, Some(program));
        let decisions = liveness::decide(&func, &aliases, &sums, &chains);
        let failed: Vec<Value> =
            chains.owned.iter().copied().filter(|&param| !decisions.stays(&chains, &copies, param)).collect();
        if !failed.is_empty() {
            given_up.extend(failed);
            continue;
        }
        let made = copies.values().filter(|copy| decisions.needless.contains(copy)).count();
        let marks = apply(&mut func, &decisions) - made;
        let checked = verify_func(&func, Some(program));
        debug_assert!(checked.is_ok(), "in-place updates are sound: {checked:?}\n{func}");
        return checked.is_ok().then_some((func, marks));
    }
    None
}

/// Makes the chosen parameters of loops owners of copies of their initial values; the copies, by parameter.
fn own(func: &mut Func, chains: &Chains) -> BTreeMap<Value, Value> {
    let mut copies = BTreeMap::new();
    let body = std::mem::take(&mut func.body);
    func.body = own_in(func, body, chains, &mut copies);
    copies
}

fn own_in(func: &mut Func, block: Block, chains: &Chains, copies: &mut BTreeMap<Value, Value>) -> Block {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in block.stmts {
        if let Op::Loop(data) = &mut stmt.op {
            for at in 0..data.params.len() {
                let Operand::Value(source) = data.init[at] else { continue };
                if data.consumed[at] || !chains.owned.contains(&data.params[at]) {
                    continue;
                }
                let copy = func.value(func.ty(source).clone(), stmt.span);
                func.values[copy].name = func.values[source].name.clone();
                let op = Op::Copy { array: source };
                stmts.push(Stmt { results: vec![copy], op, certs: Vec::new(), span: stmt.span });
                copies.insert(data.params[at], copy);
                data.init[at] = copy.into();
                data.consumed[at] = true;
            }
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let block = std::mem::take(inner);
            *inner = own_in(func, block, chains, copies);
        });
        stmts.push(stmt);
    }
    Block { stmts, results: block.results }
}

/// Carries out what was decided; how many statements changed.
fn apply(func: &mut Func, decisions: &Decisions) -> usize {
    let mut renaming = Renaming::new();
    let mut count = 0;
    let body = std::mem::take(&mut func.body);
    func.body = apply_in(func, body, decisions, &mut renaming, &mut count);
    // A copy that is left out may be the source of another.
    let close = |mut operand: Operand| {
        while let Operand::Value(value) = operand
            && let Some(&by) = renaming.get(&value)
        {
            operand = by;
        }
        operand
    };
    let closed: Renaming = renaming.iter().map(|(&value, &by)| (value, close(by))).collect();
    func.substitute(&closed);
    count
}

fn apply_in(func: &mut Func, block: Block, decisions: &Decisions, renaming: &mut Renaming, count: &mut usize) -> Block {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in block.stmts {
        match &mut stmt.op {
            Op::Copy { array } if decisions.needless.contains(&stmt.results[0]) => {
                renaming.insert(stmt.results[0], (*array).into());
                *count += 1;
                continue;
            }
            Op::Update { consumes, .. } if decisions.consuming.contains(&stmt.results[0]) => {
                *count += usize::from(!std::mem::replace(consumes, true));
            }
            Op::With(label) => {
                let mut result = 0;
                for operator in &mut func.with_loops[*label].operators {
                    let made = stmt.results[result];
                    result += operator.op.results();
                    match &mut operator.op {
                        Operator::ModArray { consumes, .. } if decisions.consuming.contains(&made) => {
                            *count += usize::from(!std::mem::replace(consumes, true));
                        }
                        Operator::GenArray => {
                            if let Some(&source) = decisions.taken_over.get(&made) {
                                operator.op = Operator::ModArray { source, consumes: true };
                                *count += 1;
                            }
                        }
                        Operator::ModArray { .. }
                        | Operator::Fold { .. }
                        | Operator::Scan { .. }
                        | Operator::Filter { .. }
                        | Operator::Uniform => {}
                    }
                }
            }
            _ => {}
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let block = std::mem::take(inner);
            *inner = apply_in(func, block, decisions, renaming, count);
        });
        stmts.push(stmt);
    }
    Block { stmts, results: block.results }
}

// Note [Order of decisions]
//
// Whether an update can happen in place depends on who owns its source, and in a loop that is decided by the loop's
// parameter: it must be marked as consumed, and then its initial value is given away. So parameters come first:
// `chains` finds those whose next value comes from them by updates, whatever path is taken, as if all of these could happen
// in place. Their initial values are copied, so that they are owned without doubt. Then `liveness` decides, for each
// update, and for each of these copies, whether its source is owned and dead. A copy of a dead source is left out. If an
// update of a chosen parameter cannot happen in place after all, the parameter is given up and all is decided again.
