//! The structure of arrays whose elements are of a type that the program defines: `dim`, `shape` and the like. For the types of
//! the language they are functions of the library; no library can list the types of programs.

use super::Checker;
use super::expression::Value;
use super::modules::DeclId;
use super::prims::prim;
use super::types::{INT, Ty, any, cells_along};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Expr, ExprKind, Prim, With};
use frit_support::Span;

/// Where each of the functions has the array among its arguments, by their number.
fn array_at(name: &str, count: usize) -> Option<usize> {
    match (name, count) {
        ("dim" | "shape", 1) => Some(0),
        ("sel" | "reshape" | "genarray", 2) => Some(1),
        ("modarray", 3) => Some(0),
        _ => None,
    }
}

impl Checker<'_> {
    /// A call of one of these functions, if none of the candidates takes the arguments' elements.
    pub(super) fn structural_call(
        &mut self,
        name: &str,
        candidates: &[DeclId],
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let at = array_at(name, args.len())?;
        if !matches!(args[at].ty.elem, Some(Elem::Nominal(_) | Elem::Struct(_))) {
            return None;
        }
        if candidates.iter().any(|id| self.signature(*id).params.len() == args.len() && self.takes(*id, args)) {
            return None;
        }
        let is_index = |arg: &Value| arg.ty.elem == Some(INT) && arg.ty.class.least_rank() <= 1;
        match name {
            "dim" => {
                let args = vec![args[0].expr.clone()];
                Some(prim(Prim::Dim, args, Ty::scalar(INT), span))
            }
            "shape" => {
                let ty = match &args[0].ty.class {
                    Class::Extents(extents) => Ty::known(extents.clone()),
                    Class::AtLeast(_) => Ty::index(None),
                };
                Some(prim(Prim::Shape, vec![args[0].expr.clone()], ty, span))
            }
            "sel" if is_index(&args[0]) => Some(self.selection(args[1].clone(), args[0].clone(), span)),
            "modarray" if is_index(&args[1]) => {
                Some(self.replacement(args[0].clone(), args[1].clone(), args[2].clone(), span))
            }
            "reshape" if is_index(&args[0]) => {
                let class = frame_class(&args[0]);
                let ty = Ty::new(args[1].ty.elem?, class);
                let args = args.iter().map(|arg| arg.expr.clone()).collect();
                Some(prim(Prim::Reshape, args, ty, span))
            }
            "genarray" if is_index(&args[0]) => {
                let cell = &args[1];
                let class = cells_along(&frame_class(&args[0]), &cell.ty.class);
                let mut cells = Vec::new();
                let (operation, ty) = self.genarray(args[0].clone(), Some(cell.clone()), &mut cells)?;
                let with = With { generators: Vec::new(), operations: vec![operation] };
                let expr = Expr { kind: ExprKind::With(Box::new(with)), span };
                Some(Value { expr, ty: Ty { class, ..ty }, is_literal: false })
            }
            _ => None,
        }
    }
}

/// The class of arrays whose shape is this value.
pub(super) fn frame_class(shape: &Value) -> Class {
    match (&shape.ty.value, shape.ty.length()) {
        (Some(value), _) => Class::Extents(value.to_vec()),
        (None, Some(n)) => Class::Extents(vec![None; n]),
        (None, None) if shape.ty.is_scalar() => Class::Extents(vec![super::expression::as_int(&shape.expr)]),
        (None, None) => any(),
    }
}
