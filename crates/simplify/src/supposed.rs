//! Sizes that are supposed to be equal: a program for arguments whose shapes fit, beside the one for all others.
//!
//! Where arrays meet, a program checks that their extents are equal. For arguments with the extents that it asks for, one value can stand for
//! all that are equal: loops over them have one space then, and their checks are known to hold. [`suppose`] makes that program, and
//! says for which arguments it may run ([`Suppositions::hold`]); for others the program as it was has the right failure.
//! Source:   multi-versioning; the sizes of \[L0\] section 9.1.1 are equal by its types.
//! Before:   verified array IR, as the front end made it.
//! After:    the same results for arguments for which the suppositions hold.
//! Work:     less: checks go.
//! Reorders: nothing.

use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Op, Operand, Program, ResultExtent, Value};
use frit_ir::scalar::{BinOp, Const, UnOp};
use std::collections::{BTreeSet, HashMap};

/// A number that depends on the sizes of arguments alone, computed from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Term {
    /// The size at this position.
    Size(usize),
    Const(Const),
    Unary(UnOp, usize),
    Binary(BinOp, usize, usize),
    Select(usize, usize, usize),
}

/// The extents of arguments that are supposed to be equal.
#[derive(Clone, Debug, Default)]
pub struct Suppositions {
    /// Each by the position of a parameter and the axis.
    equal: Vec<[(usize, usize); 2]>,
}

impl Suppositions {
    /// True if they hold for arguments with these extents, by the positions of parameter and axis.
    pub fn hold(&self, extent: impl Fn(usize, usize) -> usize) -> bool {
        self.equal.iter().all(|[(param, axis), (other, of_other)]| extent(*param, *axis) == extent(*other, *of_other))
    }
}

/// The program in which sizes of the entry's parameters are equal that it checks to be, and what that supposes; `None` if there are none.
pub fn suppose(program: &Program) -> Option<(Program, Suppositions)> {
    let entry = program.entry?;
    let func = &program.funcs[entry];
    let mut survey = Survey::new(func);
    survey.block(&func.body);
    let (suppositions, renaming) = survey.finish()?;
    let mut program = program.clone();
    let func = &mut program.funcs[entry];
    func.substitute(&renaming);
    func.sizes.retain(|size| !renaming.contains_key(size));
    for extent in func.results.iter_mut().flat_map(|result| &mut result.shape) {
        if let ResultExtent::Size(size) = extent
            && let Some(by) = renaming.get(size).and_then(|by| by.value())
        {
            *size = by;
        }
    }
    Some((program, suppositions))
}

struct Survey<'f> {
    func: &'f Func,
    /// Terms are equal if they are computed in the same way.
    numbers: HashMap<Term, usize>,
    terms: Vec<Term>,
    known: HashMap<Value, usize>,
    /// The pairs that the program checks to be equal.
    checked: BTreeSet<(usize, usize)>,
}

impl<'f> Survey<'f> {
    fn new(func: &'f Func) -> Self {
        let mut survey =
            Self { func, numbers: HashMap::new(), terms: Vec::new(), known: HashMap::new(), checked: BTreeSet::new() };
        for (at, &size) in func.sizes.iter().enumerate() {
            let number = survey.number(Term::Size(at));
            survey.known.insert(size, number);
        }
        survey
    }

    fn number(&mut self, term: Term) -> usize {
        let terms = &mut self.terms;
        *self.numbers.entry(term).or_insert_with(|| {
            terms.push(term);
            terms.len() - 1
        })
    }

    fn operand(&mut self, operand: Operand) -> Option<usize> {
        match operand {
            Operand::Const(constant) => Some(self.number(Term::Const(constant))),
            Operand::Value(value) => self.known.get(&value).copied(),
        }
    }

    fn term(&mut self, op: &Op) -> Option<Term> {
        Some(match *op {
            Op::Unary { op, x } => Term::Unary(op, self.operand(x)?),
            Op::Binary { op, x, y } => Term::Binary(op, self.operand(x)?, self.operand(y)?),
            Op::Select { cond, on_true, on_false } => {
                Term::Select(self.operand(cond)?, self.operand(on_true)?, self.operand(on_false)?)
            }
            _ => return None,
        })
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Some(term) = self.term(&stmt.op) {
                let number = self.number(term);
                self.known.insert(stmt.results[0], number);
            }
            if let Op::Assert { cond, .. } = stmt.op
                && let Some(cond) = self.operand(cond)
                && let Term::Binary(BinOp::EQ, x, y) = self.terms[cond]
                && x != y
            {
                self.checked.insert((x, y));
            }
            let func = self.func;
            stmt.op.for_each_block(func, &mut |inner| self.block(inner));
        }
    }

    /// What is supposed, and which size stands for which other one then.
    fn finish(self) -> Option<(Suppositions, Renaming)> {
        let mut firsts: Vec<usize> = (0..self.terms.len()).collect();
        for &(x, y) in &self.checked {
            let (first, other) = (firsts[x].min(firsts[y]), firsts[x].max(firsts[y]));
            firsts.iter_mut().filter(|known| **known == other).for_each(|known| *known = first);
        }
        let func = self.func;
        // Sizes come first among the terms. A number that is computed from others stays: what is known of it by that would be lost.
        let equal = (0..func.sizes.len()).map(|size| (size, firsts[size])).filter(|(size, first)| size != first);
        let equal: Vec<[Value; 2]> = equal.map(|(size, first)| [func.sizes[size], func.sizes[first]]).collect();
        let place = |&size: &Value| place_of(func, size);
        let places: Option<Vec<_>> = equal.iter().map(|[size, first]| Some([place(size)?, place(first)?])).collect();
        let renaming = equal.iter().map(|&[size, first]| (size, first.into())).collect();
        Some((Suppositions { equal: places? }, renaming)).filter(|_| !equal.is_empty())
    }
}

/// A parameter and an axis whose extent a size is.
fn place_of(func: &Func, size: Value) -> Option<(usize, usize)> {
    func.params.iter().enumerate().find_map(|(at, param)| {
        let shape = &func.ty(param.value).shape;
        shape.iter().position(|&extent| Operand::from(extent) == Operand::Value(size)).map(|axis| (at, axis))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_ir::array::parse::parse_program;
    use frit_ir::array::verify::verify;

    fn program(asserted: &str) -> Program {
        let text = format!(
            "func @main[%0, %1, %2](%3: f64[%0], %4: f64[%1], %5: f64[%2]) -> (f64[%0]) {{
               %6: i64 = sub %2, 1
               %7: i64 = max %6, 0
               {asserted}
               return %3
             }}
             entry @main"
        );
        parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn check(number: usize, condition: &str) -> String {
        let (condition_value, cert) = (20 + 2 * number, 21 + 2 * number);
        format!(
            "%{condition_value}: bool = {condition}
             %{cert}: cert = assert %{condition_value}, broadcast-mismatch(0, 0)\n"
        )
    }

    fn supposed(asserted: &str) -> Option<(Program, Suppositions)> {
        let supposed = suppose(&program(asserted));
        if let Some((program, _)) = &supposed {
            verify(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
        }
        supposed
    }

    #[test]
    fn extents_that_are_checked_to_be_equal_are_one() {
        let (program, suppositions) =
            supposed(&(check(0, "eq %1, %0") + &check(1, "eq %7, %1"))).expect("there are two");
        assert_eq!(program.funcs.iter().next().expect("there is a function").1.sizes.len(), 2);
        let hold = |extents: [usize; 3]| suppositions.hold(|param, _| extents[param]);
        assert!(hold([4, 4, 5]) && hold([0, 0, 0]));
        assert!(!hold([4, 5, 5]));
    }

    #[test]
    fn nothing_is_supposed_of_other_numbers() {
        assert!(supposed("").is_none());
        assert!(supposed(&check(0, "eq %0, 3")).is_none(), "it is a constant");
        assert!(supposed(&check(0, "lt %0, %1")).is_none(), "it is another condition");
        assert!(supposed(&check(0, "eq %7, %6")).is_none(), "neither is a size");
        assert!(supposed(&check(0, "eq %7, %1")).is_none(), "one is computed");
        assert!(
            supposed(&(check(0, "eq %7, %1") + &check(1, "eq %0, %7"))).is_some(),
            "both are equal to one that is computed"
        );
    }
}
