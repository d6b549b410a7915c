//! Which objects may overlap.
//!
//! Pointers that are parameters of the function point to what was there when it was called, so not to its own arrays; `restrict` and the types of
//! elements, by C's rule of effective types, exclude more. What is only read may overlap as it likes. Read `finish` next.

use super::builder::{Builder, Object, ObjectData};
use super::names::{Decl, DeclKind};
use super::writes::Escape;
use crate::ast::{CType, Kind, Node, Part};
use std::collections::{BTreeMap, BTreeSet};

/// Where an object's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A variable of the function, or what was allocated for it; true if a pointer to it is stored somewhere.
    Own(bool),
    /// Behind a `restrict` pointer; true if the pointer is stored somewhere.
    Restrict(bool),
    /// Behind a pointer that the function is given.
    Given,
    /// A variable of the file.
    Global,
    /// Behind a pointer that exchanges its value with others, which point to memory of the function or behind `restrict` pointers.
    Exchanged,
    /// Behind any other pointer.
    Wild,
}

/// The objects in classes; only those of one class may overlap.
pub(crate) fn classes(builder: &Builder<'_, '_>, objects: &[Object], written: &BTreeSet<Object>) -> Vec<Vec<Object>> {
    let origins: BTreeMap<Object, Origin> = objects.iter().map(|object| (*object, origin(builder, *object))).collect();
    let mut classes: Vec<Vec<Object>> = Vec::new();
    for object in objects {
        let meets = |class: &Vec<Object>| {
            class.iter().any(|other| {
                (written.contains(object) || written.contains(other)) && may_overlap(builder, &origins, *object, *other)
            })
        };
        let (mut joined, mut apart) = (Vec::new(), Vec::new());
        for class in std::mem::take(&mut classes) {
            if meets(&class) { joined.extend(class) } else { apart.push(class) }
        }
        joined.push(*object);
        classes = apart;
        classes.push(joined);
    }
    classes.iter_mut().for_each(|class| class.sort());
    classes.sort();
    classes
}

fn may_overlap(builder: &Builder<'_, '_>, origins: &BTreeMap<Object, Origin>, one: Object, two: Object) -> bool {
    use Origin::{Exchanged, Given, Global, Own, Restrict, Wild};
    if let Some(may_be_same) = builder.may_be_same_buffer(one, two) {
        return may_be_same;
    }
    if let Some(overlap) = within_structure(builder, one, two) {
        return overlap;
    }
    if builder.options.assume_no_alias {
        return false;
    }
    let of = |object: Object| {
        let data = &builder.objects[object];
        if data.dims == 0 { &data.of } else { data.of.element() }
    };
    if !of(one).may_alias(of(two)) {
        return false;
    }
    let group = |object: Object| builder.exchange(object).map(|exchange| exchange.group);
    if group(one).is_some() && group(one) == group(two) {
        return false;
    }
    match (origins[&one], origins[&two]) {
        (Own(_), Own(_)) | (Global, Global) | (Exchanged, Exchanged) => false,
        (Own(stored) | Restrict(stored), Wild | Exchanged) | (Wild | Exchanged, Own(stored) | Restrict(stored)) => {
            stored
        }
        (Exchanged, Wild) | (Wild, Exchanged) => true,
        (Exchanged, _) | (_, Exchanged) => false,
        (Own(_) | Restrict(_), _) | (_, Own(_) | Restrict(_)) => false,
        (Given | Global | Wild, Given | Global | Wild) => true,
    }
}

/// Whether two objects of which one is an array in a structure overlap, where the other is the structure or another array in it; `None` for others.
fn within_structure(builder: &Builder<'_, '_>, one: Object, two: Object) -> Option<bool> {
    let (one, two) = (&builder.objects[one], &builder.objects[two]);
    // Behind a pointer that is a member is other memory.
    let is_in = |data: &ObjectData| {
        let path = data.name.strip_prefix(&builder.names.decls[data.decl].name).unwrap_or(&data.name);
        let path = path.strip_prefix("->").unwrap_or(path);
        data.is_member && matches!(data.of, CType::Array { .. }) && !path.contains("->") && !path.contains('[')
    };
    let is_all = |data: &ObjectData| !data.is_member;
    if one.decl != two.decl || !(is_in(one) && (is_in(two) || is_all(two)) || is_in(two) && is_all(one)) {
        return None;
    }
    Some(!(one.is_inline && two.is_inline))
}

fn origin(builder: &Builder<'_, '_>, object: Object) -> Origin {
    let data = &builder.objects[object];
    let decl = &builder.names.decls[data.decl];
    let stored = builder.escape(data.decl) != Escape::None;
    let is_global = decl.is_global();
    if data.dims == 0 {
        return if is_global { Origin::Global } else { Origin::Own(builder.taken.contains(&data.decl)) };
    }
    if builder.exchange(object).is_some_and(|exchange| exchange.is_own) {
        return Origin::Exchanged;
    }
    match &data.of {
        CType::Pointer { is_restrict: true, .. } => Origin::Restrict(builder.escape(data.decl) == Escape::Stored),
        // Its address may be stored without the variable's being so.
        _ if data.is_inline => match &decl.of {
            CType::Struct { .. } if is_global => Origin::Global,
            CType::Struct { .. } => Origin::Own(true),
            CType::Pointer { is_restrict: true, .. } => Origin::Restrict(true),
            CType::Pointer { .. } if decl.kind == DeclKind::Parameter && !is_assigned(builder, data.decl) => {
                Origin::Given
            }
            _ => Origin::Wild,
        },
        _ if data.is_member => Origin::Wild,
        CType::Pointer { .. } if builder.is_allocated(data.decl) => Origin::Own(stored),
        CType::Pointer { .. } if decl.kind == DeclKind::Parameter && !is_assigned(builder, data.decl) => Origin::Given,
        CType::Pointer { .. } => Origin::Wild,
        _ if is_global => Origin::Global,
        _ => Origin::Own(stored),
    }
}

/// Whether a pointer is ever changed in the function.
fn is_assigned(builder: &Builder<'_, '_>, decl: Decl) -> bool {
    let changes = |node: &Node<'_>| {
        let mut at = *node;
        while let Some(parent) = at.parent().filter(|parent| parent.kind() == Kind::Paren) {
            at = parent;
        }
        at.parent().is_some_and(|parent| match parent.kind() {
            Kind::Assign => at.part() == Part::Left,
            Kind::Update => true,
            _ => false,
        })
    };
    builder.taken.contains(&decl) || builder.names.occurrences.get(&decl).is_some_and(|all| all.iter().any(changes))
}
