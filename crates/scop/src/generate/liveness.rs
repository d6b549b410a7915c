//! Scalars move on only where a later statement reads them: a backward pass over the generated steps that leaves out all other moves, and
//! loops and conditions that are empty then.

use std::collections::BTreeSet;

use frit_support::Table;

use crate::model::{AccessKind, Array, Scop};
use crate::program::{Expr, Fate, Instance, Program, Step};

/// A scalar of an array in registers: the array, and how old its value is.
type Scalar = (Array, u64);

/// Leaves out moves of values that nothing reads.
pub(super) fn drop_dead_moves(scop: &Scop, program: &mut Program) {
    let (fates, body) = (&program.fates, &mut program.body);
    Liveness { scop, fates }.steps(body, BTreeSet::new(), true);
}

struct Liveness<'a> {
    scop: &'a Scop,
    fates: &'a Table<Array, Fate>,
}

impl Liveness<'_> {
    /// The scalars whose values are read at the start of some steps or later, where those in `live` are at their end. Dead moves go if `drops`.
    fn steps(&self, steps: &mut Vec<Step>, mut live: BTreeSet<Scalar>, drops: bool) -> BTreeSet<Scalar> {
        for step in steps.iter_mut().rev() {
            live = self.step(step, live, drops);
        }
        if drops {
            steps.retain(|step| match step {
                Step::For(each) => !each.body.is_empty(),
                Step::If { then, otherwise, .. } => !(then.is_empty() && otherwise.is_empty()),
                Step::Rotate { ages, .. } => !ages.is_empty(),
                Step::Instance(_) => true,
            });
        }
        live
    }

    fn step(&self, step: &mut Step, mut live: BTreeSet<Scalar>, drops: bool) -> BTreeSet<Scalar> {
        match step {
            Step::For(each) => {
                // What an iteration reads is live at the end of the one before.
                loop {
                    let before = self.steps(&mut each.body, live.clone(), false);
                    if before.is_subset(&live) {
                        break;
                    }
                    live.extend(before);
                }
                if drops {
                    self.steps(&mut each.body, live.clone(), true);
                }
                live
            }
            Step::If { then, otherwise, .. } => {
                let mut before = self.steps(then, live.clone(), drops);
                before.extend(self.steps(otherwise, live, drops));
                before
            }
            Step::Instance(instance) => self.instance(instance, live),
            Step::Rotate { array, ages } => {
                if drops {
                    ages.retain(|age| live.contains(&(*array, *age)));
                }
                // The oldest moves first, so that each move reads a value from before all of them.
                let moved: Vec<u64> = ages.iter().copied().filter(|age| live.contains(&(*array, *age))).collect();
                for age in ages.iter() {
                    live.remove(&(*array, *age));
                }
                live.extend(moved.into_iter().map(|age| (*array, age - 1)));
                live
            }
        }
    }

    fn instance(&self, instance: &Instance, mut live: BTreeSet<Scalar>) -> BTreeSet<Scalar> {
        let accesses = &self.scop.statements[instance.statement].accesses;
        let scalar = |at: usize| {
            let array = accesses[at].array;
            match (&self.fates[array], instance.subscripts[at].as_deref()) {
                (Fate::Registers { .. }, Some([Expr::Int(age)])) => u64::try_from(*age).ok().map(|age| (array, age)),
                _ => None,
            }
        };
        for at in (0..accesses.len()).filter(|at| accesses[*at].kind == AccessKind::Write) {
            scalar(at).inspect(|scalar| {
                live.remove(scalar);
            });
        }
        // An instance reads before it writes.
        live.extend((0..accesses.len()).filter(|at| accesses[*at].kind == AccessKind::Read).filter_map(scalar));
        live
    }
}
