//! What a program takes and gives: the types of `main`'s parameters and result, and how they flatten to the scalars and
//! arrays of scalars of the array IR.
//!
//! Tuples flatten to their components in order; an array of tuples becomes one array per component, all with the same
//! outer extents. So `[{int, [real]}]` is an `i64[n]` and an `f64[n, m]`: two components over two *dimensions*. A
//! dimension is a pair of brackets in the type; components under the same brackets share the dimension. This holds for
//! every value of L0, not only those of `main`: lowering relies on it.
//!
//! This module knows neither expressions nor text. Read [`text`](super::text) for the notation of values.

use super::ast::BasicType;
use super::types::{Element, Type};
use frit_ir::scalar::Scalar;
use frit_ir::tensor::Tensor;

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
    pub ty: Type,
}

/// The types of the entry function, and how its arguments and results correspond to those of the array IR's entry
/// function: the arguments are the components of the parameters in order; the results are `hidden_results` sizes, then
/// the components of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters.
    pub params: Vec<Parameter>,
    /// The type of the result.
    pub result: Type,
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

impl Type {
    /// The components and dimensions of values of this type.
    pub fn flat(&self) -> Flat {
        let mut flat = Flat::default();
        self.flatten(&mut Vec::new(), &mut flat);
        flat
    }

    fn flatten(&self, outer: &mut Vec<usize>, flat: &mut Flat) {
        match self {
            Type::Basic(basic) => flat.components.push(Component { elem: basic.scalar(), dims: outer.clone() }),
            Type::Tuple(fields) => fields.iter().for_each(|field| field.flatten(outer, flat)),
            Type::Array(array) => {
                let depth = outer.len();
                outer.extend(flat.dims..flat.dims + array.rank);
                flat.dims += array.rank;
                let before = flat.components.len();
                match &array.element {
                    Element::Basic(basic) => {
                        flat.components.push(Component { elem: basic.scalar(), dims: outer.clone() });
                    }
                    Element::Tuple(fields) => fields.iter().for_each(|field| field.flatten(outer, flat)),
                }
                if flat.components.len() == before {
                    flat.components.push(Component { elem: Scalar::Cert, dims: outer.clone() });
                }
                outer.truncate(depth);
            }
            Type::Error => unreachable!("a checked program has no type of a mistake"),
        }
    }

    /// True for arrays of nothing but empty tuples, whose one component stands for their size.
    pub fn element_is_empty(&self) -> bool {
        match self {
            Type::Array(array) => array.indexed(array.rank).is_empty(),
            Type::Basic(_) | Type::Tuple(_) | Type::Error => false,
        }
    }

    /// True if a value of this type has no component: it is made of empty tuples only.
    pub fn is_empty(&self) -> bool {
        match self {
            Type::Basic(_) | Type::Array(_) | Type::Error => false,
            Type::Tuple(fields) => fields.iter().all(Type::is_empty),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_under_the_same_brackets_share_a_dimension() {
        let pair = Type::tuple(vec![Type::INT, Type::array_of(&Type::REAL, false)]);
        let flat = Type::array_of(&pair, false).flat();
        assert_eq!(flat.dims, 2);
        assert_eq!(flat.components[0], Component { elem: Scalar::I64, dims: vec![0] });
        assert_eq!(flat.components[1], Component { elem: Scalar::F64, dims: vec![0, 1] });
    }

    #[test]
    fn an_array_of_empty_tuples_keeps_its_size() {
        let ty = Type::array_of(&Type::array_of(&Type::tuple(Vec::new()), false), false);
        assert_eq!(ty.flat().components, [Component { elem: Scalar::Cert, dims: vec![0, 1] }]);
        assert!(!ty.is_empty());
    }
}
