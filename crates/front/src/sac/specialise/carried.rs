//! What loops carry, in which form, and what of that changes from one iteration to the next.

use super::Specialiser;
use super::convention::map_dims;
use super::join::{Dim, Form, FormData, Kind};
use super::liveness::Flow;
use super::value::{Binding, Data, FEW, Value};
use crate::sac::core::Local;
use frit_ir::array::Extent;
use frit_support::Span;

/// How the value of a variable changes from one iteration to the next.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) rank: bool,
    /// It becomes an array, if it is not one before.
    pub(super) is_array: bool,
    /// The extents that change.
    pub(super) varying: Vec<bool>,
    /// The form of a variable that has no value before the loop.
    pub(super) form: Option<Form>,
}

/// A variable that a loop carries.
#[derive(Clone, Debug)]
pub(super) enum Carried {
    /// It has no value, as far as is known.
    Unset,
    RankUnknown(Span),
    /// Its form, and whether it may have no value.
    Value {
        form: Form,
        may_be_unset: bool,
    },
}

impl Specialiser<'_> {
    pub(super) fn carried_at_first(
        &mut self,
        binding: &Binding,
        change: Option<&Change>,
        classes: &mut Vec<Option<Extent>>,
        span: Span,
    ) -> Carried {
        if change.is_some_and(|change| change.rank) {
            return Carried::RankUnknown(span);
        }
        match binding {
            Binding::Unset => match change.and_then(|change| change.form.clone()) {
                Some(mut form) => {
                    // Classes of a form remembered are its own.
                    let base = classes.len();
                    let mut used = 0;
                    map_dims(&mut form, &mut |dim| match dim {
                        Dim::Varying(at) => {
                            used = used.max(at + 1);
                            Dim::Varying(base + at)
                        }
                        dim @ Dim::Fixed(_) => dim,
                    });
                    classes.extend(vec![None; used]);
                    Carried::Value { form, may_be_unset: true }
                }
                None => Carried::Unset,
            },
            Binding::RankUnknown(span) => Carried::RankUnknown(*span),
            Binding::Set(value) | Binding::Maybe(value, _) => {
                let as_array = change.is_some_and(|change| change.is_array);
                let mut form = self.carried_form(value, as_array);
                if let Some(change) = change {
                    let mut varying = change.varying.iter();
                    map_dims(&mut form, &mut |dim| match (dim, varying.next()) {
                        (Dim::Fixed(extent), Some(true)) => Dim::Varying(class_of(classes, extent)),
                        (dim, _) => dim,
                    });
                }
                Carried::Value { form, may_be_unset: matches!(binding, Binding::Maybe(..)) }
            }
        }
    }

    /// The form in which a value is carried if the body changes nothing but elements.
    fn carried_form(&mut self, value: &Value, as_array: bool) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } if shape.is_empty() || (!as_array && scalars.len() <= FEW) => {
                let kinds = scalars.iter().map(|s| Kind::Narrow(s.basic)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            Data::Components { .. } | Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let dims = self.data_shape(value).into_iter().map(Dim::Fixed).collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.carried_form(field, as_array)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    /// What the loop carries if these are the values after the body, if that is more than was thought.
    #[allow(clippy::too_many_arguments, reason = "all there is to know about a loop")]
    pub(super) fn changes(
        &mut self,
        flow: &Flow,
        carried: &[Carried],
        classes: &[Option<Extent>],
        before: &[Binding],
        next: &[Binding],
        counter: Option<Local>,
        span: Span,
    ) -> Option<(Vec<Carried>, Vec<Option<Extent>>)> {
        let mut changes = Changes { classes: classes.to_vec(), next: Vec::new(), is_changed: false };
        let mut result = Vec::new();
        for (at, (&local, carried)) in flow.live.iter().zip(carried).enumerate() {
            if Some(local) == counter {
                result.push(carried.clone());
                continue;
            }
            let is_new = matches!(before[at], Binding::Unset);
            result.push(match (carried, &next[at]) {
                (Carried::RankUnknown(_), _) | (Carried::Unset, Binding::Unset) => carried.clone(),
                (_, Binding::RankUnknown(span)) => {
                    changes.is_changed = true;
                    Carried::RankUnknown(*span)
                }
                (Carried::Unset, Binding::Set(value) | Binding::Maybe(value, _)) => {
                    changes.is_changed = true;
                    Carried::Value { form: self.new_form(value, &mut changes), may_be_unset: true }
                }
                (Carried::Value { form, .. }, Binding::Unset) => {
                    Carried::Value { form: form.clone(), may_be_unset: true }
                }
                (Carried::Value { form, may_be_unset }, binding @ (Binding::Set(value) | Binding::Maybe(value, _))) => {
                    let is_maybe = matches!(binding, Binding::Maybe(..));
                    changes.is_changed |= is_maybe && !may_be_unset;
                    match self.widened_by(form, value, is_new, &mut changes) {
                        Some(form) => Carried::Value { form, may_be_unset: *may_be_unset || is_maybe },
                        None => {
                            changes.is_changed = true;
                            Carried::RankUnknown(span)
                        }
                    }
                }
            });
        }
        changes.is_changed.then_some((result, changes.classes))
    }

    /// The form of a variable that gets its first value in the loop.
    fn new_form(&mut self, value: &Value, changes: &mut Changes) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } => {
                let kinds = scalars.iter().map(|s| Kind::Narrow(s.basic)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let shape = self.data_shape(value);
                let count = shape.iter().try_fold(1i64, |count, extent| match extent {
                    Extent::Const(n) => count.checked_mul(*n),
                    Extent::Value(_) => None,
                });
                let is_small = count.is_some_and(|count| count <= 4 * FEW as i64);
                let dims = shape
                    .into_iter()
                    .map(|extent| if is_small { Dim::Fixed(extent) } else { changes.varying(self, None, extent) })
                    .collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.new_form(field, changes)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    /// The form with what changes if this is the next value; `None` if the rank does.
    fn widened_by(&mut self, form: &Form, value: &Value, is_new: bool, changes: &mut Changes) -> Option<Form> {
        let init = |extent: Extent| (!is_new).then_some(extent);
        let data = match (&form.data, &value.data) {
            (FormData::Components { shape, kinds }, Data::Components { shape: next, .. }) if shape == next => {
                FormData::Components { shape: shape.clone(), kinds: kinds.clone() }
            }
            (FormData::Struct { frame, fields }, Data::Struct { frame: other, fields: values }) => {
                if *frame != other.len() {
                    return None;
                }
                let fields =
                    fields.iter().zip(values).map(|(field, value)| self.widened_by(field, value, is_new, changes));
                FormData::Struct { frame: *frame, fields: fields.collect::<Option<_>>()? }
            }
            (FormData::Components { shape, .. }, _) => {
                let next = self.data_shape(value);
                if shape.len() != next.len() || shape.is_empty() {
                    return None;
                }
                changes.is_changed = true;
                let basic = self.basic(value.elem)?;
                let dims = shape.iter().zip(next).map(|(&n, next)| {
                    let extent = Extent::Const(n as i64);
                    if next == extent { Dim::Fixed(extent) } else { changes.varying(self, init(extent), next) }
                });
                FormData::Array { basic, dims: dims.collect() }
            }
            (FormData::Array { basic, dims }, _) => {
                let next = self.data_shape(value);
                if dims.len() != next.len() {
                    return None;
                }
                let dims = dims.iter().zip(next).map(|(dim, next)| match *dim {
                    Dim::Fixed(extent) if self.same_extent(extent, next) => *dim,
                    Dim::Fixed(extent) => changes.varying(self, init(extent), next),
                    Dim::Varying(class) => changes.still_varying(self, class, next),
                });
                FormData::Array { basic: *basic, dims: dims.collect() }
            }
            (FormData::Same(_), _) | (FormData::Struct { .. }, _) => return None,
        };
        Some(Form { elem: form.elem, data })
    }
}

/// What is found to change in a loop: which extents, and which of them together.
struct Changes {
    /// The extents before the loop; `None` where there is no array yet.
    classes: Vec<Option<Extent>>,
    /// Those after the body, as far as they have been seen: class and extent.
    next: Vec<(usize, Extent)>,
    is_changed: bool,
}

impl Changes {
    /// An extent that was thought not to change.
    fn varying(&mut self, specialiser: &Specialiser<'_>, init: Option<Extent>, next: Extent) -> Dim {
        self.is_changed = true;
        let alike =
            |(class, known): &(usize, Extent)| self.classes[*class] == init && specialiser.same_extent(*known, next);
        if let Some(&(class, _)) = self.next.iter().find(|known| alike(known)) {
            return Dim::Varying(class);
        }
        self.classes.push(init);
        self.next.push((self.classes.len() - 1, next));
        Dim::Varying(self.classes.len() - 1)
    }

    /// An extent that changes, as others of its class do if it is the same as theirs now.
    fn still_varying(&mut self, specialiser: &Specialiser<'_>, class: usize, next: Extent) -> Dim {
        match self.next.iter().find(|(known, _)| *known == class) {
            None => {
                self.next.push((class, next));
                Dim::Varying(class)
            }
            Some((_, known)) if specialiser.same_extent(*known, next) => Dim::Varying(class),
            Some(_) => self.varying(specialiser, self.classes[class], next),
        }
    }
}

/// The place of an extent among those that change.
fn class_of(classes: &mut Vec<Option<Extent>>, extent: Extent) -> usize {
    classes.iter().position(|known| *known == Some(extent)).unwrap_or_else(|| {
        classes.push(Some(extent));
        classes.len() - 1
    })
}

/// What is remembered of what a loop carries.
pub(super) fn change(carried: &Carried, before: &Binding) -> Change {
    let mut change = Change { rank: false, is_array: false, varying: Vec::new(), form: None };
    match carried {
        Carried::Unset => {}
        Carried::RankUnknown(_) => change.rank = true,
        Carried::Value { form, .. } => {
            let is_components = |value: &Value| matches!(value.data, Data::Components { .. });
            change.is_array = matches!(form.data, FormData::Array { .. })
                && matches!(before, Binding::Set(value) | Binding::Maybe(value, _) if is_components(value));
            let mut form = form.clone();
            let mut is_general = true;
            map_dims(&mut form, &mut |dim| {
                change.varying.push(matches!(dim, Dim::Varying(_)));
                is_general &= !matches!(dim, Dim::Fixed(Extent::Value(_)));
                dim
            });
            if is_general && matches!(before, Binding::Unset) {
                change.form = Some(form);
            }
        }
    }
    change
}
