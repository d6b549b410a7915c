//! Elements of the arrays that a block yields, found without making the arrays: what a flattened or exchanged nest computes
//! at each index of its new axes.
//!
//! [`survey`] follows the definition of each array to where its element comes from: the body of an inner with-loop, at that
//! index; an array from outside of the nest, through rows and views; one side of a branch. It only reads, and says
//! what would be wrong; `emit` makes the statements. Knows nothing of what the elements are wanted for.
//!
//! Statements that do not belong to an inner body run once more for every element, so only cheap ones are taken along. See
//! Note [Repeated work].

use super::super::cost::Work;
use super::super::generators::{Axis, Grid};
use super::super::refusal::Refusal;
use frit_ir::array::replaced::Sums;
use frit_ir::array::{
    Block, Extent, Func, Op, Operand, Operator, OperatorData, Stmt, Type, Value, View, WithLoop, WithLoopData, effects,
    ops,
};
use frit_ir::scalar::{BinOp, Scalar};
use frit_support::Span;
use std::collections::{BTreeSet, HashMap};

/// How much work beside the inner loops may be repeated for every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::array) struct Budget {
    /// Arithmetic on indices counts, and views of rows.
    addresses: bool,
    /// The weight of one statement is less than this.
    statement: u64,
    /// All statements of a block weigh at most this.
    block: u64,
}

/// Nothing but the arithmetic of where an element is.
pub(in crate::array) const NOTHING: Budget = Budget { addresses: false, statement: 1, block: 0 };
/// Cheap scalar statements, no transcendental functions: what flattening by itself may repeat.
pub(in crate::array) const CHEAP: Budget = Budget { addresses: true, statement: 8, block: 16 };
/// As much as folding may repeat.
pub(in crate::array) const FOLDABLE: Budget = Budget { addresses: true, statement: 20, block: 48 };

/// A literal of more elements stays one: each would be a generator.
const MAX_LITERAL: usize = 64;

/// A component of the index vector of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The index along this one of the new axes.
    Axis(usize),
    /// A value or a constant.
    Operand(Operand),
    /// `start + step * of`.
    Strided { start: Operand, step: i64, of: Box<Place> },
}

/// What stands for something that is wanted.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// This, under the name that it gets.
    Operand(Operand),
    /// The index itself.
    Place(Place),
    /// What an [`Item`] makes.
    Made(usize),
    /// The same under certificates.
    Under(Box<Source>, Vec<Value>),
}

/// A statement to be, or several.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// The statement as it is.
    Keep(Stmt),
    /// An element, or a row, of an array.
    Read { made: usize, array: Value, places: Vec<Place>, certs: Vec<Value>, span: Span },
    /// The body of an inner with-loop, with its indices at these places.
    Enter { level: usize, indices: Vec<Value>, places: Vec<Place>, certs: Vec<Value> },
    /// A parameter's row with one of its elements changed.
    Modify { made: usize, row: Value, place: Place, value: Source, certs: Vec<Value>, span: Span },
    /// A branch.
    Branch(Branch),
}

/// A branch that yields elements.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) cond: Operand,
    pub(super) sides: [usize; 2],
    /// What is made, its type, and where it comes from on either side.
    pub(super) results: Vec<(usize, Type, [Source; 2])>,
    pub(super) certs: Vec<Value>,
    pub(super) span: Span,
}

/// How to compute what is wanted of a block.
#[derive(Clone, Debug)]
pub(in crate::array) struct Elements {
    /// The items of the block and, from 1 on, of the blocks inside it that are entered.
    pub(super) levels: Vec<Vec<Item>>,
    /// What stands for what was wanted, in that order.
    pub(super) results: Vec<Source>,
    /// How many things items make.
    pub(super) made: usize,
    /// Certificates from outside of the nest that the nest as a whole stands under.
    pub(in crate::array) certs: BTreeSet<Value>,
}

/// What is known of the axes along which elements are wanted.
#[derive(Clone, Copy, Debug)]
pub(in crate::array) struct Axes<'a> {
    /// The extents, all from outside of the nest.
    pub(in crate::array) extents: &'a [Extent],
    /// The nest.
    pub(in crate::array) span: Span,
    /// What may be repeated for every element.
    pub(in crate::array) budget: Budget,
    /// The index of the sequential loop whose body the block is.
    pub(in crate::array) iteration: Option<Value>,
}

/// The parts of the space of the new axes in which elements come from different generators, found on the way.
#[derive(Debug, Default)]
pub(in crate::array) struct Parts {
    grids: Option<Vec<Grid>>,
    at: usize,
    /// They are the elements of a literal.
    of_literal: bool,
}

impl Parts {
    /// Elements come from a literal, each from a place of its own.
    pub(in crate::array) fn are_of_literal(&self) -> bool {
        self.of_literal
    }

    /// Elements come from as many generators as there are grids; which one is that of this part.
    fn choose(&mut self, grids: Vec<Grid>, span: Span) -> Result<usize, Refusal> {
        match &self.grids {
            Some(known) if *known != grids => Err(Refusal::SpacesDiffer { span }),
            Some(_) => Ok(self.at),
            None => {
                self.grids = Some(grids);
                Ok(self.at)
            }
        }
    }
}

/// Proves something for each part of the space of the new axes.
pub(in crate::array) fn for_each_part<T>(
    axes: Axes,
    mut prove: impl FnMut(&mut Parts) -> Result<T, Refusal>,
) -> Result<Vec<(Grid, T)>, Refusal> {
    let mut parts = Parts::default();
    // The first proof finds out what the parts are.
    let mut proofs = vec![prove(&mut parts)?];
    let grids = parts.grids.clone().unwrap_or_else(|| vec![Grid::full(axes.extents)]);
    for at in 1..grids.len() {
        parts.at = at;
        proofs.push(prove(&mut parts)?);
    }
    Ok(grids.into_iter().zip(proofs).collect())
}

/// Finds elements, at the index of the new axes, of the arrays of a block that are `wanted`; what is not an element
/// (`false`) is wanted as it is. `rows` are parameters of the block that become their elements at the same index.
pub(in crate::array) fn survey(
    func: &Func,
    block: &Block,
    wanted: &[(Operand, bool)],
    rows: &[Value],
    axes: Axes,
    parts: &mut Parts,
) -> Result<Elements, Refusal> {
    let mut survey = Survey {
        func,
        axes,
        rows,
        outside: if rows.is_empty() { BTreeSet::new() } else { func.free_values(block) },
        parts,
        levels: Vec::new(),
        home: HashMap::new(),
        bound: HashMap::new(),
        entered: HashMap::new(),
        certs: BTreeSet::new(),
        weight: 0,
        made: 0,
    };
    let root = survey.open(block, None, true, false);
    let new_axes: Vec<Place> = (0..axes.extents.len()).map(Place::Axis).collect();
    let mut results = Vec::new();
    for &(operand, is_element) in wanted {
        let places = if is_element { new_axes.clone() } else { Vec::new() };
        results.push(survey.element(root, Request { operand, places, dropped: false, certs: Vec::new() })?);
    }
    survey.need_checks()?;
    Ok(survey.finish(results))
}

/// An element of an array of some block.
struct Request {
    operand: Operand,
    places: Vec<Place>,
    /// The same element stands at several indices of the new axes.
    dropped: bool,
    /// Certificates from inside of the nest that it stands under.
    certs: Vec<Value>,
}

/// Where a value is defined: in a block that the survey has opened.
#[derive(Clone, Copy)]
struct Home {
    level: usize,
    /// The position of the statement; `None` for an index.
    position: Option<usize>,
}

/// A block that elements are taken of.
struct Level<'a> {
    block: &'a Block,
    outer: Option<usize>,
    /// Its statements run again for elements that it would have made at once.
    repeated: bool,
    /// It is the body of a loop, and not a side of a branch.
    is_loop: bool,
    kept: BTreeSet<usize>,
    /// What takes the place of the statement at a position, or comes at the end.
    items: Vec<(usize, Item)>,
}

struct Survey<'a> {
    func: &'a Func,
    axes: Axes<'a>,
    rows: &'a [Value],
    /// The values that the block uses and does not define; computed if there are rows.
    outside: BTreeSet<Value>,
    parts: &'a mut Parts,
    levels: Vec<Level<'a>>,
    home: HashMap<Value, Home>,
    /// Indices of entered loops that are new axes.
    bound: HashMap<Value, Place>,
    entered: HashMap<WithLoop, (usize, Vec<Place>)>,
    certs: BTreeSet<Value>,
    weight: u64,
    made: usize,
}

impl<'a> Survey<'a> {
    fn open(&mut self, block: &'a Block, outer: Option<usize>, repeated: bool, is_loop: bool) -> usize {
        let level = self.levels.len();
        for (position, stmt) in block.stmts.iter().enumerate() {
            for &result in &stmt.results {
                self.home.insert(result, Home { level, position: Some(position) });
            }
        }
        self.levels.push(Level { block, outer, repeated, is_loop, kept: BTreeSet::new(), items: Vec::new() });
        level
    }

    fn finish(self, results: Vec<Source>) -> Elements {
        let items = |level: Level| {
            let kept = level.kept.iter().map(|&at| (at, Item::Keep(level.block.stmts[at].clone())));
            let mut items: Vec<(usize, Item)> = kept.chain(level.items).collect();
            items.sort_by_key(|(position, _)| *position);
            items.into_iter().map(|(_, item)| item).collect()
        };
        let levels = self.levels.into_iter().map(items).collect();
        Elements { levels, results, made: self.made, certs: self.certs }
    }

    /// The element that is requested by the block at this level.
    fn element(&mut self, level: usize, request: Request) -> Result<Source, Refusal> {
        let Request { operand, places, dropped, certs } = request;
        if places.is_empty() {
            if let Some(array) = operand.value().filter(|value| self.rows.contains(value)) {
                return Err(Refusal::UsedAsWhole { array, span: self.axes.span });
            }
            self.need(operand)?;
            return Ok(under(Source::Operand(operand), certs));
        }
        let Operand::Value(array) = operand else { unreachable!("a constant has no elements") };
        if self.rows.contains(&array) {
            return self.row(level, array, places, certs);
        }
        let Some(&Home { level: home, position }) = self.home.get(&array) else {
            return self.read(level, array, places, certs, self.axes.span);
        };
        let position = position.expect("an index is no array");
        // A loop around the request evaluates again what stands outside of it.
        let dropped = dropped || self.is_inside_loop_of(level, home);
        let block = self.levels[home].block;
        let stmt = &block.stmts[position];
        let request = Request { operand, places, dropped, certs };
        match &stmt.op {
            Op::With(w) => self.enter(home, position, stmt, *w, request),
            Op::If { cond, then, otherwise } => self.branch((home, position), stmt, *cond, [then, otherwise], request),
            ops!(access)
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::ArrayLit { .. }
            | Op::Copy { .. }
            | Op::Table { .. } => self.assembled(level, stmt, request),
            ops!(scalar | effect) | Op::Concat { .. } | Op::Update { .. } | Op::Loop(_) | Op::Call { .. } => {
                Err(Refusal::NotPerfect { span: stmt.span })
            }
        }
    }

    /// An element of an array that a statement assembles from others, or takes from them.
    fn assembled(&mut self, level: usize, stmt: &'a Stmt, request: Request) -> Result<Source, Refusal> {
        let Request { operand, mut places, dropped, mut certs } = request;
        let array = operand.value().expect("an array is no constant");
        let rank = self.func.ty(array).rank();
        self.owe(&stmt.certs, &mut certs)?;
        let (source, places, dropped) = match &stmt.op {
            Op::Index { array: source, indices } => {
                let mut all: Vec<Place> = indices.iter().map(|&index| self.place(index)).collect();
                all.append(&mut places);
                ((*source).into(), all, dropped)
            }
            Op::View { array: source, view: View::Permute { axes } } if places.len() == rank => {
                let mut permuted = places.clone();
                axes.iter().zip(places).for_each(|(&axis, place)| permuted[axis] = place);
                ((*source).into(), permuted, dropped)
            }
            Op::View { array: source, view: View::Slice { starts, steps } } if places.len() == rank => {
                let extents = |at: usize| (self.func.ty(array).shape[at], self.func.ty(*source).shape[at]);
                let sliced = places.into_iter().enumerate().map(|(at, place)| {
                    let (start, step, (own, whole)) = (starts[at], steps[at], extents(at));
                    if start == Operand::i64(0) && step == 1 && own == whole {
                        return place;
                    }
                    Place::Strided { start, step, of: Box::new(place) }
                });
                ((*source).into(), sliced.collect(), dropped)
            }
            Op::View { array: source, view: View::Broadcast } if places.len() == rank => {
                let added = rank - self.func.ty(*source).rank();
                ((*source).into(), places.split_off(added), dropped || added > 0)
            }
            // A view of something from outside costs nothing: its element is read.
            Op::View { .. } | Op::Table { .. } => {
                self.need(array.into())?;
                return self.read(level, array, places, certs, stmt.span);
            }
            Op::Iota { .. } => return Ok(under(Source::Place(places.remove(0)), certs)),
            Op::Replicate { x, .. } => (*x, places.split_off(1), true),
            Op::Copy { array: source } => ((*source).into(), places, dropped),
            Op::ArrayLit { elems } => {
                let chosen = self.literal(elems, &places[0], stmt)?;
                // Each element has a part of its own; what two of them share is computed in both.
                (elems[chosen], places.split_off(1), true)
            }
            ops!(scalar | effect | control) | Op::Concat { .. } | Op::Update { .. } => {
                unreachable!("the statement assembles an array")
            }
        };
        self.element(level, Request { operand: source, places, dropped, certs })
    }

    /// Which element of a literal stands at this place.
    fn literal(&mut self, elems: &[Operand], place: &Place, stmt: &Stmt) -> Result<usize, Refusal> {
        let constant = |operand: &Operand| operand.constant().and_then(|c| c.as_i64());
        let known = match place {
            Place::Operand(operand) => constant(operand).and_then(|at| usize::try_from(at).ok()),
            Place::Axis(_) | Place::Strided { .. } => None,
        };
        if let Some(at) = known.filter(|&at| at < elems.len()) {
            return Ok(at);
        }
        if elems.iter().all(|elem| *elem == elems[0]) {
            return Ok(0);
        }
        let Place::Axis(axis) = *place else {
            return Err(Refusal::NonInvertibleRead { read: stmt.results[0], span: stmt.span });
        };
        if elems.len() > MAX_LITERAL {
            return Err(Refusal::TooManyGenerators { count: elems.len(), span: stmt.span });
        }
        self.parts.of_literal = true;
        let full = Grid::full(self.axes.extents);
        let only = |at: i64| full.with_axis(axis, Axis::dense(Operand::i64(at), Operand::i64(at + 1)));
        self.parts.choose((0..elems.len() as i64).map(only).collect(), stmt.span)
    }

    /// An element of a parameter that becomes its element.
    fn row(&mut self, level: usize, array: Value, places: Vec<Place>, certs: Vec<Value>) -> Result<Source, Refusal> {
        let axes = self.axes.extents.len();
        if places.len() < axes || !(0..axes).all(|axis| places[axis] == Place::Axis(axis)) {
            return Err(Refusal::NonInvertibleRead { read: array, span: self.axes.span });
        }
        if places.len() == axes {
            return Ok(under(Source::Operand(array.into()), certs));
        }
        self.read(level, array, places, certs, self.axes.span)
    }

    /// A read of an array that is there.
    fn read(
        &mut self,
        level: usize,
        array: Value,
        places: Vec<Place>,
        certs: Vec<Value>,
        span: Span,
    ) -> Result<Source, Refusal> {
        self.need(array.into())?;
        places.iter().try_for_each(|place| self.need_place(place))?;
        let made = self.make();
        self.levels[level].items.push((usize::MAX, Item::Read { made, array, places, certs, span }));
        Ok(Source::Made(made))
    }

    fn make(&mut self) -> usize {
        self.made += 1;
        self.made - 1
    }

    /// An element of an inner with-loop's result: its body, there.
    fn enter(
        &mut self,
        home: usize,
        position: usize,
        stmt: &'a Stmt,
        with_loop: WithLoop,
        request: Request,
    ) -> Result<Source, Refusal> {
        let Request { operand, mut places, dropped, certs: outer_certs } = request;
        let func = self.func;
        let data = &func.with_loops[with_loop];
        let not_perfect = Refusal::NotPerfect { span: stmt.span };
        if data.operators.iter().any(|operator| matches!(operator.op, Operator::Uniform)) {
            return Err(Refusal::InnerSpaceVaries { span: stmt.span });
        }
        // Nothing is combined any more.
        if data.operators.iter().any(|operator| combination_may_end(func, operator)) {
            return Err(Refusal::MayFail { span: stmt.span });
        }
        if let Some((cell, row)) = modified_row(stmt, data, operand).filter(|(_, row)| self.rows.contains(row)) {
            let row = self.modify((home, position), stmt, with_loop, (cell, row), &places)?;
            return Ok(under(row, outer_certs));
        }
        let Some(cell) = genarray_cell(stmt, data, operand).filter(|_| places.len() >= data.space.len()) else {
            return Err(not_perfect);
        };
        let rest = places.split_off(data.space.len());
        if !places.iter().all(|place| self.is_in_scope(place, home)) {
            return Err(not_perfect);
        }
        let generator = self.generator(stmt, data, &places)?;
        places.iter().try_for_each(|place| self.need_place(place))?;
        let mut own = Vec::new();
        self.owe(&stmt.certs, &mut own)?;
        let repeated = dropped || !rest.is_empty();
        let level = self.level_of((home, position), stmt, with_loop, (generator, places), &own, repeated)?;
        let certs = [outer_certs.clone(), own].concat();
        let operand = data.generators[generator].body.results[cell];
        let source = self.element(level, Request { operand, places: rest, dropped, certs: Vec::new() })?;
        // Statements of the body stand under the certificates already.
        let defined_in_body = match source {
            Source::Operand(Operand::Value(value)) => {
                self.home.get(&value).is_some_and(|home| home.level == level && home.position.is_some())
            }
            Source::Operand(Operand::Const(_)) | Source::Place(_) | Source::Made(_) | Source::Under(..) => false,
        };
        Ok(if defined_in_body && outer_certs.is_empty() { source } else { under(source, certs) })
    }

    /// The level of the body of an inner with-loop's generator at these places, which is opened if it is not yet.
    fn level_of(
        &mut self,
        (home, position): (usize, usize),
        stmt: &Stmt,
        with_loop: WithLoop,
        (generator, places): (usize, Vec<Place>),
        certs: &[Value],
        repeated: bool,
    ) -> Result<usize, Refusal> {
        match self.entered.get(&with_loop) {
            Some((level, known)) if *known == places && (!repeated || self.levels[*level].repeated) => {
                return Ok(*level);
            }
            Some(_) => return Err(Refusal::RepeatsWork { producer: with_loop, span: stmt.span }),
            None => {}
        }
        let func = self.func;
        let data = &func.with_loops[with_loop];
        let level = self.open(&data.generators[generator].body, Some(home), repeated, true);
        for (&index, place) in data.indices.iter().zip(&places) {
            self.home.insert(index, Home { level, position: None });
            if let Place::Axis(_) = place {
                self.bound.insert(index, place.clone());
            }
        }
        let (indices, certs) = (data.indices.clone(), certs.to_vec());
        self.levels[home].items.push((position, Item::Enter { level, indices, places: places.clone(), certs }));
        self.entered.insert(with_loop, (level, places));
        Ok(level)
    }

    /// The row of a parameter after a with-loop that modifies one element of each row, at the same place in all of them.
    fn modify(
        &mut self,
        (home, position): (usize, usize),
        stmt: &'a Stmt,
        with_loop: WithLoop,
        (cell, row): (usize, Value),
        places: &[Place],
    ) -> Result<Source, Refusal> {
        let not_perfect = Refusal::NotPerfect { span: stmt.span };
        let func = self.func;
        let data = &func.with_loops[with_loop];
        let axes = self.axes.extents.len();
        let is_own = |places: &[Place]| places.iter().enumerate().all(|(axis, place)| *place == Place::Axis(axis));
        let [generator] = &data.generators[..] else { return Err(not_perfect) };
        if places.len() != axes || !is_own(places) || data.space.len() != axes + 1 || generator.step != generator.width
        {
            return Err(not_perfect);
        }
        let (lower, upper) = (generator.lower[axes], generator.upper[axes]);
        if !Sums::of(func, &[self.levels[home].block]).is_one(lower, upper) {
            return Err(not_perfect);
        }
        let full = Grid::full(self.axes.extents);
        let mut grid = full.clone();
        grid.axes.iter_mut().zip(Grid::of(generator).axes).for_each(|(axis, own)| *axis = own);
        if grid != full {
            let bounds = generator.lower[..axes].iter().chain(&generator.upper[..axes]);
            if bounds.filter_map(|bound| bound.value()).any(|bound| self.varies(bound)) {
                return Err(Refusal::InnerSpaceVaries { span: stmt.span });
            }
            self.parts.choose(vec![grid], stmt.span)?;
        }
        let place = Place::Operand(lower);
        self.need_place(&place)?;
        let mut certs = Vec::new();
        self.owe(&stmt.certs, &mut certs)?;
        let all = places.iter().cloned().chain([place.clone()]).collect();
        let level = self.level_of((home, position), stmt, with_loop, (0, all), &certs, false)?;
        let operand = generator.body.results[cell];
        let value = self.element(level, Request { operand, places: Vec::new(), dropped: false, certs: Vec::new() })?;
        let made = self.make();
        let item = Item::Modify { made, row, place, value, certs, span: stmt.span };
        self.levels[home].items.push((position, item));
        Ok(Source::Made(made))
    }

    /// The generator that holds these places.
    fn generator(&mut self, stmt: &Stmt, data: &WithLoopData, places: &[Place]) -> Result<usize, Refusal> {
        let axes: Option<Vec<usize>> = places
            .iter()
            .map(|place| match place {
                Place::Axis(axis) => Some(*axis),
                Place::Operand(_) | Place::Strided { .. } => None,
            })
            .collect();
        let are_all_taken = axes.as_ref().is_some_and(|axes| {
            let is_whole = |(&axis, extent): (&usize, &Extent)| self.axes.extents[axis] == *extent;
            axes.iter().zip(&data.space).all(is_whole) && axes.iter().collect::<BTreeSet<_>>().len() == axes.len()
        });
        // Cells that are left out would not be checked any more.
        if !are_all_taken && data.generators.iter().any(|generator| Work::of(self.func, &generator.body).may_fail) {
            return Err(Refusal::MayFail { span: stmt.span });
        }
        let Some(axes) = axes else {
            return match data.generators.len() {
                1 => Ok(0),
                _ => Err(Refusal::NonInvertibleRead { read: stmt.results[0], span: stmt.span }),
            };
        };
        if data.generators.len() == 1 {
            return Ok(0);
        }
        if data.generators.is_empty() {
            return Err(Refusal::NotPerfect { span: stmt.span });
        }
        let mut grids = Vec::new();
        for generator in &data.generators {
            let bounds = generator.lower.iter().chain(&generator.upper);
            if bounds.filter_map(|bound| bound.value()).any(|bound| self.varies(bound)) {
                return Err(Refusal::InnerSpaceVaries { span: stmt.span });
            }
            let mut grid = Grid::full(self.axes.extents);
            axes.iter().zip(Grid::of(generator).axes).for_each(|(&axis, bounds)| grid.axes[axis] = bounds);
            grids.push(grid);
        }
        self.parts.choose(grids, stmt.span)
    }

    /// An element of what a branch yields: a branch that yields elements.
    fn branch(
        &mut self,
        (home, position): (usize, usize),
        stmt: &'a Stmt,
        cond: Operand,
        blocks: [&'a Block; 2],
        request: Request,
    ) -> Result<Source, Refusal> {
        let Request { operand, places, dropped, certs } = request;
        let result =
            stmt.results.iter().position(|&result| operand == result.into()).expect("the statement defines it");
        if !places.iter().all(|place| self.is_in_scope(place, home)) {
            return Err(Refusal::NotPerfect { span: stmt.span });
        }
        self.need(cond)?;
        let known = self.levels[home].items.iter().position(|(at, _)| *at == position);
        let item = match known {
            Some(item) => item,
            None => {
                let mut own = Vec::new();
                self.owe(&stmt.certs, &mut own)?;
                let repeated = self.levels[home].repeated;
                let sides = blocks.map(|block| self.open(block, Some(home), repeated, false));
                let branch = Branch { cond, sides, results: Vec::new(), certs: own, span: stmt.span };
                self.levels[home].items.push((position, Item::Branch(branch)));
                self.levels[home].items.len() - 1
            }
        };
        let Item::Branch(Branch { sides, .. }) = self.levels[home].items[item].1 else {
            unreachable!("a branch takes the place of a branch")
        };
        let mut sources = Vec::new();
        for (side, block) in sides.into_iter().zip(blocks) {
            let operand = block.results[result];
            let request = Request { operand, places: places.clone(), dropped, certs: Vec::new() };
            sources.push(self.element(side, request)?);
        }
        let [then, otherwise] = <[Source; 2]>::try_from(sources).expect("a branch has two sides");
        let made = self.make();
        let ty = self.func.operand_type(operand).row(places.len());
        let Item::Branch(branch) = &mut self.levels[home].items[item].1 else {
            unreachable!("a branch takes the place of a branch")
        };
        branch.results.push((made, ty, [then, otherwise]));
        Ok(under(Source::Made(made), certs))
    }

    /// The statement that defines the operand, if it is one of the nest, is taken along.
    fn need(&mut self, operand: Operand) -> Result<(), Refusal> {
        let Some(&Home { level, position: Some(position) }) = operand.value().and_then(|v| self.home.get(&v)) else {
            return Ok(());
        };
        if self.levels[level].kept.contains(&position) {
            return Ok(());
        }
        let block = self.levels[level].block;
        let stmt = &block.stmts[position];
        if self.levels[level].repeated {
            self.repeat(stmt)?;
        }
        self.rows_in_place(stmt)?;
        self.levels[level].kept.insert(position);
        let free = self.func.free_values(&Block { stmts: vec![stmt.clone()], results: Vec::new() });
        free.into_iter().try_for_each(|value| self.need(value.into()))
    }

    /// Statements that may end the program are taken along, whatever is wanted.
    fn need_checks(&mut self) -> Result<(), Refusal> {
        for level in 0..self.levels.len() {
            let block = self.levels[level].block;
            for (position, stmt) in block.stmts.iter().enumerate() {
                let is_open = self.levels[level].items.iter().any(|&(at, _)| at == position);
                if is_open || !effects::may_end_within(self.func, &stmt.op, &|_| true) {
                    continue;
                }
                let Some(&result) = stmt.results.first() else { return Err(Refusal::MayFail { span: stmt.span }) };
                self.need(result.into())?;
            }
        }
        Ok(())
    }

    fn need_place(&mut self, place: &Place) -> Result<(), Refusal> {
        match place {
            Place::Axis(_) => Ok(()),
            Place::Operand(operand) => self.need(*operand),
            Place::Strided { start, step: _, of } => {
                self.need(*start)?;
                self.need_place(of)
            }
        }
    }

    /// The statement may run again for every element. See Note [Repeated work].
    fn repeat(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        let shares = matches!(stmt.op, Op::Index { .. } | Op::View { .. } | Op::Table { .. });
        let is_scalar = stmt.results.iter().all(|&result| self.func.ty(result).is_scalar());
        let budget = self.axes.budget;
        let mut work = Work::of(self.func, &Block { stmts: vec![stmt.clone()], results: Vec::new() });
        if !budget.addresses && is_address(self.func, stmt) {
            work.weight = 0;
        }
        self.weight += work.weight;
        let is_cheap = work.weight < budget.statement && self.weight <= budget.block;
        if !work.is_constant || !is_cheap || !(shares || is_scalar) {
            return Err(Refusal::NotPerfect { span: stmt.span });
        }
        let runs = self.axes.extents.iter().all(|extent| matches!(extent, Extent::Const(n) if *n > 0));
        if work.may_fail && !runs {
            return Err(Refusal::MayFail { span: stmt.span });
        }
        Ok(())
    }

    /// Rows are only read at the index of the new axes, and under certificates from outside.
    fn rows_in_place(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        if self.rows.is_empty() {
            return Ok(());
        }
        if let Op::Index { array, indices } = &stmt.op
            && self.rows.contains(array)
        {
            let axes = self.axes.extents.len();
            let is_in_place =
                indices.len() >= axes && (0..axes).all(|axis| self.place(indices[axis]) == Place::Axis(axis));
            if !is_in_place {
                return Err(Refusal::NonInvertibleRead { read: *array, span: stmt.span });
            }
            if stmt.certs.iter().any(|cert| !self.outside.contains(cert)) {
                return Err(Refusal::MayFail { span: stmt.span });
            }
            self.certs.extend(&stmt.certs);
            return Ok(());
        }
        let mut whole = None;
        let mut find = |operand: Operand| whole = whole.or(operand.value().filter(|value| self.rows.contains(value)));
        stmt.op.for_each_operand(self.func, &mut find);
        let mut blocks = Vec::new();
        stmt.op.for_each_block(self.func, &mut |block| blocks.push(block));
        blocks.iter().for_each(|block| block.results.iter().for_each(|&result| find(result)));
        if let Some(array) = whole {
            return Err(Refusal::UsedAsWhole { array, span: stmt.span });
        }
        blocks.into_iter().flat_map(|block| &block.stmts).try_for_each(|stmt| self.rows_in_place(stmt))
    }

    /// The certificates from inside of the nest go to `inside`; the nest as a whole stands under the others.
    fn owe(&mut self, certs: &[Value], inside: &mut Vec<Value>) -> Result<(), Refusal> {
        for &cert in certs {
            if self.home.contains_key(&cert) {
                self.need(cert.into())?;
                inside.push(cert);
            } else {
                self.certs.insert(cert);
            }
        }
        Ok(())
    }

    /// True if the value is one of the nest's own.
    fn varies(&self, value: Value) -> bool {
        self.home.contains_key(&value) || self.axes.iteration == Some(value) || self.rows.contains(&value)
    }

    fn place(&self, index: Operand) -> Place {
        index.value().and_then(|value| self.bound.get(&value)).cloned().unwrap_or(Place::Operand(index))
    }

    /// True if the place means something in the block at this level.
    fn is_in_scope(&self, place: &Place, level: usize) -> bool {
        let operand = |operand: &Operand| {
            let home = operand.value().and_then(|value| self.home.get(&value));
            home.is_none_or(|home| self.outward(level).any(|around| around == home.level))
        };
        match place {
            Place::Axis(_) => true,
            Place::Operand(index) => operand(index),
            Place::Strided { start, step: _, of } => operand(start) && self.is_in_scope(of, level),
        }
    }

    /// True if a loop that was entered inside of the block at level `outer` surrounds the block at `level`.
    fn is_inside_loop_of(&self, level: usize, outer: usize) -> bool {
        self.outward(level).take_while(|&around| around != outer).any(|around| self.levels[around].is_loop)
    }

    /// The level, and those around it.
    fn outward(&self, level: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(level), |&level| self.levels[level].outer)
    }
}

fn under(source: Source, certs: Vec<Value>) -> Source {
    if certs.is_empty() { source } else { Source::Under(Box::new(source), certs) }
}

/// True if the statement says where an element is: sums and products of integers, and rows of arrays.
fn is_address(func: &Func, stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Binary { op: BinOp::Arith(_), .. } => func.ty(stmt.results[0]).elem == Scalar::I64,
        Op::Index { .. } => !func.ty(stmt.results[0]).is_scalar(),
        _ => false,
    }
}

/// True if a combining function may end the program.
fn combination_may_end(func: &Func, operator: &OperatorData) -> bool {
    match &operator.op {
        Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
            combine.body.stmts.iter().any(|stmt| effects::may_end_within(func, &stmt.op, &|_| true))
        }
        Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => false,
    }
}

/// The position among the cells of what becomes this result; `None` if the result is not an array of cells.
fn genarray_cell(stmt: &Stmt, data: &WithLoopData, result: Operand) -> Option<usize> {
    let (mut cell, mut at) = (0, 0);
    for operator in &data.operators {
        let made = &stmt.results[at..at + operator.op.results()];
        if made.iter().any(|&value| result == value.into()) {
            return matches!(operator.op, Operator::GenArray).then_some(cell);
        }
        cell += operator.cells();
        at += operator.op.results();
    }
    None
}

/// The position among the cells of what modifies an array, and the array; `None` if the result is no array that is modified.
pub(in crate::array) fn modified_row(stmt: &Stmt, data: &WithLoopData, result: Operand) -> Option<(usize, Value)> {
    let (mut cell, mut at) = (0, 0);
    for operator in &data.operators {
        if let Operator::ModArray { source, .. } = operator.op
            && result == stmt.results[at].into()
        {
            return (!operator.guarded).then_some((cell, source));
        }
        cell += operator.cells();
        at += operator.op.results();
    }
    None
}

// Note [Repeated work]
//
// In the nest as it was, a block ran once and made whole arrays; now it runs once for every element of them. The body of
// an inner with-loop that is entered with all of the new axes still runs once for each of its cells, whatever it
// does. All else is repeated: statements of the block itself, and bodies of with-loops whose element stands at several indices of the new axes,
// because an axis was dropped on the way (`dropped`: by a replication, or because the loop stands outside of another one that was entered
// before) or because a row of the cell is still to be taken apart. Of such levels (`repeated`) only statements are taken along
// that are cheap, that make no array, and that cannot fail: where an extent may be 0, a check that was made once would
// not be made at all. So the work for an element grows by a constant at most.
