//! What a call does to memory, as far as its name or its body says.
//!
//! Read `effects` next, which uses it.

use super::facts::Facts;
use super::names::{DeclKind, Names};
use super::syntax::{bare, children, descendants, field, text, uncast};
use super::types::{CType, declared, specifiers};
use super::writes::is_loud;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tree_sitter::Node;

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
    "assert",
];

/// Whether a name is one of the library's functions on numbers, also for `float` (`sqrtf`) and `long double` (`sqrtl`), or a compiler's builtin for one.
fn is_pure_library_function(name: &str) -> bool {
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
        match self.facts.functions.get(name) {
            Some(Some(definition)) => {
                // While it is looked at, a recursive call of it decides nothing.
                self.known.borrow_mut().insert(name.to_string(), Call::Unknown);
                let call = self.of_definition(*definition);
                self.known.borrow_mut().insert(name.to_string(), call);
                call
            }
            Some(None) => Call::Unknown,
            None if self.facts.macros.contains_key(name) => Call::Unknown,
            None => match name {
                "free" => Call::Frees,
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
        let source = self.facts.source;
        if definition.has_error() || super::syntax::height(definition) > HIGHEST {
            return Call::Unknown;
        }
        let result = specifiers(definition, source, &self.facts.types);
        let has_pointers = field(definition, "declarator")
            .and_then(|declarator| declared(declarator, CType::Unknown, source))
            .is_none_or(|(_, of)| of.is_array());
        if result.is_volatile || has_pointers {
            return Call::Unknown;
        }
        let names = Names::of(definition, self.facts);
        let is_plain = |data: &super::names::DeclData<'_>| {
            let is_const_table = matches!(data.kind, DeclKind::Global)
                && data.typed.is_const
                && !matches!(data.of, CType::Pointer { .. });
            match data.kind {
                DeclKind::Parameter => !matches!(data.of, CType::Pointer { .. }),
                DeclKind::Local => !data.typed.is_static && !matches!(data.of.leaf(), CType::Pointer { .. }),
                DeclKind::Constant(_) => true,
                DeclKind::Global => is_const_table,
                // Functions are looked at where they are called, macros with a known value hold constants.
                DeclKind::Undeclared => {
                    let is_constant = is_loud(&data.name) && !self.facts.macros.contains_key(&data.name);
                    is_constant || self.is_harmless(&data.name)
                }
            }
        };
        if !names.decls.iter().all(|(_, data)| is_plain(data) && !data.typed.is_volatile) {
            return Call::Unknown;
        }
        let body = field(definition, "body");
        let is_pure = body.is_some_and(|body| descendants(body).all(|node| self.is_pure(node, &names)));
        if is_pure { Call::Pure } else { Call::Unknown }
    }

    /// A name that is not a variable: a pure function, or a macro that stands for a number or a pure expression.
    fn is_harmless(&self, name: &str) -> bool {
        match self.facts.macros.get(name) {
            Some(known) => known.body.as_ref().is_some_and(|body| {
                let is_number = |node: Node<'_>| {
                    !matches!(
                        node.kind(),
                        "assignment_expression"
                            | "update_expression"
                            | "gnu_asm_expression"
                            | "compound_statement"
                            | "pointer_expression"
                            | "subscript_expression"
                            | "field_expression"
                            | "string_literal"
                    )
                };
                let names =
                    || body.expression().into_iter().flat_map(descendants).filter(|node| node.kind() == "identifier");
                let is_parameter =
                    |word: &str| known.params.as_ref().is_some_and(|params| params.iter().any(|param| param == word));
                body.expression().is_some_and(|expression| descendants(expression).all(is_number))
                    && names().all(|node| {
                        let word = text(node, &body.source);
                        is_parameter(word) || (word != name && self.is_harmless(word))
                    })
            }),
            None => {
                self.of(name) == Call::Pure
                    || matches!(name, "NAN" | "INFINITY" | "M_PI" | "M_E" | "true" | "false" | "NULL")
            }
        }
    }

    fn is_pure(&self, node: Node<'_>, names: &Names<'t>) -> bool {
        match node.kind() {
            "gnu_asm_expression" => false,
            "pointer_expression" | "pointer_declarator" => false,
            "call_expression" => {
                let callee = field(node, "function").map(bare);
                callee.is_some_and(|callee| {
                    callee.kind() == "identifier" && self.is_harmless(text(callee, self.facts.source))
                })
            }
            "assignment_expression" | "update_expression" => {
                // Globals are constant here, so what is assigned is a local variable or a part of one.
                let target = field(node, "left").or_else(|| field(node, "argument"));
                target.is_some_and(|target| {
                    root(target).is_some_and(|root| {
                        names
                            .of_identifier(root)
                            .is_some_and(|decl| matches!(names.decls[decl].kind, DeclKind::Local | DeclKind::Parameter))
                    })
                })
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
            "identifier" => return Some(node),
            "subscript_expression" | "field_expression" => node = field(node, "argument")?,
            _ => return None,
        }
    }
}

/// What an allocation asks for: the bytes in all, and whether they are zero at first.
pub(crate) fn allocation<'t>(value: Node<'t>, source: &str) -> Option<(Vec<Node<'t>>, bool)> {
    let call = uncast(value);
    if call.kind() != "call_expression" {
        return None;
    }
    let arguments = children(field(call, "arguments")?);
    match (text(field(call, "function")?, source), &arguments[..]) {
        ("malloc" | "alloca" | "__builtin_alloca", [bytes]) => Some((vec![*bytes], false)),
        ("calloc", [count, bytes]) => Some((vec![*count, *bytes], true)),
        ("aligned_alloc", [_, bytes]) => Some((vec![*bytes], false)),
        _ => None,
    }
}
