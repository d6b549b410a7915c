//! What was fused and what was not: the decision log that all levels share, and LLVM's remarks.

use crate::ir::{Block, Func, Location};
use crate::refusal::Refusal;
use crate::region::{Kind, Region, location};
use crate::sys;
use serde_json::{Value as Json, json};
use std::ffi::CString;

/// A loop, as a report names it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) label: String,
    pub(crate) location: Option<Location>,
}

/// What became of a pair of loops.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// They are one loop.
    Merged { into: String, shift: i64, checked: bool },
    /// They stay apart.
    Apart(Refusal),
}

/// One decision.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) function: String,
    pub(crate) first: Named,
    pub(crate) second: Named,
    pub(crate) outcome: Outcome,
}

/// What was decided in one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) function: String,
    pub(crate) fusions: usize,
    pub(crate) decisions: Vec<Decision>,
    /// Loads that take what was stored from a register, and memory that is no longer needed.
    pub(crate) forwarded: usize,
    pub(crate) removed: usize,
}

impl Named {
    /// A node of a region that is a loop.
    pub(crate) fn of(region: &Region, node: usize) -> Named {
        let (header, latch) = match &region.nodes[node].kind {
            Kind::Loop(node) => return Named { label: node.candidate.header.label(), location: node.location() },
            Kind::Opaque { refused: Some((of, _)), .. } => (of.header(), of.latch().unwrap_or(of.header())),
            Kind::Opaque { from, .. } => (*from, *from),
            Kind::Code(value) => (value.block(), value.block()),
        };
        Named { label: header.label(), location: location(header, latch) }
    }

    fn json(&self) -> Json {
        match &self.location {
            Some(place) => {
                json!({"label": self.label, "file": place.file, "line": place.line, "column": place.column})
            }
            None => json!({"label": self.label}),
        }
    }

    fn text(&self) -> String {
        match &self.location {
            Some(place) => format!("line {}", place.line),
            None if self.label.is_empty() => "a loop without a name".into(),
            None => format!("`{}`", self.label),
        }
    }
}

impl Decision {
    fn json(&self) -> Json {
        let mut all = json!({
            "rule": "loop-fusion",
            "function": self.function,
            "first": self.first.json(),
            "second": self.second.json(),
        });
        let more = match &self.outcome {
            Outcome::Merged { into, shift, checked } => {
                json!({"outcome": "merged", "into": into, "shift": shift, "checked": checked})
            }
            Outcome::Apart(refusal) => json!({
                "outcome": if refusal.is_choice() { "not-chosen" } else { "refused" },
                "code": refusal.code(),
                "reason": refusal.to_string(),
            }),
        };
        for (key, value) in more.as_object().expect("it is one") {
            all[key] = value.clone();
        }
        all
    }

    /// Leaves a remark of LLVM's at a place in the loops. `at` still stands in the function.
    pub(crate) fn remark(&self, emitter: *mut sys::Emitter, at: Block) {
        let (kind, name, text) = match &self.outcome {
            Outcome::Merged { shift, checked, .. } => {
                let late = match shift {
                    0 => String::new(),
                    1 => ", the second one iteration late".into(),
                    _ => format!(", the second {shift} iterations late"),
                };
                let checked = if *checked { ", where a check finds that their memory does not overlap" } else { "" };
                let (first, second) = (self.first.text(), self.second.text());
                (0, "Fused".to_string(), format!("fused the loops at {first} and {second}{late}{checked}"))
            }
            Outcome::Apart(refusal) if self.first.label == self.second.label => {
                let code = refusal.code();
                (1, camel_case(code), format!("cannot fuse the loop at {}: {refusal} [{code}]", self.first.text()))
            }
            Outcome::Apart(refusal) => {
                let (first, second) = (self.first.text(), self.second.text());
                let code = refusal.code();
                (1, camel_case(code), format!("did not fuse the loops at {first} and {second}: {refusal} [{code}]"))
            }
        };
        let (name, text) = (CString::new(name).unwrap_or_default(), CString::new(text).unwrap_or_default());
        let place = at.instructions().into_iter().find(|instruction| instruction.location().is_some());
        let place = place.unwrap_or_else(|| at.terminator());
        // SAFETY: the emitter is null or of this function.
        unsafe { sys::frit_remark(emitter, kind, name.as_ptr(), place.0, text.as_ptr()) }
    }
}

/// `no-reuse` as LLVM names remarks, `NoReuse`.
fn camel_case(code: &str) -> String {
    let parts = code.split('-');
    parts.map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

/// The log of several functions, as JSON.
pub(crate) fn log(reports: &[Report]) -> Json {
    let decisions: Vec<Json> = reports.iter().flat_map(|report| report.decisions.iter().map(Decision::json)).collect();
    let functions: Vec<Json> = reports
        .iter()
        .map(|report| {
            json!({
                "name": report.function,
                "fusions": report.fusions,
                "forwarded": report.forwarded,
                "removed": report.removed,
            })
        })
        .collect();
    json!({"decisions": decisions, "functions": functions})
}

impl Report {
    pub(crate) fn new(func: Func) -> Report {
        Report { function: func.name(), ..Report::default() }
    }
}
