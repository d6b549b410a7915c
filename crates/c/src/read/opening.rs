//! How the reading of a region begins: where its statements start, what it may change, which variables count in its loops.
//!
//! Read `statements` and `finish` next.

use super::affine::Params;
use super::builder::Builder;
use super::facts::Facts;
use super::finish::Finisher;
use super::liveness::Surroundings;
use super::names::{Decl, DeclData, DeclKind, Names};
use super::purity::Purity;
use super::regions::{Found, unread_words};
use super::syntax::{descendants, first_values, height, is_within};
use super::types::CType;
use super::writes::{Escape, Meaning};
use super::{HIGHEST, MOST_NODES, ReadOptions, Reason};
use crate::region::{Region, Remark};
use frit_isl::Context;
use frit_support::{FileId, Span, Table};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

type Left = Vec<Remark>;

/// Reads a region. `None` if nothing is in it.
///
/// # Errors
///
/// The region stays as it is; the remarks say why.
pub(crate) fn region<'t>(
    found: &Found<'t>,
    facts: &Facts<'t>,
    purity: &Purity<'t, '_>,
    options: ReadOptions,
    file: FileId,
) -> Result<(Option<Region>, Vec<Remark>), Left> {
    let statements = without_heading(&found.statements, facts);
    let solid = |node: &&Node<'t>| node.kind() != "comment";
    let (Some(first), Some(last)) = (statements.first(), statements.iter().rfind(solid)) else {
        return Ok((None, Vec::new()));
    };
    let range = first.start_byte()..last.end_byte();
    let span = Span::new(file, range.start, range.end);
    let left = |reason: Reason, message: &str| vec![Remark { code: reason.code(), message: message.to_string(), span }];
    if height(found.function) > HIGHEST || found.function.descendant_count() > MOST_NODES {
        return Err(left(
            Reason::TooLarge,
            "the function is too large or nested too deeply; the region stays as it is",
        ));
    }
    let names = Names::of(found.function, facts);
    let meaning = Meaning { facts, purity };
    let writes = meaning.writes(statements, &names);
    let (mut escapes, mut taken) = (meaning.escapes(&names, &range), meaning.taken(&names));
    let unread = unread_words(found.function, facts.source);
    let is_unread = |data: &DeclData<'t>| {
        let is_seen = |at: &usize| data.is_global() || data.scope.contains(at);
        unread.iter().any(|(at, word)| *word == data.name && is_seen(at))
    };
    for (decl, _) in names.decls.iter().filter(|(_, data)| is_unread(data)) {
        escapes.insert(decl, Escape::Stored);
        taken.insert(decl);
    }
    let mut builder = Builder {
        facts,
        purity,
        names,
        options,
        file,
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
    };
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
    finisher.finish(found, &nodes).map_err(|why| left(Reason::TooLarge, &format!("the region stays as it is: {why}")))
}

/// The statements without declarations at the beginning that bounds may depend on, or that cannot be moved.
fn without_heading<'s, 't>(statements: &'s [Node<'t>], facts: &Facts<'t>) -> &'s [Node<'t>] {
    let mut start = 0;
    for (at, node) in statements.iter().enumerate() {
        let is_heading = match node.kind() {
            "comment" => continue,
            "declaration" => {
                super::names::DeclData::all_of(*node, DeclKind::Local, facts).iter().all(|data| match &data.of {
                    CType::Int { .. } => true,
                    CType::Array { .. } => data.value.is_some(),
                    _ => false,
                })
            }
            _ => false,
        };
        if !is_heading {
            break;
        }
        start = at + 1;
    }
    &statements[start..]
}

impl<'t> Builder<'t, '_> {
    /// Finds the variables that are declared outside of loops and only used where a loop counts them.
    fn find_counters(&mut self, statements: &[Node<'t>], surroundings: &Surroundings) {
        let source = self.facts.source;
        let counted = |node: Node<'t>| -> Vec<Decl> {
            let all = first_values(node, source);
            let is_only = all.len() == 1;
            let own = all.into_iter().filter(|first| !first.is_declared && (is_only || first.update.is_some()));
            own.filter_map(|first| self.names.of_identifier(first.name)).collect()
        };
        for decl in statements.iter().flat_map(|statement| descendants(*statement)).flat_map(counted) {
            let data = &self.names.decls[decl];
            let is_local = matches!(data.kind, DeclKind::Local | DeclKind::Parameter) && !data.typed.is_static;
            let is_counted = |occurrence: &Node<'t>| {
                let mut at = *occurrence;
                while let Some(parent) = at.parent() {
                    if counted(parent).contains(&decl) {
                        // First values do not count.
                        return !first_values(parent, source)
                            .iter()
                            .any(|first| is_within(&occurrence.byte_range(), &first.value.byte_range()));
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
                && later.all(|node| node.byte_range() == data.range || is_counted(node))
            {
                self.counters.insert(decl);
            }
        }
    }
}
