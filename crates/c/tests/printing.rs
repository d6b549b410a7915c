//! Printing of regions that are put together by hand: each test gives the C text, what its statements access, and the program that is to be
//! printed.

use expect_test::{Expect, expect};
use frit_c::region::{CArray, CLoop, CParam, Declaration, File, Form, Hole, HoleKind, Region, Storage, Template};
use frit_c::{Transformed, Written, write};
use frit_isl::{Map, PwAff, Set};
use frit_scop::builder::Builder;
use frit_scop::model::{AccessKind, Home, ParamData};
use frit_scop::program::{BinOp, Expr, Fate, ForLoop, Instance, Iterator, IteratorData, LoopKind, Program, Step};
use frit_scop::recompute::{Evaluation, Recomputed};
use frit_scop::{Access, Array, ArrayData, Loop, LoopData, Node, Param, Scop, Statement, StatementData};
use frit_support::{FileId, Index, Span, Table};

/// The statements of a region in which no other is evaluated.
fn as_they_are(scop: &Scop) -> Table<Statement, Evaluation> {
    Recomputed::nothing(scop.clone()).unwrap().statements
}

/// A file with one region, between the words `BEGIN` and `END` of its text, which are taken out.
struct Case {
    file: File,
    program: Program,
    shares: Vec<(Array, Array)>,
}

impl Case {
    fn new(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (first, last) = (format!("BEGIN{newline}"), format!("END{newline}"));
        let begin = text.find(&first).expect("a region begins");
        let end = text.find(&last).expect("a region ends") - first.len();
        let text = text.replace(&first, "").replace(&last, "");
        let code = &text[begin..end];
        let indent = &code[..code.len() - code.trim_start_matches([' ', '\t']).len()];
        let scop = Builder::new().finish();
        let region = Region {
            range: begin + indent.len()..begin + code.trim_end().len(),
            indent: indent.to_owned(),
            function: "f".into(),
            scop,
            statements: Table::new(),
            arrays: Table::new(),
            params: Table::new(),
            loops: Table::new(),
            gone: Vec::new(),
            frees: Vec::new(),
        };
        let file = File::with_regions(FileId::new(0), text, vec![region]);
        let program = Program::default();
        Case { file, program, shares: Vec::new() }
    }

    fn region(&mut self) -> &mut Region {
        &mut self.file.regions[0]
    }

    fn param(&mut self, text: &str, c_type: &str) -> Expr {
        self.region().scop.params.push(ParamData { name: text.into() });
        let is_plain = matches!(c_type, "int" | "long");
        Expr::Param(self.region().params.push(CParam { text: text.into(), c_type: c_type.into(), is_plain }))
    }

    fn array(&mut self, name: &str, element: &str, extents: &[&str], home: Home, fate: Fate) -> Array {
        let isl = self.region().scop.isl.clone();
        let size = |extent: &&str| {
            let value = extent.parse::<i64>();
            value.ok().map(|value| PwAff::parse(&isl, &format!("{{ [{value}] }}")).unwrap())
        };
        let is_local = home != Home::Outside;
        let array = self.region().scop.arrays.push(ArrayData {
            name: name.into(),
            elem_bytes: 4,
            extents: extents.iter().map(size).collect(),
            is_live_in: fate == Fate::Kept && !is_local,
            is_live_out: fate == Fate::Kept && !is_local,
            home,
            origin: Array::new(0),
            expanded: 0,
            span: Span::NONE,
        });
        self.region().scop.arrays[array].origin = array;
        let declarator: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
        let declaration = is_local.then(|| Declaration {
            range: 0..0,
            text: format!("{element} {name}{declarator}"),
            storage: Storage::Automatic,
        });
        self.region().arrays.push(CArray {
            name: name.into(),
            element: element.into(),
            alignment: String::new(),
            is_number: true,
            is_float: element == "float",
            form: if extents.is_empty() { Form::Scalar } else { Form::Nested },
            start: None,
            extents: extents.iter().map(|extent| Some((*extent).to_owned())).collect(),
            declaration,
            outside: None,
            is_pinned: false,
        });
        self.program.fates.push(fate)
    }

    /// The loop whose text begins with `head`.
    fn loop_of(&mut self, name: &str, c_type: &str, head: &str) -> Loop {
        let start = self.file.text.find(head).expect("the text has the loop");
        let range = start..start + head.len();
        let is_plain = matches!(c_type, "int" | "long");
        self.region().scop.loops.push(LoopData { name: name.into(), is_reversed: false, span: Span::NONE });
        self.region().loops.push(CLoop { c_type: c_type.into(), is_plain, range, leading: Vec::new() })
    }

    /// The statement with this text; accesses in the order of the text.
    fn statement(&mut self, text: &str, loops: &[Loop], accesses: &[(Array, AccessKind, &str)]) -> Statement {
        let start = self.file.text.find(text).expect("the text has the statement");
        for &each in loops {
            let range = &mut self.region().loops[each].range;
            *range = range.start.min(start)..range.end.max(start + text.len());
        }
        let mut holes = Vec::new();
        let mut at = 0;
        for (position, (_, _, text_of)) in accesses.iter().enumerate() {
            let found = at + text[at..].find(text_of).expect("the statement has the access");
            if let Some(Hole { range, kind: HoleKind::Access(positions), .. }) = holes.last_mut()
                && *range == (start + found..start + found + text_of.len())
            {
                positions.push(position);
                continue;
            }
            let range = start + found..start + found + text_of.len();
            holes.push(Hole { range, kind: HoleKind::Access(vec![position]), is_derived: false });
            at = if accesses.get(position + 1).is_some_and(|next| next.2 == *text_of) {
                found
            } else {
                found + text_of.len()
            };
        }
        for (number, &each) in loops.iter().enumerate() {
            let name = self.region().scop.loops[each].name.clone();
            for (found, _) in text.match_indices(&name) {
                let range = start + found..start + found + name.len();
                let is_word = |at: Option<&u8>| at.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let bytes = text.as_bytes();
                let is_part = is_word(bytes.get(found + name.len())) || found > 0 && is_word(bytes.get(found - 1));
                if !is_part && !holes.iter().any(|hole| hole.range.start <= range.start && range.end <= hole.range.end)
                {
                    holes.push(Hole { range, kind: HoleKind::Iterator(number), is_derived: false });
                }
            }
        }
        holes.sort_by_key(|hole| hole.range.start);
        let isl = self.region().scop.isl.clone();
        let accesses = accesses.iter().map(|&(array, kind, _)| Access {
            array,
            kind,
            relation: Map::parse(&isl, "{ S[] -> A[] }").unwrap(),
            is_exact: true,
        });
        let data = StatementData {
            loops: loops.to_vec(),
            domain: Set::parse(&isl, "{ S[] }").unwrap(),
            accesses: accesses.collect(),
            reduction: None,
            opaque: None,
            work: 1,
            span: Span::new(FileId::new(0), start, start + text.len()),
        };
        let statement = self.region().scop.statements.push(data);
        let range = start..start + text.len();
        let template = Template { range, holes, choice: None, leading: Vec::new(), is_skippable: false };
        self.region().statements.push(template);
        for (depth, _) in loops.iter().enumerate() {
            let place = loops[..depth].iter().fold(&mut self.file.regions[0].scop.body, |body, outer| {
                let at = body.iter().position(|node| matches!(node, Node::Loop(found, _) if found == outer)).unwrap();
                let Node::Loop(_, inner) = &mut body[at] else { unreachable!() };
                inner
            });
            if !place.iter().any(|node| matches!(node, Node::Loop(found, _) if *found == loops[depth])) {
                place.push(Node::Loop(loops[depth], Vec::new()));
            }
        }
        let place = loops.iter().fold(&mut self.file.regions[0].scop.body, |body, outer| {
            let at = body.iter().position(|node| matches!(node, Node::Loop(found, _) if found == outer)).unwrap();
            let Node::Loop(_, inner) = &mut body[at] else { unreachable!() };
            inner
        });
        place.push(Node::Statement(statement));
        statement
    }

    fn iterator(&mut self, sources: &[Loop]) -> Iterator {
        self.program.iterators.push(IteratorData { sources: sources.to_vec() })
    }

    fn write(&self) -> Written {
        let transformed = Transformed {
            scop: self.file.regions[0].scop.clone(),
            statements: as_they_are(&self.file.regions[0].scop),
            program: self.program.clone(),
            shares: self.shares.clone(),
            notes: Vec::new(),
            keeps_rounding: false,
        };
        write(&self.file, &[Some(transformed)])
    }

    fn check(&self, expected: &Expect) {
        let written = self.write();
        expected.assert_eq(&format!("{}{}", written.text, remarks(&written)));
    }
}

fn remarks(written: &Written) -> String {
    written.remarks.iter().map(|remark| format!("{}: {}\n", remark.code, remark.message)).collect()
}

fn int(value: i64) -> Expr {
    Expr::Int(value)
}

fn var(iterator: Iterator) -> Expr {
    Expr::Iterator(iterator)
}

fn op(op: BinOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn instance(statement: Statement, iterators: &[Expr], subscripts: &[&[Expr]]) -> Step {
    let subscripts = subscripts.iter().map(|subscript| Some(subscript.to_vec())).collect();
    Step::Instance(Instance { statement, iterators: iterators.to_vec(), subscripts })
}

fn each(iterator: Iterator, lower: Expr, upper: Expr, body: Vec<Step>) -> ForLoop {
    ForLoop { iterator, lower, upper, step: 1, kind: LoopKind::Sequential, body }
}

const FIGURE_1: &str = "\
void f(int n, const float *restrict x, float *restrict y)
{
    float a[100];
BEGIN
    for (int i = 1; i <= n; i++)
        a[i] = x[i] + 1.0f;

    for (int i = 1; i <= n; i++)
        y[i] = 2.0f * a[i]; // twice
END
}
";

/// Figure 1 of the paper, with what becomes of `a` and how the fused loop may run.
fn figure_1(home: Home, fate: Fate, subscripts: impl Fn(Iterator) -> Vec<Expr>, kind: LoopKind) -> Case {
    let text = if home == Home::Outside {
        FIGURE_1.to_owned()
    } else {
        FIGURE_1.replace("    float a[100];\nBEGIN\n", "BEGIN\n    float a[100];\n")
    };
    let mut case = Case::new(&text);
    let n = case.param("n", "int");
    let a = case.array("a", "float", &["100"], home, fate);
    let x = case.array("x", "float", &["n"], Home::Outside, Fate::Kept);
    let y = case.array("y", "float", &["n"], Home::Outside, Fate::Kept);
    let first = case.loop_of("i", "int", "for (int i = 1; i <= n; i++)\n        a");
    let second = case.loop_of("i", "int", "for (int i = 1; i <= n; i++)\n        y");
    let s0 = case.statement(
        "a[i] = x[i] + 1.0f;",
        &[first],
        &[(a, AccessKind::Write, "a[i]"), (x, AccessKind::Read, "x[i]")],
    );
    let s1 = case.statement(
        "y[i] = 2.0f * a[i];",
        &[second],
        &[(y, AccessKind::Write, "y[i]"), (a, AccessKind::Read, "a[i]")],
    );
    let t = case.iterator(&[first, second]);
    let body = vec![
        instance(s0, &[var(t)], &[&subscripts(t), &[var(t)]]),
        instance(s1, &[var(t)], &[&[var(t)], &subscripts(t)]),
    ];
    case.program.body = vec![Step::For(ForLoop { kind, ..each(t, int(1), op(BinOp::Add, n, int(1)), body) })];
    case
}

#[test]
fn figure_1_has_a_scalar_instead_of_an_array() {
    figure_1(Home::Outside, Fate::Scalar, |_| Vec::new(), LoopKind::Sequential).check(&expect![[r#"
        void f(int n, const float *restrict x, float *restrict y)
        {
            float a[100];
            for (int i = 1; i <= n; i++) {
                float a0 = x[i] + 1.0f;
                y[i] = 2.0f * a0; // twice
            }
        }
    "#]]);
}

#[test]
fn an_array_of_the_region_gives_its_name_to_the_scalar() {
    figure_1(Home::Region, Fate::Scalar, |_| Vec::new(), LoopKind::Simd).check(&expect![[r#"
        void f(int n, const float *restrict x, float *restrict y)
        {
            #pragma omp simd
            for (int i = 1; i <= n; i++) {
                float a = x[i] + 1.0f;
                y[i] = 2.0f * a; // twice
            }
        }
    "#]]);
}

#[test]
fn private_arrays_are_declared_in_parallel_loops() {
    let private = vec![Array::new(0)];
    let place = |_| vec![int(0)];
    let window = Fate::Window { moduli: vec![Some(2)] };
    figure_1(Home::Outside, window, place, LoopKind::Parallel { private }).check(&expect![[r#"
        void f(int n, const float *restrict x, float *restrict y)
        {
            float a[100];
            #pragma omp parallel for
            for (int i = 1; i <= n; i++) {
                float a0[2];
                a0[0] = x[i] + 1.0f;
                y[i] = 2.0f * a0[0]; // twice
            }
        }
    "#]]);
}

const FIGURE_2: &str = "\
void f(int n, const float *restrict x, float *restrict y)
{
\tint i;
BEGIN
\tfloat A[n + 1];
\t/* L1 */
\tfor (i = 1; i <= n; i++)
\t{
\t\tA[i] = x[i];
\t}

\t/* L2 */
\tfor (i = 2; i <= n; i++)
\t{
\t\ty[i] = A[i - 1]
\t\t     + A[i] * i;
\t}
END
}
";

/// Figure 2 of the paper: `A` becomes a window of two, by `number` of the newest or of the one before.
fn figure_2(fate: Fate, number: impl Fn(Iterator, i64) -> Expr) -> Case {
    let rolls = matches!(fate, Fate::Registers { .. });
    let mut case = Case::new(FIGURE_2);
    let n = case.param("n", "int");
    let a = case.array("A", "float", &["n + 1"], Home::Region, fate);
    let x = case.array("x", "float", &["n"], Home::Outside, Fate::Kept);
    let y = case.array("y", "float", &["n"], Home::Outside, Fate::Kept);
    let first = case.loop_of("i", "int", "for (i = 1");
    let second = case.loop_of("i", "int", "for (i = 2");
    for (each, comment) in [(first, "/* L1 */"), (second, "/* L2 */")] {
        let at = case.file.text.find(comment).unwrap();
        case.region().loops[each].leading = std::iter::once(at..at + comment.len()).collect();
    }
    let s0 = case.statement("A[i] = x[i];", &[first], &[(a, AccessKind::Write, "A[i]"), (x, AccessKind::Read, "x[i]")]);
    let s1 = case.statement(
        "y[i] = A[i - 1]\n\t\t     + A[i] * i;",
        &[second],
        &[(y, AccessKind::Write, "y[i]"), (a, AccessKind::Read, "A[i - 1]"), (a, AccessKind::Read, "A[i]")],
    );
    let t = case.iterator(&[first, second]);
    let roll = |steps: Vec<Step>| {
        steps.into_iter().chain(rolls.then_some(Step::Rotate { array: a, ages: vec![1] })).collect::<Vec<_>>()
    };
    let produce =
        |at: Expr, place: Expr| instance(s0, std::slice::from_ref(&at), &[&[place], std::slice::from_ref(&at)]);
    let consume = instance(s1, &[var(t)], &[&[var(t)], &[number(t, 1)], &[number(t, 0)]]);
    let prologue = Step::If {
        cond: op(BinOp::Ge, n.clone(), int(1)),
        then: roll(vec![produce(int(1), if rolls { int(0) } else { int(1) })]),
        otherwise: Vec::new(),
    };
    let steady = each(t, int(2), op(BinOp::Add, n, int(1)), roll(vec![produce(var(t), number(t, 0)), consume]));
    case.program.body = vec![prologue, Step::For(steady)];
    case
}

#[test]
fn figure_2_rolls_through_two_registers() {
    figure_2(Fate::Registers { dimension: 0, count: 2 }, |_, number| int(number)).check(&expect![[r#"
        void f(int n, const float *restrict x, float *restrict y)
        {
        	int i;
        	float A0, A1 = 0;
        	if (n >= 1) {
        		/* L1 */
        		A0 = x[1];
        		A1 = A0;
        	}
        	for (int i = 2; i <= n; i++) {
        		A0 = x[i];
        		/* L2 */
        		y[i] = A1
        		     + A0 * i;
        		A1 = A0;
        	}
        }
    "#]]);
}

#[test]
fn figure_2_has_a_window_of_two() {
    let place = |t, back: i64| {
        let at = if back == 0 { var(t) } else { op(BinOp::Sub, var(t), int(back)) };
        op(BinOp::Mod, at, int(2))
    };
    figure_2(Fate::Window { moduli: vec![Some(2)] }, place).check(&expect![[r#"
        void f(int n, const float *restrict x, float *restrict y)
        {
        	int i;
        	float A[2];
        	if (n >= 1) {
        		/* L1 */
        		A[1] = x[1];
        	}
        	for (int i = 2; i <= n; i++) {
        		A[i % 2] = x[i];
        		/* L2 */
        		y[i] = A[(i - 1) % 2]
        		     + A[i % 2] * i;
        	}
        }
    "#]]);
}

#[test]
fn loops_that_stay_keep_their_text() {
    let mut case = figure_1(Home::Outside, Fate::Kept, |t| vec![var(t)], LoopKind::Sequential);
    let (Step::For(both), n) = (case.program.body.remove(0), Expr::Param(Param::new(0))) else { unreachable!() };
    for (number, step) in both.body.into_iter().enumerate() {
        let t = case.iterator(&[Loop::new(number)]);
        let Step::Instance(old) = step else { unreachable!() };
        let new = instance(old.statement, &[var(t)], &[&[var(t)], &[var(t)]]);
        case.program.body.push(Step::For(each(t, int(1), op(BinOp::Add, n.clone(), int(1)), vec![new])));
    }
    assert_eq!(case.write().text, case.file.text);
}

#[test]
fn the_comment_at_the_head_is_replaced_and_bytes_outside_of_regions_stay() {
    let case = figure_1(Home::Outside, Fate::Scalar, |_| Vec::new(), LoopKind::Sequential);
    let transformed = Transformed {
        scop: case.file.regions[0].scop.clone(),
        statements: as_they_are(&case.file.regions[0].scop),
        program: case.program.clone(),
        shares: Vec::new(),
        notes: vec!["a: 100 -> scalar".into()],
        keeps_rounding: false,
    };
    let written = write(&case.file, &[Some(transformed)]);
    let head = "/* Transformed by frit fuse:\n * - f\n *   a: 100 -> scalar\n */\nvoid f(";
    assert!(written.headed(false).starts_with(head), "{}", written.headed(false));
    let untouched = write(&case.file, &[None]);
    assert_eq!(untouched.text, case.file.text);
    assert_eq!(untouched.is_transformed, [false]);
}

#[test]
fn loops_that_count_down_in_the_source_count_down() {
    let mut case = Case::new(
        "void f(int n, float *restrict x)\n{\nBEGIN\n    for (int i = n - 1; i >= 0; i--)\n        x[i] += x[i + 1] * i;\nEND\n}\n",
    );
    let n = case.param("n", "int");
    let x = case.array("x", "float", &["n"], Home::Outside, Fate::Kept);
    let down = case.loop_of("i", "int", "for (int i = n - 1");
    case.region().scop.loops[down].is_reversed = true;
    let accesses = [(x, AccessKind::Read, "x[i]"), (x, AccessKind::Write, "x[i]"), (x, AccessKind::Read, "x[i + 1]")];
    let s0 = case.statement("x[i] += x[i + 1] * i;", &[down], &accesses);
    let t = case.iterator(&[down]);
    let minus = Expr::Neg(Box::new(var(t)));
    let here = [minus.clone()];
    let body = |kind| ForLoop {
        kind,
        ..each(
            t,
            op(BinOp::Sub, int(1), n.clone()),
            int(1),
            vec![instance(s0, &here, &[&here, &here, &[op(BinOp::Sub, int(1), var(t))]])],
        )
    };
    case.program.body = vec![Step::For(body(LoopKind::Sequential))];
    assert_eq!(case.write().text, case.file.text);
    case.program.body = vec![Step::For(body(LoopKind::Simd))];
    case.check(&expect![[r#"
        void f(int n, float *restrict x)
        {
            #pragma omp simd
            for (int i = n - 1; i >= 0; i--)
                x[i] += x[i + 1] * i;
        }
    "#]]);
}

#[test]
fn an_operand_that_is_split_in_two_is_written_out() {
    let mut case = Case::new(
        "void f(float *restrict y)\n{\nBEGIN\n    float s;\n    s = y[0];\n    s *= y[1] + y[2];\n    y[3] = s;\nEND\n}\n",
    );
    let s = case.array("s", "float", &[], Home::Region, Fate::Scalar);
    let y = case.array("y", "float", &["4"], Home::Outside, Fate::Kept);
    let (read, written) = (AccessKind::Read, AccessKind::Write);
    let s0 = case.statement("s = y[0];", &[], &[(s, written, "s"), (y, read, "y[0]")]);
    let s1 = case.statement(
        "s *= y[1] + y[2];",
        &[],
        &[(s, read, "s"), (s, written, "s"), (y, read, "y[1]"), (y, read, "y[2]")],
    );
    let s2 = case.statement("y[3] = s;", &[], &[(y, written, "y[3]"), (s, read, "s")]);
    let data = case.region().scop.arrays[s].clone();
    let mut scop = case.file.regions[0].scop.clone();
    let second = scop.arrays.push(data);
    scop.statements[s1].accesses[1].array = second;
    scop.statements[s2].accesses[1].array = second;
    case.program.fates.push(Fate::Scalar);
    let none: &[Expr] = &[];
    case.program.body = vec![
        instance(s0, &[], &[none, &[int(0)]]),
        instance(s1, &[], &[none, none, &[int(1)], &[int(2)]]),
        instance(s2, &[], &[&[int(3)], none]),
    ];
    let statements = as_they_are(&scop);
    let program = case.program.clone();
    let transformed =
        Transformed { scop, statements, program, shares: Vec::new(), notes: Vec::new(), keeps_rounding: false };
    let written = write(&case.file, &[Some(transformed)]);
    expect![[r#"
        void f(float *restrict y)
        {
            float s = y[0];
            float s0 = s * (y[1] + y[2]);
            y[3] = s0;
        }
    "#]]
    .assert_eq(&(written.text.clone() + &remarks(&written)));
}

#[test]
fn lines_end_as_in_the_source() {
    let text =
        "void f(int n, float *restrict x)\n{\nBEGIN\n  for (int i = 0; i < n; i++)\n    x[i] =\n      1.0f;\nEND\n}";
    let mut case = Case::new(&text.replace('\n', "\r\n"));
    let n = case.param("n", "int");
    let x = case.array("x", "float", &["n"], Home::Outside, Fate::Kept);
    let source = case.loop_of("i", "int", "for (int i");
    let s0 = case.statement("x[i] =\r\n      1.0f;", &[source], &[(x, AccessKind::Write, "x[i]")]);
    let t = case.iterator(&[source]);
    let body = vec![instance(s0, &[var(t)], &[&[var(t)]])];
    case.program.body = vec![Step::For(ForLoop { kind: LoopKind::Simd, ..each(t, int(0), n, body) })];
    let written = case.write().text;
    assert_eq!(
        written,
        "void f(int n, float *restrict x)\r\n{\r\n  #pragma omp simd\r\n  for (int i = 0; i < n; i++)\r\n    x[i] =\r\n      1.0f;\r\n}"
    );
}

#[test]
fn an_array_that_shares_memory_is_a_pointer_to_it() {
    let mut case = Case::new(
        "void f(float *restrict y)\n{\nBEGIN\n    float a[9], b[9];\n    a[0] = y[0];\n    y[1] = a[0];\n    b[0] = y[2];\n    y[3] = b[0];\nEND\n}\n",
    );
    let a = case.array("a", "float", &["9"], Home::Region, Fate::Kept);
    let b = case.array("b", "float", &["9"], Home::Region, Fate::Kept);
    let y = case.array("y", "float", &["4"], Home::Outside, Fate::Kept);
    let (read, written) = (AccessKind::Read, AccessKind::Write);
    let texts = [
        ("a[0] = y[0];", (a, written, "a[0]"), (y, read, "y[0]"), 0, 0),
        ("y[1] = a[0];", (y, written, "y[1]"), (a, read, "a[0]"), 1, 0),
        ("b[0] = y[2];", (b, written, "b[0]"), (y, read, "y[2]"), 0, 2),
        ("y[3] = b[0];", (y, written, "y[3]"), (b, read, "b[0]"), 3, 0),
    ];
    for (text, first, second, at_first, at_second) in texts {
        let statement = case.statement(text, &[], &[first, second]);
        case.program.body.push(instance(statement, &[], &[&[int(at_first)], &[int(at_second)]]));
    }
    case.shares = vec![(b, a)];
    case.check(&expect![[r#"
        void f(float *restrict y)
        {
            float a[9];
            a[0] = y[0];
            y[1] = a[0];
            float *b = (void *)a;
            b[0] = y[2];
            y[3] = b[0];
        }
    "#]]);
}

#[test]
fn pragmas_of_loops_that_change_are_dropped_with_a_remark() {
    let mut case = figure_2(Fate::Window { moduli: vec![Some(2)] }, |t, back| {
        op(BinOp::Mod, op(BinOp::Sub, var(t), int(back)), int(2))
    });
    let at = case.file.text.find("/* L1 */").unwrap();
    case.file.text.replace_range(at..at + 8, "#pragma ");
    let written = case.write();
    assert_eq!(written.remarks.len(), 1);
    assert_eq!(written.remarks[0].code, "pragma-dropped");
    assert!(!written.text.contains("#pragma"));
}
