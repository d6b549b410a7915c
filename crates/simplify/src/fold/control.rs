//! Branches, sequential loops and with-loops whose course is known.
//! Source: \[L0\] section 5.3 (`if`), \[WLF\] section 6 (empty generators); the rest is folklore.

use super::{Folder, Verdict};
use frit_ir::array::{
    Block, Extent, Func, Generator, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Stmt, Type, WithLoop, ops,
};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_support::Index;

/// The cost of the scalar operations that both sides of a branch may have together to become selections.
const SELECT_BUDGET: u32 = 12;

impl Folder<'_> {
    /// A branch: one side if the condition is known; selections if both sides are a few operations that cannot fail.
    pub(super) fn branch(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::If { cond, then, otherwise } = &mut stmt.op else { unreachable!("the statement is a branch") };
        let cond = *cond;
        if let Some(truth) = cond.constant().and_then(Const::as_bool) {
            if !self.can_dissolve(stmt) {
                return self.branch_sides(stmt);
            }
            let Op::If { then, otherwise, .. } = &mut stmt.op else { unreachable!("the statement is a branch") };
            let side = std::mem::take(if truth { then } else { otherwise });
            self.dissolve(stmt, side);
            return Verdict::Gone;
        }
        if let Some(&Op::Unary { op: UnOp::Not, x }) = super::scalar::Known::definition(self, cond) {
            std::mem::swap(then, otherwise);
            stmt.op = Op::If { cond: x, then: std::mem::take(then), otherwise: std::mem::take(otherwise) };
            return Verdict::Again;
        }
        self.branch_sides(stmt)
    }

    /// Folds the sides of a branch that stays, then looks at what they yield.
    fn branch_sides(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::If { cond, then, otherwise } = &mut stmt.op else { unreachable!("the statement is a branch") };
        let cond = *cond;
        let (then, otherwise) = (std::mem::take(then), std::mem::take(otherwise));
        let then = self.side(cond, true, then);
        let otherwise = self.side(cond, false, otherwise);
        let is_cheap = stmt.certs.is_empty()
            && cond.value().is_some()
            && stmt.results.iter().all(|&r| self.func.ty(r).is_scalar() && self.func.ty(r).elem != Scalar::Cert)
            && cost(self.func, &then).saturating_add(cost(self.func, &otherwise)) <= SELECT_BUDGET;
        if is_cheap {
            // The statements are folded already: they go where the branch was.
            for inner in then.stmts.into_iter().chain(otherwise.stmts) {
                self.define(&inner);
                self.out.push(inner);
            }
            let results = std::mem::take(&mut stmt.results);
            for (at, result) in results.into_iter().enumerate() {
                let op = Op::Select { cond, on_true: then.results[at], on_false: otherwise.results[at] };
                self.stmt_renamed(Stmt { results: vec![result], op, certs: Vec::new(), span: stmt.span });
            }
            return Verdict::Gone;
        }
        // A result that both sides take from outside is that. The type of a later result may mention it.
        for at in 0..stmt.results.len() {
            if then.results[at] == otherwise.results[at]
                && !self.replaced_already(stmt.results[at])
                && self.replacements.replace(stmt.results[at], then.results[at], &stmt.certs)
            {
                self.deferred.insert(stmt.results[at], then.results[at]);
                self.count += 1;
            }
        }
        stmt.op = Op::If { cond, then, otherwise };
        Verdict::Keep
    }

    /// Folds a side, where the condition is known to hold, or not to hold.
    fn side(&mut self, cond: Operand, holds: bool, side: Block) -> Block {
        let Operand::Value(value) = cond else { return self.block(side) };
        let is_new = self.replacements.replace(value, Const::Bool(holds).into(), &[]);
        debug_assert!(is_new, "no certificate is owed");
        let side = self.block(side);
        self.replacements.forget(value);
        side
    }

    /// True if the statement's certificates can be handed on when it makes way for one of its blocks.
    fn can_dissolve(&self, stmt: &Stmt) -> bool {
        stmt.results.iter().all(|&r| self.replacements.can_owe(r, &stmt.certs))
    }

    /// Folds a block into the open one, in the place of the statement; its results are what the block yields.
    fn dissolve(&mut self, stmt: &Stmt, mut block: Block) {
        for inner in &mut block.stmts {
            if !stmt.certs.is_empty() {
                crate::inline::add_certs(&mut inner.certs, &stmt.certs);
            }
        }
        let yields = self.block_here(block);
        for (&result, operand) in stmt.results.iter().zip(yields) {
            let is_replaced = self.replacements.replace(result, operand, &stmt.certs);
            assert!(is_replaced, "the certificates can be handed on");
        }
    }

    /// A sequential loop: nothing, its body, or without the parameters that never change.
    pub(super) fn sequential_loop(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
        let trips = match &data.kind {
            LoopKind::For { count, .. } => count.constant().and_then(Const::as_i64),
            LoopKind::While { condition } => match condition.results[0] {
                Operand::Const(Const::Bool(false)) => Some(0),
                Operand::Const(_) | Operand::Value(_) => None,
            },
        };
        match trips.filter(|_| self.can_dissolve(stmt)) {
            Some(trips) if trips <= 1 => {
                let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
                let LoopData { kind, params, init, body, .. } = std::mem::replace(
                    &mut **data,
                    LoopData {
                        kind: LoopKind::While { condition: Block::default() },
                        params: Vec::new(),
                        init: Vec::new(),
                        body: Block::default(),
                        consumed: Vec::new(),
                        regroups: false,
                    },
                );
                let (index, body) = match kind {
                    LoopKind::For { .. } if trips <= 0 => (None, Block { stmts: Vec::new(), results: init.clone() }),
                    LoopKind::For { index, .. } => (Some((index, Operand::i64(0))), body),
                    // The condition is evaluated once, and may end the program.
                    LoopKind::While { condition } => (None, Block { stmts: condition.stmts, results: init.clone() }),
                };
                for (param, start) in params.into_iter().zip(init).chain(index) {
                    let is_replaced = self.replacements.replace(param, start, &[]);
                    assert!(is_replaced, "no certificate is owed");
                }
                self.dissolve(stmt, body);
                Verdict::Gone
            }
            _ => {
                let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
                let kind = std::mem::replace(&mut data.kind, LoopKind::While { condition: Block::default() });
                let body = std::mem::take(&mut data.body);
                let kind = match kind {
                    LoopKind::For { .. } => kind,
                    LoopKind::While { condition } => LoopKind::While { condition: self.block(condition) },
                };
                let body = self.block(body);
                let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
                data.kind = kind;
                data.body = body;
                self.drop_invariant_params(stmt)
            }
        }
    }

    /// A parameter that every iteration passes on, or sets to what it was at first, is its initial value.
    fn drop_invariant_params(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::Loop(data) = &mut stmt.op else { unreachable!("the statement is a loop") };
        let mut keep = Vec::with_capacity(data.params.len());
        for at in 0..data.params.len() {
            let (param, start, next) = (data.params[at], data.init[at], data.body.results[at]);
            let is_invariant = next == Operand::Value(param) || next == start;
            let result = stmt.results[at];
            let is_dropped = is_invariant && self.replacements.replace(result, start, &stmt.certs);
            if is_dropped {
                self.deferred.insert(param, start);
                // The type of a later result may mention it.
                self.deferred.insert(result, start);
                self.count += 1;
            }
            keep.push(!is_dropped);
        }
        if keep.contains(&false) {
            let mut marks = keep.iter();
            stmt.results.retain(|_| *marks.next().expect("one mark per result"));
            for items in [&mut data.init, &mut data.body.results] {
                let mut marks = keep.iter();
                items.retain(|_| *marks.next().expect("one mark per parameter"));
            }
            let mut marks = keep.iter();
            data.params.retain(|_| *marks.next().expect("one mark per parameter"));
            let mut marks = keep.iter();
            data.consumed.retain(|_| *marks.next().expect("one mark per parameter"));
        }
        Verdict::Keep
    }

    /// A with-loop: its blocks, its generators that are empty, its results if the whole space is.
    pub(super) fn with_loop(&mut self, stmt: &mut Stmt, w: WithLoop) -> Verdict {
        let mut data = self.func.take_with_loop(w);
        let is_empty = |generator: &Generator| {
            let mut axes = generator.lower.iter().zip(&generator.upper);
            axes.any(|(&lower, &upper)| match (as_i64(lower), as_i64(upper)) {
                (Some(lower), Some(upper)) => lower >= upper,
                _ => false,
            })
        };
        // Where nothing is left, the generators stay: cells must have types.
        let are_all_empty = data.generators.iter().all(is_empty);
        if !are_all_empty {
            let before = data.generators.len();
            data.generators.retain(|generator| !is_empty(generator));
            self.count += before - data.generators.len();
        }
        for generator in &mut data.generators {
            let mut body = std::mem::take(&mut generator.body);
            if are_all_empty && !is_trivial(&body) {
                body = self.trivial_cells(stmt, &data.operators, data.space.len());
                self.count += 1;
            }
            generator.body = self.block(body);
        }
        for operator in &mut data.operators {
            match &mut operator.op {
                Operator::Fold { combine, .. } | Operator::Scan { combine, .. } => {
                    let body = std::mem::take(&mut combine.body);
                    combine.body = self.block(body);
                }
                Operator::GenArray | Operator::ModArray { .. } | Operator::Filter { .. } | Operator::Uniform => {}
            }
        }
        if are_all_empty {
            let mut result = 0;
            for operator in &data.operators {
                match &operator.op {
                    Operator::Fold { neutral, .. } => {
                        for (at, &start) in neutral.iter().enumerate() {
                            self.note_replaced(stmt, result + at, start);
                        }
                    }
                    Operator::Uniform | Operator::Filter { .. } => {
                        self.note_replaced(stmt, result, Operand::i64(0));
                    }
                    Operator::ModArray { source, .. } => self.note_replaced(stmt, result, (*source).into()),
                    Operator::GenArray | Operator::Scan { .. } => {}
                }
                result += operator.op.results();
            }
        }
        self.func.with_loops[w] = data;
        Verdict::Keep
    }

    /// Cells for indices that do not exist, of the types that the results ask for.
    fn trivial_cells(&mut self, stmt: &Stmt, operators: &[OperatorData], axes: usize) -> Block {
        let mut block = Block::default();
        let mut result = 0;
        for operator in operators {
            if operator.guarded {
                block.results.push(Const::Bool(false).into());
            }
            let own = &stmt.results[result..][..operator.op.results()];
            let types: Vec<Type> = match &operator.op {
                Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => {
                    let ty = self.func.ty(own[0]);
                    vec![if ty.is_scalar() { ty.clone() } else { ty.row(axes) }]
                }
                Operator::Fold { combine, neutral, .. } => {
                    combine.params[neutral.len()..].iter().map(|&p| self.func.ty(p).clone()).collect()
                }
                Operator::Scan { .. } => own.iter().map(|&r| self.func.ty(r).row(1)).collect(),
                Operator::Filter { .. } => own[1..].iter().map(|&r| self.func.ty(r).row(1)).collect(),
            };
            for mut ty in types {
                // A size that this very loop finds in its rows is 0 where there are none.
                for extent in &mut ty.shape {
                    if Operand::from(*extent).value().is_some_and(|size| stmt.results.contains(&size)) {
                        *extent = Extent::Const(0);
                    }
                }
                let mut cell = Operand::Const(ty.elem.zero());
                for axis in (0..ty.rank()).rev() {
                    let shape = ty.shape[axis..].to_vec();
                    let n = shape[0].into();
                    let array = self.func.value(Type::array(ty.elem, shape), stmt.span);
                    let op = Op::Replicate { n, x: cell };
                    block.stmts.push(Stmt { results: vec![array], op, certs: Vec::new(), span: stmt.span });
                    cell = array.into();
                }
                block.results.push(cell);
            }
            result += operator.op.results();
        }
        block
    }

    /// The result at this position is known; the statement stays for the others, or dies.
    fn note_replaced(&mut self, stmt: &Stmt, at: usize, operand: Operand) {
        let result = stmt.results[at];
        let is_array = !self.func.ty(result).is_scalar();
        if is_array && self.sharing.is_consumed(result) {
            return;
        }
        if !self.replaced_already(result) && self.replacements.replace(result, operand, &stmt.certs) {
            self.deferred.insert(result, operand);
            self.count += 1;
        }
    }

    fn replaced_already(&self, result: frit_ir::array::Value) -> bool {
        // A value that nothing used before this pass is not worth a change: dead code is for another pass.
        self.uses.get(result.at()).is_none_or(|&uses| uses == 0)
    }
}

/// True for what [`Folder::trivial_cells`] makes.
fn is_trivial(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| matches!(stmt.op, Op::Replicate { .. }))
}

fn as_i64(operand: Operand) -> Option<i64> {
    operand.constant().and_then(Const::as_i64)
}

/// The cost of the statements of a block; more than any budget if one of them is no scalar operation, or may fail.
fn cost(func: &Func, block: &Block) -> u32 {
    let cost = |stmt: &Stmt| if stmt.certs.is_empty() { op_cost(func, &stmt.op) } else { u32::MAX };
    block.stmts.iter().map(cost).fold(0, u32::saturating_add)
}

fn op_cost(func: &Func, op: &Op) -> u32 {
    match op {
        Op::Unary { op, .. } => match op {
            UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Convert(_) | UnOp::Floor | UnOp::Ceil => 1,
            UnOp::Sqrt => 6,
            UnOp::Math(_) => u32::MAX,
        },
        Op::Binary { op, x, .. } => match *op {
            BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => 1,
            BinOp::DIV if func.operand_type(*x).elem.is_float() => 4,
            BinOp::Divide(_) | BinOp::Math(_) => u32::MAX,
        },
        Op::Select { .. } => 1,
        ops!(access | array | effect | control) => u32::MAX,
    }
}
