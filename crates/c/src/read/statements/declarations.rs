//! Variables that a region declares, and pointers that are rows of arrays.

use super::{Read, stop, visible};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::Reason;
use crate::read::affine::{Expr, mentions_from};
use crate::read::builder::{Binding, Builder, RawNode, Stop};
use crate::read::effects::Walker;
use crate::read::liveness::jumps_back;
use crate::read::names::{Decl, DeclKind};
use crate::read::places::{ObjectPlace, Place};
use crate::read::purity::allocation;
use crate::read::syntax::{children, descendants, field, fields, operator, uncast};
use crate::read::writes::{Escape, Meaning, is_fixed};

impl<'t> Builder<'t, '_> {
    pub(super) fn declaration(&mut self, node: Node<'t>) -> Read {
        let not_read = |why: &str| stop(node, Reason::Declaration, why, false);
        let variables = fields(node, Part::Variable);
        if variables.len() < children(node).len() {
            return Err(not_read("the region declares a type or a function"));
        }
        if variables.iter().any(|variable| variable.place().is_none()) {
            variables.iter().for_each(|variable| self.hide(*variable));
            return Err(stop(node, Reason::MacroStatement, "a macro declares a variable", true));
        }
        let outlives = |variable: &Node<'t>| variable.decl().is_some_and(|decl| self.names.decls[decl].typed.is_static);
        if variables.iter().any(outlives) {
            return Err(not_read("the region declares a variable that outlives it"));
        }
        let mut nodes = Vec::new();
        for declarator in variables {
            let decl = declarator.decl();
            let Some(decl) = decl else { return Err(not_read("the region has a declaration that is not understood")) };
            let (of, value) = (self.names.decls[decl].of.clone(), self.names.decls[decl].value);
            if let Some(attribute) = self.names.decls[decl].unusual_attribute() {
                return Err(not_read(&format!("the region declares a variable with `{attribute}`")));
            }
            match (&of, value) {
                (CType::Function, _) => return Err(not_read("the region declares a function")),
                (CType::Array { .. }, Some(_)) => {
                    return Err(not_read("the region declares an array with an initialiser"));
                }
                (CType::Array { .. }, None) => {
                    let object = self.variable(decl);
                    if self.objects[object].extents.iter().any(Option::is_none) {
                        return Err(not_read(
                            "the region declares an array whose extents are not known at its beginning",
                        ));
                    }
                }
                (CType::Pointer { .. }, Some(value)) if is_fixed(decl, &self.names) => match allocation(value) {
                    Some((sizes, is_zeroed)) => self.allocated(decl, value, &sizes, is_zeroed),
                    None => nodes.push(self.row(decl, declarator, value)?),
                },
                (_, Some(value)) if value.kind() == Kind::List => {
                    return Err(not_read("the region declares a variable with a list of values"));
                }
                (_, Some(value)) => nodes.push(self.defined(decl, declarator, value)?),
                (_, None) => {
                    self.variable(decl);
                }
            }
        }
        Ok(nodes)
    }

    /// A pointer that is declared before the region is the row of an array that it is initialised with, if that is known; else it may point
    /// anywhere.
    pub(crate) fn bind_outer_row(&mut self, decl: Decl) {
        let Some(value) = self.names.decls[decl].value else { return };
        let base = Meaning { purity: self.purity }.root(uncast(value));
        let place = base
            .filter(|base| self.is_unmistakable(*base) && (self.is_settled(value) || self.is_as_declared(decl, value)));
        let place = place.and_then(|_| self.row_place(decl, value)).filter(|place| {
            let is_fixed =
                |subscript: &Option<Expr>| subscript.as_ref().is_some_and(|subscript| !mentions_from(subscript, 0));
            place.subscripts.iter().all(is_fixed)
        });
        match place {
            Some(place) => {
                self.bindings.insert(decl, Binding::Row(place.object, place.subscripts));
            }
            None => {
                let mut next = base;
                while let Some(base) =
                    next.filter(|base| self.escapes.insert(*base, Escape::Stored) != Some(Escape::Stored))
                {
                    let value = self.names.decls[base].value;
                    next = value.and_then(|value| Meaning { purity: self.purity }.root(uncast(value)));
                }
            }
        }
    }

    /// A value that is computed in front of the region, in its block, is the same in the region.
    pub(crate) fn is_as_declared(&self, decl: Decl, value: Node<'t>) -> bool {
        let Some(statement) = self.names.decls[decl].statement else { return false };
        let siblings = || statement.parent().into_iter().flat_map(children);
        let behind: Vec<Node<'t>> = siblings()
            .filter(|node| node.start_byte() >= statement.end_byte() && node.end_byte() <= self.region.end)
            .collect();
        let is_beside = behind.iter().any(|node| node.start_byte() == self.region.start);
        let writes = Meaning { purity: self.purity }.writes(&behind);
        let is_moved = writes.is_unknown || writes.through.iter().any(|(_, of)| matches!(of, CType::Pointer { .. }));
        let keeps = |name: Node<'t>| {
            let Some(named) = name.decl() else { return false };
            match self.names.decls[named].kind {
                DeclKind::Constant(_) | DeclKind::Undeclared | DeclKind::Function => true,
                DeclKind::Global => false,
                DeclKind::Parameter | DeclKind::Local => !self.taken.contains(&named) && !writes.decls.contains(&named),
            }
        };
        is_beside
            && !is_moved
            && !jumps_back(self.function)
            && descendants(value).all(|node| match node.kind() {
                Kind::Name => keeps(node),
                Kind::Member | Kind::Call => false,
                _ => true,
            })
    }

    /// No other variable of the function has this one's name.
    fn is_unmistakable(&self, decl: Decl) -> bool {
        let name = &self.names.decls[decl].name;
        self.names.occurrences.keys().all(|other| *other == decl || self.names.decls[*other].name != *name)
    }

    /// The element that a pointer points to.
    fn row_place(&mut self, decl: Decl, value: Node<'t>) -> Option<ObjectPlace> {
        let inner = uncast(value);
        let is_address = inner.kind() == Kind::Pointer && operator(inner) == "&";
        let place = match field(inner, Part::Operand).filter(|_| is_address) {
            Some(place) => self.place(place, &(0..0)),
            None => self.pointed(inner, &(0..0)),
        };
        let Place::Object(place) = place else { return None };
        let base = &self.objects[place.object];
        let is_element = place.subscripts.len() == base.dims && !place.is_partial && base.dims > 0;
        // A cast to another type sees other elements.
        let is_same = match (&self.names.decls[decl].of, base.of.element()) {
            (CType::Pointer { target, .. }, element) => {
                !matches!(**target, CType::Array { .. }) && target.bytes() == element.bytes()
            }
            _ => false,
        };
        (is_element && is_same).then_some(place)
    }

    /// A pointer into an array, which is followed.
    fn row(&mut self, decl: Decl, declarator: Node<'t>, value: Node<'t>) -> Result<RawNode, Stop> {
        // As a scalar it would get other names, while its elements keep the one that stands in the text.
        let is_elsewhere =
            || stop(declarator, Reason::Declaration, "it declares a pointer that is no row of an array", false);
        let place = self.row_place(decl, value).ok_or_else(is_elsewhere)?;
        self.bindings.insert(decl, Binding::Row(place.object, place.subscripts));
        let object = self.variable(decl);
        self.objects[object].dims = 0;
        let mut walker = Walker::new(self, value.byte_range());
        walker.indices(value)?;
        let name = walker.builder.names.decls[decl].range.clone();
        // What stands before the name belongs to the type.
        let range = name.start..declarator.end_byte();
        let effects = visible(declarator, walker.finish_with(object, Vec::new(), name))?;
        let node = self.push(range, effects);
        self.statements.last_mut().expect("it was pushed").defines = Some(object);
        Ok(node)
    }

    /// A variable gets its first value.
    fn defined(&mut self, decl: Decl, declarator: Node<'t>, value: Node<'t>) -> Result<RawNode, Stop> {
        let of = self.names.decls[decl].of.clone();
        let object = self.variable(decl);
        self.objects[object].dims = 0;
        let is_wide = matches!(of, CType::Int { bytes, .. } if bytes >= 4);
        let known = if is_wide && is_fixed(decl, &self.names) { self.expr(value) } else { None };
        let mut walker = Walker::new(self, value.byte_range());
        if of.is_array() {
            walker.handed(value, true)?
        } else {
            walker.expr(value)?
        }
        let name = walker.builder.names.decls[decl].range.clone();
        // What stands before the name belongs to the type.
        let range = name.start..declarator.end_byte();
        let effects = visible(declarator, walker.finish_with(object, Vec::new(), name))?;
        let node = self.push(range, effects);
        if let Some(value) = known {
            self.bindings.insert(decl, Binding::Value(value));
            self.statements.last_mut().expect("it was pushed").defines = Some(object);
        }
        Ok(node)
    }
}
