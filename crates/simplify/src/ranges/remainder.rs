//! What is known of remainders by divisors that are not constant.

use super::prove::DEPTH;
use super::{Interval, Ranges, Sum};
use frit_ir::array::{Operand, Value};
use std::rc::Rc;

impl Ranges {
    /// Records `x` modulo `y`, from 0 to below `y`, which is positive: the interval, and the bounds that do not depend on numbers.
    pub(super) fn define_remainder(&mut self, result: Value, x: Operand, y: Operand) {
        let (a, b) = (self.interval(x), self.interval(y));
        let (dividend, largest) = (self.exact(x), &self.exact(y) - &Sum::constant(1));
        // A dividend that is less than one divisor away is its own remainder, or lacks one divisor, or has one too many.
        for (divisors, may_be) in [(0, a.1 >= 0), (1, a.0 < 0), (-1, a.1 > 0)] {
            let by = i128::from(divisors);
            let far = [b.0, b.1].map(|bound| by.saturating_mul(bound));
            let interval = (a.0.saturating_add(far[0].min(far[1])), a.1.saturating_add(far[0].max(far[1])));
            if may_be && self.is_remainder(result, &largest, |r| &r(x) + &r(y).scale(divisors), interval) {
                return;
            }
        }
        let itself = Sum::symbol(result);
        let mut most = (b.1 - 1).max(0);
        if a.0 >= 0 {
            most = most.min(a.1);
            self.learn(&dividend - &itself, None);
        }
        self.symbol_mut(result).interval = (0, most);
        self.learn(itself.clone(), None);
        self.learn(&largest - &itself, None);
    }

    /// Records that the result is this sum, if that is proved to be from 0 to the largest remainder.
    fn is_remainder(
        &mut self,
        result: Value,
        largest: &Sum,
        sum: impl Fn(&dyn Fn(Operand) -> Sum) -> Sum,
        interval: Interval,
    ) -> bool {
        let (exact, mut search) = (sum(&|operand| self.exact(operand)), self.search(false));
        let goals = [&exact, &(largest - &exact)];
        if !goals.into_iter().all(|goal| self.is_not_negative(goal, DEPTH, &mut search)) {
            return false;
        }
        let level = search.used_level;
        let ring = sum(&|operand| (*self.ring(operand)).clone());
        let symbol = self.symbol_mut(result);
        // The ring knows no levels: what it says has to hold everywhere.
        if level == 0 {
            symbol.ring = Some(Rc::new(ring));
        }
        symbol.exact = Some((Rc::new(exact), level));
        symbol.interval = (interval.0.max(0), interval.1);
        true
    }
}
