//! Loops, as the recursive functions that they abbreviate.
//!
//! A loop variable counts as a unique parameter if the body consumes it, or if its value becomes that of one that
//! counts. Tuples are looked at array by array.

use super::alias::{Aliases, Region, Regions, is_older, union};
use super::{OpenBarrier, Walk};
use crate::l0::error::{Barrier, L0Error, NotUnique};
use crate::l0::typed::{Expr, Pattern, PatternKind, Repeat, Var};
use crate::l0::types::Type;
use frit_support::Span;
use std::collections::BTreeMap;

/// An array among the loop variables.
struct LoopArray {
    /// Its memory in the body.
    param: Region,
    /// Its first value.
    init: (bool, Regions),
    /// Its next value.
    next: (bool, Regions),
    /// It counts as a unique parameter.
    is_consumed: bool,
}

impl Walk<'_> {
    pub(super) fn loop_statement(
        &mut self,
        params: &Pattern,
        init: &Expr,
        repeat: &Repeat,
        body: &Expr,
        results: &Pattern,
    ) {
        let mark = self.observed.len();
        let init_aliases = self.expr(init);
        // What owns memory that belongs to no loop variable.
        let counter = match repeat {
            Repeat::For { counter, bound } => {
                self.expr(bound);
                *counter
            }
            Repeat::While { state, .. } => *state,
        };
        let resting = self.rest(mark);

        let first = self.regions.len();
        self.barriers.push(OpenBarrier { kind: Barrier::Loop, first });
        let mut params_in_order = Vec::new();
        let param_aliases = Aliases::of_type(&params.ty, &mut |_| {
            // Parts that no variable is bound to are still told apart.
            let region = self.region(counter, true);
            params_in_order.extend(region.iter().copied());
            region
        });
        self.bind_pattern(params, &param_aliases);
        self.own(params, first);
        let mut in_body = Vec::new();
        if let Repeat::While { condition, .. } = repeat {
            // The body, or what follows the loop, uses the loop variables after it.
            self.barriers.push(OpenBarrier { kind: Barrier::Condition, first: self.regions.len() });
            self.expr(condition);
            self.barriers.pop();
            in_body = self.rest(mark);
        }
        let body_aliases = self.expr(body);
        self.barriers.pop();
        in_body.extend(self.rest(mark));

        if init.ty == Type::Error || body.ty == Type::Error || !body.ty.matches(&init.ty) {
            self.bind_pattern(results, &Aliases::none());
            self.resume(resting);
            self.resume(in_body);
            return;
        }
        let mut arrays: Vec<LoopArray> = params_in_order
            .into_iter()
            .zip(init_aliases.arrays(&init.ty))
            .zip(body_aliases.arrays(&body.ty))
            .map(|((param, init), next)| {
                let is_consumed = self.regions[param].consumed.is_some();
                LoopArray { param, init, next, is_consumed }
            })
            .collect();
        spread_consumption(&mut arrays);
        let is_sound = self.check_next(&arrays, body, first) && self.check_init(&arrays, init, &in_body);

        let made = self.regions.len();
        let mut after = if is_sound { self.after(&arrays, counter) } else { Vec::new() }.into_iter();
        let aliases =
            Aliases::of_type(&results.ty, &mut |_| after.next().unwrap_or_else(|| self.mistaken_region(counter)));
        let aliases = self.renew_consumed(&aliases);
        self.bind_pattern(results, &aliases);
        self.own(results, made);
        self.resume(resting);
        self.resume(in_body);
    }

    /// Names the variables of a pattern as the owners of those of their regions that were made after the first `first`, for messages.
    fn own(&mut self, pattern: &Pattern, first: usize) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Var(variable) => {
                for region in self.aliases[*variable].regions().iter().filter(|region| !is_older(**region, first)) {
                    self.regions[*region].owner = *variable;
                }
            }
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.own(part, first)),
        }
    }

    /// Checks the values that the body gives to consumed loop variables.
    fn check_next(&mut self, arrays: &[LoopArray], body: &Expr, first: usize) -> bool {
        let span = super::super::place(body);
        for array in arrays.iter().filter(|array| array.is_consumed) {
            let variable = self.name(self.regions[array.param].owner);
            let consumed = self.regions[array.param].consumed.as_ref().map(|consumption| consumption.span);
            if let Some(region) = array.next.1.iter().find(|region| is_older(**region, first)) {
                let owner = self.regions[*region].owner;
                let (name, bound) = (self.name(owner), self.variables[owner].span);
                self.errors.push(L0Error::LoopValueAliases { span, variable, consumed, name, bound });
                return false;
            }
            if !array.next.0 {
                self.errors.push(L0Error::LoopValueNotUnique { span, variable, consumed });
                return false;
            }
        }
        self.check_apart(arrays, span, |array| &array.next.1)
    }

    /// Checks and consumes the first values of consumed loop variables. `in_body` is what the body observes: it runs again after it has
    /// consumed them.
    fn check_init(&mut self, arrays: &[LoopArray], init: &Expr, in_body: &[(Region, Span)]) -> bool {
        let span = super::super::place(init);
        for array in arrays.iter().filter(|array| array.is_consumed) {
            let variable = self.name(self.regions[array.param].owner);
            let consumed = self.regions[array.param].consumed.as_ref().map(|consumption| consumption.span);
            let (is_unique, regions) = &array.init;
            if !self.may_consume(span, regions, *is_unique, NotUnique::LoopVariable { name: variable, consumed }) {
                return false;
            }
        }
        if !self.check_apart(arrays, span, |array| &array.init.1) {
            return false;
        }
        for array in arrays.iter().filter(|array| array.is_consumed) {
            if let Some((region, used)) = in_body.iter().find(|(region, _)| array.init.1.contains(region)) {
                let variable = self.name(self.regions[array.param].owner);
                let name = self.name(self.regions[*region].owner);
                self.errors.push(L0Error::LoopObservesConsumed { span: *used, name, variable, init: span });
                return false;
            }
            self.consume_regions(&array.init.1, span);
        }
        true
    }

    /// Checks that the values of consumed loop variables share no memory with the other loop variables.
    fn check_apart(&mut self, arrays: &[LoopArray], span: Span, value: impl Fn(&LoopArray) -> &Regions) -> bool {
        let mut holders: BTreeMap<Region, usize> = BTreeMap::new();
        let consumed = arrays.iter().enumerate().filter(|(_, array)| array.is_consumed);
        for (at, array) in consumed.chain(arrays.iter().enumerate().filter(|(_, array)| !array.is_consumed)) {
            for region in value(array).iter() {
                let holder = *holders.entry(*region).or_insert(at);
                if holder != at && arrays[holder].is_consumed {
                    let variables = [holder, at].map(|at| self.name(self.regions[arrays[at].param].owner));
                    self.errors.push(L0Error::SharedLoopValues { span, variables });
                    return false;
                }
            }
        }
        true
    }

    /// The regions of the loop variables after the loop, each as of its first value or of one that the body gave it.
    fn after(&mut self, arrays: &[LoopArray], counter: Var) -> Vec<Regions> {
        let params: BTreeMap<Region, usize> = arrays.iter().enumerate().map(|(at, array)| (array.param, at)).collect();
        // Memory that is nobody else's gets regions too: it may travel to other loop variables.
        let mut named =
            |regions: &Regions| if regions.is_empty() { self.region(counter, true) } else { regions.clone() };
        let mut sets: Vec<Regions> = arrays
            .iter()
            .map(|array| {
                let next = named(&array.next.1);
                let others = next.iter().filter(|region| !params.contains_key(*region)).copied();
                union([named(&array.init.1), others.collect()])
            })
            .collect();
        // A value may travel through other loop variables. Almost always nothing changes.
        loop {
            let mut changed = false;
            for (at, array) in arrays.iter().enumerate() {
                for from in array.next.1.iter().filter_map(|region| params.get(region)) {
                    let joined = union([sets[at].clone(), sets[*from].clone()]);
                    if joined.len() > sets[at].len() {
                        sets[at] = joined;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        // The values of consumed loop variables are nobody else's.
        arrays.iter().zip(sets).map(|(array, set)| if array.is_consumed { Regions::default() } else { set }).collect()
    }
}

/// Marks loop variables whose values become those of consumed ones.
fn spread_consumption(arrays: &mut [LoopArray]) {
    let params: BTreeMap<Region, usize> = arrays.iter().enumerate().map(|(at, array)| (array.param, at)).collect();
    let mut work: Vec<usize> = (0..arrays.len()).filter(|at| arrays[*at].is_consumed).collect();
    while let Some(at) = work.pop() {
        let sources: Vec<usize> = arrays[at].next.1.iter().filter_map(|region| params.get(region).copied()).collect();
        for source in sources {
            if !std::mem::replace(&mut arrays[source].is_consumed, true) {
                work.push(source);
            }
        }
    }
}
