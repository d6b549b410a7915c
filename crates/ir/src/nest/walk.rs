//! Traversal of the loop IR: the parts of expressions, what statements mention, changes in place,
//! and renamed copies.
//!
//! This module knows the structure of every statement, and nothing of its meaning. A pass that
//! needs the expressions, variables or arrays of any statement uses it. A new statement is
//! therefore added here once.
//!
//! New expressions, statements and loops are made in [`build`](super::build).

use super::{Arg, Array, Binding, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The expressions that replace variables. A variable that is assigned can only be replaced by a
/// variable.
pub type Names = BTreeMap<Var, Expr>;

/// Something that a statement mentions.
#[derive(Clone, Copy, Debug)]
pub enum Mention<'a> {
    /// An expression that it evaluates, including all parts.
    Expr(&'a Expr),
    /// A variable that it assigns.
    Assigned(Var),
    /// An array that it names outside of expressions.
    Array(Array, Role),
}

/// What a statement does with an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes an element.
    Stored,
    /// Writes elements that it copies from another array.
    Filled,
    /// Reads elements: the source of a copy, or an argument of an output.
    Read,
    /// Prefetches elements.
    Prefetched,
    /// Gives it memory of its own.
    Allocated,
    /// Gives up its memory.
    Released,
    /// Makes it name other memory: a reference that is bound, or the result of a call.
    Bound,
    /// Lets a reference name its memory.
    Shared,
    /// Exchanges what it names with another array.
    Swapped,
    /// Passes it to a procedure.
    Passed,
}

impl Role {
    /// True if the array has other memory, or none, after the statement.
    pub fn places(self) -> bool {
        match self {
            Role::Allocated | Role::Released | Role::Bound | Role::Swapped => true,
            Role::Stored | Role::Filled | Role::Read | Role::Prefetched | Role::Shared | Role::Passed => false,
        }
    }
}

impl Expr {
    /// The direct operands.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let (operands, index): ([Option<&Expr>; 3], &[Expr]) = match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Threads => ([None; 3], &[]),
            Expr::Load { array: _, index } => ([None; 3], index),
            Expr::Unary { op: _, x } => ([Some(x), None, None], &[]),
            Expr::Binary { op: _, x, y } => ([Some(x), Some(y), None], &[]),
            Expr::Select { cond, on_true, on_false } => ([Some(cond), Some(on_true), Some(on_false)], &[]),
        };
        operands.into_iter().flatten().chain(index)
    }

    /// The direct operands, to change.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (operands, index): ([Option<&mut Expr>; 3], &mut [Expr]) = match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Threads => ([None, None, None], &mut []),
            Expr::Load { array: _, index } => ([None, None, None], index),
            Expr::Unary { op: _, x } => ([Some(x), None, None], &mut []),
            Expr::Binary { op: _, x, y } => ([Some(x), Some(y), None], &mut []),
            Expr::Select { cond, on_true, on_false } => ([Some(cond), Some(on_true), Some(on_false)], &mut []),
        };
        operands.into_iter().flatten().chain(index)
    }

    /// Calls `f` on the expression and all expressions in it, operations before their operands.
    pub fn for_each_part<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        for operand in self.operands() {
            operand.for_each_part(f);
        }
    }

    /// True if `f` holds for the expression or a part of it. Asks operations before their operands,
    /// and stops at the first success.
    pub fn any_part(&self, f: &mut impl FnMut(&Expr) -> bool) -> bool {
        f(self) || self.operands().any(|operand| operand.any_part(f))
    }

    /// Replaces each part for which `f` returns another expression, operations before their
    /// operands. Does not enter replacements.
    pub fn rewrite(&mut self, f: &mut impl FnMut(&Expr) -> Option<Expr>) {
        match f(self) {
            Some(other) => *self = other,
            None => self.operands_mut().for_each(|operand| operand.rewrite(f)),
        }
    }

    /// A copy of the expression with parts replaced as by [`rewrite`](Self::rewrite).
    pub fn rewritten(&self, mut f: impl FnMut(&Expr) -> Option<Expr>) -> Expr {
        let mut copy = self.clone();
        copy.rewrite(&mut f);
        copy
    }

    /// A copy of the expression with variables renamed.
    pub fn renamed(&self, names: &Names) -> Expr {
        let mut copy = self.clone();
        copy.rename(names);
        copy
    }

    /// Renames variables.
    pub fn rename(&mut self, names: &Names) {
        self.rewrite(&mut |part| if let Expr::Var(var) = part { names.get(var).cloned() } else { None });
    }

    /// Calls `f` on every element that the expression reads.
    pub fn for_each_load<'a>(&'a self, f: &mut impl FnMut(Array, &'a [Expr])) {
        self.for_each_part(&mut |part| {
            if let Expr::Load { array, index } = part {
                f(*array, index);
            }
        });
    }

    /// Calls `f` on all loads of the expression, to change, except for loads in subscripts of other
    /// loads.
    pub fn for_each_load_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        match self {
            Expr::Load { .. } => f(self),
            _ => self.operands_mut().for_each(|operand| operand.for_each_load_mut(f)),
        }
    }

    /// Calls `f` on every variable that the expression reads, once for each read.
    pub fn for_each_var(&self, f: &mut impl FnMut(Var)) {
        self.for_each_part(&mut |part| {
            if let Expr::Var(var) = part {
                f(*var);
            }
        });
    }

    /// The variables that it reads.
    pub fn variables(&self) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        self.for_each_var(&mut |var| _ = found.insert(var));
        found
    }

    /// True if it reads the variable.
    pub fn reads(&self, var: Var) -> bool {
        self.any_part(&mut |part| *part == Expr::Var(var))
    }

    /// True if it reads one of the variables.
    pub fn reads_any(&self, vars: &BTreeSet<Var>) -> bool {
        self.any_part(&mut |part| matches!(part, Expr::Var(var) if vars.contains(var)))
    }

    /// True if it reads memory.
    pub fn has_load(&self) -> bool {
        self.any_part(&mut |part| matches!(part, Expr::Load { .. }))
    }

    /// The number of parts.
    pub fn size(&self) -> usize {
        let mut parts = 0;
        self.for_each_part(&mut |_| parts += 1);
        parts
    }
}

impl LoopData {
    /// The expressions of its header: the bounds and the work, if it asks for threads.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let work = match &self.kind {
            LoopKind::Independent { parallel, .. } => parallel.as_ref().map(|parallel| &parallel.work),
            LoopKind::Sequential | LoopKind::Scan { .. } => None,
        };
        [&self.lower, &self.upper].into_iter().chain(work)
    }

    /// Renames variables in its header: the loop variable, the operands, and the accumulators of an
    /// independent loop.
    pub fn rename(&mut self, names: &Names) {
        self.var = self.var.map(|var| var.renamed(names));
        self.lower.rename(names);
        self.upper.rename(names);
        match &mut self.kind {
            LoopKind::Independent { parallel, simd: _, reductions } => {
                parallel.iter_mut().for_each(|parallel| parallel.work.rename(names));
                reductions.iter_mut().for_each(|reduction| reduction.var = reduction.var.renamed(names));
            }
            LoopKind::Scan { reductions, .. } => {
                reductions.iter_mut().for_each(|reduction| reduction.var = reduction.var.renamed(names));
            }
            LoopKind::Sequential => {}
        }
    }
}

impl Var {
    /// The new name of the variable.
    pub fn renamed(self, names: &Names) -> Var {
        match names.get(&self) {
            Some(Expr::Var(name)) => *name,
            Some(_) | None => self,
        }
    }
}

impl Stmt {
    /// The blocks of the statement itself. The body of a counted loop is in the procedure's table
    /// and does not count.
    pub fn inner(&self) -> impl Iterator<Item = &[Stmt]> {
        let blocks: [Option<&[Stmt]>; 2] = match self {
            Stmt::While { before, cond: _, body } => [Some(before), Some(body)],
            Stmt::If { cond: _, then, otherwise } => [Some(then), Some(otherwise)],
            Stmt::For(_)
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Prefetch { .. }
            | Stmt::Effect { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => [None; 2],
        };
        blocks.into_iter().flatten()
    }

    /// The same blocks, to change.
    pub fn inner_mut(&mut self) -> impl Iterator<Item = &mut Vec<Stmt>> {
        let blocks = match self {
            Stmt::While { before, cond: _, body } => [Some(before), Some(body)],
            Stmt::If { cond: _, then, otherwise } => [Some(then), Some(otherwise)],
            Stmt::For(_)
            | Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Prefetch { .. }
            | Stmt::Effect { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => [None, None],
        };
        blocks.into_iter().flatten()
    }

    /// The blocks directly inside. A loop that the procedure does not have has none.
    pub fn blocks<'a>(&'a self, proc: &'a Proc) -> impl Iterator<Item = &'a [Stmt]> {
        let body = if let Stmt::For(id) = self { proc.loops.get(*id) } else { None };
        body.map(|data| &data.body[..]).into_iter().chain(self.inner())
    }

    /// Replaces the blocks directly inside by the results of `f`. Meanwhile the body of a loop is
    /// not in the procedure.
    pub fn map_blocks(&mut self, proc: &mut Proc, mut f: impl FnMut(&mut Proc, Vec<Stmt>) -> Vec<Stmt>) {
        if let Stmt::For(id) = *self {
            let body = std::mem::take(&mut proc.loops[id].body);
            proc.loops[id].body = f(proc, body);
        }
        self.inner_mut().for_each(|block| *block = f(proc, std::mem::take(block)));
    }

    /// Calls `f` on what the statement itself mentions. Statements inside it do not count. The
    /// header of a loop and the extents of arrays are in the procedure's tables and do not count
    /// either.
    pub fn for_each_mention<'a>(&'a self, f: &mut impl FnMut(Mention<'a>)) {
        match self {
            Stmt::Assign { var, value } => {
                f(Mention::Expr(value));
                f(Mention::Assigned(*var));
            }
            Stmt::Store { array, index, value } => {
                index.iter().for_each(|expr| f(Mention::Expr(expr)));
                f(Mention::Expr(value));
                f(Mention::Array(*array, Role::Stored));
            }
            Stmt::For(_) => {}
            Stmt::While { cond, .. } | Stmt::If { cond, .. } => f(Mention::Expr(cond)),
            Stmt::Alloc { array } => f(Mention::Array(*array, Role::Allocated)),
            Stmt::Release { array } => f(Mention::Array(*array, Role::Released)),
            Stmt::Bind { reference, source, offset } => {
                f(Mention::Expr(offset));
                f(Mention::Array(*source, Role::Shared));
                f(Mention::Array(*reference, Role::Bound));
            }
            Stmt::Swap { first, second } => {
                [first, second].into_iter().for_each(|array| f(Mention::Array(*array, Role::Swapped)));
            }
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: _ } => {
                [target_offset, source_offset, count].into_iter().for_each(|expr| f(Mention::Expr(expr)));
                f(Mention::Array(*source, Role::Read));
                f(Mention::Array(*target, Role::Filled));
            }
            Stmt::Prefetch { array, offset, count, to_write: _ } => {
                [offset, count].into_iter().for_each(|expr| f(Mention::Expr(expr)));
                f(Mention::Array(*array, Role::Prefetched));
            }
            Stmt::Check { cond, kind: _, args, span: _ } => {
                f(Mention::Expr(cond));
                args.iter().for_each(|arg| f(Mention::Expr(arg)));
            }
            Stmt::Effect { effect: _, args, answers } => {
                args.iter().for_each(|arg| f(arg.mention(Role::Read)));
                answers.iter().for_each(|answer| match answer {
                    Binding::Var(var) => f(Mention::Assigned(*var)),
                    Binding::Array(array) => f(Mention::Array(*array, Role::Filled)),
                });
            }
            Stmt::Call { callee: _, args, results, span: _ } => {
                args.iter().for_each(|arg| f(arg.mention(Role::Passed)));
                results.iter().for_each(|result| match result {
                    Binding::Var(var) => f(Mention::Assigned(*var)),
                    Binding::Array(array) => f(Mention::Array(*array, Role::Bound)),
                });
            }
        }
    }

    /// Calls `f` on the expressions in the statement itself, as
    /// [`for_each_mention`](Self::for_each_mention).
    pub fn for_each_operand<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        self.for_each_mention(&mut |mention| {
            if let Mention::Expr(expr) = mention {
                f(expr);
            }
        });
    }

    /// Calls `f` on the same expressions, to change.
    pub fn for_each_operand_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        match self {
            Stmt::Assign { var: _, value } => f(value),
            Stmt::Store { array: _, index, value } => index.iter_mut().chain([value]).for_each(f),
            Stmt::While { cond, .. } | Stmt::If { cond, .. } => f(cond),
            Stmt::For(_) | Stmt::Alloc { .. } | Stmt::Release { .. } | Stmt::Swap { .. } => {}
            Stmt::Bind { reference: _, source: _, offset } => f(offset),
            Stmt::CopyElements { target_offset, source_offset, count, .. } => {
                [target_offset, source_offset, count].into_iter().for_each(f);
            }
            Stmt::Prefetch { array: _, offset, count, to_write: _ } => [offset, count].into_iter().for_each(f),
            Stmt::Check { cond, kind: _, args, span: _ } => [cond].into_iter().chain(args).for_each(f),
            Stmt::Effect { args, .. } | Stmt::Call { args, .. } => args.iter_mut().for_each(|arg| match arg {
                Arg::Scalar(expr) => f(expr),
                Arg::Array(_) => {}
            }),
        }
    }

    /// Calls `f` on every variable that the statement itself assigns, except a loop variable.
    pub fn for_each_assigned(&self, f: &mut impl FnMut(Var)) {
        self.for_each_mention(&mut |mention| {
            if let Mention::Assigned(var) = mention {
                f(var);
            }
        });
    }

    /// Calls `f` on every array that the statement itself names outside of expressions.
    pub fn for_each_array(&self, f: &mut impl FnMut(Array, Role)) {
        self.for_each_mention(&mut |mention| {
            if let Mention::Array(array, role) = mention {
                f(array, role);
            }
        });
    }

    /// Calls `f` on every array that has other memory, or none, after the statement itself.
    pub fn for_each_placed(&self, f: &mut impl FnMut(Array)) {
        self.for_each_array(&mut |array, role| {
            if role.places() {
                f(array);
            }
        });
    }

    /// Calls `f` on all expressions that the statement itself evaluates: its operands, the header
    /// of a loop, the extents of arrays that get memory or are bound.
    pub fn for_each_expr<'a>(&'a self, proc: &'a Proc, f: &mut impl FnMut(&'a Expr)) {
        if let Stmt::For(id) = self {
            proc.loops[*id].operands().for_each(&mut *f);
        }
        self.for_each_mention(&mut |mention| match mention {
            Mention::Expr(expr) => f(expr),
            Mention::Array(array, Role::Allocated | Role::Bound) => proc.arrays[array].extents.iter().for_each(&mut *f),
            Mention::Array(..) | Mention::Assigned(_) => {}
        });
    }

    /// Calls `f` on the statement and those inside it, except bodies of counted loops. For
    /// straight-line code these are all statements.
    pub fn for_each_inner<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        f(self);
        for block in self.inner() {
            block.iter().for_each(|stmt| stmt.for_each_inner(f));
        }
    }

    /// Calls `f` on the statement and those inside it, to change, except bodies of counted loops.
    pub fn for_each_inner_mut(&mut self, f: &mut impl FnMut(&mut Stmt)) {
        f(self);
        for block in self.inner_mut() {
            block.iter_mut().for_each(|stmt| stmt.for_each_inner_mut(f));
        }
    }

    /// Calls `f` on the expressions in the statement and in those inside it, except counted loops.
    pub fn for_each_inner_expr<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        self.for_each_inner(&mut |stmt| stmt.for_each_operand(f));
    }

    /// A renamed copy of the statement, which contains no counted loop.
    pub fn renamed(&self, names: &Names) -> Stmt {
        let mut copy = self.clone();
        copy.for_each_inner_mut(&mut |stmt| stmt.rename(names));
        copy
    }

    /// Renames the variables of the statement itself.
    fn rename(&mut self, names: &Names) {
        self.for_each_operand_mut(&mut |expr| expr.rename(names));
        match self {
            Stmt::Assign { var, value: _ } => *var = var.renamed(names),
            Stmt::Effect { answers: results, .. } | Stmt::Call { results, .. } => {
                results.iter_mut().for_each(|result| match result {
                    Binding::Var(var) => *var = var.renamed(names),
                    Binding::Array(_) => {}
                })
            }
            Stmt::For(_) => panic!("what a loop mentions is in the table of loops"),
            Stmt::Store { .. }
            | Stmt::While { .. }
            | Stmt::If { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Prefetch { .. }
            | Stmt::Check { .. } => {}
        }
    }
}

impl Arg {
    fn mention(&self, role: Role) -> Mention<'_> {
        match self {
            Arg::Scalar(expr) => Mention::Expr(expr),
            Arg::Array(array) => Mention::Array(*array, role),
        }
    }
}

impl Proc {
    /// Calls `f` on all these statements and those inside them, outer ones first.
    pub fn for_each_stmt<'a>(&'a self, stmts: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
        for stmt in stmts {
            f(stmt);
            for block in stmt.blocks(self) {
                self.for_each_stmt(block, f);
            }
        }
    }

    /// True if `f` holds for one of these statements or of those inside them. Stops at the first
    /// success.
    pub fn any_stmt(&self, stmts: &[Stmt], f: &mut impl FnMut(&Stmt) -> bool) -> bool {
        stmts.iter().any(|stmt| f(stmt) || stmt.blocks(self).any(|block| self.any_stmt(block, f)))
    }

    /// Calls `f` on all expressions that these statements and those inside them evaluate.
    pub fn for_each_expr<'a>(&'a self, stmts: &'a [Stmt], f: &mut impl FnMut(&'a Expr)) {
        self.for_each_stmt(stmts, &mut |stmt| stmt.for_each_expr(self, f));
    }

    /// Calls `f` on every element that these statements and those inside them read in expressions.
    pub fn for_each_load<'a>(&'a self, stmts: &'a [Stmt], f: &mut impl FnMut(Array, &'a [Expr])) {
        self.for_each_expr(stmts, &mut |expr| expr.for_each_load(f));
    }

    /// Calls `f` on these loops and those inside them, outer ones first.
    pub fn for_each_loop<'a>(&'a self, stmts: &'a [Stmt], f: &mut impl FnMut(Loop, &'a LoopData)) {
        self.for_each_stmt(stmts, &mut |stmt| {
            if let Stmt::For(id) = stmt {
                f(*id, &self.loops[*id]);
            }
        });
    }

    /// The variables that these statements and those inside them assign, including loop variables.
    /// A loop that the procedure does not have assigns none.
    pub fn assigned_in(&self, stmts: &[Stmt]) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        self.for_each_stmt(stmts, &mut |stmt| {
            stmt.for_each_assigned(&mut |var| _ = found.insert(var));
            if let Stmt::For(id) = stmt {
                found.extend(self.loops.get(*id).and_then(|data| data.var));
            }
        });
        found
    }

    /// The arrays that have other memory, or none, after these statements, or those inside them.
    pub fn placed_in(&self, stmts: &[Stmt]) -> BTreeSet<Array> {
        let mut found = BTreeSet::new();
        self.for_each_stmt(stmts, &mut |stmt| stmt.for_each_placed(&mut |array| _ = found.insert(array)));
        found
    }

    /// How often these statements and those inside them read each variable.
    pub fn count_reads(&self, stmts: &[Stmt]) -> BTreeMap<Var, usize> {
        let mut found = BTreeMap::new();
        self.for_each_expr(stmts, &mut |expr| expr.for_each_var(&mut |var| *found.entry(var).or_default() += 1));
        found
    }

    /// Calls `f` on all these statements and those inside them, to change, outer ones first. A loop
    /// is changed in the table; meanwhile its body is not there.
    pub fn for_each_stmt_mut(&mut self, stmts: &mut [Stmt], f: &mut impl FnMut(&mut Proc, &mut Stmt)) {
        for stmt in stmts {
            f(self, stmt);
            stmt.map_blocks(self, |proc, mut block| {
                proc.for_each_stmt_mut(&mut block, f);
                block
            });
        }
    }

    /// Removes statements that are not to be kept, among these and those inside them.
    pub fn retain_stmts(&mut self, stmts: &mut Vec<Stmt>, is_kept: &mut impl FnMut(&Stmt) -> bool) {
        stmts.retain(&mut *is_kept);
        for stmt in stmts {
            stmt.map_blocks(self, |proc, mut block| {
                proc.retain_stmts(&mut block, is_kept);
                block
            });
        }
    }

    /// Renames variables in these statements and those inside them.
    pub fn rename_stmts(&mut self, stmts: &mut [Stmt], names: &Names) {
        self.for_each_stmt_mut(stmts, &mut |proc, stmt| match stmt {
            Stmt::For(id) => proc.loops[*id].rename(names),
            stmt => stmt.rename(names),
        });
    }

    /// Renamed copies of statements, with copies of their loops. The statements must not allocate
    /// or bind arrays.
    pub fn copied(&mut self, stmts: &[Stmt], names: &Names) -> Vec<Stmt> {
        let mut copies = stmts.to_vec();
        self.make_own(&mut copies, names);
        copies
    }

    fn make_own(&mut self, stmts: &mut [Stmt], names: &Names) {
        for stmt in stmts {
            match stmt {
                Stmt::For(id) => {
                    let mut data = self.loops[*id].clone();
                    self.make_own(&mut data.body, names);
                    data.rename(names);
                    *id = self.loops.push(data);
                }
                Stmt::Alloc { .. } | Stmt::Release { .. } | Stmt::Bind { .. } | Stmt::Swap { .. } => {
                    panic!("what gets memory is not copied")
                }
                stmt => {
                    stmt.rename(names);
                    stmt.inner_mut().for_each(|block| self.make_own(block, names));
                }
            }
        }
    }
}
