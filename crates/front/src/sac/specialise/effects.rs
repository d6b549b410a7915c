//! Which functions may have effects or ask for the command line, in whatever they call, and which may call themselves.

use super::liveness::for_each_part;
use crate::sac::core::{Expr, ExprKind, FoldFunction, FunctionId, Operation, Prim, Program, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The functions with effects, as far as the program's text tells.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// They may have effects.
    pub(super) outputs: BTreeSet<FunctionId>,
    /// They may ask for words of the command line.
    pub(super) words: BTreeSet<FunctionId>,
    /// They call themselves, or a function of the same name.
    pub(super) recursive: BTreeSet<FunctionId>,
}

/// What a function's text does itself.
#[derive(Default)]
struct Text {
    writes: bool,
    asks: bool,
    callees: BTreeSet<FunctionId>,
}

impl Effects {
    pub(super) fn of(program: &Program) -> Self {
        let mut callers: Vec<(FunctionId, FunctionId)> = Vec::new();
        let mut effects = Self::default();
        for (id, function) in program.functions.iter() {
            let mut text = Text::default();
            stmts(program, &function.body, &mut text);
            let exprs = function.requires.iter().chain(&function.ensures).chain(&function.returns);
            exprs.for_each(|e| expr(program, e, &mut text));
            if text.writes {
                effects.outputs.insert(id);
            }
            if text.asks {
                effects.words.insert(id);
            }
            if text.callees.contains(&id) {
                effects.recursive.insert(id);
            }
            callers.extend(text.callees.into_iter().map(|callee| (callee, id)));
        }
        callers.sort_unstable();
        for set in [&mut effects.outputs, &mut effects.words] {
            let mut open: Vec<FunctionId> = set.iter().copied().collect();
            while let Some(callee) = open.pop() {
                let from = callers.partition_point(|(known, _)| *known < callee);
                for &(_, caller) in callers[from..].iter().take_while(|(known, _)| *known == callee) {
                    if set.insert(caller) {
                        open.push(caller);
                    }
                }
            }
        }
        effects
    }
}

fn stmts(program: &Program, list: &[Stmt], text: &mut Text) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => expr(program, value, text),
            StmtKind::If { cond, then, otherwise } => {
                expr(program, cond, text);
                stmts(program, then, text);
                stmts(program, otherwise, text);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                expr(program, cond, text);
                stmts(program, body, text);
                stmts(program, step, text);
            }
            StmtKind::Output { stream, args, .. } => {
                text.writes = true;
                stream.iter().chain(args).for_each(|e| expr(program, e, text));
            }
        }
    }
}

fn expr(program: &Program, e: &Expr, text: &mut Text) {
    match &e.kind {
        ExprKind::Prim { prim: Prim::Argc | Prim::Argv, .. } => text.asks = true,
        ExprKind::Prim { prim: Prim::Ask(_) | Prim::Exit, .. } => text.writes = true,
        ExprKind::Foreign(call) if call.foreign.is_ordered => text.writes = true,
        ExprKind::Call { overload, .. } => text.callees.extend(&program.overloads[*overload].candidates),
        ExprKind::With(with) => {
            for generator in &with.generators {
                let bounds = [&generator.lower, &generator.upper, &generator.step, &generator.width];
                bounds.into_iter().flatten().chain(&generator.cells).for_each(|e| expr(program, e, text));
                stmts(program, &generator.body, text);
            }
            for operation in &with.operations {
                match operation {
                    Operation::Genarray { shape, default, .. } => {
                        [Some(shape), default.as_ref()].into_iter().flatten().for_each(|e| expr(program, e, text));
                    }
                    Operation::Modarray { source } => expr(program, source, text),
                    Operation::Fold { function, args, neutral, stop } => {
                        if let FoldFunction::Overload(overload) = function {
                            text.callees.extend(&program.overloads[*overload].candidates);
                        }
                        args.iter().chain([neutral]).chain(stop).for_each(|e| expr(program, e, text));
                    }
                    Operation::Propagate { .. } => {}
                }
            }
        }
        _ => {}
    }
    for_each_part(e, &mut |part| expr(program, part, text));
}
