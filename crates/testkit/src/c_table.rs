//! The table of kernels in `docs/c-loops.md`: what fusion does to each, by the report and measured.
//!
//! Loop nests and bytes of temporaries are the report's, with 1000 for each size. The peak of memory is measured on the compiled kernel, before and
//! after: the most that lives on the heap at a time, counted at `malloc` and `free`, and the pages of a stack of its own that the call has touched.
//! What the caller has allocated does not count. The sizes are as large as a second and [`MAX_BYTES`] allow.

use crate::c_harness::{Kernel, Signature};
use frit_driver::c_loops::{self, FuseOptions};
use frit_driver::explain::sizes::bytes;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What the marker in the document is, before the table.
pub const MARKER: &str = "<!-- kernels -->\n";

/// Sizes that are tried, one after the other.
const SIZES: [u32; 8] = [2000, 1000, 400, 200, 100, 50, 25, 12];

/// The memory that the arrays of a call may take.
const MAX_BYTES: u64 = 1 << 29;

/// What fusion does to a kernel, by the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The kernel's name, what it is, its loop nests, and the bytes of its temporaries, before and after.
    pub cells: [String; 4],
    /// The file after fusion.
    pub fused: String,
}

/// Memory measured in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The value of all integer parameters that are sizes.
    pub size: u32,
    /// The bytes before and after fusion.
    pub bytes: (u64, u64),
}

/// Fuses a kernel and reports.
///
/// # Errors
///
/// The kernel is wrong, or says nothing of what it is.
pub fn report(path: &Path) -> Result<Reported, String> {
    let kernel = Kernel::read(path)?;
    let source = c_loops::load(path).map_err(|error| error.to_string())?;
    let fused = c_loops::fuse(path, &source, &FuseOptions::default()).map_err(|error| error.to_string())?;
    let what = summary(&source).ok_or("no comment says what it is")?;
    let sum = |of: &dyn Fn(&c_loops::report::RegionReport) -> u128| fused.regions.iter().map(of).sum::<u128>();
    let nests = format!("{} -> {}", sum(&|of| of.nests.0 as u128), sum(&|of| of.nests.1 as u128));
    let size = |total: u128| bytes(i128::try_from(total).unwrap_or(i128::MAX));
    let total = format!("{} -> {}", size(sum(&|of| of.total.0)), size(sum(&|of| of.total.1)));
    Ok(Reported { cells: [format!("`{}`", kernel.function), what, nests, total], fused: fused.text })
}

/// The first sentence of the first comment below the header.
fn summary(source: &str) -> Option<String> {
    let lines = source.lines().skip_while(|line| line.starts_with("//"));
    let mut words = String::new();
    for line in lines.skip_while(|line| !line.starts_with("// ")).map_while(|line| line.strip_prefix("// ")) {
        if !words.is_empty() {
            words.push(' ');
        }
        words += line.trim();
        if let Some((first, _)) = words.split_once(". ") {
            return Some(first.to_string());
        }
    }
    let words = words.trim_end_matches('.');
    (!words.is_empty()).then(|| words.to_string())
}

/// A row of the table.
pub fn row(reported: &Reported, measured: &Measured) -> String {
    let [name, what, nests, total] = &reported.cells;
    let peak = |bytes: u64| self::bytes(i128::from(bytes));
    let (before, after) = measured.bytes;
    format!("| {name} | {what} | {nests} | {total} | {} -> {} ({}) |", peak(before), peak(after), measured.size)
}

/// What a row says without what was measured.
pub fn reported_part(row: &str) -> Option<&str> {
    row.strip_suffix(" |")?.rsplit_once(" | ").map(|(part, _)| part)
}

/// The lines above the rows.
pub const HEADING: &str =
    "| kernel | what it is | loop nests | temporaries | peak measured (size) |\n|---|---|---|---|---|\n";

/// Measures a kernel before and after fusion, in this folder.
///
/// # Errors
///
/// It does not compile or run.
pub fn measure(path: &Path, fused: &str, folder: &Path) -> Result<Measured, String> {
    let kernel = Kernel::read(path)?;
    let source = c_loops::load(path).map_err(|error| error.to_string())?;
    let name = path.file_stem().unwrap_or_default();
    let [before, after] = [("before", source.as_str()), ("after", fused)].map(|(when, text)| {
        let program = folder.join(name).with_extension(when);
        compile(&program_of(&kernel, text)?, &program)?;
        Ok::<_, String>(program)
    });
    let (before, after) = (before?, after?);
    for size in SIZES {
        let (Some(old), Some(new)) = (run(&before, size)?, run(&after, size)?) else { continue };
        return Ok(Measured { size, bytes: (old, new) });
    }
    Err("no size is small enough".to_string())
}

fn compile(text: &str, program: &Path) -> Result<(), String> {
    let source = program.with_extension("c");
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let wrapped = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free";
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O2", "-w", "-pthread", wrapped, "-o"]).args([program, &source]).arg("-lm");
    crate::place::run(&mut cc).map(drop)
}

/// The bytes that a program says; `None` if its arrays are too large, or it takes too long.
fn run(program: &Path, size: u32) -> Result<Option<u64>, String> {
    let ran = Command::new(program).args([size.to_string(), MAX_BYTES.to_string()]).output();
    let ran = ran.map_err(|error| error.to_string())?;
    match ran.status.code() {
        Some(0) => {
            let said = String::from_utf8_lossy(&ran.stdout);
            said.trim().parse().map(Some).map_err(|_| format!("{} says {said}", program.display()))
        }
        // Without an exit code, a signal has ended it: the stack does not hold its arrays.
        Some(TOO_MUCH) | None => Ok(None),
        Some(_) => Err(format!("{} {size} ends with {}", program.display(), ran.status)),
    }
}

/// What a program ends with where its arrays are too large, or it takes too long.
const TOO_MUCH: i32 = 75;

/// Sizes are `frit_size`. The stack is memory of which no page is there before the call.
const PRELUDE: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { FRIT_HEADER = 64 };
static long frit_size;
static unsigned long frit_most, frit_live, frit_peak;

void *__real_malloc(size_t);
void __real_free(void *);

void *__wrap_malloc(size_t size)
{
    size_t *block = __real_malloc(size + FRIT_HEADER);
    if (!block) return NULL;
    *block = size;
    frit_live += size;
    if (frit_peak < frit_live) frit_peak = frit_live;
    return (char *)block + FRIT_HEADER;
}

void __wrap_free(void *at)
{
    if (!at) return;
    size_t *block = (size_t *)((char *)at - FRIT_HEADER);
    frit_live -= *block;
    __real_free(block);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *at = __wrap_malloc(count * size);
    return at ? __builtin_memset(at, 0, count * size) : NULL;
}

void *__wrap_realloc(void *at, size_t size)
{
    void *moved = __wrap_malloc(size);
    if (moved && at) {
        size_t old = *(size_t *)((char *)at - FRIT_HEADER);
        __builtin_memcpy(moved, at, old < size ? old : size);
        __wrap_free(at);
    }
    return moved;
}

static unsigned long frit_held;

static void *frit_new(unsigned long count, unsigned long size)
{
    frit_held += count * size;
    if (frit_held > frit_most) _exit(75);
    char *array = __real_malloc(count * size + 1);
    if (!array) _exit(75);
    /* Whole numbers that are good as subscripts, and floating-point numbers that are none of them special. */
    for (unsigned long at = 0; at < count * size; at++) array[at] = (char)(at * 7 % 61);
    return array;
}

static void frit_late(int signal) { _exit(75); }

static void frit_measure(void *(*call)(void *))
{
    const size_t room = (size_t)1 << 31, page = (size_t)sysconf(_SC_PAGESIZE);
    char *stack = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    if (stack == MAP_FAILED || pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, stack, room)) _exit(1);
    /* Time of its own, however busy the machine is. */
    struct itimerval limit = {.it_value = {.tv_sec = 1}};
    signal(SIGVTALRM, frit_late);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    frit_live = frit_peak = 0;
    if (pthread_create(&thread, &attributes, call, NULL) || pthread_join(thread, NULL)) _exit(1);
    size_t touched = 0, pages = room / page;
    unsigned char *is_there = __real_malloc(pages);
    if (!is_there || mincore(stack, room, is_there)) _exit(1);
    for (size_t at = 0; at < pages; at++) touched += is_there[at] & 1;
    printf("%lu\n", frit_peak + touched * page);
}
"#;

/// A complete program that calls a kernel once, and prints what it took.
fn program_of(kernel: &Kernel, source: &str) -> Result<String, String> {
    let signature = Signature::find(source, &kernel.function)?;
    let mut declared = String::new();
    let mut made = String::new();
    let mut arguments = Vec::new();
    for param in &signature.params {
        let (name, elem) = (&param.name, &param.elem);
        let is_size = kernel.sizes.iter().any(|sizes| sizes.contains_key(name));
        if param.is_array {
            let count = kernel.arrays.get(name).ok_or(format!("the header does not say how large `{name}` is"))?;
            let _ = writeln!(declared, "static void *frit_array_{name};");
            let _ = writeln!(made, "    frit_array_{name} = frit_new((unsigned long)({count}), sizeof({elem}));");
            arguments.push(format!("frit_array_{name}"));
        } else if is_size {
            // Expressions for extents are in the names of sizes, and may leave the range of their type.
            let _ = writeln!(made, "    long {name} = frit_size;");
            arguments.push(format!("({elem})frit_size"));
        } else {
            arguments.push(format!("({elem})1"));
        }
    }
    // Sizes are declared before what is made with them.
    let (sizes, arrays): (Vec<&str>, Vec<&str>) = made.lines().partition(|line| line.starts_with("    long "));
    let call = format!("{}({})", kernel.function, arguments.join(", "));
    Ok(format!(
        "{source}\n{PRELUDE}\n{declared}\nstatic void *frit_call(void *unused)\n{{\n    {call};\n    return NULL;\n}}\n\n\
         int main(int argc, char **argv)\n{{\n    frit_size = atol(argv[1]);\n    frit_most = strtoul(argv[2], NULL, 10);\n{}\n{}\n    \
         frit_measure(frit_call);\n    return 0;\n}}\n",
        sizes.join("\n"),
        arrays.join("\n"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_first_sentence_below_the_header() {
        assert_eq!(
            summary("// function: f\n\n// Rows, and\n// columns. More.\nvoid f();"),
            Some("Rows, and columns".into())
        );
        assert_eq!(summary("// function: f\n// Nothing else.\nvoid f();"), None);
        assert_eq!(summary("// function: f\n\n// All of it.\nvoid f();\n// Not this."), Some("All of it".into()));
    }

    #[test]
    fn a_row_ends_with_what_was_measured() {
        let reported = Reported { cells: ["a", "b", "c", "d"].map(String::from), fused: String::new() };
        let row = row(&reported, &Measured { size: 200, bytes: (8000, 12) });
        assert_eq!(row, "| a | b | c | d | 8.0 kB -> 12 bytes (200) |");
        assert_eq!(reported_part(&row), Some("| a | b | c | d"));
    }

    #[test]
    fn what_a_call_takes_is_measured() {
        let source = "// function: f\n// sizes: n=9\n// arrays: a=n\n// output: a\n\n// Stack and heap.\n#include <stdlib.h>\n\
            void f(int n, float *a)\n{\n    float t[16 * n];\n    for (int i = 0; i < 16 * n; i++)\n        t[i] = a[i % n];\n\
                float *u = malloc(sizeof(float) * 16 * n);\n    for (int i = 0; i < 16 * n; i++)\n        u[i] = t[16 * n - 1 - i];\n    a[0] = u[0] + t[n];\n    free(u);\n}\n";
        let folder = crate::place::Scratch::new("c-table-test");
        let program = folder.join("f.exe");
        compile(&program_of(&Kernel::parse(source).unwrap(), source).unwrap(), &program).unwrap();
        let found = [1000, 2000].map(|size| run(&program, size).unwrap().unwrap());
        // 128 bytes for each element of `a`; pages, and what threads have on their stacks, besides.
        assert!(found[0] >= 128_000 && found[0] < 128_000 + 32_768, "{found:?}");
        assert!((found[1] - found[0]).abs_diff(128_000) <= 8192, "{found:?}");
    }
}
