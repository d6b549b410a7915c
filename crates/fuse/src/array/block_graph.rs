//! The dependences between the statements of one block: what is defined before it is used, and what is read before its
//! memory is updated in place. Any order that respects them computes the same.

use frit_ir::array::{Block, Func, LoopKind, Op, Operand, Operator, Stmt, Value, ops};
use frit_simplify::sharing::Sharing;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What a statement uses, and updates in place.
#[derive(Debug)]
pub struct Touched {
    /// The values it uses, those in its blocks, certificates and types included.
    pub used: BTreeSet<Value>,
    /// The arrays that it, or a statement inside of it, updates in place.
    pub consumed: Vec<Value>,
}

/// What the statements of a block use, each computed once until it is forgotten. A statement is known by its first result.
#[derive(Debug, Default)]
pub struct Touches {
    known: HashMap<Value, Rc<Touched>>,
}

impl Touches {
    /// What this statement uses.
    pub fn of(&mut self, func: &Func, stmt: &Stmt) -> Rc<Touched> {
        let compute = || Rc::new(Touched { used: used_values(func, stmt), consumed: consumed_values(func, stmt) });
        match stmt.results.first() {
            Some(&result) => self.known.entry(result).or_insert_with(compute).clone(),
            None => compute(),
        }
    }

    /// The statements with these results have changed.
    pub fn forget(&mut self, results: &[Value]) {
        results.iter().for_each(|result| {
            self.known.remove(result);
        });
    }

    /// Any statement may have changed.
    pub fn forget_all(&mut self) {
        self.known.clear();
    }

    /// The positions of the statements that use each value, ascending.
    pub fn mentions(&mut self, func: &Func, block: &Block) -> Mentions {
        let mut positions: HashMap<Value, Vec<usize>> = HashMap::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            for &value in &self.of(func, stmt).used {
                positions.entry(value).or_default().push(at);
            }
        }
        Mentions { positions }
    }
}

/// Where values are used in a block.
#[derive(Debug)]
pub struct Mentions {
    positions: HashMap<Value, Vec<usize>>,
}

impl Mentions {
    /// The positions of the statements that use any of these values, ascending.
    pub fn of<'a>(&self, values: impl IntoIterator<Item = &'a Value>) -> Vec<usize> {
        let lists = values.into_iter().filter_map(|value| self.positions.get(value));
        let all: BTreeSet<usize> = lists.flatten().copied().collect();
        all.into_iter().collect()
    }
}

/// Which statements of a block have to run before which.
#[derive(Clone, Debug)]
pub struct BlockGraph {
    /// Per statement, the earlier ones that it directly depends on.
    pub before: Vec<BTreeSet<usize>>,
}

impl BlockGraph {
    /// The dependences of a block's statements.
    pub fn of(func: &Func, block: &Block, sharing: &mut Sharing, touches: &mut Touches) -> Self {
        let mut definer: BTreeMap<Value, usize> = BTreeMap::new();
        let mut before: Vec<BTreeSet<usize>> = Vec::with_capacity(block.stmts.len());
        // Per class of memory that is updated in place somewhere: who used it, and who updated it last.
        let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut updater: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            let stmt_touches = touches.of(func, stmt);
            let used = &stmt_touches.used;
            let mut depends: BTreeSet<usize> = used.iter().filter_map(|value| definer.get(value).copied()).collect();
            let consumed: BTreeSet<usize> = stmt_touches.consumed.iter().map(|&v| sharing.class(v)).collect();
            let touched: BTreeSet<usize> = used
                .iter()
                .filter(|&&value| !func.ty(value).is_scalar() && sharing.is_consumed(value))
                .copied()
                .collect::<Vec<Value>>()
                .into_iter()
                .map(|value| sharing.class(value))
                .chain(consumed.iter().copied())
                .collect();
            for class in touched {
                depends.extend(updater.get(&class));
                if consumed.contains(&class) {
                    depends.extend(users.get(&class).into_iter().flatten());
                    updater.insert(class, at);
                }
                users.entry(class).or_default().push(at);
            }
            depends.remove(&at);
            before.push(depends);
            stmt.results.iter().for_each(|&result| {
                definer.insert(result, at);
            });
        }
        Self { before }
    }

    /// True if the later statement depends on the earlier one, directly or through others.
    pub fn reaches(&self, earlier: usize, later: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![later];
        while let Some(at) = open.pop() {
            if at == earlier {
                return true;
            }
            open.extend(self.before[at].iter().copied().filter(|&b| b >= earlier && seen.insert(b)));
        }
        false
    }

    /// True if the later statement depends on the earlier one through a third.
    pub fn reaches_through_others(&self, earlier: usize, later: usize) -> bool {
        self.before[later].iter().any(|&middle| middle > earlier && self.reaches(earlier, middle))
    }
}

/// The values a statement uses, those in its blocks, certificates and types included.
pub fn used_values(func: &Func, stmt: &Stmt) -> BTreeSet<Value> {
    let mut used = BTreeSet::new();
    stmt.op.for_each_operand(func, &mut |operand| used.extend(operand.value()));
    used.extend(&stmt.certs);
    let extents = |value: Value| func.ty(value).shape.iter().filter_map(|&extent| Operand::from(extent).value());
    stmt.results.iter().for_each(|&result| used.extend(extents(result)));
    stmt.op.for_each_binder(func, &mut |binder| used.extend(extents(binder)));
    stmt.op.for_each_block(func, &mut |inner| used.extend(func.free_values(inner)));
    used
}

/// The arrays that a statement, or one inside of it, updates in place.
pub fn consumed_values(func: &Func, stmt: &Stmt) -> Vec<Value> {
    let mut consumed = Vec::new();
    collect_consumed(func, stmt, &mut consumed);
    consumed
}

fn collect_consumed(func: &Func, stmt: &Stmt, consumed: &mut Vec<Value>) {
    match &stmt.op {
        Op::Update { array, consumes, .. } => {
            if *consumes {
                consumed.push(*array);
            }
        }
        Op::Loop(data) => {
            let inits = data.init.iter().zip(&data.consumed).filter(|(_, is_consumed)| **is_consumed);
            consumed.extend(inits.filter_map(|(init, _)| init.value()).filter(|&v| !func.ty(v).is_scalar()));
            match &data.kind {
                LoopKind::For { .. } | LoopKind::While { .. } => {}
            }
        }
        Op::With(w) => {
            for operator in &func.with_loops[*w].operators {
                match &operator.op {
                    Operator::ModArray { source, consumes } => {
                        if *consumes {
                            consumed.push(*source);
                        }
                    }
                    // A combining function may update its accumulator, which starts as the neutral element.
                    Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                        let arrays = neutral.iter().filter_map(|o| o.value()).filter(|&v| !func.ty(v).is_scalar());
                        consumed.extend(arrays);
                    }
                    Operator::GenArray | Operator::Filter { .. } | Operator::Uniform => {}
                }
            }
        }
        Op::Call { args, .. } => {
            consumed.extend(args.iter().filter_map(|o| o.value()).filter(|&v| !func.ty(v).is_scalar()));
        }
        ops!(scalar | access | effect)
        | Op::Table { .. }
        | Op::ArrayLit { .. }
        | Op::Iota { .. }
        | Op::Replicate { .. }
        | Op::Concat { .. }
        | Op::Copy { .. }
        | Op::If { .. } => {}
    }
    stmt.op.for_each_block(func, &mut |inner| {
        inner.stmts.iter().for_each(|stmt| collect_consumed(func, stmt, consumed));
    });
}

/// The statements in an order that respects the dependences, as near to the given one as possible: a statement that nothing
/// holds back stays where it is.
pub fn schedule(block: &mut Block, before: &[BTreeSet<usize>]) {
    let mut open: Vec<usize> = before.iter().map(BTreeSet::len).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    for (at, depends) in before.iter().enumerate() {
        depends.iter().for_each(|&on| after[on].push(at));
    }
    let mut ready: BTreeSet<usize> = (0..open.len()).filter(|&at| open[at] == 0).collect();
    let mut stmts: Vec<Option<Stmt>> = std::mem::take(&mut block.stmts).into_iter().map(Some).collect();
    while let Some(at) = ready.pop_first() {
        block.stmts.push(stmts[at].take().expect("a statement is ready once"));
        for &next in &after[at] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.insert(next);
            }
        }
    }
    assert!(stmts.iter().all(Option::is_none), "the dependences have no cycle");
}
