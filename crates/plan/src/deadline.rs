//! When searches end.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A time after which searches end, with the best that they have found. Planners of programs have none: equal programs have equal
/// plans.
#[derive(Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    /// In tests time passes by looking at the clock.
    looks: Option<u64>,
    looked: Rc<Cell<u64>>,
}

impl Deadline {
    /// After so much time, if there is a limit.
    pub fn after(time: Option<Duration>) -> Self {
        Self { at: time.and_then(|time| Instant::now().checked_add(time)), ..Self::default() }
    }

    /// No limit.
    pub fn never() -> Self {
        Self::default()
    }

    /// Over as soon as it has been asked so many times whether it is.
    pub fn after_looks(looks: u64) -> Self {
        Self { looks: Some(looks), ..Self::default() }
    }

    /// An earlier end: after this part of the time that is left.
    pub(crate) fn part(&self, part: f64) -> Self {
        let (now, looked) = (Instant::now(), self.looked.get());
        let at = self.at.map(|at| now + at.saturating_duration_since(now).mul_f64(part));
        let looks = self.looks.map(|looks| looked + (looks.saturating_sub(looked) as f64 * part) as u64);
        Self { at, looks, looked: Rc::clone(&self.looked) }
    }

    /// True if searches have to end.
    pub fn is_over(&self) -> bool {
        self.looked.set(self.looked.get() + 1);
        self.looks.is_some_and(|looks| self.looked.get() > looks) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// How often it and its parts were asked.
    pub fn looked(&self) -> u64 {
        self.looked.get()
    }

    /// How much time is left, if there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.at.map(|at| at.saturating_duration_since(Instant::now()))
    }
}
