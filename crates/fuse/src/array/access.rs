//! How a statement uses arrays made before it: at which indices it reads their elements, how often, and whether it
//! needs one as a whole.
//!
//! A read stands inside of loops. If the indices of all of them can be told from the element that is read (the map from
//! the loops' indices to the array's is injective) then no element is read twice. See Note [Injective reads].

use frit_ir::affine::Poly;
use frit_ir::array::{Block, Extent, Func, Lambda, LoopKind, Op, Operand, Stmt, Value, View, ops};
use frit_ir::scalar::{BinOp, Const};
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How often reads evaluate a producer's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// Once for every element, so many times.
    pub full: u64,
    /// Once for the elements of a part of lower rank, so many times.
    pub slices: u64,
    /// More often than any multiple of its size, or no bound is known.
    pub unbounded: bool,
    /// How many of those are in the iterations of a sequential loop, which neither threads nor vectors run.
    pub in_order: u64,
}

impl Evaluations {
    /// The evaluations of two statements that both run.
    pub fn and(self, other: Self) -> Self {
        Self {
            full: self.full.saturating_add(other.full),
            slices: self.slices.saturating_add(other.slices),
            unbounded: self.unbounded || other.unbounded,
            in_order: self.in_order.saturating_add(other.in_order),
        }
    }

    /// The evaluations of two branches of which one runs.
    fn or(self, other: Self) -> Self {
        Self {
            full: self.full.max(other.full),
            slices: self.slices.max(other.slices),
            unbounded: self.unbounded || other.unbounded,
            in_order: self.in_order.max(other.in_order),
        }
    }

    /// True if no element is evaluated more than once.
    pub fn is_once(self) -> bool {
        !self.unbounded && self.full.saturating_add(self.slices) <= 1
    }
}

/// One read of an element or a sub-array.
#[derive(Clone, Debug)]
pub struct Site {
    /// The array that is read, or a view of it.
    pub array: Value,
    /// The indices of its outermost axes.
    pub indices: Vec<Operand>,
    /// Where it is.
    pub span: Span,
    /// It stands in a branch, a sequential loop or a combining function: it need not be executed for every index.
    pub is_conditional: bool,
    /// The axes of the with-loops around it, outermost first.
    pub axes: Vec<(Value, Extent)>,
}

/// How a statement uses some arrays.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Its reads in the order of the program.
    pub sites: Vec<Site>,
    /// How often they evaluate each element, if every read is an evaluation.
    pub evaluations: Evaluations,
    /// The first use that is no read: the array is needed in memory.
    pub whole: Option<(Value, Span)>,
}

/// How `stmt` of a block uses these arrays. `views` are the views of them, with what they are a view of: reads of a view are reads of
/// the array. `axes` is the rank of the index space that the arrays were made over: further axes are those of cells.
pub fn uses(func: &Func, block: &Block, stmt: &Stmt, arrays: &BTreeSet<Value>, views: &Views, axes: usize) -> Uses {
    let mut search = Search {
        func,
        block,
        arrays,
        views,
        axes,
        context: Vec::new(),
        sums: HashMap::new(),
        quotients: HashMap::new(),
        remainders: HashMap::new(),
        found: Uses::default(),
    };
    let evaluations = search.stmt(stmt);
    Uses { evaluations, ..search.found }
}

/// The views at the level of a block, by the value they define.
pub type Views = BTreeMap<Value, (Value, View)>;

/// The loops and branches between a statement and a read in it.
#[derive(Clone, Debug)]
enum Around {
    /// An axis of a with-loop; `is_one` if the with-loop has one number on it at most.
    Axis { index: Value, extent: Extent, is_one: bool },
    /// The iterations of a sequential loop that are counted.
    Counted { index: Value, extent: Extent },
    /// One side of a branch, or a part of a with-loop's space.
    Branch,
    /// Code that runs an unknown number of times: any other sequential loop, a combining function.
    Repeated,
}

struct Search<'a> {
    func: &'a Func,
    block: &'a Block,
    arrays: &'a BTreeSet<Value>,
    views: &'a Views,
    axes: usize,
    context: Vec<Around>,
    /// What integer arithmetic inside of the statement computes, over the indices of its loops and values from outside.
    sums: HashMap<Value, Poly<Value>>,
    /// Quotients and remainders computed there: what is divided by what.
    quotients: HashMap<Value, (Operand, Operand)>,
    remainders: HashMap<Value, (Operand, Operand)>,
    found: Uses,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) -> Evaluations {
        let mut evaluations = Evaluations::default();
        for stmt in &block.stmts {
            evaluations = evaluations.and(self.stmt(stmt));
        }
        block.results.iter().for_each(|&result| self.whole_use(result, Span::NONE));
        evaluations
    }

    fn stmt(&mut self, stmt: &Stmt) -> Evaluations {
        self.arithmetic(stmt);
        match &stmt.op {
            Op::Index { array, indices } if self.is_wanted(*array) => {
                indices.iter().for_each(|&index| self.whole_use(index, stmt.span));
                self.read(*array, indices, stmt.span)
            }
            // A view of the array that is known is no use of it; those who read the view are asked.
            Op::View { array, .. } if self.is_wanted(*array) && self.views.contains_key(&stmt.results[0]) => {
                Evaluations::default()
            }
            Op::If { cond, then, otherwise } => {
                self.whole_use(*cond, stmt.span);
                self.context.push(Around::Branch);
                let evaluations = self.block(then).or(self.block(otherwise));
                self.context.pop();
                evaluations
            }
            Op::Loop(data) => {
                data.init.iter().for_each(|&init| self.whole_use(init, stmt.span));
                let mut evaluations = Evaluations::default();
                match &data.kind {
                    LoopKind::For { index, count } => {
                        self.whole_use(*count, stmt.span);
                        let extent = match *count {
                            Operand::Const(count) => count.as_i64().map(Extent::Const),
                            Operand::Value(count) => Some(Extent::Value(count)),
                        };
                        let counted = extent.map(|extent| Around::Counted { index: *index, extent });
                        self.context.push(counted.unwrap_or(Around::Repeated));
                    }
                    LoopKind::While { condition } => {
                        self.context.push(Around::Repeated);
                        evaluations = self.block(condition);
                    }
                }
                evaluations = evaluations.and(self.block(&data.body));
                self.context.pop();
                evaluations
            }
            Op::With(w) => {
                let data = &self.func.with_loops[*w];
                data.for_each_operand(&mut |operand| self.whole_use(operand, stmt.span));
                let mut evaluations = Evaluations::default();
                let outside = self.context.len();
                for (axis, (&index, &extent)) in data.indices.iter().zip(&data.space).enumerate() {
                    // Several generators with one number each may read the same.
                    let is_one = match &data.generators[..] {
                        [only] if only.upper[axis] != extent.into() => [self.block, &self.func.body]
                            .iter()
                            .any(|block| is_one_at_most(self.func, block, only.lower[axis], only.upper[axis])),
                        _ => false,
                    };
                    self.context.push(Around::Axis { index, extent, is_one });
                }
                // Generators are disjoint parts of the space: together they read no more than one that covers it would.
                for generator in &data.generators {
                    let inside = self.context.len();
                    if !generator.covers(&data.space) {
                        self.context.push(Around::Branch);
                    }
                    evaluations = evaluations.or(self.block(&generator.body));
                    self.context.truncate(inside);
                }
                self.context.truncate(outside);
                self.context.push(Around::Repeated);
                for Lambda { body, .. } in data.lambdas() {
                    evaluations = evaluations.and(self.block(body));
                }
                self.context.pop();
                evaluations
            }
            ops!(scalar | access | array | effect) | Op::Call { .. } => {
                stmt.op.for_each_operand(self.func, &mut |operand| self.whole_use(operand, stmt.span));
                Evaluations::default()
            }
        }
    }

    fn is_wanted(&self, array: Value) -> bool {
        self.arrays.contains(&array)
    }

    fn whole_use(&mut self, operand: Operand, span: Span) {
        if let Operand::Value(value) = operand
            && self.is_wanted(value)
            && self.found.whole.is_none()
        {
            self.found.whole = Some((value, span));
        }
    }

    fn read(&mut self, array: Value, indices: &[Operand], span: Span) -> Evaluations {
        let axes = self.context.iter().filter_map(|around| match around {
            Around::Axis { index, extent, .. } => Some((*index, *extent)),
            Around::Counted { .. } | Around::Branch | Around::Repeated => None,
        });
        self.found.sites.push(Site {
            array,
            indices: indices.to_vec(),
            span,
            is_conditional: self.context.iter().any(|around| !matches!(around, Around::Axis { .. })),
            axes: axes.collect(),
        });
        self.count(array, indices)
    }

    /// How often the read evaluates each element of what it reads.
    fn count(&self, array: Value, indices: &[Operand]) -> Evaluations {
        let unbounded = Evaluations { unbounded: true, ..Evaluations::default() };
        if self.context.iter().any(|around| matches!(around, Around::Repeated)) {
            return unbounded;
        }
        let Some(indices) = self.indices_of_cell(array, indices) else { return unbounded };
        let indices = self.recombined(indices);
        let sums: Vec<Poly<Value>> = indices.iter().map(|&index| self.sum(index)).collect();
        let loops: Vec<(Value, Extent)> = self
            .context
            .iter()
            .filter_map(|around| match around {
                Around::Axis { index, is_one: true, .. } => Some((*index, Extent::Const(1))),
                Around::Axis { index, extent, .. } | Around::Counted { index, extent } => Some((*index, *extent)),
                Around::Branch | Around::Repeated => None,
            })
            .collect();
        let is_in_order = self.context.iter().any(|around| matches!(around, Around::Counted { .. }));
        let mut times = 1u64;
        for (index, extent) in undetermined(&sums, &loops) {
            match extent {
                Extent::Const(n) if !sums.iter().any(|sum| sum.mentions(&index)) => {
                    times = times.saturating_mul(n.max(0).unsigned_abs());
                }
                Extent::Const(_) | Extent::Value(_) => return unbounded,
            }
        }
        let in_order = if is_in_order { times } else { 0 };
        let varies = |sum: &Poly<Value>| loops.iter().any(|(index, _)| sum.mentions(index));
        if sums.iter().all(varies) {
            Evaluations { full: times, in_order, ..Evaluations::default() }
        } else {
            Evaluations { slices: times, in_order, ..Evaluations::default() }
        }
    }

    /// Indices that tell which cell is read; `None` if they are not known. Without the axes along which a view repeats
    /// the array, and without those of the cell itself.
    fn indices_of_cell(&self, array: Value, indices: &[Operand]) -> Option<Vec<Operand>> {
        let mut indices = indices.to_vec();
        let (mut at, mut is_reshaped) = (array, false);
        while let Some((source, view)) = self.views.get(&at) {
            match view {
                View::Permute { axes } => {
                    if is_reshaped || indices.len() < axes.len() {
                        is_reshaped = true;
                    } else {
                        let mut inner = indices.clone();
                        axes.iter().zip(&indices).for_each(|(&axis, &index)| inner[axis] = index);
                        indices = inner;
                    }
                }
                View::Reshape => is_reshaped = true,
                View::Slice { .. } => {}
                View::Broadcast => {
                    let added = self.func.ty(at).rank() - self.func.ty(*source).rank();
                    if is_reshaped || indices.len() < added {
                        return None;
                    }
                    indices.drain(..added);
                }
            }
            at = *source;
        }
        if self.func.ty(at).rank() > self.axes {
            if is_reshaped {
                return None;
            }
            indices.truncate(self.axes);
        }
        Some(indices)
    }

    /// Indices of which a quotient and a remainder of one division are replaced by what was divided: they tell each other.
    fn recombined(&self, mut indices: Vec<Operand>) -> Vec<Operand> {
        let of = |map: &HashMap<Value, (Operand, Operand)>, index: Operand| map.get(&index.value()?).copied();
        loop {
            let pairs = indices
                .iter()
                .enumerate()
                .flat_map(|(i, &a)| indices.iter().enumerate().map(move |(j, &b)| (i, a, j, b)));
            let found = pairs.filter(|&(i, _, j, _)| i != j).find_map(|(i, a, j, b)| {
                let division = of(&self.quotients, a)?;
                (of(&self.remainders, b) == Some(division)).then_some((i, j, division.0))
            });
            let Some((i, j, whole)) = found else { return indices };
            indices[i] = whole;
            indices.remove(j);
        }
    }

    /// Remembers what an integer statement computes.
    fn arithmetic(&mut self, stmt: &Stmt) {
        let Op::Binary { op, x, y } = stmt.op else { return };
        match op {
            BinOp::DIV | BinOp::FLOOR_DIV => {
                self.quotients.insert(stmt.results[0], (x, y));
            }
            BinOp::REM | BinOp::FLOOR_MOD => {
                self.remainders.insert(stmt.results[0], (x, y));
            }
            _ => {}
        }
        let sum = match op {
            BinOp::ADD => &self.sum(x) + &self.sum(y),
            BinOp::SUB => &self.sum(x) - &self.sum(y),
            BinOp::MUL => &self.sum(x) * &self.sum(y),
            _ => return,
        };
        if sum.len() <= 8 && self.func.ty(stmt.results[0]).elem == frit_ir::Scalar::I64 {
            self.sums.insert(stmt.results[0], sum);
        }
    }

    fn sum(&self, operand: Operand) -> Poly<Value> {
        match operand {
            Operand::Const(c) => c.as_i64().map_or_else(Poly::zero, Poly::constant),
            Operand::Value(v) => self.sums.get(&v).cloned().unwrap_or_else(|| Poly::symbol(v)),
        }
    }
}

/// True if by the statements of a block the upper bound is at most one more than the lower one.
fn is_one_at_most(func: &Func, block: &Block, lower: Operand, upper: Operand) -> bool {
    let is_cut = || match upper.value().and_then(|value| definition(func, block, value)) {
        Some(Op::Binary { op: BinOp::MIN, x, y }) => [x, y].iter().any(|&&bound| bound == Operand::i64(1)),
        _ => false,
    };
    let [(below, from), (above, to)] = [lower, upper].map(|bound| offset(func, block, bound));
    match below == above {
        true => to.checked_sub(from).is_some_and(|extent| extent <= 1),
        false => lower == Operand::i64(0) && is_cut(),
    }
}

/// What an integer is a constant more than, and the constant; it may be 0.
fn offset(func: &Func, block: &Block, mut operand: Operand) -> (Option<Value>, i64) {
    let mut sum = 0i64;
    let constant = |operand: Operand| operand.constant().and_then(Const::as_i64);
    while let Operand::Value(value) = operand {
        let (base, more) = match definition(func, block, value) {
            Some(Op::Binary { op: BinOp::ADD, x, y }) => match (constant(*x), constant(*y)) {
                (_, Some(more)) => (*x, more),
                (Some(more), None) => (*y, more),
                (None, None) => return (Some(value), sum),
            },
            Some(Op::Binary { op: BinOp::SUB, x, y }) => match constant(*y) {
                Some(less) => (*x, less.wrapping_neg()),
                None => return (Some(value), sum),
            },
            _ => return (Some(value), sum),
        };
        (operand, sum) = (base, sum.wrapping_add(more));
    }
    (None, sum.wrapping_add(constant(operand).unwrap_or(0)))
}

/// The operation that defines a value in a block.
fn definition<'f>(func: &'f Func, block: &'f Block, value: Value) -> Option<&'f Op> {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            if stmt.results.contains(&value) {
                return Some(&stmt.op);
            }
            stmt.op.for_each_block(func, &mut |inner| open.push(inner));
        }
    }
    None
}

/// The loops whose index cannot be told from the values of the sums. See Note [Injective reads].
fn undetermined(sums: &[Poly<Value>], loops: &[(Value, Extent)]) -> Vec<(Value, Extent)> {
    let mut open: Vec<(Value, Extent)> = loops.to_vec();
    loop {
        let before = open.len();
        for sum in sums {
            let occurring: Vec<(Value, Extent)> =
                open.iter().copied().filter(|(index, _)| sum.mentions(index)).collect();
            if determines(sum, &occurring) {
                open.retain(|one| !occurring.contains(one));
            }
        }
        if open.is_empty() || open.len() == before {
            return open;
        }
    }
}

/// True if the sum, all other symbols being known, tells all of these indices.
fn determines(sum: &Poly<Value>, indices: &[(Value, Extent)]) -> bool {
    let factor = |index: Value| sum.linear_in(&index).map(|(factor, _)| factor);
    match indices {
        [] => false,
        &[(index, _)] => factor(index).and_then(|factor| factor.as_constant()).is_some_and(|factor| factor != 0),
        // A mixed-radix number: sorted by factors, each is the one before times that one's extent.
        _ => {
            let Some(mut digits) = indices
                .iter()
                .map(|&(index, extent)| Some((factor(index)?, extent)))
                .collect::<Option<Vec<(Poly<Value>, Extent)>>>()
            else {
                return false;
            };
            if indices.iter().any(|(index, _)| digits.iter().any(|(factor, _)| factor.mentions(index))) {
                return false;
            }
            let mut radix = Poly::constant(1);
            while let Some(at) = digits.iter().position(|(factor, _)| *factor == radix) {
                let (_, extent) = digits.remove(at);
                let extent = match extent {
                    Extent::Const(n) => Poly::constant(n),
                    Extent::Value(v) => Poly::symbol(v),
                };
                radix = &radix * &extent;
            }
            digits.is_empty()
        }
    }
}

// Note [Injective reads]
//
// An element of an array is read at indices e1, ..., er inside of loops with indices i1, ..., in. If all of i1, ..., in can be
// told from e1, ..., er, no two iterations read the same element, so computing the element where it is read computes none
// twice. It is enough to tell the loops' indices one by one: from an e that is c*i + (what is already told), with a
// constant c that is not 0; or several at once from an e that is a mixed-radix number of them, i1*n2 + i2 with i2 below
// n2, as a reshape makes it. Arithmetic wraps; but an index in bounds is below 2^47, and so are the loops' indices, so a linear
// form of one index that wraps on its way is still injective.
