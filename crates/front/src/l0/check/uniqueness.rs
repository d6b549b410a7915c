//! Uniqueness and aliasing: no value is used after it, or anything that may share its memory, was consumed.
//!
//! The walk follows the order of evaluation and keeps two facts about each [`Region`]: whether it was consumed before
//! (on any path that leads here), and whether it was *observed* in the sequence that is still going on. Operands of an
//! operation are one sequence: within it, a region may be observed, or be consumed once and not be mentioned otherwise.
//! A `let`, an update or a loop is a sequence point: what its value observed rests while the body is walked, and counts
//! again for what is around the block. The branches of an `if` are walked one after the other, each without what the
//! other consumed and observed.
//!
//! Loops are in [`loops`], combinators in [`combinators`]. See Note [What the table of aliases leaves open].

mod alias;
mod combinators;
mod loops;

use self::alias::{Aliases, Region, Regions, common, is_older, meet, union};
use super::Parameters;
use crate::l0::error::{Barrier, Consumption, L0Error, NotUnique};
use crate::l0::typed::{
    Builtin, Expr, ExprKind, Function, Lambda, Pattern, PatternKind, Statement, UnaryOp, Var, Variable,
};
use crate::l0::types::Type;
use frit_support::{Span, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Checks one function; parts of it may have type [`Type::Error`].
pub(super) fn check(function: &Function, parameters: &Parameters, errors: &mut Vec<L0Error>) {
    let mut walk = Walk {
        variables: &function.variables,
        parameters,
        errors,
        aliases: function.variables.indices().map(|_| Aliases::none()).collect(),
        regions: Table::new(),
        consumed: Vec::new(),
        observed: Vec::new(),
        barriers: Vec::new(),
        reported: BTreeSet::new(),
    };
    for param in &function.params {
        walk.bind_parameter(*param);
    }
    let body = walk.expr(&function.body);
    walk.result(&body, &function.body, &function.result, 0);
}

/// What is known of a region.
struct RegionFacts {
    /// The variable it was made for.
    owner: Var,
    /// False if it belongs to a parameter that is not unique.
    may_be_consumed: bool,
    /// It stands for a value that has been reported; nothing more is to be said about it.
    is_mistaken: bool,
    /// Where and how it was consumed on a path that leads here.
    consumed: Option<Consumption>,
    /// Where it was observed in the sequence that is going on.
    observed: Option<Span>,
}

/// A body whose free variables may not be consumed.
struct OpenBarrier {
    kind: Barrier,
    /// Regions before this one belong to free variables.
    first: usize,
}

struct Walk<'w> {
    variables: &'w Table<Var, Variable>,
    parameters: &'w Parameters,
    errors: &'w mut Vec<L0Error>,
    aliases: Table<Var, Aliases>,
    regions: Table<Region, RegionFacts>,
    /// The regions consumed on the path that leads here, in order.
    consumed: Vec<Region>,
    /// The regions observed in the sequence that is going on, in order.
    observed: Vec<Region>,
    barriers: Vec<OpenBarrier>,
    /// Consumptions whose forbidden uses were reported: once is enough.
    reported: BTreeSet<Span>,
}

impl Walk<'_> {
    // ---- binding

    fn name(&self, variable: Var) -> String {
        self.variables[variable].name.clone()
    }

    fn new_region(&mut self, owner: Var, may_be_consumed: bool) -> Region {
        let facts = RegionFacts { owner, may_be_consumed, is_mistaken: false, consumed: None, observed: None };
        self.regions.push(facts)
    }

    fn region(&mut self, owner: Var, may_be_consumed: bool) -> Regions {
        [self.new_region(owner, may_be_consumed)].into()
    }

    /// The memory of a value that has been reported.
    fn mistaken_region(&mut self, owner: Var) -> Regions {
        let region = self.new_region(owner, true);
        self.regions[region].is_mistaken = true;
        [region].into()
    }

    fn is_mistaken(&self, regions: &Regions) -> bool {
        regions.iter().any(|region| self.regions[*region].is_mistaken)
    }

    /// Binds a parameter: every array in it has memory of its own.
    fn bind_parameter(&mut self, variable: Var) {
        let variables = self.variables;
        let aliases = Aliases::of_type(&variables[variable].ty, &mut |unique| self.region(variable, unique));
        self.aliases[variable] = aliases;
    }

    /// Binds a variable to a value. Arrays that share memory with no variable get a region now.
    fn bind(&mut self, variable: Var, aliases: &Aliases) {
        let variables = self.variables;
        let mut arrays = aliases.arrays(&variables[variable].ty).into_iter();
        let aliases = Aliases::of_type(&variables[variable].ty, &mut |_| {
            let (_, regions) = arrays.next().expect("the type says how many arrays there are");
            if regions.is_empty() { self.region(variable, true) } else { regions }
        });
        self.aliases[variable] = aliases;
    }

    fn bind_pattern(&mut self, pattern: &Pattern, aliases: &Aliases) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Var(variable) => self.bind(*variable, aliases),
            PatternKind::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.bind_pattern(part, &aliases.component(at));
                }
            }
        }
    }

    // ---- observing and consuming

    /// Notes a use of a variable.
    fn observe(&mut self, variable: Var, span: Span) -> Aliases {
        let aliases = self.aliases[variable].clone();
        for region in aliases.regions().iter() {
            if let Some(consumption) = self.regions[*region].consumed.clone() {
                if self.reported.insert(consumption.span) {
                    let name = self.name(variable);
                    self.errors.push(L0Error::UseAfterConsumption { span, name, consumption });
                }
            } else if self.regions[*region].observed.is_none() {
                self.regions[*region].observed = Some(span);
                self.observed.push(*region);
            }
        }
        aliases
    }

    /// Forgets what was observed since `mark`, to be remembered later.
    fn rest(&mut self, mark: usize) -> Vec<(Region, Span)> {
        let resting = self.observed.split_off(mark);
        resting
            .into_iter()
            .filter_map(|region| self.regions[region].observed.take().map(|span| (region, span)))
            .collect()
    }

    /// Remembers what [`rest`](Self::rest) forgot.
    fn resume(&mut self, resting: Vec<(Region, Span)>) {
        for (region, span) in resting {
            if self.regions[region].observed.is_none() {
                self.regions[region].observed = Some(span);
                self.observed.push(region);
            }
        }
    }

    /// Walks an operand that may be consumed as soon as it is there: its own observations do not stand against that.
    fn operand(&mut self, expr: &Expr) -> (Aliases, usize) {
        let mark = self.observed.len();
        (self.expr(expr), mark)
    }

    /// Consumes the parts of a value that are unique in `wanted`, the type of what takes it. `mark` is from
    /// [`operand`](Self::operand), and [`usize::MAX`] if the value was complete before.
    fn consume(&mut self, expr: &Expr, aliases: &Aliases, wanted: &Type, why: NotUnique, mark: usize) {
        if expr.ty == Type::Error || !wanted.has_unique_part() {
            return;
        }
        let wants = aliases.arrays(wanted);
        let has = aliases.arrays(&expr.ty);
        let place = super::place(expr);
        for (at, ((wants_unique, regions), (is_unique, _))) in wants.iter().zip(has).enumerate() {
            if !wants_unique {
                continue;
            }
            if !self.may_consume(place, regions, is_unique, why.clone()) {
                // One message for the whole value.
                return;
            }
            // What takes the value could reach the memory through its other parts.
            let mut others = wants.iter().enumerate().filter(|(other, _)| *other != at);
            if let Some(region) = others.find_map(|(_, (_, others))| common(regions, others))
                && self.reported.insert(place)
            {
                let name = self.name(self.regions[region].owner);
                self.errors.push(L0Error::SharedParts { span: place, name });
            }
            self.forget_own(regions, mark);
            self.consume_regions(regions, place);
        }
    }

    /// Forgets that `regions` were observed since `mark`.
    fn forget_own(&mut self, regions: &Regions, mark: usize) {
        if mark >= self.observed.len() || !regions.iter().any(|region| self.regions[*region].observed.is_some()) {
            return;
        }
        let own = self.observed.split_off(mark);
        for region in own {
            if regions.binary_search(&region).is_ok() {
                self.regions[region].observed = None;
            } else {
                self.observed.push(region);
            }
        }
    }

    /// True if a value may be consumed as far as its type and its origin go; else that is reported.
    fn may_consume(&mut self, span: Span, regions: &Regions, is_unique: bool, why: NotUnique) -> bool {
        if self.is_mistaken(regions) {
            return false;
        }
        if let Some((region, barrier)) = self.free(regions) {
            let owner = self.regions[region].owner;
            // That a variable is free matters only if it could be consumed otherwise.
            if self.variables[owner].ty.has_unique_part() && self.regions[region].may_be_consumed {
                let name = self.name(owner);
                let bound = self.variables[owner].span;
                self.errors.push(L0Error::ConsumesFreeVariable { span, name, bound, barrier });
                return false;
            }
        }
        let shared = regions.iter().find(|region| !self.regions[**region].may_be_consumed);
        if is_unique && shared.is_none() {
            return true;
        }
        let parameter = shared.map(|region| self.regions[*region].owner);
        let parameter = parameter.map(|owner| (self.name(owner), self.variables[owner].span));
        self.errors.push(L0Error::NotUnique { span, why, parameter });
        false
    }

    /// A region that belongs to a variable free in the body that is going on.
    fn free(&self, regions: &Regions) -> Option<(Region, Barrier)> {
        let barrier = self.barriers.last()?;
        let region = regions.iter().find(|region| is_older(**region, barrier.first))?;
        Some((*region, barrier.kind))
    }

    /// Notes that the memory of regions is gone.
    fn consume_regions(&mut self, regions: &Regions, span: Span) {
        for region in regions.iter() {
            let owner = self.regions[*region].owner;
            let name = self.name(owner);
            let facts = &mut self.regions[*region];
            if let Some(used) = facts.observed
                && self.reported.insert(span)
            {
                self.errors.push(L0Error::UsedAndConsumed { span, name: name.clone(), used });
            }
            if facts.consumed.is_none() {
                facts.consumed = Some(Consumption { span, name });
                self.consumed.push(*region);
            }
        }
    }

    /// `aliases` with every consumed region replaced by a new one. No variable can reach the old memory any more, but
    /// the parts of this value may still share it with each other.
    fn renew_consumed(&mut self, aliases: &Aliases) -> Aliases {
        let mut renewed: BTreeMap<Region, Region> = BTreeMap::new();
        aliases.map(&mut |regions| {
            if regions.iter().all(|region| self.regions[*region].consumed.is_none()) {
                return regions.clone();
            }
            let mut renew = |region: &Region| {
                if self.regions[*region].consumed.is_none() {
                    return *region;
                }
                *renewed.entry(*region).or_insert_with(|| {
                    let owner = self.regions[*region].owner;
                    self.new_region(owner, true)
                })
            };
            let regions: BTreeSet<_> = regions.iter().map(&mut renew).collect();
            regions.into_iter().collect()
        })
    }

    // ---- expressions

    fn expr(&mut self, expr: &Expr) -> Aliases {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Checked
            | ExprKind::String(_)
            | ExprKind::Empty => Aliases::none(),
            ExprKind::Var(variable) => self.observe(*variable, expr.span),
            ExprKind::Array(elements) => Aliases::All(self.all_of(elements)),
            ExprKind::Tuple(components) => {
                let components: Vec<_> = components.iter().map(|component| self.expr(component)).collect();
                if expr.ty.is_basic() { Aliases::none() } else { Aliases::Tuple(components.into()) }
            }
            ExprKind::Binary { op: _, left, right } => {
                self.expr(left);
                self.expr(right);
                Aliases::none()
            }
            ExprKind::Unary { op, operand } => {
                let aliases = self.expr(operand);
                if *op == UnaryOp::Trace { aliases } else { Aliases::none() }
            }
            ExprKind::If { condition, on_true, on_false } => self.conditional(condition, on_true, on_false),
            ExprKind::Call { function, arguments } => {
                let parameters = &self.parameters[*function];
                let mut passed = Vec::new();
                for (argument, param) in arguments.iter().zip(parameters) {
                    let (aliases, mark) = self.operand(argument);
                    self.consume(argument, &aliases, param, NotUnique::Argument, mark);
                    passed.extend(aliases.arrays(param).into_iter().filter(|(unique, _)| !unique).map(|(_, set)| set));
                }
                result_of(&expr.ty, &union(passed))
            }
            ExprKind::Index { array, index } => {
                let aliases = self.observe(*array, expr.span);
                index.iter().for_each(|index| drop(self.expr(index)));
                if expr.ty.is_basic() { Aliases::none() } else { aliases }
            }
            ExprKind::Block { statements, result } => {
                let mut resting = Vec::new();
                for statement in statements {
                    let mark = self.observed.len();
                    self.statement(statement);
                    resting.extend(self.rest(mark));
                }
                let aliases = self.expr(result);
                self.resume(resting);
                aliases
            }
            ExprKind::Builtin { builtin, operands } => self.builtin(builtin, operands),
            ExprKind::Soac(soac) => self.soac(soac, expr),
            ExprKind::Certified { certificates: _, expr } => self.expr(expr),
        }
    }

    /// The regions of all of the expressions.
    fn all_of(&mut self, exprs: &[Expr]) -> Regions {
        let sets: Vec<_> = exprs.iter().map(|expr| self.expr(expr).regions()).collect();
        union(sets)
    }

    fn conditional(&mut self, condition: &Expr, on_true: &Expr, on_false: &Expr) -> Aliases {
        let observed = self.observed.len();
        self.expr(condition);
        // The condition is a scalar and there before either branch begins.
        let mut resting = self.rest(observed);

        let consumed = self.consumed.len();
        let true_aliases = self.expr(on_true);
        resting.extend(self.rest(observed));
        let by_true: Vec<_> = self
            .consumed
            .split_off(consumed)
            .into_iter()
            .filter_map(|region| self.regions[region].consumed.take().map(|consumption| (region, consumption)))
            .collect();

        let false_aliases = self.expr(on_false);
        for (region, consumption) in by_true {
            if self.regions[region].consumed.is_none() {
                self.regions[region].consumed = Some(consumption);
                self.consumed.push(region);
            }
        }
        self.resume(resting);
        let aliases = true_aliases.or(&false_aliases);
        self.renew_consumed(&aliases)
    }

    fn builtin(&mut self, builtin: &Builtin, operands: &[Expr]) -> Aliases {
        let all = |walk: &mut Self| walk.all_of(operands);
        match builtin {
            Builtin::Iota
            | Builtin::Copy
            | Builtin::Assert
            | Builtin::Conjoin
            | Builtin::Size(_)
            // It copies both operands.
            | Builtin::Concat => {
                all(self);
                Aliases::none()
            }
            // Of their operands only arrays have regions, so sizes and counts do not matter. The parts of a `split` share the memory of
            // its array; if that is nobody's, they are made apart when the program is lowered.
            Builtin::Replicate
            | Builtin::Zip
            | Builtin::Unzip
            | Builtin::Split
            | Builtin::Reshape
            | Builtin::Rearrange(_) => Aliases::All(all(self)),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { pattern, value, span: _ } => {
                let aliases = self.expr(value);
                self.bind_pattern(pattern, &aliases);
            }
            Statement::Update { certificates: _, target, source, index, value, span } => {
                let mark = self.observed.len();
                index.iter().for_each(|index| drop(self.expr(index)));
                let stored = self.expr(value);
                let resting = self.rest(mark);

                // In `let a[i] = e` the one name is both, and the better place.
                let is_short = self.variables[*target].name == self.variables[*source].name;
                let place = if is_short { self.variables[*target].span } else { *span };
                let regions = self.observe(*source, place).regions();
                self.rest(mark);
                if !value.ty.is_basic() && meet(&regions, &stored.regions()) {
                    let name = self.name(*source);
                    self.errors.push(L0Error::StoresAliasOfSource { span: super::place(value), name, source: place });
                }
                let variable = &self.variables[*source];
                let why = NotUnique::Update { name: variable.name.clone(), bound: variable.span };
                if self.may_consume(place, &regions, variable.ty.is_unique(), why) {
                    self.consume_regions(&regions, place);
                }
                self.bind(*target, &Aliases::none());
                self.resume(resting);
            }
            Statement::Loop { params, init, repeat, body, results, span: _ } => {
                self.loop_statement(params, init, repeat, body, results);
            }
        }
    }

    // ---- results of functions

    /// Checks that what a function returns is as unique as declared. Regions before `first` belong to variables that
    /// are free in the function.
    fn result(&mut self, aliases: &Aliases, body: &Expr, declared: &Type, first: usize) {
        if body.ty == Type::Error || !declared.has_unique_part() {
            return;
        }
        let span = super::place(body);
        let arrays = aliases.arrays(declared);
        let types = aliases.arrays(&body.ty);
        for (at, ((wants_unique, regions), (is_unique, _))) in arrays.iter().zip(&types).enumerate() {
            if !wants_unique || self.is_mistaken(regions) {
                continue;
            }
            let foreign =
                regions.iter().find(|region| is_older(**region, first) || !self.regions[**region].may_be_consumed);
            if let Some(region) = foreign {
                let owner = self.regions[*region].owner;
                let (name, bound) = (self.name(owner), self.variables[owner].span);
                self.errors.push(L0Error::ResultAliases { span, name, bound });
                return;
            }
            if !is_unique {
                self.errors.push(L0Error::ResultNotUnique { span, declared: declared.clone(), found: body.ty.clone() });
                return;
            }
            // Pairs are looked at once, but a part that is not unique may come first.
            let mut others =
                arrays.iter().enumerate().filter(|(other, (unique, _))| *other > at || (*other < at && !unique));
            if let Some(region) = others.find_map(|(_, (_, other))| common(regions, other)) {
                let name = self.name(self.regions[region].owner);
                self.errors.push(L0Error::SharedUniqueResults { span, name });
                return;
            }
        }
    }

    /// Walks the body of a lambda; gives the regions of free variables that its result may share memory with.
    fn lambda(&mut self, lambda: &Lambda) -> Regions {
        let first = self.regions.len();
        self.barriers.push(OpenBarrier { kind: Barrier::Function, first });
        for param in &lambda.params {
            self.bind_parameter(*param);
        }
        let aliases = self.expr(&lambda.body);
        self.result(&aliases, &lambda.body, &lambda.result, first);
        self.barriers.pop();
        aliases.regions().iter().filter(|region| is_older(**region, first)).copied().collect()
    }
}

/// Of the result of a call: parts that are not unique may share memory with `passed`, the others with nothing.
fn result_of(ty: &Type, passed: &Regions) -> Aliases {
    if passed.is_empty() {
        return Aliases::none();
    }
    Aliases::of_type(ty, &mut |unique| if unique { Regions::default() } else { passed.clone() })
}

// Note [What the table of aliases leaves open]
//
// The published table of aliases is followed with three additions that keep it sound.
// - After an `if`, "what was consumed" in a branch is taken out of the aliases of its value: no variable reaches it any
//   more. But two components of the value may still share it, so it is replaced by a new region, not dropped.
// - `reduce` and its kin give their start value itself if the array is empty: the result shares memory with it unless
//   it was consumed.
// - The rows that a `filter` keeps are its result, so its function may not consume them.
// And one relaxation: loop variables that the body does not consume stay unique if their first and next values are. They
// share memory with what these share memory with.
