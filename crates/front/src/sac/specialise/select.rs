//! Selection and replacement of elements and sub-arrays.

use super::value::{Data, Scalar, Value};
use super::{Result, Specialiser};
use frit_ir::FailureKind;
use frit_ir::array::{self, Extent, Op, Operand, Type};
use frit_support::Span;

impl Specialiser<'_> {
    /// `array[index]`
    pub(super) fn select(&mut self, array: &Value, index: &Value, span: Span) -> Result<Value> {
        let index = self.index_vector(index, self.rank(array), span)?;
        if index.is_empty() {
            return Ok(array.clone());
        }
        let shape = self.shape(array);
        let (indices, certs) = self.checked_indices(&index, &shape, span)?;
        Ok(self.select_checked(array, &indices, &certs))
    }

    /// The components of an index into an array of this rank.
    fn index_vector(&mut self, index: &Value, rank: usize, span: Span) -> Result<Vec<Scalar>> {
        let index_rank = self.rank(index);
        if index_rank > 1 {
            let args = vec![Operand::i64(1), Operand::i64(index_rank as i64)];
            return self.fail_with(FailureKind::RankMismatch, args, span);
        }
        let index = self.small_vector(index, span)?;
        if index.len() > rank {
            let args = vec![Operand::i64(rank as i64), Operand::i64(index.len() as i64)];
            return self.fail_with(FailureKind::IndexLength, args, span);
        }
        Ok(index)
    }

    /// The components as `i64`, and the certificates that they are in bounds.
    fn checked_indices(
        &mut self,
        index: &[Scalar],
        shape: &[Extent],
        span: Span,
    ) -> Result<(Vec<Operand>, Vec<array::Value>)> {
        let mut indices = Vec::with_capacity(index.len());
        let mut certs = Vec::new();
        for (&component, &extent) in index.iter().zip(shape) {
            let component = self.as_index(component);
            let fits = self.is_in_bounds(component, extent.into());
            certs.extend(self.check(fits, FailureKind::OutOfBounds, vec![component, extent.into()], span)?);
            indices.push(component);
        }
        Ok((indices, certs))
    }

    /// The element or sub-array at an index in bounds, which has a component at least.
    pub(super) fn select_checked(&mut self, array: &Value, indices: &[Operand], certs: &[array::Value]) -> Value {
        let elem = array.elem;
        match &array.data {
            Data::Components { shape, scalars } => {
                let constants: Option<Vec<usize>> = indices.iter().map(|&i| constant_index(i)).collect();
                if let Some(constants) = constants {
                    let inner = &shape[constants.len()..];
                    let size: usize = inner.iter().product();
                    let at = constants.iter().zip(shape).fold(0, |at, (i, n)| at * n + i) * size;
                    return Value::components(elem, inner.to_vec(), scalars[at..at + size].to_vec());
                }
                let whole = self.array(array).value().expect("an array is no constant");
                self.index(elem, whole, indices, certs)
            }
            Data::Array(whole) => self.index(elem, *whole, indices, certs),
            Data::Struct { frame, fields } => {
                let frame = frame[indices.len()..].to_vec();
                let fields = fields.iter().map(|field| self.select_checked(field, indices, certs)).collect();
                Value { elem, data: Data::Struct { frame, fields } }
            }
        }
    }

    fn index(
        &mut self,
        elem: crate::sac::core::Elem,
        array: array::Value,
        indices: &[Operand],
        certs: &[array::Value],
    ) -> Value {
        let ty = self.builder.func.ty(array).row(indices.len());
        let is_scalar = ty.is_scalar();
        let op = Op::Index { array, indices: indices.to_vec() };
        let result = self.emit_one_under(op, ty, certs);
        if !is_scalar {
            return Value::array(elem, result);
        }
        let basic = self.basic(elem).expect("an array consists of a basic type");
        Value::components(elem, Vec::new(), vec![Scalar::operand(basic, result.into())])
    }

    /// The array with `array[index]` replaced by the value.
    pub(super) fn modarray(&mut self, array: Value, index: &Value, value: Value, span: Span) -> Result<Value> {
        let index = self.index_vector(index, self.rank(&array), span)?;
        let shape = self.shape(&array);
        let (indices, mut certs) = self.checked_indices(&index, &shape, span)?;
        let found = self.shape(&value);
        certs.extend(self.check_shape(FailureKind::ShapeMismatch, &shape[index.len()..], &found, span)?);
        if indices.is_empty() {
            return Ok(self.certify(value, &certs));
        }
        Ok(self.modarray_checked(array, &indices, value, &certs))
    }

    fn modarray_checked(&mut self, array: Value, indices: &[Operand], value: Value, certs: &[array::Value]) -> Value {
        let elem = array.elem;
        if let (Data::Struct { .. }, Data::Struct { .. }) = (&array.data, &value.data) {
            let (Data::Struct { frame, fields }, Data::Struct { fields: new, .. }) = (array.data, value.data) else {
                unreachable!("both are structs");
            };
            let fields = fields
                .into_iter()
                .zip(new)
                .map(|(field, new)| self.modarray_checked(field, indices, new, certs))
                .collect();
            return Value { elem, data: Data::Struct { frame, fields } };
        }
        if let (Data::Components { shape, scalars }, Data::Components { scalars: new, .. }) = (&array.data, &value.data)
        {
            let constants: Option<Vec<usize>> = indices.iter().map(|&i| constant_index(i)).collect();
            if let Some(constants) = constants {
                let size: usize = shape[constants.len()..].iter().product();
                let at = constants.iter().zip(shape).fold(0, |at, (i, n)| at * n + i) * size;
                let mut scalars = scalars.clone();
                scalars[at..at + size].copy_from_slice(new);
                return Value::components(elem, shape.clone(), scalars);
            }
        }
        let source = self.array(&array).value().expect("an array is no constant");
        let value = self.array(&value);
        let ty: Type = self.builder.func.ty(source).clone();
        let op = Op::Update { array: source, indices: indices.to_vec(), value, consumes: false };
        Value::array(elem, self.emit_one_under(op, ty, certs))
    }
}

fn constant_index(index: Operand) -> Option<usize> {
    usize::try_from(index.constant()?.as_i64()?).ok()
}
