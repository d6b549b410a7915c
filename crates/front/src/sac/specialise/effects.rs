//! Which functions may have effects or ask for the command line, in whatever they call, and which may call themselves.

use crate::sac::core::walk::Deeds;
use crate::sac::core::{FunctionId, Program};
use std::collections::BTreeSet;

/// The functions with effects, as far as the program's text tells.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// They may have effects.
    pub(super) outputs: BTreeSet<FunctionId>,
    /// They may ask for words of the command line.
    pub(super) words: BTreeSet<FunctionId>,
    /// They call themselves, or a function of the same name.
    pub(super) recursive: BTreeSet<FunctionId>,
}

impl Effects {
    pub(super) fn of(program: &Program) -> Self {
        let mut callers: Vec<(FunctionId, FunctionId)> = Vec::new();
        let mut effects = Self::default();
        for (id, function) in program.functions.iter() {
            let deeds = Deeds::of(program, function);
            if deeds.writes || deeds.objects.iter().any(|object| program.objects[*object].changes) {
                effects.outputs.insert(id);
            }
            if deeds.asks {
                effects.words.insert(id);
            }
            if deeds.callees.contains(&id) {
                effects.recursive.insert(id);
            }
            let firsts = deeds.objects.iter().map(|object| program.objects[*object].first);
            callers.extend(deeds.callees.iter().copied().chain(firsts).map(|callee| (callee, id)));
        }
        callers.sort_unstable();
        for set in [&mut effects.outputs, &mut effects.words] {
            let mut open: Vec<FunctionId> = set.iter().copied().collect();
            while let Some(callee) = open.pop() {
                let from = callers.partition_point(|(known, _)| *known < callee);
                for &(_, caller) in callers[from..].iter().take_while(|(known, _)| *known == callee) {
                    if set.insert(caller) {
                        open.push(caller);
                    }
                }
            }
        }
        effects
    }
}
