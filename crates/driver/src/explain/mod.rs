//! What was merged, what was not and why, what it saved, and how loops run: one [`Explanation`] of a program, which
//! [`terminal`], [`json`] and [`html`] show.
//!
//! The decisions are those of the log that all steps write; the totals count the program before and after it. This module decides
//! nothing and knows no rule.

mod computed;
pub mod html;
pub mod intermediates;
pub mod json;
pub mod moved;
mod picture;
pub mod sizes;
pub mod summary;
pub mod terminal;

use crate::error::Error;
use crate::graph::{self, Graph};
use crate::options::{Fusion, Level, Options};
use crate::pipeline::{FUSE, Pipeline, SIMPLIFY, check_without};
use crate::source::Unit;
use frit_fuse::array::RULES;
use frit_fuse::array::traffic::{Traffic, traffic};
use frit_ir::Tensor;
use frit_ir::array::{Block, Func, Op, Program, Value};
use frit_plan::{Log, LoopRef};
use frit_support::{Index, Span};
use intermediates::Intermediate;
use moved::{Moved, Mover};
use sizes::{Amount, FuncSizes, Naming, Size};
use std::collections::{BTreeMap, HashMap};

/// What to explain.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Values of sizes, as `n=1000,size(1, a)=50`.
    pub sizes: Option<String>,
    /// The program's arguments, whose sizes are taken.
    pub arguments: Option<Vec<Tensor>>,
    /// Make the C source too.
    pub code: bool,
}

/// Why a program came out as it did.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What became of all candidates: first those that were merged, then those that would not pay, then those that would be
    /// wrong; each in the order of the log.
    pub decisions: Vec<Decision>,
    /// How loops run: first what was done, then what would not pay, then what would be wrong; each in the order of the log.
    /// Decisions that read alike are one.
    pub how_loops_run: Vec<Decision>,
    /// The plans that were made.
    pub plans: Vec<Plan>,
    /// The program before merging.
    pub before: Stage,
    /// The program after merging.
    pub after: Stage,
    /// The sizes that amounts mention.
    pub sizes: Vec<Size>,
    /// What became of each array between loops.
    pub intermediates: Vec<Intermediate>,
    /// The C source, if it was asked for and the program can be built.
    pub c: Option<String>,
    naming: Naming,
}

/// The program before or after merging.
#[derive(Clone, Debug)]
pub struct Stage {
    /// With-loops, nested ones included.
    pub with_loops: usize,
    /// With-loops that are in no other: sweeps over memory.
    pub nests: usize,
    /// Arrays that are stored and are neither parameters nor results, in the order of the program.
    pub intermediates: Vec<Stored>,
    /// The bytes of these arrays.
    pub held: Amount,
    /// Bytes moved to and from memory, but for those of the next field.
    pub moved: Amount,
    /// The loops that move them, and other statements that do, in the order of the program.
    pub movers: Vec<Mover>,
    /// Bytes moved in one iteration of loops whose number of iterations is unknown, with the loops' places.
    pub per_iteration: Vec<(Span, Amount)>,
    /// The with-loops that are in others: function and label, and the label of the outermost one around.
    pub inner: BTreeMap<(String, String), String>,
    /// The data-flow graph of each function, the entry function first.
    pub graphs: Vec<(String, Graph)>,
    /// The array IR as text.
    pub ir: String,
}

/// An array that is stored between loops.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The function that it is in.
    pub function: String,
    /// Its name in the source, if it has one.
    pub name: Option<String>,
    /// Where it comes from.
    pub span: Span,
    /// Its line in the source, if it has one.
    pub line: Option<usize>,
    /// The loop or statement there makes no other array.
    pub is_alone: bool,
    /// All of it.
    pub bytes: Amount,
}

/// What became of one candidate.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Its place in [`Explanation::decisions`] and then [`Explanation::how_loops_run`], from 1.
    pub number: usize,
    /// The rule.
    pub rule: &'static str,
    /// What the rule does, in a line; empty for a rule that is not in the catalogue.
    pub summary: &'static str,
    /// The function it is in.
    pub function: String,
    /// The loop that runs first.
    pub first: Loop,
    /// The other one; `None` for rules about one loop.
    pub second: Option<Loop>,
    /// What was decided.
    pub outcome: Outcome,
    /// How many loops it was decided for.
    pub count: usize,
}

/// A loop that a decision is about.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its label in dumps; empty for a statement that is no loop.
    pub label: String,
    /// What kind it is: `map`, `reduce`.
    pub kind: &'static str,
    /// The names of its results.
    pub names: Vec<String>,
    /// Where it is.
    pub span: Span,
    /// Its line in the source, if it has one.
    pub line: Option<usize>,
}

/// What was decided.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The loops were merged.
    Merged {
        /// The label of the loop that they became.
        into: String,
        /// What that saves.
        saved: Saving,
        /// Sweeps over memory saved.
        passes: usize,
    },
    /// One loop was changed.
    Done {
        /// The rest of a sentence about it.
        what: String,
    },
    /// It would not pay.
    NotChosen {
        /// Why, in words.
        reason: String,
        /// What it would save; negative: what it would cost.
        saving: Saving,
    },
    /// It would be wrong.
    Refused {
        /// The stable code of the reason.
        code: &'static str,
        /// The reason in words.
        reason: String,
        /// The place that the reason names.
        place: Option<Span>,
    },
}

/// What a merge saves.
#[derive(Clone, Debug)]
pub struct Saving {
    /// Bytes not moved.
    pub bytes: Amount,
    /// Bytes of arrays not stored.
    pub held: Amount,
    /// Operations executed once more.
    pub work: Amount,
}

/// One plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The function that the block belongs to.
    pub function: String,
    /// Where the block is.
    pub span: Span,
    /// Loops and other statements in the graph.
    pub nodes: usize,
    /// No plan is better; else it was found greedily.
    pub is_exact: bool,
    /// Bytes moved without merges.
    pub before: Amount,
    /// Bytes moved with those of the plan.
    pub after: Amount,
}

/// Explains a program.
///
/// # Errors
///
/// There are no such sizes; the program has no function to explain; nothing is merged at this level; a bug.
pub fn explain(unit: &Unit, request: &Request, options: &Options) -> Result<Explanation, Error> {
    if options.level == Level::O0 || options.fusion == Fusion::Off {
        return Err(Error::usage("without merges there is nothing to explain"));
    }
    check_without(options, None)?;
    frit_support::with_deep_stack(|| {
        let mut pipeline = Pipeline::new(unit, options);
        let before = pipeline.optimise(Some(SIMPLIFY.name))?;
        // Later steps cut loops into pieces, which tells nothing about merges.
        let after = pipeline.optimise(Some(FUSE.name))?;
        let program = pipeline.optimise(None)?;
        let nest = pipeline.loops(&program, None)?;
        let log = std::mem::take(&mut pipeline.log);
        let is_built = request.code && after.entry.is_some();
        let c = if is_built { Some(pipeline.print_c(&nest)?.source) } else { None };
        if before.funcs.is_empty() {
            unit.entry()?;
        }
        let entry = before.entry.map(|entry| &before.funcs[entry]);
        let mut naming = Naming::of(entry, &unit.sources);
        let stages = [&before, &after].map(|program| stage(unit, program, &mut naming));
        let decided = decisions(unit, &log, false, 0, &mut naming);
        let how_loops_run = decisions(unit, &log, true, decided.len(), &mut naming);
        let plans = plans(&log, &mut naming);
        let report = &pipeline.intermediates;
        let intermediates = intermediates::intermediates(unit, &program, &nest, &log, report, &mut naming);
        naming.settle();
        if let Some(list) = &request.sizes {
            naming.give(list)?;
        }
        if let (Some(func), Some(arguments)) = (entry, &request.arguments) {
            naming.give_arguments(func, arguments);
        }
        let [before, after] = stages;
        let (decisions, sizes) = (decided, naming.mentioned());
        Ok(Explanation { decisions, how_loops_run, plans, before, after, sizes, intermediates, c, naming })
    })
}

/// The data-flow graphs of a program before and after merging.
///
/// # Errors
///
/// As [`explain`].
pub fn graphs(unit: &Unit, options: &Options) -> Result<[Vec<(String, Graph)>; 2], Error> {
    let explanation = explain(unit, &Request::default(), options)?;
    Ok([explanation.before.graphs, explanation.after.graphs])
}

impl Explanation {
    /// The number that an amount is, if the values of all its sizes are given.
    pub fn value(&self, amount: &Amount) -> Option<i128> {
        self.naming.evaluate(amount)
    }

    /// An amount of bytes in short: its value if that is known, else its largest terms: `16*n*m bytes`.
    pub fn roughly(&self, amount: &Amount) -> String {
        match self.value(amount) {
            _ if amount.is_zero() => "nothing".into(),
            Some(value) => sizes::bytes(value),
            None => format!("{} bytes", sizes::short_text(&self.naming.roughly(amount))),
        }
    }

    /// A number of times in short.
    fn count(&self, amount: &Amount) -> String {
        let value = self.value(amount).map(|value| value.to_string());
        value.unwrap_or_else(|| sizes::short_text(&self.naming.roughly(amount)))
    }

    /// An amount of bytes for people: `16*n*m bytes`, with its value behind it if that is known and says more.
    pub fn bytes(&self, amount: &Amount) -> String {
        match self.value(amount) {
            _ if amount.is_zero() => "none".into(),
            Some(value) if amount.is_constant() => sizes::bytes(value),
            Some(value) => format!("{} bytes = {}", sizes::text(amount), sizes::bytes(value)),
            None => format!("{} bytes", sizes::text(amount)),
        }
    }
}

fn stage(unit: &Unit, program: &Program, naming: &mut Naming) -> Stage {
    let mut stage = Stage {
        with_loops: 0,
        nests: 0,
        intermediates: Vec::new(),
        held: Amount::zero(),
        moved: Amount::zero(),
        movers: Vec::new(),
        per_iteration: Vec::new(),
        inner: BTreeMap::new(),
        graphs: Vec::new(),
        ir: program.to_string(),
    };
    let mut functions: Vec<_> = program.funcs.iter().collect();
    functions.sort_by_key(|(id, _)| Some(*id) != program.entry);
    for (id, func) in functions {
        let sizes = FuncSizes::of(func, program.entry.is_none_or(|entry| entry == id));
        naming.learn(func, &sizes);
        let Traffic { with_loops, nests, intermediates, held, moved, movers, per_iteration } = traffic(func);
        stage.with_loops += with_loops;
        stage.nests += nests;
        let mut known = HashMap::new();
        definitions(func, &func.body, &mut known);
        stage.intermediates.extend(intermediates.into_iter().map(|array| {
            let (span, is_alone) = known.get(&array).copied().unwrap_or((Span::NONE, true));
            Stored {
                function: func.name.clone(),
                name: func.values[array].name.as_ref().map(|name| name.to_string()),
                span,
                line: line_of(unit, span),
                is_alone,
                bytes: naming.amount(&sizes, &sizes.sizes.bytes(func.ty(array))),
            }
        }));
        note_inner(func, &func.body, None, &mut stage.inner);
        stage.held += &naming.amount(&sizes, &held);
        stage.moved += &naming.amount(&sizes, &moved);
        stage.movers.extend(movers.into_iter().map(|mover| Mover {
            function: func.name.clone(),
            at: named(unit, &mover.reference),
            around: mover.around,
            total: Moved::of(&mover.total, &sizes, naming),
            per_iteration: Moved::of(&mover.per_iteration, &sizes, naming),
        }));
        let named = per_iteration.into_iter().map(|(span, bytes)| (span, naming.amount(&sizes, &bytes)));
        stage.per_iteration.extend(named);
    }
    stage.graphs = graph::of_program(program, &unit.sources, words(unit), naming);
    stage
}

/// Where each value of a function is defined, and whether nothing else is defined there.
fn definitions(func: &Func, block: &Block, known: &mut HashMap<Value, (Span, bool)>) {
    for stmt in &block.stmts {
        known.extend(stmt.results.iter().map(|&result| (result, (stmt.span, stmt.results.len() == 1))));
        stmt.op.for_each_block(func, &mut |inner| definitions(func, inner, known));
    }
}

/// Notes the with-loops of a block that are in others. `around` is the outermost one around the block.
fn note_inner(func: &Func, block: &Block, around: Option<&str>, inner: &mut BTreeMap<(String, String), String>) {
    for stmt in &block.stmts {
        let own = if let Op::With(label) = stmt.op { Some(label.to_string()) } else { None };
        if let (Some(label), Some(around)) = (&own, around) {
            inner.insert((func.name.to_string(), label.clone()), around.to_string());
        }
        let outermost = around.or(own.as_deref());
        stmt.op.for_each_block(func, &mut |block| note_inner(func, block, outermost, inner));
    }
}

/// In whose words loops are named.
fn words(unit: &Unit) -> graph::Words {
    if unit.sac.is_some() { graph::Words::Sac } else { graph::Words::L0 }
}

/// What a loop is called; `kind` is what L0 calls it.
fn kind(kind: &'static str, words: graph::Words) -> &'static str {
    match (words, kind) {
        (graph::Words::L0, _) => kind,
        (graph::Words::Sac, "map") => "genarray with-loop",
        (graph::Words::Sac, "modify") => "modarray with-loop",
        (graph::Words::Sac, "reduce" | "redomap") => "fold with-loop",
        (graph::Words::Sac, "loop") => "sequential loop",
        (graph::Words::Sac, _) => kind,
    }
}

/// A loop in the words of its language, with its place.
fn named(unit: &Unit, loop_ref: &LoopRef) -> Loop {
    Loop {
        label: loop_ref.label.clone(),
        kind: kind(loop_ref.kind, words(unit)),
        names: loop_ref.names.clone(),
        span: loop_ref.span,
        line: line_of(unit, loop_ref.span),
    }
}

/// The line where a span begins, if it is in the program's first file: those of others would be taken for lines of that one.
fn line_of(unit: &Unit, span: Span) -> Option<usize> {
    let (first, _) = unit.sources.iter().next()?;
    let is_first = span.file as usize == first.at();
    is_first.then(|| unit.sources.position(span).map(|place| place.line))?
}

/// What a rule about how loops run does; `None` for a rule about merges.
fn loop_rule(rule: &str) -> Option<&'static str> {
    let step = frit_lower::LOOP_STEPS.iter().find(|step| step.name == rule).map(|step| step.summary);
    step.or((rule == frit_lower::THREADS).then_some(""))
}

/// The decisions about merges or, with `of_loops`, about how loops run, numbered after `before` others.
fn decisions(unit: &Unit, log: &Log, of_loops: bool, before: usize, naming: &mut Naming) -> Vec<Decision> {
    let place = |loop_ref: &LoopRef| named(unit, loop_ref);
    let mut saving = |cost: &frit_plan::Cost| Saving {
        bytes: cost.bytes.rename(|&symbol| naming.name(&log.symbols[symbol])),
        held: cost.held.rename(|&symbol| naming.name(&log.symbols[symbol])),
        work: (-&cost.work).rename(|&symbol| naming.name(&log.symbols[symbol])),
    };
    let mut decisions: Vec<Decision> = log
        .decisions
        .iter()
        .filter(|decision| loop_rule(decision.rule).is_some() == of_loops)
        .map(|decision| Decision {
            number: 0,
            count: 1,
            rule: decision.rule,
            summary: RULES.iter().find(|rule| rule.name == decision.rule).map_or("", |rule| rule.summary),
            function: decision.function.clone(),
            first: place(&decision.first),
            second: (decision.second != decision.first).then(|| place(&decision.second)),
            outcome: match &decision.outcome {
                frit_plan::Outcome::Merged { into, saved, passes } => {
                    Outcome::Merged { into: into.clone(), saved: saving(saved), passes: *passes }
                }
                frit_plan::Outcome::Done { what } => Outcome::Done { what: what.clone() },
                frit_plan::Outcome::NotChosen { reason, saving: cost } => {
                    Outcome::NotChosen { reason: reason.clone(), saving: saving(cost) }
                }
                frit_plan::Outcome::Refused { code, reason, place } => {
                    Outcome::Refused { code, reason: reason.clone(), place: *place }
                }
            },
        })
        .collect();
    decisions.sort_by_key(|decision| match decision.outcome {
        Outcome::Merged { .. } | Outcome::Done { .. } => 0,
        Outcome::NotChosen { .. } => 1,
        Outcome::Refused { .. } => 2,
    });
    let mut distinct: Vec<Decision> = Vec::new();
    for decision in decisions {
        match distinct.iter_mut().find(|known| known.reads_like(&decision)) {
            Some(known) => known.count += 1,
            None => distinct.push(Decision { number: before + distinct.len() + 1, ..decision }),
        }
    }
    distinct
}

fn plans(log: &Log, naming: &mut Naming) -> Vec<Plan> {
    let mut amount = |size: &frit_plan::Size| size.rename(|&symbol| naming.name(&log.symbols[symbol]));
    log.plans
        .iter()
        .map(|plan| Plan {
            function: plan.function.clone(),
            span: plan.span,
            nodes: plan.nodes,
            is_exact: plan.method == frit_plan::Method::Exact,
            before: amount(&plan.before.bytes),
            after: amount(&plan.after.bytes),
        })
        .collect()
}

impl Loop {
    /// What a report calls it: `map of b (line 14)`; `map w3` where there is no source.
    pub fn describe(&self) -> String {
        let what = match (self.kind, self.label.as_str()) {
            ("", label) => label.to_string(),
            (kind, label) if self.names.is_empty() && self.line.is_none() => format!("{kind} {label}"),
            (kind, _) => kind.to_string(),
        };
        let names = if self.names.is_empty() { String::new() } else { format!(" `{}`", self.names.join("`, `")) };
        let line = self.line.map(|line| format!(" at line {line}")).unwrap_or_default();
        format!("{what}{names}{line}")
    }
}

impl Decision {
    /// The loops: `the map b at line 14 and the reduce at line 15`.
    pub fn subject(&self) -> String {
        match &self.second {
            Some(second) => format!("the {} and the {}", self.first.describe(), second.describe()),
            None => format!("the {}", self.first.describe()),
        }
    }

    /// Both are about how loops run, and a report would say the same of them.
    fn reads_like(&self, other: &Self) -> bool {
        let key = |of: &Self| (of.rule, of.first.names.clone(), of.first.span, of.function.clone());
        key(self) == key(other)
            && match (&self.outcome, &other.outcome) {
                (Outcome::Done { what: one }, Outcome::Done { what: other }) => one == other,
                (Outcome::NotChosen { reason: one, .. }, Outcome::NotChosen { reason: other, .. })
                | (Outcome::Refused { reason: one, .. }, Outcome::Refused { reason: other, .. }) => {
                    one == other && loop_rule(self.rule).is_some()
                }
                _ => false,
            }
    }

    /// The labels of the loops that it names, before and after.
    pub fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = vec![&self.first.label];
        labels.extend(self.second.as_ref().map(|second| second.label.as_str()));
        if let Outcome::Merged { into, .. } = &self.outcome {
            labels.push(into);
        }
        labels.retain(|label| !label.is_empty());
        labels.dedup();
        labels
    }

    /// What it came to, in a word, as reports in other programs' hands have it.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Merged { .. } => "merged",
            Outcome::Done { .. } => "done",
            Outcome::NotChosen { .. } => "not-chosen",
            Outcome::Refused { .. } => "refused",
        }
    }

    /// What was decided and why, in a sentence, as the explanation shows amounts.
    pub fn sentence(&self, explanation: &Explanation) -> String {
        let subject = self.subject();
        match &self.outcome {
            Outcome::Done { what } => format!("{subject} {what}"),
            Outcome::NotChosen { reason, .. } | Outcome::Refused { reason, .. } if loop_rule(self.rule).is_some() => {
                format!("{subject} {}: {reason}", frit_lower::unchanged(self.rule))
            }
            Outcome::Merged { saved, passes, .. } => {
                let done = match (&self.second, self.summary) {
                    (Some(_), _) => "are one loop now".to_string(),
                    (None, "") => "is rewritten".to_string(),
                    (None, summary) => format!("is rewritten ({summary})"),
                };
                format!("{subject} {done}{}", saving_text(explanation, saved, *passes))
            }
            Outcome::NotChosen { reason, saving } => {
                let would = saving_text(explanation, saving, 0);
                let would = would.strip_prefix(": saves ").map(|what| format!(" (it would save {what})"));
                format!("{subject} stay as they are: {reason}{}", would.unwrap_or_default())
            }
            Outcome::Refused { reason, .. } => {
                let stay = if self.second.is_some() { "stay apart" } else { "stays as it is" };
                format!("{subject} {stay}: {reason}")
            }
        }
    }
}

/// `: saves 16*n bytes and 1 pass over memory`; empty if nothing is saved.
fn saving_text(explanation: &Explanation, saving: &Saving, passes: usize) -> String {
    let mut parts = Vec::new();
    if !saving.bytes.is_zero() {
        parts.push(format!("{} moved", explanation.bytes(&saving.bytes)));
    }
    if !saving.held.is_zero() {
        parts.push(format!("{} stored", explanation.bytes(&saving.held)));
    }
    if passes > 0 {
        parts.push(if passes == 1 { "1 pass over memory".into() } else { format!("{passes} passes over memory") });
    }
    let mut text = match parts.split_last() {
        None => String::new(),
        Some((only, [])) => format!(": saves {only}"),
        Some((last, others)) => format!(": saves {} and {last}", others.join(", ")),
    };
    if !saving.work.is_zero() {
        text +=
            &format!("{} repeats {} operations", if text.is_empty() { ":" } else { ";" }, sizes::text(&saving.work));
    }
    text
}
