//! What signatures mean: the types of parameters and results, and what the shapes of arguments say of the shapes of results.

use super::Checker;
use super::error::SacError;
use super::modules::DeclId;
use super::types::{Ty, scalar};
use crate::sac::ast::{AxisCount, AxisExpr, TypeExpr};
use crate::sac::core::axes::undetermined;
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Local, Pattern};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The types of a function's parameters and results.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// Element types, `None` if wrong, and shapes.
    pub params: Vec<(Option<Elem>, Class)>,
    /// The same for the results, those of reference parameters at the end.
    pub results: Vec<(Option<Elem>, Class)>,
    /// The numbers of the reference parameters.
    pub references: Vec<usize>,
}

/// What a name in a signature stands for, as far as the arguments tell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    /// An extent or a number of axes.
    Number(Option<i64>),
    /// Part of a shape.
    Extents(Vec<Option<i64>>),
}

/// The class of shapes that a type denotes in the hierarchy.
pub(super) fn class_of(ty: &TypeExpr) -> Class {
    let mut extents = Vec::new();
    let mut least = None;
    for axis in ty.shape.iter().flatten() {
        match axis {
            AxisExpr::Extent(n, _) => extents.push(Some(*n)),
            AxisExpr::Dot(_) | AxisExpr::Name(_) => extents.push(None),
            AxisExpr::Plus(_) => least = Some(least.unwrap_or(0) + 1),
            AxisExpr::Star(_) => least = Some(least.unwrap_or(0)),
            AxisExpr::Axes { count: AxisCount::Fixed(n, _), .. } => {
                extents.extend(vec![None; usize::try_from(*n).unwrap_or(0)]);
            }
            AxisExpr::Axes { count: AxisCount::Name(_), at_least, .. } => {
                least = Some(least.unwrap_or(0) + usize::try_from(*at_least).unwrap_or(0));
            }
        }
    }
    match least {
        Some(least) => Class::AtLeast(extents.len() + least),
        None => Class::Extents(extents),
    }
}

impl<'a> Checker<'a> {
    /// What the signature of a declaration means.
    pub(super) fn signature(&mut self, id: DeclId) -> Rc<Signature> {
        if let Some(known) = &self.declarations[id].types {
            return known.clone();
        }
        let (unit, signature) = (self.declarations[id].unit, self.declarations[id].signature);
        let mut params = Vec::new();
        let mut references = Vec::new();
        for (at, param) in signature.params.iter().enumerate() {
            params.push((self.elem_of(unit, &param.ty), class_of(&param.ty)));
            if param.is_reference {
                references.push(at);
            }
        }
        let mut results: Vec<(Option<Elem>, Class)> =
            signature.results.iter().map(|ty| (self.elem_of(unit, ty), class_of(ty))).collect();
        results.extend(references.iter().map(|at| params[*at].clone()));
        let known = Rc::new(Signature { params, results, references });
        self.declarations[id].types = Some(known.clone());
        known
    }

    /// The types of the results of a call with arguments of these shapes, or what is wrong with the shapes: the number of the
    /// argument, and what would be right.
    pub(super) fn instantiate(&mut self, id: DeclId, arguments: &[Ty]) -> Result<Vec<Ty>, (usize, String)> {
        let types = self.signature(id);
        let signature = self.declarations[id].signature;
        let mut bound: HashMap<&str, Bound> = HashMap::new();
        for param in &signature.params {
            if class_of(&param.ty) == scalar() {
                bound.insert(&param.name.text, Bound::Number(None));
            }
        }
        for (at, (param, argument)) in signature.params.iter().zip(arguments).enumerate() {
            if let Class::Extents(extents) = &argument.class {
                match_extents(&param.ty, extents, &mut bound)
                    .map_err(|extents| (at, Class::Extents(extents).to_string()))?;
            }
        }
        let declared = signature.results.iter();
        let references = types.references.iter().map(|at| &signature.params[*at].ty);
        let results = declared.chain(references).zip(&types.results);
        Ok(results.map(|(ty, (elem, _))| Ty { elem: *elem, class: bound_class(ty, &bound), value: None }).collect())
    }
}

/// Binds the names of a parameter's type to the extents of an argument. On a mismatch, the extents that would be right.
fn match_extents<'a>(
    ty: &'a TypeExpr,
    extents: &[Option<i64>],
    bound: &mut HashMap<&'a str, Bound>,
) -> Result<(), Vec<Option<i64>>> {
    let axes = ty.shape.as_deref().unwrap_or(&[]);
    let width = |axis: &AxisExpr, bound: &HashMap<&str, Bound>| match axis {
        AxisExpr::Extent(..) | AxisExpr::Dot(_) | AxisExpr::Name(_) => Some(1),
        AxisExpr::Plus(_) | AxisExpr::Star(_) => None,
        AxisExpr::Axes { count: AxisCount::Fixed(n, _), .. } => usize::try_from(*n).ok(),
        AxisExpr::Axes { count: AxisCount::Name(name), shape, .. } => {
            let number = match bound.get(name.text.as_str()) {
                Some(Bound::Number(Some(n))) => usize::try_from(*n).ok(),
                _ => None,
            };
            let part = match shape.as_ref().and_then(|shape| bound.get(shape.text.as_str())) {
                Some(Bound::Extents(extents)) => Some(extents.len()),
                _ => None,
            };
            number.or(part)
        }
    };
    let widths: Vec<Option<usize>> = axes.iter().map(|axis| width(axis, bound)).collect();
    let fixed: usize = widths.iter().flatten().sum();
    let open = widths.iter().filter(|width| width.is_none()).count();
    // With too few or too many axes, or more than one part of unknown length, running the program tells.
    if open > 1 || fixed > extents.len() || (open == 0 && fixed != extents.len()) {
        return Ok(());
    }
    let mut at = 0;
    let mut wanted = extents.to_vec();
    let mut is_wrong = false;
    for (axis, width) in axes.iter().zip(widths) {
        let width = width.unwrap_or(extents.len() - fixed);
        let part = &extents[at..at + width];
        let mut demand = |name: &'a str, found: Bound, wanted: &mut [Option<i64>]| {
            let merged = match bound.get(name) {
                None => found,
                Some(known) => match merge(known, &found) {
                    Some(merged) => merged,
                    None => {
                        match known {
                            Bound::Number(n) => wanted.fill(*n),
                            Bound::Extents(extents) => {
                                for (wanted, known) in wanted.iter_mut().zip(extents) {
                                    *wanted = *known;
                                }
                            }
                        }
                        is_wrong = true;
                        return;
                    }
                },
            };
            bound.insert(name, merged);
        };
        match axis {
            AxisExpr::Name(name) if name.text != "_" => {
                demand(&name.text, Bound::Number(part[0]), &mut wanted[at..=at]);
            }
            AxisExpr::Axes { count, shape, .. } => {
                if let AxisCount::Name(name) = count {
                    demand(&name.text, Bound::Number(i64::try_from(width).ok()), &mut []);
                }
                if let Some(shape) = shape {
                    demand(&shape.text, Bound::Extents(part.to_vec()), &mut wanted[at..at + width]);
                }
            }
            AxisExpr::Name(_) | AxisExpr::Extent(..) | AxisExpr::Dot(_) | AxisExpr::Plus(_) | AxisExpr::Star(_) => {}
        }
        at += width;
    }
    if is_wrong { Err(wanted) } else { Ok(()) }
}

/// What is known of a name that stands for both; `None` if it cannot.
fn merge(x: &Bound, y: &Bound) -> Option<Bound> {
    let number = |x: Option<i64>, y: Option<i64>| match (x, y) {
        (Some(x), Some(y)) => (x == y).then_some(Some(x)),
        (x, y) => Some(x.or(y)),
    };
    match (x, y) {
        (Bound::Number(x), Bound::Number(y)) => number(*x, *y).map(Bound::Number),
        (Bound::Extents(x), Bound::Extents(y)) if x.len() == y.len() => {
            x.iter().zip(y).map(|(x, y)| number(*x, *y)).collect::<Option<Vec<_>>>().map(Bound::Extents)
        }
        (Bound::Extents(_), Bound::Extents(_)) => None,
        // A name for two kinds of things is an error where the function is defined.
        (Bound::Number(_), Bound::Extents(_)) | (Bound::Extents(_), Bound::Number(_)) => Some(x.clone()),
    }
}

fn bound_class(ty: &TypeExpr, bound: &HashMap<&str, Bound>) -> Class {
    let mut extents = Vec::new();
    let mut least = None;
    for axis in ty.shape.iter().flatten() {
        match axis {
            AxisExpr::Extent(n, _) => extents.push(Some(*n)),
            AxisExpr::Dot(_) => extents.push(None),
            AxisExpr::Name(name) => extents.push(match bound.get(name.text.as_str()) {
                Some(Bound::Number(n)) => *n,
                _ => None,
            }),
            AxisExpr::Plus(_) => least = Some(least.unwrap_or(0) + 1),
            AxisExpr::Star(_) => least = Some(least.unwrap_or(0)),
            AxisExpr::Axes { count, at_least, shape } => {
                let part = shape.as_ref().and_then(|shape| bound.get(shape.text.as_str()));
                let number = match count {
                    AxisCount::Fixed(n, _) => usize::try_from(*n).ok(),
                    AxisCount::Name(name) => match bound.get(name.text.as_str()) {
                        Some(Bound::Number(Some(n))) => usize::try_from(*n).ok(),
                        _ => None,
                    },
                };
                match (part, number) {
                    (Some(Bound::Extents(part)), _) => extents.extend(part),
                    (_, Some(n)) => extents.extend(vec![None; n]),
                    (_, None) => least = Some(least.unwrap_or(0) + usize::try_from(*at_least).unwrap_or(0)),
                }
            }
        }
    }
    match least {
        Some(least) => Class::AtLeast(extents.len() + least),
        None => Class::Extents(extents),
    }
}

impl Checker<'_> {
    /// The types of a declaration's parameters, for messages: `(int[.], double[*])`.
    pub(super) fn parameters_text(&mut self, id: DeclId) -> String {
        let types = self.signature(id);
        let words: Vec<String> = types
            .params
            .iter()
            .map(|(elem, class)| match elem {
                Some(elem) => format!("{}{}", self.program.elem_name(*elem), class),
                None => "?".to_string(),
            })
            .collect();
        format!("({})", words.join(", "))
    }

    /// Reports shapes with two parts of unknown length that nothing fixes. Adds what the patterns determine.
    pub(super) fn check_open_parts(&mut self, patterns: &[&Pattern], determined: &mut BTreeSet<Local>) {
        for at in undetermined(patterns, determined) {
            self.error(SacError::SeveralOpenParts { span: patterns[at].span });
        }
    }
}
