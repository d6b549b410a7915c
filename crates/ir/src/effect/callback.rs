//! Calls of functions of the language that a program was written in, such as Python: those that are not compiled.
//!
//! The program knows what such a call takes and gives, and a number, by which a [`Caller`] finds the function. A call gives its scalar
//! results, the extents of its arrays, and the new contents of arguments that it writes. [`Effect::Take`](super::Effect::Take) then makes
//! arrays of the other results.

use crate::Scalar;
use std::ffi::c_void;
use std::fmt;

/// A call of a function that is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// Which of the program's calls it is, for the [`Caller`].
    pub number: usize,
    /// What is called, for people: a word without blanks and parentheses.
    pub name: String,
    /// The element types and ranks of the arguments.
    pub args: Vec<(Scalar, usize)>,
    /// The arguments that it writes, by position: arrays, of which it gives new versions.
    pub written: Vec<usize>,
    /// The element types and ranks of the results.
    pub results: Vec<(Scalar, usize)>,
}

impl Callback {
    /// The scalar types of what it gives in the IRs, and whether each is an array: of a result its value or its extents, then what it writes.
    pub(super) fn answers(&self) -> Vec<(Scalar, bool)> {
        let results = self.results.iter().flat_map(|&(elem, rank)| match rank {
            0 => vec![(elem, false)],
            rank => vec![(Scalar::I64, false); rank],
        });
        results.chain(self.written.iter().map(|&at| (self.args[at].0, true))).collect()
    }

    /// How many of its answers are scalars.
    pub fn scalars(&self) -> usize {
        self.results.iter().map(|&(_, rank)| rank.max(1)).sum()
    }

    /// Why an argument of this type does not fit, if it does not.
    pub(super) fn misfit(&self, at: usize, elem: Scalar, rank: usize) -> Option<String> {
        let needed = *self.args.get(at)?;
        (needed != (elem, rank)).then(|| format!("argument {at} of `{}` is no {elem} of rank {rank}", self.name))
    }

    /// Reads what [`Display`](fmt::Display) writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once(" (")?;
        let (number, name) = head.split_once(' ')?;
        let parts: Vec<&str> = rest.strip_suffix(')')?.split(") (").collect();
        let [args, written, results] = parts[..] else { return None };
        let list = |text: &str| -> Vec<String> {
            text.split(", ").filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let types = |text: &str| -> Option<Vec<(Scalar, usize)>> {
            let part = |part: &String| {
                let (elem, rank) = part.split_once(' ')?;
                Some((Scalar::from_name(elem)?, rank.parse().ok()?))
            };
            list(text).iter().map(part).collect()
        };
        let args = types(args)?;
        let written: Vec<usize> = list(written).iter().map(|at| at.parse().ok()).collect::<Option<_>>()?;
        let are_arrays = written.iter().all(|&at| args.get(at).is_some_and(|&(_, rank)| rank > 0));
        let number = number.parse().ok()?;
        are_arrays.then_some(Self { number, name: name.to_owned(), args, written, results: types(results)? })
    }
}

/// `3 np.linalg.solve (f64 2, f64 1) () (f64 1)`: number, name, arguments, which are written, and results.
impl fmt::Display for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = |types: &[(Scalar, usize)]| {
            types.iter().map(|(elem, rank)| format!("{elem} {rank}")).collect::<Vec<_>>().join(", ")
        };
        let written = self.written.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "{} {} ({}) ({written}) ({})", self.number, self.name, types(&self.args), types(&self.results))
    }
}

/// An argument of a call, where it is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The elements, row-major, or the scalar. They may be written if the call says so.
    pub elements: *mut c_void,
    /// Their type.
    pub elem: Scalar,
    /// The extents.
    pub shape: &'a [i64],
}

/// A call failed, which ends the program. Whoever made it knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// Makes the calls of one run.
pub trait Caller: Send + Sync {
    /// Makes the call of this number. Puts scalars and extents into the answers, as the bits of the values, low bytes first, and what the
    /// program prints by it into the text.
    ///
    /// # Errors
    ///
    /// The call failed, or gives something else than the program knows.
    fn call(&self, number: usize, args: &[Place<'_>], answers: &mut [u64], printed: &mut String) -> Result<(), Failed>;

    /// Copies the elements of an array that is a result of the last call to this place, which has the extents that the call gave.
    ///
    /// # Errors
    ///
    /// There is no memory for it.
    fn take(&self, result: usize, to: Place<'_>) -> Result<(), Failed>;
}

impl fmt::Debug for dyn Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a caller")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["0 f () () ()", "3 np.sort (f64 2, i64 0) (0) (f64 2, bool 0)"] {
            assert_eq!(Callback::parse(text).map(|call| call.to_string()).as_deref(), Some(text));
        }
        for text in ["f", "0 f () ()", "x f () () ()", "0 f (f64) () ()", "0 f (f64 0) (0) ()", "0 f () (0) ()"] {
            assert_eq!(Callback::parse(text), None, "{text}");
        }
    }
}
