//! Runs generated programs step by step, with arrays where the program says that they are, and records what the oracle records
//! ([`Run`]), so that both can be compared.
//!
//! Only the program's own expressions are evaluated here; the relations of the region say what must come out for arrays that are kept.

use std::collections::BTreeMap;

use frit_scop::program::{BinOp, Expr, Fate, ForLoop, Instance, LoopKind, Program, Step};
use frit_scop::{AccessKind, Array, Scop, program};
use frit_support::Index;

use super::simulate::{Elements, Run, hash};

/// Which iterations of parallel loops come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// A place in memory: an array (of the source, where that is live), and subscripts.
type Place = (Array, Vec<i64>);

struct Machine<'a> {
    scop: &'a Scop,
    program: &'a Program,
    params: &'a [i64],
    elements: Elements,
    direction: Direction,
    repeats: bool,
    variables: BTreeMap<program::Iterator, i64>,
    cells: BTreeMap<Place, Option<u64>>,
    run: Run,
}

/// Runs a program. Parallel loops run in the given direction, with private arrays without a value at the start of each iteration. `repeats`:
/// what leaves no result may run several times.
pub fn run(scop: &Scop, program: &Program, params: &[i64], direction: Direction, repeats: bool) -> Run {
    let mut machine = Machine {
        scop,
        program,
        params,
        elements: Elements::new(scop, params),
        direction,
        repeats,
        variables: BTreeMap::new(),
        cells: BTreeMap::new(),
        run: Run::default(),
    };
    machine.steps(&program.body);
    let is_live_out = |array: Array| scop.arrays[array].is_live_out;
    let live = machine.cells.iter().filter(|((array, _), _)| is_live_out(*array));
    machine.run.left = live.map(|(place, value)| (place.clone(), *value)).collect();
    machine.run.places = machine.cells.keys().filter(|(array, _)| !is_live_out(*array)).count();
    machine.run
}

impl Machine<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For(step) => self.run_loop(step),
                Step::If { cond, then, otherwise } => {
                    let taken = if self.eval(cond) != 0 { then } else { otherwise };
                    self.steps(taken);
                }
                Step::Instance(instance) => self.instance(instance),
                Step::Rotate { array, ages } => self.rotate(*array, ages),
            }
        }
    }

    fn run_loop(&mut self, step: &ForLoop) {
        let (lower, upper) = (self.eval(&step.lower), self.eval(&step.upper));
        assert!(step.step >= 1, "a step forward");
        assert!(!self.variables.contains_key(&step.iterator), "{} is not in use", step.iterator);
        let mut values: Vec<i64> = (0..).map(|at| lower + at * step.step).take_while(|value| *value < upper).collect();
        let private = match &step.kind {
            LoopKind::Sequential => Vec::new(),
            LoopKind::Parallel { private } => private.clone(),
            LoopKind::Simd => Vec::new(),
        };
        if step.kind != LoopKind::Sequential && self.direction == Direction::Backward {
            values.reverse();
        }
        for value in values {
            self.cells.retain(|(array, _), _| !private.contains(array));
            self.variables.insert(step.iterator, value);
            self.steps(&step.body);
        }
        self.variables.remove(&step.iterator);
    }

    fn rotate(&mut self, array: Array, ages: &[u64]) {
        let Fate::Registers { count, .. } = self.program.fates[array] else { panic!("{array} has no registers") };
        assert!(ages.iter().all(|age| (1..count).contains(age)) && ages.is_sorted_by(|one, other| one > other));
        for number in ages.iter().map(|age| *age as i64) {
            let value = self.cells.get(&(array, vec![number - 1])).copied().flatten();
            self.cells.insert((array, vec![number]), value);
        }
        self.cells.insert((array, vec![0]), None);
    }

    fn instance(&mut self, step: &Instance) {
        let iterators: Vec<i64> = step.iterators.iter().map(|iterator| self.eval(iterator)).collect();
        let instance = (step.statement, iterators);
        let statement = &self.scop.statements[step.statement];
        assert_eq!(step.subscripts.len(), statement.accesses.len(), "one entry for each access of {}", step.statement);
        let mut places: Vec<Option<(Array, Vec<i64>)>> = Vec::new();
        for (at, access) in statement.accesses.iter().enumerate() {
            let element = self.elements.of(&instance, at);
            assert!(element.is_some() || !access.is_exact, "{instance:?} is no instance");
            places.push(self.place(access.array, element.map(<[i64]>::to_vec), step.subscripts[at].as_deref()));
        }
        let mut read = vec![None; places.len()];
        let mut sum: Option<u64> = Some(hash(&instance));
        for (at, access) in statement.accesses.iter().enumerate() {
            if let (AccessKind::Read, Some(place)) = (access.kind, &places[at]) {
                let data = &self.scop.arrays[access.array];
                let element = self.elements.of(&instance, at).unwrap();
                let before = data.is_live_in.then(|| hash(&(data.origin, element)));
                read[at] = self.cells.get(place).copied().unwrap_or(before);
            }
        }
        for (at, access) in statement.accesses.iter().enumerate() {
            let happens = access.kind != AccessKind::MayWrite || hash(&(&instance, at)) % 3 > 0;
            if access.kind == AccessKind::Read || !happens {
                continue;
            }
            let value = match statement.reduction {
                Some(reduction) if reduction.write == at => {
                    sum = read[reduction.read].zip(sum).map(|(old, new)| old.wrapping_add(new));
                    sum
                }
                _ => Some(hash(&(&instance, at))),
            };
            if let Some(place) = &places[at] {
                self.cells.insert(place.clone(), value);
            }
        }
        match self.run.reads.get(&instance) {
            None => {
                self.run.order.push(instance.clone());
                self.run.reads.insert(instance, read);
            }
            Some(before) => {
                assert!(self.repeats, "{instance:?} runs twice");
                let data = &statement.accesses;
                let lives = data
                    .iter()
                    .any(|access| access.kind != AccessKind::Read && self.program.fates[access.array] == Fate::Kept);
                assert!(!lives, "{instance:?} leaves a result twice");
                // What was never written may be another value each time; all others are compared with the source.
                let same = before.iter().zip(&read).map(|(before, now)| before.filter(|_| before == now));
                let same = same.collect();
                self.run.reads.insert(instance, same);
            }
        }
    }

    /// Where an access goes: by the program's subscripts, or where its text stays by the element itself.
    fn place(&self, array: Array, element: Option<Vec<i64>>, subscripts: Option<&[Expr]>) -> Option<Place> {
        let data = &self.scop.arrays[array];
        let owner = if data.is_live_in || data.is_live_out { data.origin } else { array };
        let Some(subscripts) = subscripts else {
            assert_eq!(self.program.fates[array], Fate::Kept, "{array} is accessed by its own text");
            return Some((owner, element?));
        };
        let subscripts: Vec<i64> = subscripts.iter().map(|subscript| self.eval(subscript)).collect();
        match &self.program.fates[array] {
            Fate::Kept => assert_eq!(Some(&subscripts[..]), element.as_ref().map(|e| &e[data.expanded..])),
            Fate::Scalar => assert!(subscripts.is_empty()),
            Fate::Registers { count, .. } => {
                assert!(subscripts.len() == 1 && (0..*count as i64).contains(&subscripts[0]))
            }
            Fate::Window { moduli } => {
                let stored = moduli.iter().filter(|modulus| **modulus != Some(1));
                for (subscript, modulus) in subscripts.iter().zip(stored) {
                    assert!(
                        modulus.is_none_or(|modulus| (0..modulus as i64).contains(subscript)),
                        "{array}[{subscript}]"
                    );
                }
            }
        }
        Some((owner, subscripts))
    }

    fn eval(&self, expr: &Expr) -> i64 {
        match expr {
            Expr::Int(value) => *value,
            Expr::Param(param) => self.params[param.at()],
            Expr::Iterator(iterator) => *self.variables.get(iterator).expect("a variable inside of its loop"),
            Expr::Neg(operand) => -self.eval(operand),
            Expr::Select(cond, then, otherwise) => {
                if self.eval(cond) != 0 {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.eval(left), self.eval(right));
                match op {
                    BinOp::Add => left + right,
                    BinOp::Sub => left - right,
                    BinOp::Mul => left * right,
                    BinOp::Div => {
                        assert!(left >= 0 || left % right == 0, "{expr}: {left} / {right}");
                        left / right
                    }
                    BinOp::FloorDiv => left.div_euclid(right),
                    BinOp::Mod => {
                        assert!(left >= 0 || left % right == 0, "{expr}: {left} % {right}");
                        left % right
                    }
                    BinOp::FloorMod => left.rem_euclid(right),
                    BinOp::Min => left.min(right),
                    BinOp::Max => left.max(right),
                    BinOp::And => i64::from(left != 0 && right != 0),
                    BinOp::Or => i64::from(left != 0 || right != 0),
                    BinOp::Lt => i64::from(left < right),
                    BinOp::Le => i64::from(left <= right),
                    BinOp::Gt => i64::from(left > right),
                    BinOp::Ge => i64::from(left >= right),
                    BinOp::Eq => i64::from(left == right),
                    BinOp::Ne => i64::from(left != right),
                }
            }
        }
    }
}
