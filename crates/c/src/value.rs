//! Statements that assign the value of an expression, which can be evaluated in other statements as well.

use crate::region::{File, HoleKind, Region};
use crate::write::lexical::{blanked, has_word};
use crate::write::{between_holes, end_of_operand};
use frit_scop::model::{AccessKind, Use};
use frit_scop::recompute::Text;
use frit_scop::{Array, Statement};
use std::ops::Range;

/// What a statement assigns.
pub(crate) struct Value {
    /// The bytes of the expression.
    pub(crate) range: Range<usize>,
    /// What is assigned: an array or a scalar of the source.
    pub(crate) assigned: Array,
    /// The expression is a single element of the same type, so that assigning it converts nothing.
    pub(crate) is_copy: bool,
}

/// The value that a statement assigns, if that is all that it does, and the expression means the same elsewhere.
pub(crate) fn value(text: &str, region: &Region, statement: Statement) -> Option<Value> {
    let template = &region.statements[statement];
    let accesses = &region.scop.statements[statement].accesses;
    let first = template.holes.first().filter(|hole| hole.range.start == template.range.start)?;
    let HoleKind::Access(written) = &first.kind else { return None };
    let &[write] = &written[..] else { return None };
    let access = accesses.get(write).filter(|access| access.kind == AccessKind::Write)?;
    let assigned = &region.arrays[access.array];
    if !assigned.is_number || assigned.element.is_empty() {
        return None;
    }
    let blank = blanked(text.get(first.range.end..template.range.end)?);
    let after = blank.trim_start().strip_prefix('=').filter(|after| !after.starts_with('='))?;
    let expression = after.trim_start();
    let start = template.range.end - expression.len();
    let expression = expression.trim_end().strip_suffix(';').unwrap_or(expression).trim_end();
    let is_whole = !expression.is_empty()
        && !expression.starts_with('{')
        && end_of_operand(expression, 0) == expression.len()
        && !expression.contains(['\\', '#']);
    let range = start..start + expression.len();
    // What is blanked is a comment or a literal; a literal stays as it is, so there must be no comment beside it.
    let raw = text.get(range.clone())?;
    let is_plain =
        !raw.contains(['"', '\'']) || !raw.contains(['\n', '\r']) && !raw.contains("/*") && !raw.contains("//");
    let is_seen = |position: usize| {
        template.holes.iter().any(|hole| {
            range.start <= hole.range.start
                && match &hole.kind {
                    HoleKind::Access(positions) => positions[..] == [position],
                    HoleKind::Name(at) => *at == position,
                    HoleKind::Iterator(_) | HoleKind::Counted(_) => false,
                }
        })
    };
    let sees_all = (0..accesses.len()).filter(|position| *position != write).all(is_seen);
    let is_named = |pieces: Vec<Range<usize>>| {
        pieces.into_iter().any(|piece| text.get(piece).is_none_or(|piece| has_word(&blanked(piece), &assigned.name)))
    };
    // A place that is not accessed, as in `sizeof t`, needs the array.
    let needs_name = region.statements.iter().any(|(_, template)| is_named(between_holes(template)));
    if !is_whole || !is_plain || !sees_all || needs_name {
        return None;
    }
    let is_copy = template.holes.iter().any(|hole| {
        hole.range == range
            && match &hole.kind {
                HoleKind::Access(positions) => positions.iter().all(|at| {
                    accesses.get(*at).is_some_and(|read| region.arrays[read.array].element == assigned.element)
                }),
                HoleKind::Name(_) | HoleKind::Iterator(_) | HoleKind::Counted(_) => false,
            }
    });
    Some(Value { range, assigned: access.array, is_copy })
}

/// A product may be handed on in an array to a sum or difference, which compilers may make one operation where both meet.
pub fn may_contract(file: &File, region: &Region, array: Array) -> bool {
    let has = |is_it: fn(AccessKind) -> bool, operators: &[char]| {
        region.scop.statements.iter().any(|(statement, data)| {
            let mut pieces = between_holes(&region.statements[statement]).into_iter();
            data.accesses.iter().any(|access| access.array == array && is_it(access.kind))
                && pieces.any(|piece| file.text.get(piece).is_some_and(|text| text.contains(operators)))
        })
    };
    region.hands_on(array)
        && has(|kind| kind != AccessKind::Read, &['*'])
        && has(|kind| kind == AccessKind::Read, &['+', '-'])
}

/// The statements of a region as recomputation asks for them.
pub struct Texts<'a> {
    file: &'a File,
    region: &'a Region,
}

impl<'a> Texts<'a> {
    /// Those of a region of a file.
    pub fn new(file: &'a File, region: &'a Region) -> Texts<'a> {
        Texts { file, region }
    }
}

impl Text for Texts<'_> {
    fn operations(&self, statement: Statement) -> Option<u64> {
        let value = value(&self.file.text, self.region, statement)?;
        let accesses = &self.region.scop.statements[statement].accesses;
        let element = |array: Array| &self.region.arrays[array].element;
        let converts = accesses.iter().any(|access| element(access.array) != element(value.assigned));
        // The assignment itself counts as one.
        Some(self.region.scop.statements[statement].work.saturating_sub(1) + u64::from(converts && !value.is_copy))
    }

    fn is_operand(&self, read: Use) -> bool {
        let template = &self.region.statements[read.statement];
        template
            .holes
            .iter()
            .any(|hole| matches!(&hole.kind, HoleKind::Access(positions) if positions[..] == [read.position]))
    }
}
