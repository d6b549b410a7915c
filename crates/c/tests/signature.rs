//! How the functions of a file are called, and the values of expressions in their signatures.

use frit_c::signature::{NoSignature, Signature, evaluate};
use frit_support::Index;

fn of(text: &str, function: &str) -> Result<Signature, NoSignature> {
    let options = frit_c::ReadOptions::default();
    let text = format!("struct image;\n{text}");
    let file = frit_c::read(frit_support::FileId::new(0), &text, &options).expect("it is C");
    file.signatures.of(function)
}

fn parameters(text: &str) -> Vec<(String, String, bool)> {
    let signature = of(text, "f").expect("the function can be called");
    signature.parameters.into_iter().map(|p| (p.name, p.element, p.is_array)).collect()
}

#[test]
fn scalars_pointers_and_arrays_are_read() {
    let text = "static inline double f(int n, const float *restrict a, unsigned char b[n][4], double (*c)[n]) { }";
    let expected = [("n", "int", false), ("a", "float", true), ("b", "unsigned char", true), ("c", "double", true)];
    let expected: Vec<_> = expected.iter().map(|&(n, e, a)| (n.to_string(), e.to_string(), a)).collect();
    assert_eq!(parameters(text), expected);
    assert_eq!(of(text, "f").map(|s| s.result), Ok(Some("double".to_string())));
}

#[test]
fn no_parameters_are_none() {
    assert_eq!(parameters("void f(void) { }"), []);
}

#[test]
fn what_cannot_be_called_is_said() {
    assert_eq!(of("int g(void) { }", "f"), Err(NoSignature::NotFound));
    assert_eq!(of("int f(int n, ...) { }", "f"), Err(NoSignature::Variadic));
    let pointers = of("int f(float **rows) { }", "f");
    assert_eq!(pointers, Err(NoSignature::Unsupported("float **".to_string())));
    let structure = of("int f(struct image *in) { }", "f");
    assert_eq!(structure, Err(NoSignature::Unsupported("struct image *".to_string())));
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
    assert_eq!(parameters("#ifndef X\nvoid f(int n) { }\n#endif\n"), [("n".to_string(), "int".to_string(), false)]);
}
