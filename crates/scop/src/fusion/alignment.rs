//! Alignment: by how much each statement of a fused loop is shifted, so that nothing runs before what it depends on and the windows
//! between producers and consumers are small. Source: \[MEM\] section 4, and retiming: the constraints are differences of shifts, so is what
//! windows cost, and the best shifts are whole numbers though they come from a linear program.
//!
//! Loops and arrays are not known here, only statements by number. `clusters` says what is fused, `edge` what distances are.

use good_lp::{Expression, ProblemVariables, Solution, SolverModel, microlp, variable};

/// Larger problems are solved by longest paths alone: the windows may be larger than needed.
const LARGEST_PROGRAM: usize = 120;

/// What an element of a window counts against an element by which two statements that need not move are apart.
const ELEMENT: u64 = 1_000;

/// Statements of a fused loop, and what ties them together.
#[derive(Clone, Debug, Default)]
pub(super) struct Alignment {
    /// How many statements there are.
    pub(super) statements: usize,
    /// The dependences.
    pub(super) orders: Vec<Order>,
    /// The arrays that shrink to windows.
    pub(super) windows: Vec<Window>,
    /// Statements that had better stay together, as in the source.
    pub(super) together: Vec<(usize, usize)>,
}

/// The shift of `sink` is at least that of `source` less `min`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) source: usize,
    pub(super) sink: usize,
    pub(super) min: i64,
}

/// What a statement writes to an array of which as many slices are kept as the time from the write of a value to its last read.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// The size of a slice, in any unit.
    pub(super) size: u64,
    /// Who writes.
    pub(super) source: usize,
    /// Who reads, and by how much later at most if nothing is shifted.
    pub(super) sinks: Vec<(usize, i64)>,
}

impl Alignment {
    /// The best shifts, the least of them 0; `None` if there are none at all.
    pub(super) fn solve(&self) -> Option<Vec<i64>> {
        let least = self.longest_paths()?;
        let best = if self.is_tight(&least) || self.statements > LARGEST_PROGRAM {
            least
        } else {
            self.program().filter(|shifts| self.is_legal(shifts)).unwrap_or(least)
        };
        let first = best.iter().copied().min().unwrap_or(0);
        Some(best.into_iter().map(|shift| shift - first).collect())
    }

    /// True if there are shifts that obey all orders.
    pub(super) fn is_feasible(&self) -> bool {
        self.longest_paths().is_some()
    }

    /// The smallest shifts that are not negative.
    fn longest_paths(&self) -> Option<Vec<i64>> {
        let mut shifts = vec![0i64; self.statements];
        for _ in 0..=self.statements {
            let mut is_stable = true;
            for order in &self.orders {
                let needed = shifts[order.source].checked_sub(order.min)?;
                if shifts[order.sink] < needed {
                    shifts[order.sink] = needed;
                    is_stable = false;
                }
            }
            if is_stable {
                return Some(shifts);
            }
        }
        None
    }

    fn is_legal(&self, shifts: &[i64]) -> bool {
        self.orders.iter().all(|order| shifts[order.sink].saturating_add(order.min) >= shifts[order.source])
    }

    /// True if no shifts can be better: nobody is moved against who shares a loop in the source, and every window is as small as its
    /// dependences allow.
    fn is_tight(&self, shifts: &[i64]) -> bool {
        let is_least = |window: &Window| {
            window.sinks.iter().all(|&(sink, _)| {
                let between = |order: &&Order| order.source == window.source && order.sink == sink;
                self.orders.iter().filter(between).any(|order| shifts[sink] + order.min == shifts[window.source])
            })
        };
        self.together.iter().all(|&(one, other)| shifts[one] == shifts[other]) && self.windows.iter().all(is_least)
    }

    /// The best shifts by a linear program, without those that are out of all proportion.
    fn program(&self) -> Option<Vec<i64>> {
        let mut variables = ProblemVariables::new();
        let bound: f64 = self.orders.iter().map(|order| order.min.unsigned_abs() as f64).sum::<f64>() + 1.0;
        let shifts: Vec<_> = (0..self.statements).map(|_| variables.add(variable().min(-bound).max(bound))).collect();
        let mut cost = Expression::from(0.0);
        let mut rows = Vec::new();
        for order in &self.orders {
            let distance = shifts[order.sink] - shifts[order.source];
            cost += distance.clone();
            rows.push((distance, -order.min as f64));
        }
        for &(one, other) in &self.together {
            let apart = variables.add(variable().min(0.0));
            cost += 2.0 * apart;
            rows.push((apart - shifts[one] + shifts[other], 0.0));
            rows.push((apart - shifts[other] + shifts[one], 0.0));
        }
        let smallest = self.windows.iter().map(|window| window.size.max(1)).min().unwrap_or(1);
        for window in &self.windows {
            let last = variables.add(variable());
            let size = (window.size / smallest).clamp(1, ELEMENT) * ELEMENT;
            cost += size as f64 * (last - shifts[window.source]);
            rows.extend(window.sinks.iter().map(|&(sink, max)| (last - shifts[sink], max as f64)));
        }
        let mut model = variables.minimise(cost).using(microlp);
        model.add_constraint((Expression::from(0.0) + shifts[0]).eq(0.0));
        for (row, bound) in rows {
            model.add_constraint(row.geq(bound));
        }
        let solution = model.solve().ok()?;
        let whole = |value: f64| (value.is_finite() && value.abs() < 1e9).then(|| value.round() as i64);
        shifts.iter().map(|&shift| whole(solution.value(shift))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(source: usize, sink: usize, min: i64) -> Order {
        Order { source, sink, min }
    }

    #[test]
    fn a_consumer_that_looks_ahead_is_shifted_by_as_much() {
        let windows = vec![Window { size: 8, source: 0, sinks: vec![(1, 1)] }];
        let alignment = Alignment { statements: 2, orders: vec![order(0, 1, -2)], windows, together: vec![] };
        assert_eq!(alignment.solve(), Some(vec![0, 2]));
    }

    #[test]
    fn a_producer_that_is_needed_late_is_shifted_towards_its_consumer() {
        // 0 -> 1 -> 3 needs 3 shifted by 4; 2 -> 3 would need nothing, but then the window of 2 had 5 elements.
        let orders = vec![order(0, 1, -2), order(1, 3, -2), order(2, 3, 0)];
        let window = |source, sink| Window { size: 8, source, sinks: vec![(sink, 0)] };
        let windows = vec![window(0, 1), window(1, 3), window(2, 3)];
        let alignment = Alignment { statements: 4, orders, windows, together: vec![] };
        assert_eq!(alignment.solve(), Some(vec![0, 2, 4, 4]));
    }

    #[test]
    fn statements_of_one_loop_stay_together_where_that_costs_nothing() {
        let orders = vec![order(0, 1, 1)];
        let alignment = Alignment { statements: 2, orders, windows: vec![], together: vec![(0, 1)] };
        assert_eq!(alignment.solve(), Some(vec![0, 0]));
    }

    #[test]
    fn a_cycle_that_no_shift_can_break_has_no_alignment() {
        let alignment =
            Alignment { statements: 2, orders: vec![order(0, 1, -1), order(1, 0, 0)], ..Alignment::default() };
        assert!(!alignment.is_feasible());
        assert_eq!(alignment.solve(), None);
    }
}
