//! Declarations of variables and arrays in the new text: those of the source that stay, and new ones, with what they allocate.

use super::blocks::{Block, Part, PartKind};
use super::lexical::{blanked, has_word};
use super::loops::{Context, Printer};
use super::names::Names;
use super::placement::{Cell, Declared, Placement};
use super::storage::{Change, Extent, NewArray, Place};
use crate::region::{CArray, Form, HoleKind, Storage};
use frit_scop::Array;
use frit_scop::model::Home;
use frit_scop::program::Instance;
use frit_scop::recompute::Operand;
use std::collections::{BTreeMap, BTreeSet};

/// What is declared where, and how.
pub(super) struct Declarations<'a> {
    context: &'a Context<'a>,
    /// By block and part: what is declared before it.
    before: BTreeMap<(usize, usize), Vec<Item>>,
    /// By block and part: what is freed after it.
    after: BTreeMap<(usize, usize), Vec<Item>>,
    names: Names,
    /// The names that arrays had where they were declared before: their other declarations get the same ones, if these are free.
    given: BTreeMap<Array, Vec<String>>,
}

/// Something to declare.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// An array of the source, as there.
    Source(Array),
    /// A new array, or these of its variables.
    New(Array, Vec<Cell>),
    /// An array that lies where another one is.
    Shared {
        /// The array.
        array: Array,
        /// The one whose memory it uses.
        owner: Array,
    },
}

impl<'a> Declarations<'a> {
    /// Collects what is to be declared.
    pub(super) fn new(context: &'a Context<'a>, placement: &Placement, region: &Block, names: Names) -> Self {
        let mut lives: Vec<(Item, (usize, usize), usize)> = Vec::new();
        for (&place, declared) in &placement.before {
            lives.extend(
                declared.iter().map(|Declared { array, last, cells }| (Item::New(*array, cells.clone()), place, *last)),
            );
        }
        for &origin in &context.plan.declared {
            let uses = |part: &Part| {
                let is_part = |array: &Array| {
                    context.transformed.scop.arrays[*array].origin == origin
                        && matches!(context.plan.places[*array], Place::Source(_))
                };
                part.uses.iter().any(is_part)
            };
            // A pointer into it may be given its value before.
            let is_pinned = context.region.arrays[origin].is_pinned;
            let first = region.parts.iter().position(uses).filter(|_| !is_pinned).unwrap_or(0);
            let last = region.parts.iter().rposition(uses).unwrap_or(region.parts.len().saturating_sub(1));
            lives.push((Item::Source(origin), (region.id, first), last));
        }
        share(context, region.id, &mut lives);
        let mut found =
            Declarations { context, before: BTreeMap::new(), after: BTreeMap::new(), names, given: BTreeMap::new() };
        for (item, place, last) in lives {
            if found.is_freed(&item) {
                found.after.entry((place.0, last)).or_default().push(item.clone());
            }
            found.before.entry(place).or_default().push(item);
        }
        found
    }

    /// Something is declared in the block.
    pub(super) fn is_at(&self, block: &Block) -> bool {
        self.before.range((block.id, 0)..=(block.id, usize::MAX)).next().is_some()
    }

    /// Its memory is given back in the region.
    fn is_freed(&self, item: &Item) -> bool {
        match item {
            Item::Source(origin) => self.context.region.arrays[*origin]
                .declaration
                .as_ref()
                .is_some_and(|declaration| matches!(declaration.storage, Storage::Heap { is_freed: true, .. })),
            Item::New(array, _) => matches!(&self.context.plan.places[*array], Place::Array(new) if new.is_heap),
            Item::Shared { .. } => false,
        }
    }

    /// The type before a variable that is declared by its first assignment.
    pub(super) fn prefix(&self, array: Array) -> String {
        typed(&self.source(array).element, "")
    }

    fn source(&self, array: Array) -> &'a CArray {
        &self.context.region.arrays[self.context.transformed.scop.arrays[array].origin]
    }

    /// A function of the library: as the source calls it, or built into compilers if the source does not know it.
    fn library(&self, function: &str) -> String {
        let is_known = has_word(self.context.blank, function) || self.context.file.text.contains("<stdlib.h>");
        if is_known { function.into() } else { format!("__builtin_{function}") }
    }

    fn new_names(&mut self, in_reach: &BTreeSet<&str>, array: Array, count: usize, block: &Block) -> Vec<String> {
        let c_array = self.source(array);
        let name = &c_array.name;
        let region = &self.context.region.range;
        // The block of the region is the source's, which may have something of this name outside of the region.
        let is_outer = block.id == 0
            && self.context.transformed.scop.arrays[array].home != Home::Region
            && (has_word(&self.context.blank[..region.start], name)
                || has_word(&self.context.blank[region.end..], name));
        // A part of the same array of the source may be declared there already.
        let is_declared =
            block.id == 0 && self.context.plan.declared.contains(&self.context.transformed.scop.arrays[array].origin);
        // The source's own declaration goes, with all else that has the name.
        let origin = self.context.transformed.scop.arrays[array].origin;
        let is_gone = self.context.plan.outside.get(&origin) == Some(&Change::Gone);
        let is_own = (is_gone || c_array.declaration.is_some() && !is_outer)
            && !is_declared
            && !in_reach.contains(name.as_str())
            && !block.words.contains(name);
        if count == 1 && is_own {
            return vec![name.clone()];
        }
        let is_free = |names: &&Vec<String>| !names.iter().any(|name| in_reach.contains(name.as_str()));
        match self.given.get(&array).filter(is_free) {
            Some(names) => names.clone(),
            None => {
                let names = self.names.fresh(name, count);
                self.given.insert(array, names.clone());
                names
            }
        }
    }
}

/// Lets arrays lie in the memory of others where C allows it: both in the region's own block, with elements of one type.
fn share(context: &Context, region: usize, lives: &mut [(Item, (usize, usize), usize)]) {
    let mut owners: BTreeMap<Array, Array> = BTreeMap::new();
    let source = |array: Array| &context.region.arrays[context.transformed.scop.arrays[array].origin];
    let is_alike = |owner: Array, array: Array| {
        let (owner, array) = (source(owner), source(array));
        owner.element == array.element && (array.alignment.is_empty() || owner.alignment == array.alignment)
    };
    let is_array = |array: Array| match &context.plan.places[array] {
        Place::Array(_) => true,
        Place::Source(dims) => !dims.is_empty(),
        Place::Cells(_) | Place::Unknown => false,
    };
    for &(array, owner) in &context.transformed.shares {
        let owner = owners.get(&owner).copied().unwrap_or(owner);
        if !is_alike(owner, array) || !is_array(owner) || !is_array(array) || owner == array {
            continue;
        }
        let position = |lives: &[(Item, (usize, usize), usize)], array: Array| {
            let origin = context.transformed.scop.arrays[array].origin;
            let is_in_source = matches!(context.plan.places[array], Place::Source(_));
            lives.iter().position(|(item, place, _)| {
                place.0 == region
                    && match item {
                        Item::Source(found) => is_in_source && *found == origin,
                        Item::New(found, _) | Item::Shared { array: found, .. } => *found == array,
                    }
            })
        };
        let Some(at) = position(lives, array) else { continue };
        if matches!(lives[at].0, Item::Source(origin) if context.plan.staying.contains(&origin)) {
            continue;
        }
        let is_outside = matches!(context.plan.places[owner], Place::Source(_))
            && context.region.arrays[context.transformed.scop.arrays[owner].origin].declaration.is_none();
        let owner_at = position(lives, owner);
        if !is_outside && owner_at.is_none() {
            continue;
        }
        if let Some(owner_at) = owner_at {
            let (first, last) = (lives[at].1, lives[at].2);
            let life = &mut lives[owner_at];
            life.1 = life.1.min(first);
            life.2 = life.2.max(last);
        }
        lives[at].0 = Item::Shared { array, owner };
        owners.insert(array, owner);
    }
    // An owner is declared before what lies in it.
    lives.sort_by_key(|(item, place, _)| (*place, matches!(item, Item::Shared { .. })));
}

impl Printer<'_> {
    /// Declares what is first used by this part of the block, but for the variable that the part itself declares.
    pub(super) fn declare(&mut self, block: &Block, at: usize) -> Result<Option<Array>, String> {
        let Some(items) = self.declarations.before.remove(&(block.id, at)) else { return Ok(None) };
        let mut merged = None;
        // Variables of one type share a line.
        let mut scalars: Vec<(String, Vec<String>)> = Vec::new();
        let mut arrays = Vec::new();
        for item in items {
            let mut add =
                |element: &str, names: Vec<String>| match scalars.iter_mut().find(|(other, _)| other == element) {
                    Some((_, others)) if !element.ends_with('*') => others.extend(names),
                    _ => scalars.push((element.to_owned(), names)),
                };
            match item {
                Item::Source(origin) => {
                    let c_array = &self.context.region.arrays[origin];
                    if c_array.form != Form::Scalar {
                        arrays.push(item);
                    } else if let Some(array) = self.merged(&block.parts[at], |array| {
                        self.context.transformed.scop.arrays[array].origin == origin
                            && matches!(self.context.plan.places[array], Place::Source(_))
                    }) {
                        merged = Some(array);
                    } else {
                        add(&c_array.element, vec![c_array.name.clone()]);
                    }
                }
                Item::New(array, ref cells) => {
                    let count = match self.context.plan.places[array] {
                        Place::Cells(count) => count,
                        _ => 1,
                    };
                    let names = self.name_new(array, count, block);
                    if let Place::Array(_) = self.context.plan.places[array] {
                        arrays.push(item);
                        continue;
                    }
                    let mut cells = cells.as_slice();
                    // The variable that is written first is the newest one.
                    if let [Cell { number: 0, is_exposed: false }, others @ ..] = cells
                        && self.merged(&block.parts[at], |other| other == array).is_some()
                    {
                        merged = Some(array);
                        cells = others;
                    }
                    let element = &self.declarations.source(array).element;
                    let zero = if is_arithmetic(element) { " = 0" } else { " = { 0 }" };
                    let declared = |cell: &Cell| {
                        let name = names.get(cell.number).ok_or("a variable without a name")?;
                        Ok(format!("{name}{}", if cell.is_exposed { zero } else { "" }))
                    };
                    let declared: Vec<String> = cells.iter().map(declared).collect::<Result<_, &str>>()?;
                    if !declared.is_empty() {
                        add(element, declared);
                    }
                }
                Item::Shared { array, .. } => {
                    if let Place::Array(_) = self.context.plan.places[array] {
                        self.name_new(array, 1, block);
                    }
                    arrays.push(item);
                }
            }
        }
        for (element, names) in scalars {
            self.line(format!("{};", typed(&element, &names.join(", "))));
        }
        for item in arrays {
            self.declare_array(item)?;
        }
        Ok(merged)
    }

    /// Names a new variable or array.
    fn name_new(&mut self, array: Array, count: usize, block: &Block) -> Vec<String> {
        let variables = self.variables.values().map(|variable| variable.name.as_str());
        let in_reach = variables.chain(self.arrays.values().flatten().map(String::as_str)).collect();
        let names = self.declarations.new_names(&in_reach, array, count, block);
        self.arrays.insert(array, names.clone());
        names
    }

    /// Frees what is not needed after this part of the block.
    pub(super) fn release(&mut self, block: &Block, at: usize) {
        for item in self.declarations.after.remove(&(block.id, at)).unwrap_or_default() {
            let name = match item {
                Item::Source(origin) => Some(self.context.region.arrays[origin].name.clone()),
                Item::New(array, _) | Item::Shared { array, .. } => {
                    self.arrays.get(&array).map(|names| names[0].clone())
                }
            };
            if let Some(name) = name {
                let free = self.declarations.library("free");
                self.line(format!("{free}({name});"));
            }
        }
    }

    fn declare_array(&mut self, item: Item) -> Result<(), String> {
        match item {
            Item::Source(origin) => {
                let c_array = &self.context.region.arrays[origin];
                let declaration = c_array.declaration.as_ref().ok_or("an array of the region is not declared in it")?;
                match &declaration.storage {
                    Storage::Automatic => self.line(format!("{};", declaration.text)),
                    Storage::Heap { allocation, .. } => self.line(format!("{} = {allocation};", declaration.text)),
                }
            }
            Item::New(array, _) => {
                let Place::Array(new) = &self.context.plan.places[array] else { return Ok(()) };
                let source = self.declarations.source(array);
                let (element, alignment) = (source.element.clone(), source.alignment.clone());
                let name = self.arrays[&array][0].clone();
                if new.is_heap {
                    let malloc = self.declarations.library("malloc");
                    let (declarator, outer) = pointer(&name, new);
                    let outer: String = outer.iter().map(|extent| format!(" * {}", extent.allocated())).collect();
                    self.line(format!("{} = {malloc}(sizeof *{name}{outer});", typed(&element, &declarator)));
                    if new.is_checked {
                        let abort = self.declarations.library("abort");
                        self.line(format!("if (!{name}) {abort}();"));
                    }
                } else if new.is_linear {
                    let product: Vec<String> = new.extents.iter().map(Extent::allocated).collect();
                    let declarator = format!("{name}[{}]", product.join(" * "));
                    self.line(format!("{alignment}{};", typed(&element, &declarator)));
                } else {
                    let extents: String = new.extents.iter().map(Extent::brackets).collect();
                    self.line(format!("{alignment}{};", typed(&element, &format!("{name}{extents}"))));
                }
            }
            Item::Shared { array, owner } => {
                let c_array = self.declarations.source(array);
                let name = self.name(array);
                let owner = self.name(owner);
                let declarator = match &self.context.plan.places[array] {
                    Place::Array(new) => pointer(&name, new).0,
                    _ if c_array.form == Form::Nested && c_array.extents.len() > 1 => {
                        let inner =
                            c_array.extents[1..].iter().map(|extent| extent.as_deref().map(|text| format!("[{text}]")));
                        let inner: Option<String> = inner.collect();
                        format!("(*{name}){}", inner.ok_or("the extents of an array that shares memory are not known")?)
                    }
                    _ => format!("*{name}"),
                };
                self.line(format!("{} = (void *){owner};", typed(&c_array.element, &declarator)));
            }
        }
        Ok(())
    }

    /// What an array is called here.
    fn name(&self, array: Array) -> String {
        let new = self.arrays.get(&array).and_then(|names| names.first());
        new.unwrap_or(&self.declarations.source(array).name).clone()
    }

    /// The variable that is assigned first of all by this statement, so that the assignment can declare it.
    fn merged(&self, part: &Part, is_wanted: impl Fn(Array) -> bool) -> Option<Array> {
        let PartKind::Instance(instance) = &part.kind else { return None };
        let Instance { statement, .. } = instance;
        let evaluation = &self.context.transformed.statements[*statement];
        let template = &self.context.region.statements[evaluation.statement];
        let accesses = &self.context.transformed.scop.statements[*statement].accesses;
        let first = template.holes.first().filter(|hole| hole.range.start == template.range.start)?;
        let HoleKind::Access(positions) = &first.kind else { return None };
        let access = |&position: &usize| match evaluation.operands.get(position)? {
            Operand::Access(at) => accesses.get(*at),
            Operand::Value(_) | Operand::Result => None,
        };
        let access = positions.iter().filter_map(access).find(|access| access.is_certain())?;
        let is_only = accesses.iter().filter(|other| other.array == access.array).count() == 1;
        let rest = blanked(self.context.file.text.get(first.range.end..template.range.end)?);
        // What else is read there is another variable now.
        let is_assignment =
            positions.len() > 1 || rest.trim_start().strip_prefix('=').is_some_and(|value| !value.starts_with('='));
        (is_only && is_assignment && !has_comma(&rest) && is_wanted(access.array)).then_some(access.array)
    }
}

/// A pointer to the first row of an array, and the extents of what is to be allocated for it.
fn pointer<'n>(name: &str, new: &'n NewArray) -> (String, &'n [Extent]) {
    if new.is_linear || new.extents.len() == 1 {
        return (format!("*{name}"), &new.extents);
    }
    let inner: String = new.extents[1..].iter().map(Extent::brackets).collect();
    (format!("(*{name}){inner}"), &new.extents[..1])
}

/// A type and what it declares.
fn typed(element: &str, declarator: &str) -> String {
    if element.ends_with('*') { format!("{element}{declarator}") } else { format!("{element} {declarator}") }
}

/// Surely a number, so that `0` is a value of it.
fn is_arithmetic(element: &str) -> bool {
    let is_number = |word: &str| {
        let is_keyword = matches!(
            word,
            "float" | "double" | "int" | "char" | "short" | "long" | "unsigned" | "signed" | "_Bool" | "bool"
        );
        is_keyword || matches!(word, "size_t" | "ptrdiff_t") || word.starts_with("int") || word.starts_with("uint")
    };
    element.split_whitespace().all(is_number)
}

/// A comma outside of all parentheses: what follows is another expression, or would be another variable.
fn has_comma(blank: &str) -> bool {
    let mut depth = 0i64;
    blank.bytes().any(|byte| {
        depth += match byte {
            b'(' | b'[' | b'{' => 1,
            b')' | b']' | b'}' => -1,
            _ => 0,
        };
        byte == b',' && depth == 0
    })
}
