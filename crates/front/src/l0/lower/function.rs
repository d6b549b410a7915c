//! Functions: lowered when first called or reached, so that callers know what callees say of their results.

use super::emit::Emitter;
use super::expr::Body;
use super::summary::Summary;
use super::value::component_types;
use crate::l0::signature::Flat;
use crate::l0::typed::{Function, FunctionId, Program};
use crate::l0::types::Type;
use frit_ir::array::{self as ir, Extent, Func, FuncId, Param, ResultExtent, ResultType};
use frit_ir::scalar::Scalar;
use frit_support::{Index, Table};
use std::rc::Rc;
use std::sync::Arc;

/// What callers know of a function.
pub(super) struct Interface {
    pub(super) func: FuncId,
    /// The components of the result.
    pub(super) result: Flat,
    /// Per dimension of the result, how its extent is known.
    pub(super) dims: Vec<ResultDim>,
    /// Per component of the result: the scalar as total arithmetic, if it is.
    pub(super) scalars: Vec<Option<Rc<Summary>>>,
    /// Per component of the result: it shares memory with no argument that is not consumed.
    pub(super) unique: Vec<bool>,
    /// Per component of the parameters: it is given away.
    pub(super) consumed: Vec<bool>,
}

/// How the extent of a result is known.
pub(super) enum ResultDim {
    /// The caller computes it.
    Known(Rc<Summary>),
    /// The callee finds it, and returns it before the components.
    Found,
}

enum State {
    Waiting,
    /// Being lowered. `is_called` if a call inside has been lowered already: then all extents must be results.
    Running {
        is_called: bool,
    },
    Done(Rc<Interface>),
}

/// The functions of a program while they are lowered.
pub(super) struct Functions<'p> {
    program: &'p Program,
    states: Table<FunctionId, State>,
    funcs: Table<FuncId, Func>,
}

/// Per component of a type: whether the array it belongs to is marked unique.
pub(super) fn uniqueness(ty: &Type) -> Vec<bool> {
    match ty {
        Type::Basic(_) => vec![false],
        Type::Tuple(fields) => fields.iter().flat_map(uniqueness).collect(),
        Type::Array(array) => vec![array.unique; ty.flat().components.len()],
        Type::Error => Vec::new(),
    }
}

impl<'p> Functions<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let functions = &program.functions;
        Self {
            program,
            states: functions.iter().map(|_| State::Waiting).collect(),
            funcs: functions.iter().map(|(_, function)| Func::new(&function.name, function.name_span)).collect(),
        }
    }

    /// The functions, all lowered, and how many sizes precede the components of the entry function's result.
    pub(super) fn finish(mut self) -> (Table<FuncId, Func>, usize) {
        let mut hidden = 0;
        for id in self.program.functions.indices() {
            let interface = self.interface(id);
            if self.program.entry == Some(id) {
                hidden = interface.dims.iter().filter(|dim| matches!(dim, ResultDim::Found)).count();
            }
        }
        (self.funcs, hidden)
    }

    pub(super) fn function(&self, id: FunctionId) -> &'p Function {
        &self.program.functions[id]
    }

    /// What is known of a function, which is lowered if it has not been.
    pub(super) fn interface(&mut self, id: FunctionId) -> Rc<Interface> {
        match &mut self.states[id] {
            State::Done(interface) => interface.clone(),
            State::Running { is_called } => {
                *is_called = true;
                let function = &self.program.functions[id];
                let result = function.result.flat();
                let dims = (0..result.dims).map(|_| ResultDim::Found).collect();
                let scalars = result.components.iter().map(|_| None).collect();
                Rc::new(interface(id, function, result, dims, scalars))
            }
            State::Waiting => {
                self.states[id] = State::Running { is_called: false };
                let interface = Rc::new(self.lower(id));
                self.states[id] = State::Done(interface.clone());
                interface
            }
        }
    }

    fn lower(&mut self, id: FunctionId) -> Interface {
        let function = &self.program.functions[id];
        let mut emitter = Emitter::new(Func::new(&function.name, function.name_span));
        let mut params = Vec::new();
        for &param in &function.params {
            let variable = &function.variables[param];
            let name: Arc<str> = variable.name.as_str().into();
            let flat = variable.ty.flat();
            emitter.set_span(variable.span);
            let mut extents = Vec::new();
            for _ in 0..flat.dims {
                let size = emitter.value(ir::Type::scalar(Scalar::I64), None);
                emitter.assume_not_negative(size.into(), None);
                emitter.func().sizes.push(size);
                extents.push(Extent::Value(size));
            }
            let mut parts = Vec::new();
            for (ty, consumed) in component_types(&flat, &extents).into_iter().zip(uniqueness(&variable.ty)) {
                let value = emitter.value(ty, Some(name.clone()));
                emitter.func().params.push(Param { value, consumed });
                parts.push(value.into());
            }
            params.push(parts);
        }
        let mut body = Body::new(self, id, emitter);
        for (&param, parts) in function.params.iter().zip(params) {
            body.bind(param, parts);
        }
        body.emitter.set_span(function.body.span);
        let parts = body.expr(&function.body);
        let mut emitter = body.emitter;
        let is_recursive = matches!(self.states[id], State::Running { is_called: true });

        let result = function.result.flat();
        let extents = emitter.extents(&result, &parts);
        let mut sizes = Vec::new();
        let mut dims = Vec::new();
        let mut shown = Vec::new();
        for extent in extents {
            let summary = if is_recursive { None } else { emitter.summarise(extent.into()) };
            match summary {
                Some(summary) => {
                    shown.push(match extent {
                        Extent::Const(n) => ResultExtent::Const(n),
                        Extent::Value(v) if emitter.func().sizes.contains(&v) => ResultExtent::Size(v),
                        Extent::Value(_) => ResultExtent::Caller,
                    });
                    dims.push(ResultDim::Known(Rc::new(summary)));
                }
                None => {
                    shown.push(ResultExtent::Result(sizes.len()));
                    sizes.push(emitter.length(extent));
                    dims.push(ResultDim::Found);
                }
            }
        }
        let mut results: Vec<ResultType> =
            sizes.iter().map(|_| ResultType { elem: Scalar::I64, shape: Vec::new(), unique: false }).collect();
        for (component, unique) in result.components.iter().zip(uniqueness(&function.result)) {
            let shape = component.dims.iter().map(|&dim| shown[dim]).collect();
            results.push(ResultType { elem: component.elem, shape, unique });
        }
        let scalars = result
            .components
            .iter()
            .zip(&parts)
            .map(|(component, &part)| {
                let is_number = component.dims.is_empty() && component.elem != Scalar::Cert;
                if is_number && !is_recursive { emitter.summarise(part).map(Rc::new) } else { None }
            })
            .collect();
        emitter.func().results = results;
        emitter.func().span = function.span;
        sizes.extend(parts);
        let func = emitter.finish(sizes);
        self.funcs[func_id(id)] = func;
        interface(id, function, result, dims, scalars)
    }
}

fn interface(
    id: FunctionId,
    function: &Function,
    result: Flat,
    dims: Vec<ResultDim>,
    scalars: Vec<Option<Rc<Summary>>>,
) -> Interface {
    let consumed = function.params.iter().flat_map(|&param| uniqueness(&function.variables[param].ty)).collect();
    Interface { func: func_id(id), result, dims, scalars, unique: uniqueness(&function.result), consumed }
}

/// The name of a function in the IR: functions keep their order.
pub(super) fn func_id(id: FunctionId) -> FuncId {
    FuncId::new(id.at())
}
