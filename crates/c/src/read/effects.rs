//! What a statement reads and writes.
//!
//! The statement is walked in the order of evaluation. A read of a place that the same statement has surely written before is no read from outside; a
//! write that may not happen is a `MayWrite`, unless the other branch writes the same place. Read `statements` next.

use super::Reason;
use super::affine::Expr;
use super::builder::{Builder, Effects, Object, RawAccess, RawHole, Stop};
use super::names::DeclKind;
use super::places::{ObjectPlace, Place};
use super::purity::Call;
use super::syntax::{arguments, bare, callee, children, field, fields, operator, text};
use crate::ast::{CType, Kind, Node, Part};
use frit_scop::AccessKind;
use std::ops::Range;

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

/// Functions that end the program.
pub(super) const ENDS: [&str; 5] = ["exit", "abort", "_exit", "_Exit", "quick_exit"];
/// Longer jumps are not shown in messages.
const MOST_SHOWN: usize = 60;
/// Functions of the C library whose calls people see, in the order of the alphabet.
const INPUT_AND_OUTPUT: [&str; 16] = [
    "fgets", "fprintf", "fputc", "fputs", "fread", "fscanf", "fwrite", "getc", "getchar", "perror", "printf", "putc",
    "putchar", "puts", "scanf", "vprintf",
];

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
        let is_label = |label: Node<'t>| label.kind() == Kind::Label;
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
        let labels: Vec<&str> = super::syntax::descendants(node)
            .filter(|inner| inner.kind() == Kind::Label)
            .map(|inner| inner.name())
            .collect();
        let Some(function) = super::regions::function_of(node) else { return true };
        super::syntax::descendants(function)
            .filter(|jump| !super::syntax::is_within(&jump.byte_range(), &node.byte_range()))
            // `goto *p` may go anywhere.
            .any(|jump| jump.kind() == Kind::Goto && (jump.name().is_empty() || labels.contains(&jump.name())))
    }

    /// Walks a statement.
    pub(crate) fn statement(&mut self, node: Node<'t>) -> Walked {
        match node.kind() {
            Kind::Block => children(node).into_iter().try_for_each(|child| self.statement(child)),
            Kind::ExpressionStatement => children(node).into_iter().try_for_each(|child| self.expr(child)),
            Kind::Empty | Kind::Comment => Ok(()),
            Kind::Asm => {
                self.unknown("it is assembler code");
                children(node).into_iter().try_for_each(|child| self.touch(child, Touch::Update))
            }
            Kind::Declaration => self.declaration(node),
            Kind::If => {
                if let Some(cond) = field(node, Part::Condition) {
                    self.expr(cond)?;
                }
                let (then, otherwise) = (field(node, Part::Consequence), field(node, Part::Alternative));
                self.branches(
                    |walker| then.map_or(Ok(()), |then| walker.statement(then)),
                    |walker| otherwise.map_or(Ok(()), |otherwise| walker.statement(otherwise)),
                )
            }
            Kind::For => {
                for part in [Part::Initial, Part::Condition].iter().flat_map(|part| fields(node, part)) {
                    if part.kind() == Kind::Declaration { self.declaration(part)? } else { self.expr(part)? }
                }
                self.repeated(|walker| {
                    if let Some(body) = field(node, Part::Body) {
                        walker.statement(body)?;
                    }
                    fields(node, Part::Update).into_iter().try_for_each(|update| walker.expr(update))
                })
            }
            Kind::While | Kind::Do => self.repeated(|walker| {
                if let Some(cond) = field(node, Part::Condition) {
                    walker.expr(cond)?;
                }
                field(node, Part::Body).map_or(Ok(()), |body| walker.statement(body))
            }),
            Kind::Switch => {
                if let Some(cond) = field(node, Part::Condition) {
                    self.expr(cond)?;
                }
                self.breaks += 1;
                let walked = self.switch(node);
                self.breaks -= 1;
                walked
            }
            Kind::Case => {
                // Cases fall in from above or are jumped to: what was written before a label is not sure to be.
                let written = self.written.clone();
                self.case(node)?;
                self.written = written;
                Ok(())
            }
            Kind::Break if self.breaks > 0 => Ok(()),
            Kind::Continue if self.loops > 0 => Ok(()),
            Kind::Break | Kind::Continue => {
                let is_break = node.kind() == Kind::Break;
                let why = if is_break { "`break` may leave it early" } else { "`continue` ends an iteration early" };
                Err(self.stop(node, Reason::NotAffine, why.to_string(), false))
            }
            Kind::Return => {
                self.leaves(node, "returns from the function", "return");
                children(node).into_iter().try_for_each(|child| self.expr(child))
            }
            Kind::Goto => {
                if !self.is_own_label(node) {
                    self.leaves(node, "jumps out of these loops", "jump");
                    self.effects.jumps = true;
                }
                Ok(())
            }
            Kind::Label if self.has_labels => children(node).into_iter().try_for_each(|child| self.statement(child)),
            Kind::Label => Err(self.stop(node, Reason::Jump, ENTERED.to_string(), false)),
            // The whole statement stays as it is, with its pragmas.
            Kind::Directive => Ok(()),
            Kind::Definition => {
                Err(self.stop(node, Reason::Declaration, "it defines a type or a function".to_string(), true))
            }
            _ => self.expr(node),
        }
    }

    fn stop(&self, node: Node<'_>, reason: Reason, why: String, is_fatal: bool) -> Stop {
        Stop { reason, why, range: node.byte_range(), is_fatal }
    }

    fn not_understood(&mut self, why: &str) {
        self.effects.opaque.get_or_insert_with(|| why.to_string());
    }

    /// Control leaves the region at a jump.
    fn leaves(&mut self, node: Node<'_>, what: &str, verb: &str) {
        let line = self.builder.source.line(node.start_byte());
        let written = text(node).split_whitespace().collect::<Vec<_>>().join(" ");
        let shown =
            if written.is_empty() || written.len() > MOST_SHOWN { String::new() } else { format!("`{written}` in ") };
        self.unknown(&format!(
            "{shown}line {line} {what}, and other loops must not run before that is known: note it in a variable, and {verb} behind the loops"
        ));
    }

    fn unknown(&mut self, why: &str) {
        self.not_understood(why);
        self.effects.reads_unknown = true;
        self.effects.writes_unknown = true;
    }

    fn declaration(&mut self, node: Node<'t>) -> Walked {
        for variable in fields(node, Part::Variable) {
            // Extents are expressions too.
            for part in fields(variable, Part::Size).into_iter().chain(fields(variable, Part::Value)) {
                self.expr(part)?;
            }
            if variable.decl().is_some_and(|decl| self.builder.names.decls[decl].typed.is_static) {
                self.unknown("it declares a variable that outlives it");
            }
        }
        if children(node).iter().any(|child| child.kind() == Kind::Definition) {
            return Err(self.stop(node, Reason::Declaration, "it declares a type or a function".to_string(), true));
        }
        Ok(())
    }

    fn case(&mut self, node: Node<'t>) -> Walked {
        let value = field(node, Part::Value);
        children(node).into_iter().filter(|child| Some(*child) != value).try_for_each(|child| self.statement(child))
    }

    /// What all cases write is written if there is a default and each case goes to its end, where it leaves the `switch`.
    fn switch(&mut self, node: Node<'t>) -> Walked {
        let Some(body) = field(node, Part::Body) else { return Ok(()) };
        let cases = children(body);
        let ends = |case: &Node<'t>| {
            let all = children(*case);
            let breaks = super::syntax::descendants(*case).filter(|node| node.kind() == Kind::Break).count();
            all.last().is_some_and(|last| last.kind() == Kind::Break) && breaks == 1
        };
        let is_plain = |(at, case): (usize, &Node<'t>)| {
            // Several labels before the same statements.
            let is_label =
                at + 1 < cases.len() && children(*case).len() <= usize::from(field(*case, Part::Value).is_some());
            let leaves = super::syntax::descendants(*case).any(|node| node.kind() == Kind::Break);
            case.kind() == Kind::Case && (is_label || ends(case) || at + 1 == cases.len() && !leaves)
        };
        let has_default = cases.iter().any(|case| case.kind() == Kind::Case && field(*case, Part::Value).is_none());
        if !has_default || body.kind() != Kind::Block || !cases.iter().enumerate().all(is_plain) {
            return self.branches(|walker| walker.statement(body), |_| Ok(()));
        }
        let filled: Vec<Node<'t>> = cases
            .iter()
            .copied()
            .filter(|case| children(*case).len() > usize::from(field(*case, Part::Value).is_some()))
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
    fn is_own_label(&self, node: Node<'t>) -> bool {
        let inside = |node: &Node<'t>| super::syntax::is_within(&node.byte_range(), &self.own);
        let outermost = std::iter::successors(Some(node), |node| node.parent().filter(inside)).last();
        self.has_labels
            && outermost
                .into_iter()
                .flat_map(super::syntax::descendants)
                .any(|label| label.kind() == Kind::Label && label.name() == node.name())
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
    pub(crate) fn expr(&mut self, node: Node<'_>) -> Walked {
        let node = bare(node);
        let each = |walker: &mut Self| children(node).into_iter().try_for_each(|child| walker.expr(child));
        match node.kind() {
            Kind::Number | Kind::Literal => Ok(()),
            Kind::Sizeof => {
                self.unevaluated(node);
                Ok(())
            }
            Kind::Name | Kind::Subscript | Kind::Member => self.touch(node, Touch::Read),
            Kind::Pointer if operator(node) == "*" => self.touch(node, Touch::Read),
            Kind::Pointer => self.address(node),
            Kind::Assign => {
                self.effects.work += 1;
                let (Some(left), Some(right)) = (field(node, Part::Left), field(node, Part::Right)) else {
                    return Ok(());
                };
                self.expr(right)?;
                let touch = if operator(node) == "=" { Touch::Write } else { Touch::Update };
                self.touch(left, touch)
            }
            Kind::Update => {
                self.effects.work += 1;
                field(node, Part::Operand).map_or(Ok(()), |argument| self.touch(argument, Touch::Update))
            }
            Kind::Binary => self.binary(node),
            Kind::Conditional => {
                self.effects.work += 1;
                let parts = [Part::Condition, Part::Consequence, Part::Alternative].map(|part| field(node, part));
                let walk = |walker: &mut Self, part: Option<Node<'_>>| part.map_or(Ok(()), |part| walker.expr(part));
                walk(self, parts[0])?;
                self.branches(|walker| walk(walker, parts[1]), |walker| walk(walker, parts[2]))
            }
            Kind::Call => self.call(node),
            Kind::Unary | Kind::Comma | Kind::List => {
                self.effects.work += u64::from(node.kind() == Kind::Unary);
                each(self)
            }
            Kind::Cast | Kind::CompoundLiteral => field(node, Part::Value).map_or(Ok(()), |value| self.expr(value)),
            Kind::StatementExpression => self.block_expression(node),
            // What is newer than this list.
            _ => {
                self.unknown("it holds an expression of an unusual kind");
                each(self)
            }
        }
    }

    /// Arrays that are named where they are not accessed, as in `sizeof t`, stay what they are.
    fn unevaluated(&mut self, node: Node<'_>) {
        for name in super::syntax::descendants(node).filter(|node| node.kind() == Kind::Name) {
            let Some(decl) = name.decl() else { continue };
            let data = &self.builder.names.decls[decl];
            let is_variable = matches!(data.kind, DeclKind::Local | DeclKind::Parameter | DeclKind::Global);
            if is_variable && !super::syntax::is_within(&data.range, &self.own) {
                let object = self.builder.variable(decl);
                self.builder.objects[object].is_pinned = true;
            }
        }
    }

    /// Statements as an expression: their own variables are those of the statement that they are in.
    fn block_expression(&mut self, node: Node<'_>) -> Walked {
        for inner in super::syntax::descendants(node) {
            let word = match inner.kind() {
                Kind::Return => "return",
                Kind::Goto => "goto",
                Kind::Label => "a label",
                Kind::Break => "break",
                Kind::Continue => "continue",
                _ => continue,
            };
            return Err(self.stop(inner, Reason::Jump, format!("`{word}` stands in an expression"), true));
        }
        let tree = self.builder.facts.tree;
        // The node is one of the file's tree, which lives longer.
        let node = tree.node(node.id());
        children(node).into_iter().try_for_each(|child| self.statement(child))
    }

    fn binary(&mut self, node: Node<'_>) -> Walked {
        let sign = operator(node);
        self.effects.work += if matches!(sign, "/" | "%") { 4 } else { 1 };
        let (Some(left), Some(right)) = (field(node, Part::Left), field(node, Part::Right)) else { return Ok(()) };
        let is_comparison = matches!(sign, "==" | "!=" | "<" | ">" | "<=" | ">=");
        for side in [left, right] {
            // Comparing pointers reads nothing behind them.
            let is_bare = is_comparison && bare(side).kind() == Kind::Name && self.is_array(bare(side));
            if is_bare {
                continue;
            }
            if matches!(sign, "&&" | "||") && side == right {
                self.branches(|walker| walker.expr(side), |_| Ok(()))?;
            } else {
                self.expr(side)?;
            }
        }
        Ok(())
    }

    fn is_array(&mut self, identifier: Node<'_>) -> bool {
        identifier.decl().is_some_and(|decl| self.builder.names.decls[decl].of.is_array())
    }

    /// `&x`: whoever gets it may read and write.
    fn address(&mut self, node: Node<'_>) -> Walked {
        let Some(argument) = field(node, Part::Operand) else { return Ok(()) };
        self.whole(argument, true)
    }

    /// An expression that is handed on as a pointer, or a number.
    pub(crate) fn handed(&mut self, node: Node<'_>, is_written: bool) -> Walked {
        let inner = super::syntax::uncast(node);
        match inner.kind() {
            Kind::Name if self.is_array(inner) => self.whole(inner, is_written),
            Kind::Pointer if operator(inner) == "&" => {
                field(inner, Part::Operand).map_or(Ok(()), |argument| self.whole(argument, is_written))
            }
            Kind::Binary => {
                for side in [Part::Left, Part::Right].iter().filter_map(|side| field(inner, side)) {
                    self.handed(side, is_written)?;
                }
                Ok(())
            }
            _ => {
                let own = self.own.clone();
                match self.builder.place(inner, &own) {
                    Place::Object(place) if place.subscripts.len() < self.builder.objects[place.object].dims => {
                        self.whole(inner, is_written)
                    }
                    _ => self.expr(inner),
                }
            }
        }
    }

    /// All elements of an array, because its address is known.
    fn whole(&mut self, node: Node<'_>, is_written: bool) -> Walked {
        let own = self.own.clone();
        self.indices(node)?;
        match self.builder.place(node, &own) {
            Place::Object(mut place) => {
                place.subscripts = vec![None; self.builder.objects[place.object].dims];
                let range = super::syntax::place(node);
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
                self.reached(node)
            }
        }
    }

    /// Reads or writes a place.
    fn touch(&mut self, node: Node<'_>, touch: Touch) -> Walked {
        let node = bare(node);
        let own = self.own.clone();
        let place = self.builder.place(node, &own);
        let range = super::syntax::place(node);
        match place {
            Place::Own => self.indices(node),
            Place::Fixed if touch.writes() => {
                self.unknown("it writes what is not known");
                self.indices(node)
            }
            Place::Fixed => self.indices(node),
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
                    None => {
                        self.builder.hide(node);
                        self.effects.hides_iterator = true;
                    }
                }
                Ok(())
            }
            Place::Counted(decl) => {
                if range.is_none() {
                    self.builder.hide(node);
                }
                let counted = self.builder.counted(decl).filter(|_| !touch.writes()).zip(range);
                let Some((counted, range)) = counted else {
                    let why = format!("`{}`, which the loop counts, is assigned or named in a macro", node.name());
                    return Err(self.stop(node, Reason::NotAffine, why, false));
                };
                self.effects.counted.push((range, counted));
                Ok(())
            }
            Place::Volatile => {
                self.unknown("it accesses `volatile` or `_Atomic` memory");
                self.reached(node)
            }
            Place::Pointer | Place::Unknown => {
                self.effects.reads_unknown |= touch.reads();
                let pointer = match self.moving(node) {
                    Some(name) => format!("`{name}`, a pointer that the region moves"),
                    None => "a pointer that is not known".to_string(),
                };
                if touch.writes() {
                    self.unknown(&format!("it writes through {pointer}"));
                }
                self.not_understood(&format!("it reads through {pointer}"));
                self.reached(node)
            }
            Place::Object(place) => {
                let range = place.element.clone().or(range);
                self.object(node, touch, place, range)
            }
        }
    }

    /// A pointer in a place that the region gives another value.
    fn moving(&self, node: Node<'_>) -> Option<String> {
        let decls = super::syntax::descendants(node).filter(|node| node.kind() == Kind::Name).filter_map(Node::decl);
        let names = &self.builder.names.decls;
        let mut moving = decls.filter(|decl| {
            matches!(names[*decl].of, CType::Pointer { .. }) && self.builder.writes.decls.contains(decl)
        });
        moving.next().map(|decl| names[decl].name.clone())
    }

    fn object(&mut self, node: Node<'_>, touch: Touch, mut place: ObjectPlace, range: Option<Range<usize>>) -> Walked {
        let dims = self.builder.objects[place.object].dims;
        if place.subscripts.len() < dims {
            if touch.writes() {
                self.unknown("it assigns a pointer");
            }
            return self.whole(node, true);
        }
        if place.is_row && dims > 1 && !self.builder.is_in_its_row(&place) {
            // Through a pointer to its first element all of an array may be reached.
            place.subscripts = vec![None; dims];
        }
        self.builder.objects[place.object].is_subscripted |= place.is_subscripted;
        self.builder.objects[place.object].is_wide |= self.is_wide(node);
        let is_exact = place.subscripts.iter().all(Option::is_some);
        let counted = self.effects.counted.len();
        let mut derived = Derived::default();
        if is_exact && !place.is_partial {
            derived = self.unread_subscripts(node, &mut place, range.is_some())?;
        } else {
            self.subscripts(node, &mut place)?;
        }
        let has_counted = self.effects.counted.len() > counted;
        // A macro's argument that is read several times stands in the text once.
        let is_it = |hole: &RawHole| {
            Some(&hole.range) == range.as_ref()
                && hole.accesses.iter().any(|at| {
                    let known = &self.effects.accesses[*at];
                    let is_read = known.kind == AccessKind::Read;
                    is_read && known.object == place.object && known.subscripts == place.subscripts
                })
        };
        if touch == Touch::Read && self.effects.holes.iter().any(is_it) {
            return Ok(());
        }
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
        if range.is_none() {
            self.builder.hide(node);
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
    fn subscripts(&mut self, node: Node<'_>, place: &mut ObjectPlace) -> Walked {
        self.indices(node)?;
        if place.is_row
            && let Some(row) = place.name.take()
        {
            self.read_name(row, node);
        }
        Ok(())
    }

    /// Walks subscripts that are known: what stands in them, which is returned, is read only where they stay as they are.
    fn unread_subscripts(
        &mut self,
        node: Node<'_>,
        place: &mut ObjectPlace,
        is_visible: bool,
    ) -> Result<Derived, Stop> {
        let (outer, written) = (std::mem::take(&mut self.effects), std::mem::take(&mut self.written));
        let walked = self.subscripts(node, place);
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
    fn is_wide(&self, node: Node<'_>) -> bool {
        let is_long = |cast: Node<'_>| matches!(cast.of(), CType::Int { bytes: 8, .. });
        super::syntax::descendants(node).filter(|node| node.kind() == Kind::Cast).any(is_long)
    }

    /// The value of the variable whose name stands at this range is read: a pointer to a row.
    fn read_name(&mut self, name: Range<usize>, node: Node<'_>) {
        let is_it = |inner: &Node<'_>| inner.kind() == Kind::Name && inner.byte_range() == name;
        let Some(decl) = super::syntax::descendants(node).find(is_it).and_then(Node::decl) else { return };
        let object = self.builder.variable(decl);
        let read = self.effects.accesses.len();
        self.effects.accesses.push(RawAccess { object, kind: AccessKind::Read, subscripts: vec![] });
        let (range, name) = (name.clone(), Some(name));
        let derived = Default::default();
        self.effects.holes.push(RawHole { range, name, accesses: vec![read], is_derived: false, derived });
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
    fn reached(&mut self, node: Node<'_>) -> Walked {
        let node = bare(node);
        match (node.kind(), field(node, Part::Operand)) {
            (Kind::Name, _) if self.is_array(node) => {
                let own = self.own.clone();
                match self.builder.place(node, &own) {
                    Place::Object(_) => self.whole(node, true),
                    _ => Ok(()),
                }
            }
            (Kind::Subscript, Some(argument)) => {
                self.reached(argument)?;
                field(node, Part::Index).map_or(Ok(()), |index| self.reached(index))
            }
            (Kind::Pointer | Kind::Member, Some(argument)) => self.reached(argument),
            (Kind::Binary | Kind::Cast, _) => [Part::Left, Part::Right, Part::Value]
                .iter()
                .filter_map(|part| field(node, part))
                .try_for_each(|part| self.reached(part)),
            (Kind::Name, _) => {
                let own = self.own.clone();
                match self.builder.place(node, &own) {
                    Place::Pointer | Place::Unknown | Place::Volatile => Ok(()),
                    _ => self.expr(node),
                }
            }
            _ => self.expr(node),
        }
    }

    /// Walks the subscripts of a place.
    pub(crate) fn indices(&mut self, node: Node<'_>) -> Walked {
        let node = bare(node);
        let argument = field(node, Part::Operand);
        match (node.kind(), argument) {
            (Kind::Name, _) => Ok(()),
            (Kind::Subscript, Some(argument)) => {
                self.indices(argument)?;
                field(node, Part::Index).map_or(Ok(()), |index| self.expr(index))
            }
            (Kind::Pointer | Kind::Member, Some(argument)) => self.indices(argument),
            (Kind::Binary, _) => {
                for side in [Part::Left, Part::Right].iter().filter_map(|side| field(node, side)) {
                    let is_base = bare(side).kind() == Kind::Name && self.is_array(bare(side));
                    if is_base { continue } else { self.indices_or_value(side)? }
                }
                Ok(())
            }
            (Kind::Cast, _) => self.reached(node),
            _ => self.expr(node),
        }
    }

    fn indices_or_value(&mut self, node: Node<'_>) -> Walked {
        match bare(node).kind() {
            Kind::Name | Kind::Number | Kind::Subscript | Kind::Member => self.expr(node),
            _ => self.indices(node),
        }
    }

    fn call(&mut self, node: Node<'_>) -> Walked {
        self.effects.work += 8;
        let arguments = arguments(node);
        let Some(name) = callee(node) else {
            self.unknown("it calls what is not known");
            return children(node).into_iter().try_for_each(|child| self.expr(child));
        };
        match self.builder.purity.of(name) {
            Call::Pure => arguments.into_iter().try_for_each(|argument| self.handed(argument, false)),
            Call::Reads => {
                self.effects.reads_unknown = true;
                self.not_understood(&format!("it calls `{name}`, which may read any memory"));
                arguments.into_iter().try_for_each(|argument| self.handed(argument, false))
            }
            Call::WritesFirst => {
                self.not_understood(&format!("it calls `{name}`"));
                let is_first = |at: usize| at == 0;
                arguments.into_iter().enumerate().try_for_each(|(at, argument)| self.handed(argument, is_first(at)))
            }
            Call::Frees => {
                self.not_understood("it frees memory that the region does not allocate");
                arguments.into_iter().try_for_each(|argument| self.handed(argument, true))
            }
            Call::Unknown => {
                self.unknown(&if self.builder.facts.function(name).is_some() {
                    format!("it calls `{name}`, which does more than compute a number, as far as is understood")
                } else if INPUT_AND_OUTPUT.contains(&name) {
                    format!("it calls `{name}`, which reads or writes a file: such calls keep their order")
                } else if ENDS.contains(&name) {
                    let line = self.builder.source.line(node.start_byte());
                    format!("line {line} calls `{name}`, which ends the program: note it in a variable, and end behind the loops")
                } else {
                    format!("it calls `{name}`, of which nothing is known (if it only computes a number, declare it `__attribute__((const))`)")
                });
                arguments.into_iter().try_for_each(|argument| self.handed(argument, true))
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
