//! How the reading of a region begins: where its statements start, what it may change, which variables count in its loops.
//!
//! Read `statements` and `finish` next.

use super::affine::Params;
use super::builder::Builder;
use super::exchange::exchanges;
use super::facts::Facts;
use super::finish::Finisher;
use super::liveness::Surroundings;
use super::names::{Decl, DeclKind, Names};
use super::outside::{is_check, is_release};
use super::purity::{Purity, allocation};
use super::regions::{Found, preprocessor};
use super::restate::Odd;
use super::selectors::{Selectors, selectors};
use super::syntax::{descendants, fields, first_values, is_loose, uncast};
use super::writes::{Meaning, is_fixed};
use super::{HIGHEST, MOST_NODES, ReadOptions, Reason};
use crate::ast::{CType, Kind, Node, Part};
use crate::region::{Region, Remark};
use crate::source::Source;
use frit_isl::Context;
use frit_support::{FileId, Span, Table};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Left = Vec<Remark>;

/// What all regions of a file are read with.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'t, 'f> {
    pub(crate) facts: &'f Facts<'t>,
    pub(crate) purity: &'f Purity<'t, 'f>,
    pub(crate) options: &'f ReadOptions,
    pub(crate) file: FileId,
    /// What is on disk.
    pub(crate) source: &'f Source,
    /// The uses of macros that hide what has to be seen.
    pub(crate) hidden: &'f RefCell<BTreeSet<usize>>,
    /// What may be said in another way.
    pub(crate) odd: &'f RefCell<Odd>,
}

impl<'t> Reading<'t, '_> {
    /// Reads a region. `None` if nothing is in it.
    ///
    /// # Errors
    ///
    /// The region stays as it is; the remarks say why.
    pub(crate) fn region(&self, found: &Found<'t>) -> Result<(Option<Region>, Vec<Remark>), Left> {
        let Self { facts, purity, options, file, source, hidden, odd } = *self;
        let statements = without_end(without_heading(&found.statements));
        let solid = |node: &&Node<'t>| !is_loose(**node);
        let (Some(first), Some(last)) = (statements.first(), statements.iter().rfind(solid)) else {
            return Ok((None, Vec::new()));
        };
        odd.borrow_mut().checks.extend(statements.iter().filter(|node| is_check(**node)).map(|node| node.id()));
        let range = first.start_byte()..last.end_byte();
        let span = Span::new(file, range.start, range.end);
        let left =
            |reason: Reason, message: &str| vec![Remark { code: reason.code(), message: message.to_string(), span }];
        if found.function.height() > HIGHEST || found.function.descendant_count() > MOST_NODES {
            return Err(left(
                Reason::TooLarge,
                "the function is too large or nested too deeply; the region stays as it is",
            ));
        }
        let names = Names::of(found.function, facts);
        let meaning = Meaning { purity };
        let writes = meaning.writes(statements);
        let rows = outer_rows(&names, &range);
        let (escapes, taken) = (meaning.escapes(&names, &range, &rows), meaning.taken(&names));
        if let Some((why, place)) = preprocessor(facts.tree, statements) {
            let span = Span::new(file, place.start, place.end);
            let message = format!("the region stays as it is: {why}");
            return Err(vec![Remark { code: Reason::Preprocessor.code(), message, span }]);
        }
        let mut builder = Builder {
            facts,
            purity,
            names,
            options,
            file,
            source,
            function: found.function,
            region: range.clone(),
            writes,
            escapes,
            taken,
            isl: Context::new(),
            params: Params::default(),
            objects: Table::new(),
            object_of: BTreeMap::new(),
            bindings: BTreeMap::new(),
            counters: BTreeSet::new(),
            loops: Vec::new(),
            statements: Vec::new(),
            nest: Vec::new(),
            conds: Vec::new(),
            remarks: Vec::new(),
            is_sizing: false,
            calls: 0,
            exchanges: BTreeMap::new(),
            selectors: Selectors::default(),
            buffers: Vec::new(),
            frees: Vec::new(),
            hidden,
            odd,
        };
        builder.exchanges = exchanges(&builder);
        builder.selectors = selectors(&builder);
        builder.params.values = builder.selectors.values.clone();
        rows.into_iter().for_each(|row| builder.bind_outer_row(row));
        let surroundings = Surroundings::of(found.function, &builder);
        builder.find_counters(statements, &surroundings);
        let nodes = match builder.block(statements) {
            Ok(nodes) => nodes,
            Err(stop) => {
                let span = Span::new(file, stop.range.start, stop.range.end);
                let message = format!("the region stays as it is: {}", stop.why);
                return Err(vec![Remark { code: stop.reason.code(), message, span }]);
            }
        };
        if builder.statements.is_empty() {
            return Ok((None, builder.remarks));
        }
        let finisher = Finisher::new(builder, surroundings);
        finisher
            .finish(found, &nodes)
            .map_err(|why| left(Reason::TooLarge, &format!("the region stays as it is: {why}")))
    }
}

/// Pointers that are declared before the region, keep their first value, and are used in it, also by way of others.
fn outer_rows(names: &Names<'_>, region: &std::ops::Range<usize>) -> BTreeSet<Decl> {
    let is_row = |decl: &Decl| {
        let data = &names.decls[*decl];
        let is_plain = match &data.of {
            CType::Pointer { target, is_restrict } => !is_restrict && !matches!(**target, CType::Array { .. }),
            _ => false,
        };
        is_plain
            && data.kind == DeclKind::Local
            && data.range.end <= region.start
            && is_fixed(*decl, names)
            && data.value.is_some_and(|value| allocation(value).is_none())
    };
    let is_used = |decl: &Decl| names.occurrences[decl].iter().any(|node| region.contains(&node.start_byte()));
    let mut open: Vec<Decl> = names.occurrences.keys().copied().filter(is_used).filter(is_row).collect();
    let mut rows = BTreeSet::new();
    while let Some(row) = open.pop() {
        if rows.insert(row) {
            let inside = names.decls[row].value.into_iter().flat_map(descendants).filter_map(Node::decl);
            open.extend(inside.filter(|decl| names.occurrences.contains_key(decl)).filter(is_row));
        }
    }
    rows
}

/// The statements without declarations at the beginning that bounds may depend on, or that cannot be moved.
fn without_heading<'s, 't>(statements: &'s [Node<'t>]) -> &'s [Node<'t>] {
    let is_heading = |variable: Node<'t>| {
        let Some(decl) = variable.decl() else { return false };
        match &variable.tree().decls[decl].typed.of {
            CType::Int { .. } => true,
            CType::Array { .. } => !fields(variable, Part::Value).is_empty(),
            _ => false,
        }
    };
    // Memory that is asked for, with tests of whether it was there.
    let asks = |node: &Node<'_>| {
        let is_allocation = |inner: Node<'_>| inner.kind() == Kind::Call && allocation(inner).is_some();
        match node.kind() {
            Kind::Comment | Kind::Declaration => true,
            Kind::ExpressionStatement => is_check(*node) || descendants(*node).any(is_allocation),
            _ => is_check(*node),
        }
    };
    let checked = statements.iter().take_while(|node| asks(node)).collect::<Vec<_>>();
    let checked = checked.iter().rposition(|node| is_check(**node)).map_or(0, |last| last + 1);
    let mut start = checked;
    for (at, node) in statements.iter().enumerate().skip(checked) {
        match node.kind() {
            Kind::Comment => {}
            Kind::Declaration if fields(*node, Part::Variable).into_iter().all(is_heading) => start = at + 1,
            _ => break,
        }
    }
    &statements[start..]
}

/// The statements without those at the end that free memory which is allocated before all of them.
fn without_end<'s, 't>(statements: &'s [Node<'t>]) -> &'s [Node<'t>] {
    let Some(first) = statements.first() else { return statements };
    let is_older = |name: Node<'_>| {
        let declared = name.decl().map(|decl| name.tree().decls[decl].range.start);
        declared.is_some_and(|declared| declared < first.start_byte())
    };
    let mut end = statements.len();
    for (at, node) in statements.iter().enumerate().rev() {
        let mut freed = descendants(*node).filter(|inner| inner.part() == Part::Argument).map(uncast);
        match node.kind() {
            Kind::Comment => {}
            _ if is_release(*node) && freed.all(is_older) => end = at,
            _ => break,
        }
    }
    &statements[..end]
}

impl<'t> Builder<'t, '_> {
    /// Finds the variables that are declared outside of loops and only used where a loop counts them.
    fn find_counters(&mut self, statements: &[Node<'t>], surroundings: &Surroundings) {
        let counted = |node: Node<'t>| -> Vec<Decl> {
            let all = first_values(node);
            let is_only = all.len() == 1;
            let own = all.into_iter().filter(|first| !first.is_declared && (is_only || first.update.is_some()));
            own.filter_map(|first| first.name.decl()).collect()
        };
        for decl in statements.iter().flat_map(|statement| descendants(*statement)).flat_map(counted) {
            let data = &self.names.decls[decl];
            let is_local = matches!(data.kind, DeclKind::Local | DeclKind::Parameter) && !data.typed.is_static;
            let is_counted = |occurrence: &Node<'t>| {
                let mut at = *occurrence;
                while let Some(parent) = at.parent() {
                    if counted(parent).contains(&decl) {
                        // First values do not count.
                        let is_in = |value: Node<'t>| {
                            std::iter::successors(Some(*occurrence), |node| node.parent()).any(|node| node == value)
                        };
                        return !first_values(parent).iter().any(|first| is_in(first.value));
                    }
                    at = parent;
                }
                false
            };
            let start = surroundings.reach(data.range.start, &self.region);
            let mut later =
                self.names.occurrences.get(&decl).into_iter().flatten().filter(|node| node.start_byte() >= start);
            if is_local
                && !self.taken.contains(&decl)
                && later.all(|node| node.kind() == Kind::Variable || is_counted(node))
            {
                self.counters.insert(decl);
            }
        }
    }
}
