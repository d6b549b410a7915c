//! Which block each new variable and array is declared in: the innermost one that holds all its uses, if nothing passes from one
//! iteration of a loop to another; then every iteration has its own, and loops may run in parallel.
//!
//! Values of variables are followed by liveness: a variable is declared in a loop's body if each iteration writes it before reading it, and nobody
//! reads it afterwards. Arrays are followed by the dimensions that expansion gave them: an iteration that uses only elements of its own has the
//! array to itself. Knows no C; `declarations` prints what is found here.

use super::Transformed;
use super::blocks::{Block, Part, PartKind};
use super::expressions::Leaves;
use super::storage::{Place, Plan};
use frit_scop::Array;
use frit_scop::model::AccessKind;
use frit_scop::program::{BinOp, Expr, Fate, ForLoop, Instance, Iterator, LoopKind};
use std::collections::{BTreeMap, BTreeSet};

/// Declarations by block, and in it by the part before which they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Placement {
    /// What is declared before a part of a block.
    pub(super) before: BTreeMap<(usize, usize), Vec<Declared>>,
}

/// A new array, or the variables of one, at the place of the declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// The array.
    pub(super) array: Array,
    /// The last part of the block that uses it.
    pub(super) last: usize,
    /// If these are variables, those that the block uses.
    pub(super) cells: Vec<Cell>,
}

/// One of the variables of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    /// Its number.
    pub(super) number: usize,
    /// It may be read where no write is evident before, so that it starts as zero to be safe.
    pub(super) is_exposed: bool,
}

/// Finds the place of each declaration.
pub(super) fn place(transformed: &Transformed, plan: &Plan, region: &Block) -> Placement {
    let mut search = Search { transformed, found: Placement::default() };
    for (array, place) in plan.places.iter() {
        match place {
            Place::Cells(_) | Place::Array(_) => {
                let is_cells = matches!(place, Place::Cells(_));
                search.place_private(array, is_cells, region);
                search.place(array, is_cells, region);
            }
            Place::Source(_) | Place::Unknown => {}
        }
    }
    search.found
}

struct Search<'a> {
    transformed: &'a Transformed,
    found: Placement,
}

/// What a part does with a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Effect {
    /// It names it.
    is_used: bool,
    /// It may read the value from before.
    is_exposed: bool,
    /// It surely writes it.
    is_killed: bool,
}

impl Search<'_> {
    /// Parallel loops that say so have the array in their bodies, wherever else it is used.
    fn place_private(&mut self, array: Array, is_cells: bool, block: &Block) {
        for part in block.parts.iter().filter(|part| part.uses.contains(&array)) {
            if let PartKind::For(each, _, body) = &part.kind
                && is_private(each, array)
            {
                self.place(array, is_cells, body);
            }
            blocks(part).for_each(|inner| self.place_private(array, is_cells, inner));
        }
    }

    fn place(&mut self, array: Array, is_cells: bool, block: &Block) {
        let users: Vec<usize> = (0..block.parts.len()).filter(|&at| uses(&block.parts[at], array)).collect();
        let (Some(&first), Some(&last)) = (users.first(), users.last()) else { return };
        let parts = users.iter().map(|&at| &block.parts[at]);
        let is_alone = users.len() == 1;
        if parts.clone().all(|part| self.is_separate(array, is_cells, part, is_alone)) {
            parts.flat_map(blocks).for_each(|inner| self.place(array, is_cells, inner));
            return;
        }
        let mut cells = Vec::new();
        if is_cells {
            let effects = self.cells(array).map(|cell| self.block(array, cell, block));
            let used = effects.enumerate().filter(|(_, effect)| effect.is_used);
            cells.extend(used.map(|(number, effect)| Cell { number, is_exposed: effect.is_exposed }));
        }
        self.found.before.entry((block.id, first)).or_default().push(Declared { array, last, cells });
    }

    /// No value of the array enters the blocks of this part, passes between them, or leaves them.
    fn is_separate(&self, array: Array, is_cells: bool, part: &Part, is_alone: bool) -> bool {
        match &part.kind {
            PartKind::For(each, _, body) => {
                self.is_closed(array, is_cells, body) || (is_alone && self.has_own_elements(array, each, body))
            }
            PartKind::If(_, then, otherwise) => {
                let is_one_sided = !(uses_any(then, array) && uses_any(otherwise, array));
                (is_alone && is_one_sided)
                    || (self.is_closed(array, is_cells, then) && self.is_closed(array, is_cells, otherwise))
            }
            PartKind::Instance(_) | PartKind::Rotate(..) | PartKind::AsWritten(_) => false,
        }
    }

    /// No value of the variables enters the block.
    fn is_closed(&self, array: Array, is_cells: bool, block: &Block) -> bool {
        is_cells && self.cells(array).all(|cell| !self.block(array, cell, block).is_exposed)
    }

    /// The numbers of an array's variables.
    fn cells(&self, array: Array) -> std::ops::Range<u64> {
        match self.transformed.program.fates[array] {
            Fate::Registers { count, .. } => 0..count,
            Fate::Kept | Fate::Scalar | Fate::Window { .. } => 0..1,
        }
    }

    fn block(&self, array: Array, cell: u64, block: &Block) -> Effect {
        let mut effect = Effect::default();
        for part in block.parts.iter().filter(|part| uses(part, array)) {
            let next = self.part(array, cell, part);
            effect.is_used |= next.is_used;
            effect.is_exposed |= next.is_exposed && !effect.is_killed;
            effect.is_killed |= next.is_killed;
        }
        effect
    }

    fn part(&self, array: Array, cell: u64, part: &Part) -> Effect {
        match &part.kind {
            // A loop may have no iteration.
            PartKind::For(_, _, body) => Effect { is_killed: false, ..self.block(array, cell, body) },
            PartKind::If(_, then, otherwise) => {
                let (then, otherwise) = (self.block(array, cell, then), self.block(array, cell, otherwise));
                Effect {
                    is_used: then.is_used || otherwise.is_used,
                    is_exposed: then.is_exposed || otherwise.is_exposed,
                    is_killed: then.is_killed && otherwise.is_killed,
                }
            }
            PartKind::Instance(instance) => self.instance(array, cell, instance),
            // From the oldest to the newest, so what a variable passes on is its value from before; the newest keeps its own.
            PartKind::Rotate(_, ages) => {
                let (is_exposed, is_killed) = (ages.contains(&(cell + 1)), ages.contains(&cell));
                Effect { is_used: is_exposed || is_killed, is_exposed, is_killed }
            }
            PartKind::AsWritten(_) => Effect { is_used: true, is_exposed: true, is_killed: false },
        }
    }

    fn instance(&self, array: Array, cell: u64, instance: &Instance) -> Effect {
        let accesses = &self.transformed.scop.statements[instance.statement].accesses;
        let is_registers = matches!(self.transformed.program.fates[array], Fate::Registers { .. });
        let mut effect = Effect::default();
        for (at, access) in accesses.iter().enumerate().filter(|(_, access)| access.array == array) {
            let number = match instance.subscripts.get(at).and_then(Option::as_deref) {
                Some([Expr::Int(number)]) if is_registers => u64::try_from(*number).ok(),
                _ if is_registers => None,
                _ => Some(0),
            };
            let is_this = number.is_none_or(|number| number == cell);
            effect.is_used |= is_this;
            let is_surely = number == Some(cell) && access.is_exact;
            match access.kind {
                AccessKind::Write if is_surely => effect.is_killed = true,
                AccessKind::Write | AccessKind::MayWrite | AccessKind::Read => effect.is_exposed |= is_this,
            }
        }
        effect
    }

    /// Different iterations use different elements, because one of the dimensions that expansion added follows the loop.
    fn has_own_elements(&self, array: Array, each: &ForLoop, body: &Block) -> bool {
        let mut instances = Vec::new();
        collect_instances(body, array, &mut instances);
        let inner: BTreeSet<Iterator> = inner_iterators(body);
        (0..self.transformed.scop.arrays[array].expanded).any(|dim| {
            let mut exprs = instances.iter().map(|instance| instance.iterators.get(dim));
            let first = exprs.next().flatten();
            first.is_some_and(|first| {
                let is_outer = |expr: &Expr| Leaves::of(expr).iterators.iter().all(|t| !inner.contains(t));
                moves_with(first, each.iterator) && is_outer(first) && exprs.all(|other| other == Some(first))
            })
        })
    }
}

/// The iterations of this loop have the array to themselves.
fn is_private(each: &ForLoop, array: Array) -> bool {
    matches!(&each.kind, LoopKind::Parallel { private } if private.contains(&array))
}

/// Whether a part uses the array, other than in loops that have their own.
fn uses(part: &Part, array: Array) -> bool {
    let is_own = matches!(&part.kind, PartKind::For(each, ..) if is_private(each, array));
    let mut inner = blocks(part).peekable();
    !is_own && part.uses.contains(&array) && (inner.peek().is_none() || inner.any(|block| uses_any(block, array)))
}

fn uses_any(block: &Block, array: Array) -> bool {
    block.parts.iter().any(|part| uses(part, array))
}

/// The blocks of a part.
fn blocks<'b, 'p>(part: &'b Part<'p>) -> impl std::iter::Iterator<Item = &'b Block<'p>> {
    let (first, second) = match &part.kind {
        PartKind::For(_, _, body) => (Some(body), None),
        PartKind::If(_, then, otherwise) => (Some(then), Some(otherwise)),
        PartKind::Instance(_) | PartKind::Rotate(..) | PartKind::AsWritten(_) => (None, None),
    };
    first.into_iter().chain(second)
}

fn collect_instances<'p>(block: &Block<'p>, array: Array, found: &mut Vec<&'p Instance>) {
    for part in block.parts.iter().filter(|part| uses(part, array)) {
        if let PartKind::Instance(instance) = part.kind {
            found.push(instance);
        }
        blocks(part).for_each(|inner| collect_instances(inner, array, found));
    }
}

fn inner_iterators(block: &Block) -> BTreeSet<Iterator> {
    let mut found = BTreeSet::new();
    for part in &block.parts {
        if let PartKind::For(each, ..) = part.kind {
            found.insert(each.iterator);
        }
        found.extend(blocks(part).flat_map(inner_iterators));
    }
    found
}

/// The expression has another value for each value of `iterator`: it is that, plus or minus something without it.
fn moves_with(expr: &Expr, iterator: Iterator) -> bool {
    let is_free = |expr: &Expr| !Leaves::of(expr).iterators.contains(&iterator);
    match expr {
        Expr::Iterator(found) => *found == iterator,
        Expr::Neg(operand) => moves_with(operand, iterator),
        Expr::Binary(BinOp::Add | BinOp::Sub, left, right) => {
            moves_with(left, iterator) && is_free(right) || moves_with(right, iterator) && is_free(left)
        }
        Expr::Int(_) | Expr::Param(_) | Expr::Binary(..) | Expr::Select(..) => false,
    }
}
