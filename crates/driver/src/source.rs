//! From a file to a program on the array IR, whatever language the file is in.

use crate::error::{self, Error, Kind};
use frit_front::l0::ast::BasicType;
use frit_front::l0::signature::{Parameter, Signature};
use frit_front::l0::types::Type;
use frit_front::l0::{self, text};
use frit_ir::array::{self, Func, Program, ResultExtent};
use frit_ir::{Const, Scalar, Tensor};
use frit_support::{Diagnostic, SourceMap, Span};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A checked program, as its front end gave it.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name to show, usually the file's.
    pub name: String,
    /// The sources that messages point into.
    pub sources: SourceMap,
    /// The program, unoptimised: the interpreter on it defines what it means.
    pub array: Program,
    /// What the program takes and gives; `None` if it has no entry function.
    pub signature: Option<Signature>,
}

/// Languages that files are in, by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    L0,
    ArrayIr,
}

/// Reads and checks a file.
///
/// # Errors
///
/// Every mistake in the source, or why the file cannot be read.
pub fn load(path: &Path) -> Result<Unit, Error> {
    let language = match path.extension().and_then(|e| e.to_str()) {
        Some("l0") => Language::L0,
        Some("ir") => Language::ArrayIr,
        _ => {
            let message =
                format!("`{}`: the extension says the language, and must be .l0 or .ir (array IR)", path.display());
            return Err(Error::usage(message));
        }
    };
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    if bytes.len() > 1 << 30 {
        return Err(Error::file(path, "source files over 1 GiB are not read"));
    }
    let name = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => parse(&name, text, language),
        Err(error) => {
            let mut sources = SourceMap::new();
            let at = error.utf8_error().valid_up_to();
            let valid = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            let file = sources.add(name, valid);
            let diagnostic = Diagnostic::error("not-utf8", "the file is not UTF-8 text")
                .label(Span::new(file, at, at), "the first wrong byte follows here");
            Err(Error::new(Kind::Source, &sources, diagnostic))
        }
    }
}

/// Checks a program in L0.
///
/// # Errors
///
/// Every mistake in the source.
pub fn load_l0(name: &str, text: &str) -> Result<Unit, Error> {
    parse(name, text.to_string(), Language::L0)
}

fn parse(name: &str, text: String, language: Language) -> Result<Unit, Error> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let text = sources.file(file).expect("the file was just added").text.as_str();
    let load = || match language {
        Language::L0 => {
            let lowered = l0::lower::lower(&l0::load(file, text)?);
            Ok((lowered.program, lowered.signature))
        }
        Language::ArrayIr => {
            let program = array::parse::parse_file(text, file).map_err(|error| {
                let span = Span::new(file, error.start, error.end);
                vec![Diagnostic::error("ir-syntax", error.message).label(span, "here")]
            })?;
            array::verify::verify(&program).map_err(|error| {
                vec![Diagnostic::error("ir-invariant", error.to_string()).label(Span::new(file, 0, 0), "in this file")]
            })?;
            let signature = program.entry.map(|entry| ir_signature(&program.funcs[entry]));
            Ok((program, signature))
        }
    };
    let loaded = catch_unwind(AssertUnwindSafe(|| frit_support::with_deep_stack(load)));
    let loaded = loaded.map_err(|panic| {
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("l0");
        error::bug("checking", &error::panic_message(&*panic), text, extension)
    })?;
    match loaded {
        Ok((array, signature)) => Ok(Unit { name: name.to_string(), sources, array, signature }),
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources }),
    }
}

/// The signature of a program that was written in the array IR: one parameter per IR parameter, sizes hidden.
fn ir_signature(func: &Func) -> Signature {
    let ty = |elem: Scalar, rank: usize| {
        let basic = match elem {
            Scalar::F32 | Scalar::F64 => BasicType::Real,
            Scalar::Bool => BasicType::Bool,
            Scalar::Char => BasicType::Char,
            Scalar::Cert => BasicType::Cert,
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => BasicType::Int,
        };
        (0..rank).fold(Type::Basic(basic), |row, _| Type::array_of(&row, false))
    };
    let params = func
        .params
        .iter()
        .map(|param| {
            let of = func.ty(param.value);
            Parameter { name: param.value.to_string(), ty: ty(of.elem, of.rank()) }
        })
        .collect();
    // A result that later results take their extents from is a size, not a value of its own.
    let sizes = func.results.iter().flat_map(|r| &r.shape).filter_map(|extent| match extent {
        ResultExtent::Result(at) => Some(at + 1),
        ResultExtent::Const(_) | ResultExtent::Size(_) | ResultExtent::Caller => None,
    });
    let hidden_results = sizes.max().unwrap_or(0);
    let mut results: Vec<Type> =
        func.results[hidden_results..].iter().map(|result| ty(result.elem, result.shape.len())).collect();
    let result = if results.len() == 1 { results.remove(0) } else { Type::tuple(results) };
    Signature { params, result, hidden_results }
}

impl Unit {
    /// The entry function's signature.
    ///
    /// # Errors
    ///
    /// There is no entry function.
    pub fn entry(&self) -> Result<(array::FuncId, &Signature), Error> {
        match (self.array.entry, &self.signature) {
            (Some(entry), Some(signature)) => Ok((entry, signature)),
            _ => {
                let diagnostic = Diagnostic::error("missing-main", format!("`{}` has no function `main`", self.name))
                    .note("define it, as in `fun int main() = 42`, or check the file with `frit check`");
                Err(Error::new(Kind::Run, &self.sources, diagnostic))
            }
        }
    }

    /// The results of the entry function as text, on one line, as L0 prints them.
    pub fn text(&self, results: &[Tensor]) -> String {
        match &self.signature {
            Some(signature) => frit_support::with_deep_stack(|| text::write_results(results, signature)),
            None => String::new(),
        }
    }

    /// The visible results, without the sizes that precede them.
    pub fn visible<'r>(&self, results: &'r [Tensor]) -> &'r [Tensor] {
        &results[self.signature.as_ref().map_or(0, |s| s.hidden_results)..]
    }
}

impl Unit {
    /// The visible results as text that shows every bit: reals by their bits, any NaN alike. For comparisons.
    pub fn bits(&self, results: &[Tensor]) -> String {
        let one = |tensor: &Tensor| {
            let element = |at: usize| match tensor.data().get(at) {
                Const::F64(bits) if f64::from_bits(bits).is_nan() => "nan".into(),
                Const::F32(bits) if f32::from_bits(bits).is_nan() => "nan".into(),
                other => format!("{other:?}"),
            };
            let elements: Vec<String> = (0..tensor.data().len()).map(element).collect();
            format!("{}{:?} {}\n", tensor.elem(), tensor.shape(), elements.join(" "))
        };
        self.visible(results).iter().map(one).collect()
    }
}
