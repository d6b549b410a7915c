//! What is known just before a with-loop, wherever in a function it stands.

use frit_ir::array::{Block, Func, LoopKind, Op, Operand, WithLoop, ops};
use frit_simplify::ranges::Ranges;

/// What is known just before the statement of a with-loop; `None` if no statement of the function is that with-loop.
pub fn facts_before(func: &Func, with_loop: WithLoop) -> Option<Ranges> {
    let mut facts = Ranges::new(func);
    descend(func, &func.body, with_loop, &mut facts).then_some(facts)
}

/// Walks to the with-loop; true if the block holds it.
fn descend(func: &Func, block: &Block, target: WithLoop, facts: &mut Ranges) -> bool {
    let inside = |facts: &mut Ranges, block: &Block, begin: &dyn Fn(&mut Ranges)| {
        facts.enter();
        begin(facts);
        if descend(func, block, target, facts) {
            return true;
        }
        facts.leave();
        false
    };
    let any = (i64::MIN.into(), i64::MAX.into());
    for stmt in &block.stmts {
        let is_found = match &stmt.op {
            Op::With(w) if *w == target => true,
            Op::With(w) => {
                let data = &func.with_loops[*w];
                let in_generator = data.generators.iter().any(|generator| {
                    inside(facts, &generator.body, &|facts| {
                        let bounds = generator.lower.iter().zip(&generator.upper);
                        for (&index, (&lower, &upper)) in data.indices.iter().zip(bounds) {
                            facts.bind_index(func, index, lower, upper);
                        }
                    })
                });
                in_generator
                    || data.lambdas().any(|lambda| {
                        inside(facts, &lambda.body, &|facts| {
                            lambda.params.iter().for_each(|&param| facts.introduce(param, any));
                        })
                    })
            }
            Op::If { cond, then, otherwise } => {
                inside(facts, then, &|facts| facts.assume(func, *cond, true, None))
                    || inside(facts, otherwise, &|facts| facts.assume(func, *cond, false, None))
            }
            Op::Loop(data) => {
                let params = |facts: &mut Ranges| data.params.iter().for_each(|&param| facts.introduce(param, any));
                let in_condition = match &data.kind {
                    LoopKind::For { .. } => false,
                    LoopKind::While { condition } => inside(facts, condition, &params),
                };
                in_condition
                    || inside(facts, &data.body, &|facts| {
                        params(facts);
                        match data.kind {
                            LoopKind::For { index, count } => facts.bind_index(func, index, Operand::i64(0), count),
                            LoopKind::While { .. } => {}
                        }
                    })
            }
            ops!(scalar | access | array | effect) | Op::Call { .. } => false,
        };
        if is_found {
            return true;
        }
        facts.define(func, stmt);
    }
    false
}
