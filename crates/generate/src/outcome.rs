//! What programs do when they run, and whether two runs do the same.

use frit_interp::{Options, RunError, array::run_writing};
use frit_ir::array::Program;
use frit_ir::{Const, Tensor};

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It yields these results.
    Results(Vec<Tensor>),
    /// It fails.
    Failed,
    /// It is too large, or takes too long.
    GaveUp,
}

impl Outcome {
    /// Whether both yield the same results, or both fail, or one of them gave up.
    pub fn agrees(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::GaveUp, _) | (_, Outcome::GaveUp) | (Outcome::Failed, Outcome::Failed) => true,
            (Outcome::Results(a), Outcome::Results(b)) => same(a, b),
            (Outcome::Failed, Outcome::Results(_)) | (Outcome::Results(_), Outcome::Failed) => false,
        }
    }

    /// Its name in a tally of outcomes.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Results(_) => "(results)",
            Outcome::Failed => "(failures)",
            Outcome::GaveUp => "(too large)",
        }
    }
}

/// Whether results are the same, bit for bit; any two that are not a number are the same.
pub fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let same_scalar = |a: Const, b: Const| match (a, b) {
        (Const::F64(a), Const::F64(b)) => a == b || f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan(),
        _ => a == b,
    };
    let same_tensor = |(a, b): (&Tensor, &Tensor)| {
        a.shape() == b.shape() && (0..a.data().len()).all(|at| same_scalar(a.data().get(at), b.data().get(at)))
    };
    a.len() == b.len() && a.iter().zip(b).all(same_tensor)
}

/// How a run of the program ends, and what it writes before that; or why the interpreter finds the program wrong.
pub fn run(program: &Program, inputs: &[Tensor]) -> Result<(Outcome, String), String> {
    let limits = Options { memory: 1 << 24, fuel: Some(400_000), ..Options::default() };
    let mut text = String::new();
    let entry = program.entry.expect("the program has an entry");
    let outcome = match run_writing(program, entry, inputs.to_vec(), &limits, &mut |piece| text += piece) {
        Ok(results) => Outcome::Results(results),
        Err(RunError::Failed(_)) => Outcome::Failed,
        Err(RunError::Exhausted | RunError::OutOfFuel | RunError::StackTooDeep) => Outcome::GaveUp,
        Err(RunError::Broken(message)) => return Err(format!("the interpreter finds a wrong program: {message}")),
    };
    Ok((outcome, text))
}

/// What a run writes, if it succeeds and stays within limits.
pub fn written(program: &Program, inputs: &[Tensor]) -> Option<String> {
    match run(program, inputs).unwrap_or_else(|error| panic!("{error}\n{program}")) {
        (Outcome::Results(_), text) => Some(text),
        _ => None,
    }
}
