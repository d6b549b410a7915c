//! What a statement reads and writes.
//!
//! The statement is walked in the order of evaluation. A read of a place that the same statement has surely written before is no read from outside; a
//! write that may not happen is a `MayWrite`, unless the other branch writes the same place. Read `statements` next.

use super::Reason;
use super::affine::Expr;
use super::builder::{Builder, Effects, Here, Object, RawAccess, RawHole, Stop};
use super::names::DeclKind;
use super::places::{ObjectPlace, Place};
use super::purity::Call;
use super::regions::unknown_macro;
use super::syntax::{bare, children, field, fields, operator, text};
use super::types::{CType, named_type};
use frit_scop::AccessKind;
use std::ops::Range;
use tree_sitter::Node;

/// How a place is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    Read,
    Write,
    /// It is read, then written.
    Update,
}

impl Touch {
    fn reads(self) -> bool {
        self != Touch::Write
    }

    fn writes(self) -> bool {
        self != Touch::Read
    }
}

/// Why a label is no part of a region.
const ENTERED: &str = "a `goto` may enter it at this label; it should end before";

/// Walks a statement.
pub(crate) struct Walker<'w, 't, 'f> {
    pub(crate) builder: &'w mut Builder<'t, 'f>,
    /// What was found.
    pub(crate) effects: Effects,
    /// The bytes of the statement: what is declared in them is its own.
    own: Range<usize>,
    /// The accesses that are writes which have surely happened.
    written: Vec<usize>,
    /// How many loops, and how many loops and switches, are open in the statement.
    loops: usize,
    breaks: usize,
    /// Labels stand in the statement, so that control goes anywhere in it and no write is sure.
    has_labels: bool,
}

type Walked = Result<(), Stop>;
/// What is read where an access is not exact.
type Derived = (Vec<RawAccess>, Vec<RawHole>);

impl<'w, 't, 'f> Walker<'w, 't, 'f> {
    /// A walker over the statement of these bytes.
    pub(crate) fn new(builder: &'w mut Builder<'t, 'f>, own: Range<usize>) -> Self {
        let (effects, written) = (Effects::default(), Vec::new());
        Self { builder, effects, own, written, loops: 0, breaks: 0, has_labels: false }
    }

    /// Walks the rest of a loop's body, in which `continue` ends it.
    pub(crate) fn skippable(&mut self, nodes: &[Node<'t>]) -> Walked {
        self.loops += 1;
        let walked = self.branches(|walker| nodes.iter().try_for_each(|node| walker.statement(*node)), |_| Ok(()));
        self.loops -= 1;
        walked
    }

    /// Walks a statement that is one as a whole.
    pub(crate) fn whole_statement(&mut self, node: Node<'t>) -> Walked {
        let is_label = |label: Node<'t>| label.kind() == "labeled_statement";
        if super::syntax::descendants(node).skip(1).any(is_label) {
            // In a loop it might be written twice, which labels are not to be.
            if !self.builder.nest.is_empty() || self.is_entered(node) {
                return Err(self.stop(node, Reason::Jump, ENTERED.to_string(), false));
            }
            self.has_labels = true;
            self.not_understood("it has a label in it");
        }
        self.statement(node)
    }

    /// Whether a `goto` outside of a statement goes to a label in it.
    fn is_entered(&self, node: Node<'t>) -> bool {
        let source = self.builder.facts.source;
        let label = |jump: Node<'t>, kind| {
            field(jump, "label").filter(|_| jump.kind() == kind).map(|label| text(label, source))
        };
        let labels: Vec<&str> =
            super::syntax::descendants(node).filter_map(|inner| label(inner, "labeled_statement")).collect();
        let Some(function) = super::regions::function_of(node) else { return true };
        super::syntax::descendants(function)
            .filter(|jump| !super::syntax::is_within(&jump.byte_range(), &node.byte_range()))
            .any(|jump| {
                // `goto *p` may go anywhere.
                jump.kind() == "goto_statement" && label(jump, "goto_statement").is_none_or(|to| labels.contains(&to))
            })
    }

    /// Walks a statement.
    pub(crate) fn statement(&mut self, node: Node<'t>) -> Walked {
        let here = self.builder.here();
        match node.kind() {
            "compound_statement" | "else_clause" => {
                children(node).into_iter().try_for_each(|child| self.statement(child))
            }
            "expression_statement" => children(node).into_iter().try_for_each(|child| self.expr(child, here)),
            "declaration" => self.declaration(node),
            "if_statement" => {
                if let Some(cond) = field(node, "condition") {
                    self.expr(cond, here)?;
                }
                let (then, otherwise) = (field(node, "consequence"), field(node, "alternative"));
                self.branches(
                    |walker| then.map_or(Ok(()), |then| walker.statement(then)),
                    |walker| otherwise.map_or(Ok(()), |otherwise| walker.statement(otherwise)),
                )
            }
            "for_statement" => {
                for part in ["initializer", "condition"].iter().flat_map(|part| fields(node, part)) {
                    if part.kind() == "declaration" { self.declaration(part)? } else { self.expr(part, here)? }
                }
                self.repeated(|walker| {
                    if let Some(body) = field(node, "body") {
                        walker.statement(body)?;
                    }
                    fields(node, "update").into_iter().try_for_each(|update| walker.expr(update, here))
                })
            }
            "while_statement" | "do_statement" => self.repeated(|walker| {
                if let Some(cond) = field(node, "condition") {
                    walker.expr(cond, here)?;
                }
                field(node, "body").map_or(Ok(()), |body| walker.statement(body))
            }),
            "switch_statement" => {
                if let Some(cond) = field(node, "condition") {
                    self.expr(cond, here)?;
                }
                self.breaks += 1;
                let walked = self.switch(node);
                self.breaks -= 1;
                walked
            }
            "case_statement" => {
                // Cases fall in from above or are jumped to: what was written before a label is not sure to be.
                let written = self.written.clone();
                self.case(node)?;
                self.written = written;
                Ok(())
            }
            "break_statement" if self.breaks > 0 => Ok(()),
            "continue_statement" if self.loops > 0 => Ok(()),
            "break_statement" | "continue_statement" => {
                let is_break = node.kind() == "break_statement";
                let why = if is_break { "`break` may leave it early" } else { "`continue` ends an iteration early" };
                Err(self.stop(node, Reason::NotAffine, why.to_string(), false))
            }
            "return_statement" => {
                self.unknown("control leaves the region in it");
                children(node).into_iter().try_for_each(|child| self.expr(child, here))
            }
            "goto_statement" => {
                let label = field(node, "label").map(|label| text(label, here.source));
                if !self.is_own_label(node, label) {
                    self.unknown("control leaves the region in it");
                    self.effects.jumps = true;
                }
                Ok(())
            }
            "labeled_statement" if self.has_labels => {
                let label = field(node, "label");
                let inner = children(node).into_iter().filter(|child| Some(*child) != label);
                inner.collect::<Vec<_>>().into_iter().try_for_each(|child| self.statement(child))
            }
            "labeled_statement" => Err(self.stop(node, Reason::Jump, ENTERED.to_string(), false)),
            kind if kind.starts_with("preproc_") => Err(self.stop(
                node,
                Reason::Preprocessor,
                "a line of the preprocessor stands in it; such lines belong round a region".to_string(),
                true,
            )),
            _ if node.is_error() => {
                Err(self.stop(node, Reason::Unreadable, "this is not understood".to_string(), true))
            }
            _ => self.expr(node, here),
        }
    }

    fn stop(&self, node: Node<'_>, reason: Reason, why: String, is_fatal: bool) -> Stop {
        Stop { reason, why, range: node.byte_range(), is_fatal }
    }

    fn not_understood(&mut self, why: &str) {
        self.effects.opaque.get_or_insert_with(|| why.to_string());
    }

    fn unknown(&mut self, why: &str) {
        self.not_understood(why);
        self.effects.reads_unknown = true;
        self.effects.writes_unknown = true;
    }

    fn declaration(&mut self, node: Node<'t>) -> Walked {
        let here = self.builder.here();
        if let Some(name) = macro_type(node, here.source) {
            let why = unknown_macro(name);
            return Err(self.stop(node, Reason::MacroStatement, why, true));
        }
        for declarator in fields(node, "declarator") {
            // Extents are expressions too.
            let mut at = Some(declarator);
            while let Some(inner) = at {
                if let Some(size) = field(inner, "size") {
                    self.expr(size, here)?;
                }
                at = field(inner, "declarator");
            }
            if let Some(value) = field(declarator, "value") {
                self.expr(value, here)?;
            }
        }
        let is_static = children(node).iter().any(|child| child.kind() == "storage_class_specifier");
        if is_static {
            self.unknown("it declares a variable that outlives it");
        }
        Ok(())
    }

    fn case(&mut self, node: Node<'t>) -> Walked {
        let value = field(node, "value");
        children(node).into_iter().filter(|child| Some(*child) != value).try_for_each(|child| self.statement(child))
    }

    /// What all cases write is written if there is a default and each case goes to its end, where it leaves the `switch`.
    fn switch(&mut self, node: Node<'t>) -> Walked {
        let Some(body) = field(node, "body") else { return Ok(()) };
        let cases = children(body);
        let ends = |case: &Node<'t>| {
            let all = children(*case);
            let breaks = super::syntax::descendants(*case).filter(|node| node.kind() == "break_statement").count();
            all.last().is_some_and(|last| last.kind() == "break_statement") && breaks == 1
        };
        let is_plain = |(at, case): (usize, &Node<'t>)| {
            // Several labels before the same statements.
            let is_label =
                at + 1 < cases.len() && children(*case).len() <= usize::from(field(*case, "value").is_some());
            let leaves = super::syntax::descendants(*case).any(|node| node.kind() == "break_statement");
            case.kind() == "case_statement" && (is_label || ends(case) || at + 1 == cases.len() && !leaves)
        };
        let has_default = cases.iter().any(|case| case.kind() == "case_statement" && field(*case, "value").is_none());
        if !has_default || body.kind() != "compound_statement" || !cases.iter().enumerate().all(is_plain) {
            return self.branches(|walker| walker.statement(body), |_| Ok(()));
        }
        let filled: Vec<Node<'t>> = cases
            .iter()
            .copied()
            .filter(|case| children(*case).len() > usize::from(field(*case, "value").is_some()))
            .collect();
        self.one_of(&filled)
    }

    /// Walks cases of which one runs.
    fn one_of(&mut self, cases: &[Node<'t>]) -> Walked {
        match cases {
            [] => Ok(()),
            [last] => self.case(*last),
            [first, others @ ..] => self.branches(|walker| walker.case(*first), |walker| walker.one_of(others)),
        }
    }

    /// Whether a `goto` goes to a label of the statement itself.
    fn is_own_label(&self, node: Node<'t>, label: Option<&str>) -> bool {
        let source = self.builder.facts.source;
        let inside = |node: &Node<'t>| super::syntax::is_within(&node.byte_range(), &self.own);
        let outermost = std::iter::successors(Some(node), |node| node.parent().filter(inside)).last();
        self.has_labels
            && outermost.into_iter().flat_map(super::syntax::descendants).any(|node| {
                let own = field(node, "label").filter(|_| node.kind() == "labeled_statement");
                own.is_some_and(|own| Some(text(own, source)) == label)
            })
    }

    /// Walks what runs again and again, or not at all.
    fn repeated(&mut self, walk: impl FnOnce(&mut Self) -> Walked) -> Walked {
        self.loops += 1;
        self.breaks += 1;
        let walked = self.branches(walk, |_| Ok(()));
        self.loops -= 1;
        self.breaks -= 1;
        walked
    }

    /// Walks two branches of which one runs.
    fn branches(&mut self, one: impl FnOnce(&mut Self) -> Walked, two: impl FnOnce(&mut Self) -> Walked) -> Walked {
        let (start, before) = (self.effects.accesses.len(), self.written.len());
        one(self)?;
        let of_one = self.written.split_off(before);
        two(self)?;
        let of_two = self.written.split_off(before);
        let accesses = &self.effects.accesses;
        let is_same = |one: usize, two: usize| {
            accesses[one].object == accesses[two].object && accesses[one].subscripts == accesses[two].subscripts
        };
        let is_sure =
            |at: usize| of_one.iter().any(|one| is_same(*one, at)) && of_two.iter().any(|two| is_same(*two, at));
        let end = accesses.len();
        let unsure: Vec<usize> =
            (start..end).filter(|at| accesses[*at].kind == AccessKind::Write && !is_sure(*at)).collect();
        let sure: Vec<usize> = of_one.iter().copied().filter(|at| is_sure(*at)).collect();
        for at in unsure {
            self.effects.accesses[at].kind = AccessKind::MayWrite;
        }
        self.written.extend(sure);
        Ok(())
    }

    /// Walks an expression whose value is used, or not.
    pub(crate) fn expr(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        let node = bare(node);
        let each = |walker: &mut Self| children(node).into_iter().try_for_each(|child| walker.expr(child, here));
        match node.kind() {
            "number_literal"
            | "char_literal"
            | "string_literal"
            | "concatenated_string"
            | "true"
            | "false"
            | "null"
            | "comment"
            | "type_descriptor"
            | "field_identifier"
            | "offsetof_expression"
            | "alignof_expression" => Ok(()),
            "sizeof_expression" => Ok(()),
            "identifier" | "subscript_expression" | "field_expression" => self.touch(node, here, Touch::Read, None),
            "pointer_expression" if operator(node, here.source) == "*" => self.touch(node, here, Touch::Read, None),
            "pointer_expression" => self.address(node, here),
            "assignment_expression" => {
                self.effects.work += 1;
                let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Ok(()) };
                self.expr(right, here)?;
                let touch = if operator(node, here.source) == "=" { Touch::Write } else { Touch::Update };
                self.touch(left, here, touch, None)
            }
            "update_expression" => {
                self.effects.work += 1;
                field(node, "argument").map_or(Ok(()), |argument| self.touch(argument, here, Touch::Update, None))
            }
            "binary_expression" => self.binary(node, here),
            "conditional_expression" => {
                self.effects.work += 1;
                let parts = ["condition", "consequence", "alternative"].map(|part| field(node, part));
                let walk =
                    |walker: &mut Self, part: Option<Node<'_>>| part.map_or(Ok(()), |part| walker.expr(part, here));
                walk(self, parts[0])?;
                self.branches(|walker| walk(walker, parts[1]), |walker| walk(walker, parts[2]))
            }
            "call_expression" => self.call(node, here),
            "unary_expression" | "comma_expression" | "argument_list" | "initializer_list" | "initializer_pair" => {
                self.effects.work += u64::from(node.kind() == "unary_expression");
                each(self)
            }
            "cast_expression" => field(node, "value").map_or(Ok(()), |value| self.expr(value, here)),
            "compound_literal_expression" => field(node, "value").map_or(Ok(()), |value| self.expr(value, here)),
            "subscript_designator" | "field_designator" => each(self),
            "gnu_asm_expression" => {
                self.unknown("it is assembler code");
                each(self)
            }
            // Parts of assembler code, and what is newer than this list.
            _ if here.macros == 0 && node.is_error() => {
                Err(self.stop(node, Reason::Unreadable, "this is not understood".to_string(), true))
            }
            _ => {
                self.unknown("it holds an expression of an unusual kind");
                if here.macros == 0 && node.kind() == "compound_statement" {
                    // A statement as an expression; jumps out of it would be seen here.
                    return self.block_expression(node);
                }
                each(self)
            }
        }
    }

    fn block_expression(&mut self, node: Node<'_>) -> Walked {
        let source = self.builder.facts.source;
        for inner in super::syntax::descendants(node) {
            if matches!(
                inner.kind(),
                "return_statement" | "goto_statement" | "labeled_statement" | "break_statement" | "continue_statement"
            ) {
                let word = text(inner, source).to_string();
                return Err(self.stop(inner, Reason::Jump, format!("`{word}` stands in an expression"), true));
            }
            if matches!(inner.kind(), "identifier") {
                let here = self.builder.here();
                self.touch(inner, here, Touch::Update, None)?;
            }
        }
        Ok(())
    }

    fn binary(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        let sign = operator(node, here.source);
        self.effects.work += if matches!(sign, "/" | "%") { 4 } else { 1 };
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Ok(()) };
        let is_comparison = matches!(sign, "==" | "!=" | "<" | ">" | "<=" | ">=");
        for side in [left, right] {
            // Comparing pointers reads nothing behind them.
            let is_bare = is_comparison && bare(side).kind() == "identifier" && self.is_array(bare(side), here);
            if is_bare {
                continue;
            }
            if matches!(sign, "&&" | "||") && side == right {
                self.branches(|walker| walker.expr(side, here), |_| Ok(()))?;
            } else {
                self.expr(side, here)?;
            }
        }
        Ok(())
    }

    fn is_array(&mut self, identifier: Node<'_>, here: Here<'_>) -> bool {
        self.builder.decl(identifier, here).is_some_and(|decl| self.builder.names.decls[decl].of.is_array())
    }

    /// `&x`: whoever gets it may read and write.
    fn address(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        let Some(argument) = field(node, "argument") else { return Ok(()) };
        self.whole(argument, here, true)
    }

    /// An expression that is handed on as a pointer, or a number.
    pub(crate) fn handed(&mut self, node: Node<'_>, here: Here<'_>, is_written: bool) -> Walked {
        let inner = super::syntax::uncast(node);
        match inner.kind() {
            "identifier" if self.is_array(inner, here) => self.whole(inner, here, is_written),
            "pointer_expression" if operator(inner, here.source) == "&" => {
                field(inner, "argument").map_or(Ok(()), |argument| self.whole(argument, here, is_written))
            }
            "binary_expression" => {
                for side in ["left", "right"].iter().filter_map(|side| field(inner, side)) {
                    self.handed(side, here, is_written)?;
                }
                Ok(())
            }
            _ => {
                let own = self.own.clone();
                match self.builder.place(inner, here, &own) {
                    Place::Object(place) if place.subscripts.len() < self.builder.objects[place.object].dims => {
                        self.whole(inner, here, is_written)
                    }
                    _ => self.expr(inner, here),
                }
            }
        }
    }

    /// All elements of an array, because its address is known.
    fn whole(&mut self, node: Node<'_>, here: Here<'_>, is_written: bool) -> Walked {
        let own = self.own.clone();
        self.indices(node, here)?;
        match self.builder.place(node, here, &own) {
            Place::Object(mut place) => {
                place.subscripts = vec![None; self.builder.objects[place.object].dims];
                let range = (here.macros == 0).then(|| node.byte_range());
                if place.is_row {
                    self.builder.objects[place.object].is_pinned = true;
                    place.name = None;
                }
                let mut positions = vec![self.access(&place, AccessKind::Read)];
                if is_written {
                    positions.push(self.access(&place, AccessKind::MayWrite));
                }
                self.hole(&place, range, positions);
                Ok(())
            }
            Place::Counter(_) | Place::Counted(_) => {
                Err(self.stop(node, Reason::NotAffine, "the address of a loop's variable is taken".to_string(), false))
            }
            Place::Own | Place::Fixed => Ok(()),
            Place::Volatile | Place::Pointer | Place::Unknown => {
                self.unknown("it takes an address that is not known");
                self.reached(node, here)
            }
        }
    }

    /// Reads or writes a place. `cover` is the range of the macro call that stands for it.
    fn touch(&mut self, node: Node<'_>, here: Here<'_>, touch: Touch, cover: Option<Range<usize>>) -> Walked {
        let node = bare(node);
        if node.kind() == "call_expression" {
            return self.macro_call(node, here, touch);
        }
        if node.kind() == "identifier" {
            let name = text(node, here.source);
            if let Some((argument, there)) = here.arguments.and_then(|arguments| arguments.get(name)) {
                // The argument has been read where it stands.
                return if touch.writes() { self.touch(*argument, *there, touch, None) } else { Ok(()) };
            }
            let is_macro = self.builder.facts.macros.get(name).is_some_and(|known| known.params.is_none());
            if is_macro
                && self
                    .builder
                    .decl(node, here)
                    .is_none_or(|decl| self.builder.names.decls[decl].kind == DeclKind::Undeclared)
            {
                return self.macro_call(node, here, touch);
            }
        }
        let own = self.own.clone();
        let place = self.builder.place(node, here, &own);
        let range = cover.or_else(|| (here.macros == 0).then(|| node.byte_range()));
        match place {
            Place::Own => self.indices(node, here),
            Place::Fixed if touch.writes() => {
                self.unknown("it writes what is not known");
                self.indices(node, here)
            }
            Place::Fixed => self.indices(node, here),
            Place::Counter(depth) => {
                if touch.writes() {
                    return Err(self.stop(
                        node,
                        Reason::NotAffine,
                        "the loop's variable is assigned in its body".to_string(),
                        false,
                    ));
                }
                match range {
                    Some(range) => self.effects.iterators.push((range, depth)),
                    None => self.effects.hides_iterator = true,
                }
                Ok(())
            }
            Place::Counted(decl) => {
                let counted = self.builder.counted(decl).filter(|_| !touch.writes()).zip(range);
                let Some((counted, range)) = counted else {
                    let why = format!(
                        "`{}`, which the loop counts, is assigned or named in a macro",
                        text(node, here.source)
                    );
                    return Err(self.stop(node, Reason::NotAffine, why, false));
                };
                self.effects.counted.push((range, counted));
                Ok(())
            }
            Place::Volatile => {
                self.unknown("it accesses `volatile` or `_Atomic` memory");
                self.reached(node, here)
            }
            Place::Pointer | Place::Unknown => {
                self.effects.reads_unknown |= touch.reads();
                if touch.writes() {
                    self.unknown("it writes through a pointer that is not known");
                }
                self.not_understood("it reads through a pointer that is not known");
                self.reached(node, here)
            }
            Place::Object(place) => {
                let range = place.element.clone().or(range);
                self.object(node, here, touch, place, range)
            }
        }
    }

    fn object(
        &mut self,
        node: Node<'_>,
        here: Here<'_>,
        touch: Touch,
        mut place: ObjectPlace,
        range: Option<Range<usize>>,
    ) -> Walked {
        let dims = self.builder.objects[place.object].dims;
        if place.subscripts.len() < dims {
            if touch.writes() {
                self.unknown("it assigns a pointer");
            }
            return self.whole(node, here, true);
        }
        self.builder.objects[place.object].is_subscripted |= place.is_subscripted;
        self.builder.objects[place.object].is_wide |= self.is_wide(node, here);
        let is_exact = place.subscripts.iter().all(Option::is_some);
        let counted = self.effects.counted.len();
        let mut derived = Derived::default();
        if is_exact && !place.is_partial {
            derived = self.unread_subscripts(node, here, &mut place, range.is_some())?;
        } else {
            self.subscripts(node, here, &mut place)?;
        }
        let has_counted = self.effects.counted.len() > counted;
        let mut positions = Vec::new();
        if touch.reads() {
            let before = self.written.iter().copied().find(|at| {
                let known = &self.effects.accesses[*at];
                is_exact && known.object == place.object && known.subscripts == place.subscripts
            });
            positions.push(before.unwrap_or_else(|| self.access(&place, AccessKind::Read)));
        }
        if touch.writes() {
            let is_sure = is_exact && !place.is_partial && !self.has_labels;
            let at = self.access(&place, if is_sure { AccessKind::Write } else { AccessKind::MayWrite });
            if is_sure {
                self.written.push(at);
            }
            positions.push(at);
        }
        self.derived_hole(&place, range.clone(), positions, derived);
        if let Some(hole) =
            self.effects.holes.iter_mut().find(|hole| has_counted && Some(&hole.range) == range.as_ref())
        {
            hole.is_derived = true;
        }
        Ok(())
    }

    /// Walks what stands in subscripts.
    fn subscripts(&mut self, node: Node<'_>, here: Here<'_>, place: &mut ObjectPlace) -> Walked {
        self.indices(node, here)?;
        if place.is_row
            && let Some(row) = place.name.take()
        {
            self.read_name(row, node, here);
        }
        Ok(())
    }

    /// Walks subscripts that are known: what stands in them, which is returned, is read only where they stay as they are.
    fn unread_subscripts(
        &mut self,
        node: Node<'_>,
        here: Here<'_>,
        place: &mut ObjectPlace,
        is_visible: bool,
    ) -> Result<Derived, Stop> {
        let (outer, written) = (std::mem::take(&mut self.effects), std::mem::take(&mut self.written));
        let walked = self.subscripts(node, here, place);
        let inner = std::mem::replace(&mut self.effects, outer);
        self.written = written;
        walked?;
        self.effects.iterators.extend(inner.iterators);
        self.effects.counted.extend(inner.counted);
        self.effects.reads_unknown |= inner.reads_unknown;
        self.effects.writes_unknown |= inner.writes_unknown;
        if let Some(why) = inner.opaque {
            self.not_understood(&why);
        }
        // The access is written anew as a whole.
        self.effects.hides_iterator |= inner.hides_iterator && !is_visible;
        Ok((inner.accesses, inner.holes))
    }

    /// Whether subscripts are computed in 64 bits.
    fn is_wide(&self, node: Node<'_>, here: Here<'_>) -> bool {
        let types = &self.builder.facts.types;
        let is_long = |cast: Node<'_>| {
            let of = field(cast, "type").map(|descriptor| named_type(descriptor, here.source, types));
            matches!(of, Some(CType::Int { bytes: 8, .. }))
        };
        super::syntax::descendants(node).filter(|node| node.kind() == "cast_expression").any(is_long)
    }

    /// The value of the variable whose name stands at this range is read: a pointer to a row.
    fn read_name(&mut self, name: Range<usize>, node: Node<'_>, here: Here<'_>) {
        let mut at = node;
        while at.byte_range() != name {
            let Some(inner) =
                children(at).into_iter().find(|child| child.start_byte() <= name.start && name.end <= child.end_byte())
            else {
                return;
            };
            at = inner;
        }
        if let Some(decl) = self.builder.decl(at, here) {
            let object = self.builder.variable(decl);
            let read = self.effects.accesses.len();
            self.effects.accesses.push(RawAccess { object, kind: AccessKind::Read, subscripts: vec![] });
            let (range, name) = (name.clone(), Some(name));
            let derived = Default::default();
            self.effects.holes.push(RawHole { range, name, accesses: vec![read], is_derived: false, derived });
        }
    }

    fn access(&mut self, place: &ObjectPlace, kind: AccessKind) -> usize {
        self.effects.accesses.push(RawAccess { object: place.object, kind, subscripts: place.subscripts.clone() });
        self.effects.accesses.len() - 1
    }

    fn hole(&mut self, place: &ObjectPlace, range: Option<Range<usize>>, accesses: Vec<usize>) {
        self.derived_hole(place, range, accesses, Default::default());
    }

    fn derived_hole(
        &mut self,
        place: &ObjectPlace,
        range: Option<Range<usize>>,
        accesses: Vec<usize>,
        derived: Derived,
    ) {
        if range.is_none() {
            // Such text cannot be written in another way: the array stays what it is.
            self.builder.objects[place.object].is_pinned = true;
        }
        let Some(range) = range else {
            self.effects.accesses.extend(derived.0);
            return;
        };
        let is_derived = place.is_row || !derived.0.is_empty();
        match self.effects.holes.iter_mut().find(|hole| hole.range == range) {
            Some(hole) => hole.accesses.extend(accesses),
            None => self.effects.holes.push(RawHole { range, name: place.name.clone(), accesses, is_derived, derived }),
        }
    }

    /// Walks a place that is not understood: all arrays that are named in it may be read and written.
    fn reached(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        let node = bare(node);
        match (node.kind(), field(node, "argument")) {
            ("identifier", _) if self.is_array(node, here) => {
                let own = self.own.clone();
                match self.builder.place(node, here, &own) {
                    Place::Object(_) => self.whole(node, here, true),
                    _ => Ok(()),
                }
            }
            ("subscript_expression", Some(argument)) => {
                self.reached(argument, here)?;
                field(node, "index").map_or(Ok(()), |index| self.reached(index, here))
            }
            ("pointer_expression" | "field_expression", Some(argument)) => self.reached(argument, here),
            ("binary_expression" | "cast_expression", _) => ["left", "right", "value"]
                .iter()
                .filter_map(|part| field(node, part))
                .try_for_each(|part| self.reached(part, here)),
            ("identifier", _) => {
                let own = self.own.clone();
                match self.builder.place(node, here, &own) {
                    Place::Pointer | Place::Unknown | Place::Volatile => Ok(()),
                    _ => self.expr(node, here),
                }
            }
            _ => self.expr(node, here),
        }
    }

    /// Walks the subscripts of a place.
    pub(crate) fn indices(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        let node = bare(node);
        let argument = field(node, "argument");
        match (node.kind(), argument) {
            ("identifier", _) => Ok(()),
            ("subscript_expression", Some(argument)) => {
                self.indices(argument, here)?;
                field(node, "index").map_or(Ok(()), |index| self.expr(index, here))
            }
            ("pointer_expression" | "field_expression", Some(argument)) => self.indices(argument, here),
            ("binary_expression", _) => {
                for side in ["left", "right"].iter().filter_map(|side| field(node, side)) {
                    let is_base = bare(side).kind() == "identifier" && self.is_array(bare(side), here);
                    if is_base { continue } else { self.indices_or_value(side, here)? }
                }
                Ok(())
            }
            ("cast_expression", _) => self.reached(node, here),
            _ => self.expr(node, here),
        }
    }

    fn indices_or_value(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        match bare(node).kind() {
            "identifier" | "number_literal" | "subscript_expression" | "field_expression" => self.expr(node, here),
            _ => self.indices(node, here),
        }
    }

    fn call(&mut self, node: Node<'_>, here: Here<'_>) -> Walked {
        self.effects.work += 8;
        let callee = field(node, "function").map(bare);
        let name = callee.filter(|callee| callee.kind() == "identifier").map(|callee| text(callee, here.source));
        let arguments = field(node, "arguments").map(children).unwrap_or_default();
        let Some(name) = name else {
            self.unknown("it calls what is not known");
            return children(node).into_iter().try_for_each(|child| self.expr(child, here));
        };
        if self.builder.facts.macros.contains_key(name) {
            return self.macro_call(node, here, Touch::Read);
        }
        match self.builder.purity.of(name) {
            Call::Pure => arguments.into_iter().try_for_each(|argument| self.handed(argument, here, false)),
            Call::Reads => {
                self.effects.reads_unknown = true;
                self.not_understood(&format!("it calls `{name}`, which may read any memory"));
                arguments.into_iter().try_for_each(|argument| self.handed(argument, here, false))
            }
            Call::WritesFirst => {
                self.not_understood(&format!("it calls `{name}`"));
                let is_first = |at: usize| at == 0;
                arguments
                    .into_iter()
                    .enumerate()
                    .try_for_each(|(at, argument)| self.handed(argument, here, is_first(at)))
            }
            Call::Frees => {
                self.not_understood("it frees memory that the region does not allocate");
                arguments.into_iter().try_for_each(|argument| self.handed(argument, here, true))
            }
            Call::Unknown => {
                self.unknown(&if self.builder.facts.functions.contains_key(name) {
                    format!("it calls `{name}`, which does more than compute a number, as far as is understood")
                } else {
                    format!("it calls `{name}`, of which nothing is known (if it only computes a number, declare it `__attribute__((const))`)")
                });
                arguments.into_iter().try_for_each(|argument| self.handed(argument, here, true))
            }
        }
    }

    /// A macro with or without arguments.
    fn macro_call(&mut self, node: Node<'_>, here: Here<'_>, touch: Touch) -> Walked {
        let arguments = field(node, "arguments").map(children).unwrap_or_default();
        for argument in &arguments {
            // Names of arrays are looked at where the macro subscripts them.
            let is_name = bare(*argument).kind() == "identifier" && self.is_array(bare(*argument), here);
            let is_whole =
                is_name && !here.arguments.is_some_and(|bound| bound.contains_key(text(bare(*argument), here.source)));
            if !is_whole {
                self.expr(*argument, here)?;
            }
        }
        let name = text(field(node, "function").unwrap_or(node), here.source).to_string();
        let cover = (here.macros == 0).then(|| node.byte_range());
        let mut walked = None;
        let mut effects = std::mem::take(&mut self.effects);
        let (own, written, loops, breaks) = (self.own.clone(), self.written.clone(), self.loops, self.breaks);
        let has_labels = self.has_labels;
        self.builder.in_macro(node, here, |builder, body, inner| {
            let mut walker =
                Walker { builder, effects: std::mem::take(&mut effects), own, written, loops, breaks, has_labels };
            let body = bare(body);
            let is_place = matches!(body.kind(), "subscript_expression" | "field_expression")
                || body.kind() == "pointer_expression" && operator(body, inner.source) == "*";
            let result = if is_place || touch.writes() {
                walker.touch(body, inner, touch, cover)
            } else {
                walker.expr(body, inner)
            };
            walked = Some((result, walker.effects, walker.written));
            Some(())
        });
        match walked {
            Some((result, effects, written)) => {
                self.effects = effects;
                self.written = written;
                result
            }
            None => {
                self.effects = effects;
                let is_number = node.kind() == "identifier" && touch == Touch::Read;
                if !is_number {
                    self.unknown(&format!("it uses the macro `{name}`, whose value is not known"));
                    for argument in arguments {
                        self.handed(argument, here, true)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// What was found; `object` with these subscripts is written at the end.
    pub(crate) fn finish_with(mut self, object: Object, subscripts: Vec<Option<Expr>>, name: Range<usize>) -> Effects {
        let place = ObjectPlace {
            object,
            subscripts,
            is_partial: false,
            name: Some(name.clone()),
            is_row: false,
            is_subscripted: false,
            element: None,
        };
        let at = self.access(&place, AccessKind::Write);
        self.hole(&place, Some(name), vec![at]);
        self.effects
    }
}

/// The macro with parentheses that the grammar takes for the type of a declaration, `CHECK(x) y = 1;`.
pub(crate) fn macro_type<'s>(declaration: Node<'_>, source: &'s str) -> Option<&'s str> {
    let of = field(declaration, "type").filter(|of| of.kind() == "macro_type_specifier")?;
    Some(field(of, "name").map_or("", |name| text(name, source)))
}
