//! Programs of the array IR at random, for the tests of everything that reads or changes them.
//!
//! A program is a function of a seed and a [`Favour`] alone: which statements it favours, so that the rules under test apply
//! often. New arrays are read more often than old ones, and arrays that nothing reads are results, so that most arrays lie
//! between two loops. Extents are small, 0 and 1 among them.
//!
//! Scalars are computed in `scalars`; arrays that are no loops are made in `arrays`, with-loops in `with_loops`, nests of
//! them in `nests`, branches, sequential loops and updates in `control`. [`writing`](writing()) makes programs write what they
//! compute, and [`outcome`] runs them and compares. This crate knows no pass.

mod arrays;
mod control;
mod nests;
pub mod outcome;
mod scalars;
mod with_loops;
mod writing;

pub use writing::writing;

use frit_ir::array::build::Builder;
use frit_ir::array::{Extent, Func, FuncId, Operand, Param, Program, ResultExtent, ResultType, Type, Value};
use frit_ir::{Scalar, Tensor, TensorData};
use frit_support::{Random, Span};
use std::collections::BTreeSet;

const I64: Type = Type { elem: Scalar::I64, shape: Vec::new() };
const F64: Type = Type { elem: Scalar::F64, shape: Vec::new() };

/// Blocks nest at most this deep.
const DEEPEST: usize = 3;

/// The kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Arithmetic,
    Element,
    NewArray,
    View,
    Join,
    WithLoop,
    Rows,
    Branch,
    Loop,
    UpdateLoop,
    ConsumedBetween,
    Update,
    Call,
    Nest,
    Combination,
}

/// What programs are like.
#[derive(Clone, Copy)]
pub struct Favour {
    /// The kinds of statements, and how often each comes.
    statements: &'static [(Kind, usize)],
    /// The types of elements.
    elems: &'static [Scalar],
    /// A program has this many statements at least, and fewer than the second number more.
    count: [usize; 2],
    /// The block of a with-loop has fewer statements than this.
    inner: usize,
    /// One statement in this many checks something.
    checks: usize,
    /// Statements in with-loops mostly read no arrays but those that the loop walks.
    is_narrow: bool,
    /// Runs may fail.
    may_fail: bool,
}

impl Favour {
    /// Checked reads in loops, repeated work, calls: what a simplifier removes.
    pub const REDUNDANCY: Favour = Favour {
        statements: &[
            (Kind::Arithmetic, 10),
            (Kind::Element, 6),
            (Kind::NewArray, 4),
            (Kind::View, 3),
            (Kind::Join, 1),
            (Kind::Branch, 3),
            (Kind::Loop, 4),
            (Kind::WithLoop, 5),
            (Kind::UpdateLoop, 1),
            (Kind::Call, 2),
        ],
        elems: &[Scalar::F64, Scalar::F64, Scalar::I64],
        count: [8, 14],
        inner: 6,
        checks: 6,
        is_narrow: false,
        may_fail: true,
    };

    /// Chains and graphs of with-loops of all kinds, read element by element, by rows, through views, at other indices, in
    /// branches and loops, before and after updates in place: what can be merged.
    pub const CHAINS: Favour = Favour {
        statements: &[
            (Kind::WithLoop, 20),
            (Kind::View, 6),
            (Kind::Join, 4),
            (Kind::Arithmetic, 4),
            (Kind::Element, 3),
            (Kind::NewArray, 3),
            (Kind::Branch, 2),
            (Kind::Loop, 2),
            (Kind::Rows, 2),
            (Kind::UpdateLoop, 1),
            (Kind::ConsumedBetween, 1),
        ],
        elems: &[Scalar::F64, Scalar::F64, Scalar::I64, Scalar::I64, Scalar::Bool],
        count: [2, 9],
        inner: 4,
        checks: 24,
        is_narrow: true,
        may_fail: true,
    };

    /// With-loops whose cells are arrays made in all ways there are, and scans and folds of arrays.
    pub const NESTS: Favour = Favour {
        statements: &[(Kind::Nest, 3), (Kind::Combination, 2)],
        elems: &[Scalar::F64],
        count: [1, 3],
        ..Favour::CHAINS
    };

    /// Branches and loops that carry arrays in all the ways there are, updates of them, and with-loops. Elements are integers
    /// and no run fails: every way to run a program gives one result.
    pub const STORAGE: Favour = Favour {
        statements: &[
            (Kind::Arithmetic, 2),
            (Kind::Element, 1),
            (Kind::View, 1),
            (Kind::NewArray, 3),
            (Kind::Join, 1),
            (Kind::Update, 2),
            (Kind::Branch, 2),
            (Kind::Loop, 3),
            (Kind::WithLoop, 4),
            (Kind::UpdateLoop, 1),
        ],
        elems: &[Scalar::I64],
        count: [1, 12],
        inner: 4,
        checks: 12,
        is_narrow: false,
        may_fail: false,
    };

    fn has(&self, kind: Kind) -> bool {
        self.statements.iter().any(|(other, _)| *other == kind)
    }
}

/// What is in scope.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<Operand>,
    reals: Vec<Operand>,
    truths: Vec<Operand>,
    arrays: Vec<Value>,
    /// Extents that arrays made here may have.
    extents: Vec<Extent>,
    /// Indices of the loops around, and what they stay below.
    indices: Vec<(Value, Extent)>,
    certs: Vec<Value>,
}

struct Maker {
    b: Builder,
    random: Random,
    favour: Favour,
    /// Functions that may be called: all take a vector of reals, an integer and a real, and return a real.
    callees: Vec<FuncId>,
    /// The arrays that something reads.
    read: BTreeSet<Value>,
    depth: usize,
}

/// A program, and inputs to run it on.
pub fn case(favour: Favour, seed: u64) -> (Program, Vec<Vec<Tensor>>) {
    let mut random = Random::new(seed);
    let mut program = Program::default();
    let inputs = [2 + random.below(2), random.below(6), random.below(3)];
    let inputs = inputs.iter().map(|&n| arguments(&mut random, favour, n)).collect();
    let mut callees = Vec::new();
    for at in 0..if favour.has(Kind::Call) { random.below(3) } else { 0 } {
        let func = helper(&mut random, favour, at, callees.clone());
        callees.push(program.funcs.push(func));
    }
    let main = main(random, favour, callees);
    program.entry = Some(program.funcs.push(main));
    if favour.has(Kind::Update) {
        control::consume_where_possible(&mut program);
    }
    (program, inputs)
}

/// The types of the parameters, for two sizes.
fn param_types(favour: Favour, n: Extent, m: Extent) -> Vec<Type> {
    let arrays = [
        (Scalar::F64, vec![n]),
        (Scalar::F64, vec![m]),
        (Scalar::F64, vec![n, m]),
        (Scalar::F64, vec![m, n]),
        (Scalar::F64, vec![n, Extent::Const(2), m]),
        (Scalar::I64, vec![n]),
        (Scalar::I64, vec![n, m]),
        (Scalar::I64, vec![m, n, Extent::Const(2)]),
        (Scalar::Bool, vec![m]),
    ];
    let arrays = arrays.into_iter().filter(|(elem, _)| favour.elems.contains(elem));
    arrays.map(|(elem, shape)| Type::array(elem, shape)).chain([I64, F64]).collect()
}

fn arguments(random: &mut Random, favour: Favour, n: usize) -> Vec<Tensor> {
    let sizes = [n, random.below(4)].map(|size| Extent::Const(size as i64));
    let real = |random: &mut Random| {
        random.of(&[0.0, -0.0, 1.5, -2.25, 7.0, 0.1, 3.0, -1.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
    };
    let types = param_types(favour, sizes[0], sizes[1]).into_iter();
    let argument = |ty: Type| {
        let shape: Vec<usize> = ty.shape.iter().map(|&extent| constant(extent) as usize).collect();
        let count = shape.iter().product();
        let data = match ty.elem {
            Scalar::I64 if shape.is_empty() => {
                let extreme = random.of(&[i64::MAX, i64::MIN, (1 << 62) + 1]);
                TensorData::I64(vec![if random.one_in(8) { extreme } else { random.between(-2, 6) }])
            }
            Scalar::F64 => TensorData::F64((0..count).map(|_| real(random)).collect()),
            Scalar::Bool => TensorData::Bool((0..count).map(|_| random.one_in(2)).collect()),
            _ => TensorData::I64((0..count).map(|_| random.between(-2, 4)).collect()),
        };
        Tensor::new(shape, data).expect("as many elements as the shape says")
    };
    types.map(argument).collect()
}

fn constant(extent: Extent) -> i64 {
    match extent {
        Extent::Const(n) => n,
        Extent::Value(_) => panic!("an extent that is a constant"),
    }
}

/// A function that takes a vector of reals, an integer and a real, and returns a real.
fn helper(random: &mut Random, favour: Favour, at: usize, callees: Vec<FuncId>) -> Func {
    let mut func = Func::new(format!("helper{at}"), Span::NONE);
    let n = func.value(I64, Span::NONE);
    let params = [Type::array(Scalar::F64, vec![Extent::Value(n)]), I64, F64].map(|ty| func.value(ty, Span::NONE));
    func.sizes = vec![n];
    func.params = params.map(|value| Param { value, consumed: false }).to_vec();
    func.results = vec![ResultType { elem: Scalar::F64, shape: vec![], unique: true }];
    let mut maker = Maker::new(func, Random::new(random.bits()), favour, callees);
    maker.depth = 1;
    let mut scope = maker.scope();
    (0..6).for_each(|_| maker.statement(&mut scope));
    let result = maker.scalar(&scope, Scalar::F64);
    maker.b.finish(vec![result])
}

fn main(mut random: Random, favour: Favour, callees: Vec<FuncId>) -> Func {
    let count = favour.count[0] + random.below(favour.count[1]);
    let mut func = Func::new("main", Span::NONE);
    func.sizes = (0..2).map(|_| func.value(I64, Span::NONE)).collect();
    for ty in param_types(favour, Extent::Value(func.sizes[0]), Extent::Value(func.sizes[1])) {
        // Vectors are given away if anything updates arrays.
        let consumed = favour.has(Kind::Update) && ty.rank() == 1;
        let value = func.value(ty, Span::NONE);
        func.params.push(Param { value, consumed });
    }
    let mut maker = Maker::new(func, random, favour, callees);
    let mut scope = maker.scope();
    (0..count).for_each(|_| maker.statement(&mut scope));
    // The ends of chains are read once more.
    for _ in 0..if favour.has(Kind::WithLoop) { 4 } else { 0 } {
        let unread = scope.arrays.iter().filter(|array| !maker.read.contains(array)).count();
        if unread > 1 || unread > 0 && maker.random.one_in(2) {
            maker.with_loop(&mut scope);
        }
    }
    if favour.has(Kind::Rows) && maker.random.one_in(10) {
        maker.transposed(&mut scope);
    }
    let results = maker.results(&scope);
    let mut func = maker.b.finish(results);
    let types: Vec<Type> = func.body.results.iter().map(|&result| func.operand_type(result)).collect();
    let declared = |ty: Type| {
        let shape = ty.shape.iter().map(|_| ResultExtent::Caller).collect();
        ResultType { elem: ty.elem, shape, unique: false }
    };
    func.results = types.into_iter().map(declared).collect();
    func
}

impl Maker {
    fn new(func: Func, random: Random, favour: Favour, callees: Vec<FuncId>) -> Self {
        let read = func.params.iter().map(|param| param.value).collect();
        Maker { b: Builder::new(func), random, favour, callees, read, depth: 0 }
    }

    /// The sizes and the parameters.
    fn scope(&self) -> Scope {
        let func = &self.b.func;
        let mut scope = Scope {
            ints: func.sizes.iter().map(|&size| size.into()).collect(),
            extents: func.sizes.iter().map(|&size| Extent::Value(size)).collect(),
            ..Scope::default()
        };
        // The first is the newest: it is read most.
        func.params.iter().rev().for_each(|param| self.add(&mut scope, param.value.into()));
        scope
    }

    /// The last scalars, most arrays that nothing reads, and now and then one that something reads.
    fn results(&mut self, scope: &Scope) -> Vec<Operand> {
        let mut results: Vec<Operand> = Vec::new();
        for scalars in [&scope.ints, &scope.reals, &scope.truths] {
            results.extend(scalars.iter().rev().take(2));
        }
        for &array in &scope.arrays {
            let is_read = self.read.contains(&array);
            if !is_read && !self.random.one_in(8) || is_read && self.random.one_in(14) {
                results.push(array.into());
            }
        }
        results
    }

    fn statement(&mut self, scope: &mut Scope) {
        let is_flat = |kind: Kind| matches!(kind, Kind::Arithmetic | Kind::Element | Kind::NewArray | Kind::Update);
        let (is_deepest, statements) = (self.depth >= DEEPEST, self.favour.statements.iter());
        let kinds = statements.filter(|(kind, _)| !is_deepest || is_flat(*kind));
        let kinds: Vec<Kind> = kinds.flat_map(|&(kind, weight)| std::iter::repeat_n(kind, weight)).collect();
        match self.random.of(&kinds) {
            Kind::WithLoop if self.depth > 0 && self.random.one_in(2) => self.arithmetic(scope),
            Kind::Arithmetic => self.arithmetic(scope),
            Kind::Element => self.element(scope),
            Kind::NewArray => self.new_array(scope),
            Kind::View => self.view(scope),
            Kind::Join => self.joined_array(scope),
            Kind::WithLoop => self.with_loop(scope),
            Kind::Rows => self.rows(scope),
            Kind::Branch => self.branch(scope),
            Kind::Loop => self.sequential_loop(scope),
            Kind::UpdateLoop => self.update_loop(scope),
            Kind::ConsumedBetween => self.consumed_between(scope),
            Kind::Update => self.update(scope),
            Kind::Call => self.call(scope),
            Kind::Nest => self.nest(scope),
            Kind::Combination => self.array_combination(scope),
        }
    }

    fn add(&self, scope: &mut Scope, operand: Operand) {
        let ty = self.b.func.operand_type(operand);
        match (ty.elem, ty.rank()) {
            (Scalar::I64, 0) => scope.ints.push(operand),
            (Scalar::F64, 0) => scope.reals.push(operand),
            (Scalar::Bool, 0) => scope.truths.push(operand),
            (_, 0) => {}
            _ => scope.arrays.extend(operand.value()),
        }
    }

    fn add_all(&self, scope: &mut Scope, values: &[Value]) {
        values.iter().for_each(|&value| self.add(scope, value.into()));
    }

    /// The type of the elements of an array.
    fn element_type(&mut self) -> Scalar {
        self.random.of(self.favour.elems)
    }

    /// A type of numbers.
    fn number_type(&mut self) -> Scalar {
        if self.favour.elems.contains(&Scalar::F64) && self.random.one_in(2) { Scalar::F64 } else { Scalar::I64 }
    }

    /// An array to read, preferably one that nothing has read yet.
    fn source(&mut self, scope: &Scope) -> Option<Value> {
        self.source_where(scope, |_| true)
    }

    /// An array to read that is such.
    fn source_where(&mut self, scope: &Scope, is_such: impl Fn(&Type) -> bool) -> Option<Value> {
        let such: Vec<Value> = scope.arrays.iter().copied().filter(|&array| is_such(self.b.func.ty(array))).collect();
        if such.is_empty() {
            return None;
        }
        let unread: Vec<Value> = such.iter().copied().filter(|array| !self.read.contains(array)).collect();
        let array = if unread.is_empty() || self.random.one_in(3) { &such } else { &unread };
        let array = self.random.recent(array);
        self.read.insert(array);
        Some(array)
    }

    fn extent(&mut self, scope: &Scope) -> Extent {
        if scope.extents.is_empty() || self.random.one_in(5) {
            return Extent::Const(self.random.of(&[3, 2, 1, 0]));
        }
        if !self.favour.is_narrow && self.random.one_in(5) {
            let x = self.scalar(scope, Scalar::I64);
            return self.clipped(x, 5).extent();
        }
        self.random.recent(&scope.extents)
    }
}
