//! Lists and dictionaries that are changed.
//!
//! What a list holds is known when a function is compiled, and so it is part of each variable that names the list. Its first name
//! tells which list it is: a change is made wherever this list is named. A list that a loop makes longer is an array of its items.

use super::call::Arguments;
use super::carried::Kept;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::types::Dtype;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand};
use frit_support::Span;

/// The first name of a list, before the number that tells which.
const LIST: &str = "[]";
/// The same of a dictionary.
const DICT: &str = "{}";
/// The same of a list that a loop makes longer. What it holds is one array.
const GROWN: &str = "[+]";

/// How many names are before those of what a list or dictionary holds.
pub(super) const HEAD: usize = 1;

/// The same of a list to which each iteration of a loop appends an item at most. What it holds is an array that has places for all,
/// and how many there are.
const COUNTED: &str = "[n]";

static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn fresh(kind: &str) -> String {
    format!("{kind}{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

impl Item {
    /// A list, which differs from a tuple as a subscript: it is an array of indices.
    pub(super) fn list(items: Vec<Item>) -> Self {
        Item::Named(vec![fresh(LIST)], items)
    }

    /// A dictionary: a name for each key.
    pub(super) fn dict(entries: Vec<(String, Item)>) -> Self {
        let (names, items): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        Item::Named([vec![fresh(DICT)], names].concat(), items)
    }

    /// True for the names of a list.
    pub(super) fn is_list(names: &[String]) -> bool {
        names.first().is_some_and(|name| name.starts_with(LIST))
    }

    /// The array that a list is which a loop makes longer.
    pub(super) fn grown(&self) -> Option<&Item> {
        match self {
            Item::Named(names, items) if names.first().is_some_and(|name| name.starts_with(GROWN)) => items.first(),
            _ => None,
        }
    }

    /// True for the names of a list to which each iteration appends an item at most.
    pub(super) fn is_counted(names: &[String]) -> bool {
        names.first().is_some_and(|name| name.starts_with(COUNTED))
    }

    /// True for the names of a dictionary.
    pub(super) fn is_dict(names: &[String]) -> bool {
        names.first().is_some_and(|name| name.starts_with(DICT))
    }

    /// The key of a dictionary that an item is: a string, or integers that are known.
    pub(super) fn key(&self) -> Option<String> {
        match self {
            Item::Text(text) => Some(format!("'{text}'")),
            Item::Number(number) => number.x.constant()?.as_i64().map(|value| value.to_string()),
            Item::Tuple(items) => items.iter().map(Item::key).collect::<Option<Vec<_>>>().map(|keys| keys.join(",")),
            _ => None,
        }
    }

    /// The keys of a dictionary with these names.
    pub(super) fn keys(names: &[String]) -> Vec<Item> {
        names[HEAD..].iter().map(|key| Item::of_key(key)).collect()
    }

    /// The key as an item.
    fn of_key(key: &str) -> Self {
        match key.strip_prefix('\'') {
            Some(text) => Item::Text(text.trim_end_matches('\'').to_string()),
            None => match key.parse() {
                Ok(value) => Item::int(value),
                Err(_) => Item::Tuple(key.split(',').map(Item::of_key).collect()),
            },
        }
    }
}

/// The names of a container where two ways meet on which it may be another one.
pub(super) fn met(one: &[String], other: &[String]) -> Option<Vec<String>> {
    if one == other {
        return Some(one.to_vec());
    }
    let kind = [LIST, DICT, GROWN, COUNTED]
        .into_iter()
        .find(|kind| [one, other].iter().all(|names| names.first().is_some_and(|name| name.starts_with(kind))))?;
    (one[HEAD..] == other[HEAD..]).then(|| [vec![kind.to_string()], one[HEAD..].to_vec()].concat())
}

/// What is handed on of a list that iterations make longer, if they do.
pub(super) fn growth(names: &[String], count: usize, others: &[String], items: &[Item]) -> Option<Kept> {
    let which = names.first()?.strip_prefix(LIST)?;
    let is_array = others.first()?.strip_prefix(GROWN) == Some(which);
    if !is_array && (others.first()?.strip_prefix(LIST) != Some(which) || items.len() <= count) {
        return None;
    }
    let item = items.last()?;
    let axes = vec![None; usize::from(!is_array) + shape_of(item).len()];
    let ty = operand_type(item);
    let array = Kept::Array(ty.elem, axes);
    let array = if ty.is_complex { Kept::Complex(Box::new([array.clone(), array])) } else { array };
    Some(Kept::Named(vec![format!("{GROWN}{which}")], vec![array]))
}

/// The same for a list to which each iteration appends an item at most, if the shape of items is known before the loop.
pub(super) fn counted_growth(kept: &Kept, item: &Item, is_known: impl Fn(Extent) -> bool) -> Option<Kept> {
    let Kept::Named(names, parts) = kept else { return None };
    let which = names[0].strip_prefix(GROWN)?;
    let (Kept::Array(elem, axes), Item::Named(_, items)) = (parts.first()?, item) else { return None };
    let row = shape_of(items.last()?);
    let row = if item.grown().is_some() { row.get(1..)? } else { row };
    if axes.len() != row.len() + 1 || !row.iter().all(|&extent| is_known(extent)) {
        return None;
    }
    let axes = [vec![None], row.iter().copied().map(Some).collect()].concat();
    let names = vec![format!("{COUNTED}{which}")];
    Some(Kept::Named(names, vec![Kept::Array(*elem, axes), Kept::Number(Scalar::I64, true)]))
}

impl Lowering<'_> {
    /// A list before a loop of so many iterations to each of which it is appended an item at most, with places for all.
    pub(super) fn before_counted(
        &mut self,
        kept: &Kept,
        old: &Item,
        count: Option<Operand>,
        span: Span,
    ) -> Result<Option<Item>> {
        let (Kept::Named(names, parts), Item::Named(_, items)) = (kept, old) else { return Ok(None) };
        let (true, Some(Kept::Array(elem, axes)), Some(count)) = (names[0].starts_with(COUNTED), parts.first(), count)
        else {
            return Ok(None);
        };
        let first = Operand::i64(items.len() as i64);
        let places = self.add(first, count);
        let rows = axes[1..].iter().map(|extent| extent.expect("the shape of items is known"));
        let shape: Vec<Extent> = std::iter::once(places.extent()).chain(rows).collect();
        let zero = Operand::Const(elem.zero());
        let value = self.generate(shape, *elem, |_, _| Ok(zero))?;
        let array = Item::Array(self.fresh(value));
        for (at, item) in items.iter().enumerate() {
            self.store(&array, &Item::int(at as i64), item.clone(), span)?;
        }
        Ok(Some(Item::Named(names.clone(), vec![array, Item::Number(Number::int(first))])))
    }

    /// What such a list is after the loop.
    pub(super) fn after_counted(&mut self, item: Item, span: Span) -> Result<Item> {
        let Item::Named(names, items) = &item else { return Ok(item) };
        let (Some(which), [array, Item::Number(count)]) = (names[0].strip_prefix(COUNTED), &items[..]) else {
            return Ok(item);
        };
        let all = self.subscript(array, &Item::Slice([None, Some(*count), None]), span)?;
        Ok(Item::Named(vec![format!("{GROWN}{which}")], vec![all]))
    }

    /// A list before a loop that makes it longer, as what is handed on.
    pub(super) fn before_growth(&mut self, kept: &Kept, old: &Item, span: Span) -> Result<Option<Item>> {
        let (Kept::Named(names, parts), Item::Named(_, items)) = (kept, old) else { return Ok(None) };
        if !names[0].starts_with(GROWN) || old.grown().is_some() {
            return Ok(None);
        }
        let (elem, rank, is_complex) = match &parts[0] {
            Kept::Array(elem, axes) => (*elem, axes.len(), false),
            Kept::Complex(both) => match &both[0] {
                Kept::Array(elem, axes) => (*elem, axes.len(), true),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let made = if items.is_empty() {
            let zero = Operand::Const(elem.zero());
            let empty = self.generate(vec![Extent::Const(0); rank], elem, |_, _| Ok(zero))?;
            Item::Array(self.fresh(empty))
        } else {
            self.array_like(&Item::Tuple(items.clone()), span)?
        };
        let made = self.as_type(&made, Dtype { elem, is_complex }, span)?;
        Ok(Some(Item::Named(names.clone(), vec![made])))
    }

    /// Appends an item to a list that is an array.
    fn append_to_array(&mut self, names: &[String], array: &Item, item: &Item, span: Span) -> Result<Item> {
        let row = self.array_like(&Item::Tuple(vec![item.clone()]), span)?;
        let row = self.as_type(&row, operand_type(array).dtype(), span)?;
        // The first row tells the shape of all.
        let whole = self.library_call("numpy.appended", vec![array.clone(), row], span)?;
        self.replace_container(&names[0].clone(), &Item::Named(names.to_vec(), vec![whole]));
        Ok(Item::None)
    }

    /// `list[index] = item`, and of a dictionary.
    pub(super) fn store_in_container(&mut self, of: &Item, index: &Item, item: Item, span: Span) -> Result<()> {
        let Item::Named(names, items) = of else {
            return Err(self.wrong_type(span, format!("parts of {} cannot be assigned", of.name())));
        };
        let (mut new_names, mut new) = (names.clone(), items.clone());
        if Item::is_dict(names) {
            let Some(key) = index.key() else { return Err(self.not_compiled(span, "a key of this type", "")) };
            match names.iter().position(|name| *name == key) {
                Some(at) => new[at - HEAD] = item,
                None => {
                    new_names.push(key);
                    new.push(item);
                }
            }
        } else if Item::is_list(names) {
            let at = self.constant_integer(index, span)?;
            let at = if at < 0 { at + items.len() as i64 } else { at };
            match usize::try_from(at).ok().and_then(|at| new.get_mut(at)) {
                Some(place) => *place = item,
                None => return Err(self.wrong_type(span, format!("a list of {} has no item {at}", items.len()))),
            }
        } else {
            return Err(self.wrong_type(span, "parts of a tuple cannot be assigned"));
        }
        self.replace_container(&names[0].clone(), &Item::Named(new_names, new));
        Ok(())
    }

    /// A method of a list or dictionary.
    pub(super) fn container_method(
        &mut self,
        names: &[String],
        items: &[Item],
        arguments: &mut Arguments,
    ) -> Result<Item> {
        let span = arguments.span;
        let name = arguments.name.clone();
        if let ([array, Item::Number(count)], true, "append") = (items, names[0].starts_with(COUNTED), name.as_str()) {
            let item = arguments.need(1, "object")?;
            self.store(array, &Item::Number(*count), item, span)?;
            let next = Item::Number(Number::int(self.add(count.x, Operand::i64(1))));
            self.replace_container(&names[0].clone(), &Item::Named(names.to_vec(), vec![array.clone(), next]));
            return Ok(Item::None);
        }
        if let (Some(array), "append") = (Item::Named(names.to_vec(), items.to_vec()).grown(), name.as_str()) {
            let item = arguments.need(1, "object")?;
            return self.append_to_array(names, array, &item, span);
        }
        let list = |items: Vec<Item>| Item::Named(names.to_vec(), items);
        let mut new = items.to_vec();
        if names[0].starts_with(COUNTED) {
            return Err(self.not_compiled(
                span,
                &format!("the method `{name}` of a list that a loop makes longer"),
                "",
            ));
        }
        match (name.as_str(), Item::is_list(names)) {
            ("append", true) => new.push(arguments.need(1, "object")?),
            ("extend", true) => {
                let more = arguments.need(1, "iterable")?;
                new.extend(self.parts(more, span)?);
            }
            ("insert", true) => {
                let at = arguments.need(1, "index")?;
                let at = usize::try_from(self.constant_integer(&at, span)?).unwrap_or(0);
                new.insert(at.min(new.len()), arguments.need(2, "object")?);
            }
            ("reverse", true) => new.reverse(),
            ("clear", true) => new.clear(),
            ("pop", true) => {
                let at = arguments.take(1, "index").unwrap_or(Item::int(-1));
                let at = self.constant_integer(&at, span)?;
                let at = usize::try_from(if at < 0 { at + new.len() as i64 } else { at }).unwrap_or(usize::MAX);
                if at >= new.len() {
                    return Err(self.wrong_type(span, "the list has no such item"));
                }
                let item = new.remove(at);
                self.replace_container(&names[0].clone(), &list(new));
                return Ok(item);
            }
            ("copy", true) => return Ok(Item::list(new)),
            ("copy", false) => return Ok(Item::dict(names[HEAD..].iter().cloned().zip(new).collect())),
            ("get", false) => {
                let key = arguments.need(1, "key")?;
                let default = arguments.take(2, "default").unwrap_or(Item::None);
                let Some(key) = key.key() else { return Err(self.not_compiled(span, "a key of this type", "")) };
                return Ok(names.iter().position(|name| *name == key).map_or(default, |at| items[at - HEAD].clone()));
            }
            ("values", false) => return Ok(Item::Tuple(new)),
            ("keys", false) => return Ok(Item::Tuple(Item::keys(names))),
            ("items", false) => {
                let entries = Item::keys(names).into_iter().zip(new);
                return Ok(Item::Tuple(entries.map(|(key, item)| Item::Tuple(vec![key, item])).collect()));
            }
            _ => return Err(self.not_compiled(span, &format!("the method `{name}`"), "")),
        }
        self.replace_container(&names[0].clone(), &list(new));
        Ok(Item::None)
    }

    /// Makes a change wherever a list or dictionary is named.
    pub(super) fn replace_container(&mut self, which: &str, new: &Item) {
        for item in self.state.scopes.iter_mut().flat_map(|scope| scope.values_mut()) {
            replace(item, which, new);
        }
    }
}

fn replace(item: &mut Item, which: &str, new: &Item) {
    match item {
        Item::Named(names, _) if names.first().is_some_and(|name| name == which) => *item = new.clone(),
        Item::Named(_, items) | Item::Tuple(items) | Item::Zip(items) | Item::Product(items) => {
            items.iter_mut().for_each(|item| replace(item, which, new));
        }
        Item::Perhaps(item, _) => replace(item, which, new),
        _ => {}
    }
}
