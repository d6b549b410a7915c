//! From copies to loops: isl finds bounds, steps and conditions, and what it finds is turned into steps of a program.
//!
//! Every copy is a statement of its own for isl, called by its number, so that its place in the tree of fused loops is known again in the result. The
//! times of copies are loops or, where there is just one, nothing; places say what runs one after another. How iterations may run is decided in
//! [`kinds`](super::kinds).

use std::collections::BTreeMap;

use frit_isl::{
    AstBuild, AstExpr, AstExprKind, AstNode, AstNodeKind, AstOp, Dim, MultiUnionPwAff, Schedule, UnionMap, UnionSet,
};

use super::Error;
use super::copies::{Copy, Nest, What};
use super::kinds::Kinds;
use super::storage::{Storage, param};
use crate::program::{BinOp, Expr, Fate, ForLoop, Instance, Iterator, IteratorData, Program, Step};

/// The values of variables of loops, and of what stands for one.
pub(super) type Values = BTreeMap<String, Expr>;

/// The loops of a nest, whose variables are added to a program.
pub(super) fn steps(
    nest: &Nest<'_>,
    copies: &[Copy],
    storage: &mut Storage<'_>,
    kinds: &Kinds,
    program: &mut Program,
    values: &Values,
) -> Result<Vec<Step>, Error> {
    let Some(depth) = copies.iter().map(|copy| copy.loops.len()).max() else { return Ok(Vec::new()) };
    let names: Vec<String> = (0..depth).map(|level| format!("c{level}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let build = AstBuild::from_context(&nest.assumed)?.set_iterators(&names)?;
    let copies_in_order: Vec<(usize, &Copy)> = copies.iter().enumerate().collect();
    let node = build.node_from_schedule(&schedule(&copies_in_order, 0)?)?;
    let mut reader = Reader { nest, copies, storage, kinds, program, iterators: BTreeMap::new() };
    reader.node(&node, values)
}

/// The order of copies whose places are the same in all loops outside of a level: at each place a loop or a statement.
fn schedule(copies: &[(usize, &Copy)], level: usize) -> Result<Schedule, Error> {
    let mut parts: BTreeMap<i64, Vec<(usize, &Copy)>> = BTreeMap::new();
    for &(number, copy) in copies {
        parts.entry(copy.places[level]).or_default().push((number, copy));
    }
    let mut all: Option<Schedule> = None;
    for part in parts.values() {
        let next = match part[..] {
            [(number, copy)] if copy.loops.len() == level => {
                let domain = copy.times.domain()?.set_tuple_name(&name(number))?;
                Schedule::from_domain(&UnionSet::from_set(&domain)?)?
            }
            _ => {
                let ordered = schedule(part, level + 1)?.insert_partial_schedule(&times(part, level)?)?;
                // Where loops are worth cutting they are cut into pieces already.
                let whole = UnionSet::parse(ordered.context(), "{ atomic[0] }")?;
                ordered.get_root()?.first_child()?.band_set_ast_build_options(&whole)?.get_schedule()?
            }
        };
        all = Some(all.map_or(Ok(next.clone()), |all| all.sequence(&next))?);
    }
    all.ok_or(Error::Form("a loop with nothing in it"))
}

/// When a loop at a level runs the instances of copies.
fn times(copies: &[(usize, &Copy)], level: usize) -> Result<MultiUnionPwAff, Error> {
    let mut times: Option<UnionMap> = None;
    for &(number, copy) in copies {
        let inner = copy.times.dim(Dim::Out)? - level - 1;
        let own = copy.times.project_out(Dim::Out, level + 1, inner)?.project_out(Dim::Out, 0, level)?;
        let own = UnionMap::from_map(&own.set_tuple_name(Dim::In, &name(number))?)?;
        times = Some(times.map_or(Ok(own.clone()), |times| times.union(&own))?);
    }
    let times = times.ok_or(Error::Form("a loop with nothing in it"))?;
    Ok(MultiUnionPwAff::from_union_map(&times)?)
}

/// What stands for a copy in the loops.
fn name(number: usize) -> String {
    format!("C{number}")
}

struct Reader<'r, 'a, 's> {
    nest: &'r Nest<'a>,
    copies: &'r [Copy],
    storage: &'r mut Storage<'s>,
    kinds: &'r Kinds,
    program: &'r mut Program,
    /// The variable of each fused loop: all its pieces use the same.
    iterators: BTreeMap<usize, Iterator>,
}

impl Reader<'_, '_, '_> {
    fn node(&mut self, node: &AstNode, values: &Values) -> Result<Vec<Step>, Error> {
        Ok(match node.kind()? {
            AstNodeKind::For { iterator, init, condition, increment, body, degenerate } => {
                let name = variable(&iterator)?;
                let init = expr(&init, values)?;
                let mut inner = values.clone();
                if degenerate {
                    inner.insert(name, init);
                    return self.node(&body, &inner);
                }
                let level = name.strip_prefix('c').and_then(|number| number.parse::<usize>().ok());
                let level = level.ok_or(Error::Form("a loop without a level"))?;
                // The loop must be known before its body can be read.
                let copy = self.copy_in(&body)?;
                let number = self.copies[copy].loops[level];
                let variable = self.iterator(number);
                inner.insert(name.clone(), Expr::Iterator(variable));
                let upper = upper(&condition, &name, values)?;
                let step = expr(&increment, values)?.as_int().filter(|step| *step > 0);
                let step = step.ok_or(Error::Form("a step that is no number"))?;
                let body = self.node(&body, &inner)?;
                let kind = self.kinds.of(number, &init, &upper);
                let step = ForLoop { iterator: variable, lower: init, upper, step, kind, body };
                vec![Step::For(step)]
            }
            AstNodeKind::If { condition, then, otherwise } => {
                let cond = expr(&condition, values)?;
                let then = self.node(&then, values)?;
                let otherwise = otherwise.map(|node| self.node(&node, values)).transpose()?.unwrap_or_default();
                match cond.as_int() {
                    Some(0) => otherwise,
                    Some(_) => then,
                    None => vec![Step::If { cond, then, otherwise }],
                }
            }
            AstNodeKind::Block(nodes) => {
                let mut steps = Vec::new();
                for node in nodes {
                    steps.extend(self.node(&node, values)?);
                }
                steps
            }
            AstNodeKind::User(call) => {
                let (copy, operands) = self.call(&call)?;
                vec![match self.copies[copy].what {
                    What::Rotate(array) => {
                        let Fate::Registers { count, .. } = self.storage.fates[array] else {
                            return Err(Error::Form("a window that moves on"));
                        };
                        Step::Rotate { array, ages: (1..count).rev().collect() }
                    }
                    What::Statement(statement) => {
                        let iterators: Vec<Expr> =
                            operands.iter().map(|operand| expr(operand, values)).collect::<Result<_, _>>()?;
                        let domain = self.copies[copy].times.domain()?;
                        let subscripts = self.storage.subscripts(statement, &domain, &iterators)?;
                        Step::Instance(Instance { statement, iterators, subscripts })
                    }
                }]
            }
        })
    }

    fn call(&self, source: &AstExpr) -> Result<(usize, Vec<AstExpr>), Error> {
        let (name, operands) = call(source)?;
        let number = name.strip_prefix('C').and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number < self.copies.len());
        Ok((number.ok_or(Error::Form("a statement without a number"))?, operands))
    }

    /// Any copy in a node.
    fn copy_in(&self, node: &AstNode) -> Result<usize, Error> {
        match node.kind()? {
            AstNodeKind::For { body: node, .. } | AstNodeKind::If { then: node, .. } => self.copy_in(&node),
            AstNodeKind::Block(nodes) => self.copy_in(nodes.first().ok_or(Error::Form("an empty block"))?),
            AstNodeKind::User(call) => Ok(self.call(&call)?.0),
        }
    }

    fn iterator(&mut self, number: usize) -> Iterator {
        if let Some(iterator) = self.iterators.get(&number) {
            return *iterator;
        }
        let iterator = self.program.iterators.push(IteratorData { sources: self.nest.sources(number) });
        self.iterators.insert(number, iterator);
        iterator
    }
}

/// A statement's name and the values of its iterators.
pub(super) fn call(source: &AstExpr) -> Result<(String, Vec<AstExpr>), Error> {
    let AstExprKind::Op(AstOp::Call, mut operands) = source.kind()? else {
        return Err(Error::Form("a statement that is no call"));
    };
    let name = variable(&operands.remove(0))?;
    Ok((name, operands))
}

fn variable(name: &AstExpr) -> Result<String, Error> {
    match name.kind()? {
        AstExprKind::Id(id) => id.get_name()?.ok_or(Error::Form("a variable without a name")),
        _ => Err(Error::Form("a variable that is none")),
    }
}

/// The end of a loop, from `variable <= upper` or `variable < upper`.
pub(super) fn upper(condition: &AstExpr, name: &str, values: &Values) -> Result<Expr, Error> {
    if let AstExprKind::Op(op @ (AstOp::Le | AstOp::Lt), operands) = condition.kind()?
        && let [left, right] = &operands[..]
        && variable(left)? == name
    {
        let bound = expr(right, values)?;
        return Ok(if op == AstOp::Le { bound.add(1) } else { bound });
    }
    Err(Error::Form("a loop with a condition of another form"))
}

/// An expression with variables replaced by their values.
pub(super) fn expr(source: &AstExpr, values: &Values) -> Result<Expr, Error> {
    let (op, operands) = match source.kind()? {
        AstExprKind::Int(value) => return Ok(Expr::Int(value.to_i64()?)),
        AstExprKind::Id(id) => {
            let name = id.get_name()?;
            let value = name.as_ref().and_then(|name| values.get(name));
            return value.map_or_else(|| param(name.as_deref()), |value| Ok(value.clone()));
        }
        AstExprKind::Op(op, operands) => (op, operands),
    };
    let mut operands: Vec<Expr> = operands.iter().map(|operand| expr(operand, values)).collect::<Result<_, _>>()?;
    if let AstOp::Max | AstOp::Min | AstOp::And | AstOp::AndThen | AstOp::Or | AstOp::OrElse = op {
        let all = operands.into_iter().reduce(|left, right| match op {
            AstOp::Max => left.max(right),
            AstOp::Min => left.min(right),
            AstOp::And | AstOp::AndThen => left.and(right),
            _ => left.or(right),
        });
        return all.ok_or(Error::Form("an operation without operands"));
    }
    if let (AstOp::Cond | AstOp::Select, 3) = (op, operands.len()) {
        let (otherwise, then) = (operands.remove(2), operands.remove(1));
        return Ok(operands.remove(0).select(then, otherwise));
    }
    let mut operands = operands.into_iter();
    let (Some(left), right) = (operands.next(), operands.next()) else {
        return Err(Error::Form("an operation without operands"));
    };
    let Some(right) = right else {
        return if op == AstOp::Minus { Ok(left.neg()) } else { Err(Error::Form("an operation with one operand")) };
    };
    let divisor = || right.as_int().filter(|divisor| *divisor > 0).ok_or(Error::Form("a divisor that is no number"));
    Ok(match op {
        AstOp::Add => left.add(right),
        AstOp::Sub => left.sub(right),
        AstOp::Mul => left.mul(right),
        AstOp::Div | AstOp::PdivQ => left.div(divisor()?, true),
        AstOp::FdivQ => left.div(divisor()?, false),
        AstOp::PdivR => left.modulo(divisor()?, true),
        AstOp::ZdivR => left.modulo(divisor()?, false),
        AstOp::Eq => left.compare(BinOp::Eq, right),
        AstOp::Le => left.compare(BinOp::Le, right),
        AstOp::Lt => left.compare(BinOp::Lt, right),
        AstOp::Ge => left.compare(BinOp::Ge, right),
        AstOp::Gt => left.compare(BinOp::Gt, right),
        _ => return Err(Error::Form("an operation of another kind")),
    })
}
