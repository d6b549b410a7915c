//! The C back end: a program of the loop IR as one file of C11 with OpenMP pragmas.
//!
//! The file stands alone. It has a run-time system (memory, failures, threads), the helper
//! functions that the program needs, its procedures as static functions, and the exported entry
//! points that the header describes. For a program that runs at once, the larger functions of the
//! run-time system are compiled apart and linked, see [`CSource::linked`].
//!
//! Generated C relies on GNU extensions that gcc and clang share, and on `-fwrapv`, because the
//! IR's integers wrap. This module runs no compiler.
//!
//! - `stmt` and `expr` print statements and expressions;
//! - `layout` divides large procedures, `proc` prints them, `module` holds what they share;
//! - `entry` prints the interface, `foreign` what programs call in C, `callback` calls of functions that are not compiled;
//! - `parallel` prints parallel loops, `scan` and `transpose` loops that C compilers do not vectorise well;
//! - `runtime.h`, `runtime.c`, `output.h`, `output.c`, `input.h`, `input.c` and `public.h` are the run-time system.

mod arith;
mod callback;
mod entry;
mod expr;
pub mod foreign;
mod layout;
mod module;
mod names;
mod output;
mod parallel;
mod proc;
mod scan;
mod stmt;
mod transpose;
mod types;

use arith::Helper;
use entry::Interface;
use frit_ir::nest::Program;
use frit_ir::{FailureKind, Scalar};
use frit_support::{SourceMap, Span};
use module::{Function, MathFunction, ModulePrinter};
use proc::ProcPrinter;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How to print a program.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the exported names begin with; made a legal C name.
    pub name: String,
    /// Results must agree with the interpreters bit for bit; shows in [`CSource::flags`] too.
    pub strict_fp: bool,
    /// Scalar operations that threads must save in a loop, before it runs on several threads.
    pub region_work: i64,
    /// Declares mathematical functions such that C compilers may call their vector variants, unless
    /// `strict_fp`.
    pub vectors: bool,
    /// Loops that may take long ask the caller whether to go on.
    pub interruptible: bool,
    /// What messages add about failures of checks at these places.
    pub notes: BTreeMap<Span, String>,
    /// Names of procedures and tables begin with `name` too, so that the program can stand in a
    /// file with others: [`Linked::text`].
    pub among_others: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "program".into(),
            strict_fp: false,
            region_work: 1 << 16,
            vectors: true,
            interruptible: false,
            notes: BTreeMap::new(),
            among_others: false,
        }
    }
}

/// A place where a program can fail. `kind` is `None` where memory or stack may be exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// What is checked there.
    pub kind: Option<FailureKind>,
    /// Where it is in the source.
    pub span: Span,
}

/// Generated C.
#[derive(Clone, Debug)]
pub struct CSource {
    /// The C file, which stands alone.
    pub source: String,
    /// The same for a caller in this process, which links it with [`runtime`]. It lacks the larger
    /// functions of the run-time system and the typed interface for callers in C. `None` if the
    /// file needs no run-time system.
    pub linked: Option<Linked>,
    /// The typed interface that [`linked`](Self::linked) lacks.
    pub for_c: String,
    /// The header that describes its exported functions.
    pub header: String,
    /// What a caller in this process must know.
    pub entry: Entry,
    /// Flags other than the optimisation level, without which the file's meaning changes.
    pub flags: Vec<&'static str>,
}

/// A program without the larger functions of the run-time system.
#[derive(Clone, Debug)]
pub struct Linked {
    region_work: i64,
    has_output: bool,
    has_requests: bool,
    mathematics: BTreeSet<MathFunction>,
    /// C compilers may call vector variants of `mathematics`.
    vectors: bool,
    helpers: BTreeSet<Helper>,
    /// What its functions share: functions in C that it calls, tables, frames, and declarations of functions that recurse.
    declarations: String,
    functions: Vec<Function>,
    /// Entry points.
    entry: String,
}

/// Bytes of C from which on a file of its own pays: the compiler takes some 30 ms to start and to read what files share.
const PART_BYTES: usize = 6_000;

impl Linked {
    /// Programs as one C file. Those of several were printed with [`Options::among_others`], names of
    /// their own, and equal other options.
    pub fn text(programs: &[&Self]) -> String {
        Self::head(programs) + &Self::own(programs)
    }

    /// The program as at most so many C files, which can be compiled side by side and then linked. All but the first are loops
    /// that call no other function of the program, and about as long as each other.
    pub fn parts(&self, most: usize) -> Vec<String> {
        let own: usize = self.functions.iter().map(|function| function.text.len()).sum();
        let count = if self.declarations.len() > PART_BYTES { 1 } else { most.min(own / PART_BYTES).max(1) };
        let is_apart = |function: &&Function| count > 1 && function.declaration.is_some();
        let (mut apart, rest): (Vec<&Function>, Vec<&Function>) = self.functions.iter().partition(is_apart);
        // The longest first, each to the shortest file so far.
        apart.sort_by_key(|function| std::cmp::Reverse(function.text.len()));
        let head = format!("#define FRIT_APART FRIT_NOINLINE\n{}{}", Self::head(&[self]), self.declarations);
        let mut files = vec![String::new(); count];
        files[0] = rest.iter().map(|function| function.text.as_str()).chain([self.entry.as_str()]).collect();
        let mut declarations = String::new();
        for function in apart {
            let shortest = (0..count).min_by_key(|&at| files[at].len()).expect("there is a file");
            files[shortest] += &function.text;
            declarations.extend(function.declaration.as_deref());
        }
        files.retain(|file| !file.is_empty());
        files.into_iter().map(|file| [&*head, &declarations, &file].concat()).collect()
    }

    /// What comes before programs in a file that is linked with the run-time system.
    fn head(programs: &[&Self]) -> String {
        let mathematics: BTreeSet<MathFunction> =
            programs.iter().flat_map(|program| &program.mathematics).copied().collect();
        let prototypes: String = mathematics.iter().map(|function| format!("{};\n", function.prototype())).collect();
        let shared = Self::shared(programs);
        format!("#define FRIT_RUNTIME_APART\n{INCLUDES}{prototypes}{GCC_FLAGS}{shared}{}", Self::operations(programs))
    }

    /// What the run-time system declares for these programs.
    fn shared(programs: &[&Self]) -> String {
        let mut shared = format!(
            "/* Scalar operations that threads must save in a loop: some times as many as take as long as starting threads. */\n\
             #ifndef FRIT_REGION_WORK\n#define FRIT_REGION_WORK {}\n#endif\n\n",
            programs[0].region_work
        );
        shared += RUNTIME_HEADER;
        if programs.iter().any(|program| program.has_output) {
            shared += OUTPUT_HEADER;
        }
        if programs.iter().any(|program| program.has_requests) {
            shared += INPUT_HEADER;
        }
        shared
    }

    /// What programs need of operations that C lacks.
    fn operations(programs: &[&Self]) -> String {
        let mut text = "\n/* ---- the program ---- */\n\n".to_owned();
        let with_vectors = programs.iter().filter(|program| program.vectors);
        text += &vector_mathematics(&with_vectors.flat_map(|program| &program.mathematics).copied().collect());
        let helpers: BTreeSet<Helper> = programs.iter().flat_map(|program| &program.helpers).copied().collect();
        helpers.iter().for_each(|helper| text += &helper.definition());
        if !helpers.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The programs themselves.
    fn own(programs: &[&Self]) -> String {
        let own = |program: &&Self| {
            let functions = program.functions.iter().map(|function| function.text.as_str());
            [program.declarations.as_str()]
                .into_iter()
                .chain(functions)
                .chain([program.entry.as_str()])
                .collect::<String>()
        };
        programs.iter().map(own).collect()
    }

    /// Scalar operations that threads must save in a loop.
    pub fn region_work(&self) -> i64 {
        self.region_work
    }

    /// Puts more text behind the program.
    pub fn push_str(&mut self, text: &str) {
        self.entry.push_str(text);
    }
}

/// The interface of compiled code.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What the exported names begin with.
    pub name: String,
    /// The parameters in order, sizes included.
    pub params: Vec<EntryParam>,
    /// The results in order.
    pub results: Vec<EntryResult>,
    /// Places of failures by their number.
    pub sites: Vec<Site>,
    /// True if the program may recurse and needs a deep stack.
    pub is_recursive: bool,
}

/// A parameter of compiled code.
#[derive(Clone, Debug)]
pub struct EntryParam {
    /// Its name in C.
    pub name: String,
    /// The type of it or its elements.
    pub elem: Scalar,
    /// What is expected.
    pub kind: EntryParamKind,
}

/// What is expected of an argument.
#[derive(Clone, Debug)]
pub enum EntryParamKind {
    /// A scalar.
    Scalar {
        /// An extent of array parameters; the first of them is this one, at this axis.
        size_of: Option<(usize, usize)>,
    },
    /// An array.
    Array {
        /// Its extents.
        extents: Vec<EntryExtent>,
        /// The callee overwrites it: it is copied unless the caller gives it away.
        consumed: bool,
    },
}

/// An extent of an array parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryExtent {
    /// Always the same.
    Constant(i64),
    /// The value of this parameter.
    Param(usize),
}

/// A result of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryResult {
    /// The type of it or its elements.
    pub elem: Scalar,
    /// The rank of an array; `None` for a scalar.
    pub rank: Option<usize>,
}

/// Prints a verified program, which must have an entry. `sources` gives line numbers to comments
/// and messages.
pub fn print(program: &Program, sources: &SourceMap, options: &Options) -> CSource {
    let entry = program.entry.expect("a program that is printed as C has an entry");
    let mut module = ModulePrinter::new(program, entry, sources, options);
    let (mut functions, mut prototypes) = (Vec::new(), String::new());
    for id in module.order.clone() {
        functions.extend(ProcPrinter::print(&mut module, id));
        if module.is_recursive[id] {
            let proc = functions.last().map_or("", |function: &Function| &function.text);
            let end = proc.find(") {").expect("a header ends with its parameters");
            writeln!(prototypes, "{});", &proc[..end]).expect("a string takes any text");
        }
    }
    let interface = entry::interface(&mut module);
    let name = &interface.entry.name;
    let flags = flags(options.strict_fp);
    let has_requests = module.has_requests;
    let has_output = has_requests || functions.iter().any(|function| function.text.contains("frit_write(w)"));
    if !prototypes.is_empty() {
        prototypes.push('\n');
    }
    let foreign = foreign::definitions(&module.foreign, &module.prefix, false);
    let linked = Linked {
        region_work: options.region_work,
        has_output,
        has_requests,
        vectors: !options.strict_fp && options.vectors,
        declarations: [&*foreign, &module.declarations, &prototypes].concat(),
        functions,
        entry: interface.general,
        mathematics: module.mathematics,
        helpers: module.helpers,
    };
    let alone = [&linked];
    let output = if has_output { OUTPUT } else { "" };
    let input = if has_requests { INPUT } else { "" };
    let source = format!(
        "/* Written by frit from the program `{name}`.\n *\n * cc -O3 -march=native -mprefer-vector-width=512 -fopenmp {} -shared -o {name}.so {name}.c -lm\n */\n\
         {INCLUDES}#include <math.h>\n{RUNTIME_INCLUDES}{GCC_FLAGS}{}\n{RUNTIME}{output}{input}{}{}",
        flags.join(" "),
        Linked::shared(&alone),
        Linked::operations(&alone) + &Linked::own(&alone),
        interface.for_c
    );
    let Interface { for_c, header, entry, .. } = interface;
    CSource { source, linked: Some(linked), for_c, header, entry, flags }
}

/// Settings for gcc.
///
/// Lowering already runs several steps of a loop at once where that pays. If gcc does so in loops
/// around loops over lanes, the accumulators of lanes leave their registers. The same happens if
/// gcc turns the initialisation of lanes into a `memset`, which is slow for so few elements.
///
/// Vectors of 64 bytes use all of a processor's load bandwidth. With its tuning for some
/// processors, gcc then loads an operand of a stencil again for each use. This tuning avoids that.
/// The command line chooses the length of vectors.
///
/// They come behind the headers: gcc takes half of its time for a small program to keep them for
/// every function that headers declare.
const GCC_FLAGS: &str = "\
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize (\"no-loop-unroll-and-jam\", \"no-tree-loop-distribute-patterns\")
#if defined __AVX512F__ && __GNUC__ >= 6
#pragma GCC target (\"tune=skylake-avx512\")
#endif
#endif

";

/// What [`RUNTIME_HEADER`] and programs include. `math.h` is as long as the others together, so a
/// program that is only linked declares what it calls of it.
const INCLUDES: &str = "\
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#ifdef _OPENMP
#include <omp.h>
#endif

";
/// What [`RUNTIME`] includes besides.
const RUNTIME_INCLUDES: &str = "\
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

";
/// The part of the run-time system that every program needs: types, short functions, and
/// declarations of the others.
const RUNTIME_HEADER: &str = concat!(include_str!("public.h"), include_str!("runtime.h"));
/// The functions that [`RUNTIME_HEADER`] declares.
const RUNTIME: &str = include_str!("runtime.c");
/// What programs with output need in addition: declarations and functions.
const OUTPUT_HEADER: &str = include_str!("output.h");
const OUTPUT: &str = include_str!("output.c");
/// What programs with requests need beside output.
const INPUT_HEADER: &str = include_str!("input.h");
const INPUT: &str = include_str!("input.c");

/// The run-time system as a separate C file. Compile it with the flags of [`flags`] and link it
/// with [`CSource::linked`].
pub fn runtime() -> String {
    format!(
        "#define FRIT_RUNTIME_APART\n#define FRIT_REGION_WORK 0\n{INCLUDES}#include <math.h>\n{RUNTIME_INCLUDES}{GCC_FLAGS}{RUNTIME_HEADER}{OUTPUT_HEADER}{INPUT_HEADER}\n{RUNTIME}{OUTPUT}{INPUT}"
    )
}

/// Mathematical functions whose results the C compiler must leave to the library that the
/// interpreters use.
const ROUNDING_FUNCTIONS: &[&str] = &[
    "-fno-builtin-exp",
    "-fno-builtin-log",
    "-fno-builtin-sin",
    "-fno-builtin-cos",
    "-fno-builtin-tan",
    "-fno-builtin-asin",
    "-fno-builtin-acos",
    "-fno-builtin-atan",
    "-fno-builtin-sinh",
    "-fno-builtin-cosh",
    "-fno-builtin-tanh",
    "-fno-builtin-log2",
    "-fno-builtin-log10",
    "-fno-builtin-log1p",
    "-fno-builtin-expm1",
    "-fno-builtin-cbrt",
    "-fno-builtin-pow",
    "-fno-builtin-atan2",
    "-fno-builtin-hypot",
];

/// Flags on which the meaning of generated code depends.
pub fn flags(strict_fp: bool) -> Vec<&'static str> {
    let mut flags = vec!["-std=gnu11", "-fwrapv", "-fno-math-errno", "-fno-trapping-math"];
    if strict_fp {
        flags.push("-ffp-contract=off");
        flags.extend(ROUNDING_FUNCTIONS);
    }
    flags
}

/// Declarations that let gcc call the vector variants of mathematical functions which glibc has on
/// x86-64, without `-ffast-math`; those variants are within 4 units in the last place.
fn vector_mathematics(functions: &BTreeSet<MathFunction>) -> String {
    const SINCE_2_22: &[&str] = &["cos", "exp", "log", "pow", "sin"];
    const SINCE_2_35: &[&str] = &[
        "acos", "asin", "atan", "atan2", "cbrt", "cosh", "expm1", "hypot", "log10", "log1p", "log2", "sinh", "tan",
        "tanh",
    ];
    let mut text = String::new();
    for (minor, names) in [(22, SINCE_2_22), (35, SINCE_2_35)] {
        let declarations: String = (functions.iter().filter(|function| names.contains(&function.name)))
            .map(|function| format!("FRIT_VECTOR {};\n", function.prototype()))
            .collect();
        if !declarations.is_empty() {
            text += &format!("#if __GLIBC_PREREQ(2, {minor})\n{declarations}#endif\n");
        }
    }
    if text.is_empty() {
        return text;
    }
    format!(
        "#if defined(__x86_64__) && defined(__GLIBC__) && defined(_OPENMP) && !defined(__clang__)\n\
         #define FRIT_VECTOR __attribute__((simd(\"notinbranch\")))\n{text}#endif\n\n"
    )
}
