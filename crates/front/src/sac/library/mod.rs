//! The standard library: modules written in SAC, with with-loops over the operations of the language. This module only hands out
//! their texts.

/// The modules by name, in the order in which later ones build on earlier ones.
const SOURCES: &[(&str, &str)] = &[
    ("ArrayBasics", include_str!("ArrayBasics.sac")),
    ("ScalarArith", include_str!("ScalarArith.sac")),
    ("ArrayArith", include_str!("ArrayArith.sac")),
    ("Boxes", include_str!("Boxes.sac")),
    ("ArrayTransform", include_str!("ArrayTransform.sac")),
    ("Array", include_str!("Array.sac")),
    ("Math", include_str!("Math.sac")),
    ("MathArray", include_str!("MathArray.sac")),
    ("Numerical", include_str!("Numerical.sac")),
    ("Bits", include_str!("Bits.sac")),
    ("Bool", include_str!("Bool.sac")),
    ("Char", include_str!("Char.sac")),
    ("Formats", include_str!("Formats.sac")),
    ("String", include_str!("String.sac")),
    ("ComplexBasics", include_str!("ComplexBasics.sac")),
    ("ComplexArith", include_str!("ComplexArith.sac")),
    ("Complex", include_str!("Complex.sac")),
    ("Structures", include_str!("Structures.sac")),
    ("StdIO", include_str!("StdIO.sac")),
    ("CommandLine", include_str!("CommandLine.sac")),
];

/// What the modules include.
const HEADERS: &[(&str, &str)] = &[
    ("types.h", include_str!("types.h")),
    ("basics.h", include_str!("basics.h")),
    ("structure.h", include_str!("structure.h")),
    ("elementwise.h", include_str!("elementwise.h")),
];

/// The module whose functions every program sees, whatever it uses: `dim`, `shape` and the like.
pub(crate) const ALWAYS: &str = "ArrayBasics";

/// What a program without `use` and `import` sees: together, all of the library.
pub(crate) const PRELOADED: &[&str] = &["Numerical", "Structures", "StdIO", "CommandLine"];

/// The text of a module.
pub(crate) fn source(module: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(name, _)| *name == module).map(|(_, text)| *text)
}

/// The text of a file that modules of the library include.
pub(crate) fn header(file: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
}

/// The names of all modules.
pub(crate) fn modules() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name)
}
