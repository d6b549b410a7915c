//! What of a variable a loop hands on: its parameters at the head of an iteration, its values at the end of one, and the variable
//! after the loop.

use super::branch::Differ;
use super::container::{growth, met};
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::{Array, Buffer};
use super::types;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand, Type, Value};

/// An array in a variable that a loop hands on.
pub(super) type Leaf = (String, usize);

/// What of a variable is handed on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kept {
    Number(Scalar, bool),
    /// The extents are those before the loop, or `None` where they may change.
    Array(Scalar, Vec<Option<Extent>>),
    Complex(Box<[Kept; 2]>),
    Tuple(Vec<Kept>),
    Named(Vec<String>, Vec<Kept>),
    /// The same in all iterations.
    Same(Item),
}

/// An array that is handed on: its variable, its buffer in an iteration, and the one that it is before the loop.
#[derive(Clone, Debug)]
pub(super) struct Handed {
    pub leaf: Leaf,
    pub inside: Buffer,
    pub before: Option<Array>,
    /// It is all of its buffer: see `Note [Exchanged buffers]`.
    pub is_own: bool,
    /// The position among the originals that it now is.
    pub which: Option<Value>,
}

impl Lowering<'_> {
    /// What a variable is in an iteration; adds its parameters and their first values.
    #[allow(clippy::too_many_arguments, reason = "the parts of a loop under construction")]
    pub(super) fn enter(
        &mut self,
        name: &str,
        kept: &Kept,
        old: Option<&Item>,
        count: &mut usize,
        params: &mut Vec<Value>,
        init: &mut Vec<Operand>,
        handed: &mut Vec<Handed>,
    ) -> Item {
        let own_name = || Some(std::sync::Arc::from(name));
        match kept {
            Kept::Same(item) => item.clone(),
            Kept::Number(elem, weak) => {
                let first = match old {
                    Some(Item::Number(number)) => self.convert(number.x, *elem),
                    _ => Operand::Const(elem.zero()),
                };
                let param = self.b.value(Type::scalar(*elem), own_name());
                params.push(param);
                init.push(first);
                Item::Number(Number { x: param.into(), elem: *elem, weak: *weak })
            }
            Kept::Complex(parts) => {
                let [re, im] = match old {
                    Some(Item::Complex(parts)) => [Some(parts[0].clone()), Some(parts[1].clone())],
                    old => [old.cloned(), None],
                };
                let re = self.enter(name, &parts[0], re.as_ref(), count, params, init, handed);
                let im = self.enter(name, &parts[1], im.as_ref(), count, params, init, handed);
                Item::complex(re, im)
            }
            Kept::Tuple(parts) | Kept::Named(_, parts) => {
                let items = match old {
                    Some(Item::Tuple(items) | Item::Named(_, items)) => items.iter().map(Some).collect(),
                    _ => vec![None; parts.len()],
                };
                let mut made = Vec::new();
                for (part, old) in parts.iter().zip(items) {
                    made.push(self.enter(name, part, old, count, params, init, handed));
                }
                if let Kept::Named(names, _) = kept { Item::Named(names.clone(), made) } else { Item::Tuple(made) }
            }
            Kept::Array(elem, extents) => {
                let old = match old {
                    Some(Item::Array(array)) => Some(array.clone()),
                    _ => None,
                };
                let mut shape = Vec::new();
                for (axis, extent) in extents.iter().enumerate() {
                    shape.push(match extent {
                        Some(extent) => *extent,
                        None => {
                            let size = self.b.value(Type::scalar(Scalar::I64), None);
                            self.least.insert(size, 0);
                            params.push(size);
                            init.push(old.as_ref().map_or(Operand::i64(0), |old| old.shape[axis].into()));
                            Extent::Value(size)
                        }
                    });
                }
                let first = match &old {
                    Some(old) => self.read(old),
                    None => {
                        let none = extents.iter().map(|extent| extent.unwrap_or(Extent::Const(0))).collect();
                        let empty = self.generate(none, *elem, |_, _| Ok(Operand::Const(elem.zero())));
                        empty.expect("zeros are never wrong")
                    }
                };
                let param = self.b.value(Type::array(*elem, shape), own_name());
                params.push(param);
                init.push(first.into());
                let inside = self.fresh(param);
                handed.push(Handed {
                    leaf: (name.to_string(), *count),
                    inside: inside.buffer,
                    before: old,
                    is_own: false,
                    which: None,
                });
                *count += 1;
                Item::Array(inside)
            }
        }
    }

    /// Adds the values that an iteration hands on of a variable.
    pub(super) fn yielded(
        &mut self,
        name: &str,
        kept: &Kept,
        item: &Item,
        count: &mut usize,
        bound: &mut Vec<(Leaf, Array)>,
        yields: &mut Vec<Operand>,
    ) {
        match (kept, item) {
            (Kept::Number(elem, _), Item::Number(number)) => yields.push(self.convert(number.x, *elem)),
            (Kept::Complex(parts), Item::Complex(items)) => {
                self.yielded(name, &parts[0], &items[0], count, bound, yields);
                self.yielded(name, &parts[1], &items[1], count, bound, yields);
            }
            (Kept::Complex(parts), Item::Number(number)) => {
                self.yielded(name, &parts[0], item, count, bound, yields);
                let zero = Number { x: Operand::Const(number.elem.zero()), ..*number };
                self.yielded(name, &parts[1], &Item::Number(zero), count, bound, yields);
            }
            (Kept::Tuple(parts) | Kept::Named(_, parts), Item::Tuple(items) | Item::Named(_, items)) => {
                for (part, item) in parts.iter().zip(items) {
                    self.yielded(name, part, item, count, bound, yields);
                }
            }
            (Kept::Array(_, extents), Item::Array(array)) => {
                for (extent, &own) in extents.iter().zip(&array.shape) {
                    match extent {
                        Some(extent) => _ = self.same_size(*extent, own),
                        None => yields.push(own.into()),
                    }
                }
                yields.push(self.read(array).into());
                bound.push(((name.to_string(), *count), array.clone()));
                *count += 1;
            }
            (Kept::Same(_), _) => {}
            _ => unreachable!("the types were unified"),
        }
    }

    /// What a variable is after the loop.
    pub(super) fn left(
        &mut self,
        kept: &Kept,
        results: &mut impl Iterator<Item = Value>,
        made: &mut Vec<Buffer>,
    ) -> Item {
        match kept {
            Kept::Same(item) => item.clone(),
            Kept::Number(elem, weak) => {
                let x = results.next().expect("there is a result for each number").into();
                Item::Number(Number { x, elem: *elem, weak: *weak })
            }
            Kept::Complex(parts) => {
                let re = self.left(&parts[0], results, made);
                let im = self.left(&parts[1], results, made);
                Item::complex(re, im)
            }
            Kept::Tuple(parts) => Item::Tuple(parts.iter().map(|part| self.left(part, results, made)).collect()),
            Kept::Named(names, parts) => {
                Item::Named(names.clone(), parts.iter().map(|part| self.left(part, results, made)).collect())
            }
            Kept::Array(_, extents) => {
                for _ in extents.iter().filter(|extent| extent.is_none()) {
                    let size = results.next().expect("there is a result for each size");
                    self.least.insert(size, 0);
                }
                let array = self.fresh(results.next().expect("there is a result for each array"));
                made.push(array.buffer);
                Item::Array(array)
            }
        }
    }
}

/// What is handed on of an item, if nothing changes its type.
pub(super) fn kept(item: &Item) -> Kept {
    match item {
        Item::Number(number) => Kept::Number(number.elem, number.weak),
        Item::Array(array) => Kept::Array(array.elem, array.shape.iter().copied().map(Some).collect()),
        Item::Complex(parts) => Kept::Complex(Box::new([kept(&parts[0]), kept(&parts[1])])),
        Item::Tuple(items) => Kept::Tuple(items.iter().map(kept).collect()),
        Item::Named(names, items) => Kept::Named(names.clone(), items.iter().map(kept).collect()),
        item => Kept::Same(item.clone()),
    }
}

/// What is handed on of an item that is not known before the loop: arrays of any size.
pub(super) fn handed_on(item: &Item) -> Option<Kept> {
    Some(match item {
        Item::Number(number) => Kept::Number(number.elem, number.weak),
        Item::Array(array) => Kept::Array(array.elem, vec![None; array.rank()]),
        Item::Complex(parts) => Kept::Complex(Box::new([handed_on(&parts[0])?, handed_on(&parts[1])?])),
        Item::Tuple(items) => Kept::Tuple(items.iter().map(handed_on).collect::<Option<_>>()?),
        Item::Named(names, items) => {
            let names = [met(&names[..1], &["[]".into()]).unwrap_or(names[..1].to_vec()), names[1..].to_vec()].concat();
            Kept::Named(names, items.iter().map(handed_on).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// What has to be handed on where iterations end with this item.
pub(super) fn unify(
    lowering: &Lowering<'_>,
    kept: &Kept,
    item: &Item,
    is_new: bool,
) -> std::result::Result<Kept, Differ> {
    let differ = || Err((described(kept), item.name()));
    match (kept, item) {
        (Kept::Number(elem, weak), Item::Number(number)) => {
            let ty = types::Operand { elem: *elem, is_complex: false, weak: *weak };
            let common = if is_new { (*number).into() } else { types::common(&[ty, (*number).into()]) };
            Ok(Kept::Number(common.elem, common.weak))
        }
        (Kept::Number(..), Item::Complex(parts)) => {
            let re = unify(lowering, kept, &parts[0], is_new)?;
            let im = unify(lowering, kept, &parts[1], is_new)?;
            Ok(Kept::Complex(Box::new([re, im])))
        }
        (Kept::Complex(parts), Item::Complex(items)) => {
            let re = unify(lowering, &parts[0], &items[0], is_new)?;
            let im = unify(lowering, &parts[1], &items[1], is_new)?;
            Ok(Kept::Complex(Box::new([re, im])))
        }
        (Kept::Complex(parts), Item::Number(_)) if matches!(parts[0], Kept::Number(..)) => Ok(kept.clone()),
        (Kept::Array(elem, extents), Item::Array(array)) if *elem == array.elem && extents.len() == array.rank() => {
            // Sizes that iterations compute may differ from those before.
            let axis = |(extent, &own): (&Option<Extent>, &Extent)| {
                extent.filter(|&extent| lowering.is_same_extent(extent, own))
            };
            Ok(Kept::Array(*elem, extents.iter().zip(&array.shape).map(axis).collect()))
        }
        (Kept::Tuple(parts), Item::Tuple(items)) if parts.len() == items.len() => {
            let parts = parts.iter().zip(items).map(|(part, item)| unify(lowering, part, item, is_new));
            parts.collect::<std::result::Result<_, _>>().map(Kept::Tuple)
        }
        (Kept::Named(names, parts), Item::Named(others, items))
            if met(names, others).is_some() && parts.len() == items.len() =>
        {
            let names = met(names, others).expect("it was just looked at");
            let parts = parts.iter().zip(items).map(|(part, item)| unify(lowering, part, item, is_new));
            parts.collect::<std::result::Result<_, _>>().map(|parts| Kept::Named(names, parts))
        }
        (Kept::Named(names, parts), Item::Named(others, items)) => {
            growth(names, parts.len(), others, items).map_or_else(differ, Ok)
        }
        (Kept::Same(same), item) if same == item => Ok(kept.clone()),
        _ => differ(),
    }
}

/// What messages call a variable's type.
pub(super) fn described(kept: &Kept) -> String {
    match kept {
        Kept::Number(elem, true) => match elem {
            Scalar::Bool => "a bool".into(),
            Scalar::F64 => "a float".into(),
            _ => "an int".into(),
        },
        Kept::Number(elem, false) => format!("a {}", types::name(*elem)),
        Kept::Array(elem, extents) => format!("an array of {} with {} axes", types::name(*elem), extents.len()),
        Kept::Complex(_) => "complex".into(),
        Kept::Tuple(parts) | Kept::Named(_, parts) => format!("a tuple of {}", parts.len()),
        Kept::Same(item) => item.name(),
    }
}

pub(super) fn inside_of(handed: &[Handed], leaf: &Leaf) -> Option<Buffer> {
    handed.iter().find(|one| one.leaf == *leaf).map(|one| one.inside)
}
