//! Inlining: replaces calls by copies of the functions' bodies, and removes the functions that no call reaches any more.
//! Source:   \[L0\] section 5.1, with a bound on growth that the thesis does not have.
//! Before:   verified array IR.
//! After:    the same results; calls are left of recursive functions, of those marked `noinline`, and of functions too large for the growth limit.
//! Work:     unchanged.
//! Reorders: nothing.

use crate::{Changes, Options};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Extent, Func, FuncId, Op, Operand, Program, Stmt, Value};
use frit_support::{Index, Table};
use std::collections::BTreeSet;

/// How many statements a program may have after inlining. Where all calls together would make more, only those of small
/// functions are inlined; code is generated for the other ones.
pub const MAX_STATEMENTS: u64 = 50_000;
/// Functions that expand to at most so many statements are inlined however large the program is.
const ALWAYS_INLINED: u64 = 8;

/// Inlines the calls of a program; counts them, and the functions removed.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    let inlined = inline(program);
    let removed = remove_unreachable(program);
    Changes { count: inlined + removed }
}

/// What inlining decides from before it copies anything.
struct CallGraph {
    /// Statements of the body alone.
    own: Vec<u64>,
    /// One entry per call statement.
    calls: Vec<Vec<usize>>,
    /// Statements once all calls inside are inlined; saturated.
    expanded: Vec<u64>,
    recursive: Vec<bool>,
    /// The source asks for calls.
    noinline: Vec<bool>,
}

impl CallGraph {
    fn of(program: &Program) -> Self {
        let count = program.funcs.len();
        let mut own = vec![0; count];
        let mut calls = vec![Vec::new(); count];
        for (id, func) in program.funcs.iter() {
            survey(func, &func.body, &mut own[id.at()], &mut calls[id.at()]);
        }
        let noinline = program.funcs.iter().map(|(_, func)| func.noinline).collect();
        let mut graph = CallGraph { own, calls, expanded: vec![0; count], recursive: vec![false; count], noinline };
        let order = graph.components();
        for component in order {
            let is_cycle = component.len() > 1 || graph.calls[component[0]].contains(&component[0]);
            for &member in &component {
                graph.recursive[member] = is_cycle;
            }
            for &member in &component {
                graph.expanded[member] = graph.expansion(member, u64::MAX);
            }
        }
        graph
    }

    /// Statements of a function whose calls are inlined where the callee expands to at most `limit`.
    fn expansion(&self, func: usize, limit: u64) -> u64 {
        let inlined = self.calls[func].iter().filter(|&&callee| self.is_inlined(callee, limit));
        inlined.fold(self.own[func], |sum, &callee| sum.saturating_add(self.expanded[callee]))
    }

    fn is_inlined(&self, callee: usize, limit: u64) -> bool {
        !self.recursive[callee] && !self.noinline[callee] && self.expanded[callee] <= limit
    }

    /// The strongly connected components, callees first (Tarjan 1972).
    fn components(&self) -> Vec<Vec<usize>> {
        struct Search<'a> {
            calls: &'a [Vec<usize>],
            entered: Vec<Option<usize>>,
            low: Vec<usize>,
            on_stack: Vec<bool>,
            stack: Vec<usize>,
            found: Vec<Vec<usize>>,
            clock: usize,
        }
        impl Search<'_> {
            fn visit(&mut self, func: usize) {
                self.entered[func] = Some(self.clock);
                self.low[func] = self.clock;
                self.clock += 1;
                self.stack.push(func);
                self.on_stack[func] = true;
                let calls = self.calls;
                for &callee in &calls[func] {
                    match self.entered[callee] {
                        None => {
                            self.visit(callee);
                            self.low[func] = self.low[func].min(self.low[callee]);
                        }
                        Some(time) if self.on_stack[callee] => self.low[func] = self.low[func].min(time),
                        Some(_) => {}
                    }
                }
                if Some(self.low[func]) == self.entered[func] {
                    let at = self.stack.iter().rposition(|&f| f == func).expect("a visited function is on the stack");
                    let component = self.stack.split_off(at);
                    component.iter().for_each(|&f| self.on_stack[f] = false);
                    self.found.push(component);
                }
            }
        }
        let count = self.calls.len();
        let mut search = Search {
            calls: &self.calls,
            entered: vec![None; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: Vec::new(),
            found: Vec::new(),
            clock: 0,
        };
        for func in 0..count {
            if search.entered[func].is_none() {
                search.visit(func);
            }
        }
        search.found
    }

    /// The largest expansion of a function that is inlined, so that all bodies together stay within the growth limit.
    fn limit(&self, roots: &BTreeSet<usize>) -> u64 {
        let cost = |limit: u64| {
            let stays = |func: &usize| roots.contains(func) || !self.is_inlined(*func, limit);
            (0..self.calls.len()).filter(stays).fold(0u64, |sum, func| sum.saturating_add(self.expansion(func, limit)))
        };
        if cost(u64::MAX - 1) <= MAX_STATEMENTS {
            return u64::MAX - 1;
        }
        let mut limit = MAX_STATEMENTS.next_power_of_two();
        while limit > ALWAYS_INLINED && cost(limit) > MAX_STATEMENTS {
            limit /= 2;
        }
        limit
    }
}

fn survey(func: &Func, block: &Block, size: &mut u64, calls: &mut Vec<usize>) {
    *size += block.stmts.len() as u64;
    for stmt in &block.stmts {
        if let Op::Call { callee, .. } = &stmt.op {
            calls.push(callee.at());
        }
        stmt.op.for_each_block(func, &mut |inner| survey(func, inner, size, calls));
    }
}

/// Inlines calls; the number of calls that were replaced.
fn inline(program: &mut Program) -> usize {
    let graph = CallGraph::of(program);
    let roots: BTreeSet<usize> = match program.entry {
        Some(entry) => BTreeSet::from([entry.at()]),
        None => (0..program.funcs.len()).collect(),
    };
    let limit = graph.limit(&roots);
    let mut done = BTreeSet::new();
    let mut open: Vec<usize> = roots.into_iter().collect();
    let mut replaced = 0;
    while let Some(root) = open.pop() {
        if !done.insert(root) {
            continue;
        }
        let id = FuncId::new(root);
        if graph.calls[root].iter().any(|&callee| graph.is_inlined(callee, limit)) {
            let mut func = program.funcs[id].clone();
            let mut inliner =
                Inliner { originals: &program.funcs, graph: &graph, limit, results: Renaming::new(), replaced: 0 };
            let body = std::mem::take(&mut func.body);
            func.body = inliner.block(&mut func, body);
            replaced += inliner.replaced;
            crate::rewrite::substitute(&mut func, inliner.results);
            program.funcs[id] = func;
        }
        let mut calls = Vec::new();
        survey(&program.funcs[id], &program.funcs[id].body, &mut 0, &mut calls);
        open.extend(calls);
    }
    replaced
}

struct Inliner<'a> {
    originals: &'a Table<FuncId, Func>,
    graph: &'a CallGraph,
    limit: u64,
    /// What stands for the results of the calls.
    results: Renaming,
    replaced: usize,
}

impl Inliner<'_> {
    fn block(&mut self, func: &mut Func, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        self.stmts(func, block.stmts, &mut stmts);
        Block { stmts, results: block.results }
    }

    fn stmts(&mut self, func: &mut Func, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        for mut stmt in stmts {
            match &stmt.op {
                Op::Call { callee, args } if self.graph.is_inlined(callee.at(), self.limit) => {
                    let body = self.expand(func, *callee, args, &stmt);
                    self.replaced += 1;
                    self.stmts(func, body, out);
                }
                _ => {
                    func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
                        let block = std::mem::take(inner);
                        *inner = self.block(func, block);
                    });
                    out.push(stmt);
                }
            }
        }
    }

    /// The statements of the callee's body for this call; its results are noted.
    fn expand(&mut self, func: &mut Func, callee: FuncId, args: &[Operand], call: &Stmt) -> Vec<Stmt> {
        let originals = self.originals;
        let original = &originals[callee];
        let mut renaming = Renaming::new();
        for (param, &arg) in original.params.iter().zip(args) {
            renaming.insert(param.value, arg);
            for (axis, extent) in original.ty(param.value).shape.iter().enumerate() {
                if let Extent::Value(size) = *extent
                    && !renaming.contains_key(&size)
                {
                    let found = func.operand_type(arg).shape[axis];
                    renaming.insert(size, found.into());
                }
            }
        }
        let mut body = func.copy_block(Some(original), &original.body, &mut renaming);
        for (&result, &value) in call.results.iter().zip(&body.results) {
            self.results.insert(result, value);
        }
        if !call.certs.is_empty() {
            for stmt in &mut body.stmts {
                add_certs(&mut stmt.certs, &call.certs);
            }
        }
        body.stmts
    }
}

/// Adds certificates to a sorted list.
pub(crate) fn add_certs(certs: &mut Vec<Value>, more: &[Value]) {
    certs.extend(more);
    certs.sort_unstable();
    certs.dedup();
}

/// Removes the functions that the entry does not reach; how many.
fn remove_unreachable(program: &mut Program) -> usize {
    let Some(entry) = program.entry else { return 0 };
    let mut reached = BTreeSet::new();
    let mut open = vec![entry.at()];
    while let Some(func) = open.pop() {
        if reached.insert(func) {
            let original = &program.funcs[FuncId::new(func)];
            survey(original, &original.body, &mut 0, &mut open);
        }
    }
    let before = program.funcs.len();
    if reached.len() == before {
        return 0;
    }
    let mut place = vec![None; before];
    for (new, &old) in reached.iter().enumerate() {
        place[old] = Some(FuncId::new(new));
    }
    let funcs = std::mem::take(&mut program.funcs);
    let kept = funcs.indices().filter(|id| place[id.at()].is_some());
    program.funcs = kept.map(|id| funcs[id].clone()).collect();
    program.entry = place[entry.at()];
    for (_, func) in program.funcs.iter_mut() {
        let body = std::mem::take(&mut func.body);
        func.body = renumber(func, body, &place);
    }
    before - program.funcs.len()
}

fn renumber(func: &mut Func, mut block: Block, place: &[Option<FuncId>]) -> Block {
    for stmt in &mut block.stmts {
        if let Op::Call { callee, .. } = &mut stmt.op {
            *callee = place[callee.at()].expect("a function that is called is reached");
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let body = std::mem::take(inner);
            *inner = renumber(func, body, place);
        });
    }
    block
}
