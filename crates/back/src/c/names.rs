//! Names of generated C: names of the source where there are any, made legal and distinct.
//!
//! This module knows C's reserved words, and the names that the run-time system and its headers
//! define. It does not know what it names.

use std::collections::BTreeMap;

/// Words that may not name a variable: keywords, lower-case macros of GNU C, and functions that
/// generated code calls.
const RESERVED: &[&str] = &[
    "abs",
    "acos",
    "acosf",
    "alignas",
    "alignof",
    "asin",
    "asinf",
    "asm",
    "atan",
    "atanf",
    "auto",
    "bool",
    "break",
    "calloc",
    "case",
    "ceil",
    "ceilf",
    "char",
    "const",
    "continue",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "errno",
    "exp",
    "expf",
    "extern",
    "f",
    "fabs",
    "fabsf",
    "false",
    "float",
    "floor",
    "floorf",
    "for",
    "free",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "log",
    "logf",
    "long",
    "main",
    "malloc",
    "memcpy",
    "noreturn",
    "offsetof",
    "pow",
    "powf",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sin",
    "sinf",
    "sinh",
    "sinhf",
    "sizeof",
    "sqrt",
    "sqrtf",
    "static",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "thread_local",
    "threads",
    "true",
    "typedef",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "void",
    "volatile",
    "w",
    "while",
];

/// The names given so far in one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Each name with the number to try next when it is wanted again.
    taken: BTreeMap<String, u32>,
}

impl Names {
    /// A name like `wanted` that nothing else in the scope has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.distinct(legal(wanted))
    }

    /// As `fresh`, behind a prefix that keeps it apart from all that C and the run-time system
    /// define.
    pub(super) fn prefixed(&mut self, prefix: &str, wanted: &str) -> String {
        self.distinct(format!("{prefix}{}", only_letters(wanted)))
    }

    fn distinct(&mut self, base: String) -> String {
        if !self.taken.contains_key(&base) {
            self.taken.insert(base.clone(), 2);
            return base;
        }
        loop {
            let next = self.taken.get_mut(&base).expect("the base name is taken");
            let name = format!("{base}_{next}");
            *next += 1;
            if !self.taken.contains_key(&name) {
                self.taken.insert(name.clone(), 2);
                return name;
            }
        }
    }
}

fn only_letters(wanted: &str) -> String {
    wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The name itself, or the nearest one that C allows and no header defines.
pub(super) fn legal(wanted: &str) -> String {
    let mut name = only_letters(wanted);
    let starts_badly = |name: &str| name.starts_with(|c: char| c == '_' || c.is_ascii_digit()) || name.is_empty();
    if starts_badly(&name) || ["frit_", "omp_", "fun_"].iter().any(|prefix| name.starts_with(prefix)) {
        name.insert(0, 'v');
    }
    // Names all in capitals are those of macros.
    let is_macro_like = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    if is_macro_like || RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn names_stay_as_they_are_where_c_allows() {
        let mut names = Names::default();
        assert_eq!(names.fresh("price"), "price");
        assert_eq!(names.fresh("price"), "price_2");
        assert_eq!(names.fresh("price_2"), "price_2_2");
        assert_eq!(names.fresh("price"), "price_3");
        assert_eq!(names.fresh("int"), "int_");
        assert_eq!(names.fresh("EOF"), "EOF_");
        assert_eq!(names.fresh("N"), "N");
        assert_eq!(names.fresh("1st"), "v1st");
        assert_eq!(names.fresh("é"), "v_");
        assert_eq!(names.fresh(""), "v");
    }
}
