//! Questions about types, which are answered when a function is compiled.

use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::types::{self, Dtype};
use frit_ir::array::Operand;
use frit_ir::{Const, Scalar};

impl Lowering<'_> {
    /// A question about types, if there is one with this name.
    pub(super) fn inquiry(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        let known = |holds: bool| Item::Number(Number::truth(holds));
        Ok(Some(match name {
            "finfo" | "iinfo" => {
                let of = arguments.need(0, "dtype")?;
                let dtype = match &of {
                    Item::Number(_) | Item::Complex(_) | Item::Array(_) => operand_type(&of).dtype(),
                    of => self.dtype(of, span)?,
                };
                match limits(name, dtype.elem) {
                    Some(limits) => limits,
                    None => return Err(self.wrong_type(span, format!("`{name}` of {}", dtype.name()))),
                }
            }
            "result_type" | "promote_types" | "common_type" => {
                let mut operands = Vec::new();
                for item in std::mem::take(&mut arguments.at) {
                    operands.push(match &item {
                        Item::Dtype(_) | Item::PythonType(_) | Item::Text(_) => {
                            let dtype = self.dtype(&item, span)?;
                            types::Operand { elem: dtype.elem, is_complex: dtype.is_complex, weak: false }
                        }
                        item => operand_type(&self.array_like(item, span)?),
                    });
                }
                Item::Dtype(types::common(&operands).dtype())
            }
            "dtype" => {
                let of = arguments.need(0, "dtype")?;
                Item::Dtype(self.dtype(&of, span)?)
            }
            "issubdtype" => {
                let (dtype, kind) = (arguments.need(0, "arg1")?, arguments.need(1, "arg2")?);
                let dtype = self.dtype(&dtype, span)?;
                known(self.is_of_type(dtype, &kind))
            }
            "isscalar" => {
                let item = arguments.need(0, "element")?;
                let is_number = matches!(item, Item::Number(_) | Item::Complex(_)) && shape_of(&item).is_empty();
                known(is_number || matches!(item, Item::Text(_)))
            }
            "iscomplexobj" | "isrealobj" => {
                let item = arguments.need(0, "x")?;
                known(operand_type(&item).is_complex == (name == "iscomplexobj"))
            }
            _ => return Ok(None),
        }))
    }

    /// True if an item is of a type, or of one of several.
    pub(super) fn is_instance(&self, item: &Item, kind: &Item) -> bool {
        let is_number = matches!(item, Item::Number(_) | Item::Complex(_)) && shape_of(item).is_empty();
        let ty = operand_type(item);
        match kind {
            Item::Tuple(kinds) => kinds.iter().any(|kind| self.is_instance(item, kind)),
            Item::PythonType(kind) => {
                is_number
                    && match (kind.elem, kind.is_complex) {
                        (Scalar::I64, _) => ty.weak && !ty.is_complex && !ty.elem.is_float(),
                        (Scalar::Bool, _) => ty.weak && !ty.is_complex && ty.elem == Scalar::Bool,
                        // `np.float64` and `np.complex128` are classes of Python's numbers.
                        (elem, is_complex) => ty.elem == elem && ty.is_complex == is_complex,
                    }
            }
            Item::Dtype(_) => is_number && !ty.weak && self.is_of_type(ty.dtype(), kind),
            Item::Library(name) => match (name.as_str(), item) {
                ("numpy.ndarray", item) => !shape_of(item).is_empty(),
                ("numpy.generic", _) => is_number && !ty.weak,
                ("numbers.Number", _) => is_number,
                ("object", _) => true,
                ("tuple", Item::Tuple(_)) | ("str", Item::Text(_)) | ("slice", Item::Slice(_)) => true,
                ("tuple", Item::Named(names, _)) => !Item::is_list(names) && !Item::is_dict(names),
                ("list", Item::Named(names, _)) => Item::is_list(names) || item.grown().is_some(),
                ("dict", Item::Named(names, _)) => Item::is_dict(names),
                ("range", Item::Range { .. }) => true,
                (name, _) if name.starts_with("numpy.") => is_number && !ty.weak && self.is_of_type(ty.dtype(), kind),
                _ => false,
            },
            _ => false,
        }
    }

    /// True if an element type is one of NumPy's class of types.
    fn is_of_type(&self, dtype: Dtype, kind: &Item) -> bool {
        let kind = match kind {
            Item::Dtype(kind) | Item::PythonType(kind) => return *kind == dtype,
            Item::Library(name) => name.strip_prefix("numpy.").unwrap_or(name),
            _ => return false,
        };
        let letter = dtype.kind();
        match kind {
            "generic" => true,
            "number" => letter != "b",
            "integer" => letter == "i" || letter == "u",
            "signedinteger" => letter == "i",
            "unsignedinteger" => letter == "u",
            "inexact" => letter == "f" || letter == "c",
            "floating" => letter == "f",
            "complexfloating" => letter == "c",
            _ => false,
        }
    }
}

/// What `np.finfo` and `np.iinfo` tell.
fn limits(name: &str, elem: Scalar) -> Option<Item> {
    let int = |value: i64| Item::int(value);
    let bits = 8 * elem.bytes() as i64;
    let named = |fields: Vec<(&str, Item)>| {
        let (names, items) = fields.into_iter().map(|(name, item)| (name.to_string(), item)).unzip();
        Item::Named(names, items)
    };
    if name == "iinfo" {
        let (min, max) = match elem {
            Scalar::U64 => return Some(named(vec![("bits", int(64)), ("min", int(0))])),
            elem if elem.is_float() || elem == Scalar::Bool => return None,
            elem if elem.is_signed() => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            _ => (0, (1 << bits) - 1),
        };
        return Some(named(vec![("bits", int(bits)), ("min", int(min)), ("max", int(max))]));
    }
    if !elem.is_float() {
        return None;
    }
    let number = |f32: f32, f64: f64| {
        let x = if elem == Scalar::F32 { Const::f32(f32) } else { Const::f64(f64) };
        Item::Number(Number::strong(Operand::Const(x), elem))
    };
    let tiny = || number(f32::MIN_POSITIVE, f64::MIN_POSITIVE);
    Some(named(vec![
        ("bits", int(bits)),
        ("eps", number(f32::EPSILON, f64::EPSILON)),
        ("epsneg", number(f32::EPSILON / 2.0, f64::EPSILON / 2.0)),
        ("max", number(f32::MAX, f64::MAX)),
        ("min", number(f32::MIN, f64::MIN)),
        ("tiny", tiny()),
        ("smallest_normal", tiny()),
        ("smallest_subnormal", number(f32::from_bits(1), f64::from_bits(1))),
        ("resolution", number(1e-6, 1e-15)),
        ("precision", int(if elem == Scalar::F32 { 6 } else { 15 })),
    ]))
}

/// A constant of a library.
pub(super) fn constant(full: &str) -> Option<Item> {
    let value = match full {
        "math.pi" | "numpy.pi" | "cmath.pi" => std::f64::consts::PI,
        "math.tau" => std::f64::consts::TAU,
        "math.e" | "numpy.e" | "cmath.e" => std::f64::consts::E,
        "math.inf" | "numpy.inf" => f64::INFINITY,
        "math.nan" | "numpy.nan" => f64::NAN,
        "numpy.euler_gamma" => 0.577_215_664_901_532_9,
        "sys.float_info.max" => f64::MAX,
        "sys.float_info.min" => f64::MIN_POSITIVE,
        "sys.float_info.epsilon" => f64::EPSILON,
        "sys.maxsize" => return Some(Item::int(i64::MAX)),
        "numpy.True_" => return Some(Item::Number(Number::truth(true)).of_numpy()),
        "numpy.False_" => return Some(Item::Number(Number::truth(false)).of_numpy()),
        "numpy.newaxis" => return Some(Item::None),
        _ => return None,
    };
    Some(Item::Number(Number::float(value)))
}
