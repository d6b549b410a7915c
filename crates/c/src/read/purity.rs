//! What a call does to memory, as far as its name or its body says.
//!
//! Read `effects` next, which uses it.

use super::facts::Facts;
use super::names::{DeclData, DeclKind, Names};
use super::syntax::{arguments, bare, callee, descendants, field, uncast};
use crate::ast::{CType, Kind, Node, Part};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Its result depends on the values of its arguments, and it does nothing else.
    Pure,
    /// Its result depends on memory besides, which it does not write.
    Reads,
    /// It writes what its first argument points to, and reads what the others point to.
    WritesFirst,
    /// It gives memory back.
    Frees,
    /// It may do anything.
    Unknown,
}

/// Functions of the standard library that compute a number from numbers. Those that may set `errno` are among them: a region that looks at
/// `errno` would call something that is not known.
const PURE: &[&str] = &[
    "abs",
    "labs",
    "llabs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "lrint",
    "lround",
    "llrint",
    "llround",
    "scalbn",
    "scalbln",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "fpclassify",
    "isgreater",
    "isless",
    "isgreaterequal",
    "islessequal",
    "islessgreater",
    "isunordered",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "toupper",
    "tolower",
    "creal",
    "cimag",
    "cabs",
    "carg",
    "conj",
    "cexp",
    "clog",
    "csqrt",
    "cpow",
    "csin",
    "ccos",
    // What the macros of <ctype.h> look up.
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    // What `assert` does if it fails: nothing that is computed afterwards matters.
    "__assert_fail",
];

/// What compilers have besides, after `__builtin_`.
const BUILTIN: &[&str] = &[
    "bswap16",
    "bswap32",
    "bswap64",
    "clz",
    "clzl",
    "clrsb",
    "ctz",
    "ctzl",
    "ffs",
    "ffsl",
    "huge_val",
    "huge_valf",
    "inf",
    "inff",
    "nan",
    "nanf",
    "parity",
    "parityl",
    "popcount",
    "popcountl",
    "isinf_sign",
    "signbitf",
    "signbitl",
];

/// Whether a name is one of the library's functions on numbers, also for `float` (`sqrtf`) and `long double` (`sqrtl`), or a compiler's builtin for one.
fn is_pure_library_function(name: &str) -> bool {
    if let Some(builtin) = name.strip_prefix("__builtin_")
        && BUILTIN.contains(&builtin.trim_end_matches("ll"))
    {
        return true;
    }
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let is = |name: &str| PURE.contains(&name);
    is(name) || name.strip_suffix(['f', 'l']).is_some_and(is)
}

/// What calls of a file's functions do.
pub(crate) struct Purity<'t, 'f> {
    facts: &'f Facts<'t>,
    known: RefCell<BTreeMap<String, Call>>,
}

/// Functions that are higher trees than this are not looked into.
const HIGHEST: usize = 150;

impl<'t, 'f> Purity<'t, 'f> {
    /// Nothing is looked at yet.
    pub(crate) fn new(facts: &'f Facts<'t>) -> Self {
        Self { facts, known: RefCell::default() }
    }

    /// What a call of this function does.
    pub(crate) fn of(&self, name: &str) -> Call {
        if let Some(known) = self.known.borrow().get(name) {
            return *known;
        }
        if let Some(is_const) = self.facts.attributed.get(name) {
            return if *is_const { Call::Pure } else { Call::Reads };
        }
        match self.facts.function(name) {
            Some(definition) => {
                // While it is looked at, a recursive call of it decides nothing.
                self.known.borrow_mut().insert(name.to_string(), Call::Unknown);
                let call = self.of_definition(definition);
                self.known.borrow_mut().insert(name.to_string(), call);
                call
            }
            None => match name {
                "free" | "__builtin_free" => Call::Frees,
                "memset" | "memcpy" | "memmove" | "__builtin_memset" | "__builtin_memcpy" | "__builtin_memmove" => {
                    Call::WritesFirst
                }
                "strlen" | "memcmp" | "strcmp" => Call::Reads,
                _ if is_pure_library_function(name) => Call::Pure,
                _ => Call::Unknown,
            },
        }
    }

    fn of_definition(&self, definition: Node<'t>) -> Call {
        let result = &definition.head().result;
        if definition.height() > HIGHEST || result.is_volatile || result.of.is_array() {
            return Call::Unknown;
        }
        let names = Names::of(definition, self.facts);
        let is_plain = |data: &DeclData<'_>| {
            let is_const_table = matches!(data.kind, DeclKind::Global)
                && data.typed.is_const
                && !matches!(data.of, CType::Pointer { .. });
            match data.kind {
                DeclKind::Parameter => !matches!(data.of, CType::Pointer { .. }),
                DeclKind::Local => !data.typed.is_static && !matches!(data.of.leaf(), CType::Pointer { .. }),
                DeclKind::Constant(_) | DeclKind::Undeclared => true,
                DeclKind::Global => is_const_table,
                DeclKind::Function => self.of(&data.name) == Call::Pure,
            }
        };
        if !names.used().all(|(_, data)| is_plain(data) && !data.typed.is_volatile) {
            return Call::Unknown;
        }
        let body = field(definition, Part::Body);
        let is_pure = body.is_some_and(|body| descendants(body).all(|node| self.is_pure(node, &names)));
        if is_pure { Call::Pure } else { Call::Unknown }
    }

    fn is_pure(&self, node: Node<'_>, names: &Names<'t>) -> bool {
        match node.kind() {
            Kind::Asm | Kind::Pointer | Kind::Unknown => false,
            Kind::Call => callee(node).is_some_and(|name| self.of(name) == Call::Pure),
            Kind::Assign | Kind::Update => {
                // Globals are constant here, so what is assigned is a local variable or a part of one.
                let target = field(node, Part::Left).or_else(|| field(node, Part::Operand));
                let decl = target.and_then(root).and_then(Node::decl);
                decl.is_some_and(|decl| matches!(names.decls[decl].kind, DeclKind::Local | DeclKind::Parameter))
            }
            _ => true,
        }
    }
}

/// The identifier that an assigned place begins with; `None` if it goes through a pointer or a call.
fn root(place: Node<'_>) -> Option<Node<'_>> {
    let mut node = bare(place);
    loop {
        node = bare(node);
        match node.kind() {
            Kind::Name => return Some(node),
            Kind::Subscript | Kind::Member => node = field(node, Part::Operand)?,
            _ => return None,
        }
    }
}

/// The name of a function that gives memory back.
pub(crate) fn frees(call: Node<'_>) -> bool {
    matches!(callee(call), Some("free" | "__builtin_free"))
}

/// What an allocation asks for: the bytes in all, and whether they are zero at first.
pub(crate) fn allocation(value: Node<'_>) -> Option<(Vec<Node<'_>>, bool)> {
    let call = uncast(value);
    let name = callee(call)?;
    match (name.strip_prefix("__builtin_").unwrap_or(name), &arguments(call)[..]) {
        ("malloc" | "alloca", [bytes]) => Some((vec![*bytes], false)),
        ("calloc", [count, bytes]) => Some((vec![*count, *bytes], true)),
        ("aligned_alloc", [_, bytes]) => Some((vec![*bytes], false)),
        _ => None,
    }
}
