//! Where arrays come from by updates alone, through branches and loops; and which parameters of loops could stay in one place.

use frit_ir::array::alias::Aliases;
use frit_ir::array::replaced::{Sums, is_own, reads_only_what_may_be_replaced};
use frit_ir::array::{Block, Extent, Func, Op, Operand, Operator, Stmt, Value, WithLoopData};
use std::collections::{BTreeMap, BTreeSet};

/// Sources that one array is compared with at most.
const MAX_SOURCES: usize = 8;

/// How a value comes from others, if their memory is reused.
pub(super) enum Link {
    /// By an update, a `modarray` that reads only what it replaces or keeps, or a copy that is left out, of the source.
    Update(Value),
    /// It is made anew, from elements of these arrays at the same places.
    Taking(Vec<Value>),
    /// It is the one or the other.
    Either([Operand; 2]),
    /// By a loop from an initial value: the loop's parameter and its next value.
    Loop { init: Operand, param: Value, next: Operand },
}

/// The links of a function's arrays.
pub(super) struct Chains {
    links: BTreeMap<Value, Link>,
    /// Parameters of loops that should own their memory.
    pub(super) owned: BTreeSet<Value>,
    /// What their next values are.
    next: BTreeMap<Value, Operand>,
    /// Parameters of loops that own their memory in any case.
    consumed: BTreeSet<Value>,
    /// Arrays made anew that belong to the chain of a parameter, with the array whose memory they take.
    pub(super) preferred: BTreeMap<Value, Value>,
}

impl Chains {
    /// The links of a function, and the parameters that should own their memory: all that can, but for those given up.
    pub(super) fn of(func: &Func, aliases: &Aliases, sums: &Sums, given_up: &BTreeSet<Value>) -> Self {
        let mut found = Finder { func, aliases, sums, links: BTreeMap::new(), loops: Vec::new() };
        found.block(&func.body);
        let Finder { links, loops, .. } = found;
        let consumed = loops.iter().filter(|(_, _, consumed)| *consumed).map(|(param, ..)| *param).collect();
        let (owned, next, preferred) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        let mut chains = Self { links, owned, next, consumed, preferred };
        for (param, next, is_consumed) in loops {
            if given_up.contains(&param) || next == Operand::Value(param) {
                continue;
            }
            let mut taken = BTreeMap::new();
            if chains.leads(next, param, &|value| !given_up.contains(&value), &mut taken, &mut BTreeMap::new()) {
                chains.next.insert(param, next);
                chains.preferred.extend(taken);
                if !is_consumed {
                    chains.owned.insert(param);
                }
            }
        }
        chains
    }

    /// True if a parameter of a loop owns its memory in any case.
    pub(super) fn is_consumed(&self, param: Value) -> bool {
        self.consumed.contains(&param)
    }

    /// True if the next value of a parameter is made in its place when these values are made in their sources' places, and
    /// these parameters of inner loops take over their initial values.
    pub(super) fn stays(&self, param: Value, in_place: &dyn Fn(Value) -> bool) -> bool {
        let Some(&next) = self.next.get(&param) else { return false };
        self.leads(next, param, in_place, &mut BTreeMap::new(), &mut BTreeMap::new())
    }

    /// What a parameter of a chain becomes at the end of an iteration.
    pub(super) fn next(&self, param: Value) -> Option<Operand> {
        self.next.get(&param).copied()
    }

    /// The operand is the parameter after updates, on every path. Notes the arrays made anew on the way with what they take.
    fn leads(
        &self,
        operand: Operand,
        param: Value,
        in_place: &dyn Fn(Value) -> bool,
        taken: &mut BTreeMap<Value, Value>,
        known: &mut BTreeMap<Value, bool>,
    ) -> bool {
        let Operand::Value(value) = operand else { return false };
        if value == param {
            return true;
        }
        if let Some(&leads) = known.get(&value) {
            return leads;
        }
        let leads = match self.links.get(&value) {
            None => false,
            Some(Link::Update(source)) => {
                in_place(value) && self.leads((*source).into(), param, in_place, taken, known)
            }
            Some(Link::Taking(sources)) => {
                let preferred = self.preferred.get(&value);
                let of = |source: &&Value| preferred.is_none_or(|preferred| preferred == *source);
                in_place(value)
                    && sources.iter().filter(of).any(|&source| {
                        let leads = self.leads(source.into(), param, in_place, taken, known);
                        if leads {
                            taken.insert(value, source);
                        }
                        leads
                    })
            }
            Some(Link::Either(sides)) => sides.iter().all(|&side| self.leads(side, param, in_place, taken, known)),
            Some(&Link::Loop { init, param: inner, next }) => {
                in_place(inner)
                    && self.leads(next, inner, in_place, taken, &mut BTreeMap::new())
                    && self.leads(init, param, in_place, taken, known)
            }
        };
        known.insert(value, leads);
        leads
    }
}

struct Finder<'a> {
    func: &'a Func,
    aliases: &'a Aliases,
    sums: &'a Sums,
    links: BTreeMap<Value, Link>,
    /// Array parameters of loops whose size is fixed: their next values, and whether they own their memory already.
    loops: Vec<(Value, Operand, bool)>,
}

impl Finder<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            let func = self.func;
            stmt.op.for_each_block(func, &mut |inner| self.block(inner));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let func = self.func;
        match &stmt.op {
            Op::Update { array, value, .. } => {
                let shares = value.value().is_some_and(|value| shares(self.aliases, value, *array));
                if !shares {
                    self.links.insert(stmt.results[0], Link::Update(*array));
                }
            }
            Op::Copy { array } => {
                self.links.insert(stmt.results[0], Link::Update(*array));
            }
            Op::If { then, otherwise, .. } => {
                for (at, &result) in stmt.results.iter().enumerate() {
                    if !func.ty(result).is_scalar() {
                        self.links.insert(result, Link::Either([then.results[at], otherwise.results[at]]));
                    }
                }
            }
            Op::Loop(data) => {
                for (at, &param) in data.params.iter().enumerate() {
                    let ty = func.ty(param);
                    let is_fixed =
                        ty.shape.iter().all(|e| !matches!(e, Extent::Value(size) if data.params.contains(size)));
                    if ty.is_scalar() || !is_fixed {
                        continue;
                    }
                    let next = data.body.results[at];
                    self.loops.push((param, next, data.consumed[at]));
                    self.links.insert(stmt.results[at], Link::Loop { init: data.init[at], param, next });
                }
            }
            Op::With(label) => self.with_loop(stmt, &func.with_loops[*label]),
            _ => {}
        }
    }

    fn with_loop(&mut self, stmt: &Stmt, data: &WithLoopData) {
        let mut result = 0;
        for operator in &data.operators {
            let made = stmt.results[result];
            result += operator.op.results();
            match &operator.op {
                Operator::ModArray { source, .. } => {
                    if replaces_what_it_reads(self.func, self.aliases, self.sums, data, *source, 1) {
                        self.links.insert(made, Link::Update(*source));
                    }
                }
                Operator::GenArray => {
                    let sources = self.sources(data, made);
                    if !sources.is_empty() {
                        self.links.insert(made, Link::Taking(sources));
                    }
                }
                Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
    }

    /// The arrays of the same type whose elements are read only where an element of the new array takes their place.
    fn sources(&self, data: &WithLoopData, made: Value) -> Vec<Value> {
        let ty = self.func.ty(made);
        if ty.rank() != data.space.len() {
            return Vec::new();
        }
        let mut sources = Vec::new();
        let mut open: Vec<&Block> = data.generators.iter().map(|generator| &generator.body).collect();
        while let Some(block) = open.pop() {
            for stmt in &block.stmts {
                if let Op::Index { array, indices } = &stmt.op
                    && self.func.ty(*array) == ty
                    && is_own(data, indices)
                    && !sources.contains(array)
                    && sources.len() < MAX_SOURCES
                {
                    sources.push(*array);
                }
                stmt.op.for_each_block(self.func, &mut |inner| open.push(inner));
            }
        }
        // What the blocks make themselves is not there before.
        let is_read_well =
            |source: &Value| replaces_what_it_reads(self.func, self.aliases, self.sums, data, *source, 0);
        sources.into_iter().filter(is_read_well).collect()
    }
}

fn shares(aliases: &Aliases, one: Value, other: Value) -> bool {
    !aliases.origins(one).is_disjoint(aliases.origins(other))
}

/// Whatever in the with-loop's blocks may read the memory of `source` reads elements that are replaced by the same index or not at all,
/// and as an operand the with-loop uses it so often.
pub(super) fn replaces_what_it_reads(
    func: &Func,
    aliases: &Aliases,
    sums: &Sums,
    data: &WithLoopData,
    source: Value,
    uses: usize,
) -> bool {
    let mut found = 0;
    data.for_each_operand(&mut |operand| {
        found += usize::from(operand.value().is_some_and(|value| shares(aliases, value, source)));
    });
    if found != uses {
        return false;
    }
    reads_only_what_may_be_replaced(func, sums, data, source, &mut |operand| {
        operand.value().is_some_and(|value| shares(aliases, value, source))
    })
}
