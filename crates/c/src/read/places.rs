//! Which memory an expression names: the object and its subscripts.
//!
//! Read `effects` next.

use super::affine::Expr;
use super::builder::{Binding, Builder, Here, MOST_MACROS, Object};
use super::names::{Decl, DeclKind};
use super::syntax::{bare, descendants, field, is_within, operator, text};
use super::types::CType;
use std::ops::Range;
use tree_sitter::Node;

/// What an expression names.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// An object with subscripts; fewer than it has dimensions if the array or a row as a whole is meant, as a pointer.
    Object(ObjectPlace),
    /// The variable of the loop at this depth.
    Counter(usize),
    /// A variable that counts along with a loop.
    Counted(Decl),
    /// A variable of the statement itself, which nothing outside sees.
    Own,
    /// A number that does not change, or a function.
    Fixed,
    /// A pointer variable that changes, as a number.
    Pointer,
    /// Memory whose accesses are seen from outside.
    Volatile,
    /// Memory that is not known.
    Unknown,
}

/// An object with subscripts.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPlace {
    /// The object.
    pub(crate) object: Object,
    /// The subscripts, outermost first; `None` where one is not understood.
    pub(crate) subscripts: Vec<Option<Expr>>,
    /// A member of the element is meant.
    pub(crate) is_partial: bool,
    /// The bytes of the name that stands for the array as a whole.
    pub(crate) name: Option<Range<usize>>,
    /// The name is that of a pointer into the array.
    pub(crate) is_row: bool,
    /// It is written with brackets.
    pub(crate) is_subscripted: bool,
    /// The bytes of the element, where a member of it is meant: `a[i]` of `a[i].x`.
    pub(crate) element: Option<Range<usize>>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(crate) struct Member<'t> {
    /// The variable that it is reached from.
    pub(crate) base: Decl,
    /// As it is written, without spaces.
    pub(crate) text: String,
    /// Its type.
    pub(crate) of: CType<'t>,
    /// The region does not change it.
    pub(crate) is_stable: bool,
}

impl<'t> Builder<'t, '_> {
    /// What an expression names. `own` is the range of the statement whose variables are its own.
    pub(crate) fn place(&mut self, node: Node<'_>, here: Here<'_>, own: &Range<usize>) -> Place {
        self.subscripted(node, here, own, Vec::new())
    }

    /// What a pointer points to.
    pub(crate) fn pointed(&mut self, node: Node<'_>, here: Here<'_>, own: &Range<usize>) -> Place {
        self.subscripted(node, here, own, vec![Some(Expr::zero())])
    }

    /// What an expression with further subscripts, from the right to the left, names.
    fn subscripted(
        &mut self,
        node: Node<'_>,
        here: Here<'_>,
        own: &Range<usize>,
        mut subscripts: Vec<Option<Expr>>,
    ) -> Place {
        let (mut node, mut here) = (node, here);
        let (mut is_partial, mut is_subscripted, mut element) = (false, false, None);
        loop {
            node = bare(node);
            let argument = field(node, "argument");
            match (node.kind(), argument) {
                ("subscript_expression", Some(argument)) => {
                    is_subscripted = true;
                    let index = field(node, "index").and_then(|index| self.subscript(index, here));
                    subscripts.push(index);
                    node = argument;
                }
                ("pointer_expression", Some(argument)) if operator(node, here.source) == "*" => {
                    subscripts.push(Some(Expr::zero()));
                    node = argument;
                }
                // `*(p + i)` is `p[i]`.
                ("binary_expression", _)
                    if !subscripts.is_empty() && matches!(operator(node, here.source), "+" | "-") =>
                {
                    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
                        return Place::Unknown;
                    };
                    let is_sum = operator(node, here.source) == "+";
                    let (pointer, offset) = if self.is_pointer(left, here) {
                        (left, right)
                    } else if is_sum && self.is_pointer(right, here) {
                        (right, left)
                    } else {
                        return Place::Unknown;
                    };
                    let offset = self.subscript(offset, here);
                    let last = subscripts.last_mut().expect("it is not empty");
                    *last = match (last.take(), offset) {
                        (Some(last), Some(offset)) => Some(if is_sum { last + offset } else { last - offset }),
                        _ => None,
                    };
                    node = pointer;
                }
                ("field_expression", Some(argument)) => {
                    let member = self.member(node, here);
                    if member.as_ref().is_some_and(|member| matches!(member.of, CType::Volatile)) {
                        return Place::Volatile;
                    }
                    if let Some(member) = member
                        && (member.of.is_array() || member.is_stable && subscripts.is_empty())
                    {
                        return self.member_place(member, subscripts, own);
                    }
                    // An array in the element is a part of it.
                    if !subscripts.is_empty() && !self.is_inner_array(node, here, subscripts.len()) {
                        return Place::Unknown;
                    }
                    subscripts.clear();
                    is_partial = true;
                    if operator(node, here.source) == "->" {
                        subscripts.push(Some(Expr::zero()));
                    }
                    element = (here.macros == 0).then(|| argument.byte_range());
                    node = argument;
                }
                ("identifier", _) => {
                    let name = text(node, here.source);
                    match here.arguments.and_then(|arguments| arguments.get(name)) {
                        Some((argument, there)) => (node, here) = (*argument, *there),
                        None => break,
                    }
                }
                _ => return Place::Unknown,
            }
        }
        subscripts.reverse();
        let name = (here.macros == 0).then(|| node.byte_range());
        match self.decl(node, here) {
            Some(decl) => match self.variable_place(decl, subscripts, is_partial, name, own) {
                Place::Object(place) => Place::Object(ObjectPlace { is_subscripted, element, ..place }),
                place => place,
            },
            None => Place::Unknown,
        }
    }

    /// Whether a member is an array that has at least so many dimensions.
    fn is_inner_array(&mut self, member: Node<'_>, here: Here<'_>, subscripts: usize) -> bool {
        let mut of = self.type_of(member, here);
        for _ in 0..subscripts {
            of = match of {
                Some(CType::Array { element, .. }) => Some(*element),
                _ => return false,
            };
        }
        true
    }

    /// The type of a place, as far as declarations give it.
    fn type_of(&mut self, node: Node<'_>, here: Here<'_>) -> Option<CType<'t>> {
        let node = bare(node);
        let argument = field(node, "argument");
        match node.kind() {
            "identifier" => {
                if let Some((argument, there)) = here.arguments.and_then(|all| all.get(text(node, here.source))) {
                    return self.type_of(*argument, *there);
                }
                let decl = self.decl(node, here)?;
                Some(self.names.decls[decl].of.clone())
            }
            "subscript_expression" | "pointer_expression" => match self.type_of(argument?, here)? {
                CType::Pointer { target, .. } => Some(*target),
                CType::Array { element, .. } => Some(*element),
                _ => None,
            },
            "field_expression" => {
                let of = match self.type_of(argument?, here)? {
                    CType::Pointer { target, .. } => *target,
                    of => of,
                };
                let CType::Struct { name: Some(tag), .. } = of else { return None };
                self.facts.types.tags.get(&tag)?.get(text(field(node, "field")?, here.source)).cloned()
            }
            _ => None,
        }
    }

    /// A subscript that may be replaced: nothing happens in it.
    fn subscript(&mut self, index: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let happens =
            |node: Node<'_>| matches!(node.kind(), "update_expression" | "assignment_expression" | "comma_expression");
        if descendants(index).any(happens) { None } else { self.expr(index, here) }
    }

    fn is_pointer(&mut self, node: Node<'_>, here: Here<'_>) -> bool {
        let node = bare(node);
        match node.kind() {
            "identifier" => {
                if let Some((argument, there)) =
                    here.arguments.and_then(|arguments| arguments.get(text(node, here.source)))
                {
                    return here.macros <= MOST_MACROS && self.is_pointer(*argument, *there);
                }
                self.decl(node, here).is_some_and(|decl| self.names.decls[decl].of.is_array())
            }
            "subscript_expression" | "pointer_expression" => {
                field(node, "argument").is_some_and(|base| self.is_pointer(base, here))
            }
            "binary_expression" => {
                let is = |builder: &mut Self, side: &str| {
                    field(node, side).is_some_and(|side| builder.is_pointer(side, here))
                };
                is(self, "left") || is(self, "right")
            }
            "field_expression" => self.member(node, here).is_some_and(|member| member.of.is_array()),
            _ => false,
        }
    }

    fn member_place(&mut self, member: Member<'t>, mut subscripts: Vec<Option<Expr>>, own: &Range<usize>) -> Place {
        if !member.of.is_array() {
            return Place::Fixed;
        }
        if !member.is_stable || is_within(&self.names.decls[member.base].range, own) {
            return Place::Unknown;
        }
        subscripts.reverse();
        let object = self.object(member.base, member.text, member.of, true);
        if subscripts.len() > self.objects[object].dims {
            return Place::Unknown;
        }
        Place::Object(ObjectPlace {
            object,
            subscripts,
            is_partial: false,
            name: None,
            is_row: false,
            is_subscripted: true,
            element: None,
        })
    }

    fn variable_place(
        &mut self,
        decl: Decl,
        mut subscripts: Vec<Option<Expr>>,
        is_partial: bool,
        name: Option<Range<usize>>,
        own: &Range<usize>,
    ) -> Place {
        let data = &self.names.decls[decl];
        let is_own = data.statement.is_some() && data.kind != DeclKind::Global && is_within(&data.range, own);
        if is_own && !matches!(self.bindings.get(&decl), Some(Binding::Row(..))) {
            // What its pointers point to is not its own.
            let stays = subscripts.is_empty()
                || matches!(data.of, CType::Array { .. }) && !matches!(data.of.leaf(), CType::Pointer { .. });
            return if stays { Place::Own } else { Place::Unknown };
        }
        if data.typed.is_volatile {
            return Place::Volatile;
        }
        match self.bindings.get(&decl) {
            Some(Binding::Loop(depth)) => {
                return if subscripts.is_empty() { Place::Counter(*depth) } else { Place::Unknown };
            }
            Some(Binding::Counted(_)) => {
                return if subscripts.is_empty() { Place::Counted(decl) } else { Place::Unknown };
            }
            Some(Binding::Row(object, base)) if !subscripts.is_empty() => {
                let (object, mut all) = (*object, base.clone());
                let last = all.last_mut().expect("a row has subscripts");
                *last = match (last.take(), subscripts.remove(0)) {
                    (Some(base), Some(offset)) => Some(base + offset),
                    _ => None,
                };
                all.extend(subscripts);
                if all.len() > self.objects[object].dims {
                    return Place::Unknown;
                }
                return Place::Object(ObjectPlace {
                    object,
                    subscripts: all,
                    is_partial,
                    name,
                    is_row: true,
                    is_subscripted: true,
                    element: None,
                });
            }
            Some(Binding::Value(_) | Binding::Row(..)) | None => {}
        }
        let data = &self.names.decls[decl];
        match data.kind {
            DeclKind::Constant(_) => return Place::Fixed,
            DeclKind::Undeclared => {
                if !subscripts.is_empty() {
                    return Place::Unknown;
                }
                // Something of a header, or a macro: what may change it is not known, but a macro's value has been looked at.
                let is_fixed = self.facts.macros.contains_key(&data.name)
                    || self.facts.functions.contains_key(&data.name)
                    || self.is_parameter(decl);
                return if is_fixed { Place::Fixed } else { Place::Unknown };
            }
            DeclKind::Parameter | DeclKind::Local | DeclKind::Global => {}
        }
        let is_pointer = matches!(data.of, CType::Pointer { .. });
        if is_pointer && !self.is_steady(decl) {
            return if subscripts.is_empty() { Place::Pointer } else { Place::Unknown };
        }
        if matches!(data.of, CType::Function) {
            return Place::Fixed;
        }
        if !data.of.is_array() && subscripts.is_empty() && self.is_constant(decl) {
            return Place::Fixed;
        }
        let object = self.variable(decl);
        if subscripts.len() > self.objects[object].dims {
            return Place::Unknown;
        }
        Place::Object(ObjectPlace {
            object,
            subscripts,
            is_partial,
            name,
            is_row: false,
            is_subscripted: true,
            element: None,
        })
    }

    /// A pointer that points to one array all through the region.
    fn is_steady(&self, decl: Decl) -> bool {
        let known = self.object_of.get(&(decl, self.names.decls[decl].name.clone()));
        let is_heap = known.is_some_and(|object| self.objects[*object].heap.is_some());
        let of = &self.names.decls[decl].of;
        is_heap || !self.is_inside(decl) && !self.writes.decls.contains(&decl) && !self.changes_unseen(decl, of)
    }

    /// A variable that nothing in the region writes.
    fn is_constant(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        !self.is_inside(decl)
            && !self.writes.decls.contains(&decl)
            && !self.writes.parts.contains(&decl)
            && !self.changes_unseen(decl, &data.of)
    }

    /// The member of a structure that an expression is, reached from a variable by names alone.
    pub(crate) fn member(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Member<'t>> {
        let node = bare(node);
        match node.kind() {
            "identifier" => {
                let name = text(node, here.source);
                if let Some((argument, there)) = here.arguments.and_then(|arguments| arguments.get(name)) {
                    return self.member(*argument, *there);
                }
                let base = self.decl(node, here)?;
                let data = &self.names.decls[base];
                if self.bindings.contains_key(&base)
                    || matches!(data.kind, DeclKind::Constant(_) | DeclKind::Undeclared)
                {
                    return None;
                }
                Some(Member { base, text: data.name.clone(), of: data.of.clone(), is_stable: true })
            }
            "field_expression" => {
                let argument = field(node, "argument")?;
                let mut member = self.member(argument, here)?;
                let sign = operator(node, here.source);
                let name = text(field(node, "field")?, here.source);
                let structure = match (&member.of, sign) {
                    (CType::Pointer { target, .. }, "->") => &**target,
                    (other, ".") => other,
                    _ => return None,
                };
                let of = match structure {
                    CType::Struct { name: Some(tag), .. } => {
                        self.facts.types.tags.get(tag).and_then(|members| members.get(name)).cloned()
                    }
                    CType::Struct { .. } | CType::Unknown => None,
                    _ => return None,
                };
                member.of = of.unwrap_or(CType::Unknown);
                member.is_stable &= self.is_stable_member(member.base, name, &member.of);
                member.text = format!("{}{sign}{name}", member.text);
                Some(member)
            }
            _ => None,
        }
    }
}
