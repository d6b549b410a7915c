//! Which function is the entry, and for arguments of which ranks: as the user writes it (`f`, `f(double[.,.], int)`), or as the
//! arguments say.

use super::values;
use crate::error::Error;
use crate::files;
use crate::npy::may_convert;
use frit_front::sac::core::dispatch::{Choice, Class, choose};
use frit_front::sac::core::{FunctionId, Program};
use frit_front::sac::specialise::{ParamShape, Request};
use frit_ir::{Scalar, Tensor};

/// A function as the user names it.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    name: String,
    /// Element type and extents per parameter, if they are given.
    params: Option<Vec<(String, Vec<Option<i64>>)>>,
}

impl Selection {
    /// Reads `f` or `f(double[.,.], int)`.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let malformed = || {
            Error::usage(format!(
                "`{text}` names no entry function: give its name, or with types of known rank as in `f(double[.,.], int)`"
            ))
        };
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return if text.is_empty() { Err(malformed()) } else { Ok(Self { name: text.to_string(), params: None }) };
        };
        let inside = rest.strip_suffix(')').ok_or_else(malformed)?;
        let mut params = Vec::new();
        let mut rest = inside.trim();
        while !rest.is_empty() {
            let end = rest.find(['[', ',']).unwrap_or(rest.len());
            let elem = rest[..end].trim().to_string();
            rest = &rest[end..];
            let mut extents = Vec::new();
            if let Some(shape) = rest.strip_prefix('[') {
                let (shape, after) = shape.split_once(']').ok_or_else(malformed)?;
                for extent in shape.split(',').map(str::trim).filter(|_| !shape.trim().is_empty()) {
                    extents.push(match extent {
                        "." => None,
                        number => Some(number.parse::<u32>().map_err(|_| malformed())?.into()),
                    });
                }
                rest = after.trim_start();
            }
            let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !is_word(elem.strip_prefix("struct ").unwrap_or(&elem)) {
                return Err(malformed());
            }
            params.push((elem, extents));
            rest = match rest.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if rest.is_empty() => rest,
                None => return Err(malformed()),
            };
        }
        Ok(Self { name: name.trim().to_string(), params: Some(params) })
    }

    /// The function, and what its arguments look like.
    pub(crate) fn choose(&self, program: &Program) -> Result<(FunctionId, Option<Request>), Error> {
        let candidates = self.candidates(program)?;
        let Some(params) = &self.params else {
            return match candidates[..] {
                [function] => Ok((function, None)),
                _ => Err(self.several(program, &candidates)),
            };
        };
        let shapes = params.iter().map(|(_, extents)| ParamShape { extents: extents.clone() }).collect();
        let classes: Vec<Class> = params.iter().map(|(_, extents)| Class::Extents(extents.clone())).collect();
        let function = self.most_specific(program, &candidates, &classes)?;
        Ok((function, Some(Request { function, params: shapes })))
    }

    /// The function for arguments in these words, what they look like, and the arguments.
    pub(crate) fn choose_for(
        &self,
        program: &Program,
        words: &[String],
    ) -> Result<(FunctionId, Request, Vec<Tensor>), Error> {
        let candidates = self.candidates(program)?;
        let mut fitting = Vec::new();
        let mut refused = None;
        for &function in &candidates {
            match Signature::of(program, function).arguments(words) {
                Ok((classes, tensors)) => fitting.push((function, classes, tensors)),
                Err(error) => refused = Some(error),
            }
        }
        let functions: Vec<FunctionId> = fitting.iter().map(|(function, ..)| *function).collect();
        let Some((_, classes, _)) = fitting.first() else {
            return Err(refused.expect("a candidate that does not fit says why"));
        };
        let elems = |function: FunctionId| -> Vec<_> {
            program.functions[function].params.iter().map(|param| param.pattern.elem).collect()
        };
        if functions.iter().any(|&function| elems(function) != elems(functions[0])) {
            return Err(self.several(program, &functions));
        }
        let chosen = self.most_specific(program, &functions, classes)?;
        let (_, classes, tensors) =
            fitting.into_iter().find(|(function, ..)| *function == chosen).expect("it is one of them");
        Ok((chosen, request_for(chosen, &classes), tensors))
    }

    /// The function for arguments of these types and shapes, one list for each parameter, and what they look like. A function whose element
    /// types are those of the arguments goes before one to whose types they are converted.
    pub(crate) fn choose_given(&self, program: &Program, given: &[Vec<Given>]) -> Result<(FunctionId, Request), Error> {
        let candidates = self.candidates(program)?;
        let mut fitting: Vec<(FunctionId, Vec<Class>, bool)> = Vec::new();
        let mut refused = None;
        for &function in &candidates {
            match Signature::of(program, function).classes(given) {
                Ok((classes, is_exact)) => fitting.push((function, classes, is_exact)),
                Err(error) => refused = Some(error),
            }
        }
        let any_exact = fitting.iter().any(|(_, _, is_exact)| *is_exact);
        fitting.retain(|(_, _, is_exact)| *is_exact == any_exact);
        let functions: Vec<FunctionId> = fitting.iter().map(|(function, ..)| *function).collect();
        let Some((_, classes, _)) = fitting.first() else {
            return Err(match refused {
                Some(error) if candidates.len() == 1 => error,
                _ => self.several(program, &candidates),
            });
        };
        let chosen = self.most_specific(program, &functions, classes)?;
        Ok((chosen, request_for(chosen, classes)))
    }

    /// True if extents of arguments tell which function is meant.
    pub(crate) fn depends_on_extents(&self, program: &Program) -> bool {
        let candidates = self.candidates(program).unwrap_or_default();
        let has_extent = |class: Class| matches!(class, Class::Extents(extents) if extents.iter().any(Option::is_some));
        let params = |id: &FunctionId| program.functions[*id].params.iter().map(|param| param.pattern.class());
        candidates.len() > 1 && candidates.iter().any(|id| params(id).any(has_extent))
    }

    /// What the arguments of the function are read as, if no argument tells which function is meant.
    pub(crate) fn only(&self, program: &Program) -> Option<Signature> {
        match self.candidates(program).ok()?[..] {
            [function] => Some(Signature::of(program, function)),
            _ => None,
        }
    }

    /// The functions that the selection may mean.
    fn candidates(&self, program: &Program) -> Result<Vec<FunctionId>, Error> {
        let named: Vec<FunctionId> = program
            .functions
            .iter()
            .filter(|(_, function)| function.module.is_none() && function.name == self.name)
            .map(|(id, _)| id)
            .collect();
        if named.is_empty() {
            return Err(Error::usage(format!("the program defines no function `{}`", self.name)));
        }
        let Some(params) = &self.params else { return Ok(named) };
        let fits = |id: &FunctionId| {
            let own = &program.functions[*id].params;
            own.len() == params.len()
                && own.iter().zip(params).all(|(own, (elem, _))| program.elem_name(own.pattern.elem) == *elem)
        };
        let fitting: Vec<FunctionId> = named.iter().copied().filter(fits).collect();
        if fitting.is_empty() { Err(self.several(program, &named)) } else { Ok(fitting) }
    }

    fn most_specific(
        &self,
        program: &Program,
        candidates: &[FunctionId],
        classes: &[Class],
    ) -> Result<FunctionId, Error> {
        match choose(program, candidates, classes) {
            Choice::One(function) => Ok(function),
            Choice::Depends(functions) => Ok(functions[0]),
            Choice::None | Choice::Ambiguous(_) => Err(self.several(program, candidates)),
        }
    }

    /// It is not clear which function is meant: these are there.
    fn several(&self, program: &Program, functions: &[FunctionId]) -> Error {
        let list: Vec<String> = functions.iter().map(|&id| signature(program, id)).collect();
        Error::usage(format!(
            "which function `{}` is meant is not clear; name one with its types, as in `--entry '{}'`",
            self.name,
            list.join("' or '")
        ))
    }
}

/// A function as a selection names it.
fn signature(program: &Program, function: FunctionId) -> String {
    let data = &program.functions[function];
    let params: Vec<String> = data.params.iter().map(|param| program.type_name(&param.pattern)).collect();
    format!("{}({})", data.name, params.join(", "))
}

/// For arguments of these shapes. Extents stay unknown, so that one compilation serves all sizes.
pub(crate) fn request_for(function: FunctionId, classes: &[Class]) -> Request {
    let ranks = classes.iter().map(|class| class.rank().expect("arguments have shapes"));
    Request { function, params: ranks.map(|rank| ParamShape { extents: vec![None; rank] }).collect() }
}

/// An argument, as far as it tells which function is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The element type.
    pub elem: Scalar,
    /// The shape.
    pub shape: Vec<usize>,
    /// It is a number without a type of its own, which has any that it fits.
    pub is_untyped: bool,
}

/// What the arguments of a function are read as.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The function as a selection names it.
    pub(crate) text: String,
    pub(crate) params: Vec<Param>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    /// The type as the language writes it.
    pub(crate) ty: String,
    /// The tensors it consists of: element type, and the number of axes they have more than the value has.
    pub(crate) tensors: Vec<(Scalar, usize)>,
    pub(crate) class: Class,
}

impl Signature {
    pub(crate) fn of(program: &Program, function: FunctionId) -> Self {
        let data = &program.functions[function];
        let param = |param: &frit_front::sac::core::Param| Param {
            name: data.locals[param.local].name.clone(),
            ty: program.type_name(&param.pattern),
            tensors: program.leaves(param.pattern.elem).into_iter().map(|(elem, inner)| (elem, inner.len())).collect(),
            class: param.pattern.class(),
        };
        Self { text: signature(program, function), params: data.params.iter().map(param).collect() }
    }

    /// The shapes of these arguments, and whether their element types are those of the parameters.
    fn classes(&self, given: &[Vec<Given>]) -> Result<(Vec<Class>, bool), Error> {
        if given.len() != self.params.len() {
            let count = self.params.len();
            let arguments = if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
            return Err(Error::usage(format!("`{}` takes {arguments}, but {} are given", self.text, given.len())));
        }
        let (mut classes, mut is_exact) = (Vec::new(), true);
        for (param, given) in self.params.iter().zip(given) {
            let Param { name, ty, tensors: parts, class } = param;
            let bad =
                |what: &str| Err(Error::usage(format!("the argument for parameter `{name}` of type {ty} {what}")));
            if parts.len() != given.len() {
                return bad(&format!("must be {} arrays, but is {}", parts.len(), given.len()));
            }
            let mut shape: Option<&[usize]> = None;
            for (&(elem, inner), given) in parts.iter().zip(given) {
                let is_own = elem == given.elem || (given.is_untyped && elem.is_integer() && given.elem.is_integer());
                is_exact &= is_own;
                if !is_own && !may_convert(given.elem, elem) {
                    return bad(&format!("has elements of type {}", given.elem));
                }
                let Some(rank) = given.shape.len().checked_sub(inner) else {
                    return bad(&format!("has rank {}, but its cells alone have rank {inner}", given.shape.len()));
                };
                if *shape.get_or_insert(&given.shape[..rank]) != &given.shape[..rank] {
                    return bad("consists of arrays of different shapes");
                }
            }
            let own = Class::Extents(shape.unwrap_or_default().iter().map(|&extent| Some(extent as i64)).collect());
            if !own.is_within(class) {
                return bad(&format!("has the shape {:?}", shape.unwrap_or_default()));
            }
            classes.push(own);
        }
        Ok((classes, is_exact))
    }

    /// The arguments for the parameters: for each one word with the value as text, or one file for each tensor it consists of.
    pub(crate) fn arguments(&self, words: &[String]) -> Result<(Vec<Class>, Vec<Tensor>), Error> {
        let mut rest = words.iter();
        let wrong_count = || {
            let count = self.params.len();
            let arguments = if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
            Error::usage(format!("`{}` takes {arguments}", self.text))
        };
        let (mut classes, mut tensors) = (Vec::new(), Vec::new());
        for Param { name, ty, tensors: parts, class } in &self.params {
            let mut shape: Option<Vec<Option<i64>>> = None;
            for (nth, &(elem, inner)) in parts.iter().enumerate() {
                let word = rest.next().ok_or_else(wrong_count)?;
                let bad =
                    |message: String| Error::input(format!("`{word}`, for parameter `{name}` of type {ty}: {message}"));
                let value = |text: &str| {
                    values::read(text, elem)
                        .map_err(|error| bad(format!("{}, at character {}", error.message, error.at + 1)))
                };
                let own = if parts.len() > 1 || files::is_named_file(word) { None } else { value(word).ok() };
                let tensor = match own {
                    Some(tensor) => tensor,
                    None if files::is_file(word) => match files::read(word).map_err(bad)? {
                        files::Given::Text(text) => value(text.trim())?,
                        given => given.array(elem, class.rank().map(|rank| rank + inner)).map_err(bad)?,
                    },
                    None if parts.len() > 1 => {
                        return Err(bad(format!("consists of {} arrays: give as many files", parts.len())));
                    }
                    None => value(word)?,
                };
                let Some(rank) = tensor.shape().len().checked_sub(inner) else {
                    let rank = tensor.shape().len();
                    return Err(bad(format!("has rank {rank}, but its cells alone have rank {inner}")));
                };
                let own: Vec<Option<i64>> = tensor.shape()[..rank].iter().map(|&extent| Some(extent as i64)).collect();
                if *shape.get_or_insert_with(|| own.clone()) != own {
                    return Err(bad(format!("array {} has another shape than those before it", nth + 1)));
                }
                tensors.push(tensor);
            }
            let own = Class::Extents(shape.unwrap_or_default());
            if !own.is_within(class) {
                return Err(Error::input(format!("the argument for parameter `{name}` is not of type {ty}")));
            }
            classes.push(own);
        }
        if rest.next().is_some() {
            return Err(wrong_count());
        }
        Ok((classes, tensors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_names_with_or_without_types() {
        let plain = Selection::parse("relax").unwrap();
        assert!(plain.name == "relax" && plain.params.is_none());
        let typed = Selection::parse("f(double[.,3], int, complex[])").unwrap();
        let params = typed.params.unwrap();
        assert_eq!(params[0], ("double".to_string(), vec![None, Some(3)]));
        assert_eq!(params[1], ("int".to_string(), vec![]));
        assert_eq!(params[2], ("complex".to_string(), vec![]));
        assert_eq!(Selection::parse("f()").unwrap().params, Some(Vec::new()));
        for wrong in ["", "f(", "f(double[*])", "f(int int)", "f([.])"] {
            assert!(Selection::parse(wrong).is_err(), "{wrong}");
        }
    }
}
