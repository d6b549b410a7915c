//! Branches, sequential loops and calls: where values cross scopes, with their extents. See Note [Extents from outside]
//! in [`emit`](super::emit).

use super::emit::{Emitter, Origin};
use super::function::{Interface, ResultDim};
use super::summary::Node;
use super::value::{Parts, Typed, component_types};
use crate::l0::signature::Flat;
use frit_ir::array::{self as ir, Block, Extent, LoopData, LoopKind, Op, Operand, Value};
use frit_ir::scalar::Scalar;
use std::rc::Rc;
use std::sync::Arc;

/// A branch of an `if` that has been lowered.
pub(super) struct Branch {
    block: Block,
    extents: Vec<Extent>,
    /// Per dimension: its length in the branch's scope, if it is not known outside.
    lengths: Vec<Option<Operand>>,
}

impl Emitter {
    /// Closes the block of a branch with this value.
    pub(super) fn close_branch(&mut self, flat: &Flat, parts: Parts) -> Branch {
        let extents = self.extents(flat, &parts);
        let lengths = extents
            .iter()
            .map(|&extent| (!self.is_derivable_outside(extent.into())).then(|| self.length(extent)))
            .collect();
        Branch { block: self.close_block(parts), extents, lengths }
    }

    /// `if cond then ... else ...`
    pub(super) fn branch(&mut self, cond: Operand, flat: &Flat, then: Branch, otherwise: Branch) -> Parts {
        // Per dimension, the extent outside, or `None` if the branches yield it.
        let mut extents: Vec<Option<Extent>> = Vec::new();
        let mut yielded: Vec<(Operand, Operand)> = Vec::new();
        for dim in 0..flat.dims {
            let known = |emitter: &mut Self, branch: &Branch| match branch.lengths[dim] {
                Some(_) => None,
                None => emitter.derive(branch.extents[dim].into()),
            };
            let (on_true, on_false) = (known(self, &then), known(self, &otherwise));
            if let (Some(x), Some(y)) = (on_true, on_false) {
                let extent = self.total_select(cond, x, y);
                if self.is_not_negative(x) && self.is_not_negative(y) {
                    self.assume_not_negative(extent, None);
                }
                extents.push(Some(extent.extent()));
                continue;
            }
            let length =
                |emitter: &mut Self, known: Option<Operand>, branch: &Branch| match (known, branch.lengths[dim]) {
                    (Some(known), _) => emitter.length(known.extent()),
                    (None, Some(inner)) => inner,
                    (None, None) => unreachable!("an extent is known outside or inside"),
                };
            let x = length(self, on_true, &then);
            yielded.push((x, length(self, on_false, &otherwise)));
            extents.push(None);
        }
        let mut results: Vec<Value> = Vec::new();
        let extents: Vec<Extent> = extents
            .into_iter()
            .map(|known| {
                known.unwrap_or_else(|| {
                    let size = self.value(ir::Type::scalar(Scalar::I64), None);
                    results.push(size);
                    self.assume_not_negative(size.into(), None);
                    Extent::Value(size)
                })
            })
            .collect();
        let parts: Vec<Value> = component_types(flat, &extents).into_iter().map(|ty| self.value(ty, None)).collect();
        for (at, &part) in parts.iter().enumerate() {
            let (on_true, on_false) = (then.block.results[at], otherwise.block.results[at]);
            self.add_alias(part, on_true);
            self.add_alias(part, on_false);
            if self.ty(part).is_scalar() && self.ty(part).elem != Scalar::Cert {
                self.record(part.into(), Origin::Select { cond, on_true, on_false });
            }
        }
        results.extend(&parts);
        let yielding = |mut block: Block, sizes: Vec<Operand>| {
            block.results.splice(0..0, sizes);
            block
        };
        let (true_sizes, false_sizes): (Vec<Operand>, Vec<Operand>) = yielded.into_iter().unzip();
        let op =
            Op::If { cond, then: yielding(then.block, true_sizes), otherwise: yielding(otherwise.block, false_sizes) };
        self.push(op, results, Vec::new());
        parts.into_iter().map(Operand::from).collect()
    }
}

/// The values that a sequential loop carries from one iteration to the next. The extents of arrays are carried too,
/// unless they turn out to stay the same.
pub(super) struct Carried {
    flat: Flat,
    init: Parts,
    /// Per dimension, the length at first.
    init_lengths: Vec<Operand>,
    /// Per dimension, the length in the body.
    sizes: Vec<Value>,
    /// The components in the body.
    params: Vec<Value>,
    /// What the body yields for the next iteration: sizes, of the dimensions that vary, then components.
    next: Vec<Operand>,
    /// Per dimension, whether its length varies.
    varies: Vec<bool>,
    /// What a loop adds up to the components may be regrouped.
    regroups: bool,
}

impl Carried {
    /// To be called before the block of the body is opened.
    pub(super) fn new(emitter: &mut Emitter, init: &Typed) -> Self {
        let flat = init.ty.flat();
        let extents = emitter.extents(&flat, &init.parts);
        let init_lengths = extents.into_iter().map(|extent| emitter.length(extent)).collect();
        let (sizes, params, next, varies) = Default::default();
        Self { flat, init: init.parts.clone(), init_lengths, sizes, params, next, varies, regroups: false }
    }

    /// The same, carried by a fold with a function that the language takes to be associative. Of scalars nothing is left to show: there
    /// the function is known not to be.
    pub(super) fn regrouping(self) -> Self {
        Self { regroups: self.flat.dims > 0 && !self.has_varying_extents(), ..self }
    }

    /// The values in the body, whose block has just been opened.
    pub(super) fn enter(&mut self, emitter: &mut Emitter, names: &[Option<Arc<str>>]) -> Parts {
        for _ in 0..self.flat.dims {
            let size = emitter.value(ir::Type::scalar(Scalar::I64), None);
            emitter.assume_not_negative(size.into(), None);
            self.sizes.push(size);
        }
        let extents: Vec<Extent> = self.sizes.iter().map(|&size| Extent::Value(size)).collect();
        for (at, ty) in component_types(&self.flat, &extents).into_iter().enumerate() {
            let name = names.get(at).cloned().flatten();
            self.params.push(emitter.value(ty, name));
        }
        self.params.iter().map(|&param| param.into()).collect()
    }

    /// Takes the values that the body computed, whose block is still open: finds out which extents vary.
    pub(super) fn leave(&mut self, emitter: &mut Emitter, results: Parts) {
        let extents = emitter.extents(&self.flat, &results);
        // Suppose that no extent varies; what is refuted may refute others.
        for (&size, &length) in self.sizes.iter().zip(&self.init_lengths) {
            emitter.rename(size, length);
        }
        self.varies = vec![false; self.flat.dims];
        loop {
            let refuted: Vec<usize> = (0..self.flat.dims)
                .filter(|&dim| !self.varies[dim] && !emitter.same(extents[dim].into(), self.init_lengths[dim]))
                .collect();
            if refuted.is_empty() {
                break;
            }
            for dim in refuted {
                self.varies[dim] = true;
                emitter.unrename(self.sizes[dim]);
            }
        }
        self.next = Vec::new();
        for (&extent, _) in extents.iter().zip(&self.varies).filter(|(_, varies)| **varies) {
            let length = emitter.length(extent);
            self.next.push(length);
        }
        self.next.extend(results);
    }

    /// True if some extent varies.
    pub(super) fn has_varying_extents(&self) -> bool {
        self.varies.contains(&true)
    }

    /// True if the body consumes some component.
    pub(super) fn is_consumed(&self, emitter: &Emitter) -> bool {
        self.params.iter().any(|&param| emitter.is_consumed(param))
    }

    /// The components in the body.
    pub(super) fn params(&self) -> &[Value] {
        &self.params
    }

    /// The types of the components at first, and always if no extent varies.
    pub(super) fn init_types(&self) -> Vec<ir::Type> {
        let extents: Vec<Extent> = self.init_lengths.iter().map(|length| length.extent()).collect();
        component_types(&self.flat, &extents)
    }

    /// The components that the body yields.
    pub(super) fn next_parts(&self) -> Parts {
        self.next[self.next.len() - self.flat.components.len()..].to_vec()
    }

    /// These values and others together.
    pub(super) fn and(mut self, others: Carried) -> Carried {
        let at = self.next.len() - self.flat.components.len();
        let others_at = others.next.len() - others.flat.components.len();
        let parts = self.next.split_off(at);
        self.next.extend(&others.next[..others_at]);
        self.next.extend(parts);
        self.next.extend(&others.next[others_at..]);
        let dims = self.flat.dims;
        self.flat.dims += others.flat.dims;
        self.flat.components.extend(others.flat.components.into_iter().map(|mut component| {
            component.dims.iter_mut().for_each(|dim| *dim += dims);
            component
        }));
        self.init.extend(others.init);
        self.init_lengths.extend(others.init_lengths);
        self.sizes.extend(others.sizes);
        self.params.extend(others.params);
        self.varies.extend(others.varies);
        self
    }

    /// What the body yields.
    pub(super) fn next(&self) -> Vec<Operand> {
        self.next.clone()
    }

    /// What goes round to a consumed component is given away, and so is the component that it was.
    fn spread_consumption(&self, emitter: &mut Emitter, body: &Block) {
        let results = &body.results[body.results.len() - self.params.len()..];
        let mut given = vec![false; results.len()];
        loop {
            let open = (0..results.len()).find(|&at| !given[at] && emitter.is_consumed(self.params[at]));
            let Some(at) = open else { break };
            given[at] = true;
            if let Operand::Value(next) = results[at] {
                emitter.consume(next);
            }
        }
    }

    /// The loop, whose body is closed; the components after it.
    pub(super) fn finish(self, emitter: &mut Emitter, kind: LoopKind, body: Block, certs: Vec<Value>) -> Parts {
        let varying: Vec<usize> = (0..self.flat.dims).filter(|&dim| self.varies[dim]).collect();
        let mut params: Vec<Value> = varying.iter().map(|&dim| self.sizes[dim]).collect();
        let mut init: Vec<Operand> = varying.iter().map(|&dim| self.init_lengths[dim]).collect();
        params.extend(&self.params);
        init.extend(&self.init);
        self.spread_consumption(emitter, &body);
        let consumed: Vec<bool> = params.iter().map(|&param| emitter.is_consumed(param)).collect();
        let mut results = Vec::new();
        let mut extents: Vec<Extent> = self.init_lengths.iter().map(|length| length.extent()).collect();
        for &dim in &varying {
            let size = emitter.value(ir::Type::scalar(Scalar::I64), None);
            emitter.assume_not_negative(size.into(), None);
            extents[dim] = Extent::Value(size);
            results.push(size);
        }
        let types = component_types(&self.flat, &extents);
        let parts: Vec<Value> = types
            .into_iter()
            .zip(&self.params)
            .map(|(ty, &param)| {
                let name = emitter.func().values[param].name.clone();
                emitter.value(ty, name)
            })
            .collect();
        for (at, &part) in parts.iter().enumerate() {
            emitter.add_alias(part, self.init[at]);
            emitter.add_alias(part, body.results[varying.len() + at]);
            if emitter.is_consumed(self.params[at])
                && let Operand::Value(init) = self.init[at]
            {
                emitter.consume(init);
            }
        }
        results.extend(&parts);
        let data = LoopData { kind, params, init, body, consumed, regroups: self.regroups };
        emitter.push(Op::Loop(Box::new(data)), results, certs);
        parts.into_iter().map(Operand::from).collect()
    }
}

impl Emitter {
    /// A call of a function; the components of its result.
    pub(super) fn call(&mut self, callee: &Interface, arguments: Vec<Typed>) -> Parts {
        let mut sizes = Vec::new();
        let mut args = Vec::new();
        for argument in arguments {
            for extent in self.extents_of(&argument) {
                sizes.push(self.length(extent));
            }
            args.extend(argument.parts);
        }
        let (sizes, args): (Rc<[Operand]>, Rc<[Operand]>) = (sizes.into(), args.into());
        let mut results = Vec::new();
        let mut extents = Vec::new();
        for dim in &callee.dims {
            extents.push(match dim {
                ResultDim::Known(summary) => {
                    let leaf = |_: &mut Self, node: &Node| match *node {
                        Node::Size(at) => sizes[at],
                        Node::Param(at) => args[at],
                        Node::Const(_) | Node::Unary { .. } | Node::Binary { .. } | Node::Select { .. } => {
                            unreachable!("only leaves are asked for")
                        }
                    };
                    self.instantiate(summary, leaf).extent()
                }
                ResultDim::Found => {
                    let size = self.value(ir::Type::scalar(Scalar::I64), None);
                    self.assume_not_negative(size.into(), None);
                    results.push(size);
                    Extent::Value(size)
                }
            });
        }
        let parts: Vec<Value> =
            component_types(&callee.result, &extents).into_iter().map(|ty| self.value(ty, None)).collect();
        for (at, &part) in parts.iter().enumerate() {
            if let Some(summary) = &callee.scalars[at] {
                let origin = Origin::Result { summary: summary.clone(), sizes: sizes.clone(), args: args.clone() };
                self.record(part.into(), origin);
            }
            if !callee.unique[at] {
                for (&arg, _) in args.iter().zip(&callee.consumed).filter(|(_, consumed)| !**consumed) {
                    self.add_alias(part, arg);
                }
            }
        }
        for (arg, _) in args.iter().zip(&callee.consumed).filter(|(_, consumed)| **consumed) {
            if let Operand::Value(value) = *arg {
                self.consume(value);
            }
        }
        results.extend(&parts);
        self.push(Op::Call { callee: callee.func, args: args.to_vec() }, results, Vec::new());
        parts.into_iter().map(Operand::from).collect()
    }
}
