//! Explanations for other programs. The manual documents the keys; they are only ever added to.

use super::intermediates::{Intermediate, Storage};
use super::moved::{Moved, Mover};
use super::sizes::{self, Amount};
use super::summary::{Running, Summary, summary};
use super::{Decision, Explanation, Loop, Outcome, Plan, Saving, Stage};
use crate::graph::{Graph, NodeKind};
use crate::source::Unit;
use frit_support::Span;
use serde_json::{Map, Value, json};

/// The explanation as one JSON object, on one line.
pub fn print(explanation: &Explanation, unit: &Unit) -> String {
    let report = Report { explanation, unit };
    let sizes: Vec<Value> =
        explanation.sizes.iter().map(|size| json!({ "name": size.name, "is": size.is, "value": size.value })).collect();
    let object = json!({
        "file": unit.name,
        "summary": report.summary(),
        "sizes": sizes,
        "decisions": explanation.decisions.iter().map(|decision| report.decision(decision)).collect::<Vec<_>>(),
        "how_loops_run": explanation.how_loops_run.iter().map(|decision| report.how_a_loop_runs(decision)).collect::<Vec<_>>(),
        "plans": explanation.plans.iter().map(|plan| report.plan(plan)).collect::<Vec<_>>(),
        "intermediates": explanation.intermediates.iter().map(|array| report.intermediate(array)).collect::<Vec<_>>(),
        "before": report.stage(&explanation.before),
        "after": report.stage(&explanation.after),
    });
    format!("{object}\n")
}

struct Report<'a> {
    explanation: &'a Explanation,
    unit: &'a Unit,
}

impl Report<'_> {
    fn summary(&self) -> Value {
        let Summary { verdict, loops, others, stored, apart, in_other_spaces } = summary(self.explanation, self.unit);
        let running = |one: &Running| json!({ "place": one.place, "source": one.source, "merged": one.merged, "moves": one.moves, "runs": one.runs });
        json!({
            "verdict": verdict,
            "loops": loops.iter().map(running).collect::<Vec<_>>(),
            "others": others,
            "stored": stored.iter().map(|array| &array.what).collect::<Vec<_>>(),
            "apart": apart.iter().map(|pair| json!({ "reason": pair.reason, "advice": pair.advice })).collect::<Vec<_>>(),
            "in_other_spaces": in_other_spaces,
        })
    }

    fn decision(&self, decision: &Decision) -> Value {
        let mut object = Map::new();
        object.insert("number".into(), json!(decision.number));
        object.insert("outcome".into(), json!(decision.word()));
        object.insert("rule".into(), json!(decision.rule));
        object.insert("function".into(), json!(decision.function));
        object.insert("first".into(), self.one_loop(&decision.first));
        object.insert("second".into(), decision.second.as_ref().map_or(Value::Null, |second| self.one_loop(second)));
        match &decision.outcome {
            Outcome::Merged { into, saved, passes } => {
                object.insert("into".into(), json!(into));
                object.insert("saves".into(), self.saving(saved));
                object.insert("passes".into(), json!(passes));
            }
            Outcome::Done { what } => drop(object.insert("what".into(), json!(what))),
            Outcome::NotChosen { reason, saving } => {
                object.insert("reason".into(), json!(reason));
                object.insert("saves".into(), self.saving(saving));
            }
            Outcome::Refused { code, reason, place } => {
                object.insert("code".into(), json!(code));
                object.insert("reason".into(), json!(reason));
                object.insert("place".into(), place.map_or(Value::Null, |place| self.place(place)));
            }
        }
        Value::Object(object)
    }

    /// As a decision about a merge, but about one loop, or several that it reads alike for.
    fn how_a_loop_runs(&self, decision: &Decision) -> Value {
        let mut object = Map::new();
        object.insert("number".into(), json!(decision.number));
        object.insert("outcome".into(), json!(decision.word()));
        object.insert("step".into(), json!(decision.rule));
        object.insert("function".into(), json!(decision.function));
        object.insert("loop".into(), self.one_loop(&decision.first));
        object.insert("loops".into(), json!(decision.count));
        match &decision.outcome {
            Outcome::Merged { .. } => {}
            Outcome::Done { what } => drop(object.insert("what".into(), json!(what))),
            Outcome::NotChosen { reason, .. } => drop(object.insert("reason".into(), json!(reason))),
            Outcome::Refused { code, reason, .. } => {
                object.insert("code".into(), json!(code));
                object.insert("reason".into(), json!(reason));
            }
        }
        Value::Object(object)
    }

    fn intermediate(&self, array: &Intermediate) -> Value {
        let mut object = Map::new();
        object.insert("function".into(), json!(array.function));
        object.insert("names".into(), json!(array.names));
        object.insert("place".into(), self.place(array.span));
        object.insert("fate".into(), json!(array.fate.word()));
        match &array.fate {
            Storage::Inline => {}
            Storage::Window(shape) => drop(object.insert("window".into(), json!(shape))),
            Storage::Root(code, reason) => {
                object.insert("code".into(), json!(code));
                object.insert("reason".into(), json!(reason));
            }
        }
        object.insert("whole".into(), array.whole.as_ref().map_or(Value::Null, |whole| self.amount(whole)));
        object.insert("stored".into(), self.amount(&array.stored));
        Value::Object(object)
    }

    fn one_loop(&self, one: &Loop) -> Value {
        json!({ "label": one.label, "kind": one.kind, "names": one.names, "place": self.place(one.span) })
    }

    fn plan(&self, plan: &Plan) -> Value {
        json!({
            "function": plan.function,
            "place": self.place(plan.span),
            "nodes": plan.nodes,
            "method": if plan.is_exact { "exact" } else { "greedy" },
            "moved_before": self.amount(&plan.before),
            "moved_after": self.amount(&plan.after),
        })
    }

    fn stage(&self, stage: &Stage) -> Value {
        let per_iteration =
            |(span, bytes): &(Span, Amount)| json!({ "loop": self.place(*span), "moved": self.amount(bytes) });
        let graph = |(function, graph): &(String, Graph)| json!({ "function": function, "graph": graph_value(graph) });
        json!({
            "with_loops": stage.with_loops,
            "passes": stage.nests,
            "intermediates": stage.intermediates.len(),
            "stored": self.amount(&stage.held),
            "moved": self.amount(&stage.moved),
            "all_moved": self.moved(&stage.all_moved()),
            "loops": stage.movers.iter().map(|mover| self.mover(mover)).collect::<Vec<_>>(),
            "per_iteration": stage.per_iteration.iter().map(per_iteration).collect::<Vec<_>>(),
            "graphs": stage.graphs.iter().map(graph).collect::<Vec<_>>(),
        })
    }

    fn mover(&self, mover: &Mover) -> Value {
        let Mover { function, at, around: _, total, per_iteration } = mover;
        let mut object = self.one_loop(at);
        object["function"] = json!(function);
        object["moved"] = self.moved(total);
        object["per_iteration"] = self.moved(per_iteration);
        object
    }

    fn moved(&self, moved: &Moved) -> Value {
        json!({ "read": self.amount(&moved.read), "written": self.amount(&moved.written) })
    }

    fn saving(&self, saving: &Saving) -> Value {
        json!({
            "moved": self.amount(&saving.bytes),
            "stored": self.amount(&saving.held),
            "repeated_operations": self.amount(&saving.work),
        })
    }

    fn amount(&self, amount: &Amount) -> Value {
        let term = |(monomial, coefficient): (&frit_support::Monomial<String>, i64)| {
            let sizes: Map<String, Value> =
                monomial.powers().iter().map(|(name, power)| (name.clone(), json!(power))).collect();
            json!({ "coefficient": coefficient, "sizes": sizes })
        };
        // Numbers beyond 2^53 lose digits in most readers; they are left as what they are to a real.
        let value = self.explanation.value(amount);
        let value = value.map(|value| i64::try_from(value).map_or_else(|_| json!(value as f64), |value| json!(value)));
        json!({
            "text": sizes::text(amount),
            "terms": amount.terms().map(term).collect::<Vec<_>>(),
            "value": value,
        })
    }

    /// The start of a span; null where there is no source.
    fn place(&self, span: Span) -> Value {
        match self.unit.sources.position(span) {
            Some(place) => json!({ "file": place.file, "line": place.line, "column": place.column }),
            None => Value::Null,
        }
    }
}

fn graph_value(graph: &Graph) -> Value {
    let kind = |kind: NodeKind| match kind {
        NodeKind::Parameter => "parameter",
        NodeKind::Result => "result",
        NodeKind::WithLoop => "with-loop",
        NodeKind::Statement => "statement",
    };
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .map(|node| {
            json!({
                "id": node.id,
                "kind": kind(node.kind),
                "title": node.title,
                "details": node.details,
                "inside": graph_value(&node.inside),
            })
        })
        .collect();
    let id = |at: usize| &graph.nodes[at].id;
    let edges: Vec<Value> = graph
        .edges
        .iter()
        .map(|edge| json!({ "from": id(edge.from), "to": id(edge.to), "types": edge.labels, "scalar": edge.is_scalar }))
        .collect();
    json!({ "nodes": nodes, "edges": edges })
}
