//! Which memory an expression names: the object and its subscripts.
//!
//! Read `effects` next.

use super::affine::{Cond, Expr};
use super::buffers::Buffer;
use super::builder::{Binding, Builder, Object};
use super::names::{Decl, DeclKind};
use super::syntax::{bare, callee, descendants, field, inline_array, is_within, operator};
use crate::ast::{CType, Kind, Node, Part};
use std::ops::Range;

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
pub(crate) struct Member {
    /// The variable that it is reached from.
    pub(crate) base: Decl,
    /// As it is written, without spaces.
    pub(crate) text: String,
    /// Its type.
    pub(crate) of: CType,
    /// How the innermost element type is written, without qualifiers; empty where that is not known.
    pub(crate) element: String,
    /// The region does not change it.
    pub(crate) is_stable: bool,
    /// It is an array in the structure that the variable is or points to, which no other member shares its memory with.
    pub(crate) is_inline: bool,
    /// Which one of an array of pointers, or of structures, it is or belongs to.
    pub(crate) buffer: Option<Buffer>,
}

impl<'t> Builder<'t, '_> {
    /// What an expression names. `own` is the range of the statement whose variables are its own.
    pub(crate) fn place(&mut self, node: Node<'_>, own: &Range<usize>) -> Place {
        self.subscripted(node, own, Vec::new())
    }

    /// What a pointer points to.
    pub(crate) fn pointed(&mut self, node: Node<'_>, own: &Range<usize>) -> Place {
        self.subscripted(node, own, vec![Some(Expr::zero())])
    }

    /// What an expression with further subscripts, from the right to the left, names.
    fn subscripted(&mut self, node: Node<'_>, own: &Range<usize>, mut subscripts: Vec<Option<Expr>>) -> Place {
        let mut node = node;
        let (mut is_partial, mut is_subscripted, mut element, mut arrow) = (false, false, None, None);
        loop {
            node = bare(node);
            let argument = field(node, Part::Operand);
            match (node.kind(), argument) {
                (Kind::Subscript, Some(argument)) => {
                    if matches!(node.of(), CType::Pointer { .. })
                        && let Some(member) = self.member(node)
                    {
                        return self.member_place(member, subscripts, own);
                    }
                    is_subscripted = true;
                    let index = field(node, Part::Index).and_then(|index| self.subscript(index));
                    subscripts.push(index);
                    node = argument;
                }
                (Kind::Pointer, Some(argument)) if operator(node) == "*" => {
                    subscripts.push(Some(Expr::zero()));
                    node = argument;
                }
                // `*(p + i)` is `p[i]`.
                (Kind::Binary, _) if !subscripts.is_empty() && matches!(operator(node), "+" | "-") => {
                    let (Some(left), Some(right)) = (field(node, Part::Left), field(node, Part::Right)) else {
                        return Place::Unknown;
                    };
                    let is_sum = operator(node) == "+";
                    let (pointer, offset) = if left.of().is_array() {
                        (left, right)
                    } else if is_sum && right.of().is_array() {
                        (right, left)
                    } else {
                        return Place::Unknown;
                    };
                    let offset = self.subscript(offset);
                    let last = subscripts.last_mut().expect("it is not empty");
                    *last = match (last.take(), offset) {
                        (Some(last), Some(offset)) => Some(if is_sum { last + offset } else { last - offset }),
                        _ => None,
                    };
                    node = pointer;
                }
                (Kind::Member, Some(argument)) => {
                    let member = self.member(node);
                    if matches!(node.of(), CType::Volatile) {
                        return Place::Volatile;
                    }
                    if let Some(member) = member
                        && (member.of.is_array() || member.is_stable && subscripts.is_empty())
                    {
                        return self.member_place(member, subscripts, own);
                    }
                    // An array in the element is a part of it.
                    if !subscripts.is_empty() && !is_inner_array(node, subscripts.len()) {
                        return Place::Unknown;
                    }
                    subscripts.clear();
                    is_partial = true;
                    if operator(node) == "->" {
                        subscripts.push(Some(Expr::zero()));
                        arrow = Some(node.id());
                    }
                    element = super::syntax::place(argument);
                    node = argument;
                }
                (Kind::Name, _) => break,
                // The tables of <ctype.h>.
                (Kind::Call, _) if callee(node).is_some_and(|name| name.starts_with("__ctype_")) => {
                    return Place::Fixed;
                }
                _ => return Place::Unknown,
            }
        }
        subscripts.reverse();
        let name = super::syntax::place(node);
        match node.decl() {
            Some(decl) => match self.variable_place(decl, subscripts, is_partial, name, own) {
                Place::Object(place) => {
                    if place.is_row {
                        // An element of the array takes the place of `p[0]` in `p[0].x`, but of nothing in `p->x`.
                        self.odd.borrow_mut().arrows.extend(arrow);
                    }
                    Place::Object(ObjectPlace { is_subscripted, element, ..place })
                }
                place => place,
            },
            None => Place::Unknown,
        }
    }

    /// A subscript that may be replaced: nothing happens in it.
    fn subscript(&mut self, index: Node<'_>) -> Option<Expr> {
        let happens = |node: Node<'_>| matches!(node.kind(), Kind::Update | Kind::Assign | Kind::Comma);
        if descendants(index).any(happens) { None } else { self.expr(index) }
    }

    fn member_place(&mut self, member: Member, mut subscripts: Vec<Option<Expr>>, own: &Range<usize>) -> Place {
        if !member.of.is_array() {
            return Place::Fixed;
        }
        if !member.is_stable || is_within(&self.names.decls[member.base].range, own) {
            return Place::Unknown;
        }
        subscripts.reverse();
        let object = self.object(member.base, member.text, member.of, true);
        let is_number = matches!(self.objects[object].of.element(), CType::Int { .. } | CType::Float { .. });
        let data = &mut self.objects[object];
        data.is_inline = member.is_inline;
        (data.buffer, data.base) = (member.buffer, if is_number { member.element } else { String::new() });
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
            DeclKind::Function | DeclKind::Undeclared => {
                return if subscripts.is_empty() { Place::Fixed } else { Place::Unknown };
            }
            DeclKind::Parameter | DeclKind::Local | DeclKind::Global => {}
        }
        let is_pointer = matches!(data.of, CType::Pointer { .. });
        if is_pointer && !self.is_steady(decl) {
            self.odd.borrow_mut().pointers.insert(decl);
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

    /// Every subscript but the first is within the extent of its dimension where the statement at hand runs.
    pub(crate) fn is_in_its_row(&mut self, place: &ObjectPlace) -> bool {
        let extents = self.objects[place.object].extents.clone();
        place.subscripts.iter().zip(extents).skip(1).all(|pair| match pair {
            (Some(subscript), Some(extent)) => {
                self.params.is_affine(subscript)
                    && self.params.is_affine(&extent)
                    && self.never(&[Cond::NonNegative(subscript.clone()).negated()])
                    && self.never(&[Cond::at_most(&extent, subscript)])
            }
            _ => false,
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
    pub(crate) fn member(&mut self, node: Node<'_>) -> Option<Member> {
        let node = bare(node);
        match node.kind() {
            Kind::Name => {
                let base = node.decl()?;
                let data = &self.names.decls[base];
                if self.bindings.contains_key(&base)
                    || matches!(data.kind, DeclKind::Constant(_) | DeclKind::Undeclared | DeclKind::Function)
                {
                    return None;
                }
                let (text, of, element) = (data.name.clone(), data.of.clone(), data.typed.base.clone());
                Some(Member { base, text, of, element, is_stable: true, is_inline: false, buffer: None })
            }
            Kind::Subscript => {
                let array = self.member(field(node, Part::Operand)?)?;
                self.buffer(array, node)
            }
            Kind::Member => {
                let mut member = self.member(field(node, Part::Operand)?)?;
                let (sign, name) = (operator(node), node.name());
                // Elements of an array of structures are reached by subscripts.
                if matches!(member.of, CType::Array { .. }) {
                    return None;
                }
                if let Some(buffer) = &mut member.buffer {
                    // Other members are parts of elements that other subscripts reach.
                    if !matches!(node.of(), CType::Pointer { .. }) {
                        return None;
                    }
                    buffer.member = format!("{}{sign}{name}", buffer.member);
                }
                member.of = node.of().clone();
                member.element = node.tree().bases.get(&node.id()).cloned().unwrap_or_default();
                member.is_inline = inline_array(node).is_some();
                member.is_stable = match member.is_inline {
                    true => self.holds_array(member.base),
                    false => member.is_stable && self.is_stable_member(member.base, name, &member.of),
                };
                member.text = format!("{}{sign}{name}", member.text);
                Some(member)
            }
            _ => None,
        }
    }
}

/// Whether a member is an array that has at least so many dimensions.
fn is_inner_array(member: Node<'_>, subscripts: usize) -> bool {
    let mut of = member.of();
    for _ in 0..subscripts {
        of = match of {
            CType::Array { element, .. } => element,
            _ => return false,
        };
    }
    true
}
