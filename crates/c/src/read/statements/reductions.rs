//! Statements that combine something into a place, and choices between two values.

use crate::ast::{CType, Kind, Node, Part};
use crate::read::builder::Builder;
use crate::read::syntax::{arguments, bare, callee, field, is_same, operator};
use crate::region::Choice;
use frit_scop::AccessKind;

impl<'t> Builder<'t, '_> {
    /// Whether the statement that was just read combines something into a place, in any order.
    pub(super) fn reduction(&mut self, expression: Node<'t>) -> Option<(usize, usize, bool)> {
        let effects = &self.statements.last()?.effects;
        if effects.opaque.is_some() {
            return None;
        }
        let of_kind = |kind| effects.accesses.iter().enumerate().filter(move |(_, access)| access.kind == kind);
        let mut writes = of_kind(AccessKind::Write);
        let (write, written) = writes.next()?;
        if writes.next().is_some() || of_kind(AccessKind::MayWrite).next().is_some() {
            return None;
        }
        let mut reads = of_kind(AccessKind::Read).filter(|(_, access)| access.object == written.object);
        let (read, of_read) = reads.next()?;
        if reads.any(|(_, other)| other != of_read)
            || of_read.subscripts != written.subscripts
            || written.subscripts.iter().any(Option::is_none)
        {
            return None;
        }
        let is_once = of_kind(AccessKind::Read).filter(|(_, access)| access.object == written.object).count() == 1;
        let is_integer = matches!(self.objects[written.object].of.element(), CType::Int { .. });
        let is_unsigned = matches!(self.objects[written.object].of.element(), CType::Int { is_signed: false, .. });
        let exactly = |exact: bool| Some((read, write, exact));
        if expression.kind() == Kind::Update {
            return exactly(is_unsigned);
        }
        let left = field(expression, Part::Left)?;
        let right = bare(field(expression, Part::Right)?);
        let sign = operator(expression);
        let same = |node: Node<'_>| is_same(node, left);
        match (expression.kind(), sign) {
            (Kind::Assign, "+=" | "-=" | "*=") if is_once => exactly(is_unsigned),
            (Kind::Assign, "&=" | "|=" | "^=") if is_once => exactly(is_integer),
            (Kind::Assign, "=") => match right.kind() {
                Kind::Binary if is_once => {
                    let (one, two) = (field(right, Part::Left)?, field(right, Part::Right)?);
                    match operator(right) {
                        "+" | "*" if same(one) || same(two) => exactly(is_unsigned),
                        "-" if same(one) => exactly(is_unsigned),
                        "&" | "|" | "^" if same(one) || same(two) => exactly(is_integer),
                        _ => None,
                    }
                }
                Kind::Call => {
                    let name = callee(right)?.to_ascii_lowercase();
                    let arguments = arguments(right);
                    let is_extreme = matches!(
                        name.as_str(),
                        "fmin" | "fmax" | "fminf" | "fmaxf" | "fminl" | "fmaxl" | "min" | "max" | "imin" | "imax"
                    );
                    (is_extreme && arguments.len() == 2 && arguments.iter().any(|argument| same(*argument)))
                        .then_some((read, write, is_integer))
                }
                // `x = e > x ? e : x`.
                Kind::Conditional => {
                    let cond = bare(field(right, Part::Condition)?);
                    let (then, otherwise) = (field(right, Part::Consequence)?, field(right, Part::Alternative)?);
                    let (one, two) = (field(cond, Part::Left)?, field(cond, Part::Right)?);
                    let compares = matches!(operator(cond), "<" | ">" | "<=" | ">=");
                    let is_side = |value: Node<'_>| is_same(one, value) || is_same(two, value);
                    let is_extreme = compares && (same(then) != same(otherwise)) && is_side(then) && is_side(otherwise);
                    is_extreme.then_some((read, write, is_integer))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The parts of `target = condition ? chosen : otherwise`.
pub(super) fn choice(assignment: Node<'_>) -> Option<Choice> {
    if assignment.kind() != Kind::Assign || operator(assignment) != "=" {
        return None;
    }
    let value = bare(field(assignment, Part::Right)?);
    let part = |of: Node<'_>, part: Part| field(of, part).and_then(|part| bare(part).place());
    (value.kind() == Kind::Conditional).then_some(())?;
    Some(Choice {
        target: part(assignment, Part::Left)?,
        condition: part(value, Part::Condition)?,
        chosen: part(value, Part::Consequence)?,
        otherwise: part(value, Part::Alternative)?,
    })
}
