//! What of the text is about an array that is declared outside of a region and that only the region uses: with the array it goes, or shrinks.
//!
//! A test of whether memory was there is only ever about arrays that go, or is left as it is: an allocation that is not made does not fail.

use super::builder::{Builder, Object};
use super::names::{Decl, DeclKind};
use super::purity::{allocation, frees};
use super::syntax::{arguments, bare, callee, children, descendants, field, fields, is_null, is_within, operands};
use super::syntax::{operator, text, uncast};
use super::writes::is_changed;
use crate::ast::{CType, Kind, Node, Part};
use crate::region::{Allocation, Item, Outside, Pinned, Size};
use crate::write::lexical::{after_parentheses, is_word, words};
use std::ops::Range;

type Found<T> = Result<T, Pinned>;

fn pinned(why: impl Into<String>, range: Range<usize>) -> Pinned {
    Pinned { why: why.into(), range }
}

/// A statement that frees memory, or several blocks of it.
pub(crate) fn is_release(node: Node<'_>) -> bool {
    node.kind() == Kind::ExpressionStatement && children(node).into_iter().flat_map(operands).all(frees)
}

/// A test of whether memory was there, behind which control goes elsewhere: `if (!t) return;`, or an `assert`.
pub(crate) fn is_check(node: Node<'_>) -> bool {
    if node.kind() != Kind::If {
        return asserted(node).is_some();
    }
    let is_test = |test: &Node<'_>| {
        let mut tested = descendants(*test).filter(|inner| inner.kind() == Kind::Name && inner.of().is_array());
        tested.next().is_some_and(|name| matches!(tests(name), Some((at, true)) if at == node))
    };
    let condition = field(node, Part::Condition).filter(is_test);
    let leaves = field(node, Part::Consequence).is_some_and(leaves);
    condition.is_some() && leaves && field(node, Part::Alternative).is_none()
}

/// Control goes elsewhere at the end of a statement.
fn leaves(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Block => children(node).last().is_some_and(|last| leaves(*last)),
        Kind::Return | Kind::Goto => true,
        Kind::ExpressionStatement => {
            let call = children(node).first().map(|inner| uncast(*inner));
            call.and_then(callee).is_some_and(|name| super::effects::ENDS.contains(&name))
        }
        _ => false,
    }
}

/// The macro `assert` that a statement is, as its number.
fn asserted(node: Node<'_>) -> Option<usize> {
    let is_statement = matches!(node.kind(), Kind::ExpressionStatement | Kind::Empty);
    let tree = node.tree();
    let first = tree.uses.partition_point(|used| used.range.start < node.start_byte());
    let mut here = (first..tree.uses.len()).take_while(|used| tree.uses[*used].range.start == node.start_byte());
    here.find(|used| tree.uses[*used].name == "assert").filter(|_| is_statement)
}

/// The `if` that tests a pointer, and whether that holds where it is null; `None` if it is tested in another way.
fn tests(name: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut at, mut is_null_then, mut is_one_of) = (name, false, false);
    loop {
        let parent = at.parent()?;
        match parent.kind() {
            Kind::Paren | Kind::Cast => {}
            Kind::Assign if at.part() == Part::Left && allocation(field(parent, Part::Right)?).is_some() => {}
            Kind::Call if callee(parent) == Some("__builtin_expect") && arguments(parent).first() == Some(&at) => {}
            Kind::Unary if operator(parent) == "!" && !is_one_of => is_null_then = !is_null_then,
            Kind::Binary => match operator(parent) {
                "||" if is_null_then => is_one_of = true,
                sign @ ("==" | "!=") => {
                    let other = [Part::Left, Part::Right].iter().filter_map(|side| field(parent, side));
                    if !other.into_iter().any(|side| side != at && is_null(side)) || is_one_of && sign == "==" {
                        return None;
                    }
                    is_null_then ^= sign == "==";
                }
                _ => return None,
            },
            Kind::If if at.part() == Part::Condition => return Some((parent, is_null_then)),
            _ => return None,
        }
        at = parent;
    }
}

impl<'t> Builder<'t, '_> {
    /// What stands in the text for an array that is not declared in the region; `None` if others have a use for it, so that it stays in any case.
    pub(crate) fn outside(&self, object: Object) -> Option<Found<Outside>> {
        let data = &self.objects[object];
        let decl = &self.names.decls[data.decl];
        let is_own = match decl.kind {
            DeclKind::Local => true,
            DeclKind::Global => self.is_own_static(data.decl),
            _ => false,
        };
        let is_array = data.dims > 0 && !data.is_member && decl.of.is_array();
        (is_own && is_array).then(|| self.text_outside(data.decl))
    }

    /// A variable of the file that only this function names.
    pub(crate) fn is_own_static(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        let tree = self.facts.tree;
        if data.kind != DeclKind::Global || !data.typed.is_static || !tree.text[data.range.clone()].eq(&data.name) {
            return false;
        }
        let function = self.function.byte_range();
        let blank = self.facts.blank();
        let statement = global_statement(blank, &data.range);
        let outside = |at: usize| !function.contains(&at) && !statement.contains(&at);
        blank[statement.clone()].split_whitespace().any(|word| word == "static")
            && !places(blank, &data.name, 0..blank.len()).any(|place| outside(place.start))
    }

    fn text_outside(&self, decl: Decl) -> Found<Outside> {
        let data = &self.names.decls[decl];
        let tree = self.facts.tree;
        let blank = self.facts.blank();
        let declared = self.declared_item(decl, blank)?;
        let declarator = declared.all[declared.at].clone();
        let function = self.function.byte_range();
        let asserted = tree.uses.iter().filter(|used| used.name == "assert" && is_within(&used.range, &function));
        let mut items: Vec<Item> = asserted.filter_map(|used| asserts(blank, used.range.clone(), &data.name)).collect();
        let asserted: Vec<Range<usize>> = items.iter().map(|item| item.whole.clone()).collect();
        items.push(declared);
        let mut allocations: Vec<Node<'t>> =
            data.value.filter(|value| allocation(*value).is_some()).into_iter().collect();
        let names = self.names.occurrences.get(&decl).into_iter().flatten();
        let is_outside = |place: &Range<usize>| {
            !is_within(place, &self.region) || self.frees.iter().any(|free| is_within(place, free))
        };
        for name in names.filter(|node| node.kind() == Kind::Name && is_outside(&node.byte_range())) {
            let place = name.byte_range();
            if allocations.iter().any(|known| is_within(&place, &known.byte_range()))
                || asserted.iter().any(|known| is_within(&place, known))
            {
                continue;
            }
            let assigned = name.parent().filter(|parent| parent.kind() == Kind::Assign && name.part() == Part::Left);
            let value = assigned.and_then(|parent| field(parent, Part::Right));
            allocations.extend(value.filter(|value| allocation(*value).is_some()));
            items.push(self.item(*name)?);
        }
        // Whatever else has the name there would be left without it.
        let of_others = |place: &Range<usize>| {
            let is_it =
                |node: &Node<'t>| node.byte_range() == *place && matches!(node.kind(), Kind::Name | Kind::Variable);
            let named = descendants(self.function).find(is_it).and_then(Node::decl);
            named.is_some_and(|other| other != decl) || blank[..place.start].trim_end().ends_with(['.', '>'])
        };
        let is_covered = |place: &Range<usize>| {
            !is_outside(place)
                || is_within(place, &declarator)
                || items.iter().any(|item| {
                    item.all.get(item.at).is_some_and(|part| is_within(place, part))
                        || item.all.len() == 1 && is_within(place, &item.whole)
                })
                || allocations.iter().any(|value| is_within(place, &value.byte_range()))
        };
        if let Some(place) = places(blank, &data.name, function).find(|place| !is_covered(place) && !of_others(place)) {
            return Err(pinned("names it where that is not seen", place));
        }
        let size = self.size(decl, blank, &allocations);
        Ok(Outside { items, size })
    }

    /// The declaration of a variable among those that are declared with it.
    fn declared_item(&self, decl: Decl, blank: &str) -> Found<Item> {
        let data = &self.names.decls[decl];
        let not_seen = || pinned("declares it in a way that cannot be changed", data.range.clone());
        if data.range.is_empty() || blank.get(data.range.clone()) != Some(&data.name) {
            return Err(not_seen());
        }
        if let Some(variable) = data.statement.and_then(|statement| {
            fields(statement, Part::Variable).into_iter().find(|variable| variable.decl() == Some(decl))
        }) {
            return declared_item(variable, blank);
        }
        let whole = global_statement(blank, &data.range);
        let mut all = Vec::new();
        let mut start = whole.start;
        while start < whole.end {
            let end = end_of_part(blank, start);
            let before = blank[start..end].find(['[', '=']).map_or(end, |length| start + length);
            let text = blank[start..before].trim_end_matches(|c: char| !c.is_ascii() || !is_word(c as u8));
            let length = text.bytes().rev().take_while(|byte| is_word(*byte)).count();
            all.push(declarator(blank, &(start + text.len() - length..start + text.len())));
            start = end + 1;
        }
        let at = all.iter().position(|part| is_within(&data.range, part)).ok_or_else(not_seen)?;
        Ok(Item { whole, all, at, is_body: false })
    }

    /// The part of a statement that goes with a pointer that is named in it.
    fn item(&self, name: Node<'t>) -> Found<Item> {
        let mut at = name;
        while let Some(parent) = at.parent().filter(|parent| matches!(parent.kind(), Kind::Paren | Kind::Cast)) {
            at = parent;
        }
        let Some(parent) = at.parent() else { return Err(pinned("names it", name.byte_range())) };
        let assigned = field(parent, Part::Right).filter(|_| parent.kind() == Kind::Assign && at.part() == Part::Left);
        let is_set = assigned.is_some_and(|value| allocation(value).is_some() || is_null(value));
        if frees(parent) || is_set {
            let mut around = parent;
            while let Some(outer) = around.parent().filter(|outer| matches!(outer.kind(), Kind::Paren | Kind::Comma)) {
                around = outer;
            }
            if let Some(statement) = around.parent().filter(|outer| outer.kind() == Kind::ExpressionStatement) {
                let parts = operands(around);
                let at = parts.iter().position(|part| *part == parent);
                return self.part_of(statement, &parts, at);
            }
        }
        let is_sized = std::iter::successors(Some(parent), |around| around.parent())
            .take_while(|around| around.kind().is_expression())
            .any(|around| around.kind() == Kind::Sizeof);
        if is_sized {
            return Err(pinned("takes its size", name.byte_range()));
        }
        match tests(name) {
            Some((check, true)) if field(check, Part::Alternative).is_none() => {
                let condition = field(check, Part::Condition).expect("it was climbed to");
                let parts = alternatives(condition, name);
                let at = parts.iter().position(|part| is_within(&name.byte_range(), &part.byte_range()));
                self.part_of(check, &parts, at)
            }
            // `if (t) free(t);`
            Some((check, false)) if self.only_releases(check, name) => self.part_of(check, &[check], Some(0)),
            _ if parent.kind() == Kind::Call => {
                let to = callee(parent).map_or("a function".to_string(), |name| format!("`{name}`"));
                Err(pinned(format!("hands it to {to}"), name.byte_range()))
            }
            Some(_) => Err(pinned("does something else where it is there than where it is not", name.byte_range())),
            None => Err(pinned("names it", name.byte_range())),
        }
    }

    fn part_of(&self, statement: Node<'t>, parts: &[Node<'t>], at: Option<usize>) -> Found<Item> {
        let range = statement.byte_range();
        let is_written = statement.place().is_some() || statement.kind() == Kind::If;
        let at = at.filter(|_| is_written).ok_or_else(|| pinned("names it in a macro", range.clone()))?;
        let all: Vec<Range<usize>> = match parts {
            [only] if *only == statement => vec![range.clone()],
            _ => parts.iter().map(|part| part.byte_range()).collect(),
        };
        let is_apart = all.windows(2).all(|two| two[0].end <= two[1].start);
        if !is_apart {
            return Err(pinned("names it in a macro", range));
        }
        // Behind a label there is something else to go on with.
        let in_block = |node: Node<'t>| node.parent().is_some_and(|parent| parent.kind() == Kind::Block);
        let goes_on = statement
            .parent()
            .filter(|parent| parent.kind() == Kind::Label && in_block(*parent))
            .is_some_and(|label| {
                let mut behind =
                    label.parent().into_iter().flat_map(children).skip_while(|node| *node != label).skip(1);
                behind.next().is_some_and(|next| !matches!(next.kind(), Kind::Declaration | Kind::Definition))
            });
        let is_body = !in_block(statement) && !goes_on;
        Ok(Item { whole: range, all, at, is_body })
    }

    /// What a condition holds for does nothing but free the pointer.
    fn only_releases(&self, check: Node<'t>, name: Node<'t>) -> bool {
        let Some(body) = field(check, Part::Consequence) else { return false };
        let statements = if body.kind() == Kind::Block { children(body) } else { vec![body] };
        let mut parts = statements.into_iter().flat_map(|statement| match statement.kind() {
            Kind::ExpressionStatement => children(statement).into_iter().flat_map(operands).collect(),
            _ => vec![statement],
        });
        let is_it = |node: Option<Node<'_>>| node.map(uncast).and_then(Node::decl) == name.decl();
        field(check, Part::Alternative).is_none()
            && parts.all(|part| {
                frees(part) && is_it(arguments(part).first().copied())
                    || part.kind() == Kind::Assign
                        && is_it(field(part, Part::Left))
                        && field(part, Part::Right).is_some_and(is_null)
            })
    }

    /// Where the size of an array stands.
    fn size(&self, decl: Decl, blank: &str, allocations: &[Node<'t>]) -> Found<Size> {
        let data = &self.names.decls[decl];
        let not_written = || pinned("gives it its size in a way that cannot be changed", data.range.clone());
        let mut brackets = Vec::new();
        let mut at = data.range.end;
        loop {
            at += blank[at..].len() - blank[at..].trim_start_matches([' ', '\t', '\n', '\r', ')']).len();
            if !blank[at..].starts_with('[') {
                break;
            }
            let end = closing(blank, at).ok_or_else(not_written)?;
            brackets.push(at + 1..end);
            at = end + 1;
        }
        let extents = data.of.extents().len();
        let allocation = match (&data.of, allocations) {
            (CType::Pointer { .. }, [value]) => Some(call(*value).ok_or_else(not_written)?),
            (CType::Array { .. }, []) => None,
            _ => return Err(not_written()),
        };
        let is_all = brackets.len() + usize::from(allocation.is_some()) == extents;
        if is_all { Ok(Size { brackets, allocation }) } else { Err(not_written()) }
    }

    /// A text means the same from a place of the function to the end of the region: names in it are declared before, and nothing changes them.
    pub(crate) fn is_known_from(&self, text: &str, at: usize) -> bool {
        let is_fixed = |word: &str| {
            self.names.used().filter(|(_, data)| data.name == word).all(|(decl, data)| match data.kind {
                DeclKind::Parameter => !is_changed(decl, &self.names),
                DeclKind::Local => data.range.start < at && !is_changed(decl, &self.names),
                DeclKind::Global => data.typed.is_const,
                DeclKind::Constant(_) | DeclKind::Function | DeclKind::Undeclared => true,
            })
        };
        !text.contains(['.', '>']) && words(text).all(is_fixed)
    }
}

/// The declaration of a variable of a function among those that are declared with it.
pub(super) fn declared_item(variable: Node<'_>, blank: &str) -> Found<Item> {
    let tree = variable.tree();
    let not_seen = || pinned("declares it in a way that cannot be changed", variable.byte_range());
    let statement = variable.parent().filter(|parent| parent.kind() == Kind::Declaration).ok_or_else(not_seen)?;
    let variables = fields(statement, Part::Variable);
    let whole = statement.place().filter(|_| variables.len() == children(statement).len()).ok_or_else(not_seen)?;
    let in_block = statement.parent().is_some_and(|parent| parent.kind() == Kind::Block);
    let name = |variable: &Node<'_>| {
        let data = &tree.decls[variable.decl()?];
        (blank.get(data.range.clone()) == Some(&data.name)).then(|| data.range.clone())
    };
    let names: Option<Vec<Range<usize>>> = variables.iter().map(name).collect();
    let names = names.filter(|_| in_block).ok_or_else(not_seen)?;
    let at = variables.iter().position(|other| *other == variable).ok_or_else(not_seen)?;
    let all: Vec<Range<usize>> = names.iter().map(|name| declarator(blank, name)).collect();
    let end = all.last().map_or(whole.end, |last| last.end + 1);
    Ok(Item { whole: whole.start..end, all, at, is_body: false })
}

/// The operands of `||` of which one names a pointer; the condition if there are none.
fn alternatives<'t>(condition: Node<'t>, name: Node<'t>) -> Vec<Node<'t>> {
    let is_or = |node: &Node<'t>| node.kind() == Kind::Binary && operator(*node) == "||";
    let around = std::iter::successors(Some(name), |node| node.parent()).take_while(|node| node.kind() != Kind::If);
    let Some(outermost) = around.filter(is_or).last() else { return vec![condition] };
    let mut open = vec![outermost];
    let mut parts = Vec::new();
    while let Some(node) = open.pop() {
        if is_or(&bare(node)) {
            open.extend([Part::Right, Part::Left].iter().filter_map(|side| field(bare(node), side)));
        } else {
            parts.push(node);
        }
    }
    parts
}

/// What asks for memory in a value.
fn call(value: Node<'_>) -> Option<Allocation> {
    let call = uncast(value);
    let given = arguments(call);
    let place = |node: &Node<'_>| super::syntax::place(*node);
    let (first, last) = (given.first()?, given.last()?);
    let name = callee(call)?;
    let alignment = (given.len() == 2 && name.ends_with("aligned_alloc")).then(|| text(*first).to_string());
    call.place()?;
    Some(Allocation {
        arguments: place(first)?.start..place(last)?.end,
        has_count: name.ends_with("calloc"),
        alignment: alignment.filter(|text| !text.is_empty()),
    })
}

/// The assertions of a use of `assert` that a name stands in.
fn asserts(blank: &str, used: Range<usize>, name: &str) -> Option<Item> {
    let open = used.start + blank[used.clone()].find('(')?;
    let end = after_parentheses(blank, open).filter(|end| *end == used.end)?;
    let inside = open + 1..end - 1;
    let mut all = Vec::new();
    let (mut depth, mut start) = (0i32, inside.start);
    for at in inside.clone() {
        match &blank.as_bytes()[at..] {
            [b'(' | b'[', ..] => depth += 1,
            [b')' | b']', ..] => depth -= 1,
            [b'&', b'&', ..] if depth == 0 => {
                all.push(start..at);
                start = at + 2;
            }
            _ => {}
        }
    }
    all.push(start..inside.end);
    let at = all.iter().position(|part| {
        let plain: String = blank[part.clone()].split_whitespace().collect();
        plain == name
            || plain == format!("{name}!=NULL")
            || plain == format!("{name}!=0")
            || plain == format!("NULL!={name}")
    })?;
    let after = blank[used.end..].trim_start().starts_with(';');
    let whole = used.start..blank[used.end..].find(';').filter(|_| after).map(|more| used.end + more + 1)?;
    let before = blank[..used.start].trim_end();
    Some(Item { whole, all, at, is_body: !before.ends_with([';', '{', '}']) })
}

/// The bytes of a declared variable alone, of which this is the name: with the `*` before it, and what it is initialised with.
fn declarator(blank: &str, name: &Range<usize>) -> Range<usize> {
    let mut start = name.start;
    let mut before = blank[..start].trim_end();
    loop {
        if before.ends_with(['*', '(']) {
            start = before.len() - 1;
            before = before[..start].trim_end();
        } else {
            let word = before.len() - before.bytes().rev().take_while(|byte| is_word(*byte)).count();
            let is_qualifier =
                matches!(&before[word..], "const" | "restrict" | "__restrict" | "__restrict__" | "volatile");
            if !is_qualifier || !before[..word].trim_end().ends_with('*') {
                break;
            }
            before = before[..word].trim_end();
        }
    }
    start..end_of_part(blank, name.end)
}

/// The comma or semicolon outside of brackets that ends what begins at this byte.
fn end_of_part(blank: &str, start: usize) -> usize {
    let mut depth = 0i32;
    let length = blank.as_bytes()[start..].iter().position(|byte| {
        depth += match byte {
            b'(' | b'[' | b'{' => 1,
            b')' | b']' | b'}' => -1,
            _ => 0,
        };
        // A parenthesis before a name is closed behind it.
        matches!(byte, b',' | b';') && depth <= 0
    });
    length.map_or(blank.len(), |length| start + length)
}

/// The declaration of a variable of the file, of which this is the name.
fn global_statement(blank: &str, name: &Range<usize>) -> Range<usize> {
    let before = &blank[..name.start];
    let after = |end: Option<usize>| end.map_or(0, |end| end + 1);
    let mut start = after(before.rfind([';', '}']));
    let mut line = start;
    for text in before[start..].split_inclusive('\n') {
        line += text.len();
        if text.trim_start().starts_with('#') {
            start = line.min(name.start);
        }
    }
    start += before[start..].len() - before[start..].trim_start().len();
    start..blank[name.end..].find(';').map_or(blank.len(), |length| name.end + length + 1)
}

/// The bracket that closes the one at this byte.
fn closing(blank: &str, open: usize) -> Option<usize> {
    let mut depth = 0i32;
    let length = blank.as_bytes()[open..].iter().position(|byte| {
        depth += match byte {
            b'[' => 1,
            b']' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(open + length)
}

/// Where a name stands in a part of a text.
pub(super) fn places<'b>(
    blank: &'b str,
    name: &'b str,
    within: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'b {
    let bytes = blank.as_bytes();
    let found =
        blank[within.clone()].match_indices(name).map(move |(at, _)| within.start + at..within.start + at + name.len());
    found.filter(move |place| {
        !place.start.checked_sub(1).is_some_and(|before| is_word(bytes[before]))
            && !bytes.get(place.end).is_some_and(|after| is_word(*after))
    })
}
