//! Pointers that exchange their values, as the planes of a stencil do between time steps.
//!
//! ```text
//! float *a = malloc(n), *b = malloc(n);
//! for (...) {
//!     S(a, b);                               where `a` and `b` never point to the same memory,
//!     float *tmp = a; a = b; b = tmp;        since all that happens to them is this
//! }
//! ```
//!
//! The pointers of one [`Exchange`] begin with memory of their own each, and only exchanges change them. So no two of them are the same, except halfway
//! through an exchange. Of `src = odd ? b : a, dst = odd ? a : b` the same is true, and of the elements of `float *buf[2] = { a, b }` if nothing but
//! memory of their own is stored in them. Read `aliases` next.

use super::builder::Builder;
use super::liveness::jumps_back;
use super::names::{Decl, DeclKind};
use super::purity::allocation;
use super::syntax::{
    arguments, bare, callee, children, descendants, field, fields, is_null, is_same, is_within, operands, operator,
    uncast,
};
use super::writes::{is_changed, is_changed_at, is_fixed};
use crate::ast::{CType, Kind, Node, NodeId, Part};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a pointer that exchanges its value with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// The pointers with the same number never point to the same memory.
    pub(crate) group: usize,
    /// They point to memory of the function, or behind `restrict` pointers that nothing else gets its value from.
    pub(crate) is_own: bool,
    /// All of this holds from this byte on.
    start: usize,
}

/// Statements that copy pointers, one after the other: in each, all at once, targets and where their values come from.
#[derive(Default)]
struct Run<'t> {
    steps: Vec<Vec<(Decl, Decl)>>,
    /// The names that are changed.
    changed: Vec<Node<'t>>,
}

impl Run<'_> {
    /// Whose first value each pointer has at the end, and the pointers whose first value is needed.
    fn effect(&self) -> (BTreeMap<Decl, Decl>, BTreeSet<Decl>) {
        let (mut now, mut needed): (BTreeMap<Decl, Decl>, BTreeSet<Decl>) = Default::default();
        for step in &self.steps {
            let missing = step.iter().map(|(_, from)| *from).filter(|from| !now.contains_key(from));
            needed.extend(missing);
            let values: Vec<_> = step.iter().map(|(to, from)| (*to, now.get(from).copied().unwrap_or(*from))).collect();
            now.extend(values);
        }
        (now, needed)
    }
}

/// A pointer, or the element of an array of pointers.
type Cell = (Decl, Option<i64>);

/// Statements that copy pointers between the elements of an array.
#[derive(Default)]
struct Swap {
    /// Whose first value each of them has.
    now: BTreeMap<Cell, Cell>,
    /// The elements where they are changed.
    changed: BTreeSet<NodeId>,
}

impl Swap {
    /// The changed elements, if each value is in one of them as before.
    fn whole(self) -> BTreeSet<NodeId> {
        let elements = || self.now.iter().filter(|((_, element), _)| element.is_some());
        let before: BTreeSet<Cell> = elements().map(|(to, _)| *to).collect();
        let after: BTreeSet<Cell> = elements().map(|(_, from)| *from).collect();
        if before == after { self.changed } else { BTreeSet::new() }
    }
}

/// Memory that a pointer begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    kind: SourceKind,
    /// The variable that it is reached from, or the pointer that it is allocated for.
    decl: Decl,
    /// The row of it; `None` for all.
    row: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceKind {
    /// Of the function, or behind a `restrict` pointer.
    Own,
    /// Behind another pointer that the function is given.
    Given,
    Global,
}

impl Source {
    /// Whether two may be the same memory.
    fn meets(&self, other: &Source) -> bool {
        match (self.kind, other.kind) {
            _ if self.decl == other.decl => self.row.is_none() || other.row.is_none() || self.row == other.row,
            (SourceKind::Own, _) | (_, SourceKind::Own) | (SourceKind::Global, SourceKind::Global) => false,
            _ => true,
        }
    }
}

/// Pointers that never point to the same memory.
struct Group {
    members: Vec<Decl>,
    sources: Vec<Source>,
    start: usize,
}

/// Pointers to other pointers are not followed further.
const MOST_SOURCES: usize = 4;

/// The pointers of a function that exchange their values.
pub(crate) fn exchanges<'t>(builder: &Builder<'t, '_>) -> BTreeMap<Decl, Exchange> {
    let search = Search { builder };
    let groups: Vec<Group> = search.exchanged().into_iter().chain(search.chosen()).chain(search.held()).collect();
    let mut found = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        let others = groups.iter().enumerate().filter(|(at, _)| *at != number).flat_map(|(_, other)| &other.sources);
        let is_shared = others.clone().any(|other| group.sources.iter().any(|source| source.meets(other)));
        let is_own = !is_shared && group.sources.iter().all(|source| source.kind == SourceKind::Own);
        for member in &group.members {
            found.insert(*member, Exchange { group: number, is_own, start: group.start });
        }
    }
    found.retain(|_, exchange: &mut Exchange| exchange.start <= builder.region.start);
    found
}

struct Search<'t, 'b, 'f> {
    builder: &'b Builder<'t, 'f>,
}

impl<'t> Search<'t, '_, '_> {
    fn occurrences(&self, decl: Decl) -> &[Node<'t>] {
        self.builder.names.occurrences.get(&decl).map_or(&[], Vec::as_slice)
    }

    /// A pointer of the function that only statements of the function change.
    fn is_local_pointer(&self, decl: Decl) -> bool {
        let data = &self.builder.names.decls[decl];
        matches!(data.kind, DeclKind::Local | DeclKind::Parameter)
            && matches!(data.of, CType::Pointer { .. })
            && !data.typed.is_static
            && !data.typed.is_volatile
    }

    /// The groups of pointers that statements exchange.
    fn exchanged(&self) -> Vec<Group> {
        let pointers = || self.builder.names.used().map(|(decl, _)| decl).filter(|decl| self.is_local_pointer(*decl));
        if !pointers().any(|decl| is_changed(decl, &self.builder.names)) || jumps_back(self.builder.function) {
            // A jump back might give some of them their first values again.
            return Vec::new();
        }
        // What is needed before it is changed takes part in an exchange; other pointers only hold values on the way.
        let mut members = BTreeSet::new();
        for run in self.runs(&BTreeSet::new()) {
            let (now, needed) = run.effect();
            members.extend(needed.into_iter().filter(|decl| now.contains_key(decl)));
        }
        let mut first_values: BTreeMap<Decl, Option<Node<'t>>> = BTreeMap::new();
        for member in &members {
            first_values.insert(*member, self.first_value(*member));
        }
        let apart: BTreeSet<NodeId> = first_values.values().flatten().map(|value| value.id()).collect();
        let runs = self.runs(&apart);
        // Those belong together that get each other's values.
        let mut groups: Vec<BTreeSet<Decl>> = members.iter().map(|member| BTreeSet::from([*member])).collect();
        let mut wrong: BTreeSet<Decl> = BTreeSet::new();
        for run in &runs {
            let (now, _) = run.effect();
            let of_members: Vec<(Decl, Decl)> =
                now.iter().map(|(to, from)| (*to, *from)).filter(|(to, _)| members.contains(to)).collect();
            for (to, from) in &of_members {
                let (with, without): (Vec<_>, Vec<_>) =
                    groups.into_iter().partition(|group| group.contains(to) || group.contains(from));
                groups = without;
                groups.push(with.into_iter().flatten().collect());
                // A value that two have, or that is lost.
                let is_once = of_members.iter().filter(|(_, other)| other == from).count() == 1;
                if !members.contains(from) || !is_once || !now.contains_key(from) {
                    wrong.extend([*to, *from]);
                }
            }
        }
        let changed: BTreeSet<NodeId> = runs.iter().flat_map(|run| &run.changed).map(|name| name.id()).collect();
        let group = |group: BTreeSet<Decl>| {
            let is_right = group.len() > 1 && group.is_disjoint(&wrong);
            if is_right { self.group(group.into_iter().collect(), &first_values, &runs, &changed) } else { None }
        };
        groups.into_iter().filter_map(group).collect()
    }

    /// The group of these pointers, if they begin with memory of their own before anything exchanges them, and nothing else changes them.
    fn group(
        &self,
        members: Vec<Decl>,
        first_values: &BTreeMap<Decl, Option<Node<'t>>>,
        runs: &[Run<'t>],
        changed: &BTreeSet<NodeId>,
    ) -> Option<Group> {
        let body = field(self.builder.function, Part::Body)?;
        let (mut sources, mut start, mut blocks) = (Vec::new(), 0, Vec::new());
        for member in &members {
            let value = first_values[member];
            let is_first = |name: &Node<'t>| {
                let assigned = name.parent().filter(|parent| parent.kind() == Kind::Assign);
                let assigned = assigned.and_then(|assign| field(assign, Part::Right));
                assigned.is_some_and(|assigned| value == Some(assigned) || is_null(assigned))
            };
            let mut others = self.occurrences(*member).iter().filter(|name| is_changed_at(**name));
            if !others.all(|name| changed.contains(&name.id()) || is_first(name)) {
                return None;
            }
            let source = match value {
                Some(value) => {
                    let statement = std::iter::successors(Some(value), |node| node.parent())
                        .find(|node| matches!(node.kind(), Kind::Declaration | Kind::ExpressionStatement))?;
                    let block = statement.parent().filter(|block| block.kind() == Kind::Block)?;
                    blocks.push(block);
                    start = start.max(statement.end_byte());
                    self.source(value, *member, 0)?
                }
                None => {
                    blocks.push(body);
                    self.given(*member)?
                }
            };
            sources.push(source);
        }
        let block = blocks[0];
        let is_switch = block.parent().is_some_and(|parent| parent.kind() == Kind::Switch);
        let is_once = blocks.iter().all(|other| *other == block) && !is_switch;
        let of_members =
            |run: &&Run<'t>| run.changed.iter().any(|name| name.decl().is_some_and(|decl| members.contains(&decl)));
        let is_behind = runs.iter().filter(of_members).all(|run| {
            run.changed
                .iter()
                .all(|name| name.start_byte() >= start && is_within(&name.byte_range(), &block.byte_range()))
        });
        let is_apart = sources.iter().enumerate().all(|(at, one)| !sources[..at].iter().any(|two| one.meets(two)));
        (is_once && is_behind && is_apart).then_some(Group { members, sources, start })
    }

    /// What a pointer is given first; `None` for what the function is given.
    fn first_value(&self, member: Decl) -> Option<Node<'t>> {
        let data = &self.builder.names.decls[member];
        if data.kind == DeclKind::Parameter {
            return None;
        }
        let assigned = self.occurrences(member).iter().filter(|name| name.part() == Part::Left).filter_map(|name| {
            let parent = name.parent().filter(|parent| parent.kind() == Kind::Assign && operator(*parent) == "=")?;
            field(parent, Part::Right)
        });
        data.value.into_iter().chain(assigned).find(|value| !is_null(*value))
    }

    /// The memory that a pointer parameter points to.
    fn given(&self, parameter: Decl) -> Option<Source> {
        let data = &self.builder.names.decls[parameter];
        let kind = match (data.kind, &data.of) {
            (DeclKind::Parameter, CType::Pointer { is_restrict: true, .. }) => SourceKind::Own,
            (DeclKind::Parameter, CType::Pointer { .. }) => SourceKind::Given,
            _ => return None,
        };
        Some(Source { kind, decl: parameter, row: None })
    }

    /// The memory that a value points to, which is given to a pointer.
    fn source(&self, value: Node<'t>, pointer: Decl, depth: usize) -> Option<Source> {
        if allocation(value).is_some() {
            return Some(Source { kind: SourceKind::Own, decl: pointer, row: None });
        }
        let mut node = uncast(value);
        let mut row = None;
        // `buf[1]`, `&buf[1][0]`, `&a[0]`: a row of an array of arrays.
        if node.kind() == Kind::Pointer && operator(node) == "&" {
            let element = bare(field(node, Part::Operand)?);
            let index = field(element, Part::Index).filter(|_| element.kind() == Kind::Subscript)?;
            if self.builder.facts.constant(index)? != 0 {
                return None;
            }
            node = bare(field(element, Part::Operand)?);
        }
        if node.kind() == Kind::Subscript {
            row = Some(self.builder.facts.constant(field(node, Part::Index)?)?);
            node = bare(field(node, Part::Operand)?);
        }
        let decl = node.decl().filter(|_| node.kind() == Kind::Name)?;
        let data = &self.builder.names.decls[decl];
        let is_row = |of: &CType| matches!(of, CType::Array { .. });
        let kind = match (&data.of, data.kind) {
            (CType::Array { element, .. }, kind) => {
                if row.is_some() && !is_row(element) {
                    return None;
                }
                match kind {
                    DeclKind::Local if !data.typed.is_static => SourceKind::Own,
                    DeclKind::Local | DeclKind::Global => SourceKind::Global,
                    _ => return None,
                }
            }
            (CType::Pointer { target, .. }, kind) => {
                if row.is_some() && !is_row(target) || is_changed(decl, &self.builder.names) && row.is_some() {
                    return None;
                }
                match kind {
                    DeclKind::Parameter if !is_changed(decl, &self.builder.names) => self.given(decl)?.kind,
                    DeclKind::Local if self.builder.is_allocated(decl) => SourceKind::Own,
                    DeclKind::Local if is_fixed(decl, &self.builder.names) && row.is_none() && depth < MOST_SOURCES => {
                        return self.source(data.value?, decl, depth + 1);
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Source { kind, decl, row })
    }

    /// Runs of statements that copy pointers; the copies of the values `apart` are in none.
    fn runs(&self, apart: &BTreeSet<NodeId>) -> Vec<Run<'t>> {
        let mut runs = Vec::new();
        for node in descendants(self.builder.function) {
            let parts = match node.kind() {
                Kind::Block => children(node),
                Kind::For => fields(node, Part::Update).into_iter().flat_map(operands).collect(),
                _ => continue,
            };
            let mut run = Run::default();
            for part in parts {
                if !self.copies(part, apart, &mut run) {
                    runs.push(std::mem::take(&mut run));
                }
            }
            runs.push(run);
        }
        runs.retain(|run| !run.steps.is_empty());
        runs
    }

    /// Adds what a statement copies to a run; false if it does anything else.
    fn copies(&self, node: Node<'t>, apart: &BTreeSet<NodeId>, run: &mut Run<'t>) -> bool {
        let parts: Vec<Node<'t>> = match node.kind() {
            Kind::Declaration => fields(node, Part::Variable),
            Kind::ExpressionStatement => children(node).into_iter().flat_map(operands).collect(),
            Kind::Assign | Kind::Call => vec![node],
            Kind::Empty => Vec::new(),
            _ => return false,
        };
        let pointer = |node: Node<'t>| {
            let decl = uncast(node).decl().filter(|_| matches!(uncast(node).kind(), Kind::Name | Kind::Variable))?;
            self.is_local_pointer(decl).then_some(decl)
        };
        let before = (run.steps.len(), run.changed.len());
        let is_copied = parts.into_iter().all(|part| {
            let copied = match part.kind() {
                Kind::Variable => match field(part, Part::Value) {
                    None => return true,
                    Some(value) => Some((part, value)),
                },
                Kind::Assign if operator(part) == "=" => field(part, Part::Left).zip(field(part, Part::Right)),
                Kind::Call => {
                    let Some(helped) = self.helped(part) else { return false };
                    run.steps.extend(helped.steps);
                    run.changed.extend(helped.changed);
                    return true;
                }
                _ => None,
            };
            let Some((target, value)) = copied.filter(|(_, value)| !apart.contains(&value.id())) else { return false };
            let (Some(to), Some(from)) = (pointer(target), pointer(value)) else { return false };
            run.steps.push(vec![(to, from)]);
            run.changed.push(bare(target));
            true
        });
        if !is_copied {
            run.steps.truncate(before.0);
            run.changed.truncate(before.1);
        }
        is_copied
    }

    /// What a call of a function exchanges that does nothing else: `swap(&a, &b)`.
    fn helped(&self, call: Node<'t>) -> Option<Run<'t>> {
        let definition = self.builder.facts.function(callee(call)?)?;
        let parameters: Vec<Decl> = children(definition)
            .into_iter()
            .filter(|node| node.kind() == Kind::Variable)
            .filter_map(Node::decl)
            .collect();
        // What a parameter points to, or a variable of the function.
        let cell = |node: Node<'t>| {
            let node = uncast(node);
            match node.kind() {
                Kind::Name | Kind::Variable => Some((node.decl()?, false)),
                Kind::Pointer if operator(node) == "*" => {
                    let pointer = bare(field(node, Part::Operand)?);
                    let decl = pointer.decl().filter(|decl| parameters.contains(decl))?;
                    Some((decl, true))
                }
                _ => None,
            }
        };
        let mut now: BTreeMap<(Decl, bool), (Decl, bool)> = BTreeMap::new();
        for statement in field(definition, Part::Body).into_iter().flat_map(children) {
            let parts: Vec<(Node<'t>, Node<'t>)> = match statement.kind() {
                Kind::Declaration => fields(statement, Part::Variable)
                    .into_iter()
                    .filter_map(|variable| Some((variable, field(variable, Part::Value)?)))
                    .collect(),
                Kind::ExpressionStatement => {
                    let all = children(statement).into_iter().flat_map(operands);
                    let pair = |node: Node<'t>| {
                        let is_copy = node.kind() == Kind::Assign && operator(node) == "=";
                        field(node, Part::Left).zip(field(node, Part::Right)).filter(|_| is_copy)
                    };
                    all.map(pair).collect::<Option<_>>()?
                }
                _ => return None,
            };
            for (target, value) in parts {
                let (to, from) = (cell(target)?, cell(value)?);
                let is_own = self.builder.facts.tree.decls[to.0].kind == DeclKind::Local;
                if parameters.contains(&to.0) && !to.1 || !parameters.contains(&to.0) && !is_own {
                    return None;
                }
                let value = now.get(&from).copied().unwrap_or(from);
                now.insert(to, value);
            }
        }
        let argument = |node: Node<'t>| {
            let node = uncast(node);
            let name =
                bare(field(node, Part::Operand).filter(|_| node.kind() == Kind::Pointer && operator(node) == "&")?);
            let decl = name.decl().filter(|decl| name.kind() == Kind::Name && self.is_local_pointer(*decl))?;
            Some((decl, name))
        };
        let given: Vec<(Decl, Node<'t>)> = arguments(call).into_iter().map(argument).collect::<Option<_>>()?;
        let is_apart = given.iter().enumerate().all(|(at, (one, _))| given[..at].iter().all(|(two, _)| one != two));
        let of_parameter = |(decl, is_pointed): (Decl, bool)| {
            let at = parameters.iter().position(|parameter| *parameter == decl && is_pointed)?;
            given.get(at).map(|(decl, _)| *decl)
        };
        let step = now.into_iter().filter(|((_, is_pointed), _)| *is_pointed);
        let step = step.map(|(to, from)| Some((of_parameter(to)?, of_parameter(from)?))).collect::<Option<Vec<_>>>()?;
        let is_right = is_apart && given.len() == parameters.len() && !step.is_empty();
        is_right.then(|| Run { steps: vec![step], changed: given.into_iter().map(|(_, name)| name).collect() })
    }

    /// The groups of pointers that one condition chooses, each time others.
    fn chosen(&self) -> Vec<Group> {
        let choice = |decl: Decl| {
            let value = self.builder.names.decls[decl].value?;
            let value = uncast(value);
            let part = |part| field(value, part);
            let is_fit =
                value.kind() == Kind::Conditional && self.is_local_pointer(decl) && is_fixed(decl, &self.builder.names);
            let (one, two) = (part(Part::Consequence)?, part(Part::Alternative)?);
            let sources = is_fit.then(|| Some([self.source(one, decl, 0)?, self.source(two, decl, 0)?]))??;
            Some((part(Part::Condition)?, sources))
        };
        let mut groups: Vec<Group> = Vec::new();
        for block in descendants(self.builder.function).filter(|node| node.kind() == Kind::Block) {
            let mut open: Vec<(Decl, Node<'t>, [Source; 2])> = Vec::new();
            for statement in children(block) {
                let happens = |node: Node<'t>| {
                    let is_change = matches!(node.kind(), Kind::Call | Kind::Update | Kind::Assign);
                    is_change || matches!(node.of(), CType::Volatile)
                };
                if statement.kind() != Kind::Declaration || descendants(statement).any(happens) {
                    open.clear();
                    continue;
                }
                for decl in fields(statement, Part::Variable).into_iter().filter_map(Node::decl) {
                    let Some((condition, sources)) = choice(decl) else { continue };
                    let is_apart = |(_, other, of_other): &(Decl, Node<'t>, [Source; 2])| {
                        let meets = sources.iter().zip(of_other).any(|(one, two)| one.meets(two));
                        is_same(*other, condition) && !meets
                    };
                    if !open.iter().all(is_apart) {
                        open.clear();
                    }
                    open.push((decl, condition, sources));
                    let members: Vec<Decl> = open.iter().map(|(decl, ..)| *decl).collect();
                    // One more than in the group before.
                    groups.pop_if(|group| members.starts_with(&group.members));
                    let sources = open.iter().flat_map(|(_, _, sources)| *sources).collect();
                    groups.push(Group { members, sources, start: statement.end_byte() });
                }
            }
        }
        groups.retain(|group| group.members.len() > 1);
        groups
    }

    /// The arrays of pointers of which no two elements ever point to the same memory.
    fn held(&self) -> Vec<Group> {
        let arrays = self.builder.names.used().filter(|(_, data)| {
            let is_array =
                matches!(&data.of, CType::Array { element, .. } if matches!(**element, CType::Pointer { .. }));
            is_array && data.kind == DeclKind::Local && !data.typed.is_static && !data.typed.is_volatile
        });
        let group = |array| {
            let sources = self.stored(array)?;
            let is_apart = sources.iter().enumerate().all(|(at, one)| !sources[..at].iter().any(|two| one.meets(two)));
            is_apart.then(|| Group { members: vec![array], sources, start: 0 })
        };
        let arrays: Vec<Decl> = arrays.map(|(decl, _)| decl).collect();
        arrays.into_iter().filter_map(group).collect()
    }

    /// The elements of an array of pointers that statements give the values of others, so that each value is still in one element.
    fn swapped(&self, array: Decl) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        for block in descendants(self.builder.function).filter(|node| node.kind() == Kind::Block) {
            let mut swap = Swap::default();
            for statement in children(block) {
                if !self.swaps(statement, array, &mut swap) {
                    found.extend(std::mem::take(&mut swap).whole());
                }
            }
            found.extend(swap.whole());
        }
        found
    }

    /// Adds what a statement copies between the elements of an array and other pointers; false if it does anything else.
    fn swaps(&self, statement: Node<'t>, array: Decl, swap: &mut Swap) -> bool {
        let cell = |node: Node<'t>| {
            let node = uncast(node);
            let is_name = |node: Node<'t>| matches!(node.kind(), Kind::Name | Kind::Variable);
            if is_name(node) {
                return node.decl().filter(|decl| self.is_local_pointer(*decl)).map(|decl| (decl, None));
            }
            let base = bare(field(node, Part::Operand).filter(|_| node.kind() == Kind::Subscript)?);
            let index = self.builder.facts.constant(field(node, Part::Index)?)?;
            (is_name(base) && base.decl() == Some(array)).then_some((array, Some(index)))
        };
        let copies: Option<Vec<(Node<'t>, Node<'t>)>> = match statement.kind() {
            Kind::Declaration => {
                let variables = fields(statement, Part::Variable).into_iter();
                Some(variables.filter_map(|variable| Some((variable, field(variable, Part::Value)?))).collect())
            }
            Kind::ExpressionStatement => {
                let all = children(statement).into_iter().flat_map(operands);
                all.map(|node| {
                    let is_copy = node.kind() == Kind::Assign && operator(node) == "=";
                    field(node, Part::Left).zip(field(node, Part::Right)).filter(|_| is_copy)
                })
                .collect()
            }
            _ => None,
        };
        let copies = copies.map(|copies| {
            let of = |(target, value): (Node<'t>, Node<'t>)| Some((uncast(target).id(), cell(target)?, cell(value)?));
            copies.into_iter().map(of).collect::<Option<Vec<_>>>()
        });
        let Some(Some(copies)) = copies else { return false };
        for (target, to, from) in copies {
            let value = swap.now.get(&from).copied().unwrap_or(from);
            swap.now.insert(to, value);
            if to.1.is_some() {
                swap.changed.insert(target);
            }
        }
        true
    }

    /// The memory that is stored in an array of pointers, each once; `None` if that is not known.
    fn stored(&self, array: Decl) -> Option<Vec<Source>> {
        let data = &self.builder.names.decls[array];
        let block = data.statement?.parent()?;
        // A statement that runs again stores the same pointer in another element.
        let is_repeated = |node: Node<'t>| {
            let mut around =
                std::iter::successors(node.parent(), |node| node.parent()).take_while(|node| *node != block);
            around.any(|node| node.kind().is_loop()) || jumps_back(self.builder.function)
        };
        let swapped = self.swapped(array);
        let mut values = match data.value {
            Some(list) if list.kind() == Kind::List => children(list),
            Some(_) => return None,
            None => Vec::new(),
        };
        for name in self.occurrences(array).iter().filter(|name| name.kind() != Kind::Variable) {
            let outer = |node: Node<'t>| {
                std::iter::successors(node.parent(), |node| node.parent()).find(|node| node.kind() != Kind::Paren)
            };
            let is_base = |node: &Node<'t>| {
                node.kind() == Kind::Subscript && field(*node, Part::Operand).map(bare) == Some(*name)
            };
            let element = outer(*name).filter(is_base)?;
            if !is_changed_at(element) || swapped.contains(&element.id()) {
                continue;
            }
            let assign = outer(element).filter(|node| node.kind() == Kind::Assign && operator(*node) == "=")?;
            let value = field(assign, Part::Right)?;
            if allocation(value).is_none() && !is_null(value) && is_repeated(assign) {
                return None;
            }
            values.push(value);
        }
        values.retain(|value| !is_null(*value));
        let (allocated, others): (Vec<_>, Vec<_>) = values.into_iter().partition(|value| allocation(*value).is_some());
        let own = (!allocated.is_empty()).then_some(Source { kind: SourceKind::Own, decl: array, row: None });
        own.into_iter().map(Some).chain(others.into_iter().map(|value| self.source(value, array, 0))).collect()
    }
}
