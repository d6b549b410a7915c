//! Which function a call means, as far as the shapes of its arguments are known ([`choose`]), and the hierarchy of shapes that
//! decides it.

use super::{Axis, Count, Function, FunctionId, Pattern, Program};

/// The class of shapes that a type denotes, its variables aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// So many axes, some of known extent: `T`, `T[3,5]`, `T[.,.]`.
    Extents(Vec<Option<i64>>),
    /// At least so many axes: `T[*]`, `T[+]`.
    AtLeast(usize),
}

impl Class {
    /// True if every shape of this class is one of `other`.
    pub fn is_within(&self, other: &Class) -> bool {
        match (self, other) {
            (Class::Extents(x), Class::Extents(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| y.is_none() || x == y)
            }
            (Class::Extents(x), Class::AtLeast(n)) => x.len() >= *n,
            (Class::AtLeast(m), Class::AtLeast(n)) => m >= n,
            (Class::AtLeast(_), Class::Extents(_)) => false,
        }
    }

    /// True if some shape is of both classes.
    pub fn meets(&self, other: &Class) -> bool {
        match (self, other) {
            (Class::Extents(x), Class::Extents(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.is_none() || y.is_none() || x == y)
            }
            (Class::Extents(x), Class::AtLeast(n)) | (Class::AtLeast(n), Class::Extents(x)) => x.len() >= *n,
            (Class::AtLeast(_), Class::AtLeast(_)) => true,
        }
    }

    /// The smallest class that holds both.
    pub fn join(&self, other: &Class) -> Class {
        match (self, other) {
            (Class::Extents(x), Class::Extents(y)) if x.len() == y.len() => {
                Class::Extents(x.iter().zip(y).map(|(x, y)| if x == y { *x } else { None }).collect())
            }
            _ => Class::AtLeast(self.least_rank().min(other.least_rank())),
        }
    }

    /// The fewest axes that a shape of this class has.
    pub fn least_rank(&self) -> usize {
        match self {
            Class::Extents(extents) => extents.len(),
            Class::AtLeast(n) => *n,
        }
    }

    /// The number of axes, if all shapes of the class have the same.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Class::Extents(extents) => Some(extents.len()),
            Class::AtLeast(_) => None,
        }
    }
}

impl Pattern {
    /// The class of shapes it denotes in the hierarchy: variables stand for anything.
    pub fn class(&self) -> Class {
        let mut extents = Vec::new();
        let mut is_open = false;
        let mut least = 0;
        for axis in &self.axes {
            match axis {
                Axis::Extent(n) => extents.push(Some(*n)),
                Axis::Any | Axis::Bind(_) => extents.push(None),
                Axis::Axes { count: Count::Fixed(n), .. } => extents.extend(vec![None; *n]),
                Axis::Rest { at_least } | Axis::Axes { count: Count::Bind(_), at_least, .. } => {
                    is_open = true;
                    least += at_least;
                }
            }
        }
        if is_open { Class::AtLeast(extents.len() + least) } else { Class::Extents(extents) }
    }
}

/// What is known of which function a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<T = FunctionId> {
    /// This one.
    One(T),
    /// No candidate accepts the arguments.
    None,
    /// These accept them, and none of them is more specific than all others.
    Ambiguous(Vec<T>),
    /// It depends on the shapes at run time: the first of these that accepts the arguments, or an error if none does.
    Depends(Vec<T>),
}

/// The function among the candidates that a call with arguments of these classes means: the most specific one that
/// accepts them. Arguments of known shape always get a definite answer.
pub fn choose(program: &Program, candidates: &[FunctionId], arguments: &[Class]) -> Choice {
    choose_by(candidates.iter().map(|id| (*id, parameter_classes(&program.functions[*id]))), arguments)
}

/// As [`choose`], among candidates given with the classes of their parameters.
pub fn choose_by<T: Copy>(candidates: impl Iterator<Item = (T, Vec<Class>)>, arguments: &[Class]) -> Choice<T> {
    let mut viable: Vec<(T, Vec<Class>)> =
        candidates.filter(|(_, params)| params.iter().zip(arguments).all(|(p, a)| p.meets(a))).collect();
    if viable.is_empty() {
        return Choice::None;
    }
    let within = |x: &[Class], y: &[Class]| x.iter().zip(y).all(|(x, y)| x.is_within(y));
    // Candidates that always accept hide all that are less specific.
    let certain: Vec<Vec<Class>> =
        viable.iter().filter(|(_, params)| within(arguments, params)).map(|(_, params)| params.clone()).collect();
    viable.retain(|(_, params)| !certain.iter().any(|c| c != params && within(c, params)));
    if let [(only, params)] = viable.as_slice() {
        return if within(arguments, params) { Choice::One(*only) } else { Choice::Depends(vec![*only]) };
    }
    if viable.iter().all(|(_, params)| within(arguments, params)) {
        return Choice::Ambiguous(viable.into_iter().map(|(id, _)| id).collect());
    }
    // A stable order in which every candidate comes before all that are less specific.
    let mut ordered: Vec<(T, Vec<Class>)> = Vec::new();
    for candidate in viable {
        let at = ordered.iter().position(|(_, other)| within(&candidate.1, other)).unwrap_or(ordered.len());
        ordered.insert(at, candidate);
    }
    Choice::Depends(ordered.into_iter().map(|(id, _)| id).collect())
}

/// The classes of a function's parameters.
pub fn parameter_classes(function: &Function) -> Vec<Class> {
    function.params.iter().map(|param| param.pattern.class()).collect()
}
