//! What expressions and functions consist of.

use super::{Expr, ExprKind, FoldFunction, Function, FunctionId, ObjectId, Operation, Prim, Program, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Calls `f` on the expressions directly inside of one that is no with-loop.
pub fn for_each_part<'a>(expr: &'a Expr, f: &mut impl FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Text(_) | ExprKind::Local(_) | ExprKind::Object(_) | ExprKind::With(_) => {}
        ExprKind::Array { cells, .. } => cells.iter().for_each(f),
        ExprKind::Select { array, index } => [array, index].into_iter().for_each(|e| f(e)),
        ExprKind::Modarray { array, index, value } => [array, index, value].into_iter().for_each(|e| f(e)),
        ExprKind::Prim { args, .. } | ExprKind::Call { args, .. } => args.iter().for_each(f),
        ExprKind::Foreign(call) => call.args.iter().for_each(f),
        ExprKind::Cond { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(|e| f(e)),
        ExprKind::Recast { array, .. } => f(array),
        ExprKind::Ascribe { value, .. } | ExprKind::Field { value, .. } => f(value),
        ExprKind::Struct { fields, .. } => fields.iter().for_each(f),
        ExprKind::WithField { value, new, .. } => [value, new].into_iter().for_each(|e| f(e)),
    }
}

/// What the text of a function does itself, what it calls aside.
#[derive(Debug, Default)]
pub struct Deeds {
    /// It has effects, those on objects aside.
    pub writes: bool,
    /// It asks for the command line.
    pub asks: bool,
    /// The functions that it may call.
    pub callees: BTreeSet<FunctionId>,
    /// The objects that it reads or replaces.
    pub objects: BTreeSet<ObjectId>,
    /// Those that it replaces.
    pub replaced: BTreeSet<ObjectId>,
}

impl Deeds {
    /// What a function does.
    pub fn of(program: &Program, function: &Function) -> Self {
        let mut deeds = Self::default();
        stmts(program, &function.body, &mut deeds);
        let exprs = function.requires.iter().chain(&function.ensures).chain(&function.returns);
        exprs.for_each(|e| expr(program, e, &mut deeds));
        deeds
    }
}

fn stmts(program: &Program, list: &[Stmt], deeds: &mut Deeds) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => expr(program, value, deeds),
            StmtKind::If { cond, then, otherwise } => {
                expr(program, cond, deeds);
                stmts(program, then, deeds);
                stmts(program, otherwise, deeds);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                expr(program, cond, deeds);
                stmts(program, body, deeds);
                stmts(program, step, deeds);
            }
            StmtKind::Replace { object, value } => {
                deeds.objects.insert(*object);
                deeds.replaced.insert(*object);
                expr(program, value, deeds);
            }
            StmtKind::Output { stream, args, .. } => {
                deeds.writes = true;
                stream.iter().chain(args).for_each(|e| expr(program, e, deeds));
            }
        }
    }
}

fn expr(program: &Program, e: &Expr, deeds: &mut Deeds) {
    match &e.kind {
        ExprKind::Prim { prim: Prim::Argc | Prim::Argv, .. } => deeds.asks = true,
        ExprKind::Prim { prim: Prim::Ask(_) | Prim::Exit, .. } => deeds.writes = true,
        ExprKind::Object(object) => {
            deeds.objects.insert(*object);
        }
        ExprKind::Foreign(call) if call.foreign.is_ordered => deeds.writes = true,
        ExprKind::Call { overload, .. } => deeds.callees.extend(&program.overloads[*overload].candidates),
        ExprKind::With(with) => {
            for generator in &with.generators {
                let bounds = [&generator.lower, &generator.upper, &generator.step, &generator.width];
                bounds.into_iter().flatten().chain(&generator.cells).for_each(|e| expr(program, e, deeds));
                stmts(program, &generator.body, deeds);
            }
            for operation in &with.operations {
                match operation {
                    Operation::Genarray { shape, default, .. } => {
                        [Some(shape), default.as_ref()].into_iter().flatten().for_each(|e| expr(program, e, deeds));
                    }
                    Operation::Modarray { source } => expr(program, source, deeds),
                    Operation::Fold { function, args, neutral, stop } => {
                        if let FoldFunction::Overload(overload) = function {
                            deeds.callees.extend(&program.overloads[*overload].candidates);
                        }
                        args.iter().chain([neutral]).chain(stop).for_each(|e| expr(program, e, deeds));
                    }
                    Operation::Propagate { .. } => {}
                }
            }
        }
        _ => {}
    }
    for_each_part(e, &mut |part| expr(program, part, deeds));
}
