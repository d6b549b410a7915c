//! What is known of a region while its statements are read: parameters, objects in memory, the loops round the statement at hand, and the statements so
//! far, which `finish` makes a `Region` of.
//!
//! Which sets all of that makes is decided at the end, since what is a subscript of which dimension depends on all accesses of an array. Read
//! `convert`, `places` and `effects` next, then `statements`.

use super::affine::{Cond, Expr, ParamText, Params, Quotient, Steps};
use super::buffers::Buffer;
use super::delinearise::quotient;
use super::exchange::Exchange;
use super::facts::Facts;
use super::names::{Decl, DeclKind, Names};
use super::purity::{Purity, allocation};
use super::restate::Odd;
use super::selectors::Selectors;
use super::syntax::{field, is_within, uncast};
use super::writes::{Escape, Meaning, Writes, is_fixed};
use super::{ReadOptions, Reason};
use crate::ast::{CType, Kind, Node, Part, Size};
use crate::region::{Choice, Counted, Remark};
use crate::source::Source;
use frit_isl::{Context, Set};
use frit_scop::{AccessKind, Param};
use frit_support::{FileId, Span, Table, define_index};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

define_index!(
    /// A piece of memory that has a name in the source: a variable, or what a pointer points to.
    Object, "o"
);

/// A piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct ObjectData {
    /// How the source names it: a variable, or a member of a structure.
    pub(crate) name: String,
    /// The variable that it is reached from.
    pub(crate) decl: Decl,
    /// It is a member of a structure.
    pub(crate) is_member: bool,
    /// It is an array in the structure that the variable is or points to, which no other member shares its memory with.
    pub(crate) is_inline: bool,
    /// How the type of a member's elements is written, where that is known.
    pub(crate) base: String,
    /// What an array of pointers holds.
    pub(crate) buffer: Option<Buffer>,
    /// The type of the variable or member.
    pub(crate) of: CType,
    /// How many subscripts lead to an element.
    pub(crate) dims: usize,
    /// The extents as the declaration gives them.
    pub(crate) extents: Vec<Option<Expr>>,
    /// It is allocated in the region.
    pub(crate) heap: Option<Heap>,
    /// Some access cannot be written in another way, so that the array stays as it is.
    pub(crate) is_pinned: bool,
    /// Some access is written as a subscript.
    pub(crate) is_subscripted: bool,
    /// Subscripts are computed in 64 bits.
    pub(crate) is_wide: bool,
}

/// How an array is allocated in a region.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    /// The number of elements, if that is known.
    pub(crate) elements: Option<Expr>,
    /// The expression.
    pub(crate) allocation: String,
    /// It has the name of a variable of the region in it.
    pub(crate) names_locals: bool,
    /// The elements are 0 at first.
    pub(crate) is_zeroed: bool,
    /// It is freed in the region.
    pub(crate) is_freed: bool,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// It is the variable of the loop at this depth.
    Loop(usize),
    /// It is an integer of this value.
    Value(Expr),
    /// It has this value in the loop that counts it along with its variable.
    Counted(Expr),
    /// It points into an array: to the element with these subscripts.
    Row(Object, Vec<Option<Expr>>),
}

/// A read or write of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawAccess {
    /// What is accessed.
    pub(crate) object: Object,
    /// How.
    pub(crate) kind: AccessKind,
    /// The subscripts, one for each dimension; `None` where anything is possible.
    pub(crate) subscripts: Vec<Option<Expr>>,
}

/// A place in the text of a statement that accesses something.
#[derive(Clone, Debug)]
pub(crate) struct RawHole {
    /// The bytes, subscripts included.
    pub(crate) range: Range<usize>,
    /// The bytes of the array's name, if it stands there.
    pub(crate) name: Option<Range<usize>>,
    /// The accesses by position.
    pub(crate) accesses: Vec<usize>,
    /// Names stand in it that are not read where the access is exact.
    pub(crate) is_derived: bool,
    /// What is read besides where it is not, and where that stands.
    pub(crate) derived: (Vec<RawAccess>, Vec<RawHole>),
}

/// What a statement does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Its reads and writes.
    pub(crate) accesses: Vec<RawAccess>,
    /// Where these stand in its text.
    pub(crate) holes: Vec<RawHole>,
    /// Where variables of loops stand.
    pub(crate) iterators: Vec<(Range<usize>, usize)>,
    /// One stands in a macro's definition, where nothing can take its place.
    pub(crate) hides_iterator: bool,
    /// Where variables stand that count along with loops.
    pub(crate) counted: Vec<(Range<usize>, Counted)>,
    /// It may read memory that is not known.
    pub(crate) reads_unknown: bool,
    /// It may write memory that is not known.
    pub(crate) writes_unknown: bool,
    /// Control may go from it to another place of the function, where all values may be needed.
    pub(crate) jumps: bool,
    /// Why it is not understood.
    pub(crate) opaque: Option<String>,
    /// Estimated operations.
    pub(crate) work: u64,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct RawStatement {
    /// The bytes.
    pub(crate) range: Range<usize>,
    /// The loops round it.
    pub(crate) loops: Vec<usize>,
    /// When it runs.
    pub(crate) conds: Vec<Cond>,
    /// What it does.
    pub(crate) effects: Effects,
    /// The positions of the read and the write of a reduction, and whether it is exact.
    pub(crate) reduction: Option<(usize, usize, bool)>,
    /// Its parts, if it assigns one of two values.
    pub(crate) choice: Option<Choice>,
    /// Comments before it.
    pub(crate) leading: Vec<Range<usize>>,
    /// It is the rest of a loop's body, which a `continue` in it ends.
    pub(crate) is_skippable: bool,
    /// It only gives a value to a variable that subscripts do without: it goes if nothing else reads it.
    pub(crate) defines: Option<Object>,
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct RawLoop {
    /// The name of its variable.
    pub(crate) name: String,
    /// The type of it.
    pub(crate) c_type: String,
    /// That type has at least 32 bits and a sign.
    pub(crate) is_plain: bool,
    /// It counts down.
    pub(crate) is_reversed: bool,
    /// The bytes of the whole loop.
    pub(crate) range: Range<usize>,
    /// Comments and pragmas before it.
    pub(crate) leading: Vec<Range<usize>>,
}

/// A loop or statement in the order of the text.
#[derive(Clone, Debug)]
pub(crate) enum RawNode {
    /// A loop by its number, and its body.
    Loop(usize, Vec<RawNode>),
    /// A statement by its number.
    Statement(usize),
}

/// Why a construct is not read as one would like.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// The code of the remark.
    pub(crate) reason: Reason,
    /// In words.
    pub(crate) why: String,
    /// Where.
    pub(crate) range: Range<usize>,
    /// The region stays as it is; otherwise the innermost loop round it becomes one statement.
    pub(crate) is_fatal: bool,
}

/// Pointers to rows of rows are not followed further.
const MOST_ROWS: usize = 8;
/// Work of isl on one question, in its elementary steps.
const QUESTION: u64 = 200_000;

/// A region that is being read.
pub(crate) struct Builder<'t, 'f> {
    pub(crate) facts: &'f Facts<'t>,
    pub(crate) purity: &'f Purity<'t, 'f>,
    pub(crate) names: Names<'t>,
    pub(crate) options: &'f ReadOptions,
    /// The uses of macros that hide what has to be seen.
    pub(crate) hidden: &'f RefCell<BTreeSet<usize>>,
    /// What may be said in another way.
    pub(crate) odd: &'f RefCell<Odd>,
    pub(crate) file: FileId,
    /// What is on disk.
    pub(crate) source: &'f Source,
    /// The function that the region is in.
    pub(crate) function: Node<'t>,
    /// The bytes of the region.
    pub(crate) region: Range<usize>,
    pub(crate) writes: Writes,
    pub(crate) escapes: BTreeMap<Decl, Escape>,
    /// Variables whose address is taken somewhere in the function.
    pub(crate) taken: BTreeSet<Decl>,
    pub(crate) isl: Context,
    pub(crate) params: Params,
    pub(crate) objects: Table<Object, ObjectData>,
    pub(crate) object_of: BTreeMap<(Decl, String), Object>,
    pub(crate) bindings: BTreeMap<Decl, Binding>,
    /// Variables that count in a loop of the region and are not used outside of such loops.
    pub(crate) counters: BTreeSet<Decl>,
    pub(crate) loops: Vec<RawLoop>,
    pub(crate) statements: Vec<RawStatement>,
    /// The loops round the current statement.
    pub(crate) nest: Vec<usize>,
    /// When the current statement runs.
    pub(crate) conds: Vec<Cond>,
    pub(crate) remarks: Vec<Remark>,
    /// The size of an array that is allocated before the region is looked at.
    pub(crate) is_sizing: bool,
    /// How many functions are open whose results are looked at.
    pub(crate) calls: usize,
    /// Pointers that exchange their values between runs of the region.
    pub(crate) exchanges: BTreeMap<Decl, Exchange>,
    /// Integers that exchange their values between runs of the region.
    pub(crate) selectors: Selectors,
    /// The buffers so far, with their names.
    pub(crate) buffers: Vec<(Buffer, String)>,
    /// The statements that free memory which is allocated before the region.
    pub(crate) frees: Vec<Range<usize>>,
}

impl<'t> Builder<'t, '_> {
    /// A remark on bytes of the file.
    pub(crate) fn remark(&mut self, reason: Reason, range: Range<usize>, message: String) {
        let span = Span::new(self.file, range.start, range.end);
        self.remarks.push(Remark { code: reason.code(), message, span });
    }

    /// What stands in the definition of a macro has to be seen: the uses of macros that a node is in are replaced.
    pub(crate) fn hide(&self, node: Node<'_>) {
        let mut at = Some(node);
        while let Some(inner) = at {
            if inner.place().is_none() && !inner.uses().is_empty() {
                self.hidden.borrow_mut().extend(inner.uses().iter().copied());
                return;
            }
            at = inner.parent();
        }
    }

    /// Whether the variable is declared in the region.
    pub(crate) fn is_inside(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        data.statement.is_some() && data.kind != DeclKind::Global && is_within(&data.range, &self.region)
    }

    /// How far the address of a variable's elements gets; of a pointer, its value.
    pub(crate) fn escape(&self, decl: Decl) -> Escape {
        self.escapes.get(&decl).copied().unwrap_or_default()
    }

    /// What is known of a pointer that exchanges its value with others.
    pub(crate) fn exchange(&self, object: Object) -> Option<Exchange> {
        let data = &self.objects[object];
        match &data.buffer {
            Some(buffer) => self.family(buffer),
            None => self.exchanges.get(&data.decl).copied().filter(|_| data.dims > 0 && !data.is_member),
        }
    }

    /// What is known of all that a variable, an array of pointers, holds.
    pub(crate) fn family(&self, buffer: &Buffer) -> Option<Exchange> {
        let (decl, name) = &buffer.array;
        let is_variable = self.names.decls[*decl].name == *name && buffer.member.is_empty();
        self.exchanges.get(decl).copied().filter(|_| is_variable)
    }

    /// The elements of a variable, or what it points to, are memory that other functions may know of.
    pub(crate) fn is_reachable(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        let is_given = data.kind == DeclKind::Parameter && matches!(data.of, CType::Pointer { .. });
        data.is_global() || is_given || self.escape(decl) != Escape::None
    }

    /// Whether the value of a variable may change in the region though nothing assigns it by name.
    pub(crate) fn changes_unseen(&self, decl: Decl, of: &CType) -> bool {
        let is_exposed = self.names.decls[decl].is_global() || self.taken.contains(&decl);
        is_exposed && (self.writes.is_unknown || !self.options.assume_no_alias && self.is_aliased(of))
    }

    /// Whether something of this type may be written through a pointer that may point anywhere.
    pub(crate) fn is_aliased(&self, of: &CType) -> bool {
        self.is_aliased_outside(None, of)
    }

    /// The same, where what is of this type is a member of the structure that `base` is or points to: its other members do not overlap it.
    fn is_aliased_outside(&self, base: Option<Decl>, of: &CType) -> bool {
        let points_anywhere = |decl: &Option<Decl>| decl.is_none_or(|decl| self.points_anywhere(decl, 0));
        let is_elsewhere = |decl: Decl| {
            let is_behind = matches!(self.names.decls[decl].of, CType::Pointer { .. });
            Some(decl) != base && is_behind && self.points_anywhere(decl, 0)
        };
        self.writes.through.iter().any(|(decl, written)| written.may_alias(of) && points_anywhere(decl))
            || self.writes.inline.iter().any(|(decl, written)| written.may_alias(of) && is_elsewhere(*decl))
    }

    /// Whether what a variable points to may be any variable whose address is known.
    fn points_anywhere(&self, decl: Decl, rows: usize) -> bool {
        let data = &self.names.decls[decl];
        match &data.of {
            CType::Pointer { is_restrict: true, .. } | CType::Array { .. } => false,
            CType::Pointer { .. } if self.is_allocated(decl) => false,
            CType::Pointer { .. } if self.exchanges.get(&decl).is_some_and(|exchange| exchange.is_own) => false,
            CType::Pointer { .. } => {
                // A pointer to a row points where its base does.
                let meaning = Meaning { purity: self.purity };
                let is_row = rows < MOST_ROWS && is_fixed(decl, &self.names);
                let base = data.value.filter(|_| is_row).and_then(|value| meaning.root(uncast(value)));
                base.is_none_or(|base| self.points_anywhere(base, rows + 1))
            }
            _ => true,
        }
    }

    /// Whether a variable is an integer whose value does not change in the region.
    pub(crate) fn is_parameter(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        let is_integer = matches!(data.of, CType::Int { bytes, .. } if (2..=8).contains(&bytes));
        let is_const = data.typed.is_const && is_integer;
        let changes = self.writes.decls.contains(&decl) || !is_const && self.changes_unseen(decl, &data.of);
        is_integer && !data.typed.is_volatile && !changes && !self.is_inside(decl)
    }

    /// The parameter that a variable is, if its value does not change in the region.
    pub(crate) fn parameter(&mut self, decl: Decl) -> Option<Param> {
        if !self.is_parameter(decl) {
            return None;
        }
        let data = &self.names.decls[decl];
        let (c_type, of) = (data.scalar_text(), data.of.clone());
        let param = self.params.of(ParamText::of_type(data.name.clone(), c_type, &of));
        if let Some(column) = self.selectors.column(decl) {
            self.params.columns.insert(column, param);
        }
        Some(param)
    }

    /// Whether the member of a structure keeps its value in the region.
    pub(crate) fn is_stable_member(&self, base: Decl, member: &str, of: &CType) -> bool {
        let data = &self.names.decls[base];
        let is_plain = !data.typed.is_volatile && !self.is_inside(base) && !self.writes.decls.contains(&base);
        let is_own = matches!(data.of, CType::Struct { .. }) && !self.is_reachable(base);
        let unseen = if is_own {
            false
        } else {
            self.writes.is_unknown || !self.options.assume_no_alias && self.is_aliased_outside(Some(base), of.leaf())
        };
        is_plain && !self.writes.members.contains(member) && !unseen
    }

    /// Whether an array that is a member of the structure that a variable is or points to is the same memory all through the region.
    pub(crate) fn holds_array(&self, base: Decl) -> bool {
        let data = &self.names.decls[base];
        let is_moved = matches!(data.of, CType::Pointer { .. }) && self.changes_unseen(base, &data.of);
        !data.typed.is_volatile && !self.is_inside(base) && !self.writes.decls.contains(&base) && !is_moved
    }

    /// The object that a variable names, or a member of a structure.
    pub(crate) fn object(&mut self, decl: Decl, name: String, of: CType, is_member: bool) -> Object {
        if let Some(known) = self.object_of.get(&(decl, name.clone())) {
            return *known;
        }
        let sizes = of.extents();
        let mut extents: Vec<Option<Expr>> = sizes.iter().map(|size| self.extent(*size)).collect();
        if let Some(sizes) = self.sizes_before(decl).filter(|_| extents.len() == 1 && !is_member) {
            let element = of.element().bytes().and_then(|bytes| i64::try_from(bytes).ok());
            let bytes = self.allocated_before(&sizes);
            extents[0] = bytes.zip(element).and_then(|(bytes, element)| quotient(&bytes, &Expr::constant(element)));
        }
        let object = self.objects.push(ObjectData {
            name: name.clone(),
            decl,
            is_member,
            is_inline: false,
            base: String::new(),
            buffer: None,
            dims: sizes.len(),
            extents,
            of,
            heap: None,
            is_pinned: false,
            is_subscripted: false,
            is_wide: false,
        });
        self.object_of.insert((decl, name), object);
        object
    }

    /// The object that a variable names.
    pub(crate) fn variable(&mut self, decl: Decl) -> Object {
        let (name, of) = (self.names.decls[decl].name.clone(), self.names.decls[decl].of.clone());
        self.object(decl, name, of, false)
    }

    /// What is multiplied to the size of the array that a pointer points to, if it is allocated before the region and nowhere else.
    fn sizes_before(&self, decl: Decl) -> Option<Vec<Node<'t>>> {
        let data = &self.names.decls[decl];
        if self.is_inside(decl) || !self.is_allocated(decl) {
            return None;
        }
        let assigned = self.names.occurrences.get(&decl).into_iter().flatten().filter_map(|node| {
            let parent = node.parent().filter(|parent| parent.kind() == Kind::Assign)?;
            if field(parent, Part::Left) == Some(*node) { field(parent, Part::Right) } else { None }
        });
        let mut values = data.value.into_iter().chain(assigned).filter_map(|value| allocation(value));
        let (sizes, _) = values.next()?;
        if values.next().is_none() { Some(sizes) } else { None }
    }

    /// The extent of an array, if it has the same value everywhere in the region.
    fn extent(&mut self, size: Size) -> Option<Expr> {
        let tree = self.facts.tree;
        let written = size.node.and_then(|node| self.expr(tree.node(node)));
        let written = written.filter(|expr| !super::affine::mentions_from(expr, 0));
        written.or(size.count.map(Expr::constant))
    }

    /// Whether nothing satisfies these conditions where the current statement runs.
    pub(crate) fn never(&mut self, conds: &[Cond]) -> bool {
        let here = self.conds.clone();
        let depth = self.nest.len();
        self.is_empty(depth, here.iter().chain(conds))
    }

    /// Whether no values of this many loop variables satisfy all conditions.
    pub(crate) fn is_empty<'c>(&mut self, depth: usize, conds: impl Iterator<Item = &'c Cond>) -> bool {
        let mut texts = Vec::new();
        for cond in conds {
            // What cannot be said is left out: fewer conditions allow more.
            texts.extend(self.params.cond(cond).map(|text| format!("({text})")));
        }
        texts.extend(self.params.known());
        texts.extend(self.params.rounded());
        let tuple: Vec<String> = (0..depth).map(|at| format!("i{at}")).collect();
        let text = format!("{}{{ [{}] : {} }}", self.params.prefix(), tuple.join(", "), texts.join(" and "));
        let text = if texts.is_empty() { text.replace(" : ", "") } else { text };
        self.isl.bounded(QUESTION, || Set::parse(&self.isl, &text).and_then(|set| set.is_empty())).unwrap_or(false)
    }
}

impl ParamText {
    /// A parameter of this type.
    pub(crate) fn of_type(text: String, c_type: String, of: &CType) -> Self {
        let (is_plain, is_unsigned) = match of {
            CType::Int { bytes, is_signed } => (*is_signed || *bytes < 4, !is_signed),
            _ => (false, false),
        };
        let c_type = if matches!(of, CType::Int { .. }) { c_type } else { String::new() };
        Self { text, c_type, is_plain, is_unsigned, factors: Vec::new(), quotient: None, steps: None }
    }
}

impl Params {
    /// What is known of the parameters, in isl's notation.
    pub(crate) fn known(&self) -> Vec<String> {
        let unsigned = self.all.iter().filter(|(_, data)| data.is_unsigned);
        unsigned.map(|(param, _)| format!("{param} >= 0")).chain(self.selected()).collect()
    }

    /// What quotients that are parameters have to do with what they are quotients of, in isl's notation.
    fn rounded(&mut self) -> Vec<String> {
        let all: Vec<_> = self.all.iter().filter_map(|(param, data)| Some((param, data.quotient.clone()?))).collect();
        let text = |(param, Quotient { expr, by }): (Param, Quotient)| {
            let whole = self.expr(&expr)?;
            let most = by - 1;
            Some(format!(
                "(({whole} >= 0 and {by} * {param} <= {whole} and {whole} <= {by} * {param} + {most}) or \
                 ({whole} < 0 and {by} * {param} - {most} <= {whole} and {whole} <= {by} * {param}))"
            ))
        };
        let rounded: Vec<String> = all.into_iter().filter_map(text).collect();
        let counted: Vec<_> = self.all.iter().filter_map(|(param, data)| Some((param, data.steps.clone()?))).collect();
        let counts = |(param, Steps { most, step }): (Param, Steps)| {
            let (most, step) = (self.expr(&most)?, self.expr(&step)?);
            Some(format!("({param} = 0 or ({param} >= 1 and {step} >= 1 and {most} >= 0 and {param} <= {most} + 1))"))
        };
        rounded.into_iter().chain(counted.into_iter().filter_map(counts)).collect()
    }
}
