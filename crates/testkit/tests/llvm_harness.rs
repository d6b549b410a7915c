//! The harness of fusion on LLVM IR tells a wrong version from a right one.

use frit_testkit::llvm_harness::{Header, Module, build_shared, driver, run};
use frit_testkit::place::Scratch;
use std::process::Command;

const HEADER: &str = "; fuse: f 0\n; run: f a=f64[n] b=f64[n+1] n=1..9\n";

const ORIGINAL: &str = "
@count = global i32 0
declare void @observe(i64)
define double @f(ptr %a, ptr %b, i32 %n) {
entry:
  %wide = sext i32 %n to i64
  call void @observe(i64 %wide)
  store i32 %n, ptr @count
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from
  %y = fadd double %x, 1.0
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %to
  %more = add i64 %i, 1
  %done = icmp eq i64 %more, %wide
  br i1 %done, label %out, label %next
out:
  ret double %x
}
";

/// What the driver writes about a version of the function in which `old` is `new`.
fn told(old: &str, new: &str) -> String {
    let folder = Scratch::new("llvm-harness");
    let path = |name: &str| folder.join(name);
    assert!(ORIGINAL.contains(old), "`{old}` is not in the function");
    let object = |name: &str, text: &str| {
        std::fs::write(path(name), text).unwrap();
        build_shared(&path(name), false, &path(name).with_extension("so")).unwrap();
    };
    object("original.ll", ORIGINAL);
    object("changed.ll", &ORIGINAL.replace(old, new));
    let text = driver(&Header::parse(HEADER).unwrap(), &Module::parse(ORIGINAL)).unwrap();
    std::fs::write(path("driver.c"), text).unwrap();
    let built = ["-w", "-rdynamic", "-o"];
    run(Command::new("clang-19").args(built).arg(path("driver")).arg(path("driver.c")).args(["-lm", "-ldl"])).unwrap();
    let objects = [path("original.so"), path("changed.so")];
    let (written, _) = run(Command::new(path("driver")).args(["50", "0"]).args(&objects)).unwrap();
    written
}

#[test]
fn the_same_function_is_right() {
    assert_eq!(told("fadd double %x, 1.0", "fadd double 1.0, %x"), "executions 50\n");
}

#[test]
fn differences_are_told() {
    let cases = [
        ("fadd double %x, 1.0", "fadd double %x, 2.0", "of buffer 0 is"),
        ("ret double %x", "ret double %y", "returns"),
        ("store i32 %n, ptr @count", "store i32 77, ptr @count", "of @count differs"),
        ("call void @observe(i64 %wide)", "call void @observe(i64 3)", "calls functions in another order"),
        ("i64 [ 0, %entry ]", "i64 [ -1, %entry ]", "crashes"),
        ("br i1 %done, label %out, label %next", "br label %next", "crashes"),
        ("%more = add i64 %i, 1", "%more = add i64 %i, 0", "does not end"),
    ];
    for (old, new, wanted) in cases {
        let written = told(old, new);
        let wrong: Vec<&str> = written.lines().filter(|line| line.starts_with("FAIL f changed.so: ")).collect();
        assert_eq!(wrong.len(), 1, "{new}:\n{written}");
        let is_as_wanted = wrong[0].contains(wanted) || wanted == "crashes" && wrong[0].contains("buffer 0");
        assert!(is_as_wanted && wrong[0].contains("; seed ") && wrong[0].contains(" n="), "{new}: {wanted}\n{written}");
    }
}
