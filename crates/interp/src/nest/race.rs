//! Finds iterations of an independent loop that are not independent: two that touch one element, at least one of them
//! writing it.
//!
//! A clock ticks when an independent loop begins and whenever it begins an iteration, and elements remember when they were
//! touched. A time conflicts with now if, for one of the loops going on, it lies in this execution of the loop but before its
//! present iteration. See Note [Times of iterations].

use crate::{RunError, broken};

/// Ticks since the run began; 0 is before everything.
type Time = u64;

/// An independent loop going on.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// When the loop began.
    execution: Time,
    /// When its present iteration began.
    iteration: Time,
}

/// The independent loops going on, outermost first.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    levels: Vec<Level>,
    now: Time,
}

/// When an element was touched.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trace {
    written: Time,
    /// The last time it was read, and the last time it was read in an iteration independent of that one.
    read: [Time; 2],
}

impl Timeline {
    /// Whether any independent loop is going on.
    pub(super) fn is_inside(&self) -> bool {
        !self.levels.is_empty()
    }

    /// An independent loop begins.
    pub(super) fn begin(&mut self) {
        self.now += 1;
        self.levels.push(Level { execution: self.now, iteration: self.now });
    }

    /// The innermost of them begins an iteration.
    pub(super) fn iterate(&mut self) {
        self.now += 1;
        if let Some(level) = self.levels.last_mut() {
            level.iteration = self.now;
        }
    }

    /// The innermost of them ends.
    pub(super) fn end(&mut self) {
        self.levels.pop();
    }

    /// Notes that an element is touched now.
    pub(super) fn touch(&self, trace: &mut Trace, writes: bool) -> Result<(), RunError> {
        if self.conflicts(trace.written) {
            broken!("an iteration of an independent loop uses an element that another one writes");
        }
        if writes {
            if trace.read.iter().any(|&time| self.conflicts(time)) {
                broken!("an iteration of an independent loop writes an element that another one reads");
            }
            trace.written = self.now;
        } else {
            if self.conflicts(trace.read[0]) {
                trace.read[1] = trace.read[0];
            }
            trace.read[0] = self.now;
        }
        Ok(())
    }

    /// Whether a time was in another iteration of a loop that is going on.
    fn conflicts(&self, time: Time) -> bool {
        self.levels.iter().find(|level| time < level.iteration).is_some_and(|level| level.execution <= time)
    }
}

// Note [Times of iterations]
// Take the outermost loop whose present iteration began after the time. For the loops around it the time lies in the present
// iteration, so they put the two accesses in order. If the time also lies before the loop began, the access came before the
// loop within that iteration: in order too. Otherwise it was in an earlier iteration of the same execution: independent, and
// so in conflict if one of the accesses writes. If there is no such loop, the access was in the innermost present iteration
// or in a loop that has ended within it.
//
// Two readers are remembered, which finds all conflicts but those of a third reader with a later write; so a run without
// complaint does not prove that the loop is independent.
