//! Expressions and operators.

use super::branch::TRUE;
use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::{NumpyError, Result};
use super::function::{Body, Callable, Lowering};
use super::item::{Item, Number};
use super::loops::{Repeat, names_of, unrolled};
use super::statement::{Exit, library};
use super::ufuncs::Binary;
use frit_ir::array::{Extent, Operand};
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, BoolOp, CmpOp, Constant, Expr, Operator, Ranged, UnaryOp};
use std::collections::BTreeSet;

impl<'m> Lowering<'m> {
    /// What an expression is.
    pub(super) fn expr(&mut self, expr: &'m Expr) -> Result<Item> {
        let span = self.span(expr);
        let outer = self.b.set_span(span);
        let item = self.expr_at(expr, span);
        self.b.set_span(outer);
        item
    }

    fn expr_at(&mut self, expr: &'m Expr, span: Span) -> Result<Item> {
        match expr {
            Expr::Constant(constant) => self.constant(&constant.value, span),
            Expr::Name(name) => self.variable(name.id.as_str(), span),
            Expr::Tuple(ast::ExprTuple { elts, .. }) => {
                Ok(Item::Tuple(elts.iter().map(|element| self.expr(element)).collect::<Result<_>>()?))
            }
            Expr::List(ast::ExprList { elts, .. }) => {
                Ok(Item::list(elts.iter().map(|element| self.expr(element)).collect::<Result<_>>()?))
            }
            Expr::BinOp(binary) => {
                let (left, right) = (self.expr(&binary.left)?, self.expr(&binary.right)?);
                self.operator(binary.op, &left, &right, span)
            }
            Expr::UnaryOp(unary) => {
                let item = self.expr(&unary.operand)?;
                match unary.op {
                    UnaryOp::UAdd => self.unary_ufunc("positive", &item, span),
                    UnaryOp::USub => self.unary_ufunc("negative", &item, span),
                    UnaryOp::Invert => self.unary_ufunc("invert", &item, span),
                    UnaryOp::Not => {
                        let truth = self.truth(&item, span)?;
                        let not = self.not(truth);
                        Ok(Item::Number(Number::weak(not, Scalar::Bool)))
                    }
                }
            }
            Expr::BoolOp(op) => self.bool_op(op),
            Expr::Compare(compare) => self.compare(compare, span),
            Expr::IfExp(branch) => self.conditional(branch),
            Expr::Subscript(subscript) => {
                let of = self.expr(&subscript.value)?;
                if let Item::Library(name) = &of
                    && matches!(name.as_str(), "numpy.mgrid" | "numpy.ogrid" | "numpy.r_" | "numpy.c_")
                {
                    return self.grid_of(name, &subscript.slice, span);
                }
                let index = self.index(&subscript.slice)?;
                self.subscript(&of, &index, span)
            }
            Expr::Slice(slice) => {
                let bound = |lowering: &mut Self, bound: &'m Option<Box<Expr>>| match bound {
                    None => Ok(None),
                    Some(bound) => match lowering.expr(bound)? {
                        Item::None => Ok(None),
                        item => lowering.integer(&item, span).map(|x| Some(Number::int(x))),
                    },
                };
                let lower = bound(self, &slice.lower)?;
                let upper = bound(self, &slice.upper)?;
                Ok(Item::Slice([lower, upper, bound(self, &slice.step)?]))
            }
            Expr::Attribute(attribute) => {
                let of = self.expr(&attribute.value)?;
                self.attribute(of, attribute.attr.as_str(), span)
            }
            Expr::Call(call) => self.call_expr(call, span),
            Expr::Lambda(lambda) => {
                self.functions.push(Callable { name: "a lambda", args: &lambda.args, body: Body::Expr(&lambda.body) });
                Ok(Item::Function(self.functions.len() - 1, Some(self.state.scopes.len() - 1)))
            }
            Expr::ListComp(list) => self.comprehension(&list.elt, &list.generators, Item::list, span),
            Expr::GeneratorExp(list) => self.comprehension(&list.elt, &list.generators, Item::Tuple, span),
            Expr::NamedExpr(named) => {
                let item = self.expr(&named.value)?;
                self.assign(&named.target, item.clone())?;
                Ok(item)
            }
            Expr::Dict(dict) => {
                let mut entries = Vec::new();
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    let Some(key) = key else { return Err(self.not_compiled(span, "`**` in a dictionary", "")) };
                    let key = self.expr(key)?;
                    let Some(key) = key.key() else { return Err(self.not_compiled(span, "a key of this type", "")) };
                    entries.push((key, self.expr(value)?));
                }
                Ok(Item::dict(entries))
            }
            other => {
                let what = match other {
                    Expr::DictComp(_) => "a dictionary of unknown length",
                    Expr::Set(_) | Expr::SetComp(_) => "a set",
                    Expr::JoinedStr(_) | Expr::FormattedValue(_) => "a formatted string",
                    Expr::Starred(_) => "`*`",
                    _ => "this expression",
                };
                Err(self.not_compiled(span, what, ""))
            }
        }
    }

    /// `np.mgrid[0:1:5j]` and its like: slices stand for the numbers from one to another.
    fn grid_of(&mut self, name: &str, index: &'m Expr, span: Span) -> Result<Item> {
        let parts = if let Expr::Tuple(tuple) = index { &tuple.elts[..] } else { std::slice::from_ref(index) };
        let mut made = Vec::new();
        for part in parts {
            made.push(match part {
                Expr::Slice(slice) => {
                    let mut bounds = Vec::new();
                    for bound in [&slice.lower, &slice.upper, &slice.step] {
                        bounds.push(bound.as_ref().map_or(Ok(Item::None), |bound| self.expr(bound))?);
                    }
                    self.library_call("numpy.grid_axis", bounds, span)?
                }
                part => self.expr(part)?.without_lists(),
            });
        }
        self.library_call(name, made, span)
    }

    /// What stands in a subscript: a tuple is several indices, a list is an array of them.
    pub(super) fn index(&mut self, expr: &'m Expr) -> Result<Item> {
        let span = self.span(expr);
        match expr {
            Expr::Tuple(tuple) => Ok(Item::Tuple(tuple.elts.iter().map(|one| self.index(one)).collect::<Result<_>>()?)),
            expr => match self.expr(expr)? {
                Item::Named(names, items) if Item::is_list(&names) => self.array_like(&Item::Tuple(items), span),
                item => Ok(item),
            },
        }
    }

    fn constant(&mut self, constant: &Constant, span: Span) -> Result<Item> {
        Ok(match constant {
            Constant::None => Item::None,
            Constant::Ellipsis => Item::Ellipsis,
            Constant::Bool(value) => Item::Number(Number::weak(Operand::Const(Const::Bool(*value)), Scalar::Bool)),
            Constant::Int(value) => match i64::try_from(value) {
                Ok(value) => Item::Number(Number::int(Operand::i64(value))),
                Err(_) => return Err(self.not_compiled(span, "an integer of more than 64 bits", "")),
            },
            Constant::Float(value) => Item::Number(Number::weak(Operand::Const(Const::f64(*value)), Scalar::F64)),
            Constant::Str(text) => Item::Text(text.clone()),
            Constant::Tuple(parts) => {
                Item::Tuple(parts.iter().map(|part| self.constant(part, span)).collect::<Result<_>>()?)
            }
            Constant::Complex { real, imag } => {
                let part = |value: f64| Item::Number(Number::float(value));
                Item::complex(part(*real), part(*imag))
            }
            Constant::Bytes(_) => return Err(self.not_compiled(span, "a string of bytes", "")),
        })
    }

    /// `left op right`.
    pub(super) fn operator(&mut self, op: Operator, left: &Item, right: &Item, span: Span) -> Result<Item> {
        if let (Operator::Add | Operator::Mult, Some(_), _) | (Operator::Add | Operator::Mult, _, Some(_)) =
            (op, left.grown(), right.grown())
        {
            return Err(self.not_compiled(span, "an operator on a list that a loop makes longer", "use `np.array`"));
        }
        if let (Operator::Add, Item::Tuple(one) | Item::Named(_, one), Item::Tuple(other) | Item::Named(_, other)) =
            (op, left, right)
        {
            let items = one.iter().chain(other).cloned().collect();
            let are_lists =
                [left, right].iter().all(|item| matches!(item, Item::Named(names, _) if Item::is_list(names)));
            return Ok(if are_lists { Item::list(items) } else { Item::Tuple(items) });
        }
        if let (
            Operator::Mult,
            Item::Tuple(items) | Item::Named(_, items),
            Item::Number(Number { x: Operand::Const(count), .. }),
        ) = (op, left, right)
            && let Some(count) = count.as_i64()
        {
            let count = usize::try_from(count.clamp(0, 64)).expect("it is from 0 to 64");
            let items = std::iter::repeat_n(items, count).flatten().cloned().collect();
            return Ok(if let Item::Tuple(_) = left { Item::Tuple(items) } else { Item::list(items) });
        }
        let ufunc = match op {
            Operator::Add => Binary::Add,
            Operator::Sub => Binary::Subtract,
            Operator::Mult => Binary::Multiply,
            Operator::Div => Binary::Divide,
            Operator::FloorDiv => Binary::FloorDivide,
            Operator::Mod => Binary::Remainder,
            Operator::Pow => Binary::Power,
            Operator::BitAnd => Binary::And,
            Operator::BitOr => Binary::Or,
            Operator::BitXor => Binary::Xor,
            Operator::LShift => Binary::LeftShift,
            Operator::RShift => Binary::RightShift,
            Operator::MatMult => return self.matmul(left, right, span),
        };
        self.binary_ufunc(ufunc, left, right, span)
    }

    fn compare(&mut self, compare: &'m ast::ExprCompare, span: Span) -> Result<Item> {
        let mut left = self.expr(&compare.left)?;
        let mut all: Option<Item> = None;
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            let right = self.expr(right)?;
            let one = self.compared(*op, &left, &right, span)?;
            all = Some(match all {
                None => one,
                Some(before) => self.binary_ufunc(Binary::LogicalAnd, &before, &one, span)?,
            });
            left = right;
        }
        Ok(all.expect("a comparison has an operator"))
    }

    fn compared(&mut self, op: CmpOp, left: &Item, right: &Item, span: Span) -> Result<Item> {
        let known = |holds: bool| Ok(Item::Number(Number::truth(holds)));
        let is_value = |item: &Item| matches!(item, Item::Number(_) | Item::Array(_) | Item::Complex(_));
        match (op, left, right) {
            (CmpOp::Is | CmpOp::IsNot, Item::Object(..), Item::None)
            | (CmpOp::Is | CmpOp::IsNot, Item::None, Item::Object(..)) => {
                return known(op == CmpOp::IsNot);
            }
            _ if left.is_outside() || right.is_outside() => {
                let object = if left.is_outside() { left } else { right };
                return Err(self.not_compiled(span, &format!("a comparison of {}", object.name()), ""));
            }
            (CmpOp::In | CmpOp::NotIn, key, Item::Named(names, _)) if Item::is_dict(names) => {
                let Some(key) = key.key() else { return Err(self.not_compiled(span, "a key of this type", "")) };
                return known(names.contains(&key) == (op == CmpOp::In));
            }
            (CmpOp::In | CmpOp::NotIn, _, right)
                if matches!(right, Item::Range { .. } | Item::Array(_)) || right.grown().is_some() =>
            {
                let all = self.array_like(right, span)?;
                let equal = self.compared(CmpOp::Eq, left, &all, span)?;
                let any = self.library_call("numpy.any", vec![equal], span)?;
                return if op == CmpOp::In { Ok(any) } else { self.unary_ufunc("logical_not", &any, span) };
            }
            (CmpOp::In | CmpOp::NotIn, _, Item::Tuple(items) | Item::Named(_, items)) => {
                let mut found = Item::Number(Number::truth(false));
                for item in items {
                    let equal = self.compared(CmpOp::Eq, left, item, span)?;
                    found = self.binary_ufunc(Binary::LogicalOr, &found, &equal, span)?;
                }
                return if op == CmpOp::In { Ok(found) } else { self.unary_ufunc("logical_not", &found, span) };
            }
            (CmpOp::In | CmpOp::NotIn, ..) => return Err(self.not_compiled(span, "`in`", "compare with each value")),
            (CmpOp::Is, Item::Array(_), _) | (CmpOp::Is, _, Item::Array(_)) => return known(left == right),
            (CmpOp::IsNot, Item::Array(_), _) | (CmpOp::IsNot, _, Item::Array(_)) => return known(left != right),
            // Shapes are tuples of sizes that are only known at run time.
            (CmpOp::Eq | CmpOp::NotEq, Item::Tuple(one), Item::Tuple(other))
            | (CmpOp::Eq | CmpOp::NotEq, Item::Named(_, one), Item::Named(_, other)) => {
                let mut equal = Item::Number(Number::truth(one.len() == other.len()));
                for (one, other) in one.iter().zip(other).filter(|_| one.len() == other.len()) {
                    let same = self.compared(CmpOp::Eq, one, other, span)?;
                    equal = self.binary_ufunc(Binary::LogicalAnd, &equal, &same, span)?;
                }
                return if op == CmpOp::Eq { Ok(equal) } else { self.unary_ufunc("logical_not", &equal, span) };
            }
            (CmpOp::Is | CmpOp::IsNot | CmpOp::Eq | CmpOp::NotEq, Item::Dtype(_), other)
            | (CmpOp::Is | CmpOp::IsNot | CmpOp::Eq | CmpOp::NotEq, other, Item::Dtype(_))
                if matches!(other, Item::Dtype(_) | Item::PythonType(_) | Item::Text(_)) =>
            {
                let is_same = self.dtype(left, span)? == self.dtype(right, span)?;
                return known(is_same == matches!(op, CmpOp::Is | CmpOp::Eq));
            }
            (CmpOp::Is | CmpOp::Eq, ..) if !is_value(left) || !is_value(right) => return known(left == right),
            (CmpOp::IsNot | CmpOp::NotEq, ..) if !is_value(left) || !is_value(right) => return known(left != right),
            _ => {}
        }
        let ufunc = match op {
            CmpOp::Eq | CmpOp::Is => Binary::Equal,
            CmpOp::NotEq | CmpOp::IsNot => Binary::NotEqual,
            CmpOp::Lt => Binary::Less,
            CmpOp::LtE => Binary::LessEqual,
            CmpOp::Gt => return self.binary_ufunc(Binary::Less, right, left, span),
            CmpOp::GtE => return self.binary_ufunc(Binary::LessEqual, right, left, span),
            CmpOp::In | CmpOp::NotIn => unreachable!("handled above"),
        };
        self.binary_ufunc(ufunc, left, right, span)
    }

    /// `and`, `or`: one of the operands; the second is only computed if it is needed.
    fn bool_op(&mut self, op: &'m ast::ExprBoolOp) -> Result<Item> {
        let (first, rest) = op.values.split_first().expect("there are operands");
        let mut span = self.span(first);
        let mut item = self.expr(first)?;
        for value in rest {
            let holds = self.truth(&item, span)?;
            let is_and = op.op == BoolOp::And;
            span = self.span(value);
            if let Operand::Const(holds) = holds {
                if holds.as_bool() == Some(is_and) {
                    item = self.expr(value)?;
                    continue;
                }
                break;
            }
            let known = item.clone();
            let more = |lowering: &mut Self| lowering.expr(value).map(Exit::Return);
            let enough = |_: &mut Self| Ok(Exit::Return(known));
            let text = (value.range().start().into(), value.range().end().into());
            let exit = match op.op {
                BoolOp::And => self.branch(holds, span, text, more, enough)?,
                BoolOp::Or => self.branch(holds, span, text, enough, more)?,
            };
            item = match exit {
                Exit::Return(item) => item,
                _ => unreachable!("both ways give a value"),
            };
        }
        Ok(item)
    }

    fn conditional(&mut self, branch: &'m ast::ExprIfExp) -> Result<Item> {
        let span = self.span(&*branch.test);
        let test = self.expr(&branch.test)?;
        match self.truth(&test, span)? {
            Operand::Const(Const::Bool(true)) => self.expr(&branch.body),
            Operand::Const(_) => self.expr(&branch.orelse),
            cond => {
                let then = |lowering: &mut Self| lowering.expr(&branch.body).map(Exit::Return);
                let otherwise = |lowering: &mut Self| lowering.expr(&branch.orelse).map(Exit::Return);
                let text = (branch.test.range().start().into(), branch.test.range().end().into());
                match self.branch(cond, span, text, then, otherwise)? {
                    Exit::Return(item) => Ok(item),
                    _ => unreachable!("both ways give a value"),
                }
            }
        }
    }

    /// `[e for x in ... if ... for y in ...]`. Its variables are not seen outside.
    fn comprehension(
        &mut self,
        element: &'m Expr,
        generators: &'m [ast::Comprehension],
        of_items: fn(Vec<Item>) -> Item,
        span: Span,
    ) -> Result<Item> {
        let mut names = BTreeSet::new();
        generators.iter().for_each(|generator| names_of(&generator.target, &mut names));
        let around: Vec<(String, Option<Item>)> =
            names.into_iter().map(|name| (name.clone(), self.scope().get(&name).cloned())).collect();
        let made = match self.long_comprehension(element, generators, span)? {
            Some(list) => list,
            None => {
                let mut made = Vec::new();
                self.comprehend(element, generators, &mut made, span)?;
                of_items(made)
            }
        };
        for (name, item) in around {
            match item {
                Some(item) => _ = self.scope().insert(name, item),
                None => _ = self.scope().remove(&name),
            }
        }
        Ok(made)
    }

    /// A comprehension of a length that is not known, as the loop that it is.
    fn long_comprehension(
        &mut self,
        element: &'m Expr,
        generators: &'m [ast::Comprehension],
        span: Span,
    ) -> Result<Option<Item>> {
        let [generator] = generators else { return Ok(None) };
        let over = self.expr(&generator.iter)?;
        if unrolled(&over).is_some() {
            return Ok(None);
        }
        let count = self.count_of(&over, span)?;
        if count.constant().and_then(Const::as_i64).is_some_and(|count| count <= 64) {
            return Ok(None);
        }
        let name = format!("list at {}", u32::from(element.range().start()));
        self.scope().insert(name.clone(), Item::list(Vec::new()));
        let append = |l: &mut Self| {
            let item = l.expr(element)?;
            if let Some(Item::Named(names, items)) = l.scope().get(&name).cloned() {
                let at = vec![Item::None, item];
                let mut arguments = Arguments { name: "append".into(), span, at, named: Vec::new() };
                l.container_method(&names, &items, &mut arguments)?;
            }
            Ok(Exit::Fall)
        };
        let body = |l: &mut Self, index: Operand| {
            let item = l.item_at(&over, index, span)?;
            l.assign(&generator.target, item)?;
            let mut holds = TRUE;
            for test in &generator.ifs {
                let test = l.expr(test)?;
                let more = l.truth(&test, span)?;
                holds = l.arithmetic(BinOp::AND, holds, more);
            }
            let text = (element.range().start().into(), element.range().end().into());
            match holds {
                TRUE => append(l),
                Operand::Const(_) => Ok(Exit::Fall),
                holds => l.branch(holds, span, text, append, |_| Ok(Exit::Fall)),
            }
        };
        let mut renewed = BTreeSet::new();
        names_of(&generator.target, &mut renewed);
        let (later, mut assigned) = (BTreeSet::from([name.clone()]), renewed.clone());
        assigned.insert(name.clone());
        let (appends, mark) = (later.clone(), self.b.func.values.len());
        let repeat =
            Repeat { count: Some(count), test: &|_| Ok(TRUE), body: &body, span, later, renewed, appends, mark };
        self.run_loop(&repeat, &assigned, generator.target.range().start().into())?;
        Ok(self.scope().remove(&name))
    }

    /// Adds what the first generator and those inside it make of an element.
    fn comprehend(
        &mut self,
        element: &'m Expr,
        generators: &'m [ast::Comprehension],
        made: &mut Vec<Item>,
        span: Span,
    ) -> Result<()> {
        let [generator, inner @ ..] = generators else {
            made.push(self.expr(element)?);
            return Ok(());
        };
        let unknown = |lowering: &Self| {
            let what = "a comprehension of unknown length";
            Err(lowering.not_compiled(span, what, "write a loop that fills an array"))
        };
        let over = self.expr(&generator.iter)?;
        let items = match unrolled(&over) {
            Some(items) => items,
            None => match self.count_of(&over, span)? {
                Operand::Const(count) if count.as_i64().is_some_and(|n| n <= 64) => {
                    let n = count.as_i64().expect("it is a number");
                    (0..n).map(|at| self.item_at(&over, Operand::i64(at), span)).collect::<Result<_>>()?
                }
                _ => return unknown(self),
            },
        };
        for item in items {
            self.assign(&generator.target, item)?;
            let mut is_taken = true;
            for test in &generator.ifs {
                let holds = self.expr(test)?;
                match self.truth(&holds, span)? {
                    TRUE => {}
                    Operand::Const(_) => {
                        is_taken = false;
                        break;
                    }
                    Operand::Value(_) => return unknown(self),
                }
            }
            if is_taken {
                self.comprehend(element, inner, made, span)?;
            }
            if made.len() > 256 {
                return Err(self.not_compiled(span, "a comprehension of more than 256 items", "write loops"));
            }
        }
        Ok(())
    }

    /// Whether an item counts as true.
    pub(super) fn truth(&mut self, item: &Item, span: Span) -> Result<Operand> {
        match item {
            Item::Number(number) => Ok(self.convert(number.x, Scalar::Bool)),
            Item::None => Ok(Operand::Const(Const::Bool(false))),
            list if list.grown().is_some() => {
                let count = self.count_of(list, span)?;
                Ok(self.arithmetic(BinOp::LT, Operand::i64(0), count))
            }
            Item::Tuple(items) | Item::Named(_, items) => Ok(Operand::Const(Const::Bool(!items.is_empty()))),
            Item::Text(text) => Ok(Operand::Const(Const::Bool(!text.is_empty()))),
            Item::Complex(parts) => {
                let [re, im] = [self.truth(&parts[0], span)?, self.truth(&parts[1], span)?];
                Ok(self.arithmetic(BinOp::OR, re, im))
            }
            Item::Array(array) if array.shape.iter().all(|extent| *extent == Extent::Const(1)) => {
                let index = Item::Tuple(vec![Item::int(0); array.rank()]);
                let element = self.subscript(item, &index, span)?;
                self.truth(&element, span)
            }
            Item::Array(_) => {
                let what = "the truth value of an array with several elements is ambiguous: use `.any()` or `.all()`";
                Err(self.wrong_type(span, what))
            }
            other => Err(self.wrong_type(span, format!("{} has no truth value", other.name()))),
        }
    }

    /// The complement of a truth value.
    pub(super) fn not(&mut self, x: Operand) -> Operand {
        match x {
            Operand::Const(constant) => Operand::Const(UnOp::Not.eval(constant)),
            x => self.b.unary(UnOp::Not, x),
        }
    }

    /// An integer, as `i64`.
    pub(super) fn integer(&mut self, item: &Item, span: Span) -> Result<Operand> {
        match item {
            Item::Number(number) if number.elem.is_integer() || number.elem == Scalar::Bool => {
                Ok(self.convert(number.x, Scalar::I64))
            }
            other => Err(self.wrong_type(span, format!("an integer is needed here, not {}", other.name()))),
        }
    }

    /// A constant integer.
    pub(super) fn constant_integer(&mut self, item: &Item, span: Span) -> Result<i64> {
        match self.integer(item, span)? {
            Operand::Const(constant) => Ok(constant.as_i64().expect("it is an i64")),
            Operand::Value(_) => Err(Box::new(NumpyError::NeedsConstant { span })),
        }
    }

    /// `of.name`.
    pub(super) fn attribute(&mut self, of: Item, name: &str, span: Span) -> Result<Item> {
        let unknown = |lowering: &Self, of: &Item| {
            Err(lowering.not_compiled(span, &format!("the attribute `{name}` of {}", of.name()), ""))
        };
        match &of {
            Item::Library(path) => Ok(library(&format!("{path}.{name}"))),
            Item::Named(names, items) => match names.iter().position(|other| other == name) {
                Some(at) => Ok(items[at].clone()),
                None if Item::is_list(names)
                    || Item::is_dict(names)
                    || of.grown().is_some()
                    || Item::is_counted(names) =>
                {
                    Ok(Item::Method(Box::new(of), name.to_string()))
                }
                None => unknown(self, &of),
            },
            Item::Dtype(_) if name == "type" => Ok(of),
            Item::Dtype(dtype) if name == "kind" => Ok(Item::Text(dtype.kind().into())),
            Item::Dtype(dtype) if name == "name" => Ok(Item::Text(dtype.name().into())),
            Item::Dtype(dtype) if name == "itemsize" => Ok(Item::int(dtype.bytes())),
            Item::Slice(bounds) if matches!(name, "start" | "stop" | "step") => {
                let at = ["start", "stop", "step"].iter().position(|other| *other == name).expect("it is one of them");
                Ok(bounds[at].map_or(Item::None, Item::Number))
            }
            Item::Array(_) | Item::Number(_) | Item::Complex(_) => match name {
                "shape" => Ok(Item::Tuple(
                    self.known_shape(&of).into_iter().map(|extent| Item::Number(Number::int(extent.into()))).collect(),
                )),
                "ndim" => Ok(Item::int(shape_of(&of).len() as i64)),
                "size" => {
                    let mut size = Operand::i64(1);
                    for extent in self.known_shape(&of) {
                        size = self.mul(size, extent.into());
                    }
                    Ok(Item::Number(Number::int(size)))
                }
                "dtype" => Ok(Item::Dtype(operand_type(&of).dtype())),
                "itemsize" => Ok(Item::int(operand_type(&of).dtype().bytes())),
                "nbytes" => {
                    let size = self.attribute(of.clone(), "size", span)?;
                    let each = Item::int(operand_type(&of).dtype().bytes());
                    self.binary_ufunc(Binary::Multiply, &size, &each, span)
                }
                "mT" => self.library_call("numpy.matrix_transpose", vec![of], span),
                "real" => Ok(if let Item::Complex(parts) = of { parts[0].clone() } else { of }),
                "imag" => match of {
                    Item::Complex(parts) => Ok(parts[1].clone()),
                    of => Ok(self.complex_parts(&of, span)?[1].clone()),
                },
                "T" => match of {
                    Item::Array(array) => Ok(Item::Array(self.transposed(&array, (0..array.rank()).rev().collect()))),
                    Item::Complex(parts) => {
                        let [re, im] = *parts;
                        let (re, im) = (self.attribute(re, name, span)?, self.attribute(im, name, span)?);
                        Ok(Item::complex(re, im))
                    }
                    number => Ok(number),
                },
                "flat" => self.flattened(&of, span).map(Item::Array),
                name => Ok(Item::Method(Box::new(of.clone()), name.to_string())),
            },
            Item::Object(..) | Item::Text(_) | Item::Method(..) | Item::Tuple(_) => {
                Ok(Item::Method(Box::new(of), name.to_string()))
            }
            other => unknown(self, other),
        }
    }

    /// One of two scalars.
    pub(super) fn select(&mut self, cond: Operand, on_true: Operand, on_false: Operand) -> Operand {
        match cond {
            Operand::Const(Const::Bool(true)) => on_true,
            Operand::Const(_) => on_false,
            _ if on_true == on_false => on_true,
            cond => self.b.select(cond, on_true, on_false),
        }
    }

    /// A comparison of two scalars of one type.
    pub(super) fn holds(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        self.arithmetic(op, x, y)
    }
}
