//! Combinators: calls of their function on rows and accumulators.

use super::alias::{Aliases, union};
use super::{Walk, result_of};
use crate::l0::error::{L0Error, NotUnique};
use crate::l0::typed::{Expr, Lambda, Soac, SoacKind};
use crate::l0::types::Type;

impl Walk<'_> {
    pub(super) fn soac(&mut self, soac: &Soac, expr: &Expr) -> Aliases {
        let accumulators = soac.starts.len();
        let types = |lambda: &Lambda| -> Vec<Type> {
            lambda.params.iter().map(|param| self.variables[*param].ty.clone()).collect()
        };
        // What the function takes: accumulators, then rows. `combine` takes accumulators twice.
        let mut takes = types(&soac.function);
        if let Some(combine) = &soac.combine {
            for (at, ty) in types(combine).iter().enumerate() {
                let at = at % accumulators.max(1);
                takes[at] = takes[at].join(ty);
            }
        }
        let (takes_starts, takes_rows) = takes.split_at(accumulators);

        let mut passed = Vec::new();
        let mut starts = Vec::new();
        for (start, wanted) in soac.starts.iter().zip(takes_starts) {
            let (aliases, mark) = self.operand(start);
            self.consume(start, &aliases, wanted, NotUnique::StartValue, mark);
            let arrays = aliases.arrays(wanted);
            let kept = union(arrays.into_iter().filter(|(unique, _)| !unique).map(|(_, regions)| regions));
            passed.push(kept.clone());
            starts.push(kept);
        }
        let mut operands = Vec::new();
        for (array, row) in soac.arrays.iter().zip(takes_rows) {
            let (aliases, mark) = self.operand(array);
            let consumes = row.has_unique_part();
            if consumes && soac.kind == SoacKind::Filter {
                self.errors.push(L0Error::FilterConsumesRows { span: soac.function.span });
            } else if consumes {
                let wanted = array.ty.with_uniqueness(true);
                self.consume(array, &aliases, &wanted, NotUnique::Rows, mark);
            } else {
                passed.push(aliases.regions());
            }
            operands.push(aliases);
        }

        passed.push(self.lambda(&soac.function));
        if let Some(combine) = &soac.combine {
            passed.push(self.lambda(combine));
        }
        if matches!(soac.kind, SoacKind::Reduce | SoacKind::Scan | SoacKind::Redomap) {
            self.check_accumulators(soac, takes_starts);
        }

        let passed = union(passed);
        let by_component = |aliases: Vec<Aliases>| match soac.is_tupleless {
            true => Aliases::Tuple(aliases.into()),
            false => aliases.into_iter().next().unwrap_or_else(Aliases::none),
        };
        match soac.kind {
            SoacKind::Map => result_of(&expr.ty, &passed),
            SoacKind::Filter => by_component(operands),
            SoacKind::Scan => {
                let results = result_types(&soac.function.result, soac.is_tupleless);
                let rows = results.iter().map(|ty| Aliases::All(result_of(ty, &passed).regions()));
                by_component(rows.collect())
            }
            SoacKind::Reduce | SoacKind::Redomap => {
                // Of no rows the result is the start value.
                let results = result_types(&soac.function.result, soac.is_tupleless);
                let from_start = |at: usize| starts.get(at).cloned().unwrap_or_default();
                let of_component = |(at, ty): (usize, &Type)| {
                    Aliases::of_type(ty, &mut |unique| if unique { from_start(at) } else { passed.clone() })
                };
                by_component(results.iter().enumerate().map(of_component).collect())
            }
        }
    }

    /// Checks that what serves as an accumulator is as unique as the function wants and says.
    fn check_accumulators(&mut self, soac: &Soac, takes: &[Type]) {
        for lambda in [Some(&soac.function), soac.combine.as_ref()].into_iter().flatten() {
            let results = result_types(&lambda.result, soac.is_tupleless);
            for (at, (result, wanted)) in results.iter().zip(takes).enumerate() {
                let mut needs: Vec<(&Type, &Type, _, NotUnique)> =
                    vec![(result, wanted, lambda.span, NotUnique::Accumulator)];
                // If the function consumes the start value, that was asked already.
                if let Some(start) = soac.starts.get(at).filter(|_| !wanted.has_unique_part()) {
                    needs.push((&start.ty, result, start.span, NotUnique::StartOfUniqueResult));
                }
                let row = soac.arrays.get(at).filter(|_| soac.kind != SoacKind::Redomap);
                // Rows that are tuples come from a `zip`, which is never unique; no accumulator is a row.
                let row_type = row.and_then(|array| match &array.ty {
                    Type::Array(array) => Some(array.row()).filter(|row| !matches!(row, Type::Tuple(_))),
                    Type::Basic(_) | Type::Tuple(_) | Type::Error => None,
                });
                if let (Some(row), Some(row_type)) = (row, &row_type) {
                    needs.push((row_type, result, row.span, NotUnique::RowsOfUniqueResult));
                }
                for (has, needs, span, why) in needs {
                    if has.matches(needs) && !has.is_subtype_of(needs) {
                        self.errors.push(L0Error::NotUnique { span, why, parameter: None });
                        return;
                    }
                }
            }
        }
    }
}

/// The results of a combinator's function one by one.
fn result_types(result: &Type, is_tupleless: bool) -> Vec<Type> {
    match result {
        Type::Tuple(types) if is_tupleless => types.to_vec(),
        Type::Basic(_) | Type::Tuple(_) | Type::Array(_) | Type::Error => vec![result.clone()],
    }
}
