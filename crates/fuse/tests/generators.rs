//! The algebra of generators against sets of indices: random spaces, cuts and grids with constant and symbolic bounds; the
//! statements that the algebra emits run on the reference interpreter, and its grids are compared index by index.

use frit_fuse::array::Refusal;
use frit_fuse::array::generators::{
    Axis, Bounds, Grid, MAX_GENERATORS, Part, intersect, preimages, remainder, subtract, unify,
};
use frit_ir::affine::{AxisForm, IndexMap, Poly};
use frit_ir::array::build::Builder;
use frit_ir::array::{
    Block, Extent, Func, Operand, Operator, OperatorData, Param, Program, ResultType, Type, Value, WithLoopData, verify,
};
use frit_ir::{BinOp, Const, Scalar, Tensor, TensorData};
use frit_simplify::ranges::Ranges;
use frit_support::{Random, Span, random};
use std::collections::HashMap;

/// A function with two sizes and three numbers, and what is known in it.
struct Scene {
    b: Builder,
    sizes: Vec<Value>,
    numbers: Vec<Operand>,
    inputs: Vec<[i64; 5]>,
}

impl Scene {
    fn new(choices: &mut Random) -> Self {
        let mut func = Func::new("main", Span::NONE);
        let sizes: Vec<Value> = (0..2).map(|_| func.value(Type::scalar(Scalar::I64), Span::NONE)).collect();
        func.sizes = sizes.clone();
        let shape: Vec<Extent> = sizes.iter().map(|&size| Extent::Value(size)).collect();
        let array = func.value(Type::array(Scalar::Bool, shape), Span::NONE);
        func.params.push(Param { value: array, consumed: false });
        let mut numbers = Vec::new();
        for _ in 0..3 {
            let number = func.value(Type::scalar(Scalar::I64), Span::NONE);
            func.params.push(Param { value: number, consumed: false });
            numbers.push(number.into());
        }
        let mut input =
            |_| std::array::from_fn(|at| if at < 2 { choices.between(0, 7) } else { choices.between(-3, 8) });
        let inputs = (0..4).map(&mut input).collect();
        Self { b: Builder::new(func), sizes, numbers, inputs }
    }

    fn extent(&self, choices: &mut Random) -> Extent {
        match choices.below(4) {
            0 => Extent::Const(choices.between(0, 7)),
            1 => Extent::Value(self.sizes[1]),
            _ => Extent::Value(self.sizes[0]),
        }
    }

    fn space(&self, choices: &mut Random) -> Vec<Extent> {
        (0..1 + choices.below(2)).map(|_| self.extent(choices)).collect()
    }

    fn place(&mut self, choices: &mut Random) -> Operand {
        match choices.below(4) {
            0 => choices.of(&self.numbers),
            1 => choices.of(&self.sizes).into(),
            2 => {
                let size = choices.of(&self.sizes).into();
                self.b.binary(BinOp::SUB, size, Operand::i64(choices.between(0, 3)))
            }
            _ => Operand::i64(choices.between(0, 6)),
        }
    }

    /// A partition of a space: boxes cut at arbitrary places, and grids.
    fn partition(&mut self, choices: &mut Random, space: &[Extent]) -> Vec<Grid> {
        let mut grids = vec![Grid::full(space)];
        for _ in 0..choices.below(4) {
            let at = choices.below(grids.len());
            let grid = grids.swap_remove(at);
            let axis = choices.below(space.len());
            let own = grid.axes[axis];
            let parts = if own.is_dense() && choices.below(3) == 0 {
                let step = choices.between(2, 4);
                let width = choices.between(1, step - 1);
                let next = match own.lower {
                    Operand::Const(c) => Operand::i64(c.as_i64().unwrap() + width),
                    lower @ Operand::Value(_) => self.b.binary(BinOp::ADD, lower, Operand::i64(width)),
                };
                [Axis { step, width, ..own }, Axis { lower: next, step, width: step - width, ..own }]
            } else if own.is_dense() {
                let place = self.place(choices);
                let place = self.b.binary(BinOp::MIN, place, own.upper);
                let place = self.b.binary(BinOp::MAX, place, own.lower);
                [Axis::dense(own.lower, place), Axis::dense(place, own.upper)]
            } else {
                grids.push(grid);
                continue;
            };
            grids.extend(parts.map(|part| grid.with_axis(axis, part)));
        }
        grids
    }

    /// What the algebra makes here: the function with its statements.
    fn compute<T>(self, work: impl FnOnce(&mut Bounds) -> T) -> (T, Computed) {
        let Scene { b, inputs, .. } = self;
        let mut func = b.finish(Vec::new());
        let mut facts = facts(&func);
        let mut bounds = Bounds::new(&mut func, &mut facts, Span::NONE);
        let made = work(&mut bounds);
        let (stmts, certs) = bounds.finish();
        assert!(certs.is_empty(), "the scene has no assertion");
        func.body.stmts.extend(stmts);
        (made, Computed { func, inputs })
    }
}

fn facts(func: &Func) -> Ranges {
    let mut facts = Ranges::new(func);
    func.body.stmts.iter().for_each(|stmt| facts.define(func, stmt));
    facts
}

struct Computed {
    func: Func,
    inputs: Vec<[i64; 5]>,
}

impl Computed {
    /// What all integers of the function are, for each input.
    fn runs(&self) -> Vec<Run> {
        let mut func = self.func.clone();
        let params = func.params.iter().map(|param| param.value);
        let made = func.body.stmts.iter().flat_map(|stmt| stmt.results.iter().copied());
        let all = func.sizes.iter().copied().chain(params).chain(made);
        let values: Vec<Value> = all.filter(|&v| *func.ty(v) == Type::scalar(Scalar::I64)).collect();
        func.body.results = values.iter().map(|&v| v.into()).collect();
        func.results = vec![ResultType { elem: Scalar::I64, shape: Vec::new(), unique: true }; values.len()];
        let mut program = Program::default();
        let entry = program.funcs.push(func);
        program.entry = Some(entry);
        verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let run = |input: &[i64; 5]| {
            let shape = vec![input[0] as usize, input[1] as usize];
            let count = shape.iter().product();
            let array = Tensor::new(shape, TensorData::splat(Const::Bool(true), count)).unwrap();
            let numbers = input[2..].iter().map(|&x| Tensor::scalar(Const::i64(x)));
            let args = std::iter::once(array).chain(numbers).collect();
            let results = frit_interp::array::run(&program, entry, args).unwrap_or_else(|e| panic!("{e}\n{program}"));
            let numbers = results.iter().map(|r| r.as_scalar().and_then(Const::as_i64).unwrap());
            Run { input: *input, values: values.iter().copied().zip(numbers).collect() }
        };
        self.inputs.iter().map(run).collect()
    }
}

/// The integers of a function for one input.
struct Run {
    input: [i64; 5],
    values: HashMap<Value, i64>,
}

impl Run {
    fn value(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Const(c) => c.as_i64().unwrap(),
            Operand::Value(v) => self.values[&v],
        }
    }

    fn space(&self, space: &[Extent]) -> Vec<i64> {
        space.iter().map(|&extent| self.value(extent.into())).collect()
    }

    fn set(&self, grid: &Grid) -> Indices {
        let (lower, upper) = grid.axes.iter().map(|axis| (self.value(axis.lower), self.value(axis.upper))).unzip();
        Indices { lower, upper, grid: grid.clone() }
    }
}

/// A grid with numbers as bounds.
struct Indices {
    lower: Vec<i64>,
    upper: Vec<i64>,
    grid: Grid,
}

impl Indices {
    fn contains(&self, index: &[i64]) -> bool {
        (0..index.len()).all(|at| {
            let (i, axis) = (index[at], &self.grid.axes[at]);
            self.lower[at] <= i && i < self.upper[at] && (i - self.lower[at]) % axis.step < axis.width
        })
    }

    /// Its bounds are in the space unless it holds nothing.
    fn is_within(&self, space: &[i64]) -> bool {
        let is_empty = (0..space.len()).any(|at| self.lower[at] >= self.upper[at]);
        is_empty || (0..space.len()).all(|at| 0 <= self.lower[at] && self.upper[at] <= space[at])
    }
}

fn indices(space: &[i64]) -> Vec<Vec<i64>> {
    space.iter().fold(vec![Vec::new()], |before, &extent| {
        let extended = |index: &Vec<i64>| {
            let index = index.clone();
            (0..extent).map(move |i| [&index[..], &[i]].concat()).collect::<Vec<_>>()
        };
        before.iter().flat_map(extended).collect()
    })
}

/// The number of sets that hold the index.
fn holders(sets: &[Indices], index: &[i64]) -> usize {
    sets.iter().filter(|set| set.contains(index)).count()
}

#[test]
fn intersections_remainders_and_differences_are_those_of_sets() {
    let (mut hits, mut empty) = (0, 0);
    for seed in random::seeds(random::cases(600)) {
        let mut choices = Random::new(seed);
        let mut scene = Scene::new(&mut choices);
        let space = scene.space(&mut choices);
        let (first, second) = (scene.partition(&mut choices, &space), scene.partition(&mut choices, &space));
        let (x, y) = (choices.of(&first), choices.of(&second));
        let ((common, rest, outside), computed) = scene.compute(|bounds| {
            let common = intersect(bounds, &x, &y).unwrap();
            (common, subtract(bounds, &x, &y).unwrap(), remainder(bounds, &space, &[x.clone(), y.clone()]))
        });
        empty += usize::from(common.is_empty());
        for run in computed.runs() {
            let input = run.input;
            let extents = run.space(&space);
            let set = |grid: &Grid| run.set(grid);
            let (a, b) = (set(&x), set(&y));
            let both: Vec<Indices> = common.iter().map(set).collect();
            let left: Vec<Indices> = rest.iter().map(set).collect();
            let none: Option<Vec<Indices>> = outside.as_ref().ok().map(|grids| grids.iter().map(set).collect());
            for part in both.iter().chain(&left).chain(none.iter().flatten()) {
                assert!(part.is_within(&extents), "seed {seed}: {:?} in {extents:?}", part.grid);
            }
            for index in indices(&extents) {
                let (in_a, in_b) = (a.contains(&index), b.contains(&index));
                let message = || format!("seed {seed}, {input:?}: {index:?} of {x:?} and {y:?}");
                assert_eq!(holders(&both, &index), usize::from(in_a && in_b), "{}", message());
                assert_eq!(holders(&left, &index), usize::from(in_a && !in_b), "{}", message());
                if let Some(none) = &none {
                    assert_eq!(holders(none, &index), usize::from(!in_a && !in_b), "{}", message());
                }
                hits += usize::from(in_a && in_b);
            }
        }
    }
    assert!(hits > 1000 && empty > 10, "{hits} common indices, {empty} provably empty intersections");
}

fn with_loop(space: &[Extent], grids: &[Grid]) -> WithLoopData {
    WithLoopData {
        space: space.to_vec(),
        generators: grids.iter().map(|grid| grid.generator(Block::default())).collect(),
        operators: vec![OperatorData::new(Operator::GenArray)],
        ..WithLoopData::default()
    }
}

#[test]
fn unified_generators_are_the_common_refinement_of_both() {
    let (cases, mut parts_made, mut refused) = (random::cases(600), 0, 0);
    for seed in random::seeds(cases) {
        let mut choices = Random::new(seed);
        let mut scene = Scene::new(&mut choices);
        let space = scene.space(&mut choices);
        let (first, second) = (scene.partition(&mut choices, &space), scene.partition(&mut choices, &space));
        let (a, b) = (with_loop(&space, &first), with_loop(&space, &second));
        let (parts, computed) = scene.compute(|bounds| unify(bounds, &a, &b));
        let parts = match parts {
            Ok(parts) => parts,
            Err(Refusal::TooManyGenerators { count, .. }) if count > MAX_GENERATORS => {
                refused += 1;
                continue;
            }
            Err(refusal) => panic!("seed {seed}: {refusal:?}"),
        };
        parts_made += parts.len();
        for run in computed.runs() {
            let input = run.input;
            let extents = run.space(&space);
            let sets: Vec<Indices> = parts.iter().map(|part| run.set(&part.grid)).collect();
            let of_first: Vec<Indices> = first.iter().map(|grid| run.set(grid)).collect();
            let of_second: Vec<Indices> = second.iter().map(|grid| run.set(grid)).collect();
            assert!(sets.iter().all(|set| set.is_within(&extents)), "seed {seed}");
            for index in indices(&extents) {
                let own: Vec<&Part> =
                    parts.iter().zip(&sets).filter(|(_, set)| set.contains(&index)).map(|(part, _)| part).collect();
                let [part] = own[..] else { panic!("seed {seed}, {input:?}: {index:?} is in {} parts", own.len()) };
                assert!(of_first[part.first].contains(&index), "seed {seed}, {input:?}: {index:?} in {part:?}");
                assert!(of_second[part.second].contains(&index), "seed {seed}, {input:?}: {index:?} in {part:?}");
            }
        }
    }
    assert!(parts_made > 1000 && refused < cases / 10, "{parts_made} parts, {refused} refused");
}

/// Reads of a producer by a consumer: an affine form for each axis of the producer.
fn read(scene: &mut Scene, choices: &mut Random, consumer_rank: usize, producer_rank: usize) -> IndexMap<Value> {
    let forms = (0..producer_rank).map(|_| {
        let mut offset = Poly::constant(choices.between(-4, 4));
        if choices.below(2) == 0 {
            let number = choices.of(&scene.numbers).value().unwrap();
            offset += &Poly::symbol(number);
        }
        let stride = choices.of(&[1, 1, 1, -1, -1, 2, -2, 3, 0]);
        match stride {
            0 => AxisForm::constant(offset),
            stride => AxisForm::strided(choices.below(consumer_rank), stride, offset),
        }
    });
    let forms = forms.collect();
    IndexMap::new(consumer_rank, forms).expect("the axes exist")
}

#[test]
fn a_pre_image_holds_the_indices_whose_reads_fall_into_the_generator() {
    let (cases, mut reads, mut refused, mut split) = (random::cases(900), 0, 0, 0);
    for seed in random::seeds(cases) {
        let mut choices = Random::new(seed);
        let mut scene = Scene::new(&mut choices);
        let (consumer_space, producer_space) = (scene.space(&mut choices), scene.space(&mut choices));
        let consumers = scene.partition(&mut choices, &consumer_space);
        let consumer = choices.of(&consumers);
        let generators = scene.partition(&mut choices, &producer_space);
        let map = read(&mut scene, &mut choices, consumer_space.len(), producer_space.len());
        let producer = with_loop(&producer_space, &generators);
        let forms: Vec<_> = map.axes().iter().cloned().map(Some).collect();
        let marker = scene.numbers[0].value().unwrap();
        let (parts, computed) = scene.compute(|bounds| preimages(bounds, &consumer, &forms, &producer, marker));
        let parts = match parts {
            Ok(parts) => parts,
            Err(Refusal::TooManyGenerators { .. } | Refusal::NonInvertibleRead { .. }) => {
                refused += 1;
                continue;
            }
            Err(refusal) => panic!("seed {seed}: {refusal:?}"),
        };
        split += usize::from(parts.len() > 1);
        for run in computed.runs() {
            let input = run.input;
            let consumer_extents = run.space(&consumer_space);
            let producer_extents = run.space(&producer_space);
            let whole = run.set(&consumer);
            let sets: Vec<Indices> = parts.iter().map(|(grid, _)| run.set(grid)).collect();
            let of_producer: Vec<Indices> = generators.iter().map(|grid| run.set(grid)).collect();
            assert!(sets.iter().all(|set| set.is_within(&consumer_extents)), "seed {seed}, {input:?}");
            for index in indices(&consumer_extents) {
                let point: Vec<Poly<Value>> = index.iter().map(|&i| Poly::constant(i)).collect();
                let place: Vec<i64> =
                    map.apply(&point).iter().map(|sum| sum.evaluate(|&v| run.value(v.into()))).collect();
                let own: Vec<usize> =
                    parts.iter().zip(&sets).filter(|(_, set)| set.contains(&index)).map(|((_, at), _)| *at).collect();
                let is_read = place.iter().zip(&producer_extents).all(|(i, extent)| 0 <= *i && i < extent);
                let message = || format!("seed {seed}, {input:?}: {index:?} reads {place:?}, in {own:?} of {parts:?}");
                if !whole.contains(&index) {
                    assert!(own.is_empty(), "{}", message());
                    continue;
                }
                let [generator] = own[..] else { panic!("{}", message()) };
                if is_read {
                    reads += 1;
                    assert!(of_producer[generator].contains(&place), "{}", message());
                }
            }
        }
    }
    assert!(reads > 2000 && split > 100 && refused < cases / 3, "{reads} reads, {split} split, {refused} refused");
}
