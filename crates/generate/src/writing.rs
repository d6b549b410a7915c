//! Makes programs write what they compute: after some of their statements comes an output of the result, or of what was kept before, all
//! in one chain of certificates through branches, loops and calls.

use frit_ir::array::{Block, Func, FuncId, Op, Operand, Param, Program, ResultType, Stmt, Type, Value};
use frit_ir::effect::Cell;
use frit_ir::{Effect, Format, Scalar};
use frit_support::{Index, Random, Span};
use std::sync::Arc;

/// The program with outputs. Functions that cells call stay as they are; beside each is one that writes.
pub fn writing(program: &Program, seed: u64) -> Program {
    let mut result = program.clone();
    let silent = program.funcs.len();
    let mut random = Random::new(seed);
    for (_, func) in program.funcs.iter() {
        let mut func = func.clone();
        func.name = format!("writing {}", func.name);
        let token = func.value(Type::scalar(Scalar::Cert), Span::NONE);
        func.params.push(Param { value: token, consumed: false });
        func.results.push(ResultType { elem: Scalar::Cert, shape: Vec::new(), unique: false });
        let body = std::mem::take(&mut func.body);
        let mut writer = Writer { func: &mut func, silent, random: &mut random };
        let (mut body, last) = writer.block(body, token.into());
        body.results.push(last);
        func.body = body;
        result.funcs.push(func);
    }
    // The entry takes no certificate.
    let entry = program.entry.expect("the program has an entry").at();
    let writing = FuncId::new(silent + entry);
    let func = &mut result.funcs[writing];
    let token = func.params.pop().expect("the certificate was added").value;
    let first = func.value(Type::scalar(Scalar::Cert), Span::NONE);
    let op = Op::Effect { effect: Effect::Print(format("begin\n")), args: Vec::new() };
    let stmt = Stmt { results: vec![first], op, certs: Vec::new(), span: Span::NONE };
    func.body.stmts.insert(0, stmt);
    func.substitute(&[(token, Operand::from(first))].into_iter().collect());
    result.entry = Some(writing);
    result
}

fn format(text: &str) -> Arc<Format> {
    Arc::new(Format::parse(text).expect("the format is one"))
}

struct Writer<'a> {
    func: &'a mut Func,
    /// How many functions do not write; their writing copies follow.
    silent: usize,
    random: &'a mut Random,
}

impl Writer<'_> {
    fn cert(&mut self) -> Value {
        self.func.value(Type::scalar(Scalar::Cert), Span::NONE)
    }

    /// Adds an effect behind the last one; its answer, if it has one, is the value.
    fn effect(
        &mut self,
        stmts: &mut Vec<Stmt>,
        token: &mut Operand,
        effect: Effect,
        args: Vec<Operand>,
        answer: Option<Value>,
    ) {
        let done = self.cert();
        let results = std::iter::once(done).chain(answer).collect();
        let op = Op::Effect { effect, args };
        stmts.push(Stmt { results, op, certs: token.value().into_iter().collect(), span: Span::NONE });
        *token = done.into();
    }

    /// The block with outputs, and the certificate of the last one.
    fn block(&mut self, block: Block, mut token: Operand) -> (Block, Operand) {
        let mut stmts = Vec::new();
        for mut stmt in block.stmts {
            let shown: Vec<Value> = stmt.results.clone();
            match &mut stmt.op {
                Op::If { then, otherwise, .. } => {
                    for side in [then, otherwise] {
                        let (block, last) = self.block(std::mem::take(side), token);
                        *side = block;
                        side.results.push(last);
                    }
                    stmt.results.push(self.cert());
                    token = stmt.results[shown.len()].into();
                }
                Op::Loop(data) => {
                    let param = self.cert();
                    data.params.push(param);
                    data.init.push(token);
                    data.consumed.push(false);
                    let (mut body, last) = self.block(std::mem::take(&mut data.body), param.into());
                    body.results.push(last);
                    data.body = body;
                    stmt.results.push(self.cert());
                    token = stmt.results[shown.len()].into();
                }
                Op::Call { callee, args } => {
                    *callee = FuncId::new(self.silent + callee.at());
                    args.push(token);
                    stmt.results.push(self.cert());
                    token = stmt.results[shown.len()].into();
                }
                _ => {}
            }
            stmts.push(stmt);
            for value in shown {
                let ty = self.func.ty(value).clone();
                if !ty.is_scalar() || ty.elem == Scalar::Cert || !self.random.one_in(3) {
                    continue;
                }
                let mut shown = value;
                // Some values go to a cell, and what was kept there last of their type comes back at other places.
                let cell = Cell { number: ty.elem as usize, elem: ty.elem, rank: 0 };
                if self.random.one_in(3) {
                    self.effect(&mut stmts, &mut token, Effect::Keep(cell), vec![value.into()], None);
                } else if self.random.one_in(3) {
                    shown = self.func.value(ty, Span::NONE);
                    self.effect(&mut stmts, &mut token, Effect::Recall(cell), Vec::new(), Some(shown));
                }
                // Equal lines, so that merging two of them would show.
                let format = format(if cell.elem.is_float() { "real %g\n" } else { "whole %d\n" });
                self.effect(&mut stmts, &mut token, Effect::Print(format), vec![shown.into()], None);
            }
            if self.random.one_in(8) {
                self.effect(&mut stmts, &mut token, Effect::Print(format("here\n")), Vec::new(), None);
            }
        }
        (Block { stmts, results: block.results }, token)
    }
}
