//! Which arrays may share memory.
//!
//! Every array has *origins*: values that stand for pieces of memory. An operation that makes memory of its own is its own
//! origin; a view has those of its source; where paths join, origins join. Two arrays may share memory if they have an
//! origin in common.
//!
//! One pass over the function, no fixed point: what a loop carries from one iteration to the next is an origin of its own
//! inside the loop. See Note [Carried memory].
//!
//! Knows what shares memory, not what may be done with it: that is `verify`'s, and storage assignment's.

use super::{Block, Func, Lambda, LoopData, LoopKind, Op, Operand, Operator, Program, Stmt, Value, WithLoopData, ops};
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The origins of one array; most arrays have those of another, so they are shared.
type Origins = Rc<BTreeSet<Value>>;

/// Which arrays of a function may share memory.
#[derive(Debug)]
pub struct Aliases {
    origins: Table<Value, Origins>,
    /// What a carried origin stands for outside its loop.
    carried: BTreeMap<Value, Origins>,
}

impl Aliases {
    /// The aliases of a function. `program` says what its calls return; without it every non-consumed argument is assumed.
    pub fn of(func: &Func, program: Option<&Program>) -> Self {
        let nothing: Origins = Rc::default();
        let origins = func.values.iter().map(|_| nothing.clone()).collect();
        let mut analysis = Analysis { func, program, nothing, found: Aliases { origins, carried: BTreeMap::new() } };
        for param in &func.params {
            analysis.make_origin(param.value);
        }
        analysis.block(&func.body);
        analysis.found
    }

    /// The origins of an array; none for a scalar. Inside a loop, what the loop carries is an origin of its own.
    pub fn origins(&self, value: Value) -> &BTreeSet<Value> {
        &self.origins[value]
    }

    /// The origins of an array as seen from outside all loops.
    pub fn all_origins(&self, value: Value) -> BTreeSet<Value> {
        let mut all = BTreeSet::new();
        let mut open: Vec<Value> = self.origins[value].iter().copied().collect();
        while let Some(origin) = open.pop() {
            if all.insert(origin)
                && let Some(carried) = self.carried.get(&origin)
            {
                open.extend(carried.iter());
            }
        }
        all
    }

    /// True if the arrays may share memory; a scalar shares none.
    pub fn may_share(&self, first: Value, second: Value) -> bool {
        if self.carried.is_empty() {
            return !self.origins[first].is_disjoint(&self.origins[second]);
        }
        !self.all_origins(first).is_disjoint(&self.all_origins(second))
    }

    /// True if nothing but the value itself, and what is made from it, can name its memory when it is defined.
    pub fn is_fresh(&self, value: Value) -> bool {
        self.origins[value].len() == 1 && self.origins[value].contains(&value) && !self.carried.contains_key(&value)
    }
}

struct Analysis<'a> {
    func: &'a Func,
    program: Option<&'a Program>,
    nothing: Origins,
    found: Aliases,
}

impl Analysis<'_> {
    fn make_origin(&mut self, value: Value) {
        if !self.func.ty(value).is_scalar() {
            self.found.origins[value] = Rc::new(BTreeSet::from([value]));
        }
    }

    fn of(&self, operand: Operand) -> Origins {
        match operand {
            Operand::Value(value) => self.found.origins[value].clone(),
            Operand::Const(_) => self.nothing.clone(),
        }
    }

    fn share(&mut self, value: Value, origins: Origins) {
        if !self.func.ty(value).is_scalar() {
            self.found.origins[value] = origins;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::Index { array, .. } | Op::View { array, .. } => {
                let origins = self.of((*array).into());
                stmt.results.iter().for_each(|&result| self.share(result, origins.clone()));
            }
            Op::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
                for (at, &result) in stmt.results.iter().enumerate() {
                    let branch = |block: &Block| block.results.get(at).map(|&operand| self.of(operand));
                    let joined = join(branch(then).unwrap_or_default(), &branch(otherwise).unwrap_or_default());
                    self.share(result, joined);
                }
            }
            Op::Loop(data) => self.sequential_loop(data, &stmt.results),
            Op::With(label) => {
                if let Some(data) = self.func.with_loops.get(*label) {
                    self.with_loop(data, &stmt.results);
                }
            }
            Op::Call { callee, args } => {
                let callee = self.program.and_then(|program| program.funcs.get(*callee));
                for (at, &result) in stmt.results.iter().enumerate() {
                    if callee.is_some_and(|callee| callee.results.get(at).is_some_and(|r| r.unique)) {
                        self.make_origin(result);
                        continue;
                    }
                    // A result of its own, an argument's memory, or that of an earlier result.
                    let elem = self.func.ty(result).elem;
                    let mut origins = BTreeSet::from([stmt.results[0]]);
                    for (position, &arg) in args.iter().enumerate() {
                        let consumed = callee.is_some_and(|c| c.params.get(position).is_some_and(|p| p.consumed));
                        if !consumed && self.func.operand_type(arg).elem == elem {
                            origins.extend(self.of(arg).iter());
                        }
                    }
                    self.share(result, Rc::new(origins));
                }
            }
            // These make memory of their own, or take over that of an array that is not used any more.
            ops!(scalar | array | effect) => stmt.results.iter().for_each(|&result| self.make_origin(result)),
        }
    }

    fn sequential_loop(&mut self, data: &LoopData, results: &[Value]) {
        for (at, &param) in data.params.iter().enumerate() {
            self.make_origin(param);
            if data.consumed.get(at) != Some(&true) {
                let init = data.init.get(at).map(|&init| self.of(init)).unwrap_or_default();
                let own = self.found.origins[param].clone();
                self.share(param, join(own, &init));
            }
        }
        match &data.kind {
            LoopKind::For { .. } => {}
            LoopKind::While { condition } => self.block(condition),
        }
        self.block(&data.body);
        let kept: Vec<usize> = (0..data.params.len()).filter(|at| data.consumed.get(*at) != Some(&true)).collect();
        for &at in &kept {
            let init = data.init.get(at).map(|&init| self.of(init)).unwrap_or_default();
            let next = data.body.results.get(at).map(|&next| self.of(next)).unwrap_or_default();
            self.found.carried.insert(data.params[at], join(init, &next));
        }
        for (at, &result) in results.iter().enumerate() {
            match data.params.get(at) {
                Some(&param) if kept.contains(&at) => {
                    let own: BTreeSet<Value> = data.params.iter().copied().collect();
                    let outside = self.expand(param, &own);
                    self.share(result, Rc::new(outside));
                }
                // The memory was given to the loop, which gives it back.
                Some(_) | None => self.make_origin(result),
            }
        }
    }

    /// What a parameter of a loop stands for behind the loop: carried origins of the same loop are replaced.
    fn expand(&self, param: Value, own: &BTreeSet<Value>) -> BTreeSet<Value> {
        let (mut seen, mut outside) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![param];
        while let Some(origin) = open.pop() {
            match self.found.carried.get(&origin) {
                Some(carried) if own.contains(&origin) => {
                    if seen.insert(origin) {
                        open.extend(carried.iter());
                    }
                }
                Some(_) | None => {
                    outside.insert(origin);
                }
            }
        }
        outside
    }

    fn with_loop(&mut self, data: &WithLoopData, results: &[Value]) {
        for generator in &data.generators {
            self.block(&generator.body);
        }
        let (mut cell, mut result) = (0, 0);
        for operator in &data.operators {
            let first_cell = cell + usize::from(operator.guarded);
            let made = results.get(result..).unwrap_or_default();
            let made = &made[..operator.op.results().min(made.len())];
            match &operator.op {
                Operator::Fold { combine, neutral, .. } => {
                    let cells = |at: usize| {
                        let cells = data.generators.iter().filter_map(|g| g.body.results.get(first_cell + at));
                        cells.fold(Origins::default(), |all, &cell| join(all, &self.of(cell)))
                    };
                    let cells: Vec<Origins> = (0..neutral.len()).map(cells).collect();
                    self.lambda(combine);
                    self.fold(combine, neutral, &cells, made);
                }
                // Partial results are copied into the result.
                Operator::Scan { combine, .. } => {
                    self.lambda(combine);
                    made.iter().for_each(|&value| self.make_origin(value));
                }
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {
                    made.iter().for_each(|&value| self.make_origin(value));
                }
            }
            cell += operator.cells();
            result += operator.op.results();
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        lambda.params.iter().for_each(|&param| self.make_origin(param));
        self.block(&lambda.body);
    }

    /// The result of a fold is its neutral element, or what `combine` yields: that may be one of its arguments.
    fn fold(&mut self, combine: &Lambda, neutral: &[Operand], cells: &[Origins], results: &[Value]) {
        for (at, &result) in results.iter().enumerate() {
            if self.func.ty(result).is_scalar() {
                continue;
            }
            let mut origins = BTreeSet::new();
            let mut open: Vec<Value> = Vec::new();
            open.extend(neutral.get(at).map(|&neutral| self.of(neutral)).unwrap_or_default().iter());
            open.extend(combine.body.results.get(at).map(|&next| self.of(next)).unwrap_or_default().iter());
            while let Some(origin) = open.pop() {
                if !origins.insert(origin) {
                    continue;
                }
                let Some(position) = combine.params.iter().position(|&param| param == origin) else { continue };
                match position.checked_sub(neutral.len()) {
                    None => {
                        open.extend(self.of(neutral[position]).iter());
                        let next = combine.body.results.get(position).map(|&next| self.of(next));
                        open.extend(next.unwrap_or_default().iter());
                    }
                    Some(cell) => open.extend(cells.get(cell).cloned().unwrap_or_default().iter()),
                }
            }
            self.share(result, Rc::new(origins));
        }
    }
}

fn join(first: Origins, second: &Origins) -> Origins {
    if second.is_subset(&first) {
        first
    } else if first.is_subset(second) {
        second.clone()
    } else {
        Rc::new(&*first | &**second)
    }
}

// Note [Carried memory]
//
// A parameter of a loop names, from the second iteration on, what the body yielded in the one before. Its origins are
// therefore those of its initial value and one of its own, the parameter itself, which stands for whatever came round.
// Inside the loop this tells apart all that matters for consumption: memory that came round is not memory that this
// iteration has made, and a parameter whose memory the body consumes has no other origin than itself, because what is
// yielded for it is given away. Behind the loop the carried origin is replaced by the initial value's origins and by
// those of what the body yields (`expand`), so results of loops have the origins that they may really have. The map
// `carried` keeps the same for questions about values inside the loop, as storage assignment asks them.
