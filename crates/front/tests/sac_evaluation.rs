//! The interpreter on programs of the core language made by hand.

use frit_front::sac::core::*;
use frit_front::sac::evaluate::*;
use frit_ir::{BinOp, Const, FailureKind, Scalar, TensorData};
use frit_support::{Index, Span, Table};

fn only(mut values: Vec<Value>) -> Value {
    assert_eq!(values.len(), 1);
    values.remove(0)
}

const INT: Elem = Elem::Basic(Basic::Int);

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::NONE }
}

fn int(value: i64) -> Expr {
    expr(ExprKind::Const(Const::int(Scalar::I32, value)))
}

fn ints(values: &[i64]) -> Expr {
    expr(ExprKind::Array { elem: INT, cells: values.iter().map(|value| int(*value)).collect() })
}

fn var(local: Local) -> Expr {
    expr(ExprKind::Local(local))
}

fn select(array: Expr, index: Expr) -> Expr {
    expr(ExprKind::Select { array: array.into(), index: index.into() })
}

fn modarray(array: Expr, index: Expr, value: Expr) -> Expr {
    expr(ExprKind::Modarray { array: array.into(), index: index.into(), value: value.into() })
}

fn prim(prim: Prim, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Prim { prim, args })
}

fn binary(op: BinOp, x: Expr, y: Expr) -> Expr {
    prim(Prim::Binary(op), vec![x, y])
}

fn call(overload: OverloadId, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call { overload, args })
}

fn assign(local: Local, value: Expr) -> Stmt {
    Stmt { kind: StmtKind::Assign { targets: vec![Some(local)], value }, span: Span::NONE }
}

fn pattern(axes: Vec<Axis>) -> Pattern {
    Pattern { elem: INT, axes, span: Span::NONE }
}

fn any_shape() -> Pattern {
    pattern(vec![Axis::Rest { at_least: 0 }])
}

/// `lower <= vector < upper : cell`
fn generator(vector: Local, lower: Expr, upper: Expr, cell: Expr) -> Generator {
    Generator {
        lower: Some(lower),
        lower_is_exclusive: false,
        upper: Some(upper),
        upper_is_inclusive: false,
        step: None,
        width: None,
        vector: Some(vector),
        scalars: None,
        body: Vec::new(),
        cells: vec![cell],
        span: Span::NONE,
    }
}

fn with(generators: Vec<Generator>, operations: Vec<Operation>) -> Expr {
    expr(ExprKind::With(Box::new(With { generators, operations })))
}

fn genarray(shape: Expr, default: Option<Expr>) -> Operation {
    Operation::Genarray { shape, default, elem: INT }
}

fn fold(overload: OverloadId, neutral: Expr, stop: Option<Expr>) -> Operation {
    Operation::Fold { function: FoldFunction::Overload(overload), args: vec![], neutral, stop }
}

/// A function that is being made.
struct Maker {
    function: Function,
}

impl Maker {
    fn new(name: &str) -> Self {
        Self {
            function: Function {
                name: name.into(),
                module: None,
                inlining: Inlining::Free,
                params: Vec::new(),
                results: Vec::new(),
                locals: Table::new(),
                requires: Vec::new(),
                ensures: Vec::new(),
                body: Vec::new(),
                returns: Vec::new(),
                span: Span::NONE,
            },
        }
    }

    fn local(&mut self, name: &str) -> Local {
        self.function.locals.push(LocalData { name: name.into(), elem: INT, span: Span::NONE })
    }

    fn param(&mut self, name: &str, pattern: Pattern) -> Local {
        let local = self.local(name);
        self.function.params.push(Param { local, pattern });
        local
    }

    fn returns(mut self, pattern: Pattern, value: Expr) -> Function {
        self.function.results.push(pattern);
        self.function.returns.push(value);
        self.function
    }
}

/// `add(int, int)`, as an overload.
fn add(program: &mut Program) -> OverloadId {
    let mut maker = Maker::new("add");
    let (x, y) = (maker.param("x", pattern(vec![])), maker.param("y", pattern(vec![])));
    let function = maker.returns(pattern(vec![]), binary(BinOp::ADD, var(x), var(y)));
    let id = program.functions.push(function);
    program.overloads.push(Overload { name: "add".into(), candidates: vec![id] })
}

fn run_function(program: &mut Program, function: Function, args: Vec<Value>) -> Result<Value, Failure> {
    let id = program.functions.push(function);
    run(program, id, args, &[], None, &mut |_| {}).map(only)
}

fn run_expr(value: Expr) -> Result<Value, Failure> {
    run_function(&mut Program::default(), Maker::new("main").returns(any_shape(), value), vec![])
}

/// The value of an expression that may use one index vector.
fn run_with(make: impl FnOnce(&mut Program, Local) -> Expr) -> Result<Value, Failure> {
    let mut program = Program::default();
    let mut maker = Maker::new("main");
    let iv = maker.local("iv");
    let value = make(&mut program, iv);
    run_function(&mut program, maker.returns(any_shape(), value), vec![])
}

fn matrix(shape: &[usize], values: &[i32]) -> Value {
    let tensor = frit_ir::Tensor::new(shape.to_vec(), TensorData::I32(values.to_vec())).expect("they fit");
    Value::from_tensor(Basic::Int, tensor)
}

fn kind(outcome: Result<Value, Failure>) -> (FailureKind, Vec<i64>) {
    match outcome.expect_err("it fails").cause {
        Cause::Check(kind, numbers) => (kind, numbers),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_generator_that_reaches_an_index_gives_its_cell() {
    let result = run_with(|_, iv| {
        let first = generator(iv, ints(&[1]), ints(&[4]), int(7));
        let second = generator(iv, ints(&[0]), ints(&[6]), select(var(iv), ints(&[0])));
        with(vec![first, second], vec![genarray(ints(&[6]), Some(int(0)))])
    });
    assert_eq!(result, Ok(Value::ints(vec![0, 7, 7, 7, 4, 5])));
}

#[test]
fn grids_take_the_first_of_each_period() {
    let grid = |width| {
        run_with(|_, iv| {
            let mut part = generator(iv, ints(&[0]), ints(&[10]), int(1));
            part.step = Some(ints(&[4]));
            part.width = width;
            with(vec![part], vec![genarray(ints(&[10]), Some(int(0)))])
        })
    };
    assert_eq!(grid(Some(ints(&[2]))), Ok(Value::ints(vec![1, 1, 0, 0, 1, 1, 0, 0, 1, 1])));
    assert_eq!(grid(None), Ok(Value::ints(vec![1, 0, 0, 0, 1, 0, 0, 0, 1, 0])));
    assert_eq!(grid(Some(int(9))), Ok(Value::ints(vec![1; 10])));
    assert_eq!(kind(grid(Some(int(0)))), (FailureKind::BadStep, vec![0]));
}

#[test]
fn folds_take_the_cells_of_all_generators_and_stop_at_their_fixed_point() {
    let sum = |stop| {
        run_with(|program, iv| {
            let cell = |iv| select(var(iv), ints(&[0]));
            let first = generator(iv, ints(&[0]), ints(&[4]), cell(iv));
            let second = generator(iv, ints(&[2]), ints(&[4]), cell(iv));
            with(vec![first, second], vec![fold(add(program), int(0), stop)])
        })
    };
    assert_eq!(sum(None), Ok(Value::int(11)));
    assert_eq!(sum(Some(int(1))), Ok(Value::int(1)));
}

#[test]
fn dots_are_the_extreme_indices_of_the_result() {
    let interior = run_with(|_, iv| {
        let mut part = generator(iv, int(0), int(0), int(1));
        (part.lower, part.upper) = (None, None);
        part.lower_is_exclusive = true;
        with(vec![part], vec![genarray(ints(&[3, 4]), Some(int(0)))])
    });
    assert_eq!(interior, Ok(matrix(&[3, 4], &[0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0])));
}

#[test]
fn a_short_index_replaces_rows_of_a_modarray() {
    let result = run_with(|_, iv| {
        let source = with(
            vec![generator(iv, ints(&[0, 0]), ints(&[2, 3]), select(var(iv), ints(&[1])))],
            vec![genarray(ints(&[2, 3]), None)],
        );
        let row = generator(iv, ints(&[1]), ints(&[2]), ints(&[7, 8, 9]));
        with(vec![row], vec![Operation::Modarray { source }])
    });
    assert_eq!(result, Ok(matrix(&[2, 3], &[0, 1, 2, 7, 8, 9])));
}

#[test]
fn a_generator_may_not_leave_its_result_and_an_empty_one_reaches_nothing() {
    let to = |upper| {
        run_with(|_, iv| {
            let part = generator(iv, ints(&[7]), ints(&[upper]), int(1));
            with(vec![part], vec![genarray(ints(&[5]), Some(int(0)))])
        })
    };
    assert_eq!(kind(to(9)), (FailureKind::GeneratorOutside, vec![8, 5]));
    assert_eq!(to(7), Ok(Value::ints(vec![0; 5])));
}

#[test]
fn variables_of_a_block_have_no_value_at_the_next_index() {
    let mut program = Program::default();
    let mut maker = Maker::new("main");
    let (iv, x) = (maker.local("iv"), maker.local("x"));
    let mut part = generator(iv, ints(&[0]), ints(&[2]), var(x));
    let is_first = binary(BinOp::EQ, select(var(iv), ints(&[0])), int(0));
    let then = vec![assign(x, int(1))];
    part.body = vec![Stmt { kind: StmtKind::If { cond: is_first, then, otherwise: vec![] }, span: Span::NONE }];
    let value = with(vec![part], vec![genarray(ints(&[2]), None)]);
    let result = run_function(&mut program, maker.returns(any_shape(), value), vec![]);
    assert_eq!(kind(result), (FailureKind::UnassignedVariable, vec![]));
}

#[test]
fn names_in_patterns_are_bound_and_compared() {
    let mut program = Program::default();
    let mut maker = Maker::new("f");
    let (n, d, shp) = (maker.local("n"), maker.local("d"), maker.local("shp"));
    let axes = Axis::Axes { count: Count::Bind(d), at_least: 0, shape: Some(shp) };
    maker.param("a", pattern(vec![Axis::Bind(n), axes]));
    maker.param("b", pattern(vec![Axis::Bind(n)]));
    let value = prim(Prim::Cat, vec![ints(&[]), var(shp)]);
    let function = maker.returns(any_shape(), value);
    let id = program.functions.push(function);
    let go = |a: Value, b: Value| run(&program, id, vec![a, b], &[], None, &mut |_| {}).map(only);
    assert_eq!(go(matrix(&[2, 1, 3], &[0; 6]), Value::ints(vec![1, 2])), Ok(Value::ints(vec![1, 3])));
    let failure = go(matrix(&[2, 1], &[0; 2]), Value::ints(vec![1])).expect_err("3 is not 2");
    assert_eq!(failure.note.as_deref(), Some("argument `b` of `f`"));
    assert_eq!(kind(Err(failure)), (FailureKind::ExtentMismatch, vec![2, 1]));
    assert_eq!(kind(go(Value::int(1), Value::ints(vec![]))), (FailureKind::RankMismatch, vec![1, 0]));
}

#[test]
fn the_most_specific_function_is_called() {
    let mut program = Program::default();
    let mut candidates = Vec::new();
    for (number, axes) in
        [vec![], vec![Axis::Extent(3)], vec![Axis::Any], vec![Axis::Rest { at_least: 1 }]].into_iter().enumerate()
    {
        let mut maker = Maker::new("f");
        maker.param("a", pattern(axes));
        candidates.push(program.functions.push(maker.returns(pattern(vec![]), int(number as i64))));
    }
    let overload = program.overloads.push(Overload { name: "f".into(), candidates });
    let mut which = |arg: Expr| {
        let function = Maker::new("main").returns(any_shape(), call(overload, vec![arg]));
        run_function(&mut program, function, vec![])
    };
    assert_eq!(which(int(1)), Ok(Value::int(0)));
    assert_eq!(which(ints(&[1, 2, 3])), Ok(Value::int(1)));
    assert_eq!(which(ints(&[1, 2])), Ok(Value::int(2)));
    assert_eq!(which(expr(ExprKind::Array { elem: INT, cells: vec![ints(&[1])] })), Ok(Value::int(3)));
}

#[test]
fn updates_change_no_other_variable() {
    let mut maker = Maker::new("main");
    let (a, b) = (maker.local("a"), maker.local("b"));
    maker.function.body = vec![
        assign(a, ints(&[1, 2, 3])),
        assign(b, var(a)),
        assign(a, modarray(var(a), ints(&[1]), select(var(a), ints(&[0])))),
    ];
    let both = expr(ExprKind::Array { elem: INT, cells: vec![var(a), var(b)] });
    let result = run_function(&mut Program::default(), maker.returns(any_shape(), both), vec![]);
    assert_eq!(result, Ok(matrix(&[2, 3], &[1, 1, 3, 1, 2, 3])));
}

#[test]
fn fields_of_structs_are_updated_in_place() {
    let mut program = Program::default();
    let inner = program.structs.push(Struct { name: "In".into(), fields: vec![("v".into(), INT, vec![3])] });
    let fields = vec![("n".into(), INT, vec![]), ("in".into(), Elem::Struct(inner), vec![2])];
    let outer = program.structs.push(Struct { name: "Out".into(), fields });
    let make_inner = |values: &[i64]| expr(ExprKind::Struct { of: inner, fields: vec![ints(values)] });
    let pair = expr(ExprKind::Array {
        elem: Elem::Struct(inner),
        cells: vec![make_inner(&[1, 2, 3]), make_inner(&[4, 5, 6])],
    });
    let mut maker = Maker::new("main");
    let (r, old) = (maker.local("r"), maker.local("old"));
    let field = |value: Expr, field| expr(ExprKind::Field { value: value.into(), field });
    let v = |r| field(field(var(r), 1), 0);
    let new = expr(ExprKind::WithField {
        value: field(var(r), 1).into(),
        field: 0,
        new: modarray(v(r), ints(&[1, 0]), int(9)).into(),
    });
    maker.function.body = vec![
        assign(r, expr(ExprKind::Struct { of: outer, fields: vec![int(8), pair] })),
        assign(old, var(r)),
        assign(r, expr(ExprKind::WithField { value: var(r).into(), field: 1, new: new.into() })),
    ];
    let both = expr(ExprKind::Array { elem: INT, cells: vec![v(r), v(old)] });
    let result = run_function(&mut program, maker.returns(any_shape(), both), vec![]);
    assert_eq!(result, Ok(matrix(&[2, 2, 3], &[1, 2, 3, 9, 5, 6, 1, 2, 3, 4, 5, 6])));
}

#[test]
fn nominal_elements_are_arrays_underneath() {
    let mut program = Program::default();
    let pair = program.nominals.push(Nominal { name: "pair".into(), base: INT, cell: vec![2], is_handle: false });
    let to = |to, from, array: Expr| expr(ExprKind::Recast { to, from, array: array.into() });
    let pairs =
        to(Elem::Nominal(pair), INT, expr(ExprKind::Array { elem: INT, cells: vec![ints(&[1, 2]), ints(&[3, 4])] }));
    let rank = prim(Prim::Dim, vec![pairs.clone()]);
    let second = to(INT, Elem::Nominal(pair), select(pairs, ints(&[1])));
    let both = expr(ExprKind::Array { elem: INT, cells: vec![rank, select(second, ints(&[1]))] });
    let result = run_function(&mut program, Maker::new("main").returns(any_shape(), both), vec![]);
    assert_eq!(result, Ok(Value::ints(vec![1, 4])));
}

#[test]
fn the_empty_literal_fits_any_array_without_elements() {
    let mut program = Program::default();
    let mut maker = Maker::new("f");
    let a = maker.param("a", pattern(vec![Axis::Any, Axis::Extent(3)]));
    let id = program.functions.push(maker.returns(any_shape(), prim(Prim::Shape, vec![var(a)])));
    let overload = program.overloads.push(Overload { name: "f".into(), candidates: vec![id] });
    let function = Maker::new("main").returns(any_shape(), call(overload, vec![ints(&[])]));
    assert_eq!(run_function(&mut program, function, vec![]), Ok(Value::ints(vec![0, 3])));
}

#[test]
fn arithmetic_wraps_at_32_bits_and_division_by_zero_fails() {
    let most = i64::from(i32::MAX);
    assert_eq!(run_expr(binary(BinOp::ADD, int(most), int(1))), Ok(Value::int(i32::MIN)));
    assert_eq!(kind(run_expr(binary(BinOp::DIV, int(1), int(0)))), (FailureKind::DivisionByZero, vec![]));
    assert_eq!(run_expr(prim(Prim::AplMod, vec![int(-1), int(3)])), Ok(Value::int(2)));
    assert_eq!(run_expr(prim(Prim::AplMod, vec![int(-1), int(0)])), Ok(Value::int(-1)));
    assert_eq!(run_expr(binary(BinOp::MUL, ints(&[1, 2]), int(3))), Ok(Value::ints(vec![3, 6])));
    let unequal = run_expr(binary(BinOp::MUL, ints(&[1, 2]), ints(&[3])));
    assert_eq!(kind(unequal), (FailureKind::LengthMismatch, vec![2, 1]));
}

#[test]
fn take_and_drop_count_from_either_end() {
    let vector = || ints(&[1, 2, 3]);
    assert_eq!(run_expr(prim(Prim::Take, vec![int(-2), vector()])), Ok(Value::ints(vec![2, 3])));
    assert_eq!(run_expr(prim(Prim::Drop, vec![int(-2), vector()])), Ok(Value::ints(vec![1])));
    assert_eq!(run_expr(prim(Prim::Drop, vec![int(3), vector()])), Ok(Value::ints(vec![])));
    let too_much = run_expr(prim(Prim::Take, vec![int(4), vector()]));
    assert_eq!(kind(too_much), (FailureKind::TakeOutOfRange, vec![4, 3]));
}

#[test]
fn endless_recursion_ends_with_a_failure() {
    frit_support::with_deep_stack(|| {
        let mut program = Program::default();
        let mut maker = Maker::new("f");
        let x = maker.param("x", pattern(vec![]));
        let overload = OverloadId::new(0);
        let id = program.functions.push(maker.returns(pattern(vec![]), call(overload, vec![var(x)])));
        program.overloads.push(Overload { name: "f".into(), candidates: vec![id] });
        let failure = run(&program, id, vec![Value::int(1)], &[], None, &mut |_| {}).expect_err("it never ends");
        assert_eq!(failure.cause, Cause::RecursionTooDeep);
    });
}

#[test]
fn a_million_updates_in_place_are_quick() {
    let mut program = Program::default();
    let mut maker = Maker::new("main");
    let (iv, a, i) = (maker.local("iv"), maker.local("a"), maker.local("i"));
    let index = || expr(ExprKind::Array { elem: INT, cells: vec![var(i)] });
    let add = add(&mut program);
    let size = 300_000;
    let body = vec![assign(a, modarray(var(a), index(), call(add, vec![select(var(a), index()), var(i)])))];
    let step = vec![assign(i, binary(BinOp::ADD, var(i), int(1)))];
    let cond = binary(BinOp::LT, var(i), int(size));
    let all = generator(iv, ints(&[0]), ints(&[size]), select(var(iv), ints(&[0])));
    maker.function.body = vec![
        assign(a, with(vec![all], vec![genarray(ints(&[size]), None)])),
        assign(i, int(0)),
        Stmt { kind: StmtKind::Loop { is_do: false, cond, body, step }, span: Span::NONE },
    ];
    let last = generator(iv, ints(&[0]), ints(&[size]), select(var(a), var(iv)));
    let sum = with(vec![last], vec![fold(add, int(0), None)]);
    let wrapped = (0..size).fold(0i32, |sum, i| sum.wrapping_add(2 * i as i32));
    let result = run_function(&mut program, maker.returns(pattern(vec![]), sum), vec![]);
    assert_eq!(result, Ok(Value::int(wrapped)));
}

#[test]
fn an_array_without_rows_has_the_row_size_that_rows_would_have() {
    let mut program = Program::default();
    // f(x) doubles a vector and puts an element in front of it, by a loop and a branch that only its elements decide.
    let mut maker = Maker::new("f");
    let (x, y, iv) = (maker.param("x", pattern(vec![Axis::Any])), maker.local("y"), maker.local("iv"));
    let shape = prim(Prim::Shape, vec![var(x)]);
    let twice = binary(BinOp::ADD, select(var(y), var(iv)), select(var(y), var(iv)));
    let map = with(vec![generator(iv, int(0), shape.clone(), twice)], vec![genarray(shape, None)]);
    let cond = binary(BinOp::LT, select(var(y), ints(&[0])), int(9));
    let looped = StmtKind::Loop { is_do: false, cond: cond.clone(), body: vec![assign(y, map)], step: vec![] };
    let branch = StmtKind::If { cond, then: vec![assign(y, var(x))], otherwise: vec![] };
    maker.function.body =
        vec![assign(y, var(x)), Stmt { kind: looped, span: Span::NONE }, Stmt { kind: branch, span: Span::NONE }];
    let id = program.functions.push(maker.returns(any_shape(), prim(Prim::Cat, vec![ints(&[1]), var(y)])));
    let f = program.overloads.push(Overload { name: "f".into(), candidates: vec![id] });
    let mut maker = Maker::new("main");
    let (a, iv) = (maker.param("a", any_shape()), maker.local("iv"));
    let row = call(f, vec![select(var(a), var(iv))]);
    let rows = prim(Prim::Take, vec![int(1), prim(Prim::Shape, vec![var(a)])]);
    let map = with(vec![generator(iv, ints(&[0]), rows.clone(), row)], vec![genarray(rows, None)]);
    let function = maker.returns(any_shape(), map);
    let result = run_function(&mut program, function.clone(), vec![matrix(&[0, 3], &[])]);
    assert_eq!(result, Ok(matrix(&[0, 4], &[])));
    assert_eq!(run_function(&mut program, function, vec![matrix(&[1, 2], &[3, 4])]), Ok(matrix(&[1, 3], &[1, 12, 16])));
}
