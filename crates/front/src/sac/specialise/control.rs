//! Statements, and what is computed on one way only.

use super::join::Way;
use super::value::{Binding, Env, Scalar, Value};
use super::{Result, Specialiser};
use crate::sac::core::{Expr, Stmt, StmtKind};
use frit_ir::Const;
use frit_ir::array::Operand;
use frit_support::Span;

impl<'p> Specialiser<'p> {
    /// Runs statements.
    pub(super) fn block(&mut self, env: &mut Env, stmts: &'p [Stmt]) -> Result<()> {
        let outer = self.builder.span();
        for stmt in stmts {
            self.place(stmt.span);
            self.stmt(env, stmt)?;
        }
        self.builder.set_span(outer);
        Ok(())
    }

    fn stmt(&mut self, env: &mut Env, stmt: &'p Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                let values = self.values(env, value, targets.len())?;
                for (target, value) in targets.iter().zip(values) {
                    if let Some(target) = target {
                        env.bindings[*target] = Binding::Set(value);
                    }
                }
                Ok(())
            }
            StmtKind::If { cond, then, otherwise } => {
                let cond_value = self.expr(env, cond)?;
                let truth = self.truth(&cond_value, cond.span)?;
                match truth.as_const() {
                    Some(Const::Bool(true)) => self.block(env, then),
                    Some(_) => self.block(env, otherwise),
                    None => self.branch_stmt(env, truth, stmt, then, otherwise),
                }
            }
            StmtKind::Loop { is_do, cond, body, step } => self.repeat(env, stmt, *is_do, cond, body, step),
            StmtKind::Replace { object, value } => {
                let value = self.expr(env, value)?;
                self.replace(*object, &value, stmt.span)
            }
            StmtKind::Output { stream, format, args } => self.output(env, stream.as_ref(), format, args, stmt.span),
        }
    }

    fn branch_stmt(
        &mut self,
        env: &mut Env,
        cond: Scalar,
        stmt: &'p Stmt,
        then: &'p [Stmt],
        otherwise: &'p [Stmt],
    ) -> Result<()> {
        let cond = self.as_operand(cond);
        let flow = self.liveness.flow(stmt);
        let before: Vec<Binding> = flow.assigned.iter().map(|&local| env.bindings[local].clone()).collect();
        let (mark, token) = (self.mark(), self.token);
        let mut ways = Vec::new();
        for stmts in [then, otherwise] {
            for (&local, binding) in flow.assigned.iter().zip(&before) {
                env.bindings[local] = binding.clone();
            }
            let (block, done) = self.in_block(|this| this.block(env, stmts))?;
            let bindings = done.map(|()| flow.live.iter().map(|&local| env.bindings[local].clone()).collect());
            ways.push(Way { block, bindings, token: self.token });
            self.token = token;
        }
        for &local in &flow.assigned {
            env.bindings[local] = Binding::Unset;
        }
        let second = ways.pop().expect("there are two ways");
        let first = ways.pop().expect("there are two ways");
        let joined = self.join(cond, first, second, token, mark, stmt.span)?;
        for (&local, binding) in flow.live.iter().zip(joined) {
            env.bindings[local] = binding;
        }
        Ok(())
    }

    /// One of two expressions.
    pub(super) fn branch_expr(
        &mut self,
        env: &mut Env,
        cond: Scalar,
        then: &'p Expr,
        otherwise: &'p Expr,
        span: Span,
    ) -> Result<Value> {
        match cond.as_const() {
            Some(Const::Bool(true)) => return self.expr(env, then),
            Some(_) => return self.expr(env, otherwise),
            None => {}
        }
        let cond = self.as_operand(cond);
        let mut values = self.branch(
            cond,
            |this, is_first| Ok(vec![this.expr(env, if is_first { then } else { otherwise })?]),
            span,
        )?;
        Ok(values.remove(0))
    }

    /// The values of one of two ways, on which the condition is true or not; the ways are specialised one after the other.
    pub(super) fn branch(
        &mut self,
        cond: Operand,
        mut way: impl FnMut(&mut Self, bool) -> Result<Vec<Value>>,
        span: Span,
    ) -> Result<Vec<Value>> {
        let (mark, token) = (self.mark(), self.token);
        let mut ways = Vec::new();
        for is_first in [true, false] {
            let (block, values) = self.in_block(|this| way(this, is_first))?;
            let bindings = values.map(|values| values.into_iter().map(Binding::Set).collect::<Vec<_>>());
            ways.push(Way { block, bindings, token: self.token });
            self.token = token;
        }
        let second = ways.pop().expect("there are two ways");
        let first = ways.pop().expect("there are two ways");
        let joined = self.join(cond, first, second, token, mark, span)?;
        let mut values = Vec::with_capacity(joined.len());
        for binding in joined {
            match binding {
                Binding::Set(value) => values.push(value),
                Binding::RankUnknown(span) => return self.unsupported(super::Reason::RankDependsOnData, span),
                Binding::Unset | Binding::Maybe(..) => unreachable!("an expression has a value"),
            }
        }
        Ok(values)
    }
}
