//! Memory that a region asks for and gives back.

use crate::ast::{CType, Kind, Node, Part};
use crate::read::affine::{Expr, mentions_from};
use crate::read::builder::{Builder, Heap, RawLoop};
use crate::read::delinearise::quotient;
use crate::read::names::Decl;
use crate::read::outside::is_release;
use crate::read::purity::{allocation, frees};
use crate::read::syntax::{arguments, bare, children, descendants, field, operands, operator, text, uncast};
use std::ops::Range;

impl<'t> Builder<'t, '_> {
    /// An array is allocated.
    pub(super) fn allocated(&mut self, decl: Decl, value: Node<'t>, sizes: &[Node<'t>], is_zeroed: bool) {
        let object = self.variable(decl);
        let mut bytes = Some(Expr::constant(1));
        for size in sizes {
            bytes = bytes.zip(self.expr(*size)).map(|(bytes, size)| bytes * size);
        }
        let element = self.objects[object].of.element().bytes().and_then(|bytes| i64::try_from(bytes).ok());
        // Arrays of arrays: the extents after the first are known from the type.
        let mut row = Some(Expr::constant(1));
        for extent in self.objects[object].extents.iter().skip(1) {
            row = row.zip(extent.as_ref()).map(|(row, extent)| row * extent.clone());
        }
        let total = bytes.zip(element).and_then(|(bytes, element)| quotient(&bytes, &Expr::constant(element)));
        let elements = total.clone().filter(|elements| !mentions_from(elements, 0));
        let outer = elements.as_ref().zip(row).and_then(|(elements, row)| quotient(elements, &row));
        let names_locals = descendants(value).filter_map(Node::decl).any(|name| name != decl && self.is_inside(name));
        let data = &mut self.objects[object];
        if let Some(first) = data.extents.first_mut() {
            *first = outer;
        }
        let allocation = text(value).to_string();
        if allocation.is_empty() {
            self.hide(value);
        }
        let data = &mut self.objects[object];
        data.heap = Some(Heap { elements, allocation, names_locals, is_zeroed, is_freed: false });
    }

    /// `free(t)`, or several, of what the region allocates.
    pub(super) fn freed(&mut self, expression: Node<'t>) -> bool {
        let mut objects = Vec::new();
        for node in operands(expression) {
            if !frees(node) {
                return false;
            }
            let decl = match arguments(node)[..] {
                [only] => uncast(only).decl(),
                _ => None,
            };
            let known = decl.and_then(|decl| self.object_of.get(&(decl, self.names.decls[decl].name.clone())));
            match known {
                Some(object) if self.objects[*object].heap.is_some() => objects.push(*object),
                _ => return false,
            }
        }
        // Memory is given back where it was asked for, not in a loop or branch in between.
        let is_level = objects.iter().all(|object| {
            let decl = &self.names.decls[self.objects[*object].decl];
            self.innermost_loop(&decl.range) == self.nest.last().copied()
        });
        if is_level {
            for object in objects {
                self.objects[object].heap.as_mut().expect("it was looked at").is_freed = true;
            }
        }
        is_level
    }

    /// `free(t)` of what is allocated before the region, and only then: it may as well come behind the region.
    pub(super) fn freed_behind(&mut self, statement: Node<'t>) -> bool {
        let is_own = |node: Node<'t>| {
            let decl = arguments(node).first().and_then(|pointer| uncast(*pointer).decl());
            decl.is_some_and(|decl| self.is_allocated(decl) && !self.is_inside(decl))
        };
        let is_level = self.nest.is_empty() && self.conds.is_empty() && statement.place().is_some();
        // Where control leaves the region, it would be left with the memory.
        let leaves = |node: Node<'t>| {
            matches!(node.kind(), Kind::Return | Kind::Goto) && self.region.contains(&node.start_byte())
        };
        let is_it = is_level && is_release(statement) && !descendants(self.function).any(leaves);
        let is_it = is_it && children(statement).into_iter().flat_map(operands).all(is_own);
        if is_it {
            self.frees.push(statement.byte_range());
        }
        is_it
    }

    /// `t = malloc(...)` for a pointer that the region declares and assigns once.
    pub(super) fn late_allocation(&self, expression: Node<'t>) -> Option<(Decl, Node<'t>)> {
        let is_assignment = expression.kind() == Kind::Assign && operator(expression) == "=";
        let (left, right) = (field(expression, Part::Left)?, field(expression, Part::Right)?);
        let decl = bare(left).decl().filter(|_| is_assignment)?;
        allocation(right)?;
        let data = &self.names.decls[decl];
        let is_once = {
            let assigned = |node: &&Node<'t>| {
                node.parent().is_some_and(|parent| {
                    parent.kind() == Kind::Assign && node.part() == Part::Left || parent.kind() == Kind::Update
                })
            };
            self.names.occurrences.get(&decl).is_some_and(|all| all.iter().filter(assigned).count() == 1)
        };
        let is_level = self.innermost_loop(&data.range) == self.nest.last().copied();
        let is_own = self.is_inside(decl) && data.value.is_none() && !self.taken.contains(&decl);
        (is_own && is_once && is_level && matches!(data.of, CType::Pointer { .. })).then_some((decl, right))
    }

    /// The innermost loop of the region, by number, that these bytes are in.
    pub(crate) fn innermost_loop(&self, range: &Range<usize>) -> Option<usize> {
        let holds = |(_, data): &(usize, &RawLoop)| data.range.start < range.start && range.end <= data.range.end;
        self.loops.iter().enumerate().filter(holds).max_by_key(|(_, data)| data.range.start).map(|(at, _)| at)
    }
}
