//! Regions planned, proved, run, and written as text.

use crate::common::notation;
use crate::common::simulate::{Instance, Storage, compare, run, run_from, run_source};
use frit_plan::{Log, Outcome};
use frit_scop::dependence::{self, Dependences};
use frit_scop::embed::{What, embed};
use frit_scop::fusion::{self, Options};
use frit_scop::tree::{Fused, FusedLoop, FusedTree};
use frit_scop::{Scop, Statement};

/// A region and what was planned for it.
pub(crate) struct Planned {
    pub(crate) scop: Scop,
    pub(crate) tree: FusedTree,
    pub(crate) log: Log,
}

/// Plans the region of a text, and makes sure that the plan is right: by proof, and by running it for a few sizes.
pub(crate) fn planned(text: &str, options: &Options) -> Planned {
    planned_scop(notation::scop(text), options)
}

/// As in [`planned`].
pub(crate) fn planned_scop(scop: Scop, options: &Options) -> Planned {
    let dependences = Dependences::new(&scop, &dependence::Options { reassociate: false }).unwrap();
    let mut log = Log::default();
    let tree = fusion::plan(&scop, &dependences, options, &mut log).tree;
    assert!(fusion::check(&scop, &dependences, &tree), "{}", tree_text(&scop, &tree));
    for size in [0, 1, 2, 5, 8] {
        let params = vec![size; scop.params.len()];
        let storage = Storage::expanded(&scop);
        let (before, after) = (run_source(&scop, &params), run(&scop, &tree, &storage, &params));
        let same = compare(&scop, &before, &after, false);
        assert!(same.is_ok(), "{same:?} at {size}\n{}", tree_text(&scop, &tree));
    }
    Planned { scop, tree, log }
}

/// Embeds what there is, and makes sure that the region computes what it did before.
pub(crate) fn embedded(scop: &Scop, what: What) -> Option<Scop> {
    let dependences = Dependences::new(scop, &dependence::Options { reassociate: false }).unwrap();
    let embedded = embed(scop, &dependences, what).unwrap()?;
    let (tree, storage) = (FusedTree::original(&embedded), Storage::expanded(&embedded));
    let source = |instance: &Instance| {
        let (statement, iteration) = instance;
        (*statement, iteration[..scop.statements[*statement].loops.len()].to_vec())
    };
    for size in [0, 1, 2, 5, 8] {
        let params = vec![size; scop.params.len()];
        let mut after = run_from(&embedded, &tree, &storage, &params, &|instance, at| (source(instance), at));
        after.reads = after.reads.into_iter().map(|(instance, reads)| (source(&instance), reads)).collect();
        let same = compare(scop, &run_source(scop, &params), &after, false);
        assert!(same.is_ok(), "{same:?} at {size}\n{}", tree_text(&embedded, &tree));
    }
    Some(embedded)
}

impl Planned {
    /// The tree as text.
    pub(crate) fn text(&self) -> String {
        tree_text(&self.scop, &self.tree)
    }

    /// The number of merges by a rule.
    pub(crate) fn done(&self, rule: &str) -> usize {
        let decisions = self.log.decisions.iter().filter(|decision| decision.rule == rule);
        decisions.filter(|decision| matches!(decision.outcome, Outcome::Merged { .. })).count()
    }

    /// The codes of refusals, in order.
    pub(crate) fn refusals(&self) -> Vec<&'static str> {
        let code = |outcome: &Outcome| match outcome {
            Outcome::Refused { code, .. } => Some(*code),
            Outcome::Merged { .. } | Outcome::Done { .. } | Outcome::NotChosen { .. } => None,
        };
        self.log.decisions.iter().filter_map(|decision| code(&decision.outcome)).collect()
    }

    /// The reasons why loops that could be fused are not.
    pub(crate) fn not_chosen(&self) -> Vec<&str> {
        let reason = |outcome: &'_ Outcome| matches!(outcome, Outcome::NotChosen { .. });
        let decisions = self.log.decisions.iter().filter(|decision| reason(&decision.outcome));
        let reason = decisions.map(|decision| match &decision.outcome {
            Outcome::NotChosen { reason, .. } => reason.as_str(),
            Outcome::Merged { .. } | Outcome::Done { .. } | Outcome::Refused { .. } => unreachable!("filtered"),
        });
        reason.collect()
    }
}

/// Loops with the times of their statements, `par` for those that are parallel: `for S0 i, S1 2j+1 {`.
pub(crate) fn tree_text(scop: &Scop, tree: &FusedTree) -> String {
    let mut text = String::new();
    write(scop, &tree.body, 0, &mut text);
    text
}

fn write(scop: &Scop, body: &[Fused], depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for fused in body {
        match fused {
            Fused::Statement(statement) => text.push_str(&format!("{indent}{statement}\n")),
            Fused::Loop(fused) => {
                let times: Vec<String> =
                    fused.members.iter().map(|member| time(scop, fused, member.statement)).collect();
                let kind = if fused.is_parallel { "par" } else { "for" };
                text.push_str(&format!("{indent}{kind} {} {{\n", times.join(", ")));
                write(scop, &fused.body, depth + 1, text);
                text.push_str(&format!("{indent}}}\n"));
            }
        }
    }
}

fn time(scop: &Scop, fused: &FusedLoop, statement: Statement) -> String {
    let member = fused.member(statement).unwrap();
    let scale = match member.scale {
        1 => String::new(),
        -1 => "-".to_string(),
        scale => scale.to_string(),
    };
    let shift = if member.shift == 0 { String::new() } else { format!("{:+}", member.shift) };
    let factor = |factor: i64| if factor.abs() == 1 { String::new() } else { factor.abs().to_string() };
    let sign = |factor: i64| if factor < 0 { '-' } else { '+' };
    let offset = member.offset.iter().map(|&(param, of)| format!("{}{}{param}", sign(of), factor(of)));
    format!("{statement} {scale}{}{}{shift}", scop.loops[member.source].name, offset.collect::<String>())
}
