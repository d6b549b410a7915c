//! Buffers: the memory behind the pointers of an array, of which a subscript selects one, as `cur` does between time steps.
//!
//! ```text
//! float *buf[2] = { a, b };
//! for (...) {
//!     S(buf[cur], buf[1 - cur]);     where `buf[cur]` and `buf[1 - cur]` name two arrays, since the subscripts differ
//!     cur = 1 - cur;                 and no two elements of `buf` point to the same memory
//! }
//! ```
//!
//! Subscripts are compared modulo the number of elements, since others would be out of bounds. So of three elements, `cur`, `(cur + 1) % 3` and
//! `(cur + 2) % 3` differ. Which elements point to different memory is found in `exchange`. Read `aliases` next.

use super::builder::{Builder, Object};
use super::convert::printed;
use super::delinearise::gcd;
use super::names::Decl;
use super::places::Member;
use super::syntax::{bare, descendants, field, operator, text};
use super::writes::is_fixed;
use crate::ast::{CType, Kind, Node, Part};
use std::collections::BTreeMap;

/// Unsigned numbers wrap round at this one, or a multiple of it.
const UNSIGNED: i64 = 1 << 32;

/// One of the buffers that an array of pointers, or of structures with pointers, holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// The array, as it is written, and the variable that it is reached from.
    pub(crate) array: (Decl, String),
    /// Which element.
    index: Index,
    /// The member of the element that is the pointer, as `.data`.
    pub(crate) member: String,
}

/// A subscript that has one value all through the region, as far as it is known: modulo some number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Index {
    /// The number; 0 if all is known.
    modulus: i64,
    /// Numbers that do not change, with their factors.
    terms: BTreeMap<String, i64>,
    constant: i64,
    /// It is this number itself.
    is: Option<String>,
    /// It is `!x` of this `x`.
    negates: Option<String>,
}

impl Index {
    fn constant(constant: i64, modulus: i64) -> Index {
        Index { modulus, terms: BTreeMap::new(), constant, is: None, negates: None }.reduced()
    }

    fn term(term: String, modulus: i64) -> Index {
        let terms = BTreeMap::from([(term.clone(), 1)]);
        Index { terms, is: Some(term), ..Index::constant(0, modulus) }.reduced()
    }

    fn reduced(mut self) -> Index {
        if self.modulus > 0 {
            self.terms.values_mut().for_each(|factor| *factor = factor.rem_euclid(self.modulus));
            self.constant = self.constant.rem_euclid(self.modulus);
        }
        self.terms.retain(|_, factor| *factor != 0);
        self
    }

    /// The sum of this and a multiple of another.
    fn plus(mut self, other: &Index, factor: i64) -> Option<Index> {
        if self.negates.is_some() || other.negates.is_some() {
            return None;
        }
        self.is = None;
        self.modulus = gcd(self.modulus, other.modulus);
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (term, of_term) in &other.terms {
            let known = self.terms.entry(term.clone()).or_default();
            *known = known.checked_add(of_term.checked_mul(factor)?)?;
        }
        Some(self.reduced())
    }

    /// Whether the two are different whatever the numbers are.
    fn differs(&self, other: &Index) -> bool {
        match (&self.negates, &other.negates) {
            (None, None) => self.clone().plus(other, -1).is_some_and(|difference| {
                let step = difference.terms.values().fold(difference.modulus, |step, factor| gcd(step, *factor));
                if step == 0 { difference.constant != 0 } else { difference.constant % step != 0 }
            }),
            (Some(_), None) => self.negates == other.is,
            (None, Some(_)) => other.negates == self.is,
            (Some(_), Some(_)) => false,
        }
    }
}

impl<'t> Builder<'t, '_> {
    /// The element of an array of pointers, or of structures, that a subscript with one value all through the region selects.
    pub(crate) fn buffer(&mut self, array: Member, node: Node<'_>) -> Option<Member> {
        let (element, count) = match &array.of {
            CType::Array { element, size, .. } => (element, size.count.unwrap_or(0)),
            CType::Pointer { target, .. } => (target, 0),
            _ => return None,
        };
        let is_fit = array.buffer.is_none()
            && array.is_stable
            && self.is_held(&array)
            && match **element {
                CType::Pointer { .. } => !self.writes_elements(&array, element),
                CType::Struct { .. } => true,
                _ => false,
            };
        let subscript = field(node, Part::Index).filter(|_| is_fit)?;
        let is_unsigned = |node: Node<'_>| matches!(node.of(), CType::Int { is_signed: false, .. });
        let modulus = if descendants(subscript).any(is_unsigned) { gcd(count, UNSIGNED) } else { count };
        let index = self.index(subscript, modulus)?;
        let written = text(subscript);
        let written = if written.is_empty() { printed(subscript)? } else { written.to_string() };
        let name = format!("{}[{written}]", array.text);
        let is_whole = count > 0 && index.modulus == count;
        let buffer = Buffer { array: (array.base, array.text), index, member: String::new() };
        // The same one has the same name, however its subscript is written.
        let is_known = |(known, of_known): &&(Buffer, String)| *known == buffer && (is_whole || *of_known == name);
        let name = match self.buffers.iter().find(is_known) {
            Some((_, name)) => name.clone(),
            None => {
                self.buffers.push((buffer.clone(), name.clone()));
                name
            }
        };
        let of = (**element).clone();
        Some(Member {
            base: array.base,
            text: name,
            of,
            element: array.element,
            is_stable: true,
            is_inline: false,
            buffer: Some(buffer),
        })
    }

    /// Nothing gives the variable that an array of pointers is reached from another value in the region.
    fn is_held(&self, array: &Member) -> bool {
        let data = &self.names.decls[array.base];
        !self.is_inside(array.base) && !data.typed.is_volatile && !self.writes.decls.contains(&array.base) && {
            let is_variable = array.text == data.name;
            !is_variable || !self.changes_unseen(array.base, &data.of)
        }
    }

    /// Whether the region may give elements of an array of pointers other values.
    fn writes_elements(&self, array: &Member, element: &CType) -> bool {
        let of_array = |(decl, of): &(Option<Decl>, CType)| {
            matches!(of, CType::Pointer { .. }) && decl.is_none_or(|decl| decl == array.base)
        };
        let is_reached = array.text != self.names.decls[array.base].name || self.is_reachable(array.base);
        self.writes.through.iter().any(of_array) || is_reached && (self.writes.is_unknown || self.is_aliased(element))
    }

    /// A subscript, as far as it is known modulo a number.
    fn index(&mut self, node: Node<'_>, modulus: i64) -> Option<Index> {
        let node = bare(node);
        if let Some(value) = self.facts.constant(node) {
            return Some(Index::constant(value, modulus));
        }
        let part = |part| field(node, part);
        match (node.kind(), operator(node)) {
            (Kind::Name, _) => {
                let decl = node.decl()?;
                // `const int now = t % 3;`
                let tree = self.facts.tree;
                let value = self.names.decls[decl].value.filter(|_| is_fixed(decl, &self.names));
                let value = value.filter(|value| self.is_as_declared(decl, tree.node(value.id())));
                if let Some(known) = value.and_then(|value| self.index(value, modulus)) {
                    return Some(known);
                }
                let is_fixed = !self.bindings.contains_key(&decl) && self.is_parameter(decl);
                is_fixed.then(|| Index::term(format!("{decl}"), modulus))
            }
            (Kind::Member, _) => {
                let member = self.member(node)?;
                let is_fixed = member.is_stable && matches!(member.of, CType::Int { .. });
                is_fixed.then(|| Index::term(format!("{} {}", member.base, member.text), modulus))
            }
            (Kind::Cast, _) => {
                let is_wide = matches!(node.of(), CType::Int { bytes, .. } if *bytes >= 4);
                self.index(part(Part::Value).filter(|_| is_wide)?, modulus)
            }
            (Kind::Unary, "-") => Index::constant(0, modulus).plus(&self.index(part(Part::Operand)?, modulus)?, -1),
            (Kind::Unary, "~") => Index::constant(-1, modulus).plus(&self.index(part(Part::Operand)?, modulus)?, -1),
            (Kind::Unary, "!") => {
                let negates = Some(self.index(part(Part::Operand)?, modulus)?.is?);
                Some(Index { negates, ..Index::constant(0, modulus) })
            }
            (Kind::Binary, sign) => {
                let (left, right) = (part(Part::Left)?, part(Part::Right)?);
                let by = self.facts.constant(right);
                match (sign, by) {
                    ("%", Some(by)) if by > 0 => Some(Index { is: None, ..self.index(left, gcd(modulus, by))? }),
                    ("&", Some(mask)) if mask > 0 && mask < UNSIGNED && (mask + 1).count_ones() == 1 => {
                        Some(Index { is: None, ..self.index(left, gcd(modulus, mask + 1))? })
                    }
                    // The last bit changes by an odd number.
                    ("^", Some(by)) => {
                        let modulus = gcd(modulus, 2);
                        self.index(left, modulus)?.plus(&Index::constant(by, modulus), 1)
                    }
                    ("*", Some(by)) => Index::constant(0, modulus).plus(&self.index(left, modulus)?, by),
                    ("+", _) => self.index(left, modulus)?.plus(&self.index(right, modulus)?, 1),
                    ("-", _) => self.index(left, modulus)?.plus(&self.index(right, modulus)?, -1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether two subscripts are different for all values that variables have together.
    fn never_equal(&self, one: &Index, two: &Index) -> bool {
        let modulus = gcd(one.modulus, two.modulus);
        let value = |index: &Index, row: &[i64]| -> Option<i64> {
            let of = |term: &String| {
                let column = self.selectors.decls.iter().position(|decl| decl.to_string() == *term)?;
                row.get(column).copied()
            };
            match &index.negates {
                Some(negated) => Some(i64::from(of(negated)? == 0)),
                None => {
                    index.terms.iter().try_fold(index.constant, |sum, (term, factor)| Some(sum + of(term)? * factor))
                }
            }
        };
        let differ = |row: &Vec<i64>| {
            let difference = value(one, row).zip(value(two, row)).map(|(one, two)| one - two);
            difference.is_some_and(|difference| if modulus == 0 { difference != 0 } else { difference % modulus != 0 })
        };
        !self.selectors.values.is_empty() && self.selectors.values.iter().all(differ)
    }

    /// Whether two objects are buffers of one array of pointers, and if so, whether they may be the same memory.
    pub(crate) fn may_be_same_buffer(&self, one: Object, two: Object) -> Option<bool> {
        let [one, two] = [one, two].map(|object| &self.objects[object]);
        let (first, second) = (one.buffer.as_ref()?, two.buffer.as_ref()?);
        if first.array != second.array || first.member != second.member {
            return None;
        }
        let is_restrict = matches!(one.of, CType::Pointer { is_restrict: true, .. });
        let is_apart = is_restrict || self.options.assume_no_alias || self.family(first).is_some();
        let differ = first.index.differs(&second.index) || self.never_equal(&first.index, &second.index);
        Some(!is_apart || !differ)
    }
}
