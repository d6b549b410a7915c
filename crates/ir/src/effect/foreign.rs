//! Functions in C that a program calls.
//!
//! An effect of this kind takes scalars and whole arrays, and gives scalars and arrays whose extents are known before. Texts are vectors of
//! `char` here and strings in C: one that C returns becomes its length and a [handle](Foreign::text), which another effect makes an array of.

use crate::scalar::{Const, Scalar};
use crate::tensor::{Tensor, TensorData};
use std::fmt;
use std::sync::OnceLock;

/// A function in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its name in C.
    pub name: String,
    /// Its calls keep their order, as output does. Others may be made any number of times, in any order, on any thread.
    pub is_ordered: bool,
    /// What it is given.
    pub args: Vec<Part>,
    /// What it gives. What has the place of an argument begins as the argument.
    pub results: Vec<Part>,
    /// The function itself, for interpreters.
    pub code: Code,
}

/// An argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The type of elements in C.
    pub ty: CType,
    /// What it is.
    pub form: PartForm,
    /// Which parameter of the C function it is, from 1 on; 0 for what that returns.
    pub place: usize,
}

/// What an argument or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartForm {
    /// A scalar.
    Scalar,
    /// The elements of an array of any rank, row-major.
    Array,
    /// A vector of `char`; a string in C, in UTF-8 and with a zero behind it.
    Text,
}

/// A row for each type of C: its name there, what represents it here.
macro_rules! c_types {
    ($($ty:ident = $name:literal $scalar:ident;)*) => {
        /// A type of C.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "named after the types of C")]
        pub enum CType {
            $($ty,)*
        }

        impl CType {
            /// All of them.
            pub const ALL: &'static [CType] = &[$(CType::$ty),*];

            /// Its name in C.
            pub fn name(self) -> &'static str {
                match self {
                    $(CType::$ty => $name,)*
                }
            }

            /// What represents its values in the IRs.
            pub fn scalar(self) -> Scalar {
                match self {
                    $(CType::$ty => Scalar::$scalar,)*
                }
            }
        }
    };
}

c_types! {
    Bool = "_Bool" Bool;
    Char = "char" Char;
    SignedChar = "signed char" I8;
    Short = "short" I16;
    Int = "int" I32;
    Long = "long" I64;
    LongLong = "long long" I64;
    UnsignedChar = "unsigned char" U8;
    UnsignedShort = "unsigned short" U16;
    UnsignedInt = "unsigned int" U32;
    UnsignedLong = "unsigned long" U64;
    UnsignedLongLong = "unsigned long long" U64;
    Float = "float" F32;
    Double = "double" F64;
    Pointer = "void *" I64;
}

/// Calls the function: takes the arguments, and what the results begin as; gives the results.
type Call = dyn Fn(&[Tensor], Vec<Tensor>) -> Vec<Tensor> + Send + Sync;

/// The function for interpreters, once it is loaded. All are equal.
#[derive(Default)]
pub struct Code(OnceLock<Box<Call>>);

impl Code {
    /// Loads the function, unless it is.
    pub fn load(&self, call: Box<Call>) {
        let _ = self.0.set(call);
    }
}

impl Clone for Code {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Code {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "loaded" } else { "not loaded" })
    }
}

impl Foreign {
    /// The name of [`text`](Self::text).
    pub const TEXT: &'static str = "frit_text_of_c";

    /// Makes an array of a text that C returned, of its handle; its extent is the length that came with the handle. Once only.
    pub fn text() -> Self {
        let part = |ty, form, place| Part { ty, form, place };
        Self {
            name: Self::TEXT.to_owned(),
            is_ordered: false,
            args: vec![part(CType::Long, PartForm::Scalar, 1)],
            results: vec![part(CType::Char, PartForm::Array, 2)],
            code: Code::default(),
        }
    }

    /// The scalar types of the results in the IRs, and whether each is an array: a text counts as its length and its handle.
    pub fn result_types(&self) -> impl Iterator<Item = (Scalar, bool)> {
        self.results.iter().flat_map(|part| match part.form {
            PartForm::Scalar => vec![(part.ty.scalar(), false)],
            PartForm::Array => vec![(part.ty.scalar(), true)],
            PartForm::Text => vec![(Scalar::I64, false), (Scalar::I64, false)],
        })
    }

    /// The number of the argument that a result begins as.
    pub fn origin(&self, result: &Part) -> Option<usize> {
        let is_same = |arg: &Part| result.place > 0 && arg.place == result.place;
        self.args.iter().position(is_same)
    }

    /// Why an argument of this type does not fit, if it does not.
    pub(super) fn misfit(&self, at: usize, elem: Scalar, rank: usize) -> Option<String> {
        let part = self.args.get(at)?;
        let fits = elem == part.ty.scalar()
            && match part.form {
                PartForm::Scalar => rank == 0,
                PartForm::Array => rank > 0,
                PartForm::Text => rank == 1,
            };
        (!fits).then(|| format!("argument {at} of `{}` is no {elem} of rank {rank}", self.name))
    }

    /// Calls it for an interpreter. `shapes` has an entry for each array among the results.
    ///
    /// # Panics
    ///
    /// It is not loaded.
    pub fn call(&self, args: &[Tensor], shapes: &[Vec<usize>]) -> Vec<Tensor> {
        let code = self.code.0.get().expect("functions in C are loaded before a program runs");
        let mut shapes = shapes.iter();
        let begin = |part: &Part| {
            let zero = part.ty.scalar().zero();
            let zeros = match part.form {
                PartForm::Scalar => Tensor::scalar(zero),
                PartForm::Array => {
                    let shape = shapes.next().cloned().unwrap_or_default();
                    let elements = TensorData::splat(zero, shape.iter().product());
                    Tensor::new(shape, elements).expect("as many zeros as the shape has elements")
                }
                PartForm::Text => return vec![Tensor::scalar(Const::i64(0)); 2],
            };
            vec![self.origin(part).map_or(zeros, |at| args[at].clone())]
        };
        let begun: Vec<Tensor> = self.results.iter().flat_map(begin).collect();
        code(args, begun)
    }
}

/// `hypot3 pure (double 1, double[] 2) (double 0)`: name, kind, arguments and results with their places.
impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = |parts: &[Part]| parts.iter().map(Part::to_string).collect::<Vec<_>>().join(", ");
        let kind = if self.is_ordered { "ordered" } else { "pure" };
        write!(f, "{} {kind} ({}) ({})", self.name, parts(&self.args), parts(&self.results))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            PartForm::Scalar => "",
            PartForm::Array => "[]",
            PartForm::Text => "*",
        };
        write!(f, "{}{form} {}", self.ty.name(), self.place)
    }
}

impl Foreign {
    /// Reads what [`Display`](fmt::Display) writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once(" (")?;
        let (name, kind) = head.split_once(' ')?;
        let (args, results) = rest.strip_suffix(')')?.split_once(") (")?;
        let is_ordered = match kind {
            "ordered" => true,
            "pure" => false,
            _ => return None,
        };
        let parts =
            |text: &str| text.split(", ").filter(|part| !part.is_empty()).map(Part::parse).collect::<Option<Vec<_>>>();
        let name = name.to_owned();
        Some(Self { name, is_ordered, args: parts(args)?, results: parts(results)?, code: Code::default() })
    }
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let (ty, place) = text.rsplit_once(' ')?;
        let named = |name: &str| CType::ALL.iter().copied().find(|known| known.name() == name);
        let (ty, form) = match (ty.strip_suffix("[]"), ty.strip_suffix('*')) {
            _ if named(ty).is_some() => (ty, PartForm::Scalar),
            (Some(ty), _) => (ty, PartForm::Array),
            (None, Some(ty)) => (ty, PartForm::Text),
            (None, None) => return None,
        };
        let ty = named(ty)?;
        Some(Self { ty, form, place: place.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let texts = [
            "f pure () ()",
            "hypot3 pure (double 1, unsigned long long 2) (double 0)",
            "open ordered (char* 1, void * 2) (void * 0)",
            "show ordered (char* 1, long[] 2) (char* 0, _Bool[] 2, int 3)",
        ];
        for text in texts {
            assert_eq!(Foreign::parse(text).map(|foreign| foreign.to_string()).as_deref(), Some(text));
        }
        for text in ["f", "f pure ()", "f other () ()", "f pure (word 1) ()", "f pure (int) ()", "f pure (int x) ()"] {
            assert_eq!(Foreign::parse(text), None, "{text}");
        }
    }
}
