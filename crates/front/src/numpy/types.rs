//! Element types: names, and promotion as in NumPy 2 (NEP 50).

use super::item::Number;
use frit_ir::Scalar;

/// NumPy's name of an element type.
pub(super) fn name(elem: Scalar) -> &'static str {
    match elem {
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U8 => "uint8",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::Bool => "bool",
        Scalar::Char => "str",
        Scalar::Cert => "object",
    }
}

/// An element type: real, or complex of two reals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dtype {
    /// The type of an element, or of its parts.
    pub elem: Scalar,
    /// Elements have a real and an imaginary part.
    pub is_complex: bool,
}

impl Dtype {
    /// NumPy's name.
    pub(super) fn name(self) -> &'static str {
        match (self.is_complex, self.elem) {
            (true, Scalar::F32) => "complex64",
            (true, _) => "complex128",
            (false, elem) => name(elem),
        }
    }

    /// How many bytes an element has.
    pub(super) fn bytes(self) -> i64 {
        self.elem.bytes() as i64 * if self.is_complex { 2 } else { 1 }
    }

    /// The letter of its kind.
    pub(super) fn kind(self) -> &'static str {
        match self.elem {
            _ if self.is_complex => "c",
            Scalar::Bool => "b",
            elem if elem.is_float() => "f",
            elem if elem.is_signed() => "i",
            _ => "u",
        }
    }
}

impl From<Scalar> for Dtype {
    fn from(elem: Scalar) -> Self {
        Self { elem, is_complex: false }
    }
}

/// The element type with a name of NumPy's or Python's.
pub(super) fn named(name: &str) -> Option<Dtype> {
    let elem = match name.trim_start_matches(['<', '=', '|']) {
        "complex64" | "csingle" | "c8" | "F" => return Some(Dtype { elem: Scalar::F32, is_complex: true }),
        "complex128" | "cdouble" | "complex" | "c16" | "D" => {
            return Some(Dtype { elem: Scalar::F64, is_complex: true });
        }
        "bool" | "bool_" | "?" => Scalar::Bool,
        "int8" | "i1" | "byte" | "b" => Scalar::I8,
        "int16" | "i2" | "short" | "h" => Scalar::I16,
        "int32" | "i4" | "intc" | "i" => Scalar::I32,
        "int64" | "i8" | "int" | "int_" | "intp" | "longlong" | "l" | "q" => Scalar::I64,
        "uint8" | "u1" | "ubyte" | "B" => Scalar::U8,
        "uint16" | "u2" | "ushort" | "H" => Scalar::U16,
        "uint32" | "u4" | "uintc" | "I" => Scalar::U32,
        "uint64" | "u8" | "uint" | "uintp" | "ulonglong" | "L" | "Q" => Scalar::U64,
        "float32" | "f4" | "single" | "f" => Scalar::F32,
        "float64" | "f8" | "d" | "float" | "double" => Scalar::F64,
        _ => return None,
    };
    Some(elem.into())
}

/// The type that both strong types are converted to.
pub(super) fn promote(x: Scalar, y: Scalar) -> Scalar {
    if x == y {
        return x;
    }
    let (bits, other) = (8 * x.bytes(), 8 * y.bytes());
    match (x, y) {
        (Scalar::Bool, other) | (other, Scalar::Bool) => other,
        (Scalar::F64, _) | (_, Scalar::F64) => Scalar::F64,
        (Scalar::F32, other) | (other, Scalar::F32) => {
            if other.bytes() <= 2 {
                Scalar::F32
            } else {
                Scalar::F64
            }
        }
        _ if x.is_signed() == y.is_signed() => {
            if bits > other {
                x
            } else {
                y
            }
        }
        _ => {
            let (signed, unsigned) = if x.is_signed() { (x, y) } else { (y, x) };
            match 8 * unsigned.bytes() {
                _ if signed.bytes() > unsigned.bytes() => signed,
                8 => Scalar::I16,
                16 => Scalar::I32,
                32 => Scalar::I64,
                _ => Scalar::F64,
            }
        }
    }
}

/// Python's kinds of numbers in the order of `bool`, `int`, `float`.
pub(super) fn kind(elem: Scalar) -> usize {
    match elem {
        Scalar::Bool => 0,
        elem if elem.is_float() => 2,
        _ => 1,
    }
}

/// An operand's type: the elements', and whether it gives way to others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operand {
    /// The element type, or that of the parts of a complex number.
    pub elem: Scalar,
    /// It is complex.
    pub is_complex: bool,
    /// It is a Python number.
    pub weak: bool,
}

impl Operand {
    /// The element type.
    pub(super) fn dtype(self) -> Dtype {
        Dtype { elem: self.elem, is_complex: self.is_complex }
    }
}

impl From<Number> for Operand {
    fn from(number: Number) -> Self {
        Self { elem: number.elem, is_complex: false, weak: number.weak }
    }
}

/// The common type of operands, and whether all are Python's.
pub(super) fn common(operands: &[Operand]) -> Operand {
    let is_complex = operands.iter().any(|operand| operand.is_complex);
    let is_strongly_complex = operands.iter().any(|operand| operand.is_complex && !operand.weak);
    let part = |elem| match elem {
        Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 if is_strongly_complex => Scalar::F32,
        elem if elem.is_float() || !is_strongly_complex => elem,
        _ => Scalar::F64,
    };
    let strong = operands.iter().filter(|operand| !operand.weak).map(|operand| part(operand.elem)).reduce(promote);
    let weak =
        operands.iter().filter(|operand| operand.weak).map(|operand| operand.elem).max_by_key(|&elem| kind(elem));
    match (strong, weak) {
        (Some(strong), Some(weak)) if kind(weak) > kind(strong) => Operand { elem: weak, is_complex, weak: false },
        (Some(strong), _) => Operand { elem: strong, is_complex, weak: false },
        (None, weak) => Operand { elem: weak.unwrap_or(Scalar::F64), is_complex, weak: true },
    }
}

/// The type in which a function of reals computes; `None` for those that NumPy computes in `float16`.
pub(super) fn real(elem: Scalar) -> Option<Scalar> {
    match elem {
        Scalar::F32 | Scalar::F64 => Some(elem),
        Scalar::I16 | Scalar::U16 => Some(Scalar::F32),
        Scalar::Bool | Scalar::I8 | Scalar::U8 => None,
        _ => Some(Scalar::F64),
    }
}

/// The type in which sums of such elements are made.
pub(super) fn of_sum(elem: Scalar) -> Scalar {
    match elem {
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 => Scalar::I64,
        Scalar::U8 | Scalar::U16 | Scalar::U32 => Scalar::U64,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strong_types_are_promoted_as_in_numpy() {
        use Scalar::*;
        let table = [
            (I8, U8, I16),
            (I32, U32, I64),
            (I64, U64, F64),
            (U8, I64, I64),
            (F32, I16, F32),
            (F32, I32, F64),
            (Bool, U8, U8),
            (U16, U32, U32),
            (F32, U64, F64),
            (I16, U8, I16),
        ];
        for (x, y, both) in table {
            assert_eq!((promote(x, y), promote(y, x)), (both, both), "{x} and {y}");
        }
    }

    #[test]
    fn python_numbers_give_way() {
        let ty = |elem, weak| Operand { elem, is_complex: false, weak };
        let both = |x, y| common(&[x, y]);
        assert_eq!(both(ty(Scalar::F32, false), ty(Scalar::F64, true)), ty(Scalar::F32, false));
        assert_eq!(both(ty(Scalar::U8, false), ty(Scalar::I64, true)), ty(Scalar::U8, false));
        assert_eq!(both(ty(Scalar::I32, false), ty(Scalar::F64, true)), ty(Scalar::F64, false));
        assert_eq!(both(ty(Scalar::Bool, false), ty(Scalar::I64, true)), ty(Scalar::I64, false));
        assert_eq!(both(ty(Scalar::I64, true), ty(Scalar::F64, true)), ty(Scalar::F64, true));
    }

    #[test]
    fn complex_numbers_are_promoted_by_their_parts() {
        let ty = |elem, is_complex, weak| Operand { elem, is_complex, weak };
        let (i, z) = (ty(Scalar::F64, true, true), ty(Scalar::F32, true, false));
        let real = |elem| ty(elem, false, false);
        assert_eq!(common(&[real(Scalar::F32), i]), z);
        assert_eq!(common(&[real(Scalar::I8), i]), ty(Scalar::F64, true, false));
        assert_eq!(common(&[real(Scalar::I16), z]), z);
        assert_eq!(common(&[real(Scalar::I32), z]), ty(Scalar::F64, true, false));
        assert_eq!(common(&[ty(Scalar::F64, false, true), z]), z);
    }
}
