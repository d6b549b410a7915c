//! Built-in functions that take no functions.

use super::expression::tuple_rows;
use super::{Checker, place};
use crate::l0::ast::{self, Constant};
use crate::l0::error::L0Error;
use crate::l0::typed::{Builtin, Expr, ExprKind};
use crate::l0::types::{ArrayType, Type};
use frit_support::Span;

impl<'p> Checker<'_, 'p> {
    pub(super) fn builtin(&mut self, builtin: &ast::Builtin, operands: &'p [ast::Expr], span: Span) -> Expr {
        let operands = self.exprs(operands);
        match self.builtin_type(builtin, &operands, span) {
            Some((builtin, ty)) => Expr { kind: ExprKind::Builtin { builtin, operands }, ty, span },
            None => self.mistaken(span, operands),
        }
    }

    /// The function with its constants understood, and the type of its result; `None` if something does not fit, which
    /// is reported. The parser counted the operands.
    fn builtin_type(&mut self, builtin: &ast::Builtin, operands: &[Expr], span: Span) -> Option<(Builtin, Type)> {
        match builtin {
            ast::Builtin::Iota => {
                self.operand(&operands[0], &Type::INT, "the argument of `iota`");
                Some((Builtin::Iota, Type::array_of(&Type::INT, true)))
            }
            ast::Builtin::Replicate => {
                self.operand(&operands[0], &Type::INT, "the first argument of `replicate`");
                let row = &operands[1].ty;
                Some((Builtin::Replicate, Type::array_of(row, row.is_unique())))
            }
            ast::Builtin::Copy => Some((Builtin::Copy, operands[0].ty.with_uniqueness(true))),
            ast::Builtin::Assert => {
                self.operand(&operands[0], &Type::BOOL, "the argument of `assert`");
                Some((Builtin::Assert, Type::CERT))
            }
            ast::Builtin::Conjoin => {
                for operand in operands {
                    self.operand(operand, &Type::CERT, "an argument of `conjoin`");
                }
                Some((Builtin::Conjoin, Type::CERT))
            }
            ast::Builtin::Zip => {
                let arrays: Vec<_> = operands.iter().map(|operand| self.operand_array(operand, "zip")).collect();
                let arrays = arrays.into_iter().collect::<Option<Vec<_>>>()?;
                let row = self.tuple_type(arrays.iter().map(ArrayType::row).collect(), span);
                Some((Builtin::Zip, Type::array_of(&row, false)))
            }
            ast::Builtin::Unzip => {
                let array = match &operands[0].ty {
                    Type::Array(array) if tuple_rows(array).is_some() => array,
                    Type::Error => return None,
                    found => {
                        let span = place(&operands[0]);
                        self.errors.push(L0Error::UnzipOfNoTuples { span, found: found.clone() });
                        return None;
                    }
                };
                let rows = tuple_rows(array)?;
                let columns = rows.iter().map(|row| Type::array_of(row, array.unique)).collect();
                Some((Builtin::Unzip, Type::tuple(columns)))
            }
            ast::Builtin::Size(dimension) => {
                let array = self.operand_array(&operands[0], "size")?;
                let at = self.dimension(*dimension, dimension.value, &array, &operands[0])?;
                Some((Builtin::Size(at), Type::INT))
            }
            ast::Builtin::Split => {
                self.operand(&operands[0], &Type::INT, "the first argument of `split`");
                self.operand_array(&operands[1], "split")?;
                let part = operands[1].ty.clone();
                Some((Builtin::Split, Type::tuple(vec![part.clone(), part])))
            }
            ast::Builtin::Concat => {
                let first = self.operand_array(&operands[0], "concat");
                let second = self.operand_array(&operands[1], "concat");
                let (first, second) = (first?, second?);
                if !operands[0].ty.matches(&operands[1].ty) {
                    self.errors.push(L0Error::TypeMismatch {
                        span: place(&operands[1]),
                        what: "the second argument of `concat`".to_string(),
                        expected: operands[0].ty.clone(),
                        found: operands[1].ty.clone(),
                        because: Some((operands[0].span, "the first argument is this")),
                    });
                    return None;
                }
                let unique = first.unique && second.unique;
                Some((Builtin::Concat, Type::Array(ArrayType { unique, ..first })))
            }
            ast::Builtin::Reshape => {
                let (array, sizes) = operands.split_last()?;
                for size in sizes {
                    self.operand(size, &Type::INT, "a size given to `reshape`");
                }
                let array = self.operand_array(array, "reshape")?;
                Some((Builtin::Reshape, Type::Array(ArrayType { rank: sizes.len(), ..array })))
            }
            ast::Builtin::Rearrange(dimensions) => {
                let array = self.operand_array(&operands[0], "rearrange")?;
                let mut is_taken = vec![false; array.rank];
                let mut permutation = Vec::new();
                for dimension in dimensions {
                    let at = usize::try_from(dimension.value).ok().filter(|at| *at < array.rank);
                    match at {
                        Some(at) if !std::mem::replace(&mut is_taken[at], true) => permutation.push(at),
                        _ => break,
                    }
                }
                if permutation.len() != dimensions.len() || permutation.len() != array.rank {
                    let span = match (dimensions.first(), dimensions.last()) {
                        (Some(first), Some(last)) => first.span.to(last.span),
                        (_, _) => span,
                    };
                    self.errors.push(L0Error::NotAPermutation {
                        span,
                        rank: array.rank,
                        array: operands[0].span,
                        found: operands[0].ty.clone(),
                    });
                    return None;
                }
                Some((Builtin::Rearrange(permutation), operands[0].ty.clone()))
            }
            ast::Builtin::Transpose(constants) => {
                let array = self.operand_array(&operands[0], "transpose")?;
                let (from, to) = match constants {
                    None if array.rank >= 2 => (0, 1),
                    None => {
                        let found = operands[0].ty.clone();
                        self.errors.push(L0Error::TransposeOfVector { span: place(&operands[0]), found });
                        return None;
                    }
                    Some((dimension, distance)) => {
                        let from = self.dimension(*dimension, dimension.value, &array, &operands[0]);
                        let from = from?;
                        let to = dimension.value.saturating_add(distance.value);
                        (from, self.dimension(*distance, to, &array, &operands[0])?)
                    }
                };
                let mut permutation: Vec<_> = (0..array.rank).filter(|at| *at != from).collect();
                permutation.insert(to, from);
                Some((Builtin::Rearrange(permutation), operands[0].ty.clone()))
            }
        }
    }

    fn operand(&mut self, operand: &Expr, expected: &Type, what: &str) {
        self.expect_type(operand, expected, || what.to_string(), None);
    }

    fn operand_array(&mut self, operand: &Expr, function: &str) -> Option<ArrayType> {
        self.array(operand, || format!("the argument of `{function}`"))
    }

    /// A dimension of an array, which comes from `constant`; `None` if it is none, which is reported.
    fn dimension(&mut self, constant: Constant, value: i64, array: &ArrayType, operand: &Expr) -> Option<usize> {
        let at = usize::try_from(value).ok().filter(|at| *at < array.rank);
        if at.is_none() {
            self.errors.push(L0Error::NoSuchDimension {
                span: constant.span,
                dimension: value,
                rank: array.rank,
                array: operand.span,
                found: operand.ty.clone(),
            });
        }
        at
    }
}
