//! What a function moves to and from memory, counted on its text: polynomials in the program's sizes.
//! Source: the cost model of \[MEM\] section 3: an array that a loop reads counts once in full, and so does one that it makes.
//!
//! The rules:
//! - an outermost with-loop reads every distinct array that it uses from outside once, in full or as much of it as it is known to read, and writes
//!   its results;
//! - arrays made inside of a with-loop's body are read and written once in every iteration; one that becomes a cell is the
//!   outer loop's result, and is written once;
//! - views, `iota`, `replicate` and constant tables cost nothing; `concat`, copies and updates move what they copy;
//! - an array whose old elements nobody uses afterwards is updated in place, see [`InPlace`]: it is not copied;
//! - single elements read outside of with-loops count one by one;
//! - in a sequential loop everything counts as often as the loop runs, and of an `if` both branches count.
//!
//! What lies in a loop whose number of iterations is no polynomial in sizes is counted for one iteration of it
//! ([`Traffic::per_iteration`]). Knows nothing of caches, and of what lowering can keep in registers. See [`Sizes`] for how
//! sizes become polynomials, and [`SizeNames`] for what reports call them.

use super::planning::loop_ref;
use super::touched::elements_read;
use frit_ir::array::{
    Block, Extent, Func, Generator, LoopData, LoopKind, Op, Operand, Operator, Stmt, Type, Value, View, WithLoop, ops,
};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use frit_plan::LoopRef;
use frit_support::{Index, Poly, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bytes or elements, as a polynomial in sizes of the function.
pub type Count = Poly<Value>;

/// Polynomials of more terms, or of a higher degree, are symbols of their own.
const MAX_TERMS: usize = 12;
const MAX_DEGREE: u64 = 6;

/// What a function moves.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Its with-loops, nested ones included.
    pub with_loops: usize,
    /// Those that are in no other: the sweeps over memory.
    pub nests: usize,
    /// Arrays that are stored and are no parameters or results of the function, in the order of the program.
    pub intermediates: Vec<Value>,
    /// Bytes of the intermediates, each counted once.
    pub held: Count,
    /// Bytes read and written, but for those below.
    pub moved: Count,
    /// What moves them: in the order of the program.
    pub movers: Vec<Mover>,
    /// Bytes read and written in one iteration of a loop whose number of iterations is unknown: the loop's place, and the
    /// bytes; in the order of the program.
    pub per_iteration: Vec<(Span, Count)>,
}

/// An outermost with-loop with all that is in it, or another statement outside of with-loops that moves something.
#[derive(Clone, Debug)]
pub struct Mover {
    /// What reports call it.
    pub reference: LoopRef,
    /// The places of the loops around it.
    pub around: Vec<Span>,
    /// What it moves, but for what counts for one iteration of a loop.
    pub total: Moved,
    /// What it moves in one iteration of a loop whose number of iterations is unknown: that around it, or one in it.
    pub per_iteration: Moved,
}

/// Bytes that go from and to memory.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// From memory.
    pub read: Count,
    /// To memory.
    pub written: Count,
}

impl Moved {
    /// True if nothing is moved.
    pub fn is_zero(&self) -> bool {
        self.read.is_zero() && self.written.is_zero()
    }

    fn add(&mut self, direction: Direction, bytes: &Count) {
        match direction {
            Direction::Read => self.read += bytes,
            Direction::Write => self.written += bytes,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// Counts what a function moves.
pub fn traffic(func: &Func) -> Traffic {
    let mut counter = Counter::new(func);
    counter.block(&func.body);
    counter.traffic
}

/// The integers of a function as polynomials in those that are no sums or products of others.
#[derive(Clone, Debug)]
pub struct Sizes {
    sums: HashMap<Value, Count>,
}

impl Sizes {
    /// The sizes of a function.
    pub fn of(func: &Func) -> Self {
        let mut sizes = Self { sums: HashMap::new() };
        sizes.block(func, &func.body);
        sizes
    }

    /// An integer operand.
    pub fn poly(&self, operand: Operand) -> Count {
        match operand {
            Operand::Value(value) => self.sums.get(&value).cloned().unwrap_or_else(|| Count::symbol(value)),
            Operand::Const(constant) => Count::constant(constant.as_i64().unwrap_or(0)),
        }
    }

    /// The number of elements of a box with these extents.
    pub fn elements(&self, shape: &[Extent]) -> Count {
        shape.iter().fold(Count::constant(1), |product, &extent| &product * &self.poly(extent.into()))
    }

    /// The bytes of a value of this type.
    pub fn bytes(&self, ty: &Type) -> Count {
        self.elements(&ty.shape).scale(ty.elem.bytes() as i64)
    }

    /// The polynomial that an operation on integers computes, unless it is large or none.
    fn sum(&self, op: &Op) -> Option<Count> {
        let sum = if let Op::Unary { op: UnOp::Neg, x } = op {
            -self.poly(*x)
        } else if let Op::Binary { op, x, y } = op {
            let (x, y) = (self.poly(*x), self.poly(*y));
            if *op == BinOp::ADD {
                x + y
            } else if *op == BinOp::SUB {
                x - y
            } else if *op == BinOp::MUL && x.len() * y.len() <= 2 * MAX_TERMS {
                x * y
            } else {
                return None;
            }
        } else {
            return None;
        };
        (sum.len() <= MAX_TERMS && sum.degree() <= MAX_DEGREE).then_some(sum)
    }

    fn block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            if let &[result] = &stmt.results[..]
                && *func.ty(result) == Type::scalar(Scalar::I64)
                && let Some(sum) = self.sum(&stmt.op)
            {
                self.sums.insert(result, sum);
            }
            stmt.op.for_each_block(func, &mut |inner| self.block(func, inner));
        }
    }
}

/// What reports call the sizes of a function: by their own names where the source names them, else `size(k, a)` by a named array
/// that has them, else by their names in dumps. No two values have the same name.
#[derive(Clone, Debug)]
pub struct SizeNames {
    names: BTreeMap<Value, String>,
}

impl SizeNames {
    /// The names of the sizes of a function.
    pub fn of(func: &Func) -> Self {
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let mut give = |value: Value, name: String| {
            let is_new = !names.contains_key(&value) && taken.insert(name.clone());
            if is_new {
                names.insert(value, name);
            }
            is_new || names.contains_key(&value)
        };
        // Parameters go first, so that a size is called after what the caller gives.
        let params = func.params.iter().map(|param| param.value);
        let others = func.values.iter().map(|(value, _)| value);
        let order: Vec<Value> = params.chain(others).collect();
        let integer_name = |value: Value| {
            let data = &func.values[value];
            data.name.as_deref().filter(|_| data.ty.is_scalar() && data.ty.elem.is_integer())
        };
        // The components of a tuple have one name; they are told apart by their place among those who share it.
        let mut namesakes: BTreeMap<&str, usize> = BTreeMap::new();
        for param in &func.params {
            if let Some(name) = integer_name(param.value) {
                *namesakes.entry(name).or_default() += 1;
            }
        }
        let mut nth: BTreeMap<&str, usize> = BTreeMap::new();
        for param in &func.params {
            if let Some(name) = integer_name(param.value).filter(|name| namesakes[name] > 1) {
                let place = nth.entry(name).or_default();
                give(param.value, format!("{name}.{place}"));
                *place += 1;
            }
        }
        for &value in &order {
            if let Some(name) = integer_name(value) {
                give(value, name.to_string());
            }
        }
        for value in order {
            let data = &func.values[value];
            for (axis, extent) in data.ty.shape.iter().enumerate() {
                if let (Extent::Value(size), Some(name)) = (extent, &data.name) {
                    // Other arrays of this name, as of an object that is read again, are numbered.
                    let numbered = (1..).map(|number| format!("size({axis}, {name}.{number})"));
                    let mut texts = std::iter::once(format!("size({axis}, {name})")).chain(numbered);
                    texts.any(|text| give(*size, text));
                }
            }
        }
        Self { names }
    }

    /// The name of a size.
    pub fn name(&self, size: Value) -> String {
        self.names.get(&size).cloned().unwrap_or_else(|| size.to_string())
    }
}

/// A loop around the statement that is being counted.
struct Enclosing {
    span: Span,
    /// How often it runs, if that is a polynomial.
    times: Option<Count>,
}

/// What is read: all of an array in memory, or a part of it that has a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    read: Value,
    memory: Value,
}

struct Counter<'f> {
    func: &'f Func,
    sizes: Sizes,
    /// What defines each value.
    definitions: HashMap<Value, &'f Stmt>,
    /// Per value: how many loops of any kind, and how many with-loops, are around its definition.
    depths: Vec<(u32, u32)>,
    /// Arrays that are made in the place of a cell of an enclosing with-loop.
    placed: BTreeSet<Value>,
    /// Arrays that are the function's results.
    returned: BTreeSet<Value>,
    /// Arrays that are made in the memory of others.
    in_place: InPlace,
    enclosing: Vec<Enclosing>,
    /// How many of the enclosing loops are with-loops.
    with_depth: u32,
    traffic: Traffic,
}

impl<'f> Counter<'f> {
    fn new(func: &'f Func) -> Self {
        let mut counter = Self {
            func,
            sizes: Sizes::of(func),
            definitions: HashMap::new(),
            depths: vec![(0, 0); func.values.len()],
            placed: BTreeSet::new(),
            returned: BTreeSet::new(),
            in_place: InPlace::default(),
            enclosing: Vec::new(),
            with_depth: 0,
            traffic: Traffic::default(),
        };
        counter.define(&func.body, (0, 0));
        counter.in_place = InPlace::of(func, &counter.definitions);
        let mut returned = BTreeSet::new();
        func.body.results.iter().for_each(|&result| counter.mark(result, true, &mut returned));
        counter.returned = returned;
        counter
    }

    /// Notes where the values of a block are defined.
    fn define(&mut self, block: &'f Block, depth: (u32, u32)) {
        for stmt in &block.stmts {
            for &result in &stmt.results {
                self.definitions.insert(result, stmt);
                self.depths[result.at()] = depth;
            }
            let (is_with, is_loop) = (matches!(stmt.op, Op::With(_)), matches!(stmt.op, Op::Loop(_)));
            let inner = (depth.0 + u32::from(is_with || is_loop), depth.1 + u32::from(is_with));
            stmt.op.for_each_binder(self.func, &mut |binder| self.depths[binder.at()] = inner);
            let mut blocks = Vec::new();
            stmt.op.for_each_block(self.func, &mut |block| blocks.push(block));
            blocks.into_iter().for_each(|block| self.define(block, inner));
        }
    }

    /// Marks an array, and all that has its memory: the sources of views and what branches yield; with `loops`, also what
    /// loops yield.
    fn mark(&self, array: Operand, loops: bool, marked: &mut BTreeSet<Value>) {
        let Operand::Value(array) = array else { return };
        if self.func.ty(array).is_scalar() || !marked.insert(array) {
            return;
        }
        let Some(stmt) = self.definitions.get(&array) else { return };
        let nth = stmt.results.iter().position(|&result| result == array).expect("the statement defines the array");
        if let Op::View { array, .. } = stmt.op {
            self.mark(array.into(), loops, marked);
        } else if let (Op::Update { array, .. }, true) = (&stmt.op, self.in_place.results.contains(&stmt.results[0])) {
            self.mark((*array).into(), loops, marked);
        } else if let Op::If { then, otherwise, .. } = &stmt.op {
            self.mark(then.results[nth], loops, marked);
            self.mark(otherwise.results[nth], loops, marked);
        } else if let (Op::Loop(data), true) = (&stmt.op, loops) {
            self.mark(data.body.results[nth], loops, marked);
            self.mark(data.init[nth], loops, marked);
        }
    }

    /// What reading this array reads, as seen from inside of `within` with-loops; nothing if it is an index map.
    fn source(&self, array: Value, within: u32) -> Option<Source> {
        let is_inside = self.depths[array.at()].1 > within;
        let part_of = |whole: Value| {
            let source = self.source(whole, within)?;
            // A part that the loop chooses is all of the array, as other iterations read the rest.
            Some(if is_inside { source } else { Source { read: array, ..source } })
        };
        match self.definitions.get(&array).map(|stmt| &stmt.op) {
            Some(Op::View { array: whole, view: View::Slice { .. } } | Op::Index { array: whole, .. }) => {
                part_of(*whole)
            }
            Some(Op::View { array, .. }) => self.source(*array, within),
            Some(Op::Iota { .. }) => None,
            Some(Op::Replicate { x, .. }) => self.source(x.value().filter(|&x| !self.func.ty(x).is_scalar())?, within),
            Some(_) | None => Some(Source { read: array, memory: array }),
        }
    }

    /// The arrays read anywhere in a block, as seen from inside of `within` with-loops.
    fn reads(&self, block: &Block, within: u32, sources: &mut BTreeSet<Source>) {
        for stmt in &block.stmts {
            self.reads_of_stmt(stmt, within, sources);
            stmt.op.for_each_block(self.func, &mut |inner| self.reads(inner, within, sources));
        }
    }

    /// The arrays whose elements a statement reads itself.
    fn reads_of_stmt(&self, stmt: &Stmt, within: u32, sources: &mut BTreeSet<Source>) {
        let mut read = |operand: Operand| {
            let array = operand.value().filter(|&value| !self.func.ty(value).is_scalar());
            sources.extend(array.and_then(|array| self.source(array, within)));
        };
        match &stmt.op {
            Op::Index { array, .. } if self.func.ty(stmt.results[0]).is_scalar() => read((*array).into()),
            Op::Copy { array } => read((*array).into()),
            Op::Concat { arrays } => arrays.iter().for_each(|&array| read(array.into())),
            Op::ArrayLit { elems } => elems.iter().copied().for_each(read),
            Op::Update { array, value, .. } => {
                if value.value().is_none_or(|part| !self.in_place.parts.contains(&part)) {
                    read(*value);
                }
                if !self.in_place.results.contains(&stmt.results[0]) {
                    read((*array).into());
                }
            }
            Op::With(w) => {
                let data = &self.func.with_loops[*w];
                for (operator, results) in data.by_operator(&stmt.results) {
                    match &operator.op {
                        Operator::ModArray { source, .. } if !self.in_place.results.contains(&results[0]) => {
                            read((*source).into());
                        }
                        Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => {
                            neutral.iter().copied().for_each(&mut read);
                        }
                        Operator::ModArray { .. }
                        | Operator::GenArray
                        | Operator::Filter { .. }
                        | Operator::Uniform => {}
                    }
                }
                // A cell that is made in the loop is in its place already; any other is copied there.
                for cell in data.generators.iter().flat_map(|generator| &generator.body.results) {
                    read(*cell);
                }
            }
            ops!(scalar | access | effect)
            | Op::Table { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::If { .. }
            | Op::Loop(_)
            | Op::Call { .. } => {}
        }
    }

    fn block(&mut self, block: &'f Block) {
        for stmt in &block.stmts {
            let moves_itself = self.with_depth == 0 && !matches!(stmt.op, Op::Loop(_) | Op::If { .. });
            if moves_itself {
                let (total, per_iteration) = (Moved::default(), Moved::default());
                let around = self.enclosing.iter().map(|enclosing| enclosing.span).collect();
                self.traffic.movers.push(Mover { reference: loop_ref(self.func, stmt), around, total, per_iteration });
            }
            self.statement(stmt);
            // A with-loop that moves nothing is worth telling; another statement is not.
            let is_idle = |mover: &mut Mover| mover.total.is_zero() && mover.per_iteration.is_zero();
            if moves_itself && !matches!(stmt.op, Op::With(_)) {
                self.traffic.movers.pop_if(is_idle);
            }
        }
    }

    fn statement(&mut self, stmt: &'f Stmt) {
        let mut sources = BTreeSet::new();
        self.reads_of_stmt(stmt, self.with_depth, &mut sources);
        match &stmt.op {
            Op::With(w) => self.with_loop(*w, stmt, sources),
            Op::Loop(data) => self.sequential(data, stmt),
            Op::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
            }
            Op::Index { .. } if self.func.ty(stmt.results[0]).is_scalar() => {
                if sources.iter().any(|source| self.is_here(source.memory)) {
                    self.charge(Direction::Read, self.sizes.bytes(self.func.ty(stmt.results[0])));
                }
            }
            Op::Copy { .. } | Op::Concat { .. } | Op::ArrayLit { .. } => {
                self.charge_reads(&sources);
                self.charge_made(stmt.results[0]);
            }
            Op::Update { value, .. } => {
                self.charge_reads(&sources);
                if value.value().is_none_or(|part| !self.in_place.parts.contains(&part)) {
                    self.charge(Direction::Write, self.sizes.bytes(&self.func.operand_type(*value)));
                }
                if !self.in_place.results.contains(&stmt.results[0]) {
                    self.charge_made(stmt.results[0]);
                }
            }
            ops!(scalar | access | effect)
            | Op::Table { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Call { .. } => {}
        }
    }

    fn with_loop(&mut self, w: WithLoop, stmt: &'f Stmt, mut sources: BTreeSet<Source>) {
        let data = &self.func.with_loops[w];
        self.traffic.with_loops += 1;
        if self.with_depth == 0 {
            self.traffic.nests += 1;
        }
        data.for_each_block(&mut |block| self.reads(block, self.with_depth, &mut sources));
        for source in sources {
            if !self.is_read_from_memory(&source) {
                continue;
            }
            let is_view =
                |array: Value| self.source(array, self.with_depth).is_some_and(|other| other.memory == source.memory);
            let elements = elements_read(self.func, &self.sizes, w, source.read, &is_view);
            // As long as it is the same in every iteration of the loops around, so that it can be told for all of them.
            let is_fixed = |elements: &Count| elements.symbols().into_iter().all(|size| self.depths[size.at()].0 == 0);
            let ty = self.func.ty(source.read);
            let bytes = match elements.filter(is_fixed) {
                Some(elements) => elements.scale(ty.elem.bytes() as i64),
                None => self.sizes.bytes(ty),
            };
            self.charge(Direction::Read, bytes);
        }
        for (operator, results) in data.by_operator(&stmt.results) {
            let is_modified = matches!(operator.op, Operator::ModArray { .. });
            if is_modified && self.in_place.results.contains(&results[0]) {
                let row = self.func.ty(results[0]).row(data.space.len());
                for generator in &data.generators {
                    let written = self.indices(generator) * self.sizes.bytes(&row);
                    self.charge(Direction::Write, written);
                }
            } else {
                results.iter().for_each(|&result| self.charge_made(result));
            }
        }
        self.with_depth += 1;
        for generator in &data.generators {
            let mut placed = std::mem::take(&mut self.placed);
            let mut cell = 0;
            for operator in &data.operators {
                if let Operator::GenArray | Operator::ModArray { .. } = operator.op {
                    self.mark(generator.body.results[cell + usize::from(operator.guarded)], false, &mut placed);
                }
                cell += operator.cells();
            }
            self.placed = placed;
            self.enclosed(stmt.span, Some(self.indices(generator)), &[&generator.body]);
        }
        for lambda in data.lambdas() {
            self.enclosed(stmt.span, Some(self.sizes.elements(&data.space)), &[&lambda.body]);
        }
        self.with_depth -= 1;
    }

    fn sequential(&mut self, data: &'f LoopData, stmt: &'f Stmt) {
        match &data.kind {
            LoopKind::For { count, .. } => self.enclosed(stmt.span, Some(self.sizes.poly(*count)), &[&data.body]),
            LoopKind::While { condition } => self.enclosed(stmt.span, None, &[condition, &data.body]),
        }
    }

    fn enclosed(&mut self, span: Span, times: Option<Count>, blocks: &[&'f Block]) {
        self.enclosing.push(Enclosing { span, times });
        blocks.iter().for_each(|block| self.block(block));
        self.enclosing.pop();
    }

    /// The number of indices of a generator; that of its box if it is a grid.
    fn indices(&self, generator: &Generator) -> Count {
        let sides = generator.lower.iter().zip(&generator.upper);
        sides.fold(Count::constant(1), |all, (&lower, &upper)| {
            let side = self.sizes.poly(upper) - self.sizes.poly(lower);
            &all * &side
        })
    }

    /// True if the array is made at this depth of with-loops. What is made further out is read by a loop further out.
    fn is_here(&self, array: Value) -> bool {
        self.depths[array.at()].1 == self.with_depth
    }

    fn charge_reads(&mut self, sources: &BTreeSet<Source>) {
        for source in sources {
            if self.is_read_from_memory(source) {
                self.charge(Direction::Read, self.sizes.bytes(self.func.ty(source.read)));
            }
        }
    }

    /// Constant tables cost nothing.
    fn is_read_from_memory(&self, source: &Source) -> bool {
        let is_table = self.definitions.get(&source.memory).is_some_and(|stmt| matches!(stmt.op, Op::Table { .. }));
        self.is_here(source.memory) && !is_table
    }

    /// Counts the writing of an array that a statement makes, unless it is made in the place of another.
    fn charge_made(&mut self, array: Value) {
        if self.func.ty(array).is_scalar() || self.placed.contains(&array) {
            return;
        }
        let bytes = self.sizes.bytes(self.func.ty(array));
        self.charge(Direction::Write, bytes.clone());
        if !self.returned.contains(&array) && !self.in_place.parts.contains(&array) {
            self.traffic.intermediates.push(array);
            self.traffic.held += &bytes;
        }
    }

    /// Counts bytes that this place moves each time it is reached.
    fn charge(&mut self, direction: Direction, mut bytes: Count) {
        if bytes.is_zero() {
            return;
        }
        let mover = self.traffic.movers.last_mut().expect("what is counted is in a statement outside of with-loops");
        for depth in (1..=self.enclosing.len()).rev() {
            let Enclosing { span, times } = &self.enclosing[depth - 1];
            let varies = bytes.symbols().into_iter().any(|symbol| self.depths[symbol.at()].0 as usize >= depth);
            match times {
                Some(times) if !varies => bytes = &bytes * times,
                Some(_) | None => {
                    mover.per_iteration.add(direction, &bytes);
                    match self.traffic.per_iteration.iter_mut().find(|(at, _)| at == span) {
                        Some((_, sum)) => *sum += &bytes,
                        None => self.traffic.per_iteration.push((*span, bytes)),
                    }
                    return;
                }
            }
        }
        mover.total.add(direction, &bytes);
        self.traffic.moved += &bytes;
    }
}

/// The results of updates and of modifying with-loops that can have the memory of the array that they change: it is consumed, or nothing
/// uses it afterwards. Whether lowering finds that out does not matter here: counts before and after merging are comparable.
#[derive(Default)]
struct InPlace {
    results: BTreeSet<Value>,
    /// Arrays that a with-loop makes and that only such an update uses: they are made where they go.
    parts: BTreeSet<Value>,
}

impl InPlace {
    fn of(func: &Func, definitions: &HashMap<Value, &Stmt>) -> Self {
        let mut found = Self::default();
        let mut used = BTreeSet::new();
        Walk { func, definitions }.block(&func.body, &BTreeSet::new(), &mut used, &mut found);
        let uses = func.use_counts();
        let is_made_here = |part: &Value| definitions.get(part).is_some_and(|stmt| matches!(stmt.op, Op::With(_)));
        found.parts.retain(|part| uses[*part] == 1 && is_made_here(part));
        found
    }
}

struct Walk<'a, 'f> {
    func: &'f Func,
    definitions: &'a HashMap<Value, &'f Stmt>,
}

impl Walk<'_, '_> {
    /// The array that a value is a view of, or the value itself.
    fn root(&self, mut value: Value) -> Value {
        while let Some(Op::View { array, .. } | Op::Index { array, .. }) =
            self.definitions.get(&value).map(|stmt| &stmt.op)
        {
            value = *array;
        }
        value
    }

    /// The arrays that a statement mentions, inside too.
    fn mentioned(&self, stmt: &Stmt, all: &mut BTreeSet<Value>) {
        stmt.op.for_each_operand(self.func, &mut |operand: Operand| {
            all.extend(operand.value().filter(|&value| !self.func.ty(value).is_scalar()).map(|value| self.root(value)));
        });
        stmt.op.for_each_block(self.func, &mut |block| {
            block.stmts.iter().for_each(|stmt| self.mentioned(stmt, all));
            all.extend(block.results.iter().filter_map(|result| result.value()).map(|value| self.root(value)));
        });
    }

    /// Goes over a block from its end. `again` are arrays that the next iterations use; `used` are those that are used after the
    /// statement at hand.
    fn block(&self, block: &Block, again: &BTreeSet<Value>, used: &mut BTreeSet<Value>, found: &mut InPlace) {
        used.extend(again);
        used.extend(block.results.iter().filter_map(|result| result.value()).map(|value| self.root(value)));
        for stmt in block.stmts.iter().rev() {
            let mut is_free = |array: Value, result: Value, consumes: bool| {
                if consumes || !used.contains(&self.root(array)) {
                    found.results.insert(result);
                }
            };
            match &stmt.op {
                Op::Update { array, value, consumes, .. } => {
                    is_free(*array, stmt.results[0], *consumes);
                    if found.results.contains(&stmt.results[0]) {
                        found.parts.extend(value.value());
                    }
                }
                Op::With(w) => {
                    for (operator, results) in self.func.with_loops[*w].by_operator(&stmt.results) {
                        if let Operator::ModArray { source, consumes } = operator.op {
                            is_free(source, results[0], consumes);
                        }
                    }
                }
                _ => {}
            }
            let mut inside = BTreeSet::new();
            self.mentioned(stmt, &mut inside);
            // What is made outside of a loop and used in it is used by the next iteration too; of a branch it is not.
            let is_repeated = !matches!(stmt.op, Op::If { .. });
            stmt.op.for_each_block(self.func, &mut |inner| {
                let mut after = used.clone();
                let nobody = BTreeSet::new();
                let again = if is_repeated { self.made_outside(stmt, &inside) } else { nobody };
                self.block(inner, &again, &mut after, found);
            });
            used.extend(inside);
        }
    }

    /// Those of the arrays that are made outside of a statement.
    fn made_outside(&self, stmt: &Stmt, arrays: &BTreeSet<Value>) -> BTreeSet<Value> {
        let mut own = BTreeSet::new();
        self.made_in(stmt, &mut own);
        arrays.difference(&own).copied().collect()
    }

    fn made_in(&self, stmt: &Stmt, own: &mut BTreeSet<Value>) {
        stmt.op.for_each_binder(self.func, &mut |binder| _ = own.insert(binder));
        stmt.op.for_each_block(self.func, &mut |block| {
            for stmt in &block.stmts {
                own.extend(&stmt.results);
                self.made_in(stmt, own);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_ir::array::parse::parse_program;

    /// With-loops, outermost ones, intermediates, and the bytes moved, with parameters' sizes by position.
    fn counted(text: &str) -> (usize, usize, usize, String) {
        let program = parse_program(text).expect("the test's program is well-formed");
        let func = program.funcs.iter().next().expect("it has a function").1;
        let traffic = traffic(func);
        let moved = traffic.moved.rename(|size| size.to_string()).to_string();
        (traffic.with_loops, traffic.nests, traffic.intermediates.len(), moved)
    }

    const MAP_SUM: &str = "func @main[%0](%1: f64[%0]) -> (f64) {
  %2: f64[%0] = w0: with (%3) in [%0] {
    [0] <= iv < [%0] {
      %4: f64 = index %1[%3]
      %5: f64 = mul %4, 2.0
      yield %5
    }
  } : genarray
  %6: f64 = w1: with (%7) in [%0] {
    [0] <= iv < [%0] {
      %8: f64 = index %2[%7]
      yield %8
    }
  } : fold (0.0) by (%9: f64, %10: f64) {
    %11: f64 = add %9, %10
    yield %11
  }
  return %6
}
";

    #[test]
    fn an_intermediate_is_written_and_read_once() {
        assert_eq!(counted(MAP_SUM), (2, 2, 1, "24*%0".into()));
    }

    /// A loop that changes an element of a vector in each iteration. `yields` is the version of the vector that the next one gets.
    fn updating(yields: &str) -> String {
        format!(
            "func @main[%0](%1: f64[%0]) -> (f64[%0]) {{
  %2: f64[%0] = for %3 < %0 (%4: f64[%0] = %1) {{
    %5: f64 = index %4[%3]
    %6: f64 = mul %5, 2.0
    %7: f64[%0] = update %4[%3] = %6
    yield {yields}
  }}
  return %2
}}
"
        )
    }

    #[test]
    fn an_update_whose_old_array_nobody_uses_moves_an_element() {
        assert_eq!(counted(&updating("%7")).3, "16*%0");
    }

    #[test]
    fn an_update_of_an_array_that_is_used_again_copies_it() {
        assert_eq!(counted(&updating("%4")).3, "16*%0 + 16*%0^2");
    }

    #[test]
    fn every_loop_has_its_share() {
        let program = parse_program(MAP_SUM).expect("the test's program is well-formed");
        let traffic = traffic(program.funcs.iter().next().expect("it has a function").1);
        let text = |count: &Count| count.rename(|size| size.to_string()).to_string();
        let shares = traffic.movers.iter().map(|mover| {
            assert!(mover.per_iteration.is_zero());
            [mover.reference.label.clone(), text(&mover.total.read), text(&mover.total.written)]
        });
        let shares: Vec<[String; 3]> = shares.collect();
        assert_eq!(shares, [["w0", "8*%0", "8*%0"], ["w1", "8*%0", "0"]]);
    }

    /// What a map over `%2` indices reads of `%1: f64[%0]`, whose body begins with these statements and yields `%9`.
    fn read(body: &str) -> String {
        let text = format!(
            "func @main[%0](%1: f64[%0], %2: i64) -> (f64[%2]) {{
  %3: f64[%2] = w0: with (%4) in [%2] {{
    [0] <= iv < [%2] {{
{body}
      yield %9
    }}
  }} : genarray
  return %3
}}
"
        );
        let program = parse_program(&text).expect("the test's program is well-formed");
        let traffic = traffic(program.funcs.iter().next().expect("it has a function").1);
        traffic.movers[0].total.read.rename(|size| size.to_string()).to_string()
    }

    #[test]
    fn only_the_box_that_is_read_counts() {
        assert_eq!(read("%9: f64 = index %1[%4]"), "8*%2");
        assert_eq!(read("%9: f64 = index %1[7]"), "8");
        let shifted = "%5: i64 = add %4, 3\n %6: f64 = index %1[%5]\n %7: f64 = index %1[%4]\n %9: f64 = add %6, %7";
        assert_eq!(read(shifted), "8*%2 + 24");
        let reversed = "%5: i64 = sub %0, %4\n %6: i64 = sub %5, 1\n %9: f64 = index %1[%6]";
        assert_eq!(read(reversed), "8*%2");
        let inner =
            "%9: f64 = for %5 < 3 (%6: f64 = 0.0) {\n %7: i64 = add %4, %5\n %8: f64 = index %1[%5]\n yield %8\n }";
        assert_eq!(read(inner), "24");
    }

    #[test]
    fn what_may_be_read_anywhere_counts_in_full() {
        let strided = "%5: i64 = mul %4, 2\n %9: f64 = index %1[%5]";
        assert_eq!(read(strided), "8*%0");
        let conditional =
            "%5: bool = lt %4, 3\n %9: f64 = if %5 {\n %6: f64 = index %1[%4]\n yield %6\n } else {\n yield 0.0\n }";
        assert_eq!(read(conditional), "8*%0");
        let from_elsewhere = "%5: f64 = index %1[%4]\n %6: i64 = to_i64 %5\n %9: f64 = index %1[%6]";
        assert_eq!(read(from_elsewhere), "8*%0");
        let through_a_view = "%5: f64[%0] = view %1 slice(0)\n %9: f64 = index %5[%4]";
        assert_eq!(read(through_a_view), "8*%0");
        let two_lengths = "%5: i64 = sub %0, %4\n %6: i64 = sub %5, 1\n %7: f64 = index %1[%6]\n %8: f64 = index %1[%4]\n %9: f64 = add %7, %8";
        assert_eq!(read(two_lengths), "8*%0");
    }

    #[test]
    fn a_cell_that_is_an_array_is_written_once() {
        let nest = "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%0, %1]) {
  %3: f64[%0, %1] = w0: with (%4) in [%0] {
    [0] <= iv < [%0] {
      %5: f64[%1] = index %2[%4]
      %6: f64[%1] = w1: with (%7) in [%1] {
        [0] <= iv < [%1] {
          %8: f64 = index %5[%7]
          yield %8
        }
      } : genarray
      yield %6
    }
  } : genarray
  return %3
}
";
        assert_eq!(counted(nest), (2, 1, 0, "16*%0*%1".into()));
    }

    #[test]
    fn rows_made_in_a_body_count_in_every_iteration() {
        let nest = "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%0]) {
  %3: f64[%0] = w0: with (%4) in [%0] {
    [0] <= iv < [%0] {
      %6: f64[%1] = w1: with (%7) in [%1] {
        [0] <= iv < [%1] {
          %8: f64 = index %2[%4, %7]
          yield %8
        }
      } : genarray
      %9: f64 = w2: with (%10) in [%1] {
        [0] <= iv < [%1] {
          %11: f64 = index %6[%10]
          yield %11
        }
      } : fold (0.0) by (%12: f64, %13: f64) {
        %14: f64 = add %12, %13
        yield %14
      }
      yield %9
    }
  } : genarray
  return %3
}
";
        assert_eq!(counted(nest), (3, 1, 1, "8*%0 + 24*%0*%1".into()));
    }

    #[test]
    fn what_runs_in_a_loop_counts_as_often_as_it_runs() {
        let looped = |count: &str| {
            format!(
                "func @main[%0](%1: f64[%0], %2: i64, %9: f64) -> (f64[%0]) {{
  %3: f64[%0] = for %4 < {count} (%5: f64[%0] = %1) {{
    %6: f64[%0] = w0: with (%7) in [%0] {{
      [0] <= iv < [%0] {{
        %8: f64 = index %5[%7]
        yield %8
      }}
    }} : genarray
    yield %6
  }}
  return %3
}}
"
            )
        };
        assert_eq!(counted(&looped("%2")), (1, 1, 0, "16*%0*%2".into()));
        assert_eq!(counted(&looped("10")).3, "160*%0");
    }

    #[test]
    fn a_loop_of_unknown_length_counts_for_one_iteration() {
        let text = "func @main[%0](%1: f64[%0], %2: f64) -> (f64[%0]) {
  %3: f64[%0], %13: f64 = while (%5: f64[%0] = %1, %12: f64 = %2) {
    %10: bool = lt %12, 1.0
    yield %10
  } do {
    %6: f64[%0] = w0: with (%7) in [%0] {
      [0] <= iv < [%0] {
        %8: f64 = index %5[%7]
        yield %8
      }
    } : genarray
    %11: f64 = add %12, 1.0
    yield %6, %11
  }
  return %3
}
";
        let program = parse_program(text).expect("the test's program is well-formed");
        let traffic = traffic(program.funcs.iter().next().expect("it has a function").1);
        assert!(traffic.moved.is_zero());
        let [(_, bytes)] = &traffic.per_iteration[..] else { panic!("one loop is of unknown length") };
        assert_eq!(bytes.rename(|size| size.to_string()).to_string(), "16*%0");
        let [mover] = &traffic.movers[..] else { panic!("one with-loop moves it") };
        assert!(mover.total.is_zero() && &mover.per_iteration.read + &mover.per_iteration.written == *bytes);
    }

    #[test]
    fn views_and_replication_move_nothing() {
        let text = "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%1, %0]) {
  %3: f64[%1, %0] = view %2 permute(1, 0)
  %4: f64[%1, %1, %0] = replicate %1, %3
  %5: f64[%1, %0] = w0: with (%6, %7) in [%1, %0] {
    [0, 0] <= iv < [%1, %0] {
      %8: f64 = index %4[%6, %6, %7]
      %9: f64 = index %3[%6, %7]
      %10: f64 = add %8, %9
      yield %10
    }
  } : genarray
  return %5
}
";
        assert_eq!(counted(text), (1, 1, 0, "16*%0*%1".into()));
    }
}
