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
//! d = tmp;  ...d...                        float *d_1 = tmp;  ...d_1...
//!
//! T *p = &a[i];  use(p->x);                T *p = &a[i];  use(p[0].x);
//! ```
//!
//! All of this changes the text that is read, as the replacement of macros does, and what is not transformed is put back as its author wrote it. Only
//! loops and pointers are changed that the reader could not follow. What belongs together is one [`Restated`]: it is put back as a whole.

use super::checks::is_own_variable;
use super::facts::Facts;
use super::names::{Decl, DeclKind, Names};
use super::syntax::{
    First, bare, children, descendants, field, fields, first_values, is_same, is_within, operands, operator, text,
};
use super::writes::is_changed_at;
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
        found.extend(checks.filter_map(|check| super::checks::earlier(tree, facts, &names, check)));
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
                let moves = |decl: &Decl| {
                    super::writes::is_changed(*decl, &names) && walking.get(decl).is_none_or(Vec::is_empty)
                };
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

/// How a loop counts.
#[derive(Clone, Copy)]
struct Head<'t> {
    decl: Decl,
    first: Node<'t>,
    last: Node<'t>,
    /// `<`, `<=`, `>`, `>=` or `!=`, with the variable to the left.
    relation: &'static str,
    step: i64,
}

/// A sum that a pointer is moved by.
#[derive(Clone, Default)]
struct Sum {
    constant: i64,
    terms: Vec<String>,
}

impl Sum {
    fn is_zero(&self) -> bool {
        self.constant == 0 && self.terms.is_empty()
    }

    fn plus(&self, other: &Sum) -> Sum {
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Sum { constant: self.constant + other.constant, terms }
    }

    fn times(&self, factor: &str) -> Sum {
        let product = |term: &str| match (term, factor) {
            ("1", factor) => factor.to_string(),
            (term, "1") => term.to_string(),
            _ => format!("(long){term} * {factor}"),
        };
        let mut terms: Vec<String> = self.terms.iter().map(|term| product(term)).collect();
        if self.constant != 0 {
            let constant = if self.constant < 0 { format!("({})", self.constant) } else { self.constant.to_string() };
            terms.push(product(&constant));
        }
        Sum { constant: 0, terms }
    }

    fn text(&self) -> String {
        let mut text = self.terms.join(" + ");
        if self.constant != 0 || text.is_empty() {
            let sign = if self.constant < 0 { "-" } else { "+" };
            text = match text.is_empty() {
                true => self.constant.to_string(),
                false => format!("{text} {sign} {}", self.constant.unsigned_abs()),
            };
        }
        text
    }
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
        self.counting(node).or_else(|| self.covering(node)).or_else(|| self.outliving(node))
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

    /// How a `for` loop counts, if its variable is an integer that only its head changes, and its bounds stay the same.
    fn head(&self, node: Node<'t>) -> Option<Head<'t>> {
        self.head_with(node, field(node, Part::Condition)?)
    }

    /// The same for each of several conditions that all hold: `j <= i && j < m`.
    fn heads(&self, node: Node<'t>) -> Option<Vec<Head<'t>>> {
        let mut open = vec![field(node, Part::Condition)?];
        let mut heads = Vec::new();
        while let Some(cond) = open.pop().map(bare) {
            match (cond.kind(), operator(cond)) {
                (Kind::Binary, "&&") => open.extend([field(cond, Part::Right)?, field(cond, Part::Left)?]),
                _ => heads.push(self.head_with(node, cond)?),
            }
        }
        heads.iter().all(|head| head.decl == heads[0].decl).then_some(heads)
    }

    fn head_with(&self, node: Node<'t>, cond: Node<'t>) -> Option<Head<'t>> {
        let firsts = first_values(node);
        let (first, relation, last) = firsts.iter().find_map(|first| {
            let (relation, last) = self.comparison(cond, first.name.decl()?)?;
            Some((first, relation, last))
        })?;
        let decl = first.name.decl()?;
        let (step, amount) = self.step(first.update?, decl)?;
        let is_right = match relation {
            "<" | "<=" => step > 0,
            ">" | ">=" => step < 0,
            _ => step.abs() == 1,
        };
        let body = field(node, Part::Body)?;
        let is_integer = matches!(self.names.decls[decl].of, CType::Int { bytes, .. } if bytes >= 4);
        let is_fit = is_right
            && amount.is_none()
            && is_integer
            && self.is_own(decl)
            && !self.is_changed_in(body, decl)
            && !self.mentions(first.value, decl)
            && [first.value, last]
                .into_iter()
                .all(|bound| matches!(bound.of(), CType::Int { .. }) && self.is_invariant(bound, node));
        is_fit.then_some(Head { decl, first: first.value, last, relation, step })
    }

    /// The text that holds if a loop runs at all.
    fn runs(&self, head: &Head<'t>) -> Option<String> {
        Some(format!("{} {} {}", operand(head.first)?, head.relation, operand(head.last)?))
    }

    /// How often a loop runs if it does.
    fn trips(&self, head: &Head<'t>) -> Option<String> {
        let (first, last) = (operand(head.first)?, operand(head.last)?);
        let is_from_zero = head.step > 0 && bare(head.first).value() == Some(0);
        let mut distance = match (head.step > 0, is_from_zero) {
            (true, true) => last,
            (true, false) => format!("{last} - {first}"),
            (false, _) => format!("{first} - {last}"),
        };
        if head.relation.len() == 2 && head.relation != "!=" {
            distance += " + 1";
        }
        let by = head.step.abs();
        Some(match by {
            1 if distance.contains(' ') && !distance.starts_with('(') => format!("({distance})"),
            1 if distance.contains(") ") => format!("({distance})"),
            1 => distance,
            _ => format!("(({distance} + {}) / {by})", by - 1),
        })
    }

    /// The number of the iteration, from 0.
    fn iteration(&self, head: &Head<'t>) -> Option<String> {
        let (first, name) = (operand(head.first)?, &self.names.decls[head.decl].name);
        let is_from_zero = bare(head.first).value() == Some(0);
        let distance = match (head.step > 0, is_from_zero) {
            (true, true) => name.clone(),
            (true, false) => format!("({name} - {first})"),
            (false, _) => format!("({first} - {name})"),
        };
        let by = head.step.abs();
        Some(if by == 1 { distance } else { format!("({distance} / {by})") })
    }

    /// Whether the value of a variable behind a statement is used somewhere.
    fn is_needed_after(&self, statement: Node<'t>, decl: Decl) -> bool {
        let mut at = statement;
        while let Some(parent) = at.parent() {
            let siblings = children(parent);
            let position = siblings.iter().position(|sibling| *sibling == at).unwrap_or(0);
            let is_list = matches!(parent.kind(), Kind::Block | Kind::Case);
            if is_list && let Some(next) = siblings[position + 1..].iter().find(|next| self.mentions(**next, decl)) {
                return !self.is_set_by(*next, decl);
            }
            match parent.kind() {
                // The next case may follow, or any.
                Kind::Switch => return self.mentions(parent, decl),
                // The rest of an expression may follow.
                Kind::StatementExpression => return true,
                _ => {}
            }
            if parent.kind().is_loop() {
                let body = field(parent, Part::Body);
                let in_head = children(parent).into_iter().filter(|part| Some(*part) != body);
                let is_initial = |part: &Node<'t>| parent.kind() == Kind::For && part.part() == Part::Initial;
                if in_head.into_iter().filter(|part| !is_initial(part)).any(|part| self.mentions(part, decl)) {
                    return true;
                }
                let first = match body {
                    Some(body) if body.kind() == Kind::Block => {
                        children(body).into_iter().find(|inner| self.mentions(*inner, decl))
                    }
                    other => other,
                };
                if first.is_some_and(|first| self.mentions(first, decl) && !self.is_set_by(first, decl)) {
                    return true;
                }
            }
            if parent.kind() == Kind::Function {
                return false;
            }
            at = parent;
        }
        true
    }

    /// A statement gives a variable a value, whatever happens, before it uses it.
    fn is_set_by(&self, statement: Node<'t>, decl: Decl) -> bool {
        match statement.kind() {
            Kind::For => first_values(statement)
                .iter()
                .any(|first| first.name.decl() == Some(decl) && !self.mentions(first.value, decl)),
            Kind::ExpressionStatement => self.assigned(statement, decl).is_some(),
            Kind::Declaration => {
                let mut variables = fields(statement, Part::Variable).into_iter();
                variables.any(|variable| variable.decl() == Some(decl))
            }
            _ => false,
        }
    }

    /// The value of `v = e;` that does not depend on `v`.
    fn assigned(&self, statement: Node<'t>, decl: Decl) -> Option<Node<'t>> {
        let is_plain = statement.kind() == Kind::ExpressionStatement;
        let expression = bare(children(statement).into_iter().next()?);
        let is_assignment = is_plain && expression.kind() == Kind::Assign && operator(expression) == "=";
        let left = bare(field(expression, Part::Left)?);
        let right = field(expression, Part::Right)?;
        (is_assignment && left.kind() == Kind::Name && left.decl() == Some(decl) && !self.mentions(right, decl))
            .then_some(right)
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

    // Ranges in blocks.

    /// A loop over the blocks of a range, and in it the loop over one block: together they are the loop over the range. Nothing else stands in the
    /// first loop, and its variable stands nowhere else. With a step below 1 it would never end.
    fn covering(&self, node: Node<'t>) -> Option<Restated> {
        let [outer] = first_values(node)[..] else { return None };
        let block = outer.name.decl()?;
        let (relation, last) = self.comparison(field(node, Part::Condition)?, block)?;
        let (sign, step) = self.step(outer.update?, block)?;
        let step = step.filter(|_| sign == 1 && relation == "<")?;
        let body = field(node, Part::Body)?;
        let statements = if body.kind() == Kind::Block { children(body) } else { vec![body] };
        let (inner, declared) = statements.split_last()?;
        let [first] = first_values(*inner)[..] else { return None };
        let counter = first.name.decl()?;
        let in_block = field(*inner, Part::Body)?;
        let cond = field(*inner, Part::Condition)?;
        let is_it = |node: Node<'t>, decl: Decl| bare(node).kind() == Kind::Name && bare(node).decl() == Some(decl);
        let is_end = |limit: Node<'t>| {
            let sum = bare(limit);
            let parts = field(sum, Part::Left).zip(field(sum, Part::Right));
            sum.kind() == Kind::Binary
                && operator(sum) == "+"
                && parts.is_some_and(|(one, two)| {
                    is_it(one, block) && is_same(two, step) || is_it(two, block) && is_same(one, step)
                })
        };
        let limits = self.limits(cond, counter, declared)?;
        let is_covered = match limits[..] {
            [one, two] => is_end(one) && is_same(two, last) || is_end(two) && is_same(one, last),
            _ => false,
        };
        let is_head = |first: &First<'t>, decl: Decl| {
            let data = &self.names.decls[decl];
            let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
            is_integer && self.is_own(decl) && (first.is_declared || !self.is_needed_after(node, decl))
        };
        let is_fit = inner.kind() == Kind::For
            && is_covered
            && is_it(first.value, block)
            && matches!(self.step(first.update?, counter)?, (1, None))
            && self.names.decls[block].of == self.names.decls[counter].of
            && is_head(&outer, block)
            && is_head(&first, counter)
            && !self.mentions(in_block, block)
            && !self.is_changed_in(in_block, counter)
            && !self.is_left(in_block)
            && [outer.value, last, step].into_iter().all(|part| self.is_invariant(part, node));
        if !is_fit {
            return None;
        }
        let (around, place) = (node.place()?, inner.place()?);
        let mut restated = Restated::default();
        restated.replace(around.start..place.start, "");
        restated.replace(first.value.place()?, text(outer.value));
        restated.replace(cond.byte_range(), format!("{} < {}", self.names.decls[counter].name, operand(last)?));
        // The last brace of the first loop becomes that of the second, so that what is left ends where it did.
        match (body.kind(), in_block.kind()) {
            (Kind::Block, Kind::Block) => restated.replace(place.end - 1..around.end - 1, ""),
            (Kind::Block, _) => restated.insert(in_block.place()?.start, "{ ".to_string()),
            _ => {}
        }
        Some(restated)
    }

    /// What a variable is less than while a condition holds: all of these, of which `min` is one of two. Variables that are `declared` for it stand for
    /// their values, and for nothing else.
    fn limits(&self, cond: Node<'t>, counter: Decl, declared: &[Node<'t>]) -> Option<Vec<Node<'t>>> {
        let cond = bare(cond);
        if cond.kind() == Kind::Binary && operator(cond) == "&&" {
            let one = self.limits(field(cond, Part::Left)?, counter, declared)?;
            let two = self.limits(field(cond, Part::Right)?, counter, &[])?;
            return Some([one, two].concat());
        }
        let ("<", mut limit) = self.comparison(cond, counter)? else { return None };
        match declared {
            [] => {}
            [declaration] => {
                let [variable] = fields(*declaration, Part::Variable)[..] else { return None };
                let is_only = declaration.kind() == Kind::Declaration
                    && bare(limit).decl() == variable.decl()
                    && self.occurrences(variable.decl()?).len() == 2;
                limit = field(variable, Part::Value).filter(|_| is_only)?;
            }
            _ => return None,
        }
        let choice = bare(limit);
        let parts = |node: Node<'t>, parts: [Part; 2]| Some([field(node, parts[0])?, field(node, parts[1])?]);
        let smaller = || {
            let test = bare(field(choice, Part::Condition).filter(|_| choice.kind() == Kind::Conditional)?);
            let [then, otherwise] = parts(choice, [Part::Consequence, Part::Alternative])?;
            let [one, two] = parts(test, [Part::Left, Part::Right]).filter(|_| test.kind() == Kind::Binary)?;
            let (small, large) = match operator(test) {
                "<" | "<=" => (one, two),
                ">" | ">=" => (two, one),
                _ => return None,
            };
            (is_same(then, small) && is_same(otherwise, large)).then(|| vec![then, otherwise])
        };
        Some(smaller().unwrap_or_else(|| vec![limit]))
    }

    // Variables that outlive their loops.

    /// A loop whose variable is used elsewhere counts by one of its own, and leaves its last value in that.
    fn outliving(&self, node: Node<'t>) -> Option<Restated> {
        let firsts = first_values(node);
        let [first] = &firsts[..] else { return None };
        let heads = self.heads(node).filter(|_| !first.is_declared && node.kind() == Kind::For)?;
        let head = heads[0];
        let data = &self.names.decls[head.decl];
        let body = field(node, Part::Body)?;
        let CType::Int { bytes, .. } = data.of else { return None };
        // The bounds are compared as the variable would be with them.
        let is_alike = |bound: Node<'t>| {
            bare(bound).kind() == Kind::Number || matches!(bound.of(), CType::Int { .. } if *bound.of() == data.of)
        };
        let is_from_zero = head.step == 1 && bare(head.first).value() == Some(0);
        let is_exact = is_alike(head.first)
            && heads.iter().all(|head| is_alike(head.last) || head.relation == "<" && is_from_zero)
            && bytes >= 4;
        let mut decls: BTreeSet<Decl> = BTreeSet::from([head.decl]);
        let bounds = heads.iter().map(|head| head.last).chain([head.first]);
        decls.extend(bounds.flat_map(descendants).filter_map(Node::decl));
        if !is_exact || self.is_left(body) || !self.is_unshadowed(node, &decls) {
            return None;
        }
        let mut restated = Restated::default();
        restated.insert(first.node.place()?.start, format!("{} ", data.scalar_text()));
        if self.is_needed_after(node, head.decl) {
            let (begin, trips) = (operand(head.first)?, self.trips(&head)?);
            let last = match (head.relation, head.step) {
                _ if heads.len() > 1 => self.least(&heads)?,
                ("<" | "!=", 1) | (">" | "!=", -1) => operand(head.last)?,
                ("<=", 1) => format!("{} + 1", operand(head.last)?),
                (">=", -1) => format!("{} - 1", operand(head.last)?),
                (_, step) if step > 0 => format!("{begin} + {trips} * {step}"),
                (_, step) => format!("{begin} - {trips} * {}", -step),
            };
            let after = match head.relation {
                "!=" => format!(" {} = {last};", data.name),
                _ => {
                    let runs = heads.iter().map(|head| self.runs(head)).collect::<Option<Vec<_>>>()?.join(" && ");
                    format!(" {} = {runs} ? {last} : {begin};", data.name)
                }
            };
            self.around(node, "", &after, &mut restated)?;
        }
        Some(restated)
    }

    /// Where a loop ends that counts up by 1 while two conditions hold, if it runs.
    fn least(&self, heads: &[Head<'t>]) -> Option<String> {
        let [one, two] = heads else { return None };
        let is_up = |head: &Head<'t>| head.step == 1 && matches!(head.relation, "<" | "<=");
        if !is_up(one) || !is_up(two) {
            return None;
        }
        let is_inclusive = one.relation == "<=" || two.relation == "<=";
        let end = |head: &Head<'t>| {
            let last = operand(head.last)?;
            Some(if is_inclusive && head.relation == "<" { format!("{last} - 1") } else { last })
        };
        let (one, two) = (end(one)?, end(two)?);
        let least = format!("({one} < {two} ? {one} : {two})");
        Some(if is_inclusive { format!("{least} + 1") } else { least })
    }

    // Loops that count otherwise.

    /// A `while` loop, or one by a pointer, as a `for` loop that counts.
    fn counting(&self, node: Node<'t>) -> Option<Restated> {
        match node.kind() {
            Kind::While => self.countdown(node).or_else(|| self.upwards(node)).or_else(|| self.up_to_pointer(node)),
            Kind::For if field(node, Part::Initial).is_none() => {
                self.upwards(node).or_else(|| self.up_to_pointer(node))
            }
            Kind::For => self.up_to_pointer(node),
            _ => None,
        }
    }

    /// The bytes from the beginning of a loop to its body.
    fn head_of(&self, node: Node<'t>) -> Option<Range<usize>> {
        let (place, body) = (node.place()?, field(node, Part::Body)?.place()?);
        let range = place.start..body.start;
        let is_plain = !self.tree.text.get(range.clone())?.contains(['\n', '#', '/', '\\']);
        let has_macro = self.tree.uses.iter().any(|used| is_within(&used.range, &range));
        (is_plain && !has_macro).then_some(range)
    }

    /// `while (n--)` and `while (n-- > 0)`.
    fn countdown(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let cond = bare(field(node, Part::Condition)?);
        let counted = match cond.kind() {
            Kind::Binary => {
                let is_zero = super::syntax::is_null(field(cond, Part::Right)?);
                (is_zero && matches!(operator(cond), ">" | "!=")).then(|| field(cond, Part::Left)).flatten()?
            }
            _ => cond,
        };
        let counted = bare(counted);
        let is_post = counted.kind() == Kind::Update && operator(counted) == "--" && counted.value().is_some();
        let name = bare(field(counted, Part::Operand)?);
        let decl = name.decl().filter(|_| is_post && name.kind() == Kind::Name)?;
        let data = &self.names.decls[decl];
        let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
        if !is_integer || !self.is_own(decl) || self.mentions(body, decl) || self.is_left(body) {
            return None;
        }
        let (mut restated, variable) = (Restated::default(), self.fresh(&data.name));
        let name = &data.name;
        let of = data.scalar_text();
        restated.replace(head, format!("for ({of} {variable} = 0; {variable} < {name}; {variable}++) "));
        if self.is_needed_after(node, decl) {
            // A number below 0 would not come to an end, but for `> 0`.
            let is_greater = cond.kind() == Kind::Binary && operator(cond) == ">";
            let last = if is_greater { format!("{name} > 0 ? -1 : {name} - 1") } else { "-1".to_string() };
            self.around(node, "", &format!(" {name} = {last};"), &mut restated)?;
        }
        Some(restated)
    }

    /// `while (i < n) { ...; i++; }` and `for (; i < n; i++)`, behind `i = 0;`.
    fn upwards(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let (update, last) = match node.kind() {
            Kind::For => (field(node, Part::Update)?, None),
            _ => {
                let last = children(body).into_iter().next_back().filter(|_| body.kind() == Kind::Block)?;
                (children(last).into_iter().next().filter(|_| last.kind() == Kind::ExpressionStatement)?, Some(last))
            }
        };
        let changed = field(bare(update), Part::Operand).or_else(|| field(bare(update), Part::Left))?;
        let decl = bare(changed).decl()?;
        let data = &self.names.decls[decl];
        let (step, amount) = self.step(update, decl)?;
        let (relation, bound) = self.comparison(field(node, Part::Condition)?, decl)?;
        let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
        let is_right = if step > 0 { relation.starts_with('<') } else { relation.starts_with('>') };
        let inside = |name: &&Node<'t>| is_within(&name.byte_range(), &node.byte_range());
        let is_once = self.occurrences(decl).iter().filter(inside).filter(|name| is_changed_at(**name)).count() == 1;
        let is_fit = is_right && amount.is_none() && is_integer && is_once && self.is_own(decl) && !self.is_left(body);
        if !is_fit || !self.is_invariant(bound, node) || !matches!(bound.of(), CType::Int { .. }) {
            return None;
        }
        let (definition, value) = self.value_before(node, decl)?;
        // It has the same value at its definition and at the loop.
        let has_changed = {
            let names: Vec<Decl> = descendants(value).filter_map(Node::decl).collect();
            let siblings = children(node.parent()?).into_iter().skip_while(|sibling| *sibling != definition).skip(1);
            let mut between = siblings.take_while(|sibling| *sibling != node);
            between.any(|sibling| names.iter().any(|name| self.is_changed_in(sibling, *name)))
        };
        let mut decls: BTreeSet<Decl> = BTreeSet::from([decl]);
        decls.extend([value, bound].into_iter().flat_map(descendants).filter_map(Node::decl));
        if has_changed || !self.is_invariant(value, node) || !self.is_unshadowed(node, &decls) {
            return None;
        }
        let head_data = Head { decl, first: value, last: bound, relation, step };
        let is_alike = |bound: Node<'t>| bare(bound).kind() == Kind::Number || *bound.of() == data.of;
        if !is_alike(value) || !is_alike(bound) {
            return None;
        }
        let mut restated = Restated::default();
        let (name, of) = (&data.name, data.scalar_text());
        let (value, bound) = (text(value), text(bound));
        let update = text(update);
        restated.replace(head, format!("for ({of} {name} = {value}; {name} {relation} {bound}; {update}) "));
        if let Some(last) = last {
            restated.replace(last.place()?, "");
        }
        if self.is_needed_after(node, decl) {
            let (begin, trips) = (operand(head_data.first)?, self.trips(&head_data)?);
            let sign = if step > 0 { '+' } else { '-' };
            let last = format!("{begin} {sign} {trips} * {}", step.abs());
            let after = format!(" {name} = {} ? {last} : {begin};", self.runs(&head_data)?);
            self.around(node, "", &after, &mut restated)?;
        }
        Some(restated)
    }

    /// `for (p = a; p < a + n; p++)`, and `while (p < end)` where `end` is `a + n` and `p` is `a` at first.
    fn up_to_pointer(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let cond = bare(field(node, Part::Condition)?);
        let side = |part: Part| field(cond, part).map(bare).filter(|side| side.kind() == Kind::Name);
        let pointers = [side(Part::Left), side(Part::Right)].into_iter().flatten().filter_map(Node::decl);
        let mut walking = pointers.filter(|decl| self.is_changed_in(node, *decl));
        let (decl, other) = (walking.next()?, walking.next());
        let data = &self.names.decls[decl];
        let (relation, end) = self.comparison(cond, decl).filter(|_| other.is_none())?;
        let CType::Pointer { target, .. } = &data.of else { return None };
        if matches!(**target, CType::Array { .. } | CType::Volatile | CType::Unknown | CType::Function)
            || !matches!(relation, "<" | "!=")
            || !self.is_own(decl)
            || self.is_left(body)
        {
            return None;
        }
        let firsts = first_values(node);
        let first = match (node.kind(), &firsts[..]) {
            (Kind::For, [first]) if first.name.decl() == Some(decl) => Some(*first),
            (Kind::For, _) if field(node, Part::Initial).is_some() => return None,
            _ => None,
        };
        let begin = match first {
            Some(first) => first.value,
            None => self.value_before(node, decl)?.1,
        };
        // Where it ends: so many elements behind its beginning.
        let end = bare(end);
        let end = match end.kind() {
            Kind::Name => {
                let fixed = end.decl().filter(|end| super::writes::is_fixed(*end, self.names))?;
                bare(self.names.decls[fixed].value?)
            }
            _ => end,
        };
        let (base, count) = (field(end, Part::Left)?, field(end, Part::Right)?);
        let is_sum = end.kind() == Kind::Binary && operator(end) == "+" && base.of().is_array();
        let is_settled = |node: Node<'t>| {
            let mut decls = descendants(node).filter_map(Node::decl);
            decls.all(|decl| self.is_own(decl) && !super::writes::is_changed(decl, self.names))
        };
        if !is_sum
            || !is_same(base, begin)
            || bare(base).kind() != Kind::Name
            || !is_settled(base)
            || !is_settled(count)
            || !self.is_invariant(count, node)
            || !matches!(count.of(), CType::Int { .. })
        {
            return None;
        }
        // It moves by one in each iteration, in the head or in the body.
        let update = field(node, Part::Update).filter(|_| node.kind() == Kind::For);
        let in_head = match update {
            Some(update) => {
                let mut all = operands(update).into_iter();
                (all.next().and_then(|update| self.step(update, decl)), all.next().is_some())
            }
            None => (None, false),
        };
        let moves = match in_head {
            (Some((1, None)), false) => !self.is_changed_in(body, decl),
            (None, false) if update.is_none() => self.advance(body, decl, node).is_some_and(|by| by.text() == "1"),
            _ => false,
        };
        if !moves {
            return None;
        }
        let (mut restated, variable) = (Restated::default(), self.fresh(&data.name));
        let bound = operand(count)?;
        let (mut before, mut updates) = (String::new(), format!("{variable}++"));
        match first {
            // It is known behind the loop: there it has a name that nothing else has.
            Some(first) if first.is_declared => {
                let name = self.fresh(&data.name);
                self.rewrite(body, decl, &name, &Sum::default(), &mut restated)?;
                before = format!("{}{name} = {}; ", data.scalar_text(), text(begin));
                updates += &format!(", {name}++");
            }
            Some(_) => before = format!("{} = {}; ", data.name, text(begin)),
            None => {}
        }
        if let Some(update) = update.filter(|_| first.is_none_or(|first| !first.is_declared)) {
            updates += &format!(", {}", text(update));
        }
        restated.replace(head, format!("for (long {variable} = 0; {variable} < (long){bound}; {updates}) "));
        if !before.is_empty() {
            self.around(node, &before, "", &mut restated)?;
        }
        Some(restated)
    }

    /// What gives a variable its value before a statement, in the same block, and that value.
    fn value_before(&self, node: Node<'t>, decl: Decl) -> Option<(Node<'t>, Node<'t>)> {
        let block = node.parent().filter(|parent| parent.kind() == Kind::Block)?;
        let before = children(block).into_iter().take_while(|sibling| *sibling != node);
        let sets = |sibling: &Node<'t>| self.is_changed_in(*sibling, decl) || self.is_set_by(*sibling, decl);
        let definition = before.filter(sets).last()?;
        let value = match definition.kind() {
            Kind::Declaration => {
                let own = fields(definition, Part::Variable).into_iter().find(|own| own.decl() == Some(decl))?;
                field(own, Part::Value)
            }
            _ => self.assigned(definition, decl),
        };
        Some((definition, value?))
    }

    // Pointers that walk.

    /// What a statement moves a pointer by, if that is the same whenever the loop `within` runs it.
    fn advance(&self, node: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        if !self.is_changed_in(node, pointer) {
            return Some(Sum::default());
        }
        let sum = |parts: Vec<Node<'t>>| {
            parts
                .into_iter()
                .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.advance(part, pointer, within)?)))
        };
        match node.kind() {
            Kind::Block => sum(children(node)),
            Kind::Declaration => {
                let values =
                    fields(node, Part::Variable).into_iter().flat_map(|variable| fields(variable, Part::Value));
                values
                    .into_iter()
                    .try_fold(Sum::default(), |sum, value| Some(sum.plus(&self.moved(value, pointer, within)?)))
            }
            Kind::ExpressionStatement => {
                let all = children(node).into_iter().flat_map(operands);
                all.into_iter()
                    .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.moved(part, pointer, within)?)))
            }
            Kind::For => {
                let head = self.head(node)?;
                let body = field(node, Part::Body)?;
                let in_bounds = [Part::Initial, Part::Condition]
                    .iter()
                    .flat_map(|part| fields(node, part))
                    .any(|part| self.mentions(part, pointer));
                let fits = self.is_invariant(head.first, within) && self.is_invariant(head.last, within);
                if in_bounds || self.is_left(body) || !fits {
                    return None;
                }
                Some(self.per_iteration(node, pointer, within)?.times(&self.trips(&head)?))
            }
            _ => None,
        }
    }

    /// What an iteration of a `for` loop moves a pointer by.
    fn per_iteration(&self, node: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        let updates = fields(node, Part::Update).into_iter().flat_map(operands);
        let in_head = updates
            .into_iter()
            .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.moved(part, pointer, within)?)))?;
        Some(self.advance(field(node, Part::Body)?, pointer, within)?.plus(&in_head))
    }

    /// What an expression, evaluated as a whole, moves a pointer by; it may name the pointer nowhere else then.
    fn moved(&self, expression: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        let inside = |name: &&Node<'t>| is_within(&name.byte_range(), &expression.byte_range());
        let named: Vec<Node<'t>> = self.occurrences(pointer).iter().filter(inside).copied().collect();
        let Some(changed) = named.iter().copied().find(|name| is_changed_at(*name)) else {
            return Some(Sum::default());
        };
        let change =
            std::iter::successors(changed.parent(), |node| node.parent()).find(|node| node.kind() != Kind::Paren)?;
        let (step, amount) = self.step(change, pointer)?;
        let inside_change = named.iter().all(|name| is_within(&name.byte_range(), &change.byte_range()));
        // It happens, once, whatever the values are.
        let mut at = change;
        while at != bare(expression) && at != expression {
            let parent = at.parent()?;
            let is_sure = match parent.kind() {
                Kind::Conditional => at.part() == Part::Condition,
                Kind::Binary => at.part() == Part::Left || !matches!(operator(parent), "&&" | "||"),
                Kind::StatementExpression | Kind::Sizeof | Kind::Unknown => false,
                _ => true,
            };
            if !is_sure {
                return None;
            }
            at = parent;
        }
        if !inside_change || named.len() > 1 && change.kind() == Kind::Update {
            return None;
        }
        match amount {
            None => Some(Sum { constant: step, terms: Vec::new() }),
            Some(amount) => {
                let is_fit = self.is_invariant(amount, within) && matches!(amount.of(), CType::Int { .. });
                let amount = operand(amount).filter(|_| is_fit)?;
                Some(Sum { constant: step, terms: Vec::new() }.times(&amount))
            }
        }
    }

    /// A pointer that walks, in each block whose statements move it.
    fn walking(&self, function: Node<'t>, pointer: Decl) -> Vec<Restated> {
        let data = &self.names.decls[pointer];
        let CType::Pointer { target, .. } = &data.of else { return Vec::new() };
        if matches!(**target, CType::Array { .. } | CType::Volatile | CType::Unknown | CType::Function)
            || !self.is_own(pointer)
        {
            return Vec::new();
        }
        // The outermost blocks in which its value begins and ends, where it is known.
        let mut found = Vec::new();
        let mut open: Vec<Node<'t>> = match data.statement.filter(|_| data.kind == DeclKind::Local) {
            Some(declaration) => declaration.parent().into_iter().collect(),
            None => fields(function, Part::Body),
        };
        while let Some(node) = open.pop() {
            if !self.is_changed_in(node, pointer) {
                continue;
            }
            let restated = if node.kind() == Kind::Block { self.versions(node, pointer) } else { None };
            match restated {
                Some(restated) => found.push(restated),
                None => open.extend(children(node)),
            }
        }
        found
    }

    /// Gives a pointer another name wherever the statements of a block give it another value, and no other value in loops.
    fn versions(&self, block: Node<'t>, pointer: Decl) -> Option<Restated> {
        let data = &self.names.decls[pointer];
        let statements: Vec<Node<'t>> =
            children(block).into_iter().filter(|statement| self.mentions(*statement, pointer)).collect();
        let last = *statements.last()?;
        let is_declared_here = |statement: &Node<'t>| {
            statement.kind() == Kind::Declaration
                && fields(*statement, Part::Variable).iter().any(|variable| variable.decl() == Some(pointer))
        };
        if !statements.iter().any(is_declared_here) && self.is_needed_after(last, pointer) {
            return None;
        }
        let mut restated = Restated::default();
        let mut name = data.name.clone();
        let typed = data.scalar_text();
        for (at, statement) in statements.iter().copied().enumerate() {
            let is_used_later = statements.get(at + 1).is_some_and(|next| !self.is_set_by(*next, pointer));
            if is_declared_here(&statement) {
                let mut values = fields(statement, Part::Variable).into_iter().flat_map(|own| fields(own, Part::Value));
                if values.any(|value| self.mentions(value, pointer)) {
                    return None;
                }
                continue;
            }
            if statement.kind() == Kind::ExpressionStatement && self.is_changed_in(statement, pointer) {
                let expression = bare(children(statement).into_iter().next()?);
                let place = statement.place()?;
                if let Some(value) = self.assigned(statement, pointer) {
                    let start = value.place()?.start;
                    if !is_used_later {
                        // Nothing reads it: the reader would not know what it is for.
                        if descendants(value)
                            .any(|node| matches!(node.kind(), Kind::Call | Kind::Update | Kind::Assign))
                        {
                            return None;
                        }
                    }
                    if super::purity::allocation(value).is_some() {
                        return None;
                    }
                    let is_pointer = |decl: &Decl| self.names.decls[*decl].of.is_array();
                    restated.sources.extend(descendants(value).filter_map(Node::decl).filter(is_pointer));
                    name = self.fresh(&data.name);
                    restated.replace(place.start..start, format!("{typed}{name} = "));
                    continue;
                }
                if let Some((step, amount)) = self.step(expression, pointer) {
                    let by = match amount {
                        None => step.to_string(),
                        Some(amount) => format!("{}{}", if step < 0 { "-" } else { "" }, operand(amount)?),
                    };
                    let next = self.fresh(&data.name);
                    restated.replace(place, format!("{typed}{next} = {name} + ({by});"));
                    name = next;
                    continue;
                }
            }
            if !self.is_changed_in(statement, pointer) {
                self.rewrite(statement, pointer, &name, &Sum::default(), &mut restated)?;
                continue;
            }
            let by = self.advance(statement, pointer, statement)?;
            let mut decls: BTreeSet<Decl> = BTreeSet::from([pointer]);
            let heads = descendants(statement).filter(|node| node.kind() == Kind::For);
            for head in heads.filter_map(|node| self.head(node)) {
                decls.insert(head.decl);
                decls.extend([head.first, head.last].into_iter().flat_map(descendants).filter_map(Node::decl));
            }
            if !self.is_unshadowed(statement, &decls) {
                return None;
            }
            self.walk(statement, pointer, &name, &Sum::default(), statement, &mut restated)?;
            if is_used_later {
                let runs: Option<Vec<String>> = descendants(statement)
                    .filter(|node| node.kind() == Kind::For && self.is_changed_in(*node, pointer))
                    .map(|node| self.runs(&self.head(node)?))
                    .collect();
                let (next, runs) = (self.fresh(&data.name), runs?.join(" && "));
                let amount = if runs.is_empty() { by.text() } else { format!("{runs} ? {} : 0", by.text()) };
                let end = statement.place()?.end;
                restated.insert(end, format!(" {typed}{next} = {name} + ({amount});"));
                name = next;
            }
        }
        (!restated.edits.is_empty()).then_some(restated)
    }

    /// Writes what moves a pointer, statement by statement, without doing so: `offset` is where it has come to.
    fn walk(
        &self,
        node: Node<'t>,
        pointer: Decl,
        name: &str,
        offset: &Sum,
        within: Node<'t>,
        restated: &mut Restated,
    ) -> Option<()> {
        if !self.is_changed_in(node, pointer) {
            return self.rewrite(node, pointer, name, offset, restated);
        }
        match node.kind() {
            Kind::Block => {
                let mut offset = offset.clone();
                for child in children(node) {
                    self.walk(child, pointer, name, &offset, within, restated)?;
                    offset = offset.plus(&self.advance(child, pointer, within)?);
                }
                Some(())
            }
            Kind::Declaration | Kind::ExpressionStatement => {
                let parts: Vec<Node<'t>> = match node.kind() {
                    Kind::Declaration => {
                        fields(node, Part::Variable).into_iter().flat_map(|own| fields(own, Part::Value)).collect()
                    }
                    _ => children(node).into_iter().flat_map(operands).collect(),
                };
                let mut offset = offset.clone();
                for part in &parts {
                    let by = self.moved(*part, pointer, within)?;
                    if !by.is_zero() && self.step(*part, pointer).is_some() {
                        // It only moves.
                        match &parts[..] {
                            [_] => restated.replace(node.place()?, ";"),
                            _ => restated.replace(part.place()?, "(void)0"),
                        }
                    } else {
                        self.rewrite(*part, pointer, name, &offset, restated)?;
                    }
                    offset = offset.plus(&by);
                }
                Some(())
            }
            Kind::For => {
                let head = self.head(node)?;
                let by = self.per_iteration(node, pointer, within)?;
                let offset = offset.plus(&by.times(&self.iteration(&head)?));
                self.walk(field(node, Part::Body)?, pointer, name, &offset, within, restated)?;
                let updates: Vec<Node<'t>> = fields(node, Part::Update).into_iter().flat_map(operands).collect();
                for (at, update) in updates.iter().enumerate().filter(|(_, update)| self.mentions(**update, pointer)) {
                    // With the comma before it or behind it.
                    let place = update.place()?;
                    let range = match (at.checked_sub(1), updates.get(at + 1)) {
                        (Some(before), _) => updates[before].place()?.end..place.end,
                        (None, Some(next)) => place.start..next.place()?.start,
                        (None, None) => return None,
                    };
                    restated.replace(range, "");
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Writes the pointer where it is named, with `offset` added.
    fn rewrite(&self, node: Node<'t>, pointer: Decl, name: &str, offset: &Sum, restated: &mut Restated) -> Option<()> {
        let inside = |at: &&Node<'t>| is_within(&at.byte_range(), &node.byte_range());
        for at in self.occurrences(pointer).iter().filter(inside) {
            if at.kind() == Kind::Variable {
                return None;
            }
            let mut inner = *at;
            let mut offset = offset.clone();
            let mut parent =
                std::iter::successors(inner.parent(), |node| node.parent()).find(|node| node.kind() != Kind::Paren)?;
            if parent.kind() == Kind::Update {
                let (step, _) = self.step(parent, pointer)?;
                // After `++p` it has moved.
                if parent.value().is_none() {
                    offset.constant += step;
                }
                inner = parent;
                parent = std::iter::successors(inner.parent(), |node| node.parent())
                    .find(|node| node.kind() != Kind::Paren)?;
            } else if is_changed_at(*at) {
                return None;
            }
            if offset.is_zero() {
                if inner.place()? != at.place()? || name != self.names.decls[pointer].name {
                    restated.replace(inner.place()?, name);
                }
            } else if parent.kind() == Kind::Pointer && operator(parent) == "*" {
                restated.replace(parent.place()?, format!("{name}[{}]", offset.text()));
            } else if parent.kind() == Kind::Subscript && field(parent, Part::Operand).map(bare) == Some(inner) {
                let index = field(parent, Part::Index)?.place()?;
                restated.replace(inner.place()?, name);
                restated.insert(index.start, format!("{} + (", offset.text()));
                restated.insert(index.end, ")".to_string());
            } else {
                restated.replace(inner.place()?, format!("({name} + {})", offset.text()));
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
