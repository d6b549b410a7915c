//! The decision log: what every candidate for a merge, or for a change of how a loop runs, came to, at whatever level it was
//! decided. Reports of all kinds render this one list.

use crate::graph::{Size, Symbol};
use crate::solve::{Cost, Method};
use frit_support::{Monomial, Span, Table};
use std::fmt;

/// Decisions in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// What the symbols of sizes are called.
    pub symbols: Table<Symbol, String>,
    /// The decisions. Merges of all rounds; refusals and merges not chosen as they stand at the end.
    pub decisions: Vec<Decision>,
    /// The plans that were made, one for each block that had something to plan, in the order of planning.
    pub plans: Vec<PlanRecord>,
    /// What exact planning took so far, also for plans that were not kept.
    pub work: u64,
}

/// What became of one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The rule, in kebab case, as `with-loop-folding`.
    pub rule: &'static str,
    /// The function it is in.
    pub function: String,
    /// The loop that runs first: the producer.
    pub first: LoopRef,
    /// The other one: the consumer; the same as `first` for rules about one loop.
    pub second: LoopRef,
    /// What was decided.
    pub outcome: Outcome,
}

/// A loop as a report names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopRef {
    /// Its label in dumps, as `w3`; empty for a statement that is no loop.
    pub label: String,
    /// What kind of loop it is, in the words of the source language where there is one: `map`, `reduce`, `filter`, `loop`.
    pub kind: &'static str,
    /// The names of its results in the source, as far as they have some.
    pub names: Vec<String>,
    /// Where it is.
    pub span: Span,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Outcome {
    /// Merged into the loop with this label. `passes` is the number of sweeps over memory saved.
    Merged { into: String, saved: Cost, passes: usize },
    /// One loop was changed: the rest of a sentence about it, as in `runs in vectors`.
    Done { what: String },
    /// It would be wrong: the stable code of the reason, the reason in words, and the place that it names, if any.
    Refused { code: &'static str, reason: String, place: Option<Span> },
    /// It would be right, and not pay: what it would have saved (negative: cost).
    NotChosen { reason: String, saving: Cost },
}

/// One plan that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRecord {
    /// The function that the block belongs to.
    pub function: String,
    /// Where the block is.
    pub span: Span,
    /// The number of nodes of the graph.
    pub nodes: usize,
    /// How the plan was found.
    pub method: Method,
    /// Cost without merges and with those of the plan, for one execution of the block.
    pub before: Cost,
    /// The cost of the plan.
    pub after: Cost,
}

impl Log {
    /// The number of decisions that were merges.
    pub fn merged_count(&self) -> usize {
        self.decisions.iter().filter(|decision| matches!(decision.outcome, Outcome::Merged { .. })).count()
    }

    /// The costs of all plans together, without merges and with them. Blocks that run often count once, and blocks that were planned
    /// several times count with each plan: the difference is what was saved, the sums are no traffic of the program.
    pub fn totals(&self) -> (Cost, Cost) {
        self.plans.iter().fold((Cost::default(), Cost::default()), |(before, after), plan| {
            (before.plus(&plan.before), after.plus(&plan.after))
        })
    }
}

impl Outcome {
    /// What was decided, and why, in words.
    pub fn text(&self, symbols: &Table<Symbol, String>) -> String {
        match self {
            Outcome::Merged { into, saved, .. } if *saved == Cost::default() => format!("merged into {into}"),
            Outcome::Merged { into, saved, .. } => format!("merged into {into}, saves {}", saved.text(symbols)),
            Outcome::Done { what } => what.clone(),
            Outcome::Refused { code, reason, .. } => format!("refused ({code}): {reason}"),
            Outcome::NotChosen { reason, saving } if *saving == Cost::default() => format!("not chosen: {reason}"),
            Outcome::NotChosen { reason, saving } => {
                format!("not chosen: {reason}; would save {}", saving.text(symbols))
            }
        }
    }
}

/// `map w3 (x, y)`, without the parts that are not known.
impl fmt::Display for LoopRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = if self.names.is_empty() { String::new() } else { format!("({})", self.names.join(", ")) };
        let parts = [self.kind, &self.label, &names];
        f.write_str(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }
}

/// A line for each decision, then a line for each plan.
impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Decision { rule, function, first, second, outcome } in &self.decisions {
            let pair = if first == second { first.to_string() } else { format!("{first} and {second}") };
            writeln!(f, "{function}: {rule}: {pair}: {}", outcome.text(&self.symbols))?;
        }
        for PlanRecord { function, nodes, method, before, after, .. } in &self.plans {
            let saved = before.minus(after).text(&self.symbols);
            writeln!(f, "{function}: plan of {nodes} loops and statements, {method}: saves {saved}")?;
        }
        Ok(())
    }
}

/// The size as people write it, `8*n*m + 16*n`: the highest degree first, symbols and terms of one degree in the order of the table.
pub fn size_text(size: &Size, symbols: &Table<Symbol, String>) -> String {
    let mut terms: Vec<(&Monomial<Symbol>, i64)> = size.terms().collect();
    terms.sort_by(|one, other| other.0.degree().cmp(&one.0.degree()).then_with(|| one.0.cmp(other.0)));
    let mut text = String::new();
    for (monomial, coefficient) in terms {
        text.push_str(match (text.is_empty(), coefficient < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let magnitude = coefficient.unsigned_abs();
        let mut factors: Vec<String> = Vec::new();
        if magnitude != 1 || monomial.is_one() {
            factors.push(magnitude.to_string());
        }
        for &(symbol, exponent) in monomial.powers() {
            let name = &symbols[symbol];
            factors.push(if exponent == 1 { name.clone() } else { format!("{name}^{exponent}") });
        }
        text.push_str(&factors.join("*"));
    }
    if text.is_empty() { "0".into() } else { text }
}

/// The size where symbols have these values; at the ends of the range of `i128` if it lies beyond.
pub fn size_at(size: &Size, mut value: impl FnMut(Symbol) -> i64) -> i128 {
    size.terms().fold(0i128, |sum, (monomial, coefficient)| {
        let term = monomial.powers().iter().fold(i128::from(coefficient), |product, &(symbol, exponent)| {
            product.saturating_mul(i128::from(value(symbol)).saturating_pow(exponent))
        });
        sum.saturating_add(term)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_support::{Index, Poly};

    fn symbols() -> Table<Symbol, String> {
        ["n", "m"].map(String::from).into_iter().collect()
    }

    fn symbol(at: usize) -> Size {
        Poly::symbol(Symbol::new(at))
    }

    #[test]
    fn sizes_are_written_with_the_highest_degree_first() {
        let (n, m) = (symbol(0), symbol(1));
        let size = n.clone() * m.scale(8) + n.scale(16) - Size::constant(24);
        assert_eq!(size_text(&size, &symbols()), "8*n*m + 16*n - 24");
        assert_eq!(size_text(&(m.clone() * m - n), &symbols()), "m^2 - n");
        assert_eq!(size_text(&Size::zero(), &symbols()), "0");
    }

    #[test]
    fn sizes_beyond_all_bounds_saturate() {
        let n = symbol(0);
        let size = n.clone() * n.clone() * n.scale(3);
        assert_eq!(size_at(&size, |_| 10), 3000);
        assert_eq!(size_at(&size, |_| i64::MAX), i128::MAX);
    }

    #[test]
    fn totals_add_up_the_plans() {
        let cost = |bytes: i64| Cost { bytes: symbol(0).scale(bytes), ..Cost::default() };
        let record = |before, after| PlanRecord {
            function: "main".into(),
            span: Span::default(),
            nodes: 2,
            method: Method::Exact,
            before: cost(before),
            after: cost(after),
        };
        let log = Log { symbols: symbols(), plans: vec![record(48, 16), record(32, 24)], ..Log::default() };
        assert_eq!(log.totals(), (cost(80), cost(40)));
        assert_eq!(log.merged_count(), 0);
    }
}
