//! Folds, scans and filters on threads: each chunk of the outermost axis has results of its own, which are combined in the
//! order of the chunks.

use super::{Primitive, Refusal, free_axis};
use crate::reduction::recognise;
use crate::{Options, Subject};
use frit_ir::array::schedule::{Nest, Run};
use frit_ir::array::{Func, Lambda, Operator};

/// The outermost axis is cut into chunks for threads.
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    /// Chunks for each thread.
    pub each: i64,
}

impl Primitive for Chunks {
    fn name(&self) -> &'static str {
        "chunks"
    }

    fn prove(&self, subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), Refusal> {
        free_axis(subject, nest, 0)?;
        let mut combines = false;
        for operator in &subject.data.operators {
            match &operator.op {
                Operator::GenArray | Operator::ModArray { .. } => {}
                Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                    combines = true;
                    may_regroup(subject.func, combine, options)?;
                }
                Operator::Filter { .. } => combines = true,
                Operator::Uniform => return Err(Refusal::NeedsOrder),
            }
        }
        if combines { Ok(()) } else { Err(Refusal::NothingToCombine) }
    }

    fn apply(&self, nest: &mut Nest) {
        nest.axes[0].run = Run::Chunks { each: self.each };
    }
}

/// The only axis is cut into parts, and each of these into chunks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks;

impl Primitive for Blocks {
    fn name(&self) -> &'static str {
        "blocks"
    }

    fn prove(&self, subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), Refusal> {
        Chunks { each: 1 }.prove(subject, nest, options)?;
        let is_scan = |op: &Operator| matches!(op, Operator::Scan { .. });
        let stores = |op: &Operator| matches!(op, Operator::GenArray | Operator::ModArray { .. });
        let operators = &subject.data.operators;
        let all = operators.iter().all(|operator| stores(&operator.op) || is_scan(&operator.op));
        if all && operators.iter().any(|operator| is_scan(&operator.op)) { Ok(()) } else { Err(Refusal::NotOnlyScans) }
    }

    fn apply(&self, nest: &mut Nest) {
        nest.axes[0].run = Run::Blocks;
    }
}

/// The combination may be regrouped, and its accumulators are scalars that chunks can keep.
fn may_regroup(func: &Func, combine: &Lambda, options: &Options) -> Result<(), Refusal> {
    let scalars = combine.params.iter().all(|&param| func.ty(param).is_scalar());
    let exact = || {
        recognise(func, combine).is_some_and(|operations| {
            let elems = combine.params.iter().map(|&param| func.ty(param).elem);
            operations.iter().zip(elems).all(|(known, elem)| known.op.is_exactly_associative(elem))
        })
    };
    if scalars && (!options.strict_fp || exact()) { Ok(()) } else { Err(Refusal::Regroups) }
}
