//! Calls that are not compiled: Python makes them while the compiled function waits.
//!
//! Such a call is an expression in Python over names of the function's module, and over `_0`, `_1` and so on for what the compiled
//! function gives. It is an effect: all of them happen in their order. See `Note [Callbacks]`.

use super::Argument;
use super::argument::Layout;
use super::elementwise::{operand_type, shape_of};
use super::error::{NumpyError, Result};
use super::function::{Body, Lowering};
use super::item::{Item, Number};
use super::memory::Buffer;
use super::print::printed;
use super::results::known_result;
use super::statement::buffers_of;
use super::types::Dtype;
use frit_ir::array::{Extent, Op, Operand, Type, Value};
use frit_ir::effect::{Callback, Cell, Effect};
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Operator};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Who makes calls that are not compiled.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Callers {
    /// Nobody: they are refused.
    Nobody,
    /// Only `print` is there.
    #[default]
    Print,
    /// Python, and what calls gave when the function ran in Python.
    Python(Vec<Observed>),
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The place of the call in the text, in bytes.
    pub place: (usize, usize),
    /// What its results were.
    pub result: Given,
    /// Of the arrays among its arguments, those that it wrote, by position.
    pub written: Vec<usize>,
    /// Results shared memory with arguments.
    pub shares: bool,
}

/// What a call gives, as far as code depends on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// `None`.
    None,
    /// A number or an array.
    Value(Argument),
    /// A tuple; with names a named one, or a list if there are none.
    Tuple(Option<Vec<String>>, Vec<Given>),
    /// Something that only other such calls take.
    Object,
    /// Calls gave different things: what they are.
    Several(String),
}

/// A call that Python makes.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonCall {
    /// The expression in Python. `_0` is the first argument; `_argument0` the first argument of the function, if it is an object; `_object0` an object
    /// that a call gave.
    pub text: String,
    /// What is called, for people.
    pub name: String,
    /// Where.
    pub span: Span,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Those that it writes, by position.
    pub written: Vec<usize>,
    /// What it gives.
    pub given: Given,
    /// The number of the first object that it gives.
    pub first_object: usize,
    /// It neither keeps its arguments nor writes any but those.
    pub is_known: bool,
    /// Results may share memory with arguments.
    pub shares: bool,
}

/// An argument on its way to a call.
struct Passed {
    value: Operand,
    argument: Argument,
    item: Item,
}

/// An expression in Python, and what its names stand for.
#[derive(Default)]
struct Template {
    text: String,
    passed: Vec<Passed>,
    /// A list is among the arguments that the program may use afterwards: what calls do to it is not seen.
    has_list: bool,
}

impl<'m> Lowering<'m> {
    /// The value of the buffer that orders calls, at the start of a function with such calls.
    pub(super) fn begin_callbacks(&mut self) {
        let first = self.b.emit_one(Op::Conjoin { certs: Vec::new() }, Type::scalar(Scalar::Cert), Vec::new());
        self.state.buffers.push(first);
        self.order = Some(self.state.buffers.len() - 1);
    }

    /// The certificate of the last call, if there are such calls.
    pub(super) fn last_callback(&self) -> Option<Value> {
        self.order.map(|order| self.state.buffers[order])
    }

    /// An error if such a call was made since then where it has no order.
    pub(super) fn no_callback_since(&self, before: Option<Value>) -> Result<()> {
        if self.last_callback() == before {
            return Ok(());
        }
        Err(self.not_compiled(self.b.span(), "a call of Python here", "make it in a statement of its own"))
    }

    /// A call that Python makes.
    pub(super) fn callback(&mut self, callee: &Item, call: &'m ast::ExprCall, span: Span) -> Result<Item> {
        let mut template = Template::default();
        let mut name = self.callee(callee, call, &mut template, span)?;
        name.retain(|c| !c.is_whitespace() && c != '(' && c != ')');
        let path = if let Item::Method(_, method) = callee { format!(".{method}") } else { name.clone() };
        template.text.push('(');
        let mut items = Vec::new();
        let mut named = Vec::new();
        if let Item::Method(of, _) = callee {
            items.push((**of).clone());
        }
        for arg in &call.args {
            if let Expr::Starred(starred) = arg {
                let item = self.expr(&starred.value)?;
                for part in self.parts(item, span)? {
                    self.argument(&part, &mut template, span)?;
                    template.text += ", ";
                    items.push(part);
                }
            } else {
                items.push(self.argument_expr(arg, &mut template)?);
                template.text += ", ";
            }
        }
        for keyword in &call.keywords {
            let Some(key) = &keyword.arg else {
                return Err(self.not_compiled(span, "`**` in a call", "name the arguments"));
            };
            let _ = write!(template.text, "{key}=");
            let item = self.argument_expr(&keyword.value, &mut template)?;
            template.text += ", ";
            named.push((key.to_string(), item));
        }
        template.text.push(')');
        let place = (span.start as usize, span.end as usize);
        let known = known_result(&path, &items, &named);
        let observed = match self.callers {
            Callers::Python(observed) => observed.iter().find(|observed| observed.place == place),
            _ => None,
        };
        let is_known = known.is_some();
        if template.has_list && !is_known {
            let what = format!("a list as an argument of `{name}`, which may change it,");
            return Err(self.not_compiled(span, &what, "pass a tuple"));
        }
        let (given, written, shares) = match (known, observed) {
            (Some(known), _) => {
                let written =
                    template.passed.iter().enumerate().filter(|(_, passed)| known.writes(passed, &items, &named));
                let written = written.map(|(at, _)| at).collect();
                (known.given, written, false)
            }
            (None, Some(Observed { result: Given::Several(what), .. })) => {
                let what = format!("`{name}`, whose results change their type ({what}),");
                return Err(self.not_compiled(span, &what, ""));
            }
            (None, Some(observed)) => {
                let arrays = template.passed.iter().enumerate().filter(|(_, passed)| passed.is_array());
                let arrays: Vec<usize> = arrays.map(|(at, _)| at).collect();
                let written = observed.written.iter().filter_map(|&at| arrays.get(at).copied()).collect();
                (observed.result.clone(), written, observed.shares)
            }
            (None, None) => return Err(Box::new(NumpyError::UnknownResult { span, name })),
        };
        let written: Vec<usize> = written;
        self.written_apart(&template.passed, &written, span)?;
        let arguments: Vec<Argument> = template.passed.iter().map(|passed| passed.argument.clone()).collect();
        if *self.callers == Callers::Print {
            let zeros: Vec<Tensor> = arguments.iter().map(Argument::zeros).collect();
            if let Err(what) = printed(&template.text, &arguments, &zeros) {
                let instead = "print numbers, strings and real arrays, or call the function in Python by `frit.jit`";
                return Err(self.not_compiled(span, &what, instead));
            }
        }
        let first_object = self.objects;
        let call =
            PythonCall { text: template.text, name, span, arguments, written, given, first_object, is_known, shares };
        self.emit_callback(call, template.passed)
    }

    /// Writes what is called; its name for people.
    fn callee(&mut self, callee: &Item, call: &ast::ExprCall, template: &mut Template, span: Span) -> Result<String> {
        let at = self.module.span(&*call.func);
        let text = self.module.text[at.start as usize..at.end as usize].to_string();
        match callee {
            Item::Dtype(_) => template.text += &text,
            Item::Method(of, method) => {
                self.argument(of, template, span)?;
                let _ = write!(template.text, ".{method}");
            }
            other => self.argument(other, template, span)?,
        }
        Ok(match callee {
            Item::Library(path) => path.strip_prefix(OUTSIDE).unwrap_or(path).to_string(),
            _ => text,
        })
    }

    /// Writes an argument. Texts that are made of values are left to Python.
    fn argument_expr(&mut self, expr: &'m Expr, template: &mut Template) -> Result<Item> {
        let span = self.module.span(expr);
        match expr {
            Expr::JoinedStr(joined) => {
                self.formatted(joined, template)?;
                return Ok(Item::Text(String::new()));
            }
            Expr::BinOp(binary) if binary.op == Operator::Mod && is_text(&binary.left) => {
                template.text.push('(');
                self.argument_expr(&binary.left, template)?;
                template.text += " % ";
                self.argument_expr(&binary.right, template)?;
                template.text.push(')');
                return Ok(Item::Text(String::new()));
            }
            Expr::Call(call) if is_text_method(&call.func) && call.keywords.is_empty() => {
                if let Expr::Attribute(attribute) = &*call.func {
                    self.argument_expr(&attribute.value, template)?;
                    let _ = write!(template.text, ".{}", attribute.attr);
                } else if let Expr::Name(name) = &*call.func {
                    template.text += name.id.as_str();
                }
                template.text.push('(');
                for arg in &call.args {
                    self.argument_expr(arg, template)?;
                    template.text += ", ";
                }
                template.text.push(')');
                return Ok(Item::Text(String::new()));
            }
            _ => {}
        }
        let item = self.expr(expr)?;
        // A list that is written in the call is nobody else's.
        let is_list = |item: &Item| matches!(item, Item::Named(names, _) if Item::is_list(names));
        template.has_list |= match &item {
            Item::Named(_, items) if matches!(expr, Expr::List(_)) => items.iter().any(is_list),
            Item::Tuple(items) => items.iter().any(is_list),
            item => is_list(item),
        };
        self.argument(&item, template, span)?;
        Ok(item)
    }

    /// `f"{x:.3f} of {y}"`, as a sum of texts.
    fn formatted(&mut self, joined: &'m ast::ExprJoinedStr, template: &mut Template) -> Result<()> {
        template.text += "''.join((";
        for value in &joined.values {
            match value {
                Expr::FormattedValue(part) => {
                    template.text += "format(";
                    let conversion = match part.conversion {
                        ast::ConversionFlag::None => "",
                        ast::ConversionFlag::Str => "str",
                        ast::ConversionFlag::Repr => "repr",
                        ast::ConversionFlag::Ascii => "ascii",
                    };
                    let _ = write!(template.text, "{conversion}(");
                    self.argument_expr(&part.value, template)?;
                    template.text += "), ";
                    match part.format_spec.as_deref() {
                        Some(Expr::JoinedStr(spec)) => self.formatted(spec, template)?,
                        _ => template.text += "''",
                    }
                    template.text += "), ";
                }
                other => {
                    self.argument_expr(other, template)?;
                    template.text += ", ";
                }
            }
        }
        template.text += "))";
        Ok(())
    }

    /// Writes an argument.
    fn argument(&mut self, item: &Item, template: &mut Template, span: Span) -> Result<()> {
        let list = |lowering: &mut Self, template: &mut Template, items: &[Item]| -> Result<()> {
            items.iter().try_for_each(|item| {
                lowering.argument(item, template, span)?;
                template.text += ", ";
                Ok(())
            })
        };
        match item {
            Item::Number(Number { x: Operand::Const(constant), weak: true, .. }) if literal(*constant).is_some() => {
                template.text += &literal(*constant).expect("it was just made");
            }
            Item::Number(number) => {
                let argument = Argument {
                    elem: number.elem,
                    is_complex: false,
                    is_one: Vec::new(),
                    is_python: number.weak,
                    object: None,
                    layout: Layout::C,
                };
                template.pass(number.x, argument, item);
            }
            Item::Array(array) => {
                let is_one = array.shape.iter().map(|&extent| extent == Extent::Const(1)).collect();
                let value = self.read(array);
                let argument = Argument {
                    elem: array.elem,
                    is_complex: false,
                    is_one,
                    is_python: false,
                    object: None,
                    layout: Layout::C,
                };
                template.pass(value.into(), argument, item);
            }
            Item::Complex(parts) => {
                let is_one = shape_of(&parts[0]).iter().map(|&extent| extent == Extent::Const(1)).collect();
                let value = self.interleaved(parts, span)?;
                let elem = operand_type(&parts[0]).elem;
                let is_python = matches!(&parts[0], Item::Number(number) if number.weak);
                let argument = Argument { elem, is_complex: true, is_one, is_python, object: None, layout: Layout::C };
                template.pass(value.into(), argument, item);
            }
            Item::Tuple(items) => {
                template.text.push('(');
                list(self, template, items)?;
                template.text.push(')');
            }
            Item::Named(names, items) if Item::is_list(names) => {
                template.text.push('[');
                list(self, template, items)?;
                template.text.push(']');
            }
            Item::Slice(bounds) => {
                template.text += "slice(";
                for bound in bounds {
                    let bound = bound.map_or(Item::None, Item::Number);
                    list(self, template, &[bound])?;
                }
                template.text.push(')');
            }
            Item::Range { start, stop, step } => {
                template.text += "range(";
                let bounds = [*start, *stop, *step].map(|x| Item::Number(Number::int(x)));
                list(self, template, &bounds)?;
                template.text.push(')');
            }
            Item::None => template.text += "None",
            Item::Ellipsis => template.text += "...",
            Item::Text(text) => template.text += &quoted(text),
            Item::Dtype(dtype) => {
                let _ = write!(template.text, "numpy.dtype('{}').type", dtype.name());
            }
            Item::Library(path) => template.text += path.strip_prefix(OUTSIDE).unwrap_or(path),
            Item::Object(name, _) => template.text += name,
            Item::Function(position, None) if matches!(self.functions[*position].body, Body::Stmts(_)) => {
                template.text += self.functions[*position].name;
            }
            Item::Perhaps(item, _) => self.argument(item, template, span)?,
            other => {
                let what = format!("{} as an argument of a function that is not compiled", other.name());
                return Err(self.not_compiled(span, &what, "pass numbers, arrays, and tuples of them"));
            }
        }
        Ok(())
    }

    /// An error if an array that is written may be seen through another argument.
    fn written_apart(&self, passed: &[Passed], written: &[usize], span: Span) -> Result<()> {
        for &at in written {
            let own: BTreeSet<Buffer> = buffers_of(&passed[at].item).into_iter().collect();
            let may_be_own = |buffer: Buffer| {
                own.contains(&buffer)
                    || own.iter().any(|&own| {
                        self.state.aliases.contains(&(own, buffer)) || self.state.aliases.contains(&(buffer, own))
                    })
            };
            let others = passed.iter().enumerate().filter(|(other, _)| *other != at);
            if others.flat_map(|(_, passed)| buffers_of(&passed.item)).any(may_be_own) {
                let what = "a call of Python that writes an array which another argument shares memory with";
                return Err(self.not_compiled(span, what, "pass a copy, as in `b.copy()`"));
            }
        }
        Ok(())
    }

    /// Emits the effect, and takes its results.
    fn emit_callback(&mut self, call: PythonCall, passed: Vec<Passed>) -> Result<Item> {
        let span = call.span;
        for &at in &call.written {
            if let Item::Array(array) = &passed[at].item {
                self.may_write(array, span)?;
            }
        }
        let mut leaves = Vec::new();
        self.objects += call.given.leaves(&mut leaves);
        if self.objects > call.first_object && self.frames.iter().any(|frame| frame.outermost_loop.is_some()) {
            let what = format!("`{}`, which gives an object, in a loop", call.name);
            return Err(self.not_compiled(span, &what, "call it before the loop"));
        }
        let args: Vec<Operand> = passed.iter().map(|passed| passed.value).collect();
        let types: Vec<Type> = args.iter().map(|&arg| self.b.func.operand_type(arg)).collect();
        let order = self.order.expect("a function with such calls has their order");
        let known = self.calls.iter().position(|known| *known == call);
        let number = known.unwrap_or(self.calls.len());
        let effect = Callback {
            number,
            name: call.name.clone(),
            args: types.iter().map(|ty| (ty.elem, ty.rank())).collect(),
            written: call.written.clone(),
            results: leaves.iter().map(|leaf| (leaf.elem, leaf.rank())).collect(),
        };
        let size = Type::scalar(Scalar::I64);
        let mut made = vec![Type::scalar(Scalar::Cert)];
        for leaf in &leaves {
            match leaf.rank() {
                0 => made.push(Type::scalar(leaf.elem)),
                rank => made.extend(std::iter::repeat_n(size.clone(), rank)),
            }
        }
        made.extend(call.written.iter().map(|&at| types[at].clone()));
        let op = Op::Effect { effect: Effect::Callback(Arc::new(effect)), args };
        let mut answers = self.b.emit(op, made, vec![self.state.buffers[order]]).into_iter();
        let mut next = move || answers.next().expect("the effect has as many answers");
        self.state.buffers[order] = next();
        let shapes: Vec<(Vec<Value>, Argument)> =
            leaves.iter().map(|leaf| ((0..leaf.rank().max(1)).map(|_| next()).collect(), leaf.clone())).collect();
        let versions: Vec<Value> = call.written.iter().map(|_| next()).collect();
        let mut items = Vec::new();
        for (at, (scalars, leaf)) in shapes.into_iter().enumerate() {
            if leaf.rank() == 0 {
                items.push(Item::Number(Number { x: scalars[0].into(), elem: leaf.elem, weak: leaf.is_python }));
                continue;
            }
            let axes = leaf.is_one.iter().zip(&scalars);
            let mut shape: Vec<Extent> =
                axes.map(|(&is_one, &size)| if is_one { Extent::Const(1) } else { Extent::Value(size) }).collect();
            scalars.iter().for_each(|&size| _ = self.least.insert(size, 0));
            if leaf.is_complex {
                shape.push(Extent::Const(2));
            }
            let cell = Cell { number: at, elem: leaf.elem, rank: shape.len() };
            let op = Op::Effect { effect: Effect::Take(cell), args: Vec::new() };
            let types = vec![Type::scalar(Scalar::Cert), Type::array(leaf.elem, shape)];
            let taken = self.b.emit(op, types, vec![self.state.buffers[order]]);
            self.state.buffers[order] = taken[0];
            let whole = self.fresh(taken[1]);
            if call.shares {
                let seen = passed.iter().flat_map(|passed| buffers_of(&passed.item));
                self.state.aliases.extend(seen.map(|seen| (whole.buffer, seen)));
            }
            items.push(if leaf.is_complex { self.complex_view(&whole, leaf.is_python) } else { Item::Array(whole) });
        }
        for (&at, version) in call.written.iter().zip(versions) {
            match &passed[at].item {
                Item::Array(array) => self.write(array, version.into()),
                item => {
                    let whole = self.fresh(version);
                    let new = self.complex_view(&whole, false);
                    self.overwrite(item, new, span)?;
                }
            }
        }
        let mut object = call.first_object;
        let item = call.given.item(&mut items.into_iter(), &mut object);
        if known.is_none() {
            self.calls.push(call);
        }
        Ok(item)
    }
}

/// Names of the function's module that the front end knows nothing of have this before them in [`Item::Library`].
pub(super) const OUTSIDE: &str = "__outside__.";

impl Template {
    fn pass(&mut self, value: Operand, argument: Argument, item: &Item) {
        let _ = write!(self.text, "_{}", self.passed.len());
        self.passed.push(Passed { value, argument, item: item.clone() });
    }
}

impl Passed {
    fn is_array(&self) -> bool {
        !self.argument.is_one.is_empty()
    }
}

impl super::results::Known {
    /// True if the call writes this argument.
    fn writes(&self, passed: &Passed, items: &[Item], named: &[(String, Item)]) -> bool {
        let is_it = |item: Option<&Item>| passed.is_array() && item == Some(&passed.item);
        self.written.is_some_and(|at| is_it(items.get(at)))
            || is_it(named.iter().find(|(name, _)| name == "out").map(|(_, item)| item))
    }
}

impl Given {
    /// Adds the numbers and arrays among the results; how many objects there are.
    pub fn leaves(&self, leaves: &mut Vec<Argument>) -> usize {
        match self {
            Given::None | Given::Several(_) => 0,
            Given::Object => 1,
            Given::Value(leaf) => {
                leaves.push(leaf.clone());
                0
            }
            Given::Tuple(_, parts) => parts.iter().map(|part| part.leaves(leaves)).sum(),
        }
    }

    fn item(&self, leaves: &mut impl Iterator<Item = Item>, object: &mut usize) -> Item {
        match self {
            Given::None | Given::Several(_) => Item::None,
            Given::Value(_) => leaves.next().expect("there is an item for each leaf"),
            Given::Object => {
                *object += 1;
                Item::Object(format!("_object{}", *object - 1), "a result of Python".into())
            }
            Given::Tuple(names, parts) => {
                let items = parts.iter().map(|part| part.item(leaves, object)).collect();
                match names {
                    None => Item::Tuple(items),
                    Some(names) if names.is_empty() => Item::list(items),
                    Some(names) => Item::Named(names.clone(), items),
                }
            }
        }
    }

    /// An array or number of NumPy of this type and number of axes.
    pub(super) fn value(dtype: Dtype, rank: usize) -> Self {
        let Dtype { elem, is_complex } = dtype;
        Given::Value(Argument {
            elem,
            is_complex,
            is_one: vec![false; rank],
            is_python: false,
            object: None,
            layout: Layout::C,
        })
    }
}

impl Argument {
    /// Zeros of this type.
    fn zeros(&self) -> Tensor {
        let shape = [vec![1; self.is_one.len()], vec![2; usize::from(self.is_complex)]].concat();
        let elements = TensorData::splat(self.elem.zero(), shape.iter().product());
        Tensor::new(shape, elements).expect("there are as many zeros as the shape has elements")
    }

    /// The number of axes of its tensor.
    pub(super) fn rank(&self) -> usize {
        self.is_one.len() + usize::from(self.is_complex)
    }
}

/// A constant as an expression of Python, if that has the same value.
fn literal(constant: Const) -> Option<String> {
    match constant {
        Const::Bool(value) => Some(if value { "True" } else { "False" }.into()),
        Const::Int(Scalar::I64, value) => Some(if value < 0 { format!("({value})") } else { value.to_string() }),
        Const::F64(bits) if f64::from_bits(bits).is_finite() => Some(format!("({:?})", f64::from_bits(bits))),
        _ => None,
    }
}

/// A text as a literal of Python.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            c if u32::from(c) < 0x10000 => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => _ = write!(quoted, "\\U{:08x}", u32::from(c)),
        }
    }
    quoted + "'"
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::JoinedStr(_))
        || matches!(expr, Expr::Constant(constant) if matches!(constant.value, ast::Constant::Str(_)))
}

/// `str`, `repr`, or a method of a text.
fn is_text_method(func: &Expr) -> bool {
    match func {
        Expr::Name(name) => matches!(name.id.as_str(), "str" | "repr"),
        Expr::Attribute(attribute) => is_text(&attribute.value),
        _ => false,
    }
}

// Note [Callbacks]
//
// The order of calls is a certificate, which each call takes and gives. The certificate is the value of a buffer, `Lowering::order`, so that
// branches join it and loops hand it on like any buffer that is written.
//
// A call is only known not to be compiled when compiling it fails, perhaps after parts of it. So its place is noted, and the function is
// compiled again: `function::compile`. If a call inside a function of the program cannot be made by Python either, the call of that function is.
//
// What a call gives is known from a table (`results`), or it was seen when the function ran in Python. Python checks it each time. Arguments
// that a call writes have new versions, as after any write. Results are memory of their own; if they may be views of arguments, both are
// taken for one buffer, so that writing one of them makes the other unknown.
