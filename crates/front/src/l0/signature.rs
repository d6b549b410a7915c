//! What a program takes and gives: the types of `main`'s parameters and result, and how they flatten to the scalars and
//! arrays of scalars of the array IR.
//!
//! Tuples flatten to their components in order; an array of tuples becomes one array per component, all with the same
//! outer extents. So `[{int, [real]}]` is an `i64[n]` and an `f64[n, m]`: two components over two *dimensions*. A
//! dimension is a pair of brackets in the type; components under the same brackets share the dimension. This holds for
//! every value of L0, not only those of `main`: lowering relies on it.
//!
//! This module knows neither expressions nor text. Read [`text`](super::text) for the notation of values.

use frit_ir::scalar::Scalar;
use frit_ir::tensor::Tensor;
use std::fmt;

use super::ast::BasicType;

/// The type of a value, without uniqueness.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// `int`, `real`, `bool`, `char` or `cert`.
    Basic(BasicType),
    /// `{t1, ..., tn}`.
    Tuple(Vec<ValueType>),
    /// An array of `rank` dimensions, at least one, around an element type that is no array.
    Array {
        /// The number of brackets directly around the element type.
        rank: usize,
        /// A basic or tuple type.
        element: Box<ValueType>,
    },
}

/// A scalar or array of scalars that a value consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The element type.
    pub elem: Scalar,
    /// The dimensions of the value that are the component's extents, outermost first. Increasing.
    pub dims: Vec<usize>,
}

/// The components of a value, and how many dimensions they are over.
///
/// Every dimension occurs in some component: an array whose elements have no components (`[{}]`) has one component of
/// certificates, so that its size is not lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flat {
    /// The components in order.
    pub components: Vec<Component>,
    /// The number of dimensions.
    pub dims: usize,
}

/// A parameter of `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: ValueType,
}

/// The types of the entry function, and how its arguments and results correspond to those of the array IR's entry
/// function: the arguments are the components of the parameters in order; the results are `hidden_results` sizes, then
/// the components of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters.
    pub params: Vec<Parameter>,
    /// The type of the result.
    pub result: ValueType,
    /// How many sizes precede the components of the result.
    pub hidden_results: usize,
}

impl Signature {
    /// The components of all parameters, in order: what the entry function takes.
    pub fn arguments(&self) -> Vec<Component> {
        self.params.iter().flat_map(|param| param.ty.flat().components).collect()
    }

    /// True if these are arguments that the entry function takes: their number, element types and ranks are right, and
    /// components of one parameter agree in the dimensions that they share.
    ///
    /// What [`text::read_arguments`](super::text::read_arguments) returns always is; arguments from elsewhere need the test.
    pub fn accepts(&self, arguments: &[Tensor]) -> bool {
        let mut rest = arguments;
        for param in &self.params {
            let flat = param.ty.flat();
            if rest.len() < flat.components.len() {
                return false;
            }
            let (own, others) = rest.split_at(flat.components.len());
            rest = others;
            let mut extents = vec![None; flat.dims];
            for (component, argument) in flat.components.iter().zip(own) {
                if component.elem != argument.elem() || component.dims.len() != argument.shape().len() {
                    return false;
                }
                for (&dim, &extent) in component.dims.iter().zip(argument.shape()) {
                    if *extents[dim].get_or_insert(extent) != extent {
                        return false;
                    }
                }
            }
        }
        rest.is_empty()
    }
}

impl ValueType {
    /// The components and dimensions of values of this type.
    pub fn flat(&self) -> Flat {
        let mut flat = Flat::default();
        self.flatten(&mut Vec::new(), &mut flat);
        flat
    }

    fn flatten(&self, outer: &mut Vec<usize>, flat: &mut Flat) {
        match self {
            ValueType::Basic(basic) => {
                flat.components.push(Component { elem: basic.scalar(), dims: outer.clone() });
            }
            ValueType::Tuple(fields) => fields.iter().for_each(|field| field.flatten(outer, flat)),
            ValueType::Array { rank, element } => {
                let depth = outer.len();
                outer.extend(flat.dims..flat.dims + rank);
                flat.dims += rank;
                let before = flat.components.len();
                element.flatten(outer, flat);
                if flat.components.len() == before {
                    flat.components.push(Component { elem: Scalar::Cert, dims: outer.clone() });
                }
                outer.truncate(depth);
            }
        }
    }

    /// True if a value of this type has no component: it is made of empty tuples only.
    pub fn is_empty(&self) -> bool {
        match self {
            ValueType::Basic(_) | ValueType::Array { .. } => false,
            ValueType::Tuple(fields) => fields.iter().all(ValueType::is_empty),
        }
    }

    /// The type of the parts that `axes` indexes select, at most as many as the rank; `None` if this is no array.
    pub fn row(&self, axes: usize) -> Option<ValueType> {
        match self {
            ValueType::Array { rank, element } if axes < *rank => {
                Some(ValueType::Array { rank: rank - axes, element: element.clone() })
            }
            ValueType::Array { rank, element } if axes == *rank => Some((**element).clone()),
            ValueType::Array { .. } | ValueType::Basic(_) | ValueType::Tuple(_) => None,
        }
    }
}

impl BasicType {
    /// The scalar type of the array IR that represents it.
    pub fn scalar(self) -> Scalar {
        match self {
            BasicType::Int => Scalar::I64,
            BasicType::Real => Scalar::F64,
            BasicType::Bool => Scalar::Bool,
            BasicType::Char => Scalar::Char,
            BasicType::Cert => Scalar::Cert,
        }
    }
}

fn keyword(basic: BasicType) -> &'static str {
    match basic {
        BasicType::Int => "int",
        BasicType::Real => "real",
        BasicType::Bool => "bool",
        BasicType::Char => "char",
        BasicType::Cert => "cert",
    }
}

/// In the notation of L0.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Basic(basic) => f.write_str(keyword(*basic)),
            ValueType::Tuple(fields) => {
                f.write_str("{")?;
                for (at, field) in fields.iter().enumerate() {
                    write!(f, "{}{field}", if at > 0 { "," } else { "" })?;
                }
                f.write_str("}")
            }
            ValueType::Array { rank, element } => {
                (0..*rank).try_for_each(|_| f.write_str("["))?;
                write!(f, "{element}")?;
                (0..*rank).try_for_each(|_| f.write_str("]"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_under_the_same_brackets_share_a_dimension() {
        let real_row = ValueType::Array { rank: 1, element: Box::new(ValueType::Basic(BasicType::Real)) };
        let pair = ValueType::Tuple(vec![ValueType::Basic(BasicType::Int), real_row]);
        let ty = ValueType::Array { rank: 1, element: Box::new(pair) };
        assert_eq!(ty.to_string(), "[{int,[real]}]");
        let flat = ty.flat();
        assert_eq!(flat.dims, 2);
        assert_eq!(flat.components[0], Component { elem: Scalar::I64, dims: vec![0] });
        assert_eq!(flat.components[1], Component { elem: Scalar::F64, dims: vec![0, 1] });
    }

    #[test]
    fn an_array_of_empty_tuples_keeps_its_size() {
        let ty = ValueType::Array { rank: 2, element: Box::new(ValueType::Tuple(Vec::new())) };
        assert_eq!(ty.flat().components, [Component { elem: Scalar::Cert, dims: vec![0, 1] }]);
        assert!(!ty.is_empty());
    }
}
