//! The loops of a nest in another order.

use super::{Primitive, Refusal};
use crate::reduction::regroupable;
use crate::{Options, Subject};
use frit_ir::array::Operator;
use frit_ir::array::schedule::{Nest, Run};

/// The axes in this order, outermost first.
#[derive(Clone, Debug)]
pub struct Order {
    /// For each place, the axis of the index space: a permutation.
    pub axes: Vec<usize>,
}

impl Primitive for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn prove(&self, subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), Refusal> {
        let mut sorted = self.axes.clone();
        sorted.sort_unstable();
        if sorted != (0..nest.axes.len()).collect::<Vec<_>>() {
            return Err(Refusal::NoSuchAxis);
        }
        if nest.axes.iter().any(|axis| matches!(axis.run, Run::Chunks { .. } | Run::Blocks)) {
            return Err(Refusal::NotOutermost);
        }
        prove_any_order(subject, options)
    }

    fn apply(&self, nest: &mut Nest) {
        nest.axes.sort_by_key(|axis| self.axes.iter().position(|&at| at == axis.at));
    }
}

/// That the indices may be visited in any order.
pub(crate) fn prove_any_order(subject: &Subject<'_>, options: &Options) -> Result<(), Refusal> {
    for operator in &subject.data.operators {
        match &operator.op {
            Operator::GenArray | Operator::ModArray { .. } => {}
            Operator::Fold { combine, .. } => {
                let operations = regroupable(subject.func, combine, options.strict_fp).ok_or(Refusal::Regroups)?;
                let elems = combine.params.iter().map(|&param| subject.func.ty(param).elem);
                if !operations.iter().zip(elems).all(|(known, elem)| known.op.is_commutative(elem)) {
                    return Err(Refusal::NeedsOrder);
                }
            }
            Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => return Err(Refusal::NeedsOrder),
        }
    }
    let grows = subject
        .data
        .operators
        .iter()
        .all(|operator| matches!(operator.op, Operator::GenArray | Operator::ModArray { .. }))
        && !subject.only_stores();
    if grows { Err(Refusal::NeedsOrder) } else { Ok(()) }
}
