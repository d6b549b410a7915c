//! What is asked for, and how the functions made are called.

use super::error;
use super::sizes::{INT, MAX_EXTENT};
use super::value::{Data, FEW, Scalar, Value};
use super::{Constraints, Result, Specialiser, Stop};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Basic, Elem, FunctionId, Program};
use frit_ir::array::{self, Block, Extent, Func, FuncId, Op, Operand, Param, Type};
use frit_ir::{Const, Scalar as ElemType, UnOp};
use frit_support::{Diagnostic, Index, Span, Table};
use std::sync::Arc;

/// A function to specialise, and the shapes of its arguments as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The function.
    pub function: FunctionId,
    /// One per parameter.
    pub params: Vec<ParamShape>,
}

/// The shape of an argument, as the language sees it: as many axes as this has extents, some of which are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamShape {
    /// The extents.
    pub extents: Vec<Option<i64>>,
}

/// What specialisation makes.
#[derive(Clone, Debug)]
pub struct Specialised {
    /// The functions asked for, with those they call.
    pub program: array::Program,
    /// One per request.
    pub entries: Vec<Entry>,
    /// Whose constraints are checked where.
    pub constraints: Constraints,
}

/// How a function of the array IR is called for one of the language.
///
/// Its parameters are those of [`params`](Self::params), one behind the other; then, if [`takes_words`](Self::takes_words), the
/// command line: `char[n]`, all words one behind the other, and `i64[m]`, where each of them ends. Its results are so many
/// [`sizes`](Self::sizes), those of [`results`](Self::results), and if it writes or checks anything on the way the certificate of
/// that. Extents of arguments must be below 2^30.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function of the language.
    pub function: FunctionId,
    /// That of the array IR.
    pub func: FuncId,
    /// The parameters.
    pub params: Vec<Slot>,
    /// The program asks for its command line.
    pub takes_words: bool,
    /// How many results are sizes: `i64`, before the others.
    pub sizes: usize,
    /// The results.
    pub results: Vec<Slot>,
    /// The last result is a certificate.
    pub has_token: bool,
}

/// A parameter or result of the language.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name; of a result, that of its type.
    pub name: String,
    /// The type of elements.
    pub elem: Elem,
    /// The number of axes, as the language sees it.
    pub rank: usize,
    /// How many parameters or results of the array IR it is: one, and for structs one per field, those of structs in them
    /// included. Each has the axes of the value followed by those of the field and of its element type.
    pub parts: usize,
}

/// The request for a function whose parameters' types say their ranks.
///
/// # Errors
///
/// Names the parameters whose rank must be given.
pub fn request_of(program: &Program, function: FunctionId) -> std::result::Result<Request, Diagnostic> {
    let data = &program.functions[function];
    let mut params = Vec::new();
    let mut open = Vec::new();
    for param in &data.params {
        match param.pattern.class() {
            Class::Extents(extents) => params.push(ParamShape { extents }),
            Class::AtLeast(_) => open.push((param.pattern.span, data.locals[param.local].name.clone())),
        }
    }
    if open.is_empty() { Ok(Request { function, params }) } else { Err(error::rank_needed(data, &open)) }
}

/// Specialises functions for arguments of known ranks.
///
/// # Errors
///
/// What the array IR cannot express.
pub fn specialise(program: &Program, requests: &[Request]) -> std::result::Result<Specialised, Vec<Diagnostic>> {
    let mut specialiser = Specialiser::new(program);
    let mut entries = Vec::new();
    let mut diagnostics = Vec::new();
    for request in requests {
        match specialiser.entry(request) {
            Ok(entry) => entries.push(entry),
            Err(Stop::Unsupported(unsupported)) => diagnostics.push(error::unsupported(program, &unsupported)),
            Err(Stop::Fails) => unreachable!("a function that fails is made all the same"),
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let constraints = std::mem::take(&mut specialiser.constraints);
    let program = specialiser.finish(&mut entries);
    Ok(Specialised { program, entries, constraints })
}

impl<'p> Specialiser<'p> {
    fn entry(&mut self, request: &Request) -> Result<Entry> {
        let id = request.function;
        let function = &self.program.functions[id];
        let takes_words = self.effects.words.contains(&id);
        let name = self.fresh_name(&function.name);
        let func = self.reserve(name.clone(), function.span);
        let outer = self.begin(name, function.span);
        let mut params = Vec::new();
        let mut values = Vec::new();
        for (param, shape) in function.params.iter().zip(&request.params) {
            let local = &function.locals[param.local];
            let shape = shape.extents.iter().map(|&extent| self.parameter_extent(extent)).collect();
            let before = self.builder.func.params.len();
            let value = self.parameter(param.pattern.elem, shape, &local.name, param.pattern.span);
            params.push(Slot {
                name: local.name.clone(),
                elem: param.pattern.elem,
                rank: self.rank(&value),
                parts: self.builder.func.params.len() - before,
            });
            values.push((value, param.pattern.span));
        }
        if takes_words {
            self.words = Some(self.words_parameters());
        }
        let outcome = match self.first_values(id) {
            Ok(true) => self.function_body(id, values),
            Ok(false) => Ok(None),
            Err(stop) => Err(stop),
        };
        let results = match outcome {
            Ok(results) => results,
            Err(stop) => {
                self.restore(outer);
                return Err(stop);
            }
        };
        let has_token = self.token != Const::Cert.into() || !self.certs.is_empty();
        if has_token {
            let mut certs = self.certs();
            certs.extend(self.token.value());
            self.token = self.conjoin(certs);
        }
        let convention = match &results {
            Some(results) => self.entry_convention(results, has_token),
            None => self.declared_convention(function, has_token),
        };
        let slots = convention
            .forms
            .iter()
            .zip(&function.results)
            .map(|(form, pattern)| Slot {
                name: self.program.type_name(pattern),
                elem: pattern.elem,
                rank: form.rank() - self.cell_rank(pattern.elem),
                parts: form.parts(),
            })
            .collect();
        let sizes = convention.sizes;
        self.end(func, outer, &convention, results);
        Ok(Entry { function: id, func, params, takes_words, sizes, results: slots, has_token })
    }

    fn parameter_extent(&mut self, extent: Option<i64>) -> Extent {
        match extent {
            Some(n) => Extent::Const(n.max(0)),
            None => {
                let size = self.new_size(0, MAX_EXTENT);
                self.builder.func.sizes.push(size);
                Extent::Value(size)
            }
        }
    }

    /// A parameter of the function under construction, of this shape.
    fn parameter(&mut self, elem: Elem, shape: Vec<Extent>, name: &str, span: Span) -> Value {
        self.composed(elem, shape, name, &mut |this, ty, name| {
            let outer = this.builder.set_span(span);
            let value = this.builder.value(ty, Some(Arc::from(name)));
            this.builder.set_span(outer);
            this.builder.func.params.push(Param { value, consumed: false });
            value
        })
    }

    /// A value of this shape, made of the arrays that `make` gives for types and names: one after the other those that it consists of.
    pub(super) fn composed(
        &mut self,
        elem: Elem,
        shape: Vec<Extent>,
        name: &str,
        make: &mut dyn FnMut(&mut Self, Type, &str) -> array::Value,
    ) -> Value {
        let rank = shape.len();
        let (cell, base) = self.program.cell_of(elem);
        let mut full = shape;
        full.extend(cell.iter().map(|&n| Extent::Const(n)));
        match base {
            Elem::Struct(id) => {
                let program = self.program;
                let fields = program.structs[id].fields.iter().map(|(field, elem, inner)| {
                    let mut shape = full.clone();
                    shape.extend(inner.iter().map(|&n| Extent::Const(n)));
                    self.composed(*elem, shape, &format!("{name}.{field}"), make)
                });
                let fields = fields.collect();
                Value { elem, data: Data::Struct { frame: full, fields } }
            }
            Elem::Basic(basic) => {
                let value = make(self, Type::array(basic.scalar(), full.clone()), name);
                if full.is_empty() {
                    let scalar = self.widened(basic, value.into());
                    return Value::components(elem, Vec::new(), vec![scalar]);
                }
                let array = Value::array(elem, value);
                if rank == 0 { self.in_components(array) } else { array }
            }
            Elem::Nominal(_) => unreachable!("names are followed to what they stand for"),
        }
    }

    /// A scalar that may well be a size: an `int` is exact in 64 bits.
    pub(super) fn widened(&mut self, basic: Basic, operand: Operand) -> Scalar {
        if basic != Basic::Int || operand.constant().is_some() {
            return Scalar::operand(basic, operand);
        }
        let exact = self.total_unary(UnOp::Convert(ElemType::I64), operand);
        self.bound(exact, INT.0, INT.1);
        self.wide(exact)
    }

    /// A small array of constant extents as components.
    fn in_components(&mut self, value: Value) -> Value {
        let Data::Array(array) = value.data else { return value };
        let shape: Option<Vec<usize>> = self
            .data_shape(&value)
            .into_iter()
            .map(|extent| match extent {
                Extent::Const(n) => usize::try_from(n).ok(),
                Extent::Value(_) => None,
            })
            .collect();
        let Some(shape) = shape else { return value };
        let count: usize = shape.iter().product();
        if count > FEW {
            return value;
        }
        let basic = self.basic(value.elem).expect("an array consists of a basic type");
        let mut scalars = Vec::with_capacity(count);
        for at in 0..count {
            let mut rest = at;
            let mut indices: Vec<Operand> = shape
                .iter()
                .rev()
                .map(|n| {
                    let index = rest % n;
                    rest /= n;
                    Operand::i64(index as i64)
                })
                .collect();
            indices.reverse();
            let element = self.emit_one(Op::Index { array, indices }, Type::scalar(basic.scalar()));
            scalars.push(Scalar::operand(basic, element.into()));
        }
        Value::components(value.elem, shape, scalars)
    }

    /// The program: the functions made that are reached from the entries.
    fn finish(self, entries: &mut [Entry]) -> array::Program {
        let mut funcs = self.instances.funcs;
        let mut places: Table<FuncId, Option<FuncId>> = funcs.iter().map(|_| None).collect();
        let mut open: Vec<FuncId> = entries.iter().map(|entry| entry.func).collect();
        while let Some(func) = open.pop() {
            if places[func].is_none() {
                places[func] = Some(func);
                callees(&funcs[func], &mut open);
            }
        }
        let mut kept = Table::new();
        let reached: Vec<FuncId> = funcs.indices().filter(|&func| places[func].is_some()).collect();
        for (at, &func) in reached.iter().enumerate() {
            places[func] = Some(FuncId::new(at));
        }
        for func in reached {
            let mut data = std::mem::replace(&mut funcs[func], Func::new(String::new(), Span::NONE));
            let mut body = std::mem::take(&mut data.body);
            renumber(&mut data, &mut body, &places);
            data.body = body;
            kept.push(data);
        }
        for entry in entries.iter_mut() {
            entry.func = places[entry.func].expect("an entry is reached");
        }
        array::Program { funcs: kept, entry: entries.first().map(|entry| entry.func) }
    }
}

/// The functions that a function calls.
fn callees(func: &Func, found: &mut Vec<FuncId>) {
    fn block(func: &Func, block_: &Block, found: &mut Vec<FuncId>) {
        for stmt in &block_.stmts {
            if let Op::Call { callee, .. } = stmt.op {
                found.push(callee);
            }
            stmt.op.for_each_block(func, &mut |inner| block(func, inner, found));
        }
    }
    block(func, &func.body, found);
}

fn renumber(func: &mut Func, block: &mut Block, places: &Table<FuncId, Option<FuncId>>) {
    for stmt in &mut block.stmts {
        if let Op::Call { callee, .. } = &mut stmt.op {
            *callee = places[*callee].expect("a function that is called is reached");
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| renumber(func, inner, places));
    }
}
