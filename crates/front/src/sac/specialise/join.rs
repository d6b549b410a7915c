//! How values are handed over where paths join: which of their scalars and extents are known beforehand, and which are results of
//! their own.

use super::sizes::{INT, MAX_EXTENT};
use super::value::{Binding, Data, FEW, Known, Scalar, Value};
use super::{Result, Specialiser};
use crate::sac::core::{Basic, Elem};
use frit_ir::array::{self, Block, Extent, Op, Operand, Stmt, Type};
use frit_ir::{Const, Scalar as ElemType};
use frit_support::{Index, Span};

/// What is known beforehand of a value that is handed over.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) elem: Elem,
    pub(super) data: FormData,
}

/// See [`Form`].
#[derive(Clone, Debug)]
pub(super) enum FormData {
    /// Components one by one.
    Components { shape: Vec<usize>, kinds: Vec<Kind> },
    /// One array.
    Array { basic: Basic, dims: Vec<Dim> },
    /// This array, whichever way is taken.
    Same(array::Value),
    /// The fields of a struct or array of structs with so many axes.
    Struct { frame: usize, fields: Vec<Form> },
}

/// A scalar.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// This one; nothing is handed over.
    Fixed(Scalar),
    /// Of this type.
    Narrow(Basic),
    /// An `int` handed over as an `i64` within these bounds.
    Wide(i64, i64),
}

/// An extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dim {
    /// This one.
    Fixed(Extent),
    /// Handed over before the arrays, in this place.
    Varying(usize),
}

/// The extents that are handed over, as they are on both sides: arrays that agree on both sides agree afterwards. A side without the
/// array has `None`.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes(pub(super) Vec<(Option<Extent>, Option<Extent>)>);

impl Classes {
    pub(super) fn class(&mut self, first: Option<Extent>, second: Option<Extent>) -> usize {
        let pair = (first, second);
        self.0.iter().position(|known| *known == pair).unwrap_or_else(|| {
            self.0.push(pair);
            self.0.len() - 1
        })
    }
}

/// One of two ways: its block, and what variables are bound to at its end; `None` if it certainly fails.
pub(super) struct Way {
    pub(super) block: Block,
    pub(super) bindings: Option<Vec<Binding>>,
    pub(super) token: Operand,
}

/// How a binding is handed over.
enum Joined {
    Unset,
    RankUnknown(Span),
    /// The value, and whether there is one: on the first way, on the second.
    Value(Form, Operand, Operand),
}

const TRUE: Operand = Operand::Const(Const::Bool(true));
const FALSE: Operand = Operand::Const(Const::Bool(false));

impl<'p> Specialiser<'p> {
    /// Number of values so far: older ones that can be named are in scope outside of what follows.
    pub(super) fn mark(&self) -> usize {
        self.builder.func.values.len()
    }

    /// A branch: what variables are bound to after it. Values older than `mark` were made before it.
    pub(super) fn join(
        &mut self,
        cond: Operand,
        first: Way,
        second: Way,
        token: Operand,
        mark: usize,
        span: Span,
    ) -> Result<Vec<Binding>> {
        let mut classes = Classes::default();
        let mut joined = Vec::new();
        let count = first.bindings.as_ref().or(second.bindings.as_ref()).map_or(0, Vec::len);
        for at in 0..count {
            let side = |way: &Way| way.bindings.as_ref().map(|bindings| bindings[at].clone());
            joined.push(self.join_binding(side(&first), side(&second), &mut classes, mark, span));
        }
        let fails = first.bindings.is_none() && second.bindings.is_none();
        let may_fail = first.bindings.is_none() || second.bindings.is_none();
        let has_output = first.token != token || second.token != token;
        let mut blocks = Vec::new();
        for (is_first, way) in [(true, first), (false, second)] {
            let failure = if way.bindings.is_none() { self.last_certificate(&way.block) } else { None };
            let (mut block, results) = self.reopen(way.block, |this| {
                let mut results = Vec::new();
                for &(a, b) in &classes.0 {
                    let extent = if is_first { a } else { b };
                    results.push(extent.unwrap_or(Extent::Const(0)).into());
                }
                for (at, joined) in joined.iter().enumerate() {
                    let Joined::Value(form, has_first, has_second) = joined else { continue };
                    let value = way.bindings.as_ref().and_then(|bindings| match &bindings[at] {
                        Binding::Set(value) | Binding::Maybe(value, _) => Some(value),
                        Binding::Unset | Binding::RankUnknown(_) => None,
                    });
                    this.hand_over(form, value, &mut results);
                    if is_flag_needed(*has_first, *has_second) {
                        results.push(if is_first { *has_first } else { *has_second });
                    }
                }
                if has_output {
                    results.push(way.token);
                }
                if may_fail {
                    results.push(failure.map_or(Const::Cert.into(), Operand::Value));
                }
                Ok(results)
            })?;
            block.results = results.expect("what is handed over cannot fail");
            blocks.push(block);
        }
        let mut results = Vec::new();
        results.extend(classes.0.iter().map(|_| self.new_size(0, MAX_EXTENT)));
        let sizes: Vec<Extent> = results.iter().map(|&size| Extent::Value(size)).collect();
        let mut bindings = Vec::new();
        for joined in joined {
            bindings.push(match joined {
                Joined::Unset => Binding::Unset,
                Joined::RankUnknown(span) => Binding::RankUnknown(span),
                Joined::Value(form, has_first, has_second) => {
                    let value = self.take_over(&form, &sizes, &mut results);
                    let is_set = if is_flag_needed(has_first, has_second) {
                        let flag = self.builder.value(Type::scalar(ElemType::Bool), None);
                        results.push(flag);
                        flag.into()
                    } else if has_first == has_second {
                        has_first
                    } else if has_first == TRUE {
                        cond
                    } else {
                        self.total_unary(frit_ir::UnOp::Not, cond)
                    };
                    if is_set == TRUE { Binding::Set(value) } else { Binding::Maybe(value, is_set) }
                }
            });
        }
        if has_output {
            let cert = self.builder.value(Type::scalar(ElemType::Cert), None);
            results.push(cert);
            self.token = cert.into();
        }
        if may_fail {
            // All that follows is reached only if the way that fails was not taken.
            let cert = self.builder.value(Type::scalar(ElemType::Cert), None);
            results.push(cert);
            self.hold(&[cert]);
        }
        let otherwise = blocks.pop().expect("there are two blocks");
        let then = blocks.pop().expect("there are two blocks");
        if !results.is_empty() || !then.stmts.is_empty() || !otherwise.stmts.is_empty() {
            let span = self.builder.span();
            self.count_statement();
            self.builder.push(Stmt { results, op: Op::If { cond, then, otherwise }, certs: Vec::new(), span });
        }
        if fails { Err(super::Stop::Fails) } else { Ok(bindings) }
    }

    /// The certificate that the last statement of a block makes.
    fn last_certificate(&self, block: &Block) -> Option<array::Value> {
        let last = *block.stmts.last()?.results.last()?;
        (self.builder.func.ty(last).elem == ElemType::Cert).then_some(last)
    }

    fn join_binding(
        &mut self,
        first: Option<Binding>,
        second: Option<Binding>,
        classes: &mut Classes,
        mark: usize,
        span: Span,
    ) -> Joined {
        let flag = |binding: &Binding| match binding {
            Binding::Set(_) => TRUE,
            Binding::Maybe(_, is_set) => *is_set,
            Binding::Unset | Binding::RankUnknown(_) => FALSE,
        };
        match (first, second) {
            (Some(Binding::RankUnknown(span)), _) | (_, Some(Binding::RankUnknown(span))) => Joined::RankUnknown(span),
            (None | Some(Binding::Unset), None | Some(Binding::Unset)) => Joined::Unset,
            (Some(a @ (Binding::Set(_) | Binding::Maybe(..))), Some(b @ (Binding::Set(_) | Binding::Maybe(..)))) => {
                let flags = (flag(&a), flag(&b));
                let (Binding::Set(a) | Binding::Maybe(a, _), Binding::Set(b) | Binding::Maybe(b, _)) = (a, b) else {
                    unreachable!("both are values");
                };
                match self.common_form(&a, &b, classes, mark) {
                    Some(form) => Joined::Value(form, flags.0, flags.1),
                    None => Joined::RankUnknown(span),
                }
            }
            // One way has no value: it fails, or the variable is not assigned on it.
            (Some(a @ (Binding::Set(_) | Binding::Maybe(..))), other) => {
                let has = flag(&a);
                let (Binding::Set(value) | Binding::Maybe(value, _)) = a else { unreachable!("it is a value") };
                let is_reached = other.is_some();
                let form = self.form_alone(&value, true, is_reached, classes, mark);
                Joined::Value(form, has, if !is_reached && has == TRUE { TRUE } else { FALSE })
            }
            (other, Some(b @ (Binding::Set(_) | Binding::Maybe(..)))) => {
                let has = flag(&b);
                let (Binding::Set(value) | Binding::Maybe(value, _)) = b else { unreachable!("it is a value") };
                let is_reached = other.is_some();
                let form = self.form_alone(&value, false, is_reached, classes, mark);
                Joined::Value(form, if !is_reached && has == TRUE { TRUE } else { FALSE }, has)
            }
        }
    }

    /// The form of a value that is there on one way only. If the other way is reached, making something in its place must be cheap.
    fn form_alone(
        &mut self,
        value: &Value,
        is_first: bool,
        is_reached: bool,
        classes: &mut Classes,
        mark: usize,
    ) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } => {
                let kinds = scalars.iter().map(|&s| self.kind_alone(s, mark)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            Data::Array(array) if array.at() < mark => FormData::Same(*array),
            Data::Array(_) => {
                let shape = self.data_shape(value);
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let count = shape.iter().try_fold(1i64, |count, extent| match extent {
                    Extent::Const(n) => count.checked_mul(*n),
                    Extent::Value(_) => None,
                });
                let is_small = count.is_some_and(|count| count <= 4 * FEW as i64);
                let dims = shape
                    .into_iter()
                    .map(|extent| {
                        if (!is_reached || is_small)
                            && let Some(known) = self.derive(extent.into(), mark)
                        {
                            return Dim::Fixed(known.extent());
                        }
                        let (a, b) = if is_first { (Some(extent), None) } else { (None, Some(extent)) };
                        Dim::Varying(classes.class(a, b))
                    })
                    .collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields =
                    fields.iter().map(|field| self.form_alone(field, is_first, is_reached, classes, mark)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    fn kind_alone(&mut self, scalar: Scalar, mark: usize) -> Kind {
        match scalar.known {
            Known::Const(_) => Kind::Fixed(scalar),
            Known::Operand(Operand::Value(v)) if v.at() < mark => Kind::Fixed(scalar),
            Known::Operand(_) => Kind::Narrow(scalar.basic),
            Known::Wide { exact, low, high } => match self.derive(exact, mark) {
                Some(exact) => {
                    self.bound(exact, low, high);
                    Kind::Fixed(self.wide(exact))
                }
                None => Kind::Wide(low, high),
            },
        }
    }

    /// The form that holds both values; `None` if their ranks differ.
    fn common_form(&mut self, a: &Value, b: &Value, classes: &mut Classes, mark: usize) -> Option<Form> {
        let elem = a.elem;
        let data = match (&a.data, &b.data) {
            (Data::Components { shape, scalars: first }, Data::Components { shape: other, scalars: second })
                if shape == other =>
            {
                let kinds = first.iter().zip(second).map(|(&x, &y)| self.common_kind(x, y, mark)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            (Data::Array(x), Data::Array(y)) if x == y => FormData::Same(*x),
            (Data::Struct { frame, fields: first }, Data::Struct { frame: other, fields: second }) => {
                if frame.len() != other.len() {
                    return None;
                }
                let mut fields = Vec::new();
                for (x, y) in first.iter().zip(second) {
                    fields.push(self.common_form(x, y, classes, mark)?);
                }
                FormData::Struct { frame: frame.len(), fields }
            }
            _ => {
                let (first, second) = (self.data_shape(a), self.data_shape(b));
                if first.len() != second.len() || first.is_empty() {
                    return None;
                }
                let basic = self.basic(elem).expect("an array consists of a basic type");
                let dims = first
                    .into_iter()
                    .zip(second)
                    .map(|(x, y)| {
                        if self.same_extent(x, y)
                            && let Some(known) = self.derive(x.into(), mark).or_else(|| self.derive(y.into(), mark))
                        {
                            return Dim::Fixed(known.extent());
                        }
                        Dim::Varying(classes.class(Some(x), Some(y)))
                    })
                    .collect();
                FormData::Array { basic, dims }
            }
        };
        Some(Form { elem, data })
    }

    fn common_kind(&mut self, x: Scalar, y: Scalar, mark: usize) -> Kind {
        let exact = |scalar: Scalar| match scalar.known {
            Known::Wide { exact, low, high } => Some((Some(exact), low, high)),
            Known::Const(Const::Int(ElemType::I32, n)) => Some((Some(Operand::i64(n)), n, n)),
            Known::Operand(_) if scalar.basic == Basic::Int => Some((None, INT.0, INT.1)),
            Known::Const(_) | Known::Operand(_) => None,
        };
        match (x.known, y.known) {
            (Known::Const(a), Known::Const(b)) if a == b => return Kind::Fixed(x),
            (Known::Operand(a), Known::Operand(b)) if a == b && a.value().is_some_and(|v| v.at() < mark) => {
                return Kind::Fixed(x);
            }
            (Known::Operand(_), Known::Operand(_) | Known::Const(_)) | (Known::Const(_), Known::Operand(_)) => {
                return Kind::Narrow(x.basic);
            }
            _ => {}
        }
        let (Some((a, x_low, x_high)), Some((b, y_low, y_high))) = (exact(x), exact(y)) else {
            return Kind::Narrow(x.basic);
        };
        if let (Some(a), Some(b)) = (a, b)
            && self.same(a, b)
            && let Some(known) = self.derive(a, mark).or_else(|| self.derive(b, mark))
        {
            return Kind::Fixed(self.wide(known));
        }
        Kind::Wide(x_low.min(y_low), x_high.max(y_high))
    }

    /// The operands that hand a value over in this form, varying extents aside. Without a value, anything of the form.
    pub(super) fn hand_over(&mut self, form: &Form, value: Option<&Value>, operands: &mut Vec<Operand>) {
        match (&form.data, value.map(|value| &value.data)) {
            (FormData::Same(_), _) => {}
            (FormData::Components { kinds, .. }, Some(Data::Components { scalars, .. })) => {
                let scalars = scalars.clone();
                for (kind, scalar) in kinds.iter().zip(scalars) {
                    match kind {
                        Kind::Fixed(_) => {}
                        Kind::Narrow(_) => operands.push(self.as_operand(scalar)),
                        Kind::Wide(..) => operands.push(match scalar.known {
                            Known::Wide { exact, .. } => exact,
                            Known::Const(_) | Known::Operand(_) => self.as_exact(scalar),
                        }),
                    }
                }
            }
            (FormData::Components { kinds, .. }, _) => {
                for kind in kinds {
                    match kind {
                        Kind::Fixed(_) => {}
                        Kind::Narrow(basic) => operands.push(basic.scalar().zero().into()),
                        Kind::Wide(low, high) => operands.push(Operand::i64(0.clamp(*low, *high))),
                    }
                }
            }
            (FormData::Array { .. }, Some(Data::Components { .. } | Data::Array(_))) => {
                let value = value.expect("it was matched");
                operands.push(self.array(value));
            }
            (FormData::Array { basic, dims }, _) => {
                let shape: Vec<Extent> = dims
                    .iter()
                    .map(|dim| match dim {
                        Dim::Fixed(extent) => *extent,
                        Dim::Varying(_) => Extent::Const(0),
                    })
                    .collect();
                operands.push(self.filled(basic.scalar().zero().into(), &shape).into());
            }
            (FormData::Struct { fields, .. }, Some(Data::Struct { fields: values, .. })) => {
                for (field, value) in fields.iter().zip(values) {
                    self.hand_over(field, Some(value), operands);
                }
            }
            (FormData::Struct { fields, .. }, _) => {
                fields.iter().for_each(|field| self.hand_over(field, None, operands));
            }
        }
    }

    /// The value on the other side: new names for what is handed over.
    pub(super) fn take_over(&mut self, form: &Form, sizes: &[Extent], names: &mut Vec<array::Value>) -> Value {
        let data = match &form.data {
            FormData::Same(array) => Data::Array(*array),
            FormData::Components { shape, kinds } => {
                let scalars = kinds
                    .iter()
                    .map(|kind| match *kind {
                        Kind::Fixed(scalar) => scalar,
                        Kind::Narrow(basic) => {
                            let name = self.builder.value(Type::scalar(basic.scalar()), None);
                            names.push(name);
                            Scalar::operand(basic, name.into())
                        }
                        Kind::Wide(low, high) => {
                            let name = self.new_size(low, high);
                            names.push(name);
                            self.wide(name.into())
                        }
                    })
                    .collect();
                Data::Components { shape: shape.clone(), scalars }
            }
            FormData::Array { basic, dims } => {
                let shape = dims.iter().map(|dim| dim.extent(sizes)).collect();
                let name = self.builder.value(Type::array(basic.scalar(), shape), None);
                names.push(name);
                Data::Array(name)
            }
            FormData::Struct { frame, fields } => {
                let fields: Vec<Value> = fields.iter().map(|field| self.take_over(field, sizes, names)).collect();
                let mut shape = self.data_shape(&fields[0]);
                shape.truncate(*frame);
                Data::Struct { frame: shape, fields }
            }
        };
        Value { elem: form.elem, data }
    }
}

impl Form {
    /// The number of axes of the data.
    pub(super) fn rank(&self) -> usize {
        match &self.data {
            FormData::Components { shape, .. } => shape.len(),
            FormData::Array { dims, .. } => dims.len(),
            FormData::Same(_) => unreachable!("an array that is the same on two ways is no result"),
            FormData::Struct { frame, .. } => *frame,
        }
    }

    /// How many operands hand it over.
    pub(super) fn parts(&self) -> usize {
        match &self.data {
            FormData::Components { kinds, .. } => kinds.iter().filter(|kind| !matches!(kind, Kind::Fixed(_))).count(),
            FormData::Array { .. } => 1,
            FormData::Same(_) => 0,
            FormData::Struct { fields, .. } => fields.iter().map(Form::parts).sum(),
        }
    }
}

impl Dim {
    /// The extent; `sizes` are those handed over.
    pub(super) fn extent(self, sizes: &[Extent]) -> Extent {
        match self {
            Dim::Fixed(extent) => extent,
            Dim::Varying(at) => sizes[at],
        }
    }
}

/// True unless it is the condition of the branch or known that says whether there is a value.
fn is_flag_needed(has_first: Operand, has_second: Operand) -> bool {
    let is_constant = |operand: Operand| operand == TRUE || operand == FALSE;
    !(is_constant(has_first) && is_constant(has_second))
}
