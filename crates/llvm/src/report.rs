//! What was fused and what was not: the decision log that all levels share, and LLVM's remarks.

use crate::canonical;
use crate::facts::Loop;
use crate::ir::{Func, Location, Value};
use crate::prepare::Question;
use crate::refusal::Refusal;
use crate::region::{Region, location};
use crate::sys;
use serde_json::{Value as Json, json};
use std::ffi::CString;

/// A loop, as a report names it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) label: String,
    pub(crate) location: Option<Location>,
    /// The number that `canonical` gave it.
    pub(crate) number: Option<usize>,
}

/// What became of a pair of loops.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// They are one loop.
    Merged { into: String, shift: i64, asked: Vec<Question> },
    /// They stay apart. Where the reason is about one of them, it is about the second if so said.
    Apart { refusal: Refusal, of_second: bool },
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
        Named::of_loop(region.nodes[node].loop_of().expect("decisions are about loops"))
    }

    pub(crate) fn of_loop(of: Loop) -> Named {
        let (header, latch) = (of.header(), of.latch().unwrap_or(of.header()));
        Named { label: header.label(), location: location(header, latch), number: canonical::number_of(of) }
    }

    fn json(&self) -> Json {
        let mut all = json!({"label": self.label});
        if let Some(place) = &self.location {
            (all["file"], all["line"], all["column"]) = (json!(place.file), json!(place.line), json!(place.column));
            if let Some(place) = &place.called {
                all["called_at"] = json!({"file": place.file, "line": place.line, "column": place.column});
            }
        }
        all
    }

    fn text(&self) -> String {
        match &self.location {
            Some(place) => place.to_string(),
            None if self.label.is_empty() => "a loop without a name".into(),
            None => format!("`{}`", self.label),
        }
    }
}

impl Question {
    fn answered(self) -> &'static str {
        match self {
            Question::Memory => "their memory does not overlap",
            Question::Rows => "their rows do not overlap",
            Question::Entered => "all of them are entered",
            Question::Length => "they have iterations enough",
        }
    }
}

impl Decision {
    fn is_about_one(&self) -> bool {
        self.first.label == self.second.label
    }

    fn json(&self) -> Json {
        let mut all = json!({
            "rule": "loop-fusion",
            "function": self.function,
            "first": self.first.json(),
            "second": self.second.json(),
        });
        let more = match &self.outcome {
            Outcome::Merged { into, shift, asked } => {
                json!({"outcome": "merged", "into": into, "shift": shift, "checked": !asked.is_empty()})
            }
            Outcome::Apart { refusal, .. } => json!({
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

    /// Leaves a remark of LLVM's where the first loop begins, which ends with `at`. A loop that has none beside it, and cannot be
    /// fused, is no decision to speak of.
    pub(crate) fn remark(&self, emitter: *mut sys::Emitter, at: Value) {
        if self.is_about_one() {
            return;
        }
        let (kind, name, text) = match &self.outcome {
            Outcome::Merged { shift, asked, .. } => {
                let which = if *shift < 0 { "first" } else { "second" };
                let late = match shift.abs() {
                    0 => String::new(),
                    1 => format!(", the {which} one iteration late"),
                    shift => format!(", the {which} {shift} iterations late"),
                };
                let asked: Vec<&str> = asked.iter().map(|question| question.answered()).collect();
                let checked = match asked[..] {
                    [] => String::new(),
                    _ => format!(", where a check finds that {}", asked.join(" and ")),
                };
                let (first, second) = (self.first.text(), self.second.text());
                (0, "Fused".to_string(), format!("fused the loops at {first} and {second}{late}{checked}"))
            }
            Outcome::Apart { refusal, of_second } => {
                let (first, second) = (self.first.text(), self.second.text());
                let code = refusal.code();
                let whose = match (refusal.is_about_one(), of_second) {
                    (false, _) => "",
                    (true, false) => "as for the first, ",
                    (true, true) => "as for the second, ",
                };
                let text = format!("did not fuse the loops at {first} and {second}: {whose}{refusal} [{code}]");
                (1, camel_case(code), text)
            }
        };
        let (name, text) = (CString::new(name).unwrap_or_default(), CString::new(text).unwrap_or_default());
        // SAFETY: the emitter is null or of this function.
        unsafe { sys::frit_remark(emitter, kind, name.as_ptr(), at.0, text.as_ptr()) }
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
