//! What became of each array between loops, in the three words that users of Halide know: `inline`, `window`, `root`.

use super::Explanation;
use super::sizes::{self, Amount, Naming};
use crate::source::Unit;
use frit_fuse::array::traffic::SizeNames;
use frit_fuse::nest::{Fate, Report};
use frit_ir::array::{Program, Type};
use frit_ir::nest::{self, Binding, Var};
use frit_ir::scalar::Scalar;
use frit_plan::{Log, Outcome};
use frit_support::{Poly, Span};

/// An array that one loop makes and another uses.
#[derive(Clone, Debug)]
pub struct Intermediate {
    /// The function that it is in.
    pub function: String,
    /// Its names in the source; none for one that has none there.
    pub names: Vec<String>,
    /// Where it comes from.
    pub span: Span,
    /// Its line in the source, if it has one.
    pub line: Option<usize>,
    /// It stood between loop nests; others went when with-loops were merged.
    pub is_of_nests: bool,
    /// What became of it.
    pub fate: Storage,
    /// Its bytes if all of it is stored; `None` if it was never planned to be.
    pub whole: Option<Amount>,
    /// The bytes that are stored; for a window, by each thread.
    pub stored: Amount,
}

/// What became of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Its elements are computed where they are used.
    Inline,
    /// So much of it as is still needed is stored: its extents, as `5 x m`.
    Window(String),
    /// All of it is stored, for a reason: the stable code, and in words.
    Root(&'static str, String),
}

impl Storage {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Storage::Inline => "inline",
            Storage::Window(_) => "window",
            Storage::Root(..) => "root",
        }
    }
}

/// All intermediate arrays: those that merging with-loops removed, in the order of the log, then those between loop nests.
pub(super) fn intermediates(
    unit: &Unit,
    program: &Program,
    nests: &nest::Program,
    log: &Log,
    report: &Report,
    naming: &mut Naming,
) -> Vec<Intermediate> {
    let line = |span: Span| unit.sources.position(span).map(|place| place.line);
    let mut all = Vec::new();
    for decision in &log.decisions {
        if let Outcome::Merged { saved, .. } = &decision.outcome
            && (decision.rule == "with-loop-folding" || !saved.held.is_zero())
            && decision.rule != WINDOWS
        {
            let held = saved.held.rename(|&symbol| naming.name(&log.symbols[symbol]));
            all.push(Intermediate {
                function: decision.function.clone(),
                names: decision.first.names.clone(),
                span: decision.first.span,
                line: line(decision.first.span),
                is_of_nests: false,
                fate: Storage::Inline,
                whole: (!held.is_zero()).then_some(held),
                stored: Amount::zero(),
            });
        }
    }
    for array in &report.arrays {
        let names = Names::of(program, nests, &array.function);
        let mut amount = |size: &Poly<Var>| size.rename(|&var| naming.name(&names.name(var)));
        let whole = amount(&array.bytes);
        let (fate, stored) = match &array.fate {
            Fate::Root(refusal) => (Storage::Root(refusal.code(), refusal.reason()), whole.clone()),
            Fate::Scalar => (Storage::Inline, Amount::zero()),
            Fate::Window { shape, bytes } => {
                let shape: Vec<String> = shape.iter().map(|extent| sizes::text(&amount(extent))).collect();
                (Storage::Window(shape.join(" x ")), amount(bytes))
            }
        };
        all.push(Intermediate {
            function: array.function.clone(),
            names: array.name.iter().cloned().collect(),
            span: array.span,
            line: line(array.span),
            is_of_nests: true,
            fate,
            whole: Some(whole),
            stored,
        });
    }
    all
}

/// The rule that makes windows.
const WINDOWS: &str = "windows";

/// What the integers of a procedure are called: those of its function's sizes and parameters, in the same order.
struct Names {
    known: Vec<(Var, String)>,
}

impl Names {
    fn of(program: &Program, nests: &nest::Program, function: &str) -> Names {
        let proc = nests.procs.iter().map(|(_, proc)| proc).find(|proc| proc.name == function);
        let func = program.funcs.iter().find(|(_, func)| *func.name == *function);
        let (Some(proc), Some((id, func))) = (proc, func) else { return Names { known: Vec::new() } };
        let is_int = |binding: &Binding| match binding {
            Binding::Var(var) if proc.vars[*var].scalar == Scalar::I64 => Some(*var),
            Binding::Var(_) | Binding::Array(_) => None,
        };
        let vars: Vec<Var> = proc.params.iter().filter_map(is_int).collect();
        let names = SizeNames::of(func);
        let is_entry = program.entry.is_none_or(|entry| entry == id);
        let prefix = if is_entry { String::new() } else { format!("{}.", func.name) };
        let scalars = func.params.iter().map(|param| param.value).filter(|&v| *func.ty(v) == Type::scalar(Scalar::I64));
        let values: Vec<String> =
            func.sizes.iter().copied().chain(scalars).map(|value| format!("{prefix}{}", names.name(value))).collect();
        let known = if vars.len() == values.len() { vars.into_iter().zip(values).collect() } else { Vec::new() };
        Names { known }
    }

    fn name(&self, var: Var) -> String {
        let known = self.known.iter().find(|(known, _)| *known == var);
        known.map_or_else(|| format!("%{var}"), |(_, name)| name.clone())
    }
}

impl Intermediate {
    /// What became of it, in a line.
    pub fn sentence(&self, explanation: &Explanation) -> String {
        let name =
            if self.names.is_empty() { "an array".to_string() } else { format!("`{}`", self.names.join("`, `")) };
        let line = self.line.map(|line| format!(" at line {line}")).unwrap_or_default();
        let whole = self.whole.as_ref().map(|whole| explanation.bytes(whole));
        let fate = match &self.fate {
            Storage::Inline => match whole {
                Some(whole) => format!("inline, nothing of {whole}"),
                None => "inline".into(),
            },
            Storage::Window(shape) => {
                let stored = explanation.bytes(&self.stored);
                let whole = whole.map(|whole| format!(" of {whole}")).unwrap_or_default();
                format!("window {shape}, {stored}{whole}")
            }
            Storage::Root(code, reason) => {
                format!("root, {}: {reason} [{code}]", whole.unwrap_or_default())
            }
        };
        format!("{name}{line}: {fate}")
    }
}
