//! `frit-llvm` and the plugin from outside: what they read, write and say, and the codes they exit with.

use frit_testkit::place::{Scratch, built, has_llvm};
use std::fs;
use std::process::{Command, Output, Stdio};

/// Two loops that are one, in a function of their own, and a function without loops.
const MODULE: &str = r#"
define void @twice(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %first, label %end
first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %p
  %y = fadd float %x, 1.0
  store float %y, ptr %p
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %first, label %between
between:
  br label %second
second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %q = getelementptr inbounds float, ptr %a, i64 %j
  %u = load float, ptr %q
  %v = fmul float %u, 2.0
  %r = getelementptr inbounds float, ptr %b, i64 %j
  store float %v, ptr %r
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp slt i64 %j.next, %n
  br i1 %again, label %second, label %end
end:
  ret void
}

define i32 @none(i32 %x) {
  ret i32 %x
}
"#;

/// A folder with the module `in.ll`, that goes with the test.
struct Place(Scratch);

impl Place {
    fn new() -> Place {
        let folder = Scratch::new("llvm-command");
        fs::write(folder.join("in.ll"), MODULE).unwrap();
        Place(folder)
    }

    fn call(&self, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Done {
        let mut command = Command::new(program);
        command.args(words).current_dir(&*self.0).stdin(fs::File::open(self.0.join("in.ll")).unwrap());
        Done(command.stderr(Stdio::piped()).output().unwrap())
    }

    fn frit(&self, words: &[&str]) -> Done {
        self.call(built("frit-llvm"), words)
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))).into_owned()
    }

    /// The module in a file passes LLVM's verifier, and has so many loops.
    #[track_caller]
    fn has_loops(&self, name: &str, loops: usize) {
        let shown = self.call("opt-19", &["-passes=verify,print<loops>", "-disable-output", name]).succeeds();
        assert_eq!(shown.err().matches("Loop at depth").count(), loops, "{}", shown.err());
    }
}

struct Done(Output);

impl Done {
    fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    #[track_caller]
    fn succeeds(self) -> Done {
        assert_eq!(self.0.status.code(), Some(0), "{}", self.err());
        self
    }

    /// It exits with this code, prints nothing on standard output, and says this.
    #[track_caller]
    fn fails(self, code: i32, said: &str) {
        assert_eq!(self.0.status.code(), Some(code), "{}", self.err());
        assert_eq!(self.out(), "");
        assert!(self.err().contains("error: ") && self.err().contains(said), "`{said}` is not in {}", self.err());
    }
}

#[test]
fn text_and_bitcode_are_read_and_written() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    place.has_loops("in.ll", 2);
    place.frit(&["in.ll", "-S", "-o", "out.ll"]).succeeds();
    place.has_loops("out.ll", 1);
    assert!(place.read("out.ll").contains("define void @twice("));
    place.frit(&["in.ll", "-o", "out.bc"]).succeeds();
    assert!(fs::read(place.0.join("out.bc")).unwrap().starts_with(b"BC\xc0\xde"));
    place.has_loops("out.bc", 1);
    place.call("opt-19", &["in.ll", "-o", "in.bc"]).succeeds();
    place.frit(&["in.bc", "-S", "-o", "again.ll"]).succeeds();
    place.has_loops("again.ll", 1);
    assert_eq!(place.frit(&["in.bc", "-S"]).succeeds().out(), place.read("again.ll"));
}

#[test]
fn standard_input_and_output_are_the_default_or_a_dash() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let text = place.frit(&["-", "-S"]).succeeds().out();
    assert!(text.contains("define void @twice("), "{text}");
    assert_eq!(place.frit(&["-", "-S", "-o", "-"]).succeeds().out(), text);
}

#[test]
fn every_function_is_told_with_its_fusions() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let said = place.frit(&["in.ll", "-o", "out.bc", "-v"]).succeeds().err();
    assert!(said.contains("FUSED twice 1\n") && said.contains("FUSED none 0\n") && said.contains(" ms"), "{said}");
    assert_eq!(place.frit(&["in.ll", "-o", "out.bc"]).succeeds().err(), "");
}

#[test]
fn a_limit_stops_fusions() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    for option in ["-frit-fuse-limit=0", "--frit-fuse-limit=0"] {
        place.frit(&["in.ll", "-S", "-o", "out.ll", option]).succeeds();
        place.has_loops("out.ll", 2);
    }
}

#[test]
fn the_log_holds_the_decisions() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    place.frit(&["in.ll", "-o", "out.bc", "--log", "log.json"]).succeeds();
    let log: String = place.read("log.json").split_whitespace().collect();
    for said in ["\"outcome\":\"merged\"", "\"label\":\"first\"", "\"label\":\"second\"", "\"function\":\"twice\""] {
        assert!(log.contains(said), "{said} is not in {log}");
    }
    let both = place.frit(&["in.ll", "-S", "--log", "-"]);
    both.fails(2, "cannot both go to standard output");
    let shown = place.frit(&["in.ll", "-o", "out.bc", "--log", "-"]).succeeds().out();
    assert_eq!(shown.trim_end(), place.read("log.json").trim_end());
}

#[test]
fn remarks_are_text_or_yaml() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let said = place.frit(&["in.ll", "-o", "out.bc", "--remarks"]).succeeds().err();
    assert!(said.contains("remark:") && said.contains("fused"), "{said}");
    place.frit(&["in.ll", "-o", "out.bc", "-pass-remarks-output=remarks.yml"]).succeeds();
    let yaml = place.read("remarks.yml");
    for said in ["--- !Passed", "frit-loop-fusion", "Function:        twice"] {
        assert!(yaml.contains(said), "{said} is not in {yaml}");
    }
}

#[test]
fn what_is_no_module_is_3() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("text.ll"), "what is this\n").unwrap();
    fs::write(place.0.join("broken.bc"), b"BC\xc0\xde and nothing").unwrap();
    let wrong = "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n";
    fs::write(place.0.join("wrong.ll"), wrong).unwrap();
    place.frit(&["text.ll"]).fails(3, "text.ll:1:1");
    place.frit(&["broken.bc"]).fails(3, "broken.bc");
    place.frit(&["wrong.ll"]).fails(3, "does not dominate all uses");
    place.frit(&["missing.ll"]).fails(3, "missing.ll");
}

#[test]
fn wrong_use_is_2_and_what_cannot_be_written_is_1() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    place.frit(&[]).fails(2, "INPUT");
    place.frit(&["in.ll", "--frobnicate"]).fails(2, "--frobnicate");
    place.frit(&["in.ll", "-frit-fuse=sometimes"]).fails(2, "sometimes");
    place.frit(&["in.ll", "-frit-fuse-limit=many"]).fails(2, "many");
    place.frit(&["in.ll", "-frit-fuse-region-size=1"]).fails(2, "2 or more");
    place.frit(&["in.ll", "-o", "no/such/folder.bc"]).fails(1, "no/such/folder.bc");
}

#[test]
fn opt_runs_the_pass_with_its_options() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let plugin = built("libfrit_llvm.so");
    let load = format!("-load-pass-plugin={}", plugin.display());
    let pass = "-passes=frit-loop-fusion";
    place.call("opt-19", &[&load, pass, "in.ll", "-S", "-o", "out.ll"]).succeeds();
    place.has_loops("out.ll", 1);
    place.call("opt-19", &[&load, pass, "-frit-fuse-limit=0", "in.ll", "-S", "-o", "same.ll"]).succeeds();
    place.has_loops("same.ll", 2);
}

#[test]
fn clang_runs_the_pass_with_its_options_and_tells_what_it_did() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let source = "void f(int n, float *restrict a, float *restrict b)\n{\n    for (int i = 0; i < n; i++)\n        a[i] += 1.0f;\n    \
                  for (int i = 0; i < n; i++)\n        b[i] = a[i] * a[i];\n}\n";
    fs::write(place.0.join("x.c"), source).unwrap();
    let plugin = built("libfrit_llvm.so");
    let [load, pass] = ["fplugin", "fpass-plugin"].map(|how| format!("-{how}={}", plugin.display()));
    let remarks = ["-Rpass=frit-loop-fusion", "-Rpass-missed=frit-loop-fusion", "-g", "-c", "x.c", "-o", "x.o"];
    let told = |words: &[&str]| place.call("clang-19", &[words, &remarks].concat()).succeeds().err();
    assert!(told(&["-O2", &pass]).contains("remark: fused"), "{}", told(&["-O2", &pass]));
    assert!(!told(&["-O2", &load, &pass, "-mllvm", "-frit-fuse-limit=0"]).contains("remark: fused"));
    assert_eq!(told(&["-O0", &pass]), "", "nothing is optimised at -O0");
}

/// Members, a check for each row, a call that may end the program, a loop alone, a switch without a default, a sum in order.
const REMARKS: &str = "\
#include <assert.h>
struct series { double *v; int n; };
void scale_all(struct series *s, double *restrict w,
               double k)
{
    int n = s->n;
    double *restrict v = s->v;
    for (int i = 0; i < n; i++)
        v[i] *= k;

    double t = v[0] + n;
    for (int i = 0; i < n; i++)
        w[i] = v[i] / t;
}
void checked(double *restrict a, const double *restrict b, int n, int m) {
    for (int i = 0; i < n; i++) a[i] = b[i] + 1;
    assert(m >= 4);
    for (int i = 0; i < n; i++) a[i] *= b[i];
}
void lone(double *a, double *b) { for (int i = 0; b[i] > 0; i++) a[i] = 0; }
void rows(double **a, double **b, int w, int h) {
    for (int y = 0; y < h; y++) {
        double *p = a[y], *q = b[y];
        for (int x = 0; x < w; x++) p[x] *= 2;
        for (int x = 0; x < w; x++) q[x] += p[x];
    }
}
void twice(int *a, int *b, int n) {
    for (int i = 0; i < n; i++) a[i] += 1;
    for (int i = 0; i < n; i++) b[i] += a[i];
}
void late(int *restrict a, int *restrict b, int n) {
    for (int i = 0; i < n; i++) a[i] += 1;
    for (int i = 1; i < n; i++) b[i] += a[i + 1];
}
";

#[test]
fn remarks_stand_where_loops_begin_and_no_code_grows_where_it_is_to_be_small() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("x.c"), REMARKS).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let remarks = ["-Rpass=frit-loop-fusion", "-Rpass-missed=frit-loop-fusion", "-g", "-c", "x.c", "-o", "x.o"];
    let told = |level: &str| place.call("clang-19", &[&[level, &pass], &remarks[..]].concat()).succeeds().err();
    let said = told("-O2");
    for line in [
        "x.c:8:5: remark: did not fuse the loops at x.c:8:5 and x.c:12:5: a load at x.c:11:16 between them depends on the first",
        "x.c:16:5: remark: did not fuse the loops at x.c:16:5 and x.c:18:5: a call of `__assert_fail` at x.c:17:5 between them may end",
        "x.c:24:9: remark: fused the loops at x.c:24:9 and x.c:25:9, where a check finds that their memory does not overlap",
        "x.c:29:5: remark: fused the loops at x.c:29:5 and x.c:30:5, where a check finds that their memory does not overlap [",
        "x.c:33:5: remark: fused the loops at x.c:33:5 and x.c:34:5, the second 2 iterations late, where a check finds",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
    assert_eq!(said.matches("remark:").count(), 5, "{said}");
    for level in ["-Os", "-Oz"] {
        let said = told(level);
        assert!(!said.contains("remark: fused") && said.contains("is to be small [code-growth]"), "{said}");
    }
}

#[test]
fn a_remark_on_a_loop_that_was_inlined_says_where_its_function_was_called() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let shift = "static inline void shift(int *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] += 3;\n}\n\
                 static inline void shift_all(int *a, int n) { shift(a, n); }\n";
    fs::write(place.0.join("shift.h"), shift).unwrap();
    let user = "#include \"shift.h\"\nvoid user(int *a, int n) {\n    shift_all(a, n);\n    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}\n";
    fs::write(place.0.join("x.c"), user).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let said = place
        .call("clang-19", &["-O2", &pass, "-Rpass=frit-loop-fusion", "-g", "-c", "x.c", "-o", "x.o"])
        .succeeds()
        .err();
    let line = "remark: fused the loops at ./shift.h:2:5 (called at x.c:3:5) and x.c:4:5";
    assert!(said.contains(line), "`{line}` is not in\n{said}");
}

/// Members of structures that each iteration loads anew, and the same with local variables.
const ANEW: &str = "struct bytes { unsigned char *in, *out; int n; };
struct numbers { int *in, *out; int n; };
void note(int);
void members(struct bytes *f) {
    for (int i = 0; i < f->n; i++) f->in[i] += 3;
    for (int i = 0; i < f->n; i++) f->out[i] = f->in[i] * 2;
}
void pointers(struct bytes *f, int n) {
    for (int i = 0; i < n; i++) f->in[i] += 3;
    for (int i = 0; i < n; i++) f->out[i] = f->in[i] * 2;
}
void between(struct numbers *f, int n) {
    for (int i = 0; i < n; i++) f->in[i] += 3;
    note(n);
    for (int i = 0; i < n; i++) f->out[i] = f->in[i] * 2;
}
void locals(struct bytes *f) {
    unsigned char *in = f->in, *out = f->out;
    int n = f->n;
    for (int i = 0; i < n; i++) in[i] += 3;
    for (int i = 0; i < n; i++) out[i] = in[i] * 2;
}
";

#[test]
fn a_remark_on_members_that_are_loaded_anew_advises_what_helps() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("x.c"), ANEW).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let remarks = ["-Rpass=frit-loop-fusion", "-Rpass-missed=frit-loop-fusion", "-g", "-c", "x.c", "-o", "x.o"];
    let said = place.call("clang-19", &[&["-O2", &pass], &remarks[..]].concat()).succeeds().err();
    for line in [
        "x.c:5:5 and x.c:6:5: as for the first, its number of iterations is loaded anew in each iteration, and may change; a local",
        "x.c:9:5 and x.c:10:5: a pointer is loaded anew in each iteration, and may change; a local variable for each pointer would",
        "x.c:13:5 and x.c:15:5: they are not known to share data, as a pointer is loaded anew for the second and may have changed",
        "remark: fused the loops at x.c:20:5 and x.c:21:5",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
}

/// Loops that stay apart, each pair for a reason that has to say which loop, call or place it is about.
const REASONS: &str = r#"#include <math.h>
#include <stdlib.h>
int histogram[256];
void count(const unsigned char *pixels, int n) {
    for (int i = 0; i < 256; i++) histogram[i] = 0;
    for (int i = 0; i < n; i++) histogram[pixels[i]]++;
}
void logs(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) a[i] += sin(i);
    for (int i = 0; i < n; i++) b[i] = a[i] + a[i] * log(b[i]);
}
double fading(const double *restrict x, double *restrict y, int n) {
    double last = 0, all = 0;
    for (int i = 0; i < n; i++) y[i] = sin(x[i]);
    for (int i = 0; i < n; i++) { last = 0.5 * last + x[i]; all += last * all; }
    return all;
}
void checked(const int *restrict at, double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++) if (at[i] < 0) abort();
    for (int i = 0; i < n; i++) a[i] = b[at[i]];
}
void apart(int *a, int *b, int n) {
    for (int i = 0; i < n; i++) a[i] += 1;
    for (int i = 0; i < n; i++) b[i] += 1;
}
void apart_for_sure(int *restrict a, int *restrict b, int n) {
    for (int i = 0; i < n; i++) a[i] += 1;
    for (int i = 0; i < n; i++) b[i] += 1;
}
void mirrored(float *restrict a, float *restrict b, float *restrict c, int n) {
    for (int i = 0; i < n; i++) b[i] = a[i] + 1;
    for (int i = 0; i < n; i++) c[i] = b[n - 1 - i];
    for (int i = 0; i + 1 < n; i++) a[i] = c[i + 1] - c[i];
}
"#;

#[test]
fn remarks_say_which_loop_and_which_call_they_are_about() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("x.c"), REASONS).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let words = ["-O2", &pass, "-Rpass-missed=frit-loop-fusion", "-g", "-c", "x.c", "-o", "x.o"];
    let said = place.call("clang-19", &words).succeeds().err();
    for line in [
        "x.c:5:48: remark: did not fuse the loops at x.c:5:48 and x.c:6:5: iterations of the second",
        "x.c:9:5 and x.c:10:5: a call of `sin` in one of them may set `errno`",
        "x.c:14:5 and x.c:15:5: a call of `sin` in one of them would make values that go round the other one be stored",
        "x.c:19:5 and x.c:20:5: as for the first, it can be left at several places [several-exits]",
        "x.c:23:5 and x.c:24:5: they are not known to share data [no-reuse]",
        "x.c:27:5 and x.c:28:5: they share no data [no-reuse]",
        "x.c:31:5 and x.c:32:5: iterations of the second may need later ones of the first",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
}

#[test]
fn a_program_that_is_optimised_when_it_is_linked_is_fused_in_the_back_end() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("x.c"), REMARKS.replace("#include <assert.h>", "#define assert(x)")).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let told = |words: &[&str]| {
        let all = [&["-O2", "-g", "-Rpass=frit-loop-fusion", &pass, "-c", "-o"], words].concat();
        place.call("clang-19", &all).succeeds().err().contains("fused the loops")
    };
    assert!(!told(&["x.bc", "-flto=thin", "x.c"]), "inlining is not over when a file is compiled");
    assert!(told(&["x.o", "-fthinlto-index=/dev/null", "-x", "ir", "x.bc"]));
}

/// Range loops over a class like `std::vector`.
#[test]
fn range_loops_of_cpp_are_loops_over_one_array() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let source = "\
struct numbers {
    double *first, *last;
    double *begin() { return first; }
    double *end() { return last; }
    unsigned long size() { return last - first; }
    double &operator[](unsigned long at) { return first[at]; }
};
struct state {
    numbers a, b;
    double k;
    void ranges() { for (auto &x : a) x *= 2; for (auto &x : a) x += 1; }
    void indices() {
        for (unsigned long i = 0; i < a.size(); i++) a[i] *= 2;
        for (unsigned long i = 0; i < a.size(); i++) b[i] += a[i];
    }
    void both() { for (auto &x : a) x *= 2; for (unsigned long i = 0; i < b.size(); i++) b[i] += a[i]; }
};
void all(state &s) { s.ranges(); }
void others(state &s) { s.indices(); }
void mixed(state &s) { s.both(); }
";
    fs::write(place.0.join("x.cpp"), source).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let words = ["-O2", &pass, "-Rpass=frit-loop-fusion", "-g", "-c", "x.cpp", "-o", "x.o"];
    let said = place.call("clang-19", &words).succeeds().err();
    assert_eq!(said.matches("remark: fused").count(), 3, "{said}");
}

#[test]
fn two_runs_on_one_module_write_the_same() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let source: String = (0..6)
        .map(|k| {
            format!(
                "void f{k}(int n, int m, const float *restrict in, float *restrict a, float *restrict b)\n{{\n    for (int i = 0; i < n; i++)\n        \
                 a[i] = in[i] * 2;\n    for (int i = 0; i < m - {k}; i++)\n        b[i] = in[i] + {k};\n    for (int i = 0; i < n - {k}; i++)\n        \
                 b[i] += a[i + {k}];\n}}\n"
            )
        })
        .collect();
    fs::write(place.0.join("x.c"), source).unwrap();
    place.call("clang-19", &["-O1", "-g", "-fno-vectorize", "-S", "-emit-llvm", "x.c", "-o", "x.ll"]).succeeds();
    let fused = || place.frit(&["x.ll", "-S", "--log", "log.json"]).succeeds().out();
    let (first, log) = (fused(), place.read("log.json"));
    assert!(log.contains("merged"), "{log}");
    for _ in 0..40 {
        assert_eq!(fused(), first);
        assert_eq!(place.read("log.json"), log);
    }
}

#[test]
fn nests_that_may_be_short_are_there_once_more_and_not_twice() {
    if !has_llvm() {
        return;
    }
    let place = Place::new();
    let source = "void late(long n, long m, double *restrict a, double *restrict b, double *restrict c) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = a[(i - 1) * m + j] / 3.0;
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            c[i * m + j] = b[(i + 1) * m + j] / 5.0;
}
void brief(long n, double *restrict a, double *restrict b, double *restrict c) {
    for (long i = 1; i < n - 2; i++)
        b[i] = a[i - 1] / 7.0;
    for (long i = 1; i < n - 2; i++)
        c[i] = b[i + 2] / 9.0;
}\n";
    fs::write(place.0.join("x.c"), source).unwrap();
    let pass = format!("-fpass-plugin={}", built("libfrit_llvm.so").display());
    let plain =
        ["-fno-vectorize", "-fno-unroll-loops", "-Rpass=frit-loop-fusion", "-S", "-emit-llvm", "x.c", "-o", "x.ll"];
    let said = place.call("clang-19", &[&["-O2", &pass], &plain[..]].concat()).succeeds().err();
    assert!(said.contains("one iteration late, where a check finds that they have iterations enough"), "{said}");
    let code = place.read("x.ll");
    // In the fused nest, and in one part before it or behind, which is all that is executed where rows are short.
    for by in ["3.0", "5.0"] {
        assert_eq!(code.matches(&format!(", {by}00000e+00")).count(), 2, "{by}: {code}");
    }
    // Two iterations before the fused loop and behind are not unrolled.
    assert_eq!(code.matches("!\"llvm.loop.unroll.disable\"").count(), 1, "{code}");
}
