//! Expressions and statements.

use super::arrays;
use super::control::Carried;
use super::emit::Emitter;
use super::folded::{folded_once, map_of_arrays};
use super::function::Functions;
use super::value::{Parts, Typed, array_type, fields};
use crate::l0::typed::{
    BinaryOp, Builtin, Expr, ExprKind, Function, FunctionId, Pattern, PatternKind, Repeat, Statement, UnaryOp, Var,
};
use crate::l0::types::Type;
use frit_ir::FailureKind;
use frit_ir::array::{self as ir, LoopKind, Op, Operand, Value};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_ir::tensor::{Tensor, TensorData};
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The body of a function while it is lowered.
pub(super) struct Body<'f, 'p> {
    functions: &'f mut Functions<'p>,
    pub(super) function: &'p Function,
    pub(super) emitter: Emitter,
    /// The components of the variables bound so far.
    variables: Vec<Option<Parts>>,
    /// The variables that are used once, and there folded.
    folded: BTreeSet<Var>,
    /// Those of them that are bound to maps of arrays: such a map is made where it is folded.
    pub(super) deferred: BTreeMap<Var, &'p Expr>,
}

impl<'f, 'p> Body<'f, 'p> {
    pub(super) fn new(functions: &'f mut Functions<'p>, id: FunctionId, emitter: Emitter) -> Self {
        let function = functions.function(id);
        let folded = folded_once(functions, function);
        let variables = vec![None; function.variables.len()];
        Self { functions, function, emitter, variables, folded, deferred: BTreeMap::new() }
    }

    // ---- variables ----

    pub(super) fn variable_type(&self, var: Var) -> &'p Type {
        &self.function.variables[var].ty
    }

    pub(super) fn written_name(&self, var: Var) -> Option<Arc<str>> {
        self.function.variables[var].written_name()
    }

    pub(super) fn bind(&mut self, var: Var, parts: Parts) {
        let name = self.written_name(var);
        for &part in &parts {
            if let Operand::Value(value) = part {
                let known = &mut self.emitter.func().values[value].name;
                if known.is_none() {
                    *known = name.clone();
                }
            }
        }
        self.variables[var.at()] = Some(parts);
    }

    fn bind_pattern(&mut self, pattern: &'p Pattern, parts: Parts) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Var(var) => self.bind(*var, parts),
            PatternKind::Tuple(inner) => {
                let mut rest = parts.into_iter();
                for pattern in inner {
                    let own = rest.by_ref().take(pattern.ty.flat().components.len()).collect();
                    self.bind_pattern(pattern, own);
                }
            }
        }
    }

    /// The names that a pattern gives to the components of the value.
    fn component_names(&self, pattern: &Pattern, names: &mut Vec<Option<Arc<str>>>) {
        let name = match &pattern.kind {
            PatternKind::Tuple(inner) => return inner.iter().for_each(|pattern| self.component_names(pattern, names)),
            PatternKind::Wildcard => None,
            PatternKind::Var(var) => self.written_name(*var),
        };
        names.extend(pattern.ty.flat().components.iter().map(|_| name.clone()));
    }

    fn variable(&self, var: Var) -> Typed {
        let parts = self.variables[var.at()].clone().expect("a variable is bound before it is used");
        Typed::new(self.variable_type(var).clone(), parts)
    }

    fn certificates(&self, certificates: &[Var]) -> Vec<Value> {
        certificates.iter().filter_map(|&var| self.variable(var).parts[0].value()).collect()
    }

    // ---- expressions ----

    /// The components of an expression's value.
    pub(super) fn expr(&mut self, expr: &'p Expr) -> Parts {
        self.expr_under(expr, &[])
    }

    pub(super) fn typed(&mut self, expr: &'p Expr) -> Typed {
        let parts = self.expr(expr);
        Typed::new(expr.ty.clone(), parts)
    }

    /// The only component of a scalar expression.
    pub(super) fn scalar(&mut self, expr: &'p Expr) -> Operand {
        self.expr(expr)[0]
    }

    fn scalars(&mut self, exprs: &'p [Expr]) -> Vec<Operand> {
        exprs.iter().map(|expr| self.scalar(expr)).collect()
    }

    /// The components of an expression's value; the operation itself depends on the certificates.
    fn expr_under(&mut self, expr: &'p Expr, certs: &[Value]) -> Parts {
        let span = self.emitter.set_span(expr.span);
        let parts = self.expr_here(expr, certs);
        self.emitter.set_span(span);
        parts
    }

    fn expr_here(&mut self, expr: &'p Expr, certs: &[Value]) -> Parts {
        match &expr.kind {
            ExprKind::Int(n) => vec![Operand::i64(*n)],
            ExprKind::Real(x) => vec![Const::f64(*x).into()],
            ExprKind::Bool(b) => vec![Const::Bool(*b).into()],
            ExprKind::Char(c) => vec![Const::Char(*c).into()],
            ExprKind::Checked => vec![Const::Cert.into()],
            ExprKind::String(_) | ExprKind::Array(_) => self.array_literal(expr),
            ExprKind::Var(var) => self.variable(*var).parts,
            ExprKind::Empty => self.emitter.empty(&expr.ty),
            ExprKind::Tuple(components) => components.iter().flat_map(|component| self.expr(component)).collect(),
            ExprKind::Binary { op, left, right } => {
                let x = self.scalar(left);
                let y = self.scalar(right);
                vec![self.binary(*op, x, y)]
            }
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::If { condition, on_true, on_false } => {
                let condition = self.scalar(condition);
                let flat = expr.ty.flat();
                let mut branch = |expr: &'p Expr| {
                    self.emitter.open_block();
                    let parts = self.expr(expr);
                    self.emitter.close_branch(&flat, parts)
                };
                let (then, otherwise) = (branch(on_true), branch(on_false));
                self.emitter.branch(condition, &flat, then, otherwise)
            }
            ExprKind::Call { function, arguments } => {
                let arguments = arguments.iter().map(|argument| self.typed(argument)).collect();
                let callee = self.functions.interface(*function);
                self.emitter.call(&callee, arguments)
            }
            ExprKind::Index { array, index } => {
                let indices = self.scalars(index);
                let array = self.variable(*array);
                self.emitter.index(&array, &indices, certs)
            }
            ExprKind::Block { statements, result } => {
                statements.iter().for_each(|statement| self.statement(statement));
                self.expr(result)
            }
            ExprKind::Builtin { builtin, operands } => self.builtin(builtin, operands, certs),
            ExprKind::Soac(soac) => self.soac(soac, certs),
            ExprKind::Certified { certificates, expr } => {
                let mut certs = certs.to_vec();
                certs.extend(self.certificates(certificates));
                self.expr_under(expr, &certs)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &'p Expr) -> Parts {
        let op = match op {
            // The message of a trace is dropped: a compiled program has no other output than its result.
            UnaryOp::Trace => return self.expr(operand),
            UnaryOp::Not => UnOp::Not,
            UnaryOp::Negate => UnOp::Neg,
            UnaryOp::ToReal => UnOp::Convert(Scalar::F64),
            UnaryOp::Trunc => UnOp::Convert(Scalar::I64),
            UnaryOp::Abs => UnOp::Abs,
            UnaryOp::Real(op) => op,
        };
        let x = self.scalar(operand);
        vec![self.emitter.unary(op, x)]
    }

    fn binary(&mut self, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        let is_real = self.emitter.operand_type(x).elem.is_float();
        let op = match op {
            BinaryOp::Or | BinaryOp::BitOr => BinOp::OR,
            BinaryOp::And | BinaryOp::BitAnd => BinOp::AND,
            BinaryOp::BitXor => BinOp::XOR,
            BinaryOp::LessEqual => BinOp::LE,
            BinaryOp::Less => BinOp::LT,
            BinaryOp::Equal => BinOp::EQ,
            BinaryOp::ShiftLeft => BinOp::SHL,
            BinaryOp::ShiftRight => BinOp::SHR,
            BinaryOp::Add => BinOp::ADD,
            BinaryOp::Subtract => BinOp::SUB,
            BinaryOp::Multiply => BinOp::MUL,
            BinaryOp::Divide if is_real => BinOp::DIV,
            BinaryOp::Power if is_real => BinOp::POW,
            BinaryOp::Divide => return self.division(BinOp::FLOOR_DIV, x, y),
            BinaryOp::Modulo => return self.division(BinOp::FLOOR_MOD, x, y),
            BinaryOp::Power => return self.integer_power(x, y),
        };
        self.emitter.binary(op, x, y, Vec::new())
    }

    fn division(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let emitter = &mut self.emitter;
        let fits = emitter.total_binary(BinOp::NE, y, Operand::i64(0));
        let cert = emitter.check(fits, FailureKind::DivisionByZero, Vec::new());
        emitter.binary(op, x, y, cert.into_iter().collect())
    }

    fn integer_power(&mut self, x: Operand, y: Operand) -> Operand {
        let emitter = &mut self.emitter;
        let known = |operand: Operand| operand.constant().and_then(Const::as_i64);
        let is_defined = known(y).is_some_and(|y| y >= 0) || known(x).is_some_and(|x| x != 0);
        let cert = if is_defined {
            None
        } else {
            let has_inverse = emitter.total_binary(BinOp::NE, x, Operand::i64(0));
            let needs_none = emitter.total_binary(BinOp::LE, Operand::i64(0), y);
            let fits = emitter.total_binary(BinOp::OR, has_inverse, needs_none);
            emitter.check(fits, FailureKind::NegativeExponent, Vec::new())
        };
        emitter.binary(BinOp::POW, x, y, cert.into_iter().collect())
    }

    // ---- literals ----

    fn array_literal(&mut self, expr: &'p Expr) -> Parts {
        if let Some(tables) = constant_tables(expr) {
            return tables.into_iter().map(|table| self.emitter.table(table)).collect();
        }
        match &expr.kind {
            ExprKind::Array(rows) => {
                let rows: Vec<Typed> = rows.iter().map(|row| self.typed(row)).collect();
                self.emitter.array_literal(rows)
            }
            _ => unreachable!("a string is constant"),
        }
    }

    // ---- built-in functions ----

    fn builtin(&mut self, builtin: &'p Builtin, operands: &'p [Expr], certs: &[Value]) -> Parts {
        match builtin {
            Builtin::Iota => {
                let n = self.scalar(&operands[0]);
                self.emitter.iota(n, certs)
            }
            Builtin::Replicate => {
                let n = self.scalar(&operands[0]);
                let x = self.typed(&operands[1]);
                self.emitter.replicate(n, &x, certs)
            }
            Builtin::Copy => {
                let parts = self.expr(&operands[0]);
                self.emitter.copied(&parts, certs)
            }
            Builtin::Assert => {
                let cond = self.scalar(&operands[0]);
                let cert = self.emitter.check(cond, FailureKind::AssertionFailed, Vec::new());
                vec![cert.map_or(Const::Cert.into(), Operand::from)]
            }
            Builtin::Conjoin => {
                let certs: Vec<Value> = self.scalars(operands).into_iter().filter_map(Operand::value).collect();
                if certs.is_empty() {
                    return vec![Const::Cert.into()];
                }
                let ty = ir::Type::scalar(Scalar::Cert);
                vec![self.emitter.emit_one(Op::Conjoin { certs }, ty, Vec::new()).into()]
            }
            Builtin::Zip => {
                let arrays = operands.iter().map(|operand| self.typed(operand)).collect();
                let arrays = self.emitter.aligned(arrays, certs);
                Emitter::zipped(arrays).parts
            }
            Builtin::Unzip => {
                let array = self.typed(&operands[0]);
                self.emitter.unzipped(array)
            }
            Builtin::Size(dim) => {
                let array = self.typed(&operands[0]);
                let extent = self.emitter.extents_of(&array)[*dim];
                vec![self.emitter.size_of(extent, &array.parts, certs)]
            }
            Builtin::Split => {
                let n = self.scalar(&operands[0]);
                let array = self.typed(&operands[1]);
                self.emitter.split(n, &array, !arrays::shares_a_variable(&operands[1]), certs)
            }
            Builtin::Concat => {
                let first = self.typed(&operands[0]);
                let second = self.typed(&operands[1]);
                self.emitter.concat(&first, second, certs)
            }
            Builtin::Reshape => {
                let (array, dims) = operands.split_last().expect("the array comes last");
                let dims = self.scalars(dims);
                let array = self.typed(array);
                self.emitter.reshape(&dims, &array, certs)
            }
            Builtin::Rearrange(axes) => {
                let array = self.typed(&operands[0]);
                self.emitter.rearrange(axes, &array, certs)
            }
        }
    }

    // ---- statements ----

    fn statement(&mut self, statement: &'p Statement) {
        match statement {
            Statement::Let { pattern, value, .. } => {
                if let PatternKind::Var(var) = pattern.kind
                    && self.folded.contains(&var)
                    && map_of_arrays(value).is_some()
                {
                    self.deferred.insert(var, value);
                    return;
                }
                let parts = self.expr(value);
                self.bind_pattern(pattern, parts);
            }
            Statement::Update { certificates, target, source, index, value, span } => {
                let before = self.emitter.set_span(*span);
                let indices = self.scalars(index);
                let value = self.typed(value);
                let source = self.variable(*source);
                let certs = self.certificates(certificates);
                let parts = self.emitter.update(&source, &indices, value, &certs);
                self.bind(*target, parts);
                self.emitter.set_span(before);
            }
            Statement::Loop { params, init, repeat, body, results, span } => {
                let before = self.emitter.set_span(*span);
                let init = self.typed(init);
                let count = match repeat {
                    Repeat::For { bound, .. } => self.scalar(bound),
                    Repeat::While { .. } => Operand::i64(0),
                };
                let mut names = Vec::new();
                self.component_names(params, &mut names);
                let mut carried = Carried::new(&mut self.emitter, &init);
                self.emitter.open_block();
                let index = self.emitter.value(ir::Type::scalar(Scalar::I64), None);
                if let Repeat::For { counter, .. } = repeat {
                    self.bind(*counter, vec![index.into()]);
                }
                let parts = carried.enter(&mut self.emitter, &names);
                self.bind_pattern(params, parts);
                let kind = match repeat {
                    Repeat::For { .. } => LoopKind::For { index, count },
                    Repeat::While { condition, .. } => {
                        self.emitter.open_block();
                        let holds = self.scalar(condition);
                        LoopKind::While { condition: self.emitter.close_block(vec![holds]) }
                    }
                };
                let next = self.expr(body);
                carried.leave(&mut self.emitter, next);
                let block = self.emitter.close_block(carried.next());
                let parts = carried.finish(&mut self.emitter, kind, block, Vec::new());
                self.bind_pattern(results, parts);
                self.emitter.set_span(before);
            }
        }
    }
}

/// The components of a literal as tables, if it is constant and regular.
fn constant_tables(expr: &Expr) -> Option<Vec<Tensor>> {
    let flat = expr.ty.flat();
    let mut tables: Vec<TensorData> = flat.components.iter().map(|c| TensorData::empty(c.elem)).collect();
    let mut extents = vec![None; flat.dims];
    collect_constants(expr, &expr.ty, &mut tables, &mut extents)?;
    let extents: Vec<usize> = extents.into_iter().collect::<Option<_>>()?;
    let table = |(component, data): (&crate::l0::signature::Component, TensorData)| {
        Tensor::new(component.dims.iter().map(|&dim| extents[dim]).collect(), data)
    };
    flat.components.iter().zip(tables).map(table).collect()
}

/// Appends a literal's elements to the tables of its components; `None` if it is not constant, or not regular. The tables and
/// extents are those of this expression's components and dimensions alone.
fn collect_constants(expr: &Expr, ty: &Type, tables: &mut [TensorData], extents: &mut [Option<usize>]) -> Option<()> {
    let agree = |extents: &mut [Option<usize>], count: usize| (*extents[0].get_or_insert(count) == count).then_some(());
    match &expr.kind {
        ExprKind::String(chars) => {
            agree(extents, chars.len())?;
            chars.iter().for_each(|&c| tables[0].push(Const::Char(c)));
        }
        ExprKind::Array(rows) => {
            agree(extents, rows.len())?;
            let row_type = array_type(ty).row();
            for row in rows {
                if row_type.is_empty() {
                    is_constant_empty(row).then_some(())?;
                    tables[0].push(Const::Cert);
                } else {
                    collect_constants(row, &row_type, tables, &mut extents[1..])?;
                }
            }
        }
        ExprKind::Tuple(components) => {
            let (mut tables, mut extents) = (tables, extents);
            for (component, ty) in components.iter().zip(fields(ty)) {
                let flat = ty.flat();
                let (own, rest) = tables.split_at_mut(flat.components.len());
                let (own_extents, rest_extents) = extents.split_at_mut(flat.dims);
                collect_constants(component, ty, own, own_extents)?;
                (tables, extents) = (rest, rest_extents);
            }
        }
        _ => tables[0].push(scalar_literal(expr)?),
    }
    Some(())
}

fn is_constant_empty(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Tuple(components) if components.iter().all(is_constant_empty))
}

fn scalar_literal(expr: &Expr) -> Option<Const> {
    match &expr.kind {
        ExprKind::Int(n) => Some(Const::i64(*n)),
        ExprKind::Real(x) => Some(Const::f64(*x)),
        ExprKind::Bool(b) => Some(Const::Bool(*b)),
        ExprKind::Char(c) => Some(Const::Char(*c)),
        ExprKind::Checked => Some(Const::Cert),
        ExprKind::Unary { op: UnaryOp::Negate, operand } => match operand.kind {
            ExprKind::Int(n) => Some(Const::i64(n.wrapping_neg())),
            ExprKind::Real(x) => Some(Const::f64(-x)),
            _ => None,
        },
        _ => None,
    }
}
