//! Values of L0 while they are lowered: flat lists of operands, one per component of the type.
//!
//! Invariant: components that share a dimension have the same extent there, not merely an equal one. So a value needs no
//! certificate that its components have one length; `zip` makes it so by views that list the certificate. See
//! Note [Certificates of zip].

use super::emit::Emitter;
use crate::l0::signature::{Component, Flat};
use crate::l0::types::{ArrayType, Type};
use frit_ir::FailureKind;
use frit_ir::array::{self as ir, Extent, Op, Operand, Value, View};
use frit_ir::scalar::{Const, Scalar};

/// The components of a value.
pub(super) type Parts = Vec<Operand>;

/// A value with its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) ty: Type,
    pub(super) parts: Parts,
}

/// The array that an operand of an array type is.
pub(super) fn array_value(operand: Operand) -> Value {
    operand.value().expect("an array is a value")
}

/// The types of components whose dimensions have these extents.
pub(super) fn component_types(flat: &Flat, extents: &[Extent]) -> Vec<ir::Type> {
    let ty = |component: &Component| {
        ir::Type::array(component.elem, component.dims.iter().map(|&dim| extents[dim]).collect())
    };
    flat.components.iter().map(ty).collect()
}

/// The type of an array of these rows.
pub(super) fn array_of(row: &Type) -> Type {
    Type::array_of(row, false)
}

/// The array type that a type is.
pub(super) fn array_type(ty: &Type) -> &ArrayType {
    match ty {
        Type::Array(array) => array,
        Type::Basic(_) | Type::Tuple(_) | Type::Error => unreachable!("the checker knows that {ty} is an array"),
    }
}

/// The components of a tuple type.
pub(super) fn fields(ty: &Type) -> &[Type] {
    match ty {
        Type::Tuple(fields) => fields,
        Type::Basic(_) | Type::Array(_) | Type::Error => unreachable!("the checker knows that {ty} is a tuple"),
    }
}

impl Typed {
    pub(super) fn new(ty: Type, parts: Parts) -> Self {
        debug_assert_eq!(ty.flat().components.len(), parts.len(), "one operand per component of {ty}");
        Self { ty, parts }
    }

    /// The type of the rows of an array.
    pub(super) fn row_type(&self) -> Type {
        array_type(&self.ty).row()
    }
}

impl Emitter {
    /// The extents of a value's dimensions.
    pub(super) fn extents(&self, flat: &Flat, parts: &[Operand]) -> Vec<Extent> {
        let mut extents = vec![None; flat.dims];
        for (component, &part) in flat.components.iter().zip(parts) {
            if let Operand::Value(value) = part {
                for (&dim, &extent) in component.dims.iter().zip(&self.ty(value).shape) {
                    extents[dim].get_or_insert(extent);
                }
            }
        }
        let resolve = |extent: Option<Extent>| {
            let extent = extent.expect("every dimension occurs in a component");
            self.resolve(extent.into()).extent()
        };
        extents.into_iter().map(resolve).collect()
    }

    /// The extents of a value's dimensions.
    pub(super) fn extents_of(&self, value: &Typed) -> Vec<Extent> {
        self.extents(&value.ty.flat(), &value.parts)
    }

    /// The outermost extent of an array.
    pub(super) fn outer_extent(&self, value: &Typed) -> Extent {
        self.extents_of(value)[0]
    }

    /// What the components of an array hold at an index in bounds, the placeholder of empty elements included.
    pub(super) fn cells(&mut self, arrays: &[Operand], index: Operand) -> Vec<Operand> {
        let cell = |&part: &Operand| {
            let part = array_value(part);
            let ty = self.ty(part).row(1);
            self.emit_alias(Op::Index { array: part, indices: vec![index] }, ty, Vec::new(), part).into()
        };
        arrays.iter().map(cell).collect()
    }

    /// The value of this element type that cells of an array are.
    pub(super) fn element(ty: &Type, cells: Vec<Operand>) -> Parts {
        if ty.is_empty() { Vec::new() } else { cells }
    }

    /// The cells that make a value of this type an element of an array.
    pub(super) fn as_cells(ty: &Type, parts: Parts) -> Vec<Operand> {
        if ty.is_empty() { vec![Const::Cert.into()] } else { parts }
    }

    /// The components under certificates, with these extents, which are equal to their own under the certificates.
    pub(super) fn guarded(&mut self, flat: &Flat, parts: Parts, extents: &[Extent], certs: &[Value]) -> Parts {
        let types = component_types(flat, extents);
        let guard = |(part, ty): (Operand, ir::Type)| {
            if ty.is_scalar() {
                return part;
            }
            let view = View::Slice { starts: vec![Operand::i64(0); ty.rank()], steps: vec![1; ty.rank()] };
            let part = array_value(part);
            self.emit_alias(Op::View { array: part, view }, ty, certs.to_vec(), part).into()
        };
        parts.into_iter().zip(types).map(guard).collect()
    }

    /// The arrays with one outermost extent: that of the first. Checks that their lengths agree.
    pub(super) fn aligned(&mut self, arrays: Vec<Typed>, certs: &[Value]) -> Vec<Typed> {
        let Some(first) = arrays.first() else { return arrays };
        let outer = self.outer_extent(first);
        let mut certs = certs.to_vec();
        for other in &arrays[1..] {
            let found = self.outer_extent(other);
            certs.extend(self.check_same(FailureKind::LengthMismatch, outer, found));
        }
        if certs.is_empty() {
            // Equal by construction; the names of equal extents may still differ.
            return arrays.into_iter().map(|array| self.with_outer_extent(array, outer, &[])).collect();
        }
        arrays.into_iter().map(|array| self.guard_array(array, outer, &certs)).collect()
    }

    fn with_outer_extent(&mut self, array: Typed, outer: Extent, certs: &[Value]) -> Typed {
        if self.resolve(self.outer_extent(&array).into()) == self.resolve(outer.into()) {
            return array;
        }
        self.guard_array(array, outer, certs)
    }

    fn guard_array(&mut self, array: Typed, outer: Extent, certs: &[Value]) -> Typed {
        let flat = array.ty.flat();
        let mut extents = self.extents(&flat, &array.parts);
        extents[0] = outer;
        let parts = self.guarded(&flat, array.parts, &extents, certs);
        Typed { ty: array.ty, parts }
    }

    /// `[{r1, ..., rn}]` from arrays `[r1]`, ..., `[rn]` with one outermost extent.
    pub(super) fn zipped(arrays: Vec<Typed>) -> Typed {
        let fields: Vec<Type> = arrays.iter().map(Typed::row_type).collect();
        let all_empty = fields.iter().all(Type::is_empty);
        let mut parts = Vec::new();
        for (at, (array, field)) in arrays.into_iter().zip(&fields).enumerate() {
            // Only an array without any component needs a placeholder, and only one.
            if !field.is_empty() || (all_empty && at == 0) {
                parts.extend(array.parts);
            }
        }
        Typed::new(array_of(&Type::tuple(fields)), parts)
    }

    /// The arrays `[r1]`, ..., `[rn]` of `[{r1, ..., rn}]`, one behind the other.
    pub(super) fn unzipped(&mut self, array: Typed) -> Parts {
        let row = array.row_type();
        let outer = self.outer_extent(&array);
        let mut rest = array.parts.into_iter();
        let mut parts = Vec::new();
        for field in fields(&row) {
            if field.is_empty() {
                let ty = ir::Type::array(Scalar::Cert, vec![outer]);
                let placeholder = Op::Replicate { n: outer.into(), x: Const::Cert.into() };
                parts.push(self.emit_one(placeholder, ty, Vec::new()).into());
            } else {
                parts.extend(rest.by_ref().take(field.flat().components.len()));
            }
        }
        parts
    }
}

// Note [Certificates of zip]
//
// The thesis (section 4.2) gives every array of tuples a certificate that its components have one length, also as a
// parameter and result of functions. Here sizes are part of types, so the length is one extent that all components
// mention, and what remains is to tie everything computed from a `zip` to its assertion: `zip` yields views of its
// operands, with the first one's extent, that list the certificate. Views cost nothing, and inlining keeps the dependence.
