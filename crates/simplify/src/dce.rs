//! Dead-code elimination: removes what no result of the function depends on, and no check.
//! Source:   \[L0\] sections 5.3 and 6.3.2; here also single results of branches, loops and with-loops.
//! Before:   verified array IR.
//! After:    the same results and the same checks: an assertion is never dead, nor what it depends on. A loop that may never end is,
//!           if nothing in it is checked.
//! Work:     less.
//! Reorders: nothing.
//!
//! Marks backwards from the results along dependences of single values, so that a loop-carried value that only feeds
//! itself is found dead, and visits every statement once however deep the nest.

use crate::{Changes, Options};
use frit_ir::array::{
    Block, Func, FuncId, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Program, Stmt, Value, WithLoopData,
    effects, ops,
};
use frit_support::{Index, Table};

/// Removes dead code from all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    let failing = effects::failing(program);
    crate::each_func(program, |func| dce(func, &failing))
}

/// Removes dead code; the number of statements and single results removed.
fn dce(func: &mut Func, failing: &Table<FuncId, bool>) -> usize {
    let live = Liveness::of(func, failing);
    let mut removed = 0;
    let body = std::mem::take(&mut func.body);
    func.body = sweep_block(func, body, &live, failing, &mut removed);
    removed
}

struct Liveness {
    live: Vec<bool>,
}

impl Liveness {
    fn of(func: &Func, failing: &Table<FuncId, bool>) -> Self {
        let mut needs = vec![Vec::new(); func.values.len()];
        collect_block(func, &func.body, &mut needs);
        let mut checks = Checks::new(func, failing);
        checks.block(&func.body);
        let mut live = Liveness { live: vec![false; func.values.len()] };
        live.mark(func.body.results.iter().filter_map(|o| o.value()).chain(checks.roots).collect(), &mut needs);
        // A statement that stays for a check inside of it needs a result.
        for (results, makers) in checks.checking {
            if !results.iter().any(|&result| live.has(result)) {
                let at = makers.iter().position(|&maker| live.has(maker)).unwrap_or(0);
                live.mark(results.get(at).copied().into_iter().collect(), &mut needs);
            }
        }
        live
    }

    fn mark(&mut self, mut open: Vec<Value>, needs: &mut [Vec<Value>]) {
        while let Some(value) = open.pop() {
            if !std::mem::replace(&mut self.live[value.at()], true) {
                open.append(&mut needs[value.at()]);
            }
        }
    }

    fn has(&self, value: Value) -> bool {
        self.live[value.at()]
    }
}

/// What has to stay for the checks of a function.
struct Checks<'a> {
    func: &'a Func,
    failing: &'a Table<FuncId, bool>,
    /// Needed whatever the results are.
    roots: Vec<Value>,
    /// For each statement that checks something its results and, for each, what is needed before it: a parameter of the loop.
    checking: Vec<(&'a [Value], Vec<Value>)>,
}

impl<'a> Checks<'a> {
    fn new(func: &'a Func, failing: &'a Table<FuncId, bool>) -> Self {
        Checks { func, failing, roots: Vec::new(), checking: Vec::new() }
    }

    /// True if something in the block may end the program.
    fn block(&mut self, block: &'a Block) -> bool {
        let mut any = false;
        for stmt in &block.stmts {
            any |= self.stmt(stmt);
        }
        any
    }

    fn may_end(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| self.may_end_within(&stmt.op))
    }

    fn may_end_within(&self, op: &Op) -> bool {
        effects::may_end_within(self.func, op, &|callee| self.failing.get(callee).is_none_or(|&fails| fails))
    }

    /// True if the statement or something in it may end the program.
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        let mut inside = false;
        stmt.op.for_each_block(self.func, &mut |inner| inside |= self.block(inner));
        let itself = match stmt.op {
            Op::Call { callee, .. } => self.failing.get(callee).is_none_or(|&may_fail| may_fail),
            _ => effects::may_end(self.func, &stmt.op),
        };
        if !itself && !inside {
            return false;
        }
        let mut makers = stmt.results.clone();
        self.roots.extend(&stmt.certs);
        let roots = &mut self.roots;
        let mut need = |operand: Operand| roots.extend(operand.value());
        match &stmt.op {
            Op::If { cond, .. } => need(*cond),
            Op::Loop(data) => {
                makers.clone_from(&data.params);
                match &data.kind {
                    LoopKind::For { count, .. } => need(*count),
                    LoopKind::While { condition } => need(condition.results[0]),
                }
            }
            Op::With(w) => {
                let data = &self.func.with_loops[*w];
                data.space.iter().for_each(|&extent| need(extent.into()));
                data.generators.iter().flat_map(|g| g.lower.iter().chain(&g.upper)).copied().for_each(need);
                let mut at = 0;
                for operator in &data.operators {
                    match &operator.op {
                        Operator::Uniform if itself => self.roots.push(stmt.results[at]),
                        Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                            if self.may_end(&combine.body) {
                                self.roots.push(combine.params[0]);
                                makers[at] = combine.params[0];
                            }
                        }
                        Operator::GenArray
                        | Operator::ModArray { .. }
                        | Operator::Filter { .. }
                        | Operator::Uniform => {}
                    }
                    at += operator.op.results();
                }
            }
            ops!(scalar | access | array | effect) | Op::Call { .. } => {
                stmt.op.for_each_operand(self.func, &mut need);
            }
        }
        self.checking.push((&stmt.results, makers));
        true
    }
}

/// Notes for every value defined in the block which values it needs directly.
fn collect_block(func: &Func, block: &Block, needs: &mut [Vec<Value>]) {
    for stmt in &block.stmts {
        collect_stmt(func, stmt, needs);
        stmt.op.for_each_block(func, &mut |inner| collect_block(func, inner, needs));
    }
}

fn collect_stmt(func: &Func, stmt: &Stmt, needs: &mut [Vec<Value>]) {
    let mut need = |value: Value, operand: Operand| {
        if let Operand::Value(v) = operand {
            needs[value.at()].push(v);
        }
    };
    for &result in &stmt.results {
        func.ty(result).shape.iter().for_each(|&e| need(result, e.into()));
        stmt.certs.iter().for_each(|&c| need(result, c.into()));
    }
    stmt.op.for_each_binder(func, &mut |binder| {
        func.ty(binder).shape.iter().for_each(|&e| need(binder, e.into()));
    });
    match &stmt.op {
        Op::If { cond, then, otherwise } => {
            for (at, &result) in stmt.results.iter().enumerate() {
                [*cond, then.results[at], otherwise.results[at]].into_iter().for_each(|o| need(result, o));
            }
        }
        Op::Loop(data) => {
            for (at, (&result, &param)) in stmt.results.iter().zip(&data.params).enumerate() {
                need(result, param.into());
                need(param, data.init[at]);
                need(param, data.body.results[at]);
                match &data.kind {
                    LoopKind::For { count, .. } => need(param, *count),
                    LoopKind::While { condition } => need(param, condition.results[0]),
                }
            }
            if let LoopKind::For { index, count } = data.kind {
                need(index, count);
            }
        }
        Op::With(w) => collect_with_loop(&func.with_loops[*w], stmt, &mut need),
        ops!(scalar | access | array | effect) | Op::Call { .. } => {
            for &result in &stmt.results {
                stmt.op.for_each_operand(func, &mut |operand| need(result, operand));
            }
        }
    }
}

fn collect_with_loop(data: &WithLoopData, stmt: &Stmt, need: &mut impl FnMut(Value, Operand)) {
    let bounds = || data.generators.iter().flat_map(|g| g.lower.iter().chain(&g.upper)).copied();
    for &value in data.indices.iter().chain(&stmt.results) {
        data.space.iter().for_each(|&e| need(value, e.into()));
        bounds().for_each(|o| need(value, o));
    }
    let (mut first_result, mut first_cell) = (0, 0);
    for operator in &data.operators {
        let results = &stmt.results[first_result..first_result + operator.op.results()];
        let cells = first_cell + usize::from(operator.guarded);
        let cell = |at: usize| data.generators.iter().map(move |g| g.body.results[at]);
        if operator.guarded {
            for &result in results {
                cell(first_cell).for_each(|o| need(result, o));
            }
        }
        match &operator.op {
            Operator::GenArray | Operator::Uniform => cell(cells).for_each(|o| need(results[0], o)),
            Operator::ModArray { source, .. } => {
                need(results[0], (*source).into());
                cell(cells).for_each(|o| need(results[0], o));
            }
            Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => {
                for (at, &start) in neutral.iter().enumerate() {
                    // As for a loop: the accumulator needs what it becomes, and an accumulator that no other one and
                    // no result needs is dead.
                    let (accumulator, element) = (combine.params[at], combine.params[at + neutral.len()]);
                    need(results[at], accumulator.into());
                    need(accumulator, element.into());
                    need(accumulator, start);
                    need(accumulator, combine.body.results[at]);
                    cell(cells + at).for_each(|o| need(element, o));
                    need(element, accumulator.into());
                    if operator.guarded {
                        cell(first_cell).for_each(|o| need(accumulator, o));
                    }
                }
            }
            Operator::Filter { arrays } => {
                for at in 0..*arrays {
                    cell(cells + at).for_each(|o| need(results[at + 1], o));
                }
            }
        }
        first_result += operator.op.results();
        first_cell += operator.cells();
    }
}

fn sweep_block(
    func: &mut Func,
    block: Block,
    live: &Liveness,
    failing: &Table<FuncId, bool>,
    removed: &mut usize,
) -> Block {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in block.stmts {
        let is_live = stmt.results.iter().any(|&result| live.has(result));
        let stays = is_live || stmt.results.is_empty() && Checks::new(func, failing).may_end_within(&stmt.op);
        if !stays {
            *removed += 1;
            continue;
        }
        sweep_results(func, &mut stmt, live, removed);
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let body = std::mem::take(inner);
            *inner = sweep_block(func, body, live, failing, removed);
        });
        stmts.push(stmt);
    }
    Block { stmts, results: block.results }
}

/// Removes single results of a statement that stays, with what makes them.
fn sweep_results(func: &mut Func, stmt: &mut Stmt, live: &Liveness, removed: &mut usize) {
    match &mut stmt.op {
        Op::If { then, otherwise, .. } => {
            let keep: Vec<bool> = stmt.results.iter().map(|&r| live.has(r)).collect();
            *removed += retain(&mut stmt.results, &keep);
            retain(&mut then.results, &keep);
            retain(&mut otherwise.results, &keep);
        }
        Op::Loop(data) => {
            // A parameter may be live where its last value is not: then the result stays too.
            let keep: Vec<bool> = data.params.iter().map(|&p| live.has(p)).collect();
            *removed += retain(&mut stmt.results, &keep);
            let LoopData { params, init, body, consumed, .. } = &mut **data;
            retain(params, &keep);
            retain(init, &keep);
            retain(&mut body.results, &keep);
            retain(consumed, &keep);
        }
        Op::With(w) => {
            let mut data = func.take_with_loop(*w);
            *removed += sweep_operators(&mut data, &mut stmt.results, live);
            func.with_loops[*w] = data;
        }
        ops!(scalar | access | array | effect) | Op::Call { .. } => {}
    }
}

/// Removes dead operators and dead parts of operators; how many results went.
fn sweep_operators(data: &mut WithLoopData, results: &mut Vec<Value>, live: &Liveness) -> usize {
    let mut keep_results: Vec<bool> = Vec::new();
    let mut keep_cells: Vec<bool> = Vec::new();
    for operator in std::mem::take(&mut data.operators) {
        let OperatorData { mut op, guarded } = operator;
        let own = results[keep_results.len()..][..op.results()].to_vec();
        let is_live = |at: usize| live.has(own[at]);
        let (cells, is_kept): (Vec<bool>, bool) = match &mut op {
            Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => {
                keep_results.push(is_live(0));
                (vec![is_live(0)], is_live(0))
            }
            Operator::Fold { combine, neutral, .. } | Operator::Scan { combine, neutral } => {
                let keep: Vec<bool> = combine.params[..neutral.len()].iter().map(|&p| live.has(p)).collect();
                retain(neutral, &keep);
                retain(&mut combine.params, &[&keep[..], &keep[..]].concat());
                retain(&mut combine.body.results, &keep);
                keep_results.extend(&keep);
                let any = keep.contains(&true);
                (keep, any)
            }
            Operator::Filter { arrays } => {
                let any = (0..=*arrays).any(is_live);
                let keep: Vec<bool> = (1..=*arrays).map(is_live).collect();
                keep_results.push(any);
                keep_results.extend(&keep);
                *arrays = keep.iter().filter(|&&k| k).count();
                (keep, any)
            }
        };
        if guarded {
            keep_cells.push(is_kept);
        }
        keep_cells.extend(cells);
        if is_kept {
            data.operators.push(OperatorData { op, guarded });
        }
    }
    for generator in &mut data.generators {
        retain(&mut generator.body.results, &keep_cells);
    }
    retain(results, &keep_results)
}

/// Keeps the items so marked; how many went.
fn retain<T>(items: &mut Vec<T>, keep: &[bool]) -> usize {
    let before = items.len();
    let mut marks = keep.iter();
    items.retain(|_| *marks.next().expect("one mark per item"));
    before - items.len()
}
