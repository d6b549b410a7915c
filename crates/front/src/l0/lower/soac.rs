//! Second-order array combinators: with-loops where the table in the design says so, and sequential loops for left folds
//! that no fold operator means: accumulators that are updated in place or change their shape, operators known not to be
//! associative, and `redomap`s whose function is not a fold of mapped elements.

use super::control::Carried;
use super::emit::Emitter;
use super::expr::Body;
use super::fold;
use super::value::{Parts, Typed, array_of, array_value, component_types};
use crate::l0::typed::{Lambda, Soac, SoacKind, Var};
use crate::l0::types::Type;
use frit_ir::FailureKind;
use frit_ir::array::{self as ir, Block, Extent, Generator, Op, Operand, Operator, OperatorData, Value, WithLoopData};
use frit_ir::scalar::Scalar;
use std::sync::Arc;

/// Which arguments of a lambda are accumulators whose memory it may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accumulators {
    /// These many, the first ones.
    Given(usize),
    /// None: whatever the lambda consumes is copied for it.
    Kept,
}

impl<'p> Body<'_, 'p> {
    /// The components of a combinator's result.
    pub(super) fn soac(&mut self, soac: &'p Soac, certs: &[Value]) -> Parts {
        let starts: Vec<Typed> = soac.starts.iter().map(|start| self.typed(start)).collect();
        let arrays: Vec<Typed> = soac.arrays.iter().map(|array| self.typed(array)).collect();
        let arrays = self.emitter.aligned(arrays, certs);
        match soac.kind {
            SoacKind::Map => self.map(soac, &arrays, certs),
            SoacKind::Filter => self.filter(soac, &arrays, certs),
            SoacKind::Scan => self.scan(soac, starts, &arrays, certs),
            SoacKind::Reduce | SoacKind::Redomap => self.fold(soac, starts, &arrays, certs),
        }
    }

    /// The value of a lambda. What its parameters are declared to consume is theirs only after a copy, unless it is an
    /// accumulator that is given.
    fn apply(&mut self, lambda: &'p Lambda, arguments: Vec<Parts>, accumulators: Accumulators) -> Parts {
        for (at, (&param, parts)) in lambda.params.iter().zip(arguments).enumerate() {
            let is_given = matches!(accumulators, Accumulators::Given(count) if at < count);
            let parts = if !is_given && self.variable_type(param).has_unique_part() {
                self.emitter.copied(&parts)
            } else {
                parts
            };
            self.bind(param, parts);
        }
        self.expr(&lambda.body)
    }

    /// The names of the components of a lambda's parameters.
    fn names(&self, lambda: &Lambda) -> Vec<Option<Arc<str>>> {
        let mut names = Vec::new();
        for &param in &lambda.params {
            let name: Arc<str> = self.variable_name(param).into();
            names.extend(self.variable_type(param).flat().components.iter().map(|_| Some(name.clone())));
        }
        names
    }

    fn map(&mut self, soac: &'p Soac, arrays: &[Typed], certs: &[Value]) -> Parts {
        let outer = self.emitter.outer_extent(&arrays[0]);
        self.emitter.open_block();
        let index = self.emitter.index_value();
        let rows = self.emitter.rows(arrays, index);
        let lambda = &soac.function;
        let parts = self.apply(lambda, rows, Accumulators::Kept);
        let emitter = &mut self.emitter;
        // Rows without components are kept as rows of certificates, so that the map has a result.
        let flat = lambda.result.flat();
        let row_extents = emitter.extents(&flat, &parts);
        let mut cells = Vec::new();
        let is_known: Vec<bool> =
            row_extents.iter().map(|&extent| emitter.is_derivable_outside(extent.into())).collect();
        for (&extent, _) in row_extents.iter().zip(&is_known).filter(|(_, is_known)| !**is_known) {
            cells.push(emitter.length(extent));
        }
        let uniforms = cells.len();
        cells.extend(Emitter::as_cells(&lambda.result, parts));
        let body = emitter.close_block(cells);

        let mut results = Vec::new();
        let mut extents = vec![outer];
        for (&extent, is_known) in row_extents.iter().zip(is_known) {
            extents.push(if is_known {
                emitter.derive(extent.into()).expect("found derivable before").extent()
            } else {
                let size = emitter.value(ir::Type::scalar(Scalar::I64), None);
                emitter.assume_not_negative(size.into(), None);
                results.push(size);
                Extent::Value(size)
            });
        }
        let types = component_types(&array_of(&lambda.result).flat(), &extents);
        let mut operators = vec![OperatorData::new(Operator::Uniform); uniforms];
        operators.resize(uniforms + types.len(), OperatorData::new(Operator::GenArray));
        results.extend(types.into_iter().map(|ty| emitter.value(ty, None)));
        let parts: Parts = results[uniforms..].iter().map(|&v| v.into()).collect();
        emitter.with_loop(outer, index, body, operators, results, certs);
        if soac.is_tupleless {
            let array = Typed::new(array_of(&lambda.result), parts);
            return emitter.unzipped(array);
        }
        parts
    }

    fn filter(&mut self, soac: &'p Soac, arrays: &[Typed], certs: &[Value]) -> Parts {
        let outer = self.emitter.outer_extent(&arrays[0]);
        self.emitter.open_block();
        let index = self.emitter.index_value();
        let kept: Vec<Operand> = arrays.iter().flat_map(|array| self.emitter.cells(&array.parts, index.into())).collect();
        let mut rest = kept.iter().copied();
        let rows = arrays
            .iter()
            .map(|array| Emitter::element(&array.row_type(), rest.by_ref().take(array.parts.len()).collect()))
            .collect();
        let mut cells = self.apply(&soac.function, rows, Accumulators::Kept);
        let emitter = &mut self.emitter;
        cells.extend(&kept);
        let body = emitter.close_block(cells);
        let count = emitter.value(ir::Type::scalar(Scalar::I64), None);
        emitter.assume_not_negative(count.into(), None);
        let mut results = vec![count];
        for part in arrays.iter().flat_map(|array| &array.parts) {
            let mut ty = emitter.ty(array_value(*part)).clone();
            ty.shape[0] = Extent::Value(count);
            results.push(emitter.value(ty, None));
        }
        let parts = results[1..].iter().map(|&v| v.into()).collect();
        let operator = OperatorData { op: Operator::Filter { arrays: kept.len() }, guarded: true };
        emitter.with_loop(outer, index, body, vec![operator], results, certs);
        parts
    }

    fn scan(&mut self, soac: &'p Soac, starts: Vec<Typed>, arrays: &[Typed], certs: &[Value]) -> Parts {
        let lambda = &soac.function;
        let outer = self.emitter.outer_extent(&arrays[0]);
        self.emitter.open_block();
        let index = self.emitter.index_value();
        let cells: Vec<Operand> =
            arrays.iter().flat_map(|array| self.emitter.cells(&array.parts, index.into())).collect();
        let generator = self.emitter.close_block(cells.clone());

        let start = tuple_of(soac, starts);
        let flat = start.ty.flat();
        let start_extents = self.emitter.extents_of(&start);
        self.emitter.open_block();
        let names = self.names(lambda);
        let types = component_types(&flat, &start_extents);
        let accumulators: Vec<Value> =
            types.into_iter().enumerate().map(|(at, ty)| self.emitter.value(ty, names.get(at).cloned().flatten())).collect();
        let elements = self.emitter.element_params(&cells, &names[accumulators.len().min(names.len())..]);
        let arguments = split(&lambda.params, |var| self.variable_type(var), &accumulators, &elements);
        let parts = self.apply(lambda, arguments, Accumulators::Kept);
        let emitter = &mut self.emitter;
        let mut regular = Vec::new();
        for (&earlier, later) in start_extents.iter().zip(emitter.extents(&flat, &parts)) {
            regular.extend(emitter.check_same(FailureKind::IrregularArray, earlier, later));
        }
        let parts = if regular.is_empty() { parts } else { emitter.guarded(&flat, parts, &start_extents, &regular) };
        let body = emitter.close_block(Emitter::as_cells(&start.ty, parts));
        let params = accumulators.iter().chain(&elements).copied().collect();
        let combine = ir::Lambda { params, body };
        let extents: Vec<Extent> = std::iter::once(outer).chain(start_extents).collect();
        let results: Vec<Value> = component_types(&array_of(&start.ty).flat(), &extents)
            .into_iter()
            .map(|ty| emitter.value(ty, None))
            .collect();
        let parts: Parts = results.iter().map(|&v| v.into()).collect();
        let operator = OperatorData::new(Operator::Scan { combine, neutral: start.parts });
        emitter.with_loop(outer, index, generator, vec![operator], results, certs);
        if soac.is_tupleless {
            let array = Typed::new(array_of(&start.ty), parts);
            return emitter.unzipped(array);
        }
        parts
    }

    /// `reduce` and `redomap`: a left fold.
    fn fold(&mut self, soac: &'p Soac, starts: Vec<Typed>, arrays: &[Typed], certs: &[Value]) -> Parts {
        let lambda = &soac.function;
        let outer = self.emitter.outer_extent(&arrays[0]);
        self.emitter.open_block();
        let index = self.emitter.index_value();
        let rows = self.emitter.rows(arrays, index);
        let cells: Vec<Operand> = rows.into_iter().flatten().collect();
        let generator = self.emitter.close_block(cells.clone());

        let accumulator_count = starts.len();
        let start = tuple_of(soac, starts);
        let mut carried = Carried::new(&mut self.emitter, &start);
        self.emitter.open_block();
        let names = self.names(lambda);
        carried.enter(&mut self.emitter, &names);
        let elements = self.emitter.element_params(&cells, &names[carried.params().len().min(names.len())..]);
        let arguments = split(&lambda.params, |var| self.variable_type(var), carried.params(), &elements);
        let next = self.apply(lambda, arguments, Accumulators::Given(accumulator_count));
        let emitter = &mut self.emitter;
        carried.leave(emitter, next);
        let combine = emitter.close_block(carried.next());

        let candidate = fold::Candidate {
            params: carried.params().to_vec(),
            elements: elements.clone(),
            cells: cells.clone(),
            generator,
            combine,
        };
        let is_shapely = !carried.has_varying_extents() && !carried.is_consumed(emitter);
        let start_types = component_types(
            &start.ty.flat(),
            &carried.init_lengths().iter().map(|length| length.extent()).collect::<Vec<_>>(),
        );
        let folded = if !is_shapely {
            Err(candidate)
        } else if soac.kind == SoacKind::Reduce {
            candidate.as_reduction(emitter, &start_types)
        } else {
            candidate.as_mapped_reduction(emitter)
        };
        match folded {
            Ok(fold) => {
                let results: Vec<Value> = start_types.into_iter().map(|ty| emitter.value(ty, None)).collect();
                for (&result, (&neutral, &next)) in results.iter().zip(start.parts.iter().zip(&fold.combine.body.results)) {
                    emitter.add_alias(result, neutral);
                    emitter.add_alias(result, next);
                }
                let parts = results.iter().map(|&v| v.into()).collect();
                let op = Operator::Fold { combine: fold.combine, neutral: start.parts, commutative: fold.commutative };
                emitter.with_loop(outer, index, fold.generator, vec![OperatorData::new(op)], results, certs);
                parts
            }
            Err(candidate) => {
                let body = candidate.into_loop_body(emitter);
                let count = emitter.length(outer);
                carried.finish(emitter, index, count, body, certs.to_vec())
            }
        }
    }
}

/// The start values as one: a tuple for the T variants, the only one for the plain combinators.
fn tuple_of(soac: &Soac, starts: Vec<Typed>) -> Typed {
    if !soac.is_tupleless {
        return starts.into_iter().next().expect("a plain fold has a start value");
    }
    let (types, parts): (Vec<Type>, Vec<Parts>) = starts.into_iter().map(|start| (start.ty, start.parts)).unzip();
    Typed::new(Type::tuple(types), parts.concat())
}

/// The arguments of a lambda from the components of the accumulators and of the elements.
fn split<'t>(
    params: &[Var],
    ty: impl Fn(Var) -> &'t Type,
    accumulators: &[Value],
    elements: &[Value],
) -> Vec<Parts> {
    let mut rest = accumulators.iter().chain(elements).map(|&value| Operand::from(value));
    params.iter().map(|&param| rest.by_ref().take(ty(param).flat().components.len()).collect()).collect()
}

impl Emitter {
    pub(super) fn index_value(&mut self) -> Value {
        let index = self.value(ir::Type::scalar(Scalar::I64), None);
        self.assume_not_negative(index.into(), None);
        index
    }

    /// The rows of the arrays at an index in bounds.
    fn rows(&mut self, arrays: &[Typed], index: Value) -> Vec<Parts> {
        let row = |array: &Typed| {
            let ty = array.row_type();
            if ty.is_empty() { Vec::new() } else { self.cells(&array.parts, index.into()) }
        };
        arrays.iter().map(row).collect()
    }

    /// Parameters that stand for cells.
    fn element_params(&mut self, cells: &[Operand], names: &[Option<Arc<str>>]) -> Vec<Value> {
        let mut params = Vec::new();
        for (at, &cell) in cells.iter().enumerate() {
            let ty = self.operand_type(cell);
            let param = self.value(ty, names.get(at).cloned().flatten());
            self.add_alias(param, cell);
            params.push(param);
        }
        params
    }

    /// Appends a with-loop of one generator over a line.
    pub(super) fn with_loop(
        &mut self,
        outer: Extent,
        index: Value,
        body: Block,
        operators: Vec<OperatorData>,
        results: Vec<Value>,
        certs: &[Value],
    ) {
        let space = vec![outer];
        let generators = vec![Generator::full(&space, body)];
        let data = WithLoopData { space, indices: vec![index], generators, operators, span: self.span() };
        let w = self.func().with_loops.push(data);
        self.push(Op::With(w), results, certs.to_vec());
    }
}
