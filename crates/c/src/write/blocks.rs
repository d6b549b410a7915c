//! The blocks of the new text: what of a program is printed anew and what as the source has it, what each part uses, and how loop
//! variables are called.

use super::Transformed;
use super::expressions::{Leaves, Variable, common_type};
use super::lexical::{blanked, has_word, words};
use super::names::Names;
use super::storage::{Place, Plan};
use crate::region::{Region, Template};
use frit_scop::model::Home;
use frit_scop::program::{BinOp, Expr, Fate, ForLoop, Instance, Iterator, LoopKind, Step};
use frit_scop::{Array, Loop, Node, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Statements that follow each other between the same braces.
#[derive(Debug)]
pub(super) struct Block<'p> {
    /// Its number; `0` is the region itself.
    pub(super) id: usize,
    /// What it holds, in order.
    pub(super) parts: Vec<Part<'p>>,
    /// Names that mean something in it and are none of this module's making, and those of the loop variables in it.
    pub(super) words: BTreeSet<String>,
}

/// A part of a block.
#[derive(Debug)]
pub(super) struct Part<'p> {
    /// What it is.
    pub(super) kind: PartKind<'p>,
    /// The arrays that it uses.
    pub(super) uses: BTreeSet<Array>,
}

/// What a part of a block is.
#[derive(Debug)]
pub(super) enum PartKind<'p> {
    /// A generated loop.
    For(&'p ForLoop, Variable, Block<'p>),
    /// A condition.
    If(&'p Expr, Block<'p>, Block<'p>),
    /// A statement of the source.
    Instance(&'p Instance),
    /// Variables move on: those of the array with these numbers.
    Rotate(Array, &'p [u64]),
    /// A loop nest that is as in the source.
    AsWritten(Loop),
}

/// What blocks are built from.
pub(super) struct Builder<'p, 'n> {
    text: &'p str,
    region: &'p Region,
    transformed: &'p Transformed,
    plan: &'p Plan,
    /// The loops that count down.
    descending: &'p BTreeSet<Iterator>,
    names: &'n mut Names,
    /// How often each statement is printed.
    copies: BTreeMap<Statement, usize>,
    /// The node of each loop of the source.
    nests: BTreeMap<Loop, &'p [Node]>,
    /// Names that are used wherever an array is declared or accessed.
    common: BTreeSet<String>,
    /// The variables of the loops around.
    variables: BTreeMap<Iterator, Variable>,
    blocks: usize,
}

impl<'p, 'n> Builder<'p, 'n> {
    /// A builder for one region.
    pub(super) fn new(
        text: &'p str,
        region: &'p Region,
        transformed: &'p Transformed,
        plan: &'p Plan,
        descending: &'p BTreeSet<Iterator>,
        names: &'n mut Names,
    ) -> Self {
        let mut copies = BTreeMap::new();
        count_copies(&transformed.program.body, &mut copies);
        let mut nests = BTreeMap::new();
        collect_nests(&region.scop.body, &mut nests);
        let mut common = BTreeSet::new();
        let mut add = |text: &str| common.extend(words(text).map(str::to_owned));
        region.params.iter().for_each(|(_, param)| add(&param.text));
        for (_, array) in region.arrays.iter() {
            array.extents.iter().flatten().for_each(|extent| add(extent));
            add(&array.element);
            if let crate::region::Form::Linear(strides) = &array.form {
                strides.iter().chain(&array.start).for_each(|stride| add(stride));
            }
        }
        let variables = BTreeMap::new();
        Builder { text, region, transformed, plan, descending, names, copies, nests, common, variables, blocks: 0 }
    }

    /// The block of the region.
    pub(super) fn region(mut self) -> Block<'p> {
        let transformed = self.transformed;
        self.block(&transformed.program.body, true)
    }

    fn block(&mut self, steps: &'p [Step], is_sequential: bool) -> Block<'p> {
        let id = self.blocks;
        self.blocks += 1;
        let mut found = self.words(steps);
        let parts: Vec<Part> = steps.iter().map(|step| self.part(step, is_sequential)).collect();
        for part in &parts {
            match &part.kind {
                PartKind::For(_, variable, inner) => {
                    found.insert(variable.name.clone());
                    found.extend(inner.words.iter().cloned());
                }
                PartKind::If(_, then, otherwise) => found.extend(then.words.iter().chain(&otherwise.words).cloned()),
                PartKind::Instance(_) | PartKind::Rotate(..) | PartKind::AsWritten(_) => {}
            }
        }
        Block { id, parts, words: found }
    }

    fn part(&mut self, step: &'p Step, is_sequential: bool) -> Part<'p> {
        match step {
            Step::For(each) => {
                if is_sequential && let Some((source, uses)) = self.as_written(each) {
                    return Part { kind: PartKind::AsWritten(source), uses };
                }
                let variable = self.variable(each);
                self.variables.insert(each.iterator, variable.clone());
                let is_sequential = is_sequential && !matches!(each.kind, LoopKind::Parallel { .. });
                let body = self.block(&each.body, is_sequential);
                self.variables.remove(&each.iterator);
                let uses = body.uses();
                Part { kind: PartKind::For(each, variable, body), uses }
            }
            Step::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.block(then, is_sequential), self.block(otherwise, is_sequential));
                let uses = then.uses().into_iter().chain(otherwise.uses()).collect();
                Part { kind: PartKind::If(cond, then, otherwise), uses }
            }
            Step::Instance(instance) => {
                let accesses = &self.transformed.scop.statements[instance.statement].accesses;
                let uses = accesses.iter().map(|access| access.array).collect();
                Part { kind: PartKind::Instance(instance), uses }
            }
            Step::Rotate { array, ages } => Part { kind: PartKind::Rotate(*array, ages), uses: [*array].into() },
        }
    }

    /// Words of the source in `steps` that are printed as they are.
    fn words(&self, steps: &[Step]) -> BTreeSet<String> {
        let mut found = self.common.clone();
        self.collect_words(steps, &mut found);
        found
    }

    fn collect_words(&self, steps: &[Step], found: &mut BTreeSet<String>) {
        for step in steps {
            match step {
                Step::For(each) => self.collect_words(&each.body, found),
                Step::If { then, otherwise, .. } => {
                    self.collect_words(then, found);
                    self.collect_words(otherwise, found);
                }
                Step::Instance(instance) => {
                    for evaluation in self.transformed.statements[instance.statement].all() {
                        for piece in between_holes(&self.region.statements[evaluation.statement]) {
                            found.extend(words(&blanked(&self.text[piece])).map(str::to_owned));
                        }
                    }
                    for access in &self.transformed.scop.statements[instance.statement].accesses {
                        if let Place::Source(_) = self.plan.places[access.array] {
                            let origin = self.transformed.scop.arrays[access.array].origin;
                            found.extend(words(&self.region.arrays[origin].name).map(str::to_owned));
                        }
                    }
                }
                Step::Rotate { .. } => {}
            }
        }
    }

    /// The name and the type of a loop's variable.
    fn variable(&mut self, each: &ForLoop) -> Variable {
        let sources = &self.transformed.program.iterators[each.iterator].sources;
        let inside = self.words(&each.body);
        let is_free =
            |name: &&str| !inside.contains(*name) && !self.variables.values().any(|outer| outer.name == **name);
        let loops = &self.region.scop.loops;
        let name = sources.iter().map(|&source| loops[source].name.as_str()).find(is_free).map(str::to_owned);
        let name = name.unwrap_or_else(|| {
            let base = sources.first().map_or("t", |&source| loops[source].name.as_str());
            self.names.fresh(base, 1).remove(0)
        });
        let is_descending = self.descending.contains(&each.iterator);
        let c_type =
            if is_descending { common_type(sources, &self.region.loops) } else { self.variable_type(each, sources) };
        Variable { name, c_type, is_descending }
    }

    fn variable_type(&self, each: &ForLoop, sources: &[Loop]) -> String {
        let loops = &self.region.loops;
        let wraps = |c_type: &str| {
            matches!(c_type, "unsigned" | "unsigned int" | "unsigned long" | "unsigned long long" | "size_t")
                || matches!(c_type, "uint32_t" | "uint64_t" | "uintptr_t")
        };
        match sources.iter().map(|&source| loops[source].c_type.as_str()).collect::<BTreeSet<_>>().first() {
            Some(&c_type)
                if wraps(c_type)
                    && sources.iter().all(|&source| loops[source].c_type == c_type)
                    && self.has_source_values(each, c_type) =>
            {
                c_type.into()
            }
            _ => common_type(sources, loops),
        }
    }

    /// The loop's variable takes only values of the source's variable, and all arithmetic on it is exact in its unsigned type.
    fn has_source_values(&self, each: &ForLoop, c_type: &str) -> bool {
        let is_bare = |expr: &Expr| match expr {
            Expr::Int(value) => *value >= 0,
            Expr::Param(param) => self.region.params[*param].c_type == c_type,
            Expr::Iterator(iterator) => self.variables.get(iterator).is_some_and(|outer| outer.c_type == c_type),
            Expr::Neg(_) | Expr::Binary(..) | Expr::Select(..) => false,
        };
        is_bare(&each.lower) && is_bare(&each.upper) && self.stays_exact(&each.body, each.iterator)
    }

    /// Whether every expression on `iterator` is exact if the variable is unsigned and of at least 32 bits: statements see it as it is, bounds are
    /// it alone, and subscripts, which are not negative, only add and multiply.
    fn stays_exact(&self, steps: &[Step], iterator: Iterator) -> bool {
        let has = |expr: &Expr| Leaves::of(expr).iterators.contains(&iterator);
        let is_bare = |expr: &Expr| !has(expr) || *expr == Expr::Iterator(iterator);
        steps.iter().all(|step| match step {
            Step::For(each) => is_bare(&each.lower) && is_bare(&each.upper) && self.stays_exact(&each.body, iterator),
            Step::If { cond, then, otherwise } => {
                !has(cond) && self.stays_exact(then, iterator) && self.stays_exact(otherwise, iterator)
            }
            Step::Instance(instance) => {
                let evaluations = self.transformed.statements[instance.statement].all();
                let subscripts = instance.subscripts.iter().flatten().flatten();
                instance.iterators.iter().all(is_bare)
                    && evaluations.iter().flat_map(|of| of.iterators_at(&instance.iterators)).all(|of| is_bare(&of))
                    && subscripts.into_iter().all(|subscript| !has(subscript) || is_ring(subscript))
            }
            Step::Rotate { .. } => true,
        })
    }

    /// If the source has this very loop nest, and nothing in it is to change: the loop, and what is used of outside of it.
    fn as_written(&self, each: &ForLoop) -> Option<(Loop, BTreeSet<Array>)> {
        let [source] = self.transformed.program.iterators[each.iterator].sources.as_slice() else { return None };
        let range = self.region.loops[*source].range.clone();
        let text = self.text.get(range.clone()).filter(|text| !text.is_empty())?;
        let mut nest = Nest::default();
        if !self.follows(each, *source, &mut nest) {
            return None;
        }
        let mut uses = BTreeSet::new();
        for instance in nest.instances {
            let template = &self.region.statements[self.source(instance)];
            let is_inside = range.start <= template.range.start && template.range.end <= range.end;
            let mut derived = template.holes.iter().filter(|hole| hole.is_derived);
            if !is_inside || !derived.all(|hole| self.has_known_names(&self.text[hole.range.clone()])) {
                return None;
            }
            for access in &self.transformed.scop.statements[instance.statement].accesses {
                let origin = self.transformed.scop.arrays[access.array].origin;
                let declaration = self.region.arrays[origin].declaration.as_ref();
                let is_inner = matches!(self.region.scop.arrays[origin].home, Home::Body(_))
                    && declaration.is_some_and(|d| range.start <= d.range.start && d.range.end <= range.end);
                if is_inner {
                    continue;
                }
                if !self.is_unchanged(access.array) {
                    return None;
                }
                uses.insert(access.array);
            }
        }
        // The text may name what no statement is said to use, because its value was known.
        let blank = blanked(text);
        let is_visible = |origin: Array| {
            let data = &self.region.arrays[origin];
            let Some(declaration) = &data.declaration else { return true };
            (range.start <= declaration.range.start && declaration.range.end <= range.end)
                || uses.iter().any(|&array| self.transformed.scop.arrays[array].origin == origin)
                || !has_word(&blank, &data.name)
        };
        let is_there = |(name, at): &(String, Range<usize>)| range.contains(&at.start) || !has_word(&blank, name);
        let is_meant =
            |(iterator, outer): (&Iterator, &Variable)| nest.outer.contains(iterator) || !has_word(&blank, &outer.name);
        let is_whole = self.region.arrays.indices().all(is_visible) && self.region.gone.iter().all(is_there);
        (is_whole && self.variables.iter().all(is_meant)).then_some((*source, uses))
    }

    /// The statement of the source that an instance is of.
    fn source(&self, instance: &Instance) -> Statement {
        self.transformed.statements[instance.statement].statement
    }

    /// All names in a text are those of arrays and variables of the region, of its loops, or stand for its parameters.
    fn has_known_names(&self, text: &str) -> bool {
        words(text).all(|word| {
            self.common.contains(word)
                || self.region.arrays.iter().any(|(_, array)| array.name == word)
                || self.region.scop.loops.iter().any(|(_, each)| each.name == word)
        })
    }

    /// The array is where the source has it, and is subscripted as there.
    fn is_unchanged(&self, array: Array) -> bool {
        let fate = &self.transformed.program.fates[array];
        match &self.plan.places[array] {
            Place::Unknown => true,
            Place::Source(dims) => dims.is_empty() || *fate == Fate::Kept,
            Place::Cells(_) | Place::Array(_) => false,
        }
    }

    /// The loop does exactly what this loop of the source does, in the same order and under the same names.
    fn follows(&self, each: &'p ForLoop, source: Loop, nest: &mut Nest<'p>) -> bool {
        let Some(&inner) = self.nests.get(&source) else { return false };
        // Conditions are not nodes of the source: they are in the domains of its statements.
        let mut steps = Vec::new();
        flatten(&each.body, &mut steps);
        nest.inner.insert(source, each.iterator);
        self.transformed.program.iterators[each.iterator].sources == [source]
            && each.kind == LoopKind::Sequential
            && self.descending.contains(&each.iterator) == self.region.scop.loops[source].is_reversed
            && steps.len() == inner.len()
            && steps.iter().zip(inner).all(|(step, node)| match (step, node) {
                (Step::For(each), Node::Loop(source, _)) => self.follows(each, *source, nest),
                (Step::Instance(instance), Node::Statement(statement)) => {
                    nest.instances.push(instance);
                    self.transformed.statements[instance.statement].is_plain()
                        && self.source(instance) == *statement
                        && self.copies.get(&instance.statement) == Some(&1)
                        && self.is_identity(instance, nest)
                }
                _ => false,
            })
    }

    /// Each loop variable of the statement is the variable of a loop of the same name and type.
    fn is_identity(&self, instance: &Instance, nest: &mut Nest) -> bool {
        let loops = &self.region.scop.statements[self.source(instance)].loops;
        instance.iterators.iter().zip(loops).all(|(expr, source)| {
            let Expr::Iterator(iterator) = expr else { return false };
            if let Some(inner) = nest.inner.get(source) {
                return inner == iterator;
            }
            nest.outer.insert(*iterator);
            self.variables.get(iterator).is_some_and(|outer| {
                outer.name == self.region.scop.loops[*source].name && outer.c_type == self.region.loops[*source].c_type
            })
        })
    }
}

/// A loop nest that is compared with the source.
#[derive(Default)]
struct Nest<'p> {
    /// Which loop runs each loop of the source.
    inner: BTreeMap<Loop, Iterator>,
    /// Variables of loops around that stand for the source's of the same name.
    outer: BTreeSet<Iterator>,
    /// Its statements.
    instances: Vec<&'p Instance>,
}

impl Block<'_> {
    /// The arrays that it uses.
    pub(super) fn uses(&self) -> BTreeSet<Array> {
        self.parts.iter().flat_map(|part| part.uses.iter().copied()).collect()
    }
}

/// The parts of a statement's text outside of its holes.
pub(crate) fn between_holes(template: &Template) -> Vec<Range<usize>> {
    let mut at = template.range.start;
    let mut pieces = Vec::new();
    for hole in &template.holes {
        pieces.push(at..hole.range.start.max(at));
        at = at.max(hole.range.end);
    }
    pieces.push(at..template.range.end.max(at));
    pieces
}

fn flatten<'s>(steps: &'s [Step], found: &mut Vec<&'s Step>) {
    for step in steps {
        match step {
            Step::If { then, otherwise, .. } => {
                flatten(then, found);
                flatten(otherwise, found);
            }
            Step::For(_) | Step::Instance(_) | Step::Rotate { .. } => found.push(step),
        }
    }
}

fn count_copies(steps: &[Step], copies: &mut BTreeMap<Statement, usize>) {
    for step in steps {
        match step {
            Step::For(each) => count_copies(&each.body, copies),
            Step::If { then, otherwise, .. } => {
                count_copies(then, copies);
                count_copies(otherwise, copies);
            }
            Step::Instance(instance) => *copies.entry(instance.statement).or_default() += 1,
            Step::Rotate { .. } => {}
        }
    }
}

fn collect_nests<'p>(nodes: &'p [Node], found: &mut BTreeMap<Loop, &'p [Node]>) {
    for node in nodes {
        if let Node::Loop(each, inner) = node {
            found.insert(*each, inner);
            collect_nests(inner, found);
        }
    }
}

/// Only sums and products, which are right modulo the size of a type, and remainders of them, where these are right.
fn is_ring(expr: &Expr) -> bool {
    match expr {
        Expr::Int(_) | Expr::Param(_) | Expr::Iterator(_) => true,
        Expr::Neg(operand) => is_ring(operand),
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Mod, left, right) => is_ring(left) && is_ring(right),
        Expr::Binary(..) | Expr::Select(..) => false,
    }
}
