//! Second-order array combinators: with-loops where the table in the design says so, and sequential loops for left folds
//! that no fold operator means: accumulators that are updated in place or change their shape, operators known not to be
//! associative, and `redomap`s whose function is not a fold of mapped elements.

use super::control::Carried;
use super::emit::{Emitter, Scope};
use super::expr::Body;
use super::fold::{Candidate, Proof};
use super::folded::{consumes, folded, map_of_arrays};
use super::value::{Parts, Typed, array_of, array_value, component_types};
use crate::l0::typed::{Expr, ExprKind, Lambda, Soac, SoacKind, Var};
use crate::l0::types::Type;
use frit_ir::FailureKind;
use frit_ir::array::{
    self as ir, Block, Extent, Generator, LoopKind, Op, Operand, Operator, OperatorData, Value, WithLoopData,
};
use frit_ir::scalar::{BinOp, Scalar};
use std::sync::Arc;

impl<'p> Body<'_, 'p> {
    /// The components of a combinator's result.
    pub(super) fn soac(&mut self, soac: &'p Soac, certs: &[Value]) -> Parts {
        let starts: Vec<Typed> = soac.starts.iter().map(|start| self.typed(start)).collect();
        if let Some(map) = self.folded_map(soac) {
            return self.fold_of_map(soac, starts, map, certs);
        }
        let arrays = self.arrays(soac, certs);
        match soac.kind {
            SoacKind::Map => {
                let row = self.row_of_arrays(soac, arrays);
                self.map_of_rows(soac, row, certs)
            }
            SoacKind::Filter => self.filter(soac, &arrays, certs),
            SoacKind::Scan => self.scan(soac, starts, &arrays, certs),
            SoacKind::Reduce | SoacKind::Redomap => self.fold(soac, starts, Elements::Stored(arrays), certs),
        }
    }

    /// The arrays that a combinator goes over, of one length.
    fn arrays(&mut self, soac: &'p Soac, certs: &[Value]) -> Vec<Typed> {
        let arrays = soac.arrays.iter().map(|array| self.typed(array)).collect();
        self.emitter.aligned(arrays, certs)
    }

    /// The map whose rows are arrays and are only folded.
    fn folded_map(&self, soac: &'p Soac) -> Option<&'p Expr> {
        let array = folded(soac)?;
        let map = match &array.kind {
            ExprKind::Var(var) => self.deferred.get(var).copied()?,
            _ => array,
        };
        map_of_arrays(map).map(|_| map)
    }

    /// A fold of the rows of a map. Where they have different shapes they need not be stored: the function of the fold takes
    /// them one by one (section 7 of the language: a fold with `concat` of strings).
    fn fold_of_map(&mut self, soac: &'p Soac, mut starts: Vec<Typed>, map: &'p Expr, certs: &[Value]) -> Parts {
        if consumes(self.function, &soac.function.params[..starts.len()]) {
            // Rows that are made one by one may read what the accumulators would be updated in.
            starts.iter_mut().for_each(|start| start.parts = self.emitter.copied(&start.parts, &[]));
        }
        let span = self.emitter.set_span(map.span);
        let map = map_of_arrays(map).expect("a map is folded");
        let row = self.map_row(map);
        let elements = if row.is_irregular() {
            Elements::Mapped(row)
        } else {
            let array = Typed::new(soac.arrays[0].ty.clone(), self.map_of_rows(map, row, &[]));
            Elements::Stored(self.emitter.aligned(vec![array], certs))
        };
        self.emitter.set_span(span);
        self.fold(soac, starts, elements, certs)
    }

    /// The value of a lambda. The first `given` arguments are its to consume; of the others it gets copies of what its
    /// parameters are declared to consume.
    fn apply(&mut self, lambda: &'p Lambda, arguments: Vec<Parts>, given: usize) -> Parts {
        for (at, (&param, parts)) in lambda.params.iter().zip(arguments).enumerate() {
            let consumes = at >= given && self.variable_type(param).has_unique_part();
            let parts = if consumes { self.emitter.copied(&parts, &[]) } else { parts };
            self.bind(param, parts);
        }
        self.expr(&lambda.body)
    }

    /// The names of the components of a lambda's parameters.
    fn names(&self, lambda: &Lambda) -> Vec<Option<Arc<str>>> {
        let mut names = Vec::new();
        for &param in &lambda.params {
            let name = self.written_name(param);
            names.extend(self.variable_type(param).flat().components.iter().map(|_| name.clone()));
        }
        names
    }

    /// The row that a map makes at an index, of rows that are not stored either if they are arrays that a map makes. Its block
    /// stays open.
    fn map_row(&mut self, soac: &'p Soac) -> MapRow {
        if let [array] = &soac.arrays[..]
            && let Some(inner) = map_of_arrays(array)
        {
            let MapRow { outer, index, parts, extents: _ } = self.map_row(inner);
            return self.row_of(soac, outer, index, vec![parts]);
        }
        let arrays = self.arrays(soac, &[]);
        self.row_of_arrays(soac, arrays)
    }

    fn row_of_arrays(&mut self, soac: &'p Soac, arrays: Vec<Typed>) -> MapRow {
        let outer = self.emitter.outer_extent(&arrays[0]);
        self.emitter.open_block();
        let index = self.emitter.index_value();
        let rows = self.emitter.rows(&arrays, index);
        self.row_of(soac, outer, index, rows)
    }

    fn row_of(&mut self, soac: &'p Soac, outer: Extent, index: Value, rows: Vec<Parts>) -> MapRow {
        let parts = self.apply(&soac.function, rows, 0);
        let emitter = &mut self.emitter;
        let extents: Vec<(Extent, bool)> = (emitter.extents(&soac.function.result.flat(), &parts).into_iter())
            .map(|extent| (extent, emitter.is_derivable_outside(extent.into())))
            .collect();
        MapRow { outer, index, parts, extents }
    }

    /// The map that stores these rows.
    fn map_of_rows(&mut self, soac: &'p Soac, row: MapRow, certs: &[Value]) -> Parts {
        let MapRow { outer, index, parts, extents: row_extents } = row;
        let lambda = &soac.function;
        let emitter = &mut self.emitter;
        // Rows without components are kept as rows of certificates, so that the map has a result.
        let mut cells = Vec::new();
        for (extent, _) in row_extents.iter().filter(|(_, is_known)| !is_known) {
            cells.push(emitter.length(*extent));
        }
        let uniforms = cells.len();
        cells.extend(Emitter::as_cells(&lambda.result, parts));
        let body = emitter.close_block(cells);

        let mut results = Vec::new();
        let mut extents = vec![outer];
        for (extent, is_known) in row_extents {
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
        let kept: Vec<Operand> =
            arrays.iter().flat_map(|array| self.emitter.cells(&array.parts, index.into())).collect();
        let mut rest = kept.iter().copied();
        let rows = arrays
            .iter()
            .map(|array| Emitter::element(&array.row_type(), rest.by_ref().take(array.parts.len()).collect()))
            .collect();
        let mut cells = self.apply(&soac.function, rows, 0);
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

    /// Lowers the function of a fold or scan as both a function of accumulators and elements, and the body of a loop.
    fn step(&mut self, soac: &'p Soac, given: usize, start: &Typed, elements: Elements) -> Step {
        let (index, cells) = match elements {
            Elements::Stored(arrays) => {
                self.emitter.open_block();
                let index = self.emitter.index_value();
                (index, self.emitter.rows(&arrays, index).into_iter().flatten().collect())
            }
            Elements::Mapped(row) => (row.index, row.parts),
        };
        let generator = self.emitter.close_block(cells.clone());
        let mut carried = Carried::new(&mut self.emitter, start);
        self.emitter.open_block();
        let names = self.names(&soac.function);
        let accumulators = carried.enter(&mut self.emitter, &names);
        let element_names = names.get(accumulators.len()..).unwrap_or_default();
        let elements = self.emitter.element_params(&cells, element_names);
        let mut rest = accumulators.into_iter().chain(elements.iter().map(|&element| element.into()));
        let argument =
            |&param: &Var| rest.by_ref().take(self.variable_type(param).flat().components.len()).collect::<Parts>();
        let arguments = soac.function.params.iter().map(argument).collect();
        let next = self.apply(&soac.function, arguments, given);
        carried.leave(&mut self.emitter, next);
        let scope = self.emitter.current_scope();
        let combine = self.emitter.close_block(carried.next());
        let params = carried.params().to_vec();
        Step { index, candidate: Candidate { params, elements, cells, generator, combine }, carried, scope }
    }

    fn scan(&mut self, soac: &'p Soac, starts: Vec<Typed>, arrays: &[Typed], certs: &[Value]) -> Parts {
        let given = starts.len();
        let outer = self.emitter.outer_extent(&arrays[0]);
        let start = tuple_of(soac, starts);
        let step = self.step(soac, given, &start, Elements::Stored(arrays.to_vec()));
        let emitter = &mut self.emitter;
        let parts = match step.prove(emitter, Candidate::prove_reduction) {
            Some(proof) => {
                let fold = step.candidate.into_fold(emitter, proof);
                let mut extents = vec![outer];
                extents.extend(emitter.extents_of(&start));
                let types = component_types(&array_of(&start.ty).flat(), &extents);
                let results: Vec<Value> = types.into_iter().map(|ty| emitter.value(ty, None)).collect();
                let parts = results.iter().map(|&v| v.into()).collect();
                let operator = OperatorData::new(Operator::Scan { combine: fold.combine, neutral: start.parts });
                emitter.with_loop(outer, step.index, fold.generator, vec![operator], results, certs);
                parts
            }
            None => scan_in_order(emitter, step, &start, outer, certs),
        };
        if soac.is_tupleless {
            let array = Typed::new(array_of(&start.ty), parts);
            return emitter.unzipped(array);
        }
        parts
    }

    /// `reduce` and `redomap`: a left fold.
    fn fold(&mut self, soac: &'p Soac, starts: Vec<Typed>, elements: Elements, certs: &[Value]) -> Parts {
        let given = starts.len();
        // Elements whose shapes are known only where they are made have no place in a lambda of their own.
        let (outer, is_in_order) = match &elements {
            Elements::Stored(arrays) => (self.emitter.outer_extent(&arrays[0]), false),
            Elements::Mapped(row) => (row.outer, true),
        };
        let start = tuple_of(soac, starts);
        let step = self.step(soac, given, &start, elements);
        let emitter = &mut self.emitter;
        let proof = step.prove(emitter, |candidate, emitter, types| match soac.kind {
            _ if is_in_order => None,
            SoacKind::Redomap => candidate.prove_mapped_reduction(emitter),
            SoacKind::Reduce | SoacKind::Scan | SoacKind::Map | SoacKind::Filter => {
                candidate.prove_reduction(emitter, types)
            }
        });
        let Step { index, candidate, carried, scope: _ } = step;
        let Some(proof) = proof else {
            let body = candidate.into_loop_body(emitter);
            let count = emitter.length(outer);
            let carried = if soac.kind == SoacKind::Reduce { carried.regrouping() } else { carried };
            return carried.finish(emitter, LoopKind::For { index, count }, body, certs.to_vec());
        };
        let fold = candidate.into_fold(emitter, proof);
        let results: Vec<Value> = carried.init_types().into_iter().map(|ty| emitter.value(ty, None)).collect();
        for (at, &result) in results.iter().enumerate() {
            emitter.add_alias(result, start.parts[at]);
            emitter.add_alias(result, fold.combine.body.results[at]);
        }
        let parts = results.iter().map(|&v| v.into()).collect();
        let op = Operator::Fold { combine: fold.combine, neutral: start.parts, commutative: fold.commutative };
        emitter.with_loop(outer, index, fold.generator, vec![OperatorData::new(op)], results, certs);
        parts
    }
}

/// What a fold goes over.
enum Elements {
    /// The rows of arrays.
    Stored(Vec<Typed>),
    /// The rows of a map, as they are made.
    Mapped(MapRow),
}

/// The row of a map at an index.
struct MapRow {
    /// How many rows there are.
    outer: Extent,
    index: Value,
    parts: Parts,
    /// The extents of the row, each with whether it is known outside of the map.
    extents: Vec<(Extent, bool)>,
}

impl MapRow {
    /// The rows may have different shapes.
    fn is_irregular(&self) -> bool {
        self.extents.iter().any(|(_, is_known)| !is_known)
    }
}

/// The function of a fold or scan, lowered.
struct Step {
    /// The index of the element.
    index: Value,
    candidate: Candidate,
    carried: Carried,
    /// The scope of the function.
    scope: Scope,
}

/// A scan whose partial results a `Scan` operator does not make: rows of another shape than the start value's, or accumulators
/// that are updated in place. A sequential loop stores them one by one; the first tells the shape of all.
fn scan_in_order(emitter: &mut Emitter, step: Step, start: &Typed, outer: Extent, certs: &[Value]) -> Parts {
    let Step { index, candidate, carried, scope } = step;
    let count = emitter.length(outer);
    let array = array_of(&start.ty);
    let none = emitter.replicate(Operand::i64(0), start, &[]);
    let mut stored = Carried::new(emitter, &Typed::new(array.clone(), none));
    let body = candidate.into_loop_body(emitter);
    emitter.reopen_block(body, scope);
    let before = Typed::new(array.clone(), stored.enter(emitter, &[]));
    let next = Typed::new(start.ty.clone(), carried.next_parts());
    let is_first = emitter.total_binary(BinOp::EQ, index.into(), Operand::i64(0));
    let flat = array.flat();
    emitter.open_block();
    let all = emitter.replicate(count, &next, &[]);
    let then = emitter.close_branch(&flat, all);
    emitter.open_block();
    let row_extents = emitter.extents_of(&before)[1..].to_vec();
    let row = emitter.with_extents(next, &row_extents, FailureKind::IrregularArray);
    let replaced = emitter.replaced(&before, &[index.into()], &row, &[]);
    let otherwise = emitter.close_branch(&flat, replaced);
    let after = emitter.branch(is_first, &flat, then, otherwise);
    stored.leave(emitter, after);
    let both = carried.and(stored);
    let body = emitter.close_block(both.next());
    let parts = both.finish(emitter, LoopKind::For { index, count }, body, certs.to_vec());
    parts[start.parts.len()..].to_vec()
}

impl Step {
    /// Why it is a fold, if the accumulators keep their shape and their memory, and `prove` finds it to be one.
    fn prove(
        &self,
        emitter: &Emitter,
        prove: impl FnOnce(&Candidate, &Emitter, &[ir::Type]) -> Option<Proof>,
    ) -> Option<Proof> {
        let keeps = !self.carried.has_varying_extents() && !self.carried.is_consumed(emitter);
        if keeps { prove(&self.candidate, emitter, &self.carried.init_types()) } else { None }
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
