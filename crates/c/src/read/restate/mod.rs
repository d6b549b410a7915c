//! Loops that are said in another way before a region is read: variables that are used after the loop that counts them, `while` loops that count,
//! and pointers that walk along arrays.
//!
//! ```text
//! for (i = 0; i < n; i++) S(i);            for (int i = 0; i < n; i++) S(i);
//! use(i);                                  i = 0 < n ? n : 0;  use(i);
//!
//! while (n--) *d++ = *s++;                 for (long k = 0; k < n; k++) d[k] = s[k];
//!
//! for (p = a; p < a + n; p++) S(*p);       p = a;  for (long k = 0; k < n; k++, p++) S(*p);    and then S(p[k])
//!
//! for (b = 0; b < n; b += s)               for (i = 0; i < n; i++) S(i);
//!     for (i = b; i < min(b + s, n); i++)
//!         S(i);
//!
//! for (i = 0; i < n; i += s) S(i);         for (int k = 0; k < (0 < n && s > 0 ? (n - 1) / s + 1 : 0); k++) S(k * s);
//!
//! d = tmp;  ...d...                        float *d_1 = tmp;  ...d_1...
//!
//! T *p = &a[i];  use(p->x);                T *p = &a[i];  use(p[0].x);
//! ```
//!
//! All of this changes the text that is read, as the replacement of macros does, and what is not transformed is put back as its author wrote it. Only
//! loops and pointers are changed that the reader could not follow. What belongs together is one [`Restated`]: it is put back as a whole.

mod blocks;
mod counting;
mod counts;
mod later;
mod outliving;
mod strided;
mod walking;

use super::checks::{self, is_own_variable};
use super::facts::Facts;
use super::names::{Decl, DeclKind, Names};
use super::syntax::{bare, children, descendants, field, is_within, operator, text};
use super::writes::{is_changed, is_changed_at};
use crate::ast::{CType, Kind, Node, NodeId, Part, Tree};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the reader could not follow.
#[derive(Debug, Default)]
pub(crate) struct Odd {
    /// Loops that are no `for` loops that count, or whose variable has uses elsewhere.
    pub(crate) loops: BTreeSet<NodeId>,
    /// Pointers that are moved.
    pub(crate) pointers: BTreeSet<Decl>,
    /// Members of elements of arrays that pointers point to.
    pub(crate) arrows: BTreeSet<NodeId>,
    /// Tests of allocated memory in the middle of statements that might be one region.
    pub(crate) checks: BTreeSet<NodeId>,
}

impl Odd {
    /// Adds others; true if some of these were not among them.
    pub(crate) fn add(&mut self, others: Odd) -> bool {
        fn add<T: Ord>(all: &mut BTreeSet<T>, others: BTreeSet<T>) -> bool {
            let is_more = !all.is_subset(&others);
            all.extend(others);
            is_more
        }
        let Odd { loops, pointers, arrows, checks } = others;
        add(&mut self.loops, loops)
            | add(&mut self.pointers, pointers)
            | add(&mut self.arrows, arrows)
            | add(&mut self.checks, checks)
    }
}

/// Changes of the text that belong together: bytes, and what takes their place.
#[derive(Debug, Default)]
pub(crate) struct Restated {
    edits: Vec<(Range<usize>, String)>,
    /// The pointers that a pointer gets its values from.
    sources: BTreeSet<Decl>,
}

impl Restated {
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.edits.push((at..at, text));
    }

    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.edits.push((range, text.into()));
    }
}

/// What may be said in another way, of all that the reader could not follow.
pub(crate) fn restated(tree: &Tree, odd: &Odd) -> Vec<Restated> {
    if odd.loops.is_empty() && odd.pointers.is_empty() && odd.checks.is_empty() && odd.arrows.is_empty() {
        return Vec::new();
    }
    let facts = &Facts::of(tree);
    let mut found = Vec::new();
    let number = Cell::new(0);
    for function in tree.functions() {
        let is_here = |id: &NodeId| is_within(&tree.node(*id).byte_range(), &function.byte_range());
        let names = Names::of(function, facts);
        let pointers: Vec<Decl> =
            odd.pointers.iter().copied().filter(|decl| names.occurrences.contains_key(decl)).collect();
        let before = found.len();
        found.extend(odd.arrows.iter().filter(|id| is_here(id)).filter_map(|id| arrow(tree.node(*id))));
        let checks = odd.checks.iter().filter(|id| is_here(id)).map(|id| tree.node(*id));
        found.extend(checks.filter_map(|check| checks::earlier(tree, facts, &names, check)));
        if found.len() > before {
            continue;
        }
        let is_jump = |node: Node<'_>| matches!(node.kind(), Kind::Goto | Kind::Label | Kind::Asm);
        if pointers.is_empty() && !odd.loops.iter().any(is_here) || descendants(function).any(is_jump) {
            continue;
        }
        let context = Context { tree, names: &names, number: &number };
        let loops: Vec<Node<'_>> = odd
            .loops
            .iter()
            .filter(|id| is_here(id))
            .filter_map(|id| descendants(function).find(|node| node.id() == *id))
            .collect();
        let before = found.len();
        found.extend(loops.iter().rev().filter_map(|node| context.other(*node)));
        // Pointers are followed once all loops that they walk in count.
        if found.len() == before {
            let mut walking: BTreeMap<Decl, Vec<Restated>> =
                pointers.into_iter().map(|pointer| (pointer, context.walking(function, pointer))).collect();
            // One that gets its value from another that moves all the same, as where two are exchanged, is no clearer than before.
            loop {
                let moves = |decl: &Decl| is_changed(*decl, &names) && walking.get(decl).is_none_or(Vec::is_empty);
                let is_vain = |all: &[Restated]| all.iter().any(|restated| restated.sources.iter().any(moves));
                let vain: Vec<Decl> =
                    walking.iter().filter(|(_, all)| is_vain(all)).map(|(pointer, _)| *pointer).collect();
                if vain.is_empty() {
                    break;
                }
                vain.iter().for_each(|pointer| drop(walking.remove(pointer)));
            }
            found.extend(walking.into_values().flatten());
        }
    }
    found
}

/// `p->x` as `p[0].x`.
fn arrow(member: Node<'_>) -> Option<Restated> {
    let (operand, place) = (field(member, Part::Operand)?.place()?, member.place()?);
    let between = operand.end..place.end.checked_sub(member.name().len())?;
    let mut restated = Restated::default();
    let is_plain = member.tree().text.get(between.clone())?.trim() == "->";
    restated.replace(between, "[0].");
    is_plain.then_some(restated)
}

/// The text of an expression as an operand.
fn operand(node: Node<'_>) -> Option<String> {
    let written = text(bare(node));
    let is_atom = written.bytes().all(crate::write::lexical::is_word);
    (!written.is_empty()).then(|| if is_atom { written.to_string() } else { format!("({written})") })
}

struct Context<'t, 'c> {
    tree: &'t Tree,
    names: &'c Names<'t>,
    number: &'c Cell<usize>,
}

impl<'t> Context<'t, '_> {
    /// A loop in another way.
    fn other(&self, node: Node<'t>) -> Option<Restated> {
        self.counting(node)
            .or_else(|| self.covering(node))
            .or_else(|| self.strided(node))
            .or_else(|| self.outliving(node))
    }

    /// A name that nothing in the file has.
    fn fresh(&self, name: &str) -> String {
        loop {
            self.number.set(self.number.get() + 1);
            let fresh = format!("{name}_{}", self.number.get());
            if !crate::write::lexical::has_word(&self.tree.text, &fresh) {
                return fresh;
            }
        }
    }

    fn occurrences(&self, decl: Decl) -> &[Node<'t>] {
        self.names.occurrences.get(&decl).map_or(&[], Vec::as_slice)
    }

    fn mentions(&self, node: Node<'t>, decl: Decl) -> bool {
        self.occurrences(decl).iter().any(|name| is_within(&name.byte_range(), &node.byte_range()))
    }

    fn is_changed_in(&self, node: Node<'t>, decl: Decl) -> bool {
        let inside = |name: &&Node<'t>| is_within(&name.byte_range(), &node.byte_range());
        self.occurrences(decl).iter().filter(inside).any(|name| is_changed_at(*name))
    }

    /// A variable of the function that changes only where it is named.
    fn is_own(&self, decl: Decl) -> bool {
        is_own_variable(decl, self.names) && self.occurrences(decl).iter().all(|name| name.place().is_some())
    }

    /// The same number wherever it stands in a statement, without effects.
    fn is_invariant(&self, node: Node<'t>, within: Node<'t>) -> bool {
        !text(node).is_empty()
            && descendants(node).all(|part| match part.kind() {
                Kind::Number | Kind::Sizeof | Kind::Paren => true,
                Kind::Cast => matches!(part.of(), CType::Int { bytes, .. } if *bytes >= 4),
                Kind::Binary => matches!(operator(part), "+" | "-" | "*" | "/"),
                Kind::Unary => operator(part) == "-",
                Kind::Name => part.decl().is_some_and(|decl| {
                    let data = &self.names.decls[decl];
                    let is_constant = matches!(data.kind, DeclKind::Constant(_) | DeclKind::Undeclared)
                        || data.kind == DeclKind::Global && data.typed.is_const && !data.typed.is_volatile;
                    is_constant || self.is_own(decl) && !self.is_changed_in(within, decl)
                }),
                _ => false,
            })
    }

    /// Nothing in a statement declares another variable of the name of one of these.
    fn is_unshadowed(&self, within: Node<'t>, decls: &BTreeSet<Decl>) -> bool {
        let names: BTreeSet<&str> = decls.iter().map(|decl| self.names.decls[*decl].name.as_str()).collect();
        let mut declared = descendants(within).filter(|node| node.kind() == Kind::Variable);
        declared.all(|node| node.decl().is_none_or(|decl| decls.contains(&decl) || !names.contains(node.name())))
    }

    /// Control leaves the statements of a loop's body early.
    fn is_left(&self, node: Node<'t>) -> bool {
        let mut open = vec![node];
        while let Some(inner) = open.pop() {
            match inner.kind() {
                Kind::Break | Kind::Continue => return true,
                kind if kind.is_loop() => {}
                Kind::Switch => {
                    if descendants(inner).any(|node| node.kind() == Kind::Continue) {
                        return true;
                    }
                }
                _ => open.extend(children(inner)),
            }
        }
        false
    }

    /// How much an expression adds to a variable: `v++`, `v += 2`, `v = v + 1`.
    fn step(&self, update: Node<'t>, decl: Decl) -> Option<(i64, Option<Node<'t>>)> {
        let update = bare(update);
        let is_it = |node: Node<'t>| bare(node).kind() == Kind::Name && bare(node).decl() == Some(decl);
        let amount = |node: Node<'t>, sign: i64| match bare(node).value() {
            Some(value) if bare(node).kind() == Kind::Number => Some((value.checked_mul(sign)?, None)),
            _ => (!self.mentions(node, decl)).then_some((sign, Some(node))),
        };
        match update.kind() {
            Kind::Update if is_it(field(update, Part::Operand)?) => {
                Some((if operator(update) == "++" { 1 } else { -1 }, None))
            }
            Kind::Assign if is_it(field(update, Part::Left)?) => {
                let right = field(update, Part::Right)?;
                match operator(update) {
                    "+=" => amount(right, 1),
                    "-=" => amount(right, -1),
                    "=" => {
                        let sum = bare(right);
                        let (one, two) = (field(sum, Part::Left)?, field(sum, Part::Right)?);
                        match (sum.kind(), operator(sum)) {
                            (Kind::Binary, "+") if is_it(one) => amount(two, 1),
                            (Kind::Binary, "+") if is_it(two) => amount(one, 1),
                            (Kind::Binary, "-") if is_it(one) => amount(two, -1),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A comparison of a variable with something, the variable to the left.
    fn comparison(&self, cond: Node<'t>, decl: Decl) -> Option<(&'static str, Node<'t>)> {
        let cond = bare(cond);
        let (left, right) = (field(cond, Part::Left)?, field(cond, Part::Right)?);
        let is_it = |node: Node<'t>| bare(node).kind() == Kind::Name && bare(node).decl() == Some(decl);
        let signs = [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("!=", "!=")];
        let sign = signs.into_iter().find(|(sign, _)| cond.kind() == Kind::Binary && operator(cond) == *sign)?;
        match (is_it(left), is_it(right)) {
            (true, false) if !self.mentions(right, decl) => Some((sign.0, right)),
            (false, true) if !self.mentions(left, decl) => Some((sign.1, left)),
            _ => None,
        }
    }

    /// Puts text behind a statement, and the statement in braces where it stands alone; `before` in front of it.
    fn around(&self, node: Node<'t>, before: &str, after: &str, restated: &mut Restated) -> Option<()> {
        let place = node.place()?;
        let is_listed = node.parent().is_some_and(|parent| matches!(parent.kind(), Kind::Block));
        if !is_listed {
            restated.insert(place.start, format!("{{ {before}"));
            restated.insert(place.end, format!("{after} }}"));
        } else {
            if !before.is_empty() {
                restated.insert(place.start, before.to_string());
            }
            if !after.is_empty() {
                restated.insert(place.end, after.to_string());
            }
        }
        Some(())
    }
}

/// The edits of all that is restated in the order of the text, each with the number of what it belongs to, without what would overlap.
pub(crate) fn ordered(restated: &[Restated]) -> Vec<(Range<usize>, String, usize)> {
    // By their beginnings, the ends of texts that go; and where something is put in.
    let (mut gone, mut put): (BTreeMap<usize, usize>, BTreeSet<usize>) = Default::default();
    let mut all = Vec::new();
    for (group, restated) in restated.iter().enumerate() {
        let (mut new_gone, mut new_put) = (Vec::new(), Vec::new());
        let is_free = restated.edits.iter().all(|(range, _)| {
            let before = gone.range(..range.end).next_back();
            let inside = put.range(range.start..range.end).any(|at| *at > range.start);
            let meets = inside || before.is_some_and(|(_, end)| *end > range.start);
            match range.is_empty() {
                true => new_put.extend(put.insert(range.start).then_some(range.start)),
                false => new_gone.extend((!meets).then(|| gone.insert(range.start, range.end)).map(|_| range.start)),
            }
            !meets
        });
        if is_free {
            all.extend(restated.edits.iter().map(|(range, text)| (range.clone(), text.clone(), group)));
        } else {
            gone.retain(|start, _| !new_gone.contains(start));
            put.retain(|at| !new_put.contains(at));
        }
    }
    // What is put in before a text comes before what takes its place.
    all.sort_by_key(|(range, ..)| (range.start, range.end));
    all
}
