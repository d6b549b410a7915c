//! Which global objects a run keeps, and in which order they get their first values.

use super::walk::Deeds;
use super::{FunctionId, ObjectId, Program};
use std::collections::BTreeSet;

impl Program {
    /// The objects that a run of the function may use, in the order in which they get their first values.
    pub fn objects_of(&self, function: FunctionId) -> Vec<ObjectId> {
        if self.objects.is_empty() {
            return Vec::new();
        }
        let (mut seen, mut open) = (BTreeSet::from([function]), vec![function]);
        let mut found = BTreeSet::new();
        while let Some(function) = open.pop() {
            let deeds = Deeds::of(self, &self.functions[function]);
            let firsts = deeds.objects.iter().map(|object| self.objects[*object].first);
            open.extend(deeds.callees.iter().copied().chain(firsts).filter(|callee| seen.insert(*callee)));
            found.extend(deeds.objects);
        }
        let mut found: Vec<ObjectId> = found.into_iter().collect();
        found.sort_by_key(|object| self.objects[*object].rank);
        found
    }
}

// Note [Objects]
//
// An object is a cell of the state that a run keeps. Functions read and replace it where their text says so, and that is an effect,
// ordered like output: what orders output in branches, loops, recursion and with-loops orders this too. So no signature changes, and
// neither overloading nor folds know of objects. Hidden parameters would need all of that, and a second analysis of who needs which.
//
// - A call `f(o)` with a reference parameter reads the object, and replaces it by what comes back, behind the call.
// - A run begins with the first values of the objects that its entry may use, as the text tells: each after those that it needs.
//   So an entry that is called twice begins anew, and the interpreter and native code agree.
// - An object that nothing replaces is the value that it was given first: a value of the entry, given to functions of the array IR
//   behind their arguments. Reading it is no effect, so with-loops that read it stay parallel.
// - The array IR keeps each array that an object that changes consists of in a cell (`Effect::Keep`, `Effect::Recall`). Its rank is that of the first
//   value; its extents may change unless the type says them.
