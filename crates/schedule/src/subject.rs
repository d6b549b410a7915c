//! A with-loop where it stands: what policies and primitives are asked about.

use frit_ir::array::{Block, Extent, Func, FuncId, Op, Operator, Program, Stmt, Value, WithLoop, WithLoopData};
use frit_ir::scalar::Scalar;

/// A with-loop where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The function that it is in.
    pub func: &'a Func,
    /// The with-loop.
    pub data: &'a WithLoopData,
    /// Its results.
    pub results: &'a [Value],
    /// A with-loop around it runs on threads.
    pub is_inside_threads: bool,
}

impl Subject<'_> {
    /// True if the operators only store cells: each has a place for the cell of an index, and none needs an order.
    pub fn only_stores(&self) -> bool {
        self.data.by_operator(self.results).all(|(operator, results)| match operator.op {
            Operator::ModArray { .. } => true,
            // Rows of a size that the first one tells are stored one after the other.
            Operator::GenArray => self.func.ty(results[0]).elem == Scalar::Cert || !self.is_growing(results[0]),
            Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => false,
        })
    }

    /// True if the type of the result mentions another result.
    fn is_growing(&self, result: Value) -> bool {
        self.func.ty(result).shape.iter().any(|extent| match extent {
            Extent::Const(_) => false,
            Extent::Value(size) => self.results.contains(size),
        })
    }

    /// True if one dense generator reaches every index.
    pub fn is_covered(&self) -> bool {
        self.data.generators.iter().any(|generator| generator.covers(&self.data.space))
    }
}

/// Calls `visit` for each with-loop of the program, an outer one before those inside of it. `visit` returns whether the with-loop runs
/// on threads.
pub fn for_each_with_loop<'a>(program: &'a Program, visit: &mut impl FnMut(FuncId, WithLoop, &Subject<'a>) -> bool) {
    for (id, func) in program.funcs.iter() {
        in_block(func, &func.body, false, &mut |with_loop, subject| visit(id, with_loop, subject));
    }
}

fn in_block<'a>(
    func: &'a Func,
    block: &'a Block,
    is_inside_threads: bool,
    visit: &mut impl FnMut(WithLoop, &Subject<'a>) -> bool,
) {
    for stmt in &block.stmts {
        let mut is_inside = is_inside_threads;
        if let Stmt { results, op: Op::With(with_loop), .. } = stmt {
            let data = &func.with_loops[*with_loop];
            is_inside |= visit(*with_loop, &Subject { func, data, results, is_inside_threads });
        }
        stmt.op.for_each_block(func, &mut |inner| in_block(func, inner, is_inside, visit));
    }
}
