//! How a function of a C file is called: what `frit fuse --verify` needs in order to run it on data of its own.

use crate::ast::{self, CType, Kind, Node, Tree};
use crate::read::syntax::{children, descendants};
use std::collections::BTreeMap;

/// A function that can be called with scalars and arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The type of its result; `None` for `void`.
    pub result: Option<String>,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The type of it, or of an array's elements, without qualifiers: `unsigned char`.
    pub element: String,
    /// It is a pointer or an array.
    pub is_array: bool,
    /// The members, if it is a structure or points to some.
    pub members: Option<Vec<Member>>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The type of it, or of an array's elements, without qualifiers.
    pub element: String,
    /// What it is.
    pub kind: MemberKind,
}

/// What a member of a structure is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A number.
    Scalar,
    /// This many numbers in the structure itself.
    Inline(u64),
    /// A pointer to numbers.
    Pointer,
    /// This many pointers to numbers.
    Pointers(u64),
    /// A structure; true for a pointer to one.
    Structure(bool, Vec<Member>),
    /// Anything else, of this type. The function does not name it, so that it may be zero.
    Unused(String),
}

/// Why a function cannot be called from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSignature {
    /// The file defines no function of this name.
    NotFound,
    /// It takes any number of arguments.
    Variadic,
    /// This parameter, or the result, is neither a scalar nor an array of scalars.
    Unsupported(String),
    /// The function uses this member of a structure, which has this type.
    Member(String, String),
}

impl std::fmt::Display for NoSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoSignature::NotFound => write!(f, "the file does not define it"),
            NoSignature::Variadic => write!(f, "it takes any number of arguments"),
            NoSignature::Unsupported(what) => write!(f, "`{what}` is neither a scalar nor an array of scalars"),
            NoSignature::Member(member, of) => write!(
                f,
                "it uses the member `{member}`, a `{of}`: only numbers, pointers to numbers and structures of these can be made up"
            ),
        }
    }
}

impl std::error::Error for NoSignature {}

/// How the functions of a file are called, by name.
#[derive(Clone, Debug, Default)]
pub struct Signatures(BTreeMap<String, Result<Signature, NoSignature>>);

impl Signatures {
    /// How this function of the file is called.
    ///
    /// # Errors
    ///
    /// It cannot be called with scalars and arrays alone.
    pub fn of(&self, function: &str) -> Result<Signature, NoSignature> {
        self.0.get(function).cloned().unwrap_or(Err(NoSignature::NotFound))
    }
}

impl Signatures {
    /// The names of all functions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// How the functions of a file are called.
pub(crate) fn all(tree: &Tree) -> Signatures {
    Signatures(tree.functions().map(|function| (function.name().to_string(), of_definition(function))).collect())
}

fn of_definition(function: Node<'_>) -> Result<Signature, NoSignature> {
    let tree = function.tree();
    let head = function.head();
    if head.is_variadic {
        return Err(NoSignature::Variadic);
    }
    let is_scalar = |of: &CType| matches!(of, CType::Int { .. } | CType::Float { .. });
    let result = (!head.is_void).then(|| head.result.base.clone());
    if !head.is_void && !is_scalar(&head.result.of) {
        return Err(NoSignature::Unsupported(head.result_text.clone()));
    }
    let mut parameters = Vec::new();
    for node in children(function).into_iter().filter(|child| child.kind() == Kind::Variable) {
        let Some(decl) = node.decl() else { continue };
        let data = &tree.decls[decl];
        // A pointer to a pointer, or an array of pointers, is no array of scalars; a pointer to an array is one.
        let element = data.typed.of.element();
        let is_structure = matches!(element, CType::Struct { .. }) && !data.members.is_empty();
        if !is_scalar(element) && !is_structure || data.name.is_empty() {
            return Err(NoSignature::Unsupported(data.written.clone()));
        }
        let sign = if data.typed.of.is_array() { "->" } else { "." };
        let path = format!("{}{sign}", data.name);
        let members = is_structure.then(|| members(function, &data.members, &path)).transpose()?;
        parameters.push(Parameter {
            name: data.name.clone(),
            element: data.typed.base.clone(),
            is_array: data.typed.of.is_array(),
            members,
        });
    }
    Ok(Signature { name: function.name().to_string(), result, parameters })
}

/// The members of a structure, as far as they can be made up.
fn members(function: Node<'_>, all: &[ast::Member], path: &str) -> Result<Vec<Member>, NoSignature> {
    let is_scalar = |of: &CType| matches!(of, CType::Int { .. } | CType::Float { .. });
    let member = |member: &ast::Member| {
        let path = format!("{path}{}", member.name);
        let inner = |sign: &str| members(function, &member.members, &format!("{path}{sign}"));
        let is_known = !member.members.is_empty();
        let kind = match &member.of {
            _ if member.is_odd => None,
            of if is_scalar(of) => Some(MemberKind::Scalar),
            CType::Struct { .. } if is_known => Some(MemberKind::Structure(false, inner(".")?)),
            CType::Pointer { target, .. } => match target.leaf() {
                target if is_scalar(target) => Some(MemberKind::Pointer),
                CType::Struct { .. } if is_known && !matches!(**target, CType::Array { .. }) => {
                    Some(MemberKind::Structure(true, inner("->")?))
                }
                _ => None,
            },
            of @ CType::Array { .. } => {
                let extents = of.extents();
                let counts = extents.iter().map(|size| size.count.and_then(|count| u64::try_from(count).ok()));
                let count = counts.collect::<Option<Vec<u64>>>().map(|counts| counts.iter().product());
                match (count, of.leaf()) {
                    (Some(count), leaf) if is_scalar(leaf) => Some(MemberKind::Inline(count)),
                    (Some(count), CType::Pointer { target, .. })
                        if is_scalar(target.leaf()) && count <= MOST_POINTERS && extents.len() == 1 =>
                    {
                        Some(MemberKind::Pointers(count))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let is_named = || descendants(function).any(|node| node.kind() == Kind::Member && node.name() == member.name);
        let kind = match kind {
            Some(kind) => kind,
            None if is_named() => return Err(NoSignature::Member(path, member.written.clone())),
            None => MemberKind::Unused(member.written.clone()),
        };
        Ok(Member { name: member.name.clone(), element: member.base.clone(), kind })
    };
    all.iter().map(member).collect()
}

/// Members of more pointers than these are not made up.
const MOST_POINTERS: u64 = 8;

/// The value of an integer expression in C where names have these values: literals, `+ - * / %`, parentheses and casts. `None` for
/// any other, and for one without a value.
pub fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader { rest: expression, value };
    let result = reader.sum()?;
    reader.rest.trim().is_empty().then_some(result)
}

/// Reads an expression from the left to the right.
struct Reader<'e> {
    rest: &'e str,
    value: &'e dyn Fn(&str) -> Option<i64>,
}

impl<'e> Reader<'e> {
    /// The next character, if it is one of these.
    fn next(&mut self, of: &str) -> Option<char> {
        self.rest = self.rest.trim_start();
        let c = self.rest.chars().next().filter(|c| of.contains(*c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut sum = self.product()?;
        while let Some(sign) = self.next("+-") {
            let next = self.product()?;
            sum = if sign == '+' { sum.checked_add(next) } else { sum.checked_sub(next) }?;
        }
        Some(sum)
    }

    fn product(&mut self) -> Option<i64> {
        let mut product = self.factor()?;
        while let Some(sign) = self.next("*/%") {
            let next = self.factor()?;
            product = match sign {
                '*' => product.checked_mul(next),
                '/' => product.checked_div(next),
                _ => product.checked_rem(next),
            }?;
        }
        Some(product)
    }

    fn factor(&mut self) -> Option<i64> {
        match self.next("+-(") {
            Some('-') => self.factor()?.checked_neg(),
            Some('+') => self.factor(),
            Some(_) => {
                let inner = self.rest;
                let close = inner.find(')')?;
                if is_type(&inner[..close]) {
                    self.rest = &inner[close + 1..];
                    return self.factor();
                }
                let value = self.sum()?;
                self.next(")")?;
                Some(value)
            }
            None => self.word(),
        }
    }

    /// A number, or a name, perhaps of a member.
    fn word(&mut self) -> Option<i64> {
        let rest = self.rest.trim_start();
        let is_part = |at: usize, c: char| {
            c.is_alphanumeric()
                || c == '_'
                || c == '.'
                || rest[at..].starts_with("->")
                || c == '>' && rest[..at].ends_with('-')
        };
        let end = rest.char_indices().find(|(at, c)| !is_part(*at, *c)).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        self.rest = after;
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return (self.value)(word);
        }
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
            None => digits.parse().ok(),
        }
    }
}

/// Whether the text in parentheses is a type, and so a cast.
fn is_type(text: &str) -> bool {
    let is_word =
        |word: &str| matches!(word, "int" | "long" | "short" | "char" | "unsigned" | "signed" | "size_t" | "ptrdiff_t");
    !text.trim().is_empty() && text.split_whitespace().all(is_word)
}
