//! Convolutions with periodic borders, written as \[WLF\] figure 7 does, by rotations along each axis: one with-loop whose generators are
//! the interior and its borders, for arrays of any size, and no explosion on the way.

use frit_fuse::array::{Options, fuse};
use frit_ir::array::{FuncId, Op, Program, parse, verify};
use frit_ir::{Tensor, TensorData};
use frit_plan::Log;
use frit_support::Index;
use std::fmt::Write;

/// Writes a function of the array IR with loops over one space of unknown extents.
struct Source {
    rank: usize,
    values: usize,
    text: String,
}

impl Source {
    fn value(&mut self) -> String {
        self.values += 1;
        format!("%{}", self.values - 1)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes all");
    }

    fn extents(&self) -> Vec<String> {
        (0..self.rank).map(|axis| format!("%{axis}")).collect()
    }

    fn array_type(&self) -> String {
        format!("f64[{}]", self.extents().join(", "))
    }

    /// Opens a with-loop: its result and its indices.
    fn open(&mut self) -> (String, Vec<String>) {
        let (result, indices) = (self.value(), (0..self.rank).map(|_| self.value()).collect::<Vec<_>>());
        let line = format!(
            "{result}: {} = w{}: with ({}) in [{}] {{",
            self.array_type(),
            self.values,
            indices.join(", "),
            self.extents().join(", ")
        );
        self.line(&line);
        (result, indices)
    }

    /// As the library does it: two generators, cut at the amount modulo the extent.
    fn rotate(&mut self, array: &str, axis: usize, amount: i64) -> String {
        let [divisor, back, forth] = [(); 3].map(|()| self.value());
        self.line(&format!("{divisor}: i64 = max %{axis}, 1"));
        self.line(&format!("{back}: i64 = floormod {amount}, {divisor}"));
        self.line(&format!("{forth}: i64 = sub %{axis}, {back}"));
        let (result, indices) = self.open();
        for (lower, upper, op, by) in [("0", &*back, "add", &forth), (&*back, &*format!("%{axis}"), "sub", &back)] {
            let (mut from, mut to) = (vec!["0".to_string(); self.rank], self.extents());
            (from[axis], to[axis]) = (lower.into(), upper.into());
            let [moved, element] = [(); 2].map(|()| self.value());
            let mut place = indices.clone();
            place[axis].clone_from(&moved);
            self.line(&format!("[{}] <= iv < [{}] {{", from.join(", "), to.join(", ")));
            self.line(&format!("{moved}: i64 = {op} {}, {by}", indices[axis]));
            self.line(&format!("{element}: f64 = index {array}[{}] yield {element} }}", place.join(", ")));
        }
        self.line("} : genarray");
        result
    }

    fn add(&mut self, x: &str, y: &str) -> String {
        let (result, indices) = self.open();
        let [a, b, sum] = [(); 3].map(|()| self.value());
        let (zeros, extents) = (vec!["0"; self.rank].join(", "), self.extents().join(", "));
        self.line(&format!("[{zeros}] <= iv < [{extents}] {{"));
        for (value, array) in [(&a, x), (&b, y)] {
            self.line(&format!("{value}: f64 = index {array}[{}]", indices.join(", ")));
        }
        self.line(&format!("{sum}: f64 = add {a}, {b} yield {sum} }} }} : genarray"));
        result
    }
}

fn convolution(rank: usize) -> Program {
    let mut source = Source { rank, values: rank + 1, text: String::new() };
    let (array, ty) = (format!("%{rank}"), source.array_type());
    let header = format!("func @main[{}]({array}: {ty}) -> ({ty}) {{", source.extents().join(", "));
    source.line(&header);
    let mut sum = array.clone();
    for axis in 0..rank {
        for amount in [1, -1] {
            let rotated = source.rotate(&array, axis, amount);
            sum = source.add(&sum, &rotated);
        }
    }
    source.line(&format!("return {sum} }} entry @main"));
    let program = parse::parse_program(&source.text).unwrap_or_else(|e| panic!("{e:?}\n{}", source.text));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    program
}

/// The program after all merges, and the numbers of generators of the loops that are left.
fn merged(before: &Program) -> (Program, Vec<usize>) {
    let mut program = before.clone();
    let simplify = |program: &mut Program| frit_simplify::simplify(program, &frit_simplify::Options::default());
    simplify(&mut program);
    let mut log = Log::default();
    while fuse(&mut program, &Options::default(), &mut log).any() {
        simplify(&mut program);
    }
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let func = &program.funcs[FuncId::new(0)];
    let generators = func.body.stmts.iter().filter_map(|stmt| match stmt.op {
        Op::With(label) => Some(func.with_loops[label].generators.len()),
        _ => None,
    });
    let generators = generators.collect();
    (program, generators)
}

fn assert_same_results(before: &Program, after: &Program, extents: &[usize]) {
    let count: usize = extents.iter().product();
    let data = TensorData::F64((0..count).map(|i| (i * 13 % 17) as f64).collect());
    let argument = Tensor::new(extents.to_vec(), data).expect("the data have the shape's size");
    let run = |program: &Program| frit_interp::array::run(program, FuncId::new(0), vec![argument.clone()]);
    assert_eq!(run(before).expect("it runs"), run(after).expect("it runs"), "{extents:?}\n{after}");
}

#[test]
fn periodic_convolutions_of_any_size_are_one_loop_of_an_interior_and_its_borders() {
    for rank in 1..=3 {
        let before = convolution(rank);
        let (after, generators) = merged(&before);
        assert_eq!(generators, [3usize.pow(rank as u32)], "rank {rank}\n{after}");
        for extents in [[0, 3, 2], [1, 1, 1], [2, 1, 3], [3, 2, 4], [5, 4, 3]] {
            assert_same_results(&before, &after, &extents[..rank]);
        }
    }
}
