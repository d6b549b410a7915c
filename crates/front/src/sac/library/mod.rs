//! The standard library: modules written in SAC, with with-loops over the operations of the language. This module only hands out
//! their texts.

/// The modules by name, in the order in which later ones build on earlier ones.
const SOURCES: &[(&str, &str)] = &[
    ("ArrayBasics", include_str!("ArrayBasics.sac")),
    ("ScalarArith", include_str!("ScalarArith.sac")),
    ("ArrayArith", include_str!("ArrayArith.sac")),
    ("Boxes", include_str!("Boxes.sac")),
    ("FurtherTransform", include_str!("FurtherTransform.sac")),
    ("ArrayTransform", include_str!("ArrayTransform.sac")),
    ("Array", include_str!("Array.sac")),
    ("FurtherMath", include_str!("FurtherMath.sac")),
    ("Math", include_str!("Math.sac")),
    ("MathArray", include_str!("MathArray.sac")),
    ("Numerical", include_str!("Numerical.sac")),
    ("Bits", include_str!("Bits.sac")),
    ("Bool", include_str!("Bool.sac")),
    ("Char", include_str!("Char.sac")),
    ("Scanning", include_str!("Scanning.sac")),
    ("Formats", include_str!("Formats.sac")),
    ("String", include_str!("String.sac")),
    ("ComplexBasics", include_str!("ComplexBasics.sac")),
    ("ComplexArith", include_str!("ComplexArith.sac")),
    ("Complex", include_str!("Complex.sac")),
    ("Structures", include_str!("Structures.sac")),
    ("RuntimeError", include_str!("RuntimeError.sac")),
    ("SysErr", include_str!("SysErr.sac")),
    ("File", include_str!("File.sac")),
    ("TermFile", include_str!("TermFile.sac")),
    ("ScalarStreams", include_str!("ScalarStreams.sac")),
    ("ScalarIO", include_str!("ScalarIO.sac")),
    ("ArrayPrinting", include_str!("ArrayPrinting.sac")),
    ("ArrayStreams", include_str!("ArrayStreams.sac")),
    ("ArrayIO", include_str!("ArrayIO.sac")),
    ("FibreIO", include_str!("FibreIO.sac")),
    ("StdIO", include_str!("StdIO.sac")),
    ("ArrayFormat", include_str!("ArrayFormat.sac")),
    ("ArrayReduce", include_str!("ArrayReduce.sac")),
    ("Constants", include_str!("Constants.sac")),
    ("ComplexMath", include_str!("ComplexMath.sac")),
    ("Color8", include_str!("Color8.sac")),
    ("List", include_str!("List.sac")),
    ("Random", include_str!("Random.sac")),
    ("Rand", include_str!("Rand.sac")),
    ("RTClock", include_str!("RTClock.sac")),
    ("MTClock", include_str!("MTClock.sac")),
    ("Benchmarking", include_str!("Benchmarking.sac")),
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

/// The module that `scanf` and its like read with.
pub(crate) const SCANNING: &str = "Scanning";

/// The module that `sprintf` takes formats apart with.
pub(crate) const FORMATS: &str = "Formats";

/// What a program without `use` and `import` sees: together, all of the library.
pub(crate) const PRELOADED: &[&str] = &["Numerical", "Structures", "StdIO", "CommandLine"];

/// Modules of which few programs need anything, with all names that they show. Where another module of the library imports one for the sake of
/// its users, it is read only if a program mentions one of these names.
const OPTIONAL: &[(&str, &[&str])] = &[
    ("FurtherTransform", &["catenate", "match", "mask"]),
    (
        "FurtherMath",
        &[
            "acosh",
            "asinh",
            "atanh",
            "copysign",
            "expf",
            "finite",
            "frexp",
            "isinf",
            "isnan",
            "ldexp",
            "modf",
            "powf",
            "rint",
            "sign",
            "sincos",
            "sqrtf",
            "log2e",
            "log10e",
            "ln2",
            "ln10",
            "pi_2",
            "pi_4",
            "pi_rec",
            "pi_rec_2",
            "sqrtpi_rec_2",
            "sqrt2",
            "sqrt2_rec",
            "fl_log2e",
            "fl_log10e",
            "fl_ln2",
            "fl_ln10",
            "fl_pi_2",
            "fl_pi_4",
            "fl_pi_rec",
            "fl_pi_rec_2",
            "fl_sqrtpi_rec_2",
            "fl_sqrt2",
            "fl_sqrt2_rec",
            "fl_pi",
            "fl_e",
        ],
    ),
    (
        "File",
        &[
            "File", "fopen", "fclose", "fremove", "fputc", "fgetc", "ungetc", "fputs", "feof", "fflush", "fseek",
            "rewind", "ftell", "fscans", "fscanl",
        ],
    ),
    (
        "TermFile",
        &[
            "TermFile", "fputc", "fgetc", "ungetc", "fputs", "feof", "fflush", "fscans", "fscanl", "stdin", "stdout",
            "stderr", "getc", "putc", "puts", "scans", "scanl", "eof", "flush",
        ],
    ),
    (
        "ScalarStreams",
        &[
            "fprint",
            "scanbyte",
            "scanshort",
            "scanint",
            "scanlong",
            "scanlonglong",
            "scanubyte",
            "scanushort",
            "scanuint",
            "scanulong",
            "scanulonglong",
            "scanfloat",
            "scandouble",
            "scanchar",
            "scanbool",
            "scanstring",
            "fscanbyte",
            "fscanshort",
            "fscanint",
            "fscanlong",
            "fscanlonglong",
            "fscanubyte",
            "fscanushort",
            "fscanuint",
            "fscanulong",
            "fscanulonglong",
            "fscanfloat",
            "fscandouble",
            "fscanchar",
            "fscanbool",
            "fscanstring",
        ],
    ),
    ("ArrayStreams", &["fprint", "show"]),
    (
        "FibreIO",
        &[
            "FibrePrint",
            "FibreScanInt",
            "FibreScanFloat",
            "FibreScanDouble",
            "FibreScanIntArray",
            "FibreScanFloatArray",
            "FibreScanDoubleArray",
        ],
    ),
];

/// What an optional module shows; `None` for one that is read wherever it is used.
pub(crate) fn optional_names(module: &str) -> Option<&'static [&'static str]> {
    OPTIONAL.iter().find(|(name, _)| *name == module).map(|(_, names)| *names)
}

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
