//! How a function of a C file is called: what `frit fuse --verify` needs in order to run it on data of its own.

use tree_sitter::{Node, Parser};

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
}

impl std::fmt::Display for NoSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoSignature::NotFound => write!(f, "the file does not define it"),
            NoSignature::Variadic => write!(f, "it takes any number of arguments"),
            NoSignature::Unsupported(what) => write!(f, "`{what}` is neither a scalar nor an array of scalars"),
        }
    }
}

impl std::error::Error for NoSignature {}

/// How this function of the file is called.
///
/// # Errors
///
/// It cannot be called with scalars and arrays alone.
pub fn signature(text: &str, function: &str) -> Result<Signature, NoSignature> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar fits the library");
    let Some(tree) = parser.parse(text, None) else { return Err(NoSignature::NotFound) };
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "function_definition" {
            if let Some(declarator) = function_declarator(node)
                && declarator.child_by_field_name("declarator").is_some_and(|name| text_of(name, text) == function)
            {
                return of_definition(node, declarator, function, text);
            }
        } else {
            // Definitions stand at the top, but for preprocessor conditionals and `extern "C"` blocks round them.
            open.extend(node.children(&mut node.walk()));
        }
    }
    Err(NoSignature::NotFound)
}

/// The declarator with the parameters, behind the stars of a pointer result.
fn function_declarator<'t>(definition: Node<'t>) -> Option<Node<'t>> {
    let mut declarator = definition.child_by_field_name("declarator")?;
    while declarator.kind() == "pointer_declarator" {
        declarator = declarator.child_by_field_name("declarator")?;
    }
    (declarator.kind() == "function_declarator").then_some(declarator)
}

fn of_definition(definition: Node, declarator: Node, name: &str, text: &str) -> Result<Signature, NoSignature> {
    let result = base_type(definition, text);
    let returns_pointer =
        definition.child_by_field_name("declarator").is_some_and(|d| d.kind() == "pointer_declarator");
    if returns_pointer || !is_scalar(&result) && result != "void" {
        return Err(NoSignature::Unsupported(result));
    }
    let list = declarator.child_by_field_name("parameters").ok_or(NoSignature::NotFound)?;
    let mut parameters = Vec::new();
    for parameter in list.named_children(&mut list.walk()) {
        match parameter.kind() {
            "parameter_declaration" => {
                let whole = text_of(parameter, text);
                let Some(declarator) = parameter.child_by_field_name("declarator") else {
                    if whole == "void" {
                        continue;
                    }
                    return Err(NoSignature::Unsupported(whole.to_string()));
                };
                let (name, is_array) =
                    declared(declarator, text).ok_or_else(|| NoSignature::Unsupported(whole.to_string()))?;
                let element = base_type(parameter, text);
                if !is_scalar(&element) {
                    return Err(NoSignature::Unsupported(whole.to_string()));
                }
                parameters.push(Parameter { name, element, is_array });
            }
            "comment" => {}
            _ => return Err(NoSignature::Variadic),
        }
    }
    Ok(Signature { name: name.to_string(), result: (result != "void").then_some(result), parameters })
}

/// The name that a declarator declares, and whether it is an array or a pointer to scalars or to arrays of them.
fn declared(declarator: Node, text: &str) -> Option<(String, bool)> {
    match declarator.kind() {
        "identifier" => Some((text_of(declarator, text).to_string(), false)),
        "array_declarator" | "parenthesized_declarator" | "pointer_declarator" => {
            let inner = declarator.child_by_field_name("declarator").or_else(|| {
                declarator.named_children(&mut declarator.walk()).find(|child| child.kind() != "comment")
            })?;
            // A pointer to a pointer, or an array of pointers, is no array of scalars; a pointer to an array is one.
            let through_pointer = declarator.kind() == "pointer_declarator" || declarator.kind() == "array_declarator";
            if through_pointer && pointers(inner) {
                return None;
            }
            let (name, is_array) = declared(inner, text)?;
            Some((name, is_array || through_pointer))
        }
        _ => None,
    }
}

/// There is a pointer directly inside of this declarator.
fn pointers(declarator: Node) -> bool {
    match declarator.kind() {
        "pointer_declarator" => true,
        "array_declarator" => declarator.child_by_field_name("declarator").is_some_and(pointers),
        _ => false,
    }
}

/// The type before the declarator, without qualifiers and storage classes.
fn base_type(declaration: Node, text: &str) -> String {
    let node = declaration.child_by_field_name("type");
    let words = node.map(|node| text_of(node, text)).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A type that can be a scalar: not a structure, union or enumeration with a body. Names of types are taken at their word; the
/// C compiler has the last one.
fn is_scalar(name: &str) -> bool {
    !name.is_empty()
        && name != "void"
        && !name.starts_with("struct")
        && !name.starts_with("union")
        && !name.contains('{')
}

/// The value of an integer expression in C where names have these values: literals, `+ - * / %`, parentheses and casts. `None` for
/// any other, and for one without a value.
pub fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let text = format!("long x = ({expression});");
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar fits the library");
    let tree = parser.parse(&text, None)?;
    let declaration = tree.root_node().named_child(0)?;
    let initialiser = declaration.child_by_field_name("declarator")?.child_by_field_name("value")?;
    if tree.root_node().has_error() {
        return None;
    }
    evaluate_node(initialiser, &text, value)
}

fn evaluate_node(node: Node, text: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let field = |name: &str| node.child_by_field_name(name).and_then(|child| evaluate_node(child, text, value));
    match node.kind() {
        "identifier" | "field_expression" => value(text_of(node, text)),
        "number_literal" => {
            let digits = text_of(node, text).trim_end_matches(['u', 'U', 'l', 'L']);
            match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(digits) => i64::from_str_radix(digits, 16).ok(),
                None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
                None => digits.parse().ok(),
            }
        }
        "parenthesized_expression" => evaluate_node(node.named_child(0)?, text, value),
        "cast_expression" => field("value"),
        "unary_expression" => match text_of(node.child_by_field_name("operator")?, text) {
            "-" => field("argument")?.checked_neg(),
            "+" => field("argument"),
            _ => None,
        },
        "binary_expression" => {
            let (left, right) = (field("left")?, field("right")?);
            match text_of(node.child_by_field_name("operator")?, text) {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn text_of<'t>(node: Node, text: &'t str) -> &'t str {
    &text[node.byte_range()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(text: &str) -> Vec<(String, String, bool)> {
        let signature = signature(text, "f").expect("the function can be called");
        signature.parameters.into_iter().map(|p| (p.name, p.element, p.is_array)).collect()
    }

    #[test]
    fn scalars_pointers_and_arrays_are_read() {
        let text = "static inline double f(int n, const float *restrict a, unsigned char b[n][4], double (*c)[n]) { }";
        let expected = [("n", "int", false), ("a", "float", true), ("b", "unsigned char", true), ("c", "double", true)];
        let expected: Vec<_> = expected.iter().map(|&(n, e, a)| (n.to_string(), e.to_string(), a)).collect();
        assert_eq!(parameters(text), expected);
        assert_eq!(signature(text, "f").map(|s| s.result), Ok(Some("double".to_string())));
    }

    #[test]
    fn no_parameters_are_none() {
        assert_eq!(parameters("void f(void) { }"), []);
    }

    #[test]
    fn what_cannot_be_called_is_said() {
        assert_eq!(signature("int g(void) { }", "f"), Err(NoSignature::NotFound));
        assert_eq!(signature("int f(int n, ...) { }", "f"), Err(NoSignature::Variadic));
        let pointers = signature("int f(float **rows) { }", "f");
        assert_eq!(pointers, Err(NoSignature::Unsupported("float **rows".to_string())));
        let structure = signature("int f(struct image *in) { }", "f");
        assert_eq!(structure, Err(NoSignature::Unsupported("struct image *in".to_string())));
    }

    #[test]
    fn integer_expressions_are_evaluated() {
        let value = |text: &str| evaluate(text, &|name| (name == "n").then_some(7));
        assert_eq!(value("n * (n + 1) / 2 - -3"), Some(31));
        assert_eq!(value("(long)n * 0x10u % 010"), Some(0));
        assert_eq!(value("m + 1"), None);
        assert_eq!(value("1 / 0"), None);
        assert_eq!(value("n +"), None);
    }

    #[test]
    fn definitions_inside_conditionals_are_found() {
        assert_eq!(parameters("#ifdef X\nvoid f(int n) { }\n#endif\n"), [("n".to_string(), "int".to_string(), false)]);
    }
}
