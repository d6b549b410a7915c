//! Recomputation: elements of a temporary array are computed where they are read, and the array goes.
//! Source:   Halide's inlining (Ragan-Kelley et al., PLDI 2013), for statements of any loop nest, proved by dependences.
//! Before:   a region, expanded or not.
//! After:    the same values; the array's statement is evaluated in the statements that read it, as an operand.
//! Work:     an element is computed once for each time that it is read.
//!
//! An array may go if one statement writes it, each read is fed by the instance of that statement which an affine function names, and what
//! that instance reads has the same value where it is evaluated then: the flows of the moved reads are compared with those they had.
//! What the *text* of a statement allows is the front end's to say ([`Text`]); how the evaluations of a statement are nested is its
//! [`Evaluation`].

mod evaluation;
mod refusal;

use crate::dependence::distance::range;
use crate::dependence::flow::{Flows, Sources};
use crate::generate::affine;
use crate::model::{Access, AccessKind, Array, Home, Node, Scop, Statement, Use};
use crate::program::Expr;
use crate::tree::{FusedTree, Time};
pub use evaluation::{Evaluation, Operand};
use frit_isl::{Aff, Dim, Error, Map, PwMultiAff};
use frit_support::{Index, Table};
pub use refusal::Refusal;
use std::collections::{BTreeMap, BTreeSet};

/// What the front end knows of the text of statements.
pub trait Text {
    /// The operations of an expression, if all that the statement does is to assign its value, so that it can be evaluated elsewhere.
    fn operations(&self, statement: Statement) -> Option<u64>;

    /// An expression can stand in the place of this read.
    fn is_operand(&self, read: Use) -> bool;
}

/// When an array is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Wherever it may.
    Legal,
    /// Where computing its elements again takes no more operations, loads and stores than keeping them, and reads memory in the same order.
    Cheaper,
}

/// A region in which arrays are gone.
#[derive(Clone, Debug)]
pub struct Recomputed {
    /// The region.
    pub scop: Scop,
    /// What each of its statements was, and what it evaluates.
    pub statements: Table<Statement, Evaluation>,
    /// What became of the arrays that were asked for.
    pub arrays: BTreeMap<Array, Result<Inlined, Refusal>>,
}

/// An array that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// The statement that wrote it.
    pub statement: Statement,
    /// How often an element is computed at most, in the region as it is in the end; `None` if that grows with the sizes.
    pub times: Option<u64>,
}

/// The bound on isl's elementary steps for one array.
const STEPS: u64 = 10_000_000;
/// More statements are not evaluated in one.
const MOST_EVALUATIONS: usize = 64;

impl Recomputed {
    /// The region as it is.
    pub fn nothing(scop: Scop) -> Result<Recomputed, Error> {
        let evaluations = scop.statements.iter().map(|(statement, data)| Evaluation::of(statement, data));
        let statements = evaluations.collect::<Result<_, _>>()?;
        Ok(Recomputed { scop, statements, arrays: BTreeMap::new() })
    }

    /// Some array is gone.
    pub fn is_changed(&self) -> bool {
        self.arrays.values().any(Result::is_ok)
    }
}

/// Computes the elements of `arrays` where they are read, at most `limit` arrays, first those that are written first.
pub fn recompute(
    scop: &Scop,
    arrays: &BTreeSet<Array>,
    when: When,
    limit: Option<usize>,
    text: &dyn Text,
) -> Result<Recomputed, Error> {
    let Recomputed { scop: start, statements, .. } = Recomputed::nothing(scop.clone())?;
    let times = FusedTree::original(scop).times(scop);
    let mut state = State { source: scop, scop: start, statements, times: &times, gone: BTreeSet::new(), text };
    let mut found = BTreeMap::new();
    for (_, array) in written_first(scop, arrays) {
        if limit.is_some_and(|limit| found.values().filter(|of: &&Result<_, _>| of.is_ok()).count() >= limit) {
            break;
        }
        let mut next = state.clone();
        let outcome = match scop.isl.bounded(STEPS, || next.inline(array, when)) {
            Ok(statement) => {
                state = next;
                Ok(Inlined { statement, times: None })
            }
            Err(Failure::Refused(refusal)) => Err(refusal),
            Err(Failure::Isl(error)) if error.is_quota() => Err(Refusal::TooHard),
            Err(Failure::Isl(error)) => return Err(error),
        };
        found.insert(array, outcome);
    }
    for inlined in found.values_mut().flatten() {
        inlined.times = state.times_computed(inlined.statement)?;
    }
    state.finish(found)
}

/// The arrays that are written and read, in the order of their first writes.
fn written_first(scop: &Scop, arrays: &BTreeSet<Array>) -> BTreeSet<(Statement, Array)> {
    let uses = scop.uses();
    let first = |array: Array| {
        let is_read = |of: &&Use| scop.access(**of).kind == AccessKind::Read;
        let write = uses[array].iter().find(|of| !is_read(of))?;
        uses[array].iter().find(is_read).map(|_| (write.statement, array))
    };
    arrays.iter().filter_map(|&array| first(array)).collect()
}

/// Why an array stays.
enum Failure {
    Refused(Refusal),
    Isl(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Isl(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

/// A region on the way. Statements keep their numbers until the end.
#[derive(Clone)]
struct State<'a> {
    source: &'a Scop,
    scop: Scop,
    statements: Table<Statement, Evaluation>,
    times: &'a Table<Statement, Time>,
    /// Statements that are only evaluated in others.
    gone: BTreeSet<Statement>,
    text: &'a dyn Text,
}

impl State<'_> {
    /// Evaluates the statement that writes an array wherever that is read.
    fn inline(&mut self, array: Array, when: When) -> Result<Statement, Failure> {
        let writer = self.only_write(array)?.statement;
        let of_writer = |of: &Use| of.statement == writer;
        if self.reads(array).iter().any(of_writer) {
            return Err(Refusal::SelfReading { at: self.scop.statements[writer].span }.into());
        }
        // What only one iteration of the writer knows is evaluated in it first.
        while let Some(read) = self.private_operand(writer) {
            self.inline_read(read)?;
        }
        // It has another position now.
        if when == When::Cheaper && !self.keeps_order(self.only_write(array)?)? {
            return Err(Refusal::NotCheaper.into());
        }
        while let Some(&read) = self.reads(array).first() {
            self.inline_read(read)?;
        }
        self.gone.insert(writer);
        self.drop_unread();
        if when == When::Cheaper && !self.is_cheaper(writer)? {
            return Err(Refusal::NotCheaper.into());
        }
        Ok(writer)
    }

    /// The accesses of an array that are left.
    fn uses(&self, array: Array) -> Vec<Use> {
        let statements = self.scop.statements.iter().filter(|(statement, _)| !self.gone.contains(statement));
        let uses = statements.flat_map(|(statement, data)| {
            let of_array = data.accesses.iter().enumerate().filter(|(_, access)| access.array == array);
            of_array.map(move |(position, _)| Use { statement, position })
        });
        uses.collect()
    }

    fn reads(&self, array: Array) -> Vec<Use> {
        self.uses(array).into_iter().filter(|of| self.scop.access(*of).kind == AccessKind::Read).collect()
    }

    fn writes(&self, array: Array) -> Vec<Use> {
        self.uses(array).into_iter().filter(|of| self.scop.access(*of).kind != AccessKind::Read).collect()
    }

    /// The only write of a temporary, and all that its statement does.
    fn only_write(&self, array: Array) -> Result<Use, Refusal> {
        let data = &self.scop.arrays[array];
        if data.is_live_in || data.is_live_out {
            return Err(Refusal::Live);
        }
        let writes = self.writes(array);
        let of_statement = |of: &Use| &self.scop.statements[of.statement];
        let at = |of: &Use| of_statement(of).span;
        let [write] = writes[..] else {
            return Err(match writes.first() {
                Some(first) => Refusal::SeveralWriters { at: at(first) },
                None => Refusal::Unwritten { at: data.span },
            });
        };
        let others = of_statement(&write).accesses.iter().filter(|access| access.kind != AccessKind::Read).count();
        if !self.scop.access(write).is_certain() || others != 1 {
            return Err(Refusal::SeveralWriters { at: at(&write) });
        }
        if of_statement(&write).opaque.is_some() || self.text.operations(write.statement).is_none() {
            return Err(Refusal::NotAnExpression { at: at(&write) });
        }
        Ok(write)
    }

    /// A read of a temporary that has an element for each iteration.
    fn private_operand(&self, statement: Statement) -> Option<Use> {
        let accesses = self.scop.statements[statement].accesses.iter();
        let position = accesses.enumerate().find_map(|(position, access)| {
            let is_private = access.kind == AccessKind::Read && self.scop.arrays[access.array].expanded > 0;
            is_private.then_some(position)
        });
        position.map(|position| Use { statement, position })
    }

    /// Evaluates the statement that writes what is read in the place of the read.
    fn inline_read(&mut self, read: Use) -> Result<(), Failure> {
        let reader = read.statement;
        let at = self.scop.statements[reader].span;
        let Access { array, is_exact, .. } = *self.scop.access(read);
        let write = self.only_write(array)?;
        let writer = write.statement;
        let is_operand = self.statements[reader]
            .origin(read.position)
            .is_some_and(|(statement, position)| self.text.is_operand(Use { statement, position }));
        if !is_exact || !is_operand || self.scop.statements[reader].opaque.is_some() {
            return Err(Refusal::NotAnOperand { at }.into());
        }
        if reader == writer {
            return Err(Refusal::SelfReading { at }.into());
        }
        let instance = self.instance(read, write)?;
        let values = self.statements[reader].all().len() + self.statements[writer].all().len();
        if values > MOST_EVALUATIONS {
            return Err(Refusal::TooManyEvaluations { at }.into());
        }
        self.replace(read, write, &instance)?;
        Ok(())
    }

    /// Which instance of the write's statement computes what a read finds.
    fn instance(&self, read: Use, write: Use) -> Result<Instance, Failure> {
        let data = &self.scop.statements[read.statement];
        let found = Flows::new(&self.scop, self.times, &[read], &Sources { certain: &[write], possible: &[] })?;
        let (true, [(_, _, flow)]) = (found.unfed.is_empty(), &found.flows[..]) else {
            return Err(Refusal::Unwritten { at: data.span }.into());
        };
        let not_invertible = Refusal::NotInvertible { at: data.span };
        let relation = Map::from_basic_map(&flow.reverse()?.affine_hull()?)?;
        let function = functions(&relation)?.ok_or(not_invertible)?;
        let variables: Vec<Expr> = (0..data.loops.len()).map(|at| Expr::Iterator(Index::new(at))).collect();
        let value = |aff: &Aff| affine(aff, &data.domain, &variables).map_err(|_| Failure::from(not_invertible));
        let iterators = function.iter().map(value).collect::<Result<Vec<Expr>, Failure>>()?;
        Ok(Instance { iterators, relation })
    }

    /// Puts the writer's reads in the place of a read, and shows that they find what they found.
    fn replace(&mut self, read: Use, write: Use, instance: &Instance) -> Result<(), Failure> {
        let (reader, writer) = (read.statement, write.statement);
        let at = self.scop.statements[reader].span;
        let inner = self.scop.statements[writer].clone();
        let moved = |access: &Access| -> Result<Access, Error> {
            let relation = instance.relation.apply_range(&access.relation)?;
            Ok(Access { relation: relation.intersect_domain(&self.scop.statements[reader].domain)?, ..access.clone() })
        };
        let first = self.scop.statements[reader].accesses.len() - 1;
        let mut accesses = Vec::new();
        // The position in the reader of each of the writer's reads.
        let mut positions: BTreeMap<usize, usize> = BTreeMap::new();
        for (position, access) in inner.accesses.iter().enumerate().filter(|(position, _)| *position != write.position)
        {
            let access = moved(access)?;
            if !self.keeps_iteration(reader, writer, &access)? {
                return Err(Refusal::OperandPrivate { operand: access.array }.into());
            }
            positions.insert(position, first + accesses.len());
            accesses.push(access);
        }
        let operand = |position: usize| positions.get(&position).map_or(Operand::Result, |at| Operand::Access(*at));
        let value = self.statements[writer].moved(&instance.iterators, &instance.relation, &operand)?;
        let before: Vec<(Use, Flows)> = positions
            .keys()
            .map(|&position| Use { statement: writer, position })
            .map(|of| Ok((of, self.sources(of)?)))
            .collect::<Result<_, Error>>()?;

        self.statements[reader].replace(read.position, &value);
        let data = &mut self.scop.statements[reader];
        data.accesses.remove(read.position);
        data.accesses.extend(accesses);
        data.work = data.work.saturating_add(inner.work);
        if let Some(reduction) = &mut data.reduction {
            reduction.read -= usize::from(reduction.read > read.position);
            reduction.write -= usize::from(reduction.write > read.position);
        }

        for (of, before) in before {
            let now = Use { statement: reader, position: positions[&of.position] };
            let operand = self.scop.access(now).array;
            let writes = self.writes(operand);
            // Statements of several parts may write between their reads.
            let is_written_here = writes.iter().any(|write| write.statement == reader);
            if is_written_here && self.text.operations(self.statements[reader].statement).is_none()
                || !self.finds_the_same(&before, now, instance)?
            {
                return Err(Refusal::OperandOverwritten { operand, at }.into());
            }
        }
        Ok(())
    }

    /// An array that has elements for each iteration is accessed at those of the statement's own.
    fn keeps_iteration(&self, reader: Statement, writer: Statement, access: &Access) -> Result<bool, Error> {
        let data = &self.scop.arrays[access.array];
        let depth = data.expanded;
        if depth == 0 {
            return Ok(!matches!(data.home, Home::Body(_)));
        }
        if self.scop.common_loops(reader, writer).len() < depth {
            return Ok(false);
        }
        let mut own = access.relation.clone();
        for at in 0..depth {
            own = own.equate(Dim::In, at, Dim::Out, at)?;
        }
        access.relation.is_subset(&own)
    }

    /// The writes that feed a read.
    fn sources(&self, read: Use) -> Result<Flows, Error> {
        let writes = self.writes(self.scop.access(read).array);
        Flows::new(&self.scop, self.times, &[read], &Sources { certain: &writes, possible: &[] })
    }

    /// The read has the sources that another one had, whose instances `instance` names.
    fn finds_the_same(&self, before: &Flows, read: Use, instance: &Instance) -> Result<bool, Error> {
        let domain = self.scop.statements[read.statement].domain.intersect_params(&self.scop.assumed)?;
        let moved = instance.relation.intersect_domain(&domain)?.reverse()?;
        let found = self.sources(read)?;
        let mut expected: BTreeMap<Use, Map> = BTreeMap::new();
        for (source, _, flow) in &before.flows {
            let flow = flow.apply_range(&moved)?;
            if !flow.is_empty()? {
                expected.insert(*source, flow);
            }
        }
        if expected.len() != found.flows.len() {
            return Ok(false);
        }
        for (source, _, flow) in &found.flows {
            match expected.get(source) {
                Some(expected) if expected.is_equal(flow)? => {}
                _ => return Ok(false),
            }
        }
        // What is read from before the region follows: every instance has a source there, or none.
        Ok(true)
    }

    /// Statements whose results nobody reads any more, after others have gone.
    fn drop_unread(&mut self) {
        loop {
            let is_unread = |statement: Statement| {
                let mut writes = self.scop.statements[statement].accesses.iter();
                let evaluated = self
                    .statements
                    .iter()
                    .any(|(other, of)| other != statement && of.all().iter().any(|value| value.statement == statement));
                evaluated
                    && !self.gone.contains(&statement)
                    && writes.all(|access| {
                        let data = &self.scop.arrays[access.array];
                        access.kind == AccessKind::Read
                            || !data.is_live_in && !data.is_live_out && self.reads(access.array).is_empty()
                    })
            };
            match self.scop.statements.indices().find(|&statement| is_unread(statement)) {
                Some(unread) => self.gone.insert(unread),
                None => return,
            };
        }
    }

    /// How often an instance of a statement of the region as it was is evaluated at most.
    fn times_computed(&self, statement: Statement) -> Result<Option<u64>, Error> {
        let mut sum = 0u64;
        for (reader, evaluation) in self.statements.iter().filter(|(reader, _)| !self.gone.contains(reader)) {
            let domain = self.scop.statements[reader].domain.intersect_params(&self.scop.assumed)?;
            for value in evaluation.all().into_iter().filter(|value| value.statement == statement) {
                match most_sources(&value.relation.intersect_domain(&domain)?)? {
                    Some(times) => sum = sum.saturating_add(times),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(sum))
    }

    /// Loads, and operations on them, to compute an element.
    fn cost(&self, statement: Statement) -> u64 {
        let own = |of: &Evaluation| self.text.operations(of.statement).unwrap_or(u64::MAX);
        let operations = self.statements[statement].all().into_iter().map(own).fold(0, u64::saturating_add);
        let loads = self.scop.statements[statement]
            .accesses
            .iter()
            .filter(|access| access.kind == AccessKind::Read && !self.scop.arrays[access.array].extents.is_empty());
        operations.saturating_add(loads.count() as u64)
    }

    /// Computing each element wherever it is read costs no more than to compute it once, store it, and load it wherever it is read.
    fn is_cheaper(&self, statement: Statement) -> Result<bool, Error> {
        let cost = self.cost(statement);
        Ok(match self.times_computed(statement)? {
            _ if cost <= 1 => true,
            None => false,
            Some(times) => times.saturating_mul(cost) <= cost.saturating_add(1).saturating_add(times),
        })
    }

    /// Walking along the array, all operands are walked along in the same order, in elements that are not larger.
    fn keeps_order(&self, write: Use) -> Result<bool, Error> {
        let data = &self.scop.statements[write.statement];
        let written = self.scop.access(write);
        let bytes = |array: Array| self.scop.arrays[array].elem_bytes;
        for access in data.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if self.scop.arrays[access.array].extents.is_empty() {
                continue;
            }
            let elements = written.relation.intersect_domain(&data.domain)?.reverse()?.apply_range(&access.relation)?;
            let hull = Map::from_basic_map(&elements.affine_hull()?)?;
            let is_ordered = match functions(&hull)? {
                Some(subscripts) => is_ordered(&subscripts)?,
                None => false,
            };
            if !access.is_exact || !is_ordered || bytes(access.array) > bytes(written.array) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The region without the statements that are gone.
    fn finish(self, arrays: BTreeMap<Array, Result<Inlined, Refusal>>) -> Result<Recomputed, Error> {
        let State { source, scop, statements, gone, .. } = self;
        let mut numbers: BTreeMap<Statement, Statement> = BTreeMap::new();
        let mut result =
            Recomputed { scop: Scop { statements: Table::new(), ..scop.clone() }, statements: Table::new(), arrays };
        for (statement, data) in scop.statements.iter().filter(|(statement, _)| !gone.contains(statement)) {
            let number = result.statements.push(statements[statement].clone());
            numbers.insert(statement, number);
            let mut data = data.clone();
            let name = number.to_string();
            data.domain = data.domain.set_tuple_name(&name)?;
            for access in &mut data.accesses {
                access.relation = access.relation.set_tuple_name(Dim::In, &name)?;
            }
            result.scop.statements.push(data);
        }
        result.scop.body = renumbered(&source.body, &numbers);
        Ok(result)
    }
}

/// Which instance of a statement an instance of another one stands for.
struct Instance {
    /// The values of its variables, in those of the other.
    iterators: Vec<Expr>,
    relation: Map,
}

/// The outputs of a relation as affine functions of its inputs without remainders, if it is single-valued.
fn functions(relation: &Map) -> Result<Option<Vec<Aff>>, Error> {
    if !relation.is_single_valued()? {
        return Ok(None);
    }
    let function = PwMultiAff::from_map(relation)?;
    let mut found = Vec::new();
    for dim in 0..function.dim(Dim::Out)? {
        let pieces = function.get_at(dim)?.pieces()?;
        let [(_, aff)] = &pieces[..] else { return Ok(None) };
        if aff.involves_locals()? || !aff.get_denominator_val()?.is_one()? {
            return Ok(None);
        }
        found.push(aff.clone());
    }
    Ok(Some(found))
}

/// The most inputs of a relation that have one output; `None` if that grows with the parameters.
fn most_sources(relation: &Map) -> Result<Option<u64>, Error> {
    let inputs = relation.dim(Dim::In)?;
    let mut most = 1u64;
    for dim in 0..inputs {
        // Dimension by dimension, as far as those before it leave a choice.
        let first = relation.project_out(Dim::In, dim + 1, inputs - dim - 1)?.reset_tuple_id(Dim::In)?;
        let mut pairs = first.apply_range(&first.reverse()?)?;
        for before in 0..dim {
            pairs = pairs.equate(Dim::In, before, Dim::Out, before)?;
        }
        let apart = pairs.deltas()?;
        if apart.is_empty()? {
            return Ok(Some(0));
        }
        match range(&apart, dim)?.max.and_then(|max| u64::try_from(max).ok()) {
            Some(max) => most = most.saturating_mul(max.saturating_add(1)),
            None => return Ok(None),
        }
    }
    Ok(Some(most))
}

/// Subscripts, as functions of those of another array, are a constant first, perhaps, then those with constants added, in their order.
fn is_ordered(subscripts: &[Aff]) -> Result<bool, Error> {
    let mut least = 0;
    let mut is_begun = false;
    for subscript in subscripts {
        let mut used = Vec::new();
        for at in 0..subscript.dim(Dim::In)? {
            let coefficient = subscript.get_coefficient_val(Dim::In, at)?;
            if !coefficient.is_zero()? {
                used.push((at, coefficient.is_one()?));
            }
        }
        match used[..] {
            [] if !is_begun => {}
            [(at, true)] if at >= least => (least, is_begun) = (at + 1, true),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The loops and statements that are left, by their new numbers.
fn renumbered(body: &[Node], numbers: &BTreeMap<Statement, Statement>) -> Vec<Node> {
    let left = |node: &Node| match node {
        Node::Statement(statement) => numbers.get(statement).map(|number| Node::Statement(*number)),
        Node::Loop(of, inner) => {
            let inner = renumbered(inner, numbers);
            (!inner.is_empty()).then_some(Node::Loop(*of, inner))
        }
    };
    body.iter().filter_map(left).collect()
}
