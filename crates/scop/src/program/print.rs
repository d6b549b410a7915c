//! Programs as text, for dumps and tests. It reads like the loops that a front end would print, but knows no language and none of its
//! names: statements are calls of their numbers.

use std::fmt::{self, Display, Formatter};

use super::{BinOp, Expr, Fate, Instance, LoopKind, Program, Step};

/// How tightly an expression binds; operands of an operation bind at least as tightly as it demands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Select,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Sign,
    Atom,
}

impl BinOp {
    /// Its sign, if it stands between its operands, and how it binds.
    fn sign(self) -> Result<(&'static str, Binding), &'static str> {
        Ok(match self {
            BinOp::Add => ("+", Binding::Sum),
            BinOp::Sub => ("-", Binding::Sum),
            BinOp::Mul => ("*", Binding::Product),
            BinOp::Div => ("/", Binding::Product),
            BinOp::Mod => ("%", Binding::Product),
            BinOp::FloorDiv => return Err("floord"),
            BinOp::FloorMod => return Err("mod"),
            BinOp::Min => return Err("min"),
            BinOp::Max => return Err("max"),
            BinOp::And => ("and", Binding::And),
            BinOp::Or => ("or", Binding::Or),
            BinOp::Lt => ("<", Binding::Comparison),
            BinOp::Le => ("<=", Binding::Comparison),
            BinOp::Gt => (">", Binding::Comparison),
            BinOp::Ge => (">=", Binding::Comparison),
            BinOp::Eq => ("==", Binding::Comparison),
            BinOp::Ne => ("!=", Binding::Comparison),
        })
    }
}

impl Expr {
    fn binding(&self) -> Binding {
        match self {
            Expr::Int(value) if *value < 0 => Binding::Sign,
            Expr::Int(_) | Expr::Param(_) | Expr::Iterator(_) => Binding::Atom,
            Expr::Neg(_) => Binding::Sign,
            Expr::Binary(op, ..) => op.sign().map_or(Binding::Atom, |(_, binding)| binding),
            Expr::Select(..) => Binding::Select,
        }
    }

    fn print(&self, f: &mut Formatter<'_>, least: Binding) -> fmt::Result {
        if self.binding() < least {
            return write!(f, "({self})");
        }
        write!(f, "{self}")
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Param(param) => write!(f, "{param}"),
            Expr::Iterator(iterator) => write!(f, "{iterator}"),
            Expr::Neg(operand) => {
                f.write_str("-")?;
                operand.print(f, Binding::Product)
            }
            Expr::Binary(op, left, right) => match op.sign() {
                Ok((sign, binding)) => {
                    left.print(f, binding)?;
                    write!(f, " {sign} ")?;
                    let least = if binding == Binding::Sum { Binding::Product } else { Binding::Atom };
                    let is_logical = matches!(binding, Binding::And | Binding::Or);
                    let least = match binding {
                        Binding::Comparison => Binding::Sum,
                        _ if is_logical => Binding::Comparison,
                        _ => least,
                    };
                    right.print(f, least)
                }
                Err(name) => write!(f, "{name}({left}, {right})"),
            },
            Expr::Select(cond, then, otherwise) => {
                cond.print(f, Binding::Or)?;
                f.write_str(" ? ")?;
                then.print(f, Binding::Or)?;
                f.write_str(" : ")?;
                otherwise.print(f, Binding::Select)
            }
        }
    }
}

fn list(f: &mut Formatter<'_>, entries: impl IntoIterator<Item = impl Display>) -> fmt::Result {
    for (at, entry) in entries.into_iter().enumerate() {
        write!(f, "{}{entry}", if at == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Fate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Kept => f.write_str("kept"),
            Fate::Scalar => f.write_str("scalar"),
            Fate::Registers { dimension, count } => write!(f, "{count} registers along {dimension}"),
            Fate::Window { moduli } => {
                f.write_str("window [")?;
                list(f, moduli.iter().map(|modulus| modulus.map_or("*".to_string(), |modulus| modulus.to_string())))?;
                f.write_str("]")
            }
        }
    }
}

impl Display for Instance {
    /// `S0(t0, t1): [t0] [] -` has three accesses: an element of an array of rank 1, a scalar, and one whose text stays.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.statement)?;
        list(f, &self.iterators)?;
        f.write_str(")")?;
        for (at, subscripts) in self.subscripts.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { " " })?;
            match subscripts {
                Some(subscripts) => {
                    f.write_str("[")?;
                    list(f, subscripts)?;
                    f.write_str("]")?;
                }
                None => f.write_str("-")?,
            }
        }
        Ok(())
    }
}

impl Display for LoopKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            LoopKind::Sequential => Ok(()),
            LoopKind::Parallel { private } if private.is_empty() => f.write_str(" parallel"),
            LoopKind::Parallel { private } => {
                f.write_str(" parallel private ")?;
                list(f, private)
            }
            LoopKind::Simd => f.write_str(" simd"),
        }
    }
}

fn steps(f: &mut Formatter<'_>, body: &[Step], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for step in body {
        match step {
            Step::For(step) => {
                write!(f, "{indent}for {} in {}..{}", step.iterator, step.lower, step.upper)?;
                if step.step != 1 {
                    write!(f, " step {}", step.step)?;
                }
                writeln!(f, "{} {{", step.kind)?;
                steps(f, &step.body, depth + 1)?;
                writeln!(f, "{indent}}}")?;
            }
            Step::If { cond, then, otherwise } => {
                writeln!(f, "{indent}if {cond} {{")?;
                steps(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{indent}}} else {{")?;
                    steps(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{indent}}}")?;
            }
            Step::Instance(instance) => writeln!(f, "{indent}{instance}")?,
            Step::Rotate { array, ages } => {
                let ages: Vec<String> = ages.iter().map(u64::to_string).collect();
                writeln!(f, "{indent}rotate {array} to {}", ages.join(", "))?;
            }
        }
    }
    Ok(())
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (array, fate) in self.fates.iter().filter(|(_, fate)| **fate != Fate::Kept) {
            let oversized = if self.oversized.contains(&array) { ", oversized" } else { "" };
            writeln!(f, "{array}: {fate}{oversized}")?;
        }
        steps(f, &self.body, 0)
    }
}
