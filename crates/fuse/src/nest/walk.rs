//! Walks over statements and expressions of the loop IR. What is found there means nothing here.

use frit_ir::nest::{Arg, Array, Binding, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::BTreeMap;

/// What becomes of the parts of a copy. Parts are met in an order that depends on the text alone: an assignment's value before its
/// variable, a store's value before its element.
pub(super) trait Rewrite {
    /// A variable that is read.
    fn var(&mut self, var: Var) -> Expr;
    /// An element that is read; `None` if it stays, with its subscripts rewritten.
    fn load(&mut self, array: Array, index: &[Expr]) -> Option<Expr>;
    /// A variable that is assigned.
    fn assigned(&mut self, var: Var) -> Var;
    /// An element that is written; `None` if it stays, with its subscripts rewritten.
    fn stored(&mut self, array: Array, index: &[Expr]) -> Option<Target>;
    /// A branch begins or ends.
    fn branch(&mut self, _begins: bool) {}
}

/// Where a store of a copy goes.
pub(super) enum Target {
    Element(Array, Vec<Expr>),
    Scalar(Var),
}

/// The least or the greatest of some numbers, each taken once; `None` of no number.
pub(super) fn extreme<'e>(op: BinOp, numbers: impl Iterator<Item = &'e Expr>) -> Option<Expr> {
    let mut distinct: Vec<&Expr> = Vec::new();
    for number in numbers {
        if !distinct.contains(&number) {
            distinct.push(number);
        }
    }
    distinct.into_iter().cloned().reduce(|one, other| Expr::binary(op, one, other))
}

/// A copy of an expression.
pub(super) fn rewritten(expr: &Expr, by: &mut impl Rewrite) -> Expr {
    match expr {
        Expr::Const(_) | Expr::Threads => expr.clone(),
        Expr::Var(of) => by.var(*of),
        Expr::Load { array, index } => by.load(*array, index).unwrap_or_else(|| Expr::Load {
            array: *array,
            index: index.iter().map(|part| rewritten(part, by)).collect(),
        }),
        Expr::Unary { op, x } => Expr::unary(*op, rewritten(x, by)),
        Expr::Binary { op, x, y } => {
            let x = rewritten(x, by);
            Expr::Binary { op: *op, x: Box::new(x), y: Box::new(rewritten(y, by)) }
        }
        Expr::Select { cond, on_true, on_false } => {
            let cond = Box::new(rewritten(cond, by));
            let on_true = Box::new(rewritten(on_true, by));
            Expr::Select { cond, on_true, on_false: Box::new(rewritten(on_false, by)) }
        }
    }
}

/// A copy of a statement that assigns, stores, or does so under conditions; `None` for others.
pub(super) fn rewritten_stmt(stmt: &Stmt, by: &mut impl Rewrite) -> Option<Stmt> {
    Some(match stmt {
        Stmt::Assign { var, value } => {
            let value = rewritten(value, by);
            Stmt::Assign { var: by.assigned(*var), value }
        }
        Stmt::Store { array, index, value } => {
            let value = rewritten(value, by);
            match by.stored(*array, index) {
                Some(Target::Element(array, index)) => Stmt::Store { array, index, value },
                Some(Target::Scalar(var)) => Stmt::Assign { var, value },
                None => {
                    let index = index.iter().map(|part| rewritten(part, by)).collect();
                    Stmt::Store { array: *array, index, value }
                }
            }
        }
        Stmt::If { cond, then, otherwise } => {
            let cond = rewritten(cond, by);
            by.branch(true);
            let then = then.iter().map(|stmt| rewritten_stmt(stmt, by)).collect::<Option<_>>()?;
            let otherwise = otherwise.iter().map(|stmt| rewritten_stmt(stmt, by)).collect::<Option<_>>()?;
            by.branch(false);
            Stmt::If { cond, then, otherwise }
        }
        _ => return None,
    })
}

/// A copy of loops and of what [`rewritten_stmt`] copies, that runs on one thread.
pub(super) fn rewritten_loops(proc: &mut Proc, stmts: &[Stmt], by: &mut impl Rewrite) -> Option<Vec<Stmt>> {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::For(l) => {
            let data = proc.loops[*l].clone();
            let [lower, upper] = [&data.lower, &data.upper].map(|bound| rewritten(bound, by));
            let body = rewritten_loops(proc, &data.body, by)?;
            let kind = match data.kind {
                LoopKind::Independent { simd, reductions, parallel: _ } => {
                    LoopKind::Independent { parallel: None, simd, reductions }
                }
                kind => kind,
            };
            Some(Stmt::For(proc.loops.push(LoopData { lower, upper, kind, body, ..data })))
        }
        stmt => rewritten_stmt(stmt, by),
    };
    stmts.iter().map(stmt).collect()
}

/// What a statement mentions.
pub(super) enum Mention<'a> {
    /// An expression that it evaluates, with all its parts.
    Expr(&'a Expr),
    /// A variable that it assigns, or binds to a result.
    Assigned(Var),
    /// An array that it names other than in an expression.
    Array(Array),
}

/// Everything that statements mention, at any depth, in the order of the text.
pub(super) fn each_mention<'a>(proc: &'a Proc, stmts: &'a [Stmt], f: &mut impl FnMut(Mention<'a>)) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { var, value } => {
                f(Mention::Expr(value));
                f(Mention::Assigned(*var));
            }
            Stmt::Store { array, index, value } => {
                index.iter().for_each(|index| f(Mention::Expr(index)));
                f(Mention::Expr(value));
                f(Mention::Array(*array));
            }
            Stmt::For(l) => {
                let data = &proc.loops[*l];
                f(Mention::Expr(&data.lower));
                f(Mention::Expr(&data.upper));
                if let LoopKind::Independent { parallel: Some(parallel), .. } = &data.kind {
                    f(Mention::Expr(&parallel.work));
                }
                data.var.into_iter().for_each(|var| f(Mention::Assigned(var)));
                each_mention(proc, &data.body, f);
            }
            Stmt::While { before, cond, body } => {
                each_mention(proc, before, f);
                f(Mention::Expr(cond));
                each_mention(proc, body, f);
            }
            Stmt::If { cond, then, otherwise } => {
                f(Mention::Expr(cond));
                each_mention(proc, then, f);
                each_mention(proc, otherwise, f);
            }
            Stmt::Alloc { array } => {
                proc.arrays[*array].extents.iter().for_each(|extent| f(Mention::Expr(extent)));
                f(Mention::Array(*array));
            }
            Stmt::Release { array } => f(Mention::Array(*array)),
            Stmt::Bind { reference, source, offset } => {
                proc.arrays[*reference].extents.iter().for_each(|extent| f(Mention::Expr(extent)));
                f(Mention::Expr(offset));
                f(Mention::Array(*reference));
                f(Mention::Array(*source));
            }
            Stmt::Swap { first, second } => [first, second].into_iter().for_each(|array| f(Mention::Array(*array))),
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: _ } => {
                [target_offset, source_offset, count].into_iter().for_each(|expr| f(Mention::Expr(expr)));
                f(Mention::Array(*target));
                f(Mention::Array(*source));
            }
            Stmt::Prefetch { array, offset, count, to_write: _ } => {
                [offset, count].into_iter().for_each(|expr| f(Mention::Expr(expr)));
                f(Mention::Array(*array));
            }
            Stmt::Check { cond, args, .. } => {
                f(Mention::Expr(cond));
                args.iter().for_each(|arg| f(Mention::Expr(arg)));
            }
            Stmt::Output { args, .. } => args.iter().for_each(|arg| argument(arg, f)),
            Stmt::Call { args, results, .. } => {
                args.iter().for_each(|arg| argument(arg, f));
                results.iter().for_each(|result| f(binding(*result)));
            }
        }
    }
}

fn argument<'a>(arg: &'a Arg, f: &mut impl FnMut(Mention<'a>)) {
    match arg {
        Arg::Scalar(expr) => f(Mention::Expr(expr)),
        Arg::Array(array) => f(Mention::Array(*array)),
    }
}

fn binding(binding: Binding) -> Mention<'static> {
    match binding {
        Binding::Var(var) => Mention::Assigned(var),
        Binding::Array(array) => Mention::Array(array),
    }
}

/// How often statements mention each variable, and each array.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) vars: BTreeMap<Var, usize>,
    pub(super) assigned: BTreeMap<Var, usize>,
    pub(super) arrays: BTreeMap<Array, usize>,
}

impl Counts {
    pub(super) fn of(proc: &Proc, stmts: &[Stmt]) -> Counts {
        let mut counts = Counts::default();
        each_mention(proc, stmts, &mut |mention| match mention {
            Mention::Expr(expr) => expr.for_each_part(&mut |part| match part {
                Expr::Var(var) => *counts.vars.entry(*var).or_default() += 1,
                Expr::Load { array, .. } => *counts.arrays.entry(*array).or_default() += 1,
                _ => {}
            }),
            Mention::Assigned(var) => {
                *counts.vars.entry(var).or_default() += 1;
                *counts.assigned.entry(var).or_default() += 1;
            }
            Mention::Array(array) => *counts.arrays.entry(array).or_default() += 1,
        });
        counts
    }

    pub(super) fn of_var(&self, var: Var) -> usize {
        self.vars.get(&var).copied().unwrap_or(0)
    }

    pub(super) fn of_array(&self, array: Array) -> usize {
        self.arrays.get(&array).copied().unwrap_or(0)
    }
}
