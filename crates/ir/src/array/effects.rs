//! Which functions have effects. See `Note [Effects]` in the parent module.

use super::{Block, Func, FuncId, Op, Program};
use frit_support::Table;

/// Per function: a call of it may write, itself or through a call of its own.
pub fn writers(program: &Program) -> Table<FuncId, bool> {
    let mut writes: Table<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
    let mut callers: Table<FuncId, Vec<FuncId>> = program.funcs.iter().map(|_| Vec::new()).collect();
    let mut open = Vec::new();
    for (id, func) in program.funcs.iter() {
        let mut survey = Survey { func, writes: false, calls: Vec::new() };
        survey.block(&func.body);
        if survey.writes {
            writes[id] = true;
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
            if !std::mem::replace(&mut writes[caller], true) {
                open.push(caller);
            }
        }
    }
    writes
}

struct Survey<'a> {
    func: &'a Func,
    writes: bool,
    calls: Vec<FuncId>,
}

impl Survey<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::Effect { .. } => self.writes = true,
                Op::Call { callee, .. } => self.calls.push(*callee),
                // What is no with-loop of the function is the verifier's to report.
                Op::With(label) if self.func.with_loops.get(*label).is_none() => {}
                op => op.for_each_block(self.func, &mut |inner| self.block(inner)),
            }
        }
    }
}
