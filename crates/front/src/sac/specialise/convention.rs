//! How functions of the array IR give their results.

use super::Specialiser;
use super::join::{Dim, Form, FormData, Kind};
use super::value::{Data, Known, Scalar, Value};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Axis, Basic, Elem, Function, Pattern};
use frit_ir::Scalar as ElemType;
use frit_ir::array::alias::Aliases;
use frit_ir::array::{self, Extent, Func, Operand, ResultExtent, ResultType};
use std::collections::{BTreeSet, HashMap};

/// How a function of the array IR gives its results: sizes, then what the forms hand over, then a certificate.
#[derive(Clone, Debug)]
pub(super) struct Convention {
    /// How many sizes come first. [`Dim::Varying`] beyond them counts the sizes of the arguments.
    pub(super) sizes: usize,
    /// The results.
    pub(super) forms: Vec<Form>,
    /// The last result is the certificate of what the function wrote.
    pub(super) has_token: bool,
}

impl Specialiser<'_> {
    /// The varying extents of a value in this form, each where it is handed over.
    pub(super) fn collect_sizes(&mut self, form: &Form, value: &Value, sizes: &mut [Option<Operand>]) {
        match &form.data {
            FormData::Array { dims, .. } => {
                for (dim, extent) in dims.iter().zip(self.data_shape(value)) {
                    if let Dim::Varying(at) = dim
                        && let Some(size) = sizes.get_mut(*at)
                    {
                        size.get_or_insert(extent.into());
                    }
                }
            }
            FormData::Struct { fields, .. } => {
                let Data::Struct { fields: values, .. } = &value.data else { return };
                for (field, value) in fields.iter().zip(values) {
                    self.collect_sizes(field, value, sizes);
                }
            }
            FormData::Components { .. } | FormData::Same(_) => {}
        }
    }

    /// How results are given to callers from outside: whole.
    pub(super) fn entry_convention(&mut self, results: &[Value], has_token: bool) -> Convention {
        let mut sizes = Sizes::default();
        let known = self.builder.func.sizes.clone();
        let forms = results.iter().map(|value| self.result_form(value, &known, &mut sizes, true)).collect();
        sizes.convention(forms, has_token)
    }

    pub(super) fn result_form(
        &mut self,
        value: &Value,
        known: &[array::Value],
        sizes: &mut Sizes,
        is_whole: bool,
    ) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } if shape.is_empty() || !is_whole => {
                let kind = |s: &Scalar| match s.known {
                    Known::Const(_) if !is_whole => Kind::Fixed(*s),
                    Known::Const(_) | Known::Operand(_) | Known::Wide { .. } => Kind::Narrow(s.basic),
                };
                FormData::Components { shape: shape.clone(), kinds: scalars.iter().map(kind).collect() }
            }
            Data::Components { .. } | Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let shape = self.data_shape(value);
                let dims = shape.into_iter().map(|extent| sizes.dim(self, extent, known)).collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.result_form(field, known, sizes, is_whole)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    /// How results are given of which nothing but the types is known.
    pub(super) fn declared_convention(&mut self, function: &Function, has_token: bool) -> Convention {
        let mut sizes = Sizes::default();
        let forms = function.results.iter().map(|pattern| self.declared_form(pattern, &mut sizes)).collect();
        sizes.convention(forms, has_token)
    }

    fn declared_form(&mut self, pattern: &Pattern, sizes: &mut Sizes) -> Form {
        let shape: Vec<Option<i64>> = match pattern.class() {
            Class::Extents(extents) => extents,
            Class::AtLeast(rank) => vec![None; rank],
        };
        self.unknown_form(pattern.elem, &shape, sizes)
    }

    fn unknown_form(&mut self, elem: Elem, shape: &[Option<i64>], sizes: &mut Sizes) -> Form {
        let (cell, base) = self.program.cell_of(elem);
        let full: Vec<Option<i64>> = shape.iter().copied().chain(cell.iter().map(|&n| Some(n))).collect();
        let data = match base {
            Elem::Struct(id) => {
                let program = self.program;
                let fields = program.structs[id].fields.iter().map(|(_, elem, inner)| {
                    let shape: Vec<Option<i64>> = full.iter().copied().chain(inner.iter().map(|&n| Some(n))).collect();
                    self.unknown_form(*elem, &shape, sizes)
                });
                let fields = fields.collect();
                FormData::Struct { frame: full.len(), fields }
            }
            Elem::Basic(basic) if full.is_empty() => {
                FormData::Components { shape: Vec::new(), kinds: vec![Kind::Narrow(basic)] }
            }
            Elem::Basic(basic) => {
                let dims = full
                    .iter()
                    .map(|extent| match extent {
                        Some(n) => Dim::Fixed(Extent::Const(*n)),
                        None => sizes.fresh(),
                    })
                    .collect();
                FormData::Array { basic, dims }
            }
            Elem::Nominal(_) => unreachable!("names are followed to what they stand for"),
        };
        Form { elem, data }
    }

    /// The convention of a recursive function: constants in results of the ways that end need not hold on the others.
    pub(super) fn generalised(&mut self, function: &Function, found: &Convention) -> Convention {
        let mut sizes = Sizes::default();
        let forms = found
            .forms
            .iter()
            .zip(&function.results)
            .map(|(form, pattern)| generalised(form, &pattern.axes, found.sizes, &mut sizes))
            .collect();
        sizes.convention(forms, found.has_token)
    }
}

/// The sizes among a function's results.
#[derive(Default)]
pub(super) struct Sizes {
    found: Vec<Option<Extent>>,
    /// The number of sizes of arguments in use.
    uses_arguments: bool,
}

/// Sizes of arguments are counted from here on until it is known how many sizes there are among the results.
const ARGUMENT: usize = usize::MAX / 2;

impl Sizes {
    fn fresh(&mut self) -> Dim {
        self.found.push(None);
        Dim::Varying(self.found.len() - 1)
    }

    /// The size of arguments at this position.
    fn argument(&mut self, at: usize) -> Dim {
        self.uses_arguments = true;
        Dim::Varying(ARGUMENT + at)
    }

    fn dim(&mut self, specialiser: &Specialiser<'_>, extent: Extent, known: &[array::Value]) -> Dim {
        if let Extent::Const(_) = extent {
            return Dim::Fixed(extent);
        }
        if let Some(at) = known.iter().position(|&size| specialiser.same_extent(extent, Extent::Value(size))) {
            return self.argument(at);
        }
        let same = |found: &Option<Extent>| found.is_some_and(|found| specialiser.same_extent(found, extent));
        let at = self.found.iter().position(same).unwrap_or_else(|| {
            self.found.push(Some(extent));
            self.found.len() - 1
        });
        Dim::Varying(at)
    }

    pub(super) fn convention(self, mut forms: Vec<Form>, has_token: bool) -> Convention {
        let sizes = self.found.len();
        if self.uses_arguments {
            forms.iter_mut().for_each(|form| {
                map_dims(form, &mut |dim| match dim {
                    Dim::Varying(at) if at >= ARGUMENT => Dim::Varying(at - ARGUMENT + sizes),
                    dim => dim,
                });
            });
        }
        Convention { sizes, forms, has_token }
    }
}

/// Replaces the extents of a form, in order.
pub(super) fn map_dims(form: &mut Form, f: &mut impl FnMut(Dim) -> Dim) {
    match &mut form.data {
        FormData::Array { dims, .. } => dims.iter_mut().for_each(|dim| *dim = f(*dim)),
        FormData::Struct { fields, .. } => fields.iter_mut().for_each(|field| map_dims(field, f)),
        FormData::Components { .. } | FormData::Same(_) => {}
    }
}

/// The types of the results that a form hands over.
pub(super) fn result_types(form: &Form, sizes: usize, params: &[array::Value], types: &mut Vec<ResultType>) {
    match &form.data {
        FormData::Components { kinds, .. } => {
            for kind in kinds {
                let elem = match kind {
                    Kind::Fixed(_) => continue,
                    Kind::Narrow(basic) => basic.scalar(),
                    Kind::Wide(..) => ElemType::I64,
                };
                types.push(ResultType { elem, shape: Vec::new(), unique: false });
            }
        }
        FormData::Array { basic, dims } => {
            let shape = dims
                .iter()
                .map(|dim| match *dim {
                    Dim::Fixed(Extent::Const(n)) => ResultExtent::Const(n),
                    Dim::Fixed(Extent::Value(_)) => ResultExtent::Caller,
                    Dim::Varying(at) if at < sizes => ResultExtent::Result(at),
                    Dim::Varying(at) => ResultExtent::Size(params[at - sizes]),
                })
                .collect();
            types.push(ResultType { elem: basic.scalar(), shape, unique: false });
        }
        FormData::Same(_) => {}
        FormData::Struct { fields, .. } => {
            fields.iter().for_each(|field| result_types(field, sizes, params, types));
        }
    }
}

/// Marks the results that share memory with no parameter and no other result.
pub(super) fn mark_unique(func: &Func, types: &mut [ResultType]) {
    let aliases = Aliases::of(func, None);
    let origins: Vec<BTreeSet<array::Value>> = func
        .body
        .results
        .iter()
        .map(|result| result.value().map(|value| aliases.all_origins(value)).unwrap_or_default())
        .collect();
    let mut uses: HashMap<array::Value, usize> = HashMap::new();
    origins.iter().flatten().for_each(|&origin| *uses.entry(origin).or_default() += 1);
    for (ty, origins) in types.iter_mut().zip(&origins) {
        let is_own =
            |origin: &array::Value| uses[origin] == 1 && func.params.iter().all(|param| param.value != *origin);
        ty.unique = !ty.shape.is_empty() && !origins.is_empty() && origins.iter().all(is_own);
    }
}

/// The form with nothing in it that is not in the type; sizes of arguments that the ways that end find are believed.
fn generalised(form: &Form, axes: &[Axis], found: usize, sizes: &mut Sizes) -> Form {
    let data = match &form.data {
        FormData::Components { shape, kinds } => {
            let kinds = kinds.iter().map(|kind| match kind {
                Kind::Fixed(scalar) => Kind::Narrow(scalar.basic),
                Kind::Narrow(basic) => Kind::Narrow(*basic),
                Kind::Wide(..) => Kind::Narrow(Basic::Int),
            });
            FormData::Components { shape: shape.clone(), kinds: kinds.collect() }
        }
        FormData::Array { basic, dims } => {
            let is_exact = axes.len() <= dims.len()
                && axes.iter().all(|axis| matches!(axis, Axis::Extent(_) | Axis::Any | Axis::Bind(_)));
            let dims = dims.iter().enumerate().map(|(at, dim)| match (dim, axes.get(at)) {
                (_, Some(Axis::Extent(n))) if is_exact => Dim::Fixed(Extent::Const(*n)),
                (Dim::Fixed(_), None) if is_exact => *dim,
                (Dim::Varying(at), _) if *at >= found => sizes.argument(*at - found),
                _ => sizes.fresh(),
            });
            FormData::Array { basic: *basic, dims: dims.collect() }
        }
        FormData::Same(array) => FormData::Same(*array),
        FormData::Struct { frame, fields } => {
            let fields = fields.iter().map(|field| generalised(field, &[], found, sizes)).collect();
            FormData::Struct { frame: *frame, fields }
        }
    };
    Form { elem: form.elem, data }
}

/// True if results of the forms found can be handed over in those of the convention.
pub(super) fn fits_all(convention: &Convention, found: &Convention) -> bool {
    let sizes = (convention.sizes, found.sizes);
    convention.forms.iter().zip(&found.forms).all(|(form, found)| fits(form, found, sizes))
}

/// The size of arguments that both are, where so many sizes are among the results of either.
fn common_argument(dim: Dim, found: Dim, (sizes, found_sizes): (usize, usize)) -> Option<usize> {
    let argument = |dim: Dim, sizes: usize| match dim {
        Dim::Varying(at) => at.checked_sub(sizes),
        Dim::Fixed(_) => None,
    };
    argument(dim, sizes).filter(|&at| argument(found, found_sizes) == Some(at))
}

fn fits(form: &Form, found: &Form, sizes: (usize, usize)) -> bool {
    match (&form.data, &found.data) {
        (FormData::Components { shape, .. }, FormData::Components { shape: other, .. }) => shape == other,
        (FormData::Array { dims, .. }, FormData::Components { shape, .. }) => {
            dims.len() == shape.len()
                && dims.iter().zip(shape).all(|(dim, &n)| match dim {
                    Dim::Fixed(extent) => *extent == Extent::Const(n as i64),
                    Dim::Varying(at) => *at < sizes.0,
                })
        }
        (FormData::Array { dims, .. }, FormData::Array { dims: other, .. }) => {
            dims.len() == other.len()
                && dims.iter().zip(other).all(|(dim, other)| match dim {
                    Dim::Fixed(_) => dim == other,
                    Dim::Varying(at) => *at < sizes.0 || common_argument(*dim, *other, sizes).is_some(),
                })
        }
        (FormData::Struct { frame, fields }, FormData::Struct { frame: other, fields: found }) => {
            frame == other && fields.iter().zip(found).all(|(form, found)| fits(form, found, sizes))
        }
        _ => false,
    }
}

/// A convention in which both can be handed over; `None` if ranks differ.
pub(super) fn widened(convention: &Convention, found: &Convention) -> Option<Convention> {
    let mut sizes = Sizes::default();
    let mut forms = Vec::new();
    let among_results = (convention.sizes, found.sizes);
    for (form, found) in convention.forms.iter().zip(&found.forms) {
        forms.push(widened_form(form, found, among_results, &mut sizes)?);
    }
    Some(sizes.convention(forms, convention.has_token))
}

fn widened_form(form: &Form, found: &Form, among_results: (usize, usize), sizes: &mut Sizes) -> Option<Form> {
    let data = match (&form.data, &found.data) {
        (FormData::Components { shape, .. }, FormData::Components { shape: other, .. }) if shape == other => {
            form.data.clone()
        }
        (FormData::Struct { frame, fields }, FormData::Struct { frame: other, fields: found }) if frame == other => {
            let fields = fields.iter().zip(found).map(|(form, found)| widened_form(form, found, among_results, sizes));
            FormData::Struct { frame: *frame, fields: fields.collect::<Option<_>>()? }
        }
        _ => {
            let basic = |data: &FormData| match data {
                FormData::Array { basic, .. } => Some(*basic),
                FormData::Components { kinds, .. } => kinds.first().map(|kind| match kind {
                    Kind::Narrow(basic) => *basic,
                    Kind::Fixed(scalar) => scalar.basic,
                    Kind::Wide(..) => Basic::Int,
                }),
                FormData::Same(_) | FormData::Struct { .. } => None,
            };
            let rank = form.rank();
            if rank != found.rank() || rank == 0 {
                return None;
            }
            let basic = basic(&form.data).or_else(|| basic(&found.data))?;
            let pair = |at: usize| match (&form.data, &found.data) {
                (FormData::Array { dims, .. }, FormData::Array { dims: others, .. }) => Some((dims[at], others[at])),
                _ => None,
            };
            let dims = (0..rank).map(|at| match pair(at) {
                Some((one @ Dim::Fixed(Extent::Const(_)), other)) if one == other => one,
                Some((one, other)) => match common_argument(one, other, among_results) {
                    Some(argument) => sizes.argument(argument),
                    None => sizes.fresh(),
                },
                None => sizes.fresh(),
            });
            FormData::Array { basic, dims: dims.collect() }
        }
    };
    Some(Form { elem: form.elem, data })
}
