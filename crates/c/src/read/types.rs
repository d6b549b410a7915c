//! Types of C as far as regions need them: what is an integer, a pointer, an array with which extents, and how large elements are.
//!
//! Sizes are those of 64-bit Linux. Read `names` next.

use super::syntax::{children, field, fields, text};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum CType<'t> {
    /// An integer.
    Int { bytes: u64, is_signed: bool },
    /// A floating-point number.
    Float { bytes: u64 },
    /// A structure or union.
    Struct { name: Option<String>, bytes: u64 },
    /// A pointer.
    Pointer { target: Box<CType<'t>>, is_restrict: bool },
    /// An array; for a parameter, the outermost one is a pointer in truth: see [`CType::decayed`].
    Array { element: Box<CType<'t>>, size: Option<Node<'t>>, is_restrict: bool },
    /// A function.
    Function,
    /// A member of a structure that is `volatile`.
    Volatile,
    /// `void`, or a name that the file does not explain.
    Unknown,
}

/// A type with what its specifiers say besides.
#[derive(Clone, Debug)]
pub(crate) struct Typed<'t> {
    /// The type.
    pub(crate) of: CType<'t>,
    /// How the innermost element type is written, without qualifiers.
    pub(crate) base: String,
    /// `volatile` stands somewhere in it.
    pub(crate) is_volatile: bool,
    /// `const` stands among the specifiers, so that elements are not written.
    pub(crate) is_const: bool,
    /// `static` or `extern` or `_Thread_local` stands among the specifiers.
    pub(crate) is_static: bool,
}

/// The names of types that the file defines.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeNames<'t> {
    /// `typedef`.
    pub(crate) aliases: BTreeMap<String, CType<'t>>,
    /// The fields of `struct` and `union` by tag.
    pub(crate) tags: BTreeMap<String, BTreeMap<String, CType<'t>>>,
}

impl<'t> CType<'t> {
    /// The type of a parameter that is declared with this one: an array is a pointer.
    pub(crate) fn decayed(self) -> CType<'t> {
        match self {
            CType::Array { element, is_restrict, .. } => CType::Pointer { target: element, is_restrict },
            other => other,
        }
    }

    /// The element type at the bottom of arrays; a pointer to pointers has pointers as elements.
    pub(crate) fn leaf(&self) -> &CType<'t> {
        match self {
            CType::Array { element, .. } => element.leaf(),
            other => other,
        }
    }

    /// The extents of an array, outermost first; those of what a pointer points to after `None` for the pointer itself.
    pub(crate) fn extents(&self) -> Vec<Option<Node<'t>>> {
        let mut extents = Vec::new();
        let mut at = self;
        if let CType::Pointer { target, .. } = at {
            extents.push(None);
            at = target;
        }
        while let CType::Array { element, size, .. } = at {
            extents.push(*size);
            at = element;
        }
        extents
    }

    /// The type of the elements of an array or of what a pointer points to; of a scalar, its own.
    pub(crate) fn element(&self) -> &CType<'t> {
        match self {
            CType::Pointer { target, .. } => target.leaf(),
            other => other.leaf(),
        }
    }

    /// Its size, as far as it is constant and known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self {
            CType::Int { bytes, .. } | CType::Float { bytes } => Some(*bytes),
            CType::Struct { bytes, .. } => (*bytes > 0).then_some(*bytes),
            CType::Pointer { .. } => Some(8),
            CType::Array { .. } | CType::Function | CType::Volatile | CType::Unknown => None,
        }
    }

    /// It is a pointer or an array.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self, CType::Pointer { .. } | CType::Array { .. })
    }

    /// It is an integer, or may be one.
    pub(crate) fn may_be_integer(&self) -> bool {
        matches!(self, CType::Int { .. } | CType::Unknown)
    }

    /// An object of this type and one of that type may be accessed through each other's pointers.
    pub(crate) fn may_alias(&self, other: &CType<'_>) -> bool {
        use CType::{Float, Int, Pointer};
        match (self, other) {
            (Int { bytes: 1, .. }, _) | (_, Int { bytes: 1, .. }) => true,
            (Int { bytes: one, .. }, Int { bytes: two, .. }) | (Float { bytes: one }, Float { bytes: two }) => {
                one == two
            }
            (Int { .. }, Float { .. } | Pointer { .. })
            | (Float { .. }, Int { .. } | Pointer { .. })
            | (Pointer { .. }, Int { .. } | Float { .. }) => false,
            // A structure may hold anything, and so may what is not known.
            _ => true,
        }
    }
}

/// What the specifiers of a declaration say: everything before the declarators.
pub(crate) fn specifiers<'t>(declaration: Node<'t>, source: &str, names: &TypeNames<'t>) -> Typed<'t> {
    let mut typed =
        Typed { of: CType::Unknown, base: String::new(), is_volatile: false, is_const: false, is_static: false };
    for child in children(declaration) {
        match child.kind() {
            "type_qualifier" => match text(child, source) {
                "const" | "constexpr" => typed.is_const = true,
                word if word.contains("volatile") || word.contains("Atomic") => typed.is_volatile = true,
                _ => {}
            },
            "storage_class_specifier" => {
                typed.is_static |=
                    matches!(text(child, source), "static" | "extern" | "__thread" | "_Thread_local" | "thread_local");
            }
            _ => {}
        }
    }
    if let Some(node) = field(declaration, "type") {
        typed.base = words(text(node, source));
        typed.of = base_type(node, source, names);
    }
    typed
}

/// White space in a type is one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn base_type<'t>(node: Node<'t>, source: &str, names: &TypeNames<'t>) -> CType<'t> {
    let written = words(text(node, source));
    match node.kind() {
        "primitive_type" | "sized_type_specifier" | "type_identifier" => {
            if let Some(alias) = names.aliases.get(&written) {
                return alias.clone();
            }
            arithmetic(&written).unwrap_or(CType::Unknown)
        }
        "enum_specifier" => CType::Int { bytes: 4, is_signed: true },
        "struct_specifier" | "union_specifier" => {
            let name = field(node, "name").map(|name| text(name, source).to_string());
            let bytes = match field(node, "body") {
                Some(body) => size_of(&members(body, source, names)),
                None => name.as_ref().and_then(|name| names.tags.get(name)).map_or(0, size_of),
            };
            CType::Struct { name, bytes }
        }
        _ => CType::Unknown,
    }
}

/// About how large a structure is: the sum of its members; 0 if one of them is not known.
fn size_of(members: &BTreeMap<String, CType<'_>>) -> u64 {
    members.values().map(CType::bytes).sum::<Option<u64>>().unwrap_or(0)
}

/// The members of a structure by name.
pub(crate) fn members<'t>(body: Node<'t>, source: &str, names: &TypeNames<'t>) -> BTreeMap<String, CType<'t>> {
    let mut members = BTreeMap::new();
    for line in children(body).into_iter().filter(|line| line.kind() == "field_declaration") {
        let typed = specifiers(line, source, names);
        for declarator in fields(line, "declarator") {
            if let Some((name, of)) = declared(declarator, typed.of.clone(), source) {
                let of = if typed.is_volatile { CType::Volatile } else { of };
                members.insert(text(name, source).to_string(), of);
            }
        }
    }
    members
}

/// The arithmetic type of this name.
pub(crate) fn arithmetic(written: &str) -> Option<CType<'static>> {
    let int = |bytes, is_signed| Some(CType::Int { bytes, is_signed });
    match written {
        "_Bool" | "bool" => return int(1, false),
        "size_t" | "uintptr_t" | "uint64_t" => return int(8, false),
        "ssize_t" | "ptrdiff_t" | "intptr_t" | "int64_t" | "off_t" => return int(8, true),
        "uint8_t" => return int(1, false),
        "int8_t" => return int(1, true),
        "uint16_t" => return int(2, false),
        "int16_t" => return int(2, true),
        "uint32_t" => return int(4, false),
        "int32_t" => return int(4, true),
        "_Float16" => return Some(CType::Float { bytes: 2 }),
        "__int128" => return int(16, true),
        _ => {}
    }
    let words: Vec<&str> = written.split(' ').collect();
    if !words.iter().all(|word| {
        matches!(
            *word,
            "char" | "short" | "int" | "long" | "signed" | "unsigned" | "float" | "double" | "_Complex" | "complex"
        )
    }) {
        return None;
    }
    let has = |word: &str| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let parts = if has("_Complex") || has("complex") { 2 } else { 1 };
    if has("float") {
        Some(CType::Float { bytes: 4 * parts })
    } else if has("double") {
        Some(CType::Float { bytes: if longs > 0 { 16 } else { 8 } * parts })
    } else {
        let bytes = if has("char") {
            1
        } else if has("short") {
            2
        } else if longs > 0 {
            8
        } else {
            4
        };
        int(bytes, !has("unsigned"))
    }
}

/// The name that a declarator declares, and its type, given that of the specifiers. Declarators read inside out.
pub(crate) fn declared<'t>(declarator: Node<'t>, base: CType<'t>, source: &str) -> Option<(Node<'t>, CType<'t>)> {
    let is_restrict = |node: Node<'t>| {
        children(node).iter().any(|child| child.kind() == "type_qualifier" && text(*child, source).contains("restrict"))
    };
    let (mut node, mut of) = (declarator, base);
    loop {
        let inner = field(node, "declarator");
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some((node, of)),
            "init_declarator" => {}
            "pointer_declarator" => of = CType::Pointer { target: Box::new(of), is_restrict: is_restrict(node) },
            "array_declarator" => {
                let size = field(node, "size").filter(|size| size.is_named());
                of = CType::Array { element: Box::new(of), size, is_restrict: is_restrict(node) };
            }
            "function_declarator" => of = CType::Function,
            "parenthesized_declarator" | "attributed_declarator" => {
                node = children(node)
                    .into_iter()
                    .find(|child| !child.kind().starts_with("ms_") && child.kind() != "attribute_specifier")?;
                continue;
            }
            _ => return None,
        }
        node = inner?;
    }
}

/// The type that a cast or `sizeof` names, if there is no array or function in it.
pub(crate) fn named_type<'t>(descriptor: Node<'t>, source: &str, names: &TypeNames<'t>) -> CType<'t> {
    let mut of = specifiers(descriptor, source, names).of;
    let mut at = field(descriptor, "declarator");
    while let Some(node) = at {
        if node.kind() != "abstract_pointer_declarator" {
            return CType::Unknown;
        }
        of = CType::Pointer { target: Box::new(of), is_restrict: false };
        at = field(node, "declarator");
    }
    of
}
