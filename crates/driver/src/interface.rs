//! What a program takes and gives, whatever its language: the values of its language and the tensors they consist of.

use crate::compile::Computed;
use crate::sac;
use frit_front::l0::ast::BasicType;
use frit_front::l0::signature::{Parameter, Signature};
use frit_front::l0::text::{self, Digits};
use frit_front::l0::types::Type;
use frit_ir::array::{Func, ResultExtent};
use frit_ir::{Scalar, Tensor};
use std::ops::Range;

/// What the entry function takes and gives.
#[derive(Clone, Debug)]
pub enum Interface {
    /// Of a program in L0.
    L0(Signature),
    /// Of a program in the array IR, or of a function of NumPy.
    Ir {
        /// As L0 writes it, which has one type of integers and one of reals.
        shown: Signature,
        /// The element types and ranks of the parameters.
        params: Vec<(Scalar, usize)>,
    },
    /// Of a program in SAC.
    Sac(sac::Interface),
}

impl Interface {
    /// That of a program which was written in the array IR: one parameter per IR parameter, sizes hidden.
    pub(crate) fn of_ir(func: &Func) -> Self {
        // A result that later results take their extents from is a size, not a value of its own.
        let sizes = func.results.iter().flat_map(|r| &r.shape).filter_map(|extent| match extent {
            ResultExtent::Result(at) => Some(at + 1),
            ResultExtent::Const(_) | ResultExtent::Size(_) | ResultExtent::Caller => None,
        });
        Self::of_function(func, sizes.max().unwrap_or(0))
    }

    /// The same for a function of which the first results are no values of their own.
    pub(crate) fn of_function(func: &Func, hidden_results: usize) -> Self {
        let ty = |elem: Scalar, rank: usize| {
            let basic = match elem {
                Scalar::F32 | Scalar::F64 => BasicType::Real,
                Scalar::Bool => BasicType::Bool,
                Scalar::Char => BasicType::Char,
                Scalar::Cert => BasicType::Cert,
                Scalar::I8
                | Scalar::I16
                | Scalar::I32
                | Scalar::I64
                | Scalar::U8
                | Scalar::U16
                | Scalar::U32
                | Scalar::U64 => BasicType::Int,
            };
            (0..rank).fold(Type::Basic(basic), |row, _| Type::array_of(&row, false))
        };
        let params = func
            .params
            .iter()
            .map(|param| {
                let of = func.ty(param.value);
                Parameter { name: param.value.to_string(), ty: ty(of.elem, of.rank()) }
            })
            .collect();
        let mut results: Vec<Type> =
            func.results[hidden_results..].iter().map(|result| ty(result.elem, result.shape.len())).collect();
        let result = if results.len() == 1 { results.remove(0) } else { Type::tuple(results) };
        let shown = Signature { params, result, hidden_results };
        let types = func.params.iter().map(|param| func.ty(param.value));
        Interface::Ir { shown, params: types.map(|ty| (ty.elem, ty.rank())).collect() }
    }

    /// The parameters that a user gives values for: name and type.
    pub fn parameters(&self) -> Vec<(String, String)> {
        match self {
            Interface::L0(signature) | Interface::Ir { shown: signature, .. } => {
                signature.params.iter().map(|p| (p.name.clone(), p.ty.to_string())).collect()
            }
            Interface::Sac(interface) => interface.params.iter().map(|p| (p.name.clone(), p.ty.clone())).collect(),
        }
    }

    /// The types of the results, as the user sees them, and the number of tensors they consist of.
    pub fn results(&self) -> (String, usize) {
        match self {
            Interface::L0(signature) | Interface::Ir { shown: signature, .. } => {
                (signature.result.to_string(), signature.result.flat().components.len())
            }
            Interface::Sac(interface) => interface.visible_results(),
        }
    }

    /// True if these are arguments that the entry function takes.
    pub fn accepts(&self, arguments: &[Tensor]) -> bool {
        match self {
            Interface::L0(signature) => signature.accepts(arguments),
            Interface::Ir { params, .. } => {
                arguments.iter().map(|argument| (argument.elem(), argument.shape().len())).eq(params.iter().copied())
            }
            Interface::Sac(interface) => interface.accepts(arguments),
        }
    }

    /// Gives `sink` the results as text, on one line, as the language writes values; large ones in pieces.
    pub fn write(&self, results: &[Tensor], digits: Digits, sink: &mut (dyn FnMut(&str) + Send)) {
        match self {
            Interface::L0(signature) | Interface::Ir { shown: signature, .. } => {
                frit_support::with_deep_stack(|| text::write_results(results, signature, digits, sink))
            }
            Interface::Sac(interface) => sink(&interface.text(results, digits)),
        }
    }

    /// The visible results, without sizes and certificates that only the array IR knows.
    pub fn visible<'r, R>(&self, results: &'r [R]) -> &'r [R] {
        &results[self.visible_range(results.len())]
    }

    /// Which of so many results are visible.
    pub fn visible_range(&self, count: usize) -> Range<usize> {
        match self {
            Interface::L0(signature) | Interface::Ir { shown: signature, .. } => signature.hidden_results..count,
            Interface::Sac(interface) => interface.visible_range(count),
        }
    }

    /// The components of the parameters: the position of the parameter, the element type and the rank, if it is known.
    pub fn components(&self) -> Vec<(usize, Scalar, Option<usize>)> {
        match self {
            Interface::L0(signature) => {
                let params = signature.params.iter().enumerate();
                let components = |(at, param): (usize, &Parameter)| {
                    let components = param.ty.flat().components.into_iter();
                    components
                        .map(move |component| (at, component.elem, Some(component.dims.len())))
                        .collect::<Vec<_>>()
                };
                params.flat_map(components).collect()
            }
            Interface::Ir { params, .. } => {
                params.iter().enumerate().map(|(at, &(elem, rank))| (at, elem, Some(rank))).collect()
            }
            Interface::Sac(interface) => interface.components(),
        }
    }

    /// It is `main` of a program in SAC, whose result is the exit status.
    pub(crate) fn is_sac_main(&self) -> bool {
        matches!(self, Interface::Sac(interface) if interface.is_main)
    }

    /// The name of the entry function, where a program may have several.
    pub(crate) fn function(&self) -> Option<String> {
        match self {
            Interface::L0(_) | Interface::Ir { .. } => None,
            Interface::Sac(interface) => {
                Some(interface.function.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect())
            }
        }
    }

    /// The arguments as the array IR's entry function takes them.
    pub(crate) fn for_array_ir(&self, arguments: Vec<Tensor>) -> Vec<Tensor> {
        match self {
            Interface::L0(_) | Interface::Ir { .. } => arguments,
            Interface::Sac(interface) => interface.for_array_ir(arguments),
        }
    }

    /// The exit status that the results ask for.
    pub(crate) fn status(&self, results: &[Computed]) -> i32 {
        match self {
            Interface::L0(_) | Interface::Ir { .. } => 0,
            Interface::Sac(interface) => interface.status(results),
        }
    }
}
