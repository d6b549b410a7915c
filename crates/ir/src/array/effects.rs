//! Which functions have effects, and which may end the program. See `Note [Effects]` in the parent module.

use super::{Block, Func, FuncId, Op, Operand, Operator, Program, WithLoopData};
use frit_support::Table;

/// Per function: a call of it may have an ordered effect, itself or through a call of its own.
pub fn writers(program: &Program) -> Table<FuncId, bool> {
    doing(program, |_, op| matches!(op, Op::Effect { effect, .. } if effect.is_ordered()))
}

/// Per function: a call of it may end the program, itself or through a call of its own.
pub fn failing(program: &Program) -> Table<FuncId, bool> {
    doing(program, may_end)
}

/// True for an operation that may end the program, apart from what is in its blocks and in functions that it calls.
pub fn may_end(func: &Func, op: &Op) -> bool {
    match op {
        Op::Assert { .. } => true,
        Op::With(label) => func.with_loops.get(*label).is_some_and(|data| {
            let mut cell = 0;
            data.operators.iter().any(|operator| {
                let first = cell;
                cell += operator.cells();
                matches!(operator.op, Operator::Uniform) && common_cell(data, first).is_none()
            })
        }),
        _ => false,
    }
}

/// True if the operation, or something in its blocks, may end the program; a call counts if `calls` says so.
pub fn may_end_within(func: &Func, op: &Op, calls: &impl Fn(FuncId) -> bool) -> bool {
    let mut found = match op {
        Op::Call { callee, .. } => calls(*callee),
        _ => may_end(func, op),
    };
    op.for_each_block(func, &mut |block| {
        found = found || block.stmts.iter().any(|stmt| may_end_within(func, &stmt.op, calls));
    });
    found
}

/// What all cells at this position are, if that is a constant or a value from outside of the with-loop.
pub fn common_cell(data: &WithLoopData, at: usize) -> Option<Operand> {
    let common = *data.generators.first()?.body.results.get(at)?;
    let is_inside = |value| {
        let mut made = data.generators.iter().flat_map(|generator| &generator.body.stmts);
        data.indices.contains(&value) || made.any(|stmt| stmt.results.contains(&value))
    };
    let is_same = data.generators.iter().all(|generator| generator.body.results.get(at) == Some(&common));
    (is_same && !common.value().is_some_and(is_inside)).then_some(common)
}

/// Per function: it or one that it calls has such an operation.
fn doing(program: &Program, does: impl Fn(&Func, &Op) -> bool) -> Table<FuncId, bool> {
    let mut found: Table<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
    let mut callers: Table<FuncId, Vec<FuncId>> = program.funcs.iter().map(|_| Vec::new()).collect();
    let mut open = Vec::new();
    for (id, func) in program.funcs.iter() {
        let mut survey = Survey { func, does: &does, found: false, calls: Vec::new() };
        survey.block(&func.body);
        if survey.found {
            found[id] = true;
            open.push(id);
        }
        for callee in survey.calls {
            if callers.get(callee).is_some() {
                callers[callee].push(id);
            }
        }
    }
    while let Some(id) = open.pop() {
        for caller in std::mem::take(&mut callers[id]) {
            if !std::mem::replace(&mut found[caller], true) {
                open.push(caller);
            }
        }
    }
    found
}

struct Survey<'a> {
    func: &'a Func,
    does: &'a dyn Fn(&Func, &Op) -> bool,
    found: bool,
    calls: Vec<FuncId>,
}

impl Survey<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.found |= (self.does)(self.func, &stmt.op);
            match &stmt.op {
                Op::Call { callee, .. } => self.calls.push(*callee),
                // What is no with-loop of the function is the verifier's to report.
                Op::With(label) if self.func.with_loops.get(*label).is_none() => {}
                op => op.for_each_block(self.func, &mut |inner| self.block(inner)),
            }
        }
    }
}
